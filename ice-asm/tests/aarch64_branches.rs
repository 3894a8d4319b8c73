//! Branches of AArch64 in functions of many megabytes: three forms, and veneers.

use crate::aarch64::ASSEMBLERS;
use crate::common::{Random, listing};
use ice_asm::aarch64::*;
use ice_asm::{CodeBuffer, Error, TextListing};

/// So many words of zeros, with room for what waits.
fn zeros<L: ice_asm::Listing>(buffer: &mut CodeBuffer<L, Branches>, words: usize) {
    for start in (0..words).step_by(256) {
        buffer.room_for(1 << 10);
        buffer.emit_data(&[0; 1 << 10][..4 * (words - start).min(256)]);
    }
}

fn word(buffer: &[u8], at: u32) -> u32 {
    u32::from_le_bytes(buffer[at as usize..][..4].try_into().unwrap())
}

const BIT: BranchCond = BranchCond::BitOne(Gpr::new(7), 40);
const REGISTER: BranchCond = BranchCond::Zero(Width::X, Gpr::new(7));
const FLAGS: BranchCond = BranchCond::Flags(Cond::Lt);

/// A loop of just the reach of a form is closed by one instruction; one word more, and it takes two.
#[test]
fn branches_back_have_the_smallest_form_that_reaches() {
    for (cond, reach) in [(BIT, 1 << 15), (REGISTER, 1 << 20), (FLAGS, 1 << 20)] {
        for (bytes, size) in [(reach, 4), (reach + 4, 8)] {
            let mut buffer = CodeBuffer::<(), Branches>::new();
            let top = buffer.new_label();
            buffer.bind(top);
            zeros(&mut buffer, bytes / 4);
            let start = buffer.offset();
            buffer.jump_if(cond, top);
            assert_eq!(buffer.offset() - start, size, "{cond:?}");
            assert_eq!(buffer.finish(), Ok(()));
        }
    }
}

/// A branch ahead has the short form, which reaches just so far; beyond it goes by a veneer.
#[test]
fn branches_ahead_wait_for_their_target() {
    for (cond, reach) in [(BIT, 1 << 15), (FLAGS, 1 << 20)] {
        for bytes in [8, reach / 2, reach - 4, reach, reach + 4, 3 * reach] {
            let mut buffer = CodeBuffer::<(), Branches>::new();
            let out = buffer.new_label();
            buffer.jump_if(cond, out);
            zeros(&mut buffer, bytes / 4 - 1);
            buffer.bind(out);
            Encoder::new(&mut buffer).ret();
            assert_eq!(buffer.finish(), Ok(()), "{cond:?} over {bytes}");
            let field =
                if cond == BIT { word(buffer.bytes(), 0) << 13 } else { word(buffer.bytes(), 0) << 8 };
            let distance = (field as i32 >> if cond == BIT { 18 } else { 13 }) * 4;
            let at = word(buffer.bytes(), distance as u32);
            assert!(at == 0xd65f_03c0 || at >> 26 == 5, "{cond:?} over {bytes}: {at:#x}");
            assert_eq!(at == 0xd65f_03c0, distance as usize == buffer.bytes().len() - 4);
        }
    }
}

/// Within 128 MiB there is a way, beyond there is none.
#[test]
fn nothing_reaches_beyond_128_mib() {
    for (words, jump, branch) in
        [((1 << 25) - 1, true, true), (1 << 25, true, false), ((1 << 25) + 1, false, false)]
    {
        for (cond, reaches) in [(None, jump), (Some(BIT), branch)] {
            // The reach of the form counts, which is the same for both.
            let reaches = reaches && branch;
            let mut buffer = CodeBuffer::<(), Branches>::new();
            let top = buffer.new_label();
            buffer.bind(top);
            zeros(&mut buffer, words);
            let offset = buffer.offset();
            match cond {
                Some(cond) => buffer.jump_if(cond, top),
                None => buffer.jump(top),
            }
            let want = if reaches { Ok(()) } else { Err(Error::OutOfRange { label: top, offset }) };
            assert_eq!(buffer.finish(), want, "{words} words, {cond:?}");
        }
    }
}

