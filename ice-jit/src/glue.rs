//! Pieces of machine code that stand between generated functions: as bytes, one table a machine.
//!
//! | piece | does |
//! |---|---|
//! | thunk | jumps to the address in a *cell*, a word among the variables: what others take for the function |
//! | stub | says which function is wanted and goes to the entry; what the cell of a function without code points to |
//! | entry | keeps all registers that arguments may be in, calls `resolve(context, number)`, and goes to what that gives |
//!
//! A stub leaves the number on the stack (x86) or in `ip` (ARM, which gives that register to veneers). The entry puts the
//! address where the number was and returns to it, or branches. Context and `resolve` are words behind the entry.
//!
//! Encodings: Intel's manual, volume 2; ARM's manual (DDI 0406C), A8.8.

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
        0x41, 0x50, 0x41, 0x51, 0x41, 0x52,                    // push %r8, %r9, %r10
        0x48, 0x81, 0xec, 0x80, 0, 0, 0,                       // sub $128, %rsp
        0x0f, 0x11, 0x04, 0x24,                                // movups %xmm0, (%rsp)
        0x0f, 0x11, 0x4c, 0x24, 0x10,                          // movups %xmm1, 16(%rsp)
        0x0f, 0x11, 0x54, 0x24, 0x20,
        0x0f, 0x11, 0x5c, 0x24, 0x30,
        0x0f, 0x11, 0x64, 0x24, 0x40,
        0x0f, 0x11, 0x6c, 0x24, 0x50,
        0x0f, 0x11, 0x74, 0x24, 0x60,
        0x0f, 0x11, 0x7c, 0x24, 0x70,
        0x8b, 0xb4, 0x24, 0xc0, 0, 0, 0,                       // mov 192(%rsp), %esi: the number
        0x48, 0x8b, 0x3d, 0x49, 0, 0, 0,                       // mov context(%rip), %rdi
        0xff, 0x15, 0x4b, 0, 0, 0,                             // call *resolve(%rip)
        0x48, 0x89, 0x84, 0x24, 0xc0, 0, 0, 0,                 // mov %rax, 192(%rsp)
        0x0f, 0x10, 0x04, 0x24,                                // movups (%rsp), %xmm0
        0x0f, 0x10, 0x4c, 0x24, 0x10,
        0x0f, 0x10, 0x54, 0x24, 0x20,
        0x0f, 0x10, 0x5c, 0x24, 0x30,
        0x0f, 0x10, 0x64, 0x24, 0x40,
        0x0f, 0x10, 0x6c, 0x24, 0x50,
        0x0f, 0x10, 0x74, 0x24, 0x60,
        0x0f, 0x10, 0x7c, 0x24, 0x70,
        0x48, 0x81, 0xc4, 0x80, 0, 0, 0,                       // add $128, %rsp
        0x41, 0x5a, 0x41, 0x59, 0x41, 0x58,                    // pop %r10, %r9, %r8
        0x59, 0x5a, 0x5e, 0x5f, 0x58,                          // pop %rcx, %rdx, %rsi, %rdi, %rax
        0xc3,                                                  // ret: to the address that was left there
        0xcc,
    ],
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
};
