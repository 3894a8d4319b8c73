//! What machine instructions refer to by number: constants in memory, planned switches, and code that is there already.

use super::MachBlock;
use crate::compiled::CodeSymbol;
use crate::switch::SwitchPlan;
use alloc::boxed::Box;
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

/// The constants, switches and inline assembly of one function. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Constants that the code loads.
    pub constants: ConstantPool,
    switches: Vec<PlannedSwitch>,
    /// How many of `switches` belong to this function; the others are kept for their memory.
    num_switches: usize,
    /// The code of inline assembly.
    assemblies: Vec<Box<[u8]>>,
}

impl Tables {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.constants.clear();
        self.num_switches = 0;
        self.assemblies.clear();
    }

    /// Keeps the code of a statement of inline assembly, and gives its number.
    pub fn add_assembly(&mut self, code: &[u8]) -> u32 {
        self.assemblies.push(code.into());
        self.assemblies.len() as u32 - 1
    }

    /// The code of inline assembly by number.
    pub fn assembly(&self, number: u32) -> Option<&[u8]> {
        self.assemblies.get(number as usize).map(|code| &**code)
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
