//! The relocatable object of a module: data first, then functions as they come, constants at the end.
//!
//! | what | where |
//! |---|---|
//! | functions | `.text`, 16-aligned, in the order of the module |
//! | constant globals | `.rodata` |
//! | variables | `.data`, or `.bss` where all bytes are zero |
//! | jump tables | `.rodata`, 4-byte absolute addresses inside `.text` |
//! | constants of code | `.rodata.cst4`, `.rodata.cst8`, `.rodata.cst16`, in the order of first use |
//!
//! Calls of functions that are already written are resolved here, since both ends are in `.text`; all
//! other references become relocations. Memory: the symbol table, the relocations and the data; the code
//! goes straight to the sink.

use crate::arch::Arch;
use crate::error::Error;
use crate::names::{SymbolNames, Visible};
use crate::output::{FunctionOutput, ModuleOutput};
use ice_asm::{ConstantId, ConstantPool, ConstantSize, Reloc, RelocKind};
use ice_elf::{
    AddendPlacement, Binding, Code, Format, ObjectWriter, Options, Relocation, SectionId, Sink,
    StandardSection, SymbolId, SymbolKind, Target, Visibility,
};
use ice_ir::{FuncId, FunctionKind, GlobalId, Initializer, Module, Mutability, Symbol};
use ice_passes::{CodeSymbol, CompiledFunction, Libcall};
use object::elf;

/// Alignment of functions, in bytes.
pub const FUNCTION_ALIGNMENT: u64 = 16;

/// Zeros that the data sections of any module may hold, in bytes. More are accepted in large files only:
/// a few bytes of input must not make an object of gigabytes.
const ZEROS_ALWAYS_ALLOWED: u64 = 16 << 20;

/// `.rodata.cst4` and so on.
const CONSTANT_SECTIONS: [(ConstantSize, StandardSection); 3] = [
    (ConstantSize::C4, StandardSection::RodataCst4),
    (ConstantSize::C8, StandardSection::RodataCst8),
    (ConstantSize::C16, StandardSection::RodataCst16),
];

/// Where the contents of a global variable go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataPlace {
    /// Constants.
    ReadOnly,
    /// Variables with contents.
    Data,
    /// Variables that start as zero.
    Zero,
}

impl DataPlace {
    /// The place of `global`.
    pub fn of(module: &Module, global: GlobalId) -> DataPlace {
        let is_zero = |init: &Initializer| match *init {
            Initializer::Zero(_) => true,
            Initializer::Bytes { start, len } => data_bytes(module, start, len).iter().all(|&byte| byte == 0),
            Initializer::Address { .. } | Initializer::Relative { .. } => false,
        };
        match module.globals[global].mutability {
            Mutability::Constant => DataPlace::ReadOnly,
            Mutability::Variable if module.initializers(global).iter().all(is_zero) => DataPlace::Zero,
            Mutability::Variable => DataPlace::Data,
        }
    }

    const fn section(self) -> StandardSection {
        match self {
            DataPlace::ReadOnly => StandardSection::Rodata,
            DataPlace::Data => StandardSection::Data,
            DataPlace::Zero => StandardSection::Bss,
        }
    }
}

/// The bytes of an initializer.
pub fn data_bytes(module: &Module, start: u32, len: u32) -> &[u8] {
    &module.data[start as usize..start as usize + len as usize]
}

/// The largest total size of `.data` and `.rodata`, in bytes, for an input of `input_size` bytes.
pub fn data_limit(input_size: usize) -> u64 {
    ZEROS_ALWAYS_ALLOWED.max(64 * input_size as u64)
}

/// The ELF format of a machine.
pub fn format(arch: Arch) -> Format {
    match arch {
        Arch::X86_32 => Format::X86_32,
        Arch::X86_64 => Format::X86_64,
        Arch::Arm32 => Format::arm(elf::EF_ARM_EABI_VER5),
        Arch::Mips32 => Format::mips(elf::EF_MIPS_ARCH_32R2 | elf::EF_MIPS_ABI_O32),
    }
}

