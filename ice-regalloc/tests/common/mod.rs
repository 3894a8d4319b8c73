//! Shared by the tests: three register files, a stored function, a random generator of functions
//! and an interpreter that runs a function and its allocation side by side.
#![allow(dead_code, clippy::needless_range_loop)]

use ice_regalloc::*;
use std::collections::HashMap;
use std::ops::Range;

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d | 1);
        (0..4).for_each(|_| {
            rng.next();
        });
        rng
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const fn reg(name: &'static str, first: u8, count: u8) -> RegisterInfo {
    RegisterInfo { name, units: RegUnits::span(first, count) }
}
const fn p<const N: usize>(numbers: [u8; N]) -> [PReg; N] {
    let mut out = [PReg(0); N];
    let mut i = 0;
    while i < N {
        out[i] = PReg(numbers[i]);
        i += 1;
    }
    out
}
const fn class(name: &'static str, order: &'static [PReg], size: u32) -> ClassInfo {
    ClassInfo { name, order, spill_size: size, spill_align: if size > 8 { 16 } else { size } }
}

/// i386: 32-bit registers of two or three units, byte registers that alias them, and a class of
/// the registers with byte forms.
pub static X86: RegisterFile = RegisterFile {
    regs: &[
        reg("eax", 0, 3),
        reg("ecx", 3, 3),
        reg("edx", 6, 3),
        reg("ebx", 9, 3),
        reg("esi", 12, 1),
        reg("edi", 13, 1),
        reg("ebp", 14, 1),
        reg("al", 0, 1),
        reg("ah", 1, 1),
        reg("cl", 3, 1),
        reg("ch", 4, 1),
        reg("dl", 6, 1),
        reg("dh", 7, 1),
        reg("bl", 9, 1),
        reg("bh", 10, 1),
        reg("xmm0", 16, 1),
        reg("xmm1", 17, 1),
        reg("xmm2", 18, 1),
        reg("xmm3", 19, 1),
    ],
    classes: &[
        class("gpr", &p([0, 1, 2, 3, 4, 5, 6]), 4),
        class("abcd", &p([0, 1, 2, 3]), 4),
        class("byte", &p([7, 8, 9, 10, 11, 12, 13, 14]), 1),
        class("xmm", &p([15, 16, 17, 18]), 16),
    ],
    callee_saved: RegUnits::span(9, 6),
};

