//! The instruction records of a function body (bitcode specification, section 7.3).
//!
//! Each record is checked against its rule, its operands are resolved, and it becomes one instruction. The
//! types of operands decide the types of results, so every operand has a known type when it is used.

use ice_ir::ObjectKind;
use ice_ir::{
    AtomicOp, BinaryOp, Block, CastOp, FuncId, FunctionBuilder, FunctionKind, InstData, Intrinsic, Module,
    TailHint, Type, Value, ValueRange,
};

use super::codes::{self, block, function as code};
use super::function::{Checked, FunctionReader, fail, value_type};
use crate::bitstream::{Reader, RecordRef, unrotate_sign};
use crate::error::Error;

/// Largest alignment code: 2^29 bytes.
const MAX_ALIGNMENT: u64 = 30;

/// The error for a record `$name` with other than `$expected` operands.
fn count_error<T>(record: &'static str, found: usize, expected: &'static str) -> Checked<T> {
    fail(Error::OperandCount { record, found, expected })
}

impl FunctionReader {
    /// Reads one record of a FUNCTION block.
    #[inline(always)]
    pub(super) fn instruction_record(
        &mut self,
        module: &Module,
        reader: &Reader<'_>,
        record: RecordRef<'_>,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<()> {
        let number = record.code;
        if builder.current_block().is_none() && !matches!(number, code::DECLAREBLOCKS | code::FORWARDTYPEREF)
        {
            if !self.has_begun || self.block >= self.num_blocks {
                self.between_blocks(module, reader, record, builder)?;
            }
            builder.switch_to_block(Block::from_u32(self.block));
            self.past_phis = false;
        }
        match number {
            code::BINOP => self.non_phi(module, record, builder).binop(),
            code::CAST => self.non_phi(module, record, builder).cast(),
            code::RET => self.non_phi(module, record, builder).ret(),
            code::BR => self.non_phi(module, record, builder).br(),
            code::LOAD => self.non_phi(module, record, builder).load(),
            code::STORE => self.non_phi(module, record, builder).store(),
            code::CMP2 => self.non_phi(module, record, builder).compare(),
            code::CALL => self.non_phi(module, record, builder).call(),
            code::DECLAREBLOCKS | code::FORWARDTYPEREF => {
                self.between_blocks(module, reader, record, builder)
            }
            _ => self.rare_record(module, record, builder),
        }
    }

    /// A record that is no phi, to be read.
    #[inline(always)]
    fn non_phi<'a, 'f>(
        &'a mut self,
        module: &'a Module,
        record: RecordRef<'a>,
        builder: &'a mut FunctionBuilder<'f>,
    ) -> Reading<'a, 'f> {
        self.past_phis = true;
        Reading { r: self, module, ops: record.ops, b: builder }
    }
}

impl FunctionReader {
    /// The instructions that are fewer than one in twenty: apart, so that those above share their registers.
    #[inline(never)]
    fn rare_record(
        &mut self,
        module: &Module,
        record: RecordRef<'_>,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<()> {
        if record.code == code::PHI {
            return Reading { r: self, module, ops: record.ops, b: builder }.phi();
        }
        let mut cx = self.non_phi(module, record, builder);
        match record.code {
            code::SWITCH => cx.switch(),
            code::UNREACHABLE => cx.unreachable(),
            code::VSELECT => cx.select(),
            code::EXTRACTELT => cx.extract_element(),
            code::INSERTELT => cx.insert_element(),
            code::ALLOCA => cx.alloca(),
            code::CALL_INDIRECT => cx.call_indirect(),
            code => fail(Error::UnknownRecord { code, block: block::FUNCTION }),
        }
    }

    /// What is no instruction, and whether a block may start.
    #[inline(never)]
    fn between_blocks(
        &mut self,
        module: &Module,
        reader: &Reader<'_>,
        record: RecordRef<'_>,
        builder: &mut FunctionBuilder<'_>,
    ) -> Checked<()> {
        if record.code == code::DECLAREBLOCKS {
            return self.declare_blocks(record, reader.remaining_bits(), builder);
        }
        if self.num_blocks == 0 {
            return fail(Error::BlockCountFirst);
        }
        self.has_begun = true;
        if self.block >= self.num_blocks {
            return fail(match record.code {
                code::FORWARDTYPEREF => Error::NoTerminator,
                _ => Error::TooManyBlocks { declared: self.num_blocks },
            });
        }
        if record.code == code::FORWARDTYPEREF {
            let &[number, ty] = record.ops else {
                return count_error("FORWARDTYPEREF", record.ops.len(), "2");
            };
            let Some(ty) = value_type(module, ty).filter(|&ty| ty != Type::Void) else {
                return fail(Error::VoidValue);
            };
            return self.announce(number, ty, reader.remaining_bits(), builder);
        }
        Ok(())
    }
}

