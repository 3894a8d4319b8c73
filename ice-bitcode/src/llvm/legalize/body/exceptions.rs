//! INVOKE, LANDINGPAD and RESUME (LLVM language reference, "Exception Handling"; bitcode specification, section 11.10).
//!
//! A call that may be left by an exception ends its ICE block, and its basic block goes on in another one, where the parts of
//! the result are. Each invoke has an ICE block of its own for its pad, which goes on to the basic block that the
//! record names; there a phi of the exception and one of the selector stand for the value of LANDINGPAD, made when all
//! invokes are known. So phis of that basic block name the pads of their predecessors.
//!
//! What lets an exception go on is a call of `_Unwind_Resume`, as LLVM makes it; on machines where a cleanup of C++ has
//! an end that is told, a call of the function for that (`__cxa_end_cleanup` on ARM: IHI 0041, 3.2.3).

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use ice_ir::{
    Block, Clause, FuncId, Inst, InstData, InvokeCallee, InvokeData, Pad, PadData, Symbol, TailHint, Type,
    Value,
};

use super::call::Callee;
use super::prototype::Prototype;
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::constants::{Constant, View};
use crate::llvm::wire::fold::Scalar;
use crate::llvm::wire::types::LlvmType;

/// The function that lets an exception go on.
pub(in crate::llvm::legalize) const RESUME: &str = "_Unwind_Resume";

/// What decides about exceptions of C++.
const CPP_PERSONALITY: &[u8] = b"__gxx_personality_v0";

/// What is known of the exceptions of a body.
#[derive(Default)]
pub(super) struct PadScratch {
    /// The basic block that exceptions of the call being built go to.
    pub(super) unwind: Option<u32>,
    /// The pad of each invoke, in the order of their basic blocks.
    edges: Vec<PadEdge>,
    /// By basic block, the number of the pad that it is; empty if there is none.
    pads: Vec<Option<Pad>>,
    /// The basic blocks with a LANDINGPAD, and the values that stand for it.
    landings: Vec<(u32, [Value; 2])>,
}

/// The ICE block between an invoke and the basic block that its exceptions go to.
#[derive(Clone, Copy)]
struct PadEdge {
    /// The basic block of the invoke.
    from: u32,
    /// The basic block that exceptions go to.
    to: u32,
    block: Block,
    values: [Value; 2],
}

impl PadScratch {
    pub(super) fn clear(&mut self) {
        self.unwind = None;
        self.edges.clear();
        self.pads.clear();
        self.landings.clear();
    }

    fn pad(&self, block: u32) -> Option<Pad> {
        self.pads.get(block as usize).copied().flatten()
    }
}

