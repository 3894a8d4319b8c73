//! Whole files into memory: the driver reads and translates them, on several threads if asked for.

use crate::error::Error;
use crate::jit::{Jit, LoadedModule, MOST_BYTES};
use crate::object::Object;
use ice_driver::output::{ModuleOutput, RangeOutput};
use ice_driver::{InputFormat, Options, read_to, translate_module};

impl Jit {
    /// Loads a whole file in one of the forms that this build reads.
    ///
    /// # Errors
    /// Those of [`load`](Self::load); malformed input.
    pub fn load_file(&self, input: &[u8], format: InputFormat) -> Result<LoadedModule, Error> {
        let options = Options { format, ..self.shared().options.clone() };
        let mut loaded = Err(Error::Internal("the reader has read no module"));
        read_to(input, &options, &mut |module, bodies, options| {
            let mut result = Ok(());
            let mut object = match Object::new(module, options, MOST_BYTES) {
                Ok(object) => object,
                Err(error) => {
                    loaded = Err(error);
                    return Ok(Default::default());
                }
            };
            let gather = Gather { object: &mut object, result: &mut result };
            let report = translate_module(module, bodies, options, Box::new(gather))?;
            loaded = result.and_then(|()| self.place(object));
            Ok(report)
        })?;
        loaded
    }
}

/// An object as the output of a translation; the first error stays in it, because the driver's errors are its own.
struct Gather<'a, 'm> {
    object: &'a mut Object<'m>,
    result: &'a mut Result<(), Error>,
}

impl ModuleOutput for Gather<'_, '_> {
    fn functions(&mut self, output: &mut RangeOutput) -> Result<(), ice_driver::Error> {
        for index in 0..output.len() {
            let (function, code, _) = output.function(index);
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
