//! The GLOBALVAR block.

use ice_ir::{FuncId, FunctionKind, GlobalDecl, GlobalId, Initializer, Module, Mutability, Name, Symbol};

use super::codes::{block, globals as code};
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::{Error, Result};

/// Largest alignment code: 2^29 bytes.
const MAX_ALIGNMENT: u64 = 30;

/// Reads the block into the module.
pub(super) fn read(reader: &mut Reader<'_>, block: &BlockHeader, module: &mut Module) -> Result<()> {
    reader.enter(block);
    let mut state = State { declared: None, missing: 0, fresh: false, size: 0 };
    // Data can be long: its memory does not stay.
    let mut record = Record::default();
    while reader.next_in_leaf(&mut record)? {
        state.record(&record, module).map_err(|error| reader.record_error(error, &record))?;
    }
    state.finish(module).map_err(|error| reader.error(error))
}

struct State {
    declared: Option<u64>,
    /// Initializers that the current variable still needs.
    missing: u64,
    /// Whether the record before was VAR.
    fresh: bool,
    /// Bytes of the current variable.
    size: u64,
}

impl State {
    fn current(module: &Module) -> u32 {
        (module.globals.len() as u32).saturating_sub(1)
    }

    fn complete(&self, module: &Module) -> core::result::Result<(), Error> {
        match self.missing {
            0 => Ok(()),
            missing => Err(Error::MissingInitializers { global: Self::current(module), missing }),
        }
    }

    fn finish(&self, module: &Module) -> core::result::Result<(), Error> {
        self.complete(module)?;
        let found = module.globals.len() as u64;
        match self.declared {
            None => Err(Error::GlobalCountFirst),
            Some(declared) if declared != found => Err(Error::GlobalCount { declared, found }),
            Some(_) => Ok(()),
        }
    }

    fn record(&mut self, record: &Record, module: &mut Module) -> core::result::Result<(), Error> {
        let (code, ops) = (record.code, &record.ops[..]);
        let wrong = |name, expected| Error::OperandCount { record: name, found: ops.len(), expected };
        if code == code::COUNT {
            let &[count] = ops else { return Err(wrong("COUNT", "1")) };
            return if self.declared.replace(count).is_some() {
                Err(Error::GlobalCountFirst)
            } else {
                Ok(())
            };
        }
        let Some(declared) = self.declared else { return Err(Error::GlobalCountFirst) };
        let fresh = core::mem::replace(&mut self.fresh, false);
        match code {
            code::VAR => {
                let &[align, is_const] = ops else { return Err(wrong("VAR", "2")) };
                self.complete(module)?;
                let global = module.globals.len() as u32;
                if u64::from(global) >= declared {
                    return Err(Error::GlobalCount { declared, found: u64::from(global) + 1 });
                }
                if align > MAX_ALIGNMENT {
                    return Err(Error::GlobalAlignment { global });
                }
                let align_log2 = match align {
                    0 => return Err(Error::GlobalUnaligned { global }),
                    code => Some(code as u8 - 1),
                };
                let mutability = match is_const {
                    0 => Mutability::Variable,
                    1 => Mutability::Constant,
                    flag => return Err(Error::ConstantFlag { flag }),
                };
                let start = module.initializers.len() as u32;
                let initializers = start..start;
                module.globals.push(GlobalDecl::new(Name::default(), align_log2, mutability, initializers));
                self.missing = 1;
                self.fresh = true;
                self.size = 0;
                Ok(())
            }
            code::COMPOUND => {
                let &[count] = ops else { return Err(wrong("COMPOUND", "1")) };
                if !fresh {
                    return Err(Error::MisplacedCompound);
                }
                if count < 2 {
                    return Err(Error::CompoundCount { count });
                }
                self.missing = count;
                Ok(())
            }
            code::ZEROFILL => {
                let &[count] = ops else { return Err(wrong("ZEROFILL", "1")) };
                let size = u32::try_from(count).unwrap_or(u32::MAX);
                self.initializer(module, count, Initializer::Zero(size))
            }
            code::DATA => {
                if ops.is_empty() {
                    return Err(Error::EmptyData);
                }
                if let Some(&value) = ops.iter().find(|&&b| b > 255) {
                    return Err(Error::NotAByte { value });
                }
                let (start, len) = (module.data.len() as u32, ops.len() as u32);
                module.data.extend(ops.iter().map(|&b| b as u8));
                self.initializer(module, u64::from(len), Initializer::Bytes { start, len })
            }
            code::RELOC => {
                let (value, addend) = match *ops {
                    [value] => (value, 0),
                    [value, addend] => (value, addend),
                    _ => return Err(wrong("RELOC", "1 or 2")),
                };
                let Ok(addend) = u32::try_from(addend) else {
                    return Err(Error::RelocationAddend { addend });
                };
                let functions = module.functions.len() as u64;
                let target = if value < functions {
                    Symbol::Function(FuncId::from_u32(value as u32))
                } else if value - functions < declared && value <= u64::from(u32::MAX) {
                    Symbol::Global(GlobalId::from_u32((value - functions) as u32))
                } else {
                    return Err(Error::RelocationTarget { value });
                };
                // Modulo 2^32: kept as the signed number nearest to zero.
                let addend = i64::from(addend as i32);
                self.initializer(module, 4, Initializer::Address { target, addend })
            }
            code => Err(Error::UnknownRecord { code, block: block::GLOBALVAR }),
        }
    }

    fn initializer(
        &mut self,
        module: &mut Module,
        bytes: u64,
        init: Initializer,
    ) -> core::result::Result<(), Error> {
        if self.missing == 0 {
            return Err(Error::StrayInitializer);
        }
        let global = Self::current(module);
        self.size = self.size.saturating_add(bytes);
        if self.size > u64::from(u32::MAX) {
            return Err(Error::GlobalTooLarge { global });
        }
        self.missing -= 1;
        module.initializers.push(init);
        module.globals[GlobalId::from_u32(global)].initializers.end += 1;
        Ok(())
    }
}

/// Relocations must not name intrinsics, which are known once names are.
pub(super) fn check_relocations(module: &Module) -> core::result::Result<(), Error> {
    for init in &module.initializers {
        if let Initializer::Address { target: Symbol::Function(f), .. } = init
            && matches!(module.functions[*f].kind, FunctionKind::Intrinsic(_))
        {
            return Err(Error::RelocationIntrinsic { value: f.as_u32().into() });
        }
    }
    Ok(())
}