/// The relocation type that ELF has for `kind` on a machine, if it has one.
#[rustfmt::skip]
fn relocation_type(arch: Arch, kind: RelocKind) -> Option<u32> {
    let (x86_32, x86_64) = match kind {
        RelocKind::Abs32      => (Some(elf::R_386_32),     Some(elf::R_X86_64_32)),
        RelocKind::Abs32S     => (Some(elf::R_386_32),     Some(elf::R_X86_64_32S)),
        RelocKind::Abs64      => (None,                    Some(elf::R_X86_64_64)),
        RelocKind::PcRel32    => (Some(elf::R_386_PC32),   Some(elf::R_X86_64_PC32)),
        RelocKind::Plt32      => (Some(elf::R_386_PLT32),  Some(elf::R_X86_64_PLT32)),
        RelocKind::GotPcRel32 => (None,                    Some(elf::R_X86_64_GOTPCREL)),
        RelocKind::Got32      => (Some(elf::R_386_GOT32),  Some(elf::R_X86_64_GOT32)),
        RelocKind::GotOff32   => (Some(elf::R_386_GOTOFF), None),
        RelocKind::GotPc32    => (Some(elf::R_386_GOTPC),  Some(elf::R_X86_64_GOTPC32)),
        RelocKind::TpOff32    => (Some(elf::R_386_TLS_LE), Some(elf::R_X86_64_TPOFF32)),
        RelocKind::GotTpOff32 => (Some(elf::R_386_TLS_IE), Some(elf::R_X86_64_GOTTPOFF)),
        _                     => (None,                    None),
    };
    match arch {
        Arch::X86_32 => x86_32,
        Arch::X86_64 => x86_64,
        Arch::Arm32 | Arch::Mips32 => None,
    }
}

/// The relocation of a 4-byte distance in data.
fn relative_type(arch: Arch) -> u32 {
    match arch {
        Arch::X86_32 => elf::R_386_PC32,
        Arch::X86_64 => elf::R_X86_64_PC32,
        Arch::Arm32 => elf::R_ARM_REL32,
        // R_MIPS_PC32 of the GNU tools.
        Arch::Mips32 => 248,
    }
}

/// The relocation of a 4-byte address in data or a jump table.
fn address_type(arch: Arch) -> u32 {
    match arch {
        Arch::X86_32 => elf::R_386_32,
        Arch::X86_64 => elf::R_X86_64_32,
        Arch::Arm32 => elf::R_ARM_ABS32,
        Arch::Mips32 => elf::R_MIPS_32,
    }
}

const fn is_pc_relative(kind: RelocKind) -> bool {
    matches!(kind, RelocKind::PcRel32 | RelocKind::Plt32)
}

/// "Not written yet" in the table of function offsets.
const UNWRITTEN: u32 = u32::MAX;

/// Writes a module into an object.
pub struct ObjectOutput<'m, S: Sink> {
    arch: Arch,
    module: &'m Module,
    writer: ObjectWriter<S>,
    text: SectionId,
    functions: Vec<SymbolId>,
    globals: Vec<SymbolId>,
    libcalls: [Option<SymbolId>; Libcall::ALL.len()],
    /// Offset of each function in `.text`.
    offsets: Vec<u32>,
    constants: ConstantPool,
    /// For pc-relative references: symbols of constants. The linker moves merged constants, so an addend
    /// that is not inside the constant must not be taken from the start of the section.
    constant_symbols: Vec<(ConstantId, SymbolId)>,
    relocations: Vec<Relocation>,
    bytes: Vec<u8>,
}

