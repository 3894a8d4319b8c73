//! Every row of the MIPS tables with random operands over all fields: decoded by capstone and compared with
//! the listing, and the listing assembled by `llvm-mc` and the GNU assembler and compared with the bytes.

use crate::common;

use capstone::arch::{BuildsCapstone, BuildsCapstoneEndian};
use common::assemblers::WordAssemblers;
use common::{Random, listing};
use ice_asm::mips32::*;
use ice_asm::{CodeBuffer, Error, RelocKind, SymbolId, TextListing};

type Buffer = CodeBuffer<TextListing, Branches>;
type Mips<'a> = Encoder<'a, TextListing>;

/// How often each row is encoded.
const TIMES: usize = 40;

/// Random operands.
struct Operands(Random);

impl Operands {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    fn gpr(&mut self) -> Gpr {
        Gpr::new(self.below(32) as u8)
    }

    fn fpr(&mut self, width: FloatWidth) -> Fpr {
        match width {
            FloatWidth::S => Fpr::new(self.below(32) as u8),
            FloatWidth::D => Fpr::new(2 * self.below(16) as u8),
        }
    }

    fn cc(&mut self) -> Cc {
        Cc::new(self.below(8) as u8)
    }

    /// A number with sign, often one at the ends.
    fn imm(&mut self) -> i32 {
        let any = self.below(0x10000) as i32 - 0x8000;
        self.pick(&[any, any, 0, -1, 0x7fff, -0x8000])
    }

    fn mem(&mut self) -> Mem {
        Mem::new(self.gpr(), self.imm())
    }
}

