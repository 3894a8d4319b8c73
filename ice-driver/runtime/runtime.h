/* The runtime of a translated .pexe: C over the host's libc, one page of assembly a target.
 *
 * A .pexe brings its own C library. It imports nothing and exports `_start`, which arrives here as
 * the global `pexe_start(u32 info)`. All it wants from outside it asks of one query function by
 * name, and gets a table of function addresses (an "interface", see irt.c).
 *
 *   start.c     main(): arena, stack, information block, the call of pexe_start
 *   irt.c       the query function and the catalogue of interfaces
 *   fdio.c memory.c thread.c time.c filename.c sync.c    the functions behind the tables
 *   confine.c   what the process gives up before the program begins
 *   abi.c       numbers and helpers that differ between hosts
 *   i386.S x86_64.S aarch64.S arm.S mips.S    stack switch, setjmp, longjmp
 *   sandbox.c   the loader of confined programs, in place of a program that is linked (ICE_SANDBOX)
 *   faults.c    what is said when such a program is stopped
 *   segments.c  its segments, on x86-32
 *   runtime.c   all the C files as one translation unit
 *
 * Data: every address of the program is a u32, on 64-bit hosts too; `guest()` is the only way from
 * one to a C pointer. Every structure shared with the program is written field by field at a fixed
 * offset, because the host's C layout differs (i386 packs 8-byte members at 4, the program at 8).
 *
 * Invariants: a function behind a table gives 0 or a positive error number in the program's
 * numbering, and stores results only when it gives 0. It may run on a program's thread stack of a
 * few KiB, so its frame stays below half a KiB, and it never calls stdio. Nothing here uses malloc.
 */
#ifndef ICE_RUNTIME_H
#define ICE_RUNTIME_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
/* 64-bit file offsets and times on 32-bit hosts too; must precede every system header. */
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

/* Confined code of x86-32 is held by segments, one of which each thread has for itself. */
#if defined(ICE_SANDBOX) && defined(__i386__)
#define ICE_SEGMENTS 1
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* Error numbers the runtime itself gives, in the program's numbering (that of Linux on x86). */
enum {
    PEXE_EBADF = 9,
    PEXE_EAGAIN = 11,
    PEXE_ENOMEM = 12,
    PEXE_EBUSY = 16,
    PEXE_EINVAL = 22,
    PEXE_EMFILE = 24,
    PEXE_EOVERFLOW = 75,
    PEXE_ETIMEDOUT = 110,
};

/* Program memory. Accesses go through memcpy: the program may pass unaligned addresses. */

#ifdef ICE_SANDBOX
extern u8 *ice_window; /* sandbox.c */
#ifdef __x86_64__
static const u64 ICE_WINDOW_BYTES = (u64)1 << 32;
#else
static const u64 ICE_WINDOW_BYTES = (u64)1 << 30;
#endif

/* Where in its window an address of the program is. Beyond its end there is on x86-32 what is at its beginning, which is
 * nothing: segments end there. On ARM code takes the address as one in the window, and so do its calls. */
static inline u32 ice_offset(u32 address) {
#ifdef __i386__
    return address < ICE_WINDOW_BYTES ? address : 0;
#else
    return address & (u32)(ICE_WINDOW_BYTES - 1);
#endif
}

static inline void *guest(u32 address) {
    return ice_window + ice_offset(address);
}
#else
static const u64 ICE_WINDOW_BYTES = (u64)1 << 32;

static inline u32 ice_offset(u32 address) {
    return address;
}

static inline void *guest(u32 address) {
    return (void *)(uintptr_t)address;
}
#endif

static inline void put_u16(u32 address, u16 value) {
    memcpy(guest(address), &value, sizeof value);
}

static inline void put_u32(u32 address, u32 value) {
    memcpy(guest(address), &value, sizeof value);
}

static inline void put_u64(u32 address, u64 value) {
    memcpy(guest(address), &value, sizeof value);
}

static inline u32 get_u32(u32 address) {
    u32 value;
    memcpy(&value, guest(address), sizeof value);
    return value;
}

static inline i64 get_i64(u32 address) {
    i64 value;
    memcpy(&value, guest(address), sizeof value);
    return value;
}

/* A byte count that does not run past the end of the program's addresses. */
static inline u32 clamp_count(u32 address, u32 count) {
    u64 left = ICE_WINDOW_BYTES - ice_offset(address);
    return count > left ? (u32)left : count;
}

