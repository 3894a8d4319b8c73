//! Terminators and phis (LLVM bitcode specification, sections 11.10 and 11.11).
//!
//! Basic block `n` is ICE block `n`; blocks that an instruction needs on the way come behind all of them. A phi names
//! the block in which its predecessor *ends*, which is known when all are read: phis name the first block of the
//! predecessor at first, and so do uses of values that come later; both are set right at the end of the body.

use ice_ir::{Block, InstData, IntCond, SwitchKey, Type, Value};

use super::integer::Sign;
use super::values::{CONSTANT, MISSING};
use super::{Body, Checked, Fixup, fail, unsupported};
use crate::bitstream::unrotate_sign;
use crate::error::Error;
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::wire::constants::{Constant, Labels, View};
use crate::llvm::wire::types::TypeId;

impl Body<'_, '_> {
    /// The ICE block that is appended to.
    pub(super) fn ice_block(&self) -> Block {
        Block::from_u32(self.s.stamp)
    }

    /// Goes on with the current basic block in another ICE block.
    pub(super) fn continue_in(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.s.stamp = block.as_u32();
        self.s.splits.push((self.s.block, block));
    }

    pub(super) fn terminated(&mut self) -> Checked<()> {
        self.s.block += 1;
        Ok(())
    }

    /// A basic block that is jumped to.
    pub(super) fn target(&self, number: u64) -> Checked<Block> {
        match number {
            0 => fail(Error::BranchToEntry),
            n if n < u64::from(self.s.num_blocks) => Ok(Block::from_u32(n as u32)),
            block => fail(Error::UnknownBlock { block }),
        }
    }

    /// BR.
    #[inline]
    pub(super) fn br(&mut self) -> Checked<()> {
        let target = self.op()?;
        let target = self.target(target)?;
        if !self.has_more() {
            self.b.br(target);
            return self.terminated();
        }
        let other = self.op()?;
        let other = self.target(other)?;
        let ty = self.bool_type()?;
        let cond = self.rel(ty)?;
        self.end()?;
        self.b.cond_br(self.single(cond), target, other);
        self.s.branches.push((self.s.instructions - 1, [target, other]));
        self.terminated()
    }

    /// UNREACHABLE.
    pub(super) fn unreachable(&mut self) -> Checked<()> {
        self.end()?;
        self.b.unreachable();
        self.terminated()
    }

    /// SWITCH.
    pub(super) fn switch(&mut self) -> Checked<()> {
        let ty = self.op()?;
        if ty >> 16 == 0x4b5 {
            return unsupported("a switch over ranges");
        }
        let ty = self.m.types.resolve(ty)?;
        let Scalar::Int(bits) = self.scalar(ty)? else { return fail(self.type_class(ty, "an integer")) };
        let value = self.rel(ty)?;
        let default = self.op()?;
        let default = self.target(default)?;
        let cases = &self.ops[self.at..];
        if !cases.len().is_multiple_of(2) {
            return fail(Error::MalformedSwitch);
        }
        if bits > 64 {
            return self.wide_switch(bits, value, default);
        }
        // All but the common widths are extended, as their constants are.
        let part = self.single(value);
        let part = match self.ty_of(part) {
            Type::I1 => self.cast(ice_ir::CastOp::Sext, part, Type::I8),
            container if container.bits() == bits => part,
            container => self.extended(bits, part, Sign::Signed, container),
        };
        let table = self.b.switch(part, default);
        self.s.numbers_seen.clear();
        for case in cases.chunks_exact(2) {
            let number = self.case_number(case[0], value.ty)?;
            let target = self.target(case[1])?;
            self.s.numbers_seen.push(number);
            self.b.func.switch_mut(table).cases.push((number, target));
        }
        self.s.numbers_seen.sort_unstable();
        if let Some(pair) = self.s.numbers_seen.windows(2).find(|pair| pair[0] == pair[1]) {
            return fail(Error::CaseValue { value: pair[0] });
        }
        self.terminated()
    }

