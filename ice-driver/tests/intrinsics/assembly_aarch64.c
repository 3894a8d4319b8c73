/* Inline assembly of AArch64 as programs have it: system calls, exclusive and atomic accesses, long arithmetic, registers of the
   system, numbers and vectors in all kinds of registers, labels, data, symbols, jumps. */
#include <stdint.h>

#define noinline __attribute__((noinline))
#define used __attribute__((used))

typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1)));
typedef float floats4 __attribute__((vector_size(16)));

int printf(const char *, ...);
int memcmp(const void *, const void *, unsigned long);

static uint32_t state = 12345;
static __thread int of_thread;

static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static uint64_t next_long(void) { return (uint64_t)next() << 32 | next(); }

/* A system call: the number in x8, arguments in x0 to x2. */
static long call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "=r"(x0) : "r"(x8), "0"(x0), "r"(x1), "r"(x2) : "memory", "cc");
  return x0;
}

static int add_to(volatile int *place, int value) {
  int old, new, failed;
  __asm__ volatile("dmb ish\n"
                   "1:\tldxr %w0, %3\n"
                   "\tadd %w1, %w0, %w4\n"
                   "\tstlxr %w2, %w1, %3\n"
                   "\tcbnz %w2, 1b\n"
                   "\tdmb ish"
                   : "=&r"(old), "=&r"(new), "=&r"(failed), "+Q"(*place)
                   : "Ir"(value)
                   : "memory");
  return old;
}

static int exchange_if(int *place, int old, int new) {
  int found, failed;
  __asm__ volatile("prfm pstl1strm, %2\n1:\tldaxr %w1, %2\n\teor %w0, %w1, %w3\n\tcbnz %w0, 2f\n\tstxr %w0, %w4, %2\n"
                   "\tcbnz %w0, 1b\n2:"
                   : "=&r"(failed), "=&r"(found), "+Q"(*place)
                   : "Kr"(old), "r"(new)
                   : "memory");
  return found;
}

/* Atomic operations of ARMv8.1. */
static uint64_t atomics(uint64_t *place, uint64_t value) {
  uint64_t a, b = value, c;
  uint32_t d;
  __asm__ volatile(".arch_extension lse\n\tldaddal %1, %0, %2" : "=r"(a), "+r"(value), "+Q"(*place));
  __asm__ volatile(".arch_extension lse\n\tcasal %0, %2, %1" : "+r"(b), "+Q"(*place) : "rZ"(0L));
  __asm__ volatile(".arch_extension lse\n\tswpl %1, %0, %2\n\tldclrb %w1, %w3, %2\n\tstset %1, %2"
                   : "=&r"(c), "+r"(value), "+Q"(*place), "=&r"(d));
  return a ^ b * 3 ^ c * 5 ^ d;
}

static void swap_pair(uint64_t *place, uint64_t *low, uint64_t *high) {
  uint64_t a, b;
  int failed;
  __asm__ volatile("1: ldxp %0, %1, [%3]\n stxp %w2, %4, %5, [%3]\n cbnz %w2, 1b"
                   : "=&r"(a), "=&r"(b), "=&r"(failed) : "r"(place), "r"(*low), "r"(*high) : "memory");
  *low = a;
  *high = b;
}

static unsigned char exchange_byte(unsigned char *place, unsigned char value) {
  unsigned char old;
  int failed;
  do
    __asm__ volatile("ldxrb %w0, [%2]; stxrb %w1, %w3, [%2]" : "=&r"(old), "=&r"(failed) : "r"(place), "r"(value) : "memory");
  while (failed);
  __asm__ volatile("clrex" : : : "memory");
  return old;
}

static void *thread(void) {
  void *self;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(self));
  return self;
}

