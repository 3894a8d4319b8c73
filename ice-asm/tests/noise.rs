//! Code that differs by chance: instructions that do nothing come between the others, what is given other bytes means the
//! same, and the text is that of the bytes.

use crate::common::check_listing;
use ice_asm::x86::{Alu, Cond, Encoder, Gpr, Mem, Mode, Rm, Scale, SseOp, Variation, Width, Xmm};
use ice_asm::{CodeBuffer, Listing, Noise, Random, RelocKind, SymbolId, TextListing};
use iced_x86::{Decoder, Formatter, GasFormatter, Instruction, Mnemonic};

const NOPS: &[&[u8]] = &[&[0x90], &[0x66, 0x90], &[0x0f, 0x1f, 0x00]];

fn decode(mode: Mode, bytes: &[u8]) -> Vec<Instruction> {
    let bits = if mode == Mode::Bits32 { 32 } else { 64 };
    let insts: Vec<_> = Decoder::new(bits, bytes, 0).iter().collect();
    assert!(insts.iter().all(|inst| !inst.is_invalid()));
    insts
}

fn text(inst: &Instruction) -> String {
    let mut text = String::new();
    let mut formatter = GasFormatter::new();
    formatter.options_mut().set_gas_show_mnemonic_size_suffix(true);
    formatter.format(inst, &mut text);
    text
}

/// What the instruction does, in one form for all that do the same.
fn meaning(text: &str) -> String {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    // A sum of two registers.
    let operands = match operands.split_once('(') {
        Some((before, rest)) => {
            let (sum, after) = rest.split_once(')').unwrap();
            let mut terms: Vec<_> = sum.split(',').collect();
            if let [_, _] = terms[..] {
                terms.sort_unstable();
            }
            format!("{before}({}){after}", terms.join(","))
        }
        None => operands.to_owned(),
    };
    let same = operands.split_once(',').filter(|(a, b)| a == b).map(|(a, _)| a);
    match (mnemonic, same) {
        ("testb" | "testl" | "testq" | "andb" | "andl" | "andq" | "orb" | "orl" | "orq", Some(reg)) => {
            format!("flags of {reg}")
        }
        ("testl" | "testq" | "testb", None) => {
            let mut regs: Vec<_> = operands.split(',').collect();
            regs.sort_unstable();
            format!("{mnemonic} {}", regs.join(","))
        }
        ("subl" | "xorl" | "subq" | "xorq", Some(reg)) => format!("zero {reg}"),
        ("addl" | "addq", Some(reg)) => format!("double {reg}"),
        ("shll" | "shlq", _) if operands.starts_with("$1,") => format!("double {}", &operands[3..]),
        ("leal" | "leaq", _) if operands.starts_with("(%") && !operands.contains("(%r8d") => {
            let (from, to) = operands[1..].split_once("),").unwrap();
            if from.contains(',') {
                return format!("{mnemonic} {operands}");
            }
            format!("{} {},{to}", mnemonic.replace("lea", "mov"), narrow(from, to))
        }
        _ => format!("{mnemonic} {operands}"),
    }
}

/// The name that the register `from` has in the width of `to`.
fn narrow(from: &str, to: &str) -> String {
    let is_wide = |reg: &str| reg.starts_with("%r") && !reg.ends_with('d');
    match (is_wide(from), is_wide(to)) {
        (true, false) if from[2..].starts_with(|c: char| c.is_ascii_digit()) => format!("{from}d"),
        (true, false) => from.replacen("%r", "%e", 1),
        _ => from.to_owned(),
    }
}

/// Instructions of all rows of the table, with registers of all kinds.
fn emit<L: Listing>(e: &mut Encoder<'_, L>) {
    let numbers: &[u8] =
        if e.mode == Mode::Bits32 { &[0, 1, 3, 4, 5, 7] } else { &[0, 3, 4, 5, 7, 8, 11, 12, 13, 15] };
    let widths: &[Width] = if e.mode == Mode::Bits32 { &[Width::B32] } else { &[Width::B32, Width::B64] };
    for &width in widths {
        for (&a, &b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a, b))) {
            let (x, y) = (Gpr::new(a), Gpr::new(b));
            for op in [Alu::Add, Alu::Sub, Alu::Xor, Alu::Cmp, Alu::Adc, Alu::And] {
                e.alu_rm_r(op, width, Rm::Reg(x), y);
            }
            e.mov_rm_r(width, Rm::Reg(x), y);
            e.test_rm_r(width, Rm::Reg(x), y);
            e.shift_rm_i(ice_asm::x86::Shift::Shl, width, Rm::Reg(x), 1);
            e.sse_x_xm(SseOp::Movaps, Xmm::new(a), Rm::Reg(Xmm::new(b)));
            if b != 4 {
                for scale in [Scale::X1, Scale::X2] {
                    for disp in [0, 8, 0x1000] {
                        let mem = Mem::base_index(x, y, scale, disp);
                        e.mov_r_rm(width, Gpr::RAX, Rm::Mem(mem));
                        e.lea(width, Gpr::RDX, mem);
                        e.movzx(Gpr::RCX, Width::B32, Rm::Mem(mem), Width::B8);
                    }
                }
            }
            e.mov_r_rm(width, x, Rm::Mem(Mem::base(y, -4)));
        }
    }
    let symbol = Mem::base_index(Gpr::RAX, Gpr::RCX, Scale::X1, 4)
        .with_target(ice_asm::x86::Target::Symbol(SymbolId(3), RelocKind::Abs32));
    e.mov_r_rm(Width::B32, Gpr::RDX, Rm::Mem(symbol));
    e.call_symbol(SymbolId(4), RelocKind::PcRel32);
}

