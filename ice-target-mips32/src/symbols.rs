//! How code reaches symbols.
//!
//! | | sandboxed, static | position-independent |
//! |---|---|---|
//! | local symbol | `lui %hi`, `addiu %lo` | its page from the table (`%got`), `addiu %lo` |
//! | other symbol | the same | its entry in the table (`%got`) |
//! | function, call | `jal` | its entry (`%call16`), `jalr $t9` with the table in `$gp` |
//! | thread-local, local exec | `rdhwr` + `%tprel` | the same |
//! | initial exec | `rdhwr` + its entry (`%gottprel`) | the same |
//! | general dynamic | as local or initial exec | call of `__tls_get_addr` (`%tlsgd`) |
//!
//! The *table* is the linker's global offset table, which position-independent code reaches from a register that is made
//! at the entry of a function ([`FrameInfo::global_base`](ice_codegen::mach::FrameInfo)), other code from
//! `__gnu_local_gp`. A symbol is *local* where only this object has it: the table has one entry for each 64 KiB of them.

use crate::inst::{Amode, Base, Callee, Entry, Inst, Src};
use crate::regs::{GPR, r};
use crate::target::{Cx, Mips32};
use ice_asm::SymbolId;
use ice_asm::mips32::Alu;
use ice_codegen::Words as _;
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_codegen::return_call::PlaceArguments as _;
use ice_codegen::words::CallOperands;
use ice_codegen::{CodeSymbol, Libcall};
use ice_ir::native::Storage;
use ice_ir::{GlobalId, Module, Symbol};

/// Whether only the object that is made has the symbol.
fn is_local(module: &Module, symbol: CodeSymbol) -> bool {
    match symbol {
        CodeSymbol::Function(f) => module.linkage(Symbol::Function(f)).0.is_local(),
        CodeSymbol::Global(g) => module.linkage(Symbol::Global(g)).0.is_local(),
        CodeSymbol::Libcall(_) | CodeSymbol::Named(_) => false,
        CodeSymbol::Constant(_)
        | CodeSymbol::JumpTable(_)
        | CodeSymbol::Start
        | CodeSymbol::Label(_)
        | CodeSymbol::Part(_) => true,
    }
}

