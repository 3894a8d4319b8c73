//! How code reaches symbols.
//!
//! | | sandboxed, static | position-independent |
//! |---|---|---|
//! | own symbol | `movw`, `movt` | `movw`, `movt` of the distance, and pc added |
//! | other symbol | the same | its entry in the global offset table |
//! | function, call | `bl` | `bl`, perhaps to the procedure linkage table |
//! | thread-local, local exec | thread pointer + word | the same |
//! | initial exec | + entry in the global offset table | the same |
//! | general dynamic | as local or initial exec | call of `__tls_get_addr` |
//!
//! A symbol is *own* where nothing outside of the linked module can take its place.

use crate::inst::Inst;
use crate::regs::{GPR, r};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::Alu;
use ice_codegen::CodeSymbol;
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_ir::native::Storage;
use ice_ir::{GlobalId, Symbol};

impl Arm32 {
    /// Puts the address of a symbol that is not thread-local, plus `addend`, into `dst`.
    pub(crate) fn symbol_address<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        of: Symbol,
        addend: i16,
        dst: VReg,
    ) {
        let symbol = CodeSymbol::from(of).pack();
        if !self.is_position_independent() || cx.module.is_own(of) {
            return cx.sink.push(Inst::MovSymbol { dst, symbol, addend });
        }
        cx.sink.push(Inst::LoadTableEntry { dst, symbol });
        if addend != 0 {
            self.alu_imm(cx, Alu::Add, dst, dst, i32::from(addend) as u32);
        }
    }

    /// Puts the address of this thread's copy of a thread-local variable into `dst`.
    pub(crate) fn thread_local_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, global: GlobalId, dst: VReg) {
        let of = Symbol::Global(global);
        let is_in_program = !cx.module.is_declared(of) || cx.module.is_own(of);
        let symbol = CodeSymbol::from(of).pack();
        let add = match cx.module.globals[global].storage {
            Storage::ThreadLocalExec => Inst::AddThreadOffset { dst, symbol },
            _ if !self.is_position_independent() && is_in_program => Inst::AddThreadOffset { dst, symbol },
            Storage::ThreadGeneralDynamic | Storage::ThreadLocalDynamic if self.is_position_independent() => {
                cx.sink.frame().has_calls = true;
                let result = [Operand::def_fixed(dst, GPR, r(0))];
                return cx.sink.push_with(Inst::ThreadLocalCall { symbol }, &result);
            }
            _ => Inst::AddTableThreadOffset { dst, symbol },
        };
        cx.sink.push(Inst::ThreadPointer { dst });
        cx.sink.push(add);
    }
}
