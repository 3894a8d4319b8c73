//! Functions of Rust as functions of the IR: which types they have in common.
//!
//! [`Callable`] is implemented for `extern "C"` and `extern "C-unwind"` functions of up to twelve parameters, each a [`Scalar`]. A pointer to a
//! function of the IR may be taken for one if parameters and result have the same types and are passed plainly.

use ice_ir::native::{Arity, CallingConvention, Passing};
use ice_ir::{Signature, Type};
use std::fmt::Write;

/// A type of Rust that a value of the IR is passed as. Implemented for integers, floats, `bool` and thin pointers.
pub trait Scalar: sealed::Sealed {
    #[doc(hidden)]
    const TYPE: Type;
}

/// What a function of Rust gives: a [`Scalar`] or nothing.
pub trait Outcome: sealed::Sealed {
    #[doc(hidden)]
    const TYPE: Type;
}

/// A pointer to a function of Rust that a function of the IR may be.
pub trait Callable: Copy + sealed::Sealed {
    #[doc(hidden)]
    const PARAMS: &'static [Type];
    #[doc(hidden)]
    const RESULT: Type;
}

mod sealed {
    pub trait Sealed {}
}

const POINTER: Type = if size_of::<usize>() == 8 { Type::I64 } else { Type::I32 };

macro_rules! scalars {
    ($($rust:ty => $ir:expr,)*) => {
        $(
            impl sealed::Sealed for $rust {}
            impl Scalar for $rust { const TYPE: Type = $ir; }
            impl Outcome for $rust { const TYPE: Type = $ir; }
        )*
    };
}

scalars! {
    bool => Type::I1, i8 => Type::I8, u8 => Type::I8, i16 => Type::I16, u16 => Type::I16,
    i32 => Type::I32, u32 => Type::I32, i64 => Type::I64, u64 => Type::I64,
    isize => POINTER, usize => POINTER, f32 => Type::F32, f64 => Type::F64,
}

impl sealed::Sealed for () {}
impl Outcome for () {
    const TYPE: Type = Type::Void;
}

macro_rules! pointers {
    ($($pointer:ty),*) => {
        $(
            impl<T> sealed::Sealed for $pointer {}
            impl<T> Scalar for $pointer { const TYPE: Type = POINTER; }
            impl<T> Outcome for $pointer { const TYPE: Type = POINTER; }
        )*
    };
}

pointers!(*const T, *mut T);

macro_rules! functions {
    ($first:ident $($rest:ident)*) => {
        functions!(@ $first $($rest)*);
        functions!($($rest)*);
    };
    () => { functions!(@); };
    (@ $($param:ident)*) => {
        functions!(@ extern "C" fn($($param),*) -> Ret, $($param)*);
        functions!(@ unsafe extern "C" fn($($param),*) -> Ret, $($param)*);
        functions!(@ extern "C-unwind" fn($($param),*) -> Ret, $($param)*);
        functions!(@ unsafe extern "C-unwind" fn($($param),*) -> Ret, $($param)*);
    };
    (@ $function:ty, $($param:ident)*) => {
        impl<Ret, $($param),*> sealed::Sealed for $function {}
        impl<Ret: Outcome, $($param: Scalar),*> Callable for $function {
            const PARAMS: &'static [Type] = &[$($param::TYPE),*];
            const RESULT: Type = Ret::TYPE;
        }
    };
}

functions!(A B C D E F G H I J K L);

/// Whether a function with this signature may be called as an `F`.
pub(crate) fn fits<F: Callable>(signature: &Signature) -> bool {
    // How a call goes is the same whether it is looked at where it leads.
    let Signature { params, ret, second, passing, arity, convention, results: _, tracking: _ } = signature;
    let is_plain = passing.iter().all(|&passing| passing == Passing::Plain);
    let is_standard = *arity == Arity::Fixed && *convention == CallingConvention::Standard;
    is_plain && is_standard && *second == Type::Void && params == F::PARAMS && *ret == F::RESULT
}

/// Types as the text form has them.
fn write_types(params: &[Type], rest: &str, ret: Type) -> String {
    let mut text = String::from("(");
    for (n, param) in params.iter().enumerate() {
        // Writing into a string cannot fail.
        let _ = write!(text, "{}{param}", if n > 0 { ", " } else { "" });
    }
    let _ = write!(text, "{rest}) -> {ret}");
    text
}

/// A signature, for messages.
pub(crate) fn shown(signature: &Signature) -> String {
    let is_plain = signature.passing.iter().all(|&passing| passing == Passing::Plain);
    let rest = if signature.arity == Arity::Variadic { ", ..." } else { "" };
    let mut text = write_types(&signature.params, rest, signature.ret);
    if signature.second != Type::Void {
        let _ = write!(text, ", {}", signature.second);
    }
    if !is_plain {
        text += ", with parameters passed in ways of their own";
    }
    if signature.convention != CallingConvention::Standard {
        let _ = write!(text, ", {}", signature.convention);
    }
    text
}

/// The types of a function of Rust, for messages.
pub(crate) fn shown_as<F: Callable>() -> String {
    write_types(F::PARAMS, "", F::RESULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_compared() {
        type Function = extern "C" fn(i32, *const u8, f64) -> u16;
        let mut signature = Signature::new(vec![Type::I32, POINTER, Type::F64], Type::I16);
        assert!(fits::<Function>(&signature));
        assert!(fits::<unsafe extern "C" fn(u32, *mut i8, f64) -> i16>(&signature));
        assert!(!fits::<extern "C" fn(i32, *const u8, f64)>(&signature));
        assert!(!fits::<extern "C" fn(i32, *const u8) -> u16>(&signature));
        assert!(!fits::<extern "C" fn(i32, *const u8, f32) -> u16>(&signature));
        signature.passing = vec![Passing::Plain; 3];
        assert!(fits::<Function>(&signature));
        signature.passing[1] = Passing::StructReturn;
        assert!(!fits::<Function>(&signature));
        signature.passing.clear();
        signature.arity = Arity::Variadic;
        assert!(!fits::<Function>(&signature));
        assert!(fits::<extern "C" fn()>(&Signature::new(vec![], Type::Void)));
    }
}
