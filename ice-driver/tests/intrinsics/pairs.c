// Fractions with their exponents, and with their whole parts, sines with cosines, of all formats: intrinsics with two results for
// clang 22 if functions of libm set no errno.

#include <stdio.h>

void sincosf(float, float *, float *);
void sincos(double, double *, double *);
void sincosl(long double, long double *, long double *);

#define BOTH(type, name, suffix)                                                                                         \
    __attribute__((noinline)) type exponent_##name(type a, int *n) { return __builtin_frexp##suffix(a, n); }             \
    __attribute__((noinline)) type whole_##name(type a, type *n) { return __builtin_modf##suffix(a, n); }                 \
    __attribute__((noinline)) type sine_##name(type a, type *n) {                                                        \
        type sine;                                                                                                       \
        sincos##suffix(a, &sine, n);                                                                                     \
        return sine;                                                                                                     \
    }
BOTH(float, float, f)
BOTH(double, double, )
BOTH(long double, long, l)

int main(void) {
    for (int i = -9; i < 10; i++) {
        int n[3];
        float f[3];
        double d[3];
        long double l[3];
        f[0] = exponent_float(i * 1.7e-3f, n), f[1] = whole_float(i * 3.7f, f + 2);
        d[0] = exponent_double(i * 1.7e-30, n + 1), d[1] = whole_double(i * 3.7e9, d + 2);
        l[0] = exponent_long(i * 1.7e-300L, n + 2), l[1] = whole_long(i * 3.7e11L, l + 2);
        printf("%.9g %.9g %.9g %.17g %.17g %.17g %.20Lg %.20Lg %.20Lg %d %d %d\n", f[0], f[1], f[2], d[0], d[1], d[2], l[0], l[1],
               l[2], n[0], n[1], n[2]);
        f[0] = sine_float(i * 0.7f, f + 1);
        d[0] = sine_double(i * 0.7, d + 1);
        l[0] = sine_long(i * 0.7L, l + 1);
        printf("%.9g %.9g %.17g %.17g %.20Lg %.20Lg\n", f[0], f[1], d[0], d[1], l[0], l[1]);
    }
}
