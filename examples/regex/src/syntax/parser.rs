//! The parser: recursive descent over the text, one function a level of binding.
//!
//! alternation > concatenation > repetition > atom. Flags live as long as their group. References to groups are resolved
//! at the end, as a name or number may stand before its group. Cost: linear, apart from the classes.

use super::class::{self, CharSet};
use super::{Assertion, Ast, Greed, MAX_DEPTH, MAX_REPEAT, Polarity, SyntaxError, SyntaxErrorKind, Words};
use SyntaxErrorKind::*;

/// Switches that a part of an expression is read with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    /// `i`: case does not count.
    pub(crate) ignore_case: bool,
    /// `m`: `^` and `$` are at every line.
    pub(crate) multi_line: bool,
    /// `s`: the dot takes line feeds.
    pub(crate) dot_all: bool,
    /// `x`: space means nothing, `#` starts a comment.
    pub(crate) ignore_space: bool,
    /// `U`: what is greedy is lazy and the other way round.
    pub(crate) swap_greed: bool,
    /// `u`: `\w`, `\d`, `\s`, `\b` and case are Unicode's.
    pub(crate) unicode: bool,
}

impl Default for Flags {
    fn default() -> Flags {
        Flags {
            ignore_case: false,
            multi_line: false,
            dot_all: false,
            ignore_space: false,
            swap_greed: false,
            unicode: true,
        }
    }
}

/// An expression that has been read.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The tree; group 0 is the whole.
    pub(crate) ast: Ast,
    /// The names of the groups, by number.
    pub(crate) names: Vec<Option<String>>,
}

type Result<T> = std::result::Result<T, SyntaxError>;

/// Reads an expression.
pub(crate) fn parse(text: &str) -> Result<Parsed> {
    let mut parser =
        Parser { text, at: 0, depth: 0, flags: Flags::default(), names: vec![None], references: Vec::new() };
    let mut ast = parser.alternation()?;
    if parser.at < text.len() {
        return parser.fail(UnopenedGroup, parser.at);
    }
    parser.resolve(&mut ast)?;
    Ok(Parsed { ast: Ast::Capture { group: 0, body: Box::new(ast) }, names: parser.names })
}

/// What a reference says of its group.
enum Reference {
    Number(u32),
    Name(String),
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
    flags: Flags,
    names: Vec<Option<String>>,
    /// Until the end, [`Ast::Back`] has an index into these, which have their places with them.
    references: Vec<(Reference, usize)>,
}

