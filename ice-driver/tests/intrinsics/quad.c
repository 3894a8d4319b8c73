// Numbers of binary128, by their bits: operations over pairs of edges and random ones, conversions, and how they travel.
#include "wide.h"
#include <complex.h>
#include <stdarg.h>
#include <string.h>

typedef __float128 Q;
typedef _Complex float Q2 __attribute__((mode(TC)));
typedef unsigned long long U;
#define NOINLINE __attribute__((noinline))

static Q quad(U high, U low) {
    U halves[2] = {low, high};
    Q q;
    memcpy(&q, halves, 16);
    return q;
}

static void print(Q q) {
    U halves[2];
    memcpy(halves, &q, 16);
    printf("%016llx%016llx ", halves[1], halves[0]);
}

static void bytes(const void *number, unsigned size) {
    const unsigned char *bytes = number;
    while (size-- > 0)
        printf("%02x", bytes[size]);
    printf(" ");
}

static U wide(void) { return (U)next() << 32 | next(); }

enum { EDGES = 44, COUNT = 80 };
static Q inputs[COUNT];

static void fill(void) {
    static const U edges[][2] = {
        {0, 0}, {0, 1}, {0x0000ffffffffffff, ~0ull}, {0x0001000000000000, 0}, {0x0001000000000000, 1},
        {0x3fff000000000000, 0}, {0x3fff000000000000, 1}, {0x3ffeffffffffffff, ~0ull}, {0x3ffe000000000000, 0},
        {0x4000800000000000, 0}, {0x7ffeffffffffffff, ~0ull}, {0x7fff000000000000, 0}, {0x7fff800000000000, 0},
        {0x7fff800000000123, 77}, {0x7fff000000000001, 5}, {0x406effffffffffff, ~0ull}, {0x406f000000000000, 1},
        // Halfway and beside it, for float, double, half, and the least of each.
        {0x3fff000001000000, 0}, {0x3fff000001000000, 1}, {0x3fff000003000000, 0}, {0x3fff000000000000, 0x0800000000000000},
        {0x3fff002000000000, 0}, {0x3fff002000000000, 1}, {0x3fff006000000000, 0}, {0x3f6a000000000000, 0},
        {0x3f69000000000000, 0}, {0x3f69000000000000, 1}, {0x3bcd000000000000, 0}, {0x3bcc000000000000, 1}, {0x3fe7000000000000, 0},
        {0x3fe6000000000000, 0}, {0x3fe6800000000000, 0}, {0x407effffff000000, 0}, {0x43feffffffffffff, 0xf800000000000000},
        {0x400effc000000000, 0}, {0x400effdfffffffff, ~0ull}, {0x400effe000000000, 0},
        // Integers where types end.
        {0x401e000000000000, 0}, {0x401dffffffffffff, 0}, {0x403e000000000000, 0}, {0x403effffffffffff, 0xffff000000000000},
        {0x407e000000000000, 0}, {0x407dffffffffffff, ~0ull}, {0x4006fe0000000000, 0},
    };
    for (int k = 0; k < COUNT; k++) {
        U sign = k & 1 ? 1ull << 63 : 0;
        U exponent = k < 60 ? 0x3fff - 60 + next() % 120 : next() % 0x7fff;
        inputs[k] = k < EDGES ? quad(edges[k][0] ^ (next() & 1 ? 1ull << 63 : 0), edges[k][1])
                              : quad(sign | exponent << 48 | wide() >> 16, wide());
    }
}

// ---- pairs

NOINLINE Q sum(Q a, Q b) { return a + b; }
NOINLINE Q difference(Q a, Q b) { return a - b; }
NOINLINE Q product(Q a, Q b) { return a * b; }
NOINLINE Q quotient(Q a, Q b) { return a / b; }
NOINLINE Q with_sign(Q a, Q b) { return __builtin_copysignf128(a, b); }
NOINLINE Q lesser(Q a, Q b) { return __builtin_fminf128(a, b); }
NOINLINE Q greater(Q a, Q b) { return __builtin_fmaxf128(a, b); }
NOINLINE Q picked(Q a, Q b) { return a < b ? a : b; }
NOINLINE Q fused(Q a, Q b) { return __builtin_fmaf128(a, b, a); }
NOINLINE Q contracted(Q a, Q b) {
#pragma STDC FP_CONTRACT ON
    return a * b + 1;
}

