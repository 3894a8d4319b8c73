//! Switches on what tells whether one number is below, at or above another become two branches.
//!
//! `cmp` of Rust, `<=>` of C++ and comparators of C give -1, 0 or 1, and what is asked of them is often a switch: the two
//! comparisons would be numbers, a difference and two further comparisons. A branch on one of the comparisons, and another
//! one on whether the numbers are equal, ask for the same. First comes what goes back: in searches that is the way that goes on.
//!
//! Requires: a verified function and its use counts. Preserves: those, which it keeps; every block, but adds one for the second
//! branch ([`Changed::KeptLoops`](crate::Changed::KeptLoops)).

use alloc::vec::Vec;
use ice_ir::{BinaryOp, Block, CastOp, Function, Inst, InstData, IntCond, SwitchKey, Type, Uses, Value};

/// A number that is -1, 0 or 1, and the comparisons that it is made of.
struct ThreeWay {
    args: [Value; 2],
    less: Value,
    greater: Value,
}

/// Whether `block` ends in a switch on such a number.
pub(crate) fn ends_in_three_ways(func: &Function, block: Block) -> bool {
    matches!(func.terminator(block), Some(&InstData::Switch { value, .. }) if three_way(func, value).is_some())
}

/// Branches where `block` ends in a switch on such a number. Whether it does now; `incoming` is memory.
pub(crate) fn branch(
    func: &mut Function,
    uses: &mut Uses,
    block: Block,
    incoming: &mut Vec<(Value, Block)>,
) -> bool {
    let Some(end) = func.layout.last_inst(block) else { return false };
    let &InstData::Switch { value, default, table } = func.inst(end) else { return false };
    let Some(ThreeWay { args, less, greater }) = three_way(func, value) else { return false };
    let cases = &func.switch(table).cases;
    if func.switch(table).key == SwitchKey::Label || cases.iter().any(|(case, _)| !(-1..=1).contains(case)) {
        return false;
    }
    let way = |number| cases.iter().find(|&&(case, _)| case == number).map_or(default, |&(_, target)| target);
    let ways @ [to_less, to_equal, to_greater] = [-1, 0, 1].map(way);
    // Where no value goes nothing may be that is reached from here alone.
    let is_empty =
        matches!(func.layout.first_inst(default).map(|inst| func.inst(inst)), Some(InstData::Unreachable));
    if !ways.contains(&default) && !is_empty {
        return false;
    }
    uses.withdraw_operands(func, end);
    let mut second = None;
    let (cond, if_true, if_false) = if to_less == to_equal {
        (greater, to_greater, to_less)
    } else if to_equal == to_greater {
        (less, to_less, to_equal)
    } else {
        let is_equal = func.make_inst_for(end, InstData::Icmp { cond: IntCond::Eq, args }, Type::I1);
        let equal = func.result(is_equal).expect("a comparison has a result");
        if to_less == to_greater {
            func.layout.insert_before(end, is_equal);
            count(func, uses, is_equal, end);
            (equal, to_equal, to_less)
        } else {
            let goes_back = |target: Block| target <= block;
            let ((cond, target), other) = match goes_back(to_greater) && !goes_back(to_less) {
                true => ((greater, to_greater), to_less),
                false => ((less, to_less), to_greater),
            };
            let behind = func.insert_new_block_after(block);
            let data = InstData::CondBr { cond: equal, if_true: to_equal, if_false: other };
            let test = func.make_inst_for(end, data, Type::Void);
            for inst in [is_equal, test] {
                func.layout.append_inst(behind, inst);
                count(func, uses, inst, end);
            }
            second = Some(behind);
            (cond, target, behind)
        }
    };
    *func.inst_mut(end) = InstData::CondBr { cond, if_true, if_false };
    count(func, uses, end, end);
    let mut targets = [default, to_less, to_equal, to_greater];
    targets.sort_unstable();
    let mut before = None;
    for target in targets {
        if before.replace(target) != Some(target) {
            come_from(func, uses, target, (block, second), incoming);
        }
    }
    uses.drop_unused(func);
    true
}

/// Counts what `inst`, which stands at `end` or right behind it, uses.
fn count(func: &Function, uses: &mut Uses, inst: Inst, end: Inst) {
    uses.count_new(func, inst, end);
    func.for_each_operand(inst, |value| {
        if uses.last_user(value) == Some(end) {
            uses.set_last_user(value, inst);
        }
    });
}

/// The parts of a number that is one comparison less the other: above less below.
fn three_way(func: &Function, value: Value) -> Option<ThreeWay> {
    let &InstData::Binary { op: BinaryOp::Sub, args } = func.inst(func.defining_inst(value)?) else {
        return None;
    };
    let comparison = |extended: Value| match *func.inst(func.defining_inst(extended)?) {
        InstData::Cast { op: CastOp::Zext, arg } => match *func.inst(func.defining_inst(arg)?) {
            InstData::Icmp { cond, args } => Some((arg, cond, args)),
            _ => None,
        },
        _ => None,
    };
    let ((greater, above, [a, b]), (less, below, args)) = (comparison(args[0])?, comparison(args[1])?);
    let is_below = matches!(below, IntCond::Slt | IntCond::Ult);
    let is_opposite = (above == below.swapped() && args == [a, b]) || (above == below && args == [b, a]);
    (is_below && is_opposite && func.value_type(a).is_scalar_int()).then_some(ThreeWay {
        args,
        less,
        greater,
    })
}

/// Lets the phis of `target` say from which of two blocks control comes now that came from the first one.
fn come_from(
    func: &mut Function,
    uses: &mut Uses,
    target: Block,
    (block, second): (Block, Option<Block>),
    incoming: &mut Vec<(Value, Block)>,
) {
    let leads = |func: &Function, from: Block| {
        let mut leads = false;
        func.for_each_successor(from, |successor| leads |= successor == target);
        leads
    };
    let from = [Some(block), second].map(|from| from.filter(|&from| leads(func, from)));
    let mut next = func.layout.first_inst(target);
    while let Some(inst) = next
        && let &InstData::Phi { incoming: edges } = func.inst(inst)
    {
        incoming.clear();
        let mut moved = None;
        for &(value, pred) in func.incoming(edges) {
            match pred == block {
                true => {
                    uses.withdraw(value);
                    moved = Some(value);
                }
                false => incoming.push((value, pred)),
            }
        }
        if let Some(value) = moved {
            for from in from.into_iter().flatten() {
                uses.add(value);
                incoming.push((value, from));
            }
        }
        let edges = func.make_incoming(incoming);
        *func.inst_mut(inst) = InstData::Phi { incoming: edges };
        next = func.layout.next_inst(inst);
    }
}
