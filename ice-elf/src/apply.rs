//! Applying relocations: from addresses to the bits of a field, for those who place code themselves.
//!
//! A relocation type is a row of a table: of *what* the address is taken, from which *base* it is counted, and which *field*
//! has the result. The value is always `of + addend - base`; the letters of the ABIs mean
//!
//! | letter | is |
//! |---|---|
//! | S | the address of the symbol ([`Of::Symbol`]); for a function also that of code which jumps there (L) |
//! | GOT + G | the address of the symbol's entry in the table of addresses ([`Of::Entry`]) |
//! | GOT | the address of the table ([`Of::Table`], [`Base::Table`]) |
//! | P | the address of the field ([`Base::Place`]) |
//! | Page(S + A), Page(P) | the pages of 4 KiB with the address and with the field ([`Base::Page`], which means both) |
//!
//! so that a client gives two addresses, which [`Rule::of`] and [`Rule::base`] name, and need not know types. Types of
//! thread-local storage have no row, nor has what MIPS counts from the table. Where MIPS keeps addends in fields, that of
//! the high half of an address has its low bits in the field of the low half, which the client adds.
//!
//! Sources: System V ABI, x86-64 (4.4.1, table 4.9) and Intel386 (4.3), MIPS RISC Processor Supplement (3rd edition, 4-18 f.);
//! ELF for the ARM Architecture, IHI 0044F (4.6.1); ELF for the Arm 64-bit Architecture, 2023Q3 (5.7).
//! A value that the field cannot hold is an error. Cost: constant.

use core::fmt;

use crate::elf;

/// What has the address that a relocation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The symbol.
    Symbol,
    /// The entry of the table of addresses that holds the symbol's address.
    Entry,
    /// The table of addresses.
    Table,
}

/// Where counting begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// At address zero.
    Zero,
    /// At the field.
    Place,
    /// At the start of the page of 4 KiB that the field is in; the address is taken for the start of its page, too.
    Page,
    /// At the table of addresses.
    Table,
}

/// The bits that a relocation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// 32 bits of a machine whose addresses have as many: values are modulo 2^32.
    Word32,
    /// 32 bits that the processor extends with zeros.
    Unsigned32,
    /// 32 bits that the processor extends with the sign.
    Signed32,
    /// 32 bits that may be extended in either way.
    Either32,
    /// 64 bits.
    Word64,
    /// The 24 bits of words of `bl`; an odd value goes to Thumb code and makes it `blx`.
    ArmCall,
    /// The 24 bits of words of `b` and of conditional `bl`, which cannot change to Thumb code.
    ArmJump,
    /// The 16 bits of `movw`: the low half of the value.
    ArmLow,
    /// The 16 bits of `movt`: the high half of the value.
    ArmHigh,
    /// The 26 bits of `j` and `jal`: an address in the same 256 MiB, in words.
    MipsJump,
    /// The low 16 bits of the value.
    MipsLow,
    /// The high 16 bits of the value, and one more where the low half is extended with its sign.
    MipsHigh,
    /// The 26 bits of `b` and `bl`: words of a distance.
    Aarch64Branch,
    /// The 19 bits of `b.cond`, `cbz` and loads of literals: words of a distance.
    Aarch64Near,
    /// The 14 bits of `tbz` and `tbnz`: words of a distance.
    Aarch64Test,
    /// The 21 bits of `adr`.
    Aarch64Address,
    /// The 21 bits of `adrp`: a distance in pages.
    Aarch64Page,
    /// The 12 bits of an addition, or of a load or store of so many bytes (as log2): the low 12 bits of the value, counted in
    /// them.
    Aarch64Low(u8),
}

/// What a relocation type means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What the address is of.
    pub of: Of,
    /// Where it is counted from.
    pub base: Base,
    /// What is written.
    pub field: Field,
}

