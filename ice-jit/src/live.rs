//! Calls with live values, by the addresses that they return to: what a run-time system asks about the functions that are
//! being executed, to move objects or to go on in place of one of them (side exits).
//!
//! Who is called finds its return address and the stack pointer behind it, and with these the call; the frame of the
//! function leads to its caller, and so on. Cost: logarithmic in the number of calls.

use crate::jit::Jit;
use crate::memory::lock;
use ice_codegen::UnwindFacts;
use ice_codegen::live::{LiveCalls, LiveValue};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The calls of all modules, by the addresses that they return to.
pub(crate) type LiveTable = Arc<Mutex<BTreeMap<u64, LiveSite>>>;

/// A call with live values.
#[derive(Clone, Debug)]
pub struct LiveSite {
    calls: Arc<LiveCalls>,
    index: usize,
    count: Arc<AtomicU64>,
}

impl LiveSite {
    /// The values, in the order in which the call names them. What is at an [`Object`](ice_codegen::live::LivePlace::Object)
    /// may be changed while the callee runs; the other places are for reading.
    pub fn values(&self) -> &[LiveValue] {
        &self.calls.calls[self.index].values
    }

    /// The frame of the function that calls, in which its own caller is found.
    pub fn frame(&self) -> &UnwindFacts {
        &self.calls.frame
    }

    /// Counts, and gives how many times that was done before: for exits that are worth something when they are hot.
    pub fn count(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

/// The calls of an object in memory, which are forgotten with it.
pub(crate) struct LiveSites {
    table: LiveTable,
    addresses: Vec<u64>,
}

impl LiveSites {
    /// Enters calls of functions, each with the address of the function, into a table; `None` if there are none.
    pub(crate) fn new(
        table: &LiveTable,
        functions: impl Iterator<Item = (u64, LiveCalls)>,
    ) -> Option<LiveSites> {
        let mut sites = Vec::new();
        for (start, calls) in functions {
            let calls = Arc::new(calls);
            for (index, call) in calls.calls.iter().enumerate() {
                let site = LiveSite { calls: Arc::clone(&calls), index, count: Arc::default() };
                sites.push((start + u64::from(call.return_offset), site));
            }
        }
        if sites.is_empty() {
            return None;
        }
        let addresses = sites.iter().map(|&(address, _)| address).collect();
        lock(table).extend(sites);
        Some(LiveSites { table: Arc::clone(table), addresses })
    }
}

impl Drop for LiveSites {
    fn drop(&mut self) {
        let mut table = lock(&self.table);
        for address in &self.addresses {
            table.remove(address);
        }
    }
}

impl Jit {
    /// The call with live values that returns to an address; `None` where no such call of a module in memory does.
    pub fn live_at(&self, return_address: usize) -> Option<LiveSite> {
        lock(&self.shared().live).get(&(return_address as u64)).cloned()
    }
}
