// Loops that compilers make vectors of: arithmetic, conversions, comparisons, choices, extremes, sums, in every width. Of 37
// elements at most, so that what is left behind the vectors is executed too.

#define COUNT 37
#define LOOP for (int i = 0; i < COUNT; i++)

#define ARITHMETIC(T, U) \
    void sum_##T(T *restrict p, const T *restrict q) { LOOP p[i] = (T)((U)p[i] + (U)q[i]); } \
    void difference_##T(T *restrict p, const T *restrict q) { LOOP p[i] = (T)((U)q[i] - (U)p[i]); } \
    void product_##T(T *restrict p, const T *restrict q) { LOOP p[i] = (T)((U)((u64)(U)p[i] * (U)q[i])); } \
    void logic_##T(T *restrict p, const T *restrict q) { LOOP p[i] = (T)((p[i] & q[i]) ^ (~p[i] | 5)); } \
    void shifts_##T(T *restrict p) { LOOP p[i] = (T)(((U)p[i] << 3) ^ (p[i] >> 2)); } \
    void each_shift_##T(T *restrict p, const T *restrict q) { LOOP p[i] = (T)(((U)p[i] << (q[i] & 7)) ^ (p[i] >> (q[i] & 5))); } \
    void less_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] < q[i] ? (T)(q[i] ^ 1) : (T)(p[i] & 3); } \
    void equal_##T(T *restrict p, const T *restrict q) { LOOP p[i] = (p[i] & 3) == (q[i] & 3) ? q[i] : (T)7; } \
    void at_most_##T(T *restrict p, const T *restrict q) { LOOP p[i] = (T)(p[i] <= q[i]); } \
    void both_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] > 3 && q[i] < 9 ? p[i] : q[i]; } \
    void smaller_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] < q[i] ? p[i] : q[i]; } \
    void larger_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] > q[i] ? p[i] : q[i]; } \
    void size_##T(T *restrict p) { LOOP p[i] = p[i] < (T)0 ? (T)-(U)p[i] : p[i]; } \
    void by_number_##T(T *restrict p, T n) { LOOP p[i] = (T)((U)p[i] + (U)n); } \
    void turned_##T(T *restrict p, const T *restrict q) { LOOP p[i] = q[COUNT - 1 - i]; } \
    void by_turns_##T(T *restrict p, T *restrict q) { for (int i = 0; i < 16; i++) p[i] = q[2 * i], p[16 + i] = q[2 * i + 1]; } \
    void mixed_##T(T *restrict p, T *restrict q) { for (int i = 0; i < 16; i++) p[2 * i] = q[i], p[2 * i + 1] = q[16 + i]; } \
    T total_##T(const T *p) { U r = 0; LOOP r = (U)(r + (U)p[i]); return (T)r; } \
    T least_##T(const T *p) { T r = p[0]; LOOP r = p[i] < r ? p[i] : r; return r; } \
    T greatest_##T(const T *p) { T r = p[0]; LOOP r = p[i] > r ? p[i] : r; return r; } \
    T any_##T(const T *p) { T r = 0; LOOP r |= p[i]; return r; } \
    T parity_##T(const T *p) { T r = 0; LOOP r ^= p[i]; return r; } \
    i32 count_##T(const T *p, T n) { i32 r = 0; LOOP r += p[i] == n; return r; }
INTEGERS(ARITHMETIC)

#define CONVERSION(A, B) void A##_of_##B(A *restrict p, const B *restrict q) { LOOP p[i] = (A)q[i]; }
#define TO_ALL(B) CONVERSION(i8, B) CONVERSION(u16, B) CONVERSION(i32, B) CONVERSION(u64, B)
TO_ALL(u8) TO_ALL(i16) TO_ALL(u32) TO_ALL(i64)
CONVERSION(i16, i8) CONVERSION(u32, u8) CONVERSION(u32, u16) CONVERSION(i64, i32) CONVERSION(u32, i8)
#define TO_FLOATS(B) CONVERSION(f32, B) CONVERSION(f64, B)
TO_FLOATS(i8) TO_FLOATS(u8) TO_FLOATS(i16) TO_FLOATS(u16) TO_FLOATS(i32) TO_FLOATS(u32) TO_FLOATS(i64) TO_FLOATS(u64)
CONVERSION(f64, f32) CONVERSION(f32, f64)

