//! A module as assembler text for the GNU assembler and `llvm-mc`.
//!
//! The same sections in the same order with the same contents as [`object`](crate::object) writes, so that
//! an assembler and a linker make the same program from it. Names are those of
//! [`names`](crate::names); beside them stand, all local: `.LC8_5` the sixth 8-byte constant, `.LT12_0` the
//! first jump table of function 12, `.L12_7` its label 7.

use crate::error::Error;
use crate::names::{SymbolNames, Visible};
use crate::object::{DataPlace, FUNCTION_ALIGNMENT, data_bytes};
use crate::output::{FunctionOutput, ModuleOutput};
use core::fmt::{self, Write};
use ice_asm::{BranchIsa, ConstantId, ConstantPool, ConstantSize, TextListing};
use ice_elf::Sink;
use ice_ir::{FuncId, GlobalId, Initializer, Module};
use ice_passes::CodeSymbol;

/// Text of this size goes to the sink, in bytes.
const FLUSH_SIZE: usize = 1 << 16;

/// Writes a module as assembler text.
pub struct AssemblyOutput<'a, 'm, S: Sink> {
    module: &'m Module,
    names: &'a SymbolNames<'m>,
    sink: S,
    text: String,
    /// One function, before its labels are made unique.
    listing: String,
    constants: ConstantPool,
    /// Sizes of the constants so far, in the order of first use: the order of their sections.
    sizes: Vec<ConstantSize>,
}

