//! The x87 instructions that the i386 calling convention and its run-time functions need (SDM volume 2).

use super::Encoder;
use super::code::{Attrs, Code, Immediate, code};
use super::int::ops;
use super::operand::Mem;
use super::text::Op;
use crate::listing::Listing;

ops!(
    /// Operations with memory. The number is the operand's size in bits.
    X87Mem:
    Fld32    "flds"    "D9 /0",
    Fld64    "fldl"    "DD /0",
    Fld80    "fldt"    "DB /5",
    Fst32    "fsts"    "D9 /2",
    Fst64    "fstl"    "DD /2",
    Fstp32   "fstps"   "D9 /3",
    Fstp64   "fstpl"   "DD /3",
    Fstp80   "fstpt"   "DB /7",
    Fild16   "filds"   "DF /0",
    Fild32   "fildl"   "DB /0",
    Fild64   "fildll"  "DF /5",
    Fistp16  "fistps"  "DF /3",
    Fistp32  "fistpl"  "DB /3",
    Fistp64  "fistpll" "DF /7",
    Fisttp16 "fisttps" "DF /1",
    Fisttp32 "fisttpl" "DB /1",
    Fisttp64 "fisttpll" "DD /1",
    Fadd32   "fadds"   "D8 /0",
    Fadd64   "faddl"   "DC /0",
    Fmul32   "fmuls"   "D8 /1",
    Fmul64   "fmull"   "DC /1",
    Fsub32   "fsubs"   "D8 /4",
    Fsub64   "fsubl"   "DC /4",
    Fdiv32   "fdivs"   "D8 /6",
    Fdiv64   "fdivl"   "DC /6",
    Fldcw    "fldcw"   "D9 /5",
    Fnstcw   "fnstcw"  "D9 /7",
    Fnstsw   "fnstsw"  "DD /7",
);

ops!(
    /// Operations with a register of the stack. The opcode's second byte is C0 + 8 * digit + register.
    X87Reg:
    Fld     "fld"     "D9 /0",
    Fxch    "fxch"    "D9 /1",
    Fst     "fst"     "DD /2",
    Fstp    "fstp"    "DD /3",
    Fucomi  "fucomi"  "DB /5",
    Fucomip "fucomip" "DF /5",
    Faddp   "faddp"   "DE /0",
    Fmulp   "fmulp"   "DE /1",
    // The names of the AT&T syntax: those of the manual have an r more or less.
    Fsubp   "fsubrp"  "DE /5",
    Fdivp   "fdivrp"  "DE /7",
);

ops!(
    /// Operations on the top of the stack alone.
    X87Op:
    Fchs  "fchs"  "D9 E0",
    Fabs  "fabs"  "D9 E1",
    Fld1  "fld1"  "D9 E8",
    Fldz  "fldz"  "D9 EE",
    Fsqrt "fsqrt" "D9 FA",
    Fucompp "fucompp" "DA E9",
);

impl<L: Listing> Encoder<'_, L> {
    /// An x87 operation with memory.
    pub fn x87_m(&mut self, op: X87Mem, mem: Mem) {
        let (mnemonic, code) = (op.mnemonic(), op.code());
        self.line(&[mnemonic], &[Op::Mem(&mem)]);
        self.inst_rm(code, Attrs::NONE, code.ext, &mem, Immediate::NONE);
    }

    /// An x87 operation with register `st(n)`, `n` modulo 8.
    pub fn x87_st(&mut self, op: X87Reg, n: u8) {
        let (mnemonic, code) = (op.mnemonic(), op.code());
        let n = n & 7;
        match op {
            X87Reg::Fucomi | X87Reg::Fucomip => self.line(&[mnemonic], &[Op::St(n), Op::St(0)]),
            X87Reg::Faddp | X87Reg::Fmulp | X87Reg::Fsubp | X87Reg::Fdivp => {
                self.line(&[mnemonic], &[Op::St(0), Op::St(n)]);
            }
            _ => self.line(&[mnemonic], &[Op::St(n)]),
        }
        self.inst_rr(code, Attrs::NONE, code.ext, n, Immediate::NONE);
    }

    /// An x87 operation on the top of the stack.
    pub fn x87_op(&mut self, op: X87Op) {
        let (mnemonic, code) = (op.mnemonic(), op.code());
        self.line(&[mnemonic], &[]);
        self.inst_o(code, Attrs::NONE, 0, Immediate::NONE);
    }
}
