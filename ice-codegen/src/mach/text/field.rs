//! Fields of machine instructions as text, and forms: patterns with fields in braces.

use super::super::{MachBlock, VReg};
use crate::compiled::{CodeSymbol, Libcall};
use core::fmt;
use ice_asm::{ConstantId, ConstantSize, SymbolId};
use ice_ir::{FuncId, GlobalId};

/// What is left of a line that is read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Reader { rest: text }
    }

    /// What has not been read.
    #[must_use]
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Reads `text`; says whether it stood there.
    pub fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads a decimal number, with a sign if it is negative.
    pub fn number<T: TryFrom<i128>>(&mut self) -> Option<T> {
        let is_in_number = |(at, c): (usize, char)| c.is_ascii_digit() || at == 0 && c == '-';
        let end = self.rest.char_indices().take_while(|&c| is_in_number(c)).count();
        let number: i128 = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        T::try_from(number).ok()
    }

    /// Reads `prefix` and the number behind it, or nothing.
    pub fn numbered<T: TryFrom<i128>>(&mut self, prefix: &str) -> Option<T> {
        let mut behind = Reader { rest: self.rest.strip_prefix(prefix)? };
        let number = behind.number()?;
        *self = behind;
        Some(number)
    }

    /// Reads `prefix` and the number from 0 to 1 behind it, or nothing.
    pub fn fraction(&mut self, prefix: &str) -> Option<f32> {
        let behind = self.rest.strip_prefix(prefix)?;
        let end = behind.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(behind.len());
        let (number, rest) = behind.split_at(end);
        let number = number.parse().ok().filter(|number| (0.0..=1.0).contains(number))?;
        self.rest = rest;
        Some(number)
    }

    /// Reads the longest of several names that stands here, and gives what it is the name of.
    pub fn longest<T, N: AsRef<str>>(&mut self, names: impl IntoIterator<Item = (T, N)>) -> Option<T> {
        let here = names.into_iter().filter(|(_, name)| self.rest.starts_with(name.as_ref()));
        let (found, name) = here.max_by_key(|(_, name)| name.as_ref().len())?;
        self.rest = &self.rest[name.as_ref().len()..];
        Some(found)
    }

    /// Reads a word of letters, digits and underscores.
    pub fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}

/// A field of an instruction of type `I` as text. (The parameter lets a back end say it of types of other crates.)
pub trait FieldText<I> {
    /// Writes the field.
    ///
    /// # Errors
    /// Those of `out`.
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Reads what [`write`](Self::write) writes, or `None`.
    fn read(reader: &mut Reader<'_>) -> Option<Self>
    where
        Self: Sized;
}

/// Writes a form: `fields` stand for their names in braces.
///
/// # Errors
/// Those of `out`.
pub fn write_form<I>(
    out: &mut dyn fmt::Write,
    form: &str,
    fields: &[(&str, &dyn FieldText<I>)],
) -> fmt::Result {
    for piece in form.split_inclusive('}') {
        let (text, name) = piece.split_once('{').unwrap_or((piece, ""));
        out.write_str(text)?;
        if let Some((_, field)) = fields.iter().find(|(field, _)| Some(*field) == name.strip_suffix('}')) {
            field.write(out)?;
        }
    }
    Ok(())
}

/// Reads all of `text` as a form; `field` reads the field of this name and says whether it could.
pub fn read_form(text: &str, form: &str, mut field: impl FnMut(&str, &mut Reader<'_>) -> bool) -> bool {
    let mut reader = Reader::new(text);
    for piece in form.split_inclusive('}') {
        let (literal, name) = piece.split_once('{').unwrap_or((piece, ""));
        if !reader.eat(literal) {
            return false;
        }
        if let Some(name) = name.strip_suffix('}')
            && !field(name, &mut reader)
        {
            return false;
        }
    }
    reader.rest().is_empty()
}

/// Says of enums how an instruction type writes them: all values, and the name of each, which is one of its own.
#[macro_export]
macro_rules! name_fields {
    ($inst:ty: $($ty:ty = $all:expr, $name:expr;)*) => {$(
        impl $crate::mach::text::FieldText<$inst> for $ty {
            fn write(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
                let name = $name;
                out.write_str(AsRef::<str>::as_ref(&name(*self)))
            }

            fn read(reader: &mut $crate::mach::text::Reader<'_>) -> Option<$ty> {
                let name = $name;
                let all = $all.into_iter();
                reader.longest(all.map(|&value: &$ty| (value, name(value))))
            }
        }
    )*};
}

impl<I> FieldText<I> for VReg {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{self}")
    }

    fn read(reader: &mut Reader<'_>) -> Option<VReg> {
        reader.numbered("v").map(VReg::from_u32)
    }
}

impl<I> FieldText<I> for MachBlock {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{self}")
    }

