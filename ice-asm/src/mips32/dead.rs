//! Slots of branches filled from one of the ways behind them: an instruction is executed a little earlier, and in vain on
//! the other way.
//!
//! Problem: a short block has nothing to move behind its branch. Where the branch goes back, the kind that executes its slot
//! only if it is taken takes the target's first instruction; for branches ahead, which mostly are not taken, processors
//! expect the opposite of that kind (MD00086, `BEQL`). So the slot gets an instruction that does no harm on the other way:
//! the target's first, or one behind the branch that may pass those before it.
//!
//! Method: it accesses no memory beyond the frame and the linker's table, does not trap, and writes one general register that is *dead* on the
//! other way: written before it is read on every path, as far as [`MOST_WORDS`] instructions say ("from target" and "from
//! fall-through", Hennessy and Patterson). All words are final, so that paths are followed through them. At calls what o32 lets calls
//! destroy and no argument is in is dead, at returns what no result is in.

use super::Slot;
use super::effects::{self, Effects};
use super::operand::Gpr;
use crate::reloc::RelocKind;

/// How many instructions are looked at for one slot.
const MOST_WORDS: u32 = 40;
/// How many branches are followed for one slot.
const MOST_BRANCHES: usize = 8;
/// How many instructions behind a branch are looked at for its slot.
const WINDOW: usize = 8;

const fn set(registers: &[Gpr]) -> u64 {
    let (mut all, mut i) = (0, 0);
    while i < registers.len() {
        all |= 1 << registers[i].number();
        i += 1;
    }
    all
}

/// `$t0` to `$t7` and `$t8`.
const TEMPORARIES: u64 = 0xff << Gpr::T0.number() | set(&[Gpr::AT, Gpr::T8]);
/// Dead where a function is called: no arguments are in them, and the address of the callee is not.
const DEAD_AT_CALL: u64 = TEMPORARIES | set(&[Gpr::V0, Gpr::V1]);
/// Dead where a function returns: results are in `$v0`, `$v1`, `$a0` and `$a1`.
const DEAD_AT_RETURN: u64 = TEMPORARIES | set(&[Gpr::A2, Gpr::A3, Gpr::T9]);

/// Whether the instruction, which may have a relocation, may be executed where its result is not wanted.
fn is_harmless(word: u32, effects: Effects, kind: Option<RelocKind>) -> bool {
    let traps = match word >> 26 {
        0x00 => matches!(word & 63, 0x20 | 0x22),
        primary => primary == 0x08,
    };
    let is_general = effects.writes != 0 && effects.writes >> 32 == 0;
    let is_in_frame = word >> 26 == 0x23 && word >> 21 & 31 == u32::from(Gpr::SP.number());
    let is_in_table = matches!(kind, Some(RelocKind::MipsGot16 | RelocKind::MipsCall16));
    !traps && is_general && (effects.memory == effects::Access::None || is_in_frame || is_in_table)
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
    /// The branches to labels that were passed. A way that comes to one again reads nothing but what the others do.
    passed: [u32; MOST_BRANCHES],
    branches: usize,
}

impl Walk<'_> {
    fn new(code: &[u8]) -> Walk<'_> {
        Walk { code, left: MOST_WORDS, passed: [0; MOST_BRANCHES], branches: 0 }
    }

    /// Notes a branch; `None` if there are too many, and whether it was noted before.
    fn note(&mut self, branch: u32) -> Option<bool> {
        if self.passed[..self.branches].contains(&branch) {
            return Some(true);
        }
        *self.passed.get_mut(self.branches)? = branch;
        self.branches += 1;
        Some(false)
    }

    fn next(&mut self, at: u32) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        self.code.get(at as usize..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
    }

    /// The registers of a set that are still undecided behind an instruction; `None` if it reads one, or nothing is known.
    fn pass(word: u32, registers: u64) -> Option<u64> {
        let Effects { reads, writes, .. } = effects::of_word(word)?;
        let is_read = reads & registers != 0 || keeps_some(word) && writes & registers != 0;
        (!is_read).then_some(registers & !writes)
    }

    /// Whether all the registers are dead at an offset; `None` for "not", because nothing more is known.
    fn dead(&mut self, mut at: u32, mut registers: u64) -> Option<()> {
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

    fn dead_at_branch(&mut self, at: u32, word: u32, registers: u64) -> Option<()> {
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
        if self.note(at)? {
            return Some(());
        }
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

/// The instruction at `target`, which may have a relocation, for the slot of the branch at `start`, conditional or not.
pub(super) fn slot_from_target(
    is_conditional: bool,
    code: &[u8],
    (start, target): (u32, u32),
    kind: Option<RelocKind>,
) -> Option<Slot> {
    let mut walk = Walk::new(code);
    let word = walk.next(target)?;
    let effects = effects::of_word(word).filter(|_| word != 0)?;
    if is_conditional && target < start {
        return Some(Slot::IfTaken(word));
    }
    if is_conditional {
        is_harmless(word, effects, kind).then_some(())?;
        walk.dead(start + 8, effects.writes)?;
    }
    Some(Slot::Always(word))
}

/// An instruction between `next`, right behind a conditional branch to `target`, and `end` for the slot of the branch, and
/// where it is: the first one that may pass those before it. `kind` tells relocations.
pub(super) fn slot_from_next(
    code: &[u8],
    target: u32,
    (next, end): (u32, u32),
    kind: impl Fn(u32) -> Option<RelocKind>,
) -> Option<(Slot, u32)> {
    let mut passed = Effects { reads: 0, writes: 0, memory: effects::Access::None };
    for at in (next..end).step_by(4).take(WINDOW) {
        let word = Walk::new(code).next(at)?;
        let of_word = effects::of_word(word)?;
        let may_pass = word != 0 && of_word.may_follow(passed) && is_harmless(word, of_word, kind(at));
        if may_pass && Walk::new(code).dead(target, of_word.writes).is_some() {
            return Some((Slot::Always(word), at));
        }
        passed = passed.and(of_word);
    }
    None
}
