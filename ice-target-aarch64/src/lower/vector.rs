//! Vectors of 128 bits, with Advanced SIMD. Single lanes, constants and shuffles are in [`lanes`](super::lanes).
//!
//! A lane of an `i1` vector is as wide as that of the integer vector of the same lane count, and all ones or all zeros: what
//! comparisons give and select takes. `and`, `or` and `xor` keep that.
//!
//! | operation | is done by |
//! |---|---|
//! | arithmetic, logic | one instruction, of lanes of any width |
//! | product of lanes of 64 bits | products of their halves |
//! | shift by a vector | `ushl`, `sshl`: to the right by the negated amount |
//! | division and remainder of integers | general registers, one lane after the other |
//! | remainder of floats | the helper, one lane after the other |
//! | comparison | `cmeq` and its like, of floats one or two and perhaps the complement |
//! | select | one of the three merges, by what it may destroy |
//!
//! The comparisons of floats do not hold where one is NaN; so the unordered conditions are the opposites of ordered ones.

use super::lanes::lane;
use crate::inst::{Inst, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{
    Across, Cond, FloatWidth, Lane, Multiply, Permute, Select, Shift, Two, Vector2, Vector3, VectorFloat2,
    VectorFloat3, VectorLogic, VectorLong, VectorNarrow, VectorShift, Width,
};
use ice_codegen::lanes::{are_doublewords, are_signed_doublewords, constant_vector, is_zero, uniform_amount};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::{Part, Signedness, parts};
use ice_codegen::rules::VectorRule;
use ice_codegen::{ErrorKind, Libcall, NO_WIDE_REGISTERS, Operands as _, Words as _};
use ice_ir::{BinaryOp, CastOp, FloatCond, Function, IntCond, Intrinsic, Type, Uses, Value};

/// The instruction for an operator.
#[derive(Clone, Copy)]
enum Packed {
    Int(Vector3),
    Float(VectorFloat3),
    Logic(VectorLogic),
}

/// The instruction for an operator, where one instruction does it.
fn packed(op: BinaryOp, ty: Type) -> Option<Packed> {
    let is_number = !ty.is_bool_or_bool_vector();
    Some(match op {
        BinaryOp::And => Packed::Logic(VectorLogic::And),
        BinaryOp::Or => Packed::Logic(VectorLogic::Orr),
        BinaryOp::Xor => Packed::Logic(VectorLogic::Eor),
        BinaryOp::Add if is_number => Packed::Int(Vector3::Add),
        BinaryOp::Sub if is_number => Packed::Int(Vector3::Sub),
        BinaryOp::Mul if is_number && ty != Type::V2I64 => Packed::Int(Vector3::Mul),
        BinaryOp::Shl if is_number => Packed::Int(Vector3::Ushl),
        BinaryOp::Fadd => Packed::Float(VectorFloat3::Fadd),
        BinaryOp::Fsub => Packed::Float(VectorFloat3::Fsub),
        BinaryOp::Fmul => Packed::Float(VectorFloat3::Fmul),
        BinaryOp::Fdiv => Packed::Float(VectorFloat3::Fdiv),
        _ => return None,
    })
}

/// The instruction of a comparison of integers, and whether its operands are exchanged; `None` for "not equal".
fn int_test(cond: IntCond) -> Option<(Vector3, bool)> {
    Some(match cond {
        IntCond::Eq => (Vector3::Cmeq, false),
        IntCond::Ne => return None,
        IntCond::Ugt => (Vector3::Cmhi, false),
        IntCond::Uge => (Vector3::Cmhs, false),
        IntCond::Ult => (Vector3::Cmhi, true),
        IntCond::Ule => (Vector3::Cmhs, true),
        IntCond::Sgt => (Vector3::Cmgt, false),
        IntCond::Sge => (Vector3::Cmge, false),
        IntCond::Slt => (Vector3::Cmgt, true),
        IntCond::Sle => (Vector3::Cmge, true),
    })
}

/// The instruction of a comparison with zero, where there is one.
fn zero_test(cond: IntCond) -> Option<Vector2> {
    Some(match cond {
        IntCond::Eq => Vector2::Cmeq0,
        IntCond::Sgt => Vector2::Cmgt0,
        IntCond::Sge => Vector2::Cmge0,
        IntCond::Slt => Vector2::Cmlt0,
        IntCond::Sle => Vector2::Cmle0,
        _ => return None,
    })
}

/// What decides a comparison of floats.
#[derive(Clone, Copy)]
enum FloatTest {
    /// Nothing: this is the result.
    Known(bool),
    /// Both are equal.
    Equal,
    /// The first, or with `true` the second, is greater.
    Greater(bool),
    /// The first, or with `true` the second, is greater or equal.
    AtLeast(bool),
    /// One is greater.
    Different,
    /// None is NaN.
    Ordered,
}

/// What decides a comparison, and whether the result is its complement.
fn float_test(cond: FloatCond) -> (FloatTest, bool) {
    match cond {
        FloatCond::False => (FloatTest::Known(false), false),
        FloatCond::True => (FloatTest::Known(true), false),
        FloatCond::Ord => (FloatTest::Ordered, false),
        FloatCond::Uno => (FloatTest::Ordered, true),
        FloatCond::Oeq => (FloatTest::Equal, false),
        FloatCond::Une => (FloatTest::Equal, true),
        FloatCond::One => (FloatTest::Different, false),
        FloatCond::Ueq => (FloatTest::Different, true),
        FloatCond::Ogt => (FloatTest::Greater(false), false),
        FloatCond::Ule => (FloatTest::Greater(false), true),
        FloatCond::Oge => (FloatTest::AtLeast(false), false),
        FloatCond::Ult => (FloatTest::AtLeast(false), true),
        FloatCond::Olt => (FloatTest::Greater(true), false),
        FloatCond::Uge => (FloatTest::Greater(true), true),
        FloatCond::Ole => (FloatTest::AtLeast(true), false),
        FloatCond::Ugt => (FloatTest::AtLeast(true), true),
    }
}

/// The instruction of a comparison with zero, where there is one.
fn float_zero_test(test: FloatTest) -> Option<VectorFloat2> {
    Some(match test {
        FloatTest::Equal => VectorFloat2::Fcmeq0,
        FloatTest::Greater(false) => VectorFloat2::Fcmgt0,
        FloatTest::Greater(true) => VectorFloat2::Fcmlt0,
        FloatTest::AtLeast(false) => VectorFloat2::Fcmge0,
        FloatTest::AtLeast(true) => VectorFloat2::Fcmle0,
        FloatTest::Known(_) | FloatTest::Different | FloatTest::Ordered => return None,
    })
}

impl Aarch64 {
    /// Chooses the rule for an instruction on vectors.
    #[inline(never)]
    pub(crate) fn vector<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        rule: VectorRule,
    ) -> Result<(), ErrorKind> {
        match rule {
            VectorRule::Binary { op, args, result } => self.vector_binary(cx, op, args, result),
            VectorRule::Cast { op, arg, result } => self.vector_cast(cx, op, arg, result),
            VectorRule::IntCompare { cond, args, result } => {
                self.vector_icmp(cx, cond, args, result);
                Ok(())
            }
            VectorRule::FloatCompare { cond, args, result } => {
                self.vector_fcmp(cx, cond, args, result);
                Ok(())
            }
            VectorRule::Select { cond, values, result } => {
                self.vector_select(cx, cond, values, result);
                Ok(())
            }
            VectorRule::ExtractElement { vector, index, result } => {
                self.extract_element(cx, vector, index, result)
            }
            VectorRule::InsertElement { vector, element, index, result } => {
                self.insert_element(cx, inst, [vector, element, index], result)
            }
            VectorRule::Join { .. } | VectorRule::Half { .. } => Err(NO_WIDE_REGISTERS),
        }
    }

    /// Intrinsics with a vector as result.
    pub(super) fn vector_intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        args: &[Value],
        result: Option<Value>,
    ) -> Result<(), ErrorKind> {
        let unary = match op {
            Intrinsic::Fabs => Some(VectorFloat2::Fabs),
            Intrinsic::Fneg => Some(VectorFloat2::Fneg),
            Intrinsic::Sqrt => Some(VectorFloat2::Fsqrt),
            Intrinsic::Floor => Some(VectorFloat2::Frintm),
            Intrinsic::Ceil => Some(VectorFloat2::Frintp),
            Intrinsic::TruncFloat => Some(VectorFloat2::Frintz),
            Intrinsic::RoundEven => Some(VectorFloat2::Frintn),
            Intrinsic::Round => Some(VectorFloat2::Frinta),
            Intrinsic::Rint => Some(VectorFloat2::Frintx),
            Intrinsic::NearbyInt => Some(VectorFloat2::Frinti),
            _ => None,
        };
        let binary = match op {
            Intrinsic::MinNum => Some(VectorFloat3::Fminnm),
            Intrinsic::MaxNum => Some(VectorFloat3::Fmaxnm),
            Intrinsic::Minimum => Some(VectorFloat3::Fmin),
            Intrinsic::Maximum => Some(VectorFloat3::Fmax),
            _ => None,
        };
        if let (Some(op), &[lhs, rhs], Some(result)) = (binary, args, result) {
            let lane = lane(cx.func.value_type(result));
            let [lhs, rhs] = [lhs, rhs].map(|arg| self.reg(cx, arg));
            let dst = cx.regs(result).lo();
            cx.sink.push(Inst::VectorFloat3 { op, lane, dst, lhs, rhs });
            return Ok(());
        }
        match (op, unary, args, result) {
            (_, Some(op), &[arg], Some(result)) => {
                let lane = lane(cx.func.value_type(result));
                let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
                cx.sink.push(Inst::VectorFloat2 { op, lane, dst, src });
            }
            (Intrinsic::Fma, _, &[lhs, rhs, acc], Some(result)) => {
                let lane = lane(cx.func.value_type(result));
                let [lhs, rhs, acc] = [lhs, rhs, acc].map(|arg| self.reg(cx, arg));
                let dst = cx.regs(result).lo();
                self.copy_vector(cx, dst, acc);
                cx.sink.push(Inst::VectorFloatSum { op: VectorFloat3::Fmla, lane, dst, lhs, rhs });
            }
            _ => return Err(ErrorKind::Unsupported("this intrinsic")),
        }
        Ok(())
    }

    // ---- small helpers of all vector rules

    /// A fresh register for a vector.
    pub(super) fn quad<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        cx.temp(Type::V4I32).lo()
    }

    /// `dst = src`.
    pub(super) fn copy_vector<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        cx.sink.push(Inst::MovFloat { width: FloatWidth::Q, dst, src });
    }

    fn logic<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: VectorLogic, dst: VReg, [lhs, rhs]: [VReg; 2]) {
        cx.sink.push(Inst::VectorLogic { op, dst, lhs, rhs });
    }

    /// `dst = !src`.
    fn complement<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        cx.sink.push(Inst::Vector2 { op: Vector2::Not, lane: Lane::B8, dst, src });
    }

    // ---- arithmetic

    /// Any binary operator on vectors.
    fn vector_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) -> Result<(), ErrorKind> {
        let ty = cx.func.value_type(result);
        let lane = lane(ty);
        if op.is_shift()
            && let Some(amount) = uniform_amount(cx.func, args[1])
        {
            self.shift_by_constant(cx, op, args[0], amount, result);
            return Ok(());
        }
        if let Some((op, arg)) = self.unary_of(cx, op, args) {
            let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
            let lane = if op == Vector2::Not { Lane::B8 } else { lane };
            cx.sink.push(Inst::Vector2 { op, lane, dst, src });
            return Ok(());
        }
        let [lhs, rhs] = args.map(|arg| self.reg(cx, arg));
        let dst = cx.regs(result).lo();
        match packed(op, ty) {
            Some(Packed::Int(op)) => cx.sink.push(Inst::Vector3 { op, lane, dst, lhs, rhs }),
            Some(Packed::Float(op)) => cx.sink.push(Inst::VectorFloat3 { op, lane, dst, lhs, rhs }),
            Some(Packed::Logic(op)) => self.logic(cx, op, dst, [lhs, rhs]),
            None => match op {
                _ if ty.is_bool_or_bool_vector() => {
                    return Err(ErrorKind::Unsupported("arithmetic on a vector of booleans"));
                }
                BinaryOp::Lshr | BinaryOp::Ashr => {
                    let op = if op == BinaryOp::Lshr { Vector3::Ushl } else { Vector3::Sshl };
                    let amount = self.quad(cx);
                    cx.sink.push(Inst::Vector2 { op: Vector2::Neg, lane, dst: amount, src: rhs });
                    cx.sink.push(Inst::Vector3 { op, lane, dst, lhs, rhs: amount });
                }
                BinaryOp::Mul => self.multiply_wide(cx, args, [lhs, rhs], dst),
                BinaryOp::Frem => self.remainder_by_lane(cx, ty, [lhs, rhs], dst),
                _ => self.divide_by_lane(cx, op, ty, [lhs, rhs], dst),
            },
        }
        Ok(())
    }

    /// The operation on one vector that an operator is with a constant.
    fn unary_of<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
    ) -> Option<(Vector2, Value)> {
        let is_number = !cx.func.value_type(a).is_bool_or_bool_vector();
        match op {
            BinaryOp::Xor if constant_vector(cx.func, b) == Some(u128::MAX) => Some((Vector2::Not, a)),
            BinaryOp::Xor if constant_vector(cx.func, a) == Some(u128::MAX) => Some((Vector2::Not, b)),
            BinaryOp::Sub if is_number && constant_vector(cx.func, a) == Some(0) => Some((Vector2::Neg, b)),
            _ => None,
        }
    }

    /// All lanes shifted alike; right shifts by nothing have no encoding.
    fn shift_by_constant<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        arg: Value,
        amount: u8,
        result: Value,
    ) {
        let lane = lane(cx.func.value_type(result));
        let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
        let op = match op {
            _ if amount == 0 => return self.copy_vector(cx, dst, src),
            BinaryOp::Shl => VectorShift::Shl,
            BinaryOp::Lshr => VectorShift::Ushr,
            _ => VectorShift::Sshr,
        };
        cx.sink.push(Inst::VectorShift { op, lane, dst, src, amount });
    }

    /// Products of lanes of 64 bits: low × low, and the low half of high × low + low × high above it. Numbers of 32 bits take one
    /// product.
    fn multiply_wide<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: [Value; 2],
        [lhs, rhs]: [VReg; 2],
        dst: VReg,
    ) {
        let (half, wide) = (Lane::B32, Lane::B64);
        let all =
            |how: fn(&Function, &Uses, Value) -> bool| args.iter().all(|&arg| how(cx.func, cx.uses, arg));
        let whole = match () {
            () if all(are_doublewords) => Some(VectorLong::Umull),
            () if all(are_signed_doublewords) => Some(VectorLong::Smull),
            () => None,
        };
        let [low, other] = [lhs, rhs].map(|src| {
            let dst = self.quad(cx);
            cx.sink.push(Inst::VectorNarrow { op: VectorNarrow::Xtn, lane: half, dst, src });
            dst
        });
        if let Some(op) = whole {
            return cx.sink.push(Inst::VectorLong { op, lane: half, dst, lhs: low, rhs: other });
        }
        let [swapped, crossed, sum] = [(); 3].map(|()| self.quad(cx));
        cx.sink.push(Inst::Vector2 { op: Vector2::Rev64, lane: half, dst: swapped, src: rhs });
        cx.sink.push(Inst::Vector3 { op: Vector3::Mul, lane: half, dst: crossed, lhs: swapped, rhs: lhs });
        cx.sink.push(Inst::Vector2 { op: Vector2::Uaddlp, lane: half, dst: sum, src: crossed });
        cx.sink.push(Inst::VectorShift { op: VectorShift::Shl, lane: wide, dst, src: sum, amount: 32 });
        cx.sink.push(Inst::VectorLongSum { op: VectorLong::Umlal, lane: half, dst, lhs: low, rhs: other });
    }

    /// Division and remainder of integers, one lane after the other.
    fn divide_by_lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        ty: Type,
        args: [VReg; 2],
        dst: VReg,
    ) {
        let lane = lane(ty);
        let width = if lane == Lane::B64 { Width::X } else { Width::W };
        let (sign, part) = parts(op);
        let sum = self.quad(cx);
        // Each lane of it is replaced.
        self.copy_vector(cx, sum, args[0]);
        for index in 0..ty.lanes() as u8 {
            let [lhs, rhs] = args.map(|src| {
                let dst = self.wide_temp(cx, width);
                cx.sink.push(Inst::LaneToWord { sign, lane, index, dst, src });
                dst
            });
            self.trap_if_zero_of(cx, width, rhs);
            let op = if sign == Signedness::Signed { Two::Sdiv } else { Two::Udiv };
            let mut src = self.wide_temp(cx, width);
            cx.sink.push(Inst::Two { op, width, dst: src, lhs, rhs });
            if part == Part::Remainder {
                let (op, quotient, acc) = (Multiply::Msub, src, Src::Reg(lhs));
                src = self.wide_temp(cx, width);
                cx.sink.push(Inst::Multiply { op, width, dst: src, lhs: quotient, rhs, acc });
            }
            cx.sink.push(Inst::InsertLane { lane, index, dst: sum, src: Src::Reg(src) });
        }
        self.copy_vector(cx, dst, sum);
    }

    /// C `fmod` for each lane.
    fn remainder_by_lane<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, args: [VReg; 2], dst: VReg) {
        let (lane, element) = (lane(ty), ty.element());
        let helper = if element == Type::F32 { Libcall::Fmodf } else { Libcall::Fmod };
        let sum = self.quad(cx);
        // Each lane of it is replaced.
        self.copy_vector(cx, sum, args[0]);
        for index in 0..ty.lanes() as u8 {
            let args = args.map(|src| {
                let regs = cx.temp(element);
                cx.sink.push(Inst::LaneToFloat { lane, index, dst: regs.lo(), src });
                (regs, element)
            });
            let rest = cx.temp(element);
            self.libcall(cx, helper, &args, Some((rest, element)));
            cx.sink.push(Inst::InsertFloat { lane, index, dst: sum, src: rest.lo() });
        }
        self.copy_vector(cx, dst, sum);
    }

    // ---- comparisons and select

    /// A comparison of integers: all ones where it holds.
    fn vector_icmp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: IntCond,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let lane = lane(cx.func.value_type(a));
        let with_zero = constant_vector(cx.func, b) == Some(0);
        let lhs = self.reg(cx, a);
        if let Some(op) = zero_test(cond).filter(|_| with_zero) {
            let dst = cx.regs(result).lo();
            return cx.sink.push(Inst::Vector2 { op, lane, dst, src: lhs });
        }
        if with_zero && matches!(cond, IntCond::Ne | IntCond::Ugt) {
            // Whether a number has a bit in common with itself.
            let dst = cx.regs(result).lo();
            return cx.sink.push(Inst::Vector3 { op: Vector3::Cmtst, lane, dst, lhs, rhs: lhs });
        }
        let rhs = self.reg(cx, b);
        let dst = cx.regs(result).lo();
        match int_test(cond) {
            Some((op, false)) => cx.sink.push(Inst::Vector3 { op, lane, dst, lhs, rhs }),
            Some((op, true)) => cx.sink.push(Inst::Vector3 { op, lane, dst, lhs: rhs, rhs: lhs }),
            None => {
                let equal = self.quad(cx);
                cx.sink.push(Inst::Vector3 { op: Vector3::Cmeq, lane, dst: equal, lhs, rhs });
                self.complement(cx, dst, equal);
            }
        }
    }

    /// A comparison of floats: all ones where it holds.
    fn vector_fcmp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: FloatCond,
        args: [Value; 2],
        result: Value,
    ) {
        let (test, inverts) = float_test(cond);
        if let FloatTest::Known(holds) = test {
            let dst = cx.regs(result).lo();
            return self.vector_constant(cx, if holds { u128::MAX } else { 0 }, dst);
        }
        let lane = lane(cx.func.value_type(args[0]));
        let [first, second] = args;
        let [a_is_zero, b_is_zero] = args.map(|arg| constant_vector(cx.func, arg) == Some(0));
        // What is no NaN needs no look.
        let looked_at = match test {
            FloatTest::Ordered if a_is_zero => [second; 2],
            FloatTest::Ordered if b_is_zero => [first; 2],
            _ => args,
        };
        let zero_test = float_zero_test(test).filter(|_| b_is_zero);
        let a = self.reg(cx, looked_at[0]);
        let b =
            if zero_test.is_some() || looked_at[0] == looked_at[1] { a } else { self.reg(cx, looked_at[1]) };
        let dst = cx.regs(result).lo();
        let holds = if inverts { self.quad(cx) } else { dst };
        let compare = |cx: &mut Cx<'_, S>, op, dst, [lhs, rhs]: [VReg; 2]| {
            cx.sink.push(Inst::VectorFloat3 { op, lane, dst, lhs, rhs });
        };
        if let Some(op) = zero_test {
            cx.sink.push(Inst::VectorFloat2 { op, lane, dst: holds, src: a });
        }
        match test {
            _ if zero_test.is_some() => {}
            FloatTest::Known(_) => {}
            FloatTest::Equal => compare(cx, VectorFloat3::Fcmeq, holds, [a, b]),
            FloatTest::Greater(false) => compare(cx, VectorFloat3::Fcmgt, holds, [a, b]),
            FloatTest::Greater(true) => compare(cx, VectorFloat3::Fcmgt, holds, [b, a]),
            FloatTest::AtLeast(false) => compare(cx, VectorFloat3::Fcmge, holds, [a, b]),
            FloatTest::AtLeast(true) => compare(cx, VectorFloat3::Fcmge, holds, [b, a]),
            // A number equals itself.
            FloatTest::Ordered if a == b => compare(cx, VectorFloat3::Fcmeq, holds, [a, a]),
            FloatTest::Different | FloatTest::Ordered => {
                let [less, more] = [(); 2].map(|()| self.quad(cx));
                let upper = match test {
                    FloatTest::Ordered => VectorFloat3::Fcmge,
                    _ => VectorFloat3::Fcmgt,
                };
                compare(cx, upper, more, [a, b]);
                compare(cx, VectorFloat3::Fcmgt, less, [b, a]);
                self.logic(cx, VectorLogic::Orr, holds, [more, less]);
            }
        }
        if inverts {
            self.complement(cx, dst, holds);
        }
    }

    /// A select lane by lane. What has no other use may be destroyed: the mask, or one of the values.
    fn vector_select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) {
        let [true_is_zero, false_is_zero] = [if_true, if_false].map(|value| is_zero(cx.func, value));
        let mask = self.reg(cx, cond);
        if false_is_zero {
            let value = self.reg(cx, if_true);
            let dst = cx.regs(result).lo();
            return self.logic(cx, VectorLogic::And, dst, [value, mask]);
        }
        if true_is_zero {
            let value = self.reg(cx, if_false);
            let dst = cx.regs(result).lo();
            return self.logic(cx, VectorLogic::Bic, dst, [value, mask]);
        }
        let is_last_use = |value| cx.is_constant(value) || cx.uses.count(value) == 1;
        let (op, order) = match [cond, if_false, if_true].map(is_last_use) {
            [false, true, _] => (VectorLogic::Bit, [2, 1, 0]),
            [false, false, true] => (VectorLogic::Bif, [1, 2, 0]),
            _ => (VectorLogic::Bsl, [0, 1, 2]),
        };
        let [if_true, if_false] = [if_true, if_false].map(|value| self.reg(cx, value));
        let [src, lhs, rhs] = order.map(|n: usize| [mask, if_true, if_false][n]);
        let dst = cx.regs(result).lo();
        self.copy_vector(cx, dst, src);
        cx.sink.push(Inst::VectorMerge { op, dst, lhs, rhs });
    }

    /// A choice between vectors by the flags.
    pub(super) fn choose_vector<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        dst: VReg,
        [if_true, if_false]: [VReg; 2],
        cond: Cond,
    ) {
        let (ones, mask) = (self.wide_temp(cx, Width::X), self.quad(cx));
        cx.sink.push(Inst::Select {
            op: Select::Csinv,
            width: Width::X,
            dst: ones,
            if_true: Src::Zero,
            if_false: Src::Zero,
            cond: cond.invert(),
        });
        cx.sink.push(Inst::Splat { lane: Lane::B64, dst: mask, src: Src::Reg(ones) });
        self.copy_vector(cx, dst, mask);
        cx.sink.push(Inst::VectorMerge { op: VectorLogic::Bsl, dst, lhs: if_true, rhs: if_false });
    }

    // ---- conversions

    /// Conversions from or to a vector.
    fn vector_cast<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        arg: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let is_bools = |ty: Type| ty.is_bool_or_bool_vector();
        let is_copied = match op {
            CastOp::Bitcast => {
                from == to || !is_bools(from) && !is_bools(to) && from.is_vector() && to.is_vector()
            }
            _ => from.lanes() == to.lanes(),
        };
        let packs = matches!((from, to), (Type::V8I1, Type::I8) | (Type::V16I1, Type::I16));
        let unpacks = matches!((from, to), (Type::I8, Type::V8I1) | (Type::I16, Type::V16I1));
        let is_known = is_copied || op == CastOp::Bitcast && (packs || unpacks);
        if from.is_wide() || to.is_wide() {
            return Err(NO_WIDE_REGISTERS);
        }
        if !is_known {
            return Err(ErrorKind::Unsupported("this conversion of vectors"));
        }
        let lane = lane(if to.is_vector() { to } else { from });
        let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
        let convert = |cx: &mut Cx<'_, S>, op, dst, src| {
            cx.sink.push(Inst::VectorFloat2 { op, lane, dst, src });
        };
        let to_one_bit = |cx: &mut Cx<'_, S>, dst, src| {
            let (op, amount) = (VectorShift::Ushr, lane.bits() as u8 - 1);
            cx.sink.push(Inst::VectorShift { op, lane, dst, src, amount });
        };
        match op {
            CastOp::Bitcast if packs => self.pack_bools(cx, from, src, dst),
            CastOp::Bitcast if unpacks => self.unpack_bools(cx, to, src, dst),
            CastOp::Bitcast => self.copy_vector(cx, dst, src),
            CastOp::Sext if is_bools(from) => self.copy_vector(cx, dst, src),
            CastOp::Zext if is_bools(from) => to_one_bit(cx, dst, src),
            CastOp::Trunc if is_bools(to) => self.mask_of_low_bits(cx, lane, dst, src),
            // As integers, the lanes of a mask are 0 and -1.
            CastOp::Sitofp => convert(cx, VectorFloat2::Scvtf, dst, src),
            CastOp::Uitofp if is_bools(from) => {
                let bits = self.quad(cx);
                to_one_bit(cx, bits, src);
                convert(cx, VectorFloat2::Ucvtf, dst, bits);
            }
            CastOp::Uitofp => convert(cx, VectorFloat2::Ucvtf, dst, src),
            CastOp::Fptosi | CastOp::Fptoui if is_bools(to) => {
                let number = self.quad(cx);
                convert(cx, VectorFloat2::Fcvtzs, number, src);
                self.mask_of_low_bits(cx, lane, dst, number);
            }
            CastOp::Fptosi => convert(cx, VectorFloat2::Fcvtzs, dst, src),
            CastOp::Fptoui => convert(cx, VectorFloat2::Fcvtzu, dst, src),
            _ => return Err(ErrorKind::Unsupported("this conversion of vectors")),
        }
        Ok(())
    }

    /// `dst` = all ones or zeros in each lane, by the lowest bit of that of `src`.
    fn mask_of_low_bits<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, lane: Lane, dst: VReg, src: VReg) {
        let (amount, high) = (lane.bits() as u8 - 1, self.quad(cx));
        cx.sink.push(Inst::VectorShift { op: VectorShift::Shl, lane, dst: high, src, amount });
        cx.sink.push(Inst::Vector2 { op: Vector2::Cmlt0, lane, dst, src: high });
    }

    /// Makes each lane of a vector of booleans all ones or zeros by its lowest bit.
    pub(super) fn low_bits_to_mask<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, reg: VReg) {
        self.mask_of_low_bits(cx, lane(ty), reg, reg);
    }

    /// In each lane the bit that it has in its byte of the packed form.
    fn bits_of_lanes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type) -> VReg {
        let width = lane(ty).bits();
        let bits = (0..ty.lanes()).fold(0u128, |all, n| all | 1u128 << (n * width + n % 8));
        let dst = self.quad(cx);
        self.vector_constant(cx, bits, dst);
        dst
    }

    /// One bit of each lane, added up. Of bytes, those of the upper half are the upper halves of words.
    fn pack_bools<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: VReg, dst: VReg) {
        let bits = self.bits_of_lanes(cx, ty);
        let mut words = self.quad(cx);
        self.logic(cx, VectorLogic::And, words, [src, bits]);
        if ty == Type::V16I1 {
            let (bytes, upper) = (words, self.quad(cx));
            words = self.quad(cx);
            cx.sink.push(Inst::ExtractVector { dst: upper, lhs: bytes, rhs: bytes, byte: 8 });
            let (op, lane) = (Permute::Zip1, Lane::B8);
            cx.sink.push(Inst::Permute { op, lane, dst: words, lhs: bytes, rhs: upper });
        }
        let sum = cx.temp(Type::F32).lo();
        cx.sink.push(Inst::Across { op: Across::Addv, lane: Lane::B16, dst: sum, src: words });
        cx.sink.push(Inst::FromFloat { width: FloatWidth::S, dst, src: sum });
    }

    /// The byte with the bit of a lane in that lane, and where the bit is one, ones.
    fn unpack_bools<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: VReg, dst: VReg) {
        let bits = self.bits_of_lanes(cx, ty);
        let lane = lane(ty);
        let mut all = self.quad(cx);
        cx.sink.push(Inst::Splat { lane, dst: all, src: Src::Reg(src) });
        if ty == Type::V16I1 {
            let (low, high) = (all, self.wide_temp(cx, Width::W));
            self.shift(cx, (Shift::Lsr, Width::W), high, src, 8);
            let upper = self.quad(cx);
            all = self.quad(cx);
            cx.sink.push(Inst::Splat { lane, dst: upper, src: Src::Reg(high) });
            let (op, lane) = (Permute::Zip1, Lane::B64);
            cx.sink.push(Inst::Permute { op, lane, dst: all, lhs: low, rhs: upper });
        }
        cx.sink.push(Inst::Vector3 { op: Vector3::Cmtst, lane, dst, lhs: all, rhs: bits });
    }
}

