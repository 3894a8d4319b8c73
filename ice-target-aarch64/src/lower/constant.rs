//! Constants in registers: how each is made, and which are worth a register through a loop.
//!
//! | constant | instructions |
//! |---|---|
//! | number | one `mov`, else `movz` or `movn` and `movk` |
//! | address | `adrp` and `add`, or a load from the linker's table |
//! | float or vector of zeros | `movi` |
//! | float of few bits | `fmov` |
//! | vector with one number in all lanes that takes an instruction | `movi`, `mvni`, `fmov` |
//! | other float | a number in a general register and `fmov` |
//! | other vector | `adrp` and a load |
//!
//! What an instruction can carry itself ([`immediate`](super::immediate)) is not made. What loops use is made before them
//! ([`ice_codegen::constant_hoisting`]): [`Aarch64::name_costly_constants`] follows the rules of lowering.

use super::compare::carried;
use super::divide::wide_numbers;
use super::int::alu;
use super::{float_width, immediate, number_of, width};
use crate::address::symbol_of;
use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::ConstantSize;
use ice_asm::aarch64::{Alu, FloatImm, FloatWidth, Width, number_len};
use ice_codegen::division;
use ice_codegen::lanes::constant_vector;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{CodeSymbol, Constant, ValueRegs};
use ice_ir::{BinaryOp, Function, InstData, Intrinsic, Type, Value, ValueDef};

