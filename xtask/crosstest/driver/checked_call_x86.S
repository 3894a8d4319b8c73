// checked_call: gives callee-saved registers known values, calls the stub, and looks at what came back.
// The stub is compiled without optimisation and keeps nothing in these registers itself.

    .section .note.GNU-stack,"",@progbits
    .text
    .globl checked_call
    .type checked_call, @function
checked_call:
#ifdef __x86_64__
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $56, %rsp
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movabsq $0x0123456789abcdef, %rbx
    leaq 1(%rbx), %rbp
    leaq 2(%rbx), %r12
    leaq 3(%rbx), %r13
    leaq 4(%rbx), %r14
    leaq 5(%rbx), %r15
    call *%rax
    xorl %eax, %eax
    movabsq $0x0123456789abcdef, %rcx
    cmpq %rcx, %rbx
    jne 1f
    leaq 1(%rcx), %rdx
    cmpq %rdx, %rbp
    jne 1f
    leaq 2(%rcx), %rdx
    cmpq %rdx, %r12
    jne 1f
    leaq 3(%rcx), %rdx
    cmpq %rdx, %r13
    jne 1f
    leaq 4(%rcx), %rdx
    cmpq %rdx, %r14
    jne 1f
    leaq 5(%rcx), %rdx
    cmpq %rdx, %r15
    je 2f
1:  orl $1, %eax
2:  fnstenv (%rsp)
    cmpw $0xffff, 8(%rsp)
    je 3f
    orl $2, %eax
    fninit
3:  stmxcsr 32(%rsp)
    movl 32(%rsp), %ecx
    andl $0xffc0, %ecx
    cmpl $0x1f80, %ecx
    je 4f
    orl $4, %eax
4:  pushfq
    popq %rcx
    testl $0x400, %ecx
    je 5f
    orl $8, %eax
    cld
5:  addq $56, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
#else
    pushl %ebx
    pushl %ebp
    pushl %esi
    pushl %edi
    subl $44, %esp
    movl 64(%esp), %eax
    movl 68(%esp), %ecx
    movl 72(%esp), %edx
    movl %ecx, (%esp)
    movl %edx, 4(%esp)
    movl $0x01234567, %ebx
    movl $0x12345678, %ebp
    movl $0x23456789, %esi
    movl $0x3456789a, %edi
    call *%eax
    xorl %eax, %eax
    cmpl $0x01234567, %ebx
    jne 1f
    cmpl $0x12345678, %ebp
    jne 1f
    cmpl $0x23456789, %esi
    jne 1f
    cmpl $0x3456789a, %edi
    je 2f
1:  orl $1, %eax
2:  fnstenv (%esp)
    cmpw $0xffff, 8(%esp)
    je 3f
    orl $2, %eax
    fninit
3:  stmxcsr 32(%esp)
    movl 32(%esp), %ecx
    andl $0xffc0, %ecx
    cmpl $0x1f80, %ecx
    je 4f
    orl $4, %eax
4:  pushfl
    popl %ecx
    testl $0x400, %ecx
    je 5f
    orl $8, %eax
    cld
5:  addl $44, %esp
    popl %edi
    popl %esi
    popl %ebp
    popl %ebx
    ret
#endif
    .size checked_call, .-checked_call
