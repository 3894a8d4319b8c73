//! The state of one body while it is read, whose memory is reused from body to body.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use ice_ir::{Block, FuncId, Function, Inst, StackProtection, Symbol, Value};

use super::LlvmProgram;
use super::assembly::JumpScratch;
use super::constant::ModuleValue;
use super::doubles::PhiHalf;
use super::exact_sums::ExactSums;
use super::exceptions::PadScratch;
use super::numbers::Numbers;
use super::places::Places;
use super::promoted::Promoted;
use super::shuffle::Shuffles;
use super::turns::TurnScratch;
use super::values::{self, Local, Operand, Run};
use super::widened::Known;
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::Result;
use crate::llvm::legalize::module::LlvmModule;
use crate::llvm::legalize::parts::PartConstant;
use crate::llvm::legalize::signature::Form;
use crate::llvm::wire::attributes::{FunctionFlags, ParamAttributes};
use crate::llvm::wire::constants::{Constants, View};
use crate::llvm::wire::demands::Hook;
use crate::llvm::wire::metadata::Predicates;
use crate::llvm::wire::types::TypeId;
use crate::llvm::wire::weights::{RareWay, Weights, for_each_weighted};
use crate::ssa::SsaChecks;

/// An entry of a phi that is set at the end of the body.
#[derive(Clone, Copy)]
pub(super) struct Fixup {
    pub(super) phi: Inst,
    pub(super) entry: u32,
    pub(super) number: u32,
    pub(super) part: u32,
    pub(super) pred: u32,
    /// It is this part and the next, joined.
    pub(super) is_double: bool,
}

/// The state of one body.
pub(super) struct Scratch {
    pub(super) function: FuncId,
    pub(super) constants: Constants,
    /// Local values by number: parameters, constants, results; announced ones ahead of time.
    pub(super) locals: Vec<Local>,
    /// Parts of values that have another number of them than one.
    pub(super) pool: Vec<Value>,
    pub(super) module_values: Vec<ModuleValue>,
    pub(super) epoch: u32,
    /// Whether there is a switch by addresses.
    pub(super) has_indirect_branches: bool,
    pub(super) first_local: u32,
    pub(super) next_local: u32,
    /// Announced values that are not defined yet.
    pub(super) pending: u32,
    pub(super) num_blocks: u32,
    /// The basic block that the next instruction belongs to.
    pub(super) block: u32,
    /// The ICE block that is appended to.
    pub(super) stamp: u32,
    pub(super) past_phis: bool,
    pub(super) has_begun: bool,
    pub(super) ret: Option<(TypeId, ParamAttributes)>,
    /// What is said of the function itself.
    pub(super) flags: FunctionFlags,
    /// Where a result of many parts goes.
    pub(super) result_slot: Option<Value>,
    /// The temporaries of operations on `x86_fp80`.
    pub(super) extended: Option<[Value; 3]>,
    /// Where results of these operations are in memory: the lower part, the upper one and the place.
    pub(super) extended_places: BTreeMap<Value, (Value, Value)>,
    /// Arguments and results that came extended.
    pub(super) promoted: Promoted,
    pub(super) exact_sums: ExactSums,
    /// Temporaries of 16 bytes for arguments in memory, and how many the current call has.
    pub(super) argument_places: Vec<Value>,
    pub(super) memory_arguments: usize,
    /// How the frame is guarded, and from how many bytes on an array in it is a large one.
    pub(super) protection: StackProtection,
    pub(super) large_array: u32,
    /// What the function calls before it returns.
    pub(super) exit_hook: Option<Hook>,
    /// The bundle in front of the next call.
    pub(super) bundle: Option<u32>,
    /// The type word that the next call, if it is one through an address, looks for.
    pub(super) type_word: Option<u32>,
    /// What its comparisons may name in metadata of its own.
    pub(super) predicates: Predicates,
    /// Which ways branches hardly ever go, in metadata of its own.
    pub(super) weights: Weights,
    /// How many instructions were read.
    pub(super) instructions: u32,
    /// The conditional branches, by their numbers among the instructions, and where they lead.
    pub(super) branches: Vec<(u32, [Block; 2])>,
    /// Where its instructions are in the source, if the module says it.
    pub(super) places: Places,
    /// Whether something is to be done before the next record is read: places are kept, or there is such a call as follows.
    pub(super) is_watched: bool,
    /// A call that the next RET makes one in place of a return.
    pub(super) tail_call: Option<TailCall>,
    /// What is known of its exceptions.
    pub(super) pads: PadScratch,
    /// What is known of its inline assembly that may jump.
    pub(super) jumps: JumpScratch,
    /// ICE blocks in which basic blocks went on.
    pub(super) splits: Vec<(u32, Block)>,
    pub(super) fixups: Vec<Fixup>,
    /// Halves of phis of the block that follow the phis.
    pub(super) phi_halves: Vec<PhiHalf>,
    pub(super) numbers: Numbers,
    pub(super) addresses: Vec<(Symbol, Value)>,
    pub(super) args: Vec<Value>,
    pub(super) operands: Vec<Operand>,
    pub(super) runs: Vec<Run>,
    pub(super) incoming: Vec<(Value, Block)>,
    pub(super) numbers_seen: Vec<i64>,
    pub(super) part_constants: Vec<PartConstant>,
    pub(super) mask: Vec<Option<u32>>,
    /// Shuffles that were made in one block.
    pub(super) shuffles: Shuffles,
    /// Vectors whose lanes stand in memory by turns.
    pub(super) turns: TurnScratch,
    /// Vectors of one block that were extended, or computed of such.
    pub(super) widened: Vec<Known>,
    /// The expression part that was built last, and the parts of the expression.
    pub(super) built: Option<(u32, u32)>,
    pub(super) built_run: Run,
    pub(super) depth: u32,
    pub(super) bool_vectors: Vec<(u32, TypeId)>,
    pub(super) bool_pairs: Vec<(TypeId, TypeId)>,
    pub(super) checks: SsaChecks,
}

