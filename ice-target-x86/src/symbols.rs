//! How code reaches symbols.
//!
//! | | x86-64 native | x86-32 static | x86-32 position-independent | sandboxed |
//! |---|---|---|---|---|
//! | own symbol | `lea s(%rip)` | `$s` | `lea s@GOTOFF(%base)` | `$s` |
//! | other symbol | `mov s@GOTPCREL(%rip)` | `$s` | `mov s@GOT(%base)` | `$s` |
//! | own function, call | `call f@PLT` | `call f` | `call f` | `call f` |
//! | other function, call | `call f@PLT` | `call f` | `call f@PLT`, base in ebx | `call f` |
//! | thread-local, local exec | `%fs:0` + `s@TPOFF` | `%gs:0` + `s@NTPOFF` | the same | |
//! | initial exec | + `s@GOTTPOFF(%rip)` | + `s@INDNTPOFF` | + `s@GOTNTPOFF(%base)` | |
//! | general dynamic | call of `__tls_get_addr` | as initial exec | call of `___tls_get_addr` | |
//!
//! A symbol is *own* where nothing outside of the linked module can take its place. In static x86-64 code all
//! are, but weak ones that are only declared: their address may be 0, which is out of reach. `base` is the
//! address of the global offset table, a virtual register made at the entry of functions that use it
//! ([`FrameInfo::global_base`](ice_codegen::mach::FrameInfo)).

use crate::inst::{Amode, Base, Callee, Inst};
use crate::regs::{GPR, RAX, RBX};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use ice_asm::x86::Mode;
use ice_asm::{ConstantSize, SymbolId};
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_codegen::{CodeModel, CodeSymbol, Libcall};
use ice_ir::native::Storage;
use ice_ir::{Function, GlobalId, Linkage, Module, Symbol, Value, ValueDef};

/// The symbol whose address `value` is.
pub(crate) fn symbol_of(func: &Function, value: Value) -> Option<Symbol> {
    match func.value_def(value) {
        ValueDef::Function(f) => Some(Symbol::Function(f)),
        ValueDef::Global(g) => Some(Symbol::Global(g)),
        _ => None,
    }
}

impl X86 {
    /// Whether the symbol's address is known up to the place of the linked module.
    #[inline]
    pub(crate) fn reaches(self, module: &Module, symbol: Symbol) -> bool {
        match (self.model, self.mode) {
            (CodeModel::Pnacl, _) | (CodeModel::Static, Mode::Bits32) => true,
            (CodeModel::Static, Mode::Bits64) => {
                let (linkage, _) = module.linkage(symbol);
                linkage != Linkage::Weak || !module.is_declared(symbol)
            }
            (CodeModel::PositionIndependent, _) => module.is_own(symbol),
        }
    }

    /// Whether addresses of symbols are immediate operands.
    pub(crate) const fn has_absolute_symbols(self) -> bool {
        matches!((self.model, self.mode), (CodeModel::Pnacl, _) | (CodeModel::Static, Mode::Bits32))
    }

    /// Whether addresses of symbols are displacements beside registers: those of static code are below 2 GiB.
    pub(crate) const fn has_symbol_displacements(self) -> bool {
        !matches!(self.model, CodeModel::PositionIndependent)
    }

