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
//! | `integer`, `wide`, `float`, `extended`, `vector` | the operations behind these, by kind of number |
//! | `memory`, `atomic` | ALLOCA, LOAD, STORE, GEP; atomic accesses and FENCE |
//! | `aggregate`  | EXTRACTVAL, INSERTVAL |
//! | `call`, `assembly`, `intrinsics` | CALL: of functions, of inline assembly, of names that start with `llvm.` |
//! | `prototype`, `pass`, `declared` | what all calls check; how values travel; calls of what LLVM does not write |
//! | `entry`      | parameters, RET |
//! | `control`    | the other terminators, PHI, what is set right at the end |
//!
//! Invariants: every record is consumed to its last operand; an operand has the type that its record asks for;
//! definitions dominate uses and phis name their edges, both proved at the end of the body with the dominator tree.
//! Blocks that control cannot reach are exempt, as no execution sees them.
//!
//! A reader is scratch memory: it is reused from function to function and then allocates nothing in common cases.
//! Cost: linear in the records; about a hundred machine instructions a record.

mod aggregate;
mod arithmetic;
mod assembly;
mod atomic;
mod call;
mod cast;
mod constant;
mod control;
mod declared;
mod entry;
mod extended;
mod float;
mod integer;
mod intrinsics;
mod memory;
mod numbers;
mod pass;
mod prototype;
mod values;
mod vector;
mod wide;

use alloc::boxed::Box;
use alloc::vec::Vec;

use ice_ir::{Block, ControlFlowGraph, FuncId, FunctionBuilder, Inst, Symbol, Value};

use self::constant::ModuleValue;
use self::intrinsics::Row;
use self::numbers::Numbers;
use self::values::{Local, Operand, Run};
use super::module::{LlvmModule, SpecialGlobal};
use super::runtime::Runtime;
use super::shape::Shapes;
use crate::bitstream::{Dialect, Entry, Reader, Records};
use crate::error::{Error, LocatedError, OpenBlock, Result};
use crate::llvm::legalize::parts::PartConstant;
use crate::llvm::wire::attributes::ParamAttributes;
use crate::llvm::wire::codes::{block, function as code};
use crate::llvm::wire::constants::Constants;
use crate::llvm::wire::types::{LlvmType, TypeId};
use crate::pexe::BodyRange;
use crate::ssa::SsaChecks;

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
    specials: Vec<Option<&'static Row>>,
    bool_type: Option<TypeId>,
}

impl LlvmProgram {
    /// Prepares a module; declarations that bodies may need are added to it.
    #[must_use]
    pub fn new(mut header: LlvmModule) -> LlvmProgram {
        let shapes = Shapes::compute(&header.types, &header.layout, &header.legal);
        let row = |special: &SpecialGlobal| intrinsics::find(header.module.name(special.name));
        let specials: Vec<_> = header.specials.iter().map(row).collect();
        let libraries: Vec<_> = specials.iter().map(|row| row.map_or("", |row| row.library)).collect();
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

    /// The bodies, in the order of the defined functions.
    #[must_use]
    pub fn bodies(&self) -> &[BodyRange] {
        &self.header.bodies
    }
}

/// An entry of a phi that is set at the end of the body.
#[derive(Clone, Copy)]
struct Fixup {
    phi: Inst,
    entry: u32,
    number: u32,
    part: u32,
    pred: u32,
}

/// Reads function bodies, one after another.
#[derive(Default)]
pub struct FunctionReader {
    /// Between bodies, the memory of the bitstream reader.
    reader: Option<Reader<'static>>,
    records: Records,
    scratch: Scratch,
}

/// The state of one body.
struct Scratch {
    function: FuncId,
    constants: Constants,
    /// Local values by number: parameters, constants, results; announced ones ahead of time.
    locals: Vec<Local>,
    /// Parts of values that have another number of them than one.
    pool: Vec<Value>,
    module_values: Vec<ModuleValue>,
    epoch: u32,
    first_local: u32,
    next_local: u32,
    /// Announced values that are not defined yet.
    pending: u32,
    num_blocks: u32,
    /// The basic block that the next instruction belongs to.
    block: u32,
    /// The ICE block that is appended to.
    stamp: u32,
    past_phis: bool,
    has_begun: bool,
    ret: Option<(TypeId, ParamAttributes)>,
    /// Where a result of many parts goes.
    result_slot: Option<Value>,
    /// The temporaries of operations on `x86_fp80`.
    extended: Option<[Value; 3]>,
    /// Temporaries of 16 bytes for arguments in memory, and how many the current call has.
    argument_places: Vec<Value>,
    memory_arguments: usize,
    /// The bundle in front of the next call.
    bundle: Option<u32>,
    /// ICE blocks in which basic blocks went on.
    splits: Vec<(u32, Block)>,
    fixups: Vec<Fixup>,
    numbers: Numbers,
    addresses: Vec<(Symbol, Value)>,
    args: Vec<Value>,
    operands: Vec<Operand>,
    runs: Vec<Run>,
    incoming: Vec<(Value, Block)>,
    numbers_seen: Vec<i64>,
    part_constants: Vec<PartConstant>,
    mask: Vec<Option<u32>>,
    /// The expression part that was built last, and the parts of the expression.
    built: Option<(u32, u32)>,
    built_run: Run,
    depth: u32,
    bool_vectors: Vec<(u32, TypeId)>,
    bool_pairs: Vec<(TypeId, TypeId)>,
    checks: SsaChecks,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            function: FuncId::from_u32(0),
            constants: Constants::default(),
            locals: Vec::new(),
            pool: Vec::new(),
            module_values: Vec::new(),
            epoch: 0,
            first_local: 0,
            next_local: 0,
            pending: 0,
            num_blocks: 0,
            block: 0,
            stamp: 0,
            past_phis: false,
            has_begun: false,
            ret: None,
            result_slot: None,
            extended: None,
            argument_places: Vec::new(),
            memory_arguments: 0,
            bundle: None,
            splits: Vec::new(),
            fixups: Vec::new(),
            numbers: Numbers::default(),
            addresses: Vec::new(),
            args: Vec::new(),
            operands: Vec::new(),
            runs: Vec::new(),
            incoming: Vec::new(),
            numbers_seen: Vec::new(),
            part_constants: Vec::new(),
            mask: Vec::new(),
            built: None,
            built_run: Run { start: 0, len: 0 },
            depth: 0,
            bool_vectors: Vec::new(),
            bool_pairs: Vec::new(),
            checks: SsaChecks::default(),
        }
    }
}

