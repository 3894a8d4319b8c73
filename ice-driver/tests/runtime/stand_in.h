/* What a stand-in for translated code needs: 32-bit addresses, the interfaces, and checks.
 *
 * A stand-in behaves as a translated program does: it is entered at pexe_start, keeps every address
 * as a u32, and reaches the host only through the query function. It runs on the runtime's stack,
 * so the addresses of its locals fit in a u32; its globals and functions do because it is linked
 * without PIE. */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* The address of anything, as the program sees it. */
#define A(pointer) ((u32)(uintptr_t)(pointer))
#define P(address) ((void *)(uintptr_t)(u32)(address))

extern i32 __ice_setjmp(u32 buffer) __attribute__((returns_twice));
extern _Noreturn void __ice_longjmp(u32 buffer, i32 value);
extern u32 __ice_read_tp(void);

typedef u32 query_function(u32 name, u32 table, u32 size);
static query_function *query;

/* Entries of the interfaces, by their place in the tables. */
static struct {
    u32 exit, gettod, clock, nanosleep, sched_yield, sysconf;
} basic;
static struct {
    u32 close, dup, dup2, read, write, seek, fstat, getdents;
    u32 fchdir, fchmod, fsync, fdatasync, ftruncate, isatty;
} fdio;
static struct {
    u32 mmap, munmap, mprotect;
} memory;

#define CALL1(entry, a) (((i32(*)(u32))P(entry))((u32)(a)))
#define CALL2(entry, a, b) (((i32(*)(u32, u32))P(entry))((u32)(a), (u32)(b)))
#define CALL3(entry, a, b, c) (((i32(*)(u32, u32, u32))P(entry))((u32)(a), (u32)(b), (u32)(c)))
#define CALL4(entry, a, b, c, d)                                                                   \
    (((i32(*)(u32, u32, u32, u32))P(entry))((u32)(a), (u32)(b), (u32)(c), (u32)(d)))

static i32 call_mmap(u32 at, u32 length, i32 prot, i32 flags, i32 fd, i64 offset) {
    return ((i32(*)(u32, u32, i32, i32, i32, i64))P(memory.mmap))(at, length, prot, flags, fd,
                                                                  offset);
}

static i32 call_seek(i32 fd, i64 offset, i32 whence, u32 new_offset) {
    return ((i32(*)(i32, i64, i32, u32))P(fdio.seek))(fd, offset, whence, new_offset);
}

static i32 call_length(u32 entry, u32 what, i64 length) {
    return ((i32(*)(u32, i64))P(entry))(what, length);
}

static void print(const char *text) {
    u32 wrote;
    CALL4(fdio.write, 1, A(text), strlen(text), A(&wrote));
}

/* Reports a failed check on the output and ends with status 1. */
static void fail(const char *what, u32 line) {
    char number[12];
    int at = 11;
    number[at] = 0;
    do {
        number[--at] = (char)('0' + line % 10);
    } while ((line /= 10) != 0);
    print("line ");
    print(number + at);
    print(": ");
    print(what);
    print("\n");
    CALL1(basic.exit, 1);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail(#condition, __LINE__);                                                            \
        }                                                                                          \
    } while (0)

/* Queries with exactly the size of the table. */
#define QUERY(name, table) query(A("nacl-irt-" name), A(&table), sizeof(table))

static u32 u32_at(const void *base, u32 offset) {
    u32 value;
    memcpy(&value, (const u8 *)base + offset, 4);
    return value;
}

static u64 u64_at(const void *base, u32 offset) {
    u64 value;
    memcpy(&value, (const u8 *)base + offset, 8);
    return value;
}

/* One page or more of fresh memory. */
static u32 new_pages(u32 length) {
    u32 address = 0;
    CHECK(call_mmap(A(&address), length, 3, 0x22, -1, 0) == 0);
    return address;
}

#endif
