// checked_call: gives callee-saved registers known values, calls the stub, and looks at what came back.
// The stub is compiled without optimisation and keeps nothing in these registers itself.

    .module fp=32
    .module oddspreg
    .section .note.GNU-stack,"",%progbits
    .text
    .set noreorder
    .p2align 2
    .globl checked_call
    .type checked_call, @function
    .ent checked_call
checked_call:
    addiu $sp, $sp, -112
    sw $ra, 108($sp)
    sw $fp, 104($sp)
    sw $s7, 100($sp)
    sw $s6, 96($sp)
    sw $s5, 92($sp)
    sw $s4, 88($sp)
    sw $s3, 84($sp)
    sw $s2, 80($sp)
    sw $s1, 76($sp)
    sw $s0, 72($sp)
    sdc1 $f30, 64($sp)
    sdc1 $f28, 56($sp)
    sdc1 $f26, 48($sp)
    sdc1 $f24, 40($sp)
    sdc1 $f22, 32($sp)
    sdc1 $f20, 24($sp)
    lui $s0, 0x0123
    ori $s0, $s0, 0x4567
    addiu $s1, $s0, 1
    addiu $s2, $s0, 2
    addiu $s3, $s0, 3
    addiu $s4, $s0, 4
    addiu $s5, $s0, 5
    addiu $s6, $s0, 6
    addiu $s7, $s0, 7
    addiu $fp, $s0, 8
    mtc1 $s0, $f20
    mtc1 $s1, $f21
    mtc1 $s2, $f22
    mtc1 $s3, $f23
    mtc1 $s4, $f24
    mtc1 $s5, $f25
    mtc1 $s6, $f26
    mtc1 $s7, $f27
    mtc1 $fp, $f28
    mtc1 $s0, $f29
    mtc1 $s1, $f30
    mtc1 $s2, $f31
    sw $sp, 16($sp)
    move $t9, $a0
    move $a0, $a1
    jalr $t9
    move $a1, $a2
    // The bits in which any register differs from what it was.
    lui $t0, 0x0123
    ori $t0, $t0, 0x4567
    move $t2, $zero
    .macro same register, more
    addiu $t1, $t0, \more
    xor $t1, $t1, \register
    or $t2, $t2, $t1
    .endm
    .macro same_float register, more
    mfc1 $t3, \register
    same $t3, \more
    .endm
    same $s0, 0
    same $s1, 1
    same $s2, 2
    same $s3, 3
    same $s4, 4
    same $s5, 5
    same $s6, 6
    same $s7, 7
    same $fp, 8
    same_float $f20, 0
    same_float $f21, 1
    same_float $f22, 2
    same_float $f23, 3
    same_float $f24, 4
    same_float $f25, 5
    same_float $f26, 6
    same_float $f27, 7
    same_float $f28, 8
    same_float $f29, 0
    same_float $f30, 1
    same_float $f31, 2
    lw $t1, 16($sp)
    xor $t1, $t1, $sp
    or $t2, $t2, $t1
    sltu $v0, $zero, $t2
    // Rounding, flushing, and which exceptions trap.
    cfc1 $t1, $31
    lui $t3, 0x0100
    ori $t3, $t3, 0x0f83
    and $t1, $t1, $t3
    beq $t1, $zero, 1f
    nop
    ori $v0, $v0, 4
    ctc1 $zero, $31
1:  lw $ra, 108($sp)
    lw $fp, 104($sp)
    lw $s7, 100($sp)
    lw $s6, 96($sp)
    lw $s5, 92($sp)
    lw $s4, 88($sp)
    lw $s3, 84($sp)
    lw $s2, 80($sp)
    lw $s1, 76($sp)
    lw $s0, 72($sp)
    ldc1 $f30, 64($sp)
    ldc1 $f28, 56($sp)
    ldc1 $f26, 48($sp)
    ldc1 $f24, 40($sp)
    ldc1 $f22, 32($sp)
    ldc1 $f20, 24($sp)
    jr $ra
    addiu $sp, $sp, 112
    .end checked_call
    .size checked_call, .-checked_call
