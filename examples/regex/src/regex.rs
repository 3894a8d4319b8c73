//! Expressions that search.
//!
//! Which engine runs: the automaton, if the expression has one within bounds, since it looks once at each character
//! whatever the text is; otherwise the code that backtracks. If that takes too many steps, a regular expression is
//! simulated, and any other one is an error. Searches that want groups have code of their own, made when the first one asks.

use crate::determinize::{Automaton, Bounds};
use crate::emit::{self, Frame, Machine, Outcome, Scan};
use crate::error::Error;
use crate::interpret;
use crate::matches::{CaptureMatches, Captures, Match, Matches};
use crate::native::{Native, Scratch};
use crate::program::Program;
use crate::simulate;
use crate::syntax::{self, Parsed};
use ice_driver::Arch;
use ice_ir::{Linkage, Type};
use std::sync::{Mutex, OnceLock};

/// The machine of this process.
const HOST: Machine = Machine {
    pointer: if size_of::<usize>() == 8 { Type::I64 } else { Type::I32 },
    scan: if cfg!(any(target_arch = "x86_64", target_arch = "x86")) { Scan::Vectors } else { Scan::Bytes },
    entry: Linkage::Internal,
};

/// An expression as a module of the IR, for any machine. Its function `search` takes the address of a text of valid UTF-8,
/// its length, the offset where the search begins, and the address of words of memory; it returns 0 where nothing matches,
/// 1 where something does, 2 without steps that are left and 3 without room on the stack.
#[derive(Debug)]
pub struct Portable {
    /// The module.
    pub program: ice_ir::Program,
    /// The first words of memory get the offsets where each group begins and ends, or -1.
    pub slots: usize,
    /// Number of words.
    pub words: usize,
    /// Whether the words behind the slots must hold, before each search, the number of steps and the addresses where the
    /// stack begins and ends.
    pub has_frame: bool,
}

impl Portable {
    /// Compiles an expression for a machine, with all its groups.
    ///
    /// # Errors
    /// The text is no expression, or a too large one.
    pub fn new(pattern: &str, limits: Limits, arch: Arch) -> Result<Portable, Error> {
        let machine = Machine {
            pointer: arch.machine().address_type(),
            scan: if matches!(arch, Arch::X86_64 | Arch::X86_32) { Scan::Vectors } else { Scan::Bytes },
            entry: Linkage::External,
        };
        let parsed = syntax::parse(pattern)?;
        let program = Program::new(&parsed)?;
        let slots = program.slots as usize;
        let Code { program, frame } = code(&parsed, &program, program.slots, limits, machine)?;
        let words = frame.map_or(slots, |frame| frame.words as usize);
        Ok(Portable { program, slots, words, has_frame: frame.is_some() })
    }
}

/// Registers of an automaton.
const MAX_REGISTERS: usize = 12;
/// Steps of threads while an automaton is made.
const MAX_WORK: usize = 4_000_000;
/// Words of memory that a search of an automaton has without asking for memory.
const FEW_WORDS: usize = 16;
/// Words of the stack of a search at first.
const FIRST_STACK: usize = 1024;

/// What a search may use, and what the code of an expression may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Steps of a search that backtracks: places that it goes back to, and characters that loops take.
    pub steps: u64,
    /// Bytes for the places to go back to.
    pub stack: usize,
    /// States of an automaton. Without any, every search backtracks.
    pub states: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 50_000_000, stack: 64 << 20, states: 600 }
    }
}

/// What searches for an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The code of an automaton: time linear in the length of the text.
    Automaton,
    /// Code that backtracks, with limits; for regular expressions a simulation where the limits are reached.
    Backtracking,
}

