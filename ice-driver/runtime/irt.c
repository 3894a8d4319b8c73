/* The query function and the catalogue of interfaces.
 *
 * `query(name, table, size)` copies the interface's function addresses to `table` and gives the
 * size of the interface in bytes; it gives 0, and stores nothing, when the name is unknown or the
 * table too small. Programs take any size but the expected one as "absent", so the number of
 * entries is part of the interface: growing one means a new name.
 *
 * The entries are kept as C function pointers and cut to 32 bits when copied (main() has checked
 * that the image is low). Only functions defined in the executable may stand in a table: in a
 * dynamically linked program the addresses of library functions do not fit in 32 bits.
 */
#include "runtime.h"

typedef void (*entry)(void);
#define ENTRY(function) (entry)(function)

/* Which environment variable opens an interface. */
enum gate { ALWAYS, FILES, SYNC, GATES };

static const char *const gate_variables[GATES] = {NULL, "ICE_FILES", "ICE_SYNC"};
static u8 gate_open[GATES];
static int trace_queries;

static const entry basic[] = {
    ENTRY(irt_exit),      ENTRY(irt_gettod),      ENTRY(irt_clock),
    ENTRY(irt_nanosleep), ENTRY(irt_sched_yield), ENTRY(irt_sysconf),
};
/* 8 entries in 0.1, 13 in 0.2, 14 in 0.3. */
static const entry fdio[] = {
    ENTRY(irt_close),     ENTRY(irt_dup),    ENTRY(irt_dup2),  ENTRY(irt_read),
    ENTRY(irt_write),     ENTRY(irt_seek),   ENTRY(irt_fstat), ENTRY(irt_getdents),
    ENTRY(irt_fchdir),    ENTRY(irt_fchmod), ENTRY(irt_fsync), ENTRY(irt_fdatasync),
    ENTRY(irt_ftruncate), ENTRY(irt_isatty),
};
/* 0.2 begins at 0, 0.3 at 1. */
static const entry memory[] = {
    ENTRY(irt_sysbrk), ENTRY(irt_mmap), ENTRY(irt_munmap), ENTRY(irt_mprotect),
};
static const entry tls[] = {ENTRY(irt_tls_init), ENTRY(irt_tls_get)};
static const entry thread_1[] = {
    ENTRY(irt_thread_create), ENTRY(irt_thread_exit), ENTRY(irt_thread_nice),
};
static const entry thread_2[] = {
    ENTRY(irt_thread_create_with_id), ENTRY(irt_thread_exit), ENTRY(irt_thread_nice),
};
static const entry futex[] = {ENTRY(irt_futex_wait_abs), ENTRY(irt_futex_wake)};
static const entry clock_get[] = {ENTRY(irt_clock_getres), ENTRY(irt_clock_gettime)};
static const entry random_bytes[] = {ENTRY(irt_get_random_bytes)};
static const entry process_id[] = {ENTRY(irt_getpid)};
/* 2 entries in 0.1, 7 in dev-0.2, 16 in dev-0.3. */
static const entry filename[] = {
    ENTRY(irt_open),     ENTRY(irt_stat),   ENTRY(irt_mkdir),    ENTRY(irt_rmdir),
    ENTRY(irt_chdir),    ENTRY(irt_getcwd), ENTRY(irt_unlink),   ENTRY(irt_truncate),
    ENTRY(irt_lstat),    ENTRY(irt_link),   ENTRY(irt_rename),   ENTRY(irt_symlink),
    ENTRY(irt_chmod),    ENTRY(irt_access), ENTRY(irt_readlink), ENTRY(irt_utimes),
};
static const entry resource_open[] = {ENTRY(irt_open_resource)};
static const entry mutex[] = {
    ENTRY(irt_mutex_create), ENTRY(irt_mutex_destroy), ENTRY(irt_mutex_lock),
    ENTRY(irt_mutex_unlock), ENTRY(irt_mutex_trylock),
};
static const entry cond[] = {
    ENTRY(irt_cond_create),    ENTRY(irt_cond_destroy), ENTRY(irt_cond_signal),
    ENTRY(irt_cond_broadcast), ENTRY(irt_cond_wait),    ENTRY(irt_cond_timed_wait_abs),
};
static const entry sem[] = {
    ENTRY(irt_sem_create), ENTRY(irt_sem_destroy), ENTRY(irt_sem_post), ENTRY(irt_sem_wait),
};
/* memory-0.1 alone skips mprotect. */
static const entry memory_1[] = {ENTRY(irt_sysbrk), ENTRY(irt_mmap), ENTRY(irt_munmap)};

