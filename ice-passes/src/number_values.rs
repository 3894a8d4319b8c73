//! Value numbering over the dominator tree: what is computed already is not computed again.
//!
//! Blocks are visited in reverse postorder, so that every definition is seen before its uses but for those
//! of phis over back edges. Each pure instruction is first rewritten by [`simplify`](crate::simplify), then
//! looked up by operator and operands, commutative ones in order: an equal instruction whose block dominates
//! this one replaces it (dominator-based value numbering: Briggs, Cooper and Simpson, "Value Numbering",
//! 1997). Uses are redirected as they are reached, those of phis in the end; what was dead goes away, what nobody
//! uses any more is left for [`Uses`] to find.
//!
//! A value that is kept instead of computed again occupies a register on the way. What costs one instruction
//! or none where it is used (comparisons, extensions, additions of a constant or to an address, small
//! scales) is therefore found in its own block only.
//!
//! A load is found, too, if the same address was loaded or stored as the same type where that dominates the load, and
//! nothing may have written to memory since. Anything with a side effect may write anywhere: no two addresses are
//! told apart. The state of memory has a number, new after each such instruction; a block with one predecessor goes
//! on with the number at that one's end, any other block begins with a new one.
//!
//! Numbers that are read or written byte by byte are found at the last of the bytes
//! ([`byte_accesses`](mod@crate::byte_accesses)), halves of vectors that are not used whole are loaded as such
//! ([`half_loads`](mod@crate::half_loads)). Short regions are copied and filled by loads and stores
//! (`short_regions.rs`), which are then looked at in their turn.
//!
//! A narrow number that is extended with zeros to 32 bits and to 64 is extended to 64 alone.
//!
//! Shuffles, which are put together lane by lane, are found as wholes.
//!
//! Two phis of a block are equal if they get equal values from each predecessor; a value that one phi computes of itself
//! with an operand is equal to what the other computes of itself with the same one: two counters of a loop that begin
//! alike and take the same steps, as unrolling leaves them.
//!
//! A remainder by a constant whose quotient is there is the dividend less a product; one that was there before its
//! quotient becomes that where it stands.
//!
//! The table is direct-mapped and forgets: a miss only costs an instruction.
//!
//! Requires: a verified function, its flow graph, dominator tree and use counts. Preserves: blocks, their
//! terminators but for operands, and the order of side effects; keeps the use counts, but the last user of a value is a guess
//! then. Linear.

use crate::byte_accesses::{ByteSwaps, whole_load, whole_store};
use crate::changed::Changed;
use crate::insert::insert;
use crate::masked_merges::masked_merge;
use crate::short_regions::split_region;
use crate::simplify::{Constants, Rewrite, simplify};
use crate::worth::is_worth_register;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::filter::{canonical, fold};
use ice_ir::vectors::is_lane;
use ice_ir::{
    Addressing, BinaryOp, Block, CastOp, ControlFlowGraph, DominatorTree, Function, Inst, InstData,
    Intrinsic, Module, Type, Uses, Value,
};
use rustc_hash::FxHasher;

const SLOTS: usize = 512;
/// How many of the latest phis are compared with one.
const MAX_PHIS: usize = 8;
/// Most predecessors of phis that are compared.
const MAX_INCOMING: usize = 4;

/// Which instructions a machine has, where that decides what is cheaper.
#[derive(Clone, Copy)]
pub struct Forms {
    /// The types of the moves that copy short regions; none if regions stay whole.
    pub moved_types: &'static [Type],
    /// Whether conjunctions take the complement of an operand.
    pub complements_operands: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    epoch: u32,
    /// For a load: the state of memory that it belongs to.
    memory: u32,
    data: InstData,
    ty: Type,
    value: Value,
    block: Block,
}

/// Tables of the pass. Reused from function to function.
pub struct Numbering {
    entries: Box<[Entry; SLOTS]>,
    addressing: Addressing,
    epoch: u32,
    /// The present state of memory, and how many there are.
    memory: u32,
    states: u32,
    /// The state at the end of each block that was visited.
    memory_at_end: Vec<u32>,
    /// What stands for each value instead.
    replaced: Vec<PackedOption<Value>>,
    /// Of each part of a shuffle the older one that is equal and stays beside it.
    equal_parts: Vec<PackedOption<Value>>,
    phis: Vec<Inst>,
    constants: Constants,
    swaps: ByteSwaps,
    forms: Forms,
    /// The first of the loads and stores that the latest instruction has become.
    split: PackedOption<Inst>,
    /// An instruction has become another one.
    has_rewritten: bool,
}

