//! Branches of MIPS in functions beyond 128 KiB: near and far forms, veneers, slots, executed word by word.

use crate::common::assemblers::WordAssemblers;
use crate::common::{Random, listing};
use crate::mips32::ASSEMBLERS;
use ice_asm::mips32::*;
use ice_asm::{BranchIsa as _, CodeBuffer, Listing, Place, RelocKind, SymbolId, TextListing};

/// So many words that do nothing, with room for what waits.
fn nops<L: Listing>(buffer: &mut CodeBuffer<L, Branches>, words: u32) {
    for n in 0..words {
        if n % 64 == 0 {
            buffer.room_for(256);
        }
        Encoder::new(buffer).nop();
    }
}

/// A loop over 128 KiB can just be closed by one instruction and its slot; one word more, and it is far.
#[test]
fn a_branch_of_one_word_reaches_128_kib() {
    for (words, size) in [((1 << 15) - 1, 8), (1 << 15, 40)] {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let top = buffer.new_label();
        buffer.bind(top);
        nops(&mut buffer, words);
        let start = buffer.offset();
        buffer.jump(top);
        assert_eq!(buffer.offset() - start, size);
        assert_eq!(buffer.finish(), Ok(()));
    }
}

/// In bundles what does not reach is a jump that the linker completes, with the slot on its way; nothing is computed.
#[test]
fn far_branches_in_bundles_are_for_the_linker() {
    const J: u32 = 2 << 26;
    let mut buffer = CodeBuffer::<(), Branches>::new();
    buffer.set_bundle(16);
    buffer.clear();
    buffer.set_symbol(SymbolId(9));
    let (top, end) = (buffer.new_label(), buffer.new_label());
    let cond = Cond::Lez(Gpr::A0);
    buffer.bind(top);
    let mut e = Encoder::new(&mut buffer);
    let slot = e.slot(|e| e.alu_signed(AluSigned::Addiu, Gpr::A1, Gpr::A1, 1));
    e.branch(Some(cond), end, slot);
    nops(&mut buffer, 40_000);
    let back = buffer.offset();
    let mut e = Encoder::new(&mut buffer);
    e.branch(Some(cond), top, slot);
    e.branch(None, top, slot);
    e.bind(end);
    e.jr(Gpr::RA);
    e.nop();
    assert_eq!(buffer.finish(), Ok(()));
    let word = |at: u32| u32::from_le_bytes(*buffer.bytes()[at as usize..].first_chunk().unwrap());
    let end = buffer.label_offset(end).unwrap();
    let relocs: Vec<_> = buffer.relocs().iter().map(|reloc| (reloc.offset, reloc.addend)).collect();
    // The first goes by a veneer.
    let veneer = 4 + ((word(0) as u16 as u32) << 2);
    let [back, jump] = [back, back + 44].map(|at| at.next_multiple_of(16));
    assert_eq!(relocs, [(veneer, end.into()), (back + 8, 0), (jump, 0)]);
    assert!(buffer.relocs().iter().all(|r| (r.kind, r.symbol) == (RelocKind::Mips26, SymbolId(9))));
    assert!(relocs.iter().all(|&(offset, _)| word(offset) == J));
    // bgtz over the jump; addiu in each slot.
    assert_eq!((word(back), word(back + 4)), (0x1c80_000a, 0x24a5_0001));
    assert_eq!((word(back + 12), word(jump + 4)), (0, 0x24a5_0001));
}

