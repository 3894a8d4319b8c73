/* Makes the calls of a module and prints a line for each: its name, and a hash of what it leaves in all
   rounds or the signal that ended it. With the name of a call as its argument it makes no other, and prints
   the bytes that it gets and leaves in each round, too. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { INPUT = 512, OUTPUT = 256 };

/* What the input of a round is made of, and how many rounds there are of each. */
enum fill { BITS, FLOATS, DOUBLES, BYTES, HALVES, WORDS, LONGS, FILLS };
enum { ROUNDS = 4 * FILLS };

typedef void function(const unsigned char *input, unsigned char *output);

struct test {
    const char *name;
    function *call;
    /* Bytes of each float that it leaves, or 0. */
    size_t float_bytes;
    /* Whether it gets floats. */
    bool gets_floats;
};

#define TEST(name, float_bytes, gets_floats) function test_##name;
#include "table.h"
#undef TEST
#define TEST(name, float_bytes, gets_floats) {#name, test_##name, float_bytes, gets_floats},
static const struct test tests[] = {
#include "table.h"
};

static _Alignas(16) unsigned char input[INPUT], output[OUTPUT];
static uint64_t state;
static sigjmp_buf before_call;

/* Xorshift64 (Marsaglia 2003). */
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* FNV-1a. */
static uint64_t hash(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

/* Numbers of so many bits: small ones, and the least and the greatest, signed and unsigned. */
static uint64_t integers(int bits) {
    uint64_t word = 0, sign = 1ull << (bits - 1);
    for (int place = 0; place < 64; place += bits) {
        uint64_t any = next(), ends[] = {0, 1, 2, sign - 1, sign, sign + 1, ~1ull, ~0ull};
        uint64_t number = any & 8 ? ends[any & 7] : (any >> 8) % 41 - 20;
        word |= (number & (sign | (sign - 1))) << place;
    }
    return word;
}

static uint64_t word(enum fill fill) {
    static const float floats[] = {0.0f, -0.0f, 0.5f, 1.0f, -1.5f, 2.5f, -3.5f, 65504.0f, 2147483648.0f,
                                   1e30f, -1e30f, 3.4e38f, 1e-40f, INFINITY, -INFINITY, NAN};
    static const double doubles[] = {0.0, -0.0, 0.5, 1.0, -1.5, 2.5, -3.5, -1e9, -2147483648.5, 0x1p63,
                                     1e300, -1e300, 1e-310, INFINITY, -INFINITY, NAN};
    uint64_t any = next(), word;
    switch (fill) {
    case FLOATS: return memcpy(&word, (float[]){floats[any % 16], floats[any >> 32 & 15]}, 8), word;
    case DOUBLES: return memcpy(&word, &doubles[any % 16], 8), word;
    case BYTES: return integers(8);
    case HALVES: return integers(16);
    case WORDS: return integers(32);
    case LONGS: return integers(64);
    default: return any;
    }
}

/* Whether floats of so many bytes begin with a NaN. */
static bool is_nan(const unsigned char *bytes, size_t float_bytes) {
    float single;
    double number;
    if (float_bytes == 4) return memcpy(&single, bytes, 4), isnan(single);
    return memcpy(&number, bytes, 8), isnan(number);
}

/* Gives all NaN the same bits: which one an operation gives is not said. */
static void unify(size_t float_bytes) {
    for (size_t i = 0; float_bytes && i < OUTPUT; i += float_bytes) {
        if (is_nan(output + i, float_bytes)) memset(output + i, 0xff, float_bytes);
    }
}

/* On ARM vectors of floats are computed with denormal numbers for zeros or, one by one, with what they are: both do. Products of
   numbers that are not below 2^-63 are none. */
static void flush(unsigned char *bytes, size_t count) {
#ifdef __arm__
    for (size_t i = 0; i < count; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, 4);
        if ((word & 0x7f800000) < 64u << 23) word &= 0x80000000;
        memcpy(bytes + i, &word, 4);
    }
#endif
}

/* On ARM `sel` chooses bytes by bits that libraries leave one way or another (APSR.GE). */
static void set_choices(int round) {
#ifdef __arm__
    __asm__ volatile("msr APSR_g, %0" : : "r"(round << 16));
#else
    (void)round;
#endif
}

static void dump(const char *name, const unsigned char *bytes, size_t count) {
    printf("%s", name);
    for (size_t i = 0; i < count; i++) printf("%s%02x", i % 8 ? "" : " ", bytes[i]);
    printf("\n");
}

/* A hash of what a call leaves. The input depends on nothing but its name. */
static uint64_t run(const struct test *test, bool is_shown) {
    uint64_t sum = hash(14695981039346656037u, test->name, strlen(test->name));
    state = sum | 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < INPUT; i += 8) {
            uint64_t bytes = word(round % FILLS);
            memcpy(input + i, &bytes, 8);
        }
        if (test->gets_floats) flush(input, INPUT);
        memset(output, 0x5a, OUTPUT);
        set_choices(round);
        test->call(input, output);
        unify(test->float_bytes);
        if (is_shown) {
            printf("round %d\n", round);
            dump("input ", input, INPUT);
            dump("output", output, OUTPUT);
        }
        sum = hash(sum, output, OUTPUT);
    }
    return sum;
}

static void catch(int number) {
    siglongjmp(before_call, number);
}

int main(int count, char **arguments) {
    const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], catch);
    for (const struct test *test = tests; test < tests + sizeof tests / sizeof *tests; test++) {
        bool is_shown = count > 1 && !strcmp(arguments[1], test->name);
        if (count > 1 && !is_shown) continue;
        int number = sigsetjmp(before_call, true);
        if (number) {
            printf("%s signal %d\n", test->name, number);
        } else {
            printf("%s %016llx\n", test->name, (unsigned long long)run(test, is_shown));
        }
    }
    return 0;
}
