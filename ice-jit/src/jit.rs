//! The face of the crate: [`Jit`] takes modules, [`LoadedModule`] gives functions and variables.
//!
//! A module is compiled on the calling thread, with a compiler that no other thread has: any number of threads may load at
//! once, and wait for each other only where names and memory are shared out. Nobody sees a module before its code is in
//! place; a module that fails leaves nothing behind. A module keeps those alive whose symbols it has taken, and is unloaded
//! when the last handle and the last user are gone.
//!
//! Locks: names of a scope, memory, compilers. None is held while code is compiled or while a closure of the user's runs, and none is
//! taken while another one is held.

use crate::debug::{Debugger, debug_object};
use crate::dump::Dump;
use crate::error::Error;
use crate::lazy::Lazy;
use crate::link::{Addresses, link, room};
use crate::live::{LiveSites, LiveTable};
use crate::machine::JitMachine;
use crate::memory::{Block, Memory, lock};
use crate::object::{Area, FILLED, Import, Object, Place};
use crate::outside::{Outside, ProcessSymbols};
use crate::perf::{Names, PerfMap};
use crate::raw::{Debugged, Reach, Registered, thread_copy};
use crate::scope::Scope;
use crate::signature::{self, Callable};
use crate::startup::Startup;
use crate::thread_local::{CopyNumbers, ThreadLocals, control_name};
use ice_driver::machine::Features;
use ice_driver::names::undecorated;
use ice_driver::{Arch, CodeOptions, Compiler, OptLevel, Options, Recipe};
use ice_ir::native::{Environment, UnwindTables};
use ice_ir::{Function, FunctionKind, Linkage, Module, Rules, Signature, Symbol, Type, verify_module};
use std::collections::HashMap;
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};

/// Most bytes of an area of a module.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// Choices that a [`Jit`] is made with.
pub struct JitBuilder {
    recipe: Recipe,
    features: Features,
    unwind: Option<UnwindTables>,
    threads: usize,
    perf: PerfMap,
    dump: Option<PathBuf>,
    debugger: Debugger,
    outside: Outside,
}

impl JitBuilder {
    /// Gives modules a function or variable under a name. The latest of one name counts.
    #[must_use]
    pub fn symbol(mut self, name: &str, address: *const ()) -> JitBuilder {
        self.outside.table.insert(name.as_bytes().to_vec(), address.expose_provenance());
        self
    }

    /// Asks a closure for names that are in no table.
    #[must_use]
    pub fn resolver(
        mut self,
        resolver: impl Fn(&str) -> Option<*const ()> + Send + Sync + 'static,
    ) -> JitBuilder {
        self.outside.resolver = Some(Box::new(resolver));
        self
    }

    /// Says whether modules see the symbols of the process; they do not if nothing is said.
    #[must_use]
    pub fn process_symbols(mut self, process: ProcessSymbols) -> JitBuilder {
        self.outside.process = process;
        self
    }

    /// Choices among the features of the machine.
    #[must_use]
    pub fn features(mut self, features: Features) -> JitBuilder {
        self.features = features;
        self
    }

    /// Says from where callers are found: what exceptions and panics need that pass through generated code. Each function
    /// says it for itself if nothing is said.
    #[must_use]
    pub fn unwind_tables(mut self, tables: UnwindTables) -> JitBuilder {
        self.unwind = Some(tables);
        self
    }

    /// Says whether `perf` gets names; it does not if nothing is said.
    #[must_use]
    pub fn perf_map(mut self, perf: PerfMap) -> JitBuilder {
        self.perf = perf;
        self
    }

    /// Writes functions and their code for `perf inject --jit` to the file `jit-PID.dump` of a directory, with the times of
    /// the clock that `perf record -k mono` uses.
    #[must_use]
    pub fn perf_dump(mut self, directory: impl Into<PathBuf>) -> JitBuilder {
        self.dump = Some(directory.into());
        self
    }

    /// Says whether a debugger gets names and tables for unwinding; it does not if nothing is said.
    #[must_use]
    pub fn debugger(mut self, debugger: Debugger) -> JitBuilder {
        self.debugger = debugger;
        self
    }

    /// Threads that translate a whole file.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> JitBuilder {
        self.threads = threads;
        self
    }

    /// The `Jit` for this process.
    ///
    /// # Errors
    /// Code is not put in memory for the host's processor; the names for `perf` have no file.
    pub fn build(self) -> Result<Jit, Error> {
        let host = Arch::host().ok_or_else(|| Error::Machine(std::env::consts::ARCH.to_owned()))?;
        let machine = JitMachine::of(host).ok_or_else(|| Error::Machine(host.name().to_owned()))?;
        let JitBuilder { recipe, features, unwind, threads, perf, dump, debugger, outside } = self;
        let level = match recipe {
            Recipe::Om1 => OptLevel::Om1,
            Recipe::O2 => OptLevel::O2,
        };
        let relocation = machine.relocation;
        let options = Options { level, relocation, unwind, features, threads, ..Options::new(host) };
        Ok(Jit {
            shared: Arc::new(Shared {
                machine,
                options,
                outside,
                perf: Names::open(perf)?,
                dump: dump.map(|directory| Dump::create(&directory, host.machine())).transpose()?,
                debugger,
                memory: Memory::default(),
                live: LiveTable::default(),
                compilers: Mutex::default(),
            }),
            scope: Arc::default(),
        })
    }
}

