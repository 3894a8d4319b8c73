/* What compilers and programmers write for one question in several ways: comparisons of few bytes, counts of bits, numbers
 * that came extended, and words of 64 bits of which a half is known. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OWN __attribute__((noinline))

/* ---- as many bytes as the name says */

#define LENGTHS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(11) X(12) X(13) X(15) X(16) X(17) X(19) X(24) X(27) X(31) X(32) X(33)
#define COMPARISON(n) \
    static OWN int equal_##n(const char *a, const char *b) { return memcmp(a, b, n) == 0; } \
    static OWN int differ_##n(const char *a, const char *b) { return memcmp(a, b, n) != 0 ? 7 : 3; }
LENGTHS(COMPARISON)

typedef struct {
    unsigned length;
    int (*equal)(const char *, const char *), (*differ)(const char *, const char *);
} Comparison;
#define ROW(n) {n, equal_##n, differ_##n},
static const Comparison comparisons[] = {LENGTHS(ROW)};

/* ---- bits */

static OWN int has_at_most_one(unsigned x) { return !(x & (x - 1)); }
static OWN int is_power(unsigned x) { return x && !(x & (x - 1)); }
static OWN int is_wide_power(uint64_t x) { return x && !(x & (x - 1)); }
static OWN int ones(unsigned x) { return __builtin_popcount(x); }
static OWN int wide_ones(uint64_t x) { return __builtin_popcountll(x); }
static OWN int has_several(unsigned x) { return __builtin_popcount(x) > 1; }
static OWN int has_other_than_one(uint64_t x) { return __builtin_popcountll(x) != 1; }

/* ---- what is narrow */

static OWN _Bool is_less(int a, int b) { return a < b; }
static OWN unsigned char low_byte(int a) { return a; }
static OWN signed char signed_byte(int a) { return a; }
static OWN short low_half(int a) { return a; }
static OWN unsigned short unsigned_half(int a) { return a; }
static OWN int sum(unsigned char a, signed char b, unsigned short c, short d, _Bool e) { return a + b + c + d + e; }
static OWN long long mixed(unsigned char a, signed char b, unsigned short c, short d, _Bool e) {
    return (long long)a * b + c - (long long)d * e;
}
static OWN long long chosen(int a, int b, unsigned c) {
    unsigned r = a < b ? (unsigned)a : c;
    return r;
}

/* ---- halves that are known */

static OWN uint64_t joined(unsigned a, unsigned b) { return (uint64_t)a << 32 | b; }
static OWN uint64_t masked(uint64_t a) { return (a & ~7ull) ^ (a & 0xffffffff00000000ull); }
static OWN uint64_t marked(uint64_t a) { return (a | 0x8000000000000001ull) ^ 0xffffffff00000000ull; }
static OWN uint64_t less_high(uint64_t a, unsigned b) { return a - ((uint64_t)b << 32); }
static OWN uint64_t more_high(unsigned a, uint64_t b) { return ((uint64_t)a << 32) + b; }
static OWN uint64_t less_low(unsigned a, unsigned b) { return (uint64_t)a - b; }
static OWN uint64_t only_low(unsigned a, uint64_t b) { return a & b; }
static OWN uint64_t from_number(uint64_t a) { return 0x500000000ull - a + (a - 0x300000000ull); }

/* ---- numbers that are not negative as floats */

static OWN double fraction(uint64_t x) { return (double)(x >> 11) * 0x1p-53; }
static OWN double as_double(unsigned x) { return x; }
static OWN float as_float(unsigned x) { return x; }

static uint64_t state = 1;
static uint64_t next(void) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state ^ state >> 29;
}

int main(void) {
    char a[48], b[48];
    for (int round = 0; round < 600; round++) {
        for (int i = 0; i < 48; i++) a[i] = b[i] = (char)next();
        if (round % 3) b[next() % 40] ^= 1 << next() % 8;
        unsigned equal = 0, differ = 0;
        for (unsigned n = 0; n < sizeof comparisons / sizeof *comparisons; n++) {
            equal |= (unsigned)comparisons[n].equal(a, b) << n;
            differ += comparisons[n].differ(a, b) << n % 8;
        }
        printf("%x %x\n", equal, differ);
    }
    for (int round = 0; round < 1200; round++) {
        unsigned x = (unsigned)next() >> round % 32, y = (unsigned)next();
        if (round < 96) x = round % 3 == 0 ? 1u << round / 3 : round % 3 == 1 ? ~(1u << round / 3) : (unsigned)round;
        uint64_t z = round % 2 ? (uint64_t)x << round % 33 : next();
        printf("%d%d%d %d %d %d%d ", has_at_most_one(x), is_power(x), is_wide_power(z), ones(x), wide_ones(z), has_several(x), has_other_than_one(z));
        printf("%d %d %d %d %d ", is_less((int)x, (int)y), low_byte((int)y), signed_byte((int)y), low_half((int)y), unsigned_half((int)y));
        printf("%d %lld %lld ", sum(x, y, x >> 3, y >> 5, x & 1), mixed(x, y, x >> 3, y >> 5, y & 1), chosen((int)x, (int)y, y));
        printf("%llx %llx %llx ", (long long)joined(x, y), (long long)masked(z), (long long)marked(z));
        printf("%llx %llx %llx ", (long long)less_high(z, x), (long long)more_high(x, z), (long long)less_low(x, y));
        printf("%llx %llx %a %a %a\n", (long long)only_low(x, z), (long long)from_number(z), fraction(z), as_double(x), as_float(y));
    }
    return 0;
}
