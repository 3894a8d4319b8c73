/* What AArch64 has for barriers, hints, registers of the system, and quotients without a trap. */
#include <arm_acle.h>
#include <stdint.h>
#include <stdio.h>

extern uint64_t get_fpcr(void) __asm__("llvm.aarch64.get.fpcr");
extern void set_fpcr(uint64_t) __asm__("llvm.aarch64.set.fpcr");
extern uint64_t get_fpsr(void) __asm__("llvm.aarch64.get.fpsr");
extern void set_fpsr(uint64_t) __asm__("llvm.aarch64.set.fpsr");
extern void give_up_exclusive(void) __asm__("llvm.aarch64.clrex");
extern int32_t quotient(int32_t, int32_t) __asm__("llvm.aarch64.sdiv.i32");
extern uint64_t long_quotient(uint64_t, uint64_t) __asm__("llvm.aarch64.udiv.i64");

/* The direction of rounding is set in between, and the register is read on both sides of it. */
__attribute__((noinline)) static uint64_t turned(uint64_t direction) {
    uint64_t before = get_fpcr();
    set_fpcr(before | direction << 22);
    uint64_t within = get_fpcr();
    set_fpcr(before);
    return before * 16 + (within >> 22 & 3) * 4 + (get_fpcr() == before);
}

__attribute__((noinline)) static uint64_t flags(uint64_t some) {
    set_fpsr(some);
    uint64_t first = get_fpsr();
    set_fpsr(0);
    return first * 2 + get_fpsr();
}

int main(void) {
    static const int32_t numbers[] = {0, 1, -1, 7, -7, 100000007, 0x7fffffff, -0x7fffffff - 1};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    for (int n = 0; n < 32; n++) {
        printf("%llx %llx\n", (unsigned long long)turned(n & 3), (unsigned long long)flags(n));
        __dmb(11), __dsb(15), __isb(15), __nop(), __yield(), __sevl();
        give_up_exclusive();
        __builtin_prefetch(&numbers[n % COUNT]);
    }
    for (int n = 0; n < COUNT; n++)
        for (int k = 0; k < COUNT; k++) {
            uint64_t a = (uint64_t)numbers[n] * 0x100000001u, b = (uint64_t)(int64_t)numbers[k];
            printf("%d %llx\n", quotient(numbers[n], numbers[k]), (unsigned long long)long_quotient(a, b));
        }
    return 0;
}
