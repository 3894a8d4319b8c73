//! The instructions of ARMv7-A that the sandbox allows, in the notation of the ARM Architecture Reference Manual (chapter A5).

use crate::words::{Row, Table, row};

/// Fields that are registers: bits 19 to 16.
pub const N: u8 = 1;
/// Bits 15 to 12.
pub const D: u8 = 2;
/// Bits 11 to 8.
pub const S: u8 = 4;
/// Bits 3 to 0.
pub const M: u8 = 8;

/// What an instruction does, as far as the rules go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing but what its fields say.
    Plain,
    /// Data-processing, whose bit 20 sets the flags.
    Data,
    /// A comparison.
    Compare,
    /// Writes the flags from a register, or reads flags of floating point into register 15, which means the flags.
    Flags,
    /// A division.
    Divide,
    /// An access with a number as its offset, and perhaps a step of the base.
    Offset,
    /// The same with two registers, D and the next.
    Double,
    /// An access at the base that then steps by a register.
    Register,
    /// An access at the base.
    Exclusive,
    /// The same with two registers: D and the next, or, stored, M and the next.
    ExclusiveDouble,
    /// Registers by a list.
    Multiple,
    /// Registers of floating point.
    Floats,
    /// One of them, with a number as its offset.
    Float,
    /// Elements of vectors, at the base, which may step.
    Lanes,
    /// A hint about the place of a load.
    Prefetch,
    Jump,
    Call,
    JumpRegister,
    CallRegister,
}

impl Kind {
    /// Whether it accesses memory at N.
    pub fn is_access(self) -> bool {
        matches!(
            self,
            Offset
                | Double
                | Register
                | Exclusive
                | ExclusiveDouble
                | Multiple
                | Floats
                | Float
                | Lanes
                | Prefetch
        )
    }

    /// Whether the offset is a number.
    pub fn has_offset(self) -> bool {
        matches!(self, Offset | Double | Float | Prefetch)
    }
}

/// What a row says.
#[derive(Clone, Copy)]
pub struct Class {
    /// The kind.
    pub kind: Kind,
    /// The fields that are read.
    pub reads: u8,
    /// The fields that are written.
    pub writes: u8,
}

impl Class {
    /// Nothing that a rule looks at.
    pub const PLAIN: Class = class(Plain, 0, 0);
}

const fn class(kind: Kind, reads: u8, writes: u8) -> Class {
    Class { kind, reads, writes }
}

use Kind::*;

