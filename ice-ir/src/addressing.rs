//! What the operands of loads and stores of a machine compute.

/// The sums that an access computes of its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressing {
    /// A register and a number.
    Base,
    /// That, or the sum of two registers, one of them scaled by the size of what is accessed.
    BaseOrIndex {
        /// Whether an access at a register alone may also add a number to that.
        steps: bool,
    },
    /// Two registers, one of them scaled, and a number.
    BaseAndIndex,
}
