//! `bcmp` of a small constant number of bytes: loads in place of a call (as LLVM's ExpandMemCmp makes it of `bcmp`).
//!
//! The bytes of both sides are loaded as words, the last of them overlapping the one before where that is fewer loads. The
//! result is 1 where any two differ. clang writes `memcmp` as `bcmp` where only its being zero is looked at.

use super::Body;
use crate::llvm::legalize::legal::int_type;
use ice_ir::{BinaryOp, FuncId, FunctionKind, IntCond, Module, Type, Value};

/// Most words that are loaded from each side.
const MAX_WORDS: u64 = 4;

/// The function `bcmp` of the library, if the module declares it as it is.
pub(in crate::llvm::legalize) fn declared(module: &Module) -> Option<FuncId> {
    library_function(module, b"bcmp", &[module.pointer_type; 3], Type::I32)
}

/// The function of the library with this name and these types, if the module declares it.
pub(super) fn library_function(module: &Module, name: &[u8], params: &[Type], ret: Type) -> Option<FuncId> {
    let is_it = |&(function, decl): &(FuncId, &ice_ir::FunctionDecl)| {
        let signature = module.signature(function);
        decl.kind == FunctionKind::Declared
            && module.name(decl.name) == name
            && signature.is_plain()
            && signature.params == params
            && signature.ret == ret
    };
    module.functions.iter().find(is_it).map(|(function, _)| function)
}

impl Body<'_, '_> {
    /// The result of `bcmp` with these arguments, if the number of bytes is constant and small.
    pub(super) fn compare_bytes(&mut self, args: &[Value]) -> Option<Value> {
        let &[a, b, length] = args else { return None };
        let length = self.b.func.int_value(length).and_then(|length| u64::try_from(length).ok())?;
        let word = u64::from(self.pointer().bytes());
        if length > MAX_WORDS * word {
            return None;
        }
        let (mut at, mut differences) = (0, None);
        while at < length {
            let left = length - at;
            let size = match left >= word {
                true => word,
                // One more byte than a power of two takes two loads, another number fewer if they overlap.
                false if left.is_power_of_two() || length < left.next_power_of_two() => 1 << left.ilog2(),
                false => left.next_power_of_two(),
            };
            at = at.min(length - size);
            let ty = int_type(size as u32 * 8);
            let [x, y] = [a, b].map(|side| {
                let address = self.offset(side, at as i64);
                self.b.load(ty, address, 0)
            });
            let difference = self.b.binary(BinaryOp::Xor, x, y);
            differences = Some(match differences {
                None => difference,
                Some(before) => {
                    let difference = self.resize_zero(difference, self.ty_of(before));
                    self.b.binary(BinaryOp::Or, before, difference)
                }
            });
            at += size;
        }
        let Some(differences) = differences else { return Some(self.int(Type::I32, 0)) };
        let differ = self.icmp_int(IntCond::Ne, differences, 0);
        Some(self.resize_zero(differ, Type::I32))
    }
}
