//! Instructions from text: what inline assembly of programs is written in, in UAL syntax (DDI 0406C, A8.2).
//!
//! *Contract.* [`assemble`] gives the code of a text: the statements between line ends and semicolons, local labels (`1:` with
//! `1b` and `1f`, names) and directives that make data. A text that it cannot assemble whole gives an error that shows
//! the first statement in doubt.
//!
//! *Not here*: Thumb, symbols of other modules, sections, macros, conditional assembly. Directives that say what the
//! processor has make nothing; alignment makes four bytes at most, for the text may stand at any instruction.
//!
//! [`operand`] reads operands, [`types`] conditions and types; [`table`] and [`vector`] have the instructions, whose rows
//! [`encode`] compares with operands, those of VFP in [`float`].

mod encode;
mod float;
mod operand;
mod table;
mod types;
mod vector;

use crate::assembler::{AssemblyError, AssemblyErrorKind, LabelNames};
use crate::assembler::{evaluate, split, statements, unlabelled, without_comments};
use alloc::string::ToString;
use alloc::vec::Vec;
use encode::{Encoded, Field, Row, encode};

type Result<T> = core::result::Result<T, AssemblyErrorKind>;

/// The code of a text.
///
/// # Errors
/// The text has a statement that is not known here, or a label out of reach.
pub fn assemble(text: &str) -> core::result::Result<Vec<u8>, AssemblyError> {
    let text = without_comments(text, "@");
    let statements = statements(&text);
    let names = LabelNames::of(&statements);
    let mut assembler =
        Assembler { names, offsets: Vec::new(), place: 0, code: Vec::new(), fixups: Vec::new() };
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
    let fixups = core::mem::take(&mut assembler.fixups);
    for fixup in fixups {
        assembler.fix(&fixup).map_err(|kind| error(fixup.place, kind))?;
    }
    Ok(assembler.code)
}

/// A word that wants the distance to a label.
struct Fixup {
    /// Where the word is.
    at: usize,
    /// The number of the label.
    label: usize,
    field: Field,
    /// The statement.
    place: usize,
}

struct Assembler<'t> {
    names: LabelNames<'t>,
    /// Those of the labels so far.
    offsets: Vec<usize>,
    /// The number of the statement.
    place: usize,
    code: Vec<u8>,
    fixups: Vec<Fixup>,
}

