//! What calls need by other conventions than the standard one: which registers they destroy; and what only functions of
//! Windows have, arguments in memory of the caller and variable ones in two registers.
//!
//! The memory is an object of the caller's frame for each such argument: the callee may write to it (Microsoft, «x64 calling
//! convention»).

use super::call::{Operands, is_untracked};
use crate::abi::{ArgumentPlace, ArgumentPlaces, ResultPlace, integer_twin, result_places};
use crate::inst::{Amode, Base, Callee, Inst};
use crate::regs::{self, GPR, RAX};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use ice_asm::x86::{Mode, SseOp, Width};
use ice_codegen::ErrorKind;
use ice_codegen::abi::NO_ROOM_FOR_RESULT;
use ice_codegen::mach::{Operand, Sink};
use ice_codegen::rules::Destination;
use ice_ir::native::{CallingConvention, Passing};
use ice_ir::{Signature, Type, Value};
use ice_regalloc::{Constraint, RegUnits};

/// log2 of the alignment of the memory.
const ALIGN_LOG2: u8 = 4;

impl X86 {
    /// Refuses conventions that only x86-64 has.
    pub(super) fn check_convention(self, signature: &Signature) -> Result<(), ErrorKind> {
        match (self.mode, signature.convention) {
            (
                Mode::Bits32,
                CallingConvention::PreserveMost | CallingConvention::PreserveAll | CallingConvention::Win64,
            ) => Err(ErrorKind::Unsupported("a calling convention of x86-64")),
            _ => Ok(()),
        }
    }

    /// A call of what preserves other registers than standard functions: of its own, all but those that the convention
    /// preserves and those of results, which the callee does not save even if nobody wants them.
    #[cold]
    pub(super) fn call_destroying(
        self,
        destination: Destination,
        callee: Callee,
        signature: &Signature,
        has_wide_registers: bool,
    ) -> Result<Inst, ErrorKind> {
        let is_anywhere = matches!(destination, Destination::Address(_)) && is_untracked(Some(signature));
        if self.tracks_branches && is_anywhere {
            return Err(ErrorKind::Unsupported(
                "a call of another convention that may lead anywhere, where branches are tracked",
            ));
        }
        self.check_convention(signature)?;
        let mut destroyed = regs::destroyed(self.mode, signature.convention);
        let types = [signature.ret, signature.second];
        let places = result_places(self.mode, types, Some(signature)).ok_or(NO_ROOM_FOR_RESULT)?;
        for place in places {
            destroyed = destroyed.union(match place {
                ResultPlace::Register(reg) => RegUnits::of(reg.0),
                ResultPlace::Pair(lo, hi) => RegUnits::of(lo.0).union(RegUnits::of(hi.0)),
                ResultPlace::None | ResultPlace::Upper(_) | ResultPlace::Fpu => RegUnits::EMPTY,
            });
        }
        if has_wide_registers {
            // What it preserves of them are the lower halves.
            destroyed = destroyed.union(RegUnits::span(16, 16));
        }
        if signature.struct_return().is_some() {
            destroyed.insert(RegUnits::of(RAX.0));
        }
        Ok(Inst::CallDestroying { callee, destroyed: destroyed.bits() as u32 })
    }

    /// Copies an argument to an object of the frame, and gives its address.
    pub(super) fn argument_in_frame<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        arg: Value,
        passing: Passing,
    ) -> Amode {
        let by_value = match passing {
            Passing::ByVal { size, .. } => Some(size),
            _ => None,
        };
        let size = by_value.unwrap_or(cx.func.value_type(arg).bytes());
        let object = cx.sink.frame().add_object(size, ALIGN_LOG2);
        let mem = Amode::new(Base::Object(object), 0);
        match by_value {
            Some(size) => self.copy_argument(cx, arg, mem, size),
            None => self.store_to(cx, mem, arg),
        }
        mem
    }

    /// Loads the parameters whose addresses are among the operands, in their registers.
    #[cold]
    pub(super) fn load_by_addresses<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        signature: &Signature,
        operands: &Operands,
    ) {
        let func = cx.func;
        let mut places = ArgumentPlaces::of(self.mode, Some(signature));
        for (n, (&param, &ty)) in func.params().iter().zip(&signature.params).enumerate() {
            let passing = signature.passing(n);
            if let ArgumentPlace::At(reg) = places.next(ty, passing)
                && !matches!(passing, Passing::ByVal { .. })
                && let Some(address) = operands.iter().find(|it| it.constraint() == Constraint::Fixed(reg))
            {
                self.load_from(cx, Amode::new(Base::Reg(address.vreg()), 0), param);
            }
        }
    }

    /// Brings a parameter into its register whose address is at an offset of the stack arguments.
    pub(super) fn load_by_address<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        offset: u32,
        passing: Passing,
        param: Value,
    ) {
        let from = Amode::new(Base::Incoming, offset as i32);
        if let Passing::ByVal { .. } = passing {
            return self.load_from(cx, from, param);
        }
        let address = self.temp(cx, Type::I64);
        cx.sink.push(Inst::Load { width: Width::B64, dst: address, mem: from });
        self.load_from(cx, Amode::new(Base::Reg(address), 0), param);
    }

    /// Puts the floats among the register arguments of a variadic function into general registers too, where the callee
    /// looks for them.
    pub(super) fn floats_also_as_integers<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, operands: &mut Operands) {
        let mut twins = ArrayVec::<Operand, 4>::new();
        for operand in &*operands {
            let Constraint::Fixed(reg) = operand.constraint() else { continue };
            let Some(twin) = integer_twin(reg) else { continue };
            let dst = self.temp(cx, Type::I64);
            let src = operand.vreg();
            cx.sink.push(Inst::XmmToGpr { op: SseOp::MovGpr, width: Width::B64, dst, src });
            twins.push(Operand::use_fixed(dst, GPR, twin));
        }
        operands.extend(twins);
    }
}
