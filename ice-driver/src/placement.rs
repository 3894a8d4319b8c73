//! Which section a function or a global variable goes to, the same in objects and in assembler text.
//!
//! | contents | section | of a member of a group, or alone |
//! |---|---|---|
//! | code | `.text` | `.text.NAME` |
//! | constants | `.rodata` | `.rodata.NAME` |
//! | constants with addresses that are known at start only | `.data.rel.ro` | `.data.rel.ro.NAME` |
//! | variables | `.data` | `.data.NAME` |
//! | variables that start as zero | `.bss` | `.bss.NAME` |
//! | thread-local variables | `.tdata`, `.tbss` | `.tdata.NAME`, `.tbss.NAME` |
//!
//! With [`Sections`] asked for, native code and variables that are in no group are in sections of such names too, each in its own.
//! A section that the module names wins; its type follows from its name as in other assemblers, its flags
//! from what is put into it, so that one name may stand for several sections.

use crate::names::undecorated;
use crate::options::{RelocationModel, Sections};
use ice_elf::StandardSection;
use ice_ir::native::Environment;
use ice_ir::{ComdatId, FuncId, GlobalId, GlobalKind, Initializer, Linkage, Module, Mutability};
use object::elf;
use std::borrow::Cow;

/// What is put into a section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Contents {
    /// Instructions.
    Code,
    /// Constants.
    ReadOnly,
    /// Constants that hold addresses which are known when the program starts.
    Relocated,
    /// Variables with contents.
    Data,
    /// Variables that start as zero.
    Zero,
    /// Thread-local variables with contents.
    ThreadData,
    /// Thread-local variables that start as zero.
    ThreadZero,
}

impl Contents {
    /// The section for everything of the kind.
    pub const fn section(self) -> StandardSection {
        match self {
            Contents::Code => StandardSection::Text,
            Contents::ReadOnly => StandardSection::Rodata,
            Contents::Relocated => StandardSection::DataRelRo,
            Contents::Data => StandardSection::Data,
            Contents::Zero => StandardSection::Bss,
            Contents::ThreadData => StandardSection::Tdata,
            Contents::ThreadZero => StandardSection::Tbss,
        }
    }

    /// Its name.
    const fn name(self) -> &'static str {
        match self {
            Contents::Code => ".text",
            Contents::ReadOnly => ".rodata",
            Contents::Relocated => ".data.rel.ro",
            Contents::Data => ".data",
            Contents::Zero => ".bss",
            Contents::ThreadData => ".tdata",
            Contents::ThreadZero => ".tbss",
        }
    }

    /// `sh_flags`.
    pub const fn flags(self) -> u64 {
        let flags = match self {
            Contents::Code => elf::SHF_EXECINSTR,
            Contents::ReadOnly => 0,
            Contents::Relocated | Contents::Data | Contents::Zero => elf::SHF_WRITE,
            Contents::ThreadData | Contents::ThreadZero => elf::SHF_WRITE | elf::SHF_TLS,
        };
        (flags | elf::SHF_ALLOC) as u64
    }

    /// Whether only the number of bytes is in the file.
    pub const fn is_zero(self) -> bool {
        matches!(self, Contents::Zero | Contents::ThreadZero)
    }
}

/// Where a symbol is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement<'m> {
    /// What it is.
    pub contents: Contents,
    /// The section that the module asks for; empty for the usual one.
    section: &'m [u8],
    /// The group that it belongs to.
    pub comdat: Option<ComdatId>,
    /// The symbol's name in the module.
    name: &'m [u8],
    /// Whether nothing else is in its section.
    is_alone: bool,
}

/// A section other than the usual ones.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NamedSection<'m> {
    /// Its name.
    pub name: Cow<'m, [u8]>,
    /// `sh_type`.
    pub sh_type: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// The group that it belongs to.
    pub comdat: Option<ComdatId>,
}

