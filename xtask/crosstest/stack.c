// The stack frame: arrays of variable length, alloca in loops, big and aligned locals, escaping addresses.

static NOINLINE u32 help_fill(u32 *p, u32 n, u32 a) {
    for (u32 i = 0; i < n; i++) p[i] = a + i * 3;
    u32 s = 0;
    for (u32 i = 0; i < n; i++) s = s * 5 + p[i];
    return s;
}
u32 vla(u8 n, u32 a) { u32 t[n + 1]; return help_fill(t, n + 1u, a); }
u32 vla_loop(u8 n, u32 a) {
    u32 s = 0;
    for (u32 i = 0; i < 200; i++) { u32 t[(n & 63) + 1 + (i & 3)]; s += help_fill(t, (n & 63u) + 1, a + i); }
    return s;
}
u32 vla_many(u32 a) {
    // Without release at the end of each round this would need 2 GiB.
    u32 s = 0;
    for (u32 i = 0; i < 2000; i++) { volatile u8 t[1 << 20]; t[i] = (u8)a; s += t[i]; u8 v[i + 1]; v[i] = (u8)i; *(volatile u8 *)v = 1; s += *(volatile u8 *)v; }
    return s;
}
u32 vla_two(u8 n, u8 m, u32 a) { u32 t[n % 40 + 1]; u32 s = help_fill(t, n % 40 + 1u, a); u16 v[m % 30 + 2]; v[0] = (u16)s; v[m % 30 + 1] = 7; return t[0] ^ v[0] ^ v[m % 30 + 1]; }
u32 vla_matrix(u8 n, u8 m, u32 a) {
    n = n % 9 + 1, m = m % 9 + 1;
    u32 t[n][m];
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t[i][j] = a + (u32)(i * 10 + j);
    return t[n - 1][m - 1] * 3 + t[0][m / 2] + (u32)sizeof t;
}
u32 alloca_list(u8 n, u32 a) {
    struct cell { struct cell *next; u32 v; } *head = 0;
    for (u32 i = 0; i < (n & 31); i++) {
        struct cell *c = __builtin_alloca(sizeof *c);
        c->next = head, c->v = a ^ i, head = c;
    }
    u32 r = 0;
    for (; head; head = head->next) r = r * 7 + head->v;
    return r;
}
u32 alloca_aligned(u8 n) {
    u8 *p = __builtin_alloca_with_align(n + 1u, 512);
    p[n] = 3;
    return (u32)((uptr)p % 64) + p[n];
}
u32 aligned_locals(u32 a) {
    u32 __attribute__((aligned(16))) x[3] = {a, a + 1, a + 2};
    u8 __attribute__((aligned(64))) y[5] = {1, 2, 3, 4, 5};
    u32 *volatile p = x;
    u8 *volatile q = y;
    return (u32)((uptr)p % 16) * 1000 + (u32)((uptr)q % 64) * 100 + p[2] + q[4];
}
u32 aligned_and_variable(u32 a, u8 n) {
    u32 __attribute__((aligned(32))) x[4] = {a, a ^ 1, a ^ 2, a ^ 3};
    u32 t[n + 1];
    u32 s = help_fill(t, n + 1u, a);
    u32 *volatile p = x;
    return (u32)((uptr)p % 32) * 1000 + s + p[n & 3];
}
u32 large(u32 a, u16 n) {
    u32 t[8192];
    for (u32 i = 0; i < 8192; i += 64) t[i] = a + i;
    u32 *volatile p = t;
    return p[(n % 128) * 64];
}
u32 huge(u32 a) {
    u8 t[300000];
    u8 *volatile p = t;
    p[0] = (u8)a, p[299999] = (u8)(a >> 8);
    return p[0] + 256u * p[299999];
}
static NOINLINE void help_out(u32 *p, u32 v) { *p += v; }
u32 escaping(u32 a, u32 b, u8 n) {
    u32 x = a, y = b;
    for (u8 i = 0; i < (n & 7); i++) { help_out(&x, y); help_out(&y, x ^ i); }
    return x - y;
}
u32 scopes(u32 a, u8 n) {
    u32 r = 0;
    if (n & 1) { u32 t[20]; r += help_fill(t, 20, a); } else { u16 t[40]; for (int i = 0; i < 40; i++) t[i] = (u16)(a + (u32)i); u16 *volatile p = t; r += p[n % 40]; }
    { u32 t[10]; r ^= help_fill(t, 10, r); }
    return r;
}
u32 pressure(u32 a, u32 b, u32 c, u32 d) {
    u32 e = a + b, f = b ^ c, g = c - d, h = d * a, i = a | b, j = b & c, k = c + d, l = d - a, m = a ^ c, n = b * d, o = e + f, p = g ^ h;
    u32 q = help_fill((u32[4]){a, b, c, d}, 4, e);
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p + q;
}
u64 pressure_long(u64 a, u64 b, u64 c, u64 d) {
    u64 e = a + b, f = b ^ c, g = c - d, h = d * a, i = a | b, j = b & c, k = c + d, l = d - a;
    u64 m = e * f + g, n = h ^ i << 3, o = j - k * l, p = (a >> 7) + (b << 9), q = c >> (d & 31), r = l << (a & 15);
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + m * n + o * p + q * r;
}
uptr frame_distance(u8 n) {
    volatile u8 local = n;
    uptr a = (uptr)&local, b = (uptr)__builtin_frame_address(0);
    return (a > b ? a - b : b - a) < 4096;
}
u32 return_address(void) { return __builtin_return_address(0) != 0; }
