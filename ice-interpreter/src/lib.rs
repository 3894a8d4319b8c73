//! Reference interpreter of functions and whole programs: the oracle of the tests.
//!
//! The method is a pre-decoded register machine: every function becomes an array of compact operations over
//! frame slots once (`decode`), which one loop executes with an explicit call stack (`execute`). Correctness
//! comes first; nothing is optimised that could not be read against the bitcode specification, section 10.
//!
//! What the format leaves undefined gets a fixed value and is *tainted*, lane by lane, and taint flows
//! through arithmetic and memory:
//!
//! | case | value |
//! |---|---|
//! | shift amount past the width | the amount masked to the width |
//! | MIN / -1, MIN % -1 | MIN, 0 |
//! | floating point to integer, out of range or NaN | saturated, 0 |
//! | `undef` | 0 |
//! | fresh alloca memory | what was there |
//! | sign and payload of a NaN made by arithmetic | those of the host; tainted only when looked at as bits |
//!
//! These trap on every run: a zero divisor (in vectors in any lane), `unreachable`, an access outside of
//! mapped memory (the lowest 64 KiB never are) or to a constant global for writing, a misaligned atomic
//! access, an indirect call to a wrong address or with types that do not fit the callee's. A load or store that
//! is less aligned than it promises is performed.
//!
//! Types of an indirect call *fit* those of the callee if the parameters are the first of the arguments, with the same
//! types, and the call has the result of the callee or, unless that is an `f32` or `f64`, none. The conventions of all
//! targets let such calls pass: start code calls a `main` without parameters with three arguments. A number that x86-32
//! leaves on the stack of the x87 unit must be taken from there.
//!
//! Memory: constants, variables and the stack from address 64 KiB on, mappings above. Functions have the
//! addresses 0xf0000000 + 16 × number, the run-time environment 0xff000000 and up; neither is mapped.
//!
//! ```
//! use ice_interpreter::{Interpreter, Scalar};
//!
//! let text = "define external @twice(v0: i32) -> i32 {\nblock0:\n  v1: i32 = add v0, v0\n  ret v1\n}\n";
//! let program = ice_ir::parse_program(text)?;
//! let twice = program.module.function_by_name(b"twice").expect("it is defined");
//! let outcome = Interpreter::new(&program)?.call(twice, &[Scalar::i32(21)])?;
//! assert_eq!(outcome.value, Some(Scalar::i32(42)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not for you if programs are to run fast. There are no cargo features. Tests: arithmetic written down a second
//! time, hand-built programs, generated programs.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use cranelift_entity::EntityRef;
use ice_ir::{FuncId, GlobalId, GlobalKind, Initializer, Mutability, Program, Symbol, Type};

mod code;
mod decode;
mod execute;
mod host;
mod irt;
mod memory;
mod threads;
mod trap;
mod value;

pub use host::{CaptureHost, Clock, Errno, FileKind, FileStatus, Host, NoHost, Whence};
pub use trap::{Access, Location, Trap, TrapKind};

use code::Code;
use execute::{Shared, Thread};
use memory::{MAPPED, Memory, PAGE, READ, WRITE};
use threads::{Failure, Finish};
use value::{Slot, UNDEFINED};

/// Where globals begin.
const DATA_BASE: u64 = 0x1_0000;
/// Address of function 0.
const FUNCTION_BASE: u64 = 0xf000_0000;

/// How much an execution may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Operations; about one for an instruction.
    pub steps: u64,
    /// Bytes of memory from address 0 to the end of the last mapping; at most 0xf0000000.
    pub memory: u32,
    /// Bytes of the stack for allocas of the first thread.
    pub stack: u32,
    /// Nested calls of one thread.
    pub call_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: u64::MAX, memory: 1 << 30, stack: 16 << 20, call_depth: 1 << 18 }
    }
}

/// A value outside of any function: a scalar, or the lanes of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Its type, not `void`.
    pub ty: Type,
    /// Its bits, zero-extended; lane 0 of a vector lowest, one bit for each lane of a boolean vector.
    pub bits: u128,
}

