//! What several accesses share of their addresses is computed by each of them, where an operand of memory does that.
//!
//! On a machine with operands of two registers, one of them scaled, and a number, the sum of these costs nothing in a
//! load or store, and an instruction and a register where it stands alone. A sum or scale of which nothing would be
//! left but addresses of the same loop therefore goes to each access (as LLVM's CodeGenPrepare sinks addresses), in the
//! form that lowering folds: `(base + (index << scale)) + number`. So does the next value of a phi, `i + 1`, into the
//! addresses that it is: the phi's present value serves them, and the step may go down behind them
//! ([`sink`](crate::sink())). A load that decides the branch at the end of its block stays at the next value: behind it
//! there is no place for the step.
//!
//! A value is *free* if each of its uses is the address of an access, or the operand of a sum or scale that is free.
//! Only what is free is looked through, and only within a loop: what is computed in front of it needs one register
//! there, its terms may need two. Blocks outside of loops stay as they are: that is not worth the time. An address that
//! has more terms than an operand takes stays. The address of a function or global counts as a register.
//!
//! Requires: a verified function, its loop forest and use counts. Preserves: all but addresses of loads and stores; keeps the
//! use counts, but the last user of a value is a guess then. Linear in the instructions of loops.

use crate::changed::Changed;
use crate::exit_edges::for_each_leaving;
use crate::insert::insert;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{BinaryOp, Function, Inst, InstData, LoopForest, Type, Uses, Value};

/// Largest number that goes into an address.
const MAX_NUMBER: i64 = 1 << 24;
/// Deepest chain of sums that is looked through.
const MAX_DEPTH: u32 = 6;
/// How many of the latest addresses are searched for one that an access shares.
const MAX_OWN: usize = 8;
/// How many accesses lowering folds a sum of two registers into.
const MAX_SHARED: u32 = 2;

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct AddressScratch {
    /// By value: how many of its uses are free.
    free: Vec<u32>,
    /// Addresses of the current block that were computed anew.
    own: Vec<Own>,
    /// Accesses that have got other addresses, and what they used before.
    changed: Vec<Inst>,
    before: Vec<Value>,
}

/// An address, what accesses of one block have instead, and how many more may have it.
#[derive(Clone, Copy)]
struct Own {
    address: Value,
    value: Value,
    left: u32,
}

/// The terms of an address.
#[derive(Default)]
struct Terms {
    base: Option<Value>,
    /// The index, and by how much it is shifted.
    index: Option<(Value, Option<Value>)>,
    symbol: Option<Value>,
    number: i64,
    /// How many instructions go away if no other access wants them.
    sums: u32,
    /// Whether one of them has several users or stands in another block.
    is_shared: bool,
}

struct Pass<'a> {
    func: &'a Function,
    loops: &'a LoopForest,
    uses: &'a Uses,
    pointer: Type,
    free: &'a mut Vec<u32>,
}

/// Gives accesses of `func` addresses of their own; `pointer` is the type of addresses.
pub fn fold_addresses(
    func: &mut Function,
    pointer: Type,
    loops: &LoopForest,
    uses: &mut Uses,
    scratch: &mut AddressScratch,
) -> Changed {
    if loops.num_loops() == 0 {
        return Changed::Nothing;
    }
    // Dead accesses do not count as users.
    let had_dead = Changed::dead(uses.remove_dead(func));
    scratch.free.clear();
    scratch.free.resize(func.num_values(), 0);
    let mut pass = Pass { func, loops, uses, pointer, free: &mut scratch.free };
    pass.count_leaving();
    if !pass.count() {
        return had_dead;
    }
    scratch.changed.clear();
    scratch.before.clear();
    let made = func.num_insts();
    let mut at = func.layout.entry();
    while let Some(block) = at {
        scratch.own.clear();
        let mut next = func.layout.first_inst(block).filter(|_| loops.depth(block) > 0);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            if let InstData::Load { address, .. } | InstData::Store { address, .. } = *func.inst(inst) {
                give_address(func, (loops, uses), pointer, scratch, inst, address);
            }
        }
        at = func.layout.next_block(block);
    }
    if scratch.changed.is_empty() {
        return had_dead;
    }
    // Not before: what is free is told from the counts of the beginning.
    scratch.before.iter().for_each(|&value| uses.withdraw(value));
    let made = (made..func.num_insts()).map(Inst::new);
    made.chain(scratch.changed.iter().copied()).for_each(|inst| uses.count_new(func, inst, inst));
    uses.drop_unused(func);
    Changed::Instructions
}

