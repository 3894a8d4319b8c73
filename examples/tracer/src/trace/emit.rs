//! From a tree to a function of the IR.
//!
//! The function takes the address of the frame, the heap and the globals, and gives the number of the exit that it was left
//! by, or -1 if a slot has not the type that the tree is for. Slots that every trace hands on as they are are loaded
//! once; the others are phis at the head of the loop, which stand in registers. Where a trace is left, what the
//! interpreter would have in its registers is written to them.
//!
//! All goes through the builder's filter, which folds constants, guards on them among these.

use super::helpers::Helper;
use super::ir::{Ref, TraceOp};
use super::tree::{End, ExitId, Segment, Tree, TreeId};
use crate::value::{Tag, layout};
use ice_ir::{
    BinaryOp, Block, CastOp, Filtered, FloatCond, FuncId, Function, FunctionBuilder, FunctionKind, IntCond,
    Intrinsic, Module, SigId, Signature, TailHint, Type, Value,
};

/// What the function gives if the types do not fit.
pub const MISMATCH: i64 = -1;

/// The symbol of a helper.
pub fn symbol(helper: Helper) -> String {
    format!("tracer.{}", Helper::ALL[helper as usize].1)
}

/// Builds the function of a tree, under a name of its own.
pub fn build(trees: &[Tree], id: TreeId, name: &str) -> (Module, Function) {
    let mut module = Module::native(Type::I64);
    let declarations = Declarations::new(&mut module, name);
    let (mut body, mut filter) = (Function::new(), Filtered::new());
    let mut builder = FunctionBuilder::filtered(&mut body, &mut filter);
    let signature = module.signature(declarations.trace).clone();
    builder.begin(declarations.trace, &signature);
    let tree = &trees[id.0 as usize];
    let mut emitter = Emitter {
        params: [0, 1, 2].map(|n| builder.func.params()[n]),
        b: builder,
        trees,
        tree,
        declarations: &declarations,
        values: vec![None; tree.ops.len() as usize],
        waiting: Vec::new(),
        backs: Vec::new(),
    };
    emitter.tree();
    (module, body)
}

/// Functions that the code refers to.
struct Declarations {
    trace: FuncId,
    helpers: Vec<FuncId>,
    sqrt: FuncId,
    /// The type of a tree's function.
    signature: SigId,
}

impl Declarations {
    fn new(module: &mut Module, name: &str) -> Declarations {
        let words = |count| Signature::new(vec![Type::I64; count], Type::I64);
        let trace = module.add_function(name, words(3), FunctionKind::Defined);
        let signature = module.functions[trace].signature;
        let helper = |&(helper, ..): &(Helper, &str, _)| {
            module.add_function(&symbol(helper), words(4), FunctionKind::Declared)
        };
        let helpers = Helper::ALL.iter().map(helper).collect();
        let (float, kind) =
            (Signature::new(vec![Type::F64], Type::F64), FunctionKind::Intrinsic(Intrinsic::Sqrt));
        let sqrt = module.add_function("llvm.sqrt.f64", float, kind);
        Declarations { trace, helpers, sqrt, signature }
    }
}

/// A piece of code that a guard has left for later.
struct Waiting {
    block: Block,
    exit: ExitId,
    /// What the code of a loop inside has given.
    inner: Option<Value>,
}

struct Emitter<'a> {
    b: FunctionBuilder<'a>,
    trees: &'a [Tree],
    tree: &'a Tree,
    declarations: &'a Declarations,
    /// Frame, heap and globals.
    params: [Value; 3],
    /// By operation.
    values: Vec<Option<Value>>,
    waiting: Vec<Waiting>,
    /// Ways back to the head, with the values of its slots.
    backs: Vec<(Block, Vec<Value>)>,
}

/// The type in the IR of payloads.
fn ir_type(tag: Tag) -> Type {
    match tag {
        Tag::Float => Type::F64,
        Tag::Bool => Type::I1,
        _ => Type::I64,
    }
}

