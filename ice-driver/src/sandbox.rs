//! Executables for the sandbox: a confined program and the functions that it calls, at the addresses of NaCl.
//!
//! | address | what is there |
//! |---|---|
//! | 0x20000 | text, behind what the loader has for its calls |
//! | 0x10020000 | constants, then data on pages of their own |
//!
//! Everything else is the loader's: the stack, arguments, and the functions of the runtime, which the program asks
//! for by name as every PNaCl program does.

use crate::error::Error;
use crate::machine::{Arch, Bundles};
use crate::names::ENTRY_SYMBOL;
use crate::options::RelocationModel;
use ice_codegen::Libcall;
use ice_elf::{Layout, link_executable};

/// `EI_OSABI` and `EI_ABIVERSION` of NaCl.
const ABI: (u8, u8) = (123, 7);

/// What memory is mapped in.
const PAGE: u64 = 0x10000;

/// Links the object of a confined PNaCl program into an executable.
///
/// # Errors
/// The machine has no confined code, or the program calls a function that there is none of.
pub fn link(arch: Arch, object: &[u8]) -> Result<Vec<u8>, Error> {
    let machine = arch.machine();
    let Bundles { bytes, halt, .. } = machine.bundles().ok_or(Error::NotConfined(arch))?;
    let layout = Layout { text: 0x20000, data: 0x1002_0000, page: PAGE, bundle: bytes, halt, abi: ABI };
    let class = machine.format(RelocationModel::Static).class;
    let mut function =
        |name: &[u8]| Libcall::from_name(name).and_then(|helper| machine.confined_helper(helper));
    link_executable(object, class, &layout, ENTRY_SYMBOL.as_bytes(), &mut function).map_err(Error::Link)
}

/// What ends a file of the loader with a program: the number of the program's bytes stands before it.
const MARK: &[u8; 8] = b"ice-nexe";

/// A file that runs an executable for the sandbox: the loader, and the executable at its end.
pub fn with_loader(loader: Vec<u8>, executable: &[u8]) -> Vec<u8> {
    let mut file = loader;
    file.extend_from_slice(executable);
    file.extend_from_slice(&(executable.len() as u64).to_le_bytes());
    file.extend_from_slice(MARK);
    file
}

/// Whether a file is an executable, and not a program to translate.
pub fn is_executable(start: &[u8]) -> bool {
    start.starts_with(b"\x7fELF")
}
