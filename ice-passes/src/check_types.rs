//! Calls through addresses that look whether they lead to functions of their type, on machines without a sequence of their
//! own for it: a load of the word in front of the function, a comparison, and a branch to where the program ends (LLVM's
//! pass `KCFI`; Cowan and others would call it a label of control-flow integrity: Abadi and others, 2005).
//!
//! The lowest bit of an address says on some machines how the code there is encoded; the word lies in front of the address
//! without it.
//!
//! Requires: a verified function. Preserves: every block, but splits those with such calls, and adds one
//! ([`Changed::Blocks`] if it did). Linear.

use crate::changed::Changed;
use crate::split::split_before;
use alloc::vec;
use alloc::vec::Vec;
use ice_ir::{BinaryOp, Block, Function, Inst, InstData, IntCond, Intrinsic, Type, Value};

/// Bytes from the word to the code.
const WORD_BEFORE: i64 = -4;

/// Replaces each [`Intrinsic::CheckType`] of `func`, whose addresses have the type `pointer`.
pub fn expand_type_checks(func: &mut Function, pointer: Type) -> Changed {
    let is_check =
        |inst: &Inst| matches!(func.inst(*inst), InstData::CallIntrinsic { op: Intrinsic::CheckType, .. });
    let checks: Vec<Inst> =
        func.blocks().flat_map(|block| func.block_insts(block)).filter(is_check).collect();
    if checks.is_empty() {
        return Changed::Nothing;
    }
    let mut same: Vec<Option<Value>> = vec![None; func.num_values()];
    let failed = func.append_new_block();
    for &check in &checks {
        let &InstData::CallIntrinsic { args, .. } = func.inst(check) else { continue };
        let (&[address, word], Some(block)) = (func.args(args), func.layout.block_of(check)) else {
            continue;
        };
        if let Some(result) = func.result(check) {
            same[result.as_u32() as usize] = Some(address);
        }
        let behind = split_before(func, block, check);
        func.layout.remove_inst(check);
        compare(func, block, (address, word), pointer, [behind, failed]);
    }
    let end = func.make_inst(InstData::Unreachable, Type::Void);
    func.layout.append_inst(failed, end);
    // A checked address may be that of another check.
    let all: Vec<Inst> = func.blocks().flat_map(|block| func.block_insts(block)).collect();
    for inst in all {
        func.map_operands(inst, |mut value| {
            while let Some(Some(by)) = same.get(value.as_u32() as usize) {
                value = *by;
            }
            value
        });
    }
    Changed::Blocks
}

/// Ends `block`: goes to the first of `targets` if the word is in front of the address, else to the second.
fn compare(
    func: &mut Function,
    block: Block,
    (address, word): (Value, Value),
    pointer: Type,
    [same, other]: [Block; 2],
) {
    let append = |func: &mut Function, data, ty| {
        let inst = func.make_inst(data, ty);
        func.layout.append_inst(block, inst);
        func.result(inst)
    };
    let [mask, distance] = [-2, WORD_BEFORE].map(|number| func.make_int(pointer, number));
    let start = InstData::Binary { op: BinaryOp::And, args: [address, mask] };
    let Some(start) = append(func, start, pointer) else { return };
    let place = InstData::Binary { op: BinaryOp::Add, args: [start, distance] };
    let Some(place) = append(func, place, pointer) else { return };
    let Some(found) = append(func, InstData::Load { address: place, align_log2: 1 }, Type::I32) else {
        return;
    };
    let equal = InstData::Icmp { cond: IntCond::Eq, args: [found, word] };
    if let Some(cond) = append(func, equal, Type::I1) {
        append(func, InstData::CondBr { cond, if_true: same, if_false: other }, Type::Void);
    }
}
