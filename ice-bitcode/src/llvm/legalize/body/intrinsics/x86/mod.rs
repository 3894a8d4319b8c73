//! Instructions of x86 that programs name by their intrinsics (`llvm.x86.…`, Intel's manual, volume 2).
//!
//! A vector of 256 bits and more is registers of 128 bits, as everywhere in Ice. Nearly all of these instructions do the same
//! with each 128 bits of their operands, so that one is done for each register: with the instruction of that width, in a
//! statement of inline assembly, or by operations of the IR. What mixes registers has a rule of its own.
//!
//! The instruction sets are taken as a program takes them: a function that names an instruction of AVX2 runs only where SSE4.2
//! and all below are. Machines without an assembler (other code than x86's, confined code, frozen programs) have the rules of
//! SSE and SSE2 in operations of the IR.
//!
//! | file | content |
//! |---|---|
//! | `table` | the names |
//! | `sse`   | the rules of SSE and SSE2 in operations of the IR |
//! | `lanes` | lanes moved, shifted and tested one by one |
//! | `memory` | lanes in memory: gathers, accesses under a mask |
//! | `words` | instructions on general registers and on strings |

mod lanes;
mod memory;
mod sse;
pub(super) mod table;
mod words;

use alloc::format;
use alloc::string::String;

use ice_ir::{BinaryOp, Type, Value};

use super::{Call, Compute};
use crate::error::Error;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::wire::types::TypeId;

/// How an instruction takes its operands.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// How many registers it reads.
    inputs: usize,
    /// Its operands behind the mnemonic, as in a template of inline assembly.
    operands: &'static str,
    constraints: &'static str,
    /// Of the constant number that follows the registers: how many bits further the part is that belongs to the next register
    /// of the result. `None` where no number follows.
    byte: Option<u32>,
    /// Each register of the operands gives half a register of the result.
    is_narrow: bool,
}

impl Form {
    /// The result is another register than the operand.
    const UNARY: Form =
        Form { inputs: 1, operands: "$1, $0", constraints: "=x,x", byte: None, is_narrow: false };
    /// The rest of the result is that of the operand.
    const FIRST_LANE: Form = Form { constraints: "=x,0", ..Form::UNARY };
    const BINARY: Form = Form { inputs: 2, operands: "$2, $0", constraints: "=x,0,x", ..Form::UNARY };
    /// The third operand is where the instruction looks for it.
    const MASKED: Form = Form { inputs: 3, constraints: "=x,0,x,{xmm0}", ..Form::BINARY };
    const TERNARY: Form = Form { inputs: 3, operands: "$3, $2, $0", constraints: "=x,0,x,x", ..Form::UNARY };
    const UNARY_BYTE: Form = Form { byte: Some(0), ..Form::UNARY };
    const BINARY_BYTE: Form = Form { byte: Some(0), ..Form::BINARY };
    /// Three bits of the number for each register.
    const BINARY_BYTES: Form = Form { byte: Some(3), ..Form::BINARY };
    const NARROW: Form = Form { is_narrow: true, ..Form::UNARY };
    const NARROW_BYTE: Form = Form { is_narrow: true, ..Form::UNARY_BYTE };

    const fn arguments(self) -> usize {
        self.inputs + self.byte.is_some() as usize
    }
}

/// Instructions that do with each 128 bits of 256 what they do with 128, in the table of the encoder.
const HAVE_DOUBLES: [&str; 46] = [
    "rcpps",
    "rsqrtps",
    "cvtps2dq",
    "cvttps2dq",
    "roundps",
    "roundpd",
    "phaddw",
    "phaddd",
    "phaddsw",
    "phsubw",
    "phsubd",
    "phsubsw",
    "pmaddubsw",
    "pmulhrsw",
    "pshufb",
    "psignb",
    "psignw",
    "psignd",
    "addsubps",
    "addsubpd",
    "haddps",
    "haddpd",
    "hsubps",
    "hsubpd",
    "minps",
    "minpd",
    "maxps",
    "maxpd",
    "packusdw",
    "packssdw",
    "packsswb",
    "packuswb",
    "pavgb",
    "pavgw",
    "pmulhw",
    "pmulhuw",
    "pmaddwd",
    "psadbw",
    "pblendvb",
    "blendvps",
    "blendvpd",
    "movmskps",
    "movmskpd",
    "pmovmskb",
    "permd",
    "permps",
];

