//! The functions that an indirect call may lead to, where branches are tracked: those that other modules see, and those whose
//! address goes anywhere (LLVM's `X86IndirectBranchTracking`), but for those that say that none does (`nocf_check`).
//!
//! Whether the address of a function of the module alone goes anywhere is known when all bodies are read. So in such
//! modules they are read once before they are translated, as far as it takes to know it of all functions.

use alloc::vec::Vec;

use ice_ir::{FuncId, Function, FunctionBuilder, FunctionKind, Initializer, InstData, Symbol, ValueDef};

use super::body::{FunctionReader, LlvmProgram};
use crate::error::Result;
use crate::llvm::wire::attributes::FunctionFlags;

/// Which functions an indirect call may lead to, as far as is known, and of how many it is not.
struct Landings {
    /// By function. Those that other modules see, and those that are no code of the module, are known from the start.
    known: Vec<bool>,
    unknown: usize,
}

impl Landings {
    fn add(&mut self, function: FuncId) {
        if let Some(known) = self.known.get_mut(function.as_u32() as usize)
            && !core::mem::replace(known, true)
        {
            self.unknown = self.unknown.saturating_sub(1);
        }
    }

    fn add_symbol(&mut self, symbol: Symbol) {
        if let Symbol::Function(function) = symbol {
            self.add(function);
        }
    }

    /// The functions whose address a body takes: all that it names but those that it calls.
    fn add_taken(&mut self, func: &Function) {
        func.exceptions.personality.into_iter().for_each(|personality| self.add(personality));
        let function_of = |value| match func.value_def(value) {
            ValueDef::Function(function) => Some(function),
            _ => None,
        };
        for inst in func.blocks().flat_map(|block| func.block_insts(block)) {
            let data = func.inst(inst);
            let call = func.invoked_call(data).unwrap_or(*data);
            let args = match call {
                // The address in front is called.
                InstData::CallAs { args, .. } | InstData::ReturnCallAs { args, .. } => Some(args.rest()),
                InstData::CallIndirect { args, .. } | InstData::ReturnCallIndirect { args, .. } => Some(args),
                _ => None,
            };
            match args {
                Some(args) => {
                    func.args(args).iter().copied().filter_map(function_of).for_each(|taken| self.add(taken));
                }
                None => func.for_each_operand(inst, |value| {
                    function_of(value).into_iter().for_each(|taken| self.add(taken));
                }),
            }
        }
    }
}

/// Notes in the traits of the functions which of them indirect calls may lead to, if branches are tracked.
///
/// # Errors
///
/// Those of reading bodies.
pub fn mark_landings(program: &mut LlvmProgram, file: &[u8]) -> Result<()> {
    let header = program.header();
    let module = &header.module;
    if !module.hardening.tracks_branches {
        return Ok(());
    }
    let mut landings = Landings { known: Vec::new(), unknown: 0 };
    landings.known.resize(module.functions.len(), true);
    for function in module.defined_functions() {
        let decl = &module.functions[function];
        if decl.linkage.is_local() && !decl.traits.landing {
            landings.known[function.as_u32() as usize] = false;
            landings.unknown += 1;
        }
    }
    header.used.iter().for_each(|&function| landings.add(function));
    for (_, decl) in &module.functions {
        if let FunctionKind::Alias(target) | FunctionKind::Indirect(target) = decl.kind {
            landings.add_symbol(target);
        }
    }
    for initializer in &module.initializers {
        if let Initializer::Address { target, .. } | Initializer::Relative { target, .. } = *initializer {
            landings.add_symbol(target);
        }
    }
    let mut reader = FunctionReader::new();
    let mut func = Function::new();
    for body in program.bodies() {
        if landings.unknown == 0 {
            break;
        }
        reader.read(program, file, body, &mut FunctionBuilder::new(&mut func))?;
        landings.add_taken(&func);
    }
    let marked: Vec<FuncId> = module
        .defined_functions()
        .filter(|&function| landings.known[function.as_u32() as usize])
        .filter(|&function| {
            let list = header.attributes.list(header.functions[function].attributes.into());
            list.is_ok_and(|list| !list.function.flags.has(FunctionFlags::NO_BRANCH_CHECK))
        })
        .collect();
    program.set_landings(&marked);
    Ok(())
}
