//! The target-independent half of lowering: walks the function once in final block order and asks the
//! target for each instruction.
//!
//! Values map to virtual registers on first use; constants never get one, the target materialises them
//! where they are needed. Phis become block parameters. A value with a single use in its own block may be
//! folded into its user (a comparison into a branch, an addition into an address): the target decides by
//! looking at both, forwards, and the definition is then skipped.
//!
//! Requires: a verified function, its flow graph, block order and use counts. Preserves: the function.

mod queries;
mod result_lanes;

use crate::block_order::{BlockOrder, LoweredBlock};
use crate::constant_hoisting::{self, Constant, HeldConstants};
use crate::constant_reuse::KeptConstants;
use crate::internal::{CodegenStep, Faults};
use crate::mach::{MachBlock, MachFunction, MachInst, Sink, VReg};
use crate::magic::Signedness;
use crate::switch::{self, Otherwise, SwitchScratch, SwitchWidth};
use crate::target::{ErrorKind, NO_WIDE_REGISTERS, Target, TypeLayout};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::marker::PhantomData;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_asm::{ConstantId, ConstantSize};
use ice_ir::native::FrameChain;
use ice_ir::{Block, ControlFlowGraph, Function, Inst, InstData, Module, Type, Uses, Value};

/// The consecutive virtual registers that hold a value: one, or the low and high half of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueRegs {
    first: VReg,
    parts: u8,
}

impl ValueRegs {
    /// The only or the low register.
    pub fn lo(self) -> VReg {
        self.first
    }

    /// The n-th part, from the low end. `n` must be below the number of parts.
    pub fn part(self, n: u8) -> VReg {
        debug_assert!(n < self.parts);
        VReg::new(self.first.index() + n as usize)
    }

    /// The high register of a pair.
    pub fn hi(self) -> VReg {
        self.part(1)
    }

    /// All parts from the low end.
    pub fn iter(self) -> impl Iterator<Item = VReg> {
        (0..self.parts).map(move |n| self.part(n))
    }
}

/// Where a value is, as far as lowering knows: in one number, since it is asked for each operand. Below
/// [`FIRST_OBJECT`] it is the first of the registers that the value is in, from there on the frame object that it is the
/// address of, and at the end what the constants say. Constants never get a register of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ValueState(u32);

const FIRST_OBJECT: u32 = 1 << 31;

impl ValueState {
    /// In no register yet, or a constant.
    const NEW: ValueState = ValueState(u32::MAX);
    /// Computed by its users.
    const FOLDED: ValueState = ValueState(u32::MAX - 1);

    /// In these registers.
    fn of_regs(first: VReg) -> ValueState {
        debug_assert!(first.as_u32() < FIRST_OBJECT);
        ValueState(first.as_u32())
    }

    /// The address of this frame object.
    fn of_object(object: u32) -> ValueState {
        ValueState(FIRST_OBJECT + object)
    }

    /// The first of its registers.
    #[inline(always)]
    fn regs(self) -> Option<VReg> {
        (self.0 < FIRST_OBJECT).then(|| VReg::from_u32(self.0))
    }

    /// The frame object that it is the address of.
    #[inline(always)]
    fn object(self) -> Option<u32> {
        let object = self.0.wrapping_sub(FIRST_OBJECT);
        (object < ValueState::FOLDED.0 - FIRST_OBJECT).then_some(object)
    }
}

/// What lowering keeps of a block of the function.
#[derive(Clone, Copy, Default)]
struct BlockFacts {
    /// What a branch from the current block to this one names.
    target: PackedOption<MachBlock>,
    /// Where the latest predecessor stood in the lists of this block's phis. Predecessors mostly ask in
    /// the order of the lists, so that the search from there on ends at once, even among thousands.
    incoming: u32,
}

/// Vectors of lowering, reused from function to function.
#[derive(Default)]
pub struct LowerScratch {
    values: Vec<ValueState>,
    blocks: Vec<BlockFacts>,
    params: Vec<VReg>,
    args: Vec<VReg>,
    planner: SwitchScratch,
    /// What the rule for an instruction before has made: lanes of results, choices by equal comparisons.
    made: Vec<Value>,
    faults: Faults<(Option<Block>, Option<Inst>)>,
    /// What the loops of the function hold in registers; empty if nothing was computed.
    pub held: HeldConstants,
    /// What instructions before have put in registers; empty if nothing is remembered.
    pub kept: KeptConstants,
}

/// Whether instructions go to an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnEdge {
    /// To a block of the function.
    No,
    /// To an edge that leaves this block.
    Own,
    /// To one that leaves other blocks of the same loop as well.
    Shared,
}

