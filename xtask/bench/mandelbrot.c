/* mandelbrot: a bitmap of the points that 50 iterations leave near zero. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 200;
    printf("P4\n%d %d\n", n, n);
    for (int y = 0; y < n; y++) {
        int bits = 0, count = 0;
        for (int x = 0; x < n; x++) {
            double zr = 0, zi = 0, tr = 0, ti = 0;
            double cr = 2.0 * x / n - 1.5, ci = 2.0 * y / n - 1.0;
            for (int i = 0; i < 50 && tr + ti <= 4.0; i++) {
                zi = 2.0 * zr * zi + ci;
                zr = tr - ti + cr;
                tr = zr * zr;
                ti = zi * zi;
            }
            bits = bits << 1 | (tr + ti <= 4.0);
            if (++count == 8 || x == n - 1) {
                putchar(bits << (8 - count));
                bits = count = 0;
            }
        }
    }
    return 0;
}
