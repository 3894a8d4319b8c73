//! Numbers in operands and data: sums, products and shifts of constants.

/// The operators between numbers, with how tightly they bind.
const OPERATORS: [(&str, u8); 8] =
    [("<<", 2), (">>", 2), ("*", 2), ("/", 2), ("+", 1), ("-", 1), ("|", 0), ("&", 0)];

/// The value of an expression of constants, if it is one.
pub(crate) fn evaluate(text: &str) -> Option<i64> {
    let mut left = text.trim();
    let value = expression(&mut left, 0, 0)?;
    left.is_empty().then_some(value)
}

/// Most parentheses and signs inside of each other.
const MAX_DEPTH: u32 = 64;

/// Operators that bind at least as tightly as `least`, at the start of the text.
fn expression(left: &mut &str, least: u8, depth: u32) -> Option<i64> {
    let mut value = primary(left, depth)?;
    while let Some(&(operator, binds)) =
        OPERATORS.iter().find(|&&(text, binds)| binds >= least && left.starts_with(text))
    {
        *left = left[operator.len()..].trim_start();
        let other = expression(left, binds + 1, depth)?;
        let amount = u32::try_from(other).ok();
        value = match operator {
            "<<" => value.checked_shl(amount?)?,
            ">>" => value.checked_shr(amount?)?,
            "*" => value.wrapping_mul(other),
            "/" => value.checked_div(other)?,
            "+" => value.wrapping_add(other),
            "-" => value.wrapping_sub(other),
            "|" => value | other,
            _ => value & other,
        };
    }
    Some(value)
}

/// A number, or an expression in parentheses, with its signs.
fn primary(left: &mut &str, depth: u32) -> Option<i64> {
    let depth = depth.checked_add(1).filter(|&depth| depth < MAX_DEPTH)?;
    let (first, rest) = left.split_at_checked(1)?;
    match first {
        "-" | "~" | "+" => {
            *left = rest.trim_start();
            let value = primary(left, depth)?;
            Some(match first {
                "-" => value.wrapping_neg(),
                "~" => !value,
                _ => value,
            })
        }
        "(" => {
            *left = rest.trim_start();
            let value = expression(left, 0, depth)?;
            *left = left.strip_prefix(')')?.trim_start();
            Some(value)
        }
        _ => {
            let end = left.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(left.len());
            let value = literal(&left[..end])?;
            *left = left[end..].trim_start();
            Some(value)
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
