//! Constants as operands: parts that are constants of the IR, or instructions at the place of use.
//!
//! What a constant comes to is known from [evaluation](crate::llvm::wire::fold). Numbers and addresses of symbols are
//! values without instructions, made once a body. An address with an offset is an addition, a distance of two
//! addresses a subtraction, a vector a chain of insertions, and every other expression the instruction of its name;
//! they are built at their first use in a block. The address of a thread-local variable is asked for at every use.

use ice_ir::{BinaryOp, Intrinsic, Symbol, Type, Value};

use super::address::Walk;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::emulated_threads::RESOLVER;
use crate::llvm::legalize::parts::PartConstant;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::constants::{Constant, ExprOp, GlobalValueKind, View};
use crate::llvm::wire::fold::Scalar;
use crate::llvm::wire::types::TypeId;

/// Expressions nested deeper than this are refused.
const MAX_DEPTH: u32 = 100;

/// A value of the module as it was last used.
#[derive(Clone, Copy)]
pub(super) struct ModuleValue {
    /// The body for which the rest means something.
    pub(super) epoch: u32,
    /// The block for which the rest means something, or [`ANYWHERE`].
    pub(super) stamp: u32,
    pub(super) first: u32,
}

/// How many copies of a variable or function there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copies {
    One,
    /// In thread-local storage.
    OneAThread,
    /// One a thread, of which a library knows by a record.
    OfLibrary,
}

/// Not built by instructions.
pub(super) const ANYWHERE: u32 = u32::MAX;

impl Body<'_, '_> {
    /// A global or a constant of the module.
    #[inline]
    pub(super) fn module_value(&mut self, number: u32) -> Checked<Operand> {
        let known = self.s.module_values[number as usize];
        let ty = match self.m.globals.get(number as usize) {
            Some(_) => self.m.pointer,
            None => self.m.constants.get(number).map(|(_, ty)| ty),
        };
        let Some(ty) = ty else { return fail(Error::ConstantReference { value: number.into() }) };
        if known.epoch == self.s.epoch && (known.stamp == ANYWHERE || known.stamp == self.s.stamp) {
            return Ok(Operand { ty, first: known.first });
        }
        let (first, is_plain) = self.constant(number)?;
        let stamp = if is_plain { ANYWHERE } else { self.s.stamp };
        self.s.module_values[number as usize] = ModuleValue { epoch: self.s.epoch, stamp, first };
        Ok(Operand { ty, first })
    }

    /// The type of a constant.
    pub(super) fn constant_type(&self, number: u32) -> Checked<TypeId> {
        let env = self.m.environment();
        match (View { env: &env, local: &self.s.constants }).type_of(number) {
            Some(ty) => Ok(ty),
            None => fail(Error::ConstantReference { value: number.into() }),
        }
    }

    /// The lanes of a constant mask, in [`Scratch::mask`](super::Scratch::mask).
    pub(super) fn read_mask(&mut self, number: u32) -> Checked<()> {
        let env = self.m.environment();
        let mut mask = core::mem::take(&mut self.s.mask);
        mask.clear();
        let result = View { env: &env, local: &self.s.constants }.mask(number, &mut mask);
        self.s.mask = mask;
        Ok(result?)
    }

    /// Lists the constants of the parts of a constant, from `start` on of the scratch list.
    fn part_constants(&mut self, number: u32) -> Checked<usize> {
        let env = self.m.environment();
        let start = self.s.part_constants.len();
        let mut parts = core::mem::take(&mut self.s.part_constants);
        let result = View { env: &env, local: &self.s.constants }.parts(&self.m.legal, number, &mut parts);
        self.s.part_constants = parts;
        result?;
        Ok(start)
    }

    /// Whether a constant takes no instructions.
    pub(super) fn is_plain_constant(&mut self, number: u32) -> bool {
        let env = self.m.environment();
        if let Some((Constant::Int(_) | Constant::Float(_), _)) =
            (View { env: &env, local: &self.s.constants }).get(number)
        {
            return true;
        }
        let Ok(start) = self.part_constants(number) else { return false };
        let is_plain = self.s.part_constants[start..].iter().all(|&part| self.is_plain(part));
        self.s.part_constants.truncate(start);
        is_plain
    }

    fn is_plain(&self, part: PartConstant) -> bool {
        match part {
            PartConstant::Scalar(Scalar::Number(_)) | PartConstant::Vector([0, 0]) => true,
            PartConstant::Scalar(Scalar::Address { target, addend: 0 }) => self.copies(target) == Copies::One,
            _ => false,
        }
    }

