//! A module as assembler text for the GNU assembler and `llvm-mc`.
//!
//! The same sections in the same order with the same contents as [`object`](crate::object) writes, so that
//! an assembler and a linker make the same program from it. Names are those of
//! [`names`](crate::names); beside them stand, all local: `.LC8_5` the sixth 8-byte constant, `.LT12_0` the
//! first jump table of function 12, `.L12_7` its label 7, `.LB12` its start where a symbol that others see is not for
//! distances or debuggers, `.LD1` the second section for debuggers, `.Lname$local` the [local twin](has_local_twin) of a symbol.

mod debug;
mod exceptions;
mod texts;
mod unwind_index;

use crate::debug::DebugTables;
use crate::diversity::{self, PoolOrder};
use crate::error::Error;
use crate::labels::Labels;
use crate::machine::{Assembly, Machine, PROPERTY_NOTE};
use crate::names::{SymbolNames, write_name};
use crate::object::{TYPE_TRAPS, function_alignment, resolve_alias};
use crate::options::{Options, RelocationModel, Sections};
use crate::output::{Functions, ModuleOutput, Translated};
use crate::placement::{Contents, NamedSection, Placement, data_bytes, has_distances};
use crate::relocations::{TableEntries, has_local_twin};
use crate::unwind::{Entries, UnwindForm};
use core::fmt::{self, Write};
use debug::StartLabel;
use ice_asm::{ConstantId, ConstantPool, ConstantSize, RelocKind, write_with_symbols};
use ice_codegen::CodeSymbol;
use ice_elf::Sink;
use ice_ir::native::{ComdatKind, Environment, SymbolTraits, Visibility};
use ice_ir::source::SourceUnit;
use ice_ir::{FuncId, FunctionKind, GlobalId, GlobalKind, Initializer, Linkage, Module, Symbol, Type};
use object::elf;
use std::collections::BTreeSet;

/// Text of this size goes to the sink, in bytes.
const FLUSH_SIZE: usize = 1 << 16;

/// Stands inside of `.L` in names that are not to be taken for labels.
const NO_LABEL: char = '\u{4}';

/// Writes a module as assembler text.
pub struct AssemblyOutput<'a, 'm, S: Sink> {
    machine: &'static dyn Machine,
    /// What the machine writes in its own way.
    own: Assembly,
    relocation: RelocationModel,
    sections: Sections,
    /// What functions are aligned to at least, in bytes.
    least_alignment: u64,
    /// Which functions have tables for unwinding, if any may.
    unwind: Option<Entries>,
    debug: Option<DebugTables>,
    module: &'m Module,
    names: &'a SymbolNames<'m>,
    sink: S,
    text: String,
    /// One function, before its labels are made unique.
    listing: String,
    constants: ConstantPool,
    pool_order: PoolOrder,
    /// Sizes of the constants so far, in the order of first use: the order of their sections.
    sizes: Vec<ConstantSize>,
    /// What words stand for that tables for exceptions refer to, by number.
    address_words: Vec<Symbol>,
    /// The variables that stand behind the code, as in object files, since distances of labels are in them.
    distances: Vec<GlobalId>,
    labels: Labels,
    /// The labels that code refers to.
    taken_labels: BTreeSet<(FuncId, u32)>,
    /// Why a function cannot be written: a defect.
    fault: Option<Error>,
}

impl<'a, 'm, S: Sink> AssemblyOutput<'a, 'm, S> {
    /// Starts the text of a module with these units of a source, with the global variables.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn new(
        options: &Options,
        (module, units): (&'m Module, &[SourceUnit]),
        names: &'a SymbolNames<'m>,
        sink: S,
    ) -> Result<Self, Error> {
        let (machine, relocation) = (options.arch.machine(), options.relocation);
        let mut own = machine.assembly(options.features, options.relocation.of(module));
        let bundles = options.bundles();
        if let Some(bundles) = bundles {
            own.fill = bundles.halt_text;
        }
        let (text, listing, constants, sizes) =
            (String::new(), String::new(), ConstantPool::new(), Vec::new());
        let mut output = AssemblyOutput {
            machine,
            own,
            relocation,
            sections: options.sections,
            least_alignment: bundles.map_or(machine.code_alignment(), |bundles| bundles.bytes),
            unwind: Entries::of(options),
            debug: DebugTables::new(machine, units),
            module,
            names,
            sink,
            text,
            listing,
            constants,
            pool_order: PoolOrder::new(options.diversity),
            sizes,
            address_words: Vec::new(),
            distances: Vec::new(),
            labels: Labels::default(),
            taken_labels: BTreeSet::new(),
            fault: None,
        };
        output.text.push_str(&output.own.head);
        // Writing into a string cannot fail.
        let _ = output.write_property_note();
        if !module.assembly.is_empty() {
            output.text.push_str("\t.text\n");
            output.text.push_str(&module.assembly);
            output.text.push('\n');
        }
        for id in diversity::globals(options.diversity, module) {
            if has_distances(module, id) {
                output.distances.push(id);
            } else {
                // Writing into a string cannot fail.
                let _ = output.write_global(id);
                output.flush(FLUSH_SIZE)?;
            }
        }
        Ok(output)
    }

