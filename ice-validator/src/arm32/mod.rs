//! ARMv7-A in ARM state: bundles of four words.
//!
//! Every access but those through `sp` and loads at `pc` stands behind a `bic` that clears the two highest bits of its base,
//! every branch through a register behind one that clears these and the lowest four, every write to `sp` but those
//! of small steps before one. The two stand in one bundle, the first executes whenever the second does, and no
//! branch leads to the second. `r9` is the thread pointer, only read from. A bundle that begins with a certain
//! breakpoint holds data.

mod table;

use crate::marks::Marks;
use crate::verdict::{Features, Refusal, Rule, Text};
use crate::words::{BUNDLE, bits};
use table::{Class, D, Kind, M, N, S, UNCONDITIONAL, USUAL};

const THREAD: u32 = 9;
const SP: u32 = 13;
const PC: u32 = 15;

const ALWAYS: u32 = 14;
const EQUAL: u32 = 0;

/// Bits that no address of data has.
const DATA_MASK: u32 = 0xc000_0000;
/// Bits that no target of an indirect branch has.
const CODE_MASK: u32 = 0xc000_000f;
/// Code is below.
const CODE_END: u32 = 0x4000_0000;

/// `bkpt #0x5be0` at the start of a bundle: the rest of it is data.
const POOL: u32 = 0xe125_be70;
/// Words that are allowed as they are: nop, two traps, a breakpoint of the program, a pool's head.
const WORDS: [u32; 4] = [0xe320_f000, 0xe7fe_def0, 0xe7fe_deff, 0xe125_be7f];

/// A word with what the table says of it.
#[derive(Clone, Copy)]
struct Instruction {
    word: u32,
    class: Class,
    /// The registers that it writes, as a set.
    written: u32,
}

/// A constant of a data-processing instruction: eight bits, rotated.
const fn constant(word: u32) -> u32 {
    (word & 0xff).rotate_right(bits(word, 11, 8) * 2)
}

impl Instruction {
    fn new(word: u32) -> Option<Instruction> {
        let table = if word >> 28 == 15 { &UNCONDITIONAL } else { &USUAL };
        let found = table.find(word).or_else(|| WORDS.contains(&word).then_some(Class::PLAIN));
        let mut instruction = Instruction { word, class: found?, written: 0 };
        // Elements of vectors have a register there by which the base steps, or what means a number or nothing.
        if instruction.class.kind == Kind::Lanes && !instruction.steps_by_register() {
            instruction.class.reads = N;
        }
        Some(Instruction { written: instruction.find_written(), ..instruction })
    }

    /// The condition; what has none executes always.
    fn condition(self) -> u32 {
        if self.word >> 28 == 15 { ALWAYS } else { self.word >> 28 }
    }

    fn n(self) -> u32 {
        bits(self.word, 19, 16)
    }

    fn d(self) -> u32 {
        bits(self.word, 15, 12)
    }

    fn m(self) -> u32 {
        bits(self.word, 3, 0)
    }

    /// Whether the base is changed by a register.
    fn steps_by_register(self) -> bool {
        match self.class.kind {
            Kind::Register => true,
            Kind::Lanes => !matches!(self.m(), SP | PC),
            _ => false,
        }
    }

    /// The registers in these fields, as a set.
    #[inline]
    fn fields(self, fields: u8) -> u32 {
        let bit = |field: u8, register: u32| u32::from(fields & field != 0) << register;
        bit(N, self.n()) | bit(D, self.d()) | bit(S, bits(self.word, 11, 8)) | bit(M, self.m())
    }

    /// The registers that it loads or stores by a list.
    fn list(self) -> u32 {
        if self.class.kind == Kind::Multiple { self.word & 0xffff } else { 0 }
    }

    /// The registers that it writes, but for a stack pointer that takes a small step.
    #[inline]
    fn find_written(self) -> u32 {
        let set = self.fields(self.class.writes);
        if self.class.kind.is_access() { set | self.written_by_access() } else { set }
    }

    /// The registers that an access writes and no field names: the second of a pair, those of a list, the base.
    fn written_by_access(self) -> u32 {
        let loads = self.word & 1 << 20 != 0;
        let named = match self.class.kind {
            Kind::Double => self.fields(self.class.writes) << 1,
            Kind::ExclusiveDouble if loads => self.fields(D) << 1,
            Kind::Multiple if loads => self.list(),
            _ => 0,
        };
        let steps = self.steps_by_register() || self.steps_by_number() && self.n() != SP;
        named | u32::from(steps) << self.n()
    }

