//! Variables in SSA form against variables in memory: the same random functions, with any control flow, give the same.

use ice_interpreter::{Interpreter, Scalar};
use ice_ir::{
    BinaryOp, Block, Function, FunctionBuilder, FunctionKind, InstData, IntCond, Module, Program, Rules,
    Signature, Type, Value, ValueDef, Variable, Variables, verify_program,
};

/// Xorshift (Marsaglia, "Xorshift RNGs", 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }
}

/// Where variables are.
enum Store {
    Ssa(Variables, Vec<Variable>),
    Memory(Vec<Value>),
}

impl Store {
    fn get(&mut self, b: &mut FunctionBuilder<'_>, n: usize) -> Value {
        match self {
            Store::Ssa(variables, names) => variables.get(b, names[n]),
            Store::Memory(slots) => b.load(Type::I32, slots[n], 2),
        }
    }

    fn set(&mut self, b: &mut FunctionBuilder<'_>, n: usize, value: Value) {
        match self {
            Store::Ssa(variables, names) => variables.set(b, names[n], value),
            Store::Memory(slots) => b.store(slots[n], value, 2),
        }
    }
}

const VARIABLES: usize = 5;

/// A block of assignments, and a branch to any other but the first; the number of blocks that are left counts down in
/// variable 0, so that the function ends.
fn fill(b: &mut FunctionBuilder<'_>, store: &mut Store, random: &mut Random, blocks: &[Block], end: Block) {
    for _ in 0..random.below(4) {
        let to = 1 + random.below(VARIABLES - 1);
        let (x, y) = (store.get(b, random.below(VARIABLES)), store.get(b, random.below(VARIABLES)));
        let value = match random.below(4) {
            0 => b.int_const(Type::I32, random.below(100) as i64),
            1 => x,
            n => b.binary([BinaryOp::Mul, BinaryOp::Sub][n - 2], x, y),
        };
        store.set(b, to, value);
    }
    let (left, one, zero) = (store.get(b, 0), b.int_const(Type::I32, 1), b.int_const(Type::I32, 0));
    let less = b.binary(BinaryOp::Sub, left, one);
    store.set(b, 0, less);
    let (is_over, on) = (b.icmp(IntCond::Eq, less, zero), b.create_block());
    b.cond_br(is_over, end, on);
    b.switch_to_block(on);
    let target = |random: &mut Random| blocks[1 + random.below(blocks.len() - 1)];
    let value = store.get(b, 1 + random.below(VARIABLES - 1));
    match random.below(5) {
        0 | 1 => b.br(target(random)),
        2 | 3 => {
            let cond = b.icmp(IntCond::Slt, value, less);
            b.cond_br(cond, target(random), target(random));
        }
        _ => {
            let table = b.switch(value, target(random));
            let cases = (0..4).map(|case| (case, target(random))).collect();
            b.func.switch_mut(table).cases = cases;
        }
    }
}

fn program(seed: u64, is_ssa: bool) -> Program {
    let mut random = Random(seed * 2 + 0x9e37_79b9);
    let mut module = Module::native(Type::I64);
    let signature = Signature::new(vec![Type::I32; VARIABLES], Type::I32);
    let id = module.add_function("f", signature.clone(), FunctionKind::Defined);
    let mut body = Function::new();
    let mut b = FunctionBuilder::new(&mut body);
    b.begin(id, &signature);
    let blocks: Vec<Block> = (0..2 + random.below(9)).map(|_| b.create_block()).collect();
    let end = b.create_block();
    b.switch_to_block(blocks[0]);
    let mut store = if is_ssa {
        let mut variables = Variables::new();
        let names = (0..VARIABLES).map(|_| variables.declare(Type::I32)).collect();
        Store::Ssa(variables, names)
    } else {
        let size = b.int_const(Type::I32, 4);
        Store::Memory((0..VARIABLES).map(|_| b.alloca(size, 2, Type::I64)).collect())
    };
    for n in 0..VARIABLES {
        let param = b.func.params()[n];
        store.set(&mut b, n, param);
    }
    for &block in &blocks {
        b.switch_to_block(block);
        fill(&mut b, &mut store, &mut random, &blocks, end);
    }
    b.switch_to_block(end);
    let sum = (1..VARIABLES).fold(b.int_const(Type::I32, 7), |sum, n| {
        let (value, factor) = (store.get(&mut b, n), b.int_const(Type::I32, 31));
        let product = b.binary(BinaryOp::Mul, sum, factor);
        b.binary(BinaryOp::Add, product, value)
    });
    b.ret(Some(sum));
    if let Store::Ssa(mut variables, _) = store {
        variables.finish(&mut body);
    }
    Program { module, bodies: vec![body] }
}

