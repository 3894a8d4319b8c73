//! How functions are called: LLVM function types and attributes become ICE signatures.
//!
//! | LLVM | ICE |
//! |---|---|
//! | a parameter | its parts, one after another; those of an `i128` perhaps as a pair |
//! | `zeroext` or `signext` on `i1`, `i8`, `i16` | an `i32`, which the caller has extended; as a result where callers ask for no more, an `i8` or `i16` |
//! | a vector of less than 128 bits with native lanes, also as a member | the native vector of those lanes, low lanes first |
//! | what the machine has as [groups](super::machine::Groups) | a group |
//! | a result of three or four floats, doubles or vectors of 64 bits, where each has a register | [lanes](Results::Lanes) |
//! | a vector of 256 bits and more, where the processor has registers of 256 | its parts in [pairs](Passing::PairLow); as a result [halves](Results::Halves) |
//! | `half`, `bfloat` | an `f32` with the bits, as a result perhaps a vector; or its bits |
//! | `byval`, `sret`, `inreg`, `nest` | the [`Passing`] of that name |
//! | `x86_fp80` | memory by value, or an `i64` and an `i32`; no result: the unit has it |
//! | `fp128` | a vector; or memory by value, and as a result memory of the caller |
//! | a result that travels in one or two values | both results |
//! | `byval` among variable arguments | [`Intrinsic::ByValue`](ice_ir::Intrinsic::ByValue) of the address |
//! | a larger result | memory of the caller: its address is a first parameter with [`Passing::StructReturn`] |
//!
//! Calls whose signature says more than types (variadic, by value, two results) need it in the module, which bodies
//! share when they are read. So the signatures of all function types, and of those with every attribute list that
//! may belong to them, are made beforehand.

use alloc::format;
use alloc::vec::Vec;

use ice_ir::{Arity, CallingConvention, Module, Passing, Results, SigId, Signature, Tracking, Type};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::halves::Halves;
use super::legal::{Legal, Part};
use super::machine::{FloatRegisters, Groups, MachineDescription, QuadPassing, ResultRegisters};
use crate::error::Error;
use crate::llvm::wire::attributes::{
    AttributeList, AttributeTable, FunctionFlags, ParamAttributes, ParamFlags,
};
use crate::llvm::wire::constants::Checked;
use crate::llvm::wire::data_layout::{DataLayout, Layouts};
use crate::llvm::wire::types::{LlvmType, TypeId, TypeTable};

/// How an argument or result differs from its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its parts; those that are [together](super::legal::Part::together) in one value.
    Parts,
    /// One part, zero-extended to this type.
    ZeroExtended(Type),
    /// One part, sign-extended to this type.
    SignExtended(Type),
    /// `x86_fp80` only, once or more: its places are its own.
    Extended,
}

/// Which way a value travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// From a caller to its callee.
    Argument,
    /// From a callee to its caller.
    Result,
}

/// What signatures are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a> {
    pub(super) types: &'a TypeTable,
    pub(super) layout: &'a DataLayout,
    pub(super) layouts: &'a Layouts,
    pub(super) legal: &'a Legal,
    pub(super) attributes: &'a AttributeTable,
}

/// The signatures of a module.
#[derive(Clone, Default, Debug)]
pub struct Signatures {
    /// By function type and attribute list, 0 where the list says nothing about calls; with [`WIDE`] those that are others
    /// in code for processors with registers of 256 bits.
    known: IndexMap<(TypeId, u32), Known, FxBuildHasher>,
    interned: IndexMap<Signature, SigId, FxBuildHasher>,
    /// Those of calls that may lead anywhere, by the same of others; empty if there are no such calls.
    untracked: IndexMap<SigId, SigId, FxBuildHasher>,
    /// Those of conventions that are not C's, by the same of C's.
    by_convention: IndexMap<(SigId, CallingConvention), SigId, FxBuildHasher>,
    /// The conventions of the module's functions that are not C's.
    conventions: Vec<CallingConvention>,
    /// Parameters of all that were made, and of those that were new.
    made: usize,
    stored: usize,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    id: SigId,
    /// Whether types say all.
    is_plain: bool,
}

/// A call has no signature because it is not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSignature;

/// What of a call needs no signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Said {
    /// What types say, extensions included.
    Types,
    /// Nothing.
    Nothing,
}

/// How a call finds its callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Through {
    /// By its name.
    Name,
    /// Through an address.
    Address,
}

