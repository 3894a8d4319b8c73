//! The instructions that the sandbox allows, in the order of the opcode maps of Intel's manual (volume 2, appendix A).
//!
//! What no row names is refused. Left out on purpose: everything that is privileged, changes segments or flags of the
//! system, returns, interrupts, uses 16-bit addresses; stores past the caches; MMX, 3DNow!, VEX and what came after them.
//! Some rows are for x86-64 only because the historical validators refuse them on x86-32: `lods`, `loop`, `bt`.

use super::op::Op;

const P: Op = Op::PLAIN;
const M: Op = P.and(Op::MODRM);
const V: Op = M.and(Op::WORD);
const GP_RM: Op = V.and(Op::WRITES_RM).and(Op::EXTENDS);
const GP_REG: Op = V.and(Op::WRITES_REG).and(Op::EXTENDS);
const BYTE_RM: Op = M.and(Op::WRITES_RM).and(Op::BYTE);
const BYTE_REG: Op = M.and(Op::WRITES_REG).and(Op::BYTE);
/// Writes a register of 32 bits as others do not expect it: the upper half counts as unknown.
const UNKNOWN_RM: Op = V.and(Op::WRITES_RM);
const UNKNOWN_REG: Op = V.and(Op::WRITES_REG);

/// One table, from rows of first opcode, last opcode and what holds for all of them.
const fn table(rows: &[(u8, u8, Op)]) -> [Op; 256] {
    let mut table = [Op::NONE; 256];
    let mut row = 0;
    while row < rows.len() {
        let (first, last, op) = rows[row];
        let mut opcode = first as usize;
        while opcode <= last as usize {
            table[opcode] = op;
            opcode += 1;
        }
        row += 1;
    }
    table
}

/// Numbers of groups.
mod group {
    pub const ALU_8: u32 = 0;
    pub const ALU_Z: u32 = 1;
    pub const ALU_SHORT: u32 = 2;
    pub const POP: u32 = 3;
    pub const SHIFT_8: u32 = 4;
    pub const SHIFT: u32 = 5;
    pub const SHIFT_8_IMM: u32 = 6;
    pub const SHIFT_IMM: u32 = 7;
    pub const MOVE_8: u32 = 8;
    pub const MOVE: u32 = 9;
    pub const UNARY_8: u32 = 10;
    pub const UNARY: u32 = 11;
    pub const STEP_8: u32 = 12;
    pub const STEP: u32 = 13;
    pub const PREFETCH: u32 = 14;
    pub const PREFETCH_WRITE: u32 = 15;
    pub const BIT: u32 = 16;
    pub const EXCHANGE_TWICE: u32 = 17;
    pub const STATE: u32 = 18;
    pub const SHIFT_WORDS: u32 = 19;
    pub const SHIFT_DOUBLES: u32 = 20;
    pub const SHIFT_QUADS: u32 = 21;
    pub const NOP: u32 = 22;
    pub const FLOAT: u32 = 23;
    pub const COUNT: usize = 31;
}

/// The operations of two operands at `00` to `3F`: six rows each; `cmp`, the last, writes nothing.
const fn arithmetic(mut table: [Op; 256]) -> [Op; 256] {
    let mut operation = 0;
    while operation < 8 {
        let base = operation * 8;
        let writes = operation != 7;
        // adc and sbb do not count as confining their result.
        let extends = operation != 2 && operation != 3;
        let word = if extends { GP_RM } else { UNKNOWN_RM };
        let word_reg = if extends { GP_REG } else { UNKNOWN_REG };
        table[base] = if writes { BYTE_RM.and(Op::LOCK) } else { M };
        table[base + 1] = if writes { word.and(Op::LOCK) } else { V };
        table[base + 2] = if writes { BYTE_REG } else { M };
        table[base + 3] = if writes { word_reg } else { V };
        table[base + 4] = P.and(Op::IMM8);
        table[base + 5] = P.and(Op::IMM_Z).and(Op::WORD);
        operation += 1;
    }
    table
}