/// The results for some parameters, the first of which says how many blocks are executed.
fn results(program: &Program) -> Vec<Option<Scalar>> {
    let id = program.module.function_by_name(b"f").expect("it is there");
    let mut interpreter = Interpreter::new(program).expect("the program is small");
    let params = [[12, 1, 2, 3, 4], [40, u32::MAX, 0, 77, 1], [1, 5, 6, 7, 8]];
    let args = params.map(|params| params.map(|bits| Scalar::new(Type::I32, u128::from(bits))));
    args.iter().map(|args| interpreter.call(id, args).expect("nothing in it traps").value).collect()
}

#[test]
fn values_are_those_of_variables_in_memory() {
    let mut phis = 0;
    for seed in 0..400 {
        let (ssa, memory) = (program(seed, true), program(seed, false));
        for program in [&ssa, &memory] {
            verify_program(program, Rules::Ice).unwrap_or_else(|errors| panic!("seed {seed}: {}", errors[0]));
        }
        assert_eq!(results(&ssa), results(&memory), "seed {seed}");
        phis += count_phis(&ssa.bodies[0], seed);
    }
    assert!(phis > 2000, "{phis} phis");
}

/// Counts phis; none has itself and one other value alone.
fn count_phis(body: &Function, seed: u64) -> usize {
    let mut count = 0;
    for inst in body.blocks().flat_map(|block| body.block_insts(block)) {
        let InstData::Phi { incoming } = *body.inst(inst) else { continue };
        count += 1;
        let own = body.result(inst).expect("a phi has a result");
        let others: std::collections::BTreeSet<Value> =
            body.incoming(incoming).iter().map(|&(value, _)| value).filter(|&value| value != own).collect();
        assert!(others.len() > 1, "seed {seed}: {own} is {others:?}");
    }
    count
}

/// A long row of joins behind which a variable is read, and as many loops inside of each other: linear, and no phi.
#[test]
fn what_is_not_assigned_to_has_no_phi() {
    const JOINS: usize = 100_000;
    let signature = Signature::new(vec![Type::I32, Type::I32], Type::I32);
    let mut body = Function::new();
    let mut b = FunctionBuilder::new(&mut body);
    b.begin(ice_ir::FuncId::from_u32(0), &signature);
    let mut variables = Variables::new();
    let [kept, unset] = [(); 2].map(|()| variables.declare(Type::I32));
    let entry = b.create_block();
    b.switch_to_block(entry);
    let (param, condition) = (b.func.params()[0], b.func.params()[1]);
    variables.set(&b, kept, param);
    let zero = b.int_const(Type::I32, 0);
    let cond = b.icmp(IntCond::Eq, condition, zero);
    let mut heads = Vec::new();
    for n in 0..JOINS {
        let [one, other, join] = [(); 3].map(|()| b.create_block());
        b.cond_br(cond, one, other);
        for side in [one, other] {
            b.switch_to_block(side);
            b.br(join);
        }
        b.switch_to_block(join);
        if n % 10 == 0 {
            heads.push(join);
        }
    }
    while let Some(head) = heads.pop() {
        let next = b.create_block();
        b.cond_br(cond, head, next);
        b.switch_to_block(next);
    }
    let (kept, unset) = (variables.get(&mut b, kept), variables.get(&mut b, unset));
    let sum = b.binary(BinaryOp::Add, kept, unset);
    b.ret(Some(sum));
    variables.finish(&mut body);
    assert_eq!(count_phis(&body, 0), 0);
    let is_param = |inst| {
        matches!(*body.inst(inst), InstData::Binary { args: [a, b], .. }
        if a == param && body.value_def(b) == ValueDef::Undef)
    };
    assert!(body.insts().any(|(inst, _)| is_param(inst)));
}
