//! The module that an expression becomes.

use super::ENTRY;
use crate::bytes::ByteSet;
use ice_ir::{
    FuncId, Function, FunctionKind, GlobalDecl, GlobalId, Initializer, Intrinsic, Linkage, Module,
    Mutability, Name, Program, Signature, Symbol, Type,
};

/// How places are looked for where a match may begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scan {
    /// By vectors, on machines that make an integer of a vector of conditions at no cost.
    Vectors,
    /// Byte by byte.
    Bytes,
}

/// What of a machine decides over the IR.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    /// The type of addresses and of lengths.
    pub(crate) pointer: Type,
    pub(crate) scan: Scan,
    /// Who sees [`ENTRY`].
    pub(crate) entry: Linkage,
}

/// `(text, length, start, memory) -> outcome`.
fn entry_signature(machine: Machine) -> Signature {
    Signature::new(vec![machine.pointer; 4], Type::I32)
}

/// A table of 256 bytes, each of which has a bit for each of eight sets of bytes.
struct SetTable {
    global: GlobalId,
    /// The first byte in the data of the module.
    start: usize,
    sets: Vec<ByteSet>,
}

/// A module that is being made.
pub(crate) struct Unit {
    pub(crate) machine: Machine,
    pub(crate) module: Module,
    pub(crate) bodies: Vec<Function>,
    tables: Vec<SetTable>,
    trailing_zeros: Option<FuncId>,
}

impl Unit {
    /// A module with [`ENTRY`], which has number 0, and no body yet.
    pub(crate) fn new(machine: Machine) -> Unit {
        let module = Module::native(machine.pointer);
        let mut unit = Unit { machine, module, bodies: Vec::new(), tables: Vec::new(), trailing_zeros: None };
        unit.declare(ENTRY, entry_signature(machine), FunctionKind::Defined);
        unit
    }

    /// The module and its bodies.
    pub(crate) fn finish(self) -> Program {
        Program { module: self.module, bodies: self.bodies }
    }

    /// A function; others than [`ENTRY`] are not seen from outside.
    pub(crate) fn declare(&mut self, name: &str, signature: Signature, kind: FunctionKind) -> FuncId {
        let linkage = match kind {
            FunctionKind::Defined if name == ENTRY => self.machine.entry,
            FunctionKind::Defined => Linkage::Internal,
            _ => Linkage::External,
        };
        let id = self.module.add_function(name, signature, kind);
        self.module.functions[id].linkage = linkage;
        id
    }

    /// The intrinsic that counts the zeros below the lowest one of an `i32`.
    pub(super) fn trailing_zeros(&mut self) -> FuncId {
        if let Some(id) = self.trailing_zeros {
            return id;
        }
        let signature = Signature::new(vec![Type::I32, Type::I1], Type::I32);
        let id = self.declare("llvm.cttz.i32", signature, FunctionKind::Intrinsic(Intrinsic::Cttz));
        *self.trailing_zeros.insert(id)
    }

    /// Constant bytes.
    pub(super) fn constant(&mut self, bytes: &[u8], align_log2: u8) -> Symbol {
        let module = &mut self.module;
        let (start, len) = (module.data.len() as u32, bytes.len() as u32);
        module.data.extend(bytes);
        module.initializers.push(Initializer::Bytes { start, len });
        let end = module.initializers.len() as u32;
        let decl = GlobalDecl::new(Name::default(), Some(align_log2), Mutability::Constant, end - 1..end);
        Symbol::Global(module.globals.push(decl))
    }

    /// Constant numbers of 16 bits.
    pub(super) fn constant_words(&mut self, words: &[u16]) -> Symbol {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.constant(&bytes, 1)
    }

    /// The table with the bits of a set, and which bit that is.
    pub(super) fn set_bit(&mut self, set: &ByteSet) -> (Symbol, u8) {
        for table in &self.tables {
            if let Some(bit) = table.sets.iter().position(|known| known == set) {
                return (Symbol::Global(table.global), bit as u8);
            }
        }
        if self.tables.last().is_none_or(|table| table.sets.len() == 8) {
            let start = self.module.data.len();
            let Symbol::Global(global) = self.constant(&[0; 256], 6) else {
                unreachable!("it is a constant")
            };
            self.tables.push(SetTable { global, start, sets: Vec::new() });
        }
        let table = self.tables.last_mut().expect("one was made");
        let bit = table.sets.len() as u8;
        table.sets.push(*set);
        for byte in set.iter() {
            self.module.data[table.start + usize::from(byte)] |= 1 << bit;
        }
        (Symbol::Global(table.global), bit)
    }
}
