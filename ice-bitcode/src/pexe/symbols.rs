//! The VALUE_SYMTAB block, and what names decide: which declarations are intrinsics.

use alloc::collections::BinaryHeap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ice_ir::{FuncId, FunctionKind, GlobalId, Linkage, Module, Signature, Symbol, Type, intrinsics};

use super::codes::{block, symbols as code};
use super::module::display_name;
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::{Error, Result};

/// Reads the block into the module.
pub(super) fn read(
    reader: &mut Reader<'_>,
    block: &BlockHeader,
    record: &mut Record,
    module: &mut Module,
) -> Result<()> {
    reader.enter(block);
    while reader.next_in_leaf(record)? {
        entry(record, module).map_err(|error| reader.record_error(error, record))?;
    }
    check_unique(module).map_err(|error| reader.error(error))
}

fn entry(record: &Record, module: &mut Module) -> core::result::Result<(), Error> {
    match record.code {
        code::ENTRY => {}
        code::BBENTRY => return Err(Error::BlockName),
        code => return Err(Error::UnknownRecord { code, block: block::VALUE_SYMTAB }),
    }
    let &[value, ref name @ ..] = &record.ops[..] else { return Err(Error::MalformedName) };
    if name.is_empty() || name.iter().any(|&c| c > 255) {
        return Err(Error::MalformedName);
    }
    let functions = module.functions.len() as u64;
    let symbol = if value < functions {
        Symbol::Function(FuncId::from_u32(value as u32))
    } else if value - functions < module.globals.len() as u64 {
        Symbol::Global(GlobalId::from_u32((value - functions) as u32))
    } else {
        return Err(Error::SymbolValue { value });
    };
    if !module.symbol_name(symbol).is_empty() {
        return Err(Error::ValueRenamed { value });
    }
    module.set_symbol_name(symbol, name.iter().map(|&c| c as u8));
    Ok(())
}

/// Names are unique: sorted, no two neighbours are equal.
fn check_unique(module: &Module) -> core::result::Result<(), Error> {
    let names: BinaryHeap<&[u8]> = module.symbol_order.iter().map(|&s| module.symbol_name(s)).collect();
    let names = names.into_sorted_vec();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::NameRepeated { name: display_name(pair[0]) }),
        None => Ok(()),
    }
}

/// Marks intrinsics and checks the rules for declarations and definitions (bitcode specification, section 9.3).
pub(super) fn resolve_intrinsics(module: &mut Module) -> core::result::Result<(), Error> {
    let mut has_entry = false;
    let ids: Vec<FuncId> = module.functions.keys().collect();
    for id in ids {
        let decl = &module.functions[id];
        let bytes = module.name(decl.name);
        let name = || display_name(bytes);
        let is_llvm = bytes.starts_with(b"llvm.");
        let signature = &module.signatures[decl.signature];
        if decl.kind == FunctionKind::Defined {
            if is_llvm {
                return Err(Error::DefinedIntrinsic { name: name() });
            }
            if decl.linkage == Linkage::External {
                if bytes != b"_start" {
                    return Err(Error::ExternalDefinition { name: name() });
                }
                has_entry = true;
            }
            if let Some(ty) = small_type(signature) {
                return Err(Error::SignatureType { name: name(), ty });
            }
            continue;
        }
        if bytes.is_empty() {
            return Err(Error::NamelessDeclaration { function: id.as_u32() });
        }
        if decl.linkage == Linkage::Internal {
            return Err(Error::InternalDeclaration { name: name() });
        }
        let Some(known) = intrinsics::find(bytes) else {
            let name = name();
            return Err(if is_llvm {
                Error::UnknownIntrinsic { name }
            } else {
                Error::UndefinedFunction { name }
            });
        };
        if known.ret != signature.ret || known.params != signature.params {
            let found = display_signature(signature.ret, &signature.params);
            let expected = display_signature(known.ret, known.params);
            return Err(Error::IntrinsicType { name: name(), found, expected });
        }
        module.functions[id].kind = FunctionKind::Intrinsic(known.op);
    }
    if has_entry { Ok(()) } else { Err(Error::NoEntryPoint) }
}

/// A type that may not cross function boundaries outside of intrinsics.
fn small_type(signature: &Signature) -> Option<Type> {
    let all = signature.params.iter().chain([&signature.ret]);
    all.copied().find(|ty| matches!(ty, Type::I1 | Type::I8 | Type::I16))
}

fn display_signature(ret: Type, params: &[Type]) -> String {
    let params: Vec<&str> = params.iter().map(|ty| ty.name()).collect();
    format!("{ret}({})", params.join(", "))
}
