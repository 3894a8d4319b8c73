/* Numbers of 80 bits: chains of operations, values that loops hand on, constants of all kinds, comparisons, conversions. */
#include <float.h>
#include <stdio.h>

typedef long double number;
#define APART __attribute__((noinline))

APART number polynomial(number a, number b, number c) {
    number q = (a * a - 3.0L * b) / 9.0L;
    number r = (2.0L * a * a * a - 9.0L * a * b + 27.0L * c) / 54.0L;
    return r * r - q * q * q;
}

/* The chain is the second operand of what has an order. */
APART number from_the_right(number a, number b) {
    number product = a * b;
    return b - product;
}

APART number both_sides(number a, number b) {
    number sum = a + b;
    return a / sum - sum / a;
}

APART double products(const double *numbers, int count) {
    number sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i] * (number)numbers[i];
    return sum;
}

APART number series(number x, int count) {
    number sum = 1, term = 1;
    for (int i = 1; i < count; i++) {
        number next = term * x / i;
        term = next;
        sum += term;
        if (sum > 1e6L)
            return sum - next;
    }
    return sum * __builtin_fabsl(x) - __builtin_copysignl(sum, x);
}

APART int compared(number a, number b) {
    return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 |
           __builtin_isnan(a) << 6 | (a + b < a * b) << 7;
}

APART number exchanged(number a, number b, int count) {
    while (count--) {
        number old = a;
        a = b;
        b = old + b;
    }
    return a - b;
}

APART number constants(number a, number b, number c, number d, number e) {
    number x = a;
    for (int i = 0; i < 20; i++) {
        x = x * b + c;
        x = x * d - e;
        x = (x - a) * (x + b) / (c * c + 1);
        x += i * 0.125L;
        x -= 1 / 3.0L;
        x *= 0x1p-126L * 0x1.fffffep127L;
        x += 0x1p-127L + 0x1.0000001p0L - 1e4000L * 0;
    }
    return x;
}

APART float rounded(number a, number b) { return a * b + a; }
APART long long cut(number a, number b) { return (long long)(a / b); }
APART number of_integers(long long a, unsigned b, int c) { return (number)a * b / (c + 0.5L); }
APART number calls(number x, int n) { return n ? x * calls(x / 2, n - 1) + calls(x / 3, n - 1) : x; }

static void print(number x) { printf("%.20Lg\n", x); }

int main(void) {
    const double some[] = {1, 2.5, 3, -4, 1e-3, 6, 7, 8, 9};
    const number edges[] = {0,    -0.0L,   1,           -1, __builtin_inff(), -__builtin_inff(), __builtin_nanf(""),
                            1e4000L, LDBL_MIN / 4};
    print(polynomial(1.25L, -2, 3.5L));
    print(polynomial(1e300L, 1e-300L, 2));
    print(from_the_right(3, 4.5L));
    print(both_sides(2, 3));
    printf("%.17g\n", products(some, 9));
    print(series(1.5L, 10));
    print(series(90, 100));
    print(series(-2, 5));
    print(exchanged(1, 2, 7));
    print(constants(0.5L, 1.25L, -0.75L, 0.3L, 0.1L));
    printf("%a %lld\n", rounded(1.1L, 2.3L), cut(1e15L, -3));
    print(of_integers(-123456789012345LL, 77, 3));
    print(calls(1.5L, 6));
    for (int i = 0; i < 9; i++) {
        print(both_sides(edges[i], 2.5L));
        for (int j = 0; j < 9; j++)
            printf("%d ", compared(edges[i], edges[j]));
    }
    return 0;
}
