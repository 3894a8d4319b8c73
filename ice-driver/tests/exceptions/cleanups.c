// Cleanups of C: the unwinder goes up through functions that have some, and ends where a function jumps out. Of libraries it
// needs the unwinder alone.

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

static jmp_buf out;
static struct _Unwind_Exception exception;
static int frames;

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class, struct _Unwind_Exception *object,
                                struct _Unwind_Context *context, void *data) {
  frames++;
  if (actions & _UA_END_OF_STACK || _Unwind_GetCFA(context) >= (uintptr_t)data) longjmp(out, 1);
  return _URC_NO_REASON;
}

__attribute__((noinline)) static void raise_until(void *frame, int depth) {
  if (depth & 1) return;
  memset(&exception, 0, sizeof exception);
  _Unwind_ForcedUnwind(&exception, stop, frame);
  abort();
}

static void say(int *number) { printf("cleanup %d\n", *number); }
static void say_double(double *number) { printf("cleanup %.3f\n", *number); }

__attribute__((noinline)) static double middle(void *frame, int depth, double a, double b) {
  double kept = a * b, more = a - b;
  __attribute__((cleanup(say_double))) double mine = a + b;
  if (depth > 0) {
    __attribute__((cleanup(say))) int number = depth * 10;
    mine += middle(frame, depth - 1, a + 1, b * 2) * kept;
    number++;
    raise_until(frame, depth);
  } else {
    raise_until(frame, depth);
  }
  return mine * more;
}

__attribute__((noinline)) static int deep(void *frame, int size, int depth) {
  // An object of unknown size, and one that is large.
  char buffer[size], large[20000];
  memset(buffer, depth, (size_t)size);
  memset(large, depth, sizeof large);
  __attribute__((cleanup(say))) int number = size;
  double result = middle(frame, depth, size, 0.5);
  return (int)result + buffer[size / 2] + large[777] + number;
}

int main(void) {
  for (int i = 0; i < 6; i++) {
    // What is unwound ends below this frame.
    char here[2];
    volatile int kept = i * 1000;
    frames = 0;
    if (!setjmp(out))
      printf("returned %d\n", deep(here + 1, 10 + 100 * i, i));
    else
      printf("jumped out of %s frames, %d\n", frames > 2 ? "some" : "few", kept);
  }
}
