//! Frames that end the program when an array in them was overrun: stack canaries.
//!
//! A number that nobody outside knows ([`StackGuard`]) is stored into an object of the frame when the function begins.
//! Before it returns, jumps to another function in place of a return, or calls what never comes back but may raise an
//! exception, the object is compared with the number; where it differs, a function is called that ends the program. The layout of the frame puts the
//! object above all others ([`ObjectKind`]), so that what runs past the end of an array meets it before return addresses
//! (StackGuard: Cowan and others, 1998; the order of objects: ProPolice, Etoh, 2000).
//!
//! *Which functions.* The rules are LLVM's (`StackProtector`): [`StackProtection::Buffers`] wants a large array of bytes or
//! an object whose size is not constant, [`StackProtection::Strong`] also other arrays, and objects whose address goes
//! elsewhere or that may be accessed past their end. Arrays are known from their kind, which readers give; the rest is
//! found here, by a walk over what is computed from the addresses of objects.
//!
//! The number is read anew for each comparison. It is nowhere but in the object and, for a moment, in a register: no pass
//! takes a stored value for a loaded one over what may have overwritten it.
//!
//! Requires: a verified function. Preserves: every block, but may split them at their ends and adds one
//! ([`Changed::Blocks`] if it did). Linear, but for the walk, which goes over the function again as long as phis pass
//! addresses on.

use crate::changed::Changed;
use crate::split::split_before;
use alloc::vec::Vec;
use ice_ir::{
    BinaryOp, Block, Function, GuardSource, Inst, InstData, IntCond, Intrinsic, Module, ObjectKind,
    StackGuard, StackProtection, Symbol, TailHint, Type, Value,
};

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct ProtectScratch {
    /// By value: of which object it is an address, and how many bytes of that lie behind it.
    addresses: Vec<Option<(Inst, u64)>>,
    /// Where frames are looked at.
    ends: Vec<Inst>,
}

/// Guards the frame of `func` if its traits in `module` ask for it.
pub fn protect_stack(module: &Module, func: &mut Function, scratch: &mut ProtectScratch) -> Changed {
    let protection = module.functions[func.id].traits.protection;
    let Some(guard) = module.hardening.stack_guard else { return Changed::Nothing };
    if protection == StackProtection::None {
        return Changed::Nothing;
    }
    if protection != StackProtection::Buffers {
        mark_exposed(func, scratch);
    }
    let is_wanted = |data: &InstData| match *data {
        InstData::Alloca { kind, .. } => match protection {
            StackProtection::Buffers => kind >= ObjectKind::Buffer,
            _ => kind >= ObjectKind::Exposed,
        },
        _ => false,
    };
    let blocks = || func.blocks().flat_map(|block| func.block_insts(block));
    if protection != StackProtection::Always && !blocks().any(|inst| is_wanted(func.inst(inst))) {
        return Changed::Nothing;
    }
    guard_frame(module, func, &guard, scratch)
}

/// Gives the objects whose address goes elsewhere their kind.
fn mark_exposed(func: &mut Function, scratch: &mut ProtectScratch) {
    let addresses = &mut scratch.addresses;
    addresses.clear();
    addresses.resize(func.num_values(), None);
    let mut has_objects = false;
    let all: Vec<Inst> = func.blocks().flat_map(|block| func.block_insts(block)).collect();
    for &inst in &all {
        if let InstData::Alloca { size, kind: ObjectKind::Local, .. } = *func.inst(inst)
            && let (Some(size), Some(result)) = (func.int_value(size), func.result(inst))
        {
            addresses[result.as_u32() as usize] = Some((inst, size as u64));
            has_objects = true;
        }
    }
    // Phis may pass on what comes behind them.
    let mut again = has_objects;
    while core::mem::take(&mut again) {
        for &inst in &all {
            again |= follow(func, inst, addresses);
        }
    }
}

