//! The rules of x86 once more, slowly: by what instructions do, as `iced-x86` tells it, and not by their forms.
//!
//! Every general register has a state: nothing is known, its upper half is zero, it is besides a multiple of the
//! bundle, it points into the window, or to a bundle. A state holds along straight code; at starts of bundles and at
//! targets of branches nothing is known but of `r15`, `rsp` and `rbp`. What an instruction accesses and where it branches
//! must be safe in the state before it, whatever form it has.

use super::ADDRESS;
use ice_validator::Target;
use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory,
    InstructionInfoOptions, Mnemonic, OpAccess, OpKind, Register,
};

/// What is known of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Nothing,
    Low,
    LowBundle,
    Data,
    Bundle,
}

/// The states of the sixteen registers.
type State = [Known; 16];

const RSP: usize = 4;
const RBP: usize = 5;
const WINDOW: usize = 15;

fn entry() -> State {
    let mut state = [Known::Nothing; 16];
    state[RSP] = Known::Data;
    state[RBP] = Known::Data;
    state[WINDOW] = Known::Data;
    state
}

fn number(register: Register) -> Option<usize> {
    let full = register.full_register();
    full.is_gpr64().then(|| full.number())
}

/// A checker with the memory of the disassembler.
pub struct Slow {
    long: bool,
    factory: InstructionInfoFactory,
}

impl Slow {
    pub fn new(target: Target) -> Slow {
        Slow { long: target == Target::X86_64, factory: InstructionInfoFactory::new() }
    }

    /// The instruction at the start of bytes.
    pub fn decode(&self, bytes: &[u8], at: u64) -> Instruction {
        let bits = if self.long { 64 } else { 32 };
        Decoder::with_ip(bits, bytes, at, DecoderOptions::NONE).decode()
    }

    /// Why one instruction, entered by itself, is unsafe.
    pub fn unsafe_alone(&mut self, instruction: &Instruction) -> Option<String> {
        let mut state = entry();
        self.step(instruction, &mut state).err()
    }