/// Why a relocation cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misfit {
    /// The field reaches past the end of the bytes.
    OutOfBounds,
    /// The field cannot hold the value.
    OutOfRange {
        /// The value.
        value: i64,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::OutOfBounds => f.write_str("the field reaches past the end"),
            Misfit::OutOfRange { value } => write!(f, "{value:#x} does not fit into the field"),
        }
    }
}

impl core::error::Error for Misfit {}

/// The rows of x86-64.
#[rustfmt::skip]
const fn x86_64(r_type: u32) -> Option<(Of, Base, Field)> {
    Some(match r_type {
        elf::R_X86_64_64            => (Of::Symbol, Base::Zero,  Field::Word64),
        elf::R_X86_64_32            => (Of::Symbol, Base::Zero,  Field::Unsigned32),
        elf::R_X86_64_32S           => (Of::Symbol, Base::Zero,  Field::Signed32),
        elf::R_X86_64_PC32          => (Of::Symbol, Base::Place, Field::Signed32),
        elf::R_X86_64_PC64          => (Of::Symbol, Base::Place, Field::Word64),
        elf::R_X86_64_PLT32         => (Of::Symbol, Base::Place, Field::Signed32),
        elf::R_X86_64_GOTPCREL      => (Of::Entry,  Base::Place, Field::Signed32),
        elf::R_X86_64_GOTPCRELX     => (Of::Entry,  Base::Place, Field::Signed32),
        elf::R_X86_64_REX_GOTPCRELX => (Of::Entry,  Base::Place, Field::Signed32),
        elf::R_X86_64_GOTPC32       => (Of::Table,  Base::Place, Field::Signed32),
        _ => return None,
    })
}

/// The rows of i386.
#[rustfmt::skip]
const fn i386(r_type: u32) -> Option<(Of, Base, Field)> {
    Some(match r_type {
        elf::R_386_32     => (Of::Symbol, Base::Zero,  Field::Word32),
        elf::R_386_PC32   => (Of::Symbol, Base::Place, Field::Word32),
        elf::R_386_PLT32  => (Of::Symbol, Base::Place, Field::Word32),
        elf::R_386_GOT32  => (Of::Entry,  Base::Table, Field::Word32),
        elf::R_386_GOT32X => (Of::Entry,  Base::Table, Field::Word32),
        elf::R_386_GOTOFF => (Of::Symbol, Base::Table, Field::Word32),
        elf::R_386_GOTPC  => (Of::Table,  Base::Place, Field::Word32),
        _ => return None,
    })
}

/// The rows of ARM.
#[rustfmt::skip]
const fn arm(r_type: u32) -> Option<(Of, Base, Field)> {
    Some(match r_type {
        elf::R_ARM_ABS32        => (Of::Symbol, Base::Zero,  Field::Word32),
        elf::R_ARM_REL32        => (Of::Symbol, Base::Place, Field::Word32),
        elf::R_ARM_GOT_PREL     => (Of::Entry,  Base::Place, Field::Word32),
        elf::R_ARM_CALL         => (Of::Symbol, Base::Place, Field::ArmCall),
        elf::R_ARM_JUMP24       => (Of::Symbol, Base::Place, Field::ArmJump),
        elf::R_ARM_MOVW_ABS_NC  => (Of::Symbol, Base::Zero,  Field::ArmLow),
        elf::R_ARM_MOVT_ABS     => (Of::Symbol, Base::Zero,  Field::ArmHigh),
        elf::R_ARM_MOVW_PREL_NC => (Of::Symbol, Base::Place, Field::ArmLow),
        elf::R_ARM_MOVT_PREL    => (Of::Symbol, Base::Place, Field::ArmHigh),
        _ => return None,
    })
}

/// The rows of MIPS.
#[rustfmt::skip]
const fn mips(r_type: u32) -> Option<(Of, Base, Field)> {
    Some(match r_type {
        elf::R_MIPS_32   => (Of::Symbol, Base::Zero, Field::Word32),
        elf::R_MIPS_26   => (Of::Symbol, Base::Zero, Field::MipsJump),
        elf::R_MIPS_HI16 => (Of::Symbol, Base::Zero, Field::MipsHigh),
        elf::R_MIPS_LO16 => (Of::Symbol, Base::Zero, Field::MipsLow),
        _ => return None,
    })
}

