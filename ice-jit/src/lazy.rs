//! Functions that are compiled when they are first called.
//!
//! Problem: of a large module few functions run, and compiling the others costs time and memory. Method: every function of
//! the module is a thunk, which jumps to the address in a cell; at first that is a stub, which has the function compiled,
//! puts the address of its code in the cell and goes there. What others take for the function's address stays that of
//! the thunk.
//!
//! A function's code is an object of its own. It may come to be far from the rest of the module, so it is compiled as if
//! all symbols of the module belonged to another one: by a copy of the declarations in which they do.
//!
//! A cell can also be given another address later: the entry of a function is patchable, while other threads run it
//! ([`LoadedModule::redirect`]).
//!
//! Threads that call a function for the first time at once compile it all; the first to finish wins, and nobody has run
//! the code of the others. No lock is held while a function is compiled. Cost: an indirect jump a call.

use crate::error::Error;
use crate::jit::{Jit, LoadedModule, MOST_BYTES, Settled, Shared};
use crate::memory::{Block, lock};
use crate::object::{Area, Object, Outer, Place};
use crate::raw::resolve;
use crate::scope::Scope;
use crate::signature;
use crate::thread_local::{CopyNumbers, ThreadLocals};
use crate::thunks::Resolver;
use ice_driver::names::undecorated;
use ice_ir::native::{Preemption, SymbolTraits, Visibility};
use ice_ir::{Function, Linkage, Module, Program, Rules, Symbol, verify_program};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// What compiles the functions of a module.
pub(crate) struct Lazy {
    shared: Arc<Shared>,
    scope: Arc<Scope>,
    /// The declarations of the module, as another module would see them.
    view: Module,
    /// Bodies by the number that stubs give.
    bodies: Vec<Function>,
    face: OnceLock<Face>,
    parts: Mutex<Parts>,
}

/// What functions are entered by.
#[derive(Default)]
struct Parts {
    /// Those that have code.
    compiled: HashMap<u32, Part>,
    /// The modules of those that are redirected.
    redirected: HashMap<u32, LoadedModule>,
}

/// The part of a module that is there from the beginning: data, thunks, stubs.
struct Face {
    block: Arc<Block>,
    outer: Outer,
    cells: Vec<Place>,
}

/// The code of a function.
struct Part {
    _settled: Settled,
    address: u64,
}

/// The declarations of a module, with all symbols belonging to somebody else.
pub(crate) fn view(module: &Module) -> Module {
    let mut view = module.clone();
    let functions = view.functions.values_mut().map(|decl| (&mut decl.linkage, &mut decl.symbol));
    let globals = view.globals.values_mut().map(|decl| (&mut decl.linkage, &mut decl.symbol));
    for (linkage, traits) in functions.chain(globals) {
        // A weak symbol may have the address 0, which code asks for.
        if *linkage != Linkage::Weak {
            *linkage = Linkage::External;
        }
        let (visibility, preemption) = (Visibility::Default, Preemption::Possible);
        *traits = SymbolTraits { visibility, preemption, ..**traits }.into();
    }
    view
}

impl Jit {
    /// Puts the data of a program into memory; each of its functions is compiled when it is first called. A function that
    /// cannot be compiled then ends the process with a message; [`LoadedModule::compile_all`] gives an error instead.
    ///
    /// # Errors
    /// Those of [`load`](Self::load), but for functions that cannot be compiled and what only they refer to.
    pub fn load_lazily(&self, program: &Program) -> Result<LoadedModule, Error> {
        verify_program(program, Rules::Ice).map_err(ice_driver::Error::Verify)?;
        let Some(locals) = ThreadLocals::of(&program.module)? else {
            return self.load_lazily_shared(&program.module, program.bodies.clone(), CopyNumbers::default());
        };
        self.load_lazily_shared(&locals.module, locals.bodies(&program.bodies)?, locals.numbers)
    }

    /// Loads a valid module without thread-local variables.
    fn load_lazily_shared(
        &self,
        module: &Module,
        bodies: Vec<Function>,
        copies: CopyNumbers,
    ) -> Result<LoadedModule, Error> {
        let shared = self.shared();
        let glue = shared.machine.glue;
        let lazy = Arc::new(Lazy {
            shared: Arc::clone(shared),
            scope: Arc::clone(self.names()),
            view: view(module),
            bodies,
            face: OnceLock::new(),
            parts: Mutex::default(),
        });
        let mut object = Object::new(module, &shared.options, MOST_BYTES)?;
        object.copies = copies;
        let context = Arc::as_ptr(&lazy).expose_provenance() as u64;
        let resolve = (resolve as *const ()).expose_provenance() as u64;
        let entry = object.add_entry(glue, &Resolver { context, resolve });
        let mut cells = Vec::with_capacity(lazy.bodies.len());
        for (number, body) in lazy.bodies.iter().enumerate() {
            let cell = object.add_thunk(body.id, glue)?;
            object.add_stub(glue, entry, number as u32, cell)?;
            cells.push(cell);
        }
        let settled = shared.settle(&mut object, self.names())?;
        let outer = object
            .definitions()
            .map(|(symbol, place, addend)| (symbol, settled.address(place).wrapping_add_signed(addend)));
        let face = Face { block: Arc::clone(&settled.block), outer: outer.collect(), cells };
        if lazy.face.set(face).is_err() {
            return Err(Error::Internal("a module has two faces"));
        }
        self.publish(&object, settled, Some(lazy))
    }
}

