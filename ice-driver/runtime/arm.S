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
.Lleave:
#ifdef ICE_VFP
        vpop    {d8-d15}
#endif
        pop     {r3-r11, pc}
        .size   ice_run_on_stack, . - ice_run_on_stack

        .globl  ice_leave_stack
        .type   ice_leave_stack, %function
ice_leave_stack:                        @ r0 flag, r1 saved
        mov     sp, r1
        cmp     r0, #0
        beq     1f
#if __ARM_ARCH >= 7
        dmb     ish                     @ all uses of the program's stack come before
#endif
        mov     r2, #0
        str     r2, [r0]                @ from here on the program's stack may be gone
1:      mov     r0, #1
        b       .Lleave
        .size   ice_leave_stack, . - ice_leave_stack

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

#endif
        .section .note.GNU-stack, "", %progbits
