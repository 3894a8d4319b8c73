// Vectors of C: of a register's size, wider, shorter; as parameters and results; through memory.

typedef i32 v4i __attribute__((vector_size(16)));
typedef u32 v4u __attribute__((vector_size(16)));
typedef u8 v16b __attribute__((vector_size(16)));
typedef i16 v8s __attribute__((vector_size(16)));
typedef i64 v2l __attribute__((vector_size(16)));
typedef f32 v4f __attribute__((vector_size(16)));
typedef f64 v2d __attribute__((vector_size(16)));
typedef i32 v8i __attribute__((vector_size(32)));
typedef f32 v8f __attribute__((vector_size(32)));
typedef i32 v2i __attribute__((vector_size(8)));
typedef i32 v3i __attribute__((ext_vector_type(3)));
typedef v4i v4i_unaligned __attribute__((aligned(4)));

#define VECTOR(V) \
    V add_##V(V a, V b) { return a + b; } \
    V sub_##V(V a, V b) { return a - b; } \
    V mul_##V(V a, V b) { return a * b; } \
    V neg_##V(V a) { return -a; } \
    V twice_##V(V a) { return a + a; } \
    V swap_##V(V a, V b, u8 n) { return n & 1 ? b : a; } \
    V many_##V(V a, V b, V c, V d, V e, V f, V g, V h, V i, V j) { return a + b * c - d + e * f - g + h - i + j; }
VECTOR(v4i) VECTOR(v4u) VECTOR(v16b) VECTOR(v8s) VECTOR(v2l)

#define INTEGER(V, T) \
    V and_##V(V a, V b) { return a & b; } \
    V xor_##V(V a, V b) { return a ^ ~b; } \
    V less_##V(V a, V b) { return a < b; } \
    V equal_##V(V a, V b) { return a == b; } \
    V choose_##V(V a, V b) { V m = (V)(a > b); return (a & m) | (b & ~m); } \
    V shift_##V(V a) { return (a << 3) ^ (a >> 2); } \
    T lane_##V(V a, u8 n) { return a[n % (sizeof(V) / sizeof(T))]; } \
    V set_lane_##V(V a, u8 n, T v) { a[n % (sizeof(V) / sizeof(T))] = v; return a; } \
    V splat_##V(T v) { return (V){} + v; } \
    V divide_##V(V a, V b) { return (a & 0x7f) / ((b & 31) + 1); } \
    T total_##V(V a) { u64 r = 0; for (u8 i = 0; i < sizeof(V) / sizeof(T); i++) r += (u64)a[i]; return (T)r; } \
    void memory_##V(T *p, const T *q, u8 n) { V a, b; __builtin_memcpy(&a, p + (n & 3), sizeof a); __builtin_memcpy(&b, q, sizeof b); a = a * 3 - b; __builtin_memcpy(p + 16, &a, sizeof a); } \
    void loop_##V(T *p, const T *q) { for (int i = 0; i < 33; i++) p[i] = (T)((u64)p[i] * 5 + (u64)q[i]); }
INTEGER(v4i, i32) INTEGER(v4u, u32) INTEGER(v16b, u8) INTEGER(v8s, i16) INTEGER(v2l, i64)

v4f add_v4f(v4f a, v4f b) { return a + b; }
v4f mix_v4f(v4f a, v4f b, f32 t) { return a * t + b * (1 - t); }
v4i less_v4f(v4f a, v4f b) { return a < b; }
v4i max_v4f(v4f a, v4f b) { v4i m = a > b; return ((v4i)a & m) | ((v4i)b & ~m); }
v4f divide_v4f(v4f a, v4f b) { return a / b; }
f32 dot_v4f(v4f a, v4f b) { v4f c = a * b; return c[0] + c[1] + c[2] + c[3]; }
v2d add_v2d(v2d a, v2d b) { return a + b * 3; }
v2l less_v2d(v2d a, v2d b) { return a <= b; }
v4f convert_v4i(v4i a) { return __builtin_convertvector(a, v4f); }
v4i reverse_v4i(v4i a) { return __builtin_shufflevector(a, a, 3, 2, 1, 0); }
v4i interleave_v4i(v4i a, v4i b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
v8s pack(v4i a, v4i b) { v8s r; for (int i = 0; i < 4; i++) r[i] = (i16)a[i], r[i + 4] = (i16)b[i]; return r; }
void wide_add(v8i *p, const v8i *q) { v8i a, b; __builtin_memcpy(&a, p, 32); __builtin_memcpy(&b, q, 32); a = a * b + 7; __builtin_memcpy(p, &a, 32); }
void wide_compare(i32 *p, const i32 *q) { v8i a, b; __builtin_memcpy(&a, p, 32); __builtin_memcpy(&b, q, 32); v8i m = a < b; a = (a & m) | ((b - 1) & ~m); __builtin_memcpy(p, &a, 32); }
void short_vector(i32 *p, const i32 *q) { v2i a, b; __builtin_memcpy(&a, p, 8); __builtin_memcpy(&b, q, 8); a = (a ^ b) - (a >> 3); __builtin_memcpy(p, &a, 8); }
i32 three(i32 a, i32 b, i32 c) { v3i v = {a, b, c}; v = v * v + v.zxy; return v.x ^ v.y ^ v.z; }
i32 unaligned(const u8 *p, u8 n) { v4i_unaligned v; __builtin_memcpy(&v, p + (n & 15), 16); return v[0] ^ v[1] ^ v[2] ^ v[3]; }
