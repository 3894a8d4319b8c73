//! Writes a program as a `.pexe` file, with the abbreviations and habits of the standard writer (bitcode
//! specification, section 8), so that a program that came from it is written as the same bytes again.
//!
//! Value numbers follow the IR: functions, globals, parameters, constants in the order of their creation, then
//! results in layout order. A value used before its number is reached is announced right before its first user.

use alloc::vec::Vec;

use cranelift_entity::{EntityRef, SecondaryMap};
use ice_ir::{
    Block, Environment, FuncId, Function, FunctionKind, GlobalId, Initializer, Inst, InstData, Module,
    Mutability, Program, SigId, SwitchKey, Symbol, TailHint, Type, TypeDef, Value, ValueDef,
};

use super::codes::{self, block, constants, function as code, globals, module, symbols, types};
use crate::bitstream::{Abbrev, Element, Op, UNABBREV_RECORD, Writer, rotate_sign};
use crate::error::{Error, LocatedError, Result};
use crate::header::HEADER;

/// Writes `program`, which must be valid by the rules of PNaCl programs for the result to be readable.
///
/// Types that the program uses but its type table lacks are added to the table.
///
/// # Errors
///
/// `W02` where the format has no way to say something: addresses that are not 32 bits wide, a body too many or
/// too few, a value without definition, a type beyond the format.
pub fn write_program(program: &Program) -> Result<Vec<u8>> {
    let at_start = |error| LocatedError::at_bit(error, 0);
    if program.module.environment != Environment::Pnacl {
        return Err(at_start(unwritable("a native module")));
    }
    if program.module.pointer_type != Type::I32 {
        return Err(at_start(unwritable("addresses that are not 32 bits wide")));
    }
    if program.module.defined_functions().count() != program.bodies.len() {
        return Err(at_start(unwritable("a program without one body for each defined function")));
    }
    let mut w = ProgramWriter {
        module: &program.module,
        types: TypeTable::new(program),
        out: Writer::new(&HEADER),
        scratch: Scratch::default(),
    };
    w.out.enter(block::MODULE, 2);
    w.out.record(module::VERSION, &[1]);
    w.block_info();
    w.type_table();
    w.functions();
    w.globals();
    w.symbols();
    for (function, body) in program.module.defined_functions().zip(&program.bodies) {
        w.body(body).map_err(|error| {
            let mut located = at_start(error);
            located.location.function = Some(function.as_u32());
            located
        })?;
    }
    Ok(w.out.finish())
}

fn unwritable(what: &'static str) -> Error {
    Error::Unwritable { what }
}

// Selectors of the standard abbreviations; the tables are in `block_info`.
const NONE: u32 = UNABBREV_RECORD;
const TYPE_FUNCTION: u32 = 4;
const NAME_8BIT: u32 = 4;
const NAME_7BIT: u32 = 5;
const NAME_CHAR6: u32 = 6;
const SETTYPE: u32 = 4;
const INTEGER: u32 = 5;
const INTEGER_ZERO: u32 = 6;
const FLOAT: u32 = 7;
const LOAD: u32 = 4;
const BINOP: u32 = 5;
const CAST: u32 = 6;
const RET_VOID: u32 = 7;
const RET_VALUE: u32 = 8;
const UNREACHABLE: u32 = 9;
const FORWARD: u32 = 10;
const STORE: u32 = 11;
const VAR: u32 = 4;
const COMPOUND: u32 = 5;
const ZEROFILL: u32 = 6;
const DATA: u32 = 7;
const RELOC: u32 = 8;
const RELOC_ADDEND: u32 = 9;

/// Scalar fields and tail of an abbreviation.
type Template<'a> = (&'a [Op], Element);

/// The type table: the module's, then what it lacks.
struct TypeTable {
    table: Vec<TypeDef>,
    /// Numbers of value types, by `Type as usize`.
    values: [Option<u64>; Type::ALL.len()],
    /// Numbers of function types.
    functions: SecondaryMap<SigId, Option<u64>>,
}

