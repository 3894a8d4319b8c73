//! Block ids and record codes of LLVM bitcode (LLVM bitcode specification, sections 3 to 6, 8 and 10).
#![allow(dead_code, reason = "the tables are whole, like those of the specification")]

/// Block ids.
pub mod block {
    pub const MODULE: u32 = 8;
    pub const PARAMATTR: u32 = 9;
    pub const PARAMATTR_GROUP: u32 = 10;
    pub const CONSTANTS: u32 = 11;
    pub const FUNCTION: u32 = 12;
    pub const IDENTIFICATION: u32 = 13;
    pub const VALUE_SYMTAB: u32 = 14;
    pub const METADATA: u32 = 15;
    pub const METADATA_ATTACHMENT: u32 = 16;
    pub const TYPE: u32 = 17;
    pub const USELIST: u32 = 18;
    pub const GLOBALVAL_SUMMARY: u32 = 20;
    pub const OPERAND_BUNDLE_TAGS: u32 = 21;
    pub const METADATA_KIND: u32 = 22;
    pub const STRTAB: u32 = 23;
    pub const FULL_LTO_GLOBALVAL_SUMMARY: u32 = 24;
    pub const SYMTAB: u32 = 25;
    pub const SYNC_SCOPE_NAMES: u32 = 26;
}

/// Records of IDENTIFICATION.
pub mod identification {
    pub const STRING: u32 = 1;
    pub const EPOCH: u32 = 2;
}

/// The record of STRTAB.
pub mod strtab {
    pub const BLOB: u32 = 1;
}

/// Records of MODULE.
pub mod module {
    pub const VERSION: u32 = 1;
    pub const TRIPLE: u32 = 2;
    pub const DATALAYOUT: u32 = 3;
    pub const ASM: u32 = 4;
    pub const SECTIONNAME: u32 = 5;
    pub const GLOBALVAR: u32 = 7;
    pub const FUNCTION: u32 = 8;
    pub const GCNAME: u32 = 11;
    pub const COMDAT: u32 = 12;
    pub const VSTOFFSET: u32 = 13;
    pub const ALIAS: u32 = 14;
    pub const SOURCE_FILENAME: u32 = 16;
    pub const HASH: u32 = 17;
    pub const IFUNC: u32 = 18;
}

/// Records of TYPE.
pub mod types {
    pub const NUMENTRY: u32 = 1;
    pub const VOID: u32 = 2;
    pub const FLOAT: u32 = 3;
    pub const DOUBLE: u32 = 4;
    pub const LABEL: u32 = 5;
    pub const OPAQUE: u32 = 6;
    pub const INTEGER: u32 = 7;
    pub const POINTER: u32 = 8;
    pub const HALF: u32 = 10;
    pub const ARRAY: u32 = 11;
    pub const VECTOR: u32 = 12;
    pub const X86_FP80: u32 = 13;
    pub const FP128: u32 = 14;
    pub const PPC_FP128: u32 = 15;
    pub const METADATA: u32 = 16;
    pub const X86_MMX: u32 = 17;
    pub const STRUCT_ANON: u32 = 18;
    pub const STRUCT_NAME: u32 = 19;
    pub const STRUCT_NAMED: u32 = 20;
    pub const FUNCTION: u32 = 21;
    pub const TOKEN: u32 = 22;
    pub const BFLOAT: u32 = 23;
    pub const X86_AMX: u32 = 24;
    pub const OPAQUE_POINTER: u32 = 25;
    pub const TARGET_TYPE: u32 = 26;
}

/// Records of PARAMATTR and PARAMATTR_GROUP.
pub mod attributes {
    pub const LIST: u32 = 2;
    pub const GROUP: u32 = 3;
}

/// Records of CONSTANTS.
pub mod constants {
    pub const SETTYPE: u32 = 1;
    pub const NULL: u32 = 2;
    pub const UNDEF: u32 = 3;
    pub const INTEGER: u32 = 4;
    pub const WIDE_INTEGER: u32 = 5;
    pub const FLOAT: u32 = 6;
    pub const AGGREGATE: u32 = 7;
    pub const STRING: u32 = 8;
    pub const CSTRING: u32 = 9;
    pub const CE_BINOP: u32 = 10;
    pub const CE_CAST: u32 = 11;
    pub const CE_GEP: u32 = 12;
    pub const CE_SELECT: u32 = 13;
    pub const CE_EXTRACTELT: u32 = 14;
    pub const CE_INSERTELT: u32 = 15;
    pub const CE_SHUFFLEVEC: u32 = 16;
    pub const CE_CMP: u32 = 17;
    pub const CE_SHUFVEC_EX: u32 = 19;
    pub const CE_INBOUNDS_GEP: u32 = 20;
    pub const BLOCKADDRESS: u32 = 21;
    pub const DATA: u32 = 22;
    pub const CE_GEP_INRANGE_OLD: u32 = 24;
    pub const CE_UNOP: u32 = 25;
    pub const POISON: u32 = 26;
    pub const DSO_LOCAL_EQUIVALENT: u32 = 27;
    pub const NO_CFI: u32 = 29;
    pub const INLINEASM: u32 = 30;
    pub const CE_GEP_INRANGE: u32 = 31;
    pub const CE_GEP_FLAGS: u32 = 32;
    pub const PTRAUTH: u32 = 33;
    pub const PTRAUTH2: u32 = 34;
}

