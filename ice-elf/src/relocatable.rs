//! The calls by which a client builds a relocatable object.
//!
//! Problem: write an object while functions are still being translated, with memory for metadata only. ELF
//! allows it because the section headers may stand at the end and the file header has a fixed size. The file
//! is: header, streamed code, kept sections, then the tables that `finish` makes.
//!
//! Data: dense vectors of symbols, sections and groups, indexed by the ids that the client holds. Relocation
//! records are packed as they come (`relocation`).
//!
//! Invariants: `position` is the number of bytes in the sink. A streamed section is contiguous in the file, so
//! only the last one, `open`, can grow. Symbol 0 is the null symbol.
//!
//! Cost: linear in bytes, symbols and relocations; two calls of the sink a function.
use alloc::vec;
use alloc::vec::Vec;

use object::elf;

use crate::format::Format;
use crate::relocation::{Records, pack};
use crate::section::{Contents, Group, Section, check_alignment, padding};
use crate::strings::StringTable;
use crate::symbol::{DefinedIn, Symbol};
use crate::{
    Binding, Error, GroupId, GroupKind, Relocation, SectionId, SectionSpec, Sink, StandardSection, SymbolId,
    SymbolKind, Target, Visibility,
};

/// Where functions go by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLayout {
    /// All into one `.text`.
    Single,
    /// Each into a section `.text.<name>` of its own, so that the linker can drop unused ones.
    PerFunction,
}

/// Whether to write `.note.GNU-stack`, by which GNU linkers know that the code needs no executable stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackNote {
    /// Write it.
    NonExecutable,
    /// Leave it out.
    Omit,
}

/// Choices for one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Class, machine and relocation records.
    pub format: Format,
    /// Where functions go.
    pub text: TextLayout,
    /// The stack note.
    pub stack_note: StackNote,
    /// Bytes between functions, repeated; the pattern starts at multiples of 4 in the section.
    pub code_fill: [u8; 4],
}

impl Options {
    /// One `.text`, a stack note, and a trapping instruction of the machine (zeros if unknown) as fill.
    pub const fn new(format: Format) -> Options {
        let code_fill = match format.machine {
            elf::EM_386 | elf::EM_X86_64 => [0xcc; 4],        // int3
            elf::EM_ARM => 0xe7f0_00f0_u32.to_le_bytes(),     // udf #0
            elf::EM_AARCH64 => 0xd420_0020_u32.to_le_bytes(), // brk #1
            elf::EM_MIPS => 0x0000_000d_u32.to_le_bytes(),    // break
            _ => [0; 4],
        };
        Options { format, text: TextLayout::Single, stack_note: StackNote::NonExecutable, code_fill }
    }
}

/// A piece of code to append, usually a function.
#[derive(Debug)]
pub struct Code<'a> {
    /// Symbol to define at its start with its size, if any.
    pub symbol: Option<SymbolId>,
    /// The code. In REL formats the writer stores addends in it.
    pub bytes: &'a mut [u8],
    /// Alignment of its start, in bytes.
    pub alignment: u64,
    /// Where it goes.
    pub section: CodeSection,
}

impl<'a> Code<'a> {
    /// A function of alignment 16 in the default place.
    pub const fn new(symbol: SymbolId, bytes: &'a mut [u8]) -> Code<'a> {
        Code { symbol: Some(symbol), bytes, alignment: 16, section: CodeSection::Default }
    }
}

/// Where a piece of code goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeSection {
    /// As [`Options::text`] says; the bytes are streamed.
    Default,
    /// Into this section. Unless it is the section streamed at the moment, its bytes are kept until the end.
    In(SectionId),
}

/// Where a piece of code went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The section.
    pub section: SectionId,
    /// Offset in the section, in bytes.
    pub offset: u64,
}

/// Writes one relocatable object. After an `append_…` returned an error the object is lost, and `finish` gives
/// that error again.
pub struct ObjectWriter<S: Sink> {
    pub(crate) sink: S,
    pub(crate) options: Options,
    pub(crate) position: u64,
    pub(crate) sections: Vec<Section>,
    pub(crate) section_names: Vec<u8>,
    pub(crate) groups: Vec<Group>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) strings: StringTable,
    standard: [Option<SectionId>; StandardSection::COUNT],
    open: Option<SectionId>,
    /// The first error that left a section unfinished.
    pub(crate) failed: Option<Error>,
}

