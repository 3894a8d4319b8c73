//! What legalisation must know of a machine, its registers and its procedure call standard.
//!
//! The caller of [`read_module`](super::reader::read_module) describes the machine by plain facts, so that nothing here
//! knows one by name: a new machine is one more description. What the module itself says (the width of addresses,
//! sizes and alignments) is no part of it; for that there is the data layout.

use ice_ir::{CallingConvention, CastOp, Passing, Segment, Type};

/// Inline assembly for jumps by a buffer of five addresses (LLVM, «Exception Handling», SJLJ intrinsics). Of these the
/// program has written the first, the frame pointer, and the third, the stack pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JumpTexts {
    /// Template and constraints that note in the second where they end. The input is the buffer, outputs are 0, or 1 when a jump
    /// has come, and what is left of the input. No register keeps its value.
    pub set: [&'static str; 2],
    /// In the template, what stands in front of where control comes back to, and what stands there instead where
    /// branches are tracked.
    pub landing: [&'static str; 2],
    /// Template and constraints of a jump by the buffer that is their input.
    pub jump: [&'static str; 2],
}

/// A conversion of two lanes by instructions of a machine. Those of 32 bits are in the lower half of a vector, whose other half may
/// be anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatWidth {
    /// The conversion.
    pub op: CastOp,
    /// The type of the vector that is converted.
    pub from: Type,
    /// The type of the result.
    pub to: Type,
    /// Template and constraints of each instruction. What is between two has the type [`Type::V2I64`].
    pub steps: &'static [[&'static str; 2]],
}

impl FloatWidth {
    /// The conversion of vectors of one type to another by these steps.
    #[must_use]
    pub const fn new(op: CastOp, from: Type, to: Type, steps: &'static [[&'static str; 2]]) -> FloatWidth {
        FloatWidth { op, from, to, steps }
    }
}

