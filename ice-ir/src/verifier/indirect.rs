//! The rules of switches by addresses.

use alloc::vec::Vec;

use super::{Rule, Verifier};
use crate::entities::{Block, SwitchTable, Value};
use crate::function::{Function, SwitchKey};
use crate::instruction::InstData;

/// Whether the instruction is a switch by addresses.
pub(super) fn is_indirect(func: &Function, data: &InstData) -> bool {
    match *data {
        InstData::Switch { table, .. } => func.switch(table).key == SwitchKey::Label,
        _ => false,
    }
}

impl Verifier<'_> {
    pub(super) fn indirect_branch(
        &mut self,
        value: Value,
        default: Block,
        table: SwitchTable,
        labels: &mut Vec<i64>,
    ) {
        let func = self.func;
        self.check_pnacl(Rule::IndirectBranch, false);
        let cases = &func.switch(table).cases;
        labels.clear();
        labels.extend(cases.iter().map(|&(label, _)| label));
        labels.sort_unstable();
        let are_labels = labels.iter().all(|&label| u32::try_from(label).is_ok());
        self.check(Rule::SwitchCases, are_labels && labels.windows(2).all(|pair| pair[0] != pair[1]));
        let is_address = func.value_type(value) == self.module.pointer_type;
        let are_alone = cases.iter().all(|&(_, block)| self.only_predecessor(block).is_some());
        let end = func.layout.first_inst(default).map(|inst| func.inst(inst));
        let has_no_default = matches!(end, Some(InstData::Unreachable));
        let count = func.blocks().filter_map(|block| func.terminator(block));
        let is_one = count.filter(|data| is_indirect(func, data)).count() == 1;
        self.check(Rule::IndirectBranch, is_address && are_alone && has_no_default && is_one);
    }
}
