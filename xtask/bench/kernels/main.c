// Calls the kernel and prints what it gives.
#include "kernel.h"
#include <stdio.h>

int main(void) {
    printf("%08x\n", (unsigned)kernel());
    return 0;
}
