// Bit-fields of every shape: signed and not, across units, packed, in unions, of 64 bits.

struct small { u32 a : 3; i32 b : 5; u32 c : 1; u32 d : 7; i32 e : 16; };
struct wide { u64 a : 40; i64 b : 13; u64 c : 11; };
struct __attribute__((packed)) tight { u16 a : 5; u32 b : 19; i16 c : 9; u64 d : 33; i8 e : 3; };
struct holes { u8 a : 2; u8 : 0; u8 b : 3; i8 c; i32 d : 31; u32 : 5; u32 e : 27; };
union view { u32 word; struct { u32 low : 12; i32 middle : 9; u32 high : 11; }; };
struct flags { _Bool a : 1; _Bool b : 1; u8 c : 6; };

#define FIELD(S, F, T) \
    T get_##S##_##F(const struct S *p) { return (T)p->F; } \
    void set_##S##_##F(struct S *p, T v) { p->F = v; } \
    T change_##S##_##F(struct S *p, T v) { return (T)(p->F = (T)(p->F ^ v)); } \
    void add_##S##_##F(struct S *p, T v) { p->F += v & 3; } \
    int less_##S##_##F(const struct S *p, const struct S *q) { return p->F < q->F; }
FIELD(small, a, u32) FIELD(small, b, i32) FIELD(small, c, u32) FIELD(small, d, u32) FIELD(small, e, i32)
FIELD(wide, a, u64) FIELD(wide, b, i64) FIELD(wide, c, u64)
FIELD(tight, a, u16) FIELD(tight, b, u32) FIELD(tight, c, i16) FIELD(tight, d, u64) FIELD(tight, e, i8)
FIELD(holes, a, u8) FIELD(holes, b, u8) FIELD(holes, c, i8) FIELD(holes, d, i32) FIELD(holes, e, u32)
FIELD(flags, a, u8) FIELD(flags, b, u8) FIELD(flags, c, u8)

i32 view_middle(u32 w) { union view v = {w}; return v.middle; }
u32 view_build(u32 a, i32 b, u32 c) { union view v = {0}; v.low = a; v.middle = b; v.high = c; return v.word; }
struct small make_small(u32 a, i32 b, u32 c) { struct small s = {a, b, c, a >> 5, b >> 7}; return s; }
i32 sum_small(struct small s) { return (i32)s.a + s.b + (i32)s.c + (i32)s.d + s.e; }
i64 sum_wide(struct wide s) { return (i64)s.a + s.b + (i64)s.c; }
void increment_all(struct tight *p) { p->a++; p->b++; p->c += 2; p->d += 3; p->e ^= 1; }
void copy_fields(struct small *p, const struct wide *q) { p->a = q->a; p->b = q->b; p->d = q->c; p->e = (i32)(q->a >> 20); }
