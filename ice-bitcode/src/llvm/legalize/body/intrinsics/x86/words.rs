//! Instructions on general registers, and those that compare strings.

use alloc::format;

use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

use super::super::Call;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::{Kind, Scalar};

impl Body<'_, '_> {
    /// An integer of one part.
    fn word_argument(&self, operand: Operand) -> Checked<Value> {
        match self.scalar(operand.ty)? {
            Scalar::Int(8 | 16 | 32 | 64) => Ok(self.single(operand)),
            _ => fail(self.type_class(operand.ty, "an integer of 8 to 64 bits")),
        }
    }

    /// The type of the result, an integer.
    fn word_result(&self, call: &Call) -> Checked<Type> {
        match self.kind(call.ret) {
            Kind::Scalar(Scalar::Int(32)) => Ok(Type::I32),
            Kind::Scalar(Scalar::Int(64)) => Ok(Type::I64),
            _ => fail(self.type_class(call.ret, "an integer of 32 or 64 bits")),
        }
    }

    /// An instruction with two integers as operands.
    pub(super) fn x86_words(&mut self, call: &Call, template: &str, constraints: &str) -> Checked<Operand> {
        let args = [self.word_argument(call.args[0])?, self.word_argument(call.args[1])?];
        let ty = self.word_result(call)?;
        let value = self.instruction_value(template.into(), constraints, &args, ty)?;
        self.one_of(call.ret, value)
    }

    /// A result in several parts.
    fn parts_of_result(&mut self, call: &Call, values: &[Value]) -> Checked<Operand> {
        let run = self.reserve(values.len() as u32);
        for (i, &value) in (0..).zip(values) {
            self.set(run, i, value);
        }
        self.operand_of(call.ret, run)
    }

    /// `addcarry`, `subborrow`: the sum or difference of two integers and a carry of eight bits, behind that which it leaves.
    pub(super) fn x86_carry(&mut self, call: &Call, op: BinaryOp) -> Checked<Operand> {
        let [carry, a, b] = [0, 1, 2].map(|n| self.word_argument(call.args[n]));
        let (carry, a, b) = (carry?, a?, b?);
        let ty = self.ty_of(a);
        if self.ty_of(b) != ty {
            return fail(self.type_class(call.args[2].ty, "the type of the other operand"));
        }
        let is_set = self.icmp_int(IntCond::Ne, carry, 0);
        let carry = self.cast(CastOp::Zext, is_set, ty);
        let inner = self.bin(op, a, b);
        let value = self.bin(op, inner, carry);
        let (first, second) = match op {
            BinaryOp::Add => (self.icmp(IntCond::Ult, inner, a), self.icmp(IntCond::Ult, value, inner)),
            _ => (self.icmp(IntCond::Ult, a, b), self.icmp(IntCond::Ult, inner, carry)),
        };
        let either = self.bin(BinaryOp::Or, first, second);
        let carry = self.cast(CastOp::Zext, either, Type::I8);
        self.parts_of_result(call, &[carry, value])
    }

    /// What leaves 64 bits in edx:eax and perhaps more in ecx.
    pub(super) fn x86_counter(&mut self, call: &Call, mnemonic: &str, has_third: bool) -> Checked<Operand> {
        let constraints = match (has_third, call.count) {
            (true, _) => "={eax},={edx},={ecx}",
            (false, 0) => "={eax},={edx}",
            (false, _) => "={eax},={edx},{ecx}",
        };
        let args = match call.count {
            0 => None,
            _ => Some(self.word_argument(call.args[0])?),
        };
        let low = self.instruction_value(mnemonic.into(), constraints, args.as_slice(), Type::I32)?;
        let high = self.b.assembly_output(low, 1, Type::I32);
        let third = has_third.then(|| self.b.assembly_output(low, 2, Type::I32));
        let value = self.join_words([low, high]);
        match third {
            None => self.one_of(call.ret, value),
            Some(third) => self.parts_of_result(call, &[value, third]),
        }
    }

    /// An integer that the processor has.
    pub(super) fn x86_read(&mut self, call: &Call, template: &str) -> Checked<Operand> {
        let ty = self.word_result(call)?;
        let value = self.instruction_value(template.into(), "=r", &[], ty)?;
        self.one_of(call.ret, value)
    }

    /// What integers and addresses change beyond registers.
    pub(super) fn x86_write(&mut self, call: &Call, template: &str, constraints: &str) -> Checked<()> {
        let mut args = alloc::vec::Vec::new();
        for &arg in call.args.iter().take(call.count) {
            args.push(match Some(arg.ty) == self.m.pointer {
                true => self.address_arg(arg)?,
                false => self.word_argument(arg)?,
            });
        }
        self.instruction_effect(template, constraints, &args)
    }

    /// `rdrand`, `rdseed`: a number, and whether there was one.
    pub(super) fn x86_random(&mut self, call: &Call, mnemonic: &str) -> Checked<Operand> {
        let ty = match self.m.legal.parts(call.ret)? {
            [number, _] if number.ty.is_scalar_int() => number.ty,
            _ => return fail(self.type_class(call.ret, "a number and a condition")),
        };
        let value = self.instruction_value(format!("{mnemonic} $0"), "=r,={@ccc}", &[], ty)?;
        let is_there = self.b.assembly_output(value, 1, Type::I32);
        self.parts_of_result(call, &[value, is_there])
    }

    /// `pcmpistri` and its like, with lengths in eax and edx where they are said. `output` is where the result is, and what is
    /// destroyed beside it.
    pub(super) fn x86_strings(
        &mut self,
        call: &Call,
        mnemonic: &str,
        output: &str,
        destroyed: &str,
    ) -> Checked<Operand> {
        let has_lengths = call.count == 5;
        let Some(mode) = self.constant_number(call.args[call.count - 1]) else {
            return unsupported("a comparison of strings with a mode that is no constant");
        };
        let mut args = [None; 4];
        for (n, arg) in args.iter_mut().enumerate().take(call.count - 1) {
            let operand = call.args[n];
            *arg = Some(match has_lengths && n % 2 == 1 {
                true => self.word_argument(operand)?,
                false => {
                    let run = self.registers(operand)?;
                    self.get(run, 0)
                }
            });
        }
        let ([a, _, b, _], inputs) = match has_lengths {
            true => ([1, 2, 3, 4], "x,{eax},x,{edx}"),
            false => ([1, 0, 2, 0], "x,x"),
        };
        let mut values = alloc::vec::Vec::new();
        values.extend(args.into_iter().flatten());
        let ty = match self.kind(call.ret) {
            Kind::Vector(_) => self.register_type(call.ret, 0)?,
            _ => self.word_result(call)?,
        };
        let template = format!("{mnemonic} $${}, ${b}, ${a}", mode & 0xff);
        let constraints = format!("{output},{inputs}{destroyed}");
        let value = self.instruction_value(template, &constraints, &values, ty)?;
        let run: Run = self.push(value);
        self.operand_of(call.ret, run)
    }
}
