//! Calls that an exception may leave, and what comes out of them: a call that ends its block, and instructions at the
//! starts of the blocks behind that receive results in their registers.
//!
//! The personality routine gives a pad two words, in the registers of the numbers 0 and 1 of DWARF on x86-64 and of 0
//! and 2 on x86-32 (GCC's `EH_RETURN_DATA_REGNO`): rax and rdx in both.
//!
//! Unwinding restores the registers that standard functions preserve, and no more: an invoke destroys all others, also where
//! the callee preserves them when it returns.

use super::call::{Operands, is_untracked};
use crate::inst::Inst;
use crate::regs::{GPR, RAX, RDX};
use crate::target::{Cx, X86};
use ice_asm::x86::Mode;
use ice_codegen::mach::{MachBlock, Operand, Sink};
use ice_codegen::rules::{Call, Destination};
use ice_codegen::{CodeSymbol, ErrorKind};
use ice_ir::native::CallingConvention;
use ice_ir::{Type, Value};

impl X86 {
    /// The call, as a terminator.
    #[inline(never)]
    pub(super) fn invoke<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        (normal, pad, clauses): (MachBlock, MachBlock, u32),
    ) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        let Call { callee, signature, .. } = call;
        if let Some(signature) = signature {
            self.check_convention(signature)?;
            if signature.convention == CallingConvention::PreserveNone {
                return Err(ErrorKind::Unsupported("an invoke of a function that preserves nothing"));
            }
        }
        let mut operands = Operands::new();
        let places = self.arguments(cx, &call, 0..u32::MAX, &mut operands);
        self.beside_arguments(cx, signature, places.vectors, &mut operands);
        let callee = match callee {
            Destination::Address(address) => self.callee_at(cx, address),
            Destination::Function(callee) | Destination::Retyped(callee) => {
                self.callee(cx, CodeSymbol::Function(callee), &mut operands)
            }
        };
        let returns_twice = match call.callee {
            Destination::Function(callee) | Destination::Retyped(callee) => {
                cx.module.functions[callee].traits.returns_twice
            }
            Destination::Address(_) => is_untracked(signature),
        };
        if self.tracks_branches && returns_twice {
            return Err(ErrorKind::Unsupported(
                "an invoke of what returns twice or may be anything, where branches are tracked",
            ));
        }
        self.note_call(cx, places.stack);
        let popped = self.popped_by_call(signature)?;
        let invoke = Inst::Invoke { callee, mode: self.mode, popped, normal, pad, clauses };
        cx.sink.push_with(invoke, &operands);
        Ok(())
    }

    /// Receives the results of the invoke before.
    #[inline(never)]
    pub(crate) fn invoke_result<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        let invoke = cx.invoke_before()?;
        let Call { callee, signature, .. } = cx.call_of(invoke)?;
        let origin = self.origin(cx, inst, callee);
        let results = cx.call_results(inst, signature);
        self.results(cx, (Inst::Params, origin), &mut Operands::new(), (results, signature))
    }

    /// Receives what comes to a pad.
    #[inline(never)]
    pub(crate) fn landing_pad<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        exception: Value,
        selector: Option<Value>,
    ) {
        let exception = cx.regs(exception).lo();
        let wide = self.temp(cx, Type::I32);
        let operands = [Operand::def_fixed(exception, GPR, RAX), Operand::def_fixed(wide, GPR, RDX)];
        cx.sink.push_with(Inst::Params, &operands);
        if let Some(selector) = selector {
            let dst = cx.regs(selector).lo();
            // The selector of a filter is negative, in the whole register.
            cx.sink.push(match self.mode {
                Mode::Bits64 => Inst::ZeroUpper { dst, src: wide },
                Mode::Bits32 => Inst::Mov { width: ice_asm::x86::Width::B32, dst, src: wide },
            });
        }
    }
}
