//! System registers, barriers, hints, exceptions and the maintenance of caches (DDI 0487, C5 and D24).

use super::Assembler;
use super::operand::Operand;
use crate::aarch64::{Gpr, Width, bits};

/// Those that have no rows here and may have operands of several kinds.
const NAMES: &[&str] = &[
    "mrs", "msr", "dc", "ic", "at", "tlbi", "sys", "sysl", "dmb", "dsb", "isb", "hint", "bti", "psb", "tsb",
];

pub(super) fn is_known(name: &str) -> bool {
    let is_hint = HINTS.iter().any(|&(known, _)| known == name);
    NAMES.contains(&name)
        || is_hint
        || EXCEPTIONS.iter().any(|&(known, _)| known == name)
        || word(name).is_some()
}

/// Hints by their numbers ("Hints").
const HINTS: &[(&str, u32)] = &[
    ("nop", 0),
    ("yield", 1),
    ("wfe", 2),
    ("wfi", 3),
    ("sev", 4),
    ("sevl", 5),
    ("dgh", 6),
    ("xpaclri", 7),
    ("pacia1716", 8),
    ("pacib1716", 10),
    ("autia1716", 12),
    ("autib1716", 14),
    ("esb", 16),
    ("csdb", 20),
    ("paciaz", 24),
    ("paciasp", 25),
    ("pacibz", 26),
    ("pacibsp", 27),
    ("autiaz", 28),
    ("autiasp", 29),
    ("autibz", 30),
    ("autibsp", 31),
    ("bti", 32),
];

/// With a number of 16 bits ("Exception generation", "Reserved").
const EXCEPTIONS: &[(&str, u32)] = &[
    ("svc", bits!("11010100 000 iiiiiiiiiiiiiiii 000 01")),
    ("hvc", bits!("11010100 000 iiiiiiiiiiiiiiii 000 10")),
    ("smc", bits!("11010100 000 iiiiiiiiiiiiiiii 000 11")),
    ("brk", bits!("11010100 001 iiiiiiiiiiiiiiii 000 00")),
    ("hlt", bits!("11010100 010 iiiiiiiiiiiiiiii 000 00")),
    ("udf", bits!("0000000000000000 iiiiiiiiiiiiiiii")),
];

/// An instruction without operands.
fn word(name: &str) -> Option<u32> {
    Some(match name {
        "clrex" => bits!("1101010100 0 00 011 0011 1111 0 10 11111"),
        "sb" => bits!("1101010100 0 00 011 0011 0000 1 11 11111"),
        "ssbb" => bits!("1101010100 0 00 011 0011 0000 1 00 11111"),
        "pssbb" => bits!("1101010100 0 00 011 0011 0100 1 00 11111"),
        "eret" => bits!("1101011 0 1 00 11111 000000 11111 00000"),
        _ => return None,
    })
}

