//! Instructions on registers that follow each other: lanes in memory, in turn or not, and tables of bytes.
//!
//! A list begins at `v16`, so that neither arguments nor what calls preserve must move.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ice_ir::{Type, Value};

use super::{Lanes, Single, letter};
use crate::error::Error;
use crate::llvm::legalize::body::intrinsics::Call;
use crate::llvm::legalize::body::intrinsics::instruction::Order;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::wire::types::TypeId;

/// The first register of a list.
const FIRST: usize = 16;

/// A list of `count` registers, each with this behind it.
fn list(count: usize, behind: &str) -> String {
    let names: Vec<String> = (FIRST..FIRST + count).map(|n| format!("v{n}{behind}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// The constraints of `count` registers of a list, each with this before it.
fn registers(count: usize, before: &str) -> String {
    let names: Vec<String> = (FIRST..FIRST + count).map(|n| format!("{before}{{v{n}}}")).collect();
    names.join(",")
}

/// The operation and its list of registers with these lanes, in which only `number` counts for [`Lane`](Order::Lane).
fn text(order: Order, direction: &str, count: usize, lanes: Lanes, number: i64) -> String {
    let all = |name: &str| {
        let behind = format!(".{}", lanes.arrangement(Single::Only));
        format!("{name} {}", list(count, &behind))
    };
    match order {
        // Single lanes have no turns.
        Order::Turns if lanes.count > 1 => all(&format!("{direction}{count}")),
        Order::Whole | Order::Turns => all(&format!("{direction}1")),
        Order::Repeated => all(&format!("{direction}{count}r")),
        Order::Lane => {
            format!("{direction}{count} {}[{number}]", list(count, &format!(".{}", letter(lanes.bits))))
        }
    }
}

/// The vectors of a list: what lanes each has, in which type a register has them, and how many parts each is.
#[derive(Clone, Copy)]
struct Listed {
    lanes: Lanes,
    register: Type,
    parts: u32,
}

impl Body<'_, '_> {
    /// The vectors whose parts these are, `count` of one type. Numbers of half precision are a part each.
    fn listed(&self, ty: TypeId, count: usize) -> Checked<Listed> {
        let parts = self.m.legal.parts(ty)?;
        let each = parts.len() / count;
        let listed = match *parts {
            [part, ..] if each == 1 => {
                Lanes::of(part).map(|lanes| Listed { lanes, register: part.ty, parts: 1 })
            }
            [part, ..] if part.ty == Type::I16 && matches!(each, 4 | 8) => {
                let lanes = Lanes { count: each as u32, bits: 16 };
                Some(Listed { lanes, register: Type::V8I16, parts: each as u32 })
            }
            _ => None,
        };
        let is_alike = parts.len() == count * each && parts.iter().all(|part| part.ty == parts[0].ty);
        match listed.filter(|_| is_alike) {
            Some(listed) => Ok(listed),
            None => unsupported("an instruction of AArch64 on another type"),
        }
    }

    /// `ld1` to `ld4`: as many vectors as there are registers, from the address that is the last argument. For a lane the vectors
    /// come first, and its number.
    pub(super) fn aarch64_load(&mut self, call: &Call, count: usize, order: Order) -> Checked<Operand> {
        let Listed { lanes, register, parts } = self.listed(call.ret, count)?;
        let (values, number, address) = match order {
            Order::Lane => self.lane_arguments(call, count)?,
            _ => (Vec::new(), 0, self.last_address(call, 1)?),
        };
        if values.iter().any(|&value| self.ty_of(value) != register) {
            return fail(self.type_class(call.args[0].ty, "the type of the result"));
        }
        let text = format!("{}, [${}]", text(order, "ld", count, lanes, number), count + values.len());
        let tied: String = (0..values.len()).map(|n| format!("{n},")).collect();
        let constraints = format!("{},{tied}r,~{{memory}}", registers(count, "="));
        let mut args = values;
        args.push(address);
        let all = self.instruction_values(text, &constraints, &args, (register, count))?;
        if parts == 1 {
            return self.operand_of(call.ret, all);
        }
        let out = self.reserve(all.len * parts);
        for n in 0..out.len {
            let (value, index) = (self.get(all, n / parts), self.i32((n % parts).into()));
            let part = self.b.extract_element(value, index);
            self.set(out, n, part);
        }
        self.operand_of(call.ret, out)
    }

    /// `st1` to `st4`: the vectors that are the first arguments.
    pub(super) fn aarch64_store(&mut self, call: &Call, count: usize, order: Order) -> Checked<()> {
        let lanes = self.listed(call.args[0].ty, 1)?.lanes;
        let (mut values, number, address) = match order {
            Order::Lane => self.lane_arguments(call, count)?,
            _ => (self.vector_arguments(call, count)?, 0, self.last_address(call, count + 1)?),
        };
        let text = format!("{}, [${count}]", text(order, "st", count, lanes, number));
        values.push(address);
        self.instruction_effect(&text, &format!("{},r,~{{memory}}", registers(count, "")), &values)
    }

    /// The first `count` arguments, vectors of one type, in a register each.
    fn vector_arguments(&mut self, call: &Call, count: usize) -> Checked<Vec<Value>> {
        Self::check_count(call, count)?;
        let Listed { register, parts, .. } = self.listed(call.args[0].ty, 1)?;
        let mut values = Vec::with_capacity(count + 1);
        for &arg in &call.args[..count] {
            if arg.ty != call.args[0].ty {
                return fail(self.type_class(arg.ty, "the type of the first operand"));
            }
            let run = self.run(arg);
            let mut value = if parts == 1 { self.get(run, 0) } else { self.undef(register) };
            for lane in (0..parts).filter(|_| parts > 1) {
                let (part, index) = (self.get(run, lane), self.i32(lane.into()));
                value = self.b.insert_element(value, part, index);
            }
            values.push(value);
        }
        Ok(values)
    }

    /// The address that is the last of `expected` arguments.
    fn last_address(&mut self, call: &Call, expected: usize) -> Checked<Value> {
        match call.count == expected {
            true => self.address_arg(call.args[expected - 1]),
            false => fail(Error::ArgumentCount { passed: call.count, expected }),
        }
    }

    /// Vectors, the number of a lane, and an address.
    fn lane_arguments(&mut self, call: &Call, count: usize) -> Checked<(Vec<Value>, i64, Value)> {
        let address = self.last_address(call, count + 2)?;
        let number = self.constant_argument(call.args[count])?;
        Ok((self.vector_arguments(call, count)?, number, address))
    }

    /// `tbl`, `tbx`: bytes of a table of `count` registers by their numbers. What `tbx` does not find stays as the first argument
    /// has it.
    pub(super) fn aarch64_table(&mut self, call: &Call, mnemonic: &str, count: usize) -> Checked<Operand> {
        let is_tied = mnemonic == "tbx";
        let start = usize::from(is_tied);
        Self::check_count(call, start + count + 1)?;
        let (_, lanes) = self.register_part(call.ret)?;
        let values = self.register_values(&call.args[..start + count + 1])?;
        let result = lanes.written(0, Single::First);
        let numbers = lanes.written(start + count + 1, Single::First);
        let text = format!("{mnemonic} {result}, {}, {numbers}", list(count, ".16b"));
        let tied = if is_tied { "0," } else { "" };
        let constraints = format!("=w,{tied}{},w", registers(count, ""));
        self.aarch64_statement(call, text, &constraints, &values)
    }
}
