//! Reads a program from text.
//!
//! Two passes over the tokens, since everything may be named before it is declared. The first declares
//! signatures, globals and functions and remembers where initializers and bodies stand; the second fills
//! them in. A body is gone through twice in the same way: once for the numbers and types of all values and
//! the labels of all blocks, once for the instructions.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::lexer::{self, Token, TokenKind};
use super::writer::default_order;
use super::{ParseError, ParseErrorKind, nameless_number};
use crate::entities::{Block, FuncId, GlobalId, SigId, Symbol, Value};
use crate::function::Function;
use crate::instruction::{BinaryOp, CastOp, FloatCond, InstData, IntCond, TailHint};
use crate::intrinsics::{self, Intrinsic};
use crate::module::{
    FunctionDecl, FunctionKind, GlobalDecl, Initializer, Linkage, Mutability, Name, Program, Signature,
    TypeDef,
};
use crate::types::Type;
use ParseErrorKind::{
    Duplicate, Expected, NumberOutOfRange, OutOfOrder, Undefined, UnknownOpcode, UnknownType,
};

/// Parses a whole program.
///
/// The first thing that is wrong is the error. The result is well formed (every value is defined, every
/// name is known), but not verified: types and dominance are the business of the
/// [verifier](crate::verifier).
pub fn parse_program(text: &str) -> Result<Program, ParseError> {
    let tokens = lexer::tokenize(text)?;
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        program: Program::default(),
        symbols: BTreeMap::new(),
        signatures: BTreeMap::new(),
        body: Body::default(),
    };
    match parser.program() {
        Ok(()) => Ok(parser.program),
        Err((at, kind)) => Err(lexer::error_at(text, tokens[at].begin(), kind)),
    }
}

/// An error and the token that it is at.
type Failure = (usize, ParseErrorKind);

/// What is read in the second pass: a token index for each.
#[derive(Default)]
struct Deferred {
    initializers: Vec<(GlobalId, usize)>,
    bodies: Vec<(FuncId, usize)>,
    symbols: Option<usize>,
}

/// Names of one body.
#[derive(Default)]
struct Body {
    /// Number in the text, token and type of every value but parameters.
    definitions: Vec<(u32, usize, Type)>,
    /// Number in the text and value, sorted.
    values: Vec<(u32, Value)>,
    /// Label in the text and block, sorted.
    blocks: Vec<(u32, Block)>,
    /// Values of names that are operands.
    addresses: BTreeMap<Symbol, Value>,
    args: Vec<Value>,
    incoming: Vec<(Value, Block)>,
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    program: Program,
    symbols: BTreeMap<Vec<u8>, Symbol>,
    /// The first signature of each content.
    signatures: BTreeMap<(Vec<Type>, Type), SigId>,
    body: Body,
}

