// Functions that are called across modules; also called by the driver's stubs where a stub can.
#include "shared.h"

u32 callee_bytes(i8 a, u8 b, i16 c, u16 d, _Bool e, i32 f) { return (u32)a + 3u * b + 5u * (u32)c + 7u * d + 11u * e + 13u * (u32)f; }
u64 callee_longs(i32 a, i64 b, i32 c, u64 d, u8 e, i64 f, i16 g, i64 h) { return (u64)a + 3 * (u64)b + 5 * (u64)c + 7 * d + 11 * e + 13 * (u64)f + 17 * (u64)g + 19 * (u64)h; }
f64 callee_floats(f32 a, f64 b, f32 c, f64 d, f32 e, f64 f, f32 g, f64 h, f32 i, f64 j, f32 k, f64 l) { return a - b + c * 2 - d * 2 + e * 3 - f * 3 + g - h + i - j + k * 5 - l * 7; }
f64 callee_mixed(i32 a, f64 b, i64 c, f32 d, u8 e, f64 f, i16 g, i64 h, f32 i, i32 j, f64 k, i64 l, f32 m, u8 n) { return a + b + (f64)c + d + e + f + g + (f64)h + i + j + k + (f64)l + m + n; }
u64 callee_many(u64 a, u32 b, u16 c, u8 d, u64 e, u32 f, u16 g, u8 h, u64 i, u32 j, u16 k, u8 l, u64 m, u32 n, u16 o, u8 p) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}
i8 callee_i8(i8 a, i8 b) { return (i8)(a + b); }
u8 callee_u8(u8 a, u8 b) { return (u8)(a + b); }
i16 callee_i16(i16 a, i16 b) { return (i16)(a * 3 + b); }
u16 callee_u16(u16 a, u16 b) { return (u16)(a * 3 + b); }
_Bool callee_bool(i32 a) { return a > 5; }
i64 callee_i64(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
f32 callee_f32(f32 a, f32 b) { return a - b; }
void callee_void(u32 *p, u32 a) { *p += a; }
void *callee_pointer(void *p, i32 n) { return (u8 *)p + (n & 15); }

#define DEFINE(S) \
    S callee_##S(S s) { u8 *volatile p = (u8 *)&s; p[0] ^= 5; return s; } \
    S callee_pair_##S(i32 a, S s, f64 b, S t) { if (a & 1) return s; u8 *volatile p = (u8 *)&t; p[0] += b > 1; return t; } \
    u64 callee_last_##S(u64 a, u64 b, u64 c, u64 d, u64 e, S s, S t, u8 n) { return a + b + c + d + e + n + *(u8 *)&s + 3u * *(u8 *)&t; }
STRUCTS(DEFINE)
v4i callee_v4i(v4i a, v4i b, i32 n) { return a * n - b; }
v4f callee_v4f(v4f a, f32 b, v4f c, f64 d, v4f e) { return a * b + c * (f32)d - e; }
CF callee_CF(CF a, CF b) { return a + b; }
CD callee_CD(CD a, CD b) { return a - b; }

u64 callee_sum(i32 count, ...) {
    va_list list;
    va_start(list, count);
    u64 sum = 0;
    for (i32 i = 0; i < count; i++) sum = sum * 3 + va_arg(list, u32);
    va_end(list);
    return sum;
}
f64 callee_format(const char *format, ...) {
    va_list list;
    va_start(list, format);
    f64 sum = 0;
    for (; *format; format++) {
        switch (*format) {
        case 'i': sum += va_arg(list, i32); break;
        case 'l': sum += (f64)va_arg(list, i64); break;
        case 'd': sum += va_arg(list, f64); break;
        case 'p': sum += *(const u8 *)va_arg(list, void *); break;
        }
        sum *= 0.75;
    }
    va_end(list);
    return sum;
}
#ifdef __SIZEOF_INT128__
u64 callee_wide(i32 count, ...) {
    va_list list;
    va_start(list, count);
    u128 sum = 0;
    for (i32 i = 0; i < count; i++) {
        sum = sum * 3 + va_arg(list, u64);
        if (i % 2) sum = sum * 5 - va_arg(list, u128);
    }
    va_end(list);
    return (u64)(sum ^ sum >> 64);
}
#endif
u64 help_list_callee(i32 count, va_list list) {
    u64 sum = 0;
    va_list copy;
    va_copy(copy, list);
    for (i32 i = 0; i < count; i++) sum = sum * 5 + va_arg(list, u64);
    for (i32 i = 0; i < count; i++) sum = sum * 7 - va_arg(copy, u64);
    va_end(copy);
    return sum;
}
u64 callee_structs(i32 count, ...) {
    va_list list;
    va_start(list, count);
    u64 sum = 0;
    for (i32 i = 0; i < count; i++) {
        P8 a = va_arg(list, P8);
        D2 b = va_arg(list, D2);
        S3 c = va_arg(list, S3);
        Big d = va_arg(list, Big);
        DI e = va_arg(list, DI);
        sum = sum * 3 + (u64)a.a + (u64)(b.a > b.b) + c.c + help_hash(&d, sizeof d) + (u64)e.b + (u64)(e.a > 0);
    }
    va_end(list);
    return sum;
}
i32 callee_late(i32 a, i64 b, f64 c, i32 d, i32 e, i32 f, i32 g, i32 h, i32 i, f32 j, const char *format, ...) {
    va_list list;
    va_start(list, format);
    u32 r = (u32)a + (u32)b + (c > 0) + (u32)d + (u32)e + (u32)f + (u32)g + (u32)h + (u32)i + (j > 0);
    for (; *format; format++) r = r * 3 + (*format == 'd' ? (u32)(va_arg(list, f64) > 1.5) : va_arg(list, u32));
    va_end(list);
    return (i32)r;
}

u32 help_visit_callee(visitor f, u32 a, void *p) { return f(a, p) * 3 + f(a + 1, p); }
static u32 help_first(u32 a, void *p) { return a + *(u8 *)p; }
static u32 help_second(u32 a, void *p) { return a ^ *(u16 *)p; }
static u32 help_third(u32 a, void *p) { (void)p; return ~a; }
visitor callee_visitor(u8 n) { static const visitor all[] = {help_first, help_second, help_third}; return all[n % 3]; }
u32 help_deep_callee(u32 (*f)(u32, u32), u32 a, u32 n) { return n ? f(a + n, n - 1) + 1 : a; }
// Uses every register that a callee may use.
u64 callee_clobber(u64 a) {
    u64 v[24];
    for (int i = 0; i < 24; i++) v[i] = a = a * 6364136223846793005u + 1442695040888963407u;
    u64 r = 0;
    for (int i = 0; i < 24; i++) r ^= v[i] >> i | v[23 - i] << 7;
    return r;
}
