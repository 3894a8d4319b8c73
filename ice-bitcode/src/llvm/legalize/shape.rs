//! What the function reader must know of a type at once: its kind, and the first of its parts.
//!
//! One entry a type, computed from the [type table](crate::llvm::wire::types) and the [parts](super::legal) when a module is
//! read, so that the common case of a body (one part, a scalar) costs one load.

use alloc::vec::Vec;

use ice_ir::Type;

use super::lanes::native_vector;
use super::legal::Legal;
use crate::llvm::wire::data_layout::DataLayout;
use crate::llvm::wire::types::{LlvmType, TypeId, TypeTable};

/// A scalar, alone or as a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// An integer of this many bits. Pointers are integers of their width.
    Int(u32),
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// IEEE binary16, by its bits.
    Half,
    /// bfloat16, by its bits.
    BFloat,
    /// The 80 bits of the x87 unit, in the parts of an integer of that width.
    Extended,
    /// IEEE binary128, by its bits in a vector.
    Quad,
}

impl Scalar {
    /// How many parts it has.
    #[must_use]
    pub const fn parts(self) -> u32 {
        match self {
            Scalar::Int(bits) => bits.div_ceil(64),
            Scalar::Extended => 2,
            _ => 1,
        }
    }

    /// How many bits it has.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) => bits,
            Scalar::Float => 32,
            Scalar::Double => 64,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::Extended => 80,
            Scalar::Quad => 128,
        }
    }

    /// The type of its first part.
    #[must_use]
    pub const fn part(self) -> Type {
        match self {
            Scalar::Int(bits) => super::legal::int_type(bits),
            Scalar::Float => Type::F32,
            Scalar::Double => Type::F64,
            Scalar::Half | Scalar::BFloat => Type::I16,
            Scalar::Extended => Type::I64,
            Scalar::Quad => Type::V2I64,
        }
    }

    /// Whether it is a floating-point number.
    #[must_use]
    pub const fn is_float(self) -> bool {
        !matches!(self, Scalar::Int(_))
    }
}

/// What a type is, as far as instructions tell it apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// No value.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// A vector.
    Vector(VectorShape),
    /// A struct or an array.
    Aggregate,
    /// No values of the type can be made; the [parts](Legal::parts) say why.
    Other,
}

/// A vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VectorShape {
    /// Type of a lane.
    pub lane: Scalar,
    /// Number of lanes.
    pub lanes: u32,
    /// The vector type of its parts; without one every lane has parts of its own.
    pub native: Option<Type>,
}

impl VectorShape {
    /// Whether its only part has lanes to spare.
    #[must_use]
    pub const fn is_short(self) -> bool {
        match self.native {
            Some(native) => self.lanes < native.lanes(),
            None => false,
        }
    }

    /// The type of its parts if these are its lanes and no others.
    #[must_use]
    pub const fn whole(self) -> Option<Type> {
        if self.is_short() { None } else { self.native }
    }
}

/// One type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What it is.
    pub kind: Kind,
    /// Number of parts; 0 for no value and for what is refused.
    pub parts: u32,
    /// The type of the first part.
    pub first: Type,
}

/// The shapes of all types of a module.
#[derive(Clone, Debug, Default)]
pub struct Shapes(Vec<Shape>);

impl Shapes {
    /// Computes the shapes of all types.
    #[must_use]
    pub fn compute(types: &TypeTable, layout: &DataLayout, legal: &Legal) -> Shapes {
        let scalar = |ty| match ty {
            LlvmType::Int(bits) => Some(Scalar::Int(bits)),
            LlvmType::Pointer => Some(Scalar::Int(layout.pointer_bytes * 8)),
            LlvmType::Float => Some(Scalar::Float),
            LlvmType::Double => Some(Scalar::Double),
            LlvmType::Half => Some(Scalar::Half),
            LlvmType::BFloat => Some(Scalar::BFloat),
            LlvmType::X86Fp80 => Some(Scalar::Extended),
            LlvmType::Fp128 => Some(Scalar::Quad),
            _ => None,
        };
        let shape = |(id, ty)| {
            let Ok(parts) = legal.parts(id) else {
                return Shape { kind: Kind::Other, parts: 0, first: Type::Void };
            };
            let kind = match ty {
                LlvmType::Void => Kind::Void,
                LlvmType::Vector { element, lanes } => {
                    let native = native_vector(types.get(element), lanes, layout, legal.machine());
                    let vector = |lane| Kind::Vector(VectorShape { lane, lanes, native });
                    scalar(types.get(element)).map_or(Kind::Other, vector)
                }
                LlvmType::Struct { .. } | LlvmType::Array { .. } => Kind::Aggregate,
                ty => scalar(ty).map_or(Kind::Other, Kind::Scalar),
            };
            let first = parts.first().map_or(Type::Void, |part| part.ty);
            Shape { kind, parts: parts.len() as u32, first }
        };
        Shapes(types.iter().map(shape).collect())
    }

    /// The shape of `ty`.
    #[inline]
    #[must_use]
    pub fn get(&self, ty: TypeId) -> Shape {
        self.0[ty.as_u32() as usize]
    }
}
