// The discrete cosine transform of blocks of 8 by 8 in fixed point, and its inverse, by matrices.
#include "kernel.h"
enum { BLOCKS = 300, BITS = 12 };
static const int16_t basis[8][8] = {
    {1448, 1448, 1448, 1448, 1448, 1448, 1448, 1448},   {2009, 1703, 1138, 400, -400, -1138, -1703, -2009},
    {1892, 784, -784, -1892, -1892, -784, 784, 1892},   {1703, -400, -2009, -1138, 1138, 2009, 400, -1703},
    {1448, -1448, -1448, 1448, 1448, -1448, -1448, 1448}, {1138, -2009, 400, 1703, -1703, -400, 2009, -1138},
    {784, -1892, 1892, -784, -784, 1892, -1892, 784},   {400, -1138, 1703, -2009, 2009, -1703, 1138, -400},
};
static int16_t pixels[BLOCKS][8][8];

static int16_t scaled(int32_t sum) { return (int16_t)((sum + (1 << (BITS - 1))) >> BITS); }

static void forward(int16_t x[8][8]) {
    int16_t t[8][8];
    for (int i = 0; i < 8; i++)
        for (int u = 0; u < 8; u++) {
            int32_t sum = 0;
            for (int j = 0; j < 8; j++)
                sum += x[i][j] * basis[u][j];
            t[u][i] = scaled(sum);
        }
    for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++) {
            int32_t sum = 0;
            for (int i = 0; i < 8; i++)
                sum += t[u][i] * basis[v][i];
            x[v][u] = scaled(sum);
        }
}

static void inverse(int16_t x[8][8]) {
    int16_t t[8][8];
    for (int v = 0; v < 8; v++)
        for (int j = 0; j < 8; j++) {
            int32_t sum = 0;
            for (int u = 0; u < 8; u++)
                sum += x[v][u] * basis[u][j];
            t[v][j] = scaled(sum);
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int32_t sum = 0;
            for (int v = 0; v < 8; v++)
                sum += t[v][j] * basis[v][i];
            x[i][j] = scaled(sum);
        }
}

uint32_t kernel(void) {
    uint32_t seed = 19, all = 0;
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < 64; i++)
            pixels[b][i / 8][i % 8] = (int16_t)(next(&seed) % 256) - 128;
    for (int b = 0; b < BLOCKS; b++) {
        forward(pixels[b]);
        for (int i = 0; i < 64; i++)
            pixels[b][i / 8][i % 8] = (int16_t)(pixels[b][i / 8][i % 8] / 16 * 16);
        inverse(pixels[b]);
    }
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < 64; i++)
            all = all * 31 + (uint32_t)pixels[b][i / 8][i % 8];
    return all;
}
