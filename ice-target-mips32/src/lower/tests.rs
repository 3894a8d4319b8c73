//! 64-bit integers in pairs: what the instructions of an operation compute, by a small machine that executes them over
//! virtual registers, beside the operation itself.

use crate::inst::{Inst, Src};
use crate::regs::r;
use crate::target::Mips32;
use alloc::vec;
use alloc::vec::Vec;
use ice_asm::mips32::{Alu, AluSigned, AluUnsigned, MultiplyDivide, Shift, ShiftBy};
use ice_codegen::mach::{MachFunction, MachInstId, VReg};
use ice_codegen::testing::{check_pairs, machine};
use ice_codegen::{CodeModel, Confinement};
use ice_regalloc::Constraint;

/// The registers, by number.
struct Registers(Vec<u32>);

fn alu(op: Alu, lhs: u32, rhs: u32) -> u32 {
    match op {
        Alu::Addu => lhs.wrapping_add(rhs),
        Alu::Subu => lhs.wrapping_sub(rhs),
        Alu::And => lhs & rhs,
        Alu::Or => lhs | rhs,
        Alu::Xor => lhs ^ rhs,
        Alu::Nor => !(lhs | rhs),
        Alu::Sltu => (lhs < rhs).into(),
        Alu::Mul => lhs.wrapping_mul(rhs),
        other => panic!("{other:?}"),
    }
}

fn shift(op: Shift, value: u32, amount: u32) -> u32 {
    match op {
        Shift::Sll => value << amount,
        Shift::Srl => value >> amount,
        Shift::Sra => (value as i32 >> amount) as u32,
        Shift::Rotr => value.rotate_right(amount),
    }
}

impl Registers {
    fn get(&self, src: impl Into<Src>) -> u32 {
        match src.into() {
            Src::Reg(reg) => self.0[reg.as_u32() as usize],
            Src::Zero => 0,
        }
    }

    /// The register that an instruction writes, and what.
    fn result(&self, inst: &Inst) -> Option<(VReg, u32)> {
        Some(match *inst {
            Inst::Mov { dst, src } => (dst, self.get(src)),
            Inst::MovImm { dst, imm } => (dst, imm),
            Inst::Alu { op, dst, lhs, rhs } => (dst, alu(op, self.get(lhs), self.get(rhs))),
            Inst::AluSigned { op, dst, lhs, imm } => {
                let op = if op == AluSigned::Addiu { Alu::Addu } else { Alu::Sltu };
                (dst, alu(op, self.get(lhs), i32::from(imm) as u32))
            }
            Inst::AluUnsigned { op, dst, lhs, imm } => {
                let op = match op {
                    AluUnsigned::Andi => Alu::And,
                    AluUnsigned::Ori => Alu::Or,
                    AluUnsigned::Xori => Alu::Xor,
                };
                (dst, alu(op, self.get(lhs), imm.into()))
            }
            Inst::Shift { op, dst, src, amount } => (dst, shift(op, self.get(src), amount.into())),
            Inst::ShiftBy { op, dst, src, amount } => {
                let op = match op {
                    ShiftBy::Sllv => Shift::Sll,
                    ShiftBy::Srlv => Shift::Srl,
                    ShiftBy::Srav => Shift::Sra,
                    ShiftBy::Rotrv => Shift::Rotr,
                };
                // The low five bits count.
                (dst, shift(op, self.get(src), self.get(amount) & 31))
            }
            Inst::CondMov { op, dst, src, cond } => {
                ((op == Alu::Movz) == (self.get(cond) == 0)).then(|| (dst, self.get(src)))?
            }
            ref other => panic!("{other:?}"),
        })
    }

    fn execute(&mut self, inst: &Inst) {
        if let Inst::MultiplyLong { op: MultiplyDivide::Multu, lo, hi, lhs, rhs } = *inst {
            let product = u64::from(self.get(lhs)) * u64::from(self.get(rhs));
            self.0[lo.as_u32() as usize] = product as u32;
            self.0[hi.as_u32() as usize] = (product >> 32) as u32;
        } else if let Some((dst, value)) = self.result(inst) {
            self.0[dst.as_u32() as usize] = value;
        }
    }
}

/// The result of a function of two pairs.
fn run(mach: &MachFunction<Inst>, numbers: [u64; 2]) -> u64 {
    let mut registers = Registers(vec![0; mach.body().num_vregs()]);
    for (n, inst) in mach.insts().iter().enumerate() {
        let operands = mach.body().operands(MachInstId::from_u32(n as u32));
        let at = |n| {
            let is_there = |op: &&ice_regalloc::Operand| op.constraint() == Constraint::Fixed(r(n));
            operands.iter().find(is_there).map(|op| op.vreg())
        };
        match inst {
            Inst::Params => {
                let words = numbers.into_iter().flat_map(|number| [number as u32, (number >> 32) as u32]);
                for (register, word) in (4..).zip(words) {
                    at(register).into_iter().for_each(|reg| registers.0[reg.as_u32() as usize] = word);
                }
            }
            Inst::Ret => {
                let [lo, hi] = [2, 3].map(|n| registers.get(at(n).expect("a result")));
                return u64::from(hi) << 32 | u64::from(lo);
            }
            inst => registers.execute(inst),
        }
    }
    panic!("no return");
}

#[test]
fn pairs_compute_what_their_operations_say() {
    check_pairs(|text| {
        let mach = machine(&Mips32 { model: CodeModel::Pnacl, confinement: Confinement::None }, text);
        move |a, b| run(&mach, [a, b])
    });
}