/// One-byte opcodes.
#[rustfmt::skip]
pub const ONE: [Op; 256] = arithmetic(table(&[
    (0x40, 0x4f, P.and(Op::WORD).and(Op::ONLY_32)),                     // inc, dec
    (0x50, 0x57, P),                                                    // push
    (0x58, 0x5f, P.and(Op::WRITES_OPCODE)),                             // pop
    (0x63, 0x63, GP_REG.and(Op::ONLY_64)),                              // movsxd
    (0x68, 0x68, P.and(Op::IMM_Z)),                                     // push
    (0x69, 0x69, GP_REG.and(Op::IMM_Z)),                                // imul
    (0x6a, 0x6a, P.and(Op::IMM8)),                                      // push
    (0x6b, 0x6b, GP_REG.and(Op::IMM8)),                                 // imul
    (0x70, 0x7f, P.and(Op::IMM8).and(Op::BRANCH)),                      // jcc
    (0x80, 0x80, Op::group(group::ALU_8)),
    (0x81, 0x81, Op::group(group::ALU_Z)),
    (0x83, 0x83, Op::group(group::ALU_SHORT)),
    (0x84, 0x84, M),                                                    // test
    (0x85, 0x85, V),
    (0x86, 0x86, BYTE_RM.and(Op::WRITES_REG).and(Op::LOCK)),            // xchg
    (0x87, 0x87, GP_RM.and(Op::WRITES_REG).and(Op::LOCK)),
    (0x88, 0x88, BYTE_RM),                                              // mov
    (0x89, 0x89, GP_RM),
    (0x8a, 0x8a, BYTE_REG),
    (0x8b, 0x8b, GP_REG),
    (0x8d, 0x8d, GP_REG.and(Op::MEMORY).and(Op::NO_ACCESS)),            // lea
    (0x8f, 0x8f, Op::group(group::POP)),
    (0x90, 0x90, P.and(Op::WORD).and(Op::REP).and(Op::NO_REX)),         // nop, pause
    (0x91, 0x97, P.and(Op::WORD).and(Op::WRITES_OPCODE)),               // xchg with eax
    (0x98, 0x99, P.and(Op::WORD)),                                      // cwde, cdq
    (0x9b, 0x9b, P.and(Op::NO_REX)),                                    // fwait
    (0x9e, 0x9f, P.and(Op::NO_REX)),                                    // sahf, lahf
    (0xa0, 0xa0, P.and(Op::OFFSET).and(Op::ONLY_32)),                   // mov
    (0xa1, 0xa1, P.and(Op::OFFSET).and(Op::ONLY_32).and(Op::WORD)),
    (0xa2, 0xa2, P.and(Op::OFFSET).and(Op::ONLY_32)),
    (0xa3, 0xa3, P.and(Op::OFFSET).and(Op::ONLY_32).and(Op::WORD)),
    (0xa4, 0xa4, P.and(Op::STRING).and(Op::REP)),                       // movs
    (0xa5, 0xa5, P.and(Op::STRING).and(Op::REP).and(Op::WORD)),
    (0xa6, 0xa6, P.and(Op::STRING).and(Op::REP).and(Op::REPNE)),        // cmps
    (0xa7, 0xa7, P.and(Op::STRING).and(Op::REP).and(Op::REPNE).and(Op::WORD)),
    (0xa8, 0xa8, P.and(Op::IMM8)),                                      // test
    (0xa9, 0xa9, P.and(Op::IMM_Z).and(Op::WORD)),
    (0xaa, 0xaa, P.and(Op::STRING).and(Op::REP)),                       // stos
    (0xab, 0xab, P.and(Op::STRING).and(Op::REP).and(Op::WORD)),
    (0xac, 0xac, P.and(Op::STRING).and(Op::ONLY_64)),                   // lods
    (0xad, 0xad, P.and(Op::STRING).and(Op::WORD).and(Op::ONLY_64)),
    (0xae, 0xae, P.and(Op::STRING).and(Op::REP).and(Op::REPNE)),        // scas
    (0xaf, 0xaf, P.and(Op::STRING).and(Op::REP).and(Op::REPNE)),
    (0xb0, 0xb7, P.and(Op::IMM8).and(Op::WRITES_OPCODE).and(Op::BYTE)), // mov
    (0xb8, 0xbf, P.and(Op::IMM_V).and(Op::WORD).and(Op::WRITES_OPCODE).and(Op::EXTENDS)),
    (0xc0, 0xc0, Op::group(group::SHIFT_8_IMM)),
    (0xc1, 0xc1, Op::group(group::SHIFT_IMM)),
    (0xc6, 0xc6, Op::group(group::MOVE_8)),
    (0xc7, 0xc7, Op::group(group::MOVE)),
    (0xc9, 0xc9, P.and(Op::ONLY_32)),                                   // leave
    (0xd0, 0xd0, Op::group(group::SHIFT_8)),
    (0xd1, 0xd1, Op::group(group::SHIFT)),
    (0xd2, 0xd2, Op::group(group::SHIFT_8)),
    (0xd3, 0xd3, Op::group(group::SHIFT)),
    (0xd8, 0xd8, Op::group(group::FLOAT)),
    (0xd9, 0xd9, Op::group(group::FLOAT + 1)),
    (0xda, 0xda, Op::group(group::FLOAT + 2)),
    (0xdb, 0xdb, Op::group(group::FLOAT + 3)),
    (0xdc, 0xdc, Op::group(group::FLOAT + 4)),
    (0xdd, 0xdd, Op::group(group::FLOAT + 5)),
    (0xde, 0xde, Op::group(group::FLOAT + 6)),
    (0xdf, 0xdf, Op::group(group::FLOAT + 7)),
    (0xe0, 0xe2, P.and(Op::IMM8).and(Op::BRANCH).and(Op::ONLY_64)),     // loopne, loope, loop
    (0xe3, 0xe3, P.and(Op::IMM8).and(Op::BRANCH)),                      // jecxz, jrcxz
    (0xe8, 0xe9, P.and(Op::IMM_Z).and(Op::BRANCH)),                     // call, jmp
    (0xeb, 0xeb, P.and(Op::IMM8).and(Op::BRANCH)),                      // jmp
    (0xf4, 0xf4, P.and(Op::NO_REX)),                                    // hlt
    (0xf5, 0xf5, P.and(Op::NO_REX)),                                    // cmc
    (0xf6, 0xf6, Op::group(group::UNARY_8)),
    (0xf7, 0xf7, Op::group(group::UNARY)),
    (0xf8, 0xf9, P.and(Op::NO_REX)),                                    // clc, stc
    (0xfc, 0xfd, P.and(Op::NO_REX)),                                    // cld, std
    (0xfe, 0xfe, Op::group(group::STEP_8)),
    (0xff, 0xff, Op::group(group::STEP)),
]));