/// The number of an entity such as `v12`, written without leading zeros.
fn entity_number(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

/// The values of the sorted `entries` under `number`.
fn lookup<T: Copy>(entries: &[(u32, T)], number: u32) -> Option<T> {
    entries.binary_search_by_key(&number, |&(n, _)| n).ok().map(|i| entries[i].1)
}

impl<'t> Parser<'t> {
    // ---- tokens

    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |t| t.kind)
    }

    fn text_of(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |t| &self.text[t.start as usize..t.end as usize])
    }

    /// Goes on to the next token; the last one, `End`, stays.
    fn advance(&mut self) -> usize {
        let at = self.at;
        self.at = (at + 1).min(self.tokens.len() - 1);
        at
    }

    fn fail<T>(&self, kind: ParseErrorKind) -> Result<T, Failure> {
        Err((self.at, kind))
    }

    fn accept(&mut self, punct: u8) -> bool {
        let found = self.kind(self.at) == TokenKind::Punct(punct);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punct: u8, what: &'static str) -> Result<(), Failure> {
        if self.accept(punct) { Ok(()) } else { self.fail(Expected(what)) }
    }

    fn peek_word(&self) -> &'t str {
        if self.kind(self.at) == TokenKind::Word { self.text_of(self.at) } else { "" }
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.advance();
        }
        found
    }

    fn expect_word(&mut self, word: &'static str) -> Result<(), Failure> {
        if self.accept_word(word) { Ok(()) } else { self.fail(Expected(word)) }
    }

    fn number(&mut self) -> Result<i128, Failure> {
        match self.kind(self.at) {
            TokenKind::Number => {
                let at = self.advance();
                lexer::number(self.text_of(at)).ok_or((at, NumberOutOfRange))
            }
            _ => self.fail(Expected("number")),
        }
    }

    fn ty(&mut self) -> Result<Type, Failure> {
        match Type::from_name(self.peek_word()) {
            Some(ty) => {
                self.advance();
                Ok(ty)
            }
            None => self.fail(UnknownType),
        }
    }

    /// `align 8`, as a logarithm.
    fn alignment(&mut self) -> Result<u8, Failure> {
        self.expect_word("align")?;
        let at = self.at;
        match u64::try_from(self.number()?) {
            Ok(align) if align.is_power_of_two() => Ok(align.trailing_zeros() as u8),
            _ => Err((at, ParseErrorKind::InvalidAlignment)),
        }
    }

    /// `item, item, …` up to `close`.
    fn list(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.accept(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.accept(close) {
                return Ok(());
            }
            self.expect(b',', "',' or the end of the list")?;
        }
    }

    // ---- names

    /// The name of the symbol token at `at`, and its kind and number if it is nameless.
    #[expect(clippy::type_complexity, reason = "used where it is taken apart")]
    fn symbol_token(&self, at: usize) -> Result<(Vec<u8>, Option<(u8, u32)>), Failure> {
        let text = self.text_of(at);
        match self.kind(at) {
            TokenKind::QuotedSymbol => Ok((lexer::unescape(text).collect(), None)),
            TokenKind::Symbol if text.is_empty() => Err((at, Expected("name"))),
            TokenKind::Symbol => match nameless_number(text.as_bytes()) {
                Some((kind, _)) => {
                    let number = entity_number(text, if kind == b'f' { "f" } else { "g" });
                    Ok((Vec::new(), Some((kind, number.ok_or((at, OutOfOrder("nameless symbol")))?))))
                }
                None => Ok((text.as_bytes().to_vec(), None)),
            },
            _ => Err((at, Expected("@name"))),
        }
    }

    /// The name in a declaration of `symbol`.
    fn declare_name(&mut self, symbol: Symbol) -> Result<Name, Failure> {
        let own = match symbol {
            Symbol::Function(f) => (b'f', f.as_u32()),
            Symbol::Global(g) => (b'g', g.as_u32()),
        };
        let at = self.advance();
        match self.symbol_token(at)? {
            (_, Some(number)) if number == own => Ok(Name::default()),
            (_, Some(_)) => Err((at, OutOfOrder("nameless symbol"))),
            (name, None) => {
                let stored = self.program.module.make_name(name.iter().copied());
                match self.symbols.insert(name, symbol) {
                    None => Ok(stored),
                    Some(_) => Err((at, Duplicate("name"))),
                }
            }
        }
    }

    /// The function or global with the name that stands here.
    fn symbol(&mut self) -> Result<Symbol, Failure> {
        let at = self.at;
        let (name, nameless) = self.symbol_token(at)?;
        self.advance();
        let module = &self.program.module;
        let found = match nameless {
            Some((b'f', n)) if (n as usize) < module.functions.len() => {
                Some(Symbol::Function(FuncId::from_u32(n)))
            }
            Some((b'g', n)) if (n as usize) < module.globals.len() => {
                Some(Symbol::Global(GlobalId::from_u32(n)))
            }
            Some(_) => None,
            None => return self.symbols.get(&name).copied().ok_or((at, Undefined("name"))),
        };
        // `@f3` is only a way to write what has no name.
        found.filter(|&s| module.symbol_name(s).is_empty()).ok_or((at, Undefined("nameless symbol")))
    }

    // ---- the module

    fn program(&mut self) -> Result<(), Failure> {
        let mut deferred = Deferred::default();
        while self.kind(self.at) != TokenKind::End {
            self.statement(&mut deferred)?;
        }
        for &(global, at) in &deferred.initializers {
            self.at = at;
            self.initializers(global)?;
        }
        self.program.module.symbol_order = match deferred.symbols {
            Some(at) => {
                self.at = at;
                self.symbol_order()?
            }
            None => default_order(&self.program.module).collect(),
        };
        for &(id, at) in &deferred.bodies {
            self.at = at;
            self.function_body(id)?;
        }
        Ok(())
    }

    fn statement(&mut self, deferred: &mut Deferred) -> Result<(), Failure> {
        let at = self.at;
        let word = self.peek_word();
        if let Some(number) = entity_number(word, "sig") {
            self.advance();
            self.expect(b'=', "'='")?;
            return self.signature(number, at);
        }
        self.advance();
        match word {
            "target" => {
                self.expect_word("pointer")?;
                match self.ty()? {
                    ty @ (Type::I32 | Type::I64) => self.program.module.pointer_type = ty,
                    _ => return Err((self.at - 1, Expected("i32 or i64"))),
                }
                Ok(())
            }
            "types" => loop {
                let entry = match entity_number(self.peek_word(), "sig") {
                    Some(_) => TypeDef::Function(self.signature_id()?),
                    None => TypeDef::Value(self.ty()?),
                };
                self.program.module.types.push(entry);
                if !self.accept(b',') {
                    return Ok(());
                }
            },
            "global" => self.global(Mutability::Variable, deferred),
            "constant" => self.global(Mutability::Constant, deferred),
            "define" => self.function(FunctionKind::Defined, deferred),
            "declare" => self.function(FunctionKind::Declared, deferred),
            // Which one is found out by the name.
            "intrinsic" => self.function(FunctionKind::Intrinsic(Intrinsic::Trap), deferred),
            "symbols" => {
                if deferred.symbols.replace(self.at).is_some() {
                    return Err((at, Duplicate("symbol table")));
                }
                while matches!(
                    self.kind(self.at),
                    TokenKind::Symbol | TokenKind::QuotedSymbol | TokenKind::Punct(b',')
                ) {
                    self.advance();
                }
                Ok(())
            }
            _ => Err((at, Expected("statement"))),
        }
    }

    /// A signature that is already known, by its number.
    fn signature_id(&mut self) -> Result<SigId, Failure> {
        let number = entity_number(self.peek_word(), "sig");
        match number.filter(|&n| (n as usize) < self.program.module.signatures.len()) {
            Some(number) => {
                self.advance();
                Ok(SigId::from_u32(number))
            }
            None => self.fail(Undefined("signature")),
        }
    }

    fn signature(&mut self, number: u32, at: usize) -> Result<(), Failure> {
        let mut params = Vec::new();
        self.expect(b'(', "'('")?;
        self.list(b')', |p| {
            params.push(p.ty()?);
            Ok(())
        })?;
        let ret = self.return_type()?;
        if number as usize != self.program.module.signatures.len() {
            return Err((at, OutOfOrder("signature")));
        }
        self.push_signature(Signature { params, ret });
        Ok(())
    }

    fn push_signature(&mut self, signature: Signature) -> SigId {
        let key = (signature.params.clone(), signature.ret);
        let id = self.program.module.signatures.push(signature);
        *self.signatures.entry(key).or_insert(id)
    }

    fn return_type(&mut self) -> Result<Type, Failure> {
        match self.kind(self.at) {
            TokenKind::Arrow => {
                self.advance();
                self.ty()
            }
            _ => self.fail(Expected("'->'")),
        }
    }

    fn global(&mut self, mutability: Mutability, deferred: &mut Deferred) -> Result<(), Failure> {
        let id = self.program.module.globals.next_key();
        let name = self.declare_name(Symbol::Global(id))?;
        let align_log2 = if self.peek_word() == "align" { Some(self.alignment()?) } else { None };
        let decl = GlobalDecl { name, align_log2, mutability, initializers: 0..0 };
        self.program.module.globals.push(decl);
        if self.accept(b'=') {
            deferred.initializers.push((id, self.at));
            while !matches!(self.kind(self.at), TokenKind::End)
                && matches!(self.peek_word(), "" | "bytes" | "zero" | "addr")
            {
                self.advance();
            }
        }
        Ok(())
    }

    fn initializers(&mut self, global: GlobalId) -> Result<(), Failure> {
        let start = self.program.module.initializers.len() as u32;
        loop {
            let init = self.initializer()?;
            self.program.module.initializers.push(init);
            if !self.accept(b',') {
                break;
            }
        }
        let end = self.program.module.initializers.len() as u32;
        self.program.module.globals[global].initializers = start..end;
        let next = self.peek_word();
        match self.kind(self.at) {
            TokenKind::End => Ok(()),
            TokenKind::Word if !matches!(next, "bytes" | "zero" | "addr") => Ok(()),
            _ => self.fail(Expected("',' or a statement")),
        }
    }

    fn initializer(&mut self) -> Result<Initializer, Failure> {
        if self.accept_word("zero") {
            let at = self.at;
            let count = u32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))?;
            return Ok(Initializer::Zero(count));
        }
        if self.accept_word("bytes") {
            let start = self.program.module.data.len() as u32;
            if self.kind(self.at) != TokenKind::String {
                return self.fail(Expected("string"));
            }
            while self.kind(self.at) == TokenKind::String {
                let at = self.advance();
                let bytes = lexer::unescape(self.text_of(at));
                self.program.module.data.extend(bytes);
            }
            return Ok(Initializer::Bytes { start, len: self.program.module.data.len() as u32 - start });
        }
        if self.accept_word("addr") {
            let target = self.symbol()?;
            let at = self.at;
            let sign = match self.kind(at) {
                TokenKind::Punct(b'+') => 1,
                TokenKind::Punct(b'-') => -1,
                _ => return Ok(Initializer::Address { target, addend: 0 }),
            };
            self.advance();
            let addend = sign * self.number()?;
            let addend = i64::try_from(addend).map_err(|_| (at, NumberOutOfRange))?;
            return Ok(Initializer::Address { target, addend });
        }
        self.fail(Expected("bytes, zero or addr"))
    }

    fn symbol_order(&mut self) -> Result<Vec<Symbol>, Failure> {
        let mut order = Vec::new();
        let mut seen = alloc::collections::BTreeSet::new();
        while matches!(self.kind(self.at), TokenKind::Symbol | TokenKind::QuotedSymbol) {
            let at = self.at;
            let symbol = self.symbol()?;
            if !seen.insert(symbol) {
                return Err((at, Duplicate("symbol")));
            }
            order.push(symbol);
            if !self.accept(b',') {
                break;
            }
            if !matches!(self.kind(self.at), TokenKind::Symbol | TokenKind::QuotedSymbol) {
                return self.fail(Expected("@name"));
            }
        }
        match self.kind(self.at) {
            TokenKind::Symbol | TokenKind::QuotedSymbol | TokenKind::Punct(b',') => {
                self.fail(Expected("a statement"))
            }
            _ => Ok(order),
        }
    }

    fn function(&mut self, mut kind: FunctionKind, deferred: &mut Deferred) -> Result<(), Failure> {
        let linkage = match self.peek_word() {
            "external" => Linkage::External,
            "internal" => Linkage::Internal,
            _ => return self.fail(Expected("external or internal")),
        };
        self.advance();
        let id = self.program.module.functions.next_key();
        let name_at = self.at;
        let name = self.declare_name(Symbol::Function(id))?;
        let params_at = self.at;
        let mut params = Vec::new();
        self.expect(b'(', "'('")?;
        self.list(b')', |p| {
            if kind == FunctionKind::Defined {
                p.value_number()?;
                p.expect(b':', "':' and a type")?;
            }
            params.push(p.ty()?);
            Ok(())
        })?;
        let ret = self.return_type()?;
        if let FunctionKind::Intrinsic(_) = kind {
            let known = intrinsics::find(self.program.module.name(name)).map(|decl| decl.op);
            let op = if self.accept_word("as") {
                let op = Intrinsic::from_name(self.peek_word()).ok_or((self.at, UnknownOpcode))?;
                self.advance();
                op
            } else {
                known.ok_or((name_at, Undefined("intrinsic")))?
            };
            kind = FunctionKind::Intrinsic(op);
        }
        let signature = if self.accept(b':') {
            let at = self.at;
            let id = self.signature_id()?;
            let declared = &self.program.module.signatures[id];
            if declared.params != params || declared.ret != ret {
                return Err((at, ParseErrorKind::SignatureMismatch));
            }
            id
        } else {
            match self.signatures.get(&(params.clone(), ret)) {
                Some(&id) => id,
                None => self.push_signature(Signature { params, ret }),
            }
        };
        self.program.module.functions.push(FunctionDecl { name, signature, linkage, kind });
        if kind == FunctionKind::Defined {
            deferred.bodies.push((id, params_at));
            self.expect(b'{', "'{'")?;
            while self.kind(self.at) != TokenKind::Punct(b'}') {
                if self.kind(self.at) == TokenKind::End {
                    return self.fail(Expected("'}'"));
                }
                self.advance();
            }
            self.advance();
        }
        Ok(())
    }

    // ---- bodies

    fn value_number(&mut self) -> Result<u32, Failure> {
        match entity_number(self.peek_word(), "v") {
            Some(number) => {
                self.advance();
                Ok(number)
            }
            None => self.fail(Expected("value")),
        }
    }

    /// The body of `id`, from its parameter list on.
    fn function_body(&mut self, id: FuncId) -> Result<(), Failure> {
        let mut func = Function::new();
        func.begin(id, self.program.module.signature(id));
        let mut body = core::mem::take(&mut self.body);
        body.definitions.clear();
        body.values.clear();
        body.blocks.clear();
        body.addresses.clear();

        let params_at = self.at;
        self.expect(b'(', "'('")?;
        let mut params = func.params().iter().copied();
        self.list(b')', |p| {
            let number = p.value_number()?;
            body.values.extend(params.next().map(|value| (number, value)));
            p.expect(b':', "':' and a type")?;
            p.ty().map(drop)
        })?;
        while !self.accept(b'{') {
            self.advance();
        }
        self.scan_definitions(&mut body, &mut func)?;
        self.define_values(&mut body, &mut func, params_at)?;
        body.blocks.sort_unstable_by_key(|&(label, _)| label);

        // The statements before the first block were read with the definitions.
        while entity_number(self.peek_word(), "v").is_some() {
            let at = self.at + 4;
            if !self.is_constant(at) {
                return Err((at.min(self.tokens.len() - 1), Expected("constant, as no block has begun")));
            }
            self.at = at;
            self.advance();
        }
        while !self.accept(b'}') {
            let Some(label) = entity_number(self.peek_word(), "block") else {
                return self.fail(Expected("block or '}'"));
            };
            let block = lookup(&body.blocks, label).ok_or((self.at, Undefined("block")))?;
            self.advance();
            self.expect(b':', "':'")?;
            while self.kind(self.at) != TokenKind::Punct(b'}')
                && entity_number(self.peek_word(), "block").is_none()
            {
                self.instruction(&mut func, &mut body, block)?;
            }
        }
        self.program.bodies.push(func);
        self.body = body;
        Ok(())
    }

    /// True if a constant or an address stands at `at`.
    fn is_constant(&self, at: usize) -> bool {
        match self.kind(at) {
            TokenKind::Number | TokenKind::Symbol | TokenKind::QuotedSymbol => true,
            TokenKind::Word => matches!(self.text_of(at), "undef" | "true" | "false"),
            _ => false,
        }
    }

    /// Collects `v1: type =` and `block1:` up to the end of the body.
    fn scan_definitions(&mut self, body: &mut Body, func: &mut Function) -> Result<(), Failure> {
        let mut labels = alloc::collections::BTreeSet::new();
        let mut at = self.at;
        while self.kind(at) != TokenKind::Punct(b'}') {
            if self.kind(at) == TokenKind::Word && self.kind(at + 1) == TokenKind::Punct(b':') {
                let word = self.text_of(at);
                if let Some(number) = entity_number(word, "v") {
                    let is_word = self.kind(at + 2) == TokenKind::Word;
                    let ty = Type::from_name(self.text_of(at + 2)).filter(|&ty| is_word && ty != Type::Void);
                    let ty = ty.ok_or((at + 2, UnknownType))?;
                    if self.kind(at + 3) != TokenKind::Punct(b'=') {
                        return Err((at + 3, Expected("'='")));
                    }
                    body.definitions.push((number, at, ty));
                } else if let Some(label) = entity_number(word, "block") {
                    if !labels.insert(label) {
                        return Err((at, Duplicate("block")));
                    }
                    body.blocks.push((label, func.append_new_block()));
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Creates all values in the order of their numbers.
    fn define_values(&mut self, body: &mut Body, func: &mut Function, at: usize) -> Result<(), Failure> {
        let resume = self.at;
        body.definitions.sort_unstable();
        for i in 0..body.definitions.len() {
            let (number, at, ty) = body.definitions[i];
            if i > 0 && body.definitions[i - 1].0 == number {
                return Err((at, Duplicate("value")));
            }
            self.at = at + 4;
            let value = match self.kind(self.at) {
                TokenKind::Number => {
                    let bits = self.number()?;
                    match ty {
                        Type::F32 if u32::try_from(bits).is_ok() => func.make_float(ty, bits as u64),
                        Type::F64 if u64::try_from(bits).is_ok() => func.make_float(ty, bits as u64),
                        _ => func.make_int(ty, self.int_of_type(bits, ty, at + 4)?),
                    }
                }
                TokenKind::Symbol | TokenKind::QuotedSymbol => {
                    let symbol = self.symbol()?;
                    func.make_address(symbol, ty)
                }
                _ if self.peek_word() == "undef" => func.make_undef(ty),
                _ if matches!(self.peek_word(), "true" | "false") => {
                    if ty != Type::I1 {
                        return self.fail(Expected("constant of the type"));
                    }
                    func.make_int(ty, -i64::from(self.peek_word() == "true"))
                }
                _ => func.make_forward(ty),
            };
            body.values.push((number, value));
        }
        body.values.sort_unstable();
        if body.values.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err((at, Duplicate("value")));
        }
        self.at = resume;
        Ok(())
    }

    /// `number` as a constant of `ty`: signed or unsigned, of its width.
    fn int_of_type(&self, number: i128, ty: Type, at: usize) -> Result<i64, Failure> {
        if !ty.is_scalar_int() {
            return Err((at, Expected("constant of the type")));
        }
        let bits = ty.bits();
        if number < -(1i128 << (bits - 1)) || number >= 1i128 << bits {
            return Err((at, NumberOutOfRange));
        }
        Ok(ty.sign_extend(number as i64))
    }

    fn operand(&mut self, func: &mut Function, body: &mut Body) -> Result<Value, Failure> {
        let at = self.at;
        if matches!(self.kind(at), TokenKind::Symbol | TokenKind::QuotedSymbol) {
            let symbol = self.symbol()?;
            let pointer = self.program.module.pointer_type;
            return Ok(*body.addresses.entry(symbol).or_insert_with(|| func.make_address(symbol, pointer)));
        }
        let number = self.value_number()?;
        lookup(&body.values, number).ok_or((at, Undefined("value")))
    }

    fn comma_operand(&mut self, func: &mut Function, body: &mut Body) -> Result<Value, Failure> {
        self.expect(b',', "','")?;
        self.operand(func, body)
    }

    fn pair(&mut self, func: &mut Function, body: &mut Body) -> Result<[Value; 2], Failure> {
        Ok([self.operand(func, body)?, self.comma_operand(func, body)?])
    }

    fn block(&mut self, body: &Body) -> Result<Block, Failure> {
        let Some(label) = entity_number(self.peek_word(), "block") else {
            return self.fail(Expected("block"));
        };
        let block = lookup(&body.blocks, label).ok_or((self.at, Undefined("block")))?;
        self.advance();
        Ok(block)
    }

    fn comma_block(&mut self, body: &Body) -> Result<Block, Failure> {
        self.expect(b',', "','")?;
        self.block(body)
    }

    fn comma_alignment(&mut self) -> Result<u8, Failure> {
        self.expect(b',', "',' and an alignment")?;
        self.alignment()
    }

    /// One instruction, appended to `block`.
    fn instruction(&mut self, func: &mut Function, body: &mut Body, block: Block) -> Result<(), Failure> {
        let mut result = None;
        if entity_number(self.peek_word(), "v").is_some() {
            let number = self.value_number()?;
            result = lookup(&body.values, number);
            self.expect(b':', "':' and a type")?;
            self.ty()?;
            self.expect(b'=', "'='")?;
        }
        let at = self.at;
        let data = self.inst_data(func, body)?;
        let has_result = match data {
            InstData::Store { .. } => false,
            InstData::Call { .. } | InstData::CallIndirect { .. } | InstData::CallIntrinsic { .. } => {
                result.is_some()
            }
            _ => !data.is_terminator(),
        };
        let inst = match (has_result, result) {
            (true, Some(value)) => func.make_inst_defining(data, value),
            (false, None) => func.make_inst(data, Type::Void),
            (true, None) => return Err((at, Expected("value and type before the operation"))),
            (false, Some(_)) => return Err((at, Expected("operation with a result"))),
        };
        func.layout.append_inst(block, inst);
        Ok(())
    }

    fn inst_data(&mut self, func: &mut Function, body: &mut Body) -> Result<InstData, Failure> {
        let at = self.at;
        let word = self.peek_word();
        self.advance();
        if let Some(op) = BinaryOp::from_name(word) {
            return Ok(InstData::Binary { op, args: self.pair(func, body)? });
        }
        if let Some(op) = CastOp::from_name(word) {
            return Ok(InstData::Cast { op, arg: self.operand(func, body)? });
        }
        Ok(match word {
            "icmp" => {
                let cond = IntCond::from_name(self.peek_word()).ok_or((self.at, UnknownOpcode))?;
                self.advance();
                InstData::Icmp { cond, args: self.pair(func, body)? }
            }
            "fcmp" => {
                let cond = FloatCond::from_name(self.peek_word()).ok_or((self.at, UnknownOpcode))?;
                self.advance();
                InstData::Fcmp { cond, args: self.pair(func, body)? }
            }
            "select" => {
                let [cond, if_true] = self.pair(func, body)?;
                InstData::Select { cond, if_true, if_false: self.comma_operand(func, body)? }
            }
            "extractelement" => {
                let [vector, index] = self.pair(func, body)?;
                InstData::ExtractElement { vector, index }
            }
            "insertelement" => {
                let [vector, element] = self.pair(func, body)?;
                InstData::InsertElement { vector, element, index: self.comma_operand(func, body)? }
            }
            "alloca" => {
                let size = self.operand(func, body)?;
                InstData::Alloca { size, align_log2: self.comma_alignment()? }
            }
            "load" => {
                let address = self.operand(func, body)?;
                InstData::Load { address, align_log2: self.comma_alignment()? }
            }
            "store" => {
                let value = self.operand(func, body)?;
                self.expect_word("to")?;
                let address = self.operand(func, body)?;
                InstData::Store { address, value, align_log2: self.comma_alignment()? }
            }
            "tail" => self.call(func, body, TailHint::Tail)?,
            "call" | "call_indirect" => {
                self.at = at;
                self.call(func, body, TailHint::None)?
            }
            "phi" => self.phi(func, body)?,
            "br" if entity_number(self.peek_word(), "block").is_some() => {
                InstData::Br { target: self.block(body)? }
            }
            "br" => {
                let cond = self.operand(func, body)?;
                let if_true = self.comma_block(body)?;
                InstData::CondBr { cond, if_true, if_false: self.comma_block(body)? }
            }
            "switch" => self.switch(func, body)?,
            "ret" if entity_number(self.peek_word(), "v").is_some() => {
                InstData::Ret { value: Some(self.operand(func, body)?) }
            }
            "ret" if matches!(self.kind(self.at), TokenKind::Symbol | TokenKind::QuotedSymbol) => {
                InstData::Ret { value: Some(self.operand(func, body)?) }
            }
            "ret" => InstData::Ret { value: None },
            "unreachable" => InstData::Unreachable,
            "" => return Err((at, Expected("instruction"))),
            _ => return Err((at, UnknownOpcode)),
        })
    }

    fn call(&mut self, func: &mut Function, body: &mut Body, tail: TailHint) -> Result<InstData, Failure> {
        let at = self.at;
        enum Callee {
            Direct(FuncId),
            Indirect(Value),
        }
        let callee = if self.accept_word("call") {
            let at = self.at;
            match self.symbol()? {
                Symbol::Function(id) => Callee::Direct(id),
                Symbol::Global(_) => return Err((at, Expected("function"))),
            }
        } else if self.accept_word("call_indirect") {
            Callee::Indirect(self.operand(func, body)?)
        } else {
            return Err((at, Expected("call or call_indirect")));
        };
        self.expect(b'(', "'('")?;
        let mut args = core::mem::take(&mut body.args);
        args.clear();
        self.list(b')', |p| {
            args.push(p.operand(func, body)?);
            Ok(())
        })?;
        let range = func.make_args(&args);
        body.args = args;
        Ok(match callee {
            Callee::Indirect(callee) => InstData::CallIndirect { callee, args: range, tail },
            Callee::Direct(callee) => match self.program.module.functions[callee].kind {
                FunctionKind::Intrinsic(op) => InstData::CallIntrinsic { op, callee, args: range, tail },
                _ => InstData::Call { callee, args: range, tail },
            },
        })
    }

    fn phi(&mut self, func: &mut Function, body: &mut Body) -> Result<InstData, Failure> {
        let mut incoming = core::mem::take(&mut body.incoming);
        incoming.clear();
        while self.accept(b'[') {
            let value = self.operand(func, body)?;
            incoming.push((value, self.comma_block(body)?));
            self.expect(b']', "']'")?;
            if !self.accept(b',') {
                break;
            }
            if self.kind(self.at) != TokenKind::Punct(b'[') {
                return self.fail(Expected("'['"));
            }
        }
        let range = func.make_incoming(&incoming);
        body.incoming = incoming;
        Ok(InstData::Phi { incoming: range })
    }

    fn switch(&mut self, func: &mut Function, body: &mut Body) -> Result<InstData, Failure> {
        let at = self.at;
        let value = self.operand(func, body)?;
        let default = self.comma_block(body)?;
        let ty = func.value_type(value);
        let table = func.make_switch();
        self.expect(b'[', "'['")?;
        self.list(b']', |p| {
            let number_at = p.at;
            let number = p.number()?;
            if !ty.is_scalar_int() {
                return Err((at, Expected("integer to switch on")));
            }
            let number = p.int_of_type(number, ty, number_at)?;
            p.expect(b':', "':'")?;
            let target = p.block(body)?;
            func.switch_mut(table).cases.push((number, target));
            Ok(())
        })?;
        Ok(InstData::Switch { value, default, table })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;

    #[test]
    fn entity_numbers_have_one_spelling() {
        assert_eq!(entity_number("v12", "v"), Some(12));
        assert_eq!(entity_number("v0", "v"), Some(0));
        for other in ["v", "v012", "v-1", "v+1", "v4294967296", "block1", "vx"] {
            assert_eq!(entity_number(other, "v"), None, "{other}");
        }
        assert_eq!(lookup(&[(3, Value::new(0)), (9, Value::new(1))], 9), Some(Value::new(1)));
    }
}
