//! What is known of each instruction by itself: one row for each, in order.
//!
//! Data: where the operands of the instruction end, and a byte of facts, [`Shape`]. A row stands before the first
//! instruction, so that the operands of each start where the row before it says.

use crate::function::Remat;
use crate::memory::make_room;
use alloc::vec;
use alloc::vec::Vec;

/// Facts about one instruction: a set of the constants below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape(u8);

impl Shape {
    pub const TERMINATOR: Shape = Shape(1);
    pub const CLOBBERS: Shape = Shape(2);
    /// It copies a virtual register.
    pub const COPY: Shape = Shape(4);
    /// An operand is not plain, or one defines what another one names, or there are several definitions,
    /// or clobbers.
    pub const GENERAL: Shape = Shape(8);
    /// Every instruction has this one.
    pub const ANY: Shape = Shape(16);
    /// Its value can be made again.
    pub const REMADE: Shape = Shape(3 << Shape::REMAT);
    /// The bits from here on say how its value can be made again.
    const REMAT: u32 = 5;

    /// The fact that a value can be made again so.
    pub const fn of_remat(remat: Remat) -> Shape {
        Shape((1 + remat as u8) << Self::REMAT)
    }

    /// How its value can be made again.
    pub const fn remat(self) -> Option<Remat> {
        match self.0 >> Self::REMAT {
            0 => None,
            1 => Some(Remat::Register),
            2 => Some(Remat::Anywhere),
            _ => Some(Remat::Memory),
        }
    }

    /// The facts of both.
    #[inline]
    pub fn or(self, other: Shape) -> Shape {
        Shape(self.0 | other.0)
    }

    /// Whether one of the facts is true.
    #[inline]
    pub fn has(self, fact: Shape) -> bool {
        self.0 & fact.0 != 0
    }
}

/// What is known of an instruction by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    /// Where its operands end among those of the function; they start where those of the instruction before end.
    pub end: u32,
    pub shape: Shape,
}

impl Row {
    /// Stands before the first instruction.
    const FIRST: Row = Row { end: 0, shape: Shape::ANY };
}

/// The rows of a function.
#[derive(Clone, Debug)]
pub(crate) struct Rows(Vec<Row>);

impl Default for Rows {
    fn default() -> Rows {
        Rows(vec![Row::FIRST])
    }
}

impl Rows {
    /// Forgets all instructions, keeps the memory.
    pub fn clear(&mut self) {
        self.0.truncate(1);
    }

    /// Makes room for about `insts` instructions where there are none.
    pub fn make_room(&mut self, insts: usize) {
        make_room(&mut self.0, insts + 1);
        if self.0.is_empty() {
            self.0.push(Row::FIRST);
        }
    }

    /// Number of instructions.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.len() - 1
    }

    /// The row before the first instruction, and one for each.
    #[inline(always)]
    pub fn all(&self) -> &[Row] {
        &self.0
    }

    /// The facts about instruction `i`; those of every one if there is none.
    #[inline]
    pub fn shape(&self, i: usize) -> Shape {
        self.0.get(i + 1).map_or(Shape::ANY, |row| row.shape)
    }

    /// Where the operands of instruction `i` start, or end those of the one before.
    #[inline]
    pub fn start(&self, i: usize) -> usize {
        self.0[i].end as usize
    }

    /// Adds the next instruction.
    #[inline(always)]
    pub fn push(&mut self, row: Row) {
        self.0.push(row);
    }

    /// Adds facts about the latest instruction.
    #[inline]
    pub fn add(&mut self, facts: Shape) {
        if let Some(row) = self.0.last_mut() {
            row.shape = row.shape.or(facts);
        }
    }
}