/// What belongs to the next instruction is in no slot, nor what is one of several that were put together.
#[test]
fn slots_in_bundles_have_single_instructions() {
    let filled = |emit: fn(&mut Encoder<'_>)| {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        buffer.set_bundle(16);
        buffer.clear();
        let top = buffer.new_label();
        buffer.bind(top);
        let mut e = Encoder::new(&mut buffer);
        emit(&mut e);
        let cond = Some(Cond::Ne(Gpr::A0, Gpr::ZERO));
        let (slot, target) = e.fill_branch(cond, top);
        e.branch(cond, target, slot);
        assert_eq!(buffer.finish(), Ok(()));
        count_slots(buffer.bytes()).filled == 1
    };
    let pair: fn(&mut Encoder<'_>) = |e| {
        e.buf.lock(2, Place::Inside);
        e.alu(Alu::And, Gpr::A1, Gpr::A1, Gpr::new(15));
        e.transfer(Transfer::Lw, Gpr::V0, Mem::new(Gpr::A1, 0));
    };
    assert!(!filled(pair));
    assert!(filled(|e| e.transfer(Transfer::Lw, Gpr::V0, Mem::new(Gpr::SP, 0))));
    assert!(!filled(|e| e.alu_signed(AluSigned::Addiu, Gpr::SP, Gpr::SP, 8)));
    assert!(!filled(|e| e.alu(Alu::And, Gpr::T9, Gpr::T9, Gpr::new(14))));
    // The first one at the target, if it is by itself.
    assert!(filled(|e| {
        e.alu(Alu::Addu, Gpr::V1, Gpr::A1, Gpr::A1);
        e.buf.lock(2, Place::Inside);
        e.alu(Alu::And, Gpr::A1, Gpr::A1, Gpr::new(15));
        e.transfer(Transfer::Lw, Gpr::V0, Mem::new(Gpr::A1, 0));
    }));
}

/// A branch ahead does not take the first of two instructions that were put together, though it does no harm.
#[test]
fn slots_in_bundles_leave_targets_whole() {
    let slot = |mask: u8| {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        buffer.set_bundle(16);
        buffer.clear();
        let ahead = buffer.new_label();
        let mut e = Encoder::new(&mut buffer);
        e.branch(Some(Cond::Lez(Gpr::A0)), ahead, Slot::default());
        e.alu(Alu::Addu, Gpr::A1, Gpr::A0, Gpr::A0);
        e.jr(Gpr::RA);
        e.nop();
        e.bind(ahead);
        e.buf.lock(2, Place::Inside);
        e.alu(Alu::And, Gpr::A1, Gpr::A1, Gpr::new(mask));
        e.transfer(Transfer::Lw, Gpr::V0, Mem::new(Gpr::A1, 0));
        e.jr(Gpr::RA);
        e.nop();
        assert_eq!(buffer.finish(), Ok(()));
        u32::from_le_bytes(*buffer.bytes()[4..].first_chunk().unwrap())
    };
    // $t7 has a mask, $t5 has none.
    assert_eq!((slot(15), slot(13)), (0, 0x00ad_2824));
}

/// The number of a mark, which is a store: `sw $zero, number($gp)`.
fn mark_of(word: u32) -> Option<u32> {
    (word >> 16 == 0xaf80).then_some(word & 0xffff)
}

/// A register whose value is decided when it is looked at.
const TESTED: u32 = 8;

/// What the code has of the machine.
struct Run<'a, F> {
    code: &'a [u8],
    holds: F,
    registers: [u32; 32],
    /// The word that the far form keeps on the stack.
    kept: u32,
    /// Conditions so far.
    decisions: usize,
    marks: Vec<u32>,
}

/// Where the return address leads.
const END: u32 = 0x8000_0000;

