//! Instructions from text: what inline assembly of programs is written in (DDI 0487, C3 and C6; the manual of the GNU
//! assembler, 9.1).
//!
//! *Contract.* [`assemble`] makes code and data of a text; what is not of AArch64 about it is in
//! [`assembler`](crate::assembler). A text that it cannot assemble whole gives an error that shows the first statement in doubt.
//! Directives that say what the processor has make nothing: instructions of extensions are always known.
//!
//! *Not here*: macros, conditional assembly, registers with names of the text's own, pools of constants (a number by `ldr
//! x0, =number` is moved), SVE, half precision.
//!
//! [`operand`] reads operands. Instructions of the encoder's tables are found there by their mnemonics: [`integer`],
//! [`memory`], [`float`] and [`vector`]; [`table`] and [`system`] have those that compilers never choose, and [`fields`] says
//! where operands of its rows stand.

mod fields;
mod float;
mod integer;
mod memory;
mod operand;
mod structures;
mod system;
mod table;
mod vector;

use super::symbol::operator;
use super::{Branches, Encoder};
use crate::assembler::{
    self, Assembled, AssemblyError, AssemblyErrorKind, Instructions, Names, TextPlace, evaluate, split,
};
use crate::buffer::CodeBuffer;
use crate::reloc::{Reloc, RelocKind, SymbolId};
use alloc::string::String;
use operand::Operand;

type Result<T> = core::result::Result<T, AssemblyErrorKind>;

/// Makes code and data of a text.
///
/// # Errors
/// The text has a statement that is not known here, or a label out of reach; or inside of a function it has no whole
/// instructions.
pub fn assemble(text: &str, place: TextPlace) -> core::result::Result<Assembled, AssemblyError> {
    let assembled = assembler::assemble(&mut Aarch64Text, text, place)?;
    let size = assembled.sections.first().map_or(0, |section| section.bytes.len());
    if place == TextPlace::Function && !size.is_multiple_of(4) {
        return Err(AssemblyError {
            statement: String::from(text.trim()),
            kind: AssemblyErrorKind::Alignment,
        });
    }
    Ok(assembled)
}

struct Aarch64Text;

impl Instructions<Branches> for Aarch64Text {
    const COMMENT: &'static str = "//";
    const WORD: u32 = 4;
    const ALIGN_IS_POWER: bool = true;

    fn instruction(
        &mut self,
        buffer: &mut CodeBuffer<(), Branches>,
        names: &mut Names<'_>,
        statement: &str,
    ) -> Result<()> {
        // What comments of a line of their own begin with, since `#` marks numbers.
        if statement.starts_with('#') {
            return Ok(());
        }
        let mut encoder = Encoder::new(buffer);
        Assembler { encoder: &mut encoder, names }.statement(statement)
    }

    fn directive(
        &mut self,
        buffer: &mut CodeBuffer<(), Branches>,
        name: &str,
        operands: &str,
    ) -> Option<Result<()>> {
        match name {
            "arch" | "arch_extension" | "cpu" | "ltorg" | "pool" | "variant_pcs" => Some(Ok(())),
            "inst" => Some(split(operands).try_for_each(|text| {
                let word = evaluate(text).and_then(|word| u32::try_from(word).ok());
                buffer.append(&word.ok_or(AssemblyErrorKind::Operand)?.to_le_bytes());
                Ok(())
            })),
            _ => None,
        }
    }

    fn set_distance(kind: RelocKind, word: u32, distance: i64) -> Option<Result<u32>> {
        match kind {
            RelocKind::PcRel32 => {
                let value = i32::try_from(distance).map_err(|_| AssemblyErrorKind::Expression);
                Some(value.map(|value| value as u32))
            }
            _ => with_distance(kind, word, distance),
        }
    }
}

/// The word with a distance in its field; `None` if the kind is none of those that are relative to the place.
fn with_distance(kind: RelocKind, word: u32, distance: i64) -> Option<Result<u32>> {
    let field = kind.distance()?;
    Some(match () {
        () if !field.is_aligned(distance) => Err(AssemblyErrorKind::Alignment),
        () if !field.has_room(distance) => Err(AssemblyErrorKind::Distance),
        () => Ok(word | field.bits_of(distance)),
    })
}

/// The kind whose operator a text begins with, of the kinds that an instruction may have, and what is behind it.
fn relocation<'t>(text: &'t str, kinds: &[RelocKind]) -> Option<(RelocKind, &'t str)> {
    let begins = |kind: RelocKind| {
        let operator = operator(kind);
        let start = text.get(..operator.len())?;
        start.eq_ignore_ascii_case(operator).then(|| (kind, text[operator.len()..].trim_start()))
    };
    kinds.iter().filter(|&&kind| !operator(kind).is_empty()).find_map(|&kind| begins(kind))
}

