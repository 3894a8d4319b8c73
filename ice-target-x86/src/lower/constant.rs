//! Constants that are worth a register through a loop ([`ice_codegen::constant_hoisting`]), in code with addresses of 64
//! bits.
//!
//! | constant | where it takes an instruction |
//! |---|---|
//! | number that is not one of 32 bits, extended by its sign | operand of arithmetic, comparison, what is stored |
//! | number that stands for a divisor of 64 bits | division |
//! | address that is displaced by registers ([`address`](crate::address)) | in code that may be anywhere |
//! | address that is compared, computed with or stored | everywhere |
//! | address from the linker's table | everywhere |
//! | zero of floating point, vector of zeros | comparison, arithmetic; what is stored, a vector |
//! | vector of zeros | shuffle with lanes of one, whose second lane is of it: bytes and words are extended so |
//!
//! An operand that the instruction replaces by its result is copied anyway, and so are arguments of calls.
//! [`X86::name_costly_constants`] follows the rules of lowering: what it names and no rule asks for wastes a register.

use super::divide::wide_multiplier;
use crate::inst::Inst;
use crate::symbols::symbol_of;
use crate::target::{Cx, X86};
use ice_asm::x86::Width;
use ice_codegen::Constant;
use ice_codegen::mach::{Sink, VReg};
use ice_ir::{BinaryOp, Function, InstData, Module, Type, Value, ValueDef};

impl X86 {
    /// Whether loops hold anything.
    pub(crate) const fn holds_constants(self) -> bool {
        self.has_wide_addresses()
    }

    /// The register of a constant that a loop holds.
    pub(crate) fn register_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<VReg> {
        if self.holds_constants() { cx.held(Constant::Value(value)) } else { None }
    }

    /// Makes a constant that a loop holds.
    pub(crate) fn make_held<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, constant: Constant, dst: VReg) {
        let value = match constant {
            Constant::Value(value) => value,
            Constant::Wide(number) => {
                let imm = number as i64;
                return cx.sink.push(Inst::MovImm { width: Width::B64, dst, imm });
            }
            Constant::Word(_) => return cx.fault("a number of 32 bits is held"),
        };
        match (cx.func.value_def(value), symbol_of(cx.func, value)) {
            (ValueDef::Int(imm), _) => cx.sink.push(Inst::MovImm { width: Width::B64, dst, imm }),
            (_, Some(symbol)) => self.symbol_address(cx, symbol, dst),
            _ if is_zeros(cx.func, value) => cx.sink.push(Inst::ZeroXmm { dst }),
            _ => cx.fault("what is held is neither a number nor an address, nor zeros"),
        }
    }

    /// The constants that the rule for `inst` puts in registers.
    pub(crate) fn name_costly_constants(
        self,
        module: &Module,
        func: &Function,
        inst: ice_ir::Inst,
        visit: &mut dyn FnMut(Constant, u32),
    ) {
        let is_costly = |value| is_wide_number(func, value) || symbol_of(func, value).is_some();
        let is_far = |value| symbol_of(func, value).is_some_and(|symbol| !self.reaches(module, symbol));
        let mut name = |value, is_named: bool| {
            if is_named {
                visit(Constant::Value(value), 1);
            }
        };
        match *func.inst(inst) {
            InstData::Load { address, .. } => name(address, is_far(address)),
            InstData::Store { address, value, .. } => {
                name(address, is_far(address));
                let is_vector = func.value_type(value).is_vector();
                name(value, is_costly(value) || is_vector && is_zeros(func, value));
            }
            InstData::Binary { op: BinaryOp::Add, args } if func.value_type(args[0]) == Type::I64 => {
                for [value, other] in [args, [args[1], args[0]]] {
                    let is_place = symbol_of(func, value).is_some();
                    let is_displaced = func.int_value(other).is_some() || self.has_symbol_displacements();
                    name(value, is_far(value) || is_wide_number(func, value) || is_place && !is_displaced);
                }
            }
            InstData::Binary { op, args: [_, b] } if op.is_division() => {
                let number = func.int_value(b).filter(|_| func.value_type(b) == Type::I64);
                if let Some(multiplier) = number.and_then(|number| wide_multiplier(op, number)) {
                    visit(Constant::Wide(multiplier as u64), 1);
                }
            }
            InstData::Binary { op, args: [a, b] } => {
                let is_mask =
                    op == BinaryOp::And && func.int_value(b).is_some_and(|n| u32::try_from(n).is_ok());
                name(a, op.is_commutative() && is_costly(a));
                name(b, is_costly(b) && !is_mask || is_zeros(func, b));
            }
            InstData::Icmp { args, .. } => args.into_iter().for_each(|value| name(value, is_costly(value))),
            InstData::Fcmp { args, .. } => {
                args.into_iter().for_each(|value| name(value, is_zeros(func, value)))
            }
            InstData::InsertElement { element, index, .. } if func.int_value(index) == Some(1) => {
                // With AVX lanes are mostly extended by an instruction that takes no zeros.
                let has_avx = module.functions[func.id].traits.wide_registers;
                if let Some(&InstData::ExtractElement { vector, .. }) =
                    func.defining_inst(element).map(|inst| func.inst(inst))
                {
                    name(vector, !has_avx && is_zeros(func, vector));
                }
            }
            _ => {}
        }
    }
}

/// Whether the value is zero of floating point, or a vector of up to 128 bits without any.
fn is_zeros(func: &Function, value: Value) -> bool {
    let ty = func.value_type(value);
    match func.value_def(value) {
        ValueDef::Float(0) => true,
        ValueDef::Zero => (ty.is_vector() || ty.is_scalar_float()) && !ty.is_wide(),
        _ => false,
    }
}

/// Whether the value is a number that no instruction carries.
fn is_wide_number(func: &Function, value: Value) -> bool {
    func.value_type(value) == Type::I64 && func.int_value(value).is_some_and(|n| i32::try_from(n).is_err())
}