/// What lowering rules see: the function, what is known about it, and where instructions go.
pub struct Lower<'a, I: MachInst, S: Sink<I>> {
    /// The module.
    pub module: &'a Module,
    /// The function being lowered.
    pub func: &'a Function,
    /// Its flow graph.
    pub cfg: &'a ControlFlowGraph,
    /// Its block order.
    pub order: &'a BlockOrder,
    /// Its use counts.
    pub uses: &'a Uses,
    /// Where instructions go.
    pub sink: &'a mut S,
    scratch: &'a mut LowerScratch,
    pub(crate) layouts: &'static [TypeLayout; Type::ALL.len()],
    /// [`Target::tests_bits`].
    tests_bits: bool,
    block: Option<Block>,
    /// Whether instructions go to the edge behind the block, or to one that other blocks lead to as well.
    on_edge: OnEdge,
    /// The instruction being lowered, if any is.
    inst: Option<Inst>,
    machine: PhantomData<I>,
}

impl<'a, I: MachInst, S: Sink<I>> Lower<'a, I, S> {
    /// The registers of a value, made on first use.
    #[inline]
    pub fn regs(&mut self, value: Value) -> ValueRegs {
        let layout = self.layouts[self.func.value_type(value) as usize];
        match self.plain_reg(value) {
            Some(first) => ValueRegs { first, parts: layout.parts },
            None => self.first_regs(value, layout),
        }
    }

    /// The only or the low register of a value that is in registers already: of most values.
    #[inline(always)]
    pub fn plain_reg(&self, value: Value) -> Option<VReg> {
        self.scratch.values[value.index()].regs()
    }

    #[inline(never)]
    fn first_regs(&mut self, value: Value, layout: TypeLayout) -> ValueRegs {
        debug_assert!(!self.is_constant(value), "{value} is a constant");
        let regs = self.new_regs(layout);
        self.scratch.values[value.index()] = ValueState::of_regs(regs.first);
        regs
    }

    #[inline]
    fn new_regs(&mut self, layout: TypeLayout) -> ValueRegs {
        let first = self.sink.new_vreg(layout.class, u32::from(layout.size));
        if layout.parts > 1 {
            self.more_regs(layout);
        }
        ValueRegs { first, parts: layout.parts }
    }

    /// The registers of a value behind its first.
    #[cold]
    #[inline(never)]
    fn more_regs(&mut self, layout: TypeLayout) {
        for _ in 1..layout.parts {
            self.sink.new_vreg(layout.class, u32::from(layout.size));
        }
    }

    /// Lets `value` live in the register of another that equals it; false if it has a register already.
    pub fn share(&mut self, value: Value, reg: VReg) -> bool {
        let state = &mut self.scratch.values[value.index()];
        let is_free = *state == ValueState::NEW;
        if is_free {
            *state = ValueState::of_regs(reg);
        }
        is_free
    }

    /// Fresh registers for a value of `ty`.
    pub fn temp(&mut self, ty: Type) -> ValueRegs {
        self.new_regs(self.layouts[ty as usize])
    }

    /// Whether the value has no registers until it is materialised: a constant, or an address that is known
    /// up to the place of the code, the stack or the frame.
    #[inline]
    pub fn is_constant(&self, value: Value) -> bool {
        self.func.is_constant(value) || self.frame_object(value).is_some()
    }

    /// Registers for one use of a constant.
    pub fn fresh_constant_regs(&mut self, value: Value) -> ValueRegs {
        self.new_regs(self.layouts[self.func.value_type(value) as usize])
    }

    /// The register with `constant`, if a loop around the current block holds it or an instruction before has made it.
    #[inline]
    pub fn held(&mut self, constant: Constant) -> Option<VReg> {
        let block = self.block?;
        let (sink, layouts, func) = (&mut *self.sink, self.layouts, self.func);
        let make = || {
            let layout = layouts[constant_hoisting::type_of(func, constant) as usize];
            sink.new_vreg(layout.class, u32::from(layout.size))
        };
        let (held, kept) = (&mut self.scratch.held, &self.scratch.kept);
        held.reg(block, constant, make).or_else(|| match self.on_edge {
            OnEdge::Shared => None,
            OnEdge::No | OnEdge::Own => kept.find(block, constant),
        })
    }

    /// Remembers that `reg`, which nothing writes again, has `constant` from here on.
    pub fn keep(&mut self, constant: Constant, reg: VReg) {
        if let Some(block) = self.block
            && self.on_edge == OnEdge::No
        {
            self.scratch.kept.keep(block, constant, reg);
        }
    }

