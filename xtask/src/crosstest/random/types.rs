//! Types and constants of random functions, and what a target leaves out.
//!
//! A type is an integer of 1 to 128 bits, a `float` or `double`, or a vector of one of them. Widths and numbers of lanes
//! are mostly those that no register has.

use crate::fuzz::Random;
use crate::toolchain::Target;
use std::fmt;

/// Widths of integers; those of registers are there more than once.
const WIDTHS: [u32; 31] = [
    1, 2, 3, 5, 7, 8, 9, 12, 13, 16, 17, 20, 24, 25, 31, 32, 32, 32, 33, 40, 47, 48, 56, 63, 64, 64, 65, 80,
    96, 100, 128,
];
/// Vectors of integers: the width of a lane and the number of lanes. Three and five lanes of one bit are left out: LLVM
/// has wrong code on i686 and MIPS where they become an integer.
const VECTORS: [(u32, u32); 28] = [
    (8, 16),
    (8, 8),
    (8, 4),
    (8, 3),
    (8, 2),
    (8, 32),
    (16, 8),
    (16, 16),
    (16, 4),
    (16, 3),
    (16, 2),
    (32, 4),
    (32, 3),
    (32, 2),
    (32, 5),
    (32, 8),
    (32, 16),
    (64, 2),
    (64, 3),
    (64, 4),
    (1, 2),
    (1, 4),
    (1, 8),
    (1, 16),
    (1, 32),
    (7, 4),
    (24, 2),
    (33, 2),
];
const FLOAT_VECTORS: [(u32, u32); 7] = [(32, 4), (32, 2), (64, 2), (32, 3), (64, 3), (32, 8), (64, 4)];
/// Features of processors of x86 beyond what every one has. Each brings what those before it have.
const FEATURES: [&str; 5] = ["", "+ssse3", "+sse4.2,+popcnt", "+avx", "+avx2,+fma,+bmi,+bmi2,+lzcnt"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Int,
    Float,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    pub kind: Kind,
    /// Bits of the scalar, or of each lane.
    pub width: u32,
    /// Lanes of a vector.
    pub lanes: Option<u32>,
}

impl Type {
    pub const BIT: Type = Type::int(1);
    pub const I8: Type = Type::int(8);
    pub const I32: Type = Type::int(32);
    pub const I64: Type = Type::int(64);

    pub const fn int(width: u32) -> Type {
        Type { kind: Kind::Int, width, lanes: None }
    }

    pub const fn float(width: u32) -> Type {
        Type { kind: Kind::Float, width, lanes: None }
    }

    pub const fn vector(self, lanes: u32) -> Type {
        Type { lanes: Some(lanes), ..self }
    }

    /// The type of a lane, or the scalar itself.
    pub fn lane(self) -> Type {
        Type { lanes: None, ..self }
    }

    /// As many lanes of another scalar.
    pub fn with_lane(self, lane: Type) -> Type {
        Type { lanes: self.lanes, ..lane }
    }

    /// What a comparison gives.
    pub fn truth(self) -> Type {
        self.with_lane(Type::BIT)
    }

    pub fn bits(self) -> u32 {
        self.width * self.lanes.unwrap_or(1)
    }

    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub fn is_int(self) -> bool {
        self.kind == Kind::Int
    }

    pub fn is_vector(self) -> bool {
        self.lanes.is_some()
    }

    /// Whether memory holds it, lane by lane, without bits that are left over.
    pub fn is_whole_bytes(self) -> bool {
        self.width.is_multiple_of(8)
    }

    /// Whether its bits may be those of one integer, or come from one: LLVM has wrong code for an odd number of lanes of one
    /// bit.
    pub fn is_castable(self) -> bool {
        self.width > 1 || self.lanes.is_none_or(|lanes| lanes.is_power_of_two())
    }

    /// Whether all its bits may be taken for another type. Where a lane of each vector holds no whole number of lanes of the
    /// other, LLVM is wrong about constants.
    pub fn casts_to(self, other: Type) -> bool {
        let (narrow, wide) = (self.width.min(other.width), self.width.max(other.width));
        let has_pieces = self.is_vector() && other.is_vector() && !wide.is_multiple_of(narrow);
        self != other
            && self.bits() == other.bits()
            && self.is_castable()
            && other.is_castable()
            && !has_pieces
    }

    /// As in the names of intrinsics.
    pub fn suffix(self) -> String {
        let lane = match self.kind {
            Kind::Int => format!("i{}", self.width),
            Kind::Float => format!("f{}", self.width),
        };
        self.lanes.map_or(lane.clone(), |lanes| format!("v{lanes}{lane}"))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lanes, self.kind, self.width) {
            (Some(lanes), ..) => write!(f, "<{lanes} x {}>", self.lane()),
            (None, Kind::Int, width) => write!(f, "i{width}"),
            (None, Kind::Float, 32) => f.write_str("float"),
            (None, Kind::Float, _) => f.write_str("double"),
        }
    }
}

/// An operand: the name of a result or parameter, or a constant. It is written with its type.
#[derive(Clone)]
pub struct Value {
    pub ty: Type,
    pub text: String,
}

impl Value {
    pub fn new(ty: Type, text: impl Into<String>) -> Value {
        Value { ty, text: text.into() }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.text)
    }
}

