// Functions that call others where they begin and end, which count and look at what they get.
#include <stdio.h>

#define UNSEEN __attribute__((no_instrument_function))

static unsigned counted, entered, left, good;

int leaf(int x);
int recursive(int n);
void nothing(void);

static void *site;

UNSEEN void mcount(void) { counted++; }

UNSEEN static int is_known(void *function) {
    return function == (void *)leaf || function == (void *)recursive || function == (void *)nothing;
}

UNSEEN void __cyg_profile_func_enter(void *function, void *caller) {
    entered++;
    site = caller;
    good += is_known(function);
}

UNSEEN void __cyg_profile_func_exit(void *function, void *caller) {
    left++;
    good += is_known(function) && (function != (void *)leaf || caller == site);
}

__attribute__((noinline)) int leaf(int x) {
    if (x == 7)
        return -1;
    if (site && site != __builtin_return_address(0))
        return 1000;
    return x + 1;
}

__attribute__((noinline)) int recursive(int n) { return n == 0 ? leaf(0) : leaf(n) * recursive(n - 1) + leaf(7); }

__attribute__((noinline)) void nothing(void) { leaf(3); }

__attribute__((naked, noinline)) int bare(int x) {
#if defined __x86_64__
    __asm__("leal 1(%rdi), %eax\n\tret");
#elif defined __i386__
    __asm__("movl 4(%esp), %eax\n\tincl %eax\n\tret");
#else
    __asm__("add r0, r0, #1\n\tbx lr");
#endif
}

UNSEEN int main(void) {
    int result = recursive(9);
    nothing();
    printf("%d %d: %u counted, %u entered, %u left, %u good\n", result, bare(41), counted, entered, left, good);
}
