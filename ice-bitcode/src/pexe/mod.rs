//! PNaCl programs: the wire format of `.pexe` files and the IR, both ways.
//!
//! | file | content |
//! |---|---|
//! | `codes`       | block ids, record codes and operator numbers |
//! | `module`      | reads everything but function bodies, which it passes over by their length |
//! | `types`, `globals`, `symbols` | the blocks of a module |
//! | `function`    | reads one body: blocks, constants, value numbers |
//! | `instruction` | the instruction records |
//! | `stream`      | a program that arrives in pieces |
//! | `writer`      | the other direction, with the standard abbreviations |
//! | `freeze`      | makes a native program with 32-bit addresses one of the frozen subset |
//!
//! [`read_module`] gives a [`Module`](ice_ir::Module) and a [`BodyRange`] for each defined function; a
//! [`FunctionReader`] turns one range into IR, on any thread and in any order. The reader is strict: it
//! accepts what a conforming producer can make and refuses all else with the code of the error catalogue.

mod codes;
mod freeze;
mod function;
mod globals;
mod instruction;
mod module;
mod stream;
mod symbols;
mod types;
mod writer;

pub use freeze::{FreezeError, FreezeErrorKind, freeze};
pub use function::FunctionReader;
pub use module::{BodyRange, ModuleHeader, read_module};
pub use stream::{Event, StreamReader};
pub use writer::write_program;
