//! Slots filled from above: the instruction behind a branch is executed before control goes there, so one from before it
//! takes the place of one that does nothing.
//!
//! Method: a look back over the last instructions of the straight-line code at the end of the buffer, from the branch on,
//! with what those on the way read and write added up. The first one that may come behind all of them and behind the
//! branch moves (Hennessy and Patterson, scheduling the branch delay slot "from before"). It must have nothing to do with
//! what the branch looks at or, in a call, the return address; loads do not pass stores, nor stores loads. No word is
//! held back on MIPS32: a load, a product and a comparison may be used by the next instruction.
//!
//! Where there is none, and the target is behind, its first instruction is repeated in the slot and the branch goes to the
//! second one ("from target"). A conditional branch is then of the kind that executes the slot only if it is taken, so
//! nothing need be known of the other way: loops gain one instruction a round. When all is written, branches whose
//! slots are still open are looked at again (`dead.rs`).
//!
//! Where instructions form groups ([`CodeBuffer::has_groups`]), in bundles and with noise, what is before the end stays where it
//! is: the last instruction alone may move, if it is in no group. A jump by a register or to a symbol, or a call, is a
//! group with its slot, so that what goes there is taken first ([`Encoder::take_last`]).
//!
//! Invariant: all that moves is behind the last label, branch, jump and call, so that control comes to it and the branch
//! alike. An instruction with a relocation moves behind calls and jumps only, which stay where they are; branches to
//! labels may be cut, moved and inverted. Cost: at most [`WINDOW`] words a branch.

use super::effects::{self, Effects};
use super::operand::Cond;
use super::{Branches, Encoder, Slot};
use crate::buffer::{BranchIsa as _, CodeBuffer, Form, Label, OpenSlots};
use crate::listing::Listing;
use crate::reloc::Reloc;
use core::ops::AddAssign;

/// How far back to look, in instructions, where slots are filled well.
const WINDOW: usize = 12;
/// How far back where they are filled fast: in code whose values go through memory, of 400 that may move 399 are next to
/// the branch.
const SHORT_WINDOW: usize = 2;

/// How much nearer a target must be than a branch reaches: what may come before the branch is padding.
const NEARER: u32 = 256;

/// Which instructions may move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relocated {
    Stay,
    Move,
}

/// Where the last instruction before `end` is that may come behind the branch there.
fn find<L: Listing>(
    buf: &CodeBuffer<L, Branches>,
    end: u32,
    branch: Effects,
    relocated: Relocated,
) -> Option<u32> {
    let start = buf.straight_line_start();
    let words = buf.bytes().get(start as usize..end as usize)?.as_chunks().0;
    let window = if buf.open_slots() == OpenSlots::Fill { WINDOW } else { SHORT_WINDOW };
    let mut passed = branch;
    let mut at = end;
    for (n, &word) in words.iter().enumerate().rev().take(window) {
        let is_jump = |before: &[u8; 4]| effects::of_jump(u32::from_le_bytes(*before)).is_some();
        if n > 0 && is_jump(&words[n - 1]) {
            return None;
        }
        let word = u32::from_le_bytes(word);
        let of_word = effects::of_word(word)?;
        at -= 4;
        let may_move = word != 0 && of_word.may_follow(passed);
        if may_move && (relocated == Relocated::Move || !buf.has_reloc_at(at)) {
            return Some(at);
        }
        passed = passed.and(of_word);
    }
    None
}

/// What goes into the slot of a jump or call: an instruction that was taken off the end of the code, or one that does
/// nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    word: u32,
    reloc: Option<Reloc>,
}

