//! Pre-decoding: functions become [`Code`], with values resolved to slots and phis to moves on edges.
//!
//! Every (predecessor, successor) pair gets the parallel copy of the successor's phis as a run of moves. A
//! copy that reads a phi of the same block goes through a scratch slot first, so the order of the rest does
//! not matter. The moves of an unconditional branch stand before its jump; other edges get a stub behind the
//! block. Linear in the size of the function but for one sort of the phi operands.
//!
//! Requires a verified program; what would lead execution astray is checked again and gives
//! [`TrapKind::Malformed`]: missing definitions, edges and bodies, and types that do not fit an operator.

use alloc::vec;
use alloc::vec::Vec;

use super::code::{CaseTable, Code, FunctionCode, Op, Origin};
use super::trap::TrapKind;
use super::value::{Slot, all_lanes};
use cranelift_entity::EntityRef;
use ice_ir::intrinsics::{self, Intrinsic};
use ice_ir::{
    BinaryOp, Block, CastOp, FuncId, Function, FunctionKind, GlobalId, Inst, InstData, IntCond, Program,
    Signature, SwitchKey, Type, Value, ValueDef, ValueRange,
};

/// Addresses that constants refer to.
pub(super) struct Addresses<'a> {
    pub function: &'a dyn Fn(FuncId) -> u64,
    pub globals: &'a [u64],
}

/// What stands for the address of the block that is label `label` of a function: not null. Code has no addresses here.
pub(super) const fn label_address(label: i64) -> u64 {
    (label as u64).wrapping_add(1)
}

/// Decodes every body of `program`.
pub(super) fn decode(program: &Program, addresses: &Addresses<'_>) -> Result<Code, TrapKind> {
    let module = &program.module;
    let mut code = Code::default();
    let numbers: Vec<u32> = module.signatures.values().map(|s| code.intern(s)).collect();
    for decl in module.functions.values() {
        let Some(&signature) = numbers.get(decl.signature.as_u32() as usize) else {
            return malformed("a function without signature");
        };
        code.functions.push(FunctionCode {
            entry: 0,
            end: 0,
            slots: 1,
            consts: 0..0,
            first_param: 1,
            signature,
            has_body: false,
        });
    }
    let mut bodies = program.bodies.iter();
    for id in module.defined_functions() {
        let Some(func) = bodies.next() else { return malformed("a defined function without body") };
        if func.id != id {
            return malformed("bodies out of order");
        }
        Decoder::new(program, addresses, func, &mut code).decode()?;
    }
    Ok(code)
}

fn malformed<T>(what: &'static str) -> Result<T, TrapKind> {
    Err(TrapKind::Malformed(what))
}

/// One copy of a phi operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PhiMove {
    pred: Block,
    succ: Block,
    d: u32,
    s: u32,
}

/// No operation yet.
const NOWHERE: u32 = u32::MAX;

struct Decoder<'a> {
    program: &'a Program,
    addresses: &'a Addresses<'a>,
    func: &'a Function,
    code: &'a mut Code,
    /// Slot of every value.
    slots: Vec<u32>,
    /// First slot of the scratch area.
    scratch: u32,
    num_slots: u32,
    moves: Vec<PhiMove>,
    /// Number of phis of every block.
    phis: Vec<u32>,
    /// First operation of every block.
    starts: Vec<u32>,
    /// For every slot, the last edge (counted from 1) that writes it.
    written: Vec<u32>,
    edges: u32,
    origin: Origin,
}

impl<'a> Decoder<'a> {
    fn new(
        program: &'a Program,
        addresses: &'a Addresses<'a>,
        func: &'a Function,
        code: &'a mut Code,
    ) -> Self {
        Decoder {
            program,
            addresses,
            func,
            code,
            slots: vec![0; func.num_values()],
            scratch: 0,
            num_slots: 0,
            moves: Vec::new(),
            phis: vec![0; func.num_blocks()],
            starts: vec![NOWHERE; func.num_blocks()],
            written: Vec::new(),
            edges: 0,
            origin: Origin { block: Block::from_u32(0), inst: Inst::from_u32(0) },
        }
    }

