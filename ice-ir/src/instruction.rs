//! Instructions: one enum of 16 bytes, with argument lists in pools of the function.

use crate::entities::{AssemblyId, Block, FuncId, Invocation, Pad, SigId, SwitchTable, Value};
use crate::hardening::ObjectKind;
use crate::intrinsics::Intrinsic;

/// Declares a C-like enum with a name in the text form for each variant.
macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every variant, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The variant with this name in the text form.
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named_enum;

named_enum!(
    /// Two operands and a result of one type. Integer arithmetic wraps.
    BinaryOp {
        /// Integer addition.
        Add = "add",
        /// Integer subtraction.
        Sub = "sub",
        /// Integer multiplication.
        Mul = "mul",
        /// Unsigned division; a zero divisor traps.
        Udiv = "udiv",
        /// Signed division toward zero; a zero divisor traps.
        Sdiv = "sdiv",
        /// Unsigned remainder; a zero divisor traps.
        Urem = "urem",
        /// Signed remainder with the sign of the dividend; a zero divisor traps.
        Srem = "srem",
        /// Shift left; an amount past the width is undefined.
        Shl = "shl",
        /// Logical shift right.
        Lshr = "lshr",
        /// Arithmetic shift right.
        Ashr = "ashr",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// IEEE addition.
        Fadd = "fadd",
        /// IEEE subtraction.
        Fsub = "fsub",
        /// IEEE multiplication.
        Fmul = "fmul",
        /// IEEE division.
        Fdiv = "fdiv",
        /// C `fmod`.
        Frem = "frem",
    }
);

impl BinaryOp {
    /// True where the operands may be exchanged.
    pub const fn is_commutative(self) -> bool {
        use BinaryOp::*;
        matches!(self, Add | Mul | And | Or | Xor | Fadd | Fmul)
    }

    /// True for the operators on floating-point lanes.
    pub const fn is_float(self) -> bool {
        use BinaryOp::*;
        matches!(self, Fadd | Fsub | Fmul | Fdiv | Frem)
    }

    /// True for the four integer divisions and remainders, which trap on a zero divisor.
    pub const fn is_division(self) -> bool {
        use BinaryOp::*;
        matches!(self, Udiv | Sdiv | Urem | Srem)
    }

    /// True for the three shifts.
    pub const fn is_shift(self) -> bool {
        use BinaryOp::*;
        matches!(self, Shl | Lshr | Ashr)
    }
}

named_enum!(
    /// Conversions.
    CastOp {
        /// To a narrower integer.
        Trunc = "trunc",
        /// To a wider integer, zero-extended.
        Zext = "zext",
        /// To a wider integer, sign-extended.
        Sext = "sext",
        /// Floating point to unsigned integer, toward zero; out of range is undefined.
        Fptoui = "fptoui",
        /// Floating point to signed integer, toward zero; out of range is undefined.
        Fptosi = "fptosi",
        /// Unsigned integer to floating point, to nearest.
        Uitofp = "uitofp",
        /// Signed integer to floating point, to nearest.
        Sitofp = "sitofp",
        /// f64 to f32.
        Fptrunc = "fptrunc",
        /// f32 to f64.
        Fpext = "fpext",
        /// The bits of a value, unchanged, as a value of another type of that size.
        Bitcast = "bitcast",
    }
);

named_enum!(
    /// Integer comparison predicates.
    IntCond {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Unsigned greater.
        Ugt = "ugt",
        /// Unsigned greater or equal.
        Uge = "uge",
        /// Unsigned less.
        Ult = "ult",
        /// Unsigned less or equal.
        Ule = "ule",
        /// Signed greater.
        Sgt = "sgt",
        /// Signed greater or equal.
        Sge = "sge",
        /// Signed less.
        Slt = "slt",
        /// Signed less or equal.
        Sle = "sle",
    }
);

