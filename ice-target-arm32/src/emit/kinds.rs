//! What operands have got: for each kind that rows of [`Inst`](crate::inst::Inst) name, what its places are to the encoder.
//!
//! Each kind consumes as many places as it has told the allocator operands
//! ([`operand`](crate::operand), [`OperandVisitor`](ice_codegen::mach::OperandVisitor)).

use super::Emitter;
use super::float::Reg;
use crate::inst::{Amode, Callee, FloatSize, Src};
use crate::regs;
use ice_asm::Listing;
use ice_asm::arm32::{Dreg, Gpr, Mem, Operand2, Qreg, Sreg, Transfer};
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::mach::{RegClass, VReg};
use ice_regalloc::{Allocation, PReg};

/// A kind of register that the encoder knows.
pub(super) trait Register: Copy {
    /// What emission goes on with after a fault.
    const ANY: Self;

    /// The register that a place is.
    fn of(place: Allocation) -> Option<Self>;
}

macro_rules! registers {
    ($($reg:ty, $any:expr, $of:path;)*) => {$(
        impl Register for $reg {
            const ANY: $reg = $any;

            #[inline(always)]
            fn of(place: Allocation) -> Option<$reg> {
                $of(place)
            }
        }
    )*};
}

registers! {
    Gpr, Gpr::IP, regs::as_gpr;
    Sreg, Sreg::new(0), regs::as_single;
    Dreg, Dreg::new(0), regs::as_double;
    Qreg, Qreg::new(0), regs::as_quad;
}

/// A core register that is compared with zero, or may be.
#[derive(Clone, Copy)]
pub(super) struct Tested {
    pub(super) reg: Gpr,
    pub(super) vreg: VReg,
}

/// Base, index with its shift to the left, and displacement of an address.
pub(super) type Parts = (Gpr, Option<(Gpr, u8)>, i32);

macro_rules! in_register {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind<R: Register>(&mut self, _: VReg, _: RegClass) -> R {
            self.register()
        }
    )*};
}

macro_rules! of_size {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind(&mut self, _: VReg, size: FloatSize) -> Reg {
            self.extension(size)
        }
    )*};
}

macro_rules! tested {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind(&mut self, vreg: VReg) -> Tested {
            Tested { reg: self.register(), vreg }
        }
    )*};
}

macro_rules! pair_in_its_registers {
    ($($kind:ident)*) => {$(
        pub(super) fn $kind(&mut self, _: [VReg; 2], _: RegClass, regs: [PReg; 2]) -> [Gpr; 2] {
            regs.map(|reg| Gpr::of(self.next_fixed(reg)).unwrap_or(Gpr::ANY))
        }
    )*};
}

impl<L: Listing> Emitter<'_, L> {
    in_register! { use_reg use_late_reg def_reg def_early_reg use_def_reg }
    of_size! { use_float def_float use_def_float }
    tested! { use_tested def_tested }
    pair_in_its_registers! { use_late_fixed_pair def_fixed_pair def_early_fixed_pair }

    #[inline(always)]
    pub(super) fn use_reg_if<R: Register>(&mut self, operand: Option<VReg>, _: RegClass) -> Option<R> {
        operand.map(|_| self.register())
    }

    pub(super) fn use_late_pair(&mut self, _: [VReg; 2], _: RegClass) -> [Gpr; 2] {
        [self.register(), self.register()]
    }

    #[inline(always)]
    pub(super) fn use_any(&mut self, _: VReg, _: RegClass) -> Allocation {
        self.next()
    }

    #[inline(always)]
    pub(super) fn use_any_float(&mut self, _: VReg, _: FloatSize) -> Allocation {
        self.next()
    }

    pub(super) fn use_float_if(&mut self, operand: Option<VReg>, size: FloatSize) -> Option<Reg> {
        operand.map(|_| self.extension(size))
    }

    pub(super) fn src(&mut self, src: Src) -> Operand2 {
        match src {
            Src::Imm(imm) => Operand2::Imm(imm),
            Src::Reg(_) => Operand2::Reg(self.register()),
            Src::Shift(_, shift, amount) => Operand2::Shift(self.register(), shift, amount),
            Src::ShiftReg(_, shift, _) => {
                let value = self.register();
                Operand2::ShiftReg(value, shift, self.register())
            }
        }
    }

    #[inline(always)]
    pub(super) fn parts(&mut self, mem: Amode) -> Parts {
        self.address(&mem)
    }

    #[inline(always)]
    pub(super) fn transfer(&mut self, mem: Amode, op: Transfer) -> Mem {
        self.mem(op, &mem)
    }

    /// Base and offset; a quadword is at a register alone.
    #[inline(always)]
    pub(super) fn float_mem(&mut self, mem: Amode, size: FloatSize) -> (Gpr, i32) {
        self.base_offset(&mem, if size == FloatSize::Quad { 0 } else { super::float::NEAR })
    }

    /// Its encoding takes the place.
    #[inline(always)]
    pub(super) fn callee(&mut self, callee: Callee) -> Callee {
        callee
    }

    // ---- places

    /// The next place, a register.
    #[inline(always)]
    pub(super) fn register<R: Register>(&mut self) -> R {
        self.next_register(R::of, R::ANY)
    }
}