    fn decode(mut self) -> Result<(), TrapKind> {
        let entry = self.code.ops.len() as u32;
        let first_param = self.assign_slots()?;
        self.collect_phis()?;
        let layout = &self.func.layout;
        if layout.entry().is_none() {
            return malformed("a body without blocks");
        }
        let patch_from = self.code.ops.len();
        let first_table = self.code.switches.len();
        for block in self.func.blocks() {
            self.starts[block.index()] = self.code.ops.len() as u32;
            if self.func.terminator(block).is_none() {
                return malformed("a block without terminator");
            }
            for inst in self.func.block_insts(block) {
                self.origin = Origin { block, inst };
                self.instruction(block, inst)?;
            }
        }
        self.patch(patch_from, first_table)?;
        let id = self.func.id.index();
        let consts = self.code.functions[id].consts.clone();
        self.code.functions[id] = FunctionCode {
            entry,
            end: self.code.ops.len() as u32,
            slots: self.num_slots,
            consts,
            first_param,
            has_body: true,
            ..self.code.functions[id].clone()
        };
        Ok(())
    }

    /// Numbers the slots and collects the constants; gives the slot of the first parameter.
    fn assign_slots(&mut self) -> Result<u32, TrapKind> {
        let func = self.func;
        let signature = self.program.module.signature(func.id);
        let params = func.params();
        if !params.iter().map(|&p| func.value_type(p)).eq(signature.params.iter().copied()) {
            return malformed("parameters that do not fit the signature");
        }
        let first_const = self.code.consts.len() as u32;
        let mut next = 1;
        for index in 0..func.num_values() {
            let value = Value::new(index);
            let ty = func.value_type(value);
            let slot = match func.value_def(value) {
                ValueDef::Int(n) => Slot::new(n as u64 & ty.int_mask(), 0),
                ValueDef::Float(bits) => Slot::new(bits, 0),
                ValueDef::Undef => Slot::new(0, all_lanes(ty)),
                ValueDef::Zero => Slot::new(0, 0),
                ValueDef::Function(f) => Slot::new(self.function_address(f)?, 0),
                ValueDef::Global(g) => Slot::new(self.global_address(g)?, 0),
                ValueDef::Forward => return malformed("a value that is never defined"),
                ValueDef::Inst(inst) => match *func.inst(inst) {
                    InstData::BlockAddress { label, .. } => {
                        Slot::new(label_address(label.into()) & ty.int_mask(), 0)
                    }
                    _ => continue,
                },
                ValueDef::Param(_) => continue,
            };
            self.code.consts.push(slot);
            self.slots[index] = next;
            next += 1;
        }
        let first_param = next;
        for &param in params {
            self.slots[param.index()] = next;
            next += 1;
        }
        for index in 0..func.num_values() {
            if let ValueDef::Inst(inst) = func.value_def(Value::new(index))
                && !matches!(func.inst(inst), InstData::BlockAddress { .. })
            {
                self.slots[index] = next;
                next += 1;
            }
        }
        self.code.functions[func.id.index()].consts = first_const..self.code.consts.len() as u32;
        self.scratch = next;
        self.num_slots = next;
        Ok(first_param)
    }

    fn function_address(&self, f: FuncId) -> Result<u64, TrapKind> {
        match self.program.module.functions.is_valid(f) {
            true => Ok((self.addresses.function)(f)),
            false => malformed("an unknown function"),
        }
    }

    fn global_address(&self, g: GlobalId) -> Result<u64, TrapKind> {
        self.addresses.globals.get(g.index()).copied().ok_or(TrapKind::Malformed("an unknown global"))
    }

    fn collect_phis(&mut self) -> Result<(), TrapKind> {
        let func = self.func;
        for block in func.blocks() {
            for inst in func.block_insts(block) {
                let &InstData::Phi { incoming } = func.inst(inst) else { break };
                let Some(result) = func.result(inst) else { return malformed("a phi without result") };
                let d = self.slot(result)?;
                self.phis[block.index()] += 1;
                for &(value, pred) in func.incoming(incoming) {
                    let s = self.slot(value)?;
                    self.moves.push(PhiMove { pred, succ: block, d, s });
                }
            }
        }
        // Several edges between two blocks list the same value several times.
        self.moves.sort_unstable();
        self.moves.dedup_by_key(|m| (m.pred, m.succ, m.d));
        self.written = vec![0; self.scratch as usize];
        Ok(())
    }

    fn slot(&self, value: Value) -> Result<u32, TrapKind> {
        self.slots.get(value.index()).copied().ok_or(TrapKind::Malformed("an unknown value"))
    }

    fn pair(&self, [a, b]: [Value; 2]) -> Result<(u32, u32), TrapKind> {
        Ok((self.slot(a)?, self.slot(b)?))
    }

    fn push(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.origins.push(self.origin);
    }

