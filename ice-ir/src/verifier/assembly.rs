//! The rules of inline assembly.

use super::{Rule, Verifier};
use crate::assembly::{Assembly, Direction};
use crate::entities::{AssemblyId, Block, Inst};
use crate::instruction::{InstData, ValueRange};
use crate::types::Type;
use alloc::vec::Vec;

impl Verifier<'_> {
    /// A statement with as many arguments and results as it says.
    pub(super) fn assembly(&mut self, inst: Inst, assembly: AssemblyId, args: ValueRange) {
        let results = self.outputs_from(inst).len();
        let is_right = self.has_operands(assembly, args, results);
        let stays = self.func.assembly(assembly).is_some_and(|assembly| assembly.targets.is_empty());
        self.check(Rule::Assembly, is_right && stays);
        self.check_pnacl(Rule::Assembly, false);
    }

    /// A statement that may jump: its operands, and its targets, which begin with the same results.
    pub(super) fn assembly_jump(&mut self, assembly: AssemblyId, args: ValueRange) {
        self.check_pnacl(Rule::Assembly, false);
        let Some(targets) = self.func.assembly(assembly).map(|assembly| &assembly.targets) else {
            return self.check(Rule::Assembly, false);
        };
        let mut results = targets.iter().map(|&target| self.received_by(target));
        let Some(Some(first)) = results.next() else { return self.check(Rule::Assembly, false) };
        let agree = results.all(|others| others.as_ref() == Some(&first));
        let is_right = self.has_operands(assembly, args, first.len());
        self.check(Rule::Assembly, agree && is_right);
    }

    /// Whether constraints ask for so many arguments, results and targets.
    fn has_operands(&self, assembly: AssemblyId, args: ValueRange, results: usize) -> bool {
        let Some(assembly) = self.func.assembly(assembly) else { return false };
        let Ok(operands) = Assembly::operands(assembly) else { return false };
        let count = |is: &dyn Fn(&_) -> bool| operands.iter().filter(|&operand| is(operand)).count();
        let labels = count(&|operand| operand.direction == Direction::Label);
        args.len() == count(&|operand| operand.is_operand())
            && results == count(&|operand| operand.is_result())
            && labels == assembly.targets.len().saturating_sub(1)
    }

    /// The types of the results that a target receives, if it is one: it has no other predecessor, and no phis.
    fn received_by(&self, target: Block) -> Option<Vec<Type>> {
        let func = self.func;
        self.only_predecessor(target)?;
        let first = func.layout.first_inst(target)?;
        match func.inst(first) {
            InstData::Phi { .. } => None,
            InstData::InvokeResult => Some(self.outputs_from(first)),
            _ => Some(Vec::new()),
        }
    }

    /// The types of the result of `inst` and of the outputs behind it.
    fn outputs_from(&self, inst: Inst) -> Vec<Type> {
        let func = self.func;
        let mut types: Vec<_> = func.result(inst).map(|first| func.value_type(first)).into_iter().collect();
        let mut next = func.layout.next_inst(inst);
        while let Some(output) = next.filter(|&next| matches!(func.inst(next), InstData::Output { .. })) {
            types.extend(func.result(output).map(|output| func.value_type(output)));
            next = func.layout.next_inst(output);
        }
        types
    }

    /// Whether `inst` stands at the start of a target of inline assembly that may jump.
    pub(super) fn is_behind_jump(&self, inst: Inst) -> bool {
        let func = self.func;
        let block = func.layout.block_of(inst).filter(|&block| func.layout.first_inst(block) == Some(inst));
        let before = block.and_then(|block| func.terminator(self.only_predecessor(block)?));
        matches!(before, Some(InstData::AssemblyJump { .. }))
    }
}
