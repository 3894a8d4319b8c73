// Inline assembly with the instructions of AVX and AVX2: sums, tables, and copies as libraries have them, in functions that
// clang compiles for processors without these sets, so that all vectors of 256 bits are inside of the statements. Clobbers name
// the registers of 128 bits: in such functions clang passes over the names of those of 256.

#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// Exclusive or of blocks of 64 bytes, as disk arrays have it.
static void xor_blocks(uint8_t *to, const uint8_t *from, long count) {
  __asm__ volatile("1:\n\t"
                   "vmovdqu (%0), %%ymm0\n\t"
                   "vmovdqu 32(%0), %%ymm1\n\t"
                   "vpxor (%1), %%ymm0, %%ymm0\n\t"
                   "vpxor 32(%1), %%ymm1, %%ymm1\n\t"
                   "vmovdqu %%ymm0, (%0)\n\t"
                   "vmovdqu %%ymm1, 32(%0)\n\t"
                   "add $64, %0\n\t"
                   "add $64, %1\n\t"
                   "dec %2\n\t"
                   "jnz 1b\n\t"
                   "vzeroupper"
                   : "+r"(to), "+r"(from), "+r"(count)
                   :
                   : "memory", "cc", "xmm0", "xmm1");
}

// Products in a field of 256 elements by two tables of 16.
static void multiply(uint8_t *bytes, const uint8_t *low, const uint8_t *high) {
  __asm__ volatile("vbroadcasti128 %1, %%ymm4\n\t"
                   "vbroadcasti128 %2, %%ymm5\n\t"
                   "vpcmpeqb %%ymm7, %%ymm7, %%ymm7\n\t"
                   "vpsrlw $12, %%ymm7, %%ymm7\n\t"
                   "vpackuswb %%ymm7, %%ymm7, %%ymm7\n\t"
                   "vmovdqu %0, %%ymm0\n\t"
                   "vpsrlq $4, %%ymm0, %%ymm1\n\t"
                   "vpand %%ymm7, %%ymm0, %%ymm0\n\t"
                   "vpand %%ymm7, %%ymm1, %%ymm1\n\t"
                   "vpshufb %%ymm0, %%ymm4, %%ymm0\n\t"
                   "vpshufb %%ymm1, %%ymm5, %%ymm1\n\t"
                   "vpxor %%ymm0, %%ymm1, %%ymm0\n\t"
                   "vmovdqu %%ymm0, %0\n\t"
                   "vzeroupper"
                   : "+m"(*(uint8_t(*)[32])bytes)
                   : "m"(*(const uint8_t(*)[16])low), "m"(*(const uint8_t(*)[16])high)
                   : "xmm0", "xmm1", "xmm4", "xmm5", "xmm7");
}

// The sum of doubles, eight at once; what lives across the statement is in other registers.
static double sum(const double *numbers, long count, double plus) {
  double result;
  __asm__("vxorpd %%ymm0, %%ymm0, %%ymm0\n\t"
          "2: vmovupd (%1), %%ymm1\n\t"
          "vaddpd 32(%1), %%ymm1, %%ymm1\n\t"
          "vfmadd231pd %%ymm1, %%ymm1, %%ymm0\n\t"
          "add $64, %1\n\t"
          "sub $8, %2\n\t"
          "jg 2b\n\t"
          "vextractf128 $1, %%ymm0, %%xmm1\n\t"
          "vaddpd %%xmm1, %%xmm0, %%xmm0\n\t"
          "vunpckhpd %%xmm0, %%xmm0, %%xmm1\n\t"
          "vaddsd %%xmm1, %%xmm0, %0\n\t"
          "vzeroupper"
          : "=x"(result), "+r"(numbers), "+r"(count)
          :
          : "cc", "memory", "xmm0", "xmm1", "ymm0", "ymm1");
  return result + plus;
}

// Operands in registers of vectors, by both of their names, and predicates.
static __m128i halves(__m128i a, __m128i b) {
  __m128i low, high;
  __asm__("vinserti128 $1, %3, %t2, %t0\n\t"
          "vpaddd %t0, %t0, %t0\n\t"
          "vextracti128 $1, %t0, %x1\n\t"
          "vpsubd %x0, %1, %1\n\t"
          "vzeroupper"
          : "=&x"(low), "=&x"(high)
          : "x"(a), "x"(b));
  return _mm_add_epi32(low, high);
}

static int compare(float a, float b) {
  int mask;
  __m128 scratch;
  __asm__("vcmpltss %3, %2, %1\n\tvmovmskps %1, %0" : "=r"(mask), "=&x"(scratch) : "x"(a), "x"(b));
  int second;
  __asm__("movaps %2, %1\n\tcmpunordss %3, %1\n\tmovmskps %1, %0"
          : "=r"(second), "=&x"(scratch)
          : "x"(a), "x"(b));
  return (mask & 1) + 2 * (second & 1);
}

#ifdef __x86_64__
#define DI "rdi"
#define SI "rsi"
#else
#define DI "edi"
#define SI "esi"
#endif

// In the syntax of Intel.
static int32_t dot(const int16_t *a, const int16_t *b) {
  int32_t result;
  __asm__(".intel_syntax noprefix\n\t"
          "vmovdqu ymm0, ymmword ptr [" DI "]\n\t"
          "vpmaddwd ymm0, ymm0, [" SI "]\n\t"
          "vextracti128 xmm1, ymm0, 1\n\t"
          "vpaddd xmm0, xmm0, xmm1\n\t"
          "vphaddd xmm0, xmm0, xmm0\n\t"
          "vphaddd xmm0, xmm0, xmm0\n\t"
          "vmovd eax, xmm0\n\t"
          "vzeroupper\n\t"
          ".att_syntax"
          : "=a"(result)
          : "D"(a), "S"(b)
          : "xmm0", "xmm1", "memory");
  return result;
}

int main(void) {
  static uint8_t bytes[512], others[512];
  static double numbers[64];
  static int16_t words[2][16];
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 512; i++) {
      bytes[i] = (uint8_t)next();
      others[i] = (uint8_t)(next() >> 9);
    }
    for (int i = 0; i < 64; i++) numbers[i] = (double)(int64_t)(next() % 1000) / 16;
    for (int i = 0; i < 32; i++) words[i / 16][i % 16] = (int16_t)next();
    xor_blocks(bytes, others, 8);
    multiply(bytes + 7, others, others + 16);
    uint64_t hash = 0;
    for (int i = 0; i < 512; i++) hash = hash * 31 + bytes[i];
    __m128i a = _mm_loadu_si128((const __m128i *)bytes), b = _mm_loadu_si128((const __m128i *)others);
    __m128i mixed = halves(a, b);
    int32_t lanes[4];
    memcpy(lanes, &mixed, sizeof lanes);
    float x = (float)(round - 10), y = round == 3 ? 0.0f / (float)(round - 3) : 1.5f;
    printf("%llx %.4f %x %x %x %x %d %d\n", (unsigned long long)hash, sum(numbers, 64, x), (unsigned)lanes[0],
           (unsigned)lanes[1], (unsigned)lanes[2], (unsigned)lanes[3], compare(x, y), dot(words[0], words[1]));
  }
}
