/* Thread pointer, threads and futexes.
 *
 * A thread of the program is a detached host thread (so that the C library works in it) that
 * switches to the stack the program gave. The host thread's own stack is small and used only before
 * and after. thread_exit goes back to the host's stack *before* it clears the program's stack flag.
 * The words a new host thread needs lie below the top of the program's stack, which may be
 * clobbered before the start function runs, or with the thread's segment: no allocation, no hand-shake.
 *
 * A futex word is 32 bits in program memory; deadlines are absolute on the real-time clock, as in
 * FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME.
 */
#include "runtime.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#ifdef ICE_SEGMENTS
__thread struct ice_thread *ice_own_thread;
#else
__thread struct ice_thread ice_thread;
#endif

u32 __ice_read_tp(void) {
    return ice_own()->pointer;
}

i32 irt_tls_init(u32 value) {
    ice_own()->pointer = value;
    return 0;
}

u32 irt_tls_get(void) {
    return ice_own()->pointer;
}

_Noreturn void irt_exit(i32 status) {
    _exit(status);
}

/* Runs the program's main thread; comes back only when pexe_start returns. */
u32 ice_run_main(u32 info, u32 stack_top) {
    u32 left = ice_run_on_stack(ice_start_address(), info, stack_top & ~(u32)15, &ice_own()->host_stack);
    if (left) {
        /* The main thread ended by thread_exit: the other threads go on, and the process ends with
         * the last of them. pthread_exit would unwind, for which a static program lacks the code. */
        syscall(SYS_exit, 0);
    }
    return 0;
}

/* Where a new thread finds what it needs: below the top of its stack, or with its segment. */
#ifdef ICE_SEGMENTS
static void *claim_start(u32 sp) {
    (void)sp;
    return ice_claim_segment();
}

static void begin_segment(void *start) {
    ice_begin_segment(start);
}

static void release_start(void *start) {
    ice_release_segment(start);
}
#else
static void *claim_start(u32 sp) {
    return guest(sp - 16);
}

static void begin_segment(void *start) {
    (void)start;
}

static void release_start(void *start) {
    (void)start;
}
#endif

static void *host_thread(void *argument) {
    struct ice_start start;
    memcpy(&start, argument, sizeof start);
    begin_segment(argument);
#ifdef ICE_SANDBOX
    u8 signal_stack[ICE_SIGNAL_STACK];
    ice_begin_thread(signal_stack, sizeof signal_stack);
#endif
    ice_own()->pointer = start.thread_pointer;
    if (!ice_run_on_stack(start.function, 0, start.sp, &ice_own()->host_stack)) {
        abort(); /* a start function never returns */
    }
    release_start(argument);
    return NULL;
}

static i32 create_host_thread(void *start) {
#ifdef ICE_SANDBOX
    enum { HOST_STACK_BYTES = 256 << 10 }; /* functions of tables run here */
#else
    enum { HOST_STACK_BYTES = 64 << 10 };
#endif
    size_t bytes = HOST_STACK_BYTES;
    if (bytes < (size_t)PTHREAD_STACK_MIN) {
        bytes = (size_t)PTHREAD_STACK_MIN;
    }
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        return pexe_errno(error);
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, bytes);
    error = pthread_create(&thread, &attributes, host_thread, start);
    pthread_attr_destroy(&attributes);
    return error == 0 ? 0 : pexe_errno(error);
}

i32 irt_thread_create(u32 function, u32 stack_top, u32 pointer) {
    u32 sp = stack_top & ~(u32)15; /* programs pass tops that are 8 modulo 16 */
    struct ice_start start = {function, pointer, sp};
    void *kept = claim_start(sp);
    if (kept == NULL) {
        return PEXE_EAGAIN;
    }
    memcpy(kept, &start, sizeof start);
    i32 error = create_host_thread(kept);
    if (error != 0) {
        release_start(kept);
    }
    return error;
}

