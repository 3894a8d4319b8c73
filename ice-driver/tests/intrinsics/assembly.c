/* Inline assembly as programs have it: registers that constraints name, tied and early operands, memory, numbers, flags,
   loops with labels, string operations, vectors, floating-point environment. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long word;

static uint32_t state = 12345;

static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static word next_word(void) { return (word)((uint64_t)next() << 32 | next()); }

/* Results in four named registers, two of them inputs too. */
static void cpuid(unsigned leaf, unsigned out[4]) {
  __asm__ volatile("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(0));
}

static int counts_up(void) {
  uint32_t low, high, again, rest;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  __asm__ volatile("rdtsc" : "=a"(again), "=d"(rest));
  return ((uint64_t)rest << 32 | again) > ((uint64_t)high << 32 | low);
}

static int add_to(int *place, int value) {
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*place) : : "memory", "cc");
  return value;
}

static int exchange_if(int *place, int old, int new) {
  unsigned char is_done;
  __asm__ volatile("lock cmpxchgl %3, %1" : "=@ccz"(is_done), "+m"(*place), "+a"(old) : "r"(new) : "memory");
  return is_done;
}

static unsigned reversed(unsigned value) {
  __asm__("bswap %0" : "+r"(value));
  return value;
}

static unsigned rotated(unsigned value, unsigned char count) {
  __asm__("roll %1, %0" : "+r"(value) : "c"(count) : "cc");
  return value;
}

static unsigned short swapped(unsigned short value) {
  __asm__("xchgb %b0, %h0" : "+Q"(value));
  return value;
}

static unsigned char byte(unsigned char value) {
  __asm__("rorb $3, %0\n\txorb %1, %0" : "+q"(value) : "qi"((unsigned char)0x55) : "cc");
  return value;
}

static int lowest(unsigned value) {
  int place;
  __asm__("bsfl %1, %0\n\tjnz 1f\n\tmovl $-1, %0\n1:" : "=&r"(place) : "rm"(value) : "cc");
  return place;
}

/* A long number times a word, in the way of libraries for such numbers. */
static word multiply(word *number, int length, word factor) {
  word carry = 0;
  for (int i = 0; i < length; i++) {
    word low, high;
    __asm__("mul %3" : "=a"(low), "=d"(high) : "0"(number[i]), "r"(factor) : "cc");
    __asm__("add %2, %0; adc $0, %1" : "+r"(low), "+r"(high) : "g"(carry) : "cc");
    number[i] = low;
    carry = high;
  }
  return carry;
}

static void add(word *sum, const word *other) {
  __asm__("add %3, %0\n\tadc %4, %1\n\tadc %5, %2"
          : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2])
          : "rm"(other[0]), "rm"(other[1]), "rm"(other[2])
          : "cc");
}

static unsigned divide(unsigned high, unsigned low, unsigned divisor, unsigned *rest) {
  unsigned quotient;
  __asm__("divl %4" : "=a"(quotient), "=d"(*rest) : "0"(low), "1"(high), "rm"(divisor) : "cc");
  return quotient;
}

static void copy(void *to, const void *from, word count) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static word length(const char *text) {
  word left = -1ul;
  __asm__("repne scasb" : "+D"(text), "+c"(left) : "a"(0) : "memory", "cc");
  return -left - 2;
}

static word sum_to(word last) {
  word sum = 0;
  __asm__("1:\n\tadd %1, %0\n\tdec %1\n\tjnz 1b" : "+&r"(sum), "+r"(last) : : "cc");
  return sum;
}

static double root(double value) {
  double result;
  __asm__("sqrtsd %1, %0" : "=x"(result) : "xm"(value));
  return result;
}

static float minimum(float a, float b) {
  __asm__("minss %1, %0" : "+x"(a) : "x"(b));
  return a;
}

static int conditions(int a, int b) {
  int less, below, equal, parity;
  __asm__("cmpl %5, %4" : "=@ccl"(less), "=@ccb"(below), "=@cce"(equal), "=@ccnp"(parity) : "r"(a), "r"(b));
  return less | below << 1 | equal << 2 | parity << 3;
}

