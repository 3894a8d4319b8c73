//! The rules of MIPS once more, slowly: by what instructions do, as the text of `capstone` tells it, and not by their forms.
//!
//! Of every general register is known nothing, that it is an address of data, or that it is the start of a bundle. What is
//! known holds along straight code, slots with it, unless a slot may have been left out; at starts of bundles and at targets of
//! branches nothing is known but of sp. An access must have a base that is known to be data, a jump by a register one to a bundle;
//! sp must be data again one instruction behind what changed it.

use super::ADDRESS;
use capstone::arch::mips::ArchMode;
use capstone::prelude::*;

/// What is known of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Nothing,
    Data,
    Bundle,
}

type State = [Known; 32];

const CODE_MASK: usize = 14;
const DATA_MASK: usize = 15;
const THREAD: usize = 24;
const SP: usize = 29;
const RA: usize = 31;

const NAMES: [&str; 32] = [
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0",
    "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra",
];

fn entry() -> State {
    let mut state = [Known::Nothing; 32];
    state[SP] = Known::Data;
    state
}

/// A general register's number: `$sp`, `$29`.
fn register(name: &str) -> Option<usize> {
    let name = name.trim().strip_prefix('$')?;
    match name.parse() {
        Ok(number) => Some(number).filter(|&number| number < 32),
        Err(_) => NAMES.iter().position(|&known| known == name || name == "s8" && known == "fp"),
    }
}

/// Mnemonics whose first operand, a general register, is written.
const WRITING: &[&str] = &[
    "add", "addi", "addiu", "addu", "and", "andi", "clo", "clz", "ext", "ins", "lui", "mfc1", "mfhc1",
    "mfhi", "mflo", "movf", "movn", "movt", "movz", "mul", "nor", "or", "ori", "rotr", "rotrv", "seb", "seh",
    "sll", "sllv", "slt", "slti", "sltiu", "sltu", "sra", "srav", "srl", "srlv", "sub", "subu", "wsbh",
    "xor", "xori", "lb", "lbu", "lh", "lhu", "ll", "lw", "lwl", "lwr", "sc", "move", "not", "neg", "negu",
    "li",
];
/// Those that write no general register.
const PLAIN: &[&str] = &[
    "nop", "ssnop", "ehb", "pause", "break", "sync", "div", "divu", "madd", "maddu", "msub", "msubu", "mult",
    "multu", "mtc1", "mthc1", "mthi", "mtlo", "teq", "teqi", "tge", "tgei", "tgeiu", "tgeu", "tlt", "tlti",
    "tltiu", "tltu", "tne", "tnei", "sb", "sh", "sw", "swl", "swr", "ldc1", "lwc1", "sdc1", "swc1",
];
const ACCESSES: &[&str] = &[
    "lb", "lbu", "lh", "lhu", "ll", "lw", "lwl", "lwr", "sc", "sb", "sh", "sw", "swl", "swr", "ldc1", "lwc1",
    "sdc1", "swc1",
];
/// Branches to places that they say; with `l` at the end, their slots are left out where they are not taken.
const BRANCHES: &[&str] = &[
    "b", "beq", "beqz", "bgez", "bgtz", "blez", "bltz", "bne", "bnez", "bc1f", "bc1t", "j", "bgezal",
    "bltzal", "bal", "jal",
];

/// A checker with the memory of the disassembler.
pub struct SlowMips {
    decoder: Capstone,
}

struct Instruction {
    name: String,
    operands: Vec<String>,
}

impl Instruction {
    /// Whether it branches to the place that its last operand says.
    fn branches(&self) -> bool {
        BRANCHES.contains(&&*self.name) || self.is_likely()
    }

    fn is_likely(&self) -> bool {
        let plain = self.name.strip_suffix('l');
        self.name != "jal" && self.name != "bal" && plain.is_some_and(|name| BRANCHES.contains(&name))
    }

    fn has_slot(&self) -> bool {
        self.branches() || matches!(&*self.name, "jr" | "jalr")
    }

    fn links(&self) -> bool {
        matches!(&*self.name, "jal" | "jalr" | "bal") || self.name.contains("zal")
    }

    /// The general register that it writes.
    fn written(&self) -> Option<usize> {
        match &*self.name {
            "jalr" if self.operands.len() == 2 => register(&self.operands[0]),
            _ if self.links() => Some(RA),
            name if WRITING.contains(&name) => register(self.operands.first()?),
            _ => None,
        }
    }

    /// The register that `and` confines, and to what.
    fn masked(&self) -> Option<(usize, Known)> {
        let ("and", [to, from, mask]) = (&*self.name, &*self.operands) else { return None };
        let (to, from, mask) = (register(to)?, register(from)?, register(mask)?);
        match (from == CODE_MASK || mask == CODE_MASK, from == DATA_MASK || mask == DATA_MASK) {
            (true, _) => Some((to, Known::Bundle)),
            (_, true) => Some((to, Known::Data)),
            _ => None,
        }
    }
}

impl SlowMips {
    pub fn new() -> SlowMips {
        let decoder = Capstone::new().mips().mode(ArchMode::Mips32);
        SlowMips { decoder: decoder.endian(capstone::Endian::Little).build().expect("a decoder") }
    }

