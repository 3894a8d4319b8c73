/* Attempts of a program of x86-32 to get out of its segments, in code that the validator takes. ATTEMPT says which.
 *
 * Each begins with the argument block above the return address. It ends with exit code 9 if it got what it should not,
 * with 7 if the loader did not do what it should, and with 0 if all was as it should be.
 */
        .bundle_align_mode 5
        .set    FUNCTIONS, 0x10000              /* places of the loader */

        /* A call, and what stands behind it in a bundle of its own. */
        .macro  aligned_call target
        .balign 32, 0x90
        .fill   27, 1, 0x90
        call    \target
        .endm
        .macro  jump register
        .bundle_lock
        and     $-32, %\register
        jmp     *%\register
        .bundle_unlock
        .endm
        .macro  call_register register
        .balign 32, 0x90
        .fill   27, 1, 0x90
        and     $-32, %\register
        call    *%\register
        .endm
        /* The function at an offset of a table that was asked for, with arguments on the stack. */
        .macro  call_table table, offset
        mov     \table + \offset, %eax
        call_register eax
        .endm
        .macro  return_masked
        pop     %ecx
        jump    ecx
        .endm

        .data
        .balign 64
query:  .long   0
basic:  .fill   6, 4, 0
fdio:   .fill   8, 4, 0
threads: .fill  3, 4, 0
tls:    .fill   2, 4, 0
room:   .fill   64, 4, 0
other_stack:
        .fill   4096, 4, 0
other_stack_end:
        .section .rodata
basic_name: .asciz "nacl-irt-basic-0.1"
fdio_name: .asciz "nacl-irt-fdio-0.1"
threads_name: .asciz "nacl-irt-thread-0.1"
tls_name: .asciz "nacl-irt-tls-0.1"
text:   .ascii  "as it should be\n"
text_end:

        .text
        .globl  pexe_start
        .balign 32
pexe_start:
        mov     4(%esp), %eax
        mov     4(%eax), %ecx                   /* envc */
        add     8(%eax), %ecx                   /* argc */
        lea     20(%eax,%ecx,4), %eax
1:      cmpl    $32, (%eax)
        je      2f
        add     $8, %eax
        jmp     1b
2:      mov     4(%eax), %eax
        mov     %eax, query
        .irp    interface, basic, fdio, threads, tls
        sub     $12, %esp
        movl    $\interface\()_name, (%esp)
        movl    $\interface, 4(%esp)
        movl    $64, 8(%esp)
        .ifc    \interface, basic
        movl    $24, 8(%esp)
        .endif
        .ifc    \interface, fdio
        movl    $32, 8(%esp)
        .endif
        mov     query, %eax
        call_register eax
        add     $12, %esp
        .endr
        aligned_call attempt
        xor     %eax, %eax
        .balign 32
end:                                            /* eax is the exit code */
        mov     $main_stack_end, %esp
        push    %eax
        call_table basic, 0
        hlt
        .balign 32
escaped:
        mov     $9, %eax
        jmp     end
        .balign 32
failed:
        mov     $7, %eax
        jmp     end

        .bss
        .balign 64
main_stack:
        .fill   1024, 4, 0
main_stack_end:
        .fill   64, 4, 0

        .text
        .balign 32
attempt:
/* 0: nothing, and the result of a number that no function stands behind; calls keep what registers they should, and leave
 * nothing of the host in the others. */
.if ATTEMPT == 0
        mov     $0x11111111, %ebx
        mov     $0x22222222, %esi
        mov     $0x33333333, %edi
        mov     $0x44444444, %ebp
        mov     $FUNCTIONS + 32 * 7 + 9, %eax   /* masked to its start */
        pcmpeqd %xmm7, %xmm7
        call_register eax
        cmp     $-38, %eax
        jne     failed
        cmp     $0x11111111, %ebx
        jne     failed
        cmp     $0x22222222, %esi
        jne     failed
        cmp     $0x33333333, %edi
        jne     failed
        cmp     $0x44444444, %ebp
        jne     failed
        or      %ecx, %edx
        jnz     failed
        pmovmskb %xmm7, %eax
        test    %eax, %eax
        jnz     failed
        return_masked