/// ARM: 16 integer units, and 64 units of s/d/q registers that start above unit 64.
const ARM_REGS: [RegisterInfo; 10 + 16 + 8 + 4] = {
    let mut regs = [reg("r", 0, 1); 38];
    let mut i = 0;
    while i < 38 {
        regs[i] = match i {
            0..10 => reg("r", i as u8, 1),
            10..26 => reg("s", 60 + (i as u8 - 10), 1),
            26..34 => reg("d", 60 + (i as u8 - 26) * 2, 2),
            _ => reg("q", 60 + (i as u8 - 34) * 4, 4),
        };
        i += 1;
    }
    regs
};
pub static ARM: RegisterFile = RegisterFile {
    regs: &ARM_REGS,
    classes: &[
        class("r", &p([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 4),
        class("s", &p([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]), 4),
        class("d", &p([26, 27, 28, 29, 30, 31, 32, 33]), 8),
        class("q", &p([34, 35, 36, 37]), 16),
    ],
    callee_saved: RegUnits::span(4, 6).union(RegUnits::span(68, 8)),
};

/// Few plain registers: much eviction.
pub static TINY: RegisterFile = RegisterFile {
    regs: &[reg("a", 0, 1), reg("b", 1, 1), reg("c", 2, 1), reg("d", 3, 1)],
    classes: &[class("all", &p([0, 1, 2, 3]), 8), class("low", &p([0, 1]), 8)],
    callee_saved: RegUnits::of(3),
};

#[derive(Clone, Debug, Default)]
pub struct StoredInst {
    pub ops: Vec<Operand>,
    pub clobbers: RegUnits,
    pub is_move: Option<(VReg, VReg)>,
    pub terminates: bool,
}

#[derive(Clone, Debug, Default)]
pub struct StoredBlock {
    pub insts: Range<u32>,
    pub succs: Vec<Block>,
    pub preds: Vec<Block>,
    pub params: Vec<VReg>,
    pub args: Vec<Vec<VReg>>,
}

#[derive(Clone, Debug, Default)]
pub struct StoredFunction {
    pub blocks: Vec<StoredBlock>,
    pub insts: Vec<StoredInst>,
    pub classes: Vec<RegClass>,
    pub sizes: Vec<u32>,
}

impl Function for StoredFunction {
    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }
    fn num_insts(&self) -> usize {
        self.insts.len()
    }
    fn num_vregs(&self) -> usize {
        self.classes.len()
    }
    fn entry(&self) -> Block {
        Block::from_u32(0)
    }
    fn block_insts(&self, b: Block) -> Range<Inst> {
        let r = &self.blocks[b.as_u32() as usize].insts;
        Inst::from_u32(r.start)..Inst::from_u32(r.end)
    }
    fn block_succs(&self, b: Block) -> &[Block] {
        &self.blocks[b.as_u32() as usize].succs
    }
    fn block_preds(&self, b: Block) -> &[Block] {
        &self.blocks[b.as_u32() as usize].preds
    }
    fn block_params(&self, b: Block) -> &[VReg] {
        &self.blocks[b.as_u32() as usize].params
    }
    fn edge_args(&self, b: Block, k: usize) -> &[VReg] {
        &self.blocks[b.as_u32() as usize].args[k]
    }
    fn operands(&self, i: Inst) -> &[Operand] {
        &self.insts[i.as_u32() as usize].ops
    }
    fn clobbers(&self, i: Inst) -> RegUnits {
        self.insts[i.as_u32() as usize].clobbers
    }
    fn is_move(&self, i: Inst) -> Option<(VReg, VReg)> {
        self.insts[i.as_u32() as usize].is_move
    }
    fn is_terminator(&self, i: Inst) -> bool {
        self.insts[i.as_u32() as usize].terminates
    }
    fn vreg_class(&self, v: VReg) -> RegClass {
        self.classes[v.as_u32() as usize]
    }
    fn vreg_size(&self, v: VReg) -> u32 {
        self.sizes[v.as_u32() as usize]
    }
}

struct Generator<'a> {
    rng: &'a mut Rng,
    file: &'static RegisterFile,
    func: StoredFunction,
    /// Registers that may be read in the present block.
    live: Vec<VReg>,
}

