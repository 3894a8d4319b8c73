//! The machine instructions, over virtual registers: one row an instruction.
//!
//! There are no flags but one condition code of floating-point comparisons, which lowering keeps alive only across
//! moves, constants, loads, stores and the allocator's edits, which are all of these. hi and lo live inside of one
//! instruction. Emission may destroy $at in any instruction.
//!
//! [`ice_codegen::mach::rows`] says what the columns are. Kinds of operands that are not one register stand in
//! [`operand`](crate::operand), encodings that are more than one call of the encoder in [`emit`](crate::emit).

pub use crate::operand::{Amode, Base, Callee, Cond, Src};

use crate::operand::VisitOperands as _;
use crate::regs::*;
use ice_asm::SymbolId;
use ice_asm::mips32::{
    Alu, AluSigned, AluUnsigned, Cc, Count, Extend, Float2, Float3, FloatCompare, FloatConvert, FloatWidth,
    FromHiLo, MultiplyDivide, Shift, ShiftBy, Transfer,
};
use ice_codegen::mach::{MachBlock, MachInst, RegUnits, Remat, VReg};

/// An entry of the linker's table, or a distance from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The address of a symbol; of one of this object its page.
    Address,
    /// The address of a function that is only called.
    Function,
    /// The offset of a thread-local variable from the thread pointer.
    ThreadOffset,
}

impl Entry {
    /// All of them.
    pub(crate) const ALL: &[Entry] = &[Entry::Address, Entry::Function, Entry::ThreadOffset];
}

