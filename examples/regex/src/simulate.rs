//! Pike's machine: a regular program over a text, by sets of threads, without code.
//!
//! It needs O(n m) for a text of n characters and a program of m nodes whatever they are. So it answers where the
//! automaton would be too large and the code that backtracks has taken too many steps.

use crate::alphabet::Side;
use crate::program::Program;
use crate::threads::{Frontier, Place, Thread};

/// The places of the leftmost-first match in `text` that begins at `at` or later: for each group its start and end.
pub(crate) fn search(program: &Program, text: &str, at: usize) -> Option<Vec<Option<usize>>> {
    let slots = vec![None; program.slots as usize];
    let first = Thread { node: program.start, slots };
    let mut best = None;
    let mut threads: Vec<Thread<Option<usize>>> = Vec::new();
    let mut frontier = Frontier::new();
    let mut before = program.alphabet.side(text[..at].chars().next_back());
    let mut here = at;
    let mut rest = text[at..].chars();
    loop {
        let next = rest.next();
        let place = Place { here: Some(here), before, after: program.alphabet.side(next) };
        frontier.clear(program);
        for thread in &threads {
            frontier.follow(program, thread, place);
        }
        if best.is_none() && (before == Side::End || !program.is_anchored) {
            frontier.follow(program, &first, place);
        }
        if let Some(slots) = frontier.matched.take() {
            best = Some(slots);
        }
        let Some(next) = next else { return best };
        let class = program.alphabet.class_of(next);
        threads.clear();
        threads.extend(
            frontier.step(program, class).map(|(node, slots)| Thread { node, slots: slots.to_vec() }),
        );
        if threads.is_empty() && (best.is_some() || program.is_anchored) {
            return best;
        }
        before = place.after;
        here += next.len_utf8();
    }
}
