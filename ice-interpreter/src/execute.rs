//! The loop over operations of one thread.
//!
//! The call stack is explicit: frames of slots in one growing vector, so that recursion of the program never
//! becomes recursion of the host, a thread switch swaps one struct, and `setjmp` needs to remember only the
//! depth, the number of the activation and the operation to go back to.
//!
//! Every operation costs one step; block copies cost one more for 64 bytes.

use alloc::vec::Vec;

use super::code::{Code, Op};
use super::irt;
use super::memory::{Memory, READ, WRITE};
use super::trap::TrapKind;
use super::value::{self, LANE, NAN, Slot, UNDEFINED, all_lanes};
use super::{FUNCTION_BASE, Limits, TaintUse};
use ice_ir::Type;
use ice_ir::intrinsics::{AtomicOp, Intrinsic};

/// Slots that the frames of one thread may have together.
const MAX_SLOTS: usize = 1 << 24;

/// One activation of a function.
#[derive(Clone, Copy)]
struct Frame {
    function: u32,
    /// First slot.
    base: usize,
    /// Where the caller goes on.
    return_pc: u32,
    /// Slot of the caller that gets the result.
    result: u32,
    /// Stack pointer at entry.
    entry_sp: u64,
    /// Different for every activation of the thread.
    serial: u64,
}

/// The state of one thread of the program.
#[derive(Default)]
pub(super) struct Thread {
    pub id: u32,
    frames: Vec<Frame>,
    slots: Vec<Slot>,
    pc: u32,
    /// Top of the free part of the stack.
    pub sp: u64,
    /// End of the stack.
    pub stack_low: u64,
    /// Thread pointer.
    pub tp: u32,
    serials: u64,
    /// Slot (from the bottom of `slots`) for the answer of the request that stopped the thread.
    answer: usize,
    /// The arguments of a call on their way from a frame to the one that takes its place.
    moved: Vec<Slot>,
}

/// Why a thread stopped.
pub(super) enum Stop {
    /// It used up its steps.
    Steps,
    /// The first function returned this.
    Returned(Slot),
    /// It called a function of the run-time environment.
    Request(irt::Entry, [u64; 6]),
    /// It cannot go on.
    Trap(TrapKind),
}

/// What all threads share.
pub(super) struct Shared<'a> {
    pub code: &'a Code,
    pub memory: &'a mut Memory,
    pub limits: &'a Limits,
    pub taint: &'a mut TaintUse,
}

/// Rounds down to a multiple of `1 << log2`.
const fn align_down(address: u64, log2: u8) -> u64 {
    address >> log2 << log2
}

impl Thread {
    /// Makes it a new thread with the stack from `low` to `top`.
    pub fn prepare(&mut self, id: u32, (low, top): (u64, u64), tp: u32) {
        (self.id, self.tp, self.pc) = (id, tp, 0);
        (self.stack_low, self.sp) = (low, top);
    }

    /// Makes the thread call `function` with `args`; `Err` without a body.
    pub fn start(&mut self, shared: &Shared<'_>, function: u32, args: &[Slot]) -> Result<(), TrapKind> {
        self.frames.clear();
        self.push_frame(shared, function, 0, 0)?;
        let first = shared.code.functions[function as usize].first_param as usize;
        self.slots[first..first + args.len()].copy_from_slice(args);
        Ok(())
    }

    /// Operation that was executed last.
    pub fn last_pc(&self) -> u32 {
        self.pc.saturating_sub(1)
    }

    /// Gives the answer to a request.
    pub fn answer(&mut self, value: u32) {
        self.slots[self.answer] = Slot::new(u64::from(value), 0);
    }

    fn push_frame(
        &mut self,
        shared: &Shared<'_>,
        function: u32,
        return_pc: u32,
        result: u32,
    ) -> Result<(), TrapKind> {
        let code = shared.code;
        let callee = &code.functions[function as usize];
        if !callee.has_body {
            return Err(TrapKind::MissingBody(ice_ir::FuncId::from_u32(function)));
        }
        if self.frames.len() >= shared.limits.call_depth as usize {
            return Err(TrapKind::CallDepth);
        }
        let base = match self.frames.last() {
            Some(frame) => frame.base + code.functions[frame.function as usize].slots as usize,
            None => 0,
        };
        let end = base + callee.slots as usize;
        if end > self.slots.len() {
            if end > MAX_SLOTS {
                return Err(TrapKind::CallDepth);
            }
            self.slots.resize((end * 2).min(MAX_SLOTS), Slot::default());
        }
        let consts = &code.consts[callee.consts.start as usize..callee.consts.end as usize];
        self.slots[base + 1..base + 1 + consts.len()].copy_from_slice(consts);
        self.serials += 1;
        let (entry_sp, serial) = (self.sp, self.serials);
        self.frames.push(Frame { function, base, return_pc, result, entry_sp, serial });
        self.pc = callee.entry;
        Ok(())
    }

