//! Rotations: a value shifted to the left, together with itself shifted to the right by the rest of its width.
//!
//! A narrow number is rotated by a constant only, and nothing above it comes down.
//!
//! | shifts of x, of w bits | joined by | becomes |
//! |---|---|---|
//! | `shl x, n` and `lshr x, w - n`, n from 1 to w - 1 | or, add, xor | `rol`; of pairs two `shld` |
//! | `shl x, n & (w - 1)` and `lshr x, -n & (w - 1)`, or `shl x, n` and `lshr x, w - n` | or | `rol` by cl |
//! | `shl x, -n & (w - 1)` and `lshr x, n & (w - 1)`, or `shl x, w - n` and `lshr x, n` | or | `ror` by cl |
//!
//! The shifts and what is subtracted from have one use each, in the block of what joins them. By a variable 0 the
//! value meets itself, for a shift by w is one by 0: only `or` leaves it alone.

use super::int::shift;
use crate::inst::{Amount, Compare, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Cond, DoubleShift, Shift, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Operands as _, ValueRegs};
use ice_ir::{BinaryOp, Function, InstData, Type, Value};

/// What a rotation is by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    Number(u8),
    Variable(Value),
}

/// A value rotated to the left or to the right.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    value: Value,
    op: Shift,
    by: By,
}

/// The operator and operands of a shift.
fn shift_of(func: &Function, value: Value) -> Option<(Shift, [Value; 2])> {
    match *func.inst(func.defining_inst(value)?) {
        InstData::Binary { op, args } => Some((shift(op)?, args)),
        _ => None,
    }
}

/// What is masked to be the amount of a shift of `bits` bits.
fn masked(func: &Function, amount: Value, bits: u32) -> Option<Value> {
    match *func.inst(func.defining_inst(amount)?) {
        InstData::Binary { op: BinaryOp::And, args: [n, mask] } => {
            (func.int_value(mask) == Some(i64::from(bits) - 1)).then_some(n)
        }
        _ => None,
    }
}

/// Whether `value` is `number - n`.
fn is_difference(func: &Function, value: Value, number: u32, n: Value) -> bool {
    func.defining_inst(value).is_some_and(|inst| {
        matches!(*func.inst(inst), InstData::Binary { op: BinaryOp::Sub, args: [from, m] }
            if m == n && func.int_value(from) == Some(number.into()))
    })
}

/// The rotation that `a op b` is.
fn rotation_of(func: &Function, op: BinaryOp, args: [Value; 2]) -> Option<Rotation> {
    if !matches!(op, BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor) {
        return None;
    }
    let [a, b] = [shift_of(func, args[0])?, shift_of(func, args[1])?];
    let ([value, left], [same, right]) = match (a, b) {
        ((Shift::Shl, left), (Shift::Shr, right)) | ((Shift::Shr, right), (Shift::Shl, left)) => {
            (left, right)
        }
        _ => return None,
    };
    let ty = func.value_type(value);
    let is_narrow = matches!(ty, Type::I8 | Type::I16);
    if value != same || !is_narrow && !matches!(ty, Type::I32 | Type::I64) {
        return None;
    }
    let bits = ty.bits();
    if let (Some(left), Some(right)) = (func.int_value(left), func.int_value(right)) {
        let is_rest = left > 0 && right > 0 && left + right == i64::from(bits);
        return is_rest.then_some(Rotation { value, op: Shift::Rol, by: By::Number(left as u8) });
    }
    if op != BinaryOp::Or || is_narrow {
        return None;
    }
    let opposite = |[left, right]: [Value; 2], whole| {
        let rotation = |op, by| Some(Rotation { value, op, by: By::Variable(by) });
        if is_difference(func, right, whole, left) {
            rotation(Shift::Rol, left)
        } else if is_difference(func, left, whole, right) {
            rotation(Shift::Ror, right)
        } else {
            None
        }
    };
    opposite([left, right], bits)
        .or_else(|| opposite([masked(func, left, bits)?, masked(func, right, bits)?], 0))
}

