//! What is checked of every call, of functions and of names that start with `llvm.`: the calling convention, bundles of
//! operands, and the types of arguments.

use ice_ir::{CallingConvention, Intrinsic, Type, Value};

use super::values::Operand;
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::Part;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::types::{LlvmType, TypeId, TypeList, TypeTable};

/// The function type of a call.
#[derive(Clone, Copy)]
pub(super) struct Prototype {
    pub(super) ty: TypeId,
    pub(super) ret: TypeId,
    pub(super) params: TypeList,
    pub(super) is_variadic: bool,
    pub(super) convention: CallingConvention,
}

/// Calling conventions that are C's, or that leave it to the compiler, unless a machine has an own one: C, fast, cold, tail;
/// those of ARM, System V.
const CONVENTIONS: [u64; 8] = [0, 8, 9, 18, 66, 67, 68, 78];

/// Others, by the names that LLVM's assembly language has for them.
const NAMES: [(u64, &str); 27] = [
    (10, "ghccc"),
    (11, "hipecc"),
    (13, "anyregcc"),
    (14, "preserve_mostcc"),
    (15, "preserve_allcc"),
    (16, "swiftcc"),
    (17, "cxx_fast_tlscc"),
    (19, "cfguard_checkcc"),
    (20, "swifttailcc"),
    (21, "preserve_nonecc"),
    (64, "x86_stdcallcc"),
    (65, "x86_fastcallcc"),
    (69, "msp430_intrcc"),
    (70, "x86_thiscallcc"),
    (71, "ptx_kernel"),
    (72, "ptx_device"),
    (75, "spir_func"),
    (76, "spir_kernel"),
    (77, "intel_ocl_bicc"),
    (79, "win64cc"),
    (80, "x86_vectorcallcc"),
    (83, "x86_intrcc"),
    (84, "avr_intrcc"),
    (85, "avr_signalcc"),
    (91, "amdgpu_kernel"),
    (92, "x86_regcallcc"),
    (106, "m68k_rtdcc"),
];

impl Body<'_, '_> {
    /// The calling convention of a number of LLVM, if it is C's or one of the machine. One may be C's but for what has
    /// floats.
    pub(super) fn convention(&self, number: u64, ty: TypeId) -> Checked<CallingConvention> {
        let machine = self.m.legal.machine();
        // Most functions have C's.
        let of_machine = if number == 0 { None } else { machine.convention(number) };
        if of_machine.is_some() || !CONVENTIONS.contains(&number) {
            return match of_machine {
                Some(convention) => {
                    let (ret, params) = self.m.types.function(ty).unwrap_or((ty, &[]));
                    params.iter().chain([&ret]).try_for_each(|&ty| self.check_quad(convention, ty))?;
                    // LLVM has these where C has them.
                    let is_small = |&ty: &TypeId| matches!(self.m.types.get(ty), LlvmType::Int(..32));
                    if convention == CallingConvention::PreserveNone && params.iter().any(is_small) {
                        return unsupported(
                            "integers of fewer than 32 bits of the calling convention preserve_none",
                        );
                    }
                    Ok(convention)
                }
                None => unsupported(&match NAMES.iter().find(|(known, _)| *known == number) {
                    Some((_, name)) => alloc::format!("the calling convention {name}"),
                    None => alloc::format!("the calling convention {number}"),
                }),
            };
        }
        let name = match machine.foreign_convention {
            Some((foreign, name)) if foreign == number => name,
            _ => return Ok(CallingConvention::Standard),
        };
        let (ret, params) = self.m.types.function(ty).unwrap_or((ty, &[]));
        let is_extension = |part: &Part| part.carrier.is_vector() || part.carrier.is_scalar_float();
        let has_floats =
            |&ty: &TypeId| self.m.legal.parts(ty).is_ok_and(|parts| parts.iter().any(is_extension));
        match has_floats(&ret) || params.iter().any(has_floats) {
            true => unsupported(&alloc::format!("{name} with floats")),
            false => Ok(CallingConvention::Standard),
        }
    }

    /// Refuses what has numbers of 128 bits in the convention of Windows: LLVM 19 passes them in registers, later versions by
    /// their addresses, as C compilers do.
    pub(super) fn check_quad(&self, convention: CallingConvention, ty: TypeId) -> Checked<()> {
        let is_refused = convention == CallingConvention::Win64
            && self.m.legal.has_quad()
            && self.m.legal.parts(ty).is_ok()
            && has_quad(&self.m.types, ty);
        match is_refused {
            true => unsupported("fp128 of the calling convention win64"),
            false => Ok(()),
        }
    }

    /// The type word of a bundle, if it is one of that, behind its tag.
    pub(super) fn bundled_type_word(&mut self, tag: u32) -> Checked<Option<u32>> {
        let name = self.m.bundle_tags.get(tag as usize).map(|&name| self.m.module.name(name));
        if name != Some(b"kcfi") {
            return Ok(None);
        }
        let word = self.vt()?;
        self.end()?;
        match self.constant_number(word) {
            Some(word) => Ok(Some(word as u32)),
            None => unsupported("operand bundle kcfi with a number that varies"),
        }
    }

    /// An address, if a function of the type begins there that the next call asks for.
    pub(super) fn checked_callee(&mut self, address: Value) -> Checked<Value> {
        let Some(word) = self.s.type_word.take() else { return Ok(address) };
        let word = self.int(Type::I32, (word as i32).into());
        self.intrinsic_one(Intrinsic::CheckType, &[address, word])
    }

    /// Bundles that change nothing, or have been read, may be there.
    pub(super) fn check_bundle(&self, tag: u32) -> Checked<()> {
        let name = self.m.bundle_tags.get(tag as usize).map(|&name| self.m.module.name(name));
        match name {
            Some(b"kcfi" | b"align" | b"nonnull" | b"dereferenceable" | b"cold" | b"noundef") => Ok(()),
            Some(name) => {
                let name = alloc::string::String::from_utf8_lossy(name);
                fail(Error::Unsupported { what: alloc::format!("operand bundle {name}") })
            }
            None => fail(Error::NoSuch { what: "operand bundle tag", index: tag.into() }),
        }
    }

    /// The next argument, whose type the prototype gives; metadata and labels are none.
    pub(super) fn argument(&mut self, ty: TypeId) -> Checked<Option<Operand>> {
        match self.kind(ty) {
            Kind::Other if matches!(self.m.types.get(ty), LlvmType::Metadata | LlvmType::Label) => {
                self.op()?;
                Ok(None)
            }
            _ => self.rel(ty).map(Some),
        }
    }
}

/// Whether a value of type `ty`, whose parts are few, has an `fp128`.
fn has_quad(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        LlvmType::Fp128 => true,
        LlvmType::Array { element, .. } | LlvmType::Vector { element, .. } => has_quad(types, element),
        LlvmType::Struct { members, .. } => types.list(members).iter().any(|&member| has_quad(types, member)),
        _ => false,
    }
}
