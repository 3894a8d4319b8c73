// Numbers of binary128 between objects of Ice and of GCC: the callers, the callees, or (always GCC's) those of variable arguments.
#include <stdarg.h>
#include <stdio.h>
typedef __float128 Q;

Q first(Q a, int b, Q c);
int behind(int a, Q b, int c, double d, Q e, long long f, Q g);
Q many(Q a, Q b, Q c, Q d, Q e, Q f, Q g, Q h, Q i, char j, Q k);
void stored(Q *to, Q from);
long double mixed(long double a, Q b, float c, Q d);
Q called(Q (*f)(Q, int, Q), int times, Q a);
double listed(int count, ...);

#if PART == 0
static Q again(Q a, int b, Q c) { return c - a * b; }
int main(void) {
    Q q = 1.25Q, kept = 0;
    for (int k = 0; k < 5; k++) {
        q = first(q, k, 3) + many(1, q, 3, 4, 5, 6, q, 8, 9, 'x', -k);
        stored(&kept, q);
        printf("%d %Lg %g", behind(k, q, -k, 0.5, kept, 1ll << 33, 7), mixed(1.5L, q, 2.5f, -q), (double)called(first, 3, q));
        printf(" %g %g\n", (double)called(again, 2, kept), listed(3, q, 1, kept, 2.5, k, (Q)k, 'c', 1.0L));
    }
}
#elif PART == 1
Q first(Q a, int b, Q c) { return a * 2 + b - c; }
int behind(int a, Q b, int c, double d, Q e, long long f, Q g) { return a + b * 2 - c * 3 + d * 4 + e * 5 + (f >> 33) + g * 7; }
Q many(Q a, Q b, Q c, Q d, Q e, Q f, Q g, Q h, Q i, char j, Q k) { return a - b + c * 2 - d + e * 3 - f + g * 4 - h + i * 5 - j + k; }
void stored(Q *to, Q from) { *to = from / 2; }
long double mixed(long double a, Q b, float c, Q d) { return a + b * 2 - c + d; }
Q called(Q (*f)(Q, int, Q), int times, Q a) {
    for (int k = 0; k < times; k++)
        a = f(a, k, 1);
    return a;
}
#else
double listed(int count, ...) {
    va_list list;
    va_start(list, count);
    Q a = va_arg(list, Q);
    int b = va_arg(list, int);
    Q c = va_arg(list, Q);
    double d = va_arg(list, double);
    int e = va_arg(list, int);
    Q f = va_arg(list, Q);
    int g = va_arg(list, int);
    long double h = va_arg(list, long double);
    va_end(list);
    return a + b * 2 - c * 3 + d * 4 + e * 5 + f * 6 - g + h * count;
}
#endif