/// Opcodes behind `0F` without a prefix; general operations may have 66 for 16 bits.
#[rustfmt::skip]
pub const TWO: [Op; 256] = table(&[
    (0x0b, 0x0b, P.and(Op::NO_REX)),                                    // ud2
    (0x0d, 0x0d, Op::group(group::PREFETCH_WRITE)),
    (0x10, 0x17, M),                                                    // movups, movlps, unpcklps, movhps
    (0x13, 0x13, M.and(Op::MEMORY)),
    (0x17, 0x17, M.and(Op::MEMORY)),
    (0x18, 0x18, Op::group(group::PREFETCH)),
    (0x1f, 0x1f, Op::group(group::NOP)),
    (0x28, 0x29, M),                                                    // movaps
    (0x2e, 0x2f, M),                                                    // ucomiss, comiss
    (0x31, 0x31, P.and(Op::NO_REX)),                                    // rdtsc
    (0x40, 0x4f, UNKNOWN_REG),                                          // cmov
    (0x50, 0x50, M.and(Op::WRITES_REG).and(Op::REGISTER)),              // movmskps
    (0x51, 0x5f, M),                                                    // sqrtps to maxps
    (0x80, 0x8f, P.and(Op::IMM_Z).and(Op::BRANCH)),                     // jcc
    (0x90, 0x9f, BYTE_RM),                                              // setcc
    (0xa2, 0xa2, P.and(Op::NO_REX)),                                    // cpuid
    (0xa4, 0xa4, UNKNOWN_RM.and(Op::IMM8)),                             // shld
    (0xa5, 0xa5, UNKNOWN_RM),
    (0xac, 0xac, UNKNOWN_RM.and(Op::IMM8)),                             // shrd
    (0xad, 0xad, UNKNOWN_RM),
    (0xae, 0xae, Op::group(group::STATE)),
    (0xaf, 0xaf, GP_REG),                                               // imul
    // cmpxchg, whose second operand the historical validators count as written
    (0xb0, 0xb0, BYTE_RM.and(Op::WRITES_REG).and(Op::LOCK)),
    (0xb1, 0xb1, UNKNOWN_RM.and(Op::WRITES_REG).and(Op::LOCK)),
    (0xb6, 0xb7, GP_REG),                                               // movzx
    (0xba, 0xba, Op::group(group::BIT)),
    (0xbc, 0xbd, UNKNOWN_REG),                                          // bsf, bsr
    (0xbe, 0xbf, GP_REG),                                               // movsx
    (0xc0, 0xc0, BYTE_RM.and(Op::WRITES_REG).and(Op::LOCK)),            // xadd
    (0xc1, 0xc1, GP_RM.and(Op::WRITES_REG).and(Op::LOCK)),
    (0xc2, 0xc2, M.and(Op::IMM8)),                                      // cmpps
    (0xc6, 0xc6, M.and(Op::IMM8)),                                      // shufps
    (0xc7, 0xc7, Op::group(group::EXCHANGE_TWICE)),
    (0xc8, 0xcf, P.and(Op::WRITES_OPCODE)),                             // bswap
]);

