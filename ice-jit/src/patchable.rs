//! Functions whose code is decided later, and changed while other threads call them.
//!
//! Modules call a [`Patchable`] by its name as they call any function. The call goes to a thunk, which jumps to the address
//! in a cell: what [`set`](Patchable::set) changes is one aligned word, so that a thread that calls at that moment gets to
//! the old target or to the new one. An inline cache, a trace that is to be linked with another one, or a function that is
//! compiled again with more effort is such a site. Cost: an indirect jump a call.

use crate::error::Error;
use crate::jit::{Jit, LoadedModule, MOST_BYTES};
use crate::memory::lock;
use crate::object::{Object, Place};
use crate::signature;
use ice_ir::{FuncId, FunctionDecl, FunctionKind, Linkage, Module, Name, Symbol};
use std::sync::Mutex;

/// A function that modules call by its name, and whose code may change.
pub struct Patchable {
    thunk: LoadedModule,
    name: String,
    cell: Place,
    /// What is called now.
    target: Mutex<Option<LoadedModule>>,
}

extern "C" fn unset() -> ! {
    eprintln!("a patchable function was called that has no target");
    std::process::abort()
}

impl Jit {
    /// Defines a function that `module` declares, without a target: its name, its types, and the kind of its callers are
    /// those of the declaration. A call of it before it has a target ends the process with a message.
    ///
    /// # Errors
    /// Another module has defined the name; the system gives no memory.
    pub fn patchable(&self, module: &Module, function: FuncId) -> Result<Patchable, Error> {
        let name = module.symbol_name(Symbol::Function(function));
        let mut own =
            Module { environment: module.environment, pointer_type: module.pointer_type, ..Module::new() };
        let signature = own.signatures.push(module.signature(function).clone());
        let (linkage, kind) = (Linkage::External, FunctionKind::Defined);
        let id = own.functions.push(FunctionDecl::new(Name::default(), signature, linkage, kind));
        own.set_symbol_name(Symbol::Function(id), name.iter().copied());
        let shared = self.shared();
        let mut object = Object::new(&own, &shared.options, MOST_BYTES)?;
        let cell = object.add_thunk(id, shared.machine.glue)?;
        let settled = shared.settle(&mut object, self.names())?;
        settled.block.store(cell.offset, (unset as *const ()).expose_provenance() as u64);
        let thunk = self.publish(&object, settled, None)?;
        let name = String::from_utf8_lossy(name).into_owned();
        Ok(Patchable { thunk, name, cell, target: Mutex::default() })
    }
}

impl Patchable {
    /// Makes calls go to a function of a module, and gives the module of the former target. Threads may still be in that:
    /// keep it until none is.
    ///
    /// # Errors
    /// The module does not define the function, or it has other types.
    pub fn set(&self, module: &LoadedModule, function: &str) -> Result<Option<LoadedModule>, Error> {
        let (_, signature) = self.thunk.function(&self.name)?;
        let (address, target) = module.function(function)?;
        if signature != target {
            let (has, called) = (signature::shown(target), signature::shown(signature));
            return Err(Error::Signature { function: function.to_owned(), has, called });
        }
        let mut current = lock(&self.target);
        self.thunk.block().store(self.cell.offset, address);
        Ok(current.replace(module.clone()))
    }

    /// The function itself as a module, for calls from Rust.
    pub fn module(&self) -> &LoadedModule {
        &self.thunk
    }
}
