//! Numbers that a program reads or writes byte by byte are read or written at once.
//!
//! | instructions | become |
//! |---|---|
//! | `or` of parts of 8, 16 or 32 bits that are loaded one behind the other and shifted to where the first in memory is the lowest | one load |
//! | the same, where the first in memory is the highest | one load, its bytes exchanged |
//! | stores of all bytes of a number, or of its lower half or quarter, one behind the other, the first in memory the lowest | one store |
//! | the same, where the first in memory is the highest | one store of the number, its bytes exchanged |
//!
//! The whole load stands where the last `or` was, the whole store where the last store was. So between the first part and the
//! last nothing changes memory, and between stores nothing reads it either. Parts of loads have no other use, or nothing
//! would be saved. Addresses are a common value and a number each. What machines do about alignment is theirs: the whole has that of
//! its first byte.
//!
//! The memory accessed is the same: no byte is read that was not read before, and none is read or written twice. LLVM does
//! this on its graph of a block (`MatchLoadCombine`, `mergeTruncStores` in `DAGCombiner.cpp`).
//!
//! Requires: what [`number_values`](crate::number_values()) requires, which asks for one instruction at a time. Preserves: the value of
//! the instruction, what memory holds behind it. Constant cost, and next to none for an `or` or store of anything else.

use crate::insert::before;
use arrayvec::ArrayVec;
use ice_ir::{
    BinaryOp, Block, CastOp, FuncId, Function, FunctionKind, Inst, InstData, Intrinsic, Module, TailHint,
    Type, Uses, Value,
};

/// Most instructions between the first part and the last.
const MAX_DISTANCE: u32 = 80;
/// Most additions of numbers in an address.
const MAX_STEPS: u32 = 4;
/// Most operations between the last `or` and a load.
const MAX_DEPTH: u32 = 20;

/// The functions that exchange the bytes of 16, 32 and 64 bits, where the module declares them.
#[derive(Clone, Copy, Default)]
pub struct ByteSwaps {
    half: Option<FuncId>,
    word: Option<FuncId>,
    long: Option<FuncId>,
}

impl ByteSwaps {
    /// Those of `module`; that of 16 bits only if these are accessed at once `anywhere`, for else it gains nothing. Linear in its
    /// functions.
    pub fn of(module: &Module, anywhere: bool) -> ByteSwaps {
        let mut swaps = ByteSwaps::default();
        for (id, decl) in module.functions.iter() {
            if decl.kind == FunctionKind::Intrinsic(Intrinsic::Bswap) {
                match module.signature(id).ret {
                    Type::I16 => swaps.half = Some(id).filter(|_| anywhere),
                    Type::I32 => swaps.word = Some(id),
                    Type::I64 => swaps.long = Some(id),
                    _ => {}
                }
            }
        }
        swaps
    }

    fn call(self, func: &mut Function, value: Value) -> Option<InstData> {
        let (callee, args) = (self.of_type(func.value_type(value))?, func.make_args(&[value]));
        Some(InstData::CallIntrinsic { op: Intrinsic::Bswap, callee, args, tail: TailHint::None })
    }

    /// That of numbers of this type.
    fn of_type(self, ty: Type) -> Option<FuncId> {
        match ty {
            Type::I16 => self.half,
            Type::I32 => self.word,
            Type::I64 => self.long,
            _ => None,
        }
    }
}

/// The order of bytes in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    LowestFirst,
    HighestFirst,
}

/// The parts of a number.
#[derive(Default)]
struct Parts {
    /// The value that all addresses have in common.
    base: Option<Value>,
    /// By their place in the number, where the bytes are in memory.
    bytes: [Option<i64>; 8],
    /// The loads or stores.
    accesses: ArrayVec<Inst, 8>,
    /// The lowest address, what is added to the base there, and its alignment.
    lowest: Option<(Value, i64, u8)>,
}

impl Parts {
    /// Adds what `access` does with `size` bytes at `address`, from byte number `place` of the number on. Not of a byte that is
    /// there, nor at a distance of 2 GiB from the base.
    fn add(
        &mut self,
        func: &Function,
        access: Inst,
        (address, align_log2): (Value, u8),
        (place, size): (usize, usize),
    ) -> Option<()> {
        let (base, offset) = split_address(func, address);
        if *self.base.get_or_insert(base) != base || i32::try_from(offset).is_err() {
            return None;
        }
        for (byte, offset) in self.bytes.get_mut(place..place + size)?.iter_mut().zip(offset..) {
            if byte.replace(offset).is_some() {
                return None;
            }
        }
        if self.lowest.is_none_or(|(_, lowest, _)| offset < lowest) {
            self.lowest = Some((address, offset, align_log2));
        }
        self.accesses.try_push(access).ok()
    }