    /// The moves of an edge.
    fn edge(&mut self, pred: Block, succ: Block) -> Result<(), TrapKind> {
        let Some(&phis) = self.phis.get(succ.index()) else { return malformed("an unknown block") };
        let first = self.moves.partition_point(|m| (m.pred, m.succ) < (pred, succ));
        let last = first + self.moves[first..].partition_point(|m| (m.pred, m.succ) == (pred, succ));
        if last - first != phis as usize {
            return malformed("a phi without a value for an edge");
        }
        self.edges += 1;
        for i in first..last {
            let d = self.moves[i].d as usize;
            self.written[d] = self.edges;
        }
        let mut scratch = self.scratch;
        for i in first..last {
            let PhiMove { d, s, .. } = self.moves[i];
            if self.written[s as usize] == self.edges && s != d {
                self.push(Op::Move { d: scratch, s });
                scratch += 1;
            }
        }
        self.num_slots = self.num_slots.max(scratch);
        scratch = self.scratch;
        for i in first..last {
            let PhiMove { d, s, .. } = self.moves[i];
            if s == d {
                continue;
            }
            if self.written[s as usize] == self.edges {
                self.push(Op::Move { d, s: scratch });
                scratch += 1;
            } else {
                self.push(Op::Move { d, s });
            }
        }
        Ok(())
    }

    /// The operation an edge goes to: the block itself, marked for `patch`, or a stub with its moves.
    /// Stubs are made after the terminator, so this gives a mark for both.
    fn stub(&mut self, pred: Block, succ: Block) -> Result<u32, TrapKind> {
        if self.phis.get(succ.index()).is_none_or(|&n| n == 0) {
            return Ok(BLOCK | succ.as_u32());
        }
        let at = self.code.ops.len() as u32;
        self.edge(pred, succ)?;
        self.push(Op::Jump { to: BLOCK | succ.as_u32() });
        Ok(at)
    }

    /// Turns block numbers into operation numbers.
    fn patch(&mut self, first: usize, first_table: usize) -> Result<(), TrapKind> {
        let starts = &self.starts;
        let resolve = |to: &mut u32| {
            if *to & BLOCK != 0 {
                *to = starts.get((*to & !BLOCK) as usize).copied().unwrap_or(NOWHERE);
            }
            match *to {
                NOWHERE => malformed("an unknown block"),
                _ => Ok(()),
            }
        };
        for op in &mut self.code.ops[first..] {
            match op {
                Op::Jump { to } => resolve(to)?,
                Op::Branch { t, f, .. } => {
                    resolve(t)?;
                    resolve(f)?;
                }
                _ => {}
            }
        }
        for table in &mut self.code.switches[first_table..] {
            resolve(&mut table.default)?;
            table.cases.iter_mut().try_for_each(|(_, to)| resolve(to))?;
        }
        Ok(())
    }

    fn args(&mut self, args: ValueRange) -> Result<u32, TrapKind> {
        let start = self.code.args.len() as u32;
        for &arg in self.func.args(args) {
            let slot = self.slot(arg)?;
            self.code.args.push(slot);
        }
        Ok(start)
    }

