//! Rights that a process gives up before it meets bytes that nobody trusts.
//!
//! A filter of system calls (seccomp) and rules for files (Landlock) hold for the thread that asks for them and for
//! all that it starts, and cannot be taken back. [`translator`] confines the process that translates, [`emulator`] a
//! thread from which an emulator is started. A translated program that needs no emulator confines itself
//! (`runtime/confine.c`), which can be stricter: it knows when its start is over.
//!
//! The filters are lists of calls; what is on none ends the process with SIGSYS. Some calls are answered as on a
//! system without them: `clone3`, whose flags lie in memory where no filter sees them, and whose place `clone` takes; in the
//! translator also `openat`, because the C library's allocator asks a file of the system for advice and does without.

use crate::machine::host::OLD_CALLS;
use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Why rights were not given up.
#[derive(Debug)]
pub enum Error {
    /// The system, or this program on it, has no such filters.
    Filter(String),
    /// The system cannot restrict files.
    Files(String),
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Filter(why) => write!(f, "no filter of system calls: {why}"),
            Error::Files(why) => write!(f, "no restriction of files: {why}"),
        }
    }
}

/// A condition on an argument of a call.
#[derive(Clone, Copy)]
enum Only {
    /// Of the bits in the first number, exactly those in the second.
    Bits(u64, u64),
    /// Not these bits.
    Without(u64),
    /// This number.
    Equal(u64),
}

/// A call that is let through if its argument of this number is as said.
type Checked = (c_long, u8, Only);

const EXECUTABLE: u64 = libc::PROT_EXEC as u64;
/// Of clone's flags, those that tell threads from processes and from new name spaces.
const THREAD_FLAGS: u64 = THREAD | (libc::CLONE_PTRACE | libc::CLONE_NEWNS | libc::CLONE_NEWUSER) as u64;
const THREAD: u64 = (libc::CLONE_VM | libc::CLONE_THREAD) as u64;
/// Terminals are told from files by this question.
const TERMINAL_QUESTION: u64 = libc::TCGETS;

/// What every process needs that computes, allocates, has threads and reads and writes open files.
const COMMON: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// What the emulator and the C library below it need beyond that.
const EMULATOR: &[c_long] = &[
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_close_range,
    libc::SYS_fcntl,
    libc::SYS_getdents64,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_openat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_membarrier,
    libc::SYS_get_mempolicy,
    libc::SYS_set_mempolicy,
    libc::SYS_set_tid_address,
    libc::SYS_rt_sigsuspend,
    libc::SYS_kill,
    libc::SYS_tgkill,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getppid,
    libc::SYS_prlimit64,
    libc::SYS_prctl,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_execve,
    libc::SYS_wait4,
    libc::SYS_waitid,
];

/// Calls of the emulator that name files, where the program may have some.
const FILES: &[c_long] = &[
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_linkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_symlinkat,
    libc::SYS_chdir,
    libc::SYS_truncate,
];

fn rule(argument: u8, only: Only) -> Result<SeccompRule, seccompiler::BackendError> {
    let (operator, value) = match only {
        Only::Bits(mask, bits) => (SeccompCmpOp::MaskedEq(mask), bits),
        Only::Without(mask) => (SeccompCmpOp::MaskedEq(mask), 0),
        Only::Equal(value) => (SeccompCmpOp::Eq, value),
    };
    // The kernel looks at the low half of all arguments that are checked here.
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

/// Two filters, of which the stricter counts: one answers `missing` as a system without them, the other lets
/// `lists` through, and `checked` as far as their conditions go.
fn filters(
    lists: &[&[c_long]],
    missing: &[c_long],
    checked: &[Checked],
    otherwise: SeccompAction,
) -> Result<[BpfProgram; 2], seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for &call in lists.iter().copied().flatten().chain(missing) {
        rules.insert(call, Vec::new());
    }
    for &(call, argument, only) in checked {
        rules.entry(call).or_default().push(rule(argument, only)?);
    }
    let missing = missing.iter().map(|&call| (call, Vec::new())).collect();
    let absence = SeccompAction::Errno(libc::ENOSYS as u32);
    let missing = SeccompFilter::new(missing, SeccompAction::Allow, absence, arch)?;
    let allowed = SeccompFilter::new(rules, otherwise, SeccompAction::Allow, arch)?;
    Ok([missing.try_into()?, allowed.try_into()?])
}

/// Puts [`filters`] on this thread.
fn apply(
    lists: &[&[c_long]],
    missing: &[c_long],
    checked: &[Checked],
    otherwise: SeccompAction,
) -> Result<(), Error> {
    let why = |error: &dyn core::fmt::Display| Error::Filter(error.to_string());
    for filter in filters(lists, missing, checked, otherwise).map_err(|error| why(&error))? {
        apply_filter(&filter).map_err(|error| why(&error))?;
    }
    Ok(())
}

