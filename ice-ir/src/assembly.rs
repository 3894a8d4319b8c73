//! Inline assembly: text of the target's assembler in the middle of a function, with its operands.
//!
//! Template and constraints are written as LLVM writes them (Language Reference, «Inline Assembler Expressions»): `$0`,
//! `${1:k}` and `$(att$|intel$)` in the template, `=r,=&{ax},0,*m,~{cc}` as constraints. Nothing here knows a machine:
//! what a letter stands for and what an instruction is, its back end says.
//!
//! *Contract.* The operands of [`InstData::Assembly`](crate::InstData::Assembly) are the inputs in order, and for each
//! indirect output its address, where the constraint stands. Its result is the first direct output; the others are
//! given by [`InstData::Output`](crate::InstData::Output).
//!
//! A statement whose text may jump ends its block, [`InstData::AssemblyJump`](crate::InstData::AssemblyJump): control goes on
//! behind the text, in the first of its targets, or in the one that the text jumps to. As with
//! [invokes](crate::exceptions) these have no other predecessor and no phis, so that nothing is moved on the edges, and each
//! begins with all outputs: an [`InstData::InvokeResult`](crate::InstData::InvokeResult) and those behind it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::entities::Block;

/// One inline assembly statement of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembly {
    /// The text, with its operands.
    pub template: String,
    /// The constraints, separated by commas.
    pub constraints: String,
    /// How the text is written.
    pub dialect: Dialect,
    /// Whether control may come again to where the text ends, as it does behind a call of `setjmp`.
    pub returns_twice: bool,
    /// Whether the text is instructions alone, without labels, symbols and directives: registers need not be known when it is read.
    pub is_instruction: bool,
    /// Where control goes on if the text may jump: behind it, and at each of its labels, in order. None is there twice.
    pub targets: Vec<Block>,
}

/// The syntax of a template. Machines with one syntax do not look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// That of AT&T: sources first. `$(`…`$|`…`$)` stands for its first part.
    #[default]
    Att,
    /// That of Intel: the destination first. `$(`…`$|`…`$)` stands for its second part.
    Intel,
}

/// What an operand is to the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The text writes it.
    Output,
    /// The text reads it.
    Input,
    /// The text destroys it, or what it names.
    Clobber,
    /// The text jumps there.
    Label,
}

/// Where an operand may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice<'a> {
    /// Where the letters of the machine say: `r`, `m`, `Yz`.
    Letters(&'a str),
    /// In the register of this name, or a thing that is no register: `cc`, `memory`.
    Named(&'a str),
    /// Where the output of this number is.
    Same(u32),
    /// In a flag: the condition of `{@ccz}`.
    Flag(&'a str),
}

/// As constraints have it.
impl fmt::Display for Choice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Letters(letters) if letters.len() > 1 => write!(f, "^{letters}"),
            Choice::Letters(letter) => f.write_str(letter),
            Choice::Named(name) => write!(f, "{{{name}}}"),
            Choice::Same(output) => write!(f, "{output}"),
            Choice::Flag(condition) => write!(f, "{{@cc{condition}}}"),
        }
    }
}

/// One constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint<'a> {
    /// What the operand is to the text.
    pub direction: Direction,
    /// Whether the operand is an address, and what is meant lies in memory there.
    pub is_indirect: bool,
    /// Whether an output is written before all inputs have been read.
    pub is_early: bool,
    /// Where it may be, of the first alternative.
    pub choices: Vec<Choice<'a>>,
}

impl<'a> Constraint<'a> {
    /// The first register that it names.
    pub fn name(&self) -> Option<&'a str> {
        self.choices.iter().find_map(|choice| match *choice {
            Choice::Named(name) => Some(name),
            _ => None,
        })
    }

    /// The output in whose place an input is.
    pub fn same_as(&self) -> Option<u32> {
        match self.choices[..] {
            [Choice::Same(output)] => Some(output),
            _ => None,
        }
    }

    /// Whether it stands for a value that the text makes.
    pub fn is_result(&self) -> bool {
        self.direction == Direction::Output && !self.is_indirect
    }

    /// Whether a value is given to the text for it: an input, or an address.
    pub fn is_operand(&self) -> bool {
        self.direction == Direction::Input || self.direction == Direction::Output && self.is_indirect
    }
}

/// Why constraints cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConstraintError {
    /// The number of the constraint.
    pub number: usize,
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "constraint {} of inline assembly cannot be read", self.number)
    }
}

