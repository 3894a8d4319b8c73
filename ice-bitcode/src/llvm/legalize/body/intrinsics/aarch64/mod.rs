//! Instructions of AArch64 that programs name by their intrinsics (`llvm.aarch64.…`; DDI 0487, C7.2; the rules are those of ACLE,
//! "Advanced SIMD intrinsics").
//!
//! Each is a statement of inline assembly. The types of a call say which lanes its operands have: 64 or 128 bits are the lanes of
//! one register; a number is its first lane, with anything above it. Where floating-point numbers are computed, it is a scalar,
//! since what is above could raise exceptions.
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

use ice_ir::{CastOp, Type, Value};

use super::{Call, MAX_ARGUMENTS};
use crate::llvm::legalize::body::integer::Sign;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::legal::Part;
use crate::llvm::wire::types::TypeId;

/// How an instruction takes its operands.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// How many registers it reads.
    inputs: usize,
    /// The first of them is the destination.
    is_tied: bool,
    /// How a number, or a vector of one lane, stands in the text.
    single: Single,
    last: Last,
}

/// How what has one lane stands in the text, if there are no floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Single {
    /// As the first of the lanes that a vector has: `2s`, `2d`.
    First,
    /// As the only lane: `1d`.
    Only,
    /// By the name of the scalar: `s0`.
    Scalar,
}

/// What stands behind the registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    Nothing,
    /// A number, the argument behind them, which is constant.
    Number,
    /// The number of a lane of the last register, the argument behind them.
    Lane,
}

impl Form {
    const UNARY: Form = Form { inputs: 1, is_tied: false, single: Single::First, last: Last::Nothing };
    const PAIRS: Form = Form { single: Single::Only, ..Form::UNARY };
    const BINARY: Form = Form { inputs: 2, ..Form::UNARY };
    const TERNARY: Form = Form { inputs: 3, ..Form::UNARY };
    /// What is read is changed.
    const CHANGED: Form = Form { inputs: 2, is_tied: true, ..Form::UNARY };
    const CHANGED_BY_TWO: Form = Form { inputs: 3, is_tied: true, ..Form::UNARY };
    const UNARY_NUMBER: Form = Form { last: Last::Number, ..Form::UNARY };
    const BINARY_NUMBER: Form = Form { last: Last::Number, ..Form::BINARY };
    const CHANGED_NUMBER: Form = Form { last: Last::Number, ..Form::CHANGED };
    const CHANGED_BY_TWO_NUMBER: Form = Form { last: Last::Number, ..Form::CHANGED_BY_TWO };
    const BINARY_LANE: Form = Form { last: Last::Lane, ..Form::BINARY };
    const CHANGED_LANE: Form = Form { last: Last::Lane, ..Form::CHANGED_BY_TWO };

    const fn arguments(self) -> usize {
        self.inputs + !matches!(self.last, Last::Nothing) as usize
    }
}

/// The letter of lanes of so many bits.
const fn letter(bits: u32) -> char {
    match bits {
        8 => 'b',
        16 => 'h',
        32 => 's',
        _ => 'd',
    }
}

/// The lanes of a part: of a register, or of the scalar that it is alone. `None` if no register of 64 or 128 bits has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lanes {
    /// One, of a scalar or a vector of one lane.
    count: u32,
    /// The width of each.
    bits: u32,
}

impl Lanes {
    fn of(part: Part) -> Option<Lanes> {
        let bits = part.ty.element().bits();
        let count = u32::from(part.bits) / bits.max(1);
        match part.ty.is_vector() {
            true if part.ty.is_bool_or_bool_vector() || !matches!(part.bits, 64 | 128) => None,
            true => Some(Lanes { count, bits }),
            false => matches!(part.bits, 8 | 16 | 32 | 64).then_some(Lanes { count: 1, bits }),
        }
    }

    /// What stands behind the point of the register; lanes in memory are alone where there is one.
    fn arrangement(self, single: Single) -> String {
        let count = match (self.count, single) {
            (1, Single::First) if self.bits == 64 => 2,
            (1, Single::First) => 64 / self.bits,
            (count, _) => count,
        };
        format!("{count}{}", letter(self.bits))
    }

