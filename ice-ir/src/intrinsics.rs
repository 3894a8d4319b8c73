//! The 42 intrinsics of the stable bitcode format: names, signatures, meaning.
//!
//! An [`Intrinsic`] says what is done; the operand width follows from the types of the arguments. The
//! table [`DECLARATIONS`] has one line a name.

use crate::instruction::named_enum;
use crate::types::Type::{self, *};

named_enum!(
    /// What a call of an intrinsic does.
    Intrinsic {
        /// `(dst, src, len, align, volatile)`: copy, no overlap.
        Memcpy = "memcpy",
        /// `(dst, src, len, align, volatile)`: copy as if through a buffer.
        Memmove = "memmove",
        /// `(dst, byte, len, align, volatile)`: fill.
        Memset = "memset",
        /// The thread pointer.
        ReadTp = "read.tp",
        /// C11 `setjmp`; returns twice.
        Setjmp = "setjmp",
        /// C11 `longjmp`.
        Longjmp = "longjmp",
        /// Reverses the bytes.
        Bswap = "bswap",
        /// Leading zeros; the width for 0, whatever the second argument says.
        Ctlz = "ctlz",
        /// Trailing zeros; the width for 0.
        Cttz = "cttz",
        /// Number of ones.
        Ctpop = "ctpop",
        /// Clears the sign bit, lane by lane.
        Fabs = "fabs",
        /// IEEE square root.
        Sqrt = "sqrt",
        /// Handle of the current stack height.
        Stacksave = "stacksave",
        /// Frees every alloca made since the handle was taken.
        Stackrestore = "stackrestore",
        /// Ends the program with a fault.
        Trap = "trap",
        /// `(address, order)`.
        AtomicLoad = "atomic.load",
        /// `(value, address, order)`: value first.
        AtomicStore = "atomic.store",
        /// `(op, address, value, order)`: the old value.
        AtomicRmw = "atomic.rmw",
        /// `(address, expected, desired, success order, failure order)`: the old value.
        AtomicCmpxchg = "atomic.cmpxchg",
        /// `(order)`.
        AtomicFence = "atomic.fence",
        /// A fence for ordinary accesses as well.
        AtomicFenceAll = "atomic.fence.all",
        /// `(size, address)`: 1 if accesses of that size are lock free.
        AtomicIsLockFree = "atomic.is.lock.free",
        /// `(list)`: makes the `va_list` at that address begin with the first variadic argument. Native only,
        /// as all that follow.
        VaStart = "va.start",
        /// `(level)`: the frame pointer of the function (0) or of a caller.
        FrameAddress = "frame.address",
        /// `(level)`: where the function (0) or a caller returns to.
        ReturnAddress = "return.address",
        /// `(address of a thread-local global)`: the address of this thread's copy.
        ThreadLocalAddress = "threadlocal.address",
        /// `(operation, to, a, b)`: an [`ExtendedOp`] by its code, on operands in memory at these addresses. A number in
        /// place of an operand's address stands for the `f32` of these bits.
        Extended = "extended",
        /// `(address, size, alignment)`: stands among variable arguments for the object of so many bytes there, which is
        /// passed [by value](crate::Passing::of_variable). The numbers are constant `i32`, the alignment as log2.
        ByValue = "by.value",
        /// `(a, b)`: the high half of the product of two numbers without sign, as wide as an address.
        MulHigh = "mul.high",
        /// `(segment, offset)`: the word, as wide as an address, at that offset of a [`Segment`](crate::Segment) by its
        /// number. It is read each time.
        SegmentWord = "segment.word",
        /// `(address, word)`: the address, if a function of that [type word](crate::native::FunctionTraits::type_word) begins
        /// there; else the program ends with a fault. The word is a constant `i32`.
        CheckType = "check.type",
        /// `(value)`: the same, at this place: what the value is computed from is computed before, what is computed from the
        /// result comes behind, in the order of calls. So an operation between two of them rounds as the processor has
        /// been told to there, and raises its exceptions there.
        Pin = "pin",
        /// `(float)`: flips the sign bit of an `f32` or `f64`, and nothing else.
        Fneg = "fneg",
        /// `(a, b, c)`: `a × b + c`, rounded once, of floats or lane by lane.
        Fma = "fma",
        /// `(float)`: the greatest integer that is not greater, lane by lane, on a machine that has an instruction for it, as
        /// with all of the next ten.
        Floor = "floor",
        /// `(float)`: the least integer that is not less.
        Ceil = "ceil",
        /// `(float)`: the integer next to it toward zero.
        TruncFloat = "trunc.float",
        /// `(float)`: the nearest integer, of two the even one.
        RoundEven = "round.even",
        /// `(float)`: the nearest integer, of two the one farther from zero.
        Round = "round",
        /// `(float)`: an integer in the direction that the processor has been told; raises the exception for inexact results.
        Rint = "rint",
        /// `(float)`: the same without the exception.
        NearbyInt = "nearbyint",
        /// `(a, b)`: the lesser number, lane by lane; of a number and a NaN the number.
        MinNum = "minnum",
        /// `(a, b)`: the greater number, likewise.
        MaxNum = "maxnum",
        /// `(a, b)`: the lesser number, where -0 is less than 0, or a NaN if either is one.
        Minimum = "minimum",
        /// `(a, b)`: the greater number, likewise.
        Maximum = "maximum",
        /// `(bits)`: those of an `i32` or `i64` in the opposite order, on a machine that has an instruction for it.
        Bitreverse = "bitreverse",
        /// `(low, high)`: two `f64` as a vector of 128 bits, on a machine whose registers of vectors are pairs of those of
        /// doubles.
        DoublePair = "double.pair",
        /// `(vector, half)`: the low (0) or the high (1) half of a vector of 128 bits as an `f64`, on such a machine. The half
        /// is a constant `i32`.
        DoubleHalf = "double.half",
    }
);

