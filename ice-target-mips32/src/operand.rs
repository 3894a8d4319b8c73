//! Operands of machine instructions, and what the allocator is told about each kind of them.
//!
//! The kinds are those that the rows of [`Inst`](crate::inst::Inst) name; [`emit`](crate::emit) has a method of the same
//! name for each, which takes the places that the operand got.

use crate::regs::{GPR, r};
use ice_asm::SymbolId;
use ice_asm::mips32::{Cc, Cond as RealCond, Gpr};
pub use ice_codegen::mach::{Callee, Src};
use ice_codegen::mach::{Operand, OperandVisitor, VReg};

/// The base of a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register.
    Reg(VReg),
    /// A symbol at a place that the linker knows.
    Symbol(SymbolId),
    /// A register with what the linker's table has for a symbol of this object, whose low half is still to be added.
    Page(VReg, SymbolId),
    /// The start of a fixed object of the frame.
    Object(u32),
    /// The outgoing argument area: the stack pointer.
    Outgoing,
    /// What lies above the outgoing arguments: the latest dynamic allocation.
    Allocated,
    /// The incoming stack arguments, from those that have registers on.
    Incoming,
    /// Where the return address is saved.
    Saved,
}

/// A memory operand: base + displacement. Emission makes any of them fit the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amode {
    /// Base.
    pub base: Base,
    /// Displacement, wrapping.
    pub disp: i32,
}

impl Amode {
    /// `[base + disp]`.
    pub const fn new(base: Base, disp: i32) -> Amode {
        Amode { base, disp }
    }

    /// The operand `bytes` further on.
    pub const fn offset(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }

    /// Whether the address is a fixed distance from the frame.
    pub(crate) fn is_in_frame(&self) -> bool {
        matches!(self.base, Base::Object(_) | Base::Incoming)
    }

    /// Whether this is an argument on the stack: only the function may write there, and does not.
    pub(crate) fn is_argument(&self) -> bool {
        self.base == Base::Incoming && self.disp >= 0
    }
}

/// What is decided by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cond {
    /// Both words are the same.
    Eq(VReg, Src),
    /// The words differ.
    Ne(VReg, Src),
    /// Signed, at most zero.
    Lez(VReg),
    /// Signed, greater than zero.
    Gtz(VReg),
    /// Signed, less than zero.
    Ltz(VReg),
    /// Signed, at least zero.
    Gez(VReg),
    /// The last floating-point comparison holds.
    True,
    /// It does not.
    False,
}

impl Cond {
    /// The opposite.
    pub const fn invert(self) -> Cond {
        match self {
            Cond::Eq(a, b) => Cond::Ne(a, b),
            Cond::Ne(a, b) => Cond::Eq(a, b),
            Cond::Lez(a) => Cond::Gtz(a),
            Cond::Gtz(a) => Cond::Lez(a),
            Cond::Ltz(a) => Cond::Gez(a),
            Cond::Gez(a) => Cond::Ltz(a),
            Cond::True => Cond::False,
            Cond::False => Cond::True,
        }
    }

    /// The registers that it reads.
    #[inline(always)]
    pub(crate) fn registers(self) -> [Option<VReg>; 2] {
        match self {
            Cond::Eq(a, Src::Reg(b)) | Cond::Ne(a, Src::Reg(b)) => [Some(a), Some(b)],
            Cond::Eq(a, Src::Zero) | Cond::Ne(a, Src::Zero) => [Some(a), None],
            Cond::Lez(a) | Cond::Gtz(a) | Cond::Ltz(a) | Cond::Gez(a) => [Some(a), None],
            Cond::True | Cond::False => [None, None],
        }
    }

    /// The condition of the machine, with these registers for its own.
    pub(crate) fn with(self, [a, b]: [Gpr; 2]) -> RealCond {
        match self {
            Cond::Eq(..) => RealCond::Eq(a, b),
            Cond::Ne(..) => RealCond::Ne(a, b),
            Cond::Lez(_) => RealCond::Lez(a),
            Cond::Gtz(_) => RealCond::Gtz(a),
            Cond::Ltz(_) => RealCond::Ltz(a),
            Cond::Gez(_) => RealCond::Gez(a),
            Cond::True => RealCond::True(Cc::new(0)),
            Cond::False => RealCond::False(Cc::new(0)),
        }
    }
}

/// The kinds of operands that are not one register of a class that is always the same.
pub(crate) trait VisitOperands {
    /// A word that is read.
    fn src(&mut self, src: Src);

    /// A word that is read, in a register that nothing written here shares.
    fn late_src(&mut self, src: Src);

    /// The registers of a condition.
    fn cond(&mut self, cond: Cond);

    /// The registers of an address, for an instruction that makes anything of it.
    fn address(&mut self, mem: Amode);

    /// The registers of an address of a load or store.
    fn mem(&mut self, mem: Amode);

    /// The registers of an address of two accesses.
    fn parts_mem(&mut self, mem: Amode);

    /// Where a call goes.
    fn callee(&mut self, callee: Callee);
}

impl<F: FnMut(Operand)> VisitOperands for OperandVisitor<F> {
    #[inline(always)]
    fn src(&mut self, src: Src) {
        self.use_reg_if(src.register(), GPR);
    }

    #[inline(always)]
    fn late_src(&mut self, src: Src) {
        if let Some(reg) = src.register() {
            self.use_late_reg(reg, GPR);
        }
    }

    #[inline(always)]
    fn cond(&mut self, cond: Cond) {
        for reg in cond.registers() {
            self.use_reg_if(reg, GPR);
        }
    }

    #[inline(always)]
    fn address(&mut self, mem: Amode) {
        if let Base::Reg(base) | Base::Page(base, _) = mem.base {
            self.use_reg(base, GPR);
        }
    }

    #[inline(always)]
    fn mem(&mut self, mem: Amode) {
        self.address(mem);
    }

    #[inline(always)]
    fn parts_mem(&mut self, mem: Amode) {
        self.address(mem);
    }

    #[inline(always)]
    fn callee(&mut self, callee: Callee) {
        if let Callee::Value(callee) = callee {
            self.use_fixed(callee, GPR, r(25));
        }
    }
}
