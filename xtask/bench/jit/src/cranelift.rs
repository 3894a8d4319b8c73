//! The functions through the builder of `cranelift-frontend` and through `cranelift-jit`.

use crate::builder::{Access, Backend, Body, Cast, Cond, Define, Func, Op, Signature, Ty};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    self, AbiParam, BlockArg, InstBuilder, MemFlagsData, UserFuncName, Value, types,
};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};

/// A module on its way.
pub struct Cranelift {
    module: JITModule,
    context: cranelift_codegen::Context,
    builder: FunctionBuilderContext,
    results: Vec<Ty>,
}

impl Cranelift {
    /// An empty module; `options` are names and values of its settings.
    pub fn new(options: &[(&str, &str)]) -> anyhow::Result<Cranelift> {
        let mut flags = settings::builder();
        for (name, value) in options {
            flags.set(name, value)?;
        }
        let isa =
            cranelift_native::builder().map_err(anyhow::Error::msg)?.finish(settings::Flags::new(flags))?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        Ok(Cranelift { module, context, builder: FunctionBuilderContext::new(), results: Vec::new() })
    }
}

fn ir(ty: Ty) -> ir::Type {
    match ty {
        Ty::I32 => types::I32,
        Ty::I64 => types::I64,
        Ty::F64 => types::F64,
    }
}

impl Cranelift {
    fn signature(&self, signature: &Signature) -> ir::Signature {
        let mut result = self.module.make_signature();
        result.params.extend(signature.params.iter().map(|&ty| AbiParam::new(ir(ty))));
        result.returns.push(AbiParam::new(ir(signature.result)));
        result
    }
}

impl Backend for Cranelift {
    fn declare(&mut self, signature: &Signature) -> anyhow::Result<Func> {
        let name = format!("f{}", self.results.len());
        let id = self.module.declare_function(&name, Linkage::Export, &self.signature(signature))?;
        self.results.push(signature.result);
        Ok(Func(id.as_u32()))
    }

    fn define(&mut self, func: Func, signature: &Signature, definition: &impl Define) -> anyhow::Result<()> {
        self.context.func.signature = self.signature(signature);
        self.context.func.name = UserFuncName::user(0, func.0);
        let mut b = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let config = self.module.target_config();
        let mut body = CraneliftBody { b, entry, module: &mut self.module };
        definition.define(&mut body);
        body.b.seal_all_blocks();
        body.b.finalize(config);
        self.module.define_function(FuncId::from_u32(func.0), &mut self.context)?;
        self.module.clear_context(&mut self.context);
        Ok(())
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        Ok(self.module.finalize_definitions()?)
    }

    fn address(&self, func: Func) -> anyhow::Result<*const ()> {
        Ok(self.module.get_finalized_function(FuncId::from_u32(func.0)).cast())
    }
}

struct CraneliftBody<'a> {
    b: FunctionBuilder<'a>,
    entry: ir::Block,
    module: &'a mut JITModule,
}

/// The blocks behind the arms.
struct Choice {
    second: ir::Block,
    end: ir::Block,
}

fn block_args(values: &[Value]) -> Vec<BlockArg> {
    values.iter().copied().map(BlockArg::from).collect()
}

impl CraneliftBody<'_> {
    fn add_params(&mut self, block: ir::Block, like: &[Value]) {
        for &value in like {
            let ty = self.b.func.dfg.value_type(value);
            self.b.append_block_param(block, ty);
        }
    }
}

