/* Statements without instructions: what they give is the input in the same place, which has a number or a name, or what is in a
   register already. */
#include <stdio.h>

#if defined __x86_64__
#define SAVED "rbx"
#define OTHER "rcx"
#define STACK "rsp"
#elif defined __i386__
#define SAVED "ebx"
#define OTHER "ecx"
#define STACK "esp"
#elif defined __aarch64__
#define SAVED "x19"
#define OTHER "x9"
#define STACK "sp"
#elif defined __arm__
#define SAVED "r8"
#define OTHER "r2"
#define STACK "sp"
#else
#define SAVED "$16"
#define OTHER "$9"
#define STACK "$29"
#endif

__attribute__((noinline)) static long by_number(long x) {
    long y;
    asm("" : "=r"(y) : "0"(x), "r"(x + 1));
    return y;
}

/* The output is the operand with the number 1. */
__attribute__((noinline)) static long behind_memory(long x, long *p) {
    long y;
    asm("" : "=m"(*p), "=r"(y) : "1"(x));
    return y;
}

__attribute__((noinline)) static long by_name(long x) {
    register long y asm(SAVED) = x;
    asm("" : "=r"(y) : "0"(y));
    return y;
}

__attribute__((noinline)) static long by_another_name(long x) {
    register long y asm(OTHER) = x;
    asm volatile("" : "+r"(y));
    register long z asm(OTHER) = y + 1;
    asm volatile("" : "+r"(z) : "r"(x));
    return z;
}

__attribute__((noinline)) static long two_names(long x) {
    register long a asm(SAVED) = x, b asm(OTHER) = x * 3;
    asm volatile("" : "+r"(a), "+r"(b));
    return a * 10 + b;
}

__attribute__((noinline)) static int of_stack(void) {
    char here;
    register char *stack asm(STACK);
    asm("" : "=r"(stack));
    return &here - stack < 4096 && &here - stack > -4096;
}

int main(void) {
    for (long x = -100; x <= 100; x += 7) {
        long memory = x;
        printf("%ld %ld %ld %ld %ld %d\n", by_number(x), behind_memory(x, &memory), by_name(x), by_another_name(x),
               two_names(x), of_stack());
    }
    return 0;
}
