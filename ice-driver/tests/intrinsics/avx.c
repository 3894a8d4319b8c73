// The intrinsics of AVX and FMA, and of F16C.
#include "inputs.h"
#pragma clang attribute push(__attribute__((target("avx,fma,f16c"))), apply_to = function)

static void arithmetic(void) {
  F256(_mm256_add_ps(a.f, b.f)) D256(_mm256_div_pd(a.d, b.d)) F256(_mm256_sqrt_ps(a.f)) D256(_mm256_mul_pd(a.d, b.d))
  F256(_mm256_addsub_ps(a.f, b.f)) D256(_mm256_addsub_pd(a.d, b.d)) F256(_mm256_hadd_ps(a.f, b.f)) D256(_mm256_hadd_pd(a.d, b.d))
  F256(_mm256_hsub_ps(a.f, b.f)) D256(_mm256_hsub_pd(a.d, b.d)) F256(_mm256_max_ps(a.f, b.f)) D256(_mm256_max_pd(a.d, b.d))
  F256(_mm256_min_ps(a.f, b.f)) D256(_mm256_min_pd(a.d, b.d)) F256(_mm256_dp_ps(a.f, b.f, 0xf1)) F256(_mm256_dp_ps(a.f, b.f, 0x3c))
  F256(_mm256_round_ps(a.f, 0)) F256(_mm256_round_ps(a.f, 9)) D256(_mm256_round_pd(a.d, 10)) D256(_mm256_ceil_pd(a.d)) F256(_mm256_floor_ps(a.f))
  F256(_mm256_rcp_ps(a.f)) F256(_mm256_rsqrt_ps(a.f)) D256(_mm256_and_pd(a.d, b.d)) F256(_mm256_andnot_ps(a.f, b.f))
}
static void lanes(void) {
  F256(_mm256_blendv_ps(a.f, b.f, c.f)) D256(_mm256_blendv_pd(a.d, b.d, c.d)) F256(_mm256_blend_ps(a.f, b.f, 0x5a))
  F128(_mm_permutevar_ps(a.hf, b.hi)) D128(_mm_permutevar_pd(a.hd, b.hi)) F256(_mm256_permutevar_ps(a.f, b.i)) D256(_mm256_permutevar_pd(a.d, b.i))
  F256(_mm256_permute_ps(a.f, 0x1b)) D256(_mm256_permute_pd(a.d, 5)) D256(_mm256_permute2f128_pd(a.d, b.d, 0x21)) I256(_mm256_permute2f128_si256(a.i, b.i, 0x83))
  F256(_mm256_shuffle_ps(a.f, b.f, 0x39)) D256(_mm256_shuffle_pd(a.d, b.d, 6)) F256(_mm256_unpackhi_ps(a.f, b.f)) D256(_mm256_unpacklo_pd(a.d, b.d))
  F128(_mm256_extractf128_ps(a.f, 1)) F256(_mm256_insertf128_ps(a.f, b.hf, 1)) F256(_mm256_movehdup_ps(a.f)) D256(_mm256_movedup_pd(a.d))
  I256(_mm256_lddqu_si256(&a.i)) F256(_mm256_broadcast_ss(&a.fs[3])) D256(_mm256_broadcast_pd(&a.hd)) I256(_mm256_set_m128i(a.hi, b.hi))
  WORD(_mm256_movemask_ps(a.f)) WORD(_mm256_movemask_pd(a.d)) I256(_mm256_insert_epi32(a.i, 77, 6)) WORD(_mm256_extract_epi16(a.i, 11))
}
static void conversions(void) {
  F256(_mm256_cvtepi32_ps(a.i)) D256(_mm256_cvtepi32_pd(a.hi)) F128(_mm256_cvtpd_ps(a.d)) I256(_mm256_cvtps_epi32(a.f)) D256(_mm256_cvtps_pd(a.hf))
  I256(_mm256_cvttps_epi32(a.f)) I128(_mm256_cvttpd_epi32(a.d)) I128(_mm256_cvtpd_epi32(a.d)) EACH("cvtss", fs[0], _mm256_cvtss_f32(a.f), add_singles(r, 1))
  F128(_mm_cvtph_ps(a.hi)) F256(_mm256_cvtph_ps(a.hi))
  I128(_mm_cvtps_ph(a.hf, 0)) I128(_mm_cvtps_ph(a.hf, 1)) I128(_mm_cvtps_ph(a.hf, 2)) I128(_mm_cvtps_ph(a.hf, 3)) I128(_mm_cvtps_ph(a.hf, 4))
  I128(_mm256_cvtps_ph(a.f, 0)) I128(_mm256_cvtps_ph(a.f, 3)) EACH("cvtsh", fs[0], _cvtsh_ss(a.s[0]), add_singles(r, 1)) WORD(_cvtss_sh(a.fs[0], 0))
}
#define COMPARE(n) \
  I256(_mm256_castps_si256(_mm256_cmp_ps(a.f, b.f, n))) I256(_mm256_castpd_si256(_mm256_cmp_pd(a.d, b.d, n))) \
  I128(_mm_castps_si128(_mm_cmp_ps(a.hf, b.hf, n))) I128(_mm_castpd_si128(_mm_cmp_pd(a.hd, b.hd, n))) \
  I128(_mm_castps_si128(_mm_cmp_ss(a.hf, b.hf, n))) I128(_mm_castpd_si128(_mm_cmp_sd(a.hd, b.hd, n)))