impl Assembler<'_> {
    fn statement(&mut self, statement: &str) -> Result<()> {
        while self.names.place(self.offsets.len()) == Some(self.place) {
            self.offsets.push(self.code.len());
        }
        let statement = unlabelled(statement);
        // What comments of a line of their own begin with, since `#` marks numbers.
        if statement.starts_with('#') || statement.is_empty() {
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
        let number = |text| evaluate(text).ok_or(AssemblyErrorKind::Operand);
        let size = match name {
            "syntax" if operands.eq_ignore_ascii_case("unified") => return Ok(()),
            "arch" | "arch_extension" | "cpu" | "fpu" | "arm" | "ltorg" | "pool" => return Ok(()),
            "code" if operands == "32" => return Ok(()),
            "align" | "p2align" | "balign" => {
                let first = split(operands).next();
                let align = match (first, name) {
                    (None, _) => 4,
                    (Some(bytes), "balign") => number(bytes)?,
                    (Some(log2), _) => 1 << number(log2)?.clamp(0, 2),
                };
                // Nothing is said of what is behind a greater one.
                let align = align.clamp(1, 4) as usize;
                while !self.code.len().is_multiple_of(align) {
                    self.code.push(0);
                }
                return Ok(());
            }
            "byte" => 1,
            "short" | "hword" | "2byte" => 2,
            "word" | "long" | "int" | "4byte" => 4,
            "quad" | "8byte" | "xword" => 8,
            "inst" | "inst.w" => {
                for datum in split(operands) {
                    let word = u32::try_from(number(datum)?).map_err(|_| AssemblyErrorKind::Operand)?;
                    self.append(word)?;
                }
                return Ok(());
            }
            _ => return Err(AssemblyErrorKind::Directive),
        };
        for datum in split(operands) {
            let value = number(datum)?;
            self.code.extend_from_slice(&value.to_le_bytes()[..size]);
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

    /// An instruction by its mnemonic in small letters.
    fn inst(&mut self, mnemonic: &str, operands: &str) -> Result<()> {
        let (name, suffix) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
        if is_block_of_conditions(name, operands) {
            // Each instruction says its condition itself.
            return Ok(());
        }
        if let Some(done) = self.address_of_number(name, operands) {
            return done;
        }
        let operands = operand::operands(operands).ok_or(AssemblyErrorKind::Operand)?;
        let mut is_known = false;
        for row in table::TABLES.into_iter().chain(vector::TABLES).flatten() {
            let Some((condition, sets_flags)) = self.mnemonic(row, name) else { continue };
            let Some((types, lane, is_double)) = types::matched(row.types, suffix) else { continue };
            is_known = true;
            let word = row.word | condition | types | u32::from(sets_flags) << 20;
            if let Some(encoded) = encode(row, word, (lane, is_double), &operands) {
                return self.encoded(single_register(encoded, row));
            }
        }
        for (name, condition) in
            [(name, Some(14)), name.split_at_checked(4).map_or((name, None), conditional)]
        {
            let Some(condition) = condition else { continue };
            if let Some(encoded) = vector::special(name, suffix, condition << 28, &operands) {
                return self.encoded(encoded);
            }
            is_known |= vector::SPECIAL.contains(&name);
        }
        Err(if is_known { AssemblyErrorKind::Operands } else { AssemblyErrorKind::Instruction })
    }

    /// The bits of the condition and whether flags are set, if a mnemonic is that of the row.
    fn mnemonic(&self, row: &Row, name: &str) -> Option<(u32, bool)> {
        let (sets_flags, condition) = types::suffix(name.strip_prefix(row.name)?)?;
        let may_have_condition = row.word >> 28 == 0;
        if sets_flags && !row.sets_flags || condition.is_some() && !may_have_condition {
            return None;
        }
        Some((if may_have_condition { condition.unwrap_or(14) << 28 } else { 0 }, sets_flags))
    }

    fn encoded(&mut self, encoded: Encoded<'_>) -> Result<()> {
        if let Some((name, field)) = encoded.label {
            let label = self.names.find(name, self.place).ok_or(AssemblyErrorKind::Label)?;
            self.fixups.push(Fixup { at: self.code.len(), label, field, place: self.place });
        }
        self.append(encoded.word)
    }

    /// `ldr r0, =1`, and `adr r0, label`: any number or a place of the text in a register.
    fn address_of_number(&mut self, mnemonic: &str, operands: &str) -> Option<Result<()>> {
        let (name, condition) = mnemonic.split_at_checked(3)?;
        let condition = match condition {
            "" => 14,
            condition => types::cond_number(condition)?,
        };
        let (register, source) = operands.split_once(',')?;
        let source = source.trim();
        let (register, number) = match name {
            "adr" => (operand::core(register.trim())?, None),
            "ldr" => {
                (operand::core(register.trim())?, Some(operand::number(source.strip_prefix('=')?.trim())?))
            }
            _ => return None,
        };
        let Some(number) = number else {
            let label = Some((source, Field::Address));
            return Some(
                self.encoded(Encoded { word: condition << 28 | 0x020f_0000 | register << 12, label }),
            );
        };
        if !(-(1 << 31)..1 << 32).contains(&number) {
            return Some(Err(AssemblyErrorKind::Operand));
        }
        Some(self.load_number(condition, register, number as u32))
    }

    /// A number by `mov`, `mvn`, or `movw` and `movt`.
    fn load_number(&mut self, condition: u32, register: u32, number: u32) -> Result<()> {
        let word = condition << 28 | register << 12;
        let rotated = |number| super::ModImm::new(number).map(super::ModImm::bits);
        if let Some(bits) = rotated(number) {
            return self.append(word | 0x03a0_0000 | bits);
        }
        if let Some(bits) = rotated(!number) {
            return self.append(word | 0x03e0_0000 | bits);
        }
        let half = |half: u32| (half >> 12) << 16 | half & 0xfff;
        self.append(word | 0x0300_0000 | half(number & 0xffff))?;
        match number >> 16 {
            0 => Ok(()),
            upper => self.append(word | 0x0340_0000 | half(upper)),
        }
    }

    /// Writes the distance to a label, counted from two instructions behind.
    fn fix(&mut self, fixup: &Fixup) -> Result<()> {
        let target = self.offsets.get(fixup.label).copied().ok_or(AssemblyErrorKind::Label)?;
        let distance = target as i64 - fixup.at as i64 - 8;
        let range = fixup.at..fixup.at + 4;
        let bytes = self.code.get_mut(range).ok_or(AssemblyErrorKind::Label)?;
        let mut word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let sign = u32::from(distance >= 0) << 23;
        let magnitude = u32::try_from(distance.unsigned_abs()).map_err(|_| AssemblyErrorKind::Distance)?;
        let fits = |limit| if magnitude < limit { Ok(()) } else { Err(AssemblyErrorKind::Distance) };
        let is_aligned = distance % 4 == 0;
        match fixup.field {
            Field::Branch if is_aligned => {
                fits(1 << 25)?;
                word |= (distance >> 2) as u32 & 0xff_ffff;
            }
            Field::Words8 if is_aligned => {
                fits(1024)?;
                word |= sign | (magnitude / 4);
            }
            Field::Branch | Field::Words8 => return Err(AssemblyErrorKind::Alignment),
            Field::Offset12 => {
                fits(4096)?;
                word |= sign | magnitude;
            }
            Field::Offset8 => {
                fits(256)?;
                word |= sign | (magnitude & 0xf0) << 4 | magnitude & 15;
            }
            Field::Address => {
                let imm = super::ModImm::new(magnitude).ok_or(AssemblyErrorKind::Distance)?;
                word |= imm.bits() | if distance < 0 { 1 << 22 } else { 1 << 23 };
            }
        }
        bytes.copy_from_slice(&word.to_le_bytes());
        Ok(())
    }
}

/// `vmovne` as `vmov` with its condition.
fn conditional<'t>((name, condition): (&'t str, &str)) -> (&'t str, Option<u32>) {
    (name, types::cond_number(condition))
}

/// `itte eq`.
fn is_block_of_conditions(name: &str, operands: &str) -> bool {
    let is_block = name.strip_prefix("it").is_some_and(|rest| rest.bytes().all(|byte| b"te".contains(&byte)));
    is_block && name.len() <= 5 && types::cond_number(&operands.to_ascii_lowercase()).is_some()
}

/// `push` and `pop` of one register, which have an encoding of their own.
fn single_register<'t>(encoded: Encoded<'t>, row: &Row) -> Encoded<'t> {
    let (list, condition) = (encoded.word & 0xffff, encoded.word & 0xf000_0000);
    let word = match row.name {
        "push" if list.is_power_of_two() => 0x052d_0004,
        "pop" if list.is_power_of_two() => 0x049d_0004,
        _ => return encoded,
    };
    Encoded { word: condition | word | list.trailing_zeros() << 12, ..encoded }
}
