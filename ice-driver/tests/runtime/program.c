/* Checks of the runtime, seen from inside: argv[1] names the check, the process status tells the
 * result (0, or what the check says). */
#include "stand_in.h"

static u32 *info;
static u32 argc, envc;
static u32 *argv, *envp;

static const char *arg(u32 index) {
    return P(argv[index]);
}

static const char *env(const char *name) {
    size_t length = strlen(name);
    for (u32 i = 0; i < envc; i++) {
        const char *entry = P(envp[i]);
        if (strncmp(entry, name, length) == 0 && entry[length] == '=') {
            return entry + length + 1;
        }
    }
    return NULL;
}

/* argv: program, "info", "two words", "" */
static void check_info(void) {
    CHECK(info[0] == 0);
    CHECK(argc == 4 && argv[4] == 0 && envp[envc] == 0);
    CHECK(strcmp(arg(2), "two words") == 0 && strcmp(arg(3), "") == 0);
    CHECK(strcmp(env("ICE_TEST_VALUE"), "a=b c") == 0);
    CHECK(A(info) % 16 == 0);
    u32 *aux = envp + envc + 1;
    CHECK(aux[0] == 32 && aux[1] == A(query) && aux[2] == 0);
    char *text = P(argv[2]);
    text[0] = 'T'; /* the strings and the block are writable */
    argv[1] = argv[2];
    CHECK(strcmp(arg(1), "Two words") == 0);
    /* The stack lies below the block, is large, and nothing at the end of 4 GiB is used. */
    char local[8];
    CHECK(A(local) < A(info) && A(info) - A(local) < 1 << 20);
    CHECK(A(info) < 0xffff0000u);
}

static u32 size_of(const char *name) {
    static u32 table[64];
    return query(A(name), A(table), sizeof table);
}

/* argv[2] is the state of the switches: "closed", "files" or "sync". */
static void check_query(void) {
    static const struct {
        const char *name;
        u32 size;
        char gate;
    } catalogue[] = {
        {"nacl-irt-basic-0.1", 24, 0},        {"nacl-irt-fdio-0.1", 32, 0},
        {"nacl-irt-dev-fdio-0.1", 32, 0},     {"nacl-irt-dev-fdio-0.2", 52, 0},
        {"nacl-irt-dev-fdio-0.3", 56, 0},     {"nacl-irt-memory-0.1", 12, 0},
        {"nacl-irt-memory-0.2", 16, 0},       {"nacl-irt-memory-0.3", 12, 0},
        {"nacl-irt-tls-0.1", 8, 0},           {"nacl-irt-thread-0.1", 12, 0},
        {"nacl-irt-thread-0.2", 12, 0},       {"nacl-irt-futex-0.1", 8, 0},
        {"nacl-irt-clock_get-0.1", 8, 0},     {"nacl-irt-random-0.1", 4, 0},
        {"nacl-irt-dev-getpid-0.1", 4, 0},    {"nacl-irt-filename-0.1", 8, 'f'},
        {"nacl-irt-dev-filename-0.2", 28, 'f'}, {"nacl-irt-dev-filename-0.3", 64, 'f'},
        {"nacl-irt-resource-open-0.1", 4, 'f'}, {"nacl-irt-mutex-0.1", 20, 's'},
        {"nacl-irt-cond-0.1", 24, 's'},       {"nacl-irt-sem-0.1", 16, 's'},
    };
    for (u32 i = 0; i < sizeof catalogue / sizeof catalogue[0]; i++) {
        u32 size = catalogue[i].size;
        if (catalogue[i].gate != 0 && catalogue[i].gate != arg(2)[0]) {
            size = 0;
        }
        if (size_of(catalogue[i].name) != size) {
            print(catalogue[i].name);
            print("\n");
        }
        CHECK(size_of(catalogue[i].name) == size);
        if (size != 0) {
            u32 table[16];
            memset(table, 0x55, sizeof table);
            /* Too small by a byte: nothing is stored. Exact: exactly so many bytes are. */
            CHECK(query(A(catalogue[i].name), A(table), size - 1) == 0);
            CHECK(table[0] == 0x55555555);
            CHECK(query(A(catalogue[i].name), A(table), size) == size);
            for (u32 entry = 0; entry < 16; entry++) {
                CHECK(entry < size / 4 ? table[entry] != 0 && table[entry] != 0x55555555
                                       : table[entry] == 0x55555555);
            }
        }
    }
    CHECK(size_of("nacl-irt-clock-0.1") == 0 && size_of("") == 0);
    CHECK(size_of("nacl-irt-basic-0.1x") == 0 && size_of("nacl-irt-basic-0.") == 0);
    CHECK(size_of("nacl-irt-ppapihook-0.1") == 0);
}

/* Copies the input to the output. */
static void check_cat(void) {
    char buffer[100];
    for (;;) {
        u32 got = 77, wrote;
        CHECK(CALL4(fdio.read, 0, A(buffer), sizeof buffer, A(&got)) == 0);
        if (got == 0) {
            return;
        }
        for (u32 at = 0; at < got; at += wrote) {
            CHECK(CALL4(fdio.write, 1, A(buffer + at), got - at, A(&wrote)) == 0);
        }
    }
}

