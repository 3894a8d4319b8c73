/* MIPS32 o32. Calls go through $t9, where position-independent callees expect their own address.
 * Doubles in even registers only: right for 32-bit and 64-bit FPU register files alike.
 * See runtime.h for the contracts.
 *
 * jmp_buf of the program, 1024 bytes, 8-aligned: f20 f22 .. f30 in 0-47, then s0-s7 sp fp ra gp. */
#if defined(__mips__)
#define zero $0
#define v0 $2
#define a0 $4
#define a1 $5
#define a2 $6
#define a3 $7
#define s0 $16
#define s1 $17
#define s2 $18
#define s3 $19
#define s4 $20
#define s5 $21
#define s6 $22
#define s7 $23
#define t9 $25
#define gp $28
#define sp $29
#define fp $30
#define ra $31
#define FRAME 112 /* 16 home area, 12 words, 6 doubles */

/* Both the frame of ice_run_on_stack and the jmp_buf keep the same set; only the base differs. */
#ifdef __mips_hard_float
#define EACH_DOUBLE(op, base, at)                                                                  \
        op $f20, (at)+0(base);                                                                     \
        op $f22, (at)+8(base);                                                                     \
        op $f24, (at)+16(base);                                                                    \
        op $f26, (at)+24(base);                                                                    \
        op $f28, (at)+32(base);                                                                    \
        op $f30, (at)+40(base)
#else
#define EACH_DOUBLE(op, base, at)
#endif
#define EACH_WORD(op, base, at)                                                                    \
        op s0, (at)+0(base);                                                                       \
        op s1, (at)+4(base);                                                                       \
        op s2, (at)+8(base);                                                                       \
        op s3, (at)+12(base);                                                                      \
        op s4, (at)+16(base);                                                                      \
        op s5, (at)+20(base);                                                                      \
        op s6, (at)+24(base);                                                                      \
        op s7, (at)+28(base)

        .text
        .set    nomips16
        .set    nomicromips
        .set    noreorder
        .balign 4

        /* The frame of ice_run_on_stack, whose address goes to where a3 points. */
        .macro  save_frame
        addiu   sp, sp, -FRAME
        EACH_DOUBLE(sdc1, sp, 64)
        EACH_WORD(sw, sp, 16)
        sw      fp, 48(sp)
        sw      ra, 52(sp)
        sw      gp, 56(sp)
        sw      sp, 0(a3)
        .endm

#ifndef ICE_SANDBOX
        .globl  ice_run_on_stack
        .type   ice_run_on_stack, @function
        .ent    ice_run_on_stack
ice_run_on_stack:                       /* a0 function, a1 argument, a2 sp, a3 saved */
        save_frame
        move    s0, sp
        move    t9, a0
        move    fp, zero                /* ends the chain of frames */
        addiu   sp, a2, -16             /* the callee's home area */
        jalr    t9
        move    a0, a1                  /* delay slot */
        move    sp, s0
        b       .Lleave
        move    v0, zero                /* delay slot */
        .end    ice_run_on_stack
        .size   ice_run_on_stack, . - ice_run_on_stack

        .globl  __ice_setjmp
        .type   __ice_setjmp, @function
        .ent    __ice_setjmp
__ice_setjmp:                           /* a0 buffer */
        EACH_DOUBLE(sdc1, a0, 0)
        EACH_WORD(sw, a0, 48)
        sw      sp, 80(a0)
        sw      fp, 84(a0)
        sw      ra, 88(a0)
        sw      gp, 92(a0)
        jr      ra
        move    v0, zero                /* delay slot */
        .end    __ice_setjmp
        .size   __ice_setjmp, . - __ice_setjmp

        .globl  __ice_longjmp
        .type   __ice_longjmp, @function
        .ent    __ice_longjmp
__ice_longjmp:                          /* a0 buffer, a1 value */
        EACH_DOUBLE(ldc1, a0, 0)
        EACH_WORD(lw, a0, 48)
        lw      sp, 80(a0)
        lw      fp, 84(a0)
        lw      ra, 88(a0)
        lw      gp, 92(a0)
        bne     a1, zero, 1f
        move    v0, a1                  /* delay slot */
        li      v0, 1                   /* 0 becomes 1 */
1:      jr      ra
        nop
        .end    __ice_longjmp
        .size   __ice_longjmp, . - __ice_longjmp

