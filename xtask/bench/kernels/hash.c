// A hash table with open addressing: strings by FNV-1a (Fowler, Noll, Vo), counted.
#include "kernel.h"
enum { SLOTS = 1 << 13, KEYS = 5000, ROUNDS = 20000, LENGTH = 12 };
typedef struct { char key[LENGTH]; uint32_t hash, count; } slot;
static slot slots[SLOTS];
static char keys[KEYS][LENGTH];

static uint32_t hash(const char *s) {
    uint32_t h = 2166136261u;
    while (*s)
        h = (h ^ (uint8_t)*s++) * 16777619u;
    return h;
}

static int equal(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static slot *find(const char *key) {
    uint32_t h = hash(key);
    for (uint32_t i = h % SLOTS;; i = (i + 1) % SLOTS) {
        slot *s = &slots[i];
        if (s->count == 0) {
            s->hash = h;
            for (int n = 0; n < LENGTH; n++)
                s->key[n] = key[n];
            return s;
        }
        if (s->hash == h && equal(s->key, key))
            return s;
    }
}

uint32_t kernel(void) {
    uint32_t seed = 23, all = 0;
    for (int i = 0; i < KEYS; i++)
        for (uint32_t n = 0, length = next(&seed) % (LENGTH - 4) + 3; n < length; n++)
            keys[i][n] = (char)('a' + next(&seed) % 26);
    for (int round = 0; round < ROUNDS; round++)
        find(keys[next(&seed) % KEYS])->count++;
    for (int i = 0; i < SLOTS; i++)
        all = all * 31 + slots[i].count;
    return all;
}