/// The rows of AArch64.
#[rustfmt::skip]
const fn aarch64(r_type: u32) -> Option<(Of, Base, Field)> {
    Some(match r_type {
        elf::R_AARCH64_ABS64                => (Of::Symbol, Base::Zero,  Field::Word64),
        elf::R_AARCH64_ABS32                => (Of::Symbol, Base::Zero,  Field::Either32),
        elf::R_AARCH64_PREL64               => (Of::Symbol, Base::Place, Field::Word64),
        elf::R_AARCH64_PREL32               => (Of::Symbol, Base::Place, Field::Either32),
        elf::R_AARCH64_CALL26               => (Of::Symbol, Base::Place, Field::Aarch64Branch),
        elf::R_AARCH64_JUMP26               => (Of::Symbol, Base::Place, Field::Aarch64Branch),
        elf::R_AARCH64_CONDBR19             => (Of::Symbol, Base::Place, Field::Aarch64Near),
        elf::R_AARCH64_LD_PREL_LO19         => (Of::Symbol, Base::Place, Field::Aarch64Near),
        elf::R_AARCH64_TSTBR14              => (Of::Symbol, Base::Place, Field::Aarch64Test),
        elf::R_AARCH64_ADR_PREL_LO21        => (Of::Symbol, Base::Place, Field::Aarch64Address),
        elf::R_AARCH64_ADR_PREL_PG_HI21     => (Of::Symbol, Base::Page,  Field::Aarch64Page),
        elf::R_AARCH64_ADD_ABS_LO12_NC      => (Of::Symbol, Base::Zero,  Field::Aarch64Low(0)),
        elf::R_AARCH64_LDST8_ABS_LO12_NC    => (Of::Symbol, Base::Zero,  Field::Aarch64Low(0)),
        elf::R_AARCH64_LDST16_ABS_LO12_NC   => (Of::Symbol, Base::Zero,  Field::Aarch64Low(1)),
        elf::R_AARCH64_LDST32_ABS_LO12_NC   => (Of::Symbol, Base::Zero,  Field::Aarch64Low(2)),
        elf::R_AARCH64_LDST64_ABS_LO12_NC   => (Of::Symbol, Base::Zero,  Field::Aarch64Low(3)),
        elf::R_AARCH64_LDST128_ABS_LO12_NC  => (Of::Symbol, Base::Zero,  Field::Aarch64Low(4)),
        elf::R_AARCH64_ADR_GOT_PAGE         => (Of::Entry,  Base::Page,  Field::Aarch64Page),
        elf::R_AARCH64_LD64_GOT_LO12_NC     => (Of::Entry,  Base::Zero,  Field::Aarch64Low(3)),
        _ => return None,
    })
}

/// Bytes of a page of AArch64's `adrp`.
const PAGE: u64 = 4096;

impl Rule {
    /// What a relocation type of a machine (`EM_…`) means; `None` for types without a row.
    pub const fn new(machine: u16, r_type: u32) -> Option<Rule> {
        let row = match machine {
            elf::EM_X86_64 => x86_64(r_type),
            elf::EM_386 => i386(r_type),
            elf::EM_ARM => arm(r_type),
            elf::EM_MIPS => mips(r_type),
            elf::EM_AARCH64 => aarch64(r_type),
            _ => None,
        };
        match row {
            Some((of, base, field)) => Some(Rule { of, base, field }),
            None => None,
        }
    }

