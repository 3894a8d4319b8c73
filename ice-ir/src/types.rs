//! The types of the frozen bitcode format, and vectors of two and of 256 bits that only native modules have: what a
//! value can be.
//!
//! Sizes are in bytes as stored in memory; `i1` occupies one byte in a register or a slot but is never in
//! program memory. A vector of `i1` fills a whole 128-bit register, one lane a boolean; 32 fill one of 256 bits.
//!
//! Vectors of 256 bits are for functions whose processors have such registers
//! ([`FunctionTraits`](crate::native::FunctionTraits)). There is arithmetic on them; single lanes are those of their
//! [halves](crate::InstData::Half).

use core::fmt;

/// The type of a value. There are no pointer types: an address is an integer as wide as
/// [`Module::pointer_type`](crate::Module::pointer_type) says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Type {
    /// No value; only a return type.
    Void,
    /// A boolean.
    I1,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// IEEE-754 binary32.
    F32,
    /// IEEE-754 binary64.
    F64,
    /// 4 booleans.
    V4I1,
    /// 8 booleans.
    V8I1,
    /// 16 booleans.
    V16I1,
    /// 16 × 8-bit integers.
    V16I8,
    /// 8 × 16-bit integers.
    V8I16,
    /// 4 × 32-bit integers.
    V4I32,
    /// 4 × binary32.
    V4F32,
    /// 2 booleans; native modules only, as all that follow.
    V2I1,
    /// 2 × 64-bit integers.
    V2I64,
    /// 2 × binary64.
    V2F64,
    /// 32 booleans; 256 bits in a register, as all that follow.
    V32I1,
    /// 32 × 8-bit integers.
    V32I8,
    /// 16 × 16-bit integers.
    V16I16,
    /// 8 × 32-bit integers.
    V8I32,
    /// 4 × 64-bit integers.
    V4I64,
    /// 8 × binary32.
    V8F32,
    /// 4 × binary64.
    V4F64,
}

/// One row a type, in the order of the enum.
struct Info {
    name: &'static str,
    bytes: u8,
    bits: u16,
    lanes: u8,
    element: Type,
    compare: Type,
}

const fn row(name: &'static str, bytes: u8, bits: u16, lanes: u8, element: Type, compare: Type) -> Info {
    Info { name, bytes, bits, lanes, element, compare }
}

use Type::*;

const INFO: [Info; 25] = [
    //   name    bytes bits lanes element compare
    row("void", 0, 0, 0, Void, Void),
    row("i1", 1, 1, 1, I1, I1),
    row("i8", 1, 8, 1, I8, I1),
    row("i16", 2, 16, 1, I16, I1),
    row("i32", 4, 32, 1, I32, I1),
    row("i64", 8, 64, 1, I64, I1),
    row("f32", 4, 32, 1, F32, I1),
    row("f64", 8, 64, 1, F64, I1),
    row("v4i1", 16, 4, 4, I1, V4I1),
    row("v8i1", 16, 8, 8, I1, V8I1),
    row("v16i1", 16, 16, 16, I1, V16I1),
    row("v16i8", 16, 128, 16, I8, V16I1),
    row("v8i16", 16, 128, 8, I16, V8I1),
    row("v4i32", 16, 128, 4, I32, V4I1),
    row("v4f32", 16, 128, 4, F32, V4I1),
    row("v2i1", 16, 2, 2, I1, V2I1),
    row("v2i64", 16, 128, 2, I64, V2I1),
    row("v2f64", 16, 128, 2, F64, V2I1),
    row("v32i1", 32, 32, 32, I1, V32I1),
    row("v32i8", 32, 256, 32, I8, V32I1),
    row("v16i16", 32, 256, 16, I16, V16I1),
    row("v8i32", 32, 256, 8, I32, V8I1),
    row("v4i64", 32, 256, 4, I64, V4I1),
    row("v8f32", 32, 256, 8, F32, V8I1),
    row("v4f64", 32, 256, 4, F64, V4I1),
];

impl Type {
    /// Every type, in declaration order.
    pub const ALL: [Type; 25] = [
        Void, I1, I8, I16, I32, I64, F32, F64, V4I1, V8I1, V16I1, V16I8, V8I16, V4I32, V4F32, V2I1, V2I64,
        V2F64, V32I1, V32I8, V16I16, V8I32, V4I64, V8F32, V4F64,
    ];

    /// The types of the frozen format, in declaration order.
    pub const STABLE: &'static [Type] = Type::ALL.split_at(15).0;

