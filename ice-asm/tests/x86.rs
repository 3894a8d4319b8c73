//! Every row of the x86 tables in each operand shape, mode and width, with the registers, displacements
//! and immediates where encodings change: decoded by iced-x86 and compared with the listing, and the
//! listing assembled and compared with the bytes.

use crate::common;

use common::{check_listing, listing};
use ice_asm::x86::*;
use ice_asm::{CodeBuffer, Error, Place, RelocKind, SymbolId, TextListing};
use iced_x86::{Decoder, DecoderOptions, Formatter, GasFormatter, OpKind, Register};

const MODES: [Mode; 2] = [Mode::Bits32, Mode::Bits64];
const DISPLACEMENTS: [i32; 8] = [0, 1, -128, 127, 128, -129, i32::MAX, i32::MIN];
const IMMEDIATES: [i32; 12] = [0, 1, -1, 127, 128, -128, -129, 255, 0x7fff, 0xffff, i32::MAX, i32::MIN];
const COUNTS: [u8; 5] = [0, 1, 2, 31, 255];

fn numbers(mode: Mode) -> &'static [u8] {
    match mode {
        Mode::Bits32 => &[0, 1, 3, 4, 5, 6, 7],
        Mode::Bits64 => &[0, 1, 4, 5, 7, 8, 12, 13, 15],
    }
}

fn gprs(mode: Mode) -> impl Iterator<Item = Gpr> + Clone {
    numbers(mode).iter().map(|&n| Gpr::new(n))
}

fn xmms(mode: Mode) -> impl Iterator<Item = Xmm> + Clone {
    numbers(mode).iter().map(|&n| Xmm::new(n))
}

fn widths(mode: Mode) -> &'static [Width] {
    const ALL: [Width; 4] = [Width::B8, Width::B16, Width::B32, Width::B64];
    match mode {
        Mode::Bits32 => &ALL[..3],
        Mode::Bits64 => &ALL,
    }
}

/// Addresses in every form.
fn mems(mode: Mode) -> Vec<Mem> {
    let mut mems = Vec::new();
    for disp in DISPLACEMENTS {
        mems.push(Mem::absolute(disp));
        mems.extend(gprs(mode).map(|base| Mem::base(base, disp)));
        mems.push(Mem::index(Gpr::RBP, Scale::X1, disp));
        mems.push(Mem::index(Gpr::RAX, Scale::X8, disp));
        for base in gprs(mode) {
            mems.push(Mem::base_index(base, Gpr::RCX, Scale::X4, disp));
        }
    }
    for index in gprs(mode).filter(|&index| index != Gpr::RSP) {
        for shift in 0..4 {
            let scale = Scale::from_shift(shift).unwrap();
            mems.push(Mem::base_index(Gpr::RBP, index, scale, 0));
            mems.push(Mem::index(index, scale, 16));
        }
    }
    mems.push(Mem::absolute(0).with_segment(Segment::Gs));
    mems.push(Mem::base(Gpr::RBX, 4).with_segment(Segment::Fs));
    if mode == Mode::Bits64 {
        let narrow: Vec<Mem> = mems
            .iter()
            .filter(|mem| mem.base != Base::None || mem.index.is_some())
            .map(|mem| mem.with_addr32())
            .collect();
        mems.extend(narrow);
        mems.push(Mem::absolute(64).with_addr32());
        mems.push(Mem::absolute(-64).with_addr32());
        mems.push(Mem { base: Base::Rip, ..Mem::absolute(1000) });
    }
    mems
}

fn few_mems(mode: Mode) -> Vec<Mem> {
    let mut mems = vec![
        Mem::absolute(0x1234),
        Mem::base(Gpr::RAX, 0),
        Mem::base(Gpr::RBP, 0),
        Mem::base(Gpr::RSP, 8),
        Mem::base_index(Gpr::RSI, Gpr::RDI, Scale::X2, -4),
        Mem::index(Gpr::RDX, Scale::X8, 128),
    ];
    if mode == Mode::Bits64 {
        mems.push(Mem::base(Gpr::R13, 0));
        mems.push(Mem::base_index(Gpr::R12, Gpr::R8, Scale::X1, 300).with_addr32());
    }
    mems
}

type Buffer = CodeBuffer<TextListing>;

/// Calls with register pairs, and with memory for one register.
fn each_r_rm(mode: Mode, mut f: impl FnMut(Gpr, Rm<Gpr>)) {
    for reg in gprs(mode) {
        gprs(mode).for_each(|rm| f(reg, rm.into()));
        few_mems(mode).into_iter().for_each(|mem| f(reg, mem.into()));
    }
}