    fn copies(&self, symbol: Symbol) -> Copies {
        match symbol {
            Symbol::Function(_) => Copies::One,
            Symbol::Global(global) if self.m.module.globals[global].storage.is_thread_local() => {
                Copies::OneAThread
            }
            Symbol::Global(global) if self.m.emulated.is_record(global) => Copies::OfLibrary,
            Symbol::Global(_) => Copies::One,
        }
    }

    /// The parts of constant or global `number`: the part or the start of the run, and whether they hold anywhere.
    pub(super) fn constant(&mut self, number: u32) -> Checked<(u32, bool)> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        match view.get(number) {
            Some((Constant::Int(value), ty)) => {
                let shape = self.shape(ty);
                let value = self.int(shape.first, value);
                return Ok((value.as_u32(), true));
            }
            Some((Constant::InlineAsm(_), _)) => {
                return unsupported("the address of inline assembly");
            }
            _ => {}
        }
        if let Some(GlobalValueKind::Special(special)) = view.global(number).map(|global| global.kind) {
            let name = self.m.module.name(self.m.specials[special as usize].name);
            let name = alloc::string::String::from_utf8_lossy(name);
            return fail(Error::Unsupported { what: alloc::format!("the address of {name}") });
        }
        let ty = self.constant_type(number)?;
        let start = self.part_constants(number)?;
        let len = self.s.part_constants.len() - start;
        let out = self.reserve(len as u32);
        let mut is_plain = true;
        for i in 0..len {
            let part = self.s.part_constants[start + i];
            let part_ty = self.m.legal.parts(ty)?[i].ty;
            is_plain &= self.is_plain(part);
            let value = self.constant_part(part, part_ty, out, i as u32)?;
            self.set(out, i as u32, value);
        }
        self.s.part_constants.truncate(start);
        Ok((self.operand(ty, out).first, is_plain))
    }

    /// One part; `out` has those before it.
    fn constant_part(&mut self, part: PartConstant, ty: Type, out: Run, at: u32) -> Checked<Value> {
        Ok(match part {
            PartConstant::Scalar(Scalar::Number(number)) => match ty {
                Type::F32 | Type::F64 => self.b.func.make_float(ty, number as u64),
                ty => self.int(ty, number),
            },
            PartConstant::Scalar(Scalar::Address { target, addend }) => {
                let address = self.symbol(target)?;
                self.offset(address, addend)
            }
            PartConstant::Scalar(Scalar::Distance { plus, minus, addend }) => {
                let (plus, minus) = (self.symbol(plus)?, self.symbol(minus)?);
                let distance = self.bin(BinaryOp::Sub, plus, minus);
                let distance = self.offset(distance, addend);
                self.resize_zero(distance, ty)
            }
            PartConstant::Vector(words) => self.constant_vector(ty, words),
            PartConstant::Code { id, part } => {
                // Parts of one expression follow each other: it is built once.
                if part > 0 && at > 0 && self.s.built == Some((id, part - 1)) {
                    let run = self.s.built_run;
                    self.s.built = Some((id, part));
                    return Ok(self.get(run, part));
                }
                let operand = self.expression(id)?;
                let run = self.run(operand);
                self.s.built = Some((id, part));
                self.s.built_run = run;
                debug_assert!(at < out.len);
                self.get(run, part)
            }
            PartConstant::Scalar(Scalar::Composite | Scalar::Code) => {
                return unsupported("a constant of this kind");
            }
        })
    }

    /// The address of a symbol, for this thread if there is one a thread.
    pub(super) fn symbol(&mut self, symbol: Symbol) -> Checked<Value> {
        let address = self.address_of(symbol);
        match self.copies(symbol) {
            Copies::One => Ok(address),
            Copies::OneAThread => self.intrinsic_one(Intrinsic::ThreadLocalAddress, &[address]),
            Copies::OfLibrary => {
                let pointer = self.pointer();
                let found = self.library(RESOLVER, &[address], pointer)?;
                found.map_or_else(|| fail(Error::VoidValue), Ok)
            }
        }
    }

    /// The address of a symbol as it is.
    pub(super) fn address_of(&mut self, symbol: Symbol) -> Value {
        let pointer = self.pointer();
        if let Some(&(_, value)) = self.s.addresses.iter().rev().take(8).find(|&&(known, _)| known == symbol)
        {
            return value;
        }
        let value = self.b.address(symbol, pointer);
        self.s.addresses.push((symbol, value));
        value
    }

    /// A native vector with these bits.
    fn constant_vector(&mut self, ty: Type, words: [u64; 2]) -> Value {
        if words == [0, 0] {
            return self.b.func.make_zero(ty);
        }
        let mut vector = self.undef(ty);
        let element = ty.element();
        let bits = if element == Type::I1 { 1 } else { element.bits() };
        let mask = u64::MAX >> (64 - bits);
        for lane in 0..ty.lanes() {
            let at = lane * bits;
            let number = words[at as usize / 64] >> (at % 64) & mask;
            let value = match element {
                Type::F32 | Type::F64 => self.b.func.make_float(element, number),
                element => self.int(element, number as i64),
            };
            let index = self.i32(lane.into());
            vector = self.b.insert_element(vector, value, index);
        }
        vector
    }

    /// The value of an expression, by instructions.
    fn expression(&mut self, number: u32) -> Checked<Operand> {
        if self.s.depth >= MAX_DEPTH {
            return fail(Error::TooLarge {
                what: "the nesting of constant expressions",
                limit: MAX_DEPTH.into(),
            });
        }
        self.s.depth += 1;
        let result = self.expression_inside(number);
        self.s.depth -= 1;
        result
    }

    fn expression_inside(&mut self, number: u32) -> Checked<Operand> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        let Some((constant, ty)) = view.get(number) else {
            return fail(Error::ConstantReference { value: number.into() });
        };
        let expression = match constant {
            Constant::Expression(index) => *view.table(number).expression(index),
            // A vector of which some lanes take instructions.
            Constant::Aggregate(run) => {
                let Kind::Vector(vector) = self.kind(ty) else {
                    return unsupported("a constant of this kind");
                };
                let each = vector.lane.parts();
                let ids = self.constant_operands(number, run);
                let out = self.reserve(vector.lanes * each);
                for (i, id) in (0..).zip(ids) {
                    let lane = self.value(id)?;
                    let lane = self.run(lane);
                    self.copy(out, i * each, lane);
                }
                let run = self.join_lanes(vector, out);
                return Ok(self.operand(ty, run));
            }
            Constant::BlockAddress(index) => {
                let (function, label) = view.table(number).block(index);
                let pointer = self.pointer();
                let address = self.b.block_address(function, label, pointer);
                return Ok(self.one(ty, address));
            }
            _ => return unsupported("a constant of this kind"),
        };
        let ids = self.constant_operands(number, expression.operands);
        let mut operands = alloc::vec::Vec::new();
        let masks = usize::from(expression.op == ExprOp::Shuffle);
        for &id in ids.iter().take(ids.len() - masks) {
            operands.push(self.value(id)?);
        }
        match (expression.op, &operands[..]) {
            (ExprOp::Binary(op), &[a, b]) if a.ty == b.ty => self.binary(op.into(), a, b),
            (ExprOp::Cast(op), &[a]) => self.convert(op.into(), a, ty),
            (ExprOp::Gep { source }, operands) => self.constant_gep(source, operands),
            (ExprOp::Same, &[a]) => Ok(a),
            (ExprOp::Select, &[cond, a, b]) if a.ty == b.ty => self.selection(cond, a, b),
            (ExprOp::Compare(predicate), &[a, b]) if a.ty == b.ty => self.comparison(predicate.into(), a, b),
            (ExprOp::ExtractElement, &[a, index]) => self.lane_of(a, index),
            (ExprOp::InsertElement, &[a, lane, index]) => self.with_lane(a, lane, index),
            (ExprOp::Shuffle, &[a, b]) if a.ty == b.ty => self.shuffled(a, b, ids[ids.len() - 1]),
            (ExprOp::Fneg, &[a]) => self.negate(a),
            _ => unsupported("a constant expression of these operands"),
        }
        .and_then(|result| match result.ty == ty {
            true => Ok(result),
            false => fail(self.type_class(result.ty, "the type of the constant expression")),
        })
    }

    /// The operands of a constant. A copy: building one may grow the tables.
    fn constant_operands(&self, number: u32, run: crate::llvm::wire::constants::Run) -> alloc::vec::Vec<u32> {
        let env = self.m.environment();
        View { env: &env, local: &self.s.constants }.table(number).operands(run).into()
    }

    fn constant_gep(&mut self, source: TypeId, operands: &[Operand]) -> Checked<Operand> {
        let Some((&base, indices)) = operands.split_first() else {
            return unsupported("an address without a base");
        };
        let is_scalar = |cx: &Self, operand: &Operand| matches!(cx.kind(operand.ty), Kind::Scalar(_));
        if !operands.iter().all(|operand| is_scalar(self, operand)) {
            return self.gep_lanes(source, operands);
        }
        let mut walk = Walk { ty: source, is_first: true, address: self.part(base, 0), constant: 0 };
        for &index in indices {
            let bits = self.int_bits_of(index.ty)?;
            let number = self.constant_number(index);
            let value = self.part(index, 0);
            self.step(&mut walk, value, bits, number)?;
        }
        let value = self.walked(walk);
        Ok(self.one(base.ty, value))
    }
}
