#include "soft-float.h"

static double difference(float a, double b) { return a - b; }

// The line of the first check that fails.
int caller(void) {
#define CHECK(x) if (!(x)) return __LINE__
  CHECK(mixed(1, 2, 3, 4, 5, 6, 7, (V2){8, 9}) == 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81);
  CHECK(late(10, 4, 3, 2.5, 1, 4) == 13.75);
  V4 v = vectors((V4){1, 2, 3, 4}, 5, (V4){6, 7, 8, 9}, (V2){10, 11});
  CHECK(v[0] == 11 && v[1] == 24 && v[2] == 35 && v[3] == 35);
  v = split(2, 1, (V4){1, 2, 3, 4});
  CHECK(v[0] == 1 && v[1] == 3 && v[2] == 5 && v[3] == 7);
  V2 h = half((V2){1.5, -2}, 2);
  CHECK(h[0] == 3 && h[1] == -4);
  CHECK(one((struct F1){1.5}).x == 2.5);
  struct F4 f = four(1, (struct F4){2, 3, 4, 5}, 6, (struct D2){7, 8});
  CHECK(f.x == 6 && f.y == 12 && f.z == -4 && f.w == 12);
  struct D2 d = two((struct D2){1, 2}, (struct D2){3, 4});
  CHECK(d.x == -3 && d.y == 6);
  struct M m = memory((struct M){1, 2, 3}, 4);
  CHECK(m.c == 2 && m.d == 6 && m.f == 12);
  double _Complex c = complex(__builtin_complex(1.0, -2.0), 3);
  CHECK(__real__ c == 3 && __imag__ c == -6);
  CHECK(sum(5, 1.0, 2.0, 3.0, 4.0, 5.0) == 12345);
  CHECK(apply(difference, 5) == 9);
  CHECK(whole(-3e9, 4) == -12000000000LL);
  CHECK(rounded(2.5) == 3 && rounded(-2.6) == -3);
  return 0;
}
