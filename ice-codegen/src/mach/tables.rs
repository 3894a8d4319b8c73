//! What machine instructions refer to by number: constants in memory, planned switches, and code that is there already.

use super::MachBlock;
use crate::assembly::TextCode;
use crate::compiled::CodeSymbol;
use crate::switch::SwitchPlan;
use alloc::boxed::Box;
use alloc::vec::Vec;
use ice_asm::{ConstantPool, SymbolId};
use ice_ir::FuncId;

/// A switch ready for emission.
#[derive(Clone, Debug, Default)]
pub struct PlannedSwitch {
    /// Bits of the condition.
    pub bits: u32,
    /// The decision tree.
    pub plan: SwitchPlan<MachBlock>,
}

/// The constants, switches and inline assembly of one function. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Constants that the code loads.
    pub constants: ConstantPool,
    switches: Vec<PlannedSwitch>,
    /// How many of `switches` belong to this function; the others are kept for their memory.
    num_switches: usize,
    /// The code of inline assembly.
    assemblies: Vec<TextCode>,
    /// The labels of the function: numbers and blocks.
    pub labels: Vec<(u32, MachBlock)>,
    /// Labels whose addresses are taken: of which function, and their numbers there.
    pub taken_labels: Vec<(FuncId, u32)>,
    /// Symbols that inline assembly names.
    names: Vec<Box<str>>,
}

impl Tables {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.constants.clear();
        self.num_switches = 0;
        self.assemblies.clear();
        self.labels.clear();
        self.taken_labels.clear();
        self.names.clear();
    }

    /// Keeps the code of a statement of inline assembly, and gives its number.
    pub fn add_assembly(&mut self, code: TextCode) -> u32 {
        self.assemblies.push(code);
        self.assemblies.len() as u32 - 1
    }

    /// The code of inline assembly by number.
    pub fn assembly(&self, number: u32) -> Option<&TextCode> {
        self.assemblies.get(number as usize)
    }

    /// The code of all inline assembly, by number.
    pub fn assemblies(&self) -> &[TextCode] {
        &self.assemblies
    }

    /// The number of a symbol that only its name says.
    pub fn add_name(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|known| **known == *name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        number as u32
    }

    /// The names of such symbols, by number.
    pub fn names(&self) -> &[Box<str>] {
        &self.names
    }

    /// The switches, by number.
    pub fn switches(&self) -> &[PlannedSwitch] {
        &self.switches[..self.num_switches]
    }

    /// The switch of a number.
    pub fn switch(&self, number: u32) -> Option<&PlannedSwitch> {
        self.switches().get(number as usize)
    }

    /// A symbol for the address of a label.
    pub fn label_symbol(&mut self, function: FuncId, label: u32) -> SymbolId {
        self.taken_labels.push((function, label));
        CodeSymbol::Label(self.taken_labels.len() as u32 - 1).pack()
    }

    /// Whether [`shared_symbol`](Self::shared_symbol) may change symbols.
    pub fn has_own_symbols(&self) -> bool {
        !self.constants.is_empty() || !self.taken_labels.is_empty()
    }

    /// A symbol of the function's code as one for the code of many functions, whose constants and labels are these: a
    /// constant or a label has another number there. `None` for one that is not there.
    pub fn shared_symbol(
        &self,
        symbol: SymbolId,
        shared: &mut ConstantPool,
        labels: &mut Vec<(FuncId, u32)>,
    ) -> Option<SymbolId> {
        match CodeSymbol::unpack(symbol) {
            CodeSymbol::Constant(id) => {
                let bits = self.constants.get(id)?;
                Some(CodeSymbol::Constant(shared.intern(id.size, bits)).pack())
            }
            CodeSymbol::Label(index) => {
                let label = *self.taken_labels.get(index as usize)?;
                let known = labels.iter().rev().take(8).position(|&other| other == label);
                let index = match known {
                    Some(back) => labels.len() - 1 - back,
                    None => {
                        labels.push(label);
                        labels.len() - 1
                    }
                };
                Some(CodeSymbol::Label(index as u32).pack())
            }
            _ => Some(symbol),
        }
    }

    /// A new switch and its number. What it holds is to be overwritten.
    pub fn add_switch(&mut self) -> (u32, &mut PlannedSwitch) {
        let index = self.num_switches;
        self.num_switches += 1;
        if self.switches.len() < self.num_switches {
            self.switches.push(PlannedSwitch::default());
        }
        (index as u32, &mut self.switches[index])
    }
}
