/* The second layer: what is left of a user's rights when the program begins.
 *
 * A translated program shares its process with the C library and can jump to any instruction of it, so what the
 * tables leave out is no protection. Here the process gives up, for all its threads and for good, what no
 * function of an open interface needs:
 *
 *   descriptors   all above 2 are closed
 *   Landlock      no file can be opened, or with ICE_FILES only below one directory; no connections
 *   seccomp       a filter lets about forty system calls through, none that makes memory executable,
 *                 changes the image of the program, starts a process or names a file
 *
 * Another call ends the process with SIGSYS and a line that names the call. ICE_TRUST=1 leaves all of this out. Where
 * ICE_CONFINED is set, whoever started the program has confined the process; only descriptors are closed here.
 *
 * Landlock knows no right to change a file's mode and times or to look at them. Mode and times are therefore changed
 * through open files (filename.c). With ICE_FILES the program can see names and records (stat) of other files.
 */
#include "runtime.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
enum { OWN_ARCH = (int)AUDIT_ARCH_X86_64 };
#elif defined(__i386__)
enum { OWN_ARCH = (int)AUDIT_ARCH_I386 };
#elif defined(__arm__)
enum { OWN_ARCH = (int)AUDIT_ARCH_ARM };
#elif defined(__aarch64__)
enum { OWN_ARCH = (int)AUDIT_ARCH_AARCH64 };
#elif defined(__mips__)
enum { OWN_ARCH = (int)AUDIT_ARCH_MIPSEL };
#endif

/* Numbers that headers may lack; they are the same on every machine. */
#define MIPS_BASE(number) ((number) + CALL_BASE)
#ifdef __mips__
enum { CALL_BASE = 4000 };
#else
enum { CALL_BASE = 0 };
#endif
enum {
    CALL_CLONE3 = MIPS_BASE(435),
    CALL_CLOSE_RANGE = MIPS_BASE(436),
    CALL_LANDLOCK_CREATE_RULESET = MIPS_BASE(444),
    CALL_LANDLOCK_ADD_RULE = MIPS_BASE(445),
    CALL_LANDLOCK_RESTRICT_SELF = MIPS_BASE(446),
};

/* Machines with a short history have only the newer one of calls that do the same. */
#ifdef SYS_dup2
enum { DUP_CALL = SYS_dup2 };
#else
enum { DUP_CALL = SYS_dup3 };
#endif

/* Calls that every program may make, with any arguments. */
static const int open_calls[] = {
    SYS_read,           SYS_write,        SYS_writev,          SYS_close,         SYS_dup,
    DUP_CALL,           SYS_lseek,        SYS_getdents64,      SYS_fchdir,        SYS_fchmod,
    SYS_fsync,          SYS_fdatasync,    SYS_ftruncate,       SYS_brk,           SYS_madvise,
    SYS_futex,          SYS_sched_yield,  SYS_nanosleep,       SYS_clock_gettime, SYS_clock_getres,
    SYS_clock_nanosleep, SYS_gettimeofday, SYS_sched_getaffinity, SYS_getpid,     SYS_gettid,
    SYS_exit,           SYS_exit_group,   SYS_rt_sigprocmask,  SYS_rt_sigreturn,  SYS_restart_syscall,
    SYS_set_robust_list,
#ifdef ICE_SANDBOX
    SYS_sigaltstack,
#endif
#ifdef SYS_getrandom
    SYS_getrandom,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS__llseek
    SYS__llseek,        SYS_ftruncate64,  SYS_sigreturn,
#endif
#ifdef SYS_futex_time64
    SYS_futex_time64,   SYS_clock_gettime64, SYS_clock_getres_time64, SYS_clock_nanosleep_time64,
#endif
#ifdef __x86_64__
    SYS_fstat,
#endif
};

