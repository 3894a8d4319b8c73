//! Whole files into memory: the driver reads and translates them, on several threads if asked for.

use crate::error::Error;
use crate::jit::{Jit, LoadedModule, MOST_BYTES};
use crate::object::Object;
use crate::thread_local::{CopyNumbers, ThreadLocals};
use ice_driver::formats::{Bodies, BodyReader};
use ice_driver::output::{Functions, ModuleOutput, Translated};
use ice_driver::repeats::Repetition;
use ice_driver::{InputFormat, Options, Report, read_to, translate_module};
use ice_ir::{ControlFlowGraph, Filtered, Function, Module};

impl Jit {
    /// Loads a whole file in one of the forms that this build reads.
    ///
    /// # Errors
    /// Those of [`load`](Self::load); malformed input.
    pub fn load_file(&self, input: &[u8], format: InputFormat) -> Result<LoadedModule, Error> {
        let options = Options { format, ..self.shared().options.clone() };
        let mut loaded = Err(Error::Internal("the reader has read no module"));
        read_to(input, &options, &mut |module, bodies, options| match ThreadLocals::of(module) {
            Ok(None) => self.load_bodies(module, bodies, options, CopyNumbers::default(), &mut loaded),
            Ok(Some(mut locals)) => {
                let numbers = std::mem::take(&mut locals.numbers);
                let rewritten = Rewritten { bodies, locals: &locals };
                self.load_bodies(&locals.module, &rewritten, options, numbers, &mut loaded)
            }
            Err(error) => {
                loaded = Err(error);
                Ok(Report::default())
            }
        })?;
        loaded
    }

    /// Loads a module without thread-local variables whose bodies are read as they are translated.
    fn load_bodies(
        &self,
        module: &Module,
        bodies: &dyn Bodies,
        options: &Options,
        copies: CopyNumbers,
        loaded: &mut Result<LoadedModule, Error>,
    ) -> Result<Report, ice_driver::Error> {
        let mut object = match Object::new(module, options, MOST_BYTES) {
            Ok(object) => object,
            Err(error) => {
                *loaded = Err(error);
                return Ok(Report::default());
            }
        };
        object.copies = copies;
        let mut result = Ok(());
        let gather = Gather { object: &mut object, result: &mut result };
        let report = translate_module(module, bodies, options, Box::new(gather))?;
        *loaded = result.and_then(|()| self.place(object));
        Ok(report)
    }
}

/// An object as the output of a translation; the first error stays in it, because the driver's errors are its own.
struct Gather<'a, 'm> {
    object: &'a mut Object<'m>,
    result: &'a mut Result<(), Error>,
}

impl ModuleOutput for Gather<'_, '_> {
    fn functions(&mut self, mut functions: Functions<'_>) -> Result<(), ice_driver::Error> {
        while let Some(Translated { function, code, .. }) = functions.take_next() {
            if self.result.is_ok() {
                *self.result = self.object.add_function(function, &code);
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), ice_driver::Error> {
        Ok(())
    }
}

/// The bodies of a file, rewritten as they are read.
struct Rewritten<'a> {
    bodies: &'a dyn Bodies,
    locals: &'a ThreadLocals,
}

struct Reader<'a> {
    reader: Box<dyn BodyReader + 'a>,
    locals: &'a ThreadLocals,
}

impl Bodies for Rewritten<'_> {
    fn count(&self) -> usize {
        self.bodies.count()
    }

    fn size(&self, index: usize) -> usize {
        self.bodies.size(index)
    }

    fn total(&self) -> usize {
        self.bodies.total()
    }

    fn finish(&self) -> Result<(), ice_driver::Error> {
        self.bodies.finish()
    }

    fn reader(&self) -> Box<dyn BodyReader + '_> {
        Box::new(Reader { reader: self.bodies.reader(), locals: self.locals })
    }
}

impl BodyReader for Reader<'_> {
    fn read(
        &mut self,
        index: usize,
        filter: &mut Filtered,
        func: &mut Function,
    ) -> Result<Repetition, ice_driver::Error> {
        let repetition = self.reader.read(index, filter, func)?;
        let result = self.locals.rewrite(func);
        result.map_err(|error| ice_driver::Error::Input(error.to_string()))?;
        Ok(repetition)
    }

    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        self.reader.flow_graph()
    }
}
