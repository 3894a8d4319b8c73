//! What registers hold at each instruction of a function, as far as a caller's registers and its stack are concerned.
//!
//! An abstract interpretation of machine code, which knows nothing of the compiler: values are a register of the caller,
//! a distance from the canonical frame address, or unknown; states of paths that meet keep what they agree on. Functions
//! are walked from their entry to a fixed point. Blocks that only a jump by a table reaches start with what held at such
//! a jump.

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpKind,
    Register,
};
use std::collections::BTreeMap;

/// What a register or a word of the stack holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Unknown,
    /// What this register held at the entry; `None` for the return address.
    Caller(Option<u8>),
    /// What this vector register held at the entry.
    CallerVector(u8),
    /// The canonical frame address and so many bytes.
    Frame(i64),
}

use Value::{Caller, CallerVector, Frame, Unknown};

/// The machine at a place in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// General registers, by the number in encodings.
    pub registers: [Value; 16],
    /// Vector registers, by their numbers.
    pub vectors: [Value; 16],
    /// Words of the stack that hold a caller's register, and starts of what holds a vector, by their distance from the canonical frame address.
    pub stack: BTreeMap<i64, Value>,
}

/// The number of a vector register.
fn vector(register: Register) -> Option<usize> {
    register.is_vector_register().then(|| register.number() & 15)
}

/// The number of a general register in encodings, of whatever width.
fn number(register: Register) -> Option<usize> {
    register.is_gpr().then(|| register.full_register().number())
}

const SP: usize = 4;

impl State {
    fn at_entry(word: i64) -> State {
        let mut registers: [Value; 16] = std::array::from_fn(|n| Caller(Some(n as u8)));
        registers[SP] = Frame(-word);
        let vectors = std::array::from_fn(|n| CallerVector(n as u8));
        State { registers, vectors, stack: BTreeMap::from([(-word, Caller(None))]) }
    }

    /// Keeps what two states agree on.
    fn meet(&self, other: &State) -> State {
        let mut met = self.clone();
        for (one, other) in met.registers.iter_mut().zip(other.registers) {
            if *one != other {
                *one = Unknown;
            }
        }
        for (one, other) in met.vectors.iter_mut().zip(other.vectors) {
            if *one != other {
                *one = Unknown;
            }
        }
        met.stack.retain(|place, value| other.stack.get(place) == Some(value));
        met
    }

    fn register(&self, register: Register) -> Value {
        number(register).map_or(Unknown, |n| self.registers[n])
    }

    fn move_stack(&mut self, by: i64) {
        self.registers[SP] = offset(self.registers[SP], by);
    }

    /// The place of an operand in memory, from the canonical frame address.
    fn place(&self, inst: &Instruction) -> Option<i64> {
        match self.register(inst.memory_base()) {
            Frame(base) if inst.memory_index() == Register::None => Some(base + displacement(inst)),
            _ => None,
        }
    }

    /// Forgets what was in memory at the place of a store.
    fn store(&mut self, inst: &Instruction, size: i64) {
        if let Some(start) = self.place(inst) {
            let bytes = |value: &Value| if matches!(value, CallerVector(_)) { 16 } else { 8 };
            self.stack.retain(|&place, value| place + bytes(value) <= start || start + size <= place);
        }
    }
}

fn offset(value: Value, by: i64) -> Value {
    match value {
        Frame(at) => Frame(at + by),
        _ => Unknown,
    }
}

/// The instructions of a function with the states before them.
pub struct Walk {
    pub insts: Vec<Instruction>,
    /// By number of the instruction; none for what control does not come to.
    pub states: Vec<Option<State>>,
    word: i64,
    info: InstructionInfoFactory,
}

impl Walk {
    /// Walks a function.
    pub fn new(code: &[u8], address: u64, word: u8) -> Walk {
        let insts: Vec<Instruction> =
            Decoder::with_ip(u32::from(word) * 8, code, address, DecoderOptions::NONE).into_iter().collect();
        let states = vec![None; insts.len()];
        let mut walk = Walk { insts, states, word: word.into(), info: InstructionInfoFactory::new() };
        walk.run(vec![(0, State::at_entry(word.into()))]);
        let jumps = walk.insts.iter().zip(&walk.states);
        let by_table = jumps.filter(|(inst, _)| inst.flow_control() == FlowControl::IndirectBranch);
        // One that has given back its frame leaves the function.
        let entry = State::at_entry(word.into()).registers[SP];
        let starts = || by_table.clone().filter_map(|(_, state)| state.clone());
        let start = starts().find(|state| state.registers[SP] != entry).or_else(|| starts().next());
        while let Some(start) = &start
            && let Some(next) = walk.unreached()
        {
            walk.run(vec![(next, start.clone())]);
        }
        walk
    }

    /// The first instruction that no path has led to, and that is no padding.
    fn unreached(&self) -> Option<usize> {
        self.states.iter().position(Option::is_none)
    }

    fn find(&self, address: u64) -> Option<usize> {
        self.insts.binary_search_by_key(&address, Instruction::ip).ok()
    }