    /// How many bytes these are, from the lowest of the number on, and their order, if they are one behind the other.
    fn order(&self) -> Option<(usize, Order)> {
        let count = self.bytes.iter().take_while(|byte| byte.is_some()).count();
        let (_, lowest, _) = self.lowest?;
        if self.bytes[count..].iter().any(|byte| byte.is_some()) {
            return None;
        }
        let is = |offset: fn(usize, usize) -> usize| {
            let mut bytes = self.bytes[..count].iter().enumerate();
            bytes.all(|(n, &byte)| byte.is_some_and(|byte| byte - lowest == offset(n, count) as i64))
        };
        match (is(|n, _| n), is(|n, count| count - 1 - n)) {
            (true, _) => Some((count, Order::LowestFirst)),
            (_, true) => Some((count, Order::HighestFirst)),
            _ => None,
        }
    }
}

/// The value that an address is a sum of, and the number.
fn split_address(func: &Function, mut address: Value) -> (Value, i64) {
    let mut offset = 0i64;
    for _ in 0..MAX_STEPS {
        let Some(&InstData::Binary { op: BinaryOp::Add, args: [x, number] }) =
            func.defining_inst(address).map(|inst| func.inst(inst))
        else {
            break;
        };
        let Some(number) = func.int_value(number) else { break };
        (address, offset) = (x, offset.wrapping_add(number));
    }
    (address, offset)
}

/// Reads at once what the `or` `inst` joins; gives what it becomes.
pub(crate) fn whole_load(func: &mut Function, uses: &Uses, swaps: ByteSwaps, inst: Inst) -> Option<InstData> {
    let &InstData::Binary { op: BinaryOp::Or, args } = func.inst(inst) else { return None };
    let result = func.result(inst)?;
    let ty = func.value_type(result);
    if !matches!(ty, Type::I16 | Type::I32 | Type::I64) || is_joined_further(func, uses, result) {
        return None;
    }
    let block = func.layout.block_of(inst)?;
    let mut parts = Parts::default();
    for value in args {
        gather(func, (uses, block), value, (0, ty.bits()), MAX_DEPTH, &mut parts)?;
    }
    let (count, order) = parts.order()?;
    let whole = match count {
        2 => Type::I16,
        4 => Type::I32,
        8 => Type::I64,
        _ => return None,
    };
    if order == Order::HighestFirst && swaps.of_type(whole).is_none()
        || !is_undisturbed(func, inst, &parts.accesses)
    {
        return None;
    }
    let (address, _, align_log2) = parts.lowest?;
    let load = InstData::Load { address, align_log2 };
    if (whole, order) == (ty, Order::LowestFirst) {
        return Some(load);
    }
    let mut value = before(func, inst, load, whole);
    if order == Order::HighestFirst {
        let swap = swaps.call(func, value)?;
        if whole == ty {
            return Some(swap);
        }
        value = before(func, inst, swap, whole);
    }
    Some(InstData::Cast { op: CastOp::Zext, arg: value })
}

/// Whether a larger number may be joined of `result`: then that is looked at.
fn is_joined_further(func: &Function, uses: &Uses, result: Value) -> bool {
    let user_of = |value| uses.last_user(value).filter(|_| uses.count_if_known(value) == 1);
    let extended = user_of(result).and_then(|user| match *func.inst(user) {
        InstData::Cast { op: CastOp::Zext, .. } => func.result(user),
        _ => None,
    });
    let result = extended.unwrap_or(result);
    user_of(result).is_some_and(|user| match *func.inst(user) {
        InstData::Binary { op: BinaryOp::Or, .. } => true,
        InstData::Binary { op: BinaryOp::Shl, args } => args[0] == result,
        _ => false,
    })
}

/// Adds the parts of `value`, whose lowest bit is bit number `at` of the number; from bit number `end` on the number has nothing of it.
fn gather(
    func: &Function,
    (uses, block): (&Uses, Block),
    value: Value,
    (at, end): (u32, u32),
    depth: u32,
    parts: &mut Parts,
) -> Option<()> {
    let inst = func.defining_inst(value)?;
    if uses.count_if_known(value) != 1 || func.layout.block_of(inst) != Some(block) || depth == 0 {
        return None;
    }
    let mut down = |value, at, end| gather(func, (uses, block), value, (at, end), depth - 1, parts);
    match *func.inst(inst) {
        InstData::Binary { op: BinaryOp::Or, args: [a, b] } => {
            down(a, at, end)?;
            down(b, at, end)
        }
        InstData::Binary { op: BinaryOp::Shl, args: [x, amount] } => {
            let bits = func.value_type(x).bits();
            let amount = u32::try_from(func.int_value(amount)?).ok().filter(|&amount| amount < bits)?;
            down(x, at + amount, end)
        }
        InstData::Cast { op: CastOp::Zext, arg } => down(arg, at, end.min(at + func.value_type(arg).bits())),
        // The copies of the sign are outside.
        InstData::Cast { op: CastOp::Sext, arg } => {
            (at + func.value_type(arg).bits() == end).then_some(())?;
            down(arg, at, end)
        }
        InstData::Load { address, align_log2 } => {
            let ty = func.value_type(value);
            let is_whole = matches!(ty, Type::I8 | Type::I16 | Type::I32);
            if !is_whole || at % 8 != 0 || at + ty.bits() > end {
                return None;
            }
            parts.add(func, inst, (address, align_log2), (at as usize / 8, ty.bits() as usize / 8))
        }
        _ => None,
    }
}

