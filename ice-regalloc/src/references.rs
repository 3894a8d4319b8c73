//! Next uses within a block, threaded while a function is written.
//!
//! Problem: local allocation wants to know, at each reference to a value, where the block uses it
//! next. A pass over the finished function costs more than to note it when an operand is written.
//!
//! Method: the references to a virtual register within a block are threaded forward. A use is
//! noted with the reference before it, and with the one that begins the value: its definition, or
//! the first use in the block. A virtual register referenced in several blocks *crosses* block borders.
//! One that is used in a block before any definition there crosses as well (it comes around a back
//! edge).
//!
//! Data: one [`Thread`] for each virtual register; one [`Ahead`] for each operand, edge argument and
//! parameter, in the order of the function; one row for each instruction ([`Rows`]).
//! Whether a value that has no further use in its block is dead is known at the end only, so `LIVE_OUT`
//! is recorded for both.
//!
//! [`Function`](crate::Function) calls `vreg` for each virtual register; and for each block in order `param` for each
//! parameter, `inst` for each instruction, with what is said of it behind it, `edge` for the arguments of its edges, before
//! the first terminator or after them, and `end_block`. Cost: linear.

use crate::function::Remat;
use crate::memory::{make_room, refill_from};
use crate::operand::{Constraint, Inst, Operand, Together, VReg};
use crate::registers::{RegClass, RegUnits};
use crate::rows::{Row, Rows, Shape};
use alloc::vec::Vec;

/// `next`: the value is not used again.
pub(crate) const DEAD: u32 = u32::MAX;
/// `next`: the value is not used again in this block but may be after it.
pub(crate) const LIVE_OUT: u32 = u32::MAX - 1;
/// A block, instruction, slot or reference: none.
pub(crate) const NONE: u32 = u32::MAX;
/// `hint`: no register.
pub(crate) const NO_REG: u8 = u8::MAX;

/// What the rest of the block does with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ahead {
    /// The instruction that uses it next, `DEAD`, or `LIVE_OUT`, which means dead as well for a
    /// register that does not cross.
    pub next: u32,
    /// At the definition, or the first use in the block: the last instruction that uses the value,
    /// or 0 if none does.
    pub last: u32,
    /// At a definition by a copy: the reference that begins the value copied.
    source: u32,
    /// A register that the next use wants it in, or at the definition the first one of those that want
    /// one.
    pub hint: u8,
}

impl Ahead {
    const NEW: Ahead = Ahead { next: LIVE_OUT, last: 0, source: NONE, hint: NO_REG };
}

/// The references to one virtual register, during the pass. Operands are numbered in order, edge arguments
/// and parameters from `ARGS` and `PARAMS` on.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Thread {
    /// The last block that refers to the register.
    block: u32,
    /// The last reference.
    latest: u32,
    /// The last instruction that refers to the register, and the reference before that instruction in the same
    /// block: noted where another operand of it may ask.
    inst: u32,
    before: u32,
    /// The reference that begins the present value: its definition or else the first use in the block.
    head: u32,
    /// Bytes of a slot for it, 0 for those of the class.
    pub size: u32,
    /// The last block with several successors that passes it on to one of them.
    passed: u32,
    /// The register class.
    pub class: RegClass,
    /// A set of the constants below.
    flags: u8,
    /// A set of [`EARLY`] and [`SPREAD`].
    order: u8,
}

/// The register is referenced in several blocks, or live around a back edge.
pub(crate) const CROSS: u8 = 1;
/// An instruction defines the register, or it is a parameter.
const DEFINED: u8 = 2;
/// The instruction [`Thread::inst`] reads it, writes it: as [`Operand::access`] says.
const READ: u8 = 4;
const WRITTEN: u8 = 8;
/// The last block that refers to the register reads it before it writes it; writes it.
const EXPOSED: u8 = 16;
const HERE: u8 = 32;
/// There is more than one definition of the register.
pub(crate) const SEVERAL: u8 = 64;
/// In the order of blocks, one reads the register before any that defines it.
const EARLY: u8 = 1;
/// More than one block defines it.
const SPREAD: u8 = 2;

