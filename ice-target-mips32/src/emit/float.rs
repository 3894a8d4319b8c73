//! Floating-point registers. A doubleword is an even register with its low half and the next one with its high half.

use super::Emitter;
use super::kinds::Register as _;
use crate::inst::{FLAG, Wanted};
use crate::regs::float;
use ice_asm::Listing;
use ice_asm::mips32::{
    Float2, FloatMoveIf, FloatMoveIfFlag, FloatTransfer, FloatWidth, Fpr, Gpr, Mem, MoveIfFlag, Transmit,
};
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER};
use ice_regalloc::Allocation;

/// The register of the high half.
fn high(reg: Fpr) -> Fpr {
    Fpr::new(reg.number() | 1)
}

impl<L: Listing> Emitter<'_, L> {
    fn float_at(&mut self, width: FloatWidth, place: Allocation) -> Option<Fpr> {
        Fpr::of(place, float(width))
    }

    /// Moves between places of one width.
    pub(super) fn move_float(&mut self, width: FloatWidth, to: Allocation, from: Allocation) {
        match (self.float_at(width, to), self.float_at(width, from)) {
            (Some(to), _) => self.copy_to_float(width, to, from),
            (None, Some(from)) => {
                let mem = self.slot(to);
                self.store_float(width, from, mem);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }

    pub(super) fn copy_to_float(&mut self, width: FloatWidth, dst: Fpr, place: Allocation) {
        match self.float_at(width, place) {
            Some(src) if src == dst => {}
            Some(src) => self.e.float2(Float2::Mov, width, dst, src),
            None => {
                let mem = self.slot(place);
                self.load_float(width, dst, mem);
            }
        }
    }

    pub(super) fn load_float(&mut self, width: FloatWidth, dst: Fpr, mem: Mem) {
        let op = if width == FloatWidth::S { FloatTransfer::Lwc1 } else { FloatTransfer::Ldc1 };
        self.transfer_float(op, dst, mem);
    }

    pub(super) fn store_float(&mut self, width: FloatWidth, src: Fpr, mem: Mem) {
        let op = if width == FloatWidth::S { FloatTransfer::Swc1 } else { FloatTransfer::Sdc1 };
        self.transfer_float(op, src, mem);
    }

    fn transfer_float(&mut self, op: FloatTransfer, reg: Fpr, mem: Mem) {
        self.confine(mem.base);
        self.e.float_transfer(op, reg, mem);
    }

    pub(super) fn load_halves(&mut self, dst: Fpr, mem: Mem) {
        self.transfer_float(FloatTransfer::Lwc1, dst, mem);
        let last = self.behind(mem, 4);
        self.transfer_float(FloatTransfer::Lwc1, high(dst), last);
    }

    pub(super) fn store_halves(&mut self, src: Fpr, mem: Mem) {
        self.transfer_float(FloatTransfer::Swc1, src, mem);
        let last = self.behind(mem, 4);
        self.transfer_float(FloatTransfer::Swc1, high(src), last);
    }

    pub(super) fn single_bits(&mut self, dst: Fpr, bits: u32) {
        let src = match bits {
            0 => Gpr::ZERO,
            _ => {
                self.e.load_number(Gpr::AT, bits);
                Gpr::AT
            }
        };
        self.e.transmit(Transmit::Mtc1, src, dst);
    }

    pub(super) fn double_bits(&mut self, dst: Fpr, bits: u64) {
        self.single_bits(dst, bits as u32);
        self.single_bits(high(dst), (bits >> 32) as u32);
    }

    pub(super) fn pair_to_double(&mut self, dst: Fpr, [lo, hi]: [Gpr; 2]) {
        self.e.transmit(Transmit::Mtc1, lo, dst);
        self.e.transmit(Transmit::Mtc1, hi, high(dst));
    }

    pub(super) fn double_to_pair(&mut self, [lo, hi]: [Gpr; 2], src: Fpr) {
        self.e.transmit(Transmit::Mfc1, lo, src);
        self.e.transmit(Transmit::Mfc1, hi, high(src));
    }

    pub(super) fn high_half(&mut self, dst: Gpr, src: Fpr) {
        self.e.transmit(Transmit::Mfc1, dst, high(src));
    }

    pub(super) fn set_high_half(&mut self, dst: Fpr, hi: Gpr) {
        self.e.transmit(Transmit::Mtc1, hi, high(dst));
    }

    pub(super) fn flag_mov(&mut self, wanted: Wanted, dst: Gpr, src: Gpr) {
        let op = if wanted == Wanted::Zero { MoveIfFlag::Movf } else { MoveIfFlag::Movt };
        self.e.move_if_flag(op, dst, src, FLAG);
    }

    pub(super) fn flag_mov_float(&mut self, wanted: Wanted, width: FloatWidth, dst: Fpr, src: Fpr) {
        let op = if wanted == Wanted::Zero { FloatMoveIfFlag::Movf } else { FloatMoveIfFlag::Movt };
        self.e.float_move_if_flag(op, width, dst, src, FLAG);
    }

    pub(super) fn cond_mov_float(
        &mut self,
        wanted: Wanted,
        width: FloatWidth,
        dst: Fpr,
        src: Fpr,
        cond: Gpr,
    ) {
        let op = if wanted == Wanted::Zero { FloatMoveIf::Movz } else { FloatMoveIf::Movn };
        self.e.float_move_if(op, width, dst, src, cond);
    }
}