fn each_rm(mode: Mode, mut f: impl FnMut(Rm<Gpr>)) {
    gprs(mode).for_each(|rm| f(rm.into()));
    few_mems(mode).into_iter().for_each(|mem| f(mem.into()));
}

fn each_x_xm(mode: Mode, mut f: impl FnMut(Xmm, Rm<Xmm>)) {
    for reg in xmms(mode) {
        xmms(mode).for_each(|rm| f(reg, rm.into()));
        few_mems(mode).into_iter().for_each(|mem| f(reg, mem.into()));
    }
}

fn integer(mode: Mode, buffer: &mut Buffer) {
    let mut e = Encoder::new(buffer, mode);
    for &w in widths(mode) {
        for &op in Alu::ALL {
            each_r_rm(mode, |reg, rm| {
                e.alu_rm_r(op, w, rm, reg);
                e.alu_r_rm(op, w, reg, rm);
            });
            each_rm(mode, |rm| IMMEDIATES.iter().for_each(|&imm| e.alu_rm_i(op, w, rm, imm.into())));
        }
        for mem in mems(mode) {
            for reg in [Gpr::RAX, Gpr::RDX, Gpr::RDI] {
                e.mov_r_rm(w, reg, mem.into());
                e.mov_rm_r(w, mem.into(), reg);
            }
            e.alu_rm_i(Alu::Add, w, mem.into(), 1.into());
            e.mov_rm_i(w, mem.into(), (-2).into());
        }
        each_r_rm(mode, |reg, rm| {
            e.test_rm_r(w, rm, reg);
            e.mov_r_rm(w, reg, rm);
            e.mov_rm_r(w, rm, reg);
            e.xchg_rm_r(w, rm, reg);
        });
        each_rm(mode, |rm| {
            for imm in IMMEDIATES {
                e.test_rm_i(w, rm, imm.into());
                e.mov_rm_i(w, rm, imm.into());
            }
            for &op in Shift::ALL {
                COUNTS.iter().for_each(|&count| e.shift_rm_i(op, w, rm, count));
                e.shift_rm_cl(op, w, rm);
            }
            Unary::ALL.iter().for_each(|&op| e.unary_rm(op, w, rm));
        });
        for reg in gprs(mode) {
            for value in [0, 1, -1, 127, 255, i64::from(i32::MIN), i64::from(u32::MAX)] {
                e.mov_r_i(w, reg, value);
            }
            for mem in few_mems(mode) {
                Alu::ALL.iter().filter(|&&op| op != Alu::Cmp).for_each(|&op| e.lock_alu_m_r(op, w, mem, reg));
                e.lock_xadd(w, mem, reg);
                e.lock_cmpxchg(w, mem, reg);
            }
        }
        for mem in few_mems(mode) {
            for &op in Alu::ALL.iter().filter(|&&op| op != Alu::Cmp) {
                IMMEDIATES.iter().for_each(|&imm| e.lock_alu_m_i(op, w, mem, imm.into()));
            }
            for op in [Unary::Inc, Unary::Dec, Unary::Neg, Unary::Not] {
                e.lock_unary_m(op, w, mem);
            }
        }
        RepOp::ALL.iter().for_each(|&op| e.rep(op, w));
        if w == Width::B8 {
            continue;
        }
        each_r_rm(mode, |reg, rm| {
            for op in [DoubleShift::Shld, DoubleShift::Shrd] {
                e.double_shift_i(op, w, rm, reg, 7);
                e.double_shift_cl(op, w, rm, reg);
            }
            e.imul_r_rm(w, reg, rm);
            IMMEDIATES.iter().for_each(|&imm| e.imul_r_rm_i(w, reg, rm, imm));
            BitOp::ALL.iter().for_each(|&op| e.bit_op(op, w, reg, rm));
            for &op in BitTest::ALL {
                e.bit_test_rm_r(op, w, rm, reg);
                e.bit_test_rm_i(op, w, rm, 13);
            }
            Cond::ALL.iter().for_each(|&cond| e.cmovcc(cond, w, reg, rm));
            for &from in widths(mode).iter().filter(|&&from| from < w) {
                e.movzx(reg, w, rm, from);
                if from != Width::B32 || w == Width::B64 {
                    e.movsx(reg, w, rm, from);
                }
            }
        });
        // A segment means nothing to lea, and the decoder's text leaves it out.
        for mem in mems(mode).into_iter().filter(|mem| mem.segment == Segment::Default) {
            e.lea(w, Gpr::RAX, mem);
            e.lea(w, Gpr::RDI, mem);
        }
        e.extend_accumulator(w);
        e.sign_to_rdx(w);
        if w != Width::B16 {
            gprs(mode).for_each(|reg| e.bswap(w, reg));
        }
    }
    if mode == Mode::Bits64 {
        for reg in gprs(mode) {
            e.mov_r_i(Width::B64, reg, i64::MIN);
            e.mov_r_i(Width::B64, reg, 1 << 32);
        }
        few_mems(mode).into_iter().for_each(|mem| e.lock_cmpxchg16b(mem));
    }
    Cond::ALL.iter().for_each(|&cond| each_rm(mode, |rm| e.setcc(cond, rm)));
    for reg in gprs(mode) {
        e.push_r(reg);
        e.pop_r(reg);
    }
    for dst in (0..8).map(Gpr::new) {
        (0..4).for_each(|src| e.movzx_high_byte(dst, Gpr::new(src)));
    }
    for mem in few_mems(mode) {
        e.push_m(mem);
        e.pop_m(mem);
        e.lock_cmpxchg8b(mem);
    }
    IMMEDIATES.iter().for_each(|&imm| e.push_i(imm.into()));
    each_rm(mode, |rm| {
        e.call_rm(rm);
        e.jmp_rm(rm);
    });
    Fence::ALL.iter().for_each(|&op| e.fence(op));
    e.ret();
    e.ret_pop(4);
    e.ud2();
    e.int3();
    e.hlt();
    e.nop();
    e.pause();
    e.leave();
}