impl Intrinsic {
    /// True for integers next to a float, and for the lesser and the greater of two.
    pub const fn is_of_floats(self) -> bool {
        self.rounds()
            || matches!(self, Intrinsic::MinNum | Intrinsic::MaxNum | Intrinsic::Minimum | Intrinsic::Maximum)
    }

    /// True for integers next to a float.
    pub const fn rounds(self) -> bool {
        use Intrinsic::*;
        matches!(self, Floor | Ceil | TruncFloat | RoundEven | Round | Rint | NearbyInt)
    }

    /// False where a call with an unused result may be removed.
    pub const fn has_side_effects(self) -> bool {
        use Intrinsic::*;
        !self.is_computation()
            && !matches!(
                self,
                ReadTp
                    | FrameAddress
                    | ReturnAddress
                    | ThreadLocalAddress
                    | ByValue
                    | MulHigh
                    | Fma
                    | DoublePair
                    | DoubleHalf
                    | AtomicIsLockFree
            )
    }

    /// True where the result depends on the operands alone, and the call may stand anywhere.
    pub const fn is_computation(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            Bswap
                | Bitreverse
                | Ctlz
                | Cttz
                | Ctpop
                | Fabs
                | Fneg
                | Sqrt
                | Floor
                | Ceil
                | TruncFloat
                | RoundEven
                | Round
                | Rint
                | NearbyInt
                | MinNum
                | MaxNum
                | Minimum
                | Maximum
        )
    }

    /// True for accesses that are atomic, fences, and the question whether accesses are free of locks.
    pub const fn is_atomic(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            AtomicLoad
                | AtomicStore
                | AtomicRmw
                | AtomicCmpxchg
                | AtomicFence
                | AtomicFenceAll
                | AtomicIsLockFree
        )
    }

    /// True where values live across the call must be in memory, because it can return again.
    pub const fn returns_twice(self) -> bool {
        matches!(self, Intrinsic::Setjmp)
    }
}

/// The operation with this code; codes count from 1.
fn coded<T: Copy>(all: &[T], code: i64) -> Option<T> {
    all.get(usize::try_from(code).ok()?.checked_sub(1)?).copied()
}

