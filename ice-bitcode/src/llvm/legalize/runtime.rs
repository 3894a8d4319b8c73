//! Declarations that bodies need and LLVM does not write: the intrinsics of the IR, and functions of the C and the
//! compiler's libraries.
//!
//! Bodies are read with the module shared, so everything is declared before the first of them: all intrinsics,
//! and those functions that a special name of the module (`llvm.floor.f64`) or a wide integer type may need. A
//! function that the module has itself is used as it is.

use alloc::vec::Vec;

use ice_ir::{
    FuncId, FunctionDecl, FunctionKind, Intrinsic, Linkage, Module, Passing, Signature, Symbol, Type,
};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::body::constrained::PREFIX;
use super::body::exceptions::RESUME;
use super::emulated_threads::RESOLVER;
use super::module::{LlvmModule, SpecialGlobal};
use super::quad_library::{self, Q};
use crate::llvm::wire::demands::Hook;
use crate::llvm::wire::types::LlvmType;

/// What a parameter or result is.
#[derive(Clone, Copy)]
enum T {
    /// The type that tells calls of one intrinsic apart.
    Own,
    /// An address.
    P,
    I1,
    I8,
    I32,
    I64,
    /// An `i128`.
    Wide,
    F32,
    F64,
    V4I32,
    Void,
}

impl T {
    const fn ty(self, own: Type, pointer: Type) -> Type {
        match self {
            T::Own => own,
            T::P => pointer,
            T::I1 => Type::I1,
            T::I8 => Type::I8,
            T::I32 => Type::I32,
            T::I64 | T::Wide => Type::I64,
            T::F32 => Type::F32,
            T::F64 => Type::F64,
            T::V4I32 => Type::V4I32,
            T::Void => Type::Void,
        }
    }
}

/// The types that an intrinsic is declared for; `Void` where there is but one form.
const ONE: &[Type] = &[Type::Void];
const WORDS: &[Type] = &[Type::I32, Type::I64];
const INTEGERS: &[Type] = &[Type::I8, Type::I16, Type::I32, Type::I64];
const FLOATS: &[Type] = &[Type::F32, Type::F64];

/// One line an intrinsic: its types, parameters and result.
const INTRINSICS: &[(Intrinsic, &[Type], &[T], T)] = &[
    (Intrinsic::Memcpy, ONE, &[T::P, T::P, T::P, T::I32, T::I1], T::Void),
    (Intrinsic::Memmove, ONE, &[T::P, T::P, T::P, T::I32, T::I1], T::Void),
    (Intrinsic::Memset, ONE, &[T::P, T::I8, T::P, T::I32, T::I1], T::Void),
    (Intrinsic::Bswap, &[Type::I16, Type::I32, Type::I64], &[T::Own], T::Own),
    (Intrinsic::Ctlz, WORDS, &[T::Own, T::I1], T::Own),
    (Intrinsic::Cttz, WORDS, &[T::Own, T::I1], T::Own),
    (Intrinsic::Ctpop, WORDS, &[T::Own], T::Own),
    (Intrinsic::Fabs, &[Type::F32, Type::F64, Type::V4F32], &[T::Own], T::Own),
    (Intrinsic::Sqrt, FLOATS, &[T::Own], T::Own),
    (Intrinsic::Fneg, FLOATS, &[T::Own], T::Own),
    (Intrinsic::Bitreverse, &[Type::I32, Type::I64], &[T::Own], T::Own),
    (Intrinsic::Stacksave, ONE, &[], T::P),
    (Intrinsic::Stackrestore, ONE, &[T::P], T::Void),
    (Intrinsic::Trap, ONE, &[], T::Void),
    (Intrinsic::AtomicLoad, INTEGERS, &[T::P, T::I32], T::Own),
    (Intrinsic::AtomicStore, INTEGERS, &[T::Own, T::P, T::I32], T::Void),
    (Intrinsic::AtomicRmw, INTEGERS, &[T::I32, T::P, T::Own, T::I32], T::Own),
    (Intrinsic::AtomicCmpxchg, INTEGERS, &[T::P, T::Own, T::Own, T::I32, T::I32], T::Own),
    (Intrinsic::AtomicFence, ONE, &[T::I32], T::Void),
    (Intrinsic::VaStart, ONE, &[T::P], T::Void),
    (Intrinsic::FrameAddress, ONE, &[T::I32], T::P),
    (Intrinsic::ReturnAddress, ONE, &[T::I32], T::P),
    (Intrinsic::ThreadLocalAddress, ONE, &[T::P], T::P),
    (Intrinsic::Extended, ONE, &[T::I32, T::P, T::P, T::P], T::Void),
    (Intrinsic::ByValue, ONE, &[T::P, T::I32, T::I32], T::P),
    (Intrinsic::MulHigh, ONE, &[T::P, T::P], T::P),
    (Intrinsic::DoublePair, ONE, &[T::F64, T::F64], T::V4I32),
    (Intrinsic::DoubleHalf, ONE, &[T::V4I32, T::I32], T::F64),
    (Intrinsic::ReadTp, ONE, &[], T::P),
    (Intrinsic::CheckType, ONE, &[T::P, T::I32], T::P),
];