/* The identifier must be there before the thread runs, and must not change on failure. */
i32 irt_thread_create_with_id(u32 function, u32 stack_top, u32 pointer, u32 id) {
    static u32 last_id; /* the main thread is 0 */
    u32 before = get_u32(id);
    put_u32(id, __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED));
    i32 error = irt_thread_create(function, stack_top, pointer);
    if (error != 0) {
        put_u32(id, before);
    }
    return error;
}

_Noreturn void irt_thread_exit(u32 stack_flag) {
    ice_leave_stack(stack_flag, ice_own()->host_stack);
}

i32 irt_thread_nice(i32 nice) {
    (void)nice;
    return 0;
}

/* One FUTEX_WAIT_BITSET; 0 or a host error number. A 32-bit host has the call with 64-bit times
 * since Linux 5.1; before, seconds are clamped to 31 bits. */
static int futex_wait_once(u32 *word, u32 value, const struct timespec_guest *deadline) {
    const int op = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
    const u32 any = FUTEX_BITSET_MATCH_ANY;
#ifdef SYS_futex_time64
    if (syscall(SYS_futex_time64, word, op, value, deadline, NULL, any) == 0) {
        return 0;
    }
    if (errno != ENOSYS) {
        return errno;
    }
#endif
#ifdef SYS_futex
    struct {
        long seconds, nanoseconds;
    } host, *limit = NULL;
    if (deadline != NULL) {
        host.seconds = deadline->seconds > LONG_MAX ? LONG_MAX : (long)deadline->seconds;
        host.nanoseconds = (long)deadline->nanoseconds;
        limit = &host;
    }
    return syscall(SYS_futex, word, op, value, limit, NULL, any) == 0 ? 0 : errno;
#else
    return ENOSYS;
#endif
}

i32 ice_futex_wait(u32 *word, u32 value, const struct timespec_guest *deadline) {
    if (deadline != NULL && deadline->seconds < 0) { /* the host would call this invalid */
        u32 now = __atomic_load_n(word, __ATOMIC_SEQ_CST);
        return now == value ? PEXE_ETIMEDOUT : PEXE_EAGAIN;
    }
    int error;
    do {
        error = futex_wait_once(word, value, deadline);
    } while (error == EINTR);
    return error == 0 ? 0 : pexe_errno(error);
}

/* Gives the number of threads woken, or a negative error number. */
i32 ice_futex_wake(u32 *word, i32 count) {
    const int op = FUTEX_WAKE | FUTEX_PRIVATE_FLAG;
#ifdef SYS_futex
    long woken = syscall(SYS_futex, word, op, count, NULL, NULL, 0);
#else
    long woken = syscall(SYS_futex_time64, word, op, count, NULL, NULL, 0);
#endif
    return woken < 0 ? -pexe_errno(errno) : (i32)woken;
}

/* Reads a timespec of the program; 0 or EINVAL. */
i32 ice_read_deadline(u32 timespec, struct timespec_guest *deadline) {
    deadline->seconds = get_i64(timespec);
    deadline->nanoseconds = (i32)get_u32(timespec + 8);
    return deadline->nanoseconds >= 0 && deadline->nanoseconds < 1000000000 ? 0 : PEXE_EINVAL;
}

i32 irt_futex_wait_abs(u32 address, i32 value, u32 timespec) {
    struct timespec_guest deadline;
    if (timespec == 0) {
        return ice_futex_wait(guest(address), (u32)value, NULL);
    }
    i32 error = ice_read_deadline(timespec, &deadline);
    return error != 0 ? error : ice_futex_wait(guest(address), (u32)value, &deadline);
}

i32 irt_futex_wake(u32 address, i32 wake, u32 woken) {
    i32 count = ice_futex_wake(guest(address), wake);
    if (count < 0) {
        return -count;
    }
    put_u32(woken, (u32)count);
    return 0;
}
