//! Small programs from closures.

use std::collections::BTreeMap;

use ice_interpreter::{Interpreter, Limits, Outcome, Scalar, Trap};
use ice_ir::{
    FuncId, Function, FunctionBuilder, FunctionDecl, FunctionKind, GlobalDecl, GlobalId, Initializer,
    Linkage, Mutability, Program, Signature, Symbol, TailHint, Type, Value, intrinsics,
};

pub type Builder<'f> = FunctionBuilder<'f>;

/// A program under construction.
#[derive(Default)]
pub struct Fixture {
    pub program: Program,
    bodies: BTreeMap<FuncId, Function>,
}

pub const LIMITS: Limits = Limits { steps: 1_000_000, memory: 64 << 20, stack: 1 << 16, call_depth: 1000 };

impl Fixture {
    pub fn declare(&mut self, name: &str, params: &[Type], ret: Type, kind: FunctionKind) -> FuncId {
        let module = &mut self.program.module;
        let signature = module.signatures.push(Signature::new(params.to_vec(), ret));
        let name = module.make_name(name.bytes());
        module.functions.push(FunctionDecl::new(name, signature, Linkage::External, kind))
    }

    pub fn function(
        &mut self,
        name: &str,
        params: &[Type],
        ret: Type,
        build: impl FnOnce(&mut Builder<'_>, &[Value]),
    ) -> FuncId {
        let id = self.declare(name, params, ret, FunctionKind::Defined);
        self.define(id, build);
        id
    }

    pub fn define(&mut self, id: FuncId, build: impl FnOnce(&mut Builder<'_>, &[Value])) {
        let mut function = Function::new();
        let mut b = FunctionBuilder::new(&mut function);
        b.begin(id, self.program.module.signature(id));
        let entry = b.create_block();
        b.switch_to_block(entry);
        let params = b.func.params().to_vec();
        build(&mut b, &params);
        self.bodies.insert(id, function);
    }

    pub fn global(&mut self, mutability: Mutability, align_log2: u8, inits: &[Initializer]) -> GlobalId {
        let module = &mut self.program.module;
        let start = module.initializers.len() as u32;
        module.initializers.extend_from_slice(inits);
        let initializers = start..module.initializers.len() as u32;
        module.globals.push(GlobalDecl::new(Default::default(), Some(align_log2), mutability, initializers))
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Initializer {
        let data = &mut self.program.module.data;
        let start = data.len() as u32;
        data.extend_from_slice(bytes);
        Initializer::Bytes { start, len: bytes.len() as u32 }
    }

    pub fn finish(self) -> Program {
        let mut program = self.program;
        program.bodies = self.bodies.into_values().collect();
        program
    }
}

/// A call of the intrinsic `name` from a builder. Execution does not look at the declaration.
pub fn intrinsic(b: &mut Builder<'_>, name: &str, args: &[Value]) -> Option<Value> {
    let decl = intrinsics::find(name.as_bytes()).unwrap();
    let types: Vec<Type> = args.iter().map(|&a| b.func.value_type(a)).collect();
    assert_eq!(types, decl.params, "{name}");
    b.call_intrinsic(decl.op, FuncId::from_u32(0), args, decl.ret, TailHint::None)
}

pub fn i32c(b: &mut Builder<'_>, n: i64) -> Value {
    b.int_const(Type::I32, n)
}

pub fn global_address(b: &mut Builder<'_>, global: GlobalId) -> Value {
    b.address(Symbol::Global(global), Type::I32)
}

pub fn function_address(b: &mut Builder<'_>, f: FuncId) -> Value {
    b.address(Symbol::Function(f), Type::I32)
}

/// A program of one function.
pub fn single(params: &[Type], ret: Type, build: impl FnOnce(&mut Builder<'_>, &[Value])) -> Program {
    let mut fixture = Fixture::default();
    fixture.function("f", params, ret, build);
    fixture.finish()
}

/// Runs function 0 of a program in fresh memory.
pub fn run(program: &Program, args: &[Scalar]) -> Result<Outcome, Trap> {
    Interpreter::with_limits(program, LIMITS)?.call(FuncId::from_u32(0), args)
}
