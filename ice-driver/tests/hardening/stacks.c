// A stack of its own with a guard of one page, behind which lies memory that nobody may touch by mistake. A frame that
// does not fit must fault in the guard.
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 1 << 18, BEHIND = 1 << 25 };

static char *memory, *guard;
static int kind, is_large;
static volatile int zero;

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0) _exit(3);
    _exit(0);
}

static void fault(int number, siginfo_t *info, void *context) {
    char *at = info->si_addr;
    say(at >= guard && at < guard + PAGE ? "in the guard\n" : "elsewhere\n");
}

__attribute__((noinline)) void look(volatile void *at) { __asm__ volatile("" : : "r"(at) : "memory"); }

// A frame of several MiB, of which only the far end is written.
__attribute__((noinline)) int large_frame(int n) {
    char array[6 << 20];
    look(array);
    array[n] = 1;
    return array[n + 1];
}
__attribute__((noinline)) int fitting_frame(int n) {
    char array[100 << 10];
    look(array);
    array[n] = 1;
    return array[n];
}
__attribute__((noinline)) int object(unsigned n) {
    char *p = alloca(n);
    look(p);
    p[zero] = 1;
    return p[zero];
}
__attribute__((noinline)) int object_in_loop(unsigned n, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        char *p = alloca(n);
        look(p);
        sum += p != 0;
    }
    return sum;
}
// Less than a page each, and nothing of it is written.
__attribute__((noinline)) int recursion(int depth) {
    char array[4000];
    look(array);
    return depth == 0 ? 0 : recursion(depth - 1) + zero;
}
// The last of two frames of nearly a page has no reason to write anything but its lowest byte.
__attribute__((noinline)) int leaf(int n) {
    char array[4032];
    __asm__ volatile("" : : "r"(array) : "memory");
    ((volatile char *)array)[n] = 1;
    return ((volatile char *)array)[n];
}
__attribute__((noinline)) int above_leaf(int n) {
    char array[4032];
    look(array);
    return leaf(n) + array[zero];
}
__attribute__((noinline)) int approach(unsigned distance) {
    // From so far above the guard, in steps of 16 bytes.
    char *p = alloca(distance);
    look(p);
    return above_leaf(zero);
}

static void *run(void *unused) {
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, 0);
    switch (kind) {
    case 0: look(&(int){is_large ? large_frame(zero) : fitting_frame(zero)}); break;
    case 1: object(is_large ? 30u << 20 : 100u << 10); break;
    case 2: object_in_loop(4096 - 16, is_large ? 5000 : 30); break;
    case 3: recursion(is_large ? 5000 : 30); break;
    // All distances from the end of the stack: none may lead past the guard.
    case 4:
        for (unsigned n = is_large ? STACK - 24000 : 0; n < (is_large ? STACK : 100u << 10); n += is_large ? 16 : 1024) approach(n);
        break;
    }
    say("done\n");
    return 0;
}

int main(int count, char **words) {
    kind = count > 1 ? atoi(words[1]) : 0;
    is_large = count > 2 && !strcmp(words[2], "too much");
    memory = mmap(0, BEHIND + PAGE + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 4;
    guard = memory + BEHIND;
    if (mprotect(guard, PAGE, PROT_NONE)) return 5;
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, 0);
    sigaction(SIGBUS, &action, 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, guard + PAGE, STACK);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, run, 0)) return 6;
    pthread_join(thread, 0);
    return 7;
}
