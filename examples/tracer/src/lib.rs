#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod arithmetic;
pub mod ast;
pub mod bytecode;
pub mod compiler;
pub mod error;
pub mod interpreter;
pub mod lexer;
pub mod liveness;
pub mod parser;
pub mod trace;
pub mod value;

pub use error::Error;
pub use ice_driver::Recipe;
pub use trace::Stats;

use interpreter::Machine;
use std::io::Write;
use trace::Tracer;
use value::Heap;

/// Runs a program. Hot loops become machine code by a recipe, or do not.
///
/// # Errors
/// The source is no program; it does what has no meaning; what it prints cannot be written; no machine code is made for
/// this processor.
pub fn run(source: &str, recipe: Option<Recipe>, output: &mut dyn Write) -> Result<Stats, Error> {
    let program = parser::parse(source)?;
    let mut heap = Box::<Heap>::default();
    let code = compiler::compile(&program, &mut heap)?;
    let mut tracer = Tracer::new(&code, recipe)?;
    Machine::new(&code, heap, output).run(&mut tracer)?;
    Ok(tracer.stats())
}