    /// Calls `callee` from the current frame.
    fn call(&mut self, shared: &Shared<'_>, callee: u32, args: u32, result: u32) -> Result<(), TrapKind> {
        let caller = self.frames.last().map_or(0, |f| f.base);
        self.push_frame(shared, callee, self.pc, result)?;
        let base = self.frames.last().map_or(0, |f| f.base);
        let function = &shared.code.functions[callee as usize];
        let count = shared.code.signatures[function.signature as usize].params.len();
        let args = &shared.code.args[args as usize..args as usize + count];
        let (before, frame) = self.slots.split_at_mut(base);
        let first = function.first_param as usize;
        for (param, &arg) in frame[first..first + count].iter_mut().zip(args) {
            *param = before[caller + arg as usize];
        }
        Ok(())
    }

    /// Calls `callee` in place of the current frame.
    fn return_call(&mut self, shared: &Shared<'_>, callee: u32, args: u32) -> Result<(), TrapKind> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let function = &shared.code.functions[callee as usize];
        let count = shared.code.signatures[function.signature as usize].params.len();
        let args = &shared.code.args[args as usize..args as usize + count];
        self.moved.clear();
        self.moved.extend(args.iter().map(|&arg| self.slots[frame.base + arg as usize]));
        self.sp = frame.entry_sp;
        self.push_frame(shared, callee, frame.return_pc, frame.result)?;
        let first = self.frames.last().map_or(0, |f| f.base) + function.first_param as usize;
        self.slots[first..first + count].copy_from_slice(&self.moved);
        Ok(())
    }

    /// Runs until `steps` is used up or something stops the thread.
    pub fn run(&mut self, shared: &mut Shared<'_>, steps: &mut u64) -> Stop {
        let code = shared.code;
        // One round for every change of the frame.
        loop {
            let Some(&Frame { base, function, .. }) = self.frames.last() else {
                return Stop::Trap(TrapKind::Malformed("nothing to run"));
            };
            let end = base + code.functions[function as usize].slots as usize;
            let mut pc = self.pc as usize;
            match run_frame(&code.ops, &mut self.slots[base..end], &mut pc, shared, steps) {
                Leave::Steps => {
                    self.pc = pc as u32;
                    return Stop::Steps;
                }
                Leave::Trap(kind) => {
                    self.pc = pc as u32;
                    return Stop::Trap(kind);
                }
                Leave::Call { callee, args, d } => {
                    self.pc = pc as u32;
                    if let Err(kind) = self.call(shared, callee, args, d) {
                        return Stop::Trap(kind);
                    }
                }
                Leave::Ret(value) => {
                    let Some(frame) = self.frames.pop() else { continue };
                    self.sp = frame.entry_sp;
                    let Some(caller) = self.frames.last() else {
                        self.pc = pc as u32;
                        return Stop::Returned(value);
                    };
                    self.slots[caller.base + frame.result as usize] = value;
                    self.pc = frame.return_pc;
                }
                Leave::Other => {
                    self.pc = pc as u32;
                    match self.special(shared, steps) {
                        Ok(None) => {}
                        Ok(Some(stop)) => return stop,
                        Err(kind) => return Stop::Trap(kind),
                    }
                }
            }
        }
    }

