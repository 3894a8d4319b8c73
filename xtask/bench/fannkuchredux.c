/* fannkuch-redux: the most flips of prefixes that bring the first number of a permutation to be 1. */
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 7, most = 0, checksum = 0, number = 0, rest = n;
    int permutation[MOST], flipped[MOST], count[MOST];
    if (n < 2 || n > MOST) return 1;
    for (int i = 0; i < n; i++) permutation[i] = i;
    for (;;) {
        for (; rest > 1; rest--) count[rest - 1] = rest;
        if (permutation[0] != 0) {
            int flips = 0, first;
            for (int i = 0; i < n; i++) flipped[i] = permutation[i];
            while ((first = flipped[0]) != 0) {
                for (int low = 0, high = first; low < high; low++, high--) {
                    int kept = flipped[low];
                    flipped[low] = flipped[high];
                    flipped[high] = kept;
                }
                flips++;
            }
            if (flips > most) most = flips;
            checksum += number % 2 ? -flips : flips;
        }
        for (;; rest++) {
            if (rest == n) {
                printf("%d\nPfannkuchen(%d) = %d\n", checksum, n, most);
                return 0;
            }
            int first = permutation[0];
            for (int i = 0; i < rest; i++) permutation[i] = permutation[i + 1];
            permutation[rest] = first;
            if (--count[rest] > 0) break;
        }
        number++;
    }
}
