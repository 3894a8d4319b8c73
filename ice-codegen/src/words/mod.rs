//! Rules in words: what machines with general registers of 32 bits compute alike.
//!
//! *Problem.* Quotients by constants, 64-bit integers, the bits of integers, copies of memory, calls, and vectors where a
//! machine has none, are each the same few operations on words on all such machines; only the instructions for them differ.
//!
//! *Method.* A machine says what it does with words ([`Words`]); the rules stand here: [`divide`], [`PairRules`],
//! [`BitRules`], [`MemoryRules`], [`CallRules`], [`InvokeRules`], [`ParamRules`],
//! [`ProgramRules`], [`WordVectors`]. An operator is named as in the IR. An
//! operand may be a number or a shifted register, which the machine puts into its instruction or makes before, as it can.
//!
//! *Contract.* A rule never writes a register that it has not made, but for the destination, and that last: it may be
//! one of the sources.

mod bits;
mod call;
mod divide;
mod invoke;
mod lanes;
mod memory;
mod pair;
mod params;
mod program;
mod vector;

pub use bits::BitRules;
pub use call::{ArgumentWords, CallInst, CallOperands, CallRules, PlaceWords};
pub use divide::divide;
pub use invoke::{InvokeRules, InvokeTargets};
pub use lanes::{Lane, folds_insertion};
pub use memory::MemoryRules;
pub use pair::{PairRules, PairShift};
pub use params::ParamRules;
pub use program::ProgramRules;
pub use vector::WordVectors;

use crate::compiled::Libcall;
use crate::constant_hoisting::Constant;
use crate::extension::{is_zero_extended, word};
use crate::lower::{Lower, ValueRegs};
use crate::mach::{Sink, VReg};
use crate::magic::Signedness;
use crate::rules::Operands;
use crate::target::Target;
use ice_ir::{BinaryOp, Type, Value};

/// The context of a rule for the target `T`.
pub type Cx<'a, T, S> = Lower<'a, <T as Target>::Inst, S>;

/// A word that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// In a register.
    Reg(VReg),
    /// A number.
    Number(u32),
    /// A register shifted by `Shl`, `Lshr` or `Ashr` by 1 to 31.
    Shifted(VReg, BinaryOp, u8),
}

impl Word {
    /// A register shifted by an amount that may be 0.
    pub fn shifted(reg: VReg, op: BinaryOp, amount: u8) -> Word {
        if amount == 0 { Word::Reg(reg) } else { Word::Shifted(reg, op, amount) }
    }
}

impl From<VReg> for Word {
    fn from(reg: VReg) -> Word {
        Word::Reg(reg)
    }
}

impl From<u32> for Word {
    fn from(number: u32) -> Word {
        Word::Number(number)
    }
}

