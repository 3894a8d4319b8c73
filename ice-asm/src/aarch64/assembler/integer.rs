//! Integer arithmetic, moves and branches, which the encoder has, and their other names (DDI 0487, C6.2).

use super::operand::{Change, Operand, cond};
use super::{Assembler, Named as _, Result, named, relocation};
use crate::aarch64::int_moves::cut;
use crate::aarch64::{
    Alu, ArithImm, BitField, BranchCond, Carry, Compare, Cond, ConditionalCompare, Extend, Gpr, LogicImm,
    MoveWide, Multiply, MultiplyHigh, MultiplyLong, One, Operand as Source, Select, Shift, Two, Width, bits,
    number_len,
};
use crate::assembler::AssemblyErrorKind;
use crate::reloc::RelocKind;

named!(Alu Compare Carry Two One Multiply MultiplyLong MultiplyHigh BitField Select ConditionalCompare MoveWide);

/// Other names, and those that have functions of their own.
const NAMES: &[&str] = &[
    "neg", "negs", "mvn", "ngc", "ngcs", "mov", "mul", "mneg", "smull", "umull", "smnegl", "umnegl", "lslv",
    "lsrv", "asrv", "rorv", "rev64", "ubfx", "sbfx", "bfi", "bfxil", "ubfiz", "sbfiz", "bfc", "sxtb", "sxth",
    "sxtw", "uxtb", "uxth", "uxtw", "extr", "cset", "csetm", "cinc", "cinv", "cneg", "b", "bl", "cbz",
    "cbnz", "tbz", "tbnz", "br", "blr", "ret", "adr", "adrp",
];

pub(super) fn is_known(name: &str) -> bool {
    is_in_tables(name) || NAMES.contains(&name) || condition_of(name).is_some()
}

/// The condition of `b.eq` or `beq`.
fn condition_of(name: &str) -> Option<Cond> {
    let rest = name.strip_prefix('b')?;
    cond(rest.strip_prefix('.').unwrap_or(rest))
}

/// The kinds of relocations that additions may have.
const SUMS: [RelocKind; 4] = [
    RelocKind::Aarch64AddLo12,
    RelocKind::Aarch64TlsLeHi12,
    RelocKind::Aarch64TlsLeLo12,
    RelocKind::Aarch64TlsDescAddLo12,
];

/// Those of `adrp` with an operator.
const PAGES: [RelocKind; 3] =
    [RelocKind::Aarch64GotPage21, RelocKind::Aarch64TlsIePage21, RelocKind::Aarch64TlsDescPage21];

/// The number in a register of this width, if it has room there with its sign or without.
fn in_width(width: Width, number: i64) -> Option<u64> {
    match width {
        Width::X => Some(number as u64),
        Width::W => (-(1 << 31)..1 << 32).contains(&number).then_some(u64::from(number as u32)),
    }
}

/// The operation with the opposite number.
const fn opposite(op: Alu) -> Option<Alu> {
    match op {
        Alu::Add => Some(Alu::Sub),
        Alu::Adds => Some(Alu::Subs),
        Alu::Sub => Some(Alu::Add),
        Alu::Subs => Some(Alu::Adds),
        _ => None,
    }
}

/// The operation with the complement of a number.
const fn complement(op: Alu) -> Option<Alu> {
    match op {
        Alu::Bic => Some(Alu::And),
        Alu::Bics => Some(Alu::Ands),
        Alu::Orn => Some(Alu::Orr),
        Alu::Eon => Some(Alu::Eor),
        _ => None,
    }
}

const fn is_arithmetic(op: Alu) -> bool {
    opposite(op).is_some()
}

