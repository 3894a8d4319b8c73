/* Counts words with the C library: calls of it, calls back from it, tables of addresses, static data, variable arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    char text[24];
    int count;
};

static struct word words[32];
static int used, letters, total;

static int compare(const void *a, const void *b) {
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

static void add(const char *text) {
    letters += (int)strlen(text);
    total++;
    for (int n = 0; n < used; n++)
        if (!strcmp(words[n].text, text)) {
            words[n].count++;
            return;
        }
    strncpy(words[used].text, text, sizeof words[used].text - 1);
    words[used++].count = 1;
}

int count_words(const char *text, char *out, size_t size) {
    char *copy = strdup(text), *rest = copy;
    used = letters = total = 0;
    memset(words, 0, sizeof words);
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " "))
        add(word);
    qsort(words, (size_t)used, sizeof *words, compare);
    for (int n = 0, at = 0; n < used; n++)
        at += snprintf(out + at, size - (size_t)at, "%s=%d ", words[n].text, words[n].count);
    free(copy);
    return used;
}

double average_length(void) { return (double)letters / total; }

const char *kind(int number) {
    static const char *const names[] = {"zero", "one", "two", "three", "four", "five"};
    switch (number) {
    case 0: case 1: case 2: case 3: case 4: case 5:
        return names[number];
    default:
        return "many";
    }
}
