//! x86-32 and x86-64: bundles of 32 bytes, read instruction by instruction.
//!
//! | file | what it holds |
//! |---|---|
//! | `op` | what a row of a table says |
//! | `tables` | the allowed instructions |
//! | `decode` | one instruction |
//! | `long` | what x86-64 wants besides: confined operands, stack pointers, strings |
//!
//! A walk over the bundles marks every place where an instruction begins that may be entered, and every place to which
//! a direct branch leads that is no bundle. Instructions that rely on the one before them are not marked. In the end no
//! branch may lead to a place that is not marked.

mod decode;
mod long;
mod op;
mod tables;

use crate::marks::Marks;
use crate::verdict::{Features, Refusal, Rule, Text};
use decode::{Instruction, NONE, Window, decode};
use op::Op;

/// Bytes of a bundle.
const BUNDLE: usize = 32;

/// What is known in the middle of a bundle.
struct Bundle<'a> {
    bytes: &'a Window,
    /// Where the instruction begins that is looked at.
    at: usize,
    /// Where the four before it begin, a byte each, the nearest in the lowest; [`NONE`] where there is none.
    before: u32,
    /// The register whose upper half the instruction before has cleared.
    confined: u8,
    /// Places that branches may lead to, as bits.
    entries: u32,
}

impl<'a> Bundle<'a> {
    fn new(bytes: &'a Window) -> Bundle<'a> {
        Bundle { bytes, at: 0, before: u32::MAX, confined: NONE, entries: 0 }
    }

    /// Where the instruction `back` places before this one begins.
    fn start(&self, back: usize) -> usize {
        (self.before >> (8 * (back - 1)) & 0xff) as usize
    }

    /// Whether the instruction `back` places before this one consists of these bytes.
    fn is_before(&self, back: usize, bytes: &[u8]) -> bool {
        let start = self.start(back);
        let end = if back == 1 { self.at } else { self.start(back - 1) };
        start < BUNDLE && self.bytes.get(start..end) == Some(bytes)
    }

    /// This instruction and the `back` before it can only be entered with the one before them.
    fn close(&mut self, back: usize) {
        self.entries &= !(1 << self.at);
        for place in 1..=back {
            self.entries &= !(1u32.wrapping_shl(self.start(place) as u32));
        }
    }

    /// Goes on to the next instruction.
    fn advance(&mut self, length: usize) {
        self.before = self.before << 8 | self.at as u32;
        self.at += length;
    }
}

/// The recommended padding of 6 and of 9 to 15 bytes, whose prefixes no other instruction has.
fn long_nop(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(&[0x66, 0x0f, 0x1f, 0x44, 0, 0]) {
        return Some(6);
    }
    let words = bytes.iter().take(6).take_while(|&&byte| byte == 0x66).count();
    let segment = usize::from(bytes.get(words) == Some(&0x2e));
    let length = words + segment + 8;
    let is_nop = bytes.get(words + segment..length)? == [0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0];
    (is_nop && words > 0 && (words == 1 || segment == 1)).then_some(length)
}

/// `mov %gs:0, R` and `mov %gs:4, R`: the thread pointer of x86-32.
fn thread_pointer(bytes: &[u8]) -> Option<usize> {
    let length = match *bytes {
        [0x65, 0xa1, ..] => 6,
        [0x65, 0x8b, modrm, ..] if modrm & 0xc7 == 0x05 => 7,
        _ => return None,
    };
    matches!(bytes.get(length - 4..length)?, [0 | 4, 0, 0, 0]).then_some(length)
}

/// Judges x86 code.
///
/// # Errors
/// The first broken rule.
pub fn validate<const LONG: bool>(
    features: Features,
    text: Text<'_>,
    marks: &mut Marks<'_>,
) -> Result<(), Refusal> {
    let mut window = [0; 64];
    for (number, bytes) in text.bytes.chunks_exact(BUNDLE).enumerate() {
        let start = number * BUNDLE;
        window[..BUNDLE].copy_from_slice(bytes);
        let mut bundle = Bundle::new(&window);
        while bundle.at < BUNDLE {
            step::<LONG>(features, text.bytes.len(), start, &mut bundle, marks)
                .map_err(|rule| Refusal { offset: start + bundle.at, rule })?;
        }
        if LONG && long::is_pointer(bundle.confined) {
            return Err(Refusal { offset: start + bundle.start(1), rule: Rule::UnconfinedStackPointer });
        }
        marks.enter(number, BUNDLE, bundle.entries);
    }
    marks.check()
}

/// Judges one instruction and goes on to the next.
#[inline]
fn step<const LONG: bool>(
    features: Features,
    end: usize,
    start: usize,
    bundle: &mut Bundle<'_>,
    marks: &mut Marks<'_>,
) -> Result<(), Rule> {
    bundle.entries |= 1 << bundle.at;
    let first = bundle.bytes[bundle.at % 64];
    if (first == 0x66 || !LONG && first == 0x65)
        && let Some(length) = prefixed::<LONG>(&bundle.bytes[bundle.at..BUNDLE])
    {
        if LONG && long::is_pointer(bundle.confined) {
            return Err(Rule::UnconfinedStackPointer);
        }
        bundle.confined = NONE;
        bundle.advance(length);
        return Ok(());
    }
    let instruction = decode::<LONG>(bundle.bytes, bundle.at)?;
    let op = instruction.op;
    if op.has_any(Op::SSE4.and(Op::BITS).and(Op::BRANCH)) {
        has_features(features, op)?;
        if op.has(Op::BRANCH) {
            let next = bundle.at + instruction.length;
            let distance = immediate(&bundle.bytes[..next], instruction.immediate);
            marks.branch((start + next) as i64 + distance, end, BUNDLE)?;
        }
    }
    if LONG {
        long::check(bundle, &instruction)?;
    } else if op.has(Op::INDIRECT) {
        masked_branch(bundle, &instruction)?;
    }
    bundle.advance(instruction.length);
    Ok(())
}

/// The length of an instruction with prefixes that no other has.
fn prefixed<const LONG: bool>(bytes: &[u8]) -> Option<usize> {
    long_nop(bytes).or_else(|| thread_pointer(bytes).filter(|_| !LONG))
}

fn has_features(features: Features, op: Op) -> Result<(), Rule> {
    let lacks = |flag, feature| op.has(flag) && !features.has(feature);
    let is_missing = lacks(Op::SSE4, Features::SSE4) || lacks(Op::BITS, Features::BITS);
    if is_missing { Err(Rule::MissingFeature) } else { Ok(()) }
}

/// The last bytes of an instruction as a number with sign.
fn immediate(bytes: &[u8], size: usize) -> i64 {
    match bytes {
        [.., a, b, c, d] if size == 4 => i32::from_le_bytes([*a, *b, *c, *d]).into(),
        [.., a] => (*a as i8).into(),
        [] => 0,
    }
}

/// On x86-32 `and $-32,R` stands before a branch through R.
fn masked_branch(bundle: &mut Bundle<'_>, branch: &Instruction) -> Result<(), Rule> {
    if !bundle.is_before(1, &[0x83, 0xe0 | branch.base, 0xe0]) {
        return Err(Rule::UnmaskedBranch);
    }
    bundle.close(0);
    Ok(())
}