/// One record being read.
struct Reading<'a, 'f> {
    r: &'a mut FunctionReader,
    module: &'a Module,
    ops: &'a [u64],
    b: &'a mut FunctionBuilder<'f>,
}

impl Reading<'_, '_> {
    // ---- operands

    /// The value of a relative operand and its type, noted as used here.
    #[inline(always)]
    fn value(&mut self, relative: u64) -> Checked<(Value, Type)> {
        let local = u64::from(self.r.next_local).wrapping_sub(relative);
        match usize::try_from(local).ok().and_then(|local| self.r.locals.get(local)) {
            // Defined in this block, or where it dominates everything.
            Some(local) if local.block == self.r.block || local.block == 0 => Ok((local.value, local.ty)),
            _ => self.r.far_operand(self.module, relative, self.b),
        }
    }

    #[inline(always)]
    fn value_type(&self, id: u64) -> Checked<Type> {
        match value_type(self.module, id) {
            Some(ty) if ty != Type::Void => Ok(ty),
            _ => fail(Error::VoidValue),
        }
    }

    /// Appends the computation `data`, which defines the next value.
    #[inline(always)]
    fn compute(&mut self, data: InstData, ty: Type) -> Checked<()> {
        self.r.prepare(ty, self.b)?;
        let value = self.b.compute(data, ty);
        self.r.define(value, ty);
        Ok(())
    }

    /// Appends `data`, which defines the next value.
    #[inline(always)]
    fn append(&mut self, data: InstData, ty: Type) -> Checked<()> {
        self.r.prepare(ty, self.b)?;
        let (_, value) = self.b.push_value(data, ty);
        self.r.define(value, ty);
        Ok(())
    }

    #[inline(always)]
    fn target(&self, number: u64) -> Checked<Block> {
        if number == 0 || number >= u64::from(self.r.num_blocks) {
            return fail(match number {
                0 => Error::BranchToEntry,
                block => Error::UnknownBlock { block },
            });
        }
        Ok(Block::from_u32(number as u32))
    }

    /// The number of a relative operand that must be an integer constant.
    fn constant(&self, relative: u64, value: Value) -> Option<i64> {
        self.b.func.int_value(value).filter(|_| self.r.is_constant_number(relative))
    }

    #[inline(always)]
    fn terminated(&mut self, terminator: InstData) -> Checked<()> {
        self.r.checks.cfg.end_block(self.b.func, &terminator);
        self.r.block += 1;
        Ok(())
    }

    // ---- arithmetic

