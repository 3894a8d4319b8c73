//! CONSTANTS blocks, of modules and of functions: a flat table of constants with absolute numbers.
//!
//! A constant is one of [`Constant`]; its operands (numbers of other constants), wide integers and bytes are runs of
//! pools. Operands may be later constants of the same block, so a block is read first and checked at its end:
//! every operand exists and has the type of its place, nothing is a part of itself, and every expression is
//! folded as far as it goes (see [`fold`](super::fold)). All walks have a stack of their own, because
//! chains of 10^5 expressions can be written (LLVM bitcode specification, section 8).
//!
//! A table is scratch memory: that of a function is cleared and used again for the next one.

use alloc::vec::Vec;

use ice_ir::{FuncId, GlobalId, Symbol};

use super::codes::{block, constants as code};
use super::data_layout::{DataLayout, Layouts};
use super::fold::Scalar;
use super::types::{LlvmType, TypeId, TypeTable};
use crate::bitstream::{BlockHeader, Reader, Record, unrotate_sign};
use crate::error::{Error, Result};

pub(in crate::llvm) type Checked<T> = core::result::Result<T, Error>;

/// A run of a pool of [`Constants`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// Index of the first element.
    pub start: u32,
    /// Number of elements.
    pub len: u32,
}

impl Run {
    pub(in crate::llvm) const fn range(self) -> core::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// What a constant is. Its type is kept beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    /// All bits zero, of any type.
    Null,
    /// Any bits.
    Undef,
    /// Any bits, and none of them to be relied on.
    Poison,
    /// An integer of up to 64 bits, sign-extended.
    Int(i64),
    /// The bits of a `half`, `bfloat`, `float` or `double`.
    Float(u64),
    /// A wider integer or float: words, least significant first; missing ones are zero. See [`Constants::words`].
    Words(Run),
    /// An array or vector: its elements as little-endian bytes. See [`Constants::bytes`].
    Bytes(Run),
    /// A struct, array or vector of other constants. See [`Constants::operands`].
    Aggregate(Run),
    /// An operation on other constants. See [`Constants::expression`].
    Expression(u32),
    /// The address of a basic block. See [`Constants::block`].
    BlockAddress(u32),
    /// Inline assembly. See [`Constants::inline_asm`].
    InlineAsm(u32),
}

/// What an expression does with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExprOp {
    /// A binary operator by its number on the wire.
    Binary(u8),
    /// A conversion by its number on the wire.
    Cast(u8),
    /// An address: base and indices.
    Gep {
        /// What the base points to.
        source: TypeId,
    },
    /// The operand itself (`dso_local_equivalent`, `no_cfi`).
    Same,
    /// Condition, and two alternatives.
    Select,
    /// A comparison by the number of its predicate.
    Compare(u8),
    /// Vector and index.
    ExtractElement,
    /// Vector, lane and index.
    InsertElement,
    /// Two vectors and a mask.
    Shuffle,
    /// Negation of a floating-point number.
    Fneg,
}

/// An operation on constants.
#[derive(Clone, Copy, Debug)]
pub struct Expression {
    /// The operation.
    pub op: ExprOp,
    /// Its operands, see [`Constants::operands`].
    pub operands: Run,
    /// What it comes to.
    pub value: Scalar,
}

/// Inline assembly.
#[derive(Clone, Copy, Debug)]
pub struct InlineAsm {
    /// Type of the function it stands for.
    pub ty: TypeId,
    /// 1 side effect, 2 aligned stack, 4 Intel dialect, 8 may unwind.
    pub flags: u64,
    /// The text, see [`Constants::bytes`].
    pub template: Run,
    /// The constraints, see [`Constants::bytes`].
    pub constraints: Run,
}

/// A global value: what the first numbers stand for.
#[derive(Clone, Copy, Debug)]
pub struct GlobalValue {
    /// What it is.
    pub kind: GlobalValueKind,
    /// Type of the variable or function, not of its address.
    pub ty: TypeId,
}

/// What a global value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlobalValueKind {
    /// A function or variable of the IR module.
    Symbol(Symbol),
    /// A function or variable that exists for the compiler alone, such as an intrinsic: its number among them.
    Special(u32),
}

