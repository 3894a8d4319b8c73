//! Constants that loops keep in registers.
//!
//! On a machine whose instructions carry small constants only, an address or a large number costs one to three
//! instructions wherever it is used. What a loop uses is therefore made once, before the loop: the outermost
//! loop that can hold it takes it, the heaviest constants first, a use weighing what it saves times 8 for each
//! level of depth. Registers are few: a loop holds at most `MAX_CORE` numbers and addresses and
//! `MAX_FLOAT` floating-point constants; what is left over is tried again for the loops inside. (Muchnick,
//! *Advanced Compiler Design and Implementation*, 13.2, for constants; LLVM does it in MachineLICM.)
//!
//! The constant is made at the end of the nearest block that dominates the loop's header and is in fewer loops.
//! Lowering asks for it by its [`Constant`] wherever it would make it anew ([`Lower::held`]).
//!
//! Requires: a verified function, its loop forest and, where loops use any such constant, its dominator tree. Preserves: the
//! function.
//! Cost: for each of at most `MAX_DEPTH` depths a walk over the headers of loops and a sort of the constants that
//! loops use.
//!
//! [`Lower::held`]: crate::Lower::held

use crate::mach::VReg;
use alloc::vec::Vec;
use core::cmp::Ordering;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::{Block, DominatorTree, Function, Inst, LoopForest, Type, Value};

/// Most numbers and addresses that a loop holds for itself.
const MAX_CORE: usize = 6;
/// Most floating-point constants that a loop holds for itself.
const MAX_FLOAT: usize = 8;
/// Depth from which on uses weigh the same, and the deepest loops that hold anything: what is left for a deeper one has
/// [`MAX_CORE`] rivals in each of the loops around, more than there are registers.
const MAX_DEPTH: u32 = 6;
/// Most dominators of a header that are asked whether they are in fewer loops: the register of a constant that is
/// made further away is wanted by others on the way.
const MAX_DISTANCE: usize = 64;

/// A constant that an instruction needs in a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Constant {
    /// A number of up to 32 bits that lowering makes.
    Word(u32),
    /// One of 64 bits, where registers have as many.
    Wide(u64),
    /// A constant of the function: an address, a floating-point number.
    Value(Value),
}

/// A use in a loop.
#[derive(Clone, Copy)]
struct Use {
    block: Block,
    constant: Constant,
    weight: u32,
    /// The loop that is tried at the moment; `None` once one has taken the constant.
    header: PackedOption<Block>,
}

/// A constant that a loop holds.
#[derive(Clone, Copy)]
struct Entry {
    header: Block,
    constant: Constant,
    weight: u32,
    /// Where it is made.
    place: Block,
    /// Made on first use.
    reg: PackedOption<VReg>,
}

/// The constants that the loops of one function hold. Reused from function to function.
#[derive(Default)]
pub struct HeldConstants {
    uses: Vec<Use>,
    entries: Vec<Entry>,
    /// Candidates of the present depth.
    candidates: Vec<Entry>,
    /// Where entries are made, by block.
    places: Vec<(Block, u32)>,
    /// Of every block the smallest loop around it that holds something and whose header dominates it, and of a
    /// header the smallest such one around its loop. While loops take constants: of a header that of the loop
    /// around it, or its own, that has the present depth.
    innermost: Vec<PackedOption<Block>>,
    outer: Vec<PackedOption<Block>>,
}

impl HeldConstants {
    /// Forgets everything: nothing is held.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Lists what the loops of `func` use. `costly` names the constants that an instruction needs in registers, with
    /// the number of instructions that each one costs there. Whether there is anything to [choose](Self::choose) from.
    pub fn list(
        &mut self,
        func: &Function,
        loops: &LoopForest,
        costly: impl Fn(Inst, &mut dyn FnMut(Constant, u32)),
    ) -> bool {
        self.clear();
        self.uses.clear();
        if loops.num_loops() == 0 {
            return false;
        }
        for block in func.blocks() {
            let depth = loops.depth(block);
            if depth == 0 {
                continue;
            }
            let factor = 1 << (3 * (depth.min(MAX_DEPTH) - 1));
            for inst in func.block_insts(block) {
                costly(inst, &mut |constant, cost| {
                    self.uses.push(Use { block, constant, weight: cost * factor, header: None.into() });
                });
            }
        }
        !self.uses.is_empty()
    }

    /// Decides which of the listed constants the loops of `func` hold.
    pub fn choose(&mut self, func: &Function, loops: &LoopForest, tree: &DominatorTree) {
        self.outer.clear();
        self.outer.resize(func.num_blocks(), None.into());
        let deepest = self.uses.iter().map(|one| loops.depth(one.block)).max().unwrap_or(0);
        for depth in 1..=deepest.min(MAX_DEPTH) {
            if self.uses.is_empty() {
                break;
            }
            self.take(func, loops, tree, depth);
        }
        if self.entries.is_empty() {
            return;
        }
        sort_by_loop(&mut self.entries);
        self.innermost.clear();
        self.innermost.resize(func.num_blocks(), None.into());
        for entry in &self.entries {
            self.innermost[entry.header.index()] = entry.header.into();
        }
        // A header dominates one block of a loop inside its own if it dominates that loop's header, whatever the
        // entries: the way from the block to the header stays in the loop inside. So one step up is enough.
        for header in loops.headers() {
            self.outer[header.index()] = self.entered(tree, loops.outer(header), header);
        }
        for block in func.blocks().filter(|&block| loops.depth(block) > 0) {
            self.innermost[block.index()] = self.entered(tree, loops.innermost(block), block);
        }
        self.places.clear();
        self.places.extend(self.entries.iter().enumerate().map(|(n, entry)| (entry.place, n as u32)));
        self.places.sort_unstable();
    }

