//! Says whether a module or a function obeys the rules, and where it does not.
//!
//! The rule book is the list [`Rule`] below, one line a rule with its label: structure, constants, types,
//! SSA form, calls, memory, and what concerns the module as a whole. [`Rules::Pnacl`] asks for everything
//! that the stable bitcode format asks for; [`Rules::Ice`] leaves out what only that format wants, and is
//! what passes and back ends rely on.
//!
//! A function is checked in three steps: structure (whatever would make the others panic; they are not
//! tried if it fails), then types instruction by instruction, then dominance and phis with a
//! [`DominatorTree`]. Uses in unreachable blocks are exempt from dominance, as no execution sees them.
//!
//! Cost: linear in instructions, operands and edges, plus the dominator tree and the sorting of switch
//! cases. All working memory is in [`VerifierScratch`]; at most [`MAX_ERRORS`] errors are reported.

mod assembly;
mod exceptions;
mod indirect;
mod module;
mod types;

pub use module::{verify_module, verify_program};
pub use types::broken_type_rule;

use alloc::vec::Vec;
use core::fmt;

use crate::dominators::DominatorTree;
use crate::entities::{Block, FuncId, GlobalId, Inst, SigId, Value};
use crate::flowgraph::ControlFlowGraph;
use crate::function::{Function, ValueDef};
use crate::instruction::InstData;
use crate::module::{FunctionKind, Module};
use crate::types::Type;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};

/// The most errors that one call reports.
pub const MAX_ERRORS: usize = 100;

/// How much is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rules {
    /// Everything of the stable bitcode format.
    Pnacl,
    /// What passes and back ends rely on.
    Ice,
}

macro_rules! rule_book {
    ($($variant:ident $label:literal $statement:literal)*) => {
        /// What must hold.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule { $(#[doc = $statement] $variant,)* }

        impl Rule {
            /// Every rule, in the order of the book.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            /// The short name.
            pub const fn label(self) -> &'static str {
                match self { $(Rule::$variant => $label,)* }
            }

            /// What must hold, as a sentence.
            pub const fn statement(self) -> &'static str {
                match self { $(Rule::$variant => $statement,)* }
            }
        }
    };
}

