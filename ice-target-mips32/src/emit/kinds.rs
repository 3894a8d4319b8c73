//! What operands have got: for each kind that rows of [`Inst`](crate::inst::Inst) name, what its places are to the encoder.
//!
//! Each kind consumes as many places as it has told the allocator operands
//! ([`operand`](crate::operand), [`OperandVisitor`](ice_codegen::mach::OperandVisitor)).

use super::Emitter;
use crate::inst::{Amode, Callee, Cond, Src};
use crate::regs::{self, DOUBLE};
use ice_asm::Listing;
use ice_asm::mips32::{Cond as RealCond, Fpr, Gpr, Mem};
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::mach::{RegClass, VReg};
use ice_regalloc::{Allocation, PReg};

/// A kind of register that the encoder knows.
pub(super) trait Register: Copy {
    /// What emission goes on with after a fault.
    const ANY: Self;

    /// The register of a class that a place is.
    fn of(place: Allocation, class: RegClass) -> Option<Self>;
}

impl Register for Gpr {
    const ANY: Gpr = Gpr::AT;

    #[inline(always)]
    fn of(place: Allocation, _: RegClass) -> Option<Gpr> {
        regs::as_gpr(place)
    }
}

impl Register for Fpr {
    const ANY: Fpr = Fpr::new(0);

    #[inline(always)]
    fn of(place: Allocation, class: RegClass) -> Option<Fpr> {
        if class == DOUBLE { regs::as_double(place) } else { regs::as_single(place) }
    }
}

macro_rules! in_register {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind<R: Register>(&mut self, _: VReg, class: RegClass) -> R {
            self.register(class)
        }
    )*};
}

impl<L: Listing> Emitter<'_, L> {
    in_register! { use_reg use_late_reg def_reg def_early_reg use_def_reg }

    pub(super) fn def_fixed(&mut self, _: VReg, class: RegClass, reg: PReg) -> Gpr {
        Gpr::of(self.next_fixed(reg), class).unwrap_or(Gpr::ANY)
    }

    #[inline(always)]
    pub(super) fn use_reg_if<R: Register>(&mut self, operand: Option<VReg>, class: RegClass) -> Option<R> {
        operand.map(|_| self.register(class))
    }

    #[inline(always)]
    pub(super) fn use_any(&mut self, _: VReg, _: RegClass) -> Allocation {
        self.next()
    }

    #[inline(always)]
    pub(super) fn src(&mut self, src: Src) -> Gpr {
        match src {
            Src::Reg(_) => self.gpr(),
            Src::Zero => Gpr::ZERO,
        }
    }

    #[inline(always)]
    pub(super) fn late_src(&mut self, src: Src) -> Gpr {
        self.src(src)
    }

    #[inline(always)]
    pub(super) fn cond(&mut self, cond: Cond) -> RealCond {
        let regs = cond.registers().map(|reg| if reg.is_some() { self.gpr() } else { Gpr::ZERO });
        cond.with(regs)
    }

    #[inline(always)]
    pub(super) fn mem(&mut self, mem: Amode) -> Mem {
        let at = self.address(mem);
        self.near(at)
    }

    /// What takes two accesses reaches both.
    #[inline(always)]
    pub(super) fn parts_mem(&mut self, mem: Amode) -> Mem {
        let at = self.address(mem);
        self.near_for(at, 4)
    }

    #[inline(always)]
    pub(super) fn callee(&mut self, callee: Callee) -> Option<ice_asm::SymbolId> {
        match callee {
            Callee::Symbol(symbol) => Some(symbol),
            Callee::Value(_) => {
                self.next_fixed(regs::r(25));
                None
            }
        }
    }

    // ---- places

    /// The next place, a register.
    #[inline(always)]
    pub(super) fn register<R: Register>(&mut self, class: RegClass) -> R {
        self.next_register(|place| R::of(place, class), R::ANY)
    }

    /// The next place, a general register.
    #[inline(always)]
    pub(super) fn gpr(&mut self) -> Gpr {
        self.next_register(regs::as_gpr, Gpr::ANY)
    }
}
