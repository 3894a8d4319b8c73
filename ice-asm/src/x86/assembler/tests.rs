use super::{AssemblyErrorKind, Syntax, assemble};
use crate::buffer::CodeBuffer;
use crate::x86::{Encoder, Mode};
use alloc::vec::Vec;

fn bytes(text: &str, syntax: Syntax, mode: Mode) -> Result<Vec<u8>, AssemblyErrorKind> {
    let mut buffer: CodeBuffer = CodeBuffer::new();
    assemble(&mut Encoder::new(&mut buffer, mode), text, syntax).map_err(|error| error.kind)?;
    buffer.finish().unwrap();
    Ok(buffer.bytes().to_vec())
}

fn att(text: &str) -> Result<Vec<u8>, AssemblyErrorKind> {
    bytes(text, Syntax::Att, Mode::Bits64)
}

#[test]
fn statements_comments_and_prefixes() {
    let text = "lock; xaddl %eax, (%rdi) # a comment; cpuid\n\trep ; nop /* pause;\n */; .byte 0x0f, 0x31\n";
    assert_eq!(att(text).unwrap(), [0xf0, 0x0f, 0xc1, 0x07, 0xf3, 0x90, 0x0f, 0x31]);
    assert_eq!(att("lock xaddl %eax, (%rdi)"), att("lock; xaddl %eax, (%rdi)"));
    assert_eq!(att(".p2align 4, 0x90; .short 1; .long -1; .quad 2").unwrap().len(), 14);
}

#[test]
fn labels_are_those_nearest_in_the_direction() {
    // 1: dec ecx; jne 1b; jmp 1f; int3; 1: nop
    let code = att("1: decl %ecx; jne 1b; jmp 1f; int3; 1: nop").unwrap();
    assert_eq!(code[..4], [0xff, 0xc9, 0x75, 0xfc]);
    let jump = i32::from_le_bytes(code[5..9].try_into().unwrap());
    assert_eq!((code[4], jump as usize + 9, code[code.len() - 1]), (0xe9, code.len() - 1, 0x90));
    assert_eq!(att(".Lloop: jz .Lend; jmp .Lloop; .Lend: ret").unwrap().last(), Some(&0xc3));
    assert_eq!(att("jmp 1f"), Err(AssemblyErrorKind::Label));
    assert_eq!(att("jmp elsewhere"), Err(AssemblyErrorKind::Label));
}

#[test]
fn both_syntaxes_are_one_language() {
    for (first, second) in [
        ("movl %eax, 4(%rbx,%rcx,8)", "mov dword ptr [rbx + 8*rcx + 4], eax"),
        ("movq %fs:0x28, %rax", "mov rax, fs:[0x28]"),
        ("movq %fs:40, %rax", "mov rax, qword ptr fs:[40]"),
        ("addb $-1, (%rsi)", "add byte ptr [rsi], -1"),
        ("movzbl (%rax), %edx", "movzx edx, byte ptr [rax]"),
        ("movslq %eax, %rdx", "movsxd rdx, eax"),
        ("jmp *%rax", "jmp rax"),
        ("shldq $3, %rax, %rdx", "shld rdx, rax, 3"),
        ("cvtsi2sdq %rax, %xmm1", "cvtsi2sd xmm1, rax"),
        ("rep movsb", "rep movsb"),
        ("xchgb %al, %ah", "xchg ah, al"),
        ("fxch %st(1)", "fxch st(1)"),
        ("fsub %st(2), %st", "fsub st, st(2)"),
        ("fsub %st, %st(2)", "fsubr st(2), st"),
        ("fdivrp", "fdivp"),
    ] {
        let [first, second] = [(first, Syntax::Att), (second, Syntax::Intel)]
            .map(|(text, syntax)| bytes(text, syntax, Mode::Bits64).map_err(|kind| (text, kind)).unwrap());
        assert_eq!(first, second);
    }
}

