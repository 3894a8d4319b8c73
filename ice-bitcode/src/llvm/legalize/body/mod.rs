//! Reads one function body of an LLVM module and builds it in the IR, in one pass over its records.
//!
//! A value of LLVM becomes a run of ICE values, its [parts](super::legal); the record of an instruction becomes the
//! instructions on its parts (legalisation by expansion, promotion and scalarisation). What a body holds:
//!
//! | file | records |
//! |---|---|
//! | `values`     | operands, value numbers, parts, definitions, references to values that come later |
//! | `constant`   | constants as operands |
//! | `arithmetic` | BINOP, UNOP, CMP2, VSELECT, FREEZE |
//! | `cast`       | CAST |
//! | `integer`, `wide`, `float`, `extended`, `quad`, `vector` | the operations behind these, by kind of number |
//! | `doubles` | operations on vectors of 256 bits as wholes |
//! | `memory`, `address`, `atomic` | ALLOCA, LOAD, STORE; GEP; atomic accesses and FENCE |
//! | `aggregate`  | EXTRACTVAL, INSERTVAL |
//! | `call`, `assembly`, `intrinsics` | CALL: of functions, of inline assembly, of names that start with `llvm.` |
//! | `prototype`, `pass`, `declared` | what all calls check; how values travel; calls of what LLVM does not write |
//! | `entry`      | parameters, RET, what is called where a function begins and ends |
//! | `tail_call`  | calls in place of returns |
//! | `scratch`    | the state of one body |
//! | `exceptions` | INVOKE, LANDINGPAD, RESUME |
//! | `places`     | DEBUG_LOC: where instructions are in the source |
//! | `control`    | the other terminators, PHI, what is set right at the end |
//!
//! Invariants: every record is consumed to its last operand; an operand has the type that its record asks for;
//! definitions dominate uses and phis name their edges, both proved at the end of the body with the dominator tree.
//! Blocks that control cannot reach are exempt, as no execution sees them.
//!
//! A reader is scratch memory: it is reused from function to function and then allocates nothing in common cases.
//! Cost: linear in the records; about a hundred machine instructions a record.

mod address;
mod aggregate;
mod arithmetic;
mod assembly;
mod atomic;
pub(super) mod byte_compare;
mod call;
mod cast;
mod constant;
mod control;
mod declared;
mod doubles;
mod entry;
mod exact_sums;
pub(super) mod exceptions;
mod extended;
mod extended_integer;
mod float;
mod float_width;
mod indirect;
mod integer;
mod intrinsics;
mod lane_width;
mod memory;
mod narrowed;
mod numbers;
mod pass;
mod places;
mod promoted;
mod prototype;
mod quad;
mod quad_integer;
mod saturated;
mod scratch;
mod shuffle;
pub(super) mod square_root;
mod stack_operands;
mod tail_call;
mod turns;
mod values;
mod vector;
mod vector_division;
mod wide;
mod wide_divide;
mod wide_float;
mod wide_shift;
mod widened;
mod widened_arithmetic;
mod widened_cut;
mod widened_long;
mod widened_low;

use alloc::boxed::Box;
use alloc::vec::Vec;

use ice_ir::source::FunctionSource;
use ice_ir::{Block, ControlFlowGraph, FuncId, FunctionBuilder};

use self::intrinsics::Special;
pub(super) use self::intrinsics::constrained;
use self::scratch::{Fixup, Scratch};
use super::module::{LlvmModule, SpecialGlobal};
use super::runtime::Runtime;
use super::shape::Shapes;
use crate::bitstream::{Dialect, Entry, Reader, Record};
use crate::error::{Error, LocatedError, OpenBlock, Result};
use crate::llvm::wire::codes::{block, function as code};
use crate::llvm::wire::debug::read_attached;
use crate::llvm::wire::types::{LlvmType, TypeId};
use crate::pexe::BodyRange;

/// What a part of the reader gives: the place is added by the caller. Boxed, because errors are rare and results
/// should fit in registers.
type Checked<T> = core::result::Result<T, Box<Error>>;

/// An error, out of the way of the code that goes on.
#[cold]
#[inline(never)]
fn fail<T>(error: Error) -> Checked<T> {
    Err(Box::new(error))
}

/// An error about something valid.
#[cold]
#[inline(never)]
fn unsupported<T>(what: &str) -> Checked<T> {
    fail(Error::Unsupported { what: what.into() })
}

/// A module whose bodies can be read.
#[derive(Clone, Debug)]
pub struct LlvmProgram {
    header: LlvmModule,
    prepared: Prepared,
}

/// What bodies look up in every record.
#[derive(Clone, Debug)]
struct Prepared {
    shapes: Shapes,
    runtime: Runtime,
    /// By number of the special name.
    specials: Vec<Option<Special>>,
    bool_type: Option<TypeId>,
}