/// System registers by `op0`, `op1`, `CRn`, `CRm`, `op2` (D24.2).
#[rustfmt::skip]
const REGISTERS: &[(&str, [u8; 5])] = &[
    ("tpidr_el0",        [3, 3, 13, 0, 2]),
    ("tpidrro_el0",      [3, 3, 13, 0, 3]),
    ("tpidr_el1",        [3, 0, 13, 0, 4]),
    ("fpcr",             [3, 3, 4, 4, 0]),
    ("fpsr",             [3, 3, 4, 4, 1]),
    ("nzcv",             [3, 3, 4, 2, 0]),
    ("daif",             [3, 3, 4, 2, 1]),
    ("dit",              [3, 3, 4, 2, 5]),
    ("ssbs",             [3, 3, 4, 2, 6]),
    ("tco",              [3, 3, 4, 2, 7]),
    ("cntfrq_el0",       [3, 3, 14, 0, 0]),
    ("cntpct_el0",       [3, 3, 14, 0, 1]),
    ("cntvct_el0",       [3, 3, 14, 0, 2]),
    ("cntpctss_el0",     [3, 3, 14, 0, 5]),
    ("cntvctss_el0",     [3, 3, 14, 0, 6]),
    ("cntp_tval_el0",    [3, 3, 14, 2, 0]),
    ("cntp_ctl_el0",     [3, 3, 14, 2, 1]),
    ("cntp_cval_el0",    [3, 3, 14, 2, 2]),
    ("cntv_tval_el0",    [3, 3, 14, 3, 0]),
    ("cntv_ctl_el0",     [3, 3, 14, 3, 1]),
    ("cntv_cval_el0",    [3, 3, 14, 3, 2]),
    ("ctr_el0",          [3, 3, 0, 0, 1]),
    ("dczid_el0",        [3, 3, 0, 0, 7]),
    ("rndr",             [3, 3, 2, 4, 0]),
    ("rndrrs",           [3, 3, 2, 4, 1]),
    ("pmcr_el0",         [3, 3, 9, 12, 0]),
    ("pmcntenset_el0",   [3, 3, 9, 12, 1]),
    ("pmcntenclr_el0",   [3, 3, 9, 12, 2]),
    ("pmovsclr_el0",     [3, 3, 9, 12, 3]),
    ("pmselr_el0",       [3, 3, 9, 12, 5]),
    ("pmccntr_el0",      [3, 3, 9, 13, 0]),
    ("pmxevtyper_el0",   [3, 3, 9, 13, 1]),
    ("pmxevcntr_el0",    [3, 3, 9, 13, 2]),
    ("pmuserenr_el0",    [3, 3, 9, 14, 0]),
    ("pmccfiltr_el0",    [3, 3, 14, 15, 7]),
    ("midr_el1",         [3, 0, 0, 0, 0]),
    ("mpidr_el1",        [3, 0, 0, 0, 5]),
    ("revidr_el1",       [3, 0, 0, 0, 6]),
    ("id_aa64pfr0_el1",  [3, 0, 0, 4, 0]),
    ("id_aa64pfr1_el1",  [3, 0, 0, 4, 1]),
    ("id_aa64dfr0_el1",  [3, 0, 0, 5, 0]),
    ("id_aa64isar0_el1", [3, 0, 0, 6, 0]),
    ("id_aa64isar1_el1", [3, 0, 0, 6, 1]),
    ("id_aa64mmfr0_el1", [3, 0, 0, 7, 0]),
    ("id_aa64mmfr1_el1", [3, 0, 0, 7, 1]),
    ("id_aa64mmfr2_el1", [3, 0, 0, 7, 2]),
    ("clidr_el1",        [3, 1, 0, 0, 1]),
    ("ccsidr_el1",       [3, 1, 0, 0, 0]),
    ("csselr_el1",       [3, 2, 0, 0, 0]),
    ("sctlr_el1",        [3, 0, 1, 0, 0]),
    ("cpacr_el1",        [3, 0, 1, 0, 2]),
    ("ttbr0_el1",        [3, 0, 2, 0, 0]),
    ("ttbr1_el1",        [3, 0, 2, 0, 1]),
    ("tcr_el1",          [3, 0, 2, 0, 2]),
    ("spsr_el1",         [3, 0, 4, 0, 0]),
    ("elr_el1",          [3, 0, 4, 0, 1]),
    ("sp_el0",           [3, 0, 4, 1, 0]),
    ("spsel",            [3, 0, 4, 2, 0]),
    ("currentel",        [3, 0, 4, 2, 2]),
    ("esr_el1",          [3, 0, 5, 2, 0]),
    ("far_el1",          [3, 0, 6, 0, 0]),
    ("par_el1",          [3, 0, 7, 4, 0]),
    ("mair_el1",         [3, 0, 10, 2, 0]),
    ("vbar_el1",         [3, 0, 12, 0, 0]),
    ("contextidr_el1",   [3, 0, 13, 0, 1]),
];