    fn instruction(&mut self, block: Block, inst: Inst) -> Result<(), TrapKind> {
        let func = self.func;
        let result = func.result(inst);
        let d = result.map_or(Ok(0), |v| self.slot(v))?;
        let ty = result.map_or(Type::Void, |v| func.value_type(v));
        let mut known = true;
        func.for_each_operand(inst, |v| known &= v.index() < self.slots.len());
        if !known {
            return malformed("an unknown value");
        }
        if !self.types_fit(func.inst(inst), ty) {
            return malformed("operands that do not fit the operator");
        }
        if ty.is_wide() || self.has_wide_operand(inst) {
            return malformed("a vector of 256 bits, which only native modules have");
        }
        let op = match *func.inst(inst) {
            InstData::Binary { op, args } => {
                let (a, b) = self.pair(args)?;
                binary(op, ty, d, a, b)
            }
            InstData::Cast { op, arg } => {
                let (from, a) = (func.value_type(arg), self.slot(arg)?);
                cast(op, from, ty, d, a)
            }
            InstData::Icmp { cond, args } => {
                let (a, b) = self.pair(args)?;
                icmp(cond, func.value_type(args[0]), d, a, b)
            }
            InstData::Fcmp { cond, args } => {
                let (a, b) = self.pair(args)?;
                Op::Fcmp { cond, ty: func.value_type(args[0]), d, a, b }
            }
            InstData::Select { cond, if_true, if_false } => {
                let (c, (t, f)) = (self.slot(cond)?, self.pair([if_true, if_false])?);
                match func.value_type(cond).is_vector() {
                    true => Op::SelectLanes { ty, d, c, t, f },
                    false => Op::Select { d, c, t, f, ty },
                }
            }
            InstData::ExtractElement { vector, index } => {
                let ty = func.value_type(vector);
                Op::Extract { ty, lane: self.lane(ty, index)?, d, v: self.slot(vector)? }
            }
            InstData::InsertElement { vector, element, index } => {
                let (v, e) = self.pair([vector, element])?;
                Op::Insert { ty, lane: self.lane(ty, index)?, d, v, e }
            }
            InstData::Alloca { size, align_log2, .. } => Op::Alloca { d, size: self.slot(size)?, align_log2 },
            InstData::Load { address, .. } => load(ty, d, self.slot(address)?),
            InstData::Store { address, value, .. } => {
                let (a, s) = self.pair([address, value])?;
                store(func.value_type(value), a, s)
            }
            InstData::Call { callee, args, .. } => {
                let args = args.first(self.program.module.passed_args(func.inst(inst)));
                self.check_call(callee, args, ty)?;
                Op::Call { callee: callee.as_u32(), args: self.args(args)?, d }
            }
            InstData::ReturnCall { callee, args } => {
                // A result that the function does not have is nobody's.
                self.check_call(callee, args, self.program.module.signature(callee).ret)?;
                Op::ReturnCall { callee: callee.as_u32(), args: self.args(args)? }
            }
            InstData::CallIndirect { callee, args, .. } => {
                let signature = self.signature(args, ty);
                Op::CallIndirect { callee: self.slot(callee)?, signature, args: self.args(args)?, d }
            }
            InstData::ReturnCallIndirect { callee, args } => {
                let signature = self.signature(args, func.ret);
                let callee = self.slot(callee)?;
                let args = self.args(args)?;
                self.push(Op::ReturnCallIndirect { callee, signature, args });
                Op::Ret { s: 0 }
            }
            InstData::Join { .. } | InstData::Half { .. } => {
                return malformed("halves of a vector of 256 bits");
            }
            InstData::CallAs { .. }
            | InstData::ReturnCallAs { .. }
            | InstData::SecondResult { .. }
            | InstData::Assembly { .. }
            | InstData::MachineOp { .. }
            | InstData::AssemblyJump { .. }
            | InstData::Output { .. }
            | InstData::RetPair { .. } => {
                return malformed("a call as only native modules have it");
            }
            // A constant.
            InstData::BlockAddress { .. } => return Ok(()),
            // Nothing here unwinds.
            InstData::Invoke { .. } | InstData::InvokeResult | InstData::LandingPad { .. } => {
                return malformed("an invoke: exceptions");
            }
            InstData::CallIntrinsic { op, args, .. } => {
                let declaration = intrinsics::DECLARATIONS.iter().find(|decl| decl.op == op);
                if declaration.is_none_or(|decl| decl.params.len() != args.len()) {
                    return malformed("an intrinsic with a wrong number of arguments");
                }
                let ty = match (op, func.args(args)) {
                    (Intrinsic::AtomicStore, [value, ..]) => func.value_type(*value),
                    (Intrinsic::Longjmp, [_, value]) => func.value_type(*value),
                    _ => ty,
                };
                Op::Intrinsic { op, ty, args: self.args(args)?, d }
            }
            InstData::Phi { .. } => return Ok(()),
            InstData::Br { target } => {
                self.edge(block, target)?;
                if func.layout.next_block(block) == Some(target) {
                    return Ok(());
                }
                Op::Jump { to: BLOCK | target.as_u32() }
            }
            InstData::CondBr { cond, if_true, if_false } => {
                let at = self.code.ops.len();
                let c = self.slot(cond)?;
                self.push(Op::Unreachable);
                let (t, f) = (self.stub(block, if_true)?, self.stub(block, if_false)?);
                self.code.ops[at] = Op::Branch { c, t, f };
                return Ok(());
            }
            InstData::Switch { value, default, table } => {
                let ty = func.value_type(value);
                let op = Op::Switch { value: self.slot(value)?, table: self.code.switches.len() as u32 };
                self.push(op);
                // Sorted by target, so that the edges to a block share a stub.
                let switch = func.switch(table);
                let number = |n: i64| match switch.key {
                    SwitchKey::Number => n as u64,
                    SwitchKey::Label => label_address(n),
                };
                let mut cases: Vec<(Block, u64)> =
                    switch.cases.iter().map(|&(n, b)| (b, number(n) & ty.int_mask())).collect();
                cases.sort_unstable();
                let default_stub = self.stub(block, default)?;
                let mut last = (default, default_stub);
                let mut resolved = Vec::with_capacity(cases.len());
                for (target, number) in cases {
                    if target != last.0 {
                        let stub = if target == default { default_stub } else { self.stub(block, target)? };
                        last = (target, stub);
                    }
                    resolved.push((number, last.1));
                }
                resolved.sort_unstable();
                self.code.switches.push(CaseTable { cases: resolved, default: default_stub });
                return Ok(());
            }
            InstData::Ret { value } => {
                if value.map_or(Type::Void, |v| func.value_type(v)) != func.ret {
                    return malformed("a return that does not fit the signature");
                }
                Op::Ret { s: value.map_or(Ok(0), |v| self.slot(v))? }
            }
            InstData::Unreachable => Op::Unreachable,
        };
        self.push(op);
        Ok(())
    }