    /// Operand `n` of a statement.
    fn written(self, n: usize, single: Single) -> String {
        match (self.count, single) {
            (1, Single::Scalar) => format!("${{{n}:{}}}", letter(self.bits)),
            _ => format!("${n}.{}", self.arrangement(single)),
        }
    }
}

/// The letter of a general register with a number of so many bits.
fn general_register(bits: u32) -> char {
    if bits == 64 { 'x' } else { 'w' }
}

impl Body<'_, '_> {
    /// The only part of a type, which a register has room for.
    fn register_part(&self, ty: TypeId) -> Checked<(Part, Lanes)> {
        match *self.m.legal.parts(ty)? {
            [part] if let Some(lanes) = Lanes::of(part) => Ok((part, lanes)),
            _ => unsupported("an instruction of AArch64 on another type"),
        }
    }

    /// Arguments of one part each, which a register has room for.
    fn register_values(&mut self, args: &[Operand]) -> Checked<Vec<Value>> {
        let value = |&arg: &Operand| {
            self.register_part(arg.ty)?;
            Ok(self.single(arg))
        };
        args.iter().map(value).collect()
    }

    /// One instruction.
    fn aarch64_instruction(&mut self, call: &Call, form: Form, mnemonic: &str) -> Checked<Operand> {
        let number = match form.last {
            Last::Nothing => 0,
            _ => self.constant_argument(call.args[form.inputs])?,
        };
        self.aarch64_with_number(call, form, mnemonic, number)
    }

    /// The same with the number behind the registers, if the form has one.
    fn aarch64_with_number(
        &mut self,
        call: &Call,
        form: Form,
        mnemonic: &str,
        number: i64,
    ) -> Checked<Operand> {
        let (result, lanes) = self.register_part(call.ret)?;
        let mut single = if result.ty.element().is_scalar_float() { Single::Scalar } else { form.single };
        let mut inputs = [(result, lanes); MAX_ARGUMENTS];
        let mut values = [Value::from_u32(0); MAX_ARGUMENTS];
        for n in 0..form.inputs {
            inputs[n] = self.register_part(call.args[n].ty)?;
            values[n] = self.single(call.args[n]);
            if inputs[n].0.ty.element().is_scalar_float() {
                single = Single::Scalar;
            }
        }
        if form.is_tied && inputs[0].0.ty != result.ty {
            return fail(self.type_class(call.args[0].ty, "the type of the result"));
        }
        let mut text = format!("{mnemonic} {}", lanes.written(0, single));
        let mut constraints = String::from("=w");
        for (n, &(_, lanes)) in inputs.iter().enumerate().take(form.inputs) {
            let is_last = n + 1 == form.inputs;
            constraints += match (n, form.last) {
                (0, _) if form.is_tied => ",0",
                // Instructions have four bits for a register of which they take a lane of 16 bits.
                (_, Last::Lane) if is_last => ",x",
                _ => ",w",
            };
            text += &match (n, form.last) {
                (0, _) if form.is_tied => String::new(),
                (_, Last::Lane) if is_last => format!(", ${}.{}[{number}]", n + 1, letter(lanes.bits)),
                _ => format!(", {}", lanes.written(n + 1, single)),
            };
        }
        if form.last == Last::Number {
            text += &format!(", #{number}");
        }
        self.aarch64_statement(call, text, &constraints, &values[..form.inputs])
    }

    /// A statement that gives the result of the call.
    fn aarch64_statement(
        &mut self,
        call: &Call,
        text: String,
        constraints: &str,
        values: &[Value],
    ) -> Checked<Operand> {
        let (result, _) = self.register_part(call.ret)?;
        let value = self.instruction_value(text, constraints, values, result.ty)?;
        self.one_of(call.ret, value)
    }

    /// An instruction whose text says which lanes there are; operands are values of one part each.
    fn aarch64_text(&mut self, call: &Call, text: &str, constraints: &str) -> Checked<Operand> {
        let values = self.register_values(&call.args[..call.count])?;
        self.aarch64_statement(call, text.into(), constraints, &values)
    }

    /// A quotient; 0 for a divisor of 0, as the instruction gives.
    fn aarch64_division(&mut self, call: &Call, mnemonic: &str) -> Checked<Operand> {
        let (_, lanes) = self.register_part(call.ret)?;
        let width = general_register(lanes.bits);
        let text = format!("{mnemonic} ${{0:{width}}}, ${{1:{width}}}, ${{2:{width}}}");
        self.aarch64_text(call, &text, "=r,r,r")
    }

