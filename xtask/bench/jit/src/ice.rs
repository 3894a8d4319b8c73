//! The functions through the builder of `ice-ir` and through `ice-jit`.

use crate::builder::{Access, Backend, Body, Cast, Cond, Define, Func, Op, Signature, Ty};
use ice_driver::Recipe;
use ice_ir::{BinaryOp, Block, CastOp, FloatCond, FuncId, Function, FunctionBuilder};
use ice_ir::{FunctionKind, InstData, IntCond, Module, TailHint, Type, Value};
use ice_jit::{Jit, LoadedModule};

/// A module on its way.
pub struct Ice {
    jit: Jit,
    module: Module,
    bodies: Vec<Function>,
    loaded: Option<LoadedModule>,
}

impl Ice {
    /// An empty module.
    pub fn new(recipe: Recipe) -> anyhow::Result<Ice> {
        let jit = Jit::new(recipe)?;
        let module = jit.module();
        Ok(Ice { jit, module, bodies: Vec::new(), loaded: None })
    }
}

fn ir(ty: Ty) -> Type {
    match ty {
        Ty::I32 => Type::I32,
        Ty::I64 => Type::I64,
        Ty::F64 => Type::F64,
    }
}

fn ir_signature(signature: &Signature) -> ice_ir::Signature {
    ice_ir::Signature::new(signature.params.iter().map(|&ty| ir(ty)).collect(), ir(signature.result))
}

fn name(func: Func) -> String {
    format!("f{}", func.0)
}

impl Backend for Ice {
    fn declare(&mut self, signature: &Signature) -> anyhow::Result<Func> {
        let func = Func(self.module.functions.len() as u32);
        self.module.add_function(&name(func), ir_signature(signature), FunctionKind::Defined);
        Ok(func)
    }

    fn define(&mut self, func: Func, signature: &Signature, definition: &impl Define) -> anyhow::Result<()> {
        let mut function = Function::new();
        let mut b = FunctionBuilder::new(&mut function);
        b.begin(FuncId::from_u32(func.0), &ir_signature(signature));
        let block = b.create_block();
        b.switch_to_block(block);
        definition.define(&mut IceBody { b, block, module: &self.module });
        self.bodies.push(function);
        Ok(())
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.loaded = Some(self.jit.load(&self.module, &self.bodies)?);
        Ok(())
    }

    fn address(&self, func: Func) -> anyhow::Result<*const ()> {
        let loaded = self.loaded.as_ref().ok_or_else(|| anyhow::anyhow!("the module is not finished"))?;
        Ok(loaded.function_address(&name(func))?.cast())
    }
}

struct IceBody<'a> {
    b: FunctionBuilder<'a>,
    block: Block,
    module: &'a Module,
}

/// The block that is gone round to, where it is come from first, its phis.
struct Loop {
    head: Block,
    phis: Vec<Value>,
}

/// The blocks behind the arms, the end of the first arm, its values.
struct Choice {
    second: Block,
    end: Block,
    first_end: Option<Block>,
    values: Vec<Value>,
}

impl IceBody<'_> {
    fn switch_to(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.block = block;
    }

    fn at(&mut self, address: Value, offset: i32) -> Value {
        if offset == 0 {
            return address;
        }
        let offset = self.b.int_const(Type::I64, offset.into());
        self.b.binary(BinaryOp::Add, address, offset)
    }
}