/// Opcodes behind `66 0F`.
#[rustfmt::skip]
pub const TWO_66: [Op; 256] = table(&[
    (0x10, 0x17, M),                                                    // movupd, movlpd, unpcklpd, movhpd
    (0x12, 0x13, M.and(Op::MEMORY)),
    (0x16, 0x17, M.and(Op::MEMORY)),
    (0x28, 0x29, M),                                                    // movapd
    (0x2e, 0x2f, M),                                                    // ucomisd, comisd
    (0x50, 0x50, M.and(Op::WRITES_REG).and(Op::REGISTER)),              // movmskpd
    (0x51, 0x51, M),                                                    // sqrtpd
    (0x54, 0x6f, M),                                                    // andpd to movdqa
    (0x6e, 0x6e, M),                                                    // movd, movq
    (0x70, 0x70, M.and(Op::IMM8)),                                      // pshufd
    (0x71, 0x71, Op::group(group::SHIFT_WORDS)),
    (0x72, 0x72, Op::group(group::SHIFT_DOUBLES)),
    (0x73, 0x73, Op::group(group::SHIFT_QUADS)),
    (0x74, 0x76, M),                                                    // pcmpeq
    (0x7c, 0x7d, M.and(Op::SSE4)),                                      // haddpd, hsubpd
    (0x7e, 0x7e, M.and(Op::WRITES_RM).and(Op::EXTENDS)),                // movd, movq
    (0x7f, 0x7f, M),                                                    // movdqa
    (0xc2, 0xc2, M.and(Op::IMM8)),                                      // cmppd
    (0xc4, 0xc4, M.and(Op::IMM8)),                                      // pinsrw
    (0xc5, 0xc5, M.and(Op::IMM8).and(Op::REGISTER).and(Op::WRITES_REG)), // pextrw
    (0xc6, 0xc6, M.and(Op::IMM8)),                                      // shufpd
    (0xd0, 0xd0, M.and(Op::SSE4)),                                      // addsubpd
    (0xd1, 0xd6, M),                                                    // psrlw to movq
    (0xd7, 0xd7, M.and(Op::REGISTER).and(Op::WRITES_REG)),              // pmovmskb
    (0xd8, 0xe6, M),                                                    // psubusb to cvttpd2dq
    (0xe8, 0xef, M),                                                    // psubsb to pxor
    (0xf1, 0xf6, M),                                                    // psllw to psadbw
    (0xf8, 0xfe, M),                                                    // psubb to paddd
]);

/// Opcodes behind `F3 0F`.
#[rustfmt::skip]
pub const TWO_F3: [Op; 256] = table(&[
    (0x10, 0x11, M),                                                    // movss
    (0x12, 0x12, M.and(Op::SSE4)),                                      // movsldup
    (0x16, 0x16, M.and(Op::SSE4)),                                      // movshdup
    (0x2a, 0x2a, M),                                                    // cvtsi2ss
    (0x2c, 0x2d, M.and(Op::WRITES_REG)),                                // cvttss2si, cvtss2si
    (0x51, 0x53, M),                                                    // sqrtss, rsqrtss, rcpss
    (0x58, 0x5f, M),                                                    // addss to maxss
    (0x6f, 0x70, M),                                                    // movdqu, pshufhw
    (0x70, 0x70, M.and(Op::IMM8)),
    (0x7e, 0x7f, M),                                                    // movq, movdqu
    (0xb8, 0xb8, UNKNOWN_REG.and(Op::SSE4)),                            // popcnt
    (0xbc, 0xbd, UNKNOWN_REG.and(Op::BITS)),                            // tzcnt, lzcnt
    (0xc2, 0xc2, M.and(Op::IMM8)),                                      // cmpss
    (0xe6, 0xe6, M),                                                    // cvtdq2pd
]);

