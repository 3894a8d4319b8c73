//! The recipes: which steps turn a function body into machine code, in which order.
//!
//! [`FunctionCompiler`] performs them; it owns the memory of every step. It is made once a thread and reused from
//! function to function, so that translating the thousandth function allocates nothing.

mod pipeline;
#[cfg(feature = "text")]
mod print;

pub(crate) use pipeline::Pipeline;
pub use pipeline::{FunctionCompiler, Job};

use crate::options::Emit;

/// A list of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipe {
    /// Short translation time.
    Om1,
    /// Fast code.
    O2,
}

/// What is done to a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Read the body; constants fold and common subexpressions of a block vanish while it is built.
    Read,
    /// A function whose body came before gets a copy of its code: it is neither read nor translated.
    Repeats,
    /// Frames of functions that ask for it are guarded, and calls through addresses look at types.
    Harden,
    /// Predecessors and successors of blocks.
    ControlFlow,
    /// Calls in tail position become jumps.
    ReturnCalls,
    /// Use counts and dead instructions.
    UseCounts,
    /// The same, and who uses each value last.
    Uses,
    /// The dominator tree.
    Dominators,
    /// The loop forest.
    Loops,
    /// Common subexpressions of the function; cheaper forms of instructions.
    NumberValues,
    /// Loop-invariant instructions go before their loops.
    Licm,
    /// Addresses that advance by a fixed distance in loops are counted up.
    ReduceStrength,
    /// Loop variables that only count for themselves go away.
    DeadCycles,
    /// Branches on `a or b` become two branches.
    ShortCircuit,
    /// Dispatches of interpreters get short: no block and no second phi before them, no sum behind.
    SimplifySwitches,
    /// What accesses share of their addresses goes to each of them, on targets whose operands of memory compute it.
    FoldAddresses,
    /// Comparisons, scales and steps go to their users.
    Sink,
    /// Blocks that end the program alike become one.
    MergeEnds,
    /// The frame is taken where calls begin; ways around them need none.
    LateFrame,
    /// The order of blocks for fast code; without it they stay in the order of the function.
    Layout,
    /// What loops keep in registers, on targets where constants are costly.
    HoldConstants,
    /// Final block order with split edges.
    BlockOrder,
    /// Machine instructions over virtual registers.
    Lower,
    /// Registers and spill slots.
    Allocate,
    /// Bytes.
    Emit,
}

impl Step {
    /// Every step, in the order of the longest recipe.
    pub const ALL: [Step; 25] = [
        Step::Read,
        Step::Repeats,
        Step::Harden,
        Step::ControlFlow,
        Step::ReturnCalls,
        Step::UseCounts,
        Step::Uses,
        Step::Dominators,
        Step::Loops,
        Step::NumberValues,
        Step::Licm,
        Step::ReduceStrength,
        Step::DeadCycles,
        Step::ShortCircuit,
        Step::SimplifySwitches,
        Step::FoldAddresses,
        Step::Sink,
        Step::MergeEnds,
        Step::LateFrame,
        Step::Layout,
        Step::HoldConstants,
        Step::BlockOrder,
        Step::Lower,
        Step::Allocate,
        Step::Emit,
    ];

    /// The name for `--print-after` and `--time-passes`.
    pub const fn name(self) -> &'static str {
        match self {
            Step::Read => "read",
            Step::Repeats => "repeats",
            Step::Harden => "harden",
            Step::ControlFlow => "control-flow",
            Step::ReturnCalls => "return-calls",
            Step::UseCounts => "use-counts",
            Step::Uses => "uses",
            Step::Dominators => "dominators",
            Step::Loops => "loops",
            Step::DeadCycles => "dead-cycles",
            Step::NumberValues => "number-values",
            Step::Licm => "licm",
            Step::ReduceStrength => "reduce-strength",
            Step::ShortCircuit => "short-circuit",
            Step::SimplifySwitches => "simplify-switches",
            Step::FoldAddresses => "fold-addresses",
            Step::Sink => "sink",
            Step::MergeEnds => "merge-ends",
            Step::LateFrame => "late-frame",
            Step::Layout => "layout",
            Step::HoldConstants => "hold-constants",
            Step::BlockOrder => "block-order",
            Step::Lower => "lower",
            Step::Allocate => "allocate",
            Step::Emit => "emit",
        }
    }

    /// Whether a recipe may leave the step out (`--disable-pass`): the code is only slower then.
    pub const fn is_optional(self) -> bool {
        matches!(
            self,
            Step::Repeats
                | Step::ReturnCalls
                | Step::DeadCycles
                | Step::NumberValues
                | Step::Licm
                | Step::ReduceStrength
                | Step::ShortCircuit
                | Step::SimplifySwitches
                | Step::FoldAddresses
                | Step::Sink
                | Step::MergeEnds
                | Step::LateFrame
                | Step::Layout
                | Step::HoldConstants
        )
    }

    /// The step of that name.
    pub fn parse(name: &str) -> Option<Step> {
        Step::ALL.into_iter().find(|step| step.name() == name)
    }
}