/* 1: an exchange of stacks: one that is outside of the window. */
.elseif ATTEMPT == 1
        mov     $0xffffd000, %esp
        push    %eax
        jmp     escaped
/* 2: a call of the loader on it. */
.elseif ATTEMPT == 2
        mov     fdio + 16, %eax
        mov     $0xffffd000, %esp
        jump    eax
/* 3: on one that ends with the window, behind which there may be something of the host. */
.elseif ATTEMPT == 3
        mov     fdio + 16, %eax
        mov     $0x3fffffec, %esp
        jump    eax
/* 4: a stack pointer that is an address of the host's stack of signals, and a fault. */
.elseif ATTEMPT == 4
        mov     $SIGNAL_STACK + 0x100, %esp
        hlt
/* 5: one at which there is nothing for a signal, below any address. */
.elseif ATTEMPT == 5
        xor     %esp, %esp
        hlt
/* 6: a return from a call to what the program has made of the return address: masked. */
.elseif ATTEMPT == 6
        mov     basic + 16, %eax
        push    $7f + 5
        jump    eax
        hlt
        .balign 32
7:      jmp     8f
        nop
        nop
        nop
        jmp     escaped
8:      return_masked
/* 7: to a place behind the text. */
.elseif ATTEMPT == 7
        mov     basic + 16, %eax
        push    $0x30000000
        jump    eax
/* 8: to the host's code. */
.elseif ATTEMPT == 8
        mov     basic + 16, %eax
        push    $0x0804a000
        jump    eax
/* 9: jumps behind the text, to data, to the first page, to the end of all addresses. */
.elseif ATTEMPT == 9
        mov     $0x30000000, %eax
        jump    eax
.elseif ATTEMPT == 10
        mov     $room, %eax
        jump    eax
.elseif ATTEMPT == 11
        mov     $0xffffffff, %eax
        jump    eax
/* 12: stores to text, to the loader's places, to constants. */
.elseif ATTEMPT == 12
        movb    $0x90, attempt
        jmp     escaped
.elseif ATTEMPT == 13
        movb    $0x90, FUNCTIONS + 4
        jmp     escaped
.elseif ATTEMPT == 14
        movb    $0x90, text
        jmp     escaped
/* 15: accesses behind the window: the first byte, one that begins in it, the host's image, with an index, by strings. */
.elseif ATTEMPT == 15
        mov     0x40000000, %al
        jmp     escaped
.elseif ATTEMPT == 16
        mov     0x3ffffffd, %eax
        jmp     escaped
.elseif ATTEMPT == 17
        mov     $0x40000000, %eax
        mov     $0x40000000, %ecx
        mov     %eax, 0x7fffffff(%eax,%ecx,4)
        jmp     escaped
.elseif ATTEMPT == 18
        mov     $room, %esi
        mov     $0x40000000, %edi
        mov     $64, %ecx
        rep movsb
        jmp     escaped
.elseif ATTEMPT == 19
        std
        mov     $room, %edi
        mov     $-1, %ecx
        rep stosl
        jmp     escaped
/* 20: a call that finds the direction of strings, the rounding and the exceptions of floating point as no C code has them. */
.elseif ATTEMPT == 20
        std
        push    $0
        movl    $0, (%esp)
        ldmxcsr (%esp)
        fldcw   (%esp)
        push    $room
        push    $text_end - text
        push    $text
        push    $1
        call_table fdio, 16
        add     $20, %esp
        cld
        test    %eax, %eax
        jnz     failed
        cmpl    $text_end - text, room
        jne     failed
        push    $0
        push    $other_stack_end
        push    $ender                          /* C code that fills memory */
        std
        call_table threads, 0
        cld
        test    %eax, %eax
        jnz     failed
        .balign 32