static void check_fdio(void) {
    u32 fd = 1234, result = 1234;
    u64 position = 1234;
    u8 stat[112];
    memset(stat, 0x5a, sizeof stat);
    CHECK(QUERY("dev-fdio-0.3", fdio) == 56);
    CHECK(CALL2(fdio.fstat, 1, A(stat)) == 0);
    CHECK(u32_at(stat, 48) >= 512 && u32_at(stat, 48) <= 1 << 20); /* blksize */
    CHECK((u32_at(stat, 16) & 0170000) == 0010000);                 /* the harness reads a pipe */
    CHECK(u64_at(stat, 104) == 0x5a5a5a5a5a5a5a5aull);              /* 104 bytes, not more */
    CHECK(CALL2(fdio.fstat, 99, A(stat)) == 9);
    CHECK(CALL4(fdio.write, 99, A("x"), 1, A(&result)) == 9 && result == 1234);
    CHECK(CALL4(fdio.read, 99, A(stat), 1, A(&result)) == 9 && result == 1234);
    CHECK(CALL1(fdio.close, 99) == 9);
    CHECK(call_seek(1, 0, 1, A(&position)) == 29 && position == 1234); /* ESPIPE */
    CHECK(call_seek(1, 0, 7, A(&position)) == 22);
    CHECK(CALL2(fdio.dup, 1, A(&fd)) == 0 && fd > 2 && fd != 1234);
    CHECK(CALL2(fdio.dup2, 1, 42) == 0 && CALL2(fdio.fstat, 42, A(stat)) == 0);
    CHECK(CALL2(fdio.dup2, 99, 42) == 9);
    CHECK(CALL2(fdio.isatty, 1, A(&result)) == 0 && result == 0);
    CHECK(CALL2(fdio.isatty, 99, A(&result)) == 9);
    CHECK(CALL1(fdio.fchdir, 1) == 20); /* ENOTDIR */
    CHECK(CALL1(fdio.close, fd) == 0 && CALL1(fdio.close, fd) == 9);
}

/* Closing 0-2 really closes them. */
static void check_close(void) {
    u32 wrote;
    CHECK(CALL4(fdio.write, 1, A("before\n"), 7, A(&wrote)) == 0 && wrote == 7);
    for (u32 fd = 0; fd < 3; fd++) {
        CHECK(CALL1(fdio.close, fd) == 0);
    }
    i32 error = CALL4(fdio.write, 1, A("after\n"), 6, A(&wrote));
    CALL1(basic.exit, error == 9 ? 0 : 1);
}

