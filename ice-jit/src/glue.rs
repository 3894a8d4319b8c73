//! Pieces of machine code that stand between generated functions: as bytes, one table a machine.
//!
//! | piece | does |
//! |---|---|
//! | thunk | jumps to the address in a *cell*, a word among the variables: what others take for the function |
//! | stub | says which function is wanted and goes to the entry; what the cell of a function without code points to |
//! | entry | keeps all registers that arguments may be in, calls `resolve(context, number)`, and goes to what that gives |
//!
//! A stub leaves the number on the stack (x86) or in `ip` (ARM) or `x16` (AArch64), which those machines give to veneers. The
//! entry puts the address where the number was and returns to it, or branches. Context and `resolve` are words behind the entry.
//!
//! Encodings: Intel's manual, volume 2; ARM's manuals (DDI 0406C, A8.8; DDI 0487, C6.2 and C7.2).

use ice_asm::RelocKind;

/// A reference in a piece: where its field is, its kind, what is added.
pub(crate) struct Field {
    pub(crate) offset: u64,
    pub(crate) kind: RelocKind,
    pub(crate) addend: i64,
}

/// Code with a reference in it.
pub(crate) struct Piece {
    pub(crate) code: &'static [u8],
    /// To the cell from a thunk, to the entry from a stub.
    pub(crate) field: Field,
}

/// The pieces of a machine.
pub(crate) struct Glue {
    pub(crate) thunk: Piece,
    pub(crate) stub: Piece,
    /// Where the number of the function is in a stub.
    pub(crate) number: usize,
    pub(crate) entry: &'static [u8],
    /// That of modules with functions for processors with AVX, whose arguments may be vectors of 256 bits, on machines that
    /// have them.
    pub(crate) wide_entry: Option<&'static [u8]>,
}

/// A reference from an instruction that ends with its field of 32 bits.
const fn relative(offset: u64) -> Field {
    Field { offset, kind: RelocKind::PcRel32, addend: -4 }
}

const fn absolute(offset: u64) -> Field {
    Field { offset, kind: RelocKind::Abs32, addend: 0 }
}

