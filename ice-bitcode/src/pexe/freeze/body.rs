//! Rebuilds one body, instruction by instruction; a value keeps its type.
//!
//! A value that is used before its definition is met (by a phi, or because blocks are not in the order of
//! dominance) is announced; whatever rule makes the result then ends with the instruction that defines it.

use super::calls::OutgoingArea;
use super::module::{Frozen, FrozenSymbol, argument_type};
use super::{FreezeError, FreezeErrorKind};
use alloc::string::String;
use alloc::vec::Vec;
use cranelift_entity::SecondaryMap;
use ice_ir::{
    Arity, BinaryOp, Block, CastOp, Function, FunctionBuilder, Inst, InstData, IntCond, SwitchKey, Symbol,
    Type, Value, ValueDef,
};

/// What is refused: stable bitcode has no addresses of blocks.
const BLOCK_ADDRESS: &str = "the address of a block";

/// One body in the making.
pub(super) struct Body<'b, 'm> {
    pub frozen: &'b mut Frozen<'m>,
    /// The native body.
    pub old: &'b Function,
    /// Makes the frozen one.
    pub new: FunctionBuilder<'b>,
    blocks: SecondaryMap<Block, Option<Block>>,
    values: SecondaryMap<Value, Option<Value>>,
    defined: SecondaryMap<Value, bool>,
    /// What calls need of the frame.
    pub outgoing: Option<Value>,
    /// The buffer of variadic arguments, a parameter.
    pub variadic: Option<Value>,
    /// Where the second result goes, a parameter.
    second: Option<Value>,
    /// Reused.
    pub args: Vec<Value>,
}

pub(super) fn freeze_body(frozen: &mut Frozen<'_>, old: &Function) -> Result<Function, FreezeError> {
    let mut func = Function::new();
    let mut body = Body {
        frozen,
        old,
        new: FunctionBuilder::new(&mut func),
        blocks: SecondaryMap::new(),
        values: SecondaryMap::new(),
        defined: SecondaryMap::new(),
        outgoing: None,
        variadic: None,
        second: None,
        args: Vec::new(),
    };
    let mut at = None;
    match body.build(&mut at) {
        Ok(()) => Ok(func),
        Err(kind) => {
            let module = body.frozen.old;
            let symbol = String::from_utf8_lossy(module.symbol_name(Symbol::Function(old.id))).into_owned();
            Err(FreezeError { symbol, inst: at, kind })
        }
    }
}

impl Body<'_, '_> {
    fn build(&mut self, at: &mut Option<Inst>) -> Result<(), FreezeErrorKind> {
        let id = self.frozen.function(self.old.id).ok_or(FreezeErrorKind::Unsupported("this function"))?;
        self.new.begin(id, &self.frozen.signature_of(id).clone());
        for block in self.old.blocks() {
            self.blocks[block] = Some(self.new.create_block());
        }
        let mut entry = true;
        for block in self.old.blocks() {
            let new = self.block(block);
            self.new.switch_to_block(new);
            if core::mem::take(&mut entry) {
                self.enter()?;
            }
            for inst in self.old.block_insts(block) {
                *at = Some(inst);
                self.inst(inst)?;
            }
        }
        Ok(())
    }

    /// Parameters, constants and the area for calls, at the start of the entry block.
    fn enter(&mut self) -> Result<(), FreezeErrorKind> {
        let native = self.frozen.old.signature(self.old.id);
        let params: Vec<Value> = self.new.func.params().to_vec();
        let mut rest = params[native.params.len()..].iter().copied();
        self.variadic = if native.arity == Arity::Variadic { rest.next() } else { None };
        self.second = if native.second != Type::Void { rest.next() } else { None };
        for (&old, &new) in self.old.params().iter().zip(&params) {
            let ty = self.old.value_type(old);
            let new = self.narrowed(new, ty);
            self.bind(old, new);
        }
        for index in 0..self.old.num_values() as u32 {
            let value = Value::from_u32(index);
            if let Some(new) = self.constant(value)? {
                self.bind(value, new);
            }
        }
        let area = OutgoingArea::of(self.frozen, self.old);
        if area.size > 0 {
            let size = self.new.int_const(Type::I32, i64::from(area.size));
            self.outgoing = Some(self.new.alloca(size, area.align_log2, Type::I32));
        }
        Ok(())
    }