/* argv[2] is an empty directory. */
static void check_files(void) {
    struct {
        u32 open, stat, mkdir, rmdir, chdir, getcwd, unlink, truncate, lstat, link, rename;
        u32 symlink, chmod, access, readlink, utimes;
    } name;
    u32 fd = 0, count;
    u64 position;
    u8 stat[104];
    char buffer[600];
    CHECK(QUERY("dev-filename-0.3", name) == 64);
    CHECK(QUERY("dev-fdio-0.3", fdio) == 56);
    CHECK(CALL1(name.chdir, argv[2]) == 0);
    CHECK(CALL2(name.getcwd, A(buffer), 2) == 34); /* ERANGE */
    CHECK(CALL2(name.getcwd, A(buffer), sizeof buffer) == 0 && strcmp(buffer, arg(2)) == 0);

    /* Open flags: create, exclusive, truncate, append, directory. */
    CHECK(CALL4(name.open, A("file"), 2, 0644, A(&fd)) == 2 && fd == 0); /* ENOENT */
    CHECK(CALL4(name.open, A("file"), 2 | 0x40 | 0x80, 0600, A(&fd)) == 0 && fd > 2);
    CHECK(CALL4(fdio.write, fd, A("0123456789"), 10, A(&count)) == 0 && count == 10);
    CHECK(call_seek(fd, -4, 2, A(&position)) == 0 && position == 6);
    CHECK(CALL4(fdio.read, fd, A(buffer), 100, A(&count)) == 0 && count == 4);
    CHECK(memcmp(buffer, "6789", 4) == 0);
    CHECK(call_seek(fd, 0x123456789ll, 0, A(&position)) == 0 && position == 0x123456789ll);
    CHECK(call_seek(fd, -1, 0, A(&position)) == 22);
    CHECK(call_length(fdio.ftruncate, fd, 0x100000001ll) == 0);
    CHECK(CALL2(fdio.fstat, fd, A(stat)) == 0 && u64_at(stat, 40) == 0x100000001ull);
    CHECK(u32_at(stat, 16) == 0100600 && u32_at(stat, 20) == 1);
    CHECK(call_length(name.truncate, A("file"), 8) == 0);
    CHECK(CALL2(fdio.fchmod, fd, 0640) == 0 && CALL1(fdio.fsync, fd) == 0);
    CHECK(CALL1(fdio.fdatasync, fd) == 0 && CALL1(fdio.close, fd) == 0);
    CHECK(CALL4(name.open, A("file"), 2 | 0x40 | 0x80, 0600, A(&fd)) == 17); /* EEXIST */
    CHECK(CALL4(name.open, A("file"), 0x10000, 0, A(&fd)) == 20);            /* ENOTDIR */
    CHECK(CALL4(name.open, A("file"), 1 | 0x400, 0, A(&fd)) == 0);
    CHECK(CALL4(fdio.write, fd, A("AB"), 2, A(&count)) == 0 && CALL1(fdio.close, fd) == 0);
    CHECK(CALL2(name.stat, A("file"), A(stat)) == 0 && u64_at(stat, 40) == 10);
    CHECK(u32_at(stat, 16) == 0100640);
    CHECK(CALL4(name.open, A("file"), 2 | 0x200, 0, A(&fd)) == 0);
    CHECK(CALL2(fdio.fstat, fd, A(stat)) == 0 && u64_at(stat, 40) == 0);

    /* File mappings, at an offset. */
    u32 mapped = 0;
    CHECK(call_length(fdio.ftruncate, fd, 0x2000) == 0);
    CHECK(call_seek(fd, 0x1000, 0, A(&position)) == 0);
    CHECK(CALL4(fdio.write, fd, A("page"), 4, A(&count)) == 0);
    CHECK(call_mmap(A(&mapped), 0x1000, 3, 1, fd, 0x1000) == 0);
    CHECK(memcmp(P(mapped), "page", 4) == 0);
    memcpy(P(mapped), "PAGE", 4);
    CHECK(CALL2(memory.munmap, mapped, 0x1000) == 0 && CALL1(fdio.close, fd) == 0);
    CHECK(CALL4(name.open, A("file"), 0, 0, A(&fd)) == 0);
    CHECK(call_seek(fd, 0x1000, 0, A(&position)) == 0);
    CHECK(CALL4(fdio.read, fd, A(buffer), 4, A(&count)) == 0 && memcmp(buffer, "PAGE", 4) == 0);
    CHECK(call_mmap(A(&mapped), 0x1000, 3, 1, fd, 0) == 13); /* EACCES: writable, shared, read-only */
    CHECK(call_mmap(A(&mapped), 0x1000, 1, 1, 99, 0) == 9);
    CHECK(CALL1(fdio.close, fd) == 0);

    /* Names. */
    u8 times[32];
    memset(times, 0, sizeof times);
    times[3] = 0x40; /* 2^30 seconds */
    times[8] = 7;
    times[20] = 1; /* 2^32 seconds: beyond 2038 */
    CHECK(CALL2(name.utimes, A("file"), A(times)) == 0 && CALL2(name.stat, A("file"), A(stat)) == 0);
    CHECK(u64_at(stat, 56) == 1 << 30 && u64_at(stat, 64) == 7000);
    CHECK(u64_at(stat, 72) == 1ull << 32 && u64_at(stat, 80) == 0);
    CHECK(CALL2(name.utimes, A("file"), 0) == 0 && CALL2(name.stat, A("file"), A(stat)) == 0);
    CHECK(u64_at(stat, 56) > 1500000000);
    CHECK(CALL2(name.link, A("file"), A("second")) == 0 && CALL2(name.stat, A("file"), A(stat)) == 0);
    CHECK(u32_at(stat, 20) == 2);
    CHECK(CALL2(name.rename, A("second"), A("third")) == 0 && CALL2(name.access, A("third"), 4) == 0);
    CHECK(CALL2(name.access, A("second"), 0) == 2 && CALL2(name.chmod, A("third"), 0400) == 0);
    CHECK(CALL2(name.symlink, A("third"), A("link")) == 0);
    memset(buffer, 'x', sizeof buffer);
    CHECK(CALL4(name.readlink, A("link"), A(buffer), sizeof buffer, A(&count)) == 0 && count == 5);
    CHECK(memcmp(buffer, "thirdx", 6) == 0);
    CHECK(CALL2(name.lstat, A("link"), A(stat)) == 0 && (u32_at(stat, 16) & 0170000) == 0120000);
    CHECK(CALL2(name.mkdir, A("dir"), 0700) == 0 && CALL2(name.mkdir, A("dir"), 0700) == 17);
    CHECK(CALL2(name.rename, A("third"), A("dir/third")) == 0);

    /* Errors whose numbers differ on some hosts. */
    CHECK(CALL1(name.rmdir, A("dir")) == 39); /* ENOTEMPTY */
    CHECK(CALL2(name.symlink, A("loop"), A("loop")) == 0);
    CHECK(CALL2(name.stat, A("loop"), A(stat)) == 40); /* ELOOP */
    memset(buffer, 'n', 300);
    buffer[300] = 0;
    CHECK(CALL2(name.stat, A(buffer), A(stat)) == 36); /* ENAMETOOLONG */

    /* Directory records: u64 ino, u64 off, u16 reclen, name at 18; a small buffer forces rounds. */
    static const char *const names[] = {".", "..", "dir", "file", "link", "loop", "a-longer-name"};
    u32 seen = 0, rounds = 0;
    CHECK(CALL4(name.open, A("a-longer-name"), 0x41, 0600, A(&fd)) == 0);
    CHECK(CALL1(fdio.close, fd) == 0 && CALL4(name.open, A("."), 0x10000, 0, A(&fd)) == 0);
    for (;; rounds++) {
        CHECK(CALL4(fdio.getdents, fd, A(buffer), 120, A(&count)) == 0 && count <= 120);
        if (count == 0) {
            break;
        }
        for (u32 at = 0; at < count;) {
            u32 length = u32_at(buffer, at + 16) & 0xffff;
            const char *entry = buffer + at + 18;
            CHECK(length % 8 == 0 && length >= 18 + strlen(entry) + 1 && at + length <= count);
            CHECK(u64_at(buffer, at) != 0);
            for (u32 i = 0; i < sizeof names / sizeof names[0]; i++) {
                seen |= (u32)(strcmp(entry, names[i]) == 0) << i;
            }
            at += length;
        }
    }
    CHECK(seen == 0x7f && rounds > 1);
    CHECK(CALL4(fdio.getdents, fd, A(buffer), 1, A(&count)) == 0 || count == 0);
    CHECK(CALL1(fdio.fchdir, fd) == 0 && CALL1(name.unlink, A("dir/third")) == 0);
    CHECK(CALL1(name.rmdir, A("dir")) == 0 && CALL1(name.unlink, A("link")) == 0);

    u32 open_resource;
    CHECK(QUERY("resource-open-0.1", open_resource) == 4);
    CHECK(CALL2(open_resource, A("file"), A(&fd)) == 0);
    CHECK(CALL4(fdio.write, fd, A("x"), 1, A(&count)) == 9);
}