static const struct interface {
    const char *name;
    const entry *entries;
    u32 count;
    enum gate gate;
} catalogue[] = {
    {"nacl-irt-basic-0.1", basic, 6, ALWAYS},
    {"nacl-irt-fdio-0.1", fdio, 8, ALWAYS},
    {"nacl-irt-dev-fdio-0.1", fdio, 8, ALWAYS},
    {"nacl-irt-dev-fdio-0.2", fdio, 13, ALWAYS},
    {"nacl-irt-dev-fdio-0.3", fdio, 14, ALWAYS},
    {"nacl-irt-memory-0.1", memory_1, 3, ALWAYS},
    {"nacl-irt-memory-0.2", memory, 4, ALWAYS},
    {"nacl-irt-memory-0.3", memory + 1, 3, ALWAYS},
    {"nacl-irt-tls-0.1", tls, 2, ALWAYS},
    {"nacl-irt-thread-0.1", thread_1, 3, ALWAYS},
    {"nacl-irt-thread-0.2", thread_2, 3, ALWAYS},
    {"nacl-irt-futex-0.1", futex, 2, ALWAYS},
    {"nacl-irt-clock_get-0.1", clock_get, 2, ALWAYS},
    {"nacl-irt-random-0.1", random_bytes, 1, ALWAYS},
    {"nacl-irt-dev-getpid-0.1", process_id, 1, ALWAYS},
    {"nacl-irt-filename-0.1", filename, 2, FILES},
    {"nacl-irt-dev-filename-0.2", filename, 7, FILES},
    {"nacl-irt-dev-filename-0.3", filename, 16, FILES},
    {"nacl-irt-resource-open-0.1", resource_open, 1, FILES},
    {"nacl-irt-mutex-0.1", mutex, 5, SYNC},
    {"nacl-irt-cond-0.1", cond, 6, SYNC},
    {"nacl-irt-sem-0.1", sem, 4, SYNC},
};

/* Reads the switches once, before the program can edit its environment. */
void ice_irt_init(void) {
    for (int gate = 0; gate < GATES; gate++) {
        gate_open[gate] = gate_variables[gate] == NULL || ice_switch_is_on(gate_variables[gate]);
    }
    trace_queries = ice_switch_is_on("ICE_IRT_TRACE");
    /* All that are open have their places before the program has threads; a confined program calls any place that there is. */
    for (size_t i = 0; i < sizeof catalogue / sizeof catalogue[0]; i++) {
        for (u32 j = 0; gate_open[catalogue[i].gate] && j < catalogue[i].count; j++) {
            (void)ice_entry_address(catalogue[i].entries[j]);
        }
    }
}

static void trace_query(const char *name, const struct interface *found, u32 given) {
    const char *parts[8] = {"ice: query ", name};
    int count = 2;
    if (found == NULL) {
        parts[count++] = ": unknown\n";
    } else if (!gate_open[found->gate]) {
        parts[count++] = ": closed, opened by ";
        parts[count++] = gate_variables[found->gate];
        parts[count++] = "=1\n";
    } else {
        parts[count++] = given == 0 ? ": table too small\n" : ": given\n";
    }
    ice_write_error(parts, count);
}

u32 irt_query(u32 name, u32 table, u32 table_size) {
    const char *wanted = guest(name);
    const struct interface *found = NULL;
    for (size_t i = 0; i < sizeof catalogue / sizeof catalogue[0]; i++) {
        if (strcmp(catalogue[i].name, wanted) == 0) {
            found = &catalogue[i];
            break;
        }
    }
    u32 given = 0;
    if (found != NULL && gate_open[found->gate] && found->count * 4 <= table_size) {
        for (u32 i = 0; i < found->count; i++) {
            put_u32(table + i * 4, ice_entry_address(found->entries[i]));
        }
        given = found->count * 4;
    }
    if (trace_queries) {
        trace_query(wanted, found, given);
    }
    return given;
}
