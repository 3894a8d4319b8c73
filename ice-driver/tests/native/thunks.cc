// Methods with variable arguments that are called through thunks, which hand these on: of several bases, of a virtual base,
// with results in registers and in memory. Needs no library of C++.
#include <stdarg.h>
#include <stdio.h>

struct Pair {
    double first;
    int second;
};

struct Big {
    long long numbers[5];
};

struct Base {
    int id = 1;
    virtual long long ints(int, ...) { return 0; }
    virtual double floats(double, const char *, ...) { return 0; }
    virtual Big mixed(short, float, long long, Pair, int, int, int, double, const char *, ...) { return {}; }
};

struct Other {
    int filler[7] = {};
    virtual int other(...) { return 0; }
};

struct Listed {
    long long sum = 0;
    void list(const char *kinds, va_list arguments) {
        for (; *kinds; ++kinds) {
            switch (*kinds) {
            case 'i': sum = 31 * sum + va_arg(arguments, int); break;
            case 'l': sum = 31 * sum + va_arg(arguments, long long); break;
            case 'd': sum = 31 * sum + (long long)(4 * va_arg(arguments, double)); break;
            case 'p': sum = 31 * sum + *va_arg(arguments, const char *); break;
            case 'D': sum = 31 * sum + (long long)(2 * va_arg(arguments, long double)); break;
            case 's': {
                Pair pair = va_arg(arguments, Pair);
                sum = 31 * sum + (long long)(4 * pair.first) + pair.second;
                break;
            }
            }
        }
    }
};

struct Direct : Other, Base {
    int own = 5;
    long long ints(int count, ...) override {
        va_list arguments;
        va_start(arguments, count);
        long long sum = id + own;
        for (int n = 0; n < count; ++n)
            sum = 7 * sum + va_arg(arguments, int);
        va_end(arguments);
        return sum;
    }
    double floats(double scale, const char *kinds, ...) override {
        va_list arguments;
        va_start(arguments, kinds);
        Listed listed;
        listed.list(kinds, arguments);
        va_end(arguments);
        return scale * listed.sum + own;
    }
    Big mixed(short a, float b, long long c, Pair d, int e, int f, int g, double h, const char *kinds, ...) override {
        va_list arguments;
        va_start(arguments, kinds);
        Listed listed;
        listed.list(kinds, arguments);
        va_end(arguments);
        return {{a + own, (long long)(8 * b) + c, (long long)(4 * d.first) + d.second, e + f + g + (long long)(2 * h), listed.sum}};
    }
};

struct Virtual : Other, virtual Direct {
    long long ints(int count, ...) override {
        va_list arguments;
        va_start(arguments, count);
        long long sum = 100 * id + own;
        for (int n = 0; n < count; ++n)
            sum = 5 * sum - va_arg(arguments, int);
        va_end(arguments);
        return sum;
    }
};

static void use(const char *name, Base *base) {
    printf("%s %lld", name, base->ints(0));
    printf(" %lld", base->ints(3, -1, 2, 300));
    printf(" %lld\n", base->ints(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    printf("%.2f", base->floats(0.5, ""));
    printf(" %.2f", base->floats(1.5, "dddddddddd", 1.0, 2.5, 3.0, 4.25, 5.0, 6.0, 7.0, 8.5, 9.0, 10.0));
    printf(" %.2f\n", base->floats(-1, "idldpiDslidd", 1, 2.5, 3LL, 4.25, "x", 6, 7.5L, Pair{8.25, 9}, 1LL << 33, 10, 11.0, 12.5));
    Pair pair = {2.25, -4};
    Big results[] = {
        base->mixed(-1, 2.5f, 3, pair, 5, 6, 7, 8.5, ""),
        base->mixed(-1, 2.5f, 1LL << 40, pair, 5, 6, 7, 8.5, "lisdddDdddp", -1LL, 2, pair, 1.0, 2.0, 3.0, 4.5L, 5.0, 6.0, 7.0, "y"),
    };
    for (Big &big : results)
        printf("%lld %lld %lld %lld %lld\n", big.numbers[0], big.numbers[1], big.numbers[2], big.numbers[3], big.numbers[4]);
}

int main() {
    Direct direct;
    Virtual around;
    use("direct", &direct);
    use("virtual", &around);
}
