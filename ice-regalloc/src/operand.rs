//! Entity numbers and operands: what the client tells about one instruction.
//!
//! Data: one `u64` an operand (asserted in a test: operand lists are the largest input).

use crate::registers::{PReg, RegClass};
use core::fmt;

/// A virtual register: a value or variable of the client, with any number of definitions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VReg(u32);
cranelift_entity::entity_impl!(VReg, "v");

impl VReg {
    /// The number as an index.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A basic block. Blocks are numbered in layout order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
cranelift_entity::entity_impl!(Block, "block");

/// A machine instruction. Instructions are numbered in layout order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inst(u32);
cranelift_entity::entity_impl!(Inst, "inst");

/// A spill slot in the stack frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u32);
cranelift_entity::entity_impl!(Slot, "slot");

/// Whether an operand reads, writes, or both in the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum OperandKind {
    /// Reads the virtual register.
    Use,
    /// Writes the virtual register.
    Def,
    /// Reads it and writes it in the same place (two-address code).
    UseDef,
}

/// Which part of the instruction the operand's place is busy in; see the table of [`Operand`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum OperandPos {
    /// At the start: an Early Use ends before Late Defs are written, an Early Def starts before
    /// the uses are read for the last time.
    Early,
    /// At the end.
    Late,
}

/// Where the operand may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Constraint {
    /// A register of the class or a spill slot.
    Any,
    /// A register of the class.
    Reg,
    /// A spill slot.
    Stack,
    /// Exactly this register. It need not be in the allocation order of the class.
    Fixed(PReg),
}

/// One operand of an instruction, packed: virtual register, kind, position, constraint, class.
///
/// It says which virtual register the instruction reads or writes, when, and where the value may be. The model is that of regalloc2 and of the "must / may / pre-coloured" marks of
/// classical linear scan: an instruction reads its early uses, then works, then writes its late
/// definitions.
///
/// | kind, position | live through | may share its register with |
/// |---|---|---|
/// | Use, Early (usual) | start of the instruction | a Late Def |
/// | Use, Late | whole instruction | nothing written here |
/// | Def, Late (usual) | end of the instruction | an Early Use |
/// | Def, Early | whole instruction | nothing read here |
/// | UseDef | whole instruction | nothing; one register is read and then written |
///
/// Several operands of one instruction may name the same virtual register. Uses of it may then
/// share one place or have several; all hold the same value. At most one operand of an
/// instruction may define a given virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operand(u64);

// Bit layout: vreg 0..32, fixed register 32..40, class 40..48, constraint 48..50, reads 50,
// writes 51, position 52, position other than the usual one of the kind 53.
const FIXED_SHIFT: u32 = 32;
const CLASS_SHIFT: u32 = 40;
const CONSTRAINT_SHIFT: u32 = 48;
const READS: u64 = 1 << 50;
const WRITES: u64 = 1 << 51;
const LATE: u64 = 1 << 52;
const UNUSUAL: u64 = 1 << 53;
/// Set in the constraints Stack and Fixed.
const ONE_PLACE: u64 = 2 << CONSTRAINT_SHIFT;

macro_rules! constructors {
    ($($name:ident $kind:ident $pos:ident $constraint:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        #[inline]
        pub fn $name(vreg: VReg, class: RegClass) -> Operand {
            Operand::new(vreg, OperandKind::$kind, OperandPos::$pos, Constraint::$constraint, class)
        }
    )*};
}

macro_rules! fixed_constructors {
    ($($name:ident $kind:ident $pos:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        #[inline]
        pub fn $name(vreg: VReg, class: RegClass, reg: PReg) -> Operand {
            Operand::new(vreg, OperandKind::$kind, OperandPos::$pos, Constraint::Fixed(reg), class)
        }
    )*};
}

