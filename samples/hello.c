/* Prints a line. */
#include "host.h"

static int run(int argc, char **argv) {
    static const char line[] = "Hello from a .pexe.\n";
    print(1, line, sizeof line - 1);
    return 0;
}
