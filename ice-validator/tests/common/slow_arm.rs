//! The rules of ARM once more, slowly: by what instructions do, as the text of `capstone` tells it, and not by their forms.
//!
//! Of every core register is known nothing, that it is an address of data, or that it is the start of a bundle, always or
//! where a condition holds. What is known holds along straight code, as far as flags stay what they are if it is known under
//! a condition; at starts of bundles and at targets of branches nothing is known but of sp. An access must have a base that
//! is known to be data, a branch through a register one to a bundle; sp must be data again one instruction behind what
//! changed it.

use capstone::arch::arm::ArchMode;
use capstone::prelude::*;

/// What is known of a register, and under which condition: `""` is always.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Known {
    Nothing,
    Data(String),
    Bundle(String),
}

type State = Vec<Known>;

const SP: usize = 13;
const PC: usize = 15;
const THREAD: usize = 9;

fn entry() -> State {
    let mut state = vec![Known::Nothing; 16];
    state[SP] = Known::Data(String::new());
    state
}

/// A core register's number.
fn register(name: &str) -> Option<usize> {
    match name.trim() {
        "sb" => Some(9),
        "sl" => Some(10),
        "fp" => Some(11),
        "ip" => Some(12),
        "sp" => Some(13),
        "lr" => Some(14),
        "pc" => Some(15),
        name => name.strip_prefix('r')?.parse().ok().filter(|&number| number < 16),
    }
}

const CONDITIONS: [&str; 16] =
    ["eq", "ne", "hs", "cs", "lo", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

/// Mnemonics without a condition and suffixes that instructions of programs have.
const ORDINARY: &[&str] = &[
    "and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc", "orr", "bic", "mov", "mvn", "lsl", "lsr", "asr",
    "ror", "rrx", "movw", "movt", "tst", "teq", "cmp", "cmn", "mul", "mla", "mls", "umaal", "umull", "umlal",
    "smull", "smlal", "smlabb", "smlabt", "smlatb", "smlatt", "smlawb", "smlawt", "smulwb", "smulwt",
    "smlalbb", "smlalbt", "smlaltb", "smlaltt", "smulbb", "smulbt", "smultb", "smultt", "qadd", "qsub",
    "qdadd", "qdsub", "clz", "pkhbt", "pkhtb", "sxtb", "sxth", "uxtb", "uxth", "sxtb16", "uxtb16", "sxtab",
    "sxtah", "uxtab", "uxtah", "sxtab16", "uxtab16", "ssat", "usat", "rev", "rev16", "revsh", "rbit", "sdiv",
    "udiv", "smmul", "smmulr", "smmla", "smmlar", "sbfx", "ubfx", "bfc", "bfi", "nop", "dmb", "dsb", "isb",
    "pld", "pldw", "pli", "bkpt", "udf", "trap", "mrs", "msr", "vmrs", "vmsr",
];
const ACCESSES: &[&str] = &[
    "ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "ldrd", "str", "strb", "strh", "strd", "ldrex", "ldrexb",
    "ldrexh", "ldrexd", "strex", "strexb", "strexh", "strexd",
];
const LISTS: &[&str] = &[
    "ldm", "ldmib", "ldmda", "ldmdb", "stm", "stmib", "stmda", "stmdb", "vldmia", "vldmdb", "vstmia",
    "vstmdb", "fldmiax", "fldmdbx", "fstmiax", "fstmdbx",
];
const STACK_LISTS: &[&str] = &["push", "pop", "vpush", "vpop"];
/// Where the first operand is no result.
const WITHOUT_RESULT: &[&str] = &[
    "tst", "teq", "cmp", "cmn", "msr", "vmsr", "str", "strb", "strh", "strd", "dmb", "dsb", "isb", "bkpt",
    "udf",
];
/// Where the first two operands are results.
const TWO_RESULTS: &[&str] = &[
    "umaal", "umull", "umlal", "smull", "smlal", "smlalbb", "smlalbt", "smlaltb", "smlaltt", "ldrd", "ldrexd",
];

/// A mnemonic as what it does, its condition, and whether it sets flags.
fn split(mnemonic: &str) -> (String, String, bool) {
    let whole = mnemonic.split('.').next().unwrap_or(mnemonic);
    let known = |name: &str| {
        [ORDINARY, ACCESSES, LISTS, STACK_LISTS].iter().any(|names| names.contains(&name))
            || matches!(name, "b" | "bl" | "bx" | "blx")
    };
    // Vector instructions are told by their letter; none of the conditions ends the name of one that has none.
    let is_vector =
        |name: &str| name.starts_with('v') && !LISTS.contains(&name) && !STACK_LISTS.contains(&name);
    let with_flags = |name: &str| name.strip_suffix('s').filter(|name| known(name)).map(str::to_owned);
    for condition in CONDITIONS.iter().copied().map(Some).chain([None]) {
        let name = match condition {
            Some(condition) => whole.strip_suffix(condition),
            None => Some(whole),
        };
        let Some(name) = name else { continue };
        // `bls` is no `bl` with flags, and `teq` is a name.
        if condition.is_some() && known(whole) {
            continue;
        }
        let condition = condition.unwrap_or("").replace("cs", "hs").replace("cc", "lo");
        if known(name) {
            return (name.to_owned(), condition, matches!(name, "tst" | "teq" | "cmp" | "cmn" | "msr"));
        }
        if let Some(name) = with_flags(name) {
            return (name, condition, true);
        }
        if is_vector(name) && (condition.is_empty() || !is_vector(whole) || ends_in_condition(whole)) {
            return (name.to_owned(), condition, name.starts_with("vmrs"));
        }
    }
    (whole.to_owned(), String::new(), false)
}

/// Whether a vector mnemonic ends in a condition: not `vcls`, `vmls`, `vnmls`, `vcge` and so on, which are names.
fn ends_in_condition(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "vcls", "vmls", "vnmls", "vfms", "vcge", "vcgt", "vcle", "vclt", "vceq", "vacge", "vacgt", "vacle",
        "vaclt", "vabs", "vqabs", "vfnms", "vrecps", "vrsqrts",
    ];
    !NAMES.contains(&name)
}