rule_book! {
    // Structure of a function.
    HasEntry         "has-entry"          "A function has at least one block."
    Header           "header"             "The parameters and the return type of a body are those of its signature."
    Terminated       "terminated"         "Every block ends in a terminator and has no other."
    Reference        "reference"          "Every value, block, case table and function that is named exists."
    Defined          "defined"            "Every operand is a parameter, a constant, an address or the result of an instruction in a block."
    Result           "result"             "An instruction has a result exactly if its kind, or the signature it calls, says so, and defines it alone."
    EntryTarget      "entry-target"       "No branch goes to the entry block."
    PhiPosition      "phi-position"       "Phis come first in a block, and the entry block has none."
    // Constants and addresses.
    Constant         "constant"           "Integer constants have a scalar integer type and are sign-extended from it; floating-point constants are f32 or f64 and fit; `zero` is a vector."
    AddressType      "address-type"       "The address of a symbol has the pointer type of the module, and the symbol exists."
    IntrinsicAddress "intrinsic-address"  "The address of an intrinsic is never taken."
    // Types.
    BinaryType       "binary-type"        "Both operands and the result of arithmetic have one type, with lanes as the operation wants them."
    BoolArithmetic   "bool-arithmetic"    "Pnacl: i1 lanes know only and, or and xor; no arithmetic, shift or icmp."
    CastType         "cast-type"          "A conversion goes between the classes and widths of its name, lane by lane; bitcast keeps the number of bits."
    CompareType      "compare-type"       "A comparison has operands of one type, integer or floating-point as it says, and a result of i1 lanes."
    SelectType       "select-type"        "A select has arms and result of one type and an i1 condition, or one i1 for each lane."
    LaneType         "lane-type"          "Lane access goes to a vector of 128 bits, and the element has the lane type; a vector of 256 bits has two halves."
    LaneIndex        "lane-index"         "A lane index is an i32 constant below the number of lanes."
    BranchType       "branch-type"        "A branch is decided by an i1."
    SwitchType       "switch-type"        "A switch is decided by an i8, i16, i32 or i64."
    SwitchCases      "switch-cases"       "The cases of a switch are distinct and sign-extended from its type."
    ReturnType       "return-type"        "A return gives a value of the function's return type, or none if that is void."
    StableType       "stable-type"        "Pnacl: no value is a vector of two lanes or of 256 bits."
    WideVector       "wide-vector"        "Vectors of 256 bits are in functions whose processors have such registers; calls, parameters and returns have the halves."
    // SSA form.
    Dominance        "dominance"          "The definition of an operand dominates its use; for a phi, the end of the predecessor."
    PhiType          "phi-type"           "Every value of a phi has the type of the phi."
    PhiEdges         "phi-edges"          "A phi has one entry for every incoming edge, and equal values for edges from one block."
    // Memory.
    PointerOperand   "pointer-operand"    "The address of a load, store or indirect call and the result of an alloca have the pointer type."
    AllocaSize       "alloca-size"        "The size of an alloca is an i32 (Ice: or as wide as a pointer)."
    MemoryType       "memory-type"        "Vectors of i1 are not in memory (Pnacl: nor is i1)."
    Alignment        "alignment"          "An alignment is at most 2^29 (Pnacl: for loads and stores one of those of the type)."
    // Calls.
    CallArguments    "call-arguments"     "The arguments and the result of a call are those of the signature."
    ReturnCall       "return-call"        "A call in place of a return goes to a function with the results, or an integer where the own has none, and the convention of its own; where one of the two has the address of memory for the result as a parameter, both do, and it is passed on; in a variadic function it goes to a variadic one of the same parameters, with arguments for these alone (Pnacl: there is none)."
    Assembly         "assembly"           "Inline assembly has an argument for each input, and outputs behind it for all of its results but the first; one that may jump has a target behind the text and one for each label constraint, which have no other predecessor and no phis and begin with its results (Pnacl: there is none)."
    Invoke           "invoke"             "An invoke has two successors, which have no other predecessor and no phis; the normal one begins with its result, if it has one, and the pad with a landing pad, and these are nowhere else; clauses name types of the function, which has a personality (Pnacl: there is none)."
    IndirectBranch   "indirect-branch"    "A switch by addresses is decided by an address, and its cases are numbers of labels; no case has another predecessor or edge, the default only ends in unreachable, and a function has one such switch at most (Pnacl: there is none); labels are of functions with a body."
    CallKind         "call-kind"          "An intrinsic is called as what its declaration says, and other functions are not called as intrinsics."
    IndirectSmall    "indirect-small"     "Pnacl: an indirect call passes and returns i32, i64, f32, f64 and vectors only."
    AtomicOperation  "atomic-operation"   "The operation of an atomic read-modify-write is a constant from 1 to 6."
    IntrinsicOperand "intrinsic-operand"  "Pnacl: alignments, memory orders and lock-free sizes of intrinsics are constants of the accepted values."
    // The module.
    PointerType      "pointer-type"       "The pointer type is i32 (Ice: or i64)."
    TypeTable        "type-table"         "Signatures in the type table and of functions exist."
    SignatureTypes   "signature-types"    "No parameter is void."
    Passing          "passing"            "Addresses are what is passed by value, as the static chain or as the memory for the result, the last two once at most and the latter without a result; a pair is of two i64; a list of passings has one for each parameter, and then any number of objects by value among variable arguments."
    SmallParameter   "small-parameter"    "Pnacl: defined functions take and return i32, i64, f32, f64 and vectors only."
    DeclaredFunction "declared-function"  "Pnacl: every function without a body is an intrinsic, and external."
    IntrinsicName    "intrinsic-name"     "No declared function has a name that begins with llvm. Pnacl: intrinsics have the name and signature of one of the stable set, and no other name begins so (Ice: as many parameters, and a result or none, as in the set)."
    EntryPoint       "entry-point"        "Pnacl: exactly one defined function is external, and it is called _start."
    SymbolNames      "symbol-names"       "Names are distinct, and the symbol table lists symbols that exist, once."
    GlobalAlignment  "global-alignment"   "The alignment of a global is at most 2^29."
    GlobalContents   "global-contents"    "Initial bytes exist, relocations refer to functions with an address or to globals, a resolver has a body, a global is below 4 GiB (Pnacl: and neither it nor a run of bytes is empty)."
    StackGuard       "stack-guard"      "What guards frames exists: a function that takes and gives nothing, and a variable or the intrinsic that reads a word of a segment."
    Bodies           "bodies"             "A program has the bodies of its defined functions, in order."
}