/// Instructions with a condition, or with that of `always`.
#[rustfmt::skip]
const ROWS: &[Row<Class>] = &[
    // Data-processing: register, shifted by a register, constant. Before it what has its opcodes without flags.
    row("....00010010 1111 1111 1111 0001 ....", class(JumpRegister, M, 0)),        // bx
    row("....00010010 1111 1111 1111 0011 ....", class(CallRegister, M, 0)),        // blx
    row("....00010110 1111 .... 1111 0001 ....", class(Plain, M, D)),               // clz
    row("....00010000 1111 .... 0000 0000 0000", class(Plain, 0, D)),               // mrs
    row("....00010010 1000 1111 0000 0000 ....", class(Flags, M, 0)),               // msr, flags only
    row("....00010000 .... .... .... 1..0 ....", class(Plain, D | S | M, N)),       // smlaxy
    row("....00010010 .... .... .... 1.00 ....", class(Plain, D | S | M, N)),       // smlawy
    row("....00010010 .... 0000 .... 1.10 ....", class(Plain, S | M, N)),           // smulwy
    row("....00010100 .... .... .... 1..0 ....", class(Plain, S | M, N | D)),       // smlalxy
    row("....00010110 .... 0000 .... 1..0 ....", class(Plain, S | M, N)),           // smulxy
    row("....00010..0 .... .... 0000 0101 ....", class(Plain, N | M, D)),           // qadd, qsub, qdadd, qdsub
    row("....00010..1 .... 0000 ..... ..0 ....", class(Compare, N | M, 0)),         // tst, teq, cmp, cmn
    row("....00010..1 .... 0000 .... 0..1 ....", class(Compare, N | S | M, 0)),
    row("....0000.... .... .... ..... ..0 ....", class(Data, N | M, D)),            // and to rsc
    row("....0000.... .... .... .... 0..1 ....", class(Data, N | S | M, D)),
    row("....0001100. .... .... ..... ..0 ....", class(Data, N | M, D)),            // orr
    row("....0001100. .... .... .... 0..1 ....", class(Data, N | S | M, D)),
    row("....0001110. .... .... ..... ..0 ....", class(Data, N | M, D)),            // bic
    row("....0001110. .... .... .... 0..1 ....", class(Data, N | S | M, D)),
    row("....00011.1. 0000 .... ..... ..0 ....", class(Data, M, D)),                // mov, shifts, mvn
    row("....00011.1. 0000 .... .... 0..1 ....", class(Data, S | M, D)),
    row("....00110000 .... .... ............", class(Plain, 0, D)),                 // movw
    row("....00110100 .... .... ............", class(Plain, 0, D)),                 // movt
    row("....00110010 1000 1111 ............", class(Flags, 0, 0)),                 // msr, flags only
    row("....00110..1 .... 0000 ............", class(Compare, N, 0)),               // tst, teq, cmp, cmn
    row("....0010.... .... .... ............", class(Data, N, D)),                  // and to rsc
    row("....0011100. .... .... ............", class(Data, N, D)),                  // orr
    row("....0011110. .... .... ............", class(Data, N, D)),                  // bic
    row("....00111.1. 0000 .... ............", class(Data, 0, D)),                  // mov, mvn
    // Multiplication.
    row("....0000000. .... 0000 .... 1001 ....", class(Data, S | M, N)),            // mul
    row("....0000001. .... .... .... 1001 ....", class(Data, D | S | M, N)),        // mla
    row("....00000100 .... .... .... 1001 ....", class(Plain, S | M, N | D)),       // umaal
    row("....00000110 .... .... .... 1001 ....", class(Plain, D | S | M, N)),       // mls
    row("....00001... .... .... .... 1001 ....", class(Data, S | M, N | D)),        // umull, umlal, smull, smlal
    // Exclusive accesses.
    row("....00011000 .... .... 1111 1001 ....", class(Exclusive, N | M, D)),       // strex
    row("....00011001 .... .... 1111 1001 1111", class(Exclusive, N, D)),           // ldrex
    row("....00011010 .... .... 1111 1001 ...0", class(ExclusiveDouble, N | M, D)), // strexd
    row("....00011011 .... ...0 1111 1001 1111", class(ExclusiveDouble, N, D)),     // ldrexd
    row("....000111.0 .... .... 1111 1001 ....", class(Exclusive, N | M, D)),       // strexb, strexh
    row("....000111.1 .... .... 1111 1001 1111", class(Exclusive, N, D)),           // ldrexb, ldrexh
    // Halves, signed and double accesses, by a number or then stepping by a register.
    row("....0001.1.0 .... .... .... 1011 ....", class(Offset, N | D, 0)),          // strh
    row("....0000.100 .... .... .... 1011 ....", class(Offset, N | D, 0)),
    row("....0001.1.1 .... .... .... 1011 ....", class(Offset, N, D)),              // ldrh
    row("....0000.101 .... .... .... 1011 ....", class(Offset, N, D)),
    row("....0001.1.1 .... .... .... 11.1 ....", class(Offset, N, D)),              // ldrsb, ldrsh
    row("....0000.101 .... .... .... 11.1 ....", class(Offset, N, D)),
    row("....0001.1.0 .... .... .... 1101 ....", class(Double, N, D)),              // ldrd
    row("....0000.100 .... .... .... 1101 ....", class(Double, N, D)),
    row("....0001.1.0 .... .... .... 1111 ....", class(Double, N | D, 0)),          // strd
    row("....0000.100 .... .... .... 1111 ....", class(Double, N | D, 0)),
    row("....0000.000 .... .... 0000 1011 ....", class(Register, N | D | M, 0)),    // strh
    row("....0000.001 .... .... 0000 1011 ....", class(Register, N | M, D)),        // ldrh
    row("....0000.001 .... .... 0000 11.1 ....", class(Register, N | M, D)),        // ldrsb, ldrsh
    // Words and bytes.
    row("....0101...0 .... .... ............", class(Offset, N | D, 0)),            // str, strb
    row("....0100..00 .... .... ............", class(Offset, N | D, 0)),
    row("....0101...1 .... .... ............", class(Offset, N, D)),                // ldr, ldrb
    row("....0100..01 .... .... ............", class(Offset, N, D)),
    row("....0110..00 .... .... ..... ..0 ....", class(Register, N | D | M, 0)),    // str, strb
    row("....0110..01 .... .... ..... ..0 ....", class(Register, N | M, D)),        // ldr, ldrb
    // Media instructions.
    row("....01101000 .... .... ..... .01 ....", class(Plain, N | M, D)),           // pkh
    row("....01101.00 1111 .... ..00 0111 ....", class(Plain, M, D)),               // sxtb16, uxtb16
    row("....01101.1. 1111 .... ..00 0111 ....", class(Plain, M, D)),               // sxtb, sxth, uxtb, uxth
    row("....01101.00 .... .... ..00 0111 ....", class(Plain, N | M, D)),           // sxtab16, uxtab16
    row("....01101.1. .... .... ..00 0111 ....", class(Plain, N | M, D)),           // sxtab, sxtah, uxtab, uxtah
    row("....01101.1. .... .... ..... .01 ....", class(Plain, M, D)),               // ssat, usat
    row("....01101011 1111 .... 1111 .011 ....", class(Plain, M, D)),               // rev, rev16
    row("....01101111 1111 .... 1111 .011 ....", class(Plain, M, D)),               // rbit, revsh
    row("....01110001 .... 1111 .... 0001 ....", class(Divide, S | M, N)),          // sdiv
    row("....01110011 .... 1111 .... 0001 ....", class(Divide, S | M, N)),          // udiv
    row("....01110101 .... 1111 .... 00.1 ....", class(Plain, S | M, N)),           // smmul
    row("....01110101 .... .... .... 00.1 ....", class(Plain, D | S | M, N)),       // smmla
    row("....01111.1. .... .... ..... 101 ....", class(Plain, M, D)),               // sbfx, ubfx
    row("....0111110. .... .... ..... 001 1111", class(Plain, 0, D)),               // bfc
    row("....0111110. .... .... ..... 001 ....", class(Plain, M, D)),               // bfi
    // Many registers, branches.
    row("....100..0.. .... ................", class(Multiple, N, 0)),               // ldm, stm
    row("....1010 ........................", class(Jump, 0, 0)),                    // b
    row("....1011 ........................", class(Call, 0, 0)),                    // bl
    // Floating point and vectors: coprocessors 10 and 11.
    row("....11000100 .... .... 101. 00.1 ....", class(Plain, N | D, 0)),           // vmov from two registers
    row("....11000101 .... .... 101. 00.1 ....", class(Plain, 0, N | D)),           // vmov to two registers
    row("....1101..00 .... .... 101. ........", class(Float, N, 0)),                // vstr
    row("....1101..01 .... .... 101. ........", class(Float, N, 0)),                // vldr
    row("....11001... .... .... 101. ........", class(Floats, N, 0)),               // vstmia, vldmia
    row("....11010.1. .... .... 101. ........", class(Floats, N, 0)),               // vstmdb, vldmdb
    row("....11101111 0001 .... 1010 0001 0000", class(Flags, 0, D)),               // vmrs
    row("....11101110 0001 .... 1010 0001 0000", class(Plain, D, 0)),               // vmsr
    row("....11100000 .... .... 1010 .001 0000", class(Plain, D, 0)),               // vmov from a register
    row("....11100001 .... .... 1010 .001 0000", class(Plain, 0, D)),               // vmov to a register
    row("....11100..0 .... .... 1011 ...1 0000", class(Plain, D, 0)),               // vmov to an element
    row("....1110...1 .... .... 1011 ...1 0000", class(Plain, 0, D)),               // vmov from an element
    row("....11101..0 .... .... 1011 .0.1 0000", class(Plain, D, 0)),               // vdup
    row("....1110.... .... .... 101. ...0 ....", class(Plain, 0, 0)),               // arithmetic
];