    fn run(&mut self, mut work: Vec<(usize, State)>) {
        while let Some((at, state)) = work.pop() {
            let met = match &self.states[at] {
                Some(known) => known.meet(&state),
                None => state,
            };
            if self.states[at].as_ref() == Some(&met) {
                continue;
            }
            self.states[at] = Some(met.clone());
            let inst = self.insts[at];
            let after = self.step(at, met);
            let falls_through = !matches!(
                inst.flow_control(),
                FlowControl::Return
                    | FlowControl::UnconditionalBranch
                    | FlowControl::IndirectBranch
                    | FlowControl::Exception
            );
            if matches!(
                inst.flow_control(),
                FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch
            ) && inst.near_branch_target() != inst.next_ip()
                && let Some(target) = self.find(inst.near_branch_target())
            {
                // A jump to what is behind it goes to where the linker says: out of the function.
                work.push((target, after.clone()));
            }
            if falls_through && at + 1 < self.insts.len() {
                work.push((at + 1, self.fall_through(at, after)));
            }
        }
    }

    /// Behind `cmp rsp, limit; jne` the two are the same.
    fn fall_through(&self, at: usize, mut after: State) -> State {
        if self.insts[at].mnemonic() == Mnemonic::Jne
            && let Some(compare) = at.checked_sub(1).map(|at| self.insts[at])
            && compare.mnemonic() == Mnemonic::Cmp
            && number(compare.op0_register()) == Some(SP)
            && compare.op1_kind() == OpKind::Register
        {
            after.registers[SP] = after.register(compare.op1_register());
        }
        after
    }

    /// The state behind an instruction.
    fn step(&mut self, at: usize, mut state: State) -> State {
        let inst = self.insts[at];
        let (first, second) = (inst.op0_register(), inst.op1_register());
        match inst.mnemonic() {
            Mnemonic::Push => {
                let value = state.register(first);
                state.move_stack(-self.word);
                if let Frame(place) = state.registers[SP] {
                    state.stack.insert(place, value);
                }
            }
            Mnemonic::Pop => {
                let value = match state.registers[SP] {
                    Frame(place) => state.stack.get(&place).copied().unwrap_or(Unknown),
                    _ => Unknown,
                };
                state.move_stack(self.word);
                if let Some(n) = number(first) {
                    state.registers[n] = value;
                }
            }
            // What comes next takes the address of itself; calls to other objects have no target yet.
            Mnemonic::Call if self.insts.get(at + 1).is_some_and(|next| next.mnemonic() == Mnemonic::Pop) => {
                state.move_stack(-self.word);
            }
            Mnemonic::Call => self.call(at, &mut state),
            Mnemonic::Mov if inst.op0_kind() == OpKind::Register && inst.op1_kind() == OpKind::Register => {
                if let Some(n) = number(first) {
                    let is_whole = first.size() as i64 == self.word;
                    state.registers[n] = if is_whole { state.register(second) } else { Unknown };
                }
            }
            Mnemonic::Lea if inst.memory_index() == Register::None && first.size() as i64 == self.word => {
                if let Some(n) = number(first) {
                    let base = state.register(inst.memory_base());
                    state.registers[n] = offset(base, displacement(&inst));
                }
            }
            Mnemonic::Add | Mnemonic::Sub
                if number(first) == Some(SP) && inst.op1_kind() != OpKind::Register =>
            {
                let by = immediate(&inst);
                state.move_stack(if inst.mnemonic() == Mnemonic::Add { by } else { -by });
            }
            Mnemonic::Movaps => {
                self.other(&inst, &mut state);
                match (vector(first), vector(second), state.place(&inst)) {
                    (None, Some(from), Some(place)) => {
                        state.stack.insert(place, state.vectors[from]);
                    }
                    (Some(to), None, Some(place)) => {
                        state.vectors[to] = state.stack.get(&place).copied().unwrap_or(Unknown);
                    }
                    _ => {}
                }
            }
            _ => self.other(&inst, &mut state),
        }
        state
    }

    /// A call destroys what is not the caller's. What it takes off the stack is put back right behind it.
    fn call(&self, at: usize, state: &mut State) {
        let kept: &[usize] = if self.word == 8 { &[3, 4, 5, 12, 13, 14, 15] } else { &[3, 4, 5, 6, 7] };
        for n in (0..16).filter(|n| !kept.contains(n)) {
            state.registers[n] = Unknown;
        }
        state.vectors = [Unknown; 16];
        if let Some(next) = self.insts.get(at + 1)
            && next.mnemonic() == Mnemonic::Sub
            && number(next.op0_register()) == Some(SP)
            && next.op1_kind() != OpKind::Register
        {
            state.move_stack(immediate(next));
        }
    }

    fn other(&mut self, inst: &Instruction, state: &mut State) {
        let info = self.info.info(inst);
        for used in info.used_registers() {
            use iced_x86::OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
            if matches!(used.access(), Write | CondWrite | ReadWrite | ReadCondWrite) {
                if let Some(n) = number(used.register()) {
                    state.registers[n] = Unknown;
                }
                if let Some(n) = vector(used.register()) {
                    state.vectors[n] = Unknown;
                }
            }
        }
        let writes = info.used_memory().iter().any(|used| {
            use iced_x86::OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
            matches!(used.access(), Write | CondWrite | ReadWrite | ReadCondWrite)
        });
        // `or dword [rsp], 0` touches a page.
        let touches =
            inst.mnemonic() == Mnemonic::Or && inst.op1_kind() != OpKind::Register && immediate(inst) == 0;
        if writes && !touches {
            state.store(inst, inst.memory_size().size() as i64);
        }
    }
}

/// What is added to the registers of an address, with its sign.
fn displacement(inst: &Instruction) -> i64 {
    i64::from(inst.memory_displacement32() as i32)
}

fn immediate(inst: &Instruction) -> i64 {
    match inst.code() {
        Code::INVALID => 0,
        _ => inst.try_immediate(1).unwrap_or(0) as i64,
    }
}
