//! Programs as text on their way to machine code: the module as lowering sees it, and machine instructions.

use crate::error::Error;
use crate::formats::Bodies;
use crate::output::{Functions, ModuleOutput};
use crate::report::Report;
use ice_elf::Sink as ObjectSink;
use ice_ir::{Filtered, Function, Module, Program};

/// Representations as text, one function after the other.
pub struct TextOutput<'a>(pub &'a mut (dyn ObjectSink + Send));

impl ModuleOutput for TextOutput<'_> {
    fn functions(&mut self, functions: Functions<'_>) -> Result<(), Error> {
        Ok(self.0.append(functions.text().as_bytes())?)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        Ok(())
    }
}

/// The whole module as lowering sees it, as a program that can be read back.
///
/// # Errors
/// A body is malformed, or the sink fails.
pub fn emit_program(
    module: &Module,
    bodies: &dyn Bodies,
    count: usize,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    let mut report = Report { environment: module.environment, ..Report::default() };
    let mut program = Program { module: module.clone(), bodies: Vec::with_capacity(count) };
    let (mut reader, mut filter) = (bodies.reader(), Filtered::new());
    for body in 0..count {
        let mut func = Function::new();
        reader.read(body, &mut filter, &mut func)?;
        report.functions += 1;
        report.blocks += func.num_blocks() as u64;
        report.insts += func.num_insts() as u64;
        program.bodies.push(func);
    }
    bodies.finish()?;
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = ice_ir::write_program(&program, &mut text);
    sink.append(text.as_bytes())?;
    Ok(report)
}