/// Template and constraints of inline assembly that puts the lanes of two vectors of 256 bits into one, half by half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DoublePacks {
    /// Doublewords as words without sign, stopping at the ends of the range. The lanes that are cut have a sign.
    pub words: [&'static str; 2],
    /// Words as bytes, alike.
    pub bytes: [&'static str; 2],
    /// The lower halves of quadwords.
    pub doublewords: [&'static str; 2],
    /// Quadwords 0, 2, 1 and 3 of one vector, which brings in order what the others leave.
    pub in_order: [&'static str; 2],
}

/// Instructions on halves of vectors, whose lanes they extend. The operands are vectors; those with products and distances change
/// their first one. The templates have `{sign}` for `s` or `u`, `{bits}` for the width of the lanes, `{half}` and `{wide}` for
/// their names before and after, `{upper}` for what names an instruction on upper halves, `{part}` for the modifier that names a half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LongOperations {
    /// One half, extended.
    pub extension: &'static str,
    /// Of two halves.
    pub sum: &'static str,
    /// Of two halves.
    pub difference: &'static str,
    /// Of two halves.
    pub product: &'static str,
    /// The absolute value of the difference of two halves.
    pub distance: &'static str,
    /// The product of two halves is added to a vector.
    pub sum_with_product: &'static str,
    /// The absolute value of the difference of two halves is added to a vector.
    pub sum_with_distance: &'static str,
    /// The product of two halves is subtracted from a vector.
    pub difference_with_product: &'static str,
    /// Of a vector and a half.
    pub sum_with: &'static str,
    /// Of a vector and a half.
    pub difference_with: &'static str,
}

/// Instructions that take the lanes of two, three and four vectors by turns from memory, and put them there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns {
    /// Templates, with `%` where the lanes are named, and constraints: the vectors, and the address that they are loaded from.
    pub load: [[&'static str; 2]; 3],
    /// The same, of stores.
    pub store: [[&'static str; 2]; 3],
    /// The names of lanes of 8, 16, 32 and 64 bits.
    pub lanes: [&'static str; 4],
}

/// A register that says, among other things, in which direction floating-point results are rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlWord {
    /// The type of the word in memory.
    pub ty: Type,
    /// Template and constraints of inline assembly that writes it to the memory at its operand.
    pub save: [&'static str; 2],
    /// Template and constraints of inline assembly that takes it from there.
    pub restore: [&'static str; 2],
    /// The lower of the two bits that are the direction; not the lowest of the word.
    pub shift: u8,
}

/// How a machine knows the direction in which floating-point results are rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rounding {
    /// All registers that have it; the first is asked. Where there is none, LLVM takes results to be rounded to the nearest.
    pub words: &'static [ControlWord],
    /// The number of `FLT_ROUNDS` for each value of the two bits.
    pub directions: [u8; 4],
}

/// What the address of a basic block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockAddresses {
    /// The number of the block plus 1, whatever its function: not null, and an `indirectbr` is a switch over it.
    /// Comparing it with addresses of code does not work.
    Numbers,
    /// That of its code.
    Code,
}

/// One machine, as legalisation sees it. The default is a machine with the vectors of the frozen format and no rules
/// of its own for calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineDescription {
    /// Vectors of two lanes (`v2i64`, `v2f64`, `v2i1`) are native, and packed floats have an absolute value and a
    /// square root.
    pub has_two_lanes: bool,
    /// Lanes move within and between registers at once: a vector of less than 128 bits is a native one with lanes to
    /// spare, and lanes get another width by shuffles.
    pub shuffles_lanes: bool,
    /// Vectors of 64 bits travel in the register of an `f64`, which lanes of less are widened to fill; vectors with
    /// lanes of 64 bits travel in registers of 128 bits even though they are not native.
    pub has_doubleword_vectors: bool,
    /// A vector of one integer of up to 32 bits travels in the register of an `f64` as well, and not as the integer does.
    pub has_single_lanes: bool,
    /// The type in which a `half` or `bfloat` travels as an argument: its bits, or an `f32` with them in its low half.
    pub half_argument: Type,
    /// The type in which it travels as a result.
    pub half_result: Type,
    /// The type in which vectors of `half` or `bfloat` travel; `None` for lane by lane.
    pub half_vectors: Option<Type>,
    /// How many `i32` of a result of three or four travel as lanes of one vector.
    pub joined_words: usize,
    /// How many `f32` of a result of three or four travel as lanes of one vector.
    pub joined_floats: usize,
    /// How many `f64` of a result of three or four travel as lanes of one vector.
    pub joined_doubles: usize,
    /// Lanes of such vectors of floats have a register [each](ice_ir::Results::Lanes).
    pub has_lanes_apart: bool,
    /// The registers in which LLVM returns what it does not return through memory; `None` if nobody asks.
    pub result_registers: Option<ResultRegisters>,
    /// What is passed as one object.
    pub groups: Groups,
    /// Nobody asks whether results of less than 32 bits are extended beyond 8 or 16 bits.
    pub returns_narrow: bool,
    /// The calling convention, by LLVM's number and name, that differs from C's for whatever has floats.
    pub foreign_convention: Option<(u64, &'static str)>,
    /// Calling conventions that are not C's, with LLVM's numbers.
    pub conventions: &'static [(u64, CallingConvention)],
    /// All functions that an exception may leave have tables for it, also without `uwtable`.
    pub always_has_unwind_tables: bool,
    /// Where a function is for processors with vector registers of 256 bits, vectors are passed in them.
    pub has_wide_registers: bool,
    /// log2 of the largest alignment that objects have among arguments on the stack.
    pub argument_align_log2: u8,
    /// What the address of a basic block is.
    pub block_addresses: BlockAddresses,
    /// Inline assembly can be compiled.
    pub has_assembler: bool,
    /// Operations on native vectors that are one instruction: the name of the intrinsic, or of the node in LLVM's graphs where
    /// there is none; the type, of 256 bits if there is no such instruction for less; template and constraints of inline
    /// assembly with the result and its operands.
    pub vector_instructions: &'static [(&'static str, Type, [&'static str; 2])],
    /// Operations on halves of vectors.
    pub long_operations: Option<LongOperations>,
    /// Template and constraints of inline assembly for the upper halves of products of lanes of 16 bits, without and with sign.
    pub upper_products: Option<[[&'static str; 2]; 2]>,
    /// Template and constraints of inline assembly that puts the lanes of two vectors into one, and stops at the ends of the
    /// range: doublewords as words, words as bytes, and words as bytes without sign. The lanes that are cut have a sign.
    pub packs: Option<[[&'static str; 2]; 3]>,
    /// The same of vectors of 256 bits, where functions compute with such.
    pub double_packs: Option<DoublePacks>,
    /// Instructions for vectors whose lanes stand in memory by turns.
    pub turns: Option<Turns>,
    /// Template and constraints of inline assembly that counts the bits of each byte of a vector.
    pub byte_bits: Option<[&'static str; 2]>,
    /// Conversions between two lanes of 64 and two of 32 bits.
    pub float_widths: &'static [FloatWidth],
    /// Features that ask for other code on other machines only, as `target-features` writes them, and keys of attributes that
    /// are met.
    pub usual_features: &'static [&'static str],
    /// How code jumps out of functions by a buffer.
    pub jumps: Option<JumpTexts>,
    /// The direction of rounding; `None` if it cannot be known.
    pub rounding: Option<Rounding>,
    /// What constraints of inline assembly call the register that points to the stack.
    pub stack_pointer: &'static [&'static str],
    /// Template and constraints of inline assembly with the low and the high word of a counter of cycles; `None` if programs
    /// cannot read any.
    pub cycle_counter: Option<[&'static str; 2]>,
    /// Code that was written is seen only once `__clear_cache` of the compiler's library was called.
    pub clears_cache: bool,
    /// The function that ends a cleanup for exceptions of C++ and lets them go on.
    pub ends_cleanups: Option<&'static str>,
    /// Linkers ask resolvers for the addresses of functions (`STT_GNU_IFUNC`).
    pub has_indirect_functions: bool,
    /// Words of the size of an address in a `va_list`.
    pub va_list_words: u32,
    /// An `i128` is passed in two general registers or whole in memory: the most arguments in general registers that
    /// leave it two. `None` if its halves are passed one by one.
    pub most_before_pair: Option<usize>,
    /// Such a pair begins at an even register, and all integers of more than 64 bits begin with one.
    pub has_even_pairs: bool,
    /// How many registers carry variable arguments, where what is one object is in consecutive ones, an `i128` from an even one on,
    /// or in memory with all that is behind it. `None` if variable arguments take what comes next.
    pub variable_registers: Option<VariableRegisters>,
    /// The parameters in which an `x86_fp80` is passed; one is the address of memory, two are the number itself.
    pub extended_params: &'static [Type],
    /// How these are passed.
    pub extended_passing: Passing,
    /// How an `fp128` is passed.
    pub quad: QuadPassing,
    /// What the names of libm's functions for it end in.
    pub quad_suffix: &'static str,
    /// The compiler's library has functions for integers of 128 bits.
    pub has_wide_functions: bool,
    /// How modules ask that the processor looks at where indirect branches lead, and at return addresses.
    pub branch_tracking: Option<BranchTracking>,
    /// Registers of vectors are pairs of registers of doubles.
    pub pairs_doubles: bool,
    /// Every processor multiplies and adds with one rounding, and that costs no more than two.
    pub fuses_products: bool,
    /// Some processors round floats and vectors of them to integers by one instruction (SSE4.1 of x86).
    pub may_round: bool,
    /// Floats and vectors of them are rounded to integers, and the lesser and the greater of two are found, by one instruction.
    pub has_float_choices: bool,
    /// There is an instruction that puts the bits of a word in the opposite order.
    pub reverses_bits: bool,
    /// Where each thread has the number that guards frames; `None` if it is in a variable.
    pub thread_guard: Option<ThreadGuard>,
}

/// How modules ask for what is done against attacks by branches and returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchTracking {
    /// By `cf-protection-branch` and `cf-protection-return`, as on x86. Indirect calls lead only to functions whose address
    /// goes somewhere.
    ControlFlow,
    /// By `branch-target-enforcement` and `sign-return-address`, as on AArch64, and by the attributes of functions. A linker may put
    /// a jump between a call and any function.
    Targets,
}

/// Which parameters are one object to a procedure call standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Groups {
    /// None: all are passed value by value.
    None,
    /// Arrays of integers, and up to four floats or vectors of one type, but not in variadic functions (AAPCS, 5.5 and 6.1.2).
    Homogeneous,
    /// Arrays of numbers of 64 bits, and of floats or vectors of one type (AAPCS64, 6.8.2, as LLVM's IR says it).
    Arrays,
}

/// How many registers carry variable arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableRegisters {
    /// Integers.
    pub general: usize,
    /// Floats and vectors.
    pub vectors: usize,
}

/// How numbers of binary128 are passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuadPassing {
    /// There are none: C has no such type, nor the compiler's library its functions.
    None,
    /// As vectors.
    Vector,
    /// In memory: an argument by value, at a multiple of 16, a result in memory of the caller.
    Memory,
}

impl QuadPassing {
    /// How the address of an argument in memory is passed.
    pub(super) const BY_VALUE: Passing = Passing::ByVal { size: 16, align_log2: 4 };
}

/// A word at an offset of a segment, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadGuard {
    /// The segment.
    pub segment: Segment,
    /// The offset.
    pub offset: i32,
}

/// How many registers there are for results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultRegisters {
    /// General registers.
    pub general: usize,
    /// What floats and vectors are in.
    pub float: FloatRegisters,
}

/// The registers for floats and vectors among results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatRegisters {
    /// The general ones.
    General,
    /// Registers for both, counted in words.
    Words(usize),
    /// So many registers for floats, and others for vectors and halves.
    Separate {
        /// Those for floats.
        floats: usize,
        /// Those for vectors and halves.
        vectors: usize,
    },
}

impl MachineDescription {
    /// The default.
    pub const PORTABLE: MachineDescription = MachineDescription {
        has_two_lanes: false,
        shuffles_lanes: false,
        has_doubleword_vectors: false,
        has_single_lanes: false,
        half_argument: Type::I16,
        half_result: Type::I16,
        half_vectors: None,
        joined_words: 1,
        joined_floats: 1,
        joined_doubles: 1,
        has_lanes_apart: false,
        result_registers: None,
        groups: Groups::None,
        returns_narrow: false,
        foreign_convention: None,
        conventions: &[],
        always_has_unwind_tables: false,
        has_wide_registers: false,
        argument_align_log2: 4,
        block_addresses: BlockAddresses::Numbers,
        has_assembler: false,
        vector_instructions: &[],
        long_operations: None,
        upper_products: None,
        packs: None,
        double_packs: None,
        turns: None,
        byte_bits: None,
        float_widths: &[],
        usual_features: &[],
        jumps: None,
        rounding: None,
        stack_pointer: &[],
        cycle_counter: None,
        clears_cache: false,
        ends_cleanups: None,
        has_indirect_functions: false,
        va_list_words: 1,
        most_before_pair: None,
        has_even_pairs: false,
        variable_registers: None,
        extended_params: &[Type::I64, Type::I32],
        extended_passing: Passing::Plain,
        quad: QuadPassing::None,
        quad_suffix: "f128",
        has_wide_functions: false,
        branch_tracking: None,
        fuses_products: false,
        may_round: false,
        has_float_choices: false,
        reverses_bits: false,
        pairs_doubles: false,
        thread_guard: None,
    };

    /// The calling convention with this number of LLVM, if it is one of the machine and not C's.
    pub(super) fn convention(&self, number: u64) -> Option<CallingConvention> {
        self.conventions.iter().find(|(known, _)| *known == number).map(|&(_, convention)| convention)
    }

    /// How many values of type `ty` a result of three or four of them has in one vector.
    pub(super) const fn joined(&self, ty: Type) -> usize {
        match ty {
            Type::I32 => self.joined_words,
            Type::F32 => self.joined_floats,
            Type::F64 => self.joined_doubles,
            _ => 1,
        }
    }
}

impl Default for MachineDescription {
    fn default() -> MachineDescription {
        MachineDescription::PORTABLE
    }
}
