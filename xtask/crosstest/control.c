// Control flow: switches, loops with several exits, phi cycles, computed goto, setjmp, recursion.

// ARM writes 260 bytes.
typedef u64 jump_buffer[64];
int _setjmp(jump_buffer) __attribute__((returns_twice));
void longjmp(jump_buffer, int) __attribute__((noreturn));

i32 dense(i32 a) {
    switch (a & 15) {
    case 0: return 5;
    case 1: return -3;
    case 2: return 100;
    case 3: return 7;
    case 4: return 99;
    case 6: return 1 << 20;
    case 7: return 0;
    case 8: return a;
    case 9: return -a / 3;
    case 12: return a ^ 77;
    default: return 1;
    }
}
i32 sparse(i32 a) {
    switch (a) {
    case -2147483647 - 1: return 1;
    case -1000: return 2;
    case -1: return 3;
    case 0: return 4;
    case 1: return 5;
    case 7: return 6;
    case 255: return 7;
    case 65536: return 8;
    case 2147483647: return 9;
    }
    return 0;
}
i32 ranges(u8 c) {
    switch (c) {
    case '0' ... '9': return c - '0';
    case 'a' ... 'f': return c - 'a' + 10;
    case 'A' ... 'F': return c - 'A' + 10;
    case ' ': case '\t': case '\n': case '\r': return -2;
    case 128 ... 191: return -3;
    default: return -1;
    }
}
i32 wide(u64 a) {
    switch (a) {
    case 0: return 0;
    case 1: return 1;
    case 0x100000000: return 2;
    case 0x100000001: return 3;
    case 0x8000000000000000: return 4;
    case 0xffffffffffffffff: return 5;
    case 0xfffffffffffffffe: return 6;
    }
    return -1;
}
u32 fall(u32 a, u8 n) {
    switch (n & 7) {
    case 7: a += 7;
    case 6: a *= 3; break;
    case 5: a -= 5;
    case 4: a ^= 4;
    case 3: a += a << 1; break;
    case 2: a = ~a;
    default: a++;
    }
    return a;
}
void duff(u8 *p, const u8 *q, u8 count) {
    count = count % 100 + 1;
    u8 n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *p++ = *q++;
    case 7: *p++ = *q++;
    case 6: *p++ = *q++;
    case 5: *p++ = *q++;
    case 4: *p++ = *q++;
    case 3: *p++ = *q++;
    case 2: *p++ = *q++;
    case 1: *p++ = *q++;
            } while (--n);
    }
}
const char *name(u8 n) { static const char *const names[] = {"zero", "one", "two", "three"}; return names[n & 3]; }
u32 name_length(u8 n) { u32 r = 0; for (const char *p = name(n); *p; p++) r = r * 31 + (u8)*p; return r; }

u32 rotate_three(u32 a, u32 b, u32 c, u8 n) {
    for (n &= 15; n; n--) { u32 t = a; a = b; b = c; c = t; }
    return a * 3 + b * 5 + c * 7;
}
u64 fibonacci(u64 a, u64 b, u8 n) {
    for (n &= 63; n; n--) { u64 t = a + b; a = b; b = t; }
    return a ^ b << 1;
}
f64 swap_floats(f64 a, f64 b, u8 n) {
    for (n &= 7; n; n--) { f64 t = a; a = b; b = t; }
    return a - b / 3;
}
u32 permute(u32 a, u32 b, u32 c, u32 d, u32 e, u8 n) {
    for (n &= 31; n; n--) {
        if (n & 1) { u32 t = a; a = c; c = e; e = t; t = b; b = d; d = t; }
        else { u32 t = a; a = b; b = c; c = d; d = e; e = t; }
    }
    return a + 3 * b + 9 * c + 27 * d + 81 * e;
}
u32 collatz(u32 a) {
    u32 n = 0;
    for (a &= 0xffff; a > 1 && n < 400; n++) a = a & 1 ? 3 * a + 1 : a / 2;
    return n;
}
u32 exits(const i32 *p, u8 n, u32 key) {
    for (int i = 0; i < (n & 63); i++) {
        if (p[i] == (i32)key) return (u32)i;
        if (p[i] < -2000000000) goto low;
        if ((p[i] & 0xff) == 7) continue;
        if ((p[i] & 0xff) == 9) break;
        key += (u32)(p[i] >> 3);
    }
    return key;
low:
    return ~key;
}
u32 nested_loops(u8 a, u8 b) {
    u32 r = 0;
    for (u8 i = 0; i < (a & 15); i++)
        for (u8 j = i; j < (b & 15); j++) {
            if ((i ^ j) == 5) goto next;
            for (u8 k = j; k < 6; k++) r += i * j + k;
        next:;
        }
    return r;
}
u32 computed(u32 a, u64 program) {
    static const void *const labels[] = {&&add, &&mul, &&xor, &&shift, &&not, &&stop, &&skip, &&dec};
    u32 acc = a;
    int steps = 0;
#define NEXT if (++steps > 20) return acc; { u32 op = program & 7; program >>= 3; goto *labels[op]; }
    NEXT
add: acc += 13; NEXT
mul: acc *= 5; NEXT
xor: acc ^= a; NEXT
shift: acc = acc << 3 | acc >> 29; NEXT
not: acc = ~acc; NEXT
stop: return acc;
skip: program >>= 3; NEXT
dec: acc--; NEXT
}
u32 relative(u32 a, u8 n) {
    static const i32 offsets[] = {&&one - &&one, &&two - &&one, &&three - &&one};
    goto *(&&one + offsets[n % 3]);
one: return a + 1;
two: return a * 2;
three: return a ^ 3;
}
static u32 help_throw(jump_buffer b, u32 a) { if (a & 1) longjmp(b, (int)(a & 0x7f)); return a; }
u32 jump(u32 a, u32 c) {
    jump_buffer b;
    volatile u32 v = a;
    int r = _setjmp(b);
    if (r) return v + (u32)r * 1000;
    v = c;
    v += help_throw(b, a);
    return v;
}
u32 jump_loop(u8 n) {
    jump_buffer b;
    volatile u32 count = 0;
    int r = _setjmp(b);
    if (count < (n & 15)) { count++; longjmp(b, (int)count + 1); }
    return count * 100 + (u32)r;
}
static u32 help_ackermann(u32 m, u32 n) { return m == 0 ? n + 1 : n == 0 ? help_ackermann(m - 1, 1) : help_ackermann(m - 1, help_ackermann(m, n - 1)); }
u32 ackermann_small(u8 m, u8 n) { return m % 3 == 2 ? help_ackermann(2, n & 7) : help_ackermann(m % 3, n & 31); }
static int help_even(u32 n);
static NOINLINE int help_odd(u32 n) { return n ? help_even(n - 1) : 0; }
static NOINLINE int help_even(u32 n) { return n ? help_odd(n - 1) : 1; }
int even(u8 n) { return help_even(n); }
u32 tail(u32 n, u32 acc) { n &= 0xff; return n ? tail(n - 1, acc * 3 + n) : acc; }
u32 short_circuit(u32 a, u32 b, u32 *p) { return (a > 5 && (*p)++ > 3) || (b & 1 && --*p) ? *p : *p + 1; }
u32 comma(u32 a) { u32 b; return b = a * 2, a += b, a ^ b; }
u32 unreachable(u8 a) { switch (a & 1) { case 0: return 5; case 1: return 6; } __builtin_unreachable(); }
u32 no_return(u32 a) { if (a == 0x12345678 && (a & 1)) __builtin_trap(); return a + 1; }
i32 empty_loop(u8 n) { volatile u8 i = n; while (i) i--; return i; }
