// Classes of the 80 bits of x87, of what is no number as well. Numbers below the least exponent with a leading one are
// left out: LLVM takes them for nothing, and the unit for numbers.
#include <stdio.h>
#include <string.h>

static long double number(unsigned short upper, unsigned long long significand) {
    long double x = 0;
    memcpy(&x, &significand, 8);
    memcpy((char *)&x + 8, &upper, 2);
    return x;
}

#define TEST(mask) printf("%d", __builtin_isfpclass(x, mask));

__attribute__((noinline)) static void test(long double x) {
    TEST(1) TEST(2) TEST(3) TEST(4) TEST(8) TEST(16) TEST(32) TEST(64) TEST(128) TEST(256) TEST(512)
    TEST(0x3fc) TEST(0x3fe) TEST(0x3fd) TEST(0x204) TEST(0x108) TEST(0x90) TEST(0x60) TEST(5) TEST(6) TEST(7)
    printf(" %d %d %d\n", __builtin_issignaling(x), __builtin_isnan(x), __builtin_isnormal(x));
}

int main(void) {
    static const unsigned short uppers[] = {0, 1, 2, 0x3fff, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xbfff, 0xffff};
    static const unsigned long long leading = 1ULL << 63, quiet = 1ULL << 62;
    const unsigned long long significands[] = {0, 1, quiet - 1, quiet, leading - 1, leading, leading + 1,
                                               leading + quiet - 1, leading + quiet, ~0ULL};
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++)
            if (uppers[i] & 0x7fff || !(significands[j] & leading))
                test(number(uppers[i], significands[j]));
}