impl Face {
    /// Lets a function be entered at an address.
    fn enter(&self, number: u32, address: u64) {
        let cell = self.cells[number as usize];
        debug_assert_eq!(cell.area, Area::Variables);
        self.block.store(cell.offset, address);
    }
}

impl Lazy {
    /// The address of the code of a function, which is compiled if it is not there. Ends the process if that cannot be:
    /// the thread is in a call that cannot fail.
    pub(crate) fn code_of(&self, number: u32) -> usize {
        match self.compile(number) {
            Ok(address) => address as usize,
            Err(error) => {
                eprintln!("a function was called that cannot be compiled: {error}");
                std::process::abort()
            }
        }
    }

    fn compile(&self, number: u32) -> Result<u64, Error> {
        if let Some(part) = lock(&self.parts).compiled.get(&number) {
            return Ok(part.address);
        }
        let face = self.face.get().ok_or(Error::Internal("a module without its face"))?;
        let body = self.bodies.get(number as usize).ok_or(Error::Internal("a stub names no function"))?;
        let mut object = Object::part(&self.view, &self.shared.options, MOST_BYTES, &face.outer);
        self.shared.compile_into(&mut object, body)?;
        let settled = self.shared.settle(&mut object, &self.scope)?;
        let place =
            object.functions[body.id.as_u32() as usize].ok_or(Error::Internal("a function has no code"))?;
        let part = Part { address: settled.address(place), _settled: settled };
        let mut parts = lock(&self.parts);
        let address = parts.compiled.entry(number).or_insert(part).address;
        if !parts.redirected.contains_key(&number) {
            face.enter(number, address);
        }
        Ok(address)
    }

    /// The number of a function.
    fn number_of(&self, function: &str) -> Option<u32> {
        let is_named = |body: &Function| {
            undecorated(self.view.symbol_name(Symbol::Function(body.id))) == function.as_bytes()
        };
        self.bodies.iter().position(is_named).map(|number| number as u32)
    }

    /// Lets a function be entered at an address of a module, or at its own code again. Gives the module where it was
    /// entered before.
    fn redirect(
        &self,
        number: u32,
        target: Option<(u64, LoadedModule)>,
    ) -> Result<Option<LoadedModule>, Error> {
        let face = self.face.get().ok_or(Error::Internal("a module without its face"))?;
        let own = if target.is_none() { self.compile(number)? } else { 0 };
        let mut parts = lock(&self.parts);
        let Some((address, module)) = target else {
            face.enter(number, own);
            return Ok(parts.redirected.remove(&number));
        };
        face.enter(number, address);
        Ok(parts.redirected.insert(number, module))
    }

    /// Compiles what is not there.
    pub(crate) fn compile_all(&self) -> Result<(), Error> {
        (0..self.bodies.len() as u32).try_for_each(|number| self.compile(number).map(drop))
    }

    /// How many functions have code.
    pub(crate) fn compiled(&self) -> usize {
        lock(&self.parts).compiled.len()
    }
}

impl LoadedModule {
    /// Compiles the functions of a module that was [loaded lazily](Jit::load_lazily) and that nobody has called.
    ///
    /// # Errors
    /// A function cannot be compiled, or refers to what is nowhere.
    pub fn compile_all(&self) -> Result<(), Error> {
        self.lazy().map_or(Ok(()), Lazy::compile_all)
    }

    /// How many functions of a module that was [loaded lazily](Jit::load_lazily) have code.
    pub fn compiled_functions(&self) -> Option<usize> {
        self.lazy().map(Lazy::compiled)
    }

    /// Lets a function of a module that was [loaded lazily](Jit::load_lazily) be entered elsewhere: every call of it,
    /// inside of the module and outside, goes to `target` of the module `to` from now on, while other threads call it.
    /// Threads that are in its code stay there. So a function that is hot, or has changed, is replaced without those that
    /// call it. Gives the module where it was entered before, if that was another one; threads may still be in that.
    ///
    /// The module keeps `to` until the function is redirected again or [restored](Self::restore): if `to` uses this module,
    /// both stay until then.
    ///
    /// # Errors
    /// A module does not define the function, this one was not loaded lazily, or the two functions have not the same type.
    pub fn redirect(
        &self,
        function: &str,
        to: &LoadedModule,
        target: &str,
    ) -> Result<Option<LoadedModule>, Error> {
        let ((_, own), (address, other)) = (self.function(function)?, to.function(target)?);
        if own != other {
            let (has, called) = (signature::shown(other), signature::shown(own));
            return Err(Error::Signature { function: target.to_owned(), has, called });
        }
        let (lazy, number) = self.entry(function)?;
        lazy.redirect(number, Some((address, to.clone())))
    }

    /// Lets a function that was [redirected](Self::redirect) be entered at its own code again, which is compiled if it was
    /// not. Gives the module where it was entered; threads may still be in that.
    ///
    /// # Errors
    /// The module does not define the function or was not loaded lazily; the function cannot be compiled.
    pub fn restore(&self, function: &str) -> Result<Option<LoadedModule>, Error> {
        let (lazy, number) = self.entry(function)?;
        lazy.redirect(number, None)
    }

    fn entry(&self, function: &str) -> Result<(&Lazy, u32), Error> {
        let lazy = self.lazy().ok_or_else(|| Error::FixedEntry(function.to_owned()))?;
        let number = lazy.number_of(function).ok_or_else(|| Error::NoFunction(function.to_owned()))?;
        Ok((lazy, number))
    }
}
