/* The loader of the sandbox: an executable of NaCl in its window of memory, on x86-64, x86-32, ARM and MIPS.
 *
 * The executable is the end of this file, as the driver has put it there: its bytes, their number in eight bytes, and
 * eight bytes of a mark. Its text was validated before. Here its segments are checked by the rules of the
 * original loader and come to their places:
 *
 *     40 GiB nothing | 64 KiB nothing, calls, text, constants, data, arena, stack, 64 KiB nothing | 40 GiB nothing
 *                    ^ ice_window, a multiple of 4 GiB, in r15
 *
 * On ARM and MIPS the window is the first GiB of the process, and the loader is linked above it. On x86-32 it is any GiB, to which
 * the program's segments are limited (segments.c): nothing needs to surround it.
 *
 * Calls: from 0x10000 on lie 2048 places of 32 bytes, each with code that goes to ice_enter (x86_64.S, i386.S, arm.S, mips.S) with its number. That
 * leaves the program's stack, which other threads of it can write, for the host's, calls the function of the number, and
 * returns to a masked address. So trusted code never runs on memory of the program, and every address of the program that
 * it uses is one in the window (guest()), whatever the program says.
 *
 * Invariants: no page is both writable and executable; pages of text and calls never change; nothing of the host lies in
 * the window or in what surrounds it. A fault of the program, or of a call that it gave a bad address, ends it with a
 * line that says where (faults.c).
 */
#include "runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
    PLACES = 2048,
    PLACE_BYTES = 32,
    PLACES_START = 0x10000,
    TLS_GET = 84,          /* the number that NaCl has for it */
    ATOMIC_8 = 1022,       /* atomics of 64 bits, on MIPS */
    RETURNED = 1023,       /* where the program's start function returns to */
    FIRST_FUNCTION = 1024, /* functions of tables from here on */
    TEXT_START = 0x20000,
    PAGE = 0x10000,
};

/* What differs from machine to machine. */
#ifdef __x86_64__
enum { BUNDLE = 32, HALT_BYTES = 1, OWN_MACHINE = EM_X86_64 };
static const u64 GUARD = (u64)40 << 30;
static const u8 HALT[4] = {0xf4, 0xf4, 0xf4, 0xf4};
#elif defined(__i386__)
enum { BUNDLE = 32, HALT_BYTES = 1, OWN_MACHINE = EM_386 };
static const u8 HALT[4] = {0xf4, 0xf4, 0xf4, 0xf4};
#elif defined(__mips__)
enum { BUNDLE = 16, HALT_BYTES = 4, OWN_MACHINE = EM_MIPS };
static const u8 HALT[4] = {0x0d, 0, 0, 0};
#else
enum { BUNDLE = 16, HALT_BYTES = 4, OWN_MACHINE = EM_ARM };
static const u8 HALT[4] = {0xff, 0xde, 0xfe, 0xe7};
#endif
#define WINDOW ICE_WINDOW_BYTES

u8 *ice_window;
u32 ice_program_start, ice_program_end, ice_text_end;
void (*ice_functions[PLACES])(void);
static u32 function_count = FIRST_FUNCTION;

void ice_enter(void);
_Noreturn void ice_return_stack(uintptr_t saved);

/* A number that no function stands behind; NaCl's own calls give negative error numbers. */
static i32 no_function(void) {
    return -38;
}

static void program_returned(void) {
    ice_return_stack(ice_own()->host_stack);
}

u32 ice_entry_address(void (*function)(void)) {
    for (u32 i = FIRST_FUNCTION; i < function_count; i++) {
        if (ice_functions[i] == function) {
            return PLACES_START + i * PLACE_BYTES;
        }
    }
    if (function_count == PLACES) {
        ice_fatal("too many functions", "");
    }
    ice_functions[function_count] = function;
    return PLACES_START + function_count++ * PLACE_BYTES;
}

u32 ice_start_address(void) {
    return ice_program_start;
}

static void check_mapping(void *got) {
    if (got == MAP_FAILED) {
        ice_fatal("cannot map the program: ", strerror(errno));
    }
}

static u64 page_end(u64 address) {
    return (address + PAGE - 1) & ~(u64)(PAGE - 1);
}

