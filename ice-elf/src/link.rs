//! A static linker for one object: an executable of three segments.
//!
//! *Problem.* A closed program, such as one for the sandbox of NaCl, needs nothing of the system's libraries, and a linker
//! of the system may know nothing of its format. *Method*: that of all linkers in two passes: sections get addresses, then
//! relocations are applied ([`Rule`]). Functions that the object leaves undefined are asked of the caller, as code that
//! refers to nothing.
//!
//! | segment | sections | rights |
//! |---|---|---|
//! | text | executable ones, asked functions; filled up with halts | R X |
//! | read-only | allocated ones that are not written | R |
//! | data | written ones, at the end those without bytes | R W |
//!
//! Each begins a page of its own. Cost: linear in sections, symbols and relocations; the object is read in place.

use crate::format::Class;
use crate::{Base, Field, Misfit, Of, Rule};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, Rel, Rela, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{SectionIndex, SymbolIndex};

/// Where an executable lies and what its header says.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Address of the text.
    pub text: u64,
    /// Address of the read-only data, or of the data if there is none; the text ends a bundle before it.
    pub data: u64,
    /// What segments are aligned to, in bytes: a power of two.
    pub page: u64,
    /// What the size of the text and the start of each asked function are multiples of.
    pub bundle: u64,
    /// What fills up text: an instruction that ends the program.
    pub halt: [u8; 4],
    /// `EI_OSABI` and `EI_ABIVERSION`.
    pub abi: (u8, u8),
}

/// Why an object was not linked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// The object is not well-formed.
    Malformed(&'static str),
    /// Nobody defines this symbol.
    Undefined(String),
    /// A relocation of this type, which executables cannot have.
    Unsupported(u32),
    /// A relocation cannot be applied.
    Misfit(Misfit),
    /// The text reaches the data, or a segment the end of 32 bits.
    TooLarge,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Malformed(what) => write!(f, "the object has {what}"),
            LinkError::Undefined(name) => write!(f, "nothing defines {name}"),
            LinkError::Unsupported(r_type) => {
                write!(f, "a relocation of type {r_type} has no place in an executable")
            }
            LinkError::Misfit(misfit) => write!(f, "relocation: {misfit}"),
            LinkError::TooLarge => f.write_str("the program does not fit its address space"),
        }
    }
}

impl core::error::Error for LinkError {}

impl From<object::read::Error> for LinkError {
    fn from(_: object::read::Error) -> LinkError {
        LinkError::Malformed("a header that leads out of it")
    }
}

/// Segments in the order of their addresses.
const TEXT: usize = 0;
const READ_ONLY: usize = 1;
const DATA: usize = 2;

/// A section or an asked function in its segment.
#[derive(Clone, Copy)]
struct Place {
    segment: usize,
    offset: u64,
}

/// A segment as it grows.
#[derive(Default)]
struct Segment {
    address: u64,
    bytes: Vec<u8>,
    /// Bytes behind those, which are zero.
    zeros: u64,
}

impl Segment {
    /// Appends bytes at an alignment, filling up with `fill`.
    fn append(&mut self, bytes: &[u8], alignment: u64, fill: [u8; 4]) -> u64 {
        self.fill_up(alignment, fill);
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        offset
    }

    fn fill_up(&mut self, alignment: u64, fill: [u8; 4]) {
        while !(self.bytes.len() as u64).is_multiple_of(alignment) {
            self.bytes.push(fill[self.bytes.len() % 4]);
        }
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.zeros
    }
}

