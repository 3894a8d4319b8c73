/* Start-up: from the host's main() to the program's first instruction.
 *
 * The program keeps 32-bit pointers, and a 64-bit host puts its stack and strings far above 4 GiB.
 * So the stack and the information block live in the topmost part of the arena (memory.c), which
 * the program can neither map over nor unmap:
 *
 *     arena of the program | guard 64 KiB | stack | information block, strings | guard 64 KiB
 *
 * The information block is an array of words: 0 (clean-up function), envc, argc, the argv
 * addresses, 0, the envp addresses, 0, and pairs (type, value) ended by type 0; type 32 carries
 * the address of the query function. A return of pexe_start means exit status 0.
 */
#include "runtime.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>

enum {
    AT_PEXE_QUERY = 32,
    START_GUARD = 64 << 10,
    STACK_DEFAULT = 16 << 20,
    STACK_MINIMUM = 64 << 10,
    STATUS_CANNOT_START = 125,
};

/* Writes the strings to the error output in one call, so that lines of threads do not mix. */
void ice_write_error(const char *const *parts, int count) {
    struct iovec vector[8];
    for (int i = 0; i < count; i++) {
        vector[i].iov_base = (void *)(uintptr_t)parts[i];
        vector[i].iov_len = strlen(parts[i]);
    }
    ssize_t ignored = writev(STDERR_FILENO, vector, count);
    (void)ignored;
}

_Noreturn void ice_fatal(const char *what, const char *detail) {
    const char *const parts[] = {"ice: ", what, detail, "\n"};
    ice_write_error(parts, 4);
    _exit(STATUS_CANNOT_START);
}

/* A switch is on when its environment variable is there and neither empty nor "0". */
int ice_switch_is_on(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && value[0] != 0 && strcmp(value, "0") != 0;
}

/* ICE_STACK_SIZE: decimal bytes, or with a suffix K, M or G. */
static u32 stack_size(void) {
    const char *text = getenv("ICE_STACK_SIZE");
    if (text == NULL || text[0] == 0) {
        return STACK_DEFAULT;
    }
    u64 value = 0;
    const char *p = text;
    while (*p >= '0' && *p <= '9' && value <= UINT32_MAX) {
        value = value * 10 + (u64)(*p++ - '0');
    }
    int shift = *p == 'K' ? 10 : *p == 'M' ? 20 : *p == 'G' ? 30 : 0;
    p += shift != 0;
    value <<= shift;
    if (p == text || *p != 0 || value < STACK_MINIMUM || value > (u64)2 << 30) {
        ice_fatal("ICE_STACK_SIZE must be between 64K and 2G: ", text);
    }
    return (u32)value;
}

/* Copies a NULL-ended array of strings: the addresses to *words, the bytes to *bytes. */
static void copy_strings(char *const *strings, u32 *words, u32 *bytes) {
    for (; *strings != NULL; strings++) {
        size_t size = strlen(*strings) + 1;
        memcpy(guest(*bytes), *strings, size);
        put_u32(*words, *bytes);
        *words += 4;
        *bytes += (u32)size;
    }
    put_u32(*words, 0);
    *words += 4;
}

static u64 size_of_strings(char *const *strings, u32 *count) {
    u64 size = 0;
    for (*count = 0; strings[*count] != NULL; ++*count) {
        size += strlen(strings[*count]) + 1;
    }
    return size;
}

int main(int argc, char **argv, char **envp) {
    static char *no_arguments[] = {(char *)(uintptr_t) "", NULL};
    if (argc < 1) {
        argv = no_arguments; /* programs read argv[0] without a look at argc */
    }
#ifdef ICE_SANDBOX
    ice_sandbox_init();
#else
    if ((u64)(uintptr_t)&irt_query >> 32 != 0 || (u64)(uintptr_t)&pexe_start >> 32 != 0) {
        ice_fatal("the program must be linked with -no-pie", "");
    }
#endif

    u32 arg_count, env_count;
    u64 string_bytes = size_of_strings(argv, &arg_count) + size_of_strings(envp, &env_count);
    u32 word_count = 3 + arg_count + 1 + env_count + 1 + 4;
    u64 info_bytes = ((u64)word_count * 4 + string_bytes + 15) & ~(u64)15;
    u64 stack_bytes = ((u64)stack_size() + 0xffff) & ~(u64)0xffff;
    u64 top_bytes = (START_GUARD + stack_bytes + info_bytes + START_GUARD + 0xffff) & ~(u64)0xffff;
    if (top_bytes > (u64)3 << 30) {
        ice_fatal("stack, arguments and environment do not fit", "");
    }

    u32 stack_top = ice_arena_init((u32)top_bytes) + START_GUARD + (u32)stack_bytes;
    u32 words = stack_top;
    u32 bytes = words + word_count * 4;
    put_u32(words, 0);
    put_u32(words + 4, env_count);
    put_u32(words + 8, arg_count);
    words += 12;
    copy_strings(argv, &words, &bytes);
    copy_strings(envp, &words, &bytes);
    put_u32(words, AT_PEXE_QUERY);
    put_u32(words + 4, ice_entry_address((void (*)(void))irt_query));
    put_u32(words + 8, 0);
    put_u32(words + 12, 0);

    ice_irt_init();
    ice_confine();
    ice_run_main(stack_top, stack_top);
    _exit(0);
}
