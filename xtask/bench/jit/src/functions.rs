//! Functions of real sizes: the same ones for the same seed, through any [`Body`].
//!
//! Problem: compile time depends on what functions look like, and two code generators with builders of their own cannot read
//! one file. Method: structured statements over a pool of values, drawn from a generator of pseudo-random numbers. Sizes are
//! the deciles of a real program's (a WebP encoder of 301 functions), in instructions; so is, roughly, the mix of
//! instructions: two fifths integer arithmetic, a fourth loads and stores, a fifth branches, then calls and floats. Loops
//! count to a constant, and functions with calls call those without: each of them ends, so that results can be compared.

use crate::builder::{Access, Body, Cast, Cond, Define, Func, Op, Signature, Ty};

/// Deciles of the sizes of functions; the first function is one of those in the middle.
const SIZES: [u32; 10] = [50, 2, 142, 18, 400, 11, 70, 33, 633, 96];

/// Bytes of the memory that functions read and write, with an address as first argument.
pub const MEMORY: usize = 4096 + 256;

/// Offsets that are added to addresses in memory.
const FIELDS: u64 = 16;

/// Depth of loops.
const DEPTH: u32 = 2;

/// The type of all generated functions: an address of [`MEMORY`] bytes, and three numbers.
pub fn signature() -> Signature {
    Signature { params: vec![Ty::I64, Ty::I64, Ty::I32, Ty::F64], result: Ty::I64 }
}

/// A generated function.
pub struct Generated<'a> {
    /// Its number.
    pub number: u32,
    /// The functions before it.
    pub before: &'a [Func],
}

impl Define for Generated<'_> {
    fn define(&self, body: &mut impl Body) {
        let mut random = Random(u64::from(self.number) * 2 + 1);
        random.below(1);
        let size = SIZES[(self.number + self.number / 10) as usize % SIZES.len()];
        // Functions of even numbers call nobody.
        let callees = if self.number.is_multiple_of(2) { &[] } else { self.before };
        let pool = [vec![body.param(2)], vec![body.param(1)], vec![body.param(3)]];
        let memory = body.param(0);
        let mut walk = Walk { body, random, pool, memory, callees, left: size, depth: 0 };
        walk.statements(size);
        let number = walk.pick(Ty::I32);
        let [wide, narrow] = [walk.pick(Ty::I64), walk.body.cast(Cast::ZeroExtend, number)];
        let result = walk.body.binary(Op::Add, wide, narrow);
        walk.body.ret(result);
    }
}

/// Xorshift with a multiplied output (Marsaglia 2003, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Instructions of a function that come yet, and values that they may use.
struct Walk<'a, B: Body> {
    body: &'a mut B,
    random: Random,
    /// Values by [`Ty`], which dominate what comes.
    pool: [Vec<B::Value>; 3],
    memory: B::Value,
    callees: &'a [Func],
    left: u32,
    depth: u32,
}

const TYPES: [Ty; 3] = [Ty::I32, Ty::I64, Ty::F64];