fn x87(mode: Mode, buffer: &mut Buffer) {
    let mut e = Encoder::new(buffer, mode);
    for &op in X87Mem::ALL {
        mems(mode).into_iter().for_each(|mem| e.x87_m(op, mem));
    }
    for &op in X87Reg::ALL {
        (0..8).for_each(|n| e.x87_st(op, n));
    }
    X87Op::ALL.iter().for_each(|&op| e.x87_op(op));
}

/// Tries every operation in every shape; what the operation lacks is refused by a buffer of its own.
/// Gives for every operation in how many shapes it can be used.
fn sse(mode: Mode, form: VectorForm, buffer: &mut Buffer) -> Vec<usize> {
    let allows = |f: &dyn Fn(&mut Encoder<'_, TextListing>)| {
        let mut trial = Buffer::new();
        f(&mut Encoder::new(&mut trial, mode).of_form(form));
        trial.error().is_none()
    };
    let mut shapes = Vec::new();
    let (x, g, m) = (Xmm::XMM1, Gpr::RCX, Mem::base(Gpr::RCX, 0));
    for &op in SseOp::ALL {
        let start = shapes.len();
        let mut count = 0;
        let mut yes = |shape: bool| {
            count += usize::from(shape);
            shape
        };
        for is_mem in [false, true] {
            let xm = if is_mem { m.into() } else { x.into() };
            let rm = if is_mem { m.into() } else { g.into() };
            let here = |rm: &Rm<Xmm>| matches!(rm, Rm::Mem(_)) == is_mem;
            let there = |rm: &Rm<Gpr>| matches!(rm, Rm::Mem(_)) == is_mem;
            if yes(allows(&|e| e.sse_x_xm(op, x, xm))) {
                let mut e = Encoder::new(buffer, mode).of_form(form);
                each_x_xm(mode, |reg, rm| {
                    if here(&rm) {
                        e.sse_x_xm(op, reg, rm);
                    }
                });
            }
            if yes(allows(&|e| e.sse_x_xm_i(op, x, xm, 0))) {
                let mut e = Encoder::new(buffer, mode).of_form(form);
                each_x_xm(mode, |reg, rm| {
                    if here(&rm) {
                        (0..8).for_each(|imm| e.sse_x_xm_i(op, reg, rm, imm * 31));
                    }
                });
            }
            if yes(allows(&|e| e.sse_x_rm_i(op, x, rm, 0))) {
                let mut e = Encoder::new(buffer, mode).of_form(form);
                for reg in xmms(mode) {
                    each_rm(mode, |rm| {
                        if there(&rm) {
                            e.sse_x_rm_i(op, reg, rm, 3);
                        }
                    });
                }
            }
            if yes(allows(&|e| e.sse_rm_x_i(op, rm, x, 0))) {
                let mut e = Encoder::new(buffer, mode).of_form(form);
                for reg in xmms(mode) {
                    each_rm(mode, |rm| {
                        if there(&rm) {
                            e.sse_rm_x_i(op, rm, reg, 1);
                        }
                    });
                }
            }
            for &w in &widths(mode)[2..] {
                if yes(allows(&|e| e.sse_x_rm(op, w, x, rm))) {
                    let mut e = Encoder::new(buffer, mode).of_form(form);
                    for reg in xmms(mode) {
                        each_rm(mode, |rm| {
                            if there(&rm) {
                                e.sse_x_rm(op, w, reg, rm);
                            }
                        });
                    }
                }
                if yes(allows(&|e| e.sse_rm_x(op, w, rm, x))) {
                    let mut e = Encoder::new(buffer, mode).of_form(form);
                    for reg in xmms(mode) {
                        each_rm(mode, |rm| {
                            if there(&rm) {
                                e.sse_rm_x(op, w, rm, reg);
                            }
                        });
                    }
                }
                if yes(allows(&|e| e.sse_r_xm(op, w, g, xm))) {
                    let mut e = Encoder::new(buffer, mode).of_form(form);
                    for reg in gprs(mode) {
                        each_x_xm(mode, |_, rm| {
                            if here(&rm) {
                                e.sse_r_xm(op, w, reg, rm);
                            }
                        });
                    }
                }
            }
        }
        if yes(allows(&|e| e.sse_m_x(op, m, x))) {
            let mut e = Encoder::new(buffer, mode).of_form(form);
            for reg in xmms(mode) {
                mems(mode).into_iter().for_each(|mem| e.sse_m_x(op, mem, reg));
            }
        }
        if yes(allows(&|e| e.sse_x_i(op, x, 0))) {
            let mut e = Encoder::new(buffer, mode).of_form(form);
            xmms(mode).for_each(|reg| (0..=255).for_each(|imm| e.sse_x_i(op, reg, imm)));
        }
        assert_eq!(shapes.len(), start);
        shapes.push(count);
    }
    shapes
}