    fn read(reader: &mut Reader<'_>) -> Option<MachBlock> {
        reader.numbered("block").map(MachBlock::from_u32)
    }
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl<I> FieldText<I> for $ty {
            fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                write!(out, "{self}")
            }

            fn read(reader: &mut Reader<'_>) -> Option<$ty> {
                reader.number()
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 i16 i32 i64 }

impl<I, T: FieldText<I>> FieldText<I> for Option<T> {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Some(field) => field.write(out),
            None => out.write_str("none"),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Option<T>> {
        if reader.eat("none") { Some(None) } else { T::read(reader).map(Some) }
    }
}

impl<I, A: FieldText<I>, B: FieldText<I>> FieldText<I> for (A, B) {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.0.write(out)?;
        out.write_str(":")?;
        self.1.write(out)
    }

    fn read(reader: &mut Reader<'_>) -> Option<(A, B)> {
        let first = A::read(reader)?;
        if !reader.eat(":") {
            return None;
        }
        Some((first, B::read(reader)?))
    }
}

impl<I, T: FieldText<I> + Copy> FieldText<I> for [T; 2] {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        (self[0], self[1]).write(out)
    }

    fn read(reader: &mut Reader<'_>) -> Option<[T; 2]> {
        <(T, T)>::read(reader).map(<[T; 2]>::from)
    }
}

impl<I> FieldText<I> for SymbolId {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match CodeSymbol::unpack(*self) {
            CodeSymbol::Function(f) => write!(out, "@func{}", f.as_u32()),
            CodeSymbol::Global(g) => write!(out, "@global{}", g.as_u32()),
            CodeSymbol::Libcall(call) => write!(out, "@{}", call.name()),
            CodeSymbol::Constant(ConstantId { size, index }) => {
                write!(out, "@constant{}.{index}", size.bytes())
            }
            CodeSymbol::JumpTable(table) => write!(out, "@table{table}"),
            CodeSymbol::Start => out.write_str("@start"),
            CodeSymbol::Label(index) => write!(out, "@label{index}"),
            CodeSymbol::Named(name) => write!(out, "@name{name}"),
            CodeSymbol::Part(part) => write!(out, "@part{part}"),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<SymbolId> {
        if !reader.eat("@") {
            return None;
        }
        let symbol = if let Some(n) = reader.numbered("func") {
            CodeSymbol::Function(FuncId::from_u32(n))
        } else if let Some(n) = reader.numbered("global") {
            CodeSymbol::Global(GlobalId::from_u32(n))
        } else if let Some(n) = reader.numbered("table") {
            CodeSymbol::JumpTable(n)
        } else if let Some(bytes) = reader.numbered::<u32>("constant") {
            let sizes = [ConstantSize::C4, ConstantSize::C8, ConstantSize::C16];
            let size = sizes.into_iter().find(|size| size.bytes() == bytes)?;
            CodeSymbol::Constant(ConstantId { size, index: reader.numbered(".")? })
        } else if let Some(n) = reader.numbered("label") {
            CodeSymbol::Label(n)
        } else if let Some(n) = reader.numbered("name") {
            CodeSymbol::Named(n)
        } else if let Some(n) = reader.numbered("part") {
            CodeSymbol::Part(n)
        } else if reader.eat("start") {
            CodeSymbol::Start
        } else {
            CodeSymbol::Libcall(reader.longest(Libcall::ALL.iter().map(|&call| (call, call.name())))?)
        };
        Some(symbol.pack())
    }
}