/// An expression, ready to search.
pub struct Regex {
    parsed: Parsed,
    program: Program,
    limits: Limits,
    /// Finds where a match begins and ends.
    find: Native,
    /// Finds the groups too, if `find` does not.
    captures: OnceLock<Native>,
    /// Memory of searches that have ended.
    scratch: Mutex<Vec<Scratch>>,
}

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    /// The text is no expression, or a too large one; code cannot be put into memory.
    pub fn new(pattern: &str) -> Result<Regex, Error> {
        Regex::with_limits(pattern, Limits::default())
    }

    /// Compiles an expression for searches with these limits.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_limits(pattern: &str, limits: Limits) -> Result<Regex, Error> {
        let parsed = syntax::parse(pattern)?;
        let program = Program::new(&parsed)?;
        let find = load(&parsed, &program, 2, limits)?;
        let (captures, scratch) = Default::default();
        Ok(Regex { parsed, program, limits, find, captures, scratch })
    }

    /// What searches where no groups are asked for.
    pub fn engine(&self) -> Engine {
        if self.find.backtracks() { Engine::Backtracking } else { Engine::Automaton }
    }

    /// The names of the groups, by number; group 0 is the whole match.
    pub fn group_names(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.parsed.names.iter().map(Option::as_deref)
    }

    /// Whether the expression matches anywhere.
    ///
    /// # Errors
    /// Those of [`find_at`](Self::find_at).
    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        Ok(self.find(text)?.is_some())
    }

    /// The leftmost match.
    ///
    /// # Errors
    /// Those of [`find_at`](Self::find_at).
    pub fn find<'t>(&self, text: &'t str) -> Result<Option<Match<'t>>, Error> {
        self.find_at(text, 0)
    }

    /// The leftmost match that begins at `at` or later. What is before `at` counts for assertions.
    ///
    /// # Errors
    /// A search that backtracks reaches one of its limits.
    ///
    /// # Panics
    /// `at` is not between two characters.
    pub fn find_at<'t>(&self, text: &'t str, at: usize) -> Result<Option<Match<'t>>, Error> {
        let found = self.search(&self.find, text, at, |slots| (slots[0], slots[1]))?;
        Ok(found.map(|(start, end)| Match::new(text, start as usize..end as usize)))
    }

    /// All matches that do not overlap, from left to right.
    pub fn find_iter<'r, 't>(&'r self, text: &'t str) -> Matches<'r, 't> {
        Matches::new(self, text)
    }

    /// The groups of the leftmost match.
    ///
    /// # Errors
    /// Those of [`captures_at`](Self::captures_at).
    pub fn captures<'r, 't>(&'r self, text: &'t str) -> Result<Option<Captures<'r, 't>>, Error> {
        self.captures_at(text, 0)
    }

    /// The groups of the leftmost match that begins at `at` or later.
    ///
    /// # Errors
    /// A search that backtracks reaches one of its limits; the first time, code cannot be put into memory.
    ///
    /// # Panics
    /// `at` is not between two characters.
    pub fn captures_at<'r, 't>(
        &'r self,
        text: &'t str,
        at: usize,
    ) -> Result<Option<Captures<'r, 't>>, Error> {
        let code = self.captures_code()?;
        let slots = self.program.slots as usize;
        let found = self.search(code, text, at, |memory| memory[..slots].to_vec())?;
        Ok(found.map(|slots| Captures::new(text, &self.parsed.names, slots)))
    }

    /// The groups of all matches that do not overlap, from left to right.
    pub fn captures_iter<'r, 't>(&'r self, text: &'t str) -> CaptureMatches<'r, 't> {
        CaptureMatches::new(self, text)
    }

    /// What [`captures_at`](Self::captures_at) finds, found without code: by an interpreter that backtracks over the program.
    /// It shows what code is worth.
    ///
    /// # Errors
    /// The limit of steps is reached.
    pub fn interpret_at<'r, 't>(
        &'r self,
        text: &'t str,
        at: usize,
    ) -> Result<Option<Captures<'r, 't>>, Error> {
        let slots = interpret::search(&self.program, text, at, self.limits.steps)?;
        Ok(slots.map(|slots| self.captured(text, slots)))
    }

    /// What [`captures_at`](Self::captures_at) finds, found without code: by sets of threads, in linear time. `None` for
    /// expressions that are not regular.
    pub fn simulate_at<'r, 't>(&'r self, text: &'t str, at: usize) -> Option<Option<Captures<'r, 't>>> {
        let search = || simulate::search(&self.program, text, at);
        self.program.is_regular.then(|| search().map(|slots| self.captured(text, slots)))
    }

    fn captured<'r, 't>(&'r self, text: &'t str, slots: Vec<Option<usize>>) -> Captures<'r, 't> {
        Captures::new(text, &self.parsed.names, slots.into_iter().map(offset).collect())
    }

    fn captures_code(&self) -> Result<&Native, Error> {
        // Code that backtracks sets all slots anyway.
        if self.program.slots == 2 || self.find.backtracks() {
            return Ok(&self.find);
        }
        if let Some(code) = self.captures.get() {
            return Ok(code);
        }
        let code = load(&self.parsed, &self.program, self.program.slots, self.limits)?;
        Ok(self.captures.get_or_init(|| code))
    }

    /// Runs code; `read` gets the slots of a match.
    fn search<T>(
        &self,
        code: &Native,
        text: &str,
        at: usize,
        read: impl Fn(&[isize]) -> T,
    ) -> Result<Option<T>, Error> {
        if code.backtracks() {
            return self.search_with_stack(code, text, at, read);
        }
        let (mut few, mut many) = ([0; FEW_WORDS], Vec::new());
        let memory = if code.words() <= FEW_WORDS {
            &mut few[..]
        } else {
            many.resize(code.words(), 0);
            &mut many[..]
        };
        match code.search(text, at, memory)? {
            Outcome::None => Ok(None),
            Outcome::Match => Ok(Some(read(memory))),
            _ => Err(Error::Internal("an automaton has no limits")),
        }
    }

    fn search_with_stack<T>(
        &self,
        code: &Native,
        text: &str,
        at: usize,
        read: impl Fn(&[isize]) -> T,
    ) -> Result<Option<T>, Error> {
        let pool = || self.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut scratch = pool().pop().unwrap_or_default();
        let found = match self.run(code, text, at, &mut scratch) {
            Ok(is_match) => Ok(is_match.then(|| read(&scratch.memory))),
            // Sets of threads need no limits.
            Err(Error::TooManySteps { .. } | Error::StackTooLarge { .. }) if self.program.is_regular => {
                let slots = simulate::search(&self.program, text, at);
                Ok(slots.map(|slots| read(&slots.into_iter().map(offset).collect::<Vec<isize>>())))
            }
            Err(error) => Err(error),
        };
        pool().push(scratch);
        found
    }

    fn run(&self, code: &Native, text: &str, at: usize, scratch: &mut Scratch) -> Result<bool, Error> {
        let limit = match self.program.is_regular {
            // What a simulation would take, so that both together take as much at most twice.
            true => self.limits.steps.min(10_000 + 32 * (text.len() - at) as u64),
            false => self.limits.steps,
        };
        let steps = isize::try_from(limit).unwrap_or(isize::MAX);
        let most = self.limits.stack / size_of::<isize>();
        let mut stack = FIRST_STACK.min(most);
        loop {
            match code.search_with_stack(text, at, scratch, (steps, stack))? {
                Outcome::None => return Ok(false),
                Outcome::Match => return Ok(true),
                Outcome::OutOfSteps => return Err(Error::TooManySteps { limit }),
                Outcome::OutOfStack if stack >= most => {
                    return Err(Error::StackTooLarge { limit: self.limits.stack });
                }
                Outcome::OutOfStack => stack = (stack * 4).min(most),
            }
        }
    }
}

/// A slot as code writes it.
fn offset(slot: Option<usize>) -> isize {
    slot.map_or(-1, |at| at as isize)
}

/// A module that searches.
struct Code {
    program: ice_ir::Program,
    /// What it uses beside the slots, if it backtracks.
    frame: Option<Frame>,
}

/// The code of an expression that sets so many slots, or all of them.
fn code(
    parsed: &Parsed,
    program: &Program,
    slots: u32,
    limits: Limits,
    machine: Machine,
) -> Result<Code, Error> {
    let bounds = Bounds { states: limits.states, registers: MAX_REGISTERS, work: MAX_WORK };
    if let Some(automaton) = Automaton::new(program, slots, bounds) {
        let program = emit::automaton::emit(program, &automaton, machine);
        return Ok(Code { program, frame: None });
    }
    let (program, frame) = emit::backtrack::emit(parsed, program, machine)?;
    Ok(Code { program, frame: Some(frame) })
}

/// The code for this process.
fn load(parsed: &Parsed, program: &Program, slots: u32, limits: Limits) -> Result<Native, Error> {
    let Code { program, frame } = code(parsed, program, slots, limits, HOST)?;
    Native::load(&program, slots, frame)
}
