//! Calls of names that start with `llvm.` (LLVM bitcode specification, section 15).
//!
//! Each name that is understood is a [`Row`] of a table, which holds the function that gives its value or has its
//! effect; the types come from the call. Most work lane by lane on vectors with the routines for scalars. Masked
//! accesses become a branch a lane. A name that is not in the table is refused at its first call.
//!
//! | file | content |
//! |---|---|
//! | `table`    | all names, and the search for one |
//! | `lanes`    | a rule for scalars on vectors |
//! | `integer`, `float`, `extended`, `vector`, `memory` | rules by what they work on |
//! | `vector_bits` | bits and bytes of whole vectors |
//! | `constrained` | operations that must be done where they stand |
//! | `jump` | jumps out of functions |
//! | `environment` | the direction of rounding, the counter of cycles |
//! | `instruction` | statements that are one instruction |
//! | `aarch64`, `arm32`, `x86` | instructions of these machines by their names |

mod aarch64;
mod arm32;
pub(in crate::llvm::legalize) mod constrained;
mod environment;
mod extended;
mod fixed_point;
mod float;
mod instruction;
mod integer;
mod jump;
mod lanes;
mod memory;
mod table;
mod vector;
mod vector_bits;
mod x86;

use ice_ir::assembly::Assembly;
use ice_ir::verifier::broken_type_rule;
use ice_ir::{Inst, Value};

pub(super) use table::find;

use super::prototype::Prototype;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::shape::{Kind, Scalar, VectorShape};
use crate::llvm::wire::types::TypeId;

/// What a name stands for.
#[derive(Debug)]
pub(super) struct Row {
    /// Without the prefix `llvm.` and the suffix for types.
    name: &'static str,
    /// The fewest arguments of a call; rules use no others without looking at the count.
    least: usize,
    rule: Rule,
    /// The rule for an `x86_fp80` or `fp128` as the first argument.
    extended: Option<Compute>,
    /// The function of libm behind it, by its name for `double`; empty if there is none.
    library: &'static str,
}

/// How a call is built.
#[derive(Debug)]
enum Rule {
    /// Not at all, whatever its operands are.
    Nothing,
    /// From operands that are no ordinary ones.
    Operands(Operands),
    /// Without a result.
    Effect(Effect),
    /// With a result.
    Value(Compute),
}

type Operands = fn(&mut Body<'_, '_>, &Prototype) -> Checked<()>;
type Effect = fn(&mut Body<'_, '_>, &Call) -> Checked<()>;
type Compute = fn(&mut Body<'_, '_>, &Call) -> Checked<Operand>;

/// Most arguments of a name in the table.
const MAX_ARGUMENTS: usize = 7;

/// A name of the module that is understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    row: &'static Row,
    /// The operation must be done where it stands.
    is_constrained: bool,
}

impl Special {
    /// The function of libm behind it, by its name for `double`; empty if there is none.
    pub(super) const fn library(&self) -> &'static str {
        self.row.library
    }
}

/// A call whose operands are read.
#[derive(Clone, Copy)]
struct Call {
    row: &'static Row,
    /// Its arguments; those behind `count` mean nothing.
    args: [Operand; MAX_ARGUMENTS],
    /// How many arguments there are, up to the first that is no value.
    count: usize,
    /// The number of the first argument that is metadata.
    metadata: u32,
    /// The type of the result.
    ret: TypeId,
}

/// A statement of inline assembly with this template and these constraints.
fn statement([template, constraints]: [&str; 2]) -> Assembly {
    Assembly { template: template.into(), constraints: constraints.into(), ..Assembly::default() }
}

impl Body<'_, '_> {
    /// A call of the special function with this number, whose arguments are the remaining operands.
    pub(super) fn special_call(
        &mut self,
        number: u32,
        prototype: &Prototype,
        bundle: Option<u32>,
    ) -> Checked<()> {
        let Some(Special { row, is_constrained }) = self.p.specials[number as usize] else {
            let name = self.m.module.name(self.m.specials[number as usize].name);
            let name = alloc::string::String::from_utf8_lossy(name);
            return fail(Error::Unsupported { what: alloc::format!("intrinsic {name}") });
        };
        match row.rule {
            Rule::Nothing => {
                self.at = self.ops.len();
                match self.kind(prototype.ret) {
                    Kind::Void => Ok(()),
                    _ => fail(self.type_class(prototype.ret, "void")),
                }
            }
            Rule::Operands(rule) => rule(self, prototype),
            Rule::Effect(rule) => {
                let call = self.special_arguments(row, prototype, bundle)?;
                match self.kind(call.ret) {
                    Kind::Void => rule(self, &call),
                    _ => unsupported("an intrinsic that should have no result"),
                }
            }
            Rule::Value(rule) => {
                let call = self.special_arguments(row, prototype, bundle)?;
                self.special_value(rule, &call, is_constrained)
            }
        }
    }

