// Conversions between floats and wide integers. Those of more than 128 bits come last, where the compiler has them.
#include "wide.h"
#include <string.h>

static void print(const void *number, unsigned size) {
    const unsigned char *bytes = number;
    while (size-- > 0)
        printf("%02x", bytes[size]);
    printf(" ");
}

// A number of 2 to the `exponent`, and a fraction.
static double scaled(unsigned exponent) {
    unsigned long long bits = (unsigned long long)(1023 + exponent) << 52 | (unsigned long long)(next() >> 12) << 32 | next();
    double number;
    memcpy(&number, &bits, 8);
    return number;
}

// Numbers beyond all finite floats are not defined in C.
static void print_floats(const double d[2], const float f[2]) {
    for (int i = 0; i < 2; i++)
        print(d + i, 8), print(d[i] < 0x1p127 && d[i] > -0x1p127 ? f + i : &(float){0}, 4);
}

#define CONVERSIONS(bits)                                                                                       \
    __attribute__((noinline)) void to_floats_##bits(double d[2], float f[2], u##bits u, s##bits s) {            \
        d[0] = u, d[1] = s, f[0] = u, f[1] = s;                                                                 \
    }                                                                                                           \
    __attribute__((noinline)) void from_floats_##bits(u##bits u[2], s##bits s[2], double d, float f) {          \
        u[0] = d, u[1] = f, s[0] = -d, s[1] = -f;                                                               \
    }                                                                                                           \
    static void test_##bits(void) {                                                                             \
        for (unsigned at = 0; at < bits; at++)                                                                  \
            for (unsigned kind = 0; kind < 8; kind++) {                                                         \
                /* The highest bit, those that are rounded away exactly a half or beside it, or any. */         \
                u##bits number = (u##bits)1 << at;                                                              \
                unsigned low = at >= 53 ? at - 53 : 0, lower = at >= 24 ? at - 24 : 0;                          \
                number |= (u##bits)(kind & 1) << low | (u##bits)(kind >> 1 & 1) << lower;                       \
                number |= (u##bits)(kind >> 2) << (at >= 54 ? next() % (at - 53) : 0);                          \
                if (kind == 7)                                                                                  \
                    number = (number << 1) - 1;                                                                 \
                double d[2];                                                                                    \
                float f[2];                                                                                     \
                to_floats_##bits(d, f, number, (s##bits)number);                                                \
                print_floats(d, f);                                                                             \
                to_floats_##bits(d, f, -number, (s##bits)-number);                                              \
                print_floats(d, f);                                                                             \
                u##bits u[2];                                                                                   \
                s##bits s[2];                                                                                   \
                double from = at + 1 < bits ? scaled(at) : 0.75;                                                \
                from_floats_##bits(u, s, from, at < 127 ? (float)from : 0.0f);                                  \
                print_##bits(u[0]), print_##bits(u[1]), print_##bits(s[0]), print_##bits(s[1]);                 \
                puts("");                                                                                       \
            }                                                                                                   \
        double d[2];                                                                                            \
        float f[2];                                                                                             \
        to_floats_##bits(d, f, 0, 0);                                                                           \
        printf("%g %g %g %g\n", d[0], d[1], f[0], f[1]);                                                        \
    }

WIDTHS(CONVERSIONS)

int main(void) { WIDTHS(TEST) }