impl Assembler<'_, '_, '_> {
    /// The last operand of an operation, which may become another one by it.
    fn source(&mut self, op: Alu, width: Width, operands: &[Operand<'_>]) -> Option<(Alu, Source)> {
        let is_low = |w: Width, extend: Extend| w == extend.source(width);
        match *operands {
            [Operand::Gpr(m, w)] if w == width => Some((op, Source::Reg(m))),
            [Operand::Gpr(m, w), Operand::Change(Change::Shift(shift), Some(amount))] if w == width => {
                Some((op, Source::Shift(m, shift, u8::try_from(amount).ok()?)))
            }
            [Operand::Gpr(m, w), Operand::Change(Change::Extend(extend), amount)] if is_low(w, extend) => {
                Some((op, Source::Extend(m, extend, u8::try_from(amount.unwrap_or(0)).ok()?)))
            }
            [ref number] => {
                let number = in_width(width, self.number(number)?)?;
                if is_arithmetic(op) {
                    let negated = ArithImm::new(cut(width, number.wrapping_neg()));
                    return match (ArithImm::new(number), negated) {
                        (Some(imm), _) => Some((op, imm.into())),
                        (None, negated) => Some((opposite(op)?, negated?.into())),
                    };
                }
                let (op, number) = match complement(op) {
                    Some(op) => (op, !number),
                    None => (op, number),
                };
                Some((op, LogicImm::new(width, number)?.into()))
            }
            [ref number, Operand::Change(Change::Shift(Shift::Lsl), Some(amount @ (0 | 12)))] => {
                let number = u64::try_from(self.number(number)?).ok().filter(|&number| number < 1 << 12)?;
                is_arithmetic(op).then_some((op, ArithImm::new(number << amount)?.into()))
            }
            _ => None,
        }
    }

    /// `add x0, x1, :lo12:symbol`.
    fn sum_of_symbol(&mut self, d: Gpr, n: Gpr, operands: &[Operand<'_>]) -> Option<()> {
        let (text, is_shifted) = match *operands {
            [Operand::Word(text)] => (text, false),
            [Operand::Word(text), Operand::Change(Change::Shift(Shift::Lsl), Some(12))] => (text, true),
            _ => return None,
        };
        let (kind, name) = relocation(text, &SUMS)?;
        if is_shifted && kind != RelocKind::Aarch64TlsLeHi12 {
            return None;
        }
        let (symbol, addend) = self.symbol(name)?;
        self.encoder.add_symbol(d, n, kind, symbol, addend);
        Some(())
    }

    /// Arithmetic, logic and comparisons.
    pub(super) fn integer(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::Gpr as R;
        match (name, operands) {
            ("neg" | "negs" | "mvn", &[R(d, width), ref rest @ ..]) => {
                let op = match name {
                    "neg" => Alu::Sub,
                    "negs" => Alu::Subs,
                    _ => Alu::Orn,
                };
                let (op, source) = self.source(op, width, rest)?;
                matches!(source, Source::Reg(_) | Source::Shift(..))
                    .then(|| self.encoder.alu(op, width, d, Gpr::ZERO, source))
            }
            ("ngc", &[R(d, width), R(m, w)]) if w == width => {
                self.encoder.carry(Carry::Sbc, width, d, Gpr::ZERO, m);
                Some(())
            }
            ("ngcs", &[R(d, width), R(m, w)]) if w == width => {
                self.encoder.carry(Carry::Sbcs, width, d, Gpr::ZERO, m);
                Some(())
            }
            (_, &[R(d, width), R(n, w), ref rest @ ..]) if Alu::named(name).is_some() => {
                if w != width {
                    return None;
                }
                let op = Alu::named(name)?;
                if op == Alu::Add && width == Width::X && self.sum_of_symbol(d, n, rest).is_some() {
                    return Some(());
                }
                let (op, source) = self.source(op, width, rest)?;
                self.encoder.alu(op, width, d, n, source);
                Some(())
            }
            (_, &[R(n, width), ref rest @ ..]) if Compare::named(name).is_some() => {
                let op = match Compare::named(name)? {
                    Compare::Cmp => Alu::Subs,
                    Compare::Cmn => Alu::Adds,
                    Compare::Tst => Alu::Ands,
                };
                let (op, source) = self.source(op, width, rest)?;
                self.encoder.alu(op, width, Gpr::ZERO, n, source);
                Some(())
            }
            _ => self.products_and_shifts(name, operands).or_else(|| self.choices(name, operands)),
        }
    }

    fn products_and_shifts(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::Gpr as R;
        let e = &mut *self.encoder;
        let (x, w) = (Width::X, Width::W);
        match *operands {
            [R(d, width), R(n, wn), R(m, wm)] if wn == width && wm == width => {
                if let Some(op) = Carry::named(name) {
                    return {
                        e.carry(op, width, d, n, m);
                        Some(())
                    };
                }
                let plain = name.strip_suffix('v').filter(|name| Two::named(name).is_some());
                if let Some(op) = Two::named(plain.unwrap_or(name)) {
                    return {
                        e.two(op, width, d, n, m);
                        Some(())
                    };
                }
                if let Some(op) = MultiplyHigh::named(name).filter(|_| width == x) {
                    return {
                        e.multiply_high(op, d, n, m);
                        Some(())
                    };
                }
                match name {
                    "mul" => {
                        e.multiply(Multiply::Madd, width, d, n, m, Gpr::ZERO);
                        Some(())
                    }
                    "mneg" => {
                        e.multiply(Multiply::Msub, width, d, n, m, Gpr::ZERO);
                        Some(())
                    }
                    _ => None,
                }
            }
            [R(d, wd), R(n, wn), R(m, wm)] if (wd, wn, wm) == (x, w, w) => {
                let op = match name {
                    "smull" => MultiplyLong::Smaddl,
                    "umull" => MultiplyLong::Umaddl,
                    "smnegl" => MultiplyLong::Smsubl,
                    "umnegl" => MultiplyLong::Umsubl,
                    _ => return None,
                };
                e.multiply_long(op, d, n, m, Gpr::ZERO);
                Some(())
            }
            [R(d, width), R(n, wn), R(m, wm), R(a, wa)] if [wn, wm, wa] == [width; 3] => {
                e.multiply(Multiply::named(name)?, width, d, n, m, a);
                Some(())
            }
            [R(d, wd), R(n, wn), R(m, wm), R(a, wa)] if (wd, wn, wm, wa) == (x, w, w, x) => {
                e.multiply_long(MultiplyLong::named(name)?, d, n, m, a);
                Some(())
            }
            [R(d, width), R(n, wn)] if wn == width && One::named(name).is_some() => {
                e.one(One::named(name)?, width, d, n);
                Some(())
            }
            [R(d, width), R(n, wn)] if name == "rev64" && [width, wn] == [x; 2] => {
                e.one(One::Rev, x, d, n);
                Some(())
            }
            [R(d, width), R(n, wn)] => {
                let (op, last) = match name {
                    "sxtb" => (BitField::Sbfm, 7),
                    "sxth" => (BitField::Sbfm, 15),
                    "sxtw" => (BitField::Sbfm, 31),
                    "uxtb" => (BitField::Ubfm, 7),
                    "uxth" => (BitField::Ubfm, 15),
                    "uxtw" => (BitField::Ubfm, 31),
                    _ => return None,
                };
                let fits = width == x || last < 31 && wn == w;
                fits.then(|| e.bit_field(op, width, d, n, 0, last))
            }
            [R(d, width), R(n, wn), ref amount] if wn == width => {
                let amount = self.below(amount, width.bits())?;
                let shift = Shift::ALL.into_iter().find(|shift| shift.mnemonic() == name)?;
                self.encoder.shift_by(shift, width, d, n, amount);
                Some(())
            }
            [R(d, width), R(n, wn), R(m, wm), ref lsb] if name == "extr" && [wn, wm] == [width; 2] => {
                let lsb = self.below(lsb, width.bits())?;
                self.encoder.extract_pair(width, d, n, m, lsb);
                Some(())
            }
            [R(d, width), ref a, ref b] if name == "bfc" => {
                let (a, b) = (self.below(a, width.bits())?, self.below(b, width.bits() + 1)?);
                self.encoder.insert_bits(width, d, Gpr::ZERO, a, b);
                Some(())
            }
            [R(d, width), R(n, wn), ref a, ref b] if wn == width => {
                let (a, b) = (self.below(a, width.bits())?, self.below(b, width.bits() + 1)?);
                self.field(name, width, d, n, [a, b])
            }
            _ => None,
        }
    }

    /// An operation on a field of bits, with two numbers.
    fn field(&mut self, name: &str, width: Width, d: Gpr, n: Gpr, [a, b]: [u8; 2]) -> Option<()> {
        let e = &mut *self.encoder;
        if let Some(op) = BitField::named(name) {
            return {
                e.bit_field(op, width, d, n, a, b);
                Some(())
            };
        }
        let bits = width.bits() as u8;
        if b == 0 || b > bits - a {
            return None;
        }
        let turned = a.wrapping_neg() & (bits - 1);
        let _: () = match name {
            "ubfx" => e.extract_bits(false, width, d, n, a, b),
            "sbfx" => e.extract_bits(true, width, d, n, a, b),
            "bfi" => e.insert_bits(width, d, n, a, b),
            "bfxil" => e.bit_field(BitField::Bfm, width, d, n, a, a + b - 1),
            "ubfiz" => e.bit_field(BitField::Ubfm, width, d, n, turned, b - 1),
            "sbfiz" => e.bit_field(BitField::Sbfm, width, d, n, turned, b - 1),
            _ => return None,
        };
        Some(())
    }

    /// Conditional choices and comparisons.
    fn choices(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::{Gpr as R, Word};
        let other = |text| cond(text).filter(|&cond| cond != Cond::Al).map(Cond::invert);
        match *operands {
            [R(d, width), R(n, wn), R(m, wm), Word(text)]
                if [wn, wm] == [width; 2] && Select::named(name).is_some() =>
            {
                self.encoder.select(Select::named(name)?, width, d, n, m, cond(text)?);
                Some(())
            }
            [R(d, width), R(n, wn), Word(text)] if wn == width => {
                let op = match name {
                    "cinc" => Select::Csinc,
                    "cinv" => Select::Csinv,
                    "cneg" => Select::Csneg,
                    _ => return None,
                };
                self.encoder.select(op, width, d, n, n, other(text)?);
                Some(())
            }
            [R(d, width), Word(text)] if matches!(name, "cset" | "csetm") => {
                let op = if name == "cset" { Select::Csinc } else { Select::Csinv };
                self.encoder.select(op, width, d, Gpr::ZERO, Gpr::ZERO, other(text)?);
                Some(())
            }
            [R(n, width), ref source, ref flags, Word(text)] => {
                let op = ConditionalCompare::named(name)?;
                let source = match *source {
                    R(m, wm) if wm == width => Source::Reg(m),
                    R(..) => return None,
                    ref number => ArithImm::new(self.below(number, 32)?.into())?.into(),
                };
                let flags = self.below(flags, 16)?;
                self.encoder.conditional_compare(op, width, n, source, flags, cond(text)?);
                Some(())
            }
            _ => None,
        }
    }

    /// Moves between general-purpose registers and of numbers.
    pub(super) fn move_(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::Gpr as R;
        match *operands {
            [R(d, width), R(n, wn)] if name == "mov" && wn == width => {
                self.encoder.mov(width, d, n);
                Some(())
            }
            [R(d, width), ref number] if name == "mov" => {
                let number = in_width(width, self.number(number)?)?;
                match (d, LogicImm::new(width, number)) {
                    (Gpr::SP, imm) => {
                        self.encoder.alu(Alu::Orr, width, d, Gpr::ZERO, imm?);
                        Some(())
                    }
                    _ => (number_len(width, number) == 1).then(|| self.number_to(width, d, number)),
                }
            }
            [R(d, width), ref number, ref rest @ ..] => {
                let op = MoveWide::named(name)?;
                let shift = match *rest {
                    [] => 0,
                    [Operand::Change(Change::Shift(Shift::Lsl), Some(amount))] => {
                        u8::try_from(amount).ok()?
                    }
                    _ => return None,
                };
                let number = u16::try_from(self.number(number)?).ok()?;
                self.encoder.mov_wide(op, width, d, number, shift);
                Some(())
            }
            _ => None,
        }
    }

    /// A number in a register; one of zeros forgets it.
    pub(super) fn number_to(&mut self, width: Width, d: Gpr, number: u64) {
        match d.is_base() {
            true => self.encoder.mov_number(width, d, number),
            false => self.encoder.mov_wide(MoveWide::Movz, width, d, 0, 0),
        }
    }

    /// Branches and calls.
    pub(super) fn branch(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<Result<()>> {
        use Operand::Gpr as R;
        let invalid = Some(Err(AssemblyErrorKind::Operands));
        let jump = bits!("0 00101 iiiiiiiiiiiiiiiiiiiiiiiiii");
        match (name, operands) {
            ("b" | "b.al" | "bal", [target]) => Some(self.word_to(jump, RelocKind::Aarch64Jump26, target)),
            ("bl", [target]) => Some(self.word_to(jump | 1 << 31, RelocKind::Aarch64Call26, target)),
            ("cbz" | "cbnz", &[R(t, width), ref target]) => {
                let cond = match name {
                    "cbz" => BranchCond::Zero(width, t),
                    _ => BranchCond::NonZero(width, t),
                };
                self.branch_if(cond, target)
            }
            ("tbz" | "tbnz", &[R(t, width), ref bit, ref target]) => {
                let Some(bit) = self.below(bit, width.bits()) else { return invalid };
                let cond = match name {
                    "tbz" => BranchCond::BitZero(t, bit),
                    _ => BranchCond::BitOne(t, bit),
                };
                self.branch_if(cond, target)
            }
            ("br", &[R(n, Width::X)]) => Some({
                self.encoder.jump_reg(n);
                Ok(())
            }),
            ("blr", &[R(n, Width::X)]) => Some({
                self.encoder.call_reg(n);
                Ok(())
            }),
            ("ret", []) => Some({
                self.encoder.ret();
                Ok(())
            }),
            ("ret", &[R(n, Width::X)]) if n.is_plain() => {
                self.word(bits!("1101011 0 0 10 11111 000000 nnnnn 00000") | n.n());
                Some(Ok(()))
            }
            (_, [target]) => self.branch_if(BranchCond::Flags(condition_of(name)?), target),
            _ => None,
        }
    }

    fn branch_if(&mut self, cond: BranchCond, target: &Operand<'_>) -> Option<Result<()>> {
        let kind = match cond {
            BranchCond::BitZero(..) | BranchCond::BitOne(..) => RelocKind::Aarch64Branch14,
            _ => RelocKind::Aarch64Branch19,
        };
        match cond.is_encodable() {
            true => Some(self.word_to(cond.word(0), kind, target)),
            false => None,
        }
    }

    /// Addresses, and loads from near the code.
    pub(super) fn near(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<Result<()>> {
        match (name, operands) {
            ("adr", &[Operand::Gpr(d, Width::X), ref target]) if d.is_plain() => {
                let word = bits!("0 ii 10000 iiiiiiiiiiiiiiiiiii ddddd") | d.d();
                Some(self.word_to(word, RelocKind::Aarch64Address21, target))
            }
            ("adrp", &[Operand::Gpr(d, Width::X), Operand::Word(text)]) => {
                let (kind, text) = relocation(text, &PAGES).unwrap_or((RelocKind::Aarch64Page21, text));
                let Some((symbol, addend)) = self.symbol(text) else {
                    return Some(Err(AssemblyErrorKind::Label));
                };
                Some({
                    self.encoder.adrp_symbol(d, kind, symbol, addend);
                    Ok(())
                })
            }
            _ => self.literal(name, operands),
        }
    }
}
