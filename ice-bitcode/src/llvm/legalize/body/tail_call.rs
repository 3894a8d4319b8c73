//! Calls in place of returns: `musttail`, and `tail` where the convention promises as much (LLVM language reference, "call").
//!
//! A call is known to be one when the return behind it is read. It was built as any other; then it takes the place of the
//! return, and what was made of its result goes. Its own memory for a result that is too large for registers becomes that
//! of the function. What cannot be kept is refused, never dropped.

use ice_ir::{Arity, Inst, InstData, Results, Signature, Type, ValueRange};

use super::scratch::{Duty, TailCall};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::legalize::signature::{Form, Role};
use crate::llvm::wire::codes::function as code;
use crate::llvm::wire::types::TypeId;

impl Body<'_, '_> {
    /// Notes that the call that was just built is made in place of a return, if one follows.
    pub(super) fn note_tail_call(&mut self, duty: Duty, is_demoted: bool, form: Form) {
        let call = self.b.current_block().and_then(|block| self.b.func.layout.last_inst(block));
        self.s.tail_call = call.map(|call| TailCall { call, duty, is_demoted, form });
        self.s.is_watched |= call.is_some();
    }

    /// What follows a call that was noted: its return, for which the answer is yes, or another record.
    #[inline(never)]
    pub(super) fn behind_tail_call(&mut self, number: u32) -> Checked<bool> {
        let Some(TailCall { call, duty, is_demoted, form }) = self.s.tail_call else { return Ok(false) };
        if code::is_for_debuggers(number) {
            return Ok(false);
        }
        self.s.tail_call = None;
        if self.s.exit_hook.is_some() {
            return match duty {
                Duty::Always => {
                    unsupported("musttail in a function that calls another one before it returns")
                }
                Duty::BeforeReturn | Duty::None => Ok(false),
            };
        }
        if number == code::RET && self.returns_latest()? {
            if duty == Duty::None {
                return self.return_extended_result(call, form);
            }
            self.return_call(call, is_demoted)?;
            return Ok(true);
        }
        match duty {
            Duty::Always => unsupported("musttail without a return of its result behind it"),
            Duty::BeforeReturn | Duty::None => Ok(false),
        }
    }

    /// Whether the function has this result, and its caller finds it extended.
    pub(super) fn returns_extended(&self, ty: TypeId) -> bool {
        let is_extended = |attributes| {
            let form = self.form(Role::Result, ty, attributes);
            matches!(form, Ok(Form::ZeroExtended(_) | Form::SignExtended(_)))
        };
        self.s.ret.is_some_and(|(own, attributes)| own == ty && is_extended(attributes))
    }

    /// Returns the result of `call` as it comes, if it comes in the form in which the function has to give it; whether
    /// it does.
    fn return_extended_result(&mut self, call: Inst, form: Form) -> Checked<bool> {
        let Some((ty, attributes)) = self.s.ret else { return fail(Error::ReturnValue) };
        let Some(result) = self.b.func.result(call) else { return Ok(false) };
        if self.form(Role::Result, ty, attributes)? != form {
            return Ok(false);
        }
        let layout = &mut self.b.func.layout;
        let block = layout.block_of(call);
        while let Some(last) = block.and_then(|block| layout.last_inst(block))
            && last != call
        {
            layout.remove_inst(last);
        }
        self.b.ret(Some(result));
        self.forget_latest()?;
        self.terminated()?;
        Ok(true)
    }

    /// Whether the operands of RET are the latest value, or nothing in a function that gives nothing.
    fn returns_latest(&self) -> Checked<bool> {
        let Some((ty, _)) = self.s.ret else { return fail(Error::ReturnValue) };
        Ok(match (self.kind(ty), self.ops) {
            (Kind::Void, []) => true,
            (Kind::Void, _) => false,
            (_, &[distance]) => distance == 1,
            _ => false,
        })
    }

    /// Puts `call` in the place of the return behind it.
    fn return_call(&mut self, call: Inst, is_demoted: bool) -> Checked<()> {
        let module = &self.m.module;
        let own = module.signature(self.s.function);
        let (data, args, callee) = match *self.b.func.inst(call) {
            InstData::Call { callee, args, .. } => {
                (InstData::ReturnCall { callee, args }, args, Some(module.signature(callee)))
            }
            InstData::CallIndirect { callee, args, .. } => {
                (InstData::ReturnCallIndirect { callee, args }, args, None)
            }
            InstData::CallAs { signature, args, .. } => {
                (InstData::ReturnCallAs { signature, args }, args, Some(&module.signatures[signature]))
            }
            _ => return unsupported("musttail of what is no function"),
        };
        let first = usize::from(matches!(data, InstData::ReturnCallAs { .. }));
        let hands_on = |callee: &Signature| own.hands_variables_to(callee, args.len() - first);
        if own.arity == Arity::Variadic && !callee.is_some_and(hands_on) {
            return unsupported("a tail call in a variadic function with other parameters or arguments");
        }
        self.pass_result_memory_on(own, callee, (args, first), is_demoted)?;
        let result = self.b.func.result(call).map_or(Type::Void, |value| self.ty_of(value));
        let (second, results) =
            callee.map_or((Type::Void, Results::Apart), |callee| (callee.second, callee.results));
        if (own.ret, own.second, own.results) != (result, second, results) {
            return unsupported("a tail call whose result is another than that of its function");
        }
        let layout = &mut self.b.func.layout;
        let block = layout.block_of(call);
        while let Some(last) = block.and_then(|block| layout.last_inst(block)) {
            layout.remove_inst(last);
            if last == call {
                break;
            }
        }
        self.b.append(data, Type::Void);
        self.forget_latest()?;
        self.terminated()
    }

    /// Makes the callee write its result where the function has to.
    fn pass_result_memory_on(
        &mut self,
        own: &Signature,
        callee: Option<&Signature>,
        (args, first): (ValueRange, usize),
        is_demoted: bool,
    ) -> Checked<()> {
        let places = (own.struct_return(), callee.and_then(Signature::struct_return));
        let (param, arg) = match places {
            (None, None) => return Ok(()),
            (Some(own), Some(callee)) => (self.b.func.params()[own], first + callee),
            _ => return unsupported("a tail call whose result is another than that of its function"),
        };
        let arg = &mut self.b.func.args_mut(args)[arg];
        match is_demoted {
            true => *arg = param,
            false if *arg != param => return unsupported("a tail call with other memory for the result"),
            false => {}
        }
        Ok(())
    }

    /// The value that a return would have given has no instruction any more; nothing that is executed uses it.
    fn forget_latest(&mut self) -> Checked<()> {
        let Some((ty, _)) = self.s.ret.filter(|&(ty, _)| self.kind(ty) != Kind::Void) else { return Ok(()) };
        let operand = self.undefined(ty)?;
        if let Some(latest) = self.s.locals.get_mut((self.s.next_local as usize).wrapping_sub(1)) {
            latest.first = operand.first;
        }
        Ok(())
    }
}
