//! A function of `ice-regalloc` as `regalloc2` wants it: single assignment, no critical edges.
//!
//! Problem: virtual registers here may have several definitions (two-address operands, values of variables), and edges may be
//! critical.
//!
//! Method: critical edges get a block with one jump. Virtual registers with several definitions are renamed: a block where
//! paths meet gets a parameter for each of them that is live there (Aycock and Horspool, *Simple Generation of Static
//! Single-Assignment Form*, 2000, without the minimisation, for edges of few such values), found by liveness over those
//! alone; other blocks take the names over from the one before. An operand that reads and writes becomes a use and a
//! definition in its place.
//!
//! Data: operands, arguments and parameters in flat lists with the start of each run. Cost: linear, but for the liveness of
//! renamed values.

use ice_regalloc::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, RegisterFile, VReg};
use regalloc2::{Algorithm, MachineEnv, PReg, PRegSet, RegClass, RegallocOptions};
use std::collections::{BTreeMap, BTreeSet};

/// A function as `regalloc2` reads it.
#[derive(Default)]
pub struct Converted {
    /// For each instruction, that of the original, or of a jump on a split edge the branch there.
    origin: Vec<usize>,
    blocks: Vec<Range>,
    succs: Vec<Vec<regalloc2::Block>>,
    preds: Vec<Vec<regalloc2::Block>>,
    params: Vec<Vec<regalloc2::VReg>>,
    /// For each block and edge.
    args: Vec<Vec<Vec<regalloc2::VReg>>>,
    operands: Vec<Vec<regalloc2::Operand>>,
    clobbers: Vec<PRegSet>,
    ends: Vec<End>,
    vregs: usize,
}

/// What control does behind an instruction.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Next,
    Branch,
    Return,
}

/// Where an operand that reads and writes does so.
const EARLY_LATE: (regalloc2::OperandPos, regalloc2::OperandPos) =
    (regalloc2::OperandPos::Early, regalloc2::OperandPos::Late);

type Range = std::ops::Range<usize>;

/// The class of the registers of a class.
fn class_of(class: ice_regalloc::RegClass) -> RegClass {
    let order = crate::registers().classes[usize::from(class.0)].order;
    order.first().map_or(RegClass::Int, |reg| register(reg.0).class())
}

/// Registers 0–15 of x86 are general, 16–31 vectors, of one unit each.
fn register(number: u8) -> PReg {
    let class = if number < 16 { RegClass::Int } else { RegClass::Float };
    PReg::new(usize::from(number % 16), class)
}

