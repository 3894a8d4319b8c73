//! New instructions in front of others.

use ice_ir::{Function, Inst, InstData, Type, Value};

/// Puts `data`, whose result is of the type `ty`, in front of `place`, for the same place of the source as `origin`.
pub(crate) fn insert(func: &mut Function, place: Inst, origin: Inst, data: InstData, ty: Type) -> Inst {
    let new = func.make_inst_for(origin, data, ty);
    func.layout.insert_before(place, new);
    new
}

/// The result of `data`, put in front of `inst` for the same place of the source; `ty` is not void.
pub(crate) fn before(func: &mut Function, inst: Inst, data: InstData, ty: Type) -> Value {
    let new = insert(func, inst, inst, data, ty);
    func.result(new).expect("the type is not void")
}