impl<L: Listing> Encoder<'_, L> {
    /// Takes the last instruction off the code if it may come behind what comes next: that reads and writes general
    /// registers with these numbers, as bits, floating-point registers with twice these numbers and those behind them,
    /// and no memory that the instruction knows.
    pub fn take_last(&mut self, words: u32, doubles: u16) -> Taken {
        let busy = u64::from(words & !1) | u64::from(doubles) << 32;
        let passed = Effects { reads: busy, writes: busy, memory: effects::Access::None };
        self.take_alone(passed, Relocated::Move).unwrap_or_default()
    }

    fn take_alone(&mut self, passed: Effects, relocated: Relocated) -> Option<Taken> {
        let start = self.buf.last_alone()?;
        let word = self.word_at(start).filter(|&word| word != 0)?;
        let may_move = !effects::begins_group(word) && effects::of_word(word)?.may_follow(passed);
        let reloc = self.buf.reloc_of(start);
        if !may_move || relocated == Relocated::Stay && reloc.is_some() {
            return None;
        }
        self.buf.take_back(start);
        Some(Taken { word, reloc })
    }

    /// Appends what was taken.
    pub fn put(&mut self, Taken { word, reloc }: Taken) {
        match reloc {
            Some(Reloc { kind, symbol, addend, .. }) => {
                self.inst_with_reloc(word, kind, symbol, addend as i32)
            }
            None => self.inst(word),
        }
    }

    /// Fills the slot of the jump or call that was appended last. Where instructions form groups this is not for you.
    pub fn fill_slot(&mut self) {
        let end = self.buf.offset();
        let jump = self.word_at(end.wrapping_sub(4)).and_then(effects::of_jump);
        let found = jump.and_then(|jump| find(self.buf, end - 4, jump, Relocated::Move));
        match found {
            Some(at) => self.buf.move_to_end(at),
            None => self.nop(),
        }
    }

    /// What a branch to a label, which comes next, has in its slot, and where it goes: an instruction from before it is
    /// taken out of the code, or the first one at the target is repeated and the branch goes behind it.
    pub fn fill_branch(&mut self, cond: Option<Cond>, target: Label) -> (Slot, Label) {
        if self.buf.has_groups() {
            if let Some(Taken { word, .. }) = self.take_alone(effects::of_branch(cond), Relocated::Stay) {
                return (Slot::Always(word), target);
            }
            return self.fill_from_first(cond, target);
        }
        let end = self.buf.offset();
        let found = find(self.buf, end, effects::of_branch(cond), Relocated::Stay);
        if let Some(at) = found
            && let Some(word) = self.word_at(at)
        {
            self.buf.move_to_end(at);
            self.buf.take_back(end - 4);
            return (Slot::Always(word), target);
        }
        self.fill_from_first(cond, target)
    }

    /// The first instruction at a target that is passed, and the label behind it.
    fn fill_from_first(&mut self, cond: Option<Cond>, target: Label) -> (Slot, Label) {
        match self.first_at(target) {
            Some((word, behind)) => {
                let slot = if cond.is_some() { Slot::IfTaken(word) } else { Slot::Always(word) };
                (slot, self.buf.label_behind(behind))
            }
            None => (Slot::default(), target),
        }
    }

    /// The first instruction at a label that is passed and near, if it may be in a slot, and where the next one is.
    fn first_at(&self, label: Label) -> Option<(u32, u32)> {
        let at = self.buf.label_offset(label)?;
        let behind = at + 4;
        let is_near = self.buf.offset() - at < Branches::span(Form(0)).back - NEARER;
        let may_move = behind < self.buf.offset() && is_near && !self.buf.has_reloc_at(at);
        // A branch that is not written yet looks like nothing.
        let is_apart = |word| !self.buf.has_groups() || !effects::begins_group(word);
        let word = self.word_at(at).filter(|&word| may_move && word != 0 && is_apart(word))?;
        effects::of_word(word).map(|_| (word, behind))
    }

    fn word_at(&self, at: u32) -> Option<u32> {
        let bytes = self.buf.bytes().get(at as usize..)?;
        bytes.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
    }
}

/// How many slots code has, and in how many is an instruction that does something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCount {
    /// Behind each branch, jump and call.
    pub all: u64,
    /// Those that are filled.
    pub filled: u64,
}

impl AddAssign for SlotCount {
    fn add_assign(&mut self, other: SlotCount) {
        self.all += other.all;
        self.filled += other.filled;
    }
}