impl<S: Sink> ObjectWriter<S> {
    /// Start an object in an empty sink.
    ///
    /// # Errors
    /// [`Error::UnsupportedFormat`] for 64-bit MIPS; errors of the sink.
    pub fn new(sink: S, options: Options) -> Result<ObjectWriter<S>, Error> {
        if !options.format.is_supported() {
            return Err(Error::UnsupportedFormat);
        }
        let mut writer = ObjectWriter {
            sink,
            options,
            position: 0,
            sections: Vec::new(),
            section_names: Vec::new(),
            groups: Vec::new(),
            symbols: vec![Symbol::NULL],
            strings: StringTable::new(),
            standard: [None; StandardSection::COUNT],
            open: None,
            failed: None,
        };
        writer.put_zeros(options.format.header_size() as u64)?;
        Ok(writer)
    }

    /// Make room for so many symbols more, of which so many have shared names, where that is known before they are
    /// declared. A few others, as those of sections, have room beside them.
    pub fn reserve_symbols(&mut self, additional: usize, shared_names: usize) {
        self.symbols.reserve_exact(additional + additional / 32 + 32);
        self.strings.reserve(shared_names);
    }

    /// The options it was made with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Declare a symbol, to be defined later or by another object. Names are bytes without 0; those of local
    /// symbols may be empty or repeat. A symbol still undefined at the end is left out if nothing refers to it.
    ///
    /// # Errors
    /// [`Error::NulInName`], [`Error::TooManySymbols`], [`Error::StringTableTooLarge`].
    pub fn declare_symbol(
        &mut self,
        name: &[u8],
        binding: Binding,
        kind: SymbolKind,
        visibility: Visibility,
    ) -> Result<SymbolId, Error> {
        let name = self.strings.intern(name)?;
        self.add_symbol(Symbol {
            name,
            st_bind: binding.st_bind(),
            st_type: kind.st_type(),
            st_other: visibility.st_other(),
            referenced: false,
            ..Symbol::NULL
        })
    }

    /// Declare a local symbol of a name that no other has: it is not looked up among the names before, nor kept for
    /// those that come. An equal name would be stored a second time.
    ///
    /// # Errors
    /// As for [`ObjectWriter::declare_symbol`].
    pub fn declare_unique_local(&mut self, name: &[u8], kind: SymbolKind) -> Result<SymbolId, Error> {
        let name = self.strings.append(name)?;
        self.add_symbol(Symbol { name, st_type: kind.st_type(), referenced: false, ..Symbol::NULL })
    }

    /// Say anew who sees a symbol and what it is of.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`].
    pub fn redeclare(
        &mut self,
        symbol: SymbolId,
        binding: Binding,
        kind: SymbolKind,
        visibility: Visibility,
    ) -> Result<(), Error> {
        let known = self.symbol_mut(symbol)?;
        known.st_bind = binding.st_bind();
        known.st_type = kind.st_type();
        known.st_other = visibility.st_other();
        Ok(())
    }

    /// Give a symbol another name.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`], and as for [`ObjectWriter::declare_symbol`].
    pub fn rename(&mut self, symbol: SymbolId, name: &[u8]) -> Result<(), Error> {
        let name = self.strings.intern(name)?;
        self.symbol_mut(symbol)?.name = name;
        Ok(())
    }

    /// Where a symbol is defined, if it is a place in a section: the section, the offset, and the size.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`].
    pub fn symbol_place(&self, symbol: SymbolId) -> Result<Option<(Location, u64)>, Error> {
        let known = self.symbols.get(symbol.as_u32() as usize).ok_or(Error::UnknownSymbol { symbol })?;
        let place = |section| (Location { section, offset: known.value }, known.size);
        Ok(known.place.as_section().map(place))
    }