    /// Reads the operands of a call.
    fn special_arguments(
        &mut self,
        row: &'static Row,
        prototype: &Prototype,
        bundle: Option<u32>,
    ) -> Checked<Call> {
        if let Some(tag) = bundle {
            self.check_bundle(tag)?;
        }
        let params = self.m.types.list(prototype.params);
        if params.len() > MAX_ARGUMENTS || prototype.is_variadic {
            return unsupported("an intrinsic of so many arguments");
        }
        let ret = prototype.ret;
        let args = [Operand { ty: ret, first: 0 }; MAX_ARGUMENTS];
        let mut call = Call { row, args, count: 0, metadata: 0, ret };
        let mut are_values = true;
        for &ty in params {
            if are_values {
                let relative = self.ops.get(self.at).copied().unwrap_or(0);
                call.metadata = self.s.next_number().wrapping_sub(relative as u32);
            }
            match self.argument(ty)? {
                Some(operand) if are_values => {
                    call.args[call.count] = operand;
                    call.count += 1;
                }
                _ => are_values = false,
            }
        }
        self.end()?;
        match call.count < row.least {
            true => fail(Error::ArgumentCount { passed: call.count, expected: row.least }),
            false => Ok(call),
        }
    }

    /// Defines the result of a call.
    fn special_value(&mut self, mut rule: Compute, call: &Call, is_constrained: bool) -> Checked<()> {
        let ret = call.ret;
        if self.kind(ret) == Kind::Void {
            return unsupported("an intrinsic that should have a result");
        }
        self.value_shape(ret)?;
        if call.count > 0
            && let Kind::Scalar(scalar @ (Scalar::Extended | Scalar::Quad))
            | Kind::Vector(VectorShape { lane: scalar @ Scalar::Quad, .. }) = self.kind(call.args[0].ty)
        {
            match (call.row.extended, scalar) {
                (Some(extended), _) => rule = extended,
                (None, Scalar::Quad) => return unsupported("this intrinsic on fp128"),
                (None, _) => return unsupported("this intrinsic on x86_fp80"),
            }
        }
        let start = self.b.func.num_insts();
        let result = match is_constrained {
            true => self.constrained(rule, call)?,
            false => self.by_rule(rule, call)?,
        };
        // A rule takes its operands as the name says; those of a file that is not LLVM's may be others.
        let mut made = (start..self.b.func.num_insts()).map(|n| Inst::from_u32(n as u32));
        if made.any(|inst| broken_type_rule(self.b.func, inst).is_some()) {
            return fail(self.type_class(call.args[0].ty, "the types that the intrinsic takes"));
        }
        // The name says what is done, the prototype says of what: they may disagree in a file that is not LLVM's.
        let parts = self.m.legal.parts(ret)?;
        let is_right =
            result.ty == ret && (0..).zip(parts).all(|(i, part)| self.ty_of(self.part(result, i)) == part.ty);
        match is_right {
            true => self.define(result),
            false => fail(self.type_class(ret, "the type that the intrinsic gives")),
        }
    }

    /// The value of a call by the rule for its arguments; that for `fp128` is one for scalars.
    fn by_rule(&mut self, rule: Compute, call: &Call) -> Checked<Operand> {
        match self.kind(call.args[0].ty) {
            Kind::Vector(VectorShape { lane: Scalar::Quad, .. }) => self.lane_by_lane(rule, call),
            _ => rule(self, call),
        }
    }

    /// A call on vectors by a rule for scalars; arguments that are no vectors are the same in all lanes.
    fn lane_by_lane(&mut self, rule: Compute, call: &Call) -> Checked<Operand> {
        let shape = self.vector_shape(call.ret)?;
        let ret = self.lane_type(call.ret)?;
        let each = shape.lane.parts();
        let out = self.reserve(shape.lanes * each);
        for lane in 0..shape.lanes {
            let mut one = Call { ret, ..*call };
            for arg in &mut one.args[..call.count] {
                let Kind::Vector(vector) = self.kind(arg.ty) else { continue };
                if vector.lanes != shape.lanes {
                    return fail(self.type_class(arg.ty, "a vector of as many lanes"));
                }
                let (lanes, parts) = (self.lanes_of(*arg)?, vector.lane.parts());
                *arg = self.operand(self.lane_type(arg.ty)?, lanes.part(lane * parts, parts));
            }
            let result = rule(self, &one)?;
            let result = self.run(result);
            self.copy(out, lane * each, result);
        }
        let run = self.join_lanes(shape, out);
        Ok(self.operand(call.ret, run))
    }

    /// Two operands of one type.
    fn check_alike(&self, call: &Call) -> Checked<()> {
        let [a, b, ..] = call.args;
        match a.ty == b.ty {
            true => Ok(()),
            false => fail(self.type_class(b.ty, "the type of the first operand")),
        }
    }

    /// A value of `ty` of one part.
    fn one_of(&self, ty: TypeId, value: Value) -> Checked<Operand> {
        match self.shape(ty).parts {
            1 => Ok(self.one(ty, value)),
            _ => fail(self.type_class(ty, "the type that the intrinsic gives")),
        }
    }

    /// A value of `ty` of these parts.
    fn operand_of(&self, ty: TypeId, run: Run) -> Checked<Operand> {
        match self.shape(ty).parts == run.len {
            true => Ok(self.operand(ty, run)),
            false => fail(self.type_class(ty, "the type that the intrinsic gives")),
        }
    }
}
