//! Expressions in operands and data: sums, products and shifts of numbers; sums and differences of symbols.

use crate::reloc::SymbolId;

/// What an expression comes to: a number, to which the address of one symbol is added and that of another one subtracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) number: i64,
    pub(crate) plus: Option<SymbolId>,
    pub(crate) minus: Option<SymbolId>,
}

impl Sum {
    pub(crate) const fn of(number: i64) -> Sum {
        Sum { number, plus: None, minus: None }
    }

    /// The number, if it is nothing else.
    pub(crate) fn known(self) -> Option<i64> {
        (self.plus.is_none() && self.minus.is_none()).then_some(self.number)
    }

    fn negated(self) -> Sum {
        Sum { number: self.number.wrapping_neg(), plus: self.minus, minus: self.plus }
    }

    fn plus(self, other: Sum) -> Option<Sum> {
        let one = |a: Option<SymbolId>, b: Option<SymbolId>| match (a, b) {
            (Some(_), Some(_)) => None,
            (a, b) => Some(a.or(b)),
        };
        let number = self.number.wrapping_add(other.number);
        Some(Sum { number, plus: one(self.plus, other.plus)?, minus: one(self.minus, other.minus)? })
    }
}

/// What names stand for.
pub(crate) trait Lookup {
    /// What a name stands for, or `.`; `None` if there must be none.
    fn look_up(&mut self, name: &str) -> Option<Sum>;

    /// The same with differences that are known already as numbers.
    fn fold(&self, sum: Sum) -> Sum {
        sum
    }
}

/// No names.
struct Nothing;

impl Lookup for Nothing {
    fn look_up(&mut self, _: &str) -> Option<Sum> {
        None
    }
}

/// The operators between numbers, with how tightly they bind.
const OPERATORS: [(&str, u8); 8] =
    [("<<", 2), (">>", 2), ("*", 2), ("/", 2), ("+", 1), ("-", 1), ("|", 0), ("&", 0)];

/// The value of an expression of constants, if it is one.
pub(crate) fn evaluate(text: &str) -> Option<i64> {
    sum(text, &mut Nothing)?.known()
}

/// The value of an expression with names, if it is one.
pub(crate) fn sum(text: &str, names: &mut dyn Lookup) -> Option<Sum> {
    let mut left = text.trim();
    let value = expression(&mut left, 0, 0, names)?;
    left.is_empty().then_some(value)
}

/// Most parentheses and signs inside of each other.
const MAX_DEPTH: u32 = 64;

/// Operators that bind at least as tightly as `least`, at the start of the text.
fn expression(left: &mut &str, least: u8, depth: u32, names: &mut dyn Lookup) -> Option<Sum> {
    let mut value = primary(left, depth, names)?;
    while let Some(&(operator, binds)) =
        OPERATORS.iter().find(|&&(text, binds)| binds >= least && left.starts_with(text))
    {
        *left = left[operator.len()..].trim_start();
        let other = expression(left, binds + 1, depth, names)?;
        value = match operator {
            "+" => value.plus(other)?,
            "-" => value.plus(other.negated())?,
            _ => Sum::of(combined(operator, value.known()?, other.known()?)?),
        };
        value = names.fold(value);
    }
    Some(value)
}

fn combined(operator: &str, value: i64, other: i64) -> Option<i64> {
    let amount = u32::try_from(other).ok();
    match operator {
        "<<" => value.checked_shl(amount?),
        ">>" => value.checked_shr(amount?),
        "*" => Some(value.wrapping_mul(other)),
        "/" => value.checked_div(other),
        "|" => Some(value | other),
        _ => Some(value & other),
    }
}

/// Whether a byte may be in a name: also `@` and what is behind it.
pub(crate) fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._$@".contains(c)
}

/// A number, a name, or an expression in parentheses, with its signs.
fn primary(left: &mut &str, depth: u32, names: &mut dyn Lookup) -> Option<Sum> {
    let depth = depth.checked_add(1).filter(|&depth| depth < MAX_DEPTH)?;
    let (first, rest) = left.split_at_checked(1)?;
    match first {
        "-" | "~" | "+" => {
            *left = rest.trim_start();
            let value = primary(left, depth, names)?;
            match first {
                "-" => Some(value.negated()),
                "~" => Some(Sum::of(!value.known()?)),
                _ => Some(value),
            }
        }
        "(" => {
            *left = rest.trim_start();
            let value = expression(left, 0, depth, names)?;
            *left = left.strip_prefix(')')?.trim_start();
            Some(value)
        }
        _ => {
            let end = left.find(|c| !is_of_name(c)).unwrap_or(left.len());
            let word = &left[..end];
            *left = left[end..].trim_start();
            match literal(word) {
                Some(number) => Some(Sum::of(number)),
                None if word.is_empty() => None,
                None => names.look_up(word),
            }
        }
    }
}

/// A number as assemblers write it: `12`, `0x1f`, `1fh`, `0b11`, `017`.
fn literal(text: &str) -> Option<i64> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match () {
        () if lower.starts_with("0x") => (&lower[2..], 16),
        () if lower.ends_with('h') => (&lower[..lower.len() - 1], 16),
        () if lower.starts_with("0b") => (&lower[2..], 2),
        () if lower.starts_with('0') && lower.len() > 1 => (&lower[1..], 8),
        () => (&*lower, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(|value| value as i64)
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn expressions_have_their_values() {
        for (text, value) in [
            ("12", 12),
            ("-1", -1),
            ("0x10 + 3*4", 28),
            ("(1 << 4) | 3", 19),
            ("~0", -1),
            ("8-2-1", 5),
            ("0ffh", 255),
            ("0b101", 5),
            ("017", 15),
            ("0xffffffffffffffff", -1),
        ] {
            assert_eq!(evaluate(text), Some(value), "{text}");
        }
        for text in ["", "1 +", "foo", "(1", "1 2", "1 << 64", "1/0", "08"] {
            assert_eq!(evaluate(text), None, "{text}");
        }
        assert_eq!(evaluate(&"(".repeat(100_000)), None);
    }
}