impl Operand {
    /// An operand from its parts.
    #[inline]
    pub fn new(
        vreg: VReg,
        kind: OperandKind,
        pos: OperandPos,
        constraint: Constraint,
        class: RegClass,
    ) -> Operand {
        let (tag, fixed) = match constraint {
            Constraint::Any => (0, 0),
            Constraint::Reg => (1, 0),
            Constraint::Stack => (2, 0),
            Constraint::Fixed(reg) => (3, reg.0),
        };
        let direction = match (kind, pos) {
            (OperandKind::Use, OperandPos::Early) => READS,
            (OperandKind::Use, OperandPos::Late) => READS | LATE | UNUSUAL,
            (OperandKind::Def, OperandPos::Early) => WRITES | UNUSUAL,
            (OperandKind::Def, OperandPos::Late) => WRITES | LATE,
            (OperandKind::UseDef, OperandPos::Early) => READS | WRITES,
            (OperandKind::UseDef, OperandPos::Late) => READS | WRITES | LATE,
        };
        Operand(
            u64::from(vreg.as_u32())
                | u64::from(fixed) << FIXED_SHIFT
                | u64::from(class.0) << CLASS_SHIFT
                | tag << CONSTRAINT_SHIFT
                | direction,
        )
    }

    constructors! {
        use_reg            Use    Early Reg   "Reads `vreg` from a register.";
        use_any            Use    Early Any   "Reads `vreg` from a register or a slot.";
        use_stack          Use    Early Stack "Reads `vreg` from a slot.";
        use_late_reg       Use    Late  Reg   "Reads `vreg` from a register that nothing written here shares.";
        use_late_any       Use    Late  Any   "Reads `vreg` from a register or slot that nothing written here shares.";
        use_late_stack     Use    Late  Stack "Reads `vreg` from a slot that nothing written here shares.";
        def_reg            Def    Late  Reg   "Writes `vreg` to a register, after the uses are read.";
        def_any            Def    Late  Any   "Writes `vreg` to a register or slot, after the uses are read.";
        def_stack          Def    Late  Stack "Writes `vreg` to a slot, after the uses are read.";
        def_early_reg      Def    Early Reg   "Writes `vreg` to a register that no use shares.";
        def_early_any      Def    Early Any   "Writes `vreg` to a register or slot that no use shares.";
        use_def_reg        UseDef Early Reg   "Reads and writes `vreg` in one register.";
        use_def_any        UseDef Early Any   "Reads and writes `vreg` in one register or slot.";
        use_def_stack      UseDef Early Stack "Reads and writes `vreg` in one slot.";
    }

    fixed_constructors! {
        use_fixed          Use    Early "Reads `vreg` from `reg`.";
        use_late_fixed     Use    Late  "Reads `vreg` from `reg`, which stays unwritten here.";
        def_fixed          Def    Late  "Writes `vreg` to `reg`, after the uses are read.";
        def_early_fixed    Def    Early "Writes `vreg` to `reg`, which no use shares.";
        use_def_fixed      UseDef Early "Reads and writes `vreg` in `reg`.";
    }

    /// The virtual register.
    #[inline]
    pub fn vreg(self) -> VReg {
        VReg::from_u32(self.0 as u32)
    }

    /// Whether the operand reads, writes, or both.
    #[inline]
    pub fn kind(self) -> OperandKind {
        match (self.is_use(), self.is_def()) {
            (true, true) => OperandKind::UseDef,
            (true, false) => OperandKind::Use,
            _ => OperandKind::Def,
        }
    }

    /// The operand's position in the instruction.
    #[inline]
    pub fn pos(self) -> OperandPos {
        if self.0 & LATE == 0 { OperandPos::Early } else { OperandPos::Late }
    }

    /// Where the operand may be.
    #[inline]
    pub fn constraint(self) -> Constraint {
        match self.0 >> CONSTRAINT_SHIFT & 3 {
            0 => Constraint::Any,
            1 => Constraint::Reg,
            2 => Constraint::Stack,
            _ => Constraint::Fixed(PReg((self.0 >> FIXED_SHIFT) as u8)),
        }
    }

    /// The register set allowed at this operand.
    #[inline]
    pub fn class(self) -> RegClass {
        RegClass((self.0 >> CLASS_SHIFT) as u8)
    }

    /// Whether the operand reads its virtual register (Use or UseDef).
    #[inline]
    pub fn is_use(self) -> bool {
        self.0 & READS != 0
    }

    /// Whether the operand writes its virtual register (Def or UseDef).
    #[inline]
    pub fn is_def(self) -> bool {
        self.0 & WRITES != 0
    }

