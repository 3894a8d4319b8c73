// The direction of rounding, read and set by the compiler's builtins and by registers.
#include <float.h>
#include <stdio.h>

#if __has_builtin(__builtin_set_flt_rounds)
#define SET(direction) __builtin_set_flt_rounds(direction)
#else
#define SET(direction) (void)(direction)
#endif

__attribute__((noinline)) static double quotient(double a, double b) { return a / b; }
__attribute__((noinline)) static float product(float a, float b) { return a * b; }
__attribute__((noinline)) static long double longer(long double a, long double b) { return a / b; }

int main(void) {
    static const int directions[] = {0, 1, 2, 3, 0, 2, 3, 1};
    volatile double one = 1, three = 3;
    for (int i = 0; i < 8; i++) {
        SET(directions[i]);
        int found = __builtin_flt_rounds();
        double up = quotient(one, three), down = quotient(-one, three);
        float small = product((float)one / 3, 0.7f);
        long double extended = longer(one, three);
        SET(1);
        printf("%d %d: %a %a %a %La\n", directions[i], found, up, down, small, extended);
    }
    return __builtin_flt_rounds() - FLT_ROUNDS;
}
