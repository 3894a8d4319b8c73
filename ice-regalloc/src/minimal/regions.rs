//! Loops, and which values stay in registers all the way around them.
//!
//! Problem: values that cross block borders are in their slots there. In a loop that costs a store and a load for each
//! of them and each time around.
//!
//! Method: a loop is taken as a *region*, the blocks from its header to the last one that goes back to it, in
//! the order of blocks. A register is reserved in all of the region for each of its *residents*, which are the values
//! that are referred to most often there: parameters of the header, what they get on the way back, what comes in from
//! outside, and what crosses blocks inside. The home of a resident is that register in the region, as it is a slot
//! outside (`resident`); so nothing else of the mode knows of regions. Residents share a register where one ends before
//! the other begins, and do so by preference where a block passes the one on as the other: that is how the next value
//! of a counter gets into the counter without a move. It is priority-based colouring (Chow and Hennessy, 1990) of
//! intervals that are ranges of positions.
//!
//! No region is in another one. Innermost loops come first; a loop around them takes their place if its residents weigh
//! more, with what is referred to in the inner loops counted as often as these go around (`nests`). It is looked at only if
//! less than half of it is in loops and it is small, or what is outside of these may well weigh as much as their residents.
//!
//! Ranges of positions are enough, since within a region control goes forward but for the edges to the header and those of
//! the loops in it: what comes from in front of such a loop and is read there is needed to its end. The region
//! is left out if another edge enters it or one of these. Registers that an instruction of the region
//! wants for itself, or destroys, are no residents', and the first few of each class never are, for values of one block.
//!
//! Position `2 * i` is where instruction `i` reads, the next one where it writes. The arguments of an edge that leaves its
//! block alone are read where the first terminator reads, and written to the parameters where it would write; those of
//! others at the two positions before the first instruction of the successor, as the parameters of the header are.
//!
//! Cost: some 300 machine instructions for each instruction in the loops that are looked at, which are together no more
//! than twice the function.

use super::nests::{Nests, TURNS};
use crate::fixed::is_early;
use crate::function::Function;
use crate::keys::{self, highest_first};
use crate::memory::refill;
use crate::operand::{Block, Constraint, Inst, Operand, OperandPos, VReg};
use crate::output::Allocation;
use crate::references::Thread;
use crate::registers::{PReg, RegClass, RegUnits, RegisterFile};
use crate::rows::{Row, Shape};
use crate::scan::{REGION_MARK, VRegState, params_at_start};
use crate::tables::Tables;
use alloc::vec::Vec;
use core::ops::Range;

/// A loop with residents.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Its first block, the header, and its last one.
    pub first: u32,
    pub last: u32,
    /// Which of the residents are its.
    pub residents: Range<usize>,
    /// Their registers.
    pub units: RegUnits,
    /// Whether some leave, and the last block at whose start these are stored, or 0.
    pub leaves: bool,
    pub last_receiver: u32,
}

impl Region {
    pub fn contains(&self, block: Block) -> bool {
        (self.first..=self.last).contains(&block.as_u32())
    }
}

/// A value that has a register in a region.
#[derive(Clone, Debug)]
pub(super) struct Resident {
    pub vreg: u32,
    pub reg: PReg,
    /// It is defined outside, and in its home there.
    pub enters: bool,
    /// It is defined inside, and read outside.
    pub leaves: bool,
    /// Its home outside of the region.
    pub outside: Allocation,
}

/// A value that may get a register.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    vreg: u32,
    /// The positions of the first and last reference, and the block of the last one.
    first: u32,
    last: u32,
    last_block: u32,
    /// What it costs not to be in a register, roughly twice the instructions each time around.
    weight: u32,
    /// The first definition and its block, if there is one.
    def: Option<(u32, u32)>,
    /// Another one that it is passed on as, or gets its value from.
    friend: Option<u32>,
    /// It is read before it is defined.
    enters: bool,
    leaves: bool,
    /// It must be somewhere else, or its definitions are in several blocks.
    is_refused: bool,
    /// It is named in one block only, and passed on to a parameter: the register of that one is all it may have.
    is_local: bool,
}

/// Units that are given away for a range of positions.
#[derive(Clone, Copy, Debug)]
struct Given {
    units: RegUnits,
    first: u32,
    last: u32,
}

/// A register that residents of a class may have.
#[derive(Clone, Copy, Debug)]
struct Choice {
    class: RegClass,
    reg: PReg,
    units: RegUnits,
}