    /// The register that global addresses hang off.
    pub(crate) fn global_base<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        let base = cx.sink.frame().global_base;
        let base = base.unwrap_or_else(|| cx.sink.new_vreg(GPR, 4));
        let frame = cx.sink.frame();
        frame.global_base = Some(base);
        frame.uses_global_base = true;
        base
    }

    /// Makes the register that global addresses hang off, if this code model has one.
    pub(crate) fn make_global_base<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) {
        if self.needs_global_base() {
            let dst = cx.sink.new_vreg(GPR, 4);
            cx.sink.frame().global_base = Some(dst);
            cx.sink.push(Inst::GlobalBase { dst });
        }
    }

    /// A constant in memory, as a memory operand.
    pub(crate) fn constant_address<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: ConstantSize,
        bits: u128,
    ) -> Amode {
        let mem = Amode::symbol(CodeSymbol::Constant(cx.constant(size, bits)).pack());
        if !self.needs_global_base() {
            return mem;
        }
        Amode { base: Base::Reg(self.global_base(cx)), ..mem }
    }

    /// Puts the address of a symbol that is not thread-local into `dst`.
    pub(crate) fn symbol_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, of: Symbol, dst: VReg) {
        let symbol = CodeSymbol::from(of).pack();
        if self.reaches(cx.module, of) {
            return self.own_address(cx, symbol, dst);
        }
        let base = if self.needs_global_base() { Some(self.global_base(cx)) } else { None };
        cx.sink.push(Inst::LoadTableEntry { dst, symbol, base });
    }

    /// Puts the address of an own symbol into `dst`.
    pub(crate) fn own_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, symbol: SymbolId, dst: VReg) {
        if !self.needs_global_base() {
            return cx.sink.push(Inst::MovSymbol { dst, symbol, addend: 0 });
        }
        let mem = Amode { base: Base::Reg(self.global_base(cx)), ..Amode::symbol(symbol) };
        cx.sink.push(Inst::Lea { width: self.address_width(), dst, mem });
    }

    /// Puts the address of this thread's copy of a thread-local variable into `dst`.
    pub(crate) fn thread_local_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, global: GlobalId, dst: VReg) {
        let of = Symbol::Global(global);
        let is_position_independent = self.model == CodeModel::PositionIndependent;
        let is_in_program = !cx.module.is_declared(of) || cx.module.is_own(of);
        let symbol = CodeSymbol::from(of).pack();
        match cx.module.globals[global].storage {
            Storage::ThreadLocalExec => self.thread_offset(cx, dst, Inst::AddThreadOffset { dst, symbol }),
            _ if !is_position_independent && is_in_program => {
                self.thread_offset(cx, dst, Inst::AddThreadOffset { dst, symbol });
            }
            Storage::ThreadGeneralDynamic | Storage::ThreadLocalDynamic if is_position_independent => {
                self.thread_local_call(cx, dst, symbol);
            }
            _ => {
                let base = if self.needs_global_base() { Some(self.global_base(cx)) } else { None };
                self.thread_offset(cx, dst, Inst::AddTableThreadOffset { dst, symbol, base });
            }
        }
    }

    fn thread_offset<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, add: Inst) {
        cx.sink.push(Inst::ThreadPointer { dst });
        cx.sink.push(add);
    }

    fn thread_local_call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, symbol: SymbolId) {
        let mut operands = ArrayVec::<Operand, 2>::new();
        if self.needs_global_base() {
            operands.push(Operand::use_fixed(self.global_base(cx), GPR, RBX));
        }
        operands.push(Operand::def_fixed(dst, GPR, RAX));
        cx.sink.frame().has_calls = true;
        cx.sink.push_with(Inst::ThreadLocalCall { symbol, mode: self.mode }, &operands);
    }

    /// What a call of a known function goes to; adds the register that it needs to its operands.
    pub(crate) fn callee<S: Sink<Inst>, const N: usize>(
        self,
        cx: &mut Cx<'_, S>,
        of: CodeSymbol,
        operands: &mut ArrayVec<Operand, N>,
    ) -> Callee {
        let is_reached = match of {
            CodeSymbol::Function(f) => self.reaches(cx.module, Symbol::Function(f)),
            _ => self.model == CodeModel::Static,
        };
        match self.model {
            CodeModel::PositionIndependent if !is_reached => {
                if self.needs_global_base() {
                    operands.push(Operand::use_fixed(self.global_base(cx), GPR, RBX));
                }
                Callee::Linked(of.pack())
            }
            CodeModel::Pnacl if self.mode == Mode::Bits64 && matches!(of, CodeSymbol::Libcall(_)) => {
                Callee::Linked(of.pack())
            }
            // The linker makes a plain call of it where it can.
            CodeModel::Static if self.mode == Mode::Bits64 => Callee::Linked(of.pack()),
            _ => Callee::Symbol(of.pack()),
        }
    }

    /// The symbol that resolves thread-local addresses.
    pub(crate) fn thread_resolver(self) -> SymbolId {
        CodeSymbol::Libcall(match self.mode {
            Mode::Bits32 => Libcall::TlsGetAddrRegister,
            Mode::Bits64 => Libcall::TlsGetAddr,
        })
        .pack()
    }
}
