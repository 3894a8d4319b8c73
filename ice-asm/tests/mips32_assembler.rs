//! The assembler of MIPS's inline assembly beside `llvm-mc`: both make the same words of the same texts.

use crate::common::assemblers::text_section;
use crate::common::tools;
use ice_asm::AssemblyErrorKind;
use ice_asm::mips32::assemble;
use std::path::PathBuf;
use std::process::Command;

/// Instructions without labels.
const STATEMENTS: &[&str] = &[
    "nop",
    "ssnop",
    "ehb",
    "pause",
    "addu $2, $3, $4",
    "addu $2, $3",
    "add $t0, $s1, $a2",
    "subu $2, $3, $31",
    "sub $2, $3, $4",
    "and $v0, $v1, $zero",
    "or $2, $3, $4",
    "xor $2, $3, $4",
    "nor $2, $3, $4",
    "slt $2, $3, $4",
    "sltu $2, $3, $4",
    "movz $2, $3, $4",
    "movn $2, $3, $4",
    "mul $2, $3, $4",
    "addiu $2, $3, -32768",
    "addu $2, $3, 5",
    "addi $2, $3, 7",
    "subu $2, $3, 5",
    "slti $2, $3, -1",
    "sltiu $2, $3, 1",
    "sltu $2, $3, 1",
    "andi $2, $3, 0xffff",
    "and $2, $3, 15",
    "ori $2, $3, 0x1234",
    "xori $2, $3, 1",
    "move $2, $3",
    "not $2, $3",
    "negu $2, $3",
    "sll $2, $3, 31",
    "srl $2, $3, 1",
    "sra $2, $3, 16",
    "sll $2, 4",
    "rotr $2, $3, 5",
    "sllv $2, $3, $4",
    "srlv $2, $3, $4",
    "srav $2, $3, $4",
    "sll $2, $3, $4",
    "rotrv $2, $3, $4",
    "lui $2, 0x8000",
    "mfhi $2",
    "mflo $2",
    "mthi $2",
    "mtlo $2",
    "mult $2, $3",
    "multu $2, $3",
    "div $zero, $2, $3",
    "divu $zero, $2, $3",
    "madd $2, $3",
    "maddu $2, $3",
    "msub $2, $3",
    "msubu $2, $3",
    "clz $2, $3",
    "clo $2, $3",
    "ext $2, $3, 5, 9",
    "ins $2, $3, 5, 9",
    "ext $2, $3, 0, 32",
    "wsbh $2, $3",
    "seb $2, $3",
    "seh $2, $3",
    "rdhwr $3, $29",
    "rdhwr $2, $2",
    "lb $2, 0($3)",
    "lh $2, -2($sp)",
    "lwl $2, 3($3)",
    "lw $2, 32767($3)",
    "lbu $2, ($3)",
    "lhu $2, 4+4($3)",
    "lwr $2, 0($3)",
    "sb $2, 0($3)",
    "sh $2, 0($3)",
    "swl $2, 3($3)",
    "sw $2, -32768($3)",
    "swr $2, 0($3)",
    "ll $2, 0($3)",
    "sc $2, 0($3)",
    "pref 5, 32($4)",
    "cache 21, 0($4)",
    "synci 0($4)",
    "lwc1 $f1, 4($3)",
    "ldc1 $f2, 8($3)",
    "swc1 $f1, 4($3)",
    "sdc1 $f2, 8($3)",
    "syscall",
    "break",
    "break 7",
    "sync",
    "sync 4",
    "teq $2, $3",
    "teq $2, $zero, 7",
    "tne $2, $3",
    "tltu $2, $3",
    "mfc0 $2, $12",
    "mtc0 $2, $12, 1",
    "mfc1 $2, $f3",
    "mtc1 $2, $f3",
    "cfc1 $2, $31",
    "ctc1 $2, $31",
    "add.s $f0, $f1, $f2",
    "add.d $f0, $f2, $f4",
    "sub.s $f0, $f1, $f2",
    "mul.d $f0, $f2, $f4",
    "div.s $f0, $f1, $f2",
    "sqrt.d $f0, $f2",
    "abs.s $f0, $f1",
    "mov.d $f0, $f2",
    "neg.s $f0, $f1",
    "round.w.d $f0, $f2",
    "trunc.w.s $f0, $f2",
    "ceil.w.s $f0, $f2",
    "floor.w.d $f0, $f2",
    "cvt.w.s $f0, $f2",
    "cvt.s.d $f0, $f2",
    "cvt.s.w $f0, $f2",
    "cvt.d.s $f0, $f2",
    "cvt.d.w $f0, $f2",
    "c.eq.s $f0, $f2",
    "c.lt.d $f0, $f2",
    "c.le.s $f0, $f2",
    "c.un.d $f0, $f2",
    "li $2, 5",
    "li $2, -5",
    "li $2, 0x8000",
    "li $2, 0x12345678",
    "li $2, 0x10000",
    "li $2, 0xffff8000",
];

