//! Values that are live at calls, and where they are while the callee runs: stack maps, and records of side exits.
//!
//! *Problem.* A run-time system that moves objects, or goes on elsewhere in place of a function, must find the values of
//! the functions that are being executed. *Method.* A call of the IR names them ([`TailHint::Live`]). In machine code they are
//! operands of the call that may be in any register or slot which the call leaves alone: the allocator chooses, moves
//! nothing for them, and its checker proves them. Emission notes the offset behind the call, which is the return address.
//!
//! An object of the frame is named by its address and needs no register: what is in it may be changed while the callee
//! runs, by who moves objects for example.
//!
//! Cost: none for other calls; about 16 bytes for each value.

use crate::lower::Lower;
use crate::mach::{MachFunction, MachInst, MachInstId, Operand, Sink};
use crate::rules::Operands;
use crate::target::{ErrorKind, Target};
use crate::unwind::UnwindFacts;
use alloc::vec::Vec;
use ice_ir::{Inst, InstData, TailHint, Type, Value, ValueDef};
use ice_regalloc::{Allocation, Output};

/// Where a value is while a callee runs. Registers have the DWARF numbers of [`UnwindFacts`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LivePlace {
    /// In a register that callees preserve.
    Register(u16),
    /// In memory.
    Memory {
        /// The register that it hangs off: the stack pointer as it was at the call, or a frame pointer.
        base: u16,
        /// Bytes above that.
        offset: i32,
    },
    /// It is the address of an object of the frame, so many bytes above a register.
    Object {
        /// The register, as for memory.
        base: u16,
        /// Bytes above that.
        offset: i32,
    },
    /// It is this integer, or these bits; a vector is zero.
    Constant(i64),
}

/// A value that is live at a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveValue {
    /// Its type.
    pub ty: Type,
    /// Where it is, or its low half.
    pub place: LivePlace,
    /// Where its high half is, if it has two.
    pub high: Option<LivePlace>,
}

/// A call with live values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveCall {
    /// The offset of the instruction that the callee returns to.
    pub return_offset: u32,
    /// The values, in the order in which the call names them.
    pub values: Vec<LiveValue>,
}

/// The calls of a function that have live values, in order of their offsets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LiveCalls {
    /// The frame of the function, in which its caller is found.
    pub frame: UnwindFacts,
    /// The calls.
    pub calls: Vec<LiveCall>,
}

/// A live value as lowering knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lowered {
    /// In so many of the last operands of the call.
    Operands(u8),
    /// The address of an object of the frame.
    Object(u32),
    Constant(i64),
}

/// The live values of a call of a machine function.
#[derive(Clone, Debug)]
pub(crate) struct LoweredCall {
    pub(crate) inst: MachInstId,
    pub(crate) values: Vec<(Type, Lowered)>,
}

/// What waits for the call that is being lowered.
#[derive(Clone, Debug, Default)]
pub struct LiveOperands {
    pub(crate) values: Vec<(Type, Lowered)>,
    pub(crate) operands: Vec<Operand>,
}

/// The live values of a call; `None` if it does not name any.
fn live_values<'a, I: MachInst, S: Sink<I>>(cx: &Lower<'a, I, S>, inst: Inst) -> Option<&'a [Value]> {
    let (func, data) = (cx.func, cx.func.inst(inst));
    match *data {
        InstData::Call { args, tail: TailHint::Live, .. }
        | InstData::CallAs { args, tail: TailHint::Live, .. } => {
            Some(&func.args(args)[cx.module.passed_args(data)..])
        }
        _ => None,
    }
}

/// Lets the next call that is appended have the live values that the call `inst` names. Called before any of its
/// instructions is appended.
#[inline]
pub fn note_live<T: Target + Copy, S: Sink<T::Inst>>(target: T, cx: &mut Lower<'_, T::Inst, S>, inst: Inst) {
    if let Some(values) = live_values(cx, inst) {
        lower_live(target, cx, values);
    }
}