/// The registers that may be given out: those that need not be saved first.
pub fn environment(file: &RegisterFile<'_>) -> MachineEnv {
    let (mut preferred, mut others) = ([PRegSet::empty(); 3], [PRegSet::empty(); 3]);
    for &reg in file.classes.iter().flat_map(|class| class.order) {
        let saved = file.callee_saved.intersects(file.regs[usize::from(reg.0)].units);
        let sets = if saved { &mut others } else { &mut preferred };
        let reg = register(reg.0);
        sets[reg.class() as usize].add(reg);
    }
    MachineEnv {
        preferred_regs_by_class: preferred,
        non_preferred_regs_by_class: others,
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

/// The better and slower algorithm, or the fast one.
pub fn options(is_ion: bool) -> RegallocOptions {
    let algorithm = if is_ion { Algorithm::Ion } else { Algorithm::Fastalloc };
    RegallocOptions { algorithm, ..RegallocOptions::default() }
}

/// The original, with the edges that are split.
struct Graph<'a> {
    func: &'a ice_regalloc::Function,
    succs: Vec<Vec<usize>>,
    preds: Vec<Vec<usize>>,
    /// For each block on an edge: the block that the edge leaves, and which of its edges.
    split: Vec<(usize, usize)>,
}

impl Graph<'_> {
    fn new(func: &ice_regalloc::Function) -> Graph<'_> {
        let count = func.num_blocks();
        let blocks = || (0..count as u32).map(Block::from_u32);
        let mut succs: Vec<Vec<usize>> = blocks()
            .map(|block| func.block_succs(block).iter().map(|succ| succ.as_u32() as usize).collect())
            .collect();
        let mut split = Vec::new();
        for block in 0..count {
            for edge in 0..succs[block].len() {
                let target = succs[block][edge];
                let preds = func.block_preds(Block::from_u32(target as u32)).len();
                if succs[block].len() > 1 && preds + usize::from(target == 0) > 1 {
                    succs[block][edge] = succs.len();
                    succs.push(vec![target]);
                    split.push((block, edge));
                }
            }
        }
        let mut preds = vec![Vec::new(); succs.len()];
        for (block, targets) in succs.iter().enumerate() {
            targets.iter().for_each(|&target| preds[target].push(block));
        }
        Graph { func, succs, preds, split }
    }

    fn params(&self, block: usize) -> &[VReg] {
        if block < self.func.num_blocks() {
            self.func.block_params(Block::from_u32(block as u32))
        } else {
            &[]
        }
    }

    /// The arguments that the edge `edge` of `block` gives to the parameters of its target.
    fn args(&self, block: usize, edge: usize) -> &[VReg] {
        let (from, edge) = match block.checked_sub(self.func.num_blocks()) {
            Some(n) => self.split[n],
            None if self.succs[block][edge] >= self.func.num_blocks() => return &[],
            None => (block, edge),
        };
        self.func.edge_args(Block::from_u32(from as u32), edge)
    }

    fn insts(&self, block: usize) -> Range {
        if block >= self.func.num_blocks() {
            return 0..0;
        }
        let range = self.func.block_insts(Block::from_u32(block as u32));
        range.start.as_u32() as usize..range.end.as_u32() as usize
    }

    fn operands(&self, inst: usize) -> &[Operand] {
        self.func.operands(Inst::from_u32(inst as u32))
    }

    /// The virtual registers with several definitions.
    fn redefined(&self) -> BTreeSet<VReg> {
        let mut definitions = vec![0_u32; self.func.num_vregs()];
        for op in self.func.all_operands().iter().filter(|op| op.is_def()) {
            definitions[op.vreg().as_u32() as usize] += 1;
        }
        for block in 0..self.func.num_blocks() {
            self.params(block).iter().for_each(|param| definitions[param.as_u32() as usize] += 1);
        }
        let several = definitions.iter().enumerate().filter(|(_, count)| **count > 1);
        several.map(|(v, _)| VReg::from_u32(v as u32)).collect()
    }

    /// Which of `values` are live at the start of each block, before its parameters.
    fn live_in(&self, values: &BTreeSet<VReg>) -> Vec<BTreeSet<VReg>> {
        let mut live = vec![BTreeSet::new(); self.succs.len()];
        let mut waiting: Vec<usize> = (0..self.succs.len()).collect();
        while let Some(block) = waiting.pop() {
            let mut here: BTreeSet<VReg> =
                self.succs[block].iter().flat_map(|&succ| live[succ].iter().copied()).collect();
            for edge in 0..self.succs[block].len() {
                here.extend(self.args(block, edge).iter().filter(|arg| values.contains(arg)));
            }
            for inst in self.insts(block).rev() {
                let ops = self.operands(inst);
                here.retain(|v| !ops.iter().any(|op| op.is_def() && op.vreg() == *v));
                here.extend(
                    ops.iter().filter(|op| op.is_use()).map(|op| op.vreg()).filter(|v| values.contains(v)),
                );
            }
            here.retain(|v| !self.params(block).contains(v));
            if here != live[block] {
                live[block] = here;
                waiting.extend(&self.preds[block]);
            }
        }
        live
    }
}