impl Scalar {
    /// A value of type `ty`; bits past its width are dropped.
    pub const fn new(ty: Type, bits: u128) -> Scalar {
        let mask = match ty.bits() {
            128.. => u128::MAX,
            width => (1 << width) - 1,
        };
        Scalar { ty, bits: bits & mask }
    }

    /// An i32.
    pub const fn i32(value: i32) -> Scalar {
        Scalar::new(Type::I32, value as u32 as u128)
    }

    /// An i64.
    pub const fn i64(value: i64) -> Scalar {
        Scalar::new(Type::I64, value as u64 as u128)
    }

    /// An f32.
    pub const fn f32(value: f32) -> Scalar {
        Scalar::new(Type::F32, value.to_bits() as u128)
    }

    /// An f64.
    pub const fn f64(value: f64) -> Scalar {
        Scalar::new(Type::F64, value.to_bits() as u128)
    }

    /// Lane `i`, zero-extended; lane 0 of a scalar is the scalar.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn lane(self, i: u32) -> u64 {
        assert!(i < self.ty.lanes(), "{} has no lane {i}", self.ty);
        self.slot().lane(self.ty, i)
    }

    fn slot(self) -> Slot {
        Slot::wide(self.bits, 0)
    }

    /// Whether lane `i` is a NaN.
    fn is_nan(self, i: u32) -> bool {
        match self.ty.element() {
            Type::F32 => f32::from_bits(self.lane(i) as u32).is_nan(),
            Type::F64 => f64::from_bits(self.lane(i)).is_nan(),
            _ => false,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ty)?;
        for i in (0..self.ty.lanes()).rev() {
            write!(f, "{}{:#x}", if i + 1 == self.ty.lanes() { ' ' } else { '_' }, self.lane(i))?;
        }
        Ok(())
    }
}

/// What else depended on undefined values in one execution. Where a flag is set, another correct
/// implementation may have gone another way, and only the absence of a crash can be compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TaintUse {
    /// A branch, a switch, the target of an indirect call, a divisor or the success of a cmpxchg.
    pub control: bool,
    /// The address or length of a memory access or the size of an alloca.
    pub address: bool,
    /// Bytes written to a descriptor, or another argument of the run-time environment.
    pub output: bool,
}

impl TaintUse {
    /// True if any flag is set.
    pub const fn any(self) -> bool {
        self.control || self.address || self.output
    }
}

/// The result of one function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The returned value; `None` from a `void` function.
    pub value: Option<Scalar>,
    /// Lanes (bit 0 is lane 0) that the format leaves undefined.
    pub tainted: u16,
    /// Lanes that are NaNs with unspecified sign and payload.
    pub any_nan: u16,
    /// What else depended on undefined values.
    pub taint: TaintUse,
    /// Steps executed.
    pub steps: u64,
}

impl Outcome {
    /// Whether another implementation may return `value`: equal in every lane that is not tainted, where an
    /// unspecified NaN equals every NaN.
    pub fn allows(&self, value: Option<Scalar>) -> bool {
        let (Some(own), Some(other)) = (self.value, value) else { return self.value == value };
        own.ty == other.ty
            && (0..own.ty.lanes()).all(|i| {
                self.tainted >> i & 1 != 0
                    || own.lane(i) == other.lane(i)
                    || (self.any_nan >> i & 1 != 0 && other.is_nan(i))
            })
    }
}

/// Executes functions of one program. Memory lives from call to call.
pub struct Interpreter<'p> {
    program: &'p Program,
    code: Code,
    memory: Memory,
    globals: Vec<u64>,
    layout: MemoryLayout,
    limits: Limits,
    taint: TaintUse,
    /// Whether memory is in its initial state.
    is_fresh: bool,
    /// Memory of the last execution's frames, for the next.
    spare: Thread,
}

