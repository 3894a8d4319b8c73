//! Loop variables that only count for themselves go away.
//!
//! A phi at the head of a loop and what computes its next value use each other, so that counts of uses never find them
//! dead: `i` in a loop whose exit depends on a pointer. Most phis have a use that leads to a side effect, to a branch
//! or out of the loop in a few steps along the last users, which ends the question. For the rest a set is grown
//! backwards from the phi: what computes its operands inside the loop, without side effects. What is used outside the
//! set is taken out of it again, with consequences; if the phi stays, the whole set is used by itself alone.
//!
//! Requires: a verified function, its loop forest and use counts. Preserves: blocks, terminators, side effects; counts of
//! uses are too high afterwards. Linear: a set has a bounded size.

use crate::changed::Changed;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{Block, Function, Inst, InstData, LoopForest, Uses, Value};

/// Steps along last users before a set is grown.
const STEPS: u32 = 24;

/// The largest set.
const LARGEST: usize = 64;

/// Memory of the pass. Reused from function to function.
#[derive(Default)]
pub struct CycleScratch {
    /// The set: instructions with their results.
    members: Vec<(Inst, Value)>,
    /// By member: uses by other members and itself.
    inner_uses: Vec<u32>,
    /// What goes away, and by instruction whether it does; the second is empty while nothing does.
    dead: Vec<Inst>,
    is_dead: Vec<bool>,
}

/// Removes cycles of instructions that nobody else uses.
pub fn remove_dead_cycles(
    func: &mut Function,
    loops: &LoopForest,
    uses: &Uses,
    scratch: &mut CycleScratch,
) -> Changed {
    scratch.dead.clear();
    scratch.is_dead.clear();
    if loops.num_loops() == 0 {
        return Changed::Nothing;
    }
    for header in loops.headers() {
        for phi in func.block_insts(header) {
            if !matches!(func.inst(phi), InstData::Phi { .. }) {
                break;
            }
            if may_be_dead(func, (loops, header), uses, phi)
                && !scratch.is_dead.get(phi.index()).is_some_and(|&is_dead| is_dead)
                && scratch.grow(func, loops, phi)
                && scratch.is_closed(func, uses)
            {
                scratch.take_members(func.num_insts());
            }
        }
    }
    if !scratch.dead.is_empty() {
        // What was dead before may use what is found now.
        uses.remove_dead(func);
        scratch.dead.iter().for_each(|&inst| func.layout.remove_inst(inst));
    }
    Changed::instructions(!scratch.dead.is_empty())
}

/// Whether the last users of a phi of `header`, and theirs, have no side effect and do not leave the loop, as far as is looked.
fn may_be_dead(func: &Function, (loops, header): (&LoopForest, Block), uses: &Uses, phi: Inst) -> bool {
    let mut inst = phi;
    for _ in 0..STEPS {
        let Some(value) = func.result(inst) else { return false };
        // Behind a dead last user may be others.
        let Some(user) = uses.last_user(value) else { return uses.count(value) > 0 };
        if !is_removable(func, user) {
            return false;
        }
        if user == phi {
            break;
        }
        if !func.layout.block_of(user).is_some_and(|block| loops.contains(header, block)) {
            return false;
        }
        inst = user;
    }
    true
}

/// Whether nothing happens without `inst` but that its result is missing.
fn is_removable(func: &Function, inst: Inst) -> bool {
    let data = func.inst(inst);
    func.result(inst).is_some() && !data.has_side_effects() && !data.is_further_result()
}

impl CycleScratch {
    fn contains(&self, inst: Inst) -> bool {
        self.members.iter().any(|&(member, _)| member == inst)
    }

    /// Notes that the members of the set go away, in a function of so many instructions.
    fn take_members(&mut self, num_insts: usize) {
        self.is_dead.resize(num_insts, false);
        for &(member, _) in &self.members {
            self.dead.push(member);
            self.is_dead[member.index()] = true;
        }
    }

    /// Makes the set of what computes the phi in its loop; false if it is too large.
    fn grow(&mut self, func: &Function, loops: &LoopForest, phi: Inst) -> bool {
        let (Some(header), Some(result)) = (func.layout.block_of(phi), func.result(phi)) else {
            return false;
        };
        self.members.clear();
        self.members.push((phi, result));
        let mut at = 0;
        while let Some(&(inst, _)) = self.members.get(at) {
            func.for_each_operand(inst, |value| {
                if let Some(def) = func.defining_inst(value)
                    && func.layout.block_of(def).is_some_and(|block| loops.contains(header, block))
                    && is_removable(func, def)
                    && self.members.len() <= LARGEST
                    && !self.contains(def)
                {
                    self.members.push((def, value));
                }
            });
            at += 1;
        }
        self.members.len() <= LARGEST
    }

    /// Takes out of the set what is used outside of it, until nothing is or the phi, its first member, is out.
    fn is_closed(&mut self, func: &Function, uses: &Uses) -> bool {
        self.inner_uses.clear();
        self.inner_uses.resize(self.members.len(), 0);
        for n in 0..self.members.len() {
            self.count(func, n, |uses| *uses += 1);
        }
        while let Some(n) =
            (0..self.members.len()).find(|&n| self.inner_uses[n] < uses.count(self.members[n].1))
        {
            if n == 0 {
                return false;
            }
            self.count(func, n, |uses| *uses -= 1);
            self.members.swap_remove(n);
            self.inner_uses.swap_remove(n);
        }
        true
    }

    /// Changes the count of each member that member `n` uses, once for each use.
    fn count(&mut self, func: &Function, n: usize, change: impl Fn(&mut u32)) {
        func.for_each_operand(self.members[n].0, |value| {
            if let Some(used) = self.members.iter().position(|&(_, result)| result == value) {
                change(&mut self.inner_uses[used]);
            }
        });
    }
}
