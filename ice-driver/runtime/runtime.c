/* The whole runtime as one translation unit, so that a build starts the compiler once. The files
 * also compile one by one. */
#include "runtime.h"

#include "abi.c"
#include "confine.c"
#include "faults.c"
#include "fdio.c"
#include "filename.c"
#include "irt.c"
#include "memory.c"
#ifdef ICE_SANDBOX
#include "sandbox.c"
#include "segments.c"
#endif
#include "start.c"
#include "sync.c"
#include "thread.c"
#include "time.c"
