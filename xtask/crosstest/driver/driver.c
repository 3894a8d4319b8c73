// Calls every function of the table on both sides with the same arguments and reports where they differ.
//
// usage: DRIVER CALLS SEED [FUNCTION]
//
// Arguments are boundary values, numbers of few bits, floats of every kind, and random bits. A pointer argument
// points into a buffer of its own, at an address that is a multiple of 64, with 64 bytes before it and 384 bytes
// behind it; buffers begin with the same random bytes on both sides and are compared after the call. NaNs are
// equal. A signal during a call is a result, too. Prints "NAME(ARGUMENTS): RIGHT, not WRONG" for each difference.

#include "driver.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

typedef unsigned long long u64;

enum {
    MOST_SCALARS = 256,
    MOST_POINTERS = 6,
    BUFFER = 448,
    BEFORE = 64,          // bytes of the buffer before the address
    MOST_REPORTS = 3,     // of one function
    SECONDS = 20,         // for one function
};

struct kind {
    char letter;
    int bits;
};

// What a call did.
struct side {
    const char *name;
    unsigned char buffers[MOST_POINTERS][BUFFER] __attribute__((aligned(64)));
    union slot results[MOST_SCALARS];
    int damage, signal;
};

static struct side test_side = {"test"}, reference_side = {"reference"};
static sigjmp_buf after_signal;
static volatile int in_call;
static const char *current = "the driver";

// What Rust's core library names and nothing calls where panics end the program.
__attribute__((weak)) void rust_eh_personality(void) { abort(); }

static u64 random_state;