impl Default for Numbering {
    fn default() -> Self {
        let empty = Entry {
            epoch: 0,
            memory: 0,
            data: InstData::Unreachable,
            ty: Type::Void,
            value: Value::from_u32(0),
            block: Block::from_u32(0),
        };
        // Made where it stays: it is too large for a small stack.
        let entries = vec![empty; SLOTS].into_boxed_slice().try_into();
        Numbering {
            entries: entries.unwrap_or_else(|_| unreachable!("there are as many entries")),
            addressing: Addressing::Base,
            epoch: 0,
            memory: 0,
            states: 0,
            memory_at_end: Vec::new(),
            replaced: Vec::new(),
            equal_parts: Vec::new(),
            phis: Vec::new(),
            constants: Constants::default(),
            swaps: ByteSwaps::default(),
            forms: Forms { moved_types: &[], complements_operands: false },
            split: None.into(),
            has_rewritten: false,
        }
    }
}

/// Numbers the values of `func`.
pub fn number_values(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    tree: &DominatorTree,
    uses: &mut Uses,
    addressing: Addressing,
    numbering: &mut Numbering,
) -> Changed {
    // The dead would keep their old operands, which may be gone.
    let had_dead = uses.remove_dead(func);
    numbering.addressing = addressing;
    let mut count = numbering.begin(func, uses);
    for &block in tree.rpo() {
        match *cfg.preds(block) {
            [before] => numbering.memory = numbering.memory_at_end[before.index()],
            _ => numbering.change_memory(),
        }
        let mut next = func.layout.first_inst(block);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            let data = func.inst(inst);
            if matches!(data, InstData::Phi { .. }) {
                match numbering.equal_phi(func, block, inst) {
                    Some((result, by)) => {
                        numbering.replace_inst(func, uses, inst, (result, by));
                        count += 1;
                    }
                    None => numbering.phis.push(inst),
                }
                continue;
            }
            if count > 0 {
                numbering.resolve_operands(func, uses, inst);
            }
            if let Some(by) = numbering.visit(func, tree, uses, block, inst)
                && let Some(result) = func.result(inst)
            {
                numbering.replace_inst(func, uses, inst, (result, by));
                count += 1;
            } else if numbering.split.is_some() {
                next = numbering.split.take();
            }
        }
        numbering.memory_at_end[block.index()] = numbering.memory;
    }
    if count > 0 {
        for &phi in &numbering.phis {
            func.map_operands(phi, |value| numbering.resolve(value));
        }
        // Nothing runs in the other blocks, but their text must stay valid.
        for index in 0..func.num_blocks() {
            let block = Block::new(index);
            let mut next = if tree.is_reachable(block) { None } else { func.layout.first_inst(block) };
            while let Some(inst) = next {
                numbering.resolve_operands(func, uses, inst);
                next = func.layout.next_inst(inst);
            }
        }
    }
    if count > 0 || numbering.has_rewritten {
        uses.drop_unused(func);
        return Changed::Instructions;
    }
    Changed::dead(had_dead)
}

/// Whether a lane goes from vector to vector: several of these are one shuffle.
fn is_link(func: &Function, data: &InstData) -> bool {
    matches!(*data, InstData::InsertElement { element, .. } if is_lane(func, element))
}

/// Whether a link alone uses `value`.
fn is_part_of_link(func: &Function, uses: &Uses, value: Value) -> bool {
    uses.known_count(value) == Some(1)
        && uses.last_user(value).is_some_and(|user| is_link(func, func.inst(user)))
}

impl Numbering {
    /// The tables for functions of `module`, whose intrinsics may be called. Short regions of memory are copied and filled by moves
    /// of the types `moved`, from the widest to a byte, wherever they are; not if there are none.
    pub fn of(module: &Module, forms: Forms) -> Numbering {
        Numbering {
            swaps: ByteSwaps::of(module, !forms.moved_types.is_empty()),
            forms,
            ..Numbering::default()
        }
    }

