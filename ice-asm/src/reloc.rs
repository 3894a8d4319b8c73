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
    /// The 21-bit field of `adrp`: pages of 4 KiB from that of the place to that of the symbol
    /// (R_AARCH64_ADR_PREL_PG_HI21).
    Aarch64Page21,
    /// The 12-bit field of `add`: the low 12 bits of the address (R_AARCH64_ADD_ABS_LO12_NC).
    Aarch64AddLo12,
    /// The 12-bit field of a load or store of 8 bits: the low 12 bits of the address (R_AARCH64_LDST8_ABS_LO12_NC).
    Aarch64Load8Lo12,
    /// The same of 16 bits: of an even address (R_AARCH64_LDST16_ABS_LO12_NC).
    Aarch64Load16Lo12,
    /// The same of 32 bits: of a multiple of 4 (R_AARCH64_LDST32_ABS_LO12_NC).
    Aarch64Load32Lo12,
    /// The same of 64 bits: of a multiple of 8 (R_AARCH64_LDST64_ABS_LO12_NC).
    Aarch64Load64Lo12,
    /// The same of 128 bits: of a multiple of 16 (R_AARCH64_LDST128_ABS_LO12_NC).
    Aarch64Load128Lo12,
    /// The field of `adrp`: pages to the table entry with the symbol's address (R_AARCH64_ADR_GOT_PAGE).
    Aarch64GotPage21,
    /// The field of a load: the low 12 bits of that entry's address (R_AARCH64_LD64_GOT_LO12_NC).
    Aarch64GotLo12,
    /// The 26-bit field of `bl`: words from the place (R_AARCH64_CALL26).
    Aarch64Call26,
    /// The 26-bit field of `b`: words from the place (R_AARCH64_JUMP26).
    Aarch64Jump26,
    /// The 19-bit field of a branch by flags or a whole register: words from the place (R_AARCH64_CONDBR19).
    Aarch64Branch19,
    /// The 14-bit field of a branch by one bit: words from the place (R_AARCH64_TSTBR14).
    Aarch64Branch14,
    /// The 19-bit field of a load from near the code: words from the place (R_AARCH64_LD_PREL_LO19).
    Aarch64Load19,
    /// The 21-bit field of `adr`: bytes from the place (R_AARCH64_ADR_PREL_LO21).
    Aarch64Address21,
    /// The field of `adrp`: pages to the table entry with the offset of a thread-local symbol from the thread pointer
    /// (R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21).
    Aarch64TlsIePage21,
    /// The field of a load: the low 12 bits of that entry's address (R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC).
    Aarch64TlsIeLo12,
    /// The field of `add` with a shift by 12: the high 12 bits of the offset of a thread-local symbol from the thread
    /// pointer (R_AARCH64_TLSLE_ADD_TPREL_HI12).
    Aarch64TlsLeHi12,
    /// The field of `add`: the low 12 bits of that offset (R_AARCH64_TLSLE_ADD_TPREL_LO12_NC).
    Aarch64TlsLeLo12,
    /// The field of `adrp`: pages to the descriptor of a thread-local symbol (R_AARCH64_TLSDESC_ADR_PAGE21).
    Aarch64TlsDescPage21,
    /// The field of a load: the low 12 bits of the descriptor's address (R_AARCH64_TLSDESC_LD64_LO12).
    Aarch64TlsDescLoadLo12,
    /// The field of `add`: the same (R_AARCH64_TLSDESC_ADD_LO12).
    Aarch64TlsDescAddLo12,
    /// No field: the `blr` that calls the function of the descriptor, which linkers may replace (R_AARCH64_TLSDESC_CALL).
    Aarch64TlsDescCall,
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

    /// Whether the field is a part of an instruction of AArch64, whose other bits the code has.
    #[must_use]
    pub const fn is_in_instruction(self) -> bool {
        matches!(
            self,
            RelocKind::Aarch64Page21
                | RelocKind::Aarch64AddLo12
                | RelocKind::Aarch64Load8Lo12
                | RelocKind::Aarch64Load16Lo12
                | RelocKind::Aarch64Load32Lo12
                | RelocKind::Aarch64Load64Lo12
                | RelocKind::Aarch64Load128Lo12
                | RelocKind::Aarch64GotPage21
                | RelocKind::Aarch64GotLo12
                | RelocKind::Aarch64Call26
                | RelocKind::Aarch64Jump26
                | RelocKind::Aarch64Branch19
                | RelocKind::Aarch64Branch14
                | RelocKind::Aarch64Load19
                | RelocKind::Aarch64Address21
                | RelocKind::Aarch64TlsIePage21
                | RelocKind::Aarch64TlsIeLo12
                | RelocKind::Aarch64TlsLeHi12
                | RelocKind::Aarch64TlsLeLo12
                | RelocKind::Aarch64TlsDescPage21
                | RelocKind::Aarch64TlsDescLoadLo12
                | RelocKind::Aarch64TlsDescAddLo12
        )
    }

    /// How a word has the distance from its place, if it is the kind of an instruction that has one.
    pub(crate) const fn distance(self) -> Option<DistanceField> {
        let (unit, bits) = match self {
            RelocKind::Aarch64Call26 | RelocKind::Aarch64Jump26 => (4, 26),
            RelocKind::Aarch64Branch19 | RelocKind::Aarch64Load19 => (4, 19),
            RelocKind::Aarch64Branch14 => (4, 14),
            RelocKind::Aarch64Address21 => (1, 21),
            _ => return None,
        };
        Some(DistanceField { unit, bits })
    }
}

/// A field of an instruction with a distance from its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DistanceField {
    /// What it counts, in bytes.
    unit: i64,
    bits: u32,
}

impl DistanceField {
    /// Whether it can count the distance.
    pub(crate) const fn is_aligned(self, distance: i64) -> bool {
        distance % self.unit == 0
    }

    /// Whether it has room for the distance.
    pub(crate) const fn has_room(self, distance: i64) -> bool {
        let most = self.unit << (self.bits - 1);
        distance >= -most && distance < most
    }

    /// The bits of a distance that it has room for.
    pub(crate) const fn bits_of(self, distance: i64) -> u32 {
        let field = (distance / self.unit) as u32 & ((1 << self.bits) - 1);
        match self.bits {
            26 => field,
            // The low two bits stand above.
            21 => (field & 3) << 29 | (field >> 2) << 5,
            _ => field << 5,
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