/// The vector registers of the processor that a function is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VectorRegisters {
    /// They have 128 bits.
    Usual,
    /// They have 256 bits.
    Wide,
}

/// In place of an attribute list: with it, in code for [`VectorRegisters::Wide`].
const WIDE: u32 = 1 << 31;

/// Most parameters of all signatures that are made, whether new or not.
const MAX_MADE: usize = 1 << 24;
/// Most parameters of all signatures of a module.
const MAX_STORED: usize = 1 << 20;
/// Most steps of the search for calls; beyond, they are not supported.
const MAX_STEPS: usize = 1 << 24;

/// Most members of a group of floats or vectors.
const MAX_HOMOGENEOUS: usize = 4;

/// Most parameters of a signature, in parts.
const MAX_PARAMS: usize = 1 << 16;

/// The form of a value of type `ty` that is passed or returned.
///
/// # Errors
///
/// Those of [`Legal::parts`].
pub fn form(
    types: &TypeTable,
    legal: &Legal,
    role: Role,
    ty: TypeId,
    attributes: ParamAttributes,
) -> Checked<Form> {
    let parts = legal.parts(ty)?;
    if legal.has_extended() {
        match count_extended(types, ty) {
            0 => {}
            // Two parts each, and nothing else.
            count @ 1..=2 if 2 * count == parts.len() => return Ok(Form::Extended),
            _ => {
                return Err(Error::Unsupported {
                    what: "x86_fp80 beside others in an argument or result".into(),
                });
            }
        }
    }
    let LlvmType::Int(bits @ ..32) = types.get(ty) else { return Ok(Form::Parts) };
    let extended = match (role, bits) {
        (Role::Result, ..=8) if legal.machine().returns_narrow => Type::I8,
        (Role::Result, ..=16) if legal.machine().returns_narrow => Type::I16,
        _ => Type::I32,
    };
    Ok(match attributes.flags {
        flags if flags.has(ParamFlags::ZEROEXT) => Form::ZeroExtended(extended),
        flags if flags.has(ParamFlags::SIGNEXT) => Form::SignExtended(extended),
        _ => Form::Parts,
    })
}

/// Whether an argument of the type is passed in two registers or begins with two that are one object.
pub fn is_pair(ty: LlvmType, machine: &MachineDescription) -> bool {
    let LlvmType::Int(bits @ 65..) = ty else { return false };
    machine.most_before_pair.is_some() && (bits == 128 || machine.has_even_pairs)
}

/// How many numbers of `x86_fp80` a value of type `ty` has. Its parts are few enough to be listed.
fn count_extended(types: &TypeTable, ty: TypeId) -> usize {
    match types.get(ty) {
        LlvmType::X86Fp80 => 1,
        LlvmType::Array { element, len } => count_extended(types, element) * len as usize,
        LlvmType::Struct { members, .. } => {
            types.list(members).iter().map(|&member| count_extended(types, member)).sum()
        }
        _ => 0,
    }
}

/// What travels in one ICE value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// The type of the value.
    pub ty: Type,
    /// The parts that are in its low bits.
    pub parts: u32,
    /// It is the address of [memory](Part::is_in_memory) with them.
    pub is_memory: bool,
    /// What means something of the first part, in bits.
    pub bits: u8,
}

/// The values in which an argument of these parts travels.
pub fn units(parts: &[Part]) -> Units<'_> {
    Units { parts, joined: 1, has_lanes_apart: false, half: Type::F32 }
}

/// The values in which a result of these parts travels. Three or four words or floats may be the lanes of one vector, which has
/// a register or four general ones, and three or four doubles those of two. A `half` may be in another register than
/// as an argument: one of vectors where an `f32` would be in one of the x87 unit.
#[must_use]
pub fn result_units<'a>(parts: &'a [Part], machine: &MachineDescription) -> Units<'a> {
    let types = || units(parts).map(|unit| unit.ty);
    let has_halves = parts.iter().any(|part| part.is_half());
    let joined = match (types().next(), types().count()) {
        (Some(first), 3 | 4) if types().all(|ty| ty == first) && !has_halves => machine.joined(first),
        _ => 1,
    };
    Units { parts, joined, has_lanes_apart: machine.has_lanes_apart && joined > 1, half: machine.half_result }
}

