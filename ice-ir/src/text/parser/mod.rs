//! Reads a program from text.
//!
//! Two passes over the tokens, since everything may be named before it is declared. The first declares
//! signatures, globals and functions and remembers where initializers and bodies stand; the second fills
//! them in. A body is gone through twice in the same way: once for the numbers and types of all values and
//! the labels of all blocks, once for the instructions.

mod body;
mod exceptions;
mod native;
mod tokens;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::lexer::{self, Token, TokenKind};
use super::writer::default_order;
use super::{ParseError, ParseErrorKind, nameless_number};
use crate::entities::{FuncId, GlobalId, SigId, Symbol};
use crate::intrinsics::{self, Intrinsic};
use crate::module::{
    FunctionDecl, FunctionKind, GlobalDecl, GlobalKind, Initializer, Linkage, Mutability, Name, Program,
    Signature, TypeDef,
};
use crate::native::{Environment, Storage};
use crate::types::Type;
use ParseErrorKind::{Duplicate, Expected, NumberOutOfRange, OutOfOrder, Undefined, UnknownOpcode};
use body::Body;

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
    aliases: Vec<(FuncId, usize)>,
    bodies: Vec<(FuncId, usize)>,
    symbols: Option<usize>,
    stack_guard: Option<usize>,
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
        for &(function, at) in &deferred.aliases {
            self.at = at;
            let target = self.symbol()?;
            let kind = &mut self.program.module.functions[function].kind;
            *kind = kind.with_symbol(target);
        }
        if let Some(at) = deferred.stack_guard {
            self.at = at;
            self.program.module.hardening.stack_guard = Some(self.stack_guard()?);
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
        if let Some(number) = entity_number(word, "comdat") {
            self.advance();
            self.expect(b'=', "'='")?;
            return self.comdat(number, at);
        }
        self.advance();
        match word {
            "target" => {
                self.expect_word("pointer")?;
                match self.ty()? {
                    ty @ (Type::I32 | Type::I64) => self.program.module.pointer_type = ty,
                    _ => return Err((self.at - 1, Expected("i32 or i64"))),
                }
                if let Some(environment) = Environment::from_name(self.peek_word()) {
                    self.advance();
                    self.program.module.environment = environment;
                }
                if self.peek_word() == "executable" {
                    self.advance();
                    self.program.module.is_executable = true;
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
            "harden" => self.hardening(deferred),
            "asm" => {
                let line = self.text_string()?;
                self.program.module.assembly.push_str(&line);
                self.program.module.assembly.push('\n');
                Ok(())
            }
            "global" => self.global(Mutability::Variable, deferred),
            "constant" => self.global(Mutability::Constant, deferred),
            "alias" => self.function(FunctionKind::Alias(Symbol::Function(FuncId::from_u32(0))), deferred),
            "indirect" => {
                self.function(FunctionKind::Indirect(Symbol::Function(FuncId::from_u32(0))), deferred)
            }
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

    /// What the module asks for against attacks, behind `harden`.
    fn hardening(&mut self, deferred: &mut Deferred) -> Result<(), Failure> {
        let word = self.peek_word();
        self.advance();
        match word {
            "branches" => self.program.module.hardening.tracks_branches = true,
            "signed" => self.program.module.hardening.signs_returns = true,
            "returns" => self.program.module.hardening.has_shadow_stack = true,
            "calls" => self.program.module.hardening.checks_types = true,
            "stack" => {
                if deferred.stack_guard.replace(self.at).is_some() {
                    return Err((self.at, Duplicate("guard of the stack")));
                }
                // Read once all symbols are declared.
                while matches!(
                    self.kind(self.at),
                    TokenKind::Symbol
                        | TokenKind::QuotedSymbol
                        | TokenKind::Number
                        | TokenKind::Punct(b',' | b'(' | b')')
                ) || matches!(self.peek_word(), "by" | "fs" | "gs")
                {
                    self.advance();
                }
            }
            _ => return Err((self.at - 1, Expected("branches, signed, returns, calls or stack"))),
        }
        Ok(())
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
        let signature = self.signature_contents()?;
        if number as usize != self.program.module.signatures.len() {
            return Err((at, OutOfOrder("signature")));
        }
        self.push_signature(signature);
        Ok(())
    }

    fn push_signature(&mut self, signature: Signature) -> SigId {
        let key = (signature.params.clone(), signature.ret);
        let plain = signature.is_plain();
        let id = self.program.module.signatures.push(signature);
        if !plain {
            return id;
        }
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
        let linkage = self.linkage().unwrap_or(Linkage::Internal);
        let storage = self.storage().unwrap_or(Storage::Shared);
        let is_declared = self.accept_word("declared");
        let is_alias = self.accept_word("alias");
        let symbol = self.symbol_words()?;
        let name = self.declare_name(Symbol::Global(id))?;
        let align_log2 = if self.peek_word() == "align" { Some(self.alignment()?) } else { None };
        let mut decl = GlobalDecl::new(name, align_log2, mutability, 0..0);
        (decl.linkage, decl.storage, decl.symbol) = (linkage, storage, symbol.into());
        if is_declared {
            decl.kind = GlobalKind::Declared;
        }
        if is_alias {
            // The target is read with the initializers.
            decl.kind = GlobalKind::Alias { target: Symbol::Global(id), addend: 0 };
            if self.kind(self.at) != TokenKind::Punct(b'=') {
                return self.fail(Expected("'='"));
            }
        }
        self.program.module.globals.push(decl);
        if self.accept(b'=') {
            deferred.initializers.push((id, self.at));
            while !matches!(self.kind(self.at), TokenKind::End)
                && matches!(
                    self.peek_word(),
                    "" | "bytes" | "zero" | "addr" | "relative" | "distance" | "block"
                )
            {
                self.advance();
            }
        }
        Ok(())
    }

    fn initializers(&mut self, global: GlobalId) -> Result<(), Failure> {
        if self.accept_word("block") {
            let function = self.callee()?;
            self.expect(b',', "','")?;
            let label = self.label()?;
            self.program.module.globals[global].kind = GlobalKind::Label { function, label };
            return Ok(());
        }
        let start = self.program.module.initializers.len() as u32;
        loop {
            let init = self.initializer()?;
            self.program.module.initializers.push(init);
            if !self.accept(b',') {
                break;
            }
        }
        let end = self.program.module.initializers.len() as u32;
        if let GlobalKind::Alias { .. } = self.program.module.globals[global].kind {
            let first = self.program.module.initializers[start as usize];
            let Initializer::Address { target, addend } = first else {
                return self.fail(Expected("addr"));
            };
            self.program.module.initializers.truncate(start as usize);
            self.program.module.globals[global].kind = GlobalKind::Alias { target, addend };
            return Ok(());
        }
        self.program.module.globals[global].initializers = start..end;
        let next = self.peek_word();
        match self.kind(self.at) {
            TokenKind::End => Ok(()),
            TokenKind::Word if !matches!(next, "bytes" | "zero" | "addr" | "relative" | "distance") => Ok(()),
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
            return Ok(Initializer::Address { target, addend: self.addend()? });
        }
        if self.accept_word("relative") {
            let mut bytes = 4;
            if self.kind(self.at) == TokenKind::Number {
                let at = self.at;
                if self.number()? != 8 {
                    return Err((at, NumberOutOfRange));
                }
                self.expect(b',', "','")?;
                bytes = 8;
            }
            let target = self.symbol()?;
            return Ok(Initializer::Relative { target, addend: self.addend()?, bytes });
        }
        if self.accept_word("distance") {
            let at = self.at;
            let bytes = self.number()?;
            if !matches!(bytes, 1 | 2 | 4 | 8) {
                return Err((at, NumberOutOfRange));
            }
            let mut labels = [GlobalId::from_u32(0); 2];
            for label in &mut labels {
                self.expect(b',', "','")?;
                let at = self.at;
                let Symbol::Global(global) = self.symbol()? else { return Err((at, Expected("label"))) };
                *label = global;
            }
            let at = self.at;
            let addend = i32::try_from(self.addend()?).map_err(|_| (at, NumberOutOfRange))?;
            return Ok(Initializer::Distance {
                plus: labels[0],
                minus: labels[1],
                addend,
                bytes: bytes as u8,
            });
        }
        self.fail(Expected("bytes, zero, addr, relative or distance"))
    }

    /// A number behind a sign, if one follows.
    fn addend(&mut self) -> Result<i64, Failure> {
        let at = self.at;
        let sign = match self.kind(at) {
            TokenKind::Punct(b'+') => 1,
            TokenKind::Punct(b'-') => -1,
            _ => return Ok(0),
        };
        self.advance();
        let addend = sign * self.number()?;
        i64::try_from(addend).map_err(|_| (at, NumberOutOfRange))
    }

    /// The number of a label.
    fn label(&mut self) -> Result<u32, Failure> {
        let at = self.at;
        u32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))
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
        let Some(linkage) = self.linkage() else { return self.fail(Expected("external or internal")) };
        let symbol = self.symbol_words()?.into();
        let traits = self.function_words()?.into();
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
                None => self.push_signature(Signature::new(params, ret)),
            }
        };
        self.program.module.functions.push(FunctionDecl { name, signature, linkage, kind, symbol, traits });
        if let FunctionKind::Alias(_) | FunctionKind::Indirect(_) = kind {
            self.expect(b'=', "'='")?;
            deferred.aliases.push((id, self.at));
            self.advance();
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::Value;
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