/// What constrained floating point needs, of every type.
const CONSTRAINED: &[(Intrinsic, &[Type], &[T], T)] =
    &[(Intrinsic::Pin, Type::ALL.split_at(1).1, &[T::Own], T::Own)];

/// Those of packed floats that only targets with vectors of two lanes are known to have.
const PACKED: &[(Intrinsic, &[Type], &[T], T)] = &[
    (Intrinsic::Fabs, &[Type::V2F64], &[T::Own], T::Own),
    (Intrinsic::Sqrt, &[Type::V4F32, Type::V2F64], &[T::Own], T::Own),
];

/// Those of vectors of 256 bits, where functions compute with them.
const WIDE: &[(Intrinsic, &[Type], &[T], T)] = &[
    (Intrinsic::Fabs, &[Type::V8F32, Type::V4F64], &[T::Own], T::Own),
    (Intrinsic::Sqrt, &[Type::V8F32, Type::V4F64], &[T::Own], T::Own),
    (Intrinsic::Fma, &[Type::V8F32, Type::V4F64], &[T::Own, T::Own, T::Own], T::Own),
];

/// Those of processors that multiply and add with one rounding.
const FUSED: &[(Intrinsic, &[Type], &[T], T)] =
    &[(Intrinsic::Fma, NATIVE_FLOATS, &[T::Own, T::Own, T::Own], T::Own)];

/// Scalar floats and native vectors of them.
const NATIVE_FLOATS: &[Type] = &[Type::F32, Type::F64, Type::V4F32, Type::V2F64];

/// Those of processors that round floats to integers.
const ROUNDING: &[(Intrinsic, &[Type], &[T], T)] = &[
    (Intrinsic::Floor, NATIVE_FLOATS, &[T::Own], T::Own),
    (Intrinsic::Ceil, NATIVE_FLOATS, &[T::Own], T::Own),
    (Intrinsic::TruncFloat, NATIVE_FLOATS, &[T::Own], T::Own),
    (Intrinsic::RoundEven, NATIVE_FLOATS, &[T::Own], T::Own),
    (Intrinsic::Rint, NATIVE_FLOATS, &[T::Own], T::Own),
    (Intrinsic::NearbyInt, NATIVE_FLOATS, &[T::Own], T::Own),
];

/// What else there is on processors that find the lesser and the greater of two.
const FLOAT_CHOICES: &[(Intrinsic, &[Type], &[T], T)] = &[
    (Intrinsic::Round, NATIVE_FLOATS, &[T::Own], T::Own),
    (Intrinsic::MinNum, NATIVE_FLOATS, &[T::Own, T::Own], T::Own),
    (Intrinsic::MaxNum, NATIVE_FLOATS, &[T::Own, T::Own], T::Own),
    (Intrinsic::Minimum, NATIVE_FLOATS, &[T::Own, T::Own], T::Own),
    (Intrinsic::Maximum, NATIVE_FLOATS, &[T::Own, T::Own], T::Own),
];

