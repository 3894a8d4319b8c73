//! The machine instructions, over virtual registers.
//!
//! Arithmetic has three operands. A [`Src`] is a flexible second operand. Lowering keeps flags alive only
//! across instructions that write none: moves, constants, loads, stores, [`Inst::SetCond`], conditional moves,
//! and the allocator's edits, which are all of these. Emission may destroy ip in any instruction.

use crate::regs::{self, DOUBLE, GPR, LOW_QUAD, QUAD, SINGLE};
use ice_asm::SymbolId;
use ice_asm::arm32::{
    Alu, BitField, Compare, Cond, Divide, Exclusive, Extend, Flags, Float2, Float3, FloatImm, FloatToInt,
    IntToFloat, Lane, ModImm, Move, Multiply, MultiplyLong, Neon2, NeonConvert, NeonFloat, NeonFloat2,
    NeonImm, NeonInt, NeonLogic, NeonShift, NeonShiftImm, Shift, Sign, Transfer, Unary,
};
use ice_codegen::mach::{MachBlock, MachInst, Operand, RegClass, RegUnits, Remat, Role, VReg};

/// The base of a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register.
    Reg(VReg),
    /// The start of a fixed object of the frame.
    Object(u32),
    /// The outgoing argument area: the stack pointer.
    Outgoing,
    /// What lies above the outgoing arguments: the latest dynamic allocation.
    Allocated,
    /// The incoming stack arguments.
    Incoming,
    /// The saved frame pointer.
    Saved,
}

/// A memory operand: base + index × 2^shift + displacement. Emission makes any of them fit the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amode {
    /// Base.
    pub base: Base,
    /// Index register and its shift to the left.
    pub index: Option<(VReg, u8)>,
    /// Displacement, wrapping.
    pub disp: i32,
}

impl Amode {
    /// `[base + disp]`.
    pub const fn new(base: Base, disp: i32) -> Amode {
        Amode { base, index: None, disp }
    }

    /// The operand `bytes` further on.
    pub const fn offset(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }

    /// Whether the address is a fixed distance from the frame.
    fn is_in_frame(&self) -> bool {
        matches!(self.base, Base::Object(_) | Base::Incoming) && self.index.is_none()
    }

    /// Whether this is a register alone: an access that may step it.
    pub(crate) fn is_register(&self) -> bool {
        matches!(self.base, Base::Reg(_)) && self.disp == 0 && self.index.is_none()
    }

    /// Whether this is an argument on the stack: only the function may write there, and does not.
    fn is_argument(&self) -> bool {
        self.base == Base::Incoming && self.disp >= 0 && self.index.is_none()
    }

    fn visit(&self, mut visit: impl FnMut(Operand)) {
        if let Base::Reg(base) = self.base {
            visit(Operand::use_reg(base, GPR));
        }
        if let Some((index, _)) = self.index {
            visit(Operand::use_reg(index, GPR));
        }
    }
}

/// A flexible second operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// A rotated immediate.
    Imm(ModImm),
    /// A register.
    Reg(VReg),
    /// A register shifted by a constant.
    Shift(VReg, Shift, u8),
    /// A register shifted by the low byte of another.
    ShiftReg(VReg, Shift, VReg),
}

impl Src {
    fn visit(&self, mut visit: impl FnMut(Operand)) {
        match *self {
            Src::Imm(_) => {}
            Src::Reg(reg) | Src::Shift(reg, ..) => visit(Operand::use_reg(reg, GPR)),
            Src::ShiftReg(reg, _, amount) => {
                visit(Operand::use_reg(reg, GPR));
                visit(Operand::use_reg(amount, GPR));
            }
        }
    }
}

/// The size of a value in extension registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatSize {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
    /// 128 bits.
    Quad,
}

impl FloatSize {
    /// The class of its registers.
    pub const fn class(self) -> RegClass {
        match self {
            FloatSize::Single => SINGLE,
            FloatSize::Double => DOUBLE,
            FloatSize::Quad => QUAD,
        }
    }
}

/// An operation on two vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neon3 {
    /// Integer lanes.
    Int(NeonInt),
    /// Shifts by the lanes of the second vector.
    Shift(NeonShift),
    /// Bits.
    Logic(NeonLogic),
    /// Single-precision lanes.
    Float(NeonFloat),
}

/// An operation on one vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NeonUnary {
    /// Integer lanes.
    Int(Neon2),
    /// Bits, or single-precision lanes.
    Float(NeonFloat2),
    /// Between integers and single precision.
    Convert(NeonConvert),
}