/// Converts a function; none if it has operands that must be on the stack, or code that nothing reaches.
pub fn convert(func: &ice_regalloc::Function) -> Option<Converted> {
    let graph = Graph::new(func);
    let redefined = graph.redefined();
    let live_in = graph.live_in(&redefined);
    let blocks = graph.succs.len();
    let mut out = Converted { vregs: func.num_vregs(), ..Converted::default() };
    out.succs =
        graph.succs.iter().map(|list| list.iter().map(|&b| regalloc2::Block::new(b)).collect()).collect();
    out.preds =
        graph.preds.iter().map(|list| list.iter().map(|&b| regalloc2::Block::new(b)).collect()).collect();
    (out.params, out.args) = (vec![Vec::new(); blocks], vec![Vec::new(); blocks]);
    let numbers = func.num_insts() + graph.split.len();
    (out.operands, out.clobbers) = (vec![Vec::new(); numbers], vec![PRegSet::empty(); numbers]);
    for block in 0..func.num_blocks() {
        out.blocks.push(graph.insts(block));
    }
    out.origin.extend(0..func.num_insts());
    for &(block, _) in &graph.split {
        out.blocks.push(out.origin.len()..out.origin.len() + 1);
        out.origin.push(graph.insts(block).end - 1);
    }
    out.ends = vec![End::Next; numbers];
    for (block, range) in out.blocks.iter().enumerate() {
        let last = &mut out.ends[range.end - 1];
        *last = if out.succs[block].is_empty() { End::Return } else { End::Branch };
    }
    let mut names: Vec<Option<BTreeMap<VReg, regalloc2::VReg>>> = vec![None; blocks];
    // Blocks behind the one block that they are reached from; what it calls its values at its end.
    let mut waiting = vec![(0, BTreeMap::new())];
    while let Some((block, mut here)) = waiting.pop() {
        if names[block].is_some() {
            continue;
        }
        let mut params: Vec<VReg> = graph.params(block).to_vec();
        if graph.preds[block].len() > 1 {
            params.extend(&live_in[block]);
        }
        let defined: Vec<_> =
            params.iter().map(|&param| out.define(func, &redefined, &mut here, param)).collect();
        out.params[block] = defined;
        for inst in graph.insts(block) {
            out.inst(func, inst, &redefined, &mut here)?;
        }
        waiting.extend(graph.succs[block].iter().map(|&succ| (succ, here.clone())));
        names[block] = Some(here);
    }
    for (block, here) in names.iter().enumerate() {
        let here = here.as_ref()?;
        for (edge, &target) in graph.succs[block].iter().enumerate() {
            let mut args: Vec<VReg> = graph.args(block, edge).to_vec();
            if graph.preds[target].len() > 1 {
                args.extend(&live_in[target]);
            }
            let args =
                args.iter().map(|&arg| out.name(func, &redefined, here, arg)).collect::<Option<_>>()?;
            out.args[block].push(args);
        }
    }
    Some(out)
}

impl Converted {
    /// What each instruction weighs, if those of the original do as given.
    pub fn weights(&self, of_original: &[f64]) -> Vec<f64> {
        self.origin.iter().map(|&inst| of_original[inst]).collect()
    }

    /// What `v` is called at present; none if it has no value.
    fn name(
        &self,
        func: &ice_regalloc::Function,
        redefined: &BTreeSet<VReg>,
        names: &BTreeMap<VReg, regalloc2::VReg>,
        v: VReg,
    ) -> Option<regalloc2::VReg> {
        if redefined.contains(&v) {
            return names.get(&v).copied();
        }
        Some(regalloc2::VReg::new(v.as_u32() as usize, class_of(func.vreg_class(v))))
    }

    /// A name for a definition of `v`.
    fn define(
        &mut self,
        func: &ice_regalloc::Function,
        redefined: &BTreeSet<VReg>,
        names: &mut BTreeMap<VReg, regalloc2::VReg>,
        v: VReg,
    ) -> regalloc2::VReg {
        let class = class_of(func.vreg_class(v));
        if !redefined.contains(&v) {
            return regalloc2::VReg::new(v.as_u32() as usize, class);
        }
        let name = regalloc2::VReg::new(self.vregs, class);
        self.vregs += 1;
        names.insert(v, name);
        name
    }