    /// Whether the base is changed by a number.
    fn steps_by_number(self) -> bool {
        let (before, back) = (self.word & 1 << 24 != 0, self.word & 1 << 21 != 0);
        match self.class.kind {
            Kind::Offset | Kind::Double => !before || back,
            Kind::Multiple | Kind::Floats => back,
            Kind::Lanes => self.m() == SP,
            _ => false,
        }
    }

    /// Whether later conditions may see other flags than before it.
    fn sets_flags(self) -> bool {
        match self.class.kind {
            Kind::Data => self.word & 1 << 20 != 0,
            Kind::Compare | Kind::Flags => true,
            _ => false,
        }
    }

    /// `bic R,…,#n` that leaves the flags and clears all of `mask`: the register that it confines.
    fn clears(self, mask: u32) -> Option<u32> {
        let is_bic = self.word >> 20 & 0xff == 0x3c && self.word >> 28 != 15;
        (is_bic && constant(self.word) & mask == mask).then_some(self.d())
    }

    /// `tst R,#n` that finds whether all of `mask` is clear.
    fn tests(self, mask: u32) -> Option<u32> {
        let is_tst = self.word >> 20 == 0xe31;
        (is_tst && constant(self.word) & mask == mask).then_some(self.n())
    }

    /// Whether it executes, with the same flags, whenever `second` behind it does.
    fn dominates(self, second: Instruction) -> bool {
        let condition = self.condition();
        !self.sets_flags() && (condition == ALWAYS || condition == second.condition())
    }
}

/// Judges ARM code.
///
/// # Errors
/// The first broken rule.
pub fn validate(features: Features, text: Text<'_>, marks: &mut Marks<'_>) -> Result<(), Refusal> {
    for (number, bytes) in text.bytes.chunks_exact(BUNDLE).enumerate() {
        let mut entries = 0;
        let mut before: Option<Instruction> = None;
        for (slot, bytes) in bytes.chunks_exact(4).enumerate() {
            let offset = number * BUNDLE + slot * 4;
            let refuse = |rule| Refusal { offset, rule };
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            if slot == 0 && word == POOL {
                entries = 1;
                break;
            }
            let instruction = Instruction::new(word).ok_or(refuse(Rule::UnknownInstruction))?;
            if instruction.class.kind == Kind::Divide && !features.has(Features::DIVIDE) {
                return Err(refuse(Rule::MissingFeature));
            }
            alone(instruction, slot).map_err(refuse)?;
            if !pair(features, before, instruction).map_err(refuse)? {
                entries |= 1 << (slot * 4);
            }
            if slot == 3 && waits(instruction) {
                return Err(refuse(Rule::CrossesBundle));
            }
            branch(instruction, text, offset, marks).map_err(refuse)?;
            before = Some(instruction);
        }
        marks.enter(number, BUNDLE, entries);
    }
    marks.check()
}

/// `ldr R,[r9]` and `ldr R,[r9,#4]`.
fn is_thread_pointer(word: u32) -> bool {
    word & 0xffff_0fff == 0xe599_0000 || word & 0xffff_0fff == 0xe599_0004
}

/// What one instruction must keep by itself.
fn alone(instruction: Instruction, slot: usize) -> Result<(), Rule> {
    let kind = instruction.class.kind;
    if matches!(kind, Kind::Call | Kind::CallRegister) && slot != 3 {
        return Err(Rule::MisplacedCall);
    }
    let used = instruction.written | instruction.fields(instruction.class.reads) | instruction.list();
    // A list without a register is none.
    if matches!(kind, Kind::Multiple) && instruction.list() == 0
        || matches!(kind, Kind::Floats) && instruction.word & 0xff == 0
    {
        return Err(Rule::UnknownInstruction);
    }
    if used & (1 << THREAD | 1 << PC) != 0 || matches!(kind, Kind::Double | Kind::ExclusiveDouble) {
        return special_registers(instruction, used);
    }
    Ok(())
}