/// Leaves this thread, and those that it starts, nothing but memory, threads and the files that are open. A process
/// calls it while it has one thread.
///
/// # Errors
/// The system cannot do that; everything is as before.
pub fn translator() -> Result<(), Error> {
    let checked = [
        (libc::SYS_mmap, 2, Only::Without(EXECUTABLE)),
        (libc::SYS_mprotect, 2, Only::Without(EXECUTABLE)),
        (libc::SYS_clone, 0, Only::Bits(THREAD_FLAGS, THREAD)),
        (libc::SYS_tgkill, 0, Only::Equal(std::process::id().into())),
        // The standard library looks whether a file is open that it closes, when it is built with checks.
        (libc::SYS_fcntl, 1, Only::Equal(libc::F_GETFD as u64)),
    ];
    apply(&[COMMON], &[libc::SYS_clone3, libc::SYS_openat], &checked, SeccompAction::KillProcess)
}

/// What of the system's files emulators read: themselves and their libraries.
const LIBRARIES: [&str; 6] =
    ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"];

/// Lets only libraries and `readable` be read, and files below `directory` be used.
fn restrict_files(readable: &[&Path], directory: Option<PathFd>) -> Result<bool, RulesetError> {
    let version = ABI::V6;
    let all = AccessFs::from_all(version);
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev | AccessFs::Execute;
    let read = AccessFs::from_read(version);
    let mut rules = Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(version))?
        .scope(Scope::from_all(version))?
        .create()?
        .add_rules(path_beneath_rules(readable, read))?
        .add_rules(path_beneath_rules(LIBRARIES, read))?;
    if let Some(directory) = directory {
        rules = rules.add_rule(PathBeneath::new(directory, all & !devices))?;
    }
    Ok(rules.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
}

/// Leaves this thread, and what it starts, what `emulator` needs to run `program`, and of other files those below
/// `directory`. Other threads keep their rights.
///
/// # Errors
/// The system cannot do part of that; the rest is done.
pub fn emulator(emulator: &Path, program: &Path, directory: Option<PathFd>) -> Result<(), Error> {
    let has_files = directory.is_some();
    let files = restrict_files(&[emulator, program], directory);
    let mut lists = vec![COMMON, EMULATOR, OLD_CALLS[0]];
    let mut checked = vec![
        // The vfork of who starts the emulator, or a thread.
        (libc::SYS_clone, 0, Only::Bits(THREAD_FLAGS & !(libc::CLONE_THREAD as u64), libc::CLONE_VM as u64)),
        (libc::SYS_ioctl, 1, Only::Equal(TERMINAL_QUESTION)),
    ];
    if has_files {
        lists.extend([FILES, OLD_CALLS[1]]);
        // Times are changed through open files, which Landlock has seen.
        checked.push((libc::SYS_utimensat, 1, Only::Equal(0)));
    }
    apply(&lists, &[libc::SYS_clone3], &checked, SeccompAction::Trap)?;
    match files {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::Files("this system has no Landlock".to_owned())),
        Err(error) => Err(Error::Files(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    /// Runs one of the ignored tests below in a process of its own, and gives the signal that ended it.
    fn fate(test: &str) -> Option<i32> {
        let name = format!("confine::tests::{test}");
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &name, "--ignored", "--nocapture", "--test-threads=1"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("running 1 test"), "{text}");
        assert!(output.status.success() || output.status.signal().is_some(), "{test}: {text}");
        output.status.signal()
    }

    #[test]
    fn a_translator_computes_and_nothing_else() {
        assert_eq!(fate("computes"), None);
        assert_eq!(fate("opens_no_file"), None);
        for attempt in ["removes_a_file_in_a_thread", "starts_a_process", "connects"] {
            assert_eq!(fate(attempt), Some(libc::SIGSYS), "{attempt}");
        }
    }

    #[test]
    #[ignore = "runs in a process of its own"]
    fn computes() {
        translator().unwrap();
        let threads: Vec<_> =
            (1..5u8).map(|byte| std::thread::spawn(move || vec![byte; 1 << 22].len())).collect();
        assert_eq!(threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>(), 4 << 22);
    }

    #[test]
    #[ignore = "runs in a process of its own"]
    fn opens_no_file() {
        assert!(std::fs::File::open("/etc/passwd").is_ok());
        translator().unwrap();
        let refused = |name| std::fs::File::open(name).unwrap_err().raw_os_error() == Some(libc::ENOSYS);
        assert!(refused("/etc/passwd") && refused("."));
        assert!(std::thread::spawn(move || refused("/etc/passwd")).join().unwrap());
    }

    #[test]
    #[ignore = "runs in a process of its own"]
    fn removes_a_file_in_a_thread() {
        translator().unwrap();
        let _ = std::thread::spawn(|| std::fs::remove_file("/no/such/file")).join();
    }

    #[test]
    #[ignore = "runs in a process of its own"]
    fn starts_a_process() {
        translator().unwrap();
        let _ = Command::new("/bin/true").status();
    }

    #[test]
    #[ignore = "runs in a process of its own"]
    fn connects() {
        translator().unwrap();
        let _ = std::net::TcpStream::connect("127.0.0.1:9");
    }
}
