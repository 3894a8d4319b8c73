//! Operands of machine instructions, and what the allocator is told about each kind of them.
//!
//! The kinds are those that the rows of [`Inst`](crate::inst::Inst) name; [`emit`](crate::emit) has a method of the same
//! name for each, which takes the places that the operand got.

use crate::regs::{GPR, x};
use ice_asm::SymbolId;
use ice_asm::aarch64::{ArithImm, Cond, Extend, LogicImm, Shift, Width};
pub use ice_codegen::mach::{Callee, Src};
use ice_codegen::mach::{Operand, OperandVisitor, VReg};

/// The base of a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register.
    Reg(VReg),
    /// A register with the page of a symbol, whose place in it is still to be added.
    Page(VReg, SymbolId),
    /// The start of a fixed object of the frame.
    Object(u32),
    /// The outgoing argument area: the stack pointer.
    Outgoing,
    /// What lies above the outgoing arguments: the latest dynamic allocation.
    Allocated,
    /// The incoming stack arguments.
    Incoming,
    /// Where the frame pointer and, behind it, the return address are saved.
    Saved,
}

/// An index register of a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Index {
    /// The register.
    pub reg: VReg,
    /// How it becomes 64 bits: `Uxtw`, `Sxtw`, or `Uxtx` where it has them.
    pub extend: Extend,
    /// Whether it counts what is accessed, not bytes.
    pub is_scaled: bool,
}

/// A memory operand: base + index + displacement. Emission makes any of them fit the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amode {
    /// Base.
    pub base: Base,
    /// Index; none beside [`Base::Page`].
    pub index: Option<Index>,
    /// Displacement.
    pub disp: i32,
}

impl Amode {
    /// Whether the address is a fixed distance from the frame.
    pub(crate) fn is_in_frame(&self) -> bool {
        matches!(self.base, Base::Object(_) | Base::Incoming) && self.index.is_none()
    }

    /// Whether this is an argument on the stack: only the function may write there, and does not.
    pub(crate) fn is_argument(&self) -> bool {
        self.base == Base::Incoming && self.disp >= 0 && self.index.is_none()
    }

    /// `[base + disp]`.
    pub const fn new(base: Base, disp: i32) -> Amode {
        Amode { base, index: None, disp }
    }

    /// The operand `bytes` further on.
    pub const fn offset(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }
}

/// A flexible second operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rhs {
    /// A number of 12 bits, perhaps shifted by 12.
    Imm(ArithImm),
    /// A number of repeated runs of ones.
    Bits(LogicImm),
    /// A register.
    Reg(VReg),
    /// A register shifted by a constant.
    Shift(VReg, Shift, u8),
    /// The low bits of a register, extended and then shifted to the left by up to 4.
    Extend(VReg, Extend, u8),
}

impl From<VReg> for Rhs {
    fn from(reg: VReg) -> Rhs {
        Rhs::Reg(reg)
    }
}

impl Rhs {
    /// Its register.
    pub(crate) const fn register(self) -> Option<VReg> {
        match self {
            Rhs::Imm(_) | Rhs::Bits(_) => None,
            Rhs::Reg(reg) | Rhs::Shift(reg, ..) | Rhs::Extend(reg, ..) => Some(reg),
        }
    }
}

/// What a branch decides by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// The flags.
    Flags(Cond),
    /// That a register of this width is zero.
    Zero(Width, VReg),
    /// That it is not.
    NonZero(Width, VReg),
    /// That a bit of a register is zero.
    BitZero(VReg, u8),
    /// That it is one.
    BitOne(VReg, u8),
}

impl Test {
    /// The opposite.
    pub const fn invert(self) -> Test {
        match self {
            Test::Flags(cond) => Test::Flags(cond.invert()),
            Test::Zero(width, reg) => Test::NonZero(width, reg),
            Test::NonZero(width, reg) => Test::Zero(width, reg),
            Test::BitZero(reg, bit) => Test::BitOne(reg, bit),
            Test::BitOne(reg, bit) => Test::BitZero(reg, bit),
        }
    }

    /// The register that it reads.
    pub(crate) const fn register(self) -> Option<VReg> {
        match self {
            Test::Flags(_) => None,
            Test::Zero(_, reg) | Test::NonZero(_, reg) | Test::BitZero(reg, _) | Test::BitOne(reg, _) => {
                Some(reg)
            }
        }
    }
}

/// The kinds of operands that are not one register of a class that is always the same.
pub(crate) trait VisitOperands {
    /// A word that is read.
    fn src(&mut self, src: Src);

    /// A word that is read, in a register that nothing written here shares.
    fn late_src(&mut self, src: Src);

    /// A flexible second operand.
    fn rhs(&mut self, rhs: Rhs);

    /// The register of a test.
    fn test(&mut self, test: Test);

    /// The registers of an address, for an instruction that computes it.
    fn address(&mut self, mem: Amode);

    /// The registers of an address of an access to 1 shifted by `size_log2` bytes.
    fn mem(&mut self, mem: Amode, size_log2: u8);

    /// Where a call goes.
    fn callee(&mut self, callee: Callee);

    /// Where a call goes when the frame is gone.
    fn last_callee(&mut self, callee: Callee);
}

/// The register of an address that is called when the frame is gone: no argument is there, and no function preserves it.
pub(crate) const LAST_CALLEE: ice_regalloc::PReg = x(15);

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
    fn rhs(&mut self, rhs: Rhs) {
        self.use_reg_if(rhs.register(), GPR);
    }

    #[inline(always)]
    fn test(&mut self, test: Test) {
        self.use_reg_if(test.register(), GPR);
    }

    #[inline(always)]
    fn address(&mut self, mem: Amode) {
        if let Base::Reg(base) | Base::Page(base, _) = mem.base {
            self.use_reg(base, GPR);
        }
        if let Some(index) = mem.index {
            self.use_reg(index.reg, GPR);
        }
    }

    #[inline(always)]
    fn mem(&mut self, mem: Amode, _: u8) {
        self.address(mem);
    }

    #[inline(always)]
    fn callee(&mut self, callee: Callee) {
        if let Callee::Value(callee) = callee {
            self.use_reg(callee, GPR);
        }
    }

    #[inline(always)]
    fn last_callee(&mut self, callee: Callee) {
        if let Callee::Value(callee) = callee {
            self.use_fixed(callee, GPR, LAST_CALLEE);
        }
    }
}
