/* What <arm_acle.h> has for ARM that takes a number in the instruction, leaves flags behind, or talks to the system: what `crosstest
   --neon` does not call. */
#include <arm_acle.h>
#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>

#define SATURATED(n) \
    printf("%d %d %u", __ssat(x, n), (int)__usat(x, n - 1), n)

static const int32_t inputs[] = {0, 1, -1, 100, -100, 32767, 32768, -32768, -32769, 65536, 0x12345678, 0x7fffffff, -0x7fffffff - 1, 0x80ff7f01, 0x00ff00ff};
enum { COUNT = sizeof inputs / sizeof *inputs };

/* The greater bytes of both, by the flags that a difference of bytes leaves. */
__attribute__((noinline)) static uint32_t greater_bytes(uint32_t a, uint32_t b) {
    __usub8(a, b);
    return __sel(a, b);
}

__attribute__((noinline)) static int64_t products(int32_t a, int32_t b, int64_t sum) {
    return __smlald(a, b, __smlsldx(b, a, sum));
}

static int rounded(double x, float y) {
    float of_double = __builtin_arm_vcvtr_d(x, 0), of_float = __builtin_arm_vcvtr_f(y, 1);
    int32_t words[2];
    __builtin_memcpy(words, &of_double, 4);
    __builtin_memcpy(words + 1, &of_float, 4);
    return words[0] * 31 + words[1];
}

/* A lane of each half, of vectors in one and in two registers. */
static uint32_t lanes(const uint16_t *from, uint16_t *to) {
    uint16x8x3_t all = vld3q_u16(from);
    all = vld3q_lane_u16(from + 3, all, 1);
    all = vld3q_lane_u16(from + 5, all, 6);
    vst3q_lane_u16(to, all, 6);
    vst3q_u16(to + 3, all);
    uint8x8x4_t bytes = vld4_dup_u8((const uint8_t *)from);
    uint8x8_t picked = vtbl4_u8(bytes, vcreate_u8(0x0108101817263544));
    uint32_t sum = vget_lane_u32(vreinterpret_u32_u8(picked), 0);
    for (int n = 0; n < 27; n++) sum = sum * 31 + to[n];
    return sum;
}

int main(void) {
    uint16_t from[40], to[40] = {0};
    for (int n = 0; n < 40; n++) from[n] = n * 2654;
    for (int n = 0; n < COUNT; n++) {
        int32_t x = inputs[n];
        SATURATED(1), printf(" ");
        SATURATED(8), printf(" ");
        SATURATED(17), printf(" ");
        SATURATED(32), printf(" %x %x %d %d\n", __ssat16(x, 9), __usat16(x, 5), (int)__cls(x), (int)__clsll((int64_t)x << 9));
        for (int k = 0; k < COUNT; k++) {
            int32_t y = inputs[k];
            printf("%x %llx ", (unsigned)greater_bytes(x, y), (long long)products(x, y, (int64_t)x << 32 | k));
        }
        printf("%d %u\n", rounded(x / 2.0, x * 0.75f), (unsigned)lanes(from + n, to));
        __dmb(15), __dsb(11), __isb(15), __nop(), __yield();
    }
    /* The number of the thread, which the C library keeps there. */
    printf("%d\n", __arm_mrc(15, 0, 13, 0, 3) == (uint32_t)(uintptr_t)__builtin_thread_pointer());
    return 0;
}