    fn bind(&mut self, old: Value, new: Value) {
        self.values[old] = Some(new);
        self.defined[old] = true;
    }

    fn constant(&mut self, value: Value) -> Result<Option<Value>, FreezeErrorKind> {
        let ty = self.old.value_type(value);
        let symbol = match self.old.value_def(value) {
            ValueDef::Int(number) => return Ok(Some(self.new.int_const(ty, number))),
            ValueDef::Float(bits) => return Ok(Some(self.new.func.make_float(ty, bits))),
            ValueDef::Undef => return Ok(Some(self.new.func.make_undef(ty))),
            ValueDef::Zero => return Ok(Some(self.zeros(ty))),
            ValueDef::Function(f) => Symbol::Function(f),
            ValueDef::Global(g) => Symbol::Global(g),
            ValueDef::Param(_) | ValueDef::Inst(_) | ValueDef::Forward => return Ok(None),
        };
        Ok(Some(match self.frozen.place(symbol)? {
            FrozenSymbol::Null => self.new.int_const(ty, 0),
            FrozenSymbol::At(symbol, 0) => self.new.address(symbol, ty),
            FrozenSymbol::At(symbol, offset) => {
                let base = self.new.address(symbol, ty);
                self.offset(base, offset)
            }
        }))
    }

    pub fn block(&mut self, old: Block) -> Block {
        self.blocks[old].unwrap_or_else(|| self.new.create_block())
    }

    /// The frozen value of an operand.
    pub fn value(&mut self, old: Value) -> Value {
        if let Some(new) = self.values[old] {
            return new;
        }
        let ty = self.old.value_type(old);
        let new = self.new.func.make_forward(ty);
        self.values[old] = Some(new);
        new
    }

    /// The result of `inst` is what the instruction appended next gives.
    pub fn define_next(&mut self, inst: Inst) {
        if let Some(old) = self.old.result(inst)
            && let Some(announced) = self.values[old]
            && !self.defined[old]
        {
            self.new.define_next_as(announced);
        }
    }

    /// The result of `inst` is `new`, which the instruction appended last gives.
    pub fn defined(&mut self, inst: Inst, new: Value) {
        if let Some(old) = self.old.result(inst) {
            self.bind(old, new);
        }
    }

    // ---- small pieces

    pub fn int(&mut self, number: i64) -> Value {
        self.new.int_const(Type::I32, number)
    }

    /// A vector of zeros, lane by lane.
    fn zeros(&mut self, ty: Type) -> Value {
        let element = ty.element();
        let zero = match element {
            Type::F32 | Type::F64 => self.new.func.make_float(element, 0),
            element => self.new.int_const(element, 0),
        };
        let start = self.new.func.make_undef(ty);
        (0..ty.lanes()).fold(start, |vector, lane| {
            let index = self.int(i64::from(lane));
            self.new.insert_element(vector, zero, index)
        })
    }

    /// `base + offset`.
    pub fn offset(&mut self, base: Value, offset: i64) -> Value {
        if offset == 0 {
            return base;
        }
        let offset = self.int(i64::from(offset as i32));
        self.new.binary(BinaryOp::Add, base, offset)
    }

    /// A value as it crosses calls. What is above its width does not matter.
    pub fn widened(&mut self, value: Value) -> Value {
        let ty = self.new.func.value_type(value);
        match argument_type(ty) {
            wide if wide == ty => value,
            wide => self.new.cast(CastOp::Zext, value, wide),
        }
    }

    /// Back from there.
    pub fn narrowed(&mut self, value: Value, ty: Type) -> Value {
        match self.new.func.value_type(value) {
            wide if wide == ty => value,
            _ => self.new.cast(CastOp::Trunc, value, ty),
        }
    }

    // ---- instructions