#ifdef __x86_64__
static void reserve_window(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    u64 bytes = GUARD + 2 * WINDOW + GUARD;
    u8 *got = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) {
        ice_fatal("no room for the window and its guards, 88 GiB of addresses (see ulimit -v)", "");
    }
    u64 start = ((u64)(uintptr_t)got + GUARD + WINDOW - 1) & ~(WINDOW - 1);
    ice_window = (u8 *)(uintptr_t)start;
}
#elif defined(__i386__)
static void reserve_window(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    u8 *got = mmap(NULL, (size_t)WINDOW + PAGE, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) {
        ice_fatal("no room for the window, a GiB of addresses (see ulimit -v)", "");
    }
    ice_window = (u8 *)(uintptr_t)page_end((uintptr_t)got);
}
#else
/* Nothing is at the first addresses anyway. Offsets reach a page beyond the window, and a little more: nothing may be there
 * and on the last pages of the window. Emulators have the far end of the main stack there. */
static void reserve_window(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    u8 *start = (u8 *)PLACES_START, *end = (u8 *)(uintptr_t)(WINDOW - PAGE);
    if (mmap(start, (size_t)(end - start), PROT_NONE, flags, -1, 0) != start) { /* free places are given if asked for */
        ice_fatal("the first GiB of addresses is not free for the window", "");
    }
    check_mapping(mmap(end, 2 * PAGE, PROT_NONE, flags | MAP_FIXED, -1, 0));
}
#endif

/* Maps whole pages of the window, for now writable. */
static void map_pages(u64 start, u64 end) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    check_mapping(mmap(ice_window + start, end - start, PROT_READ | PROT_WRITE, flags, -1, 0));
}

static void protect_pages(u64 start, u64 end, int protection) {
    if (mprotect(ice_window + start, end - start, protection) != 0) {
        ice_fatal("cannot protect the program: ", strerror(errno));
    }
}

/* Fills whole words with the instruction that halts. */
static void fill_with_halts(u64 start, u64 end) {
    for (; start < end; start += sizeof HALT) {
        memcpy(ice_window + start, HALT, sizeof HALT);
    }
}

#ifdef __x86_64__
extern const u8 ice_tls_get_code[], ice_tls_get_end[]; /* x86_64.S */

/* mov $number, %eax; movabs $ice_enter, %r11; jmp *%r11 */
static void write_place(u8 *place, u32 number) {
    u64 target = (u64)(uintptr_t)&ice_enter;
    place[0] = 0xb8;
    memcpy(place + 1, &number, 4);
    memcpy(place + 5, "\x49\xbb", 2);
    memcpy(place + 7, &target, 8);
    memcpy(place + 15, "\x41\xff\xe3", 3);
}

static void write_tls_get(u8 *place) {
    memcpy(place, ice_tls_get_code, (size_t)(ice_tls_get_end - ice_tls_get_code));
}
#else
#ifdef __i386__
/* mov $number, %eax; ljmp $the host's code, $ice_enter */
static void write_place(u8 *place, u32 number) {
    u32 target = (u32)(uintptr_t)&ice_enter;
    u16 selector;
    __asm__("mov %%cs, %0" : "=r"(selector));
    place[0] = 0xb8;
    memcpy(place + 1, &number, 4);
    place[5] = 0xea;
    memcpy(place + 6, &target, 4);
    memcpy(place + 10, &selector, 2);
}
#elif defined(__mips__)
/* lui t9 and ori t9: ice_enter; jr t9; li at: the number. One bundle; its registers are none that a call keeps. */
static void write_place(u8 *place, u32 number) {
    u32 target = (u32)(uintptr_t)&ice_enter;
    u32 words[4] = {0x3c190000 | target >> 16, 0x37390000 | (target & 0xffff), 0x03200008, 0x24010000 | number};
    memcpy(place, words, sizeof words);
}
#else
/* ldr ip, [pc]; ldr pc, [pc]; the number; ice_enter: one bundle, so that no data begins one. */
static void write_place(u8 *place, u32 number) {
    u32 words[4] = {0xe59fc000, 0xe59ff000, number, (u32)(uintptr_t)&ice_enter};
    memcpy(place, words, sizeof words);
}
#endif

static void write_tls_get(u8 *place) {
    write_place(place, TLS_GET);
    ice_functions[TLS_GET] = (void (*)(void))irt_tls_get;
}
#endif