impl IntCond {
    /// The predicate that holds when this one does not.
    pub const fn inverse(self) -> IntCond {
        use IntCond::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Ugt => Ule,
            Uge => Ult,
            Ult => Uge,
            Ule => Ugt,
            Sgt => Sle,
            Sge => Slt,
            Slt => Sge,
            Sle => Sgt,
        }
    }

    /// The predicate for exchanged operands.
    pub const fn swapped(self) -> IntCond {
        use IntCond::*;
        match self {
            Eq => Eq,
            Ne => Ne,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            Sgt => Slt,
            Sge => Sle,
            Slt => Sgt,
            Sle => Sge,
        }
    }

    /// Whether the predicate holds for `a` and `b`, given as sign-extended and zero-extended numbers.
    pub const fn holds(self, (sa, ua): (i64, u64), (sb, ub): (i64, u64)) -> bool {
        use IntCond::*;
        match self {
            Eq => ua == ub,
            Ne => ua != ub,
            Ugt => ua > ub,
            Uge => ua >= ub,
            Ult => ua < ub,
            Ule => ua <= ub,
            Sgt => sa > sb,
            Sge => sa >= sb,
            Slt => sa < sb,
            Sle => sa <= sb,
        }
    }
}

named_enum!(
    /// Floating-point comparison predicates, in the order of their codes: bit 0 true if equal, bit 1 if
    /// greater, bit 2 if less, bit 3 if unordered.
    FloatCond {
        /// Never.
        False = "false",
        /// Ordered and equal.
        Oeq = "oeq",
        /// Ordered and greater.
        Ogt = "ogt",
        /// Ordered and greater or equal.
        Oge = "oge",
        /// Ordered and less.
        Olt = "olt",
        /// Ordered and less or equal.
        Ole = "ole",
        /// Ordered and different.
        One = "one",
        /// Neither is a NaN.
        Ord = "ord",
        /// One is a NaN.
        Uno = "uno",
        /// Unordered or equal.
        Ueq = "ueq",
        /// Unordered or greater.
        Ugt = "ugt",
        /// Unordered, greater or equal.
        Uge = "uge",
        /// Unordered or less.
        Ult = "ult",
        /// Unordered, less or equal.
        Ule = "ule",
        /// Unordered or different.
        Une = "une",
        /// Always.
        True = "true",
    }
);

impl FloatCond {
    /// Whether the predicate holds for `a` and `b` (an `f32` is widened exactly by the caller).
    pub fn holds(self, a: f64, b: f64) -> bool {
        let bit = match a.partial_cmp(&b) {
            Some(core::cmp::Ordering::Equal) => 1,
            Some(core::cmp::Ordering::Greater) => 2,
            Some(core::cmp::Ordering::Less) => 4,
            None => 8,
        };
        self as u8 & bit != 0
    }

    /// The predicate that holds when this one does not.
    pub const fn inverse(self) -> FloatCond {
        FloatCond::ALL[15 - self as usize]
    }

    /// The predicate for exchanged operands.
    pub const fn swapped(self) -> FloatCond {
        let code = self as u8;
        FloatCond::ALL[(code & 9 | (code & 2) << 1 | (code & 4) >> 1) as usize]
    }
}

/// What is said of a call beside its callee and arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TailHint {
    /// Nothing.
    None,
    /// The producer marked it as a tail call: a hint without meaning for execution.
    Tail,
    /// It is no tail call, and its last arguments, behind those of the signature, are *live values*: the callee does not
    /// get them, and compiled code says where they are while the call runs. `call @f(a) live(b, c)`.
    Live,
}

/// A run of entries in one of the function's argument pools.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueRange {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl ValueRange {
    /// Number of entries.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// True without entries.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The first entries, `len` of them at most.
    #[must_use]
    pub fn first(self, len: usize) -> ValueRange {
        ValueRange { len: self.len.min(len as u32), ..self }
    }

    /// The entries behind the first.
    #[must_use]
    pub const fn rest(self) -> ValueRange {
        ValueRange { start: self.start + (self.len != 0) as u32, len: self.len.saturating_sub(1) }
    }

    pub(crate) const fn indices(self) -> core::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// One instruction. Result types are kept with the result value.
