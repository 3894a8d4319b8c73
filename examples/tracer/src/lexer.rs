//! Words of the language: from text to tokens, one at a time.

use crate::error::{Error, Line};

/// A word of a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A name that is no keyword.
    Name(String),
    /// A keyword or a sign.
    Sign(&'static str),
    /// A number without a point.
    Int(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// Text between quotes.
    Text(String),
    /// The end of the program.
    End,
}

const KEYWORDS: [&str; 15] = [
    "and", "break", "continue", "else", "false", "fn", "for", "if", "let", "nil", "not", "or", "return",
    "true", "while",
];

/// Longer signs come before those that they begin with.
const SIGNS: [&str; 28] = [
    "==", "!=", "<=", ">=", "<<", ">>", "//", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "=", "(",
    ")", "[", "]", "{", "}", ",", ";", "~", "!",
];

/// Reads tokens of a program.
pub struct Lexer<'s> {
    rest: &'s str,
    line: Line,
}

impl<'s> Lexer<'s> {
    /// Starts at the first line.
    pub fn new(source: &'s str) -> Lexer<'s> {
        Lexer { rest: source, line: Line(1) }
    }

    /// Skips white space and comments, which go from `#` to the end of the line.
    fn skip_blanks(&mut self) {
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.line.0 += self.rest[..blanks].matches('\n').count() as u32;
            self.rest = &self.rest[blanks..];
            if !self.rest.starts_with('#') {
                return;
            }
            self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
        }
    }

    /// Takes the longest start whose characters are all accepted.
    fn take(&mut self, accepts: impl FnMut(char) -> bool) -> &'s str {
        let mut accepts = accepts;
        let end = self.rest.find(|c| !accepts(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// The next token and the line that it stands in.
    ///
    /// # Errors
    /// A character or number that the language does not have; text without an end.
    pub fn next_token(&mut self) -> Result<(Token, Line), Error> {
        self.skip_blanks();
        let line = self.line;
        let Some(first) = self.rest.chars().next() else { return Ok((Token::End, line)) };
        let token = match first {
            '"' => self.text()?,
            '0'..='9' => self.number()?,
            'a'..='z' | 'A'..='Z' | '_' => {
                let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
                match KEYWORDS.iter().find(|&&keyword| keyword == word) {
                    Some(keyword) => Token::Sign(keyword),
                    None => Token::Name(word.to_owned()),
                }
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| self.rest.starts_with(**sign));
                let sign =
                    sign.ok_or_else(|| Error::syntax(line, format!("unexpected character {first:?}")))?;
                self.rest = &self.rest[sign.len()..];
                Token::Sign(sign)
            }
        };
        Ok((token, line))
    }

    fn number(&mut self) -> Result<Token, Error> {
        let line = self.line;
        if let Some(rest) = self.rest.strip_prefix("0x") {
            self.rest = rest;
            let digits = self.take(|c| c.is_ascii_hexdigit());
            let number = u64::from_str_radix(digits, 16);
            return number
                .map(|number| Token::Int(number as i64))
                .map_err(|error| Error::syntax(line, format!("0x{digits}: {error}")));
        }
        let mut last = ' ';
        let word = self.take(|c| {
            let is_sign_of_exponent = matches!(c, '+' | '-') && matches!(last, 'e' | 'E');
            last = c;
            c.is_ascii_alphanumeric() || c == '.' || is_sign_of_exponent
        });
        let number = match word.contains(['.', 'e', 'E']) {
            true => word.parse().map(Token::Float).map_err(|error| error.to_string()),
            false => word.parse().map(Token::Int).map_err(|error| error.to_string()),
        };
        number.map_err(|error| Error::syntax(line, format!("{word}: {error}")))
    }

    fn text(&mut self) -> Result<Token, Error> {
        let line = self.line;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(Token::Text(text));
                }
                '\n' => break,
                '\\' => text.push(match chars.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 't')) => '\t',
                    Some((_, c @ ('"' | '\\'))) => c,
                    _ => return Err(Error::syntax(line, "unknown escape in text")),
                }),
                c => text.push(c),
            }
        }
        Err(Error::syntax(line, "text without an end"))
    }
}
