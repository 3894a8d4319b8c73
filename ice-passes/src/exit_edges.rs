//! What a loop computes for its exits alone is computed on the edges that leave it.
//!
//! Where a search ends, the place behind what was found goes to a phi behind the loop: `i + 1`, computed in each turn and needed
//! in the last one. Such a value whose only uses are phis on edges out of its loop is computed there, in blocks of their own, which
//! take the place of those that the moves for the phis would need. It may depend on one value that is no constant, so that no more
//! registers are needed for it in the loop.
//!
//! Requires: a verified function, its loop forest and use counts, which may be too small. Preserves: the order of side effects; adds
//! blocks, and leaves the originals for [`Uses`] to find dead. Linear in phis and edges.

use crate::changed::Changed;
use crate::insert::insert;
use crate::split::split_edge;
use alloc::vec::Vec;
use ice_ir::{Block, Function, Inst, InstData, LoopForest, SwitchKey, Uses, Value};

/// A value that a phi of `to` gets on an edge out of the loop that `from` is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leaving {
    pub(crate) value: Value,
    pub(crate) from: Block,
    to: Block,
    phi: Inst,
}

/// Vectors of this. Reused from function to function.
#[derive(Default)]
pub(crate) struct ExitEdges {
    leaving: Vec<Leaving>,
    /// Edges that have got a block.
    edges: Vec<(Block, Block, Block)>,
}

/// Most blocks that are put on edges of one function.
const MAX_EDGES: usize = 64;

/// Most edges into a block whose phis are looked at.
const MAX_INCOMING: usize = 256;

/// Calls `f` with each value that a phi gets by an edge out of a loop.
pub(crate) fn for_each_leaving(func: &Function, loops: &LoopForest, mut f: impl FnMut(Leaving)) {
    for to in func.blocks() {
        let leaves = |&(_, from): &(Value, Block)| {
            loops.depth(from) > loops.depth(to) && loops.largest_without(from, to).is_some()
        };
        let mut next = func.layout.first_inst(to);
        while let Some(phi) = next
            && let &InstData::Phi { incoming } = func.inst(phi)
            && incoming.len() <= MAX_INCOMING
        {
            let mut any = false;
            for &(value, from) in func.incoming(incoming).iter().filter(|edge| leaves(edge)) {
                any = true;
                f(Leaving { value, from, to, phi });
            }
            // All phis of a block have the same edges.
            next = func.layout.next_inst(phi).filter(|_| any);
        }
    }
}

impl ExitEdges {
    /// Computes on edges what only they need.
    pub(crate) fn sink(&mut self, func: &mut Function, loops: &mut LoopForest, uses: &Uses) -> Changed {
        let ExitEdges { leaving, edges } = self;
        leaving.clear();
        edges.clear();
        for_each_leaving(func, loops, |one| {
            if func.defining_inst(one.value).is_some_and(|def| may_leave(func, loops, def, one.from)) {
                leaving.push(one);
            }
        });
        leaving.sort_unstable();
        for group in leaving.chunk_by(|a, b| a.value == b.value) {
            let value = group[0].value;
            let is_all = uses.count_if_known(value) as usize == group.len();
            let may_split = group.iter().all(|one| ends_plainly(func, one.from));
            let Some(def) = func.defining_inst(value) else { continue };
            if !is_all || !may_split || edges.len() + group.len() > MAX_EDGES {
                continue;
            }
            for same in group.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)) {
                let edge = edge(func, loops, edges, (same[0].from, same[0].to));
                let Some(jump) = func.layout.last_inst(edge) else { continue };
                let copy = insert(func, jump, def, *func.inst(def), func.value_type(value));
                let Some(copy) = func.result(copy) else { continue };
                for one in same {
                    let &InstData::Phi { incoming } = func.inst(one.phi) else { continue };
                    let own = func.incoming_mut(incoming).iter_mut().find(|(_, from)| *from == edge);
                    own.into_iter().for_each(|(value, _)| *value = copy);
                }
            }
        }
        if edges.is_empty() { Changed::Nothing } else { Changed::KeptLoops }
    }
}

/// Whether `def`, of the loop that `from` is in, computes something of one value at most that is no constant, and cheaply.
fn may_leave(func: &Function, loops: &LoopForest, def: Inst, from: Block) -> bool {
    let is_cheap = match *func.inst(def) {
        InstData::Binary { op, .. } => !op.is_division(),
        InstData::Cast { .. } | InstData::Icmp { .. } => true,
        _ => false,
    };
    let mut variables = 0;
    func.for_each_operand(def, |operand| variables += u32::from(!func.is_constant(operand)));
    let in_loop = |block: Option<Block>| block.and_then(|block| loops.innermost(block));
    is_cheap && variables == 1 && in_loop(func.layout.block_of(def)) == loops.innermost(from)
}

/// Whether a block can be put on each edge from `block`.
fn ends_plainly(func: &Function, block: Block) -> bool {
    match func.terminator(block) {
        Some(InstData::CondBr { .. }) => true,
        Some(&InstData::Switch { table, .. }) => func.switch(table).key != SwitchKey::Label,
        _ => false,
    }
}

/// The block on an edge, which is made if there is none yet.
fn edge(
    func: &mut Function,
    loops: &mut LoopForest,
    edges: &mut Vec<(Block, Block, Block)>,
    (from, to): (Block, Block),
) -> Block {
    if let Some(&(_, _, edge)) = edges.iter().find(|known| (known.0, known.1) == (from, to)) {
        return edge;
    }
    let innermost = loops.common(from, to);
    let edge = split_edge(func, from, to);
    loops.add_block(edge, innermost);
    edges.push((from, to, edge));
    edge
}
