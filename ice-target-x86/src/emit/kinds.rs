//! What operands have got: for each kind that rows of [`Inst`](crate::inst::Inst) name, what its places are to the encoder.
//!
//! Each kind consumes as many places as it has told the allocator operands
//! ([`operand`](crate::operand), [`OperandVisitor`](ice_codegen::mach::OperandVisitor)).

use super::Emitter;
use crate::inst::{Amode, Amount, Callee, Src};
use crate::regs;
use ice_asm::Listing;
use ice_asm::x86::{Gpr, Imm, Mem, Rm, Xmm};
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

impl Register for Gpr {
    const ANY: Gpr = Gpr::RAX;

    #[inline(always)]
    fn of(place: Allocation) -> Option<Gpr> {
        regs::as_gpr(place)
    }
}

impl Register for Xmm {
    const ANY: Xmm = Xmm::new(0);

    #[inline(always)]
    fn of(place: Allocation) -> Option<Xmm> {
        regs::as_vector(place)
    }
}

/// A source that may be an immediate.
pub(super) enum Source {
    /// Of a row of kind `rmi`.
    Rm(Rm<Gpr>),
    Imm(Imm),
}

macro_rules! in_register {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind<R: Register>(&mut self, _: VReg, _: RegClass) -> R {
            self.register()
        }
    )*};
}

macro_rules! in_its_register {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind(&mut self, _: VReg, _: RegClass, reg: PReg) {
            self.next_fixed(reg);
        }
    )*};
}

macro_rules! pair_in_its_registers {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind(&mut self, _: [VReg; 2], _: RegClass, [first, second]: [PReg; 2]) {
            self.next_fixed(first);
            self.next_fixed(second);
        }
    )*};
}

impl<L: Listing> Emitter<'_, L> {
    in_register! { use_reg use_late_reg def_reg def_early_reg use_def_reg }
    in_its_register! { use_fixed def_fixed def_early_fixed use_def_fixed }
    pair_in_its_registers! { use_fixed_pair def_fixed_pair def_early_fixed_pair }

    #[inline(always)]
    pub(super) fn use_reg_if<R: Register>(&mut self, operand: Option<VReg>, _: RegClass) -> Option<R> {
        operand.map(|_| self.register())
    }

    #[inline(always)]
    pub(super) fn use_any<R: Register>(&mut self, _: VReg, _: RegClass) -> Rm<R> {
        self.register_or_slot()
    }

    #[inline(always)]
    pub(super) fn mem(&mut self, amode: Amode) -> Mem {
        self.address(&amode)
    }

    #[inline(always)]
    pub(super) fn sum_of(&mut self, amode: Amode) -> Mem {
        self.plain_address(&amode)
    }

    #[inline(always)]
    pub(super) fn late_mem(&mut self, amode: Amode) -> Mem {
        self.address(&amode)
    }

    #[inline(always)]
    pub(super) fn rm<R: Register>(&mut self, src: Src, _: RegClass) -> Rm<R> {
        match &src {
            Src::Mem(mem) => Rm::Mem(self.address(mem)),
            _ => self.register_or_slot(),
        }
    }

    #[inline(always)]
    pub(super) fn rmi(&mut self, src: Src, class: RegClass) -> Source {
        match src {
            Src::Imm(_) | Src::Symbol(..) => Source::Imm(self.immediate(&src)),
            _ => Source::Rm(self.rm(src, class)),
        }
    }

    /// Its encoding takes the places.
    #[inline(always)]
    pub(super) fn compared(&mut self, _: VReg, _: Src, _: RegClass) {}

    #[inline(always)]
    pub(super) fn count(&mut self, amount: Amount) -> Amount {
        if let Amount::Cl(_) = amount {
            self.next_fixed(regs::RCX);
        }
        amount
    }

    /// Its encoding takes the place.
    #[inline(always)]
    pub(super) fn callee(&mut self, callee: Callee) -> Callee {
        callee
    }

    #[inline(always)]
    pub(super) fn jump_target(&mut self, callee: Callee, reg: u8) -> Callee {
        if let Callee::Value(_) = callee {
            self.next_fixed(PReg(reg));
        }
        callee
    }

    // ---- places

    /// The next place, a register.
    #[inline(always)]
    pub(super) fn register<R: Register>(&mut self) -> R {
        self.next_register(R::of, R::ANY)
    }

    /// The next place, a register or slot.
    pub(super) fn register_or_slot<R: Register>(&mut self) -> Rm<R> {
        let place = self.next();
        match R::of(place) {
            Some(reg) => Rm::Reg(reg),
            None => Rm::Mem(self.slot(place)),
        }
    }
}
