//! What constants come to: folding of expressions.
//!
//! Expressions are folded once, in the order in which the end of their block walks over them, so that operands are
//! there already. What remains is a number, an address (symbol and offset), the distance of two symbols, or
//! [`Scalar::Code`]: only instructions can make it, at the place of its use. Folding to `Code` is never wrong in
//! functions; in data it is refused (LLVM bitcode specification, section 8).
//!
//! Numbers are kept as the IR keeps them: integers and pointers sign-extended from their width, floating-point
//! numbers as their bits. `undef` and `poison` come to zero.

use ice_ir::{GlobalId, Symbol};

use super::constants::{Constant, ExprOp, Expression, GlobalValueKind, Labels, View, sign_extend};
use super::types::{LlvmType, TypeId};

/// Where addresses of blocks are [numbers](Labels::Numbers), that of basic block `b` is `b + BLOCK_ADDRESS_BIAS`.
pub const BLOCK_ADDRESS_BIAS: i64 = 1;

/// What a constant of scalar type comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// A number of up to 64 bits.
    Number(i64),
    /// The address of a symbol plus a number of bytes, as wide as a pointer.
    Address {
        /// Whose address.
        target: Symbol,
        /// Added to it.
        addend: i64,
    },
    /// `plus + addend - minus`, in any width.
    Distance {
        /// From which symbol is subtracted.
        plus: Symbol,
        /// What is subtracted.
        minus: Symbol,
        /// Added to the difference.
        addend: i64,
    },
    /// No scalar, or wider than 64 bits: look at its [`Constant`].
    Composite,
    /// Takes instructions.
    Code,
}

/// The numbers of the conversions on the wire.
mod cast {
    pub const TRUNC: u8 = 0;
    pub const ZEXT: u8 = 1;
    pub const SEXT: u8 = 2;
    pub const PTRTOINT: u8 = 9;
    pub const INTTOPTR: u8 = 10;
    pub const BITCAST: u8 = 11;
    pub const PTRTOADDR: u8 = 13;
}

