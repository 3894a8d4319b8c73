// Objects in memory: copies, comparisons, structures, arrays, unaligned access, aliasing.

typedef struct { u8 a; u16 b; u32 c; u64 d; f32 e; f64 f; u8 g[5]; } mixed;
typedef struct __attribute__((packed)) { u8 a; u16 b; u32 c; u64 d; i32 e[3]; } packed;
typedef struct { i32 x, y, z; } triple;

#define COPY(N) \
    void copy_##N(u8 *p, const u8 *q) { __builtin_memcpy(p, q, N); } \
    void move_##N(u8 *p) { __builtin_memmove(p + 3, p, N); } \
    void clear_##N(u8 *p) { __builtin_memset(p, 0, N); } \
    void fill_##N(u8 *p, u8 v) { __builtin_memset(p + 1, v, N); } \
    int compare_##N(const u8 *p, u8 n) { return __builtin_memcmp(p, p + (n & 1), N) != 0; } \
    typedef struct { u8 b[N]; } bytes_##N; \
    void assign_##N(bytes_##N *p, const bytes_##N *q) { *p = *q; } \
    u32 local_##N(const bytes_##N *p, u8 n) { bytes_##N s = *p; u8 *volatile q = s.b; q[n % N]++; u32 r = 0; for (int i = 0; i < N; i++) r = r * 31 + s.b[i]; return r; }
COPY(1) COPY(2) COPY(3) COPY(4) COPY(5) COPY(6) COPY(7) COPY(8) COPY(9) COPY(10) COPY(11) COPY(12) COPY(13) COPY(14) COPY(15)
COPY(16) COPY(17) COPY(20) COPY(24) COPY(28) COPY(31) COPY(32) COPY(33) COPY(40) COPY(48) COPY(63) COPY(64) COPY(65) COPY(100)
COPY(127) COPY(128) COPY(200)

#define UNALIGNED(T) \
    T load_##T(const u8 *p, u8 n) { T v; __builtin_memcpy(&v, p + (n & 15), sizeof v); return v; } \
    void store_##T(u8 *p, u8 n, T v) { __builtin_memcpy(p + (n & 15), &v, sizeof v); } \
    T sum_##T(const T *p, u8 n) { T s = 0; for (u8 i = 0; i < (n & 31); i++) s += p[i]; return s; } \
    void reverse_##T(T *p, u8 n) { n &= 31; for (u8 i = 0; i < n / 2; i++) { T t = p[i]; p[i] = p[n - 1 - i]; p[n - 1 - i] = t; } } \
    void shift_array_##T(T *p, u8 n) { for (u8 i = n & 31; i > 0; i--) p[i] = p[i - 1]; } \
    T swap_##T(T *p, T *q) { T t = *p; *p = *q; *q = t; return t ^ *p; } \
    T alias_##T(T *p, u8 n, T v) { T *q = p + (n & 3); *p = v; *q += 5; return (T)(*p + v); } \
    T negative_##T(T *p, i8 n) { return p[n % 8]; } \
    T step_##T(const T *p) { T a = *p++; a += *++p; return a - *--p; }
UNALIGNED(u8) UNALIGNED(u16) UNALIGNED(u32) UNALIGNED(u64)

u64 mixed_read(const mixed *p) { return p->a + p->b + p->c + p->d + p->g[3]; }
void mixed_write(mixed *p, u8 a, u16 b, u32 c, u64 d, f32 e, f64 f) {
    p->a = a, p->b = b, p->c = c, p->d = d, p->e = e == e ? e : 0, p->f = f == f ? f : 0, p->g[4] = a;
}
void mixed_array(mixed *p, u8 n, u32 v) { p[n & 3].c = v; p[n & 3].g[n % 5] = (u8)v; }
u64 packed_read(const packed *p) { return p->a + p->b + p->c + p->d + (u64)p->e[2]; }
void packed_write(packed *p, u16 b, u32 c, u64 d) { p->b = b, p->c = c, p->d = d, p->e[1] = -7; }
u32 triples(const triple *p, u8 n) { return (u32)p[n & 7].x - (u32)p[(n + 1) & 7].y * (u32)p[(n + 3) & 7].z; }