impl Mips32 {
    /// The register that position-independent code reaches the table from.
    fn global_base<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        let base = cx.sink.frame().global_base;
        let base = base.unwrap_or_else(|| {
            cx.fault("a function without a register for the linker's table uses one");
            cx.sink.new_vreg(GPR, 4)
        });
        cx.sink.frame().uses_global_base = true;
        base
    }

    /// The table, for what needs it only where code is position-independent.
    pub(crate) fn table_if_needed<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Option<VReg> {
        self.is_position_independent().then(|| self.global_base(cx))
    }

    /// Makes the register of the table of what the prologue leaves, if the code model has one
    /// ([`table_arguments`](Self::table_arguments)).
    pub(crate) fn make_global_base<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arguments: Option<[VReg; 2]>) {
        if let Some([distance, entry]) = arguments {
            let dst = cx.sink.new_vreg(GPR, 4);
            cx.sink.frame().global_base = Some(dst);
            cx.sink.push(Inst::GlobalBase { dst, distance, entry });
        }
    }

    /// The registers that [`make_global_base`](Self::make_global_base) reads, which come as arguments do.
    pub(crate) fn table_arguments<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        operands: &mut CallOperands,
    ) -> Option<[VReg; 2]> {
        self.is_position_independent().then(|| {
            let regs = [self.temp(cx), self.temp(cx)];
            operands.extend(regs.iter().zip([2, 25]).map(|(&reg, n)| Operand::def_fixed(reg, GPR, r(n))));
            regs
        })
    }

    /// The entry of a symbol in the table.
    fn entry<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, entry: Entry, symbol: SymbolId) -> VReg {
        let (base, dst) = (self.global_base(cx), self.temp(cx));
        cx.sink.push(Inst::TableEntry { dst, entry, symbol, base });
        dst
    }

    /// The memory at a symbol of the linked program.
    pub(crate) fn symbol_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, of: CodeSymbol, disp: i32) -> Amode {
        let symbol = of.pack();
        if !self.is_position_independent() {
            return Amode::new(Base::Symbol(symbol), disp);
        }
        let entry = self.entry(cx, Entry::Address, symbol);
        let base = if is_local(cx.module, of) { Base::Page(entry, symbol) } else { Base::Reg(entry) };
        Amode::new(base, disp)
    }

    /// Puts the address of a symbol that is not thread-local into `dst`.
    pub(crate) fn symbol_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, of: CodeSymbol, dst: VReg) {
        let mem = self.symbol_memory(cx, of, 0);
        cx.sink.push(match mem.base {
            Base::Symbol(symbol) => Inst::MovSymbol { dst, symbol, addend: 0 },
            Base::Reg(src) => Inst::Mov { dst, src },
            _ => Inst::Lea { dst, mem },
        });
    }

    /// What a call of a known function goes to, and the table that it passes.
    pub(crate) fn known_callee<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        of: CodeSymbol,
    ) -> (Callee, Option<VReg>) {
        let symbol = of.pack();
        if !self.is_position_independent() {
            return (Callee::Symbol(symbol), None);
        }
        let address = match is_local(cx.module, of) {
            true => {
                let dst = self.temp(cx);
                self.symbol_address(cx, of, dst);
                dst
            }
            false => self.entry(cx, Entry::Function, symbol),
        };
        (Callee::Value(address), self.table_if_needed(cx))
    }

    /// Puts the address of this thread's copy of a thread-local variable into `dst`.
    pub(crate) fn thread_local_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, global: GlobalId, dst: VReg) {
        let of = Symbol::Global(global);
        let is_in_program = !cx.module.is_declared(of) || cx.module.is_own(of);
        let symbol = CodeSymbol::from(of).pack();
        let is_static = !self.is_position_independent();
        match cx.module.globals[global].storage {
            Storage::ThreadGeneralDynamic | Storage::ThreadLocalDynamic if !is_static => {
                self.thread_local_call(cx, symbol, dst);
            }
            storage if storage == Storage::ThreadLocalExec || is_static && is_in_program => {
                let thread = self.thread_pointer(cx);
                cx.sink.push(Inst::Mov { dst, src: thread });
                cx.sink.push(Inst::AddThreadOffset { dst, symbol });
            }
            _ => {
                let base = match is_static {
                    false => self.global_base(cx),
                    true => {
                        let dst = self.temp(cx);
                        let table = CodeSymbol::Libcall(Libcall::LocalTable).pack();
                        cx.sink.push(Inst::MovSymbol { dst, symbol: table, addend: 0 });
                        dst
                    }
                };
                let offset = self.temp(cx);
                cx.sink.push(Inst::TableEntry { dst: offset, entry: Entry::ThreadOffset, symbol, base });
                let (lhs, rhs) = (Src::Reg(self.thread_pointer(cx)), Src::Reg(offset));
                cx.sink.push(Inst::Alu { op: Alu::Addu, dst, lhs, rhs });
            }
        }
    }

    /// The address of this thread's data.
    pub(crate) fn thread_pointer<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        let dst = self.temp(cx);
        cx.sink.push(Inst::ThreadPointer { dst });
        dst
    }

    fn thread_local_call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, symbol: SymbolId, dst: VReg) {
        let (base, variable) = (self.global_base(cx), self.temp(cx));
        cx.sink.push(Inst::ThreadVariable { dst: variable, symbol, base });
        let (callee, base) = self.known_callee(cx, CodeSymbol::Libcall(Libcall::TlsGetAddr));
        let operands = [Operand::use_fixed(variable, GPR, r(4)), Operand::def_fixed(dst, GPR, r(2))];
        cx.note_call(crate::abi::ArgumentPlaces::new(crate::abi::Convention::Fixed).stack_area());
        cx.sink.push_with(Inst::Call { callee, base }, &operands);
    }
}