/// Gives `access` an address of its own if that is worth while.
fn give_address(
    func: &mut Function,
    (loops, uses): (&LoopForest, &Uses),
    pointer: Type,
    scratch: &mut AddressScratch,
    access: Inst,
    address: Value,
) {
    // A load, an operation and a store are one instruction if they have one address.
    let known = scratch.own.iter_mut().rev().take(MAX_OWN).find(|own| own.address == address && own.left > 0);
    let value = match known {
        Some(own) => {
            own.left -= 1;
            own.value
        }
        None => {
            let pass = Pass { func, loops, uses, pointer, free: &mut scratch.free };
            let Some(terms) = pass.terms(access, address) else { return };
            let left = if terms.number == 0 { MAX_SHARED - 1 } else { u32::MAX };
            let Some(value) = rebuild(func, pointer, access, address, terms) else { return };
            scratch.own.push(Own { address, value, left });
            value
        }
    };
    func.for_each_operand(access, |operand| scratch.before.push(operand));
    scratch.changed.push(access);
    func.map_operands(access, |operand| if operand == address { value } else { operand });
}

impl Pass<'_> {
    /// Counts the free uses of all values. Whether any sum has several.
    fn count(&mut self) -> bool {
        let func = self.func;
        let mut any = false;
        let mut at = func.layout.last_block();
        while let Some(block) = at {
            let mut next = func.layout.last_inst(block).filter(|_| self.loops.depth(block) > 0);
            while let Some(inst) = next {
                next = func.layout.prev_inst(inst);
                match *func.inst(inst) {
                    InstData::Load { address, .. } | InstData::Store { address, .. } => {
                        any |= self.note(inst, address);
                    }
                    InstData::Binary { op: BinaryOp::Add | BinaryOp::Shl, args } if self.is_free(inst) => {
                        for arg in args {
                            any |= self.note(inst, arg);
                        }
                    }
                    _ => {}
                }
            }
            at = func.layout.prev_block(block);
        }
        any
    }

    /// Counts the uses by phis on edges out of the loops of the values: these are computed [there](crate::exit_edges) if
    /// nothing else needs them.
    fn count_leaving(&mut self) {
        let (func, loops) = (self.func, self.loops);
        for_each_leaving(func, loops, |one| {
            let def = func.defining_inst(one.value).and_then(|def| func.layout.block_of(def));
            if def.is_some_and(|def| loops.innermost(def) == loops.innermost(one.from)) {
                self.free[one.value.index()] += 1;
            }
        });
    }

    /// Notes that `user`, which is free or an access, uses `value`. Whether that is a sum or scale of the same loop with
    /// several users.
    fn note(&mut self, user: Inst, value: Value) -> bool {
        let Some(def) = self.func.defining_inst(value) else { return false };
        let in_loop = |inst| {
            let block = self.func.layout.block_of(inst)?;
            Some(self.loops.innermost(block))
        };
        let is_near = self.parts(def).is_some() && in_loop(def) == in_loop(user);
        if is_near {
            self.free[value.index()] += 1;
        }
        is_near && self.uses.count_if_known(value) > 1
    }

    /// The operands of a sum of addresses, or of a scale.
    fn parts(&self, inst: Inst) -> Option<(BinaryOp, [Value; 2])> {
        match *self.func.inst(inst) {
            InstData::Binary { op: BinaryOp::Add, args } if self.func.value_type(args[0]) == self.pointer => {
                Some((BinaryOp::Add, args))
            }
            InstData::Binary { op: BinaryOp::Shl, args }
                if self.func.value_type(args[0]) == self.pointer
                    && matches!(self.func.int_value(args[1]), Some(1..=3)) =>
            {
                Some((BinaryOp::Shl, args))
            }
            _ => None,
        }
    }

    /// Whether nothing but addresses is made of the result of `inst`.
    fn is_free(&self, inst: Inst) -> bool {
        self.func.result(inst).is_some_and(|result| {
            let free = self.free.get(result.index()).copied().unwrap_or(0);
            free > 0 && free == self.uses.count_if_known(result)
        })
    }

    /// Whether `inst`, `x + number`, is the next value of the phi `x`, and for the rest addresses.
    fn is_step(&self, inst: Inst, x: Value) -> bool {
        let (Some(phi), Some(result)) = (self.func.defining_inst(x), self.func.result(inst)) else {
            return false;
        };
        self.free[result.index()] + 1 == self.uses.count_if_known(result)
            && matches!(*self.func.inst(phi), InstData::Phi { incoming }
            if self.func.incoming(incoming).iter().take(4).any(|&(value, _)| value == result))
    }

    /// Whether `access` is a load only for the comparison by which its block ends.
    fn decides_branch(&self, access: Inst) -> bool {
        let only_user = |inst| self.uses.only_user_in_block(self.func, inst, self.func.result(inst)?);
        let comparison = only_user(access);
        let branch = comparison
            .filter(|&inst| matches!(self.func.inst(inst), InstData::Icmp { .. }))
            .and_then(only_user);
        branch.is_some_and(|inst| matches!(self.func.inst(inst), InstData::CondBr { .. }))
    }

    /// The terms of `address`, which `access` uses, if it is worth while to give it an address of its own.
    fn terms(&self, access: Inst, address: Value) -> Option<Terms> {
        let def = self.func.defining_inst(address)?;
        let (BinaryOp::Add, _) = self.parts(def)? else { return None };
        let mut terms = Terms::default();
        if !self.is_free(def) {
            let (x, number) = self.step(access, def)?;
            terms = Terms { base: Some(x), number, ..terms };
            return terms.fit().then_some(terms);
        }
        let fits = self.add(&mut terms, address, access, MAX_DEPTH) && terms.fit();
        // A sum of a register and a number is folded wherever it stands.
        let is_plain = terms.sums == 1 && (terms.number != 0 || terms.symbol.is_some());
        (fits && terms.is_shared && !is_plain).then_some(terms)
    }

    /// The present value of the phi whose next one `def` is, and the number between them, if the present one serves `access`.
    fn step(&self, access: Inst, def: Inst) -> Option<(Value, i64)> {
        let (BinaryOp::Add, [x, number]) = self.parts(def)? else { return None };
        let number = self.func.int_value(number)?;
        (self.is_step(def, x) && !self.decides_branch(access)).then_some((x, number))
    }

    /// Adds the terms of `value`, a part of the address of `access`. Whether there is room.
    fn add(&self, terms: &mut Terms, value: Value, access: Inst, depth: u32) -> bool {
        if let Some(number) = self.func.int_value(value) {
            terms.number = terms.number.wrapping_add(number);
            return true;
        }
        if self.func.is_constant(value) {
            return terms.symbol.replace(value).is_none();
        }
        let Some(def) = self.func.defining_inst(value).filter(|_| depth > 0) else {
            return terms.add_register(value);
        };
        if !self.is_free(def) {
            let Some((x, number)) = self.step(access, def) else { return terms.add_register(value) };
            terms.sums += 1;
            terms.is_shared = true;
            terms.number = terms.number.wrapping_add(number);
            return terms.add_register(x);
        }
        let Some((op, [a, b])) = self.parts(def) else { return terms.add_register(value) };
        terms.sums += 1;
        terms.is_shared |= self.uses.count_if_known(value) > 1
            || self.func.layout.block_of(def) != self.func.layout.block_of(access);
        match op {
            BinaryOp::Add => self.add(terms, a, access, depth - 1) && self.add(terms, b, access, depth - 1),
            _ => !self.func.is_constant(a) && terms.index.replace((a, Some(b))).is_none(),
        }
    }
}