/// An instruction as it is assembled. What tries to make one gives `None` if it is none of its own, or if the instruction does
/// not have these operands.
struct Assembler<'a, 'b, 't> {
    encoder: &'a mut Encoder<'b>,
    names: &'a mut Names<'t>,
}

impl Assembler<'_, '_, '_> {
    fn statement(&mut self, statement: &str) -> Result<()> {
        let (word, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        if !self.encoder.buf.offset().is_multiple_of(4) {
            return Err(AssemblyErrorKind::Alignment);
        }
        let name = &*word.to_ascii_lowercase();
        let operands = operand::operands(operands.trim()).ok_or(AssemblyErrorKind::Operand)?;
        match self.inst(name, &operands) {
            Some(result) => result,
            None if is_known(name) => Err(AssemblyErrorKind::Operands),
            None => Err(AssemblyErrorKind::Instruction),
        }
    }

    fn inst(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<Result<()>> {
        if let Some(result) = self.branch(name, operands).or_else(|| self.near(name, operands)) {
            return Some(result);
        }
        let found = self.integer(name, operands);
        let found = found.or_else(|| self.move_(name, operands));
        let found = found.or_else(|| self.memory(name, operands));
        let found = found.or_else(|| self.system(name, operands));
        let found = found.or_else(|| self.float(name, operands));
        let found = found.or_else(|| self.vector(name, operands));
        let found = found.or_else(|| self.structure(name, operands));
        found.or_else(|| self.row(name, operands)).map(Ok)
    }

    /// Appends a word.
    fn word(&mut self, word: u32) {
        self.encoder.inst(word, format_args!(""));
    }

    /// The value of an operand that is a number.
    fn number(&mut self, operand: &Operand<'_>) -> Option<i64> {
        match *operand {
            Operand::Number(number) => Some(number),
            Operand::Word(text) => self.names.number(text),
            _ => None,
        }
    }

    /// A number of an operand that is below `limit`.
    fn below(&mut self, operand: &Operand<'_>, limit: u32) -> Option<u8> {
        let number = u32::try_from(self.number(operand)?).ok().filter(|&number| number < limit)?;
        u8::try_from(number).ok()
    }

    /// The symbol that a text names, and how far behind it.
    fn symbol(&mut self, text: &str) -> Option<(SymbolId, i64)> {
        let sum = self.names.sum(text)?;
        sum.plus.filter(|_| sum.minus.is_none()).map(|symbol| (symbol, sum.number))
    }

    /// Appends a word with a field for the distance to what an operand names, or is.
    fn word_to(&mut self, word: u32, kind: RelocKind, operand: &Operand<'_>) -> Result<()> {
        let text = match *operand {
            Operand::Number(distance) => {
                self.word(with_distance(kind, word, distance).unwrap_or(Err(AssemblyErrorKind::Operands))?);
                return Ok(());
            }
            Operand::Word(text) => text,
            _ => return Err(AssemblyErrorKind::Operands),
        };
        let (symbol, addend) = self.symbol(text).ok_or(AssemblyErrorKind::Label)?;
        let offset = self.encoder.buf.offset();
        self.word(word);
        self.encoder.buf.add_reloc(Reloc { offset, kind, symbol, addend });
        Ok(())
    }
}

/// Whether there is an instruction of this name, with whatever operands.
fn is_known(name: &str) -> bool {
    let is_known = [
        integer::is_known,
        memory::is_known,
        system::is_known,
        float::is_known,
        vector::is_known,
        structures::is_known,
        table::is_known,
    ];
    is_known.into_iter().any(|is_known| is_known(name))
}

/// An enum of operations that can be found by their mnemonics.
trait Named: Copy + 'static {
    const ALL: &'static [Self];

    fn mnemonic(self) -> &'static str;

    /// The first operation of this mnemonic.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.mnemonic() == name)
    }
}

macro_rules! named {
    ($($ty:ident)*) => {
        $(impl $crate::aarch64::assembler::Named for $crate::aarch64::$ty {
            const ALL: &'static [Self] = $crate::aarch64::$ty::ALL;

            fn mnemonic(self) -> &'static str {
                $crate::aarch64::$ty::mnemonic(self)
            }
        })*

        /// Whether one of the tables has such an operation.
        fn is_in_tables(name: &str) -> bool {
            use $crate::aarch64::assembler::Named as _;
            $($crate::aarch64::$ty::named(name).is_some())||*
        }
    };
}

use named;