    /// The instruction that was folded into the one being lowered and defines `value`.
    #[inline(always)]
    pub fn folded(&self, value: Value) -> Option<Inst> {
        match self.scratch.values[value.index()] {
            ValueState::FOLDED => self.func.defining_inst(value),
            _ => None,
        }
    }

    /// Forgets that the instruction was folded: its user wants a register after all and lowers it. Only in its own
    /// block: what users in several blocks compute has no register that is defined before them all.
    pub fn unfold(&mut self, inst: Inst) {
        debug_assert_eq!(
            self.func.layout.block_of(inst),
            self.block,
            "{inst} is in a register of another block"
        );
        if let Some(value) = self.func.result(inst) {
            self.scratch.values[value.index()] = ValueState::NEW;
        }
    }

    /// Whether the instruction was folded into its user.
    pub fn is_folded(&self, inst: Inst) -> bool {
        self.func.result(inst).is_some_and(|value| self.folded(value).is_some())
    }

    /// The machine block that a branch from the current block to `block` names.
    pub fn target(&mut self, block: Block) -> MachBlock {
        match self.scratch.blocks[block.index()].target.expand() {
            Some(target) => target,
            None => self.no_block("a branch goes to a block that is no successor"),
        }
    }

    /// Any block, after a fault.
    #[cold]
    #[inline(never)]
    fn no_block(&mut self, what: &'static str) -> MachBlock {
        self.fault(what);
        MachBlock::new(0)
    }

    /// Notes a fault of the instruction being lowered: what it was given cannot be. Lowering goes on with anything,
    /// and fails at its end.
    #[cold]
    #[inline(never)]
    pub fn fault(&mut self, what: &'static str) {
        self.scratch.faults.note((self.block, self.inst), what);
    }

    /// The instruction being lowered, if any is.
    pub fn current_inst(&self) -> Option<Inst> {
        self.inst
    }

    /// Whether `value` was computed outside of a loop around the current block, all through which it lives on.
    pub fn is_from_outside(&self, value: Value) -> bool {
        let def = match self.func.defining_inst(value) {
            Some(def) => self.func.layout.block_of(def),
            None => self.func.layout.entry(),
        };
        let [def, block] = [def, self.block].map(|block| block.map_or(0, |block| self.order.depth(block)));
        def < block
    }

    /// The block being lowered.
    pub fn current_block(&self) -> Option<Block> {
        self.block
    }

    /// The result of an instruction that has one.
    pub fn result(&self, inst: Inst) -> Value {
        self.func.result(inst).expect("the instruction has a result")
    }

    /// A constant in memory.
    pub fn constant(&mut self, size: ConstantSize, bits: u128) -> ConstantId {
        self.sink.tables().constants.intern(size, bits)
    }

    /// Notes that `value` is the address of a frame object.
    pub fn set_frame_object(&mut self, value: Value, object: u32) {
        self.scratch.values[value.index()] = ValueState::of_object(object);
    }

    /// The frame object that `value` is the address of.
    #[inline]
    pub fn frame_object(&self, value: Value) -> Option<u32> {
        self.scratch.values[value.index()].object()
    }

    /// Plans the switch of the current block over `cases` of a value of a type, keeps the plan for emission
    /// and gives its index, and how a value of less than 32 bits is extended for it.
    pub fn plan_switch(&mut self, ty: Type, default: Block, cases: &[(i64, Block)]) -> (u32, Signedness) {
        let register = match (self.layouts[Type::I64 as usize].parts, self.layouts[ty as usize].parts) {
            _ if !self.tests_bits => 0,
            (1, _) => 64,
            (_, 1) => 32,
            _ => 0,
        };
        let width = SwitchWidth { bits: ty.bits(), register };
        let LowerScratch { planner, blocks, .. } = &mut *self.scratch;
        let (index, switch) = self.sink.tables().add_switch();
        let missing = Cell::new(false);
        let target = |block: Block| match blocks[block.index()].target.expand() {
            Some(target) => target,
            None => {
                missing.set(true);
                MachBlock::new(0)
            }
        };
        switch.bits = width.bits;
        let ends = self.func.layout.first_inst(default);
        let never = ends.is_some_and(|inst| matches!(self.func.inst(inst), InstData::Unreachable));
        let otherwise = if never { Otherwise::Never(default) } else { Otherwise::Goes(default) };
        switch::plan(width, otherwise, cases, target, planner, &mut switch.plan);
        let sign = switch.plan.sign;
        if missing.get() {
            self.fault("a switch goes to a block that is no successor");
        }
        (index, sign)
    }

