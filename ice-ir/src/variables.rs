//! Variables of a source language: assigned to as often as the program says, in SSA form in the end.
//!
//! Problem: a front end walks its tree once, and where control flow joins it would have to know which variables differ on
//! the ways there, for loops before it has seen them. Method: that of Braun, Buchwald, Hack, Leißa, Mallon and Zwinkau,
//! "Simple and Efficient Construction of Static Single Assignment Form" (2013), with all blocks sealed at once: a read that
//! no assignment of its own block comes before gives a value that is *announced* for the start of the block, and
//! [`finish`](Variables::finish), which knows all edges, makes each announced value a phi or, where all ways bring the
//! same, that value.
//!
//! Only variables that are read get phis, and none whose operands are itself and one other value; on reducible control flow
//! that is the least number. Cost: linear in reads, edges of blocks with phis, and instructions.

use crate::builder::FunctionBuilder;
use crate::entities::{Block, Value};
use crate::function::Function;
use crate::instruction::InstData;
use crate::types::Type;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};

/// A variable of the source language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(u32);
entity_impl!(Variable, "variable");

/// The variables of one function that is being built.
///
/// ```
/// use ice_ir::{BinaryOp, FuncId, Function, FunctionBuilder, IntCond, Signature, Type, Variables};
///
/// // i64 (i64 n) { i64 product = 1; while (n != 0) { product = product * n; n = n - 1; } return product; }
/// let signature = Signature::new(vec![Type::I64], Type::I64);
/// let mut function = Function::new();
/// let mut b = FunctionBuilder::new(&mut function);
/// b.begin(FuncId::from_u32(0), &signature);
/// let [entry, head, body, end] = [(); 4].map(|()| b.create_block());
/// let mut variables = Variables::new();
/// let [n, product] = [(); 2].map(|()| variables.declare(Type::I64));
/// b.switch_to_block(entry);
/// let (parameter, one, zero) = (b.func.params()[0], b.int_const(Type::I64, 1), b.int_const(Type::I64, 0));
/// variables.set(&b, n, parameter);
/// variables.set(&b, product, one);
/// b.br(head);
/// b.switch_to_block(head);
/// let left = variables.get(&mut b, n);
/// let more = b.icmp(IntCond::Ne, left, zero);
/// b.cond_br(more, body, end);
/// b.switch_to_block(body);
/// let (left, so_far) = (variables.get(&mut b, n), variables.get(&mut b, product));
/// let (next, less) = (b.binary(BinaryOp::Mul, so_far, left), b.binary(BinaryOp::Sub, left, one));
/// variables.set(&b, product, next);
/// variables.set(&b, n, less);
/// b.br(head);
/// b.switch_to_block(end);
/// let result = variables.get(&mut b, product);
/// b.ret(Some(result));
/// variables.finish(&mut function);
/// // Two phis, at the head of the loop.
/// assert_eq!(function.block_insts(head).count(), 4);
/// ```
#[derive(Clone, Default, Debug)]
pub struct Variables {
    types: PrimaryMap<Variable, Type>,
    /// What variables hold at the end of blocks that assign to them, or behind the last assignment so far.
    assigned: BTreeMap<(Block, Variable), Value>,
    /// The announced values, by number.
    announced: Vec<Announced>,
    numbers: BTreeMap<(Block, Variable), usize>,
}

/// What a variable holds at the start of a block.
#[derive(Clone, Copy, Debug)]
struct Announced {
    block: Block,
    variable: Variable,
    value: Value,
}

impl Variables {
    /// No variables.
    pub fn new() -> Variables {
        Variables::default()
    }

    /// Forgets all variables, for the next function; keeps what memory it can.
    pub fn clear(&mut self) {
        self.types.clear();
        self.assigned.clear();
        self.announced.clear();
        self.numbers.clear();
    }

    /// A new variable. What it holds before it is assigned to is [undefined](crate::ValueDef::Undef).
    pub fn declare(&mut self, ty: Type) -> Variable {
        self.types.push(ty)
    }

    /// The type of a variable.
    pub fn value_type(&self, variable: Variable) -> Type {
        self.types[variable]
    }

    /// Assigns `value` where the builder is.
    ///
    /// # Panics
    /// The value has another type than the variable; the builder is in no block.
    pub fn set(&mut self, b: &FunctionBuilder<'_>, variable: Variable, value: Value) {
        assert_eq!(b.func.value_type(value), self.types[variable], "the type of what {variable} gets");
        let block = b.current_block().expect("an assignment needs a block");
        self.assigned.insert((block, variable), value);
    }

