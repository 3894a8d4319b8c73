//! Thread-local variables: one copy a thread, found by a function of this crate.
//!
//! Problem: the copies that loaders know of are laid out before a process begins, or come from its dynamic loader, which
//! knows nothing of modules in memory. Method: what compilers call emulated thread-local storage. Each variable gets a
//! *control*, a constant with a number that no other has, size and alignment, and the address of the first contents; the
//! address of a thread's copy is what [`thread_copy`] gives for the control. The module is rewritten before it is
//! compiled, in the IR, so that this is the same on every machine:
//!
//! | before | after |
//! |---|---|
//! | variable `t`, thread-local | a constant without a name: the first contents; the control `t (thread-local)`, seen by whom `t` was |
//! | declaration `t`, thread-local | declaration of `t (thread-local)` |
//! | `threadlocal.address(@t)` | a call of the function with the address of the control |
//!
//! So modules find each other's thread-local variables by name. Those of the process stay out of reach. A module without
//! such variables is compiled as it is.
//!
//! A copy lasts as long as its thread; copies of modules that are gone go when the thread makes some more.

use crate::error::Error;
use crate::object::shown;
use crate::raw::{forget_copies, new_copy_number, thread_copy};
use ice_ir::native::Storage;
use ice_ir::{FuncId, Function, FunctionKind, GlobalDecl, GlobalId, GlobalKind};
use ice_ir::{Initializer, InstData, Intrinsic, Linkage, Module, Mutability, Name, Signature, Symbol};
use ice_ir::{Rules, TailHint, ValueDef, VerifierScratch, verify_function};
use std::collections::HashMap;

/// What the name of a control has behind that of its variable.
const MARK: &str = " (thread-local)";

/// The name by which modules call [`thread_copy`]; no other code can have it.
const FIND: &str = "the address of a thread-local variable";

/// The name of the control of a variable.
pub(crate) fn control_name(variable: &str) -> Vec<u8> {
    [variable, MARK].concat().into_bytes()
}

/// The address of the function that finds copies, by its name.
pub(crate) fn finder(name: &[u8]) -> Option<usize> {
    (name == FIND.as_bytes()).then(|| (thread_copy as *const ()).expose_provenance())
}

/// A module whose thread-local variables have controls.
pub(crate) struct ThreadLocals {
    pub(crate) module: Module,
    find: FuncId,
    controls: HashMap<GlobalId, GlobalId>,
    pub(crate) numbers: CopyNumbers,
}

/// The numbers of thread-local variables that are there. When they are dropped, copies are not needed any more.
#[derive(Debug, Default)]
pub(crate) struct CopyNumbers(Vec<u64>);

impl Drop for CopyNumbers {
    fn drop(&mut self) {
        forget_copies(&self.0);
    }
}

impl ThreadLocals {
    /// Makes controls for the thread-local variables of a module; `None` if it has none.
    ///
    /// # Errors
    /// One of them is another name of a place in a variable.
    pub(crate) fn of(module: &Module) -> Result<Option<ThreadLocals>, Error> {
        let of_threads = module.globals.iter().filter(|(_, decl)| decl.storage.is_thread_local());
        let of_threads: Vec<GlobalId> = of_threads.map(|(id, _)| id).collect();
        let Some(&first) = of_threads.first() else { return Ok(None) };
        let pointer = module.pointer_type;
        if pointer.bytes() as usize != size_of::<usize>() {
            return Err(Error::ThreadLocal(shown(module.symbol_name(Symbol::Global(first)))));
        }
        let mut module = module.clone();
        let find = module.add_function(FIND, Signature::new(vec![pointer], pointer), FunctionKind::Declared);
        let (controls, numbers) = (HashMap::new(), CopyNumbers::default());
        let mut locals = ThreadLocals { module, find, controls, numbers };
        for id in of_threads {
            let control = locals.add_control(id)?;
            locals.controls.insert(id, control);
        }
        Ok(Some(locals))
    }

