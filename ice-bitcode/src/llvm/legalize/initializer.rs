//! The initial contents of global variables, from their constants.
//!
//! A walk over the constant in the order of addresses, with a stack of its own. Bytes are collected in runs; zeros are
//! counted, so that a large variable without contents costs nothing, and short gaps go into the run around them.
//! Constants may share elements, which can make contents exponential in the size of the file: all variables together
//! may take [`Budget::new`] bytes and steps.

use alloc::vec::Vec;
use core::ops::Range;

use ice_ir::{FuncId, GlobalId, GlobalKind, Initializer, Module, Symbol};

use crate::error::Error;
use crate::llvm::wire::constants::{Checked, Constant, Constants, Run, View};
use crate::llvm::wire::fold::Scalar;
use crate::llvm::wire::types::{LlvmType, TypeId};

/// What is left of the bytes and steps that contents may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(u64);

/// The least budget.
const LEAST_BUDGET: u64 = 16 << 20;
/// Zeros up to this many are stored with the bytes around them.
const SHORT_GAP: u64 = 16;
/// The largest variable.
pub(super) const MAX_GLOBAL_SIZE: u64 = 1 << 35;

impl Budget {
    /// The budget of a file of `length` bytes.
    pub(super) fn new(length: usize) -> Budget {
        Budget(LEAST_BUDGET.max(length as u64 * 64))
    }

    fn take(&mut self, amount: u64) -> Checked<()> {
        let error = Error::TooLarge { what: "the contents of all variables", limit: LEAST_BUDGET };
        self.0 = self.0.checked_sub(amount).ok_or(error)?;
        Ok(())
    }
}

/// An aggregate that is being written.
struct Frame<'a> {
    table: &'a Constants,
    members: Run,
    next: u32,
    ty: TypeId,
    /// Where it starts in the variable.
    offset: u64,
}

/// Writes the contents of a variable of type `ty` from constant `id`: initializers of `module` that fill the whole
/// size of the type. `own` is the variable.
pub(super) fn write(
    view: &View<'_>,
    own: Symbol,
    id: u32,
    ty: TypeId,
    module: &mut Module,
    budget: &mut Budget,
) -> Checked<Range<u32>> {
    let env = view.env;
    let size = sized(env.layouts.alloc_size(ty)?)?;
    if view.type_of(id) != Some(ty) {
        return Err(Error::ElementType { value: id });
    }
    let first = module.initializers.len() as u32;
    let mut sink = Sink { module, own, position: 0, zeros: 0, run: None };
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut current = Some((id, ty, 0));
    loop {
        if let Some((id, ty, offset)) = current.take() {
            budget.take(1)?;
            let constant = view.get(id);
            match (constant, env.types.get(ty)) {
                (Some((Constant::Null | Constant::Undef | Constant::Poison, _)), _) => {}
                (Some((Constant::Bytes(run), _)), _) => {
                    let bytes = view.table(id).bytes(run);
                    budget.take(bytes.len() as u64)?;
                    sink.bytes(offset, bytes);
                }
                (Some((Constant::Words(run), _)), LlvmType::Int(_) | LlvmType::X86Fp80 | LlvmType::Fp128) => {
                    budget.take(env.layouts.store_size(ty)?)?;
                    let (bits, words) = (env.layouts.bits(ty)?, view.table(id).words(run));
                    for (i, &word) in words.iter().enumerate() {
                        let left = bits.saturating_sub(i as u64 * 64).min(64) as u32;
                        sink.number(offset + i as u64 * 8, word as i64, left);
                    }
                }
                (Some((Constant::Aggregate(run), _)), LlvmType::Vector { element, .. })
                    if !env.layouts.bits(element)?.is_multiple_of(8) =>
                {
                    packed_lanes(
                        view,
                        view.table(id).operands(run),
                        env.layouts.bits(element)?,
                        offset,
                        &mut sink,
                    )?;
                }
                (Some((Constant::Aggregate(members), _)), _) => {
                    frames.push(Frame { table: view.table(id), members, next: 0, ty, offset });
                }
                _ => {
                    sink.scalar(view.scalar(id), offset, env.layouts.bits(ty)?, id, env.layout.pointer_bytes)?
                }
            }
        }
        let Some(frame) = frames.last_mut() else { break };
        if frame.next == frame.members.len {
            frames.pop();
            continue;
        }
        let index = u64::from(frame.next);
        frame.next += 1;
        let member = frame.table.operands(frame.members)[index as usize];
        let Some(member_ty) = env.types.member(frame.ty, index) else {
            return Err(Error::ElementType { value: member });
        };
        let at = match env.types.get(frame.ty) {
            // Lanes follow each other without padding.
            LlvmType::Vector { .. } => index * env.layouts.bits(member_ty)? / 8,
            _ => env.layouts.member_offset(env.types, frame.ty, index)?,
        };
        current = Some((member, member_ty, frame.offset + at));
    }
    sink.zeros_up_to(size);
    sink.flush_zeros();
    Ok(first..sink.module.initializers.len() as u32)
}