    fn is_live_phi(&self, inst: Inst) -> Option<Value> {
        self.func.result(inst).filter(|_| !self.uses.is_dead(inst))
    }

    /// Gathers the arguments of the edge from `from` to `to` in `args`.
    fn gather_edge_args<T: Target<Inst = I>>(&mut self, target: &T, from: Block, to: Block) {
        self.scratch.args.clear();
        let func = self.func;
        let mut next = func.layout.first_inst(to);
        while let Some(inst) = next {
            let node = func.layout.inst(inst);
            let &InstData::Phi { incoming } = node.data() else { break };
            next = node.next();
            if self.uses.is_dead(inst) {
                continue;
            }
            let incoming = func.incoming(incoming);
            let latest = &mut self.scratch.blocks[to.index()].incoming;
            let (before, rest) = incoming.split_at((*latest as usize).min(incoming.len()));
            let at_from = |&(_, block): &(Value, Block)| block == from;
            let found = match rest.iter().position(at_from) {
                Some(n) => before.len() + n,
                None => match before.iter().position(at_from) {
                    Some(n) => n,
                    None => {
                        self.fault("a phi has no value for a predecessor");
                        continue;
                    }
                },
            };
            *latest = found as u32;
            let value = incoming[found].0;
            let regs = match self.is_constant(value) {
                true => target.materialize(self, value),
                false => self.regs(value),
            };
            self.scratch.args.extend(regs.iter());
        }
    }

    /// What follows is for `inst`, or for no single instruction of `block`.
    #[inline(always)]
    fn set_origin(&mut self, inst: Option<Inst>) {
        self.inst = inst;
        if self.sink.keeps_origins() {
            self.sink.set_origin(inst);
        }
    }

    fn begin_block(&mut self, block: Block) {
        (self.block, self.on_edge) = (Some(block), OnEdge::No);
        self.set_origin(None);
        if !self.order.has_phis(block) {
            return self.sink.begin_block(&[]);
        }
        let mut params = core::mem::take(&mut self.scratch.params);
        params.clear();
        let func = self.func;
        for inst in func.block_insts(block) {
            if !matches!(func.inst(inst), InstData::Phi { .. }) {
                break;
            }
            if let Some(value) = self.is_live_phi(inst) {
                let regs = self.regs(value);
                params.extend(regs.iter());
            }
        }
        self.sink.begin_block(&params);
        self.scratch.params = params;
    }

    #[inline(always)]
    fn lower_block<T: Target<Inst = I>>(&mut self, target: &T, block: Block) -> Result<(), ErrorKind> {
        self.begin_block(block);
        let func = self.func;
        if func.layout.entry() == Some(block) {
            target.lower_params(self)?;
        }
        let mut next = func.layout.first_inst(block);
        while let Some(inst) = next {
            let node = func.layout.inst(inst);
            next = node.next();
            self.set_origin(Some(inst));
            if matches!(node.data(), InstData::Phi { .. }) || self.uses.is_dead(inst) {
                continue;
            }
            if node.data().is_terminator() {
                self.lower_block_end(target, block, inst)?;
                break;
            }
            if let Some(value) = node.result() {
                let folds = match self.uses.only_user_in_block(func, inst, value) {
                    Some(user) => target.folds(self, inst, user),
                    None => {
                        let is_operation = matches!(node.data(), InstData::Binary { .. });
                        is_operation
                            && self.uses.count(value) == 2
                            && target.folds_into_store_and_test(self, inst)
                    }
                };
                if folds || self.folds_into_addresses(target, inst, value) {
                    self.scratch.values[value.index()] = ValueState::FOLDED;
                    continue;
                }
            }
            target.lower(self, inst)?;
        }
        Ok(())
    }

    /// Whether every use of `value` computes it in a memory operand. Not if a block that came earlier in the
    /// order has already read its register.
    fn folds_into_addresses<T: Target<Inst = I>>(&self, target: &T, inst: Inst, value: Value) -> bool {
        let is_only_address = match T::HAS_ATOMIC_ADDRESSES {
            true => self.uses.is_only_address_of_any(value),
            false => self.uses.is_only_address(value),
        };
        is_only_address && self.plain_reg(value).is_none() && target.folds_into_addresses(self, inst)
    }

    /// Arguments of edges first, then the terminator.
    fn lower_block_end<T: Target<Inst = I>>(
        &mut self,
        target: &T,
        block: Block,
        inst: Inst,
    ) -> Result<(), ErrorKind> {
        self.make_held(target, block);
        let (cfg, order) = (self.cfg, self.order);
        order.for_each_target(cfg, block, |to, machine_block| {
            self.scratch.blocks[to.index()].target = machine_block.into();
            // A split edge carries the arguments on its own way to the target.
            if order.has_phis(to) && order.number(to) == Some(machine_block) {
                self.gather_edge_args(target, block, to);
                self.sink.add_successor(machine_block, &self.scratch.args);
            } else {
                self.sink.add_successor(machine_block, &[]);
            }
        });
        target.lower_terminator(self, inst)?;
        self.sink.end_block();
        Ok(())
    }

