//! Constants in registers: how each is made, and which are worth a register through a loop.
//!
//! | constant | instructions |
//! |---|---|
//! | number | `mov`, `mvn` or `movw`; else `movw` and `movt` |
//! | address | `movw` and `movt` |
//! | `f32`, `f64` of eight bits ([`FloatImm`]) | `vmov` |
//! | other `f32` | a number and `vmov` |
//! | other `f64` | an address and `vldr` |
//!
//! What an instruction can carry itself ([`ModImm`]) is not made. What loops use is made before them
//! ([`ice_codegen::constant_hoisting`]): [`Arm32::name_costly_constants`] follows the rules of lowering.

use super::compare::carried;
use super::int::{alu, alu_immediate, low_bits};
use super::{float_size, is_extension};
use crate::inst::{Amode, Base, Inst, Src, is_one_word};
use crate::target::{Arm32, Cx};
use ice_asm::ConstantSize;
use ice_asm::arm32::{FloatImm, ModImm};
use ice_codegen::Words as _;
use ice_codegen::extension::word;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::rules::fixed_alloca;
use ice_codegen::{CodeSymbol, Constant, ValueRegs, division};
use ice_ir::{BinaryOp, Function, InstData, Intrinsic, Symbol, Type, Value, ValueDef};

/// The symbol whose address `value` is.
fn address_of(func: &Function, value: Value) -> Option<Symbol> {
    match func.value_def(value) {
        ValueDef::Function(f) => Some(Symbol::Function(f)),
        ValueDef::Global(g) => Some(Symbol::Global(g)),
        _ => None,
    }
}

/// The floating-point constant `value` as one that `vmov` carries.
fn float_imm(ty: Type, bits: u64) -> Option<FloatImm> {
    match ty {
        Type::F32 => FloatImm::from_f32(bits as u32),
        _ => FloatImm::from_f64(bits),
    }
}

/// The instructions that a number takes.
fn cost(number: u32) -> u32 {
    if is_one_word(number) { 1 } else { 2 }
}