/// What an instruction does with addresses of objects: notes its result if that is one, and the object if its address goes
/// elsewhere. Says whether there is a new address, or less behind one.
fn follow(func: &mut Function, inst: Inst, addresses: &mut [Option<(Inst, u64)>]) -> bool {
    let known = |value: Value| addresses.get(value.as_u32() as usize).copied().flatten();
    let data = *func.inst(inst);
    let (mut passed, mut exposed) = (None, Vec::new());
    let mut pass_on = |value: Value, passed: &mut Option<(Inst, u64)>| match (known(value), *passed) {
        (Some(from), None) => *passed = Some(from),
        // Of two objects, or of two places in one: whoever uses it uses both.
        (Some((object, left)), Some((other, least))) => {
            if object != other {
                exposed.extend([object, other]);
            }
            *passed = Some((object, left.min(least)));
        }
        (None, _) => {}
    };
    let object_of = |value: Value| known(value).map(|(object, _)| object);
    // The object that an access of this type reaches past the end of.
    let too_far = |address: Value, ty: Type| {
        known(address).filter(|&(_, left)| left < ty.bytes().into()).map(|(object, _)| object)
    };
    match data {
        InstData::Load { address, .. } => {
            let ty = func.result(inst).map_or(Type::Void, |result| func.value_type(result));
            exposed.extend(too_far(address, ty));
        }
        InstData::Store { address, value, .. } => {
            exposed.extend(too_far(address, func.value_type(value)).into_iter().chain(object_of(value)));
        }
        InstData::CallIntrinsic { op, args, .. } => {
            let args = func.args(args);
            let ty = func.result(inst).map_or(Type::Void, |result| func.value_type(result));
            match (op, args) {
                // Accesses of which nothing is left out.
                (Intrinsic::AtomicLoad, &[address, ..]) => exposed.extend(too_far(address, ty)),
                (Intrinsic::AtomicStore, &[value, address, ..]) => {
                    let ty = func.value_type(value);
                    exposed.extend(too_far(address, ty).into_iter().chain(object_of(value)));
                }
                (Intrinsic::AtomicRmw, &[_, address, value, ..])
                | (Intrinsic::AtomicCmpxchg, &[address, _, value, ..]) => {
                    exposed.extend(too_far(address, ty).into_iter().chain(object_of(value)));
                }
                _ => exposed.extend(args.iter().filter_map(|&arg| object_of(arg))),
            }
        }
        InstData::Binary { op: BinaryOp::Add, args: [a, b] } => {
            let (address, number) = if func.int_value(a).is_some() { (b, a) } else { (a, b) };
            if let Some((object, left)) = known(address) {
                match func.int_value(number).and_then(|number| u64::try_from(number).ok()) {
                    Some(number) if number < left => passed = Some((object, left - number)),
                    _ => exposed.push(object),
                }
            }
            exposed.extend(object_of(number));
        }
        InstData::Select { cond: _, if_true, if_false } => {
            [if_true, if_false].into_iter().for_each(|value| pass_on(value, &mut passed));
        }
        InstData::Phi { incoming } => {
            func.incoming(incoming).iter().for_each(|&(value, _)| pass_on(value, &mut passed));
        }
        InstData::Ret { .. } | InstData::RetPair { .. } | InstData::Alloca { .. } => {}
        _ => func.for_each_operand(inst, |value| exposed.extend(object_of(value))),
    }
    for object in exposed {
        if let InstData::Alloca { kind, .. } = func.inst_mut(object) {
            *kind = ObjectKind::Exposed;
        }
    }
    let Some((result, (object, left))) = func.result(inst).zip(passed) else { return false };
    let place = &mut addresses[result.as_u32() as usize];
    let is_news = place.is_none_or(|(known, least)| known == object && left < least);
    if is_news {
        *place = Some((object, left));
    }
    is_news
}

