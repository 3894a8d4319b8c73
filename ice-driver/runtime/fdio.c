/* File descriptors: the program's are the host's. Closing 0, 1 and 2 really closes them.
 *
 * stat is 104 bytes, a directory record {u64 ino, u64 off, u16 reclen, name at 18} padded to a
 * multiple of 8; both differ from every host's layout and are written field by field.
 */
#include "runtime.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

/* Stores a count and gives 0, or gives the error of a failed transfer. */
static i32 transfer_result(ssize_t count, u32 transferred) {
    if (count < 0) {
        return pexe_errno(errno);
    }
    put_u32(transferred, (u32)count);
    return 0;
}

i32 irt_close(i32 fd) {
    return result_of(close(fd));
}

i32 irt_dup(i32 fd, u32 new_fd) {
    return transfer_result(dup(fd), new_fd);
}

i32 irt_dup2(i32 fd, i32 new_fd) {
    return result_of(dup2(fd, new_fd));
}

i32 irt_read(i32 fd, u32 buffer, u32 count, u32 transferred) {
    return transfer_result(read(fd, guest(buffer), clamp_count(buffer, count)), transferred);
}

i32 irt_write(i32 fd, u32 buffer, u32 count, u32 transferred) {
    return transfer_result(write(fd, guest(buffer), clamp_count(buffer, count)), transferred);
}

i32 irt_seek(i32 fd, i64 offset, i32 whence, u32 new_offset) {
    if (whence < 0 || whence > 2) {
        return PEXE_EINVAL;
    }
    off_t position = lseek(fd, offset, whence);
    if (position < 0) {
        return pexe_errno(errno);
    }
    put_u64(new_offset, (u64)position);
    return 0;
}

static void put_stat(u32 at, const struct stat *from) {
    put_u64(at + 0, from->st_dev);
    put_u64(at + 8, from->st_ino);
    put_u32(at + 16, from->st_mode);
    put_u32(at + 20, (u32)from->st_nlink);
    put_u32(at + 24, from->st_uid);
    put_u32(at + 28, from->st_gid);
    put_u64(at + 32, from->st_rdev);
    put_u64(at + 40, (u64)from->st_size);
    put_u32(at + 48, (u32)from->st_blksize);
    put_u32(at + 52, (u32)from->st_blocks);
    put_u64(at + 56, (u64)from->st_atim.tv_sec);
    put_u64(at + 64, (u64)from->st_atim.tv_nsec);
    put_u64(at + 72, (u64)from->st_mtim.tv_sec);
    put_u64(at + 80, (u64)from->st_mtim.tv_nsec);
    put_u64(at + 88, (u64)from->st_ctim.tv_sec);
    put_u64(at + 96, (u64)from->st_ctim.tv_nsec);
}

/* Stores what a stat call found, for filename.c too. */
i32 ice_stat_result(int host_result, u32 at, const void *found) {
    if (host_result < 0) {
        return pexe_errno(errno);
    }
    put_stat(at, found);
    return 0;
}

const char ice_no_path[1] = "";

/* The C library would name the empty path by an address of its own, which the filter cannot know. */
static int host_fstat(i32 fd, struct stat *found) {
#if defined(__x86_64__)
    return (int)syscall(SYS_fstat, fd, found);
#elif defined(SYS_statx) && defined(STATX_BASIC_STATS)
    struct statx record;
    if (syscall(SYS_statx, fd, ice_no_path, AT_EMPTY_PATH, STATX_BASIC_STATS, &record) < 0) {
        return errno == ENOSYS ? fstat(fd, found) : -1; /* before Linux 4.11 */
    }
    *found = (struct stat){
        .st_dev = makedev(record.stx_dev_major, record.stx_dev_minor),
        .st_ino = record.stx_ino,
        .st_mode = record.stx_mode,
        .st_nlink = record.stx_nlink,
        .st_uid = record.stx_uid,
        .st_gid = record.stx_gid,
        .st_rdev = makedev(record.stx_rdev_major, record.stx_rdev_minor),
        .st_size = (off_t)record.stx_size,
        .st_blksize = (blksize_t)record.stx_blksize,
        .st_blocks = (blkcnt_t)record.stx_blocks,
        .st_atim = {.tv_sec = (time_t)record.stx_atime.tv_sec, .tv_nsec = (long)record.stx_atime.tv_nsec},
        .st_mtim = {.tv_sec = (time_t)record.stx_mtime.tv_sec, .tv_nsec = (long)record.stx_mtime.tv_nsec},
        .st_ctim = {.tv_sec = (time_t)record.stx_ctime.tv_sec, .tv_nsec = (long)record.stx_ctime.tv_nsec},
    };
    return 0;
#else
    return fstat(fd, found);
#endif
}

i32 irt_fstat(i32 fd, u32 stat) {
    struct stat found;
    return ice_stat_result(host_fstat(fd, &found), stat, &found);
}

/* The kernel's 64-bit record has the same first 18 bytes, then a type byte, then the name. Ours is
 * never longer, so the records are repacked in place, front to back, in the program's buffer. */
i32 irt_getdents(i32 fd, u32 buffer, u32 count, u32 transferred) {
    u8 *base = guest(buffer);
    long filled = syscall(SYS_getdents64, fd, base, (size_t)clamp_count(buffer, count));
    if (filled < 0) {
        return pexe_errno(errno);
    }
    u32 to = 0;
    for (u32 from = 0; from < (u32)filled;) {
        u16 host_length;
        memcpy(&host_length, base + from + 16, sizeof host_length);
        size_t name_size = strlen((const char *)base + from + 19) + 1;
        u16 length = (u16)((18 + name_size + 7) & ~(size_t)7);
        memmove(base + to, base + from, 16);
        memmove(base + to + 18, base + from + 19, name_size);
        put_u16(buffer + to + 16, length);
        from += host_length;
        to += length;
    }
    put_u32(transferred, to);
    return 0;
}

i32 irt_fchdir(i32 fd) {
    return result_of(fchdir(fd));
}

i32 irt_fchmod(i32 fd, u32 mode) {
    return result_of(fchmod(fd, mode & 07777));
}

i32 irt_fsync(i32 fd) {
    return result_of(fsync(fd));
}

i32 irt_fdatasync(i32 fd) {
    return result_of(fdatasync(fd));
}

i32 irt_ftruncate(i32 fd, i64 length) {
    return result_of(ftruncate(fd, length));
}

/* No terminal is an answer, not an error; a bad descriptor is an error. */
i32 irt_isatty(i32 fd, u32 is_terminal) {
    int answer = isatty(fd);
    if (!answer && errno == EBADF) {
        return PEXE_EBADF;
    }
    put_u32(is_terminal, (u32)answer);
    return 0;
}
