// What the programs of intrinsics beyond SSE2 share: inputs at the edges and at random, and one line an intrinsic with a sum of
// all its results. Which of two NaNs a result is decides nobody, so that NaNs count alike.
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef union {
  __m256i i;
  __m256 f;
  __m256d d;
  __m128i hi;
  __m128 hf;
  __m128d hd;
  int64_t q[4];
  int32_t w[8];
  uint16_t s[16];
  uint8_t b[32];
  float fs[8];
  double ds[4];
} Any;

enum { COUNT = 96 };
static Any inputs[COUNT];

static uint64_t state = 0x123456789abcdef;
static uint64_t next(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

static const uint64_t edges[] = {0, 1, 0x7fff8000ffff0001, 0x8000000080000000, 0xffffffffffffffff, 0x0123456789abcdef,
  0x7f80ff017f80ff01, 0x8080808080808080, 0x007f00ff80007fff, 0xfedcba9876543210, 0x00000000ffffffff, 0x7fffffff80000000};
static const float singles[] = {0.0f, -0.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 1e9f, -3e9f, 8388607.5f, 65504.0f, 65520.0f, 6e-8f,
  -1e-7f, 3.1415927f, __builtin_inff(), -__builtin_inff(), __builtin_nanf("")};
static const double doubles[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2147483646.5, -2147483648.5, 3e9, 4503599627370495.5, 9e18,
  -1e19, 1e300, 1e-40, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static void fill(void) {
  for (int k = 0; k < COUNT; k++)
    for (int j = 0; j < 4; j++) {
      if (k < 24) inputs[k].q[j] = edges[next() % LENGTH(edges)];
      else if (k < 48) inputs[k].q[j] = next();
      else if (k < 56) inputs[k].q[j] = next() & 0x0707070707070707 ;
      else if (k < 64) inputs[k].q[j] = next() & 0x0000003f0000003f;
      else if (k < 76) inputs[k].fs[2 * j] = singles[next() % LENGTH(singles)], inputs[k].fs[2 * j + 1] = singles[next() % LENGTH(singles)];
      else if (k < 88) inputs[k].ds[j] = doubles[next() % LENGTH(doubles)];
      else inputs[k].fs[2 * j] = (float)(int64_t)next() / 1e15f, inputs[k].fs[2 * j + 1] = (float)(next() % 2000) / 16 - 50;
    }
}

static uint64_t sum;
static void add(const void *bytes, int size) {
  for (int k = 0; k < size; k++) sum = (sum ^ ((const uint8_t *)bytes)[k]) * 0x100000001b3;
}
static void add_singles(Any value, int count) {
  for (int k = 0; k < count; k++) {
    if (value.fs[k] != value.fs[k]) value.w[k] = 0x7fc00000;
    add(&value.w[k], 4);
  }
}
static void add_doubles(Any value, int count) {
  for (int k = 0; k < count; k++) {
    if (value.ds[k] != value.ds[k]) value.q[k] = 0x7ff8000000000000;
    add(&value.q[k], 8);
  }
}

// The operands of an expression are a, b and c; what it gives is put into a member of r.
#define EACH(label, member, expression, ...) \
  do { \
    sum = 0xcbf29ce484222325; \
    for (int k = 0; k < COUNT; k++) { \
      Any a = inputs[k], b = inputs[(k * 7 + 3) % COUNT], c = inputs[(k * 5 + 1) % COUNT], r; \
      (void)b, (void)c; \
      memset(&r, 0, sizeof r); \
      r.member = (expression); \
      __VA_ARGS__; \
    } \
    printf("%s %016llx\n", label, (unsigned long long)sum); \
  } while (0);
#define I256(e) EACH(#e, i, e, add(&r, 32))
#define F256(e) EACH(#e, f, e, add_singles(r, 8))
#define D256(e) EACH(#e, d, e, add_doubles(r, 4))
#define I128(e) EACH(#e, hi, e, add(&r, 16))
#define F128(e) EACH(#e, hf, e, add_singles(r, 4))
#define D128(e) EACH(#e, hd, e, add_doubles(r, 2))
#define WORD(e) EACH(#e, q[0], e, add(&r, 8))
