//! Writes what only native modules have: passing of arguments, traits of symbols, comdats.

use core::fmt::{self, Write};

use super::{alignment, name, write_string};
use crate::assembly::{Assembly, Dialect};
use crate::entities::Symbol;
use crate::hardening::{GuardSource, ObjectKind, SignedReturn, StackGuard, StackProtection, Tracking};
use crate::module::{GlobalDecl, GlobalKind, Linkage, Module, Signature};
use crate::native::{
    Arity, CallingConvention, ComdatKind, FrameChain, FunctionTraits, Passing, Preemption, Results, Storage,
    SymbolTraits, UnwindTables, Visibility,
};
use crate::types::Type;

/// The parameters, the results and `variadic`.
pub(super) fn write_signature(signature: &Signature, out: &mut impl Write) -> fmt::Result {
    out.write_char('(')?;
    for (i, ty) in signature.params.iter().enumerate() {
        write!(out, "{}{ty}", if i == 0 { "" } else { ", " })?;
        write_passing(signature.passing(i), out)?;
    }
    write!(out, ") -> {}", signature.ret)?;
    if signature.second != Type::Void {
        write!(out, ", {}", signature.second)?;
    }
    if signature.results != Results::Apart {
        write!(out, " {}", signature.results)?;
    }
    if signature.arity == Arity::Variadic {
        out.write_str(" variadic")?;
    }
    match signature.convention {
        CallingConvention::Standard => {}
        convention => write!(out, " {convention}")?,
    }
    match signature.tracking {
        Tracking::Tracked => Ok(()),
        tracking => write!(out, " {tracking}"),
    }
}

/// A statement for each thing that the module asks for against attacks.
pub(super) fn write_hardening(module: &Module, out: &mut impl Write) -> fmt::Result {
    let hardening = &module.hardening;
    if hardening.tracks_branches {
        writeln!(out, "harden branches")?;
    }
    if hardening.signs_returns {
        writeln!(out, "harden signed")?;
    }
    if hardening.has_shadow_stack {
        writeln!(out, "harden returns")?;
    }
    if hardening.checks_types {
        writeln!(out, "harden calls")?;
    }
    let Some(StackGuard { source, fail }) = hardening.stack_guard else { return Ok(()) };
    write!(out, "harden stack {} by ", name(module, Symbol::Function(fail)))?;
    match source {
        GuardSource::Variable(global) => writeln!(out, "{}", name(module, Symbol::Global(global))),
        GuardSource::Segment { read, segment, offset } => {
            writeln!(out, "{}({segment}, {offset})", name(module, Symbol::Function(read)))
        }
    }
}

/// The lines of assembly beside functions and variables.
pub(super) fn write_module_assembly(module: &Module, out: &mut impl Write) -> fmt::Result {
    for line in module.assembly.lines() {
        out.write_str("asm ")?;
        write_string(line.as_bytes(), out)?;
        out.write_char('\n')?;
    }
    Ok(())
}

/// The word behind an alloca of a kind that is not the usual one.
pub(super) fn write_object_kind(kind: ObjectKind, out: &mut impl Write) -> fmt::Result {
    match kind {
        ObjectKind::Local => Ok(()),
        kind => write!(out, ", {kind}"),
    }
}

fn write_passing(passing: Passing, out: &mut impl Write) -> fmt::Result {
    match passing {
        Passing::Plain => Ok(()),
        Passing::ByVal { size, align_log2 } => write!(out, " byval {size} align {}", alignment(align_log2)),
        Passing::StructReturn => out.write_str(" sret"),
        Passing::StructReturnInRegister => out.write_str(" sret.inreg"),
        Passing::OnStack => out.write_str(" stack"),
        Passing::InRegister => out.write_str(" inreg"),
        Passing::Nest => out.write_str(" nest"),
        Passing::PairLow => out.write_str(" pair"),
        Passing::Group { len } => write!(out, " group {len}"),
    }
}

