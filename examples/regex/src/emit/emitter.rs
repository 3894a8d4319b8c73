//! Blocks with parameters, arithmetic on addresses, tests of bytes.
//!
//! The IR joins values with phis, which list the predecessors of their block. Here a *join* is a block with parameters: who
//! jumps there says what they are, and [`Emitter::finish`] makes the phis when all who jump are known.

use super::unit::Unit;
use crate::bytes::{ByteSet, Test};
use ice_ir::{
    BinaryOp, Block, CastOp, FuncId, Function, FunctionBuilder, IntCond, Intrinsic, Signature, Symbol,
    TailHint, Type, Value,
};

/// A block with parameters, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JoinId(u32);

struct Join {
    /// Holds the phis.
    head: Block,
    /// Holds the code.
    body: Block,
    params: Vec<Value>,
    incoming: Vec<(Block, Vec<Value>)>,
}

/// Emits one function.
pub(crate) struct Emitter<'a> {
    pub(crate) unit: &'a mut Unit,
    pub(crate) b: FunctionBuilder<'a>,
    joins: Vec<Join>,
}

impl<'a> Emitter<'a> {
    /// Begins the function `id` in `body`, in its first block.
    pub(crate) fn new(unit: &'a mut Unit, body: &'a mut Function, id: FuncId) -> Emitter<'a> {
        let signature: Signature = unit.module.signature(id).clone();
        let mut b = FunctionBuilder::new(body);
        b.begin(id, &signature);
        let entry = b.create_block();
        b.switch_to_block(entry);
        Emitter { unit, b, joins: Vec::new() }
    }

    /// The parameters of the function.
    pub(crate) fn params<const N: usize>(&self) -> [Value; N] {
        self.b.func.params().try_into().expect("the function has that many parameters")
    }

    // ---- blocks

    /// A block with parameters of these types.
    pub(crate) fn join(&mut self, types: &[Type]) -> JoinId {
        let params = types.iter().map(|&ty| self.b.func.make_forward(ty)).collect();
        let (head, body) = (self.b.create_block(), self.b.create_block());
        self.joins.push(Join { head, body, params, incoming: Vec::new() });
        JoinId(self.joins.len() as u32 - 1)
    }

    /// Ends the block with a jump.
    pub(crate) fn jump(&mut self, to: JoinId, values: &[Value]) {
        let from = self.b.current_block().expect("the block is open");
        let join = &mut self.joins[to.0 as usize];
        debug_assert_eq!(join.params.len(), values.len());
        join.incoming.push((from, values.to_vec()));
        let head = join.head;
        self.b.br(head);
    }

    /// Begins the code of a join; gives its parameters.
    pub(crate) fn enter(&mut self, join: JoinId) -> Vec<Value> {
        let Join { body, params, .. } = &self.joins[join.0 as usize];
        self.b.switch_to_block(*body);
        params.clone()
    }

    /// Ends the block by a condition; gives the blocks where it holds and where it does not.
    pub(crate) fn branch(&mut self, condition: Value) -> (Block, Block) {
        let (yes, no) = (self.b.create_block(), self.b.create_block());
        self.b.cond_br(condition, yes, no);
        (yes, no)
    }

    /// Goes on where the condition holds; gives the block where it does not.
    pub(crate) fn require(&mut self, condition: Value) -> Block {
        let (yes, no) = self.branch(condition);
        self.b.switch_to_block(yes);
        no
    }

    /// Makes the phis of all joins.
    pub(crate) fn finish(mut self) {
        for join in std::mem::take(&mut self.joins) {
            self.b.switch_to_block(join.head);
            for (n, &param) in join.params.iter().enumerate() {
                let ty = self.b.func.value_type(param);
                let incoming: Vec<(Value, Block)> =
                    join.incoming.iter().map(|(block, values)| (values[n], *block)).collect();
                self.b.define_next_as(param);
                self.b.phi(ty, &incoming);
            }
            self.b.br(join.body);
        }
    }

    // ---- arithmetic

    /// The type of addresses.
    pub(crate) fn pointer(&self) -> Type {
        self.unit.machine.pointer
    }

    /// A number as wide as an address.
    pub(crate) fn word(&mut self, number: i64) -> Value {
        let pointer = self.pointer();
        self.b.int_const(pointer, number)
    }

    /// A number of 32 bits.
    pub(crate) fn int(&mut self, number: i64) -> Value {
        self.b.int_const(Type::I32, number)
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.b.binary(op, a, b)
    }

    /// `value op number`.
    pub(crate) fn binary_const(&mut self, op: BinaryOp, value: Value, number: i64) -> Value {
        let ty = self.b.func.value_type(value);
        let number = self.b.int_const(ty, number);
        self.b.binary(op, value, number)
    }

    /// `value + number`.
    pub(crate) fn plus(&mut self, value: Value, number: i64) -> Value {
        if number == 0 { value } else { self.binary_const(BinaryOp::Add, value, number) }
    }

    pub(crate) fn compare(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.b.icmp(cond, a, b)
    }

    /// Compares with a number.
    pub(crate) fn compare_const(&mut self, cond: IntCond, value: Value, number: i64) -> Value {
        let ty = self.b.func.value_type(value);
        let number = self.b.int_const(ty, number);
        self.b.icmp(cond, value, number)
    }

    /// Widens or narrows an unsigned number.
    pub(crate) fn resize(&mut self, value: Value, ty: Type) -> Value {
        let from = self.b.func.value_type(value).bits();
        match from.cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.b.cast(CastOp::Zext, value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.b.cast(CastOp::Trunc, value, ty),
        }
    }

    /// The number at `base + index * size`, unsigned, widened to 32 bits.
    pub(crate) fn load_at(&mut self, ty: Type, base: Symbol, index: Value) -> Value {
        let pointer = self.pointer();
        let base = self.b.address(base, pointer);
        let index = self.resize(index, pointer);
        let scaled = match ty.bytes() {
            1 => index,
            size => self.binary_const(BinaryOp::Shl, index, i64::from(size.trailing_zeros())),
        };
        let address = self.b.binary(BinaryOp::Add, base, scaled);
        let value = self.b.load(ty, address, ty.bytes().trailing_zeros() as u8);
        self.resize(value, Type::I32)
    }

    /// The byte at an address, as wide as an address, so that it indexes tables as it is.
    pub(crate) fn byte_at(&mut self, address: Value, offset: i64) -> Value {
        let address = self.plus(address, offset);
        let byte = self.b.load(Type::I8, address, 0);
        let pointer = self.pointer();
        self.resize(byte, pointer)
    }

    /// The word of memory number `index` behind `base`.
    pub(crate) fn load_word(&mut self, base: Value, index: u32) -> Value {
        let pointer = self.pointer();
        let address = self.plus(base, i64::from(index * pointer.bytes()));
        self.b.load(pointer, address, pointer.bytes().trailing_zeros() as u8)
    }

    /// Sets a word of memory.
    pub(crate) fn store_word(&mut self, base: Value, index: u32, value: Value) {
        let bytes = self.pointer().bytes();
        let address = self.plus(base, i64::from(index * bytes));
        self.b.store(address, value, bytes.trailing_zeros() as u8);
    }

    pub(crate) fn call(&mut self, callee: FuncId, args: &[Value], result: Type) -> Value {
        self.b.call(callee, args, result, TailHint::None).expect("the function has a result")
    }

    /// The number of zeros below the lowest one of a number that is not 0.
    pub(crate) fn trailing_zeros(&mut self, value: Value) -> Value {
        let callee = self.unit.trailing_zeros();
        let flag = self.b.int_const(Type::I1, 1);
        let args = [value, flag];
        let zeros = self.b.call_intrinsic(Intrinsic::Cttz, callee, &args, Type::I32, TailHint::None);
        zeros.expect("the intrinsic has a result")
    }

    // ---- bytes

    /// Whether a byte, as wide as an address, that is known to be in `domain`, is in `set`.
    pub(crate) fn is_in(&mut self, byte: Value, set: &ByteSet, domain: &ByteSet) -> Value {
        let others = domain.without(set);
        if let Some(test) = single(set.tests(domain, 1)) {
            return self.test(byte, test, IntCond::Ule);
        }
        if let Some(test) = single(others.tests(domain, 1)) {
            return self.test(byte, test, IntCond::Ugt);
        }
        let (table, bit) = self.unit.set_bit(set);
        let bits = self.load_at(Type::I8, table, byte);
        let bit = self.binary_const(BinaryOp::And, bits, 1 << bit);
        self.compare_const(IntCond::Ne, bit, 0)
    }

    /// Whether a comparison of a byte holds ([`IntCond::Ule`]) or not ([`IntCond::Ugt`]).
    fn test(&mut self, byte: Value, test: Test, cond: IntCond) -> Value {
        let (byte, first, last) = match test {
            Test::Range { first, last } => (byte, first, last),
            Test::Folded { first, last } => (self.binary_const(BinaryOp::Or, byte, 0x20), first, last),
        };
        if first == last {
            let cond = if cond == IntCond::Ule { IntCond::Eq } else { IntCond::Ne };
            return self.compare_const(cond, byte, first.into());
        }
        if last == u8::MAX {
            let cond = if cond == IntCond::Ule { IntCond::Uge } else { IntCond::Ult };
            return self.compare_const(cond, byte, first.into());
        }
        let from = self.plus(byte, -i64::from(first));
        self.compare_const(cond, from, (last - first).into())
    }
}

fn single(tests: Option<Vec<Test>>) -> Option<Test> {
    tests.filter(|tests| tests.len() == 1).map(|tests| tests[0])
}
