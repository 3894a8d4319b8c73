//! Which code of a function may be left by exceptions, and where these go on: what personality routines are told.
//!
//! An invoke of the IR ([`ice_ir::exceptions`]) is one machine instruction: a call that ends its block in one of two ways,
//! whose role is [`Role::Invokes`](crate::mach::Role::Invokes). What comes out of it is defined by the first instruction of
//! the block behind. Emission notes where each of them is ([`CallSites`]); offsets of pads are known when the code is finished.

use crate::emission::label;
use crate::internal::{CodegenStep, Faults};
use crate::mach::MachBlock;
use crate::target::ErrorKind;
use alloc::format;
use alloc::vec::Vec;
use ice_asm::{BranchIsa, CodeBuffer, Listing};
use ice_ir::{FuncId, PadData, Symbol};

/// A call whose exceptions go to a pad.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// Where the call begins, in bytes from the start of the function.
    pub start: u32,
    /// Where it ends, behind which it returns.
    pub end: u32,
    /// Where its pad begins.
    pub pad: u32,
    /// What the pad wants.
    pub clauses: PadData,
}

/// The exceptions of a function that has pads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExceptionTable {
    /// What decides which pad takes an exception.
    pub personality: FuncId,
    /// The types that clauses name by number, from 1 on; `None` is every type.
    pub types: Vec<Option<Symbol>>,
    /// Its calls with a pad, by ascending offsets.
    pub sites: Vec<CallSite>,
}

impl ExceptionTable {
    /// Memory that it takes, in bytes, but for that of clauses.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<ExceptionTable>() + size_of_val(&*self.types) + size_of_val(&*self.sites)
    }
}

/// Collects the calls with a pad while a function is emitted.
#[derive(Debug, Default)]
pub struct CallSites {
    sites: Vec<NotedSite>,
}

#[derive(Clone, Copy, Debug)]
struct NotedSite {
    /// The number of its end in the buffer, and its bytes in front of that.
    end: u32,
    size: u32,
    pad: MachBlock,
    /// By number of the function's pads.
    clauses: u32,
}

impl CallSites {
    /// Starts a function; keeps the memory.
    pub fn begin(&mut self) {
        self.sites.clear();
    }

    /// Notes a call of `size` bytes before the [end](CodeBuffer::note_end) of this number whose exceptions go to `pad`,
    /// which wants what the function's pad of the number `clauses` says.
    pub fn note(&mut self, end: u32, size: u32, pad: MachBlock, clauses: u32) {
        self.sites.push(NotedSite { end, size, pad, clauses });
    }

    /// Appends the table of the function to `out`, when `buffer` is finished, if the function has calls with a pad.
    ///
    /// # Errors
    /// A pad is at no place in the code, or the function does not say what it wants.
    pub fn finish<L: Listing, B: BranchIsa>(
        &self,
        exceptions: Option<&ice_ir::Exceptions>,
        buffer: &CodeBuffer<L, B>,
        out: &mut Vec<ExceptionTable>,
    ) -> Result<(), ErrorKind> {
        if self.sites.is_empty() {
            return Ok(());
        }
        let mut faults = Faults::default();
        let mut sites = Vec::with_capacity(self.sites.len());
        for site in &self.sites {
            let clauses = exceptions.and_then(|known| known.pad(ice_ir::Pad::from_u32(site.clauses)));
            let end = buffer.noted_end(site.end);
            let Some((start, end)) = end.and_then(|end| Some((end.checked_sub(site.size)?, end))) else {
                faults.note(site.pad, "a call with a pad is at no place in the code");
                continue;
            };
            match (buffer.label_offset(label(site.pad)), clauses) {
                (Some(pad), Some(clauses)) => {
                    sites.push(CallSite { start, end, pad, clauses: clauses.clone() });
                }
                (None, _) => faults.note(site.pad, "a pad is at no place in the code"),
                (_, None) => faults.note(site.pad, "nothing says what a pad wants"),
            }
        }
        let known = exceptions.and_then(|known| Some((known.personality?, known.types.clone())));
        if let Some((personality, types)) = known {
            out.push(ExceptionTable { personality, types, sites });
        } else {
            faults.note(self.sites[0].pad, "nothing decides about its exceptions");
        }
        faults.check(CodegenStep::Layout, |pad| format!("{pad}"))?;
        Ok(())
    }
}