    /// Why a text that was accepted is unsafe.
    pub fn unsafe_text(&mut self, bytes: &[u8]) -> Option<String> {
        let start = u64::from(ADDRESS);
        let mut code = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let instruction = self.decode(&bytes[at..], start + at as u64);
            if instruction.is_invalid() || at / 32 != (at + instruction.len() - 1) / 32 {
                return Some(format!("{at:#x}: no instruction, or not in one bundle"));
            }
            code.push((at, instruction));
            at += instruction.len();
        }
        let mut targets = Vec::new();
        for (at, instruction) in &code {
            if !matches!(instruction.op0_kind(), OpKind::NearBranch32 | OpKind::NearBranch64) {
                continue;
            }
            let target = instruction.near_branch_target().wrapping_sub(start) as i64;
            let is_inside = (0..bytes.len() as i64).contains(&target);
            let begins = code.iter().any(|&(at, _)| at as i64 == target);
            if !(begins || !is_inside && target % 32 == 0) {
                return Some(format!("{at:#x}: a branch to {target:#x}"));
            }
            targets.push(target);
        }
        let mut state = entry();
        for (at, instruction) in &code {
            if at % 32 == 0 || targets.contains(&(*at as i64)) {
                if self.long && (state[RSP] != Known::Data || state[RBP] != Known::Data) {
                    return Some(format!("{at:#x}: a pointer is not confined"));
                }
                state = entry();
            }
            if let Err(why) = self.step(instruction, &mut state) {
                return Some(format!("{at:#x}: {instruction}: {why}"));
            }
        }
        (self.long && (state[RSP] != Known::Data || state[RBP] != Known::Data)).then(|| "the end".to_owned())
    }

    /// Judges an instruction and changes the state as it does.
    fn step(&mut self, instruction: &Instruction, state: &mut State) -> Result<(), String> {
        is_ordinary(instruction, self.long)?;
        let info = self.factory.info_options(instruction, InstructionInfoOptions::NONE).clone();
        if !self.long {
            return branch_32(instruction, state);
        }
        for memory in info.used_memory() {
            if memory.access() == OpAccess::NoMemAccess || memory.access() == OpAccess::None {
                continue;
            }
            let is_low = |register: Register| match number(register) {
                Some(index) => matches!(state[index], Known::Low | Known::LowBundle),
                None => register == Register::None,
            };
            let base = memory.base();
            let has_base = base == Register::RIP
                || number(base).is_some_and(|base| matches!(state[base], Known::Data | Known::Bundle));
            // The disassembler has added rip already.
            let has_base = has_base || base == Register::None && instruction.is_ip_rel_memory_operand();
            let is_wide = base == Register::None || base == Register::RIP || base.is_gpr64();
            if !has_base || !is_low(memory.index()) || !is_wide {
                return Err(format!("an access {memory:?} in {state:?}"));
            }
        }
        if matches!(instruction.mnemonic(), Mnemonic::Bt | Mnemonic::Bts | Mnemonic::Btr | Mnemonic::Btc)
            && instruction.op0_kind() == OpKind::Memory
            && instruction.op1_kind() == OpKind::Register
        {
            return Err("a bit far from its address".to_owned());
        }
        if matches!(instruction.flow_control(), FlowControl::IndirectBranch | FlowControl::IndirectCall) {
            let register = number(instruction.op0_register()).ok_or("a branch through memory")?;
            if state[register] != Known::Bundle {
                return Err(format!("a branch in {state:?}"));
            }
        }
        let before = *state;
        for used in info.used_registers() {
            let is_written = !matches!(used.access(), OpAccess::Read | OpAccess::CondRead);
            let Some(register) = number(used.register()).filter(|_| is_written) else { continue };
            let is_certain = matches!(used.access(), OpAccess::Write | OpAccess::ReadWrite);
            // A write of 32 bits is reported as one of the whole register.
            let is_wide = writes_32(instruction, register);
            state[register] = if is_certain && is_wide { Known::Low } else { Known::Nothing };
            if register == WINDOW {
                return Err("r15 is written".to_owned());
            }
        }
        self.pointers(instruction, &before, state)?;
        if matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
            *state = entry();
        }
        Ok(())
    }

    /// The instructions that make addresses, and those that move the stack.
    fn pointers(&self, instruction: &Instruction, before: &State, state: &mut State) -> Result<(), String> {
        if instruction.stack_pointer_increment() != 0
            && !matches!(instruction.mnemonic(), Mnemonic::Leave | Mnemonic::Enter)
            && !(instruction.mnemonic() == Mnemonic::Pop && number(instruction.op0_register()) == Some(RSP))
        {
            state[RSP] = before[RSP];
        }
        let first = instruction.op0_register();
        let Some(to) = number(first).filter(|_| instruction.op0_kind() == OpKind::Register) else {
            return stays(state);
        };
        let from = number(instruction.op1_register());
        let mask =
            if instruction.op_count() > 1 { instruction.try_immediate(1).unwrap_or(0) as i64 } else { 0 };
        match instruction.mnemonic() {
            Mnemonic::And if first.is_gpr32() && mask as i32 == -32 => state[to] = Known::LowBundle,
            Mnemonic::And if to == RSP && first.is_gpr64() && (-128..0).contains(&mask) => {
                state[to] = before[to]
            }
            Mnemonic::Mov if first.is_gpr64() && from.is_some() => {
                state[to] = match before[from.unwrap_or(0)] {
                    Known::Bundle => Known::Data,
                    known => known,
                }
            }
            Mnemonic::Add | Mnemonic::Or if first.is_gpr64() && from == Some(WINDOW) => {
                state[to] = address_of(before[to]);
            }
            Mnemonic::Lea if first.is_gpr64() && instruction.memory_index_scale() == 1 => {
                let parts = [instruction.memory_base(), instruction.memory_index()].map(number);
                let other = match parts {
                    [Some(WINDOW), Some(other)] | [Some(other), Some(WINDOW)] => other,
                    _ => return stays(state),
                };
                if instruction.memory_displacement64() == 0 {
                    state[to] = address_of(before[other]);
                }
            }
            _ => {}
        }
        stays(state)
    }
}

/// What the sum of the start of the window and a number is.
fn address_of(known: Known) -> Known {
    match known {
        Known::Low => Known::Data,
        Known::LowBundle => Known::Bundle,
        _ => Known::Nothing,
    }
}

/// Stack and frame pointer point into the window or wait for that.
fn stays(state: &State) -> Result<(), String> {
    let is_good = |known| known != Known::Nothing;
    if is_good(state[RSP]) && is_good(state[RBP]) { Ok(()) } else { Err("a pointer is lost".to_owned()) }
}