impl<'m> Placement<'m> {
    /// The place of a function's code.
    #[inline]
    pub fn of_function(module: &'m Module, function: FuncId, sections: Sections) -> Placement<'m> {
        let decl = &module.functions[function];
        Placement {
            contents: Contents::Code,
            section: module.name(decl.symbol.section),
            comdat: decl.symbol.comdat,
            name: module.name(decl.name),
            is_alone: sections.functions && module.environment == Environment::Native,
        }
    }

    /// The place of a function's jump tables, which live and die with it.
    pub fn of_tables(module: &'m Module, function: FuncId, sections: Sections) -> Placement<'m> {
        let code = Placement::of_function(module, function, sections);
        Placement { contents: Contents::ReadOnly, section: b"", ..code }
    }

    /// The place of a global variable; `None` where the linker puts it or another module has it.
    pub fn of_global(
        module: &'m Module,
        global: GlobalId,
        relocation: RelocationModel,
        sections: Sections,
    ) -> Option<Placement<'m>> {
        let decl = &module.globals[global];
        let is_here = decl.kind == GlobalKind::Defined && decl.linkage != Linkage::Common;
        is_here.then(|| Placement {
            contents: contents(module, global, relocation),
            section: module.name(decl.symbol.section),
            comdat: decl.symbol.comdat,
            name: module.name(decl.name),
            is_alone: sections.data && module.environment == Environment::Native,
        })
    }

    /// Whether zeros are bytes of the file: in sections of other contents.
    pub fn is_kept(&self) -> bool {
        self.named_section().is_some_and(|section| section.sh_type != elf::SHT_NOBITS)
    }

    /// The section, where it is not the usual one for the contents.
    pub fn named_section(&self) -> Option<NamedSection<'m>> {
        let contents = self.contents;
        let (name, sh_type) = match (self.section, self.comdat) {
            (b"", None) if !self.is_alone => return None,
            (b"", _) => {
                let sh_type = if contents.is_zero() { elf::SHT_NOBITS } else { elf::SHT_PROGBITS };
                let name = undecorated(self.name);
                (Cow::Owned([contents.name().as_bytes(), b".", name].concat()), sh_type)
            }
            (name, _) => (Cow::Borrowed(name), type_of(name, contents)),
        };
        Some(NamedSection { name, sh_type, flags: contents.flags(), comdat: self.comdat })
    }
}

/// Whether what is in a variable is known when all code has its place, and not before.
pub fn has_distances(module: &Module, global: GlobalId) -> bool {
    module.initializers(global).iter().any(|init| matches!(init, Initializer::Distance { .. }))
}

/// `sh_type` of a section that a module names.
fn type_of(name: &[u8], contents: Contents) -> u32 {
    let is = |prefix: &[u8]| match name.strip_prefix(prefix) {
        Some(rest) => rest.is_empty() || rest[0] == b'.',
        None => false,
    };
    match () {
        () if is(b".init_array") => elf::SHT_INIT_ARRAY,
        () if is(b".fini_array") => elf::SHT_FINI_ARRAY,
        () if is(b".preinit_array") => elf::SHT_PREINIT_ARRAY,
        () if name.starts_with(b".note") => elf::SHT_NOTE,
        () if contents.is_zero() && (is(b".bss") || is(b".tbss")) => elf::SHT_NOBITS,
        () => elf::SHT_PROGBITS,
    }
}

fn contents(module: &Module, global: GlobalId, relocation: RelocationModel) -> Contents {
    let decl = &module.globals[global];
    let inits = module.initializers(global);
    let is_zero = |init: &Initializer| match *init {
        Initializer::Zero(_) => true,
        Initializer::Bytes { start, len } => data_bytes(module, start, len).iter().all(|&byte| byte == 0),
        Initializer::Address { .. } | Initializer::Relative { .. } | Initializer::Distance { .. } => false,
    };
    let moves =
        module.environment == Environment::Native && relocation == RelocationModel::PositionIndependent;
    // A distance is fixed unless another module may have its end.
    let is_relocated = |init: &Initializer| match *init {
        Initializer::Address { .. } => moves,
        Initializer::Relative { target, .. } => moves && !module.linkage(target).0.is_local(),
        Initializer::Zero(_) | Initializer::Bytes { .. } | Initializer::Distance { .. } => false,
    };
    match decl.mutability {
        _ if decl.storage.is_thread_local() => match inits.iter().all(is_zero) {
            true => Contents::ThreadZero,
            false => Contents::ThreadData,
        },
        Mutability::Constant if inits.iter().any(is_relocated) => Contents::Relocated,
        Mutability::Constant => Contents::ReadOnly,
        Mutability::Variable if inits.iter().all(is_zero) => Contents::Zero,
        Mutability::Variable => Contents::Data,
    }
}

/// The bytes of an initializer.
pub fn data_bytes(module: &Module, start: u32, len: u32) -> &[u8] {
    &module.data[start as usize..start as usize + len as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_follow_names() {
        let cases: [(&[u8], Contents, u32); 8] = [
            (b".init_array", Contents::Data, elf::SHT_INIT_ARRAY),
            (b".init_array.00101", Contents::Data, elf::SHT_INIT_ARRAY),
            (b".init_arrays", Contents::Data, elf::SHT_PROGBITS),
            (b".fini_array.7", Contents::Relocated, elf::SHT_FINI_ARRAY),
            (b".note.x", Contents::ReadOnly, elf::SHT_NOTE),
            (b".bss.mine", Contents::Zero, elf::SHT_NOBITS),
            (b".bss.mine", Contents::Data, elf::SHT_PROGBITS),
            (b"mine", Contents::Zero, elf::SHT_PROGBITS),
        ];
        for (name, contents, sh_type) in cases {
            assert_eq!(type_of(name, contents), sh_type, "{}", name.escape_ascii());
        }
    }
}
