//! Bodies of generated functions: calls, intrinsics, and statements with blocks of their own.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::{BUDGET, FUNCTIONS, Gen, MEMORY};
use crate::entities::{Block, FuncId, Inst, Value};
use crate::instruction::{BinaryOp, InstData, IntCond, TailHint};
use crate::intrinsics::{DECLARATIONS, Intrinsic};
use crate::module::Signature;
use crate::types::Type::{self, *};

impl Gen<'_, '_> {
    // ---- calls

    pub(super) fn call(&mut self, callee: FuncId, args: &[Value]) -> Value {
        let tail = self.rng.pick(&[TailHint::None, TailHint::Tail]);
        let ret = self.module.signature(callee).ret;
        self.b.call(callee, args, ret, tail).expect("generated functions return a value")
    }

    /// A call of an earlier function, directly or through the table, if there is time for one.
    pub(super) fn some_call(&mut self) -> Option<Value> {
        let chosen = self.rng.below(self.costs.len().max(1));
        let cost = *self.costs.get(chosen)?;
        let total = self.cost + self.weight * (cost + 1);
        if total > BUDGET {
            return None;
        }
        self.cost = total;
        let callee = self.callees[chosen];
        let Signature { params, ret, .. } = self.module.signature(callee).clone();
        let args: Vec<Value> = params.iter().map(|&ty| self.value(ty)).collect();
        if self.rng.below(3) != 0 {
            return Some(self.call(callee, &args));
        }
        let target = self.table_entry(chosen);
        self.b.call_indirect(target, &args, ret, TailHint::None)
    }

    /// The address of a function, from the table.
    fn table_entry(&mut self, number: usize) -> Value {
        let table = self.global(FUNCTIONS);
        let offset = self.int(I32, number as i64 * 4);
        let entry = self.b.binary(BinaryOp::Add, table, offset);
        self.b.load(I32, entry, 0)
    }

    /// A call of an earlier function with the result of this one in place of a return, if there is one that fits and
    /// time for it. Its arguments are some of the parameters, often in other places, and `value` as often as it fits.
    /// Arguments fit where the function had them, or where no convention needs the stack for what is not on the stack of
    /// the function in any.
    pub(super) fn return_call(&mut self, value: Value) -> bool {
        let own = self.module.signature(self.b.func.id);
        let bytes = |signature: &Signature| signature.params.iter().map(|ty| ty.bytes()).sum::<u32>();
        let aligned = |signature: &Signature| {
            signature.params.iter().fold(0, |at: u32, ty| at.next_multiple_of(ty.bytes()) + ty.bytes())
        };
        let fits = |&n: &usize| {
            let callee = self.module.signature(self.callees[n]);
            let is_smaller = bytes(callee) <= bytes(own) && aligned(callee) <= 16;
            let in_time = self.cost + self.weight * (self.costs[n] + 1) <= BUDGET;
            callee.ret == own.ret && (callee.params == own.params || is_smaller) && in_time
        };
        let candidates: Vec<usize> = (0..self.costs.len()).filter(fits).collect();
        let Some(&chosen) = candidates.get(self.rng.below(candidates.len().max(1))) else { return false };
        self.cost += self.weight * (self.costs[chosen] + 1);
        let callee = self.callees[chosen];
        let params = self.module.signature(callee).params.clone();
        let own = self.b.func.params().to_vec();
        let mut args = Vec::new();
        for &ty in &params {
            let same: Vec<Value> = own.iter().copied().filter(|&param| self.ty(param) == ty).collect();
            args.push(match self.rng.below(4) {
                0 if self.ty(value) == ty => value,
                0 | 1 => self.value(ty),
                _ if same.is_empty() => self.value(ty),
                _ => self.rng.pick(&same),
            });
        }
        // The upper half of a 32-bit result may only come from a function that is known.
        if self.rng.below(2) != 0 || self.ty(value) == I32 {
            self.b.return_call(callee, &args);
        } else {
            let target = self.table_entry(chosen);
            self.b.return_call_indirect(target, &args);
        }
        true
    }

    pub(super) fn intrinsic(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let index = DECLARATIONS.iter().position(|d| d.name == name).expect("a name of the stable set");
        self.intrinsic_at(index, args)
    }

    /// All intrinsics are declared first, in the order of the table.
    pub(super) fn intrinsic_at(&mut self, index: usize, args: &[Value]) -> Option<Value> {
        let decl = &DECLARATIONS[index];
        self.b.call_intrinsic(decl.op, FuncId::from_u32(index as u32), args, decl.ret, TailHint::None)
    }

