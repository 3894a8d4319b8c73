//! Cuts a text into tokens.
//!
//! Tokens are kinds and byte ranges of the text; line and column are worked out from the offset when an
//! error is made. Strings are checked here, so that decoding them later cannot fail.

use alloc::vec::Vec;

use super::{ParseError, ParseErrorKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// `add`, `i32`, `v12`, `llvm.trap`.
    Word,
    /// `12`, `-12`, `0xff`.
    Number,
    /// `"…"`, without the quotes.
    String,
    /// `@name`, without the `@`.
    Symbol,
    /// `@"…"`, without `@` and quotes.
    QuotedSymbol,
    /// `->`.
    Arrow,
    /// One of `( ) { } [ ] , : = + -`.
    Punct(u8),
    /// Behind the last token.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    /// Where the token begins, with the quotes and `@` that its contents leave out.
    pub(super) fn begin(&self) -> usize {
        let prefix = match self.kind {
            TokenKind::String | TokenKind::Symbol => 1,
            TokenKind::QuotedSymbol => 2,
            _ => 0,
        };
        self.start as usize - prefix
    }
}

pub(super) fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')
}

/// The place of the byte at `offset`.
pub(super) fn error_at(text: &str, offset: usize, kind: ParseErrorKind) -> ParseError {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    ParseError { line: line as u32, column: (before.len() - line_start + 1) as u32, kind }
}

/// All tokens of `text`, with [`TokenKind::End`] at the end.
pub(super) fn tokenize(text: &str) -> Result<Vec<Token>, ParseError> {
    let bytes = text.as_bytes();
    if u32::try_from(bytes.len()).is_err() {
        return Err(error_at(text, 0, ParseErrorKind::TooLong));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let run = |from: usize| {
            from + bytes[from..].iter().position(|&b| !is_name_byte(b)).unwrap_or(bytes.len() - from)
        };
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let (kind, start, end, resume) = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b';' => {
                at += bytes[at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - at);
                continue;
            }
            b'@' if next == b'"' => {
                let end = string_end(text, at + 2)?;
                (TokenKind::QuotedSymbol, at + 2, end, end + 1)
            }
            b'@' => (TokenKind::Symbol, at + 1, run(at + 1), run(at + 1)),
            b'"' => {
                let end = string_end(text, at + 1)?;
                (TokenKind::String, at + 1, end, end + 1)
            }
            b'-' if next == b'>' => (TokenKind::Arrow, at, at + 2, at + 2),
            b'0'..=b'9' => (TokenKind::Number, at, run(at), run(at)),
            b'-' if next.is_ascii_digit() => (TokenKind::Number, at, run(at + 1), run(at + 1)),
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'=' | b'+' | b'-' => {
                (TokenKind::Punct(byte), at, at + 1, at + 1)
            }
            _ if is_name_byte(byte) => (TokenKind::Word, at, run(at), run(at)),
            _ => return Err(error_at(text, at, ParseErrorKind::UnexpectedByte(byte))),
        };
        tokens.push(Token { kind, start: start as u32, end: end as u32 });
        at = resume;
    }
    let end = bytes.len() as u32;
    tokens.push(Token { kind: TokenKind::End, start: end, end });
    Ok(tokens)
}

/// The offset of the quote that ends the string with contents from `start` on.
fn string_end(text: &str, start: usize) -> Result<usize, ParseError> {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at),
            Some(b'\\') => {
                let digits = bytes.get(at + 1..at + 3).unwrap_or(&[]);
                if digits.len() != 2 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(error_at(text, at, ParseErrorKind::InvalidEscape));
                }
                at += 3;
            }
            None | Some(b'\n') => return Err(error_at(text, at, ParseErrorKind::UnterminatedString)),
            Some(_) => at += 1,
        }
    }
}

/// The bytes that the contents of a checked string stand for.
pub(super) fn unescape(contents: &str) -> impl Iterator<Item = u8> + '_ {
    let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16)).unwrap_or(0) as u8;
    let mut bytes = contents.bytes();
    core::iter::from_fn(move || match bytes.next()? {
        b'\\' => Some(digit(bytes.next()) << 4 | digit(bytes.next())),
        byte => Some(byte),
    })
}

/// The number that a [`TokenKind::Number`] stands for, if it is one and fits in 64 bits with its sign.
pub(super) fn number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        // `from_str_radix` would take a sign; the lexer lets none through.
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse::<u64>(),
    };
    let magnitude = i128::from(magnitude.ok()?);
    Some(if negative { -magnitude } else { magnitude })
}
