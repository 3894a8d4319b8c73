//! Block ids, record codes and operator numbers of the wire format (bitcode specification, sections 4, 5 and 7).

use ice_ir::{BinaryOp, CastOp, FloatCond, IntCond};

/// Block ids.
pub mod block {
    pub const BLOCKINFO: u32 = 0;
    pub const MODULE: u32 = 8;
    pub const CONSTANTS: u32 = 11;
    pub const FUNCTION: u32 = 12;
    pub const VALUE_SYMTAB: u32 = 14;
    pub const TYPE: u32 = 17;
    pub const GLOBALVAR: u32 = 19;
}

/// Records of MODULE.
pub mod module {
    pub const VERSION: u32 = 1;
    pub const FUNCTION: u32 = 8;
}

/// Records of TYPE.
pub mod types {
    pub const NUMENTRY: u32 = 1;
    pub const VOID: u32 = 2;
    pub const FLOAT: u32 = 3;
    pub const DOUBLE: u32 = 4;
    pub const INTEGER: u32 = 7;
    pub const VECTOR: u32 = 12;
    pub const FUNCTION: u32 = 21;
}

/// Records of GLOBALVAR.
pub mod globals {
    pub const VAR: u32 = 0;
    pub const COMPOUND: u32 = 1;
    pub const ZEROFILL: u32 = 2;
    pub const DATA: u32 = 3;
    pub const RELOC: u32 = 4;
    pub const COUNT: u32 = 5;
}

/// Records of VALUE_SYMTAB.
pub mod symbols {
    pub const ENTRY: u32 = 1;
    pub const BBENTRY: u32 = 2;
}

/// Records of CONSTANTS.
pub mod constants {
    pub const SETTYPE: u32 = 1;
    pub const UNDEF: u32 = 3;
    pub const INTEGER: u32 = 4;
    pub const FLOAT: u32 = 6;
}

/// Records of FUNCTION.
pub mod function {
    pub const DECLAREBLOCKS: u32 = 1;
    pub const BINOP: u32 = 2;
    pub const CAST: u32 = 3;
    pub const EXTRACTELT: u32 = 6;
    pub const INSERTELT: u32 = 7;
    pub const RET: u32 = 10;
    pub const BR: u32 = 11;
    pub const SWITCH: u32 = 12;
    pub const UNREACHABLE: u32 = 15;
    pub const PHI: u32 = 16;
    pub const ALLOCA: u32 = 19;
    pub const LOAD: u32 = 20;
    pub const STORE: u32 = 24;
    pub const CMP2: u32 = 28;
    pub const VSELECT: u32 = 29;
    pub const CALL: u32 = 34;
    pub const FORWARDTYPEREF: u32 = 43;
    pub const CALL_INDIRECT: u32 = 44;
}

/// Operators on integers, by number.
pub const INT_OPERATORS: [BinaryOp; 13] = {
    use BinaryOp::*;
    [Add, Sub, Mul, Udiv, Sdiv, Urem, Srem, Shl, Lshr, Ashr, And, Or, Xor]
};

/// Operators on floating point, by number.
pub const FLOAT_OPERATORS: [Option<BinaryOp>; 7] = {
    use BinaryOp::*;
    [Some(Fadd), Some(Fsub), Some(Fmul), None, Some(Fdiv), None, Some(Frem)]
};

/// Conversions, by number.
pub const CASTS: [Option<CastOp>; 12] = {
    use CastOp::*;
    [
        Some(Trunc),
        Some(Zext),
        Some(Sext),
        Some(Fptoui),
        Some(Fptosi),
        Some(Uitofp),
        Some(Sitofp),
        Some(Fptrunc),
        Some(Fpext),
        None,
        None,
        Some(Bitcast),
    ]
};

/// The number of the first integer predicate; those of floating point start at 0.
pub const FIRST_INT_PREDICATE: u64 = 32;

/// The floating-point predicate with this number.
pub fn float_predicate(number: u64) -> Option<FloatCond> {
    FloatCond::ALL.get(usize::try_from(number).ok()?).copied()
}

/// The integer predicate with this number.
pub fn int_predicate(number: u64) -> Option<IntCond> {
    IntCond::ALL.get(usize::try_from(number.checked_sub(FIRST_INT_PREDICATE)?).ok()?).copied()
}

/// The number of an operator.
pub fn operator_number(op: BinaryOp) -> u64 {
    let int = INT_OPERATORS.iter().position(|&o| o == op);
    int.or_else(|| FLOAT_OPERATORS.iter().position(|&o| o == Some(op))).unwrap_or(0) as u64
}

/// The number of a conversion.
pub fn cast_number(op: CastOp) -> u64 {
    CASTS.iter().position(|&c| c == Some(op)).unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_operators_agree() {
        // The published numbers, bitcode specification 7.3.
        assert_eq!(INT_OPERATORS[9], BinaryOp::Ashr);
        assert_eq!(FLOAT_OPERATORS[6], Some(BinaryOp::Frem));
        assert_eq!(CASTS[5], Some(CastOp::Uitofp));
        assert_eq!(CASTS[8], Some(CastOp::Fpext));
        assert_eq!(int_predicate(34), Some(IntCond::Ugt));
        assert_eq!(int_predicate(41), Some(IntCond::Sle));
        assert_eq!((int_predicate(31), int_predicate(42)), (None, None));
        assert_eq!(float_predicate(14), Some(FloatCond::Une));
        assert_eq!(float_predicate(16), None);
        for &op in BinaryOp::ALL {
            let number = operator_number(op) as usize;
            let found = if op.is_float() { FLOAT_OPERATORS[number] } else { Some(INT_OPERATORS[number]) };
            assert_eq!(found, Some(op));
        }
        for &op in CastOp::ALL {
            assert_eq!(CASTS[cast_number(op) as usize], Some(op));
        }
    }
}