impl Aarch64 {
    /// A value that has no register yet, put into a fresh one.
    pub(crate) fn materialize_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        let ty = cx.func.value_type(value);
        let regs = cx.fresh_constant_regs(value);
        let dst = regs.lo();
        if let Some(imm) = number_of(cx.func, value) {
            let width = width(ty);
            let held = cx.held(number_constant(width, imm));
            cx.sink.push(match held {
                Some(src) => Inst::Mov { width, dst, src },
                None => Inst::MovImm { width, dst, imm },
            });
        } else if let Some(object) = cx.frame_object(value) {
            cx.sink.push(Inst::Lea { dst, mem: Amode::new(Base::Object(object), 0) });
        } else if let Some(src) = cx.held(Constant::Value(value)) {
            cx.sink.push(match crate::abi::is_vector(ty) {
                true => Inst::MovFloat { width: float_width(ty), dst, src },
                false => Inst::Mov { width: Width::X, dst, src },
            });
        } else if let Some(of) = symbol_of(cx.func, value) {
            self.symbol_address(cx, of.into(), dst);
        } else if ty.is_scalar_float() {
            self.float_constant(cx, value, dst);
        } else if ty.is_vector() {
            let bits = constant_vector(cx.func, value).unwrap_or(0);
            self.vector_constant(cx, bits, dst);
        } else {
            // It is undefined.
            cx.sink.push(Inst::MovImm { width: width(ty), dst, imm: 0 });
        }
        regs
    }

    /// The register of a constant that a loop holds, or that is kept: made now, if nothing before has.
    pub(crate) fn register_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<VReg> {
        let number = number_of(cx.func, value);
        let width = width(cx.func.value_type(value));
        let constant = number.map_or(Constant::Value(value), |number| number_constant(width, number));
        if let Some(reg) = cx.held(constant) {
            return Some(reg);
        }
        let is_kept = match number {
            Some(number) => number_len(width, number) > 1,
            None => symbol_of(cx.func, value).is_some(),
        };
        is_kept.then(|| {
            let reg = self.wide_temp(cx, width);
            self.make_held(cx, constant, reg);
            cx.keep(constant, reg);
            reg
        })
    }

    /// Makes a constant that a loop holds.
    pub(crate) fn make_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, constant: Constant, dst: VReg) {
        let value = match constant {
            Constant::Word(imm) => {
                return cx.sink.push(Inst::MovImm { width: Width::W, dst, imm: imm.into() });
            }
            Constant::Wide(imm) => return cx.sink.push(Inst::MovImm { width: Width::X, dst, imm }),
            Constant::Value(value) => value,
        };
        if let Some(object) = cx.frame_object(value) {
            cx.sink.push(Inst::Lea { dst, mem: Amode::new(Base::Object(object), 0) });
        } else if let Some(of) = symbol_of(cx.func, value) {
            self.symbol_address(cx, of.into(), dst);
        } else {
            self.float_constant(cx, value, dst);
        }
    }

    /// A floating-point constant, or zero.
    fn float_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, dst: VReg) {
        let bits = match cx.func.value_def(value) {
            ValueDef::Float(bits) => bits,
            _ => 0,
        };
        self.float_bits(cx, float_width(cx.func.value_type(value)), bits, dst);
    }

    /// A number of these bits.
    fn float_bits<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, of: FloatWidth, bits: u64, dst: VReg) {
        let (imm, width) = match of {
            FloatWidth::S => (FloatImm::from_f32(bits as u32), Width::W),
            _ => (FloatImm::from_f64(bits), Width::X),
        };
        match imm {
            _ if bits == 0 => cx.sink.push(Inst::FloatZero { width: of, dst }),
            Some(imm) => cx.sink.push(Inst::FloatNumber { width: of, dst, imm }),
            None if number_len(width, bits) > 2 => {
                let mem = self.constant_memory(cx, ConstantSize::C8, bits.into());
                cx.sink.push(Inst::LoadFloat { width: of, dst, mem });
            }
            None => {
                let src = self.wide_temp(cx, width);
                cx.sink.push(Inst::MovImm { width, dst: src, imm: bits });
                cx.sink.push(Inst::ToFloat { width: of, dst, src: Src::Reg(src) });
            }
        }
    }

    /// A constant in memory.
    pub(super) fn constant_memory<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: ConstantSize,
        bits: u128,
    ) -> Amode {
        let symbol = CodeSymbol::Constant(cx.constant(size, bits)).pack();
        let dst = self.address_temp(cx);
        cx.sink.push(Inst::Page { dst, symbol, addend: 0 });
        Amode::new(Base::Page(dst, symbol), 0)
    }

    /// The constants that the rule for `inst` puts in registers, and the instructions that they take.
    pub(crate) fn name_costly_constants(
        self,
        func: &Function,
        inst: ice_ir::Inst,
        visit: &mut dyn FnMut(Constant, u32),
    ) {
        let mut number = |value: Value, n: u64| {
            if n != 0 {
                let width = width(func.value_type(value));
                visit(number_constant(width, n), number_len(width, n));
            }
        };
        let mut called = None;
        match *func.inst(inst) {
            InstData::Binary { op, args: [_, b] } if op.is_division() => {
                let (ty, n) = (func.value_type(b), func.int_value(b).unwrap_or(0));
                match ty {
                    Type::I64 => {
                        wide_numbers(op, n).for_each(|n| visit(Constant::Wide(n), number_len(Width::X, n)))
                    }
                    _ => division::numbers(op, ty, n).for_each(|n| number(b, n.into())),
                }
            }
            InstData::Binary { op, args: [a, b] } => {
                let ty = func.value_type(b);
                // What is shifted, or subtracted from.
                if matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr | BinaryOp::Sub)
                    && let Some(n) = number_of(func, a)
                {
                    number(a, n);
                }
                if let Some(n) = number_of(func, b) {
                    let is_made = match (alu(op), op) {
                        (Some(op), _) => !Aarch64::carries(op, ty, signed_if(op, func, b).unwrap_or(n)),
                        (None, BinaryOp::Mul) => super::int::product(n).is_none(),
                        _ => false,
                    };
                    if is_made {
                        number(b, n);
                    }
                }
            }
            InstData::Icmp { cond, args: [_, b] } => {
                let ty = func.value_type(b);
                if let Some(n) = number_of(func, b)
                    && immediate(Alu::Sub, width(ty), carried(cond, n, ty).1).is_none()
                {
                    number(b, n);
                }
            }
            InstData::Store { value, .. } => {
                if let Some(n) = number_of(func, value) {
                    number(value, n);
                }
            }
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
            ValueDef::Float(bits) if bits != 0 => visit(Constant::Value(value), 2),
            _ => {}
        });
    }
}

/// A number in a register.
pub(super) fn number_constant(width: Width, number: u64) -> Constant {
    match width {
        Width::W => Constant::Word(number as u32),
        Width::X => Constant::Wide(number),
    }
}

/// The number of a term with its sign above it.
fn signed_if(op: Alu, func: &Function, value: Value) -> Option<u64> {
    match op {
        Alu::Add | Alu::Sub => func.int_value(value).map(|number| number as u64),
        _ => None,
    }
}