/// The most registers that a rule reads.
const MAX_INPUTS: usize = 3;

impl Body<'_, '_> {
    /// The registers of 128 bits that a vector is in.
    fn registers(&mut self, a: Operand) -> Checked<Run> {
        match self.vector_shape(a.ty)?.whole() {
            Some(native) if native.bytes() == 16 => Ok(self.run(a)),
            _ => unsupported("an instruction of x86 on another vector"),
        }
    }

    /// A rule for each register of the result, with the registers of the first arguments in the same place. One register
    /// beside more is the same for all.
    fn by_registers(
        &mut self,
        call: &Call,
        inputs: usize,
        mut f: impl FnMut(&mut Self, u32, &[Value]) -> Checked<Value>,
    ) -> Checked<Operand> {
        let mut runs = [Run { start: 0, len: 0 }; MAX_INPUTS];
        let runs = &mut runs[..inputs.min(MAX_INPUTS)];
        let count = self.shape(call.ret).parts;
        for (run, &arg) in runs.iter_mut().zip(&call.args) {
            *run = self.registers(arg)?;
            if run.len != count && run.len != 1 {
                return fail(self.type_class(arg.ty, "a vector as wide as the result"));
            }
        }
        let out = self.reserve(count);
        for k in 0..count {
            let Some(&first) = runs.first() else { return fail(Error::VoidValue) };
            let mut values = [self.get(first, if first.len == 1 { 0 } else { k }); MAX_INPUTS];
            for (value, &run) in values.iter_mut().zip(&*runs) {
                *value = self.get(run, if run.len == 1 { 0 } else { k });
            }
            let value = f(self, k, &values[..runs.len()])?;
            self.set(out, k, value);
        }
        Ok(self.operand(call.ret, out))
    }

    /// The type of part `k` of a vector that an instruction gives.
    fn register_type(&self, ty: TypeId, k: u32) -> Checked<Type> {
        self.vector_shape(ty)?;
        match self.m.legal.parts(ty)?.get(k as usize) {
            Some(part) if part.ty.is_vector() => Ok(part.ty),
            _ => fail(self.type_class(ty, "the type that the instruction gives")),
        }
    }

    /// An instruction for each register.
    fn x86_instruction(&mut self, call: &Call, form: Form, mnemonic: &str) -> Checked<Operand> {
        let number = match form.byte {
            None => 0,
            Some(_) => match self.constant_number(call.args[form.inputs]) {
                Some(number) => number & 0xff,
                None => return unsupported("an instruction of x86 with a number that is no constant"),
            },
        };
        let template = |k: u32| match form.byte {
            None => format!("{mnemonic} {}", form.operands),
            Some(step) => {
                let number = number >> step.saturating_mul(k).min(63);
                format!("{mnemonic} $${number}, {}", form.operands)
            }
        };
        if form.is_narrow {
            return self.narrowed(call, form, template(0));
        }
        if let Some(double) = self.double_instruction(call, form, mnemonic)? {
            return self.by_double_registers(call, form.inputs, |cx, registers| {
                cx.instruction_value(template(0), form.constraints, registers, double)
            });
        }
        self.by_registers(call, form.inputs, |cx, k, registers| {
            let ty = cx.register_type(call.ret, k)?;
            cx.instruction_value(template(k), form.constraints, registers, ty)
        })
    }

