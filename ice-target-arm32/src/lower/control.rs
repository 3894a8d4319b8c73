//! Terminators.

use super::Signedness;
use super::compare::Test;
use crate::inst::Inst;
use crate::target::{Arm32, Cx};
use ice_codegen::ErrorKind;
use ice_codegen::mach::Sink;
use ice_ir::{Block, InstData, SwitchTable, Type, Value};

impl Arm32 {
    /// Lowers the terminator of a block.
    pub(crate) fn lower_control<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        match *cx.func.inst(inst) {
            InstData::Br { target } => {
                let target = cx.target(target);
                cx.sink.push(Inst::Jump { target });
            }
            InstData::CondBr { cond, if_true, if_false } => {
                let test = self.condition(cx, cond);
                let (if_true, if_false) = (cx.target(if_true), cx.target(if_false));
                cx.sink.push(match test {
                    Test::Flags(cond, or) if if_true != if_false => {
                        Inst::Branch { cond, or, if_true, if_false }
                    }
                    Test::Known(false) => Inst::Jump { target: if_false },
                    // Both ways are one edge.
                    Test::Flags(..) | Test::Known(true) => Inst::Jump { target: if_true },
                });
            }
            InstData::Switch { value, default, table } => self.lower_switch(cx, value, default, table),
            InstData::Ret { value } => return self.lower_return(cx, [value, None]),
            InstData::RetPair { values } => return self.lower_return(cx, values.map(Some)),
            InstData::Unreachable => cx.sink.push(Inst::Unreachable),
            _ => return Err(ErrorKind::Unsupported("an instruction that does not end a block")),
        }
        Ok(())
    }

    fn lower_switch<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        value: Value,
        default: Block,
        table: SwitchTable,
    ) {
        let cases = &cx.func.switch(table).cases;
        let ty = cx.func.value_type(value);
        if cases.is_empty() {
            let target = cx.target(default);
            return cx.sink.push(Inst::Jump { target });
        }
        let switch = cx.plan_switch(ty.bits(), default, cases);
        if ty == Type::I64 {
            let regs = self.regs(cx, value);
            return cx.sink.push(Inst::SwitchPair { switch, lo: regs.lo(), hi: regs.hi() });
        }
        let index = self.extended(cx, Signedness::Signed, value);
        cx.sink.push(Inst::Switch { switch, index });
    }
}
