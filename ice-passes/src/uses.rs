//! How often each value is used, by whom, and which instructions are dead.
//!
//! Two walks: uses are counted forward, then instructions without side effects and without uses are
//! dropped backward, which frees their operands in turn. Layout order need not be dominance order, so a
//! chain that runs against it may keep a dead instruction: harmless. Linear.
//!
//! Requires: a verified function. Preserves: the function.

use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{Function, Inst, InstData, Value};

/// How often a value is used, and the last instruction that does.
#[derive(Clone, Copy, Default)]
struct ValueUses {
    count: u32,
    user: u32,
}

/// Use counts of one function. Reused from function to function.
#[derive(Default)]
pub struct Uses {
    values: Vec<ValueUses>,
    dead: Vec<bool>,
}

impl Uses {
    /// Counts the uses in `func`.
    pub fn compute(&mut self, func: &Function) {
        self.values.clear();
        self.values.resize(func.num_values(), ValueUses::default());
        self.dead.clear();
        self.dead.resize(func.num_insts(), false);
        for block in func.blocks() {
            for inst in func.block_insts(block) {
                func.for_each_operand(inst, |value| {
                    let uses = &mut self.values[value.index()];
                    uses.count += 1;
                    uses.user = inst.as_u32();
                });
            }
        }
        let mut block = func.blocks().last();
        while let Some(b) = block {
            let mut inst = func.layout.last_inst(b);
            while let Some(i) = inst {
                self.drop_if_dead(func, i);
                inst = func.layout.prev_inst(i);
            }
            block = func.layout.prev_block(b);
        }
    }

    fn drop_if_dead(&mut self, func: &Function, inst: Inst) {
        let Some(result) = func.result(inst) else { return };
        if self.values[result.index()].count == 0 && !func.inst(inst).has_side_effects() {
            self.dead[inst.index()] = true;
            func.for_each_operand(inst, |value| self.values[value.index()].count -= 1);
        }
    }

    /// Number of uses by live instructions; one instruction may count several times.
    pub fn count(&self, value: Value) -> u32 {
        self.values[value.index()].count
    }

    /// True where nothing would change without `inst`.
    pub fn is_dead(&self, inst: Inst) -> bool {
        self.dead[inst.index()]
    }

    /// The instruction that holds the only use of `value`, if it is in the same block as `def` and is not
    /// a phi.
    pub fn only_user_in_block(&self, func: &Function, def: Inst, value: Value) -> Option<Inst> {
        let ValueUses { count, user } = self.values[value.index()];
        if count != 1 {
            return None;
        }
        let user = Inst::from_u32(user);
        (!self.is_dead(user)
            && func.layout.block_of(user) == func.layout.block_of(def)
            && !matches!(func.inst(user), InstData::Phi { .. }))
        .then_some(user)
    }
}