/// What constants refer to.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// Types of the module.
    pub types: &'a TypeTable,
    /// The data layout.
    pub layout: &'a DataLayout,
    /// Sizes and offsets.
    pub layouts: &'a Layouts,
    /// The type of an address, if the module has it.
    pub pointer: Option<TypeId>,
    /// The type `i32`, if the module has it.
    pub int32: Option<TypeId>,
    /// The first values.
    pub globals: &'a [GlobalValue],
    /// The constants of the module; `None` while they are read.
    pub module: Option<&'a Constants>,
    /// What addresses of blocks come to.
    pub labels: Labels,
}

/// What addresses of blocks come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labels {
    /// The number of the block plus 1.
    Numbers,
    /// Those of the constants of the module are globals, from this one on in their order.
    Globals(GlobalId),
}

/// The constants of a module or of one function.
#[derive(Clone, Default, Debug)]
pub struct Constants {
    /// Number of the first one.
    first: u32,
    kinds: Vec<Constant>,
    types: Vec<TypeId>,
    operands: Vec<u32>,
    words: Vec<u64>,
    bytes: Vec<u8>,
    expressions: Vec<Expression>,
    asms: Vec<InlineAsm>,
    /// The blocks whose addresses there are: functions and numbers.
    blocks: Vec<(FuncId, u32)>,
    /// Those with operands, in the order of their numbers: what the end of a block has to look at.
    composites: Vec<u32>,
    /// Scratch of the walk: state of each constant, and the way to the current one with the next operand.
    states: Vec<State>,
    path: Vec<(u32, u32)>,
}

/// How far the walk over a block has come with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    New,
    Open,
    Done,
}

impl Constants {
    /// Forgets everything; the next constant gets the number `first`.
    pub fn clear(&mut self, first: u32) {
        self.first = first;
        self.kinds.clear();
        self.types.clear();
        self.operands.clear();
        self.words.clear();
        self.bytes.clear();
        self.expressions.clear();
        self.asms.clear();
        self.blocks.clear();
        self.composites.clear();
    }

