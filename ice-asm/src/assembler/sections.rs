//! Sections of a text: `.section`, `.pushsection`, `.popsection`, `.previous`, `.text` and its like (the manual of the GNU
//! assembler, 7.89 for ELF).

use super::{AssemblyErrorKind, split};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// What a section is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SectionFlags {
    /// It is in memory when the program runs.
    pub is_allocated: bool,
    /// It can be written.
    pub is_writable: bool,
    /// It is code.
    pub is_code: bool,
    /// It is thread-local.
    pub is_thread_local: bool,
    /// Only its size is in the file.
    pub is_zero: bool,
    /// It is a note.
    pub is_note: bool,
    /// Nothing may discard it.
    pub is_retained: bool,
}

/// A section by its name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SectionName {
    /// Its name; empty where the text itself stands.
    pub name: String,
    /// What it is for.
    pub flags: SectionFlags,
}

/// What a section of this name is for, if nothing is said.
fn usual(name: &str) -> SectionFlags {
    let is =
        |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let memory = SectionFlags { is_allocated: true, ..SectionFlags::default() };
    match () {
        () if is(".text") || is(".init") || is(".fini") => SectionFlags { is_code: true, ..memory },
        () if is(".rodata") => memory,
        () if is(".bss") => SectionFlags { is_writable: true, is_zero: true, ..memory },
        () if is(".tdata") => SectionFlags { is_writable: true, is_thread_local: true, ..memory },
        () if is(".data") || is(".init_array") || is(".fini_array") => {
            SectionFlags { is_writable: true, ..memory }
        }
        () if is(".note") => SectionFlags { is_note: true, ..SectionFlags::default() },
        () => SectionFlags::default(),
    }
}

impl SectionName {
    /// A section of this name with what it usually is.
    pub(super) fn usual(name: &str) -> SectionName {
        SectionName { name: name.to_string(), flags: usual(name) }
    }

    /// What stands behind `.section`: `name`, `name, "flags", @type, entry size`. Subsections other than 0 are not known.
    fn parsed(operands: &str) -> Option<SectionName> {
        let mut operands = split(operands);
        let name = operands.next()?.trim_matches('"');
        let is_plain = |c: char| c.is_ascii_graphic() && !"\"\\,".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            return None;
        }
        let mut section = SectionName::usual(name);
        let Some(letters) = operands.next() else { return Some(section) };
        if letters == "0" {
            return operands.next().is_none().then_some(section);
        }
        let mut flags = SectionFlags { is_note: section.flags.is_note, ..SectionFlags::default() };
        let mut is_merged = false;
        for letter in letters.strip_prefix('"')?.strip_suffix('"')?.chars() {
            match letter {
                'a' => flags.is_allocated = true,
                'w' => flags.is_writable = true,
                'x' => flags.is_code = true,
                'T' => flags.is_thread_local = true,
                // That equal entries may be merged, which is not done.
                'S' => {}
                'M' => is_merged = true,
                'R' => flags.is_retained = true,
                // The group of the section before: what is in none here.
                '?' => {}
                _ => return None,
            }
        }
        match operands.next() {
            None | Some("@progbits" | "%progbits" | "@init_array" | "@fini_array") => {}
            Some("@nobits" | "%nobits") => flags.is_zero = true,
            Some("@note" | "%note") => flags.is_note = true,
            Some(_) => return None,
        }
        if is_merged {
            operands.next()?.parse().ok().filter(|&size: &u32| size > 0)?;
        }
        section.flags = flags;
        operands.next().is_none().then_some(section)
    }
}

/// Which section a text is in.
pub(super) struct SectionStack {
    pub(super) names: Vec<SectionName>,
    pub(super) current: usize,
    previous: usize,
    pushed: Vec<[usize; 2]>,
}

impl SectionStack {
    /// The section where the text begins.
    pub(super) fn new(first: SectionName) -> SectionStack {
        SectionStack { names: Vec::from([first]), current: 0, previous: 0, pushed: Vec::new() }
    }

    /// Begins again, with the sections that there are.
    pub(super) fn restart(&mut self) {
        (self.current, self.previous) = (0, 0);
        self.pushed.clear();
    }

    /// Whether the text is where it began, and nothing waits.
    pub(super) fn is_back(&self) -> bool {
        self.current == 0 && self.pushed.is_empty()
    }

    fn enter(&mut self, section: SectionName) {
        // Its flags count where it is named first.
        let known = self.names.iter().position(|known| known.name == section.name);
        let number = known.unwrap_or_else(|| {
            self.names.push(section);
            self.names.len() - 1
        });
        self.previous = core::mem::replace(&mut self.current, number);
    }

    /// Takes a directive about sections; `None` if it is no such one.
    pub(super) fn directive(&mut self, name: &str, operands: &str) -> Option<Result<(), AssemblyErrorKind>> {
        let section = || SectionName::parsed(operands).ok_or(AssemblyErrorKind::Directive);
        Some(match name {
            "text" | "data" | "bss" if matches!(operands, "" | "0") => {
                let mut full = String::from(".");
                full.push_str(name);
                self.enter(SectionName::usual(&full));
                Ok(())
            }
            "section" => section().map(|section| self.enter(section)),
            "pushsection" => section().map(|section| {
                self.pushed.push([self.current, self.previous]);
                self.enter(section);
            }),
            "popsection" => self.pushed.pop().map_or(Err(AssemblyErrorKind::Directive), |pushed| {
                [self.current, self.previous] = pushed;
                Ok(())
            }),
            "previous" => {
                core::mem::swap(&mut self.current, &mut self.previous);
                Ok(())
            }
            _ => return None,
        })
    }
}