impl Body for IceBody<'_> {
    type Value = Value;
    type Loop = Loop;
    type Choice = Choice;

    fn param(&self, index: usize) -> Value {
        self.b.func.params()[index]
    }

    fn int(&mut self, ty: Ty, number: i64) -> Value {
        self.b.int_const(ir(ty), number)
    }

    fn float(&mut self, number: f64) -> Value {
        self.b.f64_const(number)
    }

    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let op = match op {
            Op::Add => BinaryOp::Add,
            Op::Sub => BinaryOp::Sub,
            Op::Mul => BinaryOp::Mul,
            Op::Div => BinaryOp::Sdiv,
            Op::And => BinaryOp::And,
            Op::Or => BinaryOp::Or,
            Op::Xor => BinaryOp::Xor,
            Op::Shl => BinaryOp::Shl,
            Op::Shr => BinaryOp::Lshr,
            Op::Fadd => BinaryOp::Fadd,
            Op::Fsub => BinaryOp::Fsub,
            Op::Fmul => BinaryOp::Fmul,
            Op::Fdiv => BinaryOp::Fdiv,
        };
        self.b.binary(op, a, b)
    }

    fn cast(&mut self, cast: Cast, value: Value) -> Value {
        let (op, ty) = match cast {
            Cast::ZeroExtend => (CastOp::Zext, Type::I64),
            Cast::SignExtend => (CastOp::Sext, Type::I64),
            Cast::Truncate => (CastOp::Trunc, Type::I32),
            Cast::ToFloat => (CastOp::Sitofp, Type::F64),
        };
        self.b.cast(op, value, ty)
    }

    fn compare(&mut self, cond: Cond, a: Value, b: Value) -> Value {
        let cond = match cond {
            Cond::Equal => IntCond::Eq,
            Cond::NotEqual => IntCond::Ne,
            Cond::Less => IntCond::Slt,
            Cond::LessOrEqual => IntCond::Sle,
            Cond::UnsignedLess => IntCond::Ult,
        };
        self.b.icmp(cond, a, b)
    }

    fn float_less(&mut self, a: Value, b: Value) -> Value {
        self.b.fcmp(FloatCond::Olt, a, b)
    }

    fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.b.select(cond, a, b)
    }

    fn load(&mut self, access: Access, address: Value, offset: i32) -> Value {
        let address = self.at(address, offset);
        match access {
            Access::Whole(ty) => self.b.load(ir(ty), address, ir(ty).bytes().ilog2() as u8),
            Access::Byte => {
                let byte = self.b.load(Type::I8, address, 0);
                self.b.cast(CastOp::Zext, byte, Type::I32)
            }
        }
    }

    fn store(&mut self, access: Access, address: Value, offset: i32, value: Value) {
        let address = self.at(address, offset);
        let (value, align_log2) = match access {
            Access::Whole(ty) => (value, ir(ty).bytes().ilog2() as u8),
            Access::Byte => (self.b.cast(CastOp::Trunc, value, Type::I8), 0),
        };
        self.b.store(address, value, align_log2);
    }

    fn call(&mut self, callee: Func, args: &[Value]) -> Value {
        let callee = FuncId::from_u32(callee.0);
        let result = self.module.signature(callee).ret;
        self.b.call(callee, args, result, TailHint::None).expect("every function has a result")
    }

    fn ret(&mut self, value: Value) {
        self.b.ret(Some(value));
    }

    fn begin_loop(&mut self, init: &[Value]) -> (Loop, Vec<Value>) {
        let (before, head) = (self.block, self.b.create_block());
        self.b.br(head);
        self.switch_to(head);
        // The second pair is filled in when the end of the loop is known.
        let phi = |&value: &Value| {
            let ty = self.b.func.value_type(value);
            self.b.phi(ty, &[(value, before), (value, head)])
        };
        let phis: Vec<Value> = init.iter().map(phi).collect();
        (Loop { head, phis: phis.clone() }, phis)
    }

    fn end_loop(&mut self, construct: Loop, again: Value, next: &[Value]) {
        let (latch, exit) = (self.block, self.b.create_block());
        self.b.cond_br(again, construct.head, exit);
        for (&phi, &value) in construct.phis.iter().zip(next) {
            let inst = self.b.func.defining_inst(phi).expect("a phi is an instruction");
            let InstData::Phi { incoming } = *self.b.func.inst(inst) else { continue };
            self.b.func.incoming_mut(incoming)[1] = (value, latch);
        }
        self.switch_to(exit);
    }

    fn begin_choice(&mut self, cond: Value) -> Choice {
        let [first, second, end] = [(); 3].map(|()| self.b.create_block());
        self.b.cond_br(cond, first, second);
        self.switch_to(first);
        Choice { second, end, first_end: None, values: Vec::new() }
    }

    fn otherwise(&mut self, construct: &mut Choice, values: &[Value]) {
        construct.first_end = Some(self.block);
        construct.values.extend_from_slice(values);
        self.b.br(construct.end);
        self.switch_to(construct.second);
    }

    fn end_choice(&mut self, construct: Choice, values: &[Value]) -> Vec<Value> {
        let second_end = self.block;
        self.b.br(construct.end);
        self.switch_to(construct.end);
        let first_end = construct.first_end.expect("a choice has two arms");
        let arms = construct.values.iter().zip(values);
        let mut join = |(&first, &second): (&Value, &Value)| {
            let ty = self.b.func.value_type(first);
            self.b.phi(ty, &[(first, first_end), (second, second_end)])
        };
        arms.map(&mut join).collect()
    }
}
