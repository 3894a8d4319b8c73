// What is called across the two modules: callees of every convention in C.
#include <stdarg.h>

typedef struct { i32 a, b; } P8;
typedef struct { i64 a, b; } P16;
typedef struct { u8 a; } S1;
#ifdef __arm__
// Three bytes would travel in a word whose fourth is anything.
typedef struct { u8 a, b, c, rest; } S3;
#else
typedef struct { u8 a, b, c; } S3;
#endif
typedef struct { u8 a; i16 b; } S4;
typedef struct { i32 a; u8 b; } S8;
typedef struct { i32 a, b, c; } S12;
#ifdef __aarch64__
// What is behind the third number in the second register of a result is anything.
#define callee_S12 help_callee_S12
#define callee_pair_S12 help_callee_pair_S12
#endif
typedef struct { f32 a, b; } F2;
typedef struct { f32 a, b, c; } F3;
typedef struct { f32 a, b, c, d; } F4;
typedef struct { f64 a; f32 b; } DF;
typedef struct { f64 a, b; } D2;
typedef struct { f64 a; i32 b; } DI;
typedef struct { i32 a; f32 b; } IF;
typedef struct { u8 bytes[40]; } Big;
typedef struct { i64 a, b, c; } S24;
typedef struct { f64 a[9]; } Huge;
typedef struct { i32 a; } __attribute__((aligned(16))) Aligned;
typedef struct __attribute__((packed)) { u8 a; i32 b; } Packed;
typedef union { i32 a; f32 b; u8 c[6]; } Union;
typedef struct { uptr p; i32 n; } Slice;
typedef i32 v4i __attribute__((vector_size(16)));
typedef f32 v4f __attribute__((vector_size(16)));
typedef _Complex float CF;
typedef _Complex double CD;

u32 callee_bytes(i8, u8, i16, u16, _Bool, i32);
u64 callee_longs(i32, i64, i32, u64, u8, i64, i16, i64);
f64 callee_floats(f32, f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, f64);
f64 callee_mixed(i32, f64, i64, f32, u8, f64, i16, i64, f32, i32, f64, i64, f32, u8);
u64 callee_many(u64, u32, u16, u8, u64, u32, u16, u8, u64, u32, u16, u8, u64, u32, u16, u8);
i8 callee_i8(i8, i8);
u8 callee_u8(u8, u8);
i16 callee_i16(i16, i16);
u16 callee_u16(u16, u16);
_Bool callee_bool(i32);
i64 callee_i64(i64, i64);
f32 callee_f32(f32, f32);
void callee_void(u32 *, u32);
void *callee_pointer(void *, i32);

#define STRUCTS(X) X(P8) X(P16) X(S1) X(S3) X(S4) X(S8) X(S12) X(F2) X(F3) X(F4) X(DF) X(D2) X(DI) X(IF) X(Big) X(S24) X(Huge) \
    X(Aligned) X(Packed) X(Union) X(Slice)
#define DECLARE(S) S callee_##S(S); S callee_pair_##S(i32, S, f64, S); u64 callee_last_##S(u64, u64, u64, u64, u64, S, S, u8);
STRUCTS(DECLARE)
v4i callee_v4i(v4i, v4i, i32);
v4f callee_v4f(v4f, f32, v4f, f64, v4f);
CF callee_CF(CF, CF);
CD callee_CD(CD, CD);

u64 callee_sum(i32 count, ...);
f64 callee_format(const char *format, ...);
#ifdef __SIZEOF_INT128__
u64 callee_wide(i32 count, ...);
#endif
u64 help_list_callee(i32 count, va_list);
u64 callee_structs(i32 count, ...);
i32 callee_late(i32, i64, f64, i32, i32, i32, i32, i32, i32, f32, const char *, ...);

typedef u32 (*visitor)(u32, void *);
u32 help_visit_callee(visitor, u32, void *);
visitor callee_visitor(u8);
u32 help_deep_callee(u32 (*)(u32, u32), u32, u32);
u64 callee_clobber(u64);

static inline u64 help_hash(const void *p, u32 n) {
    u64 h = 7;
    for (u32 i = 0; i < n; i++) h = h * 31 + ((const u8 *)p)[i];
    return h;
}
