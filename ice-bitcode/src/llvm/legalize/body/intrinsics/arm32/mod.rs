//! Instructions of ARM that programs name by their intrinsics (`llvm.arm.…`; DDI 0406C, A8.8; for ARMv8 DDI 0487, F6.1; the rules
//! are those of ACLE).
//!
//! Each is a statement of inline assembly. A vector of 128 bits is in the register of a quadword. One of 64 bits is in the lower
//! half of such a register if it is native, else in the register of a doubleword in which it would be passed.
//!
//! | file | content |
//! |---|---|
//! | `table` | the names |
//! | `memory` | lanes of several registers in memory, in turn, and tables in several registers |

mod memory;
pub(super) mod table;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ice_ir::{BinaryOp, Type, Value};

use super::{Call, MAX_ARGUMENTS};
use crate::llvm::legalize::body::integer::BitOp;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::legalize::signature::{Unit, units};
use crate::llvm::wire::types::TypeId;

const OTHER_TYPE: &str = "an instruction of ARM on another type";
const NO_CONSTANT: &str = "an instruction of ARM with a shift that is no constant";

/// How an instruction takes its operands.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// How many registers it reads.
    inputs: usize,
    /// The first of them is the destination.
    is_tied: bool,
    /// Which of them has the lanes that the mnemonic says.
    typed: usize,
}

impl Form {
    const UNARY: Form = Form { inputs: 1, is_tied: false, typed: 0 };
    const BINARY: Form = Form { inputs: 2, ..Form::UNARY };
    /// What is read is changed.
    const CHANGED: Form = Form { inputs: 2, is_tied: true, typed: 1 };
    const CHANGED_BY_TWO: Form = Form { inputs: 3, ..Form::CHANGED };
}

/// A register of vectors with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Register {
    /// The value, in the type in which it travels.
    Whole(Unit),
    /// An integer as the lowest lane.
    Lane(Unit),
    /// A native vector in the lower half.
    Half(Type),
}

impl Register {
    /// The type of the register.
    const fn ty(self) -> Type {
        match self {
            Register::Whole(unit) => unit.ty,
            Register::Lane(_) => Type::V4I32,
            Register::Half(ty) => ty,
        }
    }

    /// Operand `n` of a statement.
    fn written(self, n: usize) -> String {
        match self {
            Register::Half(_) => format!("${{{n}:e}}"),
            _ => format!("${n}"),
        }
    }
}

impl Body<'_, '_> {
    // ---- vectors

    /// The value in which one of the type travels, which is in one register.
    fn register_unit(&self, ty: TypeId) -> Checked<Unit> {
        let mut units = units(self.m.legal.parts(ty)?);
        match (units.next(), units.next()) {
            (Some(unit), None) if !unit.is_memory => Ok(unit),
            _ => unsupported(OTHER_TYPE),
        }
    }

    /// The register for a type.
    fn register_for(&self, ty: TypeId) -> Checked<Register> {
        let unit = self.register_unit(ty)?;
        Ok(match (unit.ty, self.m.legal.parts(ty)?) {
            (Type::F64, [part]) if part.is_short() && part.bits == 64 => Register::Half(part.ty),
            (Type::I32, _) => Register::Lane(unit),
            _ => Register::Whole(unit),
        })
    }

    /// An operand in this register.
    fn in_register(&mut self, operand: Operand, register: Register) -> Checked<Value> {
        let parts = self.run(operand);
        match register {
            Register::Whole(unit) => self.carried(unit.ty, parts, unit.bits),
            Register::Lane(unit) => {
                let value = self.carried(unit.ty, parts, unit.bits)?;
                self.first_lane(value, Type::V4I32)
            }
            Register::Half(_) => Ok(self.get(parts, 0)),
        }
    }

    /// Sets the parts from `at` on to those of a value of the type that a register has.
    fn out_of_register(
        &mut self,
        (value, register): (Value, Register),
        ty: TypeId,
        (out, at): (Run, u32),
    ) -> Checked<()> {
        let (value, unit) = match register {
            Register::Whole(unit) => (value, unit),
            Register::Lane(unit) => (self.number_at(value, Type::I32, 0)?, unit),
            Register::Half(_) => {
                self.set(out, at, value);
                return Ok(());
            }
        };
        let part = self.m.legal.parts(ty)?[0].ty;
        self.uncarry(value, (part, unit.bits), out.part(at, unit.parts))
    }

