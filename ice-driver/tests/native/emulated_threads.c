// Thread-local variables that a library keeps, in two halves of a program: compiled with and without HALF.

#include <pthread.h>
#include <stdio.h>

struct wide {
  char name[3];
  _Alignas(64) long numbers[5];
};

extern __thread int counter;
extern __thread struct wide wide;
__attribute__((weak)) extern __thread int absent;
int *of_other(int step);

#ifdef HALF

__thread int counter = 41;
__thread struct wide wide = {"ab", {1, 2, 3, 4, 5}};
static __thread int own;
static __thread int *pointer = &(int){7};

int *of_other(int step) {
  own += step;
  wide.numbers[step % 5] += own + *pointer;
  return step % 2 ? &own : &counter;
}

#else

static __thread int own = -5;
static __thread char zeros[100];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
  int number = (int)(long)argument;
  static char text[4000];
  for (int i = 0; i < 10; i++) {
    int *place = of_other(number + i);
    *place += own++;
    zeros[i * number % 100]++;
  }
  long sum = 0;
  for (int i = 0; i < 100; i++) sum = 3 * sum + zeros[i];
  for (int i = 0; i < 5; i++) sum = 5 * sum + wide.numbers[i];
  int is_aligned = (unsigned long)&wide.numbers % 64 == 0, phi = 0;
  for (int *p = number > 2 ? &counter : &own; phi < 3; p = &counter) phi += 1 + *p * 0;
  pthread_mutex_lock(&lock);
  snprintf(text, sizeof text, "%d %d %d %ld %s %d", number, counter, own, sum, wide.name, is_aligned);
  puts(text);
  pthread_mutex_unlock(&lock);
  return (void *)sum;
}

int main(void) {
  for (long number = 0; number < 5; number++) {
    pthread_t thread;
    void *result;
    if (pthread_create(&thread, 0, work, (void *)number) || pthread_join(thread, &result)) return 1;
    work((void *)(long)(number + (long)result % 3));
  }
  return 0;
}

#endif
