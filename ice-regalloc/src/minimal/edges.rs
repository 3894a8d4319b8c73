//! Block borders: parameters, stores of crossing values, edge arguments.
//!
//! A parameter is set either at the end of its predecessors (each has one successor): then it is
//! in its home slot when the block starts; or at the start of its block, whose one predecessor
//! branches: then it may go to a register at once.

use super::Allocator;
use crate::error::Error;
use crate::moves::{ParallelMove, are_in_order};
use crate::operand::{Block, Inst, Operand, Slot, VReg};
use crate::output::{Allocation, Edit};
use crate::registers::{RegClass, RegUnits};
use crate::scan::{CROSS, DEAD, LIVE_OUT, NO_REG, NONE, PARAM_MARK, VALID, params_at_start};

impl Allocator<'_> {
    /// Sets the parameters of `block` if that happens at its start.
    #[inline(never)]
    pub(super) fn enter_block(&mut self, block: Block, params: &[VReg]) -> Result<(), Error> {
        if !params_at_start(self.func, block) {
            self.params += params.len();
            return Ok(());
        }
        let pred = self.func.block_preds(block)[0];
        let edge = self.edge_index[block.as_u32() as usize] as usize;
        let args = self.func.edge_args(pred, edge);
        for param in params {
            let ahead = self.param_aheads[self.params];
            self.params += 1;
            let state = self.state(param.as_u32());
            state.def_inst = PARAM_MARK | block.as_u32();
            state.advance(ahead);
        }
        // An argument may be in a register that becomes a parameter's.
        let is_overwritten = |&arg: &VReg| {
            let state = &self.vregs[arg.index()];
            state.def_inst == PARAM_MARK | block.as_u32() || state.home.is_reg()
        };
        if args.iter().any(is_overwritten) || params.iter().any(|p| self.vregs[p.index()].home.is_reg()) {
            for (arg, param) in args.iter().zip(params) {
                let from = self.home(arg.as_u32());
                let to = self.home(param.as_u32());
                self.push_move(from, to, param.as_u32());
                self.state(param.as_u32()).flags |= VALID;
            }
            return self.solve_moves(block);
        }
        for (arg, param) in args.iter().zip(params) {
            let p = param.as_u32();
            let next = self.state(p).next;
            self.state(p).flags &= !VALID;
            if !self.is_live(next) {
                continue;
            }
            let class = RegClass(self.state(p).class);
            let reg = self.pick(class, RegUnits::EMPTY, p, NO_REG).ok_or(Error::NoScratch { block })?;
            let from = self.home(arg.as_u32());
            self.emit(from, Allocation::reg(reg), p);
            self.bind(p, reg);
        }
        Ok(())
    }

    /// Before the first terminator: crossing values go to their slots and the arguments of a
    /// single outgoing edge to the parameters' slots.
    #[inline(always)]
    pub(super) fn leave_block(
        &mut self,
        block: Block,
        succs: &[Block],
        terminator: Inst,
    ) -> Result<(), Error> {
        let entered = match *succs {
            [succ] => self.entered(block, succ),
            _ => None,
        };
        let mut rest = self.occupied.difference(self.reserved);
        while let Some(v) = self.take_owner(&mut rest) {
            let state = *self.state(v);
            if state.flags & CROSS != 0 && self.is_live(state.next) {
                if !self.exits {
                    self.store(v);
                }
                if state.next == LIVE_OUT && entered.is_none() {
                    self.leave_register(v);
                }
            }
        }
        if self.inside {
            self.store_leaving(succs);
        }
        let &[succ] = succs else { return Ok(()) };
        let args = self.func.edge_args(block, 0);
        if let Some(index) = entered {
            return self.leave_for_region(block, succ, args, terminator, index);
        }
        if args.is_empty() { Ok(()) } else { self.leave_with(block, succ, args, terminator, None) }
    }

    /// Leaves for a region, whose residents get their registers.
    #[inline(never)]
    fn leave_for_region(
        &mut self,
        block: Block,
        succ: Block,
        args: &[VReg],
        terminator: Inst,
        index: usize,
    ) -> Result<(), Error> {
        let reserved = self.reserved;
        self.reserved.insert(self.regions.list[index].units);
        self.leave_with(block, succ, args, terminator, Some(index))?;
        self.reserved = reserved;
        let mut rest = self.occupied.difference(reserved);
        while let Some(v) = self.take_owner(&mut rest) {
            self.unbind(v);
        }
        self.overwrite(self.remembered);
        Ok(())
    }

    /// Sets the parameters of `succ`, the only successor of `block`, and the residents of the region that the edge enters,
    /// if it does.
    #[inline(never)]
    fn leave_with(
        &mut self,
        block: Block,
        succ: Block,
        args: &[VReg],
        terminator: Inst,
        entered: Option<usize>,
    ) -> Result<(), Error> {
        let params = self.func.block_params(succ);
        let start = self.rows[terminator.as_u32() as usize].end as usize;
        let end = self.rows[self.func.block_insts(block).end.as_u32() as usize].end as usize;
        let read = &self.operands[start..end];
        let alone = args.len() == 1 && read.is_empty() && entered.is_none();
        args.iter().for_each(|arg| self.recall(arg.as_u32()));
        for (arg, param) in args.iter().zip(params) {
            let from = self.place(arg.as_u32());
            let to = match entered.and_then(|index| self.regions.reg_of(index, param.as_u32())) {
                Some(reg) => Allocation::reg(reg),
                None => self.home_in(succ, param.as_u32()),
            };
            if self.state(arg.as_u32()).is_valid() && self.home(arg.as_u32()) == to {
                continue;
            }
            if !alone {
                self.push_move(from, to, param.as_u32());
            } else if from != to {
                self.copy(self.edit(from, to, param.as_u32()), RegUnits::EMPTY, block)?;
            }
        }
        if let Some(index) = entered {
            for n in self.regions.list[index].residents.clone() {
                let resident = &self.regions.residents[n];
                if resident.enters {
                    let (v, to) = (resident.vreg, Allocation::reg(resident.reg));
                    // A register that is only remembered would be free for what moves between two slots.
                    self.recall(v);
                    let from = self.place(v);
                    self.push_move(from, to, v);
                }
            }
        }
        if !alone {
            self.keep_terminator_params(block, succ, read)?;
            self.solve_moves(block)?;
        }
        for (k, arg) in args.iter().enumerate() {
            let ahead = self.arg_aheads[self.args + k];
            self.state(arg.as_u32()).advance(ahead);
        }
        self.args += args.len();
        for arg in args {
            let a = arg.as_u32();
            match self.state(a).next {
                DEAD => self.kill(a),
                LIVE_OUT => self.unbind(a),
                _ => {}
            }
        }
        self.free_dying_slots();
        Ok(())
    }

    /// A terminator may read a parameter of the next block, whose slot the edge moves overwrite:
    /// such a value gets another home until the block ends.
    fn keep_terminator_params(&mut self, block: Block, succ: Block, read: &[Operand]) -> Result<(), Error> {
        if read.is_empty() {
            return Ok(());
        }
        let mark = PARAM_MARK | succ.as_u32();
        for param in self.func.block_params(succ) {
            self.state(param.as_u32()).def_inst = mark;
        }
        for op in read {
            let v = op.vreg().as_u32();
            if self.state(v).def_inst != mark {
                continue;
            }
            self.state(v).def_inst = NONE;
            let from = self.place(v);
            let slot = self.new_slot(v);
            self.copy(self.edit(from, Allocation::slot(slot), v), RegUnits::EMPTY, block)?;
            let home = core::mem::replace(&mut self.state(v).home, Allocation::slot(slot));
            self.state(v).flags |= VALID;
            self.cx.moved_homes.push((v, home));
        }
        Ok(())
    }

    fn push_move(&mut self, from: Allocation, to: Allocation, v: u32) {
        let (size, _) = self.size_of(v);
        let class = RegClass(self.state(v).class);
        self.cx.solver.push(ParallelMove { from, to, class, size });
    }

    /// Emits the moves pushed so far, at the present point, in the order that they have if that will do.
    fn solve_moves(&mut self, block: Block) -> Result<(), Error> {
        let mut written = RegUnits::EMPTY;
        let moves = self.cx.solver.moves();
        if are_in_order(self.tables, moves) {
            for k in 0..moves.len() {
                let m = self.cx.solver.moves()[k];
                if m.from != m.to {
                    self.emit_move(m, &mut written, block)?;
                }
            }
            self.cx.solver.clear();
            return Ok(());
        }
        let mut solver = core::mem::take(&mut self.cx.solver);
        // What takes two copies takes a register that is free.
        let takes_register = solver.moves().iter().any(|m| self.func.takes_two(m.from, m.to));
        let mut busy = self.occupied.union(self.reserved);
        let (out, file, tables) = (&mut *self.out, self.file, self.tables);
        let order = solver.solve(file, |class, size| {
            if !takes_register && let Some(reg) = tables.first_free(class, busy) {
                busy.insert(tables.units(reg));
                return Allocation::reg(reg);
            }
            let align = file.class(class).spill_align;
            let slot = Slot::from_u32(out.slots.len() as u32);
            out.slots.push(crate::output::SlotInfo { size, align });
            Allocation::slot(slot)
        });
        let mut result = Ok(());
        for &m in order {
            result = result.and(self.emit_move(m, &mut written, block));
        }
        solver.clear();
        self.cx.solver = solver;
        result
    }

    /// Emits one of the moves of a point; those before it have `written` registers.
    fn emit_move(&mut self, m: ParallelMove, written: &mut RegUnits, block: Block) -> Result<(), Error> {
        let edit = Edit { point: self.point, from: m.from, to: m.to, class: m.class, size: m.size };
        let result = self.copy(edit, *written, block);
        written.insert(self.tables.units_of_place(m.to));
        result
    }

    /// Emits a copy; one that no instruction can do goes through a register that is free or saved around, unless the moves
    /// before have `written` over what it held.
    fn copy(&mut self, edit: Edit, written: RegUnits, block: Block) -> Result<(), Error> {
        if !self.func.takes_two(edit.from, edit.to) {
            self.push_edit(edit);
            return Ok(());
        }
        let free = self.tables.first_free(edit.class, self.occupied.union(self.reserved));
        let first = || self.tables.first_free(edit.class, self.reserved);
        let reg = free.or_else(first).ok_or(Error::NoScratch { block })?;
        let mut rest = self.occupied.intersection(self.units(reg));
        while let Some(v) = self.take_owner(&mut rest) {
            let from = self.place(v);
            if self.tables.units_of_place(from).intersects(written) {
                continue;
            }
            let slot = self.new_slot(v);
            self.emit(from, Allocation::slot(slot), v);
            self.cx.saved.push((v, slot));
        }
        let carrier = Allocation::reg(reg);
        self.push_edit(Edit { to: carrier, ..edit });
        self.push_edit(Edit { from: carrier, ..edit });
        while let Some((v, slot)) = self.cx.saved.pop() {
            let to = self.place(v);
            self.emit(Allocation::slot(slot), to, v);
            self.cx.dying_slots.push(slot);
        }
        Ok(())
    }
}
