// Bit manipulation: built-in functions, the idioms that compilers know, overflow.

#define BITS(T, U) \
    T rotate_left_##T(T a, u8 n) { enum { W = sizeof(T) * 8 }; return (T)((U)a << (n % W) | (U)a >> ((W - n % W) % W)); } \
    T rotate_right_##T(T a, u8 n) { enum { W = sizeof(T) * 8 }; return (T)((U)a >> (n % W) | (U)a << ((W - n % W) % W)); } \
    T rotate_5_##T(T a) { return (T)((U)a << 5 | (U)a >> (sizeof(T) * 8 - 5)); } \
    T lowest_##T(T a) { return (T)((U)a & (0 - (U)a)); } \
    T clear_lowest_##T(T a) { return (T)((U)a & ((U)a - 1)); } \
    T set_##T(T a, u8 n) { return (T)((U)a | (U)1 << n % (sizeof(T) * 8)); } \
    T flip_##T(T a, u8 n) { return (T)((U)a ^ (U)1 << n % (sizeof(T) * 8)); } \
    T clear_##T(T a, u8 n) { return (T)((U)a & ~((U)1 << n % (sizeof(T) * 8))); } \
    int has_##T(T a, u8 n) { return ((U)a & (U)1 << n % (sizeof(T) * 8)) != 0; } \
    T field_##T(T a) { return (T)((U)a >> 2 & 15); } \
    T insert_##T(T a, T b) { return (T)(((U)a & ~(U)0x3c) | ((U)b << 2 & 0x3c)); } \
    T saturate_##T(T a, T b) { T r; if (__builtin_add_overflow(a, b, &r)) return (T)-1; return r; } \
    int add_overflow_##T(T a, T b, T *r) { return __builtin_add_overflow(a, b, r); } \
    int sub_overflow_##T(T a, T b, T *r) { return __builtin_sub_overflow(a, b, r); } \
    int mul_overflow_##T(T a, T b, T *r) { return __builtin_mul_overflow(a, b, r); } \
    int mixed_overflow_##T(T a, i32 b, u16 *r) { return __builtin_add_overflow(a, b, r); } \
    int count_##T(T a) { U x = (U)a; int n = 0; while (x) x &= x - 1, n++; return n; } \
    T swap_ends_##T(T a) { U x = (U)a; enum { W = sizeof(T) * 8 }; return (T)(x << W / 2 | x >> W / 2); }
INTEGERS(BITS)

int popcount(u32 a) { return __builtin_popcount(a); }
int popcount_long(u64 a) { return __builtin_popcountll(a); }
int leading(u32 a) { return a ? __builtin_clz(a) : 32; }
int leading_long(u64 a) { return a ? __builtin_clzll(a) : 64; }
int leading_nonzero(u32 a) { return __builtin_clz(a | 1); }
int trailing(u32 a) { return a ? __builtin_ctz(a) : 32; }
int trailing_long(u64 a) { return a ? __builtin_ctzll(a) : 64; }
int trailing_nonzero(u64 a) { return __builtin_ctzll(a | (u64)1 << 63); }
int first(i32 a) { return __builtin_ffs(a); }
int first_long(i64 a) { return __builtin_ffsll(a); }
int parity(u32 a) { return __builtin_parity(a); }
int parity_long(u64 a) { return __builtin_parityll(a); }
int redundant(i32 a) { return __builtin_clrsb(a); }
u16 swap16(u16 a) { return __builtin_bswap16(a); }
u32 swap32(u32 a) { return __builtin_bswap32(a); }
u64 swap64(u64 a) { return __builtin_bswap64(a); }
u8 reverse8(u8 a) { return __builtin_bitreverse8(a); }
u32 reverse32(u32 a) { return __builtin_bitreverse32(a); }
u64 reverse64(u64 a) { return __builtin_bitreverse64(a); }
u32 swap_by_hand(u32 a) { return a << 24 | (a << 8 & 0xff0000) | (a >> 8 & 0xff00) | a >> 24; }
u32 load_big_endian(const u8 *p) { return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3]; }
u64 load_little_endian(const u8 *p) {
    u64 r = 0;
    for (int i = 7; i >= 0; i--) r = r << 8 | p[i];
    return r;
}
void store_big_endian(u8 *p, u64 a) {
    for (int i = 0; i < 8; i++) p[i] = (u8)(a >> (56 - 8 * i));
}
u64 shift_long(u64 a, u8 n) { return n < 64 ? a << n : 0; }
i64 shift_long_right(i64 a, u8 n) { return n < 64 ? a >> n : a >> 63; }
u32 double_shift(u32 a, u32 b, u8 n) { n &= 31; return n ? a << n | b >> (32 - n) : a; }
u64 double_shift_long(u64 a, u64 b, u8 n) { n &= 63; return n ? a << n | b >> (64 - n) : a; }
u64 scaled_field(u32 a) { return (u64)(a >> 7 & 0xff) << 4; }
u64 scaled_up(u32 a) { return (u64)(a >> 3 & 0x1ff) << 20; }
u64 scaled_in_place(u32 a) { return (u64)(a >> 8 & 0x7f) << 8; }
u64 scaled_to_the_top(u32 a) { return (u64)(a >> 5 & 0x7ffffff) << 5; }
u64 scaled_beyond(u32 a) { return (u64)(a >> 1 & 0x7fffffff) << 4; }
u64 scaled_long(u64 a) { return (a >> 33 & 0x3fff) << 5; }
u64 scaled_long_up(u64 a) { return (a >> 2 & 0xffff) << 16; }
u64 scaled_twice(u32 a, u32 b) { return ((u64)(a >> 9 & 0xff) << 4) + ((u64)(b >> 24 & 0x1f) << 7) + (a >> 9 & 0xff); }
u32 morton(u16 a) {
    u32 x = a;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}
u64 mix(u64 a) {
    a ^= a >> 33;
    a *= 0xff51afd7ed558ccd;
    a ^= a >> 33;
    a *= 0xc4ceb9fe1a85ec53;
    return a ^ a >> 33;
}
