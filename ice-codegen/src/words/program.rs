//! Intrinsics that ask the program or its system, or work on memory: what machines do alike.

use super::{CallRules, Cx};
use crate::compiled::Libcall;
use crate::mach::{Sink, VReg};
use crate::target::ErrorKind;
use arrayvec::ArrayVec;
use ice_ir::{GlobalId, Intrinsic, Type, Value, ValueDef};

/// The error for an intrinsic that a machine does not have.
const UNKNOWN: ErrorKind = ErrorKind::Unsupported("this intrinsic");

/// Rules for these intrinsics.
pub trait ProgramRules: CallRules {
    /// Whether the program is an ordinary one of the C world.
    fn is_ordinary(self) -> bool;

    /// `dst` = the address of this thread's data; false, and nothing done, where a helper says it.
    fn read_thread_pointer<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg) -> bool;

    /// `dst` = the address of this thread's copy of a variable.
    fn address_in_thread<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, global: GlobalId, dst: VReg);

    /// `dst` = the address of the frame of the function, at the level 0, or of a caller, or what that returns to.
    ///
    /// # Errors
    /// It is not known.
    fn frame_at<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: Intrinsic,
        level: Option<i64>,
        dst: VReg,
    ) -> Result<(), ErrorKind>;

    /// Makes the list at an address begin with the first variable argument.
    fn start_list<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, list: Value);

    /// Lowers a call of an intrinsic that is none of arithmetic.
    ///
    /// # Errors
    /// The machine does not have it.
    fn program_intrinsic<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: Intrinsic,
        args: &[Value],
        result: Option<Value>,
    ) -> Result<(), ErrorKind> {
        let to = result.map(|value| (cx.regs(value), cx.func.value_type(value)));
        match (op, to) {
            (Intrinsic::Memcpy | Intrinsic::Memmove, _) => self.copy_memory(cx, op, args),
            (Intrinsic::Memset, _) => self.fill_memory(cx, args),
            (Intrinsic::VaStart, _) => self.start_list(cx, args[0]),
            (Intrinsic::ReadTp, Some((dst, _))) => {
                if !self.read_thread_pointer(cx, dst.lo()) {
                    self.libcall(cx, Libcall::ReadTp, &[], to);
                }
            }
            (Intrinsic::Setjmp | Intrinsic::Longjmp, _) if self.is_ordinary() => {
                return Err(ErrorKind::Unsupported(
                    "the intrinsics setjmp and longjmp in native code; call the functions of the C library",
                ));
            }
            (Intrinsic::Setjmp | Intrinsic::Longjmp, _) => {
                let helper = if op == Intrinsic::Setjmp { Libcall::Setjmp } else { Libcall::Longjmp };
                let args: ArrayVec<_, 2> =
                    args.iter().take(2).map(|&arg| (self.regs(cx, arg), Type::I32)).collect();
                self.libcall(cx, helper, &args, to);
            }
            (Intrinsic::ThreadLocalAddress, Some((dst, _))) => match cx.func.value_def(args[0]) {
                ValueDef::Global(global) => self.address_in_thread(cx, global, dst.lo()),
                _ => {
                    return Err(ErrorKind::Unsupported("the address of a thread-local variable that varies"));
                }
            },
            (Intrinsic::FrameAddress | Intrinsic::ReturnAddress, Some((dst, _))) => {
                let level = cx.func.int_value(args[0]);
                return self.frame_at(cx, op, level, dst.lo());
            }
            _ => return Err(UNKNOWN),
        }
        Ok(())
    }
}