/// Om1: values are in registers within a block, in one behind it that it alone leads to, and around loops of which little is
/// in other loops.
const OM1: &[Step] = &[
    Step::Read,
    Step::Repeats,
    Step::Harden,
    Step::ControlFlow,
    Step::Uses,
    Step::BlockOrder,
    Step::Lower,
    Step::Allocate,
    Step::Emit,
];

/// O2: values are in registers as long as they live, and no more is computed than is used.
const O2: &[Step] = &[
    Step::Read,
    Step::Repeats,
    Step::Harden,
    Step::ControlFlow,
    Step::ReturnCalls,
    Step::Uses,
    Step::ShortCircuit,
    Step::Dominators,
    Step::Loops,
    Step::NumberValues,
    Step::Licm,
    Step::UseCounts,
    Step::ReduceStrength,
    Step::UseCounts,
    Step::DeadCycles,
    Step::UseCounts,
    Step::SimplifySwitches,
    Step::UseCounts,
    Step::FoldAddresses,
    Step::Sink,
    Step::MergeEnds,
    Step::LateFrame,
    Step::Uses,
    Step::Layout,
    Step::HoldConstants,
    Step::BlockOrder,
    Step::Lower,
    Step::Allocate,
    Step::Emit,
];

impl Recipe {
    /// The steps in order.
    pub const fn steps(self) -> &'static [Step] {
        match self {
            Recipe::Om1 => OM1,
            Recipe::O2 => O2,
        }
    }

    /// How registers are allocated.
    const fn allocation(self) -> ice_regalloc::Mode {
        match self {
            Recipe::Om1 => ice_regalloc::Mode::Minimal,
            Recipe::O2 => ice_regalloc::Mode::Linear,
        }
    }
}

/// The steps of a translation: those of its recipe but for what is left out, as far as what is wanted in the end needs
/// them. Decided once, gone through for each function.
#[derive(Clone, Debug)]
pub struct Steps {
    recipe: Recipe,
    list: Vec<Step>,
    /// The bits of those in the list.
    set: u32,
}

const _: () = assert!(Step::ALL.len() <= u32::BITS as usize);

impl Steps {
    /// The steps of `recipe` that `emit` needs, without those of `disabled` that [are optional](Step::is_optional).
    pub fn of(recipe: Recipe, emit: Emit, disabled: &[Step]) -> Steps {
        let last = match emit {
            Emit::Object => Step::Emit,
            #[cfg(feature = "text")]
            Emit::Assembly => Step::Emit,
            #[cfg(feature = "text")]
            Emit::Mir => Step::Lower,
            #[cfg(feature = "text")]
            Emit::Ir => Step::Read,
        };
        let steps = recipe.steps();
        let end = steps.iter().position(|&step| step == last).map_or(steps.len(), |index| index + 1);
        let is_left_out = |step: Step| step.is_optional() && disabled.contains(&step);
        let list: Vec<Step> = steps[..end].iter().copied().filter(|&step| !is_left_out(step)).collect();
        let set = list.iter().fold(0, |set, &step| set | 1 << step as u32);
        Steps { recipe, list, set }
    }

    /// The recipe.
    pub fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// The steps in order.
    pub fn as_slice(&self) -> &[Step] {
        &self.list
    }

    /// Whether `step` is one of them.
    pub fn contains(&self, step: Step) -> bool {
        self.set >> step as u32 & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_optional_steps_are_left_out() {
        let steps = Steps::of(Recipe::O2, Emit::Object, &[Step::Licm, Step::Lower]);
        let expected = O2.iter().filter(|&&step| step != Step::Licm);
        assert!(steps.as_slice().iter().eq(expected));
        assert!(!steps.contains(Step::Licm) && steps.contains(Step::Lower));
        assert_eq!(steps.recipe(), Recipe::O2);
    }

    #[test]
    fn steps_are_found_by_their_names_and_have_their_place_in_the_table() {
        for (index, step) in Step::ALL.into_iter().enumerate() {
            assert_eq!(Step::parse(step.name()), Some(step));
            assert_eq!(step as usize, index);
        }
        assert_eq!(Step::parse("all"), None);
    }

    #[test]
    fn every_recipe_ends_with_bytes() {
        for recipe in [Recipe::Om1, Recipe::O2] {
            assert_eq!(recipe.steps().first(), Some(&Step::Read));
            assert_eq!(recipe.steps().last(), Some(&Step::Emit));
        }
    }
}