NOINLINE unsigned conditions(Q a, Q b) {
    return (a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5 |
           __builtin_isless(a, b) << 6 | __builtin_islessequal(a, b) << 7 | __builtin_isgreater(a, b) << 8 |
           __builtin_isgreaterequal(a, b) << 9 | __builtin_islessgreater(a, b) << 10 | __builtin_isunordered(a, b) << 11 |
           !(a < b) << 12 | !(a <= b) << 13 | !(a > b) << 14 | !(a >= b) << 15 | !__builtin_islessgreater(a, b) << 16 |
           !__builtin_isunordered(a, b) << 17;
}

NOINLINE int branches(Q a, Q b) {
    if (a < b)
        return 1;
    if (a >= b && a != 0)
        return 2;
    while (!(a == a))
        return 3;
    return a ? 4 : 5;
}

static void pairs(void) {
    for (int j = 0; j < COUNT; j++)
        for (int k = 0; k < COUNT; k++) {
            Q a = inputs[j], b = inputs[k];
            print(sum(a, b)), print(difference(a, b)), print(product(a, b)), print(quotient(a, b));
            print(with_sign(a, b)), print(picked(a, b)), print(lesser(a, b)), print(greater(a, b));
            if ((j ^ k) % 4 == 0)
                print(fused(a, b)), print(contracted(a, b));
            printf("%x %d\n", conditions(a, b), branches(a, b));
        }
}

// ---- one by one

NOINLINE Q negated(Q a) { return -a; }
NOINLINE Q size(Q a) { return __builtin_fabsf128(a); }
NOINLINE Q root(Q a) { return __builtin_sqrtf128(a); }
NOINLINE Q roundings(Q a, int way) {
    switch (way) {
    case 0: return __builtin_floorf128(a);
    case 1: return __builtin_ceilf128(a);
    case 2: return __builtin_truncf128(a);
    case 3: return __builtin_rintf128(a);
    case 4: return __builtin_nearbyintf128(a);
    case 5: return __builtin_roundf128(a);
    default: return a + 0.5Q;
    }
}
NOINLINE unsigned classes(Q a) {
    unsigned all = 0;
    for (int i = 0; i < 1; i++)
        all = __builtin_isfpclass(a, 1) | __builtin_isfpclass(a, 2) << 1 | __builtin_isfpclass(a, 4) << 2 |
              __builtin_isfpclass(a, 8) << 3 | __builtin_isfpclass(a, 16) << 4 | __builtin_isfpclass(a, 32) << 5 |
              __builtin_isfpclass(a, 64) << 6 | __builtin_isfpclass(a, 128) << 7 | __builtin_isfpclass(a, 256) << 8 |
              __builtin_isfpclass(a, 512) << 9 | __builtin_isfpclass(a, 0x1f8) << 10 | __builtin_isfpclass(a, 0x207) << 11;
    return all | (__builtin_isnan(a) != 0) << 12 | (__builtin_isinf(a) != 0) << 13 | (__builtin_isfinite(a) != 0) << 14 |
           (__builtin_isnormal(a) != 0) << 15 | (__builtin_signbit(a) != 0) << 16;
}

// ---- conversions

NOINLINE float to_float(Q a) { return a; }
NOINLINE double to_double(Q a) { return a; }
NOINLINE long double to_extended(Q a) { return a; }
NOINLINE _Float16 to_half(Q a) { return a; }
NOINLINE Q of_float(float a) { return a; }
NOINLINE Q of_double(double a) { return a; }
NOINLINE Q of_extended(long double a) { return a; }
NOINLINE Q of_half(_Float16 a) { return a; }

static void singles(void) {
    for (int k = 0; k < COUNT; k++) {
        Q a = inputs[k];
        print(negated(a)), print(size(a)), print(root(a));
        for (int way = 0; way < 7; way++)
            print(roundings(a, way));
        float f = to_float(a);
        double d = to_double(a);
        long double x = to_extended(a);
        _Float16 h = to_half(a);
        bytes(&f, 4), bytes(&d, 8), bytes(&x, 10), bytes(&h, 2);
        print(of_float(f)), print(of_double(d)), print(of_extended(x)), print(of_half(h));
        printf("%x\n", classes(a));
    }
}

#define INTEGERS(DO) \
    DO(_Bool, b) DO(signed char, c) DO(unsigned char, uc) DO(short, s) DO(unsigned short, us) DO(int, i) DO(unsigned, u) \
    DO(long long, l) DO(U, ul) DO(signed _BitInt(7), b7) DO(unsigned _BitInt(31), u31) DO(signed _BitInt(33), b33) \
    DO(unsigned _BitInt(63), u63)
#define CONVERSIONS(type, name) \
    NOINLINE type to_##name(Q a) { return a; } \
    NOINLINE Q of_##name(type a) { return a; } \
    static void test_##name(void) { \
        for (int k = 0; k < 64; k++) { \
            type number = (type)(k < 8 ? (U)k - 4 : k < 56 ? wide() >> k : 1ull << (k - 1)); \
            Q a = of_##name(number); \
            print(a); \
            printf("%llx %llx ", (U)to_##name(a), (U)to_##name(number > 3 ? a - 0.75Q : a)); \
        } \
        puts(""); \
    }
INTEGERS(CONVERSIONS)
#define TEST_NAMED(type, name) test_##name();

#define WIDE_CONVERSIONS(bits) \
    NOINLINE Q of_u##bits(u##bits a) { return a; } \
    NOINLINE Q of_s##bits(s##bits a) { return a; } \
    NOINLINE u##bits to_u##bits(Q a) { return a; } \
    NOINLINE s##bits to_s##bits(Q a) { return a; } \
    static void test_##bits(void) { \
        /* Of more than 128 bits clang takes the highest one for a sign. */ \
        for (unsigned at = 0; at < bits - (bits > 128); at++) \
            for (unsigned kind = 0; kind < 8; kind++) { \
                /* The highest bit, those that are rounded away exactly a half or beside it, or any. */ \
                u##bits number = (u##bits)1 << at; \
                unsigned low = at >= 113 ? at - 113 : 0, lower = at >= 112 ? at - 112 : 0; \
                number |= (u##bits)(kind & 1) << low | (u##bits)(kind >> 1 & 1) << lower; \
                number |= (u##bits)(kind >> 2) << (at >= 114 ? next() % (at - 113) : 0); \
                if (kind == 7 && at + 1 + (bits > 128) < bits) \
                    number = (number << 1) - 1; \
                Q u = of_u##bits(number), s = of_s##bits((s##bits)number), n = of_s##bits((s##bits)-number); \
                print(u), print(s), print(n); \
                if (at + 1 < bits) { \
                    Q scaled = quad((U)(0x3fff + at) << 48 | wide() >> 17, wide()); \
                    print_##bits(to_u##bits(scaled)), print_##bits(to_s##bits(scaled)), print_##bits(to_s##bits(-scaled)); \
                } \
                puts(""); \
            } \
        print(of_u##bits(0)), print(of_s##bits(0)); \
        print_##bits(to_u##bits(0.75Q)), print_##bits(to_s##bits(-0.75Q)); \
        puts(""); \
    }
WIDTHS(WIDE_CONVERSIONS)

// ---- how they travel

typedef struct { Q q; } One;
typedef struct { Q q; int i; } Mixed;
typedef struct { char c; Q q[2]; } Larger;
typedef struct __attribute__((packed)) { char c; Q q; } Packed;
typedef union { Q q; unsigned short words[8]; } Both;

Q variable = 1.5Q;
Q table[3] = {-0.0Q, 3.25Q, 1e4000Q};
const Mixed constant = {1 / 3.0Q, 7};
static Larger nested[2] = {{'a', {1, 2}}, {'b', {-3, 1e-4930Q}}};
_Thread_local Q local = 2;

NOINLINE One one(One a, Q b) { return (One){a.q + b}; }
NOINLINE Mixed mixed(int i, Mixed a, double d, Q b) { return (Mixed){a.q * b + d, a.i + i}; }
NOINLINE Larger larger(Larger a, Q b) {
    a.q[1] += b;
    return a;
}
NOINLINE Q many(Q a, int i, Q b, double d, Q c, long l, Q e, float f, Q g, char h, Q k, Q m, int n, Q o, Q p, short s, Q r) {
#pragma STDC FP_CONTRACT OFF
    return a + i + b * d - c * l + e / f - g * h + k * m + n + o - p * s + r;
}
NOINLINE Q2 complex_product(Q2 a, Q2 b) { return a * b; }
NOINLINE Q2 complex_quotient(Q2 a, Q2 b) { return a / b; }
NOINLINE Q from_list(int count, ...) {
    va_list list;
    Q total = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        total += va_arg(list, Q) * va_arg(list, int);
        total -= va_arg(list, double);
    }
    va_end(list);
    return total;
}
NOINLINE Q through(Q (*function)(Q, Q), Q a, Q b) { return function(b, a); }
NOINLINE Q loop(Q a, int count) {
    Q x = a, y = 1;
    for (int i = 0; i < count; i++) {
        Q z = x;
        x = y * 0.5Q;
        y = z + 1;
    }
    return x - y;
}
NOINLINE Q unsteady(volatile Q *a) {
    *a = *a + 1;
    return *a;
}
NOINLINE Packed packed(Packed a) {
    a.q += a.c;
    return a;
}

static void travels(void) {
    for (int k = 0; k + 8 < COUNT; k++) {
        const Q *q = inputs + k;
        print(one((One){q[0]}, q[1]).q);
        Mixed m = mixed(k, (Mixed){q[2], 3}, 0.25, q[3]);
        print(m.q), printf("%d ", m.i);
        Larger l = larger((Larger){'x', {q[4], q[5]}}, q[6]);
        print(l.q[0]), print(l.q[1]), printf("%d ", l.c);
        print(many(q[0], 1, q[1], 2.5, q[2], -3, q[3], 4.5f, q[4], 'c', q[5], q[6], 7, q[7], q[8], -9, q[1]));
        Q2 a, b;
        __real__ a = q[0], __imag__ a = q[1], __real__ b = q[2], __imag__ b = q[3];
        Q2 c = complex_product(a, b), d = complex_quotient(a, b);
        print(__real__ c), print(__imag__ c), print(__real__ d), print(__imag__ d);
        print(through(difference, q[3], q[4]));
        print(loop(q[5], k));
        Q kept = q[6];
        print(unsteady(&kept));
        Packed p = packed((Packed){'y', q[7]});
        print(p.q);
        Both both = {q[0]};
        both.words[k % 8] ^= k;
        print(both.q);
        puts("");
    }
    variable += table[1], local += variable, table[2] *= 2;
    print(variable), print(local), print(table[0]), print(table[2]), print(constant.q), print(nested[1].q[0]);
    print(nested[1].q[1]), puts("");
}

// ---- vectors, lane by lane

typedef Q V __attribute__((vector_size(32)));
typedef long long Flags __attribute__((vector_size(32)));
typedef double D __attribute__((vector_size(16)));
static const V fixed = {1.5Q, -0.0Q};

NOINLINE void vector_sums(V *r, const V *a, const V *b) {
    r[0] = *a + *b, r[1] = *a * *b - fixed, r[2] = -*a, r[3] = *a / (V){3, 7};
    r[4] = __builtin_elementwise_abs(*a), r[5] = __builtin_elementwise_max(*a, *b), r[6] = __builtin_elementwise_floor(*a);
    r[7] = __builtin_shufflevector(*a, *b, 3, 0);
    r[8] = (V)((Flags)*a ^ (Flags)*b);
    r[9] = __builtin_convertvector(__builtin_convertvector(*a, D), V);
}
NOINLINE Q lane(const V *a, unsigned i) { return (*a)[i & 1]; }
NOINLINE void set(V *a, unsigned i, Q b) { (*a)[i & 1] = b; }
NOINLINE void steady(volatile V *a, const V *b) {
    V c = *a;
    *a = c + *b;
}

static void vectors(void) {
    for (int k = 0; k + 3 < COUNT; k++) {
        V a = {inputs[k], inputs[k + 1]}, b = {inputs[k + 2], inputs[k + 3]}, all[10];
        vector_sums(all, &a, &b);
        for (int i = 0; i < 20; i++)
            print(all[i / 2][i % 2]);
        print(lane(&a, k)), set(&a, k >> 1, inputs[k + 2]), steady(&b, &a);
        print(a[0]), print(a[1]), print(b[0]), print(b[1]), puts("");
    }
}

// On x86-32 clang's callees look for the numbers in other places than where their callers, or GCC's, have them.
static void lists(void) {
    for (int k = 0; k + 3 < COUNT; k++)
        print(from_list(3, inputs[k], k, 1.5, inputs[k + 1], -k, 2.5, inputs[k + 2], 2 * k, 3.5)), puts("");
}

int main(void) {
    fill();
    singles();
    INTEGERS(TEST_NAMED)
    WIDTHS(TEST)
    travels();
    vectors();
    pairs();
#ifdef __x86_64__
    lists();
#endif
}
