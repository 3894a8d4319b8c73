/* Calls the functions of a random module and prints a hash of what each leaves, a line for each function and round.
   With the number of a function as its argument it prints the bytes instead, those that the function gets and leaves. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40, INPUT = 256, OUTPUT = 512, TABLES = 480 };

typedef void function(const void *input, void *output);
/* Each of them, and behind all a null pointer. */
extern function *function_at(int number);
/* Nothing that a function leaves in its tables may be seen by another. */
extern void save_tables(void *), load_tables(const void *);

/* Xorshift64 (Marsaglia 2003). */
static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Any word, or one with values from the ends of the types: zeros, ones, least numbers, small numbers, 1.0, NaN, infinity. */
static uint64_t word(void) {
    uint64_t any = next();
    switch (next() % 8) {
    case 0: return 0;
    case 1: return UINT64_MAX;
    case 2: return 0x8000000080000000u;
    case 3: return any & 0xff;
    case 4: return any & 1 ? 0x3ff0000000000000u : 0x7ff80000ff800000u;
    default: return any;
    }
}

/* FNV-1a. */
static uint64_t hash(const unsigned char *bytes, size_t count) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static void dump(const char *name, const unsigned char *bytes, size_t count) {
    printf("%s", name);
    for (size_t i = 0; i < count; i++) printf("%s%02x", i % 8 ? "" : " ", bytes[i]);
    printf("\n");
}

int main(int count, char **arguments) {
    static _Alignas(16) unsigned char input[INPUT], output[OUTPUT + TABLES], tables[TABLES];
    int shown = count > 1 ? atoi(arguments[1]) : -1;
    /* If a function ends the program, the line before is the last one. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    save_tables(tables);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < INPUT; i += 8) {
            uint64_t bytes = word();
            memcpy(input + i, &bytes, 8);
        }
        function *called;
        for (int i = 0; (called = function_at(i)); i++) {
            memset(output, 0, sizeof output);
            load_tables(tables);
            called(input, output);
            save_tables(output + OUTPUT);
            if (shown == i) {
                printf("round %d\n", round);
                dump("input ", input, INPUT);
                dump("output", output, OUTPUT);
                dump("tables", output + OUTPUT, TABLES);
            } else if (shown < 0) {
                printf("f%d %d %016llx\n", i, round, (unsigned long long)hash(output, sizeof output));
            }
        }
    }
    return 0;
}