impl LlvmProgram {
    /// Prepares a module; declarations that bodies may need are added to it.
    #[must_use]
    pub fn new(mut header: LlvmModule) -> LlvmProgram {
        let shapes = Shapes::compute(&header.types, &header.layout, &header.legal);
        let find = |special: &SpecialGlobal| intrinsics::find(header.module.name(special.name));
        let specials: Vec<_> = header.specials.iter().map(find).collect();
        let library = |special: &Option<Special>| special.map_or("", |special| special.library());
        let libraries: Vec<_> = specials.iter().map(library).collect();
        let runtime = Runtime::declare(&mut header, &libraries);
        let bool_type = header.types.find(LlvmType::Int(1));
        LlvmProgram { header, prepared: Prepared { shapes, runtime, specials, bool_type } }
    }

    /// Everything but the bodies.
    #[must_use]
    pub const fn header(&self) -> &LlvmModule {
        &self.header
    }

    /// The declarations.
    #[must_use]
    pub const fn module(&self) -> &ice_ir::Module {
        &self.header.module
    }

    /// Notes to which functions indirect calls may lead.
    pub(super) fn set_landings(&mut self, functions: &[FuncId]) {
        for &function in functions {
            self.header.module.functions[function].traits.landing = true;
        }
    }

    /// The bodies, in the order of the defined functions.
    #[must_use]
    pub fn bodies(&self) -> &[BodyRange] {
        &self.header.bodies
    }
}

/// Reads function bodies, one after another.
#[derive(Default)]
pub struct FunctionReader {
    /// Between bodies, the memory of the bitstream reader.
    reader: Option<Reader<'static>>,
    record: Record,
    scratch: Scratch,
}

impl FunctionReader {
    /// A reader without memory of any function.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `body` of the program in `file` into the function of `builder`, and checks it completely.
    ///
    /// # Errors
    ///
    /// Any condition of the catalogue that concerns a function body, with its place.
    pub fn read(
        &mut self,
        program: &LlvmProgram,
        file: &[u8],
        body: &BodyRange,
        builder: &mut FunctionBuilder<'_>,
    ) -> Result<()> {
        let Some(bytes) = file.get(body.bytes()) else {
            return Err(LocatedError::at_bit(Error::Truncated, body.header.at));
        };
        let reader = self.reader.take().unwrap_or_else(|| Reader::open_ended(Dialect::Llvm, 0));
        let header = &program.header;
        let mut reader = reader.reopen(bytes, &body.header, &[header.outer()], header.block_info());
        self.scratch.begin(header, body.function);
        builder.begin(body.function, header.module.signature(body.function));
        let mut record = core::mem::take(&mut self.record);
        let result = self.read_body(program, &mut reader, &mut record, builder);
        self.record = record;
        self.reader = Some(reader.detach());
        result.map_err(|mut error| {
            error.location.function = Some(body.function.as_u32());
            // What is found at the end of the body is found when its block is closed already.
            if error.location.path.len() == 1 {
                error.location.path.push(OpenBlock { id: body.header.id, byte: body.header.at / 8 });
            }
            error
        })
    }

    /// What the module says of the source of the function that was read last, and what its locations mean.
    #[must_use]
    pub fn source(&self, program: &LlvmProgram) -> Option<FunctionSource> {
        self.scratch.places.source(program.header.debug.as_deref()?)
    }

    /// The flow graph of the function that was read last.
    #[must_use]
    pub fn flow_graph(&self) -> &ControlFlowGraph {
        &self.scratch.checks.cfg
    }

