//! Which ICE values stand for a value of an LLVM type that is a vector.
//!
//! A vector is native vectors of the IR where it is a whole number of them, or on some machines a *short* one: a native
//! vector with lanes to spare, in which anything may be. Else it is parts for each lane, which travel to and from
//! functions in as few values as have room for them.

use alloc::vec::Vec;

use ice_ir::Type;

use super::legal::{Part, push_scalar};
use super::machine::MachineDescription;
use crate::llvm::wire::data_layout::DataLayout;
use crate::llvm::wire::types::LlvmType;

/// The ICE vector that `lanes` × `element` is made of, if any: the vector itself if ICE has it, else the native
/// vector of the same lanes that it is a multiple of, or the lower lanes of. This is the one place that decides it.
#[must_use]
pub fn native_vector(
    element: LlvmType,
    lanes: u32,
    layout: &DataLayout,
    machine: &MachineDescription,
) -> Option<Type> {
    let has_two = machine.has_two_lanes;
    let native = match element {
        LlvmType::Int(1) => {
            let whole = lanes.is_multiple_of(16).then_some(Type::V16I1);
            let fits = |ty: &Type| ty.is_stable() || has_two && !ty.is_wide();
            return Type::vector(Type::I1, lanes).filter(fits).or(whole);
        }
        LlvmType::Int(64) if has_two => Type::V2I64,
        LlvmType::Double if has_two => Type::V2F64,
        LlvmType::Pointer if layout.pointer_bytes == 8 && has_two => Type::V2I64,
        LlvmType::Int(8) => Type::V16I8,
        LlvmType::Int(16) => Type::V8I16,
        LlvmType::Int(32) => Type::V4I32,
        LlvmType::Float => Type::V4F32,
        LlvmType::Pointer if layout.pointer_bytes == 4 => Type::V4I32,
        _ => return None,
    };
    let is_short =
        machine.shuffles_lanes && (2..native.lanes()).contains(&lanes) && !are_words(element, lanes, machine);
    (is_short || lanes.is_multiple_of(native.lanes())).then_some(native)
}

/// Whether lanes are passed as so many words: LLVM widens them to no vector that is native (`getVectorTypeBreakdown` of its
/// `TargetLoweringBase.cpp`).
fn are_words(element: LlvmType, lanes: u32, machine: &MachineDescription) -> bool {
    machine.has_doubleword_vectors && machine.shuffles_lanes && (element, lanes) == (LlvmType::Int(8), 3)
}

/// Appends the parts of a vector: native vectors where [`native_vector`] has one, else one part (or more, of wide
/// integers) a lane. Lanes follow each other without gaps, bit by bit.
pub(super) fn vector_parts(
    parts: &mut Vec<Part>,
    element: LlvmType,
    lanes: u32,
    layout: &DataLayout,
    machine: &MachineDescription,
) {
    let lane_bits = match element {
        LlvmType::Int(bits) => bits,
        LlvmType::Float => 32,
        LlvmType::Double => 64,
        LlvmType::Fp128 => 128,
        LlvmType::Pointer => layout.pointer_bytes * 8,
        _ => 16,
    };
    if let Some(ty) = native_vector(element, lanes, layout, machine) {
        let bits = ty.bits();
        let count = lanes.div_ceil(ty.lanes());
        let used = bits.min(lanes.saturating_mul(lane_bits));
        parts.extend((0..count).map(|i| Part {
            offset: i * (bits / 8),
            ty,
            bits: used as u8,
            shift: 0,
            together: 1,
            carrier: match machine.has_doubleword_vectors && used <= 64 && element != LlvmType::Int(1) {
                true => Type::F64,
                false => ty,
            },
        }));
        return;
    }
    let start = parts.len();
    for lane in 0..lanes {
        let bit = u64::from(lane) * u64::from(lane_bits);
        push_scalar(parts, element, layout, machine, ((bit / 8) as u32, (bit % 8) as u8));
    }
    if let Some(carrier) = vector_carrier(element, lanes, lane_bits, machine) {
        for lanes in parts[start..].chunks_mut((128 / lane_bits) as usize) {
            let together = lanes.len() as u8;
            lanes.iter_mut().for_each(|part| (part.together, part.carrier) = (0, carrier));
            lanes[0].together = together;
        }
    }
}

