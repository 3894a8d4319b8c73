//! The rules of invokes and landing pads.
//!
//! Cost: one walk over the edges of functions that have any.

use super::indirect::is_indirect;
use super::{Rule, Verifier};
use crate::entities::{Block, Inst, Pad, Value};
use crate::exceptions::{Clause, InvokeCallee, InvokeData};
use crate::instruction::InstData;
use crate::module::FunctionKind;
use crate::types::Type;
use cranelift_entity::EntityRef;

impl Verifier<'_> {
    /// Whether what `inst` names of the function's exceptions exists.
    pub(super) fn has_exceptions_of(&self, inst: Inst) -> bool {
        let (func, module) = (self.func, self.module);
        match *func.inst(inst) {
            InstData::Invoke { call, args } => {
                func.exceptions.has_invocation(call)
                    && match func.exceptions.invocation(call).callee {
                        InvokeCallee::Function(callee) => module
                            .functions
                            .get(callee)
                            .is_some_and(|decl| module.signatures.is_valid(decl.signature)),
                        InvokeCallee::As(signature) => module.signatures.is_valid(signature),
                        InvokeCallee::Address => !args.is_empty(),
                    }
            }
            InstData::LandingPad { pad } => func.exceptions.pad(pad).is_some(),
            _ => true,
        }
    }

    /// Finds the blocks that have one predecessor, where it matters.
    pub(super) fn find_only_predecessors(&mut self) {
        let func = self.func;
        let mut ends = func.blocks().filter_map(|block| func.terminator(block));
        let matters = func.exceptions.has_invocations() || func.has_assembly_jumps();
        if !matters && !ends.any(|data| is_indirect(func, data)) {
            return;
        }
        self.only_preds.resize(func.num_blocks(), (0, Block::new(0)));
        for from in func.blocks() {
            func.for_each_successor(from, |to| {
                let (edges, source) = &mut self.only_preds[to.index()];
                (*edges, *source) = (*edges + 1, from);
            });
        }
    }

    /// The one block that goes to `block`, by one edge.
    pub(super) fn only_predecessor(&self, block: Block) -> Option<Block> {
        self.only_preds.get(block.index()).filter(|(edges, _)| *edges == 1).map(|&(_, from)| from)
    }

    /// The invoke behind which `inst` stands at the start of a block.
    fn invoke_before(&self, inst: Inst) -> Option<(Block, InvokeData, InstData)> {
        let func = self.func;
        let block =
            func.layout.block_of(inst).filter(|&block| func.layout.first_inst(block) == Some(inst))?;
        let before = func.terminator(self.only_predecessor(block)?)?;
        match *before {
            InstData::Invoke { call, .. } => Some((block, *func.exceptions.invocation(call), *before)),
            _ => None,
        }
    }

    /// The call whose result `inst` gives at the start of a block.
    pub(super) fn invoked_before(&self, inst: Inst) -> Option<InstData> {
        self.invoke_before(inst).and_then(|(_, _, invoke)| self.func.invoked_call(&invoke))
    }

    pub(super) fn invoke(&mut self, call: InvokeData, args: &[Value]) {
        let (func, module) = (self.func, self.module);
        self.check_pnacl(Rule::Invoke, false);
        self.check(Rule::Invoke, func.exceptions.personality.is_some_and(|f| module.functions.is_valid(f)));
        match call.callee {
            InvokeCallee::Function(callee) => {
                let signature = module.signature(callee);
                let types = args.iter().map(|&v| func.value_type(v));
                let same = call.ret == signature.ret
                    && types.eq(signature.params.iter().copied())
                    && signature.arity == crate::native::Arity::Fixed;
                self.check(Rule::CallArguments, same);
                let is_intrinsic = matches!(module.functions[callee].kind, FunctionKind::Intrinsic(_));
                self.check(Rule::CallKind, !is_intrinsic);
            }
            InvokeCallee::As(signature) => {
                let signature = self.call_as(signature, args);
                self.check(Rule::CallArguments, signature.is_some_and(|s| s.ret == call.ret));
            }
            InvokeCallee::Address => {
                let is_address = args.first().is_some_and(|&v| func.value_type(v) == module.pointer_type);
                self.check(Rule::PointerOperand, is_address);
            }
        }
        let begins_with = |block, is_right: fn(&InstData) -> bool| {
            func.layout.first_inst(block).is_some_and(|inst| is_right(func.inst(inst)))
        };
        let are_alone = [call.normal, call.pad].into_iter().all(|block| {
            self.only_predecessor(block).is_some()
                && !begins_with(block, |i| matches!(i, InstData::Phi { .. }))
        });
        let has_result = begins_with(call.normal, |i| matches!(i, InstData::InvokeResult));
        let has_pad = begins_with(call.pad, |i| matches!(i, InstData::LandingPad { .. }));
        self.check(Rule::Invoke, are_alone && has_pad && has_result == (call.ret != Type::Void));
    }

    pub(super) fn invoke_result(&mut self, inst: Inst, result: Type) {
        if self.is_behind_jump(inst) {
            return;
        }
        let of = self.invoke_before(inst);
        self.check(
            Rule::Invoke,
            of.is_some_and(|(block, call, _)| call.normal == block && call.ret == result),
        );
    }

    pub(super) fn landing_pad(&mut self, inst: Inst, pad: Pad) {
        let exceptions = &self.func.exceptions;
        let of = self.invoke_before(inst);
        self.check(Rule::Invoke, of.is_some_and(|(block, call, _)| call.pad == block));
        let is_type = |&ty: &u32| (1..=exceptions.types.len() as u32).contains(&ty);
        let are_types = exceptions.pad(pad).is_some_and(|pad| {
            pad.clauses.iter().all(|clause| match clause {
                Clause::Catch(ty) => is_type(ty),
                Clause::Filter(types) => types.iter().all(is_type),
            })
        });
        self.check(Rule::Invoke, are_types);
    }
}
