// Functions that indirect calls may lead to, and others.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf buffer;
int (*volatile pointer)(int);

__attribute__((noinline)) static int by_name_alone(int x) { return x * 3; }
__attribute__((noinline)) static int by_address(int x) { return x * 5; }
__attribute__((noinline)) static int in_table_0(int x) { return x + 11; }
__attribute__((noinline)) static int in_table_1(int x) { return x + 22; }
__attribute__((used)) static int is_used(int x) { return x + 33; }
__attribute__((noinline)) static int has_other_name(int x) { return x ^ 99; }
int other_name(int) __attribute__((alias("has_other_name")));
__attribute__((constructor, noinline)) static void before_main(void) { pointer = by_address; }
__attribute__((noinline)) static int as_argument(int x) { return x - 1; }
__attribute__((noinline)) static int variadic(int n, ...) { return n; }
__attribute__((nocf_check)) int nobody_calls_by_address(int x) { return x + 44; }
__attribute__((nocf_check)) int (*volatile goes_anywhere)(int) = nobody_calls_by_address;
__attribute__((nocf_check)) int of_byte(unsigned char x) { return x + 55; }
__attribute__((nocf_check)) int (*volatile goes_anywhere_with_byte)(unsigned char) = of_byte;
static int (*const table[])(int) = {in_table_0, in_table_1};

__attribute__((noinline)) int calls_by_name(int x) { return by_name_alone(x) + variadic(x, 1, 2); }
__attribute__((noinline)) int calls_by_address(int x) { return pointer(x); }
__attribute__((noinline)) int calls_anywhere(int x) { return goes_anywhere(x); }
__attribute__((noinline)) int calls_anywhere_with_byte(int x) { return goes_anywhere_with_byte(x); }
__attribute__((noinline)) int calls_argument(int (*f)(int), int x) { return f(x) + table[x & 1](x); }

__attribute__((noinline)) int returns_twice(int x) {
    volatile int seen = x;
    int again = setjmp(buffer);
    seen += 100;
    if (again < 3) longjmp(buffer, again + 1);
    return seen + again;
}

int hook(int);
__attribute__((noinline)) int hook(int x) { return x & 1023; }
__attribute__((noinline)) int switches(int x) {
    switch (x) {
    case 0: return hook(7);
    case 1: return hook(by_name_alone(1));
    case 2: return hook(1) + 5;
    case 3: return hook(5) * 2;
    case 4: return hook(x) - 9;
    case 5: return hook(3) ^ 77;
    case 6: return 12 - hook(2);
    }
    return -1;
}

int main(int count, char **words) {
    int x = count > 1 ? atoi(words[1]) : 1;
    printf("%d %d %d\n", calls_by_name(x), calls_by_address(x), calls_anywhere(x));
    printf("%d\n", calls_anywhere_with_byte(x + 256));
    printf("%d %d\n", calls_argument(as_argument, x), returns_twice(x));
    for (int i = -1; i < 9; i++) printf("%d ", switches(i));
    printf("%d\n", other_name(x) + is_used(x));
    return 0;
}
