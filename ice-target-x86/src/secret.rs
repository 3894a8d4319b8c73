//! Numbers that a program chooses do not stand in its code as they are, where that is wanted: who chooses them would choose
//! instructions, to be reached by a jump into their middle.
//!
//! *Method.* Constant blinding and pooling (Athanasakis et al., "The Devil is in the Constants", 2015), with the threshold
//! of Subzero. Every number of an operand that is farther from zero than half a window comes into a register first: as a
//! sum that a number of the function hides ([`Inst::Hidden`]), or from memory. Displacements are added in the same way.
//!
//! *Contract.* [`hide`] writes a lowered function anew; nothing that it puts before an instruction writes flags. Only offsets
//! in the frame, of parts of objects, and amounts of shifts stay, and numbers below the threshold.

use crate::inst::{Amode, Base, Inst, Src};
use crate::regs::GPR;
use ice_asm::ConstantSize;
use ice_asm::x86::Width;
use ice_codegen::diversity::{Hiding, Secrets};
use ice_codegen::mach::{MachFunction, Sink, VReg};
use ice_codegen::{CodeSymbol, Internal};

/// Numbers up to here are left as they are: half of Subzero's 0xffff.
const OPEN: u64 = 0x8000;

/// Whether a number may stand in the code.
pub(crate) const fn is_open(number: i64) -> bool {
    number.unsigned_abs() <= OPEN
}

/// Writes `from` anew into `to`, with its numbers hidden.
///
/// # Errors
/// Those of [`MachFunction::rewrite`].
pub(crate) fn hide(
    secrets: Secrets,
    can_pool: bool,
    from: &mut MachFunction<Inst>,
    to: &mut MachFunction<Inst>,
) -> Result<(), alloc::boxed::Box<Internal>> {
    to.rewrite(from, |inst, to| Hider { secrets, can_pool, to }.inst(inst))
}

struct Hider<'a> {
    secrets: Secrets,
    /// Whether constants in memory are reached without a register.
    can_pool: bool,
    to: &'a mut MachFunction<Inst>,
}

impl Hider<'_> {
    /// The instruction in place of `inst`; what it needs is pushed.
    fn inst(&mut self, inst: Inst) -> Inst {
        let inst = self.with_open_address(inst);
        match inst {
            Inst::MovImm { width, dst, imm } if !is_open(imm) => self.constant(width, dst, imm),
            Inst::StoreImm { width, imm, mem } if !is_open(imm.into()) => {
                Inst::Store { width, src: self.number(width, imm), mem }
            }
            Inst::Compare { op, width, lhs, rhs } => {
                Inst::Compare { op, width, lhs, rhs: self.source(width, rhs) }
            }
            Inst::CompareMem { op, width, mem, imm } if !is_open(imm.into()) => {
                let lhs = self.register(width);
                self.to.push(Inst::Load { width, dst: lhs, mem });
                Inst::Compare { op, width, lhs, rhs: Src::Reg(self.number(width, imm)) }
            }
            Inst::Alu { op, width, dst, src } => Inst::Alu { op, width, dst, src: self.source(width, src) },
            Inst::AluMemImm { op, width, imm, mem } if !is_open(imm.into()) => {
                Inst::AluMem { op, width, src: self.number(width, imm), mem }
            }
            Inst::LockAluImm { op, width, imm, mem } if !is_open(imm.into()) => {
                Inst::LockAlu { op, width, src: self.number(width, imm), mem }
            }
            // The factor that is replaced by the product must not be replaced by the number before.
            Inst::ImulImm { width, dst, src: Src::Reg(factor), imm }
                if factor == dst && !is_open(imm.into()) =>
            {
                Inst::Imul { width, dst, src: Src::Reg(self.number(width, imm)) }
            }
            Inst::ImulImm { width, dst, src, imm } if !is_open(imm.into()) => {
                let number = self.constant(width, dst, imm.into());
                self.to.push(number);
                Inst::Imul { width, dst, src }
            }
            _ => inst,
        }
    }

    fn register(&mut self, width: Width) -> VReg {
        self.to.new_vreg(GPR, if width == Width::B64 { 8 } else { 4 })
    }

    /// A register with a number.
    fn number(&mut self, width: Width, imm: i32) -> VReg {
        let dst = self.register(width);
        let inst = self.constant(width, dst, imm.into());
        self.to.push(inst);
        dst
    }

    fn source(&mut self, width: Width, src: Src) -> Src {
        match src {
            Src::Imm(imm) if !is_open(imm.into()) => Src::Reg(self.number(width, imm)),
            src => src,
        }
    }

    /// What makes a number.
    fn constant(&mut self, width: Width, dst: VReg, imm: i64) -> Inst {
        let width = if width == Width::B64 { width } else { Width::B32 };
        let hiding = self.secrets.hiding(imm);
        if hiding == Hiding::Blind || !self.can_pool {
            return Inst::Hidden { width, dst, addend: None, imm };
        }
        let (size, bits) = match width {
            Width::B64 => (ConstantSize::C8, imm as u64),
            _ => (ConstantSize::C4, u64::from(imm as u32)),
        };
        let id = self.to.tables().constants.intern(size, bits.into());
        Inst::Load { width, dst, mem: Amode::symbol(CodeSymbol::Constant(id).pack()) }
    }

    /// The same instruction with an address whose displacement may stand in the code.
    fn with_open_address(&mut self, mut inst: Inst) -> Inst {
        let Some(mem) = inst.address_mut() else { return inst };
        let disp = mem.disp;
        let addend = match mem.base {
            _ if is_open(disp.into()) => return inst,
            Base::Reg(base) => Some(base),
            Base::None => None,
            _ => return inst,
        };
        let width = match inst {
            Inst::Lea { width, .. } => width,
            _ if self.secrets.address_width() == 8 => Width::B64,
            _ => Width::B32,
        };
        let base = self.register(width);
        self.to.push(Inst::Hidden { width, dst: base, addend, imm: disp.into() });
        if let Some(mem) = inst.address_mut() {
            *mem = Amode { base: Base::Reg(base), disp: 0, ..*mem };
        }
        inst
    }
}

