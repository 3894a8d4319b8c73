#include <stdio.h>

#define CHECK(x) do { if (!(x)) { printf("extended.c:%d: %s\n", __LINE__, #x); failures++; } } while (0)
static int failures;

int ice_extended(long double *, long double *, long double *);

int main(void) {
  long double a = 11, b = 2, root = (a - b) / b, got;
  __asm__("fsqrt" : "+t"(root));
  root = (float)(double)root;
  CHECK(ice_extended(&a, &b, &got) == 0 && got == (root + b) * a);
  CHECK(ice_extended(&b, &a, &got) == 0x100 && got != got);
  CHECK(ice_extended(&b, &b, &got) == 0x4000 && got == b * b);
  a = __builtin_nanl("");
  CHECK(ice_extended(&a, &b, &got) == 0x4500);
  return failures;
}
