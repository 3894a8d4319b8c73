//! Terminators.

use super::compare::Test;
use crate::inst::{Extend, Inst, Src};
use crate::target::{Cx, X86};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::AssemblyRules as _;
use ice_codegen::mach::{MachBlock, Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::rules::{Selector, Terminator};
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::Type;

impl X86 {
    /// Lowers the terminator of a block.
    pub(crate) fn lower_control<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        match cx.terminator(inst)? {
            Terminator::Jump { target } => cx.sink.push(Inst::Jmp { target }),
            Terminator::Branch { cond, if_true, if_false } => {
                let test = self.condition(cx, cond);
                cx.sink.push(branch(test, if_true, if_false));
            }
            Terminator::Switch(selector) => self.lower_switch(cx, selector),
            Terminator::Indirect { address } => {
                let to = match self.folded_load(cx, address) {
                    Some(mem) => Src::Mem(mem),
                    None => Src::Reg(self.reg(cx, address)),
                };
                cx.sink.push(Inst::JmpIndirect { to });
            }
            Terminator::Return { values } => return self.lower_return(cx, values),
            Terminator::ReturnCall => return self.return_call(cx, inst),
            Terminator::Invoke { normal, pad, clauses } => {
                return self.invoke(cx, inst, (normal, pad, clauses));
            }
            #[cfg(feature = "assembly")]
            Terminator::Assembly => return self.assembly_jump(cx, inst),
            #[cfg(not(feature = "assembly"))]
            Terminator::Assembly => return Err(ErrorKind::Unsupported("inline assembly")),
            Terminator::Unreachable => cx.sink.push(Inst::Unreachable),
        }
        Ok(())
    }

    #[inline(never)]
    fn lower_switch<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, selector: Selector) {
        let Selector { switch, value, ty, sign } = selector;
        let jump_table = self.jump_table_register(cx);
        // A terminator defines nothing: its scratch register holds anything before it.
        if cx.is_pair(ty) {
            let regs = self.regs(cx, value);
            let scratch = self.undefined(cx, Type::I32);
            return cx.sink.push(Inst::SwitchPair {
                switch,
                lo: regs.lo(),
                hi: regs.hi(),
                scratch,
                table: jump_table,
            });
        }
        let scratch = self.undefined(cx, ty.max(Type::I32));
        let extend = if sign == Signedness::Signed { Extend::Sign } else { Extend::Zero };
        let index = if ty == Type::I64 { self.reg(cx, value) } else { self.extended_reg(cx, extend, value) };
        cx.sink.push(Inst::Switch { switch, index, scratch, table: jump_table });
    }

    /// The register that a jump through a table of distances needs beside the index. Static code has addresses there.
    fn jump_table_register<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Option<VReg> {
        if self.needs_global_base() {
            return Some(self.global_base(cx));
        }
        let is_relative = self.has_wide_addresses() && !self.has_symbol_displacements();
        is_relative.then(|| self.undefined(cx, Type::I64))
    }

    /// A register with any content.
    pub(super) fn undefined<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type) -> VReg {
        let dst = self.temp(cx, ty);
        cx.sink.push(Inst::Undefined { dst });
        dst
    }
}

/// The branch for a test.
fn branch(test: Test, if_true: MachBlock, if_false: MachBlock) -> Inst {
    match test {
        Test::One(cond) => Inst::Jcc { cond, if_true, if_false },
        Test::Both(a, b) => Inst::JccAnd { conds: [a, b], both: if_true, otherwise: if_false },
        Test::NotBoth(a, b) => Inst::JccAnd { conds: [a, b], both: if_false, otherwise: if_true },
        Test::Known(known) => Inst::Jmp { target: if known { if_true } else { if_false } },
    }
}