/// Whether a condition holds after so many marks.
fn holds(cond: BranchCond, marks: usize, seed: u64) -> bool {
    let (key, sense) = match cond {
        BranchCond::Flags(cond) => (cond as u64 >> 1, cond as u8 & 1 != 0),
        BranchCond::Zero(width, reg) => (100 + 50 * width as u64 + u64::from(reg.number()), false),
        BranchCond::NonZero(width, reg) => (100 + 50 * width as u64 + u64::from(reg.number()), true),
        BranchCond::BitZero(reg, bit) => (1000 + 64 * u64::from(reg.number()) + u64::from(bit), false),
        BranchCond::BitOne(reg, bit) => (1000 + 64 * u64::from(reg.number()) + u64::from(bit), true),
    };
    let mut random = Random::new((marks as u64 + 1) * (2 * seed + 1) + (key << 20));
    random.below(2);
    (random.below(256) & 1 != 0) ^ sense
}

/// The condition of a conditional branch, and how far it goes.
fn decode(inst: u32) -> Option<(BranchCond, i32)> {
    let reg = Gpr::new((inst & 31) as u8);
    let width = Width::ALL[(inst >> 31) as usize];
    let bit = (inst >> 19 & 31 | inst >> 26 & 32) as u8;
    let far = (inst << 8) as i32 >> 13 << 2;
    let near = (inst << 13) as i32 >> 18 << 2;
    match inst >> 24 & 0x7f {
        0x54 => Some((BranchCond::Flags(Cond::ALL[(inst & 15) as usize]), far)),
        0x34 => Some((BranchCond::Zero(width, reg), far)),
        0x35 => Some((BranchCond::NonZero(width, reg), far)),
        0x36 => Some((BranchCond::BitZero(reg, bit), near)),
        0x37 => Some((BranchCond::BitOne(reg, bit), near)),
        _ => None,
    }
}

/// Executes branches, and skips all else but markers (`movz w0`) until the return.
fn run(code: &[u8], most: usize, seed: u64) -> Vec<u32> {
    let (mut at, mut marks) = (0_u32, vec![]);
    while marks.len() < most {
        let inst = word(code, at);
        let way = match inst {
            0xd65f_03c0 => break,
            0 => 4,
            _ if inst >> 26 == 5 => (inst << 6) as i32 >> 4,
            _ if inst & 0xffe0_001f == 0x5280_0000 => {
                marks.push(inst >> 5 & 0xffff);
                4
            }
            _ => {
                let (cond, way) = decode(inst).unwrap_or_else(|| panic!("{at:#x}: {inst:#x}"));
                if holds(cond, marks.len(), seed) { way } else { 4 }
            }
        };
        at = at.wrapping_add_signed(way);
    }
    marks
}

fn random_cond(random: &mut Random) -> BranchCond {
    let reg = Gpr::new(random.below(32) as u8);
    let width = Width::ALL[random.below(2) as usize];
    match random.below(5) {
        0 => BranchCond::Flags(Cond::ALL[random.below(14) as usize]),
        1 => BranchCond::Zero(width, reg),
        2 => BranchCond::NonZero(width, reg),
        3 => BranchCond::BitZero(reg, random.below(64) as u8),
        _ => BranchCond::BitOne(reg, random.below(64) as u8),
    }
}

