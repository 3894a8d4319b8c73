// Floating point at its edges: NaN, signed zeros, denormals, infinities, conversions.

#define FLOAT(T, UINT) \
    T fadd_##T(T a, T b) { return a + b; } \
    T fsub_##T(T a, T b) { return a - b; } \
    T fmul_##T(T a, T b) { return a * b; } \
    T fdiv_##T(T a, T b) { return a / b; } \
    T fneg_##T(T a) { return -a; } \
    T zero_minus_##T(T a) { return 0 - a; } \
    T fused_not_##T(T a, T b, T c) { return a * b + c; } \
    T square_##T(T a) { return a * a - a; } \
    T half_##T(T a) { return a / 2; } \
    T third_##T(T a) { return a / 3; } \
    int lt_##T(T a, T b) { return a < b; } \
    int le_##T(T a, T b) { return a <= b; } \
    int gt_##T(T a, T b) { return a > b; } \
    int ge_##T(T a, T b) { return a >= b; } \
    int eq_##T(T a, T b) { return a == b; } \
    int ne_##T(T a, T b) { return a != b; } \
    int nlt_##T(T a, T b) { return !(a < b); } \
    int nge_##T(T a, T b) { return !(a >= b); } \
    int unordered_##T(T a, T b) { return __builtin_isunordered(a, b); } \
    int lessgreater_##T(T a, T b) { return __builtin_islessgreater(a, b); } \
    int branch_eq_##T(T a, T b) { if (a == b) return 3; return 4; } \
    int branch_ne_##T(T a, T b) { if (a != b) return 3; return 4; } \
    int branch_lt_##T(T a, T b) { if (a < b) return 3; if (a > b) return 4; if (a == b) return 5; return 6; } \
    T max_##T(T a, T b) { return a > b ? a : b; } \
    T min_##T(T a, T b) { return a < b ? a : b; } \
    T max_other_##T(T a, T b) { return a < b ? b : a; } \
    T min_or_equal_##T(T a, T b) { return a <= b ? a : b; } \
    T abs_##T(T a) { return a < 0 ? -a : a; } \
    T builtin_abs_##T(T a) { return __builtin_fabs(a); } \
    T copysign_##T(T a, T b) { return (T)__builtin_copysign(a, b); } \
    int isnan_##T(T a) { return __builtin_isnan(a); } \
    int isinf_##T(T a) { return __builtin_isinf_sign(a); } \
    int isfinite_##T(T a) { return __builtin_isfinite(a); } \
    int isnormal_##T(T a) { return __builtin_isnormal(a); } \
    int signbit_##T(T a) { return __builtin_signbit(a) != 0; } \
    int truth_##T(T a) { return a ? 1 : 2; } \
    _Bool bool_##T(T a) { return a; } \
    int logic_##T(T a, T b) { return a && !b; } \
    UINT bits_##T(T a) { UINT u; __builtin_memcpy(&u, &a, sizeof u); return a != a ? 0 : u; } \
    T increment_##T(T a) { a++; return a; } \
    T sum_##T(T a, T b, T c, T d) { return a + b + c + d; } \
    T tree_##T(T a, T b, T c, T d) { return (a + b) * (c - d) / (a * d + b * c); } \
    T spill_##T(T a, T b, T c, T d) { \
        T e = a + b, f = b + c, g = c + d, h = d + a, i = a * b, j = b * c, k = c * d, l = d * a, m = a - c, n = b - d; \
        T o = e * f, p = g * h, q = i - j, r = k - l, s = m * n, t = e - g, u = f - h; \
        return a + b * c - d + e * n + f * m + g * l + h * k + i * j + o - p + q - r + s * t * u; } \
    T newton_##T(T a) { T x = 1; a = a < 0 ? -a : a; for (int i = 0; i < 8; i++) x = (x + a / x) / 2; return x; } \
    T horner_##T(T x) { return ((((T)0.5 * x - (T)1.25) * x + 3) * x - (T)0.1) * x + 7; }
FLOAT(f32, u32)
FLOAT(f64, u64)

f64 widen(f32 a) { return a; }
f32 narrow(f64 a) { return (f32)a; }
f64 mixed_sum(f32 a, f64 b, i32 c, u8 d) { return a + b * c - d; }
f32 mixed_float(i64 a, u32 b, f32 c) { return a * c + b; }

// Conversions in range only.
#define TO_INT(F, T, LOW, HIGH) T F##_to_##T(F a) { return a > LOW && a < HIGH ? (T)a : (T)42; }
#define TO_INTS(F) \
    TO_INT(F, i8, -129, 128) TO_INT(F, u8, -1, 256) TO_INT(F, i16, -32769, 32768) TO_INT(F, u16, -1, 65536) \
    TO_INT(F, i32, -2147483648.0f, 2147483648.0f) TO_INT(F, u32, -1, 4294967296.0f) \
    TO_INT(F, i64, -9223372036854775808.0f, 9223372036854775808.0f) TO_INT(F, u64, -1, 18446744073709551616.0f)
TO_INTS(f32)
TO_INTS(f64)

i32 round_trip(i32 a) { return (i32)(f64)a; }
u32 round_trip_unsigned(u32 a) { return (u32)(f64)a; }
i64 round_trip_long(i32 a, u32 b) { return (i64)((f64)a * 4194304.0 + b % 4194304); }
f64 fraction(f64 a) { return a > -1e9 && a < 1e9 ? a - (f64)(i32)a : 0; }
f32 scale(f32 a, i8 n) { f32 r = a; for (; n > 0; n--) r *= 2; for (; n < 0; n++) r /= 2; return r; }
f64 constants(u8 n) {
    switch (n & 7) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return __builtin_inf();
    case 3: return -__builtin_inf();
    case 4: return __builtin_nan("");
    case 5: return 4.9406564584124654e-324;
    case 6: return 1.7976931348623157e308;
    default: return 0.1;
    }
}
f64 table(u8 n) {
    static const f64 values[8] = {1, 2.5, -3.25, 1e100, -1e-100, 0.1, 7, 1.0 / 3};
    return values[n & 7];
}
f64 dot(const i32 *p, const i16 *q, u8 n) {
    f64 s = 0;
    for (u8 i = 0; i < (n & 31); i++) s += (f64)p[i] * q[i];
    return s;
}
void from_integers(const i32 *p, f32 *q) {
    for (int i = 0; i < 16; i++) q[i] = (f32)p[i] / 16;
}
