// The number of primes below a million, by the sieve of Eratosthenes over odd numbers.
#include "kernel.h"
enum { N = 1000000 };
static uint8_t composite[N / 2];

uint32_t kernel(void) {
    uint32_t count = 1;
    for (uint32_t n = 3; n < N; n += 2) {
        if (composite[n / 2])
            continue;
        count++;
        if (n < 1000)
            for (uint32_t m = n * n; m < N; m += 2 * n)
                composite[m / 2] = 1;
    }
    return count;
}
