//! Names of things: `u32` newtypes that index dense vectors and print as in the text form.

use cranelift_entity::entity_impl;

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    };
}

entity!(
    /// A value of one function: parameter, constant, address or instruction result.
    Value, "v"
);
entity!(
    /// An instruction of one function.
    Inst, "inst"
);
entity!(
    /// A basic block of one function.
    Block, "block"
);
entity!(
    /// The case table of one switch.
    SwitchTable, "switch"
);
entity!(
    /// An inline assembly statement of one function.
    AssemblyId, "asm"
);
entity!(
    /// What a call that an exception may leave says beside its arguments.
    Invocation, "invocation"
);
entity!(
    /// What a landing pad wants of exceptions.
    Pad, "pad"
);
entity!(
    /// A function of the module, declared or defined.
    FuncId, "func"
);
entity!(
    /// A global variable of the module.
    GlobalId, "global"
);
entity!(
    /// A function signature of the module.
    SigId, "sig"
);
entity!(
    /// A section group of the module.
    ComdatId, "comdat"
);

/// Something with an address: the target of a relocation, an entry of the symbol table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Symbol {
    /// A function.
    Function(FuncId),
    /// A global variable.
    Global(GlobalId),
}
