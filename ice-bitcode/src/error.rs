//! Everything that can be wrong with an input, and where.
//!
//! [`Error`] is the error catalogue of the bitcode specification (section 12): one line a condition with its
//! code, name and text. [`LocatedError`] adds the place. Conditions of the container alone are found by
//! [`bitstream`](crate::bitstream), the rest by [`pexe`](crate::pexe) and [`llvm`](crate::llvm); codes that start
//! with `L` are of LLVM modules alone.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use ice_ir::Type;

/// A result whose error says where it happened. Boxed, because errors are rare and results are many.
pub type Result<T> = core::result::Result<T, Box<LocatedError>>;

macro_rules! errors {
    ($($code:ident $name:ident $({ $($field:ident: $ty:ty),* })? $text:literal)*) => {
        /// What is wrong. Every condition has a code, such as `B05`, and the values that its text names.
        #[allow(missing_docs, reason = "the fields are explained by the text of the variant")]
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum Error {
            $(#[doc = concat!("`", stringify!($code), "`: ", $text, ".")] $name $({ $($field: $ty),* })?,)*
        }

        impl Error {
            /// Every code of the catalogue, in order.
            pub const CODES: &'static [&'static str] = &[$(stringify!($code)),*];

            /// The code of the condition, such as `B05`.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self { $(Error::$name { .. } => stringify!($code),)* }
            }
        }

        impl fmt::Display for Error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Error::$name $({ $($field),* })? => write!(f, $text),)* }
            }
        }
    };
}

