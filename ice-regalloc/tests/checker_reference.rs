//! The checker against a plain reference of its rules: both report the same violations in the same
//! order, for allocations changed at random and for functions whose operands are placed at random.
//!
//! The reference keeps whole states: a set of virtual registers for every place, and the defined set,
//! at the entry of every block. It iterates forwards to the fixed point. Nothing is shared with the
//! checker but the rules.
//!
//! `ICE_REGALLOC_CASES` sets the number of functions of each kind, `ICE_REGALLOC_SEED` the first seed.

use crate::common;

use common::*;
use ice_regalloc::*;
use std::collections::{BTreeMap, BTreeSet};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

fn cases() -> std::ops::Range<u64> {
    let first = number("ICE_REGALLOC_SEED", 0);
    first..first + number("ICE_REGALLOC_CASES", 400)
}

/// How many of the low bytes of each virtual register are somewhere.
type Held = BTreeMap<VReg, u32>;

/// A state; the meet is that of the rules.
#[derive(Clone, PartialEq)]
struct State {
    places: Vec<Held>,
    defined: BTreeSet<VReg>,
}

impl State {
    fn meet(&self, other: &State) -> State {
        // Of what a side has not defined all bytes are everywhere.
        let of = |side: &State, held: &Held, v: VReg| match side.defined.contains(&v) {
            true => held.get(&v).copied(),
            false => Some(u32::MAX),
        };
        let kept = |a: &Held, b: &Held| {
            let common = |&v: &VReg| Some((v, of(self, a, v)?.min(of(other, b, v)?)));
            a.keys().chain(b.keys()).filter_map(common).collect()
        };
        State {
            places: self.places.iter().zip(&other.places).map(|(a, b)| kept(a, b)).collect(),
            defined: self.defined.union(&other.defined).copied().collect(),
        }
    }
}

struct Reference<'a> {
    func: &'a Function,
    stored: &'a StoredFunction,
    file: &'a RegisterFile<'a>,
    output: &'a Output,
    /// What is always where it can be made again.
    again: Vec<(usize, VReg)>,
}