static void comparisons(void) {
  COMPARE(0) COMPARE(1) COMPARE(2) COMPARE(3) COMPARE(4) COMPARE(5) COMPARE(6) COMPARE(7) COMPARE(8) COMPARE(9) COMPARE(10)
  COMPARE(11) COMPARE(12) COMPARE(13) COMPARE(14) COMPARE(15)
}
static void more_comparisons(void) {
  COMPARE(16) COMPARE(17) COMPARE(18) COMPARE(19) COMPARE(20) COMPARE(21) COMPARE(22) COMPARE(23) COMPARE(24) COMPARE(25) COMPARE(26)
  COMPARE(27) COMPARE(28) COMPARE(29) COMPARE(30) COMPARE(31)
}
#define TESTS(f, x, y) WORD(f##z##x(a.y, b.y)) WORD(f##c##x(a.y, b.y)) WORD(f##nzc##x(a.y, b.y)) WORD(f##z##x(a.y, a.y)) WORD(f##c##x(a.y, a.y))
static void tests(void) {
  TESTS(_mm256_test, _si256, i) TESTS(_mm256_test, _ps, f) TESTS(_mm256_test, _pd, d) TESTS(_mm_test, _ps, hf) TESTS(_mm_test, _pd, hd)
  WORD(_mm256_testz_si256(a.i, _mm256_castpd_si256(_mm256_andnot_pd(a.d, b.d)))) WORD(_mm256_testc_si256(a.i, _mm256_castpd_si256(_mm256_and_pd(a.d, b.d))))
}
static void memory(void) {
  F128(_mm_maskload_ps(a.fs, b.hi)) D128(_mm_maskload_pd(a.ds, b.hi)) F256(_mm256_maskload_ps(a.fs, b.i)) D256(_mm256_maskload_pd(a.ds, b.i))
  EACH("maskstore_ps", q[0], 0, (_mm_maskstore_ps(a.fs, b.hi, c.hf), add(&a, 32)))
  EACH("maskstore_pd", q[0], 0, (_mm_maskstore_pd(a.ds, b.hi, c.hd), add(&a, 32)))
  EACH("maskstore_ps 256", q[0], 0, (_mm256_maskstore_ps(a.fs, b.i, c.f), add(&a, 32)))
  EACH("maskstore_pd 256", q[0], 0, (_mm256_maskstore_pd(a.ds, b.i, c.d), add(&a, 32)))
  EACH("stream", q[0], 0, (_mm256_stream_si256(&r.i, a.i), add(&r, 32)))
  _mm256_zeroupper(), _mm256_zeroall();
}
#define FUSED(n) \
  F128(_mm_##n##_ps(a.hf, b.hf, c.hf)) D128(_mm_##n##_pd(a.hd, b.hd, c.hd)) F256(_mm256_##n##_ps(a.f, b.f, c.f)) D256(_mm256_##n##_pd(a.d, b.d, c.d))
#define FUSED_ONE(n) FUSED(n) F128(_mm_##n##_ss(a.hf, b.hf, c.hf)) D128(_mm_##n##_sd(a.hd, b.hd, c.hd))
static void fused(void) {
  FUSED_ONE(fmadd) FUSED_ONE(fmsub) FUSED_ONE(fnmadd) FUSED_ONE(fnmsub) FUSED(fmaddsub) FUSED(fmsubadd)
  EACH("fmaf", fs[0], __builtin_fmaf(a.fs[0], b.fs[0], c.fs[0]), add_singles(r, 1)) EACH("fma", ds[0], __builtin_fma(a.ds[0], b.ds[0], c.ds[0]), add_doubles(r, 1))
}
int main(void) {
  fill(), arithmetic(), lanes(), conversions(), comparisons(), more_comparisons(), tests(), memory(), fused();
  return 0;
}
#pragma clang attribute pop
