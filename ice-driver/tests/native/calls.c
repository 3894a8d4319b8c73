#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#define CHECK(x) do { if (!(x)) { printf("calls.c:%d: %s\n", __LINE__, #x); failures++; } } while (0)
static int failures;

struct Big { int n[10]; };
struct Huge { int n[50]; };

double c_mixed(int a, double b, long long c, float d, int e, int f, double g, int h, int i, int j, long long k,
               float l, double m, double n, double o, double p, double q, double r, int s) {
  return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s;
}
double ice_mixed(int, double, long long, float, int, int, double, int, int, int, long long, float, double, double,
                 double, double, double, double, int);
double ice_calls_mixed(void);

int c_byval(struct Big a, int b, struct Huge c) {
  int sum = b;
  for (int i = 0; i < 10; i++) sum += a.n[i];
  for (int i = 0; i < 50; i++) sum += c.n[i];
  a.n[0] = c.n[0] = 99;
  return sum;
}
int ice_byval(struct Big, int, struct Huge);
int ice_calls_byval(struct Big *, int, struct Huge *);

struct Big c_sret(int a) {
  struct Big big;
  for (int i = 0; i < 10; i++) big.n[i] = a + 1;
  return big;
}
struct Big ice_sret(int);
#ifdef __x86_64__
struct Big *ice_idle_sret(struct Big *, int);
#else
struct Big ice_idle_sret(int);
#endif
int ice_calls_sret(struct Big *, int);

double ice_calls_two_floats(double);
jmp_buf buffer;
int ice_setjmp(jmp_buf, int);
void c_jump(void *b) { longjmp(b, 5); }
_Bool c_bool(int x) { return x > 3; }
int ice_bool(int);
float c_float(int x) { return x / 2.0f; }
float ice_float(int);
int ice_small(signed char, unsigned short, _Bool, unsigned char);
// Nothing links the frames of MIPS, where a function's own begins at what its caller has as its frame.
int ice_frames(void *);
static void *frame_of_caller;
int c_frame(void *frame, void *address) {
  char *from = (char *)ice_frames;
  (void)from;
  return frame == frame_of_caller && address != 0;
}
int ice_dynamic(void *, size_t, int);
int ice_pointer(int (*)(int), int);
static int twice(int x) { return 2 * x; }

#if defined(__x86_64__) || defined(__aarch64__)
struct II { long a, b; };
struct FF { double a, b; };
struct II c_two_ints(long x) { return (struct II){x + 1, x * 10}; }
struct FF c_two_floats(double x) { return (struct FF){x + 1, x * 10}; }
struct II ice_two_ints(long);
struct FF ice_two_floats(double);
double ice_calls_pairs(long);
long c_pairs(int a, int b, int c, int d, int e, __int128 f, int g, __int128 h) {
  return (long)f * 3 - (long)(f >> 64) + g + 7 * (long)h - (long)(h >> 64) + a + b + c + d + e;
}
long ice_pairs(int a, int b, int c, int d, int e, __int128 f, int g, __int128 h);
long ice_calls_wide(void);
static __int128 wide(long lo, long hi) { return (__int128)hi << 64 | (unsigned long)lo; }

static void both(void) {
  struct II c = ice_two_ints(5);
  CHECK(c.a == 10 && c.b == 5);
  struct FF d = ice_two_floats(1.5);
  CHECK(d.a == 3.0 && d.b == 1.5);
  CHECK(ice_pairs(1, 1, 1, 1, 1, wide(1000, 10), 5, wide(10, 1000)) == 990 * 5 - 990);
  CHECK(ice_calls_wide() == c_pairs(1, 1, 1, 1, 1, wide(1000, 10), 5, wide(10, 1000)));
}
#else
typedef float V4 __attribute__((vector_size(16)));
long long c_two_words(int a, int b) { return (long long)(a * b) << 32 | (unsigned)(a + b); }
long long ice_two_words(int, int);
int ice_calls_two_words(int, int);
V4 ice_vectors(V4, V4, V4, V4);

static void both(void) {
  CHECK(ice_two_words(6, 7) == (42LL << 32 | 13));
  CHECK(ice_calls_two_words(6, 7) == 13 * 3 - 42);
  V4 a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, c = {2, 2, 2, 2}, d = {1, 2, 3, 4};
  V4 e = ice_vectors(a, b, c, d);
  CHECK(e[0] == -2 && e[3] == 4);
}
#endif

#if defined(__arm__) || defined(__aarch64__)
struct D3 { double x, y, z; };
struct D3 c_three_doubles(float a, struct D3 b, float c) {
  return (struct D3){a + b.x, b.y * 10, b.z - c};
}
struct D3 ice_three_doubles(float a, struct D3 b, float c);
static void doubles(void) {
  struct D3 d = ice_three_doubles(1, (struct D3){2, 3, 4}, 100), e = c_three_doubles(100, (struct D3){4, 2, 3}, 1);
  CHECK(d.x == e.x && d.y == e.y && d.z == e.z + 2);
}
#endif