/// The values of [`units`] and [`result_units`], in order.
#[derive(Clone, Debug)]
pub struct Units<'a> {
    parts: &'a [Part],
    /// Most that are in one vector.
    joined: usize,
    /// Lanes of such vectors are [apart](Results::Lanes).
    has_lanes_apart: bool,
    /// The value in which a [half](Part::is_half) travels.
    half: Type,
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let first = self.parts.first()?;
        let (mut parts, mut count) = (0, 0);
        while let Some(part) = self.parts.get(parts)
            && count < self.joined
        {
            parts += usize::from(part.together).max(1);
            count += 1;
        }
        let ty = match count {
            1 if first.is_half() => self.half,
            1 => first.carrier,
            _ if self.has_lanes_apart && first.carrier == Type::F32 => Type::V4F32,
            _ if self.has_lanes_apart => Type::V2F64,
            _ => Type::V4I32,
        };
        let (bits, is_memory) = (first.bits, first.is_in_memory());
        self.parts = self.parts.get(parts..).unwrap_or_default();
        Some(Unit { ty, parts: parts as u32, is_memory, bits })
    }
}

/// Whether a result that travels in these values is returned through memory of the caller, as what is passed in memory is:
/// one of more than two values, and one for which a machine has too few registers.
#[must_use]
pub fn is_demoted(units: Units<'_>, machine: &MachineDescription, pointer: Type) -> bool {
    let mut all = units.clone();
    match [all.next(), all.next(), all.next()] {
        [Some(first), None, _] => first.is_memory,
        [Some(first), Some(second), None] => {
            let fits = |registers| fit_registers(units, registers, pointer);
            first.is_memory || second.is_memory || !machine.result_registers.is_none_or(fits)
        }
        all => all[0].is_some(),
    }
}

/// Whether LLVM may return these parts in registers, where Ice returns them through memory: its conventions have
/// more registers for results than the two values of ICE can be in. Only the compiler's own code can tell; C has no
/// such results but those that [`result_units`] knows.
#[must_use]
pub fn differs_from_llvm(parts: &[Part], machine: &MachineDescription, pointer: Type) -> bool {
    let Some(registers) = machine.result_registers else { return false };
    // What is passed in memory fits no registers.
    is_demoted(result_units(parts, machine), machine, pointer)
        && !units(parts).any(|unit| unit.is_memory)
        && fit_registers(units(parts), registers, pointer)
}

/// Whether there are as many registers for results as these values take.
fn fit_registers(mut units: Units<'_>, registers: ResultRegisters, pointer: Type) -> bool {
    // Words of general registers; floats; vectors.
    let mut counts = [0usize; 3];
    let word = pointer.bits();
    let has_halves = units.parts.first().is_some_and(|part| part.is_half());
    // The last part of a wide integer may be less than what it travels in.
    while let Some(bits) = units.parts.first().map(|part| part.bits)
        && let Some(unit) = units.next()
    {
        let bits = if unit.ty == Type::I64 && unit.parts == 1 { bits.into() } else { unit.ty.bits() };
        let words = bits.div_ceil(word) as usize;
        let is_vector = unit.ty.is_vector();
        let (class, count) = match registers.float {
            FloatRegisters::Words(_) if is_vector || unit.ty.is_scalar_float() => (1, words),
            FloatRegisters::Separate { .. } if is_vector || unit.ty == Type::F32 && has_halves => (2, 1),
            FloatRegisters::Separate { .. } if unit.ty.is_scalar_float() => (1, 1),
            _ => (0, words),
        };
        counts[class] += count;
    }
    let (floats, vectors) = match registers.float {
        FloatRegisters::General => (0, 0),
        FloatRegisters::Words(words) => (words, 0),
        FloatRegisters::Separate { floats, vectors } => (floats, vectors),
    };
    let most = [registers.general, floats, vectors];
    counts.iter().zip(most).all(|(&count, most)| count <= most)
}

impl Signatures {
    /// The signature of a call of a function of type `ty` with attribute list `list`, where it says more than types.
    ///
    /// # Errors
    ///
    /// Such a call is not supported.
    #[inline]
    pub fn call(
        &self,
        attributes: &AttributeTable,
        ty: TypeId,
        list: u64,
        registers: VectorRegisters,
    ) -> Result<Option<SigId>, NoSignature> {
        match self.known(attributes, ty, list, registers) {
            Some(known) => Ok((!known.is_plain).then_some(known.id)),
            None => self.call_by_types(attributes, ty, list),
        }
    }

