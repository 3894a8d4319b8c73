/* Prints the Mandelbrot set: 60 columns from -2.25 to 0.7, 25 rows from -1.2 to 1.2. */
#include "host.h"

enum { COLUMNS = 60, ROWS = 25, LIMIT = 40 };

/* Iterations of z = z z + c, from z = 0, until |z| > 2; at most LIMIT. */
static int iterate(double cx, double cy) {
    double x = 0, y = 0;
    int count = 0;
    while (x * x + y * y <= 4 && count < LIMIT) {
        double real = x * x - y * y + cx;
        y = 2 * (x * y) + cy;
        x = real;
        count++;
    }
    return count;
}

static int run(int argc, char **argv) {
    static const char shades[] = " .,:;-=+*%@";
    char line[COLUMNS + 1];
    line[COLUMNS] = '\n';
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++)
            line[column] = shades[iterate(column * 0.05 + -2.25, row * 0.1 + -1.2) / 4];
        print(1, line, sizeof line);
    }
    return 0;
}