impl Generator<'_> {
    fn new_vreg(&mut self) -> VReg {
        let class = RegClass(self.rng.below(self.file.classes.len()) as u8);
        let class = if self.rng.one_in(2) { RegClass(0) } else { class };
        self.func.classes.push(class);
        let size = self.file.class(class).spill_size;
        self.func.sizes.push(if size >= 4 && self.rng.one_in(8) { size * 2 } else { 0 });
        VReg::from_u32(self.func.classes.len() as u32 - 1)
    }

    fn class_of(&self, v: VReg) -> RegClass {
        self.func.classes[v.as_u32() as usize]
    }

    /// A class for an operand of `v`: its own or, sometimes, another with the same registers.
    fn operand_class(&mut self, v: VReg) -> RegClass {
        let own = self.class_of(v);
        let file = self.file;
        let subset = (0..file.classes.len()).find(|&c| {
            c != own.index() && file.classes[c].order.iter().all(|r| file.class(own).order.contains(r))
        });
        match subset {
            Some(c) if self.rng.one_in(4) => RegClass(c as u8),
            _ => own,
        }
    }

    fn source(&mut self) -> Option<VReg> {
        if self.live.is_empty() {
            return None;
        }
        // Mostly recent values.
        let n = self.live.len();
        let back = if self.rng.one_in(3) { n } else { n.min(6) };
        Some(self.live[n - 1 - self.rng.below(back)])
    }

    fn push(&mut self, inst: StoredInst) {
        for op in &inst.ops {
            if op.is_def() && !self.live.contains(&op.vreg()) {
                self.live.push(op.vreg());
            }
        }
        self.func.insts.push(inst);
    }

    /// A register to define: new, or an old one again.
    fn target(&mut self) -> VReg {
        if self.rng.one_in(6)
            && let Some(v) = self.source()
        {
            return v;
        }
        self.new_vreg()
    }

    fn random_inst(&mut self) {
        match self.rng.below(12) {
            0 => self.call(),
            1 | 2 => {
                if let Some(from) = self.source() {
                    let class = self.class_of(from);
                    let to = self.new_vreg();
                    self.func.classes[to.as_u32() as usize] = class;
                    self.func.sizes[to.as_u32() as usize] = self.func.sizes[from.as_u32() as usize];
                    let source = if self.rng.one_in(2) {
                        Operand::use_any(from, class)
                    } else {
                        Operand::use_reg(from, class)
                    };
                    self.push(StoredInst {
                        ops: vec![source, Operand::def_reg(to, class)],
                        is_move: Some((from, to)),
                        ..Default::default()
                    });
                }
            }
            3 if self.rng.one_in(12) => self.many(),
            _ => self.mixed(),
        }
    }

    /// Fixed arguments, clobbers, a fixed result: like a call or a division.
    fn call(&mut self) {
        let mut ops: Vec<Operand> = Vec::new();
        let mut used = RegUnits::EMPTY;
        for _ in 0..self.rng.below(4) {
            let Some(v) = self.source() else { break };
            let class = self.class_of(v);
            let reg = self.rng.pick(self.file.class(class).order);
            if !used.intersects(self.file.units(reg)) {
                used.insert(self.file.units(reg));
                ops.push(Operand::use_fixed(v, class, reg));
            } else if self.rng.one_in(2) {
                ops.push(Operand::use_any(v, class));
            }
        }
        let mut clobbers = RegUnits::EMPTY;
        for info in self.file.regs {
            if !self.file.callee_saved.intersects(info.units) || self.rng.one_in(10) {
                clobbers.insert(info.units);
            }
        }
        if self.rng.one_in(2) {
            let to = self.target();
            let class = self.class_of(to);
            let reg = self.rng.pick(self.file.class(class).order);
            ops.push(Operand::def_fixed(to, class, reg));
        }
        self.push(StoredInst { ops, clobbers, ..Default::default() });
    }

    /// Up to 300 operands that may be anywhere.
    fn many(&mut self) {
        let mut ops = Vec::new();
        for _ in 0..self.rng.below(300) {
            let Some(v) = self.source() else { return };
            let class = self.class_of(v);
            ops.push(if self.rng.one_in(8) {
                Operand::use_late_any(v, class)
            } else {
                Operand::use_any(v, class)
            });
        }
        for _ in 0..self.rng.below(12) {
            let v = self.new_vreg();
            ops.push(Operand::def_any(v, self.class_of(v)));
        }
        self.push(StoredInst { ops, ..Default::default() });
    }

    /// A few operands of all kinds. Register demand stays below what every class can give.
    fn mixed(&mut self) {
        let mut ops: Vec<Operand> = Vec::new();
        let mut strong = 0;
        let mut fixed = RegUnits::EMPTY;
        for _ in 0..self.rng.below(5) {
            let Some(v) = self.source() else { break };
            let class = self.operand_class(v);
            let own = self.class_of(v);
            let kind = self.rng.below(14);
            let op = match kind {
                0..4 => Operand::use_any(v, own),
                4 => Operand::use_late_any(v, own),
                5 => Operand::use_stack(v, own),
                6 => Operand::use_late_stack(v, own),
                7 if strong < 2 => Operand::use_late_reg(v, class),
                8 if strong < 2 => {
                    let reg = self.rng.pick(self.file.class(class).order);
                    let units = self.file.units(reg);
                    if fixed.intersects(units) {
                        continue;
                    }
                    fixed.insert(units);
                    Operand::use_fixed(v, class, reg)
                }
                _ if strong < 2 => Operand::use_reg(v, class),
                _ => continue,
            };
            strong += usize::from(kind >= 7);
            ops.push(op);
        }
        for _ in 0..self.rng.below(3) {
            let rewrite = self.rng.one_in(3);
            let v = if rewrite { self.source() } else { Some(self.target()) };
            let Some(v) = v else { continue };
            if ops.iter().any(|op| op.is_def() && op.vreg() == v) {
                continue;
            }
            let own = self.class_of(v);
            let class = self.operand_class(v);
            let kind = self.rng.below(6);
            let op = match (rewrite, kind) {
                (true, 0 | 1) => Operand::use_def_any(v, own),
                (true, 2) => Operand::use_def_stack(v, own),
                (true, _) if strong < 2 => Operand::use_def_reg(v, class),
                (false, 0) => Operand::def_any(v, own),
                (false, 1) => Operand::def_stack(v, own),
                (false, 2) => Operand::def_early_any(v, own),
                (false, 3) if strong < 2 => Operand::def_early_reg(v, class),
                (false, _) if strong < 2 => Operand::def_reg(v, class),
                _ => continue,
            };
            strong += usize::from(kind >= 2);
            ops.push(op);
        }
        // Order must not matter.
        if self.rng.one_in(2) {
            ops.reverse();
        }
        // Registers that no fixed operand needs may be destroyed, one of each class kept.
        let mut clobbers = RegUnits::EMPTY;
        if self.rng.one_in(4) {
            for info in self.file.regs {
                let keep = self.file.callee_saved.union(fixed);
                if self.rng.one_in(4) && !keep.intersects(info.units) {
                    clobbers.insert(info.units);
                }
            }
        }
        self.push(StoredInst { ops, clobbers, ..Default::default() });
    }

    fn terminator(&mut self, uses: bool) {
        let mut ops = Vec::new();
        if uses && let Some(v) = self.source() {
            let class = self.class_of(v);
            ops.push(match self.rng.below(3) {
                0 => Operand::use_reg(v, class),
                1 => Operand::use_any(v, class),
                _ => Operand::use_fixed(v, class, self.file.class(class).order[0]),
            });
        }
        self.func.insts.push(StoredInst { ops, terminates: true, ..Default::default() });
    }
}

