//! Single instructions: their rows as the one `match`, the short way for the frequent ones, and integer encodings of
//! more than one call.

use super::Emitter;
use super::kinds::Source;
use super::vector::length;
use crate::inst::{Amount, Callee, Extend, Inst, instructions};
use crate::operand::{class, vectors};
use crate::regs::*;
use ice_asm::x86::*;
use ice_asm::{Listing, RelocKind, SymbolId};
use ice_codegen::emission::{BranchEmitter as _, InstEmitter as _, StackSteps as _};
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
                let Some((mem, [dst])) = self.near(mem, self.address_size, self.cursor.places()) else {
                    return false;
                };
                let Some(dst) = as_gpr(*dst) else { return false };
                self.e.mov_r_place(Width::B32, dst, mem);
            }
            Inst::Store { width: Width::B32, mem, .. } => {
                let [src, places @ ..] = self.cursor.places() else { return false };
                let Some(src) = as_gpr(*src) else { return false };
                let Some((mem, _)) = self.near(mem, self.address_size, places) else { return false };
                self.e.mov_place_r(Width::B32, mem, src);
            }
            Inst::StoreImm { width: Width::B32, imm, mem } => {
                let Some((mem, _)) = self.near(mem, self.address_size, self.cursor.places()) else {
                    return false;
                };
                self.e.mov_place_i(Width::B32, mem, *imm);
            }
            Inst::Lea { width: Width::B32, mem, .. } => {
                let Some((mem, [dst])) = self.near(mem, AddressSize::Native, self.cursor.places()) else {
                    return false;
                };
                let Some(dst) = as_gpr(*dst) else { return false };
                if dst == mem.mem().base {
                    return false;
                }
                self.e.lea_place(Width::B32, dst, mem);
            }
            Inst::MovImm { width: Width::B32, imm, .. } => {
                let [dst] = self.cursor.places() else { return false };
                let Some(dst) = as_gpr(*dst) else { return false };
                self.constant(Width::B32, dst, *imm);
            }
            Inst::Compare { op, width, rhs, .. } => {
                self.cursor.take_operands();
                self.compare(*op, *width, rhs);
            }
            Inst::Call { callee: Callee::Symbol(symbol), popped: 0, .. } if !self.leaves_uppers => {
                self.begin_call(1);
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

    instructions!(ice_codegen::encode_insts!);

    // ---- encodings of more than one call

    fn zero_upper(&mut self, dst: Gpr, src: Rm<Gpr>) {
        match self.mode {
            Mode::Bits32 => self.copy(Width::B32, dst, src),
            Mode::Bits64 => self.e.mov_r_rm(Width::B32, dst, src),
        }
    }

    fn mov_symbol(&mut self, dst: Gpr, symbol: SymbolId, addend: i32) {
        if self.target.has_absolute_symbols() {
            self.e.mov_r_symbol(dst, symbol, RelocKind::Abs32, addend);
        } else {
            let mem = Mem::rip(symbol, RelocKind::PcRel32, addend);
            self.e.lea(Width::B64, dst, mem);
        }
    }

    fn extend(&mut self, kind: Extend, [from, to]: [Width; 2], dst: Gpr, src: Rm<Gpr>) {
        match kind {
            Extend::Zero => self.e.movzx(dst, Width::B32, src, from),
            Extend::Sign => self.e.movsx(dst, to, src, from),
        }
    }

    fn alu(&mut self, op: Alu, width: Width, dst: Gpr, src: Source) {
        match src {
            Source::Imm(imm) => self.e.alu_rm_i(op, width, Rm::Reg(dst), imm),
            Source::Rm(Rm::Reg(src)) => self.e.alu_r_r(op, width, dst, src),
            Source::Rm(src) => self.e.alu_r_rm(op, width, dst, src),
        }
        let has_no_carry = matches!(op, Alu::And | Alu::Or | Alu::Xor);
        self.note_flags(width, dst, has_no_carry);
    }

    fn unary(&mut self, op: Unary, width: Width, dst: Gpr) {
        self.e.unary_rm(op, width, Rm::Reg(dst));
        if op == Unary::Neg {
            self.note_flags(width, dst, false);
        }
    }

    fn shift(&mut self, op: Shift, width: Width, dst: Rm<Gpr>, amount: Amount) {
        match amount {
            Amount::Imm(n) => self.e.shift_rm_i(op, width, dst, n),
            Amount::Cl(_) => self.e.shift_rm_cl(op, width, dst),
        }
    }

    fn double_shift(&mut self, op: DoubleShift, width: Width, dst: Gpr, src: Gpr, amount: Amount) {
        match amount {
            Amount::Imm(n) => self.e.double_shift_i(op, width, Rm::Reg(dst), src, n),
            Amount::Cl(_) => self.e.double_shift_cl(op, width, Rm::Reg(dst), src),
        }
    }

    fn mul_wide(&mut self, sign: Signedness, width: Width, src: Rm<Gpr>) {
        let op = if sign == Signedness::Signed { Unary::Imul } else { Unary::Mul };
        self.e.unary_rm(op, width, src);
    }

    fn divide(&mut self, sign: Signedness, width: Width, src: Rm<Gpr>) {
        match sign {
            Signedness::Signed => self.e.sign_to_rdx(width),
            Signedness::Unsigned => self.e.alu_rm_r(Alu::Xor, Width::B32, Rm::Reg(Gpr::RDX), Gpr::RDX),
        }
        if let Rm::Mem(mem) = src {
            self.confine_again(mem);
        }
        self.divide_wide(sign, width, src);
    }

    fn divide_wide(&mut self, sign: Signedness, width: Width, src: Rm<Gpr>) {
        let op = if sign == Signedness::Signed { Unary::Idiv } else { Unary::Div };
        self.e.unary_rm(op, width, src);
    }

    pub(super) fn call(&mut self, callee: Callee, popped: u16) {
        self.clear_uppers();
        match callee {
            Callee::Symbol(symbol) => {
                self.begin_call(1);
                self.e.call_symbol(symbol, RelocKind::PcRel32);
            }
            Callee::Linked(symbol) => {
                self.begin_call(1);
                self.e.call_symbol(symbol, RelocKind::Plt32);
            }
            Callee::Value(_) => {
                let place = self.next();
                self.call_indirect(place);
            }
            Callee::Memory(mem) => {
                let mem = self.mem(mem);
                self.e.call_rm(Rm::Mem(mem));
            }
        }
        self.take_again(popped);
    }

    /// A call to behind which control may come again.
    #[cold]
    pub(super) fn call_landing(&mut self, callee: Callee, popped: u16) {
        self.call(callee, 0);
        self.e.end_branch();
        self.take_again(popped);
    }

    /// A call of whatever is there.
    #[cold]
    pub(super) fn call_untracked(&mut self, callee: Callee, popped: u16) {
        self.clear_uppers();
        match callee {
            Callee::Value(_) => {
                let place = self.next();
                let callee = self.place_rm(place);
                self.e.call_rm_untracked(callee);
            }
            Callee::Symbol(_) | Callee::Linked(_) | Callee::Memory(_) => {
                self.fault("a call by a name or through memory is not looked at");
            }
        }
        self.take_again(popped);
    }

    /// Takes the bytes of arguments again that a callee has popped.
    #[inline]
    fn take_again(&mut self, popped: u16) {
        if popped > 0 {
            let bytes = i32::from(popped);
            self.note_excursion(self.e.buf.offset(), -bytes);
            self.e.alu_rm_i(Alu::Sub, self.stack_width(), Rm::Reg(Gpr::RSP), Imm::from(bytes));
            self.note_excursion(self.e.buf.offset(), 0);
        }
    }

    /// In 64-bit code a 32-bit address in a slot must be loaded first: the call would read 64 bits.
    fn call_indirect(&mut self, place: Allocation) {
        let callee = self.place_rm(place);
        match (self.mode, callee) {
            _ if self.target.is_confined() => self.confined_call(callee),
            (Mode::Bits64, Rm::Mem(_)) if !self.target.has_wide_addresses() => {
                self.e.mov_r_rm(Width::B32, Gpr::R11, callee);
                self.e.call_rm(Rm::Reg(Gpr::R11));
            }
            _ => self.e.call_rm(callee),
        }
    }
}