/// An instruction, its block and the first terminator of that.
#[derive(Clone, Copy)]
struct Place {
    inst: u32,
    block: u32,
    end: u32,
}

/// A loop that is in no other one so far.
#[derive(Clone, Copy, Debug)]
struct Outermost {
    first: u32,
    /// How many instructions it has.
    insts: u32,
    /// The weights of the residents of the regions in it, for each time around.
    gain: u32,
}

/// What is known of the function.
pub(super) struct Input<'a, 'f> {
    pub func: &'a Function,
    pub file: &'a RegisterFile<'a>,
    pub tables: &'a Tables<'f>,
    pub vregs: &'a mut [VRegState],
    /// Gets a mark for each first block of a region.
    pub edge_index: &'a mut [u32],
}

impl Input<'_, '_> {
    fn threads(&self) -> &[Thread] {
        &self.func.references.threads
    }
}

/// The regions of a function, in order, with what was needed to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions {
    pub list: Vec<Region>,
    pub residents: Vec<Resident>,
    /// Keys of the last blocks of loops, by the first blocks.
    loops: Vec<u64>,
    /// Loops that are in no other one so far, by their first blocks, the earliest last.
    outermost: Vec<Outermost>,
    /// The loops in the loop at work.
    nests: Nests,
    /// How often control comes to the block at work each time around the loop at work, guessed.
    turns: u32,
    candidates: Vec<Candidate>,
    by_weight: Vec<u64>,
    /// Registers given away in the region at work.
    given: Vec<Given>,
    /// Those that residents of a class may have: first what the function need not save.
    choice: Vec<Choice>,
    /// The first terminator of each block of the region at work.
    ends: Vec<u32>,
    /// For each block of it the first one behind it that control gets to around it, within one turn.
    landings: Vec<u32>,
    /// For `landings`: blocks with their first predecessors; of the later blocks, those that have earlier ones.
    pending: Vec<(u32, u32)>,
}

/// Registers of a class that stay free for values of one block, from the start of its order.
fn left_free(count: usize) -> usize {
    count.div_ceil(2).min(5)
}

/// A loop of no more instructions is looked at whatever is in it.
const SMALL: u32 = 200;

/// What an instruction is guessed to add to the weight of a loop's residents at most, if it is in none of the loops in it.
/// Of the larger loops of zstd, zlib, webp_encoder and nbody nine of ten in which the regions weigh less than that for each
/// such instruction gain by being regions, and one of four of the others.
const OUTSIDE: u32 = 4;

/// Of how many values a region tries to find registers for at most.
const TRIES: usize = 64;

impl Regions {
    pub fn clear(&mut self) {
        self.list.clear();
        self.residents.clear();
    }

    /// Finds the regions of the function and their residents. Not inlined, so that its values have the registers.
    #[inline(never)]
    pub fn compute(&mut self, mut input: Input) {
        let func = input.func;
        self.loops.clear();
        // Each header last, with the last block that goes back to it in front of the others.
        let loops = func.back_edges().iter();
        self.loops.extend(loops.map(|&(last, first)| highest_first(first.as_u32(), !last.as_u32())));
        self.loops.sort_unstable();
        self.outermost.clear();
        let mut header = None;
        for n in 0..self.loops.len() {
            let (first, last) = loop_of(self.loops[n]);
            if header.replace(first) != Some(first) {
                self.choose(&mut input, n, first, last);
            }
        }
        self.list.reverse();
        for (index, region) in self.list.iter().enumerate() {
            input.edge_index[region.first as usize] = REGION_MARK | index as u32;
        }
    }

    /// The region that `block` is in.
    pub fn of(&self, block: Block) -> Option<usize> {
        let next = self.list.partition_point(|region| region.first <= block.as_u32());
        next.checked_sub(1).filter(|&index| self.list[index].contains(block))
    }

    /// The register of a resident in the region `index`.
    pub fn reg_of(&self, index: usize, vreg: u32) -> Option<PReg> {
        let residents = &self.residents[self.list[index].residents.clone()];
        residents.iter().find(|resident| resident.vreg == vreg).map(|resident| resident.reg)
    }

