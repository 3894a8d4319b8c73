// The digits of 2^N in base 10^9: products of 64 bits and divisions by a constant.
#include "kernel.h"
enum { N = 6000, LIMBS = 210 };
static uint32_t power[LIMBS];

uint32_t kernel(void) {
    uint32_t all = 0;
    int size = 1;
    power[0] = 1;
    for (int n = 0; n < N; n += 12) {
        uint64_t carry = 0;
        for (int i = 0; i < size; i++) {
            carry += (uint64_t)power[i] * 4096;
            power[i] = (uint32_t)(carry % 1000000000u);
            carry /= 1000000000u;
        }
        if (carry)
            power[size++] = (uint32_t)carry;
    }
    // Digit sums, and a square by columns.
    for (int i = 0; i < size; i++)
        for (uint32_t x = power[i]; x; x /= 10)
            all = all * 3 + x % 10;
    for (int column = 0; column < 2 * size - 1; column++) {
        uint64_t sum = 0;
        for (int i = column < size ? 0 : column - size + 1; i <= column && i < size; i++)
            sum += (uint64_t)power[i] * power[column - i] >> 8;
        all = all * 31 + (uint32_t)(sum >> 20);
    }
    return all;
}
