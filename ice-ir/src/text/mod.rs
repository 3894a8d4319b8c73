//! The text form of a program: `.ice` files.
//!
//! One statement for every entry of the module, kinds mixed at will but signatures before their functions,
//! and one line an instruction.
//! Line breaks mean nothing; `;` starts a comment.
//!
//! ```text
//! target pointer i32                        ; i32 if the statement is missing
//!
//! sig0 = (i32) -> i32                       ; signatures, in order
//! types i32, void, sig0                     ; the type table, in wire order
//!
//! constant @hello align 1 = bytes "hi\0a", zero 2
//! global @g1 = addr @hello + 1              ; nameless; alignment left open
//!
//! intrinsic external @llvm.trap() -> void
//! define internal @twice(v0: i32) -> i32 {
//!   v1: i32 = 2                             ; constants and addresses, before the first block
//! block0:
//!   v2: i32 = mul v0, v1
//!   ret v2
//! }
//!
//! symbols @twice, @hello, @llvm.trap        ; the symbol table, if not in the order of declaration
//! ```
//!
//! | statement or instruction | form |
//! |---|---|
//! | function | `define`, `declare` or `intrinsic`, then `external` or `internal`, `@name(types) -> type` |
//! | | `as op` after an intrinsic whose name is not in the stable set; `: sig3` to pick one of several equal signatures |
//! | initializer | `bytes "…" "…"`, `zero 12`, `addr @name + 4`, `addr @name - 4`; nothing after the global for none |
//! | constant | `v1: i32 = -5`, `v1: i1 = true`, `v1: f32 = 0x3f800000`, `v1: i8 = undef`, `v1: v4i32 = zero`, `v1: i32 = @name` |
//! | arithmetic, cast | `v3: i32 = add v1, v2`, `v3: i64 = zext v1` |
//! | comparison, choice | `v3: i1 = icmp slt v1, v2`, `v3: i1 = fcmp olt v1, v2`, `v3: i32 = select cond, if_true, if_false` |
//! | lanes | `v3: i32 = extractelement vector, index`, `v3: v4i32 = insertelement vector, element, index` |
//! | memory | `v3: i32 = alloca v1, align 8`, `v3: f32 = load v1, align 4`, `store v2 to v1, align 4` |
//! | call | `v3: i32 = call @name(v1, v2)`, `call_indirect v9(v1)`; `tail call …` for the hint |
//! | call in place of a return | `return_call @name(v1, v2)`, `return_call_indirect v9(v1)` |
//! | phi | `v3: i32 = phi [v1, block0], [v2, block4]` |
//! | terminator | `br block1`, `br v1, block1, block2`, `switch v1, block4 [-1: block4, 7: block2]`, `ret`, `ret v1`, `unreachable` |
//!
//! Behind the label of a block may stand `rare 2`, the number of branches that hardly ever go there, and `cold`, if it calls what is
//! hardly ever called ([`Rarity`](crate::Rarity)): `block3: rare 1 cold`.
//!
//! Behind any instruction may stand `at` and the number of its [source location](crate::SourceLocation): `ret v1 at 7`.
//!
//! *Native modules* ([`native`](crate::native)) have more words: `target pointer i64 native`, with `executable` behind it for one that is for these alone; `comdat0 = "name"`
//! (`all "name"` keeps every group); `sig1 = (i64 byval 24 align 8, i64 sret) -> i64, f64 variadic`; before the
//! name of a function or global its linkage, storage, `declared` or `alias`, visibility, `local`,
//! `section "name"`, `comdat0`, and of a function `returns_twice noreturn cold nounwind frame_pointer uwtable landing protect_strong type_word 7 align 32` (or `signature_words 3238382334 7`, `frame_pointer_of_callers`, `uwtable_sync`,
//! `wide_registers`, `wide_integers`, `permutes_bytes`, `protect_buffers`, `protect`); `alias … =
//! @target`; the initializer `relative @name + 4`; `call_as sig1(callee, arguments)`, `return_call_as sig1(callee, arguments)`, `second v3`, `ret v1, v2`;
//! `asm "template", "constraints"(arguments)` or `asm returns_twice instruction intel …`, with any of these words left out; `machine "template", "constraints"(arguments)`; `output v3, 1`;
//! a line of assembly beside functions, `asm "text"`; the terminator `asm "template", "constraints"(arguments) to block1, block2`, behind which `v3: i32 = invoke_result` begins a block.
//!
//! *Hardening* ([`hardening`](crate::hardening)): `harden branches`, `harden returns`, `harden calls`, `harden stack @fail by @variable` or `by @intrinsic(fs, 40)`;
//! `untracked` at the end of a signature; a kind of object behind an alloca: `alloca v1, align 16, buffer`.
//!
//! *Exceptions* ([`exceptions`](crate::exceptions)): a body may begin with `personality @routine (@type, any)`, whose types have the
//! numbers from 1 on. `invoke @name(v1) -> i32 to block1 unwind block2` and likewise `invoke_indirect v9(v1) …` and `invoke_as sig1(v9, v1) …`
//! are terminators; `v3: i32 = invoke_result` begins a block behind one, and `v4: i64 = landing_pad cleanup catch 1 filter (2, 1)` the other; `second v4` is the selector.
//!
//! Every result states its type, so a reader needs no second look at the operands, and a text with wrong
//! types can be written down for the [verifier](crate::verifier), which is the one to refuse it.
//!
//! *Names.* `@name` where all bytes are letters, digits, `_`, `.` or `$` and the first is no digit, else
//! `@"…"` with `\hh` for a byte in hexadecimal. A nameless function is `@f3` and a nameless global `@g3`,
//! by number; a name of that shape is written in quotes.
//!
//! *Numbers.* Parameters, constants, addresses and results share one sequence. Values are created in the
//! order of the numbers in the text, so that numbers without gaps are kept exactly, and blocks in the order
//! of their labels. An operand may also be `@name` directly: one more value, after all numbered ones.
//!
//! Text that [`write_program`] wrote parses to a program that prints the same, if names are distinct and
//! every value has its number in the text (passes that remove instructions leave gaps; the second print
//! then counts without them). The parser needs time O(n log n) in the length of the text, allocates in
//! proportion to it, and does not recurse.

