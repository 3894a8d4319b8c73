//! A whole text: its statements go, one after another, to the buffers of the sections that they are in.
//!
//! *Two walks.* The first one finds which section each label is in, so that branches know labels that come later; the second
//! one appends. A buffer edits nothing here ([`CodeBuffer::freeze_tail`]), so that an offset is final when it is reached;
//! what expressions and relocations say of labels is filled in when the text has ended.

use super::directives::{self, Datum};
use super::expression::Sum;
use super::names::{Names, Reference};
use super::sections::{SectionName, SectionStack};
use super::symbols::{AssembledSymbol, Symbols};
use super::{
    AssemblyError, AssemblyErrorKind, LabelNames, split_label, statements, unlabelled, without_comments,
};
use crate::buffer::{BranchIsa, CodeBuffer};
use crate::reloc::{Reloc, RelocKind};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

type Result<T> = core::result::Result<T, AssemblyErrorKind>;

/// Where a text stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextPlace {
    /// In the middle of a function: what aligns code does so to where instructions may begin and no further, and the text
    /// ends where it begins.
    Function,
    /// Alone: it begins in `.text`.
    Module,
}

/// What a machine has for texts.
pub(crate) trait Instructions<B: BranchIsa> {
    /// What comments begin with.
    const COMMENT: &'static str;
    /// Bytes of `.word`.
    const WORD: u32;
    /// Whether the number of `.align` is a power of two.
    const ALIGN_IS_POWER: bool;

    /// Appends an instruction with its prefixes, which is no directive and has no labels before it.
    ///
    /// # Errors
    /// What is wrong with it. What the buffer itself finds wrong, it keeps.
    fn instruction(
        &mut self,
        buffer: &mut CodeBuffer<(), B>,
        names: &mut Names<'_>,
        statement: &str,
    ) -> Result<()>;

    /// Takes a directive, without its point, that only this machine has, or that it has in another way; `None` if it does not.
    fn directive(
        &mut self,
        _buffer: &mut CodeBuffer<(), B>,
        _name: &str,
        _operands: &str,
    ) -> Option<Result<()>> {
        None
    }

    /// Puts the distance from a field to a label of the same section into it; `None` if it is left to the linker.
    fn set_distance(kind: RelocKind, _field: u32, distance: i64) -> Option<Result<u32>> {
        match kind {
            RelocKind::PcRel32 | RelocKind::Plt32 => {
                let value = i32::try_from(distance).map_err(|_| AssemblyErrorKind::Expression);
                Some(value.map(|value| value as u32))
            }
            _ => None,
        }
    }
}

/// What a relocation of a text refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AssembledTarget {
    /// The start of a section of the text.
    Section(usize),
    /// A symbol.
    Name(String),
}

/// A place in a section that the linker fills in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssembledReloc {
    /// Offset of the field in the section, in bytes.
    pub offset: u32,
    /// What to compute.
    pub kind: RelocKind,
    /// Whose address it is.
    pub target: AssembledTarget,
    /// Added to it, see [`Reloc`].
    pub addend: i64,
}

/// What a text has in one section.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AssembledSection {
    /// The section.
    pub name: SectionName,
    /// What its start is aligned to, in bytes.
    pub alignment: u32,
    /// Its bytes. Fields that the linker fills in are zero.
    pub bytes: Vec<u8>,
    /// What the linker fills in, in the order of offsets.
    pub relocs: Vec<AssembledReloc>,
}

/// What comes of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembled {
    /// Its sections, first the one where the text begins.
    pub sections: Vec<AssembledSection>,
    /// What it defines, and says about symbols.
    pub symbols: Vec<AssembledSymbol>,
}

impl Assembled {
    /// Code that refers to nothing.
    #[must_use]
    pub fn of_code(bytes: Vec<u8>) -> Assembled {
        let code = AssembledSection { bytes, ..AssembledSection::default() };
        Assembled { sections: Vec::from([code]), symbols: Vec::new() }
    }
}

