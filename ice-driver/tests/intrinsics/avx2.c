// The intrinsics of AVX2.
#include "inputs.h"
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define TWO(f) I256(_mm256_##f(a.i, b.i))
static void arithmetic(void) {
  TWO(add_epi8) TWO(adds_epi8) TWO(adds_epu16) TWO(subs_epi16) TWO(subs_epu8) TWO(avg_epu8) TWO(avg_epu16) TWO(sub_epi64) TWO(mul_epi32) TWO(mul_epu32)
  TWO(mulhi_epi16) TWO(mulhi_epu16) TWO(mulhrs_epi16) TWO(mullo_epi16) TWO(mullo_epi32) TWO(madd_epi16) TWO(maddubs_epi16) TWO(sad_epu8)
  TWO(hadd_epi16) TWO(hadd_epi32) TWO(hadds_epi16) TWO(hsub_epi16) TWO(hsub_epi32) TWO(hsubs_epi16) TWO(sign_epi8) TWO(sign_epi16) TWO(sign_epi32)
  TWO(max_epi8) TWO(max_epu16) TWO(max_epi32) TWO(min_epu8) TWO(min_epi16) TWO(min_epu32) TWO(cmpeq_epi8) TWO(cmpeq_epi64) TWO(cmpgt_epi16) TWO(cmpgt_epi64)
  TWO(and_si256) TWO(andnot_si256) I256(_mm256_abs_epi8(a.i)) I256(_mm256_abs_epi32(a.i)) WORD(_mm256_movemask_epi8(a.i)) WORD((unsigned)_mm256_movemask_epi8(a.i))
  I256(_mm256_mpsadbw_epu8(a.i, b.i, 0)) I256(_mm256_mpsadbw_epu8(a.i, b.i, 0x2e)) I256(_mm256_mpsadbw_epu8(a.i, b.i, 0x35))
}
static void lanes(void) {
  TWO(packs_epi16) TWO(packs_epi32) TWO(packus_epi16) TWO(packus_epi32) TWO(shuffle_epi8) TWO(permutevar8x32_epi32) TWO(unpacklo_epi8) TWO(unpackhi_epi64)
  F256(_mm256_permutevar8x32_ps(a.f, b.i)) I256(_mm256_permute4x64_epi64(a.i, 0x1b)) D256(_mm256_permute4x64_pd(a.d, 0x72)) I256(_mm256_permute2x128_si256(a.i, b.i, 0x31))
  I256(_mm256_blend_epi16(a.i, b.i, 0x5a)) I256(_mm256_blend_epi32(a.i, b.i, 0x5a)) I256(_mm256_blendv_epi8(a.i, b.i, c.i)) I256(_mm256_alignr_epi8(a.i, b.i, 5))
  I256(_mm256_shuffle_epi32(a.i, 0x1b)) I256(_mm256_shufflehi_epi16(a.i, 0x1b)) I256(_mm256_broadcastb_epi8(a.hi)) I256(_mm256_broadcastq_epi64(a.hi))
  I256(_mm256_broadcastsi128_si256(a.hi)) I128(_mm256_extracti128_si256(a.i, 1)) I256(_mm256_inserti128_si256(a.i, b.hi, 0))
  I256(_mm256_cvtepi8_epi16(a.hi)) I256(_mm256_cvtepi8_epi64(a.hi)) I256(_mm256_cvtepu16_epi32(a.hi)) I256(_mm256_cvtepi32_epi64(a.hi)) I256(_mm256_cvtepu8_epi32(a.hi))
}
#define BY_NUMBERS(f) I256(f(a.i, 0)) I256(f(a.i, 1)) I256(f(a.i, 7)) I256(f(a.i, 15)) I256(f(a.i, 16)) I256(f(a.i, 31)) I256(f(a.i, 33)) I256(f(a.i, 64)) I256(f(a.i, b.b[0] % 70))
#define BY_REGISTER(f) I256(f(a.i, _mm_set_epi64x(-1, b.b[0] % 70))) I256(f(a.i, b.hi))
static void shifts(void) {
  BY_NUMBERS(_mm256_slli_epi16) BY_NUMBERS(_mm256_slli_epi32) BY_NUMBERS(_mm256_slli_epi64) BY_NUMBERS(_mm256_srli_epi16) BY_NUMBERS(_mm256_srli_epi32)
  BY_NUMBERS(_mm256_srli_epi64) BY_NUMBERS(_mm256_srai_epi16) BY_NUMBERS(_mm256_srai_epi32) I256(_mm256_slli_si256(a.i, 3)) I256(_mm256_srli_si256(a.i, 5))
  BY_REGISTER(_mm256_sll_epi16) BY_REGISTER(_mm256_sll_epi32) BY_REGISTER(_mm256_sll_epi64) BY_REGISTER(_mm256_srl_epi16) BY_REGISTER(_mm256_srl_epi32)
  BY_REGISTER(_mm256_srl_epi64) BY_REGISTER(_mm256_sra_epi16) BY_REGISTER(_mm256_sra_epi32)
  TWO(sllv_epi32) TWO(sllv_epi64) TWO(srlv_epi32) TWO(srlv_epi64) TWO(srav_epi32) I128(_mm_sllv_epi32(a.hi, b.hi)) I128(_mm_sllv_epi64(a.hi, b.hi))
  I128(_mm_srlv_epi32(a.hi, b.hi)) I128(_mm_srlv_epi64(a.hi, b.hi)) I128(_mm_srav_epi32(a.hi, b.hi))
}
static int words[64];
static long long halves[64];
static const float *const singles_there = (const float *)words + 32;
static const double *const doubles_there = (const double *)halves + 32;
#define SMALL(x) _mm256_sub_epi32(_mm256_and_si256(x, _mm256_set1_epi32(63)), _mm256_set1_epi32(32))
#define SMALL_HALF(x) _mm_sub_epi32(_mm_and_si128(x, _mm_set1_epi32(63)), _mm_set1_epi32(32))
#define WIDE(x) _mm256_sub_epi64(_mm256_and_si256(x, _mm256_set1_epi64x(63)), _mm256_set1_epi64x(32))
#define WIDE_HALF(x) _mm_sub_epi64(_mm_and_si128(x, _mm_set1_epi64x(63)), _mm_set1_epi64x(32))
static void gathers(void) {
  const int *w = words + 32;
  const long long *q = halves + 32;
  I128(_mm_i32gather_epi32(w, SMALL_HALF(a.hi), 4)) I256(_mm256_i32gather_epi32(w, SMALL(a.i), 4)) I128(_mm_i32gather_epi64(q, SMALL_HALF(a.hi), 8))
  I256(_mm256_i32gather_epi64(q, SMALL_HALF(a.hi), 8)) I128(_mm_i64gather_epi32(w, WIDE_HALF(a.hi), 4)) I128(_mm256_i64gather_epi32(w, WIDE(a.i), 2))
  I128(_mm_i64gather_epi64(q, WIDE_HALF(a.hi), 8)) I256(_mm256_i64gather_epi64(q, WIDE(a.i), 4)) F128(_mm_i32gather_ps(singles_there, SMALL_HALF(a.hi), 4))
  F256(_mm256_i32gather_ps(singles_there, SMALL(a.i), 1)) D128(_mm_i32gather_pd(doubles_there, SMALL_HALF(a.hi), 8)) D256(_mm256_i32gather_pd(doubles_there, SMALL_HALF(a.hi), 8))
  F128(_mm_i64gather_ps(singles_there, WIDE_HALF(a.hi), 4)) F128(_mm256_i64gather_ps(singles_there, WIDE(a.i), 4)) D128(_mm_i64gather_pd(doubles_there, WIDE_HALF(a.hi), 8))
  D256(_mm256_i64gather_pd(doubles_there, WIDE(a.i), 8))
  I128(_mm_mask_i32gather_epi32(b.hi, w, SMALL_HALF(a.hi), c.hi, 4)) I256(_mm256_mask_i32gather_epi32(b.i, w, SMALL(a.i), c.i, 4))
  I256(_mm256_mask_i32gather_epi64(b.i, q, SMALL_HALF(a.hi), c.i, 8)) I128(_mm_mask_i64gather_epi32(b.hi, w, WIDE_HALF(a.hi), c.hi, 4))
  I128(_mm256_mask_i64gather_epi32(b.hi, w, WIDE(a.i), c.hi, 4)) I256(_mm256_mask_i64gather_epi64(b.i, q, WIDE(a.i), c.i, 8))
  F256(_mm256_mask_i32gather_ps(b.f, singles_there, SMALL(a.i), c.f, 4)) D256(_mm256_mask_i64gather_pd(b.d, doubles_there, WIDE(a.i), c.d, 8))
  F128(_mm_mask_i64gather_ps(b.hf, singles_there, WIDE_HALF(a.hi), c.hf, 4)) D128(_mm_mask_i32gather_pd(b.hd, doubles_there, SMALL_HALF(a.hi), c.hd, 8))
}
static void memory(void) {
  I128(_mm_maskload_epi32(a.w, b.hi)) I256(_mm256_maskload_epi32(a.w, b.i)) I128(_mm_maskload_epi64((long long *)a.q, b.hi)) I256(_mm256_maskload_epi64((long long *)a.q, b.i))
  EACH("maskstore_epi32", q[0], 0, (_mm_maskstore_epi32(a.w, b.hi, c.hi), add(&a, 32)))
  EACH("maskstore_epi64", q[0], 0, (_mm_maskstore_epi64((long long *)a.q, b.hi, c.hi), add(&a, 32)))
  EACH("maskstore_epi32 256", q[0], 0, (_mm256_maskstore_epi32(a.w, b.i, c.i), add(&a, 32)))
  EACH("maskstore_epi64 256", q[0], 0, (_mm256_maskstore_epi64((long long *)a.q, b.i, c.i), add(&a, 32)))
  I256(_mm256_stream_load_si256(&a.i))
}
// Own functions agree among themselves on vectors of 256 bits, and those behind pointers are in memory.
static __attribute__((noinline)) __m256i shuffled(__m256i a, __m128i b, __m256i c) {
  return _mm256_add_epi8(_mm256_shuffle_epi8(a, c), _mm256_broadcastsi128_si256(b));
}
typedef struct { int before; __m256i vector; char behind; } Holder;
__attribute__((noinline)) Holder held(Holder holder) {
  holder.vector = _mm256_add_epi32(holder.vector, _mm256_set1_epi32(holder.before + holder.behind));
  return holder;
}
static void calls(void) {
  I256(shuffled(a.i, b.hi, c.i)) I256(held((Holder){3, a.i, 4}).vector)
}
int main(void) {
  fill();
  for (int k = 0; k < 64; k++) words[k] = next(), halves[k] = next();
  arithmetic(), lanes(), shifts(), gathers(), memory(), calls();
  return 0;
}
#pragma clang attribute pop
