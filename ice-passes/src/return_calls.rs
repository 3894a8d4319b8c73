//! Calls in tail position become jumps, where the program says that the frame is not needed any more (`tail`).
//!
//! A call is in tail position if the function returns its results and nothing stands between, or if it returns nothing. The
//! return may be a block of its own that many blocks jump to, perhaps with phis for the results: then each of these blocks
//! is looked at, and those that end with such a call leave the phis. Which calls can be made in place of a return, and
//! cost no more there, is asked of the machine; what it accepts keeps all that a return has to keep.
//!
//! What stays a call: one with memory of the frame among its arguments, which the reader has put there where the program says
//! nothing of it; and all calls of a function in which something returns twice, for its frame must be there then.
//!
//! Requires: a verified function, and its flow graph. Preserves: values and side effects; a block with a return that nothing
//! jumps to any more stays without instructions but `unreachable` ([`Changed::Blocks`]). One look at each block; one at each
//! instruction in a function with such a call.

use crate::changed::Changed;
use crate::split::empty;
use ice_ir::native::Arity;
use ice_ir::{
    Block, ControlFlowGraph, Function, FunctionDecl, FunctionKind, Inst, InstData, Intrinsic, Module,
    TailHint, Type, Value,
};

/// The values that a block returns.
type Returned = [Option<Value>; 2];

/// Makes calls of `func` that it returns return calls, where `accepts` says of the instruction that it may be one.
pub fn make_return_calls(
    func: &mut Function,
    module: &Module,
    cfg: &ControlFlowGraph,
    something_returns_twice: SomethingReturnsTwice,
    accepts: &dyn Fn(&Function, Inst) -> bool,
) -> Changed {
    let mut changed = Changed::Nothing;
    // What has been found before the first change holds behind it.
    let mut looks = something_returns_twice == SomethingReturnsTwice::Perhaps || func.has_assembly();
    if module.signature(func.id).arity == Arity::Variadic {
        return changed;
    }
    let mut next = func.layout.entry();
    while let Some(block) = next {
        next = func.layout.next_block(block);
        let Some(end) = func.layout.last_inst(block) else { continue };
        let returned = match *func.inst(end) {
            InstData::Ret { value } => [value, None],
            InstData::RetPair { values } => values.map(Some),
            _ => continue,
        };
        if let Some(before) = func.layout.prev_inst(end)
            && !matches!(func.inst(before), InstData::Phi { .. })
        {
            if let Some(call) = returned_call(func, before, returned)
                && is_free(func, module, looks, call)
                && accepts(func, call)
            {
                replace(func, call);
                looks = false;
                changed = changed.max(Changed::Instructions);
            }
            continue;
        }
        let mut left = 0;
        for &pred in cfg.preds(block) {
            let Some(call) = call_before(func, pred, block, returned) else { continue };
            if is_free(func, module, looks, call) && accepts(func, call) {
                replace(func, call);
                leave(func, pred, block);
                (looks, left) = (false, left + 1);
                changed = Changed::Blocks;
            }
        }
        if left > 0 && left == cfg.preds(block).len() {
            empty(func, block);
        }
    }
    changed
}

/// The marked call that `last` is, or whose second result it is, if these are what is returned, or nothing is.
fn returned_call(func: &Function, last: Inst, returned: Returned) -> Option<Inst> {
    let mut call = last;
    let mut results = [None, None];
    if let InstData::SecondResult { .. } = func.inst(last) {
        results[1] = func.result(last);
        call = func.layout.prev_inst(last)?;
    }
    let (InstData::Call { tail, .. } | InstData::CallIndirect { tail, .. } | InstData::CallAs { tail, .. }) =
        *func.inst(call)
    else {
        return None;
    };
    results[0] = func.result(call);
    let is_returned = returned == results || returned == [None, None] && results[1].is_none();
    (tail == TailHint::Tail && is_returned).then_some(call)
}

