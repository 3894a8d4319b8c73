//! Calls of names that start with `llvm.` (LLVM bitcode specification, section 15).
//!
//! The table [`TABLE`] says what each name stands for; its types come from the call. Most work lane by lane on
//! vectors with the routines for scalars. Masked accesses become a branch a lane. A name that is not in the table is
//! refused at its first call.

use ice_ir::{BinaryOp, CastOp, FloatCond, IntCond, Intrinsic, Symbol, TailHint, Type, Value};

use super::call::Prototype;
use super::float::{Nans, Zeros};
use super::integer::{BitOp, Sign};
use super::memory::Access;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::shape::{Kind, Scalar, VectorShape};
use crate::llvm::wire::constants::GlobalValueKind;
use crate::llvm::wire::types::TypeId;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Special {
    /// A hint, or a fact for optimisers.
    Nothing,
    /// As nothing, with a result that nobody looks at.
    Undefined,
    /// Its first argument.
    First,
    /// Copying or filling memory.
    Memory(Intrinsic),
    Bits(BitOp),
    /// The first argument if the condition holds between both, else the second.
    Pick(IntCond),
    Abs,
    ThreeWay(Sign),
    Overflow(BinaryOp, Sign),
    Saturate(BinaryOp, Sign),
    SaturateShl(Sign),
    Funnel(BinaryOp),
    FloatAbs,
    Sqrt,
    CopySign,
    FloatPick(FloatCond, Nans, Zeros),
    /// A function of libm, by its name for `double`.
    Libm(&'static str),
    /// A function of libm whose result becomes an integer.
    LibmToInt(&'static str),
    MulAdd,
    Canonicalize,
    FloatClass,
    ToIntSaturated(Sign),
    FromHalf,
    ToHalf,
    Reduce(BinaryOp),
    ReducePick(IntCond),
    /// From a start value on, in order.
    ReduceFloat(BinaryOp),
    ReduceFloatPick(FloatCond, Nans, Zeros),
    MaskedLoad,
    MaskedStore,
    Gather,
    Scatter,
    VaStart,
    VaCopy,
    /// The address of a frame or of a return, of the level given.
    Frame(Intrinsic),
    StackSave,
    StackRestore,
    Trap,
    ThreadLocal,
    /// Whether something is known now: it is not.
    IsConstant,
    ObjectSize,
    PointerMask,
    LoadRelative,
}

/// Every name that is understood, without the prefix and without the suffix for types.
const TABLE: &[(&str, Special)] = &[
    ("lifetime.start", Special::Nothing),
    ("lifetime.end", Special::Nothing),
    ("assume", Special::Nothing),
    ("experimental.noalias.scope.decl", Special::Nothing),
    ("sideeffect", Special::Nothing),
    ("donothing", Special::Nothing),
    ("pseudoprobe", Special::Nothing),
    ("dbg.declare", Special::Nothing),
    ("dbg.value", Special::Nothing),
    ("dbg.label", Special::Nothing),
    ("dbg.assign", Special::Nothing),
    ("var.annotation", Special::Nothing),
    ("invariant.end", Special::Nothing),
    ("invariant.start", Special::Undefined),
    ("fake.use", Special::Nothing),
    ("prefetch", Special::Nothing),
    ("va_end", Special::Nothing),
    ("x86.sse2.pause", Special::Nothing),
    ("launder.invariant.group", Special::First),
    ("strip.invariant.group", Special::First),
    ("annotation", Special::First),
    ("ptr.annotation", Special::First),
    ("ssa.copy", Special::First),
    ("expect", Special::First),
    ("expect.with.probability", Special::First),
    ("arithmetic.fence", Special::First),
    ("memcpy", Special::Memory(Intrinsic::Memcpy)),
    ("memcpy.inline", Special::Memory(Intrinsic::Memcpy)),
    ("memmove", Special::Memory(Intrinsic::Memmove)),
    ("memset", Special::Memory(Intrinsic::Memset)),
    ("memset.inline", Special::Memory(Intrinsic::Memset)),
    ("ctpop", Special::Bits(BitOp::Ctpop)),
    ("ctlz", Special::Bits(BitOp::Ctlz)),
    ("cttz", Special::Bits(BitOp::Cttz)),
    ("bswap", Special::Bits(BitOp::Bswap)),
    ("bitreverse", Special::Bits(BitOp::Bitreverse)),
    ("smax", Special::Pick(IntCond::Sgt)),
    ("smin", Special::Pick(IntCond::Slt)),
    ("umax", Special::Pick(IntCond::Ugt)),
    ("umin", Special::Pick(IntCond::Ult)),
    ("abs", Special::Abs),
    ("scmp", Special::ThreeWay(Sign::Signed)),
    ("ucmp", Special::ThreeWay(Sign::Unsigned)),
    ("sadd.with.overflow", Special::Overflow(BinaryOp::Add, Sign::Signed)),
    ("uadd.with.overflow", Special::Overflow(BinaryOp::Add, Sign::Unsigned)),
    ("ssub.with.overflow", Special::Overflow(BinaryOp::Sub, Sign::Signed)),
    ("usub.with.overflow", Special::Overflow(BinaryOp::Sub, Sign::Unsigned)),
    ("smul.with.overflow", Special::Overflow(BinaryOp::Mul, Sign::Signed)),
    ("umul.with.overflow", Special::Overflow(BinaryOp::Mul, Sign::Unsigned)),
    ("sadd.sat", Special::Saturate(BinaryOp::Add, Sign::Signed)),
    ("uadd.sat", Special::Saturate(BinaryOp::Add, Sign::Unsigned)),
    ("ssub.sat", Special::Saturate(BinaryOp::Sub, Sign::Signed)),
    ("usub.sat", Special::Saturate(BinaryOp::Sub, Sign::Unsigned)),
    ("sshl.sat", Special::SaturateShl(Sign::Signed)),
    ("ushl.sat", Special::SaturateShl(Sign::Unsigned)),
    ("fshl", Special::Funnel(BinaryOp::Shl)),
    ("fshr", Special::Funnel(BinaryOp::Lshr)),
    ("fabs", Special::FloatAbs),
    ("sqrt", Special::Sqrt),
    ("copysign", Special::CopySign),
    ("minnum", Special::FloatPick(FloatCond::Olt, Nans::Ignored, Zeros::Any)),
    ("maxnum", Special::FloatPick(FloatCond::Ogt, Nans::Ignored, Zeros::Any)),
    ("minimumnum", Special::FloatPick(FloatCond::Olt, Nans::Ignored, Zeros::Ordered)),
    ("maximumnum", Special::FloatPick(FloatCond::Ogt, Nans::Ignored, Zeros::Ordered)),
    ("minimum", Special::FloatPick(FloatCond::Olt, Nans::Win, Zeros::Ordered)),
    ("maximum", Special::FloatPick(FloatCond::Ogt, Nans::Win, Zeros::Ordered)),
    ("floor", Special::Libm("floor")),
    ("ceil", Special::Libm("ceil")),
    ("trunc", Special::Libm("trunc")),
    ("rint", Special::Libm("rint")),
    ("nearbyint", Special::Libm("nearbyint")),
    ("round", Special::Libm("round")),
    ("roundeven", Special::Libm("roundeven")),
    ("fma", Special::Libm("fma")),
    ("pow", Special::Libm("pow")),
    ("powi", Special::Libm("__powidf2")),
    ("ldexp", Special::Libm("ldexp")),
    ("sin", Special::Libm("sin")),
    ("cos", Special::Libm("cos")),
    ("tan", Special::Libm("tan")),
    ("asin", Special::Libm("asin")),
    ("acos", Special::Libm("acos")),
    ("atan", Special::Libm("atan")),
    ("atan2", Special::Libm("atan2")),
    ("sinh", Special::Libm("sinh")),
    ("cosh", Special::Libm("cosh")),
    ("tanh", Special::Libm("tanh")),
    ("exp", Special::Libm("exp")),
    ("exp2", Special::Libm("exp2")),
    ("exp10", Special::Libm("exp10")),
    ("log", Special::Libm("log")),
    ("log2", Special::Libm("log2")),
    ("log10", Special::Libm("log10")),
    ("lrint", Special::LibmToInt("rint")),
    ("llrint", Special::LibmToInt("rint")),
    ("lround", Special::LibmToInt("round")),
    ("llround", Special::LibmToInt("round")),
    ("fmuladd", Special::MulAdd),
    ("canonicalize", Special::Canonicalize),
    ("is.fpclass", Special::FloatClass),
    ("fptosi.sat", Special::ToIntSaturated(Sign::Signed)),
    ("fptoui.sat", Special::ToIntSaturated(Sign::Unsigned)),
    ("convert.from.fp16", Special::FromHalf),
    ("convert.to.fp16", Special::ToHalf),
    ("vector.reduce.add", Special::Reduce(BinaryOp::Add)),
    ("vector.reduce.mul", Special::Reduce(BinaryOp::Mul)),
    ("vector.reduce.and", Special::Reduce(BinaryOp::And)),
    ("vector.reduce.or", Special::Reduce(BinaryOp::Or)),
    ("vector.reduce.xor", Special::Reduce(BinaryOp::Xor)),
    ("vector.reduce.smax", Special::ReducePick(IntCond::Sgt)),
    ("vector.reduce.smin", Special::ReducePick(IntCond::Slt)),
    ("vector.reduce.umax", Special::ReducePick(IntCond::Ugt)),
    ("vector.reduce.umin", Special::ReducePick(IntCond::Ult)),
    ("vector.reduce.fadd", Special::ReduceFloat(BinaryOp::Fadd)),
    ("vector.reduce.fmul", Special::ReduceFloat(BinaryOp::Fmul)),
    ("vector.reduce.fmax", Special::ReduceFloatPick(FloatCond::Ogt, Nans::Ignored, Zeros::Any)),
    ("vector.reduce.fmin", Special::ReduceFloatPick(FloatCond::Olt, Nans::Ignored, Zeros::Any)),
    ("vector.reduce.fmaximum", Special::ReduceFloatPick(FloatCond::Ogt, Nans::Win, Zeros::Ordered)),
    ("vector.reduce.fminimum", Special::ReduceFloatPick(FloatCond::Olt, Nans::Win, Zeros::Ordered)),
    ("masked.load", Special::MaskedLoad),
    ("masked.store", Special::MaskedStore),
    ("masked.gather", Special::Gather),
    ("masked.scatter", Special::Scatter),
    ("va_start", Special::VaStart),
    ("va_copy", Special::VaCopy),
    ("frameaddress", Special::Frame(Intrinsic::FrameAddress)),
    ("returnaddress", Special::Frame(Intrinsic::ReturnAddress)),
    ("stacksave", Special::StackSave),
    ("stackrestore", Special::StackRestore),
    ("trap", Special::Trap),
    ("debugtrap", Special::Trap),
    ("ubsantrap", Special::Trap),
    ("threadlocal.address", Special::ThreadLocal),
    ("is.constant", Special::IsConstant),
    ("objectsize", Special::ObjectSize),
    ("ptrmask", Special::PointerMask),
    ("load.relative", Special::LoadRelative),
];

/// The entry of the table for a whole name: the longest one that the name begins with, up to a dot.
fn entry(name: &[u8]) -> Option<&'static (&'static str, Special)> {
    let name = name.strip_prefix(b"llvm.")?;
    let fits = |base: &str| {
        let rest = name.strip_prefix(base.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
    };
    TABLE.iter().filter(|(base, _)| fits(base)).max_by_key(|(base, _)| base.len())
}

/// The name without prefix and suffix, if it is understood.
pub(in crate::llvm) fn special_base(name: &[u8]) -> Option<&'static [u8]> {
    entry(name).map(|(base, _)| base.as_bytes())
}

/// What a whole name stands for.
pub(super) fn find(name: &[u8]) -> Option<Special> {
    entry(name).map(|&(_, special)| special)
}

/// Most arguments of a name in the table.
pub(super) const MAX_ARGUMENTS: usize = 6;

/// The arguments of a call that are there.
pub(super) type Arguments = [Option<Operand>; MAX_ARGUMENTS];

impl Body<'_, '_> {
    // ---- intrinsics of the IR

    /// A call of an intrinsic of the IR for a type, which has a result.
    pub(super) fn intrinsic(&mut self, op: Intrinsic, ty: Type, args: &[Value]) -> Checked<Value> {
        let Some(callee) = self.p.runtime.intrinsic(op, ty) else { return unsupported(op.name()) };
        let ret = self.m.module.signature(callee).ret;
        match self.b.call_intrinsic(op, callee, args, ret, TailHint::None) {
            Some(value) => Ok(value),
            None => fail(Error::VoidValue),
        }
    }

    /// As [`intrinsic`](Self::intrinsic), where there is but one form.
    pub(super) fn intrinsic_one(&mut self, op: Intrinsic, args: &[Value]) -> Checked<Value> {
        self.intrinsic(op, Type::Void, args)
    }

    /// A call of an intrinsic without a result.
    pub(super) fn intrinsic_void(&mut self, op: Intrinsic, ty: Type, args: &[Value]) -> Checked<()> {
        let Some(callee) = self.p.runtime.intrinsic(op, ty) else { return unsupported(op.name()) };
        self.b.call_intrinsic(op, callee, args, Type::Void, TailHint::None);
        Ok(())
    }

    // ---- names of LLVM

    /// A call of the special function with this number, whose arguments are the remaining operands.
    pub(super) fn special_call(
        &mut self,
        number: u32,
        prototype: &Prototype,
        bundle: Option<u32>,
    ) -> Checked<()> {
        let Some(special) = self.p.specials[number as usize] else {
            let name = self.m.module.name(self.m.specials[number as usize].name);
            let name = alloc::string::String::from_utf8_lossy(name);
            return fail(Error::Unsupported { what: alloc::format!("intrinsic {name}") });
        };
        let params = self.m.types.list(prototype.params);
        match special {
            Special::Nothing => {
                self.at = self.ops.len();
                return match self.kind(prototype.ret) {
                    Kind::Void => Ok(()),
                    _ => fail(self.type_class(prototype.ret, "void")),
                };
            }
            Special::ThreadLocal => return self.thread_local(prototype),
            _ => {}
        }
        if let Some(tag) = bundle {
            self.check_bundle(tag)?;
        }
        if params.len() > MAX_ARGUMENTS || prototype.is_variadic {
            return unsupported("an intrinsic of so many arguments");
        }
        let mut args = [None; MAX_ARGUMENTS];
        for (place, &ty) in args.iter_mut().zip(params) {
            *place = self.argument(ty)?;
        }
        self.end()?;
        // Arguments that are not there have the first one's place; the arity is checked against the name.
        let Some(count) = args.iter().position(Option::is_none).or(Some(MAX_ARGUMENTS)) else {
            return Ok(());
        };
        let ret = prototype.ret;
        if self.kind(ret) == Kind::Void {
            return self.special_effect(special, args, count);
        }
        self.value_shape(ret)?;
        let result = self.special_value(special, args, count, ret)?;
        // The name says what is done, the prototype says of what: they may disagree in a file that is not LLVM's.
        let parts = self.m.legal.parts(ret)?;
        let is_right =
            result.ty == ret && (0..).zip(parts).all(|(i, part)| self.ty_of(self.part(result, i)) == part.ty);
        match is_right {
            true => self.define(result),
            false => fail(self.type_class(ret, "the type that the intrinsic gives")),
        }
    }

    /// A value of `ty` of one part.
    pub(super) fn one_of(&self, ty: TypeId, value: Value) -> Checked<Operand> {
        match self.shape(ty).parts {
            1 => Ok(self.one(ty, value)),
            _ => fail(self.type_class(ty, "the type that the intrinsic gives")),
        }
    }

    /// A value of `ty` of these parts.
    pub(super) fn operand_of(&self, ty: TypeId, run: Run) -> Checked<Operand> {
        match self.shape(ty).parts == run.len {
            true => Ok(self.operand(ty, run)),
            false => fail(self.type_class(ty, "the type that the intrinsic gives")),
        }
    }

    /// The second argument, which names classes of numbers.
    pub(super) fn class_mask(&self, args: &Arguments) -> Checked<i64> {
        match self.constant_number(self.arg(args, 1)?) {
            Some(mask) => Ok(mask),
            None => unsupported("a class of floats that is no constant"),
        }
    }

    /// Argument `n`.
    pub(super) fn arg(&self, args: &Arguments, n: usize) -> Checked<Operand> {
        match args[n] {
            Some(operand) => Ok(operand),
            None => fail(Error::ArgumentCount { passed: n, expected: n + 1 }),
        }
    }

    /// Argument `n`, an address.
    fn address_arg(&self, args: &Arguments, n: usize) -> Checked<Value> {
        let operand = self.arg(args, n)?;
        match Some(operand.ty) == self.m.pointer {
            true => Ok(self.single(operand)),
            false => fail(self.type_class(operand.ty, "an address")),
        }
    }

    /// A call without a result.
    fn special_effect(&mut self, special: Special, args: Arguments, count: usize) -> Checked<()> {
        match special {
            Special::Memory(op) => {
                let (dst, len) = (self.address_arg(&args, 0)?, self.arg(&args, 2)?);
                let source = match op {
                    Intrinsic::Memset => {
                        let byte = self.arg(&args, 1)?;
                        if self.int_bits_of(byte.ty)? != 8 {
                            return fail(self.type_class(byte.ty, "a byte"));
                        }
                        self.single(byte)
                    }
                    _ => self.address_arg(&args, 1)?,
                };
                let len = self.length(len)?;
                if self.b.func.int_value(len) == Some(0) {
                    return Ok(());
                }
                let volatile = self.arg(&args, 3)?;
                let volatile = self.constant_number(volatile).unwrap_or(0);
                let (align, volatile) = (self.i32(1), self.int(Type::I1, volatile));
                self.intrinsic_void(op, Type::Void, &[dst, source, len, align, volatile])
            }
            Special::Trap => self.intrinsic_void(Intrinsic::Trap, Type::Void, &[]),
            Special::StackRestore => {
                let handle = self.address_arg(&args, 0)?;
                self.intrinsic_void(Intrinsic::Stackrestore, Type::Void, &[handle])
            }
            Special::VaStart => {
                let list = self.address_arg(&args, 0)?;
                self.intrinsic_void(Intrinsic::VaStart, Type::Void, &[list])
            }
            Special::VaCopy => {
                let (to, from) = (self.address_arg(&args, 0)?, self.address_arg(&args, 1)?);
                let pointer = self.pointer();
                // Two counts and two addresses, or one address.
                let words = if pointer == Type::I64 { 3 } else { 1 };
                let log2 = pointer.bytes().trailing_zeros() as u8;
                for i in 0..words {
                    let at = i64::from(i * pointer.bytes());
                    let (from, to) = (self.offset(from, at), self.offset(to, at));
                    let word = self.b.load(pointer, from, log2);
                    self.b.store(to, word, log2);
                }
                Ok(())
            }
            Special::MaskedStore => {
                // The alignment is an argument up to LLVM 21.
                let (value, address) = (self.arg(&args, 0)?, self.address_arg(&args, 1)?);
                let mask = self.arg(&args, count - 1)?;
                self.masked_store(value, mask, |cx, lane, size| {
                    Ok(cx.offset(address, i64::from(lane) * size as i64))
                })
            }
            Special::Scatter => {
                let (value, addresses) = (self.arg(&args, 0)?, self.arg(&args, 1)?);
                let mask = self.arg(&args, count - 1)?;
                let lanes = self.lanes_of(addresses)?;
                self.masked_store(value, mask, |cx, lane, _| Ok(cx.get(lanes, lane)))
            }
            _ => unsupported("an intrinsic that should have a result"),
        }
    }

    /// A call with a result of type `ret`.
    fn special_value(
        &mut self,
        special: Special,
        args: Arguments,
        count: usize,
        ret: TypeId,
    ) -> Checked<Operand> {
        // Those without a first argument.
        match special {
            Special::StackSave => {
                let value = self.intrinsic_one(Intrinsic::Stacksave, &[])?;
                let ty = self.pointer_ty()?;
                return Ok(self.one(ty, value));
            }
            Special::Undefined => return self.undefined(ret),
            _ => {}
        }
        let a = self.arg(&args, 0)?;
        if self.kind(a.ty) == Kind::Scalar(Scalar::Extended) {
            return self.extended_special(special, args, count, ret);
        }
        match special {
            Special::First => Ok(a),
            Special::Bits(op) => self.map_lanes(ret, &[a], |cx, scalar, runs| match scalar {
                Scalar::Int(bits @ ..=64) => {
                    let value = cx.int_bits(op, bits, cx.get(runs[0], 0))?;
                    Ok(cx.push(value))
                }
                Scalar::Int(bits) => cx.wide_bits(op, bits, runs[0]),
                _ => unsupported("a bit operation on floats"),
            }),
            Special::Pick(cond) => {
                let b = self.arg(&args, 1)?;
                if let Kind::Vector(VectorShape { native: Some(native), .. }) = self.kind(a.ty)
                    && native.is_int_or_int_vector()
                    && native.element() != Type::I1
                    && a.ty == b.ty
                {
                    let (x, y) = (self.run(a), self.run(b));
                    let run = self.each_part(x, y, |cx, x, y| {
                        let first = cx.icmp(cond, x, y);
                        cx.choose(first, x, y)
                    });
                    return self.operand_of(ret, run);
                }
                self.map_lanes(ret, &[a, b], |cx, scalar, runs| cx.pick(cond, scalar, runs[0], runs[1]))
            }
            Special::Abs => self.map_lanes(ret, &[a], |cx, scalar, runs| {
                let zero = cx.scalar_int(scalar, 0)?;
                let negated = cx.scalar_binary(BinaryOp::Sub, scalar, zero, runs[0])?;
                let cond = super::arithmetic::Cond::Int(IntCond::Slt);
                let is_negative = cx.scalar_compare(cond, scalar, runs[0], zero)?;
                Ok(cx.run_choose(is_negative, negated, runs[0]))
            }),
            Special::ThreeWay(sign) => {
                let b = self.arg(&args, 1)?;
                let (less, greater) = match sign {
                    Sign::Signed => (IntCond::Slt, IntCond::Sgt),
                    Sign::Unsigned => (IntCond::Ult, IntCond::Ugt),
                };
                let result = self.lane_scalar(ret)?;
                self.map_lanes(ret, &[a, b], |cx, scalar, runs| {
                    use super::arithmetic::Cond;
                    let is_less = cx.scalar_compare(Cond::Int(less), scalar, runs[0], runs[1])?;
                    let is_greater = cx.scalar_compare(Cond::Int(greater), scalar, runs[0], runs[1])?;
                    let (minus, zero) = (cx.scalar_int(result, -1)?, cx.scalar_int(result, 0)?);
                    let one = cx.scalar_int(result, 1)?;
                    let rest = cx.run_choose(is_greater, one, zero);
                    Ok(cx.run_choose(is_less, minus, rest))
                })
            }
            Special::Overflow(op, sign) => {
                let b = self.arg(&args, 1)?;
                let bits = match self.kind(a.ty) {
                    Kind::Scalar(Scalar::Int(bits)) => bits,
                    _ => return unsupported("an overflow check on vectors"),
                };
                let (x, y) = (self.run(a), self.run(b));
                let (result, overflow) = match bits {
                    ..=64 => {
                        let (result, overflow) =
                            self.int_overflow(op, sign, bits, self.get(x, 0), self.get(y, 0));
                        (self.push(result), overflow)
                    }
                    _ => self.wide_overflow(op, sign, bits, x, y),
                };
                if self.shape(ret).parts != result.len + 1 {
                    return fail(self.type_class(ret, "a number and a boolean"));
                }
                let out = self.reserve(result.len + 1);
                self.copy(out, 0, result);
                self.set(out, result.len, overflow);
                self.operand_of(ret, out)
            }
            Special::Saturate(op, sign) => {
                let b = self.arg(&args, 1)?;
                self.map_lanes(ret, &[a, b], |cx, scalar, runs| match scalar {
                    Scalar::Int(bits @ ..=64) => {
                        let value = cx.int_saturate(op, sign, bits, cx.get(runs[0], 0), cx.get(runs[1], 0));
                        Ok(cx.push(value))
                    }
                    Scalar::Int(bits) => Ok(cx.wide_saturate(op, sign, bits, runs[0], runs[1])),
                    _ => unsupported("saturation of floats"),
                })
            }
            Special::SaturateShl(sign) => {
                let b = self.arg(&args, 1)?;
                self.map_lanes(ret, &[a, b], |cx, scalar, runs| match scalar {
                    Scalar::Int(bits @ ..=64) => {
                        let value = cx.int_saturate_shl(sign, bits, cx.get(runs[0], 0), cx.get(runs[1], 0));
                        Ok(cx.push(value))
                    }
                    Scalar::Int(bits) => cx.wide_saturate_shl(sign, bits, runs[0], runs[1]),
                    _ => unsupported("saturation of floats"),
                })
            }
            Special::Funnel(side) => {
                let (b, amount) = (self.arg(&args, 1)?, self.arg(&args, 2)?);
                if let Some(result) = self.native_funnel(ret, side, [a, b, amount]) {
                    return Ok(result);
                }
                self.map_lanes(ret, &[a, b, amount], |cx, scalar, runs| match scalar {
                    Scalar::Int(bits @ ..=64) => {
                        let values = [runs[0], runs[1], runs[2]].map(|run| cx.get(run, 0));
                        let value = cx.int_funnel(side, bits, values);
                        Ok(cx.push(value))
                    }
                    Scalar::Int(bits) => cx.wide_funnel(side, bits, [runs[0], runs[1], runs[2]]),
                    _ => unsupported("a funnel shift of floats"),
                })
            }
            Special::FloatAbs => self.map_floats(a, |cx, scalar, value| {
                Ok(match scalar {
                    Scalar::Half | Scalar::BFloat => cx.bin_int(BinaryOp::And, value, 0x7fff),
                    _ => cx.float_abs(value),
                })
            }),
            Special::CopySign => {
                let b = self.arg(&args, 1)?;
                self.map_lanes(ret, &[a, b], |cx, scalar, runs| {
                    let value = cx.float_copysign(scalar, cx.get(runs[0], 0), cx.get(runs[1], 0));
                    Ok(cx.push(value))
                })
            }
            Special::Sqrt if self.has_packed(Intrinsic::Sqrt, a.ty) => self.map_floats(a, |cx, _, value| {
                let ty = cx.ty_of(value);
                cx.intrinsic(Intrinsic::Sqrt, ty, &[value])
            }),
            Special::Sqrt => self.float_lanes(ret, &[a], |cx, values| {
                let ty = cx.ty_of(values[0]);
                cx.intrinsic(Intrinsic::Sqrt, ty, &values[..1])
            }),
            Special::FloatPick(cond, nans, zeros) => {
                let b = self.arg(&args, 1)?;
                self.float_lanes(ret, &[a, b], |cx, values| {
                    Ok(cx.float_extreme(cond, nans, zeros, values[0], values[1]))
                })
            }
            Special::MulAdd => {
                let (b, c) = (self.arg(&args, 1)?, self.arg(&args, 2)?);
                let product = self.binary(2, a, b)?;
                self.binary(0, product, c)
            }
            Special::Canonicalize => Ok(a),
            Special::Libm(name) => {
                let mut operands = [a; 3];
                for (n, place) in operands.iter_mut().enumerate().take(count) {
                    *place = self.arg(&args, n)?;
                }
                self.libm(name, ret, &operands[..count.min(3)])
            }
            Special::LibmToInt(name) => {
                let from = self.scalar(a.ty)?;
                if !from.is_float() {
                    return fail(self.type_class(a.ty, "a floating-point number"));
                }
                let rounded = self.libm(name, a.ty, &[a])?;
                let bits = self.int_bits_of(ret)?;
                let value = self.float_extend(from, self.single(rounded));
                let value = self.float_to_int(CastOp::Fptosi, value, bits.min(64));
                self.one_of(ret, value)
            }
            Special::FloatClass => {
                let mask = self.class_mask(&args)?;
                self.map_lanes(ret, &[a], |cx, scalar, runs| {
                    let value = cx.float_class(scalar, cx.get(runs[0], 0), mask);
                    Ok(cx.push(value))
                })
            }
            Special::ToIntSaturated(sign) => {
                let Scalar::Int(bits) = self.lane_scalar(ret)? else {
                    return fail(self.type_class(ret, "integers"));
                };
                self.map_lanes(ret, &[a], |cx, scalar, runs| {
                    cx.float_to_int_saturated(sign, scalar, bits, cx.get(runs[0], 0))
                })
            }
            Special::FromHalf => {
                if self.int_bits_of(a.ty)? != 16 {
                    return fail(self.type_class(a.ty, "i16"));
                }
                let value = self.float_extend(Scalar::Half, self.single(a));
                let value = match self.scalar(ret)? {
                    Scalar::Double => self.cast(CastOp::Fpext, value, Type::F64),
                    _ => value,
                };
                self.one_of(ret, value)
            }
            Special::ToHalf => {
                let value = match self.scalar(a.ty)? {
                    Scalar::Double => self.double_to_float_odd(self.single(a)),
                    Scalar::Float => self.single(a),
                    _ => return fail(self.type_class(a.ty, "float or double")),
                };
                let value = self.float_round(Scalar::Half, value);
                self.one_of(ret, value)
            }
            Special::Reduce(op) => {
                let lane = self.vector_shape(a.ty)?.lane;
                let run = self.reduce(a, |cx, x, y| cx.scalar_binary(op, lane, x, y))?;
                self.operand_of(ret, run)
            }
            Special::ReducePick(cond) => {
                let lane = self.vector_shape(a.ty)?.lane;
                let run = self.reduce(a, |cx, x, y| cx.pick(cond, lane, x, y))?;
                self.operand_of(ret, run)
            }
            Special::ReduceFloat(op) => {
                let vector = self.arg(&args, 1)?;
                let lane = self.vector_shape(vector.ty)?.lane;
                let start = self.run(a);
                let parts = self.run(vector);
                let shape = self.vector_shape(vector.ty)?;
                let lanes = self.split_lanes(shape, parts);
                let mut sum = start;
                for i in 0..shape.lanes {
                    sum = self.scalar_binary(op, lane, sum, lanes.part(i, 1))?;
                }
                self.operand_of(ret, sum)
            }
            Special::ReduceFloatPick(cond, nans, zeros) => {
                let lane = self.vector_shape(a.ty)?.lane;
                let run = self.reduce(a, |cx, x, y| {
                    let x = cx.float_extend(lane, cx.get(x, 0));
                    let y = cx.float_extend(lane, cx.get(y, 0));
                    let value = cx.float_extreme(cond, nans, zeros, x, y);
                    let value = cx.float_round(lane, value);
                    Ok(cx.push(value))
                })?;
                self.operand_of(ret, run)
            }
            Special::MaskedLoad => {
                let address = self.address_arg(&args, 0)?;
                let (mask, other) = (self.arg(&args, count - 2)?, self.arg(&args, count - 1)?);
                self.masked_load(ret, mask, other, |cx, lane, size| {
                    Ok(cx.offset(address, i64::from(lane) * size as i64))
                })
            }
            Special::Gather => {
                let (mask, other) = (self.arg(&args, count - 2)?, self.arg(&args, count - 1)?);
                let lanes = self.lanes_of(a)?;
                self.masked_load(ret, mask, other, |cx, lane, _| Ok(cx.get(lanes, lane)))
            }
            Special::Frame(op) => {
                let level = self.length(a)?;
                let level = self.resize_zero(level, Type::I32);
                let value = self.intrinsic_one(op, &[level])?;
                self.one_of(ret, value)
            }
            Special::IsConstant => {
                let known = self.constant_number(a).is_some();
                let value = self.int(Type::I1, i64::from(known));
                self.one_of(ret, value)
            }
            Special::ObjectSize => {
                let min = self.arg(&args, 1)?;
                let number = if self.constant_number(min).is_some_and(|n| n != 0) { 0 } else { -1 };
                let first = self.shape(ret).first;
                let value = self.int(first, number);
                self.one_of(ret, value)
            }
            Special::PointerMask => {
                let mask = self.arg(&args, 1)?;
                let address = self.address_arg(&args, 0)?;
                let bits = self.int_bits_of(mask.ty)?;
                let pointer = self.pointer();
                let mask = self.part(mask, 0);
                let mask = self.extended(bits.min(64), mask, Sign::Unsigned, pointer);
                let value = self.bin(BinaryOp::And, address, mask);
                self.one_of(ret, value)
            }
            Special::LoadRelative => {
                let base = self.address_arg(&args, 0)?;
                let offset = self.arg(&args, 1)?;
                let bits = self.int_bits_of(offset.ty)?;
                let pointer = self.pointer();
                let offset = self.part(offset, 0);
                let offset = self.extended(bits.min(64), offset, Sign::Signed, pointer);
                let place = self.bin(BinaryOp::Add, base, offset);
                let distance = self.b.load(Type::I32, place, 2);
                let distance = self.resize_sign(distance, pointer);
                let value = self.bin(BinaryOp::Add, base, distance);
                self.one_of(ret, value)
            }
            _ => unsupported("an intrinsic that should have no result"),
        }
    }

    /// The address of this thread's copy of a variable, which the operand names.
    fn thread_local(&mut self, prototype: &Prototype) -> Checked<()> {
        let relative = self.ops.get(self.at).copied().unwrap_or(0);
        let number = self.s.next_number().wrapping_sub(relative as u32);
        let global = self.m.globals.get(number as usize).map(|global| global.kind);
        let value = match global {
            Some(GlobalValueKind::Symbol(symbol @ Symbol::Global(_))) if relative >> 32 == 0 => {
                self.at += 1;
                self.end()?;
                self.symbol(symbol)?
            }
            // A place in it by way of an expression, which asks for the address itself.
            _ => {
                let address = self.address_operand()?;
                self.end()?;
                address
            }
        };
        match Some(prototype.ret) == self.m.pointer {
            true => self.define_one(prototype.ret, value),
            false => fail(self.type_class(prototype.ret, "an address")),
        }
    }

    // ---- lane by lane

    /// The scalar that a type is or has lanes of.
    fn lane_scalar(&self, ty: TypeId) -> Checked<Scalar> {
        match self.value_shape(ty)?.kind {
            Kind::Scalar(scalar) => Ok(scalar),
            Kind::Vector(vector) => Ok(vector.lane),
            _ => fail(self.type_class(ty, "a number or a vector of numbers")),
        }
    }

    /// The parts of the lanes of a vector.
    fn lanes_of(&mut self, a: Operand) -> Checked<Run> {
        let shape = self.vector_shape(a.ty)?;
        let run = self.run(a);
        Ok(self.split_lanes(shape, run))
    }

    /// A funnel shift of a native vector by the same constant in all lanes, which shifts them at once.
    fn native_funnel(&mut self, ret: TypeId, side: BinaryOp, operands: [Operand; 3]) -> Option<Operand> {
        let Kind::Vector(vector) = self.kind(ret) else { return None };
        // There are no shifts of bytes.
        let native = vector.native.filter(|ty| matches!(ty.element(), Type::I16 | Type::I32 | Type::I64))?;
        if operands.iter().any(|operand| operand.ty != ret) {
            return None;
        }
        let [a, b, amount] = operands.map(|operand| self.run(operand));
        let number =
            |i: u32| self.inserted(self.get(amount, i / native.lanes()), (i % native.lanes()).into());
        let first = number(0)?;
        if !(1..vector.lanes).all(|i| number(i) == Some(first)) {
            return None;
        }
        let bits = i64::from(native.element().bits());
        let left = match side {
            BinaryOp::Shl => first & (bits - 1),
            _ => bits - (first & (bits - 1)),
        };
        let run = match left {
            0 => a,
            left if left == bits => b,
            left => {
                let (up, down) = (self.splat(native, left), self.splat(native, bits - left));
                self.each_part(a, b, |cx, a, b| {
                    let (high, low) = (cx.bin(BinaryOp::Shl, a, up), cx.bin(BinaryOp::Lshr, b, down));
                    cx.bin(BinaryOp::Or, high, low)
                })
            }
        };
        Some(self.operand(ret, run))
    }

    /// A function of scalars on scalars, or lane by lane; arguments that are no vectors are the same in all lanes.
    fn map_lanes(
        &mut self,
        ret: TypeId,
        args: &[Operand],
        mut f: impl FnMut(&mut Self, Scalar, &[Run]) -> Checked<Run>,
    ) -> Checked<Operand> {
        let mut runs = [Run { start: 0, len: 0 }; 3];
        for (run, &arg) in runs.iter_mut().zip(args) {
            *run = self.run(arg);
        }
        let runs = &mut runs[..args.len()];
        let vector = match self.kind(args[0].ty) {
            Kind::Scalar(scalar) => {
                for &arg in &args[1..] {
                    self.scalar(arg.ty)?;
                }
                self.scalar(ret)?;
                let run = f(self, scalar, runs)?;
                return match self.shape(ret).parts == run.len {
                    true => Ok(self.operand(ret, run)),
                    false => fail(self.type_class(ret, "the type that the intrinsic gives")),
                };
            }
            Kind::Vector(vector) => vector,
            _ => return fail(self.type_class(args[0].ty, "a number or a vector of numbers")),
        };
        let result = self.vector_shape(ret)?;
        if result.lanes != vector.lanes {
            return fail(self.type_class(ret, "a vector of as many lanes"));
        }
        let mut each = [0; 3];
        for ((run, each), &arg) in runs.iter_mut().zip(&mut each).zip(args) {
            if let Kind::Vector(shape) = self.kind(arg.ty) {
                if shape.lanes != vector.lanes {
                    return fail(self.type_class(arg.ty, "a vector of as many lanes"));
                }
                *run = self.split_lanes(shape, *run);
                *each = shape.lane.parts();
            }
        }
        let parts = result.lane.parts();
        let out = self.reserve(result.lanes * parts);
        for lane in 0..vector.lanes {
            let mut own = [Run { start: 0, len: 0 }; 3];
            for ((own, run), &each) in own.iter_mut().zip(runs.iter()).zip(&each) {
                *own = if each == 0 { *run } else { run.part(lane * each, each) };
            }
            let value = f(self, vector.lane, &own[..args.len()])?;
            if value.len != parts {
                return fail(self.type_class(ret, "the type that the intrinsic gives"));
            }
            self.copy(out, lane * parts, value);
        }
        let run = self.join_lanes(result, out);
        Ok(self.operand(ret, run))
    }

    /// A function of `f32` or `f64`, of floats of any format and their vectors.
    fn float_lanes(
        &mut self,
        ret: TypeId,
        args: &[Operand],
        mut f: impl FnMut(&mut Self, &[Value]) -> Checked<Value>,
    ) -> Checked<Operand> {
        self.map_lanes(ret, args, |cx, scalar, runs| {
            if !scalar.is_float() {
                return unsupported("a floating-point intrinsic on integers");
            }
            let mut values = [None; 3];
            for (value, run) in values.iter_mut().zip(runs) {
                *value = Some(cx.float_extend(scalar, cx.get(*run, 0)));
            }
            let first = values[0].ok_or(Error::VoidValue)?;
            let values = values.map(|value| value.unwrap_or(first));
            let value = f(cx, &values[..runs.len()])?;
            let value = cx.float_round(scalar, value);
            Ok(cx.push(value))
        })
    }

    /// A call of a function of libm for every lane; integer arguments are `i32`.
    fn libm(&mut self, name: &'static str, ret: TypeId, args: &[Operand]) -> Checked<Operand> {
        let mut kinds = [Scalar::Float; 3];
        for (kind, &arg) in kinds.iter_mut().zip(args) {
            *kind = self.lane_scalar(arg.ty)?;
        }
        self.map_lanes(ret, args, |cx, scalar, runs| {
            let mut values = [None; 3];
            for ((value, run), &kind) in values.iter_mut().zip(runs).zip(&kinds) {
                let part = cx.get(*run, 0);
                *value = Some(match kind {
                    Scalar::Int(bits) => cx.extended(bits.min(64), part, Sign::Signed, Type::I32),
                    kind => cx.float_extend(kind, part),
                });
            }
            let first = values[0].ok_or(Error::VoidValue)?;
            let values = values.map(|value| value.unwrap_or(first));
            let ty = cx.ty_of(first);
            let name = if ty == Type::F32 { float_name(name) } else { name };
            let Some(value) = cx.library(name, &values[..runs.len()], ty)? else { return unsupported(name) };
            let value = cx.float_round(scalar, value);
            Ok(cx.push(value))
        })
    }

    /// The first scalar if the condition holds, else the second.
    fn pick(&mut self, cond: IntCond, scalar: Scalar, a: Run, b: Run) -> Checked<Run> {
        match scalar {
            Scalar::Int(bits @ ..=64) => {
                let value = self.int_pick(cond, bits, self.get(a, 0), self.get(b, 0));
                Ok(self.push(value))
            }
            Scalar::Int(bits) => {
                let first = self.wide_compare(cond, bits, a, b);
                Ok(self.run_choose(first, a, b))
            }
            _ => unsupported("an integer extreme of floats"),
        }
    }

    /// A small number as a scalar integer of any width.
    fn scalar_int(&mut self, scalar: Scalar, number: i64) -> Checked<Run> {
        match scalar {
            Scalar::Int(..=64) => {
                let value = self.int(scalar.part(), number);
                Ok(self.push(value))
            }
            Scalar::Int(_) => Ok(self.wide_int(number, scalar.parts())),
            _ => unsupported("an integer intrinsic on floats"),
        }
    }

    // ---- masked accesses

    /// Loads the lanes whose mask is set; the others are those of `other`.
    fn masked_load(
        &mut self,
        ty: TypeId,
        mask: Operand,
        other: Operand,
        mut place: impl FnMut(&mut Self, u32, u64) -> Checked<Value>,
    ) -> Checked<Operand> {
        let shape = self.masked_shape(ty, mask)?;
        if other.ty != ty {
            return fail(self.type_class(other.ty, "the type of the vector that is loaded"));
        }
        let (lane_ty, size) = self.masked_lane(ty)?;
        let mask = self.lanes_of(mask)?;
        let others = self.lanes_of(other)?;
        let each = shape.lane.parts();
        let out = self.reserve(others.len);
        for lane in 0..shape.lanes {
            let cond = self.get(mask, lane);
            let address = place(self, lane, size)?;
            let other = others.part(lane * each, each);
            let value = match self.b.func.int_value(cond) {
                Some(0) => other,
                Some(_) => {
                    let value = self.load_value(lane_ty, address, 0, Access::Plain)?;
                    self.run(value)
                }
                None => {
                    let before = self.ice_block();
                    let (taken, after) = (self.b.create_block(), self.b.create_block());
                    self.b.cond_br(cond, taken, after);
                    self.continue_in(taken);
                    let value = self.load_value(lane_ty, address, 0, Access::Plain)?;
                    let value = self.run(value);
                    self.b.br(after);
                    self.continue_in(after);
                    let merged = self.reserve(each);
                    for part in 0..each {
                        let (x, y) = (self.get(value, part), self.get(other, part));
                        let part_ty = self.ty_of(x);
                        let phi = self.b.phi(part_ty, &[(x, taken), (y, before)]);
                        self.set(merged, part, phi);
                    }
                    merged
                }
            };
            self.copy(out, lane * each, value);
        }
        let run = self.join_lanes(shape, out);
        Ok(self.operand(ty, run))
    }

    /// Stores the lanes whose mask is set.
    fn masked_store(
        &mut self,
        value: Operand,
        mask: Operand,
        mut place: impl FnMut(&mut Self, u32, u64) -> Checked<Value>,
    ) -> Checked<()> {
        let shape = self.masked_shape(value.ty, mask)?;
        let (lane_ty, size) = self.masked_lane(value.ty)?;
        let mask = self.lanes_of(mask)?;
        let lanes = self.lanes_of(value)?;
        let each = shape.lane.parts();
        for lane in 0..shape.lanes {
            let cond = self.get(mask, lane);
            let address = place(self, lane, size)?;
            let value = self.operand(lane_ty, lanes.part(lane * each, each));
            match self.b.func.int_value(cond) {
                Some(0) => {}
                Some(_) => self.store_value(value, address, 0)?,
                None => {
                    let (taken, after) = (self.b.create_block(), self.b.create_block());
                    self.b.cond_br(cond, taken, after);
                    self.continue_in(taken);
                    self.store_value(value, address, 0)?;
                    self.b.br(after);
                    self.continue_in(after);
                }
            }
        }
        Ok(())
    }

    /// Whether there is an intrinsic for the native vectors that values of `ty` consist of.
    fn has_packed(&self, op: Intrinsic, ty: TypeId) -> bool {
        match self.kind(ty) {
            Kind::Vector(VectorShape { native: Some(native), .. }) => {
                native.is_float_or_float_vector() && self.p.runtime.intrinsic(op, native).is_some()
            }
            _ => false,
        }
    }

    /// The shape of a vector that is accessed under a mask.
    fn masked_shape(&self, ty: TypeId, mask: Operand) -> Checked<VectorShape> {
        let (shape, mask) = (self.vector_shape(ty)?, self.vector_shape(mask.ty)?);
        match mask.lane == Scalar::Int(1) && mask.lanes == shape.lanes {
            true => Ok(shape),
            false => fail(self.type_class(ty, "a vector of as many lanes as the mask")),
        }
    }

    /// The type of a lane and its size in memory, in whole bytes.
    fn masked_lane(&self, ty: TypeId) -> Checked<(TypeId, u64)> {
        let crate::llvm::wire::types::LlvmType::Vector { element, .. } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a vector"));
        };
        let bits = self.m.layouts.bits(element)?;
        match bits.is_multiple_of(8) {
            true => Ok((element, bits / 8)),
            false => unsupported("a masked access to lanes that are no whole bytes"),
        }
    }
}

/// The name for `float` of a function of libm.
fn float_name(name: &'static str) -> &'static str {
    match name {
        "floor" => "floorf",
        "ceil" => "ceilf",
        "trunc" => "truncf",
        "rint" => "rintf",
        "nearbyint" => "nearbyintf",
        "round" => "roundf",
        "roundeven" => "roundevenf",
        "fma" => "fmaf",
        "pow" => "powf",
        "__powidf2" => "__powisf2",
        "ldexp" => "ldexpf",
        "sin" => "sinf",
        "cos" => "cosf",
        "tan" => "tanf",
        "asin" => "asinf",
        "acos" => "acosf",
        "atan" => "atanf",
        "atan2" => "atan2f",
        "sinh" => "sinhf",
        "cosh" => "coshf",
        "tanh" => "tanhf",
        "exp" => "expf",
        "exp2" => "exp2f",
        "exp10" => "exp10f",
        "log" => "logf",
        "log2" => "log2f",
        "log10" => "log10f",
        other => other,
    }
}