/// Calls `f` for every operation with an encoder and random operands, [`TIMES`] times.
fn each<T: Copy>(
    all: &[T],
    buffer: &mut Buffer,
    r: &mut Operands,
    f: impl Fn(T, &mut Mips<'_>, &mut Operands),
) {
    for &op in all {
        for _ in 0..TIMES {
            f(op, &mut Encoder::new(buffer), r);
        }
    }
}

fn integer(buffer: &mut Buffer, r: &mut Operands) {
    each(Alu::ALL, buffer, r, |op, e, r| e.alu(op, r.gpr(), r.gpr(), r.gpr()));
    each(AluSigned::ALL, buffer, r, |op, e, r| e.alu_signed(op, r.gpr(), r.gpr(), r.imm()));
    each(AluUnsigned::ALL, buffer, r, |op, e, r| e.alu_unsigned(op, r.gpr(), r.gpr(), r.imm() as u16));
    each(Shift::ALL, buffer, r, |op, e, r| e.shift(op, r.gpr(), r.gpr(), r.below(32) as u8));
    each(ShiftBy::ALL, buffer, r, |op, e, r| e.shift_by(op, r.gpr(), r.gpr(), r.gpr()));
    each(Count::ALL, buffer, r, |op, e, r| e.count(op, r.gpr(), r.gpr()));
    each(Extend::ALL, buffer, r, |op, e, r| e.extend(op, r.gpr(), r.gpr()));
    each(MultiplyDivide::ALL, buffer, r, |op, e, r| e.multiply_divide(op, r.gpr(), r.gpr()));
    each(FromHiLo::ALL, buffer, r, |op, e, r| e.from_hi_lo(op, r.gpr()));
    each(ToHiLo::ALL, buffer, r, |op, e, r| e.to_hi_lo(op, r.gpr()));
    each(MoveIfFlag::ALL, buffer, r, |op, e, r| e.move_if_flag(op, r.gpr(), r.gpr(), r.cc()));
    each(&[()], buffer, r, |(), e, r| {
        e.lui(r.gpr(), r.below(0x10000) as i32);
        let lsb = r.below(32) as u8;
        let size = 1 + r.below(32 - u32::from(lsb)) as u8;
        e.ext(r.gpr(), r.gpr(), lsb, size);
        e.ins(r.gpr(), r.gpr(), lsb, size);
    });
}

fn memory(buffer: &mut Buffer, r: &mut Operands) {
    each(Transfer::ALL, buffer, r, |op, e, r| e.transfer(op, r.gpr(), r.mem()));
}

fn control(buffer: &mut Buffer, r: &mut Operands) {
    each(Trap::ALL, buffer, r, |op, e, r| e.trap(op, r.gpr(), r.gpr(), r.below(1 << 10) as u16));
    each(&[()], buffer, r, |(), e, r| {
        e.jr(r.gpr());
        e.nop();
        let [d, s] = [r.below(32) as u8, 1 + r.below(31) as u8];
        e.jalr(Gpr::new(d), Gpr::new(d + s));
        e.nop();
        e.breakpoint(r.below(1 << 10) as u16);
        e.read_thread_pointer(r.gpr());
    });
    let mut e = Encoder::new(buffer);
    e.syscall();
    e.sync();
    e.trap_if_zero(r.gpr());
}

fn float(buffer: &mut Buffer, r: &mut Operands) {
    use FloatWidth::{D, S};
    for w in [S, D] {
        each(Float3::ALL, buffer, r, |op, e, r| e.float3(op, w, r.fpr(w), r.fpr(w), r.fpr(w)));
        each(Float2::ALL, buffer, r, |op, e, r| e.float2(op, w, r.fpr(w), r.fpr(w)));
        each(FloatMultiplyAdd::ALL, buffer, r, |op, e, r| {
            e.float_multiply_add(op, w, [(); 4].map(|()| r.fpr(w)));
        });
        each(FloatCompare::ALL, buffer, r, |op, e, r| e.float_compare(op, w, r.cc(), r.fpr(w), r.fpr(w)));
        each(FloatMoveIf::ALL, buffer, r, |op, e, r| e.float_move_if(op, w, r.fpr(w), r.fpr(w), r.gpr()));
        each(FloatMoveIfFlag::ALL, buffer, r, |op, e, r| {
            e.float_move_if_flag(op, w, r.fpr(w), r.fpr(w), r.cc());
        });
    }
    each(FloatConvert::ALL, buffer, r, |op, e, r| e.float_convert(op, r.fpr(D), r.fpr(D)));
    each(Transmit::ALL, buffer, r, |op, e, r| e.transmit(op, r.gpr(), r.fpr(D)));
    each(&[Transmit::Mfc1, Transmit::Mtc1], buffer, r, |op, e, r| e.transmit(op, r.gpr(), r.fpr(S)));
    each(FloatControl::ALL, buffer, r, |op, e, r| e.float_control(op, r.gpr(), r.pick(&[0, 25, 26, 28, 31])));
    each(FloatTransfer::ALL, buffer, r, |op, e, r| e.float_transfer(op, r.fpr(D), r.mem()));
    each(FloatLoadIndexed::ALL, buffer, r, |op, e, r| e.float_load_indexed(op, r.fpr(D), r.gpr(), r.gpr()));
    each(FloatStoreIndexed::ALL, buffer, r, |op, e, r| e.float_store_indexed(op, r.fpr(D), r.gpr(), r.gpr()));
}

/// Conditions of every kind.
fn conditions(r: &mut Operands) -> [Cond; 8] {
    let (s, t, cc) = (r.gpr(), r.gpr(), r.cc());
    let all = [Cond::Eq(s, t), Cond::Lez(s), Cond::Ltz(s), Cond::True(cc)];
    let inverted = all.map(Cond::invert);
    [all, inverted].concat().try_into().unwrap()
}

fn symbols(buffer: &mut Buffer, r: &mut Operands) {
    use RelocKind::*;
    buffer.set_symbol(SymbolId(0));
    let (back, ahead) = (buffer.new_label(), buffer.new_label());
    let symbol = SymbolId(7);
    let mut e = Encoder::new(buffer);
    e.bind(back);
    for op in Jump::ALL {
        e.jump_symbol(*op, symbol);
        e.nop();
    }
    for target in [back, ahead] {
        for cond in conditions(r) {
            let slot = e.slot(|e| e.alu_signed(AluSigned::Addiu, r.gpr(), r.gpr(), r.imm()));
            e.branch(Some(cond), target, slot);
            e.nop();
            e.branch(None, target, slot);
            e.nop();
        }
    }
    for addend in [0, 1, -1, 0x7fff, 0x8000, 0x1234_5678, -0x1234_5678] {
        e.lui(Gpr::AT, Imm::high(symbol, addend));
        e.alu_signed(AluSigned::Addiu, Gpr::A0, Gpr::AT, Imm::low(symbol, addend));
        e.transfer(Transfer::Lw, Gpr::A0, Mem { base: Gpr::AT, offset: Imm::low(symbol, addend) });
    }
    for kind in [MipsGot16, MipsCall16, MipsGotTpRel] {
        let mem = Mem { base: Gpr::GP, offset: Imm::Symbol(kind, symbol, 0) };
        e.transfer(Transfer::Lw, Gpr::T9, mem);
    }
    e.alu_signed(AluSigned::Addiu, Gpr::A0, Gpr::GP, Imm::Symbol(MipsTlsGd, symbol, 0));
    e.lui(Gpr::V1, Imm::Symbol(MipsTpRelHi16, symbol, 0));
    e.alu_signed(AluSigned::Addiu, Gpr::V1, Gpr::V1, Imm::Symbol(MipsTpRelLo16, symbol, 0));
    e.bind(ahead);
    e.nop();
    e.buf.align(16);
    e.buf.emit_u32(0xdead_beef);
    e.buf.emit_label(Abs32, ahead);
    e.buf.emit_symbol(Abs32, symbol, 4);
    e.buf.emit_label_difference(back, ahead);
}

/// The bits that the linker does not fill in.
fn kept_bits(kind: RelocKind) -> u32 {
    match kind {
        RelocKind::Abs32 | RelocKind::PcRel32 => 0,
        RelocKind::Mips26 => 0xfc00_0000,
        _ => 0xffff_0000,
    }
}

pub const ASSEMBLERS: WordAssemblers = WordAssemblers {
    machine: "mips",
    head: "\t.set noreorder\n\t.set nomacro\n\t.set noat\n",
    tools: &[
        ("llvm-mc-19", &["-filetype=obj", "-triple=mipsel-linux-gnu", "-mcpu=mips32r2"]),
        ("mipsel-linux-gnu-as", &["-mips32r2", "-mno-fix-loongson3-llsc"]),
    ],
    kept_bits,
};

/// What the decoder writes for the line: synonyms, and neither a first condition code nor an offset of zero.
fn respell(line: &str) -> String {
    let line = line.trim().replace("$fcc0, ", "").replace(" 0(", " (");
    let line = line.replace("jalr $zero, ", "jr ").replace("jalr $ra, ", "jalr ");
    let zero = |line: &str, name: &str, synonym: &str| {
        let (d, rest) = line.strip_prefix(name)?.strip_prefix(' ')?.split_once(", ")?;
        let (s, t) = rest.split_once(", ")?;
        match name {
            "or" | "addu" if t == "$zero" => Some(format!("{synonym} {d}, {s}")),
            "sub" | "subu" if s == "$zero" => Some(format!("{synonym} {d}, {t}")),
            _ => None,
        }
    };
    [("or", "move"), ("addu", "move"), ("sub", "neg"), ("subu", "negu")]
        .into_iter()
        .find_map(|(name, synonym)| zero(&line, name, synonym))
        .unwrap_or(line)
}

/// Comparisons into another condition code than the first are not known to the decoder, nor is arithmetic on four
/// registers whose first has a number from 8 to 15: it takes them for branches of coprocessor 3.
fn is_unknown(word: u32) -> bool {
    let is_compare = word >> 26 == 0x11 && word >> 24 & 3 == 2 && word >> 4 & 15 == 3;
    is_compare && word >> 8 & 7 != 0 || word >> 26 == 0x13 && word >> 24 & 3 == 1
}

/// The decoder's text with decimal numbers.
fn decimal(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = &rest[at + 2..];
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        out.push_str(&rest[..at]);
        out.push_str(&u64::from_str_radix(&digits[..end], 16).unwrap().to_string());
        rest = &digits[end..];
    }
    out + rest
}

