//! The compact form that is executed: one dense array of operations for the whole program.
//!
//! Operands are slot numbers in the frame of the running function. A frame is: slot 0, where results that
//! nobody wants go; the constants of the function; its parameters; its results; scratch slots for phis.
//! Scalars are kept zero-extended, so that bitwise operators and unsigned comparisons serve all widths.

use alloc::vec::Vec;
use core::ops::Range;

use super::value::Slot;
use ice_ir::intrinsics::Intrinsic;
use ice_ir::{BinaryOp, Block, CastOp, FloatCond, FuncId, Inst, IntCond, Signature, Type};

/// One operation; `d` is the slot of the result. The common cases of the common types have operations of
/// their own, everything else goes through the general ones.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Move {
        d: u32,
        s: u32,
    },
    Add32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Sub32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Mul32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Add64 {
        d: u32,
        a: u32,
        b: u32,
    },
    Sub64 {
        d: u32,
        a: u32,
        b: u32,
    },
    Mul64 {
        d: u32,
        a: u32,
        b: u32,
    },
    And {
        d: u32,
        a: u32,
        b: u32,
    },
    Or {
        d: u32,
        a: u32,
        b: u32,
    },
    Xor {
        d: u32,
        a: u32,
        b: u32,
    },
    Shl32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Lshr32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Ashr32 {
        d: u32,
        a: u32,
        b: u32,
    },
    AddF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    SubF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    MulF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    Eq {
        d: u32,
        a: u32,
        b: u32,
    },
    Ne {
        d: u32,
        a: u32,
        b: u32,
    },
    Ult {
        d: u32,
        a: u32,
        b: u32,
    },
    Ule {
        d: u32,
        a: u32,
        b: u32,
    },
    Slt32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Sle32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Trunc {
        d: u32,
        a: u32,
        to: Type,
    },
    Sext {
        d: u32,
        a: u32,
        from: Type,
        to: Type,
    },
    Select {
        d: u32,
        c: u32,
        t: u32,
        f: u32,
        ty: Type,
    },
    Load8 {
        d: u32,
        a: u32,
    },
    Load16 {
        d: u32,
        a: u32,
    },
    Load32 {
        d: u32,
        a: u32,
        ty: Type,
    },
    Load64 {
        d: u32,
        a: u32,
        ty: Type,
    },
    Store8 {
        a: u32,
        s: u32,
    },
    Store32 {
        a: u32,
        s: u32,
        ty: Type,
    },
    Store64 {
        a: u32,
        s: u32,
        ty: Type,
    },

    Binary {
        op: BinaryOp,
        ty: Type,
        d: u32,
        a: u32,
        b: u32,
    },
    Icmp {
        cond: IntCond,
        ty: Type,
        d: u32,
        a: u32,
        b: u32,
    },
    Fcmp {
        cond: FloatCond,
        ty: Type,
        d: u32,
        a: u32,
        b: u32,
    },
    Cast {
        op: CastOp,
        from: Type,
        to: Type,
        d: u32,
        a: u32,
    },
    SelectLanes {
        ty: Type,
        d: u32,
        c: u32,
        t: u32,
        f: u32,
    },
    Extract {
        ty: Type,
        lane: u8,
        d: u32,
        v: u32,
    },
    Insert {
        ty: Type,
        lane: u8,
        d: u32,
        v: u32,
        e: u32,
    },
    Alloca {
        d: u32,
        size: u32,
        align_log2: u8,
    },
    Load {
        ty: Type,
        d: u32,
        a: u32,
    },
    Store {
        ty: Type,
        a: u32,
        s: u32,
    },
    /// `args` is the first of the callee's argument slots in [`Code::args`].
    Call {
        callee: u32,
        args: u32,
        d: u32,
    },
    CallIndirect {
        callee: u32,
        signature: u32,
        args: u32,
        d: u32,
    },
    /// The frame of the callee takes the place of this one.
    ReturnCall {
        callee: u32,
        args: u32,
    },
    /// The same through an address. What the run-time environment answers goes to slot 0, which the next operation
    /// returns.
    ReturnCallIndirect {
        callee: u32,
        signature: u32,
        args: u32,
    },
    Intrinsic {
        op: Intrinsic,
        ty: Type,
        args: u32,
        d: u32,
    },

    Jump {
        to: u32,
    },
    Branch {
        c: u32,
        t: u32,
        f: u32,
    },
    Switch {
        value: u32,
        table: u32,
    },
    Ret {
        s: u32,
    },
    Unreachable,
}

/// One function of [`Code`].
#[derive(Clone, Debug)]
pub(super) struct FunctionCode {
    /// First operation.
    pub entry: u32,
    /// One past the last operation.
    pub end: u32,
    /// Number of slots of a frame.
    pub slots: u32,
    /// Its constants, which go to slot 1 and up.
    pub consts: Range<u32>,
    /// Slot of the first parameter.
    pub first_param: u32,
    /// Number in [`Code::signatures`].
    pub signature: u32,
    /// False for declarations.
    pub has_body: bool,
}

/// Cases of one switch, sorted.
#[derive(Clone, Debug)]
pub(super) struct CaseTable {
    /// (case zero-extended from the type of the value, operation to go on with).
    pub cases: Vec<(u64, u32)>,
    /// Where all other values go.
    pub default: u32,
}

/// Where operations come from, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub block: Block,
    pub inst: Inst,
}

/// A decoded program.
#[derive(Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    pub origins: Vec<Origin>,
    pub functions: Vec<FunctionCode>,
    pub args: Vec<u32>,
    pub consts: Vec<Slot>,
    pub switches: Vec<CaseTable>,
    /// All signatures that a call may have, each once.
    pub signatures: Vec<Signature>,
}

impl Code {
    /// The number of `signature`, new or old.
    pub fn intern(&mut self, signature: &Signature) -> u32 {
        let found = self.signatures.iter().position(|s| s == signature);
        found.unwrap_or_else(|| {
            self.signatures.push(signature.clone());
            self.signatures.len() - 1
        }) as u32
    }

    /// Whether a function of one signature can be called with another: see [the rule](super).
    pub fn accepts(&self, function: u32, call: u32) -> bool {
        let [callee, caller] = [function, call].map(|number| &self.signatures[number as usize]);
        let is_ignored = caller.ret == Type::Void && !callee.ret.is_scalar_float();
        function == call
            || caller.params.starts_with(&callee.params) && (caller.ret == callee.ret || is_ignored)
    }

    /// The function that holds operation `pc`.
    pub fn function_at(&self, pc: u32) -> Option<FuncId> {
        let bodies = self.functions.iter().position(|f| f.has_body && (f.entry..f.end).contains(&pc));
        bodies.map(|i| FuncId::from_u32(i as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_stay_small() {
        // Three operations and more to a cache line; a select needs four slots.
        assert_eq!(size_of::<Op>(), 20);
    }
}