    #[inline(always)]
    fn binop(&mut self) -> Checked<()> {
        // A fourth operand holds flags of old producers, without meaning.
        let &([a, b, operator] | [a, b, operator, _]) = self.ops else {
            return count_error("BINOP", self.ops.len(), "3 or 4");
        };
        let ((a, ty), (b, right)) = (self.value(a)?, self.value(b)?);
        if ty != right {
            return fail(Error::OperandTypes { left: ty, right });
        }
        let index = usize::try_from(operator).unwrap_or(usize::MAX);
        let op = if ty.is_float_or_float_vector() {
            codes::FLOAT_OPERATORS.get(index).copied().flatten()
        } else {
            codes::INT_OPERATORS.get(index).copied()
        };
        let Some(op) = op else { return fail(Error::UnknownOperator { operator, ty }) };
        if ty.is_bool_or_bool_vector() && !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
            return fail(Error::BooleanArithmetic { operation: op.name() });
        }
        self.compute(InstData::Binary { op, args: [a, b] }, ty)
    }

    #[inline(always)]
    fn cast(&mut self) -> Checked<()> {
        let &[a, ty, opcode] = self.ops else { return count_error("CAST", self.ops.len(), "3") };
        let (arg, from) = self.value(a)?;
        let to = self.value_type(ty)?;
        let op = usize::try_from(opcode).ok().and_then(|i| codes::CASTS.get(i).copied().flatten());
        let Some(op) = op else { return fail(Error::UnknownCast { opcode }) };
        if !cast_is_legal(op, from, to) {
            return fail(Error::CastTypes { operation: op.name(), from, to });
        }
        self.compute(InstData::Cast { op, arg }, to)
    }

    #[inline(always)]
    fn compare(&mut self) -> Checked<()> {
        let &[a, b, predicate] = self.ops else { return count_error("CMP2", self.ops.len(), "3") };
        let ((a, ty), (b, right)) = (self.value(a)?, self.value(b)?);
        if ty != right {
            return fail(Error::CompareTypes { left: ty, right });
        }
        let args = [a, b];
        let data = if ty.is_float_or_float_vector() {
            codes::float_predicate(predicate).map(|cond| InstData::Fcmp { cond, args })
        } else {
            codes::int_predicate(predicate).map(|cond| InstData::Icmp { cond, args })
        };
        let Some(data) = data else { return fail(Error::UnknownPredicate { predicate, ty }) };
        if ty.is_bool_or_bool_vector() {
            return fail(Error::BooleanArithmetic { operation: "icmp" });
        }
        self.compute(data, ty.compare_result())
    }

    fn select(&mut self) -> Checked<()> {
        let &[if_true, if_false, cond] = self.ops else { return count_error("VSELECT", self.ops.len(), "3") };
        let ((if_true, ty), (if_false, right)) = (self.value(if_true)?, self.value(if_false)?);
        let (cond, cond_ty) = self.value(cond)?;
        if ty != right {
            return fail(Error::SelectTypes { left: ty, right });
        }
        let matches_lanes = cond_ty.is_bool_or_bool_vector() && cond_ty.lanes() == ty.lanes();
        if cond_ty != Type::I1 && !matches_lanes {
            return fail(Error::SelectCondition { ty: cond_ty });
        }
        self.compute(InstData::Select { cond, if_true, if_false }, ty)
    }

    // ---- vectors

    /// Checks that an operand is a constant lane number.
    fn lane(&mut self, relative: u64, vector: Type) -> Checked<Value> {
        let (index, ty) = self.value(relative)?;
        let lanes = vector.lanes();
        let number = self.constant(relative, index);
        if ty != Type::I32 || !number.is_some_and(|n| (0..i64::from(lanes)).contains(&n)) {
            return fail(Error::LaneIndex { lanes });
        }
        Ok(index)
    }

    fn extract_element(&mut self) -> Checked<()> {
        let &[vector, index] = self.ops else { return count_error("EXTRACTELT", self.ops.len(), "2") };
        let (vector, ty) = self.value(vector)?;
        if !ty.is_vector() {
            return fail(Error::NotAVector { ty });
        }
        let index = self.lane(index, ty)?;
        self.compute(InstData::ExtractElement { vector, index }, ty.element())
    }

    fn insert_element(&mut self) -> Checked<()> {
        let &[vector, element, index] = self.ops else {
            return count_error("INSERTELT", self.ops.len(), "3");
        };
        let ((vector, ty), (element, found)) = (self.value(vector)?, self.value(element)?);
        if !ty.is_vector() {
            return fail(Error::NotAVector { ty });
        }
        let expected = ty.element();
        if found != expected {
            return fail(Error::LaneType { found, expected });
        }
        let index = self.lane(index, ty)?;
        self.compute(InstData::InsertElement { vector, element, index }, ty)
    }

    // ---- terminators

    #[inline(always)]
    fn ret(&mut self) -> Checked<()> {
        let (value, found) = match *self.ops {
            [] => (None, Type::Void),
            [value] => {
                let (value, ty) = self.value(value)?;
                (Some(value), ty)
            }
            _ => return count_error("RET", self.ops.len(), "0 or 1"),
        };
        if found != self.b.func.ret {
            return fail(Error::ReturnValue);
        }
        self.b.ret(value);
        self.terminated(InstData::Ret { value })
    }

    #[inline(always)]
    fn br(&mut self) -> Checked<()> {
        match *self.ops {
            [target] => {
                let data = InstData::Br { target: self.target(target)? };
                self.b.push(data, Type::Void);
                self.terminated(data)
            }
            [if_true, if_false, cond] => {
                let (if_true, if_false) = (self.target(if_true)?, self.target(if_false)?);
                let (cond, ty) = self.value(cond)?;
                if ty != Type::I1 {
                    return fail(Error::BranchCondition { ty });
                }
                let data = InstData::CondBr { cond, if_true, if_false };
                self.b.push(data, Type::Void);
                self.terminated(data)
            }
            _ => count_error("BR", self.ops.len(), "1 or 3"),
        }
    }

    fn switch(&mut self) -> Checked<()> {
        let &[ty, value, default, count, ref cases @ ..] = self.ops else {
            return count_error("SWITCH", self.ops.len(), "4 or more");
        };
        let ty = self.value_type(ty)?;
        let (value, found) = self.value(value)?;
        if found != ty || !ty.is_scalar_int() || ty == Type::I1 {
            return fail(Error::SwitchType { ty });
        }
        if count.checked_mul(4) != Some(cases.len() as u64) {
            return fail(Error::MalformedSwitch);
        }
        let default = self.target(default)?;
        let table = self.b.switch(value, default);
        self.r.cases.clear();
        for case in cases.chunks_exact(4) {
            if case[0] != 1 || case[1] != 1 {
                return fail(Error::CaseRange);
            }
            let number = unrotate_sign(case[2]);
            if ty.sign_extend(number) != number {
                return fail(Error::CaseValue { value: number });
            }
            let target = self.target(case[3])?;
            self.b.func.switch_mut(table).cases.push((number, target));
            self.r.cases.push(number);
        }
        self.r.cases.sort_unstable();
        if let Some(pair) = self.r.cases.windows(2).find(|pair| pair[0] == pair[1]) {
            return fail(Error::CaseValue { value: pair[0] });
        }
        self.terminated(InstData::Switch { value, default, table })
    }

    fn unreachable(&mut self) -> Checked<()> {
        if !self.ops.is_empty() {
            return count_error("UNREACHABLE", self.ops.len(), "0");
        }
        self.b.unreachable();
        self.terminated(InstData::Unreachable)
    }

    fn phi(&mut self) -> Checked<()> {
        let &[ty, ref pairs @ ..] = self.ops else { return fail(Error::MalformedPhi) };
        if pairs.is_empty() || !pairs.len().is_multiple_of(2) {
            return fail(Error::MalformedPhi);
        }
        let Some(ty) = value_type(self.module, ty).filter(|&ty| ty != Type::Void) else {
            return fail(Error::MalformedPhi);
        };
        if self.r.past_phis || self.r.block == 0 {
            return fail(Error::MisplacedPhi);
        }
        let next = self.r.next_number();
        self.r.incoming.clear();
        for pair in pairs.chunks_exact(2) {
            let distance = unrotate_sign(pair[0]);
            let number = i64::from(next).checked_sub(distance).and_then(|n| u32::try_from(n).ok());
            let Some(number) = number else { return fail(Error::NonexistentValue { operand: pair[0] }) };
            if pair[1] >= u64::from(self.r.num_blocks) {
                return fail(Error::UnknownBlock { block: pair[1] });
            }
            let (value, found) = self.r.phi_operand(self.module, number, pair, self.b)?;
            if found != ty {
                return fail(Error::PhiType { found, expected: ty });
            }
            self.r.incoming.push((value, Block::from_u32(pair[1] as u32)));
        }
        let incoming = self.b.func.make_incoming(&self.r.incoming);
        self.append(InstData::Phi { incoming }, ty)?;
        if let Some(inst) = self.b.current_block().and_then(|block| self.b.func.layout.last_inst(block)) {
            self.r.checks.note_phi(inst, Block::from_u32(self.r.block));
        }
        Ok(())
    }

    // ---- memory

    fn alloca(&mut self) -> Checked<()> {
        let &[size, align] = self.ops else { return count_error("ALLOCA", self.ops.len(), "2") };
        let (size, ty) = self.value(size)?;
        if ty != Type::I32 {
            return fail(Error::AllocaSize { ty });
        }
        if align > MAX_ALIGNMENT {
            return fail(Error::AlignmentTooLarge { code: align });
        }
        let Some(align_log2) = align.checked_sub(1) else {
            return fail(Error::Alignment { code: align, ty });
        };
        let align_log2 = align_log2 as u8;
        self.append(InstData::Alloca { size, align_log2, kind: ObjectKind::Local }, self.module.pointer_type)
    }

    #[inline(always)]
    fn address(&mut self, relative: u64) -> Checked<Value> {
        let (address, ty) = self.value(relative)?;
        if ty == self.module.pointer_type { Ok(address) } else { fail(Error::AddressType { ty }) }
    }

    #[inline(always)]
    fn load(&mut self) -> Checked<()> {
        let &[address, align, ty] = self.ops else { return count_error("LOAD", self.ops.len(), "3") };
        let address = self.address(address)?;
        let ty = self.value_type(ty)?;
        let align_log2 = memory_alignment(align, ty)?;
        self.append(InstData::Load { address, align_log2 }, ty)
    }

    #[inline(always)]
    fn store(&mut self) -> Checked<()> {
        let &[address, value, align] = self.ops else { return count_error("STORE", self.ops.len(), "3") };
        let address = self.address(address)?;
        let (value, ty) = self.value(value)?;
        let align_log2 = memory_alignment(align, ty)?;
        self.b.push(InstData::Store { address, value, align_log2 }, Type::Void);
        Ok(())
    }

    // ---- calls

    #[inline(always)]
    fn tail(cc: u64) -> Checked<TailHint> {
        match cc {
            0 => Ok(TailHint::None),
            1 => Ok(TailHint::Tail),
            bits => fail(Error::CallConvention { bits }),
        }
    }

    #[inline(always)]
    fn call(&mut self) -> Checked<()> {
        let &[cc, callee, ref passed @ ..] = self.ops else {
            return count_error("CALL", self.ops.len(), "2 or more");
        };
        let tail = Self::tail(cc)?;
        let number = self.r.next_number().wrapping_sub(callee as u32);
        if number >= self.r.num_functions || callee >> 32 != 0 {
            return fail(Error::CalleeNotFunction { value: number });
        }
        let callee = FuncId::from_u32(number);
        let signature = self.module.signature(callee);
        if passed.len() != signature.params.len() {
            let (passed, expected) = (passed.len(), signature.params.len());
            return fail(Error::ArgumentCount { passed, expected });
        }
        let mut args = self.b.func.begin_args();
        for (argument, (&relative, &expected)) in passed.iter().zip(&signature.params).enumerate() {
            let (value, found) = self.value(relative)?;
            if found != expected {
                return fail(Error::ArgumentType { argument, found, expected });
            }
            self.b.func.push_arg(&mut args, value);
        }
        let data = match self.module.functions[callee].kind {
            FunctionKind::Intrinsic(op) => {
                self.check_intrinsic(op, passed, args)?;
                InstData::CallIntrinsic { op, callee, args, tail }
            }
            _ => InstData::Call { callee, args, tail },
        };
        self.append_call(data, signature.ret)
    }

    /// Appends a call, which defines the next value unless it returns nothing.
    #[inline(always)]
    fn append_call(&mut self, data: InstData, ret: Type) -> Checked<()> {
        if ret != Type::Void {
            return self.append(data, ret);
        }
        self.b.push(data, ret);
        Ok(())
    }

    /// The constant operands of intrinsics (bitcode specification, section 11).
    fn check_intrinsic(&self, op: Intrinsic, relative: &[u64], args: ValueRange) -> Checked<()> {
        let args = self.b.func.args(args);
        let constant = |n: usize| self.constant(relative[n], args[n]);
        let orders = |n: usize, legal: &[i64]| match constant(n) {
            Some(order) if legal.contains(&order) => Ok(()),
            _ => fail(Error::AtomicOperands),
        };
        match op {
            Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset => match constant(3) {
                Some(1) => Ok(()),
                _ => fail(Error::CopyAlignment),
            },
            Intrinsic::AtomicLoad => orders(1, &[3, 6]),
            Intrinsic::AtomicStore => orders(2, &[4, 6]),
            Intrinsic::AtomicRmw => {
                if constant(0).and_then(AtomicOp::from_code).is_none() {
                    return fail(Error::AtomicOperands);
                }
                orders(3, &[3, 4, 5, 6])
            }
            Intrinsic::AtomicCmpxchg => match (constant(3), constant(4)) {
                (Some(3 | 5 | 6), Some(3)) | (Some(6), Some(6)) => Ok(()),
                _ => fail(Error::AtomicOperands),
            },
            Intrinsic::AtomicFence => orders(0, &[3, 4, 5, 6]),
            Intrinsic::AtomicIsLockFree => match constant(0) {
                Some(1 | 2 | 4 | 8) => Ok(()),
                _ => fail(Error::LockFreeSize),
            },
            _ => Ok(()),
        }
    }

    fn call_indirect(&mut self) -> Checked<()> {
        let &[cc, callee, ret, ref passed @ ..] = self.ops else {
            return count_error("CALL_INDIRECT", self.ops.len(), "3 or more");
        };
        let tail = Self::tail(cc)?;
        let (callee, ty) = self.value(callee)?;
        if ty != self.module.pointer_type {
            return fail(Error::CalleeType { ty });
        }
        let Some(ret) = value_type(self.module, ret) else { return fail(Error::VoidValue) };
        let (mut args, mut small) = (self.b.func.begin_args(), None);
        let is_small = |ty| matches!(ty, Type::I1 | Type::I8 | Type::I16);
        for &relative in passed {
            let (value, ty) = self.value(relative)?;
            small = small.or(Some(ty).filter(|&ty| is_small(ty)));
            self.b.func.push_arg(&mut args, value);
        }
        if let Some(ty) = small.or(Some(ret).filter(|&ty| is_small(ty))) {
            return fail(Error::IndirectCallType { ty });
        }
        self.append_call(InstData::CallIndirect { callee, args, tail }, ret)
    }
}