/// What functions for a target may use.
#[derive(Clone, Copy)]
pub struct Limits {
    /// As in LLVM's attribute: what all functions of the module are made for.
    pub features: &'static str,
    /// How many of a hundred types are vectors.
    vectors: usize,
    /// The widest integer. The libraries of 32-bit ARM and MIPS have nothing for more than 64 bits.
    pub widest: u32,
    pub pointer: Type,
    /// Whether the target is an x86. The others have no vectors of floats, because LLVM's code for NEON flushes their
    /// denormals to zero; no `half`, no `x86_fp80`; and none of the operations that LLVM lacks there or that are calls of
    /// functions which older libraries lack: `minimum`, `maximum`, `roundeven`, `uinc_wrap`, `udec_wrap`.
    pub is_x86: bool,
    /// Whether there is `half`: its conversions are not in every library of i686.
    pub has_half: bool,
    /// Whether sums and differences of vectors tell which overflow. On AArch64 LLVM has wrong code for that as bits of a number.
    pub has_vector_overflow: bool,
    /// Whether vectors of three lanes become bytes: LLVM 19 loses a lane of 64 bits on AArch64.
    pub has_three_bytes: bool,
    /// Whether the least or greatest of two numbers narrower than a register may be left in memory by one operation. On
    /// MIPS LLVM compares them without extending them first, and takes the old one for one that is extended.
    pub has_narrow_extremes: bool,
    /// Whether a number narrower than a register may be exchanged if it is the expected one. On ARM `llc -O0` clears the
    /// upper bits of the expected one, for all who use it.
    pub has_narrow_exchanges: bool,
}

impl Limits {
    /// What a module for the target may use: chance decides for which processors it is, and how many vectors it has.
    pub fn choose(target: Target, random: &mut Random) -> Limits {
        let is_x86 = matches!(target, Target::X86_64 | Target::I686);
        Limits {
            features: if is_x86 { random.one_of(&FEATURES) } else { "" },
            vectors: random.one_of(&[28, 28, 80]),
            widest: if is_x86 || target.is_64() { 128 } else { 64 },
            pointer: if target.is_64() { Type::I64 } else { Type::I32 },
            is_x86,
            has_half: target == Target::X86_64,
            has_vector_overflow: target != Target::Aarch64,
            has_three_bytes: target != Target::Aarch64,
            has_narrow_extremes: target != Target::Mipsel,
            has_narrow_exchanges: target != Target::Armv7,
        }
    }

    /// Any type.
    pub fn any_type(&self, random: &mut Random) -> Type {
        let (is_vector, kind) = (random.below(100) < self.vectors, random.below(7));
        match (is_vector, kind) {
            (false, 0) => Type::float(random.one_of(&[32, 64])),
            (false, _) => loop {
                let width = random.one_of(&WIDTHS);
                if width <= self.widest {
                    break Type::int(width);
                }
            },
            (true, 0..2) => {
                let (width, lanes) = random.one_of(&FLOAT_VECTORS);
                let lane = if self.is_x86 { Type::float(width) } else { Type::int(width) };
                lane.vector(lanes)
            }
            (true, _) => {
                let (width, lanes) = random.one_of(&VECTORS);
                Type::int(width).vector(lanes)
            }
        }
    }
}

/// All lanes with the same text.
pub fn splat(ty: Type, lane: &str) -> Value {
    let Some(count) = ty.lanes else { return Value::new(ty, lane) };
    each_lane(ty, (0..count).map(|_| lane.to_owned()))
}

/// The integer in all lanes.
pub fn number(ty: Type, number: u128) -> Value {
    splat(ty, &number.to_string())
}

/// A vector of these lanes.
pub fn each_lane(ty: Type, lanes: impl Iterator<Item = String>) -> Value {
    let lanes: Vec<String> = lanes.map(|lane| format!("{} {lane}", ty.lane())).collect();
    Value::new(ty, format!("<{}>", lanes.join(", ")))
}

/// A constant: half of those of vectors have the same in all lanes.
pub fn constant(ty: Type, random: &mut Random) -> Value {
    match ty.lanes {
        Some(count) if random.once_in(2) => {
            let lanes: Vec<String> = (0..count).map(|_| scalar(ty, random)).collect();
            each_lane(ty, lanes.into_iter())
        }
        _ => splat(ty, &scalar(ty, random)),
    }
}

fn scalar(ty: Type, random: &mut Random) -> String {
    match ty.kind {
        Kind::Int => integer(ty.width, random).to_string(),
        Kind::Float => float(ty.width, random),
    }
}

/// Zero, one, the ends of the signed numbers, single bits, masks, small numbers, anything.
fn integer(width: u32, random: &mut Random) -> u128 {
    let mask = u128::MAX >> (128 - width);
    let any = u128::from(random.next()) << 64 | u128::from(random.next());
    let bit = 1u128 << random.below(width as usize);
    let number = match random.below(12) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => 1 << (width - 1),
        4 => (1 << (width - 1)) - 1,
        5 => any,
        6 => any & any.rotate_left(1),
        7 => (random.below(33) as u128).wrapping_sub(16),
        8 => bit,
        9 => bit - 1,
        10 => 0xff,
        _ => 0xffff,
    };
    number & mask
}

/// In hexadecimal, which says every bit: LLVM's form is that of a `double` for both.
fn float(width: u32, random: &mut Random) -> String {
    let any = (random.below(2_000_001) as f64 - 1e6) / 1e4;
    let tiny = if width == 32 { 1e-40 } else { 1e-310 };
    let large = if width == 32 { 1e30 } else { 1e300 };
    let exact = [0.0, -0.0, 1.0, -1.0, 0.5, -3.25, 1e10, 2f64.powi(31), 2f64.powi(63), f64::INFINITY];
    let number = random.one_of(&[&exact[..], &[tiny, large, any, any]].concat());
    let rounded = if width == 32 { f64::from(number as f32) } else { number };
    format!("0x{:016X}", rounded.to_bits())
}