/// A call that must or may be made in place of the return behind it.
#[derive(Clone, Copy)]
pub(super) struct TailCall {
    pub(super) call: Inst,
    pub(super) duty: Duty,
    /// Whether its first argument is memory for a result, which no argument of the program is.
    pub(super) is_demoted: bool,
    /// How its result comes.
    pub(super) form: Form,
}

/// What a mark of a call asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Duty {
    /// `musttail`: a return follows, and the call takes no stack.
    Always,
    /// `tail` and the convention `tailcc`: if a return follows, the call takes no stack.
    BeforeReturn,
    /// `tail`: later steps see whether it becomes a jump. If a return follows, the result stays extended as it comes.
    None,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            function: FuncId::from_u32(0),
            constants: Constants::default(),
            locals: Vec::new(),
            pool: Vec::new(),
            module_values: Vec::new(),
            epoch: 0,
            has_indirect_branches: false,
            first_local: 0,
            next_local: 0,
            pending: 0,
            num_blocks: 0,
            block: 0,
            stamp: 0,
            past_phis: false,
            has_begun: false,
            ret: None,
            flags: FunctionFlags::default(),
            result_slot: None,
            extended: None,
            extended_places: BTreeMap::new(),
            promoted: Promoted::default(),
            exact_sums: ExactSums::default(),
            argument_places: Vec::new(),
            memory_arguments: 0,
            protection: StackProtection::None,
            large_array: 0,
            exit_hook: None,
            bundle: None,
            type_word: None,
            predicates: Predicates::default(),
            weights: Weights::default(),
            instructions: 0,
            branches: Vec::new(),
            places: Places::default(),
            is_watched: false,
            tail_call: None,
            pads: PadScratch::default(),
            jumps: JumpScratch::default(),
            splits: Vec::new(),
            fixups: Vec::new(),
            phi_halves: Vec::new(),
            numbers: Numbers::default(),
            addresses: Vec::new(),
            args: Vec::new(),
            operands: Vec::new(),
            runs: Vec::new(),
            incoming: Vec::new(),
            numbers_seen: Vec::new(),
            part_constants: Vec::new(),
            mask: Vec::new(),
            shuffles: Shuffles::default(),
            turns: TurnScratch::default(),
            widened: Vec::new(),
            built: None,
            built_run: Run { start: 0, len: 0 },
            depth: 0,
            bool_vectors: Vec::new(),
            bool_pairs: Vec::new(),
            checks: SsaChecks::default(),
        }
    }
}