/// The operands of a text, at commas outside of brackets.
fn operands(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in text.chars() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is one").push(letter);
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// The registers of a list in braces, with ranges.
fn list(text: &str) -> Vec<usize> {
    text.trim_matches(['{', '}', '^', ' ']).split(',').filter_map(register).collect()
}

/// A checker with the memory of the disassembler.
pub struct SlowArm {
    decoder: Capstone,
}

/// An instruction: what it does, its condition, whether it sets flags, its operands.
struct Instruction {
    name: String,
    condition: String,
    sets_flags: bool,
    operands: Vec<String>,
}

impl SlowArm {
    pub fn new() -> SlowArm {
        let decoder = Capstone::new().arm().mode(ArchMode::Arm);
        SlowArm { decoder: decoder.build().expect("a decoder") }
    }

    fn decode(&self, word: u32, at: u64) -> Option<(String, String)> {
        let found = self.decoder.disasm_count(&word.to_le_bytes(), at, 1).ok()?;
        let instruction = found.iter().next()?;
        Some((instruction.mnemonic()?.to_owned(), instruction.op_str().unwrap_or("").to_owned()))
    }

    /// Why a text that was accepted is unsafe.
    pub fn unsafe_text(&self, bytes: &[u8]) -> Option<String> {
        const POOL: u32 = 0xe125_be70;
        let words: Vec<_> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
        let is_pool = |index: usize| words[index & !3] == POOL;
        let mut code = Vec::new();
        for (index, &word) in words.iter().enumerate() {
            if is_pool(index) {
                continue;
            }
            let at = 4 * index as u64;
            // What it does not know is what the architecture leaves open or has only since.
            let Some((mnemonic, text)) = self.decode(word, at) else { continue };
            let (name, condition, sets_flags) = split(&mnemonic);
            let operands = operands(&text);
            code.push((
                index,
                Instruction { name, condition, sets_flags, operands },
                format!("{mnemonic} {text}"),
            ));
        }
        let mut targets = Vec::new();
        for (index, instruction, text) in &code {
            if !matches!(&*instruction.name, "b" | "bl") {
                continue;
            }
            let number = instruction.operands.first()?.trim_start_matches('#').to_owned();
            let target = i64::from(parse(&number)? as i32);
            let is_inside = (0..bytes.len() as i64).contains(&target);
            if target % 4 != 0 || !is_inside && target % 16 != 0 {
                return Some(format!("{index}: {text}: a branch to a place between"));
            }
            if is_inside && is_pool(target as usize / 4) && target % 16 != 0 {
                return Some(format!("{index}: {text}: a branch to data"));
            }
            targets.push(target);
        }
        let (mut state, mut waits) = (entry(), None);
        for (index, instruction, text) in &code {
            if index % 4 == 0 || targets.contains(&(4 * *index as i64)) {
                if waits.is_some() {
                    return Some(format!("{index}: {text}: sp is not confined at an entry"));
                }
                state = entry();
            }
            if let Err(why) = step(instruction, *index, &mut state, &mut waits) {
                return Some(format!("{index}: {text}: {why}"));
            }
        }
        waits.is_some().then(|| "sp is not confined at the end".to_owned())
    }
}

/// A number of the disassembler's.
fn parse(text: &str) -> Option<u32> {
    let text = text.trim_start_matches('#');
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    Some(if is_negative { number.wrapping_neg() } else { number })
}

/// Whether what is known under a condition holds where an instruction with another executes.
fn holds(known: &str, condition: &str) -> bool {
    known.is_empty() || known == condition
}

/// The condition under which sp was changed, until it is confined.
type Waits = Option<(String, bool)>;

fn step(i: &Instruction, index: usize, state: &mut State, waits: &mut Waits) -> Result<(), String> {
    let name = &*i.name;
    let is_access = ACCESSES.contains(&name);
    let is_list = LISTS.contains(&name);
    let is_stack_list = STACK_LISTS.contains(&name);
    let is_branch = matches!(name, "b" | "bl" | "bx" | "blx");
    let is_vector = name.starts_with('v') || name.starts_with('f');
    if !(ORDINARY.contains(&name) || is_access || is_list || is_stack_list || is_branch || is_vector) {
        return Err("no instruction of a program".to_owned());
    }
    // r9 is read for the thread and never else.
    let whole = i.operands.join(",");
    let names = |wanted: usize| {
        whole.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|part| register(part) == Some(wanted))
    };
    if names(THREAD) {
        let is_thread = name == "ldr"
            && i.operands
                .get(1)
                .is_some_and(|place| matches!(&**place, "[sb]" | "[sb, #4]" | "[r9]" | "[r9, #4]"))
            && i.operands.len() == 2
            && i.operands.first().and_then(|to| register(to)) != Some(THREAD);
        if !is_thread {
            return Err("r9".to_owned());
        }
    }
    check_accesses(i, state)?;
    if matches!(name, "bl" | "blx") && index % 4 != 3 {
        return Err("a call inside of a bundle".to_owned());
    }
    if matches!(name, "bx" | "blx") {
        let to = i.operands.first().and_then(|to| register(to)).ok_or("a branch to Thumb")?;
        let is_bundle = matches!(&state[to], Known::Bundle(known) if holds(known, &i.condition));
        if !is_bundle {
            return Err(format!("a branch to {:?}", state[to]));
        }
    }
    let written = written(i);
    if written.contains(&PC) || name == "msr" && !whole.starts_with("apsr") && !whole.starts_with("cpsr_f") {
        return Err("pc or the state of the system is written".to_owned());
    }
    let mask = masked(i);
    // The mask of sp must come next, whenever what changed sp was executed.
    if let Some((condition, sets_flags)) = waits.take() {
        let is_mask = matches!(mask, Some((SP, _))) && !sets_flags && holds(&i.condition, &condition);
        if !is_mask {
            return Err("sp is not confined".to_owned());
        }
    }
    if i.sets_flags {
        for known in state.iter_mut() {
            if matches!(known, Known::Data(condition) | Known::Bundle(condition) if !condition.is_empty()) {
                *known = Known::Nothing;
            }
        }
    }
    for register in written {
        match mask {
            Some((masked, is_bundle)) if masked == register && register != SP => {
                let known = if is_bundle { Known::Bundle } else { Known::Data };
                state[register] = known(i.condition.clone());
            }
            Some((SP, _)) if register == SP => {}
            _ if register == SP => *waits = Some((i.condition.clone(), i.sets_flags)),
            _ => state[register] = Known::Nothing,
        }
    }
    if let ("tst", "", [lhs, rhs]) = (name, &*i.condition, &*i.operands)
        && let (Some(lhs), Some(number)) = (register(lhs), parse(rhs))
        && number & 0xc000_0000 == 0xc000_0000
    {
        state[lhs] = Known::Data("eq".to_owned());
    }
    if is_branch && waits.is_some() {
        return Err("sp is not confined at a branch".to_owned());
    }
    Ok(())
}

