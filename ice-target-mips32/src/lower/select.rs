//! Choices without branches: a value, and under a condition another over it.

use super::compare::Test;
use super::float_width;
use crate::inst::{Cond, Inst, Src, Wanted};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::Alu;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Operands as _, Words as _};
use ice_ir::Value;

/// What a move looks at.
#[derive(Clone, Copy)]
enum Decision {
    /// A register, whether it is zero.
    Register(VReg, Wanted),
    /// The condition code.
    Flag(Wanted),
}

impl Mips32 {
    /// A select with a scalar condition.
    pub(crate) fn select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result);
        if ty.is_scalar_float() {
            // The condition code is kept from here on.
            let [wins, stays] = [if_true, if_false].map(|value| self.reg(cx, value));
            let decision = match self.condition(cx, cond) {
                Test::Known(true) => return self.move_value(cx, dst, if_true),
                Test::Known(false) => return self.move_value(cx, dst, if_false),
                test => self.decision(cx, test),
            };
            let (width, dst) = (float_width(ty), dst.lo());
            cx.sink.push(Inst::MovFloat { width, dst, src: stays });
            return cx.sink.push(match decision {
                Decision::Register(cond, wanted) => {
                    Inst::CondMovFloat { wanted, width, dst, src: wins, cond }
                }
                Decision::Flag(wanted) => Inst::FlagMovFloat { wanted, width, dst, src: wins },
            });
        }
        let [mut wins, mut stays] = [if_true, if_false].map(|value| self.part_srcs(cx, value));
        let test = match self.condition(cx, cond) {
            Test::Known(true) => return self.move_value(cx, dst, if_true),
            Test::Known(false) => return self.move_value(cx, dst, if_false),
            test => test,
        };
        let mut decision = self.decision(cx, test);
        // Zero is rather moved under the condition: the other value may share the result's register.
        if stays[0] == Src::Zero && wins[0] != Src::Zero {
            core::mem::swap(&mut wins, &mut stays);
            decision = match decision {
                Decision::Register(reg, wanted) => Decision::Register(reg, wanted.invert()),
                Decision::Flag(wanted) => Decision::Flag(wanted.invert()),
            };
        }
        for (dst, src) in dst.iter().zip(stays) {
            self.mov(cx, dst, src);
        }
        for (dst, src) in dst.iter().zip(wins) {
            cx.sink.push(match decision {
                Decision::Register(cond, Wanted::Zero) => Inst::CondMov { op: Alu::Movz, dst, src, cond },
                Decision::Register(cond, Wanted::Nonzero) => Inst::CondMov { op: Alu::Movn, dst, src, cond },
                Decision::Flag(wanted) => Inst::FlagMov { wanted, dst, src },
            });
        }
    }

    /// What moves look at for a test that is not known.
    fn decision<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, test: Test) -> Decision {
        let (reg, wanted) = match test {
            Test::Cond(Cond::True) => return Decision::Flag(Wanted::Nonzero),
            Test::Cond(Cond::False) => return Decision::Flag(Wanted::Zero),
            Test::Bool(reg, wanted) => (reg, wanted),
            Test::Cond(Cond::Eq(a, b)) => (self.difference(cx, a, b), Wanted::Zero),
            Test::Cond(Cond::Ne(a, b)) => (self.difference(cx, a, b), Wanted::Nonzero),
            Test::Cond(Cond::Gez(a)) => (self.alu_imm_temp(cx, Alu::Slt, a, 0), Wanted::Zero),
            Test::Cond(Cond::Gtz(a)) => (self.alu_imm_temp(cx, Alu::Slt, a, 1), Wanted::Zero),
            test => {
                let dst = self.temp(cx);
                self.boolean(cx, test, dst);
                (dst, Wanted::Nonzero)
            }
        };
        Decision::Register(reg, wanted)
    }
}
