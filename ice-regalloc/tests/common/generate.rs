//! Random functions.

use super::{Rng, StoredBlock, StoredFunction, StoredInst};
use ice_regalloc::*;

struct Generator<'a> {
    rng: &'a mut Rng,
    file: &'static RegisterFile<'static>,
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

    fn size_of(&self, v: VReg) -> u32 {
        match self.func.sizes[v.as_u32() as usize] {
            0 => self.file.class(self.class_of(v)).spill_size,
            size => size,
        }
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

    /// How many of the strong operands that an instruction may have one of this class counts for.
    fn weight(&self, class: RegClass) -> usize {
        if self.file.class(class).order.len() < 3 && self.file.regs.len() > 4 { 2 } else { 1 }
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

    /// A constant, an address, an argument on the stack.
    fn constant(&mut self) {
        let v = if self.rng.one_in(12) { self.target() } else { self.new_vreg() };
        let class = self.operand_class(v);
        let op = if self.rng.one_in(8) { Operand::def_any(v, class) } else { Operand::def_reg(v, class) };
        let remat = self.rng.pick(&[Remat::Register, Remat::Anywhere, Remat::Memory]);
        self.push(StoredInst { ops: vec![op], remat: Some(remat), ..Default::default() });
    }

    fn random_inst(&mut self) {
        match self.rng.below(13) {
            0 => self.call(),
            12 => self.constant(),
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
                        is_move: true,
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

    /// Many operands that may be anywhere: up to 300, and sometimes up to 5000.
    fn many(&mut self) {
        let mut ops = Vec::new();
        let most = if self.rng.one_in(100) { 5000 } else { 300 };
        for _ in 0..self.rng.below(most) {
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
            let class = self.class_of(v);
            ops.push(if self.rng.one_in(4) {
                Operand::def_early_any(v, class)
            } else {
                Operand::def_any(v, class)
            });
        }
        self.push(StoredInst { ops, ..Default::default() });
    }

    /// A fixed operand in a register that no other one of the instruction names. Uses and definitions of
    /// all kinds.
    fn fixed(&mut self, fixed: &mut RegUnits, make: fn(VReg, RegClass, PReg) -> Operand) -> Option<Operand> {
        let probe = make(VReg::from_u32(0), RegClass(0), PReg(0));
        let v = if probe.is_use() { self.source()? } else { self.target() };
        let class = self.operand_class(v);
        let order = self.file.class(class).order;
        let reg = self.rng.pick(order);
        let units = self.file.units(reg);
        // Something is left of small classes.
        if fixed.intersects(units) || order.len() < 4 && self.rng.one_in(2) {
            return None;
        }
        fixed.insert(units);
        Some(make(v, class, reg))
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
                7 if strong + self.weight(class) <= 2 => Operand::use_late_reg(v, class),
                8 | 9 if strong + self.weight(class) <= 2 => {
                    let make = if kind == 8 { Operand::use_fixed } else { Operand::use_late_fixed };
                    match self.fixed(&mut fixed, make) {
                        Some(op) => op,
                        None => continue,
                    }
                }
                _ if strong + self.weight(class) <= 2 => Operand::use_reg(v, class),
                _ => continue,
            };
            strong += if kind >= 7 { self.weight(class) } else { 0 };
            ops.push(op);
        }
        for _ in 0..self.rng.below(3) {
            let rewrite = self.rng.one_in(3);
            let v = if rewrite { self.source() } else { Some(self.target()) };
            let Some(v) = v else { continue };
            if defines(&ops, v) {
                continue;
            }
            let own = self.class_of(v);
            let class = self.operand_class(v);
            let kind = self.rng.below(8);
            let op = match (rewrite, kind) {
                (true, 0 | 1) => Operand::use_def_any(v, own),
                (true, 2) => Operand::use_def_stack(v, own),
                (_, 6 | 7) if strong + self.weight(class) <= 2 => {
                    let make = match (rewrite, kind) {
                        (true, _) => Operand::use_def_fixed,
                        (false, 6) => Operand::def_fixed,
                        _ => Operand::def_early_fixed,
                    };
                    match self.fixed(&mut fixed, make) {
                        Some(op) if !defines(&ops, op.vreg()) => op,
                        _ => continue,
                    }
                }
                (true, _) if strong + self.weight(class) <= 2 => Operand::use_def_reg(v, class),
                (false, 0) => Operand::def_any(v, own),
                (false, 1) => Operand::def_stack(v, own),
                (false, 2) => Operand::def_early_any(v, own),
                (false, 3) if strong + self.weight(class) <= 2 => Operand::def_early_reg(v, class),
                (false, _) if strong + self.weight(class) <= 2 => Operand::def_reg(v, class),
                _ => continue,
            };
            strong += if kind >= 2 { self.weight(class) } else { 0 };
            ops.push(op);
        }
        // Order must not matter.
        if self.rng.one_in(2) {
            ops.reverse();
        }
        // Registers that no fixed operand needs may be destroyed.
        let mut clobbers = RegUnits::EMPTY;
        if self.rng.one_in(4) {
            let keep = self.file.callee_saved.union(fixed);
            for _ in 0..self.rng.below(self.file.regs.len() / 4 + 1) {
                let units = self.file.regs[self.rng.below(self.file.regs.len())].units;
                if !keep.intersects(units) {
                    clobbers.insert(units);
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

    /// A call that control may leave in several ways.
    fn sealing_call(&mut self) {
        self.call();
        if let Some(call) = self.func.insts.last_mut() {
            call.ops.retain(|op| op.is_use());
            call.terminates = true;
        }
    }

    /// What comes out of such a call.
    fn results(&mut self) {
        let (mut ops, mut used) = (Vec::new(), RegUnits::EMPTY);
        for _ in 0..self.rng.below(3) {
            let v = self.new_vreg();
            let class = self.class_of(v);
            let reg = self.rng.pick(self.file.class(class).order);
            // What callees preserve is no result.
            if !used.union(self.file.callee_saved).intersects(self.file.units(reg)) {
                used.insert(self.file.units(reg));
                ops.push(Operand::def_fixed(v, class, reg));
            }
        }
        if !ops.is_empty() {
            self.push(StoredInst { ops, ..Default::default() });
        }
    }
}

fn defines(ops: &[Operand], v: VReg) -> bool {
    ops.iter().any(|op| op.is_def() && op.vreg() == v)
}

/// A random function for `file`: a forward graph with back edges, critical edges split where values are passed,
/// values read only where some path has defined them or (rarely) may not have.
pub fn random_function(rng: &mut Rng, file: &'static RegisterFile<'static>) -> StoredFunction {
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
    // Critical edges are split, unless they need not be: nothing is passed on them.
    let whole = rng.one_in(2);
    let mut indegree = vec![0; body];
    succs.iter().flatten().for_each(|&s| indegree[s] += 1);
    let takes: Vec<bool> = (0..body).map(|_| !whole || rng.one_in(2)).collect();
    let mut b = 0;
    while b < body {
        for k in 0..succs[b].len() {
            let target = succs[b][k];
            if succs[b].len() > 1 && indegree[target] > 1 && takes[target] {
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
    let mut indegree = vec![0; succs.len()];
    succs.iter().flatten().for_each(|&s| indegree[s] += 1);
    // Blocks that end in a call which control may leave in several ways.
    let sealing: Vec<bool> = succs
        .iter()
        .map(|list| !list.is_empty() && list.iter().all(|&s| indegree[s] == 1) && g.rng.one_in(5))
        .collect();
    let is_behind_call = |s: usize| (0..succs.len()).any(|b| sealing[b] && succs[b].contains(&s));
    for b in 1..body {
        if is_behind_call(b) {
            continue;
        }
        for _ in 0..g.rng.below(4) {
            let v = g.new_vreg();
            if takes[b] && !g.func.blocks[b].preds.is_empty() {
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
        if is_behind_call(b) {
            g.results();
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
                        let size = g.size_of(param);
                        let fitting: Vec<VReg> = g
                            .live
                            .iter()
                            .copied()
                            .filter(|&v| g.class_of(v) == class && g.size_of(v) >= size)
                            .collect();
                        if fitting.is_empty() { param } else { g.rng.pick(&fitting) }
                    })
                    .collect()
            })
            .collect();
        if sealing[b] {
            g.sealing_call();
        } else {
            if list.len() > 1 {
                g.terminator(true);
            }
            let uses = g.rng.one_in(2);
            g.terminator(uses);
        }
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
