//! Operands of machine instructions, and what the allocator is told about each kind of them.
//!
//! The kinds are those that the rows of [`Inst`](crate::inst::Inst) name; [`emit`](crate::emit) has a method of the same
//! name for each, which takes the places that the operand got.

use crate::regs::{DOUBLE, GPR, QUAD, SINGLE};
use ice_asm::arm32::{
    ModImm, Neon2, NeonConvert, NeonFloat, NeonFloat2, NeonInt, NeonLogic, NeonShift, Shift, Transfer,
};
pub use ice_codegen::mach::Callee;
use ice_codegen::mach::{Operand, OperandVisitor, RegClass, VReg};

/// The base of a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register.
    Reg(VReg),
    /// The start of a fixed object of the frame.
    Object(u32),
    /// The outgoing argument area: the stack pointer.
    Outgoing,
    /// What lies above the outgoing arguments: the latest dynamic allocation.
    Allocated,
    /// The incoming stack arguments.
    Incoming,
    /// The saved frame pointer.
    Saved,
}

/// A memory operand: base + index × 2^shift + displacement. Emission makes any of them fit the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amode {
    /// Base.
    pub base: Base,
    /// Index register and its shift to the left.
    pub index: Option<(VReg, u8)>,
    /// Displacement, wrapping.
    pub disp: i32,
}

impl Amode {
    /// `[base + disp]`.
    pub const fn new(base: Base, disp: i32) -> Amode {
        Amode { base, index: None, disp }
    }

    /// The operand `bytes` further on.
    pub const fn offset(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }

    /// Whether the address is a fixed distance from the frame.
    pub(crate) fn is_in_frame(&self) -> bool {
        matches!(self.base, Base::Object(_) | Base::Incoming) && self.index.is_none()
    }

    /// Whether this is a register alone: an access that may step it.
    pub(crate) fn is_register(&self) -> bool {
        matches!(self.base, Base::Reg(_)) && self.disp == 0 && self.index.is_none()
    }

    /// Whether this is an argument on the stack: only the function may write there, and does not.
    pub(crate) fn is_argument(&self) -> bool {
        self.base == Base::Incoming && self.disp >= 0 && self.index.is_none()
    }
}

/// A flexible second operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// A rotated immediate.
    Imm(ModImm),
    /// A register.
    Reg(VReg),
    /// A register shifted by a constant.
    Shift(VReg, Shift, u8),
    /// A register shifted by the low byte of another.
    ShiftReg(VReg, Shift, VReg),
}

/// The size of a value in extension registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatSize {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
    /// 128 bits.
    Quad,
}

impl FloatSize {
    /// The class of its registers.
    pub const fn class(self) -> RegClass {
        match self {
            FloatSize::Single => SINGLE,
            FloatSize::Double => DOUBLE,
            FloatSize::Quad => QUAD,
        }
    }
}

/// An operation on two vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neon3 {
    /// Integer lanes.
    Int(NeonInt),
    /// Shifts by the lanes of the second vector.
    Shift(NeonShift),
    /// Bits.
    Logic(NeonLogic),
    /// Single-precision lanes.
    Float(NeonFloat),
}

/// An operation on one vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NeonUnary {
    /// Integer lanes.
    Int(Neon2),
    /// Bits, or single-precision lanes.
    Float(NeonFloat2),
    /// Between integers and single precision.
    Convert(NeonConvert),
}

/// The kinds of operands that are not one register of a class that is always the same.
pub(crate) trait VisitOperands {
    /// A flexible second operand.
    fn src(&mut self, src: Src);

    /// The registers of an address, for an instruction that can compute it.
    fn parts(&mut self, mem: Amode);

    /// The registers of an address of a transfer of core registers.
    fn transfer(&mut self, mem: Amode, op: Transfer);

    /// The registers of an address of a transfer of an extension register.
    fn float_mem(&mut self, mem: Amode, size: FloatSize);

    /// A core register that is read, and may have been compared with zero.
    fn use_tested(&mut self, reg: VReg);

    /// A core register that is written, and may be compared with zero.
    fn def_tested(&mut self, reg: VReg);

    /// An extension register of this size, or its slot, that is read.
    fn use_any_float(&mut self, reg: VReg, size: FloatSize);

    /// An extension register of this size that is read.
    fn use_float(&mut self, reg: VReg, size: FloatSize);

    /// An extension register of this size that is read, if there is one.
    fn use_float_if(&mut self, reg: Option<VReg>, size: FloatSize);

    /// An extension register of this size that is written.
    fn def_float(&mut self, reg: VReg, size: FloatSize);

    /// An extension register of this size that is read and written.
    fn use_def_float(&mut self, reg: VReg, size: FloatSize);

    /// Where a call goes.
    fn callee(&mut self, callee: Callee);
}

impl<F: FnMut(Operand)> VisitOperands for OperandVisitor<F> {
    #[inline(always)]
    fn src(&mut self, src: Src) {
        match src {
            Src::Imm(_) => {}
            Src::Reg(reg) | Src::Shift(reg, ..) => self.use_reg(reg, GPR),
            Src::ShiftReg(reg, _, amount) => {
                self.use_reg(reg, GPR);
                self.use_reg(amount, GPR);
            }
        }
    }

    #[inline(always)]
    fn parts(&mut self, mem: Amode) {
        if let Base::Reg(base) = mem.base {
            self.use_reg(base, GPR);
        }
        if let Some((index, _)) = mem.index {
            self.use_reg(index, GPR);
        }
    }

    #[inline(always)]
    fn transfer(&mut self, mem: Amode, _: Transfer) {
        self.parts(mem);
    }

    #[inline(always)]
    fn float_mem(&mut self, mem: Amode, _: FloatSize) {
        self.parts(mem);
    }

    #[inline(always)]
    fn use_tested(&mut self, reg: VReg) {
        self.use_reg(reg, GPR);
    }

    #[inline(always)]
    fn def_tested(&mut self, reg: VReg) {
        self.def_reg(reg, GPR);
    }

    #[inline(always)]
    fn use_any_float(&mut self, reg: VReg, size: FloatSize) {
        self.use_any(reg, size.class());
    }

    #[inline(always)]
    fn use_float(&mut self, reg: VReg, size: FloatSize) {
        self.use_reg(reg, size.class());
    }

    #[inline(always)]
    fn use_float_if(&mut self, reg: Option<VReg>, size: FloatSize) {
        self.use_reg_if(reg, size.class());
    }

    #[inline(always)]
    fn def_float(&mut self, reg: VReg, size: FloatSize) {
        self.def_reg(reg, size.class());
    }

    #[inline(always)]
    fn use_def_float(&mut self, reg: VReg, size: FloatSize) {
        self.use_def_reg(reg, size.class());
    }

    #[inline(always)]
    fn callee(&mut self, callee: Callee) {
        if let Callee::Value(callee) = callee {
            self.use_any(callee, GPR);
        }
    }
}
