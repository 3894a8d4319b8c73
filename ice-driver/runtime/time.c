/* Clocks, sleep, random bytes, and the small questions about the host.
 *
 * timespec and timeval are i64 seconds at 0 and i32 nanoseconds or microseconds at 8; the four
 * bytes of padding after them are left alone.
 */
#include "runtime.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

static void put_seconds(u32 at, i64 seconds, long fraction) {
    put_u64(at, (u64)seconds);
    put_u32(at + 8, (u32)fraction);
}

i32 irt_gettod(u32 timeval) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) < 0) {
        return pexe_errno(errno);
    }
    put_seconds(timeval, now.tv_sec, now.tv_nsec / 1000);
    return 0;
}

/* CPU time of the process in microseconds, modulo 2^32. */
i32 irt_clock(u32 ticks) {
    struct timespec used;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) < 0) {
        return pexe_errno(errno);
    }
    put_u32(ticks, (u32)((u64)used.tv_sec * 1000000 + (u64)used.tv_nsec / 1000));
    return 0;
}

i32 irt_nanosleep(u32 request, u32 remaining) {
    i64 seconds = get_i64(request);
    if (sizeof(time_t) == 4 && seconds > INT32_MAX) {
        seconds = INT32_MAX;
    }
    struct timespec wanted = {.tv_sec = (time_t)seconds, .tv_nsec = (i32)get_u32(request + 8)};
    struct timespec left;
    if (nanosleep(&wanted, &left) == 0) {
        return 0;
    }
    if (errno == EINTR && remaining != 0) {
        put_seconds(remaining, left.tv_sec, left.tv_nsec);
    }
    return pexe_errno(errno);
}

i32 irt_sched_yield(void) {
    return result_of(sched_yield());
}

i32 irt_sysconf(i32 name, u32 value) {
    enum { PROCESSORS_ONLINE = 1, PAGE_SIZE_IN_BYTES = 2 };
    if (name == PROCESSORS_ONLINE) {
        /* The C library's own count reads a file into a buffer of kilobytes: too large a frame. */
        unsigned long mask[16] = {0}; /* 512 processors or more */
        long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
        u32 count = 0;
        for (long i = 0; i < bytes / (long)sizeof mask[0]; i++) {
            for (unsigned long bits = mask[i]; bits != 0; bits &= bits - 1) {
                count++;
            }
        }
        put_u32(value, count == 0 ? 1 : count);
        return 0;
    }
    if (name == PAGE_SIZE_IN_BYTES) {
        put_u32(value, ice_granule());
        return 0;
    }
    return PEXE_EINVAL;
}

/* The program's clock numbers 0-3 (real, monotonic, process, thread) are the host's. */
i32 irt_clock_getres(u32 clock, u32 timespec) {
    struct timespec resolution;
    if (clock > 3) {
        return PEXE_EINVAL;
    }
    if (clock_getres((clockid_t)clock, &resolution) < 0) {
        return pexe_errno(errno);
    }
    if (timespec != 0) {
        put_seconds(timespec, resolution.tv_sec, resolution.tv_nsec);
    }
    return 0;
}

i32 irt_clock_gettime(u32 clock, u32 timespec) {
    struct timespec now;
    if (clock > 3) {
        return PEXE_EINVAL;
    }
    if (clock_gettime((clockid_t)clock, &now) < 0) {
        return pexe_errno(errno);
    }
    put_seconds(timespec, now.tv_sec, now.tv_nsec);
    return 0;
}

i32 irt_get_random_bytes(u32 buffer, u32 count, u32 transferred) {
    long got = -1;
    count = clamp_count(buffer, count);
#ifdef SYS_getrandom
    do {
        got = syscall(SYS_getrandom, guest(buffer), (size_t)count, 0);
    } while (got < 0 && errno == EINTR);
#else
    errno = ENOSYS;
#endif
    if (got < 0 && errno == ENOSYS) {
        int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            return pexe_errno(errno);
        }
        got = read(fd, guest(buffer), count);
        int error = errno;
        close(fd);
        errno = error;
    }
    if (got < 0) {
        return pexe_errno(errno);
    }
    put_u32(transferred, (u32)got);
    return 0;
}

i32 irt_getpid(u32 pid) {
    put_u32(pid, (u32)getpid());
    return 0;
}