    const fn info(self) -> &'static Info {
        &INFO[self as usize]
    }

    /// Bytes in a register, slot or in memory: 1 for `i1`, 16 or 32 for a vector, 0 for `void`.
    pub const fn bytes(self) -> u32 {
        self.info().bytes as u32
    }

    /// Value bits: 1 for `i1`, 4 for `v4i1`, 128 for `v4i32`.
    pub const fn bits(self) -> u32 {
        self.info().bits as u32
    }

    /// Number of lanes: 1 for scalars, 0 for `void`.
    pub const fn lanes(self) -> u32 {
        self.info().lanes as u32
    }

    /// The lane type of a vector, the type itself for a scalar.
    pub const fn element(self) -> Type {
        self.info().element
    }

    /// The type of a comparison of two values of this type.
    pub const fn compare_result(self) -> Type {
        self.info().compare
    }

    /// True for the types of the frozen format.
    pub const fn is_stable(self) -> bool {
        !matches!(self, V2I1 | V2I64 | V2F64) && !self.is_wide()
    }

    /// True for the vectors of 256 bits.
    pub const fn is_wide(self) -> bool {
        self.bytes() == 32
    }

    /// The type of the halves of a vector of 256 bits.
    pub const fn half(self) -> Option<Type> {
        Some(match self {
            V32I1 => V16I1,
            V32I8 => V16I8,
            V16I16 => V8I16,
            V8I32 => V4I32,
            V4I64 => V2I64,
            V8F32 => V4F32,
            V4F64 => V2F64,
            _ => return None,
        })
    }

    /// The vector of 256 bits of which two of this type are the halves.
    pub fn double(self) -> Option<Type> {
        Type::ALL.into_iter().find(|ty| ty.half() == Some(self))
    }

    /// True for the vector types.
    pub const fn is_vector(self) -> bool {
        self.lanes() > 1
    }

    /// True for `i1` … `i64`.
    pub const fn is_scalar_int(self) -> bool {
        matches!(self, I1 | I8 | I16 | I32 | I64)
    }

    /// True for `f32` and `f64`.
    pub const fn is_scalar_float(self) -> bool {
        matches!(self, F32 | F64)
    }

    /// True where lanes are integers, `i1` included.
    pub const fn is_int_or_int_vector(self) -> bool {
        self.element().is_scalar_int()
    }

    /// True where lanes are floating point.
    pub const fn is_float_or_float_vector(self) -> bool {
        self.element().is_scalar_float()
    }

    /// True for `i1` and the vectors of it.
    pub const fn is_bool_or_bool_vector(self) -> bool {
        matches!(self.element(), I1)
    }

    /// The vector of `lanes` × `element`, if there is one.
    pub fn vector(element: Type, lanes: u32) -> Option<Type> {
        Type::ALL.into_iter().find(|t| t.is_vector() && t.element() == element && t.lanes() == lanes)
    }

    /// The type called `name` in the text form.
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|t| t.info().name == name)
    }

    /// The name in the text form: `i32`, `v4f32`.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// All ones in the low [`bits`](Type::bits) of a scalar integer.
    pub const fn int_mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// `value` cut to the width of this scalar integer type and sign-extended: the form in which integer
    /// constants are kept.
    pub const fn sign_extend(self, value: i64) -> i64 {
        let shift = 64 - self.bits();
        (value << shift) >> shift
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_follows_the_enum() {
        for (i, ty) in Type::ALL.into_iter().enumerate() {
            assert_eq!(ty as usize, i);
            assert_eq!(Type::from_name(ty.name()), Some(ty));
            assert_eq!(Type::STABLE.contains(&ty), ty.is_stable());
            if ty.is_vector() {
                assert_eq!(Type::vector(ty.element(), ty.lanes()), Some(ty));
                assert_eq!(ty.compare_result().lanes(), ty.lanes());
                assert_eq!(ty.is_stable(), ty.lanes() > 2 && ty.bytes() == 16);
                assert_eq!(ty.half().and_then(Type::double), ty.is_wide().then_some(ty));
                assert!(
                    ty.half()
                        .is_none_or(|half| half.element() == ty.element() && 2 * half.lanes() == ty.lanes())
                );
            }
        }
    }

    #[test]
    fn integers_are_kept_sign_extended() {
        assert_eq!(I8.sign_extend(255), -1);
        assert_eq!(I1.sign_extend(1), -1);
        assert_eq!(I64.sign_extend(i64::MIN), i64::MIN);
        assert_eq!(I1.int_mask(), 1);
        assert_eq!(I64.int_mask(), u64::MAX);
    }
}