    pub(super) fn bit_intrinsic(&mut self) -> Value {
        use Intrinsic::{Bswap, Ctlz, Ctpop, Cttz, Fabs, Sqrt};
        let pure = |i: &usize| matches!(DECLARATIONS[*i].op, Bswap | Ctlz | Cttz | Ctpop | Fabs | Sqrt);
        let all: Vec<usize> = (0..DECLARATIONS.len()).filter(pure).collect();
        let index = self.rng.pick(&all);
        let mut args = vec![self.value(DECLARATIONS[index].params[0])];
        if DECLARATIONS[index].params.len() == 2 {
            args.push(self.int(I1, 0));
        }
        self.intrinsic_at(index, &args).expect("pure intrinsics have a result")
    }

    pub(super) fn atomic(&mut self) -> Value {
        let ty = self.rng.pick(&[I8, I16, I32, I64]);
        let address = self.address(ty.bytes().trailing_zeros() as u8);
        let (value, order) = (self.value(ty), self.int(I32, 6));
        let name = |op: &str| format!("llvm.nacl.atomic.{op}.{ty}");
        match self.rng.below(4) {
            0 => {
                let operation = 1 + self.rng.below(6) as i64;
                let operation = self.int(I32, operation);
                self.intrinsic(&name("rmw"), &[operation, address, value, order])
            }
            1 => {
                let desired = self.value(ty);
                self.intrinsic(&name("cmpxchg"), &[address, value, desired, order, order])
            }
            2 => {
                self.intrinsic(&name("store"), &[value, address, order]);
                self.intrinsic("llvm.nacl.atomic.fence", &[order]);
                Some(value)
            }
            _ => self.intrinsic(&name("load"), &[address, order]),
        }
        .unwrap_or(value)
    }

    /// Copies and fills, and intrinsics without a result that is the same everywhere.
    pub(super) fn block_operation(&mut self) {
        let len = self.rng.below(17) as i64;
        let (len, one, no) = (self.int(I32, len), self.int(I32, 1), self.int(I1, 0));
        match self.rng.below(6) {
            0 => {
                // Different regions, so that source and destination never overlap.
                let offsets = [self.rng.below(15) as i64 * 16, self.rng.below(15) as i64 * 16];
                let (Some(local), memory) = (self.local, self.global(MEMORY)) else {
                    return;
                };
                let at = |g: &mut Self, base, offset| {
                    let offset = g.int(I32, offset);
                    g.b.binary(BinaryOp::Add, base, offset)
                };
                let (to, from) = (at(self, local, offsets[0]), at(self, memory, offsets[1]));
                self.intrinsic("llvm.memcpy.p0i8.p0i8.i32", &[to, from, len, one, no]);
            }
            1 => {
                let (to, from) = (self.address(0), self.address(0));
                self.intrinsic("llvm.memmove.p0i8.p0i8.i32", &[to, from, len, one, no]);
            }
            2 => {
                let (to, byte) = (self.address(0), self.value(I8));
                self.intrinsic("llvm.memset.p0i8.i32", &[to, byte, len, one, no]);
            }
            3 => {
                let handle = self.intrinsic("llvm.stacksave", &[]);
                let size = self.int(I32, 64);
                let scratch = self.b.alloca(size, 3, I32);
                let value = self.value(I64);
                self.b.store(scratch, value, 0);
                let back = self.b.load(I64, scratch, 0);
                self.pool.push(back);
                self.intrinsic("llvm.stackrestore", handle.as_slice());
            }
            4 => {
                let (size, at) = (self.int(I32, 4), self.region());
                self.intrinsic("llvm.nacl.atomic.is.lock.free", &[size, at]);
                self.intrinsic("llvm.nacl.atomic.fence.all", &[]);
            }
            _ => _ = self.intrinsic("llvm.nacl.read.tp", &[]),
        }
    }

    // ---- constructs

    pub(super) fn begin_block(&mut self) -> Block {
        self.block = self.b.create_block();
        self.b.switch_to_block(self.block);
        self.block
    }

    /// Appends a terminator whose targets are filled in when they exist.
    pub(super) fn open(&mut self, data: InstData) -> Inst {
        self.b.append(data, Void)
    }

    /// A few statements whose values are gone afterwards; gives values of `types` and the last block.
    pub(super) fn arm(&mut self, depth: u32, types: &[Type]) -> (Vec<Value>, Block, Inst) {
        let mark = self.pool.len();
        for _ in 0..1 + self.rng.below(4) {
            self.statement(depth + 1);
        }
        let values = types.iter().map(|&ty| self.value(ty)).collect();
        self.pool.truncate(mark);
        let last = self.block;
        (values, last, self.open(InstData::Br { target: last }))
    }

