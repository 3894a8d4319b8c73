# Registers of x86-64 before and after a call; what is destroyed by C's convention.
	.text
	.globl destroy
destroy:
	movq $-1, %rax
	movq $-2, %rcx
	movq $-3, %rdx
	movq $-7, %rsi
	movq $-8, %rdi
	movq $-9, %r8
	movq $-10, %r9
	movq $-11, %r10
	movq $-12, %r11
	pcmpeqd %xmm0, %xmm0
	pcmpeqd %xmm1, %xmm1
	pcmpeqd %xmm2, %xmm2
	pcmpeqd %xmm3, %xmm3
	pcmpeqd %xmm4, %xmm4
	pcmpeqd %xmm5, %xmm5
	pcmpeqd %xmm6, %xmm6
	pcmpeqd %xmm7, %xmm7
	pcmpeqd %xmm8, %xmm8
	pcmpeqd %xmm9, %xmm9
	pcmpeqd %xmm10, %xmm10
	pcmpeqd %xmm11, %xmm11
	pcmpeqd %xmm12, %xmm12
	pcmpeqd %xmm13, %xmm13
	pcmpeqd %xmm14, %xmm14
	pcmpeqd %xmm15, %xmm15
	ret
	.globl registers_after
registers_after:
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	push %rsi
	subq $48, %rsp
	movq %rdi, 32(%rsp)
	movups registers_before+128(%rip), %xmm0
	movups registers_before+144(%rip), %xmm1
	movups registers_before+160(%rip), %xmm2
	movups registers_before+176(%rip), %xmm3
	movups registers_before+192(%rip), %xmm4
	movups registers_before+208(%rip), %xmm5
	movups registers_before+224(%rip), %xmm6
	movups registers_before+240(%rip), %xmm7
	movups registers_before+256(%rip), %xmm8
	movups registers_before+272(%rip), %xmm9
	movups registers_before+288(%rip), %xmm10
	movups registers_before+304(%rip), %xmm11
	movups registers_before+320(%rip), %xmm12
	movups registers_before+336(%rip), %xmm13
	movups registers_before+352(%rip), %xmm14
	movups registers_before+368(%rip), %xmm15
	movq registers_before+0(%rip), %rax
	movq registers_before+8(%rip), %rcx
	movq registers_before+16(%rip), %rdx
	movq registers_before+24(%rip), %rbx
	movq registers_before+40(%rip), %rbp
	movq registers_before+48(%rip), %rsi
	movq registers_before+56(%rip), %rdi
	movq registers_before+64(%rip), %r8
	movq registers_before+72(%rip), %r9
	movq registers_before+80(%rip), %r10
	movq registers_before+88(%rip), %r11
	movq registers_before+96(%rip), %r12
	movq registers_before+104(%rip), %r13
	movq registers_before+112(%rip), %r14
	movq registers_before+120(%rip), %r15
	call *32(%rsp)
	movq %rax, 40(%rsp)
	movq 48(%rsp), %rax
	movq %rcx, 8(%rax)
	movq %rdx, 16(%rax)
	movq %rbx, 24(%rax)
	movq %rbp, 40(%rax)
	movq %rsi, 48(%rax)
	movq %rdi, 56(%rax)
	movq %r8, 64(%rax)
	movq %r9, 72(%rax)
	movq %r10, 80(%rax)
	movq %r11, 88(%rax)
	movq %r12, 96(%rax)
	movq %r13, 104(%rax)
	movq %r14, 112(%rax)
	movq %r15, 120(%rax)
	movups %xmm0, 128(%rax)
	movups %xmm1, 144(%rax)
	movups %xmm2, 160(%rax)
	movups %xmm3, 176(%rax)
	movups %xmm4, 192(%rax)
	movups %xmm5, 208(%rax)
	movups %xmm6, 224(%rax)
	movups %xmm7, 240(%rax)
	movups %xmm8, 256(%rax)
	movups %xmm9, 272(%rax)
	movups %xmm10, 288(%rax)
	movups %xmm11, 304(%rax)
	movups %xmm12, 320(%rax)
	movups %xmm13, 336(%rax)
	movups %xmm14, 352(%rax)
	movups %xmm15, 368(%rax)
	movq 40(%rsp), %rcx
	movq %rcx, (%rax)
	addq $56, %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.section .rodata
	.p2align 4
	.globl registers_before
registers_before:
	.quad 0x369d0369d0369cd3
	.quad 0x48d159e26af37bc4
	.quad 0x5b05b05b05b05ab5
	.quad 0x6d3a06d3a06d39a6
	.quad 0x7f6e5d4c3b2a1897
	.quad 0x91a2b3c4d5e6f788
	.quad 0xa3d70a3d70a3d679
	.quad 0xb60b60b60b60b56a
	.quad 0xc83fb72ea61d945b
	.quad 0xda740da740da734c
	.quad 0xeca8641fdb97523d
	.quad 0xfedcba987654312e
	.quad 0x111111111111101f
	.quad 0x23456789abcdef10
	.quad 0x3579be02468ace01
	.quad 0x47ae147ae147acf2
	.quad 0x59e26af37c048be3
	.quad 0x6c16c16c16c16ad4
	.quad 0x7e4b17e4b17e49c5
	.quad 0x907f6e5d4c3b28b6
	.quad 0xa2b3c4d5e6f807a7
	.quad 0xb4e81b4e81b4e698
	.quad 0xc71c71c71c71c589
	.quad 0xd950c83fb72ea47a
	.quad 0xeb851eb851eb836b
	.quad 0xfdb97530eca8625c
	.quad 0x0fedcba98765414d
	.quad 0x222222222222203e
	.quad 0x3456789abcdeff2f
	.quad 0x468acf13579bde20
	.quad 0x58bf258bf258bd11
	.quad 0x6af37c048d159c02
	.quad 0x7d27d27d27d27af3
	.quad 0x8f5c28f5c28f59e4
	.quad 0xa1907f6e5d4c38d5
	.quad 0xb3c4d5e6f80917c6
	.quad 0xc5f92c5f92c5f6b7
	.quad 0xd82d82d82d82d5a8
	.quad 0xea61d950c83fb499
	.quad 0xfc962fc962fc938a
	.quad 0x0eca8641fdb9727b
	.quad 0x20fedcba9876516c
	.quad 0x333333333333305d
	.quad 0x456789abcdf00f4e
	.quad 0x579be02468acee3f
	.quad 0x69d0369d0369cd30
	.quad 0x7c048d159e26ac21
	.quad 0x8e38e38e38e38b12
	.section .note.GNU-stack,"",%progbits