/// Loads modules into this process. Clones are the same one.
#[derive(Clone)]
pub struct Jit {
    shared: Arc<Shared>,
    scope: Arc<Scope>,
}

/// What all handles of a [`Jit`] and all its modules have in common.
pub(crate) struct Shared {
    pub(crate) machine: &'static JitMachine,
    pub(crate) options: Options,
    outside: Outside,
    perf: Option<Names>,
    dump: Option<Dump>,
    debugger: Debugger,
    memory: Memory,
    /// The calls with live values.
    pub(crate) live: LiveTable,
    /// Compilers that no thread uses, by what of a module they are for.
    compilers: Mutex<Vec<(Environment, Type, Compiler)>>,
}

/// A function or variable in memory.
struct Definition {
    address: u64,
    /// Of a function.
    signature: Option<Signature>,
    /// Whether other modules see it, and whether another definition of the name is an error.
    linkage: Linkage,
}

/// A module in memory.
pub(crate) struct Loaded {
    definitions: HashMap<Vec<u8>, Definition>,
    scope: Weak<Scope>,
    /// What compiles its functions, if that is done at their first call.
    lazy: Option<Arc<Lazy>>,
    settled: Settled,
}

/// An object in memory.
pub(crate) struct Settled {
    /// Gone before the memory.
    _frames: Option<Registered>,
    _debugged: Option<Debugged>,
    _live: Option<LiveSites>,
    _copies: CopyNumbers,
    startup: Startup,
    pub(crate) block: Arc<Block>,
    addresses: Addresses,
    /// The modules that it has taken symbols of.
    _uses: Vec<Arc<Loaded>>,
}

impl Settled {
    /// The address of a place.
    pub(crate) fn address(&self, place: Place) -> u64 {
        self.addresses[place.area as usize] + place.offset
    }
}

/// A module in memory. It stays there as long as a clone of this handle or a module that uses it.
#[derive(Clone)]
pub struct LoadedModule {
    loaded: Arc<Loaded>,
}

/// Addresses of imports, and who must stay for them.
struct Resolved {
    addresses: Vec<u64>,
    uses: Vec<Arc<Loaded>>,
}

impl Jit {
    /// A builder of a `Jit` that makes code by this recipe.
    pub fn builder(recipe: Recipe) -> JitBuilder {
        JitBuilder {
            recipe,
            features: Features::default(),
            unwind: None,
            threads: 0,
            perf: PerfMap::None,
            dump: None,
            debugger: Debugger::None,
            outside: Outside::default(),
        }
    }

    /// A scope inside of this one: its modules see those that are loaded here, and these do not see them. Names that are
    /// defined here may be defined there, too, and stand for that among its modules; so a plug-in has its own names, or
    /// a line of a session takes the place of an earlier one. Memory, table and resolver of names are the same.
    #[must_use]
    pub fn scope(&self) -> Jit {
        Jit { shared: Arc::clone(&self.shared), scope: Arc::new(self.scope.inside()) }
    }

    /// A `Jit` for this process whose modules see each other and the helpers of the code generator, and nothing else.
    ///
    /// # Errors
    /// Code is not put in memory for the host's processor.
    pub fn new(recipe: Recipe) -> Result<Jit, Error> {
        Jit::builder(recipe).build()
    }

    /// An empty module for this process: native code with addresses as wide as its own.
    pub fn module(&self) -> Module {
        Module::native(self.shared.machine.arch.machine().address_type())
    }

    /// Compiles the bodies of a module, one for each function that it defines, and puts them with its data into memory.
    ///
    /// # Errors
    /// The module breaks a rule of the IR; its addresses are not as wide as those of the process; nothing has a name that it
    /// refers to; it defines what another one of this [scope](Self::scope) has defined; the system gives no memory.
    pub fn load(&self, module: &Module, bodies: &[Function]) -> Result<LoadedModule, Error> {
        verify_module(module, Rules::Ice).map_err(ice_driver::Error::Verify)?;
        match ThreadLocals::of(module)? {
            None => self.load_shared(module, bodies, CopyNumbers::default()),
            Some(locals) => self.load_shared(&locals.module, &locals.bodies(bodies)?, locals.numbers),
        }
    }

