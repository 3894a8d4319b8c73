// Tail calls that are promised: interpreters of byte code, mutual recursion in constant stack, arguments that change
// places, results in memory.

#if defined __mips__ || defined __arm__
// LLVM's code generators refuse some of them: there they are ordinary calls.
#define TAIL return
#define ROUNDS 1000
#else
#define TAIL __attribute__((musttail)) return
#define ROUNDS 1000000
#endif

static NOINLINE u32 odd(u32 n, u32 acc);
static NOINLINE u32 even(u32 n, u32 acc) {
    if (n == 0)
        return acc;
    TAIL odd(n - 1, acc * 3 + n);
}
static NOINLINE u32 odd(u32 n, u32 acc) {
    if (n == 0)
        return ~acc;
    TAIL even(n - 1, acc ^ n << 3);
}
u32 mutual(u32 seed) { return even(ROUNDS + seed % 7, seed); }

static NOINLINE _Bool is_odd(u32 n);
static NOINLINE _Bool is_even(u32 n) {
    if (n == 0)
        return 1;
    TAIL is_odd(n - 1);
}
static NOINLINE _Bool is_odd(u32 n) {
    if (n == 0)
        return 0;
    TAIL is_even(n - 1);
}
i32 parity(u16 n) { return is_even(n % 500) ? 7 : is_odd(n) + 3; }

// A threaded interpreter: a function for each operation, which jumps to the next.
typedef struct {
    i64 slots[8];
    u32 fuel;
} State;
typedef i64 Operation(const u8 *pc, i64 acc, State *state, i64 spare);
static NOINLINE i64 op_add(const u8 *pc, i64 acc, State *state, i64 spare);
static NOINLINE i64 op_store(const u8 *pc, i64 acc, State *state, i64 spare);
static NOINLINE i64 op_load(const u8 *pc, i64 acc, State *state, i64 spare);
static NOINLINE i64 op_loop(const u8 *pc, i64 acc, State *state, i64 spare);
static NOINLINE i64 op_swap(const u8 *pc, i64 acc, State *state, i64 spare);
static NOINLINE i64 op_end(const u8 *pc, i64 acc, State *state, i64 spare);
static Operation *const table[] = { op_add, op_store, op_load, op_loop, op_swap, op_end };
#define NEXT(pc, acc, spare) TAIL table[(pc)[0]]((pc), (acc), state, (spare))
static i64 op_add(const u8 *pc, i64 acc, State *state, i64 spare) { NEXT(pc + 2, acc + state->slots[pc[1]], spare); }
static i64 op_store(const u8 *pc, i64 acc, State *state, i64 spare) {
    state->slots[pc[1]] = acc;
    NEXT(pc + 2, acc, spare);
}
static i64 op_load(const u8 *pc, i64 acc, State *state, i64 spare) { NEXT(pc + 2, state->slots[pc[1]] * 3 - acc, spare); }
static i64 op_loop(const u8 *pc, i64 acc, State *state, i64 spare) {
    if (--state->fuel == 0)
        NEXT(pc + 2, acc, spare);
    NEXT(pc - pc[1], acc, spare + 1);
}
static i64 op_swap(const u8 *pc, i64 acc, State *state, i64 spare) { NEXT(pc + 1, spare, acc); }
static i64 op_end(const u8 *pc, i64 acc, State *state, i64 spare) { return acc ^ spare << 1 ^ state->slots[1] ^ pc[-1]; }
i64 interpreter(i64 start, u8 turns) {
    static const u8 program[] = { 1, 0, 0, 1, 1, 1, 4, 2, 0, 0, 2, 1, 3, 3, 12, 5 };
    State state = { { 1, 2, start, 4, 5, 6, 7, 8 }, turns % 200u * (ROUNDS / 1000) + 1 };
    return table[program[0]](program, start, &state, 9);
}

// More arguments than registers, which change places.
static NOINLINE i64 circle(u32 n, i64 a, i32 b, i64 c, i32 d, i64 e, i32 f, i64 g, i32 h, i64 i, i32 j) {
    if (n == 0)
        return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19 + i * 23 + j * 29;
    TAIL circle(n - 1, i, j, a, b, c, d, e, f, g, h);
}
i64 circles(i64 a, i32 b, u8 n) { return circle(n, a, b, a * 2, b * 2, a ^ 5, b ^ 6, a + 7, b + 8, 9 - a, 10 - b); }

static NOINLINE f64 turn(u32 n, f64 a, f32 b, f64 c, f32 d, f64 e, f64 f, f64 g, f64 h, f64 i, f64 j, i32 k, i32 l) {
    if (n == 0)
        return a + b * 2 + c * 4 + d * 8 - e + f / 2 + g / 4 + h / 8 + i / 16 + j / 32 + k - l;
    TAIL turn(n - 1, j, d, a, b, c, e, f, g, h, i, l, k + 1);
}
f64 turns(i16 a, i16 b, u8 n) { return turn(n, a, b, a + 1, b + 2, a + 3, a - 1, b - 1, b - 2, a * 2, b * 2, a, b); }

// Results in memory are written where the first caller wants them.
typedef struct {
    i64 a, b, c, d;
} Large;
static NOINLINE Large large(i64 a, i64 b, u32 n) {
    if (n == 0)
        return (Large){ a, b, a - b, a ^ b };
    TAIL large(b + 1, a, n - 1);
}
i64 memory(i64 a, i64 b, u8 n) {
    Large got = large(a, b, n);
    return got.a * 3 + got.b * 5 + got.c * 7 + got.d;
}
