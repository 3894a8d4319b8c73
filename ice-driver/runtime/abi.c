/* What differs between hosts: error numbers, open flags, and arithmetic helpers.
 *
 * Symbols a translated object may leave undefined, and who defines them:
 *
 *   i386     libgcc: __divdi3 __moddi3 __udivdi3 __umoddi3
 *            __fixsfdi __fixdfdi __fixunssfdi __fixunsdfdi
 *            __floatdisf __floatdidf __floatundisf __floatundidf
 *   AArch64  nothing but what all have
 *   ARM      libgcc: __aeabi_ldivmod __aeabi_uldivmod (quotient r1:r0, remainder r3:r2),
 *            __aeabi_idivmod __aeabi_uidivmod (cores without a divide instruction),
 *            __popcountsi2 __popcountdi2; here: __ice_*_to_* (below), since libgcc's own conversions
 *            take floating-point arguments in integer registers even in hard-float programs
 *   MIPS     libgcc: __divdi3 __moddi3 __udivdi3 __umoddi3 __popcountsi2 __popcountdi2;
 *            here: __ice_*_to_* and __ice_atomic_*_8 (o32 has no 64-bit ll/sc)
 *   all      libm: fmod fmodf; libc: memcpy memmove memset;
 *            here: __ice_setjmp __ice_longjmp __ice_read_tp
 *
 * The divisor is tested by the translated code before it calls: no helper traps. Conversions out of
 * range give some value and do not trap. The 4 x i32 and lane-mask helpers of programs with vectors
 * are left to the back ends to inline.
 */
#include "runtime.h"

#include <fcntl.h>

#ifdef __mips__

/* The program's numbers are those of Linux on x86. 1-34 agree everywhere; MIPS differs beyond. */
i32 pexe_errno(int host) {
    static const struct {
        u16 host, pexe;
    } numbers[] = {
        {EDEADLK, 35},       {ENAMETOOLONG, 36},  {ENOLCK, 37},           {ENOSYS, 38},
        {ENOTEMPTY, 39},     {ELOOP, 40},         {ENOMSG, 42},           {EIDRM, 43},
        {ECHRNG, 44},        {EL2NSYNC, 45},      {EL3HLT, 46},           {EL3RST, 47},
        {ELNRNG, 48},        {EUNATCH, 49},       {ENOCSI, 50},           {EL2HLT, 51},
        {EBADE, 52},         {EBADR, 53},         {EXFULL, 54},           {ENOANO, 55},
        {EBADRQC, 56},       {EBADSLT, 57},       {EBFONT, 59},           {ENOSTR, 60},
        {ENODATA, 61},       {ETIME, 62},         {ENOSR, 63},            {ENONET, 64},
        {ENOPKG, 65},        {EREMOTE, 66},       {ENOLINK, 67},          {EADV, 68},
        {ESRMNT, 69},        {ECOMM, 70},         {EPROTO, 71},           {EMULTIHOP, 72},
        {EDOTDOT, 73},       {EBADMSG, 74},       {EOVERFLOW, 75},        {ENOTUNIQ, 76},
        {EBADFD, 77},        {EREMCHG, 78},       {ELIBACC, 79},          {ELIBBAD, 80},
        {ELIBSCN, 81},       {ELIBMAX, 82},       {ELIBEXEC, 83},         {EILSEQ, 84},
        {EUSERS, 87},        {ENOTSOCK, 88},      {EDESTADDRREQ, 89},     {EMSGSIZE, 90},
        {EPROTOTYPE, 91},    {ENOPROTOOPT, 92},   {EPROTONOSUPPORT, 93},  {ESOCKTNOSUPPORT, 94},
        {EOPNOTSUPP, 95},    {EPFNOSUPPORT, 96},  {EAFNOSUPPORT, 97},     {EADDRINUSE, 98},
        {EADDRNOTAVAIL, 99}, {ENETDOWN, 100},     {ENETUNREACH, 101},     {ENETRESET, 102},
        {ECONNABORTED, 103}, {ECONNRESET, 104},   {ENOBUFS, 105},         {EISCONN, 106},
        {ENOTCONN, 107},     {ESHUTDOWN, 108},    {ETOOMANYREFS, 109},    {ETIMEDOUT, 110},
        {ECONNREFUSED, 111}, {EHOSTDOWN, 112},    {EHOSTUNREACH, 113},    {EALREADY, 114},
        {EINPROGRESS, 115},  {ESTALE, 116},       {EDQUOT, 122},          {ENOMEDIUM, 123},
        {ECANCELED, 125},    {EOWNERDEAD, 130},   {ENOTRECOVERABLE, 131}, {EDEADLOCK, 35},
    };
    if (host <= 34) {
        return host;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].host == host) {
            return numbers[i].pexe;
        }
    }
    return 5; /* EIO: a number the program has no name for */
}

