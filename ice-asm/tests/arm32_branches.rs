//! Branches of ARM in functions of many megabytes: near and far forms, veneers, and words among them.

use crate::common::{Random, listing};
use ice_asm::arm32::*;
use ice_asm::{BranchIsa as _, CodeBuffer, Constant, ConstantSize, RelocKind, SymbolId, TextListing};

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

/// A loop over 32 MiB can just be closed by one instruction; one word more, and the distance is made in ip.
#[test]
fn a_branch_of_one_word_reaches_32_mib() {
    for (words, size) in [((1 << 23) - 2, 4), ((1 << 23) - 1, 12)] {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let top = buffer.new_label();
        buffer.bind(top);
        zeros(&mut buffer, words);
        let start = buffer.offset();
        buffer.jump(top);
        assert_eq!(buffer.offset() - start, size);
        assert_eq!(buffer.finish(), Ok(()));
    }
}

/// Executes branches, and skips all else but markers (`movw r0`) and loads of words (to r1) until the return.
fn run(code: &[u8], holds: impl Fn(u8, usize) -> bool) -> Vec<u32> {
    let (mut at, mut ip, mut marks) = (0, 0, vec![]);
    while marks.len() < 40 {
        let inst = word(code, at);
        let imm16 = inst >> 4 & 0xf000 | inst & 0xfff;
        let next = match (inst >> 28, inst & 0x0fff_ffff) {
            (0xe, 0x012f_ff1e) => break,
            (_, rest) if rest >> 24 == 0xa => {
                at.wrapping_add(8).wrapping_add(((rest << 8) as i32 >> 6) as u32)
            }
            (_, rest) if rest & 0x0ff0_f000 == 0x0300_c000 => {
                ip = imm16;
                at + 4
            }
            (_, rest) if rest & 0x0ff0_f000 == 0x0340_c000 => {
                ip |= imm16 << 16;
                at + 4
            }
            (_, 0x008f_f00c) => at.wrapping_add(8).wrapping_add(ip),
            (0xe, rest) if rest & 0x0ff0_f000 == 0x0300_0000 => {
                marks.push(imm16);
                at + 4
            }
            (0xe, rest) if rest & 0x0fff_f000 == 0x059f_1000 => {
                marks.push(word(code, at + 8 + (rest & 0xfff)));
                at + 4
            }
            (_, rest) => {
                assert_eq!(rest & 0x0fff_0000, 0, "{at:#x}");
                at + 4
            }
        };
        let cond = (inst >> 28) as u8;
        at = if cond >= 14 || inst == 0 || holds(cond, marks.len()) { next } else { at + 4 };
    }
    marks
}

/// A word relative to pc holds what is missing to the symbol where pc is read, two instructions ahead.
#[test]
fn words_relative_to_pc_count_from_where_it_is_read() {
    for between in [0, 1, 100] {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let mut e = Encoder::new(&mut buffer);
        let origin = e.buf.new_label();
        let (kind, symbol) = (RelocKind::PcRel32, SymbolId(5));
        e.load_constant(Cond::Al, Gpr::new(0), Constant::Symbol { kind, symbol, origin: Some(origin) });
        e.bind(origin);
        let read = e.buf.offset();
        zeros(&mut buffer, 1 + between);
        Encoder::new(&mut buffer).bx(Cond::Al, Gpr::LR);
        assert_eq!(buffer.finish(), Ok(()));
        let reloc = buffer.relocs()[0];
        assert_eq!(reloc.addend, i64::from(reloc.offset) - i64::from(read + 8));
    }
}

/// Bytes that may come beyond what was stated.
const STEP: u32 = Branches::STEP;