    /// The smallest loop from `header`'s on outward that holds something and whose header dominates `block`.
    /// Known already: which loops hold something, and `outer` of the header.
    #[inline]
    fn entered(&self, tree: &DominatorTree, header: Option<Block>, block: Block) -> PackedOption<Block> {
        let Some(header) = header else { return None.into() };
        let holds = self.innermost[header.index()] == header.into();
        if holds && tree.dominates(header, block) { header.into() } else { self.outer[header.index()] }
    }

    /// Lets the loops of this depth take constants of the uses that are left.
    fn take(&mut self, func: &Function, loops: &LoopForest, tree: &DominatorTree, depth: u32) {
        for header in loops.headers() {
            self.outer[header.index()] = match loops.depth(header).cmp(&depth) {
                Ordering::Less => None.into(),
                Ordering::Equal => header.into(),
                Ordering::Greater => {
                    loops.outer(header).map_or(None.into(), |outer| self.outer[outer.index()])
                }
            };
        }
        for one in &mut self.uses {
            let innermost = loops.innermost(one.block);
            one.header = innermost.map_or(None.into(), |header| self.outer[header.index()]);
        }
        self.uses.sort_unstable_by_key(|one| (one.header, one.constant));
        self.candidates.clear();
        for one in &self.uses {
            let Some(header) = one.header.expand() else { continue };
            match self.candidates.last_mut() {
                Some(last) if (last.header, last.constant) == (header, one.constant) => {
                    last.weight = last.weight.saturating_add(one.weight);
                }
                _ => {
                    let entry = Entry {
                        header,
                        constant: one.constant,
                        weight: one.weight,
                        place: header,
                        reg: None.into(),
                    };
                    self.candidates.push(entry);
                }
            }
        }
        self.candidates
            .sort_unstable_by_key(|entry| (entry.header, core::cmp::Reverse(entry.weight), entry.constant));
        let start = self.entries.len();
        let (mut of, mut core, mut float) = (None, 0, 0);
        for entry in &self.candidates {
            if of != Some(entry.header) {
                (of, core, float) = (Some(entry.header), 0, 0);
            }
            let is_float =
                matches!(entry.constant, Constant::Value(v) if !func.value_type(v).is_scalar_int());
            let (count, most) = if is_float { (&mut float, MAX_FLOAT) } else { (&mut core, MAX_CORE) };
            if *count == most {
                continue;
            }
            // What dominates the header and is in fewer loops dominates all of the loop.
            let above = core::iter::successors(tree.idom(entry.header), |&block| tree.idom(block));
            let place = above.take(MAX_DISTANCE).find(|&block| loops.depth(block) < depth);
            let Some(place) = place else { continue };
            *count += 1;
            self.entries.push(Entry { place, ..*entry });
        }
        let taken = &mut self.entries[start..];
        sort_by_loop(taken);
        self.uses.retain(|one| {
            !one.header.expand().is_some_and(|header| {
                tree.dominates(header, one.block)
                    && taken
                        .binary_search_by_key(&(header, one.constant), |entry| (entry.header, entry.constant))
                        .is_ok()
            })
        });
    }

    /// The entry of `constant` that a use in `block` finds.
    fn find(&self, block: Block, constant: Constant) -> Option<usize> {
        let mut header = self.innermost[block.index()].expand();
        while let Some(at) = header {
            let key = (at, constant);
            if let Ok(index) = self.entries.binary_search_by_key(&key, |entry| (entry.header, entry.constant))
            {
                return Some(index);
            }
            header = self.outer[at.index()].expand();
        }
        None
    }

    /// The register with `constant` in `block`; `make` makes one for the first that asks.
    pub(crate) fn reg(
        &mut self,
        block: Block,
        constant: Constant,
        make: impl FnOnce() -> VReg,
    ) -> Option<VReg> {
        if self.entries.is_empty() {
            return None;
        }
        let index = self.find(block, constant)?;
        let reg = &mut self.entries[index].reg;
        Some(reg.expand().unwrap_or_else(|| {
            let made = make();
            *reg = made.into();
            made
        }))
    }