/// What an instruction must keep that has to do with `r9` or `pc`, or with a pair of registers.
fn special_registers(instruction: Instruction, used: u32) -> Result<(), Rule> {
    let Class { kind, reads, .. } = instruction.class;
    let written = instruction.written;
    let is_flags = kind == Kind::Flags && instruction.d() == PC;
    if written & 1 << PC != 0 && !is_flags {
        return Err(Rule::UnknownInstruction);
    }
    if written & 1 << THREAD != 0 {
        return Err(Rule::ReservedRegister);
    }
    if used & 1 << THREAD != 0 && !is_thread_pointer(instruction.word) {
        let is_base = kind.is_access() && instruction.n() == THREAD;
        return Err(if is_base { Rule::UnmaskedAccess } else { Rule::ReservedRegister });
    }
    // Data-processing without a shift by a register may read pc; a load may have it as its base.
    let may_read = matches!(kind, Kind::Data | Kind::Compare) && reads & S == 0;
    let is_literal = kind.has_offset() && instruction.word & 1 << 20 != 0 && instruction.n() == PC;
    let others = if is_literal { reads & !N } else { reads };
    let reads_pc = instruction.fields(others) & 1 << PC != 0 && !may_read;
    // A pair is an even register and the next; the second is no field.
    let first = match kind {
        Kind::ExclusiveDouble if instruction.word & 1 << 20 == 0 => instruction.m(),
        Kind::Double | Kind::ExclusiveDouble => instruction.d(),
        _ => 0,
    };
    let is_pair = first & 1 == 0 && !matches!(first, 8 | 14);
    if reads_pc
        || !is_pair
        || instruction.list() & 1 << PC != 0
        || is_literal && instruction.steps_by_number()
    {
        return Err(Rule::UnknownInstruction);
    }
    Ok(())
}

/// Whether an instruction leaves an `sp` that the next one must confine.
fn waits(instruction: Instruction) -> bool {
    instruction.written & 1 << SP != 0 && instruction.clears(DATA_MASK) != Some(SP)
}

/// What an instruction and the one before it in its bundle must keep; whether it is the second of a pair.
fn pair(features: Features, before: Option<Instruction>, second: Instruction) -> Result<bool, Rule> {
    let mut is_second = false;
    if let Some(first) = before.filter(|&first| waits(first)) {
        if second.clears(DATA_MASK) != Some(SP) || !confines(first, second) {
            return Err(Rule::UnconfinedStackPointer);
        }
        is_second = true;
    }
    let kind = second.class.kind;
    if matches!(kind, Kind::JumpRegister | Kind::CallRegister) {
        let register = second.m();
        let is_masked =
            |first: &Instruction| first.clears(CODE_MASK) == Some(register) && first.dominates(second);
        if !before.as_ref().is_some_and(is_masked) {
            return Err(if before.is_none() { Rule::CrossesBundle } else { Rule::UnmaskedBranch });
        }
        is_second = true;
    }
    let base = second.n();
    if kind.is_access() && base != SP && base != PC && base != THREAD {
        let is_masked = |first: &Instruction| {
            let is_tested = features.has(Features::CONDITIONAL_ACCESS)
                && second.condition() == EQUAL
                && first.tests(DATA_MASK) == Some(base);
            first.clears(DATA_MASK) == Some(base) && first.dominates(second) || is_tested
        };
        if !before.as_ref().is_some_and(is_masked) {
            return Err(Rule::UnmaskedAccess);
        }
        is_second = true;
    }
    Ok(is_second)
}

/// Whether `second`, which masks `sp`, executes with the same flags whenever `first` does, which writes it.
fn confines(first: Instruction, second: Instruction) -> bool {
    let condition = second.condition();
    !first.sets_flags() && (condition == ALWAYS || condition == first.condition())
}

/// Enters the target of a branch that is said in the instruction.
fn branch(
    instruction: Instruction,
    text: Text<'_>,
    offset: usize,
    marks: &mut Marks<'_>,
) -> Result<(), Rule> {
    if !matches!(instruction.class.kind, Kind::Jump | Kind::Call) {
        return Ok(());
    }
    let distance = i64::from((instruction.word << 8) as i32 >> 6) + 8;
    let target = offset as i64 + distance;
    let address = i64::from(text.address) + target;
    if !(0..i64::from(CODE_END)).contains(&address) {
        return Err(Rule::BranchOutside);
    }
    marks.branch(target, text.bytes.len(), BUNDLE)
}
