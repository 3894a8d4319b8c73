// Functions that call across modules, with values that come from the driver.
#include "shared.h"

u32 call_bytes(i8 a, u8 b, i16 c, u16 d, _Bool e, i32 f) { return callee_bytes((i8)(a + 1), (u8)(b + 1), (i16)(c + 1), (u16)(d + 1), !e, f); }
u64 call_longs(i32 a, i64 b, u8 c) { return callee_longs(a, b, a ^ 1, (u64)b + 1, c, (i64)((u64)b - (u64)(a % 3)), (i16)a, -(b >> 1)); }
f64 call_floats(f32 a, f64 b) { return callee_floats(a, b, a * 2, b * 3, a - 1, b + 4, a, b, -a, -b, a * a, b * b); }
f64 call_mixed(i32 a, f64 b, i64 c, f32 d, u8 e) { return callee_mixed(a, b, c, d, e, b * 2, (i16)a, c >> 3, d - 1, a ^ 7, b - 1, c >> 5, d * 4, (u8)(e + 9)); }
u64 call_many(u64 a, u32 b, u16 c, u8 d) { return callee_many(a, b, c, d, a + 1, b + 1, (u16)(c + 1), (u8)(d + 1), a * 3, b * 3, (u16)(c * 3), (u8)(d * 3), ~a, ~b, (u16)~c, (u8)~d); }
i32 call_i8(i32 a, i32 b) { return callee_i8((i8)a, (i8)b); }
i32 call_u8(i32 a, i32 b) { return callee_u8((u8)a, (u8)b); }
i32 call_i16(i32 a, i32 b) { return callee_i16((i16)a, (i16)b); }
i32 call_u16(i32 a, i32 b) { return callee_u16((u16)a, (u16)b); }
i32 call_bool(i32 a) { return callee_bool(a) ? 3 : 4; }
i32 call_bool_value(i32 a) { return callee_bool(a) + callee_bool(~a) * 2; }
i64 call_i64(i64 a, i64 b) { return callee_i64(a, callee_i64(b, a)); }
f32 call_f32(f32 a, f32 b) { return callee_f32(a, callee_f32(b, a)); }
u32 call_void(u32 a, u32 b) { u32 x = a; callee_void(&x, b); callee_void(&x, x); return x; }
u32 call_pointer(u8 *p, i32 n) { return *(u8 *)callee_pointer(p, n); }
u32 discarded(i32 a) { callee_f32((f32)a, 2); callee_floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); callee_i64(a, 3); return (u32)a; }
u32 discarded_structs(i32 a) { for (int i = 0; i < 20; i++) { callee_Big((Big){{(u8)a}}); callee_P16((P16){a, i}); callee_F2((F2){1, 2}); callee_S24((S24){1, 2, 3}); } return (u32)a; }

// Structures come from memory, so that no padding is undefined; floats in them are made of integers.
#define CALL(S, FIX) \
    u64 call_##S(const u8 *p) { S s; __builtin_memcpy(&s, p, sizeof s); FIX(s); S t = callee_##S(s); u64 h = help_hash((u8 *)&t, 1); return h; } \
    u64 call_pair_##S(const u8 *p, i32 a, f64 b) { S s, t; __builtin_memcpy(&s, p, sizeof s); __builtin_memcpy(&t, p + 80, sizeof t); FIX(s); FIX(t); \
        S r = callee_pair_##S(a, s, b, t); return CHECK_##S(r); } \
    u64 call_last_##S(const u8 *p, u64 a) { S s, t; __builtin_memcpy(&s, p, sizeof s); __builtin_memcpy(&t, p + 80, sizeof t); return callee_last_##S(a, a + 1, a + 2, a + 3, a + 4, s, t, (u8)a); } \
    void through_##S(S *p, const S *q) { S s = *q; FIX(s); S t = callee_pair_##S(2, s, 0.5, s); *p = t; }