impl core::error::Error for ConstraintError {}

impl Assembly {
    /// Whether the text is one instruction that makes one result of vectors and numbers, in registers, and does nothing else that a
    /// program could ask for but the flags of floats and saturation, which nobody is promised.
    #[must_use]
    pub fn is_computation(&self) -> bool {
        let mut constraints = self.constraints.split(',');
        let output = constraints.next().unwrap_or_default();
        let mut inputs = constraints.peekable();
        let has_inputs = inputs.peek().is_some();
        let are_registers = match output {
            "=x" | "=w" => inputs.all(|input| matches!(input, "x" | "w" | "0")),
            "=r" => inputs.all(|input| matches!(input, "x" | "w")),
            _ => false,
        };
        self.is_instruction && !self.returns_twice && has_inputs && are_registers
    }

    /// The constraints, in order.
    ///
    /// # Errors
    /// They are not written as LLVM writes them.
    pub fn operands(&self) -> Result<Vec<Constraint<'_>>, ConstraintError> {
        if self.constraints.is_empty() {
            return Ok(Vec::new());
        }
        let list = self.constraints.split(',').enumerate();
        list.map(|(number, text)| constraint(text).ok_or(ConstraintError { number })).collect()
    }
}

/// Reads one constraint.
fn constraint(text: &str) -> Option<Constraint<'_>> {
    let (direction, mut rest) = match text.as_bytes().first()? {
        b'=' => (Direction::Output, &text[1..]),
        b'~' => (Direction::Clobber, &text[1..]),
        b'!' => (Direction::Label, &text[1..]),
        _ => (Direction::Input, text),
    };
    let mut is = [false; 2];
    while let Some(mark) = rest.bytes().next().filter(|mark| b"*&%".contains(mark)) {
        is[0] |= mark == b'*';
        is[1] |= mark == b'&';
        rest = &rest[1..];
    }
    let mut choices = Vec::new();
    let first = rest.split('|').next()?;
    let mut left = first;
    while let Some(byte) = left.bytes().next() {
        let (choice, len) = match byte {
            b'{' => {
                let name = left[1..].split_once('}')?.0;
                let choice = name.strip_prefix("@cc").map_or(Choice::Named(name), Choice::Flag);
                (choice, name.len() + 2)
            }
            b'0'..=b'9' => {
                let len = left.bytes().take_while(u8::is_ascii_digit).count();
                (Choice::Same(left[..len].parse().ok()?), len)
            }
            b'^' => (Choice::Letters(left.get(1..3)?), 3),
            byte if byte.is_ascii_alphabetic() => (Choice::Letters(&left[..1]), 1),
            _ => return None,
        };
        choices.push(choice);
        left = left.get(len..)?;
    }
    let is_empty = choices.is_empty();
    (!is_empty).then_some(Constraint { direction, is_indirect: is[0], is_early: is[1], choices })
}

/// A piece of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// Text as it is.
    Text(&'a str),
    /// An operand, by the number of its constraint, with the letter that says how it is written.
    Operand(u32, Option<&'a str>),
    /// A number that no other statement has.
    Unique,
    /// What local labels begin with.
    Private,
    /// What comments begin with.
    Comment,
}

impl Assembly {
    /// The pieces of the template, in order; of alternatives those of the dialect. `None` stands for a `$` behind which
    /// nothing stands that has a meaning.
    pub fn pieces(&self) -> impl Iterator<Item = Option<Piece<'_>>> {
        let mut left = self.template.as_str();
        // In a pair of alternatives: which one it is.
        let mut alternative = None;
        let wanted = usize::from(self.dialect == Dialect::Intel);
        core::iter::from_fn(move || {
            loop {
                if left.is_empty() {
                    return None;
                }
                let (piece, rest) = piece(left, &mut alternative);
                left = rest;
                if piece != Some(Piece::Text("")) && alternative.is_none_or(|now| now == wanted) {
                    return Some(piece);
                }
            }
        })
    }
}

