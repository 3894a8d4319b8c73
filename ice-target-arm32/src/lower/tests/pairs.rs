//! 64-bit integers in pairs: what the instructions of an operation compute, by a small machine that executes them
//! over virtual registers, beside the operation itself.

use crate::inst::{Inst, Src};
use crate::regs::r;
use alloc::vec;
use alloc::vec::Vec;
use ice_asm::arm32::{Alu, Cond, Flags, Move, Multiply, MultiplyLong, Shift};
use ice_codegen::mach::{MachFunction, MachInstId, VReg};
use ice_codegen::testing::{check_pairs, machine};
use ice_regalloc::Constraint;

struct Machine {
    regs: Vec<u32>,
    carry: bool,
    negative: bool,
}

fn shifted(value: u32, shift: Shift, amount: u32) -> u32 {
    match shift {
        Shift::Lsl => value.checked_shl(amount).unwrap_or(0),
        Shift::Lsr => value.checked_shr(amount).unwrap_or(0),
        Shift::Asr => ((value as i32) >> amount.min(31)) as u32,
        Shift::Ror => value.rotate_right(amount),
    }
}

impl Machine {
    fn get(&self, reg: VReg) -> u32 {
        self.regs[reg.as_u32() as usize]
    }

    fn set(&mut self, reg: VReg, value: u32) {
        self.regs[reg.as_u32() as usize] = value;
    }

    fn src(&self, src: Src) -> u32 {
        match src {
            Src::Imm(imm) => imm.value(),
            Src::Reg(reg) => self.get(reg),
            Src::Shift(reg, shift, amount) => shifted(self.get(reg), shift, amount.into()),
            // The low byte counts.
            Src::ShiftReg(reg, shift, amount) => shifted(self.get(reg), shift, self.get(amount) & 255),
        }
    }

    fn alu(&mut self, op: Alu, flags: Flags, lhs: u32, rhs: u32) -> u32 {
        let sum = |a: u32, b: u32, carry: bool| {
            let wide = u64::from(a) + u64::from(b) + u64::from(carry);
            (wide as u32, wide >> 32 != 0)
        };
        let (result, carry) = match op {
            Alu::Add => sum(lhs, rhs, false),
            Alu::Adc => sum(lhs, rhs, self.carry),
            Alu::Sub => sum(lhs, !rhs, true),
            Alu::Sbc => sum(lhs, !rhs, self.carry),
            Alu::Rsb => sum(!lhs, rhs, true),
            Alu::And => (lhs & rhs, self.carry),
            Alu::Orr => (lhs | rhs, self.carry),
            Alu::Eor => (lhs ^ rhs, self.carry),
            Alu::Bic => (lhs & !rhs, self.carry),
            other => panic!("{other:?}"),
        };
        if flags == Flags::Set {
            (self.carry, self.negative) = (carry, result >> 31 != 0);
        }
        result
    }

    fn execute(&mut self, inst: &Inst) {
        match *inst {
            Inst::Mov { dst, src } => self.set(dst, self.get(src)),
            Inst::MovImm { dst, imm } => self.set(dst, imm),
            Inst::MovSrc { op: Move::Mov, dst, src, .. } => self.set(dst, self.src(src)),
            Inst::MovSrc { dst, src, .. } => self.set(dst, !self.src(src)),
            Inst::Alu { op, flags, dst, lhs, rhs } => {
                let result = self.alu(op, flags, self.get(lhs), self.src(rhs));
                self.set(dst, result);
            }
            Inst::CondMov { cond, dst, src } => {
                let holds = match cond {
                    Cond::Pl => !self.negative,
                    Cond::Mi => self.negative,
                    other => panic!("{other:?}"),
                };
                if holds {
                    self.set(dst, self.src(src));
                }
            }
            Inst::MultiplyAdd { op: Multiply::Mla, dst, lhs, rhs, acc } => {
                let product = self.get(lhs).wrapping_mul(self.get(rhs));
                self.set(dst, product.wrapping_add(self.get(acc)));
            }
            Inst::MultiplyLong { op: MultiplyLong::Umull, lo, hi, lhs, rhs } => {
                let product = u64::from(self.get(lhs)) * u64::from(self.get(rhs));
                self.set(lo, product as u32);
                self.set(hi, (product >> 32) as u32);
            }
            ref other => panic!("{other:?}"),
        }
    }
}

/// The result of a function of two pairs.
fn run(mach: &MachFunction<Inst>, a: u64, b: u64) -> u64 {
    let mut machine = Machine { regs: vec![0; mach.body().num_vregs()], carry: false, negative: false };
    for (n, inst) in mach.insts().iter().enumerate() {
        let operands = mach.body().operands(MachInstId::from_u32(n as u32));
        let at =
            |reg| operands.iter().find(|op| op.constraint() == Constraint::Fixed(reg)).map(|op| op.vreg());
        match inst {
            Inst::Params => {
                let words = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
                for (n, word) in (0..).zip(words) {
                    at(r(n)).into_iter().for_each(|reg| machine.set(reg, word));
                }
            }
            Inst::Ret => {
                let [lo, hi] = [0, 1].map(|n| machine.get(at(r(n)).expect("a result")));
                return u64::from(hi) << 32 | u64::from(lo);
            }
            inst => machine.execute(inst),
        }
    }
    panic!("no return");
}

/// Lowers the first function of a program, to be executed on two numbers.
fn compile(text: &str) -> impl Fn(u64, u64) -> u64 + use<> {
    let mach = machine(&super::PROGRAM, text);
    move |a, b| run(&mach, a, b)
}

#[test]
fn pairs_compute_what_their_operations_say() {
    check_pairs(compile);
}
