//! Where names come from that no loaded module defines.
//!
//! In this order: the table of names, the closure, the process and its libraries if asked for, the helpers of the code
//! generator.

use crate::helpers::helper_by_name;
use crate::raw::process_symbol;
use std::collections::HashMap;

/// Finds the address of what has a name.
pub(crate) type Resolver = Box<dyn Fn(&str) -> Option<*const ()> + Send + Sync>;

/// Whether the symbols of the process are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProcessSymbols {
    /// No: a module gets what it is given.
    #[default]
    Hidden,
    /// What the program shows and what its libraries have, found as `dlsym` does.
    Visible,
}

/// What is outside.
#[derive(Default)]
pub(crate) struct Outside {
    pub(crate) table: HashMap<Vec<u8>, usize>,
    pub(crate) resolver: Option<Resolver>,
    pub(crate) process: ProcessSymbols,
}

impl Outside {
    /// The address of what has a name.
    pub(crate) fn find(&self, name: &[u8]) -> Option<usize> {
        let from_table = || self.table.get(name).copied();
        let from_resolver = || {
            let (resolver, name) = (self.resolver.as_ref()?, std::str::from_utf8(name).ok()?);
            resolver(name).map(|address| address.expose_provenance())
        };
        let from_process = || match self.process {
            ProcessSymbols::Hidden => None,
            ProcessSymbols::Visible => process_symbol(name),
        };
        from_table().or_else(from_resolver).or_else(from_process).or_else(|| helper_by_name(name))
    }
}
