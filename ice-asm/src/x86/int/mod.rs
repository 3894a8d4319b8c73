//! Integer instructions (SDM volume 2, chapters 3 to 5): the tables of their codes, and what their encoders share. The
//! encoders stand in a file for each kind.

use super::Encoder;
use super::code::{Attrs, Code, Immediate, code};
use super::operand::{Gpr, Imm, Mode, Rm, Width};
use super::text::Op;
use crate::listing::{self, Listing, SymbolText};
use crate::reloc::Reloc;

/// A [`Code`] that is parsed at compile time wherever it stands.
macro_rules! code {
    ($text:literal) => {
        const { $crate::x86::code::code($text) }
    };
}

/// An enum of operations with one line an operation: name, mnemonic, code.
macro_rules! ops {
    ($(#[$doc:meta])* $ty:ident: $($name:ident $mnemonic:literal $text:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $ty {
            $(#[doc = concat!("`", $mnemonic, "`, ", $text)] $name,)*
        }

        impl $ty {
            /// All operations, in order.
            pub const ALL: &[$ty] = &[$($ty::$name),*];
            const CODES: &[Code] = &[$(code($text)),*];

            /// The mnemonic, without a suffix for the width.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                [$($mnemonic),*][self as usize]
            }

            #[inline]
            fn code(self) -> Code {
                Self::CODES[self as usize]
            }
        }
    };
}

pub(super) use ops;

mod arithmetic;
mod atomic;
mod control;
mod moves;

ops!(
    /// Two-operand arithmetic and logic. The number is the `/digit` of the immediate forms, and eight
    /// times the number is the first of the opcodes.
    Alu:
    Add "add" "00 /0",
    Or  "or"  "08 /1",
    Adc "adc" "10 /2",
    Sbb "sbb" "18 /3",
    And "and" "20 /4",
    Sub "sub" "28 /5",
    Xor "xor" "30 /6",
    Cmp "cmp" "38 /7",
);

ops!(
    /// Shifts and rotations: D0/D1 by one, D2/D3 by cl, C0/C1 by an immediate.
    Shift:
    Rol "rol" "D0 /0",
    Ror "ror" "D0 /1",
    Rcl "rcl" "D0 /2",
    Rcr "rcr" "D0 /3",
    Shl "shl" "D0 /4",
    Shr "shr" "D0 /5",
    Sar "sar" "D0 /7",
);

ops!(
    /// Double-width shifts: the code by an immediate, the next one by cl.
    DoubleShift:
    Shld "shld" "0F A4 /r",
    Shrd "shrd" "0F AC /r",
);

ops!(
    /// Operations with one operand; the four of multiplication and division use rdx:rax (ax for bytes).
    Unary:
    Not  "not"  "F6 /2",
    Neg  "neg"  "F6 /3",
    Mul  "mul"  "F6 /4",
    Imul "imul" "F6 /5",
    Div  "div"  "F6 /6",
    Idiv "idiv" "F6 /7",
    Inc  "inc"  "FE /0",
    Dec  "dec"  "FE /1",
);

ops!(
    /// Bit counts and searches; 16 bits or more.
    BitOp:
    Bsf    "bsf"    "0F BC /r",
    Bsr    "bsr"    "0F BD /r",
    Popcnt "popcnt" "F3 0F B8 /r",
    Lzcnt  "lzcnt"  "F3 0F BD /r",
    Tzcnt  "tzcnt"  "F3 0F BC /r",
);

ops!(
    /// Bit tests: the code by a register; by an immediate it is 0F BA with the `/digit`.
    BitTest:
    Bt  "bt"  "0F A3 /4",
    Bts "bts" "0F AB /5",
    Btr "btr" "0F B3 /6",
    Btc "btc" "0F BB /7",
);

ops!(
    /// Fences.
    Fence:
    Lfence "lfence" "0F AE E8",
    Mfence "mfence" "0F AE F0",
    Sfence "sfence" "0F AE F8",
);

ops!(
    /// Repeated string operations: count in rcx, destination rdi, source rsi or al/eax/rax.
    RepOp:
    Movs "movs" "A4",
    Stos "stos" "AA",
);

