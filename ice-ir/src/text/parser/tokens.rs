//! The token that stands next: what it is, and passing it if it is what is wanted; numbers, types and lists of them.

use super::{Failure, Parser};
use crate::text::ParseErrorKind::{self, Expected, NumberOutOfRange, UnknownType};
use crate::text::lexer::{self, TokenKind};
use crate::types::Type;

impl<'t> Parser<'t> {
    pub(super) fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |t| t.kind)
    }

    pub(super) fn text_of(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |t| &self.text[t.start as usize..t.end as usize])
    }

    /// Goes on to the next token; the last one, `End`, stays.
    pub(super) fn advance(&mut self) -> usize {
        let at = self.at;
        self.at = (at + 1).min(self.tokens.len() - 1);
        at
    }

    pub(super) fn fail<T>(&self, kind: ParseErrorKind) -> Result<T, Failure> {
        Err((self.at, kind))
    }

    pub(super) fn accept(&mut self, punct: u8) -> bool {
        let found = self.kind(self.at) == TokenKind::Punct(punct);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: u8, what: &'static str) -> Result<(), Failure> {
        if self.accept(punct) { Ok(()) } else { self.fail(Expected(what)) }
    }

    pub(super) fn peek_word(&self) -> &'t str {
        if self.kind(self.at) == TokenKind::Word { self.text_of(self.at) } else { "" }
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &'static str) -> Result<(), Failure> {
        if self.accept_word(word) { Ok(()) } else { self.fail(Expected(word)) }
    }

    pub(super) fn number(&mut self) -> Result<i128, Failure> {
        match self.kind(self.at) {
            TokenKind::Number => {
                let at = self.advance();
                lexer::number(self.text_of(at)).ok_or((at, NumberOutOfRange))
            }
            _ => self.fail(Expected("number")),
        }
    }

    pub(super) fn ty(&mut self) -> Result<Type, Failure> {
        match Type::from_name(self.peek_word()) {
            Some(ty) => {
                self.advance();
                Ok(ty)
            }
            None => self.fail(UnknownType),
        }
    }

    /// `align 8`, as a logarithm.
    pub(super) fn alignment(&mut self) -> Result<u8, Failure> {
        self.expect_word("align")?;
        let at = self.at;
        match u64::try_from(self.number()?) {
            Ok(align) if align.is_power_of_two() => Ok(align.trailing_zeros() as u8),
            _ => Err((at, ParseErrorKind::InvalidAlignment)),
        }
    }

    /// `item, item, …` up to `close`.
    pub(super) fn list(
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
}