static void check_memory(void) {
    /* Odd lengths are rounded up; fresh memory is zero; pages are distinct. */
    u32 first = new_pages(1155);
    u32 second = new_pages(4097);
    CHECK(first % 4096 == 0 && second % 4096 == 0 && first >= 0x10000 && second < 0xffff0000u);
    CHECK(second >= first + 4096 || first >= second + 8192);
    for (u32 i = 0; i < 8192; i++) {
        CHECK(((u8 *)P(second))[i] == 0);
    }
    memset(P(second), 0xaa, 8192);
    CHECK(CALL2(memory.munmap, second, 4097) == 0);

    /* First fit: the place is used again, and is zero again. */
    u32 again = new_pages(8192);
    CHECK(again == second && u32_at(P(again), 0) == 0 && u32_at(P(again), 8188) == 0);

    /* A hole in the middle, filled by what fits only. */
    u32 run = new_pages(5 * 4096);
    CHECK(CALL2(memory.munmap, run + 4096, 2 * 4096) == 0);
    u32 large = new_pages(3 * 4096), small = new_pages(2 * 4096);
    CHECK(small == run + 4096 && (large >= run + 5 * 4096 || large + 3 * 4096 <= run));

    /* 128 used pages move up page by page, so that they once fill whole words of the allocator's
     * bitmap: the free pages on their two sides are never one hole. */
    u32 wide = new_pages(128 * 4096);
    for (u32 hole = 1; hole <= 64; hole++) {
        u32 next = wide + (hole + 127) * 4096, length = (hole + 20) * 4096;
        CHECK(CALL2(memory.munmap, wide + (hole - 1) * 4096, 4096) == 0);
        CHECK(call_mmap(A(&next), 4096, 3, 0x32, -1, 0) == 0);
        u32 elsewhere = new_pages(length);
        CHECK(elsewhere > next || elsewhere + length <= wide + hole * 4096);
        CHECK(CALL2(memory.munmap, elsewhere, length) == 0);
    }

    /* Fixed mappings: over own memory yes, anywhere else no. */
    u32 at = run;
    memset(P(run), 1, 4096);
    CHECK(call_mmap(A(&at), 4096, 3, 0x32, -1, 0) == 0 && at == run && u32_at(P(run), 0) == 0);
    at = A(&check_memory) & ~4095u;
    CHECK(call_mmap(A(&at), 4096, 3, 0x32, -1, 0) == 22);
    at = A(info) & ~4095u; /* the stack's region */
    CHECK(call_mmap(A(&at), 4096, 3, 0x32, -1, 0) == 22);
    at = run + 1;
    CHECK(call_mmap(A(&at), 4096, 3, 0x32, -1, 0) == 22);
    at = 0;
    CHECK(call_mmap(A(&at), 4096, 3, 0x32, -1, 0) == 22);
    CHECK(CALL2(memory.munmap, A(info) & ~4095u, 4096) == 22);
    CHECK(CALL2(memory.munmap, A(&check_memory) & ~4095u, 4096) == 22);
    CHECK(CALL2(memory.munmap, run + 8, 4096) == 22 && CALL2(memory.munmap, run, 0) == 22);
    CHECK(CALL2(memory.munmap, run, 0xffffffffu) == 22);

    /* A hint is only a hint. */
    at = 0x12345000;
    CHECK(call_mmap(A(&at), 4096, 3, 0x22, -1, 0) == 0 && at != 0);

    /* Bad requests; the result is untouched. */
    at = 0;
    CHECK(call_mmap(A(&at), 0, 3, 0x22, -1, 0) == 22);
    CHECK(call_mmap(A(&at), 4096, 8, 0x22, -1, 0) == 22);
    CHECK(call_mmap(A(&at), 4096, 3, 0x20, -1, 0) == 22);
    CHECK(call_mmap(A(&at), 4096, 3, 0x23, -1, 0) == 22);
    CHECK(call_mmap(A(&at), 4096, 3, 0x1022, -1, 0) == 22);
    CHECK(call_mmap(A(&at), 0xffffffff, 3, 0x22, -1, 0) == 12 && at == 0);

    /* Protection; the executable bit is dropped. */
    CHECK(CALL3(memory.mprotect, small, 8192, 1) == 0);
    CHECK(CALL3(memory.mprotect, small, 8192, 7) == 0);
    memset(P(small), 1, 8192);
    CHECK(CALL3(memory.mprotect, small, 4096, 8) == 22);
    CHECK(CALL3(memory.mprotect, small + 4, 4096, 3) == 22);
    CHECK(CALL3(memory.mprotect, A(info) & ~4095u, 4096, 0) == 12);
    CHECK(CALL2(memory.munmap, small, 4096) == 0);
    CHECK(CALL3(memory.mprotect, small, 4096, 3) == 12); /* no longer mapped */

    /* Much memory, and all of it comes back. */
    u32 blocks[64], count = 0;
    while (count < 64) {
        u32 block = 0;
        if (call_mmap(A(&block), 4 << 20, 3, 0x22, -1, 0) != 0) {
            break;
        }
        memset(P(block), (int)count, 16);
        blocks[count++] = block;
    }
    CHECK(count == 64);
    for (u32 i = 0; i < count; i++) {
        CHECK(*(u8 *)P(blocks[i]) == i);
        CHECK(CALL2(memory.munmap, blocks[i], 4 << 20) == 0);
    }
    u32 whole = 0;
    CHECK(call_mmap(A(&whole), 256 << 20, 3, 0x22, -1, 0) == 0);
    CHECK(CALL2(memory.munmap, whole, 256 << 20) == 0);
}

/* Under a small limit of address space the arena is smaller, and a refusal is an error number. */
static void check_little_memory(void) {
    u32 block = 0, count = 0;
    i32 error;
    while ((error = call_mmap(A(&block), 1 << 20, 3, 0x22, -1, 0)) == 0) {
        count++;
    }
    CHECK(error == 12 && count >= 32 && count < 1024);
}

/* ICE_PAGE_SIZE=65536 */
static void check_page_size(void) {
    u32 size = 0;
    CHECK(CALL2(basic.sysconf, 2, A(&size)) == 0 && size == 65536);
    u32 first = new_pages(1), second = new_pages(65537);
    CHECK(first % 65536 == 0 && second % 65536 == 0 && first != second);
    memset(P(second), 1, 131072);
    CHECK(CALL2(memory.munmap, first + 4096, 4096) == 22 && CALL2(memory.munmap, first, 1) == 0);
}

static void check_sysbrk(void) {
    struct {
        u32 sysbrk, mmap, munmap, mprotect;
    } old;
    u32 at = 0, start;
    CHECK(QUERY("memory-0.2", old) == 16);
    CHECK(CALL1(old.sysbrk, A(&at)) == 0 && at != 0);
    start = at;
    at = start + 10000;
    CHECK(CALL1(old.sysbrk, A(&at)) == 0 && at == start + 10000);
    for (u32 i = 0; i < 10000; i++) {
        CHECK(((u8 *)P(start))[i] == 0);
    }
    memset(P(start), 0xbb, 10000);
    at = start + 100;
    CHECK(CALL1(old.sysbrk, A(&at)) == 0 && at == start + 100);
    at = start + 50000;
    CHECK(CALL1(old.sysbrk, A(&at)) == 0 && at == start + 50000);
    for (u32 i = 0; i < 50000; i++) {
        CHECK(((u8 *)P(start))[i] == (i < 100 ? 0xbb : 0));
    }
    at = start - 1;
    CHECK(CALL1(old.sysbrk, A(&at)) == 12 && at == start - 1);
    at = 0xfffffff0;
    CHECK(CALL1(old.sysbrk, A(&at)) == 12);
    at = 0;
    CHECK(CALL1(old.sysbrk, A(&at)) == 0 && at == start + 50000);
}

