//! What an instruction reads and writes, read off its word (MD00086, tables ).
//!
//! Registers are bits: the general ones, the pairs of floating-point ones, hi and lo as one, the condition codes as one. A
//! floating-point register counts as its pair, whatever the width. Register 0 is none. Who reads a register
//! and writes it as well may count as writing it alone: that is in the way of no fewer others.

use super::operand::{Cond, Gpr};

/// What there is to be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effects {
    pub reads: u64,
    pub writes: u64,
    pub memory: Access,
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    None,
    Load,
    Store,
}

const HI_LO: u64 = 1 << 48;
const FLAGS: u64 = 1 << 49;

/// A general register.
const fn general(number: u32) -> u64 {
    (1 << number) & !1
}

/// The general register in a field.
const fn gpr(word: u32, field: u32) -> u64 {
    general(word >> field & 31)
}

/// The pair of the floating-point register in a field.
const fn fpr(word: u32, field: u32) -> u64 {
    1 << (32 + (word >> (field + 1) & 15))
}

const S: u32 = 21;
const T: u32 = 16;
const D: u32 = 11;
/// The field fd of floating-point instructions, whose fs is where others have rd.
const FD: u32 = 6;

const fn of(reads: u64, writes: u64) -> Option<Effects> {
    Some(Effects { reads, writes, memory: Access::None })
}

const fn accessing(memory: Access, reads: u64, writes: u64) -> Option<Effects> {
    Some(Effects { reads, writes, memory })
}

/// The effects of an instruction that may change places with others; `None` for control, traps, barriers and what is
/// not known.
pub(super) const fn of_word(word: u32) -> Option<Effects> {
    let (s, t, d) = (gpr(word, S), gpr(word, T), gpr(word, D));
    match word >> 26 {
        0x00 => special(word),
        0x08..=0x0f => of(s, t),
        0x11 => coprocessor1(word),
        0x13 => coprocessor1x(word),
        0x1c => match word & 63 {
            0x00 | 0x01 | 0x04 | 0x05 => of(s | t, HI_LO),
            0x02 => of(s | t, d | HI_LO),
            0x20 | 0x21 => of(s, d),
            _ => None,
        },
        0x1f => match word & 63 {
            0x00 | 0x04 => of(s, t),
            0x20 => of(t, d),
            _ => None,
        },
        0x20..=0x26 => accessing(Access::Load, s, t),
        0x28..=0x2b | 0x2e => accessing(Access::Store, s | t, 0),
        0x31 | 0x35 => accessing(Access::Load, s, fpr(word, T)),
        0x39 | 0x3d => accessing(Access::Store, s | fpr(word, T), 0),
        _ => None,
    }
}

const fn special(word: u32) -> Option<Effects> {
    let (s, t, d) = (gpr(word, S), gpr(word, T), gpr(word, D));
    match word & 63 {
        0x00 | 0x02 | 0x03 => of(t, d),
        0x01 => of(s | FLAGS, d),
        0x04 | 0x06 | 0x07 | 0x0a | 0x0b | 0x20..=0x27 | 0x2a | 0x2b => of(s | t, d),
        0x10 | 0x12 => of(HI_LO, d),
        0x11 | 0x13 => of(s, HI_LO),
        0x18..=0x1b => of(s | t, HI_LO),
        _ => None,
    }
}

const fn coprocessor1(word: u32) -> Option<Effects> {
    let (t, ft, fs, fd) = (gpr(word, T), fpr(word, T), fpr(word, D), fpr(word, FD));
    match (word >> S & 31, word & 63) {
        (0x00 | 0x03, _) => of(fs, t),
        (0x04 | 0x07, _) => of(t, fs),
        (0x10 | 0x11, 0x00..=0x03) => of(fs | ft, fd),
        (0x10 | 0x11, 0x11) => of(fs | FLAGS, fd),
        (0x10 | 0x11, 0x12 | 0x13) => of(fs | t, fd),
        (0x10 | 0x11, 0x30..=0x3f) => of(fs | ft, FLAGS),
        (0x10 | 0x11 | 0x14, 0x04..=0x0f | 0x20..=0x24) => of(fs, fd),
        _ => None,
    }
}

const fn coprocessor1x(word: u32) -> Option<Effects> {
    let (s, t, fs, fd) = (gpr(word, S), gpr(word, T), fpr(word, D), fpr(word, FD));
    match word & 63 {
        0x00 | 0x01 => accessing(Access::Load, s | t, fd),
        0x08 | 0x09 => accessing(Access::Store, s | t | fs, 0),
        0x20..=0x39 => of(fpr(word, S) | fpr(word, T) | fs, fd),
        _ => None,
    }
}

/// What a jump or call reads and writes; `None` for anything else.
pub(super) const fn of_jump(word: u32) -> Option<Effects> {
    let returned = general(Gpr::RA.number() as u32);
    match (word >> 26, word & 63) {
        (0x02, _) => of(0, 0),
        (0x03, _) => of(0, returned),
        (0x00, 0x08) => of(gpr(word, S), 0),
        (0x00, 0x09) => of(gpr(word, S), gpr(word, D)),
        _ => None,
    }
}

/// A branch that is in the code.
pub(super) struct Branch {
    pub reads: u64,
    /// Whether it executes its slot only if it is taken.
    pub is_likely: bool,
    pub is_always: bool,
}