    /// The same where no signature was made for the list: types say all if they can, and the list speaks of extensions alone.
    #[cold]
    fn call_by_types(
        &self,
        attributes: &AttributeTable,
        ty: TypeId,
        list: u64,
    ) -> Result<Option<SigId>, NoSignature> {
        let is_plain = self.known.get(&(ty, 0)).is_some_and(|known| known.is_plain);
        match is_plain && !attributes.list(list).is_ok_and(|list| attributes.changes_passing(&list)) {
            true => Ok(None),
            false => Err(NoSignature),
        }
    }

    /// The signature of a function of type `ty` with attribute list `list`.
    #[inline]
    fn known(
        &self,
        attributes: &AttributeTable,
        ty: TypeId,
        list: u64,
        registers: VectorRegisters,
    ) -> Option<Known> {
        let changes = attributes.list(list).is_ok_and(|found| attributes.changes_calls(&found));
        let list = if changes { list as u32 } else { 0 };
        let wide = match registers {
            VectorRegisters::Usual => None,
            VectorRegisters::Wide => self.known.get(&(ty, list | WIDE)),
        };
        wide.or_else(|| self.known.get(&(ty, list))).copied()
    }

    /// The same of a call through an address, which may be one that leads anywhere.
    #[inline]
    pub fn call_address(
        &self,
        attributes: &AttributeTable,
        ty: TypeId,
        list: u64,
        registers: VectorRegisters,
    ) -> Result<Option<SigId>, NoSignature> {
        match self.untracked.is_empty() {
            true => self.call(attributes, ty, list, registers),
            false => self.call_anywhere(attributes, ty, list, registers),
        }
    }

    #[cold]
    fn call_anywhere(
        &self,
        attributes: &AttributeTable,
        ty: TypeId,
        list: u64,
        registers: VectorRegisters,
    ) -> Result<Option<SigId>, NoSignature> {
        match leads_anywhere(attributes, list) {
            false => self.call(attributes, ty, list, registers),
            true => {
                let known = self.known(attributes, ty, list, registers).ok_or(NoSignature)?;
                self.untracked.get(&known.id).copied().map(Some).ok_or(NoSignature)
            }
        }
    }

    /// The signature of a call of a convention that is not C's, perhaps through an address.
    ///
    /// # Errors
    ///
    /// Such a call is not supported, or no function of the module has the convention.
    #[cold]
    pub fn call_by(
        &self,
        attributes: &AttributeTable,
        ty: TypeId,
        (list, through): (u64, Through),
        registers: VectorRegisters,
        convention: CallingConvention,
    ) -> Result<SigId, NoSignature> {
        let known = self.known(attributes, ty, list, registers).ok_or(NoSignature)?;
        let id = match through == Through::Address && leads_anywhere(attributes, list) {
            true => self.untracked.get(&known.id).copied().ok_or(NoSignature)?,
            false => known.id,
        };
        self.by_convention.get(&(id, convention)).copied().ok_or(NoSignature)
    }

    /// Makes each signature also as that of calls that may lead anywhere, if there are such calls.
    fn add_untracked(&mut self, rules: &Rules<'_>, module: &mut Module) {
        let says_so = |number: u32| leads_anywhere(rules.attributes, number.into());
        if !(1..=rules.attributes.len()).any(says_so) {
            return;
        }
        let all: Vec<SigId> = self.known.values().map(|known| known.id).collect();
        for id in all {
            let signature = Signature { tracking: Tracking::Untracked, ..module.signatures[id].clone() };
            if let Ok(untracked) = self.intern(signature, module) {
                self.untracked.insert(id, untracked);
            }
        }
    }

    /// Whether a function of the module has this convention, so that calls of it have signatures.
    #[must_use]
    pub fn has_convention(&self, convention: CallingConvention) -> bool {
        self.conventions.contains(&convention)
    }

    /// Makes each signature also as that of the conventions that functions of the module have.
    fn add_conventions(&mut self, rules: &Rules<'_>, module: &mut Module) {
        let conventions = self.conventions.clone();
        let of_calls = self.known.values().map(|known| known.id).chain(self.untracked.values().copied());
        let all: Vec<SigId> = of_calls.collect();
        for convention in conventions {
            for &id in &all {
                // A call of what is not supported is refused where it is.
                let _ = self.in_convention(rules, module, id, convention);
            }
        }
    }