impl Emitter<'_> {
    fn int(&mut self, number: i64) -> Value {
        self.b.int_const(Type::I64, number)
    }

    fn address(&mut self, base: Value, offset: i32) -> Value {
        let offset = self.int(offset.into());
        self.b.binary(BinaryOp::Add, base, offset)
    }

    fn value(&self, at: Ref) -> Value {
        self.values[at.0 as usize].expect("an operation comes after those that it uses")
    }

    /// A payload as 64 bits.
    fn bits(&mut self, at: Ref) -> Value {
        let value = self.value(at);
        match self.tree.ops.tag(at) {
            Tag::Float => self.b.cast(CastOp::Bitcast, value, Type::I64),
            Tag::Bool => self.b.cast(CastOp::Zext, value, Type::I64),
            _ => value,
        }
    }

    /// 64 bits as a payload.
    fn of_bits(&mut self, bits: Value, tag: Tag) -> Value {
        match tag {
            Tag::Float => self.b.cast(CastOp::Bitcast, bits, Type::F64),
            Tag::Bool => {
                let zero = self.int(0);
                self.b.icmp(IntCond::Ne, bits, zero)
            }
            _ => bits,
        }
    }

    fn load_payload(&mut self, address: Value, tag: Tag) -> Value {
        if tag == Tag::Float {
            return self.b.load(Type::F64, address, 3);
        }
        let bits = self.b.load(Type::I64, address, 3);
        self.of_bits(bits, tag)
    }

    fn store_payload(&mut self, address: Value, at: Ref) {
        let value = match self.tree.ops.tag(at) {
            Tag::Bool => self.bits(at),
            _ => self.value(at),
        };
        self.b.store(address, value, 3);
    }

    // ---- the loop

    /// Whether some trace changes a slot of the head.
    fn varies(&self, index: usize) -> bool {
        self.tree.segments().any(|segment| match &segment.end {
            End::Loop(values) => values[index] != Ref(index as u32),
            End::Exit(_) => false,
        })
    }

    fn tree(&mut self) {
        let entry = self.b.create_block();
        let (head, body, mismatch) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.switch_to_block(entry);
        self.check_types(mismatch);
        // The first operations are the slots of the head.
        let (mut first, mut phis) = (Vec::new(), Vec::new());
        for (index, &(slot, tag)) in self.tree.header.iter().enumerate() {
            let address = self.address(self.params[0], slot * layout::VALUE + layout::PAYLOAD);
            let value = self.load_payload(address, tag);
            let varies = self.varies(index);
            let at_head = if varies { self.b.func.make_forward(ir_type(tag)) } else { value };
            self.values[index] = Some(at_head);
            if varies {
                phis.push((index, at_head));
                first.push(value);
            }
        }
        let before = self.b.current_block().expect("no terminator was built");
        self.b.br(head);
        self.b.switch_to_block(body);
        if let Some(trunk) = &self.tree.trunk {
            self.segment(trunk, head);
        }
        while let Some(waiting) = self.waiting.pop() {
            self.left(waiting, head);
        }
        self.b.switch_to_block(mismatch);
        let number = self.int(MISMATCH);
        self.b.ret(Some(number));
        self.b.switch_to_block(head);
        for ((index, phi), first) in phis.into_iter().zip(first) {
            let mut incoming = vec![(first, before)];
            incoming.extend(self.backs.iter().map(|(block, values)| (values[index], *block)));
            self.b.define_next_as(phi);
            let ty = self.b.func.value_type(phi);
            self.b.phi(ty, &incoming);
        }
        self.b.br(body);
    }

    /// Goes on only if the slots of the head have the types of the tree.
    fn check_types(&mut self, mismatch: Block) {
        for &(slot, tag) in &self.tree.header {
            let address = self.address(self.params[0], slot * layout::VALUE + layout::TAG);
            let actual = self.b.load(Type::I64, address, 3);
            let expected = self.int(tag as i64);
            let fits = self.b.icmp(IntCond::Eq, actual, expected);
            let next = self.b.create_block();
            self.b.cond_br(fits, next, mismatch);
            self.b.switch_to_block(next);
        }
    }

    fn segment(&mut self, segment: &Segment, head: Block) {
        for at in segment.ops.clone() {
            let (op, tag) = (self.tree.ops.get(Ref(at)), self.tree.ops.tag(Ref(at)));
            if matches!(op, TraceOp::Entry { .. }) {
                continue;
            }
            let Some(value) = self.op(op, tag) else { return };
            self.values[at as usize] = Some(value);
        }
        match &segment.end {
            End::Exit(exit) => self.leave(*exit, None),
            End::Loop(values) => {
                let values = values.iter().map(|&value| self.value(value)).collect();
                let block = self.b.current_block().expect("no terminator was built");
                self.backs.push((block, values));
                self.b.br(head);
            }
        }
    }

    /// What an exit does: a branch, or the way back to the interpreter.
    fn left(&mut self, Waiting { block, exit, inner }: Waiting, head: Block) {
        self.b.switch_to_block(block);
        for (expected, segment) in self.tree.branches_at(exit) {
            let (Some(expected), Some(actual)) = (expected, inner) else {
                return self.segment(segment, head);
            };
            let number = self.int(expected.0.into());
            let is_expected = self.b.icmp(IntCond::Eq, actual, number);
            let (here, other) = (self.b.create_block(), self.b.create_block());
            self.b.cond_br(is_expected, here, other);
            self.b.switch_to_block(here);
            self.segment(segment, head);
            self.b.switch_to_block(other);
        }
        self.leave(exit, inner);
    }

    /// Writes the live slots of an exit, but for those that have not changed.
    fn write_slots(&mut self, exit: ExitId) {
        let tree = self.tree;
        for &(slot, value) in &tree.exit(exit).slots {
            let is_entry = matches!(tree.ops.get(value), TraceOp::Entry { slot: own } if own == slot);
            if is_entry && !self.varies(value.0 as usize) {
                continue;
            }
            let tag = self.int(tree.ops.tag(value) as i64);
            let address = self.address(self.params[0], slot * layout::VALUE + layout::TAG);
            self.b.store(address, tag, 3);
            let address = self.address(self.params[0], slot * layout::VALUE + layout::PAYLOAD);
            self.store_payload(address, value);
        }
    }

    fn leave(&mut self, exit: ExitId, inner: Option<Value>) {
        match inner {
            // The slots were written before the loop inside.
            Some(inner) => {
                let cell = self.int((&raw const self.tree.cell.inner).expose_provenance() as i64);
                self.b.store(cell, inner, 3);
            }
            None => self.write_slots(exit),
        }
        let number = self.int(exit.0.into());
        self.b.ret(Some(number));
    }

    // ---- operations

    /// Emits an operation; nothing if the code behind it is never reached.
    fn op(&mut self, op: TraceOp, tag: Tag) -> Option<Value> {
        Some(match op {
            TraceOp::Entry { .. } | TraceOp::Frame => self.params[0],
            TraceOp::Globals => self.params[2],
            TraceOp::Constant { payload } => match tag {
                Tag::Float => self.b.f64_const(f64::from_bits(payload)),
                _ => self.b.int_const(ir_type(tag), payload as i64),
            },
            TraceOp::Binary { op, args: [a, b] } => {
                let (a, b) = (self.value(a), self.value(b));
                self.b.binary(op, a, b)
            }
            TraceOp::IntCompare { cond, args: [a, b] } => {
                let (a, b) = (self.bits(a), self.bits(b));
                self.b.icmp(cond, a, b)
            }
            TraceOp::FloatCompare { cond, args: [a, b] } => self.float_compare(cond, a, b),
            TraceOp::ToFloat(a) => {
                let a = self.value(a);
                self.b.cast(CastOp::Sitofp, a, Type::F64)
            }
            TraceOp::ToInt(a) => {
                let a = self.value(a);
                self.b.cast(CastOp::Fptosi, a, Type::I64)
            }
            TraceOp::Sqrt(a) => {
                let args = [self.value(a)];
                let callee = self.declarations.sqrt;
                let root = self.b.call_intrinsic(Intrinsic::Sqrt, callee, &args, Type::F64, TailHint::None);
                root.expect("a float")
            }
            TraceOp::Load { address, offset, .. } => {
                let address = self.value(address);
                let address = self.address(address, offset);
                self.load_payload(address, tag)
            }
            TraceOp::LoadByte { address } => {
                let address = self.value(address);
                let byte = self.b.load(Type::I8, address, 0);
                self.b.cast(CastOp::Zext, byte, Type::I64)
            }
            TraceOp::Store { address, offset, value, .. } => {
                let address = self.value(address);
                let address = self.address(address, offset);
                self.store_payload(address, value);
                address
            }
            TraceOp::Call { helper, args } => {
                let [a, b, c] = args.map(|arg| self.bits(arg));
                let callee = self.declarations.helpers[helper as usize];
                let bits = self.b.call(callee, &[self.params[1], a, b, c], Type::I64, TailHint::None);
                self.of_bits(bits.expect("a number"), tag)
            }
            TraceOp::Guard { condition, expected, exit } => return self.guard(condition, expected, exit),
            TraceOp::CallTree { tree, base, expected, exit } => self.call_tree(tree, base, expected, exit),
        })
    }

    fn float_compare(&mut self, cond: FloatCond, a: Ref, b: Ref) -> Value {
        let (a, b) = (self.value(a), self.value(b));
        self.b.fcmp(cond, a, b)
    }

    fn guard(&mut self, condition: Ref, expected: bool, exit: ExitId) -> Option<Value> {
        let condition = self.value(condition);
        if let Some(constant) = self.b.func.int_value(condition) {
            if (constant & 1 != 0) == expected {
                return Some(condition);
            }
            // It was seen otherwise when the operands were not known.
            self.leave(exit, None);
            return None;
        }
        let (next, block) = (self.b.create_block(), self.b.create_block());
        let (if_true, if_false) = if expected { (next, block) } else { (block, next) };
        self.b.cond_br(condition, if_true, if_false);
        self.waiting.push(Waiting { block, exit, inner: None });
        self.b.switch_to_block(next);
        Some(condition)
    }

    fn call_tree(&mut self, inner: TreeId, base: i32, expected: ExitId, exit: ExitId) -> Value {
        self.write_slots(exit);
        // Read each time: code is made anew when the tree grows.
        let cell = &self.trees[inner.0 as usize].cell.entry;
        let cell = self.int((&raw const *cell).expose_provenance() as i64);
        let entry = self.b.load(Type::I64, cell, 3);
        let frame = self.address(self.params[0], base * layout::VALUE);
        let args = [entry, frame, self.params[1], self.params[2]];
        let left = self.b.call_as(self.declarations.signature, &args, Type::I64, TailHint::None);
        let left = left.expect("a number");
        let number = self.int(expected.0.into());
        let is_expected = self.b.icmp(IntCond::Eq, left, number);
        let (next, block) = (self.b.create_block(), self.b.create_block());
        self.b.cond_br(is_expected, next, block);
        self.waiting.push(Waiting { block, exit, inner: Some(left) });
        self.b.switch_to_block(next);
        left
    }
}
