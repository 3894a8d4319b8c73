//! Tables for unwinding: which functions have an entry, and what is in it.
//!
//! Emission says how the frame changes from instruction to instruction, in offsets of the function; `ice-elf` knows the
//! bytes. A function has an entry if it asks for one, or as [`Options::unwind`] says for all. Objects and code in
//! memory have the same section `.eh_frame`; machines with an [index](UnwindForm::Index) have tables in objects only.

use crate::error::Error;
use crate::options::Options;
use ice_codegen::exceptions::ExceptionTable;
use ice_codegen::{CodegenStep, Internal};
use ice_codegen::{FrameChange, FrameStep, FunctionCode, SavedRegister};
use ice_elf::{CommonEntry, EhFrame, EntryFrame, PadClause, PadRange, TypeForm, TypeReference, ehabi};
use ice_ir::native::UnwindTables;
use ice_ir::{Clause, FuncId, Module};
use std::collections::BinaryHeap;

/// What the tables of a machine look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnwindForm {
    /// The section `.eh_frame`; this holds at the entry of functions.
    Frames(EntryFrame),
    /// An index beside each section of code ([`ehabi`]).
    Index(IndexRelocations),
}

/// The types of relocations of an index and its table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexRelocations {
    /// A distance of 31 bits.
    pub distance: u32,
    /// What stands for the type of an exception.
    pub type_info: u32,
    /// None, but the symbol is needed.
    pub mention: u32,
}

/// Which functions have an entry, where any may have one.
#[derive(Clone, Copy, Debug)]
pub struct Entries {
    /// What it looks like.
    pub form: UnwindForm,
    wanted: Option<UnwindTables>,
}

impl Entries {
    /// Those that these options want; `None` if there will be none.
    pub fn of(options: &Options) -> Option<Entries> {
        let wanted = options.unwind;
        let form = options.arch.machine().unwind_form().filter(|_| wanted != Some(UnwindTables::None))?;
        Some(Entries { form, wanted })
    }

    /// Whether a function has one.
    pub fn include(self, module: &Module, function: FuncId) -> bool {
        self.wanted.unwrap_or(module.functions[function].traits.unwind) != UnwindTables::None
    }
}

/// Fields of an entry that refer to other places, by their offsets: each holds the distance from itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryFields {
    /// To the function.
    pub function: u64,
    /// To its [exception table](write_exceptions), if it has one.
    pub exceptions: Option<u64>,
}

/// The entries of a module.
pub struct Frames {
    entries: Entries,
    section: EhFrame,
    /// Personality routines, with what their functions have in common, and the field that refers to a word with the address.
    personalities: Vec<(FuncId, CommonEntry, u64)>,
}

impl Frames {
    /// None yet; nothing where entries have another form.
    pub fn new(entries: Entries) -> Option<Frames> {
        match entries.form {
            UnwindForm::Frames(frame) => {
                Some(Frames { entries, section: EhFrame::new(frame), personalities: Vec::new() })
            }
            UnwindForm::Index(_) => None,
        }
    }

    /// Adds a function if it has an entry: one with an exception table always has.
    #[inline]
    pub fn add(&mut self, module: &Module, function: FuncId, code: &FunctionCode<'_>) -> Option<EntryFields> {
        let is_included = code.exceptions.is_some() || self.entries.include(module, function);
        is_included.then(|| self.add_entry(code))
    }

    #[inline(never)]
    fn add_entry(&mut self, code: &FunctionCode<'_>) -> EntryFields {
        let size = code.code.len() as u32;
        let fields = match code.exceptions {
            Some(table) => {
                let common = self.common(table.personality);
                let (function, exceptions) = self.section.begin_function_with(common, size);
                EntryFields { function, exceptions: Some(exceptions) }
            }
            None => EntryFields { function: self.section.begin_function(size), exceptions: None },
        };
        code.frames.iter().for_each(|step| self.step(step));
        self.section.end();
        fields
    }