/// Hands the rows to a reader.
macro_rules! instructions {
    ($($reader:tt)*) => { $($reader)* { |em, bound|
    // ---- moves and memory
    /// Defines the registers in its extra operands: the incoming arguments. No code.
    Params "params" [] => {};
    /// A register with anything in it, which the next instruction may destroy. No code.
    Scratch { dst: VReg } "{dst} = scratch" [dst: def_reg(GPR)] => { let _: Gpr = dst; };
    /// Copy of a general register.
    Mov { dst: VReg, src: VReg } is Move "{dst} = copy {src}"
        [src: use_any(GPR), dst: def_reg(GPR)] => em.copy_to(dst, src);
    /// Any 32-bit number.
    MovImm { dst: VReg, imm: u32 } is Remade "{dst} = li {imm}" [dst: def_reg(GPR)] => em.e.load_number(dst, imm);
    /// The address of a symbol at a place that the linker knows.
    MovSymbol { dst: VReg, symbol: SymbolId, addend: i32 } "{dst} = la {symbol} + {addend}"
        [dst: def_reg(GPR)] => em.mov_symbol(dst, symbol, addend);
    /// The address that position-independent code reaches the linker's table from, which the prologue has begun in $v0;
    /// the function's own address came in $t9. No code where nothing uses it.
    GlobalBase { dst: VReg, distance: VReg, entry: VReg } "{dst} = global_base {distance}, {entry}"
        [distance: use_reg(GPR), entry: use_reg(GPR), dst: def_reg(GPR)] => em.global_base(dst, distance, entry);
    /// What the linker's table has for a symbol.
    TableEntry { dst: VReg, entry: Entry, symbol: SymbolId, base: VReg } "{dst} = {entry} {symbol}, {base}"
        [base: use_reg(GPR), dst: def_reg(GPR)] => em.table_entry(dst, entry, symbol, base);
    /// The address of this thread's data, in $v1, as the system has it fastest.
    ThreadPointer { dst: VReg } "{dst} = thread" [dst: def_fixed(GPR, r(3))] => em.thread_pointer(dst);
    /// Adds the offset of a thread-local variable from this thread's data.
    AddThreadOffset { dst: VReg, symbol: SymbolId } "add_tpoff {dst}, {symbol}"
        [dst: use_def_reg(GPR)] => em.add_thread_offset(dst, symbol);
    /// Where the linker's table names a thread-local variable to the resolver.
    ThreadVariable { dst: VReg, symbol: SymbolId, base: VReg } "{dst} = tlsgd {symbol}, {base}"
        [base: use_reg(GPR), dst: def_reg(GPR)] => em.thread_variable(dst, symbol, base);
    /// Copies `count` words, at least one; all registers are destroyed.
    CopyWords { dst: VReg, src: VReg, count: VReg } "copy_words {dst}, {src}, {count}"
        [dst: use_def_reg(GPR), src: use_def_reg(GPR), count: use_def_reg(GPR)] => em.copy_words(dst, src, count);
    Load { op: Transfer, dst: VReg, mem: Amode } is Remade "{dst} = {op} {mem}"
        [mem: mem(), dst: def_reg(GPR)] => em.transfer(op, dst, mem);
    Store { op: Transfer, src: Src, mem: Amode } "{op} {src}, {mem}"
        [src: src(), mem: mem()] => em.transfer(op, src, mem);
    /// The high bytes of a word at any address, from its last byte, beside the low ones that `lwr` has loaded.
    LoadLeft { dst: VReg, mem: Amode } "load_left {dst}, {mem}"
        [mem: mem(), dst: use_def_reg(GPR)] => em.transfer(Transfer::Lwl, dst, mem);
    StoreAnywhere { src: Src, mem: Amode } "usw {src}, {mem}"
        [src: src(), mem: parts_mem()] => em.store_anywhere(src, mem);
    /// The address itself.
    Lea { dst: VReg, mem: Amode } is Remade "{dst} = lea {mem}" [mem: address(), dst: def_reg(GPR)] => em.lea(dst, mem);
    // ---- integer arithmetic
    Alu { op: Alu, dst: VReg, lhs: Src, rhs: Src } "{dst} = {op} {lhs}, {rhs}"
        [lhs: src(), rhs: src(), dst: def_reg(GPR)] => em.e.alu(op, dst, lhs, rhs);
    AluSigned { op: AluSigned, dst: VReg, lhs: VReg, imm: i16 } "{dst} = {op} {lhs}, {imm}"
        [lhs: use_reg(GPR), dst: def_reg(GPR)] => em.e.alu_signed(op, dst, lhs, i32::from(imm));
    AluUnsigned { op: AluUnsigned, dst: VReg, lhs: VReg, imm: u16 } "{dst} = {op} {lhs}, {imm}"
        [lhs: use_reg(GPR), dst: def_reg(GPR)] => em.e.alu_unsigned(op, dst, lhs, imm);
    Shift { op: Shift, dst: VReg, src: VReg, amount: u8 } "{dst} = {op} {src}, {amount}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.shift(op, dst, src, amount);
    ShiftBy { op: ShiftBy, dst: VReg, src: VReg, amount: VReg } "{dst} = {op} {src}, {amount}"
        [src: use_reg(GPR), amount: use_reg(GPR), dst: def_reg(GPR)] => em.e.shift_by(op, dst, src, amount);
    Count { op: Count, dst: VReg, src: VReg } "{dst} = {op} {src}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.count(op, dst, src);
    Extend { op: Extend, dst: VReg, src: VReg } "{dst} = {op} {src}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.extend(op, dst, src);
    /// The bits of a field, with zeros above.
    Extract { dst: VReg, src: VReg, lsb: u8, size: u8 } "{dst} = ext {src}, {lsb}, {size}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.ext(dst, src, lsb, size);
    /// The low bits of a register in a field of another.
    Insert { dst: VReg, src: Src, lsb: u8, size: u8 } "ins {dst}, {src}, {lsb}, {size}"
        [src: src(), dst: use_def_reg(GPR)] => em.e.ins(dst, src, lsb, size);
    /// dst = src if the condition is zero (`movz`) or is not (`movn`).
    CondMov { op: Alu, dst: VReg, src: Src, cond: VReg } "{op} {dst}, {src}, {cond}"
        [src: src(), cond: use_reg(GPR), dst: use_def_reg(GPR)] => em.e.alu(op, dst, src, cond);
    /// dst = src if the floating-point condition is what is wanted.
    FlagMov { wanted: Wanted, dst: VReg, src: Src } "mov.{wanted} {dst}, {src}"
        [src: src(), dst: use_def_reg(GPR)] => em.flag_mov(wanted, dst, src);
    /// The one or the other half of a product or of a division.
    HiLo { op: MultiplyDivide, half: FromHiLo, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {half} {op} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), dst: def_reg(GPR)] => em.hi_lo(op, half, dst, [lhs, rhs]);
    MultiplyLong { op: MultiplyDivide, lo: VReg, hi: VReg, lhs: VReg, rhs: VReg } "{lo}, {hi} = {op} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), lo: def_reg(GPR), hi: def_reg(GPR)]
        => em.multiply_long(op, [lo, hi], [lhs, rhs]);
    /// The accumulator plus or less a product of 64 bits.
    MultiplyAdd { op: MultiplyDivide, lo: VReg, hi: VReg, acc_lo: VReg, acc_hi: VReg, lhs: VReg, rhs: VReg }
        "{lo}, {hi} = {op} {acc_lo}:{acc_hi}, {lhs}, {rhs}"
        [acc_lo: use_reg(GPR), acc_hi: use_reg(GPR), lhs: use_reg(GPR), rhs: use_reg(GPR), lo: def_reg(GPR), hi: def_reg(GPR)]
        => em.multiply_add(op, [lo, hi], [acc_lo, acc_hi], [lhs, rhs]);
    /// Ends the program with a fault if the value is zero.
    TrapIfZero { src: VReg } "trap_if_zero {src}" [src: use_reg(GPR)] => em.e.trap_if_zero(src);
    // ---- floating point
    MovFloat { width: FloatWidth, dst: VReg, src: VReg } is Move "{dst} = fcopy.{width} {src}"
        [src: use_any(float(width)), dst: def_reg(float(width))] => em.copy_to_float(width, dst, src);
    LoadFloat { width: FloatWidth, dst: VReg, mem: Amode } is Remade "{dst} = fload.{width} {mem}"
        [mem: mem(), dst: def_reg(float(width))] => em.load_float(width, dst, mem);
    StoreFloat { width: FloatWidth, src: VReg, mem: Amode } "fstore.{width} {src}, {mem}"
        [src: use_reg(float(width)), mem: mem()] => em.store_float(width, src, mem);
    /// A doubleword in two words at multiples of 4.
    LoadHalves { dst: VReg, mem: Amode } "{dst} = fload.halves {mem}"
        [mem: parts_mem(), dst: def_reg(DOUBLE)] => em.load_halves(dst, mem);
    StoreHalves { src: VReg, mem: Amode } "fstore.halves {src}, {mem}"
        [src: use_reg(DOUBLE), mem: parts_mem()] => em.store_halves(src, mem);
    /// The bits of a number.
    SingleBits { dst: VReg, bits: u32 } is Remade "{dst} = bits.s {bits}" [dst: def_reg(SINGLE)] => em.single_bits(dst, bits);
    DoubleBits { dst: VReg, bits: u64 } "{dst} = bits.d {bits}" [dst: def_reg(DOUBLE)] => em.double_bits(dst, bits);
    Float3 { op: Float3, width: FloatWidth, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{width} {lhs}, {rhs}"
        [lhs: use_reg(float(width)), rhs: use_reg(float(width)), dst: def_reg(float(width))] => em.e.float3(op, width, dst, lhs, rhs);
    Float2 { op: Float2, width: FloatWidth, dst: VReg, src: VReg } "{dst} = {op}.{width} {src}"
        [src: use_reg(float(width)), dst: def_reg(float(width))] => em.e.float2(op, width, dst, src);
    /// To the condition code.
    CompareFloat { op: FloatCompare, width: FloatWidth, lhs: VReg, rhs: VReg } "{op}.{width} {lhs}, {rhs}"
        [lhs: use_reg(float(width)), rhs: use_reg(float(width))] => em.e.float_compare(op, width, FLAG, lhs, rhs);
    /// dst = src if a general register is zero or is not.
    CondMovFloat { wanted: Wanted, width: FloatWidth, dst: VReg, src: VReg, cond: VReg }
        "fmov.{wanted}.{width} {dst}, {src}, {cond}"
        [src: use_reg(float(width)), cond: use_reg(GPR), dst: use_def_reg(float(width))]
        => em.cond_mov_float(wanted, width, dst, src, cond);
    /// dst = src if the floating-point condition is what is wanted.
    FlagMovFloat { wanted: Wanted, width: FloatWidth, dst: VReg, src: VReg } "fmov.flag.{wanted}.{width} {dst}, {src}"
        [src: use_reg(float(width)), dst: use_def_reg(float(width))] => em.flag_mov_float(wanted, width, dst, src);
    Convert { op: FloatConvert, to: FloatWidth, from: FloatWidth, dst: VReg, src: VReg } "{dst} = {op} {from} to {to} {src}"
        [src: use_reg(float(from)), dst: def_reg(float(to))] => em.e.float_convert(op, dst, src);
    WordToSingle { dst: VReg, src: Src } "{dst} = mtc1 {src}"
        [src: src(), dst: def_reg(SINGLE)] => em.e.transmit(Transmit::Mtc1, src, dst);
    SingleToWord { dst: VReg, src: VReg } "{dst} = mfc1 {src}"
        [src: use_reg(SINGLE), dst: def_reg(GPR)] => em.e.transmit(Transmit::Mfc1, dst, src);
    PairToDouble { dst: VReg, lo: Src, hi: Src } "{dst} = mtc1 {lo}, {hi}"
        [lo: src(), hi: src(), dst: def_reg(DOUBLE)] => em.pair_to_double(dst, [lo, hi]);
    DoubleToPair { lo: VReg, hi: VReg, src: VReg } "{lo}, {hi} = mfc1 {src}"
        [src: use_reg(DOUBLE), lo: def_reg(GPR), hi: def_reg(GPR)] => em.double_to_pair([lo, hi], src);
    HighHalf { dst: VReg, src: VReg } "{dst} = fhigh {src}" [src: use_reg(DOUBLE), dst: def_reg(GPR)] => em.high_half(dst, src);
    /// Another high half of a doubleword.
    WithHighHalf { dst: VReg, hi: Src } "fset_high {dst}, {hi}"
        [hi: src(), dst: use_def_reg(DOUBLE)] => em.set_high_half(dst, hi);
    // ---- atomics and fences
    /// Inline assembly; its operands and what it destroys are extra operands.
    Assembly { number: u32 } "asm{number}" [] => em.assembly(number);
    Fence "sync" [] => em.e.sync();
    /// A loop: old = memory, memory = old op src; without an operation memory = src.
    AtomicRmw { op: Option<Alu>, old: VReg, src: Src, address: VReg } "{old} = loop {op} [{address}], {src}"
        [src: late_src(), address: use_late_reg(GPR), old: def_early_reg(GPR)] => em.atomic_rmw(op, old, src, address);
    /// The same on some bits of a word; the source is shifted to its place, and `old` is the whole word.
    AtomicRmwPart { op: Option<Alu>, old: VReg, new: VReg, src: Src, mask: VReg, address: VReg }
        "{old}, {new} = loop {op} [{address}] & {mask}, {src}"
        [src: late_src(), mask: use_late_reg(GPR), address: use_late_reg(GPR), old: def_early_reg(GPR), new: def_early_reg(GPR)]
        => em.atomic_rmw_part(op, [old, new], src, [mask, address]);
    /// A loop: old = memory, and if it is the expected value memory = new.
    AtomicCmpxchg { old: VReg, expected: Src, new: Src, address: VReg } "{old} = cmpxchg [{address}], {expected}, {new}"
        [expected: late_src(), new: late_src(), address: use_late_reg(GPR), old: def_early_reg(GPR)]
        => em.atomic_cmpxchg(old, [expected, new], address);
    /// The same on some bits of a word; the values are shifted to their place, and `old` is the whole word.
    AtomicCmpxchgPart { old: VReg, expected: Src, new: Src, mask: VReg, address: VReg }
        "{old} = cmpxchg [{address}] & {mask}, {expected}, {new}"
        [expected: late_src(), new: late_src(), mask: use_late_reg(GPR), address: use_late_reg(GPR), old: def_early_reg(GPR)]
        => em.atomic_cmpxchg_part(old, [expected, new], [mask, address]);
    // ---- stack
    /// Lowers the stack pointer by less than a page, and touches where it was.
    StackTake { bytes: u32 } "take_stack {bytes}" [] => em.take_stack(bytes);
    /// Lowers the stack pointer page by page and touches each; `amount` is destroyed.
    StackSub { amount: VReg } "take_pages {amount}" [amount: use_def_reg(GPR)] => em.take_stack_by_pages(amount);
    /// The stack pointer as it is.
    StackSave { dst: VReg } "{dst} = sp" [dst: def_reg(GPR)] => em.copy(dst, Gpr::SP);
    /// Sets the stack pointer.
    StackRestore { src: VReg } "sp = {src}" [src: use_reg(GPR)] => em.step_stack(src, 0);
    // ---- control
    /// Arguments and results are extra operands. Position-independent code passes the linker's table in $gp.
    Call { callee: Callee, base: Option<VReg> } is Clobbers "call {callee}, {base}"
        [callee: callee(), base: use_reg_if(GPR)] => em.call(callee, base);
    /// A call that ends its block: goes to `normal` or, when an exception leaves it, to `pad`, which wants what the
    /// function's pad of the number `clauses` says.
    Invoke { callee: Callee, base: Option<VReg>, normal: MachBlock, pad: MachBlock, clauses: u32 } is Invokes
        "invoke {callee}, {base} to {normal} unwind {pad} as {clauses}"
        [callee: callee(), base: use_reg_if(GPR)] => em.invoke((callee, base), normal, (pad, clauses));
    /// A call of a function that preserves nothing.
    CallPreserveNone { callee: Callee, base: Option<VReg> } is Clobbers "call_preserve_none {callee}, {base}"
        [callee: callee(), base: use_reg_if(GPR)] => em.call(callee, base);
    Jump { target: MachBlock } is Terminator "b {target}" [] => em.jump_to(target);
    /// To the address of a label of the function.
    JumpIndirect { to: VReg } is Terminator "jr {to}" [to: use_reg(GPR)] => em.jump_indirect(to);
    Branch { cond: Cond, if_true: MachBlock, if_false: MachBlock } is Terminator
        "b.{cond} {if_true}, {if_false}" [cond: cond()] => em.branch_on(cond, if_true, if_false);
    /// A planned switch: `index` is the value; `scratch` is destroyed.
    Switch { switch: u32, index: VReg, scratch: VReg, base: Option<VReg> } is Terminator
        "switch{switch} {index}, {scratch}, {base}"
        [index: use_reg(GPR), scratch: use_reg(GPR), base: use_reg_if(GPR)]
        => em.planned_switch(switch, [index, scratch], None, base);
    /// A planned switch on a pair.
    SwitchPair { switch: u32, lo: VReg, hi: VReg, scratch: VReg, base: Option<VReg> } is Terminator
        "switch{switch} {lo}:{hi}, {scratch}, {base}"
        [lo: use_reg(GPR), hi: use_reg(GPR), scratch: use_reg(GPR), base: use_reg_if(GPR)]
        => em.planned_switch(switch, [lo, scratch], Some(hi), base);
    /// Epilogue and return; results are extra operands.
    Ret is Terminator "ret" [] => em.epilogue();
    /// Gives back the frame as before a return, and jumps; the rest as for a call. Before, the stack arguments from the
    /// offset `from` on to `to` are copied through `scratch` from where a call has them over those of the function.
    ReturnCall { callee: Callee, base: Option<VReg>, from: u32, to: u32, scratch: Option<VReg> } is Terminator
        "return_call {callee}, {base}, {from} to {to}, {scratch}"
        [callee: callee(), base: use_reg_if(GPR), scratch: use_reg_if(GPR)]
        => em.return_call(callee, base, from..to, scratch);
    /// Ends the program with a fault; `Trap` in the middle of a block, `Unreachable` as a terminator.
    Trap "trap" [] => em.trap();
    Unreachable is Terminator "unreachable" [] => em.unreachable();
    } };
}

