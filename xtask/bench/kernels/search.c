// All places of some words in a text (Horspool, 1980).
#include "kernel.h"
enum { N = 1 << 17 };
static char text[N];
static uint32_t skip[256];

static uint32_t length(const char *s) {
    const char *end = s;
    while (*end)
        end++;
    return (uint32_t)(end - s);
}

static uint32_t count(const char *where, uint32_t size, const char *what) {
    uint32_t n = length(what), found = 0;
    for (int i = 0; i < 256; i++)
        skip[i] = n;
    for (uint32_t i = 0; i + 1 < n; i++)
        skip[(uint8_t)what[i]] = n - 1 - i;
    for (uint32_t at = 0; at + n <= size; at += skip[(uint8_t)where[at + n - 1]]) {
        uint32_t i = n;
        while (i > 0 && where[at + i - 1] == what[i - 1])
            i--;
        found += i == 0;
    }
    return found;
}

uint32_t kernel(void) {
    static const char *const words[] = {"abc", "dead", "ccab", "bead", "aabba", "decade", "facade", "ee", "cabbed"};
    uint32_t seed = 13, all = 0;
    for (int i = 0; i < N; i++)
        text[i] = "abcdefaeab"[next(&seed) % 10];
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        for (int round = 0; round < 2; round++)
            all = all * 31 + count(text, N - round, words[i]);
    return all;
}