/* abi.c */
i32 pexe_errno(int host);
int host_open_flags(u32 flags);

/* The result of a host call that gives a negative number and errno on failure. */
static inline i32 result_of(long host_result) {
    return host_result < 0 ? pexe_errno(errno) : 0;
}

/* Where the program finds a function of the runtime, and where the program begins. */
#ifdef ICE_SANDBOX
enum { ICE_SIGNAL_STACK = 64 << 10 };
extern u32 ice_program_end, ice_text_end;
u32 ice_entry_address(void (*function)(void));
u32 ice_start_address(void);
void ice_begin_thread(void *stack, size_t bytes);
void ice_sandbox_init(void);
int ice_is_halt(u32 place);
void ice_faults_init(void);
#else
extern void pexe_start(u32 info); /* the translated program */

static inline u32 ice_entry_address(void (*function)(void)) {
    return (u32)(uintptr_t)function;
}

static inline u32 ice_start_address(void) {
    return (u32)(uintptr_t)&pexe_start;
}
#endif

/* start.c */
_Noreturn void ice_fatal(const char *what, const char *detail);
void ice_write_error(const char *const *parts, int count);
int ice_switch_is_on(const char *variable);

#ifdef __mips__ /* abi.c */
u64 __ice_atomic_load_8(u32 address);
void __ice_atomic_store_8(u32 address, u64 value);
u64 __ice_atomic_exchange_8(u32 address, u64 value);
u64 __ice_atomic_add_8(u32 address, u64 value);
u64 __ice_atomic_sub_8(u32 address, u64 value);
u64 __ice_atomic_and_8(u32 address, u64 value);
u64 __ice_atomic_or_8(u32 address, u64 value);
u64 __ice_atomic_xor_8(u32 address, u64 value);
u64 __ice_atomic_cmpxchg_8(u32 address, u64 expected, u64 desired);
#endif

/* memory.c */
u32 ice_arena_init(u32 top_bytes);
u32 ice_granule(void);

/* confine.c */
void ice_confine(void);

/* fdio.c */
extern const char ice_no_path[1]; /* the empty path of fstat, the only one that the filter lets through */

/* thread.c */
struct ice_thread {
    u32 pointer;          /* the program's thread pointer */
    u32 second;           /* of NaCl's own library; 0 */
    uintptr_t host_stack; /* the host's stack pointer while the program runs */
    uintptr_t kept;       /* for the assembly */
#ifdef ICE_SEGMENTS
    u32 code;     /* the selector of the program's code: with `kept` before it a far address */
    u32 selector; /* of the segment that is these words */
#endif
};
#ifdef ICE_SEGMENTS
extern __thread struct ice_thread *ice_own_thread;
static inline struct ice_thread *ice_own(void) {
    return ice_own_thread;
}

/* segments.c */
extern u32 ice_program_code, ice_program_data, ice_host_data, ice_host_tls;
void ice_segments_init(void);
struct ice_start *ice_claim_segment(void);
void ice_begin_segment(struct ice_start *start);
void ice_release_segment(struct ice_start *start);
#else
extern __thread struct ice_thread ice_thread;
static inline struct ice_thread *ice_own(void) {
    return &ice_thread;
}
#endif
struct ice_start { /* of a new thread */
    u32 function;
    u32 thread_pointer;
    u32 sp;
};
u32 ice_run_main(u32 info, u32 stack_top);
struct timespec_guest {
    i64 seconds;
    i64 nanoseconds;
};
i32 ice_futex_wait(u32 *word, u32 value, const struct timespec_guest *deadline);
i32 ice_futex_wake(u32 *word, i32 count);
i32 ice_read_deadline(u32 timespec, struct timespec_guest *deadline);
u32 __ice_read_tp(void);

/* The assembly of the target.
 *
 * ice_run_on_stack calls the program's `function(argument)` with the stack pointer at `sp` (a
 * multiple of 16) and keeps the host's stack pointer in `*saved`. It gives 0 when the function
 * returned, and 1 when ice_leave_stack(flag, *saved) ended it: that goes back to the host's stack
 * first and only then stores 0 at `flag` (if `flag` is not 0), because from that store on another
 * thread may free the program's stack. */
u32 ice_run_on_stack(u32 function, u32 argument, u32 sp, uintptr_t *saved);
_Noreturn void ice_leave_stack(u32 flag, uintptr_t saved);
i32 __ice_setjmp(u32 buffer) __attribute__((returns_twice));
_Noreturn void __ice_longjmp(u32 buffer, i32 value);