    /// The operations that need more than the frame: stack, indirect calls, intrinsics.
    fn special(&mut self, shared: &mut Shared<'_>, steps: &mut u64) -> Result<Option<Stop>, TrapKind> {
        let code = shared.code;
        let Some(&frame) = self.frames.last() else { return Ok(None) };
        let slot = |i: u32| self.slots[frame.base + i as usize];
        let op = code.ops[self.last_pc() as usize];
        match op {
            Op::Alloca { d, size, align_log2 } => {
                let size = slot(size);
                shared.taint.address |= size.taint != 0;
                let top = self.sp.checked_sub(size.lo).ok_or(TrapKind::StackOverflow)?;
                let address = align_down(top, align_log2.min(31));
                if address < self.stack_low {
                    return Err(TrapKind::StackOverflow);
                }
                shared.memory.set_undefined(address, size.lo)?;
                self.sp = address;
                self.slots[frame.base + d as usize] = Slot::new(address, 0);
            }
            Op::ReturnCall { callee, args } => self.return_call(shared, callee, args)?,
            Op::CallIndirect { callee, signature, args, .. }
            | Op::ReturnCallIndirect { callee, signature, args } => {
                let target = slot(callee);
                shared.taint.control |= target.taint != 0;
                let address = target.lo;
                if let Some(entry) = irt::Entry::at(address) {
                    if !entry.accepts(&code.signatures[signature as usize]) {
                        return Err(TrapKind::SignatureMismatch { address });
                    }
                    let count = code.signatures[signature as usize].params.len();
                    let mut values = [0; 6];
                    let slots = &code.args[args as usize..args as usize + count];
                    for (value, &arg) in values.iter_mut().zip(slots) {
                        let arg = slot(arg);
                        shared.taint.output |= arg.taint != 0;
                        *value = arg.lo;
                    }
                    let d = if let Op::CallIndirect { d, .. } = op { d } else { 0 };
                    self.answer = frame.base + d as usize;
                    return Ok(Some(Stop::Request(entry, values)));
                }
                let index = address.wrapping_sub(FUNCTION_BASE) / 16;
                let function = usize::try_from(index).ok().and_then(|i| code.functions.get(i));
                let Some(function) = function.filter(|_| address.is_multiple_of(16)) else {
                    return Err(TrapKind::NotAFunction { address });
                };
                if !code.accepts(function.signature, signature) {
                    return Err(TrapKind::SignatureMismatch { address });
                }
                match op {
                    Op::CallIndirect { d, .. } => self.call(shared, index as u32, args, d)?,
                    _ => self.return_call(shared, index as u32, args)?,
                }
            }
            Op::Intrinsic { op, ty, args, d } => {
                let arg = |i: u32| slot(code.args[(args + i) as usize]);
                let result = match op {
                    Intrinsic::ReadTp => Slot::new(u64::from(self.tp), 0),
                    Intrinsic::Stacksave => Slot::new(self.sp, 0),
                    Intrinsic::Stackrestore => {
                        let to = arg(0);
                        shared.taint.address |= to.taint != 0;
                        if to.lo < self.sp || to.lo > frame.entry_sp {
                            return Err(TrapKind::StackOverflow);
                        }
                        self.sp = to.lo;
                        return Ok(None);
                    }
                    Intrinsic::Setjmp => {
                        let buffer = arg(0);
                        shared.taint.address |= buffer.taint != 0;
                        let record = JumpRecord {
                            thread: self.id,
                            depth: self.frames.len() as u32,
                            serial: frame.serial,
                            pc: self.pc,
                            sp: self.sp,
                        };
                        shared.memory.bytes_mut(buffer.lo, 32)?.copy_from_slice(&record.to_bytes());
                        Slot::new(0, 0)
                    }
                    Intrinsic::Longjmp => {
                        let (buffer, value) = (arg(0), arg(1));
                        shared.taint.control |= buffer.taint != 0;
                        self.long_jump(shared, buffer.lo, value)?;
                        return Ok(None);
                    }
                    _ => intrinsic(op, ty, &arg, shared, steps)?,
                };
                self.slots[frame.base + d as usize] = result;
            }
            _ => return Err(TrapKind::Malformed("an operation in a wrong place")),
        }
        Ok(None)
    }