    /// The same signature in another convention than C's.
    fn in_convention(
        &mut self,
        rules: &Rules<'_>,
        module: &mut Module,
        id: SigId,
        convention: CallingConvention,
    ) -> Checked<SigId> {
        if let Some(&known) = self.by_convention.get(&(id, convention)) {
            return Ok(known);
        }
        let signature = rules.in_convention(module.signatures[id].clone(), convention)?;
        let made = self.intern(signature, module)?;
        self.by_convention.insert((id, convention), made);
        Ok(made)
    }

    /// The signature of a function of type `ty` with attribute list number `list`, which also says what it is compiled for,
    /// and this convention.
    pub(super) fn of_function(
        &mut self,
        rules: &Rules<'_>,
        module: &mut Module,
        ty: TypeId,
        list: u64,
        convention: CallingConvention,
    ) -> Checked<SigId> {
        let registers = rules.registers_of(ty, &rules.attributes.list(list)?);
        let id = self.make(rules, module, ty, list, registers)?;
        match convention {
            CallingConvention::Standard => Ok(id),
            _ => {
                if !self.has_convention(convention) {
                    self.conventions.push(convention);
                }
                self.in_convention(rules, module, id, convention)
            }
        }
    }

    /// The signature of a function of type `ty` with attribute list number `list`, compiled for these registers, of which
    /// [`Rules::is_called_wide`] holds if they are wide.
    fn make(
        &mut self,
        rules: &Rules<'_>,
        module: &mut Module,
        ty: TypeId,
        list: u64,
        registers: VectorRegisters,
    ) -> Checked<SigId> {
        let attributes = rules.attributes.list(list)?;
        let number = if rules.attributes.changes_calls(&attributes) { list as u32 } else { 0 };
        let key = (ty, if registers == VectorRegisters::Wide { number | WIDE } else { number });
        if let Some(&known) = self.known.get(&key) {
            return Ok(known.id);
        }
        let params = rules.types.function(ty).map_or(0, |(_, params)| params.len());
        limited(&mut self.made, params.max(rules.attributes.params(&attributes).len()) + 1, MAX_MADE)?;
        let signature = rules.signature(ty, &attributes, registers)?;
        let is_plain = signature.is_plain();
        let id = self.intern(signature, module)?;
        self.known.insert(key, Known { id, is_plain });
        Ok(id)
    }

    /// A signature without parameters and results, for what is never called.
    pub(super) fn nothing(&mut self, module: &mut Module) -> Checked<SigId> {
        self.intern(Signature::new(Vec::new(), Type::Void), module)
    }

    /// Makes the signatures of calls that say more than types: all function types, and each with each list that
    /// may belong to it.
    pub(super) fn add_calls(&mut self, rules: &Rules<'_>, module: &mut Module) {
        self.make_all(rules, module, Said::Types);
        self.add_untracked(rules, module);
    }

    /// Makes the signatures of calls by conventions that are not C's, once all functions are known: none if no function has
    /// such a convention, so that other modules pay nothing.
    pub(super) fn add_calls_by_convention(&mut self, rules: &Rules<'_>, module: &mut Module) {
        if self.conventions.is_empty() {
            return;
        }
        self.make_all(rules, module, Said::Nothing);
        self.add_untracked(rules, module);
        self.add_conventions(rules, module);
    }

