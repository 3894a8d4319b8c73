//! An automaton as code: a block for each state, whose parameters are the place and the registers.
//!
//! A state compares the place with the end, loads a byte and finds out which edge it belongs to: by comparisons and tests of
//! bits, the most frequent edge first, or by a jump table where the edges are many. Moves between registers are parallel
//! copies, which is what the arguments of a jump are. Characters of more than one byte go through a function that gives
//! their class and length, unless all of them have one edge.
//!
//! A match is stored when it is known that the next state does not find a later one. A state that waits for the start of a
//! match looks for candidates by vectors where a [`Arm`] is known, and so does one that waits for a few rare bytes. Where an
//! [`Anchor`] is known, it looks for that and goes back; up to where it has looked, it remembers in a word of the frame,
//! so that no place is looked at twice and a search stays linear.

use super::Outcome;
use super::emitter::{Emitter, JoinId};
use super::scan::Exits;
use super::text::TextFunctions;
use super::unit::{Machine, Scan, Unit};
use crate::alphabet::{Alphabet, Class};
use crate::bytes::ByteSet;
use crate::determinize::{Automaton, Edge, EdgeId, StateId, Symbol};
use crate::prefix::{Anchor, Arm, Probe, anchor, arms};
use crate::program::Program;
use ice_ir::{BinaryOp, FuncId, Function, IntCond, Type, Value};
use std::collections::BTreeMap;

/// So many groups of bytes are told by comparisons; more go through a table.
const MAX_COMPARED: usize = 4;
/// A state waits by vectors where a thousand bytes have at most so many that end the wait.
const MAX_AWAITED: u32 = 12;
/// The classes of characters stand above the length in what the function for them gives.
const CLASS_SHIFT: i64 = 3;

/// What is done with a byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Action {
    /// The edge for it, and one byte further.
    Edge(EdgeId),
    /// The edge for all characters that begin so, and one character further.
    Wide(EdgeId),
    /// The edge depends on the rest of the character.
    Decode,
}

/// The code of an automaton.
pub(crate) fn emit(program: &Program, automaton: &Automaton, machine: Machine) -> ice_ir::Program {
    let mut unit = Unit::new(machine);
    let alphabet = &program.alphabet;
    let mut body = Function::new();
    let mut e = Emitter::new(&mut unit, &mut body, FuncId::from_u32(0));
    let [text, length, at, slots] = e.params();
    let start = e.binary(BinaryOp::Add, text, at);
    let end = e.binary(BinaryOp::Add, text, length);
    let pointer = machine.pointer;
    let states =
        automaton.states.iter().map(|state| e.join(&vec![pointer; 1 + state.registers as usize])).collect();
    let arms = (machine.scan == Scan::Vectors).then(|| arms(program)).flatten();
    let anchor = (machine.scan == Scan::Vectors && arms.is_none()).then(|| anchor(program)).flatten();
    let anchor = anchor.map(|anchor| {
        let size = e.int(pointer.bytes().into());
        let seen = e.b.alloca(size, pointer.bytes().trailing_zeros() as u8, pointer);
        let nothing = e.word(0);
        e.store_word(seen, 0, nothing);
        (anchor, seen)
    });
    let begin = e.join(&[pointer]);
    let mut emitter = Emission {
        is_ascii: program.set_list.iter().all(|set| set.ranges().iter().all(|(_, last)| last.is_ascii())),
        alphabet,
        automaton,
        text,
        end,
        slots,
        states,
        arms,
        anchor,
        begin,
        functions: TextFunctions::default(),
        ascii: alphabet.ascii(),
        beyond: alphabet.beyond_ascii().into_iter().collect(),
        e,
    };
    emitter.e.jump(begin, &[start]);
    emitter.function();
    let bodies = std::mem::take(&mut unit.bodies);
    unit.bodies = [body].into_iter().chain(bodies).collect();
    unit.finish()
}

