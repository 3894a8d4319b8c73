//! Code in memory, and how it is called: all `unsafe` code of the crate.
//!
//! The argument. The code is that of a module that this crate has emitted, and it is kept in memory by the handle beside the
//! address. It reads the text from the place where the search begins, which is compared with the bounds of characters,
//! and up to the end; where it reads parts of a character without looking for the end, a `str` has them. It writes to as
//! many words of memory as the module says, which this file makes, and between the bounds of the stack, which this
//! file makes too. It calls nothing outside of the module.

#![allow(unsafe_code)]

use crate::emit::{ENTRY, Frame, Outcome};
use crate::error::Error;
use ice_driver::Recipe;
use ice_ir::Program;
use ice_jit::{Jit, LoadedModule};
use std::sync::OnceLock;

type Search = extern "C" fn(*const u8, usize, usize, *mut isize) -> i32;

/// A module in memory.
pub(crate) struct Native {
    search: Search,
    /// What it uses beside its slots, if it backtracks.
    frame: Option<Frame>,
    /// Number of words that it writes to.
    words: usize,
    /// Holds the code.
    _module: LoadedModule,
}

/// The memory of a search that backtracks, which may be used again.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The slots first.
    pub(crate) memory: Vec<isize>,
    stack: Vec<isize>,
}

/// The one place that the code of all expressions is in.
fn jit() -> Result<&'static Jit, Error> {
    static JIT: OnceLock<Jit> = OnceLock::new();
    if let Some(jit) = JIT.get() {
        return Ok(jit);
    }
    let jit = Jit::new(Recipe::O2)?;
    Ok(JIT.get_or_init(|| jit))
}

impl Native {
    /// Puts a module into memory that has so many slots, and a frame if it backtracks.
    pub(crate) fn load(program: &Program, slots: u32, frame: Option<Frame>) -> Result<Native, Error> {
        let words = frame.map_or(slots, |frame| frame.words);
        let module = jit()?.load(&program.module, &program.bodies)?;
        // SAFETY: the argument is at the head of the file.
        let search = unsafe { module.get::<Search>(ENTRY)? };
        Ok(Native { search, frame, words: words as usize, _module: module })
    }

    /// Whether the code backtracks: then it has limits.
    pub(crate) fn backtracks(&self) -> bool {
        self.frame.is_some()
    }

    /// Number of words that a search writes to.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Searches from `at` on, by code that does not backtrack.
    pub(crate) fn search(&self, text: &str, at: usize, memory: &mut [isize]) -> Result<Outcome, Error> {
        assert!(self.frame.is_none(), "the code needs a stack");
        self.call(text, at, memory)
    }

    /// Searches from `at` on, by code that backtracks, with so many steps, and a stack of so many words at least.
    pub(crate) fn search_with_stack(
        &self,
        text: &str,
        at: usize,
        scratch: &mut Scratch,
        (steps, words): (isize, usize),
    ) -> Result<Outcome, Error> {
        let frame = self.frame.ok_or(Error::Internal("the code has no stack"))?;
        let Scratch { memory, stack } = scratch;
        memory.resize(memory.len().max(self.words), 0);
        stack.resize(stack.len().max(words), 0);
        let bounds = stack.as_mut_ptr_range();
        let [start, end] = frame.bounds();
        memory[start as usize] = bounds.start.expose_provenance() as isize;
        memory[end as usize] = bounds.end.expose_provenance() as isize;
        memory[frame.steps() as usize] = steps;
        self.call(text, at, memory)
    }

    fn call(&self, text: &str, at: usize, memory: &mut [isize]) -> Result<Outcome, Error> {
        assert!(text.is_char_boundary(at), "searches begin between characters");
        assert!(memory.len() >= self.words, "the memory holds what the code writes");
        let number = (self.search)(text.as_ptr(), text.len(), at, memory.as_mut_ptr());
        Outcome::of(number).ok_or(Error::Internal("the code gives an unknown number"))
    }
}
