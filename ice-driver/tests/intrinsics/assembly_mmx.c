// Inline assembly with registers of MMX, as decoders of videos have it: averages of rows, sums of differences, sums of products, and
// numbers that go between these registers and others.

#include <stdint.h>
#include <stdio.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void average(uint8_t *to, const uint8_t *a, const uint8_t *b, long rows) {
  __asm__ volatile("1: movq (%1), %%mm0\n\t"
                   "movq (%2), %%mm1\n\t"
                   "pavgb %%mm1, %%mm0\n\t"
                   "movntq %%mm0, (%0)\n\t"
                   "add %4, %0; add %4, %1; add %4, %2\n\t"
                   "dec %3; jnz 1b\n\t"
                   "sfence; emms"
                   : "+r"(to), "+r"(a), "+r"(b), "+r"(rows)
                   : "i"(8)
                   : "memory", "cc", "mm0", "mm1");
}

static int differences(const uint8_t *a, const uint8_t *b) {
  int sum;
  __asm__("movq %1, %%mm0\n\tpsadbw %2, %%mm0\n\tmovd %%mm0, %0\n\temms"
          : "=r"(sum)
          : "m"(*(const uint8_t(*)[8])a), "m"(*(const uint8_t(*)[8])b)
          : "mm0");
  return sum;
}

static int products(const int16_t *a, const int16_t *b, int shift) {
  int sum;
  __asm__("movq (%1), %%mm2\n\t"
          "pmaddwd (%2), %%mm2\n\t"
          "movd %3, %%mm3\n\t"
          "psrad %%mm3, %%mm2\n\t"
          "pshufw $0x4e, %%mm2, %%mm4\n\t"
          "paddd %%mm4, %%mm2\n\t"
          "pxor %%mm5, %%mm5\n\t"
          "pcmpgtd %%mm5, %%mm2\n\t"
          "pand %%mm4, %%mm2\n\t"
          "psllq $1, %%mm2\n\t"
          "movd %%mm2, %0\n\t"
          "emms"
          : "=&r"(sum)
          : "r"(a), "r"(b), "r"(shift)
          : "memory", "mm2", "mm3", "mm4", "mm5");
  return sum;
}

// The stack of the x87 is empty again behind `emms`.
__attribute__((noinline)) static void add(long double *sum, int more) { *sum = *sum * 1.5L + more; }

static int mask(const int8_t *bytes, long double *beside) {
  int bits;
  __asm__("movq %1, %%mm0\n\t"
          "packsswb %%mm0, %%mm0\n\t"
          "punpcklbw %%mm0, %%mm0\n\t"
          "pmovmskb %%mm0, %0\n\t"
          "emms"
          : "=r"(bits)
          : "m"(*(const int8_t(*)[8])bytes)
          : "mm0");
  add(beside, bits);
  return bits;
}

int main(void) {
  static uint8_t rows[3][64];
  static int16_t words[2][4];
  long double beside = 1;
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 192; i++) rows[i / 64][i % 64] = (uint8_t)next();
    for (int i = 0; i < 8; i++) words[i / 4][i % 4] = (int16_t)next();
    average(rows[2], rows[0], rows[1], 7);
    unsigned hash = 0;
    for (int i = 0; i < 64; i++) hash = hash * 31 + rows[2][i];
    int bits = mask((int8_t *)rows[1], &beside);
    printf("%x %d %d %x %.10Lg\n", hash, differences(rows[0], rows[1]), products(words[0], words[1], round & 7), (unsigned)bits, beside);
  }
}