/// Blocks of some bytes to some megabytes: branches of all forms, and veneers.
#[test]
fn large_functions_execute_as_their_graph() {
    const MOST: usize = 60;
    let mut random = Random::new(11);
    let (mut over, mut largest, mut near) = (0, 0, [0; 2]);
    for round in 0..60 {
        // A block has a size, where control goes if the condition holds, and where otherwise.
        let count = 3 + random.below(40);
        let largest_block = [5, 9, 13, 16, 19][round % 5];
        let mut size = || {
            let bits = largest_block - random.below(6).min(largest_block);
            random.below(1 << bits)
        };
        let sizes: Vec<_> = (0..count).map(|_| size()).collect();
        let mut target = |n| random.below(n) as usize;
        let ways: Vec<_> = sizes.iter().map(|_| [target(count), target(count + 1)]).collect();
        let conds: Vec<_> = sizes.iter().map(|_| random_cond(&mut random)).collect();
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let labels: Vec<_> = (0..=count).map(|_| buffer.new_label()).collect();
        for (i, &[then, other]) in ways.iter().enumerate() {
            buffer.bind(labels[i]);
            let mut e = Encoder::new(&mut buffer);
            e.buf.room_for(64);
            e.mov_wide(MoveWide::Movz, Width::W, Gpr::new(0), i as u16, 0);
            zeros(&mut buffer, sizes[i] as usize);
            buffer.room_for(64);
            let mut e = Encoder::new(&mut buffer);
            e.jump_if(conds[i], labels[then]);
            e.jump(labels[other]);
        }
        buffer.bind(labels[count as usize]);
        Encoder::new(&mut buffer).ret();
        assert_eq!(buffer.finish(), Ok(()), "round {round}");
        largest = largest.max(buffer.bytes().len());
        for inst in buffer.bytes().chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())) {
            match decode(inst) {
                Some((_, 8)) => over += 1,
                Some((BranchCond::BitZero(..) | BranchCond::BitOne(..), _)) => near[0] += 1,
                Some(_) => near[1] += 1,
                None => {}
            }
        }
        for seed in 0..4 {
            let (mut want, mut at) = (vec![], 0);
            while want.len() < MOST && at < count as usize {
                want.push(at as u32);
                at = ways[at][usize::from(!holds(conds[at], want.len(), seed))];
            }
            assert_eq!(run(buffer.bytes(), MOST, seed), want, "round {round}");
        }
    }
    assert!(over > 40 && near[0] > 200 && near[1] > 200, "{over} over jumps, {near:?} near");
    assert!(largest > 4 << 20, "{largest} bytes");
}

/// Assemblers take the text of all forms, and of islands.
#[test]
fn all_forms_are_listed() {
    let mut buffer = CodeBuffer::<TextListing, Branches>::new();
    let (top, out) = (buffer.new_label(), buffer.new_label());
    buffer.bind(top);
    for words in [1, 1 << 13, 1 << 14, 1 << 18, 1 << 10] {
        for cond in [BIT, REGISTER, FLAGS] {
            buffer.jump_if(cond, top);
            buffer.jump_if(cond.invert(), out);
        }
        zeros(&mut buffer, words);
    }
    buffer.bind(out);
    Encoder::new(&mut buffer).ret();
    buffer.finish().unwrap();
    ASSEMBLERS.check("branches", &buffer);
    let text = listing(&buffer);
    for line in ["\ttbz x7, #40, .+8\n\tb .L0\n", "\tcbnz x7, .+8\n\tb .L0\n", "\tb.ge .+8\n\tb .L0\n"] {
        assert!(text.contains(line), "{line}");
    }
}

/// The address of a label within 1 MiB.
#[test]
fn addresses_of_labels_are_relative() {
    for (bytes, reaches) in [(4, true), ((1 << 20) - 4, true), (1 << 20, false)] {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let out = buffer.new_label();
        Encoder::new(&mut buffer).adr(Gpr::new(5), out);
        zeros(&mut buffer, bytes / 4 - 1);
        buffer.bind(out);
        Encoder::new(&mut buffer).ret();
        let want = if reaches { Ok(()) } else { Err(Error::OutOfRange { label: out, offset: 0 }) };
        assert_eq!(buffer.finish(), want);
        if reaches {
            assert_eq!(word(buffer.bytes(), 0), 0x1000_0005 | (bytes as u32 / 4) << 5);
        }
    }
}