u32 matrix(const u32 *p, u8 i, u8 j) {
    u32 (*m)[5] = (u32 (*)[5])p;
    return m[i % 6][j % 5] + m[j % 6][i % 5] * 3;
}
u32 local_array(u32 a, u8 n) {
    u32 t[16];
    for (u32 i = 0; i < 16; i++) t[i] = a * i + (a >> i);
    for (u32 i = 0; i < 8; i++) t[i] ^= t[15 - i];
    return t[n & 15];
}
u32 table_lookup(u8 n) {
    static const u16 table[16] = {1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, 65535};
    return (u32)table[n & 15] * table[n >> 4];
}
void sort(i32 *p, u8 n) {
    n &= 31;
    for (int i = 1; i < n; i++) {
        i32 v = p[i];
        int j = i - 1;
        for (; j >= 0 && p[j] > v; j--) p[j + 1] = p[j];
        p[j + 1] = v;
    }
}
u32 length(const u8 *p) {
    u32 n = 0;
    while (n < 300 && p[n] % 64) n++;
    return n;
}
void histogram(const u8 *p, u32 *counts, u8 n) {
    for (int i = 0; i < 32; i++) counts[i] = 0;
    for (int i = 0; i < n; i++) counts[p[i] & 31]++;
}
struct node { struct node *next; u32 value; };
u32 list(u32 a, u8 n) {
    struct node nodes[16], *head = 0;
    for (u32 i = 0; i < (n & 15); i++) nodes[i].next = head, nodes[i].value = a ^ i * 77, head = &nodes[i];
    u32 r = 1;
    for (struct node *p = head; p; p = p->next) r = r * 3 + p->value;
    return r;
}
struct node *rotate(struct node *p) { return p; }
u64 reversed_bytes(u8 *p, u64 a) {
    u8 b0 = p[0], b1 = p[1], b2 = p[2], b3 = p[3], b4 = p[4], b5 = p[5], b6 = p[6], b7 = p[7];
    u8 c0 = p[8], c1 = p[9], c2 = p[10], c3 = p[11], c4 = p[12], c5 = p[13], c6 = p[14], c7 = p[15];
    u64 r = a;
    for (int i = 0; i < 3; i++) {
        r = r * b0 + c7, r = (r ^ b1) * c6, r = r * b2 - c5, r = (r ^ b3) * c4;
        r = r * b4 + c3, r = (r ^ b5) * c2, r = r * b6 - c1, r = (r ^ b7) * c0;
    }
    p[0] = c7, p[1] = c6, p[2] = c5, p[3] = c4, p[4] = c3, p[5] = c2, p[6] = c1, p[7] = c0;
    p[8] = b7, p[9] = b6, p[10] = b5, p[11] = b4, p[12] = b3, p[13] = b2, p[14] = b1, p[15] = b0;
    return r + (u32)b0 * c7 + ((u32)b7 << 8 | c0);
}
u64 reversed_halves(u16 *p, u64 a) {
    u16 b0 = p[0], b1 = p[1], b2 = p[2], b3 = p[3], c0 = p[4], c1 = p[5], c2 = p[6], c3 = p[7];
    u16 d0 = b0 & 0xfff, d1 = b1 >> 3, d2 = c2 > 9 ? c2 : d0;
    u64 r = a;
    for (int i = 0; i < 3; i++)
        r = r * b0 + c3, r = (r ^ b1) * c2, r = r * b2 - c1, r = (r ^ b3) * c0, r = r * d0 + d1, r ^= d2 + (r >> 7);
    p[0] = c3, p[1] = c2, p[2] = c1, p[3] = c0, p[4] = d0, p[5] = d1, p[6] = d2, p[7] = b0;
    return r + (u32)b0 * c3 + ((u32)d1 << 16 | d2);
}
u64 volatile_access(volatile u32 *p, u32 a) {
    *p = a;
    u32 b = *p;
    *p += 3;
    return (u64)b << 32 | *p;
}
u64 volatile_wide(volatile u64 *p, u64 a) {
    *p = a * 3;
    (void)*p;
    return *p ^ *p >> 7;
}
f64 volatile_float(volatile f64 *p, volatile f32 *q, f64 a) {
    *p = a;
    *q = (f32)a;
    return *p + *q;
}
u32 volatile_vector(const u8 *p) {
    typedef u32 v4 __attribute__((vector_size(16)));
    volatile v4 at;
    v4 from;
    __builtin_memcpy(&from, p, 16);
    at = from;
    v4 twice = at + at;
    return twice[0] ^ twice[1] * 3 ^ twice[2] * 5 ^ twice[3] * 7;
}
u32 pointer_difference(const u32 *p, u8 n) { const u32 *q = p + n; return (u32)(q - p) * 3 + (u32)((const u8 *)q - (const u8 *)p); }
u32 union_view(f32 a) { union { f32 f; u32 u; u8 b[4]; } v = {a != a ? 0 : a}; return v.u ^ v.b[3]; }
