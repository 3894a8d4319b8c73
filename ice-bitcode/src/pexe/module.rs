//! Reads a module but for its function bodies.
//!
//! The parts come in a fixed order (bitcode specification, section 4): VERSION and BLOCKINFO, TYPE, FUNCTION
//! records, GLOBALVAR, VALUE_SYMTAB, FUNCTION blocks. Bodies are passed over by their length, so that they
//! can be read later, elsewhere and in any order.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use ice_ir::{FuncId, FunctionDecl, FunctionKind, Linkage, Module, Name, SigId, TypeDef};

use super::codes::{block, module as code};
use super::{globals, symbols, types};
use crate::bitstream::{BLOCKINFO, BlockHeader, BlockInfo, Dialect, Entry, Reader, Record};
use crate::error::{Error, LocatedError, OpenBlock, Result};
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
    if !bytes.len().is_multiple_of(4) {
        let length = bytes.len() as u64;
        return Err(LocatedError::at_bit(Error::LengthNotWords { length }, 0));
    }
    let mut reader = Reader::new(&bytes[start..], start as u64, Dialect::Pnacl);
    let (mut module, mut record, mut bodies) = (ModuleReader::default(), Record::default(), Vec::new());
    let mut declarations = None;
    loop {
        match module.step(&mut reader, &mut record)? {
            Step::Entry => {}
            Step::Declarations(header) => {
                declarations = Some(header);
                bodies.reserve_exact(module.defined.len());
            }
            Step::Body(body) => bodies.push(body),
            // All bytes are there, so this cannot be said of a block that was accepted.
            Step::Incomplete => return Err(reader.error(Error::Truncated)),
            Step::End => break,
        }
    }
    module.check_end(&mut reader, &mut record)?;
    let mut header = declarations.ok_or_else(|| reader.error(Error::ModuleCount))?;
    header.bodies = bodies;
    Ok(*header)
}

/// What one step through a module brought.
pub(super) enum Step {
    /// An entry that is nobody else's business.
    Entry,
    /// The declarations are complete; no bodies are in the list yet.
    Declarations(Box<ModuleHeader>),
    /// A body was passed over.
    Body(BodyRange),
    /// The entry is a block whose bytes are not all available; the reader is still before it.
    Incomplete,
    /// The module has ended.
    End,
}

/// Reads a module entry by entry, so that a whole file and one that arrives in pieces go the same way.
pub(super) struct ModuleReader {
    module: Module,
    outer: OpenBlock,
    /// The last part met.
    last: Part,
    has_block_info: bool,
    /// Whether the declarations were handed out.
    has_declared: bool,
    has_ended: bool,
    /// The defined functions, of which the first `bodies` have had their body.
    defined: Vec<FuncId>,
    bodies: usize,
}

impl Default for ModuleReader {
    fn default() -> Self {
        ModuleReader {
            module: Module::new(),
            outer: OpenBlock { id: block::MODULE, byte: 0 },
            last: Part::Start,
            has_block_info: false,
            has_declared: false,
            has_ended: false,
            defined: Vec::new(),
            bodies: 0,
        }
    }
}

impl ModuleReader {
    /// Reads the next entry.
    pub(super) fn step(&mut self, reader: &mut Reader<'_>, record: &mut Record) -> Result<Step> {
        if reader.block().is_none() {
            return self.top_level(reader, record);
        }
        match reader.next(record)? {
            Entry::DefineAbbrev => {}
            Entry::Record => self.record(reader, record)?,
            Entry::Block(block) if block.end() > reader.available_end() => {
                reader.rewind();
                return Ok(Step::Incomplete);
            }
            Entry::Block(block) if block.id == block::FUNCTION => return self.body(reader, &block),
            Entry::Block(block) => self.block(reader, &block, record)?,
            Entry::EndBlock => {
                self.finish(reader)?;
                self.has_ended = true;
                return Ok(Step::End);
            }
        }
        Ok(Step::Entry)
    }

