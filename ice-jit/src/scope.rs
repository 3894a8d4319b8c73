//! Which module has defined a name.
//!
//! A scope is what modules that are loaded by one [`Jit`](crate::Jit) see of each other. As for a linker, a name has one
//! definition in it: a second one is an error, unless one of the two is [weak](ice_ir::Linkage::Weak). A scope inside of
//! another one sees what that defines, and may define the same names for its own modules.

use crate::error::Error;
use crate::jit::Loaded;
use crate::memory::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// The address of what has a name, and the module that it belongs to.
type Named = (u64, Weak<Loaded>);

/// Names.
#[derive(Default)]
pub(crate) struct Scope {
    names: Mutex<HashMap<Vec<u8>, Named>>,
    outer: Option<Arc<Scope>>,
}

impl Scope {
    /// A scope inside of this one.
    pub(crate) fn inside(self: &Arc<Scope>) -> Scope {
        Scope { names: Mutex::default(), outer: Some(Arc::clone(self)) }
    }

    /// What a name stands for, here or outside.
    pub(crate) fn find(&self, name: &[u8]) -> Option<(u64, Arc<Loaded>)> {
        let mut scope = Some(self);
        while let Some(Scope { names, outer }) = scope {
            let known = lock(names).get(name).and_then(|(address, owner)| Some((*address, owner.upgrade()?)));
            if known.is_some() {
                return known;
            }
            scope = outer.as_deref();
        }
        None
    }

    /// Lets other modules see what a module defines.
    ///
    /// # Errors
    /// Another one has defined a name, and the module does not leave it to that.
    pub(crate) fn publish(&self, loaded: &Arc<Loaded>) -> Result<(), Error> {
        let mut names = lock(&self.names);
        let is_taken = |name: &[u8]| names.get(name).is_some_and(|(_, owner)| owner.strong_count() > 0);
        if let Some((name, ..)) = loaded.visible().find(|&(name, _, is_only)| is_only && is_taken(name)) {
            let name = String::from_utf8_lossy(name).into_owned();
            // The module goes when the lock is free again: it looks for its names.
            drop(names);
            return Err(Error::Duplicate(name));
        }
        let free: Vec<_> = loaded.visible().filter(|(name, ..)| !is_taken(name)).collect();
        for (name, address, _) in free {
            names.insert(name.to_vec(), (address, Arc::downgrade(loaded)));
        }
        Ok(())
    }

    /// Forgets the names of a module that is gone.
    pub(crate) fn forget(&self, loaded: &Loaded) {
        let mut names = lock(&self.names);
        for (name, address, _) in loaded.visible() {
            let is_own = |(known, owner): &Named| *known == address && owner.strong_count() == 0;
            if names.get(name).is_some_and(is_own) {
                names.remove(name);
            }
        }
    }
}