/// A random function for `file`: a forward graph with back edges, critical edges split, values
/// read only where some path has defined them or (rarely) may not have.
pub fn random_function(rng: &mut Rng, file: &'static RegisterFile) -> StoredFunction {
    let body = 1 + rng.below(8);
    let mut succs: Vec<Vec<usize>> = Vec::new();
    for b in 0..body {
        let mut list = Vec::new();
        if b + 1 < body {
            list.push(b + 1);
            for _ in 0..rng.below(3) {
                list.push(rng.below(body - 1) + 1);
            }
        } else if body > 1 && rng.one_in(2) {
            list.push(rng.below(body - 1) + 1);
        }
        if rng.one_in(3) {
            list.truncate(1);
        }
        succs.push(list);
    }
    // Split critical edges, and some others too.
    let mut indegree = vec![0; body];
    succs.iter().flatten().for_each(|&s| indegree[s] += 1);
    let mut b = 0;
    while b < body {
        for k in 0..succs[b].len() {
            let target = succs[b][k];
            if succs[b].len() > 1 && indegree[target] > 1 {
                let middle = succs.len();
                succs.push(vec![target]);
                succs[b][k] = middle;
            }
        }
        b += 1;
    }
    let func = StoredFunction { blocks: vec![StoredBlock::default(); succs.len()], ..Default::default() };
    let mut g = Generator { rng, file, func, live: Vec::new() };
    for (b, list) in succs.iter().enumerate() {
        for &s in list {
            g.func.blocks[b].succs.push(Block::from_u32(s as u32));
            g.func.blocks[s].preds.push(Block::from_u32(b as u32));
        }
    }
    for b in 1..body {
        for _ in 0..g.rng.below(4) {
            let v = g.new_vreg();
            if !g.func.blocks[b].preds.is_empty() {
                g.func.blocks[b].params.push(v);
            }
        }
    }
    let mut globals: Vec<VReg> = Vec::new();
    for b in 0..succs.len() {
        let start = g.func.insts.len() as u32;
        g.live = globals.clone();
        g.live.extend(g.func.blocks[b].params.clone());
        if b == 0 {
            let ops = (0..file.classes.len() as u8)
                .map(|c| {
                    let v = g.new_vreg();
                    g.func.classes[v.as_u32() as usize] = RegClass(c);
                    g.func.sizes[v.as_u32() as usize] = 0;
                    (v, RegClass(c))
                })
                .collect::<Vec<_>>();
            let mut taken = RegUnits::EMPTY;
            let mut defs = Vec::new();
            for (v, c) in ops {
                let free = file.class(c).order.iter().find(|r| !file.units(**r).intersects(taken));
                if let Some(&reg) = free {
                    taken.insert(file.units(reg));
                    defs.push(Operand::def_fixed(v, c, reg));
                }
            }
            g.push(StoredInst { ops: defs, ..Default::default() });
            globals = g.live.clone();
        }
        if b < body {
            for _ in 0..g.rng.below(25) {
                g.random_inst();
            }
        }
        let list = &succs[b];
        let arguments: Vec<Vec<VReg>> = list
            .iter()
            .map(|&s| {
                let params = g.func.blocks[s].params.clone();
                params
                    .iter()
                    .map(|&param| {
                        let class = g.class_of(param);
                        let size = g.func.sizes[param.as_u32() as usize];
                        let fitting: Vec<VReg> = g
                            .live
                            .iter()
                            .copied()
                            .filter(|&v| g.class_of(v) == class && g.func.sizes[v.as_u32() as usize] == size)
                            .collect();
                        if fitting.is_empty() { param } else { g.rng.pick(&fitting) }
                    })
                    .collect()
            })
            .collect();
        if list.len() > 1 {
            g.terminator(true);
        }
        let uses = g.rng.one_in(2);
        g.terminator(uses);
        g.func.blocks[b].args = arguments;
        g.func.blocks[b].insts = start..g.func.insts.len() as u32;
        // Some values of this block are read in later ones, perhaps without a definition on the
        // way there.
        let live = g.live.clone();
        for v in live {
            if g.rng.one_in(6) && !globals.contains(&v) {
                globals.push(v);
            }
        }
    }
    g.func
}