impl<B: Body> Walk<'_, B> {
    /// One of the latest values of a type.
    fn pick(&mut self, ty: Ty) -> B::Value {
        let pool = &self.pool[ty as usize];
        let recent = pool.len().min(8);
        pool[pool.len() - 1 - self.random.below(recent as u64) as usize]
    }

    fn add(&mut self, ty: Ty, value: B::Value) {
        self.pool[ty as usize].push(value);
    }

    /// Statements with `size` instructions together, or a few more.
    fn statements(&mut self, size: u32) {
        let end = self.left.saturating_sub(size);
        while self.left > end {
            let cost = self.statement();
            self.left = self.left.saturating_sub(cost);
        }
    }

    /// A statement, and how many instructions it has, without those that are statements themselves.
    fn statement(&mut self) -> u32 {
        match self.random.below(100) {
            0..=40 => self.integer(),
            41..=47 => self.float(),
            48..=52 => self.convert(),
            53..=69 => self.read(),
            70..=79 => self.write(),
            80..=83 => self.choose_value(),
            84..=93 if self.left > 8 => self.branch(),
            94..=96 if self.left > 12 && self.depth < DEPTH => self.repeat_statements(),
            97..=99 if !self.callees.is_empty() => self.call(),
            _ => self.integer(),
        }
    }

    fn integer(&mut self) -> u32 {
        const OPS: [Op; 10] =
            [Op::Add, Op::Add, Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Shl, Op::Shr];
        let (op, ty) = (self.random.pick(&OPS), self.random.pick(&[Ty::I32, Ty::I32, Ty::I64]));
        let a = self.pick(ty);
        let b = match op {
            Op::Shl | Op::Shr => self.body.int(ty, 1 + self.random.below(30) as i64),
            _ if self.random.below(2) == 0 => self.body.int(ty, self.random.below(1000) as i64 - 100),
            _ => self.pick(ty),
        };
        let result = self.body.binary(op, a, b);
        self.add(ty, result);
        1
    }

    fn float(&mut self) -> u32 {
        let op = self.random.pick(&[Op::Fadd, Op::Fsub, Op::Fmul, Op::Fmul, Op::Fdiv]);
        let a = self.pick(Ty::F64);
        let b = match self.random.below(4) {
            0 => self.body.float(1.5 + self.random.below(8) as f64),
            _ => self.pick(Ty::F64),
        };
        let result = self.body.binary(op, a, b);
        self.add(Ty::F64, result);
        1
    }

    fn convert(&mut self) -> u32 {
        let casts = [
            (Cast::ZeroExtend, Ty::I32, Ty::I64),
            (Cast::SignExtend, Ty::I32, Ty::I64),
            (Cast::Truncate, Ty::I64, Ty::I32),
            (Cast::ToFloat, Ty::I32, Ty::F64),
        ];
        let (cast, from, to) = self.random.pick(&casts);
        let value = self.pick(from);
        let result = self.body.cast(cast, value);
        self.add(to, result);
        1
    }

    /// What an access is to: the place of a field, or of an element of an array of 4096 bytes.
    fn place(&mut self, ty: Ty) -> (B::Value, i32, u32) {
        let field = 8 * self.random.below(FIELDS) as i32;
        if self.random.below(2) == 0 {
            return (self.memory, field, 1);
        }
        let index = self.pick(Ty::I64);
        let scale_log2 = if ty == Ty::I32 { 2 } else { 3 };
        let index = self.body.with_int(Op::And, Ty::I64, index, (4096 >> scale_log2) - 1);
        (self.body.element(self.memory, index, scale_log2), field, 4)
    }

    fn read(&mut self) -> u32 {
        let ty = self.random.pick(&[Ty::I32, Ty::I32, Ty::I64, Ty::I64, Ty::F64]);
        let (address, offset, cost) = self.place(ty);
        let access =
            if ty == Ty::I32 && self.random.below(3) == 0 { Access::Byte } else { Access::Whole(ty) };
        let result = self.body.load(access, address, offset);
        self.add(ty, result);
        cost
    }

    fn write(&mut self) -> u32 {
        let ty = self.random.pick(&[Ty::I32, Ty::I64, Ty::F64]);
        let (address, offset, cost) = self.place(ty);
        let value = self.pick(ty);
        let access =
            if ty == Ty::I32 && self.random.below(3) == 0 { Access::Byte } else { Access::Whole(ty) };
        self.body.store(access, address, offset, value);
        cost
    }

    fn condition(&mut self) -> B::Value {
        const CONDS: [Cond; 5] =
            [Cond::Equal, Cond::NotEqual, Cond::Less, Cond::LessOrEqual, Cond::UnsignedLess];
        if self.random.below(10) == 0 {
            let [a, b] = [(); 2].map(|()| self.pick(Ty::F64));
            return self.body.float_less(a, b);
        }
        let ty = self.random.pick(&[Ty::I32, Ty::I64]);
        let a = self.pick(ty);
        let b = match self.random.below(2) {
            0 => self.body.int(ty, self.random.below(100) as i64),
            _ => self.pick(ty),
        };
        self.body.compare(self.random.pick(&CONDS), a, b)
    }

    fn choose_value(&mut self) -> u32 {
        let (ty, cond) = (self.random.pick(&[Ty::I32, Ty::I64]), self.condition());
        let [a, b] = [(); 2].map(|()| self.pick(ty));
        let result = self.body.select(cond, a, b);
        self.add(ty, result);
        2
    }

    fn branch(&mut self) -> u32 {
        let cond = self.condition();
        let mut construct = self.body.begin_choice(cond);
        let ty = self.random.pick(&TYPES);
        let value = self.arm(ty);
        self.body.otherwise(&mut construct, &[value]);
        let value = self.arm(ty);
        let joined = self.body.end_choice(construct, &[value]);
        self.add(ty, joined[0]);
        4
    }

    /// A few statements, and a value that they end with.
    fn arm(&mut self, ty: Ty) -> B::Value {
        let known = self.pool.each_ref().map(Vec::len);
        let size = self.random.below(12) as u32;
        self.statements(size.min(self.left / 2));
        let value = self.pick(ty);
        self.forget(known);
        value
    }

    fn forget(&mut self, known: [usize; 3]) {
        self.pool.iter_mut().zip(known).for_each(|(pool, known)| pool.truncate(known));
    }

    fn repeat_statements(&mut self) -> u32 {
        let ty = self.random.pick(&TYPES);
        let (start, carried) = (self.body.int(Ty::I64, 0), self.pick(ty));
        let (construct, variables) = self.body.begin_loop(&[start, carried]);
        let known = self.pool.each_ref().map(Vec::len);
        self.add(Ty::I64, variables[0]);
        self.add(ty, variables[1]);
        self.depth += 1;
        let size = 4 + self.random.below(24) as u32;
        self.statements(size.min(self.left / 2));
        self.depth -= 1;
        let value = self.pick(ty);
        let next = self.body.with_int(Op::Add, Ty::I64, variables[0], 1);
        let end = self.body.int(Ty::I64, 2 + self.random.below(6) as i64);
        let again = self.body.compare(Cond::Less, next, end);
        self.body.end_loop(construct, again, &[next, value]);
        self.forget(known);
        self.add(Ty::I64, next);
        self.add(ty, value);
        5
    }

    fn call(&mut self) -> u32 {
        let half = self.callees.len().div_ceil(2) as u64;
        let callee = self.callees[2 * self.random.below(half) as usize];
        let args = [self.memory, self.pick(Ty::I64), self.pick(Ty::I32), self.pick(Ty::F64)];
        let result = self.body.call(callee, &args);
        self.add(Ty::I64, result);
        1
    }
}