/// Whether nothing changes memory between the loads, several, and `inst`.
fn is_undisturbed(func: &Function, inst: Inst, loads: &[Inst]) -> bool {
    let mut left = loads.len();
    let mut next = func.layout.prev_inst(inst);
    for _ in 0..MAX_DISTANCE {
        match next {
            Some(inst) if !func.inst(inst).changes_memory() => {
                left -= usize::from(loads.contains(&inst));
                if left == 0 {
                    return loads.len() > 1;
                }
                next = func.layout.prev_inst(inst);
            }
            _ => return false,
        }
    }
    false
}

/// The number, the number of the byte in it and whether nothing is above the byte, if `value` is one.
fn byte_of(func: &Function, value: Value) -> Option<(Value, usize)> {
    let &InstData::Cast { op: CastOp::Trunc, arg } = func.inst(func.defining_inst(value)?) else {
        return None;
    };
    if func.value_type(value) != Type::I8 {
        return None;
    }
    let shifted = func.defining_inst(arg).and_then(|inst| match *func.inst(inst) {
        InstData::Binary { op: BinaryOp::Lshr | BinaryOp::Ashr, args: [number, amount] } => {
            Some((number, func.int_value(amount)?))
        }
        _ => None,
    });
    match shifted {
        Some((number, amount @ (8 | 16 | 24 | 32 | 40 | 48 | 56))) => Some((number, amount as usize / 8)),
        Some(_) => None,
        None => Some((arg, 0)),
    }
}

/// Writes at once the number, or its lower half or quarter, of which the store `inst` writes the last byte; gives its address and
/// what it writes, if it did.
pub(crate) fn whole_store(
    func: &mut Function,
    uses: &mut Uses,
    swaps: ByteSwaps,
    inst: Inst,
) -> Option<(Value, Value)> {
    let &InstData::Store { value, .. } = func.inst(inst) else { return None };
    let (number, _) = byte_of(func, value)?;
    let ty = func.value_type(number);
    if !matches!(ty, Type::I16 | Type::I32 | Type::I64) || uses.count_if_known(number) < 2 {
        return None;
    }
    let mut parts = Parts::default();
    let mut next = Some(inst);
    for _ in 0..MAX_DISTANCE {
        let Some(store) = next else { break };
        match *func.inst(store) {
            InstData::Store { address, value, align_log2 } => {
                let Some((_, place)) = byte_of(func, value).filter(|&(of, _)| of == number) else { break };
                parts.add(func, store, (address, align_log2), (place, 1))?;
                if parts.accesses.len() == ty.bits() as usize / 8 {
                    break;
                }
            }
            InstData::Load { .. } => break,
            ref other if other.has_side_effects() => break,
            _ => {}
        }
        next = func.layout.prev_inst(store);
    }
    let (count, order) = parts.order()?;
    let whole = match count {
        2 => Type::I16,
        4 => Type::I32,
        8 => Type::I64,
        _ => return None,
    };
    let has_order = order == Order::LowestFirst || swaps.of_type(whole).is_some();
    if !has_order || whole != ty && is_continued(func, inst, number) {
        return None;
    }
    let mut value = number;
    if whole != ty {
        value = before(func, inst, InstData::Cast { op: CastOp::Trunc, arg: number }, whole);
        func.defining_inst(value).into_iter().for_each(|part| uses.count_new(func, part, inst));
    }
    if order == Order::HighestFirst {
        let swap = swaps.call(func, value)?;
        value = before(func, inst, swap, whole);
        func.defining_inst(value).into_iter().for_each(|swap| uses.count_new(func, swap, inst));
    }
    let (address, _, align_log2) = parts.lowest?;
    for &store in &parts.accesses {
        uses.withdraw_operands(func, store);
        if store != inst {
            func.layout.remove_inst(store);
        }
    }
    *func.inst_mut(inst) = InstData::Store { address, value, align_log2 };
    uses.count_new(func, inst, inst);
    Some((address, value))
}

/// Whether the next store behind `inst` writes a byte of `number` as well, with nothing that reads memory between.
fn is_continued(func: &Function, inst: Inst, number: Value) -> bool {
    let mut next = func.layout.next_inst(inst);
    for _ in 0..MAX_DISTANCE {
        match next.map(|inst| func.inst(inst)) {
            Some(&InstData::Store { value, .. }) => {
                return byte_of(func, value).is_some_and(|(of, _)| of == number);
            }
            None | Some(InstData::Load { .. }) => return false,
            Some(other) if other.has_side_effects() => return false,
            Some(_) => next = next.and_then(|inst| func.layout.next_inst(inst)),
        }
    }
    false
}
