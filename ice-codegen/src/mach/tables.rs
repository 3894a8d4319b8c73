//! What machine instructions refer to by number: constants in memory, and planned switches.

use super::MachBlock;
use crate::compiled::CodeSymbol;
use crate::switch::SwitchPlan;
use alloc::vec::Vec;
use ice_asm::{ConstantPool, SymbolId};

/// A switch ready for emission.
#[derive(Clone, Debug, Default)]
pub struct PlannedSwitch {
    /// Bits of the condition.
    pub bits: u32,
    /// The decision tree.
    pub plan: SwitchPlan<MachBlock>,
}

/// The constants and switches of one function. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Constants that the code loads.
    pub constants: ConstantPool,
    switches: Vec<PlannedSwitch>,
    /// How many of `switches` belong to this function; the others are kept for their memory.
    num_switches: usize,
}

impl Tables {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.constants.clear();
        self.num_switches = 0;
    }

    /// The switches, by number.
    pub fn switches(&self) -> &[PlannedSwitch] {
        &self.switches[..self.num_switches]
    }

    /// The switch of a number.
    pub fn switch(&self, number: u32) -> Option<&PlannedSwitch> {
        self.switches().get(number as usize)
    }

    /// A symbol of the function's code as one for the code of many functions, whose constants are `shared`: a constant has
    /// another number there. `None` for a constant that is not there.
    pub fn shared_symbol(&self, symbol: SymbolId, shared: &mut ConstantPool) -> Option<SymbolId> {
        match CodeSymbol::unpack(symbol) {
            CodeSymbol::Constant(id) => {
                let bits = self.constants.get(id)?;
                Some(CodeSymbol::Constant(shared.intern(id.size, bits)).pack())
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
