//! What instructions read on machines that have a register with zero in it.

use super::VReg;
use super::text::{FieldText, Reader};
use core::fmt;

/// A word that is read: in a register, or zero, which has one of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// A register.
    Reg(VReg),
    /// Zero.
    Zero,
}

impl Src {
    /// Its register.
    #[inline(always)]
    pub const fn register(self) -> Option<VReg> {
        match self {
            Src::Reg(reg) => Some(reg),
            Src::Zero => None,
        }
    }
}

impl From<VReg> for Src {
    fn from(reg: VReg) -> Src {
        Src::Reg(reg)
    }
}

impl<I> FieldText<I> for Src {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Src::Reg(reg) => write!(out, "{reg}"),
            Src::Zero => out.write_str("zero"),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Src> {
        if reader.eat("zero") {
            return Some(Src::Zero);
        }
        reader.numbered("v").map(|reg| Src::Reg(VReg::from_u32(reg)))
    }
}
