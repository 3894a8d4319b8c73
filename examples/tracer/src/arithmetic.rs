//! What operators do to values: the one definition, which the interpreter calls and traces agree with.

use crate::ast::{Binary, Builtin, Compare};
use crate::value::{Heap, Tag, Value};
use std::cmp::Ordering;

/// Why an operation has no result.
pub type Reason = String;

/// The quotient toward minus infinity; wraps where it does not fit. The divisor is not zero.
pub fn floor_div(a: i64, b: i64) -> i64 {
    let quotient = a.wrapping_div(b);
    let is_inexact = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
    quotient - i64::from(is_inexact)
}

/// The remainder with the sign of the divisor, which is not zero.
pub fn floor_mod(a: i64, b: i64) -> i64 {
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

/// The remainder of floats with the sign of the divisor.
pub fn float_mod(a: f64, b: f64) -> f64 {
    a - (a / b).floor() * b
}

/// `b op c` for what most programs do; none for the rest.
#[inline(always)]
pub fn usual_binary(op: Binary, b: Value, c: Value) -> Option<Value> {
    if b.tag == Tag::Int && c.tag == Tag::Int {
        let (b, c) = (b.payload as i64, c.payload as i64);
        return Some(match op {
            Binary::Add => Value::int(b.wrapping_add(c)),
            Binary::Sub => Value::int(b.wrapping_sub(c)),
            Binary::Mul => Value::int(b.wrapping_mul(c)),
            Binary::Div => Value::float(b as f64 / c as f64),
            Binary::IntDiv if c > 0 => Value::int(b.div_euclid(c)),
            Binary::Mod if c > 0 => Value::int(b.rem_euclid(c)),
            Binary::And => Value::int(b & c),
            Binary::Or => Value::int(b | c),
            Binary::Xor => Value::int(b ^ c),
            Binary::Shl => Value::int(b.wrapping_shl(c as u32)),
            Binary::Shr => Value::int(b.wrapping_shr(c as u32)),
            Binary::IntDiv | Binary::Mod => return None,
        });
    }
    let (b, c) = (b.number()?, c.number()?);
    Some(Value::float(match op {
        Binary::Add => b + c,
        Binary::Sub => b - c,
        Binary::Mul => b * c,
        Binary::Div => b / c,
        _ => return None,
    }))
}

/// `b op c` for all values.
#[inline(never)]
pub fn binary(heap: &mut Heap, op: Binary, b: Value, c: Value) -> Result<Value, Reason> {
    if let Some(value) = usual_binary(op, b, c) {
        return Ok(value);
    }
    if let (Binary::Add, Some(first), Some(second)) = (op, b.text(), c.text()) {
        return Ok(heap.make_text(&[first, second].concat())?);
    }
    if b.tag == Tag::Int && c.tag == Tag::Int {
        // The divisor is not positive.
        let (b, c) = (b.payload as i64, c.payload as i64);
        return match (op, c) {
            (_, 0) => Err(String::from("division by zero")),
            (Binary::IntDiv, _) => Ok(Value::int(floor_div(b, c))),
            _ => Ok(Value::int(floor_mod(b, c))),
        };
    }
    match (op, b.number(), c.number()) {
        (Binary::IntDiv, Some(b), Some(c)) => Ok(Value::float((b / c).floor())),
        (Binary::Mod, Some(b), Some(c)) => Ok(Value::float(float_mod(b, c))),
        _ => Err(format!("{op:?} of {:?} and {:?}", b.tag, c.tag)),
    }
}

/// The order of two numbers or strings.
fn order(b: Value, c: Value) -> Option<Option<Ordering>> {
    if b.tag == Tag::Int && c.tag == Tag::Int {
        return Some(Some((b.payload as i64).cmp(&(c.payload as i64))));
    }
    if let (Some(b), Some(c)) = (b.number(), c.number()) {
        return Some(b.partial_cmp(&c));
    }
    Some(Some(b.text()?.cmp(c.text()?)))
}

/// `b op c`.
#[inline(always)]
pub fn compare(op: Compare, b: Value, c: Value) -> Result<bool, Reason> {
    if b.tag == Tag::Int && c.tag == Tag::Int {
        return Ok(holds(op, Some((b.payload as i64).cmp(&(c.payload as i64)))));
    }
    any_compare(op, b, c)
}

#[inline(never)]
fn any_compare(op: Compare, b: Value, c: Value) -> Result<bool, Reason> {
    match (order(b, c), op) {
        (Some(order), _) => Ok(holds(op, order)),
        (None, Compare::Eq) => Ok(b.tag == c.tag && b.payload == c.payload),
        (None, Compare::Ne) => Ok(b.tag != c.tag || b.payload != c.payload),
        (None, _) => Err(format!("{op:?} of {:?} and {:?}", b.tag, c.tag)),
    }
}

/// Whether a comparison holds for an order; there is none between a number and a NaN.
pub fn holds(op: Compare, order: Option<Ordering>) -> bool {
    match op {
        Compare::Eq => order == Some(Ordering::Equal),
        Compare::Ne => order != Some(Ordering::Equal),
        Compare::Lt => order == Some(Ordering::Less),
        Compare::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Compare::Gt => order == Some(Ordering::Greater),
        Compare::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// `-b`.
pub fn negate(b: Value) -> Result<Value, Reason> {
    match b.tag {
        Tag::Int => Ok(Value::int((b.payload as i64).wrapping_neg())),
        Tag::Float => Ok(Value::float(-f64::from_bits(b.payload))),
        other => Err(format!("the negative of {other:?}")),
    }
}

/// `b[c]`.
#[inline(always)]
pub fn index(b: Value, c: Value) -> Result<Value, Reason> {
    if c.tag == Tag::Int
        && let Some(value) = b.element(c.payload as i64)
    {
        return Ok(value);
    }
    index_of_text(b, c)
}

#[inline(never)]
fn index_of_text(b: Value, c: Value) -> Result<Value, Reason> {
    if let (Some(text), Tag::Int) = (b.text(), c.tag)
        && let Some(&byte) = text.get(c.payload as usize)
    {
        return Ok(Value::int(byte.into()));
    }
    Err(why_no_element(b, c))
}

/// Why a value has no element.
#[inline(never)]
pub fn why_no_element(b: Value, c: Value) -> Reason {
    match (b.tag, c.tag) {
        (Tag::Array | Tag::Text, Tag::Int) => format!("index {} is out of bounds", c.payload as i64),
        (b, c) => format!("{b:?} indexed with {c:?}"),
    }
}

/// Bytes of the text of a value before its arrays are cut short: arrays may contain themselves.
const LONGEST: usize = 1 << 16;

/// Text of a value, as it is printed.
pub fn write(value: Value, text: &mut Vec<u8>) {
    write_nested(value, text, 0);
}

fn write_nested(value: Value, text: &mut Vec<u8>, depth: u32) {
    let plain = match value.tag {
        Tag::Nil => String::from("nil"),
        Tag::Bool => (value.payload != 0).to_string(),
        Tag::Int => (value.payload as i64).to_string(),
        Tag::Float => format!("{:?}", f64::from_bits(value.payload)),
        Tag::Closure => String::from("function"),
        Tag::Cell => String::from("cell"),
        Tag::Text => return text.extend_from_slice(value.text().unwrap_or_default()),
        Tag::Array if depth == 8 || text.len() > LONGEST => String::from("[...]"),
        Tag::Array => {
            text.push(b'[');
            for n in 0..value.array_len().unwrap_or(0) {
                if n > 0 {
                    text.extend_from_slice(b", ");
                }
                if text.len() > LONGEST {
                    text.extend_from_slice(b"...");
                    break;
                }
                write_nested(value.element(n as i64).unwrap_or(Value::NIL), text, depth + 1);
            }
            String::from("]")
        }
    };
    text.extend_from_slice(plain.as_bytes());
}

/// What a builtin without output makes of its arguments.
#[inline(never)]
pub fn builtin(heap: &mut Heap, builtin: Builtin, args: &[Value]) -> Result<Value, Reason> {
    let none = || format!("{builtin:?} of {:?}", args.iter().map(|arg| arg.tag).collect::<Vec<_>>());
    let int = |n: usize| match args[n].tag {
        Tag::Int => Ok(args[n].payload as i64),
        _ => Err(none()),
    };
    match builtin {
        Builtin::Print => Ok(Value::NIL),
        Builtin::Len => match (args[0].array_len(), args[0].text()) {
            (Some(len), _) => Ok(Value::int(len as i64)),
            (_, Some(text)) => Ok(Value::int(text.len() as i64)),
            _ => Err(none()),
        },
        Builtin::Array => {
            let len = u64::try_from(int(0)?).map_err(|_| String::from("an array of negative length"))?;
            Ok(heap.make_array(len, args[1])?)
        }
        Builtin::Push => match heap.push(args[0], args[1])? {
            true => Ok(Value::NIL),
            false => Err(none()),
        },
        Builtin::Pop => match (args[0].tag, args[0].pop()) {
            (_, Some(value)) => Ok(value),
            (Tag::Array, None) => Err(String::from("pop of an empty array")),
            _ => Err(none()),
        },
        Builtin::Sqrt => args[0].number().map(|number| Value::float(number.sqrt())).ok_or_else(none),
        Builtin::Float => args[0].number().map(Value::float).ok_or_else(none),
        Builtin::Int => match args[0].tag {
            Tag::Int => Ok(args[0]),
            Tag::Float => {
                let number = f64::from_bits(args[0].payload);
                let fits = number > -9.3e18 && number < 9.2e18;
                if fits { Ok(Value::int(number as i64)) } else { Err(format!("{number} is no integer")) }
            }
            _ => Err(none()),
        },
        Builtin::Str => {
            let mut text = Vec::new();
            write(args[0], &mut text);
            Ok(heap.make_text(&text)?)
        }
        Builtin::Char => match u8::try_from(int(0)?) {
            Ok(byte) => Ok(heap.make_text(&[byte])?),
            Err(_) => Err(format!("{} is no byte", int(0)?)),
        },
        Builtin::Slice => {
            let text = args[0].text().ok_or_else(none)?;
            let part = text.get(int(1)?.max(0) as usize..int(2)?.clamp(0, text.len() as i64) as usize);
            Ok(heap.make_text(part.unwrap_or_default())?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_and_remainders_belong_together() {
        for a in [-7, -6, -1, 0, 1, 6, 7, i64::MIN, i64::MAX] {
            for b in [-3, -2, -1, 1, 2, 3, i64::MIN, i64::MAX] {
                let (quotient, rest) = (floor_div(a, b), floor_mod(a, b));
                assert_eq!(quotient.wrapping_mul(b).wrapping_add(rest), a, "{a} by {b}");
                assert!(rest == 0 || (rest < 0) == (b < 0), "{a} by {b}");
                assert!(rest.unsigned_abs() < b.unsigned_abs(), "{a} by {b}");
                if b > 0 {
                    let usual =
                        |op| usual_binary(op, Value::int(a), Value::int(b)).expect("a number").payload;
                    assert_eq!(usual(Binary::IntDiv) as i64, quotient);
                    assert_eq!(usual(Binary::Mod) as i64, rest);
                }
            }
        }
    }
}