/// A function of a library: when it is declared, and its signature.
struct Function {
    name: &'static str,
    /// The name for `double` of the function that it is a form of, if special names need it; empty where integers
    /// of 65 to 128 bits do.
    of: &'static str,
    params: &'static [T],
    ret: T,
}

impl Function {
    /// Whether it is the form for `float` of a function.
    fn is_for_float(&self) -> bool {
        !self.of.is_empty() && self.of != self.name
    }
}

const fn function(name: &'static str, of: &'static str, params: &'static [T], ret: T) -> Function {
    Function { name, of, params, ret }
}

macro_rules! libm {
    ($($double:literal $float:literal $($param:ident)* -> $ret:ident;)*) => {
        &[$(
            function($double, $double, &[$(libm!(@ $param F64)),*], libm!(@ $ret F64)),
            function($float, $double, &[$(libm!(@ $param F32)),*], libm!(@ $ret F32)),
        )*]
    };
    (@ F $own:ident) => { T::$own };
    (@ I $own:ident) => { T::I32 };
    (@ P $own:ident) => { T::P };
    (@ V $own:ident) => { T::Void };
}

/// The functions of libm that stand for intrinsics.
const LIBM: &[Function] = libm! {
    "floor" "floorf" F -> F;
    "ceil" "ceilf" F -> F;
    "trunc" "truncf" F -> F;
    "rint" "rintf" F -> F;
    "nearbyint" "nearbyintf" F -> F;
    "round" "roundf" F -> F;
    "roundeven" "roundevenf" F -> F;
    "fma" "fmaf" F F F -> F;
    "pow" "powf" F F -> F;
    "__powidf2" "__powisf2" F I -> F;
    "ldexp" "ldexpf" F I -> F;
    "frexp" "frexpf" F P -> F;
    "modf" "modff" F P -> F;
    "sin" "sinf" F -> F;
    "cos" "cosf" F -> F;
    "sincos" "sincosf" F P P -> V;
    "tan" "tanf" F -> F;
    "asin" "asinf" F -> F;
    "acos" "acosf" F -> F;
    "atan" "atanf" F -> F;
    "atan2" "atan2f" F F -> F;
    "sinh" "sinhf" F -> F;
    "cosh" "coshf" F -> F;
    "tanh" "tanhf" F -> F;
    "exp" "expf" F -> F;
    "exp2" "exp2f" F -> F;
    "exp10" "exp10f" F -> F;
    "log" "logf" F -> F;
    "log2" "log2f" F -> F;
    "log10" "log10f" F -> F;
};

/// The function that makes code seen which was written.
pub(super) const CLEAR_CACHE: &str = "__clear_cache";

const PAIR_PAIR: &[T] = &[T::I64, T::I64, T::I64, T::I64];
const PAIR: &[T] = &[T::I64, T::I64];

/// What integers of more than 64 bits need, and code that was written.
const OTHERS: &[Function] = &[
    function("__udivti3", "", PAIR_PAIR, T::I64),
    function("__umodti3", "", PAIR_PAIR, T::I64),
    function("__divti3", "", PAIR_PAIR, T::I64),
    function("__modti3", "", PAIR_PAIR, T::I64),
    function("__floattisf", "", PAIR, T::F32),
    function("__floattidf", "", PAIR, T::F64),
    function("__floatuntisf", "", PAIR, T::F32),
    function("__floatuntidf", "", PAIR, T::F64),
    function("__fixsfti", "", &[T::F32], T::I64),
    function("__fixdfti", "", &[T::F64], T::I64),
    function("__fixunssfti", "", &[T::F32], T::I64),
    function("__fixunsdfti", "", &[T::F64], T::I64),
    function("__atomic_load_16", "", &[T::P, T::I32], T::I64),
    function("__atomic_store_16", "", &[T::P, T::Wide, T::I32], T::Void),
    function("__atomic_exchange_16", "", &[T::P, T::Wide, T::I32], T::I64),
    function("__atomic_fetch_add_16", "", &[T::P, T::Wide, T::I32], T::I64),
    function("__atomic_fetch_sub_16", "", &[T::P, T::Wide, T::I32], T::I64),
    function("__atomic_fetch_and_16", "", &[T::P, T::Wide, T::I32], T::I64),
    function("__atomic_fetch_or_16", "", &[T::P, T::Wide, T::I32], T::I64),
    function("__atomic_fetch_xor_16", "", &[T::P, T::Wide, T::I32], T::I64),
    function(CLEAR_CACHE, CLEAR_CACHE, &[T::P, T::P], T::Void),
    function("__atomic_compare_exchange_16", "", &[T::P, T::P, T::Wide, T::I32, T::I32], T::I8),
];

