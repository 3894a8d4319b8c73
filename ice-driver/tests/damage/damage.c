// A little of everything that the reader of LLVM bitcode knows, to be damaged.
typedef __builtin_va_list va_list;
typedef int v4i __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef short v3s __attribute__((ext_vector_type(3)));
struct pair { long long a; short b; char c[5]; };
struct large { int words[9]; };
struct field { unsigned a : 5, b : 11; signed long long c : 37; };
extern int external, *get(void);
extern struct large by_value(struct large, struct pair, ...);
static const char *const names[] = {"one", "two", "three"};
_Thread_local int local = 7;
__attribute__((weak, section("mine"))) int weak = 3;
__attribute__((visibility("hidden"))) double hidden[3] = {1, 2.5};
static int (*table[2])(int);
int *inside = &((int *)hidden)[3];
__attribute__((constructor)) static void start(void) { table[0] = (int (*)(int))get; }
static int twice(int a) { return 2 * a + local; }
extern int other(int) __attribute__((alias("same")));
int same(int a) { return a % 7 + weak; }

int sum(int n, ...) {
    va_list list, copy;
    __builtin_va_start(list, n);
    __builtin_va_copy(copy, list);
    double total = 0;
    for (int i = 0; i < n; i++) total += i & 1 ? __builtin_va_arg(list, double) : __builtin_va_arg(copy, int);
    __builtin_va_end(list);
    return (int)total;
}
int pick(int a, long long b) {
    switch (a) {
    case 0: return names[b & 1][0];
    case 1: case 5: return (int)(b >> 7);
    case 2: return external;
    case 3: table[1] = twice; return table[b & 1](a);
    case 1000: return __builtin_popcountll(b) + __builtin_clz(a | 1) + __builtin_bswap32(a);
    case -5 ... -2: return (int)(b / (a | 1)) ^ (int)(b % 10);
    default: return *get();
    }
}
int jumps(int n) {
    static void *const to[] = {&&first, &&second, &&last};
    goto *to[n % 3];
first: n += 5;
second: n *= 3;
last: return n;
}
struct pair fields(struct field *f, struct pair p) { f->a++; f->c -= f->b; p.b = (short)f->a; return p; }
int calls(struct large *l, struct pair *p) { *l = by_value(*l, *p, 1, 2.5, *p); return l->words[3]; }
v4i vectors(v4i a, v4i b, v4f c, int n) {
    v3s d = {1, (short)n, 3};
    d = d * d;
    a[n & 3] = d.y;
    return (a * b - (a > b)) ^ __builtin_convertvector(c * 2 - c, v4i) ^ __builtin_shufflevector(a, b, 5, 1, 7, 0);
}
void loop(int *p, const int *q, int n) { for (int i = 0; i < n; i++) p[i] = p[i] * 3 + (q[i] > 5 ? q[i] : -1); }
float floats(double a, float b, unsigned long long c) { return (float)(a * b + (double)c) + (b < a ? __builtin_fabsf(b) : __builtin_sqrtf(b)) + (float)(int)a; }
long long atomics(_Atomic long long *p, int *q) {
    __atomic_fetch_max(q, 3, __ATOMIC_RELAXED);
    long long old = 5;
    __atomic_compare_exchange_n((long long *)p, &old, 7, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __asm__ volatile("" ::: "memory");
    return *p += old;
}
int memory(char *p, const char *q, unsigned n) {
    char t[n + 1], u[40];
    __builtin_memcpy(t, q, n);
    __builtin_memset(u, t[n / 2], 40);
    __builtin_memmove(p, p + 1, 17);
    int over;
    if (__builtin_mul_overflow((int)n, t[0], &over)) __builtin_trap();
    return u[n % 40] + over + __builtin_expect(p[0] == q[0], 0);
}
#ifdef __x86_64__
unsigned __int128 wide(unsigned __int128 a, __int128 b, int n) { return (a * b >> n) + a / (b | 1) - (a < b); }
#endif
_Float16 half(_Float16 a, float b) { return a * (_Float16)b; }