/// Fields of the processor's state that take a number: `op1` and `op2` (C5.1.3, "PSTATE").
const FIELDS: &[(&str, u32, u32)] = &[
    ("spsel", 0, 5),
    ("daifset", 3, 6),
    ("daifclr", 3, 7),
    ("uao", 0, 3),
    ("pan", 0, 4),
    ("ssbs", 3, 1),
    ("dit", 3, 2),
    ("tco", 3, 4),
];

/// Operations on caches by `op1`, `CRm`, `op2`, with `CRn` 7; and whether they have a register (C5.3).
const CACHES: &[(&str, &str, [u8; 3], bool)] = &[
    ("dc", "zva", [3, 4, 1], true),
    ("dc", "cvac", [3, 10, 1], true),
    ("dc", "cvau", [3, 11, 1], true),
    ("dc", "cvap", [3, 12, 1], true),
    ("dc", "civac", [3, 14, 1], true),
    ("dc", "ivac", [0, 6, 1], true),
    ("dc", "isw", [0, 6, 2], true),
    ("dc", "csw", [0, 10, 2], true),
    ("dc", "cisw", [0, 14, 2], true),
    ("ic", "ivau", [3, 5, 1], true),
    ("ic", "iallu", [0, 5, 0], false),
    ("ic", "ialluis", [0, 1, 0], false),
    ("at", "s1e1r", [0, 8, 0], true),
    ("at", "s1e1w", [0, 8, 1], true),
    ("at", "s1e0r", [0, 8, 2], true),
    ("at", "s1e0w", [0, 8, 3], true),
];

/// What a barrier orders, and over which domain: `CRm` (C6.2, DMB).
const DOMAINS: [(&str, u32); 12] = [
    ("sy", 15),
    ("st", 14),
    ("ld", 13),
    ("ish", 11),
    ("ishst", 10),
    ("ishld", 9),
    ("nsh", 7),
    ("nshst", 6),
    ("nshld", 5),
    ("osh", 3),
    ("oshst", 2),
    ("oshld", 1),
];

/// The fields of a register, by its name or as `s3_3_c13_c0_2`.
fn register(name: &str) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    let known = REGISTERS.iter().find(|&&(known, _)| known == name).map(|&(_, numbers)| numbers);
    let [op0, op1, n, m, op2] = known.or_else(|| numbered(&name))?.map(u32::from);
    Some(op0 << 19 | op1 << 16 | n << 12 | m << 8 | op2 << 5)
}

/// The numbers of `s3_3_c13_c0_2`.
fn numbered(name: &str) -> Option<[u8; 5]> {
    let mut parts = name.strip_prefix('s')?.split('_');
    let mut number = |start: &str, limit: u8| {
        let digits = parts.next()?.strip_prefix(start)?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u8>().ok().filter(|&number| is_number && number < limit)
    };
    let numbers = [number("", 4)?, number("", 8)?, number("c", 16)?, number("c", 16)?, number("", 8)?];
    (numbers[0] >= 2 && parts.next().is_none()).then_some(numbers)
}

/// The number of `c7`.
fn coprocessor(operand: &Operand<'_>) -> Option<u32> {
    let Operand::Word(text) = *operand else { return None };
    let number = text.strip_prefix(['c', 'C'])?.parse().ok()?;
    (number < 16).then_some(number)
}

