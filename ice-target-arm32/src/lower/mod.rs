//! Lowering rules: one file a kind of instruction, this one chooses the rule and holds the helpers.
//!
//! Representation of values: an `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a
//! register holds anything. Every rule keeps this and may rely on it.

mod atomic;
mod call;
mod compare;
mod constant;
mod control;
mod divide;
mod extension;
mod float;
mod fold;
mod int;
mod intrinsic;
mod lanes;
mod memory;
mod pair64;
#[cfg(test)]
mod tests;
mod variadic;
mod vector;

use self::constant::word;
use self::extension::is_zero_extended;
pub(crate) use crate::abi::is_extension;
use crate::inst::{FloatSize, Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Extend, Flags, ModImm, Move};
use ice_codegen::mach::{FrameInfo, Sink, VReg};
pub(crate) use ice_codegen::magic::Signedness;
use ice_codegen::{ErrorKind, ValueRegs};
use ice_ir::{CastOp, Function, InstData, Intrinsic, Module, Type, Value, ValueDef};

/// Largest alignment that the frame gives without moving the stack pointer.
const STACK_ALIGN_LOG2: u8 = crate::abi::STACK_ALIGN.trailing_zeros() as u8;

/// The size of an alloca that becomes a fixed object of the frame: constant, in the entry block, of no
/// more than the alignment of the stack.
fn fixed_alloca(func: &Function, inst: ice_ir::Inst) -> Option<(u32, u8)> {
    let &InstData::Alloca { size, align_log2 } = func.inst(inst) else { return None };
    let in_entry = func.layout.block_of(inst) == func.layout.entry();
    let size = func.int_value(size).filter(|_| in_entry && align_log2 <= STACK_ALIGN_LOG2)?;
    Some((size as u32, align_log2))
}

/// Whether the instruction of a block is another alloca.
fn is_dynamic_alloca(func: &Function, inst: ice_ir::Inst) -> bool {
    func.layout.block_of(inst).is_some() && fixed_alloca(func, inst).is_none()
}

/// Learns before lowering what the frame must look like.
pub(crate) fn prepare(module: &Module, func: &Function, frame: &mut FrameInfo) {
    frame.needs_frame_pointer = module.functions[func.id].traits.frame_pointer;
    // Not in the order of the layout: that takes longer.
    for (inst, data) in func.insts() {
        match data {
            InstData::Alloca { .. } if is_dynamic_alloca(func, inst) => frame.has_dynamic_alloca = true,
            InstData::CallIntrinsic { op: Intrinsic::Stackrestore | Intrinsic::Stacksave, .. } => {
                frame.has_dynamic_alloca = true;
            }
            InstData::CallIntrinsic { op: Intrinsic::Setjmp, .. } => frame.returns_twice = true,
            InstData::CallIntrinsic { op: Intrinsic::FrameAddress | Intrinsic::ReturnAddress, .. } => {
                frame.needs_frame_pointer = true;
            }
            &InstData::Call { callee, .. } if module.functions[callee].traits.returns_twice => {
                frame.returns_twice = true;
            }
            &InstData::CallAs { args, .. } => {
                let callee = func.args(args).first().map(|&callee| func.value_def(callee));
                if let Some(ValueDef::Function(callee)) = callee {
                    frame.returns_twice |= module.functions[callee].traits.returns_twice;
                }
            }
            _ => {}
        }
    }
}

/// The size of a floating-point or vector type.
fn float_size(ty: Type) -> FloatSize {
    match ty {
        Type::F32 => FloatSize::Single,
        Type::F64 => FloatSize::Double,
        _ => FloatSize::Quad,
    }
}

