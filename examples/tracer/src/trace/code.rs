//! Machine code of trees: made, and entered.
//!
//! # Why the `unsafe` code is right
//!
//! A tree's code reads and writes the registers of its frame and of functions above, whose number the caller has compared
//! with the size of the stack; objects of the heap, by addresses that values with their tags hold, inside of bounds that it
//! has compared; the globals; and the cells of trees, which are never moved. It calls helpers and the code of other trees
//! with what it was given itself. While it runs nothing else uses the machine.

#![allow(unsafe_code)]

use super::emit::{self, MISMATCH};
use super::helpers::Helper;
use super::tree::{ExitId, Tree, TreeId};
use crate::interpreter::Machine;
use crate::value::{Heap, Value};
use ice_driver::Recipe;
use ice_jit::{Error, Jit};

/// The function of a tree: frame, heap, globals.
pub type Entry = unsafe extern "C" fn(*mut Value, *mut Heap, *mut Value) -> i64;

/// A compiler that knows the helpers.
pub fn compiler(recipe: Recipe) -> Result<Jit, Error> {
    let builder = Jit::builder(recipe);
    let all = Helper::ALL.iter();
    all.fold(builder, |builder, &(helper, _, function)| {
        builder.symbol(&emit::symbol(helper), function as *const ())
    })
    .build()
}

/// Makes code for a tree as it is now.
pub fn compile(jit: &Jit, trees: &mut [Tree], id: TreeId) -> Result<(), Error> {
    let name = format!("trace.{}.{}", id.0, trees[id.0 as usize].version);
    let (module, body) = emit::build(trees, id, &name);
    let tree = &mut trees[id.0 as usize];
    tree.version += 1;
    let module = jit.load(&module, &[body])?;
    // SAFETY: see above; `enter` keeps what is promised here, and the module is kept beside the address.
    let entry = unsafe { module.get::<Entry>(&name)? };
    tree.cell.entry = (entry as *const ()).expose_provenance();
    tree.entry = Some(entry);
    tree.module = Some(module);
    Ok(())
}

/// Runs the code of a tree on the frame at `base`, if its registers have the types that the tree is for, and says how
/// it was left.
pub fn enter(tree: &Tree, machine: &mut Machine<'_>, base: u32) -> Option<ExitId> {
    let entry = tree.entry?;
    let last = base as usize + tree.reach as usize;
    if last >= machine.stack.len() {
        return None;
    }
    let frame = machine.stack.as_mut_ptr().wrapping_add(base as usize);
    // SAFETY: see above.
    let left = unsafe { entry(frame, &raw mut *machine.heap, machine.globals.as_mut_ptr()) };
    (left != MISMATCH).then_some(ExitId(left as u32))
}