    /// Makes the loop that is entry `n` of the list a region, if it can be one, and if that is worth more than the regions
    /// in it.
    fn choose(&mut self, input: &mut Input, n: usize, first: u32, last: u32) {
        let func = input.func;
        let [header, end] = [first, last].map(|block| func.block_insts(Block::from_u32(block)));
        let insts = end.end.as_u32() - header.start.as_u32();
        let (mut within, mut gain) = (0, 0u32);
        while let Some(inner) = self.outermost.pop_if(|inner| inner.first <= last) {
            within += inner.insts;
            gain = gain.saturating_add(inner.gain.saturating_mul(TURNS));
        }
        // All loops that are looked at have together no more than twice the instructions of the function.
        let is_promising =
            within <= insts / 2 && (insts <= SMALL || gain <= (insts - within).saturating_mul(OUTSIDE));
        if is_promising && is_closed(func, first, last) && self.find_nests(func, n, first, last) {
            let (regions, residents) = (self.list.len(), self.residents.len());
            let own = self.add(input, first, last);
            if own > gain {
                gain = own;
                let inner = self.list.partition_point(|region| region.first > last);
                self.list.drain(inner..regions);
            } else {
                self.list.truncate(regions);
                self.residents.truncate(residents);
            }
        }
        self.outermost.push(Outermost { first, insts, gain });
    }

    /// Finds the loops in the loop that is entry `n` of the list. Whether a region may have them in it.
    fn find_nests(&mut self, func: &Function, n: usize, first: u32, last: u32) -> bool {
        let Regions { loops, nests, .. } = self;
        let loops = loops[..n].iter().rev().map(|&key| loop_of(key));
        nests.compute(func, (first, last), loops.take_while(|&(header, _)| header <= last))
    }

    /// Adds a region, if it has residents. Gives the sum of their weights.
    fn add(&mut self, input: &mut Input, first: u32, last: u32) -> u32 {
        self.candidates.clear();
        let busy = self.collect(input, first, last);
        let start = self.residents.len();
        let mut gain = 0;
        if let Some(busy) = busy {
            self.find_landings(input.func, first, last);
            self.weigh(input, first, last);
            gain = self.assign(input, busy);
        }
        for candidate in &self.candidates {
            input.vregs[candidate.vreg as usize].pending = 0;
        }
        let residents = start..self.residents.len();
        if !residents.is_empty() {
            let all = self.residents[start..].iter();
            let units = all.clone().fold(RegUnits::EMPTY, |units, r| units.union(input.file.units(r.reg)));
            let leaves = all.clone().any(|resident| resident.leaves);
            let last_receiver = if leaves { last_receiver(input.func, first, last) } else { 0 };
            self.list.push(Region { first, last, residents, units, leaves, last_receiver });
        }
        gain
    }

    /// Looks at all references in the region; gives the units that instructions name or destroy. None if an edge passes
    /// values on before a terminator that reads some.
    fn collect(&mut self, input: &mut Input, first: u32, last: u32) -> Option<RegUnits> {
        let func = input.func;
        let mut busy = RegUnits::EMPTY;
        self.ends.clear();
        for number in first..=last {
            let block = Block::from_u32(number);
            self.turns = self.nests.turns(number);
            let insts = func.block_insts(block);
            let succs = func.block_succs(block);
            let is_inside = |block: Block| (first..=last).contains(&block.as_u32());
            let alone = match succs {
                &[succ] => Some(succ).filter(|&succ| !func.block_params(succ).is_empty()),
                _ => None,
            };
            if alone.is_some_and(is_inside) {
                self.add_locals(input, func.edge_args(block, 0));
            }
            self.params(input, block, first);
            let is_terminator = |&i: &u32| func.references.rows.shape(i as usize).has(Shape::TERMINATOR);
            let end = (insts.start.as_u32()..insts.end.as_u32()).rev().take_while(is_terminator).last();
            let end = end?;
            self.ends.push(end);
            let range = insts.start.as_u32() as usize..insts.end.as_u32() as usize;
            let rows = &func.references.rows.all()[range.start..=range.end];
            if succs.len() == 1
                && func.references.rows.start(end as usize) != func.references.rows.start(range.end)
            {
                return None;
            }
            let mut from = rows[0].end;
            for (inst, &Row { end: to, shape }) in (insts.start.as_u32()..).zip(&rows[1..]) {
                if shape.has(Shape::CLOBBERS) {
                    busy = busy.union(func.clobbers(Inst::from_u32(inst)));
                }
                let operands = &func.all_operands()[from as usize..to as usize];
                from = to;
                for &op in operands {
                    self.operand(input, op, shape, Place { inst, block: number, end }, &mut busy);
                }
            }
            for (edge, &succ) in succs.iter().enumerate() {
                let args = func.edge_args(block, edge);
                let position = match (succs.len(), is_inside(succ)) {
                    (1, _) => 2 * end,
                    (_, true) => 2 * func.block_insts(succ).start.as_u32() - 2,
                    (_, false) => 2 * insts.end.as_u32(),
                };
                let at = match succs.len() {
                    1 => (position, number),
                    _ => (position, succ.as_u32()),
                };
                for (&arg, &param) in args.iter().zip(func.block_params(succ)) {
                    let param = Some(param).filter(|_| is_inside(succ));
                    self.passed(input, arg, param, at, succs.len() > 1);
                }
            }
        }
        Some(busy)
    }