/// `size`, if a variable can be that large.
pub(super) fn sized(size: u64) -> Checked<u64> {
    match size <= MAX_GLOBAL_SIZE {
        true => Ok(size),
        false => Err(Error::TooLarge { what: "a variable", limit: MAX_GLOBAL_SIZE }),
    }
}

/// A vector whose lanes are no whole bytes: numbers bit by bit.
fn packed_lanes(view: &View<'_>, lanes: &[u32], bits: u64, offset: u64, sink: &mut Sink<'_>) -> Checked<()> {
    let (mut byte, mut filled, mut at) = (0u8, 0, offset);
    for &lane in lanes {
        let Some(value) = view.number(lane) else { return Err(Error::InitializerForm { value: lane }) };
        for bit in 0..bits.min(64) {
            byte |= ((value >> bit & 1) as u8) << filled;
            filled += 1;
            if filled == 8 {
                sink.bytes(at, &[byte]);
                (byte, filled, at) = (0, 0, at + 1);
            }
        }
    }
    if filled != 0 {
        sink.bytes(at, &[byte]);
    }
    Ok(())
}

/// Takes pieces in the order of their offsets.
struct Sink<'m> {
    module: &'m mut Module,
    own: Symbol,
    /// Bytes so far, zeros that are still to be written included.
    position: u64,
    zeros: u64,
    /// The run of bytes at the end, by its initializer.
    run: Option<usize>,
}

impl Sink<'_> {
    fn zeros_up_to(&mut self, offset: u64) {
        self.zeros += offset.saturating_sub(self.position);
        self.position = self.position.max(offset);
    }

    fn flush_zeros(&mut self) {
        while self.zeros != 0 {
            let count = self.zeros.min(u64::from(u32::MAX)) as u32;
            self.module.initializers.push(Initializer::Zero(count));
            self.zeros -= u64::from(count);
            self.run = None;
        }
    }

    fn bytes(&mut self, offset: u64, bytes: &[u8]) {
        self.zeros_up_to(offset);
        if bytes.is_empty() {
            return;
        }
        self.position += bytes.len() as u64;
        if let Some(run) = self.run.filter(|_| self.zeros <= SHORT_GAP)
            && let Some(Initializer::Bytes { len, .. }) = self.module.initializers.get_mut(run)
        {
            *len += self.zeros as u32 + bytes.len() as u32;
            self.module.data.extend((0..self.zeros).map(|_| 0));
            self.zeros = 0;
        } else {
            self.flush_zeros();
            let (start, len) = (self.module.data.len() as u32, bytes.len() as u32);
            self.run = Some(self.module.initializers.len());
            self.module.initializers.push(Initializer::Bytes { start, len });
        }
        self.module.data.extend_from_slice(bytes);
    }

    /// The low `bits` of a number, in whole bytes.
    fn number(&mut self, offset: u64, value: i64, bits: u32) {
        if bits != 0 {
            let value = value as u64 & u64::MAX >> (64 - bits);
            self.bytes(offset, &value.to_le_bytes()[..bits.div_ceil(8) as usize]);
        }
    }

    fn relocation(&mut self, offset: u64, piece: Initializer, bytes: u64) {
        self.zeros_up_to(offset);
        self.flush_zeros();
        self.run = None;
        self.module.initializers.push(piece);
        self.position += bytes;
    }

    /// The function of which the global is a label.
    fn label_of(&self, global: GlobalId) -> Option<FuncId> {
        match self.module.globals[global].kind {
            GlobalKind::Label { function, .. } => Some(function),
            _ => None,
        }
    }

    /// A scalar of `bits` from constant `id`.
    fn scalar(&mut self, scalar: Scalar, offset: u64, bits: u64, id: u32, pointer_bytes: u32) -> Checked<()> {
        match scalar {
            Scalar::Number(value) if bits <= 64 => self.number(offset, value, bits as u32),
            Scalar::Address { target, addend } if bits == u64::from(pointer_bytes) * 8 => {
                self.relocation(offset, Initializer::Address { target, addend }, bits / 8);
            }
            // The place of these bytes is the own symbol plus the offset.
            Scalar::Distance { plus: target, minus, addend }
                if (bits == 32 || bits == 64 && pointer_bytes == 8) && minus == self.own =>
            {
                let (addend, bytes) = (addend.wrapping_add(offset as i64), (bits / 8) as u8);
                self.relocation(offset, Initializer::Relative { target, addend, bytes }, bits / 8);
            }
            Scalar::Distance { plus: Symbol::Global(plus), minus: Symbol::Global(minus), addend }
                if let (Some(of), Some(from)) = (self.label_of(plus), self.label_of(minus))
                    && of == from
                    && matches!(bits, 8 | 16 | 32 | 64)
                    && let Ok(addend) = i32::try_from(addend) =>
            {
                let bytes = (bits / 8) as u8;
                self.relocation(offset, Initializer::Distance { plus, minus, addend, bytes }, bits / 8);
            }
            Scalar::Distance { .. } => {
                return Err(Error::Unsupported { what: "the distance of two other symbols as data".into() });
            }
            _ => return Err(Error::InitializerForm { value: id }),
        }
        Ok(())
    }
}