#[rustfmt::skip]
pub(crate) static X86_64: Glue = Glue {
    thunk: Piece {
        code: &[0xff, 0x25, 0, 0, 0, 0],                       // jmp *cell(%rip)
        field: relative(2),
    },
    stub: Piece {
        code: &[
            0x68, 0, 0, 0, 0,                                  // push $number
            0xe9, 0, 0, 0, 0,                                  // jmp entry
        ],
        field: relative(6),
    },
    number: 1,
    entry: &[
        0x50, 0x57, 0x56, 0x52, 0x51,                          // push %rax, %rdi, %rsi, %rdx, %rcx
        0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53,        // push %r8, %r9, %r10, %r11
        0x48, 0x81, 0xec, 0x88, 0, 0, 0,                       // sub $136, %rsp
        0x0f, 0x11, 0x04, 0x24,                                // movups %xmm0, (%rsp)
        0x0f, 0x11, 0x4c, 0x24, 0x10,                          // movups %xmm1, 16(%rsp)
        0x0f, 0x11, 0x54, 0x24, 0x20,
        0x0f, 0x11, 0x5c, 0x24, 0x30,
        0x0f, 0x11, 0x64, 0x24, 0x40,
        0x0f, 0x11, 0x6c, 0x24, 0x50,
        0x0f, 0x11, 0x74, 0x24, 0x60,
        0x0f, 0x11, 0x7c, 0x24, 0x70,
        0x8b, 0xb4, 0x24, 0xd0, 0, 0, 0,                       // mov 208(%rsp), %esi: the number
        0x48, 0x8b, 0x3d, 0x4f, 0, 0, 0,                       // mov context(%rip), %rdi
        0xff, 0x15, 0x51, 0, 0, 0,                             // call *resolve(%rip)
        0x48, 0x89, 0x84, 0x24, 0xd0, 0, 0, 0,                 // mov %rax, 208(%rsp)
        0x0f, 0x10, 0x04, 0x24,                                // movups (%rsp), %xmm0
        0x0f, 0x10, 0x4c, 0x24, 0x10,
        0x0f, 0x10, 0x54, 0x24, 0x20,
        0x0f, 0x10, 0x5c, 0x24, 0x30,
        0x0f, 0x10, 0x64, 0x24, 0x40,
        0x0f, 0x10, 0x6c, 0x24, 0x50,
        0x0f, 0x10, 0x74, 0x24, 0x60,
        0x0f, 0x10, 0x7c, 0x24, 0x70,
        0x48, 0x81, 0xc4, 0x88, 0, 0, 0,                       // add $136, %rsp
        0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58,        // pop %r11, %r10, %r9, %r8
        0x59, 0x5a, 0x5e, 0x5f, 0x58,                          // pop %rcx, %rdx, %rsi, %rdi, %rax
        0xc3,                                                  // ret: to the address that was left there
        0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
    ],
    wide_entry: Some(&[
        0x50, 0x57, 0x56, 0x52, 0x51,                          // push %rax, %rdi, %rsi, %rdx, %rcx
        0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53,        // push %r8, %r9, %r10, %r11
        0x48, 0x81, 0xec, 0x08, 0x01, 0, 0,                    // sub $264, %rsp
        0xc5, 0xfc, 0x11, 0x04, 0x24,                          // vmovups %ymm0, (%rsp)
        0xc5, 0xfc, 0x11, 0x4c, 0x24, 0x20,                    // vmovups %ymm1, 32(%rsp)
        0xc5, 0xfc, 0x11, 0x54, 0x24, 0x40,
        0xc5, 0xfc, 0x11, 0x5c, 0x24, 0x60,
        0xc5, 0xfc, 0x11, 0xa4, 0x24, 0x80, 0, 0, 0,
        0xc5, 0xfc, 0x11, 0xac, 0x24, 0xa0, 0, 0, 0,
        0xc5, 0xfc, 0x11, 0xb4, 0x24, 0xc0, 0, 0, 0,
        0xc5, 0xfc, 0x11, 0xbc, 0x24, 0xe0, 0, 0, 0,
        0xc5, 0xf8, 0x77,                                      // vzeroupper
        0x8b, 0xb4, 0x24, 0x50, 0x01, 0, 0,                    // mov 336(%rsp), %esi: the number
        0x48, 0x8b, 0x3d, 0x60, 0, 0, 0,                       // mov context(%rip), %rdi
        0xff, 0x15, 0x62, 0, 0, 0,                             // call *resolve(%rip)
        0x48, 0x89, 0x84, 0x24, 0x50, 0x01, 0, 0,              // mov %rax, 336(%rsp)
        0xc5, 0xfc, 0x10, 0x04, 0x24,                          // vmovups (%rsp), %ymm0
        0xc5, 0xfc, 0x10, 0x4c, 0x24, 0x20,
        0xc5, 0xfc, 0x10, 0x54, 0x24, 0x40,
        0xc5, 0xfc, 0x10, 0x5c, 0x24, 0x60,
        0xc5, 0xfc, 0x10, 0xa4, 0x24, 0x80, 0, 0, 0,
        0xc5, 0xfc, 0x10, 0xac, 0x24, 0xa0, 0, 0, 0,
        0xc5, 0xfc, 0x10, 0xb4, 0x24, 0xc0, 0, 0, 0,
        0xc5, 0xfc, 0x10, 0xbc, 0x24, 0xe0, 0, 0, 0,
        0x48, 0x81, 0xc4, 0x08, 0x01, 0, 0,                    // add $264, %rsp
        0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58,        // pop %r11, %r10, %r9, %r8
        0x59, 0x5a, 0x5e, 0x5f, 0x58,                          // pop %rcx, %rdx, %rsi, %rdi, %rax
        0xc3,                                                  // ret: to the address that was left there
        0xcc, 0xcc,
    ]),
};

