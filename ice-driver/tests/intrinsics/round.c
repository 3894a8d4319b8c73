// Floats rounded to integers in all directions, and the lesser and the greater of two: numbers, vectors, and what is converted next.
#include <math.h>
#include <stdio.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)
#endif
typedef float floats __attribute__((vector_size(16)));
typedef float pair __attribute__((vector_size(8)));
typedef double doubles __attribute__((vector_size(16)));
typedef float wide __attribute__((vector_size(32)));

static const double numbers[] = {0.0, -0.0, 0.5, -0.5, 0.49999999999999994, 1.5, 2.5, -1.5, -2.5, 3.7, -3.7, 1e9 + 0.5,
  -1e9 - 0.5, 4503599627370495.5, -4503599627370497.0, 9007199254740993.0, 8388607.5, -8388608.5, 1e300, -1e300, 5e-324,
  __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
enum { COUNT = sizeof numbers / sizeof numbers[0] };

static void print(double number) {
  // Of zeros the sign counts, of NaNs nothing.
  if (number != number) printf(" nan");
  else printf(" %a", number);
}

#define ROUND(name) \
  __attribute__((noinline)) static double name##_double(double x) { return __builtin_##name(x); } \
  __attribute__((noinline)) static float name##_float(float x) { return __builtin_##name##f(x); } \
  __attribute__((noinline)) static doubles name##_doubles(doubles x) { \
    return (doubles){__builtin_##name(x[0]), __builtin_##name(x[1])}; \
  } \
  static void name##_all(void) { \
    printf("%s", #name); \
    for (int k = 0; k < COUNT; k++) { \
      print(name##_double(numbers[k])), print(name##_float((float)numbers[k])); \
      doubles both = name##_doubles((doubles){numbers[k], numbers[COUNT - 1 - k]}); \
      print(both[0]), print(both[1]); \
    } \
    printf("\n"); \
  }
ROUND(floor) ROUND(ceil) ROUND(trunc) ROUND(rint) ROUND(nearbyint) ROUND(round) ROUND(roundeven)

#define ELEMENTS(name) \
  __attribute__((noinline)) static void name##_vectors(floats *a, pair *b, wide *c) { \
    *a = __builtin_elementwise_##name(*a), *b = __builtin_elementwise_##name(*b), *c = __builtin_elementwise_##name(*c); \
  }
ELEMENTS(floor) ELEMENTS(ceil) ELEMENTS(trunc) ELEMENTS(rint) ELEMENTS(nearbyint) ELEMENTS(round) ELEMENTS(roundeven)

static void vectors(const char *name, void (*f)(floats *, pair *, wide *)) {
  printf("%s", name);
  for (int k = 0; k + 8 <= COUNT; k++) {
    floats a;
    pair b;
    wide c;
    for (int n = 0; n < 8; n++) {
      float number = (float)numbers[k + n];
      c[n] = number;
      if (n < 4) a[n] = -number;
      if (n < 2) b[n] = number / 2;
    }
    f(&a, &b, &c);
    for (int n = 0; n < 8; n++) {
      print(c[n]);
      if (n < 4) print(a[n]);
      if (n < 2) print(b[n]);
    }
  }
  printf("\n");
}

#define CONVERT(name, type, call) \
  __attribute__((noinline)) static type name(double x) { return (type)call; }
CONVERT(floor_int, int, __builtin_floor(x)) CONVERT(floor_long, long long, __builtin_floor(x))
CONVERT(floor_word, unsigned, __builtin_floor(x)) CONVERT(floor_byte, signed char, __builtin_floor(x))
CONVERT(ceil_int, int, __builtin_ceilf((float)x)) CONVERT(ceil_long, unsigned long long, __builtin_ceil(x))
CONVERT(trunc_int, int, __builtin_trunc(x)) CONVERT(even_int, int, __builtin_roundeven(x))
CONVERT(round_int, int, __builtin_round(x)) CONVERT(round_word, unsigned, __builtin_roundf((float)x))
CONVERT(rint_int, int, __builtin_rint(x)) CONVERT(lround_long, long, __builtin_lround(x))
CONVERT(lrint_long, long, __builtin_lrint(x)) CONVERT(llrint_long, long long, __builtin_llrintf((float)x))

// The rounded number is used once more.
__attribute__((noinline)) static double twice(double x, int *integer) {
  double rounded = __builtin_floor(x);
  *integer = (int)rounded;
  return rounded;
}

#define EXTREMES(name) \
  __attribute__((noinline)) static double name##_double(double a, double b) { return __builtin_##name(a, b); } \
  __attribute__((noinline)) static float name##_float(float a, float b) { return __builtin_##name##f(a, b); } \
  __attribute__((noinline)) static floats name##_floats(floats a, floats b) { \
    return (floats){__builtin_##name##f(a[0], b[0]), __builtin_##name##f(a[1], b[1]), __builtin_##name##f(a[2], b[2]), \
                    __builtin_##name##f(a[3], b[3])}; \
  }
EXTREMES(fmin) EXTREMES(fmax)

static void extremes(void) {
  for (int k = 0; k < COUNT; k++)
    for (int n = 0; n < COUNT; n++) {
      double a = numbers[k], b = numbers[n];
      // Which of two zeros of different signs is less decides nobody.
      if ((float)a == 0 && (float)b == 0) continue;
      print(fmin_double(a, b)), print(fmax_double(a, b)), print(fmin_float((float)a, (float)b)), print(fmax_float((float)a, (float)b));
      floats low = fmin_floats((floats){1, (float)a, -1, 0.5f}, (floats){2, (float)b, -2, 0.25f});
      floats high = fmax_floats((floats){1, (float)a, -1, 0.5f}, (floats){2, (float)b, -2, 0.25f});
      for (int m = 0; m < 4; m++) print(low[m]), print(high[m]);
    }
  printf("\n");
}

int main(void) {
  floor_all(), ceil_all(), trunc_all(), rint_all(), nearbyint_all(), round_all(), roundeven_all();
  vectors("floor", floor_vectors), vectors("ceil", ceil_vectors), vectors("trunc", trunc_vectors);
  vectors("rint", rint_vectors), vectors("nearbyint", nearbyint_vectors);
  vectors("round", round_vectors), vectors("roundeven", roundeven_vectors);
  for (int k = 0; k < COUNT; k++) {
    double x = numbers[k];
    if (!(x > -1e9 && x < 2e9)) continue;
    printf("%d %lld %d %d %d", floor_int(x), floor_long(x), ceil_int(x), trunc_int(x), even_int(x));
    printf(" %d %d %ld %ld %lld", round_int(x), rint_int(x), lround_long(x), lrint_long(x), llrint_long(x));
    if (x >= 0) printf(" %u %llu %u", floor_word(x), ceil_long(x), round_word(x));
    if (x > -100 && x < 100) printf(" %d", floor_byte(x));
    int integer;
    print(twice(x, &integer));
    printf(" %d\n", integer);
  }
  extremes();
  return 0;
}
#if defined __x86_64__ || defined __i386__
#pragma clang attribute pop
#endif