static struct {
    u32 init, get;
} tls;
static struct {
    u32 create, exit, nice;
} thread;
static struct {
    u32 wait_abs, wake;
} futex;

static void check_tls(void) {
    CHECK(QUERY("tls-0.1", tls) == 8);
    CHECK(__ice_read_tp() == 0);
    CHECK(CALL1(tls.init, 0x12345677) == 0);
    CHECK(__ice_read_tp() == 0x12345677 && (u32)((i32(*)(void))P(tls.get))() == 0x12345677);
    CHECK(CALL1(tls.init, 0xfffffff1) == 0 && __ice_read_tp() == 0xfffffff1);
}

/* A lock on a futex, as the program's thread library has it: free, held, held with waiters. */
static void lock(u32 *word) {
    u32 expected = 0;
    if (__atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        return;
    }
    while (__atomic_exchange_n(word, 2, __ATOMIC_SEQ_CST) != 0) {
        i32 error = CALL3(futex.wait_abs, A(word), 2, 0);
        CHECK(error == 0 || error == 11);
    }
}

static void unlock(u32 *word) {
    u32 woken;
    if (__atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST) == 2) {
        CHECK(CALL3(futex.wake, A(word), 1, A(&woken)) == 0 && woken <= 1);
    }
}

enum { THREADS = 4, ROUNDS = 20, STEPS = 500 };

struct control {
    u32 self;
    u32 stack_flag;
    u32 steps;
};

static u32 counter_lock, counter, misaligned;

static void thread_main(void) {
    struct control *me = P(__ice_read_tp());
#if defined(__i386__)
    misaligned |= (A(__builtin_frame_address(0)) + 8) % 16;
#elif defined(__x86_64__)
    misaligned |= (A(__builtin_frame_address(0)) + 16) % 16;
#else
    misaligned |= A(__builtin_frame_address(0)) % 4;
#endif
    CHECK(me->self == A(me));
    for (u32 i = 0; i < me->steps; i++) {
        lock(&counter_lock);
        counter++;
        unlock(&counter_lock);
    }
    CHECK(CALL1(tls.init, A(me) + 1) == 0 && __ice_read_tp() == A(me) + 1);
    ((void (*)(u32))P(thread.exit))(A(&me->stack_flag));
    fail("thread_exit returned", __LINE__);
}

static void query_threads(void) {
    CHECK(QUERY("tls-0.1", tls) == 8 && QUERY("thread-0.1", thread) == 12);
    CHECK(QUERY("futex-0.1", futex) == 8);
}

static void join(u32 *flag) {
    while (__atomic_load_n(flag, __ATOMIC_SEQ_CST) != 0) {
        ((i32(*)(void))P(basic.sched_yield))();
    }
}

/* Small stacks with tops that are 8 modulo 16, freed as soon as the flag is cleared. */
static void check_threads(void) {
    static struct control controls[THREADS];
    u32 stacks[THREADS];
    query_threads();
    CHECK(CALL1(tls.init, 0x1000) == 0);
    CHECK(CALL1(thread.nice, 5) == 0);
    for (u32 round = 0; round < ROUNDS; round++) {
        for (u32 i = 0; i < THREADS; i++) {
            controls[i] = (struct control){A(&controls[i]), 1, STEPS};
            stacks[i] = new_pages(16384);
            CHECK(CALL3(thread.create, A(&thread_main), stacks[i] + 16384 - 8, A(&controls[i])) == 0);
        }
        for (u32 i = 0; i < THREADS; i++) {
            join(&controls[i].stack_flag);
            CHECK(CALL2(memory.munmap, stacks[i], 16384) == 0);
        }
    }
    CHECK(counter == THREADS * ROUNDS * STEPS && misaligned == 0);
    CHECK(__ice_read_tp() == 0x1000);

    /* Version 0.2 tells an identifier that is not the main thread's, before the thread runs. */
    u32 ids[2] = {0, 0};
    CHECK(QUERY("thread-0.2", thread) == 12);
    for (u32 i = 0; i < 2; i++) {
        controls[i] = (struct control){A(&controls[i]), 1, 1};
        stacks[i] = new_pages(16384);
        CHECK(CALL4(thread.create, A(&thread_main), stacks[i] + 16384, A(&controls[i]), A(&ids[i])) == 0);
        join(&controls[i].stack_flag);
    }
    CHECK(ids[0] != 0 && ids[1] != 0 && ids[0] != ids[1]);
}

static void thread_ends_process(void) {
    u8 request[16] = {0};
    u32 pause = 30000000;
    memcpy(request + 8, &pause, 4);
    CALL2(basic.nanosleep, A(request), 0);
    print("last\n");
    CALL1(basic.exit, 7);
}

/* The main thread ends first; the process ends with status 7 when the other one says so. */
static void check_main_thread_exit(void) {
    query_threads();
    CHECK(CALL3(thread.create, A(&thread_ends_process), new_pages(16384) + 16384, 1) == 0);
    ((void (*)(u32))P(thread.exit))(0);
}

static u32 wake_word, waiting, awake;

static void thread_waits(void) {
    __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&wake_word, __ATOMIC_SEQ_CST) == 0) {
        i32 error = CALL3(futex.wait_abs, A(&wake_word), 0, 0);
        CHECK(error == 0 || error == 11);
    }
    __atomic_add_fetch(&awake, 1, __ATOMIC_SEQ_CST);
    ((void (*)(u32))P(thread.exit))(0);
}