impl Terms {
    /// Adds a register. Whether there is room.
    fn add_register(&mut self, value: Value) -> bool {
        match self.base {
            None => {
                self.base = Some(value);
                true
            }
            // A second one is an index without scale.
            Some(_) => self.index.replace((value, None)).is_none(),
        }
    }

    /// Whether an operand takes them all.
    fn fit(&self) -> bool {
        let has_room = self.symbol.is_none() || self.base.is_none() || self.index.is_none();
        has_room && self.number.unsigned_abs() <= MAX_NUMBER as u64
    }
}

/// Computes `terms`, those of `address`, in front of `access`.
fn rebuild(func: &mut Function, pointer: Type, access: Inst, address: Value, terms: Terms) -> Option<Value> {
    let origin = func.defining_inst(address).unwrap_or(access);
    let make = |func: &mut Function, op, a, b| {
        let new = insert(func, access, origin, InstData::Binary { op, args: [a, b] }, pointer);
        func.result(new).expect("the type is not void")
    };
    let index = terms.index.map(|(index, amount)| match amount {
        Some(amount) => make(func, BinaryOp::Shl, index, amount),
        None => index,
    });
    let number = (terms.number != 0).then(|| func.make_int(pointer, terms.number));
    // The number is outermost.
    let parts = [terms.symbol, terms.base, index, number].into_iter().flatten();
    parts.reduce(|sum, part| make(func, BinaryOp::Add, sum, part))
}