impl<F: Fn(bool, usize) -> bool> Run<'_, F> {
    fn word(&self, at: u32) -> u32 {
        u32::from_le_bytes(self.code[at as usize..][..4].try_into().unwrap())
    }

    /// Executes all but branches.
    fn step(&mut self, word: u32) {
        let [s, t, d] = [21, 16, 11].map(|at| (word >> at & 31) as usize);
        let imm = word as u16 as i16 as i32 as u32;
        match word >> 26 {
            _ if word == 0 => {}
            _ if mark_of(word).is_some() => self.marks.extend(mark_of(word)),
            0x09 => self.registers[t] = self.registers[s].wrapping_add(imm),
            0x0f => self.registers[t] = word << 16,
            0x2b => self.kept = self.registers[t],
            0x23 => self.registers[t] = self.kept,
            0x00 if word & 63 == 0x21 => {
                self.registers[d] = self.registers[s].wrapping_add(self.registers[t]);
            }
            _ => panic!("{word:#x}"),
        }
    }

    fn holds(&mut self, is_nonzero: bool) -> bool {
        self.decisions += 1;
        (self.holds)(is_nonzero, self.decisions)
    }

    /// Where control goes from a branch, and whether by its slot.
    fn branch(&mut self, at: u32, word: u32) -> Option<(u32, bool)> {
        let [s, t] = [21, 16].map(|at| word >> at & 31);
        let target = at.wrapping_add(4).wrapping_add((word as u16 as i16 as i32 as u32) << 2);
        let taken = match word >> 26 {
            4 if s == t => true,
            4 | 5 | 0x14 | 0x15 => {
                assert_eq!([s, t], [TESTED, 0]);
                self.holds(word >> 26 & 1 != 0)
            }
            1 => {
                assert_eq!((s, t), (0, 17), "bal");
                self.registers[31] = at + 8;
                true
            }
            0 if word & 63 == 8 => return Some((self.registers[s as usize], true)),
            _ => return None,
        };
        let is_likely = word >> 30 & 1 != 0;
        Some((if taken { target } else { at + 8 }, taken || !is_likely))
    }

    fn run(mut self) -> Vec<u32> {
        self.registers[31] = END;
        let mut at = 0;
        while at != END && self.marks.len() < 40 {
            let word = self.word(at);
            at = match self.branch(at, word) {
                Some((next, by_slot)) => {
                    if by_slot {
                        let slot = self.word(at + 4);
                        self.step(slot);
                    }
                    next
                }
                None => {
                    self.step(word);
                    at + 4
                }
            };
        }
        assert_eq!(self.registers[29], 0, "the stack pointer is what it was");
        self.marks.truncate(40);
        self.marks
    }
}

/// One block: words that do nothing, a condition and where control goes if it holds, and where else; marks in the
/// slots, or what fills them.
struct Block {
    size: u32,
    cond: Cond,
    targets: [usize; 2],
    slots: [Option<u16>; 2],
}

impl Block {
    fn random(random: &mut Random, count: usize, number: u16) -> Block {
        let tested = Gpr::new(TESTED as u8);
        let cond =
            if random.below(2) == 0 { Cond::Ne(tested, Gpr::ZERO) } else { Cond::Eq(tested, Gpr::ZERO) };
        let target = |random: &mut Random| random.below(count as u32 + 1) as usize;
        let most = [40, 40_000][random.below(2) as usize];
        let slot = |random: &mut Random, mark| (random.below(2) == 0).then_some(mark);
        Block {
            size: random.below(most),
            cond,
            targets: [target(random), target(random)],
            slots: [slot(random, 1000 + number), slot(random, 2000 + number)],
        }
    }
}

fn emit(blocks: &[Block], filled: &mut [u32; 2]) -> CodeBuffer<(), Branches> {
    let mut buffer = CodeBuffer::<(), Branches>::new();
    let labels: Vec<_> = (0..=blocks.len()).map(|_| buffer.new_label()).collect();
    let mark = |e: &mut Encoder<'_>, mark: u16| {
        e.transfer(Transfer::Sw, Gpr::ZERO, Mem::new(Gpr::GP, mark.into()));
    };
    for (i, block) in blocks.iter().enumerate() {
        buffer.bind(labels[i]);
        buffer.room_for(64);
        mark(&mut Encoder::new(&mut buffer), i as u16);
        nops(&mut buffer, block.size);
        buffer.room_for(128);
        let mut e = Encoder::new(&mut buffer);
        for (cond, (target, slot)) in
            [Some(block.cond), None].into_iter().zip(block.targets.iter().zip(block.slots))
        {
            let label = labels[*target];
            let (slot, label) = match slot {
                Some(number) => (e.slot(|e| mark(e, number)), label),
                None => e.fill_branch(cond, label),
            };
            filled[usize::from(matches!(slot, Slot::IfTaken(_)))] += u32::from(slot != Slot::default());
            e.branch(cond, label, slot);
        }
    }
    buffer.bind(labels[blocks.len()]);
    Encoder::new(&mut buffer).jr(Gpr::RA);
    Encoder::new(&mut buffer).nop();
    assert_eq!(buffer.finish(), Ok(()));
    buffer
}