/// Puts the number into the frame and compares it at the ends.
fn guard_frame(
    module: &Module,
    func: &mut Function,
    guard: &StackGuard,
    scratch: &mut ProtectScratch,
) -> Changed {
    let Some(first) = func.layout.entry().and_then(|entry| func.layout.first_inst(entry)) else {
        return Changed::Nothing;
    };
    scratch.ends.clear();
    scratch.ends.extend(func.blocks().filter_map(|block| end_of(module, func, block)));
    let pointer = module.pointer_type;
    let align_log2 = pointer.bytes().trailing_zeros() as u8;
    let size = func.make_int(pointer, pointer.bytes().into());
    let kind = ObjectKind::Guard;
    let place = insert(func, first, InstData::Alloca { size, align_log2, kind }, pointer);
    let number = read(module, func, guard, first);
    if let (Some(address), Some(value)) = (place, number) {
        let store = func.make_inst(InstData::Store { address, value, align_log2 }, Type::Void);
        func.layout.insert_before(first, store);
    }
    let Some(address) = place.filter(|_| !scratch.ends.is_empty()) else { return Changed::Instructions };
    let failed = func.append_new_block();
    let args = func.make_args(&[]);
    for data in [InstData::Call { callee: guard.fail, args, tail: TailHint::None }, InstData::Unreachable] {
        let inst = func.make_inst(data, Type::Void);
        func.layout.append_inst(failed, inst);
    }
    for &end in &scratch.ends {
        let Some(block) = func.layout.block_of(end) else { continue };
        let expected = read(module, func, guard, end);
        let found = insert(func, end, InstData::Load { address, align_log2 }, pointer);
        let (Some(expected), Some(found)) = (expected, found) else { continue };
        let same = InstData::Icmp { cond: IntCond::Eq, args: [expected, found] };
        let Some(cond) = insert(func, end, same, Type::I1) else { continue };
        let branch = InstData::CondBr { cond, if_true: split_before(func, block, end), if_false: failed };
        let branch = func.make_inst(branch, Type::Void);
        func.layout.append_inst(block, branch);
    }
    Changed::Blocks
}

/// Before which instruction of a block the frame is looked at: a return, a call in place of one, or a call that never
/// comes back but may raise an exception.
fn end_of(module: &Module, func: &Function, block: Block) -> Option<Inst> {
    let last = func.layout.last_inst(block)?;
    let never_returns = |data: &InstData| match *data {
        InstData::Call { callee, .. } => {
            let traits = &module.functions[callee].traits;
            traits.noreturn && !traits.nounwind
        }
        _ => false,
    };
    let data = func.inst(last);
    match data {
        InstData::Ret { .. } | InstData::RetPair { .. } => Some(last),
        data if data.is_return_call() => Some(last),
        InstData::Invoke { .. } => func.invoked_call(data).filter(|call| never_returns(call)).map(|_| last),
        InstData::Unreachable => func.layout.prev_inst(last).filter(|&call| never_returns(func.inst(call))),
        _ => None,
    }
}

/// Puts an instruction before another.
fn insert(func: &mut Function, next: Inst, data: InstData, ty: Type) -> Option<Value> {
    let inst = func.make_inst(data, ty);
    func.layout.insert_before(next, inst);
    func.result(inst)
}

/// Reads the number that guards frames, before an instruction.
fn read(module: &Module, func: &mut Function, guard: &StackGuard, next: Inst) -> Option<Value> {
    let pointer = module.pointer_type;
    let data = match guard.source {
        GuardSource::Variable(global) => {
            let address = func.make_address(Symbol::Global(global), pointer);
            InstData::Load { address, align_log2: pointer.bytes().trailing_zeros() as u8 }
        }
        GuardSource::Segment { read: callee, segment, offset } => {
            let numbers = [segment.code(), offset.into()].map(|number| func.make_int(Type::I32, number));
            let args = func.make_args(&numbers);
            let op = Intrinsic::SegmentWord;
            InstData::CallIntrinsic { op, callee, args, tail: TailHint::None }
        }
    };
    insert(func, next, data, pointer)
}