#ifdef __mips__
/* The operands are at `values`, and the result comes there. */
static void atomic_8(u32 operation, u32 address, u32 values) {
    static u64 (*const operations[])(u32, u64) = {
        __ice_atomic_exchange_8, __ice_atomic_add_8, __ice_atomic_sub_8,
        __ice_atomic_and_8,      __ice_atomic_or_8,  __ice_atomic_xor_8,
    };
    u64 value = (u64)get_i64(values);
    switch (operation) {
    case 0:
        value = __ice_atomic_load_8(address);
        break;
    case 1:
        __ice_atomic_store_8(address, value);
        break;
    case 8:
        value = __ice_atomic_cmpxchg_8(address, value, (u64)get_i64(values + 8));
        break;
    default:
        value = operation < 8 ? operations[operation - 2](address, value) : 0;
    }
    put_u64(values, value);
}
#endif

static void write_places(void) {
    map_pages(PLACES_START, TEXT_START);
    fill_with_halts(PLACES_START, TEXT_START);
    for (u32 i = 0; i < PLACES; i++) {
        u8 *place = ice_window + PLACES_START + i * PLACE_BYTES;
        ice_functions[i] = (void (*)(void))no_function;
        if (i == TLS_GET) {
            write_tls_get(place);
        } else {
            write_place(place, i);
        }
    }
    ice_functions[RETURNED] = program_returned;
#ifdef __mips__
    ice_functions[ATOMIC_8] = (void (*)(void))atomic_8;
#endif
    u8 *places = ice_window + PLACES_START;
    __builtin___clear_cache((char *)places, (char *)places + PLACES * PLACE_BYTES);
    protect_pages(PLACES_START, TEXT_START, PROT_READ | PROT_EXEC);
}

/* The executable: header and segments of either class. */

struct segment {
    u32 type, flags;
    u64 offset, address, in_file, in_memory;
};

static _Noreturn void refuse(const char *what) {
    ice_fatal("the executable is refused: ", what);
}

static void read_segment(const u8 *at, int is_64, struct segment *segment) {
    if (is_64) {
        Elf64_Phdr header;
        memcpy(&header, at, sizeof header);
        *segment = (struct segment){header.p_type,  header.p_flags,  header.p_offset,
                                    header.p_vaddr, header.p_filesz, header.p_memsz};
    } else {
        Elf32_Phdr header;
        memcpy(&header, at, sizeof header);
        *segment = (struct segment){header.p_type,  header.p_flags,  header.p_offset,
                                    header.p_vaddr, header.p_filesz, header.p_memsz};
    }
}

/* Which of text, constants and data a segment is; -1 for one that is not loaded. */
static int kind_of(const struct segment *segment) {
    u32 type = segment->type, flags = segment->flags;
    if (segment->in_memory == 0 && type == PT_LOAD) {
        return -1;
    }
    if (type == PT_LOAD) {
        switch (flags) {
        case PF_R | PF_X:
            return 0;
        case PF_R:
            return 1;
        case PF_R | PF_W:
            return 2;
        }
        refuse("a segment has other rights");
    }
    int is_known = type == PT_PHDR || type == PT_TLS || type == PT_INTERP || type == PT_NOTE ||
                   type == PT_GNU_EH_FRAME || type == PT_GNU_RELRO || type == PT_NULL ||
                   type == PT_DYNAMIC || type == PT_GNU_STACK ||
                   (OWN_MACHINE == EM_ARM && type == PT_ARM_EXIDX) ||
                   (OWN_MACHINE == EM_MIPS && type == PT_MIPS_REGINFO);
    if (!is_known || (flags & PF_X) != 0) {
        refuse("a segment of another type");
    }
    return -1;
}

static void load_segment(const u8 *file, const struct segment *segment, int kind) {
    static const int protections[] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    u64 start = segment->address & ~(u64)(PAGE - 1), end = page_end(segment->address + segment->in_memory);
    map_pages(start, end);
    if (kind == 0) {
        fill_with_halts(start, end);
    }
    u8 *at = ice_window + segment->address;
    memcpy(at, file + segment->offset, segment->in_file);
    if (kind == 0) {
        __builtin___clear_cache((char *)at, (char *)ice_window + end);
    }
    protect_pages(start, end, protections[kind]);
}