/// Opcodes behind `F2 0F`.
#[rustfmt::skip]
pub const TWO_F2: [Op; 256] = table(&[
    (0x10, 0x11, M),                                                    // movsd
    (0x12, 0x12, M.and(Op::SSE4)),                                      // movddup
    (0x2a, 0x2a, M),                                                    // cvtsi2sd
    (0x2c, 0x2d, M.and(Op::WRITES_REG)),                                // cvttsd2si, cvtsd2si
    (0x51, 0x51, M),                                                    // sqrtsd
    (0x58, 0x5a, M),                                                    // addsd, mulsd, cvtsd2ss
    (0x5c, 0x5f, M),                                                    // subsd to maxsd
    (0x70, 0x70, M.and(Op::IMM8)),                                      // pshuflw
    (0x7c, 0x7d, M.and(Op::SSE4)),                                      // haddps, hsubps
    (0xc2, 0xc2, M.and(Op::IMM8)),                                      // cmpsd
    (0xd0, 0xd0, M.and(Op::SSE4)),                                      // addsubps
    (0xe6, 0xe6, M),                                                    // cvtpd2dq
    (0xf0, 0xf0, M.and(Op::MEMORY).and(Op::SSE4)),                      // lddqu
]);

/// Opcodes behind `66 0F 38`.
#[rustfmt::skip]
pub const THREE_38: [Op; 256] = table(&[
    (0x00, 0x0b, M.and(Op::SSE4)),                                      // pshufb to pmulhrsw
    (0x10, 0x10, M.and(Op::SSE4)),                                      // pblendvb
    (0x14, 0x15, M.and(Op::SSE4)),                                      // blendvps, blendvpd
    (0x17, 0x17, M.and(Op::SSE4)),                                      // ptest
    (0x1c, 0x1e, M.and(Op::SSE4)),                                      // pabs
    (0x20, 0x25, M.and(Op::SSE4)),                                      // pmovsx
    (0x28, 0x29, M.and(Op::SSE4)),                                      // pmuldq, pcmpeqq
    (0x2a, 0x2a, M.and(Op::SSE4).and(Op::MEMORY)),                      // movntdqa
    (0x2b, 0x2b, M.and(Op::SSE4)),                                      // packusdw
    (0x30, 0x35, M.and(Op::SSE4)),                                      // pmovzx
    (0x37, 0x41, M.and(Op::SSE4)),                                      // pcmpgtq to phminposuw
]);

/// Opcodes behind `66 0F 3A`.
#[rustfmt::skip]
pub const THREE_3A: [Op; 256] = table(&[
    (0x08, 0x0f, M.and(Op::SSE4).and(Op::IMM8)),                        // roundps to palignr
    (0x14, 0x17, M.and(Op::SSE4).and(Op::IMM8).and(Op::WRITES_RM)),     // pextrb, pextrw, pextrd, extractps
    (0x20, 0x22, M.and(Op::SSE4).and(Op::IMM8)),                        // pinsrb, insertps, pinsrd
    (0x40, 0x42, M.and(Op::SSE4).and(Op::IMM8)),                        // dpps, dppd, mpsadbw
    (0x60, 0x63, M.and(Op::SSE4).and(Op::IMM8)),                        // pcmpestrm to pcmpistri
]);

/// `movbe`, behind `0F 38 F0` and `F1`.
pub const MOVBE: [Op; 2] = [UNKNOWN_REG.and(Op::MEMORY).and(Op::BITS), V.and(Op::MEMORY).and(Op::BITS)];

/// `crc32`, behind `F2 0F 38 F0` and `F1`.
pub const CRC32: [Op; 2] = [M.and(Op::WRITES_REG).and(Op::SSE4), UNKNOWN_REG.and(Op::SSE4)];

const N: Op = Op::NONE;

/// `add or adc sbb and sub xor cmp` in a group.
const fn alu(plain: Op, unknown: Op, compare: Op) -> [Op; 8] {
    [plain, plain, unknown, unknown, plain, plain, plain, compare]
}

/// `rol ror rcl rcr shl shr - sar` in a group.
const fn shift(op: Op) -> [Op; 8] {
    [op, op, op, op, op, op, N, op]
}

const LOCKED_BYTE: Op = BYTE_RM.and(Op::LOCK);
const LOCKED: Op = GP_RM.and(Op::LOCK);
const LOCKED_UNKNOWN: Op = UNKNOWN_RM.and(Op::LOCK);

const BIT_RM: Op = LOCKED_UNKNOWN.and(Op::IMM8).and(Op::ONLY_64);
const HINT: Op = M.and(Op::MEMORY).and(Op::NO_ACCESS);
const LANES: Op = M.and(Op::REGISTER).and(Op::IMM8);

