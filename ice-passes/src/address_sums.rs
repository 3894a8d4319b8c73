//! Addresses as sums: multiples of values, of which some advance in each round of a loop, and a number.
//!
//! Questions are answered from the sum alone. Finding it is [`strength_reduction`](crate::strength_reduction)'s.

use ice_ir::{Addressing, Value};

/// Most terms of an address, without its number.
const MAX_TERMS: usize = 4;

/// Multiples of values, and a number.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    terms: [Option<Term>; MAX_TERMS],
    pub(crate) number: i64,
}

/// `factor * value`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) value: Value,
    pub(crate) factor: i64,
    /// By how much the value advances in each round, if it is a counter or a multiple of one.
    pub(crate) step: Option<Step>,
}

/// By how much a value advances in each round of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Number(i64),
    /// The value is the product of `counter`, which advances by the number, and what comes from outside.
    Multiple {
        counter: Value,
        by: i64,
        of: Value,
    },
}

impl Term {
    /// Whether it advances.
    pub(crate) fn is_counter(&self) -> bool {
        self.step.is_some()
    }
}

impl Sum {
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.terms.iter().flatten().copied()
    }

    /// Adds a term. Whether there is room.
    pub(crate) fn add(&mut self, term: Term) -> bool {
        let known = |slot: &&mut Option<Term>| slot.is_some_and(|known| known.value == term.value);
        if let Some(slot) = self.terms.iter_mut().find(known) {
            let factor = slot.map_or(0, |known| known.factor).wrapping_add(term.factor);
            *slot = (factor != 0).then_some(Term { factor, ..term });
            return true;
        }
        match self.terms.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => {
                *slot = Some(term);
                true
            }
            None => false,
        }
    }

    /// Whether `other` has every term of these that `is_asked` names, and none of that kind beside.
    pub(crate) fn has_same(&self, other: &Sum, is_asked: impl Fn(&Term) -> bool) -> bool {
        let count = |sum: &Sum| sum.terms().filter(&is_asked).count();
        count(self) == count(other)
            && self.terms().filter(&is_asked).all(|term| other.terms().any(|known| known == term))
    }

    /// The terms that `is_asked` names, without number.
    pub(crate) fn only(&self, is_asked: impl Fn(&Term) -> bool) -> Sum {
        let mut sum = *self;
        sum.number = 0;
        sum.terms.iter_mut().for_each(|slot| *slot = slot.filter(&is_asked));
        sum
    }

    /// The number by which the sum advances in each round, beside [multiples](Self::multiples).
    pub(crate) fn distance(&self) -> i64 {
        let number = |term: Term| match term.step? {
            Step::Number(by) => Some(term.factor.wrapping_mul(by)),
            Step::Multiple { .. } => None,
        };
        self.terms().filter_map(number).fold(0, i64::wrapping_add)
    }

    /// The values by whose multiples the sum advances, and the factors.
    pub(crate) fn multiples(&self) -> impl Iterator<Item = (Value, i64)> + '_ {
        self.terms().filter_map(|term| match term.step? {
            Step::Number(_) => None,
            Step::Multiple { by, of, .. } => Some((of, term.factor.wrapping_mul(by))),
        })
    }

    /// Whether it is a counter, but for the number.
    pub(crate) fn is_counter(&self) -> bool {
        let mut terms = self.terms();
        matches!(terms.next(), Some(Term { factor: 1, step: Some(Step::Number(_)), .. }))
            && terms.next().is_none()
    }

    /// Whether an operand of memory computes it, of an access of `size` bytes.
    pub(crate) fn is_operand(&self, addressing: Addressing, size: i64) -> bool {
        let is_plain = |term: &Term| term.factor == 1;
        let is_scaled = |term: &Term| match addressing {
            Addressing::Base => false,
            Addressing::BaseOrIndex { .. } => self.number == 0 && (term.factor == 1 || term.factor == size),
            Addressing::BaseAndIndex => matches!(term.factor, 1 | 2 | 4 | 8),
        };
        let mut terms = self.terms();
        match (terms.next(), terms.next(), terms.next()) {
            (None, ..) => true,
            (Some(one), None, _) => is_plain(&one) || is_scaled(&one),
            (Some(a), Some(b), None) => is_plain(&a) && is_scaled(&b) || is_scaled(&a) && is_plain(&b),
            _ => false,
        }
    }
}
