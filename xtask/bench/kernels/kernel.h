// What the kernels share. Each gives a number that tells whether it computed what it should.
#ifndef KERNEL_H
#define KERNEL_H
#include <stdint.h>

uint32_t kernel(void);

/// The next of a fixed sequence of numbers (xorshift, Marsaglia 2003).
static inline uint32_t next(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

#endif