/// The register that `bic` of a number confines, and whether to a bundle.
fn masked(i: &Instruction) -> Option<(usize, bool)> {
    let ("bic", false, [to, from @ .., number]) = (&*i.name, i.sets_flags, &*i.operands) else { return None };
    if from.len() != 1 {
        return None;
    }
    let (to, number) = (register(to)?, parse(number)?);
    (number & 0xc000_0000 == 0xc000_0000).then_some((to, number & 15 == 15))
}

/// Checks the base and the index of an access.
fn check_accesses(i: &Instruction, state: &State) -> Result<(), String> {
    let data = |base: usize| {
        base == SP
            || matches!(&state[base], Known::Data(known) | Known::Bundle(known) if holds(known, &i.condition))
    };
    if LISTS.contains(&&*i.name) {
        let base = i.operands.first().and_then(|base| register(base.trim_end_matches('!')));
        let base = base.ok_or("no base")?;
        if i.operands.get(1).is_some_and(|list| list.contains('^')) || !data(base) {
            return Err(format!("registers at {:?}", state[base]));
        }
    }
    for operand in i.operands.iter().filter(|operand| operand.starts_with('[')) {
        let inside = operand.trim_start_matches('[').split(']').next().unwrap_or("");
        let parts: Vec<_> = inside.split([',', ':']).map(str::trim).collect();
        let base = register(parts[0]).ok_or("no base")?;
        if parts[1..].iter().any(|part| register(part.trim_start_matches('-')).is_some()) {
            return Err("an index".to_owned());
        }
        let is_load = i.name.starts_with("ldr") || i.name.starts_with("vldr") || i.name.starts_with("pl");
        let is_literal = base == PC && is_load && !operand.ends_with('!');
        if !(data(base) || is_literal || base == THREAD) {
            return Err(format!("an access at {:?}", state[base]));
        }
    }
    Ok(())
}

