// Random numbers, and what is done for every width of wide integers that the compiler has on all machines, then on its own.
#include <stdio.h>

static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525u + 1013904223u; }

#if __BITINT_MAXWIDTH__ > 128
#define WIDTHS(DO) DO(65) DO(100) DO(128) DO(129) DO(200) DO(320)
#else
#define WIDTHS(DO) DO(65) DO(100) DO(128)
#endif

#define TYPES(bits)                                                                                             \
    typedef unsigned _BitInt(bits) u##bits;                                                                     \
    typedef signed _BitInt(bits) s##bits;                                                                       \
    static void print_##bits(u##bits number) {                                                                  \
        for (unsigned i = 0; i < bits; i += 32)                                                                 \
            printf("%x.", (unsigned)(number >> i));                                                             \
    }
#define TEST(bits) test_##bits();

WIDTHS(TYPES)
