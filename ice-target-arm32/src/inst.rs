//! The machine instructions, over virtual registers: one row an instruction.
//!
//! Arithmetic has three operands. A [`Src`] is a flexible second operand. Lowering keeps flags alive only
//! across instructions that write none: moves, constants, loads, stores, [`Inst::SetCond`], conditional moves,
//! and the allocator's edits, which are all of these. Emission may destroy ip in any instruction.
//!
//! [`ice_codegen::mach::rows`] says what the columns are. Kinds of operands that are not one register stand in
//! [`operand`](crate::operand), encodings that are more than one call of the encoder in [`emit`](crate::emit).

pub use crate::operand::{Amode, Base, Callee, FloatSize, Neon3, NeonUnary, Src};

use crate::operand::VisitOperands as _;
use crate::regs::*;
use ice_asm::SymbolId;
use ice_asm::arm32::{
    Alu, BitField, Compare, Cond, Divide, Exclusive, Extend, Flags, Float2, Float3, FloatImm, FloatToInt,
    IntToFloat, Lane, ModImm, Move, Multiply, MultiplyLong, Neon2, NeonImm, NeonShiftImm, Sign, Transfer,
    Unary,
};
use ice_codegen::mach::{MachBlock, MachInst, RegUnits, Remat, VReg};