    fn decode(&self, word: u32, at: u64) -> Option<(String, String)> {
        let found = self.decoder.disasm_count(&word.to_le_bytes(), at, 1).ok()?;
        let instruction = found.iter().next()?;
        Some((instruction.mnemonic()?.to_owned(), instruction.op_str().unwrap_or("").to_owned()))
    }

    /// Why a text that was accepted is unsafe.
    pub fn unsafe_text(&self, bytes: &[u8]) -> Option<String> {
        let mut code = Vec::new();
        let mut targets = Vec::new();
        for (index, word) in bytes.chunks_exact(4).enumerate() {
            let word = u32::from_le_bytes(word.try_into().expect("four"));
            let at = u64::from(ADDRESS) + 4 * index as u64;
            // Of arithmetic on floats it knows less than processors do: no odd registers of numbers of 64 bits.
            let is_arithmetic = word >> 26 == 0x11 && word >> 25 & 1 != 0;
            let unknown = is_arithmetic.then(|| ("float.d".to_owned(), "$f0".to_owned()));
            let Some((mnemonic, text)) = self.decode(word, at).or(unknown) else {
                return Some(format!("{index}: {word:08X} is no instruction"));
            };
            let name = mnemonic.split('.').next().unwrap_or("").to_owned();
            let is_float = mnemonic.contains('.') && text.starts_with("$f");
            let name = if is_float { "float".to_owned() } else { name };
            let operands = text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
            let instruction = Instruction { name, operands: operands.collect() };
            if instruction.branches() {
                let target = instruction.operands.last().and_then(|target| parse(target));
                let Some(target) = target else {
                    return Some(format!("{index}: {mnemonic} {text}: a branch to no place"));
                };
                let place = i64::from(target) - i64::from(ADDRESS);
                match (0..bytes.len() as i64).contains(&place) {
                    true => targets.push(place as usize / 4),
                    false if target < 0x1_0000 => {}
                    false if target % 16 == 0 && target < 0x1000_0000 => {}
                    false => return Some(format!("{index}: {mnemonic} {text}: a branch to a place between")),
                }
            }
            code.push((instruction, format!("{mnemonic} {text}")));
        }
        let (mut state, mut waits, mut before) = (entry(), false, entry());
        for (index, (instruction, text)) in code.iter().enumerate() {
            let is_target = targets.contains(&index);
            if index % 4 == 0 || is_target {
                state = entry();
            }
            let in_slot_of = index.checked_sub(1).map(|last| &code[last].0).filter(|last| last.has_slot());
            if let Err(why) = step(instruction, index, in_slot_of, &mut state, &mut waits) {
                return Some(format!("{index}: {text}: {why}"));
            }
            // Behind a slot that may have been left out holds what held before it and after it.
            if in_slot_of.is_some_and(Instruction::is_likely) {
                for (known, before) in state.iter_mut().zip(before) {
                    *known = if *known == before { before } else { Known::Nothing };
                }
            }
            before = state;
        }
        waits.then(|| "sp is not confined at the end".to_owned())
    }
}

/// A number of the disassembler's.
fn parse(text: &str) -> Option<u32> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()? as u32,
        None => text.parse().ok()?,
    };
    Some(if is_negative { number.wrapping_neg() } else { number })
}

fn step(
    i: &Instruction,
    index: usize,
    in_slot_of: Option<&Instruction>,
    state: &mut State,
    waits: &mut bool,
) -> Result<(), String> {
    let name = &*i.name;
    let is_known = WRITING.contains(&name) || PLAIN.contains(&name) || name == "float" || name == "c";
    if !is_known && !i.has_slot() {
        return Err("no instruction of a program".to_owned());
    }
    if in_slot_of.is_some() && i.has_slot() {
        return Err("a branch in a slot".to_owned());
    }
    if i.links() && index % 4 != 2 {
        return Err("a call that does not end its bundle".to_owned());
    }
    if ACCESSES.contains(&name) {
        let place = i.operands.last().ok_or("no place")?;
        let (offset, base) = place.trim_end_matches(')').split_once('(').ok_or("no base")?;
        let base = register(base).ok_or("no base")?;
        let is_thread = base == THREAD && name == "lw" && matches!(offset, "" | "0" | "4");
        let is_data = base == SP || base != THREAD && state[base] != Known::Nothing;
        if !is_thread && !is_data {
            return Err(format!("an access at {:?}", state[base]));
        }
    }
    if matches!(name, "jr" | "jalr") {
        let to = i.operands.last().and_then(|to| register(to)).ok_or("no target")?;
        if state[to] != Known::Bundle {
            return Err(format!("a jump to {:?}", state[to]));
        }
    }
    let (written, mask) = (i.written(), i.masked());
    if matches!(written, Some(CODE_MASK | DATA_MASK | THREAD)) {
        return Err("a mask or the thread is written".to_owned());
    }
    let confines_stack = matches!(mask, Some((SP, Known::Data)));
    if core::mem::take(waits) && !confines_stack {
        return Err("sp is not confined".to_owned());
    }
    match (written, mask) {
        (Some(SP), _) if !confines_stack => {
            if in_slot_of.is_some() {
                return Err("sp is changed in a slot".to_owned());
            }
            *waits = true;
        }
        (Some(SP), _) => {}
        (Some(to), Some((_, known))) => state[to] = known,
        (Some(to), None) => state[to] = Known::Nothing,
        (None, _) => {}
    }
    Ok(())
}
