// Quicksort with the middle element as the pivot (Hoare, 1962); short runs by insertion.
#include "kernel.h"
enum { N = 100000 };
static int32_t numbers[N];

static void sort(int32_t *a, int low, int high) {
    while (high - low > 12) {
        int32_t pivot = a[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int32_t t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        if (j - low < high - i) {
            sort(a, low, j);
            low = i;
        } else {
            sort(a, i, high);
            high = j;
        }
    }
    for (int i = low + 1; i <= high; i++) {
        int32_t x = a[i];
        int j = i;
        for (; j > low && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

uint32_t kernel(void) {
    uint32_t seed = 7, all = 0;
    for (int i = 0; i < N; i++)
        numbers[i] = (int32_t)next(&seed);
    sort(numbers, 0, N - 1);
    for (int i = 1; i < N; i++)
        all = all * 3 + (uint32_t)numbers[i] + (numbers[i - 1] <= numbers[i]);
    return all;
}
