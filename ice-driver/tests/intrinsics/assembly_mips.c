/* Inline assembly of MIPS as programs have it: system calls, linked accesses, products, fields of words, branches with and without
   their slots, numbers in floating-point registers, memory. */
#include <stdint.h>

int printf(const char *, ...);

static uint32_t state = 12345;
static __thread int of_thread;

static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static uint64_t next_long(void) { return (uint64_t)next() << 32 | next(); }

static long call(long number, long a, long b, long c, long *failed) {
  register long v0 __asm__("$2") = number;
  register long a0 __asm__("$4") = a;
  register long a1 __asm__("$5") = b;
  register long a2 __asm__("$6") = c;
  register long a3 __asm__("$7");
  __asm__ volatile("syscall"
                   : "=r"(v0), "=r"(a3) : "0"(v0), "r"(a0), "r"(a1), "r"(a2)
                   : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "hi", "lo", "memory");
  *failed = a3;
  return v0;
}

static void *thread(void) {
  void *self;
  __asm__ volatile(".set push\n\t.set mips32r2\n\trdhwr %0, $29\n\t.set pop" : "=r"(self));
  return self;
}

static int add_to(volatile int *place, int value) {
  int old, new;
  __asm__ volatile("sync\n1:\tll %0, %2\n\taddu %1, %0, %3\n\tsc %1, %2\n\tbeqz %1, 1b\n\tsync"
                   : "=&r"(old), "=&r"(new), "+m"(*place) : "r"(value) : "memory");
  return old;
}

static int exchange_if(int *place, int old, int new) {
  int found, done;
  __asm__ volatile(".set push\n.set noreorder\n1: ll %0, %2\n bne %0, %z3, 2f\n move %1, %z4\n sc %1, %2\n beq %1, $0, 1b\n nop\n"
                   "2:\n.set pop"
                   : "=&r"(found), "=&r"(done), "+m"(*place) : "rJ"(old), "rJ"(new) : "memory");
  return found;
}

static uint64_t product(uint32_t a, uint32_t b) {
  uint32_t low, high;
  __asm__("multu %2, %3\n\tmflo %0\n\tmfhi %1" : "=r"(low), "=r"(high) : "r"(a), "r"(b) : "hi", "lo");
  return (uint64_t)high << 32 | low;
}

static uint32_t rest(uint32_t a, uint32_t b) {
  uint32_t out;
  __asm__("divu $0, %1, %2\n\tmfhi %0" : "=r"(out) : "r"(a), "r"(b) : "hi", "lo");
  return out;
}

static uint32_t bits(uint32_t x, uint32_t y) {
  uint32_t a, b, c, d, e;
  __asm__("wsbh %0, %4\n\trotr %0, %0, 16\n\tclz %1, %5\n\text %2, %4, 5, 9\n\tseb %3, %5\n\tins %3, %4, 12, %6"
          : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d) : "r"(x), "r"(y), "I"(7));
  __asm__("sltu %0, %1, %2\n\tnor %0, %0, %1\n\tmovz %0, %2, %1\n\txori %0, %0, 0x1234\n\tsra %0, %0, 3" : "=&r"(e) : "r"(x), "r"(y));
  return a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 11;
}

static uint64_t sum(uint64_t a, uint64_t b) {
  uint64_t out;
  __asm__("addu %L0, %L1, %L2\n\tsltu $1, %L0, %L2\n\taddu %M0, %M1, %M2\n\taddu %D0, $1" : "=&r"(out) : "r"(a), "r"(b) : "$1");
  return out;
}

static uint32_t numbers(uint32_t x) {
  uint32_t out;
  __asm__("li %0, %2\n\tli $1, 0x7654\n\txor %0, %0, $1\n\taddiu %0, %0, %3\n\tli $1, -0x12345\n\taddu %0, $1\n\txor %0, %0, %1"
          : "=&r"(out) : "r"(x), "i"(0x12345678), "I"(-5) : "$1");
  return out;
}