    /// Writes the field at the start of `bytes`: `of` plus `addend`, counted from `base`.
    ///
    /// # Errors
    /// The field cannot hold that, or is not there. The bytes are then as they were.
    pub fn apply(self, bytes: &mut [u8], of: u64, base: u64, addend: i64) -> Result<(), Misfit> {
        let address = of.wrapping_add_signed(addend);
        let value = match self.base {
            Base::Page => (address & !(PAGE - 1)).wrapping_sub(base & !(PAGE - 1)),
            _ => address.wrapping_sub(base),
        } as i64;
        if self.field == Field::Word64 {
            let field: &mut [u8; 8] = bytes.first_chunk_mut().ok_or(Misfit::OutOfBounds)?;
            *field = value.to_le_bytes();
            return Ok(());
        }
        let field: &mut [u8; 4] = bytes.first_chunk_mut().ok_or(Misfit::OutOfBounds)?;
        let word = self.field.with_value(u32::from_le_bytes(*field), value);
        *field = word.ok_or(Misfit::OutOfRange { value })?.to_le_bytes();
        Ok(())
    }
}

/// Condition `always` of ARM, where `blx` has no condition (A8.8.25).
const ARM_ALWAYS: u32 = 0xe;

/// The word of a branch with this distance in bytes in its 24 bits.
fn arm_branch(word: u32, distance: i64) -> Option<u32> {
    let fits = distance % 4 == 0 && (-(1 << 25)..1 << 25).contains(&distance);
    fits.then_some(word & 0xff00_0000 | (distance >> 2) as u32 & 0x00ff_ffff)
}

/// The word of `movw` or `movt` with these bits.
const fn arm_half(word: u32, bits: u16) -> u32 {
    let bits = bits as u32;
    word & 0xfff0_f000 | (bits & 0xf000) << 4 | bits & 0xfff
}

/// The word with a distance in words in this many bits from `lsb` on.
fn aarch64_words(word: u32, distance: i64, lsb: u32, bits: u32) -> Option<u32> {
    let reach = 1 << (bits + 1);
    let fits = distance % 4 == 0 && (-reach..reach).contains(&distance);
    let mask = (1 << bits) - 1;
    fits.then_some(word & !(mask << lsb) | ((distance >> 2) as u32 & mask) << lsb)
}

/// The word of `adr` or `adrp` with this number in its 21 bits: the two low ones apart.
fn aarch64_address(word: u32, number: i64) -> Option<u32> {
    let fits = (-(1 << 20)..1 << 20).contains(&number);
    let (low, high) = (number as u32 & 3, (number >> 2) as u32 & 0x7_ffff);
    fits.then_some(word & 0x9f00_001f | low << 29 | high << 5)
}

impl Field {
    /// The word that has the field, with a final value in it; `None` if it does not fit. A field of 64 bits is not in a
    /// word.
    pub fn with_value(self, word: u32, value: i64) -> Option<u32> {
        // Distances of 32-bit machines go around the end of memory.
        let near = i64::from(value as i32);
        match self {
            Field::Word32 => Some(value as u32),
            Field::Unsigned32 => u32::try_from(value).ok(),
            Field::Signed32 => i32::try_from(value).ok().map(|value| value as u32),
            Field::Either32 => (-(1 << 31)..1 << 32).contains(&value).then_some(value as u32),
            Field::Word64 => None,
            Field::ArmCall if near & 1 != 0 && word >> 28 == ARM_ALWAYS => {
                // `blx`: bit 24 counts half words.
                let half = (near as u32 >> 1 & 1) << 24;
                arm_branch(0xfa00_0000 | half, near & !3)
            }
            Field::ArmCall | Field::ArmJump => arm_branch(word, near),
            Field::ArmLow => Some(arm_half(word, value as u16)),
            Field::ArmHigh => Some(arm_half(word, (value >> 16) as u16)),
            Field::MipsJump => {
                let fits = value % 4 == 0 && (0..1 << 28).contains(&value);
                fits.then_some(word & 0xfc00_0000 | (value >> 2) as u32)
            }
            Field::MipsLow => Some(word & 0xffff_0000 | value as u32 & 0xffff),
            Field::MipsHigh => Some(word & 0xffff_0000 | (value as u32).wrapping_add(0x8000) >> 16),
            Field::Aarch64Branch => aarch64_words(word, value, 0, 26),
            Field::Aarch64Near => aarch64_words(word, value, 5, 19),
            Field::Aarch64Test => aarch64_words(word, value, 5, 14),
            Field::Aarch64Address => aarch64_address(word, value),
            Field::Aarch64Page => aarch64_address(word, value / PAGE as i64),
            Field::Aarch64Low(log2) => {
                let low = value as u32 & (PAGE as u32 - 1);
                let is_aligned = low.is_multiple_of(1 << log2);
                is_aligned.then_some(word & !(0xfff << 10) | low >> log2 << 10)
            }
        }
    }