/* The middle of a function with values all around. */
static word crowded(word a, word b, word c, double x) {
  word d = a * b, e = b ^ c, f = a + c, g = c - a;
  double y = x * 3, z = x - y;
  __asm__ volatile("" : "+r"(d), "+r"(e));
  __asm__ volatile("xor %0, %1\n\tlea 3(%0,%1), %0"
                   : "+&r"(f), "+&r"(g)
                   :
                   : "eax", "ecx", "edx", "cc", "memory", "xmm0", "xmm1", "xmm7");
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ (word)(int)(y + z + x);
}

/* The second statement uses what the first one made, in a loop. */
static unsigned check_sum(const unsigned *list, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) {
    __asm__("addl %1, %0\n\tadcl $0, %0" : "+r"(sum) : "g"(list[i]) : "cc");
    __asm__("roll $1, %0" : "+r"(sum) : : "cc");
  }
  return sum;
}

/* The register stack of the x87: results and inputs that the text leaves there, takes away, or turns into results. */
static long double remainder_of(long double x, long double y) {
  unsigned short status;
  do __asm__("fprem; fnstsw %%ax" : "+t"(x), "=a"(status) : "u"(y));
  while (status & 0x400);
  return x;
}

static double root_and_status(double x, unsigned short *status) {
  __asm__("fsqrt; fnstsw %1" : "+t"(x), "=a"(*status));
  return x;
}

static long long rounded(float x) {
  long long result;
  __asm__("fistpll %0" : "=m"(result) : "t"(x) : "st");
  return result;
}

static long double logarithm(long double x, long double factor) {
  __asm__("fyl2x" : "+t"(x) : "u"(factor) : "st(1)");
  return x;
}

static float sine(double x, float *cosine) {
  float sine;
  __asm__("fsincos" : "=t"(*cosine), "=u"(sine) : "0"(x));
  return sine;
}

static long double squares(double x, float y) {
  long double sum;
  __asm__("fld %1\n\tfmul %%st, %%st\n\tfld %%st(2)\n\tfmul %%st(3), %%st\n\tfaddp\n\tfsub %%st(1), %%st\n\tfstp %%st(1)"
          : "=&t"(sum)
          : "0"((long double)x), "u"(y));
  return sum;
}

static int is_below(double x, double y) {
  unsigned char below;
  __asm__("fucomi %2, %1" : "=@ccb"(below) : "t"(x), "u"(y));
  return below;
}

static void stack(void) {
  unsigned short status = 0;
  for (int i = -3; i < 6; i++) {
    float cosine;
    float of_sine = sine(i * 0.75, &cosine);
    printf("%La %a %lld", remainder_of(i * 1e9L, 7.25L), root_and_status(i * i + 0.5, &status), rounded(i * 1.5f));
    printf(" %La %a %a %d", logarithm(i + 3.5L, 0.693147180559945309417L), of_sine, cosine, is_below(i, 2));
    printf(" %La\n", squares(i, 0.5f));
  }
}

/* Jumps out of functions: registers have lost their values behind one, memory has not. */
static void *buffer[5];

__attribute__((noinline)) static void jump_out(int depth) {
  if (depth) jump_out(depth - 1);
  __builtin_longjmp(buffer, 1);
}

__attribute__((noinline)) static word jumps(int count, word start, double factor) {
  volatile int passed = 0;
  word kept[3] = {start, start ^ 0x55, ~start};
  double scaled = factor * count;
  if (__builtin_setjmp(buffer)) {
    passed++;
    kept[passed % 3] += (word)(scaled * passed);
  }
  if (passed < count) jump_out(passed);
  return kept[0] + kept[1] * 3 + kept[2] * 7 + start + count + (word)factor;
}

// Operands that are in registers or in memory, as the compiler likes, and are read and written.
static word either(word a, word b, word *place) {
  __asm__("add %2, %0\n\tsub %2, %1" : "+rm"(a), "+g"(*place) : "r"(b) : "cc");
  unsigned count = (unsigned)b;
  __asm__("rorl $5, %1" : "=mr"(count) : "0"(count) : "cc");
  return a + *place * 3 + count;
}