/// Records of METADATA.
pub mod metadata {
    pub const VALUE: u32 = 2;
    pub const NODE: u32 = 3;
    pub const NAME: u32 = 4;
    pub const KIND: u32 = 6;
    pub const LOCATION: u32 = 7;
    pub const NAMED_NODE: u32 = 10;
    pub const FILE: u32 = 16;
    pub const COMPILE_UNIT: u32 = 20;
    pub const SUBPROGRAM: u32 = 21;
    pub const LEXICAL_BLOCK: u32 = 22;
    pub const LEXICAL_BLOCK_FILE: u32 = 23;
    pub const STRINGS: u32 = 35;
    pub const GLOBAL_DECL_ATTACHMENT: u32 = 36;
    pub const INDEX_OFFSET: u32 = 38;
    pub const INDEX: u32 = 39;
}

/// The record of METADATA_ATTACHMENT, and the kinds of the metadata that says where a function is in the source and its
/// type word (LLVM's `FixedMetadataKinds.def`).
pub mod attachment {
    pub const ATTACHMENT: u32 = 11;
    pub const DEBUG: u64 = 0;
    pub const WEIGHTS: u64 = 2;
    pub const SIGNATURE: u64 = 32;
    pub const TYPE_WORD: u64 = 36;
}

/// Records of FUNCTION.
pub mod function {
    pub const DECLAREBLOCKS: u32 = 1;
    pub const BINOP: u32 = 2;
    pub const CAST: u32 = 3;
    pub const EXTRACTELT: u32 = 6;
    pub const INSERTELT: u32 = 7;
    pub const SHUFFLEVEC: u32 = 8;
    pub const RET: u32 = 10;
    pub const BR: u32 = 11;
    pub const SWITCH: u32 = 12;
    pub const INVOKE: u32 = 13;
    pub const UNREACHABLE: u32 = 15;
    pub const PHI: u32 = 16;
    pub const ALLOCA: u32 = 19;
    pub const LOAD: u32 = 20;
    pub const VAARG: u32 = 23;
    pub const EXTRACTVAL: u32 = 26;
    pub const INSERTVAL: u32 = 27;
    pub const CMP2: u32 = 28;
    pub const VSELECT: u32 = 29;
    pub const INDIRECTBR: u32 = 31;
    pub const DEBUG_LOC_AGAIN: u32 = 33;
    pub const CALL: u32 = 34;
    pub const DEBUG_LOC: u32 = 35;
    pub const FENCE: u32 = 36;
    pub const RESUME: u32 = 39;
    pub const LOADATOMIC: u32 = 41;
    pub const GEP: u32 = 43;
    pub const STORE: u32 = 44;
    pub const STOREATOMIC: u32 = 45;
    pub const CMPXCHG: u32 = 46;
    pub const LANDINGPAD: u32 = 47;
    pub const CLEANUPRET: u32 = 48;
    pub const CATCHRET: u32 = 49;
    pub const CATCHPAD: u32 = 50;
    pub const CLEANUPPAD: u32 = 51;
    pub const CATCHSWITCH: u32 = 52;
    pub const OPERAND_BUNDLE: u32 = 55;
    pub const UNOP: u32 = 56;
    pub const CALLBR: u32 = 57;
    pub const FREEZE: u32 = 58;
    pub const ATOMICRMW: u32 = 59;
    pub const BLOCKADDR_USERS: u32 = 60;
    pub const FIRST_DEBUG_RECORD: u32 = 61;
    pub const LAST_DEBUG_RECORD: u32 = 66;

    /// Whether a record is an instruction: these are counted, and metadata is attached to their numbers.
    pub const fn is_instruction(code: u32) -> bool {
        !is_for_debuggers(code) && !matches!(code, DECLAREBLOCKS | OPERAND_BUNDLE | BLOCKADDR_USERS)
    }

    /// Whether a record is no instruction, but tells debuggers something of the one before it.
    pub const fn is_for_debuggers(code: u32) -> bool {
        matches!(code, DEBUG_LOC | DEBUG_LOC_AGAIN | FIRST_DEBUG_RECORD..=LAST_DEBUG_RECORD)
    }
}
