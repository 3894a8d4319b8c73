//! Calls in place of returns.
//!
//! Every function has a home for four words, so that only what is behind it can lack room. An address is in $t9, where
//! position-independent code of the callee looks for its own; the linker's table is in $gp for its stubs.

use super::call::{Operands, argument_places};
use crate::abi::{ArgumentPlace, ArgumentPlaces, has_hidden_result};
use crate::inst::Inst;
use crate::target::{Cx, Mips32};
use ice_codegen::ErrorKind;
use ice_codegen::abi::StackArguments;
use ice_codegen::mach::Sink;
use ice_codegen::return_call::{PlaceArguments, StackPart};
use ice_ir::Type;
use ice_ir::native::Passing;

/// The error where the caller gives memory for the result that no parameter names.
const HIDDEN_RESULT: ErrorKind =
    ErrorKind::Unsupported("a tail call with a result in memory that the caller gives");

impl PlaceArguments for ArgumentPlaces {
    fn next_part(&mut self, ty: Type, passing: Passing) -> StackPart {
        match self.next(ty, passing) {
            ArgumentPlace::Stack(offset) => StackPart::Whole(offset),
            ArgumentPlace::Words { stack, .. } if self.bytes() > stack => StackPart::Some(stack),
            ArgumentPlace::Words { .. } | ArgumentPlace::Register(_) => StackPart::None,
        }
    }

    fn stack_area(&self) -> StackArguments {
        self.area()
    }
}

impl Mips32 {
    /// A call in place of a return.
    pub(super) fn return_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        let own = cx.module.signature(cx.func.id);
        let results = [own.ret, own.second];
        if has_hidden_result(results) {
            return Err(HIDDEN_RESULT);
        }
        let [own_places, callee_places] =
            [Some(own), call.signature].map(|signature| argument_places(signature, results));
        let moved = cx.moved_arguments(own_places, callee_places, call.args_with_passing())?;
        let mut operands = Operands::new();
        self.arguments(cx, &call, results, moved.clone(), &mut operands)?;
        let (callee, base) = self.destination(cx, call.callee);
        let scratch = (!moved.is_empty()).then(|| self.scratch(cx));
        let jump = Inst::ReturnCall { callee, base, from: moved.start, to: moved.end, scratch };
        cx.sink.push_with(jump, &operands);
        Ok(())
    }
}
