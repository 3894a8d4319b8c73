//! Instructions on registers that follow each other: lanes in memory, in turn or not, and tables of bytes.
//!
//! A list begins at `d16`, so that neither arguments nor what calls preserve must move. A vector of 128 bits is two registers of it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ice_ir::{Type, Value};

use super::{OTHER_TYPE, Register};
use crate::error::Error;
use crate::llvm::legalize::body::intrinsics::Call;
use crate::llvm::legalize::body::intrinsics::instruction::Order;
use crate::llvm::legalize::body::memory::Access;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::signature::Unit;
use crate::llvm::wire::types::{LlvmType, TypeId};

/// The first register of a list.
const FIRST: usize = 16;

/// The vectors of a list.
#[derive(Clone, Copy)]
struct Listed {
    count: usize,
    /// The value that each is, of 64 or 128 bits.
    unit: Unit,
    /// The width of lanes.
    bits: u32,
}

impl Listed {
    /// Registers of a doubleword for each.
    const fn halves(self) -> usize {
        self.unit.ty.bits() as usize / 64
    }

    /// How many lanes there are in a doubleword.
    const fn lanes(self) -> i64 {
        64 / self.bits as i64
    }

    /// The constraints of all registers, each with this before it.
    fn constraints(self, before: &str) -> String {
        let name = |n: usize| match self.halves() {
            2 => format!("{before}{{q{}}}", FIRST / 2 + n),
            _ => format!("{before}{{d{}}}", FIRST + n),
        };
        (0..self.count).map(name).collect::<Vec<_>>().join(",")
    }

    /// `count` registers from one on, `step` apart, each with this behind it.
    fn list(first: usize, count: usize, step: usize, behind: &str) -> String {
        let names: Vec<String> = (0..count).map(|n| format!("d{}{behind}", first + n * step)).collect();
        format!("{{{}}}", names.join(", "))
    }

    /// The lists of registers that instructions take one after another, and the number in the mnemonic.
    fn lists(self, order: Order, number: i64) -> (usize, Vec<String>) {
        let (count, halves, lanes) = (self.count, self.halves(), self.lanes());
        let all = |first, behind: &str| Listed::list(first, count, halves, behind);
        match order {
            // Single lanes have no turns, and what is in turn in pairs of registers takes one instruction.
            Order::Turns if lanes > 1 && (halves == 1 || count > 2) => {
                (count, (0..halves).map(|half| all(FIRST + half, "")).collect())
            }
            Order::Whole | Order::Turns | Order::Repeated if order != Order::Repeated || lanes == 1 => {
                let registers = count * halves;
                let list = |first: usize| Listed::list(FIRST + first, (registers - first).min(4), 1, "");
                let elements = if order == Order::Turns && lanes > 1 { count } else { 1 };
                (elements, (0..registers).step_by(4).map(list).collect())
            }
            Order::Lane => {
                let (half, lane) = (number / lanes, number % lanes);
                (count, Vec::from([all(FIRST + half as usize, &format!("[{lane}]"))]))
            }
            _ => (count, (0..halves).map(|half| all(FIRST + half, "[]")).collect()),
        }
    }

    /// The text of a load or store by the address in this operand, with the number of a lane.
    fn text(self, direction: &str, order: Order, number: i64, address: usize) -> String {
        let (elements, lists) = self.lists(order, number);
        let mnemonic = format!("{direction}{elements}.{}", self.bits);
        match &lists[..] {
            [list] => format!("{mnemonic} {list}, [${address}]"),
            lists => {
                // What is repeated is loaded again from the same place.
                let behind = if order == Order::Repeated && self.lanes() > 1 { "" } else { "!" };
                let each = lists.iter().map(|list| format!("; {mnemonic} {list}, [ip]{behind}"));
                format!("mov ip, ${address}{}", each.collect::<String>())
            }
        }
    }
}

/// What a statement with memory destroys: `ip` where it needs an address of its own.
const DESTROYED: &str = "~{r12},~{memory}";

impl Body<'_, '_> {
    /// The list for `count` vectors of a type.
    fn listed_vectors(&self, ty: TypeId, count: usize) -> Checked<Listed> {
        let (unit, bits) = (self.register_unit(ty)?, self.lane_bits(ty)?);
        match (unit.ty.bits(), bits) {
            (64 | 128, 8 | 16 | 32 | 64) => Ok(Listed { count, unit, bits }),
            _ => unsupported(OTHER_TYPE),
        }
    }

    /// The type of the members of a structure, if they are so many of one type.
    fn member_type(&self, ty: TypeId, count: usize) -> Checked<TypeId> {
        if let LlvmType::Struct { members, .. } = self.m.types.get(ty)
            && let members @ [first, ..] = self.m.types.list(members)
            && members.len() == count
            && members.iter().all(|ty| ty == first)
        {
            return Ok(*first);
        }
        unsupported("an instruction of ARM with another result")
    }

