// What callers and callees agree on: the same functions by each convention.
#include <stdarg.h>
#include <stdint.h>

typedef float floats __attribute__((vector_size(16)));
struct Three { char bytes[3]; };
struct Eight { int a; float b; };
struct Large { long a, b, c; };

// Of the other file, by C's convention, so that they destroy what that allows.
extern "C" int plain(int number, double scale);
extern "C" void destroy(void);

#define DECLARE(name, convention)                                                                                   \
    convention void name##_leaf(void);                                                                              \
    convention void name##_calls(void);                                                                             \
    convention void name##_loops(void);                                                                             \
    convention void name##_moves_stack(void);                                                                       \
    convention void name##_aligns_stack(void);                                                                      \
    convention void name##_has_pages(void);                                                                         \
    convention void name##_catches(void);                                                                           \
    convention void name##_catches_own(void);                                                                       \
    convention void name##_jumps(void);                                                                             \
    convention int name##_throws(int a, double b);                                                                  \
    convention long name##_many(int a, double b, signed char c, float d, long e, unsigned short f, double g, long h, \
                                float i, double j, double k, double l, double m, double n, bool o);                 \
    convention floats name##_vectors(floats a, int b, floats c, double d, floats e, floats f);                      \
    convention Large name##_objects(Three a, Eight b, Large c, long double d, __int128 e);                          \
    convention Eight name##_small(Eight a);                                                                         \
    convention __int128 name##_pair(__int128 a, long b);                                                            \
    convention long double name##_extended(long double a);                                                          \
    convention double name##_same(double a, long b);                                                                \
    convention double name##_passes_on(double a, long b);                                                           \
    convention double name##_variable(int count, ...);                                                              \
    convention int name##_ignored(int a);

#define MOST __attribute__((preserve_most))
#define ALL __attribute__((preserve_all))
#define WINDOWS __attribute__((ms_abi))
#define SYSTEM_V __attribute__((sysv_abi))

DECLARE(most, MOST)
DECLARE(all, ALL)
DECLARE(windows, WINDOWS)
DECLARE(standard, SYSTEM_V)