#[cold]
fn lower_live<T: Target + Copy, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Lower<'_, T::Inst, S>,
    values: &[Value],
) {
    let mut live = LiveOperands::default();
    for &value in values {
        let ty = cx.func.value_type(value);
        let lowered = match (cx.frame_object(value), cx.func.value_def(value)) {
            (Some(object), _) => Lowered::Object(object),
            (None, ValueDef::Int(number)) => Lowered::Constant(number),
            (None, ValueDef::Float(bits)) => Lowered::Constant(bits as i64),
            (None, ValueDef::Undef | ValueDef::Zero) => Lowered::Constant(0),
            _ => {
                let regs = target.regs(cx, value);
                let class = cx.layouts[ty as usize].class;
                live.operands.extend(regs.iter().map(|reg| Operand::use_late_any(reg, class)));
                Lowered::Operands(regs.iter().count() as u8)
            }
        };
        live.values.push((ty, lowered));
    }
    cx.sink.expect_live(live);
}

/// What an instruction makes that can be made again wherever it is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remade {
    /// A constant.
    Constant(i64),
    /// What is in memory so many bytes above the start of the incoming arguments.
    Argument(i32),
}

/// The calls with live values of the function that was emitted last with this memory, which return to `marks`.
///
/// # Errors
/// A place is one of another kind than [`LivePlace`] has.
pub(crate) fn live_calls<T: Target>(
    target: &T,
    scratch: &T::Scratch,
    mach: &MachFunction<T::Inst>,
    allocation: &Output,
    marks: &[u32],
) -> Result<LiveCalls, ErrorKind> {
    let mut frame = UnwindFacts::default();
    target.describe_frame(scratch, &mut frame);
    let layout = target.frame_layout(scratch);
    let base = frame.base.0;
    let in_frame = |list: &[i32], n: u32| list.get(n as usize).copied();
    let place = |allocation: Option<&Allocation>| {
        let allocation = allocation?;
        if let Some(slot) = allocation.as_slot() {
            return Some(LivePlace::Memory { base, offset: in_frame(&layout.slots, slot.as_u32())? });
        }
        let Some(inst) = allocation.as_remat() else {
            return Some(LivePlace::Register(target.dwarf_number(allocation.as_reg()?)?));
        };
        Some(match target.remade(mach.insts().get(inst.as_u32() as usize)?)? {
            Remade::Constant(number) => LivePlace::Constant(number),
            Remade::Argument(offset) => {
                LivePlace::Memory { base, offset: layout.incoming.wrapping_add(offset) }
            }
        })
    };
    let mut calls = Vec::new();
    for (call, &return_offset) in mach.live_calls().iter().zip(marks) {
        let places = allocation.allocs_of(mach.body(), call.inst);
        let count: usize = call.values.iter().map(|(_, lowered)| lowered.operands()).sum();
        let mut places = places[places.len().saturating_sub(count)..].iter();
        let mut values = Vec::with_capacity(call.values.len());
        for &(ty, lowered) in &call.values {
            let (first, high) = match lowered {
                Lowered::Constant(number) => (Some(LivePlace::Constant(number)), None),
                Lowered::Object(object) => {
                    (in_frame(&layout.objects, object).map(|offset| LivePlace::Object { base, offset }), None)
                }
                Lowered::Operands(2) => (place(places.next()), Some(place(places.next()))),
                Lowered::Operands(_) => (place(places.next()), None),
            };
            let (Some(place), None | Some(Some(_))) = (first, high) else {
                return Err(ErrorKind::Unsupported("a live value in such a place"));
            };
            values.push(LiveValue { ty, place, high: high.flatten() });
        }
        calls.push(LiveCall { return_offset, values });
    }
    match calls.len() == mach.live_calls().len() {
        true => Ok(LiveCalls { frame, calls }),
        false => Err(ErrorKind::Unsupported("a call with live values that is not emitted")),
    }
}

impl LiveCalls {
    /// Memory that they take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let of_call = |call: &LiveCall| size_of::<LiveCall>() + size_of_val(&*call.values);
        size_of::<LiveCalls>() + self.calls.iter().map(of_call).sum::<usize>()
    }
}

impl Lowered {
    fn operands(self) -> usize {
        match self {
            Lowered::Operands(count) => count.into(),
            Lowered::Object(_) | Lowered::Constant(_) => 0,
        }
    }
}
