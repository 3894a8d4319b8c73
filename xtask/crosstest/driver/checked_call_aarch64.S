// checked_call: gives callee-saved registers known values, calls the stub, and looks at what came back.
// The stub is compiled without optimisation and keeps nothing in these registers itself.

    .section .note.GNU-stack,"",%progbits
    .text
    .p2align 2
    .globl checked_call
    .type checked_call, %function

    // Of vector registers the low halves are the caller's.
    .macro each_word op
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
    \op \n
    .endr
    .endm
    .macro each_double op
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    \op \n
    .endr
    .endm
    .macro set_word n
    add x\n, x9, #\n
    .endm
    .macro set_double n
    add x10, x9, #\n
    fmov d\n, x10
    .endm
    .macro test_word n
    add x10, x9, #\n
    cmp x\n, x10
    csinc w0, w0, wzr, eq
    .endm
    .macro test_double n
    add x10, x9, #\n
    fmov x11, d\n
    cmp x11, x10
    csinc w0, w0, wzr, eq
    .endm
    .macro known_value
    movz x9, #0x0123, lsl #48
    movk x9, #0x4567, lsl #32
    movk x9, #0x89ab, lsl #16
    movk x9, #0xcdef
    .endm

checked_call:
    stp x29, x30, [sp, #-160]!
    mov x29, sp
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x3, x0
    mov x0, x1
    mov x1, x2
    known_value
    each_word set_word
    each_double set_double
    blr x3
    mov w0, #0
    known_value
    each_word test_word
    each_double test_double
    mov x10, sp
    cmp x29, x10
    csinc w0, w0, wzr, eq
    // The mode of rounding, flushing and NaNs.
    mrs x10, fpcr
    cbz x10, 1f
    orr w0, w0, #4
    msr fpcr, xzr
1:  ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #160
    ret
    .size checked_call, .-checked_call