/// Whether the conversion exists (bitcode specification, section 7.3).
fn cast_is_legal(op: CastOp, from: Type, to: Type) -> bool {
    if op == CastOp::Bitcast {
        return from.bits() == to.bits();
    }
    if from.lanes() != to.lanes() {
        return false;
    }
    let (a, b) = (from.element(), to.element());
    match op {
        CastOp::Trunc => a.is_scalar_int() && b.is_scalar_int() && a.bits() > b.bits(),
        CastOp::Zext | CastOp::Sext => a.is_scalar_int() && b.is_scalar_int() && a.bits() < b.bits(),
        CastOp::Fptoui | CastOp::Fptosi => a.is_scalar_float() && b.is_scalar_int(),
        CastOp::Uitofp | CastOp::Sitofp => a.is_scalar_int() && b.is_scalar_float(),
        CastOp::Fptrunc => a == Type::F64 && b == Type::F32,
        CastOp::Fpext => a == Type::F32 && b == Type::F64,
        CastOp::Bitcast => true,
    }
}

/// The alignment of a load or store, as log2 (bitcode specification, section 9.4).
#[inline(always)]
fn memory_alignment(code: u64, ty: Type) -> Checked<u8> {
    match code <= 4 && ALIGNMENTS[ty as usize] >> code & 1 != 0 {
        true => Ok(code as u8 - 1),
        false => bad_alignment(code, ty),
    }
}

/// For each type, the set of its alignment codes: one byte, or the size of a lane or a floating-point number.
const ALIGNMENTS: [u8; Type::ALL.len()] = {
    let mut table = [0; Type::ALL.len()];
    let mut n = 0;
    while n < table.len() {
        table[n] = match Type::ALL[n] {
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::V16I8 => 1 << 1,
            Type::F32 => 1 << 1 | 1 << 3,
            Type::F64 => 1 << 1 | 1 << 4,
            Type::V8I16 => 1 << 2,
            Type::V4I32 | Type::V4F32 => 1 << 3,
            _ => 0,
        };
        n += 1;
    }
    table
};

#[cold]
fn bad_alignment(code: u64, ty: Type) -> Checked<u8> {
    match ty {
        _ if code > MAX_ALIGNMENT => fail(Error::AlignmentTooLarge { code }),
        Type::Void | Type::I1 | Type::V4I1 | Type::V8I1 | Type::V16I1 => fail(Error::NotInMemory { ty }),
        _ => fail(Error::Alignment { code, ty }),
    }
}