#[rustfmt::skip]
pub(crate) static I686: Glue = Glue {
    thunk: Piece {
        code: &[0xff, 0x25, 0, 0, 0, 0],                       // jmp *cell
        field: absolute(2),
    },
    stub: Piece {
        code: &[
            0x68, 0, 0, 0, 0,                                  // push $number
            0xe9, 0, 0, 0, 0,                                  // jmp entry
        ],
        field: relative(6),
    },
    number: 1,
    entry: &[
        0x50, 0x51, 0x52,                                      // push %eax, %ecx, %edx
        0x83, 0xec, 0x3c,                                      // sub $60, %esp
        0x0f, 0x11, 0x44, 0x24, 0x0c,                          // movups %xmm0, 12(%esp)
        0x0f, 0x11, 0x4c, 0x24, 0x1c,                          // movups %xmm1, 28(%esp)
        0x0f, 0x11, 0x54, 0x24, 0x2c,                          // movups %xmm2, 44(%esp)
        0x8b, 0x44, 0x24, 0x48,                                // mov 72(%esp), %eax: the number
        0x89, 0x44, 0x24, 0x04,                                // mov %eax, 4(%esp)
        0xe8, 0, 0, 0, 0,                                      // call 1f
        0x58,                                                  // 1: pop %eax
        0x8b, 0x88, 0x2e, 0, 0, 0,                             // mov context-1b(%eax), %ecx
        0x89, 0x0c, 0x24,                                      // mov %ecx, (%esp)
        0xff, 0x90, 0x32, 0, 0, 0,                             // call *resolve-1b(%eax)
        0x89, 0x44, 0x24, 0x48,                                // mov %eax, 72(%esp)
        0x0f, 0x10, 0x44, 0x24, 0x0c,                          // movups 12(%esp), %xmm0
        0x0f, 0x10, 0x4c, 0x24, 0x1c,
        0x0f, 0x10, 0x54, 0x24, 0x2c,
        0x83, 0xc4, 0x3c,                                      // add $60, %esp
        0x5a, 0x59, 0x58,                                      // pop %edx, %ecx, %eax
        0xc3,                                                  // ret: to the address that was left there
        0xcc, 0xcc, 0xcc, 0xcc,
    ],
    wide_entry: Some(&[
        0x50, 0x51, 0x52,                                      // push %eax, %ecx, %edx
        0x83, 0xec, 0x6c,                                      // sub $108, %esp
        0xc5, 0xfc, 0x11, 0x44, 0x24, 0x0c,                    // vmovups %ymm0, 12(%esp)
        0xc5, 0xfc, 0x11, 0x4c, 0x24, 0x2c,                    // vmovups %ymm1, 44(%esp)
        0xc5, 0xfc, 0x11, 0x54, 0x24, 0x4c,                    // vmovups %ymm2, 76(%esp)
        0xc5, 0xf8, 0x77,                                      // vzeroupper
        0x8b, 0x44, 0x24, 0x78,                                // mov 120(%esp), %eax: the number
        0x89, 0x44, 0x24, 0x04,                                // mov %eax, 4(%esp)
        0xe8, 0, 0, 0, 0,                                      // call 1f
        0x58,                                                  // 1: pop %eax
        0x8b, 0x88, 0x30, 0, 0, 0,                             // mov context-1b(%eax), %ecx
        0x89, 0x0c, 0x24,                                      // mov %ecx, (%esp)
        0xff, 0x90, 0x34, 0, 0, 0,                             // call *resolve-1b(%eax)
        0x89, 0x44, 0x24, 0x78,                                // mov %eax, 120(%esp)
        0xc5, 0xfc, 0x10, 0x44, 0x24, 0x0c,                    // vmovups 12(%esp), %ymm0
        0xc5, 0xfc, 0x10, 0x4c, 0x24, 0x2c,
        0xc5, 0xfc, 0x10, 0x54, 0x24, 0x4c,
        0x83, 0xc4, 0x6c,                                      // add $108, %esp
        0x5a, 0x59, 0x58,                                      // pop %edx, %ecx, %eax
        0xc3,                                                  // ret: to the address that was left there
        0xcc, 0xcc, 0xcc,
    ]),
};

#[rustfmt::skip]
pub(crate) static ARM32: Glue = Glue {
    thunk: Piece {
        code: &[
            0x00, 0xc0, 0x9f, 0xe5,                            // ldr ip, [pc]: the word behind
            0x00, 0xf0, 0x9c, 0xe5,                            // ldr pc, [ip]
            0, 0, 0, 0,                                        // .word cell
        ],
        field: absolute(8),
    },
    stub: Piece {
        code: &[
            0x00, 0xc0, 0x9f, 0xe5,                            // ldr ip, [pc]: the word behind
            0x00, 0x00, 0x00, 0xea,                            // b entry
            0, 0, 0, 0,                                        // .word number
        ],
        field: Field { offset: 4, kind: RelocKind::ArmJump24, addend: -8 },
    },
    number: 8,
    entry: &[
        0x0f, 0x50, 0x2d, 0xe9,                                // push {r0-r3, ip, lr}
        0x10, 0x0b, 0x2d, 0xed,                                // vpush {d0-d7}
        0x0c, 0x10, 0xa0, 0xe1,                                // mov r1, ip: the number
        0x14, 0x00, 0x9f, 0xe5,                                // ldr r0, context
        0x14, 0x20, 0x9f, 0xe5,                                // ldr r2, resolve
        0x32, 0xff, 0x2f, 0xe1,                                // blx r2
        0x50, 0x00, 0x8d, 0xe5,                                // str r0, [sp, #80]: as ip
        0x10, 0x0b, 0xbd, 0xec,                                // vpop {d0-d7}
        0x0f, 0x50, 0xbd, 0xe8,                                // pop {r0-r3, ip, lr}
        0x1c, 0xff, 0x2f, 0xe1,                                // bx ip
    ],
    wide_entry: None,
};

