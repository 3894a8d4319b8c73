//! Data and alignment.

use super::expression::Sum;
use super::names::Names;
use super::{AssemblyErrorKind, split};
use alloc::vec::Vec;

/// What a directive appends.
pub(super) enum Datum {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The value of an expression in so many bytes.
    Value(Sum, u32),
}

/// Most bytes that one directive fills.
const MOST_FILLED: i64 = 1 << 24;

/// What a directive of data appends, where a word has `word` bytes; `None` if it is no such one.
pub(super) fn data(
    name: &str,
    operands: &str,
    word: u32,
    names: &mut Names<'_>,
) -> Option<Result<Vec<Datum>, AssemblyErrorKind>> {
    let size = match name {
        "byte" => 1,
        "short" | "value" | "2byte" | "hword" => 2,
        "long" | "int" | "4byte" => 4,
        "quad" | "8byte" | "xword" | "dword" => 8,
        "word" => word,
        "ascii" | "asciz" | "string" => return Some(strings(operands, name != "ascii")),
        "zero" | "skip" | "space" | "fill" => {
            return Some(filled(name, operands, names).ok_or(AssemblyErrorKind::Operand));
        }
        "uleb128" | "sleb128" => {
            let bytes = split(operands).map(|text| Some(leb128(names.number(text)?, name == "sleb128")));
            let bytes: Option<Vec<_>> = bytes.collect();
            return Some(
                bytes
                    .map(|all| all.into_iter().map(Datum::Bytes).collect())
                    .ok_or(AssemblyErrorKind::Operand),
            );
        }
        _ => return None,
    };
    let each = split(operands).map(|text| names.sum(text).map(|sum| Datum::Value(sum, size)));
    Some(each.collect::<Option<Vec<_>>>().ok_or(AssemblyErrorKind::Operand))
}

/// `.zero count, byte`; `.fill count, size, value`.
fn filled(name: &str, operands: &str, names: &mut Names<'_>) -> Option<Vec<Datum>> {
    let numbers = split(operands).map(|text| names.number(text)).collect::<Option<Vec<_>>>()?;
    let (count, size, value) = match (name, &numbers[..]) {
        ("fill", &[count]) => (count, 1, 0),
        ("fill", &[count, size]) => (count, size, 0),
        ("fill", &[count, size, value]) => (count, size, value),
        (_, &[count]) => (count, 1, 0),
        (_, &[count, value]) => (count, 1, value),
        _ => return None,
    };
    let is_small = (0..=8).contains(&size) && (0..=MOST_FILLED).contains(&count.checked_mul(size.max(1))?);
    let unit = value.to_le_bytes();
    is_small.then(|| Vec::from([Datum::Bytes(unit[..size as usize].repeat(count as usize))]))
}

/// Strings with their escapes.
fn strings(operands: &str, has_end: bool) -> Result<Vec<Datum>, AssemblyErrorKind> {
    let mut bytes = Vec::new();
    for text in split(operands) {
        let inside = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let inside = inside.ok_or(AssemblyErrorKind::Operand)?;
        unescape(inside, &mut bytes).ok_or(AssemblyErrorKind::Operand)?;
        bytes.extend(has_end.then_some(0));
    }
    Ok(Vec::from([Datum::Bytes(bytes)]))
}

fn unescape(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let mut left = text.as_bytes();
    while let Some((&byte, rest)) = left.split_first() {
        left = rest;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (&escape, rest) = left.split_first()?;
        left = rest;
        out.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            b'\\' | b'"' => escape,
            b'0'..=b'7' => {
                let digits = 1 + left.iter().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                let number = core::iter::once(&escape).chain(&left[..digits - 1]);
                let number = number.fold(0u32, |number, digit| number * 8 + u32::from(digit - b'0'));
                left = &left[digits - 1..];
                number as u8
            }
            b'x' => {
                let digits = left.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                let text = core::str::from_utf8(left.get(..digits)?).ok()?;
                left = &left[digits..];
                u8::from_str_radix(text.get(text.len().saturating_sub(2)..)?, 16).ok()?
            }
            _ => return None,
        });
    }
    Some(())
}

/// A number in bytes of seven bits (DWARF 4, 7.6).
fn leb128(mut number: i64, is_signed: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (number & 0x7f) as u8;
        number = if is_signed { number >> 7 } else { ((number as u64) >> 7) as i64 };
        let is_last = match is_signed {
            true => number == -i64::from(byte >> 6),
            false => number == 0,
        };
        bytes.push(if is_last { byte } else { byte | 0x80 });
        if is_last {
            return bytes;
        }
    }
}

/// The alignment in bytes, and with what is filled, that a directive asks for; `None` if it is no such one. That of `.align` is
/// a power of two on some machines.
pub(super) fn alignment(
    name: &str,
    operands: &str,
    align_is_power: bool,
    names: &mut Names<'_>,
) -> Option<Result<(u32, Option<u8>), AssemblyErrorKind>> {
    let is_power = match name {
        "p2align" => true,
        "balign" => false,
        "align" => align_is_power,
        _ => return None,
    };
    let mut operands = split(operands);
    let mut read = || {
        let number = names.number(operands.next()?)?;
        let fill = operands.next().filter(|text| !text.is_empty());
        let fill = match fill {
            Some(fill) => Some(names.number(fill)? as u8),
            None => None,
        };
        let bytes = match is_power {
            true => 1u32.checked_shl(u32::try_from(number).ok()?),
            false => u32::try_from(number.max(1)).ok().filter(|bytes| bytes.is_power_of_two()),
        };
        bytes.filter(|&bytes| bytes <= 1 << 16).map(|bytes| (bytes, fill))
    };
    Some(read().ok_or(AssemblyErrorKind::Operand))
}
