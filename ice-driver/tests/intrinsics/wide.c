// Quotients and remainders of wide integers.
#include <stdio.h>

static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525u + 1013904223u; }

#define DIVISION(bits)                                                                                          \
    typedef unsigned _BitInt(bits) u##bits;                                                                     \
    typedef signed _BitInt(bits) s##bits;                                                                       \
    __attribute__((noinline)) void unsigned_##bits(u##bits r[2], u##bits a, u##bits b) { r[0] = a / b, r[1] = a % b; } \
    __attribute__((noinline)) void signed_##bits(s##bits r[2], s##bits a, s##bits b) { r[0] = a / b, r[1] = a % b; } \
    static u##bits number_##bits(void) {                                                                        \
        u##bits number = 0;                                                                                     \
        unsigned kind = next() >> 28, length = next() >> 8;                                                     \
        for (unsigned i = 0; i < 1 + length % (bits / 8); i++)                                                  \
            number = number << 8 | next() >> 24;                                                                \
        return kind < 4 ? ~number : kind == 4 ? (u##bits)1 << (bits - 1) : number;                              \
    }                                                                                                           \
    static void print_##bits(u##bits number) {                                                                  \
        for (unsigned i = 0; i < bits; i += 32)                                                                 \
            printf("%x.", (unsigned)(number >> i));                                                             \
    }                                                                                                           \
    static void test_##bits(void) {                                                                             \
        for (int i = 0; i < 40; i++) {                                                                          \
            u##bits a = number_##bits(), b = number_##bits() | 1, found[2];                                     \
            s##bits with_sign[2];                                                                               \
            unsigned_##bits(found, a, b);                                                                       \
            signed_##bits(with_sign, a, b);                                                                     \
            print_##bits(found[0]), print_##bits(found[1]), print_##bits(with_sign[0]), print_##bits(with_sign[1]); \
            puts("");                                                                                           \
        }                                                                                                       \
    }

DIVISION(65)
DIVISION(100)
DIVISION(128)
#if __BITINT_MAXWIDTH__ > 128
DIVISION(129)
DIVISION(200)
DIVISION(320)
#endif

int main(void) {
    test_65(), test_100(), test_128();
#if __BITINT_MAXWIDTH__ > 128
    test_129(), test_200(), test_320();
#endif
}