/* Numbers of many words. */
static uint64_t sum(uint64_t *low, uint64_t *high, uint64_t a, uint64_t b) {
  uint64_t carry;
  __asm__("adds %0, %0, %3\n\tadcs %1, %1, %4\n\tcset %2, cs" : "+&r"(*low), "+&r"(*high), "=r"(carry) : "rI"(a), "r"(b) : "cc");
  return carry;
}

static uint64_t add_words(uint64_t *to, const uint64_t *from, long count) {
  uint64_t carry = 0, a, b;
  __asm__ volatile("1:\tldr %0, [%3]\n\tldr %1, [%4], #8\n\tcmp %2, #1\n\tadcs %0, %0, %1\n\tstr %0, [%3], 8\n"
                   "\tcset %2, hs\n\tsubs %5, %5, 1\n\tb.ne 1b"
                   : "=&r"(a), "=&r"(b), "+&r"(carry), "+&r"(to), "+&r"(from), "+&r"(count)
                   :
                   : "cc", "memory");
  return carry;
}

static uint64_t products(uint64_t a, uint64_t b, uint32_t c) {
  uint64_t low, high, wide, sums;
  __asm__("mul %0, %2, %3\n\tumulh %1, %2, %3" : "=&r"(low), "=r"(high) : "r"(a), "r"(b));
  __asm__("umull %0, %w1, %w2" : "=r"(wide) : "r"(c), "r"(a));
  __asm__("smaddl %0, %w1, %w2, %3" : "=r"(sums) : "r"(c), "r"(b), "r"(a));
  return low ^ high * 3 ^ wide * 5 ^ sums * 7;
}