impl Body for CraneliftBody<'_> {
    type Value = Value;
    type Loop = ir::Block;
    type Choice = Choice;

    fn param(&self, index: usize) -> Value {
        self.b.block_params(self.entry)[index]
    }

    fn int(&mut self, ty: Ty, number: i64) -> Value {
        // An immediate of a narrow type has zeros above its width.
        let number = if ty == Ty::I32 { i64::from(number as u32) } else { number };
        self.b.ins().iconst(ir(ty), number)
    }

    fn float(&mut self, number: f64) -> Value {
        self.b.ins().f64const(number)
    }

    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let ins = self.b.ins();
        match op {
            Op::Add => ins.iadd(a, b),
            Op::Sub => ins.isub(a, b),
            Op::Mul => ins.imul(a, b),
            Op::Div => ins.sdiv(a, b),
            Op::And => ins.band(a, b),
            Op::Or => ins.bor(a, b),
            Op::Xor => ins.bxor(a, b),
            Op::Shl => ins.ishl(a, b),
            Op::Shr => ins.ushr(a, b),
            Op::Fadd => ins.fadd(a, b),
            Op::Fsub => ins.fsub(a, b),
            Op::Fmul => ins.fmul(a, b),
            Op::Fdiv => ins.fdiv(a, b),
        }
    }

    fn cast(&mut self, cast: Cast, value: Value) -> Value {
        let ins = self.b.ins();
        match cast {
            Cast::ZeroExtend => ins.uextend(types::I64, value),
            Cast::SignExtend => ins.sextend(types::I64, value),
            Cast::Truncate => ins.ireduce(types::I32, value),
            Cast::ToFloat => ins.fcvt_from_sint(types::F64, value),
        }
    }

    fn compare(&mut self, cond: Cond, a: Value, b: Value) -> Value {
        let cond = match cond {
            Cond::Equal => IntCC::Equal,
            Cond::NotEqual => IntCC::NotEqual,
            Cond::Less => IntCC::SignedLessThan,
            Cond::LessOrEqual => IntCC::SignedLessThanOrEqual,
            Cond::UnsignedLess => IntCC::UnsignedLessThan,
        };
        self.b.ins().icmp(cond, a, b)
    }

    fn float_less(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().fcmp(FloatCC::LessThan, a, b)
    }

    fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.b.ins().select(cond, a, b)
    }

    fn load(&mut self, access: Access, address: Value, offset: i32) -> Value {
        let flags = MemFlagsData::trusted();
        match access {
            Access::Whole(ty) => self.b.ins().load(ir(ty), flags, address, offset),
            Access::Byte => self.b.ins().uload8(types::I32, flags, address, offset),
        }
    }

    fn store(&mut self, access: Access, address: Value, offset: i32, value: Value) {
        let flags = MemFlagsData::trusted();
        match access {
            Access::Whole(_) => self.b.ins().store(flags, value, address, offset),
            Access::Byte => self.b.ins().istore8(flags, value, address, offset),
        };
    }

    fn call(&mut self, callee: Func, args: &[Value]) -> Value {
        let callee = self.module.declare_func_in_func(FuncId::from_u32(callee.0), self.b.func);
        let call = self.b.ins().call(callee, args);
        self.b.inst_results(call)[0]
    }

    fn ret(&mut self, value: Value) {
        self.b.ins().return_(&[value]);
    }

    fn begin_loop(&mut self, init: &[Value]) -> (ir::Block, Vec<Value>) {
        let head = self.b.create_block();
        self.add_params(head, init);
        self.b.ins().jump(head, &block_args(init));
        self.b.switch_to_block(head);
        (head, self.b.block_params(head).to_vec())
    }

    fn end_loop(&mut self, head: ir::Block, again: Value, next: &[Value]) {
        let exit = self.b.create_block();
        self.b.ins().brif(again, head, &block_args(next), exit, &[]);
        self.b.switch_to_block(exit);
    }

    fn begin_choice(&mut self, cond: Value) -> Choice {
        let [first, second, end] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().brif(cond, first, &[], second, &[]);
        self.b.switch_to_block(first);
        Choice { second, end }
    }

    fn otherwise(&mut self, construct: &mut Choice, values: &[Value]) {
        self.add_params(construct.end, values);
        self.b.ins().jump(construct.end, &block_args(values));
        self.b.switch_to_block(construct.second);
    }

    fn end_choice(&mut self, construct: Choice, values: &[Value]) -> Vec<Value> {
        self.b.ins().jump(construct.end, &block_args(values));
        self.b.switch_to_block(construct.end);
        self.b.block_params(construct.end).to_vec()
    }
}
