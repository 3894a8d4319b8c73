//! How code reaches symbols.
//!
//! | | sandboxed, static | position-independent |
//! |---|---|---|
//! | own symbol | `adrp`, `add :lo12:` | the same |
//! | other symbol | the same | `adrp :got:`, `ldr :got_lo12:` |
//! | function, call | `bl` | the same |
//! | thread-local, local exec | `mrs` + `:tprel_hi12:`, `:tprel_lo12_nc:` | the same |
//! | initial exec | `mrs` + `:gottprel:` | the same |
//! | general dynamic | as initial exec | `mrs` + call of the resolver of `:tlsdesc:` |
//!
//! A symbol is *own* where nothing outside of the linked module can take its place. In static code all are, but weak ones
//! that are only declared: their address may be 0, which is out of reach. (ELF for the Arm 64-bit Architecture, 2023Q3,
//! 5.7.)

use crate::inst::{Inst, Rhs};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Width};
use ice_codegen::abi::StackArguments;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{CodeModel, CodeSymbol};
use ice_ir::native::Storage;
use ice_ir::{GlobalId, Linkage, Module, Symbol};

impl Aarch64 {
    /// Whether the symbol is at a distance from the code that the linker knows.
    pub(crate) fn reaches(self, module: &Module, symbol: CodeSymbol) -> bool {
        let of = match symbol {
            CodeSymbol::Function(f) => Symbol::Function(f),
            CodeSymbol::Global(g) => Symbol::Global(g),
            CodeSymbol::Libcall(_) | CodeSymbol::Named(_) => return !self.is_position_independent(),
            _ => return true,
        };
        match self.model {
            CodeModel::Pnacl => true,
            CodeModel::Static => {
                let (linkage, _) = module.linkage(of);
                linkage != Linkage::Weak || !module.is_declared(of)
            }
            CodeModel::PositionIndependent => module.is_own(of),
        }
    }

    /// Puts the address of a symbol that is not thread-local into `dst`.
    pub(crate) fn symbol_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, of: CodeSymbol, dst: VReg) {
        let symbol = of.pack();
        cx.sink.push(match self.reaches(cx.module, of) {
            true => Inst::MovSymbol { dst, symbol, addend: 0 },
            false => Inst::TableEntry { dst, symbol },
        });
    }

    /// Puts the address of this thread's copy of a thread-local variable into `dst`.
    pub(crate) fn thread_local_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, global: GlobalId, dst: VReg) {
        let of = Symbol::Global(global);
        let is_in_program = !cx.module.is_declared(of) || cx.module.is_own(of);
        let symbol = CodeSymbol::from(of).pack();
        let is_static = !self.is_position_independent();
        let offset = match cx.module.globals[global].storage {
            Storage::ThreadGeneralDynamic | Storage::ThreadLocalDynamic if !is_static => {
                let dst = self.address_temp(cx);
                cx.note_call(StackArguments::EMPTY);
                cx.sink.push(Inst::ThreadDescriptor { dst, symbol });
                dst
            }
            storage if storage == Storage::ThreadLocalExec || is_static && is_in_program => {
                let src = self.address_temp(cx);
                cx.sink.push(Inst::ThreadPointer { dst: src });
                return cx.sink.push(Inst::AddThreadOffset { dst, src, symbol });
            }
            _ => {
                let dst = self.address_temp(cx);
                cx.sink.push(Inst::ThreadOffset { dst, symbol });
                dst
            }
        };
        let thread = self.address_temp(cx);
        cx.sink.push(Inst::ThreadPointer { dst: thread });
        self.alu(cx, (Alu::Add, Width::X), dst, thread, Rhs::Reg(offset));
    }
}