/* Calls that name files; Landlock decides about those that open or change one. */
static const int file_calls[] = {
    SYS_openat,    SYS_unlinkat, SYS_mkdirat,   SYS_chdir,      SYS_getcwd,     SYS_linkat,   SYS_renameat,
    SYS_symlinkat, SYS_faccessat, SYS_readlinkat, SYS_truncate,
#ifdef SYS_open
    SYS_open,      SYS_mkdir,    SYS_rmdir,     SYS_unlink,     SYS_link,       SYS_rename,   SYS_symlink,
    SYS_access,    SYS_readlink,
#endif
#ifdef SYS_renameat2
    SYS_renameat2,
#endif
#ifdef SYS_statx
    SYS_statx,
#endif
#ifdef SYS_newfstatat
    SYS_newfstatat,
#ifdef SYS_stat
    SYS_stat,      SYS_lstat,
#endif
#else
    SYS_fstatat64, SYS_stat64,   SYS_lstat64, SYS_fstat64, SYS_truncate64,
#endif
};

#define NAME(call) {SYS_##call, #call}

/* Names of calls that are not in the lists, for the report. */
static const struct {
    int number;
    const char *name;
} names[] = {
    NAME(openat), NAME(execve),  NAME(execveat), NAME(clone),  NAME(mprotect),
    NAME(munmap), NAME(mremap),  NAME(ioctl),  NAME(fcntl),    NAME(kill),
    NAME(tgkill), NAME(ptrace),  NAME(prctl),  NAME(rt_sigaction), NAME(socket), NAME(connect), NAME(bind),
    NAME(mkdirat), NAME(unlinkat), NAME(renameat), NAME(linkat), NAME(symlinkat), NAME(fchmodat), NAME(readlinkat),
    NAME(faccessat), NAME(chdir), NAME(truncate), NAME(mount), NAME(setuid),    NAME(chroot),  NAME(pipe2),
    NAME(utimensat),
#ifdef SYS_open
    NAME(open),   NAME(fork),    NAME(mkdir),  NAME(rmdir),    NAME(unlink),    NAME(rename),  NAME(link),
    NAME(symlink), NAME(chmod),  NAME(readlink), NAME(access), NAME(pipe),
#endif
#ifdef SYS_modify_ldt
    NAME(modify_ldt),
#endif
#ifdef SYS_mmap2
    NAME(mmap2),
#else
    NAME(mmap),
#endif
#ifdef SYS_vfork
    NAME(vfork),
#endif
#ifdef SYS_statx
    NAME(statx),
#endif
};

static const char *name_of(int number) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == number) {
            return names[i].name;
        }
    }
    return NULL;
}

/* Says which call it was, and ends the process by the signal, whose action is the default again. */
void ice_stop(int signal, siginfo_t *info, void *context) {
    (void)context;
    static int is_reported;
    char digits[12];
    char *number = digits + sizeof digits - 1;
    *number = 0;
    unsigned rest = (unsigned)info->si_syscall;
    do {
        *--number = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    const char *name = info->si_arch == (unsigned)OWN_ARCH ? name_of(info->si_syscall) : NULL;
    const char *const parts[] = {
        "ice: the program made system call ", number, name == NULL ? "" : " (", name == NULL ? "" : name,
        name == NULL ? "" : ")", ", which is not open to it, and is stopped\n",
    };
    if (!__atomic_exchange_n(&is_reported, 1, __ATOMIC_RELAXED)) {
        ice_write_error(parts, sizeof parts / sizeof parts[0]);
    }
    syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), signal);
    _exit(128 + signal);
}

#ifdef ICE_SEGMENTS
void ice_on_stop(int signal, siginfo_t *info, void *context); /* i386.S; goes to ice_stop */
#else
#define ice_on_stop ice_stop
#endif

static void report_stops(void) {
    const int flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER;
    struct sigaction action = {.sa_sigaction = ice_on_stop, .sa_flags = flags};
    sigaction(SIGSYS, &action, NULL);
}

static void close_inherited(void) {
    if (syscall(CALL_CLOSE_RANGE, 3u, ~0u, 0u) == 0) {
        return;
    }
    long limit = sysconf(_SC_OPEN_MAX); /* before Linux 5.9 */
    for (int fd = 3; fd < limit; fd++) {
        close(fd);
    }
}

