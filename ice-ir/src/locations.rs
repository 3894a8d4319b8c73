//! Where instructions come from in the source of the program.
//!
//! Instructions are numbered as they are made, so a location is stated once for all that are made from then on: the
//! list has one entry for each change, and none where nobody states any. Instructions that replace others or
//! stand before them get theirs ([`Function::make_inst_for`]).

use crate::entities::Inst;
use crate::function::Function;
use crate::instruction::InstData;
use crate::types::Type;
use alloc::vec::Vec;

/// A place in the source of a program: a number that means something to whoever made the function. Printed as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceLocation(pub u32);

impl core::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

/// The locations of a function's instructions: pairs of the first instruction made there and the location. The
/// numbers ascend strictly.
#[derive(Clone, Default)]
pub(crate) struct SourceLocations {
    starts: Vec<(u32, Option<SourceLocation>)>,
}

impl SourceLocations {
    pub fn clear(&mut self) {
        self.starts.clear();
    }

    fn current(&self) -> Option<SourceLocation> {
        self.starts.last().and_then(|&(_, location)| location)
    }

    /// Instruction `next` and those after it come from `location`, whatever was stated of them.
    fn begin(&mut self, next: u32, location: Option<SourceLocation>) {
        while self.starts.pop_if(|&mut (first, _)| first >= next).is_some() {}
        if self.current() != location {
            self.starts.push((next, location));
        }
    }

    /// The instructions with these numbers, which ascend, come from nowhere any more.
    fn forget(&mut self, insts: &[Inst]) {
        let known = core::mem::take(&mut self.starts);
        let mut known = known.into_iter().peekable();
        let mut current = None;
        for inst in insts.iter().map(|inst| inst.as_u32()) {
            while let Some((first, location)) = known.next_if(|&(first, _)| first <= inst) {
                self.begin(first, location);
                current = location;
            }
            self.begin(inst, None);
            if known.peek().is_none_or(|&(first, _)| first > inst + 1) {
                self.begin(inst + 1, current);
            }
        }
        known.for_each(|(first, location)| self.begin(first, location));
    }

    fn of(&self, inst: Inst) -> Option<SourceLocation> {
        let behind = self.starts.partition_point(|&(first, _)| first <= inst.as_u32());
        self.starts[..behind].last().and_then(|&(_, location)| location)
    }
}

impl Function {
    /// Instructions made from now on come from `location`, or from nowhere in the source.
    pub fn set_source_location(&mut self, location: Option<SourceLocation>) {
        let next = self.num_insts() as u32;
        self.locations.begin(next, location);
    }

    /// The instructions made so far from number `first` on come from `location`, and those made from now on.
    pub fn set_source_location_from(&mut self, first: u32, location: SourceLocation) {
        self.locations.begin(first, Some(location));
    }

    /// Where `inst` comes from, if that was stated. Logarithmic in the number of stated locations.
    pub fn source_location(&self, inst: Inst) -> Option<SourceLocation> {
        self.locations.of(inst)
    }

    /// Whether a location of any instruction was stated.
    pub fn has_source_locations(&self) -> bool {
        !self.locations.starts.is_empty()
    }

    /// These instructions come from several places, so from none that could be said; `insts` is sorted. Linear in the number
    /// of stated locations.
    pub fn forget_source_locations(&mut self, insts: &mut [Inst]) {
        insts.sort_unstable();
        self.locations.forget(insts);
    }

    /// A new instruction outside any block, as by [`make_inst`](Self::make_inst), that does a part of what `origin` does
    /// or did: it comes from the same place in the source.
    pub fn make_inst_for(&mut self, origin: Inst, data: InstData, ty: Type) -> Inst {
        let current = self.locations.current();
        self.set_source_location(self.source_location(origin));
        let inst = self.make_inst(data, ty);
        self.set_source_location(current);
        inst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::FuncId;
    use crate::module::Signature;

    #[test]
    fn a_location_holds_until_the_next() {
        let mut func = Function::new();
        func.begin(FuncId::from_u32(0), &Signature::new(Vec::new(), Type::Void));
        let at = |number| Some(SourceLocation(number));
        let make = |func: &mut Function, location| {
            func.set_source_location(location);
            func.make_inst(InstData::Unreachable, Type::Void)
        };
        let nowhere = make(&mut func, None);
        let first = make(&mut func, at(7));
        let more = func.make_inst(InstData::Unreachable, Type::Void);
        func.set_source_location(at(9)); // Nothing is made here.
        let second = make(&mut func, at(3));
        let copy = func.make_inst_for(first, InstData::Unreachable, Type::Void);
        let after = func.make_inst(InstData::Unreachable, Type::Void);
        let want = [None, at(7), at(7), at(3), at(7), at(3)];
        let got = [nowhere, first, more, second, copy, after].map(|inst| func.source_location(inst));
        assert_eq!(got, want);
        assert_eq!(func.locations.starts.len(), 4);

        func.set_source_location_from(more.as_u32(), SourceLocation(4));
        let got = [first, more, second, copy, after].map(|inst| func.source_location(inst));
        assert_eq!(got, [at(7), at(4), at(4), at(4), at(4)]);

        func.begin(FuncId::from_u32(1), &Signature::new(Vec::new(), Type::Void));
        let inst = func.make_inst(InstData::Unreachable, Type::Void);
        assert_eq!(func.source_location(inst), None);
        assert!(!func.has_source_locations());
    }

    #[test]
    fn some_locations_are_forgotten() {
        for forgotten in 0..1 << 7u32 {
            let mut func = Function::new();
            func.begin(FuncId::from_u32(0), &Signature::new(Vec::new(), Type::Void));
            let numbers = [None, Some(1), Some(1), Some(2), None, Some(3), Some(3)];
            let mut insts = Vec::new();
            for number in numbers {
                func.set_source_location(number.map(SourceLocation));
                insts.push(func.make_inst(InstData::Unreachable, Type::Void));
            }
            let is_forgotten = |index: usize| forgotten >> index & 1 != 0;
            let mut list: Vec<Inst> = (0..7).rev().filter(|&i| is_forgotten(i)).map(|i| insts[i]).collect();
            func.forget_source_locations(&mut list);
            for (index, (&inst, number)) in insts.iter().zip(numbers).enumerate() {
                let want = number.filter(|_| !is_forgotten(index)).map(SourceLocation);
                assert_eq!(func.source_location(inst), want, "{forgotten:b} {index}");
            }
            let next = func.make_inst(InstData::Unreachable, Type::Void);
            assert_eq!(func.source_location(next), Some(SourceLocation(3)));
        }
    }
}