/// What `fp128` needs besides: the square root.
const SQRT: Function = function("sqrt", "", &[T::F64], T::F64);

/// What only `x86_fp80` and `fp128` need, as it is for `double`: the remainder, and extremes.
const EXTENDED: &[Function] = &[
    function("fmod", "", &[T::F64, T::F64], T::F64),
    function("fmin", "fmin", &[T::F64, T::F64], T::F64),
    function("fmax", "fmax", &[T::F64, T::F64], T::F64),
];

const TYPES: usize = Type::ALL.len();

/// What is declared, by what it does.
#[derive(Clone, Debug, Default)]
pub(super) struct Runtime {
    /// By intrinsic and type.
    intrinsics: Vec<Option<FuncId>>,
    functions: IndexMap<&'static str, FuncId, FxBuildHasher>,
    /// Those of libm for `float`, by their names for `double`.
    floats: IndexMap<&'static str, FuncId, FxBuildHasher>,
    /// Those for `fp128` of the compiler's library, and of libm by their names for `double`.
    quads: IndexMap<&'static str, FuncId, FxBuildHasher>,
    /// Those for `long double`, by their names for `double`.
    extended: IndexMap<&'static str, FuncId, FxBuildHasher>,
}

impl Runtime {
    /// Declares in `program` what its bodies may need: `libraries` names, for each special name of the module, the
    /// function of libm behind it by its name for `double`.
    pub(super) fn declare(program: &mut LlvmModule, libraries: &[&str]) -> Runtime {
        let mut runtime = Runtime::default();
        let pointer = program.module.pointer_type;
        runtime.intrinsics.resize(Intrinsic::ALL.len() * TYPES, None);
        let machine = *program.legal.machine();
        let packed = if machine.has_two_lanes { PACKED } else { &[] };
        let has_wide = program.module.functions.values().any(|function| function.traits.wide_registers);
        let wide = if has_wide { WIDE } else { &[] };
        // What has that on x86 has vectors of 256 bits.
        let fused = if has_wide || machine.fuses_products { FUSED } else { &[] };
        let is_constrained = |special: &SpecialGlobal| program.module.name(special.name).starts_with(PREFIX);
        let constrained = if program.specials.iter().any(is_constrained) { CONSTRAINED } else { &[] };
        let rounding = if machine.may_round || machine.has_float_choices { ROUNDING } else { &[] };
        let choices = if machine.has_float_choices { FLOAT_CHOICES } else { &[] };
        let sets = INTRINSICS
            .iter()
            .chain(packed)
            .chain(constrained)
            .chain(wide)
            .chain(fused)
            .chain(rounding)
            .chain(choices);
        for &(op, types, params, ret) in sets {
            for &own in types {
                let params = params.iter().map(|t| t.ty(own, pointer)).collect();
                let signature = Signature::new(params, ret.ty(own, pointer));
                let mut name = Vec::from(b"llvm.ice.");
                name.extend_from_slice(op.name().as_bytes());
                if own != Type::Void {
                    name.push(b'.');
                    name.extend_from_slice(own.name().as_bytes());
                }
                let id = declare(&mut program.module, &name, signature, FunctionKind::Intrinsic(op));
                runtime.intrinsics[op as usize * TYPES + own as usize] = Some(id);
            }
        }
        let has_wide = program.types.iter().any(|(_, ty)| matches!(ty, LlvmType::Int(65..)));
        for function in LIBM.iter().chain(OTHERS) {
            let is_needed = match function.of {
                "" => has_wide && machine.has_wide_functions,
                of => libraries.contains(&of),
            };
            if is_needed {
                runtime.function_of(program, function, pointer);
            }
        }
        let has_personality = program.functions.values().any(|info| info.personality != 0);
        if has_personality {
            runtime.function_of(program, &function(RESUME, "", &[T::P], T::Void), pointer);
            if let Some(name) = machine.ends_cleanups {
                runtime.function_of(program, &function(name, "", &[], T::Void), pointer);
            }
        }
        if program.emulated.has_any() {
            runtime.function_of(program, &function(RESOLVER, "", &[T::P], T::P), pointer);
        }
        for hook in Hook::ALL {
            if program.attributes.has_hook(hook) {
                let params: &[T] = if hook.has_addresses() { &[T::P, T::P] } else { &[] };
                runtime.function_of(program, &function(hook.name(), "", params, T::Void), pointer);
            }
        }
        if program.legal.has_extended() {
            runtime.declare_extended(program, libraries, pointer);
        }
        if program.legal.has_quad() {
            runtime.declare_quads(program, libraries, pointer);
        }
        runtime
    }

