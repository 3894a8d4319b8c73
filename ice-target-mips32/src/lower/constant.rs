//! Constants in registers: how each is made, and which are worth a register through a loop.
//!
//! | constant | instructions |
//! |---|---|
//! | number | `addiu`, `ori` or `lui`; else `lui` and `ori` |
//! | address | `lui` and `addiu`, or a load from the linker's table |
//! | `f32` | a number and `mtc1` |
//! | `f64` of zeros | `mtc1` of zero, twice |
//! | other `f64` | an address and `ldc1` |
//!
//! What an instruction can carry itself ([`immediate`]) is not made. What loops use is made before them
//! ([`ice_codegen::constant_hoisting`]): [`Mips32::name_costly_constants`] follows the rules of lowering.

use super::int::{self, alu};
use super::{float_width, immediate};
use crate::address::symbol_of;
use crate::inst::{Amode, Base, Inst, is_one_word};
use crate::target::{Cx, Mips32};
use ice_asm::ConstantSize;
use ice_asm::mips32::Alu;
use ice_codegen::division;
use ice_codegen::extension::word;
use ice_codegen::lanes::constant_vector;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Constant, ValueRegs, Words as _};
use ice_ir::{Function, InstData, IntCond, Intrinsic, Type, Value, ValueDef};

/// The instructions that a number takes.
fn cost(number: u32) -> u32 {
    if is_one_word(number) { 1 } else { 2 }
}

impl Mips32 {
    /// A value that has no register yet, put into fresh ones.
    pub(crate) fn materialize_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        let ty = cx.func.value_type(value);
        let regs = cx.fresh_constant_regs(value);
        let dst = regs.lo();
        if let Some(number) = word(cx.func, value) {
            self.mov_number(cx, dst, number);
        } else if let Some(object) = cx.frame_object(value) {
            cx.sink.push(Inst::Lea { dst, mem: Amode::new(Base::Object(object), 0) });
        } else if ty.is_scalar_float() {
            match cx.held(Constant::Value(value)) {
                Some(src) => cx.sink.push(Inst::MovFloat { width: float_width(ty), dst, src }),
                None => self.float_constant(cx, value, dst),
            }
        } else if let Some(of) = symbol_of(cx.func, value) {
            match cx.held(Constant::Value(value)) {
                Some(src) => cx.sink.push(Inst::Mov { dst, src }),
                None => self.symbol_address(cx, of.into(), dst),
            }
        } else {
            let number = match cx.func.value_def(value) {
                ValueDef::Int(number) => u128::from(number as u64),
                _ => constant_vector(cx.func, value).unwrap_or(0),
            };
            for (n, dst) in regs.iter().enumerate() {
                self.mov_number(cx, dst, (number >> (32 * n)) as u32);
            }
        }
        regs
    }

    /// The register of a constant that a loop holds, or that is kept: made now, if nothing before has.
    pub(crate) fn register_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<VReg> {
        let is_address = symbol_of(cx.func, value).is_some();
        self.kept_constant(cx, value, is_address)
    }

    /// Makes a constant that a loop holds.
    pub(crate) fn make_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, constant: Constant, dst: VReg) {
        let value = match constant {
            Constant::Word(imm) => return cx.sink.push(Inst::MovImm { dst, imm }),
            Constant::Wide(_) => return cx.fault("a number of 64 bits is held in a register of 32"),
            Constant::Value(value) => value,
        };
        match (cx.frame_object(value), symbol_of(cx.func, value)) {
            (Some(object), _) => {
                cx.sink.push(Inst::Lea { dst, mem: Amode::new(Base::Object(object), 0) });
            }
            (None, Some(of)) => self.symbol_address(cx, of.into(), dst),
            (None, None) => self.float_constant(cx, value, dst),
        }
    }

    /// A floating-point constant, or zero.
    fn float_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, dst: VReg) {
        let bits = match cx.func.value_def(value) {
            ValueDef::Float(bits) => bits,
            _ => 0,
        };
        if cx.func.value_type(value) == Type::F32 {
            return cx.sink.push(Inst::SingleBits { dst, bits: bits as u32 });
        }
        self.double_constant(cx, bits, dst);
    }

    /// A doubleword of these bits.
    pub(super) fn double_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, bits: u64, dst: VReg) {
        // In confined code a load of a constant is no shorter than two halves, of which one is zero.
        if bits == 0 || self.is_confined() && bits as u32 == 0 {
            return cx.sink.push(Inst::DoubleBits { dst, bits });
        }
        let mem = self.constant_memory(cx, ConstantSize::C8, bits.into());
        cx.sink.push(Inst::LoadFloat { width: float_width(Type::F64), dst, mem });
    }

    /// `dst = number`.
    pub(super) fn mov_number<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, imm: u32) {
        let inst = match cx.held(Constant::Word(imm)) {
            Some(src) => Inst::Mov { dst, src },
            None => Inst::MovImm { dst, imm },
        };
        cx.sink.push(inst);
    }

    /// The constants that the rule for `inst` puts in registers, and the instructions that they take.
    pub(crate) fn name_costly_constants(
        self,
        func: &Function,
        inst: ice_ir::Inst,
        visit: &mut dyn FnMut(Constant, u32),
    ) {
        let mut number = |n: u32| {
            if n != 0 {
                visit(Constant::Word(n), cost(n));
            }
        };
        let mut called = None;
        match *func.inst(inst) {
            InstData::Binary { op, args: [_, b] } if op.is_division() => {
                division::numbers(op, func.value_type(b), func.int_value(b).unwrap_or(0)).for_each(number);
            }
            InstData::Binary { op, args: [_, b] } => {
                if let Some(n) = word(func, b)
                    && alu(op).is_some_and(|op| immediate(op, n).is_none() && !int::is_field(op, n))
                {
                    number(n);
                } else if let Some(n) = word(func, b)
                    && op == ice_ir::BinaryOp::Mul
                    && int::product(n).is_none()
                {
                    number(n);
                }
            }
            InstData::Icmp { cond, args: [_, b] } => {
                if let Some(n) = word(func, b)
                    && (matches!(cond, IntCond::Eq | IntCond::Ne)
                        || immediate(Alu::Slt, n.wrapping_add(1)).is_none())
                {
                    number(n);
                }
            }
            InstData::Store { value, .. } => word(func, value).into_iter().for_each(number),
            // The address of a thread-local variable is one a thread, and only named here.
            InstData::Phi { .. } | InstData::CallIntrinsic { op: Intrinsic::ThreadLocalAddress, .. } => {
                return;
            }
            // A function that is called is named as well.
            InstData::CallAs { args, .. } => called = func.args(args).first().copied(),
            _ => {}
        }
        func.for_each_operand(inst, |value| match func.value_def(value) {
            ValueDef::Function(_) if called == Some(value) => {}
            ValueDef::Global(_) | ValueDef::Function(_) => visit(Constant::Value(value), 2),
            ValueDef::Float(_) => visit(Constant::Value(value), 2),
            _ => {}
        });
    }
}