#[test]
fn what_is_not_known_is_an_error() {
    use AssemblyErrorKind::*;
    for (text, kind) in [
        ("frobnicate %eax", Instruction),
        ("vaddps %ymm0, %ymm1, %ymm2", Operand),
        (".section .text", Directive),
        ("addl %eax, %rbx", Operands),
        ("addl $0x123456789, %eax", Operands),
        ("add $1, (%rax)", Operands),
        ("mov foo(%rip), %eax", Operand),
        ("movb %ah, %sil", Operands),
        ("addl", Operands),
        ("addl %eax, (%rax,%rsp)", Operands),
        ("movl (%al), %eax", Operand),
        ("movl (%rax,%rbx,3), %eax", Operand),
        ("movl $1, $2", Operands),
    ] {
        assert_eq!(att(text), Err(kind), "{text}");
    }
    for text in ["movq %rax, %rbx", "movl %r8d, %eax", "movb %sil, %al", "cqto", "lea (%rax), %eax"] {
        assert!(bytes(text, Syntax::Att, Mode::Bits32).is_err(), "{text}");
    }
}

#[test]
fn vex_prefixes_say_registers_widths_and_maps() {
    // As llvm-mc 19 encodes them, but that it takes the short prefix where it can.
    for (text, code) in [
        ("vfmadd213ps %xmm3, %xmm2, %xmm1", &[0xc4, 0xe2, 0x69, 0xa8, 0xcb][..]),
        ("vfnmsub231sd 8(%r9,%r10,4), %xmm12, %xmm9", &[0xc4, 0x02, 0x99, 0xbf, 0x4c, 0x91, 0x08]),
        ("vcvtph2ps (%rdi), %xmm8", &[0xc4, 0x62, 0x79, 0x13, 0x07]),
        ("vcvtps2ph $4, %xmm9, %xmm1", &[0xc4, 0x63, 0x79, 0x1d, 0xc9, 0x04]),
        ("pdepl %ecx, %edx, %eax", &[0xc4, 0xe2, 0x6b, 0xf5, 0xc1]),
        ("pext %r10, %r9, %r8", &[0xc4, 0x42, 0xb2, 0xf5, 0xc2]),
        ("bzhiq %rax, 16(%rsp), %rbx", &[0xc4, 0xe2, 0xf8, 0xf5, 0x5c, 0x24, 0x10]),
        ("blsi %eax, %r11d", &[0xc4, 0xe2, 0x20, 0xf3, 0xd8]),
        ("rorx $7, %ebx, %ecx", &[0xc4, 0xe3, 0x7b, 0xf0, 0xcb, 0x07]),
        ("shlxq %r12, %rax, %rdx", &[0xc4, 0xe2, 0x99, 0xf7, 0xd0]),
    ] {
        assert_eq!(att(text).unwrap(), code, "{text}");
    }
    let intel = |text| bytes(text, Syntax::Intel, Mode::Bits32);
    assert_eq!(intel("bextr eax, [ecx], edx").unwrap(), [0xc4, 0xe2, 0x68, 0xf7, 0x01]);
    assert_eq!(intel("vfmadd231ss xmm1, xmm2, xmm3").unwrap(), [0xc4, 0xe2, 0x69, 0xb9, 0xcb]);
    for text in
        ["pdep rax, rcx, rdx", "vfmadd231ss xmm1, xmm8, xmm3", "pdep ax, cx, dx", "bzhi eax, [ecx], rdx"]
    {
        assert!(intel(text).is_err(), "{text}");
    }
}

#[test]
fn any_text_ends() {
    for text in [
        "",
        ";;;\n",
        "(((",
        "movl (",
        "movl ,,,",
        "%",
        "$",
        "1:1:1:",
        "/*",
        "lock lock lock",
        "rep",
        "movl $, %eax",
        "mov %, %",
        ".byte",
        ".byte ,",
        "jmp *",
        "j",
        "set",
        "cmov",
        "é",
        "movl é, %eax",
        "s",
        "l",
    ] {
        for syntax in [Syntax::Att, Syntax::Intel] {
            for mode in [Mode::Bits32, Mode::Bits64] {
                let _ = bytes(text, syntax, mode);
            }
        }
    }
}
