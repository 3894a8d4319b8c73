// The intrinsics of SSE3 to SSE4.2.
#include "inputs.h"
#pragma clang attribute push(__attribute__((target("sse4.2,popcnt"))), apply_to = function)

static void ssse3(void) {
  F128(_mm_addsub_ps(a.hf, b.hf)) F128(_mm_hadd_ps(a.hf, b.hf)) F128(_mm_hsub_ps(a.hf, b.hf))
  D128(_mm_addsub_pd(a.hd, b.hd)) D128(_mm_hadd_pd(a.hd, b.hd)) D128(_mm_hsub_pd(a.hd, b.hd))
  I128(_mm_lddqu_si128(&a.hi)) F128(_mm_movehdup_ps(a.hf)) D128(_mm_movedup_pd(a.hd))
  I128(_mm_shuffle_epi8(a.hi, b.hi)) I128(_mm_hadd_epi16(a.hi, b.hi)) I128(_mm_hadd_epi32(a.hi, b.hi))
  I128(_mm_hadds_epi16(a.hi, b.hi)) I128(_mm_hsub_epi16(a.hi, b.hi)) I128(_mm_hsub_epi32(a.hi, b.hi))
  I128(_mm_hsubs_epi16(a.hi, b.hi)) I128(_mm_maddubs_epi16(a.hi, b.hi)) I128(_mm_mulhrs_epi16(a.hi, b.hi))
  I128(_mm_sign_epi8(a.hi, b.hi)) I128(_mm_sign_epi16(a.hi, b.hi)) I128(_mm_sign_epi32(a.hi, b.hi))
  I128(_mm_abs_epi8(a.hi)) I128(_mm_abs_epi16(a.hi)) I128(_mm_abs_epi32(a.hi)) I128(_mm_alignr_epi8(a.hi, b.hi, 5))
}
static void sse41(void) {
  I128(_mm_blend_epi16(a.hi, b.hi, 0x5a)) I128(_mm_blendv_epi8(a.hi, b.hi, c.hi)) F128(_mm_blendv_ps(a.hf, b.hf, c.hf))
  D128(_mm_blendv_pd(a.hd, b.hd, c.hd)) F128(_mm_blend_ps(a.hf, b.hf, 6)) D128(_mm_blend_pd(a.hd, b.hd, 2))
  F128(_mm_dp_ps(a.hf, b.hf, 0xf1)) F128(_mm_dp_ps(a.hf, b.hf, 0x5e)) D128(_mm_dp_pd(a.hd, b.hd, 0x31))
  F128(_mm_round_ps(a.hf, 0)) F128(_mm_round_ps(a.hf, 9)) F128(_mm_round_ps(a.hf, 10)) F128(_mm_round_ps(a.hf, 11))
  D128(_mm_round_pd(a.hd, 8)) D128(_mm_floor_pd(a.hd)) D128(_mm_ceil_pd(a.hd)) D128(_mm_round_pd(a.hd, 3))
  F128(_mm_round_ss(a.hf, b.hf, 1)) D128(_mm_round_sd(a.hd, b.hd, 2)) F128(_mm_insert_ps(a.hf, b.hf, 0x9a))
  I128(_mm_mpsadbw_epu8(a.hi, b.hi, 0)) I128(_mm_mpsadbw_epu8(a.hi, b.hi, 6)) I128(_mm_minpos_epu16(a.hi))
  I128(_mm_packus_epi32(a.hi, b.hi)) I128(_mm_cmpeq_epi64(a.hi, b.hi)) I128(_mm_mul_epi32(a.hi, b.hi))
  I128(_mm_mullo_epi32(a.hi, b.hi)) I128(_mm_max_epi8(a.hi, b.hi)) I128(_mm_min_epu32(a.hi, b.hi)) I128(_mm_max_epu16(a.hi, b.hi))
  I128(_mm_cvtepi8_epi16(a.hi)) I128(_mm_cvtepu8_epi64(a.hi)) I128(_mm_cvtepi16_epi32(a.hi)) I128(_mm_cvtepi32_epi64(a.hi))
  WORD(_mm_testz_si128(a.hi, b.hi)) WORD(_mm_testc_si128(a.hi, b.hi)) WORD(_mm_testnzc_si128(a.hi, b.hi))
  WORD(_mm_testz_si128(a.hi, _mm_andnot_si128(a.hi, b.hi))) WORD(_mm_testc_si128(a.hi, _mm_and_si128(a.hi, b.hi)))
  I128(_mm_insert_epi8(a.hi, 7, 5)) WORD(_mm_extract_epi8(a.hi, 9)) WORD(_mm_extract_epi32(a.hi, 2))
  I128(_mm_stream_load_si128(&a.hi)) F128(_mm_rcp_ps(a.hf)) F128(_mm_rsqrt_ps(a.hf)) F128(_mm_rcp_ss(a.hf)) F128(_mm_rsqrt_ss(a.hf))
}
#define STRINGS(m) \
  I128(_mm_cmpistrm(a.hi, b.hi, m)) WORD(_mm_cmpistri(a.hi, b.hi, m)) WORD(_mm_cmpistrz(a.hi, b.hi, m)) WORD(_mm_cmpistrc(a.hi, b.hi, m)) \
  WORD(_mm_cmpistrs(a.hi, b.hi, m)) WORD(_mm_cmpistro(a.hi, b.hi, m)) WORD(_mm_cmpistra(a.hi, b.hi, m)) \
  I128(_mm_cmpestrm(a.hi, a.b[17] % 20, b.hi, b.b[17] % 18, m)) WORD(_mm_cmpestri(a.hi, a.b[17] % 20, b.hi, b.b[17] % 18, m)) \
  WORD(_mm_cmpestrz(a.hi, a.b[17] % 20, b.hi, b.b[17] % 18, m)) WORD(_mm_cmpestrc(a.hi, a.b[17] % 20, b.hi, b.b[17] % 18, m)) \
  WORD(_mm_cmpestrs(a.hi, a.b[17] % 20, b.hi, b.b[17] % 18, m)) WORD(_mm_cmpestro(a.hi, a.b[17] % 20, b.hi, b.b[17] % 18, m)) \
  WORD(_mm_cmpestra(a.hi, a.b[17] % 20, b.hi, b.b[17] % 18, m))
static void sse42(void) {
  STRINGS(0) STRINGS(0x0c) STRINGS(0x44) STRINGS(0x18) STRINGS(0x3a) STRINGS(0x69)
  I128(_mm_cmpgt_epi64(a.hi, b.hi)) WORD(_mm_crc32_u8(a.w[0], b.b[3])) WORD(_mm_crc32_u16(a.w[0], b.s[3])) WORD(_mm_crc32_u32(a.w[0], b.w[3]))
  WORD(_mm_popcnt_u32(a.w[0]))
#ifdef __x86_64__
  WORD(_mm_crc32_u64(a.q[0], b.q[1])) WORD(_mm_popcnt_u64(a.q[0])) I128(_mm_insert_epi64(a.hi, b.q[3], 1))
#endif
}
int main(void) {
  fill(), ssse3(), sse41(), sse42();
  unsigned state = _mm_getcsr();
  _mm_setcsr(state | 0x6000);
  F128(_mm_div_ps(a.hf, b.hf)) I128(_mm_cvtps_epi32(a.hf)) F128(_mm_round_ps(a.hf, 4))
  _mm_setcsr(state);
  printf("%x\n", state & 0xffc0);
  _mm_clflush(inputs);
  return 0;
}
#pragma clang attribute pop