/// Texts with labels.
const TEXTS: &[&str] = &[
    "1: ll $2, 0($3)\n addu $4, $2, $5\n sc $4, 0($3)\n beqz $4, 1b\n sync",
    ".set push\n .set noreorder\n 1: bne $2, $3, 1b\n addiu $2, $2, 1\n .set pop\n b 2f\n 2: nop",
    "bal 1f\n 1: blez $2, 1b\n bgtz $2, 2f\n bltz $2, 1b\n bgez $2, 2f\n 2: jr $31\n jalr $25\n",
    "c.eq.s $f0, $f2; bc1t 1f; bc1f 1f; 1: beq $2, $0, 1b # a comment; nop",
    ".word 1, 0x12345678\n .byte 1, 2\n .align 2\n nop\n .set noat\n .set mips32r2\n",
];

fn theirs(name: &str, text: &str) -> Vec<u8> {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let [source, object] = ["s", "o"].map(|ext| directory.join(format!("mips-assembler-{name}.{ext}")));
    std::fs::write(&source, text).unwrap();
    let output = Command::new("llvm-mc-19")
        .args(["-filetype=obj", "-triple=mipsel-linux-gnu", "-mcpu=mips32r2"])
        .args([&source, &PathBuf::from("-o"), &object])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    text_section(&std::fs::read(&object).unwrap()).to_vec()
}

#[test]
fn texts_are_the_words_of_llvm() {
    if !tools::has("inline assembly of MIPS beside llvm-mc", &["llvm-mc-19"]) {
        return;
    }
    let all = STATEMENTS.join("\n");
    let mut differ = Vec::new();
    let code = theirs("statements", &all);
    let mut at = 0;
    for statement in STATEMENTS {
        match assemble(statement) {
            Ok(ours) => {
                let theirs = &code[at..at + ours.len()];
                if ours != theirs {
                    differ.push(format!("{statement}: {ours:02x?}, not {theirs:02x?}"));
                }
                at += ours.len();
            }
            Err(error) => {
                differ.push(format!("{statement}: {error}"));
                at += 4;
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert_eq!(at, code.len());
    for (n, text) in TEXTS.iter().enumerate() {
        let ours = assemble(text).map_err(|error| error.to_string()).unwrap();
        assert_eq!(ours, theirs(&format!("text{n}"), text), "{text}");
    }
}

#[test]
fn what_cannot_be_assembled_is_refused_with_its_statement() {
    use AssemblyErrorKind::{Alignment, Directive, Distance, Instruction, Label, Operands};
    for (text, statement, kind) in [
        ("nop; frobnicate $2", "frobnicate $2", Instruction),
        ("addu $2, $3, $4, $5", "addu $2, $3, $4, $5", Operands),
        ("addiu $2, $3, 32768", "addiu $2, $3, 32768", Operands),
        ("addu $2, $3, $32", "addu $2, $3, $32", Operands),
        ("lw $2, 0x8000($3)", "lw $2, 0x8000($3)", Operands),
        ("ext $2, $3, 30, 3", "ext $2, $3, 30, 3", Operands),
        ("b elsewhere", "b elsewhere", Label),
        (".byte 1; nop", "nop", Alignment),
        (".section x", ".section x", Directive),
        (".set pop", ".set pop", Directive),
    ] {
        let error = assemble(text).unwrap_err();
        assert_eq!((&*error.statement, error.kind), (statement, kind), "{text}");
    }
    let far = format!("b 1f\n{}1: nop", "nop\n".repeat(40_000));
    assert_eq!(assemble(&far).unwrap_err().kind, Distance);
}