pub(super) fn write_comdats(module: &Module, out: &mut impl Write) -> fmt::Result {
    for (id, comdat) in &module.comdats {
        write!(out, "{id} = ")?;
        if comdat.kind == ComdatKind::NoDuplicates {
            out.write_str("all ")?;
        }
        write_string(module.name(comdat.name), out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The words between the keyword and the name of a global, with a space after each.
pub(super) fn write_global_words(module: &Module, decl: &GlobalDecl, out: &mut impl Write) -> fmt::Result {
    if decl.linkage != Linkage::Internal {
        write!(out, "{} ", decl.linkage)?;
    }
    if decl.storage != Storage::Shared {
        write!(out, "{} ", decl.storage)?;
    }
    match decl.kind {
        GlobalKind::Defined => {}
        GlobalKind::Declared => out.write_str("declared ")?,
        GlobalKind::Alias { .. } => out.write_str("alias ")?,
        GlobalKind::Label { .. } => {}
    }
    write_symbol_words(module, &decl.symbol, out)
}

/// The words of a symbol, with a space after each.
pub(super) fn write_symbol_words(
    module: &Module,
    symbol: &SymbolTraits,
    out: &mut impl Write,
) -> fmt::Result {
    if symbol.visibility != Visibility::Default {
        write!(out, "{} ", symbol.visibility)?;
    }
    if symbol.preemption == Preemption::Excluded {
        out.write_str("local ")?;
    }
    if !symbol.section.is_empty() {
        out.write_str("section ")?;
        write_string(module.name(symbol.section), out)?;
        out.write_char(' ')?;
    }
    if let Some(comdat) = symbol.comdat {
        write!(out, "{comdat} ")?;
    }
    Ok(())
}

/// Inline assembly without its arguments; of a computation of the machine it is known that it is an instruction.
pub(super) fn write_assembly(assembly: &Assembly, is_op: bool, out: &mut impl Write) -> fmt::Result {
    out.write_str(if is_op { "machine " } else { "asm " })?;
    out.write_str(if assembly.returns_twice { "returns_twice " } else { "" })?;
    out.write_str(if assembly.is_instruction && !is_op { "instruction " } else { "" })?;
    out.write_str(if assembly.dialect == Dialect::Intel { "intel " } else { "" })?;
    write_string(assembly.template.as_bytes(), out)?;
    out.write_str(", ")?;
    write_string(assembly.constraints.as_bytes(), out)
}

/// The words of a function, with a space after each.
pub(super) fn write_function_words(traits: &FunctionTraits, out: &mut impl Write) -> fmt::Result {
    let words = [
        (traits.returns_twice, "returns_twice "),
        (traits.noreturn, "noreturn "),
        (traits.cold, "cold "),
        (traits.nounwind, "nounwind "),
        (traits.frame_pointer == FrameChain::All, "frame_pointer "),
        (traits.frame_pointer == FrameChain::Callers, "frame_pointer_of_callers "),
        (traits.unwind == UnwindTables::Async, "uwtable "),
        (traits.unwind == UnwindTables::Sync, "uwtable_sync "),
        (traits.landing, "landing "),
        (traits.wide_registers, "wide_registers "),
        (traits.wide_integers, "wide_integers "),
        (traits.permutes_bytes, "permutes_bytes "),
    ];
    words.into_iter().filter(|(said, _)| *said).try_for_each(|(_, word)| out.write_str(word))?;
    if traits.signed_return != SignedReturn::Never {
        write!(out, "{} ", traits.signed_return)?;
    }
    if traits.protection != StackProtection::None {
        write!(out, "{} ", traits.protection)?;
    }
    if let Some(word) = traits.type_word {
        write!(out, "type_word {word} ")?;
    }
    if let Some([mark, word]) = traits.signature_words {
        write!(out, "signature_words {mark} {word} ")?;
    }
    if traits.align_log2 > 0 {
        write!(out, "align {} ", alignment(traits.align_log2))?;
    }
    Ok(())
}
