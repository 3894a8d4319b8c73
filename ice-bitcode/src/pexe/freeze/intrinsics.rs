//! Intrinsics: those of the stable set under their stable names, others by simpler ones.

use super::FreezeErrorKind;
use super::body::Body;
use ice_ir::intrinsics::{DECLARATIONS, IntrinsicDecl};
use ice_ir::{BinaryOp, CastOp, Inst, Intrinsic, TailHint, Type, Value, ValueRange};

/// The code of sequential consistency.
const SEQ_CST: i64 = 6;

/// The stable intrinsic that does `op` on values of type `ty`: of the result, or of what is stored.
pub(super) fn stable(op: Intrinsic, ty: Type) -> Option<&'static IntrinsicDecl> {
    let fits = |decl: &&IntrinsicDecl| match op {
        Intrinsic::AtomicStore => decl.params.first() == Some(&ty),
        _ => decl.ret == ty,
    };
    DECLARATIONS.iter().filter(|decl| decl.op == op).find(fits)
}

impl Body<'_, '_> {
    /// A call of an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        inst: Inst,
        op: Intrinsic,
        args: ValueRange,
    ) -> Result<(), FreezeErrorKind> {
        use Intrinsic::*;
        let old = self.old.args(args);
        let ty = self.old.result(inst).map_or(Type::Void, |v| self.old.value_type(v));
        let mut values = core::mem::take(&mut self.args);
        values.clear();
        values.extend(old.iter().map(|&v| self.value(v)));
        match op {
            VaStart => {
                let list = self.variadic.ok_or(FreezeErrorKind::Unsupported("va_start here"))?;
                self.store(values[0], list, 0);
            }
            FrameAddress | ReturnAddress => {
                return Err(FreezeErrorKind::Unsupported("the address of a frame or return"));
            }
            // Frozen programs round to the nearest and see no exceptions. Calls copy what is by value.
            Pin | ByValue => {
                self.define_next(inst);
                let same = self.new.cast(CastOp::Bitcast, values[0], ty);
                self.defined(inst, same);
            }
            Fneg => {
                let (bits, sign) = match ty {
                    Type::F32 => (Type::I32, i64::from(i32::MIN)),
                    _ => (Type::I64, i64::MIN),
                };
                let number = self.new.cast(CastOp::Bitcast, values[0], bits);
                let sign = self.new.int_const(bits, sign);
                let flipped = self.new.binary(BinaryOp::Xor, number, sign);
                self.define_next(inst);
                let result = self.new.cast(CastOp::Bitcast, flipped, ty);
                self.defined(inst, result);
            }
            CheckType => return Err(FreezeErrorKind::Unsupported("calls that look at types")),
            SegmentWord => return Err(FreezeErrorKind::Unsupported("the words of a segment")),
            DoublePair | DoubleHalf => {
                return Err(FreezeErrorKind::Unsupported("doubles in registers of vectors"));
            }
            Bitreverse => return Err(FreezeErrorKind::Unsupported("bits in the opposite order")),
            MulHigh => return Err(FreezeErrorKind::Unsupported("products of 128 bits")),
            _ if op.is_of_floats() => {
                return Err(FreezeErrorKind::Unsupported("floats rounded or compared by one instruction"));
            }
            Fma => return Err(FreezeErrorKind::Unsupported("products with sums, rounded once")),
            Extended => return Err(FreezeErrorKind::Unsupported("long double of 80 bits")),
            ThreadLocalAddress => return Err(FreezeErrorKind::Unsupported("thread-local storage")),
            Ctlz | Cttz | Ctpop if matches!(ty, Type::I8 | Type::I16) => {
                self.count_bits(inst, op, ty, values[0])?;
            }
            Sqrt | Fabs if ty.is_vector() && stable(op, ty).is_none() => {
                self.by_lane(inst, op, ty, values[0])?
            }
            _ => {
                let key = if op == AtomicStore { self.new.func.value_type(values[0]) } else { ty };
                let orders = match op {
                    Memcpy | Memmove | Memset => {
                        values[3] = self.int(1);
                        0..0
                    }
                    AtomicLoad => 1..2,
                    AtomicStore => 2..3,
                    AtomicRmw => 3..4,
                    AtomicCmpxchg => 3..5,
                    AtomicFence => 0..1,
                    _ => 0..0,
                };
                for order in orders {
                    values[order] = self.int(SEQ_CST);
                }
                self.define_next(inst);
                if let Some(result) = self.stable_call(op, key, &values)? {
                    self.defined(inst, result);
                }
            }
        }
        self.args = values;
        Ok(())
    }

    /// A call of the stable intrinsic for `op` on `key`.
    fn stable_call(
        &mut self,
        op: Intrinsic,
        key: Type,
        args: &[Value],
    ) -> Result<Option<Value>, FreezeErrorKind> {
        let stable = stable(op, key).ok_or(FreezeErrorKind::Unsupported("this intrinsic on this type"))?;
        let callee = self.frozen.intrinsic(stable);
        Ok(self.new.call_intrinsic(op, callee, args, stable.ret, TailHint::None))
    }

    /// Counts bits of a narrow integer as one of 32 bits: a stop bit above it ends trailing zeros, and
    /// leading zeros are counted 32 - width too many.
    fn count_bits(&mut self, inst: Inst, op: Intrinsic, ty: Type, arg: Value) -> Result<(), FreezeErrorKind> {
        let mut wide = self.new.cast(CastOp::Zext, arg, Type::I32);
        if op == Intrinsic::Cttz {
            let stop = self.int(1 << ty.bits());
            wide = self.new.binary(BinaryOp::Or, wide, stop);
        }
        let zero_is_defined = self.new.int_const(Type::I1, 0);
        let args = [wide, zero_is_defined];
        let args = if op == Intrinsic::Ctpop { &args[..1] } else { &args[..] };
        let count = self.stable_call(op, Type::I32, args)?;
        let mut count = count.ok_or(FreezeErrorKind::Unsupported("this intrinsic"))?;
        if op == Intrinsic::Ctlz {
            let above = self.int(i64::from(32 - ty.bits()));
            count = self.new.binary(BinaryOp::Sub, count, above);
        }
        self.define_next(inst);
        let result = self.new.cast(CastOp::Trunc, count, ty);
        self.defined(inst, result);
        Ok(())
    }

    fn by_lane(&mut self, inst: Inst, op: Intrinsic, ty: Type, arg: Value) -> Result<(), FreezeErrorKind> {
        let mut result = arg;
        for lane in 0..ty.lanes() {
            let index = self.int(i64::from(lane));
            let element = self.new.extract_element(arg, index);
            let element = self.stable_call(op, ty.element(), &[element])?;
            let element = element.ok_or(FreezeErrorKind::Unsupported("this intrinsic"))?;
            if lane + 1 == ty.lanes() {
                self.define_next(inst);
            }
            result = self.new.insert_element(result, element, index);
        }
        self.defined(inst, result);
        Ok(())
    }
}
