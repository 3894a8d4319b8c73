//! One function: values, instructions, argument pools and their order.
//!
//! A `Function` is scratch memory as much as data: [`Function::begin`] empties it and keeps its capacity,
//! so that translating the thousandth function allocates nothing. Values are numbered in the order of
//! creation: parameters, then constants, addresses and results as they come.

use alloc::vec::Vec;
use core::fmt;

use crate::assembly::Assembly;
use crate::entities::{AssemblyId, Block, FuncId, GlobalId, Inst, SwitchTable, Symbol, Value};
use crate::exceptions::{Exceptions, InvokeCallee};
use crate::instruction::{InstData, TailHint, ValueRange};
use crate::layout::Layout;
use crate::locations::SourceLocations;
use crate::module::Signature;
use crate::types::Type;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueDef {
    /// The n-th parameter.
    Param(u32),
    /// The result of an instruction.
    Inst(Inst),
    /// An integer constant, sign-extended from the width of its type.
    Int(i64),
    /// A floating-point constant by its bits (an `f32` in the low half).
    Float(u64),
    /// An unspecified value; zero, in each lane, to whoever looks at it.
    Undef,
    /// A vector of zeros. Not in PNaCl bitcode, which puts its vectors together from lanes.
    Zero,
    /// The address of a function.
    Function(FuncId),
    /// The address of a global variable.
    Global(GlobalId),
    /// Announced with its type, not yet defined. A complete function has none.
    Forward,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Param,
    Inst,
    Int,
    Float,
    Undef,
    Zero,
    Function,
    Global,
    Forward,
}

/// A value in 16 bytes.
#[derive(Clone, Copy)]
struct ValueData {
    payload: u64,
    kind: Kind,
    ty: Type,
}

/// What the value of a switch is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SwitchKey {
    /// A number, or that of a case.
    #[default]
    Number,
    /// The address of one of the cases' blocks ([`InstData::BlockAddress`]); the number of a case is that of its label. No
    /// block is a case twice or has another predecessor, so that nothing happens on the way; the default, which only
    /// ends in `unreachable`, is never reached. A function has one such switch at most. `indirect_br`.
    Label,
}

/// The cases of one switch.
#[derive(Clone, Default, Debug)]
pub struct SwitchData {
    /// What the numbers of the cases are.
    pub key: SwitchKey,
    /// (case value sign-extended from the type of the condition, target).
    pub cases: Vec<(i64, Block)>,
}

/// What says that control hardly ever comes to a block.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rarity {
    /// So many branches hardly ever go there. One that leaves a loop so goes there as often as control comes to the loop.
    pub branches: u32,
    /// It calls what is hardly ever called.
    pub calls: bool,
}

/// One function body.
#[derive(Clone)]
pub struct Function {
    /// Which function of the module this is the body of.
    pub id: FuncId,
    /// Return type.
    pub ret: Type,
    /// Instructions, and their order and that of blocks.
    pub layout: Layout,
    /// What it does with exceptions.
    pub exceptions: Exceptions,
    params: Vec<Value>,
    values: PrimaryMap<Value, ValueData>,
    constants: Vec<Value>,
    num_blocks: u32,
    value_pool: Vec<Value>,
    phi_pool: Vec<(Value, Block)>,
    switches: PrimaryMap<SwitchTable, SwitchData>,
    num_switches: usize,
    assemblies: PrimaryMap<AssemblyId, Assembly>,
    pub(crate) locations: SourceLocations,
    rarities: SecondaryMap<Block, Rarity>,
}

impl Default for Function {
    fn default() -> Self {
        Function::new()
    }
}

impl Function {
    /// An empty function without parameters.
    pub fn new() -> Self {
        Function {
            id: FuncId::from_u32(0),
            ret: Type::Void,
            layout: Layout::default(),
            exceptions: Exceptions::default(),
            params: Vec::new(),
            values: PrimaryMap::new(),
            constants: Vec::new(),
            num_blocks: 0,
            value_pool: Vec::new(),
            phi_pool: Vec::new(),
            switches: PrimaryMap::new(),
            num_switches: 0,
            assemblies: PrimaryMap::new(),
            locations: SourceLocations::default(),
            rarities: SecondaryMap::new(),
        }
    }