/// The first piece of a text that is not empty, and what is behind it. Marks of alternatives are empty pieces.
fn piece<'a>(text: &'a str, alternative: &mut Option<usize>) -> (Option<Piece<'a>>, &'a str) {
    let Some(behind) = text.strip_prefix('$') else {
        let (plain, rest) = text.split_at(text.find('$').unwrap_or(text.len()));
        return (Some(Piece::Text(plain)), rest);
    };
    let nothing = Some(Piece::Text(""));
    let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let number = behind[..digits].parse().ok().map(|number| Piece::Operand(number, None));
        return (number, &behind[digits..]);
    }
    if let Some((inside, rest)) = behind.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
        return (braced(inside), rest);
    }
    match behind.bytes().next() {
        Some(b'$') => (Some(Piece::Text(&behind[..1])), &behind[1..]),
        Some(b'(') => {
            *alternative = Some(0);
            (nothing, &behind[1..])
        }
        Some(b'|') => {
            *alternative = alternative.map(|now| now + 1);
            (nothing, &behind[1..])
        }
        Some(b')') => {
            *alternative = None;
            (nothing, &behind[1..])
        }
        _ => (None, behind),
    }
}

/// What stands in braces: a number with a modifier, or the name of something.
fn braced(inside: &str) -> Option<Piece<'_>> {
    let (number, modifier) = match inside.split_once(':') {
        Some((number, modifier)) => (number, Some(modifier)),
        None => (inside, None),
    };
    match (number.parse(), modifier) {
        (Ok(number), modifier) => Some(Piece::Operand(number, modifier)),
        (Err(_), Some("uid")) if number.is_empty() => Some(Piece::Unique),
        (Err(_), Some("private")) if number.is_empty() => Some(Piece::Private),
        (Err(_), Some("comment")) if number.is_empty() => Some(Piece::Comment),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Choice::{Flag, Letters, Named, Same};
    use alloc::string::ToString;
    use alloc::vec;

    fn assembly(template: &str, constraints: &str, dialect: Dialect) -> Assembly {
        Assembly {
            template: template.into(),
            constraints: constraints.into(),
            dialect,
            ..Assembly::default()
        }
    }

    #[test]
    fn constraints_are_read() {
        let assembly = assembly("", "=&r,={ax},=*m,={@ccz},0,rim,^Yz,*m,~{cc},~{memory}", Dialect::Att);
        let operands = assembly.operands().unwrap();
        let choices: Vec<_> = operands.iter().map(|operand| operand.choices.clone()).collect();
        assert_eq!(choices[0], [Letters("r")]);
        assert_eq!(choices[3], [Flag("z")]);
        assert_eq!(choices[4], [Same(0)]);
        assert_eq!(choices[5], [Letters("r"), Letters("i"), Letters("m")]);
        assert_eq!(
            choices[6..],
            [vec![Letters("Yz")], vec![Letters("m")], vec![Named("cc")], vec![Named("memory")]]
        );
        let written: Vec<_> =
            choices.iter().map(|of| of.iter().map(Choice::to_string).collect::<String>()).collect();
        assert_eq!(written.join(","), "r,{ax},m,{@ccz},0,rim,^Yz,m,{cc},{memory}");
        assert!(operands[0].is_early && operands[0].is_result());
        assert!(operands[2].is_operand() && !operands[2].is_result() && operands[7].is_indirect);
        assert_eq!(operands[8].direction, Direction::Clobber);
        assert_eq!(constraint("r|m").unwrap().choices, [Letters("r")]);
        for wrong in ["", "=", "{ax", "^Y", "r m", "=@ccz"] {
            assert_eq!(constraint(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn templates_are_read() {
        let text = "mov$(l $1, $0$|\t$0, $1$)\n.L${:uid}: $$1 ${2:k}";
        let pieces =
            |dialect| assembly(text, "", dialect).pieces().map(Option::unwrap).collect::<Vec<_>>().len();
        assert_eq!([Dialect::Att, Dialect::Intel].map(pieces), [11, 11]);
        let att = assembly(text, "", Dialect::Att);
        let pieces: Vec<_> = att.pieces().map(Option::unwrap).collect();
        let expected = [
            Piece::Text("mov"),
            Piece::Text("l "),
            Piece::Operand(1, None),
            Piece::Text(", "),
            Piece::Operand(0, None),
            Piece::Text("\n.L"),
            Piece::Unique,
            Piece::Text(": "),
            Piece::Text("$"),
            Piece::Text("1 "),
            Piece::Operand(2, Some("k")),
        ];
        assert_eq!(pieces, expected);
        let wrong = assembly("a $x", "", Dialect::Att);
        assert_eq!(wrong.pieces().collect::<Vec<_>>()[1], None);
    }
}
