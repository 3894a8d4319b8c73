//! The machine instructions of both modes, over virtual registers: one row an instruction.
//!
//! An operand called `src` of kind [`Src`] may be a register, a spill slot, memory or an immediate: the
//! allocator leaves a value in its slot where that saves a load, and emission folds it. Two-address
//! instructions read and write `dst`. Lowering keeps flags alive only across instructions that write none:
//! moves, loads, stores, [`Inst::Setcc`], [`Inst::Cmov`], and the allocator's edits, which are all moves;
//! a constant (which may become `xor`) and a sum ([`Inst::Lea`], which may become `add`) are made before
//! the flags are.
//!
//! [`ice_codegen::mach::rows`] says what the columns are. Kinds of operands that are not one register stand in
//! [`operand`](crate::operand); bounds count prefixes and REX (at most 3 bytes), opcode (at most 3), ModRM, SIB,
//! displacement and immediate, see [`size`](crate::size); encodings that are more than one call of the encoder stand in
//! [`emit`](crate::emit).

pub use crate::operand::{Amode, Amount, Base, Callee, Compare, Extend, Src};

use crate::operand::{VisitOperands as _, class, vectors};
use crate::regs::*;
use ice_asm::SymbolId;
use ice_asm::x86::{Alu, BitOp, Cond, DoubleShift, Mode, Shift, SseOp, Unary, Width, X87Mem, X87Op, X87Reg};
use ice_codegen::mach::{MachBlock, MachInst, RegUnits, Remat, VReg};
use ice_codegen::magic::Signedness;