#[cfg(test)]
mod tests {
    use crate::target::Aarch64;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;
    use ice_codegen::{CodeModel, testing};

    /// What a function of two vectors becomes, by names and operations; without copies and what ends it.
    #[track_caller]
    fn check_for(model: CodeModel, ty: &str, constants: &str, body: &str, expected: &str) {
        let pointer = if model == CodeModel::Pnacl { "" } else { "target pointer i64 native\n" };
        let text = format!(
            "{pointer}define internal @f(v0: {ty}, v1: {ty}) -> {ty} {{\n{constants}\nblock0:\n{body}\nret v99\n}}\n"
        );
        let names =
            testing::lowered(&Aarch64 { model, tracks_branches: false }, &text).into_iter().map(|form| {
                let name = testing::name(&form);
                match form.split_once("{ op: ") {
                    Some((_, rest)) => format!("{name}.{}", rest.split(',').next().unwrap_or_default()),
                    None => name,
                }
            });
        let names: Vec<String> =
            names.filter(|name| !matches!(name.as_str(), "Params" | "MovFloat" | "Ret")).collect();
        assert_eq!(names.join(" "), expected, "{body}");
    }

    #[track_caller]
    fn check(ty: &str, constants: &str, body: &str, expected: &str) {
        check_for(CodeModel::Static, ty, constants, body, expected);
    }

