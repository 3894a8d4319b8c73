//! The automaton of a regular program: the subset construction with registers (Laurikari 2000).
//!
//! A state is a set of threads in order of priority ([`Frontier`]) in which every slot is a symbol: never set, a number of
//! characters back, or a register. An edge reads one class of characters; it says which slots match before that character,
//! and which places go to which registers of the next state. Registers are numbered in the order in which a state's threads
//! name them, so that equal sets are one state. While nothing has matched, a thread of the lowest priority begins
//! at every place: one pass over the text finds both ends of the leftmost-first match, and the groups.
//!
//! Assertions ask for the next character. So a match stands on the edges behind it, not in the state, and a state knows what
//! assertions ask of the character before it.
//!
//! The number of states may grow exponentially with the program: it is bounded, and so are registers and work; who gets
//! nothing uses something else.

use crate::alphabet::{Class, Side, Traits};
use crate::distance::{Distance, distances};
use crate::program::{NodeId, Program};
use crate::syntax::Assertion;
use crate::threads::{Frontier, Place, Thread};
use std::collections::HashMap;

/// A place of the text, as a state or an edge names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Symbol {
    /// None.
    Unset,
    /// That many characters back.
    Back(u32),
    /// What a register holds.
    Register(u32),
}

/// A state, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StateId(pub(crate) u32);

/// An edge, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct EdgeId(pub(crate) u32);

/// What happens when a character or the end of the text is read.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Edge {
    /// The slots of a match that ends before the character.
    pub(crate) matched: Option<Vec<Symbol>>,
    /// Whether some match is known then.
    pub(crate) has_match: bool,
    /// The next state, and what its registers get, as seen before the character. None where nothing can follow.
    pub(crate) target: Option<(StateId, Vec<Symbol>)>,
}

/// A state.
#[derive(Debug)]
pub(crate) struct State {
    /// Number of registers.
    pub(crate) registers: u32,
    /// By class.
    pub(crate) edges: Vec<EdgeId>,
    /// At the end of the text.
    pub(crate) end: EdgeId,
    /// Whether no thread is on its way.
    pub(crate) is_idle: bool,
}

/// The automaton.
#[derive(Debug)]
pub(crate) struct Automaton {
    pub(crate) states: Vec<State>,
    pub(crate) edges: Vec<Edge>,
    /// Where a search begins at the start of the text.
    pub(crate) start_of_text: StateId,
    /// Where a search begins behind a character of a class.
    pub(crate) start_behind: Vec<StateId>,
}

/// How large an automaton may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Number of states.
    pub(crate) states: usize,
    /// Number of registers of a state.
    pub(crate) registers: usize,
    /// Steps of threads while it is made.
    pub(crate) work: usize,
}

impl Automaton {
    /// The automaton that keeps the first `slots` slots; none if it would be too large.
    pub(crate) fn new(program: &Program, slots: u32, bounds: Bounds) -> Option<Automaton> {
        if !program.is_regular {
            return None;
        }
        let mut builder = Builder {
            program,
            bounds,
            slots: slots as usize,
            distances: distances(program, slots as usize),
            kernels: Vec::new(),
            known: HashMap::new(),
            edges: Vec::new(),
            known_edges: HashMap::new(),
            frontier: Frontier::new(),
            work: 0,
        };
        let start_of_text = builder.start(Side::End)?;
        let classes = program.alphabet.classes();
        let start_behind = classes.map(|class| builder.start(Side::Char(program.alphabet.traits(class))));
        let start_behind = start_behind.collect::<Option<Vec<StateId>>>()?;
        let mut states = Vec::new();
        while let Some(kernel) = builder.kernels.get(states.len()).cloned() {
            states.push(builder.state(&kernel)?);
        }
        Some(Automaton { states, edges: builder.edges, start_of_text, start_behind })
    }

    pub(crate) fn state(&self, id: StateId) -> &State {
        &self.states[id.0 as usize]
    }

    pub(crate) fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    /// Whether a match ends before whatever comes next in a state: no match before it counts.
    pub(crate) fn always_matches(&self, id: StateId) -> bool {
        let state = self.state(id);
        state.edges.iter().chain([&state.end]).all(|&edge| self.edge(edge).matched.is_some())
    }

    /// Whether an edge comes back to its state and changes nothing.
    pub(crate) fn is_loop(&self, id: StateId, edge: EdgeId) -> bool {
        let Edge { matched, target, .. } = self.edge(edge);
        let records = matched.is_some() && !self.always_matches(id);
        let is_same = |moves: &[Symbol]| {
            moves.iter().enumerate().all(|(n, &symbol)| symbol == Symbol::Register(n as u32))
        };
        !records && target.as_ref().is_some_and(|(target, moves)| *target == id && is_same(moves))
    }
}

/// What a state is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Kernel {
    threads: Vec<Thread<Symbol>>,
    /// What assertions ask of the character before.
    before: Side,
    /// Whether matches may begin here.
    is_searching: bool,
    has_match: bool,
    registers: u32,
}

struct Builder<'p> {
    program: &'p Program,
    bounds: Bounds,
    slots: usize,
    distances: Vec<Option<Vec<Distance>>>,
    kernels: Vec<Kernel>,
    known: HashMap<Kernel, StateId>,
    edges: Vec<Edge>,
    known_edges: HashMap<Edge, EdgeId>,
    frontier: Frontier<Symbol>,
    work: usize,
}