    /// Declares the functions for `fp128`: those of the compiler's library, and those that names for it and its remainder need.
    fn declare_quads(&mut self, program: &mut LlvmModule, libraries: &[&str], pointer: Type) {
        let machine = *program.legal.machine();
        for &(name, params, ret) in quad_library::COMPILER {
            self.declare_quad(
                program,
                name,
                name.as_bytes(),
                quad_library::signature_of(params.iter().copied(), ret, &machine, pointer),
            );
        }
        let of_double = LIBM.iter().filter(|function| matches!(function.ret, T::F64 | T::Void));
        let quad = |ty: &T| match ty {
            T::I32 => Q::I32,
            T::P => Q::P,
            _ => Q::Quad,
        };
        for function in EXTENDED.iter().chain(&[SQRT]).chain(of_double) {
            if is_needed(program, libraries, function, b"f128") {
                // Where results are in memory alone, there is no other.
                let ret = if matches!(function.ret, T::Void) { Q::Void } else { Q::Quad };
                let signature =
                    quad_library::signature_of(function.params.iter().map(quad), ret, &machine, pointer);
                let name = quad_library::name_of(function.name, &machine);
                self.declare_quad(program, function.name, &name, signature);
            }
        }
    }

    fn declare_quad(
        &mut self,
        program: &mut LlvmModule,
        known_as: &'static str,
        name: &[u8],
        signature: Option<Signature>,
    ) {
        let id = signature.and_then(|signature| known_or_declared(&mut program.module, name, signature));
        if let Some(id) = id {
            self.quads.insert(known_as, id);
        }
    }

    /// Declares the functions for `x86_fp80` that names for it and its remainder need.
    fn declare_extended(&mut self, program: &mut LlvmModule, libraries: &[&str], pointer: Type) {
        let of_double = LIBM.iter().filter(|function| !function.is_for_float());
        for function in EXTENDED.iter().chain(of_double) {
            if !is_needed(program, libraries, function, b"f80") {
                continue;
            }
            let machine = program.legal.machine();
            let (types, by_value) = (machine.extended_params, machine.extended_passing);
            let mut signature = Signature::new(Vec::new(), Type::Void);
            for param in function.params {
                match param {
                    T::F64 => signature.params.extend_from_slice(types),
                    param => signature.params.push(param.ty(Type::Void, pointer)),
                }
                let passing = if matches!(param, T::F64) { by_value } else { Passing::Plain };
                signature.passing.resize(signature.params.len(), passing);
            }
            if signature.passing.iter().all(|&passing| passing == Passing::Plain) {
                signature.passing.clear();
            }
            let mut name = Vec::from(function.name.as_bytes());
            match function.name {
                "__powidf2" => name = b"__powixf2".to_vec(),
                _ => name.push(b'l'),
            }
            if let Some(id) = known_or_declared(&mut program.module, &name, signature) {
                self.extended.insert(function.name, id);
            }
        }
    }

