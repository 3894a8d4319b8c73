// Data to compress: text with repetitions, numbers, noise and zeros; and checksums of results.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t noise_state = 12345;

static uint32_t noise(void) {
    noise_state = noise_state * 1664525u + 1013904223u;
    return noise_state >> 8;
}

static unsigned char *make_data(size_t size) {
    static const char *const words[] = {"compression ", "of ", "the ", "quick ", "brown ", "data, ", "lazily ", "jumps\n"};
    unsigned char *data = malloc(size + 64);
    size_t at = 0;
    while (at < size) {
        switch (noise() % 5) {
        case 0: case 1:
            for (int i = 0; i < 30 && at < size; i++) {
                const char *word = words[noise() % 8];
                size_t length = strlen(word);
                memcpy(data + at, word, length);
                at += length;
            }
            break;
        case 2: at += (size_t)snprintf((char *)data + at, 40, "%u;%08x;", noise(), noise()); break;
        case 3:
            for (int i = 0; i < 40 && at < size; i++) data[at++] = (unsigned char)noise();
            break;
        default:
            for (uint32_t n = noise() % 300; n && at < size; n--) data[at++] = 0;
        }
    }
    return data;
}

static uint64_t checksum(const unsigned char *data, size_t size) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ data[i]) * 1099511628211u;
    return sum;
}
