use super::{AssemblyErrorKind, Syntax, assemble};
use crate::assembler::{Assembled, AssembledTarget, Definition, SymbolBinding, TextPlace};
use crate::x86::Mode;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

fn bytes(text: &str, syntax: Syntax, mode: Mode) -> Result<Vec<u8>, AssemblyErrorKind> {
    let assembled = assemble(mode, text, syntax, TextPlace::Function).map_err(|error| error.kind)?;
    Ok(assembled.sections[0].bytes.clone())
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
    // Nothing is edited: labels keep their places.
    assert_eq!(att("jmp 1f; 1: jmp 2f; 2: .byte 1b - ., 2b - 1b").unwrap().len(), 12);
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
        ("movl 4+(%rax), %ecx", "mov ecx, [rax + 4]"),
        ("movl 4+8(%rax,%rdx), %ecx", "mov ecx, [rax + rdx + 12]"),
        ("xchgb %al, %ah", "xchg ah, al"),
        ("fxch %st(1)", "fxch st(1)"),
        ("fsub %st(2), %st", "fsub st, st(2)"),
        ("fsub %st, %st(2)", "fsubr st(2), st"),
        ("fdivrp", "fdivp"),
        ("vcvtpd2psy (%rax), %xmm1", "vcvtpd2ps xmm1, ymmword ptr [rax]"),
        ("vcvtpd2psx (%rax), %xmm1", "vcvtpd2ps xmm1, xmmword ptr [rax]"),
        ("vblendvps %ymm3, (%rax), %ymm2, %ymm1", "vblendvps ymm1, ymm2, ymmword ptr [rax], ymm3"),
        ("vcvtsi2sdq (%rax), %xmm2, %xmm1", "vcvtsi2sd xmm1, xmm2, qword ptr [rax]"),
        ("cmpltps (%rax), %xmm1", "cmpps xmm1, [rax], 1"),
        ("vpgatherdd %ymm1, (%rax,%ymm2,4), %ymm3", "vpgatherdd ymm3, ymmword ptr [rax + 4*ymm2], ymm1"),
        ("vgatherqps %xmm1, 8(%rax,%ymm4), %xmm3", "vgatherqps xmm3, dword ptr [ymm4 + rax + 8], xmm1"),
        ("vgatherdpd %xmm1, 8(,%xmm4), %xmm3", "vgatherdpd xmm3, [xmm4 + 8], xmm1"),
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
        ("vaddps %zmm0, %zmm1, %zmm2", Operand),
        ("vaddps %ymm0, %ymm1, %xmm2", Instruction),
        ("vaddss %ymm0, %ymm1, %ymm2", Instruction),
        ("vpermd %xmm0, %xmm1, %xmm2", Instruction),
        ("vsqrtps %xmm0, %xmm1, %xmm2", Instruction),
        ("vcvtpd2ps (%rax), %xmm1", Instruction),
        ("vpmovzxbw %ymm0, %ymm1", Instruction),
        ("vsha1msg1 %xmm0, %xmm1", Instruction),
        ("vlddqu %xmm0, %xmm1", Instruction),
        ("vpgatherdd %xmm0, (%rax,%rcx), %xmm2", Instruction),
        ("vpgatherdd %xmm0, (%rax,%ymm1), %xmm2", Instruction),
        ("vgatherdpd %ymm0, (%rax,%ymm1), %ymm2", Instruction),
        ("vgatherqps %ymm0, (%rax,%ymm1), %ymm2", Instruction),
        ("vpgatherdd %xmm0, (%rax,%xmm1,3), %xmm2", Operand),
        ("vpgatherdd %xmm0, (%xmm1), %xmm2", Operand),
        ("vpgatherdd %xmm0, (%rax,%mm1), %xmm2", Operand),
        ("vaddps (%rax,%xmm1), %xmm0, %xmm2", Instruction),
        ("movl (%rax,%xmm1), %eax", Operands),
        ("jmp *(%rax,%xmm1)", Instruction),
        ("addps %ymm0, %ymm1", Instruction),
        ("paddb %mm0, %xmm1", Instruction),
        ("vpaddb %mm0, %mm1, %mm2", Instruction),
        ("pmulld %mm0, %mm1", Instruction),
        ("pshufd $1, %mm0, %mm1", Instruction),
        ("movq %mm0, %eax", Operands),
        ("movq %mm8, %mm0", Operand),
        ("cmpge_oqps %xmm0, %xmm1", Instruction),
        (".section .text", Directive),
        (".popsection", Directive),
        (".pushsection a,\"q\"; .popsection", Directive),
        (".byte foo", Expression),
        (".long foo - bar", Expression),
        (".quad 1f - 1b", Operand),
        ("jmp foo@GOT", Instruction),
        (".cfi_startproc", Directive),
        ("addl %eax, %rbx", Operands),
        ("addl $0x123456789, %eax", Operands),
        ("add $1, (%rax)", Operands),
        ("mov foo@TPOFF(%rip), %eax", Operand),
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
    // As llvm-mc 19 encodes them.
    for (text, code) in [
        ("vfmadd213ps %xmm3, %xmm2, %xmm1", &[0xc4, 0xe2, 0x69, 0xa8, 0xcb][..]),
        ("vfnmsub231sd 8(%r9,%r10,4), %xmm12, %xmm9", &[0xc4, 0x02, 0x99, 0xbf, 0x4c, 0x91, 0x08]),
        ("vcvtph2ps (%rdi), %xmm8", &[0xc4, 0x62, 0x79, 0x13, 0x07]),
        ("vcvtps2ph $4, %xmm9, %xmm1", &[0xc4, 0x63, 0x79, 0x1d, 0xc9, 0x04]),
        ("vaddps %ymm3, %ymm2, %ymm1", &[0xc5, 0xec, 0x58, 0xcb]),
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

/// What a text leaves to the linker: section, offset, kind, target and addend.
fn relocs(assembled: &Assembled) -> Vec<String> {
    let mut all = Vec::new();
    for (number, section) in assembled.sections.iter().enumerate() {
        for reloc in &section.relocs {
            let target = match &reloc.target {
                AssembledTarget::Section(section) => format!("section {section}"),
                AssembledTarget::Name(name) => name.clone(),
            };
            all.push(format!("{number}:{} {:?} {target} {:+}", reloc.offset, reloc.kind, reloc.addend));
        }
    }
    all
}

#[test]
fn symbols_are_left_to_the_linker() {
    for (text, expected) in [
        ("call foo", "0:1 Plt32 foo -4"),
        ("call foo@PLT", "0:1 Plt32 foo -4"),
        ("jc foo", "0:2 Plt32 foo -4"),
        ("jmp *foo(%rip)", "0:2 PcRel32 foo -4"),
        ("lea foo+8(%rip), %rax", "0:3 PcRel32 foo +4"),
        ("movl $5, foo(%rip)", "0:2 PcRel32 foo -8"),
        ("mov foo@GOTPCREL(%rip), %rax", "0:3 GotPcRelAny32 foo -4"),
        ("movl $foo, %eax", "0:1 Abs32 foo +0"),
        ("movq $foo+1, %rax", "0:3 Abs32S foo +1"),
        ("movabsq $foo, %rax", "0:2 Abs64 foo +0"),
        ("cmpl $foo, (%rax)", "0:2 Abs32 foo +0"),
        ("push $foo", "0:1 Abs32S foo +0"),
        ("mov foo(,%rax,8), %rax", "0:4 Abs32S foo +0"),
        ("incl foo", "0:3 Abs32S foo +0"),
        (".long foo - .", "0:0 PcRel32 foo +0"),
        ("nop; 1: .long 0; .quad foo - 1b", "0:5 PcRel64 foo +4"),
        (".quad foo + 3", "0:0 Abs64 foo +3"),
    ] {
        let assembled = assemble(Mode::Bits64, text, Syntax::Att, TextPlace::Function).unwrap();
        assert_eq!(relocs(&assembled), [expected], "{text}");
    }
    for (text, expected) in [
        ("call foo", "0:1 Plt32 foo -4"),
        ("lea rax, [rip + foo]", "0:3 PcRel32 foo -4"),
        ("lea rax, foo[rip]", "0:3 PcRel32 foo -4"),
        ("mov rax, qword ptr [rip + foo@GOTPCREL]", "0:3 GotPcRelAny32 foo -4"),
        ("mov edi, offset foo", "0:1 Abs32 foo +0"),
        ("inc dword ptr [rbx + foo + 4]", "0:2 Abs32S foo +4"),
    ] {
        let assembled = assemble(Mode::Bits64, text, Syntax::Intel, TextPlace::Function).unwrap();
        assert_eq!(relocs(&assembled), [expected], "{text}");
    }
}

#[test]
fn sections_of_a_statement() {
    // As a static key of Linux.
    let text = "1: .byte 0x0f,0x1f,0x44,0x00,0x00\n.pushsection __jump_table, \"aw\"\n.balign 8\n.long 1b - .\n\
                .long target - .\n.quad key + 1 - .\n.popsection\nnop; .p2align 4; 2: .byte 2b - 1b";
    let assembled = assemble(Mode::Bits64, text, Syntax::Att, TextPlace::Function).unwrap();
    let [code, table] = &assembled.sections[..] else { panic!() };
    assert_eq!(code.bytes, [0x0f, 0x1f, 0x44, 0, 0, 0x90, 6]);
    assert_eq!((&*table.name.name, table.alignment, table.bytes.len()), ("__jump_table", 8, 16));
    assert!(table.name.flags.is_writable && table.name.flags.is_allocated);
    let expected = ["1:0 PcRel32 section 0 +0", "1:4 PcRel32 target +0", "1:8 PcRel64 key +1"];
    assert_eq!(relocs(&assembled), expected);
}

#[test]
fn texts_of_modules_define_symbols() {
    let text = ".globl f; .type f, @function; .p2align 4; f: nop; jmp g; .size f, .-f; .weak g; int3; g: ret\n\
                .set h, g + 1; k = 0x1234; .weak __kcfi_typeid_x; .set __kcfi_typeid_x, 7; .set alias, other\n\
                .symver f, f@@V_2; .data; .globl d; d: .asciz \"a;\\n#\"; .p2align 2; .long f, d; .text; .byte 1";
    let assembled = assemble(Mode::Bits64, text, Syntax::Att, TextPlace::Module).unwrap();
    let symbol = |name: &str| assembled.symbols.iter().find(|symbol| symbol.name == name).unwrap();
    let place = |name: &str| symbol(name).definition.clone().unwrap();
    assert_eq!(place("f"), Definition::Place(0, 0));
    assert_eq!((symbol("f").size, &*symbol("f").versions[0]), (6, "f@@V_2"));
    assert_eq!((symbol("f").binding, symbol("g").binding), (SymbolBinding::Global, SymbolBinding::Weak));
    assert_eq!((place("g"), place("h")), (Definition::Place(0, 7), Definition::Place(0, 8)));
    assert_eq!((place("k"), place("__kcfi_typeid_x")), (Definition::Number(0x1234), Definition::Number(7)));
    assert_eq!((place("alias"), place("d")), (Definition::Alias("other".into(), 0), Definition::Place(1, 0)));
    assert_eq!(assembled.sections[1].bytes, *b"a;\n#\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(relocs(&assembled), ["1:8 Abs32 section 0 +0", "1:12 Abs32 section 1 +0"]);
    assert_eq!(assembled.sections[0].bytes, [0x90, 0xe9, 1, 0, 0, 0, 0xcc, 0xc3, 1]);
    assert_eq!(vec![assembled.sections[0].alignment, assembled.sections[1].alignment], [16, 4]);
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
        "call *",
        "call +",
        "jmp 9f",
        "lea [rip + rip]",
        ".set",
        ".set a,",
        "a = a + a",
        ".size a, b",
        ".type",
        ".section",
        ".section \"\"",
        ".pushsection x",
        ".previous",
        ".ascii \"",
        ".ascii \"\\",
        ".fill -1",
        ".fill 0x7fffffffffffffff, 8",
        ".p2align 99",
        ".balign 3",
        ".uleb128 -1",
        "\"",
        ".symver a, @",
        "é: .long é",
    ] {
        for syntax in [Syntax::Att, Syntax::Intel] {
            for mode in [Mode::Bits32, Mode::Bits64] {
                let _ = bytes(text, syntax, mode);
            }
        }
    }
}
