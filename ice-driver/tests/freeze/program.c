// What C has and the stable format has not: objects by value, variable arguments, small integers, tables of functions.
// Prints numbers, the same on every machine: in 32-bit programs through the host, else (NATIVE) through the C library.
#ifdef NATIVE
#include <stdio.h>
static void print_number(unsigned long long number) { printf("%llu\n", number); }
#else
#include "host.h"
#endif
#include <emmintrin.h>

typedef unsigned long long u64;
typedef struct { int a, b, c; } Three;
typedef struct { double x; float y; short z; } Mixed;
typedef struct { unsigned char bytes[40]; } Large;
typedef union { double number; u64 bits; } Bits;

#define KEPT __attribute__((noinline))

static u64 bits_of(double number) { return (Bits){ .number = number }.bits; }

static KEPT Three turned(Three t, int by) { return (Three){ t.b + by, t.c - by, t.a * by }; }
static KEPT Mixed mixed(Mixed a, Mixed b) { return (Mixed){ a.x * b.x, a.y - b.y, (short)(a.z + b.z) }; }
static KEPT Large filled(unsigned char first) {
    Large large;
    for (int i = 0; i < 40; i++) large.bytes[i] = (unsigned char)(first + i * i);
    return large;
}
static KEPT u64 hash(Large large, const Large *other) {
    u64 sum = 7;
    for (int i = 0; i < 40; i++) sum = sum * 31 + large.bytes[i] - other->bytes[39 - i];
    large.bytes[0] = 0;
    return sum;
}

static KEPT u64 sum(const char *kinds, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, kinds);
    u64 total = 0;
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': total += (u64)(long long)__builtin_va_arg(list, int); break;
        case 'l': total ^= __builtin_va_arg(list, u64); break;
        case 'd': total += bits_of(__builtin_va_arg(list, double)); break;
        case 't': { Three t = __builtin_va_arg(list, Three); total += (u64)(t.a * 3 + t.b * 5 + t.c * 7); break; }
        case 'm': { Mixed m = __builtin_va_arg(list, Mixed); total ^= bits_of(m.x + m.y) + (u64)(long long)m.z; break; }
        case 'b': { Large b = __builtin_va_arg(list, Large); total += hash(b, &b); break; }
        }
        total = total << 7 | total >> 57;
    }
    __builtin_va_end(list);
    return total;
}

static int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static int less(int a, int b) { return a < b; }
static int shifted(int a, int b) { return a >> (b & 31); }
static signed char narrow(signed char a, unsigned short b) { return (signed char)(a * 3 - b); }
static int through_narrow(int a, int b) { return narrow((signed char)a, (unsigned short)b); }
static int (*volatile const table[])(int, int) = { add, less, shifted, through_narrow };

static KEPT int chosen(int n) {
    switch (n) {
    case -5: return 11;
    case 0 ... 3: return n * 10;
    case 7: return 70;
    case 1000: return -1;
    case 2147483647: return 3;
    default: return n < 0 ? -n : 5;
    }
}
static KEPT u64 long_switch(u64 n) {
    switch (n) {
    case 1: return 10;
    case 0x100000001: return 20;
    case 0xffffffffffffffff: return 30;
    default: return 40;
    }
}

static KEPT void longs(u64 a, u64 b) {
    print_number(a * b);
    print_number(a / b);
    print_number(a % b);
    print_number((u64)((long long)a / (long long)b));
    print_number((u64)((long long)a % (long long)b));
    print_number(a >> (b & 63) ^ (u64)((long long)a >> (b & 63)) ^ a << (b & 63));
    print_number((a < b) + 2 * ((long long)a < (long long)b) + 4 * (a == b));
}
static KEPT void floats(double a, float b) {
    print_number(bits_of(a * b - a / b));
    print_number(bits_of((float)a + b));
    print_number((u64)(long long)a ^ (u64)(int)b);
    print_number((u64)(a < 0 ? -a : a));
    print_number((a < b) + 2 * (a == b) + 4 * (a != a) + 8 * (a >= b));
    print_number(bits_of((double)(u64)(a * a)) ^ bits_of((float)(long long)(a * 3)));
    print_number(bits_of(__builtin_sqrt(a * a + b)));
}

