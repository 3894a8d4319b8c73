//! How often branches go which way, as far as that says that one way is hardly ever gone: of branches that the source calls likely or
//! unlikely (`__builtin_expect`, `likely`, `unlikely`, calls of cold functions), and of those of a profile.
//!
//! A branch is attached to a node of the string `branch_weights`, perhaps of `expected`, and a number for each way (LLVM language
//! reference, "Branch weight metadata"). Nodes that one function alone has stand in its own block.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::codes::{attachment, metadata as code};
use super::metadata::Strings;
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::Result;

/// A way is rare that is gone once for so many times, or more, that another one is.
const RARE: u64 = 256;

const WEIGHTS: &[u8] = b"branch_weights";
const EXPECTED: &[u8] = b"expected";

/// The way that a conditional branch hardly ever goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RareWay {
    /// Where its condition holds.
    True,
    /// Where it does not.
    False,
}

/// Metadata that weights are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// The string that weights begin with.
    Weights,
    /// The string behind it, of weights that the source says.
    Expected,
    Number(u32),
    /// Weights of two ways, of which one is rare.
    Branch(RareWay),
}

/// The weights of branches in a module, or those that one of its functions has beside them.
#[derive(Clone, Default, Debug)]
pub struct Weights {
    /// By number of the metadata.
    known: IndexMap<u64, Part, FxBuildHasher>,
    /// The number of what comes next.
    count: u64,
    /// Whether there is a string that weights begin with: nothing else is looked at without one.
    has_any: bool,
}

impl Weights {
    /// Forgets all; numbers go on behind those of the `module`.
    pub(in crate::llvm) fn begin(&mut self, module: &Weights) {
        self.known.clear();
        (self.count, self.has_any) = (module.count, module.has_any);
    }

    /// The way that a branch attached to the metadata with this number hardly ever goes.
    #[must_use]
    pub fn rare_way(&self, module: &Weights, id: u64) -> Option<RareWay> {
        match self.get(module, id)? {
            Part::Branch(way) => Some(way),
            _ => None,
        }
    }

    fn get(&self, module: &Weights, id: u64) -> Option<Part> {
        self.known.get(&id).or_else(|| module.known.get(&id)).copied()
    }

    /// Adds the strings that a record has, whose characters are in `bytes`.
    pub(super) fn add_strings(&mut self, strings: &Strings, bytes: &[u8]) {
        for (id, bounds) in (self.count..).zip(strings.bounds(bytes)) {
            let part = match strings.text(bytes, bounds) {
                Some(WEIGHTS) => Part::Weights,
                Some(EXPECTED) => Part::Expected,
                _ => continue,
            };
            self.has_any |= part == Part::Weights;
            self.known.insert(id, part);
        }
        self.count = self.count.saturating_add(strings.count());
    }

    /// Whether nodes may say anything.
    pub(super) fn has_any(&self) -> bool {
        self.has_any
    }

    /// Passes over so many nodes.
    pub(super) fn skip(&mut self, nodes: usize) {
        self.count = self.count.saturating_add(nodes as u64);
    }

    /// Adds what a record says that has the next number, where fields may be of the `module`.
    pub(super) fn add(&mut self, module: &Weights, record: &Record, number: impl Fn(u32) -> Option<i64>) {
        let part = match (record.code, &record.ops[..]) {
            _ if !self.has_any => None,
            (code::VALUE, &[_, value]) => {
                let number = u32::try_from(value).ok().and_then(number);
                number.map(|number| Part::Number(number as u32))
            }
            (code::NODE, ops) => self.branch(module, ops).map(Part::Branch),
            _ => None,
        };
        if let Some(part) = part {
            self.known.insert(self.count, part);
        }
        self.count = self.count.saturating_add(1);
    }

    /// The rare way of a node with these fields.
    fn branch(&self, module: &Weights, fields: &[u64]) -> Option<RareWay> {
        // 0 is no metadata.
        let part = |field: u64| self.get(module, field.checked_sub(1)?);
        let (&first, rest) = fields.split_first()?;
        if part(first)? != Part::Weights {
            return None;
        }
        let rest = match rest.split_first() {
            Some((&second, weights)) if part(second) == Some(Part::Expected) => weights,
            _ => rest,
        };
        let &[yes, no] = rest else { return None };
        let (Some(Part::Number(yes)), Some(Part::Number(no))) = (part(yes), part(no)) else { return None };
        let (yes, no) = (u64::from(yes), u64::from(no));
        match (yes * RARE <= no, no * RARE <= yes) {
            (true, false) => Some(RareWay::True),
            (false, true) => Some(RareWay::False),
            _ => None,
        }
    }

    /// Reads the METADATA block of a function of the `module`.
    ///
    /// # Errors
    ///
    /// `L07` for strings that are not there, the conditions of the bitstream.
    pub(in crate::llvm) fn read_own(
        &mut self,
        module: &Weights,
        reader: &mut Reader<'_>,
        header: &BlockHeader,
        record: &mut Record,
        number: impl Fn(u32) -> Option<i64>,
    ) -> Result<()> {
        reader.enter(header);
        while reader.next_in_leaf(record)? {
            match record.code {
                code::STRINGS => {
                    self.add_strings(&Strings::of(reader, record)?, reader.bytes());
                }
                _ => self.add(module, record, &number),
            }
        }
        Ok(())
    }
}

/// Calls `each` with the number of each instruction that a METADATA_ATTACHMENT block attaches to weights, and that of the weights.
///
/// # Errors
///
/// The conditions of the bitstream.
pub(in crate::llvm) fn for_each_weighted(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
    mut each: impl FnMut(u64, u64),
) -> Result<()> {
    reader.enter(header);
    while reader.next_in_leaf(record)? {
        // An even number of operands is about the function.
        if record.code == attachment::ATTACHMENT
            && let Some((&inst, pairs)) = record.ops.split_first()
            && pairs.len().is_multiple_of(2)
        {
            let weights = pairs.chunks_exact(2).filter(|pair| pair[0] == attachment::WEIGHTS);
            weights.for_each(|pair| each(inst, pair[1]));
        }
    }
    Ok(())
}
