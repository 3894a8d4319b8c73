// long double, which is the 80-bit type of the x87.

long double variable = 2.5L;
long double constants[3] = {1.0L / 3, -0.0L, 1e4000L};

long double add(long double a, long double b) { return a + b; }
long double sub(long double a, long double b) { return a - b; }
long double mul(long double a, long double b) { return a * b; }
long double divide(long double a, long double b) { return a / b; }
long double negate(long double a) { return -a; }
int less(long double a, long double b) { return a < b; }
int equal(long double a, long double b) { return a == b; }
long double choose(long double a, long double b) { return a > b ? a : b; }
f64 narrow(long double a) { return (f64)a; }
long double widen(f32 a, f64 b) { return (long double)a + b; }
long double from_integers(i32 a, i64 b, u64 c, u8 d) { return (long double)a + b - c + d; }
i64 to_integer(long double a) { return a > -9e18L && a < 9e18L ? (i64)a : 3; }
long double swap_variable(f64 a) { long double old = variable; variable = a; return old; }
long double constant(u8 n) { return constants[n % 3]; }
long double mixed(i32 a, long double b, f32 c, long double d, i64 e) { return a + b * c - d + e; }
static NOINLINE long double help_callee(long double a, i32 b, long double c) { return a * b - c; }
long double calls(long double a, i32 b) { return help_callee(a, b, 2) + help_callee(b, 3, a); }
void ignored(i32 n) { for (int i = 0; i < 20; i++) help_callee(n, i, 1); }
static NOINLINE f64 help_variable(i32 count, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, count);
    f64 sum = 0;
    for (i32 i = 0; i < count; i++) {
        sum += (f64)__builtin_va_arg(list, long double);
        sum -= __builtin_va_arg(list, i32);
    }
    __builtin_va_end(list);
    return sum;
}
f64 variable_arguments(f64 a, i32 b) { return help_variable(3, (long double)a, b, 2.0L, b + 0u, (long double)b, 7); }