    /// What functions of a personality routine have in common.
    fn common(&mut self, personality: FuncId) -> CommonEntry {
        if let Some(&(_, common, _)) = self.personalities.iter().find(|known| known.0 == personality) {
            return common;
        }
        let (common, field) = self.section.personality();
        self.personalities.push((personality, common, field));
        common
    }

    /// The personality routines, each with the field that must hold the distance from itself to a word with its address.
    pub fn personalities(&self) -> impl Iterator<Item = (FuncId, u64)> {
        self.personalities.iter().map(|&(personality, _, field)| (personality, field))
    }

    fn step(&mut self, step: &FrameStep) {
        let section = &mut self.section;
        section.advance(step.offset);
        match step.change {
            FrameChange::Address { register, offset } => section.address(register, offset as u32),
            FrameChange::AddressOffset(offset) => section.address_offset(offset as u32),
            FrameChange::AddressRegister(register) => section.address_register(register),
            FrameChange::Saved(SavedRegister { register, offset }) => section.saved(register, offset),
            FrameChange::Restored(register) => section.restored(register),
            FrameChange::Signed => section.signed(),
            FrameChange::Remember => section.remember(),
            FrameChange::Recall => section.recall(),
        }
    }

    /// The section; `None` if no function has an entry.
    pub fn bytes(&self) -> Option<&[u8]> {
        (!self.section.is_empty()).then(|| self.section.bytes())
    }
}

/// The instructions by which an index has the frame of a function undone, from the steps of its body.
///
/// # Errors
/// A defect: there is no frame, or nothing undoes it.
pub fn index_instructions(module: &Module, function: FuncId, steps: &[FrameStep]) -> Result<Vec<u8>, Error> {
    let (mut base, mut saved, mut out) = (None, Vec::new(), Vec::new());
    for step in steps {
        match step.change {
            FrameChange::Address { register, offset } => base = Some((register, offset)),
            FrameChange::Saved(SavedRegister { register, offset }) => saved.push((offset, register)),
            _ => base = None,
        }
    }
    let saved = BinaryHeap::from(saved).into_sorted_vec();
    let saved: Vec<_> = saved.into_iter().map(|(offset, register)| (register, offset)).collect();
    match base.map(|base| ehabi::instructions(base, &saved, &mut out)) {
        Some(Ok(())) => Ok(out),
        Some(Err(ehabi::Misfit)) | None => {
            let what = "no instructions of the unwinder undo it";
            let internal = Internal { step: CodegenStep::Layout, place: String::from("the frame"), what };
            Err(Error::compile(module, function, Box::new(internal).into()))
        }
    }
}

/// Appends the exception table of a function of `size` bytes to `out`, and gives its offset there.
/// `references` gets the fields that refer to types.
pub fn write_exceptions(
    form: TypeForm,
    table: &ExceptionTable,
    size: u32,
    out: &mut Vec<u8>,
    references: &mut Vec<TypeReference>,
) -> u64 {
    let clauses: Vec<Vec<PadClause<'_>>> =
        table.sites.iter().map(|site| pad_clauses(&site.clauses)).collect();
    let ranges: Vec<PadRange<'_>> = table
        .sites
        .iter()
        .zip(&clauses)
        .map(|(site, clauses)| PadRange { code: (site.start, site.end), pad: site.pad, clauses })
        .collect();
    ice_elf::write_exception_table(form, size, &ranges, table.types.len(), out, references)
}

fn pad_clauses(pad: &ice_ir::PadData) -> Vec<PadClause<'_>> {
    let clauses = pad.clauses.iter().map(|clause| match clause {
        Clause::Catch(ty) => PadClause::Catch(*ty),
        Clause::Filter(types) => PadClause::Filter(types),
    });
    clauses.chain(pad.is_cleanup.then_some(PadClause::Cleanup)).collect()
}