impl<'a, 'm, S: Sink> AssemblyOutput<'a, 'm, S> {
    /// Starts the text with the global variables.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn new(module: &'m Module, names: &'a SymbolNames<'m>, sink: S) -> Result<Self, Error> {
        let (text, listing, constants, sizes) =
            (String::new(), String::new(), ConstantPool::new(), Vec::new());
        let mut output = AssemblyOutput { module, names, sink, text, listing, constants, sizes };
        for id in module.globals.keys() {
            // Writing into a string cannot fail.
            let _ = output.write_global(id);
            output.flush(FLUSH_SIZE)?;
        }
        Ok(output)
    }

    fn flush(&mut self, from: usize) -> Result<(), Error> {
        if self.text.len() >= from {
            self.sink.append(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    fn write_global(&mut self, id: GlobalId) -> fmt::Result {
        let (module, names) = (self.module, self.names);
        let out = &mut self.text;
        let mut name = String::new();
        names.write_global(id, &mut name)?;
        let place = DataPlace::of(module, id);
        out.write_str(match place {
            DataPlace::ReadOnly => "\t.section .rodata,\"a\",@progbits\n",
            DataPlace::Data => "\t.data\n",
            DataPlace::Zero => "\t.bss\n",
        })?;
        let size = module.global_size(id);
        let align = module.globals[id].align_log2.unwrap_or(0);
        writeln!(out, "\t.type {name},@object\n\t.size {name}, {size}\n\t.p2align {align}\n{name}:")?;
        if place == DataPlace::Zero {
            return if size > 0 { writeln!(out, "\t.zero {size}") } else { Ok(()) };
        }
        for init in module.initializers(id) {
            match *init {
                Initializer::Zero(0) => {}
                Initializer::Zero(count) => writeln!(out, "\t.zero {count}")?,
                Initializer::Bytes { start, len } => write_bytes(out, data_bytes(module, start, len))?,
                Initializer::Address { target, addend } => {
                    out.write_str("\t.long ")?;
                    names.write_symbol(target, out)?;
                    writeln!(out, "{:+}", addend as i32)?;
                }
                Initializer::Relative { target, addend } => {
                    out.write_str("\t.long ")?;
                    names.write_symbol(target, out)?;
                    writeln!(out, "{addend:+}-.")?;
                }
            }
        }
        Ok(())
    }

    fn write_function<I: BranchIsa>(&mut self, output: &FunctionOutput<TextListing, I>) -> fmt::Result {
        let (names, function) = (self.names, output.function);
        let mut name = String::new();
        names.write_function(function, &mut name)?;
        let out = &mut self.text;
        let align = FUNCTION_ALIGNMENT.trailing_zeros();
        writeln!(out, "\t.text\n\t.p2align {align}, 0xcc")?;
        if names.visible(function) == Visible::Global {
            writeln!(out, "\t.globl {name}")?;
        }
        writeln!(out, "\t.type {name},@function\n{name}:")?;
        self.listing.clear();
        let (constants, sizes, compiled) = (&mut self.constants, &mut self.sizes, &output.compiled);
        let known_sizes = sizes.len();
        output.listing.write_listing(&mut self.listing, |symbol, out| match CodeSymbol::unpack(symbol) {
            CodeSymbol::Function(function) => names.write_function(function, out),
            CodeSymbol::Global(global) => names.write_global(global, out),
            CodeSymbol::Libcall(libcall) => out.write_str(libcall.name()),
            CodeSymbol::Constant(id) => {
                if !sizes.contains(&id.size) {
                    sizes.push(id.size);
                }
                let id = constants.intern(id.size, compiled.constants.get(id).unwrap_or(0));
                write_constant_name(id, out)
            }
            CodeSymbol::JumpTable(table) => write!(out, ".LT{}_{table}", function.as_u32()),
        })?;
        write_with_unique_labels(&self.listing, function, out)?;
        writeln!(out, "\t.size {name}, .-{name}")?;
        if !output.compiled.tables.is_empty() {
            writeln!(out, "\t.section .rodata,\"a\",@progbits\n\t.p2align 2")?;
        }
        for (index, table) in output.compiled.tables.iter().enumerate() {
            writeln!(out, ".LT{}_{index}:", function.as_u32())?;
            for target in table {
                writeln!(out, "\t.long {name}+{target}")?;
            }
        }
        // The contents come at the end; the assembler orders sections as it meets them.
        self.sizes[known_sizes..].iter().try_for_each(|&size| write_constant_section(size, out))
    }

    fn write_constants(&mut self) -> fmt::Result {
        let out = &mut self.text;
        for size in [ConstantSize::C4, ConstantSize::C8, ConstantSize::C16] {
            let bytes = size.bytes();
            if self.constants.len(size) > 0 {
                write_constant_section(size, out)?;
                writeln!(out, "\t.balign {bytes}")?;
            }
            for index in 0..self.constants.len(size) as u32 {
                let id = ConstantId { size, index };
                let bits = self.constants.get(id).unwrap_or(0);
                write_constant_name(id, out)?;
                writeln!(out, ":")?;
                match size {
                    ConstantSize::C4 => writeln!(out, "\t.long {bits:#x}")?,
                    ConstantSize::C8 => writeln!(out, "\t.quad {bits:#x}")?,
                    ConstantSize::C16 => {
                        writeln!(out, "\t.quad {:#x}, {:#x}", bits as u64, (bits >> 64) as u64)?;
                    }
                }
            }
        }
        writeln!(out, "\t.section .note.GNU-stack,\"\",@progbits")
    }
}

/// Makes `.L7` of a function's listing `.L12_7`: labels count from 0 in each function.
fn write_with_unique_labels(listing: &str, function: FuncId, out: &mut String) -> fmt::Result {
    let mut rest = listing;
    while let Some(at) = rest.find(".L") {
        let (before, label) = rest.split_at(at + 2);
        out.write_str(before)?;
        if label.starts_with(|c: char| c.is_ascii_digit()) {
            write!(out, "{}_", function.as_u32())?;
        }
        rest = label;
    }
    out.write_str(rest)
}

fn write_constant_section(size: ConstantSize, out: &mut String) -> fmt::Result {
    let bytes = size.bytes();
    writeln!(out, "\t.section .rodata.cst{bytes},\"aM\",@progbits,{bytes}")
}

fn write_constant_name(id: ConstantId, out: &mut dyn Write) -> fmt::Result {
    write!(out, ".LC{}_{}", id.size.bytes(), id.index)
}

fn write_bytes(out: &mut String, bytes: &[u8]) -> fmt::Result {
    for line in bytes.chunks(16) {
        for (i, byte) in line.iter().enumerate() {
            write!(out, "{}{byte:#04x}", if i == 0 { "\t.byte " } else { "," })?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}

impl<S: Sink, I: BranchIsa> ModuleOutput<TextListing, I> for AssemblyOutput<'_, '_, S> {
    fn function(&mut self, output: &mut FunctionOutput<TextListing, I>) -> Result<(), Error> {
        let _ = self.write_function(output);
        self.flush(FLUSH_SIZE)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let _ = self.write_constants();
        self.flush(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_unique_and_other_names_stay() {
        let mut out = String::new();
        let listing = ".L0:\n\tjne .L12\n\tmovl .LC8_1, %eax\n\tjmp *.LT3_0(,%eax,4)\n";
        write_with_unique_labels(listing, FuncId::from_u32(3), &mut out).unwrap();
        assert_eq!(out, ".L3_0:\n\tjne .L3_12\n\tmovl .LC8_1, %eax\n\tjmp *.LT3_0(,%eax,4)\n");
    }

    #[test]
    fn bytes_stand_in_lines_of_sixteen() {
        let mut out = String::new();
        write_bytes(&mut out, &[0xff; 17]).unwrap();
        assert_eq!(out.lines().count(), 2);
        assert_eq!(out.lines().last(), Some("\t.byte 0xff"));
    }
}
