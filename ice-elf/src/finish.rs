//! The end of an object: numbers for symbols and sections, kept bytes, tables, section headers.
//!
//! Order of the section headers: null, groups (the ABI wants them before their members), then each section
//! followed by its relocation section, the stack note, and the tables `.symtab`, `.symtab_shndx` if a symbol
//! needs it, `.strtab`, `.shstrtab`. Symbols: null, local ones in order of declaration, then the others.
//! The name of a section with relocations is the tail of the name of its relocation section.
//!
//! Cost: linear, plus sorting the global symbols by name offset to find duplicates.
use alloc::vec;
use alloc::vec::Vec;

use object::elf;

use crate::format::{FileHeader, RecordKind, SectionHeader, SymbolRecord};
use crate::section::{Contents, Group, Section, padding};
use crate::strings::StringTable;
use crate::symbol::{DefinedIn, Symbol};
use crate::{Error, GroupKind, ObjectWriter, SectionId, Sink, StackNote, SymbolId};

/// Sections from here on do not fit the 16-bit fields of symbols and of the file header.
const RESERVED: u32 = elf::SHN_LORESERVE as u32;

/// Bytes of the symbol table that are written at once.
const PIECE: usize = 16 << 10;

/// Section headers and names as they are made, in order.
struct Headers {
    bytes: Vec<u8>,
    names: StringTable,
    count: u32,
}

/// Numbers of the tables in the section header table.
struct Tables {
    symtab: u32,
    strtab: u32,
    shstrtab: u32,
    /// A symbol lies in a section from [`RESERVED`] on.
    extended: bool,
}

impl<S: Sink> ObjectWriter<S> {
    /// Write what is left and give the sink back.
    ///
    /// # Errors
    /// The first error of an `append_…`;
    /// [`Error::UndefinedLocal`], [`Error::DuplicateGlobal`], [`Error::SymbolOutsideSection`],
    /// [`Error::BrokenMergeSection`], [`Error::FileTooLarge`], and errors of the sink.
    pub fn finish(mut self) -> Result<S, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let (index_of, first_global) = self.number_symbols()?;
        let tables = self.number_sections();
        let mut headers = Headers { bytes: Vec::new(), names: StringTable::new(), count: 0 };
        let header = FileHeader {
            section_headers: 0,
            section_count: tables.shstrtab + 1,
            names_section: tables.shstrtab,
            abi: (self.os_abi(), 0),
            program: None,
        };
        self.add(&mut headers, b"", header.null_section())?;
        self.write_groups(&mut headers, &tables, &index_of)?;
        self.write_sections(&mut headers, &tables, &index_of)?;
        if self.options.stack_note == StackNote::NonExecutable {
            let note = SectionHeader {
                sh_type: elf::SHT_PROGBITS,
                offset: self.position,
                alignment: 1,
                ..SectionHeader::default()
            };
            self.add(&mut headers, b".note.GNU-stack", note)?;
        }
        self.write_symbols(&mut headers, &tables, first_global)?;

        let strings = core::mem::replace(&mut self.strings, StringTable::new());
        let table = SectionHeader { sh_type: elf::SHT_STRTAB, alignment: 1, ..SectionHeader::default() };
        self.add_table(&mut headers, b".strtab", table, strings.bytes())?;
        // The last table holds its own name, so that is added before its bytes are written.
        headers.names.intern(b".shstrtab")?;
        let names = core::mem::replace(&mut headers.names, StringTable::new());
        let offset = self.position;
        self.put(names.bytes())?;
        headers.names = names;
        let size = headers.names.bytes().len() as u64;
        self.add(&mut headers, b".shstrtab", SectionHeader { offset, size, ..table })?;
        debug_assert_eq!(headers.count, header.section_count);

