/* AArch64, the procedure call standard (AAPCS64). Addresses of the program arrive in the low halves of registers; the
 * upper halves may hold anything and are cleared by a 32-bit move. See runtime.h for the contracts.
 *
 * jmp_buf of the program, 1024 bytes, 168 used: x19-x30, sp, d8-d15. */
#if defined(__aarch64__)
        .set    FRAME, 160

        .macro  each_word op, base
        \op     x19, x20, [\base]
        \op     x21, x22, [\base, #16]
        \op     x23, x24, [\base, #32]
        \op     x25, x26, [\base, #48]
        \op     x27, x28, [\base, #64]
        \op     x29, x30, [\base, #80]
        .endm
        .macro  each_double op, base, at
        \op     d8, d9, [\base, #\at]
        \op     d10, d11, [\base, #\at + 16]
        \op     d12, d13, [\base, #\at + 32]
        \op     d14, d15, [\base, #\at + 48]
        .endm

        .text
        .balign 4

        .globl  ice_run_on_stack
        .type   ice_run_on_stack, %function
ice_run_on_stack:                       /* w0 function, w1 argument, w2 sp, x3 saved */
        sub     sp, sp, #FRAME
        each_word stp, sp
        each_double stp, sp, 96
        mov     x19, sp
        str     x19, [x3]
        mov     w9, w0
        mov     w0, w1
        mov     w2, w2                  /* clears the upper half */
        mov     sp, x2
        mov     x29, xzr                /* ends the chain of frames */
        blr     x9
        mov     sp, x19
        mov     w0, #0
.Lleave:                                /* sp as above */
        each_word ldp, sp
        each_double ldp, sp, 96
        add     sp, sp, #FRAME
        ret
        .size   ice_run_on_stack, . - ice_run_on_stack

        .globl  ice_leave_stack
        .type   ice_leave_stack, %function
ice_leave_stack:                        /* w0 flag, x1 saved */
        mov     sp, x1
        cbz     w0, 1f
        mov     w0, w0
        stlr    wzr, [x0]               /* from here on the program's stack may be gone; all uses of it come before */
1:      mov     w0, #1
        b       .Lleave
        .size   ice_leave_stack, . - ice_leave_stack

        .globl  __ice_setjmp
        .type   __ice_setjmp, %function
__ice_setjmp:                           /* w0 buffer */
        mov     w0, w0
        each_word stp, x0
        mov     x9, sp
        str     x9, [x0, #96]
        each_double stp, x0, 104
        mov     w0, #0
        ret
        .size   __ice_setjmp, . - __ice_setjmp

        .globl  __ice_longjmp
        .type   __ice_longjmp, %function
__ice_longjmp:                          /* w0 buffer, w1 value */
        mov     w0, w0
        each_word ldp, x0
        ldr     x9, [x0, #96]
        mov     sp, x9
        each_double ldp, x0, 104
        cmp     w1, #0
        csinc   w0, w1, wzr, ne         /* 0 becomes 1 */
        ret
        .size   __ice_longjmp, . - __ice_longjmp
#endif
        .section .note.GNU-stack, "", %progbits
