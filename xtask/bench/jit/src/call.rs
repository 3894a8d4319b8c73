//! Calls of functions that were made a moment ago.
//!
//! The addresses come from a [`Backend`](crate::builder::Backend) that still has the code, and the types are those that
//! [`functions`] and [`kernels`] declare all their functions with. Both write inside of the memory whose size they state,
//! which is compared here.
#![allow(unsafe_code)]

use crate::{functions, kernels};

/// Calls a function of [`functions`].
pub fn generated(address: *const (), memory: &mut [u64], (wide, narrow, float): (i64, i32, f64)) -> i64 {
    assert!(size_of_val(memory) >= functions::MEMORY);
    // SAFETY: as the head of the file says.
    let function =
        unsafe { std::mem::transmute::<*const (), extern "C" fn(*mut u64, i64, i32, f64) -> i64>(address) };
    function(memory.as_mut_ptr(), wide, narrow, float)
}

/// Calls a kernel.
pub fn kernel(address: *const (), memory: &mut [u64], size: i64) -> i64 {
    assert!(size_of_val(memory) >= kernels::MEMORY);
    // SAFETY: as the head of the file says.
    let function = unsafe { std::mem::transmute::<*const (), extern "C" fn(*mut u64, i64) -> i64>(address) };
    function(memory.as_mut_ptr(), size)
}
