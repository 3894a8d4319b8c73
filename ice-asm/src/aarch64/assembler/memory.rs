//! Loads and stores (DDI 0487, C6.2): those of the encoder, and with other addresses.

use super::operand::{Change, Index, Operand};
use super::{Assembler, Named as _, Result, named, relocation};
use crate::aarch64::{
    Exclusive, Extend, FloatWidth, Gpr, Mem, Offset, PairTransfer, Shift, StoreExclusive, Transfer, Vreg,
    Width, bits, fits_pair,
};
use crate::assembler::AssemblyErrorKind;
use crate::reloc::RelocKind;

named!(Transfer PairTransfer Exclusive StoreExclusive);

/// Those that have functions of their own.
const NAMES: &[&str] =
    &["ldnp", "stnp", "stlr", "stlrb", "stlrh", "prfm", "prfum", "ldxp", "ldaxp", "stxp", "stlxp"];

pub(super) fn is_known(name: &str) -> bool {
    let base = name.strip_suffix(['b', 'h']).unwrap_or(name);
    let is_exclusive = Exclusive::named(base).is_some() || StoreExclusive::named(base).is_some();
    is_in_tables(name)
        || NAMES.contains(&name)
        || is_exclusive
        || by_bytes(name).is_some()
        || atomic(name).is_some()
}

/// The kinds of loads and stores of `1 << size_log2` bytes.
fn low_kinds(size_log2: u8) -> &'static [RelocKind] {
    match size_log2 {
        0 => &[RelocKind::Aarch64Load8Lo12],
        1 => &[RelocKind::Aarch64Load16Lo12],
        2 => &[RelocKind::Aarch64Load32Lo12],
        3 => &[
            RelocKind::Aarch64Load64Lo12,
            RelocKind::Aarch64GotLo12,
            RelocKind::Aarch64TlsIeLo12,
            RelocKind::Aarch64TlsDescLoadLo12,
        ],
        _ => &[RelocKind::Aarch64Load128Lo12],
    }
}

/// A register that is loaded or stored.
#[derive(Clone, Copy)]
enum Data {
    General(Gpr, Width),
    Float(FloatWidth, Vreg),
}

impl Data {
    fn of(operand: &Operand<'_>) -> Option<Data> {
        match *operand {
            Operand::Gpr(t, width) if t.is_plain() => Some(Data::General(t, width)),
            Operand::Float(width, t) => Some(Data::Float(width, t)),
            _ => None,
        }
    }

    const fn bits(self) -> u32 {
        match self {
            Data::General(t, _) => t.d(),
            Data::Float(_, t) => t.d(),
        }
    }
}