    /// Makes what loops that begin behind `block` hold.
    fn make_held<T: Target<Inst = I>>(&mut self, target: &T, block: Block) {
        let mut n = 0;
        while let Some((index, constant, reg)) = self.scratch.held.made_in(block, n) {
            let reg = reg.unwrap_or_else(|| {
                let layout = self.layouts[constant_hoisting::type_of(self.func, constant) as usize];
                let reg = self.new_regs(layout).lo();
                self.scratch.held.set_reg(index, reg);
                reg
            });
            target.hold(self, constant, reg);
            n += 1;
        }
    }

    fn lower_edge<T: Target<Inst = I>>(&mut self, target: &T, from: Block, to: Block) {
        let on_edge = if self.order.is_shared(from, to) { OnEdge::Shared } else { OnEdge::Own };
        (self.block, self.on_edge) = (Some(from), on_edge);
        // The moves of an edge belong to the branch that takes it.
        self.set_origin(self.func.layout.last_inst(from));
        self.sink.begin_block(&[]);
        self.gather_edge_args(target, from, to);
        let machine_block = match self.order.number(to) {
            Some(block) => block,
            None => self.no_block("an edge goes to a block that has no place in the order"),
        };
        target.lower_jump(self, machine_block);
        self.sink.add_successor(machine_block, &self.scratch.args);
        self.sink.end_block();
    }
}

/// What was being lowered, for a person.
fn describe(func: &Function, block: Option<Block>, inst: Option<Inst>) -> String {
    match (block, inst) {
        (_, Some(inst)) => format!("{inst} {:?}", func.inst(inst)),
        (Some(block), None) => format!("{block}"),
        (None, None) => "before the first block".into(),
    }
}

/// Lowers `func` into `mach`.
#[allow(clippy::too_many_arguments, reason = "each is an analysis of its own, borrowed from one context")]
pub fn lower_function<T: Target>(
    target: &T,
    module: &Module,
    func: &Function,
    cfg: &ControlFlowGraph,
    order: &BlockOrder,
    uses: &Uses,
    scratch: &mut LowerScratch,
    mach: &mut MachFunction<T::Inst>,
) -> Result<(), ErrorKind> {
    // One machine instruction for each of the IR, as a rule, and more for wide numbers.
    mach.clear_for(func.num_insts() * 3 / 2);
    scratch.values.clear();
    scratch.values.resize(func.num_values(), ValueState::NEW);
    scratch.made.clear();
    scratch.blocks.clear();
    scratch.blocks.resize(func.num_blocks(), BlockFacts::default());
    scratch.faults = Faults::default();
    let traits = &module.functions[func.id].traits;
    mach.frame.needs_frame_pointer = traits.frame_pointer == FrameChain::All;
    mach.frame.is_landing = traits.landing && module.hardening.tracks_branches;
    mach.frame.signed_return = traits.signed_return;
    if traits.wide_registers && !target.has_wide_registers() {
        return Err(NO_WIDE_REGISTERS);
    }
    mach.frame.has_wide_registers = traits.wide_registers;
    if func.exceptions.has_invocations() {
        mach.exceptions = Some(Box::new(func.exceptions.clone()));
    }
    mach.frame.convention = module.signature(func.id).convention;
    let layouts = target.layouts();
    let mut cx = Lower {
        module,
        func,
        cfg,
        order,
        uses,
        sink: mach,
        scratch,
        layouts,
        tests_bits: target.tests_bits(),
        block: None,
        on_edge: OnEdge::No,
        inst: None,
        machine: PhantomData,
    };
    for &block in order.blocks() {
        match block {
            LoweredBlock::Block(block) => cx.lower_block(target, block)?,
            LoweredBlock::Edge { from, to } => cx.lower_edge(target, from, to),
        }
    }
    cx.scratch.held.clear();
    cx.scratch.kept.clear();
    mach.frame.needs_frame_pointer |= traits.frame_pointer == FrameChain::Callers && mach.frame.has_calls;
    scratch.faults.check(CodegenStep::Lowering, |(block, inst)| describe(func, block, inst))?;
    mach.finish()?;
    mach.set_loop_depths(order.depths());
    mach.set_chances(order.chances());
    Ok(())
}