struct Emission<'a> {
    e: Emitter<'a>,
    alphabet: &'a Alphabet,
    automaton: &'a Automaton,
    text: Value,
    end: Value,
    slots: Value,
    states: Vec<JoinId>,
    /// What idle states look for.
    arms: Option<Vec<Arm>>,
    /// What they look for otherwise, and the address of the place up to which that was done.
    anchor: Option<(Anchor, Value)>,
    /// Finds the state for the place that it gets.
    begin: JoinId,
    functions: TextFunctions,
    ascii: [Class; 128],
    beyond: Vec<Class>,
    /// Whether all characters that are consumed have one byte.
    is_ascii: bool,
}

/// Where an edge is taken.
#[derive(Clone, Copy)]
struct Crossing<'r> {
    from: StateId,
    at: Value,
    registers: &'r [Value],
    /// Where the state goes on at a place before the end of the text, and at the end, if it need not wait again.
    inside: Option<[JoinId; 2]>,
}

impl Emission<'_> {
    fn function(mut self) {
        // Idle states that have looked for a candidate go on behind it, each by what is before it.
        let behind: Vec<Option<JoinId>> = self
            .automaton
            .states
            .iter()
            .map(|state| {
                let pointer = self.e.pointer();
                let looks = self.arms.is_some() || self.anchor.is_some();
                (state.is_idle && looks).then(|| self.e.join(&[pointer]))
            })
            .collect();
        let anchor = self.anchor.take();
        for n in 0..self.automaton.states.len() {
            let id = StateId(n as u32);
            let params = self.e.enter(self.states[n]);
            let (at, registers) = (params[0], &params[1..]);
            let at = match (behind[n], self.arms.clone()) {
                (Some(body), Some(arms)) => {
                    let pointer = self.e.pointer();
                    let (found, tail) = (self.e.join(&[pointer]), self.e.join(&[pointer]));
                    self.e.scan(&arms, at, self.end, Exits { found, tail });
                    for join in [found, tail] {
                        let place = self.e.enter(join)[0];
                        let place = self.e.character_start(place, at, self.end);
                        self.start_state(place, &behind);
                    }
                    self.e.enter(body)[0]
                }
                (Some(body), None) => {
                    let (anchor, seen) = anchor.as_ref().expect("idle states look for something");
                    self.look_for_anchor((anchor, *seen), at, body, &behind);
                    self.e.enter(body)[0]
                }
                _ => self.wait(id, at),
            };
            self.state(id, at, registers, behind[n].is_none());
        }
        let at = self.e.enter(self.begin)[0];
        let states: Vec<Option<JoinId>> = self.states.iter().copied().map(Some).collect();
        self.start_state(at, &states);
        self.e.finish();
    }

    /// Goes from a place where no match has begun to where the next one may begin, or on to `body` where an anchor was found
    /// further on already.
    fn look_for_anchor(
        &mut self,
        (anchor, seen): (&Anchor, Value),
        at: Value,
        body: JoinId,
        behind: &[Option<JoinId>],
    ) {
        let pointer = self.e.pointer();
        let [found, tail, back, start] = [(); 4].map(|()| self.e.join(&[pointer]));
        let limit = self.e.load_word(seen, 0);
        let is_new = self.e.compare(IntCond::Uge, at, limit);
        let known = self.e.require(is_new);
        self.e.scan(std::slice::from_ref(&anchor.arm), at, self.end, Exits { found, tail });
        for (join, is_last) in [(found, false), (tail, true)] {
            let place = self.e.enter(join)[0];
            let behind = if is_last { self.e.word(-1) } else { self.e.plus(place, 1) };
            self.e.store_word(seen, 0, behind);
            self.e.jump(back, &[place]);
        }
        let place = self.e.enter(back)[0];
        let is_behind = self.e.compare(IntCond::Ne, place, at);
        let first = self.e.require(is_behind);
        let byte = self.e.byte_at(place, -1);
        let may_be_before = self.e.is_in(byte, &anchor.before, &ByteSet::ALL);
        let other = self.e.require(may_be_before);
        let previous = self.e.plus(place, -1);
        self.e.jump(back, &[previous]);
        for block in [first, other] {
            self.e.b.switch_to_block(block);
            self.e.jump(start, &[place]);
        }
        let place = self.e.enter(start)[0];
        let place = self.e.character_start(place, at, self.end);
        self.start_state(place, behind);
        self.e.b.switch_to_block(known);
        self.e.jump(body, &[at]);
    }

    /// Goes to the block in `targets` of the state in which a search begins at a place.
    fn start_state(&mut self, at: Value, targets: &[Option<JoinId>]) {
        let automaton = self.automaton;
        let target = |id: StateId| targets[id.0 as usize].expect("searches begin in idle states");
        let first = automaton.start_of_text;
        if automaton.start_behind.iter().all(|&other| other == first) {
            return self.e.jump(target(first), &[at]);
        }
        let is_inside = self.e.compare(IntCond::Ne, at, self.text);
        let outside = self.e.require(is_inside);
        let class_before = self.functions.class_before(self.e.unit, self.alphabet);
        let class = self.e.call(class_before, &[at], Type::I32);
        let mut arms: BTreeMap<StateId, Vec<Class>> = BTreeMap::new();
        for class in self.alphabet.classes() {
            arms.entry(automaton.start_behind[usize::from(class.0)]).or_default().push(class);
        }
        let blocks = self.switch(class, arms.values());
        for (&state, block) in arms.keys().zip(blocks) {
            self.e.b.switch_to_block(block);
            self.e.jump(target(state), &[at]);
        }
        self.e.b.switch_to_block(outside);
        self.e.jump(target(first), &[at]);
    }

    /// Ends the block with a switch over classes; gives the blocks.
    fn switch<'c>(&mut self, class: Value, arms: impl Iterator<Item = &'c Vec<Class>>) -> Vec<ice_ir::Block> {
        let arms: Vec<&Vec<Class>> = arms.collect();
        let blocks: Vec<ice_ir::Block> = arms.iter().map(|_| self.e.b.create_block()).collect();
        // The arm with the most classes needs no comparison.
        let most = (0..arms.len()).max_by_key(|&n| arms[n].len()).expect("there is an arm");
        let table = self.e.b.switch(class, blocks[most]);
        let cases = &mut self.e.b.func.switch_mut(table).cases;
        for (n, classes) in arms.iter().enumerate().filter(|&(n, _)| n != most) {
            cases.extend(classes.iter().map(|class| (i64::from(class.0), blocks[n])));
        }
        blocks
    }

    /// Skips bytes that change nothing by vectors, where that pays.
    fn wait(&mut self, id: StateId, at: Value) -> Value {
        if self.e.unit.machine.scan != Scan::Vectors || !self.steps_by_bytes(id) {
            return at;
        }
        let state = self.automaton.state(id);
        let awaited: ByteSet = (0..128u8)
            .filter(|&byte| {
                let class = self.ascii[usize::from(byte)];
                !self.automaton.is_loop(id, state.edges[usize::from(class.0)])
            })
            .collect();
        let tests = awaited.tests(&ByteSet::ALL, 3).filter(|tests| !tests.is_empty());
        let Some(tests) = tests.filter(|_| awaited.frequency() <= MAX_AWAITED) else { return at };
        let pointer = self.e.pointer();
        let body = self.e.join(&[pointer]);
        self.e.scan(&[vec![Probe { offset: 0, tests }]], at, self.end, Exits { found: body, tail: body });
        self.e.enter(body)[0]
    }

    /// Whether a state stays as it is through every part of a character of more than one byte.
    fn steps_by_bytes(&self, id: StateId) -> bool {
        let state = self.automaton.state(id);
        self.beyond.iter().all(|class| self.automaton.is_loop(id, state.edges[usize::from(class.0)]))
    }

    /// The code of a state behind its waiting. An edge back to it looks for the end of the text by itself, which makes a
    /// loop with one jump.
    fn state(&mut self, from: StateId, at: Value, registers: &[Value], is_closed: bool) {
        let state = self.automaton.state(from);
        let params = vec![self.e.pointer(); 1 + registers.len()];
        let inside = [(); 2].map(|()| self.e.join(&params));
        let values: Vec<Value> = [at].iter().chain(registers).copied().collect();
        self.advance(inside, &values);
        let [more, end] = inside;
        let values = self.e.enter(more);
        let crossing = |values| {
            let (at, registers) = <[Value]>::split_first(values).expect("the place comes first");
            Crossing { from, at: *at, registers, inside: is_closed.then_some(inside) }
        };
        let byte = self.e.byte_at(values[0], 0);
        self.dispatch(byte, crossing(&values));
        let values = self.e.enter(end);
        self.edge(state.end, crossing(&values), None);
    }

    /// Goes on in a state at a place that may be the end of the text.
    fn advance(&mut self, [more, end]: [JoinId; 2], values: &[Value]) {
        let is_more = self.e.compare(IntCond::Ne, values[0], self.end);
        let at_end = self.e.require(is_more);
        self.e.jump(more, values);
        self.e.b.switch_to_block(at_end);
        self.e.jump(end, values);
    }

    /// Which bytes lead to which action.
    fn actions(&self, id: StateId) -> BTreeMap<Action, ByteSet> {
        let state = self.automaton.state(id);
        let mut actions: BTreeMap<Action, ByteSet> = BTreeMap::new();
        for byte in 0..128u8 {
            let class = self.ascii[usize::from(byte)];
            actions.entry(Action::Edge(state.edges[usize::from(class.0)])).or_default().insert(byte);
        }
        let edges = self.beyond.iter().map(|class| state.edges[usize::from(class.0)]);
        let first = state.edges[usize::from(self.beyond[0].0)];
        let target = self.automaton.edge(first).target.as_ref();
        let wide = if !edges.clone().all(|edge| edge == first) {
            Action::Decode
        } else if target.is_none_or(|&(target, _)| self.steps_by_bytes(target)) {
            Action::Edge(first)
        } else {
            Action::Wide(first)
        };
        let set = actions.entry(wide).or_default();
        *set = set.union(&ByteSet::range(0x80, 0xff));
        actions
    }

    /// Finds out what a byte leads to.
    fn dispatch(&mut self, byte: Value, crossing: Crossing<'_>) {
        let mut actions: Vec<(Action, ByteSet)> = self.actions(crossing.from).into_iter().collect();
        actions.sort_by_key(|(_, set)| std::cmp::Reverse(set.frequency()));
        let compared = if actions.len() <= MAX_COMPARED { actions.len() - 1 } else { 1 };
        let mut domain = ByteSet::ALL;
        for (action, set) in actions.drain(..compared) {
            let is_in = self.e.is_in(byte, &set, &domain);
            let (yes, no) = self.e.branch(is_in);
            self.e.b.switch_to_block(yes);
            self.act(action, byte, crossing);
            self.e.b.switch_to_block(no);
            domain = domain.without(&set);
        }
        if let [(action, _)] = actions[..] {
            return self.act(action, byte, crossing);
        }
        let mut numbers = [0; 256];
        for (n, (_, set)) in actions.iter().enumerate() {
            set.iter().for_each(|byte| numbers[usize::from(byte)] = n as u8);
        }
        let table = self.e.unit.constant(&numbers, 0);
        let number = self.e.load_at(Type::I8, table, byte);
        let arms: Vec<Vec<Class>> = (0..actions.len()).map(|n| vec![Class(n as u16)]).collect();
        let blocks = self.switch(number, arms.iter());
        for (&(action, _), block) in actions.iter().zip(blocks) {
            self.e.b.switch_to_block(block);
            self.act(action, byte, crossing);
        }
    }

    fn act(&mut self, action: Action, byte: Value, crossing: Crossing<'_>) {
        let at = crossing.at;
        match action {
            Action::Edge(edge) => {
                let next = self.e.plus(at, 1);
                self.edge(edge, crossing, Some(next));
            }
            Action::Wide(edge) => {
                // Lead bytes of two, three and four bytes begin at 0xc2, 0xe0 and 0xf0.
                let mut next = self.e.plus(at, 2);
                for (lead, len) in [(0xe0, 3), (0xf0, 4)] {
                    let is_longer = self.e.compare_const(IntCond::Uge, byte, lead);
                    let longer = self.e.plus(at, len);
                    next = self.e.b.select(is_longer, longer, next);
                }
                self.edge(edge, crossing, Some(next));
            }
            Action::Decode => {
                let pointer = self.e.pointer();
                let decode = self.functions.decode(self.e.unit, self.alphabet);
                let decoded = self.e.call(decode, &[at], Type::I32);
                let len = self.e.binary_const(BinaryOp::And, decoded, (1 << CLASS_SHIFT) - 1);
                let len = self.e.resize(len, pointer);
                let next = self.e.binary(BinaryOp::Add, at, len);
                let class = self.e.binary_const(BinaryOp::Lshr, decoded, CLASS_SHIFT);
                let state = self.automaton.state(crossing.from);
                let mut arms: BTreeMap<EdgeId, Vec<Class>> = BTreeMap::new();
                for &class in &self.beyond {
                    arms.entry(state.edges[usize::from(class.0)]).or_default().push(class);
                }
                let blocks = self.switch(class, arms.values());
                for (&edge, block) in arms.keys().zip(blocks) {
                    self.e.b.switch_to_block(block);
                    self.edge(edge, crossing, Some(next));
                }
            }
        }
    }

    /// Takes an edge; `next` is the place behind the character, if one was read.
    fn edge(&mut self, id: EdgeId, crossing: Crossing<'_>, next: Option<Value>) {
        let automaton = self.automaton;
        let Edge { matched, has_match, target } = automaton.edge(id);
        let is_later = target.as_ref().is_some_and(|&(target, _)| automaton.always_matches(target));
        if let Some(matched) = matched.as_ref().filter(|_| !is_later) {
            for (slot, &symbol) in matched.iter().enumerate() {
                let offset = match self.place(symbol, crossing) {
                    None => self.e.word(-1),
                    Some(place) => self.e.binary(BinaryOp::Sub, place, self.text),
                };
                self.e.store_word(self.slots, slot as u32, offset);
            }
        }
        let (Some((target, moves)), Some(next)) = (target, next) else {
            let outcome = if *has_match { Outcome::Match } else { Outcome::None };
            let outcome = self.e.int(outcome as i64);
            return self.e.b.ret(Some(outcome));
        };
        let mut values = vec![next];
        for &symbol in moves {
            values.push(self.place(symbol, crossing).expect("registers hold places"));
        }
        match crossing.inside.filter(|_| automaton.is_loop(crossing.from, id)) {
            Some(inside) => self.advance(inside, &values),
            None => self.e.jump(self.states[target.0 as usize], &values),
        }
    }

    /// The place that a symbol names.
    fn place(&mut self, symbol: Symbol, Crossing { at, registers, .. }: Crossing<'_>) -> Option<Value> {
        match symbol {
            Symbol::Unset => None,
            Symbol::Register(n) => Some(registers[n as usize]),
            Symbol::Back(0) => Some(at),
            Symbol::Back(n) if self.is_ascii => Some(self.e.plus(at, -i64::from(n))),
            Symbol::Back(n) => {
                let (count, pointer) = (self.e.word(n.into()), self.e.pointer());
                let back = self.functions.back(self.e.unit);
                Some(self.e.call(back, &[at, count], pointer))
            }
        }
    }
}