named_enum!(
    /// Read-modify-write operations, in the order of their codes from 1 on.
    AtomicOp {
        /// Wrapping addition.
        Add = "add",
        /// Wrapping subtraction.
        Sub = "sub",
        /// Bitwise or.
        Or = "or",
        /// Bitwise and.
        And = "and",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// The new value as it is.
        Exchange = "xchg",
    }
);

impl AtomicOp {
    /// The operation with this code (1 … 6).
    pub fn from_code(code: i64) -> Option<AtomicOp> {
        coded(AtomicOp::ALL, code)
    }
}

named_enum!(
    /// Operations of the x87 unit on its 80-bit format, in the order of their codes from 1 on. Every operand is
    /// in memory; those that an operation does not name are not looked at.
    ExtendedOp {
        /// `to = a + b`.
        Add = "add",
        /// `to = a - b`.
        Sub = "sub",
        /// `to = a * b`.
        Mul = "mul",
        /// `to = a / b`.
        Div = "div",
        /// `to = sqrt(a)`.
        Sqrt = "sqrt",
        /// `to`, an `i16`: 0 if `a > b`, else 0x100 if `a < b`, 0x4000 if `a = b`, 0x4500 if they have no order.
        Compare = "compare",
        /// `to = a`, an `f32`.
        FromSingle = "from.f32",
        /// `to = a`, an `f64`.
        FromDouble = "from.f64",
        /// `to`, an `f32`, is `a` rounded.
        ToSingle = "to.f32",
        /// `to`, an `f64`, is `a` rounded.
        ToDouble = "to.f64",
        /// `a` becomes the result of the function, on top of those that became it before.
        Return = "return",
        /// `to` gets the topmost result of the call just made, which is taken away.
        Result = "result",
        /// `to = a`, an `i64` with a sign.
        FromLong = "from.i64",
    }
);

impl ExtendedOp {
    /// The operation with this code.
    pub fn from_code(code: i64) -> Option<ExtendedOp> {
        coded(ExtendedOp::ALL, code)
    }

    /// Its code.
    pub const fn code(self) -> i64 {
        self as i64 + 1
    }
}

/// A name of the stable set, with its exact signature.
pub struct IntrinsicDecl {
    /// The whole name, such as `llvm.ctlz.i32`.
    pub name: &'static str,
    /// What it does.
    pub op: Intrinsic,
    /// Return type.
    pub ret: Type,
    /// Parameter types.
    pub params: &'static [Type],
}

const fn decl(name: &'static str, op: Intrinsic, ret: Type, params: &'static [Type]) -> IntrinsicDecl {
    IntrinsicDecl { name, op, ret, params }
}

use Intrinsic as I;

