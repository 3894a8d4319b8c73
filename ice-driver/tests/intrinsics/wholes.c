// Vectors of 256 bits, where processors of x86 compute with such: divided by one number, with lanes of other widths, limited, counted,
// shuffled alike in both halves. Elsewhere they are two vectors.
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
#define WHOLE __attribute__((target("avx2"), noinline)) static void
#define IS_THERE __builtin_cpu_supports("avx2")
#else
#define WHOLE __attribute__((noinline)) static void
#define IS_THERE 1
#endif

#define VECTOR(T, N) typedef T T##x##N __attribute__((vector_size(sizeof(T) * N), aligned(1)));
VECTOR(u8, 4) VECTOR(u8, 8) VECTOR(u8, 16) VECTOR(u8, 32) VECTOR(u8, 64) VECTOR(i8, 8) VECTOR(i8, 16) VECTOR(i8, 32) VECTOR(i8, 64)
VECTOR(u16, 4) VECTOR(u16, 8) VECTOR(u16, 16) VECTOR(u16, 32) VECTOR(i16, 8) VECTOR(i16, 16) VECTOR(i16, 32)
VECTOR(u32, 8) VECTOR(u32, 16) VECTOR(i32, 4) VECTOR(i32, 8) VECTOR(i32, 16) VECTOR(i32, 32) VECTOR(u64, 4) VECTOR(u64, 8)
VECTOR(i64, 4) VECTOR(i64, 8) VECTOR(i64, 16) VECTOR(float, 8) VECTOR(float, 16) VECTOR(double, 4)

static u8 in[4096], out[4096];

static void print(const char *name, unsigned size) {
    u64 hash = 14695981039346656037u;
    for (unsigned i = 0; i < size; i++) hash = (hash ^ out[i]) * 1099511628211u;
    printf("%s %016llx\n", name, hash);
    for (unsigned i = 0; i < sizeof out; i++) out[i] = 0x5a;
}

#define DIVIDED(V, NAME, D) WHOLE V##_by_##NAME(V *r, const V *a) { r[0] = a[0] / D; r[1] = a[1] % D; }
#define ALL_DIVIDED(F) \
    F(u8x32, three, 3) F(i8x32, three, -3) F(u16x16, three, 3) F(i16x16, three, -3) F(u32x8, three, 3) F(i32x8, three, -3) \
    F(u8x32, seven, 7) F(i8x32, seven, 7) F(u16x16, seven, 7) F(i16x16, seven, 7) F(u32x8, seven, 7) F(i32x8, seven, 7) \
    F(u8x32, large, 200) F(i8x32, large, -128) F(u16x16, large, 60001) F(i16x16, large, -32768) F(u32x8, large, 4000000007u) \
    F(i32x8, large, 2147483647) F(u8x32, power, 16) F(i8x32, power, -16) F(u16x16, power, 16) F(i16x16, power, -16) \
    F(u32x8, power, 16) F(i32x8, power, -16)
ALL_DIVIDED(DIVIDED)

#define CONVERTED(F) \
    F(u8x8, u32x8) F(i8x8, i32x8) F(u8x4, u64x4) F(u16x4, u64x4) F(u8x16, u32x16) F(i8x16, i32x16) F(u8x32, u16x32) F(i8x8, i64x8) \
    F(i16x16, i64x16) F(u16x8, u64x8) F(i32x8, i64x8) F(u8x8, floatx8) F(i16x8, floatx8) F(i32x4, doublex4) \
    F(u32x16, u8x16) F(u32x8, u8x8) F(u64x8, u16x8) F(u64x8, u8x8) F(u16x32, u8x32) F(u64x4, u8x4) F(u32x16, u16x16) F(i64x8, i32x8)
#define CONVERT(A, B) WHOLE A##_to_##B(B *r, const A *a) { r[0] = __builtin_convertvector(a[0], B); r[1] = __builtin_convertvector(a[1], B); }
CONVERTED(CONVERT)

#define LIMITED(A, B, LEAST, MOST)                                                                 \
    WHOLE limited_##A##_to_##B(B *r, const A *a) {                                                 \
        A x = a[0] >> 7, least = {}, most = {};                                                    \
        x = __builtin_elementwise_max(__builtin_elementwise_min(x, most + MOST), least + LEAST);   \
        r[0] = __builtin_convertvector(x, B);                                                      \
    }