/// Whether an explicit operand that is written is the register in 32 bits.
fn writes_32(instruction: &Instruction, register: usize) -> bool {
    (0..instruction.op_count()).any(|operand| {
        instruction.op_kind(operand) == OpKind::Register
            && instruction.op_register(operand).is_gpr32()
            && number(instruction.op_register(operand)) == Some(register)
    })
}

/// x86-32: only branches are confined by code.
fn branch_32(instruction: &Instruction, state: &mut State) -> Result<(), String> {
    let is_register = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Register;
    let to = number(instruction.op0_register()).filter(|_| is_register);
    if matches!(instruction.flow_control(), FlowControl::IndirectBranch | FlowControl::IndirectCall)
        && to.is_none_or(|to| state[to] != Known::LowBundle)
    {
        return Err("a branch to any place".to_owned());
    }
    *state = entry();
    if let Some(to) = to.filter(|_| instruction.mnemonic() == Mnemonic::And) {
        let is_mask = instruction.op_count() > 1 && instruction.try_immediate(1).unwrap_or(0) as i32 == -32;
        if is_mask && instruction.op0_register().is_gpr32() {
            state[to] = Known::LowBundle;
        }
    }
    Ok(())
}

/// Whether an instruction is one of a program and none of a system, and leaves segments alone.
fn is_ordinary(instruction: &Instruction, long: bool) -> Result<(), String> {
    use CpuidFeature::*;
    const FEATURES: &[CpuidFeature] = &[
        INTEL8086,
        INTEL8086_ONLY,
        INTEL186,
        INTEL286,
        INTEL386,
        INTEL386_ONLY,
        INTEL486,
        X64,
        CPUID,
        TSC,
        CMOV,
        CX8,
        CMPXCHG16B,
        CLFSH,
        FPU,
        FPU287,
        FPU387,
        MULTIBYTENOP,
        PAUSE,
        SSE,
        SSE2,
        SSE3,
        SSSE3,
        SSE4_1,
        SSE4_2,
        POPCNT,
        LZCNT,
        BMI1,
        MOVBE,
        PREFETCHW,
    ];
    let is_known = instruction.cpuid_features().iter().all(|feature| FEATURES.contains(feature));
    if instruction.is_invalid() || !is_known {
        return Err(format!("not ordinary: {:?}", instruction.cpuid_features()));
    }
    if instruction.is_privileged() && instruction.mnemonic() != Mnemonic::Hlt {
        return Err("privileged".to_owned());
    }
    match instruction.flow_control() {
        FlowControl::Return | FlowControl::Interrupt | FlowControl::XbeginXabortXend => {
            return Err("control leaves".to_owned());
        }
        FlowControl::Exception if instruction.mnemonic() != Mnemonic::Ud2 => return Err("a trap".to_owned()),
        _ => {}
    }
    let is_far = (0..instruction.op_count())
        .any(|operand| matches!(instruction.op_kind(operand), OpKind::FarBranch16 | OpKind::FarBranch32))
        || matches!(instruction.op_kind(0), OpKind::NearBranch16)
        || instruction.memory_size() == iced_x86::MemorySize::SegPtr32;
    let has_segment = (0..instruction.op_count()).any(|operand| {
        instruction.op_kind(operand) == OpKind::Register
            && instruction.op_register(operand).is_segment_register()
    });
    let is_thread_pointer = !long
        && instruction.mnemonic() == Mnemonic::Mov
        && instruction.op0_kind() == OpKind::Register
        && instruction.segment_prefix() == Register::GS
        && instruction.memory_base() == Register::None
        && instruction.memory_index() == Register::None
        && matches!(instruction.memory_displacement64(), 0 | 4);
    // A nop of the recommended padding has the prefix 2E.
    let is_nop = instruction.mnemonic() == Mnemonic::Nop;
    if is_far || has_segment || instruction.has_segment_prefix() && !is_thread_pointer && !is_nop {
        return Err("segments".to_owned());
    }
    match instruction.mnemonic() {
        Mnemonic::Popf
        | Mnemonic::Popfd
        | Mnemonic::Popfq
        | Mnemonic::Pushf
        | Mnemonic::Pushfd
        | Mnemonic::Pushfq => Err("system flags".to_owned()),
        Mnemonic::Lds | Mnemonic::Les | Mnemonic::Lfs | Mnemonic::Lgs | Mnemonic::Lss => {
            Err("segments".to_owned())
        }
        _ => Ok(()),
    }
}
