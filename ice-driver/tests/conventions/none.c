// Functions of preserve_none in two halves of a program, compiled with and without HALF: an interpreter whose handlers jump to
// each other and keep its state in registers, and calls with arguments of all kinds.

#include <stdio.h>

#define NONE __attribute__((preserve_none))
#define JUMP __attribute__((musttail)) return

struct pair {
  long a, b, c;
};
typedef float quad __attribute__((vector_size(16)));
typedef long handler(const unsigned char *at, long *top, long a, int n, double d) NONE;

extern handler *const handlers[4];
NONE long many(long a, int b, long c, unsigned d, void *e, long f, long g, long h, long i, long j, long k, long l, long m,
               int n, long o);
NONE double floats(float a, long b, double c, quad d, double e, int f, double g, double h, double i, double j, double k);
NONE struct pair structure(long a, int b);
NONE void nothing(int *places);
NONE __int128 wide(long a, long b);
NONE _Bool small(int a);

#ifdef HALF

static NONE long end(const unsigned char *at, long *top, long a, int n, double d) {
  return a + n + (long)(d * 4) + top[0];
}
static NONE long push(const unsigned char *at, long *top, long a, int n, double d) {
  *++top = a;
  a = *at++ * n;
  JUMP handlers[*at++ & 3](at, top, a, n + 1, d);
}
static NONE long add(const unsigned char *at, long *top, long a, int n, double d) {
  a += *top--;
  JUMP handlers[*at++ & 3](at, top, a, n, d * 1.25);
}
static NONE long call(const unsigned char *at, long *top, long a, int n, double d) {
  int places[4] = {n, 1, 2, 3};
  nothing(places);
  a += printf("%d %d %ld\n", places[0], places[3], a);
  JUMP handlers[*at++ & 3](at, top, a, places[0], d);
}
handler *const handlers[4] = {end, push, add, call};

NONE long many(long a, int b, long c, unsigned d, void *e, long f, long g, long h, long i, long j, long k, long l, long m,
               int n, long o) {
  return a + 3 * b + 5 * c + 7L * d + 11 * (long)e + 13 * f + 17 * g + 19 * h + 23 * i + 29 * j + 31 * k + 37 * l + 41 * m +
         43 * n + 47 * o;
}
NONE double floats(float a, long b, double c, quad d, double e, int f, double g, double h, double i, double j, double k) {
  return a + 2 * b + 3 * c + 4 * d[1] + 5 * d[3] + 6 * e + 7 * f + 8 * g + 9 * h + 10 * i + 11 * j + 12 * k;
}
NONE struct pair structure(long a, int b) {
  struct pair pair = {a, b, a * b};
  return pair;
}
NONE void nothing(int *places) {
  places[0] += places[1] + places[2];
  __asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory");
}
NONE __int128 wide(long a, long b) { return (__int128)a << 40 | b; }
NONE _Bool small(int a) { return a > 3; }

#else

static __attribute__((noinline)) long use(long a, long b, long c, long d, long e, long f) {
  int places[4] = {1, 2, 3, 4};
  nothing(places);
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + places[0];
}

int main(int count, char **words) {
  static const unsigned char code[] = {3, 1, 5, 1, 7, 2, 3, 1, 9, 1, 9, 2, 2, 0};
  long stack[20] = {100};
  printf("%ld\n", handlers[1](code + 1, stack, 1, count + 1, 1.5));
  printf("%ld\n", many(1, 2, 3, 4, (void *)5, 6, 7, 8, 9, 10, 11, 12, 13, count, 15));
  quad q = {1, 2, 3, 4};
  printf("%g\n", floats(1, 2, 3, q, 5, 6, 7, 8, 9, 10, count));
  struct pair pair = structure(7, count);
  printf("%ld %ld %ld\n", pair.a, pair.b, pair.c);
  printf("%ld %d\n", use(count, 2, 3, 4, 5, 6), small(count) + small(7));
  __int128 number = wide(3, 5);
  printf("%lx %lx\n", (long)(number >> 64), (long)number);
  long sum = 0;
  for (int i = 0; i < 100; i++) sum = sum * 3 + use(i, sum, 3, i * i, 5, 6) + many(i, 1, 2, 3, 0, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5);
  printf("%ld\n", sum);
}

#endif