static i64 realtime(u32 gettime, u8 *time) {
    CHECK(CALL2(gettime, 0, A(time)) == 0);
    return (i64)u64_at(time, 0) * 1000000000 + u32_at(time, 8);
}

static void check_futex(void) {
    struct {
        u32 getres, gettime;
    } clock_get;
    u8 now[16], deadline[16];
    u32 word = 5, woken = 77;
    query_threads();
    CHECK(QUERY("clock_get-0.1", clock_get) == 8);
    CHECK(CALL3(futex.wait_abs, A(&word), 4, 0) == 11);
    CHECK(CALL3(futex.wake, A(&word), 10, A(&woken)) == 0 && woken == 0);

    /* Deadlines: long past, before 1970, wrong, and 20 ms ahead. */
    memset(deadline, 0, sizeof deadline);
    CHECK(CALL3(futex.wait_abs, A(&word), 5, A(deadline)) == 110);
    CHECK(CALL3(futex.wait_abs, A(&word), 4, A(deadline)) == 11);
    memset(deadline, 0xff, 8);
    CHECK(CALL3(futex.wait_abs, A(&word), 5, A(deadline)) == 110);
    CHECK(CALL3(futex.wait_abs, A(&word), 4, A(deadline)) == 11);
    memset(deadline + 8, 0xff, 4);
    CHECK(CALL3(futex.wait_abs, A(&word), 5, A(deadline)) == 22);
    i64 limit = realtime(clock_get.gettime, now) + 20000000;
    i64 seconds = limit / 1000000000;
    i32 nanoseconds = (i32)(limit % 1000000000);
    memcpy(deadline, &seconds, 8);
    memcpy(deadline + 8, &nanoseconds, 4);
    i32 error;
    do {
        error = CALL3(futex.wait_abs, A(&word), 5, A(deadline));
    } while (error == 0);
    CHECK(error == 110 && realtime(clock_get.gettime, now) >= limit);

    /* Three wait; one wake-up each is counted. */
    for (u32 i = 0; i < 3; i++) {
        CHECK(CALL3(thread.create, A(&thread_waits), new_pages(16384) + 16384, 1) == 0);
    }
    while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) != 3) {
        ((i32(*)(void))P(basic.sched_yield))();
    }
    __atomic_store_n(&wake_word, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&awake, __ATOMIC_SEQ_CST) != 3) {
        CHECK(CALL3(futex.wake, A(&wake_word), 1, A(&woken)) == 0 && woken <= 1);
    }
}

/* setjmp and longjmp. The buffers have the size and alignment the program gives them. */
static u64 outer[128], inner[128];
static volatile i32 seed = 3;
static volatile i32 values[7] = {9, 15, 21, 27, 33, 39, 45}; /* volatile: loaded once, then kept */

static __attribute__((noinline)) void jump_from(u32 depth, u32 buffer, i32 value) {
    volatile char space[64];
    space[0] = (char)depth;
    if (depth == 0) {
        __ice_longjmp(buffer, value);
    }
    if (depth <= 1000) {
        jump_from(depth - 1, buffer, value);
    }
    space[1] = space[0]; /* keeps the frame alive below the call */
}

/* Called through a pointer that does not tell of the second return, setjmp leaves the values below
 * in callee-saved registers; jump_dirty fills those with others before it jumps. */
static i32 (*volatile plain_setjmp)(u32) = __ice_setjmp;

static __attribute__((noinline)) double jump_dirty(i32 n) {
    i32 a = n + 11, b = n + 12, c = n + 13, d = n + 14, e = n + 15, f = n + 16;
    double x = n + 0.5, y = n + 1.5, z = n + 2.5, w = n + 3.5;
    for (i32 i = 0; i < n; i++) {
        ((i32(*)(void))P(basic.sched_yield))();
        a += b, b += c, c += d, d += e, e += f, f += a;
        x += y, y += z, z += w, w += x;
    }
    if (n != 0) {
        __ice_longjmp(A(inner), a + b + c + d + e + f > 0 ? 9 : 8);
    }
    return x + y + z + w;
}

static __attribute__((noinline)) void check_registers(i32 n) {
    i32 a = values[0], b = values[1], c = values[2], d = values[3], e = values[4], f = values[5];
    i32 g = values[6];
    double x = n * 0.5, y = n * 0.25, z = n * 0.125;
    if (plain_setjmp(A(inner)) == 0) {
        jump_dirty(n);
    }
    CHECK(a == 9 && b == 15 && c == 21 && d == 27 && e == 33 && f == 39 && g == 45);
    CHECK(x == 1.5 && y == 0.75 && z == 0.375);
}

static void check_setjmp(void) {
    volatile u32 returns = 0;
    i32 value = __ice_setjmp(A(outer));
    returns++;
    if (value == 0) {
        CHECK(returns == 1);
        i32 second = __ice_setjmp(A(inner));
        if (second == 0) {
            jump_from(10, A(inner), -5);
        }
        CHECK(second == -5);
        jump_from(100, A(outer), 0);
    }
    if (returns == 2) {
        CHECK(value == 1); /* 0 becomes 1 */
        jump_from(0, A(outer), 0x7fffffff);
    }
    CHECK(returns == 3 && value == 0x7fffffff);
    check_registers(seed);
}

