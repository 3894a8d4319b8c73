//! Assembler text with comments is the text without them, and comments; they name what the code is for.

use crate::common;

use common::{Scratch, TARGETS, expect_success, ice};
use std::path::{Path, PathBuf};

fn assembly(target: &str, recipe: &str, input: &Path, more: &[&str]) -> String {
    let output = ice()
        .args(["translate", recipe, "--target", target, "--emit", "asm"])
        .args(more)
        .arg(input)
        .output()
        .unwrap();
    expect_success(&output, &format!("{target} {recipe} {}", input.display()));
    String::from_utf8(output.stdout).unwrap()
}

fn is_comment(line: &str) -> bool {
    line.starts_with("\t# ") || line.starts_with("\t@ ")
}

#[test]
fn comments_change_no_code() {
    for sample in ["hello", "mandelbrot", "primes", "sort"] {
        let input = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../samples/{sample}.pexe"));
        for target in TARGETS {
            for recipe in ["-O2", "-Om1"] {
                let plain = assembly(target, recipe, &input, &[]);
                let verbose = assembly(target, recipe, &input, &["--verbose"]);
                let code: String = verbose.split_inclusive('\n').filter(|line| !is_comment(line)).collect();
                assert!(code == plain, "{sample} {target} {recipe}");
                assert!(verbose.lines().filter(|line| is_comment(line)).count() > 20, "{sample} {target}");
            }
        }
    }
}

const SUM: &str = "\
target pointer i64 native
define external @sum(v0: i64, v1: i32) -> i32 {
  v2: i32 = 0
  v3: i64 = 4
  v4: i32 = 1
block0:
  br block1
block1:
  v10: i64 = phi [v0, block0], [v14, block1]
  v11: i32 = phi [v2, block0], [v13, block1]
  v15: i32 = phi [v1, block0], [v16, block1]
  v12: i32 = load v10, align 4 at 7
  v13: i32 = add v11, v12
  v14: i64 = add v10, v3
  v16: i32 = sub v15, v4
  v17: i1 = icmp ne v16, v2
  br v17, block1, block2 at 11
block2:
  v18: i32 = sdiv v13, v1
  ret v18
}
";

#[test]
fn comments_name_instructions_and_live_places() {
    let scratch = Scratch::new();
    let input = scratch.write("sum.ice", SUM);
    let text = assembly("x86_64", "-O2", &input, &["--verbose"]);
    let body: String = text
        .split_inclusive('\n')
        .skip_while(|line| *line != "sum:\n")
        .take_while(|line| !line.starts_with("\t.size"))
        .collect();
    assert_eq!(body, BODY);
}

const BODY: &str = "\
sum:
.L0_0:
	# block0: live in rsi rdi, live out rax rcx rdx rdi
	movl %esi, %ecx
	# br block1
	xorl %eax, %eax
	movl %ecx, %edx
.L0_1:
	# block1: live in rax rcx rdx rdi, live out rax rcx rdx rdi
.L0_2:
	# block2: live in rax rcx rdx rdi, live out rax rcx rdx rdi
	# v8: i32 = add v6, v7; ends rax
	addl (%rdi), %eax
	# v9: i64 = add v5, v3; ends rdi
	addq $4, %rdi
	# v11: i32 = add v10, v14; ends rdx
	decl %edx
	# br v12, block1, block2 at 11
	jne .L0_1
.L0_3:
	# block3: live in rax rcx, live out nothing
	# v13: i32 = sdiv v8, v1; ends rax rcx
	cltd
	idivl %ecx
	# ret v13; ends rax
	ret
";