impl<'m, S: Sink> ObjectOutput<'m, S> {
    /// Starts the object: declares every symbol and writes the global variables. At most `data_limit`
    /// bytes go into `.data` and `.rodata` together.
    ///
    /// # Errors
    /// [`Error::DataTooLarge`], errors of the object writer and the sink.
    pub fn new(
        arch: Arch,
        module: &'m Module,
        names: &SymbolNames<'m>,
        selected: impl Fn(FuncId) -> bool,
        data_limit: u64,
        sink: S,
    ) -> Result<ObjectOutput<'m, S>, Error> {
        let mut writer = ObjectWriter::new(sink, Options::new(format(arch)))?;
        let text = writer.standard_section(StandardSection::Text)?;
        let mut name = String::new();
        let mut functions = Vec::with_capacity(module.functions.len());
        for (id, decl) in &module.functions {
            name.clear();
            // Intrinsics have no symbol, but a number.
            if !matches!(decl.kind, FunctionKind::Intrinsic(_)) {
                let _ = names.write_function(id, &mut name);
            }
            let binding = match names.visible(id) {
                Visible::Local if selected(id) => Binding::Local,
                _ => Binding::Global,
            };
            let kind = if selected(id) { SymbolKind::Func } else { SymbolKind::NoType };
            functions.push(writer.declare_symbol(name.as_bytes(), binding, kind, Visibility::Default)?);
        }
        let mut globals = Vec::with_capacity(module.globals.len());
        for id in module.globals.keys() {
            name.clear();
            let _ = names.write_global(id, &mut name);
            let (binding, kind) = (Binding::Local, SymbolKind::Object);
            globals.push(writer.declare_symbol(name.as_bytes(), binding, kind, Visibility::Default)?);
        }
        let mut output = ObjectOutput {
            arch,
            module,
            writer,
            text,
            offsets: vec![UNWRITTEN; functions.len()],
            functions,
            globals,
            libcalls: [None; Libcall::ALL.len()],
            constants: ConstantPool::new(),
            constant_symbols: Vec::new(),
            relocations: Vec::new(),
            bytes: Vec::new(),
        };
        output.write_globals(data_limit)?;
        Ok(output)
    }

    fn write_globals(&mut self, limit: u64) -> Result<(), Error> {
        let module = self.module;
        let mut total = 0u64;
        for (id, decl) in &module.globals {
            let place = DataPlace::of(module, id);
            let size = module.global_size(id);
            let alignment = 1u64 << decl.align_log2.unwrap_or(0).min(63);
            let section = self.writer.standard_section(place.section())?;
            let symbol = self.globals[id.as_u32() as usize];
            let offset = if place == DataPlace::Zero {
                self.writer.append_zeros(section, alignment, size)?
            } else {
                let padding = self.writer.section_size(section)?.wrapping_neg() & (alignment - 1);
                total = total.saturating_add(size).saturating_add(padding);
                if total > limit {
                    return Err(Error::DataTooLarge { bytes: total, limit });
                }
                self.gather_contents(id);
                self.writer.append_data(section, alignment, &self.bytes, self.relocations.drain(..))?
            };
            self.writer.define(symbol, section, offset, size)?;
        }
        Ok(())
    }

    /// Puts the contents of a global into `bytes` and `relocations`.
    fn gather_contents(&mut self, global: GlobalId) {
        self.bytes.clear();
        for init in self.module.initializers(global) {
            match *init {
                Initializer::Zero(count) => self.bytes.resize(self.bytes.len() + count as usize, 0),
                Initializer::Bytes { start, len } => {
                    self.bytes.extend_from_slice(data_bytes(self.module, start, len));
                }
                Initializer::Relative { target, addend } => {
                    self.relocations.push(Relocation {
                        offset: self.bytes.len() as u64,
                        r_type: relative_type(self.arch),
                        target: Target::Symbol(self.symbol(target)),
                        addend,
                        placement: AddendPlacement::Width4,
                    });
                    self.bytes.resize(self.bytes.len() + 4, 0);
                }
                Initializer::Address { target, addend } => {
                    let target = self.symbol(target);
                    self.relocations.push(Relocation {
                        offset: self.bytes.len() as u64,
                        r_type: address_type(self.arch),
                        target: Target::Symbol(target),
                        // Addresses wrap at 32 bits, and the field holds 32.
                        addend: i64::from(addend as i32),
                        placement: AddendPlacement::Width4,
                    });
                    let width = self.module.pointer_type.bytes() as usize;
                    self.bytes.resize(self.bytes.len() + width, 0);
                }
            }
        }
    }

    fn symbol(&self, symbol: Symbol) -> SymbolId {
        match symbol {
            Symbol::Function(f) => self.functions[f.as_u32() as usize],
            Symbol::Global(g) => self.globals[g.as_u32() as usize],
        }
    }

    fn libcall(&mut self, libcall: Libcall) -> Result<SymbolId, Error> {
        let slot = libcall as usize;
        if let Some(symbol) = self.libcalls[slot] {
            return Ok(symbol);
        }
        let name = libcall.name().as_bytes();
        let symbol =
            self.writer.declare_symbol(name, Binding::Global, SymbolKind::NoType, Visibility::Default)?;
        self.libcalls[slot] = Some(symbol);
        Ok(symbol)
    }

    /// The target of a reference to a constant, and what to add to the addend.
    fn constant(&mut self, id: ConstantId, kind: RelocKind) -> Result<(Target, i64), Error> {
        let (_, section) = CONSTANT_SECTIONS[id.size as usize];
        let section = self.writer.standard_section(section)?;
        if !is_pc_relative(kind) {
            return Ok((Target::Section(section), i64::from(id.offset())));
        }
        let known = self.constant_symbols.binary_search_by_key(&id, |&(id, _)| id);
        let symbol = match known {
            Ok(index) => self.constant_symbols[index].1,
            Err(index) => {
                let name = format!(".LC{}_{}", id.size.bytes(), id.index);
                let (binding, kind) = (Binding::Local, SymbolKind::NoType);
                let symbol =
                    self.writer.declare_symbol(name.as_bytes(), binding, kind, Visibility::Default)?;
                self.writer.define(symbol, section, u64::from(id.offset()), 0)?;
                self.constant_symbols.insert(index, (id, symbol));
                symbol
            }
        };
        Ok((Target::Symbol(symbol), 0))
    }

    /// Appends the function's jump tables and gives the offset of the first one in `.rodata`; they follow
    /// each other without a gap.
    fn write_tables(&mut self, compiled: &CompiledFunction, start: u64) -> Result<(SectionId, u64), Error> {
        let rodata = self.writer.standard_section(StandardSection::Rodata)?;
        self.bytes.clear();
        self.relocations.clear();
        for &target in compiled.tables.targets() {
            self.relocations.push(Relocation {
                offset: self.bytes.len() as u64,
                r_type: address_type(self.arch),
                target: Target::Section(self.text),
                addend: start as i64 + i64::from(target),
                placement: AddendPlacement::Width4,
            });
            self.bytes.extend_from_slice(&[0; 4]);
        }
        let offset = self.writer.append_data(rodata, 4, &self.bytes, self.relocations.drain(..))?;
        Ok((rodata, offset))
    }

    /// Writes one function.
    fn write_function(&mut self, function: FuncId, compiled: &mut CompiledFunction) -> Result<(), Error> {
        let size = self.writer.section_size(self.text)?;
        let start = size.next_multiple_of(FUNCTION_ALIGNMENT);
        self.offsets[function.as_u32() as usize] = u32::try_from(start).unwrap_or(UNWRITTEN);
        let tables = match compiled.tables.is_empty() {
            true => None,
            false => Some(self.write_tables(compiled, start)?),
        };
        self.relocations.clear();
        for index in 0..compiled.relocs.len() {
            let reloc = compiled.relocs[index];
            if let Some(relocation) = self.relocation(reloc, start, compiled, tables)? {
                self.relocations.push(relocation);
            }
        }
        let symbol = self.functions[function.as_u32() as usize];
        let mut code = Code::new(symbol, &mut compiled.code);
        code.alignment = FUNCTION_ALIGNMENT;
        self.writer.append_code(code, self.relocations.drain(..))?;
        Ok(())
    }

    /// The relocation for one place in code that begins at `start`; none where it is resolved at once.
    fn relocation(
        &mut self,
        reloc: Reloc,
        start: u64,
        compiled: &mut CompiledFunction,
        tables: Option<(SectionId, u64)>,
    ) -> Result<Option<Relocation>, Error> {
        let Reloc { offset, kind, symbol, mut addend } = reloc;
        let unsupported = Error::UnsupportedRelocation(kind);
        let target = match CodeSymbol::unpack(symbol) {
            CodeSymbol::Function(function) => {
                let known = self.offsets[function.as_u32() as usize];
                if known != UNWRITTEN && is_pc_relative(kind) {
                    let value = i64::from(known) + addend - start as i64 - i64::from(offset);
                    let field = compiled.code.get_mut(offset as usize..offset as usize + 4);
                    field.ok_or(unsupported)?.copy_from_slice(&(value as u32).to_le_bytes());
                    return Ok(None);
                }
                Target::Symbol(self.functions[function.as_u32() as usize])
            }
            CodeSymbol::Global(global) => Target::Symbol(self.globals[global.as_u32() as usize]),
            CodeSymbol::Libcall(libcall) => Target::Symbol(self.libcall(libcall)?),
            CodeSymbol::Constant(id) => {
                let bits = compiled.constants.get(id).unwrap_or(0);
                let id = self.constants.intern(id.size, bits);
                let (target, base) = self.constant(id, kind)?;
                addend += base;
                target
            }
            CodeSymbol::JumpTable(table) => {
                let (section, first) = tables.ok_or(unsupported.clone())?;
                let before = compiled.tables.start(table as usize);
                addend += first as i64 + 4 * before as i64;
                Target::Section(section)
            }
        };
        let r_type = relocation_type(self.arch, kind).ok_or(unsupported)?;
        let placement = match kind.size() {
            8 => AddendPlacement::Width8,
            _ => AddendPlacement::Width4,
        };
        Ok(Some(Relocation { offset: u64::from(offset), r_type, target, addend, placement }))
    }
}