    /// Makes the signatures of all function types, and of each with each list that may belong to it, where that says more
    /// than is said.
    fn make_all(&mut self, rules: &Rules<'_>, module: &mut Module, said: Said) {
        let usual = VectorRegisters::Usual;
        let is_wide = |number: u32| {
            let list = rules.attributes.list(number.into());
            list.is_ok_and(|list| list.function.flags.has(FunctionFlags::WIDE_REGISTERS))
        };
        let has_wide = rules.legal.machine().has_wide_registers && (1..=rules.attributes.len()).any(is_wide);
        let mut functions = Vec::new();
        for (id, ty) in rules.types.iter() {
            // A type that cannot be called is refused when it is.
            if matches!(ty, LlvmType::Function { .. }) && self.make(rules, module, id, 0, usual).is_ok() {
                let is_called_wide = has_wide && rules.is_called_wide(id);
                if is_called_wide {
                    let _ = self.make(rules, module, id, 0, VectorRegisters::Wide);
                }
                let is_special = self.known.get(&(id, 0)).is_some_and(|known| !known.is_plain);
                functions.push((id, is_special || is_called_wide, is_called_wide));
            }
        }
        let mut steps = 0;
        'lists: for number in 1..=rules.attributes.len() {
            let Ok(list) = rules.attributes.list(number.into()) else { continue };
            if !rules.attributes.changes_calls(&list) {
                continue;
            }
            let is_special =
                rules.attributes.changes_passing(&list) || leads_anywhere(rules.attributes, number.into());
            for &(id, is_special_type, is_called_wide) in &functions {
                let work = 1 + rules.attributes.params(&list).len();
                if limited(&mut steps, work, MAX_STEPS).is_err() {
                    break 'lists;
                }
                if (is_special || is_special_type || said == Said::Nothing) && rules.may_fit(id, &list) {
                    let _ = self.make(rules, module, id, number.into(), usual);
                    if is_called_wide {
                        let _ = self.make(rules, module, id, number.into(), VectorRegisters::Wide);
                    }
                }
            }
        }
    }

    fn intern(&mut self, signature: Signature, module: &mut Module) -> Checked<SigId> {
        if let Some(&known) = self.interned.get(&signature) {
            return Ok(known);
        }
        limited(&mut self.stored, signature.params.len(), MAX_STORED)?;
        let id = module.signatures.push(signature.clone());
        self.interned.insert(signature, id);
        Ok(id)
    }
}

/// Whether a call with this list may lead anywhere, where it is through an address.
fn leads_anywhere(attributes: &AttributeTable, list: u64) -> bool {
    attributes.list(list).is_ok_and(|list| list.function.flags.has(FunctionFlags::NO_BRANCH_CHECK))
}

/// Adds to a sum that has a limit.
fn limited(sum: &mut usize, amount: usize, limit: usize) -> Checked<()> {
    match sum.checked_add(amount).filter(|&next| next <= limit) {
        Some(next) => {
            *sum = next;
            Ok(())
        }
        None => {
            Err(Error::TooLarge { what: "the number of parameters of all signatures", limit: limit as u64 })
        }
    }
}