/// Links an object of class `class`; its execution begins at the symbol `entry`. `function` gives the code of a function
/// that the object does not define.
///
/// # Errors
/// See [`LinkError`].
pub fn link_executable(
    object: &[u8],
    class: Class,
    layout: &Layout,
    entry: &[u8],
    function: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Result<Vec<u8>, LinkError> {
    match class {
        Class::Elf32 => link::<elf::FileHeader32<LE>>(object, class, layout, entry, function),
        Class::Elf64 => link::<elf::FileHeader64<LE>>(object, class, layout, entry, function),
    }
}

fn link<E: FileHeader<Endian = LE>>(
    object: &[u8],
    class: Class,
    layout: &Layout,
    entry: &[u8],
    function: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Result<Vec<u8>, LinkError> {
    let header = E::parse(object)?;
    let sections = header.sections(LE, object)?;
    let symbols = sections.symbols(LE, object, elf::SHT_SYMTAB)?;
    let mut linker = Linker::<E> {
        machine: header.e_machine(LE),
        object,
        sections,
        symbols,
        segments: Default::default(),
        places: vec![None; usize::from(header.e_shnum(LE)).max(1)],
        asked: Vec::new(),
    };
    linker.place_sections(layout)?;
    linker.ask_functions(layout, function)?;
    linker.set_addresses(layout)?;
    linker.relocate()?;
    let start = linker.symbols.iter().find(|symbol| {
        symbol.name(LE, linker.symbols.strings()).is_ok_and(|name| name == entry) && !symbol.is_undefined(LE)
    });
    let start = start.ok_or_else(|| LinkError::Undefined(String::from_utf8_lossy(entry).into_owned()))?;
    let start = linker.address_of(start)?;
    crate::executable::write(class, linker.machine, layout, start, &linker.contents())
        .ok_or(LinkError::TooLarge)
}

struct Linker<'o, E: FileHeader<Endian = LE>> {
    machine: u16,
    object: &'o [u8],
    sections: SectionTable<'o, E>,
    symbols: SymbolTable<'o, E>,
    segments: [Segment; 3],
    /// Where each section is, by number.
    places: Vec<Option<Place>>,
    /// Where the functions are that were asked for, by the number of their symbol.
    asked: Vec<(SymbolIndex, Place)>,
}

impl<'o, E: FileHeader<Endian = LE>> Linker<'o, E> {
    /// First pass: bytes into segments; what has none goes behind all that have.
    fn place_sections(&mut self, layout: &Layout) -> Result<(), LinkError> {
        let mut without_bytes = Vec::new();
        for (index, section) in self.sections.enumerate() {
            let flags: u64 = section.sh_flags(LE).into();
            let has = |flag: u32| flags & u64::from(flag) != 0;
            if !has(elf::SHF_ALLOC) {
                continue;
            }
            let alignment = Into::<u64>::into(section.sh_addralign(LE)).max(1);
            if alignment > layout.page {
                return Err(LinkError::Malformed("a section that is aligned to more than a page"));
            }
            if section.sh_type(LE) == elf::SHT_NOBITS {
                without_bytes.push((index, alignment, section.sh_size(LE).into()));
                continue;
            }
            let (segment, fill) = match (has(elf::SHF_EXECINSTR), has(elf::SHF_WRITE)) {
                (true, false) => (TEXT, layout.halt),
                (true, true) => return Err(LinkError::Malformed("code that is written")),
                (false, false) => (READ_ONLY, [0; 4]),
                (false, true) => (DATA, [0; 4]),
            };
            let bytes = section.data(LE, self.object)?;
            let offset = self.segments[segment].append(bytes, alignment, fill);
            self.set_place(index, Place { segment, offset })?;
        }
        for (index, alignment, size) in without_bytes {
            let data = &mut self.segments[DATA];
            let offset = data.size().next_multiple_of(alignment);
            data.zeros = (offset - data.bytes.len() as u64).checked_add(size).ok_or(LinkError::TooLarge)?;
            self.set_place(index, Place { segment: DATA, offset })?;
        }
        Ok(())
    }

    fn set_place(&mut self, section: SectionIndex, place: Place) -> Result<(), LinkError> {
        let slot =
            self.places.get_mut(section.0).ok_or(LinkError::Malformed("a section without a number"))?;
        *slot = Some(place);
        Ok(())
    }

    /// Appends the functions that are missing, and ends the text.
    fn ask_functions(
        &mut self,
        layout: &Layout,
        function: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<(), LinkError> {
        for (index, symbol) in self.symbols.enumerate() {
            if !symbol.is_undefined(LE) || index.0 == 0 {
                continue;
            }
            let name = symbol.name(LE, self.symbols.strings())?;
            let code = function(name)
                .ok_or_else(|| LinkError::Undefined(String::from_utf8_lossy(name).into_owned()))?;
            let offset = self.segments[TEXT].append(&code, layout.bundle, layout.halt);
            self.asked.push((index, Place { segment: TEXT, offset }));
        }
        self.segments[TEXT].fill_up(layout.bundle, layout.halt);
        Ok(())
    }

    fn set_addresses(&mut self, layout: &Layout) -> Result<(), LinkError> {
        let [text, read_only, data] = &mut self.segments;
        text.address = layout.text;
        read_only.address = layout.data;
        let behind = layout.data + read_only.size();
        data.address = behind.next_multiple_of(layout.page);
        let ends_in_time = layout.text + text.size() + layout.bundle <= layout.data;
        match ends_in_time && data.address.saturating_add(data.size()) <= 1 << 32 {
            true => Ok(()),
            false => Err(LinkError::TooLarge),
        }
    }

    fn address(&self, place: Place) -> u64 {
        self.segments[place.segment].address + place.offset
    }

    fn address_of(&self, symbol: &E::Sym) -> Result<u64, LinkError> {
        let value: u64 = symbol.st_value(LE).into();
        let section = usize::from(symbol.st_shndx(LE));
        match self.places.get(section).copied().flatten() {
            Some(place) => Ok(self.address(place).wrapping_add(value)),
            None => Err(LinkError::Malformed("a symbol that is nowhere")),
        }
    }

    /// Second pass.
    fn relocate(&mut self) -> Result<(), LinkError> {
        let sections = self.sections;
        for section in sections.iter() {
            if let Some((relocations, _)) = section.rela(LE, self.object)? {
                for relocation in relocations {
                    let r_type = relocation.r_type(LE, false);
                    let at = (section.info_link(LE), relocation.r_offset(LE).into());
                    let addend: i64 = relocation.r_addend(LE).into();
                    self.apply(at, r_type, relocation.symbol(LE, false), addend)?;
                }
            }
            if let Some((relocations, _)) = section.rel(LE, self.object)? {
                // From behind: what is missing of an addend is in the field of a later one.
                let mut low = None;
                for relocation in relocations.iter().rev() {
                    let at = (section.info_link(LE), relocation.r_offset(LE).into());
                    let (r_type, symbol) = (relocation.r_type(LE), relocation.symbol(LE));
                    let (field, mut addend) = self.addend_in_field(at, r_type)?;
                    match field {
                        Field::MipsLow => low = Some((symbol, addend)),
                        Field::MipsHigh => {
                            let of_symbol = low.filter(|&(of, _)| of == symbol);
                            let missing = LinkError::Malformed("half an address");
                            addend += of_symbol.ok_or(missing)?.1;
                        }
                        _ => {}
                    }
                    self.apply(at, r_type, symbol, addend)?;
                }
            }
        }
        Ok(())
    }

    /// What a relocation type means.
    fn rule(&self, r_type: u32) -> Result<Rule, LinkError> {
        let rule = Rule::new(self.machine, r_type);
        let rule = rule.filter(|rule| rule.of == Of::Symbol && rule.base != Base::Table);
        rule.ok_or(LinkError::Unsupported(r_type))
    }

    /// Where the field at an offset of a section is.
    fn place(&self, section: SectionIndex, offset: u64) -> Result<Place, LinkError> {
        let place = self.places.get(section.0).copied().flatten();
        let Place { segment, offset: start } =
            place.ok_or(LinkError::Malformed("relocations of what is not loaded"))?;
        let offset = start.checked_add(offset).ok_or(LinkError::TooLarge)?;
        Ok(Place { segment, offset })
    }

    /// The bytes from a place on.
    fn bytes_at(&mut self, place: Place) -> Result<&mut [u8], LinkError> {
        let start = usize::try_from(place.offset).map_err(|_| LinkError::TooLarge)?;
        let bytes = self.segments[place.segment].bytes.get_mut(start..);
        bytes.ok_or(LinkError::Misfit(Misfit::OutOfBounds))
    }

    /// The field of a relocation, and the addend in it.
    fn addend_in_field(
        &mut self,
        (section, offset): (SectionIndex, u64),
        r_type: u32,
    ) -> Result<(Field, i64), LinkError> {
        let field = self.rule(r_type)?.field;
        let place = self.place(section, offset)?;
        let word = self.bytes_at(place)?.first_chunk();
        Ok((field, word.map_or(0, |&word| field.addend(u32::from_le_bytes(word)))))
    }

    /// Applies a relocation.
    fn apply(
        &mut self,
        (section, offset): (SectionIndex, u64),
        r_type: u32,
        symbol: Option<SymbolIndex>,
        addend: i64,
    ) -> Result<(), LinkError> {
        let rule = self.rule(r_type)?;
        let symbol = symbol.ok_or(LinkError::Malformed("a relocation without a symbol"))?;
        let of = match self.asked.binary_search_by_key(&symbol.0, |(index, _)| index.0) {
            Ok(number) => self.address(self.asked[number].1),
            Err(_) => self.address_of(self.symbols.symbol(symbol)?)?,
        };
        let place = self.place(section, offset)?;
        let base = if rule.base == Base::Zero { 0 } else { self.address(place) };
        rule.apply(self.bytes_at(place)?, of, base, addend).map_err(LinkError::Misfit)
    }

    /// The segments as they are loaded: address, bytes, and zeros behind them.
    fn contents(&self) -> [(u64, &[u8], u64); 3] {
        [TEXT, READ_ONLY, DATA].map(|segment| {
            let Segment { address, bytes, zeros } = &self.segments[segment];
            (*address, &**bytes, *zeros)
        })
    }
}
