//! Machine functions as text, for people and for tests of register allocation. What is written is read back.
//!
//! ```text
//! frame object 16 align 8, outgoing 8, calls
//! v0-v2: gpr 4
//! v3: xmm 16
//! block0:
//!     params (def v0:gpr rdi)
//!     v1 = movl [v0 + 4*v0 + 8]
//!     addl v1, [object0]
//!     v2, v0 = imull v1, v0    ; v1 in rax, v2 in rax, v0 in rdx
//!     jmp block1
//!     -> block1(v2)
//! block1(v0) depth 1 chance 0.5:
//!     …
//! ```
//!
//! First what is special in the frame, if anything is; then classes and slot sizes of the virtual registers, in order;
//! then the blocks, with the number of loops around each if it is not 0, and how often control comes there if it is not once each
//! time through them. An instruction prints in the form that its row says ([`rows`](super::rows)). Operands that it has beside its own follow in parentheses, each with what
//! it is to the allocator ([`Operand`](super::Operand)), its register class, and `any`, `reg`, `stack` or a register.
//! Behind a semicolon stand remarks, which are not read: operands of its own that must be in one register. A line with
//! an arrow names the successors, with the arguments for their parameters.
//!
//! Not written is what the function refers to by number and other tables hold: plans of switches, labels, constants.

mod address;
mod field;
mod read;
mod write;

pub use address::{AddressText, BaseText};
pub use field::{FieldText, Reader, read_form, write_form};

use super::MachInst;
use alloc::string::String;
use core::fmt;

/// An instruction in its own form.
pub fn inst_text(inst: &impl MachInst) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = inst.write(&mut text);
    text
}

/// Instructions that can be read.
pub trait ReadInst: MachInst {
    /// Reads what [`MachInst::write`] writes, all of `text`. `None` if it is no instruction, or could be several.
    fn read(text: &str) -> Option<Self>;
}

/// Why a text is no machine function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl core::error::Error for TextError {}