/// What a place holds that was written in parts.
const BAD: u64 = 1 << 62;

/// Runs `func` along a random path in two ways: with virtual registers, and with the registers and
/// slots of `output`. Gives the first instruction that reads a wrong value. Every definition makes
/// a new value; a value is (number, part) in each unit of a register.
pub fn simulate(
    func: &StoredFunction,
    file: &RegisterFile,
    output: &Output,
    rng: &mut Rng,
) -> Result<(), Inst> {
    let mut virtuals: HashMap<VReg, u64> = HashMap::new();
    let mut units = [0u64; 128];
    let mut slots = vec![(0u64, 0u32); output.slots.len()];
    let mut serial = 1u64;
    let size = |v: VReg| match func.vreg_size(v) {
        0 => file.class(func.vreg_class(v)).spill_size,
        size => size,
    };
    let read = |units: &[u64; 128], slots: &[(u64, u32)], place: Allocation| -> (u64, u32) {
        match (place.as_reg(), place.as_slot()) {
            (Some(reg), _) => {
                let mut parts = file.units(reg).iter().map(|u| units[usize::from(u)]);
                let first = parts.next().unwrap_or(0);
                // Each unit holds `value + its position`; all must fit together.
                let whole = parts.enumerate().all(|(k, part)| part == first + 1 + k as u64);
                (if whole { first } else { BAD }, u32::MAX)
            }
            (_, Some(slot)) => slots.get(slot.as_u32() as usize).copied().unwrap_or((BAD, 0)),
            _ => (BAD, 0),
        }
    };
    let write = |units: &mut [u64; 128],
                 slots: &mut [(u64, u32)],
                 place: Allocation,
                 value: u64,
                 size: u32| match (place.as_reg(), place.as_slot()) {
        (Some(reg), _) => {
            for (k, u) in file.units(reg).iter().enumerate() {
                units[usize::from(u)] = value + k as u64;
            }
        }
        (_, Some(slot)) => {
            if let Some(s) = slots.get_mut(slot.as_u32() as usize) {
                *s = (value, size);
            }
        }
        _ => {}
    };
    let mut block = Block::from_u32(0);
    for _ in 0..40 {
        let range = func.block_insts(block);
        for i in range.start.as_u32()..range.end.as_u32() {
            let inst = Inst::from_u32(i);
            let run_edits = |units: &mut [u64; 128], slots: &mut Vec<(u64, u32)>, point| {
                for e in output.edits.iter().filter(|e| e.point == point) {
                    let (value, bytes) = read(units, slots, e.from);
                    write(units, slots, e.to, value, e.size.min(bytes));
                }
            };
            run_edits(&mut units, &mut slots, ProgPoint::before(inst));
            let ops = func.operands(inst);
            let places = output.allocs_of(inst);
            let mut values = vec![0; ops.len()];
            for k in 0..ops.len() {
                if ops[k].is_def() {
                    serial += 1;
                    values[k] = serial << 16;
                }
            }
            let compare = |units: &[u64; 128], slots: &[(u64, u32)], k: usize| {
                let v = ops[k].vreg();
                let Some(&expected) = virtuals.get(&v) else { return Ok(()) };
                let (value, bytes) = read(units, slots, places[k]);
                if value == expected && bytes >= size(v) { Ok(()) } else { Err(inst) }
            };
            let early = |k: usize| ops[k].pos() == OperandPos::Early;
            for k in 0..ops.len() {
                if ops[k].kind() == OperandKind::Def && early(k) {
                    write(&mut units, &mut slots, places[k], values[k], size(ops[k].vreg()));
                }
            }
            for k in 0..ops.len() {
                if ops[k].is_use() {
                    compare(&units, &slots, k)?;
                }
            }
            for u in func.clobbers(inst).iter() {
                serial += 1;
                units[usize::from(u)] = serial << 16;
            }
            for k in 0..ops.len() {
                if ops[k].is_def() && (ops[k].kind() == OperandKind::UseDef || !early(k)) {
                    write(&mut units, &mut slots, places[k], values[k], size(ops[k].vreg()));
                }
            }
            for k in 0..ops.len() {
                if ops[k].kind() == OperandKind::Use && !early(k) {
                    compare(&units, &slots, k)?;
                }
            }
            // Definitions must all have survived the instruction.
            for k in 0..ops.len() {
                if ops[k].is_def() {
                    if read(&units, &slots, places[k]).0 != values[k] {
                        return Err(inst);
                    }
                    virtuals.insert(ops[k].vreg(), values[k]);
                }
            }
            run_edits(&mut units, &mut slots, ProgPoint::after(inst));
        }
        let succs = func.block_succs(block);
        if succs.is_empty() {
            break;
        }
        let k = rng.below(succs.len());
        let args: Vec<Option<u64>> =
            func.edge_args(block, k).iter().map(|a| virtuals.get(a).copied()).collect();
        for (param, value) in func.block_params(succs[k]).iter().zip(args) {
            match value {
                Some(value) => virtuals.insert(*param, value),
                None => virtuals.remove(param),
            };
        }
        block = succs[k];
    }
    Ok(())
}