    /// What stands behind a mnemonic for the lanes of a type: letter and width. Floats have their own letter; what begins with a
    /// point stands there as it is.
    fn lane_suffix(&self, ty: TypeId, letter: &str) -> Checked<String> {
        let lane = match self.kind(ty) {
            Kind::Vector(vector) => vector.lane,
            Kind::Scalar(scalar) => scalar,
            _ => return unsupported(OTHER_TYPE),
        };
        Ok(match (letter, lane) {
            ("", _) => String::new(),
            _ if letter.starts_with('.') => letter.into(),
            (_, Scalar::Int(bits)) => format!(".{letter}{bits}"),
            (_, lane) => format!(".f{}", lane.bits()),
        })
    }

    /// One instruction. `behind` is what stands behind its registers.
    fn arm_instruction(
        &mut self,
        call: &Call,
        form: Form,
        [mnemonic, letter]: [&str; 2],
        behind: &str,
    ) -> Checked<Operand> {
        Self::check_count(call, form.inputs)?;
        let suffix = self.lane_suffix(call.args[form.typed].ty, letter)?;
        let mut values = [Value::from_u32(0); MAX_ARGUMENTS];
        let result = self.register_for(call.ret)?;
        let (mut text, mut constraints) =
            (format!("{mnemonic}{suffix} {}", result.written(0)), String::from("=w"));
        for (n, &arg) in call.args.iter().enumerate().take(form.inputs) {
            let register = self.register_for(arg.ty)?;
            values[n] = self.in_register(arg, register)?;
            if form.is_tied && n == 0 && register.ty() != result.ty() {
                return fail(self.type_class(arg.ty, "the type of the result"));
            }
            match form.is_tied && n == 0 {
                true => constraints += ",0",
                false => {
                    constraints += ",w";
                    text += &format!(", {}", register.written(n + 1));
                }
            }
        }
        text += behind;
        self.arm_statement(call, text, &constraints, &values[..form.inputs])
    }

    /// A statement that gives the result of the call in a register of vectors.
    fn arm_statement(
        &mut self,
        call: &Call,
        text: String,
        constraints: &str,
        values: &[Value],
    ) -> Checked<Operand> {
        let register = self.register_for(call.ret)?;
        let value = self.instruction_value(text, constraints, values, register.ty())?;
        let out = self.reserve(self.shape(call.ret).parts);
        self.out_of_register((value, register), call.ret, (out, 0))?;
        self.operand_of(call.ret, out)
    }

    /// An instruction with the number that is its last argument.
    fn arm_with_number(&mut self, call: &Call, form: Form, name: [&str; 2]) -> Checked<Operand> {
        Self::check_count(call, form.inputs + 1)?;
        let number = self.constant_argument(call.args[form.inputs])?;
        self.arm_instruction(call, form, name, &format!(", #{number}"))
    }

    /// A shift by the lanes of the second operand, to the left where they are positive. If all are one constant, there may be an
    /// instruction for the number: `left` and `right` are their mnemonics. Lanes of the operand are `narrowing` times as wide as those of
    /// the result.
    fn arm_shift(
        &mut self,
        call: &Call,
        letter: &str,
        [mnemonic, left, right]: [&str; 3],
        narrowing: i64,
    ) -> Checked<Operand> {
        Self::check_count(call, 2)?;
        let [_, amounts, ..] = call.args;
        let bits = i64::from(self.lane_bits(amounts.ty)?);
        let amount = self.constant_in_all_lanes(amounts);
        match amount {
            Some(amount) if !left.is_empty() && (0..bits).contains(&amount) => {
                self.arm_instruction(call, Form::UNARY, [left, letter], &format!(", #{amount}"))
            }
            Some(amount) if !right.is_empty() && (-bits / narrowing..0).contains(&amount) => {
                self.arm_instruction(call, Form::UNARY, [right, letter], &format!(", #{}", -amount))
            }
            _ if mnemonic.is_empty() => unsupported(NO_CONSTANT),
            // The operand that is shifted comes first.
            _ => self.arm_instruction(call, Form::BINARY, [mnemonic, letter], ""),
        }
    }

    /// A shift of the second operand whose free bits are those of the first, by the constant lanes of the third.
    fn arm_insertion(&mut self, call: &Call) -> Checked<Operand> {
        Self::check_count(call, 3)?;
        let amounts = call.args[2];
        let bits = i64::from(self.lane_bits(amounts.ty)?);
        match self.constant_in_all_lanes(amounts) {
            Some(amount) if (0..bits).contains(&amount) => {
                self.arm_instruction(call, Form::CHANGED, ["vsli", "i"], &format!(", #{amount}"))
            }
            Some(amount) if (-bits..0).contains(&amount) => {
                self.arm_instruction(call, Form::CHANGED, ["vsri", "i"], &format!(", #{}", -amount))
            }
            _ => unsupported(NO_CONSTANT),
        }
    }