static void check_time(void) {
    struct {
        u32 getres, gettime;
    } clock_get;
    u8 time[20], before[16];
    u32 ticks = 0, later = 0;
    CHECK(QUERY("clock_get-0.1", clock_get) == 8);
    memset(time, 0x5a, sizeof time);
    CHECK(CALL1(basic.gettod, A(time)) == 0);
    CHECK(u64_at(time, 0) > 1500000000 && u32_at(time, 8) < 1000000);
    CHECK(u32_at(time, 12) == 0x5a5a5a5a && u32_at(time, 16) == 0x5a5a5a5a);
    for (u32 id = 0; id < 4; id++) {
        memset(time, 0x5a, sizeof time);
        CHECK(CALL2(clock_get.gettime, id, A(time)) == 0 && u32_at(time, 8) < 1000000000);
        CHECK(u32_at(time, 12) == 0x5a5a5a5a);
        CHECK(CALL2(clock_get.getres, id, A(time)) == 0 && u64_at(time, 0) == 0);
        CHECK(u32_at(time, 8) != 0 && CALL2(clock_get.getres, id, 0) == 0);
    }
    CHECK(CALL2(clock_get.gettime, 4, A(time)) == 22 && CALL2(clock_get.getres, 0xffffffff, 0) == 22);
    /* A sleep of 20 ms takes that long, and costs little processor time. */
    CHECK(CALL2(clock_get.gettime, 1, A(before)) == 0);
    u8 request[16] = {0};
    u32 pause = 20000000;
    memcpy(request + 8, &pause, 4);
    CHECK(CALL2(basic.nanosleep, A(request), 0) == 0);
    CHECK(CALL2(clock_get.gettime, 1, A(time)) == 0);
    i64 slept = (i64)(u64_at(time, 0) - u64_at(before, 0)) * 1000000000 +
                (i64)u32_at(time, 8) - (i64)u32_at(before, 8);
    CHECK(slept >= 20000000 && slept < 20000000000);
    pause = 1000000000;
    memcpy(request + 8, &pause, 4);
    CHECK(CALL2(basic.nanosleep, A(request), 0) == 22);
    /* The processor clock advances with work. */
    CHECK(CALL1(basic.clock, A(&ticks)) == 0);
    do {
        CHECK(CALL1(basic.clock, A(&later)) == 0);
    } while (later - ticks < 2000);
}

static void check_host(void) {
    u32 value = 0, entry;
    u8 first[32] = {0}, second[32] = {0};
    CHECK(CALL2(basic.sysconf, 1, A(&value)) == 0 && value >= 1 && value < 4096);
    CHECK(CALL2(basic.sysconf, 2, A(&value)) == 0 && value >= 4096 && (value & (value - 1)) == 0);
    value = 99;
    CHECK(CALL2(basic.sysconf, 0, A(&value)) == 22 && CALL2(basic.sysconf, 65536, A(&value)) == 22);
    CHECK(CALL2(basic.sysconf, 1 << 24, A(&value)) == 22 && value == 99);
    CHECK(((i32(*)(void))P(basic.sched_yield))() == 0);
    CHECK(QUERY("random-0.1", entry) == 4);
    CHECK(CALL3(entry, A(first), 32, A(&value)) == 0 && value == 32);
    CHECK(CALL3(entry, A(second), 31, A(&value)) == 0 && value == 31);
    CHECK(memcmp(first, second, 31) != 0 && second[31] == 0);
    CHECK(QUERY("dev-getpid-0.1", entry) == 4);
    CHECK(CALL1(entry, A(&value)) == 0 && (i32)value > 0);
}

static struct {
    u32 create, destroy, lock, unlock, trylock;
} mutex;
static struct {
    u32 create, destroy, signal, broadcast, wait, timed_wait_abs;
} cond;
static struct {
    u32 create, destroy, post, wait;
} sem;
static i32 sync_mutex, sync_cond, sync_sem;
static u32 tickets;

static void sync_thread(void) {
    for (u32 i = 0; i < 200; i++) {
        CHECK(CALL1(mutex.lock, sync_mutex) == 0);
        counter++;
        CHECK(CALL1(mutex.unlock, sync_mutex) == 0);
    }
    CHECK(CALL1(mutex.lock, sync_mutex) == 0);
    while (tickets == 0) {
        CHECK(CALL2(cond.wait, sync_cond, sync_mutex) == 0);
    }
    tickets--;
    CHECK(CALL1(mutex.unlock, sync_mutex) == 0);
    CHECK(CALL1(sem.post, sync_sem) == 0);
    ((void (*)(u32))P(thread.exit))(0);
}

static void check_sync(void) {
    u8 past[16] = {0};
    query_threads();
    CHECK(QUERY("mutex-0.1", mutex) == 20 && QUERY("cond-0.1", cond) == 24);
    CHECK(QUERY("sem-0.1", sem) == 16);
    CHECK(CALL1(mutex.create, A(&sync_mutex)) == 0 && CALL1(cond.create, A(&sync_cond)) == 0);
    CHECK(CALL2(sem.create, A(&sync_sem), 0) == 0 && CALL2(sem.create, A(&sync_sem), -1) == 22);
    /* All three wait for the mutex before it is free the first time. */
    CHECK(CALL1(mutex.lock, sync_mutex) == 0);
    for (u32 i = 0; i < 3; i++) {
        CHECK(CALL3(thread.create, A(&sync_thread), new_pages(16384) + 16384, 1) == 0);
    }
    u8 request[16] = {0};
    u32 pause = 50000000;
    memcpy(request + 8, &pause, 4);
    CHECK(CALL2(basic.nanosleep, A(request), 0) == 0 && counter == 0);
    CHECK(CALL1(mutex.unlock, sync_mutex) == 0);
    CHECK(CALL1(mutex.lock, sync_mutex) == 0 && CALL1(mutex.trylock, sync_mutex) == 16);
    CHECK(CALL1(mutex.destroy, sync_mutex) == 16);
    CHECK(CALL3(cond.timed_wait_abs, sync_cond, sync_mutex, A(past)) == 110);
    tickets = 3;
    CHECK(CALL1(cond.signal, sync_cond) == 0 && CALL1(mutex.unlock, sync_mutex) == 0);
    CHECK(CALL1(cond.broadcast, sync_cond) == 0);
    for (u32 i = 0; i < 3; i++) {
        CHECK(CALL1(sem.wait, sync_sem) == 0);
    }
    CHECK(counter == 600 && tickets == 0);
    CHECK(CALL1(mutex.trylock, sync_mutex) == 0 && CALL1(mutex.unlock, sync_mutex) == 0);
    CHECK(CALL1(mutex.destroy, sync_mutex) == 0 && CALL1(mutex.lock, sync_mutex) == 9);
    CHECK(CALL1(mutex.lock, sync_cond) == 9 && CALL1(sem.post, 99999) == 9);
    CHECK(CALL1(cond.destroy, sync_cond) == 0 && CALL1(sem.destroy, sync_sem) == 0);
}

