//! How often each value is used, by whom, and which instructions are dead.
//!
//! One walk counts the uses. Instructions without side effects and without uses are then dropped, which frees their operands
//! in turn: those are worked off from a list, which is mostly empty. Linear.
//!
//! A pass that changes few instructions of many keeps the counts, in place of another walk: it [withdraws](Uses::withdraw) the
//! uses of what goes away or becomes something else, and [counts](Uses::count_new) those of what it makes.
//!
//! Requires: a verified function. Preserves: the function.

use crate::layout::InstNode;
use crate::vectors::{is_half, is_lane};
use crate::{CastOp, Function, Inst, InstData, Intrinsic, Type, Value};
use alloc::vec::Vec;
use cranelift_entity::EntityRef;

/// How often a value is used, and the last instruction that does; and the types that are loaded or stored there, one bit
/// each, beside [`WIDENED`], [`MERGED`], [`OTHERWISE`], [`ATOMIC`] and [`TAKEN_APART`].
#[derive(Clone, Copy, Default)]
struct ValueUses {
    count: u32,
    user: u32,
    accessed: u32,
}

/// Set where an instruction may ask for more of a value than the bits of its type.
const WIDENED: u32 = 1 << 31;

/// Set where a phi uses the value.
const MERGED: u32 = 1 << 30;

/// Set where an instruction, which may be dead, uses the value otherwise than as the address of a load or store, as a lane that goes
/// from vector to vector, or as a half of a vector whose lanes are taken out.
const OTHERWISE: u32 = 1 << 29;

/// Set where an atomic load or store uses the value as its address.
const ATOMIC: u32 = 1 << 28;

/// Set where lanes are taken out of the value, which is a half of a vector, or where it is taken for a vector of other lanes.
const TAKEN_APART: u32 = 1 << 27;

const _: () = assert!(Type::ALL.len() <= 27);

/// Use counts of one function. Reused from function to function.
#[derive(Default)]
pub struct Uses {
    values: Vec<ValueUses>,
    /// The dead instructions, in the order in which they were found.
    dead: Vec<Inst>,
    /// By instruction, whether it is one of them; empty if there is none.
    is_dead: Vec<bool>,
    /// Values that have lost their last use since, or had none, some of which may have got others.
    unused: Vec<Value>,
}

impl Uses {
    /// Counts the uses in `func`. Not inlined, so that its values have the registers.
    #[inline(never)]
    pub fn compute(&mut self, func: &Function) {
        let count = func.num_values();
        self.values.clear();
        if self.values.capacity() < count {
            // What was there need not be copied; passes make some values more.
            self.values = Vec::with_capacity(count + count / 8);
        }
        self.values.resize(count, ValueUses::default());
        self.dead.clear();
        self.is_dead.clear();
        self.unused.clear();
        let values = &mut self.values[..];
        let mut block = func.layout.entry();
        while let Some(b) = block {
            let mut inst = func.layout.first_inst(b);
            while let Some(i) = inst {
                let node = func.layout.inst(i);
                count_operands::<Last>(values, func, i, node);
                inst = node.next();
            }
            block = func.layout.next_block(b);
        }
        for (index, uses) in self.values.iter().enumerate() {
            if uses.count == 0 {
                self.dead.extend(removable(func, Value::new(index)));
            }
        }
        self.take_back(func, 0);
    }

    /// Takes back what the dead use, from the one at place `at` of their list on, and finds those that are dead then.
    fn take_back(&mut self, func: &Function, mut at: usize) {
        let Uses { values, dead, is_dead, .. } = self;
        if !dead.is_empty() {
            is_dead.resize(func.num_insts(), false);
        }
        while let Some(&inst) = dead.get(at) {
            at += 1;
            is_dead[inst.index()] = true;
            func.for_each_operand(inst, |value| {
                let uses = &mut values[value.index()];
                uses.count -= 1;
                if uses.count == 0 {
                    dead.extend(removable(func, value));
                }
            });
        }
    }

    /// Takes the dead out of their blocks, but not from behind their call: so that uses which do not count may be
    /// neither left behind nor passed by. Whether there was any to take out.
    #[inline]
    pub fn remove_dead(&self, func: &mut Function) -> bool {
        let mut any = false;
        for &inst in &self.dead {
            let stays = func.inst(inst).is_further_result();
            if !stays && func.layout.block_of(inst).is_some() {
                func.layout.remove_inst(inst);
                any = true;
            }
        }
        any
    }

    /// Counts what `inst` uses, which is new in front of `at`, or is that and has become another instruction. From then on the
    /// last user of a value is a guess: the numbers of instructions say who is later, of which the new one has that of `at`,
    /// and what has become another instruction may still be taken for a user.
    #[inline(never)]
    pub fn count_new(&mut self, func: &Function, inst: Inst, at: Inst) {
        self.values.resize(func.num_values(), ValueUses::default());
        count_operands::<Later>(&mut self.values, func, at, func.layout.inst(inst));
    }

