/* i386, System V convention: all arguments on the stack. See runtime.h for the contracts.
 *
 * jmp_buf of the program, 1024 bytes, 24 used: ebx esi edi ebp esp(after return) eip. */
#if defined(__i386__)
        .text

        .globl  ice_run_on_stack
        .type   ice_run_on_stack, @function
ice_run_on_stack:                       /* function, argument, sp, saved */
        push    %ebp
        push    %ebx
        push    %esi
        push    %edi
        mov     20(%esp), %eax
        mov     24(%esp), %ecx
        mov     28(%esp), %edx
        mov     32(%esp), %ebx
        mov     %esp, (%ebx)
        mov     %esp, %ebx
        lea     -16(%edx), %esp         /* 16-aligned where the argument begins */
        mov     %ecx, (%esp)
        xor     %ebp, %ebp              /* ends the chain of frames */
        call    *%eax
        mov     %ebx, %esp
        xor     %eax, %eax
.Lleave:
        pop     %edi
        pop     %esi
        pop     %ebx
        pop     %ebp
        ret
        .size   ice_run_on_stack, . - ice_run_on_stack

        .globl  ice_leave_stack
        .type   ice_leave_stack, @function
ice_leave_stack:                        /* flag, saved */
        mov     4(%esp), %ecx
        mov     8(%esp), %esp
        test    %ecx, %ecx
        jz      1f
        movl    $0, (%ecx)              /* from here on the program's stack may be gone */
1:      mov     $1, %eax
        jmp     .Lleave
        .size   ice_leave_stack, . - ice_leave_stack

        .globl  __ice_setjmp
        .type   __ice_setjmp, @function
__ice_setjmp:                           /* buffer */
        mov     4(%esp), %ecx
        mov     %ebx, (%ecx)
        mov     %esi, 4(%ecx)
        mov     %edi, 8(%ecx)
        mov     %ebp, 12(%ecx)
        lea     4(%esp), %edx
        mov     %edx, 16(%ecx)
        mov     (%esp), %edx
        mov     %edx, 20(%ecx)
        xor     %eax, %eax
        ret
        .size   __ice_setjmp, . - __ice_setjmp

        .globl  __ice_longjmp
        .type   __ice_longjmp, @function
__ice_longjmp:                          /* buffer, value */
        mov     4(%esp), %ecx
        mov     8(%esp), %eax
        cmp     $1, %eax
        adc     $0, %eax                /* 0 becomes 1 */
        mov     (%ecx), %ebx
        mov     4(%ecx), %esi
        mov     8(%ecx), %edi
        mov     12(%ecx), %ebp
        mov     16(%ecx), %esp
        jmp     *20(%ecx)
        .size   __ice_longjmp, . - __ice_longjmp

#endif
        .section .note.GNU-stack, "", %progbits
