//! Branches to addresses of blocks as LLVM has them: several in a function, targets that are named twice or that other
//! blocks go to as well, and addresses in functions that are read in any order.

use crate::common;

use common::{Scratch, expect_success, find_tool, ice};
use std::process::Command;

/// Walks over a string of digits, which are the numbers of blocks, and gives a number for the way that it went. The branch
/// at the end of a step is one of those in `%s`, whose lists of targets `lists` tells.
fn walker(name: &str, lists: [&str; 2]) -> String {
    let [first, second] = lists.map(|list| {
        let labels: Vec<String> = list.chars().map(|c| format!("label %b{c}")).collect();
        labels.join(", ")
    });
    // A phi has an entry for each edge.
    let incoming = |block: char, values: [&str; 2]| {
        let edges = lists.iter().zip(values).zip(["odd", "even"]);
        let edges = edges.flat_map(|((list, value), from)| {
            list.chars().filter(move |&c| c == block).map(move |_| format!("[ {value}, %{from} ]"))
        });
        edges.collect::<Vec<_>>().join(", ")
    };
    let block = |n: char, update: &str| {
        let at = incoming(n, ["%next.a", "%next.b"]);
        let sum = incoming(n, ["%sum.a", "%sum.b"]);
        let (start_at, start_sum) = if n == '1' { (", [ %p, %start ]", ", [ 1, %start ]") } else { ("", "") };
        format!(
            "b{n}:\n  %at{n} = phi ptr {at}{start_at}\n  %sum{n} = phi i32 {sum}{start_sum}\n  %new{n} = {update}\n  br label %step\n"
        )
    };
    let blocks =
        [block('1', "add i32 %sum1, 17"), block('2', "mul i32 %sum2, 3"), block('3', "xor i32 %sum3, 85")];
    format!(
        "@{name}.table = internal constant [4 x ptr] [ptr blockaddress(@{name}, %b0), ptr blockaddress(@{name}, %b1),
  ptr blockaddress(@{name}, %b2), ptr blockaddress(@{name}, %b3)]
define i32 @{name}(ptr %p) {{
start:
  br label %b1
{}step:
  %at = phi ptr [ %at1, %b1 ], [ %at2, %b2 ], [ %at3, %b3 ]
  %sum = phi i32 [ %new1, %b1 ], [ %new2, %b2 ], [ %new3, %b3 ]
  %digit = load i8, ptr %at
  %n = zext i8 %digit to i64
  %entry = getelementptr [4 x ptr], ptr @{name}.table, i64 0, i64 %n
  %to = load ptr, ptr %entry
  %low = trunc i32 %sum to i1
  br i1 %low, label %odd, label %even
odd:
  %sum.a = add i32 %sum, 1
  %next.a = getelementptr i8, ptr %at, i64 1
  indirectbr ptr %to, [{first}]
even:
  %sum.b = sub i32 %sum, 5
  %next.b = getelementptr i8, ptr %at, i64 1
  indirectbr ptr %to, [{second}]
b0:
  %result = phi i32 {}
  ret i32 %result
}}
",
        blocks.concat(),
        incoming('0', ["%sum.a", "%sum.b"]),
    )
}

/// What a walker gives.
fn walk(digits: &[u8]) -> i32 {
    let (mut sum, mut block) = (1i32, 1);
    for &next in digits {
        sum = match block {
            1 => sum.wrapping_add(17),
            2 => sum.wrapping_mul(3),
            _ => sum ^ 85,
        };
        sum = if sum & 1 == 1 { sum.wrapping_add(1) } else { sum.wrapping_sub(5) };
        block = next;
    }
    sum
}

#[test]
fn several_branches_and_their_targets() {
    let (Some(assembler), Some(cc)) = (find_tool(&["llvm-as-19"]), find_tool(&["cc"])) else { return };
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return;
    }
    // The same targets; the same in another order; some twice; others in each.
    let lists =
        [["0123", "0123"], ["0123", "3120"], ["01233", "0012321"], ["0123", "02313"], ["3210", "0123"]];
    let walkers: Vec<String> =
        lists.iter().enumerate().map(|(n, &l)| walker(&format!("same{n}"), l)).collect();
    // No odd sum comes before a 2, and no even one before a 3.
    let different = walker("different", ["013", "012"]);
    let digits: [&[u8]; 3] = [&[2, 3, 1, 1, 2, 2, 3, 3, 2, 1, 3, 0], &[0], &[3, 3, 2, 0]];
    let mut calls = String::new();
    let mut checks = 0;
    let mut globals = String::new();
    for (d, digits) in digits.iter().enumerate() {
        let bytes: String = digits.iter().map(|digit| format!("\\{digit:02x}")).collect();
        globals += &format!("@digits{d} = constant [{} x i8] c\"{bytes}\"\n", digits.len());
        for n in 0..lists.len() {
            calls += &format!(
                "  %r{checks} = call i32 @same{n}(ptr @digits{d})\n  %c{checks} = icmp ne i32 %r{checks}, {}\n  %e{} = add i32 %e{checks}, 1\n  %f{checks} = select i1 %c{checks}, i32 %e{}, i32 0\n  %g{} = add i32 %g{checks}, %f{checks}\n",
                walk(digits),
                checks + 1,
                checks + 1,
                checks + 1,
            );
            checks += 1;
        }
    }
    // 18 is even, 13 is odd, 14 is even: a way that `different` has.
    calls += "  %other = call i32 @different(ptr @digits9)\n";
    globals += "@digits9 = constant [3 x i8] c\"\\01\\01\\00\"\n";
    let text = format!(
        "{globals}{}{different}define i32 @main() {{\n  %e0 = add i32 0, 0\n  %g0 = add i32 0, 0\n{calls}  %last = icmp ne i32 %other, {}\n  %bad = select i1 %last, i32 100, i32 0\n  %code = add i32 %bad, %g{checks}\n  ret i32 %code\n}}\n",
        walkers.concat(),
        walk(&[1, 1, 0]),
    );
    let scratch = Scratch::new();
    let source = scratch.write("walk.ll", format!("target triple = \"x86_64-unknown-linux-gnu\"\n{text}"));
    let bitcode = scratch.path("walk.bc");
    let output = Command::new(assembler).arg(&source).arg("-o").arg(&bitcode).output().expect("it starts");
    expect_success(&output, "llvm-as");
    let verified = ice().arg("verify").arg(&bitcode).output().expect("ice starts");
    expect_success(&verified, "verify");
    for (level, model, flag) in
        [("2", "pic", "-pie"), ("2", "static", "-no-pie"), ("m1", "static", "-no-pie")]
    {
        let (object, program) = (scratch.path("walk.o"), scratch.path("walk"));
        let output = ice()
            .args(["translate", &format!("-O{level}"), "--relocation-model", model])
            .arg(&bitcode)
            .arg("-o")
            .arg(&object)
            .output()
            .expect("ice starts");
        expect_success(&output, level);
        let output =
            Command::new(cc).arg(flag).arg(&object).arg("-o").arg(&program).output().expect("it starts");
        expect_success(&output, "cc");
        let status = Command::new(&program).status().expect("the program starts");
        assert_eq!(status.code(), Some(0), "-O{level} {model}");
    }
}