    /// The `n`-th constant that is to be made at the end of `block`, and its register if it has one.
    #[inline]
    pub(crate) fn made_in(&self, block: Block, n: usize) -> Option<(usize, Constant, Option<VReg>)> {
        if self.entries.is_empty() {
            return None;
        }
        let first = self.places.partition_point(|&(place, _)| place < block);
        let &(_, index) = self.places.get(first + n).filter(|&&(place, _)| place == block)?;
        let Entry { constant, reg, .. } = self.entries[index as usize];
        Some((index as usize, constant, reg.expand()))
    }

    /// Sets the register of an entry.
    pub(crate) fn set_reg(&mut self, index: usize, reg: VReg) {
        self.entries[index].reg = reg.into();
    }
}

/// The type of the register of a constant.
pub(crate) fn type_of(func: &Function, constant: Constant) -> Type {
    match constant {
        Constant::Word(_) => Type::I32,
        Constant::Wide(_) => Type::I64,
        Constant::Value(value) => func.value_type(value),
    }
}

/// Sorts constants by the header of their loop, then by what they are.
fn sort_by_loop(entries: &mut [Entry]) {
    entries.sort_unstable_by_key(|entry| (entry.header, entry.constant));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use ice_ir::ControlFlowGraph;
    use ice_ir::generate::graph::{Ends, function_of_graph, random_graphs};

    /// What loops hold of the words that `words` gives for the number of an instruction.
    fn held(
        edges: &[Vec<usize>],
        words: impl Fn(u32) -> core::ops::Range<u32>,
    ) -> (HeldConstants, Function, LoopForest, DominatorTree) {
        let func = function_of_graph(edges, Ends::ReturnOrNot);
        let (mut cfg, mut loops, mut tree) =
            (ControlFlowGraph::new(), LoopForest::new(), DominatorTree::new());
        cfg.compute(&func);
        loops.compute(&func, &cfg);
        tree.compute(&func, &cfg);
        let mut held = HeldConstants::default();
        let costly = |inst: Inst, visit: &mut dyn FnMut(Constant, u32)| {
            words(inst.index() as u32).for_each(|word| visit(Constant::Word(word), 1));
        };
        if held.list(&func, &loops, costly) {
            held.choose(&func, &loops, &tree);
        }
        (held, func, loops, tree)
    }

    #[test]
    fn blocks_find_the_constants_of_the_loops_whose_headers_dominate_them() {
        let mut found = 0;
        for edges in random_graphs(15).take(2000) {
            let (held, func, loops, tree) = held(&edges, |n| n % 3..n % 3 + 1);
            if held.entries.is_empty() {
                continue;
            }
            for block in func.blocks().filter(|&block| tree.is_reachable(block)) {
                for word in 0..3 {
                    let constant = Constant::Word(word);
                    let of = |header: &Block| {
                        let entry = |e: &Entry| e.header == *header && e.constant == constant;
                        held.entries.iter().position(entry).filter(|_| tree.dominates(*header, block))
                    };
                    let around =
                        core::iter::successors(loops.innermost(block), |&header| loops.outer(header));
                    let expected = around.filter_map(|header| of(&header)).next();
                    assert_eq!(held.find(block, constant), expected, "{edges:?} {block} {word}");
                    found += usize::from(expected.is_some());
                }
            }
        }
        assert!(found > 1000, "{found}");
    }

    /// A nest of `depth` loops: blocks go down to the innermost header and come back up.
    fn nest(depth: usize) -> Vec<Vec<usize>> {
        let down = (0..=depth).map(|i| vec![i + 1]);
        down.chain((0..=depth).map(|i| if i < depth { vec![depth - i, depth + 2 + i] } else { vec![] }))
            .collect()
    }

    #[test]
    fn the_loops_that_hold_and_the_steps_to_find_them_are_bounded_in_deep_nests() {
        for depth in [5, 50, 500] {
            let (held, func, loops, _) = held(&nest(depth), |n| 32 * n..32 * n + 32);
            assert_eq!(loops.num_loops(), depth);
            let deepest = held.entries.iter().map(|entry| loops.depth(entry.header)).max();
            assert_eq!(deepest, Some(MAX_DEPTH.min(depth as u32)));
            assert!(held.entries.len() <= MAX_DEPTH as usize * MAX_CORE, "{}", held.entries.len());
            for block in func.blocks() {
                let first = held.innermost[block.index()].expand();
                let steps = core::iter::successors(first, |header| held.outer[header.index()].expand());
                assert!(steps.take(depth).count() <= MAX_DEPTH as usize);
            }
        }
    }

    #[test]
    fn a_constant_is_made_near_its_loop_or_not_at_all() {
        // A loop of `count` blocks, all of which dominate the loop behind it.
        for (count, holds) in [(MAX_DISTANCE - 1, true), (MAX_DISTANCE, false)] {
            let mut edges: Vec<Vec<usize>> = (0..count).map(|i| vec![i + 1]).collect();
            edges.extend([vec![1, count + 1], vec![count + 1, count + 2], vec![]]);
            let (held, func, loops, _) = held(&edges, |n| n..n + 1);
            assert_eq!(loops.num_loops(), 2);
            let second = func.blocks().nth(count + 1);
            assert_eq!(held.entries.iter().any(|entry| Some(entry.header) == second), holds);
        }
    }
}
