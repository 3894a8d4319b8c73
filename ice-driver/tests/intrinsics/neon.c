// The intrinsics of Advanced SIMD, ciphers and checksums of AArch64: one or more for each of LLVM's, with a sum of all results.
// Which of two NaNs a result is decides nobody, so that NaNs count alike.
#pragma clang attribute push(__attribute__((target("arch=armv8.5-a+aes+sha2+sha3+sm4+dotprod+i8mm+crc"))), apply_to = function)
#include <arm_acle.h>
#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 24, BYTES = 256 };
static unsigned char inputs[COUNT][BYTES] __attribute__((aligned(16)));
static unsigned char out[BYTES] __attribute__((aligned(16)));
static const float singles[] = {0.0f, -0.0f, 0.5f, 1.5f, -2.5f, 1e9f, -3e9f, 8388607.5f, 1e-40f, 3e38f, __builtin_inff(), __builtin_nanf("")};
static const double doubles[] = {0.0, -0.0, 0.5, 1.5, -2.5, 2147483646.5, -9e18, 4503599627370495.5, 1e-310, 1e300, __builtin_inf(), __builtin_nan("")};

static uint64_t state = 0x123456789abcdef;
static uint64_t next(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
static void fill(void) {
  static const unsigned char edges[] = {0, 1, 127, 128, 255, 254, 2, 64};
  for (int k = 0; k < COUNT; k++)
    for (int at = 0; at < BYTES; at += 8) {
      uint64_t bits = next();
      float pair[] = {singles[bits % 12], singles[bits / 12 % 12]};
      if (k % 4 == 1) memcpy(&bits, pair, 8);
      if (k % 4 == 2) memcpy(&bits, &doubles[bits % 12], 8);
      memcpy(inputs[k] + at, &bits, 8);
      for (int n = 0; k % 4 == 3 && n < 8; n++)
        inputs[k][at + n] = k % 8 == 3 ? edges[bits >> 3 * n & 7] : (bits >> 8 * n & 255) % 41 - 20;
    }
}

static uint64_t sum;
static void add(const void *bytes, int size) {
  for (int k = 0; k < size; k++) sum = (sum ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3;
}
static void add_singles(const void *bytes, int size) {
  for (int k = 0; k < size; k += 4) {
    float number;
    memcpy(&number, (const char *)bytes + k, 4);
    add(number == number ? (const char *)bytes + k : "none", 4);
  }
}
static void add_doubles(const void *bytes, int size) {
  for (int k = 0; k < size; k += 8) {
    double number;
    memcpy(&number, (const char *)bytes + k, 8);
    add(number == number ? (const char *)bytes + k : "none at all", 8);
  }
}

#define LOOP(expression, what) \
  sum = 0; \
  for (int k = 0; k < COUNT; k++) { \
    const unsigned char *in = inputs[k]; \
    A a; B b; C c; \
    memcpy(&a, in, sizeof a), memcpy(&b, in + 64, sizeof b), memcpy(&c, in + 128, sizeof c); \
    what \
  } \
  printf("%s %016llx\n", #expression, (unsigned long long)sum);
#define EACH(expression) LOOP(expression, R r = expression; add(&r, sizeof r);)
#define SINGLES(expression) LOOP(expression, R r = expression; add_singles(&r, sizeof r);)
#define DOUBLES(expression) LOOP(expression, R r = expression; add_doubles(&r, sizeof r);)
#define STORES(expression) LOOP(expression, memset(out, 7, sizeof out); expression; add(out, sizeof out);)

static void group_0(void) {
  typedef uint32x4_t R; typedef uint32x4_t A; typedef uint8x16_t B; typedef uint8x16_t C;
  EACH(vdotq_u32(a, b, c)) EACH(vmmlaq_u32(a, b, c))
}
static void group_1(void) {
  typedef int32x4_t R; typedef int32x4_t A; typedef int8x16_t B; typedef int8x16_t C;
  EACH(vdotq_s32(a, b, c)) EACH(vmmlaq_s32(a, b, c))
}
static void group_2(void) {
  typedef uint32x2_t R; typedef uint32x2_t A; typedef uint8x8_t B; typedef uint8x8_t C;
  EACH(vdot_u32(a, b, c))
}
static void group_3(void) {
  typedef int32x2_t R; typedef int32x2_t A; typedef int8x8_t B; typedef int8x8_t C;
  EACH(vdot_s32(a, b, c))
}
static void group_4(void) {
  typedef int32x4_t R; typedef int32x4_t A; typedef uint8x16_t B; typedef int8x16_t C;
  EACH(vusdotq_s32(a, b, c)) EACH(vusmmlaq_s32(a, b, c))
}
static void group_5(void) {
  typedef int32x2_t R; typedef int32x2_t A; typedef uint8x8_t B; typedef int8x8_t C;
  EACH(vusdot_s32(a, b, c))
}
static void group_6(void) {
  typedef uint8x16_t R; typedef uint8x16_t A; typedef uint8x16_t B; typedef char C;
  EACH(vabdq_u8(a, b)) EACH(vhaddq_u8(a, b)) EACH(vhsubq_u8(a, b)) EACH(vmaxq_u8(a, b)) EACH(vminq_u8(a, b)) EACH(vqaddq_u8(a, b))
  EACH(vqsubq_u8(a, b)) EACH(vrhaddq_u8(a, b)) EACH(vaesdq_u8(a, b)) EACH(vaeseq_u8(a, b)) EACH(vpaddq_u8(a, b)) EACH(vpmaxq_u8(a, b))
  EACH(vpminq_u8(a, b))
}
static void group_7(void) {
  typedef int8x16_t R; typedef int8x16_t A; typedef int8x16_t B; typedef char C;
  EACH(vabdq_s8(a, b)) EACH(vhaddq_s8(a, b)) EACH(vhsubq_s8(a, b)) EACH(vmaxq_s8(a, b)) EACH(vminq_s8(a, b)) EACH(vqaddq_s8(a, b))
  EACH(vqrshlq_s8(a, b)) EACH(vqshlq_s8(a, b)) EACH(vqsubq_s8(a, b)) EACH(vrhaddq_s8(a, b)) EACH(vrshlq_s8(a, b)) EACH(vshlq_s8(a, b))
  EACH(vpmaxq_s8(a, b)) EACH(vpminq_s8(a, b))
}
static void group_8(void) {
  typedef float32x4_t R; typedef float32x4_t A; typedef float32x4_t B; typedef char C;
  SINGLES(vabdq_f32(a, b)) SINGLES(vmaxq_f32(a, b)) SINGLES(vminq_f32(a, b)) SINGLES(vrecpsq_f32(a, b)) SINGLES(vrsqrtsq_f32(a, b))
  SINGLES(vcaddq_rot270_f32(a, b)) SINGLES(vcaddq_rot90_f32(a, b))
}
static void group_9(void) {
  typedef uint8x8_t R; typedef uint8x8_t A; typedef uint8x8_t B; typedef char C;
  EACH(vabd_u8(a, b)) EACH(vhadd_u8(a, b)) EACH(vhsub_u8(a, b)) EACH(vmax_u8(a, b)) EACH(vmin_u8(a, b)) EACH(vpadd_u8(a, b))
  EACH(vpmax_u8(a, b)) EACH(vpmin_u8(a, b)) EACH(vqadd_u8(a, b)) EACH(vqsub_u8(a, b)) EACH(vrhadd_u8(a, b))
}
static void group_10(void) {
  typedef int8x8_t R; typedef int8x8_t A; typedef int8x8_t B; typedef char C;
  EACH(vabd_s8(a, b)) EACH(vhadd_s8(a, b)) EACH(vhsub_s8(a, b)) EACH(vmax_s8(a, b)) EACH(vmin_s8(a, b)) EACH(vpmax_s8(a, b))
  EACH(vpmin_s8(a, b)) EACH(vqadd_s8(a, b)) EACH(vqrshl_s8(a, b)) EACH(vqshl_s8(a, b)) EACH(vqsub_s8(a, b)) EACH(vrhadd_s8(a, b))
  EACH(vrshl_s8(a, b)) EACH(vshl_s8(a, b))
}
static void group_11(void) {
  typedef float32x2_t R; typedef float32x2_t A; typedef float32x2_t B; typedef char C;
  SINGLES(vabd_f32(a, b)) SINGLES(vmax_f32(a, b)) SINGLES(vmin_f32(a, b)) SINGLES(vpadd_f32(a, b)) SINGLES(vpmax_f32(a, b))
  SINGLES(vpmin_f32(a, b)) SINGLES(vrecps_f32(a, b)) SINGLES(vrsqrts_f32(a, b)) SINGLES(vcadd_rot270_f32(a, b))
  SINGLES(vcadd_rot90_f32(a, b)) SINGLES(vmaxnm_f32(a, b)) SINGLES(vminnm_f32(a, b)) SINGLES(vmulx_f32(a, b))
  SINGLES(vpmaxnm_f32(a, b)) SINGLES(vpminnm_f32(a, b))
}
static void group_12(void) {
  typedef int8x16_t R; typedef int8x16_t A; typedef char B; typedef char C;
  EACH(vabsq_s8(a)) EACH(vqabsq_s8(a)) EACH(vqnegq_s8(a))
}
static void group_13(void) {
  typedef int8x8_t R; typedef int8x8_t A; typedef char B; typedef char C;
  EACH(vabs_s8(a)) EACH(vqabs_s8(a)) EACH(vqneg_s8(a))
}
static void group_14(void) {
  typedef uint32x4_t R; typedef float32x4_t A; typedef float32x4_t B; typedef char C;
  EACH(vcageq_f32(a, b)) EACH(vcagtq_f32(a, b))
}
static void group_15(void) {
  typedef uint32x2_t R; typedef float32x2_t A; typedef float32x2_t B; typedef char C;
  EACH(vcage_f32(a, b)) EACH(vcagt_f32(a, b))
}
static void group_16(void) {
  typedef int8x16_t R; typedef uint8x16_t A; typedef char B; typedef char C;
  EACH(vclsq_u8(a))
}
static void group_17(void) {
  typedef int8x8_t R; typedef uint8x8_t A; typedef char B; typedef char C;
  EACH(vcls_u8(a))
}
static void group_18(void) {
  typedef int32x4_t R; typedef float32x4_t A; typedef char B; typedef char C;
  EACH(vcvtq_s32_f32(a)) EACH(vcvtaq_s32_f32(a)) EACH(vcvtmq_s32_f32(a)) EACH(vcvtnq_s32_f32(a)) EACH(vcvtpq_s32_f32(a))
  EACH(vcvtq_n_s32_f32(a, 1))
}
static void group_19(void) {
  typedef int32x2_t R; typedef float32x2_t A; typedef char B; typedef char C;
  EACH(vcvt_s32_f32(a)) EACH(vcvta_s32_f32(a)) EACH(vcvtm_s32_f32(a)) EACH(vcvtn_s32_f32(a)) EACH(vcvtp_s32_f32(a))
  EACH(vcvt_n_s32_f32(a, 1))
}
static void group_20(void) {
  typedef uint32x4_t R; typedef float32x4_t A; typedef char B; typedef char C;
  EACH(vcvtq_u32_f32(a)) EACH(vcvtaq_u32_f32(a)) EACH(vcvtmq_u32_f32(a)) EACH(vcvtnq_u32_f32(a)) EACH(vcvtpq_u32_f32(a))
  EACH(vcvtq_n_u32_f32(a, 1))
}
static void group_21(void) {
  typedef uint32x2_t R; typedef float32x2_t A; typedef char B; typedef char C;
  EACH(vcvt_u32_f32(a)) EACH(vcvta_u32_f32(a)) EACH(vcvtm_u32_f32(a)) EACH(vcvtn_u32_f32(a)) EACH(vcvtp_u32_f32(a))
  EACH(vcvt_n_u32_f32(a, 1))
}
static void group_22(void) {
  typedef poly8x8_t R; typedef poly8x8_t A; typedef poly8x8_t B; typedef char C;
  EACH(vmul_p8(a, b)) EACH(vsli_n_p8(a, b, 0)) EACH(vsri_n_p8(a, b, 1))
}
static void group_23(void) {
  typedef poly8x16_t R; typedef poly8x16_t A; typedef poly8x16_t B; typedef char C;
  EACH(vmulq_p8(a, b)) EACH(vsliq_n_p8(a, b, 0)) EACH(vsriq_n_p8(a, b, 1))
}
static void group_24(void) {
  typedef poly16x8_t R; typedef poly8x8_t A; typedef poly8x8_t B; typedef char C;
  EACH(vmull_p8(a, b))
}
static void group_25(void) {
  typedef uint16x8_t R; typedef uint8x8_t A; typedef uint8x8_t B; typedef char C;
  EACH(vmull_u8(a, b))
}
static void group_26(void) {
  typedef int16x8_t R; typedef int8x8_t A; typedef int8x8_t B; typedef char C;
  EACH(vmull_s8(a, b))
}
static void group_27(void) {
  typedef uint16x8_t R; typedef uint16x8_t A; typedef uint8x16_t B; typedef char C;
  EACH(vpadalq_u8(a, b))
}
static void group_28(void) {
  typedef int16x8_t R; typedef int16x8_t A; typedef int8x16_t B; typedef char C;
  EACH(vpadalq_s8(a, b))
}
static void group_29(void) {
  typedef uint16x4_t R; typedef uint16x4_t A; typedef uint8x8_t B; typedef char C;
  EACH(vpadal_u8(a, b))
}
static void group_30(void) {
  typedef uint64x1_t R; typedef uint64x1_t A; typedef uint32x2_t B; typedef char C;
  EACH(vpadal_u32(a, b))
}
static void group_31(void) {
  typedef int16x4_t R; typedef int16x4_t A; typedef int8x8_t B; typedef char C;
  EACH(vpadal_s8(a, b))
}
static void group_32(void) {
  typedef int64x1_t R; typedef int64x1_t A; typedef int32x2_t B; typedef char C;
  EACH(vpadal_s32(a, b))
}
static void group_33(void) {
  typedef uint64x1_t R; typedef uint64x1_t A; typedef uint64x1_t B; typedef char C;
  EACH(vqadd_u64(a, b)) EACH(vqsub_u64(a, b)) EACH(vsli_n_u64(a, b, 0)) EACH(vsri_n_u64(a, b, 1))
}
static void group_34(void) {
  typedef int64x1_t R; typedef int64x1_t A; typedef int64x1_t B; typedef char C;
  EACH(vqadd_s64(a, b)) EACH(vqrshl_s64(a, b)) EACH(vqshl_s64(a, b)) EACH(vqsub_s64(a, b)) EACH(vrshl_s64(a, b)) EACH(vshl_s64(a, b))
}
static void group_35(void) {
  typedef int32x4_t R; typedef int32x4_t A; typedef int32x4_t B; typedef char C;
  EACH(vqdmulhq_s32(a, b)) EACH(vqrdmulhq_s32(a, b)) EACH(vqdmulhq_laneq_s32(a, b, 0)) EACH(vqrdmulhq_laneq_s32(a, b, 0))
}
static void group_36(void) {
  typedef int32x2_t R; typedef int32x2_t A; typedef int32x2_t B; typedef char C;
  EACH(vqdmulh_s32(a, b)) EACH(vqrdmulh_s32(a, b)) EACH(vqdmulh_lane_s32(a, b, 0)) EACH(vqrdmulh_lane_s32(a, b, 0))
}
static void group_37(void) {
  typedef int64x2_t R; typedef int32x2_t A; typedef int32x2_t B; typedef char C;
  EACH(vqdmull_s32(a, b))
}
static void group_38(void) {
  typedef uint16x4_t R; typedef uint32x4_t A; typedef char B; typedef char C;
  EACH(vqmovn_u32(a)) EACH(vqrshrn_n_u32(a, 1)) EACH(vqshrn_n_u32(a, 1)) EACH(vrshrn_n_u32(a, 1))
}
static void group_39(void) {
  typedef int16x4_t R; typedef int32x4_t A; typedef char B; typedef char C;
  EACH(vqmovn_s32(a)) EACH(vqrshrn_n_s32(a, 1)) EACH(vqshrn_n_s32(a, 1))
}
static void group_40(void) {
  typedef uint16x4_t R; typedef int32x4_t A; typedef char B; typedef char C;
  EACH(vqmovun_s32(a)) EACH(vqrshrun_n_s32(a, 1)) EACH(vqshrun_n_s32(a, 1))
}
static void group_41(void) {
  typedef uint8x16_t R; typedef uint8x16_t A; typedef int8x16_t B; typedef char C;
  EACH(vqrshlq_u8(a, b)) EACH(vqshlq_u8(a, b)) EACH(vrshlq_u8(a, b)) EACH(vshlq_u8(a, b)) EACH(vsqaddq_u8(a, b))
}
static void group_42(void) {
  typedef uint8x8_t R; typedef uint8x8_t A; typedef int8x8_t B; typedef char C;
  EACH(vqrshl_u8(a, b)) EACH(vqshl_u8(a, b)) EACH(vrshl_u8(a, b)) EACH(vshl_u8(a, b))
}
static void group_43(void) {
  typedef uint64x1_t R; typedef uint64x1_t A; typedef int64x1_t B; typedef char C;
  EACH(vqrshl_u64(a, b)) EACH(vqshl_u64(a, b)) EACH(vrshl_u64(a, b)) EACH(vshl_u64(a, b)) EACH(vsqadd_u64(a, b))
}
static void group_44(void) {
  typedef uint16x4_t R; typedef uint32x4_t A; typedef uint32x4_t B; typedef char C;
  EACH(vraddhn_u32(a, b)) EACH(vrsubhn_u32(a, b))
}
static void group_45(void) {
  typedef uint32x4_t R; typedef uint32x4_t A; typedef char B; typedef char C;
  EACH(vrecpeq_u32(a)) EACH(vrsqrteq_u32(a))
}
static void group_46(void) {
  typedef float32x4_t R; typedef float32x4_t A; typedef char B; typedef char C;
  SINGLES(vrecpeq_f32(a)) SINGLES(vrsqrteq_f32(a)) SINGLES(vrnd32xq_f32(a)) SINGLES(vrnd32zq_f32(a)) SINGLES(vrnd64xq_f32(a))
  SINGLES(vrnd64zq_f32(a))
}
static void group_47(void) {
  typedef uint32x2_t R; typedef uint32x2_t A; typedef char B; typedef char C;
  EACH(vrecpe_u32(a)) EACH(vrsqrte_u32(a))
}
static void group_48(void) {
  typedef float32x2_t R; typedef float32x2_t A; typedef char B; typedef char C;
  SINGLES(vrecpe_f32(a)) SINGLES(vrsqrte_f32(a)) SINGLES(vrnd32x_f32(a)) SINGLES(vrnd32z_f32(a)) SINGLES(vrnd64x_f32(a))
  SINGLES(vrnd64z_f32(a))
}
static void group_49(void) {
  typedef poly8x8_t R; typedef poly8x8_t A; typedef uint8x8_t B; typedef char C;
  EACH(vtbl1_p8(a, b))
}
static void group_50(void) {
  typedef poly8x8_t R; typedef poly8x8x3_t A; typedef uint8x8_t B; typedef char C;
  EACH(vtbl3_p8(a, b))
}
static void group_51(void) {
  typedef poly8x8_t R; typedef poly8x8_t A; typedef poly8x8x2_t B; typedef uint8x8_t C;
  EACH(vtbx2_p8(a, b, c))
}
static void group_52(void) {
  typedef poly8x8_t R; typedef poly8x8_t A; typedef poly8x8x4_t B; typedef uint8x8_t C;
  EACH(vtbx4_p8(a, b, c))
}
static void group_53(void) {
  typedef int32x4_t R; typedef int32x4_t A; typedef int32x4_t B; typedef int32x4_t C;
  EACH(vqrdmlahq_s32(a, b, c)) EACH(vqrdmlshq_s32(a, b, c))
}
static void group_54(void) {
  typedef int32x2_t R; typedef int32x2_t A; typedef int32x2_t B; typedef int32x2_t C;
  EACH(vqrdmlah_s32(a, b, c)) EACH(vqrdmlsh_s32(a, b, c))
}
static void group_55(void) {
  typedef float32x4_t R; typedef float32x4_t A; typedef float32x4_t B; typedef float32x4_t C;
  SINGLES(vcmlaq_f32(a, b, c)) SINGLES(vcmlaq_rot180_f32(a, b, c)) SINGLES(vcmlaq_rot270_f32(a, b, c))
  SINGLES(vcmlaq_rot90_f32(a, b, c))
}
static void group_56(void) {
  typedef float32x2_t R; typedef float32x2_t A; typedef float32x2_t B; typedef float32x2_t C;
  SINGLES(vcmla_f32(a, b, c)) SINGLES(vcmla_rot180_f32(a, b, c)) SINGLES(vcmla_rot270_f32(a, b, c)) SINGLES(vcmla_rot90_f32(a, b, c))
}
static void group_57(void) {
  typedef float64x2_t R; typedef float64x2_t A; typedef float64x2_t B; typedef char C;
  DOUBLES(vmaxnmq_f64(a, b)) DOUBLES(vminnmq_f64(a, b)) DOUBLES(vmulxq_f64(a, b)) DOUBLES(vpaddq_f64(a, b)) DOUBLES(vpmaxq_f64(a, b))
  DOUBLES(vpmaxnmq_f64(a, b)) DOUBLES(vpminq_f64(a, b)) DOUBLES(vpminnmq_f64(a, b))
}
static void group_58(void) {
  typedef float64x1_t R; typedef float64x1_t A; typedef float64x1_t B; typedef char C;
  DOUBLES(vmaxnm_f64(a, b)) DOUBLES(vminnm_f64(a, b)) DOUBLES(vabd_f64(a, b)) DOUBLES(vmax_f64(a, b)) DOUBLES(vmin_f64(a, b))
  DOUBLES(vmulx_f64(a, b)) DOUBLES(vrecps_f64(a, b)) DOUBLES(vrsqrts_f64(a, b))
}
static void group_59(void) {
  typedef uint8x16_t R; typedef uint8x16_t A; typedef char B; typedef char C;
  EACH(vaesimcq_u8(a)) EACH(vaesmcq_u8(a))
}
static void group_60(void) {
  typedef uint32x4_t R; typedef uint32x4_t A; typedef uint32_t B; typedef uint32x4_t C;
  EACH(vsha1cq_u32(a, b, c)) EACH(vsha1mq_u32(a, b, c)) EACH(vsha1pq_u32(a, b, c))
}
static void group_61(void) {
  typedef uint32_t R; typedef uint32_t A; typedef char B; typedef char C;
  EACH(vsha1h_u32(a))
}
static void group_62(void) {
  typedef uint32x4_t R; typedef uint32x4_t A; typedef uint32x4_t B; typedef uint32x4_t C;
  EACH(vsha1su0q_u32(a, b, c)) EACH(vsha256hq_u32(a, b, c)) EACH(vsha256h2q_u32(a, b, c)) EACH(vsha256su1q_u32(a, b, c))
  EACH(vsm3partw1q_u32(a, b, c)) EACH(vsm3partw2q_u32(a, b, c)) EACH(vsm3ss1q_u32(a, b, c)) EACH(vsm3tt1aq_u32(a, b, c, 0))
  EACH(vsm3tt1bq_u32(a, b, c, 0)) EACH(vsm3tt2aq_u32(a, b, c, 0)) EACH(vsm3tt2bq_u32(a, b, c, 0))
}
static void group_63(void) {
  typedef uint32x4_t R; typedef uint32x4_t A; typedef uint32x4_t B; typedef char C;
  EACH(vsha1su1q_u32(a, b)) EACH(vsha256su0q_u32(a, b)) EACH(vsm4eq_u32(a, b)) EACH(vsm4ekeyq_u32(a, b))
}
static void group_64(void) {
  typedef float64_t R; typedef float64_t A; typedef float64_t B; typedef char C;
  DOUBLES(vabdd_f64(a, b)) DOUBLES(vmulxd_f64(a, b)) DOUBLES(vrecpsd_f64(a, b)) DOUBLES(vrsqrtsd_f64(a, b))
}
static void group_65(void) {
  typedef int64x1_t R; typedef int64x1_t A; typedef char B; typedef char C;
  EACH(vabs_s64(a)) EACH(vqabs_s64(a)) EACH(vqneg_s64(a))
}
static void group_66(void) {
  typedef int64_t R; typedef int64_t A; typedef char B; typedef char C;
  EACH(vabsd_s64(a))
}
static void group_67(void) {
  typedef uint16_t R; typedef uint8x16_t A; typedef char B; typedef char C;
  EACH(vaddlvq_u8(a))
}
static void group_68(void) {
  typedef int16_t R; typedef int8x16_t A; typedef char B; typedef char C;
  EACH(vaddlvq_s8(a))
}
static void group_69(void) {
  typedef uint8_t R; typedef uint8x16_t A; typedef char B; typedef char C;
  EACH(vaddvq_u8(a)) EACH(vmaxvq_u8(a)) EACH(vminvq_u8(a))
}
static void group_70(void) {
  typedef int8_t R; typedef int8x16_t A; typedef char B; typedef char C;
  EACH(vaddvq_s8(a)) EACH(vmaxvq_s8(a)) EACH(vminvq_s8(a))
}
static void group_71(void) {
  typedef float64_t R; typedef float64x2_t A; typedef char B; typedef char C;
  DOUBLES(vaddvq_f64(a)) DOUBLES(vmaxnmvq_f64(a)) DOUBLES(vmaxvq_f64(a)) DOUBLES(vminnmvq_f64(a)) DOUBLES(vminvq_f64(a))
}
static void group_72(void) {
  typedef uint64x1_t R; typedef float64x1_t A; typedef float64x1_t B; typedef char C;
  EACH(vcage_f64(a, b)) EACH(vcagt_f64(a, b))
}
static void group_73(void) {
  typedef uint64_t R; typedef float64_t A; typedef float64_t B; typedef char C;
  EACH(vcaged_f64(a, b)) EACH(vcagtd_f64(a, b))
}
static void group_74(void) {
  typedef int32_t R; typedef float32_t A; typedef char B; typedef char C;
  EACH(vcvts_s32_f32(a)) EACH(vcvtas_s32_f32(a)) EACH(vcvtms_s32_f32(a)) EACH(vcvtns_s32_f32(a)) EACH(vcvtps_s32_f32(a))
  EACH(vcvts_n_s32_f32(a, 1))
}
static void group_75(void) {
  typedef int64x1_t R; typedef float64x1_t A; typedef char B; typedef char C;
  EACH(vcvt_s64_f64(a)) EACH(vcvta_s64_f64(a)) EACH(vcvtm_s64_f64(a)) EACH(vcvtn_s64_f64(a)) EACH(vcvtp_s64_f64(a))
  EACH(vcvt_n_s64_f64(a, 1))
}
static void group_76(void) {
  typedef uint32_t R; typedef float32_t A; typedef char B; typedef char C;
  EACH(vcvts_u32_f32(a)) EACH(vcvtas_u32_f32(a)) EACH(vcvtms_u32_f32(a)) EACH(vcvtns_u32_f32(a)) EACH(vcvtps_u32_f32(a))
  EACH(vcvts_n_u32_f32(a, 1))
}
static void group_77(void) {
  typedef uint64x1_t R; typedef float64x1_t A; typedef char B; typedef char C;
  EACH(vcvt_u64_f64(a)) EACH(vcvta_u64_f64(a)) EACH(vcvtm_u64_f64(a)) EACH(vcvtn_u64_f64(a)) EACH(vcvtp_u64_f64(a))
  EACH(vcvt_n_u64_f64(a, 1))
}
static void group_78(void) {
  typedef float32_t R; typedef float64_t A; typedef char B; typedef char C;
  SINGLES(vcvtxd_f32_f64(a))
}
static void group_79(void) {
  typedef float32x2_t R; typedef float64x2_t A; typedef char B; typedef char C;
  SINGLES(vcvtx_f32_f64(a))
}
static void group_80(void) {
  typedef int32_t R; typedef int32_t A; typedef char B; typedef char C;
  EACH(vqabss_s32(a)) EACH(vqnegs_s32(a)) EACH(vqshlus_n_s32(a, 0))
}
static void group_81(void) {
  typedef uint32_t R; typedef uint32_t A; typedef uint32_t B; typedef char C;
  EACH(vqadds_u32(a, b)) EACH(vqsubs_u32(a, b))
}
static void group_82(void) {
  typedef int32_t R; typedef int32_t A; typedef int32_t B; typedef char C;
  EACH(vqadds_s32(a, b)) EACH(vqdmulhs_s32(a, b)) EACH(vqrdmulhs_s32(a, b)) EACH(vqrshls_s32(a, b)) EACH(vqshls_s32(a, b))
  EACH(vqsubs_s32(a, b))
}
static void group_83(void) {
  typedef int64_t R; typedef int32_t A; typedef int32_t B; typedef char C;
  EACH(vqdmulls_s32(a, b))
}
static void group_84(void) {
  typedef int32_t R; typedef int64_t A; typedef char B; typedef char C;
  EACH(vqmovnd_s64(a)) EACH(vqrshrnd_n_s64(a, 1)) EACH(vqshrnd_n_s64(a, 1))
}
static void group_85(void) {
  typedef uint32_t R; typedef uint64_t A; typedef char B; typedef char C;
  EACH(vqmovnd_u64(a)) EACH(vqrshrnd_n_u64(a, 1)) EACH(vqshrnd_n_u64(a, 1))
}
static void group_86(void) {
  typedef uint32_t R; typedef int64_t A; typedef char B; typedef char C;
  EACH(vqmovund_s64(a)) EACH(vqrshrund_n_s64(a, 1)) EACH(vqshrund_n_s64(a, 1))
}
static void group_87(void) {
  typedef uint32_t R; typedef uint32_t A; typedef int32_t B; typedef char C;
  EACH(vqrshls_u32(a, b)) EACH(vqshls_u32(a, b)) EACH(vsqadds_u32(a, b))
}
static void group_88(void) {
  typedef poly8x16_t R; typedef poly8x16_t A; typedef uint8x16_t B; typedef char C;
  EACH(vqtbl1q_p8(a, b))
}
static void group_89(void) {
  typedef poly8x16_t R; typedef poly8x16x2_t A; typedef uint8x16_t B; typedef char C;
  EACH(vqtbl2q_p8(a, b))
}
static void group_90(void) {
  typedef poly8x8_t R; typedef poly8x16x3_t A; typedef uint8x8_t B; typedef char C;
  EACH(vqtbl3_p8(a, b))
}
static void group_91(void) {
  typedef poly8x16_t R; typedef poly8x16x3_t A; typedef uint8x16_t B; typedef char C;
  EACH(vqtbl3q_p8(a, b))
}
static void group_92(void) {
  typedef poly8x8_t R; typedef poly8x16x4_t A; typedef uint8x8_t B; typedef char C;
  EACH(vqtbl4_p8(a, b))
}
static void group_93(void) {
  typedef poly8x16_t R; typedef poly8x16x4_t A; typedef uint8x16_t B; typedef char C;
  EACH(vqtbl4q_p8(a, b))
}
static void group_94(void) {
  typedef poly8x16_t R; typedef poly8x16_t A; typedef poly8x16_t B; typedef uint8x16_t C;
  EACH(vqtbx1q_p8(a, b, c))
}
static void group_95(void) {
  typedef poly8x16_t R; typedef poly8x16_t A; typedef poly8x16x2_t B; typedef uint8x16_t C;
  EACH(vqtbx2q_p8(a, b, c))
}
static void group_96(void) {
  typedef poly8x8_t R; typedef poly8x8_t A; typedef poly8x16x3_t B; typedef uint8x8_t C;
  EACH(vqtbx3_p8(a, b, c))
}
static void group_97(void) {
  typedef poly8x16_t R; typedef poly8x16_t A; typedef poly8x16x3_t B; typedef uint8x16_t C;
  EACH(vqtbx3q_p8(a, b, c))
}
static void group_98(void) {
  typedef poly8x8_t R; typedef poly8x8_t A; typedef poly8x16x4_t B; typedef uint8x8_t C;
  EACH(vqtbx4_p8(a, b, c))
}
static void group_99(void) {
  typedef poly8x16_t R; typedef poly8x16_t A; typedef poly8x16x4_t B; typedef uint8x16_t C;
  EACH(vqtbx4q_p8(a, b, c))
}
static void group_100(void) {
  typedef float64x1_t R; typedef float64x1_t A; typedef char B; typedef char C;
  DOUBLES(vrecpe_f64(a)) DOUBLES(vrsqrte_f64(a)) DOUBLES(vrnd32x_f64(a)) DOUBLES(vrnd32z_f64(a)) DOUBLES(vrnd64x_f64(a))
  DOUBLES(vrnd64z_f64(a))
}
static void group_101(void) {
  typedef float64_t R; typedef float64_t A; typedef char B; typedef char C;
  DOUBLES(vrecped_f64(a)) DOUBLES(vrecpxd_f64(a)) DOUBLES(vrsqrted_f64(a))
}
static void group_102(void) {
  typedef uint64_t R; typedef uint64_t A; typedef int64_t B; typedef char C;
  EACH(vrshld_u64(a, b)) EACH(vshld_u64(a, b))
}
static void group_103(void) {
  typedef int64_t R; typedef int64_t A; typedef int64_t B; typedef char C;
  EACH(vrshld_s64(a, b)) EACH(vshld_s64(a, b))
}
static void group_104(void) {
  typedef uint8_t R; typedef uint8_t A; typedef int8_t B; typedef char C;
  EACH(vsqaddb_u8(a, b))
}
static void group_105(void) {
  typedef int8_t R; typedef int8_t A; typedef uint8_t B; typedef char C;
  EACH(vuqaddb_s8(a, b))
}
static void group_106(void) {
  typedef int32_t R; typedef int32_t A; typedef uint32_t B; typedef char C;
  EACH(vuqadds_s32(a, b))
}
static void group_107(void) {
  typedef int8x16_t R; typedef int8x16_t A; typedef uint8x16_t B; typedef char C;
  EACH(vuqaddq_s8(a, b))
}
static void group_108(void) {
  typedef int64x1_t R; typedef int64x1_t A; typedef uint64x1_t B; typedef char C;
  EACH(vuqadd_s64(a, b))
}
static void group_109(void) {
  typedef uint8x16_t R; typedef uint8x16_t A; typedef uint8x16_t B; typedef uint8x16_t C;
  EACH(vbcaxq_u8(a, b, c)) EACH(veor3q_u8(a, b, c))
}
static void group_110(void) {
  typedef int8x16_t R; typedef int8x16_t A; typedef int8x16_t B; typedef int8x16_t C;
  EACH(vbcaxq_s8(a, b, c)) EACH(veor3q_s8(a, b, c))
}
static void group_111(void) {
  typedef uint64x2_t R; typedef uint64x2_t A; typedef uint64x2_t B; typedef char C;
  EACH(vrax1q_u64(a, b)) EACH(vsha512su0q_u64(a, b)) EACH(vxarq_u64(a, b, 0))
}
static void group_112(void) {
  typedef uint64x2_t R; typedef uint64x2_t A; typedef uint64x2_t B; typedef uint64x2_t C;
  EACH(vsha512hq_u64(a, b, c)) EACH(vsha512h2q_u64(a, b, c)) EACH(vsha512su1q_u64(a, b, c))
}
static void group_113(void) {
  typedef int32_t R; typedef int32_t A; typedef int32_t B; typedef int32_t C;
  EACH(vqrdmlahs_s32(a, b, c)) EACH(vqrdmlshs_s32(a, b, c))
}
static void group_114(void) {
  typedef float32x4_t R; typedef uint32x4_t A; typedef char B; typedef char C;
  SINGLES(vcvtq_n_f32_u32(a, 1))
}
static void group_115(void) {
  typedef float32x4_t R; typedef int32x4_t A; typedef char B; typedef char C;
  SINGLES(vcvtq_n_f32_s32(a, 1))
}
static void group_116(void) {
  typedef float32x2_t R; typedef uint32x2_t A; typedef char B; typedef char C;
  SINGLES(vcvt_n_f32_u32(a, 1))
}
static void group_117(void) {
  typedef float32x2_t R; typedef int32x2_t A; typedef char B; typedef char C;
  SINGLES(vcvt_n_f32_s32(a, 1))
}
static void group_118(void) {
  typedef poly8x8x2_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1_p8_x2(in)) EACH(vld2_p8(in)) EACH(vld2_dup_p8(in))
}
static void group_119(void) {
  typedef poly8x16x2_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1q_p8_x2(in)) EACH(vld2q_p8(in)) EACH(vld2q_dup_p8(in))
}
static void group_120(void) {
  typedef uint64x1x2_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1_u64_x2(in)) EACH(vld2_u64(in)) EACH(vld2_dup_u64(in))
}
static void group_121(void) {
  typedef poly8x8x3_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1_p8_x3(in)) EACH(vld3_p8(in)) EACH(vld3_dup_p8(in))
}
static void group_122(void) {
  typedef poly8x16x3_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1q_p8_x3(in)) EACH(vld3q_p8(in)) EACH(vld3q_dup_p8(in))
}
static void group_123(void) {
  typedef uint64x1x3_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1_u64_x3(in)) EACH(vld3_u64(in)) EACH(vld3_dup_u64(in))
}
static void group_124(void) {
  typedef poly8x8x4_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1_p8_x4(in)) EACH(vld4_p8(in)) EACH(vld4_dup_p8(in))
}
static void group_125(void) {
  typedef poly8x16x4_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1q_p8_x4(in)) EACH(vld4q_p8(in)) EACH(vld4q_dup_p8(in))
}
static void group_126(void) {
  typedef uint64x1x4_t R; typedef char A; typedef char B; typedef char C;
  EACH(vld1_u64_x4(in)) EACH(vld4_u64(in)) EACH(vld4_dup_u64(in))
}
static void group_127(void) {
  typedef poly8x8x2_t R; typedef poly8x8x2_t A; typedef char B; typedef char C;
  EACH(vld2_lane_p8(in, a, 0))
}
static void group_128(void) {
  typedef poly16x8x2_t R; typedef poly16x8x2_t A; typedef char B; typedef char C;
  EACH(vld2q_lane_p16(in, a, 0))
}
static void group_129(void) {
  typedef poly8x8x3_t R; typedef poly8x8x3_t A; typedef char B; typedef char C;
  EACH(vld3_lane_p8(in, a, 0))
}
static void group_130(void) {
  typedef poly16x8x3_t R; typedef poly16x8x3_t A; typedef char B; typedef char C;
  EACH(vld3q_lane_p16(in, a, 0))
}
static void group_131(void) {
  typedef poly8x8x4_t R; typedef poly8x8x4_t A; typedef char B; typedef char C;
  EACH(vld4_lane_p8(in, a, 0))
}
static void group_132(void) {
  typedef poly16x8x4_t R; typedef poly16x8x4_t A; typedef char B; typedef char C;
  EACH(vld4q_lane_p16(in, a, 0))
}
static void group_133(void) {
  typedef uint8x16_t R; typedef int8x16_t A; typedef char B; typedef char C;
  EACH(vqshluq_n_s8(a, 0))
}
static void group_134(void) {
  typedef uint8x8_t R; typedef int8x8_t A; typedef char B; typedef char C;
  EACH(vqshlu_n_s8(a, 0))
}
static void group_135(void) {
  typedef uint64x1_t R; typedef int64x1_t A; typedef char B; typedef char C;
  EACH(vqshlu_n_s64(a, 0))
}
static void group_136(void) {
  typedef poly8x8x2_t A; typedef char B; typedef char C;
  STORES(vst1_p8_x2(out, a)) STORES(vst2_p8(out, a)) STORES(vst2_lane_p8(out, a, 0))
}
static void group_137(void) {
  typedef poly8x16x2_t A; typedef char B; typedef char C;
  STORES(vst1q_p8_x2(out, a)) STORES(vst2q_p8(out, a))
}
static void group_138(void) {
  typedef uint64x1x2_t A; typedef char B; typedef char C;
  STORES(vst1_u64_x2(out, a)) STORES(vst2_u64(out, a))
}
static void group_139(void) {
  typedef poly8x8x3_t A; typedef char B; typedef char C;
  STORES(vst1_p8_x3(out, a)) STORES(vst3_p8(out, a)) STORES(vst3_lane_p8(out, a, 0))
}
static void group_140(void) {
  typedef poly8x16x3_t A; typedef char B; typedef char C;
  STORES(vst1q_p8_x3(out, a)) STORES(vst3q_p8(out, a))
}
static void group_141(void) {
  typedef uint64x1x3_t A; typedef char B; typedef char C;
  STORES(vst1_u64_x3(out, a)) STORES(vst3_u64(out, a))
}
static void group_142(void) {
  typedef poly8x8x4_t A; typedef char B; typedef char C;
  STORES(vst1_p8_x4(out, a)) STORES(vst4_p8(out, a)) STORES(vst4_lane_p8(out, a, 0))
}
static void group_143(void) {
  typedef poly8x16x4_t A; typedef char B; typedef char C;
  STORES(vst1q_p8_x4(out, a)) STORES(vst4q_p8(out, a))
}
static void group_144(void) {
  typedef uint64x1x4_t A; typedef char B; typedef char C;
  STORES(vst1_u64_x4(out, a)) STORES(vst4_u64(out, a))
}
static void group_145(void) {
  typedef poly16x8x2_t A; typedef char B; typedef char C;
  STORES(vst2q_lane_p16(out, a, 0))
}
static void group_146(void) {
  typedef poly16x8x3_t A; typedef char B; typedef char C;
  STORES(vst3q_lane_p16(out, a, 0))
}
static void group_147(void) {
  typedef poly16x8x4_t A; typedef char B; typedef char C;
  STORES(vst4q_lane_p16(out, a, 0))
}
static void group_148(void) {
  typedef float32_t R; typedef uint32_t A; typedef char B; typedef char C;
  SINGLES(vcvts_n_f32_u32(a, 1))
}
static void group_149(void) {
  typedef float32_t R; typedef int32_t A; typedef char B; typedef char C;
  SINGLES(vcvts_n_f32_s32(a, 1))
}
static void group_150(void) {
  typedef float64x1_t R; typedef uint64x1_t A; typedef char B; typedef char C;
  DOUBLES(vcvt_n_f64_u64(a, 1))
}
static void group_151(void) {
  typedef float64x1_t R; typedef int64x1_t A; typedef char B; typedef char C;
  DOUBLES(vcvt_n_f64_s64(a, 1))
}
static void group_152(void) {
  typedef poly64x1x2_t R; typedef poly64x1x2_t A; typedef char B; typedef char C;
  EACH(vld2_lane_p64(in, a, 0))
}
static void group_153(void) {
  typedef poly64x1x3_t R; typedef poly64x1x3_t A; typedef char B; typedef char C;
  EACH(vld3_lane_p64(in, a, 0))
}
static void group_154(void) {
  typedef poly64x1x4_t R; typedef poly64x1x4_t A; typedef char B; typedef char C;
  EACH(vld4_lane_p64(in, a, 0))
}
static void group_155(void) {
  typedef int32x4_t R; typedef int32x4_t A; typedef int32x2_t B; typedef char C;
  EACH(vqdmulhq_lane_s32(a, b, 0)) EACH(vqrdmulhq_lane_s32(a, b, 0))
}
static void group_156(void) {
  typedef int32x2_t R; typedef int32x2_t A; typedef int32x4_t B; typedef char C;
  EACH(vqdmulh_laneq_s32(a, b, 0)) EACH(vqrdmulh_laneq_s32(a, b, 0))
}
static void group_157(void) {
  typedef poly64x1x2_t A; typedef char B; typedef char C;
  STORES(vst2_lane_p64(out, a, 0))
}
static void group_158(void) {
  typedef poly64x1x3_t A; typedef char B; typedef char C;
  STORES(vst3_lane_p64(out, a, 0))
}
static void group_159(void) {
  typedef poly64x1x4_t A; typedef char B; typedef char C;
  STORES(vst4_lane_p64(out, a, 0))
}
static void halves(void) {
  typedef float16x8x3_t R; typedef float16x8x3_t A; typedef char B; typedef char C;
  EACH(vld3q_f16((const float16_t *)in)) EACH(vld1q_f16_x3((const float16_t *)in)) EACH(vld3q_dup_f16((const float16_t *)in))
  EACH(vld3q_lane_f16((const float16_t *)in, a, 5)) STORES(vst3q_f16((float16_t *)out, a))
  STORES(vst3q_lane_f16((float16_t *)out, a, 6)) STORES(vst1q_f16_x3((float16_t *)out, a))
}
static void short_halves(void) {
  typedef float16x4x2_t R; typedef float16x4x2_t A; typedef char B; typedef char C;
  EACH(vld2_f16((const float16_t *)in)) EACH(vld2_lane_f16((const float16_t *)in, a, 3)) STORES(vst2_f16((float16_t *)out, a))
}

