//! What traces call: operations that make objects or are rare.
//!
//! All helpers take the heap and three payloads and give a payload. One that can fail gives 0 and has then done nothing; the
//! trace is left, and the interpreter does the operation again and says what is wrong.

#![allow(unsafe_code)]

use crate::arithmetic;
use crate::ast::{Binary, Builtin};
use crate::value::{Heap, Tag, Value};

type Function = unsafe extern "C" fn(*mut Heap, u64, u64, u64) -> u64;

macro_rules! helpers {
    ($($(#[$doc:meta])* $name:ident = $symbol:literal, $can_fail:literal, |$heap:pat_param, $a:pat_param, $b:pat_param, $c:pat_param| $body:expr;)*) => {
        /// An operation of the run-time system.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Helper {
            $($(#[$doc])* $name,)*
        }

        impl Helper {
            /// All with their symbols and addresses.
            pub const ALL: &'static [(Helper, &'static str, Function)] = &[$((Helper::$name, $symbol, {
                /// # Safety
                /// The heap is that of the machine, and payloads are of the types that the trace says.
                unsafe extern "C" fn function(heap: *mut Heap, a: u64, b: u64, c: u64) -> u64 {
                    // SAFETY: nothing else refers to the heap while machine code runs, as this function was promised.
                    let $heap = unsafe { &mut *heap };
                    let ($a, $b, $c) = (a, b, c);
                    $body
                }
                function
            }),)*];

            /// Whether 0 says that the operation was not done.
            pub fn can_fail(self) -> bool {
                match self {
                    $(Helper::$name => $can_fail,)*
                }
            }
        }
    };
}

const TAGS: [Tag; 8] =
    [Tag::Nil, Tag::Bool, Tag::Int, Tag::Float, Tag::Text, Tag::Array, Tag::Closure, Tag::Cell];

/// The value with a tag that a trace has as a number.
fn value(tag: u64, payload: u64) -> Value {
    Value { tag: TAGS[tag as usize % TAGS.len()], payload }
}

fn text(payload: u64) -> Value {
    Value { tag: Tag::Text, payload }
}

fn payload<E>(result: Result<Value, E>) -> u64 {
    result.map_or(0, |value| value.payload)
}

helpers! {
    /// A string behind another one.
    Concat = "concat", true, |heap, a, b, _| payload(arithmetic::binary(heap, Binary::Add, text(a), text(b)));
    /// The order of two strings: -1, 0 or 1.
    Order = "order", false, |_, a, b, _| text(a).text().cmp(&text(b).text()) as i64 as u64;
    /// An array of so many values of a tag and payload.
    Array = "array", true, |heap, len, tag, bits| match i64::try_from(len) {
        Ok(_) => payload(heap.make_array(len, value(tag, bits))),
        Err(_) => 0,
    };
    /// Appends a value of a tag and payload to an array; 1.
    Push = "push", true, |heap, array, tag, bits| {
        u64::from(heap.push(Value { tag: Tag::Array, payload: array }, value(tag, bits)) == Ok(true))
    };
    /// A cell with a value.
    Cell = "cell", true, |heap, tag, bits, _| payload(heap.make_cell(value(tag, bits)));
    /// A closure of a function with so many cells, whose addresses are written later.
    Closure = "closure", true, |heap, function, count, _| {
        payload(heap.make_closure(function, vec![0; count as usize]))
    };
    /// A value of a tag and payload as it is printed.
    Str = "str", true, |heap, tag, bits, _| payload(arithmetic::builtin(heap, Builtin::Str, &[value(tag, bits)]));
    /// The string of one byte.
    Char = "char", true, |heap, byte, _, _| {
        payload(arithmetic::builtin(heap, Builtin::Char, &[value(Tag::Int as u64, byte)]))
    };
    /// A part of a string.
    Slice = "slice", true, |heap, a, from, to| {
        let args = [text(a), Value::int(from as i64), Value::int(to as i64)];
        payload(arithmetic::builtin(heap, Builtin::Slice, &args))
    };
    /// The remainder of floats.
    FloatMod = "float_mod", false, |_, a, b, _| {
        arithmetic::float_mod(f64::from_bits(a), f64::from_bits(b)).to_bits()
    };
    /// The quotient of floats toward minus infinity.
    FloatDiv = "float_div", false, |_, a, b, _| (f64::from_bits(a) / f64::from_bits(b)).floor().to_bits();
    /// The quotient of integers; the divisor is not zero.
    IntDiv = "int_div", false, |_, a, b, _| arithmetic::floor_div(a as i64, b as i64) as u64;
    /// The remainder of integers; the divisor is not zero.
    IntMod = "int_mod", false, |_, a, b, _| arithmetic::floor_mod(a as i64, b as i64) as u64;
}
