// Frames and values when an exception comes: what lives across calls, objects of all sizes, loops, results.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <alloca.h>
#include <initializer_list>

typedef float Four __attribute__((vector_size(16)));
typedef long long i64;

__attribute__((noinline)) int fails_if(int n, int bad) {
    if (n == bad)
        throw n;
    return n * 3 + 1;
}
__attribute__((noinline)) double fails_double(double x, int bad) {
    if ((int) x == bad)
        throw x;
    return x * 1.5;
}
__attribute__((noinline)) float fails_float(float x, int bad) {
    if ((int) x == bad)
        throw x;
    return x + 0.25f;
}
__attribute__((noinline)) i64 fails_wide(i64 x, int bad) {
    if (x == bad)
        throw x;
    return x << 33 | x;
}
__attribute__((noinline)) long double fails_long(long double x, int bad) {
    if (x == bad)
        throw (double) x;
    return x / 3;
}
__attribute__((noinline)) bool fails_bool(int x, int bad) {
    if (x == bad)
        throw false;
    return x & 1;
}
__attribute__((noinline)) unsigned char fails_byte(int x, int bad) {
    if (x == bad)
        throw 'c';
    return (unsigned char) (x * 77);
}

struct Small { int a, b; };
struct Pair { double a; i64 b; };
struct Large { int a[20]; };
__attribute__((noinline)) Small small(int n, int bad) { return {fails_if(n, bad), n}; }
__attribute__((noinline)) Pair pair(int n, int bad) { return {fails_double(n, bad), n}; }
__attribute__((noinline)) Large large(int n, int bad) {
    Large result;
    for (int k = 0; k < 20; k++)
        result.a[k] = fails_if(n + k, bad);
    return result;
}
__attribute__((noinline)) int by_value(Large large, Small small, int bad, double x, Pair pair) {
    return fails_if(large.a[3] + small.b, bad) + (int) x + (int) pair.b;
}
__attribute__((noinline)) Four four(Four x, int bad) {
    if ((int) x[1] == bad)
        throw x[2];
    return x * x;
}

// Many values of all kinds live across calls, in the normal way and in the handler.
__attribute__((noinline)) void many(const int *in, int bad) {
    int a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7];
    double p = a * 0.5, q = b * 0.25, r = c * 1.25, s = d * 2.5;
    Four v = {1.f * a, 2.f * b, 3.f * c, 4.f * d}, w = v + v;
    i64 x = (i64) e << 35, y = (i64) f << 36 | g;
    bool t = a < b, u = c < d;
    try {
        a += fails_if(a, bad);
        p += fails_double(b, bad);
        x += fails_wide(c, bad);
        v = four(v, bad);
        b += fails_if(d, bad);
        q += fails_float((float) e, bad);
        t ^= fails_bool(f, bad);
        c += fails_byte(g, bad);
        r += (double) fails_long(h, bad);
        d += fails_if(h + 1, bad);
    } catch (int i) {
        std::printf("int %d: ", i);
    } catch (double i) {
        std::printf("double %g: ", i);
    } catch (float i) {
        std::printf("float %g: ", (double) i);
    } catch (i64 i) {
        std::printf("wide %lld: ", i);
    } catch (bool i) {
        std::printf("bool %d: ", i);
    } catch (...) {
        std::printf("other: ");
    }
    std::printf("%d %d %d %d %d %d %d %d %g %g %g %g %g %g %g %g %lld %lld %d %d\n", a, b, c, d, e, f, g, h, p, q, r, s,
                (double) v[0], (double) v[3], (double) w[1], (double) w[2], x, y, t, u);
}

// Values change in a loop whose calls fail now and then; the handler joins the loop again.
__attribute__((noinline)) int loop(int count, int bad) {
    int sum = 0, failed = 0, last = -1;
    double product = 1;
    for (int n = 0; n < count; n++) {
        try {
            sum += fails_if(n % 7, bad);
            last = n;
            product *= fails_double(n % 5 + 1, bad);
            sum ^= n;
        } catch (int i) {
            failed += i + 1;
            sum -= last;
        } catch (double i) {
            failed += 1000;
            product = i;
            if (n > count - 3)
                break;
        }
    }
    std::printf("%d %d %d %g\n", sum, failed, last, product);
    return sum;
}