    /// The number of the integer constant with this id, of the switch's type, sign-extended.
    fn case_number(&self, id: u64, wanted: TypeId) -> Checked<i64> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        let constant = u32::try_from(id).ok().and_then(|id| view.get(id));
        match constant {
            Some((Constant::Int(number), ty)) if ty == wanted => Ok(number),
            Some((Constant::Null, ty)) if ty == wanted => Ok(0),
            _ => fail(Error::MalformedSwitch),
        }
    }

    /// A switch over more than 64 bits: over the number of the case that is equal, so that all edges still leave
    /// from one block.
    fn wide_switch(&mut self, bits: u32, value: super::values::Operand, default: Block) -> Checked<()> {
        let run = self.run(value);
        let mut chosen = self.i32(-1);
        let cases = &self.ops[self.at..];
        for (i, case) in (0..).zip(cases.chunks_exact(2)) {
            let Ok(id) = u32::try_from(case[0]) else { return fail(Error::MalformedSwitch) };
            let constant = self.value(id)?;
            if constant.ty != value.ty {
                return fail(Error::MalformedSwitch);
            }
            let constant = self.run(constant);
            let is_equal = self.wide_compare(IntCond::Eq, bits, run, constant);
            let number = self.i32(i);
            chosen = self.choose(is_equal, number, chosen);
        }
        let table = self.b.switch(chosen, default);
        for (i, case) in (0..).zip(cases.chunks_exact(2)) {
            let target = self.target(case[1])?;
            self.b.func.switch_mut(table).cases.push((i, target));
        }
        self.terminated()
    }

    /// INDIRECTBR: a switch by addresses, or over the numbers that stand for those of blocks.
    pub(super) fn indirect_br(&mut self) -> Checked<()> {
        let ty = self.type_operand()?;
        if Some(ty) != self.m.pointer {
            return fail(self.type_class(ty, "an address"));
        }
        let address = self.rel(ty)?;
        let address = self.single(address);
        if !self.has_more() {
            self.b.unreachable();
            return self.terminated();
        }
        let by_address = self.m.labels != Labels::Numbers;
        // No other number arrives.
        let never = self.b.create_block();
        let table = self.b.switch(address, never);
        let targets = &self.ops[self.at..];
        for (i, &number) in targets.iter().enumerate() {
            let target = self.target(number)?;
            // The same block again has an edge, but no case of its own: it gets a number behind all blocks.
            let own =
                if targets[..i].contains(&number) { self.s.num_blocks as usize + i } else { number as usize };
            let case = own as i64 + if by_address { 0 } else { crate::llvm::wire::fold::BLOCK_ADDRESS_BIAS };
            self.b.func.switch_mut(table).cases.push((case, target));
        }
        if by_address {
            self.b.func.switch_mut(table).key = SwitchKey::Label;
            self.s.has_indirect_branches = true;
        }
        self.b.switch_to_block(never);
        self.b.unreachable();
        self.terminated()
    }

    // ---- phis

    /// PHI.
    pub(super) fn phi(&mut self) -> Checked<()> {
        let ty = self.type_operand()?;
        let pairs = &self.ops[self.at..];
        // A last operand without a partner holds flags.
        let pairs = &pairs[..pairs.len() & !1];
        if self.s.past_phis || self.s.block == 0 {
            return fail(Error::MisplacedPhi);
        }
        let shape = self.value_shape(ty)?;
        let out = self.reserve(shape.parts);
        let next = self.s.next_number();
        if pairs.is_empty() {
            // A block without predecessors.
            let undefined = self.undefined(ty)?;
            return self.define(undefined);
        }
        if let Kind::Vector(vector) = shape.kind
            && let Some(double) = self.double_of(vector, shape.parts)
        {
            return self.double_phis(ty, double, pairs, next, out);
        }
        for part in 0..shape.parts {
            let part_ty =
                if shape.parts == 1 { shape.first } else { self.m.legal.parts(ty)?[part as usize].ty };
            let mut incoming = core::mem::take(&mut self.s.incoming);
            incoming.clear();
            let fixups = self.s.fixups.len();
            let result = self.phi_operands(ty, part, false, pairs, next, &mut incoming);
            // No copy may stand among phis: one that is announced defines the announced part itself.
            if let Some(announced) = self.announced_part(ty, part) {
                self.b.define_next_as(announced);
            }
            let phi = self.b.phi(part_ty, &incoming);
            self.s.incoming = incoming;
            result?;
            if let Some(inst) = self.b.func.defining_inst(phi) {
                self.s.fixups[fixups..].iter_mut().for_each(|fixup| fixup.phi = inst);
                self.s.checks.note_phi(inst, Block::from_u32(self.s.block));
            }
            self.set(out, part, phi);
        }
        self.define_run(ty, out)
    }

    /// Phis of vectors of 256 bits, whose halves are the parts of the value.
    #[cold]
    fn double_phis(
        &mut self,
        ty: TypeId,
        double: Type,
        pairs: &[u64],
        next: u32,
        out: super::values::Run,
    ) -> Checked<()> {
        for part in (0..out.len).step_by(2) {
            let mut incoming = core::mem::take(&mut self.s.incoming);
            incoming.clear();
            let fixups = self.s.fixups.len();
            let result = self.phi_operands(ty, part, true, pairs, next, &mut incoming);
            let phi = self.b.phi(double, &incoming);
            let Some(inst) = self.b.func.defining_inst(phi) else { return fail(Error::VoidValue) };
            self.s.incoming = incoming;
            result?;
            self.s.fixups[fixups..].iter_mut().for_each(|fixup| fixup.phi = inst);
            self.s.checks.note_phi(inst, Block::from_u32(self.s.block));
            let announced = [part, part + 1].map(|part| self.announced_part(ty, part));
            let halves = self.note_phi_halves(phi, announced);
            self.set(out, part, halves[0]);
            self.set(out, part + 1, halves[1]);
        }
        self.define_run(ty, out)
    }

    /// The part that was announced of the next value, if one was and with this type.
    fn announced_part(&self, ty: TypeId, part: u32) -> Option<Value> {
        let local = self.s.locals.get(self.s.next_local as usize)?;
        let is_announced = local.block == super::values::ANNOUNCED && local.ty == ty;
        is_announced.then(|| self.part(super::values::Operand { ty, first: local.first }, part))
    }

    fn phi_operands(
        &mut self,
        ty: TypeId,
        part: u32,
        is_double: bool,
        pairs: &[u64],
        next: u32,
        incoming: &mut alloc::vec::Vec<(Value, Block)>,
    ) -> Checked<()> {
        for (entry, pair) in (0..).zip(pairs.chunks_exact(2)) {
            let distance = unrotate_sign(pair[0]);
            let number = i64::from(next).checked_sub(distance).and_then(|n| u32::try_from(n).ok());
            let Some(number) = number else { return fail(Error::NonexistentValue { operand: pair[0] }) };
            if pair[1] >= u64::from(self.s.num_blocks) {
                return fail(Error::UnknownBlock { block: pair[1] });
            }
            let pred = pair[1] as u32;
            let value = match self.phi_operand(ty, part, number, pred)? {
                Some(value) if !is_double => value,
                _ => {
                    // Later, or at the end of the predecessor.
                    let phi = ice_ir::Inst::from_u32(0);
                    self.s.fixups.push(Fixup { phi, entry, number, part, pred, is_double });
                    Value::from_u32(0)
                }
            };
            incoming.push((value, Block::from_u32(pred)));
        }
        Ok(())
    }

    /// The part of a phi operand, if it is there and needs no instructions.
    fn phi_operand(&mut self, ty: TypeId, part: u32, number: u32, pred: u32) -> Checked<Option<Value>> {
        let known = match number.checked_sub(self.s.first_local) {
            None => None,
            Some(index) => match self.s.locals.get(index as usize) {
                Some(local) if local.block < CONSTANT && index < self.s.next_local => {
                    let operand = super::values::Operand { ty: local.ty, first: local.first };
                    self.note_phi_use(index, pred);
                    Some(operand)
                }
                Some(local) if local.block == CONSTANT && index < self.s.next_local => None,
                Some(_) | None => {
                    if u64::from(index.saturating_sub(self.s.next_local)) > self.remaining_bits() / 2 {
                        return fail(Error::ForwardOutOfRange { value: number.into() });
                    }
                    return Ok(None);
                }
            },
        };
        let operand = match known {
            Some(operand) => operand,
            None if self.is_plain_constant(number) => self.value(number)?,
            None => return Ok(None),
        };
        if operand.ty != ty {
            return fail(self.type_class(operand.ty, "the type of the phi"));
        }
        Ok(Some(self.part(operand, part)))
    }

    /// Sets phis right: values that came later, constants that need instructions, and blocks that were split.
    pub(super) fn finish_phis(&mut self) -> Checked<()> {
        for i in 0..self.s.fixups.len() {
            let Fixup { phi, entry, number, part, pred, is_double } = self.s.fixups[i];
            let index = number.wrapping_sub(self.s.first_local);
            let local = self.s.locals.get(index as usize).filter(|_| number >= self.s.first_local);
            let operand = match local {
                Some(local) if local.block == MISSING => return fail(Error::NeverDefined { value: number }),
                Some(local) if local.block < CONSTANT => {
                    let operand = super::values::Operand { ty: local.ty, first: local.first };
                    self.note_phi_use(index, pred);
                    operand
                }
                None if index >= self.s.next_local && number >= self.s.first_local => {
                    return fail(Error::NeverDefined { value: number });
                }
                // A constant that takes instructions, before the terminator of the predecessor.
                _ => {
                    let of = self.b.func.layout.block_of(phi).unwrap_or(Block::from_u32(pred));
                    let block = self.source_of(of, pred);
                    if let Some(value) = self.same_edge(phi, entry, pred) {
                        self.set_phi_value(phi, entry, value);
                        continue;
                    }
                    let Some(terminator) = self.b.func.layout.last_inst(block) else {
                        return fail(Error::NoTerminator);
                    };
                    self.b.func.layout.remove_inst(terminator);
                    self.b.switch_to_block(block);
                    // No block has this number, so that nothing built elsewhere is used.
                    self.s.stamp = 1 << 31 | i as u32;
                    let operand = self.value(number);
                    self.b.func.layout.append_inst(block, terminator);
                    operand?
                }
            };
            if is_double {
                self.finish_double_phi(self.s.fixups[i], operand)?;
                continue;
            }
            let value = self.part(operand, part);
            let ty = self.b.func.result(phi).map(|result| self.ty_of(result));
            if ty != Some(self.ty_of(value)) {
                return fail(self.type_class(operand.ty, "the type of the phi"));
            }
            self.set_phi_value(phi, entry, value);
        }
        if self.s.splits.is_empty() && self.s.jumps.is_empty() {
            return Ok(());
        }
        for i in 0..self.s.checks.phis().len() {
            let (phi, block) = self.s.checks.phis()[i];
            self.check_pad_phi(phi, block)?;
            let InstData::Phi { incoming } = *self.b.func.inst(phi) else { continue };
            for k in 0..incoming.len() {
                let pred = self.b.func.incoming(incoming)[k].1;
                let last = self.source_of(block, pred.as_u32());
                self.b.func.incoming_mut(incoming)[k].1 = last;
            }
            if !self.s.jumps.is_empty() {
                self.join_jump_edges(phi);
            }
        }
        Ok(())
    }

    /// Sets an entry of a phi of 256 bits.
    #[cold]
    fn finish_double_phi(&mut self, fixup: Fixup, operand: super::values::Operand) -> Checked<()> {
        let Fixup { phi, entry, part, pred, .. } = fixup;
        if let Some(value) = self.same_edge(phi, entry, pred) {
            self.set_phi_value(phi, entry, value);
            return Ok(());
        }
        let ty = self.b.func.result(phi).map(|result| self.ty_of(result));
        let halves = [part, part + 1]
            .map(|part| (part < self.shape(operand.ty).parts).then(|| self.part(operand, part)));
        let (Some(ty), [Some(low), Some(high)]) = (ty, halves) else {
            return fail(self.type_class(operand.ty, "the type of the phi"));
        };
        if [low, high].iter().any(|&half| Some(self.ty_of(half)) != ty.half()) {
            return fail(self.type_class(operand.ty, "the type of the phi"));
        }
        let of = self.b.func.layout.block_of(phi).unwrap_or(Block::from_u32(pred));
        let block = self.source_of(of, pred);
        match self.joined_at_end([low, high], ty, block) {
            Some(value) => self.set_phi_value(phi, entry, value),
            None => return fail(Error::NoTerminator),
        }
        Ok(())
    }

    fn set_phi_value(&mut self, phi: ice_ir::Inst, entry: u32, value: Value) {
        if let InstData::Phi { incoming } = *self.b.func.inst(phi) {
            self.b.func.incoming_mut(incoming)[entry as usize].0 = value;
        }
    }

    /// The value of an earlier entry of a phi for the same predecessor: edges from one block agree.
    fn same_edge(&self, phi: ice_ir::Inst, entry: u32, pred: u32) -> Option<Value> {
        let InstData::Phi { incoming } = *self.b.func.inst(phi) else { return None };
        let before = &self.b.func.incoming(incoming)[..entry as usize];
        before.iter().find(|(_, block)| block.as_u32() == pred).map(|&(value, _)| value)
    }

    /// Notes that a phi takes a local value at the end of a basic block.
    fn note_phi_use(&mut self, index: u32, pred: u32) {
        let home = self.s.locals[index as usize].block;
        // The result of an invoke is in the ICE block behind.
        let is_there = home == pred || home == 0 || home == self.last_block(pred).as_u32();
        if !is_there {
            self.s.note_use(index, pred);
        }
    }

    /// The ICE block in which a basic block ends.
    pub(super) fn last_block(&self, block: u32) -> Block {
        // In the order of basic blocks, the last one of each counts.
        let end = self.s.splits.partition_point(|&(of, _)| of <= block);
        match end.checked_sub(1).map(|i| self.s.splits[i]) {
            Some((of, last)) if of == block => last,
            _ => Block::from_u32(block),
        }
    }

    /// The width of an integer type.
    pub(super) fn int_bits_of(&self, ty: TypeId) -> Checked<u32> {
        match self.kind(ty) {
            Kind::Scalar(Scalar::Int(bits)) => Ok(bits),
            _ => {
                self.value_shape(ty)?;
                fail(self.type_class(ty, "an integer"))
            }
        }
    }
}
