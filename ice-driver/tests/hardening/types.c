// Calls through addresses, to functions of their type and to others.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*unary)(int);
typedef int (*binary)(int, int);
typedef double (*of_doubles)(double, double);

__attribute__((noinline)) static int twice(int x) { return 2 * x; }
__attribute__((noinline)) int thrice(int x) { return 3 * x; }
__attribute__((noinline)) static int sum(int a, int b) { return a + b; }
__attribute__((noinline, aligned(64))) static double product(double a, double b) { return a * b; }
__attribute__((noinline)) static void nothing(void) { puts("wrong"); }
struct many { long a, b, c, d; };
__attribute__((noinline)) static struct many all(long x) { return (struct many){x, x + 1, x + 2, x + 3}; }
__attribute__((noinline)) static int never_taken(int x) { return x - 1; }

unary volatile one = twice, other = thrice;
binary volatile two = sum;
of_doubles volatile doubles = product;
struct many (*volatile in_memory)(long) = all;

__attribute__((noinline)) int calls_one(int x) { return one(x) + other(x); }
__attribute__((noinline)) int calls_in_place_of_a_return(int x) { return one(x); }
__attribute__((noinline)) int calls_two(int x) { return two(x, one(two(x, x))) + never_taken(x); }
__attribute__((noinline)) int calls_others(int x) { return (int)doubles(x, 1.5) + (int)in_memory(x).c; }
// Many values live across the calls, and calls in a loop.
__attribute__((noinline)) long in_a_loop(int n, unary f, binary g) {
    long a = 1, b = 2, c = 3, d = 4, e = 5;
    for (int i = 0; i < n; i++) {
        a += f(i), b ^= g(i, (int)a), c += a * b, d -= c, e += f((int)b & 255);
        if (e & 1) d += g((int)d & 15, i);
    }
    return a ^ b ^ c ^ d ^ e;
}

int main(int count, char **words) {
    int x = count > 1 ? atoi(words[1]) : 1;
    printf("%d %d %d %d %ld\n", calls_one(x), calls_in_place_of_a_return(x), calls_two(x), calls_others(x), in_a_loop(x, other, two));
    fflush(stdout);
    const char *wrong = count > 2 ? words[2] : "";
    if (!strcmp(wrong, "one")) one = (unary)nothing;
    if (!strcmp(wrong, "two")) two = (binary)thrice;
    if (!strcmp(wrong, "doubles")) doubles = (of_doubles)sum;
    if (!strcmp(wrong, "inside")) one = (unary)((char *)twice + 4);
    if (*wrong) printf("%d %d %d\n", calls_two(x), calls_others(x), calls_in_place_of_a_return(x));
    return 0;
}