/// The flags after one more definition.
#[inline(always)]
fn defined(flags: u8) -> u8 {
    // The last is [`SEVERAL`] if it was defined before.
    flags | DEFINED | HERE | (flags & DEFINED) << 5
}

/// The bits [`EXPOSED`] and [`HERE`] of the first reference in a block.
#[inline(always)]
fn first_access(access: u8) -> u8 {
    access << 2
}

/// What the first access in a block says of the order of blocks, given the flags before it.
#[inline(always)]
fn order(flags: u8, access: u8) -> u8 {
    // A read counts while there is no definition, a write from then on.
    const { assert!(READ == EARLY << 2 && WRITTEN == SPREAD << 2 && DEFINED == 2 && SPREAD == 2 * EARLY) };
    access >> 2 & (EARLY + (flags & DEFINED) / 2)
}

/// The flags after one more access.
#[inline(always)]
fn accessed(flags: u8, access: u8) -> u8 {
    if access & WRITTEN != 0 { defined(flags) } else { flags }
}

/// What a block does with a register that crosses block borders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mention {
    pub vreg: u32,
    pub block: u32,
    /// It reads the register before it writes it.
    pub exposed: bool,
    pub writes: bool,
}
/// Numbers of references that are edge arguments and parameters.
const ARGS: u32 = 1 << 30;
const PARAMS: u32 = 1 << 31;

impl Thread {
    /// What the last block that refers to it does with it, if there is one.
    pub fn mention(&self, vreg: u32) -> Option<Mention> {
        let (exposed, writes) = (self.flags & EXPOSED != 0, self.flags & HERE != 0);
        (self.block != NONE).then_some(Mention { vreg, block: self.block, exposed, writes })
    }

    pub fn crosses(&self) -> bool {
        self.flags & CROSS != 0
    }

    /// Whether it is read before its definition in the order of blocks.
    pub fn is_early(&self) -> bool {
        self.order & EARLY != 0
    }

    /// Whether several blocks define it.
    pub fn is_spread(&self) -> bool {
        self.order & SPREAD != 0
    }

    /// Whether a block behind `block` refers to it or passes it on.
    pub fn is_behind(&self, block: u32) -> bool {
        let is_behind = |last: u32| last != NONE && last > block;
        is_behind(self.block) || is_behind(self.passed)
    }

    /// A set of [`CROSS`] and [`SEVERAL`].
    pub fn facts(&self) -> u8 {
        self.flags & (CROSS | SEVERAL)
    }

    pub fn is_defined(&self) -> bool {
        self.flags & DEFINED != 0
    }

    /// Whether it is live across blocks without a definition: an error.
    pub fn is_undefined(&self) -> bool {
        self.crosses() & !self.is_defined()
    }
}

/// What is ahead of the references of a function, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Aheads {
    /// Of each operand after the instruction.
    pub operands: Vec<Ahead>,
    /// Of each argument of an edge from a block with one successor, after it is read.
    pub args: Vec<Ahead>,
    /// Of each parameter after it is set.
    pub params: Vec<Ahead>,
}

impl Aheads {
    /// Takes over all of `other` in the same memory.
    pub fn copy_from(&mut self, other: &Aheads) {
        refill_from(&mut self.operands, other.operands.iter().copied());
        refill_from(&mut self.args, other.args.iter().copied());
        refill_from(&mut self.params, other.params.iter().copied());
    }

    #[inline]
    fn of(&mut self, reference: u32) -> Option<&mut Ahead> {
        match reference {
            PARAMS.. => self.params.get_mut((reference - PARAMS) as usize),
            ARGS.. => self.args.get_mut((reference - ARGS) as usize),
            _ => self.operands.get_mut(reference as usize),
        }
    }

    /// The next use after `reference` is in instruction `next`, or `DEAD`.
    #[inline(always)]
    fn set_next(&mut self, reference: u32, next: u32) {
        match self.operands.get_mut(reference as usize) {
            Some(ahead) => ahead.next = next,
            None => self.border(reference, |ahead| ahead.next = next),
        }
    }