5:      call_table basic, 16
        jmp     5b
        .balign 32
ender:
        xor     %eax, %eax
        jmp     end
/* 21: the thread pointer is what it was set to; a second word belongs to NaCl. */
.elseif ATTEMPT == 21
        push    $0x12345678
        call_table tls, 0
        call_table tls, 4
        cmp     $0x12345678, %eax
        jne     failed
        mov     %gs:0, %eax
        cmp     $0x12345678, %eax
        jne     failed
        mov     %gs:4, %eax
        test    %eax, %eax
        jnz     failed
        pop     %eax
        return_masked
/* 22: one thread writes whatever there is to the stack of another, which makes calls: return addresses, arguments and results
 * are at no time what they were. */
.elseif ATTEMPT == 22
        push    $0
        push    $other_stack_end
        push    $writer
        call_table threads, 0
        add     $12, %esp
        test    %eax, %eax
        jnz     failed
        mov     $200000, %esi
        .balign 32
again:  mov     $main_stack + 2048, %esp
        push    $room
        call_table basic, 4
        mov     $main_stack + 2048, %esp
        push    $room
        push    $0
        push    $text
        push    $1
        call_table fdio, 16
        dec     %esi
        jnz     again
        xor     %eax, %eax
        jmp     end
        .balign 32
writer:
        mov     $12345, %eax
1:      imul    $1103515245, %eax
        add     $12345, %eax
        mov     %eax, %ecx
        shr     $16, %ecx
        and     $31, %ecx
        mov     %eax, %edx
        test    $0x40000000, %eax
        jz      2f
        mov     $again + 3, %edx
2:      mov     %edx, main_stack + 2048 - 64(,%ecx,4)
        jmp     1b
/* 23: threads have thread pointers of their own, whatever happens to others. */
.elseif ATTEMPT == 23
        mov     $8, %esi
3:      mov     %esi, %eax
        shl     $10, %eax
        add     $other_stack, %eax
        push    %esi
        push    %eax
        push    $reader
        call_table threads, 0
        add     $12, %esp
        test    %eax, %eax
        jnz     failed
        dec     %esi
        jnz     3b
        mov     $20000, %esi
4:      push    %esi
        call_table tls, 0
        mov     %gs:0, %eax
        cmp     %esi, %eax
        jne     escaped
        pop     %eax
        dec     %esi
        jnz     4b
        return_masked
        .balign 32
reader:
        mov     %gs:0, %esi
        test    %esi, %esi
        jz      failed
        cmp     $8, %esi
        ja      failed
5:      mov     %gs:0, %eax
        cmp     %esi, %eax
        jne     escaped
        call_table tls, 4
        cmp     %esi, %eax
        jne     escaped
        call_table basic, 16
        jmp     5b
/* 24: an address behind the window, which is that of a text but for its highest bits. */
.elseif ATTEMPT == 24
        push    $room
        push    $text_end - text
        push    $text + 0x40000000
        push    $1
        call_table fdio, 16
        add     $16, %esp
        cmp     $14, %eax
        jne     escaped
        return_masked
/* 25: a thread begins with floating point as it should be, whatever its creator has. */
.elseif ATTEMPT == 25
        push    $0
        ldmxcsr (%esp)
        fldcw   (%esp)
        fld1
        push    $other_stack_end
        push    $beginner
        call_table threads, 0
        test    %eax, %eax
        jnz     failed
        .balign 32
6:      call_table basic, 16
        jmp     6b
        .balign 32
beginner:
        push    $0
        stmxcsr (%esp)
        cmpl    $0x1f80, (%esp)
        jne     failed
        fnstcw  (%esp)
        cmpw    $0x37f, (%esp)
        jne     failed
        fnstsw  (%esp)
        cmpw    $0, (%esp)
        jne     failed
        xor     %eax, %eax
        jmp     end
.endif
        hlt