// What the headers of x86 leave to instructions is operations of the IR here.
#pragma clang attribute push(__attribute__((target("sse2"))), apply_to = function)
static void print_words(__m128i words) {
    int lanes[4];
    _mm_storeu_si128((__m128i *)lanes, words);
    for (int k = 0; k < 4; k++) print_number((u64)(unsigned)lanes[k]);
}
static KEPT void vectors(const int *from) {
    __m128i a = _mm_loadu_si128((const __m128i *)from), b = _mm_loadu_si128((const __m128i *)(from + 4));
    __m128 x = _mm_div_ps(_mm_cvtepi32_ps(a), _mm_set1_ps(3e5f));
    print_number((u64)_mm_movemask_epi8(a) << 4 | (u64)_mm_movemask_ps(x));
    print_words(_mm_packs_epi32(a, b)), print_words(_mm_packs_epi16(a, b)), print_words(_mm_packus_epi16(b, a));
    print_words(_mm_madd_epi16(a, b)), print_words(_mm_mulhi_epi16(a, b)), print_words(_mm_mulhi_epu16(a, b));
    print_words(_mm_avg_epu8(a, b)), print_words(_mm_avg_epu16(a, b));
    print_words(_mm_cvtps_epi32(x)), print_words(_mm_cvttps_epi32(x));
    __m128i count = _mm_and_si128(b, _mm_set_epi32(-1, -1, 0, 31));
    print_words(_mm_srl_epi32(a, count)), print_words(_mm_sll_epi16(a, count)), print_words(_mm_sra_epi16(a, b));
}
#pragma clang attribute pop
static int run(int argc, char **argv) {
    (void)argv;
    int one = argc > 0; // Nothing is known beforehand.
    Three t = turned((Three){ one, 2, -3 }, 5);
    Mixed m = mixed((Mixed){ 1.5 * one, 2.25f, 300 }, (Mixed){ -0.1, 1e10f, -32768 });
    Large b = filled((unsigned char)(one + 200));
    print_number((u64)(long long)(t.a + t.b * 100 + t.c * 10000));
    print_number(bits_of(m.x) ^ bits_of(m.y) ^ (u64)(long long)m.z);
    print_number(hash(b, &b));
    print_number(hash(b, &(Large){ { 1, 2, 3 } }));
    print_number(sum("ildtmb", -one, 1ull << 40, 2.5, t, m, b));
    print_number(sum("btmiltd", b, t, m, 9, ~0ull, t, -0.0));
    print_number(sum("ttt", t, turned(t, 2), turned(t, 3)));
    for (int i = 0; i < 4; i++) print_number((u64)(long long)table[i & 3](-77 * one, i + 65530));
    static const int numbers[] = { -2147483647, -5, -1, 0, 1, 2, 3, 4, 7, 999, 1000, 1001, 2147483647 };
    for (int i = 0; i < 13; i++) print_number((u64)(long long)chosen(numbers[i] * one));
    print_number(long_switch(one) + long_switch(0x100000001ull * one) * 100 + long_switch(-(u64)one) * 10000);
    longs(0xfedcba9876543210ull * one, 12345);
    longs(-7ull * one, 0x100000003ull);
    longs(5ull * one, -3ull);
    floats(1234.5678 * one, 0.3f);
    floats(-1e9 * one, 7.0f);
    floats(3.0 * one, 3.0f);
    const int lanes[] = { -70000 * one, 0x7fff8001, -5, 0x12345678, 0x00ff00fe, -32768, 0x40007fff, 0x80018000u * one };
    vectors(lanes), vectors(lanes + 4 * (one - 1));
    return 42;
}

#ifdef NATIVE
int main(int argc, char **argv) { return run(argc, argv); }
#endif