impl<L: Listing> Encoder<'_, L> {
    #[inline]
    fn inst_reg_rm(&mut self, code: Code, attrs: Attrs, reg: u8, rm: &Rm<Gpr>, imm: Immediate) {
        match rm {
            Rm::Reg(rm) => self.inst_rr(code, attrs, reg, rm.number(), imm),
            Rm::Mem(mem) => self.inst_rm(code, attrs, reg, mem, imm),
        }
    }

    fn plain(&mut self, mnemonic: &str, code: Code) {
        self.line(&[mnemonic], &[]);
        self.inst_o(code, Attrs::NONE, 0, Immediate::NONE);
    }

    /// The width of addresses and of the stack.
    pub(super) fn word(&self) -> Width {
        match self.mode {
            Mode::Bits32 => Width::B32,
            Mode::Bits64 => Width::B64,
        }
    }

    /// A line of `.byte` for the instruction just appended, where the text would be ambiguous.
    fn line_of_bytes(&mut self, start: u32, comment: &str) {
        let start = self.buf.inst_start(start);
        let bytes = &self.buf.bytes.as_slice()[start as usize..];
        self.buf.listing.line(start, |out| {
            listing::write_bytes(out, bytes)?;
            write!(out, " # {comment}")
        });
    }

    /// The line of an operation on the accumulator and a symbol's address, for which assemblers choose
    /// different codes: the code as a byte, the address as a datum. Says whether it applies.
    fn line_of_accumulator(
        &mut self,
        code: Code,
        width: Width,
        rm: &Rm<Gpr>,
        imm: Imm,
        comment: &str,
    ) -> bool {
        let Imm::Symbol(symbol, _, addend) = imm else { return false };
        if *rm != Rm::Reg(Gpr::RAX) {
            return false;
        }
        let offset = self.buf.offset();
        let rex = if width == Width::B64 { "0x48," } else { "" };
        self.buf.listing.line(offset, |out| {
            write!(
                out,
                ".byte {rex}{:#04x}; .long {}{addend:+} # {comment}",
                code.opcode(),
                SymbolText(symbol)
            )
        });
        true
    }

    /// The immediate as encoded in an operation of this width, sign-extended from it; zero for a symbol.
    #[inline]
    fn immediate(&mut self, imm: Imm, width: Width) -> Immediate {
        let size = width.bytes().min(4);
        match imm {
            Imm::Value(value) => Immediate::new(truncate(value.into(), width), size),
            Imm::Symbol(_, kind, _) => {
                if size < 4 || kind.size() != 4 {
                    self.invalid();
                }
                Immediate::new(0, 4)
            }
        }
    }

    /// Records the symbol that fills in the immediate of the instruction just appended: its last bytes.
    #[inline]
    fn symbol_immediate(&mut self, imm: Imm) {
        if let Imm::Symbol(symbol, kind, addend) = imm {
            let offset = self.buf.offset().saturating_sub(kind.size());
            self.buf.add_reloc(Reloc { offset, kind, symbol, addend: addend.into() });
        }
    }
}

impl<'a> Op<'a> {
    pub(super) fn rm(rm: &'a Rm<Gpr>, width: Width) -> Op<'a> {
        match rm {
            Rm::Reg(reg) => Op::Reg(*reg, width),
            Rm::Mem(mem) => Op::Mem(mem),
        }
    }
}

/// 1 for the opcodes of 16 bits and more.
pub(super) const fn wide(width: Width) -> i8 {
    (width as u8 != Width::B8 as u8) as i8
}

/// The number that an immediate of this width is, with its sign.
pub(super) const fn truncate(value: i64, width: Width) -> i64 {
    match width {
        Width::B8 => value as i8 as i64,
        Width::B16 => value as i16 as i64,
        Width::B32 => value as i32 as i64,
        Width::B64 => value,
    }
}

fn imm_op(imm: Imm, width: Width) -> Op<'static> {
    match imm {
        Imm::Value(value) => Op::Imm(truncate(value.into(), width)),
        symbol => Op::Sym(symbol),
    }
}
