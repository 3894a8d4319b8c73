//! Short regions of memory, of a known length, are copied and filled by loads and stores.
//!
//! | instruction | becomes |
//! |---|---|
//! | copy of up to four moves' length | as many loads, and behind them as many stores |
//! | fill of that length with a byte that is known | as many stores |
//!
//! The moves may overlap in what they write. What other passes do with addresses of loads and stores they then do with these: each
//! would else be computed into a register. All is read before anything is written, so that the regions may overlap.
//!
//! Requires: what [`number_values`](crate::number_values()) requires, which asks for one instruction at a time. Preserves: what memory
//! holds behind the instruction. Constant cost.

use crate::insert::insert;
use crate::simplify::Constants;
use arrayvec::ArrayVec;
use ice_ir::moves::{Move, moves};
use ice_ir::{BinaryOp, Function, Inst, InstData, Intrinsic, Type, Uses, Value};

/// Most moves of a region.
const MAX_MOVES: usize = 4;

/// Most types that moves have.
const MAX_TYPES: usize = 5;

/// Puts loads and stores of some of `types` in the place of `inst`, if it copies or fills a short region; gives the first of them.
#[cold]
#[inline(never)]
pub(crate) fn split_region(
    func: &mut Function,
    uses: &mut Uses,
    constants: &mut Constants,
    types: &[Type],
    inst: Inst,
) -> Option<Inst> {
    let &InstData::CallIntrinsic { op, args, .. } = func.inst(inst) else { return None };
    let &[to, from, length, _, volatile] = func.args(args) else { return None };
    let length = func.int_value(length).filter(|&length| length > 0)?;
    if func.int_value(volatile) != Some(0) {
        return None;
    }
    let byte = if op == Intrinsic::Memset { Some(func.int_value(from)? as u8) } else { None };
    // A vector is filled with zeros only: others are no constants.
    let fits = |ty: &Type| !ty.is_vector() || byte.is_none_or(|byte| byte == 0);
    let types: ArrayVec<Type, MAX_TYPES> = types.iter().copied().filter(fits).collect();
    let sizes: ArrayVec<u8, MAX_TYPES> = types.iter().map(|ty| ty.bytes() as u8).collect();
    let mut list = ArrayVec::<(Move, Type), MAX_MOVES>::new();
    for (size, at) in moves(&sizes, length, true) {
        let ty = types[sizes.iter().position(|&other| other == size)?];
        list.try_push(((size, at), ty)).ok()?;
    }
    let mut maker = Maker { func, uses, constants, inst, first: None };
    let mut values = ArrayVec::<Value, MAX_MOVES>::new();
    for &((_, at), ty) in &list {
        values.push(match byte {
            Some(byte) => maker.filled(ty, byte),
            None => {
                let address = maker.sum(from, at)?;
                maker.value(InstData::Load { address, align_log2: 0 }, ty)?
            }
        });
    }
    for (&((_, at), _), value) in list.iter().zip(values) {
        let address = maker.sum(to, at)?;
        maker.make(InstData::Store { address, value, align_log2: 0 }, Type::Void);
    }
    let first = maker.first?;
    uses.withdraw_operands(func, inst);
    func.layout.remove_inst(inst);
    Some(first)
}

/// Makes instructions in front of `inst`, and knows the first.
struct Maker<'a> {
    func: &'a mut Function,
    uses: &'a mut Uses,
    constants: &'a mut Constants,
    inst: Inst,
    first: Option<Inst>,
}

impl Maker<'_> {
    /// The constant of the type `ty` whose bytes are all `byte`.
    fn filled(&mut self, ty: Type, byte: u8) -> Value {
        let bits = u64::from_le_bytes([byte; 8]);
        let value = match ty {
            _ if ty.is_vector() => self.func.make_zero(ty),
            _ if ty.is_scalar_float() => self.func.make_float(ty, bits),
            _ => return self.constants.int(self.func, ty, bits as i64),
        };
        self.constants.intern(self.func, value)
    }

    /// The address `at` bytes behind another one.
    fn sum(&mut self, address: Value, at: i32) -> Option<Value> {
        if at == 0 {
            return Some(address);
        }
        let ty = self.func.value_type(address);
        let number = self.constants.int(self.func, ty, at.into());
        self.value(InstData::Binary { op: BinaryOp::Add, args: [address, number] }, ty)
    }

    fn value(&mut self, data: InstData, ty: Type) -> Option<Value> {
        let made = self.make(data, ty);
        self.func.result(made)
    }

    fn make(&mut self, data: InstData, ty: Type) -> Inst {
        let made = insert(self.func, self.inst, self.inst, data, ty);
        self.uses.count_new(self.func, made, self.inst);
        self.first.get_or_insert(made);
        made
    }
}
