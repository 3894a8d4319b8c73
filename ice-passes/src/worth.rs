//! What is worth a register from where it is computed to another block, and what is rather computed there again: comparisons,
//! extensions, constant displacements and small scales, where operands of memory have such, become part of what uses them, and so
//! do lanes on the way from vector to vector. A vector that is put together lane by lane is complete with its last lane; what
//! comes before it is one operation with it, which it would not be any more in another block.

use ice_ir::{Addressing, BinaryOp, CastOp, Function, InstData};

/// Whether the instruction costs more than the register that keeps its value.
pub(crate) fn is_worth_register(func: &Function, data: &InstData, addressing: Addressing) -> bool {
    match *data {
        InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::And, args } => {
            !args.into_iter().any(|arg| func.int_value(arg).is_some())
        }
        InstData::Binary { op: BinaryOp::Shl, args: [_, amount] } => {
            addressing == Addressing::Base || !matches!(func.int_value(amount), Some(0..=3))
        }
        InstData::Cast { op, .. } => !matches!(op, CastOp::Trunc | CastOp::Zext | CastOp::Sext),
        InstData::Icmp { .. } | InstData::Fcmp { .. } | InstData::ExtractElement { .. } => false,
        InstData::InsertElement { vector, index, .. } => {
            func.int_value(index).is_none_or(|lane| lane + 1 == func.value_type(vector).lanes().into())
        }
        _ => true,
    }
}
