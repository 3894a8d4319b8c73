/* A thread runs on a stack with a guard page below it, and memory below that. Whoever takes more than the stack has
   must meet the guard and must not get at what is below. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

char *take(uintptr_t);
char *take_aligned(uintptr_t);
char *take_pieces(uintptr_t);
int fill(uintptr_t, int);

enum { BELOW = 1 << 24, GUARD = 4096, STACK = 1 << 18 };

static char *guard;
static sigjmp_buf back;

static void on_fault(int signal, siginfo_t *info, void *context) {
    char *at = info->si_addr;
    siglongjmp(back, at >= guard && at < guard + GUARD ? 1 : 2);
}

static char *(*function)(uintptr_t);
static uintptr_t size;

/* 0 if it returns, 1 if the guard was met, 2 at another fault. */
static void *attempt(void *unused) {
    stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&other, 0);
    int outcome = sigsetjmp(back, 1);
    if (outcome == 0) function(size);
    return (void *)(intptr_t)outcome;
}

static int outcome_of(char *(*tried)(uintptr_t), uintptr_t amount) {
    function = tried;
    size = amount;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, guard + GUARD, STACK);
    pthread_t thread;
    void *outcome;
    if (pthread_create(&thread, &attributes, attempt, 0)) abort();
    pthread_join(thread, &outcome);
    return (int)(intptr_t)outcome;
}

int main(void) {
    char *memory = mmap(0, BELOW + GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    guard = memory + BELOW;
    mprotect(guard, GUARD, PROT_NONE);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, 0);

    int failures = 0;
    struct { const char *name; char *(*function)(uintptr_t); uintptr_t fits, exceeds; } tests[] = {
        {"take", take, 100000, BELOW / 2},
        {"take", take, 4096, STACK + GUARD},
        {"take", take, 0, STACK + 5 * GUARD + 8},
        /* More than there are addresses below the stack. */
        {"take", take, 4095, (uintptr_t)0 - (1 << 20)},
        {"take_aligned", take_aligned, 50000, BELOW / 4},
        {"take_pieces", take_pieces, 20, 1000},
    };
    for (unsigned n = 0; n < sizeof tests / sizeof *tests; ++n) {
        int fits = outcome_of(tests[n].function, tests[n].fits);
        int exceeds = outcome_of(tests[n].function, tests[n].exceeds);
        if (fits != 0 || exceeds != 1) {
            printf("%s %u: %d %d\n", tests[n].name, n, fits, exceeds);
            ++failures;
        }
    }
    for (uintptr_t bytes = 4; bytes < 40000; bytes = bytes * 5 / 4 / 4 * 4 + 4) {
        if (fill(bytes, 3) != 3 * (int)(bytes / 4)) printf("fill %lu\n", (unsigned long)bytes), ++failures;
    }
    return failures != 0;
}
