//! The machine instructions of both modes, over virtual registers.
//!
//! An operand called `src` of kind [`Src`] may be a register, a spill slot, memory or an immediate: the
//! allocator leaves a value in its slot where that saves a load, and emission folds it. Two-address
//! instructions read and write `dst`. Lowering keeps flags alive only across instructions that write none:
//! moves, loads, stores, [`Inst::Setcc`], [`Inst::Cmov`], and the allocator's edits, which are all moves;
//! a constant (which may become `xor`) and a sum ([`Inst::Lea`], which may become `add`) are made before
//! the flags are.

use crate::regs::{self, BYTE, GPR, XMM};
use ice_asm::SymbolId;
use ice_asm::x86::{Alu, Cond, Mode, Shift, SseOp, Unary, Width, X87Mem, X87Op, X87Reg};
use ice_codegen::CodeSymbol;
use ice_codegen::mach::{MachBlock, MachInst, Operand, RegClass, RegUnits, Remat, Role, VReg};
use ice_codegen::magic::Signedness;

/// The base of a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// No base.
    None,
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
}

/// A memory operand: base + index × 2^scale + displacement + symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amode {
    /// Base.
    pub base: Base,
    /// Index register and log2 of its scale.
    pub index: Option<(VReg, u8)>,
    /// Displacement, wrapping in the address width.
    pub disp: i32,
    /// A symbol whose address is added.
    pub symbol: Option<SymbolId>,
}

impl Amode {
    /// `[base + disp]`.
    pub const fn new(base: Base, disp: i32) -> Amode {
        Amode { base, index: None, disp, symbol: None }
    }

    /// `[register]`.
    pub const fn reg(reg: VReg) -> Amode {
        Amode::new(Base::Reg(reg), 0)
    }

    /// `[symbol]`.
    pub const fn symbol(symbol: SymbolId) -> Amode {
        Amode { base: Base::None, index: None, disp: 0, symbol: Some(symbol) }
    }

    /// The operand `bytes` further on.
    pub const fn offset(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }

    /// Whether this is an address in the frame that is known once the frame is laid out.
    fn is_in_frame(&self) -> bool {
        matches!(self.base, Base::Object(_) | Base::Incoming) && self.index.is_none() && self.symbol.is_none()
    }

    /// Whether nothing writes this memory while the function runs: the incoming arguments, which only it
    /// may write and does not, and the constants of the function.
    fn is_constant(&self) -> bool {
        let symbol = self.symbol.map(CodeSymbol::unpack);
        match (self.base, symbol) {
            (Base::Incoming, None) | (Base::None, Some(CodeSymbol::Constant(_))) => self.index.is_none(),
            _ => false,
        }
    }

    #[inline(always)]
    fn visit(&self, pos: Pos, mut visit: impl FnMut(Operand)) {
        let operand = |r| match pos {
            Pos::Early => Operand::use_reg(r, GPR),
            Pos::Late => Operand::use_late_reg(r, GPR),
        };
        if let Base::Reg(base) = self.base {
            visit(operand(base));
        }
        if let Some((index, _)) = self.index {
            visit(operand(index));
        }
    }
}

/// Whether address registers may be reused for the result.
enum Pos {
    Early,
    Late,
}

/// A source operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// A register or its spill slot.
    Reg(VReg),
    /// Memory.
    Mem(Amode),
    /// A sign-extended immediate.
    Imm(i32),
    /// The address of a symbol plus an addend, as an immediate.
    Symbol(SymbolId, i32),
}

/// Zero or sign extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extend {
    /// `movzx`.
    Zero,
    /// `movsx`.
    Sign,
}

/// `cmp` or `test`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// Subtract, keep the flags.
    Cmp,
    /// And, keep the flags.
    Test,
}

/// Bit scans and counts from a register or memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitScan {
    /// Lowest one.
    Forward,
    /// Highest one.
    Reverse,
}

/// Double shifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DoubleShift {
    /// `shld`.
    Left,
    /// `shrd`.
    Right,
}