/// Page-aligned places in memory.
#[derive(Clone, Copy, Default)]
struct MemoryLayout {
    /// First byte after the constants.
    variables: u64,
    /// First byte after the variables.
    variables_end: u64,
    stack: u64,
    stack_end: u64,
}

impl<'p> Interpreter<'p> {
    /// Decodes `program` and places its globals, with the default [`Limits`].
    ///
    /// # Errors
    /// [`TrapKind::Malformed`] for a program that the verifier would reject, where execution would notice;
    /// [`TrapKind::OutOfMemory`].
    pub fn new(program: &'p Program) -> Result<Self, Trap> {
        Self::with_limits(program, Limits::default())
    }

    /// As [`new`](Self::new), with other limits.
    pub fn with_limits(program: &'p Program, limits: Limits) -> Result<Self, Trap> {
        let module = &program.module;
        if module.functions.len() as u64 >= (irt::BASE - FUNCTION_BASE) / 16 {
            return Err(TrapKind::OutOfMemory.into());
        }
        let (globals, layout) = place_globals(program, &limits)?;
        let addresses = decode::Addresses { function: &function_address, globals: &globals };
        let code = decode::decode(program, &addresses)?;
        let mut interpreter = Interpreter {
            program,
            code,
            memory: Memory::default(),
            globals,
            layout,
            limits,
            taint: TaintUse::default(),
            is_fresh: false,
            spare: Thread::default(),
        };
        interpreter.reset()?;
        Ok(interpreter)
    }

    /// Brings memory back to its initial state.
    pub fn reset(&mut self) -> Result<(), Trap> {
        if self.is_fresh {
            return Ok(());
        }
        let MemoryLayout { variables, variables_end, stack, stack_end } = self.layout;
        let mut memory = Memory::new(stack_end + PAGE, u64::from(self.limits.memory).min(FUNCTION_BASE));
        memory.set_pages(DATA_BASE / PAGE..variables / PAGE, MAPPED | READ);
        memory.set_pages(variables / PAGE..variables_end / PAGE, MAPPED | READ | WRITE);
        memory.set_pages(stack / PAGE..stack_end / PAGE, MAPPED | READ | WRITE);
        let module = &self.program.module;
        let pointer = module.pointer_type.bytes() as usize;
        for (id, &address) in module.globals.keys().zip(&self.globals) {
            let mut at = address;
            for init in module.initializers(id) {
                at += match *init {
                    Initializer::Zero(len) => u64::from(len),
                    Initializer::Bytes { start, len } => {
                        let bytes = module.data.get(start as usize..start as usize + len as usize);
                        let bytes = bytes.ok_or(TrapKind::Malformed("initial bytes out of range"))?;
                        memory.initialise(at, bytes);
                        u64::from(len)
                    }
                    Initializer::Address { target, addend } => {
                        let value = self.address(target).wrapping_add(addend as u64);
                        memory.initialise(at, &value.to_le_bytes()[..pointer]);
                        pointer as u64
                    }
                    Initializer::Relative { target, addend, bytes } => {
                        let value = self.address(target).wrapping_add(addend as u64).wrapping_sub(at);
                        memory.initialise(at, &value.to_le_bytes()[..usize::from(bytes)]);
                        u64::from(bytes)
                    }
                    Initializer::Distance { plus, minus, addend, bytes } => {
                        let [plus, minus] = [plus, minus].map(|label| self.address(Symbol::Global(label)));
                        let value = plus.wrapping_sub(minus).wrapping_add(addend as u64);
                        memory.initialise(at, &value.to_le_bytes()[..usize::from(bytes)]);
                        u64::from(bytes)
                    }
                };
            }
        }
        self.memory = memory;
        self.is_fresh = true;
        Ok(())
    }