    /// Values of one block that it passes on to a parameter in the region.
    fn add_locals(&mut self, input: &mut Input, args: &[VReg]) {
        for arg in args {
            let state = &input.vregs[arg.index()];
            if !state.is_cross() && state.pending == 0 {
                self.add_candidate(input, arg.as_u32(), true);
            }
        }
    }

    fn add_candidate(&mut self, input: &mut Input, vreg: u32, is_local: bool) {
        let (enters, leaves, is_refused) = (false, false, false);
        let (first, last, last_block, weight, def, friend) = (u32::MAX, 0, 0, 0, None, None);
        self.candidates.push(Candidate {
            vreg,
            first,
            last,
            last_block,
            weight,
            def,
            friend,
            enters,
            leaves,
            is_refused,
            is_local,
        });
        input.vregs[vreg as usize].pending = self.candidates.len() as u32;
    }

    /// The candidate that `vreg` is, if it can be one.
    #[inline]
    fn candidate(&mut self, input: &mut Input, vreg: VReg) -> Option<&mut Candidate> {
        let state = &input.vregs[vreg.index()];
        if state.pending == 0 {
            if !state.is_cross() {
                return None;
            }
            self.add_candidate(input, vreg.as_u32(), false);
        }
        self.candidates.get_mut(input.vregs[vreg.index()].pending as usize - 1)
    }

    /// The parameters of a block of the region.
    fn params(&mut self, input: &mut Input, block: Block, first: u32) {
        let (func, turns) = (input.func, self.turns);
        let is_header = block.as_u32() == first;
        let start = 2 * func.block_insts(block).start.as_u32() - 1;
        for &param in func.block_params(block) {
            let position = match func.block_preds(block).first() {
                Some(pred) if !is_header && pred < &block && !params_at_start(func, block) => {
                    2 * self.ends[(pred.as_u32() - first) as usize] + 1
                }
                _ => start,
            };
            let Some(candidate) = self.candidate(input, param) else { continue };
            candidate.define(position, block.as_u32());
            candidate.weigh(turns * if is_header { 8 } else { 4 });
        }
    }

    /// An operand of an instruction.
    #[inline]
    fn operand(&mut self, input: &mut Input, op: Operand, shape: Shape, at: Place, busy: &mut RegUnits) {
        let (Place { inst: i, block, end }, turns) = (at, self.turns);
        if op.has_one_place()
            && let Constraint::Fixed(reg) = op.constraint()
        {
            busy.insert(input.file.units(reg));
        }
        let Some(candidate) = self.candidate(input, op.vreg()) else { return };
        candidate.is_refused |= op.constraint() == Constraint::Stack || shape.remat().is_some();
        if op.is_use() {
            candidate.read(2 * i + u32::from(op.pos() == OperandPos::Late && !op.is_def()), block);
            candidate.weigh(turns * if op.is_reg() { 2 } else { 1 });
        }
        if op.is_def() {
            candidate.define(2 * i + u32::from(!is_early(op)), block);
            // It may be brought to its home at the end of the block only.
            candidate.last = candidate.last.max(2 * end);
            candidate.weigh(2 * turns);
        }
    }

    /// An edge gives `arg` to `param`, if it stays in the region: at this position and block, the successor if it is `late`.
    fn passed(&mut self, input: &mut Input, arg: VReg, param: Option<VReg>, at: (u32, u32), late: bool) {
        let turns = self.turns;
        let Some(candidate) = self.candidate(input, arg) else { return };
        candidate.read(at.0, at.1);
        candidate.weigh(turns);
        candidate.leaves |= late && param.is_none();
        candidate.friend = param.map(|param| param.as_u32()).or(candidate.friend);
        if !candidate.enters
            && let Some(param) = param
            && let Some(param) = self.candidate(input, param)
        {
            param.friend = Some(arg.as_u32());
        }
    }

