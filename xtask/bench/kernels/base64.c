// Base64 (RFC 4648), there and back.
#include "kernel.h"
enum { N = 3 * 16384 };
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static uint8_t plain[N], back[N];
static char text[N / 3 * 4];
static uint8_t values[256];

static void encode(const uint8_t *in, unsigned length, char *out) {
    for (; length >= 3; length -= 3, in += 3) {
        uint32_t group = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = digits[group >> 6 & 63];
        *out++ = digits[group & 63];
    }
}

static unsigned decode(const char *in, unsigned length, uint8_t *out) {
    uint8_t *start = out;
    uint32_t group = 0;
    for (unsigned i = 0; i < length; i++) {
        uint8_t value = values[(uint8_t)in[i]];
        if (value == 255)
            continue;
        group = group << 6 | value;
        if (i % 4 == 3) {
            *out++ = (uint8_t)(group >> 16);
            *out++ = (uint8_t)(group >> 8);
            *out++ = (uint8_t)group;
        }
    }
    return (unsigned)(out - start);
}

uint32_t kernel(void) {
    uint32_t seed = 9, all = 0;
    for (int i = 0; i < 256; i++)
        values[i] = 255;
    for (int i = 0; i < 64; i++)
        values[(uint8_t)digits[i]] = (uint8_t)i;
    for (int i = 0; i < N; i++)
        plain[i] = (uint8_t)next(&seed);
    for (int round = 0; round < 8; round++) {
        encode(plain, N, text);
        all += decode(text, sizeof text, back);
        for (int i = 0; i < N; i++)
            all = all * 31 + (back[i] == plain[i]) + (uint8_t)text[i];
        plain[round]++;
    }
    return all;
}