#else
/* Between the host and a program in the first GiB. t6 and t7 have the masks of code and of data, t8 has the address of
 * ice_thread (runtime.h): the program reads its first two words, and cannot write to it. */
        .set    noat
        .set    oddspreg                /* each register of a pair can be named */
        .set    RETURNED, 0x10000 + 32 * 1023   /* sandbox.c */
        .set    HOST_STACK, 8

#define at $1
#define v1 $3
#define t0 $8
#define t1 $9
#define t2 $10
#define t3 $11
#define t4 $12
#define t5 $13
#define t6 $14
#define t7 $15
#define t8 $24

        .macro  load_masks
        lui     t6, 0x0fff
        ori     t6, t6, 0xfff0
        lui     t7, 0x3fff
        ori     t7, t7, 0xffff
        .endm

        /* What the host had in registers is none of the program's business. */
        .macro  clear_words registers:vararg
        .irp    n, \registers
        move    $\n, zero
        .endr
        mthi    zero
        mtlo    zero
        .endm
        .macro  clear_floats registers:vararg
        .irp    n, \registers
        mtc1    zero, $f\n
        .endr
        .endm

        .globl  ice_run_on_stack
        .type   ice_run_on_stack, @function
        .ent    ice_run_on_stack
ice_run_on_stack:                       /* a0 function, a1 argument, a2 sp, a3 saved */
        save_frame
        addiu   t8, a3, -HOST_STACK
        load_masks
        and     t9, a0, t6
        move    a0, a1
        addiu   sp, a2, -16             /* the callee's home area */
        and     sp, sp, t7              /* from here on the stack is not to be trusted */
        li      ra, RETURNED
        clear_words 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 28, 30
        ctc1    zero, $31
        clear_floats 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        jr      t9
        nop
        .end    ice_run_on_stack
        .size   ice_run_on_stack, . - ice_run_on_stack

        /* From the program: at is the number of a function, registers have its first arguments, the program's stack the
         * others behind their home, four words at most, which are read once. The stack below is the host's. */
        .globl  ice_enter
        .type   ice_enter, @function
        .ent    ice_enter
ice_enter:
        move    v1, sp
        lw      sp, HOST_STACK(t8)
        addiu   sp, sp, -48
        sw      ra, 32(sp)
        sw      v1, 36(sp)
        sw      t8, 40(sp)
        lw      t0, 16(v1)
        lw      t1, 20(v1)
        lw      t2, 24(v1)
        lw      t3, 28(v1)
        sw      t0, 16(sp)
        sw      t1, 20(sp)
        sw      t2, 24(sp)
        sw      t3, 28(sp)
        sll     at, at, 2
        lui     t9, %hi(ice_functions)
        addu    t9, t9, at
        lw      t9, %lo(ice_functions)(t9)
        jalr    t9
        nop
        load_masks
        lw      ra, 32(sp)
        lw      v1, 36(sp)
        lw      t8, 40(sp)
        and     ra, ra, t6
        and     sp, v1, t7
        clear_words 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 25, 28
        clear_floats 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
        jr      ra
        nop
        .end    ice_enter
        .size   ice_enter, . - ice_enter

        .globl  ice_return_stack
        .type   ice_return_stack, @function
        .ent    ice_return_stack
ice_return_stack:                       /* a0 saved */
        move    sp, a0
        b       .Lleave
        move    v0, zero                /* delay slot */
        .end    ice_return_stack
        .size   ice_return_stack, . - ice_return_stack
#endif

        .globl  ice_leave_stack
        .type   ice_leave_stack, @function
        .ent    ice_leave_stack
ice_leave_stack:                        /* a0 flag, a1 saved */
        move    sp, a1
        beq     a0, zero, 1f
        nop
#ifdef ICE_SANDBOX
        lui     t7, 0x3fff
        ori     t7, t7, 0xffff
        and     a0, a0, t7              /* the flag is the program's */
#endif
        sync                            /* all uses of the program's stack come before */
        sw      zero, 0(a0)             /* from here on the program's stack may be gone */
1:      li      v0, 1
.Lleave:                                /* sp as ice_run_on_stack has saved it */
        EACH_DOUBLE(ldc1, sp, 64)
        EACH_WORD(lw, sp, 16)
        lw      fp, 48(sp)
        lw      ra, 52(sp)
        lw      gp, 56(sp)
        jr      ra
        addiu   sp, sp, FRAME           /* delay slot */
        .end    ice_leave_stack
        .size   ice_leave_stack, . - ice_leave_stack

#endif
        .section .note.GNU-stack, "", %progbits
