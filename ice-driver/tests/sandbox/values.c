/* What the calls of helpers have in common: values of all sizes, and the report of a result that is not the one of C. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void check(const char *name, uint64_t x, uint64_t y, uint64_t got, uint64_t want) {
    if (got != want && failures++ < 20)
        printf("%s(%016llx, %016llx) = %016llx, not %016llx\n", name, (long long)x, (long long)y, (long long)got,
               (long long)want);
}

static uint64_t state = 88172645463325252ull;

static uint64_t next(void) {
    static const uint64_t edges[] = {0, 1, 2, 3, 10, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001,
                                     0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xffffffffffffffff,
                                     0xfffffffe00000001, 0xffffffff00000000, 0xffffffff80000000, 0x20000000000000,
                                     0x20000000000001, 0x7fffff4000000001, 0x7fffffbfffffffff};
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint64_t pick = state >> 40;
    if (pick % 4 == 0)
        return edges[pick / 4 % (sizeof edges / sizeof *edges)];
    return state >> (pick / 4 % 64);
}
