//! Thread-local variables without support of the system: as GCC's library has them (`__emutls_get_address`).
//!
//! A variable `x` becomes a record `__emutls_v.x` that all threads share (its size, its alignment, a word of the library's, and
//! the address of the first contents or 0), and, unless it begins with zeros, its contents `__emutls_t.x`. Who needs the address
//! calls the library with that of the record. Both symbols are linked as `x` would be, as LLVM's `LowerEmuTLS` has it, so that
//! objects of both refer to each other's variables.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use cranelift_entity::SecondaryMap;
use ice_ir::native::{Comdat, Storage};
use ice_ir::{ComdatId, GlobalDecl, GlobalId, GlobalKind, Initializer, Module, Mutability, Symbol};

use super::module::LlvmModule;
use super::reader::display;
use crate::error::{Error, LocatedError, Location, Result};

/// What gives the address of a variable for the thread that calls it, from that of its record.
pub(super) const RESOLVER: &str = "__emutls_get_address";

/// Which variables have a record in their place.
#[derive(Clone, Debug, Default)]
pub struct EmulatedThreads {
    records: SecondaryMap<GlobalId, bool>,
    has_any: bool,
}

impl EmulatedThreads {
    /// Whether there are any.
    pub(super) const fn has_any(&self) -> bool {
        self.has_any
    }

    /// Whether this is a record.
    #[inline]
    pub(super) fn is_record(&self, global: GlobalId) -> bool {
        self.has_any && self.records[global]
    }
}

/// Puts records in the place of the thread-local variables of a module. It is called before anything else is done with it.
///
/// # Errors
/// Another name of such a variable.
pub fn emulate_threads(program: &mut LlvmModule) -> Result<()> {
    let module = &mut program.module;
    let globals: Vec<GlobalId> = module.globals.keys().collect();
    for global in globals {
        let decl = &module.globals[global];
        if !decl.storage.is_thread_local() {
            continue;
        }
        match decl.kind {
            GlobalKind::Defined => define_record(module, global),
            GlobalKind::Declared => {}
            GlobalKind::Alias { .. } | GlobalKind::Label { .. } => {
                let name = display(module.symbol_name(Symbol::Global(global)));
                let what = format!("{name}, another name of a variable in emulated thread-local storage");
                let outer = program.outer;
                let (bit, path) = (outer.byte * 8, vec![outer]);
                let location = Location { bit, path, ..Location::default() };
                return Err(Box::new(LocatedError { error: Error::Unsupported { what }, location }));
            }
        }
        rename(module, global, b"__emutls_v.");
        module.globals[global].storage = Storage::Shared;
        program.emulated.records[global] = true;
        program.emulated.has_any = true;
    }
    Ok(())
}

/// Moves the contents of a variable to a symbol of their own, and gives it those of its record.
fn define_record(module: &mut Module, global: GlobalId) {
    let word = module.pointer_type.bytes();
    let size = module.global_size(global);
    let decl = module.globals[global].clone();
    let contents = (!is_zero(module, global)).then(|| {
        let contents =
            GlobalDecl { storage: Storage::Shared, mutability: Mutability::Constant, ..decl.clone() };
        let id = module.globals.push(contents);
        rename(module, id, b"__emutls_t.");
        if !module.symbol_name(Symbol::Global(id)).is_empty() {
            module.symbol_order.push(Symbol::Global(id));
        }
        id
    });
    let (start, first) = (module.data.len() as u32, module.initializers.len() as u32);
    for number in [size, 1 << decl.align_log2.unwrap_or(0)] {
        module.data.extend_from_slice(&number.to_le_bytes()[..word as usize]);
    }
    module.initializers.push(Initializer::Bytes { start, len: 2 * word });
    module.initializers.push(Initializer::Zero(word));
    module.initializers.push(match contents {
        Some(contents) => Initializer::Address { target: Symbol::Global(contents), addend: 0 },
        None => Initializer::Zero(word),
    });
    let record = &mut module.globals[global];
    record.initializers = first..module.initializers.len() as u32;
    (record.mutability, record.align_log2) = (Mutability::Variable, Some(word.trailing_zeros() as u8));
}

/// Whether a variable begins with zeros alone.
fn is_zero(module: &Module, global: GlobalId) -> bool {
    module.initializers(global).iter().all(|initializer| match *initializer {
        Initializer::Zero(_) => true,
        Initializer::Bytes { start, len } => {
            module.data[start as usize..][..len as usize].iter().all(|&byte| byte == 0)
        }
        _ => false,
    })
}

/// Puts something in front of the name of a variable, if it has one, and gives it a group of that name if it is in one.
fn rename(module: &mut Module, global: GlobalId, prefix: &[u8]) {
    let old = module.symbol_name(Symbol::Global(global)).to_vec();
    if old.is_empty() {
        return;
    }
    let name = module.make_name(prefix.iter().copied().chain(old));
    module.globals[global].name = name;
    let group: Option<ComdatId> = module.globals[global].symbol.comdat;
    if let Some(group) = group {
        let kind = module.comdats[group].kind;
        let id = module.comdats.push(Comdat { name, kind });
        module.globals[global].symbol.comdat = Some(id);
    }
}