    /// Say from which source file the local symbols declared next come (`STT_FILE`).
    ///
    /// # Errors
    /// As for [`ObjectWriter::declare_symbol`].
    pub fn declare_file(&mut self, name: &[u8]) -> Result<SymbolId, Error> {
        let name = self.strings.intern(name)?;
        self.add_symbol(Symbol { name, st_type: elf::STT_FILE, place: DefinedIn::ABSOLUTE, ..Symbol::NULL })
    }

    /// Define a symbol at `offset` of `section`, with `size` bytes. The bytes may come later.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`], [`Error::UnknownSection`], [`Error::SymbolRedefined`],
    /// [`Error::SymbolOutOfRange`]; an offset behind the end of the section is found when finishing.
    pub fn define(
        &mut self,
        symbol: SymbolId,
        section: SectionId,
        offset: u64,
        size: u64,
    ) -> Result<(), Error> {
        self.section_ref(section)?;
        self.place_symbol(symbol, DefinedIn::section(section), offset, size)
    }

    /// Define a symbol as a number that linking does not change.
    ///
    /// # Errors
    /// As for [`ObjectWriter::define`].
    pub fn define_absolute(&mut self, symbol: SymbolId, value: u64) -> Result<(), Error> {
        self.place_symbol(symbol, DefinedIn::ABSOLUTE, value, 0)
    }

    /// Define a symbol as common: the linker makes zeroed room for the largest of all objects.
    ///
    /// # Errors
    /// As for [`ObjectWriter::define`]; [`Error::BadAlignment`].
    pub fn define_common(&mut self, symbol: SymbolId, size: u64, alignment: u64) -> Result<(), Error> {
        check_alignment(alignment)?;
        self.place_symbol(symbol, DefinedIn::COMMON, alignment, size)
    }

    /// The section of a usual name, created at the first call.
    ///
    /// # Errors
    /// [`Error::TooManySections`].
    pub fn standard_section(&mut self, which: StandardSection) -> Result<SectionId, Error> {
        if let Some(section) = self.standard[which as usize] {
            return Ok(section);
        }
        let section = self.create_section(&which.spec(self.options.format))?;
        if which == StandardSection::Text && self.options.text == TextLayout::Single {
            self.sections[section.as_u32() as usize].contents = Contents::Streamed(0);
        }
        self.standard[which as usize] = Some(section);
        Ok(section)
    }

    /// Create a section. Its bytes are kept until the end.
    ///
    /// # Errors
    /// [`Error::NulInName`], [`Error::BadAlignment`], [`Error::BadSection`], [`Error::TooManySections`],
    /// [`Error::UnknownGroup`], [`Error::UnknownSection`] for the link.
    pub fn create_section(&mut self, spec: &SectionSpec<'_>) -> Result<SectionId, Error> {
        if let Some(position) = spec.name.iter().position(|&byte| byte == 0) {
            return Err(Error::NulInName { position });
        }
        let max = self.options.format.max_offset();
        if spec.sh_flags > max || spec.entry_size > max || spec.address > max {
            return Err(Error::BadSection);
        }
        if let Some(link) = spec.link {
            self.section_ref(link)?;
        }
        let alignment = check_alignment(spec.alignment)?;
        let id = SectionId::from_u32(self.next_section_number()?);
        let start = u32::try_from(self.section_names.len()).map_err(|_| Error::StringTableTooLarge)?;
        let length = u32::try_from(spec.name.len()).map_err(|_| Error::StringTableTooLarge)?;
        // Nothing is changed before all is checked: a group never has a member that does not exist.
        let mut sh_flags = spec.sh_flags;
        if let Some(group) = spec.group {
            let members =
                self.groups.get_mut(group.as_u32() as usize).ok_or(Error::UnknownGroup { group })?;
            members.members.push(id);
            sh_flags |= u64::from(elf::SHF_GROUP);
        }
        self.section_names.extend_from_slice(spec.name);
        self.sections.push(Section {
            name: (start, length),
            sh_type: spec.sh_type,
            sh_flags,
            entry_size: spec.entry_size,
            alignment,
            size: 0,
            contents: match spec.sh_type {
                elf::SHT_NOBITS => Contents::None,
                _ => Contents::Kept(Vec::new()),
            },
            relocations: Records::default(),
            symbol: 0,
            group: spec.group,
            link: spec.link,
            address: spec.address,
            index: 0,
        });
        Ok(id)
    }

