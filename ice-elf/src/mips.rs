//! The order of relocations in objects for 32-bit MIPS.
//!
//! Problem: an address is made of two halves of 16 bits, and a REL record of the high one (`R_MIPS_HI16`, or
//! `R_MIPS_GOT16` of a local symbol) has only the upper half of the addend in its field. The lower half decides whether
//! there is a carry, and the linker takes it from the field of the next `R_MIPS_LO16` of the same symbol in the table
//! (System V ABI, MIPS RISC Processor Supplement, 3rd edition, 4-18 f.).
//!
//! Method: stable sorting by target, addend, and half. So the first low half behind a high one has its target and
//! addend, wherever both are in the code and however many share them. Other records stay in front, in their order.
//! Cost: linear where there are no halves, else that of sorting them.

use crate::{Relocation, Target};
use object::elf::{R_MIPS_GOT16, R_MIPS_HI16, R_MIPS_LO16};

/// Which half of an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Half {
    High,
    Low,
}

fn half(relocation: &Relocation) -> Option<Half> {
    match relocation.r_type {
        R_MIPS_HI16 | R_MIPS_GOT16 => Some(Half::High),
        R_MIPS_LO16 => Some(Half::Low),
        _ => None,
    }
}

/// The address that a half belongs to.
fn address(relocation: &Relocation) -> (Target, i64) {
    (relocation.target, relocation.addend)
}

/// Puts each high half before a low half of the address. `None` if an `R_MIPS_HI16` has none.
pub fn pair_halves(relocations: &mut [Relocation]) -> Option<()> {
    if relocations.iter().all(|relocation| half(relocation).is_none()) {
        return Some(());
    }
    relocations.sort_unstable_by_key(|relocation| {
        (half(relocation).map(|half| (address(relocation), half)), relocation.offset)
    });
    // The low halves of an address follow its high ones.
    let mut low = None;
    let has_low = |relocation: &Relocation| {
        if half(relocation) == Some(Half::Low) {
            low = Some(address(relocation));
        }
        relocation.r_type != R_MIPS_HI16 || low == Some(address(relocation))
    };
    relocations.iter().rev().all(has_low).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AddendPlacement, SymbolId};
    use alloc::vec::Vec;
    use object::elf::R_MIPS_26;

    fn relocation(offset: u64, r_type: u32, symbol: u32, addend: i64) -> Relocation {
        let target = Target::Symbol(SymbolId::from_u32(symbol));
        Relocation { offset, r_type, target, addend, placement: AddendPlacement::CallerDone }
    }

    #[test]
    fn a_low_half_of_the_address_follows() {
        let mut all = [
            relocation(0, R_MIPS_HI16, 1, 0),
            relocation(4, R_MIPS_HI16, 1, 0x8000),
            relocation(8, R_MIPS_26, 2, 0),
            relocation(12, R_MIPS_LO16, 1, 0x8000),
            relocation(16, R_MIPS_LO16, 1, 0),
            relocation(20, R_MIPS_HI16, 1, 0),
            relocation(24, R_MIPS_GOT16, 3, 0),
        ];
        assert_eq!(pair_halves(&mut all), Some(()));
        let offsets: Vec<u64> = all.iter().map(|relocation| relocation.offset).collect();
        assert_eq!(offsets, [8, 0, 20, 16, 4, 12, 24]);
    }

    #[test]
    fn a_high_half_alone_is_no_address() {
        let mut all = [relocation(0, R_MIPS_HI16, 1, 4), relocation(4, R_MIPS_LO16, 1, 0)];
        assert_eq!(pair_halves(&mut all), None);
    }
}