/* Bits, bytes, choices. */
static uint64_t bits(uint64_t x, uint64_t y) {
  uint64_t a, b, c, d, e, f, g;
  __asm__("rev %0, %7\n\trev16 %1, %8\n\trev32 %2, %7\n\trbit %3, %8\n\tclz %4, %7\n\tubfx %5, %8, #5, #%c9\n\t"
          "bfi %5, %7, #12, %9\n\textr %6, %7, %8, #19\n\tror %6, %6, %10"
          : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&r"(e), "=&r"(f), "=&r"(g) : "r"(x), "r"(y), "i"(7), "r"(y & 63));
  return a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 11 ^ f * 13 ^ g * 17;
}

static int compared(int x, int y) {
  int out, flags;
  __asm__("cmp %w2, %w3\n\tcset %w0, gt\n\tcsinv %w0, %w0, wzr, ge\n\tcinc %w0, %w0, vs" : "=&r"(out), "=@ccmi"(flags) : "r"(x), "r"(y));
  return out * 2 + flags;
}

static uint32_t checks(uint32_t crc, uint64_t value) {
  __asm__(".arch_extension crc\n\tcrc32x %w0, %w0, %1\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(value));
  return crc;
}

/* Conditions, labels, data, calls of labels. */
static unsigned from_table(unsigned n) {
  unsigned out;
  __asm__("adr %x0, 1f\n\tldr %w0, [%x0, %w1, uxtw #2]\n\tb 2f\n\t.p2align 2\n1:\t.word 10, 0x20, 30\n\t.byte 40, 0, 0, 0\n2:"
          : "=&r"(out) : "r"(n & 3));
  return out;
}

static uint64_t literals(void) {
  uint64_t a, b;
  double c;
  __asm__("ldr %0, 1f\n\tldr %1, =0x123456789abcdef\n\tldr %d2, 1f + 8\n\tb 2f\n1:\t.xword 0x1122334455667788, 0x4004000000000000\n2:"
          : "=r"(a), "=r"(b), "=w"(c));
  return a + b + (uint64_t)(c * 1000);
}

static unsigned through_call(unsigned x) {
  __asm__("bl 1f\n\tb 2f\n1:\tadd %w0, %w0, #1\n\teor %w0, %w0, %w0, ror #7\n\tret\n2:" : "+r"(x) : : "x30", "cc");
  return x;
}

static uint64_t strings(const char *text) {
  uint64_t length;
  __asm__("mov %0, %1\n.Lnext%=:\tldrb w16, [%0], #1\n\tcbnz w16, .Lnext%=\n\tsub %0, %0, %1\n\tsub %0, %0, 1"
          : "=&r"(length) : "r"(text) : "x16", "cc", "memory");
  return length;
}

static unsigned clobbers(unsigned x) {
  unsigned out;
  __asm__ volatile("mov w20, %w1\n\tmov w5, #3\n\tmov w30, #7\n\tmul w8, w20, w5\n\tmadd %w0, w8, w30, w20\n\tfmov d8, x8\n\tmovi v20.4s, #1"
                   : "=r"(out) : "r"(x) : "x0", "x1", "x2", "x3", "x20", "x5", "x8", "x19", "x28", "lr", "v8", "v15", "v20");
  return out;
}

static uint64_t numbers(uint64_t x) {
  uint64_t out;
  __asm__("movz %0, %2, lsl 16\n\tmovk %0, #%c3\n\tadd %0, %0, %1\n\tadd %0, %0, %4\n\tsub %0, %0, #%n5\n\tand %1, %0, %6\n\teor %0, %0, %1\n\t"
          "mov %1, %7\n\teor %w1, %w1, %w8\n\tadd %0, %0, %1"
          : "=&r"(out), "+r"(x) : "i"(0x1234), "i"(0x4321), "I"(0xff0000), "i"(-100), "L"(0xff00ff00ff00ff00ul), "N"(0xffffffffffff1234ul), "rZ"(0));
  return out;
}

/* Numbers and integers in registers of vectors, and numbers in general ones. */
static double floats(float x, double y) {
  float a;
  double b, c;
  int whole;
  __asm__("fadd %s0, %s1, %s1" : "=w"(a) : "w"(x));
  __asm__("fmul %d0, %d1, %d2" : "=w"(b) : "w"(y), "w"(y));
  __asm__("fcvtzs %w0, %s1" : "=r"(whole) : "w"(a));
  __asm__("fmov %d0, #0.5\n\tfmadd %d0, %d1, %d2, %d0\n\tfabs %d0, %d0\n\tfsqrt %d0, %d0" : "=&w"(c) : "w"(b), "w"(y));
  return a + b + c + whole;
}

static uint64_t float_bits(float x, double y) {
  uint64_t a, b, c, d;
  __asm__("fmov %w0, %s1" : "=r"(a) : "w"(x));
  __asm__("fmov %0, %d1" : "=r"(b) : "w"(y));
  __asm__("eor %0, %1, %2" : "=r"(c) : "r"(y), "r"(a));
  __asm__("add %d0, %d1, %d2" : "=w"(d) : "w"(b), "w"(a));
  return a ^ b ^ c * 3 ^ d * 5;
}

static float in_general(float x) {
  float out;
  __asm__("eor %w0, %w1, #0x80000000" : "=r"(out) : "r"(x));
  return out;
}

static uint32_t count_ones(uint32_t x) {
  uint32_t out;
  __asm__("cnt %0.8b, %1.8b\n\taddv %b0, %0.8b" : "=w"(out) : "w"(x));
  return out;
}

static uint32_t float_order(double x, double y) {
  uint64_t flags;
  __asm__ volatile("fcmp %d1, %d2\n\tmrs %0, nzcv" : "=r"(flags) : "w"(x), "w"(y) : "cc");
  __asm__ volatile("fcmpe %d0, #0.0\n\tmsr nzcv, %1" : : "w"(x), "r"(flags) : "cc");
  return flags >> 28;
}

static void rounding(double x) {
  uint64_t old, mode;
  for (mode = 0; mode < 4; mode++) {
    int whole;
    double third;
    __asm__ volatile("mrs %0, fpcr" : "=r"(old));
    __asm__ volatile("msr fpcr, %0" : : "r"((old & ~(3ul << 22)) | mode << 22));
    __asm__ volatile("frinti d0, %d1\n\tfcvtzs %w0, d0" : "=r"(whole) : "w"(x) : "d0");
    __asm__ volatile("fdiv %d0, %d1, %d2" : "=w"(third) : "w"(x), "w"(3.0));
    __asm__ volatile("msr fpcr, %0" : : "r"(old));
    printf("%d %a\n", whole, third);
  }
}

static void copy(void *to, const void *from) {
  __asm__ volatile("prfm pldl1keep, [%1, #64]\n\tldp x2, x3, [%1], #16\n\tstp x2, x3, [%0], #16\n\tldr q0, [%1]\n\tstr q0, [%0]"
                   : "+r"(to), "+r"(from) : : "x2", "x3", "v0", "memory");
}

struct pair { int a, b; };

static int memory(struct pair *p) {
  int out;
  __asm__("ldr %w0, %1\n\tldr w16, %2\n\tadd %w0, %w0, w16, lsl #2\n\tstr %w0, %2" : "=&r"(out) : "m"(p->a), "m"(p->b)
          : "x16", "memory");
  return out;
}

static int store_only(int x) {
  int place, pair[2] __attribute__((aligned(8)));
  __asm__("str %w1, %0" : "=m"(place) : "rZ"(x));
  __asm__("stp %w1, wzr, %0" : "=Q"(pair) : "r"(x) : "memory");
  return place + pair[0] * 3 + pair[1];
}

static void vectors(uint8_t *to, const uint8_t *from) {
  bytes16 a = *(const bytes16 *)from, b;
  __asm__("add %0.16b, %1.16b, %1.16b\n\trev64 %0.16b, %0.16b\n\tushr %0.16b, %0.16b, #2" : "=&w"(b) : "w"(a));
  *(bytes16 *)to = b;
  __asm__ volatile("ld1 {v0.16b}, [%1]\n\tld1 {v1.16b}, [%0]\n\tuqadd v0.16b, v0.16b, v1.16b\n\text v0.16b, v0.16b, v1.16b, #5\n\t"
                   "trn1 v0.8h, v0.8h, v1.8h\n\tst1 {v0.16b}, [%0]"
                   : : "r"(to), "r"(from) : "v0", "v1", "memory");
}

static float products_of_lanes(floats4 x, floats4 y) {
  floats4 out = y;
  __asm__("fmla %0.4s, %1.4s, %2.s[3]\n\tfmul %0.4s, %0.4s, %2.4s\n\tfaddp %0.4s, %0.4s, %0.4s" : "+&w"(out) : "w"(x), "x"(y));
  return out[0] + out[1];
}

static void registers(long a, long b, long c, long d, long e, long f, long g) {
  long h, i, j;
  __asm__ volatile("add %0, %3, %4\n\tsub %1, %5, %6\n\teor %2, %7, %8\n\tadd %0, %0, %9, asr #3"
                   : "=&r"(h), "=&r"(i), "=&r"(j)
                   : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(g));
  printf("%lx %lx %lx %lx\n", h, i, j, a + b + c + d + e + f + g);
}

/* Symbols, by name and as operands; data in other sections. */
noinline used int twice(void) { return 21 * 2; }
int variable = 5;
static used int table[4] = {10, 20, 30, 40};

#define DESTROYED "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", \
  "x17", "x30", "memory", "cc"
noinline static int by_name(void) { register int r __asm__("w0"); __asm__ volatile("bl twice" : "=r"(r) : : DESTROYED); return r; }
noinline static int by_operand(void) { register int r __asm__("w0"); __asm__ volatile("bl %1" : "=r"(r) : "S"(twice) : DESTROYED); return r; }
noinline static int by_address(void) {
  int r;
  long at;
  __asm__("adrp %1, table\n\tadd %1, %1, :lo12:table\n\tldr %w0, [%1, #8]\n\tadrp %1, variable\n\tldr %w1, [%1, :lo12:variable]\n\tadd %w0, %w0, %w1"
          : "=&r"(r), "=&r"(at));
  return r;
}
noinline static int by_table(void) {
  int r;
  __asm__("adrp %x0, :got:variable\n\tldr %x0, [%x0, :got_lo12:variable]\n\tldr %w0, [%x0]" : "=r"(r));
  return r;
}
noinline static const char *text(void) {
  const char *r;
  __asm__(".pushsection .rodata.str1.1, \"aMS\", %%progbits, 1\n771: .asciz \"a text; // not a comment\"\n.popsection\n\t"
          "adrp %0, 771b\n\tadd %0, %0, :lo12:771b" : "=r"(r));
  return r;
}

/* A table of places in the code and of variables, as exception tables of kernels are. */
noinline static int entry(int x) {
  __asm__ volatile("1: nop\n2: nop\n3:\n\t.pushsection ice_places, \"a\"\n\t.balign 4\n\t.long 1b - ., 3b - 1b\n\t.long variable - .\n\t"
                   ".xword 2b - 1b\n\t.popsection");
  return x + 1;
}
extern const int __start_ice_places[];

/* Jumps: tests of bits, static keys, outputs on every edge. */
noinline static int bit(unsigned long x) {
  __asm__ goto("tbnz %0, #5, %l[yes]" : : "r"(x) : : yes);
  return 10;
yes:
  return 20;
}
noinline static int key(int x) {
  __asm__ goto("1: nop\n\t.pushsection ice_jumps, \"aw\"\n\t.balign 8\n\t.long 1b - ., %l[yes] - .\n\t.xword variable - .\n\t.popsection"
               : : : : yes);
  return x;
yes:
  return x * 3;
}
noinline static int many(int x) {
  __asm__ goto("cmp %w0, #1\n\tb.eq %l1\n\tcmp %w0, #2\n\tb.eq %l2\n\tsub x16, %x0, #3\n\tcbz w16, %l3" : : "r"(x) : "cc", "x16" : a, b, c);
  return 0;
a:
  return 11;
b:
  return 22;
c:
  return 33;
}
noinline static int out(int x, int y) {
  int a, b;
  __asm__ goto("adds %w0, %w2, %w3\n\tadd %w1, %w0, #1\n\tb.mi %l[neg]\n\tb.eq %l[zero]" : "=&r"(a), "=&r"(b) : "r"(x), "r"(y) : "cc" : neg, zero);
  return a * 2 + b;
neg:
  return -a + b;
zero:
  return 1000 + b;
}
noinline static int loop(int n) {
  int s = 0;
again:
  s += n;
  __asm__ goto("ldr w16, %0\n\tsubs w16, w16, #1\n\tstr w16, %0\n\tb.ne %l[again]" : "+m"(n) : : "cc", "x16", "memory" : again);
  return s;
}

noinline static double quotient(double a, double b) { return a / b; }

/* Read and set by the compiler's builtins. */
static void directions(void) {
  volatile double one = 1, three = 3;
  for (int i = 0; i < 8; i++) {
    __builtin_set_flt_rounds(i & 3);
    int found = __builtin_flt_rounds();
    double up = quotient(one, three), down = quotient(-one, three);
    __builtin_set_flt_rounds(1);
    printf("%d %d: %a %a\n", i, found, up, down);
  }
}

/* Beside functions. */
__asm__(".text\n\t.globl of_text\n\t.type of_text, %function\n\t.p2align 2\nof_text:\n\tstp x29, x30, [sp, #-16]!\n\tmov x29, sp\n\t"
        "str w0, [sp, #-16]!\n\tbl twice\n\tldr w1, [sp], #16\n\tadd w0, w0, w1\n\tadrp x1, of_data\n\tldr w1, [x1, :lo12:of_data]\n\t"
        "cbz w1, 1f\n\tadd w0, w0, w1, lsl #1\n1:\tldp x29, x30, [sp], #16\n\tret\n\t.size of_text, . - of_text\n\t"
        ".data\n\t.p2align 2\nof_data: .word 500\n\t.xword of_text\n\t.text");
int of_text(int);

int main(void) {
  int place = 5;
  printf("%d\n", call(172, 0, 0, 0) > 0);
  printf("%d\n", (int)call(64, 1, (long)"", 0));
  printf("%d\n", (int)((char *)&of_thread - (char *)thread()) > 0);
  for (int i = 0; i < 20; i++) {
    uint32_t a = next(), b = next();
    uint64_t words[4] = {next_long(), next_long(), ~0ul, next_long()}, others[4] = {~0ul, next_long(), next_long(), ~0ul};
    uint64_t p = next_long(), q = next_long(), held[2] __attribute__((aligned(16))) = {p, q}, low = q, high = p;
    int old = add_to(&place, a);
    printf("%x %x %x\n", old, place, exchange_if(&place, i % 2 ? place : 1, b));
    uint64_t carry = sum(&low, &high, p, q);
    printf("%x %lx %lx %lx\n", place, carry, low, high);
    swap_pair(held, &low, &high);
    printf("%lx %lx %lx %lx\n", held[0], held[1], low, high);
    uint64_t old_atomic = atomics(&held[1], p);
    printf("%lx %lx\n", old_atomic, held[1]);
    unsigned char byte = a;
    printf("%x", exchange_byte(&byte, b));
    printf(" %x\n", byte);
    uint64_t over = add_words(words, others, 4);
    printf("%lx %lx %lx %lx\n", over, words[0], words[2], words[3]);
    printf("%lx %lx %x\n", products(p, q, a), bits(p, q), checks(a, q));
    printf("%d %d %d\n", compared(a, b), compared(5, 5), compared(1 << 31, a & 7));
    printf("%u %x %lx\n", from_table(a), through_call(a), literals());
    printf("%x %lx\n", clobbers(a), numbers(p));
    float x = (float)(int)a / 65536;
    double y = (double)(int)b / 1024;
    printf("%a %lx %a %u\n", floats(x, y), float_bits(x, y), in_general(x), count_ones(a));
    printf("%x %x %x\n", float_order(x, y), float_order(y, x), float_order(x, x));
    rounding(y);
    uint8_t bytes[32] __attribute__((aligned(8))), others2[32] __attribute__((aligned(8)));
    for (int k = 0; k < 32; k++) bytes[k] = next();
    for (int k = 0; k < 32; k++) others2[k] = 0;
    copy(others2, bytes);
    printf("%d\n", memcmp(bytes, others2, 32));
    vectors(others2, bytes);
    for (int k = 0; k < 16; k++) printf("%02x", others2[k]);
    floats4 f = {x, 1, 2, 3}, g = {0.5f, x, -1, 1.25f};
    printf("\n%a", products_of_lanes(f, g));
    struct pair pair = {a & 0xffff, b & 0xffff};
    printf(" %x", memory(&pair));
    printf(" %x %x\n", pair.b, store_only(a));
    registers(a, b, next(), next(), next(), next(), next());
    printf("%d %d %d\n", bit(a), many(a & 3), out((int)a, i % 3 ? (int)b : -(int)a));
  }
  printf("%d %d %d %d %s\n", by_name(), by_operand(), by_address(), by_table(), text());
  printf("%d %d %d\n", entry(5), __start_ice_places[1], (int)((char *)&variable - (char *)&__start_ice_places[2]) == __start_ice_places[2]);
  printf("%d %d %d\n", key(7), loop(9), of_text(3));
  directions();
  printf("%lu\n", strings("How long is this?"));
  __asm__ volatile("nop; yield; sev\n\twfe // a comment" : : : "memory");
  __asm__ volatile("isb; dsb sy; dmb ishst\n\thint #0" ::: "memory");
  return 0;
}
