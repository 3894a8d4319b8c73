/* ARM EABI, hard or soft float, in ARM state; callers in Thumb state arrive by blx.
 * See runtime.h for the contracts.
 *
 * jmp_buf of the program, 1024 bytes, 8-aligned: d8-d15 in 0-63, then r4-r11, sp, lr in 64-103. */
#if defined(__arm__)
        .syntax unified
#if defined(__ARM_FP) || (defined(__VFP_FP__) && !defined(__SOFTFP__))
#define ICE_VFP 1
        .fpu    vfpv3-d16
#endif
        .text
        .arm
        .balign 4

#ifndef ICE_SANDBOX
        .globl  ice_run_on_stack
        .type   ice_run_on_stack, %function
ice_run_on_stack:                       @ r0 function, r1 argument, r2 sp, r3 saved
        push    {r3-r11, lr}            @ ten words keep the stack 8-aligned
#ifdef ICE_VFP
        vpush   {d8-d15}
#endif
        str     sp, [r3]
        mov     r4, sp
        mov     ip, r0
        mov     r0, r1
        mov     sp, r2
        mov     r11, #0                 @ ends the chain of frames
        blx     ip
        mov     sp, r4
        mov     r0, #0
        b       .Lleave
        .size   ice_run_on_stack, . - ice_run_on_stack

        .globl  __ice_setjmp
        .type   __ice_setjmp, %function
__ice_setjmp:                           @ r0 buffer
#ifdef ICE_VFP
        vstmia  r0, {d8-d15}
#endif
        add     r0, r0, #64
        stmia   r0!, {r4-r11}
        str     sp, [r0]
        str     lr, [r0, #4]
        mov     r0, #0
        bx      lr
        .size   __ice_setjmp, . - __ice_setjmp

        .globl  __ice_longjmp
        .type   __ice_longjmp, %function
__ice_longjmp:                          @ r0 buffer, r1 value
#ifdef ICE_VFP
        vldmia  r0, {d8-d15}
#endif
        add     r0, r0, #64
        ldmia   r0!, {r4-r11}
        ldr     sp, [r0]
        ldr     lr, [r0, #4]
        movs    r0, r1
        moveq   r0, #1                  @ 0 becomes 1
        bx      lr
        .size   __ice_longjmp, . - __ice_longjmp

#else
/* Between the host and a program in the first GiB. r9 has the address of ice_thread (runtime.h): the program reads its
 * first two words, and cannot write to it. */
#ifndef ICE_VFP
#error "confined programs have their floating-point numbers in registers of VFP"
#endif
        .fpu    neon

        .set    RETURNED, 0x10000 + 32 * 1023   /* sandbox.c */
        .set    HOST_STACK, 8
        .set    KEPT, 12

        @ What the host had in registers is none of the program's business.
        .macro  clear_vectors registers:vararg
        .irp    n, \registers
        vmov.i8 q\n, #0
        .endr
        .endm

        .globl  ice_run_on_stack
        .type   ice_run_on_stack, %function
ice_run_on_stack:                       @ r0 function, r1 argument, r2 sp, r3 saved
        push    {r3-r11, lr}            @ ten words keep the stack 8-aligned
        vpush   {d8-d15}
        str     sp, [r3]
        sub     r9, r3, #HOST_STACK
        bic     ip, r0, #0xc000000f
        mov     r0, r1
        bic     sp, r2, #0xc0000000     @ from here on the stack is not to be trusted
        movw    lr, #:lower16:RETURNED
        movt    lr, #:upper16:RETURNED
        mov     r1, #0
        .irp    n, 2, 3, 4, 5, 6, 7, 8, 10, 11
        mov     r\n, #0
        .endr
        vmsr    fpscr, r1
        clear_vectors 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        bx      ip
        .size   ice_run_on_stack, . - ice_run_on_stack

        @ From the program: ip is the number of a function, registers have its first arguments, the program's stack the
        @ others, four words at most, which are read once. The stack below is the host's.
        .globl  ice_enter
        .type   ice_enter, %function
ice_enter:
        str     lr, [r9, #KEPT]
        mov     lr, sp
        ldr     sp, [r9, #HOST_STACK]
        push    {r4-r7, lr}
        ldr     r4, [r9, #KEPT]
        push    {r4}
        ldm     lr, {r4-r7}
        push    {r4-r7}
        movw    lr, #:lower16:ice_functions
        movt    lr, #:upper16:ice_functions
        ldr     lr, [lr, ip, lsl #2]
        blx     lr
        add     sp, sp, #16
        pop     {ip}                    @ whatever the program had there
        pop     {r4-r7, lr}
        mov     sp, lr
        bic     lr, ip, #0xc000000f
        mov     r1, #0
        mov     r2, #0
        mov     r3, #0
        mov     ip, #0
        clear_vectors 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15
        bx      lr
        .size   ice_enter, . - ice_enter

        .globl  ice_return_stack
        .type   ice_return_stack, %function
ice_return_stack:                       @ r0 saved
        mov     sp, r0
        mov     r0, #0
        b       .Lleave
        .size   ice_return_stack, . - ice_return_stack
#endif

        .globl  ice_leave_stack
        .type   ice_leave_stack, %function
ice_leave_stack:                        @ r0 flag, r1 saved
        mov     sp, r1
        cmp     r0, #0
        beq     1f
#ifdef ICE_SANDBOX
        bic     r0, r0, #0xc0000000     @ the flag is the program's
#endif
#if __ARM_ARCH >= 7
        dmb     ish                     @ all uses of the program's stack come before
#endif
        mov     r2, #0
        str     r2, [r0]                @ from here on the program's stack may be gone
1:      mov     r0, #1
.Lleave:                                @ sp as ice_run_on_stack has saved it
#ifdef ICE_VFP
        vpop    {d8-d15}
#endif
        pop     {r3-r11, pc}
        .size   ice_leave_stack, . - ice_leave_stack
#endif
        .section .note.GNU-stack, "", %progbits