    /// The type of 256 bits of the result of an instruction that the machine has for it, if the function computes with such: all
    /// operands are as wide, and each 128 bits take the same number.
    fn double_instruction(&mut self, call: &Call, form: Form, mnemonic: &str) -> Checked<Option<Type>> {
        let shape = self.vector_shape(call.ret)?;
        let parts = self.shape(call.ret).parts;
        let Some(double) = self.double_of(shape, parts) else { return Ok(None) };
        let is_alike = call.args[..form.inputs].iter().all(|arg| self.shape(arg.ty).parts == parts);
        let is_known =
            HAVE_DOUBLES.contains(&mnemonic) && matches!(form.byte, None | Some(0)) && !form.is_narrow;
        Ok((is_alike && is_known).then_some(double))
    }

    /// A rule for each 256 bits of the result, with those of the first arguments in the same place.
    pub(super) fn by_double_registers(
        &mut self,
        call: &Call,
        inputs: usize,
        mut f: impl FnMut(&mut Self, &[Value]) -> Checked<Value>,
    ) -> Checked<Operand> {
        let mut runs = [Run { start: 0, len: 0 }; MAX_INPUTS];
        for (run, &arg) in runs.iter_mut().zip(&call.args[..inputs]) {
            *run = self.registers(arg)?;
        }
        let first = runs[0];
        runs[inputs..].fill(first);
        let count = first.len / 2;
        let run = self.by_doubles(count, runs, |cx, values| f(cx, &values[..inputs]))?;
        self.operand_of(call.ret, run)
    }

    /// The same where each register gives the low half of one of the result.
    fn narrowed(&mut self, call: &Call, form: Form, template: String) -> Checked<Operand> {
        let run = self.registers(call.args[0])?;
        let ty = self.register_type(call.ret, 0)?;
        if self.shape(call.ret).parts != 1 || !matches!(run.len, 1 | 2) {
            return fail(self.type_class(call.ret, "the type that the instruction gives"));
        }
        let low = self.get(run, 0);
        let mut value = self.instruction_value(template.clone(), form.constraints, &[low], ty)?;
        if run.len == 2 {
            let high = self.get(run, 1);
            let high = self.instruction_value(template, form.constraints, &[high], ty)?;
            value = self.instruction_value("punpcklqdq $2, $0".into(), "=x,0,x", &[value, high], ty)?;
        }
        let run = self.push(value);
        Ok(self.operand(call.ret, run))
    }

    /// An instruction for each register where the machine has an assembler, else operations of the IR.
    fn x86_or(&mut self, call: &Call, form: Form, mnemonic: &str, rule: Compute) -> Checked<Operand> {
        match self.m.legal.machine().has_assembler {
            true => self.x86_instruction(call, form, mnemonic),
            false => rule(self, call),
        }
    }

    /// `movmsk`, `pmovmskb`: the signs of the lanes as bits.
    fn x86_signs(&mut self, call: &Call, mnemonic: &str) -> Checked<Operand> {
        if !self.m.legal.machine().has_assembler {
            return self.sse_signs(call);
        }
        let run = self.registers(call.args[0])?;
        if run.len == 2
            && let Some(double) = self.double(Some(self.ty_of(self.get(run, 0))))
        {
            let register = self.joined(run, 0, double);
            let signs =
                self.instruction_value(format!("{mnemonic} $1, $0"), "=r,x", &[register], Type::I32)?;
            return self.one_of(call.ret, signs);
        }
        let mut signs = None;
        for k in 0..run.len {
            let register = self.get(run, k);
            let lanes = self.ty_of(register).lanes();
            let own = self.instruction_value(format!("{mnemonic} $1, $0"), "=r,x", &[register], Type::I32)?;
            signs = Some(match signs {
                None => own,
                Some(below) => {
                    let own = self.bin_int(BinaryOp::Shl, own, (k * lanes).into());
                    self.bin(BinaryOp::Or, below, own)
                }
            });
        }
        match signs {
            Some(signs) if run.len * self.ty_of(signs).bits() <= 64 => self.one_of(call.ret, signs),
            _ => fail(self.type_class(call.args[0].ty, "a vector with as many lanes as a number has bits")),
        }
    }
}
