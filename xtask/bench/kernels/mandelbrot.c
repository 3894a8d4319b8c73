// How many points of a grid belong to the Mandelbrot set.
#include "kernel.h"
enum { N = 160, STEPS = 50 };

uint32_t kernel(void) {
    uint32_t all = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            double cr = 2.0 * x / N - 1.5, ci = 2.0 * y / N - 1.0, zr = 0, zi = 0;
            int n = 0;
            for (; n < STEPS && zr * zr + zi * zi <= 4.0; n++) {
                double t = zr * zr - zi * zi + cr;
                zi = 2.0 * zr * zi + ci;
                zr = t;
            }
            all = all * 3 + (uint32_t)n;
        }
    return all;
}
