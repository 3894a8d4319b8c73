#include "shared.h"
#include <stdio.h>

extern int seen;

// Calls a function and stores what sixteen general and sixteen vector registers then hold. Before, each held what
// `registers_before` says.
extern "C" void registers_after(void (*function)(void), uint64_t (*held)[48]);
extern "C" const uint64_t registers_before[48];

extern "C" __attribute__((noinline)) int plain(int number, double scale) {
    static int calls;
    calls = calls * 5 + 1;
    return (int)(number * scale) + calls % 7;
}

// By their numbers; vectors from the 16th on.
static void check(const char *name, void (*function)(void), uint32_t kept) {
    uint64_t held[48];
    registers_after(function, &held);
    printf("%s:", name);
    for (int i = 0; i < 32; i++) {
        int at = i < 16 ? i : 2 * i - 16;
        bool same = held[at] == registers_before[at] && (i < 16 || held[at + 1] == registers_before[at + 1]);
        if (kept >> i & 1 && !same) printf(" %d", i);
    }
    printf(" %d\n", seen);
}

#define CHECK(name, kept)                                                                                           \
    check(#name " leaf", (void (*)(void))name##_leaf, kept);                                                        \
    check(#name " calls", (void (*)(void))name##_calls, kept);                                                      \
    check(#name " loops", (void (*)(void))name##_loops, kept);                                                      \
    check(#name " moves_stack", (void (*)(void))name##_moves_stack, kept);                                          \
    check(#name " aligns_stack", (void (*)(void))name##_aligns_stack, kept);                                        \
    check(#name " has_pages", (void (*)(void))name##_has_pages, kept);                                              \
    check(#name " catches", (void (*)(void))name##_catches, kept);                                                  \
    check(#name " catches_own", (void (*)(void))name##_catches_own, kept);                                          \
    check(#name " jumps", (void (*)(void))name##_jumps, kept);

// Values of the caller that are live over each call, in a loop so that registers are worth it.
#define CALL(name)                                                                                                  \
    for (int round = 0; round < 4; round++) {                                                                       \
        int a = plain(round, 1.5), b = plain(a, 2.5), c = plain(b, 3.5), d = a ^ b, e = b ^ c, f = a * 3;           \
        double s = a * 0.5, t = b * 0.25, u = c * 2.0;                                                              \
        name##_leaf();                                                                                              \
        a += b;                                                                                                     \
        auto *volatile many = name##_many;                                                                          \
        long r = many(a, s, (signed char)b, (float)t, c, (unsigned short)d, u, e, 1.5f, s, t, u, s + t, t + u, round & 1); \
        r += name##_many(f, t, -3, 2.5f, c, 65535, s, e, 1.5f, s, t, u, s + t, t + u, true);                        \
        name##_ignored(d);                                                                                          \
        floats v = {1, 2, (float)a, 4}, w = {(float)b, 3, 5, (float)round};                                         \
        floats z = name##_vectors(v, d, w, s, v + w, v * w);                                                        \
        Large l = name##_objects(Three{{1, 2, 3}}, Eight{d, 2.5f}, Large{a, b, c}, s, (__int128)e << 62);           \
        Eight q = name##_small(Eight{e, 0.5f});                                                                     \
        __int128 p = name##_pair(((__int128)f << 50) + 3, c);                                                       \
        long double x = name##_extended(t);                                                                         \
        s += name##_passes_on(u, d) + name##_same(t, e);                                                            \
        t += name##_variable(12, a, s, l, q, x, b, t, l, q, x, c, u) + name##_variable(1, round);                   \
        int caught = 0;                                                                                             \
        try {                                                                                                       \
            caught = name##_throws(a, s);                                                                           \
        } catch (int number) {                                                                                      \
            caught = number + a;                                                                                    \
        } catch (double number) {                                                                                   \
            caught = (int)number + b;                                                                               \
        }                                                                                                           \
        printf(#name " %d %d %d %d %d %d %g %g %g\n", a, b, c, d, e, f, s, t, u);                                   \
        printf("%ld %g %g %g %g %ld %ld %ld %d %g %ld %ld %g %d %d\n", r, z[0], z[1], z[2], z[3], l.a, l.b, l.c,    \
            q.a, q.b, (long)p, (long)(p >> 64), (double)x, caught, seen);                                           \
    }

int main() {
    CHECK(most, 0xf7ef)
    CHECK(all, 0xfffff7ef)
    CHECK(windows, 0xffc0f0e8)
    CHECK(standard, 0xf028)
    CALL(most)
    CALL(all)
    CALL(windows)
    CALL(standard)
}