    /// What the machine says of the code.
    fn write_property_note(&mut self) -> fmt::Result {
        let note = self.machine.property_note(&self.module.hardening);
        if note.is_empty() {
            return Ok(());
        }
        let align_log2 = self.machine.address_type().bytes().trailing_zeros();
        writeln!(self.text, "\t.section {PROPERTY_NOTE},\"a\",%note\n\t.p2align {align_log2}")?;
        write_bytes(&mut self.text, &note)
    }

    fn flush(&mut self, from: usize) -> Result<(), Error> {
        if self.text.len() >= from {
            self.sink.append(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    fn is_native(&self) -> bool {
        self.module.environment == Environment::Native
    }

    /// Says who sees a symbol.
    fn write_visibility(&mut self, symbol: Symbol, name: &str) -> fmt::Result {
        let (linkage, traits): (Linkage, &SymbolTraits) = match symbol {
            Symbol::Function(f) => (self.module.functions[f].linkage, &self.module.functions[f].symbol),
            Symbol::Global(g) => (self.module.globals[g].linkage, &self.module.globals[g].symbol),
        };
        let out = &mut self.text;
        match linkage {
            _ if linkage.is_local() => return Ok(()),
            Linkage::Weak | Linkage::LinkOnce => writeln!(out, "\t.weak {name}")?,
            _ => writeln!(out, "\t.globl {name}")?,
        }
        match traits.visibility {
            Visibility::Default => Ok(()),
            visibility => writeln!(out, "\t.{visibility} {name}"),
        }
    }

    fn write_section(&mut self, place: &Placement<'m>) -> fmt::Result {
        let module = self.module;
        let out = &mut self.text;
        let Some(section) = place.named_section() else {
            return out.write_str(match place.contents {
                Contents::Code => "\t.text\n",
                Contents::ReadOnly => "\t.section .rodata,\"a\",%progbits\n",
                Contents::Relocated => "\t.section .data.rel.ro,\"aw\",%progbits\n",
                Contents::Data => "\t.data\n",
                Contents::Zero => "\t.bss\n",
                Contents::ThreadData => "\t.section .tdata,\"awT\",%progbits\n",
                Contents::ThreadZero => "\t.section .tbss,\"awT\",%nobits\n",
            });
        };
        write_named_section(module, &section, out)
    }

    fn write_global(&mut self, id: GlobalId) -> fmt::Result {
        let module = self.module;
        let decl = &module.globals[id];
        let (size, align) = (module.global_size(id), decl.align_log2.unwrap_or(0));
        let mut name = String::new();
        self.names.write_global(id, &mut name)?;
        let Some(place) = Placement::of_global(module, id, self.relocation, self.sections) else {
            let is_weak = decl.linkage == Linkage::Weak && decl.kind == GlobalKind::Declared;
            return match decl.kind {
                GlobalKind::Defined => writeln!(self.text, "\t.comm {name},{size},{}", 1u64 << align),
                GlobalKind::Declared if is_weak => writeln!(self.text, "\t.weak {name}"),
                GlobalKind::Declared | GlobalKind::Alias { .. } | GlobalKind::Label { .. } => Ok(()),
            };
        };
        self.write_section(&place)?;
        self.write_visibility(Symbol::Global(id), &name)?;
        let is_kept = place.is_kept();
        let (names, is_wide) = (self.names, module.pointer_type == Type::I64);
        let (machine, relocation) = (self.machine, self.relocation);
        let has_twin = |symbol| has_local_twin(machine, module, relocation, symbol);
        let has_linkage_table = self.machine.relocation_type(RelocKind::Plt32).is_some();
        let out = &mut self.text;
        let kind = if decl.storage.is_thread_local() { "tls_object" } else { "object" };
        writeln!(out, "\t.type {name},%{kind}\n\t.size {name}, {size}\n\t.p2align {align}\n{name}:")?;
        if has_twin(Symbol::Global(id)) {
            write_twin_label(names, Symbol::Global(id), out)?;
        }
        if place.contents.is_zero() && !is_kept {
            return if size > 0 { writeln!(out, "\t.zero {size}") } else { Ok(()) };
        }
        for init in module.initializers(id) {
            match *init {
                Initializer::Zero(0) => {}
                Initializer::Zero(count) => writeln!(out, "\t.zero {count}")?,
                Initializer::Bytes { start, len } => write_bytes(out, data_bytes(module, start, len))?,
                Initializer::Address { target, addend } => {
                    out.write_str(field_directive(if is_wide { 8 } else { 4 }))?;
                    names.write_symbol(target, out)?;
                    // Addresses wrap at their width.
                    writeln!(out, "{:+}", if is_wide { addend } else { i64::from(addend as i32) })?;
                }
                Initializer::Distance { plus, minus, addend, bytes } => {
                    let value = self.labels.distance(module, plus, minus, addend);
                    write_bytes(out, &value.to_le_bytes()[..usize::from(bytes)])?;
                }
                Initializer::Relative { target, addend, bytes } => {
                    out.write_str(field_directive(bytes))?;
                    write_reached(names, target, has_twin(target), out)?;
                    let is_called = matches!(target, Symbol::Function(f) if has_linkage_table
                        && bytes == 4
                        && !has_twin(target)
                        && !module.functions[f].linkage.is_local()
                        && module.environment == Environment::Native);
                    writeln!(out, "{}{addend:+}-.", if is_called { "@PLT" } else { "" })?;
                }
            }
        }
        Ok(())
    }

    fn write_function(&mut self, translated: &Translated<'_>) -> fmt::Result {
        let Translated { function, code: ref compiled, text: listing, source } = *translated;
        let (names, is_native) = (self.names, self.is_native());
        let mut name = String::new();
        names.write_function(function, &mut name)?;
        self.write_section(&Placement::of_function(self.module, function, self.sections))?;
        let mut alignment = function_alignment(self.machine, self.module, function).max(self.least_alignment);
        let prefix = self.machine.function_prefix(&self.module.functions[function].traits, alignment);
        alignment = prefix.as_ref().map_or(alignment, |prefix| prefix.len() as u64);
        let align = alignment.trailing_zeros();
        writeln!(self.text, "\t{} {align}, {}", self.own.align, self.own.fill)?;
        if let Some(prefix) = prefix {
            write_bytes(&mut self.text, &prefix)?;
        }
        self.write_visibility(Symbol::Function(function), &name)?;
        let out = &mut self.text;
        writeln!(out, "\t.type {name},%function\n{name}:")?;
        let (machine, module, relocation) = (self.machine, self.module, self.relocation);
        let has_twin = |symbol| has_local_twin(machine, module, relocation, symbol);
        if has_twin(Symbol::Function(function)) {
            write_twin_label(names, Symbol::Function(function), out)?;
        }
        let mut start = name.clone();
        let source = self.debug.as_mut().zip(source);
        let has_traps = is_native && !compiled.type_traps.is_empty();
        if source.is_some() || has_traps && !module.functions[function].linkage.is_local() {
            start = StartLabel(function).to_string();
            writeln!(out, "{start}:")?;
        }
        if let Some((debug, source)) = source {
            debug.add(function, compiled.code.len() as u32, source);
        }
        let exceptions = compiled.exceptions.filter(|_| self.unwind.is_some());
        let has_frames =
            exceptions.is_some() || self.unwind.is_some_and(|entries| entries.include(self.module, function));
        let form = self.unwind.map(|entries| entries.form).filter(|_| has_frames || is_native);
        match form {
            Some(UnwindForm::Frames(_)) if has_frames => {
                out.write_str("\t.cfi_startproc\n")?;
                exceptions.map_or(Ok(()), |table| self.write_personality(function, table))?;
            }
            Some(UnwindForm::Index(_)) => out.write_str("\t.fnstart\n")?,
            _ => {}
        }
        let out = &mut self.text;
        self.listing.clear();
        let (constants, sizes, fault, taken_labels) =
            (&mut self.constants, &mut self.sizes, &mut self.fault, &mut self.taken_labels);
        let known_sizes = sizes.len();
        let with_parts;
        let listing = match compiled.parts.is_empty() {
            true => listing,
            false => {
                with_parts = [listing, &texts::listing(function, compiled.parts)?].concat();
                &with_parts
            }
        };
        write_with_symbols(listing, &mut self.listing, |symbol, out| match CodeSymbol::unpack(symbol) {
            CodeSymbol::Function(function) if is_native => {
                let symbol = Symbol::Function(function);
                write_unlabelled(names, symbol, has_twin(symbol), out)
            }
            CodeSymbol::Global(global) if is_native => {
                write_unlabelled(names, Symbol::Global(global), has_twin(Symbol::Global(global)), out)
            }
            CodeSymbol::Function(function) => names.write_function(function, out),
            CodeSymbol::Start => names.write_function(function, out),
            CodeSymbol::Global(global) => names.write_global(global, out),
            CodeSymbol::Label(index) => match compiled.taken_labels.get(index as usize) {
                Some(&(function, label)) => {
                    taken_labels.insert((function, label));
                    write_label_name(function, label, out)
                }
                None => Err(fmt::Error),
            },
            CodeSymbol::Libcall(libcall) => out.write_str(libcall.name()),
            CodeSymbol::Constant(id) => {
                if !sizes.contains(&id.size) {
                    sizes.push(id.size);
                }
                let Some(bits) = compiled.constants.get(id) else {
                    *fault = Some(Error::no_constant(module, function, id));
                    return Err(fmt::Error);
                };
                write_constant_name(constants.intern(id.size, bits), out)
            }
            CodeSymbol::JumpTable(table) => write!(out, ".LT{}_{table}", function.as_u32()),
            CodeSymbol::Named(name) => out.write_str(compiled.names.get(name as usize).ok_or(fmt::Error)?),
            CodeSymbol::Part(part) => write!(out, ".LP{}_{part}", function.as_u32()),
        })?;
        write_with_unique_labels(&self.listing, function, out)?;
        match form {
            Some(UnwindForm::Frames(_)) if has_frames => out.write_str("\t.cfi_endproc\n")?,
            Some(UnwindForm::Index(_)) => self.write_index_entry(function, compiled, has_frames)?,
            _ => {}
        }
        writeln!(self.text, "\t.size {name}, .-{name}")?;
        self.labels.note(function, compiled.labels);
        if !compiled.type_traps.is_empty() {
            self.write_type_traps(function, &start, compiled.type_traps)?;
        }
        let entries = TableEntries::of(self.machine, self.module, self.relocation);
        if !compiled.tables.is_empty() {
            self.write_section(&Placement::of_tables(self.module, function, self.sections))?;
            writeln!(self.text, "\t.p2align {}", entries.bytes().trailing_zeros())?;
        }
        let out = &mut self.text;
        for (index, table) in compiled.tables.iter().enumerate() {
            let label = format!(".LT{}_{index}", function.as_u32());
            writeln!(out, "{label}:")?;
            for &target in table {
                let target = UniqueLabel(function, target);
                match entries {
                    TableEntries::WideAbsolute => writeln!(out, "\t.quad {target}")?,
                    TableEntries::Absolute => writeln!(out, "\t.long {target}")?,
                    TableEntries::FromTable => writeln!(out, "\t.long {target}-{label}")?,
                    TableEntries::FromGlobalBase => writeln!(out, "\t.long {target}@GOTOFF")?,
                }
            }
        }
        if let (Some(UnwindForm::Frames(_)), Some(table)) = (form, exceptions) {
            self.write_exceptions(function, table, compiled.code.len() as u32)?;
        }
        let out = &mut self.text;
        // The contents come at the end; the assembler orders sections as it meets them.
        self.sizes[known_sizes..].iter().try_for_each(|&size| write_constant_section(size, out))
    }

    /// Says which traps of the function are those of calls to functions of other types.
    #[cold]
    fn write_type_traps(&mut self, function: FuncId, start: &str, traps: &[u32]) -> fmt::Result {
        let place = Placement::of_function(self.module, function, self.sections);
        let named = place.named_section();
        let out = &mut self.text;
        let comdat = named.and_then(|section| section.comdat).map(|comdat| &self.module.comdats[comdat]);
        let letters = if comdat.is_some() { "aoG" } else { "ao" };
        write!(out, "\t.section {TYPE_TRAPS},\"{letters}\",%progbits,{start}")?;
        if let Some(comdat) = comdat {
            out.push(',');
            write_name(self.module.name(comdat.name), out)?;
            out.push_str(if comdat.kind == ComdatKind::Any { ",comdat" } else { "" });
        }
        out.push('\n');
        traps.iter().try_for_each(|trap| writeln!(out, "\t.long {start}+{trap}-."))
    }

    /// The labels, when all code has its place.
    fn write_labels(&mut self) -> fmt::Result {
        let mut labels = Vec::new();
        for &(function, label) in &self.taken_labels {
            let mut name = String::new();
            write_label_name(function, label, &mut name)?;
            labels.push((name, function, label));
        }
        for (id, decl) in &self.module.globals {
            if let GlobalKind::Label { function, label } = decl.kind {
                let mut name = String::new();
                self.names.write_global(id, &mut name)?;
                labels.push((name, function, label));
            }
        }
        for (name, function, label) in labels {
            write!(self.text, "\t.set {name}, ")?;
            if self.module.functions[function].kind != FunctionKind::Defined {
                writeln!(self.text, "1")?;
                continue;
            }
            self.names.write_function(function, &mut self.text)?;
            writeln!(self.text, "+{}", self.labels.offset(function, label))?;
        }
        Ok(())
    }

    /// Functions that are declared weak, and aliases.
    fn write_other_symbols(&mut self) -> fmt::Result {
        let module = self.module;
        for (id, decl) in &module.functions {
            let mut name = String::new();
            self.names.write_function(id, &mut name)?;
            match decl.kind {
                FunctionKind::Declared if decl.linkage == Linkage::Weak => {
                    writeln!(self.text, "\t.weak {name}")?;
                }
                FunctionKind::Alias(_) => self.write_alias(Symbol::Function(id), &name)?,
                FunctionKind::Indirect(resolver) => {
                    self.write_visibility(Symbol::Function(id), &name)?;
                    // ARM's assemblers take the character of this directive for a comment.
                    write!(self.text, "\t.type {name}, %gnu_indirect_function\n\t.set {name}, ")?;
                    self.names.write_symbol(resolver, &mut self.text)?;
                    self.text.push('\n');
                }
                _ => {}
            }
        }
        for (id, decl) in &module.globals {
            if let GlobalKind::Alias { .. } = decl.kind {
                let mut name = String::new();
                self.names.write_global(id, &mut name)?;
                self.write_alias(Symbol::Global(id), &name)?;
            }
        }
        Ok(())
    }

    fn write_alias(&mut self, alias: Symbol, name: &str) -> fmt::Result {
        self.write_visibility(alias, name)?;
        let (target, addend) = resolve_alias(self.module, alias);
        write!(self.text, "\t.set {name}, ")?;
        self.names.write_symbol(target, &mut self.text)?;
        writeln!(self.text, "{addend:+}")?;
        if has_local_twin(self.machine, self.module, self.relocation, alias) {
            self.text.push_str("\t.set ");
            write_twin(self.names, alias, &mut self.text)?;
            writeln!(self.text, ", {name}")?;
        }
        Ok(())
    }

    fn write_constants(&mut self) -> fmt::Result {
        let out = &mut self.text;
        for size in [ConstantSize::C4, ConstantSize::C8, ConstantSize::C16] {
            let bytes = size.bytes();
            if self.constants.len(size) > 0 {
                write_constant_section(size, out)?;
                writeln!(out, "\t.balign {bytes}")?;
            }
            for constant in self.pool_order.constants(&self.constants, size) {
                let bits = constant.map_or(0, |(_, bits)| bits);
                if let Some((id, _)) = constant {
                    write_constant_name(id, out)?;
                    writeln!(out, ":")?;
                }
                match size {
                    ConstantSize::C4 => writeln!(out, "\t.long {bits:#x}")?,
                    ConstantSize::C8 => writeln!(out, "\t.quad {bits:#x}")?,
                    ConstantSize::C16 => {
                        writeln!(out, "\t.quad {:#x}, {:#x}", bits as u64, (bits >> 64) as u64)?;
                    }
                }
            }
        }
        writeln!(out, "\t.section .note.GNU-stack,\"\",%progbits")
    }
}

fn write_label_name(function: FuncId, label: u32, out: &mut dyn Write) -> fmt::Result {
    write!(out, ".LP{}_{label}", function.as_u32())
}

/// Writes the name of the local twin of a symbol.
fn write_twin(names: &SymbolNames<'_>, symbol: Symbol, out: &mut dyn Write) -> fmt::Result {
    let mut name = String::new();
    names.write_symbol(symbol, &mut name)?;
    match name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        Some(name) => write!(out, "\".L{name}$local\""),
        None => write!(out, ".L{name}$local"),
    }
}

fn write_twin_label(names: &SymbolNames<'_>, symbol: Symbol, out: &mut String) -> fmt::Result {
    write_twin(names, symbol, out)?;
    out.write_str(":\n")
}

/// Writes the symbol by which the module's own code reaches another, which may have a twin for that.
fn write_reached(
    names: &SymbolNames<'_>,
    symbol: Symbol,
    has_twin: bool,
    out: &mut dyn Write,
) -> fmt::Result {
    if has_twin { write_twin(names, symbol, out) } else { names.write_symbol(symbol, out) }
}

/// Writes the symbol by which code reaches another such that no part of it is taken for a label.
fn write_unlabelled(
    names: &SymbolNames<'_>,
    symbol: Symbol,
    has_twin: bool,
    out: &mut dyn Write,
) -> fmt::Result {
    let mut name = String::new();
    write_reached(names, symbol, has_twin, &mut name)?;
    out.write_str(&name.replace(".L", &format!(".{NO_LABEL}L")))
}

fn write_named_section(module: &Module, section: &NamedSection<'_>, out: &mut String) -> fmt::Result {
    out.write_str("\t.section ")?;
    write_name(&section.name, out)?;
    let flags =
        [(elf::SHF_ALLOC, 'a'), (elf::SHF_WRITE, 'w'), (elf::SHF_EXECINSTR, 'x'), (elf::SHF_TLS, 'T')];
    out.write_str(",\"")?;
    let set = flags.iter().filter(|(flag, _)| section.flags & u64::from(*flag) != 0);
    set.for_each(|&(_, letter)| out.push(letter));
    if section.comdat.is_some() {
        out.push('G');
    }
    out.write_str(match section.sh_type {
        elf::SHT_NOBITS => "\",%nobits",
        elf::SHT_NOTE => "\",%note",
        elf::SHT_INIT_ARRAY => "\",%init_array",
        elf::SHT_FINI_ARRAY => "\",%fini_array",
        elf::SHT_PREINIT_ARRAY => "\",%preinit_array",
        _ => "\",%progbits",
    })?;
    if let Some(comdat) = section.comdat {
        let comdat = &module.comdats[comdat];
        out.push(',');
        write_name(module.name(comdat.name), out)?;
        if comdat.kind == ComdatKind::Any {
            out.write_str(",comdat")?;
        }
    }
    out.write_char('\n')
}

/// Makes `.L7` of a function's listing `.L12_7`: labels count from 0 in each function.
fn write_with_unique_labels(listing: &str, function: FuncId, out: &mut String) -> fmt::Result {
    let mut rest = listing;
    while let Some(at) = rest.find(".L") {
        let (before, label) = rest.split_at(at + 2);
        before.split(NO_LABEL).try_for_each(|part| out.write_str(part))?;
        if label.starts_with(|c: char| c.is_ascii_digit()) {
            write!(out, "{}_", function.as_u32())?;
        }
        rest = label;
    }
    for part in rest.split(NO_LABEL) {
        out.write_str(part)?;
    }
    Ok(())
}

/// A label of the function as it stands in text: [`write_with_unique_labels`].
struct UniqueLabel(FuncId, u32);

impl fmt::Display for UniqueLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".L{}_{}", self.0.as_u32(), self.1)
    }
}

