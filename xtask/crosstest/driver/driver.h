// What the generated table of functions and the driver share.
#ifndef DRIVER_H
#define DRIVER_H

#if defined __aarch64__
#define HAS_QUAD
typedef long double quad;
#elif defined __SIZEOF_FLOAT128__
#define HAS_QUAD
typedef __float128 quad;
#endif

// One scalar, in the low bytes.
union slot {
    unsigned long long words[2];
    unsigned char bytes[16];
    float f;
    double d;
    long double x;
#ifdef HAS_QUAD
    quad q;
#endif
    void *p;
} __attribute__((aligned(16)));

typedef void stub(const union slot *in, union slot *out);

struct function {
    const char *name;
    // Scalars: iN, f, d, x (x86_fp80), p.
    const char *parameters, *results;
    stub *test, *reference;
};

extern const struct function functions[];

// Calls a stub and tells what of the state of the processor it did not keep: bits of enum damage.
int checked_call(stub *stub, const union slot *in, union slot *out);

enum damage { DAMAGE_REGISTERS = 1, DAMAGE_X87 = 2, DAMAGE_CONTROL = 4, DAMAGE_DIRECTION = 8 };

#endif