/// Hands the rows to a reader.
macro_rules! instructions {
    ($($reader:tt)*) => { $($reader)* { |em, bound|
    // ---- moves and memory
    /// Defines the registers in its extra operands: the incoming arguments, or what comes out of an invoke. No code.
    Params "params" [] max 0 => {};
    /// Copy of a general register.
    Mov { width: Width, dst: VReg, src: VReg } is Move "{dst} = mov{width} {src}"
        [src: use_any(class(width)), dst: def_reg(class(width))] max 2 + SLOT => em.copy(width, dst, src);
    /// 32-bit copy that clears the upper half and is never left out.
    ZeroUpper { dst: VReg, src: VReg } "{dst} = zero_upper {src}"
        [src: use_any(GPR), dst: def_reg(GPR)] max 2 + SLOT => em.zero_upper(dst, src);
    MovImm { width: Width, dst: VReg, imm: i64 } is Remade "{dst} = mov{width} {imm}"
        [dst: def_reg(GPR)] max 10 => em.constant(width, dst, imm);
    /// A number, or its sum with a register, which does not stand in the code: see [`secret`](crate::secret). Writes no flags.
    Hidden { width: Width, dst: VReg, addend: Option<VReg>, imm: i64 } "{dst} = hidden{width} {imm}, {addend}"
        [addend: use_reg_if(GPR), dst: def_reg(GPR)] max 20 => em.hidden(width, dst, addend, imm);
    MovSymbol { dst: VReg, symbol: SymbolId, addend: i32 } is Remade "{dst} = lea {symbol} + {addend}"
        [dst: def_reg(GPR)] max 7 => em.mov_symbol(dst, symbol, addend);
    /// A symbol's address from the linker's table, which `base` points to in 32-bit code.
    LoadTableEntry { dst: VReg, symbol: SymbolId, base: Option<VReg> } "{dst} = got {symbol}, {base}"
        [base: use_reg_if(GPR), dst: def_reg(GPR)] max 7 => em.e.mov_r_table_entry(dst, symbol, base);
    /// The address of that table; no code if nothing uses it.
    GlobalBase { dst: VReg } "{dst} = global_base" [dst: def_reg(GPR)] max 12 => em.global_base(dst);
    /// Some value; no code.
    Undefined { dst: VReg } "{dst} = undefined" [dst: def_reg(GPR)] max 0 => { let _: Gpr = dst; };
    Extend { kind: Extend, from: Width, to: Width, dst: VReg, src: Src } "{dst} = mov{kind}{from}{to} {src}"
        [src: rm(class(from)), dst: def_reg(GPR)] max 3 + bound.src(src) => em.extend(kind, [from, to], dst, src);
    /// The second byte of a register, with zeros above it.
    HighByte { dst: VReg, src: VReg } "{dst} = second byte of {src}"
        [src: use_reg(HIGH_BYTE), dst: def_reg(FIRST_EIGHT)] max 3 => em.e.movzx_high_byte(dst, src);
    Load { width: Width, dst: VReg, mem: Amode } is Remade "{dst} = mov{width} {mem}"
        [mem: mem(), dst: def_reg(class(width))] max 3 + MEMORY => em.load(width, dst, mem);
    Store { width: Width, src: VReg, mem: Amode } "mov{width} {mem}, {src}"
        [src: use_reg(class(width)), mem: mem()] max 3 + MEMORY => em.e.mov_rm_r(width, Rm::Mem(mem), src);
    /// Two registers from 8 bytes of memory, the low one first.
    LoadPair { lo: VReg, hi: VReg, mem: Amode } "{lo}, {hi} = movl {mem}"
        [mem: mem(), lo: def_early_reg(GPR), hi: def_reg(GPR)] max 2 * (1 + MEMORY) => em.load_pair(lo, hi, mem);
    StorePair { lo: VReg, hi: VReg, mem: Amode } "movl {mem}, {lo}, {hi}"
        [lo: use_reg(GPR), hi: use_reg(GPR), mem: mem()] max 2 * (1 + MEMORY) => em.store_pair(lo, hi, mem);
    StoreImm { width: Width, imm: i32, mem: Amode } "mov{width} {mem}, {imm}"
        [mem: mem()] max 7 + MEMORY => em.e.mov_rm_i(width, Rm::Mem(mem), Imm::from(imm));
    StoreSymbol { symbol: SymbolId, addend: i32, mem: Amode } "movl {mem}, {symbol} + {addend}"
        [mem: mem()] max 7 + MEMORY => em.store_symbol(symbol, addend, mem);
    /// dst = the address: an addition of up to two registers and a constant.
    Lea { width: Width, dst: VReg, mem: Amode } is Remade "{dst} = lea{width} {mem}"
        [mem: sum_of(), dst: def_reg(GPR)] max 3 + MEMORY => em.sum(width, dst, mem);
    // ---- integer arithmetic
    Compare { op: Compare, width: Width, lhs: VReg, rhs: Src } "{op}{width} {lhs}, {rhs}"
        [lhs: compared(rhs, class(width))] max bound.compare(rhs) => em.compare(op, width, &rhs);
    CompareMem { op: Compare, width: Width, mem: Amode, imm: i32 } "{op}{width} {mem}, {imm}"
        [mem: mem()] max 7 + MEMORY => em.compare_mem(op, width, mem, imm);
    Alu { op: Alu, width: Width, dst: VReg, src: Src } "{op}{width} {dst}, {src}"
        [src: rmi(class(width)), dst: use_def_reg(class(width))] max 3 + bound.src(src) => em.alu(op, width, dst, src);
    /// The carry flag is the bit of `lhs` with number `bit`, which counts modulo the width.
    BitTest { width: Width, lhs: VReg, bit: VReg } "bt{width} {lhs}, {bit}"
        [lhs: use_reg(GPR), bit: use_reg(GPR)] max 4 => em.e.bit_test_rm_r(BitTest::Bt, width, Rm::Reg(lhs), bit);
    /// Operations on memory: mem = mem op src.
    AluMem { op: Alu, width: Width, src: VReg, mem: Amode } "{op}{width} {mem}, {src}"
        [src: use_reg(class(width)), mem: mem()] max 3 + MEMORY => em.e.alu_rm_r(op, width, Rm::Mem(mem), src);
    AluMemImm { op: Alu, width: Width, imm: i32, mem: Amode } "{op}{width} {mem}, {imm}"
        [mem: mem()] max 7 + MEMORY => em.e.alu_rm_i(op, width, Rm::Mem(mem), Imm::from(imm));
    UnaryMem { op: Unary, width: Width, mem: Amode } "{op}{width} {mem}"
        [mem: mem()] max 3 + MEMORY => em.e.unary_rm(op, width, Rm::Mem(mem));
    ShiftMem { op: Shift, width: Width, amount: Amount, mem: Amode } "{op}{width} {mem}, {amount}"
        [amount: count(), mem: mem()] max 4 + MEMORY => em.shift(op, width, Rm::Mem(mem), amount);
    Unary { op: Unary, width: Width, dst: VReg } "{op}{width} {dst}"
        [dst: use_def_reg(class(width))] max 3 => em.unary(op, width, dst);
    Bswap { width: Width, dst: VReg } "bswap{width} {dst}" [dst: use_def_reg(GPR)] max 3 => em.e.bswap(width, dst);
    Shift { op: Shift, width: Width, dst: VReg, amount: Amount } "{op}{width} {dst}, {amount}"
        [amount: count(), dst: use_def_reg(class(width))] max 5 => em.shift(op, width, Rm::Reg(dst), amount);
    DoubleShift { op: DoubleShift, width: Width, dst: VReg, src: VReg, amount: Amount } "{op}{width} {dst}, {src}, {amount}"
        [src: use_reg(GPR), amount: count(), dst: use_def_reg(GPR)] max 5 => em.double_shift(op, width, dst, src, amount);
    Imul { width: Width, dst: VReg, src: Src } "imul{width} {dst}, {src}"
        [src: rm(class(width)), dst: use_def_reg(class(width))] max 4 + bound.src(src) => em.e.imul_r_rm(width, dst, src);
    ImulImm { width: Width, dst: VReg, src: Src, imm: i32 } "{dst} = imul{width} {src}, {imm}"
        [src: rm(GPR), dst: def_reg(GPR)] max 7 + bound.src(src) => em.e.imul_r_rm_i(width, dst, src, imm);
    /// rdx:rax = rax × src.
    MulWide { sign: Signedness, width: Width, lhs: VReg, src: Src, lo: VReg, hi: VReg } "{lo}, {hi} = {sign}mul{width} {lhs}, {src}"
        [lhs: use_fixed(GPR, RAX), src: rm(GPR), lo: def_fixed(GPR, RAX), hi: def_fixed(GPR, RDX)]
        max 2 + bound.src(src) => em.mul_wide(sign, width, src);
    /// rax = lhs / src, rdx = remainder: rdx is filled with zeros or the sign first.
    Divide { sign: Signedness, width: Width, lhs: VReg, src: Src, quotient: VReg, remainder: VReg }
        "{quotient}, {remainder} = {sign}div{width} {lhs}, {src}"
        [lhs: use_fixed(GPR, RAX), src: rm(GPR), quotient: def_fixed(GPR, RAX), remainder: def_early_fixed(GPR, RDX)]
        max 2 + 3 + bound.src(src) => em.divide(sign, width, src);
    /// rax = rdx:rax / src, rdx = remainder.
    DivideWide { sign: Signedness, width: Width, lo: VReg, hi: VReg, src: VReg, quotient: VReg, remainder: VReg }
        "{quotient}, {remainder} = {sign}div{width} {lo}, {hi}, {src}"
        [lo: use_fixed(GPR, RAX), hi: use_fixed(GPR, RDX), src: use_any(GPR), quotient: def_fixed(GPR, RAX), remainder: def_fixed(GPR, RDX)]
        max 2 + SLOT => em.divide_wide(sign, width, src);
    BitScan { op: BitOp, width: Width, dst: VReg, src: VReg } "{dst} = {op}{width} {src}"
        [src: use_any(GPR), dst: def_reg(GPR)] max 3 + SLOT => em.e.bit_op(op, width, dst, src);
    Setcc { cond: Cond, dst: VReg } "{dst} = set{cond}" [dst: def_reg(BYTE)] max 4 => em.e.setcc(cond, Rm::Reg(dst));
    SetccMem { cond: Cond, mem: Amode } "set{cond} {mem}" [mem: mem()] max 4 + MEMORY => em.e.setcc(cond, Rm::Mem(mem));
    Cmov { cond: Cond, width: Width, dst: VReg, src: VReg } "cmov{cond}{width} {dst}, {src}"
        [src: use_any(GPR), dst: use_def_reg(GPR)] max 3 + SLOT => em.e.cmovcc(cond, width, dst, src);
    // ---- vectors and floating point
    /// Copy of a vector register.
    MovXmm { dst: VReg, src: VReg, size: u8 } is Move "{dst} = movxmm{size} {src}"
        [src: use_any(vectors(size)), dst: def_reg(vectors(size))] max 4 + SLOT => em.copy_xmm(size, dst, src);
    /// `movss`, `movsd` or `movups` by size in bytes.
    LoadXmm { size: u8, dst: VReg, mem: Amode } is Remade "{dst} = movxmm{size} {mem}"
        [mem: mem(), dst: def_reg(vectors(size))] max 4 + MEMORY => em.load_xmm(size, dst, mem);
    StoreXmm { size: u8, src: VReg, mem: Amode } "movxmm{size} {mem}, {src}"
        [src: use_reg(vectors(size)), mem: mem()] max 4 + MEMORY => em.store_xmm(size, mem, src);
    /// All bits zero.
    ZeroXmm { dst: VReg } is Remade "{dst} = zeros" [dst: def_reg(XMM)] max 5 => em.e.sse_x_xm(SseOp::Xorps, dst, Rm::Reg(dst));
    /// All bits one.
    OnesXmm { dst: VReg } is Remade "{dst} = ones" [dst: def_reg(XMM)] max 5 => em.e.sse_x_xm(SseOp::Pcmpeqd, dst, Rm::Reg(dst));
    /// Two-address: dst = dst op src.
    Sse { op: SseOp, dst: VReg, src: Src } "{op} {dst}, {src}"
        [src: rm(XMM), dst: use_def_reg(XMM)] max 5 + bound.src(src) => em.e.sse_x_xm(op, dst, src);
    /// As above with an immediate byte.
    SseImm { op: SseOp, dst: VReg, src: Src, imm: u8 } "{op} {dst}, {src}, {imm}"
        [src: rm(XMM), dst: use_def_reg(XMM)] max 6 + bound.src(src) => em.e.sse_x_xm_i(op, dst, src, imm);
    /// dst = op src.
    SseUnary { op: SseOp, dst: VReg, src: Src } "{dst} = {op} {src}"
        [src: rm(XMM), dst: def_reg(XMM)] max 5 + bound.src(src) => em.e.sse_x_xm(op, dst, src);
    /// dst = op src with an immediate byte.
    SseUnaryImm { op: SseOp, dst: VReg, src: Src, imm: u8 } "{dst} = {op} {src}, {imm}"
        [src: rm(XMM), dst: def_reg(XMM)] max 6 + bound.src(src) => em.e.sse_x_xm_i(op, dst, src, imm);
    /// Vector shift by a constant, or byte shift of the register.
    SseShift { op: SseOp, dst: VReg, imm: u8 } "{op} {dst} by {imm}"
        [dst: use_def_reg(XMM)] max 6 => em.e.sse_x_i(op, dst, imm);
    /// `ucomiss`, `ucomisd`.
    CompareXmm { op: SseOp, lhs: VReg, rhs: Src } "compare {op} {lhs}, {rhs}"
        [lhs: use_reg(XMM), rhs: rm(XMM)] max 4 + bound.src(rhs) => em.e.sse_x_xm(op, lhs, rhs);
    /// From a general register, slot or memory: conversions and `movd`, `movq`.
    GprToXmm { op: SseOp, width: Width, dst: VReg, src: Src } "{dst} = {op}.{width} {src}"
        [src: rm(GPR), dst: def_reg(XMM)] max 4 + 5 + bound.src(src) => em.gpr_to_xmm(op, width, dst, src);
    /// To a general register.
    XmmToGpr { op: SseOp, width: Width, dst: VReg, src: VReg } "{dst} = {op}.{width} {src} to gpr"
        [src: use_reg(XMM), dst: def_reg(GPR)] max 5 + SLOT => em.xmm_to_gpr(op, width, dst, src);
    /// A word into a lane.
    Pinsrw { dst: VReg, src: VReg, lane: u8 } "pinsrw {dst}, {src}, {lane} from gpr"
        [src: use_reg(GPR), dst: use_def_reg(XMM)] max 6 => em.e.sse_x_rm_i(SseOp::Pinsrw, dst, Rm::Reg(src), lane);
    /// A lane as a zero-extended word.
    Pextrw { dst: VReg, src: VReg, lane: u8 } "{dst} = pextrw {src}, {lane} to gpr"
        [src: use_reg(XMM), dst: def_reg(GPR)] max 6 => em.e.sse_rm_x_i(SseOp::Pextrw, Rm::Reg(dst), src, lane);
    /// dst = cond ? src : dst.
    SelectXmm { cond: Cond, dst: VReg, src: VReg, size: u8 } "cmov{cond}.{size} {dst}, {src}"
        [src: use_any(vectors(size)), dst: use_def_reg(vectors(size))] max 6 + 4 + SLOT => em.select_xmm(cond, size, dst, src);
    /// dst = cond ? dst op src : dst, of scalars.
    SseIf { cond: Cond, op: SseOp, dst: VReg, src: Src } "{op}.{cond} {dst}, {src}"
        [src: rm(XMM), dst: use_def_reg(XMM)] max 6 + 5 + bound.src(src) => em.sse_if(cond, op, dst, src);
    /// Pops the x87 stack into a vector register, through the outgoing argument area.
    PopFpu { size: u8, dst: VReg } "{dst} = fpop.{size}" [dst: def_reg(XMM)] max 12 + SLOT => em.pop_fpu(size, dst);
    /// Pushes a value on the x87 stack, through the outgoing argument area.
    PushFpu { size: u8, src: VReg } "fpush.{size} {src}" [src: use_any(XMM)] max 12 + SLOT => em.push_fpu(size, src);
    /// Loads the x87 stack from memory, or stores to memory from it.
    FpuMem { op: X87Mem, mem: Amode } "{op} {mem}" [mem: mem()] max 2 + MEMORY => em.e.x87_m(op, mem);
    /// An operation on the two topmost values of the x87 stack.
    FpuPair { op: X87Reg } "{op} st1" [] max 2 => em.e.x87_st(op, 1);
    /// An operation on the x87 stack.
    FpuTop { op: X87Op } "{op}" [] max 2 => em.e.x87_op(op);
    // ---- atomics and fences
    Mfence "mfence" [] max 3 => em.e.fence(Fence::Mfence);
    /// `lock xadd`: dst gets the old value.
    LockXadd { width: Width, dst: VReg, mem: Amode } "lock xadd{width} {mem}, {dst}"
        [mem: mem(), dst: use_def_reg(class(width))] max 5 + MEMORY => em.e.lock_xadd(width, mem, dst);
    /// `xchg` with memory.
    Xchg { width: Width, dst: VReg, mem: Amode } "xchg{width} {mem}, {dst}"
        [mem: mem(), dst: use_def_reg(class(width))] max 5 + MEMORY => em.e.xchg_rm_r(width, Rm::Mem(mem), dst);
    /// Operations on memory at once: mem = mem op src.
    LockAlu { op: Alu, width: Width, src: VReg, mem: Amode } "lock {op}{width} {mem}, {src}"
        [src: use_reg(class(width)), mem: mem()] max 4 + MEMORY => em.e.lock_alu_m_r(op, width, mem, src);
    LockAluImm { op: Alu, width: Width, imm: i32, mem: Amode } "lock {op}{width} {mem}, {imm}"
        [mem: mem()] max 8 + MEMORY => em.e.lock_alu_m_i(op, width, mem, Imm::from(imm));
    /// `lock cmpxchg`: rax is compared and gets the old value.
    LockCmpxchg { width: Width, expected: VReg, new: VReg, old: VReg, mem: Amode }
        "{old} = lock cmpxchg{width} {mem}, {expected}, {new}"
        [expected: use_fixed(class(width), RAX), new: use_reg(class(width)), mem: mem(), old: def_fixed(class(width), RAX)]
        max 5 + MEMORY => em.e.lock_cmpxchg(width, mem, new);
    /// `lock cmpxchg8b`: edx:eax is compared and gets the old value, ecx:ebx is stored.
    LockCmpxchg8b { expected: [VReg; 2], new: [VReg; 2], old: [VReg; 2], mem: Amode }
        "{old} = lock cmpxchg8b {mem}, {expected}, {new}"
        [expected: use_fixed_pair(GPR, [RAX, RDX]), new: use_fixed_pair(GPR, [RBX, RCX]), mem: mem(), old: def_fixed_pair(GPR, [RAX, RDX])]
        max 5 + MEMORY => em.e.lock_cmpxchg8b(mem);
    /// A compare-and-exchange loop: old value in rax, `scratch` destroyed.
    RmwLoop { op: Alu, width: Width, src: VReg, old: VReg, scratch: VReg, mem: Amode }
        "{old}, {scratch} = loop {op}{width} {mem}, {src}"
        [src: use_late_reg(class(width)), mem: late_mem(), old: def_early_fixed(class(width), RAX), scratch: def_early_reg(class(width))]
        max 64 => em.rmw_loop(op, width, src, mem, scratch);
    /// A compare-and-exchange loop on 64 bits in pairs: old value in edx:eax, ecx:ebx destroyed, `operand` in memory. Without
    /// `op` it exchanges.
    RmwLoop8b { op: Option<(Alu, Alu)>, operand: u32, old: [VReg; 2], scratch: [VReg; 2], mem: Amode }
        "{old}, {scratch} = loop8b {op} {mem}, object{operand}"
        [mem: late_mem(), old: def_early_fixed_pair(GPR, [RAX, RDX]), scratch: def_early_fixed_pair(GPR, [RBX, RCX])]
        max 96 => em.rmw_loop_8b(op, operand, mem);
    // ---- the form of AVX, with a result of its own; vectors of 16 or 32 bytes
    /// All 256 bits zero.
    ZeroYmm { dst: VReg } is Remade "{dst} = ymm zeros" [dst: def_reg(YMM)] max 5 => em.e.avx(SseOp::Xorps, Length::B128, dst, dst, Rm::Reg(dst));
    /// All 256 bits one.
    OnesYmm { dst: VReg } is Remade "{dst} = ymm ones" [dst: def_reg(YMM)] max 5 => em.e.avx(SseOp::Pcmpeqd, Length::B256, dst, dst, Rm::Reg(dst));
    /// dst = first op src.
    Avx { op: SseOp, size: u8, dst: VReg, first: VReg, src: Src } "{dst} = v{op}.{size} {first}, {src}"
        [first: use_reg(vectors(size)), src: rm(vectors(size)), dst: def_reg(vectors(size))]
        max 5 + bound.src(src) => em.e.avx(op, length(size), dst, first, src);
    /// As above with an immediate byte.
    AvxImm { op: SseOp, size: u8, dst: VReg, first: VReg, src: Src, imm: u8 } "{dst} = v{op}.{size} {first}, {src}, {imm}"
        [first: use_reg(vectors(size)), src: rm(vectors(size)), dst: def_reg(vectors(size))]
        max 6 + bound.src(src) => em.e.avx_i(op, length(size), dst, first, src, imm);
    /// dst = op src.
    AvxUnary { op: SseOp, size: u8, dst: VReg, src: Src } "{dst} = v{op}.{size} {src}"
        [src: rm(vectors(size)), dst: def_reg(vectors(size))] max 5 + bound.src(src) => em.e.avx_one(op, length(size), dst, src);
    /// dst = op src with an immediate byte.
    AvxUnaryImm { op: SseOp, size: u8, dst: VReg, src: Src, imm: u8 } "{dst} = v{op}.{size} {src} with {imm}"
        [src: rm(vectors(size)), dst: def_reg(vectors(size))] max 6 + bound.src(src) => em.e.avx_one_i(op, length(size), dst, src, imm);
    /// dst = src shifted by a constant.
    AvxShift { op: SseOp, size: u8, dst: VReg, src: VReg, imm: u8 } "{dst} = v{op}.{size} {src} by {imm}"
        [src: use_reg(vectors(size)), dst: def_reg(vectors(size))] max 6 => em.e.avx_shift(op, length(size), dst, src, imm);
    /// dst = first, and src in the lanes whose mask has the sign.
    AvxBlend { op: SseOp, size: u8, dst: VReg, first: VReg, src: Src, mask: VReg } "{dst} = v{op}.{size} {first}, {src} by {mask}"
        [first: use_reg(vectors(size)), src: rm(vectors(size)), mask: use_reg(vectors(size)), dst: def_reg(vectors(size))]
        max 6 + bound.src(src) => em.e.avx_blend(op, length(size), dst, first, src, mask);
    /// dst = dst op first and src: a product with a sum.
    Fused { op: SseOp, size: u8, dst: VReg, first: VReg, src: Src } "v{op}.{size} {dst}, {first}, {src}"
        [first: use_reg(vectors(size)), src: rm(vectors(size)), dst: use_def_reg(vectors(size))]
        max 5 + bound.src(src) => em.e.avx(op, length(size), dst, first, src);
    /// 256 bits from 128 or less: extensions, conversions, repeated lanes.
    Widen { op: SseOp, dst: VReg, src: Src } is Remade "{dst} = widen {op} {src}"
        [src: rm(XMM), dst: def_reg(YMM)] max 5 + bound.src(src) => em.e.avx_widen(op, dst, src);
    /// 128 bits from 256: conversions.
    Narrow { op: SseOp, dst: VReg, src: VReg } "{dst} = narrow {op} {src}"
        [src: use_reg(YMM), dst: def_reg(XMM)] max 6 => em.e.avx_narrow(op, dst, src);
    /// A register of 256 bits from its halves.
    JoinHalves { dst: VReg, low: VReg, high: Src } "{dst} = join {low}, {high}"
        [low: use_reg(XMM), high: rm(XMM), dst: def_reg(YMM)] max 6 + bound.src(high) => em.e.insert_upper(dst, low, high);
    /// A register of 256 bits with this lower half; the upper half is anything.
    AsWide { dst: VReg, low: VReg } "{dst} = wide {low}" [low: use_reg(XMM), dst: def_reg(YMM)] max 5 => em.copy_xmm(16, dst, Rm::Reg(low));
    LowerHalf { dst: VReg, src: VReg } "{dst} = lower {src}" [src: use_reg(YMM), dst: def_reg(XMM)] max 5 => em.copy_xmm(16, dst, Rm::Reg(src));
    UpperHalf { dst: VReg, src: VReg } "{dst} = upper {src}" [src: use_reg(YMM), dst: def_reg(XMM)] max 6 => em.e.extract_upper(dst, src);
    /// The signs of the lanes as bits.
    Signs { op: SseOp, dst: VReg, src: VReg } "{dst} = v{op} {src} to gpr"
        [src: use_reg(YMM), dst: def_reg(GPR)] max 5 => em.e.avx_signs(op, dst, src);
    // ---- stack
    /// Lowers the stack pointer by less than a page, and touches where it was.
    StackTake { bytes: u32 } "take_stack {bytes}" [] max 4 + 7 + 11 => { em.take_stack(bytes); em.align_stack() };
    /// Lowers the stack pointer page by page and touches each; `amount` is destroyed.
    StackSub { amount: VReg } "take_pages {amount}"
        [amount: use_def_reg(GPR)] max 4 + 7 + 6 + 7 + 5 + 7 + 3 + 11
        => { em.take_stack_by_pages(amount); em.align_stack() };
    /// The stack pointer as it is.
    StackSave { dst: VReg } "{dst} = sp"
        [dst: def_reg(GPR)] max 2 + SLOT => em.e.mov_r_rm(em.target.address_width(), dst, Rm::Reg(Gpr::RSP));
    /// Sets the stack pointer.
    StackRestore { src: VReg } "sp = {src}"
        [src: use_any(GPR)] max 4 + 2 + SLOT => em.restore_stack(src);
    // ---- threads
    /// The thread pointer.
    ThreadPointer { dst: VReg } "{dst} = thread" [dst: def_reg(GPR)] max 9 => em.e.mov_r_thread_pointer(dst);
    /// The word at an offset of a segment, which is named by its number.
    SegmentWord { dst: VReg, segment: u8, offset: i32 } "{dst} = word segment{segment} {offset}"
        [dst: def_reg(GPR)] max 9 => em.segment_word(dst, segment, offset);
    /// Ends the program unless the word is in front of the address, which stays as it is.
    CheckType { dst: VReg, scratch: VReg, word: i32 } "check_type {dst}, {scratch}, {word}"
        [dst: use_def_reg(GPR), scratch: def_early_reg(GPR)] max 6 + 5 + 6 + 2 => em.check_type(dst, scratch, word);
    /// dst = dst + offset of a thread-local symbol from the thread pointer.
    AddThreadOffset { dst: VReg, symbol: SymbolId } "add_tpoff {dst}, {symbol}"
        [dst: use_def_reg(GPR)] max 8 => em.e.add_thread_offset(dst, symbol);
    /// dst = dst + offset of a thread-local symbol, which the linker's table has.
    AddTableThreadOffset { dst: VReg, symbol: SymbolId, base: Option<VReg> } "add_gottpoff {dst}, {symbol}, {base}"
        [base: use_reg_if(GPR), dst: use_def_reg(GPR)] max 8 => em.e.add_thread_offset_from_table(dst, symbol, base);
    /// The address of a thread-local symbol by a call; result and table address are extra operands.
    ThreadLocalCall { symbol: SymbolId, mode: Mode } is Clobbers "call_tls {symbol} {mode}"
        [] max 16 => em.e.call_thread_local_address(symbol, em.target.thread_resolver());
    // ---- native calls
    /// Copies `count` words from `src` to `dst` upwards; all three are changed.
    CopyWords { dst: VReg, src: VReg, count: VReg } "rep_movs {dst}, {src}, {count}"
        [dst: use_def_fixed(GPR, RDI), src: use_def_fixed(GPR, RSI), count: use_def_fixed(GPR, RCX)]
        max 3 => em.e.rep(RepOp::Movs, em.stack_width());
    /// Stores the vector arguments from the `first` on to their places in a frame object, unless al is 0;
    /// they and al are extra operands.
    SaveVectors { object: u32, first: u8 } "save_vectors object{object}, {first}"
        [] max 4 + 8 * (4 + SLOT + 3) => em.save_vectors(object, first);
    // ---- what is code already
    /// Inline assembly; its operands and what it destroys are extra operands.
    Assembly { number: u32 } "asm{number}" [] max bound.assembly(*number) => em.assembly(number);
    // ---- control
    /// Arguments and results are extra operands; the mode says what the call destroys. The callee pops as
    /// many bytes of arguments, which are taken again.
    Call { callee: Callee, mode: Mode, popped: u16 } is Clobbers "call {callee} {mode} pops {popped}"
        [callee: callee()] max bound.call(callee) => em.call(callee, popped);
    /// The same of a function that does not preserve what standard ones do: destroys the registers of these numbers.
    CallDestroying { callee: Callee, destroyed: u32 } is Clobbers "call {callee} destroys {destroyed}"
        [callee: callee()] max bound.call(callee) => em.call(callee, 0);
    /// A call that may return twice, where branches are tracked: it comes back to an instruction that says so.
    CallLanding { callee: Callee, mode: Mode, popped: u16 } is Clobbers "call_landing {callee} {mode} pops {popped}"
        [callee: callee()] max bound.call(callee) + 4 => em.call_landing(callee, popped);
    /// A call through an address that may lead anywhere, where branches are tracked.
    CallUntracked { callee: Callee, mode: Mode, popped: u16 } is Clobbers "call_untracked {callee} {mode} pops {popped}"
        [callee: callee()] max bound.call(callee) + 1 => em.call_untracked(callee, popped);
    /// A call that ends its block: goes to `normal` or, when an exception leaves it, to `pad`, which wants what the
    /// function's pad of the number `clauses` says.
    Invoke { callee: Callee, mode: Mode, popped: u16, normal: MachBlock, pad: MachBlock, clauses: u32 } is Invokes
        "invoke {callee} {mode} pops {popped} to {normal} unwind {pad} as {clauses}"
        [callee: callee()] max bound.call(callee) + 5 => em.invoke(callee, popped, normal, (pad, clauses));
    /// Inline assembly that ends its block: goes to its targets. Its inputs are extra operands; it destroys the registers of these numbers.
    AssemblyJump { number: u32, destroyed: u32 } is Invokes "asm{number} jumps, destroys {destroyed}"
        [] max bound.assembly(*number) + 5 => em.assembly_jump(number);
    Jmp { target: MachBlock } is Terminator "jmp {target}" [] max 5 => em.jump_to(target);
    /// To the address of a label of the function.
    JmpIndirect { to: Src } is Terminator "jmp {to}" [to: rm(GPR)] max 1 + bound.src(to) => em.e.jmp_rm(to);
    Jcc { cond: Cond, if_true: MachBlock, if_false: MachBlock } is Terminator "j{cond} {if_true}, {if_false}"
        [] max 11 => em.branch(cond, if_true, if_false);
    /// To `both` where the two conditions hold, else to `otherwise`.
    JccAnd { conds: [Cond; 2], both: MachBlock, otherwise: MachBlock } is Terminator "j{conds} {both}, {otherwise}"
        [] max 17 => em.jcc_and(conds, both, otherwise);
    /// A planned switch: `index` is the value, `scratch` is destroyed. Native code also names a register in
    /// which it may make the address of a jump table (x86-64) or finds the global base (x86-32).
    Switch { switch: u32, index: VReg, scratch: VReg, table: Option<VReg> } is Terminator "switch{switch} {index}, {scratch}, {table}"
        [index: use_reg(GPR), scratch: use_reg(GPR), table: use_reg_if(GPR)]
        max bound.switch(*switch) => em.planned_switch(switch, index, None, scratch, table);
    /// A planned switch on a pair.
    SwitchPair { switch: u32, lo: VReg, hi: VReg, scratch: VReg, table: Option<VReg> } is Terminator
        "switch{switch} {lo}:{hi}, {scratch}, {table}"
        [lo: use_reg(GPR), hi: use_reg(GPR), scratch: use_reg(GPR), table: use_reg_if(GPR)]
        max bound.switch(*switch) => em.planned_switch(switch, lo, Some(hi), scratch, table);
    /// Epilogue and return; results are extra operands.
    Ret is Terminator "ret" [] max bound.epilogue => em.epilogue();
    /// Gives back the frame as before a return, and jumps; an address is in the register of the number `at`. Before, the
    /// stack arguments from the offset `from` on to `to` are copied through `scratch` from where a call has them over
    /// those of the function. Register arguments are extra operands.
    ReturnCall { callee: Callee, at: u8, from: u32, to: u32, scratch: Option<VReg> } is Terminator
        "return_call {callee} at {at}, {from} to {to}, {scratch}"
        [scratch: use_reg_if(GPR), callee: jump_target(at)]
        max bound.return_call(*from, *to) => em.return_call(callee, at, from..to, scratch);
    /// Ends the program with a fault; `Trap` in the middle of a block, `Unreachable` as a terminator.
    Trap "trap" [] max 2 => em.e.ud2();
    Unreachable is Terminator "unreachable" [] max 2 => em.unreachable();
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
                | Inst::CallDestroying { .. }
                | Inst::CallLanding { .. }
                | Inst::CallUntracked { .. }
        )
    }

    fn clobbers(&self) -> RegUnits {
        match self {
            Inst::Call { mode, .. }
            | Inst::CallLanding { mode, .. }
            | Inst::CallUntracked { mode, .. }
            | Inst::Invoke { mode, .. }
            | Inst::ThreadLocalCall { mode, .. } => match mode {
                Mode::Bits32 => CALLER_SAVED_32,
                Mode::Bits64 => CALLER_SAVED_64,
            },
            Inst::AssemblyJump { destroyed, .. } | Inst::CallDestroying { destroyed, .. } => {
                RegUnits::of_bits((*destroyed).into())
            }
            _ => RegUnits::EMPTY,
        }
    }

    #[inline(always)]
    fn rematerialize(&self) -> Option<Remat> {
        match *self {
            // A negative one of 32 bits would have to fill a slot of 64.
            Inst::MovImm { imm: 0..=0x7fff_ffff, .. } => Some(Remat::Anywhere),
            Inst::MovImm { .. } | Inst::MovSymbol { .. } | Inst::ZeroXmm { .. } | Inst::OnesXmm { .. } => {
                Some(Remat::Register)
            }
            Inst::ZeroYmm { .. } | Inst::OnesYmm { .. } => Some(Remat::Register),
            Inst::Widen { src: Src::Mem(mem), .. } if mem.is_constant() => Some(Remat::Register),
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
}