    fn long_jump(&mut self, shared: &Shared<'_>, buffer: u64, value: Slot) -> Result<(), TrapKind> {
        let bad = TrapKind::BadLongjmp { buffer };
        let bytes = shared.memory.bytes(buffer, 32)?;
        let record = JumpRecord::from_bytes(bytes).ok_or(bad.clone())?;
        let frame = (record.depth as usize).checked_sub(1).and_then(|i| self.frames.get(i)).copied();
        let frame =
            frame.filter(|f| f.serial == record.serial && record.thread == self.id).ok_or(bad.clone())?;
        // The buffer is program memory: believe it only as far as it leads to a setjmp.
        let function = &shared.code.functions[frame.function as usize];
        let at = record.pc.wrapping_sub(1);
        let d = match shared.code.ops.get(at as usize) {
            Some(&Op::Intrinsic { op: Intrinsic::Setjmp, d, .. })
                if (function.entry..function.end).contains(&at) =>
            {
                d
            }
            _ => return Err(bad),
        };
        if record.sp < self.stack_low || record.sp > frame.entry_sp {
            return Err(bad);
        }
        self.frames.truncate(record.depth as usize);
        self.sp = record.sp;
        self.pc = record.pc;
        let value = Slot { lo: if value.lo == 0 { 1 } else { value.lo }, ..value };
        self.slots[frame.base + d as usize] = value;
        Ok(())
    }
}

/// What `setjmp` leaves in its buffer: 32 bytes of the 1024.
struct JumpRecord {
    thread: u32,
    depth: u32,
    serial: u64,
    pc: u32,
    sp: u64,
}

const JUMP_MAGIC: u32 = 0x6a6d_7062;

impl JumpRecord {
    fn to_bytes(&self) -> [u8; 32] {
        let words = [
            u64::from(JUMP_MAGIC) | u64::from(self.thread) << 32,
            u64::from(self.depth) | u64::from(self.pc) << 32,
            self.serial,
            self.sp,
        ];
        let mut bytes = [0; 32];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<JumpRecord> {
        let mut words = [0u64; 4];
        for (word, place) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(place.try_into().ok()?);
        }
        let [head, at, serial, sp] = words;
        let record =
            JumpRecord { thread: (head >> 32) as u32, depth: at as u32, serial, pc: (at >> 32) as u32, sp };
        (head as u32 == JUMP_MAGIC).then_some(record)
    }
}

/// The intrinsics that need no thread.
fn intrinsic(
    op: Intrinsic,
    ty: Type,
    arg: &dyn Fn(u32) -> Slot,
    shared: &mut Shared<'_>,
    steps: &mut u64,
) -> Result<Slot, TrapKind> {
    let pure = |f: fn(Type, u64) -> u64| Slot::new(f(ty, arg(0).lo), arg(0).taint);
    Ok(match op {
        Intrinsic::Bswap => pure(value::bswap),
        Intrinsic::Ctlz => pure(value::ctlz),
        Intrinsic::Cttz => pure(value::cttz),
        Intrinsic::Ctpop => pure(|_, a| u64::from(a.count_ones())),
        Intrinsic::Bitreverse => pure(|ty, a| a.reverse_bits() >> (64 - ty.bits())),
        Intrinsic::Fabs => value::fabs(ty, arg(0)),
        Intrinsic::Fneg => pure(|ty, a| a ^ 1 << (ty.bits() - 1)),
        Intrinsic::Sqrt => value::sqrt(ty, arg(0)),
        Intrinsic::Pin => arg(0),
        Intrinsic::Trap => return Err(TrapKind::Trap),
        Intrinsic::VaStart
        | Intrinsic::FrameAddress
        | Intrinsic::ReturnAddress
        | Intrinsic::ThreadLocalAddress
        | Intrinsic::Extended
        | Intrinsic::ByValue
        | Intrinsic::MulHigh
        | Intrinsic::Fma
        | Intrinsic::DoublePair
        | Intrinsic::DoubleHalf
        | Intrinsic::SegmentWord
        | Intrinsic::CheckType
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::TruncFloat
        | Intrinsic::RoundEven
        | Intrinsic::Round
        | Intrinsic::Rint
        | Intrinsic::NearbyInt
        | Intrinsic::MinNum
        | Intrinsic::MaxNum
        | Intrinsic::Minimum
        | Intrinsic::Maximum => {
            return Err(TrapKind::Malformed("an intrinsic of native modules"));
        }
        Intrinsic::AtomicFence | Intrinsic::AtomicFenceAll => Slot::default(),
        Intrinsic::AtomicIsLockFree => {
            let size = arg(0).lo;
            Slot::new(u64::from(size.is_power_of_two() && size <= 8), 0)
        }
        Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset => {
            let (to, second, len) = (arg(0), arg(1), arg(2));
            let is_set = op == Intrinsic::Memset;
            shared.taint.address |= (to.taint | len.taint) != 0 || (!is_set && second.taint != 0);
            *steps = steps.saturating_sub(len.lo / 64);
            match is_set {
                true => shared.memory.fill(to.lo, second, len.lo)?,
                false => shared.memory.copy(to.lo, second.lo, len.lo)?,
            }
            Slot::default()
        }
        Intrinsic::AtomicLoad => {
            let address = atomic_address(arg(0), ty, shared)?;
            shared.memory.load(ty, address)?
        }
        Intrinsic::AtomicStore => {
            let address = atomic_address(arg(1), ty, shared)?;
            shared.memory.store(ty, address, arg(0))?;
            Slot::default()
        }
        Intrinsic::AtomicRmw => {
            let operation = AtomicOp::from_code(arg(0).lo as i64).ok_or(TrapKind::BadOperand)?;
            let address = atomic_address(arg(1), ty, shared)?;
            shared.memory.check(address, u64::from(ty.bytes()), READ | WRITE)?;
            let (old, by) = (shared.memory.load(ty, address)?, arg(2));
            let new = match operation {
                AtomicOp::Add => old.lo.wrapping_add(by.lo),
                AtomicOp::Sub => old.lo.wrapping_sub(by.lo),
                AtomicOp::Or => old.lo | by.lo,
                AtomicOp::And => old.lo & by.lo,
                AtomicOp::Xor => old.lo ^ by.lo,
                AtomicOp::Exchange => by.lo,
            };
            let taint = match operation {
                AtomicOp::Exchange => by.taint,
                _ => old.taint | by.taint,
            };
            shared.memory.store(ty, address, Slot::new(new & ty.int_mask(), taint))?;
            old
        }
        Intrinsic::AtomicCmpxchg => {
            let address = atomic_address(arg(0), ty, shared)?;
            shared.memory.check(address, u64::from(ty.bytes()), READ | WRITE)?;
            let (old, expected) = (shared.memory.load(ty, address)?, arg(1));
            shared.taint.control |= (old.taint | expected.taint) != 0;
            if old.lo == expected.lo {
                shared.memory.store(ty, address, arg(2))?;
            }
            old
        }
        Intrinsic::ReadTp
        | Intrinsic::Setjmp
        | Intrinsic::Longjmp
        | Intrinsic::Stacksave
        | Intrinsic::Stackrestore => return Err(TrapKind::Malformed("an intrinsic in a wrong place")),
    })
}

