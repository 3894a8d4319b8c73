//! Calls that an exception may leave, and what comes out of them.
//!
//! Such a call ends its block; instructions at the starts of the blocks behind it receive results in their registers. The
//! personality routine gives a pad two words, in the registers that the machine names.

use super::{CallInst, CallOperands, CallRules, Cx};
use crate::mach::{MachBlock, Operand, Sink};
use crate::target::ErrorKind;
use ice_ir::native::CallingConvention;
use ice_ir::{Inst, InstData, Type, Value};

/// Where control goes on behind a call that an exception may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvokeTargets {
    /// When it returns.
    pub normal: MachBlock,
    /// When an exception leaves it.
    pub pad: MachBlock,
    /// What is wanted there: by number of the function's pads.
    pub clauses: u32,
}

/// Rules for calls that an exception may leave.
pub trait InvokeRules: CallRules {
    /// The general registers in which a pad finds the exception and its selector.
    const PAD: [u8; 2];

    /// The instruction of such a call, whose operands come beside it.
    fn invoke_inst(callee: Self::Callee, targets: InvokeTargets) -> Self::Inst;

    /// The call, as a terminator.
    #[inline(never)]
    fn invoke<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        inst: Inst,
        targets: InvokeTargets,
    ) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        if call.signature.is_some_and(|signature| signature.convention != CallingConvention::Standard) {
            return Err(ErrorKind::Unsupported("an invoke with another convention than the standard one"));
        }
        let second = call.signature.map_or(Type::Void, |signature| signature.second);
        let types = match *cx.func.inst(inst) {
            InstData::Invoke { call, .. } => [cx.func.exceptions.invocation(call).ret, second],
            _ => return Err(ErrorKind::Unsupported("an instruction that is no invoke")),
        };
        if Self::has_hidden_result(types) {
            return Err(ErrorKind::Unsupported("an invoke with a result in memory that the caller gives"));
        }
        let mut operands = CallOperands::new();
        let area = self.arguments(cx, &call, types, 0..u32::MAX, &mut operands)?;
        let callee = self.callee(cx, call.callee);
        area.check()?;
        cx.note_call(area);
        cx.sink.push_with(Self::invoke_inst(callee, targets), &operands);
        Ok(())
    }

    /// Receives the results of the invoke before.
    #[inline(never)]
    fn invoke_result<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        inst: Inst,
    ) -> Result<(), ErrorKind> {
        let invoke = cx.invoke_before()?;
        let signature = cx.call_of(invoke)?.signature;
        let results = cx.call_results(inst, signature);
        let params = Self::call_inst(CallInst::Params);
        self.receive(cx, (params, self.convention(signature)), &mut CallOperands::new(), results)
    }

    /// Receives what comes to a pad.
    #[inline(never)]
    fn landing_pad<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        exception: Value,
        selector: Option<Value>,
    ) {
        let exception = cx.regs(exception).lo();
        let selector = match selector {
            Some(selector) => cx.regs(selector).lo(),
            None => self.temp(cx),
        };
        let operands = [exception, selector].into_iter().zip(Self::PAD);
        let operands: CallOperands = operands
            .map(|(word, number)| Operand::def_fixed(word, Self::GENERAL, Self::general(number)))
            .collect();
        cx.sink.push_with(Self::call_inst(CallInst::Params), &operands);
    }
}
