//! Random valid programs for tests: always the same one for the same seed and options.
//!
//! A program has `functions` functions over i32, i64, f32 and f64 and one, `checksum`, that calls each of
//! them, folds their results and the global memory into an `i64` and returns it. Function bodies are
//! structured statements (arithmetic, memory, calls, if, switch, loop) over a pool of values that dominate
//! the current point; a construct takes what it made out of the pool again, but for its phis.
//!
//! Every program ends, and without a trap: loops count to a constant, a function calls only earlier ones,
//! and a static count of executed statements stops calls that would take too long. Addresses are a base
//! plus an offset that is masked to the region. Divisors are made positive and odd. Addresses never enter
//! the pool, as they differ between implementations; nor do NaN payloads get out of floating point
//! ([`UndefinedResults::Avoid`] masks shift amounts and clamps conversions as well).
//!
//! All 42 intrinsics are declared and called now and then. What must be a vector constant is loaded from a
//! table, `masks`, since the format has no vector constants, or made lane by lane.

mod addresses;
mod body;
mod conditions;
mod control;
pub mod graph;
mod lanes;
mod shapes;
mod walks;

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use crate::builder::FunctionBuilder;
use crate::entities::{Block, FuncId, SigId, Symbol, Value};
use crate::function::Function;
use crate::intrinsics::DECLARATIONS;
use crate::module::{
    FunctionDecl, FunctionKind, GlobalDecl, Initializer, Linkage, Module, Mutability, Name, Program,
    Signature, TypeDef,
};
use crate::types::Type;
use Type::*;

/// Whether the program has an entry point of the stable format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Entry {
    /// Every function is external, to be called by a test.
    Functions,
    /// `_start` is the only external function; it stores the checksum to the global `result`.
    Start,
}

/// Whether results that the format leaves undefined may occur.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UndefinedResults {
    /// Every implementation must compute the same checksum.
    Avoid,
    /// Undefined constants, shifts past the width, out-of-range conversions and bits of NaNs occur.
    Allow,
}

/// Whether functions end in calls in place of returns, which the stable format does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReturnCalls {
    /// None does.
    Avoid,
    /// About half of them do.
    Allow,
}

/// What to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Number of functions besides `checksum` and `_start`.
    pub functions: u32,
    /// Statements of each function.
    pub statements: u32,
    /// Entry point.
    pub entry: Entry,
    /// Undefined results.
    pub undefined: UndefinedResults,
    /// Calls in place of returns.
    pub return_calls: ReturnCalls,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            functions: 5,
            statements: 40,
            entry: Entry::Start,
            undefined: UndefinedResults::Avoid,
            return_calls: ReturnCalls::Avoid,
        }
    }
}

/// Bytes in each memory region; offsets are masked below it.
const REGION: i64 = 256;
const REGION_ALIGN_LOG2: u8 = 4;
/// Bytes of a buffer of `setjmp`.
const JUMP_BUFFER: u32 = 1024;
/// Executed statements after which a function makes no more calls or loops.
const BUDGET: u64 = 20_000;
const MAX_DEPTH: u32 = 3;
const ARGUMENTS: [Type; 4] = [I32, I64, F32, F64];

// Globals in order.
const MEMORY: u32 = 0;
const MASKS: u32 = 1;
const FUNCTIONS: u32 = 2;
const RESULT: u32 = 3;
const BUFFER: u32 = 4;

/// What a row of the table `masks` holds in each lane.
#[derive(Clone, Copy)]
enum Splat {
    /// Lane width less one.
    Width,
    One,
    /// The largest signed number.
    Max,
    /// Bounds of the conversion to signed and unsigned integers; f32 only.
    Low,
    High,
    HighUnsigned,
    Zero,
}

const INT_VECTORS: [Type; 3] = [V16I8, V8I16, V4I32];

