// Shuffles of bytes and of words, for processors that have tables of bytes: of one vector, of two, with zeros, with lanes that may be
// anything, and such as need no table.
#pragma clang attribute push(__attribute__((target("ssse3"))), apply_to = function)
#include <stdio.h>
#include <string.h>

typedef unsigned char bytes __attribute__((vector_size(16)));
typedef unsigned short words __attribute__((vector_size(16)));

static unsigned char inputs[3][16];

#define BYTES(name, a, b, ...) __attribute__((noinline)) static bytes name(bytes x, bytes y, bytes zero) { return __builtin_shufflevector(a, b, __VA_ARGS__); }
#define WORDS(name, a, b, ...) __attribute__((noinline)) static words name(words x, words y, words zero) { return __builtin_shufflevector(a, b, __VA_ARGS__); }

BYTES(bytes_0, x, y, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
BYTES(bytes_1, x, x, 3, 8, 13, 2, 7, 12, 1, 6, 11, 0, 5, 10, 15, 4, 9, 14)
BYTES(bytes_2, x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
BYTES(bytes_3, x, (bytes){}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
BYTES(bytes_4, x, (bytes){}, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16)
BYTES(bytes_5, x, y, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)
BYTES(bytes_6, y, x, 0, 7, 14, 21, 28, 3, 10, 17, 24, 31, 6, 13, 20, 27, 2, 9)
BYTES(bytes_7, x, y, 28, 29, 28, 12, 11, 30, 11, 6, 28, 19, 9, 5, 2, 25, 28, 10)
BYTES(bytes_8, x, y, 0, 4, 3, 2, 12, 15, 1, 29, 20, 28, 12, 14, 18, 31, 0, 5)
BYTES(bytes_9, x, y, 29, 17, 26, 5, 16, 20, 14, 18, 1, 4, 6, 25, 6, 18, 24, 4)
BYTES(bytes_10, x, y, 1, 0, 13, 13, 3, 30, 24, 25, 26, 4, 12, 17, 21, 5, 19, 21)
BYTES(bytes_11, x, (bytes){}, 16, 3, 7, 0, 17, 5, 14, 17, 12, 16, 6, 18, 0, 17, 3, 4)
BYTES(bytes_12, x, (bytes){}, 16, 17, 18, 2, 2, 7, 16, 14, 15, 12, 17, 7, 6, 17, 15, 13)
BYTES(bytes_13, x, (bytes){}, 3, 17, 18, 16, 17, 5, 4, 15, 8, 6, 17, 18, 7, 1, 18, 4)
BYTES(bytes_14, x, (bytes){}, 11, 17, 4, 16, 17, 1, 16, 17, 10, 2, 17, 1, 16, 17, 18, 16)
BYTES(bytes_15, x, x, 0, 12, 12, 0, 2, 2, 2, 3, 8, 13, 10, 12, 14, 14, 14, 2)
BYTES(bytes_16, x, x, 0, 9, 2, 15, 0, 7, 3, 15, 15, 8, 0, 11, 9, 4, 6, 5)
BYTES(bytes_17, x, y, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)
BYTES(bytes_18, x, y, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
BYTES(bytes_19, x, y, 0, 3, 6, 9, 12, 15, 2, 5, 8, 27, 30, 17, 20, 23, 26, 29)
WORDS(words_20, x, y, 7, 6, 5, 4, 3, 2, 1, 0)
WORDS(words_21, x, x, 3, 0, 5, 2, 7, 4, 1, 6)
WORDS(words_22, x, y, 0, 8, 1, 9, 2, 10, 3, 11)
WORDS(words_23, x, (words){}, 0, 8, 1, 9, 2, 10, 3, 11)
WORDS(words_24, x, (words){}, 3, 4, 5, 6, 7, 8, 8, 8)
WORDS(words_25, x, y, 5, 6, 7, 8, 9, 10, 11, 12)
WORDS(words_26, y, x, 0, 7, 14, 5, 12, 3, 10, 1)
WORDS(words_27, x, y, 10, 14, 15, 7, 10, 12, 8, 6)
WORDS(words_28, x, y, 13, 6, 6, 12, 7, 10, 6, 4)
WORDS(words_29, x, y, 4, 15, 11, 1, 2, 8, 5, 3)
WORDS(words_30, x, y, 14, 15, 8, 6, 13, 12, 15, 10)
WORDS(words_31, x, (words){}, 8, 1, 4, 8, 4, 10, 7, 9)
WORDS(words_32, x, (words){}, 3, 0, 7, 5, 3, 10, 2, 7)
WORDS(words_33, x, (words){}, 2, 9, 10, 3, 9, 10, 7, 9)
WORDS(words_34, x, (words){}, 8, 5, 1, 3, 6, 10, 4, 5)
WORDS(words_35, x, x, 0, 7, 5, 6, 4, 7, 0, 3)
WORDS(words_36, x, x, 1, 6, 0, 2, 5, 2, 7, 2)
WORDS(words_37, x, y, 7, 7, 7, 7, 7, 7, 7, 7)
WORDS(words_38, x, y, 1, 0, 3, 2, 5, 4, 7, 6)
WORDS(words_39, x, y, 0, 3, 6, 1, 4, 15, 10, 13)
BYTES(bytes_40, x, (bytes){0}, 0, 1, 2, 3, 8, 9, 16, 16, 10, 11, 4, 5, 6, 7, 12, 13)
BYTES(bytes_41, y, (bytes){0}, 16, 16, 16, 16, 16, 16, 0, 1, 16, 16, 16, 16, 16, 16, 16, 16)
BYTES(bytes_42, x, y, -1, 15, -1, 13, -1, -1, 10, 9, 0, 17, -1, 3, -1, 21, 6, -1)
WORDS(words_43, x, y, -1, 7, -1, 12, 0, -1, -1, 3)

#define SHOWN(name, type, known) { \
    type x, y, result; \
    memcpy(&x, inputs[0], 16), memcpy(&y, inputs[1], 16); \
    result = name(x, y, (type){}); \
    printf(#name); \
    for (unsigned n = 0; n < sizeof(type) / sizeof result[0]; n++) printf(known >> n & 1 ? " %x" : " -", result[n]); \
    printf("\n"); \
}

int main(void) {
    for (int k = 0; k < 16; k++) inputs[0][k] = 0x10 + k, inputs[1][k] = 0x80 + 3 * k;
    SHOWN(bytes_0, bytes, 0xffff)
    SHOWN(bytes_1, bytes, 0xffff)
    SHOWN(bytes_2, bytes, 0xffff)
    SHOWN(bytes_3, bytes, 0xffff)
    SHOWN(bytes_4, bytes, 0xffff)
    SHOWN(bytes_5, bytes, 0xffff)
    SHOWN(bytes_6, bytes, 0xffff)
    SHOWN(bytes_7, bytes, 0xffff)
    SHOWN(bytes_8, bytes, 0xffff)
    SHOWN(bytes_9, bytes, 0xffff)
    SHOWN(bytes_10, bytes, 0xffff)
    SHOWN(bytes_11, bytes, 0xffff)
    SHOWN(bytes_12, bytes, 0xffff)
    SHOWN(bytes_13, bytes, 0xffff)
    SHOWN(bytes_14, bytes, 0xffff)
    SHOWN(bytes_15, bytes, 0xffff)
    SHOWN(bytes_16, bytes, 0xffff)
    SHOWN(bytes_17, bytes, 0xffff)
    SHOWN(bytes_18, bytes, 0xffff)
    SHOWN(bytes_19, bytes, 0xffff)
    SHOWN(words_20, words, 0xff)
    SHOWN(words_21, words, 0xff)
    SHOWN(words_22, words, 0xff)
    SHOWN(words_23, words, 0xff)
    SHOWN(words_24, words, 0xff)
    SHOWN(words_25, words, 0xff)
    SHOWN(words_26, words, 0xff)
    SHOWN(words_27, words, 0xff)
    SHOWN(words_28, words, 0xff)
    SHOWN(words_29, words, 0xff)
    SHOWN(words_30, words, 0xff)
    SHOWN(words_31, words, 0xff)
    SHOWN(words_32, words, 0xff)
    SHOWN(words_33, words, 0xff)
    SHOWN(words_34, words, 0xff)
    SHOWN(words_35, words, 0xff)
    SHOWN(words_36, words, 0xff)
    SHOWN(words_37, words, 0xff)
    SHOWN(words_38, words, 0xff)
    SHOWN(words_39, words, 0xff)
    SHOWN(bytes_40, bytes, 0xffff)
    SHOWN(bytes_41, bytes, 0xffff)
    SHOWN(bytes_42, bytes, 0x6bca)
    SHOWN(words_43, words, 0x9a)
    return 0;
}
#pragma clang attribute pop
