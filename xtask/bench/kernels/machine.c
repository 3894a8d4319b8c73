// An interpreter of a small stack machine: a switch in a loop. Its program counts steps of Collatz's sequences.
#include "kernel.h"
enum { PUSH, LOAD, STORE, ADD, MUL, SHR, AND, LESS, JUMP, JUMP_ZERO, HALT };
#define OP(op, operand) ((uint32_t)(op) | (uint32_t)(operand) << 8)
// Variables: 0 the start, 1 the number, 2 the steps.
static const uint32_t code[] = {
    /*  0 */ OP(PUSH, 1),   OP(STORE, 0),
    /*  2 */ OP(LOAD, 0),   OP(PUSH, 3000), OP(LESS, 0), OP(JUMP_ZERO, 29),
    /*  6 */ OP(LOAD, 0),   OP(STORE, 1),
    /*  8 */ OP(PUSH, 1),   OP(LOAD, 1),    OP(LESS, 0), OP(JUMP_ZERO, 24),
    /* 12 */ OP(LOAD, 1),   OP(PUSH, 1),    OP(AND, 0),  OP(JUMP_ZERO, 19),
    /* 16 */ OP(LOAD, 1),   OP(PUSH, 3),    OP(JUMP, 30),
    /* 19 */ OP(LOAD, 1),   OP(PUSH, 1),    OP(SHR, 0),  OP(STORE, 1), OP(JUMP, 34),
    /* 24 */ OP(LOAD, 0),   OP(PUSH, 1),    OP(ADD, 0),  OP(STORE, 0), OP(JUMP, 2),
    /* 29 */ OP(HALT, 0),
    /* 30 */ OP(MUL, 0),    OP(PUSH, 1),    OP(ADD, 0),  OP(STORE, 1),
    /* 34 */ OP(LOAD, 2),   OP(PUSH, 1),    OP(ADD, 0),  OP(STORE, 2), OP(JUMP, 8),
};

static uint32_t run(const uint32_t *program) {
    uint32_t stack[16], variables[4] = {0}, *top = stack;
    for (const uint32_t *at = program;;) {
        uint32_t inst = *at++, operand = inst >> 8;
        switch (inst & 255) {
        case PUSH: *top++ = operand; break;
        case LOAD: *top++ = variables[operand & 3]; break;
        case STORE: variables[operand & 3] = *--top; break;
        case ADD: top--; top[-1] += top[0]; break;
        case MUL: top--; top[-1] *= top[0]; break;
        case SHR: top--; top[-1] >>= top[0] & 31; break;
        case AND: top--; top[-1] &= top[0]; break;
        case LESS: top--; top[-1] = top[-1] < top[0]; break;
        case JUMP: at = program + operand; break;
        case JUMP_ZERO:
            if (*--top == 0)
                at = program + operand;
            break;
        default: return variables[2];
        }
    }
}

uint32_t kernel(void) { return run(code); }
