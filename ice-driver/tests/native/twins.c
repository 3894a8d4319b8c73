#include <stdio.h>

#define CHECK(x) do { if (!(x)) { printf("twins.c:%d: %s\n", __LINE__, #x); failures++; } } while (0)
static int failures;

int c_replaced(int x) { return x + 100; }
int ice_before(int), ice_all(int), ice_places(void), ice_choice(int, int);
#if defined(SHARED) && !defined(__mips__)
// Not what the library takes.
int ice_count = 1111, ice_zeros[16] = {2222}, ice_third = 4444;
int ice_own(int x) { return 5555 + x; }
int ice_behind(int x) { return 6666 + x; }
int ice_other(int x) { return 7777 + x; }
#endif

int main(void) {
  CHECK(ice_before(2) == 3 * (2 + 5));
  CHECK(ice_all(2) == 3 * (2 + 5) + 5 + 100 + 0 + 3 + 3 + 9 + 1000);
  CHECK(ice_choice(2, 7) == 14 && ice_choice(4, 7) == 4);
#ifndef __mips__ // no distances to what others see
  CHECK(ice_places() == 2);
#endif
  return failures != 0;
}
