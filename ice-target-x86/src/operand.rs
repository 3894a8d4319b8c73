//! Operands of machine instructions, and what the allocator is told about each kind of them.
//!
//! The kinds are those that the rows of [`Inst`](crate::inst::Inst) name; [`emit`](crate::emit) has a method of the same
//! name for each, which takes the places that the operand got.

use crate::regs::{BYTE, GPR, RCX, XMM, YMM};
use ice_asm::SymbolId;
use ice_asm::x86::Width;
use ice_codegen::CodeSymbol;
use ice_codegen::mach::{Operand, OperandVisitor, RegClass, VReg};
use ice_regalloc::PReg;

/// The base of a memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// No base.
    None,
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
}

/// A memory operand: base + index × 2^scale + displacement + symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amode {
    /// Base.
    pub base: Base,
    /// Index register and log2 of its scale.
    pub index: Option<(VReg, u8)>,
    /// Displacement, wrapping in the address width.
    pub disp: i32,
    /// A symbol whose address is added.
    pub symbol: Option<SymbolId>,
}

impl Amode {
    /// `[base + disp]`.
    pub const fn new(base: Base, disp: i32) -> Amode {
        Amode { base, index: None, disp, symbol: None }
    }

    /// `[register]`.
    pub const fn reg(reg: VReg) -> Amode {
        Amode::new(Base::Reg(reg), 0)
    }

    /// `[symbol]`.
    pub const fn symbol(symbol: SymbolId) -> Amode {
        Amode { base: Base::None, index: None, disp: 0, symbol: Some(symbol) }
    }

    /// The operand `bytes` further on.
    pub const fn offset(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }

    /// Whether this is an address in the frame that is known once the frame is laid out.
    pub(crate) fn is_in_frame(&self) -> bool {
        matches!(self.base, Base::Object(_) | Base::Incoming) && self.index.is_none() && self.symbol.is_none()
    }

    /// Whether nothing writes this memory while the function runs: the incoming arguments, which only it
    /// may write and does not, and the constants of the function.
    pub(crate) fn is_constant(&self) -> bool {
        let symbol = self.symbol.map(CodeSymbol::unpack);
        match (self.base, symbol) {
            (Base::Incoming, None) | (Base::None, Some(CodeSymbol::Constant(_))) => self.index.is_none(),
            _ => false,
        }
    }

    /// Calls `visit` for the registers of the address.
    #[inline(always)]
    fn registers(self, mut visit: impl FnMut(VReg)) {
        if let Base::Reg(base) = self.base {
            visit(base);
        }
        if let Some((index, _)) = self.index {
            visit(index);
        }
    }
}

/// A source operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// A register or its spill slot.
    Reg(VReg),
    /// Memory.
    Mem(Amode),
    /// A sign-extended immediate.
    Imm(i32),
    /// The address of a symbol plus an addend, as an immediate.
    Symbol(SymbolId, i32),
}

/// Zero or sign extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extend {
    /// `movzx`.
    Zero,
    /// `movsx`.
    Sign,
}

/// `cmp` or `test`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// Subtract, keep the flags.
    Cmp,
    /// And, keep the flags.
    Test,
}

/// A shift amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// Constant.
    Imm(u8),
    /// In cl.
    Cl(VReg),
}

/// What a call goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A symbol.
    Symbol(SymbolId),
    /// A symbol that may be in another linked module: through the linker's table of procedures.
    Linked(SymbolId),
    /// An address in a register or slot.
    Value(VReg),
    /// An address in memory.
    Memory(Amode),
}

/// The class of an operand of this width.
#[inline(always)]
pub(crate) fn class(width: Width) -> RegClass {
    if width == Width::B8 { BYTE } else { GPR }
}

/// The class of vectors and floats of this many bytes.
#[inline(always)]
pub(crate) fn vectors(size: u8) -> RegClass {
    if size == 32 { YMM } else { XMM }
}

/// The kinds of operands that are not one register.
pub(crate) trait VisitOperands {
    /// The registers of an address.
    fn mem(&mut self, mem: Amode);

    /// The registers of a sum that is not an access.
    fn sum_of(&mut self, mem: Amode);

    /// The registers of an address that nothing written by the instruction shares.
    fn late_mem(&mut self, mem: Amode);

    /// A register, slot or memory; an immediate has no operands.
    fn rm(&mut self, src: Src, class: RegClass);

    /// A register, slot, memory or immediate, of which the last has no operands.
    fn rmi(&mut self, src: Src, class: RegClass);

    /// Both sides of a comparison, of which one at most is in memory.
    fn compared(&mut self, lhs: VReg, rhs: Src, class: RegClass);

    /// A shift amount.
    fn count(&mut self, amount: Amount);

    /// Where a call goes.
    fn callee(&mut self, callee: Callee);

    /// Where a call in place of a return goes; an address is in this register.
    fn jump_target(&mut self, callee: Callee, reg: u8);
}

impl<F: FnMut(Operand)> VisitOperands for OperandVisitor<F> {
    #[inline(always)]
    fn mem(&mut self, mem: Amode) {
        mem.registers(|reg| self.use_reg(reg, GPR));
    }

    #[inline(always)]
    fn sum_of(&mut self, mem: Amode) {
        self.mem(mem);
    }

    #[inline(always)]
    fn late_mem(&mut self, mem: Amode) {
        mem.registers(|reg| self.use_late_reg(reg, GPR));
    }

    #[inline(always)]
    fn rm(&mut self, src: Src, class: RegClass) {
        match src {
            Src::Reg(reg) => self.use_any(reg, class),
            Src::Mem(mem) => self.mem(mem),
            Src::Imm(_) | Src::Symbol(..) => {}
        }
    }

    #[inline(always)]
    fn rmi(&mut self, src: Src, class: RegClass) {
        self.rm(src, class);
    }

    #[inline(always)]
    fn compared(&mut self, lhs: VReg, rhs: Src, class: RegClass) {
        match rhs {
            Src::Imm(_) | Src::Symbol(..) => self.use_any(lhs, class),
            Src::Reg(_) | Src::Mem(_) => self.use_reg(lhs, class),
        }
        self.rm(rhs, class);
    }

    #[inline(always)]
    fn count(&mut self, amount: Amount) {
        if let Amount::Cl(count) = amount {
            self.use_fixed(count, GPR, RCX);
        }
    }

    #[inline(always)]
    fn callee(&mut self, callee: Callee) {
        match callee {
            Callee::Symbol(_) | Callee::Linked(_) => {}
            Callee::Value(callee) => self.use_any(callee, GPR),
            Callee::Memory(mem) => self.mem(mem),
        }
    }

    #[inline(always)]
    fn jump_target(&mut self, callee: Callee, reg: u8) {
        if let Callee::Value(callee) = callee {
            self.use_fixed(callee, GPR, PReg(reg));
        }
    }
}