/// Operands that hold symbols and labels: for the assemblers only.
fn symbols(mode: Mode, buffer: &mut Buffer) {
    buffer.set_symbol(SymbolId(0));
    let label = buffer.new_label();
    let symbol = SymbolId(7);
    let absolute = if mode == Mode::Bits32 { RelocKind::Abs32 } else { RelocKind::Abs32S };
    let word = if mode == Mode::Bits32 { Width::B32 } else { Width::B64 };
    let mut e = Encoder::new(buffer, mode);
    let mut mems = vec![Mem::label(label)];
    for disp in [0, 4, -4, 100_000] {
        mems.push(Mem::symbol(symbol, absolute, disp));
        mems.push(Mem::base(Gpr::RBX, disp).with_target(Target::Symbol(symbol, absolute)));
        mems.push(Mem::index(Gpr::RAX, Scale::X4, disp).with_target(Target::Symbol(symbol, absolute)));
        if mode == Mode::Bits64 {
            mems.push(Mem::rip(symbol, RelocKind::PcRel32, disp));
            mems.push(Mem::base(Gpr::R13, disp).with_target(Target::Symbol(symbol, absolute)).with_addr32());
        }
    }
    // The bases whose numbers mean something else without an index.
    let bases = [Gpr::RSP, Gpr::RBP, Gpr::R12, Gpr::R13];
    for base in bases.into_iter().take(if mode == Mode::Bits32 { 2 } else { 4 }) {
        mems.push(Mem::base(base, 4).with_target(Target::Symbol(symbol, absolute)));
    }
    mems.push(Mem::index(Gpr::RAX, Scale::X4, 0).with_target(Target::Label(label)));
    if mode == Mode::Bits64 {
        mems.push(Mem::rip_label(label));
        mems.push(Mem { disp: 8, ..Mem::rip_label(label) });
        mems.push(Mem::rip(symbol, RelocKind::GotPcRel32, 0));
        mems.push(Mem::rip(symbol, RelocKind::GotTpOff32, 0));
    } else {
        mems.push(Mem::base(Gpr::RBX, 0).with_target(Target::Symbol(symbol, RelocKind::Got32)));
        mems.push(Mem::base(Gpr::RBX, 4).with_target(Target::Symbol(symbol, RelocKind::GotOff32)));
        mems.push(Mem::symbol(symbol, RelocKind::GotTpOff32, 0));
    }
    mems.push(Mem::base(Gpr::RAX, 8).with_target(Target::Symbol(symbol, RelocKind::TpOff32)));
    for mem in mems {
        for reg in [Gpr::RAX, Gpr::RDX] {
            e.mov_r_rm(Width::B32, reg, mem.into());
            e.mov_rm_r(Width::B32, mem.into(), reg);
        }
        // An immediate behind the field moves the end of the instruction.
        e.alu_rm_i(Alu::Add, Width::B32, mem.into(), 1000.into());
        e.alu_rm_i(Alu::Add, Width::B16, mem.into(), 1000.into());
        e.alu_rm_i(Alu::Add, Width::B32, mem.into(), 1.into());
        if matches!(mem.target, Target::Symbol(_, RelocKind::GotTpOff32)) {
            continue; // Assemblers take this relocation in few instructions.
        }
        e.sse_x_xm(SseOp::Addss, Xmm::XMM3, mem.into());
        e.sse_x_xm_i(SseOp::Shufps, Xmm::XMM3, mem.into(), 4);
        e.lea(word, Gpr::RCX, mem);
        e.jmp_rm(mem.into());
    }
    e.bind(label);
    for addend in [0, 12] {
        let imm = Imm::Symbol(symbol, RelocKind::Abs32, addend);
        e.mov_r_symbol(Gpr::RDX, symbol, RelocKind::Abs32, addend);
        e.mov_rm_i(Width::B32, Rm::Reg(Gpr::RDX), imm);
        e.mov_rm_i(Width::B32, Mem::base(Gpr::RDX, 4).into(), imm);
        e.alu_rm_i(Alu::Cmp, Width::B32, Rm::Reg(Gpr::RDX), imm);
        e.alu_rm_i(Alu::Add, Width::B32, Rm::Reg(Gpr::RAX), imm);
        e.push_i(Imm::Symbol(symbol, absolute, addend));
        if mode == Mode::Bits64 {
            e.mov_r_symbol64(Gpr::R9, symbol, addend);
        }
    }
    e.call_symbol(symbol, RelocKind::PcRel32);
    e.call_symbol(symbol, RelocKind::Plt32);
    e.jmp_symbol(symbol, RelocKind::PcRel32);
    let back = e.buf.new_label();
    e.call_label(label);
    e.call_label(back);
    e.bind(back);
    e.buf.emit_data(&[1, 2, 3]);
    e.buf.align(16);
    e.buf.emit_u32(0xdead_beef);
    e.buf.emit_label(RelocKind::Abs32, label);
    e.buf.emit_label_difference(back, label);
    e.buf.emit_label_difference(label, back);
    e.buf.emit_symbol(RelocKind::Abs32, symbol, 4);
    if mode == Mode::Bits64 {
        e.buf.emit_symbol(RelocKind::Abs64, symbol, -4);
        e.buf.emit_label(RelocKind::Abs64, label);
    }
}