    /// A register of the system is read, where it stands.
    fn aarch64_system_register(&mut self, call: &Call, register: &str) -> Checked<Operand> {
        self.aarch64_text(call, &format!("mrs $0, {register}"), "=r,~{memory}")
    }

    /// A register of the system is written, where it stands.
    fn aarch64_set_system_register(&mut self, call: &Call, register: &str) -> Checked<()> {
        let value = self.single(call.args[0]);
        self.instruction_effect(&format!("msr {register}, $0"), "r,~{memory}", &[value])
    }

    /// A shift by the lanes of the second operand, to the left where they are positive. If all are one constant, there may be an
    /// instruction for the number: `left` and `right` are their mnemonics.
    fn aarch64_shift(&mut self, call: &Call, mnemonic: &str, left: &str, right: &str) -> Checked<Operand> {
        let [_, amounts, ..] = call.args;
        let (_, lanes) = self.register_part(amounts.ty)?;
        let amount = self.constant_in_all_lanes(amounts);
        let bits = i64::from(lanes.bits);
        match amount {
            Some(amount) if !left.is_empty() && (0..bits).contains(&amount) => {
                self.aarch64_with_number(call, Form::UNARY_NUMBER, left, amount)
            }
            Some(amount) if !right.is_empty() && (-bits..0).contains(&amount) => {
                self.aarch64_with_number(call, Form::UNARY_NUMBER, right, -amount)
            }
            _ if mnemonic.is_empty() => {
                unsupported("an instruction of AArch64 with a shift that is no constant")
            }
            _ => self.aarch64_instruction(call, Form::BINARY, mnemonic),
        }
    }

    /// A conversion to integers. A number goes to a general register.
    fn aarch64_conversion(&mut self, call: &Call, mnemonic: &str) -> Checked<Operand> {
        let (result, lanes) = self.register_part(call.ret)?;
        let (_, from) = self.register_part(call.args[0].ty)?;
        if result.ty.is_vector() || lanes.count != from.count {
            return self.aarch64_instruction(call, Form::UNARY, mnemonic);
        }
        let width = general_register(lanes.bits);
        let text = format!("{mnemonic} ${{0:{width}}}, {}", from.written(1, Single::Scalar));
        self.aarch64_statement(call, text, "=r,w", &[self.single(call.args[0])])
    }

    /// All lanes as one number; `pair` does so with two, and gives a vector of integers. `growth` is how many times as wide a
    /// lane the result is.
    fn aarch64_across(
        &mut self,
        call: &Call,
        [wide, pair]: [&str; 2],
        growth: u32,
        sign: Sign,
    ) -> Checked<Operand> {
        let (part, lanes) = self.register_part(call.args[0].ty)?;
        let (result, _) = self.register_part(call.ret)?;
        let is_float = part.ty.element().is_scalar_float();
        let (own, bits) = (lanes.written(1, Single::First), lanes.bits * growth);
        let text = match (lanes.count, lanes.bits) {
            (2, 32) if growth == 2 => format!("{pair} $0.1d, {own}"),
            (2, 32) if !is_float => format!("{pair} $0.2s, {own}, {own}"),
            (2, bits) => format!("{pair} ${{0:{}}}, {own}", letter(bits)),
            // There is no sum of all floats: that of the sums of neighbours is it.
            (4, 32) if is_float && wide.is_empty() => {
                format!("{pair} $0.4s, {own}, {own}; {pair} ${{0:s}}, $0.2s")
            }
            _ => format!("{wide} ${{0:{}}}, {own}", letter(bits)),
        };
        let value = self.instruction_value(text, "=w,w", &[self.single(call.args[0])], result.ty)?;
        // What is above the number is zero.
        let narrow = match bits {
            8 => Type::I8,
            16 => Type::I16,
            _ => return self.one_of(call.ret, value),
        };
        let value = match (sign, result.ty) {
            (Sign::Signed, Type::I32 | Type::I64) => {
                let low = self.cast(CastOp::Trunc, value, narrow);
                self.cast(CastOp::Sext, low, result.ty)
            }
            _ => value,
        };
        self.one_of(call.ret, value)
    }
}
