/* Inline assembly of ARM as programs have it: system calls, exclusive accesses, long arithmetic, signal processing, status
   registers, numbers of VFP in all kinds of registers, vectors, labels, data. */
#include <stdint.h>

typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1)));

int printf(const char *, ...);
int memcmp(const void *, const void *, unsigned);

static uint32_t state = 12345;
static __thread int of_thread;

static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static uint64_t next_long(void) { return (uint64_t)next() << 32 | next(); }

/* A system call: the number in r7, arguments in r0 to r2. */
static long call(long number, long a, long b, long c) {
  register long r7 __asm__("r7") = number;
  register long r0 __asm__("r0") = a;
  register long r1 __asm__("r1") = b;
  register long r2 __asm__("r2") = c;
  __asm__ volatile("svc 0" : "=r"(r0) : "r"(r7), "0"(r0), "r"(r1), "r"(r2) : "memory");
  return r0;
}

/* The same by a copy of r7, as code has it where r7 points to the frame. */
static long call_saved(long number, long a) {
  register long r0 __asm__("r0") = a;
  __asm__ volatile("mov ip, r7\n\tmov r7, %1\n\tswi 0x0\n\tmov r7, ip"
                   : "+r"(r0) : "r"(number) : "ip", "memory");
  return r0;
}

static int add_to(volatile int *place, int value) {
  int old, new, failed;
  __asm__ volatile("dmb ish\n"
                   "1:\tldrex %0, [%4]\n"
                   "\tadd %1, %0, %5\n"
                   "\tstrex %2, %1, [%4]\n"
                   "\tteq %2, #0\n"
                   "\tbne 1b\n"
                   "\tdmb"
                   : "=&r"(old), "=&r"(new), "=&r"(failed), "+Qo"(*place)
                   : "r"(place), "Ir"(value)
                   : "cc", "memory");
  return old;
}

static int exchange_if(int *place, int old, int new) {
  int found, failed;
  do {
    __asm__ volatile("ldrex %1, [%2]\n\tmov %0, #0\n\tteq %1, %3\n\tit eq\n\tstrexeq %0, %4, [%2]"
                     : "=&r"(failed), "=&r"(found)
                     : "r"(place), "Ir"(old), "r"(new)
                     : "cc", "memory");
  } while (failed);
  return found;
}

static uint64_t swap_long(uint64_t *place, uint64_t value) {
  uint64_t old;
  int failed;
  __asm__ volatile("1: ldrexd %0, %H0, [%3]\n strexd %1, %4, %H4, [%3]\n cmp %1, #0\n bne 1b"
                   : "=&r"(old), "=&r"(failed), "+Qo"(*place) : "r"(place), "r"(value) : "cc");
  return old;
}

static unsigned char exchange_byte(unsigned char *place, unsigned char value) {
  unsigned char old;
  int failed;
  do
    __asm__ volatile("ldrexb %0, [%2]; strexb %1, %3, [%2]"
                     : "=&r"(old), "=&r"(failed) : "r"(place), "r"(value) : "memory");
  while (failed);
  __asm__ volatile("clrex" : : : "memory");
  return old;
}

static void *thread(void) {
  void *self;
  __asm__ volatile("mrc p15, 0, %0, c13, c0, 3" : "=r"(self));
  return self;
}

/* Numbers of many words. */
static uint64_t sum(uint64_t a, uint64_t b) {
  uint64_t out;
  __asm__("adds %Q0, %Q1, %Q2\n\tadc %R0, %R1, %R2" : "=&r"(out) : "r"(a), "r"(b) : "cc");
  return out;
}

static uint32_t add_words(uint32_t *to, const uint32_t *from, int count) {
  uint32_t carry = 0, a, b;
  __asm__ volatile("1:\tldr %0, [%3]\n\tldr %1, [%4], #4\n\tlsrs %2, %2, #1\n\tadcs %0, %0, %1\n"
                   "\tstr %0, [%3], #4\n\tadc %2, %2, %2\n\tsub %5, %5, #1\n\tteq %5, #0\n\tbne 1b"
                   : "=&r"(a), "=&r"(b), "+&r"(carry), "+&r"(to), "+&r"(from), "+&r"(count)
                   :
                   : "cc", "memory");
  return carry;
}

static uint32_t multiply(uint32_t *number, int length, uint32_t factor) {
  uint32_t carry = 0;
  for (int i = 0; i < length; i++) {
    uint32_t low = 0, high = carry;
    __asm__("umaal %0, %1, %2, %3" : "+r"(low), "+r"(high) : "r"(number[i]), "r"(factor));
    number[i] = low;
    carry = high;
  }
  return carry;
}

