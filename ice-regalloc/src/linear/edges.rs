//! Block borders: places of values, parameters, stores.
//!
//! At a border every value is at home: in its register, or in its slot. A parameter is written
//! either before the terminators of its predecessors, each of which has one successor, or at the
//! start of its block, whose one predecessor branches. Parameters that are not read are left out.

use super::Allocator;
use super::split::Fix;
use crate::error::Error;
use crate::operand::{Block, Inst, Slot, VReg};
use crate::output::Allocation;
use crate::registers::{PReg, RegClass, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, NONE, params_at_start};

impl Allocator<'_> {
    /// The register of `v` at the borders of `block`.
    fn home_register(&self, v: u32, block: Block) -> u8 {
        let interval = &self.ranges.intervals[v as usize];
        match interval.split {
            NONE => interval.reg,
            split => self.splits.home(split, block.as_u32()),
        }
    }

    /// Where `v` is at the borders of `block`.
    fn home(&mut self, v: u32, block: Block) -> Allocation {
        let reg = self.home_register(v, block);
        self.register_or_slot(v, reg)
    }

    fn register_or_slot(&mut self, v: u32, reg: u8) -> Allocation {
        match reg {
            NO_REG => self.backing(v),
            reg => Allocation::reg(PReg(reg)),
        }
    }

    /// Values that have registers in this block only in part.
    fn enter_parts(&mut self, block: Block) {
        let splits = self.splits;
        self.parts = RegUnits::EMPTY;
        let parts = splits.homes_in(block.as_u32());
        let fixes = splits.fixes_at_start(block.as_u32(), &mut self.next_fix);
        if parts.is_empty() && fixes.is_empty() {
            return;
        }
        self.sync();
        for part in parts {
            if self.ranges.intervals[part.vreg as usize].split == NONE {
                continue;
            }
            let units = self.units(part.reg);
            self.parts.insert(units);
            self.value(part.vreg).home = part.reg;
            if part.bound {
                self.value(part.vreg).next = LIVE_OUT;
                self.bind(part.vreg, part.reg);
            }
        }
        for fix in fixes {
            if self.ranges.intervals[fix.vreg as usize].split != NONE {
                let from = self.register_or_slot(fix.vreg, fix.from);
                let to = self.register_or_slot(fix.vreg, fix.to);
                let fix = self.move_of(fix.vreg, from, to);
                self.cx.moves.push(fix);
            }
        }
    }

    /// The moves `fixes` of split values on an edge from a block that has one successor.
    fn leave_parts(&mut self, fixes: &[Fix]) {
        for fix in fixes {
            if self.ranges.intervals[fix.vreg as usize].split != NONE {
                let stored = fix.to == NO_REG && self.is_valid(fix.vreg);
                let from = self.location(fix.vreg);
                let to = self.register_or_slot(fix.vreg, fix.to);
                if !stored {
                    let fix = self.move_of(fix.vreg, from, to);
                    self.cx.moves.push(fix);
                }
            }
        }
    }

    /// Binds what lives in registers in this block only, and sets the parameters of `block` if that happens here.
    pub(super) fn enter_block(&mut self, block: Block) -> Result<(), Error> {
        self.enter_parts(block);
        let params = self.func.block_params(block);
        if params.is_empty() || !params_at_start(self.func, block) {
            self.next_param += params.len();
            self.shuffle()?;
            self.cx.slots.release_temporaries();
            return Ok(());
        }
        if !self.is_one_copy(params, block) {
            self.sync();
        }
        for (param, &ahead) in params.iter().zip(&self.scan.aheads.params[self.next_param..]) {
            self.unbind(param.as_u32());
            self.value(param.as_u32()).set_ahead(ahead);
        }
        self.next_param += params.len();
        let pred = self.func.block_preds(block)[0];
        let edge = self.scan.edge_index[block.as_u32() as usize] as usize;
        let args = self.func.edge_args(pred, edge);
        let mut taken = self.occupied;
        for param in params {
            taken.insert(self.units(self.cx.values[param.as_u32() as usize].home));
        }
        self.pins = Default::default();
        for (arg, param) in args.iter().zip(params) {
            if self.value(param.as_u32()).next == DEAD {
                self.value(param.as_u32()).copy = NO_REG;
                // Its interval goes on if the first instruction defines it anew.
                self.forget_holds(self.units(self.cx.values[param.as_u32() as usize].home));
                continue;
            }
            let (a, p) = (arg.as_u32(), param.as_u32());
            let value = *self.value(p);
            let from = self.home(a, pred);
            let mut to = self.home(p, block);
            if to.is_slot() && from != to && value.next < LIVE_OUT {
                let class = RegClass(value.class);
                let free = |reg: &&PReg| !self.file.units(**reg).intersects(taken);
                if let Some(&reg) = self.tables.order(class).iter().find(free)
                    && !self.file.callee_saved.intersects(self.file.units(reg))
                {
                    taken.insert(self.file.units(reg));
                    to = Allocation::reg(reg);
                }
            }
            self.set_valid(p, to.is_slot());
            let copy = self.move_of(p, from, to);
            self.cx.moves.push(copy);
            self.value(p).copy = to.as_reg().map_or(NO_REG, |reg| reg.0);
            if from == to
                && let Some(reg) = to.as_reg()
            {
                // No move names the register. The others are bound below.
                self.bind(p, reg.0);
            }
        }
        self.shuffle()?;
        for param in params {
            let p = param.as_u32();
            let reg = self.value(p).copy;
            if reg != NO_REG {
                self.bind(p, reg);
            }
        }
        self.cx.slots.release_temporaries();
        Ok(())
    }

    /// Whether to set `params` of `block` takes one copy to a register, which no other register has part in.
    fn is_one_copy(&self, params: &[VReg], block: Block) -> bool {
        matches!(params, &[param] if self.home_register(param.as_u32(), block) != NO_REG)
    }

    /// Before the first terminator: values without a home go to their slots, and the arguments of
    /// a single outgoing edge to the parameters.
    pub(super) fn leave_block(&mut self, block: Block, terminator: u32) -> Result<(), Error> {
        let succs = self.func.block_succs(block);
        let params = if let &[succ] = succs { self.func.block_params(succ) } else { &[] };
        let splits = self.splits;
        let fixes = splits.fixes_at_end(block.as_u32(), &mut self.next_fix);
        if params.is_empty() && self.strangers.is_empty() && fixes.is_empty() {
            return Ok(());
        }
        self.cx.list.clear();
        let mut rest = self.strangers;
        while let Some(v) = self.take_owner(&mut rest) {
            let value = self.value(v);
            // The others stay where they are.
            if value.home == NO_REG || value.next == DEAD {
                self.cx.list.push(v);
            }
        }
        for k in 0..self.cx.list.len() {
            let v = self.cx.list[k];
            let homeless = self.value(v).home == NO_REG;
            if homeless && !params.iter().any(|p| p.as_u32() == v) && self.lives_on(v, block, terminator) {
                self.store(v);
            }
        }
        if !fixes.is_empty() {
            self.sync_before_copies(block, terminator);
            self.leave_parts(fixes);
        }
        if !params.is_empty() {
            if !self.strangers.is_empty() || !self.is_one_copy(params, succs[0]) {
                self.sync_before_copies(block, terminator);
            }
            self.edge_moves(block, terminator)?;
        } else {
            self.shuffle()?;
        }
        for k in 0..self.cx.list.len() {
            let v = self.cx.list[k];
            let value = *self.value(v);
            let stored = value.home == NO_REG && value.next == LIVE_OUT;
            if value.reg != NO_REG && (stored || value.next == DEAD) {
                self.unbind(v);
            }
        }
        self.cx.slots.release_temporaries();
        Ok(())
    }

    /// The next use of `v` behind the copies of arguments at the end of `block`, seen from before them.
    fn next_behind_copies(&self, v: u32, block: Block) -> u32 {
        let next = self.cx.values[v as usize].next;
        match self.func.block_succs(block) {
            [_] if next < LIVE_OUT => {
                let args = self.func.edge_args(block, 0).iter().zip(&self.scan.aheads.args[self.next_arg..]);
                args.filter(|a| a.0.as_u32() == v).map(|a| a.1.next).next_back().unwrap_or(next)
            }
            _ => next,
        }
    }

    /// Whether `v` is needed behind `block`, seen from before its terminators.
    fn lives_on(&self, v: u32, block: Block, terminator: u32) -> bool {
        let mut next = self.next_behind_copies(v, block);
        if next < LIVE_OUT {
            for i in terminator..self.func.block_insts(block).end.as_u32() {
                let first = self.rows[i as usize].end as usize;
                let ops = self.func.operands(Inst::from_u32(i));
                for (op, ahead) in ops.iter().zip(self.aheads(first, ops.len())) {
                    if op.vreg().as_u32() == v {
                        next = ahead.next;
                    }
                }
            }
        }
        next == LIVE_OUT
    }

    fn edge_moves(&mut self, block: Block, terminator: u32) -> Result<(), Error> {
        let succ = self.func.block_succs(block)[0];
        let (params, args) = (self.func.block_params(succ), self.func.edge_args(block, 0));
        for (arg, param) in args.iter().zip(params) {
            let (a, p) = (arg.as_u32(), param.as_u32());
            let to = self.home(p, succ);
            if self.is_valid(a) && to.is_slot() && self.backing(a) == to {
                continue;
            }
            let from = self.location(a);
            if from == to
                && let Some(reg) = to.as_reg()
                && self.value(a).reg == NO_REG
            {
                // Its life ends where the block starts, so it was not bound, and no move names the register.
                self.bind(a, reg.0);
            }
            let copy = self.move_of(p, from, to);
            self.cx.moves.push(copy);
        }
        self.keep_old_params(block, terminator);
        // What the terminators read from a register that a parameter gets.
        self.cx.leaving.clear();
        for param in params {
            let home = self.home_register(param.as_u32(), succ);
            let mut rest = self.strangers.intersection(self.units(home));
            while let Some(v) = self.take_owner(&mut rest) {
                let value = *self.value(v);
                let is_param = |p: &VReg| p.as_u32() == v;
                if value.home == NO_REG && !params.iter().any(is_param) {
                    // The slot of what ends here may be that of a parameter.
                    if self.next_behind_copies(v, block) != DEAD {
                        self.store(v);
                    }
                    self.cx.leaving.push(v);
                }
            }
        }
        self.shuffle()?;
        while let Some(v) = self.cx.leaving.pop() {
            self.unbind(v);
        }
        // Back to the next uses behind the moves.
        let scan = self.scan;
        for (arg, &ahead) in args.iter().zip(&scan.aheads.args[self.next_arg..]) {
            self.value(arg.as_u32()).set_ahead(ahead);
        }
        self.next_arg += args.len();
        for arg in args {
            if self.value(arg.as_u32()).next == DEAD {
                self.unbind(arg.as_u32());
            }
        }
        for param in params {
            self.value(param.as_u32()).next = LIVE_OUT;
            self.unbind(param.as_u32());
        }
        for param in params {
            let p = param.as_u32();
            let old = self.cx.old_params.iter().position(|o| o.0 == p);
            let home = self.home_register(p, succ);
            let here = self.value(p).home;
            match old {
                None if home == NO_REG => self.set_valid(p, true),
                None if home == here => self.bind(p, home),
                None => {
                    // Its register in the next block is no other one's until then.
                    self.seize(self.units(home));
                }
                Some(n) => {
                    // Until the block ends the number stands for the old value.
                    self.seize(self.units(home));
                    let (_, slot, next) = self.cx.old_params[n];
                    let value = &mut self.cx.values[p as usize];
                    let own = core::mem::replace(&mut value.slot, slot);
                    self.cx.homes[p as usize] = NO_REG;
                    self.cx.old_params[n] = (p, own, u32::from(here));
                    (value.home, value.next) = (NO_REG, next);
                    self.set_valid(p, true);
                }
            }
        }
        Ok(())
    }

    /// A terminator may read a parameter of the next block, which the edge moves overwrite: its
    /// old value is kept in a slot until the block ends.
    fn keep_old_params(&mut self, block: Block, terminator: u32) {
        let succ = self.func.block_succs(block)[0];
        let params = self.func.block_params(succ);
        let end = self.func.block_insts(block).end.as_u32();
        for i in terminator..end {
            for op in self.func.operands(Inst::from_u32(i)) {
                let p = op.vreg().as_u32();
                let kept = self.cx.old_params.iter().any(|o| o.0 == p);
                if kept || !params.contains(&op.vreg()) {
                    continue;
                }
                let (size, align) = self.size_of(p);
                let slot = self.temporary(size, align).as_slot().map_or(NONE, |s| s.as_u32());
                self.cx.slots.keep(slot);
                let from = self.location(p);
                let copy = self.move_of(p, from, Allocation::slot(Slot::from_u32(slot)));
                self.cx.moves.push(copy);
                self.cx.old_params.push((p, slot, i));
            }
        }
    }
}