/// What a call goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A symbol.
    Symbol(SymbolId),
    /// An address.
    Value(VReg),
}

/// One machine instruction; one line a variant, like a table.
#[rustfmt::skip]
#[allow(missing_docs, reason = "fields are the operands of the instruction that the variant is named after")]
#[derive(Clone, Copy, Debug)]
pub enum Inst {
    // ---- moves and memory
    /// Defines the registers in its extra operands: the incoming arguments. No code.
    Params,
    /// Copy of a core register.
    Mov { dst: VReg, src: VReg },
    /// Any 32-bit number.
    MovImm { dst: VReg, imm: u32 },
    MovSymbol { dst: VReg, symbol: SymbolId, addend: i16 },
    /// The address of a symbol, from the table of the linker.
    LoadTableEntry { dst: VReg, symbol: SymbolId },
    /// The address of this thread's data.
    ThreadPointer { dst: VReg },
    /// Adds the offset of a thread-local variable from this thread's data; and the same where only the linker's
    /// table knows it.
    AddThreadOffset { dst: VReg, symbol: SymbolId },
    AddTableThreadOffset { dst: VReg, symbol: SymbolId },
    /// Calls the resolver for the address of a thread-local variable; the result is an extra operand, r0.
    ThreadLocalCall { symbol: SymbolId },
    /// Copies `count` words, at least one; all registers are destroyed.
    CopyWords { dst: VReg, src: VReg, count: VReg, word: VReg },
    /// `mov` or `mvn` of a flexible operand: shifts, complement.
    MovSrc { op: Move, flags: Flags, dst: VReg, src: Src },
    Extend { op: Extend, dst: VReg, src: VReg },
    Load { op: Transfer, dst: VReg, mem: Amode },
    Store { op: Transfer, src: VReg, mem: Amode },
    /// The address itself.
    Lea { dst: VReg, mem: Amode },
    // ---- integer arithmetic
    Alu { op: Alu, flags: Flags, dst: VReg, lhs: VReg, rhs: Src },
    Compare { op: Compare, lhs: VReg, rhs: Src },
    /// A comparison with zero of which only equality and sign are asked.
    TestZero { lhs: VReg },
    /// A comparison where the condition holds; else the flags stay.
    CondCompare { cond: Cond, op: Compare, lhs: VReg, rhs: Src },
    /// dst = cond ? src : dst.
    CondMov { cond: Cond, dst: VReg, src: Src },
    /// dst = cond ? 1 : 0, and 1 as well where the second condition holds.
    SetCond { cond: Cond, or: Option<Cond>, dst: VReg },
    Mul { dst: VReg, lhs: VReg, rhs: VReg },
    MultiplyAdd { op: Multiply, dst: VReg, lhs: VReg, rhs: VReg, acc: VReg },
    MultiplyLong { op: MultiplyLong, lo: VReg, hi: VReg, lhs: VReg, rhs: VReg },
    Divide { op: Divide, dst: VReg, lhs: VReg, rhs: VReg },
    BitField { op: BitField, dst: VReg, src: VReg, lsb: u8, width: u8 },
    Unary { op: Unary, dst: VReg, src: VReg },
    /// Ends the program with a fault if all bits of the value are zero.
    TrapIfZero { lo: VReg, hi: Option<VReg> },
    // ---- floating point and vectors
    MovFloat { size: FloatSize, dst: VReg, src: VReg },
    CondMovFloat { cond: Cond, size: FloatSize, dst: VReg, src: VReg },
    LoadFloat { size: FloatSize, dst: VReg, mem: Amode },
    StoreFloat { size: FloatSize, src: VReg, mem: Amode },
    FloatImm { size: FloatSize, dst: VReg, imm: FloatImm },
    /// The bits of a single-precision number.
    SingleBits { dst: VReg, bits: u32 },
    /// All bits zero.
    ZeroFloat { size: FloatSize, dst: VReg },
    /// The same bits in both halves of a quadword.
    VectorImm { dst: VReg, imm: NeonImm },
    /// From the address of a symbol.
    LoadConstant { size: FloatSize, dst: VReg, symbol: SymbolId },
    Float3 { op: Float3, size: FloatSize, dst: VReg, lhs: VReg, rhs: VReg },
    /// dst = dst op lhs × rhs, rounded twice.
    Float3Acc { op: Float3, size: FloatSize, dst: VReg, lhs: VReg, rhs: VReg },
    Float2 { op: Float2, size: FloatSize, dst: VReg, src: VReg },
    /// To the flags.
    CompareFloat { size: FloatSize, lhs: VReg, rhs: Option<VReg> },
    FloatWiden { dst: VReg, src: VReg },
    FloatNarrow { dst: VReg, src: VReg },
    IntToFloat { op: IntToFloat, size: FloatSize, dst: VReg, src: VReg },
    FloatToInt { op: FloatToInt, size: FloatSize, dst: VReg, src: VReg },
    CoreToSingle { dst: VReg, src: VReg },
    SingleToCore { dst: VReg, src: VReg },
    PairToDouble { dst: VReg, lo: VReg, hi: VReg },
    DoubleToPair { lo: VReg, hi: VReg, src: VReg },
    // ---- vectors, lane by lane
    Neon3 { op: Neon3, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg },
    Neon2 { op: NeonUnary, lane: Lane, dst: VReg, src: VReg },
    NeonShift { op: NeonShiftImm, lane: Lane, dst: VReg, src: VReg, amount: u8 },
    /// dst = dst ? if_true : if_false, bit by bit.
    NeonSelect { dst: VReg, if_true: VReg, if_false: VReg },
    /// Scalar arithmetic on each single-precision lane.
    EachLane { op: Float3, dst: VReg, lhs: VReg, rhs: VReg },
    /// A lane with zeros or, for minus, its sign above it.
    LaneToCore { sign: Sign, lane: Lane, index: u8, dst: VReg, src: VReg },
    CoreToLane { lane: Lane, index: u8, dst: VReg, src: VReg },
    /// The low bits of a register in every lane.
    Splat { lane: Lane, dst: VReg, src: VReg },
    /// A lane, or a single-precision number, in every lane.
    SplatLane { lane: Lane, index: u8, dst: VReg, src: VReg },
    SplatSingle { dst: VReg, src: VReg },
    /// Between a lane of 32 bits and a single-precision register, or another vector.
    LaneToSingle { index: u8, dst: VReg, src: VReg },
    SingleToLane { index: u8, dst: VReg, src: VReg },
    MovLane { to: u8, from: u8, dst: VReg, src: VReg },
    /// The bytes from `start` on of one vector, then of the other.
    Extract { dst: VReg, lhs: VReg, rhs: VReg, start: u8 },
    /// An operation that writes both vectors.
    NeonPair { op: Neon2, lane: Lane, first: VReg, second: VReg },
    /// The bytes of `src` that the bytes of `mask` name; zero, or what is in `dst`, for those that name none.
    Table { dst: VReg, src: VReg, mask: VReg },
    TableExtension { dst: VReg, src: VReg, mask: VReg },
    /// The low byte of one register in the lower eight bytes, that of another in the upper ones.
    SplatHalves { dst: VReg, lo: VReg, hi: VReg },
    // ---- atomics and fences
    Fence,
    /// A loop: old = memory, memory = old op src; without an operation memory = src.
    AtomicRmw { op: Option<Alu>, width: Exclusive, old: VReg, new: VReg, src: VReg, address: VReg },
    /// The same for pairs, old in r0 and r1, new in r2 and r3.
    AtomicRmwPair { op: Option<(Alu, Alu)>, old: [VReg; 2], new: [VReg; 2], src: [VReg; 2], address: VReg },
    /// A loop: old = memory, and if it is the expected value memory = new.
    AtomicCmpxchg { width: Exclusive, old: VReg, expected: VReg, new: VReg, address: VReg },
    /// The same for pairs, old in r0 and r1, new in r2 and r3.
    AtomicCmpxchgPair { old: [VReg; 2], expected: [VReg; 2], new: [VReg; 2], address: VReg },
    /// A pair read at once, into r0 and r1.
    AtomicLoadPair { dst: [VReg; 2], address: VReg },
    // ---- stack
    /// Lowers the stack pointer by less than a page, and touches where it was.
    StackTake { bytes: u32 },
    /// Lowers the stack pointer page by page and touches each; `amount` is destroyed.
    StackSub { amount: VReg },
    /// The stack pointer as it is.
    StackSave { dst: VReg },
    /// Sets the stack pointer.
    StackRestore { src: VReg },
    // ---- control
    /// Arguments and results are extra operands.
    Call { callee: Callee },
    Jump { target: MachBlock },
    Branch { cond: Cond, or: Option<Cond>, if_true: MachBlock, if_false: MachBlock },
    /// A planned switch: `index` is the value.
    Switch { switch: u32, index: VReg },
    /// The same for a pair.
    SwitchPair { switch: u32, lo: VReg, hi: VReg },
    /// Epilogue and return; results are extra operands.
    Ret,
    /// Ends the program with a fault; `Trap` in the middle of a block, `Unreachable` as a terminator.
    Trap,
    Unreachable,
}

