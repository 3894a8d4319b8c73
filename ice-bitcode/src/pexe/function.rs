//! Reads one function body: basic blocks, constants, and the numbers of values.
//!
//! Value numbers are absolute: functions and globals of the module, then parameters, constants and results
//! in the order of records; operands count back from the next number (bitcode specification, section 6).
//! Blocks are implicit: each terminator ends one. The instruction records themselves are in
//! [`instruction`](super::instruction), the checks that need the whole body in [`ssa`](crate::ssa).
//!
//! A reader is scratch memory: it is reused from function to function and then allocates nothing.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cranelift_entity::packed_option::PackedOption;
use ice_ir::{
    Block, ControlFlowGraph, FuncId, FunctionBuilder, FunctionKind, GlobalId, Symbol, Type, TypeDef, Value,
};

use super::codes::{block, constants as code, function as fcode};
use super::module::{BodyRange, ModuleHeader};
use crate::bitstream::{Dialect, Entry, Reader, Record, RecordRef, unrotate_sign};
use crate::error::{Error, LocatedError, OpenBlock, Result};
use crate::ssa::SsaChecks;

/// Bytes of a body for each of its instructions, about: lists grow where there are more.
const BYTES_OF_INSTRUCTION: usize = 5;

/// Most instructions that there is room for before they come: allocators move longer lists without copying them.
const MOST_ROOM: usize = 1 << 12;

/// Reads function bodies, one after another.
#[derive(Default)]
pub struct FunctionReader {
    /// Between bodies, the memory of the bitstream reader.
    reader: Option<Reader<'static>>,
    record: Record,
    /// Local values by number: parameters, constants, results; announced ones ahead of time.
    pub(super) locals: Vec<Local>,
    /// Addresses of functions and globals that this body uses: by number.
    addresses: Vec<PackedOption<Value>>,
    /// The numbers of those.
    addressed: Vec<u32>,
    /// Number of functions and globals of the module: the number of the first local value.
    pub(super) first_local: u32,
    /// Index in `locals` of the next value to be defined.
    pub(super) next_local: u32,
    /// Announced values that are not defined yet.
    pub(super) pending: u32,
    pub(super) num_functions: u32,
    pub(super) num_blocks: u32,
    /// The block that the next instruction belongs to.
    pub(super) block: u32,
    /// Whether something came after which constants are misplaced.
    pub(super) has_begun: bool,
    /// Whether a non-phi of the current block was read.
    pub(super) past_phis: bool,
    /// Indices in `locals` of the constants.
    pub(super) constant_range: core::ops::Range<u32>,
    pub(super) incoming: Vec<(Value, Block)>,
    pub(super) cases: Vec<i64>,
    pub(super) checks: SsaChecks,
}

/// A local value.
#[derive(Clone, Copy)]
pub(super) struct Local {
    pub(super) value: Value,
    /// The block of its definition (0 for parameters and constants), [`ANNOUNCED`] or [`MISSING`].
    pub(super) block: u32,
    /// The last block for which a use was noted.
    noted: u32,
    pub(super) ty: Type,
}

/// The type is known, the definition is still to come.
const ANNOUNCED: u32 = u32::MAX - 1;
/// Nothing is known; `value` means nothing.
const MISSING: u32 = u32::MAX;

impl Local {
    fn new(value: Value, ty: Type, block: u32) -> Local {
        Local { value, block, noted: MISSING, ty }
    }
}

/// What a part of the reader gives: the place is added by the caller. Boxed, because errors are rare and results
/// should fit in registers.
pub(super) type Checked<T> = core::result::Result<T, Box<Error>>;

