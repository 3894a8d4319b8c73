#include "soft-float.h"
#include <stdarg.h>

float mixed(float a, double b, float c, int d, double e, long long f, float g, V2 h) {
  return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h[0] * 8 + h[1] * 9;
}
double late(int a, int b, int c, double d, float e, double f) { return a - b + c * d + e / f; }
V4 vectors(V4 a, int b, V4 c, V2 d) { return a * c + (V4){b, d[0], d[1], -1}; }
V4 split(int a, int b, V4 c) { return c * (float)a - (float)b; }
V2 half(V2 a, float b) { return a * b; }
struct F1 one(struct F1 a) { return (struct F1){a.x + 1}; }
struct F4 four(float a, struct F4 b, int c, struct D2 d) {
  return (struct F4){a + b.w, b.x * c, b.y - d.x, b.z + d.y};
}
struct D2 two(struct D2 a, struct D2 b) { return (struct D2){a.x - b.y, a.y * b.x}; }
struct M memory(struct M a, float b) { return (struct M){a.c + 1, a.d + b, a.f * b}; }
double _Complex complex(double _Complex a, float b) { return a * b; }
double sum(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int n = 0; n < count; n++) sum = sum * 10 + va_arg(list, double);
  va_end(list);
  return sum;
}
double apply(double (*f)(float, double), double x) { return f(x, x * 2) + f(x * 3, 1); }
long long whole(double x, float y) { return (long long)x * (long long)y; }
double floor(double x) {
  int n = x;
  return n > x ? n - 1 : n;
}
double rounded(double x) { return __builtin_floor(x + 0.5); }

void _exit(int);
void _start(void) { _exit(caller()); }
