//! The TYPE block.

use alloc::vec::Vec;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use ice_ir::{Module, Signature, Type, TypeDef};

use super::codes::{block, types as code};
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::{Error, Result};

/// Reads the block into the module's type table and signatures.
pub(super) fn read(
    reader: &mut Reader<'_>,
    block: &BlockHeader,
    record: &mut Record,
    module: &mut Module,
) -> Result<()> {
    reader.enter(block);
    let mut declared = None;
    let mut seen = IndexMap::with_hasher(FxBuildHasher);
    while reader.next_in_leaf(record)? {
        read_type(record, &mut declared, &mut seen, module)
            .map_err(|error| reader.record_error(error, record))?;
    }
    let found = module.types.len() as u64;
    match declared {
        None => Err(reader.error(Error::TypeCountFirst)),
        Some(declared) if declared != found => Err(reader.error(Error::TypeCount { declared, found })),
        Some(_) => Ok(()),
    }
}

fn read_type(
    record: &Record,
    declared: &mut Option<u64>,
    seen: &mut IndexMap<Signature, u64, FxBuildHasher>,
    module: &mut Module,
) -> core::result::Result<(), Error> {
    let count_error =
        |record: &'static str, expected| move |found| Error::OperandCount { record, found, expected };
    let ops = &record.ops[..];
    let found = ops.len();
    if record.code == code::NUMENTRY {
        let &[count] = ops else { return Err(count_error("NUMENTRY", "1")(found)) };
        return if declared.replace(count).is_some() { Err(Error::TypeCountFirst) } else { Ok(()) };
    }
    let Some(declared) = *declared else { return Err(Error::TypeCountFirst) };
    let id = module.types.len() as u64;
    if id >= declared {
        return Err(Error::TypeCount { declared, found: id + 1 });
    }
    let value_type =
        |module: &Module, refers: u64| match usize::try_from(refers).ok().and_then(|t| module.types.get(t)) {
            Some(&TypeDef::Value(ty)) => Ok(ty),
            Some(TypeDef::Function(_)) => Err(Error::ComponentType),
            None => Err(Error::UndefinedType { ty: id, refers }),
        };
    let ty = match (record.code, ops) {
        (code::VOID, []) => Type::Void,
        (code::FLOAT, []) => Type::F32,
        (code::DOUBLE, []) => Type::F64,
        (code::VOID, _) => return Err(count_error("VOID", "0")(found)),
        (code::FLOAT, _) => return Err(count_error("FLOAT", "0")(found)),
        (code::DOUBLE, _) => return Err(count_error("DOUBLE", "0")(found)),
        (code::INTEGER, &[width]) => match width {
            1 => Type::I1,
            8 => Type::I8,
            16 => Type::I16,
            32 => Type::I32,
            64 => Type::I64,
            _ => return Err(Error::IntegerWidth { width }),
        },
        (code::INTEGER, _) => return Err(count_error("INTEGER", "1")(found)),
        (code::VECTOR, &[lanes, element]) => {
            let element = value_type(module, element)?;
            let vector = u32::try_from(lanes).ok().and_then(|lanes| Type::vector(element, lanes));
            vector.filter(|vector| vector.is_stable()).ok_or(Error::BadVector { lanes, element })?
        }
        (code::VECTOR, _) => return Err(count_error("VECTOR", "2")(found)),
        (code::FUNCTION, &[variadic, ret, ref params @ ..]) => {
            if variadic != 0 {
                return Err(Error::Variadic);
            }
            let ret = value_type(module, ret)?;
            let params: Vec<Type> =
                params.iter().map(|&p| value_type(module, p)).collect::<core::result::Result<_, _>>()?;
            if params.contains(&Type::Void) {
                return Err(Error::ComponentType);
            }
            let signature = Signature::new(params, ret);
            if let Some(&earlier) = seen.get(&signature) {
                return Err(Error::TypeRepeated { ty: id, earlier });
            }
            seen.insert(signature.clone(), id);
            let signature = module.signatures.push(signature);
            module.types.push(TypeDef::Function(signature));
            return Ok(());
        }
        (code::FUNCTION, _) => return Err(count_error("FUNCTION", "2 or more")(found)),
        (code, _) => return Err(Error::UnknownRecord { code, block: block::TYPE }),
    };
    // There are fifteen value types: the earlier one is near the start or among many function types only once.
    if let Some(earlier) = module.types.iter().position(|&t| t == TypeDef::Value(ty)) {
        return Err(Error::TypeRepeated { ty: id, earlier: earlier as u64 });
    }
    module.types.push(TypeDef::Value(ty));
    Ok(())
}