    /// The last use of the value that begins at `head` is in instruction `last`, as far as is known.
    #[inline(always)]
    fn set_last(&mut self, head: u32, last: u32) {
        match self.operands.get_mut(head as usize) {
            Some(ahead) => ahead.last = last,
            None => self.border(head, |ahead| ahead.last = last),
        }
    }

    #[cold]
    #[inline(never)]
    fn border(&mut self, reference: u32, set: impl FnOnce(&mut Ahead)) {
        if let Some(ahead) = self.of(reference) {
            set(ahead);
        }
    }
}

/// How many edges leave the block that an edge leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaving {
    /// This one: its arguments are read before the terminators.
    Alone,
    /// Several: the arguments are read at the start of the successor.
    WithOthers,
}

/// The references of a function to its virtual registers, as far as it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
    /// Whether `mentions`, which one mode alone reads, are left out.
    pub is_brief: bool,
    pub threads: Vec<Thread>,
    pub aheads: Aheads,
    pub rows: Rows,
    /// What blocks do with registers that later blocks refer to. For the last block of each the thread knows.
    pub mentions: Vec<Mention>,
    /// Clobbering instructions in order.
    pub clobbers: Vec<(u32, RegUnits)>,
    /// Pairs of operands of one instruction that name the same virtual register, which one defines.
    repeats: Vec<(u32, u32)>,
    /// The instruction being added has such a pair.
    repeats_here: bool,
    /// Number of the block being written, and its first terminator so far.
    block: u32,
    terminator: Option<u32>,
    /// A terminator of the block has operands.
    reads_late: bool,
    /// Arguments came after operands of terminators, which read later.
    disordered: bool,
    /// An operand of an instruction defines what another one does.
    pub duplicate: bool,
}