#ifdef __arm__
struct I6 { int n[6]; };
int c_six_words(int a, int b, struct I6 c, int d) {
  int sum = a + 10 * b + 7 * d;
  for (int i = 0; i < 6; i++) sum = 3 * sum + c.n[i];
  return sum;
}
int ice_six_words(int a, int b, struct I6 c, int d);

static void only_here(void) {
  both();
  doubles();
  struct I6 c = {{1, 2, 3, 4, 5, 6}}, rotated = {{-2, 1, 2, 3, 4, 5}};
  CHECK(ice_six_words(-1, -2, c, 7) == c_six_words(7, -1, rotated, 6) - 1 - 6);
}
#elif defined(__mips__)
static void only_here(void) { both(); }
#elif defined(__x86_64__)
struct IF { long a; double b; };
struct FI { double a; long b; };
struct IF c_int_float(long x) { return (struct IF){x + 1, x}; }
struct FI c_float_int(long x) { return (struct FI){x + 1, x}; }
struct IF ice_int_float(long);
struct FI ice_float_int(long);

static void only_here(void) {
  both();
  struct IF a = ice_int_float(21);
  CHECK(a.a == 42 && a.b == 21.0);
  struct FI b = ice_float_int(-21);
  CHECK(b.a == -21.0 && b.b == -42);
  struct IF i = c_int_float(7);
  struct FI f = c_float_int(i.a);
  struct II t = c_two_ints(f.b);
  struct FF u = c_two_floats(f.a);
  CHECK(ice_calls_pairs(7) == t.a - t.b + u.b - u.a + i.b);
}
#elif defined(__aarch64__)
struct F4 { float x, y, z, w; };
struct F4 c_four_floats(struct F4 a) { return (struct F4){a.x + 1, a.y * 10, a.z - 7, -a.w}; }
struct F4 ice_four_floats(struct F4 a);

static void only_here(void) {
  both();
  doubles();
  struct F4 d = ice_four_floats((struct F4){2, 3, 4, 5}), e = c_four_floats((struct F4){5, 2, 3, 4});
  CHECK(d.x == 2 * e.x && d.y == 2 * e.y && d.z == 2 * e.z && d.w == 2 * e.w);
  struct II t = c_two_ints(7);
  struct FF u = c_two_floats(t.a);
  CHECK(ice_calls_pairs(7) == t.b - u.b + u.a);
}
#else
#define REGS __attribute__((regparm(3)))
REGS int c_inreg(int a, int b, int c, int d) { return a + 10 * b + 100 * c + 1000 * d; }
REGS int ice_inreg(int, int, int, int);
REGS long long c_inreg_wide(long long a, int b, long long c) { return a * 3 + b - c; }
REGS long long ice_inreg_wide(long long, int, long long);

static void only_here(void) {
  both();
  CHECK(ice_inreg(1, 2, 3, 4) == 20000 + 4321);
  CHECK(ice_inreg_wide(1LL << 33, 7, 5LL << 35) == (15LL << 35) + 7 - (2LL << 33));
}
#endif

int main(void) {
  CHECK(ice_mixed(1, 2.5, 1LL << 40, 4.25f, 5, 6, 7.0, 8, 9, 10, -(1LL << 41), 12.0f, 13, 14, 15, 16, 17, 18.5, 19) ==
        1 + 2.5 + (1LL << 40) + 4.25 + 7.0 + 10 - (1LL << 41) + 18.5 - 19);
  CHECK(ice_calls_mixed() == c_mixed(-3, 2.5, 12345678901, 1.5f, 1000000, -3, 2.5, -3, 1000000, 1000000, 12345678901,
                                     1.5f, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, -3));
  struct Big big;
  struct Huge huge;
  for (int i = 0; i < 10; i++) big.n[i] = i;
  for (int i = 0; i < 50; i++) huge.n[i] = 100 + i;
  CHECK(ice_byval(big, 3, huge) == 9 + 149 - 3);
  CHECK(big.n[9] == 9 && huge.n[49] == 149);
  int expected = c_byval(big, 4, huge) + 9 + 149 - 4;
  CHECK(ice_calls_byval(&big, 4, &huge) == expected);
  CHECK(big.n[9] == 9 && huge.n[49] == 149);
  struct Big result = ice_sret(17);
  CHECK(result.n[0] == 17 && result.n[9] == 17);
  CHECK(ice_calls_sret(&result, 20) == 42 && result.n[5] == 22);
#ifdef __x86_64__
  CHECK(ice_idle_sret(&result, 3) == &result);
#else
  ice_idle_sret(3);
#endif
  CHECK(ice_calls_two_floats(1.25) == 3.75);
  CHECK(ice_setjmp(buffer, 6) == 41);
  CHECK(ice_bool(7) == 1 && ice_bool(2) == 0);
  CHECK(ice_float(5) == 5.0f);
  CHECK(ice_small(-2, 65535, 1, 255) == 65533 * 256);
  frame_of_caller = __builtin_frame_address(0);
  CHECK(ice_frames(0) == 1);
  int words[500] = {41};
  CHECK(ice_dynamic(words, sizeof words, sizeof words) == 42);
  CHECK(ice_pointer(twice, 10) == 40);
  only_here();
  return failures != 0;
}
