//! Which values of an argument or result are halves of vectors of 256 bits, where the processor has registers of that width
//! (`CC_X86_64_C`, `CC_X86_32_C` and `RetCC_X86Common` of LLVM's `X86CallingConv.td`).
//!
//! Everywhere else a vector of 256 bits is two of 128. Only how functions are called tells the two apart, so that this is
//! asked where a [signature](super::signature) is made: a vector of 256 bits is the pair of its halves, a larger one is
//! several such pairs, as LLVM splits it where there is nothing wider.

use alloc::vec::Vec;

use super::legal::Legal;
use super::signature::units;
use crate::llvm::wire::types::{LlvmType, TypeId, TypeTable};

/// The vectors of more than 128 bits in a value.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Halves {
    /// Which of the values it travels in are low halves; the high half is the next one each time.
    pub(super) low: Vec<usize>,
    /// Whether it has vectors of more than 256 bits, or of booleans, for which a processor with AVX-512 has others registers.
    pub(super) has_wider: bool,
    /// Whether it has vectors of which LLVM makes something else than such pairs.
    pub(super) has_odd: bool,
}

impl Halves {
    /// Those of a value of this type, which has parts.
    pub(super) fn of(types: &TypeTable, legal: &Legal, ty: TypeId) -> Halves {
        let mut halves = Halves::default();
        halves.add(types, legal, ty, &mut 0);
        halves
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.low.is_empty() && !self.has_odd
    }

    /// Adds those of a value whose values begin with number `at`, and moves that behind them.
    fn add(&mut self, types: &TypeTable, legal: &Legal, ty: TypeId, at: &mut usize) {
        let parts = legal.parts(ty).unwrap_or_default();
        match types.get(ty) {
            LlvmType::Array { element, len } if !parts.is_empty() => {
                (0..len).for_each(|_| self.add(types, legal, element, at));
            }
            LlvmType::Struct { members, .. } => {
                types.list(members).iter().for_each(|&member| self.add(types, legal, member, at));
            }
            LlvmType::Vector { element, lanes } if types.get(element) != LlvmType::Fp128 => {
                let element = types.get(element);
                let count = units(parts).count();
                let is_boolean = element == LlvmType::Int(1);
                let is_native = parts.iter().all(|part| part.ty.is_vector());
                if is_native && count > 1 {
                    match count.is_power_of_two() && !(is_boolean && count > 2) {
                        true => self.low.extend((*at..*at + count).step_by(2)),
                        false => self.has_odd = true,
                    }
                    self.has_wider |= is_boolean || count > 2;
                } else if !is_native {
                    // Lanes that no register has are words, whatever the processor.
                    let bits: u32 = parts.iter().map(|part| u32::from(part.bits)).sum();
                    let is_scalar = matches!(element, LlvmType::Int(65..));
                    self.has_odd |= bits > 128 && !is_scalar || is_boolean && lanes > 16;
                }
                *at += count;
            }
            _ => *at += units(parts).count(),
        }
    }
}