    /// Number of the first constant.
    #[must_use]
    pub const fn first(&self) -> u32 {
        self.first
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The constant number `id` and its type, if it is of this table.
    #[inline]
    #[must_use]
    pub fn get(&self, id: u32) -> Option<(Constant, TypeId)> {
        let index = id.wrapping_sub(self.first) as usize;
        Some((*self.kinds.get(index)?, self.types[index]))
    }

    /// Numbers of other constants.
    #[must_use]
    pub fn operands(&self, run: Run) -> &[u32] {
        &self.operands[run.range()]
    }

    /// Words of a wide number.
    #[must_use]
    pub fn words(&self, run: Run) -> &[u64] {
        &self.words[run.range()]
    }

    /// Bytes of elements or of a text.
    #[must_use]
    pub fn bytes(&self, run: Run) -> &[u8] {
        &self.bytes[run.range()]
    }

    /// An expression by its index.
    #[must_use]
    pub fn expression(&self, index: u32) -> &Expression {
        &self.expressions[index as usize]
    }

    /// Inline assembly by its index.
    #[must_use]
    pub fn inline_asm(&self, index: u32) -> &InlineAsm {
        &self.asms[index as usize]
    }

    /// A block whose address is taken, by its index: its function and its number there.
    #[must_use]
    pub fn block(&self, index: u32) -> (FuncId, u32) {
        self.blocks[index as usize]
    }

    /// All blocks whose addresses there are.
    #[must_use]
    pub fn blocks(&self) -> &[(FuncId, u32)] {
        &self.blocks
    }

    /// Reads a block that `reader` has just passed over and appends its constants.
    ///
    /// # Errors
    ///
    /// `L07` to `L09` and `L12` to `L17`, and those of blocks and records. What is found at the end of the block has
    /// the place of its end.
    pub fn read(
        &mut self,
        reader: &mut Reader<'_>,
        header: &BlockHeader,
        record: &mut Record,
        env: &Environment<'_>,
    ) -> Result<()> {
        reader.enter(header);
        // The type before the first SETTYPE.
        let mut ty = env.int32;
        let start = self.len();
        self.composites.clear();
        while reader.next_in_leaf(record)? {
            let result = match (record.code, &record.ops[..], ty) {
                (code::SETTYPE, &[id], _) => env.types.resolve(id).map(|found| ty = Some(found)),
                (code::SETTYPE, ops, _) => {
                    Err(Error::OperandCount { record: "SETTYPE", found: ops.len(), expected: "1" })
                }
                (code, _, None) => Err(Error::ConstantForm { code, ty: 0 }),
                (_, _, Some(ty)) => self.record(record, ty, env),
            };
            result.map_err(|error| reader.record_error(error, record))?;
        }
        self.finish(start, env).map_err(|error| reader.error(error))
    }

    /// One record but SETTYPE.
    fn record(&mut self, record: &Record, ty: TypeId, env: &Environment<'_>) -> Checked<()> {
        let (code, ops) = (record.code, &record.ops[..]);
        let what = env.types.get(ty);
        let wrong_type = || Error::ConstantForm { code, ty: ty.as_u32() };
        let count =
            |name: &'static str, expected| Error::OperandCount { record: name, found: ops.len(), expected };
        let constant = match (code, ops) {
            (code::NULL | code::UNDEF | code::POISON, &[]) => {
                use LlvmType::{Function, Label, Metadata, Void};
                if matches!(what, Void | Label | Metadata | Function { .. }) {
                    return Err(wrong_type());
                }
                match code {
                    code::NULL => Constant::Null,
                    code::UNDEF => Constant::Undef,
                    _ => Constant::Poison,
                }
            }
            (code::INTEGER, &[value]) => match what {
                LlvmType::Int(bits @ ..=64) => Constant::Int(sign_extend(unrotate_sign(value), bits)),
                _ => return Err(wrong_type()),
            },
            (code::WIDE_INTEGER, words) => match what {
                LlvmType::Int(bits) if words.len() as u64 <= u64::from(bits).div_ceil(64) => {
                    self.words_of(words.iter().map(|&w| unrotate_sign(w) as u64))
                }
                _ => return Err(wrong_type()),
            },
            (code::FLOAT, words) => match (what, words) {
                (LlvmType::Half | LlvmType::BFloat, &[bits]) if bits >> 16 == 0 => Constant::Float(bits),
                (LlvmType::Float, &[bits]) if bits >> 32 == 0 => Constant::Float(bits),
                (LlvmType::Double, &[bits]) => Constant::Float(bits),
                (LlvmType::X86Fp80, &[high, low]) if low >> 16 == 0 => {
                    self.words_of([high << 16 | low, high >> 48].into_iter())
                }
                (LlvmType::Fp128 | LlvmType::PpcFp128, &[low, high]) => {
                    self.words_of([low, high].into_iter())
                }
                _ => return Err(wrong_type()),
            },
            (code::STRING | code::CSTRING, bytes) => match what {
                LlvmType::Array { element, len } if env.types.get(element) == LlvmType::Int(8) => {
                    let terminator = u64::from(code == code::CSTRING);
                    expect_count(bytes.len() as u64 + terminator, len)?;
                    let start = self.bytes.len() as u32;
                    super::container::push_text(bytes, &mut self.bytes)?;
                    self.bytes.extend((0..terminator).map(|_| 0));
                    Constant::Bytes(Run { start, len: self.bytes.len() as u32 - start })
                }
                _ => return Err(wrong_type()),
            },
            (code::DATA, elements) => {
                let (LlvmType::Array { element, .. } | LlvmType::Vector { element, .. }) = what else {
                    return Err(wrong_type());
                };
                let width = match env.types.get(element) {
                    LlvmType::Int(bits @ (8 | 16 | 32 | 64)) => bits as usize / 8,
                    LlvmType::Half | LlvmType::BFloat => 2,
                    LlvmType::Float => 4,
                    LlvmType::Double => 8,
                    _ => return Err(wrong_type()),
                };
                expect_count(elements.len() as u64, env.types.member_count(ty))?;
                let start = self.bytes.len() as u32;
                for &element in elements {
                    if width < 8 && element >> (8 * width) != 0 {
                        return Err(Error::FieldValue { field: "an element", value: element });
                    }
                    self.bytes.extend_from_slice(&element.to_le_bytes()[..width]);
                }
                Constant::Bytes(Run { start, len: self.bytes.len() as u32 - start })
            }
            (code::AGGREGATE, ids) => {
                if !matches!(what, LlvmType::Array { .. } | LlvmType::Vector { .. } | LlvmType::Struct { .. })
                {
                    return Err(wrong_type());
                }
                expect_count(ids.len() as u64, env.types.member_count(ty))?;
                Constant::Aggregate(self.operand_run(ids.iter().copied())?)
            }
            (code::CE_BINOP, &[op @ ..=12, a, b] | &[op @ ..=12, a, b, _]) => {
                self.expression_of(ExprOp::Binary(op as u8), [a, b])?
            }
            (code::CE_CAST, &[op @ ..=13, from, a] | &[op @ ..=13, from, a, _]) => {
                env.types.resolve(from)?;
                self.expression_of(ExprOp::Cast(op as u8), [a])?
            }
            (code::CE_GEP | code::CE_INBOUNDS_GEP, &[source, ref pairs @ ..]) => {
                self.gep(env, source, pairs)?
            }
            (code::CE_GEP_INRANGE_OLD | code::CE_GEP_FLAGS, &[source, _, ref pairs @ ..]) => {
                self.gep(env, source, pairs)?
            }
            (code::CE_GEP_INRANGE, &[source, _, width, ref rest @ ..]) => {
                let words = match (width, rest.first()) {
                    (0..=64, _) => 2,
                    (_, Some(&counts)) => {
                        (counts & 0xffff_ffff).saturating_add(counts >> 32).saturating_add(1)
                    }
                    (_, None) => u64::MAX,
                };
                let pairs = usize::try_from(words).ok().and_then(|n| rest.get(n..));
                self.gep(env, source, pairs.ok_or_else(|| count("CE_GEP_INRANGE", "a range and pairs"))?)?
            }
            (code::CE_SELECT, &[c, a, b]) => self.expression_of(ExprOp::Select, [c, a, b])?,
            (code::CE_EXTRACTELT, &[_, vector, _, index]) => {
                self.expression_of(ExprOp::ExtractElement, [vector, index])?
            }
            (code::CE_INSERTELT, &[vector, lane, _, index]) => {
                self.expression_of(ExprOp::InsertElement, [vector, lane, index])?
            }
            (code::CE_SHUFFLEVEC, &[a, b, mask]) | (code::CE_SHUFVEC_EX, &[_, a, b, mask]) => {
                self.expression_of(ExprOp::Shuffle, [a, b, mask])?
            }
            (code::CE_CMP, &[_, a, b, predicate @ (..=15 | 32..=41)]) => {
                self.expression_of(ExprOp::Compare(predicate as u8), [a, b])?
            }
            (code::CE_UNOP, &[0, a] | &[0, a, _]) => self.expression_of(ExprOp::Fneg, [a])?,
            (code::DSO_LOCAL_EQUIVALENT | code::NO_CFI, &[_, global]) => {
                self.expression_of(ExprOp::Same, [global])?
            }
            (code::BLOCKADDRESS, &[_, function, block]) => self.block_address(env, function, block)?,
            (code::INLINEASM, &[ty, flags, ref rest @ ..]) => self.asm(env, ty, flags, rest)?,
            (code::PTRAUTH | code::PTRAUTH2, _) => {
                return Err(Error::Unsupported { what: "a pointer authentication constant".into() });
            }
            (18 | 23 | 28, _) => {
                return Err(Error::Unsupported { what: "inline assembly as before LLVM 14".into() });
            }
            (
                code::NULL..=code::CE_CMP
                | code::CE_SHUFVEC_EX..=code::NO_CFI
                | code::INLINEASM..=code::PTRAUTH2,
                _,
            ) => {
                return Err(count("of a constant", "another number, or smaller ones"));
            }
            (code, _) => return Err(Error::UnknownRecord { code, block: block::CONSTANTS }),
        };
        if matches!(constant, Constant::Aggregate(_) | Constant::Expression(_)) {
            self.composites.push(self.kinds.len() as u32);
        }
        self.kinds.push(constant);
        self.types.push(ty);
        Ok(())
    }

    fn words_of(&mut self, words: impl Iterator<Item = u64>) -> Constant {
        let start = self.words.len() as u32;
        self.words.extend(words);
        Constant::Words(Run { start, len: self.words.len() as u32 - start })
    }

    fn operand_run(&mut self, ids: impl Iterator<Item = u64>) -> Checked<Run> {
        let start = self.operands.len() as u32;
        for id in ids {
            let id = u32::try_from(id).map_err(|_| Error::ConstantReference { value: id })?;
            self.operands.push(id);
        }
        Ok(Run { start, len: self.operands.len() as u32 - start })
    }

    fn expression_of<const N: usize>(&mut self, op: ExprOp, operands: [u64; N]) -> Checked<Constant> {
        let operands = self.operand_run(operands.into_iter())?;
        Ok(self.push_expression(op, operands))
    }

    fn push_expression(&mut self, op: ExprOp, operands: Run) -> Constant {
        self.expressions.push(Expression { op, operands, value: Scalar::Code });
        Constant::Expression(self.expressions.len() as u32 - 1)
    }

    /// An address from (type, number) pairs of the base and the indices.
    fn gep(&mut self, env: &Environment<'_>, source: u64, pairs: &[u64]) -> Checked<Constant> {
        if pairs.is_empty() || !pairs.len().is_multiple_of(2) {
            return Err(Error::OperandCount { record: "CE_GEP", found: pairs.len(), expected: "pairs" });
        }
        let source = env.types.resolve(source)?;
        for pair in pairs.chunks_exact(2) {
            env.types.resolve(pair[0])?;
        }
        let operands = self.operand_run(pairs.chunks_exact(2).map(|pair| pair[1]))?;
        Ok(self.push_expression(ExprOp::Gep { source }, operands))
    }

    fn block_address(&mut self, env: &Environment<'_>, function: u64, block: u64) -> Checked<Constant> {
        let global = usize::try_from(function).ok().and_then(|f| env.globals.get(f));
        match (global.map(|g| g.kind), u32::try_from(block)) {
            (Some(GlobalValueKind::Symbol(Symbol::Function(function))), Ok(block @ ..0x7fff_ffff)) => {
                self.blocks.push((function, block));
                Ok(Constant::BlockAddress(self.blocks.len() as u32 - 1))
            }
            (Some(GlobalValueKind::Symbol(Symbol::Function(_))), _) => {
                Err(Error::FieldValue { field: "the number of a block", value: block })
            }
            _ => Err(Error::NoSuch { what: "function", index: function }),
        }
    }

    fn asm(&mut self, env: &Environment<'_>, ty: u64, flags: u64, rest: &[u64]) -> Checked<Constant> {
        let ty = env.types.resolve(ty)?;
        let found = rest.len();
        let mut rest = rest;
        let mut text = || {
            let (&len, tail) = rest.split_first()?;
            let (text, tail) = tail.split_at_checked(usize::try_from(len).ok()?)?;
            rest = tail;
            Some(text)
        };
        let (Some(template), Some(constraints), true) = (text(), text(), rest.is_empty()) else {
            return Err(Error::OperandCount { record: "INLINEASM", found, expected: "two texts" });
        };
        let mut run = |text: &[u64]| {
            let start = self.bytes.len() as u32;
            super::container::push_text(text, &mut self.bytes)?;
            Ok(Run { start, len: self.bytes.len() as u32 - start })
        };
        let (template, constraints) = (run(template)?, run(constraints)?);
        self.asms.push(InlineAsm { ty, flags, template, constraints });
        Ok(Constant::InlineAsm(self.asms.len() as u32 - 1))
    }

    /// Checks and folds the constants from index `start` on: a depth-first walk in which an operand is done
    /// before what it is a part of.
    fn finish(&mut self, start: u32, env: &Environment<'_>) -> Checked<()> {
        if self.composites.is_empty() {
            return Ok(());
        }
        self.states.clear();
        self.states.resize(self.kinds.len() - start as usize, State::New);
        for i in 0..self.composites.len() {
            let index = self.composites[i];
            if self.states[(index - start) as usize] == State::New {
                self.walk(index, start, env)?;
            }
        }
        Ok(())
    }

    fn walk(&mut self, root: u32, start: u32, env: &Environment<'_>) -> Checked<()> {
        self.path.clear();
        self.path.push((root, 0));
        self.states[(root - start) as usize] = State::Open;
        while let Some((index, next)) = self.path.last_mut() {
            let (index, nth) = (*index, *next);
            *next += 1;
            let run = match self.kinds[index as usize] {
                Constant::Aggregate(run) => run,
                Constant::Expression(e) => self.expressions[e as usize].operands,
                _ => Run { start: 0, len: 0 },
            };
            if nth < run.len {
                let operand = self.operands[run.start as usize + nth as usize];
                self.check_operand(index, nth, operand, env)?;
                let at = operand.wrapping_sub(self.first);
                if operand >= self.first && at >= start {
                    let state = &mut self.states[(at - start) as usize];
                    match *state {
                        State::Open => return Err(Error::ConstantCycle { value: operand }),
                        State::New => {
                            *state = State::Open;
                            self.path.push((at, 0));
                        }
                        State::Done => {}
                    }
                }
                continue;
            }
            if let Constant::Expression(e) = self.kinds[index as usize] {
                let value =
                    View { env, local: self }.fold(&self.expressions[e as usize], self.types[index as usize]);
                self.expressions[e as usize].value = value;
            }
            self.states[(index - start) as usize] = State::Done;
            self.path.pop();
        }
        Ok(())
    }

    /// Operand number `nth` of a constant exists and, of an aggregate, has the type of its place.
    fn check_operand(&self, index: u32, nth: u32, operand: u32, env: &Environment<'_>) -> Checked<()> {
        let Some(found) = (View { env, local: self }).type_of(operand) else {
            return Err(Error::ConstantReference { value: operand.into() });
        };
        match self.kinds[index as usize] {
            Constant::Aggregate(_)
                if env.types.member(self.types[index as usize], nth.into()) != Some(found) =>
            {
                Err(Error::ElementType { value: operand })
            }
            _ => Ok(()),
        }
    }
}

/// Values that exist outside of instructions: globals, constants of the module, constants of the function.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The module.
    pub env: &'a Environment<'a>,
    /// The constants of the function, or those of the module while they are read.
    pub local: &'a Constants,
}

