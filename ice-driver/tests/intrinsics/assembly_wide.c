// Inline assembly whose operands are vectors of 256 bits, as code for AVX and AVX2 has it, and gathers.

#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define AVX __attribute__((target("avx"), noinline))
#define AVX2 __attribute__((target("avx2,fma"), noinline))

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void show(const char *what, const void *bytes, unsigned length) {
  printf("%s", what);
  for (unsigned i = 0; i < length; i++) printf("%02x", ((const uint8_t *)bytes)[i]);
  printf("\n");
}

// Also where only floats have 256 bits.
AVX static void sums(const float *a, const double *b, float *c, double *d) {
  __m256 x = _mm256_loadu_ps(a), y = _mm256_loadu_ps(a + 8), sum;
  __asm__("vaddps %2, %1, %0" : "=x"(sum) : "x"(x), "xm"(y));
  __asm__("vmulps %1, %0, %0" : "+x"(sum) : "m"(*(const __m256 *)(c + 8)));
  _mm256_storeu_ps(c, sum);
  __m256d p = _mm256_loadu_pd(b), q;
  __m128d low;
  __asm__("vsubpd %2, %t2, %0\n\tvextractf128 $1, %t2, %x1" : "=&x"(q), "=&x"(low) : "x"(p));
  __asm__("vaddpd %x1, %0, %0" : "+x"(low) : "x"(p));
  _mm256_storeu_pd(d, _mm256_add_pd(p, q));
  _mm_storeu_pd(d + 4, low);
}

AVX2 static __m256i rotated(__m256i a, int count) {
  __m256i left, right;
  __m128i by = _mm_cvtsi32_si128(count), other = _mm_cvtsi32_si128(32 - count);
  __asm__("vpslld %3, %2, %0\n\tvpsrld %4, %2, %1" : "=&x"(left), "=&x"(right) : "x"(a), "x"(by), "x"(other));
  return _mm256_or_si256(left, right);
}

// What lives across the statement stays, also where it destroys long registers by their names.
AVX2 static __m256i mixed(__m256i a, __m256i b, __m256i c, __m256i d) {
  __m256i sum = _mm256_add_epi32(a, b), result;
  __asm__("vpxor %1, %2, %%ymm0\n\t"
          "vpaddd %%ymm0, %%ymm0, %%ymm1\n\t"
          "vpunpckldq %%ymm1, %%ymm0, %%ymm2\n\t"
          "vpermq $0x4e, %%ymm2, %%ymm3\n\t"
          "vpaddd %%ymm3, %%ymm1, %0"
          : "=x"(result)
          : "x"(c), "x"(d)
          : "ymm0", "ymm1", "ymm2", "xmm3");
  result = _mm256_add_epi64(result, sum);
  for (int i = 0; i < 3; i++) {
    __asm__ volatile("vpsubw %1, %0, %0" : "+x"(result) : "x"(sum));
    sum = _mm256_srli_epi32(_mm256_xor_si256(sum, result), 1);
  }
  return _mm256_sub_epi8(result, sum);
}

AVX2 static __m256i named(__m256i a, __m256i b) {
  register __m256i first __asm__("ymm5") = a;
  register __m256i second __asm__("ymm1") = b;
  register __m256i third __asm__("ymm0");
  __asm__("vpackuswb %%ymm1, %%ymm5, %%ymm0\n\tvpermq $0xd8, %%ymm0, %%ymm0"
          : "=x"(third)
          : "x"(first), "x"(second));
  __asm__(".intel_syntax noprefix\n\tvpsignb ymm5, ymm0, ymm1\n\t.att_syntax" : "+x"(first) : "x"(second), "x"(third));
  return first;
}

// Integers of all widths, and a number in all lanes.
AVX2 static __m256i lanes(uint64_t number, __m256i a) {
  __m256i all;
  __m128i one = _mm_set_epi32(0, 0, (int)(number >> 32), (int)number);
  __asm__("vpbroadcastq %x1, %0" : "=x"(all) : "x"(one));
  __asm__("vpmaddubsw %2, %1, %0" : "=x"(all) : "0"(all), "x"(a));
  return all;
}

AVX2 static __m256 gathered(const float *from, __m256i index, __m256 mask) {
  __m256 result = _mm256_set1_ps(-1);
  __asm__("vgatherdps %1, (%2,%3,4), %0" : "+&x"(result), "+&x"(mask) : "r"(from), "x"(index) : "memory");
  return _mm256_add_ps(result, mask);
}

AVX2 static __m128i gathered_words(const int *from, __m256i index) {
  __m128i result, mask;
  __asm__("vpcmpeqd %1, %1, %1\n\tvpxor %0, %0, %0\n\tvpgatherqd %1, 4(%2,%3,4), %0"
          : "=&x"(result), "=&x"(mask)
          : "r"(from), "x"(index)
          : "memory");
  return result;
}

AVX2 static __m256d gathered_doubles(const double *from, __m128i index) {
  __m256d result, mask;
  __asm__("vpcmpeqd %1, %1, %1\n\tvxorpd %0, %0, %0\n\tvgatherdpd %1, (%2,%3,8), %0"
          : "=&x"(result), "=&x"(mask)
          : "r"(from), "x"(index)
          : "memory");
  return result;
}

// A statement that jumps, with outputs on both edges.
AVX2 static __m256i tested(__m256i a, __m256i b) {
  __m256i difference;
  __asm__ goto("vpsubd %2, %1, %0\n\tvptest %2, %1\n\tjz %l3" : "=&x"(difference) : "x"(a), "x"(b) : "cc" : apart);
  return _mm256_add_epi32(difference, b);
apart:
  return _mm256_xor_si256(difference, a);
}

AVX2 static void all(const uint8_t *bytes, const float *floats, const double *doubles) {
  __m256i a = _mm256_loadu_si256((const __m256i *)bytes), b = _mm256_loadu_si256((const __m256i *)(bytes + 32));
  __m256i c = _mm256_loadu_si256((const __m256i *)(bytes + 64)), d = _mm256_loadu_si256((const __m256i *)(bytes + 96));
  __m256i small = _mm256_and_si256(a, _mm256_set1_epi32(31)), wide = _mm256_and_si256(b, _mm256_set1_epi64x(31));
  __m256i out[8] = {rotated(a, 7),
                    mixed(a, b, c, d),
                    named(b, c),
                    lanes(0x0102030405060708, d),
                    tested(a, b),
                    tested(a, _mm256_andnot_si256(a, b)),
                    _mm256_castps_si256(gathered(floats, small, _mm256_castsi256_ps(b))),
                    _mm256_castpd_si256(gathered_doubles(doubles, _mm256_castsi256_si128(small)))};
  __m128i words = gathered_words((const int *)floats, wide);
  show("all ", out, sizeof out);
  show("words ", &words, sizeof words);
}

int main(void) {
  static uint8_t bytes[128];
  static float floats[64];
  static double doubles[32], sum[8];
  static union {
    __m256 vectors[2];
    float floats[16];
  } results;
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 128; i++) bytes[i] = (uint8_t)(next() >> 7);
    for (int i = 0; i < 64; i++) floats[i] = (float)(int64_t)(next() % 1000) / 16;
    for (int i = 0; i < 32; i++) doubles[i] = (double)(int64_t)(next() % 10000) / 32 - 100;
    for (int i = 0; i < 8; i++) results.floats[8 + i] = floats[i + 16];
    sums(floats, doubles, results.floats, sum);
    show("sums ", &results, sizeof results);
    show("sums ", sum, sizeof sum);
    all(bytes, floats, doubles);
  }
}
