//! Stacks and registers of x86-64.

use std::arch::naked_asm;
use std::ffi::c_void;

/// Calls `function(data)` on the stack that ends at `stack`; `saved` gets what [`leave`] wants.
#[unsafe(naked)]
pub unsafe extern "C" fn enter(
    function: extern "C" fn(*mut c_void),
    data: *mut c_void,
    stack: usize,
    saved: *mut usize,
) {
    naked_asm!(
        "push rbp", "push rbx", "push r12", "push r13", "push r14", "push r15",
        "mov [rcx], rsp",
        "mov rbx, rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsp, rdx",
        "call rax",
        "mov rdi, rbx",
        "jmp {leave}",
        leave = sym leave,
    )
}

/// Goes back to whom called [`enter`].
#[unsafe(naked)]
pub unsafe extern "C" fn leave(saved: usize) -> ! {
    naked_asm!("mov rsp, rdi", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret")
}

/// `setjmp` of PNaCl programs: the low halves of the arguments count.
#[unsafe(naked)]
pub extern "C" fn set_jump(_buffer: u32) -> i32 {
    naked_asm!(
        "mov edi, edi",
        "mov [rdi], rbx",
        "mov [rdi + 8], rbp",
        "mov [rdi + 16], r12",
        "mov [rdi + 24], r13",
        "mov [rdi + 32], r14",
        "mov [rdi + 40], r15",
        "lea rdx, [rsp + 8]",
        "mov [rdi + 48], rdx",
        "mov rdx, [rsp]",
        "mov [rdi + 56], rdx",
        "xor eax, eax",
        "ret",
    )
}

/// `longjmp` of PNaCl programs.
#[unsafe(naked)]
pub extern "C" fn long_jump(_buffer: u32, _value: i32) -> ! {
    naked_asm!(
        "mov edi, edi",
        "mov eax, esi",
        "cmp eax, 1",
        "adc eax, 0",
        "mov rbx, [rdi]",
        "mov rbp, [rdi + 8]",
        "mov r12, [rdi + 16]",
        "mov r13, [rdi + 24]",
        "mov r14, [rdi + 32]",
        "mov r15, [rdi + 40]",
        "mov rsp, [rdi + 48]",
        "jmp [rdi + 56]",
    )
}
