/* fasta: repeated and random sequences, written in lines of 60 letters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 60 };
struct letter {
    double chance;
    char letter;
};

static double next_random(double most) {
    static long last = 42;
    last = (last * 3877 + 29573) % 139968;
    return most * last / 139968;
}

static void write_random(const char *title, struct letter *letters, long n) {
    char line[WIDTH + 1];
    double sum = 0;
    for (struct letter *l = letters; l->letter; l++) l->chance = sum += l->chance;
    printf("%s\n", title);
    while (n > 0) {
        long width = n < WIDTH ? n : WIDTH;
        for (long i = 0; i < width; i++) {
            double chance = next_random(1.0);
            struct letter *l = letters;
            while (l->chance < chance && l[1].letter) l++;
            line[i] = l->letter;
        }
        line[width] = '\n';
        fwrite(line, 1, width + 1, stdout);
        n -= width;
    }
}

static void write_repeated(const char *title, const char *text, long n) {
    long length = strlen(text), at = 0;
    printf("%s\n", title);
    while (n > 0) {
        char line[WIDTH + 1];
        long width = n < WIDTH ? n : WIDTH;
        for (long i = 0; i < width; i++) {
            line[i] = text[at];
            at = at + 1 == length ? 0 : at + 1;
        }
        line[width] = '\n';
        fwrite(line, 1, width + 1, stdout);
        n -= width;
    }
}

static const char ALU[] = "GGCCGGGCGCGGTGGCTCACGCCTGTAATCCCAGCACTTTGG"
                          "GAGGCCGAGGCGGGCGGATCACCTGAGGTCAGGAGTTCGAGA"
                          "CCAGCCTGGCCAACATGGTGAAACCCCGTCTCTACTAAAAAT"
                          "ACAAAAATTAGCCGGGCGTGGTGGCGCGCGCCTGTAATCCCA"
                          "GCTACTCGGGAGGCTGAGGCAGGAGAATCGCTTGAACCCGGG"
                          "AGGCGGAGGTTGCAGTGAGCCGAGATCGCGCCACTGCACTCC"
                          "AGCCTGGGCGACAGAGCGAGACTCCGTCTCAAAAA";
static struct letter iub[] = {{0.27, 'a'}, {0.12, 'c'}, {0.12, 'g'}, {0.27, 't'}, {0.02, 'B'}, {0.02, 'D'},
                              {0.02, 'H'}, {0.02, 'K'}, {0.02, 'M'}, {0.02, 'N'}, {0.02, 'R'}, {0.02, 'S'},
                              {0.02, 'V'}, {0.02, 'W'}, {0.02, 'Y'}, {0, 0}};
static struct letter human[] = {{0.3029549426680, 'a'},
                                {0.1979883004921, 'c'},
                                {0.1975473066391, 'g'},
                                {0.3015094502008, 't'},
                                {0, 0}};

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 1000;
    write_repeated(">ONE Homo sapiens alu", ALU, n * 2);
    write_random(">TWO IUB ambiguity codes", iub, n * 3);
    write_random(">THREE Homo sapiens frequency", human, n * 5);
    return 0;
}