/// An error, out of the way of the code that goes on.
#[cold]
#[inline(never)]
pub(super) fn fail<T>(error: Error) -> Checked<T> {
    Err(Box::new(error))
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
        header: &ModuleHeader,
        file: &[u8],
        body: &BodyRange,
        builder: &mut FunctionBuilder<'_>,
    ) -> Result<()> {
        let range = body.bytes();
        match file.get(range.start..).filter(|bytes| bytes.len() >= range.len()) {
            Some(bytes) => self.read_bytes(header, bytes, body, builder),
            None => Err(LocatedError::at_bit(Error::Truncated, body.header.at)),
        }
    }

    /// As [`read`](Self::read), where `bytes` begin with those of the body. What follows them is not looked at, but
    /// eight bytes more make the reading of the last records quicker.
    ///
    /// # Errors
    ///
    /// Any condition of the catalogue that concerns a function body, with its place.
    pub fn read_bytes(
        &mut self,
        header: &ModuleHeader,
        bytes: &[u8],
        body: &BodyRange,
        builder: &mut FunctionBuilder<'_>,
    ) -> Result<()> {
        let reader = self.reader.take().unwrap_or_else(|| Reader::open_ended(Dialect::Pnacl, 0));
        let mut reader = reader.reopen(bytes, &body.header, &[header.outer], &header.block_info);
        let mut record = core::mem::take(&mut self.record);
        self.make_room(bytes.len(), builder);
        let result = self.read_body(header, body.function, &mut reader, &mut record, builder);
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

    /// The flow graph of the function that was read last.
    #[must_use]
    pub fn flow_graph(&self) -> &ControlFlowGraph {
        &self.checks.cfg
    }

    /// Gives the memory back that reading has taken, but for that of the [flow graph](Self::flow_graph).
    pub fn give_back(&mut self) {
        let cfg = core::mem::take(&mut self.checks.cfg);
        *self = FunctionReader::default();
        self.checks.cfg = cfg;
    }

    /// Makes room for the instructions of a body of so many bytes.
    fn make_room(&mut self, bytes: usize, builder: &mut FunctionBuilder<'_>) {
        let insts = (bytes / BYTES_OF_INSTRUCTION).min(MOST_ROOM);
        if self.locals.capacity() < insts {
            self.locals = Vec::with_capacity(insts);
            builder.func.make_room(insts);
        }
    }

    fn begin(&mut self, header: &ModuleHeader, function: FuncId, builder: &mut FunctionBuilder<'_>) {
        let module = &header.module;
        let signature = module.signature(function);
        builder.begin(function, signature);
        self.num_functions = module.functions.len() as u32;
        self.first_local = self.num_functions + module.globals.len() as u32;
        for number in self.addressed.drain(..) {
            self.addresses[number as usize] = None.into();
        }
        self.addresses.resize(self.first_local as usize, None.into());
        self.locals.clear();
        let params = builder.func.params().iter().zip(&signature.params);
        self.locals.extend(params.map(|(&param, &ty)| Local::new(param, ty, 0)));
        self.next_local = self.locals.len() as u32;
        self.constant_range = self.next_local..self.next_local;
        self.pending = 0;
        self.num_blocks = 0;
        self.block = 0;
        self.past_phis = false;
        self.has_begun = false;
        self.checks.begin();
    }

    fn read_body(
        &mut self,
        header: &ModuleHeader,
        function: FuncId,
        reader: &mut Reader<'_>,
        record: &mut Record,
        builder: &mut FunctionBuilder<'_>,
    ) -> Result<()> {
        self.begin(header, function, builder);
        loop {
            while let Some(record) = reader.next_record(record)? {
                if let Err(error) = self.instruction_record(&header.module, reader, record, builder) {
                    return Err(reader.error_of(*error, &record));
                }
            }
            match reader.next_other(record)? {
                Entry::EndBlock => break,
                // A record would have been read above.
                Entry::DefineAbbrev | Entry::Record => {}
                Entry::Block(inner) => match inner.id {
                    block::CONSTANTS => {
                        if self.num_blocks == 0 {
                            return Err(reader.error(Error::BlockCountFirst));
                        }
                        if core::mem::replace(&mut self.has_begun, true) {
                            return Err(reader.error(Error::MisplacedConstants));
                        }
                        reader.enter(&inner);
                        self.constants(&header.module, reader, record, builder)?;
                    }
                    block::VALUE_SYMTAB => return Err(reader.error(Error::LocalSymbolTable)),
                    id => {
                        return Err(
                            reader.error(Error::UnexpectedBlock { block: id, outer: block::FUNCTION })
                        );
                    }
                },
            }
        }
        self.finish(builder).map_err(|error| reader.error(*error))
    }

    fn finish(&mut self, builder: &mut FunctionBuilder<'_>) -> Checked<()> {
        if self.num_blocks == 0 {
            return fail(Error::BlockCountFirst);
        }
        if builder.current_block().is_some() {
            return fail(Error::NoTerminator);
        }
        if self.block < self.num_blocks {
            return fail(Error::TooFewBlocks { declared: self.num_blocks, found: self.block });
        }
        if self.pending > 0 {
            let value = self.first_local + self.next_local;
            return fail(Error::NeverDefined { value });
        }
        let locals = &self.locals;
        self.checks.cfg.finish();
        self.checks.check(builder.func, |local| locals[local as usize].block).or_else(|error| match error {
            // The number of the value in the file, where the check knows its index.
            Error::NotDominated { value } => fail(Error::NotDominated { value: self.first_local + value }),
            error => fail(error),
        })
    }

    // ---- constants

    fn constants(
        &mut self,
        module: &ice_ir::Module,
        reader: &mut Reader<'_>,
        record: &mut Record,
        builder: &mut FunctionBuilder<'_>,
    ) -> Result<()> {
        let mut ty = Type::Void;
        loop {
            while let Some(record) = reader.next_record(record)? {
                if let Err(error) = self.constant(module, record, &mut ty, builder) {
                    return Err(reader.error_of(*error, &record));
                }
            }
            if reader.end_of_leaf()? {
                break;
            }
        }
        self.constant_range.end = self.next_local;
        Ok(())
    }

    /// Reads a record of a CONSTANTS block: sets the type, or makes a constant.
    #[inline(always)]
    fn constant(
        &mut self,
        module: &ice_ir::Module,
        record: RecordRef<'_>,
        ty: &mut Type,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<()> {
        let RecordRef { code, ops, .. } = record;
        if code == code::SETTYPE {
            let &[id] = ops else { return constant_count("SETTYPE", ops, "1") };
            let Some(new) = value_type(module, id).filter(|&ty| ty != Type::Void) else {
                return fail(Error::ConstantType { ty: id });
            };
            *ty = new;
            return Ok(());
        }
        if !matches!(code, code::UNDEF | code::INTEGER | code::FLOAT) {
            return fail(Error::UnknownRecord { code, block: block::CONSTANTS });
        }
        let ty = *ty;
        if ty == Type::Void {
            return fail(Error::UntypedConstant);
        }
        let value = match code {
            code::INTEGER => {
                let &[number] = ops else { return constant_count("INTEGER", ops, "1") };
                if !ty.is_scalar_int() {
                    return fail(Error::ConstantKind { ty });
                }
                let number = unrotate_sign(number);
                if ty.sign_extend(number) != number {
                    return fail(Error::ConstantRange { ty });
                }
                builder.int_const(ty, number)
            }
            code::UNDEF => match ops {
                [] => builder.func.make_undef(ty),
                _ => return constant_count("UNDEF", ops, "0"),
            },
            _ => {
                let &[bits] = ops else { return constant_count("FLOAT", ops, "1") };
                if !ty.is_scalar_float() {
                    return fail(Error::ConstantKind { ty });
                }
                if ty == Type::F32 && bits >> 32 != 0 {
                    return fail(Error::ConstantRange { ty });
                }
                builder.func.make_float(ty, bits)
            }
        };
        self.locals.push(Local::new(value, ty, 0));
        self.next_local += 1;
        Ok(())
    }

    // ---- values

    /// The number of the next value.
    pub(super) fn next_number(&self) -> u32 {
        self.first_local + self.next_local
    }

    /// The value of an operand that is not defined in the current block nor where it dominates everything.
    #[inline(never)]
    pub(super) fn far_operand(
        &mut self,
        module: &ice_ir::Module,
        relative: u64,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<(Value, Type)> {
        // Above 2^32 only small negative distances in 64 bits are legal.
        if relative >> 32 != 0 && (relative >> 31) + 1 != 1 << 33 {
            return fail(Error::NonexistentValue { operand: relative });
        }
        let number = self.next_number().wrapping_sub(relative as u32);
        let Some(index) = number.checked_sub(self.first_local) else {
            return self.address(module, number, builder);
        };
        let block = self.block;
        match self.locals.get_mut(index as usize) {
            Some(local) if local.block == ANNOUNCED => {
                self.checks.note_early_use(index, block);
                Ok((local.value, local.ty))
            }
            Some(local) if local.block != MISSING => {
                if local.block != block && core::mem::replace(&mut local.noted, block) != block {
                    self.checks.note_use(index, block);
                }
                Ok((local.value, local.ty))
            }
            _ => self.undefined(number, relative),
        }
    }

    /// The value of a phi operand with an absolute number; `pair` are the operand as stored and the block, which
    /// exists.
    pub(super) fn phi_operand(
        &mut self,
        module: &ice_ir::Module,
        number: u32,
        pair: &[u64],
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<(Value, Type)> {
        let Some(index) = number.checked_sub(self.first_local) else {
            return self.address(module, number, builder);
        };
        let pred = pair[1] as u32;
        match self.locals.get_mut(index as usize) {
            Some(local) if local.block != MISSING => {
                let settled = local.block == pred || local.block == 0;
                if !settled && core::mem::replace(&mut local.noted, pred) != pred {
                    self.checks.note_use(index, pred);
                }
                Ok((local.value, local.ty))
            }
            _ => self.undefined(number, pair[0]),
        }
    }

    #[cold]
    fn undefined<T>(&self, number: u32, operand: u64) -> Checked<T> {
        match number > i32::MAX as u32 {
            true => fail(Error::NonexistentValue { operand }),
            false => fail(Error::UsedBeforeDefined { value: number }),
        }
    }

    /// The address of a function or global, one value a function body.
    fn address(
        &mut self,
        module: &ice_ir::Module,
        number: u32,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<(Value, Type)> {
        if let Some(value) = self.addresses[number as usize].expand() {
            return Ok((value, module.pointer_type));
        }
        let symbol = match number.checked_sub(self.num_functions) {
            Some(global) => Symbol::Global(GlobalId::from_u32(global)),
            None => {
                let function = FuncId::from_u32(number);
                if let FunctionKind::Intrinsic(_) = module.functions[function].kind {
                    return fail(Error::IntrinsicAsValue { function: number });
                }
                Symbol::Function(function)
            }
        };
        let value = builder.address(symbol, module.pointer_type);
        self.addresses[number as usize] = value.into();
        self.addressed.push(number);
        Ok((value, module.pointer_type))
    }

    /// Announces the type of a value that is defined later.
    pub(super) fn announce(
        &mut self,
        number: u64,
        ty: Type,
        remaining_bits: u64,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<()> {
        let next = u64::from(self.next_number());
        if number < next {
            return fail(Error::AlreadyDeclared { value: number });
        }
        // Each record that defines a value takes at least two bits.
        if number - next > remaining_bits / 2 || number > u64::from(i32::MAX as u32) {
            return fail(Error::ForwardOutOfRange { value: number });
        }
        let local = (number - u64::from(self.first_local)) as usize;
        if self.locals.len() <= local {
            self.locals.resize(local + 1, Local::new(Value::from_u32(0), Type::Void, MISSING));
        }
        if self.locals[local].block != MISSING {
            return fail(Error::AlreadyDeclared { value: number });
        }
        self.locals[local] = Local::new(builder.func.make_forward(ty), ty, ANNOUNCED);
        self.pending += 1;
        Ok(())
    }

    /// Prepares the definition of the next value: if it was announced, the builder must define that one.
    #[inline(always)]
    pub(super) fn prepare(&mut self, ty: Type, builder: &mut FunctionBuilder<'_>) -> Checked<()> {
        if self.pending == 0 { Ok(()) } else { self.prepare_announced(ty, builder) }
    }

    #[inline(never)]
    fn prepare_announced(&mut self, ty: Type, builder: &mut FunctionBuilder<'_>) -> Checked<()> {
        match self.locals.get(self.next_local as usize) {
            Some(&Local { ty: announced, block: ANNOUNCED, .. }) if announced != ty => {
                fail(Error::AnnouncedType { value: self.next_number(), announced, found: ty })
            }
            Some(&Local { value, block: ANNOUNCED, .. }) => {
                self.pending -= 1;
                builder.define_next_as(value);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Gives the next number to `value`.
    #[inline(always)]
    pub(super) fn define(&mut self, value: Value, ty: Type) {
        let local = Local::new(value, ty, self.block);
        // Only announced values were given a place ahead of time.
        match self.locals.get_mut(self.next_local as usize) {
            Some(slot) => *slot = local,
            None => self.locals.push(local),
        }
        self.next_local += 1;
    }

    /// Whether the number of an operand is in the constant range.
    pub(super) fn is_constant_number(&self, relative: u64) -> bool {
        let number = self.next_number().wrapping_sub(relative as u32);
        number.checked_sub(self.first_local).is_some_and(|local| self.constant_range.contains(&local))
    }

    /// DECLAREBLOCKS: makes the blocks.
    pub(super) fn declare_blocks(
        &mut self,
        record: RecordRef<'_>,
        remaining_bits: u64,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<()> {
        let &[count] = record.ops else {
            return fail(Error::OperandCount {
                record: "DECLAREBLOCKS",
                found: record.ops.len(),
                expected: "1",
            });
        };
        debug_assert_eq!(record.code, fcode::DECLAREBLOCKS);
        if self.num_blocks != 0 {
            return fail(Error::BlockCountFirst);
        }
        if count == 0 {
            return fail(Error::NoBlocks);
        }
        // Each block has a terminator of at least two bits.
        if count > remaining_bits / 2 || count > u64::from(i32::MAX as u32) {
            return fail(Error::BlockCountTooLarge { count });
        }
        self.num_blocks = count as u32;
        builder.create_blocks(self.num_blocks);
        self.checks.cfg.begin(count as usize);
        Ok(())
    }
}

/// The type with this id, if values can have it; `void` included.
pub(super) fn value_type(module: &ice_ir::Module, id: u64) -> Option<Type> {
    match module.types.get(usize::try_from(id).ok()?)? {
        TypeDef::Value(ty) => Some(*ty),
        TypeDef::Function(_) => None,
    }
}

/// The error for a constant `record` with other than `expected` operands.
#[cold]
fn constant_count(record: &'static str, ops: &[u64], expected: &'static str) -> Checked<()> {
    fail(Error::OperandCount { record, found: ops.len(), expected })
}
