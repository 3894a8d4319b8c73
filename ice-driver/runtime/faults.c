/* Faults of a confined program: the line that says what it did and where.
 *
 * The signal keeps its effect: behind the handler the instruction faults again, and the process ends by the signal. The
 * handler has a stack of its own in each thread, for that of the program is the program's.
 */
#include "runtime.h"

#ifdef ICE_SANDBOX

#include <signal.h>
#include <ucontext.h>

static void put_hexadecimal(u64 number, char *text) {
    for (int i = 0; i < 16; i++) {
        text[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
    }
    text[16] = 0;
}

/* Where the processor was: whether in the program, and if so, where in its window. */
static int find_place(const ucontext_t *state, u64 *place) {
#ifdef __i386__
    *place = (u32)state->uc_mcontext.gregs[REG_EIP];
    return (u16)state->uc_mcontext.gregs[REG_CS] == ice_program_code;
#else
#ifdef __x86_64__
    *place = (u64)state->uc_mcontext.gregs[REG_RIP];
#elif defined(__mips__)
    *place = state->uc_mcontext.pc;
#else
    *place = state->uc_mcontext.arm_pc;
#endif
    u64 offset = *place - (uintptr_t)ice_window;
    int is_program = offset < ICE_WINDOW_BYTES;
    *place = is_program ? offset : *place;
    return is_program;
#endif
}

static const char *name_of_fault(int signal) {
    switch (signal) {
    case SIGILL:
        return "an illegal instruction";
    case SIGFPE:
        return "an arithmetic fault";
    case SIGTRAP:
        return "a trap";
    default:
        return "an access";
    }
}

/* The address of an access is not known where the processor has not come to it: at the end of a segment, or for an
 * instruction that may not be executed, which in code that was validated is one that halts. */
void ice_report_fault(int signal, siginfo_t *info, void *context) {
    u64 place;
    int is_program = find_place(context, &place);
    u64 address = (u64)(uintptr_t)info->si_addr - (uintptr_t)ice_window;
    char place_text[17], address_text[17];
    put_hexadecimal(place, place_text);
    put_hexadecimal(address, address_text);
    int is_access = signal == SIGSEGV || signal == SIGBUS;
    int is_known = info->si_code != SI_KERNEL;
    int is_halt = is_access && !is_known && is_program && ice_is_halt((u32)place);
    const char *what = is_halt ? "a halt" : is_access && !is_known ? "an access or a jump" : name_of_fault(signal);
    const char *parts[8] = {"ice: the program is stopped: ", what, is_program ? " at 0x" : " of a call at 0x", place_text};
    int count = 4;
    if (is_access && is_known) {
        parts[count++] = " to 0x";
        parts[count++] = address_text;
    }
    if (is_access && !is_halt) {
        parts[count++] = is_known && address < ICE_WINDOW_BYTES ? ", which is not open to it" : ", outside of its window";
    }
    parts[count++] = "\n";
    ice_write_error(parts, count);
}

/* A stack for the handler in each thread: that of the program is the program's. On x86-32 the stack pointer may have any
 * value, also one of this stack: the system must not take it for one. */
#ifdef ICE_SEGMENTS
enum { STACK_FLAGS = (int)(1u << 31) }; /* SS_AUTODISARM, which headers of the C library lack; Linux 4.7 */
void ice_on_fault(int signal, siginfo_t *info, void *context); /* i386.S; goes to ice_report_fault */
#else
enum { STACK_FLAGS = 0 };
#define ice_on_fault ice_report_fault
#endif

void ice_begin_thread(void *stack, size_t bytes) {
    stack_t own = {.ss_sp = stack, .ss_size = bytes, .ss_flags = STACK_FLAGS};
    if (sigaltstack(&own, NULL) != 0) {
        ice_fatal("cannot set the stack of signals: ", strerror(errno));
    }
}

/* This thread's stack of signals, and what is done about faults. */
void ice_faults_init(void) {
    static u8 stack[ICE_SIGNAL_STACK];
    ice_begin_thread(stack, sizeof stack);
    struct sigaction action = {.sa_sigaction = ice_on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL);
    }
}

#endif
