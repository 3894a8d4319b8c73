//! The functions that confined code calls and that its program does not bring, written once for all machines: as functions
//! of the program, which a back end translates as it translates everything, so that they keep the rules of confined code by
//! themselves.
//!
//! Not here is what only a machine can say: `setjmp` and `longjmp`. Machines whose registers and instructions make more of a
//! helper have it in their own encoding.
//!
//! A helper takes and gives what [`Libcall`] says, calls nothing of the program and refers to nothing: a back end has no constants in memory
//! for it, whose doubles are powers of two.

mod atomics;
mod build;
mod floats;
mod memory;
mod words;

use crate::block_order::BlockOrder;
use crate::generator::{BackEnd, Checks, FunctionInput};
use crate::magic::{Part, Signedness};
use crate::{CompiledCode, Libcall};
use alloc::vec::Vec;
use atomics::Atomic;
use build::Build;
use ice_ir::{ControlFlowGraph, Function, FunctionKind, Module, Signature, Type, Uses};
use ice_regalloc::Mode;

/// A helper as a program.
#[derive(Debug)]
pub struct Helper {
    /// The module, which has nothing but this function.
    pub module: Module,
    /// Its body.
    pub body: Function,
}

impl Helper {
    /// The helper of this name, if it is one of these.
    pub fn new(helper: Libcall) -> Option<Helper> {
        use Type::{F32, F64, I32, I64, Void};
        let (params, ret, write): (&[Type], Type, fn(&mut Build<'_>)) = match helper {
            Libcall::Memcpy => (&[I32; 3], Void, |b| b.copy()),
            Libcall::Memmove => (&[I32; 3], Void, |b| b.copy_overlapping()),
            Libcall::Memset => (&[I32; 3], Void, |b| b.fill()),
            Libcall::Popcountsi2 => (&[I32], I32, |b| b.count_ones()),
            Libcall::Popcountdi2 => (&[I64], I32, |b| b.count_ones()),
            Libcall::Udivdi3 => (&[I64; 2], I64, |b| b.divide(Signedness::Unsigned, Part::Quotient)),
            Libcall::Divdi3 => (&[I64; 2], I64, |b| b.divide(Signedness::Signed, Part::Quotient)),
            Libcall::Umoddi3 => (&[I64; 2], I64, |b| b.divide(Signedness::Unsigned, Part::Remainder)),
            Libcall::Moddi3 => (&[I64; 2], I64, |b| b.divide(Signedness::Signed, Part::Remainder)),
            Libcall::F32ToI64 => (&[F32], I64, |b| b.fix(Signedness::Signed)),
            Libcall::F64ToI64 => (&[F64], I64, |b| b.fix(Signedness::Signed)),
            Libcall::F32ToU64 => (&[F32], I64, |b| b.fix(Signedness::Unsigned)),
            Libcall::F64ToU64 => (&[F64], I64, |b| b.fix(Signedness::Unsigned)),
            Libcall::I64ToF32 => (&[I64], F32, |b| b.float(Signedness::Signed, F32)),
            Libcall::I64ToF64 => (&[I64], F64, |b| b.float(Signedness::Signed, F64)),
            Libcall::U64ToF32 => (&[I64], F32, |b| b.float(Signedness::Unsigned, F32)),
            Libcall::U64ToF64 => (&[I64], F64, |b| b.float(Signedness::Unsigned, F64)),
            Libcall::Fmod => (&[F64; 2], F64, |b| b.remainder()),
            Libcall::Fmodf => (&[F32; 2], F32, |b| b.remainder()),
            Libcall::AtomicLoad8 => (&[I32], I64, |b| b.atomic(Atomic::Load)),
            Libcall::AtomicStore8 => (&[I32, I64], Void, |b| b.atomic(Atomic::Store)),
            Libcall::AtomicExchange8 => (&[I32, I64], I64, |b| b.atomic(Atomic::Exchange)),
            Libcall::AtomicAdd8 => (&[I32, I64], I64, |b| b.atomic(Atomic::Add)),
            Libcall::AtomicSub8 => (&[I32, I64], I64, |b| b.atomic(Atomic::Sub)),
            Libcall::AtomicAnd8 => (&[I32, I64], I64, |b| b.atomic(Atomic::And)),
            Libcall::AtomicOr8 => (&[I32, I64], I64, |b| b.atomic(Atomic::Or)),
            Libcall::AtomicXor8 => (&[I32, I64], I64, |b| b.atomic(Atomic::Xor)),
            Libcall::AtomicCmpxchg8 => (&[I32, I64, I64], I64, |b| b.atomic(Atomic::CompareExchange)),
            _ => return None,
        };
        let mut module = Module::new();
        let signature = Signature::new(params.to_vec(), ret);
        let id = module.add_function(helper.name(), signature.clone(), FunctionKind::Defined);
        let mut body = Function::new();
        write(&mut Build::begin(&mut body, id, &signature));
        Some(Helper { module, body })
    }

    /// Its code as a back end for its module makes it. `None` if that refers to anything, or is none.
    pub fn code(&self, back_end: &dyn BackEnd) -> Option<Vec<u8>> {
        let (module, func) = (&self.module, &self.body);
        let (mut cfg, mut order, mut uses) =
            (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
        cfg.compute(func);
        uses.compute(func);
        order.compute(func, &cfg);
        let input = FunctionInput {
            module,
            func,
            cfg: &cfg,
            order: &order,
            uses: &uses,
            mode: Mode::Linear,
            frame_at: None,
        };
        let (mut generator, mut out) = (back_end.generator(Checks::Debug), CompiledCode::default());
        generator.lower(input).ok()?;
        generator.allocate().ok()?;
        generator.emit(&mut out).ok()?;
        out.relocs.is_empty().then_some(out.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_ir::{Rules, VerifierScratch};

    /// Functions without a fault, which call nothing.
    #[test]
    fn helpers_are_valid_programs() {
        let mut count = 0;
        for &libcall in Libcall::ALL {
            let Some(Helper { module, body }) = Helper::new(libcall) else { continue };
            let found = ice_ir::verify_function(&module, &body, Rules::Ice, &mut VerifierScratch::default());
            assert_eq!(found, Ok(()), "{}", libcall.name());
            count += 1;
        }
        assert_eq!(count, 28);
    }
}
