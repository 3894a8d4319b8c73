//! The functions that work on numbers of binary128 (`fp128`): those of the compiler's library (GCC internals, «Soft float library
//! routines», there for `TFmode`) and those of libm with the suffix `f128` (ISO/IEC TS 18661-3).

use alloc::vec::Vec;

use ice_ir::{Passing, Signature, Type};

use super::machine::{MachineDescription, QuadPassing};

/// What a parameter or result is.
#[derive(Clone, Copy)]
pub(super) enum Q {
    Quad,
    Extended,
    F32,
    F64,
    I32,
    I64,
    /// An integer of 128 bits.
    Wide,
    /// An address.
    P,
    /// No result.
    Void,
}

/// A function: its name, parameters and result.
pub(super) type Function = (&'static str, &'static [Q], Q);

/// Those of the compiler's library. Of those with [`Q::Wide`] only some machines have any.
pub(super) const COMPILER: &[Function] = &[
    ("__addtf3", &[Q::Quad, Q::Quad], Q::Quad),
    ("__subtf3", &[Q::Quad, Q::Quad], Q::Quad),
    ("__multf3", &[Q::Quad, Q::Quad], Q::Quad),
    ("__divtf3", &[Q::Quad, Q::Quad], Q::Quad),
    ("__eqtf2", &[Q::Quad, Q::Quad], Q::I32),
    ("__netf2", &[Q::Quad, Q::Quad], Q::I32),
    ("__lttf2", &[Q::Quad, Q::Quad], Q::I32),
    ("__letf2", &[Q::Quad, Q::Quad], Q::I32),
    ("__gttf2", &[Q::Quad, Q::Quad], Q::I32),
    ("__getf2", &[Q::Quad, Q::Quad], Q::I32),
    ("__unordtf2", &[Q::Quad, Q::Quad], Q::I32),
    ("__extendsftf2", &[Q::F32], Q::Quad),
    ("__extenddftf2", &[Q::F64], Q::Quad),
    ("__extendxftf2", &[Q::Extended], Q::Quad),
    ("__trunctfsf2", &[Q::Quad], Q::F32),
    ("__trunctfdf2", &[Q::Quad], Q::F64),
    ("__trunctfxf2", &[Q::Quad], Q::Extended),
    ("__floatsitf", &[Q::I32], Q::Quad),
    ("__floatditf", &[Q::I64], Q::Quad),
    ("__floattitf", &[Q::Wide], Q::Quad),
    ("__floatunsitf", &[Q::I32], Q::Quad),
    ("__floatunditf", &[Q::I64], Q::Quad),
    ("__floatuntitf", &[Q::Wide], Q::Quad),
    ("__fixtfsi", &[Q::Quad], Q::I32),
    ("__fixtfdi", &[Q::Quad], Q::I64),
    ("__fixtfti", &[Q::Quad], Q::Wide),
    ("__fixunstfsi", &[Q::Quad], Q::I32),
    ("__fixunstfdi", &[Q::Quad], Q::I64),
    ("__fixunstfti", &[Q::Quad], Q::Wide),
];

/// The name of a function of libm by that for `double`.
pub(super) fn name_of(double: &str, machine: &MachineDescription) -> Vec<u8> {
    match double {
        "__powidf2" => b"__powitf2".to_vec(),
        _ => [double.as_bytes(), machine.quad_suffix.as_bytes()].concat(),
    }
}

/// The signature of a function, if the machine has it.
pub(super) fn signature_of(
    params: impl Iterator<Item = Q>,
    ret: Q,
    machine: &MachineDescription,
    pointer: Type,
) -> Option<Signature> {
    let mut signature = Signature::new(Vec::new(), Type::Void);
    let mut param = |types: &[Type], passing| {
        signature.params.extend_from_slice(types);
        signature.passing.resize(signature.params.len(), passing);
    };
    let in_memory = machine.quad == QuadPassing::Memory;
    if let Q::Quad = ret
        && in_memory
    {
        param(&[pointer], Passing::StructReturn);
    }
    for ty in params {
        match ty {
            Q::Quad if in_memory => param(&[pointer], QuadPassing::BY_VALUE),
            Q::Quad => param(&[Type::V2I64], Passing::Plain),
            Q::Extended => param(machine.extended_params, machine.extended_passing),
            Q::F32 => param(&[Type::F32], Passing::Plain),
            Q::F64 => param(&[Type::F64], Passing::Plain),
            Q::I32 => param(&[Type::I32], Passing::Plain),
            Q::I64 => param(&[Type::I64], Passing::Plain),
            Q::Wide if !machine.has_wide_functions => return None,
            Q::Wide => param(&[Type::I64; 2], Passing::Plain),
            Q::P => param(&[pointer], Passing::Plain),
            Q::Void => {}
        }
    }
    signature.ret = match ret {
        Q::Quad if in_memory => Type::Void,
        Q::Quad => Type::V2I64,
        Q::Extended | Q::Void => Type::Void,
        Q::F32 => Type::F32,
        Q::F64 => Type::F64,
        Q::I32 => Type::I32,
        Q::Wide if !machine.has_wide_functions => return None,
        Q::I64 | Q::Wide => Type::I64,
        Q::P => pointer,
    };
    if let Q::Wide = ret {
        signature.second = Type::I64;
    }
    if signature.passing.iter().all(|&passing| passing == Passing::Plain) {
        signature.passing.clear();
    }
    Some(signature)
}