    /// The operands and clobbers of an instruction.
    fn inst(
        &mut self,
        func: &ice_regalloc::Function,
        number: usize,
        redefined: &BTreeSet<VReg>,
        names: &mut BTreeMap<VReg, regalloc2::VReg>,
    ) -> Option<()> {
        let inst = Inst::from_u32(number as u32);
        let (mut operands, mut definitions) = (Vec::new(), Vec::new());
        let mut clobbers = PRegSet::empty();
        func.clobbers(inst).iter().for_each(|unit| clobbers.add(register(unit)));
        for op in func.operands(inst) {
            let constraint = match op.constraint() {
                Constraint::Any => regalloc2::OperandConstraint::Any,
                Constraint::Reg => regalloc2::OperandConstraint::Reg,
                Constraint::Fixed(reg) => regalloc2::OperandConstraint::FixedReg(register(reg.0)),
                Constraint::Stack => return None,
            };
            let pos = match op.pos() {
                OperandPos::Early => regalloc2::OperandPos::Early,
                OperandPos::Late => regalloc2::OperandPos::Late,
            };
            let used = if op.is_use() { Some(self.name(func, redefined, names, op.vreg())?) } else { None };
            let is_fixed = matches!(op.constraint(), Constraint::Fixed(_));
            let (read, written, pos) = match op.kind() {
                OperandKind::UseDef if is_fixed => (constraint, constraint, EARLY_LATE),
                OperandKind::UseDef => {
                    let reused = regalloc2::OperandConstraint::Reuse(operands.len());
                    (regalloc2::OperandConstraint::Reg, reused, EARLY_LATE)
                }
                _ => (constraint, constraint, (pos, pos)),
            };
            if let Some(used) = used {
                operands.push(regalloc2::Operand::new(used, read, regalloc2::OperandKind::Use, pos.0));
            }
            if op.is_def() {
                definitions.push((op.vreg(), written, pos.1));
            }
            // What is defined in a register is not destroyed there.
            if op.is_def()
                && let Constraint::Fixed(reg) = op.constraint()
            {
                clobbers.remove(register(reg.0));
            }
        }
        for (v, constraint, pos) in definitions {
            let name = self.define(func, redefined, names, v);
            operands.push(regalloc2::Operand::new(name, constraint, regalloc2::OperandKind::Def, pos));
        }
        (self.operands[number], self.clobbers[number]) = (operands, clobbers);
        Some(())
    }
}

impl regalloc2::Function for Converted {
    fn num_insts(&self) -> usize {
        self.origin.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> regalloc2::Block {
        regalloc2::Block::new(0)
    }

    fn block_insns(&self, block: regalloc2::Block) -> regalloc2::InstRange {
        let Range { start, end } = self.blocks[block.index()].clone();
        regalloc2::InstRange::new(regalloc2::Inst::new(start), regalloc2::Inst::new(end))
    }

    fn block_succs(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.succs[block.index()]
    }

    fn block_preds(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.preds[block.index()]
    }

    fn block_params(&self, block: regalloc2::Block) -> &[regalloc2::VReg] {
        &self.params[block.index()]
    }

    fn is_ret(&self, inst: regalloc2::Inst) -> bool {
        self.ends[inst.index()] == End::Return
    }

    fn is_branch(&self, inst: regalloc2::Inst) -> bool {
        self.ends[inst.index()] == End::Branch
    }

    fn branch_blockparams(
        &self,
        block: regalloc2::Block,
        _: regalloc2::Inst,
        edge: usize,
    ) -> &[regalloc2::VReg] {
        &self.args[block.index()][edge]
    }

    fn inst_operands(&self, inst: regalloc2::Inst) -> &[regalloc2::Operand] {
        &self.operands[inst.index()]
    }

    fn inst_clobbers(&self, inst: regalloc2::Inst) -> PRegSet {
        self.clobbers[inst.index()]
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        if class == RegClass::Float { 2 } else { 1 }
    }
}
