//! Stacks and registers of ARMv7.

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
        "push {{r3-r11, lr}}",
        "vpush {{d8-d15}}",
        "str sp, [r3]",
        "mov r4, sp",
        "mov ip, r0",
        "mov r0, r1",
        "mov sp, r2",
        "blx ip",
        "mov r0, r4",
        "b {leave}",
        leave = sym leave,
    )
}

/// Goes back to whom called [`enter`].
#[unsafe(naked)]
pub unsafe extern "C" fn leave(saved: usize) -> ! {
    naked_asm!("mov sp, r0", "vpop {{d8-d15}}", "pop {{r3-r11, pc}}")
}

/// `setjmp` of PNaCl programs.
#[unsafe(naked)]
pub extern "C" fn set_jump(_buffer: u32) -> i32 {
    naked_asm!(
        "vstmia r0!, {{d8-d15}}",
        "stmia r0!, {{r4-r11}}",
        "str sp, [r0]",
        "str lr, [r0, #4]",
        "mov r0, #0",
        "bx lr",
    )
}

/// `longjmp` of PNaCl programs.
#[unsafe(naked)]
pub extern "C" fn long_jump(_buffer: u32, _value: i32) -> ! {
    naked_asm!(
        "vldmia r0!, {{d8-d15}}",
        "ldmia r0!, {{r4-r11}}",
        "ldr sp, [r0]",
        "ldr lr, [r0, #4]",
        "movs r0, r1",
        "moveq r0, #1",
        "bx lr",
    )
}
