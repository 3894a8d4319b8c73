//! Modules in the making: declarations and bodies of functions of the process.

use ice_ir::{
    Filtered, FuncId, Function, FunctionBuilder, FunctionKind, GlobalDecl, Initializer, Linkage, Module,
    Mutability, Name, SigId, Signature, Symbol, Type, Value,
};

/// A module and the bodies of its functions.
pub struct ModuleBuilder {
    module: Module,
    bodies: Vec<Function>,
    filter: Filtered,
}

impl ModuleBuilder {
    /// An empty one, with addresses of 64 bits.
    pub fn new() -> ModuleBuilder {
        ModuleBuilder { module: Module::native(Type::I64), bodies: Vec::new(), filter: Filtered::default() }
    }

    /// Declares a function that has a body.
    pub fn define(&mut self, name: &str, signature: Signature) -> FuncId {
        self.module.add_function(name, signature, FunctionKind::Defined)
    }

    /// The signature of a function.
    pub fn signature(&self, function: FuncId) -> SigId {
        self.module.functions[function].signature
    }

    /// Builds the body of a function from its parameters.
    pub fn body(&mut self, id: FuncId, build: impl FnOnce(&mut FunctionBuilder<'_>, &[Value])) {
        let mut body = Function::new();
        let mut b = FunctionBuilder::filtered(&mut body, &mut self.filter);
        b.begin(id, self.module.signature(id));
        let params = b.func.params().to_vec();
        build(&mut b, &params);
        self.bodies.push(body);
    }

    /// Adds a variable with the addresses of symbols.
    pub fn table(&mut self, name: &str, symbols: impl Iterator<Item = Symbol>) {
        let start = self.module.initializers.len() as u32;
        self.module.initializers.extend(symbols.map(|target| Initializer::Address { target, addend: 0 }));
        let contents = start..self.module.initializers.len() as u32;
        let decl = GlobalDecl {
            linkage: Linkage::External,
            ..GlobalDecl::new(Name::default(), Some(3), Mutability::Constant, contents)
        };
        let id = self.module.globals.push(decl);
        self.module.set_symbol_name(Symbol::Global(id), name.bytes());
    }

    /// The module and the bodies in the order of the functions.
    pub fn finish(mut self) -> (Module, Vec<Function>) {
        self.bodies.sort_by_key(|body| body.id);
        (self.module, self.bodies)
    }
}
