/* Host files by name. The names stand in the catalogue behind the switch ICE_FILES=1: a program
 * from elsewhere sees no file of the host unless its user says so. */
#include "runtime.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

i32 ice_stat_result(int host_result, u32 at, const void *found);

static i32 open_result(int fd, u32 new_fd) {
    if (fd < 0) {
        return pexe_errno(errno);
    }
    put_u32(new_fd, (u32)fd);
    return 0;
}

/* Opens a file whose mode or times are to be changed: unlike a change by name, confinement covers this. A file
 * that its user may write but not read is opened for writing. */
static int open_to_change(u32 path) {
    int fd = open(guest(path), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd < 0 && errno == EACCES ? open(guest(path), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : fd;
}

static i32 close_after(int fd, int host_result) {
    i32 result = result_of(host_result);
    close(fd);
    return result;
}

i32 irt_open(u32 path, u32 flags, u32 mode, u32 new_fd) {
    return open_result(open(guest(path), host_open_flags(flags), mode & 07777), new_fd);
}

i32 irt_open_resource(u32 name, u32 new_fd) {
    return open_result(open(guest(name), O_RDONLY), new_fd);
}

i32 irt_stat(u32 path, u32 at) {
    struct stat found;
    return ice_stat_result(stat(guest(path), &found), at, &found);
}

i32 irt_lstat(u32 path, u32 at) {
    struct stat found;
    return ice_stat_result(lstat(guest(path), &found), at, &found);
}

i32 irt_mkdir(u32 path, u32 mode) {
    return result_of(mkdir(guest(path), mode & 07777));
}

i32 irt_rmdir(u32 path) {
    return result_of(rmdir(guest(path)));
}

i32 irt_chdir(u32 path) {
    return result_of(chdir(guest(path)));
}

i32 irt_getcwd(u32 buffer, u32 length) {
    if (length == 0) {
        return PEXE_EINVAL; /* glibc would allocate memory for a null buffer */
    }
    return getcwd(guest(buffer), clamp_count(buffer, length)) == NULL ? pexe_errno(errno) : 0;
}

i32 irt_unlink(u32 path) {
    return result_of(unlink(guest(path)));
}

i32 irt_truncate(u32 path, i64 length) {
    return result_of(truncate(guest(path), length));
}

i32 irt_link(u32 old_path, u32 new_path) {
    return result_of(link(guest(old_path), guest(new_path)));
}

i32 irt_rename(u32 old_path, u32 new_path) {
    return result_of(rename(guest(old_path), guest(new_path)));
}

i32 irt_symlink(u32 target, u32 link_path) {
    return result_of(symlink(guest(target), guest(link_path)));
}

i32 irt_chmod(u32 path, u32 mode) {
    int fd = open_to_change(path);
    return fd < 0 ? pexe_errno(errno) : close_after(fd, fchmod(fd, mode & 07777));
}

i32 irt_access(u32 path, i32 mode) {
    return result_of(access(guest(path), mode));
}

i32 irt_readlink(u32 path, u32 buffer, u32 count, u32 transferred) {
    ssize_t length = readlink(guest(path), guest(buffer), clamp_count(buffer, count));
    if (length < 0) {
        return pexe_errno(errno);
    }
    put_u32(transferred, (u32)length);
    return 0;
}

/* Two timevals, access then modification time; address 0 means now. */
i32 irt_utimes(u32 path, u32 timevals) {
    struct timespec times[2];
    for (u32 i = 0; timevals != 0 && i < 2; i++) {
        u32 microseconds = get_u32(timevals + 16 * i + 8);
        if (microseconds > 999999) {
            return PEXE_EINVAL;
        }
        times[i].tv_sec = (time_t)get_i64(timevals + 16 * i);
        times[i].tv_nsec = (long)microseconds * 1000;
    }
    int fd = open_to_change(path);
    return fd < 0 ? pexe_errno(errno) : close_after(fd, futimens(fd, timevals == 0 ? NULL : times));
}
