// Operations on floating-point numbers where the direction of rounding and the exceptions count.
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#pragma STDC FENV_ACCESS ON

static const int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
static volatile double numbers[] = {0.0, -0.0, 1.0, -1.0, 0.1, 1.0 / 3, 3.0, 2.5, -2.5, 1e308, -1e308, 1e-308, 5e-324, 0.0, 0.0, 1e10,
                                    4294967295.5, 4294967296.5, 9223372036854775808.0, 1.2e19, 0.49999999999999994, -0.5, 1e40, 1e-40,
                                    16777217.0, 123456789.75};
static volatile long long integers[] = {0, 1, -1, 0x7fffffff, 0x80000000ll, 0xffffffffll, 0x20000000000001ll, 0x123456789abcdefll,
                                        -0x123456789abcdefll, 16777217, 0x7fffffffffffffffll, -0x7fffffffffffffffll - 1,
                                        -0x7ffffffffffffbffll, -0x7fffff7fffffffffll};
enum { NUMBERS = sizeof numbers / sizeof *numbers, INTEGERS = sizeof integers / sizeof *integers };

static uint64_t of_double(double a) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof a);
    return isnan(a) ? 0x7ff8 : bits;
}

static uint64_t of_float(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof a);
    return isnan(a) ? 0x7fc0 : bits;
}

static uint64_t of_extended(long double a) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return isnan(a) ? 0x7ff8 : bits ^ (a < 0);
}

static uint64_t sum = 1469598103934665603u;

// What an operation gave, and the exceptions that it raised.
static void note(const char *name, uint64_t bits) {
    int raised = fetestexcept(FE_ALL_EXCEPT) & (FE_INEXACT | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
    sum = ((sum ^ bits) * 1099511628211u ^ raised) * 1099511628211u;
    if (name)
        printf("%s %llx %x\n", name, (unsigned long long)bits, raised);
    feclearexcept(FE_ALL_EXCEPT);
}

#define CLEAR feclearexcept(FE_ALL_EXCEPT)

__attribute__((noinline)) static void pair(double a, double b) {
    CLEAR, note(0, of_double(a + b)), note(0, of_double(a - b)), note(0, of_double(a * b)), note(0, of_double(a / b));
    note(0, a == b), note(0, a != b), note(0, a < b), note(0, a <= b), note(0, a > b), note(0, a >= b);
    note(0, isless(a, b)), note(0, islessequal(a, b)), note(0, isgreater(a, b)), note(0, isunordered(a, b));
    note(0, islessgreater(a, b)), note(0, of_double(fma(a, b, 1.0))), note(0, of_double(fmod(a, b)));
}

__attribute__((noinline)) static void pair_of_floats(float a, float b) {
    CLEAR, note(0, of_float(a + b)), note(0, of_float(a - b)), note(0, of_float(a * b)), note(0, of_float(a / b));
    note(0, a == b), note(0, a < b), note(0, a >= b), note(0, isless(a, b)), note(0, isunordered(a, b));
}

__attribute__((noinline)) static void pair_of_extended(long double a, long double b) {
    CLEAR, note(0, of_extended(a + b)), note(0, of_extended(a * b)), note(0, of_extended(a / b)), note(0, a == b);
    note(0, a < b), note(0, isless(a, b)), note(0, of_double((double)a)), note(0, of_float((float)b));
}

__attribute__((noinline)) static void one(double a) {
    CLEAR, note(0, of_double(sqrt(a))), note(0, of_float((float)a)), note(0, of_double(rint(a)));
    note(0, of_double(nearbyint(a))), note(0, of_double(floor(a))), note(0, of_double(ceil(a)));
    note(0, of_double(trunc(a))), note(0, of_double(round(a)));
    float small = a;
    CLEAR, note(0, of_float(sqrtf(small))), note(0, of_double(small)), note(0, of_float(rintf(small)));
    if (a > -2147483648.0 && a < 2147483647.0)
        CLEAR, note(0, (int)a), note(0, (int)small), note(0, lrint(a));
    if (a >= 0 && a < 4294967295.0)
        CLEAR, note(0, (unsigned)a), note(0, (unsigned)small);
#ifdef __LP64__
    if (a > -9e18 && a < 9e18)
        CLEAR, note(0, (long long)a), note(0, (long long)small), note(0, llrint(a));
    if (a >= 0 && a < 1.8e19)
        CLEAR, note(0, (unsigned long long)a), note(0, (unsigned long long)small);
#endif
}

__attribute__((noinline)) static void integer(long long a) {
    CLEAR, note(0, of_double(a)), note(0, of_float(a)), note(0, of_double((unsigned long long)a));
    note(0, of_float((unsigned long long)a)), note(0, of_double((int)a)), note(0, of_float((int)a));
    note(0, of_double((unsigned)a)), note(0, of_float((unsigned)a)), note(0, of_extended(a));
}

// The same operation in several directions, operations that nobody uses, and constants.
__attribute__((noinline)) static void order(double a, double b) {
    CLEAR;
    fesetround(FE_UPWARD);
    double up = a / b;
    fesetround(FE_DOWNWARD);
    double down = a / b;
    fesetround(FE_TONEAREST);
    note("up", of_double(up)), note("down", of_double(down)), note("differ", up != down);
    (void)(a / b);
    note("unused", 0);
    for (int i = 0; i < 4; i++) {
        fesetround(directions[i]);
        double quotient = a / b;
        note("loop", of_double(quotient));
        double constant = 1.0;
        note("constant", of_double(constant / 3.0));
    }
    fesetround(FE_TONEAREST);
}

typedef float Floats __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(32)));
typedef int Words __attribute__((vector_size(16)));

__attribute__((noinline)) static void vectors(Floats *a, Floats *b, Doubles *c) {
    CLEAR;
    Floats quotient = *a / *b;
    note("vector", of_float(quotient[0]) ^ of_float(quotient[2]) << 32);
    Words less = *a < *b, equal = *a == *b;
    note("compared", less[0] + 2 * less[1] + 4 * equal[2] + 8 * equal[3]);
    Doubles products = *c * *c;
    note("doubles", of_double(products[0]) ^ of_double(products[3]));
}

int main(void) {
    double infinity = numbers[9] * 10, nan = infinity - infinity;
    numbers[13] = infinity, numbers[14] = nan;
    order(1.0, 3.0);
    for (int mode = 0; mode < 4; mode++) {
        fesetround(directions[mode]);
        for (int i = 0; i < NUMBERS; i++) {
            one(numbers[i]);
            for (int j = 0; j < NUMBERS; j++) {
                pair(numbers[i], numbers[j]);
                pair_of_floats(numbers[i], numbers[j]);
                pair_of_extended(numbers[i], numbers[j]);
            }
            printf("%d %d %llx\n", mode, i, (unsigned long long)sum);
        }
        for (int i = 0; i < INTEGERS; i++) {
            integer(integers[i]);
            printf("%d %d %llx\n", mode, i, (unsigned long long)sum);
        }
        Floats a = {1, 2, infinity, 3}, b = {3, 0, 1, 2}, with_nan = {1, nan, 2, 3};
        Doubles c = {0.1, 0.2, 0.3, infinity};
        vectors(&a, &b, &c);
        vectors(&with_nan, &a, &c);
    }
    fesetround(FE_TONEAREST);
    return 0;
}