    /// Checks a direct call that gives `ret`.
    fn check_call(&self, callee: FuncId, args: ValueRange, ret: Type) -> Result<(), TrapKind> {
        let (func, module) = (self.func, &self.program.module);
        if !module.functions.is_valid(callee) {
            return malformed("a call of an unknown function");
        }
        let signature = module.signature(callee);
        let types = func.args(args).iter().map(|&v| func.value_type(v));
        if !types.eq(signature.params.iter().copied()) || signature.ret != ret {
            return malformed("a call that does not fit the signature");
        }
        match module.functions[callee].kind {
            FunctionKind::Intrinsic(_) => malformed("an intrinsic called as a function"),
            _ => Ok(()),
        }
    }

    /// The number of the signature of a call with these arguments that gives `ret`.
    fn signature(&mut self, args: ValueRange, ret: Type) -> u32 {
        let func = self.func;
        let params = func.args(args).iter().map(|&v| func.value_type(v)).collect();
        self.code.intern(&Signature::new(params, ret))
    }

    fn has_wide_operand(&self, inst: Inst) -> bool {
        let mut is_wide = false;
        self.func.for_each_operand(inst, |value| is_wide |= self.func.value_type(value).is_wide());
        is_wide
    }

    /// Whether the shapes of operands and result `ty` are such that the operator makes sense.
    fn types_fit(&self, data: &InstData, ty: Type) -> bool {
        let of = |v: Value| self.func.value_type(v);
        let in_memory = |ty: Type| ty != Type::Void && !ty.is_bool_or_bool_vector();
        match *data {
            InstData::Binary { op, args: [a, b] } => {
                of(a) == ty
                    && of(b) == ty
                    && op.is_float() == ty.is_float_or_float_vector()
                    && ty != Type::Void
            }
            InstData::Cast { op: CastOp::Bitcast, arg } => of(arg).bits() == ty.bits() && ty != Type::Void,
            InstData::Cast { op, arg } => {
                use CastOp::*;
                let from = of(arg);
                let (float, to_float) = (from.is_float_or_float_vector(), ty.is_float_or_float_vector());
                let shape = match op {
                    Trunc => from.bits() > ty.bits() && !float && !to_float,
                    Zext | Sext => from.element().bits() < ty.element().bits() && !float && !to_float,
                    Fptoui | Fptosi => float && !to_float,
                    Uitofp | Sitofp => !float && to_float,
                    Fptrunc => (from, ty) == (Type::F64, Type::F32),
                    Fpext => (from, ty) == (Type::F32, Type::F64),
                    Bitcast => false,
                };
                shape && from.lanes() == ty.lanes() && ty != Type::Void
            }
            InstData::Icmp { args: [a, b], .. } => {
                of(a) == of(b) && of(a).is_int_or_int_vector() && ty == of(a).compare_result()
            }
            InstData::Fcmp { args: [a, b], .. } => {
                of(a) == of(b) && of(a).is_float_or_float_vector() && ty == of(a).compare_result()
            }
            InstData::Select { cond, if_true, if_false } => {
                let picks = of(cond) == Type::I1 || of(cond) == ty.compare_result();
                picks && of(if_true) == ty && of(if_false) == ty && ty != Type::Void
            }
            InstData::ExtractElement { vector, .. } => of(vector).is_vector() && ty == of(vector).element(),
            InstData::InsertElement { vector, element, .. } => {
                ty.is_vector() && of(vector) == ty && of(element) == ty.element()
            }
            InstData::Load { .. } => in_memory(ty),
            InstData::Store { value, .. } => in_memory(of(value)),
            InstData::Switch { value, .. } => of(value).is_scalar_int(),
            InstData::CondBr { cond, .. } => of(cond) == Type::I1,
            _ => true,
        }
    }

