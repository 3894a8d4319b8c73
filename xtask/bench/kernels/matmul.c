// The product of two matrices of doubles.
#include "kernel.h"
enum { N = 96 };
static double a[N][N], b[N][N], c[N][N];

uint32_t kernel(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i - j * 0.5;
            b[i][j] = i * 0.25 + j;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    uint32_t all = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            all = all * 31 + (uint32_t)(int32_t)c[i][j];
    return all;
}