    /// Fills `landings`. From the last block to the first, each with its first predecessor, the smaller one of two blocks
    /// hides the other one if its predecessor is no later.
    fn find_landings(&mut self, func: &Function, first: u32, last: u32) {
        let Regions { landings, pending, .. } = self;
        refill(landings, (last - first + 1) as usize, u32::MAX);
        pending.clear();
        for block in (first + 1..=last).rev() {
            let pred = func.block_preds(Block::from_u32(block)).first().map_or(block, |pred| pred.as_u32());
            while pending.pop_if(|&mut (_, pred)| pred >= block).is_some() {}
            landings[(block - first) as usize] = pending.last().map_or(u32::MAX, |&(landing, _)| landing);
            while pending.pop_if(|&mut (_, other)| other >= pred).is_some() {}
            pending.push((block, pred));
        }
    }

    /// Weighs what cannot be and what does not pay with nothing, and notes how long the others need a register.
    fn weigh(&mut self, input: &Input, first: u32, last: u32) {
        let func = input.func;
        let end = func.block_insts(Block::from_u32(last)).end.as_u32();
        let Exits { cost, first: first_exit } = exits(func, first, last, &self.nests);
        for candidate in &mut self.candidates {
            let thread = &input.threads()[candidate.vreg as usize];
            match candidate.def {
                Some(_) if candidate.enters => candidate.is_refused = true,
                Some((_, block)) => {
                    candidate.leaves |= thread.is_early() || thread.is_behind(last);
                    // Control may not get to a reference around the definition: what is there is of an earlier turn.
                    let landing = self.landings[(block - first) as usize];
                    let is_passed = match candidate.leaves {
                        true => landing != u32::MAX || block > first_exit,
                        false => landing <= candidate.last_block,
                    };
                    candidate.is_refused |= is_passed || thread.is_spread();
                    if let Some(last) = self.nests.end_of_need(block, candidate.last_block) {
                        let end = func.block_insts(Block::from_u32(last)).end.as_u32();
                        candidate.last = candidate.last.max(2 * end - 1);
                    }
                }
                None => candidate.leaves = false,
            }
            if candidate.enters || candidate.leaves {
                candidate.last = 2 * end + 1;
            }
            if candidate.enters {
                candidate.first = 0;
            }
            if candidate.leaves {
                candidate.weight = candidate.weight.saturating_sub(cost);
            }
            if candidate.is_local {
                candidate.weight = 1;
            }
            if candidate.is_refused {
                candidate.weight = 0;
            }
        }
    }

    /// Gives registers away, to the heaviest first. The sum of the weights of those that got one.
    fn assign(&mut self, input: &Input, busy: RegUnits) -> u32 {
        self.given.clear();
        self.choice.clear();
        self.by_weight.clear();
        let weights = self.candidates.iter().enumerate();
        let heavy =
            weights.filter(|(_, c)| c.weight > 0).map(|(index, c)| highest_first(c.weight, index as u32));
        self.by_weight.extend(heavy);
        self.by_weight.sort_unstable();
        let mut gain = 0u32;
        for n in 0..self.by_weight.len().min(TRIES) {
            let candidate = self.candidates[keys::number(self.by_weight[n]) as usize];
            let Some(reg) = self.register(input, &candidate, busy) else { continue };
            let Candidate { vreg, first, last, enters, leaves, .. } = candidate;
            self.given.push(Given { units: input.tables.units(reg), first, last });
            let outside = Allocation::NONE;
            self.residents.push(Resident { vreg, reg, enters, leaves, outside });
            gain = gain.saturating_add(candidate.weight);
        }
        gain
    }

    /// Lists the registers that residents of the class may have, unless that is done.
    fn list_choice(&mut self, input: &Input, class: RegClass, busy: RegUnits) {
        if self.choice.iter().any(|known| known.class == class) {
            return;
        }
        let order = input.tables.order(class);
        let order = order.get(left_free(order.len())..).unwrap_or_default();
        for saved in [false, true] {
            let all = order.iter().map(|&reg| Choice { class, reg, units: input.tables.units(reg) });
            let fits = |choice: &Choice| {
                !choice.units.intersects(busy) && input.file.callee_saved.intersects(choice.units) == saved
            };
            self.choice.extend(all.filter(fits));
        }
    }