    /// What a variable holds where the builder is.
    ///
    /// # Panics
    /// The builder is in no block.
    pub fn get(&mut self, b: &mut FunctionBuilder<'_>, variable: Variable) -> Value {
        let block = b.current_block().expect("a read needs a block");
        self.at_end(b.func, block, variable)
    }

    /// What a variable holds at the end of a block, as far as that is known.
    fn at_end(&mut self, func: &mut Function, block: Block, variable: Variable) -> Value {
        if let Some(&value) = self.assigned.get(&(block, variable)) {
            return value;
        }
        let number = *self.numbers.entry((block, variable)).or_insert_with(|| {
            let value = func.make_forward(self.types[variable]);
            self.announced.push(Announced { block, variable, value });
            self.announced.len() - 1
        });
        self.announced[number].value
    }

    /// Puts the function into SSA form: all blocks have their terminators, and none is added later. The variables are
    /// those of a new function then, without any.
    pub fn finish(&mut self, func: &mut Function) {
        let incoming = self.incoming(func);
        let mut replaced = self.replacements(func, &incoming);
        for (announced, pairs) in self.announced.iter().zip(&incoming) {
            if replaced.has(announced.value) {
                func.abandon_forward(announced.value);
            } else {
                let incoming = func.make_incoming(pairs);
                let phi = func.make_inst_defining(InstData::Phi { incoming }, announced.value);
                match func.layout.first_inst(announced.block) {
                    Some(first) => func.layout.insert_before(first, phi),
                    None => func.layout.append_inst(announced.block, phi),
                }
            }
        }
        let insts: Vec<_> = func.blocks().flat_map(|block| func.block_insts(block)).collect();
        for inst in insts {
            func.map_operands(inst, |value| replaced.find(value));
        }
        self.clear();
    }

    /// What comes to each announced value over each edge to its block. More values are announced meanwhile.
    fn incoming(&mut self, func: &mut Function) -> Vec<Vec<(Value, Block)>> {
        let mut preds = alloc::vec![Vec::new(); func.num_blocks()];
        for block in func.blocks() {
            func.for_each_successor(block, |successor| preds[successor.index()].push(block));
        }
        let mut all = Vec::new();
        while let Some(&Announced { block, variable, .. }) = self.announced.get(all.len()) {
            let preds = &preds[block.index()];
            all.push(preds.iter().map(|&pred| (self.at_end(func, pred, variable), pred)).collect());
        }
        all
    }

    /// The announced values that are others: all that comes to them is themselves and one other value. What is announced
    /// late is near the assignments, so it is looked at first.
    fn replacements(&self, func: &mut Function, incoming: &[Vec<(Value, Block)>]) -> Replaced {
        let mut replaced = Replaced::default();
        let mut users: BTreeMap<Value, Vec<usize>> = BTreeMap::new();
        for (user, pairs) in incoming.iter().enumerate() {
            pairs.iter().for_each(|&(value, _)| users.entry(value).or_default().push(user));
        }
        let mut waiting: Vec<usize> = (0..incoming.len()).collect();
        while let Some(number) = waiting.pop() {
            let Announced { variable, value: own, .. } = self.announced[number];
            if replaced.has(own) {
                continue;
            }
            let other = match replaced.only_other(own, &incoming[number]) {
                Others::Several => continue,
                Others::One(value) => value,
                // Nothing that was assigned comes here.
                Others::None => func.make_undef(self.types[variable]),
            };
            replaced.by[own] = other.into();
            let mut users_of_own = users.remove(&own).unwrap_or_default();
            users_of_own.retain(|&user| !replaced.has(self.announced[user].value));
            waiting.extend_from_slice(&users_of_own);
            users.entry(other).or_default().append(&mut users_of_own);
        }
        replaced
    }
}

/// Values that others stand for.
#[derive(Default)]
struct Replaced {
    by: SecondaryMap<Value, PackedOption<Value>>,
}

/// What comes to a block beside the value itself.
enum Others {
    None,
    One(Value),
    Several,
}

impl Replaced {
    fn has(&self, value: Value) -> bool {
        self.by[value].is_some()
    }

    /// What stands for a value in the end; later questions are answered in fewer steps.
    fn find(&mut self, value: Value) -> Value {
        let (mut end, mut next) = (value, value);
        while let Some(other) = self.by[end].expand() {
            end = other;
        }
        while let Some(other) = self.by[next].expand() {
            self.by[next] = end.into();
            next = other;
        }
        end
    }

    fn only_other(&mut self, own: Value, incoming: &[(Value, Block)]) -> Others {
        let mut found = None;
        for &(value, _) in incoming {
            let value = self.find(value);
            if value == own || found == Some(value) {
                continue;
            }
            if found.replace(value).is_some() {
                return Others::Several;
            }
        }
        found.map_or(Others::None, Others::One)
    }
}