    /// Starts the block where the arms meet, with phis; `early` are edges that come without an arm.
    pub(super) fn join(
        &mut self,
        types: &[Type],
        arms: &[(Vec<Value>, Block, Inst)],
        early: &[(Vec<Value>, Block)],
    ) -> Block {
        let join = self.begin_block();
        for &(_, _, branch) in arms {
            *self.b.func.inst_mut(branch) = InstData::Br { target: join };
        }
        for (i, &ty) in types.iter().enumerate() {
            let of_arms = arms.iter().map(|(values, block, _)| (values[i], *block));
            let incoming: Vec<_> = of_arms.chain(early.iter().map(|(values, b)| (values[i], *b))).collect();
            let phi = self.b.phi(ty, &incoming);
            self.pool.push(phi);
        }
        join
    }

    pub(super) fn phi_types(&mut self) -> Vec<Type> {
        (0..1 + self.rng.below(3)).map(|_| self.rng.pick(&Type::STABLE[1..])).collect()
    }

    /// One or two arms that start when `cond` says so, and phis of what they give, which is like `direct`; with one
    /// arm, the other way goes past it with `direct` itself.
    pub(super) fn fork(
        &mut self,
        cond: Value,
        direct: &[Value],
        arms: usize,
        mut arm: impl FnMut(&mut Self, usize) -> Vec<Value>,
    ) -> Vec<Value> {
        let (head, mark) = (self.block, self.pool.len());
        let types: Vec<Type> = direct.iter().map(|&value| self.ty(value)).collect();
        let branch = self.open(InstData::CondBr { cond, if_true: head, if_false: head });
        let (mut firsts, mut made) = (Vec::new(), Vec::new());
        for n in 0..arms {
            firsts.push(self.begin_block());
            let values = arm(self, n);
            self.pool.truncate(mark);
            let last = self.block;
            made.push((values, last, self.open(InstData::Br { target: last })));
        }
        let early = (arms == 1).then(|| (direct.to_vec(), head));
        firsts.push(self.join(&types, &made, early.as_slice()));
        let [if_true, if_false] = self.rng.pick(&[[firsts[0], firsts[1]], [firsts[1], firsts[0]]]);
        *self.b.func.inst_mut(branch) = InstData::CondBr { cond, if_true, if_false };
        self.pool.split_off(mark)
    }

    pub(super) fn if_else(&mut self, depth: u32) {
        let cond = self.value(I1);
        self.if_else_by(depth, cond);
    }

    /// If with or without else, or with a trap that is never reached in its place.
    pub(super) fn if_else_by(&mut self, depth: u32, cond: Value) {
        let (types, head) = (self.phi_types(), self.block);
        let shape = self.rng.below(4);
        let cond = if shape == 0 {
            let (x, seven) = (self.value(I32), self.int(I32, 7));
            let x = self.b.binary(BinaryOp::And, x, seven);
            self.b.icmp(IntCond::Ule, x, seven)
        } else {
            cond
        };
        let direct: Vec<Value> = types.iter().map(|&ty| self.value(ty)).collect();
        let branch = self.open(InstData::CondBr { cond, if_true: head, if_false: head });
        let if_true = self.begin_block();
        let first = self.arm(depth, &types);
        let if_false = match shape {
            0 => {
                let block = self.begin_block();
                self.intrinsic("llvm.trap", &[]);
                self.b.unreachable();
                self.join(&types, &[first], &[]);
                block
            }
            1 => self.join(&types, &[first], &[(direct, head)]),
            _ => {
                let block = self.begin_block();
                let second = self.arm(depth, &types);
                self.join(&types, &[first, second], &[]);
                block
            }
        };
        *self.b.func.inst_mut(branch) = InstData::CondBr { cond, if_true, if_false };
    }