    fn lane(&self, ty: Type, index: Value) -> Result<u8, TrapKind> {
        match self.func.int_value(index) {
            Some(lane) if lane >= 0 && lane < i64::from(ty.lanes()) => Ok(lane as u8),
            _ => malformed("a lane number that is no constant below the lane count"),
        }
    }
}

/// Marks a block number among operation numbers.
const BLOCK: u32 = 1 << 31;

fn binary(op: BinaryOp, ty: Type, d: u32, a: u32, b: u32) -> Op {
    use BinaryOp::*;
    match (op, ty) {
        (Add, Type::I32) => Op::Add32 { d, a, b },
        (Sub, Type::I32) => Op::Sub32 { d, a, b },
        (Mul, Type::I32) => Op::Mul32 { d, a, b },
        (Shl, Type::I32) => Op::Shl32 { d, a, b },
        (Lshr, Type::I32) => Op::Lshr32 { d, a, b },
        (Ashr, Type::I32) => Op::Ashr32 { d, a, b },
        (Add, Type::I64) => Op::Add64 { d, a, b },
        (Sub, Type::I64) => Op::Sub64 { d, a, b },
        (Mul, Type::I64) => Op::Mul64 { d, a, b },
        (Fadd, Type::F64) => Op::AddF64 { d, a, b },
        (Fsub, Type::F64) => Op::SubF64 { d, a, b },
        (Fmul, Type::F64) => Op::MulF64 { d, a, b },
        (And, _) if ty.is_scalar_int() => Op::And { d, a, b },
        (Or, _) if ty.is_scalar_int() => Op::Or { d, a, b },
        (Xor, _) if ty.is_scalar_int() => Op::Xor { d, a, b },
        _ => Op::Binary { op, ty, d, a, b },
    }
}

fn icmp(cond: IntCond, ty: Type, d: u32, a: u32, b: u32) -> Op {
    use IntCond::*;
    if !ty.is_scalar_int() {
        return Op::Icmp { cond, ty, d, a, b };
    }
    match (cond, ty) {
        (Eq, _) => Op::Eq { d, a, b },
        (Ne, _) => Op::Ne { d, a, b },
        (Ult, _) => Op::Ult { d, a, b },
        (Ule, _) => Op::Ule { d, a, b },
        (Ugt, _) => Op::Ult { d, a: b, b: a },
        (Uge, _) => Op::Ule { d, a: b, b: a },
        (Slt, Type::I32) => Op::Slt32 { d, a, b },
        (Sle, Type::I32) => Op::Sle32 { d, a, b },
        (Sgt, Type::I32) => Op::Slt32 { d, a: b, b: a },
        (Sge, Type::I32) => Op::Sle32 { d, a: b, b: a },
        _ => Op::Icmp { cond, ty, d, a, b },
    }
}

fn cast(op: CastOp, from: Type, to: Type, d: u32, a: u32) -> Op {
    match op {
        _ if from.is_vector() || to.is_vector() => Op::Cast { op, from, to, d, a },
        CastOp::Zext => Op::Move { d, s: a },
        CastOp::Trunc => Op::Trunc { d, a, to },
        CastOp::Sext => Op::Sext { d, a, from, to },
        _ => Op::Cast { op, from, to, d, a },
    }
}

fn load(ty: Type, d: u32, a: u32) -> Op {
    match ty {
        Type::I8 => Op::Load8 { d, a },
        Type::I16 => Op::Load16 { d, a },
        Type::I32 | Type::F32 => Op::Load32 { d, a, ty },
        Type::I64 | Type::F64 => Op::Load64 { d, a, ty },
        _ => Op::Load { ty, d, a },
    }
}

fn store(ty: Type, a: u32, s: u32) -> Op {
    match ty {
        Type::I8 => Op::Store8 { a, s },
        Type::I32 | Type::F32 => Op::Store32 { a, s, ty },
        Type::I64 | Type::F64 => Op::Store64 { a, s, ty },
        _ => Op::Store { ty, a, s },
    }
}