/// The stable set, sorted by name (bitcode specification, section 11).
pub const DECLARATIONS: &[IntrinsicDecl] = &[
    decl("llvm.bswap.i16", I::Bswap, I16, &[I16]),
    decl("llvm.bswap.i32", I::Bswap, I32, &[I32]),
    decl("llvm.bswap.i64", I::Bswap, I64, &[I64]),
    decl("llvm.ctlz.i32", I::Ctlz, I32, &[I32, I1]),
    decl("llvm.ctlz.i64", I::Ctlz, I64, &[I64, I1]),
    decl("llvm.ctpop.i32", I::Ctpop, I32, &[I32]),
    decl("llvm.ctpop.i64", I::Ctpop, I64, &[I64]),
    decl("llvm.cttz.i32", I::Cttz, I32, &[I32, I1]),
    decl("llvm.cttz.i64", I::Cttz, I64, &[I64, I1]),
    decl("llvm.fabs.f32", I::Fabs, F32, &[F32]),
    decl("llvm.fabs.f64", I::Fabs, F64, &[F64]),
    decl("llvm.fabs.v4f32", I::Fabs, V4F32, &[V4F32]),
    decl("llvm.memcpy.p0i8.p0i8.i32", I::Memcpy, Void, &[I32, I32, I32, I32, I1]),
    decl("llvm.memmove.p0i8.p0i8.i32", I::Memmove, Void, &[I32, I32, I32, I32, I1]),
    decl("llvm.memset.p0i8.i32", I::Memset, Void, &[I32, I8, I32, I32, I1]),
    decl("llvm.nacl.atomic.cmpxchg.i16", I::AtomicCmpxchg, I16, &[I32, I16, I16, I32, I32]),
    decl("llvm.nacl.atomic.cmpxchg.i32", I::AtomicCmpxchg, I32, &[I32, I32, I32, I32, I32]),
    decl("llvm.nacl.atomic.cmpxchg.i64", I::AtomicCmpxchg, I64, &[I32, I64, I64, I32, I32]),
    decl("llvm.nacl.atomic.cmpxchg.i8", I::AtomicCmpxchg, I8, &[I32, I8, I8, I32, I32]),
    decl("llvm.nacl.atomic.fence", I::AtomicFence, Void, &[I32]),
    decl("llvm.nacl.atomic.fence.all", I::AtomicFenceAll, Void, &[]),
    decl("llvm.nacl.atomic.is.lock.free", I::AtomicIsLockFree, I1, &[I32, I32]),
    decl("llvm.nacl.atomic.load.i16", I::AtomicLoad, I16, &[I32, I32]),
    decl("llvm.nacl.atomic.load.i32", I::AtomicLoad, I32, &[I32, I32]),
    decl("llvm.nacl.atomic.load.i64", I::AtomicLoad, I64, &[I32, I32]),
    decl("llvm.nacl.atomic.load.i8", I::AtomicLoad, I8, &[I32, I32]),
    decl("llvm.nacl.atomic.rmw.i16", I::AtomicRmw, I16, &[I32, I32, I16, I32]),
    decl("llvm.nacl.atomic.rmw.i32", I::AtomicRmw, I32, &[I32, I32, I32, I32]),
    decl("llvm.nacl.atomic.rmw.i64", I::AtomicRmw, I64, &[I32, I32, I64, I32]),
    decl("llvm.nacl.atomic.rmw.i8", I::AtomicRmw, I8, &[I32, I32, I8, I32]),
    decl("llvm.nacl.atomic.store.i16", I::AtomicStore, Void, &[I16, I32, I32]),
    decl("llvm.nacl.atomic.store.i32", I::AtomicStore, Void, &[I32, I32, I32]),
    decl("llvm.nacl.atomic.store.i64", I::AtomicStore, Void, &[I64, I32, I32]),
    decl("llvm.nacl.atomic.store.i8", I::AtomicStore, Void, &[I8, I32, I32]),
    decl("llvm.nacl.longjmp", I::Longjmp, Void, &[I32, I32]),
    decl("llvm.nacl.read.tp", I::ReadTp, I32, &[]),
    decl("llvm.nacl.setjmp", I::Setjmp, I32, &[I32]),
    decl("llvm.sqrt.f32", I::Sqrt, F32, &[F32]),
    decl("llvm.sqrt.f64", I::Sqrt, F64, &[F64]),
    decl("llvm.stackrestore", I::Stackrestore, Void, &[I32]),
    decl("llvm.stacksave", I::Stacksave, I32, &[]),
    decl("llvm.trap", I::Trap, Void, &[]),
];

/// The declaration called `name`.
pub fn find(name: &[u8]) -> Option<&'static IntrinsicDecl> {
    DECLARATIONS.binary_search_by(|d| d.name.as_bytes().cmp(name)).ok().map(|i| &DECLARATIONS[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        assert_eq!(DECLARATIONS.len(), 42);
        for d in DECLARATIONS {
            assert_eq!(find(d.name.as_bytes()).map(|f| f.name), Some(d.name));
        }
        assert!(find(b"llvm.bswap.i8").is_none());
    }

    #[test]
    fn rmw_codes() {
        assert_eq!(AtomicOp::from_code(1), Some(AtomicOp::Add));
        assert_eq!(AtomicOp::from_code(6), Some(AtomicOp::Exchange));
        assert_eq!(AtomicOp::from_code(0), None);
        assert_eq!(AtomicOp::from_code(7), None);
    }
}
