//! Relocations: places in the code whose value only the linker knows.
//!
//! The addend follows the ELF convention for RELA (System V ABI, chapter 4): for a PC-relative kind
//! the linker computes `symbol + addend - place`, so the distance from the place to the end of the
//! instruction is already part of the addend. The place itself holds zeros.

/// A symbol of the client, opaque to this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// How the linker computes the value, and the field's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RelocKind {
    /// 32 bits, absolute (R_386_32; R_X86_64_32, zero-extended).
    Abs32,
    /// 32 bits, absolute, sign-extended to 64 (R_X86_64_32S; R_386_32).
    Abs32S,
    /// 64 bits, absolute (R_X86_64_64).
    Abs64,
    /// 32 bits, relative to the place (R_386_PC32, R_X86_64_PC32).
    PcRel32,
    /// 64 bits, relative to the place (R_X86_64_PC64).
    PcRel64,
    /// 32 bits, relative to the place, through the procedure linkage table (R_386_PLT32, R_X86_64_PLT32).
    Plt32,
    /// 32 bits, PC-relative address of the symbol's entry in the global offset table (R_X86_64_GOTPCREL).
    GotPcRel32,
    /// The same in any instruction, which linkers leave as it is (R_X86_64_GOTPCREL).
    GotPcRelAny32,
    /// 32 bits, offset of the symbol's entry from the global offset table (R_386_GOT32).
    Got32,
    /// 32 bits, offset of the symbol from where code reaches the global offset table (R_386_GOTOFF, R_MIPS_GPREL32).
    GotOff32,
    /// 32 bits, PC-relative address of the global offset table (R_386_GOTPC).
    GotPc32,
    /// 32 bits, offset of a thread-local symbol from the thread pointer (R_386_TLS_LE, R_X86_64_TPOFF32).
    TpOff32,
    /// 32 bits, table entry with that offset: absolute (R_386_TLS_IE) or PC-relative (R_X86_64_GOTTPOFF).
    GotTpOff32,
    /// 32 bits, table entry with that offset, from the global offset table (R_386_TLS_GOTIE).
    GotTpOffBase32,
    /// 32 bits, table entries that name a thread-local symbol to `__tls_get_addr`: from the global offset
    /// table (R_386_TLS_GD) or PC-relative (R_X86_64_TLSGD).
    TlsGd32,
    /// The 24-bit field of `bl`, relative to the place; the target may be Thumb code (R_ARM_CALL).
    ArmCall,
    /// The 24-bit field of `b` and conditional `bl`, relative to the place (R_ARM_JUMP24).
    ArmJump24,
    /// The 16-bit field of `movw`: the low half of the address (R_ARM_MOVW_ABS_NC).
    ArmMovwAbs,
    /// The 16-bit field of `movt`: the high half of the address (R_ARM_MOVT_ABS).
    ArmMovtAbs,
    /// The 16-bit field of `movw`: the low half of the distance from the place (R_ARM_MOVW_PREL_NC).
    ArmMovwPcRel,
    /// The 16-bit field of `movt`: the high half of the distance from the place (R_ARM_MOVT_PREL).
    ArmMovtPcRel,
    /// The 16-bit field of `lui`: the high half of the address, to which the low half is added with its sign
    /// (R_MIPS_HI16). In an object the linker finds the low half in the next relocation of kind `MipsLo16`. Of the
    /// symbol `_gp_disp` both are halves of the distance from the place of the high one to the global pointer.
    MipsHi16,
    /// The 16-bit field of an addition, load or store: the low half of the address (R_MIPS_LO16).
    MipsLo16,
    /// The 26-bit field of `j` and `jal`: words, within the 256 MiB of the instruction in the slot (R_MIPS_26).
    Mips26,
    /// The 16-bit field of a load: the offset from the global pointer of the table entry with the symbol's address; of
    /// a local symbol, with an address that a `MipsLo16` adds to (R_MIPS_GOT16).
    MipsGot16,
    /// The entry for a function that is called at once (R_MIPS_CALL16).
    MipsCall16,
    /// The 16-bit field of an addition: the offset from the global pointer of the table entries that name a
    /// thread-local symbol to `__tls_get_addr` (R_MIPS_TLS_GD).
    MipsTlsGd,
    /// The 16-bit field of a load: the offset from the global pointer of the table entry with the offset of a
    /// thread-local symbol from the thread pointer (R_MIPS_TLS_GOTTPREL).
    MipsGotTpRel,
    /// The high half of that offset itself (R_MIPS_TLS_TPREL_HI16).
    MipsTpRelHi16,
    /// The low half of that offset itself (R_MIPS_TLS_TPREL_LO16).
    MipsTpRelLo16,
}

impl RelocKind {
    /// The field's size in bytes.
    #[must_use]
    pub const fn size(self) -> u32 {
        match self {
            RelocKind::Abs64 | RelocKind::PcRel64 => 8,
            _ => 4,
        }
    }
}

/// One place to be filled in by the linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Offset of the field in the code, in bytes.
    pub offset: u32,
    /// What to compute.
    pub kind: RelocKind,
    /// The symbol.
    pub symbol: SymbolId,
    /// Added to the symbol's address, see the module's text.
    pub addend: i64,
}