    /// Counts all uses of `value` as uses of `by`, which takes its place.
    pub fn redirect(&mut self, func: &Function, value: Value, by: Value) {
        self.values.resize(func.num_values(), ValueUses::default());
        let ValueUses { count, user, accessed } = core::mem::take(&mut self.values[value.index()]);
        if count > 0 {
            let uses = &mut self.values[by.index()];
            uses.user = Later::of(*uses, user);
            uses.count += count;
            uses.accessed |= accessed;
        }
    }

    /// Whether the counts are those of `func`, and the same is dead: for tests and debug builds, since that counts anew.
    pub fn hold_for(&self, func: &Function) -> bool {
        let mut new = Uses::default();
        new.compute(func);
        let count = |uses: &Uses, value| uses.known_count(value).unwrap_or(0);
        let mut values = (0..func.num_values()).map(Value::new);
        let mut insts = func.blocks().flat_map(|block| func.block_insts(block));
        values.all(|value| count(self, value) == count(&new, value))
            && insts.all(|inst| self.is_dead_if_known(inst) == new.is_dead(inst))
    }

    /// Takes back one use of `value`, of those that were counted.
    pub fn withdraw(&mut self, value: Value) {
        let uses = &mut self.values[value.index()];
        uses.count -= 1;
        if uses.count == 0 {
            self.unused.push(value);
        }
    }

    /// Lets [`Self::drop_unused`] look at `value`, if it has no use.
    pub fn note_if_unused(&mut self, value: Value) {
        if self.known_count(value) == Some(0) {
            self.unused.push(value);
        }
    }

    /// Takes back what `inst` uses, before it goes away or becomes another instruction.
    pub fn withdraw_operands(&mut self, func: &Function, inst: Inst) {
        func.for_each_operand(inst, |value| self.withdraw(value));
    }

    /// Finds the dead among what has lost its last use, and takes back what they use.
    pub fn drop_unused(&mut self, func: &Function) {
        let at = self.dead.len();
        let Uses { values, unused, dead, is_dead } = self;
        is_dead.resize(func.num_insts(), false);
        for value in unused.drain(..).filter(|value| values[value.index()].count == 0) {
            // It may have lost its last use twice.
            dead.extend(
                removable(func, value).filter(|inst| !core::mem::replace(&mut is_dead[inst.index()], true)),
            );
        }
        self.take_back(func, at);
    }

    /// Number of uses by live instructions; one instruction may count several times.
    #[inline]
    pub fn count(&self, value: Value) -> u32 {
        self.values[value.index()].count
    }

    /// Notes one use more by an instruction that uses it already.
    pub fn add(&mut self, value: Value) {
        let uses = &mut self.values[value.index()];
        uses.count += 1;
        uses.accessed |= OTHERWISE;
    }

    /// Notes that the last instruction in layout order that uses `value` is `user`.
    pub fn set_last_user(&mut self, value: Value, user: Inst) {
        self.values[value.index()].user = user.as_u32();
    }

    /// Notes that an instruction may ask for bits of `value` that its type does not have.
    pub fn set_widened(&mut self, value: Value) {
        self.values[value.index()].accessed |= WIDENED;
    }

    /// Whether every use of `value` is as the address of a load or store, or, if it is a lane taken out of a
    /// vector, as the lane of another, or, if it is a half of a vector, to take lanes out.
    #[inline]
    pub fn is_only_address(&self, value: Value) -> bool {
        self.values[value.index()].accessed & (OTHERWISE | ATOMIC) == 0
    }

    /// As [`Self::is_only_address`], where that may be of atomic loads and stores, too.
    #[inline]
    pub fn is_only_address_of_any(&self, value: Value) -> bool {
        self.values[value.index()].accessed & OTHERWISE == 0
    }

    /// Whether every use of `value` is as an address, and there is one; false for a value younger than the counts.
    pub fn is_only_address_if_known(&self, value: Value) -> bool {
        self.values
            .get(value.index())
            .is_some_and(|uses| uses.count > 0 && uses.accessed & (OTHERWISE | ATOMIC) == 0)
    }

    /// Whether lanes are taken out of `value`, a half of a vector, or it is taken for a vector of other lanes.
    pub fn is_taken_apart(&self, value: Value) -> bool {
        self.values.get(value.index()).is_none_or(|uses| uses.accessed & TAKEN_APART != 0)
    }