/// What is known of the word of a branch; `None` for `bal` and anything else.
pub(super) const fn of_branch_word(word: u32) -> Option<Branch> {
    let (s, t) = (gpr(word, S), gpr(word, T));
    let (reads, is_likely) = match (word >> 26, word >> T & 31) {
        (0x01, 0 | 1) => (s, false),
        (0x01, 2 | 3) => (s, true),
        (0x04..=0x07, _) => (s | t, false),
        (0x14..=0x17, _) => (s | t, true),
        (0x11, _) if word >> S & 31 == 0x08 => (FLAGS, word >> 17 & 1 != 0),
        _ => return None,
    };
    Some(Branch { reads, is_likely, is_always: word >> 16 == 0x1000 })
}

/// What a branch to a label reads.
pub(super) fn of_branch(cond: Option<Cond>) -> Effects {
    let register = |register: Gpr| general(register.number().into());
    let reads = match cond {
        None => 0,
        Some(Cond::Eq(s, t) | Cond::Ne(s, t)) => register(s) | register(t),
        Some(Cond::Lez(s) | Cond::Gtz(s) | Cond::Ltz(s) | Cond::Gez(s)) => register(s),
        Some(Cond::True(_) | Cond::False(_)) => FLAGS,
    };
    Effects { reads, writes: 0, memory: Access::None }
}

impl Effects {
    /// Whether an instruction with these effects may come behind those with the `others`, before which it is.
    pub const fn may_follow(self, others: Effects) -> bool {
        let is_apart = self.writes & (others.reads | others.writes) == 0 && self.reads & others.writes == 0;
        let is_ordered = match (self.memory, others.memory) {
            (Access::None, _) | (_, Access::None) | (Access::Load, Access::Load) => true,
            (Access::Store, _) | (_, Access::Store) => false,
        };
        is_apart && is_ordered
    }

    /// Those of both.
    pub fn and(self, other: Effects) -> Effects {
        Effects {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
            memory: self.memory.max(other.memory),
        }
    }
}

/// Whether an instruction of confined code belongs to the next one: the mask of a base or of a target, in `$t6` and `$t7`,
/// or what writes the stack pointer, whose mask comes next.
pub(super) const fn begins_group(word: u32) -> bool {
    const STACK: u64 = general(Gpr::SP.number() as u32);
    let is_mask = word >> 26 == 0 && word & 0x7ff == 0x24 && matches!(word >> T & 31, 14 | 15);
    let writes_stack = match of_word(word) {
        Some(effects) => effects.writes & STACK != 0,
        None => false,
    };
    is_mask || writes_stack
}

/// Whether an instruction is a branch, jump or call.
pub(super) const fn has_slot(word: u32) -> bool {
    /// Opcodes of branches and jumps to fixed places, one bit each.
    const ALWAYS: u64 = 0xfe | 0xf << 0x14;
    match word >> 26 {
        0x00 => matches!(word & 63, 0x08 | 0x09),
        0x11 => word >> S & 31 == 0x08,
        primary => ALWAYS >> primary & 1 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::text;
    use super::*;

    /// What the operands of a row name, for a word of it.
    fn named(operands: &str, word: u32) -> u64 {
        operands.chars().fold(0, |all, letter| {
            all | match letter {
                's' => gpr(word, S),
                't' => gpr(word, T),
                'd' => gpr(word, D),
                'R' => fpr(word, S),
                'T' => fpr(word, T),
                'S' => fpr(word, D),
                'D' => fpr(word, FD),
                'C' | 'M' => FLAGS,
                _ => 0,
            }
        })
    }

    /// Every row with an effect reads or writes exactly the registers that its text names, and nearly all have one.
    #[test]
    fn registers_of_the_text_are_read_or_written() {
        // Fields of five bits with 17, 18, 20 and 22, and all others set.
        let fields = 17 << S | 18 << T | 20 << D | 22 << FD | 0xfc00_003f;
        let mut without = alloc::vec![];
        let mut count = 0;
        for row in text::rows() {
            let word = row.bits | fields & !row.fixed;
            match of_word(word) {
                None => without.push(row.mnemonic),
                Some(Effects { reads, writes, .. }) => {
                    let named = named(row.operands, word);
                    assert_eq!((reads | writes) & !HI_LO, named, "{} {word:#x}", row.mnemonic);
                    count += 1;
                }
            }
        }
        let known = ["b", "ll", "sc", "cfc1", "ctc1", "tge", "tgeu", "tlt", "tltu", "teq", "tne", "j", "jal"];
        let control =
            ["jr", "jalr", "break", "syscall", "sync", "rdhwr", "beq", "bne", "blez", "bgtz", "bltz"];
        let branches = ["bgez", "bc1f", "bc1t", "bal"];
        let likely = ["beql", "bnel", "blezl", "bgtzl", "bltzl", "bgezl", "bc1fl", "bc1tl"];
        assert_eq!(without, [&known[..], &control, &branches, &likely].concat());
        assert!(count > 110, "{count}");
    }

    #[test]
    fn stores_are_in_the_way_of_accesses() {
        let [load, store, other] = [0x8c82_0000, 0xac83_0000, 0x0064_1021].map(|word| of_word(word).unwrap());
        assert!(!load.may_follow(store) && !store.may_follow(load) && !store.may_follow(store));
        let other_load = of_word(0x8c88_0000).unwrap();
        assert!(load.may_follow(other_load) && !load.may_follow(other), "one register is written twice");
        assert!(other_load.may_follow(other));
    }

    #[test]
    fn halves_of_products_stay_behind_them() {
        let [mult, mflo, mul] = [0x0064_0018, 0x0000_2812, 0x7109_3802].map(|word| of_word(word).unwrap());
        assert!(!mult.may_follow(mflo) && !mflo.may_follow(mul) && !mul.may_follow(mflo));
    }
}