impl Rules<'_> {
    /// Whether a call of a function of type `ty` can have this list: extensions are of integers, memory is behind
    /// pointers, and parameters that are named exist, unless there are more arguments.
    fn may_fit(&self, ty: TypeId, list: &AttributeList) -> bool {
        let LlvmType::Function { ret, params, variadic } = self.types.get(ty) else { return false };
        let fits = |ty: TypeId, attributes: ParamAttributes| {
            let ty = self.types.get(ty);
            let flags = attributes.flags;
            let is_extended = flags.has(ParamFlags::ZEROEXT) || flags.has(ParamFlags::SIGNEXT);
            let is_memory = flags.has(ParamFlags::BYVAL) || flags.has(ParamFlags::SRET);
            (!is_extended || matches!(ty, LlvmType::Int(_))) && (!is_memory || ty == LlvmType::Pointer)
        };
        let (params, of_params) = (self.types.list(params), self.attributes.params(list));
        (variadic || of_params.len() <= params.len())
            && fits(ret, list.ret)
            && params.iter().zip(of_params).all(|(&ty, &attributes)| fits(ty, attributes))
    }

    /// In which registers a function of type `ty` with this list has its vectors.
    pub(super) fn registers_of(&self, ty: TypeId, list: &AttributeList) -> VectorRegisters {
        match list.function.flags.has(FunctionFlags::WIDE_REGISTERS) && self.is_called_wide(ty) {
            true => VectorRegisters::Wide,
            false => VectorRegisters::Usual,
        }
    }

    /// Whether functions of type `ty` are called in another way in code for processors with registers of 256 bits, if the
    /// machine has such: vectors of theirs are in these.
    fn is_called_wide(&self, ty: TypeId) -> bool {
        let LlvmType::Function { ret, params, .. } = self.types.get(ty) else { return false };
        let all = self.types.list(params).iter().chain([&ret]);
        let (mut is_wide, mut has_odd) = (false, false);
        for &ty in all.filter(|_| self.legal.machine().has_wide_registers) {
            let halves = Halves::of(self.types, self.legal, ty);
            is_wide |= !halves.low.is_empty();
            has_odd |= halves.has_odd;
        }
        is_wide && !has_odd
    }

    pub(super) fn signature(
        &self,
        ty: TypeId,
        list: &AttributeList,
        registers: VectorRegisters,
    ) -> Checked<Signature> {
        let LlvmType::Function { ret, params, variadic } = self.types.get(ty) else {
            return Err(Error::TypeClass { ty: ty.as_u32().into(), expected: "a function type" });
        };
        let mut signature = Signature::new(Vec::new(), Type::Void);
        let results = result_units(self.legal.parts(ret)?, self.legal.machine());
        let form = |role, ty, attributes| form(self.types, self.legal, role, ty, attributes);
        let pointer = super::legal::int_type(self.layout.pointer_bytes * 8);
        match form(Role::Result, ret, list.ret)? {
            Form::ZeroExtended(ty) | Form::SignExtended(ty) => signature.ret = ty,
            Form::Extended => {}
            Form::Parts if is_demoted(results.clone(), self.legal.machine(), pointer) => {
                signature.params.push(pointer);
                signature.passing.push(Passing::StructReturn);
            }
            Form::Parts => {
                if results.has_lanes_apart {
                    signature.results = Results::Lanes;
                }
                let mut types = results.map(|unit| unit.ty);
                signature.ret = types.next().unwrap_or(Type::Void);
                signature.second = types.next().unwrap_or(Type::Void);
                if registers == VectorRegisters::Wide && !Halves::of(self.types, self.legal, ret).is_empty() {
                    signature.results = Results::Halves;
                }
            }
        }
        for (i, &param) in self.types.list(params).iter().enumerate() {
            let attributes = self.attributes.param(list, i);
            let mut passing = passing(self.layouts, attributes)?;
            let start = signature.params.len();
            match form(Role::Argument, param, attributes)? {
                Form::Extended => {
                    let count = self.legal.parts(param)?.len() / 2;
                    let machine = self.legal.machine();
                    passing = machine.extended_passing;
                    (0..count).for_each(|_| signature.params.extend_from_slice(machine.extended_params));
                }
                Form::ZeroExtended(ty) | Form::SignExtended(ty) => signature.params.push(ty),
                Form::Parts => {
                    for unit in units(self.legal.parts(param)?) {
                        if unit.is_memory {
                            signature.passing.resize(signature.params.len(), passing);
                            signature.passing.push(QuadPassing::BY_VALUE);
                        }
                        signature.params.push(unit.ty);
                    }
                }
            }
            if signature.params.len() > MAX_PARAMS {
                let limit = MAX_PARAMS as u64;
                return Err(Error::TooLarge { what: "the number of parameters", limit });
            }
            signature.passing.resize(signature.params.len(), passing);
            if registers == VectorRegisters::Wide && passing == Passing::Plain {
                for low in Halves::of(self.types, self.legal, param).low {
                    signature.passing[start + low] = Passing::PairLow;
                }
            }
            if passing == Passing::Plain && is_pair(self.types.get(param), self.legal.machine()) {
                signature.passing[start] = Passing::PairLow;
            }
            let count = signature.params.len() - start;
            if count > 1 && passing == Passing::Plain && self.is_group(param, count, variadic) {
                signature.passing[start] = Passing::Group { len: count as u16 };
                self.check_halves(param, &signature.params)?;
            }
        }
        if variadic {
            signature.arity = Arity::Variadic;
        }
        if !signature.has_valid_passing(pointer) {
            let what = "attributes of a parameter (byval, sret, nest) that do not go with its type or with each other";
            return Err(Error::Unsupported { what: what.into() });
        }
        if signature.passing.iter().all(|&passing| passing == Passing::Plain) {
            signature.passing.clear();
        }
        Ok(signature)
    }

    /// The signature in this convention.
    ///
    /// # Errors
    ///
    /// The convention has no variable arguments, or no place for a parameter.
    pub(super) fn in_convention(
        self,
        signature: Signature,
        convention: CallingConvention,
    ) -> Checked<Signature> {
        let signature = Signature { convention, ..signature };
        let pointer = super::legal::int_type(self.layout.pointer_bytes * 8);
        // LLVM has objects by value not in memory there.
        let is_plain = |passing: &Passing| matches!(passing, Passing::Plain | Passing::StructReturn);
        if convention == CallingConvention::PreserveNone && !signature.passing.iter().all(is_plain) {
            let what = "objects by value of the calling convention preserve_none";
            return Err(Error::Unsupported { what: what.into() });
        }
        match signature.has_valid_passing(pointer) {
            true => Ok(signature),
            false => {
                let what = match signature.arity == Arity::Fixed || convention.has_variable_arguments() {
                    true => "vectors of 256 bits and objects by value aligned to more than 16 bytes",
                    false => "variable arguments",
                };
                Err(Error::Unsupported { what: format!("{what} of the calling convention {convention}") })
            }
        }
    }

    /// Whether a parameter of `count` values is one object to a procedure call standard that has groups.
    fn is_group(&self, ty: TypeId, count: usize, is_variadic: bool) -> bool {
        let element = match self.types.get(ty) {
            LlvmType::Array { element, .. } => Some(element),
            _ => None,
        };
        let is_integers = |element| matches!(self.types.get(element), LlvmType::Int(_));
        usize::from(u16::MAX) >= count
            && match self.legal.machine().groups {
                Groups::None => false,
                Groups::Homogeneous => {
                    !is_variadic
                        && (element.is_some_and(is_integers)
                            || count <= MAX_HOMOGENEOUS && self.is_homogeneous(ty))
                }
                Groups::Arrays => element.is_some() && self.is_array_group(ty),
            }
    }

    /// Refuses a group of halves that may be in memory, where they are two bytes each; it is the last of these parameters.
    fn check_halves(&self, group: TypeId, params: &[Type]) -> Checked<()> {
        let Some(registers) = self.legal.machine().variable_registers else { return Ok(()) };
        let in_vectors = params.iter().filter(|ty| !ty.is_scalar_int()).count();
        match in_vectors > registers.vectors && self.legal.parts(group)?.iter().any(|part| part.is_half()) {
            true => Err(Error::Unsupported { what: "an array of half or bfloat by value in memory".into() }),
            false => Ok(()),
        }
    }

    /// Whether the values of an array are of one type of 64 bits, or all floats or all vectors of one type.
    fn is_array_group(&self, ty: TypeId) -> bool {
        let Ok(parts) = self.legal.parts(ty) else { return false };
        let mut types = units(parts).map(|unit| unit.ty);
        let is_whole = |ty: Type| ty == Type::I64 || ty.is_vector() || ty.is_scalar_float();
        types.next().is_some_and(|first| is_whole(first) && types.all(|ty| ty == first))
    }

    /// Whether the type is a struct or array of floats or vectors of one type.
    fn is_homogeneous(&self, ty: TypeId) -> bool {
        let Ok(parts) = self.legal.parts(ty) else { return false };
        let mut types = units(parts).map(|unit| unit.ty);
        let is_extension = |ty: Type| ty.is_vector() || ty.is_scalar_float();
        !parts.iter().any(|part| part.is_half())
            && matches!(self.types.get(ty), LlvmType::Struct { .. } | LlvmType::Array { .. })
            && types.next().is_some_and(|first| is_extension(first) && types.all(|ty| ty == first))
    }
}

