//! Single instructions: the one match over all kinds, and the short way for the frequent ones.
//!
//! Operands arrive in the order in which [`Inst::visit_operands`](ice_codegen::mach::MachInst::visit_operands) names
//! them; kinds with a file of their own are handed on.

use super::{Emitter, after};
use crate::inst::{Amount, Callee, Extend, Inst, Src};
use crate::regs;
use ice_asm::x86::{self, AddressSize, Alu, BitOp, BitTest, Gpr, Imm, Mem, Mode, Rm, Unary, Width};
use ice_asm::{Listing, RelocKind};
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::magic::Signedness;
use ice_regalloc::Allocation;

impl<L: Listing> Emitter<'_, L> {
    /// `dst = src` unless they are the same register.
    pub(super) fn copy(&mut self, width: Width, dst: Gpr, src: Rm<Gpr>) {
        if src != Rm::Reg(dst) {
            self.e.mov_r_rm(width, dst, src);
        }
    }

    /// Emits the most frequent instructions where their operands are those that they have most often; says
    /// whether it did. Inlined into the walk: they are nine tenths of those that end no block, and a call of
    /// [`dispatch`](Self::dispatch) takes half as long as they do.
    #[inline(always)]
    pub(super) fn usual_inst(&mut self, inst: &Inst) -> bool {
        match inst {
            Inst::Params => {}
            Inst::Load { width: Width::B32, mem, .. } => {
                let Some((mem, [dst])) = self.near(mem, self.address_size, self.places()) else {
                    return false;
                };
                let Some(dst) = regs::as_gpr(*dst) else { return false };
                self.e.mov_r_place(Width::B32, dst, mem);
            }
            Inst::Store { width: Width::B32, mem, .. } => {
                let [src, places @ ..] = self.places() else { return false };
                let Some(src) = regs::as_gpr(*src) else { return false };
                let Some((mem, _)) = self.near(mem, self.address_size, places) else { return false };
                self.e.mov_place_r(Width::B32, mem, src);
            }
            Inst::StoreImm { width: Width::B32, imm, mem } => {
                let Some((mem, _)) = self.near(mem, self.address_size, self.places()) else {
                    return false;
                };
                self.e.mov_place_i(Width::B32, mem, *imm);
            }
            Inst::Lea { width: Width::B32, mem, .. } => {
                let Some((mem, [dst])) = self.near(mem, AddressSize::Native, self.places()) else {
                    return false;
                };
                let Some(dst) = regs::as_gpr(*dst) else { return false };
                if dst == mem.mem().base {
                    return false;
                }
                self.e.lea_place(Width::B32, dst, mem);
            }
            Inst::MovImm { width: Width::B32, imm, .. } => {
                let [dst] = self.places() else { return false };
                let Some(dst) = regs::as_gpr(*dst) else { return false };
                self.constant(Width::B32, dst, *imm);
            }
            Inst::Compare { op, width, rhs, .. } => {
                self.cursor.take_operands();
                self.compare(*op, *width, rhs);
            }
            Inst::Call { callee: Callee::Symbol(symbol), popped: 0, .. } => {
                self.e.call_symbol(*symbol, RelocKind::PcRel32);
            }
            _ => return false,
        }
        true
    }

    /// `dst = imm`.
    #[inline]
    pub(super) fn constant(&mut self, width: Width, dst: Gpr, imm: i64) {
        if imm == 0 {
            self.e.alu_r_r(Alu::Xor, Width::B32, dst, dst);
        } else {
            self.e.mov_r_i(width, dst, imm);
        }
    }

    /// Emits any instruction.
    pub(super) fn dispatch(&mut self, inst: &Inst) {
        match *inst {
            Inst::Params => self.cursor.operands = &[],
            Inst::Mov { width, .. } => {
                let src = self.rm();
                let dst = self.gpr();
                self.copy(width, dst, src);
            }
            Inst::ZeroUpper { .. } => {
                let src = self.rm();
                let dst = self.gpr();
                match self.mode {
                    Mode::Bits32 => self.copy(Width::B32, dst, src),
                    Mode::Bits64 => self.e.mov_r_rm(Width::B32, dst, src),
                }
            }
            Inst::MovImm { width, imm, .. } => {
                let dst = self.gpr();
                self.constant(width, dst, imm);
            }
            Inst::MovSymbol { symbol, addend, .. } => {
                let dst = self.gpr();
                if self.target.has_absolute_symbols() {
                    self.e.mov_r_symbol(dst, symbol, RelocKind::Abs32, addend);
                } else {
                    let mem = Mem::rip(symbol, RelocKind::PcRel32, addend);
                    self.e.lea(Width::B64, dst, mem);
                }
            }
            Inst::LoadTableEntry { .. }
            | Inst::GlobalBase { .. }
            | Inst::ThreadPointer { .. }
            | Inst::AddThreadOffset { .. }
            | Inst::AddTableThreadOffset { .. }
            | Inst::ThreadLocalCall { .. }
            | Inst::CopyWords { .. }
            | Inst::SaveVectors { .. } => self.native(inst),
            Inst::Undefined { .. } => self.cursor.operands = &[],
            Inst::Extend { kind, from, to, src, .. } => {
                let src = self.src_rm(&src);
                let dst = self.gpr();
                match kind {
                    Extend::Zero => self.e.movzx(dst, Width::B32, src, from),
                    Extend::Sign => self.e.movsx(dst, to, src, from),
                }
            }
            Inst::Load { width, mem, .. } => {
                let mem = self.mem(&mem);
                let dst = self.gpr();
                match width {
                    Width::B8 | Width::B16 => self.e.movzx(dst, Width::B32, Rm::Mem(mem), width),
                    _ => self.e.mov_r_rm(width, dst, Rm::Mem(mem)),
                }
            }
            Inst::LoadPair { mem, .. } => {
                let mem = self.mem(&mem);
                let (lo, hi) = (self.gpr(), self.gpr());
                self.e.mov_r_rm(Width::B32, lo, Rm::Mem(mem));
                self.e.mov_r_rm(Width::B32, hi, Rm::Mem(after(mem)));
            }
            Inst::StorePair { mem, .. } => {
                let (lo, hi) = (self.gpr(), self.gpr());
                let mem = self.mem(&mem);
                self.e.mov_rm_r(Width::B32, Rm::Mem(mem), lo);
                self.e.mov_rm_r(Width::B32, Rm::Mem(after(mem)), hi);
            }
            Inst::Store { width, mem, .. } => {
                let src = self.gpr();
                let mem = self.mem(&mem);
                self.e.mov_rm_r(width, Rm::Mem(mem), src);
            }
            Inst::StoreImm { width, imm, mem } => {
                let mem = self.mem(&mem);
                self.e.mov_rm_i(width, Rm::Mem(mem), Imm::from(imm));
            }
            Inst::StoreSymbol { symbol, addend, mem } => {
                let mem = self.mem(&mem);
                let imm = Imm::Symbol(symbol, RelocKind::Abs32, addend);
                self.e.mov_rm_i(Width::B32, Rm::Mem(mem), imm);
            }
            Inst::Lea { width, mem, .. } => {
                let mem = self.mem(&mem);
                let dst = self.gpr();
                self.sum(width, dst, mem);
            }
            Inst::Alu { op, width, src, .. } => match src {
                Src::Imm(_) | Src::Symbol(..) => {
                    let dst = self.gpr();
                    let imm = self.immediate(&src);
                    self.e.alu_rm_i(op, width, Rm::Reg(dst), imm);
                }
                _ => {
                    let src = self.src_rm(&src);
                    let dst = self.gpr();
                    match src {
                        Rm::Reg(src) => self.e.alu_r_r(op, width, dst, src),
                        Rm::Mem(_) => self.e.alu_r_rm(op, width, dst, src),
                    }
                }
            },
            Inst::Compare { op, width, rhs, .. } => self.compare(op, width, &rhs),
            Inst::CompareMem { .. }
            | Inst::AluMem { .. }
            | Inst::AluMemImm { .. }
            | Inst::UnaryMem { .. }
            | Inst::ShiftMem { .. } => self.on_memory(inst),
            Inst::Unary { op, width, .. } => {
                let dst = self.gpr();
                self.e.unary_rm(op, width, Rm::Reg(dst));
            }
            Inst::BitTest { width, .. } => {
                let (lhs, bit) = (self.gpr(), self.gpr());
                self.e.bit_test_rm_r(BitTest::Bt, width, Rm::Reg(lhs), bit);
            }
            Inst::Bswap { width, .. } => {
                let dst = self.gpr();
                self.e.bswap(width, dst);
            }
            Inst::Shift { op, width, amount, .. } => match amount {
                Amount::Imm(n) => {
                    let dst = self.gpr();
                    self.e.shift_rm_i(op, width, Rm::Reg(dst), n);
                }
                Amount::Cl(_) => {
                    self.next();
                    let dst = self.gpr();
                    self.e.shift_rm_cl(op, width, Rm::Reg(dst));
                }
            },
            Inst::DoubleShift { op, width, amount, .. } => {
                let op = match op {
                    crate::inst::DoubleShift::Left => x86::DoubleShift::Shld,
                    crate::inst::DoubleShift::Right => x86::DoubleShift::Shrd,
                };
                let src = self.gpr();
                match amount {
                    Amount::Imm(n) => {
                        let dst = self.gpr();
                        self.e.double_shift_i(op, width, Rm::Reg(dst), src, n);
                    }
                    Amount::Cl(_) => {
                        self.next();
                        let dst = self.gpr();
                        self.e.double_shift_cl(op, width, Rm::Reg(dst), src);
                    }
                }
            }
            Inst::Imul { width, src, .. } => {
                let src = self.src_rm(&src);
                let dst = self.gpr();
                self.e.imul_r_rm(width, dst, src);
            }
            Inst::ImulImm { width, src, imm, .. } => {
                let src = self.src_rm(&src);
                let dst = self.gpr();
                self.e.imul_r_rm_i(width, dst, src, imm);
            }
            Inst::MulWide { sign, width, .. } => {
                self.next();
                let src = self.rm();
                let op = if sign == Signedness::Signed { Unary::Imul } else { Unary::Mul };
                self.e.unary_rm(op, width, src);
            }
            Inst::Divide { sign, width, .. } => {
                self.next();
                let src = Rm::Reg(self.gpr());
                match sign {
                    Signedness::Signed => {
                        self.e.sign_to_rdx(width);
                        self.e.unary_rm(Unary::Idiv, width, src);
                    }
                    Signedness::Unsigned => {
                        self.e.alu_rm_r(Alu::Xor, Width::B32, Rm::Reg(Gpr::RDX), Gpr::RDX);
                        self.e.unary_rm(Unary::Div, width, src);
                    }
                }
            }
            Inst::DivideWide { sign, width, .. } => {
                self.next();
                self.next();
                let src = self.rm();
                let op = if sign == Signedness::Signed { Unary::Idiv } else { Unary::Div };
                self.e.unary_rm(op, width, src);
            }
            Inst::BitScan { op, width, .. } => {
                let src = self.rm();
                let dst = self.gpr();
                let op = match op {
                    crate::inst::BitScan::Forward => BitOp::Bsf,
                    crate::inst::BitScan::Reverse => BitOp::Bsr,
                };
                self.e.bit_op(op, width, dst, src);
            }
            Inst::Setcc { cond, .. } => {
                let dst = self.gpr();
                self.e.setcc(cond, Rm::Reg(dst));
            }
            Inst::Cmov { cond, width, .. } => {
                let src = self.rm();
                let dst = self.gpr();
                self.e.cmovcc(cond, width, dst, src);
            }
            Inst::Mfence
            | Inst::LockXadd { .. }
            | Inst::Xchg { .. }
            | Inst::LockCmpxchg { .. }
            | Inst::LockCmpxchg8b { .. }
            | Inst::RmwLoop { .. }
            | Inst::RmwLoop8b { .. } => self.atomic(inst),
            Inst::StackTake { bytes } => self.take_stack(bytes),
            Inst::StackSub { .. } => {
                let amount = self.gpr();
                self.take_stack_by_pages(amount);
            }
            Inst::StackSave { .. } => {
                let dst = self.gpr();
                self.e.mov_r_rm(self.target.address_width(), dst, Rm::Reg(Gpr::RSP));
            }
            Inst::StackRestore { .. } => {
                let src = self.rm();
                self.e.mov_r_rm(self.target.address_width(), Gpr::RSP, src);
            }
            Inst::Call { callee, popped, .. } => {
                match callee {
                    Callee::Symbol(symbol) => self.e.call_symbol(symbol, RelocKind::PcRel32),
                    Callee::Linked(symbol) => self.e.call_symbol(symbol, RelocKind::Plt32),
                    Callee::Value(_) => {
                        let place = self.next();
                        self.call_indirect(place);
                    }
                }
                if popped > 0 {
                    let bytes = Imm::from(i32::from(popped));
                    self.e.alu_rm_i(Alu::Sub, self.stack_width(), Rm::Reg(Gpr::RSP), bytes);
                }
            }
            Inst::Jmp { .. }
            | Inst::Jcc { .. }
            | Inst::JccAnd { .. }
            | Inst::Switch { .. }
            | Inst::SwitchPair { .. }
            | Inst::Ret
            | Inst::Trap
            | Inst::Unreachable => self.control(inst),
            _ => self.vector(inst),
        }
    }

    /// In 64-bit code a 32-bit address in a slot must be loaded first: the call would read 64 bits.
    fn call_indirect(&mut self, place: Allocation) {
        let callee = self.place_rm(place);
        match (self.mode, callee) {
            (Mode::Bits64, Rm::Mem(_)) if !self.target.has_wide_addresses() => {
                self.e.mov_r_rm(Width::B32, Gpr::R11, callee);
                self.e.call_rm(Rm::Reg(Gpr::R11));
            }
            _ => self.e.call_rm(callee),
        }
    }
}