/// A load or store with an offset in bytes, `ldur` or `ldtr`: its mnemonic without that, and the bits that tell which.
fn by_bytes(name: &str) -> Option<([&'static str; 2], &str, u32)> {
    let (start, rest) = name.split_at_checked(4)?;
    let (base, form) = match start {
        "ldur" => (["ldr", "ld"], 0),
        "stur" => (["str", "st"], 0),
        "ldtr" => (["ldr", "ld"], 2 << 10),
        "sttr" => (["str", "st"], 2 << 10),
        _ => return None,
    };
    let is_there = match base[1] {
        "ld" => matches!(rest, "" | "b" | "h" | "sb" | "sh" | "sw"),
        _ => matches!(rest, "" | "b" | "h"),
    };
    is_there.then_some((base, rest, form))
}

/// The bits `o3` and `opc`, those of the order, and that of the size, of an atomic operation on memory ("Atomic memory operations",
/// "Compare and swap").
enum Atomic {
    /// One that gives the old value: its bits, and the size that the mnemonic says.
    Load(u32, Option<u32>),
    /// One that does not.
    Store(u32, Option<u32>),
    Compare(u32, Option<u32>),
    ComparePair(u32),
}

/// The atomic operation of a mnemonic.
fn atomic(name: &str) -> Option<Atomic> {
    const OPS: [&str; 8] = ["add", "clr", "eor", "set", "smax", "smin", "umax", "umin"];
    let (start, rest) = name.split_at_checked(2)?;
    let (name, word) = match (start, rest.split_at_checked(1)) {
        ("ca", Some(("s", rest))) => (rest, bits!("ss 001000 1 A 1 sssss R 11111 nnnnn ttttt")),
        ("sw", Some(("p", rest))) => (rest, bits!("ss 111000 A R 1 sssss 1 000 00 nnnnn ttttt")),
        ("ld" | "st", _) => {
            let number = OPS.iter().position(|op| rest.starts_with(op))?;
            let word = bits!("ss 111000 A R 1 sssss 0 ooo 00 nnnnn ttttt");
            (&rest[OPS[number].len()..], word | (number as u32) << 12)
        }
        _ => return None,
    };
    let (is_pair, name) = match name.strip_prefix('p') {
        Some(rest) if start == "ca" => (true, rest),
        Some(_) => return None,
        None => (false, name),
    };
    let (acquires, name) = match name.strip_prefix('a') {
        Some(rest) => (start != "st", rest),
        None => (false, name),
    };
    let (releases, name) = match name.strip_prefix('l') {
        Some(rest) => (true, rest),
        None => (false, name),
    };
    let size = match name {
        "" => None,
        "b" => Some(0),
        "h" => Some(1),
        _ => return None,
    };
    let (acquire, release) = if start == "ca" { (22, 15) } else { (23, 22) };
    let word = word | u32::from(acquires) << acquire | u32::from(releases) << release;
    Some(match start {
        "ca" if is_pair && size.is_none() => Atomic::ComparePair(
            bits!("0 z 001000 0 A 1 sssss R 11111 nnnnn ttttt") | word & (1 << 22 | 1 << 15),
        ),
        "ca" if is_pair => return None,
        "ca" => Atomic::Compare(word, size),
        "st" => Atomic::Store(word, size),
        _ => Atomic::Load(word, size),
    })
}

impl Assembler<'_, '_, '_> {
    /// The offset that an index is, in accesses of `1 << size_log2` bytes. What stands behind the address is added after.
    fn offset(
        &mut self,
        index: Index<'_>,
        is_before: bool,
        size_log2: u8,
        behind: &[Operand<'_>],
    ) -> Option<Offset> {
        if let [number] = behind {
            let number = i32::try_from(self.number(number)?).ok()?;
            return (index == Index::None && !is_before).then_some(Offset::Post(number));
        }
        if !behind.is_empty() {
            return None;
        }
        let number = match index {
            Index::None => 0,
            Index::Number(number) => number,
            Index::Word(text) => match relocation(text, low_kinds(size_log2)) {
                Some((kind, name)) => {
                    let (symbol, addend) = self.symbol(name)?;
                    return (!is_before).then_some(Offset::Low(kind, symbol, addend));
                }
                None => self.names.number(text)?,
            },
            Index::Register(m, width, change) => {
                let (extend, amount) = match change {
                    None => (Extend::Uxtx, 0),
                    Some((Change::Shift(Shift::Lsl), Some(amount))) => (Extend::Uxtx, amount),
                    Some((Change::Extend(Extend::Uxtx), _)) => return None,
                    Some((Change::Extend(extend), amount)) => (extend, amount.unwrap_or(0)),
                    _ => return None,
                };
                let is_scaled = amount != 0;
                let fits = width == extend.source(Width::X)
                    && !is_before
                    && (!is_scaled || amount == size_log2.into());
                return fits.then_some(Offset::Reg(m, extend, is_scaled));
            }
        };
        let number = i32::try_from(number).ok()?;
        Some(if is_before { Offset::Pre(number) } else { Offset::Imm(number) })
    }

    pub(super) fn memory(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        match *operands {
            [ref t, Operand::Mem(base, index, is_before), ref behind @ ..] => {
                if matches!(name, "prfm" | "prfum") {
                    return self.prefetch(name, t, base, (index, is_before), behind);
                }
                let data = Data::of(t)?;
                let is_plain = index_is_zero(index) && !is_before && behind.is_empty();
                if let (true, Data::General(t, width)) = (is_plain, data)
                    && self.ordered(name, t, width, base).is_some()
                {
                    return Some(());
                }
                if let Some((base_name, rest, form)) = by_bytes(name) {
                    return self.by_bytes((base_name, rest, form), data, base, (index, is_before), behind);
                }
                self.transfer(name, data, base, (index, is_before), behind)
            }
            [ref a, ref b, Operand::Mem(base, index, is_before), ref behind @ ..] => {
                let is_plain = index_is_zero(index) && !is_before && behind.is_empty();
                if is_plain && self.exchange(name, &[*a, *b], base).is_some() {
                    return Some(());
                }
                self.pair(name, [Data::of(a)?, Data::of(b)?], base, (index, is_before), behind)
            }
            [ref before @ .., Operand::Mem(base, index, false)] if index_is_zero(index) => {
                self.exchange(name, before, base)
            }
            _ => None,
        }
    }

    fn transfer(
        &mut self,
        name: &str,
        data: Data,
        base: Gpr,
        (index, is_before): (Index<'_>, bool),
        behind: &[Operand<'_>],
    ) -> Option<()> {
        match data {
            Data::General(t, width) => {
                let mut ops = Transfer::ALL.iter();
                let &op = ops.find(|op| op.mnemonic() == name && op.width() == width)?;
                let offset = self.offset(index, is_before, op.size_log2(), behind)?;
                self.encoder.transfer(op, t, Mem { base, offset });
                Some(())
            }
            Data::Float(width, t) => {
                let offset = self.offset(index, is_before, width.size_log2(), behind)?;
                match name {
                    "ldr" => {
                        self.encoder.load_float(width, t, Mem { base, offset });
                        Some(())
                    }
                    "str" => {
                        self.encoder.store_float(width, t, Mem { base, offset });
                        Some(())
                    }
                    _ => None,
                }
            }
        }
    }

    /// "Load/store register (unscaled immediate)" and "(unprivileged)".
    fn by_bytes(
        &mut self,
        (base_name, rest, form): ([&'static str; 2], &str, u32),
        data: Data,
        base: Gpr,
        (index, is_before): (Index<'_>, bool),
        behind: &[Operand<'_>],
    ) -> Option<()> {
        let is_load = base_name[1] == "ld";
        let (size, opc, vector) = match (rest, data) {
            ("", Data::General(_, width)) => (2 + width as u32, u32::from(is_load), 0),
            ("", Data::Float(width, _)) if form == 0 => {
                let size = u32::from(width.size_log2());
                (size & 3, u32::from(is_load) | (size >> 2) << 1, 1 << 26)
            }
            ("b", Data::General(_, Width::W)) => (0, u32::from(is_load), 0),
            ("h", Data::General(_, Width::W)) => (1, u32::from(is_load), 0),
            ("sb", Data::General(_, width)) => (0, 3 - width as u32, 0),
            ("sh", Data::General(_, width)) => (1, 3 - width as u32, 0),
            ("sw", Data::General(_, Width::X)) => (2, 2, 0),
            _ => return None,
        };
        let word =
            bits!("ss 111 0 00 oo 0 iiiiiiiii ff nnnnn ttttt") | size << 30 | opc << 22 | vector | form;
        self.unscaled(word | data.bits(), base, (index, is_before), behind)
    }

    fn unscaled(
        &mut self,
        word: u32,
        base: Gpr,
        (index, is_before): (Index<'_>, bool),
        behind: &[Operand<'_>],
    ) -> Option<()> {
        let Offset::Imm(offset) = self.offset(index, is_before, 0, behind)? else { return None };
        let fits = (-256..256).contains(&offset) && base.is_base();
        fits.then(|| self.word(word | (offset as u32 & 0x1ff) << 12 | base.n()))
    }

    /// `prfm pldl1keep, [x0]` ("Load/store register (unsigned immediate)").
    fn prefetch(
        &mut self,
        name: &str,
        operation: &Operand<'_>,
        base: Gpr,
        (index, is_before): (Index<'_>, bool),
        behind: &[Operand<'_>],
    ) -> Option<()> {
        let operation = self.prefetch_operation(operation)?;
        if name == "prfum" {
            let word = bits!("11 111 0 00 10 0 iiiiiiiii 00 nnnnn ttttt") | operation;
            return self.unscaled(word, base, (index, is_before), behind);
        }
        let offset = self.offset(index, is_before, 3, behind)?;
        // Its bits are those of a load of 64 bits, of which the operation is another one.
        let word = bits!("11 111 0 00 10 0 iiiiiiiii 00 nnnnn ttttt") | operation | base.n();
        if !base.is_base() {
            return None;
        }
        match offset {
            Offset::Imm(offset) if offset >= 0 && offset % 8 == 0 && offset < 8 << 12 => {
                self.word(word | 1 << 24 | (offset as u32 / 8) << 10);
            }
            Offset::Imm(offset) if (-256..256).contains(&offset) => {
                self.word(word | (offset as u32 & 0x1ff) << 12);
            }
            Offset::Reg(m, extend, is_scaled) if m.is_plain() => {
                let fields = m.m() | (extend as u32) << 13 | u32::from(is_scaled) << 12;
                self.word(word | 1 << 21 | fields | 2 << 10);
            }
            _ => return None,
        }
        Some(())
    }

    /// The number of `pldl1keep` and its like, or of five bits.
    fn prefetch_operation(&mut self, operand: &Operand<'_>) -> Option<u32> {
        let Operand::Word(text) = *operand else { return self.below(operand, 32).map(u32::from) };
        let name = text.to_ascii_lowercase();
        let (kind, rest) = name.split_at_checked(3)?;
        let kind = ["pld", "pli", "pst"].iter().position(|&known| known == kind)? as u32;
        let (level, policy) = rest.split_at_checked(2)?;
        let level = ["l1", "l2", "l3"].iter().position(|&known| known == level)? as u32;
        let policy = ["keep", "strm"].iter().position(|&known| known == policy)? as u32;
        Some(kind << 3 | level << 1 | policy)
    }

    /// `ldp`, `stp`, and with hints `ldnp`, `stnp`.
    fn pair(
        &mut self,
        name: &str,
        pair: [Data; 2],
        base: Gpr,
        (index, is_before): (Index<'_>, bool),
        behind: &[Operand<'_>],
    ) -> Option<()> {
        let offset = self.offset(index, is_before, 0, behind)?;
        let mem = Mem { base, offset };
        let (plain, is_hint) = match name {
            "ldnp" => ("ldp", true),
            "stnp" => ("stp", true),
            _ => (name, false),
        };
        if is_hint {
            return self.pair_with_hint(plain, pair, mem);
        }
        match pair {
            [Data::General(t1, w1), Data::General(t2, w2)] if w1 == w2 => {
                let is_whole = |op: PairTransfer| match op {
                    PairTransfer::StpW | PairTransfer::LdpW => Width::W,
                    _ => Width::X,
                };
                let mut ops = PairTransfer::ALL.iter();
                let &op = ops.find(|&&op| op.mnemonic() == name && is_whole(op) == w1)?;
                self.encoder.transfer_pair(op, t1, t2, mem);
                Some(())
            }
            [Data::Float(w1, t1), Data::Float(w2, t2)] if w1 == w2 => match name {
                "ldp" => {
                    self.encoder.load_float_pair(w1, t1, t2, mem);
                    Some(())
                }
                "stp" => {
                    self.encoder.store_float_pair(w1, t1, t2, mem);
                    Some(())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// "Load/store no-allocate pair (offset)".
    fn pair_with_hint(&mut self, name: &str, pair: [Data; 2], Mem { base, offset }: Mem) -> Option<()> {
        let (opc, vector, size_log2, fields) = match pair {
            [Data::General(t1, w1), Data::General(t2, w2)] if w1 == w2 => {
                ((w1 as u32) << 1, 0, 2 + w1 as u8, t2.a() | t1.d())
            }
            [Data::Float(w1, t1), Data::Float(w2, t2)] if w1 == w2 => {
                let size = w1.size_log2();
                (u32::from(size.checked_sub(2)?), 1 << 26, size, t2.a() | t1.d())
            }
            _ => return None,
        };
        let Offset::Imm(offset) = offset else { return None };
        let load = u32::from(name == "ldp") << 22;
        let units = ((offset >> size_log2) as u32 & 0x7f) << 15;
        let word = bits!("oo 101 0 000 L iiiiiii ttttt nnnnn ttttt") | opc << 30 | vector | load;
        let fits = fits_pair(offset, size_log2) && base.is_base();
        fits.then(|| self.word(word | units | fields | base.n()))
    }

    /// Loads and stores with an order, of a base alone.
    fn ordered(&mut self, name: &str, t: Gpr, width: Width, n: Gpr) -> Option<()> {
        if let Some(Atomic::Store(word, size)) = atomic(name) {
            let word = word | sized(size, width)? | t.m() | Gpr::ZERO.d() | n.n();
            return n.is_base().then(|| self.word(word));
        }
        let (name, size) = split_size(name, width)?;
        if let Some(op) = Exclusive::named(name) {
            return {
                self.encoder.load_exclusive(op, size, t, n);
                Some(())
            };
        }
        let word = match name {
            "stlr" => {
                return {
                    self.encoder.store_release(size, t, n);
                    Some(())
                };
            }
            "stllr" => bits!("ss 001000 1 0 0 11111 0 11111 nnnnn ttttt"),
            "ldlar" => bits!("ss 001000 1 1 0 11111 0 11111 nnnnn ttttt"),
            "ldapr" => bits!("ss 111000 1 0 1 11111 1 100 00 nnnnn ttttt"),
            _ => return None,
        };
        n.is_base().then(|| self.word(word | u32::from(size) << 30 | n.n() | t.d()))
    }

    /// What has two registers or more before the base: exclusive pairs and stores, atomic operations.
    fn exchange(&mut self, name: &str, before: &[Operand<'_>], n: Gpr) -> Option<()> {
        use Operand::Gpr as R;
        match *before {
            [R(t1, w1), R(t2, w2)] if w1 == w2 && matches!(name, "ldxp" | "ldaxp") => {
                if w1 == Width::X {
                    return {
                        self.encoder.load_exclusive_pair(name == "ldaxp", t1, t2, n);
                        Some(())
                    };
                }
                let order = u32::from(name == "ldaxp") << 15;
                let word =
                    bits!("10 001000 0 1 1 11111 o ttttt nnnnn ttttt") | order | t2.a() | n.n() | t1.d();
                (t1.is_plain() && t2.is_plain() && t1 != t2 && n.is_base()).then(|| self.word(word))
            }
            [R(s, Width::W), R(t1, w1), R(t2, w2)] if w1 == w2 && matches!(name, "stxp" | "stlxp") => {
                if w1 == Width::X {
                    return {
                        self.encoder.store_exclusive_pair(name == "stlxp", s, t1, t2, n);
                        Some(())
                    };
                }
                let order = u32::from(name == "stlxp") << 15;
                let word =
                    bits!("10 001000 0 0 1 sssss o ttttt nnnnn ttttt") | order | t2.a() | n.n() | t1.d();
                let is_apart = ![t1, t2, n].contains(&s);
                let is_plain = s.is_plain() && t1.is_plain() && t2.is_plain() && n.is_base();
                (is_apart && is_plain).then(|| self.word(word | s.m()))
            }
            [R(s, w1), R(t, w2)] if s.is_plain() && t.is_plain() => {
                let atomic = atomic(name).filter(|_| w1 == w2 && n.is_base());
                if let Some(Atomic::Load(word, size) | Atomic::Compare(word, size)) = atomic {
                    let size = sized(size, w1)?;
                    self.word(word | size | s.m() | t.d() | n.n());
                    return Some(());
                }
                let (name, size) = split_size(name, w2)?;
                let op = StoreExclusive::named(name).filter(|_| w1 == Width::W)?;
                self.encoder.store_exclusive(op, size, s, t, n);
                Some(())
            }
            [R(s, ws), R(s2, ws2), R(t, wt), R(t2, wt2)] if [ws2, wt, wt2] == [ws; 3] => {
                let Some(Atomic::ComparePair(word)) = atomic(name) else { return None };
                let follows = |first: Gpr, second: Gpr| {
                    first.number().is_multiple_of(2)
                        && first.number() < 31
                        && second.bits() == first.bits() + 1
                };
                let fits = follows(s, s2) && follows(t, t2) && s2.is_plain() && t2.is_plain() && n.is_base();
                fits.then(|| self.word(word | (ws as u32) << 30 | s.m() | t.d() | n.n()))
            }
            _ => None,
        }
    }

    /// `ldr x0, label` ("Load register (literal)") and `ldr x0, =number`.
    pub(super) fn literal(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<Result<()>> {
        let [ref t, ref target @ (Operand::Word(_) | Operand::Number(_))] = *operands else { return None };
        if let (&Operand::Gpr(d, width), "ldr", Operand::Word(text)) = (t, name, target)
            && let Some(number) = text.strip_prefix('=')
        {
            let number = self.names.number(number.trim().trim_start_matches('#'));
            let fits = |&number: &i64| width == Width::X || (-(1 << 31)..1 << 32).contains(&number);
            let Some(number) = number.filter(fits) else { return Some(Err(AssemblyErrorKind::Operand)) };
            return Some({
                self.number_to(width, d, number as u64);
                Ok(())
            });
        }
        let word = match (name, t) {
            ("ldr", &Operand::Gpr(t, width)) if t.is_plain() => {
                bits!("0 o 011 0 00 iiiiiiiiiiiiiiiiiii ttttt") | (width as u32) << 30 | t.d()
            }
            ("ldrsw", &Operand::Gpr(t, Width::X)) if t.is_plain() => {
                bits!("10 011 0 00 iiiiiiiiiiiiiiiiiii ttttt") | t.d()
            }
            ("ldr", &Operand::Float(width, t)) => {
                let opc = u32::from(width.size_log2().checked_sub(2)?);
                bits!("oo 011 1 00 iiiiiiiiiiiiiiiiiii ttttt") | opc << 30 | t.d()
            }
            ("prfm", operation) => {
                bits!("11 011 0 00 iiiiiiiiiiiiiiiiiii ttttt") | self.prefetch_operation(operation)?
            }
            _ => return None,
        };
        Some(self.word_to(word, RelocKind::Aarch64Load19, target))
    }
}

/// Whether nothing is added to a base.
fn index_is_zero(index: Index<'_>) -> bool {
    matches!(index, Index::None | Index::Number(0))
}

/// A mnemonic without the letter of its size, and the logarithm of the size, of a register of this width.
fn split_size(name: &str, width: Width) -> Option<(&str, u8)> {
    let small = [('b', 0), ('h', 1)].into_iter();
    let small = small.filter_map(|(letter, size)| Some((name.strip_suffix(letter)?, size))).next();
    match small {
        Some(found) => (width == Width::W).then_some(found),
        None => Some((name, 2 + width as u8)),
    }
}

/// The size of an atomic operation on a register of this width.
fn sized(size: Option<u32>, width: Width) -> Option<u32> {
    match size {
        Some(size) => (width == Width::W).then_some(size << 30),
        None => Some((2 + width as u32) << 30),
    }
}
