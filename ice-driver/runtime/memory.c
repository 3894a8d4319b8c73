/* The arena: the address range all memory of the program comes from.
 *
 * Problem: the program's addresses have 32 bits, while a 64-bit host answers mmap far above 4 GiB,
 * and MAP_32BIT knows only one GiB. And no program may map over the host's own code, heap or stack.
 *
 * Method: reserve one large range at start (PROT_NONE, no commit), hand out runs of granules by
 * first fit over a bitmap, and commit by mapping over the reservation. The range begins above the
 * host's brk heap, which the kernel places up to 1 GiB above a non-PIE image, and ends below the
 * last pages of 32 bits. Where it is not free, smaller ranges are tried.
 *
 * Data: one bit a granule, set when it belongs to the program. A granule is the page the program is
 * told of: 4096 bytes, the host's page if that is larger, or ICE_PAGE_SIZE.
 * Invariants: a granule whose bit is clear is mapped PROT_NONE; every granule below `lowest_free`
 * is used; ranges outside of the arena are refused.
 * Cost: one system call a request, and a scan of at most 16384 words.
 */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE /* Linux 4.17; older kernels take the address as a hint */
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MAP_STACK
#define MAP_STACK 0
#endif

/* The program's numbers for mmap; MIPS hosts have another MAP_ANONYMOUS. */
enum {
    PEXE_PROT_READ = 1,
    PEXE_PROT_WRITE = 2,
    PEXE_PROT_EXEC = 4,
    PEXE_MAP_SHARED = 1,
    PEXE_MAP_PRIVATE = 2,
    PEXE_MAP_FIXED = 0x10,
    PEXE_MAP_ANONYMOUS = 0x20,
};

enum { MAX_GRANULES = 1 << 20, GUARD_BYTES = 64 << 10 };
static const u32 NO_RUN = UINT32_MAX;

static u32 granule_shift;   /* log2 of the granule in bytes */
static u32 arena_base;      /* first address */
static u32 granules;        /* number of granules the program may use */
static u32 lowest_free;     /* no free granule below this one */
static u64 used[MAX_GRANULES / 64];
static u32 break_base, break_end, break_now; /* region of sysbrk; 0 until first used */
static pthread_mutex_t arena_lock = PTHREAD_MUTEX_INITIALIZER;

u32 ice_granule(void) {
    return (u32)1 << granule_shift;
}

#ifdef ICE_SANDBOX
/* All of the window behind the program, but for its last 64 KiB. */
static u32 reserve_arena(u32 minimum, u32 *size) {
    *size = (u32)(ICE_WINDOW_BYTES - (64 << 10)) - ice_program_end;
    if (*size < minimum) {
        ice_fatal("no room for the program's stack (see ICE_STACK_SIZE)", "");
    }
    return ice_program_end;
}
#else
/* Reserves [base, base + size); gives 0 when it is not free as a whole. */
static u32 reserve_at(u32 base, u32 size, int extra_flags) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | extra_flags;
    void *got = mmap(guest(base), size, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) {
        return 0;
    }
    u64 address = (uintptr_t)got;
    int accepted = base != 0 ? address == base
                             : address >= GUARD_BYTES && address + size <= 0xffff0000u;
    if (!accepted) {
        munmap(got, size);
        return 0;
    }
    return (u32)address;
}

/* Finds the arena: the favourite ranges first, then any range of 1 GiB, 512 MiB ... 1 MiB. */
static u32 reserve_arena(u32 minimum, u32 *size) {
    static const struct {
        u32 base, end;
    } favourites[] = {
        {0x50000000, 0xefff0000}, /* 64-bit hosts, and 32-bit programs on their kernels */
        {0x60000000, 0xefff0000}, /* above what debugging tools keep at 0x58000000 */
        {0x50000000, 0xa0000000}, /* 32-bit kernels: 3 GiB for a process */
        {0x20000000, 0x60000000}, /* MIPS: 2 GiB for a process */
    };
    for (size_t i = 0; i < sizeof favourites / sizeof favourites[0]; i++) {
        *size = favourites[i].end - favourites[i].base;
        if (*size >= minimum && reserve_at(favourites[i].base, *size, MAP_FIXED_NOREPLACE)) {
            return favourites[i].base;
        }
    }
    for (u32 bytes = 1u << 30; bytes >= 1u << 20; bytes >>= 1) {
        *size = bytes < minimum ? minimum : bytes;
        for (u64 base = 0x10000000; base + *size <= 0xffff0000u; base += 0x04000000) {
            if (reserve_at((u32)base, *size, MAP_FIXED_NOREPLACE)) {
                return (u32)base;
            }
        }
#ifdef MAP_32BIT
        u32 found = reserve_at(0, *size, MAP_32BIT);
#else
        u32 found = reserve_at(0, *size, 0);
#endif
        if (found != 0) {
            return found;
        }
        if (*size == minimum) {
            break;
        }
    }
    ice_fatal("no room for the program below 4 GiB (see ulimit -v, ICE_STACK_SIZE)", "");
}
#endif

