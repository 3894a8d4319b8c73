//! Symbols: what a client declares, and the state kept until the symbol table is written.
use core::fmt;

use object::elf;

use crate::SectionId;

/// Number of a symbol in one writer, in order of declaration. Not its index in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(u32);

impl SymbolId {
    /// The number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_u32(number: u32) -> SymbolId {
        SymbolId(number)
    }
}

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "symbol{}", self.0)
    }
}

/// Who sees a symbol when objects are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// This object only.
    Local,
    /// All objects; one definition.
    Global,
    /// All objects; gives way to a global definition, and may stay undefined.
    Weak,
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Not said. Every symbol undefined at the end gets this kind, but for thread-local ones.
    NoType,
    /// A function.
    Func,
    /// Data.
    Object,
    /// Thread-local data.
    Tls,
    /// A function that returns the address of the function to use (GNU).
    IndirectFunc,
}

/// Who sees a global symbol once objects are linked into one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// As the binding says.
    Default,
    /// Not outside the linked file.
    Hidden,
    /// Seen outside, but references inside the linked file stay inside.
    Protected,
}

impl Binding {
    pub(crate) const fn st_bind(self) -> u8 {
        match self {
            Binding::Local => elf::STB_LOCAL,
            Binding::Global => elf::STB_GLOBAL,
            Binding::Weak => elf::STB_WEAK,
        }
    }
}

impl SymbolKind {
    pub(crate) const fn st_type(self) -> u8 {
        match self {
            SymbolKind::NoType => elf::STT_NOTYPE,
            SymbolKind::Func => elf::STT_FUNC,
            SymbolKind::Object => elf::STT_OBJECT,
            SymbolKind::Tls => elf::STT_TLS,
            SymbolKind::IndirectFunc => elf::STT_GNU_IFUNC,
        }
    }
}

impl Visibility {
    pub(crate) const fn st_other(self) -> u8 {
        match self {
            Visibility::Default => elf::STV_DEFAULT,
            Visibility::Hidden => elf::STV_HIDDEN,
            Visibility::Protected => elf::STV_PROTECTED,
        }
    }
}

/// Where a symbol is defined: in a section, by its number, or one of three other places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct DefinedIn(u32);

impl DefinedIn {
    pub(crate) const UNDEFINED: DefinedIn = DefinedIn(u32::MAX);
    pub(crate) const ABSOLUTE: DefinedIn = DefinedIn(u32::MAX - 1);
    pub(crate) const COMMON: DefinedIn = DefinedIn(u32::MAX - 2);

    pub(crate) const fn section(section: SectionId) -> DefinedIn {
        DefinedIn(section.as_u32())
    }

    /// The section, unless it is in another place.
    pub(crate) fn as_section(self) -> Option<SectionId> {
        (self.0 < DefinedIn::COMMON.0).then_some(SectionId::from_u32(self.0))
    }
}

/// A symbol as the writer keeps it. There is one for each function and variable of a module, so it is small.
pub(crate) struct Symbol {
    pub(crate) value: u64,
    pub(crate) size: u64,
    pub(crate) name: u32,
    pub(crate) place: DefinedIn,
    pub(crate) st_bind: u8,
    pub(crate) st_type: u8,
    pub(crate) st_other: u8,
    /// A relocation or a group names it.
    pub(crate) referenced: bool,
}

impl Symbol {
    /// The null symbol, number 0 of every writer and of every file.
    pub(crate) const NULL: Symbol = Symbol {
        value: 0,
        size: 0,
        name: 0,
        place: DefinedIn::UNDEFINED,
        st_bind: elf::STB_LOCAL,
        st_type: elf::STT_NOTYPE,
        st_other: elf::STV_DEFAULT,
        referenced: true,
    };

    pub(crate) fn is_local(&self) -> bool {
        self.st_bind == elf::STB_LOCAL
    }

    pub(crate) fn st_info(&self) -> u8 {
        // An undefined symbol's kind is the definition's to say; the linker checks thread-local ones.
        let undefined = self.place == DefinedIn::UNDEFINED && self.st_type != elf::STT_TLS;
        let st_type = if undefined { elf::STT_NOTYPE } else { self.st_type };
        self.st_bind << 4 | st_type
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_stay_small() {
        assert_eq!(size_of::<Symbol>(), 32);
    }
}
