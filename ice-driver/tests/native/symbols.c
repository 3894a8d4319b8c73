#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHECK(x) do { if (!(x)) { printf("symbols.c:%d: %s\n", __LINE__, #x); failures++; } } while (0)
static int failures;

int c_variable = 31;
int c_array[5] = {1, 20, 300, 4000, 50000};
int c_twice(int x) { return 2 * x; }
int c_name(void) { return 123; }
extern int ice_variable, ice_common, ice_weak, entry1, entry2;
extern char ice_middle[];
extern const void *const ice_table[6];
int ice_step(int), ice_alias(int), ice_weak_alias(int), ice_inline(int);
int ice_placed(void), ice_absent(void), ice_constructed(void), ice_distance(void);
int ice_data(size_t), ice_copies(void *, void *, size_t);
#ifndef SHARED
extern int __start_ice_entries[], __stop_ice_entries[];
#endif

int main(void) {
  CHECK(ice_variable == 42 && ice_weak == 1 && ice_common == 0);
  CHECK(ice_step(1) == 2 && ice_alias(2) == 3 && ice_weak_alias(3) == 4);
  CHECK(strcmp(ice_table[0], "private") == 0);
  CHECK(ice_table[1] == &c_array[2]);
  CHECK(ice_table[2] == (void *)ice_alias && ice_table[3] == (void *)c_twice);
#ifndef SHARED // where the executable has a copy of the variable, but not of its middle
  CHECK(ice_table[4] == (char *)&ice_variable + 1 && ice_middle == ice_table[4]);
#endif
  CHECK(ice_table[5] == 0);
  CHECK(ice_constructed() == 77);
  int expected[] = {0, 5, 4, 6, 20, 6, -94};
  for (int i = 0; i < 7; i++) CHECK(ice_inline(i) == expected[i]);
  CHECK(ice_placed() == 123);
#ifndef SHARED
  CHECK((uintptr_t)ice_placed % 64 == 0);
  CHECK(__stop_ice_entries - __start_ice_entries == 2);
#endif
  CHECK(entry1 == 10 && entry2 == 0);
  CHECK(ice_absent() == 31);
  ice_common = 1000000;
  CHECK(ice_data(1) == 7 + 1000000 + 1 + 4000 + 20 + 9);
  CHECK(ice_distance() == 1);
  int to[64] = {5}, from[64] = {6};
  CHECK(ice_copies(to, from, sizeof to) == 0x03030303 - 5);
  return failures != 0;
}