pub const GPR: RegClass = RegClass(0);
pub const CALLER_SAVED: RegUnits = RegUnits::span(0, 9);

pub fn v(n: u32) -> VReg {
    VReg::from_u32(n)
}
pub fn inst(ops: &[Operand]) -> StoredInst {
    StoredInst { ops: ops.to_vec(), ..Default::default() }
}
pub fn end(ops: &[Operand]) -> StoredInst {
    StoredInst { terminates: true, ..inst(ops) }
}
pub fn copy(to: u32, from: u32) -> StoredInst {
    StoredInst {
        is_move: Some((v(from), v(to))),
        ..inst(&[Operand::use_any(v(from), GPR), Operand::def_reg(v(to), GPR)])
    }
}
pub fn call(ops: &[Operand]) -> StoredInst {
    StoredInst { clobbers: CALLER_SAVED, ..inst(ops) }
}

/// Instructions of a block, and its edges with their arguments.
pub type BlockText = (Vec<u32>, Vec<StoredInst>, Vec<(u32, Vec<u32>)>);

pub fn function(vregs: usize, blocks: Vec<BlockText>) -> StoredFunction {
    let mut func = StoredFunction {
        classes: vec![GPR; vregs],
        sizes: vec![0; vregs],
        blocks: vec![StoredBlock::default(); blocks.len()],
        ..Default::default()
    };
    for (b, (params, insts, succs)) in blocks.into_iter().enumerate() {
        let start = func.insts.len() as u32;
        func.insts.extend(insts);
        func.blocks[b].insts = start..func.insts.len() as u32;
        func.blocks[b].params = params.into_iter().map(v).collect();
        for (s, args) in succs {
            func.blocks[b].succs.push(Block::from_u32(s));
            func.blocks[b].args.push(args.into_iter().map(v).collect());
            func.blocks[s as usize].preds.push(Block::from_u32(b as u32));
        }
    }
    func
}