/// The rows that ModRM.reg selects.
#[rustfmt::skip]
pub const GROUPS: [[Op; 8]; group::COUNT] = [
    alu(LOCKED_BYTE.and(Op::IMM8), LOCKED_BYTE.and(Op::IMM8), M.and(Op::IMM8)),
    alu(LOCKED.and(Op::IMM_Z), LOCKED_UNKNOWN.and(Op::IMM_Z), V.and(Op::IMM_Z)),
    alu(LOCKED.and(Op::IMM8), LOCKED_UNKNOWN.and(Op::IMM8), V.and(Op::IMM8)),
    [M.and(Op::WRITES_RM), N, N, N, N, N, N, N],
    shift(BYTE_RM),
    shift(UNKNOWN_RM),
    shift(BYTE_RM.and(Op::IMM8)),
    shift(UNKNOWN_RM.and(Op::IMM8)),
    [BYTE_RM.and(Op::IMM8), N, N, N, N, N, N, N],
    [GP_RM.and(Op::IMM_Z), N, N, N, N, N, N, N],
    // test - not neg mul imul div idiv
    [M.and(Op::IMM8), N, LOCKED_BYTE, LOCKED_BYTE, M, M, M, M],
    [V.and(Op::IMM_Z), N, LOCKED, LOCKED, V, V, V, V],
    // inc dec; with a wider operand also call, jmp, push
    [LOCKED_BYTE, LOCKED_BYTE, N, N, N, N, N, N],
    [LOCKED, LOCKED, M.and(Op::INDIRECT).and(Op::REGISTER), N, M.and(Op::INDIRECT).and(Op::REGISTER), N, M, N],
    // - prefetcht0 prefetcht1 prefetcht2; prefetch prefetchw
    [N, HINT, HINT, HINT, N, N, N, N],
    [HINT, HINT, N, N, N, N, N, N],
    // bt bts btr btc with a number; a bit that a register names reaches far
    [N, N, N, N, V.and(Op::IMM8).and(Op::ONLY_64), BIT_RM, BIT_RM, BIT_RM],
    // cmpxchg8b, cmpxchg16b
    [N, M.and(Op::MEMORY).and(Op::LOCK), N, N, N, N, N, N],
    // ldmxcsr stmxcsr, and without memory lfence mfence sfence
    [N, N, M.and(Op::MEMORY), M.and(Op::MEMORY), N, M.and(Op::REGISTER), M.and(Op::REGISTER), M.and(Op::REGISTER)],
    // psrl psra psll by a number, of words, doubles and quads
    [N, N, LANES, N, LANES, N, LANES, N],
    [N, N, LANES, N, LANES, N, LANES, N],
    [N, N, LANES, LANES, N, N, LANES, LANES],
    [M.and(Op::NO_ACCESS), N, N, N, N, N, N, N],
    // D8 to DF: the rows are those of operands in memory; FLOAT_REGISTERS has the others
    [M; 8],                                                             // fadd to fdivr m32
    [M, N, M, M, M, M, M, M],                                           // fld fst fstp fldenv fldcw fnstenv fnstcw
    [M; 8],                                                             // fiadd to fidivr m32
    [M, M, M, M, N, M, N, M],                                           // fild fisttp fist fistp - fld m80 - fstp m80
    [M; 8],                                                             // fadd to fdivr m64
    [M, M, M, M, M, N, M, M],                                           // fld fisttp fst fstp frstor - fnsave fnstsw
    [M; 8],                                                             // fiadd to fidivr m16
    [M; 8],                                                             // fild fisttp fist fistp fbld fild fbstp fistp
];

/// For each opcode from `D8` on, the second bytes from `C0` on that are instructions, as a set of 64 bits.
pub const FLOAT_REGISTERS: [u64; 8] = [
    u64::MAX, // fadd to fdivr
    // fld fxch, fnop, fchs fabs ftst fxam, fld1 to fldz, f2xm1 to fcos
    0xffff_7f33_0001_ffff,
    0x0000_0200_ffff_ffff, // fcmov, fucompp
    0x00ff_ff0c_ffff_ffff, // fcmov, fnclex fninit, fucomi fcomi
    0xffff_ffff_0000_ffff, // fadd fmul, fsub to fdivr
    0x0000_ffff_ffff_00ff, // ffree, fst fstp, fucom fucomp
    0xffff_ffff_0200_ffff, // faddp fmulp, fcompp, fsubp to fdivrp
    0x00ff_ff01_0000_0000, // fnstsw ax, fucomip fcomip
];
