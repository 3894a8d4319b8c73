//! The tables of an object against its code.

use super::walk::{State, Value, Walk};
use gimli::{BaseAddresses, CfaRule, CieOrFde, EhFrame, FrameDescriptionEntry, LittleEndian, Register};
use gimli::{RegisterRule, UnwindContext, UnwindSection as _, UnwindTableRow};
use iced_x86::FlowControl;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationTarget};

/// Where sections are put for the test.
const TABLES: u64 = 0x2000_0000;
const CODE: u64 = 0x1000_0000;

/// At which instructions tables must be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    Everywhere,
    /// Where an exception can come from.
    Calls,
}

/// What was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    pub functions: usize,
    pub instructions: usize,
}

type Slice<'a> = gimli::EndianSlice<'a, LittleEndian>;

/// The registers that functions preserve: numbers in encodings and in tables.
fn preserved(word: u8) -> &'static [(u8, u16)] {
    match word {
        8 => &[(3, 3), (5, 6), (12, 12), (13, 13), (14, 14), (15, 15)],
        _ => &[(3, 3), (5, 5), (6, 6), (7, 7)],
    }
}

/// The number in encodings of a register in tables.
fn encoded(word: u8, register: Register) -> usize {
    const WIDE: [usize; 8] = [0, 2, 1, 3, 6, 7, 5, 4];
    match WIDE.get(usize::from(register.0)) {
        Some(&number) if word == 8 => number,
        _ => register.0.into(),
    }
}

/// Tables and code, each at its address, and the bytes of a word.
type Sections = (Vec<u8>, Vec<u8>, u8);

/// The tables of an object with the code that they are for; `None` if there are no tables.
fn sections(object: &[u8]) -> Result<Option<Sections>, String> {
    let file = object::File::parse(object).map_err(|error| error.to_string())?;
    let word = if file.is_64() { 8 } else { 4 };
    let Some(section) = file.section_by_name(".eh_frame") else { return Ok(None) };
    let mut tables = section.data().map_err(|error| error.to_string())?.to_vec();
    let code = file.section_by_name(".text").ok_or("no code")?;
    let symbols = file.symbol_table().ok_or("no symbols")?;
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            return Err("a strange target".into());
        };
        let symbol = symbols.symbol_by_index(symbol).map_err(|error| error.to_string())?;
        if symbol.section_index() != Some(code.index()) {
            return Err("tables are for what is no code".into());
        }
        let field = &mut tables[offset as usize..][..4];
        let implicit = i64::from(i32::from_le_bytes(field.try_into().expect("four bytes")));
        let addend = if relocation.has_implicit_addend() { implicit } else { relocation.addend() };
        let value = (CODE + symbol.address()) as i64 + addend - (TABLES + offset) as i64;
        field.copy_from_slice(&(value as i32).to_le_bytes());
    }
    Ok(Some((tables, code.data().map_err(|error| error.to_string())?.to_vec(), word)))
}

/// Compares all tables of an object with the code that they are for.
pub fn check(object: &[u8], place: Where) -> Result<Checked, String> {
    match sections(object)? {
        None => Ok(Checked::default()),
        Some((tables, code, word)) => check_section(&tables, &code, word, place),
    }
}

/// All rows of all functions, as text.
pub fn rows(object: &[u8]) -> Vec<String> {
    let Some((tables, _, word)) = sections(object).expect("an object") else { return Vec::new() };
    let mut section = EhFrame::new(&tables, LittleEndian);
    section.set_address_size(word);
    let bases = BaseAddresses::default().set_eh_frame(TABLES).set_text(CODE);
    let (mut rows, mut entries) = (Vec::new(), section.entries(&bases));
    while let Some(entry) = entries.next().expect("an entry") {
        let CieOrFde::Fde(partial) = entry else { continue };
        let fde = partial.parse(EhFrame::cie_from_offset).expect("an entry of a function");
        let mut context = UnwindContext::new();
        let mut table = fde.rows(&section, &bases, &mut context).expect("rows");
        while let Some(row) = table.next_row().expect("a row") {
            rows.push(format!("{row:x?}"));
        }
    }
    rows
}

fn check_section(tables: &[u8], code: &[u8], word: u8, place: Where) -> Result<Checked, String> {
    let mut section = EhFrame::new(tables, LittleEndian);
    section.set_address_size(word);
    let bases = BaseAddresses::default().set_eh_frame(TABLES).set_text(CODE);
    let mut checked = Checked::default();
    let mut entries = section.entries(&bases);
    while let Some(entry) = entries.next().map_err(|error| error.to_string())? {
        let CieOrFde::Fde(partial) = entry else { continue };
        let fde = partial.parse(EhFrame::cie_from_offset).map_err(|error| error.to_string())?;
        checked.functions += 1;
        let start = (fde.initial_address() - CODE) as usize;
        let body = code.get(start..start + fde.len() as usize).ok_or("a function is no code")?;
        let walk = Walk::new(body, fde.initial_address(), word);
        let mut context = UnwindContext::new();
        for (inst, state) in walk.insts.iter().zip(&walk.states) {
            // Behind calls that do not return comes nothing that is executed.
            let Some(state) = state else { continue };
            if place == Where::Calls
                && !matches!(inst.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
            {
                continue;
            }
            checked.instructions += 1;
            check_row(&section, &bases, &fde, &mut context, inst.ip(), (state, word)).map_err(|error| {
                format!("function at {start:#x}, {:#x}: {inst}: {error}\n{state:x?}", inst.ip() - CODE)
            })?;
        }
    }
    Ok(checked)
}

fn check_row<'a>(
    section: &EhFrame<Slice<'a>>,
    bases: &BaseAddresses,
    fde: &FrameDescriptionEntry<Slice<'a>>,
    context: &mut UnwindContext<usize>,
    address: u64,
    (state, word): (&State, u8),
) -> Result<(), String> {
    let row: &UnwindTableRow<usize> =
        fde.unwind_info_for_address(section, bases, context, address).map_err(|error| error.to_string())?;
    let &CfaRule::RegisterAndOffset { register, offset } = row.cfa() else {
        return Err("an expression".into());
    };
    if state.registers[encoded(word, register)] != Value::Frame(-offset) {
        return Err(format!("the frame address is not {offset} above {register:?}"));
    }
    let return_address = if word == 8 { (None, 16) } else { (None, 8) };
    let registers = preserved(word).iter().map(|&(number, register)| (Some(number), register));
    for (number, register) in registers.chain([return_address]) {
        let found = match (row.register(Register(register)), number) {
            (None | Some(RegisterRule::SameValue | RegisterRule::Undefined), Some(number)) => {
                state.registers[usize::from(number)]
            }
            (Some(RegisterRule::Offset(place)), _) => {
                if matches!(state.registers[4], Value::Frame(top) if place < top) {
                    return Err(format!("register {register} is below the stack pointer"));
                }
                state.stack.get(&place).copied().unwrap_or(Value::Unknown)
            }
            (rule, _) => return Err(format!("register {register}: {rule:?}")),
        };
        if found != Value::Caller(number) {
            return Err(format!("register {register} of the caller is not found: {found:x?}"));
        }
    }
    // What is said of vectors, which only functions of some conventions preserve (System V ABI, x86-64: figure 3.36).
    for number in (0..16u8).filter(|_| word == 8) {
        if let Some(RegisterRule::Offset(place)) = row.register(Register(17 + u16::from(number)))
            && state.stack.get(&place) != Some(&Value::CallerVector(number))
        {
            return Err(format!("vector register {number} of the caller is not found at {place}"));
        }
    }
    Ok(())
}