/// Counts the slots of finished code.
#[must_use]
pub fn count_slots(code: &[u8]) -> SlotCount {
    let mut count = SlotCount::default();
    let mut words = code.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
    while let Some(word) = words.next() {
        if effects::has_slot(word) {
            count.all += 1;
            count.filled += u64::from(words.next().is_some_and(|slot| slot != 0));
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::{Alu, AluSigned, Gpr, Imm, Jump, Mem, Transfer};
    use super::*;
    use crate::reloc::SymbolId;
    use crate::{Location, TextListing};
    use alloc::string::String;

    type Buffer = CodeBuffer<TextListing, Branches>;

    fn text(buffer: &mut Buffer) -> String {
        buffer.finish().unwrap();
        let mut text = String::new();
        buffer.write_listing(&mut text, |symbol, out| write!(out, "f{}", symbol.0)).unwrap();
        text.replace('\t', "").replace('\n', "; ")
    }

    fn add(e: &mut Encoder<'_, TextListing>, d: Gpr, s: Gpr) {
        e.alu(Alu::Addu, d, s, s);
    }

    #[test]
    fn a_return_takes_what_it_does_not_look_at() {
        let mut buffer = Buffer::new();
        let mut e = Encoder::new(&mut buffer);
        e.transfer(Transfer::Lw, Gpr::RA, Mem::new(Gpr::SP, 4));
        e.alu_signed(AluSigned::Addiu, Gpr::SP, Gpr::SP, 8);
        e.jr(Gpr::RA);
        e.fill_slot();
        e.transfer(Transfer::Lw, Gpr::RA, Mem::new(Gpr::SP, 4));
        e.jr(Gpr::RA);
        e.fill_slot();
        let expected = "lw $ra, 4($sp); jr $ra; addiu $sp, $sp, 8; lw $ra, 4($sp); jr $ra; nop; ";
        assert_eq!(text(&mut buffer), expected);
        assert_eq!(count_slots(buffer.bytes()), SlotCount { all: 2, filled: 1 });
    }

    /// The relocation and the location go along; what is passed stays in its order.
    #[test]
    fn a_call_takes_an_argument_with_its_relocation() {
        let mut buffer = Buffer::new();
        buffer.set_location(Some(Location(1)));
        let mut e = Encoder::new(&mut buffer);
        let symbol = SymbolId(3);
        e.lui(Gpr::A0, Imm::high(symbol, 0));
        e.alu_signed(AluSigned::Addiu, Gpr::A0, Gpr::A0, Imm::low(symbol, 0));
        e.transfer(Transfer::Sw, Gpr::RA, Mem::new(Gpr::SP, 4));
        e.buf.set_location(Some(Location(2)));
        e.jump_symbol(Jump::Jal, SymbolId(5));
        e.fill_slot();
        let expected = "lui $a0, %hi(f3); sw $ra, 4($sp); jal f5; addiu $a0, $a0, %lo(f3); ";
        assert_eq!(text(&mut buffer), expected);
        let offsets: alloc::vec::Vec<_> = buffer.relocs().iter().map(|r| (r.offset, r.symbol.0)).collect();
        assert_eq!(offsets, [(0, 3), (8, 5), (12, 3)]);
        let locations = [(0, Some(Location(1))), (8, Some(Location(2))), (16, None)];
        assert_eq!(buffer.locations(), locations);
    }

    #[test]
    fn a_branch_looks_over_its_condition() {
        let mut buffer = Buffer::new();
        let label = buffer.new_label();
        let mut e = Encoder::new(&mut buffer);
        let bind = |e: &mut Encoder<'_, TextListing>| e.bind(label);
        add(&mut e, Gpr::V0, Gpr::A0);
        add(&mut e, Gpr::V1, Gpr::A1);
        e.alu(Alu::Slt, Gpr::AT, Gpr::V1, Gpr::A0);
        let cond = Some(Cond::Ne(Gpr::AT, Gpr::ZERO));
        let (slot, target) = e.fill_branch(cond, label);
        e.branch(cond, target, slot);
        // Nothing before a branch comes behind the next one.
        assert_eq!(e.fill_branch(None, label), (Slot::default(), label));
        add(&mut e, Gpr::V1, Gpr::A2);
        bind(&mut e);
        // Nor does what is before a label.
        e.jr(Gpr::RA);
        e.fill_slot();
        let expected = "addu $v1, $a1, $a1; slt $at, $v1, $a0; bne $at, $zero, .L0; addu $v0, $a0, $a0; \
                        addu $v1, $a2, $a2; .L0:; jr $ra; nop; ";
        assert_eq!(text(&mut buffer), expected);
    }

    #[test]
    fn what_is_in_a_slot_stays_there() {
        let mut buffer = Buffer::new();
        let mut e = Encoder::new(&mut buffer);
        e.jump_symbol(Jump::Jal, SymbolId(5));
        add(&mut e, Gpr::A0, Gpr::A1);
        e.jr(Gpr::RA);
        e.fill_slot();
        assert_eq!(text(&mut buffer), "jal f5; addu $a0, $a1, $a1; jr $ra; nop; ");
    }

    /// Also where the label before the call has moved back, because a branch over a branch became one.
    #[test]
    fn what_is_in_the_slot_of_a_call_behind_a_label_that_moved_stays_there() {
        let mut buffer = Buffer::new();
        let (next, out) = (buffer.new_label(), buffer.new_label());
        let mut e = Encoder::new(&mut buffer);
        let cond = Cond::Lez(Gpr::A0);
        e.branch(Some(cond), next, Slot::default());
        e.branch(None, out, Slot::default());
        e.bind(next);
        e.transfer(Transfer::Lw, Gpr::T9, Mem::new(Gpr::A1, 0));
        e.jalr(Gpr::RA, Gpr::T9);
        e.alu(Alu::Or, Gpr::GP, Gpr::A1, Gpr::ZERO);
        assert_eq!(e.fill_branch(None, out), (Slot::default(), out));
        e.bind(out);
        let expected = "bgtz $a0, .L1; nop; .L0:; lw $t9, 0($a1); jalr $ra, $t9; or $gp, $a1, $zero; .L1:; ";
        assert_eq!(text(&mut buffer), expected);
    }

    #[test]
    fn relocations_stay_before_branches_to_labels() {
        let mut buffer = Buffer::new();
        let label = buffer.new_label();
        let mut e = Encoder::new(&mut buffer);
        e.bind(label);
        e.lui(Gpr::A0, Imm::high(SymbolId(3), 0));
        let (slot, target) = e.fill_branch(None, label);
        e.branch(None, target, slot);
        let expected = ".L0:; lui $a0, %hi(f3); .L1:; b .L1; lui $a0, %hi(f3); ";
        assert_eq!(text(&mut buffer), expected, "it is repeated, but does not move");
    }

    /// A loop whose end has nothing for the slot repeats its first instruction there.
    #[test]
    fn a_branch_back_takes_from_its_target() {
        let mut buffer = Buffer::new();
        let top = buffer.new_label();
        let mut e = Encoder::new(&mut buffer);
        e.bind(top);
        e.transfer(Transfer::Lw, Gpr::V0, Mem::new(Gpr::A0, 0));
        add(&mut e, Gpr::A0, Gpr::V0);
        let cond = Some(Cond::Ne(Gpr::A0, Gpr::ZERO));
        let (slot, target) = e.fill_branch(cond, top);
        e.branch(cond, target, slot);
        let (slot, target) = e.fill_branch(None, top);
        e.branch(None, target, slot);
        let expected = ".L0:; lw $v0, 0($a0); .L1:; .L2:; addu $a0, $v0, $v0; bnel $a0, $zero, .L1; \
                        lw $v0, 0($a0); b .L2; lw $v0, 0($a0); ";
        assert_eq!(text(&mut buffer), expected);
        assert_eq!(count_slots(buffer.bytes()), SlotCount { all: 2, filled: 2 });
    }

    /// A branch ahead to `first` and what follows there; the other way is what `other` appends.
    fn ahead(other: impl FnOnce(&mut Encoder<'_, TextListing>)) -> String {
        let mut buffer = Buffer::new();
        let label = buffer.new_label();
        let mut e = Encoder::new(&mut buffer);
        let cond = Some(Cond::Lez(Gpr::A0));
        let (slot, target) = e.fill_branch(cond, label);
        e.branch(cond, target, slot);
        other(&mut e);
        e.bind(label);
        add(&mut e, Gpr::V1, Gpr::A1);
        add(&mut e, Gpr::V0, Gpr::V1);
        e.jr(Gpr::RA);
        e.fill_slot();
        text(&mut buffer).split_inclusive(';').take(2).collect()
    }

    /// The first instruction of a target ahead is executed in vain where its register is written before it is read.
    #[test]
    fn a_branch_ahead_takes_what_does_no_harm() {
        let (filled, empty) = ("blez $a0, .L1; addu $v1, $a1, $a1;", "blez $a0, .L0; nop;");
        assert_eq!(ahead(|e| add(e, Gpr::V1, Gpr::A0)), filled);
        assert_eq!(ahead(|e| add(e, Gpr::A0, Gpr::V1)), empty, "it is read");
        let moves = |e: &mut Encoder<'_, TextListing>| e.alu(Alu::Movz, Gpr::V1, Gpr::A0, Gpr::A0);
        assert_eq!(ahead(moves), empty, "it may stay as it is");
        let calls = |e: &mut Encoder<'_, TextListing>| {
            e.jump_symbol(Jump::Jal, SymbolId(1));
            e.nop();
        };
        assert_eq!(ahead(calls), filled, "calls destroy it");
        let returns = |e: &mut Encoder<'_, TextListing>| {
            e.jr(Gpr::RA);
            e.nop();
        };
        assert_eq!(ahead(returns), empty, "it may be a result");
        let barrier = |e: &mut Encoder<'_, TextListing>| e.sync();
        assert_eq!(ahead(barrier), empty, "nothing is known of it");
    }

    /// What is behind a branch moves into its slot if it may pass what is before it, is dead at the target, and control
    /// comes there from the branch alone.
    #[test]
    fn a_branch_takes_what_is_behind_it() {
        let behind = |pinned: bool, first: fn(&mut Encoder<'_, TextListing>)| {
            let mut buffer = Buffer::new();
            let (out, next) = (buffer.new_label(), buffer.new_label());
            let mut e = Encoder::new(&mut buffer);
            let (slot, target) = e.fill_branch(Some(Cond::Lez(Gpr::A0)), out);
            e.branch(Some(Cond::Lez(Gpr::A0)), target, slot);
            e.bind(next);
            e.buf.set_location(Some(Location(1)));
            first(&mut e);
            e.buf.set_location(Some(Location(2)));
            e.lui(Gpr::V1, Imm::high(SymbolId(7), 0));
            e.buf.set_location(Some(Location(3)));
            e.transfer(Transfer::Sw, Gpr::V1, Mem::new(Gpr::A1, 0));
            e.bind(out);
            e.transfer(Transfer::Lw, Gpr::V1, Mem::new(Gpr::A1, 4));
            e.jr(Gpr::RA);
            e.nop();
            if pinned {
                buffer.pin(next);
            }
            let text = text(&mut buffer);
            (text, buffer.relocs().iter().map(|reloc| reloc.offset).collect(), buffer.locations().to_vec())
        };
        let store: fn(&mut Encoder<'_, TextListing>) =
            |e| e.transfer(Transfer::Sw, Gpr::A0, Mem::new(Gpr::A1, 0));
        let (code, relocs, locations): (_, alloc::vec::Vec<u32>, _) = behind(false, store);
        let expected = "blez $a0, .L0; lui $v1, %hi(f7); .L1:; sw $a0, 0($a1); sw $v1, 0($a1); .L0:; \
                        lw $v1, 4($a1); jr $ra; nop; ";
        assert_eq!((code.as_str(), &relocs[..]), (expected, &[4][..]));
        assert_eq!(locations, [(8, Some(Location(1))), (12, Some(Location(3))), (28, None)]);
        let stays = |code: &str| assert!(code.starts_with("blez $a0, .L0; nop; .L1:; "), "{code}");
        let (code, _, _) = behind(true, store);
        stays(&code);
        let (code, _, _) = behind(false, |e| e.transfer(Transfer::Sw, Gpr::V1, Mem::new(Gpr::A1, 8)));
        stays(&code);
    }

    /// The linker is asked for the half of an address once more; where the branch goes back, whether or not it does harm.
    #[test]
    fn a_relocation_is_repeated_in_the_slot() {
        let mut buffer = Buffer::new();
        let (top, out) = (buffer.new_label(), buffer.new_label());
        let mut e = Encoder::new(&mut buffer);
        let branch = |e: &mut Encoder<'_, TextListing>, cond, label| {
            let (slot, target) = e.fill_branch(Some(cond), label);
            e.branch(Some(cond), target, slot);
        };
        e.bind(top);
        e.alu_signed(AluSigned::Addiu, Gpr::A0, Gpr::A0, Imm::low(SymbolId(3), 4));
        branch(&mut e, Cond::Lez(Gpr::A0), out);
        branch(&mut e, Cond::Gtz(Gpr::A0), top);
        e.lui(Gpr::V1, Imm::high(SymbolId(7), 0));
        e.bind(out);
        e.lui(Gpr::V1, Imm::high(SymbolId(5), 8));
        e.transfer(Transfer::Lw, Gpr::V0, Mem::new(Gpr::V1, 0));
        e.jr(Gpr::RA);
        e.nop();
        let expected = ".L0:; addiu $a0, $a0, %lo(f3+4); .L3:; blez $a0, .L2; lui $v1, %hi(f5+8); \
                        bgtzl $a0, .L3; addiu $a0, $a0, %lo(f3+4); lui $v1, %hi(f7); .L1:; \
                        lui $v1, %hi(f5+8); .L2:; lw $v0, 0($v1); jr $ra; nop; ";
        assert_eq!(text(&mut buffer), expected);
        let offsets: alloc::vec::Vec<_> = buffer.relocs().iter().map(|r| (r.offset, r.symbol.0)).collect();
        assert_eq!(offsets, [(0, 3), (8, 5), (16, 3), (20, 7), (24, 5)]);
    }
}