/// The address of an atomic access; it must be a multiple of the size.
fn atomic_address(address: Slot, ty: Type, shared: &mut Shared<'_>) -> Result<u64, TrapKind> {
    shared.taint.address |= address.taint != 0;
    match address.lo % u64::from(ty.bytes()) {
        0 => Ok(address.lo),
        _ => Err(TrapKind::Misaligned { address: address.lo }),
    }
}

/// Why the loop over one frame ended.
enum Leave {
    Steps,
    Trap(TrapKind),
    Call {
        callee: u32,
        args: u32,
        d: u32,
    },
    Ret(Slot),
    /// The last operation is for [`Thread::special`].
    Other,
}

/// Runs operations of one frame from `pc` on; `pc` ends one past the last one executed.
fn run_frame(
    ops: &[Op],
    frame: &mut [Slot],
    pc: &mut usize,
    shared: &mut Shared<'_>,
    steps: &mut u64,
) -> Leave {
    let mut at = *pc;
    let mut left = *steps;
    macro_rules! leave {
        ($leave:expr) => {{
            *pc = at;
            *steps = left;
            return $leave;
        }};
    }
    macro_rules! get {
        ($slot:expr) => {
            frame[$slot as usize]
        };
    }
    macro_rules! set {
        ($slot:expr, $value:expr) => {{
            let value = $value;
            frame[$slot as usize] = value;
        }};
    }
    // Integer operators: the taint of both operands, a result cut to its width.
    macro_rules! int {
        ($d:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $result:expr) => {{
            let (a, b) = (get!($a), get!($b));
            let ($x, $y) = (a.lo, b.lo);
            set!($d, Slot::new($result, a.taint | b.taint));
        }};
    }
    // Shifts: also undefined past the width.
    macro_rules! shift32 {
        ($d:expr, $a:expr, $b:expr, |$x:ident, $n:ident| $result:expr) => {{
            let (a, b) = (get!($a), get!($b));
            let ($x, $n) = (a.lo as u32, b.lo as u32 & 31);
            let undefined = u32::from(b.lo > 31);
            set!($d, Slot::new(u64::from($result), a.taint | b.taint | undefined));
        }};
    }
    macro_rules! float {
        ($d:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $result:expr) => {{
            let (a, b) = (get!($a), get!($b));
            let ($x, $y) = (f64::from_bits(a.lo), f64::from_bits(b.lo));
            let result: f64 = $result;
            let nan = if result.is_nan() { NAN } else { 0 };
            set!($d, Slot::new(result.to_bits(), (a.taint | b.taint) & UNDEFINED | nan));
        }};
    }
    macro_rules! load {
        ($d:expr, $a:expr, $ty:expr, $int:ty) => {{
            let address = get!($a);
            match shared.memory.read(address.lo) {
                Some(bytes) if address.taint == 0 => {
                    set!($d, Slot::new(u64::from(<$int>::from_le_bytes(bytes)), 0));
                }
                _ => match slow_load($ty, address, shared) {
                    Ok(value) => set!($d, value),
                    Err(kind) => leave!(Leave::Trap(kind)),
                },
            }
        }};
    }
    macro_rules! store {
        ($a:expr, $s:expr, $ty:expr, $int:ty) => {{
            let (address, value) = (get!($a), get!($s));
            let plain = (address.taint | value.taint) == 0;
            if !(plain && shared.memory.write(address.lo, (value.lo as $int).to_le_bytes())) {
                if let Err(kind) = slow_store($ty, address, value, shared) {
                    leave!(Leave::Trap(kind));
                }
            }
        }};
    }
    loop {
        if left == 0 {
            leave!(Leave::Steps);
        }
        left -= 1;
        let op = &ops[at];
        at += 1;
        match *op {
            Op::Move { d, s } => set!(d, get!(s)),
            Op::Add32 { d, a, b } => int!(d, a, b, |x, y| u64::from((x as u32).wrapping_add(y as u32))),
            Op::Sub32 { d, a, b } => int!(d, a, b, |x, y| u64::from((x as u32).wrapping_sub(y as u32))),
            Op::Mul32 { d, a, b } => int!(d, a, b, |x, y| u64::from((x as u32).wrapping_mul(y as u32))),
            Op::Add64 { d, a, b } => int!(d, a, b, |x, y| x.wrapping_add(y)),
            Op::Sub64 { d, a, b } => int!(d, a, b, |x, y| x.wrapping_sub(y)),
            Op::Mul64 { d, a, b } => int!(d, a, b, |x, y| x.wrapping_mul(y)),
            Op::And { d, a, b } => int!(d, a, b, |x, y| x & y),
            Op::Or { d, a, b } => int!(d, a, b, |x, y| x | y),
            Op::Xor { d, a, b } => int!(d, a, b, |x, y| x ^ y),
            Op::Shl32 { d, a, b } => shift32!(d, a, b, |x, n| x << n),
            Op::Lshr32 { d, a, b } => shift32!(d, a, b, |x, n| x >> n),
            Op::Ashr32 { d, a, b } => shift32!(d, a, b, |x, n| (x as i32 >> n) as u32),
            Op::AddF64 { d, a, b } => float!(d, a, b, |x, y| x + y),
            Op::SubF64 { d, a, b } => float!(d, a, b, |x, y| x - y),
            Op::MulF64 { d, a, b } => float!(d, a, b, |x, y| x * y),
            Op::Eq { d, a, b } => int!(d, a, b, |x, y| u64::from(x == y)),
            Op::Ne { d, a, b } => int!(d, a, b, |x, y| u64::from(x != y)),
            Op::Ult { d, a, b } => int!(d, a, b, |x, y| u64::from(x < y)),
            Op::Ule { d, a, b } => int!(d, a, b, |x, y| u64::from(x <= y)),
            Op::Slt32 { d, a, b } => int!(d, a, b, |x, y| u64::from((x as i32) < y as i32)),
            Op::Sle32 { d, a, b } => int!(d, a, b, |x, y| u64::from(x as i32 <= y as i32)),
            Op::Trunc { d, a, to } => {
                let a = get!(a);
                set!(d, Slot::new(a.lo & to.int_mask(), a.taint));
            }
            Op::Sext { d, a, from, to } => {
                let a = get!(a);
                set!(d, Slot::new(value::signed(from, a.lo) as u64 & to.int_mask(), a.taint));
            }
            Op::Select { d, c, t, f, ty } => set!(d, value::select(get!(c), get!(t), get!(f), ty)),
            Op::Load8 { d, a } => load!(d, a, Type::I8, u8),
            Op::Load16 { d, a } => load!(d, a, Type::I16, u16),
            Op::Load32 { d, a, ty } => load!(d, a, ty, u32),
            Op::Load64 { d, a, ty } => load!(d, a, ty, u64),
            Op::Store8 { a, s } => store!(a, s, Type::I8, u8),
            Op::Store32 { a, s, ty } => store!(a, s, ty, u32),
            Op::Store64 { a, s, ty } => store!(a, s, ty, u64),
            Op::Jump { to } => at = to as usize,
            Op::Branch { c, t, f } => {
                let cond = get!(c);
                shared.taint.control |= cond.taint != 0;
                at = if cond.lo & 1 != 0 { t } else { f } as usize;
            }
            Op::Switch { value, table } => {
                let value = get!(value);
                shared.taint.control |= value.taint != 0;
                let table = &shared.code.switches[table as usize];
                at = match table.cases.binary_search_by_key(&value.lo, |&(n, _)| n) {
                    Ok(i) => table.cases[i].1,
                    Err(_) => table.default,
                } as usize;
            }
            Op::Call { callee, args, d } => leave!(Leave::Call { callee, args, d }),
            Op::Ret { s } => leave!(Leave::Ret(get!(s))),
            Op::Unreachable => leave!(Leave::Trap(TrapKind::Unreachable)),
            Op::Binary { op, ty, d, a, b } => {
                let (a, b) = (get!(a), get!(b));
                // Whether it traps depends on the divisor.
                shared.taint.control |= op.is_division() && b.taint != 0;
                match value::binary(op, ty, a, b) {
                    Ok(result) => set!(d, result),
                    Err(value::DivideByZero) => leave!(Leave::Trap(TrapKind::DivideByZero)),
                }
            }
            Op::Icmp { cond, ty, d, a, b } => set!(d, value::icmp(cond, ty, get!(a), get!(b))),
            Op::Fcmp { cond, ty, d, a, b } => set!(d, value::fcmp(cond, ty, get!(a), get!(b))),
            Op::Cast { op, from, to, d, a } => set!(d, value::cast(op, from, to, get!(a))),
            Op::SelectLanes { ty, d, c, t, f } => {
                set!(d, value::select_lanes(get!(c), get!(t), get!(f), ty));
            }
            Op::Extract { ty, lane, d, v } => {
                let v = get!(v);
                let lane = u32::from(lane);
                set!(d, Slot::new(v.lane(ty, lane), v.lane_taint(lane)));
            }
            Op::Insert { ty, lane, d, v, e } => {
                let (v, e) = (get!(v), get!(e));
                set!(d, v.with_lane(ty, u32::from(lane), e.lo, e.taint));
            }
            Op::Load { ty, d, a } => match slow_load(ty, get!(a), shared) {
                Ok(value) => set!(d, value),
                Err(kind) => leave!(Leave::Trap(kind)),
            },
            Op::Store { ty, a, s } => {
                if let Err(kind) = slow_store(ty, get!(a), get!(s), shared) {
                    leave!(Leave::Trap(kind));
                }
            }
            Op::Alloca { .. }
            | Op::CallIndirect { .. }
            | Op::ReturnCall { .. }
            | Op::ReturnCallIndirect { .. }
            | Op::Intrinsic { .. } => leave!(Leave::Other),
        }
    }
}

/// Any load; through an undefined address the result is undefined.
#[cold]
fn slow_load(ty: Type, address: Slot, shared: &mut Shared<'_>) -> Result<Slot, TrapKind> {
    let mut value = shared.memory.load(ty, address.lo)?;
    if address.taint & LANE != 0 {
        shared.taint.address = true;
        value.taint = all_lanes(ty);
    }
    Ok(value)
}

/// Any store.
#[cold]
fn slow_store(ty: Type, address: Slot, value: Slot, shared: &mut Shared<'_>) -> Result<(), TrapKind> {
    shared.taint.address |= address.taint != 0;
    shared.memory.store(ty, address.lo, value)
}