/// Whether one instruction makes the number: `mov`, `mvn` or `movw`.
pub(crate) fn is_one_word(number: u32) -> bool {
    number <= 0xffff || ModImm::new(number).is_some() || ModImm::new(!number).is_some()
}

impl MachInst for Inst {
    // Into the one place that adds instructions.
    #[inline(always)]
    fn visit_operands(&self, mut visit: impl FnMut(Operand)) {
        use regs::r;
        macro_rules! each {
            ($($kind:ident $reg:expr, $class:expr;)*) => {{ $(visit(Operand::$kind($reg, $class));)* }};
        }
        match *self {
            Inst::Params
            | Inst::ThreadLocalCall { .. }
            | Inst::Fence
            | Inst::StackTake { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Ret
            | Inst::Trap
            | Inst::Unreachable => {}
            Inst::Mov { dst, src } => each! { use_any src, GPR; def_reg dst, GPR; },
            Inst::MovImm { dst, .. }
            | Inst::MovSymbol { dst, .. }
            | Inst::LoadTableEntry { dst, .. }
            | Inst::ThreadPointer { dst }
            | Inst::SetCond { dst, .. } => each! { def_reg dst, GPR; },
            Inst::AddThreadOffset { dst, .. } | Inst::AddTableThreadOffset { dst, .. } => {
                each! { use_def_reg dst, GPR; }
            }
            Inst::CopyWords { dst, src, count, word } => {
                each! { use_def_reg dst, GPR; use_def_reg src, GPR; use_def_reg count, GPR; def_early_reg word, GPR; }
            }
            Inst::MovSrc { dst, src, .. } => {
                src.visit(&mut visit);
                each! { def_reg dst, GPR; }
            }
            Inst::Extend { dst, src, .. }
            | Inst::BitField { dst, src, .. }
            | Inst::Unary { dst, src, .. } => {
                each! { use_reg src, GPR; def_reg dst, GPR; }
            }
            Inst::Load { dst, mem, .. } | Inst::Lea { dst, mem } => {
                mem.visit(&mut visit);
                each! { def_reg dst, GPR; }
            }
            Inst::Store { src, mem, .. } => {
                each! { use_reg src, GPR; }
                mem.visit(&mut visit);
            }
            Inst::Alu { dst, lhs, rhs, .. } => {
                each! { use_reg lhs, GPR; }
                rhs.visit(&mut visit);
                each! { def_reg dst, GPR; }
            }
            Inst::Compare { lhs, rhs, .. } | Inst::CondCompare { lhs, rhs, .. } => {
                each! { use_reg lhs, GPR; }
                rhs.visit(&mut visit);
            }
            Inst::TestZero { lhs } => each! { use_reg lhs, GPR; },
            Inst::CondMov { dst, src, .. } => {
                src.visit(&mut visit);
                each! { use_def_reg dst, GPR; }
            }
            Inst::Mul { dst, lhs, rhs } | Inst::Divide { dst, lhs, rhs, .. } => {
                each! { use_reg lhs, GPR; use_reg rhs, GPR; def_reg dst, GPR; }
            }
            Inst::MultiplyAdd { dst, lhs, rhs, acc, .. } => {
                each! { use_reg lhs, GPR; use_reg rhs, GPR; use_reg acc, GPR; def_reg dst, GPR; }
            }
            Inst::MultiplyLong { lo, hi, lhs, rhs, .. } => {
                each! { use_reg lhs, GPR; use_reg rhs, GPR; def_reg lo, GPR; def_reg hi, GPR; }
            }
            Inst::TrapIfZero { lo, hi } => {
                each! { use_reg lo, GPR; }
                if let Some(hi) = hi {
                    each! { use_reg hi, GPR; }
                }
            }
            Inst::MovFloat { size, dst, src } => {
                each! { use_any src, size.class(); def_reg dst, size.class(); }
            }
            Inst::CondMovFloat { size, dst, src, .. } => {
                each! { use_reg src, size.class(); use_def_reg dst, size.class(); }
            }
            Inst::LoadFloat { size, dst, mem } => {
                mem.visit(&mut visit);
                each! { def_reg dst, size.class(); }
            }
            Inst::StoreFloat { size, src, mem } => {
                each! { use_reg src, size.class(); }
                mem.visit(&mut visit);
            }
            Inst::FloatImm { size, dst, .. }
            | Inst::ZeroFloat { size, dst }
            | Inst::LoadConstant { size, dst, .. } => each! { def_reg dst, size.class(); },
            Inst::SingleBits { dst, .. } => each! { def_reg dst, SINGLE; },
            Inst::VectorImm { dst, .. } => each! { def_reg dst, QUAD; },
            Inst::Float3 { size, dst, lhs, rhs, .. } => {
                each! { use_reg lhs, size.class(); use_reg rhs, size.class(); def_reg dst, size.class(); }
            }
            Inst::Float3Acc { size, dst, lhs, rhs, .. } => {
                each! { use_reg lhs, size.class(); use_reg rhs, size.class(); use_def_reg dst, size.class(); }
            }
            Inst::Float2 { size, dst, src, .. } => {
                each! { use_reg src, size.class(); def_reg dst, size.class(); }
            }
            Inst::CompareFloat { size, lhs, rhs } => {
                each! { use_reg lhs, size.class(); }
                if let Some(rhs) = rhs {
                    each! { use_reg rhs, size.class(); }
                }
            }
            Inst::FloatWiden { dst, src } => each! { use_reg src, SINGLE; def_reg dst, DOUBLE; },
            Inst::FloatNarrow { dst, src } => each! { use_reg src, DOUBLE; def_reg dst, SINGLE; },
            Inst::IntToFloat { size, dst, src, .. } => {
                each! { use_reg src, SINGLE; def_reg dst, size.class(); }
            }
            Inst::FloatToInt { size, dst, src, .. } => {
                each! { use_reg src, size.class(); def_reg dst, SINGLE; }
            }
            Inst::CoreToSingle { dst, src } => each! { use_reg src, GPR; def_reg dst, SINGLE; },
            Inst::SingleToCore { dst, src } => each! { use_reg src, SINGLE; def_reg dst, GPR; },
            Inst::PairToDouble { dst, lo, hi } => {
                each! { use_reg lo, GPR; use_reg hi, GPR; def_reg dst, DOUBLE; }
            }
            Inst::DoubleToPair { lo, hi, src } => {
                each! { use_reg src, DOUBLE; def_reg lo, GPR; def_reg hi, GPR; }
            }
            Inst::Neon3 { dst, lhs, rhs, .. } => {
                each! { use_reg lhs, QUAD; use_reg rhs, QUAD; def_reg dst, QUAD; }
            }
            Inst::Neon2 { dst, src, .. } | Inst::NeonShift { dst, src, .. } => {
                each! { use_reg src, QUAD; def_reg dst, QUAD; }
            }
            Inst::NeonSelect { dst, if_true, if_false } => {
                each! { use_reg if_true, QUAD; use_reg if_false, QUAD; use_def_reg dst, QUAD; }
            }
            // A lane of the destination is written after the same lane of the sources is read.
            Inst::EachLane { dst, lhs, rhs, .. } => {
                each! { use_reg lhs, LOW_QUAD; use_reg rhs, LOW_QUAD; def_reg dst, LOW_QUAD; }
            }
            Inst::SplatLane { dst, src, .. } => each! { use_reg src, QUAD; def_reg dst, QUAD; },
            Inst::SplatSingle { dst, src } => each! { use_reg src, SINGLE; def_reg dst, QUAD; },
            Inst::LaneToSingle { dst, src, .. } => each! { use_reg src, LOW_QUAD; def_reg dst, SINGLE; },
            Inst::SingleToLane { dst, src, .. } => each! { use_reg src, SINGLE; use_def_reg dst, LOW_QUAD; },
            Inst::MovLane { dst, src, .. } => each! { use_reg src, LOW_QUAD; use_def_reg dst, LOW_QUAD; },
            Inst::Extract { dst, lhs, rhs, .. } => {
                each! { use_reg lhs, QUAD; use_reg rhs, QUAD; def_reg dst, QUAD; }
            }
            Inst::NeonPair { first, second, .. } => {
                each! { use_def_reg first, QUAD; use_def_reg second, QUAD; }
            }
            // The lower half of the destination is written while the source is still read.
            Inst::Table { dst, src, mask } => {
                each! { use_late_reg src, QUAD; use_late_reg mask, QUAD; def_early_reg dst, QUAD; }
            }
            Inst::TableExtension { dst, src, mask } => {
                each! { use_reg src, QUAD; use_reg mask, QUAD; use_def_reg dst, QUAD; }
            }
            Inst::LaneToCore { dst, src, .. } => each! { use_reg src, QUAD; def_reg dst, GPR; },
            Inst::CoreToLane { dst, src, .. } => each! { use_reg src, GPR; use_def_reg dst, QUAD; },
            Inst::Splat { dst, src, .. } => each! { use_reg src, GPR; def_reg dst, QUAD; },
            Inst::SplatHalves { dst, lo, hi } => {
                each! { use_reg lo, GPR; use_reg hi, GPR; def_reg dst, QUAD; }
            }
            Inst::AtomicRmw { old, new, src, address, .. } => {
                each! { use_late_reg src, GPR; use_late_reg address, GPR; def_early_reg old, GPR; def_early_reg new, GPR; }
            }
            Inst::AtomicRmwPair { old, new, src, address, .. } => {
                each! { use_late_reg src[0], GPR; use_late_reg src[1], GPR; use_late_reg address, GPR; }
                for (n, reg) in [old[0], old[1], new[0], new[1]].into_iter().enumerate() {
                    visit(Operand::def_early_fixed(reg, GPR, r(n as u8)));
                }
            }
            Inst::AtomicCmpxchg { old, expected, new, address, .. } => {
                each! {
                    use_late_reg expected, GPR; use_late_reg new, GPR; use_late_reg address, GPR;
                    def_early_reg old, GPR;
                }
            }
            Inst::AtomicCmpxchgPair { old, expected, new, address } => {
                each! { use_late_reg expected[0], GPR; use_late_reg expected[1], GPR; use_late_reg address, GPR; }
                visit(Operand::use_late_fixed(new[0], GPR, r(2)));
                visit(Operand::use_late_fixed(new[1], GPR, r(3)));
                visit(Operand::def_early_fixed(old[0], GPR, r(0)));
                visit(Operand::def_early_fixed(old[1], GPR, r(1)));
            }
            Inst::AtomicLoadPair { dst, address } => {
                each! { use_reg address, GPR; }
                visit(Operand::def_fixed(dst[0], GPR, r(0)));
                visit(Operand::def_fixed(dst[1], GPR, r(1)));
            }
            Inst::StackSub { amount } => each! { use_def_reg amount, GPR; },
            Inst::StackSave { dst } => each! { def_reg dst, GPR; },
            Inst::StackRestore { src } => each! { use_reg src, GPR; },
            Inst::Call { callee } => {
                if let Callee::Value(callee) = callee {
                    each! { use_any callee, GPR; }
                }
            }
            Inst::Switch { index, .. } => each! { use_reg index, GPR; },
            Inst::SwitchPair { lo, hi, .. } => each! { use_reg lo, GPR; use_reg hi, GPR; },
        }
    }

    fn clobbers(&self) -> RegUnits {
        match self {
            Inst::Call { .. } | Inst::ThreadLocalCall { .. } => regs::CALLER_SAVED,
            _ => RegUnits::EMPTY,
        }
    }

    fn is_move(&self) -> Option<(VReg, VReg)> {
        match *self {
            Inst::Mov { dst, src, .. } | Inst::MovFloat { dst, src, .. } => Some((src, dst)),
            _ => None,
        }
    }

    /// What one instruction makes: two are no better than a store and loads.
    fn rematerialize(&self) -> Option<Remat> {
        match *self {
            Inst::MovImm { imm, .. } if is_one_word(imm) => Some(Remat::Register),
            Inst::FloatImm { .. } | Inst::ZeroFloat { .. } => Some(Remat::Register),
            Inst::Lea { mem, .. } if mem.is_in_frame() => Some(Remat::Register),
            Inst::Load { op: Transfer::Ldr, mem, .. } if mem.is_argument() => Some(Remat::Memory),
            Inst::LoadFloat { size: FloatSize::Single | FloatSize::Double, mem, .. } if mem.is_argument() => {
                Some(Remat::Memory)
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn role(&self) -> Role {
        match self {
            Inst::Mov { .. } | Inst::MovFloat { .. } => Role::Move,
            Inst::Call { .. } | Inst::ThreadLocalCall { .. } => Role::Clobbers,
            Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::SwitchPair { .. }
            | Inst::Ret
            | Inst::Unreachable => Role::Terminator,
            _ => Role::Usual,
        }
    }
}