    /// The types of all loads and stores at the address `value`, each once, perhaps also those of dead loads.
    pub fn accessed(&self, value: Value) -> impl Iterator<Item = Type> + use<> {
        let mut left =
            self.values[value.index()].accessed & !(WIDENED | MERGED | OTHERWISE | ATOMIC | TAKEN_APART);
        core::iter::from_fn(move || {
            let ty = Type::ALL.get(left.trailing_zeros() as usize).copied();
            left &= left.wrapping_sub(1);
            ty
        })
    }

    /// Number of uses by live instructions of a value that may be younger than the counts: those have one use.
    pub fn count_if_known(&self, value: Value) -> u32 {
        self.known_count(value).unwrap_or(1)
    }

    /// Number of uses by live instructions; `None` of a value that is younger than the counts.
    pub fn known_count(&self, value: Value) -> Option<u32> {
        self.values.get(value.index()).map(|uses| uses.count)
    }

    /// Whether an instruction may ask for bits of the register of an integer that its type does not have: all but
    /// operations in its own type, selects, counts and swaps of its bits, comparisons, truncations, sign extension, stores,
    /// calls and returns; and for values that may be younger than the counts.
    pub fn is_widened(&self, value: Value) -> bool {
        self.values.get(value.index()).is_none_or(|uses| uses.accessed & WIDENED != 0)
    }

    /// True where nothing would change without `inst`, which may be younger than the counts: those are alive.
    #[inline]
    pub fn is_dead_if_known(&self, inst: Inst) -> bool {
        self.is_dead.get(inst.index()).copied().unwrap_or(false)
    }

    /// True where nothing would change without `inst`.
    #[inline]
    pub fn is_dead(&self, inst: Inst) -> bool {
        self.is_dead_if_known(inst)
    }

    /// The instruction that holds the only use of `value`, if it is in the same block as `def` and is not
    /// a phi.
    #[inline]
    pub fn only_user_in_block(&self, func: &Function, def: Inst, value: Value) -> Option<Inst> {
        if self.values[value.index()].count == 1 { self.last_user_in_block(func, def, value) } else { None }
    }

    /// The last instruction in layout order that uses `value`, unless that is dead.
    #[inline]
    pub fn last_user(&self, value: Value) -> Option<Inst> {
        let ValueUses { count, user, .. } = self.values[value.index()];
        let user = Inst::from_u32(user);
        (count != 0 && !self.is_dead(user)).then_some(user)
    }

    /// Whether `user` is the last that needs `value`, a result of its block or a phi, as far as is known without
    /// liveness: no phi takes the value along, and nothing behind `user` in layout order uses it.
    pub fn ends_at(&self, func: &Function, value: Value, user: Inst) -> bool {
        let is_merged = self.values[value.index()].accessed & MERGED != 0;
        self.last_user(value) == Some(user)
            && !is_merged
            && func.defining_inst(value).is_some_and(|def| {
                let is_near = func.layout.block_of(def) == func.layout.block_of(user);
                is_near || matches!(func.inst(def), InstData::Phi { .. })
            })
    }

    /// The last instruction in layout order that uses `value`, if it is in the same block as `def` and is
    /// not a phi.
    #[inline]
    pub fn last_user_in_block(&self, func: &Function, def: Inst, value: Value) -> Option<Inst> {
        let user = self.last_user(value)?;
        let node = func.layout.inst(user);
        (node.block() == func.layout.block_of(def) && !matches!(node.data(), InstData::Phi { .. }))
            .then_some(user)
    }
}

/// The instruction in a block that defines `value`, if it is dead when nobody uses that.
fn removable(func: &Function, value: Value) -> Option<Inst> {
    let inst = func.defining_inst(value)?;
    let node = func.layout.inst(inst);
    (node.block().is_some() && !node.data().has_side_effects()).then_some(inst)
}

/// Which of two users is noted.
trait Which {
    /// The one of those that are counted, or `user`.
    fn of(uses: ValueUses, user: u32) -> u32;
}

/// The one that comes last in a walk.
struct Last;

impl Which for Last {
    #[inline(always)]
    fn of(_: ValueUses, user: u32) -> u32 {
        user
    }
}

/// The one whose number is larger.
struct Later;

impl Which for Later {
    #[inline(always)]
    fn of(uses: ValueUses, user: u32) -> u32 {
        if uses.count == 0 { user } else { uses.user.max(user) }
    }
}