#else

i32 pexe_errno(int host) {
    return host;
}

#endif

/* Open flags bit by bit: MIPS and ARM hosts have other values. O_LARGEFILE comes with
 * _FILE_OFFSET_BITS. Flags the program's ABI does not have are dropped. */
int host_open_flags(u32 flags) {
    static const struct {
        u32 pexe;
        int host;
    } bits[] = {
        {0x40, O_CREAT},     {0x80, O_EXCL},    {0x200, O_TRUNC},  {0x400, O_APPEND},
        {0x800, O_NONBLOCK}, {0x1000, O_SYNC},  {0x2000, O_ASYNC}, {0x10000, O_DIRECTORY},
        {0x80000, O_CLOEXEC},
    };
    int host = (int)(flags & 3);
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        if (flags & bits[i].pexe) {
            host |= bits[i].host;
        }
    }
    return host;
}

#if defined(__arm__) || defined(__mips__)

/* Conversions between 64-bit integers and floating point, with the platform's own convention:
 * on ARM hard-float s0 or d0 against r1:r0. */

i64 __ice_f32_to_i64(float value);
i64 __ice_f64_to_i64(double value);
u64 __ice_f32_to_u64(float value);
u64 __ice_f64_to_u64(double value);
float __ice_i64_to_f32(i64 value);
double __ice_i64_to_f64(i64 value);
float __ice_u64_to_f32(u64 value);
double __ice_u64_to_f64(u64 value);

i64 __ice_f32_to_i64(float value) {
    return (i64)value;
}
i64 __ice_f64_to_i64(double value) {
    return (i64)value;
}
u64 __ice_f32_to_u64(float value) {
    return (u64)value;
}
u64 __ice_f64_to_u64(double value) {
    return (u64)value;
}
float __ice_i64_to_f32(i64 value) {
    return (float)value;
}
double __ice_i64_to_f64(i64 value) {
    return (double)value;
}
float __ice_u64_to_f32(u64 value) {
    return (float)value;
}
double __ice_u64_to_f64(u64 value) {
    return (double)value;
}

#endif

#if defined(__mips__)

#include <sched.h>

/* 64-bit atomics under one spin lock; loads and stores take it too, or they would see halves. */

static u32 atomic_lock;

static void lock_atomics(void) {
    for (u32 spins = 1; __atomic_exchange_n(&atomic_lock, 1, __ATOMIC_SEQ_CST) != 0; spins++) {
        if (spins % 128 == 0) {
            sched_yield(); /* the holder may wait for this processor */
        }
    }
}

static void unlock_atomics(void) {
    __atomic_store_n(&atomic_lock, 0, __ATOMIC_SEQ_CST);
}

/* Gives the old value and stores `replacement`, an expression over `old` and `value`. */
#define ATOMIC_8(name, replacement)                                                                \
    u64 name(u32 address, u64 value) {                                                             \
        lock_atomics();                                                                            \
        u64 old = (u64)get_i64(address);                                                           \
        put_u64(address, replacement);                                                             \
        unlock_atomics();                                                                          \
        return old;                                                                                \
    }

ATOMIC_8(__ice_atomic_exchange_8, value)
ATOMIC_8(__ice_atomic_add_8, old + value)
ATOMIC_8(__ice_atomic_sub_8, old - value)
ATOMIC_8(__ice_atomic_and_8, old & value)
ATOMIC_8(__ice_atomic_or_8, old | value)
ATOMIC_8(__ice_atomic_xor_8, old ^ value)

u64 __ice_atomic_load_8(u32 address) {
    lock_atomics();
    u64 value = (u64)get_i64(address);
    unlock_atomics();
    return value;
}

void __ice_atomic_store_8(u32 address, u64 value) {
    lock_atomics();
    put_u64(address, value);
    unlock_atomics();
}

/* Gives the old value; equal to `expected` means that `desired` was stored. */
u64 __ice_atomic_cmpxchg_8(u32 address, u64 expected, u64 desired) {
    lock_atomics();
    u64 old = (u64)get_i64(address);
    if (old == expected) {
        put_u64(address, desired);
    }
    unlock_atomics();
    return old;
}

#endif
