//! Calls in place of returns.
//!
//! The callee returns to the caller of the function: results must be in the same registers. An address to jump to is
//! copied to r12, which carries no argument, when the function is left.

use super::call::Operands;
use crate::abi::{ArgumentPlace, ArgumentPlaces, result_places};
use crate::inst::Inst;
use crate::target::{Arm32, Cx};
use ice_codegen::ErrorKind;
use ice_codegen::Words as _;
use ice_codegen::abi::StackArguments;
use ice_codegen::mach::Sink;
use ice_codegen::return_call::{PlaceArguments, StackPart};
use ice_ir::Type;
use ice_ir::native::Passing;

/// The error where variants of the standard differ in the registers of results.
const RESULTS: ErrorKind =
    ErrorKind::Unsupported("a tail call with its results in other registers than its function");

impl PlaceArguments for ArgumentPlaces {
    fn next_part(&mut self, ty: Type, passing: Passing) -> StackPart {
        let before = self.stack.bytes();
        match self.next(ty, passing) {
            ArgumentPlace::Stack(offset) => StackPart::Whole(offset),
            ArgumentPlace::Words { stack, .. } if self.stack.bytes() > before => StackPart::Some(stack),
            ArgumentPlace::Words { .. } | ArgumentPlace::Register(_) => StackPart::None,
        }
    }

    fn stack_area(&self) -> StackArguments {
        self.stack
    }
}

impl Arm32 {
    /// A call in place of a return.
    #[inline(never)]
    pub(super) fn return_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        let own = cx.module.signature(cx.func.id);
        let conventions = [Some(own), call.signature].map(|signature| self.convention(signature));
        let [results, callee_results] =
            conventions.map(|convention| result_places(convention, [own.ret, own.second]));
        if results != callee_results {
            return Err(RESULTS);
        }
        let [own_places, callee_places] = conventions.map(ArgumentPlaces::new);
        let moved = cx.moved_arguments(own_places, callee_places, call.args_with_passing())?;
        let mut operands = Operands::new();
        self.arguments(cx, &call, moved.clone(), &mut operands)?;
        let callee = self.callee(cx, &call);
        let scratch = (!moved.is_empty()).then(|| {
            let dst = self.temp(cx);
            cx.sink.push(Inst::Scratch { dst });
            dst
        });
        cx.sink.push_with(Inst::ReturnCall { callee, from: moved.start, to: moved.end, scratch }, &operands);
        Ok(())
    }
}
