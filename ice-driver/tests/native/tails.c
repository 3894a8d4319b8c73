#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#define CHECK(x) do { if (!(x)) { printf("tails.c:%d: %s\n", __LINE__, #x); failures++; } } while (0)
static int failures, noted;

struct memory { int words[9]; };
// A frame of its own, over that of a caller that has gone.
int c_one(int x) { volatile int frame[20]; for (int i = 0; i < 20; i++) frame[i] = -1; noted += 100; return x * 3 - frame[x & 7] - 1; }
int c_many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  return ((((((((a * 3 + b) * 3 + c) * 3 + d) * 3 + e) * 3 + f) * 3 + g) * 3 + h) * 3 + i) * 3 + j;
}
int64_t c_wide(int64_t x) { return x * 1000000007; }
double c_float(double a, float b) { return a * 2 - b; }
void c_note(int x) { noted += x; }
struct memory c_memory(int x) { struct memory m; for (int i = 0; i < 9; i++) m.words[i] = x + i; return m; }
int c_read(int *x) { volatile int frame[20]; for (int i = 0; i < 20; i++) frame[i] = -1; return *x + frame[3]; }
int c_jump(jmp_buf *to) { volatile int frame[20]; for (int i = 0; i < 20; i++) frame[i] = -1; longjmp(*to, 41); }
static int twice(int x) { return 2 * x; }
int (*c_pointer)(int) = twice;

int ice_one(int), ice_more(int), ice_object(int), ice_address(int), ice_joined(int), ice_again(int);
int ice_same(int, int, int, int, int, int, int, int, int, int);
int ice_other(int, int, int, int, int, int, int, int, int, int);
int64_t ice_wide(int64_t);
double ice_float(double, float);
void ice_unwanted(int), ice_unwanted_float(double, float), ice_joined_all(int);
struct memory ice_memory(int), ice_other_memory(int, struct memory *);

int main(void) {
  CHECK(ice_one(2) == 21);
  CHECK(ice_same(2, 1, 4, 3, 5, 6, 7, 8, 9, 10) == c_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  CHECK(ice_other(10, 9, 8, 7, 6, 5, 4, 3, 2, 1) == c_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  CHECK(ice_more(1) == c_many(1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
  CHECK(ice_wide(-123456789) == -123456789 * INT64_C(1000000007));
  CHECK(ice_float(1.25, 0.5f) == 2.0);
  for (int i = 0; i < 20; i++) ice_unwanted_float(i, 1);
  CHECK(ice_float(3, 1) == 5.0);
  noted = 0;
  ice_unwanted(1);
  CHECK(noted == 100);
  CHECK(ice_memory(5).words[8] == 13);
  struct memory other;
  CHECK(ice_other_memory(7, &other).words[0] == 77 && other.words[0] == 7 && other.words[8] == 15);
  CHECK(ice_object(12) == 11);
  CHECK(ice_address(21) == 42);
  int expected[] = {0, 3, 7, 1, 12};
  for (int i = 0; i < 5; i++) CHECK(ice_joined(i) == expected[i]);
  noted = 0;
  ice_joined_all(2), ice_joined_all(3);
  CHECK(noted == 102);
  CHECK(ice_again(1) == 42);
  return failures != 0;
}
