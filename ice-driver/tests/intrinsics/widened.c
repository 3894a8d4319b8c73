// Arithmetic on vectors whose lanes were extended, and cut again or not: what fits is computed in fewer bits, and some of it is one
// instruction. Every operation meets all pairs of the numbers at the ends of the ranges, and numbers in between.
#include <stdio.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;

#if defined(__x86_64__) || defined(__i386__)
#define WIDE __attribute__((target("avx2"), noinline)) static void
#define HAS_WIDE __builtin_cpu_supports("avx2")
#else
#define WIDE __attribute__((noinline)) static void
#define HAS_WIDE 1
#endif
#define USUAL __attribute__((noinline)) static void

#define VECTOR(T, N) typedef T T##x##N __attribute__((vector_size(sizeof(T) * N), aligned(1)));
#define VECTORS(N) VECTOR(u8, N) VECTOR(i8, N) VECTOR(u16, N) VECTOR(i16, N) VECTOR(u32, N) VECTOR(i32, N) VECTOR(u64, N) VECTOR(i64, N)
VECTORS(4) VECTORS(8) VECTORS(16) VECTORS(32)

enum { BYTES = 512 };
static u8 left[BYTES], right[BYTES], out[6 * BYTES];

static void print(const char *name, unsigned size) {
    u64 hash = 14695981039346656037u;
    for (unsigned i = 0; i < size; i++) hash = (hash ^ out[i]) * 1099511628211u;
    printf("%s %016llx\n", name, hash);
}

// Operations on extended lanes x and y, and on lanes z that are wide.
#define ABS(x) __builtin_elementwise_abs(x)
#define LEAST(x, n) __builtin_elementwise_min(x, (x) * 0 + (n))
#define MOST(x, n) __builtin_elementwise_max(x, (x) * 0 + (n))
#define OPERATIONS(F, A, W, N)                                                                     \
    F(sum, A, W, N, x + y) F(difference, A, W, N, x - y) F(product, A, W, N, x * y)                \
    F(average, A, W, N, (x + y + 1) >> 1) F(floor, A, W, N, (x + y) >> 1)                          \
    F(turned, A, W, N, (x + 1 + y) >> 1) F(upper, A, W, N, (x * y) >> 8 * sizeof(A))               \
    F(rounded, A, W, N, (x * y + 64) >> 7) F(scaled, A, W, N, (x * 77) >> 8)                       \
    F(negative, A, W, N, x * -3 + y) F(distance, A, W, N, ABS(x - y)) F(square, A, W, N, (x - y) * (x - y)) \
    F(least, A, W, N, LEAST(x + y, (W)(A)~0)) F(most, A, W, N, MOST(x - y, 0))                     \
    F(limited, A, W, N, LEAST(MOST(x - y, 0), 200)) F(added, A, W, N, z + x * y)                   \
    F(taken, A, W, N, z - x * y) F(counted, A, W, N, z + x) F(less, A, W, N, z - y)                \
    F(apart, A, W, N, z + ABS(x - y)) F(crossed, A, W, N, x * y - z * x) F(three, A, W, N, x + y + 2 * x) \
    F(one, A, W, N, x + 1) F(from, A, W, N, 255 - x)                                               \
    F(blended, A, W, N, (x * 200 + y * 56) >> 8) F(mixed, A, W, N, ((x * 777 ^ y * 151) - (x << 5)) >> 3) \
    F(greater, A, W, N, z - (x > y)) F(equal, A, W, N, (x & 1 & (x == y)) - z)

typedef void operation(void *wide, void *narrow, const void *p, const void *q);
typedef void cut_operation(void *narrow, const void *p, const void *q);

__attribute__((noinline)) static void check(const char *name, operation *whole, cut_operation *cut, unsigned size, unsigned times) {
    for (unsigned i = 0; i + size <= BYTES; i += size) {
        u8 *wide = out + i * times;
        for (unsigned j = 0; j < size * times; j++) wide[j] = i * 41 + j * 13;
        whole(wide, out + 4 * BYTES + i, left + i, right + i);
        cut(out + 5 * BYTES + i, left + i, right + i);
    }
    print(name, 6 * BYTES);
}

#define OPERATION(NAME, A, W, N, E)                                                                \
    KIND NAME##_##A##_##W##_##N(void *wide, void *narrow, const void *p, const void *q) {          \
        W##x##N x = __builtin_convertvector(*(const A##x##N *)p, W##x##N), z = *(W##x##N *)wide;   \
        W##x##N y = __builtin_convertvector(*(const A##x##N *)q, W##x##N), r = E;                  \
        *(W##x##N *)wide = r;                                                                      \
        *(A##x##N *)narrow = __builtin_convertvector(r, A##x##N);                                  \
    }                                                                                              \
    KIND cut_##NAME##_##A##_##W##_##N(void *narrow, const void *p, const void *q) {                \
        W##x##N x = __builtin_convertvector(*(const A##x##N *)p, W##x##N);                         \
        W##x##N y = __builtin_convertvector(*(const A##x##N *)q, W##x##N), z = y;                  \
        *(A##x##N *)narrow = __builtin_convertvector(E, A##x##N);                                  \
    }

#define CHECK(NAME, A, W, N, E)                                                                    \
    check(#NAME " " #A " " #W " " #N, NAME##_##A##_##W##_##N, cut_##NAME##_##A##_##W##_##N, sizeof(A##x##N), \
          sizeof(W) / sizeof(A));

#define USUAL_SHAPES(F)                                                                            \
    F(u8, i16, 16) F(i8, i16, 16) F(u8, i32, 16) F(i8, i32, 16) F(u8, i16, 8) F(u8, i32, 4) F(u16, i32, 8) F(i16, i32, 8) \
    F(u16, i64, 4) F(i16, i64, 4) F(u32, i64, 4) F(i32, i64, 4)
#define WIDE_SHAPES(F)                                                                             \
    F(u8, i16, 32) F(i8, i16, 32) F(u8, i32, 32) F(i8, i32, 32) F(u16, i32, 16) F(i16, i32, 16) F(u32, i64, 8) F(i32, i64, 8)

#define DEFINE(A, W, N) OPERATIONS(OPERATION, A, W, N)
#define RUN(A, W, N) OPERATIONS(CHECK, A, W, N)
#define KIND USUAL
USUAL_SHAPES(DEFINE)
#undef KIND
#define KIND WIDE
WIDE_SHAPES(DEFINE)

static void fill(unsigned size) {
    // Zero, one, the ends of numbers with a sign and without, and their neighbours.
    static const u8 ends[] = {0, 1, 2, 127, 128, 129, 254, 255};
    u64 state = 88172645463325252u;
    for (unsigned i = 0; i < BYTES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        left[i] = state >> 56;
        right[i] = state >> 48;
    }
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < size; j++) {
            u8 low = ends[i / 8] < 3 ? 0 : ends[i / 8] < 129 ? 0xff : 0, other = ends[i % 8] < 3 ? 0 : ends[i % 8] < 129 ? 0xff : 0;
            left[i * size + j] = j + 1 == size ? ends[i / 8] : low;
            right[i * size + j] = j + 1 == size ? ends[i % 8] : other;
        }
}

int main(void) {
    for (unsigned size = 1; size <= 4; size *= 2) {
        fill(size);
        USUAL_SHAPES(RUN)
        if (HAS_WIDE) {
            WIDE_SHAPES(RUN)
        }
    }
}
