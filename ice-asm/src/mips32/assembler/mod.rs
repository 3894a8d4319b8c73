//! Instructions from text: what inline assembly of programs is written in, as assemblers of MIPS read it.
//!
//! *Contract.* [`assemble`] gives the code of a text: the statements between line ends and semicolons, local labels and
//! directives that make data. Behind branches stands a `nop`, unless the text says `.set noreorder`. A text that it
//! cannot assemble whole gives an error that shows the first statement in doubt.
//!
//! *Not here*: symbols, jumps to addresses, macros that take the assembler's register, sections. What a program says of the
//! instruction set makes nothing.
//!
//! [`table`] has the instructions and says how their operands are written.

mod table;

use crate::assembler::{AssemblyError, AssemblyErrorKind, LabelNames};
use crate::assembler::{evaluate, split, statements, unlabelled, without_comments};
use alloc::string::ToString;
use alloc::vec::Vec;
use table::Row;

type Result<T> = core::result::Result<T, AssemblyErrorKind>;

/// The code of a text.
///
/// # Errors
/// The text has a statement that is not known here, or a label out of reach.
pub fn assemble(text: &str) -> core::result::Result<Vec<u8>, AssemblyError> {
    let text = without_comments(text, "#");
    let statements = statements(&text);
    let names = LabelNames::of(&statements);
    let mut assembler = Assembler {
        names,
        offsets: Vec::new(),
        place: 0,
        code: Vec::new(),
        fixups: Vec::new(),
        fills_slots: true,
        saved: Vec::new(),
    };
    let error = |place: usize, kind| AssemblyError {
        statement: statements.get(place).copied().unwrap_or("").to_string(),
        kind,
    };
    for (place, statement) in statements.iter().enumerate() {
        assembler.place = place;
        assembler.statement(statement).map_err(|kind| error(place, kind))?;
    }
    if !assembler.code.len().is_multiple_of(4) {
        return Err(error(assembler.place, AssemblyErrorKind::Alignment));
    }
    for (at, label, place) in core::mem::take(&mut assembler.fixups) {
        assembler.fix(at, label).map_err(|kind| error(place, kind))?;
    }
    Ok(assembler.code)
}

struct Assembler<'t> {
    names: LabelNames<'t>,
    /// Those of the labels so far.
    offsets: Vec<usize>,
    /// The number of the statement.
    place: usize,
    code: Vec<u8>,
    /// Branches: where, the number of the label, the statement.
    fixups: Vec<(usize, usize, usize)>,
    /// Whether a `nop` stands behind each branch.
    fills_slots: bool,
    /// What `.set push` keeps of that.
    saved: Vec<bool>,
}

/// The general register of a name, without its `$`.
pub(crate) fn general(name: &str) -> Option<u32> {
    const NAMES: [&str; 32] = [
        "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7",
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra",
    ];
    let named = NAMES.iter().position(|&known| known == name).map(|number| number as u32);
    named.or_else(|| numbered(name)).or_else(|| (name == "s8").then_some(30))
}

/// A number below 32 in digits.
fn numbered(name: &str) -> Option<u32> {
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    name.parse().ok().filter(|&number| is_number && number < 32)
}