#define NONE(s)
#define F2_FIX(s) (s.a = (f32)(i16)help_hash(&s.a, 2), s.b = (f32)(i16)help_hash(&s.b, 2))
#define F3_FIX(s) (F2_FIX(s), s.c = 3)
#define F4_FIX(s) (F2_FIX(s), s.c = 3, s.d = 4)
#define IF_FIX(s) (s.b = (f32)(i16)s.a)
#define DI_FIX(s) (s.a = s.b)
#define HUGE_FIX(s) do { for (int i = 0; i < 9; i++) s.a[i] = i; } while (0)
#define CHECK_P8(r) ((u64)r.a * 3 + (u64)r.b)
#define CHECK_P16(r) ((u64)r.a * 3 + (u64)r.b)
#define CHECK_S1(r) (u64)r.a
#define CHECK_S3(r) (u64)(r.a + 3 * r.b + 5 * r.c)
#define CHECK_S4(r) (u64)(r.a + 3 * r.b)
#define CHECK_S8(r) (u64)(i64)(r.a ^ r.b)
#define CHECK_S12(r) (u64)(i64)(r.a ^ r.b ^ r.c)
#define CHECK_F2(r) (u64)(i64)(r.a + 3 * r.b)
#define CHECK_F3(r) (u64)(i64)(r.a + 3 * r.b + r.c)
#define CHECK_F4(r) (u64)(i64)(r.a + 3 * r.b + r.c * r.d)
#define CHECK_DF(r) (u64)(i64)(r.a + r.b)
#define CHECK_D2(r) (u64)(i64)(r.a - r.b)
#define CHECK_DI(r) (u64)(i64)(r.a + r.b)
#define CHECK_IF(r) (u64)(i64)(r.a + (i32)r.b)
#define CHECK_Big(r) help_hash(&r, sizeof r)
#define CHECK_S24(r) ((u64)r.a + 3 * (u64)r.b + 5 * (u64)r.c)
#define CHECK_Huge(r) (u64)(r.a[1] + r.a[8])
#define CHECK_Aligned(r) (u64)r.a
#define CHECK_Packed(r) (u64)(i64)(r.a ^ r.b)
#define CHECK_Union(r) help_hash(&r, 6)
#define CHECK_Slice(r) (u64)(r.p + (u32)r.n)
#define DF_FIX(s) (s.a = (f64)(i16)help_hash(&s.a, 2), s.b = (f32)(i16)help_hash(&s.b, 2))
#define D2_FIX(s) (s.a = (f64)(i16)help_hash(&s.a, 2), s.b = (f64)(i16)help_hash(&s.b, 2))
CALL(P8, NONE) CALL(P16, NONE) CALL(S1, NONE) CALL(S3, NONE) CALL(S4, NONE) CALL(S12, NONE) CALL(S24, NONE)
CALL(F2, F2_FIX) CALL(F3, F3_FIX) CALL(F4, F4_FIX) CALL(Packed, NONE) CALL(Big, NONE) CALL(D2, D2_FIX) CALL(Huge, HUGE_FIX)

u64 call_S8(i32 a, u8 b, f64 c) { S8 s = {a, b}, t = {a ^ 1, (u8)~b}; S8 r = callee_pair_S8(a, s, c, t); return CHECK_S8(r) + (u64)callee_S8(s).b; }
u64 call_DF(i16 a, i16 b) { DF s = {a, b}, t = {b, a}; DF r = callee_pair_DF(a, s, b, t); return CHECK_DF(r) + (u64)(i64)callee_DF(s).b; }
u64 call_DI(i16 a, i32 b) { DI s = {a, b}, t = {b, a}; DI r = callee_pair_DI(a, s, 2, t); return CHECK_DI(r) + callee_last_DI(1, 2, 3, 4, 5, s, t, 6); }
u64 call_IF(i16 a, i16 b) { IF s = {a, b}, t = {b, a}; IF r = callee_pair_IF(a, s, 2, t); return CHECK_IF(r) + (u64)(i64)callee_IF(t).b; }
u64 call_Aligned(i32 a, i32 b) { Aligned s = {a}, t = {b}; return (u64)(i64)(callee_pair_Aligned(a, s, 2, t).a ^ callee_Aligned(t).a) + callee_last_Aligned(1, 2, 3, 4, 5, s, t, 6); }
u64 call_Union(i32 a, u16 b) { Union s = {.c = {(u8)a, (u8)b, 3, 4, 5, 6}}, t = {.c = {9, 8, 7, 6, 5, (u8)b}}; Union r = callee_pair_Union(a, s, 2, t); return CHECK_Union(r); }
u64 call_Slice(i32 a, i32 n) { Slice s = {(u32)a, n}, t = {0, a}; Slice r = callee_pair_Slice(a, s, 2, t); return CHECK_Slice(r); }
v4i call_v4i(v4i a, v4i b, i32 n) { return callee_v4i(a, callee_v4i(b, a, 3), n); }
v4f call_v4f(v4f a, v4f b, f32 c, f64 d) { return callee_v4f(a, c, b, d, a + b); }
f32 call_CF(f32 a, f32 b) { CF x = a + b * 1.0if, y = b; CF r = callee_CF(x, y); return __real__ r - __imag__ r; }
f64 call_CD(f64 a, f64 b) { CD x, y; __real__ x = a, __imag__ x = b, __real__ y = b, __imag__ y = a; CD r = callee_CD(x, y); return __real__ r * 3 - __imag__ r; }

