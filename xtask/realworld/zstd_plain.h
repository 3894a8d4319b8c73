// Before all sources of zstd: none takes the instructions by name that it has for x86-64 alone. Headers of the system
// have to know the machine, so they come first.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef __x86_64__
