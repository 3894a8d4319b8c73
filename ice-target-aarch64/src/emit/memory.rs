//! Addresses of loads and stores, made to fit each instruction, and moves between places.

use super::Emitter;
use crate::inst::{Amode, Base, Index, Inst};
use crate::regs;
use ice_asm::aarch64::{
    Alu, ArithImm, Extend, FloatWidth, Gpr, Mem, Offset, Operand, Transfer, Vreg, Width, fits,
};
use ice_asm::{Listing, RelocKind, SymbolId};
use ice_codegen::emission::{InstEmitter as _, NO_OBJECT, NO_REGISTER, NO_SLOT};
use ice_codegen::mach::FramePointer;
use ice_regalloc::Allocation;

/// An address: a register, an index beside it, the place of a symbol in its page, a constant.
#[derive(Clone, Copy)]
pub(super) struct Address {
    base: Gpr,
    index: Option<(Gpr, Extend, bool)>,
    symbol: Option<SymbolId>,
    disp: i32,
}

/// The relocation of an access by its place in a page.
const fn low_of(size_log2: u8) -> RelocKind {
    match size_log2 {
        0 => RelocKind::Aarch64Load8Lo12,
        1 => RelocKind::Aarch64Load16Lo12,
        2 => RelocKind::Aarch64Load32Lo12,
        3 => RelocKind::Aarch64Load64Lo12,
        _ => RelocKind::Aarch64Load128Lo12,
    }
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
    pub(super) fn slot(&mut self, place: Allocation, size_log2: u8) -> Mem {
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
        let (base, disp) = (self.base(), offset.unwrap_or_default());
        self.near(Address { base, index: None, symbol: None, disp }, size_log2)
    }

    /// The register and the offset from it at which a part of the frame begins, unless it is not there.
    #[inline(always)]
    pub(super) fn in_frame(&self, base: Base) -> Option<(Gpr, i32)> {
        let start = match base {
            Base::Incoming => self.state.incoming,
            base => self.frame.start_of(base)?,
        };
        let register = match base {
            Base::Object(_) | Base::Incoming | Base::Saved => self.base(),
            _ => Gpr::SP,
        };
        Some((register, start))
    }

    /// The address of an operand, consuming its registers.
    #[inline(always)]
    pub(super) fn address(&mut self, mem: Amode) -> Address {
        let (base, symbol, start) = match mem.base {
            Base::Reg(_) => (self.gpr(), None, 0),
            Base::Page(_, symbol) => (self.gpr(), Some(symbol), 0),
            base => match self.in_frame(base) {
                Some((base, start)) => (base, None, start),
                None => {
                    self.fault(NO_OBJECT);
                    (Gpr::SP, None, 0)
                }
            },
        };
        let index = mem.index.map(|Index { extend, is_scaled, .. }| (self.gpr(), extend, is_scaled));
        Address { base, index, symbol, disp: start.wrapping_add(mem.disp) }
    }

    /// The address as one that an access of this size can have; what it cannot goes through x16.
    #[inline(always)]
    pub(super) fn near(&mut self, at: Address, size_log2: u8) -> Mem {
        match at {
            Address { base, index: None, symbol: None, disp } if fits(disp, size_log2) => {
                Mem::new(base, disp)
            }
            at => self.near_any(at, size_log2),
        }
    }

    #[inline(never)]
    fn near_any(&mut self, at: Address, size_log2: u8) -> Mem {
        let Address { base, index, symbol, disp } = at;
        if let Some(symbol) = symbol {
            return Mem { base, offset: Offset::Low(low_of(size_log2), symbol, disp.into()) };
        }
        match index {
            None => {
                self.e.mov_number(Width::X, Gpr::IP0, i64::from(disp) as u64);
                Mem { base, offset: Offset::Reg(Gpr::IP0, Extend::Uxtx, false) }
            }
            Some((index, extend, is_scaled)) => {
                let base = match disp {
                    0 => base,
                    _ => {
                        self.add_offset(Gpr::IP0, base, disp);
                        Gpr::IP0
                    }
                };
                Mem { base, offset: Offset::Reg(index, extend, is_scaled) }
            }
        }
    }

    /// `dst = base + offset`. An offset that takes more than two instructions goes through x16, which is not `base` then.
    pub(super) fn add_offset(&mut self, dst: Gpr, base: Gpr, offset: i32) {
        if offset == 0 {
            if dst != base {
                self.e.mov(Width::X, dst, base);
            }
            return;
        }
        let op = if offset < 0 { Alu::Sub } else { Alu::Add };
        let size = u64::from(offset.unsigned_abs());
        if let Some(imm) = ArithImm::new(size) {
            return self.e.alu(op, Width::X, dst, base, imm);
        }
        // Its upper and its lower 12 bits.
        if let (Some(high), Some(low)) = (ArithImm::new(size & !0xfff), ArithImm::new(size & 0xfff)) {
            self.e.alu(op, Width::X, dst, base, high);
            return self.e.alu(op, Width::X, dst, dst, low);
        }
        if base == Gpr::IP0 {
            return self.fault("an address takes a second register");
        }
        self.e.mov_number(Width::X, Gpr::IP0, size);
        self.e.alu(op, Width::X, dst, base, Operand::Extend(Gpr::IP0, Extend::Uxtx, 0));
    }

    pub(super) fn lea(&mut self, dst: Gpr, at: Address) {
        let Address { base, index, symbol, disp } = at;
        if let Some(symbol) = symbol {
            return self.e.add_symbol(dst, base, RelocKind::Aarch64AddLo12, symbol, disp.into());
        }
        match index {
            None => self.add_offset(dst, base, disp),
            Some((index, extend, false)) => {
                self.e.alu(Alu::Add, Width::X, Gpr::IP0, base, Operand::Extend(index, extend, 0));
                self.add_offset(dst, Gpr::IP0, disp);
            }
            Some(_) => self.fault("an address of nothing counts what is accessed"),
        }
    }

    pub(super) fn mov_symbol(&mut self, dst: Gpr, symbol: SymbolId, addend: i32) {
        self.e.adrp_symbol(dst, RelocKind::Aarch64Page21, symbol, addend.into());
        self.e.add_symbol(dst, dst, RelocKind::Aarch64AddLo12, symbol, addend.into());
    }

    // ---- moves

    /// `dst = place` unless they are the same register.
    #[inline(always)]
    pub(super) fn copy_to(&mut self, width: Width, dst: Gpr, place: Allocation) {
        match regs::as_gpr(place) {
            Some(src) if src == dst => {}
            Some(src) => self.e.mov(width, dst, src),
            None => {
                let (op, size_log2) = load_of(width);
                let mem = self.slot(place, size_log2);
                self.e.transfer(op, dst, mem);
            }
        }
    }

    /// Moves a word between places.
    pub(super) fn move_word(&mut self, width: Width, to: Allocation, from: Allocation) {
        match (regs::as_gpr(to), regs::as_gpr(from)) {
            (Some(to), _) => self.copy_to(width, to, from),
            (None, Some(from)) => {
                let (op, size_log2) = match width {
                    Width::W => (Transfer::StrW, 2),
                    Width::X => (Transfer::StrX, 3),
                };
                let mem = self.slot(to, size_log2);
                self.e.transfer(op, from, mem);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }

    /// `dst = place` unless they are the same register.
    pub(super) fn copy_to_vector(&mut self, width: FloatWidth, dst: Vreg, place: Allocation) {
        match regs::as_vector(place) {
            Some(src) if src == dst => {}
            Some(src) => self.e.copy_vector(dst, src),
            None => {
                let mem = self.slot(place, width.size_log2());
                self.e.load_float(width, dst, mem);
            }
        }
    }

    /// Moves between places what is this wide.
    pub(super) fn move_vector(&mut self, width: FloatWidth, to: Allocation, from: Allocation) {
        match (regs::as_vector(to), regs::as_vector(from)) {
            (Some(to), _) => self.copy_to_vector(width, to, from),
            (None, Some(from)) => {
                let mem = self.slot(to, width.size_log2());
                self.e.store_float(width, from, mem);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }
}

/// The load of a word, and log2 of its bytes.
const fn load_of(width: Width) -> (Transfer, u8) {
    match width {
        Width::W => (Transfer::LdrW, 2),
        Width::X => (Transfer::LdrX, 3),
    }
}