    /// Gives the number of constants that another one stands for.
    fn begin(&mut self, func: &Function, uses: &mut Uses) -> u32 {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            *self = Numbering { epoch: 1, swaps: self.swaps, forms: self.forms, ..Numbering::default() };
        }
        (self.memory, self.states) = (0, 0);
        self.memory_at_end.clear();
        self.memory_at_end.resize(func.num_blocks(), 0);
        self.phis.clear();
        self.has_rewritten = false;
        self.replaced.clear();
        self.equal_parts.clear();
        self.constants.clear();
        let mut count = 0;
        for &constant in func.constants() {
            let older = self.constants.intern(func, constant);
            if older != constant {
                self.replace(func, uses, constant, older);
                count += 1;
            }
        }
        count
    }

    fn change_memory(&mut self) {
        self.states += 1;
        self.memory = self.states;
    }

    /// What stands for `value`. What stands for something is never replaced itself: it was visited before.
    fn resolve(&self, value: Value) -> Value {
        self.replaced.get(value.index()).and_then(|by| by.expand()).unwrap_or(value)
    }

    /// Lets `inst` use what stands for its operands.
    #[inline(always)]
    fn resolve_operands(&self, func: &mut Function, uses: &mut Uses, inst: Inst) {
        if let InstData::Join { .. } = func.inst(inst) {
            return self.resolve_halves(func, uses, inst);
        }
        func.map_operands(inst, |value| self.resolve(value));
    }

    /// The same of two halves, which are one use if they have become one value.
    #[cold]
    #[inline(never)]
    fn resolve_halves(&self, func: &mut Function, uses: &mut Uses, inst: Inst) {
        let before = *func.inst(inst);
        func.map_operands(inst, |value| self.resolve(value));
        if let (InstData::Join { halves: [a, b] }, InstData::Join { halves: [low, high] }) =
            (before, *func.inst(inst))
            && a != b
            && low == high
        {
            uses.withdraw(low);
        }
    }

    fn replace(&mut self, func: &Function, uses: &mut Uses, value: Value, by: Value) {
        if value.index() >= self.replaced.len() {
            self.replaced.resize(func.num_values(), None.into());
        }
        self.replaced[value.index()] = by.into();
        uses.redirect(func, value, by);
    }

    /// Takes `inst` away, whose result is another value.
    #[cold]
    #[inline(never)]
    fn replace_inst(
        &mut self,
        func: &mut Function,
        uses: &mut Uses,
        inst: Inst,
        (result, by): (Value, Value),
    ) {
        self.replace(func, uses, result, by);
        // Operands of a phi may be replaced that it still names.
        func.for_each_operand(inst, |value| uses.withdraw(self.resolve(value)));
        func.layout.remove_inst(inst);
    }

    /// Lets `inst` be another instruction, before which those from number `new` on were made.
    #[cold]
    #[inline(never)]
    fn rewrite(&mut self, func: &mut Function, uses: &mut Uses, inst: Inst, new: usize, data: InstData) {
        uses.withdraw_operands(func, inst);
        *func.inst_mut(inst) = data;
        for made in (new..func.num_insts()).map(Inst::new).chain([inst]) {
            uses.count_new(func, made, inst);
        }
        // What had to stay for its effect, as a division by zero, may be something now that nobody needs.
        func.result(inst).into_iter().for_each(|result| uses.note_if_unused(result));
        self.has_rewritten = true;
    }

    /// The result of `phi` and that of an earlier phi of the same block which is equal to it, if there is one.
    fn equal_phi(&self, func: &Function, block: Block, phi: Inst) -> Option<(Value, Value)> {
        let result = func.result(phi)?;
        let mut earlier = self.phis.iter().rev().take(MAX_PHIS);
        let found = earlier.find_map(|&other| {
            let by = func.result(other)?;
            let is_near = func.layout.block_of(other) == Some(block);
            (is_near && self.are_equal(func, (other, by), (phi, result))).then_some(by)
        });
        Some((result, found?))
    }

    /// Whether two phis of one block, with their results, are equal.
    fn are_equal(&self, func: &Function, a: (Inst, Value), b: (Inst, Value)) -> bool {
        let (&InstData::Phi { incoming: of_a }, &InstData::Phi { incoming: of_b }) =
            (func.inst(a.0), func.inst(b.0))
        else {
            return false;
        };
        let (of_a, of_b) = (func.incoming(of_a), func.incoming(of_b));
        func.value_type(a.1) == func.value_type(b.1)
            && of_a.len() == of_b.len()
            && of_a.len() <= MAX_INCOMING
            && of_a.iter().all(|&(x, from)| {
                // Nearly always both lists have one order.
                let y = of_b.iter().find(|&&(_, other)| other == from);
                y.is_some_and(|&(y, _)| {
                    let step = self.step(func, x, a.1);
                    self.resolve(x) == self.resolve(y) || step.is_some() && step == self.step(func, y, b.1)
                })
            })
    }

    /// The operator and the other operand if `value` is computed of `phi`.
    fn step(&self, func: &Function, value: Value, phi: Value) -> Option<(BinaryOp, Value)> {
        match *func.inst(func.defining_inst(value)?) {
            InstData::Binary { op, args: [a, b] } if a == phi => Some((op, self.resolve(b))),
            InstData::Binary { op, args: [a, b] } if b == phi && op.is_commutative() => {
                Some((op, self.resolve(a)))
            }
            _ => None,
        }
    }

    /// Lets loads and stores copy or fill a short region in the place of `inst`, if they can: they come next.
    #[cold]
    #[inline(never)]
    fn split_region(&mut self, func: &mut Function, uses: &mut Uses, inst: Inst) {
        self.split = split_region(func, uses, &mut self.constants, self.forms.moved_types, inst).into();
        match self.split.is_some() {
            true => self.has_rewritten = true,
            false => self.change_memory(),
        }
    }

    /// A value equal to the result of `inst`, if there is one.
    fn visit(
        &mut self,
        func: &mut Function,
        tree: &DominatorTree,
        uses: &mut Uses,
        block: Block,
        inst: Inst,
    ) -> Option<Value> {
        match *func.inst(inst) {
            InstData::Load { address, .. } => {
                let result = func.result(inst)?;
                let key = InstData::Load { address, align_log2: 0 };
                self.find_or_insert(func, tree, block, key, result)
            }
            InstData::Store { mut address, mut value, .. } => {
                if func.value_type(value) == Type::I8
                    && let Some(whole) = whole_store(func, uses, self.swaps, inst)
                {
                    self.has_rewritten = true;
                    (address, value) = whole;
                }
                self.change_memory();
                // What is stored is what a load would give.
                let key = InstData::Load { address, align_log2: 0 };
                self.insert(slot(&key), func, block, key, value);
                None
            }
            ref data if data.is_computation() => self.visit_pure(func, tree, uses, block, inst),
            ref other => {
                if let InstData::CallIntrinsic {
                    op: Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset,
                    ..
                } = other
                {
                    self.split_region(func, uses, inst);
                } else if other.changes_memory() {
                    self.change_memory();
                }
                None
            }
        }
    }

    fn visit_pure(
        &mut self,
        func: &mut Function,
        tree: &DominatorTree,
        uses: &mut Uses,
        block: Block,
        inst: Inst,
    ) -> Option<Value> {
        let result = func.result(inst)?;
        let ty = func.value_type(result);
        // Every rewriting makes the instruction cheaper or moves a constant outward: few can follow each other.
        for _ in 0..4 {
            let data = *func.inst(inst);
            if let Some(value) = fold(func, &data, ty) {
                return Some(self.constants.intern(func, value));
            }
            let made = func.num_insts();
            let mut rewrite = simplify(func, uses, &mut self.constants, inst);
            if let (None, InstData::Binary { op: BinaryOp::Or, .. }) = (&rewrite, data) {
                let merge = |func: &mut Function| match self.forms.complements_operands {
                    true => None,
                    false => masked_merge(func, uses, inst),
                };
                let whole = whole_load(func, uses, self.swaps, inst);
                rewrite = whole.or_else(|| merge(func)).map(Rewrite::Inst);
            }
            let Some(rewrite) = rewrite else { break };
            let data = match rewrite {
                Rewrite::Value(value) => return Some(value),
                Rewrite::Inst(data) => data,
                Rewrite::Inner { data: inner, with } => {
                    with.with(self.inner(func, tree, block, inst, inner, ty))
                }
            };
            self.rewrite(func, uses, inst, made, data);
        }
        let mut data = canonical(func.inst(inst));
        if let InstData::Binary { op, args } = data
            && op.is_division()
        {
            if let Some(quotient) = self.share_quotient(func, (tree, uses), block, inst, (op, args)) {
                return Some(quotient);
            }
            data = canonical(func.inst(inst));
        }
        if is_link(func, &data)
            || matches!(data, InstData::ExtractElement { .. }) && is_part_of_link(func, uses, result)
        {
            return self.equal_shuffle(func, (tree, uses), block, data, result);
        }
        if let InstData::Cast { op: CastOp::Zext, arg } = data
            && matches!(func.value_type(arg), Type::I8 | Type::I16)
            && let Some(by) = self.share_extension(func, (tree, uses), block, inst, (arg, ty))
        {
            return Some(by);
        }
        self.find_or_insert(func, tree, block, data, result)
    }

    /// Lets the extensions of `arg` with zeros to 32 bits and to 64 be one, that to 64. Gives it if `inst` is that, and it is made where
    /// the other stands.
    #[cold]
    #[inline(never)]
    fn share_extension(
        &mut self,
        func: &mut Function,
        (tree, uses): (&DominatorTree, &mut Uses),
        block: Block,
        inst: Inst,
        (arg, ty): (Value, Type),
    ) -> Option<Value> {
        let key = InstData::Cast { op: CastOp::Zext, arg };
        let made = func.num_insts();
        if ty == Type::I32 {
            let arg = self.find(slot(&key), func, tree, block, &key, Type::I64)?;
            self.rewrite(func, uses, inst, made, InstData::Cast { op: CastOp::Trunc, arg });
            return None;
        }
        let shorter =
            self.find(slot(&key), func, tree, block, &key, Type::I32).filter(|_| ty == Type::I64)?;
        let shorter = func.defining_inst(shorter).filter(|&inst| *func.inst(inst) == key)?;
        let block = func.layout.block_of(shorter)?;
        let arg = self.inner(func, tree, block, shorter, key, Type::I64);
        self.rewrite(func, uses, shorter, made, InstData::Cast { op: CastOp::Trunc, arg });
        Some(arg)
    }

    /// A shuffle equal to the one that ends with `data`, a link or a lane for one, whose result is `result`. Links are told apart by
    /// their lanes and the links below them, but only whole shuffles replace each other: none of their parts may belong to two.
    #[cold]
    #[inline(never)]
    fn equal_shuffle(
        &mut self,
        func: &Function,
        (tree, uses): (&DominatorTree, &Uses),
        block: Block,
        mut data: InstData,
        result: Value,
    ) -> Option<Value> {
        if let InstData::InsertElement { vector, element, .. } = &mut data {
            for part in [vector, element] {
                *part = self.equal_parts.get(part.index()).and_then(|older| older.expand()).unwrap_or(*part);
            }
        }
        let older = self.find_or_insert(func, tree, block, data, result)?;
        if !is_part_of_link(func, uses, result) && !is_part_of_link(func, uses, older) {
            return Some(older);
        }
        if result.index() >= self.equal_parts.len() {
            self.equal_parts.resize(func.num_values(), None.into());
        }
        self.equal_parts[result.index()] = older.into();
        None
    }

    /// Lets a quotient by a constant and the remainder have one division. Gives the quotient if `inst` is that, and it is
    /// made where the remainder stands.
    #[cold]
    #[inline(never)]
    fn share_quotient(
        &mut self,
        func: &mut Function,
        (tree, uses): (&DominatorTree, &mut Uses),
        block: Block,
        inst: Inst,
        (op, args): (BinaryOp, [Value; 2]),
    ) -> Option<Value> {
        let [dividend, divisor] = args;
        func.int_value(divisor)?;
        let ty = func.value_type(dividend);
        let (partner, is_quotient) = match op {
            BinaryOp::Udiv => (BinaryOp::Urem, true),
            BinaryOp::Sdiv => (BinaryOp::Srem, true),
            BinaryOp::Urem => (BinaryOp::Udiv, false),
            _ => (BinaryOp::Sdiv, false),
        };
        let key = InstData::Binary { op: partner, args };
        let found = self.find(slot(&key), func, tree, block, &key, ty)?;
        let made = func.num_insts();
        let (quotient, remainder, block) = match is_quotient {
            false => (found, inst, block),
            true => {
                // What the remainder is in the table it is still, unless a quotient was found for it.
                let remainder = func.defining_inst(found).filter(|&inst| *func.inst(inst) == key)?;
                let block = func.layout.block_of(remainder)?;
                let data = InstData::Binary { op, args };
                (self.inner(func, tree, block, remainder, data, ty), remainder, block)
            }
        };
        let product = InstData::Binary { op: BinaryOp::Mul, args: [quotient, divisor] };
        let product = self.inner(func, tree, block, remainder, product, ty);
        let rest = InstData::Binary { op: BinaryOp::Sub, args: [dividend, product] };
        self.rewrite(func, uses, remainder, made, rest);
        is_quotient.then_some(quotient)
    }

    /// The value of `data`, which the current instruction is about to use: found, or a new instruction
    /// before it.
    fn inner(
        &mut self,
        func: &mut Function,
        tree: &DominatorTree,
        block: Block,
        before: Inst,
        data: InstData,
        ty: Type,
    ) -> Value {
        if let Some(value) = fold(func, &data, ty) {
            return self.constants.intern(func, value);
        }
        let key = canonical(&data);
        let slot = slot(&key);
        if let Some(value) = self.find(slot, func, tree, block, &key, ty) {
            return value;
        }
        let inst = insert(func, before, before, data, ty);
        let value = func.result(inst).expect("the type is not void");
        self.insert(slot, func, block, key, value);
        value
    }

    /// The value of `data`, if it is in the table and of use in `block`. Inlined, for most places have nothing of the function.
    #[inline(always)]
    fn find(
        &self,
        slot: usize,
        func: &Function,
        tree: &DominatorTree,
        block: Block,
        data: &InstData,
        ty: Type,
    ) -> Option<Value> {
        let entry = &self.entries[slot];
        if entry.epoch != self.epoch || entry.ty != ty {
            return None;
        }
        self.value_of(entry, func, tree, block, data)
    }

    /// The value of an entry, if it is that of `data` and of use in `block`.
    #[inline(never)]
    fn value_of(
        &self,
        entry: &Entry,
        func: &Function,
        tree: &DominatorTree,
        block: Block,
        data: &InstData,
    ) -> Option<Value> {
        if entry.data != *data {
            return None;
        }
        let is_usable = match data {
            InstData::Load { .. } => {
                entry.memory == self.memory && (entry.block == block || tree.dominates(entry.block, block))
            }
            _ => {
                entry.block == block
                    || is_worth_register(func, data, self.addressing) && tree.dominates(entry.block, block)
            }
        };
        is_usable.then_some(entry.value)
    }

    #[inline(always)]
    fn find_or_insert(
        &mut self,
        func: &Function,
        tree: &DominatorTree,
        block: Block,
        data: InstData,
        value: Value,
    ) -> Option<Value> {
        let slot = slot(&data);
        let found = self.find(slot, func, tree, block, &data, func.value_type(value));
        if found.is_none() {
            self.insert(slot, func, block, data, value);
        }
        found
    }

    fn insert(&mut self, slot: usize, func: &Function, block: Block, data: InstData, value: Value) {
        let ty = func.value_type(value);
        self.entries[slot] = Entry { epoch: self.epoch, memory: self.memory, data, ty, value, block };
    }
}

/// Where in the table the value of `data` is.
#[inline(always)]
fn slot(data: &InstData) -> usize {
    let mut hasher = FxHasher::default();
    data.hash(&mut hasher);
    (hasher.finish() >> 24) as usize % SLOTS
}
