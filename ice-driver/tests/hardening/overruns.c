// Frames of many kinds, one of which is overrun with the text that the program gets.
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void fill(char *to, const char *text) {
    strcpy(to, text);
    __asm__ volatile("" : : : "memory");
}
__attribute__((noinline)) void look(const void *at) { __asm__ volatile("" : : "r"(at) : "memory"); }

__attribute__((noinline)) int bytes(const char *text) {
    char array[16];
    fill(array, text);
    return array[0];
}
// A whole struct of six words comes back in memory of the caller.
struct big { long words[6]; };
__attribute__((noinline)) struct big returns_in_memory(const char *text) {
    struct big all = {{1, 2, 3, 4, 5, 6}};
    char array[12];
    fill(array, text);
    all.words[2] = array[1];
    return all;
}
__attribute__((noinline)) int moves_the_stack(const char *text) {
    int n = (int)strlen(text) & 15;
    char *moving = alloca(n + 16);
    char array[20];
    memset(moving, 1, n + 16);
    fill(array, text);
    return array[0] + moving[n];
}
__attribute__((noinline)) int aligned(const char *text) {
    _Alignas(64) char array[64];
    look(array);
    char other[16];
    fill(other, text);
    return other[0] + (int)((unsigned long)array & 63);
}
struct inner { short tag; char name[10]; };
__attribute__((noinline)) int in_a_struct(const char *text) {
    struct inner inner = {5, ""};
    fill(inner.name, text);
    return inner.tag;
}
__attribute__((noinline)) int next(int x) { return x + 1; }
__attribute__((noinline)) int many_arguments(int a, int b, int c, int d, int e, int f, int g, double h, const char *text) {
    char array[32];
    look(array);
    fill(array, text);
    look(array);
    return next(a + b + c + d + e + f + g + (int)h);
}

// What is not guarded by all of the attributes.
__attribute__((noinline)) int small_array(int x) { char array[4]; look(array); return array[x & 3]; }
__attribute__((noinline)) int array_of_words(int x) { int array[9]; look(array); return array[x & 7]; }
__attribute__((noinline)) int address_goes(int x) { int y = x; look(&y); return y; }
__attribute__((noinline)) int address_stays(int x) { volatile int y = x; return y + y; }
__attribute__((noinline)) double volatile_double(double x) { volatile double y = x; y += 1; return y; }
__attribute__((noinline)) int no_locals(int x) { return next(x) * 3; }
struct pair { int a, b; };
__attribute__((noinline)) int member_goes(int x) { struct pair p = {x, 1}; look(&p.b); return p.a; }
__attribute__((noinline)) int members_stay(int x) { volatile struct pair p = {x, 1}; return p.a + p.b; }
__attribute__((noinline)) int known_size(int x) { char *p = alloca(6); look(p); return p[x & 3]; }
__attribute__((noinline)) int unknown_size(int x) { char *p = alloca(x + 1); look(p); return p[x]; }
__attribute__((noinline)) int which(int x) { int a = 1, b = 2; int *p = x ? &a : &b; *p = x; return a + b; }
#ifndef __arm__
// LLVM makes loops of intrinsics of them on ARM before it looks, and takes these for calls.
__attribute__((noinline)) int atomics(int x) {
    _Atomic int y = x;
    y += 2;
    return y;
}
#endif
__attribute__((noinline)) void ends(const char *text) { char array[40]; fill(array, text); exit(array[0]); }
__attribute__((no_stack_protector, noinline)) int never(int x) { char array[16]; look(array); return array[x & 7]; }

int main(int count, char **words) {
    int kind = count > 1 ? atoi(words[1]) : -1;
    const char *text = count > 2 ? words[2] : "";
    switch (kind) {
    case 0: bytes(text); break;
    case 1: look(&(struct big){{returns_in_memory(text).words[2]}}); break;
    case 2: moves_the_stack(text); break;
    case 3: aligned(text); break;
    case 4: in_a_struct(text); break;
    case 5: many_arguments(1, 2, 3, 4, 5, 6, 7, 8.0, text); break;
    }
    printf("%d %s\n", kind, text);
    return 0;
}