    fn read_body(
        &mut self,
        program: &LlvmProgram,
        reader: &mut Reader<'_>,
        record: &mut Record,
        builder: &mut FunctionBuilder<'_>,
    ) -> Result<()> {
        let scratch = &mut self.scratch;
        if program.header.functions[scratch.function].is_refused {
            return Err(reader.error(program.header.refusal(scratch.function)));
        }
        loop {
            while let Some(record) = reader.next_record(record)? {
                let mut body = Body {
                    m: &program.header,
                    p: &program.prepared,
                    s: scratch,
                    b: builder,
                    ops: record.ops,
                    at: 0,
                    reader: Some(&*reader),
                    name: "of a function",
                };
                if let Err(error) = body.record(record.code) {
                    return Err(reader.error_of(*error, &record));
                }
            }
            match reader.next_other(record)? {
                Entry::EndBlock => break,
                // A record would have been read above.
                Entry::DefineAbbrev | Entry::Record => {}
                Entry::Block(inner) => match inner.id {
                    block::CONSTANTS => {
                        if scratch.num_blocks == 0 {
                            return Err(reader.error(Error::BlockCountFirst));
                        }
                        if scratch.has_begun {
                            return Err(reader.error(Error::MisplacedConstants));
                        }
                        scratch.constants(program, reader, &inner, record)?;
                    }
                    block::METADATA => {
                        if let Some(module) = &program.header.predicates {
                            scratch.predicates = module.read_own(reader, &inner, record)?;
                        }
                        if program.header.debug.is_some() {
                            scratch.places.nodes.read_own(reader, &inner, record)?;
                        }
                        scratch.own_weights(program, reader, &inner, record)?;
                    }
                    block::METADATA_ATTACHMENT => {
                        if program.header.debug.is_some() {
                            scratch.places.function = read_attached(reader, &inner, record)?;
                        }
                        scratch.note_rare_ways(program, reader, &inner, record, builder.func)?;
                    }
                    block::VALUE_SYMTAB | block::USELIST => {}
                    id => {
                        return Err(
                            reader.error(Error::UnexpectedBlock { block: id, outer: block::FUNCTION })
                        );
                    }
                },
            }
        }
        let mut body = Body {
            m: &program.header,
            p: &program.prepared,
            s: scratch,
            b: builder,
            ops: &[],
            at: 0,
            reader: None,
            name: "of a function",
        };
        body.finish().map_err(|error| reader.error(*error))
    }
}

/// One record being read.
struct Body<'a, 'f> {
    m: &'a LlvmModule,
    p: &'a Prepared,
    s: &'a mut Scratch,
    b: &'a mut FunctionBuilder<'f>,
    ops: &'a [u64],
    /// The next operand.
    at: usize,
    /// Where the record was read; nowhere at the end of the body.
    reader: Option<&'a Reader<'a>>,
    /// For errors about the number of operands.
    name: &'static str,
}

impl Body<'_, '_> {
    /// Bits that are left in the body, which bound what can still be defined.
    fn remaining_bits(&self) -> u64 {
        self.reader.map_or(0, Reader::remaining_bits)
    }

    /// Reads one record of the FUNCTION block.
    #[inline]
    fn record(&mut self, number: u32) -> Checked<()> {
        self.s.instructions += u32::from(code::is_instruction(number));
        if self.b.current_block().is_none() && self.between_blocks(number)? {
            return Ok(());
        }
        if self.s.is_watched && self.watch(number)? {
            return Ok(());
        }
        match number {
            code::LOAD => self.non_phi("LOAD").load(),
            code::BINOP => self.non_phi("BINOP").binop(),
            code::GEP => self.non_phi("GEP").gep(),
            code::CMP2 => self.non_phi("CMP2").compare(),
            code::BR => self.non_phi("BR").br(),
            code::STORE => self.non_phi("STORE").store(),
            code::CAST => self.non_phi("CAST").cast_record(),
            code::CALL => self.non_phi("CALL").call(),
            code::PHI => {
                self.name = "PHI";
                self.phi()
            }
            code::VSELECT => self.non_phi("VSELECT").select(),
            number => self.rare_record(number),
        }
    }

    /// Notes that the record is no phi and that errors call it `name`.
    #[inline(always)]
    fn non_phi(&mut self, name: &'static str) -> &mut Self {
        if !self.s.past_phis {
            self.end_phis();
        }
        self.name = name;
        self
    }

    #[inline(never)]
    fn rare_record(&mut self, number: u32) -> Checked<()> {
        match number {
            code::DEBUG_LOC => {
                self.debug_loc();
                Ok(())
            }
            code::DEBUG_LOC_AGAIN => {
                self.latest_place();
                Ok(())
            }
            code::FIRST_DEBUG_RECORD..=code::LAST_DEBUG_RECORD | code::BLOCKADDR_USERS => Ok(()),
            code::ALLOCA => self.non_phi("ALLOCA").alloca(),
            code::RET => self.non_phi("RET").ret(),
            code::SWITCH => self.non_phi("SWITCH").switch(),
            code::INDIRECTBR => self.non_phi("INDIRECTBR").indirect_br(),
            code::UNREACHABLE => self.non_phi("UNREACHABLE").unreachable(),
            code::UNOP => self.non_phi("UNOP").unop(),
            code::FREEZE => self.non_phi("FREEZE").freeze(),
            code::EXTRACTVAL => self.non_phi("EXTRACTVAL").extract_value(),
            code::INSERTVAL => self.non_phi("INSERTVAL").insert_value(),
            code::EXTRACTELT => self.non_phi("EXTRACTELT").extract_element(),
            code::INSERTELT => self.non_phi("INSERTELT").insert_element(),
            code::SHUFFLEVEC => self.non_phi("SHUFFLEVEC").shuffle(),
            code::LOADATOMIC => self.non_phi("LOADATOMIC").load_atomic(),
            code::STOREATOMIC => self.non_phi("STOREATOMIC").store_atomic(),
            code::CMPXCHG => self.non_phi("CMPXCHG").compare_exchange(),
            code::ATOMICRMW => self.non_phi("ATOMICRMW").atomic_rmw(),
            code::FENCE => self.non_phi("FENCE").fence(),
            code::OPERAND_BUNDLE => {
                let tag = self.op()?;
                match u32::try_from(tag) {
                    Ok(tag) => {
                        self.s.bundle = Some(tag);
                        self.s.type_word = self.bundled_type_word(tag)?;
                    }
                    Err(_) => return fail(Error::NoSuch { what: "operand bundle tag", index: tag }),
                }
                Ok(())
            }
            code::INVOKE => self.non_phi("INVOKE").invoke(),
            code::LANDINGPAD => self.landing_pad(),
            code::RESUME => self.non_phi("RESUME").resume(),
            code::CLEANUPRET | code::CATCHRET | code::CATCHPAD | code::CLEANUPPAD | code::CATCHSWITCH => {
                unsupported("the exceptions of Windows")
            }
            code::CALLBR => self.non_phi("CALLBR").callbr(),
            code::VAARG => unsupported("the instruction va_arg"),
            number => fail(Error::UnknownRecord { code: number, block: block::FUNCTION }),
        }
    }

