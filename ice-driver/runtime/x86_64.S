/* x86-64, System V convention. Addresses of the program arrive in the low halves of registers; the
 * upper halves may hold anything and are cleared by a 32-bit move. See runtime.h for the contracts.
 *
 * jmp_buf of the program, 1024 bytes, 64 used: rbx rbp r12 r13 r14 r15 rsp(after return) rip. */
#if defined(__x86_64__) && !defined(ICE_SANDBOX)
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

#elif defined(__x86_64__)
/* Between the host and a program in its window, which begins at r15. */

        .set    RETURNED, 0x10000 + 32 * 1023   /* sandbox.c */

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
        mov     ice_window(%rip), %r15
        mov     %edi, %eax
        and     $-32, %eax
        add     %r15, %rax
        mov     %esi, %edi
        mov     %edx, %ebx
        call    clear_registers
        lea     (%r15,%rbx), %rsp       /* from here on the stack is not to be trusted */
        lea     RETURNED(%r15), %rbx
        push    %rbx
        mov     %r15, %rbp
        xor     %ebx, %ebx
        xor     %r12d, %r12d
        xor     %r13d, %r13d
        xor     %r14d, %r14d
        cld
        jmp     *%rax
.Lleave:
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbx
        pop     %rbp
        ret
        .size   ice_run_on_stack, . - ice_run_on_stack

        /* What the host had in registers is none of the program's business. */
        .type   clear_registers, @function
clear_registers:
        xor     %ecx, %ecx
        xor     %edx, %edx
        xor     %esi, %esi
        xor     %r8d, %r8d
        xor     %r9d, %r9d
        xor     %r10d, %r10d
        xor     %r11d, %r11d
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        xorps   %xmm\n, %xmm\n
        .endr
        ret
        .size   clear_registers, . - clear_registers

        /* From the program: eax is the number of a function, registers have its arguments. */
        .globl  ice_enter
        .type   ice_enter, @function
ice_enter:
        cld
        mov     %rsp, %r10
        mov     %fs:ice_thread@tpoff+8, %rsp
        push    %r10
        call    *ice_functions(,%rax,8)
        mov     %eax, %eax
        call    clear_registers
        xor     %edi, %edi
        pop     %rsp
        pop     %r11                    /* whatever the program has there */
        and     $-32, %r11d
        add     %r15, %r11
        jmp     *%r11
        .size   ice_enter, . - ice_enter

        .globl  ice_leave_stack
        .type   ice_leave_stack, @function
ice_leave_stack:                        /* edi flag, rsi saved */
        mov     %rsi, %rsp
        mov     %edi, %edi
        test    %edi, %edi
        jz      1f
        add     ice_window(%rip), %rdi
        movl    $0, (%rdi)              /* from here on the program's stack may be gone */
1:      mov     $1, %eax
        jmp     .Lleave
        .size   ice_leave_stack, . - ice_leave_stack

        .globl  ice_return_stack
        .type   ice_return_stack, @function
ice_return_stack:                       /* rdi saved */
        mov     %rdi, %rsp
        xor     %eax, %eax
        jmp     .Lleave
        .size   ice_return_stack, . - ice_return_stack

        /* The code of a place, where it is copied to. */
        .section .rodata
        .globl  ice_tls_get_code, ice_tls_get_end
ice_tls_get_code:
        mov     %fs:ice_thread@tpoff, %eax
        pop     %r11
        and     $-32, %r11d
        add     %r15, %r11
        jmp     *%r11
ice_tls_get_end:

#endif
        .section .note.GNU-stack, "", %progbits
