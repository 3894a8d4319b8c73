//! Assembling listings for machines whose instructions are words.

use super::{listing, tools};
use ice_asm::{BranchIsa, CodeBuffer, RelocKind, TextListing};
use std::path::PathBuf;
use std::process::Command;

/// The assemblers of a machine.
pub struct WordAssemblers {
    /// The name of the machine.
    pub machine: &'static str,
    /// What they must know before the first line.
    pub head: &'static str,
    /// Their names and options.
    pub tools: &'static [(&'static str, &'static [&'static str])],
    /// The bits of a word with this relocation that the linker does not fill in.
    pub kept_bits: fn(RelocKind) -> u32,
}

impl WordAssemblers {
    /// Clears the fields that the linker fills in.
    fn mask<B: BranchIsa>(&self, buffer: &CodeBuffer<TextListing, B>, bytes: &mut [u8]) {
        for reloc in buffer.relocs() {
            let at = reloc.offset as usize;
            let Some(field) = bytes.get_mut(at..at + 4) else { continue };
            let word = u32::from_le_bytes(field.try_into().unwrap()) & (self.kept_bits)(reloc.kind);
            field.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Assembles the listing with each assembler and compares with the bytes, relocated fields excepted.
    pub fn check<B: BranchIsa>(&self, name: &str, buffer: &CodeBuffer<TextListing, B>) {
        let text = listing(buffer);
        let mut ours = buffer.bytes().to_vec();
        self.mask(buffer, &mut ours);
        for (tool, args) in self.tools {
            let Some(mut theirs) = self.assemble(name, tool, args, &text) else { continue };
            self.mask(buffer, &mut theirs);
            let lines: Vec<_> = text.lines().filter(|line| line.starts_with('\t')).collect();
            let differ: Vec<_> = ours
                .chunks(4)
                .zip(theirs.chunks(4))
                .zip(&lines)
                .filter(|((ours, theirs), _)| ours != theirs)
                .map(|((ours, theirs), line)| format!("{line}: {ours:02x?} {theirs:02x?}"))
                .take(30)
                .collect();
            assert!(differ.is_empty(), "{name}, {tool}:\n{}", differ.join("\n"));
            assert_eq!(ours.len(), theirs.len(), "{name}, {tool}");
        }
    }

    /// The code of a text, if the assembler is installed.
    pub fn assemble(&self, name: &str, tool: &str, args: &[&str], text: &str) -> Option<Vec<u8>> {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let [source, object] =
            ["s", "o"].map(|ext| directory.join(format!("{}-{name}-{tool}.{ext}", self.machine)));
        std::fs::write(&source, format!("{}{text}", self.head)).unwrap();
        if !tools::has("listings", &[tool]) {
            return None;
        }
        let output = Command::new(tool).args(args).arg(&source).arg("-o").arg(&object).output();
        let output = output.expect("the assembler starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        let first: Vec<_> = errors.lines().take(24).collect();
        assert!(output.status.success(), "{name}, {tool}: {}", first.join("\n"));
        Some(text_section(&std::fs::read(&object).unwrap()).to_vec())
    }
}

/// The first section with code of an ELF object, which is not empty.
pub fn text_section(file: &[u8]) -> &[u8] {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    // The low halves of numbers of 64 bits are enough.
    let is_wide = file[4] == 2;
    let (headers, count, size) = if is_wide { (word(40), 60, 64) } else { (word(32), 48, 40) };
    let count = usize::from(u16::from_le_bytes([file[count], file[count + 1]]));
    let is_code = |at: &usize| word(at + 4) == 1 && word(at + 8) & 4 != 0;
    let at = (0..count).map(|n| headers + size * n).find(is_code).expect("a section with code");
    let (start, size) = if is_wide { (at + 24, at + 32) } else { (at + 16, at + 20) };
    &file[word(start)..word(start) + word(size)]
}
