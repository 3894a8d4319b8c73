//! How functions are called: LLVM function types and attributes become ICE signatures.
//!
//! | LLVM | ICE |
//! |---|---|
//! | a parameter | its parts, one after another; those of an `i128` on 64-bit targets as a pair |
//! | `zeroext` or `signext` on `i1`, `i8`, `i16` | an `i32`, which the caller has extended |
//! | a vector of less than 128 bits with native lanes | the native vector of those lanes, low lanes first |
//! | `byval`, `sret`, `inreg`, `nest` | the [`Passing`] of that name |
//! | a result of one or two parts | both results |
//! | a larger result | memory of the caller: its address is a first parameter with [`Passing::StructReturn`] |
//!
//! Calls whose signature says more than types (variadic, by value, two results) need it in the module, which bodies
//! share when they are read. So the signatures of all function types, and of those with every attribute list that
//! may belong to them, are made beforehand.

use alloc::vec::Vec;

use ice_ir::{Arity, Module, Passing, SigId, Signature, Type};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::attributes::{AttributeList, AttributeTable, ParamAttributes, ParamFlags};
use super::constants::Checked;
use super::data_layout::{DataLayout, Layouts};
use super::legal::{Legal, native_vector};
use super::types::{LlvmType, TypeId, TypeTable};
use crate::error::Error;

/// How an argument or result differs from its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its parts.
    Parts,
    /// One part, zero-extended to `i32`.
    ZeroExtended,
    /// One part, sign-extended to `i32`.
    SignExtended,
    /// The lanes of this vector, as many as there are parts.
    Vector(Type),
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

/// The signatures that say more than types.
#[derive(Clone, Default, Debug)]
pub struct Signatures {
    /// By type: without attributes. `None` where types say all.
    plain: Vec<Option<SigId>>,
    /// By type and attribute list.
    special: IndexMap<(TypeId, u32), SigId, FxBuildHasher>,
    interned: IndexMap<Signature, SigId, FxBuildHasher>,
}

/// Most pairs of types and lists that are looked at.
const MAX_PAIRS: u32 = 1 << 20;

/// Most parameters of a signature, in parts.
const MAX_PARAMS: usize = 1 << 16;

/// The form of a value of type `ty` that is passed or returned.
///
/// # Errors
///
/// Those of [`Legal::parts`].
pub fn form(
    types: &TypeTable,
    layout: &DataLayout,
    legal: &Legal,
    ty: TypeId,
    attributes: ParamAttributes,
) -> Checked<Form> {
    Ok(match (types.get(ty), legal.parts(ty)?) {
        (LlvmType::Int(..32), _) if attributes.flags.has(ParamFlags::ZEROEXT) => Form::ZeroExtended,
        (LlvmType::Int(..32), _) if attributes.flags.has(ParamFlags::SIGNEXT) => Form::SignExtended,
        (LlvmType::Vector { element, .. }, parts) if parts.len() > 1 && !parts[0].ty.is_vector() => {
            let element = types.get(element);
            let native = match element {
                LlvmType::Int(8) => Some(Type::V16I8),
                LlvmType::Int(16) => Some(Type::V8I16),
                LlvmType::Int(32) | LlvmType::Float => native_vector(element, 4, layout),
                _ => None,
            };
            native.filter(|native| parts.len() < native.lanes() as usize).map_or(Form::Parts, Form::Vector)
        }
        _ => Form::Parts,
    })
}

/// Whether a result of this many parts is returned through memory of the caller.
#[must_use]
pub const fn is_demoted(parts: usize) -> bool {
    parts > 2
}

impl Signatures {
    /// The signature of a call of a function of type `ty` with attribute list `list`, which says more than types.
    /// `None` where types say all, and where such a call is not supported.
    #[inline]
    #[must_use]
    pub fn call(&self, attributes: &AttributeTable, ty: TypeId, list: u64) -> Option<SigId> {
        let plain = || self.plain.get(ty.as_u32() as usize).copied().flatten();
        let changes = attributes.list(list).is_ok_and(|found| attributes.changes_calls(&found));
        if changes { self.special.get(&(ty, list as u32)).copied() } else { plain() }
    }

    /// Makes the signatures of all function types without attributes.
    pub(super) fn compute(rules: &Rules<'_>, module: &mut Module) -> Signatures {
        let mut signatures = Signatures::default();
        signatures.plain.resize(rules.types.iter().len(), None);
        let plain = AttributeList::default();
        for (id, ty) in rules.types.iter() {
            if matches!(ty, LlvmType::Function { .. })
                && let Ok(signature) = rules.signature(id, &plain)
                && !signature.is_plain()
            {
                signatures.plain[id.as_u32() as usize] = Some(signatures.intern(signature, module));
            }
        }
        signatures
    }

    /// The signature of a function of type `ty` with attribute list number `list`.
    pub(super) fn of_function(
        &mut self,
        rules: &Rules<'_>,
        module: &mut Module,
        ty: TypeId,
        list: u64,
    ) -> Checked<SigId> {
        let signature = rules.signature(ty, &rules.attributes.list(list)?)?;
        Ok(self.intern(signature, module))
    }

    /// A signature without parameters and results, for what is never called.
    pub(super) fn nothing(&mut self, module: &mut Module) -> SigId {
        self.intern(Signature::new(Vec::new(), Type::Void), module)
    }

