// Versions of symbols of other objects: the oldest `realpath` gives an error where newer ones allocate, and `memcpy` is called by what
// becomes of assignments.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.0"
#endif

__asm__(".symver memcpy, memcpy@" OLDEST);
__asm__(".symver old_realpath, realpath@@@" OLDEST);
__asm__(".symver nobody_calls_this, nobody_calls_this@" OLDEST);

char *old_realpath(const char *, char *);

struct large {
  int numbers[3000];
};

__attribute__((noinline)) void copy(struct large *to, const struct large *from) { *to = *from; }

int main(int argc, char **argv) {
  struct large first, second;
  for (int i = 0; i < 3000; i++) first.numbers[i] = i * argc;
  copy(&second, &first);
  long sum = 0;
  for (int i = 0; i < 3000; i++) sum += second.numbers[i];
  printf("%ld\n", sum);
  char *(*volatile address)(const char *, char *) = realpath;
  errno = 0;
  char *found = realpath("/", NULL);
  printf("%d %d\n", found == NULL, errno == EINVAL);
  errno = 0;
  found = address("/", NULL);
  printf("%d %d\n", found == NULL, errno == EINVAL);
  errno = 0;
  found = old_realpath("/", NULL);
  printf("%d %d\n", found == NULL, errno == EINVAL);
  char room[4096];
  printf("%s\n", old_realpath("/./", room));
}