impl Builder<'_> {
    /// The thread that begins a match.
    fn first(&self) -> Thread<Symbol> {
        Thread { node: self.program.start, slots: vec![Symbol::Unset; self.slots] }
    }

    /// The state in which a search begins.
    fn start(&mut self, before: Side) -> Option<StateId> {
        let is_searching = !self.program.is_anchored;
        let threads = if is_searching { Vec::new() } else { vec![self.first()] };
        let before = self.reduce(before);
        self.intern(Kernel { threads, before, is_searching, has_match: false, registers: 0 })
    }

    /// What is asked of a character before a place, and no more.
    fn reduce(&self, side: Side) -> Side {
        use Assertion::*;
        let asks = |is: fn(&Assertion) -> bool| self.program.assertions.iter().any(is);
        let (text, line) = (asks(|a| matches!(a, TextStart)), asks(|a| matches!(a, LineStart)));
        match side {
            Side::End if text => side,
            Side::End => Side::Char(Traits { is_line_feed: line, ..Traits::default() }),
            Side::Char(traits) => Side::Char(Traits { is_line_feed: traits.is_line_feed && line, ..traits }),
        }
    }

    fn intern(&mut self, kernel: Kernel) -> Option<StateId> {
        if let Some(&id) = self.known.get(&kernel) {
            return Some(id);
        }
        if self.kernels.len() >= self.bounds.states || kernel.registers as usize > self.bounds.registers {
            return None;
        }
        let id = StateId(self.kernels.len() as u32);
        self.kernels.push(kernel.clone());
        self.known.insert(kernel, id);
        Some(id)
    }

    fn intern_edge(&mut self, edge: Edge) -> EdgeId {
        let next = EdgeId(self.edges.len() as u32);
        let id = *self.known_edges.entry(edge.clone()).or_insert(next);
        if id == next {
            self.edges.push(edge);
        }
        id
    }

    /// The edges of a state. Classes that assertions see alike have one frontier.
    fn state(&mut self, kernel: &Kernel) -> Option<State> {
        let alphabet = &self.program.alphabet;
        let mut edges = vec![EdgeId(0); alphabet.len()];
        let mut kinds: Vec<(Traits, Vec<Class>)> = Vec::new();
        for class in alphabet.classes() {
            let traits = alphabet.traits(class);
            match kinds.iter_mut().find(|(known, _)| *known == traits) {
                Some((_, classes)) => classes.push(class),
                None => kinds.push((traits, vec![class])),
            }
        }
        for (traits, classes) in kinds {
            self.follow(kernel, Side::Char(traits))?;
            for class in classes {
                edges[usize::from(class.0)] = self.edge(kernel, class, traits)?;
            }
        }
        self.follow(kernel, Side::End)?;
        let matched = self.frontier.matched.clone();
        let has_match = kernel.has_match || matched.is_some();
        let end = self.intern_edge(Edge { matched, has_match, target: None });
        let is_idle = kernel.threads.is_empty();
        Some(State { registers: kernel.registers, edges, end, is_idle })
    }

    /// Computes what the threads of a state come to before the next character.
    fn follow(&mut self, kernel: &Kernel, after: Side) -> Option<()> {
        let place = Place { here: Symbol::Back(0), before: kernel.before, after };
        let first = kernel.is_searching.then(|| self.first());
        self.frontier.clear(self.program);
        for thread in kernel.threads.iter().chain(&first) {
            self.frontier.follow(self.program, thread, place);
        }
        self.work += self.program.nodes.len() / 16 + self.frontier.threads.len() * (1 + self.slots);
        (self.work <= self.bounds.work).then_some(())
    }

    /// The edge for a class, from the frontier.
    fn edge(&mut self, kernel: &Kernel, class: Class, traits: Traits) -> Option<EdgeId> {
        let matched = self.frontier.matched.clone();
        let has_match = kernel.has_match || matched.is_some();
        let mut next = Kernel {
            threads: Vec::new(),
            before: self.reduce(Side::Char(traits)),
            is_searching: kernel.is_searching && matched.is_none(),
            has_match,
            registers: 0,
        };
        let mut moves = Vec::new();
        for (node, slots) in self.frontier.step(self.program, class) {
            if next.threads.iter().any(|thread| thread.node == node) {
                continue;
            }
            let slots = self.behind(node, slots, &mut moves);
            next.threads.push(Thread { node, slots });
        }
        self.work += self.frontier.threads.len();
        next.registers = moves.len() as u32;
        let target = match next.threads.is_empty() && !next.is_searching {
            true => None,
            false => Some((self.intern(next)?, moves)),
        };
        Some(self.intern_edge(Edge { matched, has_match, target }))
    }

    /// The slots of a thread behind a character, at `node`; what must be kept goes to registers.
    fn behind(&self, node: NodeId, slots: &[Symbol], moves: &mut Vec<Symbol>) -> Vec<Symbol> {
        let known = self.distances[node.index()].as_ref().expect("threads come to reachable nodes");
        let symbols = slots.iter().zip(known).map(|(&symbol, distance)| match (distance, symbol) {
            (Distance::Unset, _) | (Distance::Varies, Symbol::Unset) => Symbol::Unset,
            (Distance::Fixed(n), _) => Symbol::Back(*n),
            (Distance::Varies, source) => {
                let register = moves.iter().position(|&known| known == source).unwrap_or_else(|| {
                    moves.push(source);
                    moves.len() - 1
                });
                Symbol::Register(register as u32)
            }
        });
        symbols.collect()
    }
}
