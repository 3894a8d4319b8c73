// Comparisons and logic as values, conditions and choices.

#define COMPARE(T, U) \
    int lt_##T(T a, T b) { return a < b; } \
    int le_##T(T a, T b) { return a <= b; } \
    int gt_##T(T a, T b) { return a > b; } \
    int ge_##T(T a, T b) { return a >= b; } \
    int eq_##T(T a, T b) { return a == b; } \
    int ne_##T(T a, T b) { return a != b; } \
    T max_##T(T a, T b) { return a > b ? a : b; } \
    T min_##T(T a, T b) { return a < b ? a : b; } \
    int between_##T(T a, T b, T c) { return a <= b && b < c; } \
    int either_##T(T a, T b, T c) { return a == b || b == c || a == c; } \
    int order_##T(T a, T b) { return a < b ? -1 : a > b ? 1 : 0; } \
    int small_##T(T a) { return a < 100 && a > 3; } \
    int bits_##T(T a, T b) { return (a & b) != 0; } \
    int bit_##T(T a, u8 n) { return (int)(a >> (n & (sizeof(T) * 8 - 1)) & 1); } \
    int tested_##T(T a) { return (a & 16) ? 3 : 4; } \
    T abs_##T(T a) { return a < 0 ? (T)(0 - (U)a) : a; } \
    T loop_##T(T a, T b) { T n = 0; for (u8 i = 0; i < 50 && a != b; i++) { if (a < b) b = (T)((U)b - (U)a); else a = (T)((U)a - (U)b); n++; } return n; } \
    T median_##T(T a, T b, T c) { if (a > b) { T t = a; a = b; b = t; } if (b > c) b = c; return a > b ? a : b; } \
    int chain_##T(T a, T b, T c, T d) { return (a < b) + 2 * (b < c) + 4 * (c < d) + 8 * (a == d) + 16 * (b >= d); } \
    _Bool bool_##T(T a) { return a; } \
    _Bool xor_bool_##T(T a, T b) { return (a != 0) ^ (b != 0); }
INTEGERS(COMPARE)
#ifdef __SIZEOF_INT128__
COMPARE(u128, u128)
COMPARE(i128, u128)
#endif

int pointer_order(const u8 *p, u16 n) { return p + n > p + 5; }
int null_pointer(const u8 *p, u8 n) { return (n & 1 ? p : 0) == 0; }
_Bool logic(_Bool a, _Bool b, _Bool c) { return (a && !b) || (b && c) || (!a && !c); }
_Bool logic_bits(_Bool a, _Bool b, _Bool c) { return (a & !b) | (b ^ c); }
_Bool negated(_Bool a) { return !a; }
int nested(i32 a, i32 b, i32 c) { return a ? b ? c ? 1 : 2 : c ? 3 : 4 : b ? c ? 5 : 6 : c ? 7 : 8; }
