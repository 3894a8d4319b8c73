#include <pthread.h>
#include <stdio.h>

#define CHECK(x) do { if (!(x)) { printf("threads.c:%d: %s\n", __LINE__, #x); failures++; } } while (0)
static int failures;

__thread int c_general = 10;
__thread int c_initial = 20;
extern __thread int ice_general, ice_initial;
int ice_bump(int);
int ice_bump_exec(int);
void *ice_thread(void);

static void *work(void *argument) {
  CHECK(ice_general == 1 && ice_initial == 3);
  CHECK(ice_bump(1) == 2 + 3 + 1 + 11 + 20 + 3);
  CHECK(ice_general == 2 && c_general == 11);
  CHECK(ice_bump(100) == 102 + 103 + 101 + 111 + 20 + 3);
#ifndef SHARED
  CHECK(ice_bump_exec(1) == 5 && ice_bump_exec(1) == 6);
#endif
  CHECK(ice_thread() == __builtin_thread_pointer());
  return argument;
}

int main(void) {
  work(0);
  pthread_t thread;
  CHECK(pthread_create(&thread, 0, work, 0) == 0);
  CHECK(pthread_join(thread, 0) == 0);
  return failures != 0;
}