#[test]
fn addresses_of_labels_are_extended_as_the_processor_does() {
    for (mode, kind) in [(Mode::Bits32, RelocKind::Abs32), (Mode::Bits64, RelocKind::Abs32S)] {
        let mut buffer = Buffer::new();
        buffer.set_symbol(SymbolId(5));
        let label = buffer.new_label();
        let mut e = Encoder::new(&mut buffer, mode);
        let table = Mem::index(Gpr::RAX, Scale::X4, 0).with_target(Target::Label(label));
        e.mov_r_rm(Width::B32, Gpr::RDX, table.into());
        e.bind(label);
        e.ret();
        buffer.finish().unwrap();
        assert_eq!(buffer.relocs()[0].kind, kind, "{mode:?}");
    }
}

/// One spelling of what the decoder's formatter and this crate write differently.
fn normalize(text: &str) -> String {
    let text = text
        .split('#')
        .next()
        .unwrap()
        .trim()
        .replace(", ", ",")
        .replace("lock ", "lock_")
        .replace("addr32 ", "")
        .replace(",1)", ")");
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
    format!("{mnemonic} {operands}")
}

/// The decoder's text in this crate's spelling: signed absolute addresses, unsigned byte immediates of
/// instructions that do not extend them, and no redundant suffixes.
fn respell(inst: &iced_x86::Instruction, ours: &str, theirs: &str) -> String {
    let mut theirs = normalize(theirs);
    if inst.memory_base() == Register::None && inst.memory_index() == Register::None {
        let disp = inst.memory_displacement64();
        let signed = (disp as i32).to_string();
        for unsigned in [disp.to_string(), (disp as u32).to_string()] {
            if !theirs.contains(&signed) {
                theirs = theirs.replace(&unsigned, &signed);
            }
        }
    }
    if inst.op_kinds().any(|kind| kind == OpKind::Immediate8) {
        let imm = inst.immediate8();
        let (signed, unsigned) = (format!("${},", imm as i8), format!("${imm},"));
        if ours.contains(&unsigned) {
            theirs = theirs.replace(&signed, &unsigned);
        }
        if imm == 1 && !ours.contains('$') {
            theirs = theirs.replace("$1,", ""); // The code of shifts by one.
        }
    }
    let (mnemonic, operands) = theirs.split_once(' ').unwrap();
    let operands = match mnemonic {
        "pblendvb" | "blendvps" | "blendvpd" => operands.strip_prefix("%xmm0,").unwrap(),
        "rep" => operands.split_once(' ').map_or(operands, |(op, _)| op),
        _ => operands,
    };
    let operands =
        if operands.ends_with(",%st") { operands.to_string() + "(0)" } else { operands.to_string() };
    let operands = match operands.strip_prefix("%st,") {
        Some(rest) => format!("%st(0),{rest}"),
        None => operands,
    };
    let redundant = [
        "set", "push", "pop", "call", "jmp", "fldcw", "fnstcw", "fnstsw", "ret", "extract", "pextr", "leave",
    ];
    let suffixed = redundant.iter().any(|name| mnemonic.starts_with(name));
    let mine = ours.split(' ').next().unwrap();
    let mnemonic =
        if suffixed && mnemonic.len() == mine.len() + 1 { &mnemonic[..mine.len()] } else { mnemonic };
    format!("{mnemonic} {operands}")
}

