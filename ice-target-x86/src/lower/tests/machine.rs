//! An interpreter of machine instructions over virtual registers, as the manual describes them. What the
//! hardware leaves undefined or keeps is filled with garbage; flags that an instruction destroys, or leaves undefined,
//! cannot be read.

extern crate std;

use crate::inst::{Amode, Amount, Base, Callee, Compare, Extend, Inst, Src};
use crate::target::X86;
use alloc::vec::Vec;
use ice_asm::x86::{Alu, Cond, DoubleShift, Mode, Shift, SseOp, Unary, Width};
use ice_asm::{ConstantPool, SymbolId};
use ice_codegen::lower::{LowerScratch, lower_function};
use ice_codegen::mach::{MachBlock, MachFunction, MachInstId, Operand, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{BlockOrder, CodeModel, CodeSymbol, Confinement, Libcall};
use ice_ir::{ControlFlowGraph, Type, Uses, parse_program};
use std::collections::HashMap;

/// The arguments of a test function: type names and bits.
pub(in crate::lower) type Arguments<'a> = &'a [(&'a str, u128)];

/// Stands where the hardware promises nothing.
pub(in crate::lower) const GARBAGE: u128 = 0x5a69_78a5_96b4_c3d2_e1f0_1357_9bdf_2468;

/// Lanes of this many bits, zero-extended.
pub(in crate::lower) fn split(bits: u32, value: u128) -> Vec<u128> {
    (0..128 / bits).map(|n| cut(bits, value >> (n * bits))).collect()
}

pub(in crate::lower) fn join(bits: u32, lanes: impl IntoIterator<Item = u128>) -> u128 {
    lanes.into_iter().enumerate().fold(0, |all, (n, lane)| all | cut(bits, lane) << (n as u32 * bits))
}

pub(in crate::lower) fn cut(bits: u32, value: u128) -> u128 {
    if bits == 128 { value } else { value & ((1 << bits) - 1) }
}

pub(in crate::lower) fn signed(bits: u32, value: u128) -> i64 {
    ((value as u64) << (64 - bits)) as i64 >> (64 - bits)
}

pub(in crate::lower) fn float(lane: u128) -> f32 {
    f32::from_bits(lane as u32)
}

pub(in crate::lower) fn double(lane: u128) -> f64 {
    f64::from_bits(lane as u64)
}

pub(in crate::lower) fn bits_of(value: f32) -> u128 {
    value.to_bits().into()
}

pub(in crate::lower) fn zip(bits: u32, a: u128, b: u128, f: impl Fn(u128, u128) -> u128) -> u128 {
    join(bits, split(bits, a).into_iter().zip(split(bits, b)).map(|(a, b)| f(a, b)))
}

pub(in crate::lower) fn mask(bits: u32, holds: bool) -> u128 {
    if holds { cut(bits, u128::MAX) } else { 0 }
}

/// The hardware's conversion, which gives the sign bit out of range.
fn truncate(value: f32) -> u128 {
    let in_range = (-2147483648.0..2147483648.0).contains(&value);
    cut(32, if in_range { value as i32 as u128 } else { 1 << 31 })
}

#[derive(Clone, Copy)]
struct Flags {
    carry: bool,
    zero: bool,
}

struct Machine<'a> {
    mach: &'a MachFunction<Inst>,
    constants: &'a ConstantPool,
    regs: Vec<u128>,
    memory: HashMap<(u32, i64), u8>,
    fpu: Vec<u128>,
    flags: Option<Flags>,
}

/// Compiles the first function and runs it; gives the registers that it returns, and memory bytes 64 to 71, which
/// are `memory` before.
pub(in crate::lower) fn run_with_memory(
    mode: Mode,
    text: &str,
    args: Arguments<'_>,
    memory: u64,
) -> (Vec<u128>, u64) {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let func = &program.bodies[0];
    let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
    cfg.compute(func);
    order.compute(func, &cfg);
    uses.compute(func);
    let mut scratch = LowerScratch::default();
    let mut mach = MachFunction::new();
    let target =
        X86 { mode, model: CodeModel::Pnacl, confinement: Confinement::None, tracks_branches: false };
    let module = &program.module;
    lower_function(&target, module, func, &cfg, &order, &uses, &mut scratch, &mut mach)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut machine = Machine {
        mach: &mach,
        constants: &mach.tables.constants,
        regs: alloc::vec![GARBAGE; mach.body().num_vregs()],
        memory: HashMap::new(),
        fpu: Vec::new(),
        flags: None,
    };
    machine.store(8, &Amode::new(Base::None, 64), memory.into());
    // Arguments in registers by their order, the others by theirs on the stack.
    let in_registers = mach.body().operands(MachInstId::from_u32(0));
    let (mut next, mut stack) = (0, 0);
    for &(ty, value) in args {
        let ty = Type::from_name(ty).unwrap();
        if mode == Mode::Bits64 || ty.is_vector() {
            machine.set(in_registers[next].vreg(), value);
            next += 1;
        } else {
            machine.store(ty.bytes(), &Amode::new(Base::Incoming, stack), value);
            stack += ty.bytes() as i32;
        }
    }
    let result = machine.run();
    (result, machine.load(8, &Amode::new(Base::None, 64)) as u64)
}

impl Machine<'_> {
    fn get(&self, reg: VReg) -> u128 {
        self.regs[reg.as_u32() as usize]
    }

    fn set(&mut self, reg: VReg, value: u128) {
        self.regs[reg.as_u32() as usize] = value;
    }

    /// A general register written in this width: 32-bit writes clear what is above, narrow ones keep it.
    fn set_int(&mut self, width: Width, reg: VReg, value: u128) {
        let bits = 8 * width.bytes();
        let kept = if bits < 32 { self.get(reg) & !((1 << bits) - 1) } else { 0 };
        self.set(reg, kept | cut(bits, value));
    }

    fn place(&self, mem: &Amode) -> (u32, i64) {
        assert_eq!(mem.index, None);
        match mem.base {
            Base::Object(n) => (n, mem.disp.into()),
            // Lowering of vectors allocates nothing on the stack.
            Base::Allocated => panic!("dynamic allocation"),
            Base::Outgoing => (1000, mem.disp.into()),
            Base::Incoming => (1001, mem.disp.into()),
            Base::None => (1002, mem.disp.into()),
            Base::Reg(reg) => (1002, self.get(reg) as i64 + i64::from(mem.disp)),
        }
    }

    fn load(&self, bytes: u32, mem: &Amode) -> u128 {
        if let Some(symbol) = mem.symbol {
            let CodeSymbol::Constant(id) = CodeSymbol::unpack(symbol) else { panic!("{mem:?}") };
            assert!(bytes <= id.size.bytes());
            return self.constants.get(id).unwrap();
        }
        let (space, at) = self.place(mem);
        (0..bytes).fold(0, |all, n| {
            all | u128::from(self.memory.get(&(space, at + i64::from(n))).copied().unwrap_or(0)) << (8 * n)
        })
    }

    fn store(&mut self, bytes: u32, mem: &Amode, value: u128) {
        let (space, at) = self.place(mem);
        for n in 0..bytes {
            self.memory.insert((space, at + i64::from(n)), (value >> (8 * n)) as u8);
        }
    }

    fn src(&self, bytes: u32, src: &Src) -> u128 {
        match src {
            // A spilled register is read in place: its slot must be large enough.
            Src::Reg(reg) if bytes == 16 => {
                assert_eq!(self.mach.body().vreg_size(*reg), 16, "{src:?}");
                self.get(*reg)
            }
            Src::Reg(reg) => cut(8 * bytes, self.get(*reg)),
            Src::Mem(mem) => self.load(bytes, mem),
            Src::Imm(imm) => cut(8 * bytes, *imm as u128),
            Src::Symbol(..) => panic!("{src:?}"),
        }
    }

    /// The amount of a shift of 32 bits.
    fn amount(&self, amount: Amount) -> u32 {
        match amount {
            Amount::Imm(n) => u32::from(n) & 31,
            Amount::Cl(reg) => self.get(reg) as u32 & 31,
        }
    }

    fn alu(op: Alu, a: u128, b: u128) -> u128 {
        match op {
            Alu::Add => a.wrapping_add(b),
            Alu::Sub => a.wrapping_sub(b),
            Alu::And => a & b,
            Alu::Or => a | b,
            Alu::Xor => a ^ b,
            _ => panic!("{op:?}"),
        }
    }

    /// Runs the function; gives the registers that it returns.
    fn run(&mut self) -> Vec<u128> {
        let mut block = MachBlock::from_u32(0);
        loop {
            let Some((succ, next)) = self.run_block(block) else { return self.results(block) };
            let args = self.mach.body().edge_args(block, succ);
            let values: Vec<u128> = args.iter().map(|&arg| self.get(arg)).collect();
            for (&param, value) in self.mach.body().block_params(next).iter().zip(values) {
                self.set(param, value);
            }
            block = next;
        }
    }

    /// Runs a block; gives the number of the edge that control leaves it by, and the next block.
    fn run_block(&mut self, block: MachBlock) -> Option<(usize, MachBlock)> {
        for index in self.mach.inst_range(block) {
            let operands = self.mach.body().operands(MachInstId::from_u32(index as u32));
            let target = match self.mach.insts()[index] {
                Inst::Params => continue,
                Inst::Ret => return None,
                Inst::Call { callee: Callee::Symbol(callee) | Callee::Linked(callee), mode, .. } => {
                    self.call(callee, mode, operands);
                    continue;
                }
                Inst::Jmp { target } => target,
                Inst::Jcc { cond, if_true, if_false } => {
                    if self.holds(cond) {
                        if_true
                    } else {
                        if_false
                    }
                }
                ref inst => {
                    self.step(inst);
                    continue;
                }
            };
            let edge = self.mach.body().block_succs(block).iter().position(|&succ| succ == target);
            return Some((edge.expect("an edge"), target));
        }
        panic!("no end of {block}");
    }

    /// What the return at the end of a block returns.
    fn results(&mut self, block: MachBlock) -> Vec<u128> {
        let ret = self.mach.inst_range(block).end - 1;
        let operands = self.mach.body().operands(MachInstId::from_u32(ret as u32));
        let mut result: Vec<u128> = operands.iter().map(|operand| self.get(operand.vreg())).collect();
        result.append(&mut self.fpu);
        result
    }

    fn holds(&self, cond: Cond) -> bool {
        let flags = self.flags.expect("flags");
        match cond {
            Cond::E => flags.zero,
            Cond::Ne => !flags.zero,
            Cond::B => flags.carry,
            Cond::Ae => !flags.carry,
            _ => panic!("{cond:?}"),
        }
    }

    /// An operation that sets flags, on numbers of so many bits.
    fn alu_with_flags(&mut self, op: Alu, bits: u32, a: u128, b: u128) -> u128 {
        let (op, carry) = match op {
            Alu::Adc => (Alu::Add, self.holds(Cond::B)),
            Alu::Sbb => (Alu::Sub, self.holds(Cond::B)),
            op => (op, false),
        };
        let mut value = Self::alu(op, cut(bits, a), cut(bits, b));
        if carry {
            value = Self::alu(op, value, 1);
        }
        self.flags = Some(Flags { carry: value >> bits & 1 != 0, zero: cut(bits, value) == 0 });
        value
    }

    /// A helper of two arguments, or a conversion.
    fn call(&mut self, callee: SymbolId, mode: Mode, operands: &[Operand]) {
        let CodeSymbol::Libcall(helper) = CodeSymbol::unpack(callee) else { panic!("{callee:?}") };
        let bytes = if helper == Libcall::Fmodf { 4 } else { 8 };
        let [a, b] = match mode {
            Mode::Bits64 => [0, 1].map(|n| cut(8 * bytes, self.get(operands[n].vreg()))),
            Mode::Bits32 => [0, bytes as i32].map(|n| self.load(bytes, &Amode::new(Base::Outgoing, n))),
        };
        let (sa, sb) = (a as i64, b as i64);
        let result = match helper {
            Libcall::Fmodf => bits_of(float(a) % float(b)),
            Libcall::Fmod => (double(a) % double(b)).to_bits().into(),
            Libcall::Udivdi3 => a / b,
            Libcall::Umoddi3 => a % b,
            Libcall::Divdi3 => (sa / sb) as u128,
            Libcall::Moddi3 => (sa % sb) as u128,
            Libcall::Fixdfdi => double(a) as i64 as u128,
            Libcall::Fixunsdfdi => (double(a) as u64).into(),
            _ => panic!("{helper:?}"),
        };
        match (mode, helper) {
            (Mode::Bits64, _) => {
                self.set(operands[2].vreg(), cut(8 * bytes, result) | GARBAGE << (8 * bytes))
            }
            (Mode::Bits32, Libcall::Fmodf | Libcall::Fmod) => self.fpu.push(result),
            (Mode::Bits32, _) => {
                self.set(operands[0].vreg(), cut(32, result));
                self.set(operands[1].vreg(), cut(32, result >> 32));
            }
        }
    }

    fn step(&mut self, inst: &Inst) {
        match *inst {
            Inst::Mov { width, dst, src } => self.set_int(width.max(Width::B32), dst, self.get(src)),
            Inst::ZeroUpper { dst, src } => self.set_int(Width::B32, dst, self.get(src)),
            Inst::MovImm { width, dst, imm } => {
                // A zero may be made by an instruction that destroys them.
                self.flags = None;
                self.set_int(width.max(Width::B32), dst, imm as u128);
            }
            Inst::Extend { kind, from, to, dst, src } => {
                let value = self.src(from.bytes(), &src);
                let value = match kind {
                    Extend::Zero => value,
                    Extend::Sign => signed(8 * from.bytes(), value) as u128,
                };
                self.set_int(to, dst, value);
            }
            Inst::Load { width, dst, mem } => {
                let value = self.load(width.bytes(), &mem);
                self.set_int(
                    Width::B64,
                    dst,
                    value | if width < Width::B32 { GARBAGE << 16 & 0xffff_0000 } else { 0 },
                );
            }
            Inst::Store { width, src, mem } => self.store(width.bytes(), &mem, self.get(src)),
            Inst::LoadPair { lo, hi, mem } => {
                let value = self.load(8, &mem);
                self.set_int(Width::B32, lo, value);
                self.set_int(Width::B32, hi, value >> 32);
            }
            Inst::StorePair { lo, hi, mem } => {
                self.store(8, &mem, cut(32, self.get(lo)) | self.get(hi) << 32);
            }
            Inst::StoreImm { width, imm, mem } => self.store(width.bytes(), &mem, imm as u128),
            Inst::Alu { op, width, dst, src } => {
                let bits = 8 * width.bytes();
                let value = self.alu_with_flags(op, bits, self.get(dst), self.src(width.bytes(), &src));
                self.set_int(width, dst, value);
            }
            Inst::Compare { op, width, lhs, rhs } => {
                let op = if op == Compare::Cmp { Alu::Sub } else { Alu::And };
                let rhs = self.src(width.bytes(), &rhs);
                self.alu_with_flags(op, 8 * width.bytes(), self.get(lhs), rhs);
            }
            Inst::Cmov { cond, width, dst, src } => {
                let value = if self.holds(cond) { self.get(src) } else { self.get(dst) };
                self.set_int(width, dst, value);
            }
            Inst::DoubleShift { op, width: Width::B32, dst, src, amount } => {
                self.flags = None;
                let (dst_value, src) = (cut(32, self.get(dst)), cut(32, self.get(src)));
                let amount = self.amount(amount);
                let value = match op {
                    DoubleShift::Shld => (dst_value << 32 | src) << amount >> 32,
                    DoubleShift::Shrd => (src << 32 | dst_value) >> amount,
                };
                self.set_int(Width::B32, dst, value);
            }
            Inst::Imul { width, dst, src } => {
                self.flags = None;
                let product = self.get(dst).wrapping_mul(self.src(width.bytes(), &src));
                self.set_int(width, dst, product);
            }
            Inst::ImulImm { width, dst, src, imm } => {
                self.flags = None;
                let product = self.src(width.bytes(), &src).wrapping_mul(imm as u128);
                self.set_int(width, dst, product);
            }
            // What nobody may rely on.
            Inst::Undefined { dst } => self.set_int(Width::B32, dst, 0xa5a5_5a5a),
            Inst::MulWide { sign: Signedness::Unsigned, width: Width::B32, lhs, src, lo, hi } => {
                self.flags = None;
                let product = cut(32, self.get(lhs)) * self.src(4, &src);
                self.set_int(Width::B32, lo, product);
                self.set_int(Width::B32, hi, product >> 32);
            }
            Inst::Lea { width, dst, mem } => {
                let Base::Reg(base) = mem.base else { panic!("{inst:?}") };
                let index = mem.index.map_or(0, |(index, scale)| self.get(index) << scale);
                // It may become an addition.
                self.flags = None;
                let sum = self.get(base).wrapping_add(index).wrapping_add(mem.disp as u128);
                self.set_int(width, dst, sum);
            }
            Inst::Unary { op: Unary::Neg, width, dst } => {
                self.flags = None;
                self.set_int(width, dst, self.get(dst).wrapping_neg());
            }
            Inst::Shift { op, width: Width::B32, dst, amount } => {
                self.flags = None;
                let amount = self.amount(amount);
                let value = self.get(dst) as u32;
                let value = match op {
                    Shift::Shl => value << amount,
                    Shift::Shr => value >> amount,
                    Shift::Sar => (value as i32 >> amount) as u32,
                    _ => panic!("{op:?}"),
                };
                self.set(dst, value.into());
            }
            Inst::Divide { sign, width: Width::B32, lhs, src, quotient, remainder } => {
                self.flags = None;
                let (a, b) = (self.get(lhs), self.src(4, &src));
                let divisor = cut(32, b);
                assert_ne!(divisor, 0, "division trap");
                let (q, r) = match sign {
                    Signedness::Unsigned => ((cut(32, a) / divisor) as i64, (cut(32, a) % divisor) as i64),
                    Signedness::Signed => (signed(32, a) / signed(32, b), signed(32, a) % signed(32, b)),
                };
                self.set_int(Width::B32, quotient, q as u128);
                self.set_int(Width::B32, remainder, r as u128);
            }
            Inst::Divide { sign, width: Width::B64, lhs, src, quotient, remainder } => {
                self.flags = None;
                let (a, b) = (self.get(lhs) as u64, self.src(8, &src) as u64);
                let (q, r) = match sign {
                    Signedness::Unsigned => (a / b, a % b),
                    Signedness::Signed => ((a as i64 / b as i64) as u64, (a as i64 % b as i64) as u64),
                };
                self.set_int(Width::B64, quotient, q.into());
                self.set_int(Width::B64, remainder, r.into());
            }
            Inst::HighByte { dst, src } => {
                let value = self.get(src) >> 8 & 0xff;
                self.set_int(Width::B32, dst, value);
            }
            Inst::MovXmm { dst, src, size } => {
                let bits = 8 * u32::from(size);
                let above = if size == 16 { 0 } else { GARBAGE << bits };
                self.set(dst, above | cut(bits, self.get(src)));
            }
            Inst::LoadXmm { size, dst, mem } => {
                let value = cut(8 * u32::from(size), self.load(size.into(), &mem));
                self.set(dst, value);
            }
            Inst::StoreXmm { size, src, mem } => self.store(size.into(), &mem, self.get(src)),
            Inst::ZeroXmm { dst } => self.set(dst, 0),
            Inst::OnesXmm { dst } => self.set(dst, u128::MAX),
            Inst::Sse { op, dst, src } => {
                let value = packed(op, self.get(dst), self.src(16, &src));
                self.set(dst, value);
            }
            Inst::SseImm { op, dst, src, imm } => {
                let (a, b) = (self.get(dst), self.src(16, &src));
                let value = match op {
                    SseOp::Shufps => {
                        let (low, high) = (shuffled(32, a, imm), shuffled(32, b, imm));
                        cut(64, low) | high >> 64 << 64
                    }
                    SseOp::Cmppd => zip(64, a, b, |a, b| {
                        let (a, b) = (double(a), double(b));
                        let holds = match imm & 3 {
                            0 => a == b,
                            1 => a < b,
                            2 => a <= b,
                            _ => a.is_nan() || b.is_nan(),
                        };
                        mask(64, holds != (imm & 4 != 0))
                    }),
                    SseOp::Cmpps => zip(32, a, b, |a, b| {
                        let (a, b) = (float(a), float(b));
                        let holds = match imm & 3 {
                            0 => a == b,
                            1 => a < b,
                            2 => a <= b,
                            _ => a.is_nan() || b.is_nan(),
                        };
                        mask(32, holds != (imm & 4 != 0))
                    }),
                    _ => panic!("{op:?}"),
                };
                self.set(dst, value);
            }
            Inst::SseUnary { op, dst, src } => {
                let src = self.src(16, &src);
                let value = match op {
                    SseOp::Cvttps2dq => join(32, split(32, src).into_iter().map(|l| truncate(float(l)))),
                    SseOp::Cvttpd2dq => {
                        join(32, split(64, src).into_iter().map(|l| double(l) as i32 as u128))
                    }
                    SseOp::Sqrtpd => {
                        join(64, split(64, src).into_iter().map(|l| double(l).sqrt().to_bits().into()))
                    }
                    SseOp::Cvtdq2ps => {
                        join(32, split(32, src).into_iter().map(|l| bits_of(signed(32, l) as f32)))
                    }
                    _ => panic!("{op:?}"),
                };
                self.set(dst, value);
            }
            Inst::SseUnaryImm { op, dst, src, imm } => {
                let src = self.src(16, &src);
                let value = match op {
                    SseOp::Pshufd => shuffled(32, src, imm),
                    SseOp::Pshuflw => cut(64, shuffled(16, src, imm)) | src >> 64 << 64,
                    _ => panic!("{op:?}"),
                };
                self.set(dst, value);
            }
            Inst::SseShift { op, dst, imm } => {
                let bits = match op {
                    SseOp::Psllw | SseOp::Psrlw | SseOp::Psraw => 16,
                    SseOp::Pslld | SseOp::Psrld | SseOp::Psrad => 32,
                    SseOp::Psllq | SseOp::Psrlq => 64,
                    _ => panic!("{op:?}"),
                };
                let lanes = split(bits, self.get(dst)).into_iter().map(|lane| match op {
                    SseOp::Psllw | SseOp::Pslld | SseOp::Psllq => lane << imm,
                    SseOp::Psrlw | SseOp::Psrld | SseOp::Psrlq => lane >> imm,
                    _ => (signed(bits, lane) >> imm) as u128,
                });
                let value = join(bits, lanes);
                self.set(dst, value);
            }
            Inst::GprToXmm { op: SseOp::MovGpr, width, dst, src } => {
                self.set(dst, self.src(width.bytes(), &src));
            }
            Inst::XmmToGpr { op, width, dst, src } => {
                let value = match op {
                    SseOp::MovGpr => self.get(src),
                    SseOp::Cvttsd2si => double(self.get(src)) as i64 as u128,
                    SseOp::Pmovmskb => {
                        (0..16).fold(0, |all, n| all | (self.get(src) >> (8 * n + 7) & 1) << n)
                    }
                    _ => panic!("{op:?}"),
                };
                self.set_int(width, dst, value);
            }
            Inst::Pinsrw { dst, src, lane } => {
                let at = 16 * u32::from(lane);
                let value = self.get(dst) & !(0xffff << at) | cut(16, self.get(src)) << at;
                self.set(dst, value);
            }
            Inst::Pextrw { dst, src, lane } => {
                let value = cut(16, self.get(src) >> (16 * u32::from(lane)));
                self.set(dst, value);
            }
            Inst::PopFpu { dst, .. } => {
                let value = self.fpu.pop().unwrap();
                self.set(dst, value);
            }
            Inst::PushFpu { size, src } => {
                let value = cut(8 * u32::from(size), self.get(src));
                self.fpu.push(value);
            }
            // ---- atomics
            Inst::Mfence => {}
            Inst::LockXadd { width, dst, mem } => {
                let old = self.load(width.bytes(), &mem);
                self.store(width.bytes(), &mem, old.wrapping_add(self.get(dst)));
                self.set_int(width, dst, old);
            }
            Inst::Xchg { width, dst, mem } => {
                let old = self.load(width.bytes(), &mem);
                self.store(width.bytes(), &mem, self.get(dst));
                self.set_int(width, dst, old);
            }
            Inst::LockCmpxchg { width, expected, new, old, mem } => {
                let now = self.load(width.bytes(), &mem);
                let rax = self.get(expected);
                self.set(old, rax);
                if now == cut(8 * width.bytes(), rax) {
                    self.store(width.bytes(), &mem, self.get(new));
                } else {
                    self.set_int(width, old, now);
                }
            }
            Inst::LockCmpxchg8b { expected, new, old, mem } => {
                let pair = |m: &Self, [lo, hi]: [VReg; 2]| m.get(lo) | m.get(hi) << 32;
                let now = self.load(8, &mem);
                if now == pair(self, expected) {
                    self.store(8, &mem, pair(self, new));
                }
                self.set(old[0], cut(32, now));
                self.set(old[1], now >> 32);
            }
            Inst::RmwLoop { op, width, src, old, scratch, mem } => {
                let now = self.load(width.bytes(), &mem);
                self.store(width.bytes(), &mem, Self::alu(op, now, self.get(src)));
                self.set(scratch, GARBAGE);
                self.set(old, now);
            }
            Inst::RmwLoop8b { op, operand, old, scratch, mem } => {
                let now = self.load(8, &mem);
                let operand = self.load(8, &Amode::new(Base::Object(operand), 0));
                // Carries are those of the whole number.
                self.store(8, &mem, op.map_or(operand, |(low, _)| Self::alu(low, now, operand)));
                self.set(scratch[0], GARBAGE);
                self.set(scratch[1], GARBAGE);
                self.set(old[0], cut(32, now));
                self.set(old[1], now >> 32);
            }
            _ => panic!("{inst:?}"),
        }
    }
}

/// Four lanes by an immediate; above them the same lanes again.
fn shuffled(bits: u32, value: u128, imm: u8) -> u128 {
    let lanes = split(bits, value);
    join(bits, (0..128 / bits).map(|n| lanes[usize::from(imm >> (2 * (n & 3)) & 3)]))
}

/// SDM volume 2.
fn packed(op: SseOp, a: u128, b: u128) -> u128 {
    use SseOp::*;
    let ints = |bits, f: &dyn Fn(u128, u128) -> u128| zip(bits, a, b, f);
    let floats = |f: &dyn Fn(f32, f32) -> f32| zip(32, a, b, |a, b| bits_of(f(float(a), float(b))));
    let doubles =
        |f: &dyn Fn(f64, f64) -> f64| zip(64, a, b, |a, b| f(double(a), double(b)).to_bits().into());
    // The lower half of the second operand counts for both lanes.
    let shifts = |f: fn(u64, u32) -> Option<u64>| {
        let amount = cut(64, b).min(64) as u32;
        zip(64, a, a, |a, _| f(a as u64, amount).unwrap_or(0).into())
    };
    let equal = |bits| zip(bits, a, b, |a, b| mask(bits, a == b));
    let greater = |bits| zip(bits, a, b, |a, b| mask(bits, signed(bits, a) > signed(bits, b)));
    match op {
        Pand | Andpd => a & b,
        Pandn => !a & b,
        Por => a | b,
        Pxor => a ^ b,
        Paddb => ints(8, &|a, b| a + b),
        Paddw => ints(16, &|a, b| a + b),
        Paddd => ints(32, &|a, b| a + b),
        Psubb => ints(8, &u128::wrapping_sub),
        Psubw => ints(16, &u128::wrapping_sub),
        Psubd => ints(32, &u128::wrapping_sub),
        Paddq => ints(64, &|a, b| a + b),
        Psubq => ints(64, &u128::wrapping_sub),
        Psllq => shifts(u64::checked_shl),
        Psrlq => shifts(u64::checked_shr),
        Punpckldq => {
            let (a, b) = (split(32, a), split(32, b));
            join(32, [a[0], b[0], a[1], b[1]])
        }
        Pmullw => ints(16, &|a, b| a * b),
        Pmuludq => ints(64, &|a, b| cut(32, a) * cut(32, b)),
        Pcmpeqb => equal(8),
        Pcmpeqw => equal(16),
        Pcmpeqd => equal(32),
        Pcmpgtb => greater(8),
        Pcmpgtw => greater(16),
        Pcmpgtd => greater(32),
        Addpd => doubles(&|a, b| a + b),
        Subpd => doubles(&|a, b| a - b),
        Mulpd => doubles(&|a, b| a * b),
        Divpd => doubles(&|a, b| a / b),
        Addps => floats(&|a, b| a + b),
        Subps => floats(&|a, b| a - b),
        Mulps => floats(&|a, b| a * b),
        Divps => floats(&|a, b| a / b),
        Punpcklbw => {
            let (a, b) = (split(8, a), split(8, b));
            join(8, (0..16).map(|n| if n % 2 == 0 { a[n / 2] } else { b[n / 2] }))
        }
        Packsswb => {
            let words = split(16, a).into_iter().chain(split(16, b));
            join(8, words.map(|w| signed(16, w).clamp(-128, 127) as u128))
        }
        _ => panic!("{op:?}"),
    }
}