/* irt.c */
u32 irt_query(u32 name, u32 table, u32 table_size);
void ice_irt_init(void);

/* The functions behind the tables, in the order of the catalogue (irt.c). Parameters named like a
 * result are addresses where it is stored. */

_Noreturn void irt_exit(i32 status);
i32 irt_gettod(u32 timeval);
i32 irt_clock(u32 ticks);
i32 irt_nanosleep(u32 request, u32 remaining);
i32 irt_sched_yield(void);
i32 irt_sysconf(i32 name, u32 value);

i32 irt_close(i32 fd);
i32 irt_dup(i32 fd, u32 new_fd);
i32 irt_dup2(i32 fd, i32 new_fd);
i32 irt_read(i32 fd, u32 buffer, u32 count, u32 transferred);
i32 irt_write(i32 fd, u32 buffer, u32 count, u32 transferred);
i32 irt_seek(i32 fd, i64 offset, i32 whence, u32 new_offset);
i32 irt_fstat(i32 fd, u32 stat);
i32 irt_getdents(i32 fd, u32 buffer, u32 count, u32 transferred);
i32 irt_fchdir(i32 fd);
i32 irt_fchmod(i32 fd, u32 mode);
i32 irt_fsync(i32 fd);
i32 irt_fdatasync(i32 fd);
i32 irt_ftruncate(i32 fd, i64 length);
i32 irt_isatty(i32 fd, u32 is_terminal);

i32 irt_mmap(u32 address, u32 length, i32 prot, i32 flags, i32 fd, i64 offset);
i32 irt_munmap(u32 address, u32 length);
i32 irt_mprotect(u32 address, u32 length, i32 prot);
i32 irt_sysbrk(u32 new_break);

i32 irt_tls_init(u32 thread_pointer);
u32 irt_tls_get(void);
i32 irt_thread_create(u32 function, u32 stack_top, u32 thread_pointer);
i32 irt_thread_create_with_id(u32 function, u32 stack_top, u32 thread_pointer, u32 id);
_Noreturn void irt_thread_exit(u32 stack_flag);
i32 irt_thread_nice(i32 nice);
i32 irt_futex_wait_abs(u32 address, i32 value, u32 deadline);
i32 irt_futex_wake(u32 address, i32 wake, u32 woken);

i32 irt_clock_getres(u32 clock, u32 timespec);
i32 irt_clock_gettime(u32 clock, u32 timespec);
i32 irt_get_random_bytes(u32 buffer, u32 count, u32 transferred);
i32 irt_getpid(u32 pid);

i32 irt_open(u32 path, u32 flags, u32 mode, u32 new_fd);
i32 irt_stat(u32 path, u32 stat);
i32 irt_mkdir(u32 path, u32 mode);
i32 irt_rmdir(u32 path);
i32 irt_chdir(u32 path);
i32 irt_getcwd(u32 buffer, u32 length);
i32 irt_unlink(u32 path);
i32 irt_truncate(u32 path, i64 length);
i32 irt_lstat(u32 path, u32 stat);
i32 irt_link(u32 old_path, u32 new_path);
i32 irt_rename(u32 old_path, u32 new_path);
i32 irt_symlink(u32 target, u32 link_path);
i32 irt_chmod(u32 path, u32 mode);
i32 irt_access(u32 path, i32 mode);
i32 irt_readlink(u32 path, u32 buffer, u32 count, u32 transferred);
i32 irt_utimes(u32 path, u32 timevals);
i32 irt_open_resource(u32 name, u32 new_fd);

i32 irt_mutex_create(u32 handle);
i32 irt_mutex_destroy(i32 handle);
i32 irt_mutex_lock(i32 handle);
i32 irt_mutex_unlock(i32 handle);
i32 irt_mutex_trylock(i32 handle);
i32 irt_cond_create(u32 handle);
i32 irt_cond_destroy(i32 handle);
i32 irt_cond_signal(i32 handle);
i32 irt_cond_broadcast(i32 handle);
i32 irt_cond_wait(i32 handle, i32 mutex);
i32 irt_cond_timed_wait_abs(i32 handle, i32 mutex, u32 deadline);
i32 irt_sem_create(u32 handle, i32 value);
i32 irt_sem_destroy(i32 handle);
i32 irt_sem_post(i32 handle);
i32 irt_sem_wait(i32 handle);

#endif
