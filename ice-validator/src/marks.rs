//! Places of a text as sets of bits: where branches may lead, and where they lead.

use crate::verdict::{Refusal, Rule};

/// Both sets, one bit a byte of the text.
pub struct Marks<'a> {
    entries: &'a mut [u64],
    targets: &'a mut [u64],
}

impl<'a> Marks<'a> {
    /// Empty sets for a text of `length` bytes; `None` if there is too little memory.
    pub fn new(scratch: &'a mut [u64], length: usize) -> Option<Marks<'a>> {
        let words = length.div_ceil(64);
        let (entries, rest) = scratch.split_at_mut_checked(words)?;
        let targets = rest.get_mut(..words)?;
        entries.fill(0);
        targets.fill(0);
        Some(Marks { entries, targets })
    }

    /// Enters where branches may lead in a bundle, one bit a byte from its start.
    #[inline]
    pub fn enter(&mut self, bundle: usize, size: usize, bits: u32) {
        let at = bundle * size;
        self.entries[at / 64] |= u64::from(bits) << (at % 64);
    }

    /// Enters a branch to `target`, in bytes from the start of a text of `end` bytes. Starts of bundles are
    /// always open, outside of the text too.
    ///
    /// # Errors
    /// It leads out of the text to another place.
    #[inline]
    pub fn branch(&mut self, target: i64, end: usize, bundle: usize) -> Result<(), Rule> {
        if target & (bundle as i64 - 1) == 0 {
            return Ok(());
        }
        let target = usize::try_from(target).ok().filter(|&target| target < end);
        let target = target.ok_or(Rule::BranchOutside)?;
        self.targets[target / 64] |= 1 << (target % 64);
        Ok(())
    }

    /// Whether every branch leads to a place that is open.
    ///
    /// # Errors
    /// The first place to which a branch leads, and which is none.
    pub fn check(&self) -> Result<(), Refusal> {
        for (word, (&entries, &targets)) in self.entries.iter().zip(&*self.targets).enumerate() {
            let wrong = targets & !entries;
            if wrong != 0 {
                let offset = word * 64 + wrong.trailing_zeros() as usize;
                return Err(Refusal { offset, rule: Rule::BranchIntoInstruction });
            }
        }
        Ok(())
    }
}