    /// Loads a valid module without thread-local variables.
    fn load_shared(
        &self,
        module: &Module,
        bodies: &[Function],
        copies: CopyNumbers,
    ) -> Result<LoadedModule, Error> {
        let shared = &*self.shared;
        let mut object = Object::new(module, &shared.options, MOST_BYTES)?;
        object.copies = copies;
        for body in bodies {
            let is_defined =
                module.functions.get(body.id).is_some_and(|decl| decl.kind == FunctionKind::Defined);
            if !is_defined {
                return Err(Error::NoFunction(body.id.to_string()));
            }
            shared.compile_into(&mut object, body)?;
        }
        self.place(object)
    }

    /// Finds room and addresses for an object and makes it visible.
    pub(crate) fn place(&self, mut object: Object<'_>) -> Result<LoadedModule, Error> {
        if let Some(function) = object.without_body() {
            return Err(Error::NoBody(function));
        }
        let settled = self.shared.settle(&mut object, &self.scope)?;
        self.publish(&object, settled, None)
    }

    /// Makes an object in memory a module that others see.
    pub(crate) fn publish(
        &self,
        object: &Object<'_>,
        settled: Settled,
        lazy: Option<Arc<Lazy>>,
    ) -> Result<LoadedModule, Error> {
        let definitions = definitions(object, &settled);
        let loaded = Arc::new(Loaded { definitions, scope: Arc::downgrade(&self.scope), lazy, settled });
        self.scope.publish(&loaded)?;
        Ok(LoadedModule { loaded })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Which names its modules see.
    pub(crate) fn names(&self) -> &Arc<Scope> {
        &self.scope
    }
}

/// What a module has defined, by name. A name that others see is theirs, whatever else has it in the module.
fn definitions(object: &Object<'_>, settled: &Settled) -> HashMap<Vec<u8>, Definition> {
    let module = object.module;
    let mut all: HashMap<Vec<u8>, Definition> = HashMap::new();
    for (symbol, place, addend) in object.definitions() {
        let (name, linkage) = (undecorated(module.symbol_name(symbol)), module.linkage(symbol).0);
        if name.is_empty() || linkage.is_local() && all.contains_key(name) {
            continue;
        }
        let address = settled.address(place).wrapping_add_signed(addend);
        let signature = match symbol {
            Symbol::Function(f) if place.area == Area::Code => Some(module.signature(f).clone()),
            _ => None,
        };
        all.insert(name.to_vec(), Definition { address, signature, linkage });
    }
    all
}

impl Shared {
    /// A compiler for the functions of a module.
    fn compiler(&self, module: &Module) -> Result<Compiler, Error> {
        let mut idle = lock(&self.compilers);
        let fits = |(environment, pointer, _): &(Environment, Type, Compiler)| {
            (*environment, *pointer) == (module.environment, module.pointer_type)
        };
        if let Some(index) = idle.iter().position(fits) {
            return Ok(idle.swap_remove(index).2);
        }
        drop(idle);
        let Options { arch, level, relocation, unwind, features, .. } = self.options;
        let options = CodeOptions { relocation, unwind, features, ..CodeOptions::new(arch, level.recipe()) };
        Ok(Compiler::new(module, options)?)
    }

    /// Compiles a function of an object's module into it.
    pub(crate) fn compile_into(&self, object: &mut Object<'_>, body: &Function) -> Result<(), Error> {
        let module = object.module;
        let mut compiler = self.compiler(module)?;
        object.add_function(body.id, compiler.compile(module, body)?.parts())?;
        lock(&self.compilers).push((module.environment, module.pointer_type, compiler));
        Ok(())
    }

    /// Puts an object into memory, whose imports are looked for in a scope first.
    pub(crate) fn settle(&self, object: &mut Object<'_>, scope: &Scope) -> Result<Settled, Error> {
        object.finish()?;
        let Resolved { addresses: imports, uses } = self.resolve(&object.imports, scope)?;
        let is_low = object.module.pointer_type == Type::I32 && size_of::<usize>() > 4;
        let veneer = self.machine.veneer.as_ref();
        let reach = if is_low { Reach::Low } else { Reach::All };
        let mut block = self.memory.take(room(object, veneer), reach)?;
        let addresses = block.addresses();
        let filled = link(object, addresses, &imports, veneer)?;
        block.write(&filled)?;
        let startup = Startup::new(&object.called, &filled, size_of::<usize>());
        let frames = object.frames_at.map(|place| block.register_frames(place.area, place.offset));
        let frames = frames.transpose()?;
        let code = addresses[Area::Code as usize];
        let functions = std::mem::take(&mut object.live).into_iter();
        let live = LiveSites::new(&self.live, functions.map(|(offset, calls)| (code + offset, calls)));
        let debugged = self.tell(object, &filled, addresses)?;
        Ok(Settled {
            _frames: frames,
            _debugged: debugged,
            _live: live,
            _copies: std::mem::take(&mut object.copies),
            startup,
            block: Arc::new(block),
            addresses,
            _uses: uses,
        })
    }