    /// A switch with shared targets; the default and some cases go straight to the join.
    pub(super) fn switch(&mut self, depth: u32) {
        let (types, ty) = (self.phi_types(), self.rng.pick(&[I8, I16, I32, I64]));
        let (mut value, head) = (self.value(ty), self.block);
        // Case numbers are one way or another around `base`, so that they are hit when the value is near it.
        let base = self.rng.pick(&[0, 0, -4, 100, i64::from(i32::MAX) - 2, (5 << 40) + 3, i64::MIN]);
        let base = ty.sign_extend(base);
        if self.rng.below(3) != 0 {
            let (mask, low) = (self.int(ty, 15), self.int(ty, base));
            value = self.b.binary(BinaryOp::And, value, mask);
            value = self.b.binary(BinaryOp::Add, value, low);
        }
        let direct: Vec<Value> = types.iter().map(|&ty| self.value(ty)).collect();
        let table = self.b.switch(value, head);
        let branch = self.b.func.layout.last_inst(head).expect("the switch");
        let (mut arms, mut targets) = (Vec::new(), Vec::new());
        for _ in 0..self.rng.below(4) {
            targets.push(self.begin_block());
            arms.push(self.arm(depth, &types));
        }
        let (count, stride) = (self.rng.below(12) as i64, self.rng.pick(&[1, 1, 1, 2, 3, 37, 1 << 33]));
        let near = |n: i64| ty.sign_extend(base.wrapping_add(n.wrapping_mul(stride)));
        let mut numbers: Vec<i64> = (0..count).map(near).collect();
        numbers.extend([ty.sign_extend(self.rng.next() as i64) | 8, ty.sign_extend(1 << (ty.bits() - 1))]);
        numbers.sort_unstable();
        numbers.dedup();
        let cases: Vec<(i64, usize)> =
            numbers.iter().map(|&n| (n, self.rng.below(targets.len() + 1))).collect();
        let straight = 1 + cases.iter().filter(|&&(_, target)| target == targets.len()).count();
        let join = self.join(&types, &arms, &vec![(direct, head); straight]);
        targets.push(join);
        self.b.func.switch_mut(table).cases = cases.iter().map(|&(n, target)| (n, targets[target])).collect();
        *self.b.func.inst_mut(branch) = InstData::Switch { value, default: join, table };
    }

    /// A loop that runs `trips` times and carries one value; gives its last one.
    pub(super) fn counted_loop(
        &mut self,
        trips: i64,
        start: Value,
        body: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Value {
        self.in_loop(trips, &[start], |g, counter, carried| vec![body(g, counter, carried[0])])[0]
    }

    /// A loop that runs `trips` times and carries values; gives the last ones.
    pub(super) fn in_loop(
        &mut self,
        trips: i64,
        starts: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        self.in_loop_while(trips, starts, |g, counter, carried| (body(g, counter, carried), None))
    }

    /// A loop that carries values and runs at most `trips` times: the body may say itself whether there is another
    /// round.
    pub(super) fn in_loop_while(
        &mut self,
        trips: i64,
        starts: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> (Vec<Value>, Option<Value>),
    ) -> Vec<Value> {
        let (zero, one, end) = (self.int(I32, 0), self.int(I32, 1), self.int(I32, trips));
        let before = self.block;
        self.b.br(Block::from_u32(self.b.func.num_blocks() as u32));
        let head = self.begin_block();
        let next = self.b.func.make_forward(I32);
        // The last block of the body is not known yet, nor are the carried values.
        let counter = self.b.phi(I32, &[(zero, before), (next, head)]);
        let carried: Vec<Value> = starts
            .iter()
            .map(|&start| {
                let ty = self.ty(start);
                self.b.phi(ty, &[(start, before), (start, head)])
            })
            .collect();
        let weight = self.weight;
        self.weight *= trips as u64;
        let (results, again) = body(self, counter, &carried);
        self.weight = weight;
        let latch = self.block;
        self.b.define_next_as(next);
        self.b.binary(BinaryOp::Add, counter, one);
        let again = again.unwrap_or_else(|| self.b.icmp(IntCond::Ult, next, end));
        let branch = self.open(InstData::CondBr { cond: again, if_true: head, if_false: head });
        let last = carried.iter().zip(&results).map(|(&phi, &value)| (phi, value));
        for (phi, value) in [(counter, next)].into_iter().chain(last) {
            let inst = self.b.func.defining_inst(phi).expect("a phi");
            if let InstData::Phi { incoming } = *self.b.func.inst(inst) {
                self.b.func.incoming_mut(incoming)[1] = (value, latch);
            }
        }
        let if_false = self.begin_block();
        *self.b.func.inst_mut(branch) = InstData::CondBr { cond: again, if_true: head, if_false };
        results
    }

    pub(super) fn repeat(&mut self, depth: u32) {
        let trips = 1 + self.rng.below(7) as i64;
        let ty = self.rng.pick(&Type::STABLE[1..]);
        let (start, mark) = (self.value(ty), self.pool.len());
        let result = self.counted_loop(trips, start, |g, counter, carried| {
            g.pool.extend([counter, carried]);
            for _ in 0..1 + g.rng.below(5) {
                g.statement(depth + 1);
            }
            g.value(ty)
        });
        self.pool.truncate(mark);
        self.pool.push(result);
    }
}
