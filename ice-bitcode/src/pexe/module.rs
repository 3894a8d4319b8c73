//! Reads a module but for its function bodies.
//!
//! The parts come in a fixed order (bitcode specification, section 4): VERSION and BLOCKINFO, TYPE, FUNCTION
//! records, GLOBALVAR, VALUE_SYMTAB, FUNCTION blocks. Bodies are passed over by their length, so that they
//! can be read later, elsewhere and in any order.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use ice_ir::{FuncId, FunctionDecl, FunctionKind, Linkage, Module, Name, SigId, TypeDef};

use super::codes::{block, module as code};
use super::{globals, symbols, types};
use crate::bitstream::{BLOCKINFO, BlockHeader, BlockInfo, Dialect, Entry, Reader, Record};
use crate::error::{Error, OpenBlock, Result};
use crate::header;

/// Where the body of a defined function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyRange {
    /// Which function.
    pub function: FuncId,
    /// The FUNCTION block; offsets count from the start of the file.
    pub header: BlockHeader,
}

impl BodyRange {
    /// The bytes of the body in the file.
    #[must_use]
    pub const fn bytes(&self) -> core::ops::Range<usize> {
        (self.header.body / 8) as usize..(self.header.end() / 8) as usize
    }
}

/// A module and what readers of its bodies need.
#[derive(Clone, Debug)]
pub struct ModuleHeader {
    /// Declarations.
    pub module: Module,
    /// Bodies of the defined functions, in order.
    pub bodies: Vec<BodyRange>,
    /// Abbreviations that blocks inherit.
    pub(super) block_info: Arc<BlockInfo>,
    /// The MODULE block, for locations.
    pub(super) outer: OpenBlock,
}

/// Parts of a module, in the order in which they must come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Start,
    Version,
    Types,
    Functions,
    Globals,
    Symbols,
    Bodies,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Part::Start => "the module",
            Part::Version => "VERSION",
            Part::Types => "TYPE",
            Part::Functions => "FUNCTION records",
            Part::Globals => "GLOBALVAR",
            Part::Symbols => "VALUE_SYMTAB",
            Part::Bodies => "function bodies",
        }
    }
}

/// Reads the module in `bytes`, a whole file.
///
/// # Errors
///
/// Every condition of the catalogue that is not about the inside of a function body.
pub fn read_module(bytes: &[u8]) -> Result<ModuleHeader> {
    let start = header::read_header(bytes)?;
    let mut reader = Reader::new(&bytes[start..], start as u64, Dialect::Pnacl);
    let mut record = Record::default();
    if reader.is_at_end() {
        return Err(reader.error(Error::ModuleCount));
    }
    let Entry::Block(block) = reader.next(&mut record)? else {
        return Err(reader.error(Error::TopLevelEntry));
    };
    if block.id != block::MODULE {
        return Err(reader.error(Error::TopLevelBlock { block: block.id }));
    }
    reader.enter(&block);
    let outer = OpenBlock { id: block.id, byte: block.at / 8 };
    let mut state = ModuleReader {
        module: Module::new(),
        bodies: Vec::new(),
        last: Part::Start,
        has_block_info: false,
        next_body: 0,
    };
    loop {
        match reader.next(&mut record)? {
            Entry::EndBlock => break,
            Entry::DefineAbbrev => {}
            Entry::Record => state.record(&reader, &record)?,
            Entry::Block(block) => state.block(&mut reader, &block, &mut record)?,
        }
    }
    state.finish(&reader)?;
    if !reader.is_at_end() {
        return Err(match reader.next(&mut record) {
            Ok(Entry::Block(block)) if block.id == block::MODULE => reader.error(Error::ModuleCount),
            _ => reader.error(Error::TrailingData),
        });
    }
    let block_info = Arc::clone(reader.block_info());
    Ok(ModuleHeader { module: state.module, bodies: state.bodies, block_info, outer })
}

struct ModuleReader {
    module: Module,
    bodies: Vec<BodyRange>,
    /// The last part met.
    last: Part,
    has_block_info: bool,
    /// Number of the first function that may have the next body.
    next_body: usize,
}

impl ModuleReader {
    /// Notes that `part` comes now; parts come in order.
    fn advance(&mut self, reader: &Reader<'_>, part: Part) -> Result<()> {
        if part < self.last {
            return Err(reader.error(Error::Order { part: part.name(), other: self.last.name() }));
        }
        let needed = match part {
            Part::Start | Part::Version => Part::Start,
            Part::Types => Part::Version,
            _ => Part::Types,
        };
        if self.last < needed {
            return Err(reader.error(Error::Order { part: needed.name(), other: part.name() }));
        }
        self.last = part;
        Ok(())
    }

