//! What a pass says of its work, so that analyses are made anew only where they no longer hold.

/// What a pass has changed of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Changed {
    /// Nothing: all that is known of the function still holds.
    Nothing,
    /// Instructions that nobody needed are gone: use counts still hold.
    Dead,
    /// Instructions, their operands or their order: blocks and edges are the same.
    Instructions,
    /// Blocks have come or gone, and perhaps instructions have changed. A loop forest that the pass was given is kept up to
    /// date; all other graphs are those of before.
    KeptLoops,
    /// Blocks or edges, and perhaps instructions.
    Blocks,
}

impl Changed {
    /// The dead are gone if `any`, or else nothing.
    pub(crate) const fn dead(any: bool) -> Changed {
        if any { Changed::Dead } else { Changed::Nothing }
    }

    /// Instructions if `any`, or else nothing.
    pub(crate) const fn instructions(any: bool) -> Changed {
        if any { Changed::Instructions } else { Changed::Nothing }
    }
}