static void choose_granule(void) {
    long host = sysconf(_SC_PAGESIZE);
    const char *wanted = getenv("ICE_PAGE_SIZE");
    granule_shift = wanted != NULL && strcmp(wanted, "65536") == 0 ? 16 : 12;
    while (1L << granule_shift < host) {
        granule_shift++;
    }
}

/* Finds the arena and takes its last `top_bytes` for the runtime. Makes them readable and writable
 * but for 64 KiB at each end, and gives their address. `top_bytes` is a multiple of 64 KiB. */
u32 ice_arena_init(u32 top_bytes) {
    choose_granule();
    u32 size;
    u32 start = reserve_arena(top_bytes + (1u << 20), &size);
    u32 mask = ((u32)1 << (granule_shift < 16 ? 16 : granule_shift)) - 1;
    u32 end = (start + size) & ~mask;
    arena_base = (start + mask) & ~mask;
    u32 top = (end - top_bytes) & ~mask;
    granules = (top - arena_base) >> granule_shift;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED;
    void *got = mmap(guest(top + GUARD_BYTES), top_bytes - 2 * GUARD_BYTES,
                     PROT_READ | PROT_WRITE, flags, -1, 0);
    if (got == MAP_FAILED) {
        ice_fatal("cannot allocate the stack: ", strerror(errno));
    }
    return top;
}

/* The bitmap. */

static int is_used(u32 granule) {
    return used[granule / 64] >> (granule % 64) & 1;
}

static void mark(u32 first, u32 count, int in_use) {
    for (u32 i = first; i < first + count;) {
        u32 left = first + count - i;
        u64 bits = ~(u64)0;
        u32 step = 64;
        if (i % 64 != 0 || left < 64) {
            bits = (u64)1 << (i % 64);
            step = 1;
        }
        used[i / 64] = in_use ? used[i / 64] | bits : used[i / 64] & ~bits;
        i += step;
    }
    if (!in_use && first < lowest_free) {
        lowest_free = first;
    } else if (in_use && first == lowest_free) {
        lowest_free = first + count;
    }
}

static int all_used(u32 first, u32 count) {
    for (u32 i = first; i < first + count; i++) {
        if (!is_used(i)) {
            return 0;
        }
    }
    return 1;
}

/* First fit: the lowest run of `count` free granules. */
static u32 find_run(u32 count) {
    u32 run = 0;
    for (u32 i = lowest_free; i < granules;) {
        u64 word = used[i / 64];
        if (i % 64 == 0 && granules - i >= 64 && (word == 0 || word == ~(u64)0)) {
            run = word == 0 ? run + 64 : 0;
            i += 64;
        } else {
            run = is_used(i) ? 0 : run + 1;
            i++;
        }
        if (run >= count) {
            return i - run;
        }
    }
    return NO_RUN;
}

/* Turns an address range of the program into granules, the length rounded up. Gives 0 when the
 * address is not at a granule or the range leaves the arena. */
static int granule_range(u32 address, u32 length, u32 *first, u32 *count) {
    u64 whole = ((u64)length + ice_granule() - 1) >> granule_shift;
    if (address % ice_granule() != 0 || address < arena_base) {
        return 0;
    }
    *first = (address - arena_base) >> granule_shift;
    *count = (u32)whole;
    return *first < granules && whole <= granules - *first;
}

static u32 granule_address(u32 granule) {
    return arena_base + (granule << granule_shift);
}

/* Gives the pages back to the reservation; their content is lost. */
static int unreserve(u32 address, u32 bytes) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return mmap(guest(address), bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED ? -1 : 0;
}

/* Execution is refused silently: no program in this format can use it. */
static int host_prot(i32 prot) {
    return (prot & PEXE_PROT_READ ? PROT_READ : 0) | (prot & PEXE_PROT_WRITE ? PROT_WRITE : 0);
}

static int prot_is_valid(i32 prot) {
    return (prot & ~(PEXE_PROT_READ | PEXE_PROT_WRITE | PEXE_PROT_EXEC)) == 0;
}

