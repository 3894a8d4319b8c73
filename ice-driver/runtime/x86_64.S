/* x86-64, System V convention. Addresses of the program arrive in the low halves of registers; the
 * upper halves may hold anything and are cleared by a 32-bit move. See runtime.h for the contracts.
 *
 * jmp_buf of the program, 1024 bytes, 64 used: rbx rbp r12 r13 r14 r15 rsp(after return) rip. */
#if defined(__x86_64__)
        .text

        .globl  ice_run_on_stack
        .type   ice_run_on_stack, @function
ice_run_on_stack:                       /* edi function, esi argument, edx sp, rcx saved */
        push    %rbp
        push    %rbx
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, (%rcx)
        mov     %rsp, %rbx
        mov     %edi, %eax
        mov     %esi, %edi
        mov     %edx, %esp              /* clears the upper half of rsp */
        xor     %ebp, %ebp              /* ends the chain of frames */
        call    *%rax
        mov     %rbx, %rsp
        xor     %eax, %eax
.Lleave:
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbx
        pop     %rbp
        ret
        .size   ice_run_on_stack, . - ice_run_on_stack

        .globl  ice_leave_stack
        .type   ice_leave_stack, @function
ice_leave_stack:                        /* edi flag, rsi saved */
        mov     %rsi, %rsp
        mov     %edi, %edi
        test    %edi, %edi
        jz      1f
        movl    $0, (%rdi)              /* from here on the program's stack may be gone */
1:      mov     $1, %eax
        jmp     .Lleave
        .size   ice_leave_stack, . - ice_leave_stack

        .globl  __ice_setjmp
        .type   __ice_setjmp, @function
__ice_setjmp:                           /* edi buffer */
        mov     %edi, %edi
        mov     %rbx, (%rdi)
        mov     %rbp, 8(%rdi)
        mov     %r12, 16(%rdi)
        mov     %r13, 24(%rdi)
        mov     %r14, 32(%rdi)
        mov     %r15, 40(%rdi)
        lea     8(%rsp), %rdx
        mov     %rdx, 48(%rdi)
        mov     (%rsp), %rdx
        mov     %rdx, 56(%rdi)
        xor     %eax, %eax
        ret
        .size   __ice_setjmp, . - __ice_setjmp

        .globl  __ice_longjmp
        .type   __ice_longjmp, @function
__ice_longjmp:                          /* edi buffer, esi value */
        mov     %edi, %edi
        mov     %esi, %eax
        cmp     $1, %eax
        adc     $0, %eax                /* 0 becomes 1 */
        mov     (%rdi), %rbx
        mov     8(%rdi), %rbp
        mov     16(%rdi), %r12
        mov     24(%rdi), %r13
        mov     32(%rdi), %r14
        mov     40(%rdi), %r15
        mov     48(%rdi), %rsp
        jmp     *56(%rdi)
        .size   __ice_longjmp, . - __ice_longjmp

#endif
        .section .note.GNU-stack, "", %progbits
