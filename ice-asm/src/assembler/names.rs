//! What the names of a text stand for, where a statement stands: labels of the text, values that it gave to names, and symbols
//! that it does not say more of.

use super::LabelNames;
use super::expression::{self, Lookup, Sum};
use crate::buffer::Label;
use crate::reloc::SymbolId;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// Where a branch goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BranchTarget {
    /// To a label of the section that the branch is in.
    Label(Label),
    /// Elsewhere: a reference.
    Symbol(SymbolId),
}

/// Where a label is.
#[derive(Clone, Copy)]
struct Home {
    section: usize,
    label: Label,
    /// Once it is known.
    offset: Option<u32>,
}

/// What a reference of a text is to.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Reference {
    /// A label, by its number.
    Label(usize),
    /// An offset in a section.
    Place(usize, u32),
    /// A name, and what stands behind its `@`.
    Name(String, String),
}

/// The names of a text.
#[derive(Default)]
pub(crate) struct Names<'t> {
    labels: LabelNames<'t>,
    /// By number of the label.
    homes: Vec<Home>,
    /// By number of the symbol.
    references: Vec<Reference>,
    /// What the text gave to names, the latest last.
    values: Vec<(String, Sum)>,
    /// The number of the statement.
    pub(super) statement: usize,
    /// The section that it is in, and where.
    pub(super) section: usize,
    pub(super) offset: u32,
    /// The first label that the statements so far do not have.
    pub(super) next_label: usize,
}

impl<'t> Names<'t> {
    pub(super) fn new(labels: LabelNames<'t>) -> Names<'t> {
        Names { labels, ..Names::default() }
    }

    /// Says where the next label is.
    pub(super) fn add_home(&mut self, section: usize, label: Label) {
        self.homes.push(Home { section, label, offset: None });
    }

    /// How many labels have a home.
    pub(super) fn num_homes(&self) -> usize {
        self.homes.len()
    }

    /// The statement that the label of a number stands before.
    pub(super) fn statement_of(&self, label: usize) -> Option<usize> {
        self.labels.place(label)
    }

    /// Notes where a label is, and gives its place in the code.
    pub(super) fn place_label(&mut self, label: usize, offset: u32) -> Option<Label> {
        let home = self.homes.get_mut(label)?;
        home.offset = Some(offset);
        Some(home.label)
    }

    /// Gives a value to a name.
    pub(super) fn set(&mut self, name: &str, value: Sum) {
        self.values.push((name.to_string(), value));
    }

    /// The value that was given to a name.
    pub(super) fn value(&self, name: &str) -> Option<Sum> {
        self.values.iter().rev().find(|(known, _)| known == name).map(|&(_, value)| value)
    }

    /// What a reference is to.
    pub(super) fn reference(&self, symbol: SymbolId) -> Option<&Reference> {
        self.references.get(symbol.0 as usize)
    }

    /// The section and the offset of a reference, once that is known.
    pub(super) fn place(&self, symbol: SymbolId) -> Option<(usize, u32)> {
        match *self.reference(symbol)? {
            Reference::Label(label) => self.label_place(label),
            Reference::Place(section, offset) => Some((section, offset)),
            Reference::Name(..) => None,
        }
    }

    /// The section and the offset of a label, once that is known.
    fn label_place(&self, label: usize) -> Option<(usize, u32)> {
        let home = self.homes.get(label)?;
        Some((home.section, home.offset?))
    }

    /// Where a named label of the text is.
    pub(super) fn definition(&self, name: &str) -> Option<(usize, u32)> {
        self.label_place(self.labels.find(name, 0)?)
    }

    /// The names of the labels of the text that other texts may see.
    pub(super) fn named_labels(&self) -> impl Iterator<Item = (&'t str, usize, u32)> {
        let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let named = self.labels.0.iter().zip(&self.homes);
        named
            .filter(move |((name, _), _)| !is_number(name) && !name.starts_with(".L"))
            .filter_map(|(&(name, _), home)| home.offset.map(|offset| (name, home.section, offset)))
    }

    fn refer(&mut self, reference: Reference) -> SymbolId {
        let known = self.references.iter().position(|known| *known == reference);
        let number = known.unwrap_or_else(|| {
            self.references.push(reference);
            self.references.len() - 1
        });
        SymbolId(number as u32)
    }

    /// Where a branch to a name goes.
    pub(crate) fn branch_target(&mut self, name: &str) -> Option<BranchTarget> {
        if let Some(label) = self.labels.find(name, self.statement)
            && let Some(home) = self.homes.get(label)
            && home.section == self.section
        {
            return Some(BranchTarget::Label(home.label));
        }
        let sum = self.sum(name)?;
        let is_symbol = sum.number == 0 && sum.minus.is_none();
        sum.plus.filter(|_| is_symbol).map(BranchTarget::Symbol)
    }

    /// The value of an expression.
    pub(crate) fn sum(&mut self, text: &str) -> Option<Sum> {
        expression::sum(text, self)
    }

    /// The value of an expression that is a number.
    pub(crate) fn number(&mut self, text: &str) -> Option<i64> {
        self.sum(text)?.known()
    }

    /// What stands behind the `@` of a reference.
    pub(crate) fn modifier(&self, symbol: SymbolId) -> &str {
        match self.reference(symbol) {
            Some(Reference::Name(_, modifier)) => modifier,
            _ => "",
        }
    }

    /// The sum with what is known of labels now.
    pub(super) fn settled(&self, sum: Sum) -> Sum {
        let places = [sum.plus, sum.minus].map(|symbol| symbol.and_then(|symbol| self.place(symbol)));
        match places {
            [Some((here, plus)), Some((there, minus))] if here == there => {
                Sum::of(sum.number.wrapping_add(i64::from(plus) - i64::from(minus)))
            }
            _ if sum.plus.is_some() && sum.plus == sum.minus => Sum::of(sum.number),
            _ => sum,
        }
    }
}

impl Lookup for Names<'_> {
    fn look_up(&mut self, name: &str) -> Option<Sum> {
        if name == "." {
            let here = self.refer(Reference::Place(self.section, self.offset));
            return Some(Sum { plus: Some(here), ..Sum::of(0) });
        }
        let (name, modifier) = name.split_once('@').unwrap_or((name, ""));
        if let Some(value) = self.value(name).filter(|_| modifier.is_empty()) {
            return Some(value);
        }
        let reference = match self.labels.find(name, self.statement) {
            Some(label) => Reference::Label(label),
            // A number with a direction, and nothing there.
            None if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() => return None,
            None => Reference::Name(name.to_string(), modifier.to_string()),
        };
        let symbol = self.refer(reference);
        Some(Sum { plus: Some(symbol), ..Sum::of(0) })
    }

    fn fold(&self, sum: Sum) -> Sum {
        self.settled(sum)
    }
}
