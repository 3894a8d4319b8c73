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
double ice_calls_sum(void);
double ice_calls_pointer(double (*)(int, ...));
double ice_sum(int, ...);
double ice_sum_after(int, double, int, ...);

int main(void) {
  CHECK(ice_calls_sum() == c_sum(9, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5, 9, 1.5));
  CHECK(ice_calls_pointer(c_sum) == c_sum(1, 1, 1.5));
  CHECK(ice_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.) ==
        c_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.));
  CHECK(ice_sum(0) == 0);
  CHECK(ice_sum_after(1, 0.5, 10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.) ==
        0.5 + c_sum(10, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., 9, 9., 10, 10.));
  return failures != 0;
}