static uint64_t square(uint32_t value) {
  uint32_t low, high;
  __asm__("umull %0, %1, %2, %2" : "=&r"(low), "=&r"(high) : "r"(value));
  return (uint64_t)high << 32 | low;
}

static int64_t add_product(int64_t sum, int a, int b) {
  __asm__("smlal %Q0, %R0, %1, %2" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

/* Bits, bytes, saturation, pairs of halves. */
static uint32_t bits(uint32_t x, uint32_t y) {
  uint32_t a, b, c, d, e, f;
  __asm__("rev %0, %6\n\trev16 %1, %7\n\trevsh %2, %6\n\trbit %3, %7\n\tclz %4, %6\n\tubfx %5, %7, #5, #9\n\t"
          "bfi %5, %6, #12, #%c8"
          : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&r"(e), "=&r"(f) : "r"(x), "r"(y), "i"(7));
  return a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 11 ^ f * 13;
}

static uint32_t signals(uint32_t x, uint32_t y) {
  uint32_t a, b, c, d, e, f, g, h;
  __asm__("uqadd8 %0, %1, %2" : "=r"(a) : "r"(x), "r"(y));
  __asm__("sadd8 %0, %2, %3\n\tsel %1, %2, %3" : "=&r"(b), "=&r"(c) : "r"(x), "r"(y) : "cc");
  __asm__("smlabb %0, %1, %2, %3" : "=r"(d) : "r"(x), "r"(y), "r"(a));
  __asm__("smulwt %0, %1, %2" : "=r"(e) : "r"(x), "r"(y));
  __asm__("ssat %0, #8, %1, asr #16" : "=r"(f) : "r"(x));
  __asm__("usat %0, %2, %1" : "=r"(g) : "r"(y), "I"(15));
  __asm__("pkhbt %0, %1, %2, lsl #16\n\tuxtab16 %0, %0, %2, ror #8" : "=&r"(h) : "r"(x), "r"(y));
  return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19;
}

static int saturated(int x, int y, int *is_saturated) {
  int out, flags;
  __asm__ volatile("msr apsr_nzcvq, %4\n\tqdadd %0, %2, %3\n\tmrs %1, apsr"
                   : "=&r"(out), "=r"(flags) : "r"(x), "r"(y), "r"(0) : "cc");
  *is_saturated = flags >> 27 & 1;
  return out;
}

/* Conditions, labels, data, calls of labels. */
static int compared(int x, int y) {
  int out;
  __asm__("cmp %1, %2\n\tmov %0, #0\n\tmovgt %0, #1\n\tmvnlt %0, #0\n\taddvs %0, %0, #16" : "=&r"(out)
          : "r"(x), "r"(y) : "cc");
  return out;
}

static unsigned from_table(unsigned n) {
  unsigned out;
  __asm__("adr %0, 1f\n\tldr %0, [%0, %1, lsl #2]\n\tb 2f\n\t.align 2\n1:\t.word 10, 0x20, 30\n\t.byte 40, 0, 0, 0\n2:"
          : "=&r"(out) : "r"(n & 3));
  return out;
}

static unsigned through_call(unsigned x) {
  __asm__("bl 1f\n\tb 2f\n1:\tadd %0, %0, #1\n\teor %0, %0, %0, ror #7\n\tbx lr\n2:" : "+r"(x) : : "lr", "cc");
  return x;
}

static unsigned through_stack(unsigned x, unsigned y) {
  __asm__ volatile("push {%1}\n\tpush {%0}\n\tldr %0, [sp, #4]\n\tstr %1, [sp, #4]!\n\tldr %1, [sp], #4\n\tadd %0, %1, lsl #3"
                   : "+r"(x), "+r"(y) : : "memory");
  return x * 31 + y;
}

static unsigned strings(const char *text) {
  unsigned length;
  __asm__("mov %0, %1\n.Lnext%=:\tldrb ip, [%0], #1\n\tcmp ip, #0\n\tbne .Lnext%=\n\tsub %0, %0, %1\n\tsub %0, #1"
          : "=&r"(length) : "r"(text) : "ip", "cc", "memory");
  return length;
}

static unsigned clobbers(unsigned x) {
  unsigned out;
  __asm__ volatile("mov r4, %1\n\tmov r5, #3\n\tmov lr, #7\n\tmul r8, r4, r5\n\tmla %0, r8, lr, r4"
                   : "=r"(out) : "r"(x) : "r0", "r1", "r2", "r3", "r4", "r5", "r8", "r9", "lr");
  return out;
}

static unsigned numbers(unsigned x) {
  unsigned out;
  __asm__("movw %0, %2\n\tmovt %0, #%c3\n\tadd %0, %0, %1\n\tadd %0, %0, %4\n\tsub %0, %0, #%n5\n\tldr ip, =0x12345678\n"
          "\teor %0, %0, ip"
          : "=&r"(out) : "r"(x), "j"(0x1234), "i"(0x4321), "I"(0xff0000), "i"(-100) : "ip");
  return out;
}

/* Numbers of VFP, and integers in their registers. */
static double floats(float x, double y) {
  float a;
  double b, c;
  int whole;
  __asm__("vadd.f32 %0, %1, %1" : "=t"(a) : "t"(x));
  __asm__("vmul.f64 %P0, %P1, %P2" : "=w"(b) : "w"(y), "w"(y));
  __asm__("vcvt.s32.f32 %0, %1" : "=t"(whole) : "t"(a));
  __asm__("vmov.f64 %P0, #0.5\n\tvmla.f64 %P0, %P1, %P2\n\tvabs.f64 %P0, %P0\n\tvsqrt.f64 %P0, %P0"
          : "=&w"(c) : "w"(b), "w"(y));
  return a + b + c + whole;
}

static uint32_t float_bits(float x, double y) {
  uint32_t a, b;
  uint64_t c;
  __asm__("vmov %0, %1" : "=r"(a) : "t"(x));
  __asm__("vmov %Q0, %R0, %P1" : "=r"(c) : "w"(y));
  __asm__("eor %0, %1, %2" : "=r"(b) : "r"(x), "r"((float)y));
  return a ^ (uint32_t)c ^ (uint32_t)(c >> 32) * 3 ^ b;
}

static float in_core(float x) {
  float out;
  __asm__("eor %0, %1, #0x80000000" : "=r"(out) : "r"(x));
  return out;
}

static double in_pair(double x) {
  double out;
  __asm__("mov %Q0, %Q1\n\torr %R0, %R1, #0x80000000" : "=&r"(out) : "r"(x));
  return out;
}

static uint32_t float_order(double x, double y) {
  uint32_t flags;
  __asm__ volatile("vcmp.f64 %P1, %P2\n\tvmrs %0, fpscr" : "=r"(flags) : "w"(x), "w"(y) : "cc");
  __asm__ volatile("vcmpe.f64 %P0, #0\n\tvmrs APSR_nzcv, fpscr" : : "w"(x) : "cc");
  return flags >> 28;
}

static void rounding(double x) {
  uint32_t old, mode;
  for (mode = 0; mode < 4; mode++) {
    int whole;
    double third;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(old));
    __asm__ volatile("vmsr fpscr, %0" : : "r"((old & ~(3u << 22)) | mode << 22));
    __asm__ volatile("vcvtr.s32.f64 s0, %P1\n\tvmov %0, s0" : "=r"(whole) : "w"(x) : "s0");
    __asm__ volatile("vdiv.f64 %P0, %P1, %P2" : "=w"(third) : "w"(x), "w"(3.0));
    __asm__ volatile("vmsr fpscr, %0" : : "r"(old));
    printf("%d %a\n", whole, third);
  }
}

static void copy(void *to, const void *from) {
  __asm__ volatile("pld [%1, #64]\n\tldmia %1!, {r2-r5}\n\tstmia %0!, {r2-r5}\n\tvldmia %1, {d0-d1}\n\tvstr d0, [%0]\n\t"
                   "vstr d1, [%0, #8]"
                   : "+r"(to), "+r"(from) : : "r2", "r3", "r4", "r5", "d0", "d1", "memory");
}

struct pair { int a, b; };

static int memory(struct pair *p) {
  int out;
  __asm__("ldr %0, %1\n\tldr ip, %2\n\tadd %0, %0, ip, lsl #2\n\tstr %0, %2" : "=&r"(out) : "m"(p->a), "m"(p->b)
          : "ip", "memory");
  return out;
}

static int store_only(int x) {
  int place, pair[2] __attribute__((aligned(8)));
  __asm__("str %1, %0" : "=m"(place) : "r"(x));
  __asm__("strd %1, %H1, [%m0]" : "=m"(pair) : "r"((uint64_t)x << 32 | 5) : "memory");
  return place + pair[0] * 3 + pair[1];
}

static void vectors(uint8_t *to, const uint8_t *from) {
  bytes16 a = *(const bytes16 *)from, b;
  __asm__("vadd.i8 %q0, %q1, %q1\n\tvrev64.8 %q0, %q0\n\tvshr.u8 %e0, %f0, #2" : "=&w"(b) : "w"(a));
  *(bytes16 *)to = b;
  __asm__ volatile("vld1.8 {d0-d1}, [%1]\n\tvld1.8 {q1}, [%0]\n\tvqadd.u8 q0, q0, q1\n\tvext.8 q0, q0, q1, #5\n\t"
                   "vtrn.16 d0, d1\n\tvst1.8 {q0}, [%0]"
                   : : "r"(to), "r"(from) : "q0", "q1", "memory");
}

static void registers(int a, int b, int c, int d, int e, int f, int g) {
  int h, i, j;
  __asm__ volatile("add %0, %3, %4\n\tsub %1, %5, %6\n\teor %2, %7, %8\n\tadd %0, %0, %9"
                   : "=&r"(h), "=&r"(i), "=&r"(j)
                   : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(g));
  printf("%x %x %x %x\n", h, i, j, a + b + c + d + e + f + g);
}

/* Jumps out of functions: registers have lost their values behind one, memory has not. */
static void *buffer[5];

__attribute__((noinline)) static void jump_out(int depth) {
  if (depth) jump_out(depth - 1);
  __builtin_longjmp(buffer, 1);
}

__attribute__((noinline)) static unsigned jumps(int count, unsigned start, double factor) {
  volatile int passed = 0;
  unsigned kept[3] = {start, start ^ 0x55, ~start};
  double scaled = factor * count;
  if (__builtin_setjmp(buffer)) {
    passed++;
    kept[passed % 3] += (unsigned)(scaled * passed);
  }
  if (passed < count) jump_out(passed);
  return kept[0] + kept[1] * 3 + kept[2] * 7 + start + count + (unsigned)factor;
}

__attribute__((noinline)) static double quotient(double a, double b) { return a / b; }

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

int main(void) {
  int place = 5;
  printf("%d\n", call(20, 0, 0, 0) == call_saved(20, 0) && call(20, 0, 0, 0) > 0);
  printf("%d\n", (int)call(4, 1, (long)"", 0));
  printf("%d\n", (int)((char *)&of_thread - (char *)thread()));
  for (int i = 0; i < 20; i++) {
    uint32_t a = next(), b = next(), words[4] = {next(), next(), ~0u, next()}, others[4] = {~0u, next(), next(), ~0u};
    uint64_t p = next_long(), q = next_long();
    int old = add_to(&place, a), is_saturated;
    printf("%x %x %x\n", old, place, exchange_if(&place, i % 2 ? place : 1, b));
    printf("%x %llx\n", place, (unsigned long long)sum(p, q));
    uint64_t held = p;
    printf("%llx", (unsigned long long)swap_long(&held, q));
    printf(" %llx\n", (unsigned long long)held);
    unsigned char byte = a;
    printf("%x", exchange_byte(&byte, b));
    printf(" %x\n", byte);
    printf("%x %x %x %x\n", add_words(words, others, 4), words[0], words[2], words[3]);
    printf("%x %x %x\n", multiply(words, 4, a), words[1], words[3]);
    printf("%llx %llx\n", (unsigned long long)square(a), (unsigned long long)add_product(p, a, b));
    printf("%x %x\n", bits(a, b), signals(a, b));
    printf("%x", saturated(a, b, &is_saturated));
    printf(" %d\n", is_saturated);
    printf("%d %d %d\n", compared(a, b), compared(5, 5), compared(1 << 31, a & 7));
    printf("%u %x %x\n", from_table(a), through_call(a), through_stack(a, b));
    printf("%x %x\n", clobbers(a), numbers(b));
    float x = (float)(int)a / 65536;
    double y = (double)(int)b / 1024;
    printf("%a %x %a %a\n", floats(x, y), float_bits(x, y), in_core(x), in_pair(y));
    printf("%x %x %x\n", float_order(x, y), float_order(y, x), float_order(x, x));
    rounding(y);
    uint8_t bytes[32] __attribute__((aligned(8))), others2[32] __attribute__((aligned(8)));
    for (int k = 0; k < 32; k++) bytes[k] = next();
    for (int k = 0; k < 32; k++) others2[k] = 0;
    copy(others2, bytes);
    printf("%d\n", memcmp(bytes, others2, 32));
    vectors(others2, bytes);
    for (int k = 0; k < 16; k++) printf("%02x", others2[k]);
    struct pair pair = {a & 0xffff, b & 0xffff};
    printf("\n%x", memory(&pair));
    printf(" %x %x\n", pair.b, store_only(a));
    registers(a, b, next(), next(), next(), next(), next());
  }
  printf("%x %x\n", jumps(7, 12345, 2.5), jumps(1, 99, 1e3));
  directions();
  printf("%u\n", strings("How long is this?"));
  __asm__ volatile("nop; yield; sev\n\twfe" : : : "memory");
  __asm__ volatile("isb; dsb sy; dmb ishst" ::: "memory");
  return 0;
}
