// CRC-32 by bytes with a table (Sarwate, 1988).
#include "kernel.h"
enum { N = 1 << 16 };
static uint32_t table[256];
static uint8_t bytes[N];

static uint32_t crc(const uint8_t *p, unsigned length) {
    uint32_t c = ~0u;
    while (length--)
        c = table[(c ^ *p++) & 255] ^ c >> 8;
    return ~c;
}

uint32_t kernel(void) {
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t c = n;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[n] = c;
    }
    uint32_t seed = 3, all = 0;
    for (int i = 0; i < N; i++)
        bytes[i] = (uint8_t)next(&seed);
    for (int round = 0; round < 16; round++)
        all ^= crc(bytes + round, N - 16);
    return all;
}
