//! Stacks and registers of i686.

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
        "push ebp", "push ebx", "push esi", "push edi",
        "mov eax, [esp + 20]",
        "mov ecx, [esp + 24]",
        "mov edx, [esp + 28]",
        "mov ebx, [esp + 32]",
        "mov [ebx], esp",
        "mov ebx, esp",
        "lea esp, [edx - 16]",
        "mov [esp], ecx",
        "call eax",
        "push ebx",
        "push ebx",
        "jmp {leave}",
        leave = sym leave,
    )
}

/// Goes back to whom called [`enter`].
#[unsafe(naked)]
pub unsafe extern "C" fn leave(saved: usize) -> ! {
    naked_asm!("mov esp, [esp + 4]", "pop edi", "pop esi", "pop ebx", "pop ebp", "ret")
}

/// `setjmp` of PNaCl programs.
#[unsafe(naked)]
pub extern "C" fn set_jump(_buffer: u32) -> i32 {
    naked_asm!(
        "mov ecx, [esp + 4]",
        "mov [ecx], ebx",
        "mov [ecx + 4], esi",
        "mov [ecx + 8], edi",
        "mov [ecx + 12], ebp",
        "lea edx, [esp + 4]",
        "mov [ecx + 16], edx",
        "mov edx, [esp]",
        "mov [ecx + 20], edx",
        "xor eax, eax",
        "ret",
    )
}

/// `longjmp` of PNaCl programs.
#[unsafe(naked)]
pub extern "C" fn long_jump(_buffer: u32, _value: i32) -> ! {
    naked_asm!(
        "mov ecx, [esp + 4]",
        "mov eax, [esp + 8]",
        "cmp eax, 1",
        "adc eax, 0",
        "mov ebx, [ecx]",
        "mov esi, [ecx + 4]",
        "mov edi, [ecx + 8]",
        "mov ebp, [ecx + 12]",
        "mov esp, [ecx + 16]",
        "jmp dword ptr [ecx + 20]",
    )
}
