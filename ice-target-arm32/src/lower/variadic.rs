//! Variadic functions: `va_start`.
//!
//! Core registers that carry no parameter are stored right below the stack arguments when the function begins
//! ([`lower_incoming`](crate::target::Arm32::lower_incoming)), so that variable arguments lie in memory one after
//! another, and a list of them is one address (AAPCS, IHI 0042F, 7.1.4).

use super::call::home;
use crate::abi::CORE_ARGS;
use crate::inst::{Amode, Base, Inst};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::Transfer;
use ice_codegen::Words as _;
use ice_codegen::mach::Sink;
use ice_ir::Value;

impl Arm32 {
    /// Makes the list begin with the first variadic argument.
    pub(super) fn start_variadic<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, list: Value) {
        let places = self.places_after_parameters(cx.module.signature(cx.func.id));
        let first = match places.core {
            core @ 0..CORE_ARGS => home(core),
            _ => Amode::new(Base::Incoming, places.stack.bytes() as i32),
        };
        let src = self.temp(cx);
        cx.sink.push(Inst::Lea { dst: src, mem: first });
        let mem = self.address(cx, list);
        cx.sink.push(Inst::Store { op: Transfer::Str, src, mem });
    }
}
