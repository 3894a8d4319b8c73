/* Sorts 1000 pseudo-random 64-bit numbers and prints the sum of each times its place, modulo 2^64. */
#include "host.h"

enum { COUNT = 1000 };

static long long numbers[COUNT];

/* Quicksort with the last number as pivot (Lomuto's partition). */
static void sort(long long *first, long long *end) {
    if (end - first < 2)
        return;
    long long *place = first, pivot = end[-1];
    for (long long *number = first; number < end - 1; number++) {
        if (*number < pivot) {
            long long smaller = *number;
            *number = *place;
            *place++ = smaller;
        }
    }
    end[-1] = *place;
    *place = pivot;
    sort(first, place);
    sort(place + 1, end);
}

static int run(int argc, char **argv) {
    /* A linear congruential sequence; the multiplier is Knuth's, of MMIX. */
    unsigned long long state = 2021, sum = 0;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = state = state * 6364136223846793005u + 1442695040888963407u;
    sort(numbers, numbers + COUNT);
    for (int i = 0; i < COUNT; i++) {
        if (i > 0 && numbers[i - 1] > numbers[i]) {
            static const char unsorted[] = "not sorted\n";
            print(2, unsorted, sizeof unsorted - 1);
            return 1;
        }
        sum += (unsigned long long)numbers[i] * (i + 1);
    }
    print_number(sum);
    return 0;
}