impl Scratch {
    /// Starts the body of `function`.
    fn begin(&mut self, program: &LlvmModule, function: FuncId) {
        self.function = function;
        self.first_local = program.first_local();
        self.constants.clear(self.first_local);
        self.module_values.resize(self.first_local as usize, ModuleValue { epoch: 0, stamp: 0, first: 0 });
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.module_values.iter_mut().for_each(|value| value.epoch = 0);
            self.epoch = 1;
        }
        self.locals.clear();
        self.pool.clear();
        self.next_local = 0;
        self.pending = 0;
        self.num_blocks = 0;
        self.block = 0;
        self.stamp = 0;
        self.past_phis = false;
        self.has_begun = false;
        self.ret = None;
        self.result_slot = None;
        self.extended = None;
        self.argument_places.clear();
        self.memory_arguments = 0;
        self.bundle = None;
        self.splits.clear();
        self.fixups.clear();
        self.numbers.clear();
        self.addresses.clear();
        self.part_constants.clear();
        self.built = None;
        self.depth = 0;
        // Types of another module may have the same numbers.
        self.bool_vectors.clear();
        self.bool_pairs.clear();
        self.checks.begin();
    }

    /// The number of the next value.
    #[inline(always)]
    fn next_number(&self) -> u32 {
        self.first_local + self.next_local
    }

    fn push_local(&mut self, operand: Operand) {
        let local = Local { first: operand.first, block: 0, noted: values::MISSING, ty: operand.ty };
        self.locals.push(local);
        self.next_local += 1;
    }

    fn note_use(&mut self, index: u32, block: u32) {
        self.checks.note_use(index, block);
    }

    fn note_early_use(&mut self, index: u32, block: u32) {
        self.checks.note_early_use(index, block);
    }
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
        let mut records = core::mem::take(&mut self.records);
        let result = self.read_body(program, &mut reader, &mut records, builder);
        self.records = records;
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

    /// The flow graph of the function that was read last.
    #[must_use]
    pub fn flow_graph(&self) -> &ControlFlowGraph {
        &self.scratch.checks.cfg
    }

    fn read_body(
        &mut self,
        program: &LlvmProgram,
        reader: &mut Reader<'_>,
        records: &mut Records,
        builder: &mut FunctionBuilder<'_>,
    ) -> Result<()> {
        let scratch = &mut self.scratch;
        if program.header.functions[scratch.function].is_refused {
            return Err(reader.error(program.header.refusal(scratch.function)));
        }
        loop {
            match reader.next_run(records)? {
                Entry::Record => {
                    for record in records.iter() {
                        let mut body = Body {
                            m: &program.header,
                            p: &program.prepared,
                            s: scratch,
                            b: builder,
                            ops: record.ops,
                            at: 0,
                            remaining_bits: reader.bits_behind(&record),
                            name: "of a function",
                        };
                        if let Err(error) = body.record(record.code()) {
                            return Err(reader.error_in_run(*error, records, &record));
                        }
                    }
                }
                Entry::EndBlock => break,
                Entry::DefineAbbrev => {}
                Entry::Block(inner) => match inner.id {
                    block::CONSTANTS => {
                        if scratch.num_blocks == 0 {
                            return Err(reader.error(Error::BlockCountFirst));
                        }
                        if scratch.has_begun {
                            return Err(reader.error(Error::MisplacedConstants));
                        }
                        scratch.constants(program, reader, &inner, records)?;
                    }
                    block::METADATA | block::METADATA_ATTACHMENT | block::VALUE_SYMTAB | block::USELIST => {}
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
            remaining_bits: 0,
            name: "of a function",
        };
        body.finish().map_err(|error| reader.error(*error))
    }
}

impl Scratch {
    /// Reads a CONSTANTS block; its values get the next numbers.
    fn constants(
        &mut self,
        program: &LlvmProgram,
        reader: &mut Reader<'_>,
        inner: &crate::bitstream::BlockHeader,
        records: &mut Records,
    ) -> Result<()> {
        if self.constants.is_empty() {
            self.constants.clear(self.first_local + self.next_local);
        }
        self.constants.read(reader, inner, records, &program.header.environment())?;
        let all = self.constants.len();
        let first = self.constants.first() - self.first_local;
        for index in self.next_local..first + all {
            let number = self.first_local + index;
            let Some((_, ty)) = self.constants.get(number) else { break };
            self.locals.push(Local { first: 0, block: values::CONSTANT, noted: values::MISSING, ty });
        }
        self.next_local = self.locals.len() as u32;
        Ok(())
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
    /// Bits that are left in the body.
    remaining_bits: u64,
    /// For errors about the number of operands.
    name: &'static str,
}

impl Body<'_, '_> {
    /// Reads one record of the FUNCTION block.
    #[inline]
    fn record(&mut self, number: u32) -> Checked<()> {
        if self.b.current_block().is_none() && self.between_blocks(number)? {
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

    /// The same, with a record that is no phi and is called `name` in errors.
    #[inline(always)]
    fn non_phi(&mut self, name: &'static str) -> &mut Self {
        self.s.past_phis = true;
        self.name = name;
        self
    }

    #[inline(never)]
    fn rare_record(&mut self, number: u32) -> Checked<()> {
        match number {
            code::DEBUG_LOC | code::DEBUG_LOC_AGAIN | code::FIRST_DEBUG_RECORD..=code::LAST_DEBUG_RECORD => {
                Ok(())
            }
            code::BLOCKADDR_USERS => Ok(()),
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
                    Ok(tag) => self.s.bundle = Some(tag),
                    Err(_) => return fail(Error::NoSuch { what: "operand bundle tag", index: tag }),
                }
                Ok(())
            }
            code::INVOKE => unsupported("invoke: exceptions"),
            code::LANDINGPAD => self.non_phi("LANDINGPAD").landing_pad(),
            code::RESUME => self.non_phi("RESUME").resume(),
            code::CLEANUPRET | code::CATCHRET | code::CATCHPAD | code::CLEANUPPAD | code::CATCHSWITCH => {
                unsupported("the exceptions of Windows")
            }
            code::CALLBR => unsupported("callbr: inline assembly that jumps"),
            code::VAARG => unsupported("the instruction va_arg"),
            number => fail(Error::UnknownRecord { code: number, block: block::FUNCTION }),
        }
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
            code::DEBUG_LOC
            | code::DEBUG_LOC_AGAIN
            | code::BLOCKADDR_USERS
            | code::FIRST_DEBUG_RECORD..=code::LAST_DEBUG_RECORD => return Ok(true),
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
        if count > self.remaining_bits / 2 || count > 1 << 30 {
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
        self.finish_phis()?;
        let (locals, first) = (&self.s.locals, self.s.first_local);
        let check = self.s.checks.check(self.b.func, |local| locals[local as usize].block);
        check.or_else(|error| match error {
            // The number of the value in the file, where the check knows its index.
            Error::NotDominated { value } => fail(Error::NotDominated { value: first + value }),
            error => fail(error),
        })
    }
}