// The bits of a float in a general register; words behind a place in memory.
static unsigned bits_of(float a, const unsigned *words) {
  float b;
  unsigned bits, second;
  __asm__("movl %2, %0\n\tleal 3(%2), %1" : "=&r"(bits), "=r"(b) : "r"(a));
  __asm__("movl 4+%1, %0" : "=r"(second) : "o"(*words));
  unsigned more;
  memcpy(&more, &b, 4);
#ifdef __x86_64__
  double wide = a;
  unsigned long exponent;
  __asm__("movq %1, %0\n\tshrq $50, %0" : "=r"(exponent) : "r"(wide) : "cc");
  __asm__("btcq $62, %0" : "+r"(wide) : : "cc");
  more += (unsigned)exponent + (wide > 2);
#endif
  return bits * 3 + more + second;
}

int main(void) {
  unsigned leaf[4];
  cpuid(0, leaf);
  char vendor[13] = {0};
  memcpy(vendor, &leaf[1], 4);
  memcpy(vendor + 4, &leaf[3], 4);
  memcpy(vendor + 8, &leaf[2], 4);
  printf("%d %d\n", (int)strlen(vendor), counts_up());

  int place = 5;
  int before = add_to(&place, 7);
  printf("%d %d", before, place);
  before = exchange_if(&place, 12, 3);
  printf(" %d %d", before, place);
  before = exchange_if(&place, 12, 4);
  printf(" %d %d\n", before, place);

  unsigned list[16];
  for (int i = 0; i < 40; i++) {
    unsigned value = i ? next() >> i % 32 : 0;
    list[i % 16] = value;
    printf("%x %x %x %x %d", reversed(value), rotated(value, (unsigned char)(i * 7)), swapped((unsigned short)value),
           byte((unsigned char)value), lowest(value));
    printf(" %x %x\n", conditions((int)value, (int)next()), check_sum(list, i % 16 + 1));
  }
  printf("%x %x %x\n", conditions(3, 3), conditions(-1, 1), conditions(1, -1));

  word number[4], other[3];
  for (int i = 0; i < 20; i++) {
    for (int j = 0; j < 4; j++) number[j] = i ? next_word() : -1ul;
    for (int j = 0; j < 3; j++) other[j] = next_word();
    word carry = multiply(number, 4, next_word());
    add(number, other);
    unsigned pair[2] = {(unsigned)i, (unsigned)i * 77};
    printf("%x\n", bits_of((float)i / 3, pair));
    printf("%lx %lx\n", either(number[0], number[1], &other[1]), other[1]);
    printf("%lx %lx %lx %lx %lx\n", carry, number[0], number[1], number[2], number[3]);
    unsigned rest, divisor = next() | 1u << 31;
    unsigned quotient = divide(next() & ~(1u << 31), next(), divisor, &rest);
    printf("%x %x %lx\n", quotient, rest, crowded(number[0], number[1], number[2], i + 0.5));
  }

  char text[40];
  copy(text, "programs are texts", 19);
  printf("%s %lu %lu\n", text, length(text), sum_to(100));
  printf("%g %g %g\n", root(2.25), minimum(1.5f, -0.25f), minimum(-3, 8));

  stack();
  printf("%lx %lx\n", jumps(7, 12345, 2.5), jumps(1, 99, 1e3));

  unsigned control;
  unsigned short fpu;
  __asm__ volatile("stmxcsr %0" : "=m"(control));
  __asm__ volatile("fnstcw %0" : "=m"(fpu));
  control = (control & 0x1f80) | 0x6000;
  __asm__ volatile("ldmxcsr %0" : : "m"(control));
  volatile double third = 1.0;
  double down = third / 3;
  control &= 0x1f80;
  __asm__ volatile("ldmxcsr %0" : : "m"(control));
  printf("%x %x %a %a\n", control, fpu, down, third / 3);
  __asm__ volatile("pause\n\tnop; mfence" : : : "memory");
  __asm__ volatile(".byte 0x90, 0x90");
#ifdef __x86_64__
  word top;
  __asm__("movq %%fs:0, %0" : "=r"(top));
#else
  word top;
  __asm__("movl %%gs:0, %0" : "=r"(top));
#endif
  printf("%d\n", *(word *)top == top);
  return 0;
}
