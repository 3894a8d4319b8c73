// Quotients and remainders of wide integers.
#include "wide.h"

#define DIVISION(bits)                                                                                          \
    __attribute__((noinline)) void unsigned_##bits(u##bits r[2], u##bits a, u##bits b) { r[0] = a / b, r[1] = a % b; } \
    __attribute__((noinline)) void signed_##bits(s##bits r[2], s##bits a, s##bits b) { r[0] = a / b, r[1] = a % b; } \
    /* By numbers of one digit in base 2^32, and by the first one of two. */                                   \
    __attribute__((noinline)) void digits_##bits(u##bits r[6], u##bits a, s##bits b) {                          \
        r[0] = a / 1000000007u, r[1] = a % 97u, r[2] = a / 0xffffffffu, r[3] = b / -1000000000, r[4] = b % 10;   \
        r[5] = a / ((u##bits)1 << 32 | 1);                                                                      \
    }                                                                                                           \
    static u##bits number_##bits(void) {                                                                        \
        u##bits number = 0;                                                                                     \
        unsigned kind = next() >> 28, length = next() >> 8;                                                     \
        for (unsigned i = 0; i < 1 + length % (bits / 8); i++)                                                  \
            number = number << 8 | next() >> 24;                                                                \
        return kind < 4 ? ~number : kind == 4 ? (u##bits)1 << (bits - 1) : number;                              \
    }                                                                                                           \
    static void test_##bits(void) {                                                                             \
        for (int i = 0; i < 40; i++) {                                                                          \
            u##bits a = number_##bits(), b = number_##bits() | 1, found[2], short_[6];                          \
            s##bits with_sign[2];                                                                               \
            unsigned_##bits(found, a, b);                                                                       \
            signed_##bits(with_sign, a, b);                                                                     \
            digits_##bits(short_, a, b);                                                                        \
            for (int k = 0; k < 6; k++)                                                                         \
                print_##bits(short_[k]);                                                                        \
            print_##bits(found[0]), print_##bits(found[1]), print_##bits(with_sign[0]), print_##bits(with_sign[1]); \
            puts("");                                                                                           \
        }                                                                                                       \
    }

WIDTHS(DIVISION)

int main(void) { WIDTHS(TEST) }