/// Where a rule is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// The module as a whole.
    Module,
    /// A signature.
    Signature(SigId),
    /// A global variable.
    Global(GlobalId),
    /// A function as a whole.
    Function(FuncId),
    /// A block.
    Block(FuncId, Block),
    /// An instruction and its block.
    Inst(FuncId, Block, Inst),
    /// A value.
    Value(FuncId, Value),
}

/// A broken rule and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifierError {
    /// What does not hold.
    pub rule: Rule,
    /// Where.
    pub place: Location,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Module => f.write_str("module"),
            Location::Signature(sig) => write!(f, "{sig}"),
            Location::Global(global) => write!(f, "{global}"),
            Location::Function(func) => write!(f, "{func}"),
            Location::Block(func, block) => write!(f, "{func}, {block}"),
            Location::Inst(func, block, inst) => write!(f, "{func}, {block}, {inst}"),
            Location::Value(func, value) => write!(f, "{func}, {value}"),
        }
    }
}

impl fmt::Display for VerifierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.rule.label(), self.rule.statement())
    }
}

impl core::error::Error for VerifierError {}

/// Working memory, reused from function to function.
#[derive(Clone, Default)]
pub struct VerifierScratch {
    cfg: ControlFlowGraph,
    dominators: DominatorTree,
    /// Place of every instruction in its block.
    positions: SecondaryMap<Inst, u32>,
    /// Sources of all edges, repeated ones included, by target.
    edge_ends: Vec<u32>,
    edges: Vec<Block>,
    /// Edges from each block into the current one, and how many a phi has named.
    expected: SecondaryMap<Block, u32>,
    named: SecondaryMap<Block, (u32, PackedOption<Value>)>,
    cases: Vec<i64>,
}