static u64 random_bits(void) {
    // splitmix64
    u64 z = (random_state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static u64 boundary(int bits) {
    u64 one = (u64)1 << (random_bits() % (bits > 64 ? 64 : bits));
    switch (random_bits() % 8) {
    case 0: return 0;
    case 1: return ~(u64)0;
    case 2: return random_bits() % 17 - 8;
    case 3: return one;
    case 4: return one - 1;
    case 5: return ~one;
    case 6: return ((u64)1 << ((bits > 64 ? 64 : bits) - 1)) - random_bits() % 3;
    default: return -one;
    }
}

static u64 random_integer(int bits) {
    u64 choice = random_bits() % 8;
    if (choice < 4) return boundary(bits);
    if (choice < 6) return random_bits() >> random_bits() % 64;
    return random_bits();
}

static double random_double(void) {
    static const double values[] = {
        0.0, 1.0, 2.0, 0.5, 1.5, 2.5, 3.0, 10.0, 0.1, 1e-310, 4.9406564584124654e-324, 2.2250738585072014e-308,
        1.7976931348623157e308, 1.1754943508222875e-38, 1.4012984643248171e-45, 3.4028234663852886e38,
        127.0, 128.0, 255.0, 256.0, 32767.0, 32768.0, 65535.0, 65536.0, 2147483647.0, 2147483648.0, 4294967295.0,
        4294967296.0, 9007199254740993.0, 9223372036854775807.0, 18446744073709551615.0, 8388607.5, 4503599627370495.5,
        __builtin_inf(), __builtin_nan(""), 16777217.0, 0.49999999999999994, 1e300, 1e-300, 3.14159265358979323846,
    };
    double value;
    u64 bits = random_bits(), choice = random_bits() % 8;
    if (choice < 3) value = values[bits % (sizeof values / sizeof *values)];
    else if (choice < 4) value = (double)(long long)random_integer(64);
    else if (choice < 5) value = (double)(int)random_integer(32) / 16;
    else if (choice < 7) value = (double)(bits >> 11) / (double)((u64)1 << (bits % 53));
    else {
        memcpy(&value, &bits, 8);
        if (value != value) value = __builtin_nan("");
    }
    return random_bits() & 1 ? value : -value;
}

static void fill(unsigned char *bytes, unsigned length) {
    for (unsigned i = 0; i + 8 <= length; i += 8) {
        u64 bits = random_bits();
        memcpy(bytes + i, &bits, 8);
    }
}

static unsigned read_kinds(const char *text, struct kind *kinds) {
    unsigned count = 0;
    while (*text) {
        if (count == MOST_SCALARS) {
            printf("%s: too many scalars\n", current);
            exit(2);
        }
        struct kind *kind = &kinds[count++];
        kind->letter = *text++;
        kind->bits = kind->letter == 'i' ? (int)strtol(text, (char **)&text, 10) : 0;
    }
    return count;
}

// Values for all parameters; of pointers, the number of the buffer.
static void choose(const struct kind *kinds, unsigned count, union slot *values) {
    unsigned pointers = 0;
    for (unsigned i = 0; i < count; i++) {
        union slot *value = &values[i];
        memset(value, 0, sizeof *value);
        switch (kinds[i].letter) {
        case 'i':
            value->words[0] = random_integer(kinds[i].bits);
            value->words[1] = kinds[i].bits <= 64 ? random_bits() : random_bits() & 1 ? random_integer(64) : -(value->words[0] >> 63);
            // The same number twice is a boundary of its own.
            if (i > 0 && kinds[i - 1].letter == 'i' && random_bits() % 16 == 0) *value = values[i - 1];
            break;
        case 'f': value->f = (float)random_double(); break;
        case 'd': value->d = random_double(); break;
        case 'x': value->x = random_double(); break;
#ifdef HAS_QUAD
        case 'q':
            // Near a number of the other formats, or with bits that none of them has.
            value->q = random_double();
            if (random_bits() % 2) value->words[0] ^= random_bits() >> random_bits() % 64;
            break;
#endif
        default: value->words[0] = pointers++; break;
        }
        if ((kinds[i].letter == 'f' || kinds[i].letter == 'd') && i > 0 && kinds[i - 1].letter == kinds[i].letter &&
            random_bits() % 16 == 0)
            *value = values[i - 1];
    }
    if (pointers > MOST_POINTERS) {
        printf("%s: too many pointers\n", current);
        exit(2);
    }
}

static void on_signal(int signal) {
    if (!in_call) {
        printf("%s: signal %d outside a call\n", current, signal);
        fflush(stdout);
        _Exit(3);
    }
    siglongjmp(after_signal, signal);
}

#ifdef __arm__
// Mode bits of the FPSCR: with CROSSTEST_FLUSH, scalars treat denormals and NaNs as vectors always do.
unsigned float_mode;

static void set_control(void) { __asm__ volatile("vmsr fpscr, %0" : : "r"(float_mode)); }
#elif defined __mips__
static void set_control(void) { __asm__ volatile("ctc1 $0, $31"); }
#elif defined __aarch64__
static void set_control(void) { __asm__ volatile("msr fpcr, xzr"); }
#else
static void set_control(void) {
    unsigned control = 0x1f80;
    __asm__ volatile("fninit; cld; ldmxcsr %0" : : "m"(control));
}
#endif

static void call(struct side *side, stub *stub, const struct kind *kinds, unsigned count, const union slot *values) {
    static union slot arguments[MOST_SCALARS];
    memcpy(arguments, values, sizeof(union slot) * count);
    for (unsigned i = 0; i < count; i++)
        if (kinds[i].letter == 'p') arguments[i].p = side->buffers[values[i].words[0]] + BEFORE;
    memset(side->results, 0, sizeof side->results);
    side->damage = 0;
    side->signal = sigsetjmp(after_signal, 1);
    if (!side->signal) {
        in_call = 1;
        side->damage = checked_call(stub, arguments, side->results);
    } else {
        set_control();
    }
    in_call = 0;
}

static u64 masked(u64 word, int bits) { return bits >= 64 ? word : bits <= 0 ? 0 : word & (((u64)1 << bits) - 1); }

static int same(struct kind kind, const union slot *a, const union slot *b) {
    switch (kind.letter) {
    case 'i': {
        // Up to 64 bits the stub has extended the value, and both sides must be extended alike.
        int high = kind.bits > 64 ? 1 : 0;
        return a->words[0] == b->words[0] && (!high || a->words[1] == b->words[1]);
    }
    case 'f': return (a->f != a->f && b->f != b->f) || !memcmp(a, b, 4);
    case 'd': return (a->d != a->d && b->d != b->d) || !memcmp(a, b, 8);
    case 'x': return (a->x != a->x && b->x != b->x) || !memcmp(a, b, 10);
#ifdef HAS_QUAD
    case 'q': return (a->q != a->q && b->q != b->q) || !memcmp(a, b, 16);
#endif
    default: {
        // Addresses of the buffers are compared as offsets, others as null or not.
        const unsigned char *p = a->p, *q = b->p;
        for (int i = 0; i < MOST_POINTERS; i++) {
            const unsigned char *test = test_side.buffers[i], *reference = reference_side.buffers[i];
            if (q >= reference && q < reference + BUFFER) return p - test == q - reference;
        }
        return !p == !q;
    }
    }
}

static void print_value(struct kind kind, const union slot *value) {
    switch (kind.letter) {
    case 'i':
        if (kind.bits > 64 && masked(value->words[1], kind.bits - 64))
            printf("0x%llx%016llx", masked(value->words[1], kind.bits - 64), value->words[0]);
        else printf("0x%llx", masked(value->words[0], kind.bits));
        break;
    case 'f': printf("%a", value->f); break;
    case 'd': printf("%a", value->d); break;
    case 'x': printf("%La", value->x); break;
    case 'q': printf("%016llx%016llx", value->words[1], value->words[0]); break;
    default: printf("buffer"); break;
    }
}

static void print_values(const struct kind *kinds, unsigned count, const union slot *values) {
    for (unsigned i = 0; i < count; i++) {
        if (i) printf(", ");
        print_value(kinds[i], &values[i]);
    }
}

static void print_end(const struct side *side, const struct kind *kinds, unsigned count) {
    if (side->signal == SIGPROF) printf("no end");
    else if (side->signal) printf("signal %d", side->signal);
    else if (!count) printf("void");
    else print_values(kinds, count, side->results);
}

static void print_damage(int damage) {
    if (damage & DAMAGE_REGISTERS) printf("; callee-saved registers lost");
    if (damage & DAMAGE_X87) printf("; the x87 stack is not empty");
    if (damage & DAMAGE_CONTROL) printf("; another rounding mode");
    if (damage & DAMAGE_DIRECTION) printf("; direction flag set");
}

// Whether a call differed; prints how.
static int compare(const struct function *f, const struct kind *parameters, unsigned parameter_count,
                   const struct kind *results, unsigned result_count, const union slot *values, unsigned pointers,
                   int report) {
    int differs = test_side.signal != reference_side.signal || test_side.damage;
    for (unsigned i = 0; i < result_count && !differs; i++)
        differs = !same(results[i], &test_side.results[i], &reference_side.results[i]);
    int results_differ = differs;
    int buffer = -1, at = 0;
    for (unsigned i = 0; i < pointers && buffer < 0 && !test_side.signal; i++)
        for (int j = 0; j < BUFFER && buffer < 0; j++)
            if (test_side.buffers[i][j] != reference_side.buffers[i][j]) buffer = (int)i, at = j, differs = 1;
    if (!differs || !report) return differs;
    printf("%s(", f->name);
    print_values(parameters, parameter_count, values);
    printf("): ");
    if (results_differ) {
        print_end(&reference_side, results, result_count);
        printf(", not ");
        print_end(&test_side, results, result_count);
        print_damage(test_side.damage);
    }
    if (buffer >= 0)
        printf("%s byte %d behind pointer %d is 0x%02x, not 0x%02x", results_differ ? ";" : "", at - BEFORE, buffer,
               reference_side.buffers[buffer][at], test_side.buffers[buffer][at]);
    printf("\n");
    fflush(stdout);
    return differs;
}

static u64 seed_of(const char *name, u64 seed) {
    while (*name) seed = (seed ^ (unsigned char)*name++) * 0x100000001b3;
    return seed;
}

int main(int count, char **arguments) {
    static unsigned char stack[65536];
    static struct kind parameters[MOST_SCALARS], results[MOST_SCALARS];
    static union slot values[MOST_SCALARS];
    if (count < 3) return 2;
    unsigned long calls = strtoul(arguments[1], 0, 10), called = 0, tested = 0, different = 0;
    u64 seed = strtoull(arguments[2], 0, 10);
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, 0);

#ifdef __arm__
    if (getenv("CROSSTEST_FLUSH")) float_mode = 3 << 24;
    set_control();
#endif
    for (const struct function *f = functions; f->name; f++) {
        if (count > 3 && strcmp(arguments[3], f->name)) continue;
        current = f->name;
        random_state = seed_of(f->name, seed ^ 0xcbf29ce484222325);
        unsigned parameter_count = read_kinds(f->parameters, parameters);
        unsigned result_count = read_kinds(f->results, results);
        unsigned pointers = 0, reports = 0;
        for (unsigned i = 0; i < parameter_count; i++) pointers += parameters[i].letter == 'p';
        struct itimerval timer = {.it_value = {.tv_sec = SECONDS}};
        setitimer(ITIMER_PROF, &timer, 0);
        // Without parameters one call after another may still differ, because of state.
        unsigned long some = parameter_count ? calls : calls < 4 ? calls : 4;
        for (unsigned long i = 0; i < some; i++) {
            choose(parameters, parameter_count, values);
            for (unsigned j = 0; j < pointers; j++) {
                fill(reference_side.buffers[j], BUFFER);
                memcpy(test_side.buffers[j], reference_side.buffers[j], BUFFER);
            }
            call(&reference_side, f->reference, parameters, parameter_count, values);
            call(&test_side, f->test, parameters, parameter_count, values);
            called++;
            if (compare(f, parameters, parameter_count, results, result_count, values, pointers, reports < MOST_REPORTS))
                reports++;
            if (test_side.signal == SIGPROF || reference_side.signal == SIGPROF) break;
            if (reports && test_side.signal && i > 50) break;
        }
        tested++;
        if (reports) {
            different++;
            if (reports > MOST_REPORTS) printf("%s: %u of %lu calls differ\n", f->name, reports, some);
        }
    }
    printf("%lu functions, %lu calls, %lu differ\n", tested, called, different);
    return different ? 1 : 0;
}