/// The core registers that an instruction writes, without sp where it takes a small step.
fn written(i: &Instruction) -> Vec<usize> {
    let name = &*i.name;
    let mut written = Vec::new();
    if name == "pop" {
        written.extend(list(&i.operands.join(",")));
    }
    let is_list = LISTS.contains(&name);
    if is_list {
        let base = i.operands.first().cloned().unwrap_or_default();
        if let Some(base) = base.strip_suffix('!').and_then(register) {
            written.extend(Some(base).filter(|&base| base != SP));
        }
        if name.starts_with("ldm") {
            written.extend(list(&i.operands[1..].join(",")));
        }
    } else if !STACK_LISTS.contains(&name) && !matches!(name, "b" | "bl" | "bx" | "blx") {
        let results =
            match name {
                _ if WITHOUT_RESULT.contains(&name) => 0,
                _ if TWO_RESULTS.contains(&name) => 2,
                // To one or two core registers from vectors.
                "vmov" if i.operands.len() >= 3 => {
                    if i.operands.first().and_then(|to| register(to)).is_some() { 2 } else { 0 }
                }
                _ => 1,
            };
        let is_flags = name == "vmrs" || name == "mrs";
        for operand in i.operands.iter().take(results) {
            let to = register(operand);
            written.extend(
                to.filter(|_| !(operand.starts_with('[') || is_flags && operand.starts_with("apsr"))),
            );
        }
        // The second of a pair is told by its name; a base steps behind the bracket.
        for (n, operand) in i.operands.iter().enumerate().filter(|(_, operand)| operand.starts_with('[')) {
            let base = operand.trim_start_matches('[').split([',', ']', ':']).next().and_then(register);
            let by = i.operands.get(n + 1);
            let is_step = operand.ends_with('!') || by.is_some();
            let by_register = by.is_some_and(|by| {
                register(by.trim_start_matches('-').split(',').next().unwrap_or("")).is_some()
            });
            match base {
                Some(base) if is_step && (base != SP || by_register) => written.push(base),
                _ => {}
            }
        }
    }
    written
}