    /// Gives the function, whose contents are of no use any more, room for so many instructions with results.
    pub fn make_room(&mut self, insts: usize) {
        self.layout.make_room(insts);
        self.values = PrimaryMap::with_capacity(insts);
    }

    /// Empties the function and makes the parameters of `signature`; keeps all memory.
    pub fn begin(&mut self, id: FuncId, signature: &Signature) {
        self.id = id;
        self.ret = signature.ret;
        self.layout.clear();
        self.exceptions.clear();
        self.params.clear();
        self.values.clear();
        self.constants.clear();
        self.num_blocks = 0;
        self.value_pool.clear();
        self.phi_pool.clear();
        for table in self.switches.values_mut().take(self.num_switches) {
            table.cases.clear();
            table.key = SwitchKey::Number;
        }
        self.num_switches = 0;
        self.assemblies.clear();
        self.locations.clear();
        self.rarities.clear();
        for (n, &ty) in signature.params.iter().enumerate() {
            let value = self.values.push(ValueData { payload: n as u64, kind: Kind::Param, ty });
            self.params.push(value);
        }
    }

    // ---- values

    /// The parameters in order.
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// Constants (integer, floating point, undef) in the order of their creation.
    pub fn constants(&self) -> &[Value] {
        &self.constants
    }

    /// Number of values; all of them are `0..num_values`.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// The type of `value`.
    #[inline]
    pub fn value_type(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Where `value` comes from.
    #[inline]
    pub fn value_def(&self, value: Value) -> ValueDef {
        let ValueData { payload, kind, .. } = self.values[value];
        match kind {
            Kind::Param => ValueDef::Param(payload as u32),
            Kind::Inst => ValueDef::Inst(Inst::from_u32(payload as u32)),
            Kind::Int => ValueDef::Int(payload as i64),
            Kind::Float => ValueDef::Float(payload),
            Kind::Undef => ValueDef::Undef,
            Kind::Zero => ValueDef::Zero,
            Kind::Function => ValueDef::Function(FuncId::from_u32(payload as u32)),
            Kind::Global => ValueDef::Global(GlobalId::from_u32(payload as u32)),
            Kind::Forward => ValueDef::Forward,
        }
    }

    /// Whether `value` is neither a parameter nor the result of an instruction.
    #[inline]
    pub fn is_constant(&self, value: Value) -> bool {
        !matches!(self.values[value].kind, Kind::Param | Kind::Inst)
    }

    /// The number if `value` is an integer constant.
    #[inline]
    pub fn int_value(&self, value: Value) -> Option<i64> {
        let data = &self.values[value];
        (data.kind == Kind::Int).then_some(data.payload as i64)
    }

    /// The instruction that defines `value`, if one does.
    #[inline]
    pub fn defining_inst(&self, value: Value) -> Option<Inst> {
        let data = &self.values[value];
        (data.kind == Kind::Inst).then(|| Inst::from_u32(data.payload as u32))
    }

    /// A new integer constant; `number` is cut to the width of `ty`.
    #[inline]
    pub fn make_int(&mut self, ty: Type, number: i64) -> Value {
        let payload = ty.sign_extend(number) as u64;
        self.push_constant(ValueData { payload, kind: Kind::Int, ty })
    }

    /// A new floating-point constant from its bits.
    pub fn make_float(&mut self, ty: Type, bits: u64) -> Value {
        self.push_constant(ValueData { payload: bits, kind: Kind::Float, ty })
    }

    /// A new unspecified value.
    pub fn make_undef(&mut self, ty: Type) -> Value {
        self.push_constant(ValueData { payload: 0, kind: Kind::Undef, ty })
    }

    /// A new vector of zeros.
    pub fn make_zero(&mut self, ty: Type) -> Value {
        self.push_constant(ValueData { payload: 0, kind: Kind::Zero, ty })
    }

    #[inline]
    fn push_constant(&mut self, data: ValueData) -> Value {
        let value = self.values.push(data);
        self.constants.push(value);
        value
    }

    /// A new value that is the address of `symbol`, of type `pointer`.
    pub fn make_address(&mut self, symbol: Symbol, pointer: Type) -> Value {
        let (payload, kind) = match symbol {
            Symbol::Function(f) => (u64::from(f.as_u32()), Kind::Function),
            Symbol::Global(g) => (u64::from(g.as_u32()), Kind::Global),
        };
        self.values.push(ValueData { payload, kind, ty: pointer })
    }

    /// A value that is used before the instruction that defines it.
    pub fn make_forward(&mut self, ty: Type) -> Value {
        self.values.push(ValueData { payload: 0, kind: Kind::Forward, ty })
    }

    /// Makes a value of [`make_forward`](Self::make_forward) that nothing uses one that is complete.
    pub(crate) fn abandon_forward(&mut self, value: Value) {
        let value = &mut self.values[value];
        debug_assert!(value.kind == Kind::Forward);
        value.kind = Kind::Undef;
    }

    // ---- instructions

    /// Number of instructions ever made, removed ones included.
    pub fn num_insts(&self) -> usize {
        self.layout.num_insts()
    }

    /// Every instruction ever made, removed ones included, in the order of their numbers.
    pub fn insts(&self) -> impl Iterator<Item = (Inst, &InstData)> {
        self.layout.insts()
    }

    /// The content of `inst`.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstData {
        self.layout.inst(inst).data()
    }