    /// A register that is free where the candidate needs it.
    fn register(&mut self, input: &Input, candidate: &Candidate, busy: RegUnits) -> Option<PReg> {
        let class = RegClass(input.vregs[candidate.vreg as usize].class);
        self.list_choice(input, class, busy);
        let is_beside = |given: &Given| given.first <= candidate.last && candidate.first <= given.last;
        let beside = self.given.iter().filter(|given| is_beside(given));
        let taken = beside.fold(RegUnits::EMPTY, |taken, given| taken.union(given.units));
        let is_free = |choice: &&Choice| choice.class == class && !choice.units.intersects(taken);
        if let Some(friend) = candidate.friend.and_then(|friend| self.given_to(friend))
            && self.choice.iter().filter(is_free).any(|choice| choice.reg == friend)
        {
            return Some(friend);
        }
        if candidate.is_local { None } else { self.choice.iter().find(is_free).map(|choice| choice.reg) }
    }

    /// The register of a resident of the region at work.
    fn given_to(&self, vreg: u32) -> Option<PReg> {
        let residents = &self.residents[self.residents.len() - self.given.len()..];
        residents.iter().find(|resident| resident.vreg == vreg).map(|resident| resident.reg)
    }
}

impl Candidate {
    fn weigh(&mut self, more: u32) {
        self.weight = self.weight.saturating_add(more);
    }

    fn read(&mut self, position: u32, block: u32) {
        match self.def {
            None => self.enters = true,
            // What the instruction that defines it reads is the value before.
            Some((first, _)) => self.is_refused |= position <= first,
        }
        self.first = self.first.min(position);
        self.last = self.last.max(position);
        self.last_block = self.last_block.max(block);
    }

    fn define(&mut self, position: u32, block: u32) {
        match self.def {
            None => self.def = Some((position, block)),
            Some((_, first)) => self.is_refused |= first != block,
        }
        self.first = self.first.min(position);
        self.last = self.last.max(position);
    }
}

/// The header and the last block of a loop, from its key.
fn loop_of(key: u64) -> (u32, u32) {
    (!((key >> 32) as u32), !keys::number(key))
}

/// Whether the blocks are entered at the first one only, from outside by edges that moves can be on, and none of their
/// edges is sealed.
fn is_closed(func: &Function, first: u32, last: u32) -> bool {
    let is_inside = |block: Block| (first..=last).contains(&block.as_u32());
    let is_way_in = |block: Block| {
        let insts = func.block_insts(block);
        let insts = (insts.start.as_u32()..insts.end.as_u32()).rev().map(Inst::from_u32);
        let mut terminators = insts.take_while(|&inst| func.is_terminator(inst));
        func.block_succs(block).len() == 1 && terminators.all(|inst| func.operands(inst).is_empty())
    };
    (first..=last).map(Block::from_u32).all(|block| {
        let is_header = block.as_u32() == first;
        let mut preds = func.block_preds(block).iter();
        preds.all(|&pred| is_inside(pred) || is_header && is_way_in(pred)) && !func.seals_edges(block)
    })
}

/// Whether what leaves a region with the last block `last` by an edge to `target` can be stored at the start of that.
pub(super) fn is_cheap_exit(func: &Function, last: u32, target: Block) -> bool {
    target.as_u32() > last && func.block_preds(target).len() == 1
}

/// The last block at whose start what leaves the region is stored, or 0.
fn last_receiver(func: &Function, first: u32, last: u32) -> u32 {
    let blocks = (first..=last).flat_map(|block| func.block_succs(Block::from_u32(block)));
    let cheap = blocks.filter(|&&target| is_cheap_exit(func, last, target));
    cheap.map(|target| target.as_u32()).max().unwrap_or(0)
}

/// The edges that leave a region.
struct Exits {
    /// What it costs to store a value that leaves by them, as weights do: two for each block that does it each time around,
    /// and the size of the code for what is done once.
    cost: u32,
    /// The first block that has one, or the last block of the region.
    first: u32,
}

fn exits(func: &Function, first: u32, last: u32, nests: &Nests) -> Exits {
    let is_exit = |target: &&Block| !(first..=last).contains(&target.as_u32());
    let (mut cost, mut first_exit) = (0, last);
    for block in first..=last {
        let succs = func.block_succs(Block::from_u32(block));
        let mut exits = succs.iter().filter(is_exit).peekable();
        if exits.peek().is_some() {
            first_exit = first_exit.min(block);
            let is_cheap = succs.len() == 1 || exits.all(|&target| is_cheap_exit(func, last, target));
            cost = nests.turns(block).saturating_mul(if is_cheap { 1 } else { 4 }).saturating_add(cost);
        }
    }
    Exits { cost: cost / 2, first: first_exit }
}