impl X86 {
    /// Whether `def` is one of the two shifts that `user` joins to a rotation; both are only for that.
    pub(super) fn folds_into_rotation<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let &InstData::Binary { op, args } = cx.func.inst(user) else { return false };
        let Some(result) = cx.func.result(def) else { return false };
        shift_of(cx.func, result).is_some()
            && rotation_of(cx.func, op, args).is_some()
            && args.into_iter().all(|arg| {
                let shift = cx.func.defining_inst(arg);
                shift.is_some_and(|shift| cx.uses.only_user_in_block(cx.func, shift, arg) == Some(user))
            })
    }

    /// Whether `def` is what is left of the amount of a rotation, for `user`, one of its shifts or the mask of one.
    pub(super) fn is_amount_of_rotation<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let next = |inst| cx.uses.only_user_in_block(cx.func, inst, cx.func.result(inst)?);
        let (InstData::Binary { op: BinaryOp::Sub, args }, InstData::Binary { op, .. }) =
            (cx.func.inst(def), cx.func.inst(user))
        else {
            return false;
        };
        let bits = cx.func.value_type(args[0]).bits();
        let (whole, shift) = match op {
            BinaryOp::And => (0, next(user)),
            _ => (i64::from(bits), shift(*op).map(|_| user)),
        };
        cx.func.int_value(args[0]) == Some(whole)
            && shift.is_some_and(|shift| {
                next(shift).is_some_and(|join| self.folds_into_rotation(cx, shift, join))
            })
    }

    /// The rotation that `a op b` is, if its shifts were folded into it.
    pub(super) fn folded_rotation<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
    ) -> Option<Rotation> {
        let is_folded = args.into_iter().all(|arg| cx.folded(arg).is_some());
        if is_folded { rotation_of(cx.func, op, args) } else { None }
    }

    /// A rotation of what is in one register.
    pub(super) fn rotate<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        rotation: Rotation,
        width: Width,
        dst: VReg,
    ) {
        let Rotation { value, op, by } = rotation;
        let amount = match by {
            By::Number(n) => Amount::Imm(n),
            By::Variable(n) => Amount::Cl(self.reg(cx, n)),
        };
        let src = self.src(cx, value);
        self.mov(cx, width, dst, src);
        let width = self.width(cx.func.value_type(value));
        cx.sink.push(Inst::Shift { op, width, dst, amount });
    }

    /// A rotation of a pair by a variable: the halves change places where it is by a word or more.
    fn rotate_pair_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, value, amount): (Shift, Value, Value),
        dst: ValueRegs,
    ) {
        let width = Width::B32;
        let [amount, _] = self.pair_src(cx, amount);
        let count = self.part_reg(cx, amount);
        let regs = self.regs(cx, value);
        let halves = cx.temp(Type::I64);
        for (dst, src) in halves.iter().zip(regs.iter()) {
            self.mov(cx, width, dst, Src::Reg(src));
        }
        cx.sink.push(Inst::Compare { op: Compare::Test, width, lhs: count, rhs: Src::Imm(32) });
        for (dst, src) in [(halves.lo(), regs.hi()), (halves.hi(), regs.lo())] {
            cx.sink.push(Inst::Cmov { cond: Cond::Ne, width, dst, src });
        }
        let op = if op == Shift::Rol { DoubleShift::Shld } else { DoubleShift::Shrd };
        for (dst, src, from) in [(dst.lo(), halves.lo(), halves.hi()), (dst.hi(), halves.hi(), halves.lo())] {
            self.mov(cx, width, dst, Src::Reg(src));
            cx.sink.push(Inst::DoubleShift { op, width, dst, src: from, amount: Amount::Cl(count) });
        }
    }

    /// A rotation of a pair: each half takes bits from what the other was.
    pub(super) fn rotate_pair<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, rotation: Rotation, dst: ValueRegs) {
        let left = match rotation.by {
            By::Number(left) => left,
            By::Variable(amount) => {
                return self.rotate_pair_by(cx, (rotation.op, rotation.value, amount), dst);
            }
        };
        let regs = self.regs(cx, rotation.value);
        let [low, high] = if left < 32 { [regs.lo(), regs.hi()] } else { [regs.hi(), regs.lo()] };
        let width = Width::B32;
        for (dst, src, from) in [(dst.lo(), low, high), (dst.hi(), high, low)] {
            self.mov(cx, width, dst, Src::Reg(src));
            if left % 32 != 0 {
                let (op, amount) = (DoubleShift::Shld, Amount::Imm(left % 32));
                cx.sink.push(Inst::DoubleShift { op, width, dst, src: from, amount });
            }
        }
    }
}