/// A shift amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// Constant.
    Imm(u8),
    /// In cl.
    Cl(VReg),
}

/// What a call goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A symbol.
    Symbol(SymbolId),
    /// A symbol that may be in another linked module: through the linker's table of procedures.
    Linked(SymbolId),
    /// An address in a register or slot.
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
    /// Copy of a general register.
    Mov { width: Width, dst: VReg, src: VReg },
    /// 32-bit copy that clears the upper half and is never left out.
    ZeroUpper { dst: VReg, src: VReg },
    MovImm { width: Width, dst: VReg, imm: i64 },
    MovSymbol { dst: VReg, symbol: SymbolId, addend: i32 },
    /// A symbol's address from the linker's table, which `base` points to in 32-bit code.
    LoadTableEntry { dst: VReg, symbol: SymbolId, base: Option<VReg> },
    /// The address of that table; no code if nothing uses it.
    GlobalBase { dst: VReg },
    /// Some value; no code.
    Undefined { dst: VReg },
    Extend { kind: Extend, from: Width, to: Width, dst: VReg, src: Src },
    Load { width: Width, dst: VReg, mem: Amode },
    Store { width: Width, src: VReg, mem: Amode },
    /// Two registers from 8 bytes of memory, the low one first.
    LoadPair { lo: VReg, hi: VReg, mem: Amode },
    StorePair { lo: VReg, hi: VReg, mem: Amode },
    StoreImm { width: Width, imm: i32, mem: Amode },
    StoreSymbol { symbol: SymbolId, addend: i32, mem: Amode },
    /// dst = the address: an addition of up to two registers and a constant.
    Lea { width: Width, dst: VReg, mem: Amode },
    // ---- integer arithmetic
    Alu { op: Alu, width: Width, dst: VReg, src: Src },
    Compare { op: Compare, width: Width, lhs: VReg, rhs: Src },
    CompareMem { op: Compare, width: Width, mem: Amode, imm: i32 },
    /// The carry flag is the bit of `lhs` with number `bit`, which counts modulo the width.
    BitTest { width: Width, lhs: VReg, bit: VReg },
    /// Operations on memory: mem = mem op src.
    AluMem { op: Alu, width: Width, src: VReg, mem: Amode },
    AluMemImm { op: Alu, width: Width, imm: i32, mem: Amode },
    UnaryMem { op: Unary, width: Width, mem: Amode },
    ShiftMem { op: Shift, width: Width, amount: Amount, mem: Amode },
    Unary { op: Unary, width: Width, dst: VReg },
    Bswap { width: Width, dst: VReg },
    Shift { op: Shift, width: Width, dst: VReg, amount: Amount },
    DoubleShift { op: DoubleShift, width: Width, dst: VReg, src: VReg, amount: Amount },
    Imul { width: Width, dst: VReg, src: Src },
    ImulImm { width: Width, dst: VReg, src: Src, imm: i32 },
    /// rdx:rax = rax × src.
    MulWide { sign: Signedness, width: Width, lhs: VReg, src: VReg, lo: VReg, hi: VReg },
    /// rax = lhs / src, rdx = remainder: rdx is filled with zeros or the sign first.
    Divide { sign: Signedness, width: Width, lhs: VReg, src: VReg, quotient: VReg, remainder: VReg },
    /// rax = rdx:rax / src, rdx = remainder.
    DivideWide { sign: Signedness, width: Width, lo: VReg, hi: VReg, src: VReg, quotient: VReg, remainder: VReg },
    BitScan { op: BitScan, width: Width, dst: VReg, src: VReg },
    Setcc { cond: Cond, dst: VReg },
    Cmov { cond: Cond, width: Width, dst: VReg, src: VReg },
    // ---- vectors and floating point
    /// Copy of a vector register.
    MovXmm { dst: VReg, src: VReg, size: u8 },
    /// `movss`, `movsd` or `movups` by size in bytes.
    LoadXmm { size: u8, dst: VReg, mem: Amode },
    StoreXmm { size: u8, src: VReg, mem: Amode },
    /// All bits zero.
    ZeroXmm { dst: VReg },
    /// All bits one.
    OnesXmm { dst: VReg },
    /// Two-address: dst = dst op src.
    Sse { op: SseOp, dst: VReg, src: Src },
    /// As above with an immediate byte.
    SseImm { op: SseOp, dst: VReg, src: Src, imm: u8 },
    /// dst = op src.
    SseUnary { op: SseOp, dst: VReg, src: Src },
    /// dst = op src with an immediate byte.
    SseUnaryImm { op: SseOp, dst: VReg, src: Src, imm: u8 },
    /// Vector shift by a constant, or byte shift of the register.
    SseShift { op: SseOp, dst: VReg, imm: u8 },
    /// `ucomiss`, `ucomisd`.
    CompareXmm { op: SseOp, lhs: VReg, rhs: Src },
    /// From a general register, slot or memory: conversions and `movd`, `movq`.
    GprToXmm { op: SseOp, width: Width, dst: VReg, src: Src },
    /// To a general register.
    XmmToGpr { op: SseOp, width: Width, dst: VReg, src: VReg },
    /// A word into a lane.
    Pinsrw { dst: VReg, src: VReg, lane: u8 },
    /// A lane as a zero-extended word.
    Pextrw { dst: VReg, src: VReg, lane: u8 },
    /// dst = cond ? src : dst.
    SelectXmm { cond: Cond, dst: VReg, src: VReg, size: u8 },
    /// Pops the x87 stack into a vector register, through the outgoing argument area.
    PopFpu { size: u8, dst: VReg },
    /// Pushes a value on the x87 stack, through the outgoing argument area.
    PushFpu { size: u8, src: VReg },
    /// Loads the x87 stack from memory, or stores to memory from it.
    FpuMem { op: X87Mem, mem: Amode },
    /// An operation on the two topmost values of the x87 stack.
    FpuPair { op: X87Reg },
    /// An operation on the x87 stack.
    FpuTop { op: X87Op },
    // ---- atomics and fences
    Mfence,
    /// `lock xadd`: dst gets the old value.
    LockXadd { width: Width, dst: VReg, mem: Amode },
    /// `xchg` with memory.
    Xchg { width: Width, dst: VReg, mem: Amode },
    /// `lock cmpxchg`: rax is compared and gets the old value.
    LockCmpxchg { width: Width, expected: VReg, new: VReg, old: VReg, mem: Amode },
    /// `lock cmpxchg8b`: edx:eax is compared and gets the old value, ecx:ebx is stored.
    LockCmpxchg8b { expected: [VReg; 2], new: [VReg; 2], old: [VReg; 2], mem: Amode },
    /// A compare-and-exchange loop: old value in rax, `scratch` destroyed.
    RmwLoop { op: Alu, width: Width, src: VReg, old: VReg, scratch: VReg, mem: Amode },
    /// The same for 64 bits in pairs; `operand` is in memory, ecx:ebx are destroyed. Exchange if `op` is None.
    RmwLoop8b { op: Option<(Alu, Alu)>, operand: u32, old: [VReg; 2], scratch: [VReg; 2], mem: Amode },
    // ---- stack
    /// Lowers the stack pointer by less than a page, and touches where it was.
    StackTake { bytes: u32 },
    /// Lowers the stack pointer page by page and touches each; `amount` is destroyed.
    StackSub { amount: VReg },
    /// The stack pointer as it is.
    StackSave { dst: VReg },
    /// Sets the stack pointer.
    StackRestore { src: VReg },
    // ---- threads
    /// The thread pointer.
    ThreadPointer { dst: VReg },
    /// dst = dst + offset of a thread-local symbol from the thread pointer.
    AddThreadOffset { dst: VReg, symbol: SymbolId },
    /// The same with the offset from the linker's table.
    AddTableThreadOffset { dst: VReg, symbol: SymbolId, base: Option<VReg> },
    /// The address of a thread-local symbol by a call; result and table address are extra operands.
    ThreadLocalCall { symbol: SymbolId, mode: Mode },
    // ---- native calls
    /// Copies `count` words from `src` to `dst` upwards; all three are changed.
    CopyWords { dst: VReg, src: VReg, count: VReg },
    /// Stores the vector arguments from the `first` on to their places in a frame object, unless al is 0;
    /// they and al are extra operands.
    SaveVectors { object: u32, first: u8 },
    // ---- control
    /// Arguments and results are extra operands; the mode says what the call destroys. The callee pops as
    /// many bytes of arguments, which are taken again.
    Call { callee: Callee, mode: Mode, popped: u8 },
    Jmp { target: MachBlock },
    Jcc { cond: Cond, if_true: MachBlock, if_false: MachBlock },
    /// To `both` where the two conditions hold, else to `otherwise`.
    JccAnd { conds: [Cond; 2], both: MachBlock, otherwise: MachBlock },
    /// A planned switch: `index` is the value, `scratch` is destroyed. Native code also names a register in
    /// which it may make the address of a jump table (x86-64) or finds the global base (x86-32).
    Switch { switch: u32, index: VReg, scratch: VReg, table: Option<VReg> },
    /// The same for a pair.
    SwitchPair { switch: u32, lo: VReg, hi: VReg, scratch: VReg, table: Option<VReg> },
    /// Epilogue and return; results are extra operands.
    Ret,
    /// Ends the program with a fault; `Trap` in the middle of a block, `Unreachable` as a terminator.
    Trap,
    Unreachable,
}

