//! EXTRACTVAL and INSERTVAL: members of structs and arrays are runs of the parts of the whole.

use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::types::{LlvmType, TypeId};

impl Body<'_, '_> {
    /// The first part of the member that the remaining operands name, and its type.
    fn member(&mut self, ty: TypeId) -> Checked<(u32, TypeId)> {
        let (mut ty, mut at) = (ty, 0);
        self.value_shape(ty)?;
        if !self.has_more() {
            return fail(Error::OperandCount {
                record: self.name,
                found: self.ops.len(),
                expected: "an index",
            });
        }
        while self.has_more() {
            let index = self.op()?;
            if self.kind(ty) != Kind::Aggregate {
                return fail(self.type_class(ty, "an aggregate"));
            }
            let Some(member) = self.m.types.member(ty, index) else {
                return fail(Error::NoSuch { what: "member", index });
            };
            at += match self.m.types.get(ty) {
                LlvmType::Struct { members, .. } => {
                    let before = &self.m.types.list(members)[..index as usize];
                    before.iter().map(|&member| self.shape(member).parts).sum::<u32>()
                }
                _ => index as u32 * self.shape(member).parts,
            };
            ty = member;
        }
        Ok((at, ty))
    }

    /// EXTRACTVAL.
    pub(super) fn extract_value(&mut self) -> Checked<()> {
        let a = self.vt()?;
        let (at, ty) = self.member(a.ty)?;
        let parts = self.shape(ty).parts;
        let run = self.run(a).part(at, parts);
        self.define_run(ty, run)
    }

    /// INSERTVAL.
    pub(super) fn insert_value(&mut self) -> Checked<()> {
        let (a, value) = (self.vt()?, self.vt()?);
        let (at, ty) = self.member(a.ty)?;
        if ty != value.ty {
            return fail(self.type_class(value.ty, "the type of the member"));
        }
        let (whole, part) = (self.run(a), self.run(value));
        let out = self.reserve(whole.len);
        self.copy(out, 0, whole);
        self.copy(out, at, part);
        self.define_run(a.ty, out)
    }
}