    fn top_level(&mut self, reader: &mut Reader<'_>, record: &mut Record) -> Result<Step> {
        if self.has_ended {
            return Ok(Step::End);
        }
        if reader.is_at_end() {
            return Err(reader.error(Error::ModuleCount));
        }
        let Entry::Block(block) = reader.next(record)? else {
            return Err(reader.error(Error::TopLevelEntry));
        };
        if block.id != block::MODULE {
            return Err(reader.error(Error::TopLevelBlock { block: block.id }));
        }
        reader.enter(&block);
        self.outer = OpenBlock { id: block.id, byte: block.at / 8 };
        Ok(Step::Entry)
    }

    /// Whether the end of the module was read.
    pub(super) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Checks that nothing follows the module.
    pub(super) fn check_end(&self, reader: &mut Reader<'_>, record: &mut Record) -> Result<()> {
        if reader.is_at_end() {
            return Ok(());
        }
        Err(match reader.next(record) {
            Ok(Entry::Block(block)) if block.id == block::MODULE => reader.error(Error::ModuleCount),
            _ => reader.error(Error::TrailingData),
        })
    }

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
        let decl = FunctionDecl::new(Name::default(), signature, linkage, kind);
        let id = self.module.functions.push(decl);
        if kind == FunctionKind::Defined {
            self.defined.push(id);
        }
        Ok(())
    }

    fn block(&mut self, reader: &mut Reader<'_>, block: &BlockHeader, record: &mut Record) -> Result<()> {
        let (part, name) = match block.id {
            BLOCKINFO => return self.block_info(reader, block, record),
            block::TYPE => (Part::Types, "TYPE"),
            block::GLOBALVAR => (Part::Globals, "GLOBALVAR"),
            block::VALUE_SYMTAB => (Part::Symbols, "VALUE_SYMTAB"),
            id => return Err(reader.error(Error::UnexpectedBlock { block: id, outer: block::MODULE })),
        };
        if part == self.last {
            return Err(reader.error(Error::BlockRepeated { block: name }));
        }
        self.advance(reader, part)?;
        match part {
            Part::Types => types::read(reader, block, record, &mut self.module),
            Part::Globals => globals::read(reader, block, &mut self.module),
            _ => symbols::read(reader, block, record, &mut self.module),
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

    fn body(&mut self, reader: &mut Reader<'_>, block: &BlockHeader) -> Result<Step> {
        self.advance(reader, Part::Bodies)?;
        if !self.has_declared {
            // The next step meets this block again.
            let declarations = self.declare(reader)?;
            reader.rewind();
            return Ok(Step::Declarations(declarations));
        }
        let Some(&function) = self.defined.get(self.bodies) else {
            return Err(reader.error(Error::BodyWithoutDefinition));
        };
        self.bodies += 1;
        Ok(Step::Body(BodyRange { function, header: *block }))
    }

    /// Checks the rules of the ABI, which need the names, and hands the declarations out.
    fn declare(&mut self, reader: &Reader<'_>) -> Result<Box<ModuleHeader>> {
        symbols::resolve_intrinsics(&mut self.module).map_err(|error| reader.error(error))?;
        globals::check_relocations(&self.module).map_err(|error| reader.error(error))?;
        self.has_declared = true;
        let mut module = core::mem::take(&mut self.module);
        // They are complete, and stay to the end.
        module.functions.shrink_to_fit();
        module.globals.shrink_to_fit();
        let block_info = Arc::clone(reader.block_info());
        Ok(Box::new(ModuleHeader { module, bodies: Vec::new(), block_info, outer: self.outer }))
    }

    fn finish(&mut self, reader: &Reader<'_>) -> Result<()> {
        if self.last < Part::Version {
            return Err(reader.error(Error::ModuleVersion { version: 0 }));
        }
        if self.last < Part::Types {
            return Err(reader.error(Error::Order { part: "TYPE", other: "the end of the module" }));
        }
        if !self.has_declared {
            // There is an entry point at least, which has no body.
            self.declare(reader)?;
        }
        match self.defined.len() - self.bodies {
            0 => Ok(()),
            count => Err(reader.error(Error::MissingBodies { count })),
        }
    }
}

/// A name for an error message.
pub(super) fn display_name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