    /// The word that has the field, with an addend in it as objects without addends in their records hold it; `None` if
    /// it does not fit. Both halves of an address have the whole addend there, which has 16 bits.
    pub fn with_addend(self, word: u32, addend: i64) -> Option<u32> {
        match self {
            Field::ArmLow | Field::ArmHigh => Some(arm_half(word, i16::try_from(addend).ok()? as u16)),
            Field::ArmCall | Field::ArmJump => arm_branch(word, addend),
            _ => self.with_value(word, addend),
        }
    }

    /// The addend that a word has, as [`with_addend`](Self::with_addend) puts it there.
    pub const fn addend(self, word: u32) -> i64 {
        match self {
            Field::ArmLow | Field::ArmHigh => ((word >> 4 & 0xf000 | word & 0xfff) as u16 as i16) as i64,
            Field::ArmCall | Field::ArmJump => ((word << 8) as i32 >> 6) as i64,
            Field::MipsJump => ((word & 0x03ff_ffff) << 2) as i64,
            Field::MipsLow => word as u16 as i16 as i64,
            Field::MipsHigh => ((word & 0xffff) << 16) as i32 as i64,
            _ => word as i32 as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(
        machine: u16,
        r_type: u32,
        word: u32,
        addresses: (u64, u64),
        addend: i64,
    ) -> Result<u32, Misfit> {
        let mut bytes = word.to_le_bytes();
        let rule = Rule::new(machine, r_type).expect("the type has a row");
        rule.apply(&mut bytes, addresses.0, addresses.1, addend)?;
        Ok(u32::from_le_bytes(bytes))
    }

    #[test]
    fn x86_64_fields_have_limits() {
        let apply = |r_type, of, from, addend| applied(elf::EM_X86_64, r_type, 0, (of, from), addend);
        assert_eq!(apply(elf::R_X86_64_PC32, 0x1000, 0x2000, -4), Ok(-0x1004_i32 as u32));
        let far = 0x7fff_ffff_0000;
        let error = Misfit::OutOfRange { value: 0x8000_0000 };
        assert_eq!(apply(elf::R_X86_64_PLT32, far + 0x8000_0000, far + 4, 4), Err(error));
        assert_eq!(apply(elf::R_X86_64_PLT32, far + 0x8000_0000, far + 4, 3), Ok(0x7fff_ffff));
        assert_eq!(apply(elf::R_X86_64_PLT32, far, far + 0x8000_0000, 0), Ok(0x8000_0000));
        assert_eq!(apply(elf::R_X86_64_32, 0xffff_ffff, 0, 0), Ok(0xffff_ffff));
        assert_eq!(apply(elf::R_X86_64_32, 0xffff_ffff, 0, 1), Err(Misfit::OutOfRange { value: 1 << 32 }));
        assert_eq!(
            apply(elf::R_X86_64_32S, 0xffff_ffff, 0, 0),
            Err(Misfit::OutOfRange { value: 0xffff_ffff })
        );
        assert_eq!(apply(elf::R_X86_64_32S, 0, 0, -1), Ok(0xffff_ffff));
        let mut bytes = [0; 9];
        let wide = Rule::new(elf::EM_X86_64, elf::R_X86_64_PC64).expect("the type has a row");
        let mut distance = [0; 8];
        assert_eq!(wide.apply(&mut distance, 16, far, 8), Ok(()));
        assert_eq!(i64::from_le_bytes(distance), 24 - far as i64);
        let rule = Rule::new(elf::EM_X86_64, elf::R_X86_64_64).expect("the type has a row");
        assert_eq!(rule.apply(&mut bytes, u64::MAX, 0, 3), Ok(()));
        assert_eq!(bytes, [2, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(rule.apply(&mut bytes[2..], 7, 0, 0), Err(Misfit::OutOfBounds));
        assert_eq!(bytes[0], 2);
    }

    #[test]
    fn narrow_machines_go_around_the_end_of_memory() {
        let call = applied(elf::EM_386, elf::R_386_PC32, 0, (0x1000, 0xffff_f000), -4);
        assert_eq!(call, Ok(0x1ffc));
        let branch = applied(elf::EM_ARM, elf::R_ARM_CALL, 0xeb00_0000, (0x1000, 0xffff_f000), -8);
        assert_eq!(branch, Ok(0xeb00_07fe));
    }

    #[test]
    fn addends_are_read_as_they_are_written() {
        for (field, word, addends) in [
            (Field::ArmCall, 0xeb12_3456, [-8, -(1 << 25), (1 << 25) - 4]),
            (Field::ArmJump, 0x1a12_3456, [0, -4, 0x0123_4568]),
            (Field::ArmLow, 0xe30f_1fff, [-1, -32768, 32767]),
            (Field::ArmHigh, 0xe34a_1abc, [0, -2, 0x1234]),
            (Field::Word32, 7, [-1, 5, i32::MIN.into()]),
        ] {
            for addend in addends {
                assert_eq!(
                    field.addend(field.with_addend(word, addend).expect("it fits")),
                    addend,
                    "{addend}"
                );
            }
        }
    }

    #[test]
    fn arm_branches_reach_32_mebibytes_and_change_to_thumb() {
        let call = |r_type, word, of, from| applied(elf::EM_ARM, r_type, word, (of, from), -8);
        assert_eq!(call(elf::R_ARM_CALL, 0xeb00_0000, 0x8000, 0x8000), Ok(0xebff_fffe));
        assert_eq!(call(elf::R_ARM_CALL, 0xeb00_0000, 0x1_0009, 0x8000), Ok(0xfa00_2000));
        assert_eq!(call(elf::R_ARM_CALL, 0xeb00_0000, 0x1_000b, 0x8000), Ok(0xfb00_2000));
        for (r_type, word) in [(elf::R_ARM_CALL, 0x0b00_0000), (elf::R_ARM_JUMP24, 0xea00_0000)] {
            let error = call(r_type, word, 0x1_0009, 0x8000);
            assert_eq!(error, Err(Misfit::OutOfRange { value: 0x8001 }));
        }
        assert_eq!(call(elf::R_ARM_JUMP24, 0x0a00_0000, 0x200_0004, 0), Ok(0x0a7f_ffff));
        assert!(call(elf::R_ARM_JUMP24, 0x0a00_0000, 0x200_0008, 0).is_err());
    }

    #[test]
    fn halves_of_arm_addresses_are_cut_out() {
        for (r_type, word) in [(elf::R_ARM_MOVW_ABS_NC, 0xe30d_0eef), (elf::R_ARM_MOVT_ABS, 0xe34d_0ead)] {
            let inst = word & 0xfff0_f000;
            let symbol = (0xdead_beef, 0);
            let expected = if r_type == elf::R_ARM_MOVW_ABS_NC { 0xe30b_0eef } else { word };
            assert_eq!(applied(elf::EM_ARM, r_type, inst, symbol, 0), Ok(expected));
        }
        let distance = applied(elf::EM_ARM, elf::R_ARM_MOVT_PREL, 0xe340_1000, (0x1000, 0x2000), 0);
        assert_eq!(distance, Ok(0xe34f_1fff));
    }

    #[test]
    fn halves_of_mips_addresses_have_a_carry() {
        let halves = |address: u64, addend| {
            [elf::R_MIPS_HI16, elf::R_MIPS_LO16]
                .map(|r_type| applied(elf::EM_MIPS, r_type, 0x3c01_1234, (address, 0), addend))
        };
        assert_eq!(halves(0x1002_7ff8, 7), [Ok(0x3c01_1002), Ok(0x3c01_7fff)]);
        assert_eq!(halves(0x1002_7ff8, 8), [Ok(0x3c01_1003), Ok(0x3c01_8000)]);
        assert_eq!(halves(0x1002_0000, -1), [Ok(0x3c01_1002), Ok(0x3c01_ffff)]);
        // The halves of an addend: 0x18000.
        let addend = Field::MipsHigh.addend(0x3c01_0002) + Field::MipsLow.addend(0x2421_8000);
        assert_eq!(addend, 0x1_8000);
    }

    #[test]
    fn mips_jumps_stay_in_the_first_256_mebibytes() {
        let jump = |of| applied(elf::EM_MIPS, elf::R_MIPS_26, 0x0c00_0001, (of, 0), 4);
        assert_eq!(jump(0x0fff_fff8), Ok(0x0fff_ffff));
        assert!(jump(0x0fff_fffc).is_err() && jump(0x2_0002).is_err());
        assert_eq!(Field::MipsJump.addend(0x0c00_0001), 4);
    }

    #[test]
    fn aarch64_branches_have_words() {
        let branch = |r_type, word, distance: i64| {
            applied(elf::EM_AARCH64, r_type, word, (1 << 40, 1 << 40), distance).ok()
        };
        for (r_type, word, field, reach) in [
            // bl; b; b.eq; ldr x1; tbz w2, #3
            (elf::R_AARCH64_CALL26, 0x9400_0000, 0x03ff_ffff, 1 << 27),
            (elf::R_AARCH64_JUMP26, 0x1400_0000, 0x03ff_ffff, 1 << 27),
            (elf::R_AARCH64_CONDBR19, 0x5400_0000, 0x00ff_ffe0, 1 << 20),
            (elf::R_AARCH64_LD_PREL_LO19, 0x5800_0001, 0x00ff_ffe0, 1 << 20),
            (elf::R_AARCH64_TSTBR14, 0x3618_0002, 0x0007_ffe0, 1 << 15),
        ] {
            assert_eq!(branch(r_type, word | field, 0), Some(word), "{r_type}");
            assert_eq!(branch(r_type, word, -4), Some(word | field), "{r_type}");
            let lowest = field & field.wrapping_neg();
            let highest = field ^ field >> 1 & field;
            assert_eq!(branch(r_type, word, reach - 4), Some(word | field & !highest), "{r_type}");
            assert_eq!(branch(r_type, word, -reach), Some(word | highest), "{r_type}");
            assert_eq!(branch(r_type, word, 4), Some(word | lowest), "{r_type}");
            for distance in [reach, -reach - 4, 2, 1] {
                assert_eq!(branch(r_type, word, distance), None, "{r_type} {distance}");
            }
        }
    }

    #[test]
    fn aarch64_addresses_are_pages_and_what_is_behind() {
        let apply = |r_type, word, of, place| applied(elf::EM_AARCH64, r_type, word, (of, place), 8);
        let page = |of, place| apply(elf::R_AARCH64_ADR_PREL_PG_HI21, 0x9000_0003, of, place);
        // The addend is part of the address whose page it is.
        assert_eq!(page(0x40_0ff0, 0x40_0ffc), Ok(0x9000_0003));
        assert_eq!(page(0x40_0ff8, 0x40_0ffc), Ok(0xb000_0003));
        assert_eq!(page(0x40_0000, 0x40_1000), Ok(0xf0ff_ffe3));
        assert_eq!(page(0x1_0040_0000, 0x40_0ffc), Err(Misfit::OutOfRange { value: 1 << 32 }));
        assert_eq!(page(0x1_003f_f000, 0x40_0ffc), Ok(0xf07f_ffe3));
        assert_eq!(page(0x40_0000, 0x1_0040_0ffc), Ok(0x9080_0003));
        assert!(page(0x3f_f000, 0x1_0040_0ffc).is_err());
        let near = |of, place| apply(elf::R_AARCH64_ADR_PREL_LO21, 0x1000_0003, of, place);
        assert_eq!(near(0x40_0000, 0x40_0003), Ok(0x3000_0023));
        assert!(near(0x50_0000, 0x40_0008).is_err());
        for (r_type, log2) in [
            (elf::R_AARCH64_ADD_ABS_LO12_NC, 0),
            (elf::R_AARCH64_LDST8_ABS_LO12_NC, 0),
            (elf::R_AARCH64_LDST16_ABS_LO12_NC, 1),
            (elf::R_AARCH64_LDST32_ABS_LO12_NC, 2),
            (elf::R_AARCH64_LDST64_ABS_LO12_NC, 3),
            (elf::R_AARCH64_LD64_GOT_LO12_NC, 3),
            (elf::R_AARCH64_LDST128_ABS_LO12_NC, 4),
        ] {
            let low = |of| apply(r_type, 0xffc0_03ff | 0x2a << 10, of, 0);
            assert_eq!(low(0x7_ffff_ffe8), Ok(0xffc0_03ff | (0xff0 >> log2) << 10), "{r_type}");
            assert_eq!(low(0xffff_fff8), Ok(0xffc0_03ff), "{r_type}");
            if log2 > 0 {
                assert!(low(0xff8 + (1 << (log2 - 1))).is_err(), "{r_type}");
            }
        }
    }

    #[test]
    fn aarch64_words_may_have_either_sign() {
        let word = |of, addend| applied(elf::EM_AARCH64, elf::R_AARCH64_ABS32, 7, (of, 0), addend);
        assert_eq!(word(0xffff_ffff, 0), Ok(0xffff_ffff));
        assert!(word(0xffff_ffff, 1).is_err());
        let distance = |of, from| applied(elf::EM_AARCH64, elf::R_AARCH64_PREL32, 7, (of, from), 0);
        assert_eq!(distance(0, 1 << 31), Ok(1 << 31));
        assert!(distance(0, (1 << 31) + 1).is_err());
    }

    #[test]
    fn addends_in_fields_have_their_own_form() {
        assert_eq!(Field::ArmCall.with_addend(0xeb00_0000, -8), Some(0xebff_fffe));
        assert_eq!(Field::ArmCall.with_addend(0xeb00_0000, 6), None);
        assert_eq!(Field::ArmCall.with_addend(0xeb00_0000, 1 << 25), None);
        assert_eq!(Field::ArmLow.with_addend(0xe300_1000, -2), Some(0xe30f_1ffe));
        assert_eq!(Field::ArmHigh.with_addend(0xe340_1000, -2), Some(0xe34f_1ffe));
        assert_eq!(Field::ArmHigh.with_addend(0xe340_1000, 0x8000), None);
    }

    #[test]
    fn what_needs_more_than_two_addresses_has_no_row() {
        for (machine, r_type) in [
            (elf::EM_X86_64, elf::R_X86_64_TPOFF32),
            (elf::EM_386, elf::R_386_TLS_GD),
            (elf::EM_ARM, elf::R_ARM_TLS_LE32),
            (elf::EM_MIPS, elf::R_MIPS_GOT16),
            (elf::EM_AARCH64, elf::R_AARCH64_TLSLE_ADD_TPREL_HI12),
        ] {
            assert_eq!(Rule::new(machine, r_type), None);
        }
    }
}