/// Such a call at the end of `pred`, which jumps to `block`, a block of phis and a return.
fn call_before(func: &Function, pred: Block, block: Block, returned: Returned) -> Option<Inst> {
    let end = func.layout.last_inst(pred)?;
    let InstData::Br { .. } = func.inst(end) else { return None };
    let mut given = returned;
    for value in given.iter_mut().flatten() {
        let phi = func.defining_inst(*value).filter(|&def| func.layout.block_of(def) == Some(block));
        if let Some(&InstData::Phi { incoming }) = phi.map(|phi| func.inst(phi)) {
            *value = func.incoming(incoming).iter().find(|&&(_, from)| from == pred)?.0;
        }
    }
    returned_call(func, func.layout.prev_inst(end)?, given)
}

/// Whether nothing needs the frame while `call` is executed; what returns twice is looked for if `looks`.
fn is_free(func: &Function, module: &Module, looks: bool, call: Inst) -> bool {
    let args = match *func.inst(call) {
        InstData::Call { args, .. } | InstData::CallIndirect { args, .. } | InstData::CallAs { args, .. } => {
            args
        }
        _ => return false,
    };
    let is_in_frame = |&arg: &Value| match func.defining_inst(arg).map(|def| func.inst(def)) {
        Some(InstData::Alloca { .. }) => true,
        Some(InstData::CallIntrinsic { op, .. }) => *op == Intrinsic::ByValue,
        _ => false,
    };
    let needs_frame = func.args(args).iter().any(is_in_frame) || looks && may_return_twice(func, module);
    !needs_frame
}

/// Whether a module has functions or operations that return twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SomethingReturnsTwice {
    /// It has none but inline assembly.
    No,
    /// It may have some.
    Perhaps,
}

impl SomethingReturnsTwice {
    /// What holds for `module`. Linear in its functions.
    pub fn of(module: &Module) -> SomethingReturnsTwice {
        let returns_twice = |decl: &FunctionDecl| match decl.kind {
            FunctionKind::Intrinsic(op) => op.returns_twice(),
            _ => decl.traits.returns_twice,
        };
        match module.functions.values().any(returns_twice) {
            true => SomethingReturnsTwice::Perhaps,
            false => SomethingReturnsTwice::No,
        }
    }
}

/// Whether an instruction of the function may come to its end again.
fn may_return_twice(func: &Function, module: &Module) -> bool {
    let mut insts = func.blocks().flat_map(|block| func.block_insts(block));
    insts.any(|inst| match *func.inst(inst) {
        InstData::Call { callee, .. } => module.functions[callee].traits.returns_twice,
        InstData::CallIntrinsic { op, .. } => op.returns_twice(),
        InstData::CallAs { args, .. } => {
            let callee = func.args(args).first().map(|&callee| func.value_def(callee));
            matches!(callee, Some(ice_ir::ValueDef::Function(f)) if module.functions[f].traits.returns_twice)
        }
        InstData::Assembly { assembly, .. } => {
            func.assembly(assembly).is_some_and(|assembly| assembly.returns_twice)
        }
        _ => false,
    })
}

/// Puts a return call in the place of `call` and of what stands behind it in its block.
fn replace(func: &mut Function, call: Inst) {
    let data = match *func.inst(call) {
        InstData::Call { callee, args, .. } => InstData::ReturnCall { callee, args },
        InstData::CallIndirect { callee, args, .. } => InstData::ReturnCallIndirect { callee, args },
        InstData::CallAs { signature, args, .. } => InstData::ReturnCallAs { signature, args },
        _ => return,
    };
    let Some(block) = func.layout.block_of(call) else { return };
    while let Some(last) = func.layout.last_inst(block) {
        func.layout.remove_inst(last);
        if last == call {
            break;
        }
    }
    let end = func.make_inst_for(call, data, Type::Void);
    func.layout.append_inst(block, end);
}

/// Takes what comes from `pred` out of the phis of `block`.
fn leave(func: &mut Function, pred: Block, block: Block) {
    let mut next = func.layout.first_inst(block);
    while let Some(inst) = next
        && let &InstData::Phi { incoming } = func.inst(inst)
    {
        let list = func.incoming_mut(incoming);
        if let Some(at) = list.iter().position(|&(_, from)| from == pred) {
            list[at..].rotate_left(1);
        }
        *func.inst_mut(inst) = InstData::Phi { incoming: incoming.first(incoming.len() - 1) };
        next = func.layout.next_inst(inst);
    }
}