    /// The width of the lanes of a vector.
    fn lane_bits(&self, ty: TypeId) -> Checked<u32> {
        Ok(self.vector_shape(ty)?.lane.bits())
    }

    /// An instruction whose text says all; operands are registers of vectors.
    fn arm_text(&mut self, call: &Call, text: &str, constraints: &str) -> Checked<Operand> {
        let mut values = Vec::with_capacity(call.count);
        for &arg in &call.args[..call.count] {
            let register = self.register_for(arg.ty)?;
            values.push(self.in_register(arg, register)?);
        }
        self.arm_statement(call, text.into(), constraints, &values)
    }

    // ---- general registers

    /// An instruction whose text says all; operands are general registers, of 64 bits two.
    fn arm_words(&mut self, call: &Call, text: &str, constraints: &str) -> Checked<Operand> {
        let result = self.word_type(call.ret)?;
        let mut values = Vec::with_capacity(call.count);
        for &arg in &call.args[..call.count] {
            self.word_type(arg.ty)?;
            values.push(self.single(arg));
        }
        let value = self.instruction_value(text.into(), constraints, &values, result)?;
        self.one_of(call.ret, value)
    }

    /// The type of a number in one general register or two.
    fn word_type(&self, ty: TypeId) -> Checked<Type> {
        match *self.m.legal.parts(ty)? {
            [part] if part.ty.is_scalar_int() => Ok(part.ty),
            _ => unsupported(OTHER_TYPE),
        }
    }

    /// Saturation to as many bits as the second argument says.
    fn arm_saturation(&mut self, call: &Call, mnemonic: &str) -> Checked<Operand> {
        let number = self.constant_argument(call.args[1])?;
        let one = Call { count: 1, ..*call };
        self.arm_words(&one, &format!("{mnemonic} $0, #{number}, $1"), "=r,r")
    }

    /// How many bits below the sign are the same as it.
    fn arm_sign_count(&mut self, call: &Call) -> Checked<Operand> {
        let [arg, ..] = call.args;
        let ty = self.word_type(arg.ty)?;
        let value = self.single(arg);
        let sign = self.bin_int(BinaryOp::Ashr, value, i64::from(ty.bits()) - 1);
        let magnitude = self.bin(BinaryOp::Xor, value, sign);
        // The sign itself is not counted.
        let shifted = self.bin_int(BinaryOp::Shl, magnitude, 1);
        let counted = self.bin_int(BinaryOp::Or, shifted, 1);
        let count = self.int_bits(BitOp::Ctlz, ty.bits(), counted)?;
        let count = self.resize_zero(count, Type::I32);
        self.one_of(call.ret, count)
    }

    /// A conversion to an integer as the direction of rounding says, which stays in a register of floats.
    fn arm_rounding_conversion(&mut self, call: &Call, letter: char) -> Checked<Operand> {
        let [arg, ..] = call.args;
        let text = match self.scalar(arg.ty)? {
            Scalar::Float => format!("vcvtr.{letter}32.f32 $0, $1"),
            Scalar::Double => format!("vcvtr.{letter}32.f64 $0, $1"),
            _ => return unsupported(OTHER_TYPE),
        };
        let value = self.instruction_value(text, "=t,w", &[self.single(arg)], Type::F32)?;
        self.one_of(call.ret, value)
    }

    /// The text of an access to a register of a coprocessor: which one, an operation, two registers, another operation.
    fn coprocessor_text(&self, mnemonic: &str, operands: [Operand; 5]) -> Checked<String> {
        let mut numbers = [0; 5];
        for (number, operand) in numbers.iter_mut().zip(operands) {
            *number = self.constant_argument(operand)?;
        }
        let [coprocessor, first, n, m, second] = numbers;
        Ok(format!("{mnemonic} p{coprocessor}, {first}, $0, c{n}, c{m}, {second}"))
    }

    /// A register of a coprocessor is read.
    fn arm_coprocessor_read(&mut self, call: &Call, mnemonic: &str) -> Checked<Operand> {
        let [coprocessor, first, n, m, second, ..] = call.args;
        let text = self.coprocessor_text(mnemonic, [coprocessor, first, n, m, second])?;
        let value = self.instruction_value(text, "=r", &[], Type::I32)?;
        self.one_of(call.ret, value)
    }

    /// A register of a coprocessor is written.
    fn arm_coprocessor_write(&mut self, call: &Call, mnemonic: &str) -> Checked<()> {
        let [coprocessor, first, word, n, m, second, ..] = call.args;
        let text = self.coprocessor_text(mnemonic, [coprocessor, first, n, m, second])?;
        self.word_type(word.ty)?;
        self.instruction_effect(&text, "r,~{memory}", &[self.single(word)])
    }
}