impl Parser<'_> {
    fn fail<T>(&self, kind: SyntaxErrorKind, offset: usize) -> Result<T> {
        Err(SyntaxError { kind, offset })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Takes the text before `end`, and `end`.
    fn take_until(&mut self, end: char) -> Option<String> {
        let len = self.rest().find(end)?;
        let taken = self.rest()[..len].to_owned();
        self.at += len + end.len_utf8();
        Some(taken)
    }

    fn skip_space(&mut self) {
        while self.flags.ignore_space {
            match self.peek() {
                Some(c) if c.is_whitespace() => self.at += c.len_utf8(),
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    fn alternation(&mut self) -> Result<Ast> {
        let mut arms = vec![self.concatenation()?];
        while self.take("|") {
            arms.push(self.concatenation()?);
        }
        Ok(if arms.len() == 1 { arms.remove(0) } else { Ast::Alternate(arms) })
    }

    fn concatenation(&mut self) -> Result<Ast> {
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if matches!(self.peek(), None | Some('|' | ')')) {
                break;
            }
            let start = self.at;
            if let Some(atom) = self.atom()? {
                items.push(self.repetitions(atom, start)?);
            }
        }
        Ok(match items.len() {
            0 => Ast::Empty,
            1 => items.remove(0),
            _ => Ast::Concat(items),
        })
    }

    /// What follows an atom: `*`, `+?`, `{2,5}+`.
    fn repetitions(&mut self, mut atom: Ast, start: usize) -> Result<Ast> {
        let depth = self.depth;
        loop {
            self.skip_space();
            let at = self.at;
            let Some((min, max)) = self.bounds()? else { break };
            if max.is_some_and(|max| max < min) {
                return self.fail(RepeatOrder, at);
            }
            if min.max(max.unwrap_or(0)) > MAX_REPEAT {
                return self.fail(RepeatTooLarge, at);
            }
            let greed = match self.peek() {
                Some('?') => Greed::Lazy,
                Some('+') => Greed::Possessive,
                _ => Greed::Greedy,
            };
            self.at += usize::from(greed != Greed::Greedy);
            let greed = match greed {
                Greed::Greedy if self.flags.swap_greed => Greed::Lazy,
                Greed::Lazy if self.flags.swap_greed => Greed::Greedy,
                greed => greed,
            };
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return self.fail(TooDeep, start);
            }
            atom = match max {
                // The groups in it have their numbers and are never set.
                Some(0) => Ast::Empty,
                _ => Ast::Repeat { body: Box::new(atom), min, max, greed },
            };
        }
        self.depth = depth;
        Ok(atom)
    }

    /// The bounds of a repetition, if one is written here. Braces that hold none stand for themselves.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let simple = match self.peek() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            _ => None,
        };
        if simple.is_some() {
            self.at += 1;
            return Ok(simple);
        }
        let Some(inside) = self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return Ok(None);
        };
        let inside = inside.0;
        let (low, high) = inside.split_once(',').unwrap_or((inside, inside));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(low) || !(high.is_empty() || is_number(high)) {
            return Ok(None);
        }
        // What does not fit is too large.
        let number = |text: &str| text.parse().unwrap_or(u32::MAX);
        let bounds = (number(low), (!high.is_empty()).then(|| number(high)));
        self.at += inside.len() + 2;
        Ok(Some(bounds))
    }

    /// One atom; `None` for flags and comments, which match nothing.
    fn atom(&mut self) -> Result<Option<Ast>> {
        let (start, flags) = (self.at, self.flags);
        let Some(c) = self.peek() else { return Ok(Some(Ast::Empty)) };
        self.at += c.len_utf8();
        Ok(Some(match c {
            '(' => return self.group(start),
            '*' | '+' | '?' => return self.fail(NothingToRepeat, start),
            '.' => Ast::Char(class::parse(".", flags, start)?),
            '^' if flags.multi_line => Ast::Assert(Assertion::LineStart),
            '^' => Ast::Assert(Assertion::TextStart),
            '$' if flags.multi_line => Ast::Assert(Assertion::LineEnd),
            '$' => Ast::Assert(Assertion::TextEnd),
            '[' => Ast::Char(self.bracket(start)?),
            '\\' => self.escape(start)?,
            c => Ast::Char(CharSet::literal(c, flags)),
        }))
    }

    /// A class in brackets, whose end is found here and whose meaning elsewhere.
    fn bracket(&mut self, start: usize) -> Result<CharSet> {
        let mut open = 1;
        self.take("^");
        self.take("]");
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                '[' => {
                    open += 1;
                    self.take("^");
                    if !self.rest().starts_with(":") {
                        self.take("]");
                    }
                }
                ']' => open -= 1,
                _ => {}
            }
            if open > MAX_DEPTH {
                return self.fail(TooDeep, start);
            }
            if open == 0 {
                return class::parse(&self.text[start..self.at], self.flags, start);
            }
        }
        self.fail(UnclosedClass, start)
    }

    /// What stands behind a backslash at `start`.
    fn escape(&mut self, start: usize) -> Result<Ast> {
        let words = if self.flags.unicode { Words::Unicode } else { Words::Ascii };
        let Some(c) = self.peek() else { return self.fail(LoneBackslash, start) };
        self.at += c.len_utf8();
        Ok(match c {
            'A' => Ast::Assert(Assertion::TextStart),
            'z' => Ast::Assert(Assertion::TextEnd),
            'b' if self.rest().starts_with("{start") || self.rest().starts_with("{end") => {
                return self.fail(Unsupported("halves of word boundaries are not supported"), start);
            }
            'b' => Ast::Assert(Assertion::Word(words)),
            'B' => Ast::Assert(Assertion::NotWord(words)),
            '1'..='9' => {
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.at += 1;
                }
                let number = self.text[start + 1..self.at].parse().unwrap_or(u32::MAX);
                self.reference(Reference::Number(number), start)?
            }
            'k' => {
                let end = match self.peek() {
                    Some('<') => '>',
                    Some('{') => '}',
                    Some('\'') => '\'',
                    _ => return self.fail(GroupName, start),
                };
                self.at += 1;
                let Some(name) = self.take_until(end) else { return self.fail(GroupName, start) };
                self.reference(Reference::Name(name), start)?
            }
            'G' | 'K' | 'R' | 'X' | 'Z' | 'N' | 'h' | 'H' | 'C' => {
                return self.fail(Unsupported("this escape is not supported"), start);
            }
            'p' | 'P' | 'x' | 'u' | 'U' => {
                self.skip_code(c);
                Ast::Char(class::parse(&self.text[start..self.at], self.flags, start)?)
            }
            // What is neither a letter nor a digit stands for itself.
            c if !c.is_alphanumeric() => Ast::Char(CharSet::literal(c, self.flags)),
            _ => Ast::Char(class::parse(&self.text[start..self.at], self.flags, start)?),
        })
    }

    /// Skips the digits of a character's number or the name of a property.
    fn skip_code(&mut self, kind: char) {
        let digits = match kind {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 1,
        };
        if self.rest().starts_with('{') {
            self.at += self.rest().find('}').map_or(self.rest().len(), |len| len + 1);
        } else {
            self.at += self.rest().chars().take(digits).map(char::len_utf8).sum::<usize>();
        }
    }

    fn reference(&mut self, reference: Reference, at: usize) -> Result<Ast> {
        if self.flags.ignore_case {
            return self.fail(Unsupported("back-references do not ignore case"), at);
        }
        self.references.push((reference, at));
        Ok(Ast::Back { group: self.references.len() as u32 - 1 })
    }

    /// What begins with the parenthesis at `start`.
    fn group(&mut self, start: usize) -> Result<Option<Ast>> {
        if self.take("?#") {
            return if self.take_until(')').is_some() { Ok(None) } else { self.fail(UnclosedGroup, start) };
        }
        if !self.take("?") {
            return self.capture(None, start).map(Some);
        }
        if self.take("=") {
            return self.ahead(Polarity::Positive, start);
        }
        if self.take("!") {
            return self.ahead(Polarity::Negative, start);
        }
        if self.take(">") {
            return Ok(Some(Ast::Atomic(Box::new(self.body(start)?))));
        }
        for prefix in ["<=", "<!"] {
            if self.rest().starts_with(prefix) {
                return self.fail(Unsupported("look-behind is not supported"), start);
            }
        }
        for (prefix, end) in [("P<", '>'), ("<", '>'), ("'", '\'')] {
            if self.take(prefix) {
                let Some(name) = self.take_until(end) else { return self.fail(GroupName, start) };
                return self.capture(Some(name), start).map(Some);
            }
        }
        if self.take("P=") {
            let Some(name) = self.take_until(')') else { return self.fail(GroupName, start) };
            return self.reference(Reference::Name(name), start).map(Some);
        }
        if self.rest().starts_with(['(', 'R', '&', '|', '0', '1', '+', 'P']) {
            return self.fail(Unsupported("conditions and recursion are not supported"), start);
        }
        self.flags(start)
    }

    fn ahead(&mut self, polarity: Polarity, start: usize) -> Result<Option<Ast>> {
        Ok(Some(Ast::Ahead { polarity, body: Box::new(self.body(start)?) }))
    }

    fn capture(&mut self, name: Option<String>, start: usize) -> Result<Ast> {
        if let Some(name) = &name {
            let mut chars = name.chars();
            let is_name = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
                && chars.all(|c| c.is_alphanumeric() || "_.[]".contains(c));
            if !is_name {
                return self.fail(GroupName, start);
            }
            if self.names.iter().flatten().any(|other| other == name) {
                return self.fail(DuplicateName(name.clone()), start);
            }
        }
        let group = self.names.len() as u32;
        self.names.push(name);
        Ok(Ast::Capture { group, body: Box::new(self.body(start)?) })
    }

    /// The inside of a group and its end.
    fn body(&mut self, start: usize) -> Result<Ast> {
        let flags = self.flags;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(TooDeep, start);
        }
        let ast = self.alternation()?;
        self.depth -= 1;
        self.flags = flags;
        if self.take(")") { Ok(ast) } else { self.fail(UnclosedGroup, start) }
    }

    /// `(?i-s)` for the rest of the group around it, `(?i-s:…)` for its own.
    fn flags(&mut self, start: usize) -> Result<Option<Ast>> {
        let outside = self.flags;
        let (mut value, mut count) = (true, 0);
        loop {
            let (at, c) = (self.at, self.peek());
            self.at += c.map_or(0, char::len_utf8);
            let flags = &mut self.flags;
            let flag = match c {
                None => return self.fail(UnclosedGroup, start),
                Some(')') if count > 0 => return Ok(None),
                Some(':') => {
                    let ast = self.body(start)?;
                    self.flags = outside;
                    return Ok(Some(ast));
                }
                Some('-') if value => {
                    value = false;
                    continue;
                }
                Some('i') => &mut flags.ignore_case,
                Some('m') => &mut flags.multi_line,
                Some('s') => &mut flags.dot_all,
                Some('x') => &mut flags.ignore_space,
                Some('U') => &mut flags.swap_greed,
                Some('u') => &mut flags.unicode,
                Some(')') => return self.fail(UnknownGroup, start),
                Some(c) => return self.fail(UnknownFlag(c), at),
            };
            *flag = value;
            count += 1;
        }
    }

    /// Gives every reference the number of its group.
    fn resolve(&self, ast: &mut Ast) -> Result<()> {
        match ast {
            Ast::Back { group } => {
                let (reference, at) = &self.references[*group as usize];
                let (found, shown) = match reference {
                    Reference::Number(n) => (Some(*n as usize), n.to_string()),
                    Reference::Name(name) => {
                        (self.names.iter().position(|other| other.as_ref() == Some(name)), name.clone())
                    }
                };
                match found.filter(|&group| group < self.names.len()) {
                    Some(found) => *group = found as u32,
                    None => return self.fail(NoSuchGroup(shown), *at),
                }
                Ok(())
            }
            Ast::Concat(items) | Ast::Alternate(items) => {
                items.iter_mut().try_for_each(|item| self.resolve(item))
            }
            Ast::Repeat { body, .. }
            | Ast::Capture { body, .. }
            | Ast::Ahead { body, .. }
            | Ast::Atomic(body) => self.resolve(body),
            Ast::Empty | Ast::Char(_) | Ast::Assert(_) => Ok(()),
        }
    }
}
