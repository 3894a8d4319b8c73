#include <stdarg.h>
#include <stdio.h>

#define CHECK(x) do { if (!(x)) { printf("variadic.c:%d: %s\n", __LINE__, #x); failures++; } } while (0)
static int failures;

// Pairs of int and double.
static double list(int n, va_list args) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += va_arg(args, int) * (i + 1);
    sum += va_arg(args, double) * (i + 100);
  }
  return sum;
}
double c_list(int n, va_list args) { return list(n, args); }
double c_sum(int n, ...) {
  va_list args;
  va_start(args, n);
  double sum = list(n, args);
  va_end(args);
  return sum;
}
double c_sum_behind(int n, long long a, int b, long long c, int d, int e, int f, double g, int h, ...) {
  va_list args;
  va_start(args, h);
  double sum = list(n, args) + a + 2. * b + 3. * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
  va_end(args);
  return sum;
}
// Leaves nothing in the registers of arguments.
double c_spoil(volatile char *frame) {
  for (int i = 0; i < 64; i++) frame[i] = -1;
  return c_sum(9, -1, -1., -1, -1., -1, -1., -1, -1., -1, -1., -1, -1., -1, -1., -1, -1., -1, -1.) * 0;
}
double (*c_pointer)(int, ...) = c_sum;
double ice_calls_sum(void);
double ice_calls_pointer(double (*)(int, ...));
double ice_sum(int, ...);
double ice_sum_after(int, double, int, ...);
double ice_hands_on(int, ...), ice_hands_on_through(int, ...), ice_hands_on_later(int, double, int, ...);
double ice_hands_on_behind(int, long long, int, long long, int, int, int, double, int, ...);

int main(void) {
  CHECK(ice_calls_sum() == c_sum(9, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5));
  CHECK(ice_calls_pointer(c_sum) == c_sum(1, 1, 1.5));
  CHECK(ice_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.) ==
        c_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.));
  CHECK(ice_sum(0) == 0);
  CHECK(ice_sum_after(1, 0.5, 10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.) ==
        0.5 + c_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.));
  CHECK(ice_hands_on(0) == 0);
  CHECK(ice_hands_on(2, 1, 2., 3, 4.) == c_sum(2, 1, 2., 3, 4.));
  CHECK(ice_hands_on(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.) ==
        c_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.));
  CHECK(ice_hands_on_through(3, 1, 2., 3, 4.) == c_sum(2, 1, 2., 3, 4.));
  CHECK(ice_hands_on_through(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.) ==
        c_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.));
  CHECK(ice_hands_on_later(10, 0.5, 1, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.) ==
        0.5 + c_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.));
  CHECK(ice_hands_on_behind(9, 1LL << 33, 3, -4, 5, 6, 7, 0.25, 3, 1, 1.5, 2, 2.5, 3, 3.5) ==
        c_sum_behind(3, -4, 7, 1LL << 33, 6, 5, 3, 0.25, 9, 1, 1.5, 2, 2.5, 3, 3.5));
  return failures != 0;
}
