//! Programs in the text form, written instruction by instruction.
//!
//! Values and blocks are numbered in the order in which they are created, as the text form wants it; constants
//! have numbers below those of instructions, however late they are asked for.

use std::fmt::Write as _;

/// The number of the first instruction's value: parameters and constants come before.
const FIRST_VALUE: usize = 1_000_000;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct V(usize);

impl V {
    /// The `n`-th parameter of any function.
    pub const fn param(n: usize) -> V {
        V(n)
    }
}

impl std::fmt::Display for V {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct B(usize);

impl B {
    /// The entry block.
    pub const ENTRY: B = B(0);
}

impl std::fmt::Display for B {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "block{}", self.0)
    }
}

/// A function that is being written. It starts in its entry block.
pub struct Body {
    head: String,
    constants: String,
    code: String,
    next_constant: usize,
    next_value: usize,
    next_block: usize,
}

impl Body {
    /// A function with parameters of these types.
    pub fn new(name: &str, params: &[&str], result: &str) -> Body {
        let params: Vec<String> = params.iter().enumerate().map(|(n, ty)| format!("v{n}: {ty}")).collect();
        Body {
            head: format!("define internal @{name}({}) -> {result} {{\n", params.join(", ")),
            constants: String::new(),
            code: "block0:\n".into(),
            next_constant: params.len(),
            next_value: FIRST_VALUE,
            next_block: 1,
        }
    }

    /// A constant of any type.
    pub fn constant(&mut self, ty: &str, value: impl std::fmt::Display) -> V {
        let v = V(self.next_constant);
        self.next_constant += 1;
        let _ = writeln!(self.constants, "{v}: {ty} = {value}");
        v
    }

    /// An `i32`.
    pub fn word(&mut self, value: impl Into<i64>) -> V {
        self.constant("i32", value.into())
    }

    /// An instruction with a result.
    pub fn set(&mut self, ty: &str, inst: impl std::fmt::Display) -> V {
        let v = self.reserve();
        self.set_as(v, ty, inst);
        v
    }

    /// A value that is set later.
    pub fn reserve(&mut self) -> V {
        self.next_value += 1;
        V(self.next_value - 1)
    }

    /// Sets a reserved value.
    pub fn set_as(&mut self, v: V, ty: &str, inst: impl std::fmt::Display) {
        let _ = writeln!(self.code, "{v}: {ty} = {inst}");
    }

    /// An instruction without a result.
    pub fn put(&mut self, inst: impl std::fmt::Display) {
        let _ = writeln!(self.code, "{inst}");
    }

    /// A new block, which is started later.
    pub fn block(&mut self) -> B {
        self.next_block += 1;
        B(self.next_block - 1)
    }

    /// New blocks.
    pub fn blocks(&mut self, count: usize) -> Vec<B> {
        (0..count).map(|_| self.block()).collect()
    }

    /// What follows is in this block.
    pub fn start(&mut self, block: B) {
        let _ = writeln!(self.code, "{block}:");
    }

    /// A load of an `i32`.
    pub fn load(&mut self, address: V) -> V {
        self.set("i32", format_args!("load {address}, align 1"))
    }

    /// Loads of `i32` from `count` places behind `address`.
    pub fn loads(&mut self, address: V, count: usize) -> Vec<V> {
        (0..count)
            .map(|i| {
                let offset = self.word(4 * i as i64);
                let place = self.binary("add", address, offset);
                self.load(place)
            })
            .collect()
    }

    /// A store.
    pub fn store(&mut self, value: V, address: V) {
        self.put(format_args!("store {value} to {address}, align 1"));
    }

    /// A binary operation on `i32`.
    pub fn binary(&mut self, op: &str, a: V, b: V) -> V {
        self.set("i32", format_args!("{op} {a}, {b}"))
    }

    /// A comparison.
    pub fn compare(&mut self, predicate: &str, a: V, b: V) -> V {
        self.set("i1", format_args!("icmp {predicate} {a}, {b}"))
    }

    /// A conditional branch.
    pub fn branch(&mut self, condition: V, then: B, otherwise: B) {
        self.put(format_args!("br {condition}, {then}, {otherwise}"));
    }

    /// A branch on a word being odd.
    pub fn branch_on(&mut self, word: V, then: B, otherwise: B) {
        let condition = self.set("i1", format_args!("trunc {word}"));
        self.branch(condition, then, otherwise);
    }

    /// A branch.
    pub fn jump(&mut self, target: B) {
        self.put(format_args!("br {target}"));
    }

    /// The end of the function.
    pub fn ret(&mut self, value: V) {
        self.put(format_args!("ret {value}"));
    }

    /// The text.
    pub fn finish(self) -> String {
        format!("{}{}{}}}\n", self.head, self.constants, self.code)
    }
}

/// `list` joined by commas.
pub fn commas<T: std::fmt::Display>(list: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for (n, item) in list.into_iter().enumerate() {
        let _ = write!(text, "{}{item}", if n == 0 { "" } else { ", " });
    }
    text
}
