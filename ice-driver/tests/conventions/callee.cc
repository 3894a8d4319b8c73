#include "shared.h"

// Live over calls: more of each kind than any convention preserves.
#define WORK                                                                                                        \
    int n[9];                                                                                                       \
    double x[9];                                                                                                    \
    for (int i = 0; i < 9; i++) n[i] = plain(i, i + 0.5), x[i] = n[i] * 1.5;                                        \
    int a = n[0], b = n[1], c = n[2], d = n[3], e = n[4], f = n[5], g = n[6];                                        \
    double s = x[0], t = x[1], u = x[2], v = x[3], w = x[4], y = x[5];

#define SUM (a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + s + t * 2 + u * 3 + v * 4 + w * 5 + y * 6)

int seen;
static volatile int zero = 0;

#define DEFINE(name, convention, list, start, must_tail)                                                             \
    convention void name##_leaf(void) { seen = seen * 3 + 1; }                                                      \
    convention void name##_calls(void) {                                                                            \
        WORK destroy();                                                                                             \
        seen += (int)SUM;                                                                                           \
    }                                                                                                               \
    convention void name##_loops(void) {                                                                            \
        WORK for (int i = 0; i < 5; i++) {                                                                          \
            a += plain(b, s);                                                                                       \
            name##_leaf();                                                                                          \
            s += t * name##_same(u, c);                                                                             \
            destroy();                                                                                              \
        }                                                                                                           \
        seen += (int)SUM;                                                                                           \
    }                                                                                                               \
    convention void name##_moves_stack(void) {                                                                      \
        WORK volatile char *room = (volatile char *)__builtin_alloca(100 + zero + plain(3, 1.0));                   \
        room[99] = 7;                                                                                               \
        destroy();                                                                                                  \
        seen += (int)SUM + room[99];                                                                                \
    }                                                                                                               \
    convention void name##_aligns_stack(void) {                                                                     \
        WORK alignas(128) volatile int room[40];                                                                    \
        room[zero] = 5;                                                                                             \
        destroy();                                                                                                  \
        seen += (int)SUM + room[zero] + (int)((uintptr_t)room & 127);                                               \
    }                                                                                                               \
    convention void name##_has_pages(void) {                                                                        \
        WORK volatile int room[4000];                                                                               \
        for (int i = 0; i < 4000; i += 400) room[i] = i;                                                            \
        destroy();                                                                                                  \
        seen += (int)SUM + room[3600];                                                                              \
    }                                                                                                               \
    convention void name##_catches(void) {                                                                          \
        WORK try {                                                                                                  \
            seen += standard_throws(a, s);                                                                          \
        } catch (int caught) {                                                                                      \
            seen += caught + (int)SUM;                                                                              \
        } catch (double caught) {                                                                                   \
            seen -= (int)caught + (int)SUM;                                                                         \
        }                                                                                                           \
        destroy();                                                                                                  \
        seen += (int)SUM;                                                                                           \
    }                                                                                                               \
    convention void name##_catches_own(void) {                                                                      \
        WORK try {                                                                                                  \
            seen += name##_throws(a, s);                                                                            \
        } catch (double caught) {                                                                                   \
            seen += (int)caught + (int)SUM;                                                                         \
        } catch (int caught) {                                                                                      \
            seen += caught + (int)SUM;                                                                              \
        }                                                                                                           \
        seen += (int)SUM;                                                                                           \
    }                                                                                                               \
    convention void name##_jumps(void) {                                                                            \
        destroy();                                                                                                  \
        __attribute__((musttail)) return name##_calls();                                                            \
    }                                                                                                               \
    convention int name##_throws(int a0, double b0) {                                                               \
        WORK destroy();                                                                                             \
        if (a0 % 3 == 0) throw (int)(SUM + a0);                                                                     \
        if (a0 % 3 == 1) throw SUM + b0;                                                                            \
        return (int)SUM + a0;                                                                                       \
    }                                                                                                               \
    convention long name##_many(int a, double b, signed char c, float d, long e, unsigned short f, double g, long h, \
                                float i, double j, double k, double l, double m, double n, bool o) {                \
        destroy();                                                                                                  \
        return (long)(a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12  \
            + m * 13 + n * 14 + o * 15);                                                                            \
    }                                                                                                               \
    convention floats name##_vectors(floats a, int b, floats c, double d, floats e, floats f) {                     \
        a[0] += b;                                                                                                  \
        destroy();                                                                                                  \
        return a + c * 2 + (float)d + e * 3 + f * 4;                                                                \
    }                                                                                                               \
    convention Large name##_objects(Three a, Eight b, Large c, long double d, __int128 e) {                         \
        c.a += a.bytes[2];                                                                                          \
        destroy();                                                                                                  \
        return Large{c.a + b.a, c.b + (long)b.b, c.c + (long)d + (long)(e >> 60)};                                  \
    }                                                                                                               \
    convention Eight name##_small(Eight a) {                                                                        \
        destroy();                                                                                                  \
        return Eight{a.a + 1, a.b * 2};                                                                             \
    }                                                                                                               \
    convention __int128 name##_pair(__int128 a, long b) {                                                           \
        destroy();                                                                                                  \
        return a * b + 1;                                                                                           \
    }                                                                                                               \
    convention long double name##_extended(long double a) {                                                         \
        destroy();                                                                                                  \
        return a * 3;                                                                                               \
    }                                                                                                               \
    convention double name##_same(double a, long b) { return a + plain((int)b, a); }                                \
    convention double name##_passes_on(double a, long b) {                                                          \
        destroy();                                                                                                  \
        must_tail return name##_same(a, b);                                                                         \
    }                                                                                                               \
    convention double name##_variable(int count, ...) {                                                             \
        list l;                                                                                                     \
        start(l, count);                                                                                            \
        destroy();                                                                                                  \
        double sum = 0;                                                                                             \
        for (int i = 0; i < count; i++) {                                                                           \
            switch (i % 5) {                                                                                        \
            case 0: sum += __builtin_va_arg(l, int); break;                                                         \
            case 1: sum += __builtin_va_arg(l, double) * 2; break;                                                  \
            case 2: sum += __builtin_va_arg(l, Large).b * 3; break;                                                 \
            case 3: sum += __builtin_va_arg(l, Eight).b * 4; break;                                                 \
            default: sum += (double)__builtin_va_arg(l, long double) * 5;                                           \
            }                                                                                                       \
        }                                                                                                           \
        return sum;                                                                                                 \
    }                                                                                                               \
    convention int name##_ignored(int a) {                                                                          \
        destroy();                                                                                                  \
        return seen += a;                                                                                           \
    }

// The first two preserve the registers of the arguments.
DEFINE(most, MOST, __builtin_va_list, __builtin_va_start, )
DEFINE(all, ALL, __builtin_va_list, __builtin_va_start, )
DEFINE(windows, WINDOWS, __builtin_ms_va_list, __builtin_ms_va_start, __attribute__((musttail)))
DEFINE(standard, SYSTEM_V, __builtin_va_list, __builtin_va_start, __attribute__((musttail)))