impl VerifierScratch {
    /// Empty working memory.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Checks one body. `Err` has at least one error, in the order of the text.
pub fn verify_function(
    module: &Module,
    func: &Function,
    rules: Rules,
    scratch: &mut VerifierScratch,
) -> Result<(), Vec<VerifierError>> {
    let mut verifier = Verifier {
        module,
        func,
        rules,
        place: Location::Function(func.id),
        errors: Vec::new(),
        only_preds: Vec::new(),
    };
    verifier.structure(scratch);
    if verifier.errors.is_empty() {
        verifier.find_only_predecessors();
        verifier.types(&mut scratch.cases);
        verifier.ssa(scratch);
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

struct Verifier<'a> {
    module: &'a Module,
    func: &'a Function,
    rules: Rules,
    place: Location,
    errors: Vec<VerifierError>,
    /// By block the number of edges that go there and the source of the last one, if the function has invokes or a switch by
    /// addresses.
    only_preds: Vec<(u32, Block)>,
}

impl Verifier<'_> {
    /// Reports `rule` at the current place unless it `holds`.
    fn check(&mut self, rule: Rule, holds: bool) {
        if !holds && self.errors.len() < MAX_ERRORS {
            self.errors.push(VerifierError { rule, place: self.place });
        }
    }

    /// As [`check`](Self::check), if the stable format is asked for.
    fn check_pnacl(&mut self, rule: Rule, holds: bool) {
        self.check(rule, holds || self.rules == Rules::Ice);
    }

    /// Everything without which looking further could panic.
    fn structure(&mut self, scratch: &mut VerifierScratch) {
        let func = self.func;
        let decl = self.module.functions.get(func.id);
        let signature = decl.and_then(|decl| self.module.signatures.get(decl.signature));
        let (Some(decl), Some(signature)) = (decl, signature) else {
            return self.check(Rule::Reference, false);
        };
        let params = func.params().iter().map(|&v| func.value_type(v));
        let same = func.ret == signature.ret && params.eq(signature.params.iter().copied());
        self.check(Rule::Header, same && decl.kind == FunctionKind::Defined);
        self.check(Rule::HasEntry, func.layout.entry().is_some());
        scratch.positions.clear();
        for block in func.blocks() {
            let last = func.layout.last_inst(block);
            self.place = Location::Block(func.id, block);
            self.check(Rule::Terminated, last.is_some());
            let mut in_phis = func.layout.entry() != Some(block);
            for (position, inst) in func.block_insts(block).enumerate() {
                let data = func.inst(inst);
                scratch.positions[inst] = position as u32;
                self.place = Location::Inst(func.id, block, inst);
                self.check(Rule::Terminated, data.is_terminator() == (last == Some(inst)));
                let is_phi = matches!(data, InstData::Phi { .. });
                self.check(Rule::PhiPosition, in_phis || !is_phi);
                in_phis &= is_phi;
                self.references(inst);
            }
        }
    }

    /// Whether everything that `inst` names exists.
    fn references(&mut self, inst: Inst) {
        let func = self.func;
        let value_exists = |value: Value| value.index() < func.num_values();
        let mut exists = true;
        let mut defined = true;
        if let InstData::Switch { table, .. } = *func.inst(inst)
            && table.index() >= func.num_switches()
        {
            return self.check(Rule::Reference, false);
        }
        if !self.has_exceptions_of(inst) {
            return self.check(Rule::Reference, false);
        }
        func.for_each_operand(inst, |value| {
            if !value_exists(value) {
                exists = false;
                return;
            }
            defined &= match func.value_def(value) {
                ValueDef::Inst(def) => func.layout.block_of(def).is_some(),
                ValueDef::Forward => false,
                _ => true,
            };
        });
        let block_exists = |block: Block| block.index() < func.num_blocks();
        let entry = func.layout.entry();
        let mut reaches_entry = false;
        let mut target = |block: Block| {
            exists &= block_exists(block);
            reaches_entry |= Some(block) == entry;
        };
        let called = match *func.inst(inst) {
            InstData::Br { target: block } => {
                target(block);
                None
            }
            InstData::CondBr { if_true, if_false, .. } => {
                [if_true, if_false].into_iter().for_each(target);
                None
            }
            InstData::Switch { default, table, .. } => {
                target(default);
                func.switch(table).cases.iter().for_each(|&(_, block)| target(block));
                None
            }
            InstData::Invoke { call, .. } => {
                let call = func.exceptions.invocation(call);
                [call.normal, call.pad].into_iter().for_each(target);
                None
            }
            InstData::AssemblyJump { assembly, .. } => {
                func.assembly(assembly).into_iter().flat_map(|a| &a.targets).copied().for_each(target);
                None
            }
            InstData::Phi { incoming } => {
                exists &= func.incoming(incoming).iter().all(|&(_, block)| block_exists(block));
                None
            }
            InstData::Call { callee, .. }
            | InstData::CallIntrinsic { callee, .. }
            | InstData::ReturnCall { callee, .. } => {
                let decl = self.module.functions.get(callee);
                let signature = decl.and_then(|decl| self.module.signatures.get(decl.signature));
                exists &= signature.is_some();
                signature.map(|signature| signature.ret)
            }
            _ => None,
        };
        self.check(Rule::Reference, exists);
        self.check(Rule::Defined, defined);
        self.check(Rule::EntryTarget, !reaches_entry);
        if !exists {
            return;
        }
        let result = func.result(inst);
        let has_result = match (func.inst(inst), called) {
            (data, _) if data.is_terminator() => false,
            (_, Some(ret)) => ret != Type::Void,
            (InstData::CallIndirect { .. } | InstData::Assembly { .. }, _) => result.is_some(),
            (InstData::CallAs { signature, .. }, _) => {
                self.module.signatures.get(*signature).is_some_and(|s| s.ret != Type::Void)
            }
            (InstData::Store { .. }, _) => false,
            _ => true,
        };
        let own = result.is_none_or(|v| value_exists(v) && func.defining_inst(v) == Some(inst));
        self.check(Rule::Result, result.is_some() == has_result && own);
    }

    /// Dominance and phis.
    fn ssa(&mut self, scratch: &mut VerifierScratch) {
        let func = self.func;
        scratch.cfg.compute(func);
        scratch.dominators.compute(func, &scratch.cfg);
        scratch.collect_edges(func);
        let VerifierScratch { dominators, positions, edge_ends, edges, expected, named, .. } = scratch;
        let edges_into = |block: Block| {
            let start = if block.index() == 0 { 0 } else { edge_ends[block.index() - 1] };
            &edges[start as usize..edge_ends[block.index()] as usize]
        };
        for block in func.blocks() {
            let sources = edges_into(block);
            sources.iter().for_each(|&source| expected[source] += 1);
            for inst in func.block_insts(block) {
                self.place = Location::Inst(func.id, block, inst);
                let available = |value: Value, at: Block, before: u32| match func.defining_inst(value) {
                    Some(def) => match func.layout.block_of(def) {
                        Some(home) if home == at => positions[def] < before || !dominators.is_reachable(at),
                        Some(home) => dominators.dominates(home, at) || !dominators.is_reachable(at),
                        None => false,
                    },
                    None => true,
                };
                let mut dominated = true;
                if let InstData::Phi { incoming } = *func.inst(inst) {
                    let incoming = func.incoming(incoming);
                    let mut per_edge = incoming.len() == sources.len();
                    for &(value, source) in incoming {
                        dominated &= available(value, source, u32::MAX);
                        let (count, first) = &mut named[source];
                        *count += 1;
                        let same = first.expand().is_none_or(|first| first == value);
                        *first = value.into();
                        per_edge &= *count <= expected[source] && same;
                    }
                    incoming.iter().for_each(|&(_, source)| named[source] = Default::default());
                    self.check(Rule::PhiEdges, per_edge);
                } else {
                    let before = positions[inst];
                    func.for_each_operand(inst, |value| dominated &= available(value, block, before));
                }
                self.check(Rule::Dominance, dominated);
            }
            sources.iter().for_each(|&source| expected[source] = 0);
        }
    }
}

impl VerifierScratch {
    /// Lists the sources of all edges by target: a counting sort.
    fn collect_edges(&mut self, func: &Function) {
        self.edge_ends.clear();
        self.edge_ends.resize(func.num_blocks(), 0);
        for block in func.blocks() {
            func.for_each_successor(block, |succ| self.edge_ends[succ.index()] += 1);
        }
        let mut total = 0;
        for count in &mut self.edge_ends {
            total += core::mem::replace(count, total);
        }
        self.edges.clear();
        self.edges.resize(total as usize, Block::new(0));
        for block in func.blocks() {
            func.for_each_successor(block, |succ| {
                let slot = &mut self.edge_ends[succ.index()];
                self.edges[*slot as usize] = block;
                *slot += 1;
            });
        }
    }
}
