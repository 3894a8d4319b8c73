/* The segments of a confined program, on x86-32.
 *
 * Its code makes no difference between addresses, and needs not to: the processor adds the start of a segment to each and
 * compares it with the segment's end. The process has a table of segments of its own, which its threads share:
 *
 *   0       the program's code: the window up to the end of text; it cannot be read by this segment
 *   1       its data and its stack: the window
 *   2, ...  one for each thread that it may have at once: the thread's struct ice_thread, to be read only. Code
 *           that was validated reads its first two words
 *
 * All of them are made before the program begins, since the call that makes them is given up then (confine.c). The table
 * is one page of the system's: what is longer takes it much more time for each entry.
 *
 * Whoever comes from the program has its segments: ice_enter and ice_on_fault (i386.S) load the host's before
 * anything else. Emulators may add starts and not compare ends, so that is tried first.
 */
#include "runtime.h"

#ifdef ICE_SEGMENTS

#include <asm/ldt.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

enum { CODE, DATA, FIRST_THREAD, ENTRIES = 512, PAGE_SHIFT_OF_LIMITS = 12 };
enum { IS_DATA = 0, IS_CODE = 2 }; /* user_desc.contents */

/* A segment that a thread has, or may have, and with what the thread begins. */
static struct slot {
    struct ice_start start; /* first: what is known of a thread that begins is where this is */
    struct ice_thread words;
    u32 is_taken;
} slots[ENTRIES - FIRST_THREAD];

u32 ice_program_code, ice_program_data, ice_host_data, ice_host_tls;

/* In the local table, for programs. */
static u32 selector_of(u32 entry) {
    return entry << 3 | 7;
}

static void set_entry(struct user_desc *entry) {
    const int write_entry = 17;
    if (syscall(SYS_modify_ldt, write_entry, entry, sizeof *entry) != 0) {
        ice_fatal("this system has no segments for confined code of x86-32 (modify_ldt): ", strerror(errno));
    }
}

static void set_pages(u32 entry, u64 bytes, u32 contents) {
    struct user_desc segment = {
        .entry_number = entry,
        .base_addr = (u32)(uintptr_t)ice_window,
        .limit = (u32)(bytes >> PAGE_SHIFT_OF_LIMITS) - 1,
        .limit_in_pages = 1,
        .seg_32bit = 1,
        .contents = contents,
        .read_exec_only = contents == IS_CODE,
        .useable = 1,
    };
    set_entry(&segment);
}

static void set_thread(u32 entry, const struct ice_thread *words) {
    struct user_desc segment = {
        .entry_number = entry,
        .base_addr = (u32)(uintptr_t)words,
        .limit = sizeof *words - 1,
        .seg_32bit = 1,
        .contents = IS_DATA,
        .read_exec_only = 1,
        .useable = 1,
    };
    set_entry(&segment);
}

static sigjmp_buf probe_end;

static void end_probe(int signal) {
    (void)signal;
    siglongjmp(probe_end, 1);
}

/* Whether something that is there and is not in the window can be read with the program's data segment. The stack of
 * signals must not be set yet: the system would take the one that ends this for one that lasts. */
static int reads_outside(void) {
    static const u8 something = 1;
    struct sigaction action = {.sa_handler = end_probe}, before;
    sigaction(SIGSEGV, &action, &before);
    u8 found = 0;
    if (sigsetjmp(probe_end, 1) == 0) {
        u32 offset = (u32)((uintptr_t)&something - (uintptr_t)ice_window);
        __asm__ volatile("mov %1, %%fs\n\tmovb %%fs:(%2), %0" : "=q"(found) : "r"(ice_program_data), "r"(offset));
    } else {
        found = 0;
    }
    __asm__ volatile("mov %0, %%fs" : : "r"(0));
    sigaction(SIGSEGV, &before, NULL);
    return found == something;
}

struct ice_start *ice_claim_segment(void) {
    for (u32 i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        u32 expected = 0;
        if (__atomic_compare_exchange_n(&slots[i].is_taken, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return &slots[i].start;
        }
    }
    return NULL;
}

/* This thread has from here on the segment that was claimed for it. */
void ice_begin_segment(struct ice_start *start) {
    struct slot *slot = (struct slot *)start;
    u32 entry = FIRST_THREAD + (u32)(slot - slots);
    slot->words = (struct ice_thread){.code = ice_program_code, .selector = selector_of(entry)};
    ice_own_thread = &slot->words;
}

void ice_release_segment(struct ice_start *start) {
    struct slot *slot = (struct slot *)start;
    __atomic_store_n(&slot->is_taken, 0, __ATOMIC_RELEASE);
}

void ice_segments_init(void) {
    __asm__("mov %%ds, %0" : "=r"(ice_host_data));
    __asm__("mov %%gs, %0" : "=r"(ice_host_tls));
    ice_program_code = selector_of(CODE);
    ice_program_data = selector_of(DATA);
    set_pages(CODE, ice_text_end, IS_CODE);
    set_pages(DATA, ICE_WINDOW_BYTES, IS_DATA);
    for (u32 i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        set_thread(FIRST_THREAD + i, &slots[i].words);
    }
    if (reads_outside()) {
        ice_fatal("segments have no ends on this system: confined code of x86-32 would not be confined", "");
    }
    ice_begin_segment(ice_claim_segment());
}

#endif
