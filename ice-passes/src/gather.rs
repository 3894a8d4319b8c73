//! What ends two values is computed as soon as both are there.
//!
//! An operation whose operands nobody else needs leaves one value in place of two. Front ends and optimisers put the terms of a
//! long sum first and then add them up, so that each term waits in a register, or in memory where there are no more. Behind the
//! later of its operands the operation needs no more than they did (Sethi and Ullman, *The Generation of Optimal Code for
//! Arithmetic Expressions*, 1970, for trees; the order of the terms stays). Operands that are near anyway are left where they are:
//! machines that execute in order wait less.
//!
//! Requires: exact use counts. Preserves: the order of side effects; nothing else than the operation moves. Cost: constant.

use ice_ir::{Function, Inst, InstData, Uses};

/// An operation this many instructions behind its operands, or less, stays.
pub(crate) const NEAR: u32 = 3;
/// Most instructions that an operation passes.
const FAR: u32 = 100;

/// Moves `inst`, an operation without side effects, up to the later of its two operands, if it ends both. Whether it did.
pub(crate) fn gather(func: &mut Function, uses: &Uses, inst: Inst) -> bool {
    let InstData::Binary { args: [a, b], .. } = *func.inst(inst) else { return false };
    if a == b || uses.count_if_known(a) != 1 || uses.count_if_known(b) != 1 {
        return false;
    }
    let block = func.layout.block_of(inst);
    let [a, b] = [a, b].map(|arg| func.defining_inst(arg).filter(|&def| func.layout.block_of(def) == block));
    if a.is_none() || b.is_none() {
        return false;
    }
    let mut first = inst;
    for distance in 0..FAR {
        let prev = func.layout.prev_inst(first);
        let is_phi = |def| matches!(func.inst(def), InstData::Phi { .. });
        if prev.is_none_or(is_phi) {
            return false;
        }
        if prev == a || prev == b {
            // Nothing comes between a call and its second result.
            let moves = distance >= NEAR && !func.inst(first).is_further_result();
            if moves {
                func.layout.remove_inst(inst);
                func.layout.insert_before(first, inst);
            }
            return moves;
        }
        first = prev.unwrap_or(first);
    }
    false
}