/// The number in one lane: an integer, or the bits of a floating-point number for `element`.
fn splat_number(element: Type, splat: Splat) -> i64 {
    match splat {
        Splat::Width => i64::from(element.bits()) - 1,
        Splat::One => 1,
        Splat::Max => (element.int_mask() >> 1) as i64,
        Splat::Low => i64::from((-2147483648f32).to_bits()),
        Splat::High => i64::from(2147483648f32.to_bits()) - 1,
        Splat::HighUnsigned => i64::from(4294967296f32.to_bits()) - 1,
        Splat::Zero => 0,
    }
}

/// Row of `masks` for a vector type.
fn splat_row(ty: Type, splat: Splat) -> i64 {
    match INT_VECTORS.iter().position(|&t| t == ty) {
        Some(i) => i as i64 * 3 + splat as i64,
        None => 6 + splat as i64,
    }
}

/// Xorshift with a multiplied output (Marsaglia 2003, Vigna 2016).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 32) as usize) % bound
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn interesting_int(&mut self) -> i64 {
        let small = (self.next() % 64) as i64 - 16;
        let power = 1i64 << self.below(64);
        let random = self.next() as i64;
        self.pick(&[0, 1, -1, small, small, power, power.wrapping_sub(1), !power, i64::MIN, random])
    }

    fn interesting_float(&mut self) -> f64 {
        let small = (self.next() % 2001) as f64 / 8.0 - 125.0;
        let wide = (self.next() as i64) as f64 * 1e-3;
        self.pick(&[
            0.0,
            -0.0,
            1.0,
            -1.5,
            small,
            small,
            wide,
            1e30,
            f64::INFINITY,
            5e-324,
            f64::NAN,
            4294967295.0,
        ])
    }
}

/// A program from a seed.
pub fn generate_program(seed: u64, options: &Options) -> Program {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    rng.next();
    let mut module = Module::new();
    let helper = match options.entry {
        Entry::Functions => Linkage::External,
        Entry::Start => Linkage::Internal,
    };
    for d in DECLARATIONS {
        let signature = Signature::new(d.params.to_vec(), d.ret);
        declare(&mut module, d.name, signature, Linkage::External, FunctionKind::Intrinsic(d.op));
    }
    let mut generated = Vec::new();
    for n in 0..options.functions {
        let params = (0..rng.below(5)).map(|_| rng.pick(&ARGUMENTS)).collect();
        let mut signature = Signature::new(params, rng.pick(&ARGUMENTS));
        if let (ReturnCalls::Allow, Some(&last)) = (options.return_calls, generated.last())
            && rng.below(2) == 0
        {
            signature = module.signature(last).clone();
        }
        let id = declare(&mut module, &format!("f_{n}"), signature, helper, FunctionKind::Defined);
        generated.push(id);
    }
    let signature = Signature::new(vec![], I64);
    let checksum = declare(&mut module, "checksum", signature, helper, FunctionKind::Defined);
    let start = (options.entry == Entry::Start).then(|| {
        let signature = Signature::new(vec![I32], Void);
        declare(&mut module, "_start", signature, Linkage::External, FunctionKind::Defined)
    });
    make_globals(&mut module, &generated, &mut rng);
    module.types.extend(Type::STABLE.iter().copied().map(TypeDef::Value));
    module.types.extend(module.signatures.keys().map(TypeDef::Function));

    let mut bodies = Vec::new();
    let mut costs = Vec::new();
    let mut body = |id: FuncId, fill: &mut dyn FnMut(&mut Gen<'_, '_>)| {
        let mut func = Function::new();
        let mut b = FunctionBuilder::new(&mut func);
        b.begin(id, module.signature(id));
        let entry = b.create_block();
        b.switch_to_block(entry);
        let pool = b.func.params().to_vec();
        let Options { undefined, return_calls, .. } = *options;
        let local = pool.first().copied();
        let mut g = Gen {
            module: &module,
            rng: &mut rng,
            b,
            block: entry,
            pool,
            local,
            undefined,
            return_calls,
            weight: 1,
            cost: 0,
            callees: &generated,
            costs: &costs,
        };
        fill(&mut g);
        let cost = g.cost;
        bodies.push(func);
        costs.push(cost);
    };
    for &id in &generated {
        body(id, &mut |g| g.function(options.statements, id));
    }
    body(checksum, &mut |g| g.checksum(&generated));
    if let Some(start) = start {
        body(start, &mut |g| {
            let sum = g.call(checksum, &[]);
            let result = g.global(RESULT);
            g.b.store(result, sum, 0);
            g.b.ret(None);
        });
    }
    Program { module, bodies }
}

