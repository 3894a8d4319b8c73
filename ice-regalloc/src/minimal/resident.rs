//! Homes of residents: registers in their region, what they had before outside of it.
//!
//! A value with its home in a register is treated as one in a slot: an operand may be in the home, a definition is put
//! there if it can be, and what is in another register than the home is copied to it before the block ends. Registers of
//! residents are reserved: they are never free, and nothing is evicted from them.
//!
//! The edges that enter a region bring its residents to their registers, together with the arguments for parameters. What
//! is defined in the region and read outside is stored where control leaves: at the start of the block that control gets
//! to, if it has no other predecessor and comes later, or at the end of the one that control comes from.

use super::Allocator;
use super::regions::is_cheap_exit;
use crate::operand::{Block, Operand};
use crate::output::Allocation;
use crate::registers::{PReg, RegUnits};
use crate::scan::{NONE, REGION_MARK, VALID};

impl Allocator<'_> {
    /// At the start of `block`, outside of regions: begins one there, or stores what comes out of one.
    #[inline(never)]
    pub(super) fn begin_block(&mut self, block: Block) {
        if self.regions.list.get(self.region).is_some_and(|region| region.first == block.as_u32()) {
            self.enter_region();
        } else if block.as_u32() <= self.last_receiver {
            self.receive(block);
        } else {
            self.watch_out();
        }
    }

    /// Looks for the next block where there is something to do.
    fn watch_out(&mut self) {
        self.watch = self.regions.list.get(self.region).map_or(NONE, |region| region.first);
    }

    /// Begins the next region.
    fn enter_region(&mut self) {
        let region = &self.regions.list[self.region];
        (self.inside, self.region_end, self.watch) = (true, region.last, NONE);
        self.reserved = region.units;
        self.occupied.insert(self.reserved);
        self.used_regs.insert(self.reserved);
        for resident in &mut self.regions.residents[region.residents.clone()] {
            let state = &mut self.vregs[resident.vreg as usize];
            resident.outside = core::mem::replace(&mut state.home, Allocation::reg(resident.reg));
        }
    }

    /// At the start of `block`: stores what comes out of a region, if that is where it is done.
    fn receive(&mut self, block: Block) {
        let &[pred] = self.func.block_preds(block) else { return };
        let Some(index) = self.regions.of(pred) else { return };
        if !is_cheap_exit(self.func, self.regions.list[index].last, block) {
            return;
        }
        for n in self.regions.list[index].residents.clone() {
            let resident = &self.regions.residents[n];
            if !resident.leaves {
                continue;
            }
            let (v, reg) = (resident.vreg, resident.reg);
            let home = self.home(v);
            self.emit(Allocation::reg(reg), home, v);
            let units = self.units(reg);
            self.overwrite(units);
            self.cx.owner.set(units, v);
            self.state(v).reg = reg.0;
            self.remembered.insert(units);
        }
    }

    /// Behind the last block of a region.
    #[inline(never)]
    pub(super) fn leave_region(&mut self) {
        let region = &self.regions.list[self.region];
        for resident in &self.regions.residents[region.residents.clone()] {
            self.vregs[resident.vreg as usize].home = resident.outside;
        }
        self.occupied.remove(self.reserved);
        self.last_receiver = self.last_receiver.max(region.last_receiver);
        (self.inside, self.reserved, self.region_end) = (false, RegUnits::EMPTY, NONE);
        self.region += 1;
        // Also if nothing leaves: it looks again there.
        self.watch = 0;
    }

    /// The region that the only edge of `block`, to `succ`, enters.
    pub(super) fn entered(&self, block: Block, succ: Block) -> Option<usize> {
        let mark = self.edge_index[succ.as_u32() as usize];
        let index = (mark & !REGION_MARK) as usize;
        (mark & REGION_MARK != 0 && !self.regions.list[index].contains(block)).then_some(index)
    }

    /// Before the first terminator of a block in a region: stores what leaves it here and is not stored later.
    #[inline(never)]
    pub(super) fn store_leaving(&mut self, succs: &[Block]) {
        let region = &self.regions.list[self.region];
        let is_costly =
            |&succ: &Block| !region.contains(succ) && !is_cheap_exit(self.func, region.last, succ);
        if !region.leaves || !succs.iter().any(is_costly) {
            return;
        }
        for n in region.residents.clone() {
            let resident = &self.regions.residents[n];
            if !resident.leaves {
                continue;
            }
            let (v, from) = (resident.vreg, Allocation::reg(resident.reg));
            let to = self.outside(n);
            self.emit(from, to, v);
        }
    }

    /// The home outside of its region, whose blocks are at work, of resident `n`.
    fn outside(&mut self, n: usize) -> Allocation {
        let resident = &self.regions.residents[n];
        if !resident.outside.is_none() {
            return resident.outside;
        }
        let (size, align) = self.size_of(resident.vreg);
        let slot = Allocation::slot(self.fresh_slot(size, align));
        self.regions.residents[n].outside = slot;
        slot
    }

    /// The home of `v` in `block`, in the same region as the present block or in none.
    pub(super) fn home_in(&mut self, block: Block, v: u32) -> Allocation {
        if self.inside && self.vregs[v as usize].home.is_reg() {
            let region = &self.regions.list[self.region];
            let mut residents = region.residents.clone();
            if !region.contains(block)
                && let Some(n) = residents.find(|&n| self.regions.residents[n].vreg == v)
            {
                return self.outside(n);
            }
        }
        self.home(v)
    }

    /// The register that is the home of the value, if the operand may be in it.
    #[inline(always)]
    pub(super) fn resident(&self, op: Operand) -> Option<PReg> {
        let reg = self.vregs[op.index()].home.as_reg()?;
        self.tables.in_class(op.class(), reg.0).then_some(reg)
    }

    /// The definition has its home for place, which has its value then.
    pub(super) fn define_at_home(&mut self, v: u32) {
        self.unbind(v);
        self.state(v).flags |= VALID;
    }
}
