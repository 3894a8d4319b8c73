//! Programs as trees, with every name resolved to a variable.

use crate::error::Line;

/// Number of a variable in [`Program::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableId(pub u32);

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// In a register of the function that declares it.
    Register,
    /// In a cell that closures share: it is used by an inner function.
    Cell,
    /// In the table of globals: it is declared outside of all functions and used by one.
    Global,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Number of functions around its declaration.
    pub depth: u32,
    /// Where it lives.
    pub home: Home,
}

/// What functions of the language itself do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `print(v)`: a line of output.
    Print,
    /// `len(v)` of a string or array.
    Len,
    /// `array(n, v)`: `n` times `v`.
    Array,
    /// `push(a, v)`.
    Push,
    /// `pop(a)`: the last element, which goes.
    Pop,
    /// `sqrt(x)`.
    Sqrt,
    /// `int(x)`: toward zero.
    Int,
    /// `float(x)`.
    Float,
    /// `str(v)`: as it is printed.
    Str,
    /// `char(n)`: the string of one byte.
    Char,
    /// `slice(s, from, to)` of a string.
    Slice,
}

impl Builtin {
    /// All with name and number of arguments.
    pub const ALL: [(Builtin, &'static str, usize); 11] = [
        (Builtin::Print, "print", 1),
        (Builtin::Len, "len", 1),
        (Builtin::Array, "array", 2),
        (Builtin::Push, "push", 2),
        (Builtin::Pop, "pop", 1),
        (Builtin::Sqrt, "sqrt", 1),
        (Builtin::Int, "int", 1),
        (Builtin::Float, "float", 1),
        (Builtin::Str, "str", 1),
        (Builtin::Char, "char", 1),
        (Builtin::Slice, "slice", 3),
    ];
}

/// Operators with two operands that are both evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`, always a float.
    Div,
    /// `//`, toward minus infinity.
    IntDiv,
    /// `%`, with the sign of the divisor.
    Mod,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `<<`; the count modulo 64.
    Shl,
    /// `>>`, keeping the sign; the count modulo 64.
    Shr,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
}

/// An expression and its line.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where it begins.
    pub line: Line,
    /// What it is.
    pub kind: ExprKind,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Text(String),
    /// A variable.
    Variable(VariableId),
    /// `[a, b, …]`.
    Array(Vec<Expr>),
    /// A function.
    Function(Box<FunctionExpr>),
    /// `-a`.
    Negate(Box<Expr>),
    /// `not a`.
    Not(Box<Expr>),
    /// `a op b`.
    Binary(Binary, Box<[Expr; 2]>),
    /// `a op b`.
    Compare(Compare, Box<[Expr; 2]>),
    /// `a and b`: `a` if it is false, else `b`.
    And(Box<[Expr; 2]>),
    /// `a or b`: `a` if it is true, else `b`.
    Or(Box<[Expr; 2]>),
    /// `a[b]`.
    Index(Box<[Expr; 2]>),
    /// `a(b, …)`.
    Call(Box<Expr>, Vec<Expr>),
    /// A call of a function of the language.
    Builtin(Builtin, Vec<Expr>),
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunctionExpr {
    /// For messages.
    pub name: String,
    /// Its parameters.
    pub params: Vec<VariableId>,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// A statement and its line.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Where it begins.
    pub line: Line,
    /// What it is.
    pub kind: StmtKind,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `let v = e`.
    Let(VariableId, Expr),
    /// `v = e`.
    Assign(VariableId, Expr),
    /// `a[b] = e`.
    SetIndex(Box<[Expr; 3]>),
    /// An expression for its effect.
    Expr(Expr),
    /// `if c { … } else { … }`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while c { … }`.
    While(Expr, Vec<Stmt>),
    /// `for v = from, to { … }`: `v` from `from` to below `to`.
    For(VariableId, Box<[Expr; 2]>, Vec<Stmt>),
    /// `return e`.
    Return(Option<Expr>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is done.
    pub body: Vec<Stmt>,
    /// All variables.
    pub variables: Vec<Variable>,
}