impl TypeTable {
    fn new(program: &Program) -> TypeTable {
        let module = &program.module;
        let mut types =
            TypeTable { table: Vec::new(), values: [None; Type::ALL.len()], functions: SecondaryMap::new() };
        module.types.iter().for_each(|&def| types.add(module, def));
        let functions = module.functions.values().map(|decl| TypeDef::Function(decl.signature));
        functions.for_each(|def| types.add(module, def));
        for body in &program.bodies {
            let values = (0..body.num_values()).map(|i| body.value_type(Value::new(i)));
            values.for_each(|ty| types.add_value(ty));
            let insts = body.blocks().flat_map(|block| body.block_insts(block));
            let calls_void = |inst| {
                matches!(body.inst(inst), InstData::CallIndirect { .. }) && body.result(inst).is_none()
            };
            if types.values[Type::Void as usize].is_none() && insts.into_iter().any(calls_void) {
                types.add_value(Type::Void);
            }
        }
        types
    }

    /// Adds a type behind its elements, as it refers to them by their numbers.
    fn add_value(&mut self, ty: Type) {
        if self.values[ty as usize].is_none() {
            if ty.is_vector() {
                self.add_value(ty.element());
            }
            self.values[ty as usize] = Some(self.table.len() as u64);
            self.table.push(TypeDef::Value(ty));
        }
    }

    fn add(&mut self, module: &Module, def: TypeDef) {
        match def {
            TypeDef::Value(ty) => self.add_value(ty),
            TypeDef::Function(signature) if self.functions[signature].is_none() => {
                let types = &module.signatures[signature];
                self.add_value(types.ret);
                types.params.iter().for_each(|&ty| self.add_value(ty));
                self.functions[signature] = Some(self.table.len() as u64);
                self.table.push(def);
            }
            TypeDef::Function(_) => {}
        }
    }

    /// The number of a type; every type that occurs was added.
    fn number(&self, ty: Type) -> u64 {
        self.values[ty as usize].unwrap_or(u64::MAX)
    }

    /// How numbers of types are laid out: as many bits as their count needs, or in chunks if these are many.
    fn op(&self) -> Op {
        match usize::BITS - self.table.len().leading_zeros() {
            bits @ 0..=6 => Op::Fixed(bits),
            _ => Op::Vbr(6),
        }
    }
}

struct ProgramWriter<'p> {
    module: &'p Module,
    types: TypeTable,
    out: Writer,
    scratch: Scratch,
}

/// Numbers of one body.
#[derive(Default)]
struct Scratch {
    /// Absolute value numbers.
    numbers: SecondaryMap<Value, Option<u32>>,
    announced: SecondaryMap<Value, bool>,
    blocks: SecondaryMap<Block, u32>,
    ops: Vec<u64>,
}