#[allow(missing_docs, reason = "the fields are named after the text form in each variant's line")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InstData {
    /// `op a, b`.
    Binary { op: BinaryOp, args: [Value; 2] },
    /// `op a to type`.
    Cast { op: CastOp, arg: Value },
    /// `icmp cond a, b`.
    Icmp { cond: IntCond, args: [Value; 2] },
    /// `fcmp cond a, b`.
    Fcmp { cond: FloatCond, args: [Value; 2] },
    /// Picks `if_true` or `if_false`; a vector condition picks lane by lane.
    Select { cond: Value, if_true: Value, if_false: Value },
    /// One lane of a vector; `index` is an `i32` constant below the lane count.
    ExtractElement { vector: Value, index: Value },
    /// A vector with one lane replaced; `index` as above.
    InsertElement { vector: Value, element: Value, index: Value },
    /// Fresh storage of `size` bytes in the frame; alignment is `1 << align_log2`.
    Alloca { size: Value, align_log2: u8, kind: ObjectKind },
    /// A load of the result's type.
    Load { address: Value, align_log2: u8 },
    /// A store of `value`.
    Store { address: Value, value: Value, align_log2: u8 },
    /// A direct call.
    Call { callee: FuncId, args: ValueRange, tail: TailHint },
    /// A call through an address; its signature is the types of its arguments and of its result.
    CallIndirect { callee: Value, args: ValueRange, tail: TailHint },
    /// A call of the address `args[0]`, with the other arguments, as a function of a signature that says more
    /// than types: variadic, by value, with two results. The callee may be the address of a function.
    CallAs { signature: SigId, args: ValueRange, tail: TailHint },
    /// The second result of the call that defines `first` and directly comes before; also of [`InstData::InvokeResult`],
    /// and the selector of [`InstData::LandingPad`].
    SecondResult { first: Value },
    /// [Inline assembly](crate::assembly) with its inputs. Its result is the first of its outputs.
    Assembly { assembly: AssemblyId, args: ValueRange },
    /// The same where the text is one instruction whose one result depends on its inputs alone: a computation of the machine.
    MachineOp { assembly: AssemblyId, args: ValueRange },
    /// Output number `number`, from 1 on, of the inline assembly that defines `first`, behind which its outputs stand in
    /// order; also behind an [`InstData::InvokeResult`].
    Output { first: Value, number: u32 },
    /// The result of the [`InstData::Invoke`] before, the first instruction of its normal block; or the first output of the
    /// [`InstData::AssemblyJump`] before, at the start of each of its targets.
    InvokeResult,
    /// The address of the code of the block that is label `label` of a function, which may be another one: a
    /// [switch by addresses](crate::SwitchKey::Label) of that function goes there. `block_address @f, 3`.
    BlockAddress { function: FuncId, label: u32 },
    /// The exception that has come here, as an address; the first instruction of a pad.
    LandingPad { pad: Pad },
    /// A call of an intrinsic, with the declaration it goes through.
    CallIntrinsic { op: Intrinsic, callee: FuncId, args: ValueRange, tail: TailHint },
    /// One (value, predecessor) pair for every incoming edge.
    Phi { incoming: ValueRange },
    /// Unconditional branch.
    Br { target: Block },
    /// Conditional branch.
    CondBr { cond: Value, if_true: Block, if_false: Block },
    /// Multi-way branch, by a number or by an [address of the function's code](crate::SwitchKey).
    Switch { value: Value, default: Block, table: SwitchTable },
    /// Return.
    Ret { value: Option<Value> },
    /// Return of two results.
    RetPair { values: [Value; 2] },
    /// A direct call in place of a return: the frame of the function is gone when the callee begins, and what the
    /// callee gives is what the function gives.
    ReturnCall { callee: FuncId, args: ValueRange },
    /// The same through an address; the signature is the types of the arguments and the results of the function.
    ReturnCallIndirect { callee: Value, args: ValueRange },
    /// The same as a function of a signature, of the address `args[0]` with the other arguments. In a variadic function they
    /// are for the parameters, of which the callee has the same, and it gets the variable arguments that the function got.
    ReturnCallAs { signature: SigId, args: ValueRange },
    /// A call that an exception may leave: goes to one of two blocks ([`exceptions`](crate::exceptions)).
    Invoke { call: Invocation, args: ValueRange },
    /// [Inline assembly](crate::assembly) with its inputs, whose text may jump: goes to one of its targets.
    AssemblyJump { assembly: AssemblyId, args: ValueRange },
    /// Never reached; traps.
    Unreachable,
    /// A vector of 256 bits from its halves, the low one first.
    Join { halves: [Value; 2] },
    /// The low half (0) or the high half (1) of a vector of 256 bits.
    Half { vector: Value, half: u8 },
}