/// How a parameter, or a variable argument, with these attributes is passed.
///
/// # Errors
///
/// The attributes ask for what no back end has, or the object is too large.
pub fn passing(layouts: &Layouts, attributes: ParamAttributes) -> Checked<Passing> {
    let flags = attributes.flags;
    let unsupported = |what: &str| Err(Error::Unsupported { what: what.into() });
    if flags.has(ParamFlags::INALLOCA) || flags.has(ParamFlags::PREALLOCATED) {
        return unsupported("inalloca and preallocated arguments");
    }
    if flags.has(ParamFlags::SWIFT) {
        return unsupported("arguments of the Swift conventions");
    }
    if flags.has(ParamFlags::BYVAL) {
        let Some(object) = attributes.pointee.expand() else {
            return unsupported("byval without a type");
        };
        let size = layouts.alloc_size(object)?;
        let too_large = Error::TooLarge { what: "an object passed by value", limit: u32::MAX.into() };
        let size = u32::try_from(size).map_err(|_| too_large)?;
        let align_log2 = attributes.align_log2().unwrap_or_else(|| layouts.abi_align_log2(object));
        return Ok(Passing::ByVal { size, align_log2: align_log2.min(29) });
    }
    Ok(match flags {
        _ if flags.has(ParamFlags::SRET.with(ParamFlags::INREG)) => Passing::StructReturnInRegister,
        _ if flags.has(ParamFlags::SRET) => Passing::StructReturn,
        _ if flags.has(ParamFlags::INREG) => Passing::InRegister,
        _ if flags.has(ParamFlags::NEST) => Passing::Nest,
        _ => Passing::Plain,
    })
}