impl ProgramWriter<'_> {
    /// Writes a record through a standard abbreviation, or without one where it does not fit.
    fn record(&mut self, abbrev: u32, code: u32, ops: &[u64]) {
        if self.out.abbreviated(abbrev, code, ops).is_err() {
            self.out.record(code, ops);
        }
    }

    // ---- module

    fn block_info(&mut self) {
        use Op::{Char6, Fixed, Literal as L, Vbr};
        let ty = self.types.op();
        let array = Element::Array;
        let no = Element::None;
        // One line an abbreviation, numbered from 4 in each group.
        let groups: [(u32, &[Template<'_>]); 4] = [
            (
                block::VALUE_SYMTAB,
                &[
                    (&[Fixed(3), Vbr(8)], array(Fixed(8))),
                    (&[L(1), Vbr(8)], array(Fixed(7))),
                    (&[L(1), Vbr(8)], array(Char6)),
                    (&[L(2), Vbr(8)], array(Char6)),
                ],
            ),
            (
                block::CONSTANTS,
                &[(&[L(1), ty], no), (&[L(4), Vbr(8)], no), (&[L(4), L(0)], no), (&[L(6), Vbr(8)], no)],
            ),
            (
                block::FUNCTION,
                &[
                    (&[L(20), Vbr(6), Vbr(4), Vbr(4)], no),
                    (&[L(2), Vbr(6), Vbr(6), Fixed(4)], no),
                    (&[L(3), Vbr(6), ty, Fixed(4)], no),
                    (&[L(10)], no),
                    (&[L(10), Vbr(6)], no),
                    (&[L(15)], no),
                    (&[L(43), Vbr(6), ty], no),
                    (&[L(24), Vbr(6), Vbr(6), Vbr(4)], no),
                ],
            ),
            (
                block::GLOBALVAR,
                &[
                    (&[L(0), Vbr(6), Fixed(1)], no),
                    (&[L(1), Vbr(8)], no),
                    (&[L(2), Vbr(8)], no),
                    (&[L(3)], array(Fixed(8))),
                    (&[L(4), Vbr(6)], no),
                    (&[L(4), Vbr(6), Vbr(6)], no),
                ],
            ),
        ];
        self.out.enter(block::BLOCKINFO, 2);
        for (id, abbrevs) in groups {
            self.out.record(1, &[u64::from(id)]);
            for &(ops, tail) in abbrevs {
                self.define(ops, tail);
            }
        }
        self.out.end();
    }

    fn define(&mut self, ops: &[Op], tail: Element) {
        // The widths above are all in range; anything else would only cost abbreviations.
        if let Ok(abbrev) = Abbrev::new(ops, tail) {
            self.out.define(&abbrev);
        }
    }

    fn type_table(&mut self) {
        self.out.enter(block::TYPE, 3);
        let op = self.types.op();
        self.define(&[Op::Literal(21), Op::Fixed(1)], Element::Array(op));
        self.out.record(types::NUMENTRY, &[self.types.table.len() as u64]);
        for i in 0..self.types.table.len() {
            match self.types.table[i] {
                TypeDef::Function(signature) => {
                    let signature = &self.module.signatures[signature];
                    let mut ops = alloc::vec![0, self.types.number(signature.ret)];
                    ops.extend(signature.params.iter().map(|&ty| self.types.number(ty)));
                    self.record(TYPE_FUNCTION, types::FUNCTION, &ops);
                }
                TypeDef::Value(ty) => match ty {
                    Type::Void => self.out.record(types::VOID, &[]),
                    Type::F32 => self.out.record(types::FLOAT, &[]),
                    Type::F64 => self.out.record(types::DOUBLE, &[]),
                    ty if ty.is_vector() => {
                        let ops = [u64::from(ty.lanes()), self.types.number(ty.element())];
                        self.out.record(types::VECTOR, &ops);
                    }
                    ty => self.out.record(types::INTEGER, &[u64::from(ty.bits())]),
                },
            }
        }
        self.out.end();
    }

    fn functions(&mut self) {
        for decl in self.module.functions.values() {
            let ty = self.types.functions[decl.signature].unwrap_or(u64::MAX);
            let is_declared = u64::from(decl.kind != FunctionKind::Defined);
            let linkage = if decl.linkage.is_local() { 3 } else { 0 };
            self.out.record(module::FUNCTION, &[ty, 0, is_declared, linkage]);
        }
    }

    /// The absolute number of a function or global.
    fn symbol(&self, symbol: Symbol) -> u32 {
        match symbol {
            Symbol::Function(f) => f.as_u32(),
            Symbol::Global(g) => self.module.functions.len() as u32 + g.as_u32(),
        }
    }

    fn globals(&mut self) {
        self.out.enter(block::GLOBALVAR, 4);
        self.out.record(globals::COUNT, &[self.module.globals.len() as u64]);
        for index in 0..self.module.globals.len() {
            let id = GlobalId::new(index);
            let decl = &self.module.globals[id];
            let align = decl.align_log2.map_or(0, |log2| u64::from(log2) + 1);
            let is_constant = u64::from(decl.mutability == Mutability::Constant);
            self.record(VAR, globals::VAR, &[align, is_constant]);
            let parts = self.module.initializers(id);
            match parts.len() {
                // A variable without contents has no form of its own.
                0 => self.record(ZEROFILL, globals::ZEROFILL, &[0]),
                1 => {}
                n => self.record(COMPOUND, globals::COMPOUND, &[n as u64]),
            }
            for part in parts {
                self.initializer(part);
            }
        }
        self.out.end();
    }

    fn initializer(&mut self, part: &Initializer) {
        match *part {
            Initializer::Zero(n) => self.record(ZEROFILL, globals::ZEROFILL, &[u64::from(n)]),
            Initializer::Bytes { start, len } => {
                let mut ops = core::mem::take(&mut self.scratch.ops);
                let bytes = &self.module.data[start as usize..start as usize + len as usize];
                ops.clear();
                ops.extend(bytes.iter().map(|&byte| u64::from(byte)));
                self.record(DATA, globals::DATA, &ops);
                self.scratch.ops = ops;
            }
            // Only native modules, which are refused, have labels and the relative form.
            Initializer::Distance { .. } => {}
            Initializer::Address { target, addend } | Initializer::Relative { target, addend, .. } => {
                let target = u64::from(self.symbol(target));
                match addend as u32 {
                    0 => self.record(RELOC, globals::RELOC, &[target]),
                    addend => self.record(RELOC_ADDEND, globals::RELOC, &[target, u64::from(addend)]),
                }
            }
        }
    }

    fn symbols(&mut self) {
        if self.module.symbol_order.is_empty() {
            return;
        }
        self.out.enter(block::VALUE_SYMTAB, 3);
        for &symbol in &self.module.symbol_order {
            let name = self.module.symbol_name(symbol);
            let is_char6 = |&c: &u8| c.is_ascii_alphanumeric() || c == b'.' || c == b'_';
            let abbrev = if !name.is_ascii() {
                NAME_8BIT
            } else if name.iter().all(is_char6) {
                NAME_CHAR6
            } else {
                NAME_7BIT
            };
            let mut ops = alloc::vec![u64::from(self.symbol(symbol))];
            ops.extend(name.iter().map(|&c| u64::from(c)));
            self.record(abbrev, symbols::ENTRY, &ops);
        }
        self.out.end();
    }

    // ---- bodies

    fn body(&mut self, func: &Function) -> core::result::Result<(), Error> {
        let next = self.number_values(func);
        self.out.enter(block::FUNCTION, 4);
        let blocks = func.blocks().count() as u64;
        self.out.record(code::DECLAREBLOCKS, &[blocks]);
        self.constants(func)?;
        let mut body = BodyWriter { w: self, func, next };
        for block in func.blocks() {
            for inst in func.block_insts(block) {
                body.inst(inst)?;
            }
        }
        self.out.end();
        Ok(())
    }

    /// Numbers all values and blocks of `func`; gives the number of its first result.
    fn number_values(&mut self, func: &Function) -> u32 {
        let mut numbers = core::mem::take(&mut self.scratch.numbers);
        numbers.clear();
        self.scratch.announced.clear();
        let mut next = (self.module.functions.len() + self.module.globals.len()) as u32;
        let mut number = |value: Value| {
            numbers[value] = Some(next);
            next += 1;
        };
        func.params().iter().copied().for_each(&mut number);
        func.constants().iter().copied().for_each(&mut number);
        let first = next;
        let results = func.blocks().flat_map(|block| func.block_insts(block)).filter_map(|i| func.result(i));
        for value in results {
            numbers[value] = Some(next);
            next += 1;
        }
        for (number, block) in (0..).zip(func.blocks()) {
            self.scratch.blocks[block] = number;
        }
        self.scratch.numbers = numbers;
        first
    }

    fn constants(&mut self, func: &Function) -> core::result::Result<(), Error> {
        if func.constants().is_empty() {
            return Ok(());
        }
        self.out.enter(block::CONSTANTS, 3);
        let mut current = None;
        for &value in func.constants() {
            let ty = func.value_type(value);
            if current.replace(ty) != Some(ty) {
                self.record(SETTYPE, constants::SETTYPE, &[self.types.number(ty)]);
            }
            match func.value_def(value) {
                ValueDef::Int(0) => self.record(INTEGER_ZERO, constants::INTEGER, &[0]),
                ValueDef::Int(n) => self.record(INTEGER, constants::INTEGER, &[rotate_sign(n)]),
                ValueDef::Float(bits) => self.record(FLOAT, constants::FLOAT, &[bits]),
                ValueDef::Zero => return Err(unwritable("a vector of zeros as one constant")),
                _ => self.out.record(constants::UNDEF, &[]),
            }
        }
        self.out.end();
        Ok(())
    }
}

/// One body being written.
struct BodyWriter<'w, 'p> {
    w: &'w mut ProgramWriter<'p>,
    func: &'w Function,
    /// Number of the next result.
    next: u32,
}

impl BodyWriter<'_, '_> {
    fn number(&self, value: Value) -> core::result::Result<u32, Error> {
        match self.func.value_def(value) {
            ValueDef::Function(f) => Ok(self.w.symbol(Symbol::Function(f))),
            ValueDef::Global(g) => Ok(self.w.symbol(Symbol::Global(g))),
            _ => self.w.scratch.numbers[value].ok_or(unwritable("a value without definition")),
        }
    }

    /// Announces the operands of `inst` that come later.
    fn announce(&mut self, inst: Inst) -> core::result::Result<(), Error> {
        let mut result = Ok(());
        self.func.for_each_operand(inst, |value| match self.number(value) {
            Ok(number) if number >= self.next && !self.w.scratch.announced[value] => {
                self.w.scratch.announced[value] = true;
                let ty = self.w.types.number(self.func.value_type(value));
                self.w.record(FORWARD, code::FORWARDTYPEREF, &[u64::from(number), ty]);
            }
            Ok(_) => {}
            Err(error) => result = Err(error),
        });
        result
    }

    /// The relative form of an operand.
    fn relative(&self, value: Value) -> core::result::Result<u64, Error> {
        Ok(u64::from(self.next.wrapping_sub(self.number(value)?)))
    }

    fn block(&self, block: Block) -> u64 {
        u64::from(self.w.scratch.blocks[block])
    }

    fn inst(&mut self, inst: Inst) -> core::result::Result<(), Error> {
        self.announce(inst)?;
        let mut ops = core::mem::take(&mut self.w.scratch.ops);
        ops.clear();
        let (abbrev, code) = self.operands(inst, &mut ops)?;
        self.w.record(abbrev, code, &ops);
        self.w.scratch.ops = ops;
        self.next += u32::from(self.func.result(inst).is_some());
        Ok(())
    }

    /// Fills in the operands of the record for `inst`; gives its abbreviation and code.
    fn operands(&self, inst: Inst, ops: &mut Vec<u64>) -> core::result::Result<(u32, u32), Error> {
        let func = self.func;
        let result_type = func.result(inst).map_or(Type::Void, |value| func.value_type(value));
        let result_type = self.w.types.number(result_type);
        let align = |log2: u8| u64::from(log2) + 1;
        let tail = |hint: TailHint| u64::from(hint == TailHint::Tail);
        Ok(match *func.inst(inst) {
            InstData::Binary { op, args: [a, b] } => {
                ops.extend([self.relative(a)?, self.relative(b)?, codes::operator_number(op)]);
                (BINOP, code::BINOP)
            }
            InstData::Cast { op, arg } => {
                ops.extend([self.relative(arg)?, result_type, codes::cast_number(op)]);
                (CAST, code::CAST)
            }
            InstData::Icmp { cond, args: [a, b] } => {
                let predicate = codes::FIRST_INT_PREDICATE + cond as u64;
                ops.extend([self.relative(a)?, self.relative(b)?, predicate]);
                (NONE, code::CMP2)
            }
            InstData::Fcmp { cond, args: [a, b] } => {
                ops.extend([self.relative(a)?, self.relative(b)?, cond as u64]);
                (NONE, code::CMP2)
            }
            InstData::Select { cond, if_true, if_false } => {
                ops.extend([self.relative(if_true)?, self.relative(if_false)?, self.relative(cond)?]);
                (NONE, code::VSELECT)
            }
            InstData::ExtractElement { vector, index } => {
                ops.extend([self.relative(vector)?, self.relative(index)?]);
                (NONE, code::EXTRACTELT)
            }
            InstData::InsertElement { vector, element, index } => {
                ops.extend([self.relative(vector)?, self.relative(element)?, self.relative(index)?]);
                (NONE, code::INSERTELT)
            }
            InstData::Alloca { size, align_log2, .. } => {
                ops.extend([self.relative(size)?, align(align_log2)]);
                (NONE, code::ALLOCA)
            }
            InstData::Load { address, align_log2 } => {
                ops.extend([self.relative(address)?, align(align_log2), result_type]);
                (LOAD, code::LOAD)
            }
            InstData::Store { address, value, align_log2 } => {
                ops.extend([self.relative(address)?, self.relative(value)?, align(align_log2)]);
                (STORE, code::STORE)
            }
            InstData::Call { tail: TailHint::Live, .. }
            | InstData::CallIntrinsic { tail: TailHint::Live, .. }
            | InstData::CallIndirect { tail: TailHint::Live, .. } => {
                return Err(unwritable("a call with live values"));
            }
            InstData::Call { callee, args, tail: hint }
            | InstData::CallIntrinsic { callee, args, tail: hint, .. } => {
                ops.extend([tail(hint), self.callee(callee)]);
                for &arg in func.args(args) {
                    ops.push(self.relative(arg)?);
                }
                (NONE, code::CALL)
            }
            InstData::CallAs { .. } | InstData::SecondResult { .. } | InstData::RetPair { .. } => {
                return Err(unwritable("a call of a native module"));
            }
            InstData::Assembly { .. }
            | InstData::MachineOp { .. }
            | InstData::AssemblyJump { .. }
            | InstData::Output { .. } => {
                return Err(unwritable("inline assembly"));
            }
            InstData::ReturnCall { .. }
            | InstData::ReturnCallIndirect { .. }
            | InstData::ReturnCallAs { .. } => return Err(unwritable("a call in place of a return")),
            InstData::Join { .. } | InstData::Half { .. } => return Err(unwritable("a vector of 256 bits")),
            InstData::BlockAddress { .. } => return Err(unwritable("the address of a block")),
            InstData::Switch { table, .. } if func.switch(table).key == SwitchKey::Label => {
                return Err(unwritable("a branch to the address of a block"));
            }
            InstData::Invoke { .. } | InstData::InvokeResult | InstData::LandingPad { .. } => {
                return Err(unwritable("an invoke: exceptions"));
            }
            InstData::CallIndirect { callee, args, tail: hint } => {
                ops.extend([tail(hint), self.relative(callee)?, result_type]);
                for &arg in func.args(args) {
                    ops.push(self.relative(arg)?);
                }
                (NONE, code::CALL_INDIRECT)
            }
            InstData::Phi { incoming } => {
                ops.push(result_type);
                for &(value, pred) in func.incoming(incoming) {
                    let distance = i64::from(self.next) - i64::from(self.number(value)?);
                    ops.extend([rotate_sign(distance), self.block(pred)]);
                }
                (NONE, code::PHI)
            }
            InstData::Br { target } => {
                ops.push(self.block(target));
                (NONE, code::BR)
            }
            InstData::CondBr { cond, if_true, if_false } => {
                ops.extend([self.block(if_true), self.block(if_false), self.relative(cond)?]);
                (NONE, code::BR)
            }
            InstData::Switch { value, default, table } => {
                let cases = &func.switch(table).cases;
                // Only here the standard writer computes the distance in 64 bits.
                let relative = u64::from(self.next).wrapping_sub(u64::from(self.number(value)?));
                let ty = self.w.types.number(func.value_type(value));
                ops.extend([ty, relative, self.block(default), cases.len() as u64]);
                for &(case, target) in cases {
                    ops.extend([1, 1, rotate_sign(case), self.block(target)]);
                }
                (NONE, code::SWITCH)
            }
            InstData::Ret { value: None } => (RET_VOID, code::RET),
            InstData::Ret { value: Some(value) } => {
                ops.push(self.relative(value)?);
                (RET_VALUE, code::RET)
            }
            InstData::Unreachable => (UNREACHABLE, code::UNREACHABLE),
        })
    }

    fn callee(&self, callee: FuncId) -> u64 {
        u64::from(self.next.wrapping_sub(callee.as_u32()))
    }
}