fn declare(
    module: &mut Module,
    name: &str,
    signature: Signature,
    linkage: Linkage,
    kind: FunctionKind,
) -> FuncId {
    let known = module.signatures.iter().find(|(_, s)| **s == signature).map(|(id, _)| id);
    let signature: SigId = known.unwrap_or_else(|| module.signatures.push(signature));
    let id = module.functions.push(FunctionDecl::new(Name::default(), signature, linkage, kind));
    module.set_symbol_name(Symbol::Function(id), name.bytes());
    id
}

fn make_globals(module: &mut Module, functions: &[FuncId], rng: &mut Rng) {
    let memory: Vec<u8> = (0..REGION).map(|_| rng.next() as u8).collect();
    let mut masks: Vec<u8> = Vec::new();
    let mut row = |ty: Type, splat| {
        let lane = ty.element().bytes() as usize;
        let number = splat_number(ty.element(), splat).to_le_bytes();
        (0..16 / lane).for_each(|_| masks.extend(&number[..lane]));
    };
    for ty in INT_VECTORS {
        [Splat::Width, Splat::One, Splat::Max].into_iter().for_each(|splat| row(ty, splat));
    }
    [Splat::Low, Splat::High, Splat::HighUnsigned, Splat::Zero].into_iter().for_each(|s| row(V4F32, s));
    let addresses =
        functions.iter().map(|&f| Initializer::Address { target: Symbol::Function(f), addend: 0 });
    let mut addresses: Vec<_> = addresses.collect();
    addresses.push(Initializer::Zero(4));
    let mut add = |name: &str, mutability, initializers: &[Initializer]| {
        let start = module.initializers.len() as u32;
        module.initializers.extend(initializers);
        let initializers = start..module.initializers.len() as u32;
        let align_log2 = Some(REGION_ALIGN_LOG2);
        let id = module.globals.push(GlobalDecl::new(Name::default(), align_log2, mutability, initializers));
        module.set_symbol_name(Symbol::Global(id), name.bytes());
    };
    let (memory_len, masks_len) = (memory.len() as u32, masks.len() as u32);
    add("memory", Mutability::Variable, &[Initializer::Bytes { start: 0, len: memory_len }]);
    add("masks", Mutability::Constant, &[Initializer::Bytes { start: memory_len, len: masks_len }]);
    add("functions", Mutability::Constant, &addresses);
    add("result", Mutability::Variable, &[Initializer::Zero(8)]);
    add("buffer", Mutability::Variable, &[Initializer::Zero(JUMP_BUFFER)]);
    module.data = memory;
    module.data.extend(masks);
}

/// The state while one function is made.
struct Gen<'g, 'f> {
    module: &'g Module,
    rng: &'g mut Rng,
    b: FunctionBuilder<'f>,
    block: Block,
    /// Values that dominate the current point.
    pool: Vec<Value>,
    /// Address of the function's own region.
    local: Option<Value>,
    undefined: UndefinedResults,
    return_calls: ReturnCalls,
    /// How often the current point is executed in one call.
    weight: u64,
    cost: u64,
    callees: &'g [FuncId],
    /// Costs of the callees that exist already.
    costs: &'g [u64],
}
