//! Writes modules and functions as text.

mod native;

use alloc::collections::BTreeMap;
use core::fmt::{self, Write};

use super::is_plain_name;
use crate::entities::{Inst, Invocation, Pad, SigId, Symbol, Value};
use crate::exceptions::{Clause, InvokeCallee};
use crate::function::{Function, Rarity, SwitchKey, ValueDef};
use crate::instruction::{InstData, TailHint, ValueRange};
use crate::intrinsics;
use crate::module::{FunctionKind, GlobalKind, Initializer, Module, Mutability, Program, Signature, TypeDef};
use crate::native::Environment;
use crate::types::Type;

/// Bytes of initial data on one line.
const BYTES_PER_LINE: usize = 64;

/// Writes a whole program.
pub fn write_program(program: &Program, out: &mut impl Write) -> fmt::Result {
    let module = &program.module;
    write!(out, "target pointer {}", module.pointer_type)?;
    if module.environment != Environment::Pnacl {
        write!(out, " {}", module.environment)?;
    }
    if module.is_executable {
        out.write_str(" executable")?;
    }
    writeln!(out)?;
    native::write_comdats(module, out)?;
    write_types(module, out)?;
    if !module.globals.is_empty() {
        writeln!(out)?;
    }
    for global in module.globals.keys() {
        let decl = &module.globals[global];
        let keyword = match decl.mutability {
            Mutability::Constant => "constant",
            Mutability::Variable => "global",
        };
        write!(out, "{keyword} ")?;
        native::write_global_words(module, decl, out)?;
        write!(out, "{}", name(module, Symbol::Global(global)))?;
        if let Some(log2) = decl.align_log2 {
            write!(out, " align {}", alignment(log2))?;
        }
        if let GlobalKind::Alias { target, addend } = decl.kind {
            out.write_str(" = ")?;
            write_initializer(module, &Initializer::Address { target, addend }, out)?;
        }
        if let GlobalKind::Label { function, label } = decl.kind {
            write!(out, " = block {}, {label}", name(module, Symbol::Function(function)))?;
        }
        for (i, init) in module.initializers(global).iter().enumerate() {
            out.write_str(if i == 0 { " = " } else { ", " })?;
            write_initializer(module, init, out)?;
        }
        writeln!(out)?;
    }
    if !module.functions.is_empty() {
        writeln!(out)?;
    }
    let signatures = FirstOfEqual::new(module);
    let mut bodies = program.bodies.iter();
    for (id, decl) in &module.functions {
        match (decl.kind, bodies.as_slice().first()) {
            (FunctionKind::Defined, Some(body)) => {
                write_body(module, &signatures, body, out)?;
                bodies.next();
            }
            _ => {
                write_header(module, &signatures, id, &[], out)?;
                writeln!(out)?;
            }
        }
    }
    native::write_hardening(module, out)?;
    native::write_module_assembly(module, out)?;
    if !module.symbol_order.iter().copied().eq(default_order(module)) {
        out.write_str("\nsymbols")?;
        for (i, &symbol) in module.symbol_order.iter().enumerate() {
            let separator = if i == 0 { " " } else { ", " };
            write!(out, "{separator}{}", name(module, symbol))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the definition of one function.
pub fn write_function(module: &Module, func: &Function, out: &mut impl Write) -> fmt::Result {
    write_body(module, &FirstOfEqual::new(module), func, out)
}

/// The order of the symbol table if the text says none: functions, then globals, as declared.
pub(super) fn default_order(module: &Module) -> impl Iterator<Item = Symbol> + '_ {
    let functions = module.functions.keys().map(Symbol::Function);
    let globals = module.globals.keys().map(Symbol::Global);
    functions.chain(globals).filter(|&s| !module.symbol_name(s).is_empty())
}

/// The first of each set of equal signatures: what a function without an explicit one has.
struct FirstOfEqual<'m>(BTreeMap<(&'m [Type], Type), SigId>);

impl<'m> FirstOfEqual<'m> {
    fn new(module: &'m Module) -> Self {
        let mut first = BTreeMap::new();
        for (id, signature) in module.signatures.iter().filter(|(_, signature)| signature.is_plain()) {
            first.entry((&signature.params[..], signature.ret)).or_insert(id);
        }
        FirstOfEqual(first)
    }

