// Functions whose addresses resolvers give: visible, hidden and of the module alone, by other names, in data, called,
// jumped to, and clones for processors.
#include <stdio.h>

typedef int F(int);

static volatile int zero;

static __attribute__((noinline)) int up(int x) { return x + 1 + zero; }
static __attribute__((noinline)) int down(int x) { return x - 1 - zero; }

// Relocations may not be done yet where a resolver runs: nothing but code and the processor is looked at.
static __attribute__((noinline)) int which(int n) {
    __asm__ volatile("" : "+r"(n));
    return n;
}
static F *first(void) { return which(1) ? up : down; }
static F *second(void) { return which(0) ? up : down; }

int visible(int) __attribute__((ifunc("first")));
static int own(int) __attribute__((ifunc("second")));
__attribute__((visibility("hidden"))) int hidden(int) __attribute__((ifunc("second")));
extern F renamed __attribute__((alias("visible")));

F *table[] = {visible, own, hidden, renamed};
static F *const constant = hidden;

__attribute__((noinline)) int tail(int x) { return visible(x * 2); }
__attribute__((noinline)) F *address(int k) { return k == 0 ? visible : k == 1 ? own : k == 2 ? hidden : renamed; }

#if defined(__x86_64__) || defined(__i386__)
__attribute__((target_clones("default", "sse4.2", "avx2"))) int sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
#else
static int sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
#endif

int main(void) {
    for (int k = 0; k < 4; k++) {
        // An address is the same everywhere.
        printf("%d %d %d %d\n", k, table[k](10 * k), address(k)(10 * k), table[k] == address(k));
    }
    printf("%d %d %d %d\n", visible(100), own(100), hidden(100), renamed(100));
    printf("%d %d\n", tail(5), constant(7));
    int numbers[37];
    for (int i = 0; i < 37; i++) numbers[i] = i * i;
    int (*through)(const int *, int) = sum;
    printf("%d %d\n", sum(numbers, 37), through(numbers, 36));
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    printf("%d\n", !!__builtin_cpu_supports("sse2"));
#else
    printf("1\n");
#endif
}