int main(void) {
  fill(), halves(), short_halves();
  group_0(); group_1(); group_2(); group_3(); group_4(); group_5(); group_6(); group_7(); group_8(); group_9();
  group_10(); group_11(); group_12(); group_13(); group_14(); group_15(); group_16(); group_17(); group_18(); group_19();
  group_20(); group_21(); group_22(); group_23(); group_24(); group_25(); group_26(); group_27(); group_28(); group_29();
  group_30(); group_31(); group_32(); group_33(); group_34(); group_35(); group_36(); group_37(); group_38(); group_39();
  group_40(); group_41(); group_42(); group_43(); group_44(); group_45(); group_46(); group_47(); group_48(); group_49();
  group_50(); group_51(); group_52(); group_53(); group_54(); group_55(); group_56(); group_57(); group_58(); group_59();
  group_60(); group_61(); group_62(); group_63(); group_64(); group_65(); group_66(); group_67(); group_68(); group_69();
  group_70(); group_71(); group_72(); group_73(); group_74(); group_75(); group_76(); group_77(); group_78(); group_79();
  group_80(); group_81(); group_82(); group_83(); group_84(); group_85(); group_86(); group_87(); group_88(); group_89();
  group_90(); group_91(); group_92(); group_93(); group_94(); group_95(); group_96(); group_97(); group_98(); group_99();
  group_100(); group_101(); group_102(); group_103(); group_104(); group_105(); group_106(); group_107(); group_108();
  group_109(); group_110(); group_111(); group_112(); group_113(); group_114(); group_115(); group_116(); group_117();
  group_118(); group_119(); group_120(); group_121(); group_122(); group_123(); group_124(); group_125(); group_126();
  group_127(); group_128(); group_129(); group_130(); group_131(); group_132(); group_133(); group_134(); group_135();
  group_136(); group_137(); group_138(); group_139(); group_140(); group_141(); group_142(); group_143(); group_144();
  group_145(); group_146(); group_147(); group_148(); group_149(); group_150(); group_151(); group_152(); group_153();
  group_154(); group_155(); group_156(); group_157(); group_158(); group_159();
  return 0;
}
#pragma clang attribute pop