/// Counts what the instruction of `node`, which is `inst`, uses.
#[inline(always)]
fn count_operands<W: Which>(values: &mut [ValueUses], func: &Function, inst: Inst, node: &InstNode) {
    match *node.data() {
        InstData::Load { address, .. } => {
            note_access::<W>(values, func, inst, address, node.result().unwrap_or(address));
        }
        InstData::Store { address, value, .. } => {
            note_access::<W>(values, func, inst, address, value);
            note::<W>(values, inst, value).accessed |= OTHERWISE;
        }
        ref data @ InstData::InsertElement { .. } => note_insertion::<W>(values, func, inst, data),
        InstData::ExtractElement { vector, index } => {
            note_half::<W>(values, func, inst, vector);
            note::<W>(values, inst, index).accessed |= WIDENED | OTHERWISE;
        }
        InstData::Cast { op: CastOp::Bitcast, arg } => note_half::<W>(values, func, inst, arg),
        ref data @ InstData::CallIntrinsic { op: Intrinsic::AtomicLoad | Intrinsic::AtomicStore, .. } => {
            note_atomic::<W>(values, func, inst, data);
        }
        // The same for all; where a frequent kind stands by itself, what is done for it is known when this is compiled.
        ref data @ (InstData::Binary { .. } | InstData::Icmp { .. }) => {
            note_all::<W>(values, func, inst, data)
        }
        ref data @ InstData::Phi { .. } => note_all::<W>(values, func, inst, data),
        ref data @ InstData::Call { .. } => note_all::<W>(values, func, inst, data),
        ref data @ InstData::CondBr { .. } => note_all::<W>(values, func, inst, data),
        ref data @ InstData::Br { .. } => note_all::<W>(values, func, inst, data),
        ref data => note_all::<W>(values, func, inst, data),
    }
}

/// Counts what `user`, which does this, uses, in one way for all operands.
#[inline(always)]
fn note_all<W: Which>(values: &mut [ValueUses], func: &Function, user: Inst, data: &InstData) {
    let marks = match data {
        InstData::Phi { .. } => WIDENED | MERGED | OTHERWISE,
        data if keeps_to_widths(data) => OTHERWISE,
        _ => WIDENED | OTHERWISE,
    };
    func.for_each_operand_of(data, |value| note::<W>(values, user, value).accessed |= marks);
}

/// Whether the instruction asks for no bits of its operands but those of their types.
#[inline(always)]
fn keeps_to_widths(data: &InstData) -> bool {
    match *data {
        InstData::Cast { op, .. } => {
            matches!(op, CastOp::Trunc | CastOp::Sext | CastOp::Sitofp | CastOp::Uitofp)
        }
        InstData::CallIntrinsic { op, .. } => {
            matches!(op, Intrinsic::Bswap | Intrinsic::Ctlz | Intrinsic::Cttz | Intrinsic::Ctpop)
        }
        InstData::Binary { .. }
        | InstData::Select { .. }
        | InstData::Icmp { .. }
        | InstData::Call { .. }
        | InstData::CallIndirect { .. }
        | InstData::CallAs { .. }
        | InstData::Invoke { .. }
        | InstData::Ret { .. }
        | InstData::RetPair { .. } => true,
        _ => false,
    }
}

#[inline(always)]
fn note<W: Which>(values: &mut [ValueUses], user: Inst, value: Value) -> &mut ValueUses {
    let uses = &mut values[value.index()];
    uses.user = W::of(*uses, user.as_u32());
    uses.count += 1;
    uses
}

/// Notes that `user` loads or stores `value` at `address`.
#[inline(always)]
fn note_access<W: Which>(
    values: &mut [ValueUses],
    func: &Function,
    user: Inst,
    address: Value,
    value: Value,
) {
    let uses = note::<W>(values, user, address);
    uses.accessed |= 1 << func.value_type(value) as u32;
}

/// Notes what an atomic load or store uses.
#[cold]
#[inline(never)]
fn note_atomic<W: Which>(values: &mut [ValueUses], func: &Function, user: Inst, data: &InstData) {
    let &InstData::CallIntrinsic { op, args, .. } = data else { return };
    let address = usize::from(op == Intrinsic::AtomicStore);
    for (n, &value) in func.args(args).iter().enumerate() {
        note::<W>(values, user, value).accessed |= if n == address { ATOMIC } else { WIDENED | OTHERWISE };
    }
}

/// Notes that `user` takes a lane out of `vector`, or takes it for a vector of other lanes: of a half that counts as little as a lane
/// that goes on.
#[cold]
#[inline(never)]
fn note_half<W: Which>(values: &mut [ValueUses], func: &Function, user: Inst, vector: Value) {
    let mark = if is_half(func, vector) { TAKEN_APART } else { OTHERWISE };
    note::<W>(values, user, vector).accessed |= WIDENED | mark;
}

/// Notes what an insertion into a vector uses: a lane of another vector is a lane still.
#[cold]
#[inline(never)]
fn note_insertion<W: Which>(values: &mut [ValueUses], func: &Function, user: Inst, data: &InstData) {
    let &InstData::InsertElement { element, .. } = data else { return };
    let is_lane = is_lane(func, element);
    func.for_each_operand_of(data, |value| {
        let mark = if is_lane && value == element { 0 } else { OTHERWISE };
        note::<W>(values, user, value).accessed |= WIDENED | mark;
    });
}