impl References {
    /// Forgets everything but whether it is brief, keeps the memory.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.aheads.operands.clear();
        self.aheads.args.clear();
        self.aheads.params.clear();
        self.rows.clear();
        self.mentions.clear();
        self.clobbers.clear();
        self.repeats.clear();
        self.end_block();
        self.block = 0;
        self.disordered = false;
        self.duplicate = false;
    }

    /// Makes room for about `insts` instructions.
    pub fn make_room(&mut self, insts: usize) {
        make_room(&mut self.threads, insts);
        make_room(&mut self.aheads.operands, 2 * insts);
        self.rows.make_room(insts);
    }

    /// Whether arguments came after operands of terminators, so that the order is wrong.
    pub fn is_disordered(&self) -> bool {
        self.disordered
    }

    /// Units that any instruction destroys.
    pub fn all_clobbers(&self) -> RegUnits {
        self.clobbers.iter().fold(RegUnits::EMPTY, |all, &(_, units)| all.union(units))
    }

    /// Units that `inst` destroys.
    pub fn clobbers(&self, inst: Inst) -> RegUnits {
        let i = inst.as_u32();
        if !self.rows.shape(i as usize).has(Shape::CLOBBERS) {
            return RegUnits::EMPTY;
        }
        self.clobbers.binary_search_by_key(&i, |c| c.0).map_or(RegUnits::EMPTY, |k| self.clobbers[k].1)
    }

    /// How the value of `inst` can be made again.
    #[inline]
    pub fn remat_of(&self, inst: Inst) -> Option<Remat> {
        self.rows.shape(inst.as_u32() as usize).remat()
    }

    /// Adds the next virtual register.
    #[inline]
    pub fn vreg(&mut self, class: RegClass, size: u32) {
        let (block, inst, latest, before, head, passed) = (NONE, NONE, NONE, NONE, NONE, NONE);
        let (flags, order) = (0, 0);
        self.threads.push(Thread { block, inst, latest, before, head, size, passed, class, flags, order });
    }

    /// Adds the next parameter of the block, before its instructions.
    pub fn param(&mut self, vreg: VReg) {
        let here = PARAMS + self.aheads.params.len() as u32;
        self.aheads.params.push(Ahead::NEW);
        self.refer(vreg, here, (NONE, NONE), WRITTEN);
    }

    /// Adds the arguments of all edges that leave the block.
    pub fn edge(&mut self, args: &[VReg], leaving: Leaving) {
        let terminator = self.terminator.unwrap_or(self.rows.len() as u32);
        self.disordered |= self.reads_late && leaving == Leaving::Alone;
        for &arg in args {
            match leaving {
                Leaving::Alone => {
                    let here = ARGS + self.aheads.args.len() as u32;
                    self.aheads.args.push(Ahead::NEW);
                    self.refer(arg, here, (terminator, NONE), READ);
                }
                Leaving::WithOthers => {
                    let Some(thread) = self.threads.get_mut(arg.index()) else { continue };
                    thread.order |= order(thread.flags, READ);
                    (thread.flags, thread.passed) = (thread.flags | CROSS, self.block);
                    if thread.block != self.block && !self.is_brief {
                        let (vreg, block) = (arg.as_u32(), self.block);
                        self.mentions.push(Mention { vreg, block, exposed: true, writes: false });
                    }
                }
            }
        }
    }

    /// Ends the block.
    #[inline]
    pub fn end_block(&mut self) {
        self.block += 1;
        self.terminator = None;
        self.reads_late = false;
    }

    /// Adds the next instruction. Inlined into the few callers.
    #[inline(always)]
    pub fn inst(&mut self, ops: &[Operand]) {
        let i = self.rows.len() as u32;
        let shape = match *ops {
            [] => Shape::ANY,
            [op] if op.is_plain() => {
                self.plain(op, i);
                Shape::ANY
            }
            [op] => self.only(op, i),
            [a, b] if a.vreg() != b.vreg() && Together::of([a, b]).are_plain() => {
                self.plain(a, i);
                self.plain(b, i);
                Shape::ANY
            }
            _ => self.any(ops, i),
        };
        self.rows.push(Row { end: self.aheads.operands.len() as u32, shape });
    }

    /// Adds a plain operand of instruction `i`, which no other operand there names. As [`refer`](Self::refer), less
    /// what is for those.
    #[inline(always)]
    fn plain(&mut self, op: Operand, i: u32) {
        let here = self.aheads.operands.len() as u32;
        self.aheads.operands.push(Ahead::NEW);
        let Some(thread) = self.threads.get_mut(op.index()) else { return };
        if thread.block == self.block {
            if op.is_use() {
                self.aheads.set_next(thread.latest, i);
                self.aheads.set_last(thread.head, i);
            } else {
                self.aheads.set_next(thread.latest, DEAD);
                thread.head = here;
            }
        } else {
            if thread.block != NONE || op.is_use() {
                if !self.is_brief
                    && let Some(mention) = thread.mention(op.index() as u32)
                {
                    self.mentions.push(mention);
                }
                thread.order |= order(thread.flags, op.access());
                thread.flags |= CROSS;
            }
            thread.flags = thread.flags & !(EXPOSED | HERE) | first_access(op.access());
            (thread.block, thread.head) = (self.block, here);
        }
        thread.latest = here;
        if op.is_def() {
            thread.flags = defined(thread.flags);
        }
    }

    /// Adds the only operand of instruction `i`, which is not plain, and gives its shape.
    #[inline(never)]
    fn only(&mut self, op: Operand, i: u32) -> Shape {
        if let Some(thread) = self.threads.get_mut(op.index()) {
            thread.before = if thread.block == self.block { thread.latest } else { NONE };
        }
        self.plain(op, i);
        self.hints(&[op]);
        Shape::ANY.or(Shape::GENERAL)
    }

    /// Adds the operands of instruction `i`, whatever they are, and gives its shape.
    #[inline(never)]
    fn any(&mut self, ops: &[Operand], i: u32) -> Shape {
        let mut together = Together::default();
        for &op in ops {
            together.add(op);
            let here = self.aheads.operands.len() as u32;
            self.aheads.operands.push(Ahead::NEW);
            self.refer(op.vreg(), here, (i, i), op.access());
        }
        if together.are_plain() && !self.repeats_here {
            return Shape::ANY;
        }
        self.hints(ops);
        Shape::ANY.or(Shape::GENERAL)
    }

    /// The latest instruction is a terminator, and it may have operands.
    #[inline]
    pub fn leave(&mut self, has_operands: bool) {
        self.rows.add(Shape::TERMINATOR);
        self.terminator.get_or_insert(self.rows.len() as u32 - 1);
        self.reads_late |= has_operands;
    }

    /// The value of the latest instruction can be made again.
    #[inline]
    pub fn remat(&mut self, remat: Remat) {
        self.rows.add(Shape::of_remat(remat));
    }

    /// The latest instruction destroys `units` beside its definitions.
    #[inline]
    pub fn clobber(&mut self, units: RegUnits) {
        if !units.is_empty() {
            self.rows.add(Shape::CLOBBERS.or(Shape::GENERAL));
            self.clobbers.push((self.rows.len() as u32 - 1, units));
        }
    }

    /// The latest instruction copies `from` to `to`.
    #[inline(never)]
    pub fn copy(&mut self, from: VReg, to: VReg) {
        self.rows.add(Shape::COPY);
        if let Some(&Thread { head: source, .. }) = self.threads.get(from.index())
            && let Some(&Thread { head, .. }) = self.threads.get(to.index())
            && let Some(ahead) = self.aheads.of(head)
        {
            ahead.source = source;
        }
    }

    /// Notes the reference `here`: a use of instruction `at.0`, made in instruction `at.1`.
    #[inline(always)]
    fn refer(&mut self, vreg: VReg, here: u32, at: (u32, u32), access: u8) {
        let Some(thread) = self.threads.get_mut(vreg.index()) else { return };
        if thread.inst == at.1 && at.1 != NONE {
            return self.repeated(vreg, here, access);
        }
        let mut flags = thread.flags & (CROSS | DEFINED | SEVERAL) | access;
        if thread.block == self.block {
            flags |= thread.flags & (EXPOSED | HERE);
            if access & READ != 0 {
                self.aheads.set_next(thread.latest, at.0);
                self.aheads.set_last(thread.head, at.0);
            } else {
                self.aheads.set_next(thread.latest, DEAD);
                thread.head = here;
            }
            thread.before = thread.latest;
        } else {
            if thread.block != NONE || access & READ != 0 {
                if !self.is_brief
                    && let Some(mention) = thread.mention(vreg.as_u32())
                {
                    self.mentions.push(mention);
                }
                thread.order |= order(flags, access);
                flags |= CROSS;
            }
            flags |= first_access(access);
            (thread.block, thread.before, thread.head) = (self.block, NONE, here);
        }
        (thread.inst, thread.latest, thread.flags) = (at.1, here, accessed(flags, access));
    }

    /// Notes which registers the operands just added want.
    #[inline(always)]
    fn hints(&mut self, ops: &[Operand]) {
        self.repeats_here = false;
        for op in ops {
            if op.is_use()
                && let Constraint::Fixed(reg) = op.constraint()
            {
                self.hint(op.vreg(), reg.0);
            }
        }
    }

    /// Notes an operand whose virtual register an earlier operand of the instruction names as well. Of
    /// two uses the second is what comes next; with a definition the same is ahead of both.
    #[cold]
    #[inline(never)]
    fn repeated(&mut self, vreg: VReg, here: u32, access: u8) {
        let thread = &mut self.threads[vreg.index()];
        if (thread.flags | access) & WRITTEN == 0 {
            self.aheads.set_next(thread.latest, thread.inst);
            thread.latest = here;
            return;
        }
        self.repeats_here = true;
        self.repeats.push((thread.latest, here));
        self.duplicate |= thread.flags & access & WRITTEN != 0;
        if thread.head == thread.latest || access & READ == 0 {
            thread.head = here;
        }
        thread.latest = here;
        if access & READ != 0 && thread.flags & READ == 0 {
            // What was noted was the definition.
            match self.aheads.of(thread.before) {
                Some(ahead) => (ahead.next, ahead.last) = (thread.inst, thread.inst),
                None => {
                    thread.order |= EARLY;
                    thread.flags |= CROSS | EXPOSED;
                }
            }
        }
        thread.flags = accessed(thread.flags | access, access);
    }

    /// Notes that the latest reference wants the value in `reg`.
    #[inline(always)]
    fn hint(&mut self, vreg: VReg, reg: u8) {
        let Some(&Thread { before, mut head, .. }) = self.threads.get(vreg.index()) else { return };
        // A hint is given once: this ends, and is linear on the whole.
        while let Some(ahead) = self.aheads.of(head)
            && ahead.hint == NO_REG
        {
            ahead.hint = reg;
            head = ahead.source;
        }
        if let Some(ahead) = self.aheads.of(before) {
            ahead.hint = reg;
        }
    }

    /// Notes that `vreg` gets its value at the ends of the blocks in front of its own.
    pub fn cross(&mut self, vreg: VReg) {
        if let Some(thread) = self.threads.get_mut(vreg.index()) {
            thread.flags |= CROSS;
        }
    }

    /// Whether [`finish`](Self::finish) has nothing to do.
    pub fn is_finished(&self) -> bool {
        self.repeats.is_empty()
    }

    /// Gives repeated operands what is ahead of the last one. Called once, when all is written.
    pub fn finish(&mut self) {
        while let Some((first, second)) = self.repeats.pop() {
            self.aheads.operands[first as usize] = self.aheads.operands[second as usize];
        }
    }

    /// Whether the numbers of references have their room.
    pub fn fits(&self) -> bool {
        let Aheads { operands, args, params } = &self.aheads;
        operands.len().max(args.len()).max(params.len()) < ARGS as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;

    const CLASS: RegClass = RegClass(0);

    fn v(n: usize) -> VReg {
        VReg::new(n)
    }

    fn with_vregs(count: usize) -> References {
        let mut refs = References::default();
        (0..count).for_each(|_| refs.vreg(CLASS, 0));
        refs
    }

    #[test]
    fn references_know_the_next_and_the_first_knows_the_last() {
        let mut refs = with_vregs(2);
        refs.inst(&[Operand::def_reg(v(0), CLASS)]);
        refs.inst(&[Operand::use_reg(v(0), CLASS), Operand::def_reg(v(1), CLASS)]);
        refs.inst(&[Operand::use_reg(v(0), CLASS), Operand::use_any(v(0), CLASS)]);
        refs.inst(&[Operand::def_reg(v(0), CLASS)]);
        refs.finish();
        let next: Vec<u32> = refs.aheads.operands.iter().map(|ahead| ahead.next).collect();
        // v1 is not read: what is behind the block decides.
        assert_eq!(next, [1, 2, LIVE_OUT, 2, DEAD, LIVE_OUT]);
        assert_eq!(refs.aheads.operands[0].last, 2);
        assert!(!refs.rows.shape(2).has(Shape::GENERAL));
        assert!(!refs.threads[0].crosses() && refs.threads[0].is_defined());
    }

    #[test]
    fn a_register_crosses_where_it_is_read_before_its_definition() {
        let mut refs = with_vregs(2);
        refs.inst(&[Operand::use_reg(v(0), CLASS)]);
        // The definition is named first, the use reads what was there before.
        refs.inst(&[Operand::def_reg(v(1), CLASS), Operand::use_reg(v(1), CLASS)]);
        assert!(refs.rows.shape(1).has(Shape::GENERAL));
        assert!(refs.threads[0].crosses() && !refs.threads[0].is_defined());
        assert!(refs.threads[1].crosses() && refs.threads[1].is_defined());
    }

    #[test]
    fn arguments_behind_operands_of_terminators_are_refused() {
        let mut refs = with_vregs(1);
        refs.inst(&[Operand::def_reg(v(0), CLASS)]);
        refs.inst(&[]);
        refs.leave(false);
        refs.edge(&[v(0)], Leaving::Alone);
        assert!(!refs.is_disordered());
        assert_eq!(refs.aheads.operands[0].next, 1);
        refs.end_block();
        refs.inst(&[Operand::use_reg(v(0), CLASS)]);
        refs.leave(true);
        refs.edge(&[v(0)], Leaving::WithOthers);
        assert!(!refs.is_disordered());
        refs.edge(&[v(0)], Leaving::Alone);
        assert!(refs.is_disordered());
        refs.clear();
        assert!(!refs.is_disordered());
    }
}