/// Instructions without a condition.
#[rustfmt::skip]
const ROWS_UNCONDITIONAL: &[Row<Class>] = &[
    row("1111001. .... .... .... .... .... ....", class(Plain, 0, 0)),              // vectors
    row("11110100 0.00 .... .... .... .... ....", class(Lanes, N | M, 0)),          // vst
    row("11110100 0.10 .... .... .... .... ....", class(Lanes, N | M, 0)),          // vld
    row("11110100 1.00 .... .... .... .... ....", class(Lanes, N | M, 0)),          // vst of one element
    row("11110100 1.10 .... .... .... .... ....", class(Lanes, N | M, 0)),          // vld of one element
    row("11110101 ..01 .... 1111 ............", class(Prefetch, N, 0)),             // pld, pldw
    row("11110100 .101 .... 1111 ............", class(Prefetch, N, 0)),             // pli
    row("1111 0101 0111 1111 1111 0000 010. .11.", class(Plain, 0, 0)),             // dsb
    row("1111 0101 0111 1111 1111 0000 010. .01.", class(Plain, 0, 0)),
    row("1111 0101 0111 1111 1111 0000 0101 .11.", class(Plain, 0, 0)),             // dmb
    row("1111 0101 0111 1111 1111 0000 0101 .01.", class(Plain, 0, 0)),
    row("1111 0101 0111 1111 1111 0000 0110 1111", class(Plain, 0, 0)),             // isb
];

/// Instructions with a condition.
pub static USUAL: Table<Class> = Table::new(ROWS, 20);

/// Instructions without one.
pub static UNCONDITIONAL: Table<Class> = Table::new(ROWS_UNCONDITIONAL, 20);
