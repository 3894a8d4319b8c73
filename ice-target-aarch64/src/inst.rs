//! The machine instructions, over virtual registers: one row an instruction.
//!
//! Arithmetic has three operands, of which an [`Rhs`] is a flexible one. Lowering keeps flags alive only across
//! instructions that write none: moves, constants, loads, stores, conditional choices, and the allocator's edits, which are
//! all of these. Emission may destroy x16 and x17 in any instruction.
//!
//! [`ice_codegen::mach::rows`] says what the columns are. Kinds of operands that are not one register stand in
//! [`operand`](crate::operand), encodings that are more than one call of the encoder in [`emit`](crate::emit).

pub use crate::operand::{Amode, Base, Callee, Index, Rhs, Src, Test};

use crate::operand::VisitOperands as _;
use crate::regs::*;
use ice_asm::SymbolId;
use ice_asm::aarch64::{
    Across, Alu, BitField, Compare, Cond, ConditionalCompare, Float2, Float3, Float4, FloatImm, FloatToInt,
    FloatWidth, Lane, Multiply, MultiplyHigh, MultiplyLong, One, Permute, Select, Transfer, Two, Vector2,
    Vector3, VectorFloat2, VectorFloat3, VectorLogic, VectorLong, VectorNarrow, VectorShift, Width,
};
use ice_codegen::mach::{MachBlock, MachInst, RegUnits, Remat, VReg};
use ice_codegen::magic::Signedness;

/// An operation of a loop that changes memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Update {
    /// The new value alone.
    Exchange,
    /// An operation on what is there and the value.
    Alu(Alu),
}

