//! A streaming writer of relocatable ELF objects.
//!
//! Code goes to a [`Sink`] as functions finish; only metadata waits for the end: symbols, relocation records,
//! the bytes of data sections. Input is plain numbers (offset, relocation type, symbol, addend), so any
//! assembler can use it. Who places code in memory applies relocations by [`Rule`]; [`link_executable`] makes an
//! executable of one object. Do not use it to edit existing objects, for big-endian targets or to link several objects.
//!
//! ```
//! use ice_elf::{
//!     AddendPlacement, Binding, Code, Format, ObjectWriter, Options, Relocation, SymbolKind, Target, Visibility,
//!     elf,
//! };
//!
//! // int answer(void) { return next(); }   as   jmp next
//! let mut writer = ObjectWriter::new(Vec::new(), Options::new(Format::X86_64))?;
//! let answer = writer.declare_symbol(b"answer", Binding::Global, SymbolKind::Func, Visibility::Default)?;
//! let next = writer.declare_symbol(b"next", Binding::Global, SymbolKind::NoType, Visibility::Default)?;
//! let relocation = Relocation {
//!     offset: 1,
//!     r_type: elf::R_X86_64_PLT32,
//!     target: Target::Symbol(next),
//!     addend: -4,
//!     placement: AddendPlacement::Width4,
//! };
//! let location = writer.append_code(Code::new(answer, &mut [0xe9, 0, 0, 0, 0]), [relocation])?;
//! assert_eq!(location.offset, 0);
//! let bytes: Vec<u8> = writer.finish()?;
//! assert_eq!(&bytes[..4], b"\x7fELF");
//! # Ok::<(), ice_elf::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `relocatable` | [`ObjectWriter`]: the calls of a client, packing of relocations, streaming of code |
//! | `finish` | the end of the file: numbering, tables, section headers |
//! | `section`, `symbol`, `relocation` | what a client says about each |
//! | `format` | the ELF records in both classes, from the raw definitions of the `object` crate |
//! | [`mips`] | the order of relocations that MIPS wants |
//! | `apply` | [`Rule`]: what relocation types mean, for those who apply them |
//! | `link`, `executable` | [`link_executable`]: addresses, relocations, the file |
//! | `eh_frame` | [`EhFrame`]: tables for unwinding |
//! | [`ehabi`] | the same in the form of ARM |
//! | `dwarf` | [`Dwarf`]: which lines of the source code is of |
//! | `exception_table` | [`write_exception_table`]: what personality routines read |
//! | `strings`, `sink`, `error` | string table, output trait, error type |
//!
//! The crate has no features. It is tested by reading back with `object`, by `readelf`, and by linking with
//! the system linker and running the result.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod apply;
mod dwarf;
mod eh_frame;
pub mod ehabi;
mod error;
mod exception_table;
mod executable;
mod finish;
mod format;
mod leb;
mod link;
pub mod mips;
mod relocatable;
mod relocation;
mod section;
mod sink;
mod strings;
mod symbol;

pub use apply::{Base, Field, Misfit, Of, Rule};
pub use dwarf::{
    DebugCall, DebugField, DebugFunction, DebugRow, DebugSection, DebugTarget, DebugUnit, Dwarf, FileNumber,
    Origin, UnitNumber,
};
pub use eh_frame::{CommonEntry, EhFrame, EntryFrame};
pub use error::Error;
pub use exception_table::{
    EXCEPTION_TABLE_ALIGNMENT, PadClause, PadRange, TypeForm, TypeReference, write_exception_table,
};
pub use format::{Class, Format, RecordKind};
pub use link::{Layout, LinkError, link_executable};
/// The numbers of the ELF specifications: relocation types (`R_…`), section types and flags (`SHT_…`, `SHF_…`).
pub use object::elf;
pub use relocatable::{Code, CodeSection, Location, ObjectWriter, Options, StackNote, TextLayout};
pub use relocation::{AddendPlacement, Relocation, Target};
pub use section::{GroupId, GroupKind, MAX_ALIGNMENT, SectionId, SectionSpec, StandardSection};
pub use sink::{Sink, SinkError};
pub use symbol::{Binding, SymbolId, SymbolKind, Visibility};