impl Body<'_, '_> {
    /// INVOKE.
    pub(super) fn invoke(&mut self) -> Checked<()> {
        let (list, flags, normal, unwind) = (self.op()?, self.op()?, self.op()?, self.op()?);
        if flags & 1 << 13 == 0 || flags >> 14 != 0 {
            return fail(Error::CallConvention { bits: flags });
        }
        let (normal, unwind) = (self.target(normal)?, self.target(unwind)?);
        let ty = self.type_operand()?;
        let LlvmType::Function { ret, params, variadic } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a function type"));
        };
        let convention = self.convention(flags & 0x3ff, ty)?;
        let prototype = Prototype { ty, ret, params, is_variadic: variadic, convention };
        if let Some(tag) = self.s.bundle.take() {
            self.check_bundle(tag)?;
        }
        let callee = match self.callee()? {
            Callee::Special(_) => return unsupported("an invoke of an intrinsic"),
            Callee::Assembly(_) => return unsupported("an invoke of inline assembly"),
            Callee::Function(function) => (Some(function), None),
            Callee::Address(address) => (None, Some(address)),
        };
        self.b.func.exceptions.personality = Some(self.personality()?);
        self.s.pads.unwind = Some(unwind.as_u32());
        let result = self.plain_call(list, &prototype, callee, TailHint::None, None);
        self.s.pads.unwind = None;
        result?;
        if self.kind(ret) != Kind::Void {
            // It is there on the way to the normal block only.
            let latest = self.s.next_local as usize - 1;
            self.s.locals[latest].block = self.s.stamp;
        }
        self.b.br(normal);
        self.terminated()
    }

    /// The function that decides about exceptions.
    fn personality(&self) -> Checked<FuncId> {
        let number = self.m.functions[self.s.function].personality.checked_sub(1);
        let Some(Symbol::Function(function)) = number.and_then(|number| self.symbol_of(number)) else {
            return unsupported("an invoke in a function without a personality");
        };
        let name = self.m.module.name(self.m.module.functions[function].name);
        let is_other = name.ends_with(b"_sj0") || name.ends_with(b"_seh0") || name.ends_with(b"_handler");
        match is_other || name.starts_with(b"__CxxFrameHandler") {
            true => {
                let name = alloc::string::String::from_utf8_lossy(name);
                unsupported(&alloc::format!("the personality {name}"))
            }
            false => Ok(function),
        }
    }

    /// Whether C++ decides about exceptions.
    fn has_cpp_personality(&self) -> bool {
        let personality = self.personality();
        personality.is_ok_and(|function| {
            self.m.module.name(self.m.module.functions[function].name) == CPP_PERSONALITY
        })
    }

    /// The symbol whose address a constant is.
    fn symbol_of(&self, number: u32) -> Option<Symbol> {
        let env = self.m.environment();
        match (View { env: &env, local: &self.s.constants }).scalar(number) {
            Scalar::Address { target, addend: 0 } => Some(target),
            _ => None,
        }
    }

    /// The call that is being built, as an invoke whose exceptions go to a basic block: its first result.
    pub(super) fn build_invoke(
        &mut self,
        callee: InvokeCallee,
        args: &[Value],
        ret: Type,
        unwind: u32,
    ) -> Option<Value> {
        let pad = self.pad_of(unwind);
        let normal = self.b.func.insert_new_block_after(self.ice_block());
        let block = self.b.create_block();
        self.b.invoke(InvokeData { callee, ret, normal, pad: block }, args);
        self.b.switch_to_block(block);
        let pointer = self.pointer();
        let values = self.b.landing_pad(pad, pointer);
        self.b.br(Block::from_u32(unwind));
        self.s.pads.edges.push(PadEdge { from: self.s.block, to: unwind, block, values });
        self.continue_in(normal);
        (ret != Type::Void).then(|| self.b.invoke_result(ret))
    }

    /// The number of the pad that a basic block is.
    fn pad_of(&mut self, block: u32) -> Pad {
        let pads = &mut self.s.pads.pads;
        if pads.is_empty() {
            pads.resize(self.s.num_blocks as usize, None);
        }
        let exceptions = &mut self.b.func.exceptions;
        *pads[block as usize].get_or_insert_with(|| exceptions.make_pad(PadData::default()))
    }

    /// LANDINGPAD.
    pub(super) fn landing_pad(&mut self) -> Checked<()> {
        if self.s.past_phis || self.s.block == 0 {
            return fail(Error::MisplacedLandingPad);
        }
        self.end_phis();
        self.name = "LANDINGPAD";
        let ty = self.type_operand()?;
        let (is_cleanup, count) = (self.op()? != 0, self.op()?);
        let pointer = self.pointer();
        self.value_shape(ty)?;
        let is_usual = matches!(self.m.legal.parts(ty)?, [a, b] if a.ty == pointer && b.ty == Type::I32);
        if !is_usual {
            return unsupported("a landing pad of another type than { ptr, i32 }");
        }
        let mut data = PadData { is_cleanup, clauses: Vec::new() };
        for _ in 0..count {
            let is_filter = self.op()? != 0;
            let number = self.number_operand()?;
            data.clauses.push(match is_filter {
                false => Clause::Catch(self.type_number(number)?),
                true => Clause::Filter(self.filter(number)?),
            });
        }
        self.end()?;
        let pad = self.pad_of(self.s.block);
        *self.b.func.exceptions.pad_mut(pad) = data;
        let values = [pointer, Type::I32].map(|ty| self.b.func.make_forward(ty));
        self.s.pads.landings.push((self.s.block, values));
        let run = self.reserve(2);
        self.set(run, 0, values[0]);
        self.set(run, 1, values[1]);
        self.define_run(ty, run)
    }

    /// The number of the next operand, which is a constant.
    fn number_operand(&mut self) -> Checked<u32> {
        let relative = self.op()?;
        let number = self.s.next_number().wrapping_sub(relative as u32);
        match relative >> 32 == 0 && number < self.s.next_number() {
            true => Ok(number),
            false => fail(Error::NonexistentValue { operand: relative }),
        }
    }

    /// The number, in the function's table, of a type that is named by its address or is every type.
    fn type_number(&mut self, number: u32) -> Checked<u32> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        let ty = match view.scalar(number) {
            Scalar::Number(0) => None,
            Scalar::Address { target, addend: 0 } => Some(target),
            _ => return unsupported("a type of exceptions that is no symbol"),
        };
        Ok(self.b.func.exceptions.type_number(ty))
    }

    /// The types of a filter.
    fn filter(&mut self, number: u32) -> Checked<Vec<u32>> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        let Some((constant, ty)) = view.get(number) else {
            return fail(Error::ConstantReference { value: number.into() });
        };
        let LlvmType::Array { len, .. } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "an array"));
        };
        match constant {
            Constant::Aggregate(run) => {
                let types = view.table(number).operands(run).to_vec();
                types.into_iter().map(|ty| self.type_number(ty)).collect()
            }
            _ if len == 0 => Ok(Vec::new()),
            _ => unsupported("a filter of every type"),
        }
    }

    /// `llvm.eh.typeid.for`: the selector of a type.
    pub(super) fn type_id(&mut self, prototype: &Prototype) -> Checked<()> {
        let number = self.number_operand()?;
        self.end()?;
        let selector = self.type_number(number)?;
        let value = self.i32(selector.into());
        match self.value_shape(prototype.ret)?.first {
            Type::I32 => self.define_one(prototype.ret, value),
            _ => fail(self.type_class(prototype.ret, "the type that the intrinsic gives")),
        }
    }

    /// RESUME.
    pub(super) fn resume(&mut self) -> Checked<()> {
        let value = self.vt()?;
        self.end()?;
        let exception = match self.m.legal.parts(value.ty)? {
            [first, ..] if first.ty == self.pointer() => self.part(value, 0),
            _ => return fail(self.type_class(value.ty, "the type of a landing pad")),
        };
        let ends_cleanup = self.m.legal.machine().ends_cleanups.filter(|_| self.has_cpp_personality());
        let resume = self.p.runtime.function(ends_cleanup.unwrap_or(RESUME));
        let Some(resume) = resume else {
            return unsupported("an exception that goes on");
        };
        let args = if ends_cleanup.is_some() { &[][..] } else { &[exception] };
        self.b.call(resume, args, Type::Void, TailHint::None);
        self.b.unreachable();
        self.terminated()
    }

    /// Makes the phis that stand for LANDINGPAD, when all invokes are known.
    pub(super) fn finish_pads(&mut self) -> Checked<()> {
        if self.s.pads.pads.is_empty() {
            return Ok(());
        }
        let landings = core::mem::take(&mut self.s.pads.landings);
        let edges = &self.s.pads.edges;
        let by_pad = BinaryHeap::from_iter(edges.iter().zip(0..).map(|(edge, n)| (edge.to, n)));
        let edges: Vec<PadEdge> = by_pad.into_sorted_vec().into_iter().map(|(_, n)| edges[n]).collect();
        if edges.iter().any(|edge| landings.binary_search_by_key(&edge.to, |landing| landing.0).is_err()) {
            return fail(Error::MisplacedLandingPad);
        }
        for &(block, values) in &landings {
            let first = edges.partition_point(|edge| edge.to < block);
            let edges = edges[first..].iter().take_while(|edge| edge.to == block);
            for (k, value) in values.into_iter().enumerate() {
                let incoming: Vec<_> = edges.clone().map(|edge| (edge.values[k], edge.block)).collect();
                let incoming = self.b.func.make_incoming(&incoming);
                let phi = self.b.func.make_inst_defining(InstData::Phi { incoming }, value);
                match self.b.func.layout.first_inst(Block::from_u32(block)) {
                    Some(before) => self.b.func.layout.insert_before(before, phi),
                    None => return fail(Error::NoTerminator),
                }
            }
        }
        self.s.pads.landings = landings;
        Ok(())
    }

    /// Every edge into a pad is that of an invoke. The flow graph is known.
    pub(super) fn check_pads(&self) -> Checked<()> {
        for &(block, _) in &self.s.pads.landings {
            let invokes = self.s.pads.edges.iter().filter(|edge| edge.to == block).count();
            if self.s.checks.cfg.preds(Block::from_u32(block)).len() != invokes {
                return fail(Error::MisplacedLandingPad);
            }
        }
        Ok(())
    }

    /// The ICE block from which control goes from a basic block to the phis of another one.
    pub(super) fn source_of(&self, phi_block: Block, pred: u32) -> Block {
        if self.s.pads.pad(phi_block.as_u32()).is_some()
            && let Ok(edge) = self.s.pads.edges.binary_search_by_key(&pred, |edge| edge.from)
        {
            return self.s.pads.edges[edge].block;
        }
        self.s.jumps.source(pred, phi_block).unwrap_or_else(|| self.last_block(pred))
    }

    /// Refuses phis of pads that name the result of the invoke which has failed.
    pub(super) fn check_pad_phi(&self, phi: Inst, block: Block) -> Checked<()> {
        if self.s.pads.pad(block.as_u32()).is_none() {
            return Ok(());
        }
        let InstData::Phi { incoming } = *self.b.func.inst(phi) else { return Ok(()) };
        for &(value, pred) in self.b.func.incoming(incoming) {
            let home = self.b.func.defining_inst(value).and_then(|def| self.b.func.layout.block_of(def));
            let is_normal = home.is_some_and(|home| home == self.last_block(pred.as_u32()) && home != pred);
            if is_normal && self.source_of(block, pred.as_u32()) != self.last_block(pred.as_u32()) {
                return fail(Error::NotDominated { value: value.as_u32() });
            }
        }
        Ok(())
    }
}
