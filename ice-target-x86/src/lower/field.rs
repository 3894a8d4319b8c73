//! Bit fields that are scaled: what is shifted down, masked and shifted up again is shifted once, by the difference.
//!
//! | value | becomes |
//! |---|---|
//! | `((x >> k) & mask) << n`, `n` from 4 on | `(x >> k - n) & mask << n`, or `x << n - k` where `n` is above `k` |
//! | the same with an extension to 64 bits before the last shift | the same, in 32 bits |
//!
//! So interpreters take operands from the words of their programs as offsets of registers. Shifts by up to 3 are scales of
//! addresses. The parts have one use each, in the block of the last shift, and the mask has to fit into 32 bits where it is then.

use crate::inst::{Amount, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Shift, Width};
use ice_codegen::Operands as _;
use ice_codegen::mach::{Sink, VReg};
use ice_ir::{BinaryOp, CastOp, Function, InstData, Type, Value};

/// A field of bits of `value`.
struct Field {
    value: Value,
    /// By how much it is shifted to the right, or, below zero, to the left.
    right: i64,
    /// Which bits of that are the field.
    mask: u32,
    /// The results that the last shift computes: the first shift, the field under its mask, and that extended if it is.
    parts: [Value; 3],
}

/// `x` and the number if `value` is `x op number`.
fn by_number(func: &Function, op: BinaryOp, value: Value) -> Option<(Value, i64)> {
    match *func.inst(func.defining_inst(value)?) {
        InstData::Binary { op: found, args: [x, number] } if found == op => {
            Some((x, func.int_value(number)?))
        }
        _ => None,
    }
}

/// The field that `scaled << amount` is.
fn field_of(func: &Function, [scaled, amount]: [Value; 2]) -> Option<Field> {
    let masked = match *func.inst(func.defining_inst(scaled)?) {
        InstData::Cast { op: CastOp::Zext, arg } => arg,
        _ => scaled,
    };
    let (down, mask) = by_number(func, BinaryOp::And, masked)?;
    let (value, right) = by_number(func, BinaryOp::Lshr, down)?;
    let ty = func.value_type(value);
    let up = func.int_value(amount)?;
    let bits = i64::from(ty.bits());
    let is_number = matches!(ty, Type::I32 | Type::I64) && !func.is_constant(value);
    if !is_number || !(1..bits).contains(&right) || !(4..bits).contains(&up) {
        return None;
    }
    let mask = mask as u64 & ty.int_mask() >> right;
    let mask = u32::try_from(mask << up & func.value_type(scaled).int_mask()).ok()?;
    Some(Field { value, right: right - up, mask, parts: [down, masked, scaled] })
}

impl X86 {
    /// Whether `def` is part of a field that is scaled, each part of it for that alone; `user` is the next part or the scaling.
    pub(super) fn folds_into_field<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let user_of = |value| cx.uses.only_user_in_block(cx.func, cx.func.defining_inst(value)?, value);
        let scaling = || {
            let mut last = user;
            // At most the mask and the extension stand in front of it.
            for _ in 0..2 {
                match cx.func.inst(last) {
                    InstData::Binary { op: BinaryOp::And, .. } | InstData::Cast { op: CastOp::Zext, .. } => {
                        last = user_of(cx.func.result(last)?)?;
                    }
                    _ => break,
                }
            }
            match *cx.func.inst(last) {
                InstData::Binary { op: BinaryOp::Shl, args } => Some(args),
                _ => None,
            }
        };
        let (Some(result), Some(args)) = (cx.func.result(def), scaling()) else { return false };
        !self.is_pair(cx.func.value_type(args[0]))
            && field_of(cx.func, args).is_some_and(|field| {
                field.parts.contains(&result) && field.parts.into_iter().all(|part| user_of(part).is_some())
            })
    }

    /// Computes `args[0] << args[1]`, if the parts of a field were folded into it.
    pub(super) fn scaled_field<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: [Value; 2], dst: VReg) -> bool {
        let field = field_of(cx.func, args);
        let Some(field) = field.filter(|f| f.parts.into_iter().all(|part| cx.folded(part).is_some())) else {
            return false;
        };
        let src = Src::Reg(self.reg(cx, field.value));
        let (op, width) = match field.right {
            // Bits from above come down.
            1.. => (Shift::Shr, self.arithmetic_width(cx.func.value_type(field.value))),
            _ => (Shift::Shl, Width::B32),
        };
        self.mov(cx, width, dst, src);
        if field.right != 0 {
            let amount = Amount::Imm(field.right.unsigned_abs() as u8);
            cx.sink.push(Inst::Shift { op, width, dst, amount });
        }
        let src = Src::Imm(field.mask as i32);
        cx.sink.push(Inst::Alu { op: Alu::And, width: Width::B32, dst, src });
        true
    }
}