    fn add_control(&mut self, id: GlobalId) -> Result<GlobalId, Error> {
        let module = &mut self.module;
        let size = module.global_size(id);
        let mut name = module.symbol_name(Symbol::Global(id)).to_vec();
        let decl = module.globals[id].clone();
        let mut control = GlobalDecl { name: Name::default(), storage: Storage::Shared, ..decl.clone() };
        match decl.kind {
            GlobalKind::Declared | GlobalKind::Label { .. } => {}
            GlobalKind::Alias { .. } => {
                return Err(Error::ThreadLocal(shown(&name)));
            }
            GlobalKind::Defined => {
                let number = new_copy_number();
                self.numbers.0.push(number);
                control.mutability = Mutability::Constant;
                control.align_log2 = Some(3);
                control.symbol.section = Name::default();
                control.initializers = add_contents(module, id, number, size);
            }
        }
        let is_zero = |init: &Initializer| matches!(init, Initializer::Zero(_));
        let contents = &mut module.globals[id];
        (contents.name, contents.storage) = (Name::default(), Storage::Shared);
        contents.symbol.section = Name::default();
        if contents.kind == GlobalKind::Defined {
            (contents.linkage, contents.mutability) = (Linkage::Internal, Mutability::Constant);
            let all = contents.initializers.start as usize..contents.initializers.end as usize;
            if module.initializers[all].iter().all(is_zero) {
                let contents = &mut module.globals[id];
                contents.initializers.end = contents.initializers.start;
            }
        }
        module.symbol_order.retain(|symbol| *symbol != Symbol::Global(id));
        let control = module.globals.push(control);
        if !name.is_empty() {
            name.extend_from_slice(MARK.as_bytes());
            module.set_symbol_name(Symbol::Global(control), name);
        }
        Ok(control)
    }

    /// Makes calls of the questions for addresses of copies.
    ///
    /// # Errors
    /// The address of a thread-local variable is used otherwise.
    pub(crate) fn rewrite(&self, func: &mut Function) -> Result<(), Error> {
        let insts: Vec<_> = func.blocks().flat_map(|block| func.block_insts(block)).collect();
        for inst in insts {
            let mut variable = None;
            func.for_each_operand(inst, |value| match func.value_def(value) {
                ValueDef::Global(global) if self.controls.contains_key(&global) => variable = Some(global),
                _ => {}
            });
            let Some(variable) = variable else { continue };
            let InstData::CallIntrinsic { op: Intrinsic::ThreadLocalAddress, .. } = *func.inst(inst) else {
                let name = self.module.symbol_name(Symbol::Global(self.controls[&variable]));
                return Err(Error::ThreadLocal(shown(name).trim_end_matches(MARK).to_owned()));
            };
            let control = Symbol::Global(self.controls[&variable]);
            let control = func.make_address(control, self.module.pointer_type);
            let args = func.make_args(&[control]);
            *func.inst_mut(inst) = InstData::Call { callee: self.find, args, tail: TailHint::None };
        }
        Ok(())
    }

    /// Bodies as they are with controls.
    ///
    /// # Errors
    /// They break rules of the IR, or those of [`rewrite`](Self::rewrite).
    pub(crate) fn bodies(&self, bodies: &[Function]) -> Result<Vec<Function>, Error> {
        let (mut bodies, mut scratch) = (bodies.to_vec(), VerifierScratch::default());
        for body in &mut bodies {
            let is_valid = verify_function(&self.module, body, Rules::Ice, &mut scratch);
            is_valid.map_err(ice_driver::Error::Verify)?;
            self.rewrite(body)?;
        }
        Ok(bodies)
    }
}

/// The contents of a control, as `raw` reads it.
fn add_contents(module: &mut Module, variable: GlobalId, number: u64, size: u64) -> core::ops::Range<u32> {
    let width = module.pointer_type.bytes() as usize;
    let alignment = 1u64 << module.globals[variable].align_log2.unwrap_or(0);
    let is_zero = module.initializers(variable).iter().all(|init| matches!(init, Initializer::Zero(_)));
    let (start, first) = (module.data.len() as u32, module.initializers.len() as u32);
    module.data.extend_from_slice(&number.to_le_bytes());
    for word in [size, alignment] {
        module.data.extend_from_slice(&word.to_le_bytes()[..width]);
    }
    let contents = match is_zero {
        true => Initializer::Zero(width as u32),
        false => Initializer::Address { target: Symbol::Global(variable), addend: 0 },
    };
    module.initializers.extend([Initializer::Bytes { start, len: 8 + 2 * width as u32 }, contents]);
    first..first + 2
}
