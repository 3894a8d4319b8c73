/* Prints the primes below N, 100 if not given, by trial division. */
#include "host.h"

/* The number that `text` is, or -1. */
static int parse(const char *text) {
    int number = 0;
    if (*text == 0)
        return -1;
    for (; *text != 0; text++) {
        if (*text < '0' || *text > '9' || number > 99999999)
            return -1;
        number = number * 10 + (*text - '0');
    }
    return number;
}

static int is_prime(int n) {
    for (int divisor = 2; divisor <= n / divisor; divisor++)
        if (n % divisor == 0)
            return 0;
    return 1;
}

static int run(int argc, char **argv) {
    int end = argc > 1 ? parse(argv[1]) : 100;
    if (argc > 2 || end < 0) {
        static const char usage[] = "usage: primes [N]\n";
        print(2, usage, sizeof usage - 1);
        return 1;
    }
    for (int n = 2; n < end; n++)
        if (is_prime(n))
            print_number(n);
    return 0;
}
