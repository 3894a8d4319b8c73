//! What the machine has that this program runs on.

use libc::c_long;

/// System calls that machines with a longer history have besides: of emulators, and those that name files.
#[cfg(target_arch = "x86_64")]
pub(crate) const OLD_CALLS: [&[c_long]; 2] = [
    &[
        libc::SYS_arch_prctl,
        libc::SYS_open,
        libc::SYS_access,
        libc::SYS_readlink,
        libc::SYS_stat,
        libc::SYS_lstat,
        libc::SYS_dup2,
        libc::SYS_poll,
    ],
    &[
        libc::SYS_mkdir,
        libc::SYS_rmdir,
        libc::SYS_unlink,
        libc::SYS_link,
        libc::SYS_rename,
        libc::SYS_symlink,
    ],
];
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const OLD_CALLS: [&[c_long]; 2] = [&[], &[]];