/// The entry keeps x9 to x15 as well: functions that preserve nothing have arguments there.
#[rustfmt::skip]
pub(crate) static AARCH64: Glue = Glue {
    thunk: Piece {
        code: &[
            0x90, 0x00, 0x00, 0x58,                            // ldr x16, 1f
            0x10, 0x02, 0x40, 0xf9,                            // ldr x16, [x16]
            0x00, 0x02, 0x1f, 0xd6,                            // br x16
            0x1f, 0x20, 0x03, 0xd5,                            // nop
            0, 0, 0, 0, 0, 0, 0, 0,                            // 1: .quad cell
        ],
        field: Field { offset: 16, kind: RelocKind::Abs64, addend: 0 },
    },
    stub: Piece {
        code: &[
            0x50, 0x00, 0x00, 0x18,                            // ldr w16, 1f
            0x00, 0x00, 0x00, 0x14,                            // b entry
            0, 0, 0, 0,                                        // 1: .word number
        ],
        field: Field { offset: 4, kind: RelocKind::Aarch64Jump26, addend: 0 },
    },
    number: 8,
    entry: &[
        0xfd, 0x7b, 0xaf, 0xa9,                                // stp x29, x30, [sp, #-272]!
        0xfd, 0x03, 0x00, 0x91,                                // mov x29, sp
        0xe0, 0x07, 0x01, 0xa9,                                // stp x0, x1, [sp, #16]
        0xe2, 0x0f, 0x02, 0xa9,                                // stp x2, x3, [sp, #32]
        0xe4, 0x17, 0x03, 0xa9,
        0xe6, 0x1f, 0x04, 0xa9,
        0xe8, 0x27, 0x05, 0xa9,
        0xea, 0x2f, 0x06, 0xa9,
        0xec, 0x37, 0x07, 0xa9,
        0xee, 0x3f, 0x08, 0xa9,                                // stp x14, x15, [sp, #128]
        0xe0, 0x87, 0x04, 0xad,                                // stp q0, q1, [sp, #144]
        0xe2, 0x8f, 0x05, 0xad,
        0xe4, 0x97, 0x06, 0xad,
        0xe6, 0x9f, 0x07, 0xad,
        0xe1, 0x03, 0x10, 0x2a,                                // mov w1, w16: the number
        0x60, 0x02, 0x00, 0x58,                                // ldr x0, context
        0x89, 0x02, 0x00, 0x58,                                // ldr x9, resolve
        0x20, 0x01, 0x3f, 0xd6,                                // blr x9
        0xf0, 0x03, 0x00, 0xaa,                                // mov x16, x0
        0xe0, 0x87, 0x44, 0xad,                                // ldp q0, q1, [sp, #144]
        0xe2, 0x8f, 0x45, 0xad,
        0xe4, 0x97, 0x46, 0xad,
        0xe6, 0x9f, 0x47, 0xad,
        0xe0, 0x07, 0x41, 0xa9,                                // ldp x0, x1, [sp, #16]
        0xe2, 0x0f, 0x42, 0xa9,
        0xe4, 0x17, 0x43, 0xa9,
        0xe6, 0x1f, 0x44, 0xa9,
        0xe8, 0x27, 0x45, 0xa9,
        0xea, 0x2f, 0x46, 0xa9,
        0xec, 0x37, 0x47, 0xa9,
        0xee, 0x3f, 0x48, 0xa9,
        0xfd, 0x7b, 0xd1, 0xa8,                                // ldp x29, x30, [sp], #272
        0x00, 0x02, 0x1f, 0xd6,                                // br x16
        0x1f, 0x20, 0x03, 0xd5,                                // nop
    ],
    wide_entry: None,
};
