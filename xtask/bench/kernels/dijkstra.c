// Shortest ways in a graph (Dijkstra, 1959) with a binary heap.
#include "kernel.h"
enum { NODES = 4000, DEGREE = 8 };
typedef struct { uint32_t to, length; } edge;
typedef struct { uint32_t distance, node; } entry;
static edge edges[NODES][DEGREE];
static uint32_t distance[NODES];
static entry heap[NODES * DEGREE + 1];
static uint32_t size;

static void push(entry e) {
    uint32_t i = size++;
    while (i > 0 && heap[(i - 1) / 2].distance > e.distance) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = e;
}

static entry pop(void) {
    entry top = heap[0], last = heap[--size];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= size)
            break;
        if (child + 1 < size && heap[child + 1].distance < heap[child].distance)
            child++;
        if (last.distance <= heap[child].distance)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

uint32_t kernel(void) {
    uint32_t seed = 17, all = 0;
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < DEGREE; j++)
            edges[i][j] = (edge){next(&seed) % NODES, next(&seed) % 1000 + 1};
    for (int start = 0; start < 3; start++) {
        for (int i = 0; i < NODES; i++)
            distance[i] = ~0u;
        distance[start] = 0;
        push((entry){0, (uint32_t)start});
        while (size > 0) {
            entry e = pop();
            if (e.distance != distance[e.node])
                continue;
            for (int j = 0; j < DEGREE; j++) {
                edge way = edges[e.node][j];
                if (e.distance + way.length < distance[way.to]) {
                    distance[way.to] = e.distance + way.length;
                    push((entry){distance[way.to], way.to});
                }
            }
        }
        for (int i = 0; i < NODES; i++)
            all = all * 31 + distance[i];
    }
    return all;
}