    /// The address that is the first argument.
    fn first_address(&mut self, call: &Call, expected: usize) -> Checked<Value> {
        match call.count >= expected {
            true => self.address_arg(call.args[0]),
            false => fail(Error::ArgumentCount { passed: call.count, expected }),
        }
    }

    /// Arguments of one type behind the address, in registers.
    fn listed_arguments(&mut self, call: &Call, ty: TypeId, listed: Listed) -> Checked<Vec<Value>> {
        Self::check_count(call, listed.count + 1)?;
        let mut values = Vec::with_capacity(listed.count + 1);
        for &arg in &call.args[1..=listed.count] {
            if arg.ty != ty {
                return fail(self.type_class(arg.ty, "the type of the other operands"));
            }
            values.push(self.in_register(arg, Register::Whole(listed.unit))?);
        }
        Ok(values)
    }

    /// The number of a lane of such vectors.
    fn lane_number(&self, operand: Operand, listed: Listed) -> Checked<i64> {
        let number = self.constant_argument(operand)?;
        match (0..listed.lanes() * listed.halves() as i64).contains(&number) {
            true => Ok(number),
            false => unsupported("an instruction of ARM with a lane that vectors do not have"),
        }
    }

    /// `vld1`: a vector.
    pub(super) fn arm_load_one(&mut self, call: &Call) -> Checked<Operand> {
        let address = self.first_address(call, 2)?;
        self.load_value(call.ret, address, 0, Access::Plain)
    }

    /// `vst1`: a vector.
    pub(super) fn arm_store_one(&mut self, call: &Call) -> Checked<()> {
        let address = self.first_address(call, 3)?;
        self.store_value(call.args[1], address, 0)
    }

    /// `vld1` to `vld4` of several vectors, from the address that is the first argument. For a lane the vectors follow it, and its
    /// number.
    pub(super) fn arm_load(&mut self, call: &Call, count: usize, order: Order) -> Checked<Operand> {
        let member = self.member_type(call.ret, count)?;
        let listed = self.listed_vectors(member, count)?;
        let address = self.first_address(call, 1)?;
        let (mut values, number) = match order {
            Order::Lane => {
                let values = self.listed_arguments(call, member, listed)?;
                Self::check_count(call, count + 2)?;
                (values, self.lane_number(call.args[count + 1], listed)?)
            }
            _ => (Vec::new(), 0),
        };
        let text = listed.text("vld", order, number, count + values.len());
        let tied: String = (0..values.len()).map(|n| format!("{n},")).collect();
        let constraints = format!("{},{tied}r,{DESTROYED}", listed.constraints("="));
        values.push(address);
        let unit = listed.unit;
        let all = self.instruction_values(text, &constraints, &values, (unit.ty, count))?;
        let out = self.reserve(all.len * unit.parts);
        for n in 0..all.len {
            let value = (self.get(all, n), Register::Whole(unit));
            self.out_of_register(value, member, (out, n * unit.parts))?;
        }
        self.operand_of(call.ret, out)
    }

    /// `vst1` to `vst4` of several vectors, which follow the address.
    pub(super) fn arm_store(&mut self, call: &Call, count: usize, order: Order) -> Checked<()> {
        let address = self.first_address(call, count + 1)?;
        let ty = call.args[1].ty;
        let listed = self.listed_vectors(ty, count)?;
        let mut values = self.listed_arguments(call, ty, listed)?;
        let number = match order {
            Order::Lane => {
                Self::check_count(call, count + 2)?;
                self.lane_number(call.args[count + 1], listed)?
            }
            _ => 0,
        };
        let text = listed.text("vst", order, number, count);
        values.push(address);
        self.instruction_effect(&text, &format!("{},r,{DESTROYED}", listed.constraints("")), &values)
    }

    /// `vtbl`, `vtbx`: bytes of a table of `count` registers by their numbers. What `vtbx` does not find stays as the first
    /// argument has it.
    pub(super) fn arm_table(&mut self, call: &Call, mnemonic: &str, count: usize) -> Checked<Operand> {
        let is_tied = mnemonic == "vtbx";
        let start = usize::from(is_tied);
        Self::check_count(call, start + count + 1)?;
        let mut values = Vec::with_capacity(start + count + 1);
        let (unit, result) = (self.register_unit(call.ret)?, self.register_for(call.ret)?);
        for (n, &arg) in call.args[..start + count + 1].iter().enumerate() {
            if unit.ty != Type::F64 || arg.ty != call.ret {
                return unsupported(OTHER_TYPE);
            }
            let is_listed = (start..start + count).contains(&n);
            values.push(self.in_register(arg, if is_listed { Register::Whole(unit) } else { result })?);
        }
        let listed = Listed { count, unit, bits: 8 };
        let list = Listed::list(FIRST, count, 1, "");
        let text =
            format!("{mnemonic}.8 {}, {list}, {}", result.written(0), result.written(start + count + 1));
        let tied = if is_tied { "0," } else { "" };
        self.arm_statement(call, text, &format!("=w,{tied}{},w", listed.constraints("")), &values)
    }
}