    /// Tells those who look at the process from outside, if some do, of an object in memory.
    fn tell(
        &self,
        object: &Object<'_>,
        filled: &[Vec<u8>; FILLED],
        addresses: Addresses,
    ) -> Result<Option<Debugged>, Error> {
        if self.perf.is_none() && self.dump.is_none() && self.debugger == Debugger::None {
            return Ok(None);
        }
        let placed = object.placed(filled, addresses);
        if let Some(names) = &self.perf {
            names.add(&placed);
        }
        if let Some(dump) = &self.dump {
            dump.add(&placed);
        }
        match self.debugger {
            Debugger::None => Ok(None),
            Debugger::Told => debug_object(&placed).map(|object| Some(Debugged::new(object))),
        }
    }

    /// Finds what a module imports.
    fn resolve(&self, imports: &[Import], scope: &Scope) -> Result<Resolved, Error> {
        let mut resolved = Resolved { addresses: Vec::with_capacity(imports.len()), uses: Vec::new() };
        let mut missing = Vec::new();
        for import in imports {
            if let Some(address) = import.address {
                resolved.addresses.push(address);
                continue;
            }
            let address = match scope.find(&import.name) {
                Some((address, owner)) => {
                    if !resolved.uses.iter().any(|used| Arc::ptr_eq(used, &owner)) {
                        resolved.uses.push(owner);
                    }
                    Some(address)
                }
                None => self.outside.find(&import.name).map(|address| address as u64),
            };
            if address.is_none() && !import.is_weak {
                missing.push(String::from_utf8_lossy(&import.name).into_owned());
            }
            resolved.addresses.push(address.unwrap_or(0));
        }
        if missing.is_empty() { Ok(resolved) } else { Err(Error::Unresolved(missing)) }
    }
}

impl Loaded {
    /// What others see: name, address, and whether no other definition may have the name.
    pub(crate) fn visible(&self) -> impl Iterator<Item = (&[u8], u64, bool)> {
        let visible = self.definitions.iter().filter(|(_, definition)| !definition.linkage.is_local());
        visible.map(|(name, definition)| {
            (name.as_slice(), definition.address, definition.linkage == Linkage::External)
        })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Some(scope) = self.scope.upgrade() {
            scope.forget(self);
        }
    }
}

impl LoadedModule {
    /// The address and the types of a function.
    pub(crate) fn function(&self, name: &str) -> Result<(u64, &Signature), Error> {
        let definition = self.loaded.definitions.get(name.as_bytes());
        let function =
            definition.and_then(|definition| Some((definition.address, definition.signature.as_ref()?)));
        function.ok_or_else(|| Error::NoFunction(name.to_owned()))
    }

    pub(crate) fn block(&self) -> &Block {
        &self.loaded.settled.block
    }

    /// What is called before its functions are.
    pub(crate) fn startup(&self) -> &Startup {
        &self.loaded.settled.startup
    }

    pub(crate) fn lazy(&self) -> Option<&Lazy> {
        self.loaded.lazy.as_deref()
    }

    /// The address of a function that may be called as an `F`.
    pub(crate) fn callable_address<F: Callable>(&self, name: &str) -> Result<usize, Error> {
        let (address, signature) = self.function(name)?;
        if self.startup().is_due() {
            return Err(Error::NotConstructed(name.to_owned()));
        }
        if !signature::fits::<F>(signature) {
            let (has, called) = (signature::shown(signature), signature::shown_as::<F>());
            return Err(Error::Signature { function: name.to_owned(), has, called });
        }
        Ok(address as usize)
    }

    /// The address of a function, for callers that know its types only when they run.
    ///
    /// # Errors
    /// The module does not define such a function.
    pub fn function_address(&self, name: &str) -> Result<*const c_void, Error> {
        self.function(name).map(|(address, _)| std::ptr::with_exposed_provenance(address as usize))
    }

    /// The address of a variable or constant; of this thread's copy, if each has one. What is there is the module's to
    /// write while its functions run.
    ///
    /// # Errors
    /// The module does not define such a variable.
    pub fn variable(&self, name: &str) -> Result<*mut c_void, Error> {
        let address = |name: &[u8]| {
            let definition = self.loaded.definitions.get(name)?;
            definition.signature.is_none().then_some(definition.address as usize)
        };
        if let Some(address) = address(name.as_bytes()) {
            return Ok(std::ptr::with_exposed_provenance_mut(address));
        }
        let control = address(&control_name(name)).ok_or_else(|| Error::NoVariable(name.to_owned()))?;
        Ok(thread_copy(std::ptr::with_exposed_provenance(control)).cast())
    }
}
