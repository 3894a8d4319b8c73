//! Slots of branches ahead, filled from the target: its first instruction is executed a little earlier, and in vain where
//! the branch is not taken.
//!
//! Problem: a short block has nothing to move behind its branch. Where the branch goes back, the kind that executes its slot
//! only if it is taken takes the target's first instruction; for branches ahead, which mostly are not taken, processors
//! expect the opposite of that kind (MD00086, `BEQL`). So the slot gets an instruction that does no harm on the other way.
//!
//! Method: it neither accesses memory beyond the frame nor traps, and writes one general register that is *dead* on the
//! other way: written before it is read on every path, as far as [`MOST_WORDS`] instructions say ("from target",
//! Hennessy and Patterson). All words are final, so that paths are followed through them. At calls what o32 lets calls
//! destroy and no argument is in is dead, at returns what no result is in.

use super::Slot;
use super::effects::{self, Effects};
use super::operand::Gpr;

/// How many instructions are looked at for one slot.
const MOST_WORDS: u32 = 20;

const fn set(registers: &[Gpr]) -> u128 {
    let (mut all, mut i) = (0, 0);
    while i < registers.len() {
        all |= 1 << registers[i].number();
        i += 1;
    }
    all
}

/// `$t0` to `$t7` and `$t8`.
const TEMPORARIES: u128 = 0xff << Gpr::T0.number() | set(&[Gpr::AT, Gpr::T8]);
/// Dead where a function is called: no arguments are in them, and the address of the callee is not.
const DEAD_AT_CALL: u128 = TEMPORARIES | set(&[Gpr::V0, Gpr::V1]);
/// Dead where a function returns: results are in `$v0`, `$v1`, `$a0` and `$a1`.
const DEAD_AT_RETURN: u128 = TEMPORARIES | set(&[Gpr::A2, Gpr::A3, Gpr::T9]);

/// Whether the instruction may be executed where its result is not wanted.
fn is_harmless(word: u32, effects: Effects) -> bool {
    let traps = match word >> 26 {
        0x00 => matches!(word & 63, 0x20 | 0x22),
        primary => primary == 0x08,
    };
    let is_general = effects.writes != 0 && effects.writes >> 32 == 0;
    let is_in_frame = word >> 26 == 0x23 && word >> 21 & 31 == u32::from(Gpr::SP.number());
    !traps && is_general && (effects.memory == effects::Access::None || is_in_frame)
}

/// Whether the instruction leaves a part of the general register that it writes, or the whole of it, as it was.
fn keeps_some(word: u32) -> bool {
    match word >> 26 {
        0x00 => matches!(word & 63, 0x01 | 0x0a | 0x0b),
        0x1f => word & 63 == 0x04,
        primary => matches!(primary, 0x22 | 0x26),
    }
}

/// What the walk over the code may still do.
struct Walk<'a> {
    code: &'a [u8],
    left: u32,
}

impl Walk<'_> {
    fn next(&mut self, at: u32) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        self.code.get(at as usize..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
    }

    /// The registers of a set that are still undecided behind an instruction; `None` if it reads one, or nothing is known.
    fn pass(word: u32, registers: u128) -> Option<u128> {
        let Effects { reads, writes, .. } = effects::of_word(word)?;
        let is_read = reads & registers != 0 || keeps_some(word) && writes & registers != 0;
        (!is_read).then_some(registers & !writes)
    }

    /// Whether all the registers are dead at an offset; `None` for "not", because nothing more is known.
    fn dead(&mut self, mut at: u32, mut registers: u128) -> Option<()> {
        while registers != 0 {
            let word = self.next(at)?;
            if effects::has_slot(word) {
                return self.dead_at_branch(at, word, registers);
            }
            registers = Self::pass(word, registers)?;
            at += 4;
        }
        Some(())
    }

    fn dead_at_branch(&mut self, at: u32, word: u32, registers: u128) -> Option<()> {
        let slot = self.next(at + 4)?;
        if let Some(jump) = effects::of_jump(word) {
            if jump.reads & registers != 0 {
                return None;
            }
            let left = Self::pass(slot, registers)?;
            let is_return = word >> 26 == 0 && word & 63 == 8 && word >> 21 & 31 == Gpr::RA.number().into();
            let dead = match jump.writes {
                0 if is_return => DEAD_AT_RETURN,
                0 => 0,
                _ => DEAD_AT_CALL,
            };
            return (left & !dead == 0).then_some(());
        }
        let branch = effects::of_branch_word(word)?;
        if branch.reads & registers != 0 {
            return None;
        }
        let left = Self::pass(slot, registers)?;
        let behind = if branch.is_likely { registers } else { left };
        let target = at.wrapping_add(4).wrapping_add_signed(i32::from(word as u16 as i16) << 2);
        self.dead(target, left)?;
        if branch.is_always { Some(()) } else { self.dead(at + 8, behind) }
    }
}

/// The instruction at `target` for the slot of the branch at `start`, conditional or not.
pub(super) fn slot_from_target(is_conditional: bool, code: &[u8], start: u32, target: u32) -> Option<Slot> {
    let mut walk = Walk { code, left: MOST_WORDS };
    let word = walk.next(target)?;
    let effects = effects::of_word(word).filter(|_| word != 0)?;
    if is_conditional {
        is_harmless(word, effects).then_some(())?;
        walk.dead(start + 8, effects.writes)?;
    }
    Some(Slot::Always(word))
}