fn reference(stored: &StoredFunction, file: &RegisterFile, output: &Output) -> Result<(), Vec<Violation>> {
    let func = &stored.build();
    let mut r = Reference { func, stored, file, output, again: Vec::new() };
    for i in 0..func.num_insts() as u32 {
        let place = Allocation::remat(Inst::from_u32(i));
        r.again.extend(r.source(place).zip(r.only_made(place)));
    }
    let mut found = r.constraints();
    if found.is_empty() {
        found = r.values();
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

impl Reference<'_> {
    fn size(&self, v: VReg) -> u32 {
        match self.func.vreg_size(v) {
            0 => self.file.class(self.func.vreg_class(v)).spill_size,
            size => size,
        }
    }

    fn index(&self, place: Allocation) -> Option<usize> {
        let regs = self.file.regs.len();
        match (place.as_reg(), place.as_slot()) {
            (Some(reg), _) => (reg.index() < regs).then_some(reg.index()),
            (_, Some(slot)) => {
                let slot = slot.as_u32() as usize;
                (slot < self.output.slots.len()).then_some(regs + slot)
            }
            _ => None,
        }
    }

    /// The virtual register that the instruction which `place` names can make again, and how.
    fn made(&self, place: Allocation) -> Option<(VReg, Remat)> {
        let inst = place.as_remat().filter(|inst| (inst.as_u32() as usize) < self.func.num_insts())?;
        let remat = self.func.rematerialize(inst)?;
        match self.func.operands(inst) {
            [op] if op.kind() == OperandKind::Def => Some((op.vreg(), remat)),
            _ => None,
        }
    }

    /// The same if nothing else defines it.
    fn only_made(&self, place: Allocation) -> Option<VReg> {
        let (v, _) = self.made(place)?;
        let params = self.stored.blocks.iter().flat_map(|b| &b.params).filter(|&&p| p == v).count();
        let ops = self.stored.insts.iter().flat_map(|i| &i.ops);
        (params + ops.filter(|op| op.is_def() && op.vreg() == v).count() == 1).then_some(v)
    }

    /// Index of a place that can be read. One for each instruction that can be made again follows the slots.
    fn source(&self, place: Allocation) -> Option<usize> {
        let made = self.made(place).and(place.as_remat());
        let places = self.file.regs.len() + self.output.slots.len();
        self.index(place).or(made.map(|inst| places + inst.as_u32() as usize))
    }

    fn fits(&self, place: Allocation, size: u32) -> bool {
        self.index(place).is_some_and(|index| {
            index < self.file.regs.len() || self.output.slots[index - self.file.regs.len()].size >= size
        })
    }

    fn units(&self, place: Allocation) -> RegUnits {
        match place.as_reg() {
            Some(reg) if reg.index() < self.file.regs.len() => self.file.units(reg),
            _ => RegUnits::EMPTY,
        }
    }

    fn constraints(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        for i in 0..self.func.num_insts() as u32 {
            let inst = Inst::from_u32(i);
            let (ops, places) = (self.func.operands(inst), self.output.allocs_of(self.func, inst));
            for (operand, (&op, &place)) in ops.iter().zip(places).enumerate() {
                let home = op.kind() == OperandKind::Use && op.constraint() == Constraint::Any;
                if home && self.made(place).is_some_and(|made| made.1 == Remat::Memory)
                    || place.is_none() && self.made(Allocation::remat(inst)).is_some()
                {
                    continue;
                }
                if !self.fits(place, self.size(op.vreg())) {
                    found.push(Violation::BadPlace { inst, operand, place });
                    continue;
                }
                let in_class = place.as_reg().is_some_and(|r| self.file.class(op.class()).order.contains(&r));
                let obeys = match op.constraint() {
                    Constraint::Any => in_class || place.is_slot(),
                    Constraint::Reg => in_class,
                    Constraint::Stack => place.is_slot(),
                    Constraint::Fixed(reg) => place == Allocation::reg(reg),
                };
                if !obeys {
                    found.push(Violation::Constraint { inst, operand, place });
                }
                let outlives = match op.kind() {
                    OperandKind::Use => op.pos() == OperandPos::Late,
                    OperandKind::Def => op.pos() == OperandPos::Early,
                    OperandKind::UseDef => false,
                };
                if outlives && self.units(place).intersects(self.func.clobbers(inst)) {
                    found.push(Violation::Clobbered { inst, operand });
                }
                if op.is_def() && !self.output.used_regs.contains(self.units(place)) {
                    found.push(Violation::UnreportedRegister { inst, place });
                }
            }
            for second in 0..ops.len() {
                for first in 0..second {
                    let (a, b) = (places[first], places[second]);
                    let overlap = a == b || self.units(a).intersects(self.units(b));
                    if overlap && (disturbs(ops[first], ops[second]) || disturbs(ops[second], ops[first])) {
                        found.push(Violation::Overlap { inst, first, second });
                    }
                }
            }
        }
        found.extend(self.misplaced().map(|edit| Violation::MisplacedEdit { edit }));
        for (index, edit) in self.output.edits.iter().enumerate() {
            let slots = edit.from.is_slot() && edit.to.is_slot();
            let class = edit.class.index() < self.file.classes.len();
            let from = match self.made(edit.from) {
                Some((_, remat)) => edit.to.is_reg() || remat == Remat::Anywhere,
                None => self.fits(edit.from, edit.size),
            };
            if slots || !class || !from || !self.fits(edit.to, edit.size) {
                found.push(Violation::BadEdit { edit: index });
            } else if !self.output.used_regs.contains(self.units(edit.to)) {
                found.push(Violation::UnreportedRegister { inst: edit.point.inst(), place: edit.to });
            }
        }
        found
    }

    /// Edits over what comes in at the start of a block, then those behind terminators.
    fn misplaced(&self) -> impl Iterator<Item = usize> {
        let stored = self.stored;
        let leaves_by_call = |b: &Block| {
            let last = stored.blocks[b.as_u32() as usize].insts.end - 1;
            !stored.insts[last as usize].clobbers.is_empty()
        };
        let mut over = Vec::new();
        for (b, block) in stored.blocks.iter().enumerate() {
            let first = &stored.insts[block.insts.start as usize];
            let takes =
                first.ops.iter().all(|op| !op.is_use() && matches!(op.constraint(), Constraint::Fixed(_)));
            if !takes || b > 0 && !block.preds.iter().any(leaves_by_call) {
                continue;
            }
            for (n, edit) in self.output.edits.iter().enumerate() {
                let is_over = |op: &Operand| match op.constraint() {
                    Constraint::Fixed(reg) => self.file.units(reg).intersects(self.units(edit.to)),
                    _ => false,
                };
                if edit.point == ProgPoint::before(Inst::from_u32(block.insts.start))
                    && first.ops.iter().any(is_over)
                {
                    over.push(n);
                }
            }
        }
        let behind = self.output.edits.iter().enumerate().filter(|(_, edit)| {
            !edit.point.is_before() && stored.insts[edit.point.inst().as_u32() as usize].terminates
        });
        let behind: Vec<usize> = behind.map(|(n, _)| n).collect();
        over.into_iter().chain(behind)
    }

    fn values(&self) -> Vec<Violation> {
        let places = self.file.regs.len() + self.output.slots.len();
        let places = places + self.func.num_insts();
        let mut fresh = State { places: vec![Held::new(); places], defined: BTreeSet::new() };
        self.make_again(&mut fresh);
        let mut inputs: Vec<Option<State>> = vec![None; self.func.num_blocks()];
        inputs[0] = Some(fresh.clone());
        let mut work = vec![0];
        while let Some(b) = work.pop() {
            let mut state = inputs[b].clone().expect("reached");
            self.run(b, &mut state, &mut Vec::new());
            let block = &self.stored.blocks[b];
            for (succ, args) in block.succs.iter().zip(&block.args) {
                let succ = succ.as_u32() as usize;
                let arriving = cross(&state, args, &self.stored.blocks[succ].params);
                let lower = inputs[succ].as_ref().map_or(arriving.clone(), |old| old.meet(&arriving));
                if inputs[succ].as_ref() != Some(&lower) {
                    inputs[succ] = Some(lower);
                    work.push(succ);
                }
            }
        }
        let mut found = Vec::new();
        for (b, input) in inputs.into_iter().enumerate() {
            self.run(b, &mut input.unwrap_or_else(|| fresh.clone()), &mut found);
        }
        found
    }

    fn run(&self, block: usize, state: &mut State, found: &mut Vec<Violation>) {
        for i in self.stored.blocks[block].insts.clone() {
            let inst = Inst::from_u32(i);
            self.edits(ProgPoint::before(inst), state);
            let (ops, places) = (self.func.operands(inst), self.output.allocs_of(self.func, inst));
            for (operand, (op, &place)) in ops.iter().zip(places).enumerate() {
                let vreg = op.vreg();
                let bytes = self.source(place).and_then(|p| state.places[p].get(&vreg));
                let holds = bytes.is_some_and(|&bytes| bytes >= self.size(vreg));
                if op.is_use() && !holds && state.defined.contains(&vreg) {
                    found.push(Violation::WrongValue { inst, operand, vreg, place });
                }
            }
            self.forget(self.func.clobbers(inst), state);
            for op in ops.iter().filter(|op| op.is_def()) {
                state.places.iter_mut().for_each(|values| {
                    values.remove(&op.vreg());
                });
                state.defined.insert(op.vreg());
            }
            for (op, &place) in ops.iter().zip(places).filter(|(op, _)| op.is_def()) {
                self.write(place, Held::from([(op.vreg(), u32::MAX)]), state);
            }
            if ops.iter().any(|op| op.is_def()) {
                self.make_again(state);
            }
            self.edits(ProgPoint::after(inst), state);
        }
    }

    /// What is always where it can be made.
    fn make_again(&self, state: &mut State) {
        for &(place, v) in &self.again {
            state.places[place].insert(v, u32::MAX);
        }
    }

    fn edits(&self, point: ProgPoint, state: &mut State) {
        for edit in self.output.edits.iter().filter(|e| e.point == point) {
            let Some(from) = self.source(edit.from) else { continue };
            let values = state.places[from].iter().map(|(&v, &bytes)| (v, bytes.min(edit.size))).collect();
            self.write(edit.to, values, state);
        }
    }

    fn forget(&self, units: RegUnits, state: &mut State) {
        for (info, values) in self.file.regs.iter().zip(&mut state.places) {
            if info.units.intersects(units) {
                values.clear();
            }
        }
    }

    fn write(&self, place: Allocation, values: Held, state: &mut State) {
        if let Some(index) = self.index(place) {
            self.forget(self.units(place), state);
            state.places[index] = values;
        }
    }
}

/// Whether `a`, a definition, takes the place away while `b` needs it.
fn disturbs(a: Operand, b: Operand) -> bool {
    let early_use = b.kind() == OperandKind::Use && b.pos() == OperandPos::Early;
    let early_def = a.kind() == OperandKind::Def && a.pos() == OperandPos::Early;
    a.is_def() && (early_def || !early_use)
}

fn cross(state: &State, args: &[VReg], params: &[VReg]) -> State {
    let mut arriving = state.clone();
    if args.is_empty() {
        return arriving;
    }
    for (old, new) in state.places.iter().zip(&mut arriving.places) {
        new.retain(|v, _| !params.contains(v));
        new.extend(args.iter().zip(params).filter_map(|(arg, &param)| Some((param, *old.get(arg)?))));
    }
    arriving.defined.retain(|v| !params.contains(v));
    let defined = args.iter().zip(params).filter(|(arg, _)| state.defined.contains(arg));
    arriving.defined.extend(defined.map(|(_, &param)| param));
    arriving
}

/// Some place that exists.
fn any_place(insts: usize, output: &Output, file: &RegisterFile, rng: &mut Rng) -> Allocation {
    if rng.one_in(6) {
        Allocation::remat(Inst::from_u32(rng.below(insts + 1) as u32))
    } else if rng.one_in(2) && !output.slots.is_empty() {
        Allocation::slot(Slot::from_u32(rng.below(output.slots.len()) as u32))
    } else {
        Allocation::reg(PReg(rng.below(file.regs.len()) as u8))
    }
}

/// Changes one thing, or a place to one that occurs elsewhere.
fn change(insts: usize, output: &mut Output, file: &RegisterFile, rng: &mut Rng) {
    let other = any_place(insts, output, file, rng);
    let edits = output.edits.len();
    match rng.below(9) {
        0 if edits > 0 => {
            output.edits.remove(rng.below(edits));
        }
        1 if edits > 0 => output.edits[rng.below(edits)].from = other,
        2 if edits > 0 => output.edits[rng.below(edits)].to = other,
        3 if edits > 1 => {
            let first = rng.below(edits - 1);
            let (a, b) = (output.edits[first], output.edits[first + 1]);
            output.edits[first] = Edit { point: a.point, ..b };
            output.edits[first + 1] = Edit { point: b.point, ..a };
        }
        4 if edits > 0 => output.edits[rng.below(edits)].size = rng.pick(&[1, 2, 4, 8]),
        5 if edits > 0 => {
            let copy = output.edits[rng.below(edits)];
            let at = rng.below(edits);
            let point = output.edits[at].point;
            output.edits.insert(at, Edit { point, ..copy });
        }
        6 if !output.slots.is_empty() && rng.one_in(4) => {
            let slot = rng.below(output.slots.len());
            output.slots[slot].size /= 2;
        }
        7 if rng.one_in(4) => output.used_regs.remove(RegUnits::of(rng.below(8) as u8)),
        _ => {
            let count = output.allocs.len();
            let to = if rng.one_in(2) { other } else { output.allocs[rng.below(count)] };
            output.allocs[rng.below(count)] = to;
        }
    }
}

#[test]
fn changed_allocations_are_judged_as_by_the_reference() {
    let mut context = Context::new();
    let mut checker = Checker::new();
    let (mut right, mut wrong_values, mut wrong_places) = (0, 0, 0);
    for (name, file) in FILES {
        for seed in cases() {
            let mut rng = Rng::new(seed);
            let func = random_function(&mut rng, file);
            let Ok(output) = context.allocate(&func.build(), file, &Options::default()) else { continue };
            assert_eq!(reference(&func, file, output), Ok(()), "{name} seed {seed}");
            for changes in [0, 1, 1, 2, 4] {
                let mut output = output.clone();
                (0..changes).for_each(|_| change(func.insts.len(), &mut output, file, &mut rng));
                let verdict = checker.check(&func.build(), file, &output);
                assert_eq!(verdict, reference(&func, file, &output), "{name} seed {seed}");
                match verdict {
                    Ok(()) => right += 1,
                    Err(list) if matches!(list[0], Violation::WrongValue { .. }) => wrong_values += 1,
                    Err(_) => wrong_places += 1,
                }
            }
        }
    }
    println!("{right} right, {wrong_values} with wrong values, {wrong_places} with wrong places");
    assert!(right > 0 && wrong_values > 0 && wrong_places > 0);
}

/// A function on any graph, with its operands at places that obey all constraints, most of one virtual
/// register at one place, and copies at random: values cross blocks in registers, several share a
/// place, loops go back to the entry, some blocks are unreachable, parallel edges have arguments.
fn placed_at_random(rng: &mut Rng, file: &RegisterFile) -> (StoredFunction, Output) {
    let (blocks, vregs) = (1 + rng.below(12), 1 + rng.below(10));
    let mut func = StoredFunction { blocks: vec![StoredBlock::default(); blocks], ..Default::default() };
    func.classes = vec![RegClass(0); vregs];
    func.sizes = (0..vregs).map(|_| rng.pick(&[0, 0, 0, 1])).collect();
    let v = |rng: &mut Rng| VReg::from_u32(rng.below(vregs) as u32);
    let slots = 1 + rng.below(4);
    let mut output = Output {
        slots: vec![SlotInfo { size: 16, align: 16 }; slots],
        used_regs: RegUnits::span(0, 128),
        ..Default::default()
    };
    let order = file.classes[0].order;
    let registers = 1 + rng.below(order.len());
    let place = |rng: &mut Rng| match rng.below(2) {
        0 => Allocation::slot(Slot::from_u32(rng.below(slots) as u32)),
        _ => Allocation::reg(order[rng.below(registers)]),
    };
    let usual: Vec<Allocation> = (0..vregs).map(|_| place(rng)).collect();
    let unusual = 4 + rng.below(60);
    for b in 1..blocks {
        for _ in 0..rng.below(4).saturating_sub(1) {
            let param = v(rng);
            if !func.blocks[b].params.contains(&param) {
                func.blocks[b].params.push(param);
            }
        }
    }
    for b in 0..blocks {
        let start = func.insts.len() as u32;
        for _ in 0..1 + rng.below(4) {
            let inst = Inst::from_u32(func.insts.len() as u32);
            let mut ops: Vec<Operand> =
                (0..rng.below(3)).map(|_| Operand::use_any(v(rng), RegClass(0))).collect();
            match rng.below(6) {
                0 | 1 => ops.push(Operand::def_any(v(rng), RegClass(0))),
                2 => ops.push(Operand::use_def_any(v(rng), RegClass(0))),
                _ => {}
            }
            let clobbers = match rng.below(12) {
                0 => file.units(order[rng.below(registers)]),
                _ => RegUnits::EMPTY,
            };
            for op in &ops {
                let usual = usual[op.vreg().as_u32() as usize];
                output.allocs.push(if rng.one_in(unusual) { place(rng) } else { usual });
            }
            for point in [ProgPoint::before(inst), ProgPoint::after(inst)] {
                if rng.one_in(8) {
                    let (from, to) = (place(rng), place(rng));
                    let size = rng.pick(&[1, 16, 16, 16]);
                    if !(from.is_slot() && to.is_slot()) {
                        output.edits.push(Edit { point, from, to, class: RegClass(0), size });
                    }
                }
            }
            func.insts.push(StoredInst { ops, clobbers, ..Default::default() });
        }
        func.blocks[b].insts = start..func.insts.len() as u32;
        for _ in 0..rng.below(4) {
            let s = rng.below(blocks);
            let args = (0..func.blocks[s].params.len()).map(|_| v(rng)).collect();
            func.blocks[b].succs.push(Block::from_u32(s as u32));
            func.blocks[b].args.push(args);
            func.blocks[s].preds.push(Block::from_u32(b as u32));
        }
    }
    (func, output)
}

#[test]
fn operands_at_random_places_are_judged_as_by_the_reference() {
    let mut checker = Checker::new();
    let (mut uses, mut wrong, mut right) = (0, 0, 0);
    for (name, file) in FILES {
        for seed in cases().start * 10..cases().end * 10 {
            let (func, output) = placed_at_random(&mut Rng::new(seed), file);
            let verdict = checker.check(&func.build(), file, &output);
            assert_eq!(verdict, reference(&func, file, &output), "{name} seed {seed}: {func:?} {output:?}");
            uses += func.insts.iter().flat_map(|i| &i.ops).filter(|op| op.is_use()).count();
            match verdict {
                Ok(()) => right += 1,
                Err(list) => {
                    assert!(list.iter().all(|v| matches!(v, Violation::WrongValue { .. })));
                    wrong += list.len();
                }
            }
        }
    }
    println!("{wrong} of {uses} uses are wrong; {right} functions are right");
    assert!(wrong * 20 > uses && wrong * 4 < uses * 3 && right > 0);
}