fn write_constant_section(size: ConstantSize, out: &mut String) -> fmt::Result {
    let bytes = size.bytes();
    writeln!(out, "\t.section .rodata.cst{bytes},\"aM\",%progbits,{bytes}")
}

fn write_constant_name(id: ConstantId, out: &mut dyn Write) -> fmt::Result {
    write!(out, ".LC{}_{}", id.size.bytes(), id.index)
}

/// The directive for a field of 4 or 8 bytes wherever it lies: those for words align them in the GNU assembler for MIPS.
const fn field_directive(bytes: u8) -> &'static str {
    if bytes == 8 { "\t.8byte " } else { "\t.4byte " }
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

impl<S: Sink + Send> ModuleOutput for AssemblyOutput<'_, '_, S> {
    fn functions(&mut self, mut functions: Functions<'_>) -> Result<(), Error> {
        while let Some(translated) = functions.take_next() {
            let _ = self.write_function(&translated);
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            self.flush(FLUSH_SIZE)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        for id in core::mem::take(&mut self.distances) {
            let _ = self.write_global(id);
            self.flush(FLUSH_SIZE)?;
        }
        let _ = self.write_labels();
        let _ = self.write_other_symbols();
        let _ = self.write_address_words();
        let _ = self.write_constants();
        let _ = self.write_debug();
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