    /// The content of `inst`, to be changed in place.
    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstData {
        self.layout.data_mut(inst)
    }

    /// The result of `inst`, if it has one.
    #[inline]
    pub fn result(&self, inst: Inst) -> Option<Value> {
        self.layout.inst(inst).result()
    }

    /// A new instruction outside any block, with a fresh result unless `ty` is `void`.
    pub fn make_inst(&mut self, data: InstData, ty: Type) -> Inst {
        let result = self.make_result(ty);
        self.layout.make_inst(data, result)
    }

    /// A new instruction outside any block that defines `result`, announced by
    /// [`make_forward`](Self::make_forward).
    pub fn make_inst_defining(&mut self, data: InstData, result: Value) -> Inst {
        self.define_forward(result);
        self.layout.make_inst(data, result.into())
    }

    /// The result of the next instruction.
    #[inline(always)]
    pub(crate) fn make_result(&mut self, ty: Type) -> PackedOption<Value> {
        if ty == Type::Void {
            return None.into();
        }
        self.make_value(ty).into()
    }

    /// The result of the next instruction, which has one.
    #[inline(always)]
    pub(crate) fn make_value(&mut self, ty: Type) -> Value {
        let payload = self.layout.num_insts() as u64;
        self.values.push(ValueData { payload, kind: Kind::Inst, ty })
    }

    /// Makes a value of [`make_forward`](Self::make_forward) the result of the next instruction.
    pub(crate) fn define_forward(&mut self, result: Value) {
        let value = &mut self.values[result];
        debug_assert!(value.kind == Kind::Forward);
        value.payload = self.layout.num_insts() as u64;
        value.kind = Kind::Inst;
    }

    // ---- pools

    /// Stores an argument list.
    pub fn make_args(&mut self, args: &[Value]) -> ValueRange {
        let start = self.value_pool.len() as u32;
        self.value_pool.extend_from_slice(args);
        ValueRange { start, len: args.len() as u32 }
    }

    /// A new, empty argument list, for [`push_arg`](Self::push_arg).
    #[inline]
    pub fn begin_args(&self) -> ValueRange {
        ValueRange { start: self.value_pool.len() as u32, len: 0 }
    }

    /// Appends an argument to the list that was begun last.
    #[inline]
    pub fn push_arg(&mut self, args: &mut ValueRange, arg: Value) {
        debug_assert_eq!(args.indices().end, self.value_pool.len());
        self.value_pool.push(arg);
        args.len += 1;
    }

    /// The arguments of a call.
    #[inline]
    pub fn args(&self, range: ValueRange) -> &[Value] {
        &self.value_pool[range.indices()]
    }

    /// The arguments of a call, to be changed in place.
    pub fn args_mut(&mut self, range: ValueRange) -> &mut [Value] {
        &mut self.value_pool[range.indices()]
    }

    /// Stores the incoming list of a phi.
    #[inline]
    pub fn make_incoming(&mut self, incoming: &[(Value, Block)]) -> ValueRange {
        let start = self.phi_pool.len() as u32;
        self.phi_pool.extend_from_slice(incoming);
        ValueRange { start, len: incoming.len() as u32 }
    }

