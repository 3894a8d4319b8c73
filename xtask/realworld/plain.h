// Before all sources of a program that has instructions by name for some machines: it takes its plain functions instead.
// Headers of the system have to know the machine, so they come first.
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef __x86_64__
#undef __i386__
#undef __SSE2__
#undef __ARM_NEON
#undef __ARM_NEON__
