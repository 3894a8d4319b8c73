//! What a debugger sees of generated code: an object in memory with the names of functions and the tables for unwinding.
//!
//! The interface is that of gdb's manual, “JIT Compilation Interface”, which lldb has too: the objects are in a list, and a
//! function that does nothing is called when it changes, at which a debugger stops ([`raw`](crate::raw)). An object is one
//! for linkers but for its addresses, which are those of the code.

use crate::error::Error;
use crate::object::Placed;
use ice_driver::RelocationModel;
use ice_elf::{Binding, ObjectWriter, Options, SectionSpec, SymbolKind, Visibility, elf};

/// Whether a debugger is told of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Debugger {
    /// No.
    #[default]
    None,
    /// As gdb and lldb want it. Costs memory for a copy of the code, and of the names of functions.
    Told,
}

/// The object for code in memory.
pub(crate) fn debug_object(placed: &Placed<'_>) -> Result<Vec<u8>, Error> {
    let write = || -> Result<Vec<u8>, ice_elf::Error> {
        let options = Options::new(placed.machine.format(RelocationModel::Static));
        let mut writer = ObjectWriter::new(Vec::new(), options)?;
        let flags = u64::from(elf::SHF_ALLOC | elf::SHF_EXECINSTR);
        let spec = SectionSpec::new(b".text", elf::SHT_PROGBITS, flags);
        let text = writer.create_section(&SectionSpec { address: placed.address, ..spec })?;
        writer.append_data(text, 1, placed.code, [])?;
        for &(offset, size, name) in &placed.functions {
            // Two functions of one name are both there.
            let symbol =
                match writer.declare_symbol(name, Binding::Global, SymbolKind::Func, Visibility::Default) {
                    Ok(symbol) if writer.symbol_place(symbol)?.is_none() => symbol,
                    _ => continue,
                };
            writer.define(symbol, text, offset, size)?;
        }
        if let Some((bytes, address)) = placed.frames {
            let spec = SectionSpec::new(b".eh_frame", elf::SHT_PROGBITS, elf::SHF_ALLOC.into());
            let frames = writer.create_section(&SectionSpec { address, ..spec })?;
            writer.append_data(frames, 1, bytes, [])?;
        }
        writer.finish()
    };
    write().map_err(|_| Error::Internal("the object for debuggers is malformed"))
}