pub(crate) use instructions;

instructions!(ice_codegen::insts!);

/// What a move under a condition wants of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// That it does not hold, or is zero.
    Zero,
    /// That it holds, or is not zero.
    Nonzero,
}

impl Wanted {
    /// Both.
    pub(crate) const ALL: &[Wanted] = &[Wanted::Zero, Wanted::Nonzero];

    /// The opposite.
    pub(crate) const fn invert(self) -> Wanted {
        match self {
            Wanted::Zero => Wanted::Nonzero,
            Wanted::Nonzero => Wanted::Zero,
        }
    }
}

/// The condition code that comparisons write.
pub(crate) const FLAG: Cc = Cc::new(0);

/// Whether one instruction makes the number: `addiu`, `ori` or `lui`.
pub(crate) fn is_one_word(number: u32) -> bool {
    number <= 0xffff || i16::try_from(number as i32).is_ok() || number & 0xffff == 0
}

impl MachInst for Inst {
    ice_codegen::row_methods!();

    fn is_call(&self) -> bool {
        matches!(self, Inst::Call { .. } | Inst::CallPreserveNone { .. } | Inst::Invoke { .. })
    }

    fn clobbers(&self) -> RegUnits {
        match self {
            Inst::Call { .. } | Inst::Invoke { .. } => CALLER_SAVED,
            Inst::CallPreserveNone { .. } => NOT_PRESERVED,
            _ => RegUnits::EMPTY,
        }
    }

    /// What takes one instruction, or a load of an argument that is in memory.
    fn rematerialize(&self) -> Option<Remat> {
        match *self {
            Inst::MovImm { imm, .. } if is_one_word(imm) => Some(Remat::Register),
            Inst::SingleBits { bits: 0, .. } => Some(Remat::Register),
            Inst::Lea { mem, .. } if mem.is_in_frame() => Some(Remat::Register),
            Inst::Load { op: Transfer::Lw, mem, .. } if mem.is_argument() => Some(Remat::Memory),
            Inst::LoadFloat { mem, .. } if mem.is_argument() => Some(Remat::Memory),
            _ => None,
        }
    }
}