/// What a machine does with words of 32 bits.
pub trait Words: Operands {
    /// `dst = src`.
    fn mov_word<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg, src: Word);

    /// `dst = lhs op rhs`: a sum, a difference, logic, the low half of a product, or a shift, by less than 32.
    fn word_op<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        dst: VReg,
        lhs: Word,
        rhs: Word,
    );

    /// A number in a register, which must not be written.
    fn number_reg<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, number: u32) -> VReg {
        match cx.held(Constant::Word(number)) {
            Some(reg) => reg,
            None => {
                let dst = self.temp(cx);
                self.mov_word(cx, dst, Word::Number(number));
                if self.keeps_number(number) {
                    cx.keep(Constant::Word(number), dst);
                }
                dst
            }
        }
    }

    /// Whether a register that has the number serves later uses: whether it takes more than one instruction.
    fn keeps_number(self, _number: u32) -> bool {
        false
    }

    /// The register of a constant that a loop holds, or that serves later uses, as the address of a symbol does: made now, if
    /// nothing before has.
    fn kept_constant<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        value: Value,
        is_address: bool,
    ) -> Option<VReg> {
        if let Some(number) = word(cx.func, value) {
            return match self.keeps_number(number) {
                true => Some(self.number_reg(cx, number)),
                false => cx.held(Constant::Word(number)),
            };
        }
        let constant = Constant::Value(value);
        cx.held(constant).or_else(|| {
            is_address.then(|| {
                let reg = self.temp(cx);
                self.hold(cx, constant, reg);
                cx.keep(constant, reg);
                reg
            })
        })
    }

    /// `dst` = the bits from `lsb` on of `src`, 1 to 32 - `lsb` of them.
    fn extract<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        sign: Signedness,
        dst: VReg,
        src: VReg,
        lsb: u8,
        size: u8,
    );

    /// `dst` = the value of type `ty` in `src`, extended to 32 bits.
    fn extend<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        sign: Signedness,
        ty: Type,
        dst: VReg,
        src: VReg,
    );

    /// The low and the high half of a product of 64 bits.
    fn multiply_long<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        sign: Signedness,
        dst: [VReg; 2],
        args: [VReg; 2],
    );

    /// The high half of a product of 64 bits.
    fn multiply_high<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        sign: Signedness,
        args: [VReg; 2],
    ) -> VReg {
        let dst = [self.temp(cx), self.temp(cx)];
        self.multiply_long(cx, sign, dst, args);
        dst[1]
    }

    /// `dst` = the high half of an unsigned product of 64 bits, shifted to the right.
    fn multiply_high_shifted<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        dst: VReg,
        args: [VReg; 2],
        shift: u8,
    ) {
        let high = self.multiply_high(cx, Signedness::Unsigned, args);
        self.mov_word(cx, dst, Word::shifted(high, BinaryOp::Lshr, shift));
    }

    /// `dst = acc + a * b`, or the difference for `Sub`.
    fn multiply_add<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        dst: VReg,
        acc: VReg,
        [a, b]: [VReg; 2],
    ) {
        let product = self.word(cx, BinaryOp::Mul, a, b);
        self.word_op(cx, op, dst, acc.into(), product.into());
    }

    /// A quotient or remainder; the divisor is not zero.
    fn divide_words<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        args: [VReg; 2],
        dst: VReg,
    );

    /// The quotient and the remainder of the same numbers; `op` gives the quotient, and the divisor is not zero.
    fn divide_both<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        [lhs, rhs]: [VReg; 2],
        [quotient, remainder]: [VReg; 2],
    ) {
        self.divide_words(cx, op, [lhs, rhs], quotient);
        self.multiply_add(cx, BinaryOp::Sub, remainder, lhs, [quotient, rhs]);
    }

    /// Ends the program with a fault if a word, or a pair, is zero; nothing where the module does not want that.
    fn trap_if_zero<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, lo: VReg, hi: Option<VReg>);

    /// Calls a helper.
    fn libcall<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    );

    /// The remainder of floats.
    fn float_remainder<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, args: [Value; 2], result: Value) {
        let ty = cx.func.value_type(result);
        let args = args.map(|arg| (self.regs(cx, arg), ty));
        let helper = if ty == Type::F32 { Libcall::Fmodf } else { Libcall::Fmod };
        let result = (cx.regs(result), ty);
        self.libcall(cx, helper, &args, Some(result));
    }

    /// A fresh general register.
    fn temp<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>) -> VReg {
        cx.temp(Type::I32).lo()
    }

    /// `src` in a register: shifted, in one of its own.
    fn word_reg<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, src: Word) -> VReg {
        match src {
            Word::Reg(reg) => reg,
            Word::Number(number) => self.number_reg(cx, number),
            Word::Shifted(..) => {
                let dst = self.temp(cx);
                self.mov_word(cx, dst, src);
                dst
            }
        }
    }

    /// `lhs op rhs` in a register of its own.
    fn word<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        lhs: impl Into<Word>,
        rhs: impl Into<Word>,
    ) -> VReg {
        let dst = self.temp(cx);
        self.word_op(cx, op, dst, lhs.into(), rhs.into());
        dst
    }

    /// An integer value of up to 32 bits, zero-extended, or sign-extended for a signed operation.
    fn extended<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, sign: Signedness, value: Value) -> VReg {
        let number = match sign {
            Signedness::Signed => cx.func.int_value(value).map(|number| number as u32),
            Signedness::Unsigned => word(cx.func, value),
        };
        if let Some(number) = number {
            return self.number_reg(cx, number);
        }
        let (ty, src) = (cx.func.value_type(value), self.reg(cx, value));
        if ty == Type::I32 || sign == Signedness::Unsigned && is_zero_extended(cx.func, value) {
            return src;
        }
        let dst = self.temp(cx);
        self.extend(cx, sign, ty, dst, src);
        dst
    }
}