/// The class of an operand of this width.
fn class(width: Width) -> RegClass {
    if width == Width::B8 { BYTE } else { GPR }
}

impl Src {
    fn visit(&self, class: RegClass, mut visit: impl FnMut(Operand)) {
        match self {
            Src::Reg(r) => visit(Operand::use_any(*r, class)),
            Src::Mem(mem) => mem.visit(Pos::Early, visit),
            Src::Imm(_) | Src::Symbol(..) => {}
        }
    }
}

impl MachInst for Inst {
    // Into the one place that adds instructions.
    #[inline(always)]
    fn visit_operands(&self, mut visit: impl FnMut(Operand)) {
        use regs::{RAX, RBX, RCX, RDI, RDX, RSI};
        match *self {
            Inst::Params
            | Inst::ThreadLocalCall { .. }
            | Inst::SaveVectors { .. }
            | Inst::FpuPair { .. }
            | Inst::FpuTop { .. }
            | Inst::Mfence
            | Inst::StackTake { .. }
            | Inst::Jmp { .. }
            | Inst::Jcc { .. }
            | Inst::JccAnd { .. }
            | Inst::Ret
            | Inst::Trap
            | Inst::Unreachable => {}
            Inst::Mov { width, dst, src } => {
                visit(Operand::use_any(src, class(width)));
                visit(Operand::def_reg(dst, class(width)));
            }
            Inst::ZeroUpper { dst, src } => {
                visit(Operand::use_any(src, GPR));
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::MovImm { dst, .. }
            | Inst::MovSymbol { dst, .. }
            | Inst::GlobalBase { dst }
            | Inst::Undefined { dst }
            | Inst::ThreadPointer { dst } => visit(Operand::def_reg(dst, GPR)),
            Inst::LoadTableEntry { dst, base, .. } => {
                base.into_iter().for_each(|base| visit(Operand::use_reg(base, GPR)));
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::AddThreadOffset { dst, .. } => visit(Operand::use_def_reg(dst, GPR)),
            Inst::AddTableThreadOffset { dst, base, .. } => {
                base.into_iter().for_each(|base| visit(Operand::use_reg(base, GPR)));
                visit(Operand::use_def_reg(dst, GPR));
            }
            Inst::CopyWords { dst, src, count } => {
                visit(Operand::use_def_fixed(dst, GPR, RDI));
                visit(Operand::use_def_fixed(src, GPR, RSI));
                visit(Operand::use_def_fixed(count, GPR, RCX));
            }
            Inst::Extend { from, dst, src, .. } => {
                src.visit(class(from), &mut visit);
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::Load { width, dst, mem } => {
                mem.visit(Pos::Early, &mut visit);
                visit(Operand::def_reg(dst, class(width)));
            }
            Inst::Lea { dst, mem, .. } => {
                mem.visit(Pos::Early, &mut visit);
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::Store { width, src, mem } => {
                visit(Operand::use_reg(src, class(width)));
                mem.visit(Pos::Early, &mut visit);
            }
            Inst::LoadPair { lo, hi, mem } => {
                mem.visit(Pos::Early, &mut visit);
                visit(Operand::def_early_reg(lo, GPR));
                visit(Operand::def_reg(hi, GPR));
            }
            Inst::StorePair { lo, hi, mem } => {
                visit(Operand::use_reg(lo, GPR));
                visit(Operand::use_reg(hi, GPR));
                mem.visit(Pos::Early, &mut visit);
            }
            Inst::StoreImm { mem, .. }
            | Inst::StoreSymbol { mem, .. }
            | Inst::CompareMem { mem, .. }
            | Inst::AluMemImm { mem, .. }
            | Inst::UnaryMem { mem, .. } => {
                mem.visit(Pos::Early, &mut visit);
            }
            Inst::AluMem { width, src, mem, .. } => {
                visit(Operand::use_reg(src, class(width)));
                mem.visit(Pos::Early, &mut visit);
            }
            Inst::ShiftMem { amount, mem, .. } => {
                if let Amount::Cl(count) = amount {
                    visit(Operand::use_fixed(count, GPR, RCX));
                }
                mem.visit(Pos::Early, &mut visit);
            }
            Inst::Alu { width, dst, src, .. } | Inst::Imul { width, dst, src } => {
                src.visit(class(width), &mut visit);
                visit(Operand::use_def_reg(dst, class(width)));
            }
            Inst::Compare { width, lhs, rhs, .. } => {
                // At most one side in memory.
                let lhs = match rhs {
                    Src::Imm(_) | Src::Symbol(..) => Operand::use_any(lhs, class(width)),
                    Src::Reg(_) | Src::Mem(_) => Operand::use_reg(lhs, class(width)),
                };
                visit(lhs);
                rhs.visit(class(width), &mut visit);
            }
            Inst::BitTest { lhs, bit, .. } => {
                visit(Operand::use_reg(lhs, GPR));
                visit(Operand::use_reg(bit, GPR));
            }
            Inst::Unary { width, dst, .. } => visit(Operand::use_def_reg(dst, class(width))),
            Inst::Bswap { dst, .. } => visit(Operand::use_def_reg(dst, GPR)),
            Inst::Shift { width, dst, amount, .. } => {
                if let Amount::Cl(count) = amount {
                    visit(Operand::use_fixed(count, GPR, RCX));
                }
                visit(Operand::use_def_reg(dst, class(width)));
            }
            Inst::DoubleShift { dst, src, amount, .. } => {
                visit(Operand::use_reg(src, GPR));
                if let Amount::Cl(count) = amount {
                    visit(Operand::use_fixed(count, GPR, RCX));
                }
                visit(Operand::use_def_reg(dst, GPR));
            }
            Inst::ImulImm { dst, src, .. } => {
                src.visit(GPR, &mut visit);
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::MulWide { lhs, src, lo, hi, .. } => {
                visit(Operand::use_fixed(lhs, GPR, RAX));
                visit(Operand::use_any(src, GPR));
                visit(Operand::def_fixed(lo, GPR, RAX));
                visit(Operand::def_fixed(hi, GPR, RDX));
            }
            Inst::Divide { lhs, src, quotient, remainder, .. } => {
                visit(Operand::use_fixed(lhs, GPR, RAX));
                visit(Operand::use_late_reg(src, GPR));
                visit(Operand::def_fixed(quotient, GPR, RAX));
                visit(Operand::def_early_fixed(remainder, GPR, RDX));
            }
            Inst::DivideWide { lo, hi, src, quotient, remainder, .. } => {
                visit(Operand::use_fixed(lo, GPR, RAX));
                visit(Operand::use_fixed(hi, GPR, RDX));
                visit(Operand::use_any(src, GPR));
                visit(Operand::def_fixed(quotient, GPR, RAX));
                visit(Operand::def_fixed(remainder, GPR, RDX));
            }
            Inst::BitScan { dst, src, .. } => {
                visit(Operand::use_any(src, GPR));
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::Setcc { dst, .. } => visit(Operand::def_reg(dst, BYTE)),
            Inst::Cmov { dst, src, .. } => {
                visit(Operand::use_any(src, GPR));
                visit(Operand::use_def_reg(dst, GPR));
            }
            Inst::MovXmm { dst, src, .. } => {
                visit(Operand::use_any(src, XMM));
                visit(Operand::def_reg(dst, XMM));
            }
            Inst::LoadXmm { dst, mem, .. } => {
                mem.visit(Pos::Early, &mut visit);
                visit(Operand::def_reg(dst, XMM));
            }
            Inst::StoreXmm { src, mem, .. } => {
                visit(Operand::use_reg(src, XMM));
                mem.visit(Pos::Early, &mut visit);
            }
            Inst::ZeroXmm { dst } | Inst::OnesXmm { dst } | Inst::PopFpu { dst, .. } => {
                visit(Operand::def_reg(dst, XMM));
            }
            Inst::Sse { dst, src, .. } | Inst::SseImm { dst, src, .. } => {
                src.visit(XMM, &mut visit);
                visit(Operand::use_def_reg(dst, XMM));
            }
            Inst::SseUnary { dst, src, .. } | Inst::SseUnaryImm { dst, src, .. } => {
                src.visit(XMM, &mut visit);
                visit(Operand::def_reg(dst, XMM));
            }
            Inst::SseShift { dst, .. } => visit(Operand::use_def_reg(dst, XMM)),
            Inst::CompareXmm { lhs, rhs, .. } => {
                visit(Operand::use_reg(lhs, XMM));
                rhs.visit(XMM, &mut visit);
            }
            Inst::GprToXmm { dst, src, .. } => {
                src.visit(GPR, &mut visit);
                visit(Operand::def_reg(dst, XMM));
            }
            Inst::XmmToGpr { dst, src, .. } => {
                visit(Operand::use_reg(src, XMM));
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::Pinsrw { dst, src, .. } => {
                visit(Operand::use_reg(src, GPR));
                visit(Operand::use_def_reg(dst, XMM));
            }
            Inst::Pextrw { dst, src, .. } => {
                visit(Operand::use_reg(src, XMM));
                visit(Operand::def_reg(dst, GPR));
            }
            Inst::SelectXmm { dst, src, .. } => {
                visit(Operand::use_any(src, XMM));
                visit(Operand::use_def_reg(dst, XMM));
            }
            Inst::PushFpu { src, .. } => visit(Operand::use_any(src, XMM)),
            Inst::FpuMem { mem, .. } => mem.visit(Pos::Early, &mut visit),
            Inst::LockXadd { width, dst, mem } | Inst::Xchg { width, dst, mem } => {
                mem.visit(Pos::Early, &mut visit);
                visit(Operand::use_def_reg(dst, class(width)));
            }
            Inst::LockCmpxchg { width, expected, new, old, mem } => {
                visit(Operand::use_fixed(expected, class(width), RAX));
                visit(Operand::use_reg(new, class(width)));
                mem.visit(Pos::Early, &mut visit);
                visit(Operand::def_fixed(old, class(width), RAX));
            }
            Inst::LockCmpxchg8b { expected, new, old, mem } => {
                visit(Operand::use_fixed(expected[0], GPR, RAX));
                visit(Operand::use_fixed(expected[1], GPR, RDX));
                visit(Operand::use_fixed(new[0], GPR, RBX));
                visit(Operand::use_fixed(new[1], GPR, RCX));
                mem.visit(Pos::Early, &mut visit);
                visit(Operand::def_fixed(old[0], GPR, RAX));
                visit(Operand::def_fixed(old[1], GPR, RDX));
            }
            Inst::RmwLoop { width, src, old, scratch, mem, .. } => {
                visit(Operand::use_late_reg(src, class(width)));
                mem.visit(Pos::Late, &mut visit);
                visit(Operand::def_early_fixed(old, class(width), RAX));
                visit(Operand::def_early_reg(scratch, class(width)));
            }
            Inst::RmwLoop8b { old, scratch, mem, .. } => {
                mem.visit(Pos::Late, &mut visit);
                visit(Operand::def_early_fixed(old[0], GPR, RAX));
                visit(Operand::def_early_fixed(old[1], GPR, RDX));
                visit(Operand::def_early_fixed(scratch[0], GPR, RBX));
                visit(Operand::def_early_fixed(scratch[1], GPR, RCX));
            }
            Inst::StackSub { amount } => visit(Operand::use_def_reg(amount, GPR)),
            Inst::StackSave { dst } => visit(Operand::def_reg(dst, GPR)),
            Inst::StackRestore { src } => visit(Operand::use_any(src, GPR)),
            Inst::Call { callee, .. } => {
                if let Callee::Value(callee) = callee {
                    visit(Operand::use_any(callee, GPR));
                }
            }
            Inst::Switch { index, scratch, table, .. } => {
                visit(Operand::use_reg(index, GPR));
                visit(Operand::use_reg(scratch, GPR));
                table.into_iter().for_each(|table| visit(Operand::use_reg(table, GPR)));
            }
            Inst::SwitchPair { lo, hi, scratch, table, .. } => {
                visit(Operand::use_reg(lo, GPR));
                visit(Operand::use_reg(hi, GPR));
                visit(Operand::use_reg(scratch, GPR));
                table.into_iter().for_each(|table| visit(Operand::use_reg(table, GPR)));
            }
        }
    }

    fn clobbers(&self) -> RegUnits {
        match self {
            Inst::Call { mode, .. } | Inst::ThreadLocalCall { mode, .. } => match mode {
                Mode::Bits32 => regs::CALLER_SAVED_32,
                Mode::Bits64 => regs::CALLER_SAVED_64,
            },
            _ => RegUnits::EMPTY,
        }
    }

    fn is_move(&self) -> Option<(VReg, VReg)> {
        match *self {
            Inst::Mov { dst, src, .. } | Inst::MovXmm { dst, src, .. } => Some((src, dst)),
            _ => None,
        }
    }

    fn rematerialize(&self) -> Option<Remat> {
        match *self {
            // A negative one of 32 bits would have to fill a slot of 64.
            Inst::MovImm { imm: 0..=0x7fff_ffff, .. } => Some(Remat::Anywhere),
            Inst::MovImm { .. } | Inst::MovSymbol { .. } | Inst::ZeroXmm { .. } | Inst::OnesXmm { .. } => {
                Some(Remat::Register)
            }
            Inst::Lea { mem, .. } if mem.is_in_frame() => Some(Remat::Register),
            Inst::Load { width: Width::B32 | Width::B64, mem, .. } if mem.is_constant() => {
                Some(Remat::Memory)
            }
            // A vector operand of 16 bytes must be aligned; scalars need not.
            Inst::LoadXmm { size: 4 | 8, mem, .. } if mem.is_constant() => Some(Remat::Memory),
            Inst::Load { mem, .. } | Inst::LoadXmm { mem, .. } if mem.is_constant() => Some(Remat::Register),
            _ => None,
        }
    }

    #[inline(always)]
    fn role(&self) -> Role {
        match self {
            Inst::Mov { .. } | Inst::MovXmm { .. } => Role::Move,
            Inst::Call { .. } | Inst::ThreadLocalCall { .. } => Role::Clobbers,
            Inst::Jmp { .. }
            | Inst::Jcc { .. }
            | Inst::JccAnd { .. }
            | Inst::Switch { .. }
            | Inst::SwitchPair { .. }
            | Inst::Ret
            | Inst::Unreachable => Role::Terminator,
            _ => Role::Usual,
        }
    }
}
