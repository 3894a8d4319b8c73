//! What operands have got: for each kind that rows of [`Inst`](crate::inst::Inst) name, what its places are to the encoder.
//!
//! Each kind consumes as many places as it has told the allocator operands
//! ([`operand`](crate::operand), [`OperandVisitor`](ice_codegen::mach::OperandVisitor)).

use super::Emitter;
use crate::inst::{Amode, Callee, Rhs, Src, Test};
use crate::operand::LAST_CALLEE;
use crate::regs;
use ice_asm::aarch64::{BranchCond, Gpr, Mem, Operand, Vreg};
use ice_asm::{Listing, SymbolId};
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
    const ANY: Gpr = Gpr::IP0;

    #[inline(always)]
    fn of(place: Allocation) -> Option<Gpr> {
        regs::as_gpr(place)
    }
}

impl Register for Vreg {
    const ANY: Vreg = Vreg::new(0);

    #[inline(always)]
    fn of(place: Allocation) -> Option<Vreg> {
        regs::as_vector(place)
    }
}

/// Where a call goes.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// To a symbol.
    Symbol(SymbolId),
    /// To the address in a register.
    Register(Gpr),
}

macro_rules! in_register {
    ($($kind:ident)*) => {$(
        #[inline(always)]
        pub(super) fn $kind<R: Register>(&mut self, _: VReg, _: RegClass) -> R {
            self.register()
        }
    )*};
}

impl<L: Listing> Emitter<'_, L> {
    in_register! { use_reg use_late_reg def_reg def_early_reg use_def_reg }

    #[inline(always)]
    pub(super) fn use_any(&mut self, _: VReg, _: RegClass) -> Allocation {
        self.next()
    }

    pub(super) fn use_def_fixed(&mut self, address: VReg, class: RegClass, reg: PReg) -> Gpr {
        self.def_fixed(address, class, reg)
    }

    pub(super) fn def_fixed(&mut self, _: VReg, _: RegClass, reg: PReg) -> Gpr {
        Gpr::of(self.next_fixed(reg)).unwrap_or(Gpr::ANY)
    }

    #[inline(always)]
    pub(super) fn use_reg_if<R: Register>(&mut self, operand: Option<VReg>, _: RegClass) -> Option<R> {
        operand.map(|_| self.register())
    }

    #[inline(always)]
    pub(super) fn src(&mut self, src: Src) -> Gpr {
        src.register().map_or(Gpr::ZERO, |_| self.gpr())
    }

    #[inline(always)]
    pub(super) fn late_src(&mut self, src: Src) -> Gpr {
        self.src(src)
    }

    #[inline(always)]
    pub(super) fn rhs(&mut self, rhs: Rhs) -> Operand {
        match rhs {
            Rhs::Imm(imm) => Operand::Imm(imm),
            Rhs::Bits(imm) => Operand::Bits(imm),
            Rhs::Reg(_) => Operand::Reg(self.gpr()),
            Rhs::Shift(_, shift, amount) => Operand::Shift(self.gpr(), shift, amount),
            Rhs::Extend(_, extend, amount) => Operand::Extend(self.gpr(), extend, amount),
        }
    }

    #[inline(always)]
    pub(super) fn test(&mut self, test: Test) -> BranchCond {
        match test {
            Test::Flags(cond) => BranchCond::Flags(cond),
            Test::Zero(width, _) => BranchCond::Zero(width, self.gpr()),
            Test::NonZero(width, _) => BranchCond::NonZero(width, self.gpr()),
            Test::BitZero(_, bit) => BranchCond::BitZero(self.gpr(), bit),
            Test::BitOne(_, bit) => BranchCond::BitOne(self.gpr(), bit),
        }
    }

    #[inline(always)]
    pub(super) fn mem(&mut self, mem: Amode, size_log2: u8) -> Mem {
        let at = self.address(mem);
        self.near(at, size_log2)
    }

    #[inline(always)]
    pub(super) fn callee(&mut self, callee: Callee) -> Target {
        match callee {
            Callee::Symbol(symbol) => Target::Symbol(symbol),
            Callee::Value(_) => Target::Register(self.gpr()),
        }
    }

    #[inline(always)]
    pub(super) fn last_callee(&mut self, callee: Callee) -> Target {
        match callee {
            Callee::Symbol(symbol) => Target::Symbol(symbol),
            Callee::Value(_) => Target::Register(Gpr::of(self.next_fixed(LAST_CALLEE)).unwrap_or(Gpr::ANY)),
        }
    }

    // ---- places

    /// The next place, a register.
    #[inline(always)]
    pub(super) fn register<R: Register>(&mut self) -> R {
        self.next_register(R::of, R::ANY)
    }

    /// The next place, a general register.
    #[inline(always)]
    pub(super) fn gpr(&mut self) -> Gpr {
        self.register()
    }
}
