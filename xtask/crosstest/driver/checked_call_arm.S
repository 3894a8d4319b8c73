// checked_call: gives callee-saved registers known values, calls the stub, and looks at what came back.
// The stub is compiled without optimisation and keeps nothing in these registers itself.

    .syntax unified
    .arch armv7-a
    .fpu neon
    .section .note.GNU-stack,"",%progbits
    .text
    .arm
    .p2align 2
    .globl checked_call
    .type checked_call, %function
checked_call:
    push {r4-r11, lr}
    sub sp, sp, #4
    vpush {d8-d15}
    mov r3, r0
    mov r0, r1
    mov r1, r2
    movw r4, #0x4567
    movt r4, #0x0123
    add r5, r4, #1
    add r6, r4, #2
    add r7, r4, #3
    add r8, r4, #4
    add r9, r4, #5
    add r10, r4, #6
    add r11, r4, #7
    vmov d8, r4, r5
    vmov d9, r5, r6
    vmov d10, r6, r7
    vmov d11, r7, r8
    vmov d12, r8, r9
    vmov d13, r9, r10
    vmov d14, r10, r11
    vmov d15, r11, r4
    blx r3
    mov r0, #0
    movw r1, #0x4567
    movt r1, #0x0123
    cmp r4, r1
    add r2, r1, #1
    cmpeq r5, r2
    add r2, r1, #2
    cmpeq r6, r2
    add r2, r1, #3
    cmpeq r7, r2
    add r2, r1, #4
    cmpeq r8, r2
    add r2, r1, #5
    cmpeq r9, r2
    add r2, r1, #6
    cmpeq r10, r2
    add r2, r1, #7
    cmpeq r11, r2
    bne 1f
    vmov r2, r3, d8
    cmp r2, r4
    cmpeq r3, r5
    vmov r2, r3, d9
    cmpeq r2, r5
    cmpeq r3, r6
    vmov r2, r3, d10
    cmpeq r2, r6
    cmpeq r3, r7
    vmov r2, r3, d11
    cmpeq r2, r7
    cmpeq r3, r8
    vmov r2, r3, d12
    cmpeq r2, r8
    cmpeq r3, r9
    vmov r2, r3, d13
    cmpeq r2, r9
    cmpeq r3, r10
    vmov r2, r3, d14
    cmpeq r2, r10
    cmpeq r3, r11
    vmov r2, r3, d15
    cmpeq r2, r11
    cmpeq r3, r4
    beq 2f
1:  orr r0, r0, #1
    // The mode of rounding, flushing and NaNs, and the shape of vectors.
2:  vmrs r2, fpscr
    ldr r3, .Lmode
.Lhere:
    add r3, pc, r3
    ldr r3, [r3]
    movw r1, #0
    movt r1, #0x07f7
    and r1, r1, r2
    cmp r1, r3
    orrne r0, r0, #4
    vmsrne fpscr, r3
    vpop {d8-d15}
    add sp, sp, #4
    pop {r4-r11, pc}
.Lmode:
    .long float_mode-(.Lhere+8)
    .size checked_call, .-checked_call
