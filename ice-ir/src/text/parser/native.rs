//! Parses what only native modules have: passing of arguments, traits of symbols, comdats.

use super::{Failure, Parser, entity_number};
use crate::assembly::{Assembly, Dialect};
use crate::entities::{ComdatId, FuncId, Symbol};
use crate::hardening::{
    GuardSource, ObjectKind, Segment, SignedReturn, StackGuard, StackProtection, Tracking,
};
use crate::module::{Linkage, Name, Signature};
use crate::native::{
    Arity, CallingConvention, Comdat, ComdatKind, FrameChain, FunctionTraits, Passing, Preemption, Results,
    Storage, SymbolTraits, UnwindTables, Visibility,
};
use crate::text::ParseErrorKind::{Expected, NumberOutOfRange, OutOfOrder, Undefined};
use crate::text::lexer::{self, TokenKind};
use alloc::string::String;
use alloc::vec::Vec;

impl Parser<'_> {
    /// The contents of a signature.
    pub(super) fn signature_contents(&mut self) -> Result<Signature, Failure> {
        let (mut params, mut passing) = (Vec::new(), Vec::new());
        self.expect(b'(', "'('")?;
        self.list(b')', |p| {
            params.push(p.ty()?);
            passing.push(p.passing()?);
            Ok(())
        })?;
        let mut signature = Signature::new(params, self.return_type()?);
        if self.accept(b',') {
            signature.second = self.ty()?;
        }
        for results in [Results::Halves, Results::Lanes] {
            if self.accept_word(results.name()) {
                signature.results = results;
            }
        }
        if self.accept_word("variadic") {
            signature.arity = Arity::Variadic;
        }
        if let Some(convention) = CallingConvention::from_name(self.peek_word()) {
            self.advance();
            signature.convention = convention;
        }
        if self.accept_word(Tracking::Untracked.name()) {
            signature.tracking = Tracking::Untracked;
        }
        if passing.iter().any(|&p| p != Passing::Plain) {
            signature.passing = passing;
        }
        Ok(signature)
    }

    fn passing(&mut self) -> Result<Passing, Failure> {
        Ok(match self.peek_word() {
            "byval" => {
                self.advance();
                let at = self.at;
                let size = u32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))?;
                return Ok(Passing::ByVal { size, align_log2: self.alignment()? });
            }
            "group" => {
                self.advance();
                let at = self.at;
                let len = u16::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))?;
                return Ok(Passing::Group { len });
            }
            word => {
                let passing = match word {
                    "sret" => Passing::StructReturn,
                    "sret.inreg" => Passing::StructReturnInRegister,
                    "inreg" => Passing::InRegister,
                    "stack" => Passing::OnStack,
                    "nest" => Passing::Nest,
                    "pair" => Passing::PairLow,
                    _ => return Ok(Passing::Plain),
                };
                self.advance();
                passing
            }
        })
    }

    /// `comdat0 = "name"`, from the text on.
    pub(super) fn comdat(&mut self, number: u32, at: usize) -> Result<(), Failure> {
        let kind = match self.accept_word("all") {
            true => ComdatKind::NoDuplicates,
            false => ComdatKind::Any,
        };
        let name = self.string_name()?;
        if number as usize != self.program.module.comdats.len() {
            return Err((at, OutOfOrder("comdat")));
        }
        self.program.module.comdats.push(Comdat { name, kind });
        Ok(())
    }

    fn string_name(&mut self) -> Result<Name, Failure> {
        let bytes = self.string()?;
        Ok(self.program.module.make_name(bytes))
    }

    /// The bytes of a string.
    fn string(&mut self) -> Result<Vec<u8>, Failure> {
        if self.kind(self.at) != TokenKind::String {
            return self.fail(Expected("string"));
        }
        let at = self.advance();
        Ok(lexer::unescape(self.text_of(at)).collect())
    }

    /// A string that is text.
    pub(super) fn text_string(&mut self) -> Result<String, Failure> {
        let at = self.at;
        String::from_utf8(self.string()?).map_err(|_| (at, Expected("text in UTF-8")))
    }

    /// Inline assembly, behind its first word and without its arguments.
    pub(super) fn assembly(&mut self) -> Result<Assembly, Failure> {
        let returns_twice = self.accept_word("returns_twice");
        let is_instruction = self.accept_word("instruction");
        let dialect = if self.accept_word("intel") { Dialect::Intel } else { Dialect::Att };
        let template = self.text_string()?;
        self.expect(b',', "','")?;
        let constraints = self.text_string()?;
        Ok(Assembly { template, constraints, dialect, returns_twice, is_instruction, targets: Vec::new() })
    }

    /// The word behind an alloca, if one stands here.
    pub(super) fn object_kind(&mut self) -> Result<ObjectKind, Failure> {
        if !self.accept(b',') {
            return Ok(ObjectKind::default());
        }
        let kind = ObjectKind::from_name(self.peek_word()).ok_or((self.at, Expected("kind of object")))?;
        self.advance();
        Ok(kind)
    }

    fn function_symbol(&mut self) -> Result<FuncId, Failure> {
        let at = self.at;
        match self.symbol()? {
            Symbol::Function(function) => Ok(function),
            Symbol::Global(_) => Err((at, Expected("function"))),
        }
    }

    /// How frames are guarded, behind `harden stack`: once all symbols are declared.
    pub(super) fn stack_guard(&mut self) -> Result<StackGuard, Failure> {
        let fail = self.function_symbol()?;
        self.expect_word("by")?;
        let source = match self.symbol()? {
            Symbol::Global(global) => GuardSource::Variable(global),
            Symbol::Function(read) => {
                self.expect(b'(', "'('")?;
                let segment = Segment::from_name(self.peek_word()).ok_or((self.at, Expected("segment")))?;
                self.advance();
                self.expect(b',', "','")?;
                let at = self.at;
                let offset = i32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))?;
                self.expect(b')', "')'")?;
                GuardSource::Segment { read, segment, offset }
            }
        };
        Ok(StackGuard { source, fail })
    }

    /// A linkage, if one stands here.
    pub(super) fn linkage(&mut self) -> Option<Linkage> {
        let linkage = Linkage::from_name(self.peek_word())?;
        self.advance();
        Some(linkage)
    }

    /// A kind of storage, if one stands here.
    pub(super) fn storage(&mut self) -> Option<Storage> {
        let storage = Storage::from_name(self.peek_word())?;
        self.advance();
        Some(storage)
    }

    /// The words about linking.
    pub(super) fn symbol_words(&mut self) -> Result<SymbolTraits, Failure> {
        let mut symbol = SymbolTraits::default();
        if let Some(visibility) = Visibility::from_name(self.peek_word()) {
            self.advance();
            symbol.visibility = visibility;
        }
        if self.accept_word("local") {
            symbol.preemption = Preemption::Excluded;
        }
        if self.accept_word("section") {
            symbol.section = self.string_name()?;
        }
        if let Some(number) = entity_number(self.peek_word(), "comdat") {
            if number as usize >= self.program.module.comdats.len() {
                return self.fail(Undefined("comdat"));
            }
            self.advance();
            symbol.comdat = Some(ComdatId::from_u32(number));
        }
        Ok(symbol)
    }

    fn word_of_type(&mut self) -> Result<u32, Failure> {
        let at = self.at;
        u32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))
    }

    /// The words about a function.
    pub(super) fn function_words(&mut self) -> Result<FunctionTraits, Failure> {
        let mut traits = FunctionTraits {
            returns_twice: self.accept_word("returns_twice"),
            noreturn: self.accept_word("noreturn"),
            cold: self.accept_word("cold"),
            nounwind: self.accept_word("nounwind"),
            frame_pointer: match self.accept_word("frame_pointer") {
                true => FrameChain::All,
                false if self.accept_word("frame_pointer_of_callers") => FrameChain::Callers,
                false => FrameChain::None,
            },
            unwind: match self.accept_word("uwtable") {
                true => UnwindTables::Async,
                false if self.accept_word("uwtable_sync") => UnwindTables::Sync,
                false => UnwindTables::None,
            },
            landing: self.accept_word("landing"),
            signed_return: SignedReturn::default(),
            wide_registers: self.accept_word("wide_registers"),
            wide_integers: self.accept_word("wide_integers"),
            permutes_bytes: self.accept_word("permutes_bytes"),
            protection: StackProtection::default(),
            type_word: None,
            signature_words: None,
            align_log2: 0,
        };
        if let Some(signed_return) = SignedReturn::from_name(self.peek_word()) {
            self.advance();
            traits.signed_return = signed_return;
        }
        if let Some(protection) = StackProtection::from_name(self.peek_word()) {
            self.advance();
            traits.protection = protection;
        }
        if self.accept_word("type_word") {
            traits.type_word = Some(self.word_of_type()?);
        }
        if self.accept_word("signature_words") {
            traits.signature_words = Some([self.word_of_type()?, self.word_of_type()?]);
        }
        if self.peek_word() == "align" {
            traits.align_log2 = self.alignment()?;
        }
        Ok(traits)
    }
}