impl<S: Sink, L: ice_asm::Listing, I: ice_asm::BranchIsa> ModuleOutput<L, I> for ObjectOutput<'_, S> {
    fn function(&mut self, output: &mut FunctionOutput<L, I>) -> Result<(), Error> {
        self.write_function(output.function, &mut output.compiled)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        for (size, section) in CONSTANT_SECTIONS {
            if self.constants.len(size) > 0 {
                self.bytes.clear();
                self.constants.write_section(size, &mut self.bytes);
                let section = self.writer.standard_section(section)?;
                self.writer.append_data(section, u64::from(size.bytes()), &self.bytes, [])?;
            }
        }
        self.writer.finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_ir::{FunctionDecl, GlobalDecl, Linkage, Name, Signature, Type};
    use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

    fn function(module: &mut Module, name: &str, linkage: Linkage) -> FuncId {
        let signature = module.signatures.push(Signature::new(vec![], Type::Void));
        let kind = FunctionKind::Defined;
        let id = module.functions.push(FunctionDecl::new(Name::default(), signature, linkage, kind));
        if !name.is_empty() {
            module.set_symbol_name(Symbol::Function(id), name.bytes());
        }
        id
    }

    fn global(
        module: &mut Module,
        align_log2: u8,
        mutability: Mutability,
        inits: &[Initializer],
    ) -> GlobalId {
        let start = module.initializers.len() as u32;
        module.initializers.extend_from_slice(inits);
        let initializers = start..module.initializers.len() as u32;
        let align_log2 = Some(align_log2);
        module.globals.push(GlobalDecl::new(Name::default(), align_log2, mutability, initializers))
    }

    fn reloc(offset: u32, kind: RelocKind, symbol: CodeSymbol, addend: i64) -> Reloc {
        Reloc { offset, kind, symbol: symbol.pack(), addend }
    }

    fn write(arch: Arch, module: &Module, bodies: Vec<(FuncId, CompiledFunction)>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let names = SymbolNames::new(module);
        let mut output =
            Box::new(ObjectOutput::new(arch, module, &names, |_| true, data_limit(100), &mut bytes)?);
        for (id, mut compiled) in bodies {
            output.write_function(id, &mut compiled)?;
        }
        ModuleOutput::<(), ice_asm::x86::Branches>::finish(output)?;
        Ok(bytes)
    }

    #[test]
    fn every_kind_of_reference_arrives_in_the_object() {
        for arch in [Arch::X86_32, Arch::X86_64] {
            let mut module = Module::new();
            let start = function(&mut module, "_start", Linkage::External);
            let helper = function(&mut module, "", Linkage::Internal);
            module.data = vec![1, 2, 3, 0];
            let target = Symbol::Function(helper);
            let text =
                global(&mut module, 0, Mutability::Constant, &[Initializer::Bytes { start: 0, len: 3 }]);
            let table = [Initializer::Zero(4), Initializer::Address { target, addend: 5 }];
            let table = global(&mut module, 4, Mutability::Variable, &table);
            let zero = [Initializer::Zero(40), Initializer::Bytes { start: 3, len: 1 }];
            let zero = global(&mut module, 5, Mutability::Variable, &zero);

            let mut first = CompiledFunction { code: vec![0x90; 40], ..CompiledFunction::default() };
            let constant = first.constants.intern(ConstantSize::C8, 77);
            let other = first.constants.intern(ConstantSize::C8, 78);
            first.tables.push([8, 12]);
            first.tables.push([16]);
            first.relocs = vec![
                reloc(0, RelocKind::PcRel32, CodeSymbol::Function(helper), -4),
                reloc(4, RelocKind::Abs32, CodeSymbol::Global(table), 3),
                reloc(8, RelocKind::PcRel32, CodeSymbol::Libcall(Libcall::Memset), -4),
                reloc(12, RelocKind::Abs32, CodeSymbol::Constant(other), 0),
                reloc(16, RelocKind::Abs32, CodeSymbol::Constant(constant), 0),
                reloc(20, RelocKind::Abs32, CodeSymbol::JumpTable(1), 0),
                reloc(24, RelocKind::PcRel32, CodeSymbol::Constant(constant), -4),
            ];
            let mut second = CompiledFunction { code: vec![0x90; 8], ..CompiledFunction::default() };
            let again = second.constants.intern(ConstantSize::C8, 77);
            second.relocs = vec![
                reloc(0, RelocKind::PcRel32, CodeSymbol::Function(start), -4),
                reloc(4, RelocKind::Abs32S, CodeSymbol::Constant(again), 0),
            ];
            let bytes = write(arch, &module, vec![(start, first), (helper, second)]).unwrap();

            let file = object::File::parse(&*bytes).unwrap();
            let section = |name: &str| file.section_by_name(name).unwrap();
            let symbol = |name: &str| file.symbols().find(|s| s.name() == Ok(name)).unwrap();
            let text_data = section(".text").data().unwrap();
            assert_eq!(text_data.len(), 48 + 8);
            // The call back to the first function is resolved: 0 - (48 + 4).
            assert_eq!(text_data[48..52], (-52i32).to_le_bytes());
            assert_eq!((symbol("pexe_start").address(), symbol("pexe_start").size()), (0, 40));
            assert!(symbol("pexe_start").is_global() && symbol("f1").is_local());
            assert_eq!((symbol("f1").address(), symbol("f1").size()), (48, 8));
            let undefined: Vec<_> =
                file.symbols().filter(|s| s.is_undefined()).filter_map(|s| s.name().ok()).collect();
            assert_eq!(undefined, ["memset"]);

            // Interned in the order of first use: 78, then 77.
            assert_eq!(
                section(".rodata.cst8").data().unwrap(),
                [[78, 0, 0, 0, 0, 0, 0, 0], [77, 0, 0, 0, 0, 0, 0, 0]].concat()
            );
            assert_eq!(section(".rodata").data().unwrap()[..3], [1, 2, 3]);
            assert_eq!((section(".rodata").size(), section(".bss").size()), (16, 41));
            assert_eq!(symbol("g0").section_index(), Some(section(".rodata").index()));
            assert_eq!(symbol("g2").section_index(), Some(section(".bss").index()));
            assert_eq!((text.as_u32(), zero.as_u32()), (0, 2));

            // What each relocation stands for, as symbol or section, and addend.
            let resolve = |name: &str| -> Vec<(u64, String, i64)> {
                let data = section(name).data().unwrap();
                let mut list: Vec<_> = section(name)
                    .relocations()
                    .map(|(at, r)| {
                        let RelocationTarget::Symbol(index) = r.target() else { panic!("target") };
                        let symbol = file.symbol_by_index(index).unwrap();
                        let target = match symbol.section_index() {
                            Some(index) if symbol.kind() == object::SymbolKind::Section => {
                                file.section_by_index(index).unwrap().name().unwrap().to_owned()
                            }
                            _ => symbol.name().unwrap().to_owned(),
                        };
                        let implicit =
                            i32::from_le_bytes(data[at as usize..at as usize + 4].try_into().unwrap());
                        let addend = if arch == Arch::X86_32 { i64::from(implicit) } else { r.addend() };
                        (at, target, addend)
                    })
                    .collect();
                list.sort();
                list
            };
            let expected = |list: &[(u64, &str, i64)]| -> Vec<_> {
                list.iter().map(|&(at, name, addend)| (at, name.to_owned(), addend)).collect()
            };
            assert_eq!(
                resolve(".text"),
                expected(&[
                    (0, "f1", -4),
                    (4, "g1", 3),
                    (8, "memset", -4),
                    (12, ".rodata.cst8", 0),
                    (16, ".rodata.cst8", 8),
                    (20, ".rodata", 12),
                    (24, ".LC8_1", -4),
                    (52, ".rodata.cst8", 8),
                ])
            );
            assert_eq!(resolve(".rodata"), expected(&[(4, ".text", 8), (8, ".text", 12), (12, ".text", 16)]));
            assert_eq!(resolve(".data"), expected(&[(4, "f1", 5)]));
        }
    }

    #[test]
    fn a_few_bytes_make_no_gigabytes() {
        let mut module = Module::new();
        module.data = vec![1];
        let huge = [Initializer::Zero(u32::MAX), Initializer::Bytes { start: 0, len: 1 }];
        global(&mut module, 0, Mutability::Variable, &huge);
        let error = write(Arch::X86_64, &module, vec![]).unwrap_err();
        assert!(matches!(error, Error::DataTooLarge { .. }), "{error}");

        let mut module = Module::new();
        module.data = vec![1];
        for align in [0, 29] {
            global(&mut module, align, Mutability::Constant, &[Initializer::Bytes { start: 0, len: 1 }]);
        }
        let error = write(Arch::X86_64, &module, vec![]).unwrap_err();
        assert!(matches!(error, Error::DataTooLarge { .. }), "{error}");

        // Zeros alone take no room.
        let mut module = Module::new();
        global(&mut module, 12, Mutability::Variable, &[Initializer::Zero(1 << 30)]);
        assert!(write(Arch::X86_64, &module, vec![]).unwrap().len() < 1000);
    }
}