/// Hands the rows to a reader.
macro_rules! instructions {
    ($($reader:tt)*) => { $($reader)* { |em, bound|
    // ---- moves and memory
    /// Defines the registers in its extra operands: the incoming arguments, or what comes out of an invoke. No code.
    Params "params" [] => {};
    /// Some value, for the next instruction to destroy; no code.
    Scratch { dst: VReg } "{dst} = scratch" [dst: def_reg(GPR)] => { let _: Gpr = dst; };
    /// Copy of a core register.
    Mov { dst: VReg, src: VReg } is Move "{dst} = copy {src}"
        [src: use_any(GPR), dst: def_reg(GPR)] => em.copy_to(dst, src);
    /// Any 32-bit number.
    MovImm { dst: VReg, imm: u32 } is Remade "{dst} = ldr ={imm}" [dst: def_reg(GPR)] => em.e.mov_u32(em.cond, dst, imm);
    MovSymbol { dst: VReg, symbol: SymbolId, addend: i16 } "{dst} = ldr ={symbol} + {addend}"
        [dst: def_reg(GPR)] => em.mov_symbol(dst, symbol, addend);
    /// The address of a symbol, from the table of the linker.
    LoadTableEntry { dst: VReg, symbol: SymbolId } "{dst} = got {symbol}"
        [dst: def_reg(GPR)] => em.load_table_entry(dst, symbol);
    /// The address of this thread's data.
    ThreadPointer { dst: VReg } "{dst} = thread" [dst: def_reg(GPR)] => em.thread_pointer(dst);
    /// Adds the offset of a thread-local variable from this thread's data; and the same where only the linker's
    /// table knows it.
    AddThreadOffset { dst: VReg, symbol: SymbolId } "add_tpoff {dst}, {symbol}"
        [dst: use_def_reg(GPR)] => em.add_thread_offset(dst, symbol);
    AddTableThreadOffset { dst: VReg, symbol: SymbolId } "add_gottpoff {dst}, {symbol}"
        [dst: use_def_reg(GPR)] => em.add_table_thread_offset(dst, symbol);
    /// Calls the resolver for the address of a thread-local variable; the result is an extra operand, r0.
    ThreadLocalCall { symbol: SymbolId } is Clobbers "call_tls {symbol}" [] => em.thread_local_call(symbol);
    /// Copies `count` words, at least one; all registers are destroyed.
    CopyWords { dst: VReg, src: VReg, count: VReg, word: VReg } "copy_words {dst}, {src}, {count}, {word}"
        [dst: use_def_reg(GPR), src: use_def_reg(GPR), count: use_def_reg(GPR), word: def_early_reg(GPR)]
        => em.copy_words(dst, src, count, word);
    /// `mov` or `mvn` of a flexible operand: shifts, complement.
    MovSrc { op: Move, flags: Flags, dst: VReg, src: Src } "{dst} = {op}{flags} {src}"
        [src: src(), dst: def_tested()] => em.mov_src(op, flags, dst, src);
    Extend { op: Extend, dst: VReg, src: VReg } "{dst} = {op} {src}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.extend(em.cond, op, dst, src, 0);
    Load { op: Transfer, dst: VReg, mem: Amode } is Remade "{dst} = {op} {mem}"
        [mem: transfer(op), dst: def_reg(GPR)] => em.e.transfer(em.cond, op, dst, mem);
    Store { op: Transfer, src: VReg, mem: Amode } "{op} {src}, {mem}"
        [src: use_reg(GPR), mem: transfer(op)] => em.e.transfer(em.cond, op, src, mem);
    /// The address itself.
    Lea { dst: VReg, mem: Amode } is Remade "{dst} = lea {mem}" [mem: parts(), dst: def_reg(GPR)] => em.lea(dst, mem);
    // ---- integer arithmetic
    Alu { op: Alu, flags: Flags, dst: VReg, lhs: VReg, rhs: Src } "{dst} = {op}{flags} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: src(), dst: def_tested()] => em.alu(op, flags, dst, lhs, rhs);
    Compare { op: Compare, lhs: VReg, rhs: Src } "{op} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: src()] => em.e.compare(em.cond, op, lhs, rhs);
    /// A comparison with zero of which only equality and sign are asked.
    TestZero { lhs: VReg } "test {lhs}" [lhs: use_tested()] => em.test_zero(lhs);
    /// A comparison where the condition holds; else the flags stay.
    CondCompare { cond: Cond, op: Compare, lhs: VReg, rhs: Src } "{op}.{cond} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: src()] => em.e.compare(cond, op, lhs, rhs);
    /// dst = cond ? src : dst.
    CondMov { cond: Cond, dst: VReg, src: Src } "mov.{cond} {dst}, {src}"
        [src: src(), dst: use_def_reg(GPR)] => em.e.mov(cond, Move::Mov, Flags::Keep, dst, src);
    /// dst = cond ? imm : dst, a number that one instruction makes.
    CondMovImm { cond: Cond, dst: VReg, imm: u32 } "ldr.{cond} {dst}, ={imm}"
        [dst: use_def_reg(GPR)] => em.e.mov_u32(cond, dst, imm);
    /// dst = cond ? dst + src : dst.
    CondAdd { cond: Cond, dst: VReg, src: Src } "add.{cond} {dst}, {src}"
        [src: src(), dst: use_def_reg(GPR)] => em.e.alu(cond, Alu::Add, Flags::Keep, dst, dst, src);
    /// dst = cond ? 1 : 0, and 1 as well where the second condition holds.
    SetCond { cond: Cond, or: Option<Cond>, dst: VReg } "{dst} = set.{cond} or {or}"
        [dst: def_reg(GPR)] => em.set_cond(cond, or, dst);
    Mul { dst: VReg, lhs: VReg, rhs: VReg } "{dst} = mul {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), dst: def_reg(GPR)] => em.e.mul(em.cond, Flags::Keep, dst, lhs, rhs);
    MultiplyAdd { op: Multiply, dst: VReg, lhs: VReg, rhs: VReg, acc: VReg } "{dst} = {op} {lhs}, {rhs}, {acc}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), acc: use_reg(GPR), dst: def_reg(GPR)]
        => em.e.multiply_add(em.cond, op, Flags::Keep, [dst, lhs, rhs, acc]);
    MultiplyLong { op: MultiplyLong, lo: VReg, hi: VReg, lhs: VReg, rhs: VReg } "{lo}, {hi} = {op} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), lo: def_reg(GPR), hi: def_reg(GPR)]
        => em.e.multiply_long(em.cond, op, Flags::Keep, [lo, hi, lhs, rhs]);
    /// The product added to what is in `lo` and `hi`.
    MultiplyLongAdd { op: MultiplyLong, lo: VReg, hi: VReg, lhs: VReg, rhs: VReg } "{op} {lo}, {hi}, {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), lo: use_def_reg(GPR), hi: use_def_reg(GPR)]
        => em.e.multiply_long(em.cond, op, Flags::Keep, [lo, hi, lhs, rhs]);
    Divide { op: Divide, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op} {lhs}, {rhs}"
        [lhs: use_reg(GPR), rhs: use_reg(GPR), dst: def_reg(GPR)] => em.e.divide(em.cond, op, dst, lhs, rhs);
    BitField { op: BitField, dst: VReg, src: VReg, lsb: u8, width: u8 } "{dst} = {op} {src}, {lsb}, {width}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.bit_field(em.cond, op, dst, src, lsb, width);
    Unary { op: Unary, dst: VReg, src: VReg } "{dst} = {op} {src}"
        [src: use_reg(GPR), dst: def_reg(GPR)] => em.e.unary(em.cond, op, dst, src);
    /// Ends the program with a fault if all bits of the value are zero.
    TrapIfZero { lo: VReg, hi: Option<VReg> } "trap_if_zero {lo}, {hi}"
        [lo: use_reg(GPR), hi: use_reg_if(GPR)] => em.trap_if_zero(lo, hi);
    // ---- floating point and vectors
    MovFloat { size: FloatSize, dst: VReg, src: VReg } is Move "{dst} = vcopy.{size} {src}"
        [src: use_any_float(size), dst: def_float(size)] => em.copy_to_float(size, dst, src);
    CondMovFloat { cond: Cond, size: FloatSize, dst: VReg, src: VReg } "vmov.{cond}.{size} {dst}, {src}"
        [src: use_float(size), dst: use_def_float(size)] => em.copy_float(cond, dst, src);
    LoadFloat { size: FloatSize, dst: VReg, mem: Amode } is Remade "{dst} = vldr.{size} {mem}"
        [mem: float_mem(size), dst: def_float(size)] => em.load_float(dst, mem);
    StoreFloat { size: FloatSize, src: VReg, mem: Amode } "vstr.{size} {src}, {mem}"
        [src: use_float(size), mem: float_mem(size)] => em.store_float(src, mem);
    /// From an address that is a multiple of nothing.
    LoadDouble { dst: VReg, mem: Amode } "{dst} = vld1 {mem}"
        [mem: float_mem(FloatSize::Quad), dst: def_reg(DOUBLE)] => em.load_double(dst, mem);
    StoreDouble { src: VReg, mem: Amode } "vst1 {src}, {mem}"
        [src: use_reg(DOUBLE), mem: float_mem(FloatSize::Quad)] => em.store_double(src, mem);
    FloatImm { size: FloatSize, dst: VReg, imm: FloatImm } is Remade "{dst} = vmov.{size} {imm}"
        [dst: def_float(size)] => em.float_imm(dst, imm);
    /// The bits of a single-precision number.
    SingleBits { dst: VReg, bits: u32 } "{dst} = bits {bits}" [dst: def_reg(SINGLE)] => em.single_bits(dst, bits);
    /// All bits zero.
    ZeroFloat { size: FloatSize, dst: VReg } is Remade "{dst} = zero.{size}" [dst: def_float(size)] => em.zero_float(dst);
    /// A quadword whose halves are both the constant.
    VectorImm { dst: VReg, imm: NeonImm } "{dst} = vmov {imm}"
        [dst: def_reg(QUAD)] => { let dst: Qreg = dst; em.e.neon_mov_imm(dst, imm) };
    /// From the address of a symbol.
    LoadConstant { size: FloatSize, dst: VReg, symbol: SymbolId } "{dst} = vldr.{size} {symbol}"
        [dst: def_float(size)] => em.load_float_constant(dst, symbol);
    Float3 { op: Float3, size: FloatSize, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op}.{size} {lhs}, {rhs}"
        [lhs: use_float(size), rhs: use_float(size), dst: def_float(size)] => em.float3(op, dst, lhs, rhs);
    /// dst = dst op lhs × rhs, rounded twice.
    Float3Acc { op: Float3, size: FloatSize, dst: VReg, lhs: VReg, rhs: VReg } "{op}.{size} {dst}, {lhs}, {rhs}"
        [lhs: use_float(size), rhs: use_float(size), dst: use_def_float(size)] => em.float3(op, dst, lhs, rhs);
    Float2 { op: Float2, size: FloatSize, dst: VReg, src: VReg } "{dst} = {op}.{size} {src}"
        [src: use_float(size), dst: def_float(size)] => em.float2(op, dst, src);
    /// To the flags.
    CompareFloat { size: FloatSize, lhs: VReg, rhs: Option<VReg> } "vcmp.{size} {lhs}, {rhs}"
        [lhs: use_float(size), rhs: use_float_if(size)] => em.compare_float(lhs, rhs);
    FloatWiden { dst: VReg, src: VReg } "{dst} = widen {src}"
        [src: use_reg(SINGLE), dst: def_reg(DOUBLE)] => em.e.float_widen(em.cond, dst, src);
    FloatNarrow { dst: VReg, src: VReg } "{dst} = narrow {src}"
        [src: use_reg(DOUBLE), dst: def_reg(SINGLE)] => em.e.float_narrow(em.cond, dst, src);
    IntToFloat { op: IntToFloat, size: FloatSize, dst: VReg, src: VReg } "{dst} = vcvt.{size}.{op} {src}"
        [src: use_reg(SINGLE), dst: def_float(size)] => em.int_to_float(op, dst, src);
    FloatToInt { op: FloatToInt, size: FloatSize, dst: VReg, src: VReg } "{dst} = vcvt.{op}.{size} {src} to int"
        [src: use_float(size), dst: def_reg(SINGLE)] => em.float_to_int(op, dst, src);
    CoreToSingle { dst: VReg, src: VReg } "{dst} = vmov {src} to single"
        [src: use_reg(GPR), dst: def_reg(SINGLE)] => em.e.vmov_s_r(em.cond, dst, src);
    SingleToCore { dst: VReg, src: VReg } "{dst} = vmov {src} to core"
        [src: use_reg(SINGLE), dst: def_reg(GPR)] => em.e.vmov_r_s(em.cond, dst, src);
    PairToDouble { dst: VReg, lo: VReg, hi: VReg } "{dst} = vmov {lo}, {hi}"
        [lo: use_reg(GPR), hi: use_reg(GPR), dst: def_reg(DOUBLE)] => em.e.vmov_d_rr(em.cond, dst, lo, hi);
    DoubleToPair { lo: VReg, hi: VReg, src: VReg } "{lo}, {hi} = vmov {src}"
        [src: use_reg(DOUBLE), lo: def_reg(GPR), hi: def_reg(GPR)] => em.e.vmov_rr_d(em.cond, lo, hi, src);
    // ---- vectors, lane by lane
    Neon3 { op: Neon3, lane: Lane, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = {op} {lane} {lhs}, {rhs}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => em.neon3(op, lane, dst, lhs, rhs);
    Neon2 { op: NeonUnary, lane: Lane, dst: VReg, src: VReg } "{dst} = {op} {lane} {src}"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => em.neon2(op, lane, dst, src);
    /// The same of half a vector.
    NeonDouble { op: Neon2, lane: Lane, dst: VReg, src: VReg } "{dst} = {op} {lane} double {src}"
        [src: use_reg(DOUBLE), dst: def_reg(DOUBLE)] => { let dst: Dreg = dst; em.e.neon2(op, lane, dst, src) };
    NeonShift { op: NeonShiftImm, lane: Lane, dst: VReg, src: VReg, amount: u8 } "{dst} = {op} {lane} {src}, {amount}"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => { let dst: Qreg = dst; em.e.neon_shift_imm(op, lane, dst, src, amount) };
    /// dst = dst ? if_true : if_false, bit by bit.
    NeonSelect { dst: VReg, if_true: VReg, if_false: VReg } "vbsl {dst}, {if_true}, {if_false}"
        [if_true: use_reg(QUAD), if_false: use_reg(QUAD), dst: use_def_reg(QUAD)]
        => { let dst: Qreg = dst; em.e.neon_logic(NeonLogic::Vbsl, dst, if_true, if_false) };
    /// Scalar arithmetic on each single-precision lane. A lane of the destination is written after the same lane of
    /// the sources is read.
    EachLane { op: Float3, dst: VReg, lhs: VReg, rhs: VReg } "{dst} = each {op} {lhs}, {rhs}"
        [lhs: use_reg(LOW_QUAD), rhs: use_reg(LOW_QUAD), dst: def_reg(LOW_QUAD)] => em.each_lane(op, dst, lhs, rhs);
    /// A lane with zeros or, for minus, its sign above it.
    LaneToCore { sign: Sign, lane: Lane, index: u8, dst: VReg, src: VReg } "{dst} = lane {sign}{lane} {src}, {index}"
        [src: use_reg(QUAD), dst: def_reg(GPR)] => em.lane_to_core(sign, lane, dst, src, index);
    CoreToLane { lane: Lane, index: u8, dst: VReg, src: VReg } "set_lane {lane} {dst}, {index}, {src}"
        [src: use_reg(GPR), dst: use_def_reg(QUAD)] => em.core_to_lane(lane, dst, index, src);
    /// The low bits of a register in every lane.
    Splat { lane: Lane, dst: VReg, src: VReg } "{dst} = splat {lane} {src}"
        [src: use_reg(GPR), dst: def_reg(QUAD)] => { let dst: Qreg = dst; em.e.vdup_r(AL, lane, dst, src) };
    /// A lane, or a single-precision number, in every lane.
    SplatLane { lane: Lane, index: u8, dst: VReg, src: VReg } "{dst} = splat {lane} {src}, {index}"
        [src: use_reg(QUAD), dst: def_reg(QUAD)] => em.splat_lane(lane, dst, src, index);
    SplatSingle { dst: VReg, src: VReg } "{dst} = splat single {src}"
        [src: use_reg(SINGLE), dst: def_reg(QUAD)] => em.splat_single(dst, src);
    /// Between a lane of 32 bits and a single-precision register, or another vector.
    LaneToSingle { index: u8, dst: VReg, src: VReg } "{dst} = lane single {src}, {index}"
        [src: use_reg(LOW_QUAD), dst: def_reg(SINGLE)] => em.lane_to_single(dst, src, index);
    SingleToLane { index: u8, dst: VReg, src: VReg } "set_lane single {dst}, {index}, {src}"
        [src: use_reg(SINGLE), dst: use_def_reg(LOW_QUAD)] => em.single_to_lane(dst, index, src);
    /// Between the halves of a vector and double-precision registers.
    DoublesToQuad { dst: VReg, lo: VReg, hi: VReg } "{dst} = quad {lo}, {hi}"
        [lo: use_late_reg(DOUBLE), hi: use_late_reg(DOUBLE), dst: def_early_reg(QUAD)] => em.doubles_to_quad(dst, lo, hi);
    DoubleToQuad { dst: VReg, src: VReg } "{dst} = quad {src}"
        [src: use_reg(DOUBLE), dst: def_reg(QUAD)] => em.double_to_quad(dst, src);
    HalfToDouble { index: u8, dst: VReg, src: VReg } "{dst} = half {src}, {index}"
        [src: use_reg(QUAD), dst: def_reg(DOUBLE)] => em.half_to_double(dst, src, index);
    MovLane { to: u8, from: u8, dst: VReg, src: VReg } "mov_lane {dst}, {to}, {src}, {from}"
        [src: use_reg(LOW_QUAD), dst: use_def_reg(LOW_QUAD)] => em.mov_lane(dst, to, src, from);
    /// The bytes from `start` on of one vector, then of the other.
    Extract { dst: VReg, lhs: VReg, rhs: VReg, start: u8 } "{dst} = vext {lhs}, {rhs}, {start}"
        [lhs: use_reg(QUAD), rhs: use_reg(QUAD), dst: def_reg(QUAD)] => { let dst: Qreg = dst; em.e.vext(dst, lhs, rhs, start) };
    /// An operation that writes both vectors.
    NeonPair { op: Neon2, lane: Lane, first: VReg, second: VReg } "{op} {lane} {first}, {second}"
        [first: use_def_reg(QUAD), second: use_def_reg(QUAD)]
        => { let first: Qreg = first; em.e.neon2(op, lane, first, second) };
    /// The bytes of `src` that the bytes of `mask` name; zero, or what is in `dst`, for those that name none. The lower
    /// half of the destination of the first is written while the source is still read.
    Table { dst: VReg, src: VReg, mask: VReg } "{dst} = vtbl {src}, {mask}"
        [src: use_late_reg(QUAD), mask: use_late_reg(QUAD), dst: def_early_reg(QUAD)] => em.table(dst, src, mask);
    TableExtension { dst: VReg, src: VReg, mask: VReg } "vtbx {dst}, {src}, {mask}"
        [src: use_reg(QUAD), mask: use_reg(QUAD), dst: use_def_reg(QUAD)] => em.table_extension(dst, src, mask);
    /// The low byte of one register in the lower eight bytes, that of another in the upper ones.
    SplatHalves { dst: VReg, lo: VReg, hi: VReg } "{dst} = splat halves {lo}, {hi}"
        [lo: use_reg(GPR), hi: use_reg(GPR), dst: def_reg(QUAD)] => em.splat_halves(dst, lo, hi);
    // ---- atomics and fences
    Fence "dmb" [] => em.e.barrier(Barrier::Dmb);
    /// A loop: old = memory, memory = old op src; without an operation memory = src.
    AtomicRmw { op: Option<Alu>, width: Exclusive, old: VReg, new: VReg, src: VReg, address: VReg }
        "{old}, {new} = loop {op}.{width} [{address}], {src}"
        [src: use_late_reg(GPR), address: use_late_reg(GPR), old: def_early_reg(GPR), new: def_early_reg(GPR)]
        => em.atomic_rmw(op, width, [old, new], src, address);
    /// A loop: old = memory, memory = old op src, on pairs: old in r0 and r1, new in r2 and r3.
    AtomicRmwPair { op: Option<(Alu, Alu)>, old: [VReg; 2], new: [VReg; 2], src: [VReg; 2], address: VReg }
        "{old}, {new} = loop {op} [{address}], {src}"
        [src: use_late_pair(GPR), address: use_late_reg(GPR), old: def_early_fixed_pair(GPR, [r(0), r(1)]), new: def_early_fixed_pair(GPR, [r(2), r(3)])]
        => em.atomic_rmw_pair(op, old, new, src, address);
    /// A loop: old = memory, and if it is the expected value memory = new.
    AtomicCmpxchg { width: Exclusive, old: VReg, expected: VReg, new: VReg, address: VReg }
        "{old} = cmpxchg.{width} [{address}], {expected}, {new}"
        [expected: use_late_reg(GPR), new: use_late_reg(GPR), address: use_late_reg(GPR), old: def_early_reg(GPR)]
        => em.atomic_cmpxchg(width, old, expected, new, address);
    /// A loop: old = memory, and if it is the expected pair memory = new; old in r0 and r1, new in r2 and r3.
    AtomicCmpxchgPair { old: [VReg; 2], expected: [VReg; 2], new: [VReg; 2], address: VReg }
        "{old} = cmpxchg [{address}], {expected}, {new}"
        [expected: use_late_pair(GPR), address: use_late_reg(GPR), new: use_late_fixed_pair(GPR, [r(2), r(3)]), old: def_early_fixed_pair(GPR, [r(0), r(1)])]
        => em.atomic_cmpxchg_pair(old, expected, new, address);
    /// A pair read at once, into r0 and r1.
    AtomicLoadPair { dst: [VReg; 2], address: VReg } "{dst} = ldrexd [{address}]"
        [address: use_reg(GPR), dst: def_fixed_pair(GPR, [r(0), r(1)])]
        => em.atomic_load_pair(dst, address);
    // ---- stack
    /// Lowers the stack pointer by less than a page, and touches where it was.
    StackTake { bytes: u32 } "take_stack {bytes}" [] => em.take_stack(bytes);
    /// Lowers the stack pointer page by page and touches each; `amount` is destroyed.
    StackSub { amount: VReg } "take_pages {amount}" [amount: use_def_reg(GPR)] => em.take_stack_by_pages(amount);
    /// The stack pointer as it is.
    StackSave { dst: VReg } "{dst} = sp" [dst: def_reg(GPR)] => em.copy(dst, Gpr::SP);
    /// Sets the stack pointer.
    StackRestore { src: VReg } "sp = {src}" [src: use_reg(GPR)] => em.copy_to_any(Gpr::SP, src);
    // ---- control
    /// Arguments and results are extra operands.
    Call { callee: Callee } is Clobbers "call {callee}" [callee: callee()] => em.call(callee);
    /// A call of a function that preserves nothing.
    CallPreserveNone { callee: Callee } is Clobbers "call_preserve_none {callee}" [callee: callee()] => em.call(callee);
    /// A call that ends its block: goes to `normal` or, when an exception leaves it, to `pad`, which wants what the
    /// function's pad of the number `clauses` says.
    Invoke { callee: Callee, normal: MachBlock, pad: MachBlock, clauses: u32 } is Invokes
        "invoke {callee} to {normal} unwind {pad} as {clauses}" [callee: callee()] => em.invoke(callee, normal, (pad, clauses));
    Jump { target: MachBlock } is Terminator "b {target}" [] => em.jump_to(target);
    /// To the address of a label of the function.
    JumpIndirect { to: VReg } is Terminator "bx {to}" [to: use_reg(GPR)] => em.jump_register(to);
    Branch { cond: Cond, or: Option<Cond>, if_true: MachBlock, if_false: MachBlock } is Terminator
        "b.{cond} or {or} {if_true}, {if_false}" [] => em.branch_on(cond, or, if_true, if_false);
    /// A planned switch: `index` is the value.
    Switch { switch: u32, index: VReg } is Terminator "switch{switch} {index}"
        [index: use_reg(GPR)] => em.planned_switch(switch, index, None);
    /// A planned switch on a pair.
    SwitchPair { switch: u32, lo: VReg, hi: VReg } is Terminator "switch{switch} {lo}:{hi}"
        [lo: use_reg(GPR), hi: use_reg(GPR)] => em.planned_switch(switch, lo, Some(hi));
    /// Epilogue and return; results are extra operands.
    Ret is Terminator "ret" [] => em.epilogue();
    /// Gives back the frame as before a return, and jumps. Before, the stack arguments from the offset `from` on to `to`
    /// are copied through `scratch` from where a call has them over those of the function. Register arguments are extra
    /// operands.
    ReturnCall { callee: Callee, from: u32, to: u32, scratch: Option<VReg> } is Terminator
        "return_call {callee}, {from} to {to}, {scratch}"
        [scratch: use_reg_if(GPR), callee: callee()] => em.return_call(callee, from..to, scratch);
    /// Inline assembly; its operands and what it destroys are extra operands.
    Assembly { number: u32 } "asm{number}" [] => em.assembly(number);
    /// Ends the program with a fault; `Trap` in the middle of a block, `Unreachable` as a terminator.
    Trap "trap" [] => em.e.udf(TRAP);
    Unreachable is Terminator "unreachable" [] => em.unreachable();
    } };
}

pub(crate) use instructions;

instructions!(ice_codegen::insts!);

/// Whether one instruction makes the number: `mov`, `mvn` or `movw`.
pub(crate) fn is_one_word(number: u32) -> bool {
    number <= 0xffff || ModImm::new(number).is_some() || ModImm::new(!number).is_some()
}

impl MachInst for Inst {
    ice_codegen::row_methods!();

    fn is_call(&self) -> bool {
        matches!(self, Inst::Call { .. } | Inst::CallPreserveNone { .. })
    }

    fn clobbers(&self) -> RegUnits {
        match self {
            Inst::Call { .. } | Inst::Invoke { .. } | Inst::ThreadLocalCall { .. } => CALLER_SAVED,
            Inst::CallPreserveNone { .. } => NOT_PRESERVED,
            _ => RegUnits::EMPTY,
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
}