fn noise(seed: u64, nops: bool, mode: Mode, variation: Variation) -> Noise {
    let random = Random::keyed(seed, 0, 0);
    Noise { random, nops: if nops { NOPS } else { &[] }, vary: variation.of_mode(mode) }
}

#[test]
fn other_bytes_mean_the_same() {
    for mode in [Mode::Bits32, Mode::Bits64] {
        let mut plain = CodeBuffer::<()>::new();
        emit(&mut Encoder::new(&mut plain, mode));
        plain.finish().unwrap();
        let expected = decode(mode, plain.bytes());
        let mut changed = std::collections::BTreeSet::new();
        for (seed, (encodings, selection)) in
            [(true, false), (false, true), (true, true), (true, true)].into_iter().enumerate()
        {
            let mut buffer = CodeBuffer::<()>::new();
            buffer.set_noise(Some(noise(seed as u64, false, mode, Variation { encodings, selection })));
            emit(&mut Encoder::new(&mut buffer, mode));
            buffer.finish().unwrap();
            assert_eq!(buffer.bytes().len(), plain.bytes().len());
            assert_eq!(buffer.relocs(), plain.relocs());
            let found = decode(mode, buffer.bytes());
            assert_eq!(found.len(), expected.len());
            for (ours, theirs) in found.iter().zip(&expected) {
                assert_eq!(meaning(&text(ours)), meaning(&text(theirs)), "{} {}", text(ours), text(theirs));
                // What writes 32 bits of a register clears the upper half of it.
                let clears = mode == Mode::Bits64
                    && theirs.mnemonic() == Mnemonic::Test
                    && theirs.op0_register().size() == 4;
                assert!(!clears || ours.mnemonic() == Mnemonic::Test, "{}", text(ours));
                let (at, end) = (ours.ip() as usize, ours.next_ip() as usize);
                if buffer.bytes()[at..end] != plain.bytes()[at..end] {
                    changed.insert(format!("{:?}", theirs.mnemonic()));
                }
            }
        }
        let all = ["Adc", "Add", "And", "Cmp", "Lea", "Mov", "Movzx", "Shl", "Sub", "Test", "Xor"];
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), all);
    }
}

#[test]
fn the_text_is_that_of_the_bytes() {
    for mode in [Mode::Bits32, Mode::Bits64] {
        let mut buffer = CodeBuffer::<TextListing>::new();
        buffer.set_noise(Some(noise(3, true, mode, Variation { encodings: true, selection: true })));
        emit(&mut Encoder::new(&mut buffer, mode));
        buffer.finish().unwrap();
        check_listing("noise", mode, &buffer);
    }
}

/// In bundles as well, with and without text, near and far.
#[test]
fn branches_reach_and_nothing_comes_behind_a_label() {
    for (seed, bundle) in (0..400).map(|seed| (seed, [0, 32][seed as usize % 2])) {
        let mut buffer = CodeBuffer::<()>::new();
        buffer.set_bundle(bundle);
        buffer.set_noise(Some(noise(seed, true, Mode::Bits32, Variation::default())));
        let count = 2 + seed as u32 % 30;
        let insts = 1 + seed as u32 % 9;
        let labels: Vec<_> =
            (0..=count).map(|n| buffer.new_label_within(n * (3 * insts + 2 * 11 + 24))).collect();
        buffer.stretch_longest_offsets(1);
        for n in 0..count as usize {
            buffer.bind(labels[n]);
            let mut e = Encoder::new(&mut buffer, Mode::Bits32);
            (0..insts).for_each(|_| e.alu_rm_i(Alu::Add, Width::B32, Rm::Reg(Gpr::RAX), 1.into()));
            buffer.jump_if(Cond::E, labels[(n * 7 + seed as usize) % labels.len()]);
            buffer.jump_if(Cond::B, labels[(n + 2).min(count as usize)]);
        }
        buffer.bind(labels[count as usize]);
        Encoder::new(&mut buffer, Mode::Bits32).ret();
        buffer.finish().unwrap();
        let insts = decode(Mode::Bits32, buffer.bytes());
        let starts: Vec<_> = insts.iter().filter(|i| i.mnemonic() != Mnemonic::Nop).map(|i| i.ip()).collect();
        for inst in insts.iter().filter(|inst| inst.is_jcc_short_or_near()) {
            assert!(insts.iter().any(|other| other.ip() == inst.near_branch_target()), "{seed}");
            assert!(bundle != 0 || starts.contains(&inst.near_branch_target()), "{seed}");
        }
        if bundle != 0 {
            assert!(insts.iter().all(|inst| inst.ip() / 32 == (inst.next_ip() - 1) / 32), "{seed}");
        }
        assert!(seed < 50 || count < 20 || insts.len() > starts.len());
    }
}
