// Vectors of 256 bits by value between functions of two objects: PART 0 calls those of PART 1.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int I __attribute__((vector_size(32)));
typedef float F __attribute__((vector_size(32)));
typedef double D __attribute__((vector_size(32)));
typedef long long L __attribute__((vector_size(32)));
typedef signed char C __attribute__((vector_size(32)));
typedef float N __attribute__((vector_size(16)));
typedef struct { D d; } S;
typedef struct { int before; struct { long a; } __attribute__((aligned(64))) inner; } Aligned;

I first(I a);
F mixed(int a, F b, double c, N d, F e, float f);
D many(D a, D b, D c, D d, D e, D f, D g, D h, D i, double j, D k);
S wrapped(S a, L b);
C variable(C a, int count, ...);
N narrow(L a);
L returned(int a);
int compared(F a, F b);
L last(long a, L b);
L jumps(long a, L b);
double live(D *list, int count, D (*each)(D, int));
D each(D a, int n);
int objects(int count, ...);

#if PART == 0
static void show(const char *name, const void *bytes, int size) {
  printf("%s", name);
  for (int i = 0; i < size; i++) printf(" %02x", ((const unsigned char *)bytes)[i]);
  printf("\n");
}
#define SHOW(x) do { __typeof__(x) it = x; show(#x, &it, sizeof it); } while (0)

int main(void) {
  I i = {1, -2, 3, -4, 5, -6, 7, -8};
  F f = {1.5f, 2.5f, -3.5f, 4.25f, 5, 6, 7, -8.75f};
  D d = {1.25, -2.5, 1e300, -4e-300};
  L l = {1LL << 40, -2, 3LL << 50, -4};
  C c;
  for (int n = 0; n < 32; n++) c[n] = (signed char)(n * 37 - 100);
  N n = {1, 2, 3, 4};
  S s = {d};
  SHOW(first(i));
  SHOW(mixed(3, f, 2.5, n, f * f, -1.5f));
  SHOW(many(d, d + 1, d * 2, d, d - 3, d, d + d, d, d * 4, 0.5, d - 8));
  SHOW(wrapped(s, l));
  SHOW(variable(c, 5, 1, c, 2.5, d, f));
  SHOW(narrow(l));
  SHOW(returned(7));
  SHOW(compared(f, f * 2));
  SHOW(jumps(9, l));
  D list[6];
  for (int k = 0; k < 6; k++) list[k] = d * (double)k;
  SHOW(live(list, 6, each));
  SHOW(live(list, 5, each) + live(list, 3, each));
  Aligned a = {3, {5}};
  SHOW(objects(3, a, 7, a));
  L (*volatile pointer)(long, L) = last;
  volatile int bytes = 128;
  // What moves the stack is a multiple of 32 bytes: LLVM 19 does not align it again for such calls.
  char *memory = __builtin_alloca(bytes);
  memset(memory, 1, bytes);
  SHOW(many(d, d + 1, d * 2, d, d - 3, d, d + d, d, d * 4, memory[99], d - 8));
  SHOW(pointer(memory[5], l));
  return 0;
}
#else
I first(I a) { return a * 3 + a[5]; }
F mixed(int a, F b, double c, N d, F e, float f) {
  F sum = b * (float)a + e * (float)c + f;
  for (int n = 0; n < 4; n++) sum[2 * n] += d[n];
  return sum;
}
D many(D a, D b, D c, D d, D e, D f, D g, D h, D i, double j, D k) {
  return a + b * 2 - c * 3 + d * 4 - e + f * 6 - g * 7 + h * 8 - i * 9 + j + k * 11;
}
S wrapped(S a, L b) {
  for (int n = 0; n < 4; n++) a.d[n] += (double)b[n];
  return a;
}
C variable(C a, int count, ...) {
  va_list list;
  va_start(list, count);
  int one = va_arg(list, int);
  C c = va_arg(list, C);
  double two = va_arg(list, double);
  D d = va_arg(list, D);
  F f = va_arg(list, F);
  va_end(list);
  C bits;
  memcpy(&bits, &d, sizeof bits);
  a ^= bits;
  memcpy(&bits, &f, sizeof bits);
  return (a ^ bits) + c * (signed char)(one + count + (int)two);
}
N narrow(L a) {
  N n;
  for (int k = 0; k < 4; k++) n[k] = (float)a[k];
  return n;
}
L returned(int a) { return (L){a, a * 2, a * 3, a * 4}; }
int compared(F a, F b) {
  int bits = 0;
  for (int n = 0; n < 8; n++) bits = bits * 2 + (a[n] < b[n]);
  return bits;
}
L last(long a, L b) { return b + (long long)a; }
L jumps(long a, L b) { return last(a * 2, b); }
D each(D a, int n) { return a * 0.5 + (double)n; }
double live(D *list, int count, D (*each)(D, int)) {
  // Values that live across calls, which preserve no vector register.
  D sum = list[0], other = list[1], more = list[0] + list[1], less = list[1] - list[0];
  for (int n = 0; n < count; n++) {
    D one = each(list[n], n);
    sum += one * other;
    other += each(sum, -n) - more;
    more = less - one;
    less += each(more, n);
  }
  sum += other + more + less;
  return sum[0] + sum[1] * 3 + sum[2] * 1e-300 + sum[3];
}
int objects(int count, ...) {
  va_list list;
  va_start(list, count);
  Aligned a = va_arg(list, Aligned);
  int number = va_arg(list, int);
  Aligned b = va_arg(list, Aligned);
  va_end(list);
  return count + a.before * 10 + (int)a.inner.a * 100 + number * 1000 + (b.before + (int)b.inner.a) * 10000;
}
#endif
