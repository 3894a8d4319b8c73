//! What a row of the tables says of an instruction: a set of bits.

/// What the rules want to know of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Op(u32);

impl Op {
    /// No instruction that the sandbox allows.
    pub const NONE: Op = Op(0);
    /// An allowed instruction without operands that matter.
    pub const PLAIN: Op = Op(1);
    /// A ModRM byte follows.
    pub const MODRM: Op = Op(1 << 1);
    /// Eight bits of immediate.
    pub const IMM8: Op = Op(1 << 2);
    /// An immediate of 16 bits with the prefix 66, else of 32.
    pub const IMM_Z: Op = Op(2 << 2);
    /// An immediate as wide as the operand, also 64 bits.
    pub const IMM_V: Op = Op(3 << 2);
    /// An address of 32 bits, x86-32 only.
    pub const OFFSET: Op = Op(4 << 2);
    const IMMEDIATE: Op = Op(7 << 2);
    /// Writes the general register in ModRM.rm, if it is one.
    pub const WRITES_RM: Op = Op(1 << 5);
    /// Writes the general register in ModRM.reg.
    pub const WRITES_REG: Op = Op(1 << 6);
    /// Writes the general register in the low bits of the opcode.
    pub const WRITES_OPCODE: Op = Op(1 << 7);
    /// The written register has eight bits.
    pub const BYTE: Op = Op(1 << 8);
    /// A write of 32 bits counts as confining the register for the next instruction.
    pub const EXTENDS: Op = Op(1 << 9);
    /// May be locked in memory.
    pub const LOCK: Op = Op(1 << 10);
    /// Has the form of an access and makes none.
    pub const NO_ACCESS: Op = Op(1 << 11);
    /// Only with an operand in memory.
    pub const MEMORY: Op = Op(1 << 12);
    /// Only with a register in ModRM.rm.
    pub const REGISTER: Op = Op(1 << 13);
    /// The prefix 66 makes the operands 16 bits wide.
    pub const WORD: Op = Op(1 << 14);
    /// Not on x86-64.
    pub const ONLY_32: Op = Op(1 << 15);
    /// Not on x86-32.
    pub const ONLY_64: Op = Op(1 << 16);
    /// The prefix F3 repeats it.
    pub const REP: Op = Op(1 << 17);
    /// The prefix F2 repeats it.
    pub const REPNE: Op = Op(1 << 18);
    /// ModRM.reg selects a row of [`GROUPS`](super::tables::GROUPS).
    pub const GROUP: Op = Op(1 << 19);
    /// SSE3 to SSE4.2 and `popcnt`.
    pub const SSE4: Op = Op(1 << 20);
    /// `lzcnt`, `tzcnt`, `movbe`.
    pub const BITS: Op = Op(1 << 21);
    /// The immediate is a distance from the next instruction.
    pub const BRANCH: Op = Op(1 << 22);
    /// A branch through a register.
    pub const INDIRECT: Op = Op(1 << 23);
    /// Accesses memory at `(e|r)si` or `(e|r)di`.
    pub const STRING: Op = Op(1 << 24);
    /// No REX prefix.
    pub const NO_REX: Op = Op(1 << 25);
    const GROUP_SHIFT: u32 = 26;

    /// The bits of either.
    pub const fn and(self, other: Op) -> Op {
        Op(self.0 | other.0)
    }

    /// Whether all bits of `other` are set.
    #[inline]
    pub const fn has(self, other: Op) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a bit of `other` is set.
    #[inline]
    pub const fn has_any(self, other: Op) -> bool {
        self.0 & other.0 != 0
    }

    /// A row whose ModRM.reg selects from group `index`.
    pub const fn group(index: u32) -> Op {
        Op(Op::PLAIN.0 | Op::MODRM.0 | Op::GROUP.0 | index << Op::GROUP_SHIFT)
    }

    /// The group of a row with [`Op::GROUP`].
    #[inline]
    pub const fn group_index(self) -> usize {
        (self.0 >> Op::GROUP_SHIFT) as usize
    }

    /// The bits of the immediate.
    #[inline]
    pub const fn immediate(self) -> Op {
        Op(self.0 & Op::IMMEDIATE.0)
    }
}