u64 call_sum(u32 a, u32 b) { return callee_sum(0) + callee_sum(1, a) + callee_sum(5, a, b, a + 1, b + 1, a ^ b) + callee_sum(12, 1, 2, 3, a, b, 6, 7, 8, a, b, 11, 12); }
f64 call_format(i32 a, i64 b, f64 c, f32 d, u8 *p, f64 x) {
    return callee_format("") + callee_format("i", a) + callee_format("ild", a, b, c) + callee_format("dddddddddddd", c, d, c, d, 1.0, 2.0, 3.0, 4.0, c, d, 5.0, 6.0) +
           callee_format("lilililildid", b, a, b, a, b, a, b, a, b, c, a, d) + callee_format("pddip", p, c, x, a, p + 1);
}
#ifdef __SIZEOF_INT128__
u64 call_wide(u64 a, u64 b) {
    u128 w = (u128)a << 64 | b;
    return callee_wide(2, a, b, w) + callee_wide(5, a, b, w, b, a, ~w, a) + callee_wide(6, 1ull, 2ull, w, a, b, w + 1, b, 3ull, w - 1);
}
#endif
static u64 help_list(i32 count, ...) { va_list list; va_start(list, count); u64 r = help_list_callee(count, list); va_end(list); return r; }
u64 call_list(u64 a, u64 b) { return help_list(2, a, b) + help_list(9, a, b, a + 1, b + 1, a, b, a, b, 3ull); }
u64 call_structs(const u8 *p, i32 a) {
    P8 x = {a, 2};
    D2 y = {a, 3};
    S3 z = {1, 2, (u8)a};
    Big b;
    __builtin_memcpy(&b, p, sizeof b);
    DI d = {a, a};
    return callee_structs(1, x, y, z, b, d) + callee_structs(3, x, y, z, b, d, x, y, z, b, d, x, y, z, b, d);
}
i32 call_late(i32 a, i64 b, f64 c) { return callee_late(a, b, c, a, a + 1, a + 2, a + 3, a + 4, a + 5, 1, "idididid", a, c, a, c, a, 2.0, a, 1.0); }

static u32 help_visit(u32 a, void *p) { return a * 5 + *(u8 *)p; }
u32 call_visit(u32 a, u8 *p) { return help_visit_callee(help_visit, a, p); }
u32 call_visitor(u32 a, u8 *p, u8 n) { return callee_visitor(n)(a, p) + help_visit_callee(callee_visitor((u8)(n + 1)), a, p); }
static u32 help_deep(u32 a, u32 n) { return help_deep_callee(help_deep, a * 3, n); }
u32 call_deep(u32 a, u8 n) { return help_deep(a, n & 15); }
u64 across(u64 a, u32 b, f64 c, u8 d) {
    // Values that live across a call in registers or slots.
    u64 e = a * 3, f = a ^ b;
    f64 g = c * 2, h = c - 1;
    u64 i = callee_clobber(a);
    u64 j = callee_clobber(e ^ d);
    return i ^ j ^ e ^ f ^ b ^ (u64)(g < h) ^ (u64)(c > g) ^ d;
}
u64 in_loop(u32 a, u8 n) { u64 r = 0; for (u8 i = 0; i < (n & 7); i++) r = r * 3 + callee_clobber(a + i) + (u64)callee_i64(i, (i64)r); return r; }
u32 tail_call(i8 a, u8 b, i16 c) { return callee_bytes(a, b, c, 7, 1, 9); }
u32 many_then_few(i32 a) { return callee_bytes((i8)a, 1, 2, 3, 1, (i32)callee_many((u64)a, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)); }