impl Arm32 {
    /// Chooses the rule for an instruction.
    pub(crate) fn lower_inst<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        match *cx.func.inst(inst) {
            InstData::Binary { op, args } => {
                let result = cx.result(inst);
                let ty = cx.func.value_type(result);
                if ty.is_vector() {
                    return self.vector_binary(cx, op, args, result);
                }
                if op.is_float() {
                    self.float_binary(cx, op, args, result);
                } else if ty == Type::I64 {
                    self.pair_binary(cx, op, args, result);
                } else {
                    self.int_binary(cx, op, args, result);
                }
            }
            InstData::Cast { op, arg } => {
                let result = cx.result(inst);
                let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
                match op {
                    _ if from.is_vector() || to.is_vector() => return self.vector_cast(cx, op, arg, result),
                    CastOp::Trunc | CastOp::Zext | CastOp::Sext => self.int_cast(cx, op, arg, result),
                    _ => self.float_cast(cx, op, arg, result),
                }
            }
            InstData::Icmp { args, .. } | InstData::Fcmp { args, .. } => {
                let result = cx.result(inst);
                if cx.func.value_type(args[0]).is_vector() {
                    return self.vector_compare(cx, inst, result);
                }
                self.compare_value(cx, inst, result);
            }
            InstData::Select { cond, if_true, if_false } => {
                let result = cx.result(inst);
                if cx.func.value_type(cond).is_vector() {
                    return self.vector_select(cx, [cond, if_true, if_false], result);
                }
                self.select(cx, cond, if_true, if_false, result);
            }
            InstData::ExtractElement { vector, index } => {
                let result = cx.result(inst);
                return self.extract_element(cx, vector, index, result);
            }
            InstData::InsertElement { vector, element, index } => {
                let result = cx.result(inst);
                return self.insert_element(cx, inst, [vector, element, index], result);
            }
            InstData::Alloca { size, align_log2 } => return self.alloca(cx, inst, size, align_log2),
            InstData::Load { address, align_log2 } => {
                let result = cx.result(inst);
                self.load(cx, address, align_log2, result);
            }
            InstData::Store { address, value, align_log2 } => self.store(cx, address, align_log2, value),
            InstData::Call { callee, args, .. } => return self.call_function(cx, inst, callee, args),
            InstData::CallIndirect { callee, args, .. } => return self.call_address(cx, inst, callee, args),
            InstData::CallIntrinsic { op, args, .. } => return self.intrinsic(cx, inst, op, args),
            InstData::CallAs { signature, args, .. } => return self.call_as(cx, inst, signature, args),
            // The call has defined it.
            InstData::SecondResult { .. } => {}
            InstData::Phi { .. }
            | InstData::Br { .. }
            | InstData::CondBr { .. }
            | InstData::Switch { .. }
            | InstData::Ret { .. }
            | InstData::RetPair { .. }
            | InstData::Unreachable => return Err(ErrorKind::Unsupported("a terminator inside a block")),
        }
        Ok(())
    }

    // ---- operands

    /// The registers of a value; constants and what was folded but is needed are made here.
    #[inline]
    pub(crate) fn regs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        match cx.plain_regs(value) {
            Some(regs) => regs,
            None => self.special_regs(cx, value),
        }
    }

    /// The same for a value that is not in registers yet.
    #[inline(never)]
    fn special_regs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        if cx.is_constant(value) {
            return self.materialize_constant(cx, value);
        }
        if let Some(inst) = cx.folded(value) {
            self.unfold(cx, inst);
        }
        cx.regs(value)
    }

    #[inline(never)]
    fn unfold<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) {
        cx.unfold(inst);
        // What is folded is arithmetic, a comparison or a load: none of them can fail.
        if self.lower_inst(cx, inst).is_err() {
            cx.fault("what was folded into it cannot be lowered");
        }
    }

    /// The only register of a value, which must not be written; constants are made or held.
    #[inline]
    pub(crate) fn reg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> VReg {
        match cx.plain_regs(value) {
            Some(regs) => regs.lo(),
            None => self.special_reg(cx, value),
        }
    }

    /// The same for a value that is not in a register yet.
    #[inline(never)]
    fn special_reg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> VReg {
        if cx.is_constant(value)
            && let Some(reg) = self.held_constant(cx, value)
        {
            return reg;
        }
        self.special_regs(cx, value).lo()
    }

    /// A value of up to 32 bits as a flexible operand.
    #[inline]
    pub(crate) fn src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match cx.plain_regs(value) {
            Some(regs) => Src::Reg(regs.lo()),
            None => self.special_src(cx, value),
        }
    }

    /// The same for a value that is not in a register yet.
    #[inline(never)]
    fn special_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match cx.func.value_def(value) {
            ValueDef::Int(n) if cx.func.value_type(value) == Type::I1 => self.number(cx, (n & 1) as u32),
            ValueDef::Int(n) => self.number(cx, n as u32),
            ValueDef::Undef => self.number(cx, 0),
            _ => match self.folded_shift(cx, value) {
                Some(src) => src,
                None => Src::Reg(self.reg(cx, value)),
            },
        }
    }

    /// The low and high half of a pair as flexible operands.
    pub(crate) fn pair_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> [Src; 2] {
        match cx.func.value_def(value) {
            ValueDef::Int(n) => [self.number(cx, n as u32), self.number(cx, (n >> 32) as u32)],
            ValueDef::Undef => [self.number(cx, 0), self.number(cx, 0)],
            _ => {
                let regs = self.regs(cx, value);
                [Src::Reg(regs.lo()), Src::Reg(regs.hi())]
            }
        }
    }

    /// A fresh core register.
    pub(crate) fn temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        cx.temp(Type::I32).lo()
    }

    /// Moves a flexible operand into `dst`.
    pub(crate) fn mov<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: Src) {
        cx.sink.push(match src {
            Src::Reg(src) => Inst::Mov { dst, src },
            Src::Imm(imm) => Inst::MovImm { dst, imm: imm.value() },
            _ => Inst::MovSrc { op: Move::Mov, flags: Flags::Keep, dst, src },
        });
    }

    /// Moves a value of any type into `dst`, registers of the same layout.
    pub(crate) fn move_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, value: Value) {
        let ty = cx.func.value_type(value);
        if is_extension(ty) {
            let src = self.reg(cx, value);
            return cx.sink.push(Inst::MovFloat { size: float_size(ty), dst: dst.lo(), src });
        }
        if let Some(number) = word(cx.func, value) {
            return self.mov_number(cx, dst.lo(), number);
        }
        if let Some(number) = cx.func.int_value(value) {
            for (n, dst) in dst.iter().enumerate() {
                self.mov_number(cx, dst, (number >> (32 * n)) as u32);
            }
            return;
        }
        let src = self.regs(cx, value);
        for (dst, src) in dst.iter().zip(src.iter()) {
            cx.sink.push(Inst::Mov { dst, src });
        }
    }

    /// An integer value of up to 32 bits, zero-extended, or sign-extended for a signed operation.
    pub(crate) fn extended<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, sign: Signedness, value: Value) -> VReg {
        let ty = cx.func.value_type(value);
        if let Some(number) = cx.func.int_value(value) {
            let number = match sign {
                Signedness::Unsigned => (number as u64 & ty.int_mask()) as i64,
                Signedness::Signed => number,
            };
            return self.number_reg(cx, number as u32);
        }
        let src = self.reg(cx, value);
        if ty == Type::I32 || sign == Signedness::Unsigned && is_zero_extended(cx.func, value) {
            return src;
        }
        let dst = self.temp(cx);
        self.extend(cx, sign, ty, dst, src);
        dst
    }

    /// `dst` = the value of type `ty` in `src`, extended to 32 bits.
    pub(crate) fn extend<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        ty: Type,
        dst: VReg,
        src: VReg,
    ) {
        let op = match (ty, sign) {
            (Type::I8, Signedness::Unsigned) => Extend::Uxtb,
            (Type::I8, Signedness::Signed) => Extend::Sxtb,
            (Type::I16, Signedness::Unsigned) => Extend::Uxth,
            (Type::I16, Signedness::Signed) => Extend::Sxth,
            (Type::I1, Signedness::Signed) => {
                // 0 or 1 becomes 0 or -1.
                let (op, flags) = (ice_asm::arm32::Alu::Rsb, Flags::Keep);
                return cx.sink.push(Inst::Alu { op, flags, dst, lhs: src, rhs: Src::Imm(ModImm::small(0)) });
            }
            _ => return cx.sink.push(Inst::Mov { dst, src }),
        };
        cx.sink.push(Inst::Extend { op, dst, src });
    }
}
