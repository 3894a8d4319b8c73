//! Words of the literal pool are in reach of their loads, whatever stands between; what code is for.

extern crate std;

use crate::target::{Arm32, Division, FloatAbi};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ice_asm::CodeBuffer;
use ice_codegen::lower::{LowerScratch, lower_function};
use ice_codegen::mach::MachFunction;
use ice_codegen::{BlockOrder, CodeModel, CompiledCode, Confinement, Target, testing};
use ice_ir::{ControlFlowGraph, Uses, parse_program};
use ice_regalloc::{Context, Options};

fn target(model: CodeModel) -> Arm32 {
    let (division, floats) = (Division::Helper, FloatAbi::Hard);
    Arm32 { model, division, floats, confinement: Confinement::None }
}

#[test]
fn code_is_for_the_instruction_that_wanted_it() {
    testing::check_origins(&target(CodeModel::Pnacl));
}

/// The code of the first function, position-independent.
fn compiled(text: &str) -> CompiledCode {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let func = &program.bodies[0];
    let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
    cfg.compute(func);
    order.compute(func, &cfg);
    uses.compute(func);
    let target = target(CodeModel::PositionIndependent);
    let (mut scratch, mut mach, mut out) =
        (LowerScratch::default(), MachFunction::new(), CompiledCode::default());
    lower_function(&target, &program.module, func, &cfg, &order, &uses, &mut scratch, &mut mach)
        .expect("it can be lowered");
    let mut allocator = Context::default();
    allocator
        .allocate(mach.body(), target.registers(&mach.frame), &Options::default())
        .expect("it can be allocated");
    let mut buffer = CodeBuffer::<(), _>::new();
    let (mut emission, output) = (Default::default(), allocator.output());
    target.emit(&mach, output, &mut emission, &mut buffer, &mut out).expect("all is in reach");
    out
}

/// Offsets of the loads relative to pc, and those of their words.
fn literal_loads(code: &[u8]) -> Vec<(usize, usize)> {
    let words = code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")));
    let loads = words.enumerate().filter(|(_, word)| word & 0x0f7f_0000 == 0x051f_0000);
    loads
        .map(|(n, word)| {
            let (pc, distance) = (4 * n + 8, (word & 0xfff) as usize);
            (4 * n, if word & 1 << 23 == 0 { pc - distance } else { pc + distance })
        })
        .collect()
}

/// A function that takes the address of a symbol of another module, stores `stores` times, and ends with `end`.
fn program(stores: usize, constants: &str, end: &str) -> String {
    let mut body = String::new();
    for n in 0..stores {
        body += &format!("  store v0 to v{}, align 4\n", n % 2);
    }
    format!(
        "target pointer i32 native\nglobal external declared @far\ndeclare external @llvm.memcpy.p0i8.p0i8.i32(i32, i32, i32, i32, i1) -> void\ndefine external @f(v0: i32, v1: i32) -> i32 {{\n  \
         v2: i32 = @far\n{constants}block0:\n  store v2 to v1, align 4\n{body}{end}}}\n"
    )
}

/// Every load finds the word with the relocation, and the words lie where data is said to be.
fn check(text: &str) -> usize {
    let out = compiled(text);
    let loads = literal_loads(&out.code);
    assert!(!loads.is_empty());
    for &(load, word) in &loads {
        assert!(word.abs_diff(load + 8) <= 4095);
        assert!(
            out.relocs.iter().any(|reloc| reloc.offset as usize == word),
            "no word for the load at {load}"
        );
        assert!(out.data.iter().any(|&(from, to)| (from as usize..to as usize).contains(&word)));
    }
    loads[0].1 - loads[0].0
}

#[test]
fn words_are_in_reach_of_their_loads() {
    // The word waits for the end of the function as long as that is near.
    assert!(check(&program(700, "", "  ret v0\n")) > 2800);
    for stores in (880..1040).step_by(3).chain([2000]) {
        check(&program(stores, "", "  ret v0\n"));
    }
}

#[test]
fn a_large_instruction_does_not_come_between() {
    // A table of 600 entries has no room between a load and its word, wherever it stands.
    let cases: Vec<String> = (0..600).map(|n| format!("{n}: block{}", 1 + n % 2)).collect();
    let switch = format!(
        "  switch v0, block3 [{}]\nblock1:\n  ret v0\nblock2:\n  ret v1\nblock3:\n  ret v2\n",
        cases.join(", ")
    );
    for stores in (0..1000).step_by(97) {
        check(&program(stores, "", &switch));
    }
    // So has a copy that is written inline.
    let constants = "  v3: i32 = 64\n  v4: i32 = 1\n  v5: i1 = 0\n";
    let copy = "  call @llvm.memcpy.p0i8.p0i8.i32(v0, v1, v3, v4, v5)\n  ret v0\n";
    for stores in 880..1020 {
        check(&program(stores, constants, copy));
    }
}