fn check_decoder(mode: Mode, buffer: &Buffer) {
    let bits = if mode == Mode::Bits32 { 32 } else { 64 };
    let mut decoder = Decoder::with_ip(bits, buffer.bytes(), 0, DecoderOptions::NONE);
    let mut formatter = GasFormatter::new();
    let options = formatter.options_mut();
    options.set_gas_show_mnemonic_size_suffix(true);
    options.set_number_base(iced_x86::NumberBase::Decimal);
    options.set_signed_immediate_operands(true);
    options.set_signed_memory_displacements(true);
    options.set_rip_relative_addresses(true);
    options.set_use_pseudo_ops(false);
    let text = listing(buffer);
    let mut failures = Vec::new();
    let mut count = 0;
    for line in text.lines().filter(|line| line.starts_with('\t')) {
        let start = decoder.position();
        let inst = decoder.decode();
        let bytes = &buffer.bytes()[start..decoder.position()];
        let mut theirs = String::new();
        formatter.format(&inst, &mut theirs);
        count += 1;
        if line.starts_with("\t.byte") {
            continue;
        }
        let ours = normalize(line);
        let theirs = respell(&inst, &ours, &theirs);
        if ours != theirs {
            failures.push(format!("{ours:40} decoded as {theirs:40} {bytes:02x?}"));
        }
    }
    let shown: Vec<_> = failures.iter().step_by((failures.len() / 60).max(1)).cloned().collect();
    assert!(failures.is_empty(), "{} of {count} differ:\n{}", failures.len(), shown.join("\n"));
    assert!(!decoder.can_decode(), "more instructions than lines");
    println!("{mode:?}: {count} instructions");
}

fn check(name: &str, emit: impl Fn(Mode, &mut Buffer)) {
    for mode in MODES {
        let mut buffer = Buffer::new();
        emit(mode, &mut buffer);
        buffer.finish().unwrap();
        check_decoder(mode, &buffer);
        check_listing(name, mode, &buffer);
    }
}

#[test]
fn integer_instructions() {
    check("integer", integer);
}

#[test]
fn x87_instructions() {
    check("x87", x87);
}

#[test]
fn sse_instructions() {
    for form in [VectorForm::Sse, VectorForm::Avx] {
        check("sse", |mode, buffer| {
            let shapes = sse(mode, form, buffer);
            for (op, count) in SseOp::ALL.iter().zip(shapes) {
                let only_64 = matches!(op, SseOp::Pinsrq | SseOp::Pextrq) && mode == Mode::Bits32;
                let is_missing = only_64 || op.is_avx() && (form == VectorForm::Sse || op.is_long());
                assert!((count > 0) != is_missing, "{op:?}: {count} shapes in the form {form:?}");
            }
        });
    }
}