impl Arm32 {
    /// A value that has no register yet, put into fresh ones. Writes no flags.
    pub(crate) fn materialize_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        let ty = cx.func.value_type(value);
        let regs = cx.fresh_constant_regs(value);
        let dst = regs.lo();
        if let Some(object) = cx.frame_object(value) {
            cx.sink.push(Inst::Lea { dst, mem: Amode::new(Base::Object(object), 0) });
            return regs;
        }
        if let Some(number) = word(cx.func, value) {
            self.mov_number(cx, dst, number);
        } else if let ValueDef::Int(number) = cx.func.value_def(value) {
            for (n, dst) in regs.iter().enumerate() {
                self.mov_number(cx, dst, (number >> (32 * n)) as u32);
            }
        } else if is_extension(ty) {
            let size = float_size(ty);
            match cx.held(Constant::Value(value)) {
                Some(src) => cx.sink.push(Inst::MovFloat { size, dst, src }),
                None => self.float_constant(cx, value, dst),
            }
        } else if let Some(of) = address_of(cx.func, value) {
            match cx.held(Constant::Value(value)) {
                Some(src) => cx.sink.push(Inst::Mov { dst, src }),
                None => self.symbol_address(cx, of, 0, dst),
            }
        } else {
            for dst in regs.iter() {
                cx.sink.push(Inst::MovImm { dst, imm: 0 });
            }
        }
        regs
    }

    /// The register of a constant that a loop holds, or that is kept: made now, if nothing before has.
    pub(crate) fn register_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<VReg> {
        let is_address = address_of(cx.func, value).is_some();
        self.kept_constant(cx, value, is_address)
    }

    /// Makes a constant that a loop holds.
    pub(crate) fn make_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, constant: Constant, dst: VReg) {
        match constant {
            Constant::Word(imm) => cx.sink.push(Inst::MovImm { dst, imm }),
            Constant::Wide(_) => cx.fault("a number of 64 bits is held in a register of 32"),
            Constant::Value(value) if let Some(object) = cx.frame_object(value) => {
                cx.sink.push(Inst::Lea { dst, mem: Amode::new(Base::Object(object), 0) });
            }
            Constant::Value(value) => match address_of(cx.func, value) {
                Some(of) => self.symbol_address(cx, of, 0, dst),
                None => self.float_constant(cx, value, dst),
            },
        }
    }

    /// A floating-point constant, or zeros.
    fn float_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, dst: VReg) {
        let ty = cx.func.value_type(value);
        let size = float_size(ty);
        let ValueDef::Float(bits) = cx.func.value_def(value) else {
            return cx.sink.push(Inst::ZeroFloat { size, dst });
        };
        let inst = match float_imm(ty, bits) {
            Some(imm) => Inst::FloatImm { size, dst, imm },
            None if ty == Type::F32 => Inst::SingleBits { dst, bits: bits as u32 },
            None if bits == 0 => Inst::ZeroFloat { size, dst },
            None => {
                let constant = cx.constant(ConstantSize::C8, bits.into());
                Inst::LoadConstant { size, dst, symbol: CodeSymbol::Constant(constant).pack() }
            }
        };
        cx.sink.push(inst);
    }

    /// `dst = number`.
    pub(super) fn mov_number<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, imm: u32) {
        let inst = match cx.held(Constant::Word(imm)) {
            Some(src) => Inst::Mov { dst, src },
            None => Inst::MovImm { dst, imm },
        };
        cx.sink.push(inst);
    }

    /// A number as a flexible operand: an immediate where it can be encoded.
    pub(crate) fn number<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, number: u32) -> Src {
        match ModImm::new(number) {
            Some(imm) => Src::Imm(imm),
            None => Src::Reg(self.number_reg(cx, number)),
        }
    }

    /// The constants that the rule for `inst` puts in registers, and the instructions that they take.
    pub(crate) fn name_costly_constants(
        self,
        func: &Function,
        inst: ice_ir::Inst,
        visit: &mut dyn FnMut(Constant, u32),
    ) {
        let is_object = |inst| fixed_alloca::<Self>(func, inst).is_some();
        match *func.inst(inst) {
            InstData::Binary { op, args } => {
                let b = args[1];
                if let Some(n) = word(func, b) {
                    let is_easy = |op| alu_immediate(op, n).is_some() || low_bits(op, n).is_some();
                    let op_imm = alu(op).map(is_easy);
                    match op {
                        BinaryOp::Mul if super::int::product(n).is_none() => {
                            visit(Constant::Word(n), cost(n))
                        }
                        _ if op.is_division() => {
                            for n in division::numbers(op, func.value_type(b), func.int_value(b).unwrap_or(0))
                            {
                                visit(Constant::Word(n), cost(n));
                            }
                        }
                        _ if op_imm == Some(false) => visit(Constant::Word(n), cost(n)),
                        _ => {}
                    }
                } else if op == BinaryOp::Add {
                    // The object of the frame that an array is.
                    for arg in args {
                        if func.defining_inst(arg).is_some_and(is_object) {
                            visit(Constant::Value(arg), 1);
                        }
                    }
                }
            }
            InstData::Icmp { cond, args: [_, b] } => {
                if let Some(n) = word(func, b).map(|n| carried(cond, n, func.value_type(b)).1)
                    && ModImm::new(n).is_none()
                    && ModImm::new(n.wrapping_neg()).is_none()
                {
                    visit(Constant::Word(n), cost(n));
                }
            }
            InstData::Store { value, .. } => {
                if let Some(n) = word(func, value) {
                    visit(Constant::Word(n), cost(n));
                }
            }
            // The address of a thread-local variable is one a thread, and only named here.
            InstData::Phi { .. } | InstData::CallIntrinsic { op: Intrinsic::ThreadLocalAddress, .. } => {
                return;
            }
            _ => {}
        }
        // A function that is called is named as well.
        let called = match *func.inst(inst) {
            InstData::CallAs { args, .. } => func.args(args).first().copied(),
            _ => None,
        };
        func.for_each_operand(inst, |value| match func.value_def(value) {
            ValueDef::Function(_) if called == Some(value) => {}
            ValueDef::Global(_) | ValueDef::Function(_) => visit(Constant::Value(value), 2),
            ValueDef::Float(bits) => {
                let ty = func.value_type(value);
                visit(Constant::Value(value), if float_imm(ty, bits).is_some() || bits == 0 { 1 } else { 3 });
            }
            _ => {}
        });
    }
}
