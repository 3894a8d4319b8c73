// What becomes calls of libraries: code that is written and then runs, powers of long double, fractions and exponents. Also
// where the variables of a thread are.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#if defined __x86_64__ || defined __i386__
static const unsigned char answer[] = {0xb8, 42, 0, 0, 0, 0xc3}; // mov $42, %eax; ret
enum { NUMBER = 1 };
#elif defined __arm__
static const unsigned char answer[] = {42, 0, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1}; // mov r0, #42; bx lr
enum { NUMBER = 0 };
#elif defined __aarch64__
static const unsigned char answer[] = {0x40, 0, 0, 0x18, 0xc0, 3, 0x5f, 0xd6, 42, 0, 0, 0}; // ldr w0, 1f; ret; 1: .word 42
enum { NUMBER = 8 };
#else
static const unsigned char answer[] = {8, 0, 0xe0, 3, 42, 0, 2, 0x24}; // jr $ra; li $v0, 42
enum { NUMBER = 4 };
#endif

static int written(unsigned char number) {
    static unsigned char *code;
    if (!code)
        code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, answer, sizeof answer);
    code[NUMBER] = number;
    __builtin___clear_cache((char *)code, (char *)code + sizeof answer);
    return ((int (*)(void))code)();
}

__attribute__((noinline)) long double power(long double a, int n) { return __builtin_powil(a, n); }
__attribute__((noinline)) double power_double(double a, int n) { return __builtin_powi(a, n); }

__attribute__((noinline)) double fraction(double a, int *n) { return __builtin_frexp(a, n); }
__attribute__((noinline)) float fraction_float(float a, int *n) { return __builtin_frexpf(a, n); }
__attribute__((noinline)) long double fraction_long(long double a, int *n) { return __builtin_frexpl(a, n); }

static __thread int own = 3;

int main(void) {
    printf("%ld\n", (long)((char *)&own - (char *)__builtin_thread_pointer()));
    for (int i = 0, n, m; i < 8; i++) {
        double large = fraction(power_double(-1e9, i), &n);
        float small = fraction_float(1e-5f * i, &m);
        printf("%.17g %d %.9g %d\n", large, n, small, m);
        long double odd = fraction_long(power(-3.7L, 5 * i) / 3, &m);
        printf("%.20Lg %d\n", odd, m);
        printf("%d %.17g %.20Lg %.20Lg\n", written(31 * i), power_double(-1.5, i), power(1.1L * i, 3 - i), power(-2, i));
    }
}