        self.put_zeros(padding(self.position, self.options.format.word_size()))?;
        let header = FileHeader { section_headers: self.position, ..header };
        self.put(&headers.bytes)?;
        let mut bytes = Vec::new();
        header.write(self.options.format, &mut bytes);
        self.sink.patch(0, &bytes)?;
        Ok(self.sink)
    }

    /// Who has to understand the object: symbols of GNU's own are for its linkers and loaders.
    fn os_abi(&self) -> u8 {
        let is_gnu = |symbol: &Symbol| symbol.st_type == elf::STT_GNU_IFUNC && is_written(symbol);
        if self.symbols.iter().any(is_gnu) { elf::ELFOSABI_GNU } else { elf::ELFOSABI_NONE }
    }

    /// The index of each symbol in the file, and the index of the first that is not local.
    fn number_symbols(&self) -> Result<(Vec<u32>, u32), Error> {
        let mut index_of = vec![0; self.symbols.len()];
        let mut next = 0;
        let mut globals = Vec::new();
        for (number, symbol) in self.symbols.iter().enumerate() {
            let id = SymbolId::from_u32(number as u32);
            if let Some(section) = symbol.place.as_section()
                && symbol.value > self.sections[section.as_u32() as usize].size
            {
                return Err(Error::SymbolOutsideSection { symbol: id });
            }
            if !is_written(symbol) {
                continue;
            }
            if symbol.is_local() {
                if symbol.place == DefinedIn::UNDEFINED && number != 0 {
                    return Err(Error::UndefinedLocal { symbol: id });
                }
                index_of[number] = next;
                next += 1;
            } else {
                globals.push((symbol.name, id));
            }
        }
        let first_global = next;
        for &(_, id) in &globals {
            index_of[id.as_u32() as usize] = next;
            next += 1;
        }
        globals.sort_unstable();
        match globals.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(Error::DuplicateGlobal { symbol: pair[1].1 }),
            None => Ok((index_of, first_global)),
        }
    }

    /// Give every section its index. `next_section_number` left room, so nothing wraps.
    fn number_sections(&mut self) -> Tables {
        let mut next = 1 + self.groups.len() as u32;
        for section in &mut self.sections {
            section.index = next;
            next += if section.relocations.is_empty() { 1 } else { 2 };
        }
        let index = |section: SectionId| self.sections[section.as_u32() as usize].index;
        let is_behind = |symbol: &Symbol| symbol.place.as_section().is_some_and(|at| index(at) >= RESERVED);
        let extended = self.symbols.iter().any(is_behind);
        let symtab = next + u32::from(self.options.stack_note == StackNote::NonExecutable);
        let strtab = symtab + 1 + u32::from(extended);
        Tables { symtab, strtab, shstrtab: strtab + 1, extended }
    }

    fn write_groups(
        &mut self,
        headers: &mut Headers,
        tables: &Tables,
        index_of: &[u32],
    ) -> Result<(), Error> {
        let groups = core::mem::take(&mut self.groups);
        let mut bytes = Vec::new();
        for Group { signature, kind, members } in &groups {
            let flags = match kind {
                GroupKind::Comdat => elf::GRP_COMDAT,
                GroupKind::Plain => 0,
            };
            bytes.clear();
            bytes.extend_from_slice(&flags.to_le_bytes());
            for member in members {
                let section = &self.sections[member.as_u32() as usize];
                bytes.extend_from_slice(&section.index.to_le_bytes());
                if !section.relocations.is_empty() {
                    bytes.extend_from_slice(&(section.index + 1).to_le_bytes());
                }
            }
            let header = SectionHeader {
                sh_type: elf::SHT_GROUP,
                link: tables.symtab,
                info: index_of[signature.as_u32() as usize],
                alignment: 4,
                entry_size: 4,
                ..SectionHeader::default()
            };
            self.add_table(headers, b".group", header, &bytes)?;
        }
        Ok(())
    }

    fn write_sections(
        &mut self,
        headers: &mut Headers,
        tables: &Tables,
        index_of: &[u32],
    ) -> Result<(), Error> {
        let format = self.options.format;
        let prefix: &[u8] = match format.records {
            RecordKind::Rel => b".rel",
            RecordKind::Rela => b".rela",
        };
        let mut full_name = Vec::from(prefix);
        for number in 0..self.sections.len() {
            let section = &mut self.sections[number];
            let contents = core::mem::replace(&mut section.contents, Contents::None);
            let relocations = core::mem::take(&mut section.relocations);
            let Section {
                sh_type,
                sh_flags,
                entry_size,
                alignment,
                size,
                group,
                link,
                index,
                name,
                address,
                ..
            } = *section;
            let broken =
                sh_flags & u64::from(elf::SHF_MERGE) != 0 && entry_size != 0 && size % entry_size != 0;
            if broken {
                return Err(Error::BrokenMergeSection { section: SectionId::from_u32(number as u32) });
            }
            let offset = match contents {
                Contents::Streamed(offset) if offset != 0 => offset,
                Contents::Kept(bytes) => {
                    // The position in an object means nothing at run time; pages are enough.
                    self.put_zeros(padding(self.position, alignment.min(4096)))?;
                    let offset = self.position;
                    self.put(&bytes)?;
                    offset
                }
                _ => self.position,
            };
            let link = link.map_or(0, |link| self.sections[link.as_u32() as usize].index);
            let header = SectionHeader {
                sh_type,
                flags: sh_flags,
                address,
                offset,
                size,
                link,
                alignment,
                entry_size,
                ..SectionHeader::default()
            };
            full_name.truncate(prefix.len());
            full_name.extend_from_slice(&self.section_names[name.0 as usize..][..name.1 as usize]);
            if relocations.is_empty() {
                self.add(headers, &full_name[prefix.len()..], header)?;
                continue;
            }
            let name = headers.names.intern(&full_name)?;
            headers.push(format, SectionHeader { name: name + prefix.len() as u32, ..header });
            let group_flag = if group.is_some() { elf::SHF_GROUP } else { 0 };
            let header = SectionHeader {
                sh_type: match format.records {
                    RecordKind::Rel => elf::SHT_REL,
                    RecordKind::Rela => elf::SHT_RELA,
                },
                flags: u64::from(elf::SHF_INFO_LINK | group_flag),
                link: tables.symtab,
                info: index,
                alignment: format.word_size(),
                entry_size: format.relocation_size() as u64,
                ..SectionHeader::default()
            };
            self.put_zeros(padding(self.position, header.alignment))?;
            let (offset, size) = (self.position, relocations.size());
            relocations.write(format, index_of, |piece| self.put(piece))?;
            self.add(headers, &full_name, SectionHeader { offset, size, ..header })?;
        }
        Ok(())
    }

    fn write_symbols(
        &mut self,
        headers: &mut Headers,
        tables: &Tables,
        first_global: u32,
    ) -> Result<(), Error> {
        let format = self.options.format;
        let symbols = core::mem::take(&mut self.symbols);
        self.put_zeros(padding(self.position, format.word_size()))?;
        let offset = self.position;
        let (mut bytes, mut extended) = (Vec::with_capacity(PIECE), Vec::new());
        let written = || symbols.iter().filter(|symbol| is_written(symbol));
        let locals = written().filter(|symbol| symbol.is_local());
        for symbol in locals.chain(written().filter(|symbol| !symbol.is_local())) {
            let (shndx, section) = self.section_index(symbol.place);
            if tables.extended {
                let entry = if shndx == elf::SHN_XINDEX { section } else { 0 };
                extended.extend_from_slice(&entry.to_le_bytes());
            }
            let record = SymbolRecord {
                name: symbol.name,
                info: symbol.st_info(),
                other: symbol.st_other,
                shndx,
                value: symbol.value,
                size: symbol.size,
            };
            record.write(format, &mut bytes);
            if bytes.len() + format.symbol_size() > PIECE {
                self.put(&bytes)?;
                bytes.clear();
            }
        }
        self.put(&bytes)?;
        let header = SectionHeader {
            sh_type: elf::SHT_SYMTAB,
            offset,
            size: self.position - offset,
            link: tables.strtab,
            info: first_global,
            alignment: format.word_size(),
            entry_size: format.symbol_size() as u64,
            ..SectionHeader::default()
        };
        self.add(headers, b".symtab", header)?;
        if tables.extended {
            let header = SectionHeader {
                sh_type: elf::SHT_SYMTAB_SHNDX,
                link: tables.symtab,
                alignment: 4,
                entry_size: 4,
                ..SectionHeader::default()
            };
            self.add_table(headers, b".symtab_shndx", header, &extended)?;
        }
        Ok(())
    }

    /// The section field of a symbol at this place, and the index of its section, which the field may have no room for.
    fn section_index(&self, place: DefinedIn) -> (u16, u32) {
        let section = place.as_section().map(|section| self.sections[section.as_u32() as usize].index);
        let shndx = match (place, section) {
            (_, Some(index @ RESERVED..)) => return (elf::SHN_XINDEX, index),
            (_, Some(index)) => index as u16,
            (DefinedIn::ABSOLUTE, None) => elf::SHN_ABS,
            (DefinedIn::COMMON, None) => elf::SHN_COMMON,
            (_, None) => elf::SHN_UNDEF,
        };
        (shndx, section.unwrap_or(0))
    }

    /// Write the bytes of a table and add its header.
    fn add_table(
        &mut self,
        headers: &mut Headers,
        name: &[u8],
        header: SectionHeader,
        bytes: &[u8],
    ) -> Result<(), Error> {
        self.put_zeros(padding(self.position, header.alignment))?;
        let offset = self.position;
        self.put(bytes)?;
        self.add(headers, name, SectionHeader { offset, size: bytes.len() as u64, ..header })
    }

    fn add(&mut self, headers: &mut Headers, name: &[u8], header: SectionHeader) -> Result<(), Error> {
        let name = headers.names.intern(name)?;
        headers.push(self.options.format, SectionHeader { name, ..header });
        Ok(())
    }
}

impl Headers {
    fn push(&mut self, format: crate::Format, header: SectionHeader) {
        header.write(format, &mut self.bytes);
        self.count += 1;
    }
}

/// Whether a symbol is in the file: undefined ones only if something refers to them.
fn is_written(symbol: &Symbol) -> bool {
    symbol.place != DefinedIn::UNDEFINED || symbol.referenced
}