    /// Create a section group, known to the linker by the name of `signature`.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`], [`Error::TooManySections`].
    pub fn create_group(&mut self, signature: SymbolId, kind: GroupKind) -> Result<GroupId, Error> {
        self.symbol_mut(signature)?.referenced = true;
        self.next_section_number()?;
        let id = GroupId::from_u32(self.groups.len() as u32);
        self.groups.push(Group { signature, kind, members: Vec::new() });
        Ok(id)
    }

    /// The name of a section, for messages.
    ///
    /// # Errors
    /// [`Error::UnknownSection`].
    pub fn section_name(&self, section: SectionId) -> Result<&[u8], Error> {
        let (start, length) = self.section_ref(section)?.name;
        Ok(&self.section_names[start as usize..][..length as usize])
    }

    /// Bytes in a section so far.
    ///
    /// # Errors
    /// [`Error::UnknownSection`].
    pub fn section_size(&self, section: SectionId) -> Result<u64, Error> {
        Ok(self.section_ref(section)?.size)
    }

    /// Append a function with its relocations, whose offsets count from its start, and define its symbol.
    ///
    /// # Errors
    /// Unknown numbers, ranges of relocations, sizes, [`Error::SymbolRedefined`], and errors of the sink.
    pub fn append_code(
        &mut self,
        code: Code<'_>,
        relocations: impl IntoIterator<Item = Relocation>,
    ) -> Result<Location, Error> {
        let result = self.place_code(code, relocations);
        self.note_failure(result)
    }

    /// Append data with its relocations, whose offsets count from its start. Gives its offset in the section.
    ///
    /// # Errors
    /// [`Error::SectionIsStreamed`], [`Error::SectionHasNoBytes`], unknown numbers, ranges of relocations, sizes.
    pub fn append_data(
        &mut self,
        section: SectionId,
        alignment: u64,
        bytes: &[u8],
        relocations: impl IntoIterator<Item = Relocation>,
    ) -> Result<u64, Error> {
        let result = self.keep(section, check_alignment(alignment)?, [0; 4], bytes, relocations);
        self.note_failure(result)
    }

    /// Append zeros. Gives their offset in the section. Outside `.bss` and its like they take memory.
    ///
    /// # Errors
    /// [`Error::SectionIsStreamed`], [`Error::UnknownSection`], [`Error::BadAlignment`], [`Error::SectionTooLarge`].
    pub fn append_zeros(&mut self, section: SectionId, alignment: u64, size: u64) -> Result<u64, Error> {
        let result = self.keep_zeros(section, check_alignment(alignment)?, size);
        self.note_failure(result)
    }

