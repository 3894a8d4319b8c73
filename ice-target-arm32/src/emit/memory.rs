//! Addresses of loads and stores, made to fit each instruction.

use super::Emitter;
use super::kinds::Parts;
use crate::inst::{Amode, Base, Inst};
use crate::regs;
use ice_asm::Listing;
use ice_asm::arm32::{Alu, Flags, Gpr, Mem, ModImm, Operand2, Shift, Transfer};
use ice_codegen::emission::{InstEmitter as _, NO_OBJECT, NO_SLOT};
use ice_codegen::mach::FramePointer;
use ice_regalloc::Allocation;

impl<L: Listing> Emitter<'_, L> {
    /// The register that the frame hangs off.
    pub(super) fn base(&self) -> Gpr {
        match self.frame.layout.pointer {
            FramePointer::None => Gpr::SP,
            FramePointer::Used => Gpr::new(11),
        }
    }

    /// Where a spill slot is, or the argument that an instruction loads.
    pub(super) fn slot(&mut self, place: Allocation) -> (Gpr, i32) {
        if let Some(inst) = place.as_remat()
            && let Some(Inst::Load { mem, .. } | Inst::LoadFloat { mem, .. }) =
                self.cursor.mach.insts().get(inst.as_u32() as usize)
        {
            return (self.base(), self.state.incoming.wrapping_add(mem.disp));
        }
        let offset = self.frame.layout.slot(place);
        if offset.is_none() {
            self.fault(NO_SLOT);
        }
        (self.base(), offset.unwrap_or_default())
    }

    /// Loads or stores a register at a base and any offset.
    pub(super) fn transfer_at(&mut self, op: Transfer, reg: Gpr, base: Gpr, offset: i32) {
        let (base, offset) = self.reach(base, offset, op.max_offset());
        self.confine(base);
        self.e.transfer(self.cond, op, reg, Mem::new(base, offset));
    }

    /// A base and an offset that the instruction can have and that give the address; what it cannot have goes
    /// through ip. `most` has the bits of the largest offset: those of 1020 are of multiples of 4.
    pub(super) fn reach(&mut self, base: Gpr, offset: i32, most: i32) -> (Gpr, i32) {
        if offset.unsigned_abs() & !(most as u32) == 0 {
            return (base, offset);
        }
        // The part that the instruction carries is not negative, so that the rest often has few bits.
        let near = offset & most;
        let far = offset.wrapping_sub(near);
        if let Some(imm) = ModImm::new(far as u32) {
            self.e.alu(self.cond, Alu::Add, Flags::Keep, Gpr::IP, base, imm);
            return (Gpr::IP, near);
        }
        if let Some(imm) = ModImm::new(far.wrapping_neg() as u32) {
            self.e.alu(self.cond, Alu::Sub, Flags::Keep, Gpr::IP, base, imm);
            return (Gpr::IP, near);
        }
        self.e.mov_u32(self.cond, Gpr::IP, offset as u32);
        self.e.alu(self.cond, Alu::Add, Flags::Keep, Gpr::IP, Gpr::IP, base);
        (Gpr::IP, 0)
    }

    /// `dst = base + offset`.
    pub(super) fn add_offset(&mut self, dst: Gpr, base: Gpr, offset: i32) {
        if offset == 0 {
            return self.copy_to_any(dst, base);
        }
        if let Some(imm) = ModImm::new(offset as u32) {
            return self.alu_to(self.cond, Alu::Add, dst, base, imm);
        }
        if let Some(imm) = ModImm::new(offset.wrapping_neg() as u32) {
            return self.alu_to(self.cond, Alu::Sub, dst, base, imm);
        }
        self.e.mov_u32(self.cond, Gpr::IP, offset as u32);
        self.alu_to(self.cond, Alu::Add, dst, base, Gpr::IP);
    }

    /// `reg += number`, byte by byte: without a second register.
    pub(super) fn add_by_bytes(&mut self, reg: Gpr, number: u32) {
        for shift in (0..32).step_by(8) {
            if let Some(imm) = ModImm::new(number & 0xff << shift).filter(|imm| imm.value() != 0) {
                self.e.alu(self.cond, Alu::Add, Flags::Keep, reg, reg, imm);
            }
        }
    }

    /// Base and displacement of an operand without an index, and the places behind that of its base, which is
    /// the first one.
    #[inline(always)]
    pub(super) fn near<'p>(
        &self,
        amode: &Amode,
        places: &'p [Allocation],
    ) -> Option<(Gpr, i32, &'p [Allocation])> {
        let ((base, offset), places) = match (amode.base, places) {
            _ if amode.index.is_some() => return None,
            (Base::Reg(_), [base, rest @ ..]) => ((regs::as_gpr(*base)?, 0), rest),
            (Base::Reg(_), []) => return None,
            (base, _) => (self.in_frame(base)?, places),
        };
        Some((base, offset.wrapping_add(amode.disp), places))
    }

    /// Where a part of the frame begins, unless it is an object that is not there.
    #[inline(always)]
    fn in_frame(&self, base: Base) -> Option<(Gpr, i32)> {
        Some(match base {
            Base::Object(n) => (self.base(), *self.frame.layout.objects.get(n as usize)?),
            Base::Outgoing | Base::Reg(_) => (Gpr::SP, 0),
            Base::Allocated => (Gpr::SP, self.frame.layout.outgoing),
            Base::Incoming => (self.base(), self.state.incoming),
            // r11 points at its own saved value, and there is one where this is asked for.
            Base::Saved => (Gpr::new(11), 0),
        })
    }

    /// Base, index and displacement of an operand, consuming its registers.
    pub(super) fn address(&mut self, amode: &Amode) -> Parts {
        let (base, offset) = match amode.base {
            Base::Reg(_) => (self.register(), 0),
            base => match self.in_frame(base) {
                Some(part) => part,
                None => {
                    self.fault(NO_OBJECT);
                    (Gpr::SP, 0)
                }
            },
        };
        let index = amode.index.map(|(_, shift)| (self.register(), shift));
        (base, index, offset.wrapping_add(amode.disp))
    }

    /// An operand as a base and an offset of the bits in `most`, see [`Self::reach`].
    pub(super) fn base_offset(&mut self, amode: &Amode, most: i32) -> (Gpr, i32) {
        let (base, index, disp) = self.address(amode);
        let Some((index, shift)) = index else { return self.reach(base, disp, most) };
        self.e.alu(
            self.cond,
            Alu::Add,
            Flags::Keep,
            Gpr::IP,
            base,
            Operand2::Shift(index, Shift::Lsl, shift),
        );
        if disp.unsigned_abs() & !(most as u32) == 0 {
            return (Gpr::IP, disp);
        }
        self.add_by_bytes(Gpr::IP, disp as u32);
        (Gpr::IP, 0)
    }

    /// An operand of a load or store of core registers, which comes next.
    pub(super) fn mem(&mut self, op: Transfer, amode: &Amode) -> Mem {
        if let Amode { base: Base::Reg(_), index: Some((_, shift)), disp: 0 } = *amode
            && (shift == 0 || op.has_shift())
            && !self.is_confined
        {
            let base = self.register();
            return Mem::indexed(base, self.register(), shift);
        }
        let (base, offset) = self.base_offset(amode, op.max_offset());
        self.confine(base);
        Mem::new(base, offset)
    }

    pub(super) fn lea(&mut self, dst: Gpr, (base, index, disp): Parts) {
        match index {
            None => self.add_offset(dst, base, disp),
            Some((index, shift)) => {
                let index = Operand2::Shift(index, Shift::Lsl, shift);
                self.e.alu(self.cond, Alu::Add, Flags::Keep, dst, base, index);
                self.add_offset(dst, dst, disp);
            }
        }
    }
}
