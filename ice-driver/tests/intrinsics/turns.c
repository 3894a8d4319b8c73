// Lanes of two, three and four vectors by turns in memory: taken out, put together, both; with stores between a load and what takes
// its lanes, and between what puts lanes together and the store.
#include <stdio.h>
#include <string.h>

#define LENGTH 96
#define APART __attribute__((noinline)) static void

#define LOOPS(T)                                                                                                          \
    APART apart2_##T(T *r, T *s, const T *p) { for (int i = 0; i < LENGTH; i++) r[i] = p[2 * i], s[i] = p[2 * i + 1]; }   \
    APART apart3_##T(T *r, T *s, T *t, const T *p)                                                                        \
    { for (int i = 0; i < LENGTH; i++) r[i] = p[3 * i], s[i] = p[3 * i + 1], t[i] = p[3 * i + 2]; }                       \
    APART sum4_##T(T *r, const T *p)                                                                                      \
    { for (int i = 0; i < LENGTH; i++) r[i] = p[4 * i] + 3 * p[4 * i + 1] - p[4 * i + 2] * p[4 * i + 3]; }                \
    APART some4_##T(T *r, const T *p) { for (int i = 0; i < LENGTH; i++) r[i] = p[4 * i + 3] - p[4 * i + 1]; }            \
    APART join2_##T(T *r, const T *p, const T *q) { for (int i = 0; i < LENGTH; i++) r[2 * i] = q[i], r[2 * i + 1] = p[i]; } \
    APART join3_##T(T *r, const T *p, const T *q)                                                                         \
    { for (int i = 0; i < LENGTH; i++) r[3 * i] = p[i], r[3 * i + 1] = q[i], r[3 * i + 2] = p[i] + q[i]; }                \
    APART turn3_##T(T *r) { for (int i = 0; i < LENGTH; i++) { T x = r[3 * i]; r[3 * i] = r[3 * i + 2]; r[3 * i + 2] = x; } } \
    APART turn4_##T(T *restrict r, const T *restrict p)                                                                   \
    { for (int i = 0; i < LENGTH; i++) r[4 * i] = p[4 * i + 2], r[4 * i + 1] = p[4 * i + 1], r[4 * i + 2] = p[4 * i], r[4 * i + 3] = 7; }

#define RUN(T, FORMAT)                                                                                                    \
    {                                                                                                                     \
        static T in[4 * LENGTH], out[4 * LENGTH], more[2 * LENGTH];                                                       \
        unsigned state = 11;                                                                                              \
        for (int i = 0; i < 4 * LENGTH; i++) in[i] = (T)((state = state * 1664525 + 1013904223) >> 24);                   \
        apart2_##T(out, more, in); print_##T("apart2", out, more);                                                        \
        apart3_##T(out, more, out + 2 * LENGTH, in); print_##T("apart3", out, more);                                      \
        sum4_##T(out, in); print_##T("sum4", out, more);                                                                  \
        some4_##T(out, in); print_##T("some4", out, more);                                                                \
        join2_##T(out, in, in + LENGTH); print_##T("join2", out, more);                                                   \
        join3_##T(out, in, in + LENGTH); print_##T("join3", out, more);                                                   \
        turn3_##T(in); print_##T("turn3", in, more);                                                                      \
        turn4_##T(out, in); print_##T("turn4", out, more);                                                                \
    }

#define PRINT(T, FORMAT)                                                                                                  \
    static void print_##T(const char *name, const T *p, const T *q)                                                       \
    {                                                                                                                     \
        printf("%s " #T, name);                                                                                           \
        for (int i = 0; i < 4 * LENGTH; i++) printf(FORMAT, p[i]);                                                        \
        for (int i = 0; i < 2 * LENGTH; i++) printf(FORMAT, q[i]);                                                        \
        puts("");                                                                                                         \
    }

typedef unsigned char byte;
typedef long long wide;
#define ALL(T, FORMAT) LOOPS(T) PRINT(T, FORMAT)
ALL(byte, " %d") ALL(short, " %d") ALL(int, " %d") ALL(wide, " %lld") ALL(float, " %g") ALL(double, " %g")

typedef int four __attribute__((vector_size(16)));
typedef int eight __attribute__((vector_size(32)));
#define EVEN(v) __builtin_shufflevector(v, v, 0, 2, 4, 6)
#define ODD(v) __builtin_shufflevector(v, v, 1, 3, 5, 7)
#define BOTH(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7)

// What was loaded counts, not what stands there by now.
APART overwritten(eight *p, four *q)
{
    eight v = *p;
    *p = v * 3;
    q[0] = EVEN(v);
    q[1] = ODD(v);
}

// The first half of the memory changes between the two.
APART changed(eight *p, four *q)
{
    eight v = *p;
    q[0] = EVEN(v);
    *(int *)p = 99;
    q[1] = ODD(v);
    q[2] = EVEN(*p);
}

// Loads of two vectors, whose lanes are taken by turns.
APART mixed(const eight *p, four *q)
{
    eight v = p[0], w = p[1];
    q[0] = EVEN(v) + ODD(w);
    q[1] = EVEN(w) - ODD(v);
    q[2] = __builtin_shufflevector(v, w, 0, 2, 8, 10);
}

// A vector that is put together is stored twice, and another one that begins alike is not it.
APART twice(eight *p, four a, four b, four c)
{
    eight v = BOTH(a, b), w = __builtin_shufflevector(v, BOTH(c, b), 0, 1, 2, 3, 12, 13, 14, 15);
    p[0] = v;
    p[1] = w;
    p[2] = v;
    p[3] = BOTH(b, a);
}

int main(void)
{
    RUN(byte, " %d") RUN(short, " %d") RUN(int, " %d") RUN(wide, " %lld") RUN(float, " %g") RUN(double, " %g")
    eight p[4] = {{1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17, 18}};
    four q[3] = {};
    mixed(p, q);
    for (int i = 0; i < 12; i++) printf("%d ", q[i / 4][i % 4]);
    changed(p, q);
    for (int i = 0; i < 12; i++) printf("%d ", q[i / 4][i % 4]);
    overwritten(p, q);
    for (int i = 0; i < 12; i++) printf("%d ", q[i / 4][i % 4]);
    twice(p, q[0], q[1], q[2]);
    for (int i = 0; i < 32; i++) printf("%d ", p[i / 8][i % 8]);
    puts("");
}