    /// The address of a function or global variable.
    ///
    /// # Panics
    /// If the program has no such global variable.
    pub fn address(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Function(f) => function_address(f),
            Symbol::Global(g) => self.globals[g.index()],
        }
    }

    /// `len` bytes of program memory.
    pub fn read_memory(&self, address: u64, len: u64) -> Result<&[u8], Trap> {
        Ok(self.memory.bytes(address, len)?)
    }

    /// Overwrites program memory.
    pub fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Trap> {
        self.is_fresh = false;
        self.memory.bytes_mut(address, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Whether one of `len` readable bytes is undefined.
    pub fn is_memory_tainted(&self, address: u64, len: u64) -> bool {
        self.memory.is_undefined(address, len)
    }

    /// Maps `len` fresh zero bytes for arguments and results.
    pub fn allocate(&mut self, len: u64) -> Result<u64, Trap> {
        self.is_fresh = false;
        Ok(self.memory.map(None, len.max(1), READ | WRITE).ok_or(TrapKind::OutOfMemory)?)
    }

    /// What depended on undefined values in the last execution.
    pub fn taint_use(&self) -> TaintUse {
        self.taint
    }

    /// Calls `func` on the main stack. Calls of the run-time environment meet [`NoHost`].
    ///
    /// # Errors
    /// The [`Trap`] that ended the execution; [`TrapKind::WrongArguments`].
    pub fn call(&mut self, func: FuncId, args: &[Scalar]) -> Result<Outcome, Trap> {
        let module = &self.program.module;
        let signature = match module.functions.is_valid(func) {
            true => module.signature(func),
            false => return Err(TrapKind::WrongArguments.into()),
        };
        if !signature.params.iter().copied().eq(args.iter().map(|a| a.ty)) {
            return Err(TrapKind::WrongArguments.into());
        }
        let ret = signature.ret;
        let slots: Vec<Slot> = args.iter().map(|a| Scalar::new(a.ty, a.bits).slot()).collect();
        let (finish, steps) = self.execute(&mut NoHost, func, &slots, self.layout.stack_end)?;
        match finish {
            Finish::Exit(status) => Err(TrapKind::Exit(status).into()),
            Finish::Returned(slot) => Ok(Outcome {
                value: (ret != Type::Void).then(|| Scalar::new(ret, slot.bits(ret))),
                tainted: if ret == Type::Void { 0 } else { (slot.taint & UNDEFINED) as u16 },
                any_nan: if ret == Type::Void { 0 } else { (slot.taint >> 16) as u16 },
                taint: self.taint,
                steps,
            }),
        }
    }

    /// Runs the whole program from `_start` in fresh memory; gives its exit status, 0 where `_start`
    /// returns. `args` begins with the program's name; `env` has the form `NAME=value`.
    ///
    /// # Errors
    /// The [`Trap`] that ended the execution, [`TrapKind::Malformed`] without `_start`.
    pub fn run_program(&mut self, host: &mut dyn Host, args: &[&[u8]], env: &[&[u8]]) -> Result<i32, Trap> {
        self.reset()?;
        let module = &self.program.module;
        let start = module.function_by_name(b"_start").ok_or(TrapKind::Malformed("no _start"))?;
        if module.signature(start).params != [Type::I32] {
            return Err(TrapKind::Malformed("_start does not take one i32").into());
        }
        let info = self.write_arguments(args, env)?;
        let (finish, _) = self.execute(host, start, &[Slot::new(info, 0)], info & !15)?;
        Ok(match finish {
            Finish::Returned(_) => 0,
            Finish::Exit(status) => status,
        })
    }

    /// Writes the argument block (runtime specification, section 3) to the top of the stack.
    fn write_arguments(&mut self, args: &[&[u8]], env: &[&[u8]]) -> Result<u64, Trap> {
        let mut strings = Vec::new();
        let mut offsets = Vec::new();
        for string in args.iter().chain(env) {
            offsets.push(strings.len() as u64);
            strings.extend_from_slice(string);
            strings.push(0);
        }
        let count = (6 + args.len() + env.len() + 3) as u64;
        let size = strings.len() as u64 + count * 4 + 32;
        if size > u64::from(self.limits.stack) / 2 {
            return Err(TrapKind::OutOfMemory.into());
        }
        let text = self.layout.stack_end - strings.len() as u64;
        let info = (text - count * 4) & !15;
        let mut words = alloc::vec![0, env.len() as u64, args.len() as u64];
        let (for_args, for_env) = offsets.split_at(args.len());
        for list in [for_args, for_env] {
            words.extend(list.iter().map(|offset| text + offset));
            words.push(0);
        }
        // The auxiliary vector: AT_SYSINFO is the query function.
        words.extend([32, irt::Entry::Query.address(), 0, 0]);
        let bytes: Vec<u8> = words.iter().flat_map(|&w| (w as u32).to_le_bytes()).collect();
        self.write_memory(text, &strings)?;
        self.write_memory(info, &bytes)?;
        Ok(info)
    }

    fn execute(
        &mut self,
        host: &mut dyn Host,
        func: FuncId,
        args: &[Slot],
        stack_top: u64,
    ) -> Result<(Finish, u64), Trap> {
        self.is_fresh = false;
        self.taint = TaintUse::default();
        let mut thread = core::mem::take(&mut self.spare);
        thread.prepare(0, (self.layout.stack, stack_top), 0);
        let shared = Shared {
            code: &self.code,
            memory: &mut self.memory,
            limits: &self.limits,
            taint: &mut self.taint,
        };
        thread.start(&shared, func.as_u32(), args)?;
        let mut steps = self.limits.steps;
        let (result, thread) = threads::run(self, host, thread, &mut steps);
        self.spare = thread;
        match result {
            Ok(finish) => Ok((finish, self.limits.steps - steps)),
            Err(Failure { kind, pc }) => Err(Trap { kind, location: pc.and_then(|pc| self.locate(pc)) }),
        }
    }

    fn locate(&self, pc: u32) -> Option<Location> {
        let function = self.code.function_at(pc)?;
        let origin = self.code.origins.get(pc as usize)?;
        let name = self.program.module.symbol_name(Symbol::Function(function));
        Some(Location {
            function,
            name: String::from_utf8_lossy(name).into_owned(),
            block: Some(origin.block),
            inst: Some(origin.inst),
        })
    }
}

fn function_address(f: FuncId) -> u64 {
    FUNCTION_BASE + 16 * u64::from(f.as_u32())
}

/// Gives every global an address: constants first, then variables, each part on pages of its own.
fn place_globals(program: &Program, limits: &Limits) -> Result<(Vec<u64>, MemoryLayout), TrapKind> {
    let module = &program.module;
    let limit = u64::from(limits.memory).min(FUNCTION_BASE);
    let mut globals = alloc::vec![0; module.globals.len()];
    let mut at = DATA_BASE;
    let mut place = |kind: Mutability| -> Result<u64, TrapKind> {
        for (id, decl) in module.globals.iter().filter(|(_, decl)| decl.mutability == kind) {
            let log2 = decl.align_log2.unwrap_or(0).min(31);
            at = at.next_multiple_of(1 << log2);
            globals[GlobalId::index(id)] = at;
            // Even an empty variable has an address of its own.
            at += module.global_size(id).max(1);
            if at > limit {
                return Err(TrapKind::OutOfMemory);
            }
        }
        at = at.next_multiple_of(PAGE);
        Ok(at)
    };
    let variables = place(Mutability::Constant)?;
    let variables_end = place(Mutability::Variable)?;
    for (id, decl) in &module.globals {
        if let GlobalKind::Label { label, .. } = decl.kind {
            globals[GlobalId::index(id)] = decode::label_address(label.into());
        }
    }
    let stack = variables_end + PAGE;
    let stack_end = stack + u64::from(limits.stack).next_multiple_of(PAGE);
    if stack_end + PAGE > limit {
        return Err(TrapKind::OutOfMemory);
    }
    Ok((globals, MemoryLayout { variables, variables_end, stack, stack_end }))
}
