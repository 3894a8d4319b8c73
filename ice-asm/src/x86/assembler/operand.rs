//! Operands in both syntaxes.

use super::{Assembler, AssemblyErrorKind, Result, Syntax};
use crate::assembler::{Sum, evaluate, split};
use crate::reloc::{RelocKind, SymbolId};
use crate::x86::operand::{AddressSize, Base, Gpr, Mem, Mode, Scale, Segment, Target, Width, Xmm};
use crate::x86::text::NamedRegister;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A register by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Register {
    Gpr(NamedRegister),
    Xmm(Xmm),
    /// The register of 256 bits that begins with this one.
    Ymm(Xmm),
    /// mm0 to mm7.
    Mmx(u8),
    /// One of [`SEGMENTS`].
    Segment(u8),
    /// st(n).
    Stack(u8),
}

impl Register {
    /// The vector that it is in the place of an index, and whether that has 256 bits.
    fn as_lanes(self) -> Option<(Xmm, bool)> {
        match self {
            Register::Xmm(xmm) => Some((xmm, false)),
            Register::Ymm(xmm) => Some((xmm, true)),
            _ => None,
        }
    }
}

/// The segment registers by number.
const SEGMENTS: [&str; 6] = ["es", "cs", "ss", "ds", "fs", "gs"];

/// The segment of an address that names this register. The others say what is so without them.
fn segment(register: Register) -> Option<Segment> {
    match register {
        Register::Segment(4) => Some(Segment::Fs),
        Register::Segment(5) => Some(Segment::Gs),
        _ => None,
    }
}

/// An operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Register(Register),
    /// Memory, and its size in bytes if that is said.
    Mem(Mem, Option<u8>),
    /// Memory at as many addresses as a vector in the place of the index has lanes, and whether that has 256 bits. The index
    /// is the general register of its number.
    Lanes(Mem, bool),
    Number(i64),
    /// The address of a symbol and a number.
    Address(SymbolId, i32),
    /// A name: where a jump leads, or memory there.
    Label(String),
    /// `*` before a register or memory: a jump goes where that says.
    Indirect(alloc::boxed::Box<Operand>),
}

/// The register of this name.
fn register(name: &str) -> Option<Register> {
    let below = |digits: &str, limit: u8| digits.parse().ok().filter(|&number: &u8| number < limit);
    let stack = || name.strip_prefix("st(").and_then(|rest| rest.strip_suffix(')'));
    match name {
        "st" => Some(Register::Stack(0)),
        _ => match (NamedRegister::of_name(name), name.split_at_checked(3)) {
            (Some(gpr), _) => Some(Register::Gpr(gpr)),
            (None, Some(("xmm", digits))) => below(digits, 16).map(|number| Register::Xmm(Xmm::new(number))),
            (None, Some(("ymm", digits))) => below(digits, 16).map(|number| Register::Ymm(Xmm::new(number))),
            (None, _) => match SEGMENTS.iter().position(|&known| known == name) {
                Some(number) => Some(Register::Segment(number as u8)),
                None => match name.strip_prefix("mm") {
                    Some(digits) => below(digits, 8).map(Register::Mmx),
                    None => below(stack()?, 8).map(Register::Stack),
                },
            },
        },
    }
}

/// Sizes of memory in the syntax of Intel, in bytes.
const SIZES: [(&str, u8); 7] =
    [("byte", 1), ("word", 2), ("dword", 4), ("qword", 8), ("tbyte", 10), ("xmmword", 16), ("ymmword", 32)];

