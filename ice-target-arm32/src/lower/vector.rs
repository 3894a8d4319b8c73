//! Vectors of 128 bits. They travel through loads, stores, calls, selects with a scalar condition and blocks;
//! what computes with their lanes is refused.

use crate::inst::{FloatSize, Inst};
use crate::target::{Arm32, Cx};
use ice_ir::mach::Sink;
use ice_ir::{BinaryOp, CastOp, Value};
use ice_passes::ErrorKind;

impl Arm32 {
    /// Any binary operator on vectors.
    pub(super) fn vector_binary<S: Sink<Inst>>(
        self,
        _: &mut Cx<'_, S>,
        _: BinaryOp,
        _: [Value; 2],
        _: Value,
    ) -> Result<(), ErrorKind> {
        Err(ErrorKind::Unsupported("arithmetic on vectors"))
    }

    /// A comparison of vectors.
    pub(super) fn vector_compare<S: Sink<Inst>>(
        self,
        _: &mut Cx<'_, S>,
        _: ice_ir::Inst,
        _: Value,
    ) -> Result<(), ErrorKind> {
        Err(ErrorKind::Unsupported("a comparison of vectors"))
    }

    /// A select lane by lane: condition, then values.
    pub(super) fn vector_select<S: Sink<Inst>>(
        self,
        _: &mut Cx<'_, S>,
        _: [Value; 3],
        _: Value,
    ) -> Result<(), ErrorKind> {
        Err(ErrorKind::Unsupported("a select by lanes"))
    }

    /// Conversions from or to a vector.
    pub(super) fn vector_cast<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        arg: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let is_quad = |value| {
            let ty = cx.func.value_type(value);
            ty.is_vector() && !ty.is_bool_or_bool_vector()
        };
        if op == CastOp::Bitcast && is_quad(arg) && is_quad(result) {
            self.move_float(cx, FloatSize::Quad, arg, result);
            return Ok(());
        }
        Err(ErrorKind::Unsupported("a conversion of vectors"))
    }

    /// One lane of a vector.
    pub(super) fn extract_element<S: Sink<Inst>>(
        self,
        _: &mut Cx<'_, S>,
        _: Value,
        _: Value,
        _: Value,
    ) -> Result<(), ErrorKind> {
        Err(ErrorKind::Unsupported("a lane of a vector"))
    }

    /// A vector with one lane replaced.
    pub(super) fn insert_element<S: Sink<Inst>>(
        self,
        _: &mut Cx<'_, S>,
        _: Value,
        _: Value,
        _: Value,
        _: Value,
    ) -> Result<(), ErrorKind> {
        Err(ErrorKind::Unsupported("a lane of a vector"))
    }
}