    /// What there is to do before a record is read where places are kept or a call waits for its return. Whether the record
    /// is done.
    #[cold]
    fn watch(&mut self, number: u32) -> Checked<bool> {
        if self.m.debug.is_some() {
            self.begin_place(number);
        }
        self.s.is_watched = self.m.debug.is_some();
        let is_done = self.behind_tail_call(number)?;
        self.s.is_watched |= self.s.tail_call.is_some();
        Ok(is_done)
    }

    /// What is no instruction, and the start of a block. Whether the record is done.
    #[inline(never)]
    fn between_blocks(&mut self, number: u32) -> Checked<bool> {
        match number {
            code::DECLAREBLOCKS => {
                self.name = "DECLAREBLOCKS";
                self.declare_blocks()?;
                return Ok(true);
            }
            // They belong to the terminator before them.
            _ if code::is_for_debuggers(number) || number == code::BLOCKADDR_USERS => {
                self.rare_record(number)?;
                return Ok(true);
            }
            _ => {}
        }
        if self.s.num_blocks == 0 {
            return fail(Error::BlockCountFirst);
        }
        if self.s.block >= self.s.num_blocks {
            return fail(Error::TooManyBlocks { declared: self.s.num_blocks });
        }
        self.s.has_begun = true;
        self.s.stamp = self.s.block;
        self.b.switch_to_block(Block::from_u32(self.s.block));
        self.s.past_phis = false;
        Ok(false)
    }

    /// DECLAREBLOCKS: makes the blocks, and the parameters at the start of the first.
    fn declare_blocks(&mut self) -> Checked<()> {
        let count = self.op()?;
        self.end()?;
        if self.s.num_blocks != 0 {
            return fail(Error::BlockCountFirst);
        }
        if count == 0 {
            return fail(Error::NoBlocks);
        }
        // Each block has a terminator of at least two bits.
        if count > self.remaining_bits() / 2 || count > 1 << 30 {
            return fail(Error::BlockCountTooLarge { count });
        }
        self.s.num_blocks = count as u32;
        for _ in 0..count {
            self.b.create_block();
        }
        self.b.switch_to_block(Block::from_u32(0));
        self.parameters()
    }

    /// All that can be done when the whole body is there.
    fn finish(&mut self) -> Checked<()> {
        if self.s.num_blocks == 0 {
            return fail(Error::BlockCountFirst);
        }
        if self.b.current_block().is_some() {
            return fail(Error::NoTerminator);
        }
        if self.s.block < self.s.num_blocks {
            return fail(Error::TooFewBlocks { declared: self.s.num_blocks, found: self.s.block });
        }
        if self.s.pending > 0 {
            return fail(Error::NeverDefined { value: self.s.next_number() });
        }
        // What is made from now on is of no place.
        self.b.func.set_source_location(None);
        self.finish_pads()?;
        self.finish_phis()?;
        self.s.checks.cfg.compute(self.b.func);
        self.check_pads()?;
        let (locals, first) = (&self.s.locals, self.s.first_local);
        let check = self.s.checks.check(self.b.func, |local| locals[local as usize].block);
        check.or_else(|error| match error {
            // The number of the value in the file, where the check knows its index.
            Error::NotDominated { value } => fail(Error::NotDominated { value: first + value }),
            error => fail(error),
        })?;
        if self.s.has_indirect_branches {
            indirect::separate(self.b.func);
            self.s.checks.cfg.compute(self.b.func);
        }
        Ok(())
    }
}