impl Inst {
    /// The operand in memory, or the sum that is one, if there is one.
    fn address_mut(&mut self) -> Option<&mut Amode> {
        use Inst::*;
        match self {
            Load { mem, .. } | Store { mem, .. } | StoreImm { mem, .. } | LoadPair { mem, .. } => Some(mem),
            StorePair { mem, .. } | StoreSymbol { mem, .. } | Lea { mem, .. } => Some(mem),
            CompareMem { mem, .. } | AluMem { mem, .. } | AluMemImm { mem, .. } => Some(mem),
            UnaryMem { mem, .. } | ShiftMem { mem, .. } | LoadXmm { mem, .. } => Some(mem),
            StoreXmm { mem, .. } | FpuMem { mem, .. } | LockXadd { mem, .. } => Some(mem),
            Xchg { mem, .. } | LockAlu { mem, .. } | LockAluImm { mem, .. } => Some(mem),
            LockCmpxchg { mem, .. } | LockCmpxchg8b { mem, .. } => Some(mem),
            RmwLoop { mem, .. } | RmwLoop8b { mem, .. } => Some(mem),
            Extend { src: Src::Mem(mem), .. } | Compare { rhs: Src::Mem(mem), .. } => Some(mem),
            Alu { src: Src::Mem(mem), .. } | Imul { src: Src::Mem(mem), .. } => Some(mem),
            ImulImm { src: Src::Mem(mem), .. } | Sse { src: Src::Mem(mem), .. } => Some(mem),
            SseImm { src: Src::Mem(mem), .. } | SseUnary { src: Src::Mem(mem), .. } => Some(mem),
            SseUnaryImm { src: Src::Mem(mem), .. } | CompareXmm { rhs: Src::Mem(mem), .. } => Some(mem),
            GprToXmm { src: Src::Mem(mem), .. } => Some(mem),
            _ => None,
        }
    }
}

/// What two instructions make a hidden number of: the first sets a register to a number, the second adds one and, in 64
/// bits, nine times the register, so that no bits of the first are those of the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Blinded {
    /// What the register is set to, or what is added to the addend.
    pub(crate) first: i64,
    /// What is added then.
    pub(crate) second: i32,
    /// Whether the register counts nine times.
    pub(crate) is_scaled: bool,
}

/// The inverse of 9 modulo 2^64.
const NINTH: u64 = 0x8e38_e38e_38e3_8e39;

/// Hides a number by that of a function.
pub(crate) fn blind(width: Width, has_addend: bool, imm: i64, cookie: u32) -> Blinded {
    match (width, has_addend) {
        (Width::B64, false) => {
            let first = (imm as u64).wrapping_sub(cookie as i32 as u64).wrapping_mul(NINTH) as i64;
            Blinded { first, second: cookie as i32, is_scaled: true }
        }
        (Width::B64, true) => {
            // Of the same sign: the difference of two displacements is one.
            let half = (cookie >> 1) as i32;
            let second = if imm < 0 { -half } else { half };
            Blinded { first: imm - i64::from(second), second, is_scaled: false }
        }
        _ => {
            let first = (imm as i32).wrapping_sub(cookie as i32);
            Blinded { first: first.into(), second: cookie as i32, is_scaled: false }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_make_the_number() {
        for imm in [0x12345, -0x12345, i64::MAX, i64::MIN, 0x7fff_ffff, -0x8000_0000, 0x1122_3344_5566_7788] {
            for cookie in [0, 1, 0x8000_0000, u32::MAX, 0x1357_9bdf] {
                let Blinded { first, second, is_scaled } = blind(Width::B64, false, imm, cookie);
                assert!(is_scaled);
                assert_eq!(first.wrapping_mul(9).wrapping_add(second.into()), imm);
                let Blinded { first, second, .. } = blind(Width::B32, false, imm, cookie);
                assert_eq!((first as i32).wrapping_add(second), imm as i32);
                if let Ok(disp) = i32::try_from(imm) {
                    let Blinded { first, second, is_scaled } = blind(Width::B64, true, imm, cookie);
                    assert!(!is_scaled && i32::try_from(first).is_ok());
                    assert_eq!(first + i64::from(second), i64::from(disp));
                }
            }
        }
    }

    #[test]
    fn small_numbers_are_open() {
        assert!(is_open(0) && is_open(0x8000) && is_open(-0x8000));
        assert!(!is_open(0x8001) && !is_open(-0x8001) && !is_open(i64::MIN));
    }
}
