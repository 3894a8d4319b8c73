// A fast Fourier transform in place, radix 2 (Cooley and Tukey, 1965), in single precision.
#include "kernel.h"
enum { LOG = 11, N = 1 << LOG };
typedef struct { float re, im; } complex;
static complex data[N], roots[N / 2];

static void transform(complex *x) {
    for (unsigned i = 1, j = 0; i < N; i++) {
        unsigned bit = N >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    for (unsigned half = 1, step = N / 2; half < N; half *= 2, step /= 2)
        for (unsigned i = 0; i < N; i += 2 * half)
            for (unsigned k = 0; k < half; k++) {
                complex w = roots[k * step], u = x[i + k], v = x[i + k + half];
                complex p = {v.re * w.re - v.im * w.im, v.re * w.im + v.im * w.re};
                x[i + k] = (complex){u.re + p.re, u.im + p.im};
                x[i + k + half] = (complex){u.re - p.re, u.im - p.im};
            }
}

uint32_t kernel(void) {
    // cos and sin of -2 pi / N; the others by the rotation.
    double c = 0.99999529380957617151, s = -0.00306795676296597627, re = 1, im = 0;
    for (int i = 0; i < N / 2; i++) {
        roots[i] = (complex){(float)re, (float)im};
        double t = re * c - im * s;
        im = re * s + im * c;
        re = t;
    }
    uint32_t seed = 1;
    for (int i = 0; i < N; i++)
        data[i] = (complex){(float)(next(&seed) & 1023), 0};
    for (int round = 0; round < 8; round++) {
        transform(data);
        for (int i = 0; i < N; i++)
            data[i].re /= 64, data[i].im /= -64;
    }
    uint32_t all = 0;
    for (int i = 0; i < N; i++)
        all = all * 31 + (uint32_t)(int32_t)data[i].re;
    return all;
}