/// The marks that the blocks ask for.
fn trace(blocks: &[Block], holds: impl Fn(bool, usize) -> bool) -> Vec<u32> {
    let (mut want, mut at, mut decisions) = (vec![], 0, 0);
    while want.len() < 40 && at < blocks.len() {
        let Block { cond, targets, slots, .. } = &blocks[at];
        want.push(at as u32);
        decisions += 1;
        let taken = holds(matches!(cond, Cond::Ne(..)), decisions);
        want.extend(slots[0].map(u32::from));
        if !taken {
            want.extend(slots[1].map(u32::from));
        }
        at = targets[usize::from(!taken)];
    }
    want.truncate(40);
    want
}

#[test]
fn large_functions_execute_as_their_graph() {
    let mut random = Random::new(23);
    let (mut far, mut largest, mut filled) = (0, 0, [0; 2]);
    for round in 0..60 {
        let count = 3 + random.below(14) as usize;
        let blocks: Vec<_> = (0..count).map(|i| Block::random(&mut random, count, i as u16)).collect();
        let buffer = emit(&blocks, &mut filled);
        far += buffer.bytes().chunks_exact(4).filter(|word| **word == [8, 0, 0x20, 0]).count();
        largest = largest.max(buffer.bytes().len());
        for seed in 0..4 {
            let holds = |is_nonzero: bool, decisions: usize| {
                (Random::new((decisions as u64 + 1) * (2 * seed + 1)).below(2) != 0) == is_nonzero
            };
            let run =
                Run { code: buffer.bytes(), holds, registers: [0; 32], kept: 0, decisions: 0, marks: vec![] };
            assert_eq!(run.run(), trace(&blocks, holds), "round {round}");
        }
    }
    assert!(far > 100 && largest > 1 << 19, "{far} far branches, {largest} bytes");
    assert!(filled.iter().all(|&count| count > 50), "{filled:?}");
}

/// Assemblers make far branches of their text.
#[test]
fn far_branches_are_listed() {
    let mut buffer = CodeBuffer::<TextListing, Branches>::new();
    let (top, out) = (buffer.new_label(), buffer.new_label());
    buffer.bind(top);
    nops(&mut buffer, 1 << 15);
    let mut e = Encoder::new(&mut buffer);
    let slot = e.slot(|e| e.alu(Alu::Xor, Gpr::V0, Gpr::A0, Gpr::A1));
    e.branch(Some(Cond::Lez(Gpr::A0)), top, slot);
    e.branch(Some(Cond::False(Cc::new(0))), out, Slot::default());
    e.branch(None, top, slot);
    nops(&mut buffer, 1);
    buffer.bind(out);
    nops(&mut buffer, 3);
    while !buffer.offset().is_multiple_of(16) {
        nops(&mut buffer, 1);
    }
    assert_eq!(Branches::size(None, ice_asm::Form(1)), 40);
    buffer.finish().unwrap();
    let text = listing(&buffer);
    assert!(
        text.contains("\tbgtz $a0, .+44\n\txor $v0, $a0, $a1\n\taddiu $sp, $sp, -8\n"),
        "{}",
        &text[text.len() - 900..]
    );
    WordAssemblers::check(&ASSEMBLERS, "far", &buffer);
}
