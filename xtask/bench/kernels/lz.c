// Compresses and decompresses by references to what came before (Lempel and Ziv, 1977), in the manner of LZ4:
// a token with two lengths, literals, an offset of two bytes.
#include "kernel.h"
enum { N = 1 << 17, HASH = 1 << 12 };
static uint8_t input[N], packed[N + N / 8 + 64], output[N];
static uint32_t places[HASH];

static uint32_t word(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint8_t *length(uint8_t *out, uint32_t n) {
    for (n -= 15; n >= 255; n -= 255)
        *out++ = 255;
    *out++ = (uint8_t)n;
    return out;
}

static uint8_t *sequence(uint8_t *out, const uint8_t *literals, uint32_t count, uint32_t match, uint32_t offset) {
    *out++ = (uint8_t)((count < 15 ? count : 15) << 4 | (match < 15 ? match : 15));
    if (count >= 15)
        out = length(out, count);
    for (uint32_t i = 0; i < count; i++)
        *out++ = literals[i];
    *out++ = (uint8_t)offset;
    *out++ = (uint8_t)(offset >> 8);
    if (match >= 15)
        out = length(out, match);
    return out;
}

static uint32_t compress(const uint8_t *in, uint32_t size, uint8_t *out) {
    uint8_t *start = out;
    uint32_t at = 1, done = 0;
    for (int i = 0; i < HASH; i++)
        places[i] = 0;
    while (at + 4 < size) {
        uint32_t hash = word(in + at) * 2654435761u >> 20, from = places[hash];
        places[hash] = at;
        if (at - from > 65535 || word(in + from) != word(in + at)) {
            at++;
            continue;
        }
        uint32_t match = 4;
        while (at + match < size && in[from + match] == in[at + match])
            match++;
        out = sequence(out, in + done, at - done, match, at - from);
        at += match;
        done = at;
    }
    out = sequence(out, in + done, size - done, 0, 0);
    return (uint32_t)(out - start);
}

static uint32_t extend(const uint8_t **in, uint32_t n) {
    if (n == 15) {
        uint8_t more;
        do
            n += more = *(*in)++;
        while (more == 255);
    }
    return n;
}

static uint32_t decompress(const uint8_t *in, const uint8_t *end, uint8_t *out) {
    uint8_t *start = out;
    while (in < end) {
        uint32_t token = *in++, count = extend(&in, token >> 4);
        for (; count > 0; count--)
            *out++ = *in++;
        uint32_t offset = in[0] | (uint32_t)in[1] << 8;
        in += 2;
        uint32_t match = extend(&in, token & 15);
        const uint8_t *from = out - offset;
        for (; match > 0; match--)
            *out++ = *from++;
    }
    return (uint32_t)(out - start);
}

uint32_t kernel(void) {
    uint32_t seed = 11, all = 0;
    for (uint32_t i = 0; i < N;) {
        uint32_t r = next(&seed), run = r % 29 + 3, from = i > 4096 ? i - (r >> 8) % 4000 - 32 : i;
        for (; run > 0 && i < N; run--, i++)
            input[i] = from < i - 31 && i > 64 && r & 64 ? input[from++] : (uint8_t)(next(&seed) & 31);
    }
    for (int round = 0; round < 4; round++) {
        uint32_t size = compress(input, N, packed);
        all = all * 31 + size + decompress(packed, packed + size, output);
        for (uint32_t i = 0; i < N; i++)
            all += input[i] == output[i];
        input[round] ^= 1;
    }
    return all;
}