    fn note_failure<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &result {
            self.failed.get_or_insert(*error);
        }
        result
    }

    #[inline]
    fn place_code(
        &mut self,
        code: Code<'_>,
        relocations: impl IntoIterator<Item = Relocation>,
    ) -> Result<Location, Error> {
        let alignment = check_alignment(code.alignment)?;
        let section = match code.section {
            CodeSection::In(section) => section,
            CodeSection::Default => self.default_code_section(code.symbol)?,
        };
        let size = code.bytes.len() as u64;
        let offset = match self.section_ref(section)?.contents {
            Contents::Streamed(_) => self.stream(section, alignment, code.bytes, relocations)?,
            _ => self.keep(section, alignment, self.options.code_fill, code.bytes, relocations)?,
        };
        if let Some(symbol) = code.symbol {
            self.define(symbol, section, offset, size)?;
        }
        Ok(Location { section, offset })
    }

    fn keep_zeros(&mut self, section: SectionId, alignment: u64, size: u64) -> Result<u64, Error> {
        let (offset, end) = self.reserve(section, alignment, size)?;
        let too_large = Error::SectionTooLarge { section };
        match &mut self.sections[section.as_u32() as usize].contents {
            Contents::Streamed(_) => return Err(Error::SectionIsStreamed { section }),
            Contents::Kept(data) => {
                let length = usize::try_from(end).map_err(|_| too_large)?;
                data.try_reserve(length - data.len()).map_err(|_| too_large)?;
                data.resize(length, 0);
            }
            Contents::None => {}
        }
        Ok(offset)
    }

    fn default_code_section(&mut self, symbol: Option<SymbolId>) -> Result<SectionId, Error> {
        if self.options.text == TextLayout::Single {
            return self.standard_section(StandardSection::Text);
        }
        let mut name = Vec::from(b".text");
        if let Some(symbol) = symbol {
            let function = self.symbol_mut(symbol)?.name;
            if function != 0 {
                name.push(b'.');
                name.extend_from_slice(self.strings.name(function));
            }
        }
        let spec = SectionSpec { name: &name, ..StandardSection::Text.spec(self.options.format) };
        let section = self.create_section(&spec)?;
        self.sections[section.as_u32() as usize].contents = Contents::Streamed(0);
        Ok(section)
    }

    /// Make room for `size` bytes at the end of a section: their offset and their end.
    #[inline]
    fn reserve(&mut self, id: SectionId, alignment: u64, size: u64) -> Result<(u64, u64), Error> {
        let max = self.options.format.max_offset();
        let section =
            self.sections.get_mut(id.as_u32() as usize).ok_or(Error::UnknownSection { section: id })?;
        // `size` of a section is at most i64::MAX and an alignment far below, so only the last sum can wrap.
        let offset = section.size + padding(section.size, alignment);
        let end = offset.checked_add(size).filter(|&end| end <= max);
        section.size = end.ok_or(Error::SectionTooLarge { section: id })?;
        section.alignment = section.alignment.max(alignment);
        Ok((offset, section.size))
    }

    /// Append code to the streamed section at the end of the file.
    fn stream(
        &mut self,
        id: SectionId,
        alignment: u64,
        bytes: &mut [u8],
        relocations: impl IntoIterator<Item = Relocation>,
    ) -> Result<u64, Error> {
        let index = id.as_u32() as usize;
        if let Contents::Streamed(0) = self.sections[index].contents {
            self.put_zeros(padding(self.position, alignment.clamp(16, 4096)))?;
            self.sections[index].contents = Contents::Streamed(self.position);
            self.open = Some(id);
        } else if self.open != Some(id) {
            return Err(Error::SectionIsStreamed { section: id });
        }
        let old_size = self.sections[index].size;
        let (offset, _) = self.reserve(id, alignment, bytes.len() as u64)?;
        self.put_fill(old_size, offset - old_size)?;
        self.pack_all(id, offset, bytes, relocations)?;
        self.put(bytes)?;
        Ok(offset)
    }

    /// Append bytes to a kept section.
    fn keep(
        &mut self,
        id: SectionId,
        alignment: u64,
        fill: [u8; 4],
        bytes: &[u8],
        relocations: impl IntoIterator<Item = Relocation>,
    ) -> Result<u64, Error> {
        let (offset, end) = self.reserve(id, alignment, bytes.len() as u64)?;
        // The bytes leave the section while the relocations of the new ones are packed.
        let contents = &mut self.sections[id.as_u32() as usize].contents;
        let mut data = match contents {
            Contents::Streamed(_) => return Err(Error::SectionIsStreamed { section: id }),
            Contents::None => return Err(Error::SectionHasNoBytes { section: id }),
            Contents::Kept(data) => core::mem::take(data),
        };
        let too_large = Error::SectionTooLarge { section: id };
        let length = usize::try_from(end).map_err(|_| too_large)?;
        data.try_reserve(length - data.len()).map_err(|_| too_large)?;
        while (data.len() as u64) < offset {
            data.push(fill[data.len() % 4]);
        }
        data.extend_from_slice(bytes);
        let start = data.len() - bytes.len();
        self.pack_all(id, offset, &mut data[start..], relocations)?;
        self.sections[id.as_u32() as usize].contents = Contents::Kept(data);
        Ok(offset)
    }

    fn pack_all(
        &mut self,
        id: SectionId,
        base: u64,
        bytes: &mut [u8],
        relocations: impl IntoIterator<Item = Relocation>,
    ) -> Result<(), Error> {
        let index = id.as_u32() as usize;
        let mut records = core::mem::take(&mut self.sections[index].relocations);
        for relocation in relocations {
            let symbol = self.resolve(relocation.target)?;
            pack(&mut records, self.options.format, id, base, bytes, &relocation, symbol)?;
        }
        self.sections[index].relocations = records;
        Ok(())
    }

    /// The number of the symbol that stands for a target.
    fn resolve(&mut self, target: Target) -> Result<u32, Error> {
        match target {
            Target::Absolute => Ok(0),
            Target::Symbol(symbol) => {
                self.symbol_mut(symbol)?.referenced = true;
                Ok(symbol.as_u32())
            }
            Target::Section(section) => {
                let known = self.section_ref(section)?.symbol;
                if known != 0 {
                    return Ok(known);
                }
                let place = DefinedIn::section(section);
                let symbol = self.add_symbol(Symbol { place, st_type: elf::STT_SECTION, ..Symbol::NULL })?;
                self.sections[section.as_u32() as usize].symbol = symbol.as_u32();
                Ok(symbol.as_u32())
            }
        }
    }

    #[inline]
    fn add_symbol(&mut self, symbol: Symbol) -> Result<SymbolId, Error> {
        let number = u32::try_from(self.symbols.len()).map_err(|_| Error::TooManySymbols)?;
        if number > self.options.format.max_symbol() {
            return Err(Error::TooManySymbols);
        }
        self.symbols.push(symbol);
        Ok(SymbolId::from_u32(number))
    }

    fn symbol_mut(&mut self, symbol: SymbolId) -> Result<&mut Symbol, Error> {
        self.symbols.get_mut(symbol.as_u32() as usize).ok_or(Error::UnknownSymbol { symbol })
    }

    fn section_ref(&self, section: SectionId) -> Result<&Section, Error> {
        self.sections.get(section.as_u32() as usize).ok_or(Error::UnknownSection { section })
    }

    fn place_symbol(&mut self, id: SymbolId, place: DefinedIn, value: u64, size: u64) -> Result<(), Error> {
        let max = self.options.format.max_offset();
        let symbol = self.symbol_mut(id)?;
        if symbol.place != DefinedIn::UNDEFINED {
            return Err(Error::SymbolRedefined { symbol: id });
        }
        // Absolute values of ELF64 use all 64 bits.
        let max_value =
            if place == DefinedIn::ABSOLUTE && max > u64::from(u32::MAX) { u64::MAX } else { max };
        if value > max_value || size > max {
            return Err(Error::SymbolOutOfRange { symbol: id });
        }
        symbol.place = place;
        symbol.value = value;
        symbol.size = size;
        Ok(())
    }

    /// Each section may need a relocation section beside it, and a few tables follow.
    fn next_section_number(&self) -> Result<u32, Error> {
        let used = self.sections.len() * 2 + self.groups.len() + 16;
        if used >= u32::MAX as usize {
            return Err(Error::TooManySections);
        }
        Ok(self.sections.len() as u32)
    }

    /// Append bytes to the file.
    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let end = self.position.checked_add(bytes.len() as u64);
        let end = end.filter(|&end| end <= self.options.format.max_offset()).ok_or(Error::FileTooLarge)?;
        if !bytes.is_empty() {
            self.sink.append(bytes)?;
        }
        self.position = end;
        Ok(())
    }

    /// Append zeros to the file.
    pub(crate) fn put_zeros(&mut self, mut count: u64) -> Result<(), Error> {
        const ZEROS: [u8; 64] = [0; 64];
        while count > 0 {
            let now = count.min(64);
            self.put(&ZEROS[..now as usize])?;
            count -= now;
        }
        Ok(())
    }

    /// Append `count` bytes of code fill to the file, for offset `offset` of a section.
    #[inline]
    fn put_fill(&mut self, offset: u64, mut count: u64) -> Result<(), Error> {
        let fill = u32::from_le_bytes(self.options.code_fill).rotate_right(offset as u32 % 4 * 8);
        let pattern = [fill.to_le_bytes(); 8];
        while count > 0 {
            let now = count.min(32);
            self.put(&pattern.as_flattened()[..now as usize])?;
            count -= now;
        }
        Ok(())
    }
}