/// The type of the values in which the lanes of a vector travel that is no native one, as many as one has room for.
fn vector_carrier(
    element: LlvmType,
    lanes: u32,
    lane_bits: u32,
    machine: &MachineDescription,
) -> Option<Type> {
    use LlvmType::*;
    let has_doublewords = machine.has_doubleword_vectors;
    match (element, lanes.saturating_mul(lane_bits)) {
        (Int(8 | 16 | 32 | 64) | Float | Double | Pointer, 64) if has_doublewords => Some(Type::F64),
        (Half | BFloat, 64) if has_doublewords && machine.half_vectors.is_some() => Some(Type::F64),
        (Int(64) | Double, bits) if has_doublewords && bits.is_multiple_of(128) => Some(Type::V4I32),
        (Half | BFloat, bits)
            if machine.half_vectors.is_some() && (bits < 128 || bits.is_multiple_of(128)) =>
        {
            machine.half_vectors
        }
        // There is no smaller register: lanes are widened until they fill it.
        (Int(8 | 16), ..64) if has_doublewords && matches!(lanes, 2 | 4) => Some(Type::F64),
        (Int(8 | 16 | 32), _) if lanes == 1 && machine.has_single_lanes => Some(Type::F64),
        _ if lanes == 1 || are_words(element, lanes, machine) => None,
        (Int(8), ..128) => Some(Type::V16I8),
        (Int(16), ..128) => Some(Type::V8I16),
        (Int(32), ..128) => Some(Type::V4I32),
        (Float, ..128) => Some(Type::V4F32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const FROZEN: MachineDescription = MachineDescription::PORTABLE;
    const TWO_LANES: MachineDescription = MachineDescription { has_two_lanes: true, ..FROZEN };
    const DOUBLEWORDS: MachineDescription = MachineDescription { has_doubleword_vectors: true, ..FROZEN };

    fn vector(element: LlvmType, lanes: u32) -> Vec<(Type, u32, u8)> {
        vector_of(&FROZEN, element, lanes)
    }

    fn vector_of(machine: &MachineDescription, element: LlvmType, lanes: u32) -> Vec<(Type, u32, u8)> {
        let mut parts = Vec::new();
        vector_parts(&mut parts, element, lanes, &DataLayout::default(), machine);
        parts.iter().map(|p| (p.ty, p.offset, p.shift)).collect()
    }

    #[test]
    fn vectors_are_native_or_lane_by_lane() {
        use LlvmType::*;
        assert_eq!(vector(Int(8), 16), [(Type::V16I8, 0, 0)]);
        assert_eq!(vector(Int(32), 8), [(Type::V4I32, 0, 0), (Type::V4I32, 16, 0)]);
        assert_eq!(vector(Int(1), 8), [(Type::V8I1, 0, 0)]);
        assert_eq!(vector(Int(1), 32), [(Type::V16I1, 0, 0), (Type::V16I1, 2, 0)]);
        assert_eq!(vector(Double, 2), [(Type::F64, 0, 0), (Type::F64, 8, 0)]);
        assert_eq!(vector(Int(32), 3), [(Type::I32, 0, 0), (Type::I32, 4, 0), (Type::I32, 8, 0)]);
        assert_eq!(vector(Int(5), 3), [(Type::I8, 0, 0), (Type::I8, 0, 5), (Type::I8, 1, 2)]);
        assert_eq!(vector(Int(128), 1), [(Type::I64, 0, 0), (Type::I64, 8, 0)]);
        assert_eq!(vector(Float, 2), vec![(Type::F32, 0, 0), (Type::F32, 4, 0)]);
    }

    #[test]
    fn short_vectors_are_the_lower_lanes_of_native_ones() {
        use LlvmType::*;
        let parts = |element, lanes| {
            let machine = MachineDescription { shuffles_lanes: true, ..TWO_LANES };
            let mut parts = Vec::new();
            vector_parts(&mut parts, element, lanes, &DataLayout::default(), &machine);
            parts.iter().map(|part| (part.ty, part.bits)).collect::<Vec<_>>()
        };
        assert_eq!(parts(Int(8), 3), [(Type::V16I8, 24)]);
        assert_eq!(parts(Float, 2), [(Type::V4F32, 64)]);
        assert_eq!(parts(Float, 1), [(Type::F32, 32)]);
        assert_eq!(parts(Float, 5), [(Type::F32, 32); 5]);
        assert_eq!(parts(Int(16), 16), [(Type::V8I16, 128); 2]);
        assert_eq!(parts(Int(1), 3), [(Type::I1, 1); 3]);
        assert_eq!(parts(Int(1), 2), [(Type::V2I1, 2)]);
    }

    #[test]
    fn lanes_of_short_vectors_travel_together() {
        let passed = |element, lanes| {
            let mut parts = Vec::new();
            vector_parts(&mut parts, element, lanes, &DataLayout::default(), &FROZEN);
            crate::llvm::legalize::signature::units(&parts).map(|unit| unit.ty).collect::<Vec<_>>()
        };
        assert_eq!(passed(LlvmType::Float, 2), [Type::V4F32]);
        assert_eq!(passed(LlvmType::Int(8), 15), [Type::V16I8]);
        assert_eq!(passed(LlvmType::Int(32), 1), [Type::I32]);
        assert_eq!(passed(LlvmType::Int(32), 5), [Type::I32; 5]);
        assert_eq!(passed(LlvmType::Int(5), 3), [Type::I8; 3]);
        assert_eq!(passed(LlvmType::Float, 4), [Type::V4F32]);
        let carrier = |machine, lanes| vector_carrier(LlvmType::Int(16), lanes, 16, machine);
        assert_eq!([2, 3, 4].map(|lanes| carrier(&TWO_LANES, lanes)), [Some(Type::V8I16); 3]);
        assert_eq!(carrier(&DOUBLEWORDS, 2), Some(Type::F64));
        assert_eq!(vector_carrier(LlvmType::Int(64), 4, 64, &DOUBLEWORDS), Some(Type::V4I32));
        let single = MachineDescription { has_single_lanes: true, ..DOUBLEWORDS };
        let carrier = |machine, bits| vector_carrier(LlvmType::Int(bits), 1, bits, machine);
        assert_eq!([8, 16, 32].map(|bits| carrier(&single, bits)), [Some(Type::F64); 3]);
        assert_eq!([8, 16, 32].map(|bits| carrier(&DOUBLEWORDS, bits)), [None; 3]);
        assert_eq!(carrier(&single, 128), None);
    }

    #[test]
    fn two_lanes_are_native_where_the_target_has_them() {
        use LlvmType::*;
        assert_eq!(vector(Int(1), 2), [(Type::I1, 0, 0), (Type::I1, 0, 1)]);
        let vector = |element, lanes| vector_of(&TWO_LANES, element, lanes);
        assert_eq!(vector(Int(64), 4), [(Type::V2I64, 0, 0), (Type::V2I64, 16, 0)]);
        assert_eq!(vector(Double, 2), [(Type::V2F64, 0, 0)]);
        assert_eq!(vector(Int(1), 2), [(Type::V2I1, 0, 0)]);
        assert_eq!(vector(Double, 3).len(), 3);
    }
}
