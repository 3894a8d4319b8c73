/* i386, System V convention: all arguments on the stack. See runtime.h for the contracts.
 * Confined programs: the second half.
 *
 * jmp_buf of the program, 1024 bytes, 24 used: ebx esi edi ebp esp(after return) eip. */
#if defined(__i386__)
        .text

#ifndef ICE_SANDBOX

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
        jmp     .Lleave
        .size   ice_run_on_stack, . - ice_run_on_stack

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

#else
/* Between the host and a program in its own segments (segments.c). A thread's struct ice_thread is a segment that the
 * program has in gs; the host has there what the C library has for the thread, with the address of the struct. */

        .set    RETURNED, 0x10000 + 32 * 1023   /* sandbox.c */
        .set    HOST_STACK, 8
        .set    KEPT, 12        /* the far address where the program goes on */
        .set    SELECTOR, 20

        .section .rodata
defaults:
        .long   0x1f80          /* mxcsr: no exceptions, to nearest */

        .text
        .macro  clear_vectors
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        xorps   %xmm\n, %xmm\n
        .endr
        .endm

        .globl  ice_run_on_stack
        .type   ice_run_on_stack, @function
ice_run_on_stack:                       /* function, argument, sp, saved */
        push    %ebp
        push    %ebx
        push    %esi
        push    %edi
        mov     20(%esp), %eax
        mov     24(%esp), %ebx
        mov     28(%esp), %edx
        mov     32(%esp), %ecx
        mov     %esp, (%ecx)
        mov     %gs:ice_own_thread@ntpoff, %esi
        and     $-32, %eax
        mov     %eax, KEPT(%esi)
        mov     SELECTOR(%esi), %esi
        mov     ice_program_data, %ecx
        fninit
        ldmxcsr defaults
        clear_vectors
        cld
        mov     %ecx, %es
        mov     %ecx, %ds               /* from here on there is no memory of the host */
        sub     $36, %edx               /* room above for the arguments of any call (ice_enter) */
        movl    $RETURNED, (%edx)
        mov     %ebx, 4(%edx)           /* a multiple of 16 */
        xor     %eax, %eax
        xor     %ebx, %ebx
        xor     %edi, %edi
        xor     %ebp, %ebp
        mov     %eax, %fs
        mov     %esi, %gs
        mov     %ecx, %ss
        mov     %edx, %esp              /* from here on the stack is not to be trusted */
        xor     %esi, %esi
        xor     %ecx, %ecx
        xor     %edx, %edx
        ljmp    *%gs:KEPT
        .size   ice_run_on_stack, . - ice_run_on_stack

        /* From the program: eax is the number of a function, the program's stack has its arguments, seven words at
         * most, which are read once. Code is the host's already, all other segments are the program's. */
        .globl  ice_enter
        .type   ice_enter, @function
ice_enter:
        cld
        mov     %esp, %edx
        mov     %cs:ice_host_tls, %gs
        mov     %gs:ice_own_thread@ntpoff, %ecx
        mov     %cs:HOST_STACK(%ecx), %ecx
        mov     %cs:ice_host_data, %ss  /* and the next instruction as one */
        mov     %ecx, %esp
        push    %edx
        sub     $12, %esp               /* the stack is a multiple of 16 at the call */
        .irp    offset, 28, 24, 20, 16, 12, 8, 4
        pushl   \offset(%edx)
        .endr
        mov     %cs:ice_host_data, %ds
        mov     %cs:ice_host_data, %es
        call    *ice_functions(,%eax,4)
        add     $40, %esp
        pop     %edx
        mov     ice_program_data, %es
        mov     %es:(%edx), %ecx        /* whatever the program has there */
        and     $-32, %ecx
        push    %ecx
        mov     %gs:ice_own_thread@ntpoff, %ecx
        pop     KEPT(%ecx)
        mov     SELECTOR(%ecx), %gs
        mov     %es, %ecx
        mov     %ecx, %ds
        mov     %ecx, %ss
        lea     4(%edx), %esp
        clear_vectors
        xor     %ecx, %ecx
        xor     %edx, %edx
        ljmp    *%gs:KEPT
        .size   ice_enter, . - ice_enter

        /* A signal: code and stack are the host's already, all other segments may be the program's. */
        .macro  handler name, function
        .globl  \name
        .type   \name, @function
\name:
        mov     %cs:ice_host_data, %ds
        mov     %cs:ice_host_data, %es
        mov     %cs:ice_host_tls, %gs
        jmp     \function
        .size   \name, . - \name
        .endm
        handler ice_on_fault, ice_report_fault
        handler ice_on_stop, ice_stop

        .globl  ice_return_stack
        .type   ice_return_stack, @function
ice_return_stack:                       /* saved */
        mov     4(%esp), %esp
        xor     %eax, %eax
        jmp     .Lleave
        .size   ice_return_stack, . - ice_return_stack
#endif

        .globl  ice_leave_stack
        .type   ice_leave_stack, @function
ice_leave_stack:                        /* flag, saved */
        mov     4(%esp), %ecx
        mov     8(%esp), %esp
        test    %ecx, %ecx
        jz      1f
#ifdef ICE_SANDBOX
        mov     ice_program_data, %es   /* the flag is the program's */
        movl    $0, %es:(%ecx)          /* from here on the program's stack may be gone */
        mov     %ds, %edx
        mov     %edx, %es
#else
        movl    $0, (%ecx)              /* from here on the program's stack may be gone */
#endif
1:      mov     $1, %eax
.Lleave:                                /* esp as ice_run_on_stack has saved it */
        pop     %edi
        pop     %esi
        pop     %ebx
        pop     %ebp
        ret
        .size   ice_leave_stack, . - ice_leave_stack
#endif
        .section .note.GNU-stack, "", %progbits
