//! What the generator of functions and the kernels ask of a code generator: the common part of two builders.
//!
//! A [`Backend`] declares functions, then defines each one by a [`Body`], then gives addresses. Control flow is structured,
//! so that each back end joins values as it likes best: phis here, parameters of blocks there. A body starts in the block
//! of its parameters; the method that ends a construct continues behind it.

/// A type of a value. Addresses are `I64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// Double precision.
    F64,
}

/// What a load or store moves: a value, or a byte that is zero-extended to, or cut off from, an `I32`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// All of it.
    Whole(Ty),
    /// A byte.
    Byte,
}

/// Two operands and a result of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// Signed.
    Div,
    And,
    Or,
    Xor,
    Shl,
    /// Zeros come in.
    Shr,
    Fadd,
    Fsub,
    Fmul,
    Fdiv,
}

/// Comparisons of integers; `Less` and `LessOrEqual` are signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cond {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    UnsignedLess,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    /// `I32` to `I64`, with zeros.
    ZeroExtend,
    /// `I32` to `I64`, with the sign.
    SignExtend,
    /// `I64` to `I32`.
    Truncate,
    /// `I32` to `F64`.
    ToFloat,
}

/// A function of the program under test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Func(pub u32);

/// Parameters and result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Types of the parameters.
    pub params: Vec<Ty>,
    /// Type of the result.
    pub result: Ty,
}

/// The body of a function, instruction by instruction.
pub trait Body {
    /// A value.
    type Value: Copy;
    /// A loop that is being built.
    type Loop;
    /// A choice that is being built.
    type Choice;

    /// A parameter.
    fn param(&self, index: usize) -> Self::Value;
    /// An integer.
    fn int(&mut self, ty: Ty, number: i64) -> Self::Value;
    /// A number in double precision.
    fn float(&mut self, number: f64) -> Self::Value;
    /// A computation; what comparisons give may be joined by `And`.
    fn binary(&mut self, op: Op, a: Self::Value, b: Self::Value) -> Self::Value;
    /// A conversion.
    fn cast(&mut self, cast: Cast, value: Self::Value) -> Self::Value;
    /// A comparison of integers.
    fn compare(&mut self, cond: Cond, a: Self::Value, b: Self::Value) -> Self::Value;
    /// Whether `a` is less than `b`; both are floats.
    fn float_less(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// One of two values.
    fn select(&mut self, cond: Self::Value, a: Self::Value, b: Self::Value) -> Self::Value;
    /// A load from `address + offset`.
    fn load(&mut self, access: Access, address: Self::Value, offset: i32) -> Self::Value;
    /// A store to `address + offset`.
    fn store(&mut self, access: Access, address: Self::Value, offset: i32, value: Self::Value);
    /// A call.
    fn call(&mut self, callee: Func, args: &[Self::Value]) -> Self::Value;
    /// The end of the function.
    fn ret(&mut self, value: Self::Value);

    /// Begins a loop whose variables start with these values, and gives the variables.
    fn begin_loop(&mut self, init: &[Self::Value]) -> (Self::Loop, Vec<Self::Value>);
    /// Goes round again with these values as long as `again`, else on.
    fn end_loop(&mut self, construct: Self::Loop, again: Self::Value, next: &[Self::Value]);
    /// Begins the first arm of a choice.
    fn begin_choice(&mut self, cond: Self::Value) -> Self::Choice;
    /// Ends the first arm with these values and begins the second one.
    fn otherwise(&mut self, construct: &mut Self::Choice, values: &[Self::Value]);
    /// Ends the second arm with these values, and gives those of the arm that was taken.
    fn end_choice(&mut self, construct: Self::Choice, values: &[Self::Value]) -> Vec<Self::Value>;

    /// A loop: `body` gets the variables and gives whether to go on and their next values, which are given in the end.
    fn repeat<const N: usize>(
        &mut self,
        init: [Self::Value; N],
        body: impl FnOnce(&mut Self, [Self::Value; N]) -> (Self::Value, [Self::Value; N]),
    ) -> [Self::Value; N] {
        let (construct, variables) = self.begin_loop(&init);
        let (again, next) = body(self, std::array::from_fn(|n| variables[n]));
        self.end_loop(construct, again, &next);
        next
    }

    /// A choice between two computations.
    fn choose<const N: usize>(
        &mut self,
        cond: Self::Value,
        first: impl FnOnce(&mut Self) -> [Self::Value; N],
        second: impl FnOnce(&mut Self) -> [Self::Value; N],
    ) -> [Self::Value; N] {
        let mut construct = self.begin_choice(cond);
        let values = first(self);
        self.otherwise(&mut construct, &values);
        let values = second(self);
        let joined = self.end_choice(construct, &values);
        std::array::from_fn(|n| joined[n])
    }

    /// `address + index * 2^scale_log2`, where `index` is an `I64`.
    fn element(&mut self, address: Self::Value, index: Self::Value, scale_log2: i64) -> Self::Value {
        let amount = self.int(Ty::I64, scale_log2);
        let offset = self.binary(Op::Shl, index, amount);
        self.binary(Op::Add, address, offset)
    }

    /// `value op number`, which is an integer of the type `ty`.
    fn with_int(&mut self, op: Op, ty: Ty, value: Self::Value, number: i64) -> Self::Value {
        let number = self.int(ty, number);
        self.binary(op, value, number)
    }
}

/// A function that is defined by instructions.
pub trait Define {
    /// Appends the instructions of the function.
    fn define(&self, body: &mut impl Body);
}

/// A code generator that makes functions of the process.
pub trait Backend: Sized {
    /// Declares a function under a name of its own.
    fn declare(&mut self, signature: &Signature) -> anyhow::Result<Func>;
    /// Defines a function.
    fn define(&mut self, func: Func, signature: &Signature, definition: &impl Define) -> anyhow::Result<()>;
    /// Makes all functions callable.
    fn finish(&mut self) -> anyhow::Result<()>;
    /// The address of a function that was made callable.
    fn address(&self, func: Func) -> anyhow::Result<*const ()>;
}