/// Tries every operation in every shape that only AVX has.
fn avx(mode: Mode, buffer: &mut Buffer) {
    let allows = |f: &dyn Fn(&mut Encoder<'_, TextListing>)| {
        let mut trial = Buffer::new();
        f(&mut Encoder::new(&mut trial, mode));
        trial.error().is_none()
    };
    let (x, m) = (Xmm::XMM1, Mem::base(Gpr::RCX, 0));
    // Their lengths differ, or they have one length; assemblers want a suffix with memory.
    let one_length = |op: SseOp| {
        use SseOp::*;
        let name = op.mnemonic();
        let is_scalar = (name.ends_with("ss") || name.ends_with("sd")) && op != Broadcastss && op != Packsswb;
        is_scalar || matches!(op, Insertps | Movq | Movlps | Movhps | Movlpd | Movhpd | Movhlps | Movlhps)
    };
    let widens = |op: SseOp| {
        use SseOp::*;
        matches!(op, Cvtps2pd | Cvtdq2pd)
            || ["pmovzx", "pmovsx", "pbroad", "broad"].iter().any(|start| op.mnemonic().starts_with(start))
    };
    let narrows = |op: SseOp| matches!(op, SseOp::Cvtpd2ps | SseOp::Cvtpd2dq | SseOp::Cvttpd2dq);
    for &op in SseOp::ALL {
        for length in [Length::B128, Length::B256] {
            let is_crossing = matches!(op, SseOp::Permd | SseOp::Permps | SseOp::Perm2i128 | SseOp::Permq);
            let is_long = length == Length::B256;
            if is_long && one_length(op) || !is_long && is_crossing {
                continue;
            }
            let mut e = Encoder::new(buffer, mode);
            for is_mem in [false, true] {
                let xm: Rm<Xmm> = if is_mem { m.into() } else { x.into() };
                let here = |rm: &Rm<Xmm>| matches!(rm, Rm::Mem(_)) == is_mem;
                if allows(&|e| e.avx(op, length, x, x, xm)) && !(is_long && op.mnemonic().starts_with("mov"))
                {
                    each_x_xm(mode, |first, rm| {
                        if here(&rm)
                            && !matches!(
                                op,
                                SseOp::Psllw
                                    | SseOp::Pslld
                                    | SseOp::Psllq
                                    | SseOp::Psrlw
                                    | SseOp::Psrld
                                    | SseOp::Psrlq
                                    | SseOp::Psraw
                                    | SseOp::Psrad
                            )
                        {
                            xmms(mode).for_each(|dst| e.avx(op, length, dst, first, rm));
                        }
                    });
                }
                if allows(&|e| e.avx_shift_all(op, length, x, x, xm)) {
                    each_x_xm(mode, |first, rm| {
                        if here(&rm) {
                            e.avx_shift_all(op, length, Xmm::XMM0, first, rm);
                        }
                    });
                }
                if allows(&|e| e.avx_blend(op, length, x, x, xm, x)) {
                    each_x_xm(mode, |first, rm| {
                        if here(&rm) {
                            xmms(mode).for_each(|mask| e.avx_blend(op, length, Xmm::XMM0, first, rm, mask));
                        }
                    });
                }
                if allows(&|e| e.avx_i(op, length, x, x, xm, 0)) {
                    each_x_xm(mode, |first, rm| {
                        if here(&rm) {
                            e.avx_i(op, length, Xmm::XMM0, first, rm, 7);
                        }
                    });
                }
                if allows(&|e| e.avx_one_i(op, length, x, xm, 0)) {
                    each_x_xm(mode, |dst, rm| {
                        if here(&rm) {
                            e.avx_one_i(op, length, dst, rm, 9);
                        }
                    });
                }
                let is_free = !widens(op) && !(narrows(op) && (is_long || is_mem));
                let is_free = is_free && op != SseOp::Broadcastf128;
                if is_free
                    && allows(&|e| e.avx_one(op, length, x, xm))
                    && !matches!((op, is_mem), (SseOp::Movss | SseOp::Movsd, false))
                {
                    each_x_xm(mode, |dst, rm| {
                        if here(&rm) {
                            e.avx_one(op, length, dst, rm);
                        }
                    });
                }
                if is_long && widens(op) && allows(&|e| e.avx_widen(op, x, xm)) {
                    each_x_xm(mode, |dst, rm| {
                        if here(&rm) {
                            e.avx_widen(op, dst, rm);
                        }
                    });
                }
            }
            if is_long && narrows(op) {
                each_x_xm(mode, |dst, rm| {
                    if let Rm::Reg(src) = rm {
                        e.avx_narrow(op, dst, src);
                    }
                });
            }
            if allows(&|e| e.avx_shift(op, length, x, x, 0)) {
                xmms(mode).for_each(|dst| xmms(mode).for_each(|src| e.avx_shift(op, length, dst, src, 3)));
            }
            if allows(&|e| e.avx_store(op, length, m, x)) {
                xmms(mode).for_each(|src| {
                    few_mems(mode).into_iter().for_each(|mem| e.avx_store(op, length, mem, src))
                });
            }
        }
    }
    let mut e = Encoder::new(buffer, mode);
    for src in xmms(mode) {
        for dst in xmms(mode) {
            e.extract_upper(dst, src);
        }
        each_x_xm(mode, |dst, rm| e.insert_upper(dst, src, rm));
        for dst in gprs(mode) {
            for op in [SseOp::Pmovmskb, SseOp::Movmskps, SseOp::Movmskpd] {
                e.avx_signs(op, dst, src);
            }
        }
    }
    e.clear_uppers();
}

#[test]
fn avx_instructions() {
    check("avx", avx);
}

#[test]
fn symbols_and_labels() {
    for mode in MODES {
        let mut buffer = Buffer::new();
        symbols(mode, &mut buffer);
        buffer.finish().unwrap();
        check_listing("symbols", mode, &buffer);
    }
}

