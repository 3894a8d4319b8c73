//! What inline assembly has in other sections, as text.

use ice_asm::{CodeBuffer, SectionName, SymbolText, TextListing};
use ice_codegen::assembly::SectionPart;
use ice_ir::FuncId;
use std::fmt::{self, Write};

/// The directive that begins a section.
pub(super) fn section_directive(directive: &str, section: &SectionName) -> String {
    let SectionName { name, flags } = section;
    let letters = [
        (flags.is_allocated, 'a'),
        (flags.is_writable, 'w'),
        (flags.is_code, 'x'),
        (flags.is_thread_local, 'T'),
        (flags.is_retained, 'R'),
    ];
    let letters: String =
        letters.into_iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| letter).collect();
    let kind = match () {
        () if flags.is_zero => "%nobits",
        () if flags.is_note => "%note",
        () => "%progbits",
    };
    format!("\t{directive} {name},\"{letters}\",{kind}\n")
}

/// The parts of a function, in which symbols stand as in listings.
pub(super) fn listing(function: FuncId, parts: &[SectionPart]) -> Result<String, fmt::Error> {
    let mut text = String::new();
    for (number, part) in parts.iter().enumerate() {
        text.push_str(&section_directive(".pushsection", &part.name));
        writeln!(text, "\t.p2align {}\n.LP{}_{number}:", part.alignment.trailing_zeros(), function.as_u32())?;
        let mut buffer = CodeBuffer::<TextListing>::new();
        let mut done = 0;
        for reloc in &part.relocs {
            let at = reloc.offset as usize;
            buffer.emit_data(part.bytes.get(done..at).unwrap_or_default());
            buffer.emit_field(reloc.kind, reloc.symbol, reloc.addend);
            done = at + reloc.kind.size() as usize;
        }
        buffer.emit_data(part.bytes.get(done..).unwrap_or_default());
        buffer.finish().map_err(|_| fmt::Error)?;
        buffer.write_listing(&mut text, |symbol, out| write!(out, "{}", SymbolText(symbol)))?;
        text.push_str("\t.popsection\n");
    }
    Ok(text)
}