    fn is_first(&self, id: SigId, signature: &Signature) -> bool {
        self.0.get(&(&signature.params[..], signature.ret)) == Some(&id)
    }
}

/// A symbol as it is written.
fn name(module: &Module, symbol: Symbol) -> impl fmt::Display + '_ {
    fmt::from_fn(move |f| {
        let name = module.symbol_name(symbol);
        match symbol {
            _ if is_plain_name(name) => write!(f, "@{}", name.escape_ascii()),
            Symbol::Function(id) if name.is_empty() => write!(f, "@f{}", id.as_u32()),
            Symbol::Global(id) if name.is_empty() => write!(f, "@g{}", id.as_u32()),
            _ => {
                f.write_char('@')?;
                write_string(name, f)
            }
        }
    })
}

/// The alignment in bytes; 0, which is none, if it has more than 64 bits.
fn alignment(log2: u8) -> u64 {
    1u64.checked_shl(u32::from(log2)).unwrap_or(0)
}

fn write_string(bytes: &[u8], out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => write!(out, "\\{byte:02x}")?,
            b' '..=b'~' => out.write_char(char::from(byte))?,
            _ => write!(out, "\\{byte:02x}")?,
        }
    }
    out.write_char('"')
}

/// `a, b, c`.
fn write_list<T: fmt::Display>(items: impl IntoIterator<Item = T>, out: &mut impl Write) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        write!(out, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

fn write_types(module: &Module, out: &mut impl Write) -> fmt::Result {
    if !module.signatures.is_empty() || !module.types.is_empty() {
        writeln!(out)?;
    }
    for (id, signature) in &module.signatures {
        write!(out, "{id} = ")?;
        native::write_signature(signature, out)?;
        writeln!(out)?;
    }
    for (i, ty) in module.types.iter().enumerate() {
        out.write_str(if i == 0 { "types " } else { ", " })?;
        match ty {
            TypeDef::Value(ty) => write!(out, "{ty}")?,
            TypeDef::Function(id) => write!(out, "{id}")?,
        }
    }
    if !module.types.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

fn write_initializer(module: &Module, init: &Initializer, out: &mut impl Write) -> fmt::Result {
    match *init {
        Initializer::Zero(n) => write!(out, "zero {n}"),
        Initializer::Bytes { start, len } => {
            let bytes = &module.data[start as usize..][..len as usize];
            out.write_str("bytes")?;
            if bytes.len() <= BYTES_PER_LINE {
                out.write_char(' ')?;
                return write_string(bytes, out);
            }
            for line in bytes.chunks(BYTES_PER_LINE) {
                out.write_str("\n  ")?;
                write_string(line, out)?;
            }
            Ok(())
        }
        Initializer::Address { target, addend } => {
            write!(out, "addr {}", name(module, target))?;
            write_addend(addend, out)
        }
        Initializer::Relative { target, addend, bytes } => {
            let width = if bytes == 4 { "" } else { "8, " };
            write!(out, "relative {width}{}", name(module, target))?;
            write_addend(addend, out)
        }
        Initializer::Distance { plus, minus, addend, bytes } => {
            let [plus, minus] = [plus, minus].map(|label| name(module, Symbol::Global(label)));
            write!(out, "distance {bytes}, {plus}, {minus}")?;
            write_addend(addend.into(), out)
        }
    }
}

fn write_addend(addend: i64, out: &mut impl Write) -> fmt::Result {
    match addend {
        0 => Ok(()),
        1.. => write!(out, " + {addend}"),
        _ => write!(out, " - {}", addend.unsigned_abs()),
    }
}

/// Everything up to the body; the parameters are values where there is a body, else types.
fn write_header(
    module: &Module,
    signatures: &FirstOfEqual<'_>,
    id: crate::FuncId,
    params: &[Value],
    out: &mut impl Write,
) -> fmt::Result {
    let decl = &module.functions[id];
    let keyword = match decl.kind {
        FunctionKind::Defined => "define",
        FunctionKind::Declared => "declare",
        FunctionKind::Intrinsic(_) => "intrinsic",
        FunctionKind::Alias(_) => "alias",
        FunctionKind::Indirect(_) => "indirect",
    };
    let signature = module.signature(id);
    write!(out, "{keyword} {} ", decl.linkage)?;
    native::write_symbol_words(module, &decl.symbol, out)?;
    native::write_function_words(&decl.traits, out)?;
    write!(out, "{}(", name(module, Symbol::Function(id)))?;
    for (i, ty) in signature.params.iter().enumerate() {
        out.write_str(if i == 0 { "" } else { ", " })?;
        match (decl.kind, params.get(i)) {
            (FunctionKind::Defined, Some(value)) => write!(out, "{value}: {ty}")?,
            (FunctionKind::Defined, None) => write!(out, "v{i}: {ty}")?,
            _ => write!(out, "{ty}")?,
        }
    }
    write!(out, ") -> {}", signature.ret)?;
    if let FunctionKind::Intrinsic(op) = decl.kind {
        let known = intrinsics::find(module.symbol_name(Symbol::Function(id)));
        if known.is_none_or(|known| known.op != op) {
            write!(out, " as {op}")?;
        }
    }
    if !signatures.is_first(decl.signature, signature) {
        write!(out, ": {}", decl.signature)?;
    }
    if let FunctionKind::Alias(target) | FunctionKind::Indirect(target) = decl.kind {
        write!(out, " = {}", name(module, target))?;
    }
    Ok(())
}

fn write_body(
    module: &Module,
    signatures: &FirstOfEqual<'_>,
    func: &Function,
    out: &mut impl Write,
) -> fmt::Result {
    write_header(module, signatures, func.id, func.params(), out)?;
    writeln!(out, " {{")?;
    write_personality(module, func, out)?;
    for index in 0..func.num_values() as u32 {
        write_constant(module, func, Value::from_u32(index), out)?;
    }
    for block in func.blocks() {
        let Rarity { branches, calls } = func.rarity(block);
        write!(out, "{block}:")?;
        if branches > 0 {
            write!(out, " rare {branches}")?;
        }
        writeln!(out, "{}", if calls { " cold" } else { "" })?;
        for inst in func.block_insts(block) {
            out.write_str("  ")?;
            write_instruction(module, func, inst, out)?;
            writeln!(out)?;
        }
    }
    writeln!(out, "}}")
}

/// The line of a constant or address; nothing for other values.
fn write_constant(module: &Module, func: &Function, value: Value, out: &mut impl Write) -> fmt::Result {
    let ty = func.value_type(value);
    let def = func.value_def(value);
    if matches!(def, ValueDef::Param(_) | ValueDef::Inst(_) | ValueDef::Forward) {
        return Ok(());
    }
    write!(out, "  {value}: {ty} = ")?;
    match def {
        ValueDef::Int(0) if ty == Type::I1 => writeln!(out, "false"),
        ValueDef::Int(_) if ty == Type::I1 => writeln!(out, "true"),
        ValueDef::Int(number) => writeln!(out, "{number}"),
        ValueDef::Float(bits) if ty == Type::F32 => {
            writeln!(out, "{bits:#010x} ; {:?}", f32::from_bits(bits as u32))
        }
        ValueDef::Float(bits) => writeln!(out, "{bits:#018x} ; {:?}", f64::from_bits(bits)),
        ValueDef::Function(f) => writeln!(out, "{}", name(module, Symbol::Function(f))),
        ValueDef::Global(g) => writeln!(out, "{}", name(module, Symbol::Global(g))),
        ValueDef::Zero => writeln!(out, "zero"),
        _ => writeln!(out, "undef"),
    }
}

/// Writes one instruction with its result and its source location, as in the text form, without a line break.
///
/// # Errors
/// Those of `out`.
pub fn write_instruction(module: &Module, func: &Function, inst: Inst, out: &mut impl Write) -> fmt::Result {
    if let Some(result) = func.result(inst) {
        write!(out, "{result}: {} = ", func.value_type(result))?;
    }
    write_inst(module, func, func.inst(inst), out)?;
    match func.source_location(inst) {
        Some(location) => write!(out, " at {location}"),
        None => Ok(()),
    }
}

/// The arguments of a call and the bracket behind them, and its live values.
fn write_args(
    module: &Module,
    func: &Function,
    call: &InstData,
    args: ValueRange,
    tail: TailHint,
    out: &mut impl Write,
) -> fmt::Result {
    let args = func.args(args);
    let (args, live) = args.split_at(module.passed_args(call).min(args.len()));
    write_list(args, out)?;
    out.write_char(')')?;
    if tail == TailHint::Live {
        out.write_str(" live(")?;
        write_list(live, out)?;
        out.write_char(')')?;
    }
    Ok(())
}

fn write_inst(module: &Module, func: &Function, data: &InstData, out: &mut impl Write) -> fmt::Result {
    let hint = |tail| match tail {
        TailHint::None | TailHint::Live => "",
        TailHint::Tail => "tail ",
    };
    match *data {
        InstData::Binary { op, args: [a, b] } => write!(out, "{op} {a}, {b}"),
        InstData::Cast { op, arg } => write!(out, "{op} {arg}"),
        InstData::Icmp { cond, args: [a, b] } => write!(out, "icmp {cond} {a}, {b}"),
        InstData::Fcmp { cond, args: [a, b] } => write!(out, "fcmp {cond} {a}, {b}"),
        InstData::Select { cond, if_true, if_false } => write!(out, "select {cond}, {if_true}, {if_false}"),
        InstData::ExtractElement { vector, index } => write!(out, "extractelement {vector}, {index}"),
        InstData::InsertElement { vector, element, index } => {
            write!(out, "insertelement {vector}, {element}, {index}")
        }
        InstData::Join { halves: [a, b] } => write!(out, "join {a}, {b}"),
        InstData::Half { vector, half } => write!(out, "half {vector}, {half}"),
        InstData::Alloca { size, align_log2, kind } => {
            write!(out, "alloca {size}, align {}", alignment(align_log2))?;
            native::write_object_kind(kind, out)
        }
        InstData::Load { address, align_log2 } => {
            write!(out, "load {address}, align {}", alignment(align_log2))
        }
        InstData::Store { address, value, align_log2 } => {
            write!(out, "store {value} to {address}, align {}", alignment(align_log2))
        }
        InstData::Call { callee, args, tail } | InstData::CallIntrinsic { callee, args, tail, .. } => {
            write!(out, "{}call {}(", hint(tail), name(module, Symbol::Function(callee)))?;
            write_args(module, func, data, args, tail, out)
        }
        InstData::CallIndirect { callee, args, tail } => {
            write!(out, "{}call_indirect {callee}(", hint(tail))?;
            write_args(module, func, data, args, tail, out)
        }
        InstData::CallAs { signature, args, tail } => {
            write!(out, "{}call_as {signature}(", hint(tail))?;
            write_args(module, func, data, args, tail, out)
        }
        InstData::ReturnCall { callee, args } => {
            write!(out, "return_call {}(", name(module, Symbol::Function(callee)))?;
            write_list(func.args(args), out)?;
            out.write_char(')')
        }
        InstData::ReturnCallIndirect { callee, args } => {
            write!(out, "return_call_indirect {callee}(")?;
            write_list(func.args(args), out)?;
            out.write_char(')')
        }
        InstData::ReturnCallAs { signature, args } => {
            write!(out, "return_call_as {signature}(")?;
            write_list(func.args(args), out)?;
            out.write_char(')')
        }
        InstData::SecondResult { first } => write!(out, "second {first}"),
        InstData::Assembly { assembly, args }
        | InstData::MachineOp { assembly, args }
        | InstData::AssemblyJump { assembly, args } => {
            let is_op = matches!(data, InstData::MachineOp { .. });
            let Some(assembly) = func.assembly(assembly) else { return out.write_str("asm") };
            native::write_assembly(assembly, is_op, out)?;
            out.write_char('(')?;
            write_list(func.args(args), out)?;
            out.write_char(')')?;
            if !assembly.targets.is_empty() {
                out.write_str(" to ")?;
                write_list(&assembly.targets, out)?;
            }
            Ok(())
        }
        InstData::Output { first, number } => write!(out, "output {first}, {number}"),
        InstData::RetPair { values: [first, second] } => write!(out, "ret {first}, {second}"),
        InstData::Phi { incoming } => {
            out.write_str("phi ")?;
            let pair = |&(value, block)| fmt::from_fn(move |f| write!(f, "[{value}, {block}]"));
            write_list(func.incoming(incoming).iter().map(pair), out)
        }
        InstData::Br { target } => write!(out, "br {target}"),
        InstData::CondBr { cond, if_true, if_false } => write!(out, "br {cond}, {if_true}, {if_false}"),
        InstData::Switch { value, default, table } => {
            let keyword = match func.switch(table).key {
                SwitchKey::Number => "switch",
                SwitchKey::Label => "indirect_br",
            };
            write!(out, "{keyword} {value}, {default} [")?;
            let case = |&(number, block)| fmt::from_fn(move |f| write!(f, "{number}: {block}"));
            write_list(func.switch(table).cases.iter().map(case), out)?;
            out.write_char(']')
        }
        InstData::Ret { value: Some(value) } => write!(out, "ret {value}"),
        InstData::Ret { value: None } => out.write_str("ret"),
        InstData::Invoke { call, args } => write_invoke(module, func, call, args, out),
        InstData::InvokeResult => out.write_str("invoke_result"),
        InstData::BlockAddress { function, label } => {
            write!(out, "block_address {}, {label}", name(module, Symbol::Function(function)))
        }
        InstData::LandingPad { pad } => write_pad(func, pad, out),
        InstData::Unreachable => out.write_str("unreachable"),
    }
}

fn write_invoke(
    module: &Module,
    func: &Function,
    call: Invocation,
    args: ValueRange,
    out: &mut impl Write,
) -> fmt::Result {
    let data = func.exceptions.invocation(call);
    let args = match (data.callee, func.args(args)) {
        (InvokeCallee::Function(callee), args) => {
            write!(out, "invoke {}(", name(module, Symbol::Function(callee)))?;
            args
        }
        (InvokeCallee::As(signature), args) => {
            write!(out, "invoke_as {signature}(")?;
            args
        }
        (InvokeCallee::Address, [callee, args @ ..]) => {
            write!(out, "invoke_indirect {callee}(")?;
            args
        }
        (InvokeCallee::Address, []) => return out.write_str("invoke_indirect"),
    };
    write_list(args, out)?;
    write!(out, ") -> {} to {} unwind {}", data.ret, data.normal, data.pad)
}

fn write_pad(func: &Function, pad: Pad, out: &mut impl Write) -> fmt::Result {
    out.write_str("landing_pad")?;
    let Some(pad) = func.exceptions.pad(pad) else { return Ok(()) };
    if pad.is_cleanup {
        out.write_str(" cleanup")?;
    }
    for clause in &pad.clauses {
        match clause {
            Clause::Catch(ty) => write!(out, " catch {ty}")?,
            Clause::Filter(types) => {
                out.write_str(" filter (")?;
                write_list(types, out)?;
                out.write_char(')')?;
            }
        }
    }
    Ok(())
}

/// The line of what decides about exceptions, and of the types that it knows.
fn write_personality(module: &Module, func: &Function, out: &mut impl Write) -> fmt::Result {
    let Some(personality) = func.exceptions.personality else { return Ok(()) };
    write!(out, "  personality {} (", name(module, Symbol::Function(personality)))?;
    let ty = |&ty: &Option<Symbol>| {
        fmt::from_fn(move |f| match ty {
            Some(ty) => write!(f, "{}", name(module, ty)),
            None => f.write_str("any"),
        })
    };
    write_list(func.exceptions.types.iter().map(ty), out)?;
    writeln!(out, ")")
}

/// Guards the rule of [`super`] that a name never looks like a nameless symbol.
#[cfg(test)]
mod tests {
    use crate::text::{is_plain_name, nameless_number};

    #[test]
    fn names_and_numbers_do_not_collide() {
        assert!(
            is_plain_name(b"_start")
                && is_plain_name(b"a.b$c")
                && is_plain_name(b"f")
                && is_plain_name(b"f1x")
        );
        for quoted in [&b"f1"[..], b"g007", b"", b"1a", b"a b", b"\xff", b"a\"b"] {
            assert!(!is_plain_name(quoted), "{}", quoted.escape_ascii());
        }
        assert_eq!(nameless_number(b"g12"), Some((b'g', &b"12"[..])));
    }
}
