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
use decode::{Instruction, NONE, decode};
use op::Op;

/// Bytes of a bundle.
const BUNDLE: usize = 32;

/// What is known in the middle of a bundle.
struct Bundle<'a> {
    bytes: &'a [u8],
    /// Where the instruction begins that is looked at.
    at: usize,
    /// Where those before it begin, the nearest first; [`BUNDLE`] where there is none.
    before: [usize; 4],
    /// The register whose upper half the instruction before has cleared.
    confined: u8,
    /// Places that branches may lead to, as bits.
    entries: u32,
}

impl<'a> Bundle<'a> {
    fn new(bytes: &'a [u8]) -> Bundle<'a> {
        Bundle { bytes, at: 0, before: [BUNDLE; 4], confined: NONE, entries: 0 }
    }

    /// Whether the instruction `back` places before this one consists of these bytes.
    fn is_before(&self, back: usize, bytes: &[u8]) -> bool {
        let start = self.before[back - 1];
        let end = if back == 1 { self.at } else { self.before[back - 2] };
        start < BUNDLE && self.bytes.get(start..end) == Some(bytes)
    }

    /// This instruction and the `back` before it can only be entered with the one before them.
    fn close(&mut self, back: usize) {
        self.entries &= !(1 << self.at);
        for &start in &self.before[..back] {
            self.entries &= !(1 << start);
        }
    }

    /// Goes on to the next instruction.
    fn advance(&mut self, length: usize) {
        self.before.copy_within(0..3, 1);
        self.before[0] = self.at;
        self.at += length;
    }
}

/// The recommended padding of 10 to 15 bytes: more than one prefix 66, and a segment.
fn long_nop(bytes: &[u8]) -> Option<usize> {
    let words = bytes.iter().take(6).take_while(|&&byte| byte == 0x66).count();
    let rest = bytes.get(words..)?;
    (words > 0 && rest.starts_with(&[0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0])).then_some(words + 9)
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
    for (number, bytes) in text.bytes.chunks_exact(BUNDLE).enumerate() {
        let start = number * BUNDLE;
        let mut bundle = Bundle::new(bytes);
        while bundle.at < BUNDLE {
            step::<LONG>(features, text.bytes.len(), start, &mut bundle, marks)
                .map_err(|rule| Refusal { offset: start + bundle.at, rule })?;
        }
        if LONG && long::is_pointer(bundle.confined) {
            return Err(Refusal { offset: start + bundle.before[0], rule: Rule::UnconfinedStackPointer });
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
    let bytes = &bundle.bytes[bundle.at..];
    bundle.entries |= 1 << bundle.at;
    let prefixed = match bytes[0] {
        0x66 => long_nop(bytes),
        0x65 if !LONG => thread_pointer(bytes),
        _ => None,
    };
    if let Some(length) = prefixed {
        if LONG && long::is_pointer(bundle.confined) {
            return Err(Rule::UnconfinedStackPointer);
        }
        bundle.confined = NONE;
        bundle.advance(length);
        return Ok(());
    }
    let instruction = decode::<LONG>(bytes)?;
    let op = instruction.op;
    if op.has(Op::SSE4) && !features.has(Features::SSE4) || op.has(Op::BITS) && !features.has(Features::BITS)
    {
        return Err(Rule::MissingFeature);
    }
    if op.has(Op::BRANCH) {
        let distance = immediate(&bytes[..instruction.length], instruction.immediate);
        marks.branch((start + bundle.at + instruction.length) as i64 + distance, end, BUNDLE)?;
    }
    if LONG {
        long::check(bundle, &instruction)?;
    } else if op.has(Op::INDIRECT) {
        masked_branch(bundle, &instruction)?;
    }
    bundle.advance(instruction.length);
    Ok(())
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