impl Assembler<'_, '_, '_> {
    pub(super) fn system(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::{Gpr as R, Word};
        let word = match (name, operands) {
            (_, []) if word(name).is_some() => word(name)?,
            ("dmb" | "dsb" | "isb", operands) => self.barrier(name, operands)?,
            ("hint", [number]) => NOP | u32::from(self.below(number, 128)?) << 5,
            ("bti", [Word(text)]) => {
                let number = ["c", "j", "jc"].iter().position(|known| known.eq_ignore_ascii_case(text))?;
                NOP | (34 + 2 * number as u32) << 5
            }
            ("psb" | "tsb", [Word(text)]) if text.eq_ignore_ascii_case("csync") => {
                NOP | if name == "psb" { 17 } else { 18 } << 5
            }
            ("mrs", &[R(t, Width::X), Word(text)]) if t.is_plain() => {
                bits!("1101010100 1 oo ooo nnnn mmmm ooo ttttt") | register(text)? | t.d()
            }
            ("msr", &[Word(text), R(t, Width::X)]) if t.is_plain() => {
                bits!("1101010100 0 oo ooo nnnn mmmm ooo ttttt") | register(text)? | t.d()
            }
            ("msr", [Word(text), number]) => {
                let &(_, op1, op2) = FIELDS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(text))?;
                let number = u32::from(self.below(number, 16)?);
                bits!("1101010100 0 00 ooo 0100 mmmm ooo 11111") | op1 << 16 | number << 8 | op2 << 5
            }
            ("sys" | "sysl", operands) => self.sys(name == "sysl", operands)?,
            (_, [Word(text), rest @ ..]) if matches!(name, "dc" | "ic" | "at") => {
                let mut caches = CACHES.iter().filter(|cache| cache.0 == name);
                let &(_, _, numbers, has_register) =
                    caches.find(|cache| cache.1.eq_ignore_ascii_case(text))?;
                let t = match *rest {
                    [R(t, Width::X)] if has_register && t.is_plain() => t,
                    [] if !has_register => Gpr::ZERO,
                    _ => return None,
                };
                let [op1, m, op2] = numbers.map(u32::from);
                SYS | op1 << 16 | 7 << 12 | m << 8 | op2 << 5 | t.d()
            }
            (_, [number]) => {
                let &(_, word) = EXCEPTIONS.iter().find(|&&(known, _)| known == name)?;
                let number = u32::from(u16::try_from(self.number(number)?).ok()?);
                word | number << if name == "udf" { 0 } else { 5 }
            }
            (_, []) => NOP | HINTS.iter().find(|&&(known, _)| known == name)?.1 << 5,
            _ => return None,
        };
        self.word(word);
        Some(())
    }

    fn barrier(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<u32> {
        let domain = match operands {
            [] if name == "isb" => 15,
            [Operand::Word(text)] if DOMAINS.iter().any(|(known, _)| known.eq_ignore_ascii_case(text)) => {
                DOMAINS.iter().find(|(known, _)| known.eq_ignore_ascii_case(text))?.1
            }
            [number] => self.below(number, 16)?.into(),
            _ => return None,
        };
        let kind = match name {
            "dsb" => 4,
            "dmb" => 5,
            _ if operands.is_empty() || domain == 15 || matches!(operands, [Operand::Number(_)]) => 6,
            _ => return None,
        };
        Some(bits!("1101010100 0 00 011 0011 mmmm ooo 11111") | domain << 8 | kind << 5)
    }

    /// `sys #op1, Cn, Cm, #op2, xt`; `sysl xt, #op1, Cn, Cm, #op2`.
    fn sys(&mut self, has_result: bool, operands: &[Operand<'_>]) -> Option<u32> {
        let (t, [op1, n, m, op2]) = match (has_result, operands) {
            (true, &[Operand::Gpr(t, Width::X), op1, n, m, op2])
            | (false, &[op1, n, m, op2, Operand::Gpr(t, Width::X)]) => (t, [op1, n, m, op2]),
            (false, &[op1, n, m, op2]) => (Gpr::ZERO, [op1, n, m, op2]),
            _ => return None,
        };
        let [op1, op2] = [op1, op2].map(|operand| self.below(&operand, 8).map(u32::from));
        let fields = op1? << 16 | coprocessor(&n)? << 12 | coprocessor(&m)? << 8 | op2? << 5;
        t.is_plain().then_some(SYS | u32::from(has_result) << 21 | fields | t.d())
    }
}

/// `hint #0`.
const NOP: u32 = bits!("1101010100 0 00 011 0010 mmmm ooo 11111");
/// "System instructions".
const SYS: u32 = bits!("1101010100 L 01 ooo nnnn mmmm ooo ttttt");