errors! {
    // Header.
    H01 TooSmall "file is too small to hold a PNaCl header"
    H02 BadMagic "not a PNaCl program: bad magic number"
    H03 LlvmMagic "this is unfinalized LLVM bitcode; run the finalizer first"
    H04 LengthNotWords { length: u64 } "file length {length} is not a whole number of 32-bit words"
    H05 HeaderTooLong { bytes: u32 } "header claims {bytes} bytes but the file ends earlier"
    H06 HeaderSize { fields: u32, declared: u32 } "header fields occupy {fields} bytes, header declares {declared}"
    H07 UnknownHeaderField { tag: u16 } "unknown header field {tag}"
    H08 HeaderFieldShape { tag: u16, kind: u16, length: u16 } "header field {tag} has kind {kind} and length {length}, expected another shape"
    H09 HeaderFieldRepeated { tag: u16 } "header field {tag} given twice"
    H10 NoVersion "header has no PNaCl version"
    H11 PnaclVersion { version: u32 } "unsupported PNaCl version {version}, only 2 is supported"
    H12 AlignedRecords "byte-aligned record layout is not supported"
    // Container.
    B01 Truncated "bitstream ends inside an entry"
    B02 NumberTooLarge "variable-width number is too large"
    B03 BadWidth { block: u32, width: u32 } "invalid abbreviation id width {width} for block {block}"
    B04 BlockTooLong { block: u32 } "block {block} extends beyond its enclosing block"
    B05 BlockLength { block: u32, declared: u64, used: u64 } "block {block} declared {declared} words but used {used}"
    B06 UnknownAbbrev { abbrev: u32, block: u32 } "abbreviation {abbrev} is not defined in block {block}"
    B07 EmptyAbbrev "empty abbreviation definition"
    B08 AbbrevEncoding { encoding: u32 } "unknown abbreviation encoding {encoding}"
    B09 AbbrevWidth { width: u32 } "abbreviation width {width} is out of range"
    B10 MisplacedArray "misplaced array in abbreviation"
    B11 NoRecordCode "record has no code"
    B12 BadBlockInfo "malformed BLOCKINFO block"
    B13 SecondBlockInfo "more than one BLOCKINFO block"
    B14 TopLevelEntry "expected a block at top level"
    B15 TopLevelBlock { block: u32 } "unexpected top-level block {block}"
    B16 ModuleCount "a program must contain exactly one module"
    B17 TrailingData "trailing data after the module"
    B18 NonzeroPadding "nonzero padding"
    // Module structure.
    M01 UnexpectedBlock { block: u32, outer: u32 } "block {block} is not allowed inside block {outer}"
    M02 UnknownRecord { code: u32, block: u32 } "unknown record code {code} in block {block}"
    M03 OperandCount { record: &'static str, found: usize, expected: &'static str } "record {record} has {found} operands, expected {expected}"
    M04 ModuleVersion { version: u64 } "unsupported module version {version}"
    M05 BlockRepeated { block: &'static str } "block {block} occurs more than once"
    M06 Order { part: &'static str, other: &'static str } "{part} must come before {other}"
    M07 NotAFunctionType { function: u32, ty: u64 } "function {function}: type {ty} is not a function type"
    M08 FunctionConvention { function: u32, convention: u64 } "function {function}: unknown calling convention {convention}"
    M09 PrototypeFlag { function: u32, flag: u64 } "function {function}: bad prototype flag {flag}"
    M10 UnknownLinkage { function: u32, linkage: u64 } "function {function}: unknown linkage {linkage}"
    M11 BodyWithoutDefinition "function body without matching definition"
    M12 MissingBodies { count: usize } "{count} defined functions have no body"
    // Types.
    T01 TypeCountFirst "type count must be the first record"
    T02 TypeCount { declared: u64, found: u64 } "declared {declared} types, found {found}"
    T03 IntegerWidth { width: u64 } "integer width {width} is not 1, 8, 16, 32 or 64"
    T04 BadVector { lanes: u64, element: Type } "vector of {lanes} x {element} is not supported"
    T05 UndefinedType { ty: u64, refers: u64 } "type {ty} refers to undefined type {refers}"
    T06 Variadic "variadic function types are not supported"
    T07 ComponentType "illegal component type"
    T08 TypeRepeated { ty: u64, earlier: u64 } "type {ty} repeats type {earlier}"
    // Globals.
    G01 GlobalCountFirst "variable count must be the first record"
    G02 GlobalCount { declared: u64, found: u64 } "declared {declared} variables, found {found}"
    G03 GlobalAlignment { global: u32 } "alignment of variable {global} is too large"
    G04 GlobalUnaligned { global: u32 } "variable {global} has no alignment"
    G05 ConstantFlag { flag: u64 } "bad constant flag {flag}"
    G06 MissingInitializers { global: u32, missing: u64 } "variable {global} needs {missing} more initializers"
    G07 StrayInitializer "initializer does not belong to a variable"
    G08 MisplacedCompound "misplaced compound initializer"
    G09 CompoundCount { count: u64 } "compound initializer needs at least 2 parts, not {count}"
    G10 EmptyData "data initializer is empty"
    G11 NotAByte { value: u64 } "data value {value} is not a byte"
    G12 RelocationTarget { value: u64 } "relocation refers to undefined value {value}"
    G13 RelocationIntrinsic { value: u64 } "address of intrinsic {value} cannot be taken"
    G14 RelocationAddend { addend: u64 } "relocation addend {addend} is out of range"
    G15 GlobalTooLarge { global: u32 } "variable {global} is larger than the address space"
    // Symbol table.
    S01 SymbolValue { value: u64 } "name refers to undefined value {value}"
    S02 MalformedName "malformed name"
    S03 NameRepeated { name: String } "name {name} is used twice"
    S04 ValueRenamed { value: u64 } "value {value} is named twice"
    S05 BlockName "block names are not allowed here"
    S06 LocalSymbolTable "local symbol tables are not allowed"
    // ABI.
    A01 NoEntryPoint "program has no _start function"
    A02 ExternalDefinition { name: String } "function {name} must not be external"
    A03 NamelessDeclaration { function: u32 } "declared function {function} has no name"
    A04 UndefinedFunction { name: String } "function {name} is declared but not defined"
    A05 UnknownIntrinsic { name: String } "intrinsic {name} is not allowed"
    A06 IntrinsicType { name: String, found: String, expected: String } "intrinsic {name} has type {found}, expected {expected}"
    A07 DefinedIntrinsic { name: String } "intrinsic {name} must not be defined"
    A08 SignatureType { name: String, ty: Type } "function {name}: type {ty} is not allowed in a signature"
    A09 IntrinsicAsValue { function: u32 } "intrinsic {function} may only be called directly"
    A10 InternalDeclaration { name: String } "declared function {name} must be external"
    // Functions: structure.
    F01 BlockCountFirst "block count must be the first record of a function"
    F02 NoBlocks "function has no basic blocks"
    F03 BlockCountTooLarge { count: u64 } "implausible basic block count {count}"
    F04 MisplacedConstants "misplaced constants block"
    F05 ConstantType { ty: u64 } "constants cannot have type {ty}"
    F06 UntypedConstant "constant without a type"
    F07 ConstantKind { ty: Type } "constant kind does not match type {ty}"
    F08 ConstantRange { ty: Type } "constant does not fit its type {ty}"
    F09 TooManyBlocks { declared: u32 } "more basic blocks than the {declared} declared"
    F10 TooFewBlocks { declared: u32, found: u32 } "declared {declared} basic blocks, found {found}"
    F11 NoTerminator "function does not end with a terminator"
    F12 AlreadyDeclared { value: u64 } "value {value} is already declared"
    F13 ForwardOutOfRange { value: u64 } "forward reference {value} is out of range"
    F14 AnnouncedType { value: u32, announced: Type, found: Type } "value {value} was announced as {announced} but has type {found}"
    F15 NeverDefined { value: u32 } "value {value} is never defined"
    F16 UsedBeforeDefined { value: u32 } "value {value} is used before it is defined"
    F17 NonexistentValue { operand: u64 } "operand {operand} refers to a nonexistent value"
    F18 NotDominated { value: u32 } "use of {value} is not dominated by its definition"
    // Functions: instructions.
    I01 OperandTypes { left: Type, right: Type } "operand types {left} and {right} differ"
    I02 UnknownOperator { operator: u64, ty: Type } "operator {operator} is not defined for {ty}"
    I03 BooleanArithmetic { operation: &'static str } "{operation} is not defined for i1"
    I04 UnknownCast { opcode: u64 } "unknown conversion {opcode}"
    I05 CastTypes { operation: &'static str, from: Type, to: Type } "cannot convert {from} to {to} by {operation}"
    I06 CompareTypes { left: Type, right: Type } "cannot compare {left} and {right}"
    I07 UnknownPredicate { predicate: u64, ty: Type } "unknown predicate {predicate} for {ty}"
    I08 SelectTypes { left: Type, right: Type } "select alternatives differ in type: {left} and {right}"
    I09 SelectCondition { ty: Type } "bad select condition type {ty}"
    I10 NotAVector { ty: Type } "{ty} is not a vector"
    I11 LaneIndex { lanes: u32 } "vector index must be a constant below {lanes}"
    I12 LaneType { found: Type, expected: Type } "element type {found} does not match {expected}"
    I13 ReturnValue "return value does not match function type"
    I14 BranchCondition { ty: Type } "branch condition has type {ty}"
    I15 UnknownBlock { block: u64 } "no basic block {block}"
    I16 BranchToEntry "the entry block cannot be a branch target"
    I17 SwitchType { ty: Type } "bad switch type {ty}"
    I18 MalformedSwitch "malformed switch"
    I19 CaseRange "case ranges are not supported"
    I20 CaseValue { value: i64 } "bad case value {value}"
    I21 MalformedPhi "malformed phi"
    I22 PhiType { found: Type, expected: Type } "phi operand has type {found}, expected {expected}"
    I23 MisplacedPhi "phi must be at the start of a non-entry block"
    I24 PhiEdges { value: u32 } "phi {value} does not match its predecessors"
    I25 AllocaSize { ty: Type } "alloca size must be i32, not {ty}"
    I26 AlignmentTooLarge { code: u64 } "alignment code {code} is too large"
    I27 AddressType { ty: Type } "address must be i32, not {ty}"
    I28 NotInMemory { ty: Type } "{ty} cannot be loaded or stored"
    I29 Alignment { code: u64, ty: Type } "alignment code {code} is not allowed for {ty}"
    I30 CallConvention { bits: u64 } "unknown calling convention bits {bits}"
    I31 CalleeNotFunction { value: u32 } "callee {value} is not a function"
    I32 ArgumentCount { passed: usize, expected: usize } "call passes {passed} arguments, function takes {expected}"
    I33 ArgumentType { argument: usize, found: Type, expected: Type } "argument {argument} has type {found}, expected {expected}"
    I34 CalleeType { ty: Type } "callee must be i32, not {ty}"
    I35 IndirectCallType { ty: Type } "type {ty} is not allowed in a call"
    I36 CopyAlignment "alignment argument must be 1"
    I37 AtomicOperands "bad atomic operation or memory order"
    I38 LockFreeSize "bad size for lock-free query"
    I39 VoidValue "instruction cannot produce void"
    // LLVM modules: what differs from PNaCl programs, which share the conditions above.
    L01 NotLlvm "not LLVM bitcode: bad magic number"
    L02 Wrapper { offset: u32, size: u32 } "wrapper names {size} bytes at {offset}, which is no bitcode of this file"
    L03 Epoch { epoch: u64 } "unsupported bitcode epoch {epoch}"
    L04 NoStringTable "the module has no string table"
    L05 StringTable "the string table is not a single blob"
    L06 NameRange { offset: u64, size: u64 } "name of {size} bytes at {offset} is outside of the string table"
    L07 NoSuch { what: &'static str, index: u64 } "there is no {what} {index}"
    L08 TypeClass { ty: u64, expected: &'static str } "type {ty} is not {expected}"
    L09 FieldValue { field: &'static str, value: u64 } "{field} cannot be {value}"
    L10 LayoutString { text: String } "malformed data layout at {text:?}"
    L11 TooLarge { what: &'static str, limit: u64 } "{what} is larger than {limit}"
    L12 Unsupported { what: String } "valid, but not supported: {what}"
    L13 ConstantForm { code: u32, ty: u32 } "record {code} makes no constant of type {ty}"
    L14 ConstantReference { value: u64 } "constant refers to {value}, which is no constant"
    L15 ConstantCycle { value: u32 } "constant {value} is a part of itself"
    L16 ElementCount { found: u64, expected: u64 } "{found} elements where the type has {expected}"
    L17 ElementType { value: u32 } "constant {value} has another type than its place"
    L18 InitializerForm { value: u32 } "constant {value} is no number, address or distance, so it cannot be data"
    L19 AliasCycle { name: String } "alias {name} stands for itself"
    L20 MisplacedLandingPad "a landing pad must be at the start of a block to which only invokes lead by an exception"
    // Writing.
    W01 DoesNotFit { abbrev: u32 } "record does not fit abbreviation {abbrev}"
    W02 Unwritable { what: &'static str } "the format cannot express {what}"
}

/// An open block: its id and where its entry starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenBlock {
    /// Block id.
    pub id: u32,
    /// Byte offset in the file of the entry that opens the block.
    pub byte: u64,
}

/// A record by its code and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordSummary {
    /// Record code.
    pub code: u32,
    /// Number of operands.
    pub operands: usize,
}

/// A place in an input.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Location {
    /// First bit of the offending entry, counted from the start of the file.
    pub bit: u64,
    /// The blocks around it, outermost first.
    pub path: Vec<OpenBlock>,
    /// The offending record, where one was read completely.
    pub record: Option<RecordSummary>,
    /// Number of the function, inside a function body.
    pub function: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.bit / 8, self.bit % 8)?;
        for (i, block) in self.path.iter().enumerate() {
            let lead = if i == 0 { " in " } else { " / " };
            write!(f, "{lead}block {}@{}", block.id, block.byte)?;
        }
        if let Some(function) = self.function {
            write!(f, ", function {function}")?;
        }
        if let Some(RecordSummary { code, operands }) = self.record {
            write!(f, ", record {code} with {operands} operands")?;
        }
        Ok(())
    }
}

/// A condition and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedError {
    /// What is wrong.
    pub error: Error,
    /// Where.
    pub location: Location,
}

impl LocatedError {
    /// An error outside of any block, at a bit offset.
    #[cold]
    #[must_use]
    pub fn at_bit(error: Error, bit: u64) -> Box<LocatedError> {
        Box::new(LocatedError { error, location: Location { bit, ..Location::default() } })
    }
}

impl fmt::Display for LocatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {} at {}: {}", self.error.code(), self.location, self.error)
    }
}

impl core::error::Error for LocatedError {}
