// Conversions between `long double` and wide integers, against the fields of the format and integer arithmetic.
#include "wide.h"
#include <string.h>

typedef unsigned long long u64;

static unsigned checks, failures;

static void check(int is_right, const char *what, unsigned bits, unsigned at, unsigned kind) {
    checks++;
    if (!is_right && failures++ < 20)
        printf("%s of %u bits, bit %u, kind %u\n", what, bits, at, kind);
}

static long double number_of(u64 significand, unsigned upper) {
    long double number = 0;
    memcpy(&number, &significand, 8);
    memcpy((char *)&number + 8, &upper, 2);
    return number;
}

static int is_number(long double number, u64 significand, unsigned upper) {
    return memcmp(&number, &significand, 8) == 0 && memcmp((char *)&number + 8, &upper, 2) == 0;
}

#define CONVERSIONS(bits)                                                                                       \
    __attribute__((noinline)) long double unsigned_to_##bits(u##bits u) { return u; }                           \
    __attribute__((noinline)) long double signed_to_##bits(s##bits s) { return s; }                             \
    __attribute__((noinline)) u##bits unsigned_from_##bits(long double d) { return d; }                         \
    __attribute__((noinline)) s##bits signed_from_##bits(long double d) { return d; }                           \
    /* To the even one of two. */                                                                               \
    static int is_nearest_##bits(long double number, u##bits u, unsigned sign) {                                \
        if (u == 0)                                                                                             \
            return is_number(number, 0, 0);                                                                     \
        unsigned top = bits - 1;                                                                                \
        while (!(u >> top & 1))                                                                                 \
            top--;                                                                                              \
        u64 significand = top <= 63 ? (u64)u << (63 - top) : (u64)(u >> (top - 63));                            \
        if (top > 63) {                                                                                         \
            u##bits half = (u##bits)1 << (top - 64), rest = u & (half * 2 - 1);                                 \
            if (rest > half || (rest == half && (significand & 1)))                                             \
                if (++significand == 0)                                                                         \
                    significand = 1ull << 63, top++;                                                            \
        }                                                                                                       \
        return is_number(number, significand, sign | (16383 + top));                                            \
    }                                                                                                           \
    static void test_##bits(void) {                                                                             \
        for (unsigned at = 0; at < bits; at++)                                                                  \
            for (unsigned kind = 0; kind < 24; kind++) {                                                        \
                /* The highest bit, what is rounded exactly at a half or beside it, or any. */                  \
                u##bits u = (u##bits)1 << at;                                                                   \
                unsigned half = at >= 64 ? at - 64 : 0;                                                         \
                u |= (u##bits)(kind & 1) << half | (u##bits)(kind >> 1 & 1) << (half + (at >= 64));             \
                u |= (u##bits)(kind >> 2 & 1) << (half ? next() % half : 0);                                    \
                if (kind >= 8)                                                                                  \
                    for (unsigned i = 0; i < at; i++)                                                           \
                        u |= (u##bits)(kind == 8 || (next() >> 30 & 1)) << i;                                   \
                check(is_nearest_##bits(unsigned_to_##bits(u), u, 0), "unsigned", bits, at, kind);              \
                s##bits s = (s##bits)u;                                                                         \
                u##bits size = s < 0 ? -u : u;                                                                  \
                check(is_nearest_##bits(signed_to_##bits(s), size, s < 0 ? 0x8000 : 0), "signed", bits, at, kind); \
                s##bits minus = (s##bits)-u;                                                                    \
                check(is_nearest_##bits(signed_to_##bits(minus), size, minus < 0 ? 0x8000 : 0), "negated", bits, at, kind); \
                u64 significand = 1ull << 63 | (u64)next() << 31 | next();                                      \
                u##bits whole = at >= 63 ? (u##bits)significand << (at - 63) : (u##bits)(significand >> (63 - at)); \
                check(unsigned_from_##bits(number_of(significand, 16383 + at)) == whole, "to unsigned", bits, at, kind); \
                if (at < bits - 1) {                                                                            \
                    check(signed_from_##bits(number_of(significand, 16383 + at)) == (s##bits)whole, "to signed", bits, at, kind); \
                    check(signed_from_##bits(number_of(significand, 0x8000 | (16383 + at))) == -(s##bits)whole, "to negative", bits, at, kind); \
                }                                                                                               \
            }                                                                                                   \
        check(is_number(unsigned_to_##bits(0), 0, 0) && is_number(signed_to_##bits(0), 0, 0), "zero", bits, 0, 0); \
        for (unsigned below = 1; below < 16383; below = below * 3 + 1) {                                        \
            long double fraction = number_of(~0ull, 16383 - below);                                             \
            check(unsigned_from_##bits(fraction) == 0 && signed_from_##bits(-fraction) == 0, "a fraction", bits, below, 0); \
        }                                                                                                       \
        check(unsigned_from_##bits(0.0L) == 0 && signed_from_##bits(-0.0L) == 0, "of zero", bits, 0, 0);        \
    }

WIDTHS(CONVERSIONS)

int main(void) {
    WIDTHS(TEST)
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