#define SUMS(T, U) \
    i32 sum_of_##T(const T *p) { i32 r = 0; LOOP r += p[i]; return r; } \
    i32 sum_of_products_##T(const T *p, const T *q) { u32 r = 0; LOOP r += (u32)p[i] * (u32)q[i]; return (i32)r; } \
    i64 long_sum_of_##T(const T *p) { i64 r = 0; LOOP r += p[i]; return r; } \
    i32 distance_##T(const T *p, const T *q) { i32 r = 0; LOOP r += p[i] > q[i] ? p[i] - q[i] : q[i] - p[i]; return r; }
SUMS(i8, u8) SUMS(u8, u8) SUMS(i16, u16) SUMS(u16, u16)

void blended(u8 *restrict p, const u8 *restrict q, u8 a) { LOOP p[i] = (u8)((p[i] * a + q[i] * (255 - a) + 128) >> 8); }
void averages(u8 *restrict p, const u8 *restrict q) { LOOP p[i] = (u8)((p[i] + q[i] + 1) >> 1); }
void clamped(u8 *restrict p, const i16 *restrict q) { LOOP p[i] = q[i] < 0 ? 0 : q[i] > 255 ? 255 : (u8)q[i]; }

// Of two that are none, either may be the result.
#define NUMBER(x) ((x) == (x) ? (x) : 1)
#define FLOATS_OF(T) \
    void float_sum_##T(T *restrict p, const T *restrict q, T a) { a = NUMBER(a); LOOP p[i] = a * NUMBER(p[i]) + NUMBER(q[i]); } \
    void quotient_##T(T *restrict p, const T *restrict q) { LOOP p[i] = NUMBER(p[i]) / (NUMBER(q[i]) + 1) - 2; } \
    void opposite_##T(T *restrict p) { LOOP p[i] = -p[i]; } \
    void float_turned_##T(T *restrict p, const T *restrict q) { LOOP p[i] = q[COUNT - 1 - i]; } \
    void complex_##T(T *restrict p, const T *restrict q) { for (int i = 0; i < 32; i += 2) { T x = NUMBER(p[i]), y = NUMBER(p[i + 1]), u = NUMBER(q[i]), v = NUMBER(q[i + 1]), a = x * u - y * v, b = x * v + y * u; p[i] = a; p[i + 1] = b; } }
FLOATS_OF(f32) FLOATS_OF(f64)
// LLVM's vectors of f32 are NEON's on ARM, which takes denormal numbers for zero and so chooses otherwise than Ice.
#define FLOATS_COMPARED(T) \
    void float_less_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] < q[i] ? q[i] * 2 : p[i] + 1; } \
    void float_unlike_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] != q[i] ? q[i] : (T)1; } \
    void float_smaller_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] < q[i] ? p[i] : q[i]; } \
    void float_larger_##T(T *restrict p, const T *restrict q) { LOOP p[i] = p[i] > q[i] ? p[i] : q[i]; } \
    void magnitude_##T(T *restrict p) { LOOP p[i] = p[i] < 0 ? -p[i] : p[i]; }
#ifndef __arm__
FLOATS_COMPARED(f32)
#endif
FLOATS_COMPARED(f64)
void roots_f32(f32 *restrict p) { LOOP p[i] = __builtin_sqrtf(p[i]); }
void roots_f64(f64 *restrict p) { LOOP p[i] = __builtin_sqrt(p[i]); }
void integers_f32(i32 *restrict p, const i16 *restrict q) { LOOP p[i] = (i32)((f32)q[i] * 0.5f); }
void choose_by_numbers(f32 *restrict p, const f32 *restrict q, const i32 *restrict m) { LOOP p[i] = m[i] > 3 ? p[i] * 2 : q[i]; }