fn check_decoder(name: &str, buffer: &Buffer) {
    let mode = capstone::arch::mips::ArchMode::Mips32;
    let decoder = capstone::Capstone::new().mips().mode(mode);
    let decoder = decoder.endian(capstone::Endian::Little).build().unwrap();
    let text = listing(buffer);
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with('\t')).collect();
    assert_eq!(lines.len() * 4, buffer.bytes().len());
    let mut failures = Vec::new();
    for (line, bytes) in lines.iter().zip(buffer.bytes().chunks(4)) {
        if is_unknown(u32::from_le_bytes(bytes.try_into().unwrap())) {
            continue;
        }
        let ours = respell(line);
        let theirs = decoder.disasm_count(bytes, 0, 1).unwrap();
        let theirs = theirs.iter().next().map_or_else(String::new, |inst| {
            decimal(&format!("{} {}", inst.mnemonic().unwrap_or(""), inst.op_str().unwrap_or("")))
        });
        if ours != theirs.trim() {
            failures.push(format!("{ours:44} decoded as {theirs:44} {bytes:02x?}"));
        }
    }
    let shown: Vec<_> = failures.iter().step_by((failures.len() / 100).max(1)).cloned().collect();
    assert!(
        failures.is_empty(),
        "{name}: {} of {} differ:\n{}",
        failures.len(),
        lines.len(),
        shown.join("\n")
    );
}