static void load(const u8 *file, u64 size) {
    Elf64_Ehdr header;
    Elf32_Ehdr narrow;
    if (size < sizeof header || memcmp(file, ELFMAG, SELFMAG) != 0 || file[EI_DATA] != ELFDATA2LSB) {
        refuse("it is no ELF file");
    }
    memcpy(&header, file, sizeof header);
    memcpy(&narrow, file, sizeof narrow);
    int is_64 = file[EI_CLASS] == ELFCLASS64;
    u64 entry = is_64 ? header.e_entry : narrow.e_entry;
    u64 headers = is_64 ? header.e_phoff : narrow.e_phoff;
    u32 count = is_64 ? header.e_phnum : narrow.e_phnum;
    u32 each = is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (header.e_type != ET_EXEC || header.e_machine != OWN_MACHINE || header.e_version != EV_CURRENT ||
        (is_64 ? header.e_phentsize : narrow.e_phentsize) != each || count > 128 || headers > size ||
        (u64)count * each > size - headers) {
        refuse("its header is none of a program for this machine");
    }
    struct segment loaded[3] = {{0, 0, 0, 0, 0, 0}};
    for (u32 i = 0; i < count; i++) {
        struct segment segment;
        read_segment(file + headers + (u64)i * each, is_64, &segment);
        int kind = kind_of(&segment);
        if (kind < 0) {
            continue;
        }
        if (loaded[kind].type != 0) {
            refuse("it has two segments of the same rights");
        }
        if (segment.in_file > segment.in_memory || segment.offset > size ||
            segment.in_file > size - segment.offset || segment.address < TEXT_START ||
            segment.address > WINDOW - 2 * PAGE || segment.in_memory > WINDOW - 2 * PAGE - segment.address) {
            refuse("a segment does not lie in the file or in the window");
        }
        loaded[kind] = segment;
    }
    const struct segment *text = &loaded[0], *constants = &loaded[1];
    if (text->type == 0 || text->address != TEXT_START || text->in_file == 0 ||
        text->in_file % BUNDLE != 0 || text->in_memory != text->in_file) {
        refuse("its text is not at 0x20000, or not whole bundles");
    }
    if (entry % BUNDLE != 0 || entry < TEXT_START || entry >= TEXT_START + text->in_file) {
        refuse("it does not begin in its text");
    }
    ice_text_end = (u32)page_end(TEXT_START + text->in_file);
    u64 end = page_end(TEXT_START + text->in_file + BUNDLE);
    for (int i = 1; i < 3; i++) {
        if (loaded[i].type == 0) {
            continue;
        }
        if (loaded[i].address < end || (i == 1 && constants->address % PAGE != 0)) {
            refuse("its segments overlap");
        }
        end = page_end(loaded[i].address + loaded[i].in_memory);
    }
    /* Jumps reach the first 256 MiB, and not every processor has pages that cannot be executed. */
    const u64 code_end = (u64)1 << 28;
    if (OWN_MACHINE == EM_MIPS && (constants->type == 0 || constants->address < code_end)) {
        refuse("its constants are where its code may be");
    }
    for (int i = 0; i < 3; i++) {
        if (loaded[i].type != 0) {
            load_segment(file, &loaded[i], i);
        }
    }
    ice_program_start = (u32)entry;
    ice_program_end = (u32)end;
}

/* The end of this very file. */
static void load_own_end(void) {
    static const char mark[8] = {'i', 'c', 'e', '-', 'n', 'e', 'x', 'e'};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat found;
    if (fd < 0 || fstat(fd, &found) != 0) {
        ice_fatal("cannot read the program: ", strerror(errno));
    }
    const u8 *file = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    check_mapping((void *)(uintptr_t)file);
    u64 total = (u64)found.st_size, size = 0;
    if (total < 16 || memcmp(file + total - 8, mark, 8) != 0) {
        ice_fatal("there is no program behind the loader", "");
    }
    memcpy(&size, file + total - 16, 8);
    if (size > total - 16) {
        ice_fatal("there is no program behind the loader", "");
    }
    load(file + total - 16 - size, size);
    munmap((void *)(uintptr_t)file, (size_t)found.st_size);
    close(fd);
}

/* Whether the instruction at a place of the text is one that halts. */
int ice_is_halt(u32 place) {
    return place < ice_text_end && memcmp(ice_window + place, HALT, HALT_BYTES) == 0;
}

void ice_sandbox_init(void) {
    reserve_window();
    write_places();
    load_own_end();
#ifdef ICE_SEGMENTS
    ice_segments_init();
#endif
    ice_faults_init();
}