    fn record(&mut self, reader: &Reader<'_>, record: &Record) -> Result<()> {
        match record.code {
            code::VERSION => {
                let &[version] = &record.ops[..] else {
                    let found = record.ops.len();
                    return Err(reader.record_error(
                        Error::OperandCount { record: "VERSION", found, expected: "1" },
                        record,
                    ));
                };
                if version != 1 || self.last != Part::Start {
                    return Err(reader.record_error(Error::ModuleVersion { version }, record));
                }
                self.advance(reader, Part::Version)
            }
            code::FUNCTION => {
                self.advance(reader, Part::Functions)?;
                self.function(record).map_err(|error| reader.record_error(error, record))
            }
            code => Err(reader.record_error(Error::UnknownRecord { code, block: block::MODULE }, record)),
        }
    }

    fn function(&mut self, record: &Record) -> core::result::Result<(), Error> {
        let function = self.module.functions.len() as u32;
        let &[ty, convention, flag, linkage] = &record.ops[..] else {
            return Err(Error::OperandCount { record: "FUNCTION", found: record.ops.len(), expected: "4" });
        };
        let signature: SigId = match usize::try_from(ty).ok().and_then(|t| self.module.types.get(t)) {
            Some(&TypeDef::Function(signature)) => signature,
            _ => return Err(Error::NotAFunctionType { function, ty }),
        };
        if convention != 0 {
            return Err(Error::FunctionConvention { function, convention });
        }
        let kind = match flag {
            0 => FunctionKind::Defined,
            1 => FunctionKind::Declared,
            _ => return Err(Error::PrototypeFlag { function, flag }),
        };
        let linkage = match linkage {
            0 => Linkage::External,
            3 => Linkage::Internal,
            _ => return Err(Error::UnknownLinkage { function, linkage }),
        };
        self.module.functions.push(FunctionDecl { name: Name::default(), signature, linkage, kind });
        Ok(())
    }

    fn block(&mut self, reader: &mut Reader<'_>, block: &BlockHeader, record: &mut Record) -> Result<()> {
        let (part, name) = match block.id {
            BLOCKINFO => return self.block_info(reader, block, record),
            block::TYPE => (Part::Types, "TYPE"),
            block::GLOBALVAR => (Part::Globals, "GLOBALVAR"),
            block::VALUE_SYMTAB => (Part::Symbols, "VALUE_SYMTAB"),
            block::FUNCTION => (Part::Bodies, "FUNCTION"),
            id => return Err(reader.error(Error::UnexpectedBlock { block: id, outer: block::MODULE })),
        };
        if part == self.last && part != Part::Bodies {
            return Err(reader.error(Error::BlockRepeated { block: name }));
        }
        if part == Part::Bodies && self.last < Part::Bodies {
            self.check_declarations().map_err(|error| reader.error(error))?;
        }
        self.advance(reader, part)?;
        match part {
            Part::Types => types::read(reader, block, record, &mut self.module),
            Part::Globals => globals::read(reader, block, record, &mut self.module),
            Part::Symbols => symbols::read(reader, block, record, &mut self.module),
            _ => self.body(block).map_err(|error| reader.error(error)),
        }
    }

    /// BLOCKINFO comes before everything that uses abbreviations; the standard writer puts VERSION before it,
    /// a compressor of its output behind it.
    fn block_info(
        &mut self,
        reader: &mut Reader<'_>,
        block: &BlockHeader,
        record: &mut Record,
    ) -> Result<()> {
        if core::mem::replace(&mut self.has_block_info, true) {
            return Err(reader.error(Error::SecondBlockInfo));
        }
        if self.last > Part::Version {
            return Err(reader.error(Error::Order { part: "BLOCKINFO", other: self.last.name() }));
        }
        reader.enter(block);
        while reader.next(record)? != Entry::EndBlock {}
        Ok(())
    }

    fn body(&mut self, block: &BlockHeader) -> core::result::Result<(), Error> {
        let rest = self.module.functions.values().skip(self.next_body);
        let Some(skip) = rest.into_iter().position(|f| f.kind == FunctionKind::Defined) else {
            return Err(Error::BodyWithoutDefinition);
        };
        let function = FuncId::from_u32((self.next_body + skip) as u32);
        self.next_body += skip + 1;
        self.bodies.push(BodyRange { function, header: *block });
        Ok(())
    }

    /// The ABI rules of declarations: once, when names are known and before the first body.
    fn check_declarations(&mut self) -> core::result::Result<(), Error> {
        symbols::resolve_intrinsics(&mut self.module)?;
        globals::check_relocations(&self.module)
    }

    fn finish(&mut self, reader: &Reader<'_>) -> Result<()> {
        if self.last < Part::Version {
            return Err(reader.error(Error::ModuleVersion { version: 0 }));
        }
        if self.last < Part::Types {
            return Err(reader.error(Error::Order { part: "TYPE", other: "the end of the module" }));
        }
        if self.last < Part::Bodies {
            self.check_declarations().map_err(|error| reader.error(error))?;
        }
        let defined = self.module.defined_functions().count();
        if defined > self.bodies.len() {
            return Err(reader.error(Error::MissingBodies { count: defined - self.bodies.len() }));
        }
        Ok(())
    }
}

/// A name for an error message.
pub(super) fn display_name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
