//! Conditions and types behind mnemonics: `addseq`, `vadd.i16`.

/// The types of a row, as text:
///
/// | text | types |
/// |---|---|
/// | nothing | none may be said |
/// | `any` | any, or none: it says nothing |
/// | `F` | `f32`, and `f64` (bit 8) |
/// | `=s32.f32` | these |
/// | `i8,16@20` | integers of these sizes; log2 of the bytes at bit 20. `s`, `u`, `f`, `p`: of this kind only; `x`: of any kind |
/// | `su16,32@20-` | signed or (bit 24) unsigned; of half the bytes |
/// | `x64@` | the size goes nowhere |
///
/// What the type puts into the word, the bits of a lane, and whether registers are doublewords.
pub(super) fn matched(types: &str, suffix: &str) -> Option<(u32, u32, bool)> {
    let is_all = |text: &str| suffix.eq_ignore_ascii_case(text);
    match types {
        "" => return is_all("").then_some((0, 0, false)),
        "any" => return Some((0, 0, false)),
        "F" if is_all("f32") => return Some((0, 32, false)),
        "F" => return is_all("f64").then_some((1 << 8, 64, true)),
        _ => {}
    }
    if let Some(literal) = types.strip_prefix('=') {
        return is_all(literal).then_some((0, 0, false));
    }
    let (wanted, place) = types.split_once('@')?;
    let digits = wanted.find(|c: char| c.is_ascii_digit())?;
    let (kinds, sizes) = wanted.split_at(digits);
    let at = suffix.find(|c: char| c.is_ascii_digit())?;
    let (kind, size) = suffix.split_at(at);
    let kind = kind.to_ascii_lowercase();
    let is_kind = match kinds {
        "x" => matches!(&*kind, "" | "i" | "s" | "u" | "f" | "p"),
        "i" => matches!(&*kind, "i" | "s" | "u"),
        "su" => matches!(&*kind, "s" | "u"),
        kinds => kind == kinds,
    };
    let lane: u32 = sizes.split(',').find(|&known| known == size && is_kind)?.parse().ok()?;
    let sign = u32::from(kinds == "su" && kind == "u") << 24;
    let (place, is_half) = match place.strip_suffix('-') {
        Some(place) => (place, true),
        None => (place, false),
    };
    let code = (lane / 8).ilog2();
    let code = if is_half { code.checked_sub(1)? } else { code };
    let bits = match place {
        "" => 0,
        place => code << place.parse::<u32>().ok()?,
    };
    Some((sign | bits, lane, false))
}

/// What may stand behind a mnemonic before its type: whether it sets flags, and the number of its condition, if it has one.
pub(super) fn suffix(text: &str) -> Option<(bool, Option<u32>)> {
    if let Some(number) = condition(text) {
        return Some((false, number));
    }
    let number = condition(text.strip_prefix('s')?)?;
    Some((true, number))
}

/// The number of a condition; `None` inside for no text.
fn condition(text: &str) -> Option<Option<u32>> {
    match text {
        "" => Some(None),
        "al" => Some(Some(14)),
        _ => cond_number(text).map(Some),
    }
}

/// The number of a condition by its name in small letters (A8.3).
pub(super) fn cond_number(name: &str) -> Option<u32> {
    const NAMES: [&str; 16] =
        ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "hs", "lo"];
    let number = NAMES.iter().position(|&known| known == name)? as u32;
    Some(if number < 14 { number } else { number - 12 })
}