static uint32_t loop(uint32_t count) {
  uint32_t out, left = count & 15;
  __asm__("li %0, 1\n1:\tblez %1, 2f\n\tsll %0, %0, 1\n\taddiu %1, %1, -1\n\tb 1b\n2:" : "=&r"(out), "+r"(left));
  if (out > 100) __asm__("addiu %0, %0, 3" : "+r"(out));
  return out;
}

static uint32_t through_call(uint32_t x) {
  __asm__("bal 1f\n\tb 2f\n1:\taddiu %0, %0, 7\n\tjr $31\n2:" : "+r"(x) : : "$31");
  return x;
}

static double floats(float x, double y) {
  float a;
  double b;
  uint32_t flags;
  __asm__("add.s %0, %1, %1\n\tsqrt.s %0, %0" : "=f"(a) : "f"(x));
  __asm__("mul.d %0, %1, %2\n\tabs.d %0, %0\n\tneg.d %0, %0" : "=&f"(b) : "f"(y), "f"(y));
  __asm__("c.lt.d %1, %2\n\tli %0, 1\n\tbc1t 1f\n\tli %0, 2\n1:" : "=&r"(flags) : "f"(y), "f"(b));
  return a + b + flags;
}

static uint32_t float_bits(float x, double y) {
  uint32_t a;
  float b;
  __asm__("mfc1 %0, %1" : "=r"(a) : "f"(x));
  __asm__("cvt.s.d %0, %1\n\tmov.s $f20, %0\n\tsub.s %0, $f20, %0" : "=&f"(b) : "f"(y) : "$f20");
  return a + (uint32_t)b;
}

static void rounding(double x) {
  uint32_t old;
  __asm__ volatile("cfc1 %0, $31" : "=r"(old));
  for (uint32_t mode = 0; mode < 4; mode++) {
    double out;
    __asm__ volatile("ctc1 %0, $31" : : "r"((old & ~3u) | mode));
    __asm__ volatile("div.d %0, %1, %2" : "=f"(out) : "f"(x), "f"(3.0));
    __asm__ volatile("ctc1 %0, $31" : : "r"(old));
    printf("%a\n", out);
  }
}

struct pair { int a, b; };

static int memory(struct pair *p) {
  int out;
  __asm__("lw %0, %1\n\tlw $1, %2\n\taddu %0, %0, $1\n\tsw %0, %2" : "=&r"(out), "+m"(p->a), "+m"(p->b) : : "$1");
  return out;
}

static uint32_t clobbers(uint32_t x) {
  uint32_t out;
  __asm__ volatile("move $16, %1\n\tli $17, 3\n\tmul $8, $16, $17\n\taddu %0, $8, $16"
                   : "=r"(out) : "r"(x) : "$2", "$3", "$4", "$8", "$16", "$17", "$31", "$f0", "$f20", "hi", "lo");
  return out;
}

int main(void) {
  int place = 5;
  long failed, pid = call(4020, 0, 0, 0, &failed);
  printf("%d %ld\n", pid > 0, failed);
  printf("%d\n", (int)call(4004, 77, (long)"", 0, &failed));
  printf("%ld %d\n", failed, (int)((char *)&of_thread - (char *)thread()));
  for (int i = 0; i < 20; i++) {
    uint32_t a = next(), b = next();
    uint64_t p = next_long(), q = next_long();
    int old = add_to(&place, a);
    printf("%x %x %x\n", old, place, exchange_if(&place, i % 2 ? place : 1, b));
    printf("%x %llx %llx\n", place, (unsigned long long)product(a, b), (unsigned long long)sum(p, q));
    printf("%x %x %x %x %x\n", rest(a, b | 1), bits(a, b), numbers(a), loop(a), through_call(b));
    float x = (float)(a >> 8) / 65536;
    double y = (double)(int)b / 1024;
    printf("%a %x\n", floats(x, y), float_bits(x, y));
    rounding(y);
    struct pair pair = {a & 0xffff, b & 0xffff};
    printf("%x", memory(&pair));
    printf(" %x %x\n", pair.b, clobbers(a));
  }
  __asm__ volatile("nop; sync; ehb" : : : "memory");
  return 0;
}