    /// The (value, predecessor) pairs of a phi.
    #[inline]
    pub fn incoming(&self, range: ValueRange) -> &[(Value, Block)] {
        &self.phi_pool[range.indices()]
    }

    /// The (value, predecessor) pairs of a phi, to be changed in place.
    pub fn incoming_mut(&mut self, range: ValueRange) -> &mut [(Value, Block)] {
        &mut self.phi_pool[range.indices()]
    }

    /// A new, empty case table.
    pub fn make_switch(&mut self) -> SwitchTable {
        let table = SwitchTable::new(self.num_switches);
        self.num_switches += 1;
        if self.switches.len() < self.num_switches {
            self.switches.push(SwitchData::default());
        }
        table
    }

    /// Number of case tables.
    pub fn num_switches(&self) -> usize {
        self.num_switches
    }

    /// The cases of a switch.
    pub fn switch(&self, table: SwitchTable) -> &SwitchData {
        &self.switches[table]
    }

    /// The cases of a switch, to be filled.
    pub fn switch_mut(&mut self, table: SwitchTable) -> &mut SwitchData {
        &mut self.switches[table]
    }

    /// A new statement of inline assembly.
    pub fn make_assembly(&mut self, assembly: Assembly) -> AssemblyId {
        self.assemblies.push(assembly)
    }

    /// Whether some inline assembly was made for the function.
    pub fn has_assembly(&self) -> bool {
        !self.assemblies.is_empty()
    }

    /// Whether a statement of inline assembly may jump.
    pub fn has_assembly_jumps(&self) -> bool {
        self.assemblies.values().any(|assembly| !assembly.targets.is_empty())
    }

    /// The inline assembly of this number, if there is one.
    pub fn assembly(&self, assembly: AssemblyId) -> Option<&Assembly> {
        self.assemblies.get(assembly)
    }

    // ---- blocks

    /// Number of blocks ever made.
    pub fn num_blocks(&self) -> usize {
        self.num_blocks as usize
    }

    /// A new block at the end of the function.
    pub fn append_new_block(&mut self) -> Block {
        let block = Block::from_u32(self.num_blocks);
        self.append_new_blocks(1);
        block
    }

    /// So many new blocks at the end of the function.
    pub fn append_new_blocks(&mut self, count: u32) {
        let first = self.num_blocks;
        self.num_blocks += count;
        self.layout.append_blocks(first..self.num_blocks);
    }

    /// A new block behind `after`.
    pub fn insert_new_block_after(&mut self, after: Block) -> Block {
        let block = Block::from_u32(self.num_blocks);
        self.num_blocks += 1;
        self.layout.insert_block_after(after, block);
        block
    }