/* Uses argv[2] KiB of stack. Each call looks into its caller's frame, so none becomes a loop. */
static __attribute__((noinline)) u32 descend(u32 kib, volatile u8 *above) {
    volatile u8 page[1024];
    page[0] = (u8)(kib + above[0]);
    u32 below = kib == 0 ? 0 : descend(kib - 1, page);
    return below + page[0];
}

static void check_stack(void) {
    u32 kib = 0;
    for (const char *p = arg(2); *p != 0; p++) {
        kib = kib * 10 + (u32)(*p - '0');
    }
    volatile u8 above[1] = {0};
    CHECK(descend(kib, above) != 1);
}

/* What later back ends call: see abi.c. */
static void check_helpers(void) {
#if defined(__arm__) || defined(__mips__)
    i64 __ice_f32_to_i64(float);
    i64 __ice_f64_to_i64(double);
    u64 __ice_f32_to_u64(float);
    u64 __ice_f64_to_u64(double);
    float __ice_i64_to_f32(i64);
    double __ice_i64_to_f64(i64);
    float __ice_u64_to_f32(u64);
    double __ice_u64_to_f64(u64);
    CHECK(__ice_f32_to_i64(-8589934592.0f) == -8589934592ll);
    CHECK(__ice_f64_to_i64(-1234567890123.75) == -1234567890123ll);
    CHECK(__ice_f32_to_u64(9223372036854775808.0f) == 1ull << 63);
    CHECK(__ice_f64_to_u64(18446744073709549568.0) == 0xfffffffffffff800ull);
    CHECK(__ice_i64_to_f32(-(1ll << 40)) == -1099511627776.0f);
    CHECK(__ice_i64_to_f64(-(1ll << 53) + 1) == -9007199254740991.0);
    CHECK(__ice_u64_to_f32(1ull << 63) == 9223372036854775808.0f);
    CHECK(__ice_u64_to_f64(~0ull) == 18446744073709551616.0);
#endif
#if defined(__mips__)
    u64 __ice_atomic_load_8(u32);
    void __ice_atomic_store_8(u32, u64);
    u64 __ice_atomic_exchange_8(u32, u64);
    u64 __ice_atomic_add_8(u32, u64);
    u64 __ice_atomic_sub_8(u32, u64);
    u64 __ice_atomic_and_8(u32, u64);
    u64 __ice_atomic_or_8(u32, u64);
    u64 __ice_atomic_xor_8(u32, u64);
    u64 __ice_atomic_cmpxchg_8(u32, u64, u64);
    u64 word = 0;
    __ice_atomic_store_8(A(&word), 0x1ffffffffull);
    CHECK(__ice_atomic_load_8(A(&word)) == 0x1ffffffffull);
    CHECK(__ice_atomic_add_8(A(&word), 1) == 0x1ffffffffull && word == 0x200000000ull);
    CHECK(__ice_atomic_sub_8(A(&word), 1) == 0x200000000ull && word == 0x1ffffffffull);
    CHECK(__ice_atomic_and_8(A(&word), 0x10000000full) == 0x1ffffffffull && word == 0x10000000full);
    CHECK(__ice_atomic_or_8(A(&word), 0x70) == 0x10000000full && word == 0x10000007full);
    CHECK(__ice_atomic_xor_8(A(&word), 0x10000000full) == 0x10000007full && word == 0x70);
    CHECK(__ice_atomic_exchange_8(A(&word), 8) == 0x70 && word == 8);
    CHECK(__ice_atomic_cmpxchg_8(A(&word), 7, 9) == 8 && word == 8);
    CHECK(__ice_atomic_cmpxchg_8(A(&word), 8, 9ull << 40) == 8 && word == 9ull << 40);
#endif
}

static void check_exit_code(void) {
    CALL1(basic.exit, 0x12a); /* the low 8 bits: 42 */
}

static void thread_returns(void) {
}

/* A start function that returns ends the process by SIGABRT. */
static void check_thread_returns(void) {
    query_threads();
    CHECK(CALL3(thread.create, A(&thread_returns), new_pages(16384) + 16384, 1) == 0);
    for (;;) {
        ((i32(*)(void))P(basic.sched_yield))();
    }
}

static void nothing(void) {
}

static const struct {
    const char *name;
    void (*check)(void);
} checks[] = {
    {"info", check_info},
    {"query", check_query},
    {"cat", check_cat},
    {"fdio", check_fdio},
    {"close", check_close},
    {"files", check_files},
    {"memory", check_memory},
    {"little-memory", check_little_memory},
    {"page-size", check_page_size},
    {"sysbrk", check_sysbrk},
    {"tls", check_tls},
    {"threads", check_threads},
    {"main-thread-exit", check_main_thread_exit},
    {"thread-returns", check_thread_returns},
    {"futex", check_futex},
    {"setjmp", check_setjmp},
    {"time", check_time},
    {"host", check_host},
    {"sync", check_sync},
    {"stack", check_stack},
    {"helpers", check_helpers},
    {"exit-code", check_exit_code},
    {"return", nothing},
};

/* Comes back when the check has passed: the return is exit status 0. */
void pexe_start(u32 block);
void pexe_start(u32 block) {
    info = P(block);
    envc = info[1];
    argc = info[2];
    argv = info + 3;
    envp = argv + argc + 1;
    u32 *aux = envp + envc + 1;
    while (aux[0] != 0 && aux[0] != 32) {
        aux += 2;
    }
    query = (query_function *)P(aux[1]);
    struct {
        u32 entries[8];
    } fdio_1;
    if (QUERY("fdio-0.1", fdio_1) != 32 || QUERY("basic-0.1", basic) != 24 ||
        QUERY("memory-0.3", memory) != 12 || argc < 2) {
        __builtin_trap();
    }
    memcpy(&fdio, &fdio_1, sizeof fdio_1);
    for (u32 i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (strcmp(checks[i].name, arg(1)) == 0) {
            checks[i].check();
            return;
        }
    }
    fail("no such check", __LINE__);
}