    fn function_of(&mut self, program: &mut LlvmModule, function: &Function, pointer: Type) {
        let mut signature = Signature::new(Vec::new(), function.ret.ty(Type::Void, pointer));
        for param in function.params {
            let ty = param.ty(Type::Void, pointer);
            signature.params.push(ty);
            if let T::Wide = param {
                signature.params.push(ty);
                if program.legal.machine().has_even_pairs {
                    signature.passing.resize(signature.params.len() - 2, Passing::Plain);
                    signature.passing.push(Passing::PairLow);
                }
            }
        }
        if !signature.passing.is_empty() {
            signature.passing.resize(signature.params.len(), Passing::Plain);
        }
        // The other half of 128 bits.
        if signature.ret == Type::I64 {
            signature.second = Type::I64;
        }
        if let Some(id) = known_or_declared(&mut program.module, function.name.as_bytes(), signature) {
            match function.is_for_float() {
                true => self.floats.insert(function.of, id),
                false => self.functions.insert(function.name, id),
            };
        }
    }

    /// The declaration of an intrinsic for a type, or for `void` where there is but one form.
    #[inline]
    pub(super) fn intrinsic(&self, op: Intrinsic, ty: Type) -> Option<FuncId> {
        self.intrinsics[op as usize * TYPES + ty as usize]
    }

    /// The function of libm for `float` whose name for `double` this is, if it may be needed.
    pub(super) fn float_function(&self, name: &str) -> Option<FuncId> {
        self.floats.get(name).copied()
    }

    /// The declaration of a function of a library, if it may be needed.
    pub(super) fn function(&self, name: &str) -> Option<FuncId> {
        self.functions.get(name).copied()
    }

    /// The function for `fp128` of this name, or whose name for `double` this is, if it may be needed.
    pub(super) fn quad_function(&self, name: &str) -> Option<FuncId> {
        self.quads.get(name).copied()
    }

    /// The function for `long double` whose name for `double` this is, if it may be needed.
    pub(super) fn extended_function(&self, name: &str) -> Option<FuncId> {
        self.extended.get(name).copied()
    }
}

/// Whether a name of the module for numbers of the type with this suffix may call the function.
fn is_needed(program: &LlvmModule, libraries: &[&str], function: &Function, suffix: &[u8]) -> bool {
    function.of.is_empty()
        || program.specials.iter().zip(libraries).any(|(special, &library)| {
            let name = program.module.name(special.name);
            library == function.of && name.split(|&byte| byte == b'.').any(|part| part == suffix)
        })
}

/// The function of this name. One of another type is another function, and there is none.
pub(super) fn known_or_declared(module: &mut Module, name: &[u8], signature: Signature) -> Option<FuncId> {
    let types = |s: &Signature| (s.params.clone(), s.passing.clone(), s.ret, s.second, s.arity);
    match module.function_by_name(name) {
        Some(id) => (types(module.signature(id)) == types(&signature)).then_some(id),
        None => Some(declare(module, name, signature, FunctionKind::Declared)),
    }
}

pub(super) fn declare(module: &mut Module, name: &[u8], signature: Signature, kind: FunctionKind) -> FuncId {
    let known = module.signatures.iter().find(|(_, known)| **known == signature).map(|(id, _)| id);
    let signature = known.unwrap_or_else(|| module.signatures.push(signature));
    let decl = FunctionDecl::new(Default::default(), signature, Linkage::External, kind);
    let id = module.functions.push(decl);
    module.set_symbol_name(Symbol::Function(id), name.iter().copied());
    id
}
