//! `sqrt` and `sqrtf` of the library: the machine's instruction, and the call only where that gives no number (as LLVM's
//! PartiallyInlineLibCalls makes it).
//!
//! What the library does beside is to set `errno` for a negative number, of which the square root is no number. clang writes
//! the intrinsic where the program does not look at that.

use super::byte_compare::library_function;
use super::{Body, Checked};
use crate::llvm::wire::attributes::{AttributeList, FunctionFlags};
use ice_ir::{FloatCond, FuncId, Intrinsic, Module, TailHint, Type, Value};

/// The functions of the library, if the module declares them as they are.
pub(in crate::llvm::legalize) fn declared(module: &Module) -> [Option<FuncId>; 2] {
    [(&b"sqrt"[..], Type::F64), (b"sqrtf", Type::F32)]
        .map(|(name, ty)| library_function(module, name, &[ty], ty))
}

impl Body<'_, '_> {
    /// The result of a call of such a function with these attributes and arguments, if it may be something else.
    #[cold]
    #[inline(never)]
    pub(super) fn square_root(
        &mut self,
        function: Option<FuncId>,
        attributes: &AttributeList,
        args: &[Value],
    ) -> Checked<Option<Value>> {
        let (Some(callee), &[arg]) = (function, args) else { return Ok(None) };
        let fixed = [FunctionFlags::NO_BUILTIN, FunctionFlags::STRICT_FP, FunctionFlags::OPTIMIZE_NONE];
        if self.s.pads.unwind.is_some()
            || fixed.iter().any(|&flag| attributes.function.flags.has(flag) || self.s.flags.has(flag))
        {
            return Ok(None);
        }
        let ty = self.ty_of(arg);
        let root = self.intrinsic(Intrinsic::Sqrt, ty, &[arg])?;
        let is_number = self.fcmp(FloatCond::Ord, root, root);
        let before = self.ice_block();
        let behind = self.b.func.insert_new_block_after(before);
        let library = self.b.create_block();
        self.b.cond_br(is_number, behind, library);
        self.b.switch_to_block(library);
        let Some(called) = self.b.call(callee, args, ty, TailHint::None) else { return Ok(None) };
        self.b.br(behind);
        self.continue_in(behind);
        Ok(Some(self.b.phi(ty, &[(root, before), (called, library)])))
    }
}
