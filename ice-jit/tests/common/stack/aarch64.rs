//! Stacks and registers of AArch64.

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
        "stp x29, x30, [sp, #-160]!",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x19, sp",
        "str x19, [x3]",
        "mov x9, x0",
        "mov x0, x1",
        "mov sp, x2",
        "blr x9",
        "mov x0, x19",
        "b {leave}",
        leave = sym leave,
    )
}

/// Goes back to whom called [`enter`].
#[unsafe(naked)]
pub unsafe extern "C" fn leave(saved: usize) -> ! {
    naked_asm!(
        "mov sp, x0",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldp x29, x30, [sp], #160",
        "ret",
    )
}

/// `setjmp` of PNaCl programs: the low halves of the arguments count.
#[unsafe(naked)]
pub extern "C" fn set_jump(_buffer: u32) -> i32 {
    naked_asm!(
        "mov w0, w0",
        "stp x19, x20, [x0]",
        "stp x21, x22, [x0, #16]",
        "stp x23, x24, [x0, #32]",
        "stp x25, x26, [x0, #48]",
        "stp x27, x28, [x0, #64]",
        "stp x29, x30, [x0, #80]",
        "mov x9, sp",
        "str x9, [x0, #96]",
        "stp d8, d9, [x0, #104]",
        "stp d10, d11, [x0, #120]",
        "stp d12, d13, [x0, #136]",
        "stp d14, d15, [x0, #152]",
        "mov w0, #0",
        "ret",
    )
}

/// `longjmp` of PNaCl programs.
#[unsafe(naked)]
pub extern "C" fn long_jump(_buffer: u32, _value: i32) -> ! {
    naked_asm!(
        "mov w0, w0",
        "ldp x19, x20, [x0]",
        "ldp x21, x22, [x0, #16]",
        "ldp x23, x24, [x0, #32]",
        "ldp x25, x26, [x0, #48]",
        "ldp x27, x28, [x0, #64]",
        "ldp x29, x30, [x0, #80]",
        "ldr x9, [x0, #96]",
        "mov sp, x9",
        "ldp d8, d9, [x0, #104]",
        "ldp d10, d11, [x0, #120]",
        "ldp d12, d13, [x0, #136]",
        "ldp d14, d15, [x0, #152]",
        "cmp w1, #0",
        "csinc w0, w1, wzr, ne",
        "ret",
    )
}