    const NUMBERS: &str = "v10: v4i32 = zero\nv11: i32 = 0\nv12: i32 = 1\nv13: i32 = 2\nv14: i32 = 3";

    #[test]
    fn zeros_and_equal_amounts_are_in_the_instruction() {
        let amounts = "v20: v4i32 = insertelement v10, v14, v11\nv21: v4i32 = insertelement v20, v14, v12\nv22: v4i32 = insertelement v21, v14, v13\nv23: v4i32 = insertelement v22, v14, v14\n";
        check("v4i32", NUMBERS, &format!("{amounts}v99: v4i32 = ashr v0, v23"), "VectorShift.Sshr");
        check("v4i32", "", "v99: v4i32 = ashr v0, v1", "Vector2.Neg Vector3.Sshl");
        check("v4i32", NUMBERS, "v20: v4i1 = icmp slt v0, v10\nv99: v4i32 = sext v20", "Vector2.Cmlt0");
        check("v4i32", NUMBERS, "v20: v4i1 = icmp ne v0, v10\nv99: v4i32 = sext v20", "Vector3.Cmtst");
        check("v4i32", NUMBERS, "v99: v4i32 = sub v10, v0", "Vector2.Neg");
        let select = "v20: v4i1 = icmp ult v0, v1\nv99: v4i32 = select v20, v0, v10";
        check("v4i32", NUMBERS, select, "Vector3.Cmhi VectorLogic.And");
    }

    #[test]
    fn lanes_that_change_places_are_one_shuffle() {
        let body = "v20: i32 = extractelement v0, v11\nv21: i32 = extractelement v1, v11\nv22: i32 = extractelement v0, v12\nv23: i32 = extractelement v1, v12\nv24: v4i32 = insertelement v10, v20, v11\nv25: v4i32 = insertelement v24, v21, v12\nv26: v4i32 = insertelement v25, v22, v13\nv99: v4i32 = insertelement v26, v23, v14";
        check("v4i32", NUMBERS, body, "Permute.Zip1");
        let body = "v20: v4i32 = insertelement v10, v14, v12\nv99: v4i32 = add v0, v20";
        check("v4i32", NUMBERS, body, "Page LoadFloat Vector3.Add");
    }

    #[test]
    fn divisions_by_zero_end_programs() {
        let lanes = |one: &str| [one; 4].join(" ");
        let body = "v99: v4i32 = udiv v0, v1";
        check("v4i32", "", body, &lanes("LaneToWord LaneToWord Two.Udiv InsertLane"));
        let traps = lanes("LaneToWord LaneToWord TrapIfZero Two.Udiv InsertLane");
        check_for(CodeModel::Pnacl, "v4i32", "", body, &traps);
    }
}
