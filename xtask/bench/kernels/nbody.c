// Planets that pull at each other, in double precision.
#include "kernel.h"
enum { BODIES = 5, STEPS = 20000 };
typedef struct { double x[3], v[3], mass; } body;
static body bodies[BODIES];

static void advance(double dt) {
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) {
            body *a = &bodies[i], *b = &bodies[j];
            double d[3], square = 0;
            for (int k = 0; k < 3; k++) {
                d[k] = a->x[k] - b->x[k];
                square += d[k] * d[k];
            }
            double pull = dt / (square * __builtin_sqrt(square));
            for (int k = 0; k < 3; k++) {
                a->v[k] -= d[k] * b->mass * pull;
                b->v[k] += d[k] * a->mass * pull;
            }
        }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            bodies[i].x[k] += dt * bodies[i].v[k];
}

uint32_t kernel(void) {
    uint32_t all = 0;
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = (body){{3.0 * i, i * i * 0.5, -i}, {0.1 * i, 0.3 - 0.1 * i, 0.01 * i}, 4.0 / (1 + i * i)};
    }
    for (int step = 0; step < STEPS; step++)
        advance(0.001);
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            all = all * 31 + (uint32_t)(int32_t)(bodies[i].x[k] * 65536);
    return all;
}
