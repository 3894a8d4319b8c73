// Calls of the mathematics library: by name and through built-in functions.

#define UNARY(NAME) \
    f64 c_##NAME(f64 a) { return __builtin_##NAME(a); } \
    f32 c_##NAME##f(f32 a) { return __builtin_##NAME##f(a); }
UNARY(sqrt) UNARY(floor) UNARY(ceil) UNARY(trunc) UNARY(round) UNARY(rint) UNARY(nearbyint) UNARY(fabs)
UNARY(sin) UNARY(cos) UNARY(exp) UNARY(exp2) UNARY(log) UNARY(log2) UNARY(log10)

f64 c_pow(f64 a, f64 b) { return __builtin_pow(a, b); }
f32 c_powf(f32 a, f32 b) { return __builtin_powf(a, b); }
f64 c_fmod(f64 a, f64 b) { return __builtin_fmod(a, b); }
f32 c_fmodf(f32 a, f32 b) { return __builtin_fmodf(a, b); }
f64 c_fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
f32 c_fmaf(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
f64 c_ldexp(f64 a, i8 n) { return __builtin_ldexp(a, n); }
f64 c_hypotenuse(f64 a, f64 b) { return __builtin_sqrt(a * a + b * b); }
f64 c_max(f64 a, f64 b) { return __builtin_fmax(a, b) + 0.0; }
f64 c_min(f64 a, f64 b) { return __builtin_fmin(a, b) + 0.0; }
f64 c_many(f64 a, f64 b, i32 n) {
    f64 s = 0;
    for (int i = 0; i < (n & 7); i++) s = s * 0.5 + __builtin_sin(a + i) * __builtin_cos(b - s);
    return s;
}