fn check(name: &str, emit: impl Fn(&mut Buffer, &mut Operands)) {
    let mut buffer = Buffer::new();
    emit(&mut buffer, &mut Operands(Random::new(0x1ce)));
    // The GNU assembler pads the section.
    while !buffer.offset().is_multiple_of(16) {
        Encoder::new(&mut buffer).nop();
    }
    buffer.finish().unwrap();
    ASSEMBLERS.check(name, &buffer);
    check_decoder(name, &buffer);
}

#[test]
fn integer_instructions() {
    check("integer", integer);
}

#[test]
fn loads_and_stores() {
    check("memory", memory);
}

#[test]
fn control_instructions() {
    check("control", control);
}

#[test]
fn floating_point_instructions() {
    check("float", float);
}

#[test]
fn symbols_and_labels() {
    let mut buffer = Buffer::new();
    symbols(&mut buffer, &mut Operands(Random::new(0x1ce)));
    buffer.finish().unwrap();
    ASSEMBLERS.check("symbols", &buffer);
}

#[test]
fn what_cannot_be_encoded_is_an_error() {
    type Emit = fn(&mut Encoder<'_, ()>);
    use FloatWidth::D;
    let never: [Emit; 14] = [
        |e| e.alu_signed(AluSigned::Addiu, Gpr::A0, Gpr::A0, 0x8000),
        |e| e.lui(Gpr::A0, 0x1_0000),
        |e| e.lui(Gpr::A0, -1),
        |e| e.shift(Shift::Sll, Gpr::A0, Gpr::A0, 32),
        |e| e.ext(Gpr::A0, Gpr::A0, 31, 2),
        |e| e.ins(Gpr::A0, Gpr::A0, 0, 0),
        |e| e.transfer(Transfer::Lw, Gpr::A0, Mem::new(Gpr::SP, -0x8001)),
        |e| e.float3(Float3::Add, D, Fpr::new(1), Fpr::new(0), Fpr::new(0)),
        |e| e.float_convert(FloatConvert::DoubleFromSingle, Fpr::new(1), Fpr::new(1)),
        |e| e.float_transfer(FloatTransfer::Ldc1, Fpr::new(3), Mem::new(Gpr::SP, 0)),
        |e| e.transmit(Transmit::Mfhc1, Gpr::A0, Fpr::new(3)),
        |e| e.jalr(Gpr::T9, Gpr::T9),
        |e| e.breakpoint(1 << 10),
        |e| {
            e.slot(|e| e.lui(Gpr::A0, Imm::high(SymbolId(0), 0)));
        },
    ];
    for (number, emit) in never.into_iter().enumerate() {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let mut e = Encoder::new(&mut buffer);
        e.nop();
        emit(&mut e);
        assert_eq!(buffer.finish(), Err(Error::InvalidOperand { offset: 4 }), "number {number}");
    }
}
