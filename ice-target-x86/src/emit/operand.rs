//! Places, addresses and immediates as operands of the encoder.

use super::Emitter;
use crate::inst::{Amode, Base, Inst, Src};
use crate::regs;
use ice_asm::x86::{
    AddressSize, BaseDisp, FramePlace, Gpr, Imm, Mem, Mode, Rm, Scale, Target as MemTarget, Width,
};
use ice_asm::{Listing, RelocKind};
use ice_codegen::emission::{InstEmitter as _, NO_OBJECT, NO_SLOT};
use ice_codegen::mach::MachInstId;
use ice_regalloc::Allocation;

impl<L: Listing> Emitter<'_, L> {
    #[cold]
    #[inline(never)]
    fn no_slot(&mut self) -> FramePlace {
        self.fault(NO_SLOT);
        FramePlace::new(BaseDisp::new(Gpr::RSP, 0))
    }

    pub(super) fn place_rm(&mut self, place: Allocation) -> Rm<Gpr> {
        match regs::as_gpr(place) {
            Some(reg) => Rm::Reg(reg),
            None => Rm::Mem(self.slot(place)),
        }
    }

    /// A slot, or the memory that an instruction loads from, at an address that takes no registers.
    pub(super) fn slot(&mut self, place: Allocation) -> Mem {
        let Some(inst) = place.as_remat() else { return self.frame_slot(place).mem().into() };
        match self.cursor.inst(inst) {
            Some(Inst::Load { mem, .. } | Inst::LoadXmm { mem, .. }) => self.address(mem),
            _ => {
                self.fault("an operand is in memory that no instruction loads from");
                Mem::absolute(0)
            }
        }
    }

    /// A slot.
    pub(super) fn frame_slot(&mut self, place: Allocation) -> FramePlace {
        match self.place(place) {
            Some(place) => place,
            None => self.no_slot(),
        }
    }

    /// Where a slot is, or the word of the frame that an instruction loads.
    #[inline(always)]
    pub(super) fn place(&self, place: Allocation) -> Option<FramePlace> {
        match place.as_slot() {
            Some(slot) => self.frame.places.get(slot.as_u32() as usize).copied(),
            None => self.loaded_word(place.as_remat()?),
        }
    }

    #[inline(never)]
    fn loaded_word(&self, inst: MachInstId) -> Option<FramePlace> {
        match self.cursor.inst(inst)? {
            Inst::Load { width: Width::B32, mem, .. } => Some(self.near(mem, self.address_size, &[])?.0),
            _ => None,
        }
    }

    /// The register that the frame hangs off.
    pub(super) fn base(&self) -> Gpr {
        self.frame.base()
    }

    /// The memory operand if it has a base and a displacement only, which nearly all have, and the places behind
    /// that of the base; `address_size` is that of addresses in registers.
    #[inline(always)]
    pub(super) fn near<'p>(
        &self,
        amode: &Amode,
        address_size: AddressSize,
        places: &'p [Allocation],
    ) -> Option<(FramePlace, &'p [Allocation])> {
        match (amode.base, places) {
            _ if amode.index.is_some() || amode.symbol.is_some() => None,
            (Base::Reg(_), _) if self.confines_memory => None,
            (Base::Reg(_), [base, rest @ ..]) => {
                let base = regs::as_gpr(*base)?;
                let mem = BaseDisp { base, address_size, disp: amode.disp };
                Some((FramePlace::new(mem), rest))
            }
            // Where the register is known little is left to encode.
            (Base::Reg(_) | Base::None, _) => None,
            (base, _) => match self.in_frame(base, amode.disp)? {
                BaseDisp { base: Gpr::RSP, disp, .. } => {
                    Some((FramePlace::new(BaseDisp::new(Gpr::RSP, disp)), places))
                }
                mem => Some((FramePlace::new(mem), places)),
            },
        }
    }

    /// An address in the frame, unless it is of an object that is not there.
    #[inline(always)]
    fn in_frame(&self, base: Base, disp: i32) -> Option<BaseDisp> {
        let frame = self.frame;
        let (base, start) = match base {
            Base::Object(n) => (self.base(), *frame.layout.objects.get(n as usize)?),
            Base::Allocated => (Gpr::RSP, frame.layout.outgoing),
            Base::Incoming => (self.base(), self.state.incoming),
            Base::Outgoing | Base::Reg(_) | Base::None => (Gpr::RSP, 0),
        };
        Some(BaseDisp::new(base, start.wrapping_add(disp)))
    }

    /// The offset of an object of the frame.
    pub(super) fn object(&mut self, object: u32) -> i32 {
        match self.frame.layout.objects.get(object as usize) {
            Some(&offset) => offset,
            None => {
                self.fault(NO_OBJECT);
                0
            }
        }
    }

    /// The memory operand, consuming its registers. Confined code has then put its address into a register, for the next
    /// instruction alone.
    pub(super) fn address(&mut self, amode: &Amode) -> Mem {
        match self.confines_memory {
            false => self.plain_address(amode),
            true => self.confined_address(amode),
        }
    }

    /// The operand of a `lea`.
    pub(super) fn plain_address(&mut self, amode: &Amode) -> Mem {
        let Amode { base, index, disp, symbol } = *amode;
        let start = match base {
            Base::None => None,
            Base::Reg(_) => Some(BaseDisp { base: self.register(), address_size: self.address_size, disp }),
            _ => {
                let start = self.in_frame(base, disp);
                if start.is_none() {
                    self.fault(NO_OBJECT);
                }
                start
            }
        };
        let index = index.map(|(_, shift)| (self.register(), self.scale(shift)));
        let mut mem = Mem { index, ..start.map_or(Mem::absolute(disp), Mem::from) };
        // Addresses of PNaCl programs wrap at 32 bits; so does an index into a frame object.
        if start.is_none() || index.is_some() {
            mem.address_size = self.address_size;
        }
        if let Some(symbol) = symbol {
            if self.mode == Mode::Bits64 && index.is_none() && base == Base::None {
                return Mem::rip(symbol, RelocKind::PcRel32, disp);
            }
            let kind = match self.target {
                // Among the registers is the global base.
                target if target.needs_global_base() => RelocKind::GotOff32,
                target if target.has_wide_addresses() => RelocKind::Abs32S,
                _ => RelocKind::Abs32,
            };
            mem.target = MemTarget::Symbol(symbol, kind);
        }
        mem
    }

    fn scale(&mut self, shift: u8) -> Scale {
        match Scale::from_shift(shift) {
            Some(scale) => scale,
            None => {
                self.fault("an index is scaled by more than 8");
                Scale::X1
            }
        }
    }

    /// The immediate of a source.
    pub(super) fn immediate(&mut self, src: &Src) -> Imm {
        match *src {
            Src::Symbol(symbol, addend) => Imm::Symbol(symbol, RelocKind::Abs32, addend),
            Src::Imm(value) => Imm::from(value),
            Src::Reg(_) | Src::Mem(_) => {
                self.fault("a source is no immediate");
                Imm::from(0)
            }
        }
    }
}