/// One section while it grows.
struct Part<B: BranchIsa> {
    buffer: CodeBuffer<(), B>,
    alignment: u32,
    /// Fields of so many bytes whose value is known at the end, with the statement that they are of.
    fields: Vec<(u32, Sum, u32, usize)>,
    /// Where instructions begin, and the statements that they are.
    starts: Vec<(u32, usize)>,
}

impl<B: BranchIsa> Part<B> {
    fn new() -> Part<B> {
        Part { buffer: CodeBuffer::new(), alignment: 1, fields: Vec::new(), starts: Vec::new() }
    }
}

/// Makes code and data of a text.
///
/// # Errors
/// The first statement in doubt, and what is wrong with it.
pub(crate) fn assemble<B: BranchIsa, I: Instructions<B>>(
    machine: &mut I,
    text: &str,
    place: TextPlace,
) -> core::result::Result<Assembled, AssemblyError> {
    let text = without_comments(text, I::COMMENT);
    let statements = statements(&text);
    let error = |number: usize, kind| AssemblyError {
        statement: statements.get(number).map_or(String::new(), |statement| (*statement).to_string()),
        kind,
    };
    let first = match place {
        TextPlace::Function => SectionName::default(),
        TextPlace::Module => SectionName::usual(".text"),
    };
    let mut walk = Walk {
        machine,
        place,
        names: Names::new(LabelNames::of(&statements)),
        sections: SectionStack::new(first),
        parts: Vec::from([Part::new()]),
        symbols: Symbols::default(),
    };
    walk.find_labels(&statements);
    for (number, statement) in statements.iter().enumerate() {
        walk.names.statement = number;
        walk.statement(statement).map_err(|kind| error(number, kind))?;
        let current = walk.sections.current;
        if walk.parts[current].buffer.error().is_some() {
            return Err(error(number, AssemblyErrorKind::Operands));
        }
    }
    let last = statements.len().saturating_sub(1);
    if place == TextPlace::Function && !walk.sections.is_back() {
        return Err(error(last, AssemblyErrorKind::Directive));
    }
    walk.finish().map_err(|(number, kind)| error(number.unwrap_or(last), kind))
}

struct Walk<'a, 't, B: BranchIsa, I> {
    machine: &'a mut I,
    place: TextPlace,
    names: Names<'t>,
    sections: SectionStack,
    /// By number of the section.
    parts: Vec<Part<B>>,
    symbols: Symbols,
}