    fn inst(&mut self, inst: Inst) -> Result<(), FreezeErrorKind> {
        let ty = self.old.result(inst).map_or(Type::Void, |v| self.old.value_type(v));
        match *self.old.inst(inst) {
            InstData::Binary { op, args } => {
                let [a, b] = args.map(|v| self.value(v));
                self.binary(inst, op, ty, a, b)
            }
            InstData::Icmp { cond, args } => {
                let [a, b] = args.map(|v| self.value(v));
                self.icmp(inst, cond, a, b)
            }
            InstData::Load { address, align_log2 } => {
                let address = self.value(address);
                self.load(inst, ty, address, align_log2);
                Ok(())
            }
            InstData::Store { address, value, align_log2 } => {
                let (address, value) = (self.value(address), self.value(value));
                self.store(address, value, align_log2);
                Ok(())
            }
            InstData::Call { .. }
            | InstData::CallIndirect { .. }
            | InstData::CallAs { .. }
            | InstData::SecondResult { .. } => self.call(inst),
            InstData::CallIntrinsic { op, args, .. } => self.intrinsic(inst, op, args),
            InstData::Ret { value } => {
                let value = value.map(|v| self.value(v)).map(|v| self.widened(v));
                self.new.ret(value);
                Ok(())
            }
            InstData::Assembly { .. } | InstData::AssemblyJump { .. } | InstData::Output { .. } => {
                Err(FreezeErrorKind::Unsupported("inline assembly"))
            }
            InstData::ReturnCall { .. }
            | InstData::ReturnCallIndirect { .. }
            | InstData::ReturnCallAs { .. } => {
                Err(FreezeErrorKind::Unsupported("a call in place of a return"))
            }
            InstData::Join { .. } | InstData::Half { .. } => {
                Err(FreezeErrorKind::Unsupported("a vector of 256 bits"))
            }
            InstData::BlockAddress { .. } => Err(FreezeErrorKind::Unsupported(BLOCK_ADDRESS)),
            InstData::Switch { table, .. } if self.old.switch(table).key == SwitchKey::Label => {
                Err(FreezeErrorKind::Unsupported(BLOCK_ADDRESS))
            }
            InstData::Invoke { .. } | InstData::InvokeResult | InstData::LandingPad { .. } => {
                Err(FreezeErrorKind::Unsupported("an invoke: exceptions"))
            }
            InstData::RetPair { values } => {
                let [first, second] = values.map(|v| self.value(v));
                let place = self.second.ok_or(FreezeErrorKind::Unsupported("a second result"))?;
                self.store(place, second, 0);
                let first = self.widened(first);
                self.new.ret(Some(first));
                Ok(())
            }
            data => {
                let data = self.plain(data);
                self.define_next(inst);
                let new = self.new.append(data, ty);
                if let Some(new) = self.new.func.result(new) {
                    self.defined(inst, new);
                }
                Ok(())
            }
        }
    }

    /// An instruction that stays what it is, with frozen values as operands.
    fn plain(&mut self, data: InstData) -> InstData {
        match data {
            InstData::Cast { op, arg } => InstData::Cast { op, arg: self.value(arg) },
            InstData::Fcmp { cond, args } => InstData::Fcmp { cond, args: args.map(|v| self.value(v)) },
            InstData::Select { cond, if_true, if_false } => InstData::Select {
                cond: self.value(cond),
                if_true: self.value(if_true),
                if_false: self.value(if_false),
            },
            InstData::ExtractElement { vector, index } => {
                InstData::ExtractElement { vector: self.value(vector), index: self.value(index) }
            }
            InstData::InsertElement { vector, element, index } => InstData::InsertElement {
                vector: self.value(vector),
                element: self.value(element),
                index: self.value(index),
            },
            InstData::Alloca { size, align_log2, kind } => {
                InstData::Alloca { size: self.value(size), align_log2, kind }
            }
            InstData::Phi { incoming } => {
                let old = self.old;
                let pairs: Vec<(Value, Block)> =
                    old.incoming(incoming).iter().map(|&(v, b)| (self.value(v), self.block(b))).collect();
                InstData::Phi { incoming: self.new.func.make_incoming(&pairs) }
            }
            InstData::Br { target } => InstData::Br { target: self.block(target) },
            InstData::CondBr { cond, if_true, if_false } => InstData::CondBr {
                cond: self.value(cond),
                if_true: self.block(if_true),
                if_false: self.block(if_false),
            },
            InstData::Switch { value, default, table } => {
                let value = self.value(value);
                let new = self.new.func.make_switch();
                for &(number, target) in &self.old.switch(table).cases {
                    let target = self.block(target);
                    self.new.func.switch_mut(new).cases.push((number, target));
                }
                InstData::Switch { value, default: self.block(default), table: new }
            }
            data => data,
        }
    }