impl Assembler<'_, '_, '_> {
    /// The operands of an instruction, the destination first.
    pub(super) fn operands(&mut self, text: &str) -> Result<Vec<Operand>> {
        let mut operands = Vec::new();
        for text in split(text) {
            let operand = match self.syntax {
                Syntax::Att => self.att(text),
                Syntax::Intel => self.intel(text),
            };
            operands.push(operand.ok_or(AssemblyErrorKind::Operand)?);
        }
        if self.syntax == Syntax::Att {
            operands.reverse();
        }
        Ok(operands)
    }

    /// A number, or the address of a symbol.
    fn immediate(&mut self, text: &str) -> Option<Operand> {
        let sum = self.names.sum(text)?;
        match (sum.plus, sum.minus) {
            (None, None) => Some(Operand::Number(sum.number)),
            (Some(symbol), None) if self.names.modifier(symbol).is_empty() => {
                Some(Operand::Address(symbol, i32::try_from(sum.number).ok()?))
            }
            _ => None,
        }
    }

    fn att(&mut self, text: &str) -> Option<Operand> {
        if let Some(inner) = text.strip_prefix('*') {
            let inner = match self.att(inner.trim_start())? {
                Operand::Label(name) => Operand::Mem(self.named(&name)?, None),
                inner => inner,
            };
            return Some(Operand::Indirect(inner.into()));
        }
        if let Some(value) = text.strip_prefix('$') {
            return self.immediate(value);
        }
        let mut named = Segment::Default;
        let mut address = text;
        if let Some(name) = text.strip_prefix('%') {
            match name.split_once(':') {
                None => return register(&squeezed(name)).map(Operand::Register),
                Some((name, rest)) => {
                    (named, address) = (segment(register(name.trim())?)?, rest.trim_start());
                }
            }
        } else if is_name(text) {
            return Some(Operand::Label(text.to_string()));
        }
        let (disp, inside) =
            match address.strip_suffix(')').and_then(|rest| rest.split_at_checked(rest.rfind('(')?)) {
                // A number in parentheses is no base.
                Some((disp, inside)) if inside.contains(['%', ',']) => (disp.trim(), Some(&inside[1..])),
                _ => (address, None),
            };
        // As `4+%0` is where that is in memory.
        let disp = if inside.is_some() { disp.strip_suffix('+').unwrap_or(disp) } else { disp };
        let disp = if disp.is_empty() { Sum::of(0) } else { self.names.sum(disp)? };
        let mut parts = inside.into_iter().flat_map(|inside| inside.split(','));
        let gpr = |text: &str| register(text.trim().strip_prefix('%')?);
        let base = match parts.next().map(str::trim) {
            Some("%rip" | "%eip") => {
                let mem = self.relative(named, disp).filter(|_| parts.next().is_none())?;
                return Some(Operand::Mem(mem, None));
            }
            None | Some("") => None,
            Some(base) => Some(gpr(base)?),
        };
        let index = match parts.next() {
            None => None,
            Some(index) => Some((gpr(index)?, evaluate(parts.next().unwrap_or("1"))?)),
        };
        if disp.plus.is_some() && inside.is_none() && named == Segment::Default {
            // As a name alone, where a jump leads.
            return (base.is_none()).then(|| Operand::Label(text.to_string()));
        }
        self.memory(named, disp, base, index, None).filter(|_| parts.next().is_none())
    }

    fn intel(&mut self, text: &str) -> Option<Operand> {
        let mut text = text;
        let mut size = None;
        let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        let word = word.to_ascii_lowercase();
        if let Some(&(_, bytes)) = SIZES.iter().find(|(name, _)| *name == word) {
            size = Some(bytes);
            let rest = rest.trim_start();
            text = match rest.split_at_checked(3) {
                Some((ptr, behind)) if ptr.eq_ignore_ascii_case("ptr") => behind.trim_start(),
                _ => rest,
            };
        }
        let lower = squeezed(&text.to_ascii_lowercase());
        if let Some(found) = register(&lower) {
            return Some(Operand::Register(found));
        }
        if let Some(value) = evaluate(text) {
            return Some(Operand::Number(value));
        }
        let (first, behind) = text.split_once(' ').unwrap_or((text, ""));
        if first.eq_ignore_ascii_case("offset") {
            return self.immediate(behind);
        }
        let squeezed = squeezed(text);
        let (segment, address) = match squeezed.split_once(':') {
            Some((name, rest)) => (segment(register(&name.to_ascii_lowercase())?)?, rest),
            None => (Segment::Default, &*squeezed),
        };
        let (before, inside) = match address.split_once('[') {
            Some((before, rest)) => (before, rest.strip_suffix(']')?),
            None if segment != Segment::Default => ("", address),
            None if size.is_none() && is_name(text) => return Some(Operand::Label(text.to_string())),
            None => ("", address),
        };
        let disp = if before.is_empty() { Sum::of(0) } else { self.names.sum(before)? };
        self.sum(segment, disp, inside, size)
    }

    /// The memory at a sum of registers, one of them scaled, numbers, and a symbol.
    fn sum(&mut self, segment: Segment, mut disp: Sum, text: &str, size: Option<u8>) -> Option<Operand> {
        let (mut base, mut index, mut is_relative) = (None, None, false);
        let mut left = text;
        while !left.is_empty() {
            let is_negative = left.starts_with('-');
            left = left.trim_start_matches(['+', '-']);
            let (term, rest) = left.split_at(left.find(['+', '-']).unwrap_or(left.len()));
            left = rest;
            let lower = term.to_ascii_lowercase();
            let factor = lower.split_once('*');
            let scaled = factor.and_then(|(a, b)| {
                let found = register(a).map(|reg| (reg, b)).or_else(|| register(b).map(|reg| (reg, a)))?;
                Some((found.0, evaluate(found.1)?))
            });
            match (scaled, register(&lower)) {
                _ if is_negative => disp.number = disp.number.wrapping_sub(evaluate(term)?),
                (Some(scaled), _) if index.is_none() => index = Some(scaled),
                (None, Some(reg)) if base.is_none() && reg.as_lanes().is_none() => base = Some(reg),
                (None, Some(reg)) if index.is_none() => index = Some((reg, 1)),
                (None, None) if lower == "rip" && !is_relative => is_relative = true,
                (None, None) => {
                    let more = self.names.sum(term).filter(|more| more.minus.is_none())?;
                    disp.number = disp.number.wrapping_add(more.number);
                    if more.plus.is_some() && disp.plus.is_some() {
                        return None;
                    }
                    disp.plus = disp.plus.or(more.plus);
                }
                _ => return None,
            }
        }
        match is_relative {
            true if base.is_some() || index.is_some() => None,
            true => self.relative(segment, disp).map(|mem| Operand::Mem(mem, size)),
            false => self.memory(segment, disp, base, index, size),
        }
    }

    /// The memory at a sum, of this size if that is said.
    fn memory(
        &self,
        segment: Segment,
        disp: Sum,
        base: Option<Register>,
        index: Option<(Register, i64)>,
        size: Option<u8>,
    ) -> Option<Operand> {
        let lanes = index.and_then(|(index, _)| index.as_lanes());
        let mem = self.mem(segment, disp, base, index)?;
        Some(match lanes {
            Some((_, is_long)) => Operand::Lanes(mem, is_long),
            None => Operand::Mem(mem, size),
        })
    }

    /// Memory whose distance from the next instruction is known when the program is linked.
    fn relative(&self, segment: Segment, disp: Sum) -> Option<Mem> {
        if self.encoder.mode == Mode::Bits32 || disp.minus.is_some() {
            return None;
        }
        let number = i32::try_from(disp.number).ok()?;
        let target = match disp.plus {
            None => Target::None,
            Some(symbol) => Target::Symbol(
                symbol,
                match self.names.modifier(symbol) {
                    "" => RelocKind::PcRel32,
                    "GOTPCREL" => RelocKind::GotPcRelAny32,
                    "PLT" => RelocKind::Plt32,
                    "GOTTPOFF" => RelocKind::GotTpOff32,
                    _ => return None,
                },
            ),
        };
        Some(Mem { base: Base::Rip, segment, target, ..Mem::absolute(number) })
    }

    /// What a symbol in an address is.
    fn absolute(&self, symbol: SymbolId) -> Option<RelocKind> {
        Some(match (self.names.modifier(symbol), self.encoder.mode) {
            ("", Mode::Bits64) => RelocKind::Abs32S,
            ("", Mode::Bits32) => RelocKind::Abs32,
            ("TPOFF", Mode::Bits64) | ("NTPOFF", Mode::Bits32) => RelocKind::TpOff32,
            ("GOT", Mode::Bits32) => RelocKind::Got32,
            ("GOTOFF", Mode::Bits32) => RelocKind::GotOff32,
            ("INDNTPOFF", Mode::Bits32) => RelocKind::GotTpOff32,
            ("GOTNTPOFF", Mode::Bits32) => RelocKind::GotTpOffBase32,
            _ => return None,
        })
    }

    /// The memory at a name alone.
    pub(super) fn named(&mut self, text: &str) -> Option<Mem> {
        let disp = self.names.sum(text)?;
        self.mem(Segment::Default, disp, None, None)
    }

    fn mem(
        &self,
        segment: Segment,
        disp: Sum,
        base: Option<Register>,
        index: Option<(Register, i64)>,
    ) -> Option<Mem> {
        let native = match self.encoder.mode {
            Mode::Bits32 => Width::B32,
            Mode::Bits64 => Width::B64,
        };
        let mut widths = [None; 2];
        let mut gpr = |place: usize, reg: Register| match reg {
            Register::Gpr(NamedRegister { reg, width: width @ (Width::B32 | Width::B64), .. }) => {
                widths[place] = Some(width);
                Some(reg)
            }
            _ => None,
        };
        let base = match base {
            Some(base) => Base::Reg(gpr(0, base)?),
            None => Base::None,
        };
        let index = match index {
            Some((index, scale)) => {
                let shift = [1, 2, 4, 8].iter().position(|&known| known == scale)?;
                let number = match index.as_lanes() {
                    Some((lanes, _)) => Gpr::new(lanes.number()),
                    None => gpr(1, index)?,
                };
                Some((number, Scale::from_shift(shift as u8)?))
            }
            None => None,
        };
        let width = widths.into_iter().flatten().next().unwrap_or(native);
        if widths.into_iter().flatten().any(|other| other != width) || width > native {
            return None;
        }
        let address_size = if width == native { AddressSize::Native } else { AddressSize::Addr32 };
        let target = match disp.plus {
            None => Target::None,
            Some(symbol) => Target::Symbol(symbol, self.absolute(symbol)?),
        };
        if disp.minus.is_some() {
            return None;
        }
        // Also as a number without sign where addresses have as many bits.
        let disp = disp.number;
        let disp = i32::try_from(disp)
            .ok()
            .or_else(|| u32::try_from(disp).ok().filter(|_| native == Width::B32).map(|disp| disp as i32))?;
        Some(Mem { base, index, address_size, segment, target, ..Mem::absolute(disp) })
    }
}

/// The text without blanks.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether a text is the name of a label: also `1b` and `1f`.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._$@".contains(&byte);
    let is_number = evaluate(text).is_some();
    !text.is_empty() && text.bytes().all(is_part) && !is_number
}