    /// Makes the signatures of calls: each function type with each list that changes more than types.
    pub(super) fn add_calls(&mut self, rules: &Rules<'_>, module: &mut Module) {
        let mut pairs = 0;
        for number in 1..=rules.attributes.len() {
            let Ok(list) = rules.attributes.list(number.into()) else { continue };
            if !rules.attributes.changes_calls(&list) {
                continue;
            }
            for (id, ty) in rules.types.iter() {
                let LlvmType::Function { ret, params, .. } = ty else { continue };
                pairs += 1;
                if pairs > MAX_PAIRS {
                    return;
                }
                let may_matter =
                    self.plain[id.as_u32() as usize].is_some() || rules.attributes.changes_passing(&list);
                if may_matter
                    && rules.may_fit(ret, rules.types.list(params), &list)
                    && let Ok(signature) = rules.signature(id, &list)
                    && !signature.is_plain()
                {
                    let signature = self.intern(signature, module);
                    self.special.insert((id, number), signature);
                }
            }
        }
    }

    fn intern(&mut self, signature: Signature, module: &mut Module) -> SigId {
        if let Some(&known) = self.interned.get(&signature) {
            return known;
        }
        let id = module.signatures.push(signature.clone());
        self.interned.insert(signature, id);
        id
    }
}

impl Rules<'_> {
    /// Whether a call of a function of these types can have this list: extensions are of integers, all else of
    /// pointers, and parameters that are named exist unless there are more arguments.
    fn may_fit(&self, ret: TypeId, params: &[TypeId], list: &AttributeList) -> bool {
        let fits = |ty: TypeId, attributes: ParamAttributes| {
            let ty = self.types.get(ty);
            let flags = attributes.flags;
            let is_extended = flags.has(ParamFlags::ZEROEXT) || flags.has(ParamFlags::SIGNEXT);
            let is_memory = flags.has(ParamFlags::BYVAL) || flags.has(ParamFlags::SRET);
            (!is_extended || matches!(ty, LlvmType::Int(_))) && (!is_memory || ty == LlvmType::Pointer)
        };
        fits(ret, list.ret)
            && params.iter().enumerate().all(|(i, &ty)| fits(ty, self.attributes.param(list, i)))
    }

    fn signature(&self, ty: TypeId, list: &AttributeList) -> Checked<Signature> {
        let LlvmType::Function { ret, params, variadic } = self.types.get(ty) else {
            return Err(Error::TypeClass { ty: ty.as_u32().into(), expected: "a function type" });
        };
        let mut signature = Signature::new(Vec::new(), Type::Void);
        let results = self.legal.parts(ret)?;
        let form = |ty, attributes| form(self.types, self.layout, self.legal, ty, attributes);
        let pointer = super::legal::int_type(self.layout.pointer_bytes * 8);
        let mut passing = Vec::new();
        match (form(ret, list.ret)?, results) {
            (Form::Vector(ty), _) => signature.ret = ty,
            (Form::ZeroExtended | Form::SignExtended, _) => signature.ret = Type::I32,
            (Form::Parts, []) => {}
            (Form::Parts, [one]) => signature.ret = one.ty,
            (Form::Parts, [one, two]) => (signature.ret, signature.second) = (one.ty, two.ty),
            (Form::Parts, _) => {
                signature.params.push(pointer);
                passing.push(Passing::StructReturn);
            }
        }
        for (i, &param) in self.types.list(params).iter().enumerate() {
            let attributes = self.attributes.param(list, i);
            let how = self.passing(attributes)?;
            match form(param, attributes)? {
                Form::Vector(ty) => signature.params.push(ty),
                Form::ZeroExtended | Form::SignExtended => signature.params.push(Type::I32),
                Form::Parts => {
                    let parts = self.legal.parts(param)?;
                    if signature.params.len() + parts.len() > MAX_PARAMS {
                        let limit = MAX_PARAMS as u64;
                        return Err(Error::TooLarge { what: "the number of parameters", limit });
                    }
                    signature.params.extend(parts.iter().map(|part| part.ty));
                    if self.layout.pointer_bytes == 8 && self.types.get(param) == LlvmType::Int(128) {
                        passing.resize(signature.params.len() - 2, Passing::Plain);
                        passing.push(Passing::PairLow);
                    }
                }
            }
            if how != Passing::Plain {
                passing.resize(signature.params.len() - 1, Passing::Plain);
                passing.push(how);
            }
        }
        if !passing.is_empty() {
            passing.resize(signature.params.len(), Passing::Plain);
        }
        signature.passing = passing;
        signature.arity = if variadic { Arity::Variadic } else { Arity::Fixed };
        Ok(signature)
    }

    fn passing(&self, attributes: ParamAttributes) -> Checked<Passing> {
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
            let size = self.layouts.alloc_size(object)?;
            let too_large = Error::TooLarge { what: "an object passed by value", limit: u32::MAX.into() };
            let size = u32::try_from(size).map_err(|_| too_large)?;
            let align_log2 = attributes.align_log2().unwrap_or_else(|| self.layouts.abi_align_log2(object));
            return Ok(Passing::ByVal { size, align_log2: align_log2.min(29) });
        }
        Ok(match flags {
            _ if flags.has(ParamFlags::SRET) => Passing::StructReturn,
            _ if flags.has(ParamFlags::INREG) => Passing::InRegister,
            _ if flags.has(ParamFlags::NEST) => Passing::Nest,
            _ => Passing::Plain,
        })
    }
}