#define ALL_LIMITED(F) F(i32x8, i16x8, -32768, 32767) F(i32x16, i16x16, -32768, 32767) F(i16x32, u8x32, 0, 255) F(i16x32, i8x32, -128, 127) \
    F(i16x16, u8x16, 0, 255) F(i32x32, u8x32, 0, 255) F(i32x16, u8x16, 0, 127)
ALL_LIMITED(LIMITED)

#define COUNTED(T, V, ONES, ZEROS)                                                     \
    WHOLE counted_##T(T *r, const T *a) {                                              \
        for (unsigned i = 0; i < 64 / sizeof(T); i++) r[i] = ONES(a[i]);               \
        for (unsigned i = 0; i < 64 / sizeof(T); i++) r[64 + i] = a[i] ? ZEROS(a[i]) : 77; \
    }
COUNTED(u32, u32x8, __builtin_popcount, __builtin_clz)
COUNTED(u64, u64x4, __builtin_popcountll, __builtin_ctzll)

WHOLE swapped(u32 *r, const u32 *a) { for (int i = 0; i < 32; i++) r[i] = __builtin_bswap32(a[i]); }
WHOLE reversed(u8 *restrict r, const u8 *restrict a) { for (int i = 0; i < 128; i++) r[i] = a[127 - i]; }
WHOLE reversed_words(u32 *restrict r, const u32 *restrict a) { for (int i = 0; i < 64; i++) r[i] = a[63 - i] * 3; }
WHOLE turned(u32 *r, const u32 *a) { for (int i = 0; i < 64; i++) r[i] = a[i] << 7 | a[i] >> 25; }
WHOLE least(float *r, const float *a) { for (int i = 0; i < 64; i++) r[i] = __builtin_fminf(a[i], a[i + 64]); }
WHOLE interleaved(u16 *restrict r, const u16 *restrict a) { for (int i = 0; i < 64; i++) { r[2 * i] = a[i]; r[2 * i + 1] = a[64 + i]; } }
WHOLE taken_apart(u32 *restrict r, const u32 *restrict a)
{ for (int i = 0; i < 32; i++) { r[i] = a[4 * i] - a[4 * i + 1]; r[32 + i] = a[4 * i + 2] ^ a[4 * i + 3]; } }
WHOLE compared(u8 *r, const u64 *a) { for (int i = 0; i < 64; i++) r[i] = a[i] < a[i + 64] ? 3 : 200; }

int main(void) {
    u32 state = 5;
    if (!IS_THERE) return 0;
    for (int round = 0; round < 16; round++) {
        for (unsigned i = 0; i < sizeof in; i++) in[i] = (u8)((state = state * 1664525 + 1013904223) >> 24);
        // Small floats, infinities and NaN among others.
        for (int i = 0; i < 128 && round % 2; i++) ((float *)in)[i] = (float)((int)(state = state * 1664525 + 1013904223) >> 20) / (i % 7);
#define RUN_DIVIDED(V, NAME, D) V##_by_##NAME((V *)out, (const V *)in); print(#V " by " #NAME, 2 * sizeof(V));
        ALL_DIVIDED(RUN_DIVIDED)
#define RUN_CONVERTED(A, B) A##_to_##B((B *)out, (const A *)in); print(#A " to " #B, 2 * sizeof(B));
        CONVERTED(RUN_CONVERTED)
#define RUN_LIMITED(A, B, L, M) limited_##A##_to_##B((B *)out, (const A *)in); print("limited " #A, sizeof(B));
        ALL_LIMITED(RUN_LIMITED)
        counted_u32((u32 *)out, (const u32 *)in); print("counted", 512);
        counted_u64((u64 *)out, (const u64 *)in); print("counted", 1024);
        swapped((u32 *)out, (const u32 *)in); print("swapped", 128);
        reversed(out, in); print("reversed", 128);
        reversed_words((u32 *)out, (const u32 *)in); print("reversed", 256);
        turned((u32 *)out, (const u32 *)in); print("turned", 256);
        least((float *)out, (const float *)in); print("least", round % 2 ? 256 : 0);
        interleaved((u16 *)out, (const u16 *)in); print("interleaved", 256);
        taken_apart((u32 *)out, (const u32 *)in); print("taken apart", 256);
        compared(out, (const u64 *)in); print("compared", 64);
    }
    return 0;
}