/// A directive's name without its point, in small letters, and its operands.
fn directive_of(statement: &str) -> Option<(String, &str)> {
    let (word, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
    let name = word.strip_prefix('.')?;
    Some((name.to_ascii_lowercase(), operands.trim()))
}

impl<'t, B: BranchIsa, I: Instructions<B>> Walk<'_, 't, B, I> {
    /// Makes the labels, each in the section that its statement is in.
    fn find_labels(&mut self, statements: &[&'t str]) {
        for statement in statements {
            let mut rest = *statement;
            while let Some((_, behind)) = split_label(rest) {
                let section = self.sections.current;
                let label = self.parts[section].buffer.new_label();
                self.names.add_home(section, label);
                rest = behind;
            }
            if let Some((name, operands)) = directive_of(rest) {
                // What is wrong with it, the second walk says.
                let _ = self.sections.directive(&name, operands);
            }
            self.parts.resize_with(self.sections.names.len(), Part::new);
        }
        self.sections.restart();
    }

    fn statement(&mut self, statement: &'t str) -> Result<()> {
        let section = self.sections.current;
        let part = &mut self.parts[section];
        part.buffer.freeze_tail();
        let mut label = self.names.next_label;
        while label < self.names.num_homes() && self.names.statement_of(label) == Some(self.names.statement) {
            if let Some(place) = self.names.place_label(label, part.buffer.offset()) {
                part.buffer.bind(place);
            }
            label += 1;
        }
        self.names.next_label = label;
        part.buffer.freeze_tail();
        (self.names.section, self.names.offset) = (section, part.buffer.offset());
        let rest = unlabelled(statement);
        if rest.is_empty() {
            return Ok(());
        }
        if let Some((name, operands)) = directive_of(rest) {
            return self.directive(&name, operands);
        }
        if let Some((name, value)) = rest.split_once('=')
            && !name.trim_end().contains(|c: char| !super::expression::is_of_name(c))
        {
            let value = value.strip_prefix('=').unwrap_or(value);
            let set = self.symbols.set(name.trim_end(), value, &mut self.names);
            return set.ok_or(AssemblyErrorKind::Operand);
        }
        let part = &mut self.parts[section];
        part.starts.push((self.names.offset, self.names.statement));
        self.machine.instruction(&mut part.buffer, &mut self.names, rest)
    }

    fn directive(&mut self, name: &str, operands: &str) -> Result<()> {
        let section = self.sections.current;
        if let Some(result) = self.machine.directive(&mut self.parts[section].buffer, name, operands) {
            return result;
        }
        if let Some(result) = self.sections.directive(name, operands) {
            return result;
        }
        if let Some(result) = self.symbols.directive(name, operands, &mut self.names) {
            return result;
        }
        if let Some(result) = directives::alignment(name, operands, I::ALIGN_IS_POWER, &mut self.names) {
            let (bytes, fill) = result?;
            self.align(bytes, fill);
            return Ok(());
        }
        if let Some(result) = directives::data(name, operands, I::WORD, &mut self.names) {
            for datum in result? {
                self.append(datum)?;
            }
            return Ok(());
        }
        let says_nothing = match name {
            "file" | "ident" | "addrsig" | "addrsig_sym" | "loc" => true,
            // How callers are found through a function that is not of the module.
            _ => name.starts_with("cfi_") && self.place == TextPlace::Module,
        };
        if says_nothing { Ok(()) } else { Err(AssemblyErrorKind::Directive) }
    }

    fn align(&mut self, bytes: u32, fill: Option<u8>) {
        let section = self.sections.current;
        // In a function no more is known of the place than where instructions begin.
        let is_inside = self.place == TextPlace::Function && section == 0;
        let bytes = if is_inside { bytes.min(B::GRAIN) } else { bytes };
        let is_code = self.sections.names[section].flags.is_code;
        let part = &mut self.parts[section];
        part.alignment = part.alignment.max(bytes);
        let mut padding = part.buffer.offset().wrapping_neg() & (bytes - 1);
        let mut out = [0; 64];
        while padding > 0 {
            let size = padding.min(64);
            let chunk = &mut out[..size as usize];
            match fill {
                None if is_code => B::fill_nops(chunk),
                fill => chunk.fill(fill.unwrap_or(0)),
            }
            part.buffer.append(chunk);
            padding -= size;
        }
    }

    fn append(&mut self, datum: Datum) -> Result<()> {
        let section = self.sections.current;
        let part = &mut self.parts[section];
        match datum {
            Datum::Bytes(bytes) => part.buffer.append(&bytes),
            Datum::Value(sum, size) => match sum.known() {
                Some(number) if fits(number, size) => {
                    part.buffer.append(&number.to_le_bytes()[..size as usize])
                }
                Some(_) => return Err(AssemblyErrorKind::Operand),
                None => {
                    part.fields.push((part.buffer.offset(), sum, size, self.names.statement));
                    part.buffer.append(&[0; 8][..size as usize]);
                }
            },
        }
        Ok(())
    }

    /// What comes of it all; else the statement in doubt, if it is known.
    fn finish(mut self) -> core::result::Result<Assembled, (Option<usize>, AssemblyErrorKind)> {
        let mut sections = Vec::with_capacity(self.parts.len());
        let parts = core::mem::take(&mut self.parts);
        for (number, mut part) in parts.into_iter().enumerate() {
            part.buffer.finish().map_err(|_| (None, AssemblyErrorKind::Label))?;
            let mut section = AssembledSection {
                name: self.sections.names[number].clone(),
                alignment: part.alignment,
                bytes: part.buffer.bytes().to_vec(),
                relocs: Vec::new(),
            };
            let wrong = |statement| (statement, AssemblyErrorKind::Expression);
            for &Reloc { offset, kind, symbol, addend } in part.buffer.relocs() {
                let sum = Sum { number: addend, plus: Some(symbol), minus: None };
                let before = part.starts.partition_point(|&(start, _)| start <= offset);
                let statement = before.checked_sub(1).map(|start| part.starts[start].1);
                let resolved = self.resolve(number, &mut section, (offset, kind), sum);
                resolved.map_err(|kind| (statement, kind))?;
            }
            for (offset, sum, size, statement) in part.fields {
                let wrong = wrong(Some(statement));
                let field = self.field_kind(number, offset, sum, size).ok_or(wrong)?;
                let (kind, sum) = match field {
                    Field::Known(number) => {
                        if !fits(number, size) {
                            return Err(wrong);
                        }
                        let field = section.bytes.get_mut(offset as usize..).ok_or(wrong)?;
                        field[..size as usize].copy_from_slice(&number.to_le_bytes()[..size as usize]);
                        continue;
                    }
                    Field::Linked(kind, sum) => (kind, sum),
                };
                self.resolve(number, &mut section, (offset, kind), sum)
                    .map_err(|kind| (Some(statement), kind))?;
            }
            sort_by_offset(&mut section.relocs);
            sections.push(section);
        }
        let symbols = self.symbols.finished(&self.names).ok_or((None, AssemblyErrorKind::Expression))?;
        Ok(Assembled { sections, symbols })
    }

    /// What a field of data is filled with.
    fn field_kind(&self, section: usize, offset: u32, sum: Sum, size: u32) -> Option<Field> {
        let sum = self.names.settled(sum);
        if let Some(number) = sum.known() {
            return Some(Field::Known(number));
        }
        let [absolute, relative] = match size {
            4 => [RelocKind::Abs32, RelocKind::PcRel32],
            8 => [RelocKind::Abs64, RelocKind::PcRel64],
            _ => return None,
        };
        let Some(minus) = sum.minus else { return Some(Field::Linked(absolute, sum)) };
        // The distance from the field itself, and how far that is from what is subtracted.
        let (there, at) = self.names.place(minus)?;
        let number = sum.number.checked_add(i64::from(offset) - i64::from(at))?;
        (there == section).then_some(Field::Linked(relative, Sum { number, minus: None, ..sum }))
    }

    /// Fills in a field of a section, or leaves it to the linker.
    fn resolve(
        &self,
        section: usize,
        out: &mut AssembledSection,
        (offset, kind): (u32, RelocKind),
        sum: Sum,
    ) -> Result<()> {
        let wrong = AssemblyErrorKind::Expression;
        let symbol = sum.plus.ok_or(wrong)?;
        let target = match (self.names.place(symbol), self.names.reference(symbol).ok_or(wrong)?) {
            (Some((there, at)), _) => {
                let addend = sum.number.checked_add(i64::from(at)).ok_or(wrong)?;
                if there == section {
                    let field = out.bytes.get_mut(offset as usize..).and_then(|rest| rest.first_chunk_mut());
                    let field = field.ok_or(wrong)?;
                    let distance = addend - i64::from(offset);
                    if let Some(value) = I::set_distance(kind, u32::from_le_bytes(*field), distance) {
                        *field = value?.to_le_bytes();
                        return Ok(());
                    }
                }
                let reloc = AssembledReloc { offset, kind, target: AssembledTarget::Section(there), addend };
                out.relocs.push(reloc);
                return Ok(());
            }
            (None, Reference::Name(name, _)) => AssembledTarget::Name(name.clone()),
            (None, _) => return Err(wrong),
        };
        out.relocs.push(AssembledReloc { offset, kind, target, addend: sum.number });
        Ok(())
    }
}

/// What a field of data is filled with.
enum Field {
    Known(i64),
    Linked(RelocKind, Sum),
}

/// Whether a number fits into so many bytes, with its sign or without.
fn fits(number: i64, size: u32) -> bool {
    let bits = 8 * size;
    bits >= 64 || (-(1i64 << (bits - 1))..1i64 << bits).contains(&number)
}

/// Sorts relocations by their place. Apart from the walk, whose type parameters would make copies of it.
fn sort_by_offset(relocs: &mut [AssembledReloc]) {
    relocs.sort_by_key(|reloc| reloc.offset);
}