// One handler for calls in a loop nest, where values of the loops are wanted.
__attribute__((noinline)) int nest(int n, int bad) {
    int i = 0, j = 0, sum = 0;
    try {
        for (i = 0; i < n; i++)
            for (j = 0; j < i; j++)
                sum += fails_if(i * j, bad);
    } catch (int k) {
        std::printf("at %d %d after %d: %d\n", i, j, sum, k);
        return -sum;
    }
    return sum;
}

struct alignas(64) Aligned { char bytes[64]; };
__attribute__((noinline)) void touch(void *p, std::size_t align) {
    if ((std::size_t) p % align)
        std::printf("not aligned\n");
    std::memset(p, 1, 8);
}

// A frame that is realigned and has objects of unknown size; code behind the handler needs them.
__attribute__((noinline)) int dynamic(int n, int bad) {
    Aligned aligned;
    touch(&aligned, 64);
    int total = 0;
    for (int k = 1; k < n; k++) {
        char *object = (char *) alloca(k * 16);
        std::memset(object, k, k * 16);
        try {
            total += fails_if(k, bad);
            char local[32];
            std::snprintf(local, sizeof local, "%d %d", k, total);
            total += (int) std::strlen(local);
        } catch (int i) {
            char *more = (char *) alloca(i * 8 + 8);
            std::memset(more, 2, i * 8 + 8);
            total += more[i * 8] + 1000;
        }
        total += object[k * 16 - 1];
    }
    aligned.bytes[1] = (char) total;
    return total + aligned.bytes[0] + aligned.bytes[1];
}

// A large frame.
__attribute__((noinline)) int huge(int bad) {
    volatile char bytes[70000];
    bytes[69999] = 5;
    bytes[0] = 1;
    try {
        return fails_if(3, bad) + bytes[69999];
    } catch (int i) {
        return i + bytes[69999] * 100 + bytes[0];
    }
}

// Calls through pointers, with many arguments on the stack.
typedef int Many(int, int, int, int, int, int, int, int, double, Large, int);
__attribute__((noinline)) int takes_many(int a, int b, int c, int d, int e, int f, int g, int h, double x, Large l, int bad) {
    return fails_if(a + b + c + d + e + f + g + h + (int) x + l.a[19], bad);
}
Many *volatile through = takes_many;
__attribute__((noinline)) int indirect(int n, int bad) {
    Large l;
    for (int k = 0; k < 20; k++)
        l.a[k] = n + k;
    int before = n * n;
    try {
        return through(n, 1, 2, 3, 4, 5, 6, 7, 8.5, l, bad);
    } catch (int i) {
        return before * 1000 + i + l.a[4];
    }
}

struct Counter {
    static int live;
    int n;
    Counter(int n, int bad) : n(fails_if(n, bad)) { live++; }
    Counter(const Counter &o) : n(o.n) { live++; }
    ~Counter() { live--; }
};
int Counter::live;

// Cleanups of temporaries in the middle of expressions.
__attribute__((noinline)) int sum_of(Counter a, Counter b, Counter c, int bad) { return fails_if(a.n + b.n + c.n, bad); }
__attribute__((noinline)) int temporaries(int n, int bad) {
    try {
        return sum_of(Counter(n, bad), Counter(n + 1, bad), Counter(n + 2, bad), bad);
    } catch (int i) {
        return -i * 10 - Counter::live;
    }
}

int main() {
    int in[] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int bad = 0; bad < 12; bad++)
        many(in, bad);
    for (int bad = -1; bad < 8; bad++)
        loop(40, bad);
    for (int bad : {-1, 0, 6, 12, 20})
        std::printf("%d\n", nest(7, bad));
    for (int bad = 0; bad < 9; bad++)
        std::printf("%d %d\n", dynamic(8, bad), huge(bad));
    for (int bad = 0; bad < 160; bad += 1) {
        int a = indirect(5, bad), b = temporaries(3, bad);
        if (bad < 20 || a < 0 || b < -10)
            std::printf("%d %d\n", a, b);
    }
    for (int bad = 0; bad < 30; bad++) {
        try {
            Small s = small(2, bad);
            Pair p = pair(4, bad);
            Large l = large(6, bad);
            Four f = four((Four){1, 26, 3, 4}, bad);
            std::printf("%d %d %g %lld %d %g %d\n", s.a, s.b, p.a, p.b, l.a[7], (double) f[1], by_value(l, s, bad, 2.5, p));
        } catch (int i) {
            std::printf("int %d\n", i);
        } catch (double d) {
            std::printf("double %g\n", d);
        } catch (float f) {
            std::printf("float %g\n", (double) f);
        }
    }
    std::printf("%d\n", Counter::live);
    return Counter::live;
}