/// A constant waits as long as its load reaches it from wherever the next look at the islands may be, and no longer.
#[test]
fn constants_are_put_down_before_their_loads_are_too_far() {
    for (loads, room) in [(1, 4), (3, 4), (3, 64)] {
        // Some start has a look just at the deadline.
        for start in (0..room + STEP).step_by(4) {
            let mut buffer = CodeBuffer::<(), Branches>::new();
            let mut e = Encoder::new(&mut buffer);
            for n in 0..loads {
                // Larger than its load, so that what is before it on the island counts.
                let bits = Constant::Bits { size: ConstantSize::C16, bits: n };
                e.load_constant(Cond::Al, Gpr::new(0), bits);
            }
            buffer.emit_data(&[0; 1024][..start as usize]);
            loop {
                buffer.room_for(room);
                if !buffer.constants_wait() {
                    break;
                }
                buffer.emit_data(&[0; 1024][..(room + STEP) as usize]);
            }
            assert_eq!(buffer.finish(), Ok(()), "{loads} loads, room of {room}, {start} bytes");
            let first = buffer.constant_ranges()[0].0;
            assert!(first <= 4095 + 8 && first + 2 * (room + STEP) > 4095, "{first}, room of {room}");
        }
    }
}

/// Blocks of some megabytes: branches near and far, veneers, and words that wait among them.
#[test]
fn large_functions_execute_as_their_graph() {
    let mut random = Random::new(11);
    let (mut far, mut largest) = (0, 0);
    for round in 0..12 {
        // A block has a marker, a size, a condition, and where control goes.
        let count = 3 + random.below(6);
        let blocks: Vec<[u32; 4]> = (0..count)
            .map(|_| [random.below(3 << 20), random.below(14), random.below(count), random.below(count + 1)])
            .collect();
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let labels: Vec<_> = (0..=count).map(|_| buffer.new_label()).collect();
        for (i, &[size, cond, then, other]) in blocks.iter().enumerate() {
            buffer.bind(labels[i]);
            let mut e = Encoder::new(&mut buffer);
            e.buf.room_for(64);
            e.movw(Cond::Al, Gpr::new(0), i as u16);
            let bits = Constant::Bits { size: ConstantSize::C4, bits: 1000 + i as u128 };
            e.load_constant(Cond::Al, Gpr::new(1), bits);
            zeros(&mut buffer, size as usize);
            buffer.room_for(64);
            buffer.jump_if(Cond::ALL[cond as usize], labels[then as usize]);
            buffer.jump(labels[other as usize]);
        }
        buffer.bind(labels[count as usize]);
        Encoder::new(&mut buffer).bx(Cond::Al, Gpr::LR);
        assert_eq!(buffer.finish(), Ok(()), "round {round}");
        far += buffer.bytes().chunks_exact(4).filter(|word| matches!(word, [0x0c, 0xf0, 0x8f, _])).count();
        largest = largest.max(buffer.bytes().len());
        for seed in 0..4 {
            let holds = |cond: u8, marks: usize| {
                let flags = Random::new((marks as u64 + 1) * (2 * seed + 1)).below(256);
                (flags >> (cond >> 1) & 1 != 0) ^ (cond & 1 != 0)
            };
            let (mut want, mut at) = (vec![], 0);
            while want.len() < 40 && at < count as usize {
                want.extend([at as u32, 1000 + at as u32]);
                let [_, cond, then, other] = blocks[at];
                let taken = holds(Cond::ALL[cond as usize] as u8, want.len());
                at = if taken { then } else { other } as usize;
            }
            assert_eq!(run(buffer.bytes(), holds), want, "round {round}: {blocks:?}");
        }
    }
    assert!(far > 10 && largest > 50 << 20, "{far} far branches, {largest} bytes");
}

#[test]
fn far_branches_are_listed() {
    let mut buffer = CodeBuffer::<TextListing, Branches>::new();
    let top = buffer.new_label();
    buffer.bind(top);
    zeros(&mut buffer, 1 << 23);
    let at = buffer.offset();
    buffer.jump_if(Cond::Ge, top);
    buffer.finish().unwrap();
    let half = |at| word(buffer.bytes(), at) >> 4 & 0xf000 | word(buffer.bytes(), at) & 0xfff;
    let (low, high) = (half(at), half(at + 4));
    assert_eq!((high << 16 | low) as i32, -(1 << 25) - 16);
    let text = format!("\tmovwge ip, #{low}\n\tmovtge ip, #{high}\n\taddge pc, pc, ip @ .L0\n");
    assert!(listing(&buffer).ends_with(&text));
}
