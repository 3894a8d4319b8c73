//! The functions that generated code calls where a machine lacks an instruction, for processes that do not have them.
//!
//! Compilers link them into programs where their own code needs them, so that a process need not have them, and seldom
//! shows them to others. Those of the ARM run-time ABI (IHI 0043) have floats in general registers, whatever the convention
//! of the process, and take them as bits here; results in several registers are wider integers. What the C library has,
//! `memcpy` and its like, is called there. Saving and restoring a context (`setjmp`) has no place here.

use crate::thread_local::finder;
use ice_codegen::Libcall;

extern "C" fn fmodf(a: f32, b: f32) -> f32 {
    a % b
}

extern "C" fn fmod(a: f64, b: f64) -> f64 {
    a % b
}

/// A quotient, or what the processor does about a division by zero.
extern "C" fn udivdi3(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or_else(divide_by_zero)
}

extern "C" fn divdi3(a: i64, b: i64) -> i64 {
    if b == 0 { divide_by_zero() } else { a.wrapping_div(b) }
}

extern "C" fn umoddi3(a: u64, b: u64) -> u64 {
    a.checked_rem(b).unwrap_or_else(divide_by_zero)
}

extern "C" fn moddi3(a: i64, b: i64) -> i64 {
    if b == 0 { divide_by_zero() } else { a.wrapping_rem(b) }
}

/// Ends the process: generated code has nobody who could catch it.
#[cold]
fn divide_by_zero<T>() -> T {
    eprintln!("division by zero in generated code");
    std::process::abort()
}

extern "C" fn popcountsi2(a: u32) -> u32 {
    a.count_ones()
}

extern "C" fn popcountdi2(a: u64) -> u32 {
    a.count_ones()
}

extern "C" fn idiv(a: i32, b: i32) -> i32 {
    if b == 0 { divide_by_zero() } else { a.wrapping_div(b) }
}

/// The quotient in the low half, the remainder in the high one.
extern "C" fn idivmod(a: i32, b: i32) -> u64 {
    let quotient = idiv(a, b);
    let remainder = a.wrapping_rem(b);
    u64::from(quotient as u32) | u64::from(remainder as u32) << 32
}

extern "C" fn uidiv(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or_else(divide_by_zero)
}

/// The quotient in the low half, the remainder in the high one.
extern "C" fn uidivmod(a: u32, b: u32) -> u64 {
    let quotient = uidiv(a, b);
    u64::from(quotient) | u64::from(a % b) << 32
}

macro_rules! conversions {
    ($($name:ident: $from:ty => $to:ty,)*) => {
        $(extern "C" fn $name(value: $from) -> $to { value as $to })*
    };
}

conversions! {
    f32_to_i64: f32 => i64, f64_to_i64: f64 => i64, f32_to_u64: f32 => u64, f64_to_u64: f64 => u64,
    i64_to_f32: i64 => f32, i64_to_f64: i64 => f64, u64_to_f32: u64 => f32, u64_to_f64: u64 => f64,
}

extern "C" fn f2lz(bits: u32) -> i64 {
    f32::from_bits(bits) as i64
}

extern "C" fn d2lz(bits: u64) -> i64 {
    f64::from_bits(bits) as i64
}

extern "C" fn f2ulz(bits: u32) -> u64 {
    f32::from_bits(bits) as u64
}

extern "C" fn d2ulz(bits: u64) -> u64 {
    f64::from_bits(bits) as u64
}

extern "C" fn l2f(value: i64) -> u32 {
    (value as f32).to_bits()
}

extern "C" fn l2d(value: i64) -> u64 {
    (value as f64).to_bits()
}

extern "C" fn ul2f(value: u64) -> u32 {
    (value as f32).to_bits()
}

extern "C" fn ul2d(value: u64) -> u64 {
    (value as f64).to_bits()
}

/// The address of a helper; `None` for those that only a process can have.
fn helper(libcall: Libcall) -> Option<*const ()> {
    Some(match libcall {
        Libcall::Memcpy => libc::memcpy as *const (),
        Libcall::Memmove => libc::memmove as *const (),
        Libcall::Memset => libc::memset as *const (),
        Libcall::Fmodf => fmodf as *const (),
        Libcall::Fmod => fmod as *const (),
        Libcall::Udivdi3 => udivdi3 as *const (),
        Libcall::Divdi3 => divdi3 as *const (),
        Libcall::Umoddi3 => umoddi3 as *const (),
        Libcall::Moddi3 => moddi3 as *const (),
        Libcall::Popcountsi2 => popcountsi2 as *const (),
        Libcall::Popcountdi2 => popcountdi2 as *const (),
        Libcall::Fixdfdi | Libcall::F64ToI64 => f64_to_i64 as *const (),
        Libcall::Fixsfdi | Libcall::F32ToI64 => f32_to_i64 as *const (),
        Libcall::Fixunsdfdi | Libcall::F64ToU64 => f64_to_u64 as *const (),
        Libcall::Fixunssfdi | Libcall::F32ToU64 => f32_to_u64 as *const (),
        Libcall::Floatdidf | Libcall::I64ToF64 => i64_to_f64 as *const (),
        Libcall::Floatdisf | Libcall::I64ToF32 => i64_to_f32 as *const (),
        Libcall::Floatundidf | Libcall::U64ToF64 => u64_to_f64 as *const (),
        Libcall::Floatundisf | Libcall::U64ToF32 => u64_to_f32 as *const (),
        Libcall::AeabiIdiv => idiv as *const (),
        Libcall::AeabiIdivmod => idivmod as *const (),
        Libcall::AeabiUidiv => uidiv as *const (),
        Libcall::AeabiUidivmod => uidivmod as *const (),
        Libcall::AeabiF2lz => f2lz as *const (),
        Libcall::AeabiD2lz => d2lz as *const (),
        Libcall::AeabiF2ulz => f2ulz as *const (),
        Libcall::AeabiD2ulz => d2ulz as *const (),
        Libcall::AeabiL2f => l2f as *const (),
        Libcall::AeabiL2d => l2d as *const (),
        Libcall::AeabiUl2f => ul2f as *const (),
        Libcall::AeabiUl2d => ul2d as *const (),
        _ => return None,
    })
}

/// The address of the helper of this name, or of what finds thread-local variables.
pub(crate) fn helper_by_name(name: &[u8]) -> Option<usize> {
    let of_libcall = || helper(Libcall::from_name(name)?).map(|address| address.expose_provenance());
    of_libcall().or_else(|| finder(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_and_remainders_stand_in_their_halves() {
        assert_eq!(idivmod(-7, 2), u64::from(-3i32 as u32) | u64::from(-1i32 as u32) << 32);
        assert_eq!(idivmod(i32::MIN, -1), u64::from(i32::MIN as u32));
        assert_eq!(uidivmod(u32::MAX, 10), 429_496_729 | 5 << 32);
        assert_eq!(moddi3(i64::MIN, -1), 0);
    }

    #[test]
    fn names_are_those_of_the_code_generator() {
        assert_eq!(helper_by_name(b"__udivdi3"), Some((udivdi3 as *const ()).addr()));
        assert_eq!(helper_by_name(b"__ice_setjmp"), None);
        assert_eq!(helper_by_name(b"__udivdi"), None);
    }
}
