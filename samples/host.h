/* How a sample talks to its host, without a C library: see README.md.

   A sample defines `run`; `_start` finds the host's functions, calls it and ends the program with its result. */

typedef unsigned int word;

static int run(int argc, char **argv);

/* The parts of the host's tables that samples call, at their places. */
static struct {
    void *others_before[4];
    int (*write)(int descriptor, const void *bytes, word length, word *written);
    void *others_after[3];
} fdio;

static struct {
    void (*exit)(int status);
    void *others[5];
} basic;

/* Writes all bytes to a file descriptor, or ends the program. */
static inline void print(int descriptor, const char *bytes, word length) {
    while (length > 0) {
        word written;
        if (fdio.write(descriptor, bytes, length, &written) != 0)
            basic.exit(1);
        bytes += written;
        length -= written;
    }
}

/* Writes a number in decimal and a newline. */
static inline void print_number(unsigned long long number) {
    char text[21];
    word at = sizeof text;
    text[--at] = '\n';
    do {
        text[--at] = '0' + number % 10;
        number /= 10;
    } while (number > 0);
    print(1, text + at, sizeof text - at);
}

/* The argument block: a cleanup function, envc, argc, argv, 0, envp, 0, pairs of a type and a value. */
void _start(word *info) {
    word envc = info[1], argc = info[2];
    for (word *entry = info + 3 + argc + 1 + envc + 1; entry[0] != 0; entry += 2) {
        if (entry[0] == 32) {
            word (*query)(const char *name, void *table, word size) = (word (*)(const char *, void *, word))entry[1];
            if (query("nacl-irt-fdio-0.1", &fdio, sizeof fdio) == sizeof fdio
                && query("nacl-irt-basic-0.1", &basic, sizeof basic) == sizeof basic)
                basic.exit(run(argc, (char **)(info + 3)));
        }
    }
    __builtin_trap();
}
