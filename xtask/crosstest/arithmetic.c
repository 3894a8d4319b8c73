// Operators of C on every type, with the promotions of C; signed arithmetic by way of unsigned types.

#define BINARY(T, U) \
    T add_##T(T a, T b) { return (T)((U)a + (U)b); } \
    T sub_##T(T a, T b) { return (T)((U)a - (U)b); } \
    T mul_##T(T a, T b) { return (T)((U)((u64)a * (u64)b)); } \
    T div_##T(T a, T b) { return b == 0 || (b == (T)-1 && (T)-1 < 0) ? (T)7 : (T)(a / b); } \
    T rem_##T(T a, T b) { return b == 0 || (b == (T)-1 && (T)-1 < 0) ? (T)9 : (T)(a % b); } \
    T both_##T(T a, T b) { return b == 0 || (b == (T)-1 && (T)-1 < 0) ? (T)1 : (T)((U)(a / b) + (U)(a % b)); } \
    T shl_##T(T a, T b) { return (T)((U)a << ((U)b & (sizeof(T) * 8 - 1))); } \
    T shr_##T(T a, T b) { return (T)(a >> ((U)b & (sizeof(T) * 8 - 1))); } \
    T and_##T(T a, T b) { return a & b; } \
    T or_##T(T a, T b) { return a | b; } \
    T xor_##T(T a, T b) { return a ^ b; } \
    T andnot_##T(T a, T b) { return a & ~b; } \
    T neg_##T(T a) { return (T)(0 - (U)a); } \
    T not_##T(T a) { return ~a; } \
    int is_##T(T a) { return !a; } \
    T mean_##T(T a, T b) { return (T)((a & b) + ((a ^ b) >> 1)); } \
    T blend_##T(T a, T b, T m) { return a ^ ((a ^ b) & m); } \
    T polynomial_##T(T a) { U x = (U)a; return (T)(U)((u64)((U)((u64)((U)((u64)x * 3 + 5)) * x + 7)) * x + 11); } \
    T least_##T(T a, T b, T c) { T m = a < b ? a : b; return m < c ? m : c; } \
    T clamp_##T(T a) { return a < 10 ? 10 : a > 100 ? 100 : a; } \
    T sign_##T(T a) { return (T)((a > 0) - (a < 0)); }
INTEGERS(BINARY)

#ifdef __SIZEOF_INT128__
BINARY(u128, u128)
BINARY(i128, u128)
u64 high_u64(u64 a, u64 b) { return (u64)(((u128)a * b) >> 64); }
i64 high_i64(i64 a, i64 b) { return (i64)(((i128)a * b) >> 64); }
u128 product(u64 a, u64 b) { return (u128)a * b; }
i128 signed_product(i64 a, i64 b) { return (i128)a * b; }
#endif

// Between the types: value after value through a chain of conversions.
#define CONVERT(FROM, TO) TO FROM##_to_##TO(FROM a) { return (TO)a; }
#define CONVERTS(T, U) CONVERT(T, i8) CONVERT(T, u8) CONVERT(T, i16) CONVERT(T, u16) CONVERT(T, i32) CONVERT(T, u32) \
    CONVERT(T, i64) CONVERT(T, u64) CONVERT(T, _Bool) CONVERT(T, f32) CONVERT(T, f64)
INTEGERS(CONVERTS)

#define MIXED(A, B) \
    A mixed_add_##A##_##B(A a, B b) { return (A)((u64)a + (u64)b); } \
    A mixed_sub_##A##_##B(A a, B b) { return (A)((u64)a - (u64)b); } \
    A mixed_mul_##A##_##B(A a, B b) { return (A)((u64)a * (u64)b); } \
    int mixed_less_##A##_##B(A a, B b) { return a < b; } \
    A mixed_shift_##A##_##B(A a, B b) { return (A)((u64)a >> (b & 7)); }
#define MIXES(T, U) MIXED(T, i8) MIXED(T, u16) MIXED(T, i32) MIXED(T, u32) MIXED(T, i64) MIXED(T, u64)
INTEGERS(MIXES)

u32 carry(u32 a, u32 b, u32 *high) {
    u64 sum = (u64)a + b;
    *high = (u32)(sum >> 32);
    return (u32)sum;
}
u64 borrow(u64 a, u64 b, u8 *flag) {
    *flag = a < b;
    return a - b;
}
u64 multiply_parts(u32 a, u32 b, u32 c) { return (u64)a * b + c; }
i64 multiply_signed_parts(i32 a, i32 b, i32 c) { return (i64)a * b - c; }
u64 square_sum(u32 a, u32 b) { return (u64)a * a ^ (u64)b * b; }
u32 remainder_parts(u64 a, u32 b) { return b ? (u32)(a % b) : 3; }
u64 gcd(u64 a, u64 b) {
    while (b) {
        u64 t = a % b;
        a = b;
        b = t;
    }
    return a;
}
u32 power(u32 a, u8 n) {
    u32 r = 1;
    for (; n; n >>= 1, a *= a)
        if (n & 1) r *= a;
    return r;
}
u32 crc(u32 a, const u8 *p, u8 n) {
    for (; n; n--, p++) {
        a ^= *p;
        for (int i = 0; i < 8; i++) a = a >> 1 ^ (0xedb88320 & -(a & 1));
    }
    return a;
}
u32 decimal(u64 a, char *out) {
    char digits[20];
    int n = 0;
    do digits[n++] = (char)('0' + a % 10);
    while (a /= 10);
    for (int i = 0; i < n; i++) out[i] = digits[n - 1 - i];
    return (u32)n;
}