impl<'a> View<'a> {
    /// The table that has constant `id`.
    #[inline]
    #[must_use]
    pub fn table(&self, id: u32) -> &'a Constants {
        match self.env.module {
            Some(module) if id.wrapping_sub(module.first) < module.len() => module,
            _ => self.local,
        }
    }

    /// Whether constant `id` is one of the module, not of a function.
    #[must_use]
    pub fn is_of_module(&self, id: u32) -> bool {
        self.env.module.is_none_or(|module| id.wrapping_sub(module.first) < module.len())
    }

    /// The constant with number `id` and its type. Globals are none.
    #[inline]
    #[must_use]
    pub fn get(&self, id: u32) -> Option<(Constant, TypeId)> {
        self.table(id).get(id)
    }

    /// The global with number `id`.
    #[inline]
    #[must_use]
    pub fn global(&self, id: u32) -> Option<&'a GlobalValue> {
        self.env.globals.get(id as usize)
    }

    /// The type of constant or global `id`; `None` if it is neither.
    #[must_use]
    pub fn type_of(&self, id: u32) -> Option<TypeId> {
        match self.global(id) {
            Some(_) => self.env.pointer,
            None => self.get(id).map(|(_, ty)| ty),
        }
    }
}

fn expect_count(found: u64, expected: u64) -> Checked<()> {
    if found == expected { Ok(()) } else { Err(Error::ElementCount { found, expected }) }
}

/// The low `bits` (1..=64) of `value`, sign-extended.
pub(in crate::llvm) const fn sign_extend(value: i64, bits: u32) -> i64 {
    (value << (64 - bits)) >> (64 - bits)
}