impl Scratch {
    /// Starts the body of `function`.
    pub(super) fn begin(&mut self, program: &LlvmModule, function: FuncId) {
        self.function = function;
        self.first_local = program.first_local();
        self.constants.clear(self.first_local);
        self.module_values.resize(self.first_local as usize, ModuleValue { epoch: 0, stamp: 0, first: 0 });
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.module_values.iter_mut().for_each(|value| value.epoch = 0);
            self.epoch = 1;
        }
        self.locals.clear();
        self.promoted.clear();
        self.exact_sums.clear();
        self.pool.clear();
        self.next_local = 0;
        self.pending = 0;
        self.num_blocks = 0;
        self.block = 0;
        self.stamp = 0;
        self.past_phis = false;
        self.has_begun = false;
        self.ret = None;
        self.result_slot = None;
        self.extended = None;
        self.extended_places.clear();
        self.argument_places.clear();
        self.shuffles.made.clear();
        self.turns.clear();
        self.widened.clear();
        self.memory_arguments = 0;
        self.protection = program.module.functions[function].traits.protection;
        self.bundle = None;
        self.type_word = None;
        if program.predicates.is_some() {
            self.predicates = Predicates::default();
        }
        self.weights.begin(&program.weights);
        self.instructions = 0;
        self.branches.clear();
        self.is_watched = program.debug.is_some();
        if let Some(debug) = &program.debug {
            self.places.begin(debug);
        }
        self.tail_call = None;
        self.pads.clear();
        self.jumps.clear();
        self.splits.clear();
        self.fixups.clear();
        self.phi_halves.clear();
        self.numbers.clear();
        self.addresses.clear();
        self.part_constants.clear();
        self.built = None;
        self.depth = 0;
        // Types of another module may have the same numbers.
        self.bool_vectors.clear();
        self.bool_pairs.clear();
        self.has_indirect_branches = false;
        self.checks.begin();
    }

    /// The number of the next value.
    #[inline(always)]
    pub(super) fn next_number(&self) -> u32 {
        self.first_local + self.next_local
    }

    pub(super) fn push_local(&mut self, operand: Operand) {
        let local = Local { first: operand.first, block: 0, noted: values::MISSING, ty: operand.ty };
        self.locals.push(local);
        self.next_local += 1;
    }

    pub(super) fn note_use(&mut self, index: u32, block: u32) {
        self.checks.note_use(index, block);
    }

    pub(super) fn note_early_use(&mut self, index: u32, block: u32) {
        self.checks.note_early_use(index, block);
    }

    /// Reads a CONSTANTS block; its values get the next numbers.
    pub(super) fn constants(
        &mut self,
        program: &LlvmProgram,
        reader: &mut Reader<'_>,
        inner: &BlockHeader,
        record: &mut Record,
    ) -> Result<()> {
        if self.constants.is_empty() {
            self.constants.clear(self.first_local + self.next_local);
        }
        self.constants.read(reader, inner, record, &program.header.environment())?;
        let all = self.constants.len();
        let first = self.constants.first() - self.first_local;
        for index in self.next_local..first + all {
            let number = self.first_local + index;
            let Some((_, ty)) = self.constants.get(number) else { break };
            self.locals.push(Local { first: 0, block: values::CONSTANT, noted: values::MISSING, ty });
        }
        self.next_local = self.locals.len() as u32;
        Ok(())
    }

    /// Reads what the METADATA block of the function says of weights.
    pub(super) fn own_weights(
        &mut self,
        program: &LlvmProgram,
        reader: &mut Reader<'_>,
        inner: &BlockHeader,
        record: &mut Record,
    ) -> Result<()> {
        let env = program.header.environment();
        let view = View { env: &env, local: &self.constants };
        self.weights.read_own(&program.header.weights, reader, inner, record, |id| view.number(id))
    }

    /// Notes where the branches with weights that the METADATA_ATTACHMENT block has hardly ever go.
    pub(super) fn note_rare_ways(
        &mut self,
        program: &LlvmProgram,
        reader: &mut Reader<'_>,
        inner: &BlockHeader,
        record: &mut Record,
        func: &mut Function,
    ) -> Result<()> {
        let (weights, branches) = (&self.weights, &self.branches);
        for_each_weighted(reader, inner, record, |inst, id| {
            let Some(way) = weights.rare_way(&program.header.weights, id) else { return };
            let found = branches.binary_search_by_key(&inst, |&(inst, _)| inst.into());
            if let Some(&(_, [yes, no])) = found.ok().and_then(|at| branches.get(at))
                && yes != no
            {
                func.rarity_mut(if way == RareWay::True { yes } else { no }).branches += 1;
            }
        })
    }
}