impl Assembler<'_> {
    fn statement(&mut self, statement: &str) -> Result<()> {
        while self.names.place(self.offsets.len()) == Some(self.place) {
            self.offsets.push(self.code.len());
        }
        let statement = unlabelled(statement);
        if statement.is_empty() {
            return Ok(());
        }
        let (word, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        let (word, operands) = (&*word.to_ascii_lowercase(), operands.trim());
        match word.strip_prefix('.') {
            Some(directive) => self.directive(directive, operands),
            None => self.inst(word, operands),
        }
    }

    fn directive(&mut self, name: &str, operands: &str) -> Result<()> {
        let size = match name {
            "set" => return self.option(operands),
            "align" | "p2align" | "balign" => {
                while !self.code.len().is_multiple_of(4) {
                    self.code.push(0);
                }
                return Ok(());
            }
            "byte" => 1,
            "half" | "short" | "2byte" => 2,
            "word" | "long" | "int" | "4byte" => 4,
            _ => return Err(AssemblyErrorKind::Directive),
        };
        for datum in split(operands) {
            let value = evaluate(datum).ok_or(AssemblyErrorKind::Operand)?;
            self.code.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        Ok(())
    }

    /// `.set`: what branches have behind them, and what says nothing here.
    fn option(&mut self, name: &str) -> Result<()> {
        match name {
            "noreorder" => self.fills_slots = false,
            "reorder" => self.fills_slots = true,
            "push" => self.saved.push(self.fills_slots),
            "pop" => self.fills_slots = self.saved.pop().ok_or(AssemblyErrorKind::Directive)?,
            "noat" | "at" | "macro" | "nomacro" | "volatile" | "novolatile" | "mips0" | "mips2"
            | "mips32" | "mips32r2" | "arch=mips32" | "arch=mips32r2" | "arch=mips2" | "hardfloat"
            | "nomips16" => {}
            _ => return Err(AssemblyErrorKind::Directive),
        }
        Ok(())
    }

    fn append(&mut self, word: u32) -> Result<()> {
        if !self.code.len().is_multiple_of(4) {
            return Err(AssemblyErrorKind::Alignment);
        }
        self.code.extend_from_slice(&word.to_le_bytes());
        Ok(())
    }

    fn inst(&mut self, name: &str, text: &str) -> Result<()> {
        let operands: Vec<&str> = split(text).collect();
        if name == "li"
            && let [register, number] = operands[..]
        {
            return self.load_number(register, number);
        }
        let mut is_known = false;
        for row in table::TABLES.into_iter().flatten().filter(|row| row.name == name) {
            is_known = true;
            let mut left = &operands[..];
            let Some((word, label)) = encode(row, &mut left) else { continue };
            if let Some(label) = label {
                let label = self.names.find(label, self.place).ok_or(AssemblyErrorKind::Label)?;
                self.fixups.push((self.code.len(), label, self.place));
            }
            self.append(word)?;
            if self.fills_slots && (label.is_some() || matches!(row.name, "jr" | "jalr")) {
                self.append(0)?;
            }
            return Ok(());
        }
        Err(if is_known || name == "li" {
            AssemblyErrorKind::Operands
        } else {
            AssemblyErrorKind::Instruction
        })
    }

    /// `li`: any number in a register.
    fn load_number(&mut self, register: &str, number: &str) -> Result<()> {
        let register = register.strip_prefix('$').and_then(general).ok_or(AssemblyErrorKind::Operands)?;
        let number = evaluate(number).filter(|number| (-(1 << 31)..1 << 32).contains(number));
        let number = number.ok_or(AssemblyErrorKind::Operand)? as u32;
        let (upper, lower) = (number >> 16, number & 0xffff);
        let target = register << 16;
        match (i16::try_from(number as i32), upper, lower) {
            (Ok(_), ..) => self.append(0x2400_0000 | target | lower),
            (_, 0, _) => self.append(0x3400_0000 | target | lower),
            (_, _, 0) => self.append(0x3c00_0000 | target | upper),
            _ => {
                self.append(0x3c00_0000 | target | upper)?;
                self.append(0x3400_0000 | target | register << 21 | lower)
            }
        }
    }

    /// Writes the distance to a label in words, counted from the slot of the branch.
    fn fix(&mut self, at: usize, label: usize) -> Result<()> {
        let target = self.offsets.get(label).copied().ok_or(AssemblyErrorKind::Label)?;
        let distance = target as i64 - at as i64 - 4;
        if distance % 4 != 0 {
            return Err(AssemblyErrorKind::Alignment);
        }
        let words = i16::try_from(distance / 4).map_err(|_| AssemblyErrorKind::Distance)?;
        let bytes = self.code.get_mut(at..at + 2).ok_or(AssemblyErrorKind::Label)?;
        bytes.copy_from_slice(&words.to_le_bytes());
        Ok(())
    }
}

/// The word of a row with these operands, and the label that it leads to.
fn encode<'t>(row: &Row, left: &mut &[&'t str]) -> Option<(u32, Option<&'t str>)> {
    let mut word = row.word;
    let mut label = None;
    for token in row.operands.split_ascii_whitespace() {
        if token.starts_with('?') && left.is_empty() {
            continue;
        }
        let (&operand, rest) = left.split_first()?;
        *left = rest;
        match token {
            "mem" => word |= memory(operand)?,
            "zero" if matches!(operand, "$0" | "$zero") => {}
            "branch" => label = Some(operand),
            "ext" | "ins" => {
                let (&size, rest) = left.split_first()?;
                *left = rest;
                let [lowest, size] = [evaluate(operand)?, evaluate(size)?];
                let fits = (0..32).contains(&lowest) && (1..=32 - lowest).contains(&size);
                let top = if token == "ext" { size - 1 } else { lowest + size - 1 };
                word |= fits.then_some((top as u32) << 11 | (lowest as u32) << 6)?;
            }
            "s16" => word |= u32::from(i16::try_from(evaluate(operand)?).ok()? as u16),
            "-s16" => word |= u32::from(i16::try_from(evaluate(operand)?.checked_neg()?).ok()? as u16),
            "z16" => word |= u32::from(u16::try_from(evaluate(operand)?).ok()?),
            _ => word |= positioned(token.trim_start_matches('?'), operand)?,
        }
    }
    left.is_empty().then_some((word, label))
}

/// An operand in the field that its word names.
fn positioned(token: &str, operand: &str) -> Option<u32> {
    let (kind, place) = token.split_at_checked(1)?;
    if let Some((count, at)) = place.split_once('@') {
        let (count, at): (u32, u32) = (count.parse().ok()?, at.parse().ok()?);
        let value = u32::try_from(evaluate(operand)?).ok().filter(|&value| value < 1 << count)?;
        return Some(value << at);
    }
    let name = operand.strip_prefix('$')?;
    let number = match kind {
        "r" => general(name)?,
        "f" => name.strip_prefix('f').and_then(numbered)?,
        "c" => numbered(name)?,
        _ => return None,
    };
    let (first, second) = match place.split_once('=') {
        Some((first, second)) => (first, Some(second)),
        None => (place, None),
    };
    let first = number << first.parse::<u32>().ok()?;
    Some(match second {
        Some(second) => first | number << second.parse::<u32>().ok()?,
        None => first,
    })
}

/// `8($2)`: the base and the offset.
fn memory(operand: &str) -> Option<u32> {
    let (offset, base) = operand.strip_suffix(')')?.rsplit_once('(')?;
    let base = general(base.trim().strip_prefix('$')?)?;
    let offset = match offset.trim() {
        "" => 0,
        offset => i16::try_from(evaluate(offset)?).ok()?,
    };
    Some(base << 21 | u32::from(offset as u16))
}
