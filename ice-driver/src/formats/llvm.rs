//! LLVM bitcode.

use super::{Bodies, BodyReader, Translate};
use crate::error::Error;
use crate::options::{Options, ThreadStorage};
use crate::repeats::Repetition;
use crate::report::{Report, Warning};
use crate::unwind::Entries;
use ice_bitcode::{LocatedError, llvm};
use ice_ir::source::{FunctionSource, SourceUnit};
use ice_ir::{ControlFlowGraph, Filtered, FuncId, Function, FunctionBuilder, Symbol};
#[cfg(feature = "cli")]
use {crate::inspect::Purpose, crate::machine::legalization_of_triple, ice_ir::Program};

/// Reads the header of a module and has it translated.
///
/// # Errors
/// Those of [`read_to`](crate::translate::read_to).
pub fn translate(input: &[u8], options: &Options, translate: Translate<'_>) -> Result<Report, Error> {
    let triple = triple_of(input)?.unwrap_or_default();
    let machine = options.arch.machine();
    let features = options.features.or(machine.features_of_triple(&triple));
    let mut module = llvm::read_module(input, machine.legalization(features)).map_err(Error::Bitcode)?;
    if options.thread_storage == ThreadStorage::Emulated || emulates_threads(&triple) {
        llvm::emulate_threads(&mut module).map_err(Error::Bitcode)?;
    }
    let mut program = llvm::LlvmProgram::new(module);
    if let Err(error) = llvm::mark_landings(&mut program, input) {
        let function = error.location.function.map_or(FuncId::from_u32(0), FuncId::from_u32);
        return Err(body_error(&program, function, error));
    }
    let module = program.module();
    if module.pointer_type != machine.address_type() {
        return Err(Error::WrongTarget { arch: options.arch, triple });
    }
    let features = features.or(machine.features_of_module(program.header()));
    let options = Options { features, ..options.clone() };
    let bodies = LlvmBodies { bytes: input, program: &program };
    let mut report = translate(module, &bodies, &options)?;
    let without_tables = program.header().first_unwinding().filter(|_| Entries::of(&options).is_none());
    let name =
        |function| String::from_utf8_lossy(module.symbol_name(Symbol::Function(function))).into_owned();
    let unwinding = without_tables.map(|function| Warning::NoUnwindTables { function: name(function) });
    report.warnings.extend(unwinding);
    Ok(report)
}

/// Whether a library keeps the thread-local variables of all programs of a triple: where the system's linker knows none, as
/// Android's before its level 29.
fn emulates_threads(triple: &str) -> bool {
    let mut parts = triple.split('-').skip(1);
    parts.any(|part| match part.strip_prefix("android") {
        Some(behind) => {
            let level = behind.trim_start_matches(|byte: char| !byte.is_ascii_digit());
            level.parse::<u32>().map_or(true, |level| level < 29)
        }
        None => part.starts_with("openbsd"),
    })
}

/// The target triple of a module of LLVM, if it names one.
///
/// # Errors
/// The input is malformed before that place.
pub fn triple_of(input: &[u8]) -> Result<Option<String>, Error> {
    let triple = llvm::read_triple(input).map_err(Error::Bitcode)?;
    Ok((!triple.is_empty()).then(|| String::from_utf8_lossy(&triple).into_owned()))
}

/// What is wrong with the body of a function.
#[cold]
fn body_error(program: &llvm::LlvmProgram, function: FuncId, error: Box<LocatedError>) -> Error {
    let name = program.module().symbol_name(Symbol::Function(function));
    Error::Body { name: String::from_utf8_lossy(name).into_owned(), function, error }
}

/// The bodies of a module of LLVM.
pub struct LlvmBodies<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// What was read of it so far.
    pub program: &'a llvm::LlvmProgram,
}

struct LlvmReader<'a> {
    bodies: &'a LlvmBodies<'a>,
    reader: llvm::FunctionReader,
}

impl Bodies for LlvmBodies<'_> {
    fn count(&self) -> usize {
        self.program.bodies().len()
    }

    fn size(&self, index: usize) -> usize {
        self.program.bodies()[index].bytes().len()
    }

    fn source_units(&self) -> &[SourceUnit] {
        self.program.header().source_units()
    }

    fn reader(&self) -> Box<dyn BodyReader + '_> {
        Box::new(LlvmReader { bodies: self, reader: llvm::FunctionReader::default() })
    }
}

impl BodyReader for LlvmReader<'_> {
    fn read(
        &mut self,
        index: usize,
        filter: &mut Filtered,
        func: &mut Function,
    ) -> Result<Repetition, Error> {
        let LlvmBodies { bytes, program } = *self.bodies;
        let body = &program.bodies()[index];
        let mut builder = FunctionBuilder::filtered(func, filter);
        let result = self.reader.read(program, bytes, body, &mut builder);
        result.map_err(|error| body_error(program, body.function, error))?;
        Ok(Repetition::None)
    }

    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        Some(self.reader.flow_graph())
    }

    fn source(&self) -> Option<FunctionSource> {
        self.reader.source(self.bodies.program)
    }
}

/// Reads a whole module of LLVM.
///
/// # Errors
/// The input is malformed.
#[cfg(feature = "cli")]
pub fn read(bytes: &[u8], purpose: Purpose) -> ice_bitcode::Result<Program> {
    let machine = match purpose {
        Purpose::Look => legalization_of_triple(&String::from_utf8_lossy(&llvm::read_triple(bytes)?)),
        Purpose::Freeze => &llvm::MachineDescription::PORTABLE,
    };
    let mut program = llvm::LlvmProgram::new(llvm::read_module(bytes, machine)?);
    llvm::mark_landings(&mut program, bytes)?;
    let mut reader = llvm::FunctionReader::new();
    let mut bodies = Vec::with_capacity(program.bodies().len());
    for body in program.bodies() {
        let mut func = Function::new();
        reader.read(&program, bytes, body, &mut FunctionBuilder::new(&mut func))?;
        bodies.push(func);
    }
    Ok(Program { module: program.module().clone(), bodies })
}

#[cfg(test)]
mod tests {
    use super::emulates_threads;

    #[test]
    fn systems_without_thread_local_storage_are_known() {
        for triple in [
            "x86_64-linux-android",
            "i686-unknown-linux-android21",
            "armv7-none-linux-androideabi28",
            "x86_64-unknown-openbsd7.4",
        ] {
            assert!(emulates_threads(triple), "{triple}");
        }
        for triple in
            ["", "x86_64-linux-gnu", "x86_64-linux-android29", "armv7-none-linux-androideabi34", "android"]
        {
            assert!(!emulates_threads(triple), "{triple}");
        }
    }
}