    /// Booleans calculate as bytes.
    fn binary(
        &mut self,
        inst: Inst,
        op: BinaryOp,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Result<(), FreezeErrorKind> {
        let logic = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let result = if !ty.is_bool_or_bool_vector() || logic {
            self.define_next(inst);
            self.new.binary(op, a, b)
        } else if ty == Type::I1 {
            let [a, b] = [a, b].map(|v| self.new.cast(CastOp::Zext, v, Type::I8));
            let wide = self.new.binary(op, a, b);
            self.define_next(inst);
            self.new.cast(CastOp::Trunc, wide, Type::I1)
        } else {
            return Err(FreezeErrorKind::Unsupported("arithmetic on a vector of booleans"));
        };
        self.defined(inst, result);
        Ok(())
    }

    fn icmp(&mut self, inst: Inst, cond: IntCond, a: Value, b: Value) -> Result<(), FreezeErrorKind> {
        let ty = self.new.func.value_type(a);
        let [a, b] = match ty {
            Type::I1 => {
                let signed = matches!(cond, IntCond::Slt | IntCond::Sle | IntCond::Sgt | IntCond::Sge);
                let op = if signed { CastOp::Sext } else { CastOp::Zext };
                [a, b].map(|v| self.new.cast(op, v, Type::I8))
            }
            _ if ty.is_bool_or_bool_vector() => {
                return Err(FreezeErrorKind::Unsupported("a comparison of vectors of booleans"));
            }
            _ => [a, b],
        };
        self.define_next(inst);
        let result = self.new.icmp(cond, a, b);
        self.defined(inst, result);
        Ok(())
    }

    /// A load with one of the alignments of the stable format.
    fn load(&mut self, inst: Inst, ty: Type, address: Value, align_log2: u8) {
        let element = ty.element();
        let result = if ty == Type::I1 {
            let byte = self.new.load(Type::I8, address, 0);
            self.define_next(inst);
            self.new.cast(CastOp::Trunc, byte, Type::I1)
        } else if ty.is_vector() && 1 << align_log2 < element.bytes() {
            let mut vector = self.new.func.make_undef(ty);
            for lane in 0..ty.lanes() {
                let at = self.offset(address, i64::from(lane * element.bytes()));
                let value = self.new.load(element, at, 0);
                let index = self.int(i64::from(lane));
                if lane + 1 == ty.lanes() {
                    self.define_next(inst);
                }
                vector = self.new.insert_element(vector, value, index);
            }
            vector
        } else {
            self.define_next(inst);
            self.new.load(ty, address, stable_alignment(ty, align_log2))
        };
        self.defined(inst, result);
    }

    /// A store with one of the alignments of the stable format.
    pub fn store(&mut self, address: Value, value: Value, align_log2: u8) {
        let ty = self.new.func.value_type(value);
        let element = ty.element();
        if ty == Type::I1 {
            let byte = self.new.cast(CastOp::Zext, value, Type::I8);
            self.new.store(address, byte, 0);
        } else if ty.is_vector() && 1 << align_log2 < element.bytes() {
            for lane in 0..ty.lanes() {
                let index = self.int(i64::from(lane));
                let part = self.new.extract_element(value, index);
                let at = self.offset(address, i64::from(lane * element.bytes()));
                self.new.store(at, part, 0);
            }
        } else {
            self.new.store(address, value, stable_alignment(ty, align_log2));
        }
    }

    /// A load of an argument or result from memory that this pass has laid out.
    pub fn reload(&mut self, inst: Inst, ty: Type, address: Value) {
        self.load(inst, ty, address, 0);
    }
}

/// The alignment that the stable format has for an access, at most `align_log2`, which is at least that of
/// a lane for vectors.
fn stable_alignment(ty: Type, align_log2: u8) -> u8 {
    match ty {
        Type::F32 if align_log2 >= 2 => 2,
        Type::F64 if align_log2 >= 3 => 3,
        _ if ty.is_vector() => ty.element().bytes().trailing_zeros() as u8,
        _ => 0,
    }
}
