/* A function for each kind of frame. */
#define alloca __builtin_alloca

struct large {
    char bytes[100000];
};
struct words {
    int words[12];
};

void fill(char *, int);
struct words make(int);
int use(void *, int);
void __attribute__((noreturn)) stop(int);
extern int counter;

int leaf(int x) { return x; }

int pages(int n) {
    struct large object;
    fill(object.bytes, n);
    return object.bytes[n] + n;
}

int pages_and_registers(int n, int m) {
    struct large object;
    fill(object.bytes, n);
    for (int i = 0; i < n; i++)
        m += use(&object, i) * m + counter;
    return object.bytes[n] + m;
}

int unknown_sizes(int n, int m) {
    char *bytes = alloca(n);
    fill(bytes, m);
    for (int i = 0; i < m; i++) {
        char inner[i + 1];
        fill(inner, i);
        n += inner[i];
    }
    return bytes[n] + n;
}

int pages_and_unknown_sizes(int n, int m) {
    struct large object;
    char *bytes = alloca(n);
    fill(bytes, m);
    fill(object.bytes, n);
    return bytes[n] + object.bytes[m];
}

int callees_that_pop(int n) {
    struct words first = make(n), second = make(n + 1);
    return first.words[n] + second.words[3] + use(&first, n) + counter;
}

struct words pops(int n) {
    struct words words = make(n);
    words.words[1] += counter;
    use(&words, n);
    return words;
}

int aligned(int n) {
    _Alignas(64) char bytes[200];
    fill(bytes, n);
    return bytes[n];
}

int stack_arguments(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
    int sum = 0;
    if (a == 1)
        return b;
    for (int k = 0; k < a; k++)
        sum += use(&counter, b) * c + use(0, d) * e - f * g + h * i - j;
    return sum == 3 ? use(0, 1) : sum;
}

int table(int a, int b) {
    switch (a) {
    case 0: return use(0, b);
    case 1: return b + use(0, 3);
    case 2: return leaf(b);
    case 3: counter = 3; return use(0, b) + 1;
    case 4: return 7;
    case 5: return use(0, 0);
    case 6: counter++; break;
    case 7: return b * 3;
    }
    return use(0, 9) + b;
}

void two_ends(int a) {
    if (a > 3) {
        use(0, a);
        return;
    }
    fill(0, a);
}

int no_end(int a) {
    if (a)
        stop(a);
    return use(0, a);
}

#ifdef __x86_64__
#define WINDOWS __attribute__((ms_abi))
#define ALL __attribute__((preserve_all))
#else
#define WINDOWS
#define ALL
#endif

WINDOWS int vectors_of_windows(int n, double x) {
    use(0, n);
    return n * (int)x + use(&n, 3);
}

WINDOWS int vectors_and_unknown_sizes(int n, double x) {
    char *bytes = alloca(n);
    fill(bytes, n);
    return bytes[n] + (int)x;
}

ALL int vectors_and_pages(int n, double x) {
    struct large object;
    fill(object.bytes, n);
    return object.bytes[n] + (int)x;
}

/* Frames behind the entry, with blocks without one before and behind them. */
int around_calls(int n, int m) {
    if (n > m)
        return n * 3;
    int first = use(&counter, n);
    if (first == 7)
        return use(&counter, m) - n;
    return first + use(&counter, first) * m;
}

int around_a_loop(int n, int m) {
    if (n == 0)
        return m;
    do
        m += use(&counter, m) * n;
    while (--n);
    return m;
}

int many_ways(int n, int m) {
    switch (n) {
    case 0: return 7;
    case 3: return counter / m;
    default: {
        int first = use(&counter, n);
        for (int i = 0; i < first; i++)
            m += use(&counter, i) * first;
        return m;
    }
    case 9: counter = m; return m / n;
    }
}