mod lexer;
mod parser;
mod writer;

pub use parser::parse_program;
pub use writer::{write_function, write_instruction, write_program};

use core::fmt;

/// What is wrong with a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text has 4 GiB or more.
    TooLong,
    /// A byte that starts no token.
    UnexpectedByte(u8),
    /// A string has no closing quote on its line.
    UnterminatedString,
    /// A backslash without two hexadecimal digits.
    InvalidEscape,
    /// A number that does not fit in its place.
    NumberOutOfRange,
    /// Something else should stand here.
    Expected(&'static str),
    /// No type has this name.
    UnknownType,
    /// No instruction, predicate or operation has this name.
    UnknownOpcode,
    /// A value, block, function or global that is not defined anywhere.
    Undefined(&'static str),
    /// The second definition of a value, block, function or global.
    Duplicate(&'static str),
    /// The number of a nameless function, nameless global or signature is not its place in the order.
    OutOfOrder(&'static str),
    /// An alignment that is not a power of two.
    InvalidAlignment,
    /// `@name(…) -> …: sig3` with a signature that is not that of `sig3`.
    SignatureMismatch,
}

/// An error and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Byte in the line, from 1.
    pub column: u32,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ParseErrorKind::TooLong => f.write_str("the text is too long"),
            ParseErrorKind::UnexpectedByte(b) => write!(f, "unexpected byte '{}'", b.escape_ascii()),
            ParseErrorKind::UnterminatedString => f.write_str("unterminated string"),
            ParseErrorKind::InvalidEscape => f.write_str("a backslash needs two hexadecimal digits"),
            ParseErrorKind::NumberOutOfRange => f.write_str("number out of range"),
            ParseErrorKind::Expected(what) => write!(f, "expected {what}"),
            ParseErrorKind::UnknownType => f.write_str("unknown type"),
            ParseErrorKind::UnknownOpcode => f.write_str("unknown operation"),
            ParseErrorKind::Undefined(what) => write!(f, "undefined {what}"),
            ParseErrorKind::Duplicate(what) => write!(f, "second definition of a {what}"),
            ParseErrorKind::OutOfOrder(what) => write!(f, "the number of a {what} is not its place"),
            ParseErrorKind::InvalidAlignment => f.write_str("an alignment must be a power of two"),
            ParseErrorKind::SignatureMismatch => f.write_str("not the signature that was declared"),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)
    }
}

impl core::error::Error for ParseError {}

/// True for the names that are written without quotes.
fn is_plain_name(name: &[u8]) -> bool {
    match name {
        [] | [b'0'..=b'9', ..] => false,
        _ => name.iter().all(|&b| lexer::is_name_byte(b)) && nameless_number(name).is_none(),
    }
}

/// The kind (`f` or `g`) and digits of the text form of a nameless symbol.
fn nameless_number(name: &[u8]) -> Option<(u8, &[u8])> {
    match name {
        [kind @ (b'f' | b'g'), digits @ ..]
            if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) =>
        {
            Some((*kind, digits))
        }
        _ => None,
    }
}