    /// All blocks in layout order.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        self.layout.blocks()
    }

    /// The instructions of `block` in order.
    pub fn block_insts(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        self.layout.block_insts(block)
    }

    /// The terminator of `block`, if the block has one.
    #[inline]
    pub fn terminator(&self, block: Block) -> Option<&InstData> {
        self.layout.last_inst(block).map(|i| self.layout.inst(i).data()).filter(|data| data.is_terminator())
    }

    // ---- walks

    /// Calls `visit` with every value operand of `inst`, in the order of the wire format.
    #[inline(always)]
    pub fn for_each_operand(&self, inst: Inst, visit: impl FnMut(Value)) {
        self.for_each_operand_of(self.layout.inst(inst).data(), visit);
    }

    /// Calls `visit` with every value operand of the instruction that does this, in the order of the wire format.
    #[inline(always)]
    pub(crate) fn for_each_operand_of(&self, data: &InstData, mut visit: impl FnMut(Value)) {
        match *data {
            InstData::Binary { args, .. } | InstData::Icmp { args, .. } | InstData::Fcmp { args, .. } => {
                args.into_iter().for_each(visit)
            }
            InstData::Cast { arg, .. } => visit(arg),
            InstData::Select { cond, if_true, if_false } => {
                [if_true, if_false, cond].into_iter().for_each(visit);
            }
            InstData::ExtractElement { vector, index } => {
                [vector, index].into_iter().for_each(visit);
            }
            InstData::InsertElement { vector, element, index } => {
                [vector, element, index].into_iter().for_each(visit);
            }
            // Twice the same half is one operand.
            InstData::Join { halves: [low, high] } if low == high => visit(low),
            InstData::Join { halves } => halves.into_iter().for_each(visit),
            InstData::Half { vector, .. } => visit(vector),
            InstData::Alloca { size, .. } => visit(size),
            InstData::Load { address, .. } => visit(address),
            InstData::Store { address, value, .. } => [address, value].into_iter().for_each(visit),
            InstData::CallIndirect { callee, args, .. } | InstData::ReturnCallIndirect { callee, args } => {
                visit(callee);
                self.args(args).iter().copied().for_each(visit);
            }
            InstData::Call { args, .. }
            | InstData::CallIntrinsic { args, .. }
            | InstData::CallAs { args, .. }
            | InstData::Assembly { args, .. }
            | InstData::MachineOp { args, .. }
            | InstData::ReturnCall { args, .. }
            | InstData::ReturnCallAs { args, .. }
            | InstData::Invoke { args, .. }
            | InstData::AssemblyJump { args, .. } => self.args(args).iter().copied().for_each(visit),
            InstData::SecondResult { first } | InstData::Output { first, .. } => visit(first),
            InstData::RetPair { values } => values.into_iter().for_each(visit),
            InstData::Phi { incoming } => {
                self.incoming(incoming).iter().for_each(|&(v, _)| visit(v));
            }
            InstData::CondBr { cond, .. } => visit(cond),
            InstData::Switch { value, .. } => visit(value),
            InstData::Ret { value } => value.into_iter().for_each(visit),
            InstData::Br { .. }
            | InstData::InvokeResult
            | InstData::BlockAddress { .. }
            | InstData::LandingPad { .. }
            | InstData::Unreachable => {}
        }
    }

    /// Replaces every value operand of `inst` by what `map` gives for it, in no certain order.
    pub fn map_operands(&mut self, inst: Inst, mut map: impl FnMut(Value) -> Value) {
        let pooled = match self.layout.data_mut(inst) {
            InstData::Binary { args, .. }
            | InstData::Icmp { args, .. }
            | InstData::Fcmp { args, .. }
            | InstData::Join { halves: args }
            | InstData::RetPair { values: args } => return *args = args.map(map),
            InstData::Cast { arg: value, .. }
            | InstData::Half { vector: value, .. }
            | InstData::Alloca { size: value, .. }
            | InstData::Load { address: value, .. }
            | InstData::SecondResult { first: value }
            | InstData::Output { first: value, .. }
            | InstData::CondBr { cond: value, .. }
            | InstData::Switch { value, .. }
            | InstData::Ret { value: Some(value) } => return *value = map(*value),
            InstData::Select { cond: a, if_true: b, if_false: c }
            | InstData::InsertElement { vector: a, element: b, index: c } => {
                (*a, *b, *c) = (map(*a), map(*b), map(*c));
                return;
            }
            InstData::ExtractElement { vector: a, index: b }
            | InstData::Store { address: a, value: b, .. } => {
                (*a, *b) = (map(*a), map(*b));
                return;
            }
            InstData::CallIndirect { callee, args, .. } | InstData::ReturnCallIndirect { callee, args } => {
                *callee = map(*callee);
                *args
            }
            InstData::Call { args, .. }
            | InstData::CallAs { args, .. }
            | InstData::CallIntrinsic { args, .. }
            | InstData::Assembly { args, .. }
            | InstData::MachineOp { args, .. }
            | InstData::ReturnCall { args, .. }
            | InstData::ReturnCallAs { args, .. }
            | InstData::Invoke { args, .. }
            | InstData::AssemblyJump { args, .. } => *args,
            &mut InstData::Phi { incoming } => {
                for (value, _) in &mut self.phi_pool[incoming.indices()] {
                    *value = map(*value);
                }
                return;
            }
            InstData::Ret { value: None }
            | InstData::Br { .. }
            | InstData::InvokeResult
            | InstData::BlockAddress { .. }
            | InstData::LandingPad { .. }
            | InstData::Unreachable => return,
        };
        for value in &mut self.value_pool[pooled.indices()] {
            *value = map(*value);
        }
    }

    /// The vector of 256 bits that these are the two halves of, if they were taken out of one.
    pub fn joined(&self, halves: [Value; 2]) -> Option<Value> {
        let of = |value, wanted| match *self.inst(self.defining_inst(value)?) {
            InstData::Half { vector, half } if half == wanted => Some(vector),
            _ => None,
        };
        let low = of(halves[0], 0)?;
        (of(halves[1], 1)? == low).then_some(low)
    }

    /// The call that an [`InstData::Invoke`] makes, as it would be without a pad; `None` of anything else.
    pub fn invoked_call(&self, data: &InstData) -> Option<InstData> {
        let InstData::Invoke { call, args } = *data else { return None };
        let tail = TailHint::None;
        Some(match self.exceptions.invocation(call).callee {
            InvokeCallee::Function(callee) => InstData::Call { callee, args, tail },
            InvokeCallee::Address => {
                let &callee = self.args(args).first()?;
                InstData::CallIndirect { callee, args: args.rest(), tail }
            }
            InvokeCallee::As(signature) => InstData::CallAs { signature, args, tail },
        })
    }

    /// Whether anything says that control hardly ever comes to some block.
    pub fn has_rarities(&self) -> bool {
        !self.rarities.is_empty()
    }

    /// What says that control hardly ever comes to `block`.
    pub fn rarity(&self, block: Block) -> Rarity {
        self.rarities[block]
    }

    /// The same, to be changed.
    pub fn rarity_mut(&mut self, block: Block) -> &mut Rarity {
        &mut self.rarities[block]
    }

    /// Lets every edge from `block` to `from` lead to `to`. Phis are the caller's business.
    pub fn retarget(&mut self, block: Block, from: Block, to: Block) {
        let Some(inst) = self.layout.last_inst(block) else { return };
        let change = |target: &mut Block| {
            if *target == from {
                *target = to;
            }
        };
        match self.layout.data_mut(inst) {
            InstData::Br { target } => change(target),
            InstData::CondBr { if_true, if_false, .. } => [if_true, if_false].into_iter().for_each(change),
            InstData::Switch { default, table, .. } => {
                change(default);
                self.switches[*table].cases.iter_mut().for_each(|(_, target)| change(target));
            }
            InstData::Invoke { call, .. } => {
                let call = self.exceptions.invocation_mut(*call);
                [&mut call.normal, &mut call.pad].into_iter().for_each(change);
            }
            InstData::AssemblyJump { assembly, .. } => {
                self.assemblies[*assembly].targets.iter_mut().for_each(change);
            }
            _ => {}
        }
    }

    /// Calls `visit` with every successor edge of `block`, in order, repeated edges included.
    #[inline]
    pub fn for_each_successor(&self, block: Block, visit: impl FnMut(Block)) {
        if let Some(terminator) = self.terminator(block) {
            self.for_each_target(terminator, visit);
        }
    }

    /// Calls `visit` with every block that `terminator`, which is one of this function, names, in order.
    #[inline]
    pub fn for_each_target(&self, terminator: &InstData, mut visit: impl FnMut(Block)) {
        match *terminator {
            InstData::Br { target } => visit(target),
            InstData::CondBr { if_true, if_false, .. } => {
                visit(if_true);
                visit(if_false);
            }
            InstData::Switch { default, table, .. } => {
                visit(default);
                self.switches[table].cases.iter().for_each(|&(_, b)| visit(b));
            }
            InstData::Invoke { call, .. } => {
                let call = self.exceptions.invocation(call);
                visit(call.normal);
                visit(call.pad);
            }
            InstData::AssemblyJump { assembly, .. } => {
                self.assembly(assembly).into_iter().flat_map(|a| &a.targets).for_each(|&b| visit(b));
            }
            _ => {}
        }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "function {} ({} values)", self.id, self.values.len())?;
        for block in self.blocks() {
            writeln!(f, "{block}:")?;
            for inst in self.block_insts(block) {
                match self.result(inst) {
                    Some(v) => {
                        writeln!(f, "  {v}: {} = {:?}", self.value_type(v), self.layout.inst(inst).data())?
                    }
                    None => writeln!(f, "  {:?}", self.layout.inst(inst).data())?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_small() {
        // One vector entry a value; 64-bit constants are kept inline.
        assert_eq!(size_of::<ValueData>(), 16);
    }
}