    /// Whether the operand is an Early Use, a Late Def or a UseDef that says Any or Reg.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.0 & (ONE_PLACE | UNUSUAL) == 0
    }

    /// The register of an Early Use or Late Def that says Fixed.
    #[inline]
    pub(crate) fn fixed_reg(self) -> Option<PReg> {
        let usual = self.0 & (3 << CONSTRAINT_SHIFT | UNUSUAL) == 3 << CONSTRAINT_SHIFT;
        (usual && self.0 & (READS | WRITES) != READS | WRITES).then_some(PReg((self.0 >> FIXED_SHIFT) as u8))
    }

    /// Bit 2 for a read and bit 3 for a write.
    #[inline]
    pub(crate) fn access(self) -> u8 {
        (self.0 >> (READS.trailing_zeros() - 2)) as u8 & 0b1100
    }

    /// Whether the operand says Stack or Fixed.
    #[inline]
    pub(crate) fn has_one_place(self) -> bool {
        self.0 & ONE_PLACE != 0
    }

    /// Whether a plain operand says Reg, not Any.
    #[inline]
    pub(crate) fn is_reg(self) -> bool {
        self.0 >> CONSTRAINT_SHIFT & 3 == 1
    }

    /// The virtual register as an index.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as u32 as usize
    }
}

/// The operands of one instruction taken together: properties that one of them has, and that two have.
#[derive(Clone, Copy, Default)]
pub(crate) struct Together {
    one: u64,
    two: u64,
}

impl Together {
    #[inline(always)]
    pub fn of(ops: [Operand; 2]) -> Together {
        let mut together = Together::default();
        ops.into_iter().for_each(|op| together.add(op));
        together
    }

    #[inline(always)]
    pub fn add(&mut self, op: Operand) {
        self.two |= self.one & op.0;
        self.one |= op.0;
    }

    /// Whether all are plain, and one defines at most.
    #[inline]
    pub fn are_plain(self) -> bool {
        self.one & (ONE_PLACE | UNUSUAL) | self.two & WRITES == 0
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind() {
            OperandKind::Use => "use",
            OperandKind::Def => "def",
            OperandKind::UseDef => "use-def",
        };
        let pos = match (self.kind(), self.pos()) {
            (OperandKind::Use, OperandPos::Late) => " late",
            (OperandKind::Def, OperandPos::Early) => " early",
            _ => "",
        };
        write!(f, "{kind}{pos} {}:{} ", self.vreg(), self.class())?;
        match self.constraint() {
            Constraint::Any => f.write_str("any"),
            Constraint::Reg => f.write_str("reg"),
            Constraint::Stack => f.write_str("stack"),
            Constraint::Fixed(reg) => write!(f, "fixed({reg})"),
        }
    }
}

impl fmt::Debug for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn parts_survive_packing() {
        assert_eq!(size_of::<Operand>(), 8);
        let constraints = [Constraint::Any, Constraint::Reg, Constraint::Stack, Constraint::Fixed(PReg(255))];
        for kind in [OperandKind::Use, OperandKind::Def, OperandKind::UseDef] {
            for pos in [OperandPos::Early, OperandPos::Late] {
                for constraint in constraints {
                    let vreg = VReg::from_u32(0xffff_fffe);
                    let op = Operand::new(vreg, kind, pos, constraint, RegClass(0xfe));
                    assert_eq!(
                        (op.vreg(), op.kind(), op.pos(), op.constraint(), op.class()),
                        (vreg, kind, pos, constraint, RegClass(0xfe))
                    );
                    let usual = match kind {
                        OperandKind::Use => pos == OperandPos::Early,
                        OperandKind::Def => pos == OperandPos::Late,
                        OperandKind::UseDef => true,
                    };
                    let free = matches!(constraint, Constraint::Any | Constraint::Reg);
                    assert_eq!(op.is_plain(), usual && free);
                    assert_eq!(Together::of([op, op]).are_plain(), usual && free && !op.is_def());
                    assert_eq!(op.is_reg(), constraint == Constraint::Reg);
                }
            }
        }
    }

    #[test]
    fn entities_print_as_in_the_text_form() {
        assert_eq!(VReg::from_u32(3).to_string(), "v3");
        assert_eq!(Block::from_u32(2).to_string(), "block2");
        assert_eq!(Inst::from_u32(7).to_string(), "inst7");
        assert_eq!(Slot::from_u32(1).to_string(), "slot1");
        let op = Operand::use_late_fixed(VReg::from_u32(3), RegClass(0), PReg(1));
        assert_eq!(op.to_string(), "use late v3:class0 fixed(p1)");
    }
}