#[test]
fn what_a_mode_lacks_is_an_error() {
    type Emit = fn(&mut Encoder<'_, ()>);
    let refused = |mode: Mode, emit: Emit| {
        let mut buffer = CodeBuffer::<()>::new();
        let mut e = Encoder::new(&mut buffer, mode);
        e.nop();
        emit(&mut e);
        matches!(buffer.finish(), Err(Error::InvalidOperand { offset: 1 }))
    };
    let only_64: [Emit; 8] = [
        |e| e.alu_rm_r(Alu::Add, Width::B32, Gpr::R8.into(), Gpr::RAX),
        |e| e.alu_rm_r(Alu::Add, Width::B64, Gpr::RAX.into(), Gpr::RAX),
        |e| e.mov_r_rm(Width::B32, Gpr::RAX, Mem::base(Gpr::R12, 0).into()),
        |e| e.sse_x_xm(SseOp::Addss, Xmm::XMM8, Xmm::XMM0.into()),
        |e| e.push_r(Gpr::R15),
        |e| e.sse_x_rm_i(SseOp::Pinsrq, Xmm::XMM1, Gpr::RAX.into(), 0),
        |e| e.lock_cmpxchg16b(Mem::base(Gpr::RAX, 0)),
        |e| e.lea(Width::B32, Gpr::RAX, Mem::rip(SymbolId(0), RelocKind::PcRel32, 0)),
    ];
    for emit in only_64 {
        assert!(refused(Mode::Bits32, emit));
        assert!(!refused(Mode::Bits64, emit));
    }
    let never: [Emit; 9] = [
        |e| e.lea(Width::B32, Gpr::RAX, Mem::index(Gpr::RSP, Scale::X1, 0)),
        |e| e.lea(Width::B8, Gpr::RAX, Mem::base(Gpr::RSP, 0)),
        |e| e.cmovcc(Cond::E, Width::B8, Gpr::RAX, Gpr::RCX.into()),
        |e| e.lock_alu_m_r(Alu::Cmp, Width::B32, Mem::absolute(0), Gpr::RAX),
        |e| e.lock_unary_m(Unary::Div, Width::B32, Mem::absolute(0)),
        |e| e.alu_rm_i(Alu::Add, Width::B8, Gpr::RCX.into(), Imm::Symbol(SymbolId(0), RelocKind::Abs32, 0)),
        |e| e.movsx(Gpr::RAX, Width::B16, Gpr::RCX.into(), Width::B16),
        |e| e.sse_x_xm(SseOp::Movlps, Xmm::XMM0, Xmm::XMM1.into()),
        |e| e.sse_x_i(SseOp::Addss, Xmm::XMM0, 1),
    ];
    for emit in never {
        assert!(MODES.iter().all(|&mode| refused(mode, emit)));
    }
}

#[test]
fn locked_instructions_share_a_bundle() {
    let mut buffer = CodeBuffer::<()>::new();
    buffer.set_bundle(32);
    let mut e = Encoder::new(&mut buffer, Mode::Bits64);
    // Six of five bytes each: the next would straddle the end of the bundle.
    (0..6).for_each(|_| e.mov_r_i(Width::B32, Gpr::RAX, 0x1234_5678));
    e.mov_r_i(Width::B32, Gpr::RCX, 0x1234_5678);
    assert_eq!(e.buf.offset(), 32 + 5);
    // A pair of which only the second straddles it goes up as a whole, with its relocation.
    (0..4).for_each(|_| e.mov_r_i(Width::B32, Gpr::RAX, 0x1234_5678));
    e.nop();
    assert_eq!(e.buf.offset(), 32 + 26);
    e.buf.lock(2, Place::Inside);
    e.mov_r_rm(Width::B32, Gpr::RAX, Rm::Reg(Gpr::RAX));
    e.mov_r_symbol(Gpr::RAX, SymbolId(3), RelocKind::Abs32, 0);
    assert_eq!(e.buf.offset(), 64 + 7);
    // A call ends its bundle.
    e.buf.lock(1, Place::AtEnd);
    e.call_symbol(SymbolId(4), RelocKind::PcRel32);
    e.ret();
    buffer.finish().expect("all labels are bound");
    assert_eq!(buffer.bytes()[32 + 26..64 + 3], [0x66, 0x0f, 0x1f, 0x44, 0, 0, 0x89, 0xc0, 0xb8]);
    assert_eq!(buffer.bytes()[96 - 5], 0xe8);
    assert_eq!(buffer.bytes().len(), 96 + 1);
    let offsets: Vec<_> = buffer.relocs().iter().map(|reloc| reloc.offset).collect();
    assert_eq!(offsets, [64 + 3, 96 - 4]);
}