static i32 map_locked(u32 at, u32 length, i32 prot, i32 flags, i32 fd, i64 offset) {
    u32 first, count;
    int fixed = (flags & PEXE_MAP_FIXED) != 0;
    if (fixed) {
        if (!granule_range(get_u32(at), length, &first, &count)) {
            return PEXE_EINVAL;
        }
    } else {
        count = (u32)(((u64)length + ice_granule() - 1) >> granule_shift);
        first = find_run(count);
        if (first == NO_RUN) {
            return PEXE_ENOMEM;
        }
    }
    u32 address = granule_address(first);
    int host_flags = MAP_FIXED | (flags & PEXE_MAP_SHARED ? MAP_SHARED : MAP_PRIVATE);
    if (flags & PEXE_MAP_ANONYMOUS) {
        host_flags |= MAP_ANONYMOUS | MAP_NORESERVE;
        fd = -1;
        offset = 0;
    }
    size_t bytes = (size_t)count << granule_shift;
    if (mmap(guest(address), bytes, host_prot(prot), host_flags, fd, offset) == MAP_FAILED) {
        i32 error = pexe_errno(errno);
        if (!fixed) {
            unreserve(address, (u32)bytes);
        }
        return error;
    }
    mark(first, count, 1);
    put_u32(at, address);
    return 0;
}

/* A hint without MAP_FIXED is ignored. */
i32 irt_mmap(u32 at, u32 length, i32 prot, i32 flags, i32 fd, i64 offset) {
    const i32 known = PEXE_MAP_SHARED | PEXE_MAP_PRIVATE | PEXE_MAP_FIXED | PEXE_MAP_ANONYMOUS;
    i32 sharing = flags & (PEXE_MAP_SHARED | PEXE_MAP_PRIVATE);
    if (length == 0 || !prot_is_valid(prot) || (flags & ~known) != 0 ||
        (sharing != PEXE_MAP_SHARED && sharing != PEXE_MAP_PRIVATE)) {
        return PEXE_EINVAL;
    }
    pthread_mutex_lock(&arena_lock);
    i32 error = map_locked(at, length, prot, flags, fd, offset);
    pthread_mutex_unlock(&arena_lock);
    return error;
}

i32 irt_munmap(u32 address, u32 length) {
    u32 first, count;
    if (length == 0 || !granule_range(address, length, &first, &count)) {
        return PEXE_EINVAL;
    }
    pthread_mutex_lock(&arena_lock);
    i32 error = result_of(unreserve(address, count << granule_shift));
    if (error == 0) {
        mark(first, count, 0);
    }
    pthread_mutex_unlock(&arena_lock);
    return error;
}

i32 irt_mprotect(u32 address, u32 length, i32 prot) {
    u32 first, count;
    if (!prot_is_valid(prot) || address % ice_granule() != 0) {
        return PEXE_EINVAL;
    }
    if (!granule_range(address, length, &first, &count)) {
        return PEXE_ENOMEM;
    }
    i32 error = PEXE_ENOMEM;
    pthread_mutex_lock(&arena_lock);
    if (all_used(first, count)) {
        error = result_of(mprotect(guest(address), (size_t)count << granule_shift, host_prot(prot)));
    }
    pthread_mutex_unlock(&arena_lock);
    return error;
}

/* The break of old programs: a quarter of the arena, taken when first asked for. */
static i32 break_init(void) {
    for (u32 count = granules / 4; count != 0; count /= 2) {
        u32 first = find_run(count);
        if (first != NO_RUN) {
            mark(first, count, 1);
            break_base = break_now = granule_address(first);
            break_end = break_base + (count << granule_shift);
            return 0;
        }
    }
    return PEXE_ENOMEM;
}

static u32 round_up(u32 address) {
    return (address + ice_granule() - 1) & ~(ice_granule() - 1);
}

static i32 break_move(u32 wanted) {
    if (wanted < break_base || wanted > break_end) {
        return PEXE_ENOMEM;
    }
    u32 old_limit = round_up(break_now), new_limit = round_up(wanted);
    i32 error = 0;
    if (new_limit > old_limit) {
        error = result_of(
            mprotect(guest(old_limit), new_limit - old_limit, PROT_READ | PROT_WRITE));
    } else if (new_limit < old_limit) {
        error = result_of(unreserve(new_limit, old_limit - new_limit));
    }
    if (error == 0) {
        if (wanted < break_now) { /* what grows back later must be zero again */
            u32 end = new_limit < break_now ? new_limit : break_now;
            memset(guest(wanted), 0, end - wanted);
        }
        break_now = wanted;
    }
    return error;
}

i32 irt_sysbrk(u32 new_break) {
    u32 wanted = get_u32(new_break);
    pthread_mutex_lock(&arena_lock);
    i32 error = break_base == 0 ? break_init() : 0;
    if (error == 0 && wanted != 0) {
        error = break_move(wanted);
    }
    if (error == 0) {
        put_u32(new_break, break_now);
    }
    pthread_mutex_unlock(&arena_lock);
    return error;
}