impl InstData {
    /// True for the instructions that end a block.
    pub const fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstData::Br { .. }
                | InstData::CondBr { .. }
                | InstData::Switch { .. }
                | InstData::Ret { .. }
                | InstData::RetPair { .. }
                | InstData::Invoke { .. }
                | InstData::AssemblyJump { .. }
                | InstData::Unreachable
        ) || self.is_return_call()
    }

    /// True for the calls in place of a return.
    pub const fn is_return_call(&self) -> bool {
        matches!(
            self,
            InstData::ReturnCall { .. } | InstData::ReturnCallIndirect { .. } | InstData::ReturnCallAs { .. }
        )
    }

    /// True where the result depends on the operands alone. A division among them may trap.
    pub const fn is_computation(&self) -> bool {
        matches!(
            self,
            InstData::Binary { .. }
                | InstData::Cast { .. }
                | InstData::Icmp { .. }
                | InstData::Fcmp { .. }
                | InstData::Select { .. }
                | InstData::ExtractElement { .. }
                | InstData::InsertElement { .. }
                | InstData::Join { .. }
                | InstData::Half { .. }
                | InstData::MachineOp { .. }
        )
    }

    /// True for the results beside the first of the instruction before, from which nothing parts them.
    pub const fn is_further_result(&self) -> bool {
        matches!(self, InstData::SecondResult { .. } | InstData::Output { .. })
    }

    /// True where memory may be another one behind the instruction.
    pub fn changes_memory(&self) -> bool {
        let ends_block = self.is_terminator() && !self.is_sealing();
        self.has_side_effects() && !ends_block
    }

    /// True for the terminators that do something on the way to their targets, which these receive: they have no other
    /// predecessor, and nothing is moved on the edges.
    pub const fn is_sealing(&self) -> bool {
        matches!(self, InstData::Invoke { .. } | InstData::AssemblyJump { .. })
    }

    /// True where removing the instruction would change the program even if its result is unused.
    /// Loads are not: a load of an unused value may go.
    pub fn has_side_effects(&self) -> bool {
        match self {
            InstData::Store { .. }
            | InstData::Call { .. }
            | InstData::CallIndirect { .. }
            | InstData::CallAs { .. }
            | InstData::Assembly { .. }
            | InstData::InvokeResult
            | InstData::LandingPad { .. } => true,
            InstData::CallIntrinsic { op, .. } => op.has_side_effects(),
            InstData::Binary { op, .. } => op.is_division(),
            _ => self.is_terminator(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_stay_small() {
        // Four to a cache line; argument lists live in pools for this reason.
        assert_eq!(size_of::<InstData>(), 16);
    }

    #[test]
    fn predicates_agree_with_their_bits() {
        for &c in FloatCond::ALL {
            for (a, b) in [(1.0, 1.0), (1.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, -0.0)] {
                assert_eq!(c.inverse().holds(a, b), !c.holds(a, b), "{c}");
                assert_eq!(c.swapped().holds(b, a), c.holds(a, b), "{c}");
            }
        }
        for &c in IntCond::ALL {
            for (a, b) in [(0i64, 0i64), (-1, 0), (0, -1), (5, 7)] {
                let (x, y) = ((a, a as u64), (b, b as u64));
                assert_eq!(c.inverse().holds(x, y), !c.holds(x, y), "{c}");
                assert_eq!(c.swapped().holds(y, x), c.holds(x, y), "{c}");
            }
        }
    }
}
