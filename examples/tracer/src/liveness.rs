//! Which registers are still read: backward data flow over the byte code of a function, to a fixed point.
//!
//! A trace leaves the interpreter's registers alone while it runs and writes them where it leaves; what is dead there is not
//! written at all, nor is a dead register a value of the loop. Linear in the code for each round, and the rounds are as many
//! as loops are deep.

use crate::bytecode::{Capture, Code, Function, Op, Reg};

/// A set of registers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RegSet([u64; 4]);

impl RegSet {
    fn insert(&mut self, register: Reg) {
        self.0[register as usize / 64] |= 1 << (register % 64);
    }

    fn remove(&mut self, register: Reg) {
        self.0[register as usize / 64] &= !(1 << (register % 64));
    }

    fn unite(&mut self, other: RegSet) {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
    }

    /// Whether a register is in it.
    pub fn contains(&self, register: Reg) -> bool {
        self.0[register as usize / 64] >> (register % 64) & 1 != 0
    }

    /// Its registers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        (0..=Reg::MAX).filter(|&register| self.contains(register))
    }
}

/// The registers that are live before each instruction of a function.
#[derive(Debug)]
pub struct Liveness {
    before: Vec<RegSet>,
}

impl Liveness {
    /// Looks at a function of the program.
    pub fn compute(code: &Code, function: &Function) -> Liveness {
        let mut before = vec![RegSet::default(); function.code.len()];
        loop {
            let mut has_changed = false;
            for (pc, op) in function.code.iter().enumerate().rev() {
                let live = live_before(code, op, live_behind(&before, pc, op));
                has_changed |= live != before[pc];
                before[pc] = live;
            }
            if !has_changed {
                return Liveness { before };
            }
        }
    }

    /// Those that are live before an instruction.
    pub fn before(&self, pc: usize) -> RegSet {
        self.before[pc]
    }
}

fn live_behind(before: &[RegSet], pc: usize, op: &Op) -> RegSet {
    let successors = op.successors();
    let mut live = RegSet::default();
    if successors.next {
        live.unite(before[pc + 1]);
    }
    if let Some(to) = successors.jump {
        live.unite(before[to as usize]);
    }
    live
}

fn live_before(code: &Code, op: &Op, mut live: RegSet) -> RegSet {
    if let Some(result) = op.result() {
        live.remove(result);
    }
    op.reads(|register| live.insert(register));
    if let Op::Closure { function, .. } = *op {
        for capture in &code.functions[function as usize].captures {
            if let Capture::Register(register) = *capture {
                live.insert(register);
            }
        }
    }
    live
}