impl View<'_> {
    /// What constant or global `id` comes to.
    #[inline]
    #[must_use]
    pub fn scalar(&self, id: u32) -> Scalar {
        if let Some(global) = self.global(id) {
            return match global.kind {
                GlobalValueKind::Symbol(target) => Scalar::Address { target, addend: 0 },
                GlobalValueKind::Special(_) => Scalar::Code,
            };
        }
        let Some((constant, ty)) = self.get(id) else { return Scalar::Code };
        match constant {
            Constant::Int(value) => Scalar::Number(value),
            Constant::Float(bits) => Scalar::Number(bits as i64),
            Constant::Null | Constant::Undef | Constant::Poison => match self.width(ty) {
                Some(_) => Scalar::Number(0),
                None => Scalar::Composite,
            },
            Constant::Words(_) | Constant::Bytes(_) | Constant::Aggregate(_) => Scalar::Composite,
            Constant::Expression(e) => self.table(id).expression(e).value,
            Constant::BlockAddress(index) => match self.env.labels {
                Labels::Numbers => {
                    Scalar::Number(i64::from(self.table(id).block(index).1) + BLOCK_ADDRESS_BIAS)
                }
                Labels::Globals(first) if self.is_of_module(id) => {
                    let target = Symbol::Global(GlobalId::from_u32(first.as_u32() + index));
                    Scalar::Address { target, addend: 0 }
                }
                Labels::Globals(_) => Scalar::Code,
            },
            Constant::InlineAsm(_) => Scalar::Code,
        }
    }

    /// The number that constant `id` is, if it is one.
    #[must_use]
    pub fn number(&self, id: u32) -> Option<i64> {
        match self.scalar(id) {
            Scalar::Number(value) => Some(value),
            _ => None,
        }
    }

    /// Bits of a scalar of up to 64 bits; `None` for all other types.
    fn width(&self, ty: TypeId) -> Option<u32> {
        match self.env.types.get(ty) {
            LlvmType::Int(bits @ ..=64) => Some(bits),
            LlvmType::Half | LlvmType::BFloat => Some(16),
            LlvmType::Float => Some(32),
            LlvmType::Double => Some(64),
            LlvmType::Pointer => Some(self.env.layout.pointer_bytes * 8),
            _ => None,
        }
    }

    /// `value` as a constant of type `ty` keeps it.
    fn normalize(&self, ty: TypeId, value: i64) -> Scalar {
        match (self.env.types.get(ty), self.width(ty)) {
            (LlvmType::Int(_) | LlvmType::Pointer, Some(bits)) => Scalar::Number(sign_extend(value, bits)),
            (_, Some(bits)) => Scalar::Number((value as u64 & mask(bits)) as i64),
            (_, None) => Scalar::Code,
        }
    }

    /// What `expression` of type `ty` comes to, when its operands are folded.
    pub(in crate::llvm) fn fold(&self, expression: &Expression, ty: TypeId) -> Scalar {
        let operands = self.local.operands(expression.operands);
        let folded = match (expression.op, operands) {
            (ExprOp::Binary(op), &[a, b]) => self.binary(op, ty, self.scalar(a), self.scalar(b)),
            (ExprOp::Cast(op), &[a]) => self.cast(op, ty, a),
            (ExprOp::Gep { source }, &[base, ref indices @ ..]) => self.gep(source, base, indices),
            (ExprOp::Same, &[a]) => Some(self.scalar(a)),
            (ExprOp::Select, &[c, a, b]) => match self.scalar(c) {
                Scalar::Number(c) => Some(self.scalar(if c & 1 != 0 { a } else { b })),
                _ => None,
            },
            (ExprOp::Compare(predicate), &[a, b]) => self.compare(predicate, a, b),
            (ExprOp::Fneg, &[a]) => match (self.scalar(a), self.width(ty)) {
                (Scalar::Number(bits), Some(width)) => Some(Scalar::Number(bits ^ 1 << (width - 1))),
                _ => None,
            },
            _ => None,
        };
        match folded {
            Some(Scalar::Number(value)) => self.normalize(ty, value),
            Some(scalar @ (Scalar::Address { .. } | Scalar::Distance { .. })) if self.width(ty).is_some() => {
                scalar
            }
            _ => Scalar::Code,
        }
    }

    fn binary(&self, op: u8, ty: TypeId, a: Scalar, b: Scalar) -> Option<Scalar> {
        use Scalar::{Address, Distance, Number};
        let LlvmType::Int(bits) = self.env.types.get(ty) else { return None };
        let is_address = bits == self.env.layout.pointer_bytes * 8;
        const ADD: u8 = 0;
        const SUB: u8 = 1;
        Some(match (op, a, b) {
            (_, Number(a), Number(b)) => {
                let (unsigned, amount) = (a as u64 & mask(bits), b as u64 & mask(bits));
                let in_range = amount < u64::from(bits);
                Number(match op {
                    ADD => a.wrapping_add(b),
                    SUB => a.wrapping_sub(b),
                    2 => a.wrapping_mul(b),
                    7 if in_range => a << amount,
                    8 if in_range => (unsigned >> amount) as i64,
                    9 if in_range => a >> amount,
                    10 => a & b,
                    11 => a | b,
                    12 => a ^ b,
                    _ => return None,
                })
            }
            (ADD, Address { target, addend }, Number(n)) | (ADD, Number(n), Address { target, addend })
                if is_address =>
            {
                Address { target, addend: addend.wrapping_add(n) }
            }
            (SUB, Address { target, addend }, Number(n)) if is_address => {
                Address { target, addend: addend.wrapping_sub(n) }
            }
            (SUB, Address { target: plus, addend }, Address { target: minus, addend: less }) => {
                let addend = addend.wrapping_sub(less);
                if plus == minus { Number(addend) } else { Distance { plus, minus, addend } }
            }
            (ADD, Distance { plus, minus, addend }, Number(n))
            | (ADD, Number(n), Distance { plus, minus, addend }) => {
                Distance { plus, minus, addend: addend.wrapping_add(n) }
            }
            (SUB, Distance { plus, minus, addend }, Number(n)) => {
                Distance { plus, minus, addend: addend.wrapping_sub(n) }
            }
            _ => return None,
        })
    }

    fn cast(&self, op: u8, ty: TypeId, operand: u32) -> Option<Scalar> {
        let from = self.width(self.type_of(operand)?)?;
        let to = self.width(ty)?;
        let scalar = self.scalar(operand);
        let keeps_width = from == to;
        Some(match (op, scalar) {
            (cast::TRUNC | cast::SEXT, Scalar::Number(_)) => scalar,
            (cast::BITCAST, _) if keeps_width => scalar,
            (cast::ZEXT | cast::PTRTOINT | cast::INTTOPTR | cast::PTRTOADDR, Scalar::Number(value)) => {
                Scalar::Number((value as u64 & mask(from)) as i64)
            }
            (cast::PTRTOINT | cast::INTTOPTR | cast::PTRTOADDR, _) if keeps_width => scalar,
            (cast::TRUNC, Scalar::Distance { .. }) => scalar,
            _ => return None,
        })
    }

    fn gep(&self, source: TypeId, base: u32, indices: &[u32]) -> Option<Scalar> {
        let (types, layouts) = (self.env.types, self.env.layouts);
        let mut offset = 0i64;
        let (mut ty, mut is_first) = (source, true);
        for &index in indices {
            let Scalar::Number(index) = self.scalar(index) else { return None };
            let step =
                |element| layouts.alloc_size(element).ok().map(|size| (size as i64).wrapping_mul(index));
            let (next, bytes) = match types.get(ty) {
                _ if is_first => (ty, step(ty)?),
                LlvmType::Struct { .. } => {
                    let index = u64::try_from(index).ok()?;
                    (types.member(ty, index)?, layouts.member_offset(types, ty, index).ok()? as i64)
                }
                LlvmType::Array { element, .. } | LlvmType::Vector { element, .. } => {
                    (element, step(element)?)
                }
                _ => return None,
            };
            (ty, is_first) = (next, false);
            offset = offset.wrapping_add(bytes);
        }
        offset = sign_extend(offset, self.env.layout.pointer_bytes * 8);
        match self.scalar(base) {
            Scalar::Number(base) => Some(Scalar::Number(base.wrapping_add(offset))),
            Scalar::Address { target, addend } => {
                Some(Scalar::Address { target, addend: addend.wrapping_add(offset) })
            }
            _ => None,
        }
    }

    fn compare(&self, predicate: u8, a: u32, b: u32) -> Option<Scalar> {
        let bits = self.width(self.type_of(a)?)?;
        let (Scalar::Number(a), Scalar::Number(b)) = (self.scalar(a), self.scalar(b)) else { return None };
        let (left, right) = (a as u64 & mask(bits), b as u64 & mask(bits));
        let holds = match predicate {
            32 => a == b,
            33 => a != b,
            34 => left > right,
            35 => left >= right,
            36 => left < right,
            37 => left <= right,
            38 => a > b,
            39 => a >= b,
            40 => a < b,
            41 => a <= b,
            _ => return None,
        };
        Some(Scalar::Number(-i64::from(holds)))
    }
}

/// All ones in the low `bits` (1..=64).
pub(in crate::llvm) const fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}