/* Landlock, by the numbers of its interface (linux/landlock.h, which older systems lack). */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_DIR = 1 << 4,
    REMOVE_FILE = 1 << 5,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    MAKE_SYM = 1 << 12,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    PATH_BENEATH = 1,
    GET_VERSION = 1,
};
static const u64 BELOW_DIRECTORY = WRITE_FILE | READ_FILE | READ_DIR | REMOVE_DIR | REMOVE_FILE | MAKE_DIR |
                                   MAKE_REG | MAKE_SYM | REFER | TRUNCATE;

struct ruleset {
    u64 files, connections, scopes;
};

struct path_rule {
    u64 allowed;
    i32 directory;
} __attribute__((packed));

/* Lets nothing be opened but below `directory`, if there is one. Gives 0 where the system cannot. */
static int restrict_files(const char *directory) {
    long version = syscall(CALL_LANDLOCK_CREATE_RULESET, NULL, 0, GET_VERSION);
    if (version < 1) {
        return 0;
    }
    /* Each version brought rights: 13, then 14, 15, 15 and connections, 16, 16 and scopes. */
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    struct ruleset rules = {((u64)1 << rights) - 1, 3, 3};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int ruleset = (int)syscall(CALL_LANDLOCK_CREATE_RULESET, &rules, size, 0);
    if (ruleset < 0) {
        return 0;
    }
    if (directory != NULL) {
        struct path_rule rule = {BELOW_DIRECTORY & rules.files, open(directory, O_PATH | O_CLOEXEC | O_DIRECTORY)};
        if (rule.directory < 0 || syscall(CALL_LANDLOCK_ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) < 0) {
            ice_fatal("ICE_FILES names no directory that can be opened: ", directory);
        }
        close(rule.directory);
    }
    int is_restricted = syscall(CALL_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return is_restricted;
}

/* The filter, instruction by instruction. */
static struct sock_filter code[320];
static unsigned short length;

static void put(u16 op, u32 k, u8 if_true, u8 if_false) {
    if (length == sizeof code / sizeof code[0]) {
        ice_fatal("the filter is too long", "");
    }
    code[length++] = (struct sock_filter){op, if_true, if_false, k};
}

enum { LOAD = BPF_LD | BPF_W | BPF_ABS, EQUAL = BPF_JMP | BPF_JEQ | BPF_K, LEAST = BPF_JMP | BPF_JGE | BPF_K };
enum { RETURN = BPF_RET | BPF_K, AND = BPF_ALU | BPF_AND | BPF_K };

/* Where the halves of an argument are: all machines are little-endian. */
static u32 low_half(int argument) {
    return (u32)offsetof(struct seccomp_data, args) + 8u * (u32)argument;
}

static void answer(int call, u32 action) {
    put(EQUAL, (u32)call, 0, 1);
    put(RETURN, action, 0, 0);
}

/* Lets a call through whose argument has, of the bits in `mask`, exactly those in `bits`. */
static void allow_if(int call, int argument, u32 mask, u32 bits) {
    put(EQUAL, (u32)call, 0, 5);
    put(LOAD, low_half(argument), 0, 0);
    put(AND, mask, 0, 0);
    put(EQUAL, bits, 0, 1);
    put(RETURN, SECCOMP_RET_ALLOW, 0, 0);
    put(RETURN, SECCOMP_RET_TRAP, 0, 0);
}

#if defined(ICE_SANDBOX) && defined(__arm__)
/* Behind the image, or in the window behind the program. */
static void allow_places(void) {
    extern char _end[];
    put(LEAST, (u32)(uintptr_t)_end, 2, 0);
    put(LEAST, (u32)ICE_WINDOW_BYTES, 2, 0);
    put(LEAST, ice_program_end, 0, 1);
    put(RETURN, SECCOMP_RET_ALLOW, 0, 0);
}
enum { PLACES_LENGTH = 4 };
#else
static void allow_places(void) {
    extern char _end[];
    put(LEAST, (u32)(uintptr_t)_end, 0, 1);
    put(RETURN, SECCOMP_RET_ALLOW, 0, 0);
}
enum { PLACES_LENGTH = 2 };
#endif

/* Lets a call through that changes memory behind the image of the program, or, with a protection as the third
 * argument, does not make it executable. A new mapping may be at address 0, which is anywhere. */
static void allow_memory(int call, int has_protection, int may_be_anywhere) {
    put(EQUAL, (u32)call, 0, (u8)(4 + PLACES_LENGTH + 3 * has_protection + may_be_anywhere));
    if (has_protection) {
        put(LOAD, low_half(2), 0, 0);
        put(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
        put(RETURN, SECCOMP_RET_TRAP, 0, 0);
    }
    put(LOAD, low_half(0) + 4, 0, 0);
    put(EQUAL, 0, 0, (u8)(PLACES_LENGTH + may_be_anywhere));
    put(LOAD, low_half(0), 0, 0);
    if (may_be_anywhere) {
        put(EQUAL, 0, PLACES_LENGTH - 1, 0);
    }
    allow_places();
    put(RETURN, SECCOMP_RET_TRAP, 0, 0);
}

static void write_filter(int has_files) {
    put(LOAD, offsetof(struct seccomp_data, arch), 0, 0);
    put(EQUAL, (u32)OWN_ARCH, 1, 0);
    put(RETURN, SECCOMP_RET_TRAP, 0, 0);
    put(LOAD, offsetof(struct seccomp_data, nr), 0, 0);
    for (size_t i = 0; i < sizeof open_calls / sizeof open_calls[0]; i++) {
        answer(open_calls[i], SECCOMP_RET_ALLOW);
    }
    for (size_t i = 0; has_files && i < sizeof file_calls / sizeof file_calls[0]; i++) {
        answer(file_calls[i], SECCOMP_RET_ALLOW);
    }
    /* The flags of clone3 lie in memory; the C library takes clone where there is no clone3. */
    answer(CALL_CLONE3, SECCOMP_RET_ERRNO | ENOSYS);
    allow_if(SYS_clone, 0, CLONE_THREAD | CLONE_VM | CLONE_PTRACE | CLONE_NEWNS, CLONE_THREAD | CLONE_VM);
    allow_if(SYS_tgkill, 0, ~0u, (u32)getpid());
    allow_if(SYS_ioctl, 1, ~0u, TCGETS);
    allow_if(SYS_rt_sigaction, 0, ~1u, 32); /* the C library's own signals, for its threads */
#ifdef SYS_mmap2
    allow_memory(SYS_mmap2, 1, 1);
#else
    allow_memory(SYS_mmap, 1, 1);
#endif
    allow_memory(SYS_mprotect, 1, 0);
    allow_memory(SYS_munmap, 0, 0);
    if (has_files) {
#ifdef SYS_utimensat_time64
        allow_if(SYS_utimensat_time64, 1, ~0u, 0);
#endif
        allow_if(SYS_utimensat, 1, ~0u, 0);
#ifdef SYS_statx
    } else {
        allow_if(SYS_statx, 1, ~0u, (u32)(uintptr_t)ice_no_path);
#endif
    }
    put(RETURN, SECCOMP_RET_TRAP, 0, 0);
}

static void warn(const char *what) {
    const char *const parts[] = {"ice: warning: this system has no ", what, "\n"};
    ice_write_error(parts, 3);
}

/* Gives up the rights that the program must not have; it runs in this process from here on. */
void ice_confine(void) {
    if (ice_switch_is_on("ICE_TRUST")) {
        return;
    }
    close_inherited();
    if (ice_switch_is_on("ICE_CONFINED")) {
        return;
    }
    report_stops();
    const char *directory = NULL;
    if (ice_switch_is_on("ICE_FILES")) {
        directory = getenv("ICE_FILES");
        directory = strcmp(directory, "1") == 0 ? "." : directory;
    }
    write_filter(directory != NULL);
    struct sock_fprog filter = {length, code};
    int may_restrict = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if ((!may_restrict || !restrict_files(directory)) && directory != NULL) {
        warn("Landlock: the program can use every file of its user");
    }
    if (!may_restrict || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
        warn("system call filters: a hostile program has every right of its user");
    }
}