impl Update {
    /// All of them.
    pub(crate) const ALL: &[Update] = &[
        Update::Exchange,
        Update::Alu(Alu::Add),
        Update::Alu(Alu::Sub),
        Update::Alu(Alu::And),
        Update::Alu(Alu::Orr),
        Update::Alu(Alu::Eor),
    ];
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
    Mov { width: Width, dst: VReg, src: VReg } is Move "{dst} = copy.{width} {src}"
        [src: use_any(GPR), dst: def_reg(GPR)] => em.copy_to(width, dst, src);
    /// A copy of 32 bits with zeros above them.
    ZeroUpper { dst: VReg, src: VReg } "{dst} = uxtw {src}" [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.mov(Width::W, dst, src);
    /// Any number.
    MovImm { width: Width, dst: VReg, imm: u64 } is Remade "{dst} = mov.{width} {imm}" [dst: def_reg(GPR)] => em.e.mov_number(width, dst, imm);
    /// The address of a symbol of the linked program.
    MovSymbol { dst: VReg, symbol: SymbolId, addend: i32 } is Remade "{dst} = adr {symbol} + {addend}"
        [dst: def_reg(GPR)] => em.mov_symbol(dst, symbol, addend);
    /// The page of a place behind a symbol of the linked program.
    Page { dst: VReg, symbol: SymbolId, addend: i32 } is Remade "{dst} = adrp {symbol} + {addend}"
        [dst: def_reg(GPR)] => em.e.adrp_symbol(dst, RelocKind::Aarch64Page21, symbol, addend.into());
    /// What the linker's table has for a symbol: its address.
    TableEntry { dst: VReg, symbol: SymbolId } "{dst} = got {symbol}" [dst: def_reg(GPR)] => em.table_entry(dst, symbol);
    /// The address of this thread's data.
    ThreadPointer { dst: VReg } "{dst} = thread" [dst: def_reg(GPR)] => em.e.read_thread_pointer(dst);
    /// Adds the offset of a thread-local variable of the program from this thread's data.
    AddThreadOffset { dst: VReg, src: VReg, symbol: SymbolId } "{dst} = {src} + tprel {symbol}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.add_thread_offset(dst, src, symbol);
    /// The offset of a thread-local variable, from the linker's table.
    ThreadOffset { dst: VReg, symbol: SymbolId } "{dst} = gottprel {symbol}" [dst: def_reg(GPR)] => em.thread_offset(dst, symbol);
    /// The offset of a thread-local variable, from the resolver of its descriptor, which is called.
    ThreadDescriptor { dst: VReg, symbol: SymbolId } is Clobbers "{dst} = tlsdesc {symbol}"
        [dst: def_fixed(GPR, x(0))] => { let _: Gpr = dst; em.thread_descriptor(symbol); };
    /// Copies `count` words of 32 bits, at least one; all registers are destroyed.
    CopyWords { dst: VReg, src: VReg, count: VReg } "copy_words {dst}, {src}, {count}"
        [dst: use_def_reg(GPR), src: use_def_reg(GPR), count: use_def_reg(GPR)] => em.copy_words(dst, src, count);
    Load { op: Transfer, dst: VReg, mem: Amode } is Remade "{dst} = {op} {mem}"
        [mem: mem(op.size_log2()), dst: def_reg(GPR)] => em.e.transfer(op, dst, mem);
    Store { op: Transfer, src: Src, mem: Amode } "{op} {src}, {mem}"
        [src: src(), mem: mem(op.size_log2())] => em.e.transfer(op, src, mem);
    /// The address itself.
    Lea { dst: VReg, mem: Amode } is Remade "{dst} = lea {mem}" [mem: address(), dst: def_reg(GPR)] => em.lea(dst, mem);
    // ---- integer arithmetic
    Alu { op: Alu, width: Width, dst: VReg, lhs: Src, rhs: Rhs } "{dst} = {op}.{width} {lhs}, {rhs}"
        [lhs: src(), rhs: rhs(), dst: def_reg(GPR)] => em.e.alu(op, width, dst, lhs, rhs);
    /// To the flags.
    Compare { op: Compare, width: Width, lhs: Src, rhs: Rhs } "{op}.{width} {lhs}, {rhs}"
        [lhs: src(), rhs: rhs()] => em.e.compare(op, width, lhs, rhs);
    /// To the flags, if these say so; else they become the four of `nzcv`.
    CompareIf { op: ConditionalCompare, width: Width, lhs: VReg, rhs: Rhs, nzcv: u8, cond: Cond }
        "{op}.{width} {lhs}, {rhs}, {nzcv}, {cond}"
        [lhs: use_reg(GPR), rhs: rhs()] => em.e.conditional_compare(op, width, lhs, rhs, nzcv, cond);
    Two { op: Two, width: Width, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{width} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), dst: def_reg(GPR)] => em.e.two(op, width, dst, lhs, rhs);
    One { op: One, width: Width, dst: VReg, src: VReg } "{dst} = {op}.{width} {src}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.one(op, width, dst, src);
    /// acc plus or less lhs times rhs.
    Multiply { op: Multiply, width: Width, dst: VReg, lhs: VReg, rhs: VReg, acc: Src } "{dst} = {op}.{width} {lhs}, {rhs}, {acc}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), acc: src(), dst: def_reg(GPR)] => em.e.multiply(op, width, dst, lhs, rhs, acc);
    /// The same with factors of 32 bits and a product of 64.
    MultiplyLong { op: MultiplyLong, dst: VReg, lhs: VReg, rhs: VReg, acc: Src } "{dst} = {op} {lhs}, {rhs}, {acc}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), acc: src(), dst: def_reg(GPR)] => em.e.multiply_long(op, dst, lhs, rhs, acc);
    /// The upper half of a product of 128 bits.
    MultiplyHigh { op: MultiplyHigh, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), dst: def_reg(GPR)] => em.e.multiply_high(op, dst, lhs, rhs);
    /// Bits of the source: those from `first` to `last`, or from the low end to `last` moved up to the width less `first`.
    BitField { op: BitField, width: Width, dst: VReg, src: VReg, first: u8, last: u8 } "{dst} = {op}.{width} {src}, {first}, {last}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.bit_field(op, width, dst, src, first, last);
    /// The low bits of a register in a field of another.
    Insert { width: Width, dst: VReg, src: Src, lsb: u8, size: u8 } "bfi.{width} {dst}, {src}, {lsb}, {size}"
        [src: src(), dst: use_def_reg(GPR)] => em.e.insert_bits(width, dst, src, lsb, size);
    /// The bits from `lsb` on of `hi` above `lo`.
    ExtractPair { width: Width, dst: VReg, hi: VReg, lo: VReg, lsb: u8 } "{dst} = extr.{width} {hi}, {lo}, {lsb}"
        [hi: use_reg(GPR), lo: use_reg(GPR), dst: def_reg(GPR)] => em.e.extract_pair(width, dst, hi, lo, lsb);
    /// By the flags: the one, or the other as it is, one more, its complement or its opposite.
    Select { op: Select, width: Width, dst: VReg, if_true: Src, if_false: Src, cond: Cond } "{dst} = {op}.{width} {cond}, {if_true}, {if_false}"
        [if_true: src(), if_false: src(), dst: def_reg(GPR)] => em.e.select(op, width, dst, if_true, if_false, cond);
    /// 1 if the flags say so, else 0.
    SetCond { dst: VReg, cond: Cond } "{dst} = cset {cond}" [dst: def_reg(GPR)] => em.e.cset(Width::W, dst, cond);
    /// Ends the program with a fault if the value is zero.
    TrapIfZero { width: Width, src: VReg } "trap_if_zero.{width} {src}" [src: use_reg(GPR)] => em.trap_if_zero(width, src);
    // ---- floating point
    MovFloat { width: FloatWidth, dst: VReg, src: VReg } is Move "{dst} = fcopy.{width} {src}"
        [src: use_any(float(width)), dst: def_reg(float(width))] => em.copy_to_vector(width, dst, src);
    LoadFloat { width: FloatWidth, dst: VReg, mem: Amode } is Remade "{dst} = fload.{width} {mem}"
        [mem: mem(width.size_log2()), dst: def_reg(float(width))] => em.e.load_float(width, dst, mem);
    StoreFloat { width: FloatWidth, src: VReg, mem: Amode } "fstore.{width} {src}, {mem}"
        [src: use_reg(float(width)), mem: mem(width.size_log2())] => em.e.store_float(width, src, mem);
    /// All bits zero.
    FloatZero { width: FloatWidth, dst: VReg } is Remade "{dst} = fzero.{width}" [dst: def_reg(float(width))] => em.float_zero(dst);
    FloatNumber { width: FloatWidth, dst: VReg, imm: FloatImm } is Remade "{dst} = fmov.{width} {imm}"
        [dst: def_reg(float(width))] => em.e.float_number(width, dst, imm);
    Float3 { op: Float3, width: FloatWidth, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{width} {lhs}, {rhs}"
        [lhs: use_reg(FLOAT), rhs: use_reg(FLOAT), dst: def_reg(FLOAT)] => em.e.float3(op, width, dst, lhs, rhs);
    Float2 { op: Float2, width: FloatWidth, dst: VReg, src: VReg } "{dst} = {op}.{width} {src}"
        [src: use_reg(FLOAT), dst: def_reg(FLOAT)] => em.e.float2(op, width, dst, src);
    Float4 { op: Float4, width: FloatWidth, dst: VReg, lhs: VReg, rhs: VReg, acc: VReg } "{dst} = {op}.{width} {lhs}, {rhs}, {acc}"
        [lhs: use_reg(FLOAT), rhs: use_reg(FLOAT), acc: use_reg(FLOAT), dst: def_reg(FLOAT)] => em.e.float4(op, width, dst, lhs, rhs, acc);
    /// To the flags.
    CompareFloat { width: FloatWidth, lhs: VReg, rhs: VReg } "fcmp.{width} {lhs}, {rhs}"
        [lhs: use_reg(FLOAT), rhs: use_reg(FLOAT)] => em.e.float_compare(width, lhs, rhs);
    CompareFloatZero { width: FloatWidth, lhs: VReg } "fcmp.{width} {lhs}, zero" [lhs: use_reg(FLOAT)] => em.e.float_compare_zero(width, lhs);
    /// To the flags, if these say so; else they become the four of `nzcv`.
    CompareFloatIf { width: FloatWidth, lhs: VReg, rhs: VReg, nzcv: u8, cond: Cond }
        "fccmp.{width} {lhs}, {rhs}, {nzcv}, {cond}" [lhs: use_reg(FLOAT), rhs: use_reg(FLOAT)]
        => em.e.float_conditional_compare(FloatConditionalCompare::Fccmp, width, lhs, rhs, nzcv, cond);
    SelectFloat { width: FloatWidth, dst: VReg, if_true: VReg, if_false: VReg, cond: Cond } "{dst} = fcsel.{width} {cond}, {if_true}, {if_false}"
        [if_true: use_reg(FLOAT), if_false: use_reg(FLOAT), dst: def_reg(FLOAT)] => em.e.float_select(width, dst, if_true, if_false, cond);
    FloatConvert { to: FloatWidth, from: FloatWidth, dst: VReg, src: VReg } "{dst} = fcvt {from} to {to} {src}"
        [src: use_reg(FLOAT), dst: def_reg(FLOAT)] => em.e.float_convert(to, from, dst, src);
    IntToFloat { sign: Signedness, from: Width, to: FloatWidth, dst: VReg, src: Src } "{dst} = cvtf {sign} {from} to {to} {src}"
        [src: src(), dst: def_reg(FLOAT)] => em.e.int_to_float(sign == Signedness::Signed, from, to, dst, src);
    FloatToInt { op: FloatToInt, from: FloatWidth, to: Width, dst: VReg, src: VReg } "{dst} = {op} {from} to {to} {src}"
        [src: use_reg(FLOAT), dst: def_reg(GPR)] => em.e.float_to_int(op, from, to, dst, src);
    /// The bits of a number from a general register.
    ToFloat { width: FloatWidth, dst: VReg, src: Src } "{dst} = bits_to.{width} {src}"
        [src: src(), dst: def_reg(FLOAT)] => em.e.to_float(width, dst, src);
    /// The bits of a number in a general register.
    FromFloat { width: FloatWidth, dst: VReg, src: VReg } "{dst} = bits_of.{width} {src}"
        [src: use_reg(FLOAT), dst: def_reg(GPR)] => em.e.from_float(width, dst, src);
    /// How many bits of a number are one.
    Ones { width: FloatWidth, dst: VReg, src: VReg } "{dst} = popcount.{width} {src}"
        [src: use_reg(FLOAT), dst: def_reg(FLOAT)] => em.ones(dst, src);
    // ---- vectors
    /// The same 64 bits in both halves, which one instruction makes.
    VectorNumber { dst: VReg, half: u64 } is Remade "{dst} = vmov {half}" [dst: def_reg(QUAD)] => em.vector_number(dst, half);
    Vector3 { op: Vector3, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{lane} {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => em.vector3(op, lane, dst, lhs, rhs);
    Vector2 { op: Vector2, lane: Lane, dst: VReg, src: VReg } "{dst} = {op}.{lane} {src}"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => em.vector2(op, lane, dst, src);
    VectorFloat3 { op: VectorFloat3, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{lane} {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => em.vector_float3(op, lane, dst, lhs, rhs);
    /// `fmla` and `fmls`, which add to the destination.
    VectorFloatSum { op: VectorFloat3, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg } "{op}.{lane} {dst}, {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: use_def_reg(QUAD)] => em.vector_float3(op, lane, dst, lhs, rhs);
    VectorFloat2 { op: VectorFloat2, lane: Lane, dst: VReg, src: VReg } "{dst} = {op}.{lane} {src}"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => em.vector_float2(op, lane, dst, src);
    VectorLogic { op: VectorLogic, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.v {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => em.e.vector_logic(op, true, dst, lhs, rhs);
    /// `bsl`, `bit` and `bif`, which read the destination.
    VectorMerge { op: VectorLogic, dst: VReg, lhs: VReg, rhs: VReg } "{op}.v {dst}, {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: use_def_reg(QUAD)] => em.e.vector_logic(op, true, dst, lhs, rhs);
    /// All lanes by a constant.
    VectorShift { op: VectorShift, lane: Lane, dst: VReg, src: VReg, amount: u8 } "{dst} = {op}.{lane} {src}, {amount}"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => em.vector_shift(op, lane, dst, src, amount);
    /// The low halves of lanes, in the low half of a register; the lane is the narrow one.
    VectorNarrow { op: VectorNarrow, lane: Lane, dst: VReg, src: VReg } "{dst} = {op}.{lane} {src}"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => em.e.vector_narrow(op, lane, false, dst, src);
    /// `umlal` and its like of the narrow lanes in the low halves of two registers, which add to the destination.
    VectorLongSum { op: VectorLong, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg } "{op}.{lane} {dst}, {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: use_def_reg(QUAD)] => em.e.vector_long(op, lane, false, dst, lhs, rhs);
    /// `umull` and its like of the narrow lanes in the low halves of two registers.
    VectorLong { op: VectorLong, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{lane} {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => em.e.vector_long(op, lane, false, dst, lhs, rhs);
    /// All lanes to one number.
    Across { op: Across, lane: Lane, dst: VReg, src: VReg } "{dst} = {op}.{lane} {src}"
        [src: use_reg(QUAD), dst: def_reg(FLOAT)] => em.across(op, lane, dst, src);
    Permute { op: Permute, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{lane} {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => em.permute(op, lane, dst, lhs, rhs);
    /// The bytes from this one on of the first, then of the second.
    ExtractVector { dst: VReg, lhs: VReg, rhs: VReg, byte: u8 } "{dst} = ext {lhs}, {rhs}, {byte}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => em.e.extract_vector(true, dst, lhs, rhs, byte);
    /// The bytes of a vector that the mask names; zero for what is no number of one.
    Table { dst: VReg, src: VReg, mask: VReg } "{dst} = tbl {src}, {mask}"
        [src: use_reg(QUAD), mask: use_reg(QUAD), dst: def_reg(QUAD)] => em.e.table(true, dst, src, 1, mask);
    /// The same, but other bytes stay.
    TableExtend { dst: VReg, src: VReg, mask: VReg } "tbx {dst}, {src}, {mask}"
        [src: use_reg(QUAD), mask: use_reg(QUAD), dst: use_def_reg(QUAD)] => em.e.table_extend(true, dst, src, 1, mask);
    /// The low bits of a general register in every lane.
    Splat { lane: Lane, dst: VReg, src: Src } "{dst} = splat.{lane} {src}" [src: src(), dst: def_reg(QUAD)] => em.splat(lane, dst, src);
    /// A number in every lane.
    SplatFloat { lane: Lane, dst: VReg, src: VReg } "{dst} = fsplat.{lane} {src}"
        [src: use_reg(FLOAT), dst: def_reg(QUAD)] => em.splat_lane(lane, dst, src, 0);
    /// A lane in every lane.
    SplatLane { lane: Lane, index: u8, dst: VReg, src: VReg } "{dst} = splat.{lane} {src}[{index}]"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => em.splat_lane(lane, dst, src, index);
    /// The low bits of a general register in the first lane, and zeros.
    FirstLane { width: FloatWidth, dst: VReg, src: Src } "{dst} = first.{width} {src}"
        [src: src(), dst: def_reg(QUAD)] => em.e.to_float(width, dst, src);
    /// A number in the first lane, and zeros.
    FirstFloat { width: FloatWidth, dst: VReg, src: VReg } "{dst} = ffirst.{width} {src}"
        [src: use_reg(FLOAT), dst: def_reg(QUAD)] => em.first_float(width, dst, src);
    /// The low bits of a general register in one lane.
    InsertLane { lane: Lane, index: u8, dst: VReg, src: Src } "{dst}[{index}] = ins.{lane} {src}"
        [src: src(), dst: use_def_reg(QUAD)] => em.e.insert_gpr(lane, dst, index, src);
    /// A number in one lane.
    InsertFloat { lane: Lane, index: u8, dst: VReg, src: VReg } "{dst}[{index}] = fins.{lane} {src}"
        [src: use_reg(FLOAT), dst: use_def_reg(QUAD)] => em.e.insert_lane(lane, dst, index, src, 0);
    /// A lane in one lane.
    MoveLane { lane: Lane, index: u8, dst: VReg, src: VReg, from: u8 } "{dst}[{index}] = ins.{lane} {src}[{from}]"
        [src: use_reg(QUAD), dst: use_def_reg(QUAD)] => em.e.insert_lane(lane, dst, index, src, from);
    /// A lane in a general register, with zeros or its sign above it.
    LaneToWord { sign: Signedness, lane: Lane, index: u8, dst: VReg, src: VReg } "{dst} = lane.{sign} {lane} {src}[{index}]"
        [src: use_reg(QUAD), dst: def_reg(GPR)] => em.lane_to_word(sign, lane, dst, src, index);
    /// A lane as a number of its own.
    LaneToFloat { lane: Lane, index: u8, dst: VReg, src: VReg } "{dst} = flane.{lane} {src}[{index}]"
        [src: use_reg(QUAD), dst: def_reg(FLOAT)] => em.lane_to_float(lane, dst, src, index);
    // ---- atomics and fences
    Fence "dmb" [] => em.e.dmb(Barrier::Ish);
    /// A load that stays an access by itself: atomic without an order, or volatile.
    LoadAlone { op: Transfer, dst: VReg, address: VReg } "{dst} = alone {op} [{address}]"
        [address: use_reg(GPR), dst: def_reg(GPR)] => em.e.transfer(op, dst, Mem::new(address, 0));
    /// A store of this kind.
    StoreAlone { op: Transfer, src: Src, address: VReg } "alone {op} {src}, [{address}]"
        [src: src(), address: use_reg(GPR)] => em.e.transfer(op, src, Mem::new(address, 0));
    /// A load with acquire semantics.
    LoadAcquire { size_log2: u8, dst: VReg, address: VReg } "{dst} = ldar {size_log2} [{address}]"
        [address: use_reg(GPR), dst: def_reg(GPR)] => em.e.load_exclusive(Exclusive::Ldar, size_log2, dst, address);
    /// A store with release semantics.
    StoreRelease { size_log2: u8, src: Src, address: VReg } "stlr {size_log2} {src}, [{address}]"
        [src: src(), address: use_reg(GPR)] => em.e.store_release(size_log2, src, address);
    /// A loop: old = memory, memory = old and src by an operation.
    AtomicRmw { op: Update, size_log2: u8, old: VReg, src: Src, address: VReg } "{old} = loop {op} {size_log2} [{address}], {src}"
        [src: late_src(), address: use_late_reg(GPR), old: def_early_reg(GPR)] => em.atomic_rmw(op, size_log2, old, src, address);
    /// A loop: old = memory, and if it is the expected value memory = new. The flags say whether it was equal.
    AtomicCmpxchg { size_log2: u8, old: VReg, expected: Src, new: Src, address: VReg } "{old} = cmpxchg {size_log2} [{address}], {expected}, {new}"
        [expected: late_src(), new: late_src(), address: use_late_reg(GPR), old: def_early_reg(GPR)]
        => em.atomic_cmpxchg(size_log2, old, expected, new, address);
    // ---- stack
    /// Lowers the stack pointer by less than a page, and touches where it was.
    StackTake { bytes: u32 } "take_stack {bytes}" [] => em.take_stack(bytes);
    /// Lowers the stack pointer page by page and touches each; `amount` is destroyed.
    StackSub { amount: VReg } "take_pages {amount}" [amount: use_def_reg(GPR)] => em.take_stack_by_pages(amount);
    /// The stack pointer as it is.
    StackSave { dst: VReg } "{dst} = sp" [dst: def_reg(GPR)] => em.e.mov(Width::X, dst, Gpr::SP);
    /// Sets the stack pointer.
    StackRestore { src: VReg } "sp = {src}" [src: use_reg(GPR)] => em.e.mov(Width::X, Gpr::SP, src);
    // ---- control
    /// Arguments and results are extra operands.
    Call { callee: Callee } is Clobbers "call {callee}" [callee: callee()] => em.call(callee);
    /// A call that ends its block: goes to `normal` or, when an exception leaves it, to `pad`, which wants what the
    /// function's pad of the number `clauses` says.
    Invoke { callee: Callee, normal: MachBlock, pad: MachBlock, clauses: u32 } is Invokes
        "invoke {callee} to {normal} unwind {pad} as {clauses}"
        [callee: callee()] => em.invoke(callee, normal, (pad, clauses));
    /// Inline assembly; its operands and what it destroys are extra operands.
    Assembly { number: u32 } "asm{number}" [] => em.assembly(number);
    /// Inline assembly that ends its block: goes to its targets. Its inputs are extra operands; it destroys the registers of
    /// these numbers.
    AssemblyJump { number: u32, destroyed: u64 } is Invokes "asm{number} jumps, destroys {destroyed}"
        [] => em.assembly_jump(number);
    /// A call of a function that preserves nothing.
    CallPreserveNone { callee: Callee } is Clobbers "call_preserve_none {callee}" [callee: callee()] => em.call(callee);
    Jump { target: MachBlock } is Terminator "b {target}" [] => em.jump_to(target);
    /// To the address of a label of the function.
    JumpIndirect { to: VReg } is Terminator "br {to}" [to: use_reg(GPR)] => em.jump_indirect(to);
    Branch { test: Test, if_true: MachBlock, if_false: MachBlock } is Terminator
        "b.{test} {if_true}, {if_false}" [test: test()] => em.branch_on(test, if_true, if_false);
    /// A planned switch: `index` is the value; `scratch` is destroyed.
    Switch { switch: u32, width: Width, index: VReg, scratch: VReg } is Terminator "switch{switch}.{width} {index}, {scratch}"
        [index: use_reg(GPR), scratch: use_reg(GPR)] => em.planned_switch(switch, width, [index, scratch]);
    /// Epilogue and return; results are extra operands.
    Ret is Terminator "ret" [] => em.epilogue();
    /// Gives back the frame as before a return, and jumps; the rest as for a call. Before, the stack arguments from the
    /// offset `from` on to `to` are copied through `scratch` from where a call has them over those of the function.
    ReturnCall { callee: Callee, from: u32, to: u32, scratch: Option<VReg> } is Terminator
        "return_call {callee}, {from} to {to}, {scratch}"
        [callee: last_callee(), scratch: use_reg_if(GPR)] => em.return_call(callee, from..to, scratch);
    /// The address that a signed one is without its signature.
    StripSignature { address: VReg } "strip_signature {address}" [address: use_def_fixed(GPR, x(30))]
        => { let _: Gpr = address; em.e.hint(STRIP_RETURN); };
    /// Ends the program with a fault; `Trap` in the middle of a block, `Unreachable` as a terminator.
    Trap "trap" [] => em.e.trap(TRAP);
    Unreachable is Terminator "unreachable" [] => em.unreachable();
    } };
}

pub(crate) use instructions;

instructions!(ice_codegen::insts!);

impl MachInst for Inst {
    ice_codegen::row_methods!();

    fn is_call(&self) -> bool {
        matches!(
            self,
            Inst::Call { .. }
                | Inst::CallPreserveNone { .. }
                | Inst::Invoke { .. }
                | Inst::ThreadDescriptor { .. }
        )
    }

    fn clobbers(&self) -> RegUnits {
        match self {
            Inst::Call { .. } | Inst::Invoke { .. } => CALLER_SAVED,
            Inst::CallPreserveNone { .. } => NOT_PRESERVED,
            Inst::ThreadDescriptor { .. } => DESCRIPTOR_CALL,
            Inst::AssemblyJump { destroyed, .. } => RegUnits::of_bits(*destroyed),
            _ => RegUnits::EMPTY,
        }
    }

    /// What takes one instruction, or a load of an argument that is in memory.
    fn rematerialize(&self) -> Option<Remat> {
        match *self {
            Inst::MovImm { width, imm, .. } if ice_asm::aarch64::number_len(width, imm) == 1 => {
                Some(Remat::Register)
            }
            Inst::FloatZero { .. }
            | Inst::FloatNumber { .. }
            | Inst::VectorNumber { .. }
            | Inst::Page { .. } => Some(Remat::Register),
            Inst::Lea { mem, .. } if mem.is_in_frame() => Some(Remat::Register),
            Inst::Load { op: Transfer::LdrX, mem, .. } | Inst::Load { op: Transfer::LdrW, mem, .. }
                if mem.is_argument() =>
            {
                Some(Remat::Memory)
            }
            Inst::LoadFloat { mem, .. } if mem.is_argument() => Some(Remat::Memory),
            _ => None,
        }
    }
}
