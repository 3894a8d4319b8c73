/* Helpers, whose code and call stand in front of this file, against what the compiler and its library make of the same.
   Memory lies in the first GiB, where the linker puts variables. */
#include <math.h>

static uint64_t bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return x != x ? 0x7ff8000000000000 : bits;
}

static uint32_t bits_of_single(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return x != x ? 0x7fc00000 : bits;
}

static void check_division(uint64_t x, uint64_t y) {
    if (y == 0)
        return;
    check("udivdi3", x, y, CALL(h_udivdi3, (uint64_t, uint64_t), uint64_t)(x, y), x / y);
    check("umoddi3", x, y, CALL(h_umoddi3, (uint64_t, uint64_t), uint64_t)(x, y), x % y);
    if (x != 1ull << 63 || y != -1ull) {
        check("divdi3", x, y, CALL(h_divdi3, (uint64_t, uint64_t), uint64_t)(x, y), (int64_t)x / (int64_t)y);
        check("moddi3", x, y, CALL(h_moddi3, (uint64_t, uint64_t), uint64_t)(x, y), (int64_t)x % (int64_t)y);
    }
#ifdef __arm__
    uint32_t a = (uint32_t)x, b = (uint32_t)y;
    if (b == 0)
        return;
    uint64_t both = CALL(h_aeabi_uidivmod, (uint32_t, uint32_t), uint64_t)(a, b);
    check("uidivmod", a, b, both, (uint64_t)(a % b) << 32 | a / b);
    both = CALL(h_aeabi_idivmod, (uint32_t, uint32_t), uint64_t)(a, b);
    int is_least = a == 1u << 31 && b == -1u;
    uint32_t quotient = is_least ? a : (uint32_t)((int32_t)a / (int32_t)b);
    uint32_t rest = is_least ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
    check("idivmod", a, b, both, (uint64_t)rest << 32 | quotient);
#endif
}

static void check_conversion(uint64_t x) {
    check("i64_to_f64", x, 0, bits(CALL(h_ice_i64_to_f64, (uint64_t), double)(x)), bits((double)(int64_t)x));
    check("u64_to_f64", x, 0, bits(CALL(h_ice_u64_to_f64, (uint64_t), double)(x)), bits((double)x));
    check("i64_to_f32", x, 0, bits_of_single(CALL(h_ice_i64_to_f32, (uint64_t), float)(x)),
          bits_of_single((float)(int64_t)x));
    check("u64_to_f32", x, 0, bits_of_single(CALL(h_ice_u64_to_f32, (uint64_t), float)(x)), bits_of_single((float)x));
    double d = (double)x, third = (double)(int64_t)x / 3;
    float f = (float)x, single = (float)third;
    check("f64_to_i64", bits(third), 0, CALL(h_ice_f64_to_i64, (double), uint64_t)(third), (int64_t)third);
    check("f32_to_i64", bits(single), 0, CALL(h_ice_f32_to_i64, (float), uint64_t)(single), (int64_t)single);
    if (d < 18446744073709551616.0)
        check("f64_to_u64", bits(d), 0, CALL(h_ice_f64_to_u64, (double), uint64_t)(d), (uint64_t)d);
    if (f < 18446744073709551616.0f)
        check("f32_to_u64", bits(f), 0, CALL(h_ice_f32_to_u64, (float), uint64_t)(f), (uint64_t)f);
    check("popcountdi2", x, 0, CALL(h_popcountdi2, (uint64_t), uint32_t)(x), (uint64_t)__builtin_popcountll(x));
    check("popcountsi2", x, 0, CALL(h_popcountsi2, (uint32_t), uint32_t)((uint32_t)x),
          (uint64_t)__builtin_popcount((uint32_t)x));
}

static void check_remainder(uint64_t x, uint64_t y) {
    static const uint64_t edges[] = {0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
                                     0x7ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x8000000000000003};
    if (x % 8 == 1)
        x = edges[x / 8 % 9];
    if (y % 8 == 1)
        y = edges[y / 8 % 9];
    double a, b;
    memcpy(&a, &x, 8);
    memcpy(&b, &y, 8);
    check("fmod", x, y, bits(CALL(h_fmod, (double, double), double)(a, b)), bits(fmod(a, b)));
    uint32_t p = (uint32_t)(x >> 32), q = (uint32_t)(y >> 32);
    if (x % 8 == 3)
        q &= 0x807fffff; /* no exponent */
    float c, d;
    memcpy(&c, &p, 4);
    memcpy(&d, &q, 4);
    check("fmodf", p, q, bits_of_single(CALL(h_fmodf, (float, float), float)(c, d)), bits_of_single(fmodf(c, d)));
}

static uint8_t ours[512], theirs[512];

static void check_memory(uint64_t random) {
    uint32_t to = random % 256, from = random / 256 % 256, count = random / 65536 % 200;
    for (int i = 0; i < 512; i++)
        ours[i] = theirs[i] = (uint8_t)(i * 7 + random);
    CALL(h_memmove, (void *, void *, uint32_t), void)(ours + to, ours + from, count);
    memmove(theirs + to, theirs + from, count);
    check("memmove", to, from, (uint64_t)memcmp(ours, theirs, 512), 0);
    CALL(h_memset, (void *, int, uint32_t), void)(ours + from, (int)to, count);
    memset(theirs + from, (int)to, count);
    check("memset", from, count, (uint64_t)memcmp(ours, theirs, 512), 0);
    CALL(h_memcpy, (void *, void *, uint32_t), void)(ours + to % 100, ours + 300, count);
    memcpy(theirs + to % 100, theirs + 300, count);
    check("memcpy", to, count, (uint64_t)memcmp(ours, theirs, 512), 0);
}

int main(void) {
    for (int n = 0; n < 20000; n++) {
        check_division(next(), next());
        check_conversion(next());
        check_memory(next());
        uint64_t x = next() * 0x9e3779b97f4a7c15u;
        check_remainder(x, n % 2 ? next() * 0x9e3779b97f4a7c15u : x + (next() % 64 << 52) + next() % 1000);
    }
    return failures != 0;
}
