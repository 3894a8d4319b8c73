// Every intrinsic of SSE and SSE2 that the headers leave to the code generator, over numbers at the edges. Prints what each gives;
// which of two NaNs a result is decides nobody, so that NaNs print alike.
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

typedef union {
  __m128i i;
  __m128 f;
  __m128d d;
  unsigned char bytes[16];
  unsigned words[4];
  unsigned long long halves[2];
  float floats[4];
  double doubles[2];
} Any;

static const unsigned long long patterns[] = {
  0, 1, 0x7fff8000ffff0001, 0x8000000080000000, 0xffffffffffffffff, 0x0123456789abcdef, 0x7f80ff017f80ff01,
  0x8080808080808080, 0x007f00ff80007fff, 0xfedcba9876543210, 0x00000000ffffffff, 0x7fffffff80000000,
};
static const float floats[] = {0.0f, -0.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 1e9f, -3e9f, 8388607.5f, 4194304.5f,
                               __builtin_inff(), -__builtin_inff(), __builtin_nanf("")};
static const double doubles[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2147483646.5, -2147483648.5, 3e9, 4503599627370495.5,
                                 9e18, -1e19, 1e300, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void print_ints(const char *name, __m128i value) {
  Any any = {value};
  printf("%s %016llx%016llx\n", name, any.halves[1], any.halves[0]);
}
static void print_floats(const char *name, __m128 value) {
  Any any = {.f = value};
  printf("%s", name);
  for (int k = 0; k < 4; k++)
    if (any.floats[k] != any.floats[k]) printf(" nan"); else printf(" %08x", any.words[k]);
  printf("\n");
}
static void print_doubles(const char *name, __m128d value) {
  Any any = {.d = value};
  printf("%s", name);
  for (int k = 0; k < 2; k++)
    if (any.doubles[k] != any.doubles[k]) printf(" nan"); else printf(" %016llx", any.halves[k]);
  printf("\n");
}

#define INTS(f) print_ints(#f, f(a, b));
#define SHIFTS(f) print_ints(#f, f(a, 0)), print_ints(#f, f(a, 1)), print_ints(#f, f(a, 7)), print_ints(#f, f(a, 15)), \
  print_ints(#f, f(a, 16)), print_ints(#f, f(a, 31)), print_ints(#f, f(a, 63)), print_ints(#f, f(a, 64)), print_ints(#f, f(a, count));

__attribute__((noinline)) static void ints(__m128i a, __m128i b, int count) {
  INTS(_mm_avg_epu8) INTS(_mm_avg_epu16) INTS(_mm_mulhi_epi16) INTS(_mm_mulhi_epu16) INTS(_mm_madd_epi16) INTS(_mm_sad_epu8)
  INTS(_mm_packs_epi32) INTS(_mm_packs_epi16) INTS(_mm_packus_epi16)
  INTS(_mm_adds_epi8) INTS(_mm_subs_epu16) INTS(_mm_max_epi16) INTS(_mm_min_epu8) INTS(_mm_mul_epu32)
  INTS(_mm_unpacklo_epi8) INTS(_mm_cmpgt_epi8) INTS(_mm_andnot_si128)
  SHIFTS(_mm_slli_epi16) SHIFTS(_mm_slli_epi32) SHIFTS(_mm_slli_epi64) SHIFTS(_mm_srli_epi16) SHIFTS(_mm_srli_epi32)
  SHIFTS(_mm_srli_epi64) SHIFTS(_mm_srai_epi16) SHIFTS(_mm_srai_epi32)
  __m128i amount = _mm_set_epi64x(-1, count);
  print_ints("sll16", _mm_sll_epi16(a, amount)), print_ints("sll32", _mm_sll_epi32(a, amount));
  print_ints("sll64", _mm_sll_epi64(a, amount)), print_ints("srl16", _mm_srl_epi16(a, amount));
  print_ints("srl32", _mm_srl_epi32(a, amount)), print_ints("srl64", _mm_srl_epi64(a, amount));
  print_ints("sra16", _mm_sra_epi16(a, b)), print_ints("sra32", _mm_sra_epi32(a, amount));
  print_ints("bslli", _mm_slli_si128(a, 3)), print_ints("bsrli", _mm_srli_si128(a, 5));
  printf("signs %x %x %x\n", _mm_movemask_epi8(a), _mm_movemask_ps(_mm_castsi128_ps(a)), _mm_movemask_pd(_mm_castsi128_pd(a)));
  Any place = {b};
  _mm_maskmoveu_si128(a, b, (char *)place.bytes);
  print_ints("maskmove", place.i);
  print_floats("cvtepi32", _mm_cvtepi32_ps(a)), print_doubles("cvtepi32", _mm_cvtepi32_pd(a));
}

#define FLOATS(f) print_floats(#f, f(a, b));
#define FLAGS(f) printf(#f " %d\n", f(a, b));

__attribute__((noinline)) static void singles(__m128 a, __m128 b) {
  FLOATS(_mm_min_ps) FLOATS(_mm_min_ss) FLOATS(_mm_max_ps) FLOATS(_mm_max_ss)
  print_ints("cmp", _mm_castps_si128(_mm_cmpeq_ps(a, b))), print_ints("cmp", _mm_castps_si128(_mm_cmplt_ps(a, b)));
  print_ints("cmp", _mm_castps_si128(_mm_cmple_ps(a, b))), print_ints("cmp", _mm_castps_si128(_mm_cmpunord_ps(a, b)));
  print_ints("cmp", _mm_castps_si128(_mm_cmpneq_ps(a, b))), print_ints("cmp", _mm_castps_si128(_mm_cmpnlt_ps(a, b)));
  print_ints("cmp", _mm_castps_si128(_mm_cmpnle_ps(a, b))), print_ints("cmp", _mm_castps_si128(_mm_cmpord_ps(a, b)));
  FLOATS(_mm_cmpngt_ss) FLOATS(_mm_cmpge_ss)
  printf("cmpss %x %x\n", _mm_cvtsi128_si32(_mm_castps_si128(_mm_cmplt_ss(a, b))), _mm_cvtsi128_si32(_mm_castps_si128(_mm_cmpneq_ss(a, b))));
  FLAGS(_mm_comieq_ss) FLAGS(_mm_comilt_ss) FLAGS(_mm_comile_ss) FLAGS(_mm_comigt_ss) FLAGS(_mm_comige_ss) FLAGS(_mm_comineq_ss)
  FLAGS(_mm_ucomieq_ss) FLAGS(_mm_ucomilt_ss) FLAGS(_mm_ucomile_ss) FLAGS(_mm_ucomigt_ss) FLAGS(_mm_ucomige_ss) FLAGS(_mm_ucomineq_ss)
  printf("to int %d %d\n", _mm_cvtss_si32(a), _mm_cvttss_si32(a));
#ifdef __x86_64__
  printf("to long %lld %lld\n", _mm_cvtss_si64(a), _mm_cvttss_si64(a));
#endif
  print_ints("cvtps", _mm_cvtps_epi32(a)), print_ints("cvttps", _mm_cvttps_epi32(a));
  print_floats("sqrt", _mm_sqrt_ss(_mm_max_ps(a, b))), print_doubles("cvtps_pd", _mm_cvtps_pd(a));
}

#undef FLOATS
#define FLOATS(f) print_doubles(#f, f(a, b));

__attribute__((noinline)) static void pairs(__m128d a, __m128d b) {
  FLOATS(_mm_min_pd) FLOATS(_mm_min_sd) FLOATS(_mm_max_pd) FLOATS(_mm_max_sd)
  print_ints("cmp", _mm_castpd_si128(_mm_cmpeq_pd(a, b))), print_ints("cmp", _mm_castpd_si128(_mm_cmpnlt_pd(a, b)));
  print_ints("cmp", _mm_castpd_si128(_mm_cmple_sd(a, _mm_setzero_pd()))), print_ints("cmp", _mm_castpd_si128(_mm_cmpord_pd(a, b)));
  FLAGS(_mm_comieq_sd) FLAGS(_mm_comilt_sd) FLAGS(_mm_comile_sd) FLAGS(_mm_comigt_sd) FLAGS(_mm_comige_sd) FLAGS(_mm_comineq_sd)
  FLAGS(_mm_ucomieq_sd) FLAGS(_mm_ucomilt_sd) FLAGS(_mm_ucomile_sd) FLAGS(_mm_ucomigt_sd) FLAGS(_mm_ucomige_sd) FLAGS(_mm_ucomineq_sd)
  printf("to int %d %d\n", _mm_cvtsd_si32(a), _mm_cvttsd_si32(a));
#ifdef __x86_64__
  printf("to long %lld %lld\n", _mm_cvtsd_si64(a), _mm_cvttsd_si64(a));
#endif
  print_ints("cvtpd", _mm_cvtpd_epi32(a)), print_ints("cvttpd", _mm_cvttpd_epi32(a));
  print_floats("cvtpd_ps", _mm_cvtpd_ps(a)), print_floats("cvtsd_ss", _mm_cvtsd_ss(_mm_set1_ps(7), a));
}

int main(void) {
  int counts[] = {0, 1, 5, 15, 16, 17, 31, 32, 63, 64, 1000, -1};
  for (unsigned k = 0; k < COUNT(patterns); k++)
    for (unsigned n = 0; n < COUNT(patterns); n++) {
      __m128i a = _mm_set_epi64x(patterns[k], patterns[n]), b = _mm_set_epi64x(patterns[n], patterns[(k + n) % COUNT(patterns)]);
      ints(a, b, counts[(k + n) % COUNT(counts)]);
    }
  for (unsigned k = 0; k < COUNT(floats); k++)
    for (unsigned n = 0; n < COUNT(floats); n++)
      singles(_mm_set_ps(floats[n], floats[k], 3.5f, floats[k]), _mm_set_ps(floats[k], 1.0f, floats[n], floats[n]));
  for (unsigned k = 0; k < COUNT(doubles); k++)
    for (unsigned n = 0; n < COUNT(doubles); n++)
      pairs(_mm_set_pd(doubles[n], doubles[k]), _mm_set_pd(doubles[k], doubles[n]));
  _mm_sfence(), _mm_lfence(), _mm_mfence(), _mm_pause();
  return 0;
}
