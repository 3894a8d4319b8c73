//! Addresses of loads and stores, made to fit each instruction.

use super::Emitter;
use crate::inst::{Amode, Base, Inst};
use crate::regs;
use ice_asm::mips32::{Alu, AluSigned, Gpr, Imm, Mem, Transfer};
use ice_asm::{Listing, SymbolId};
use ice_codegen::emission::{InstEmitter as _, NO_OBJECT, NO_SLOT};
use ice_codegen::mach::FramePointer;
use ice_regalloc::Allocation;

/// An address: a register, zero where it is a symbol alone; the low half of a symbol's address; a constant.
#[derive(Clone, Copy)]
pub(super) struct Address {
    base: Gpr,
    symbol: Option<SymbolId>,
    disp: i32,
}

/// A constant as its low 16 bits, which an instruction extends with their sign, and what `lui` makes of the rest.
fn halves(number: i32) -> (i32, i32) {
    let low = i32::from(number as i16);
    ((number.wrapping_sub(low) as u32 >> 16) as i32, low)
}

impl<L: Listing> Emitter<'_, L> {
    /// The register that the frame hangs off.
    pub(super) fn base(&self) -> Gpr {
        match self.frame.layout.pointer {
            FramePointer::None => Gpr::SP,
            FramePointer::Used => Gpr::FP,
        }
    }

    /// Where a spill slot is, or the argument that an instruction loads.
    pub(super) fn slot(&mut self, place: Allocation) -> Mem {
        let argument = match place.as_remat().and_then(|inst| self.cursor.inst(inst)) {
            Some(Inst::Load { mem, .. } | Inst::LoadFloat { mem, .. }) => {
                Some(self.state.incoming.wrapping_add(mem.disp))
            }
            _ => None,
        };
        let offset = argument.or_else(|| self.frame.layout.slot(place));
        if offset.is_none() {
            self.fault(NO_SLOT);
        }
        let base = self.base();
        self.near(Address { base, symbol: None, disp: offset.unwrap_or_default() })
    }

    /// Where a part of the frame begins, unless it is not there.
    #[inline(always)]
    fn in_frame(&self, base: Base) -> Option<(Gpr, i32)> {
        Some(match base {
            Base::Object(n) => (self.base(), *self.frame.layout.objects.get(n as usize)?),
            Base::Allocated => (Gpr::SP, self.frame.layout.outgoing),
            Base::Incoming => (self.base(), self.state.incoming),
            Base::Saved => (self.base(), self.frame.return_address()?),
            _ => (Gpr::SP, 0),
        })
    }

    /// The address of an operand, consuming its register.
    #[inline(always)]
    pub(super) fn address(&mut self, mem: Amode) -> Address {
        let (base, symbol, start) = match mem.base {
            Base::Reg(_) => (self.gpr(), None, 0),
            Base::Page(_, symbol) => (self.gpr(), Some(symbol), 0),
            Base::Symbol(symbol) => (Gpr::ZERO, Some(symbol), 0),
            base => match self.in_frame(base) {
                Some((base, start)) => (base, None, start),
                None => {
                    self.fault(NO_OBJECT);
                    (Gpr::SP, None, 0)
                }
            },
        };
        Address { base, symbol, disp: start.wrapping_add(mem.disp) }
    }

    /// The address as one that an instruction can have; what it cannot goes through $at.
    #[inline(always)]
    pub(super) fn near(&mut self, at: Address) -> Mem {
        match at {
            Address { base, symbol: None, disp: disp @ -0x8000..0x8000 } => Mem::new(base, disp),
            at => self.near_for(at, 0),
        }
    }

    /// An address that an instruction can have, and one up to `more` bytes further on as well.
    pub(super) fn near_for(&mut self, at: Address, more: i32) -> Mem {
        let Address { base, symbol, disp } = at;
        let Some(symbol) = symbol else { return self.near_number(base, disp, more) };
        match (base, disp, more) {
            (Gpr::ZERO, _, 0) => {
                self.e.lui(Gpr::AT, Imm::high(symbol, disp));
                Mem { base: Gpr::AT, offset: Imm::low(symbol, disp) }
            }
            (Gpr::ZERO, ..) => {
                self.mov_symbol(Gpr::AT, symbol, disp);
                Mem::new(Gpr::AT, 0)
            }
            (base, 0, 0) => Mem { base, offset: Imm::low(symbol, 0) },
            _ => {
                self.lea(Gpr::AT, Address { disp: 0, ..at });
                self.near_number(Gpr::AT, disp, more)
            }
        }
    }

    fn near_number(&mut self, base: Gpr, disp: i32, more: i32) -> Mem {
        if i16::try_from(disp).is_ok() && i16::try_from(disp.wrapping_add(more)).is_ok() {
            return Mem::new(base, disp);
        }
        let (high, low) = halves(disp);
        if base == Gpr::AT || low + more > i32::from(i16::MAX) {
            self.add_offset(Gpr::AT, base, disp);
            return Mem::new(Gpr::AT, 0);
        }
        self.e.lui(Gpr::AT, high);
        self.e.alu(Alu::Addu, Gpr::AT, Gpr::AT, base);
        Mem::new(Gpr::AT, low)
    }

    /// `dst = base + offset`, where `dst` is not the stack pointer. Only a constant of 16 bits is added to $at.
    pub(super) fn add_offset(&mut self, dst: Gpr, base: Gpr, offset: i32) {
        if offset == 0 {
            return self.copy(dst, base);
        }
        if i16::try_from(offset).is_ok() {
            return self.e.alu_signed(AluSigned::Addiu, dst, base, offset);
        }
        if base == Gpr::AT {
            return self.fault("an address takes a second register");
        }
        self.e.load_number(Gpr::AT, offset as u32);
        self.e.alu(Alu::Addu, dst, base, Gpr::AT);
    }

    pub(super) fn lea(&mut self, dst: Gpr, at: Address) {
        let Address { base, symbol, disp } = at;
        match (symbol, base) {
            (None, base) => self.add_offset(dst, base, disp),
            (Some(symbol), Gpr::ZERO) => self.mov_symbol(dst, symbol, disp),
            (Some(symbol), base) => {
                self.e.alu_signed(AluSigned::Addiu, dst, base, Imm::low(symbol, 0));
                self.add_offset(dst, dst, disp);
            }
        }
    }

    pub(super) fn mov_symbol(&mut self, dst: Gpr, symbol: SymbolId, addend: i32) {
        self.e.lui(dst, Imm::high(symbol, addend));
        self.e.alu_signed(AluSigned::Addiu, dst, dst, Imm::low(symbol, addend));
    }

    /// The operand `bytes` further on, which [`near_for`](Self::near_for) has made sure of.
    pub(super) fn behind(&mut self, mem: Mem, bytes: i32) -> Mem {
        match mem.offset {
            Imm::Value(offset) => Mem::new(mem.base, offset + bytes),
            Imm::Symbol(..) => {
                self.fault("an access of two parts has half an address");
                mem
            }
        }
    }

    /// Loads or stores a register.
    #[inline(always)]
    pub(super) fn transfer(&mut self, op: Transfer, reg: Gpr, mem: Mem) {
        self.confine(mem.base);
        self.e.transfer(op, reg, mem);
    }

    pub(super) fn store_anywhere(&mut self, src: Gpr, mem: Mem) {
        self.transfer(Transfer::Swr, src, mem);
        let last = self.behind(mem, 3);
        self.transfer(Transfer::Swl, src, last);
    }

    /// `dst = place` unless they are the same register.
    pub(super) fn copy_to(&mut self, dst: Gpr, place: Allocation) {
        match regs::as_gpr(place) {
            Some(reg) => self.copy(dst, reg),
            None => {
                let mem = self.slot(place);
                self.transfer(Transfer::Lw, dst, mem);
            }
        }
    }

    #[inline(always)]
    pub(super) fn copy(&mut self, dst: Gpr, src: Gpr) {
        if src != dst {
            self.e.alu(Alu::Or, dst, src, Gpr::ZERO);
        }
    }
}