/// A chain of loops with so many values or a few more; each value is read near its definition and some far behind it.
pub fn chain_of_loops(values: usize) -> StoredFunction {
    let loops = values / 13 + 1;
    let mut rng = Rng::new(7);
    let (mut blocks, mut next) = (Vec::new(), 8u32);
    let first = (0..8).map(|n| inst(&[Operand::def_reg(v(n), GPR)])).chain([end(&[])]).collect();
    blocks.push((vec![], first, vec![(1, vec![0])]));
    for l in 0..loops as u32 {
        let (param, b) = (next, 1 + 3 * l);
        next += 1;
        let mut insts = Vec::new();
        for k in 0..12 {
            let old = v(next - 1 - rng.below(20.min(next as usize - 1)) as u32);
            insts.push(inst(&[
                Operand::use_any(old, GPR),
                Operand::use_any(v(param), GPR),
                Operand::def_reg(v(next), GPR),
            ]));
            insts.push(if k == 5 && l % 4 == 0 {
                call(&[])
            } else {
                inst(&[Operand::use_def_reg(v(next), GPR)])
            });
            next += 1;
        }
        insts.push(end(&[]));
        blocks.push((vec![param], insts, vec![(b + 1, vec![]), (b + 2, vec![])]));
        blocks.push((vec![], vec![end(&[])], vec![(b, vec![next - 1])]));
        let succ = if l + 1 < loops as u32 { vec![(b + 3, vec![next - 2])] } else { vec![] };
        blocks.push((vec![], vec![end(&[])], succ));
    }
    function(next as usize, blocks)
}
