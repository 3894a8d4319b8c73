/* Puts linked areas into memory and calls functions in them: what a process of another machine does with code that was
 * made elsewhere.
 *
 * loader symbols                  prints what the code may call: names and addresses, which are those of every run
 * loader call IMAGE ADDRESS...    calls functions without parameters and prints their results of 64 bits
 *
 * An image is a word with the number of areas, then for each the words address, size, protection and its bytes. The file
 * `symbols.h` has a line SYMBOL(name) for each name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SYMBOL(name) extern char name##_address[] __asm__(#name);
#include "symbols.h"
#undef SYMBOL

uint32_t __ice_read_tp(void);
uint32_t __ice_read_tp(void) { return 0x1000; }

/* What the entry of functions without code calls here. It spoils what a called function may spoil. */
uint32_t resolve_in_table(const uint32_t *table, uint32_t number);
uint32_t resolve_in_table(const uint32_t *table, uint32_t number) {
#ifdef __arm__
    __asm__ volatile("vmov.i32 q0, #1\n\tvmov.i32 q1, #1\n\tvmov.i32 q2, #1\n\tvmov.i32 q3, #1"
                     : : : "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "r2", "r3");
#elif defined(__aarch64__)
    __asm__ volatile("movi v0.4s, #1\n\tmovi v1.4s, #1\n\tmovi v2.4s, #1\n\tmovi v3.4s, #1\n\t"
                     "movi v4.4s, #1\n\tmovi v5.4s, #1\n\tmovi v6.4s, #1\n\tmovi v7.4s, #1"
                     : : : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
                           "x9", "x10", "x11", "x12", "x13", "x14", "x15");
#else
    __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\tpcmpeqd %%xmm2, %%xmm2\n\txor %%ecx, %%ecx"
                     : : : "xmm0", "xmm1", "xmm2", "ecx", "edx");
#endif
    return table[number];
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint32_t word(FILE *file) {
    uint32_t value;
    if (fread(&value, sizeof value, 1, file) != 1)
        fail("image");
    return value;
}

static void load(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file)
        fail(name);
    for (uint32_t areas = word(file); areas > 0; areas--) {
        uint32_t address = word(file), size = word(file), protection = word(file);
        if (size == 0)
            continue;
        size_t length = (size + 4095) & ~(size_t)4095;
        void *at = (void *)(uintptr_t)address;
        if (mmap(at, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
            fail("mmap");
        if (fread(at, size, 1, file) != 1)
            fail("image");
        __builtin___clear_cache((char *)at, (char *)at + size);
        if (mprotect(at, length, (int)protection))
            fail("mprotect");
    }
    fclose(file);
}

/* Calls the functions at the addresses that follow each other up to NULL. */
static void *call(void *arguments) {
    for (char **address = arguments; *address; address++) {
        uint64_t (*function)(void) = (uint64_t (*)(void))(uintptr_t)strtoul(*address, NULL, 10);
        printf("%016llx\n", (unsigned long long)function());
        fflush(stdout);
    }
    return NULL;
}

/* The same in a thread whose stack has addresses of 32 bits, as objects there must. */
static void call_low(char **addresses) {
    size_t size = 8 << 20;
    void *at = (void *)(uintptr_t)0x70000000;
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
        fail("mmap");
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) || pthread_attr_setstack(&attributes, at, size) ||
        pthread_create(&thread, &attributes, call, addresses) || pthread_join(thread, NULL))
        fail("a thread");
}

int main(int argc, char **argv) {
    if (argc >= 2 && !strcmp(argv[1], "symbols")) {
#define SYMBOL(name) printf("%s %lu\n", #name, (unsigned long)(uintptr_t)name##_address);
#include "symbols.h"
        return 0;
    }
    if (argc < 3)
        return 2;
    load(argv[2]);
    call_low(argv + 3);
    return 0;
}
