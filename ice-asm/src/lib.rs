//! Machine code in memory: a buffer that edits branches while it emits, and encoders for x86-32, x86-64, ARMv7-A, ARMv8-A and MIPS32.
//!
//! Not for you if you want to assemble text, to patch code that already runs, or to have operands
//! checked by types alone: a register that a mode does not have is reported at the end, by
//! [`CodeBuffer::finish`].
//!
//! ```
//! use ice_asm::x86::{Alu, Cond, Encoder, Gpr, Mem, Mode, Rm, Width};
//! use ice_asm::{CodeBuffer, TextListing};
//!
//! // i32 sum(i32 n) { i32 s = 0; do { s += n; n -= 1; } while (n != 0); return s; }
//! let mut buffer = CodeBuffer::<TextListing>::new();
//! let top = buffer.new_label();
//! let out = buffer.new_label();
//! let mut e = Encoder::new(&mut buffer, Mode::Bits32);
//! e.mov_r_rm(Width::B32, Gpr::RCX, Rm::Mem(Mem::base(Gpr::RSP, 4)));
//! e.alu_rm_r(Alu::Xor, Width::B32, Rm::Reg(Gpr::RAX), Gpr::RAX);
//! e.bind(top);
//! e.alu_rm_r(Alu::Add, Width::B32, Rm::Reg(Gpr::RAX), Gpr::RCX);
//! e.alu_rm_i(Alu::Sub, Width::B32, Rm::Reg(Gpr::RCX), 1.into());
//! e.jump_if(Cond::E, out); // becomes `jne top` ...
//! e.jump(top); // ... and this one goes
//! e.bind(out);
//! e.ret();
//! buffer.finish()?;
//! assert_eq!(buffer.bytes(), [0x8b, 0x4c, 0x24, 4, 0x31, 0xc0, 0x01, 0xc8, 0x83, 0xe9, 1, 0x75, 0xf9, 0xc3]);
//! let mut text = String::new();
//! buffer.write_listing(&mut text, |symbol, out| write!(out, "f{}", symbol.0)).unwrap();
//! assert!(text.contains("\tjne .L0\n"));
//! # Ok::<(), ice_asm::Error>(())
//! ```
//!
//! # Features
//!
//! None. `no_std` with `alloc`.
//!
//! # How it is tested
//!
//! Every row of the x86 tables is encoded in each operand shape with the registers, displacements and immediates where
//! encodings change, decoded by `iced-x86`, and its listing is assembled by `llvm-mc` and the GNU assembler and compared
//! byte for byte. Every row of the tables of ARM, AArch64 and MIPS is encoded with random operands, decoded by `capstone`, and its
//! listing assembled likewise. Random control-flow graphs are emitted for x86, for ARM and AArch64 with blocks of megabytes, for MIPS
//! with slots and blocks of 100 KiB, and for a machine of the tests whose branches have four forms, slots, relocations,
//! veneers and bundles; the bytes are interpreted against the graph.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod aarch64;
pub mod arm32;
mod assembler;
mod buffer;
mod error;
mod lane;
mod listing;
pub mod mips32;
mod pool;
mod random;
mod reloc;
mod table;
pub mod x86;

pub use assembler::{
    Assembled, AssembledReloc, AssembledSection, AssembledSymbol, AssembledTarget, AssemblyError,
    AssemblyErrorKind, DataSyntax, Definition, SectionFlags, SectionName, SymbolBinding, SymbolType,
    SymbolVisibility, TextPlace, assemble_data,
};
pub use buffer::{
    BranchIsa, CodeBuffer, Constant, Form, Group, Label, Location, Noise, OpenSlots, Place, Reach, Span, Vary,
};
pub use error::Error;
pub use listing::{LabelText, Listing, ListingMark, SymbolText, TextListing, write_with_symbols};
pub use mips32::SlotCount;
pub use pool::{ConstantId, ConstantPool, ConstantSize};
pub use random::Random;
pub use reloc::{Reloc, RelocKind, SymbolId};
