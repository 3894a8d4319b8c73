//! The checker on a function of ten thousand blocks: its work is counted, not timed.
//!
//! Work is measured by the questions that it follows over edges, memory by the global allocator.

mod common;

use common::*;
use ice_regalloc::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn hold(bytes: isize) {
    COUNT.with(|count| count.set(count.get() + u64::from(bytes > 0)));
    HELD.with(|held| held.set(held.get() + bytes));
    MOST.with(|most| most.set(most.get().max(HELD.with(Cell::get))));
}

// SAFETY: forwards every call unchanged to the system allocator. The default `realloc` allocates the
// new block before it frees the old one, so both count.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        hold(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// What the blocks that can be skipped define.
#[derive(Clone, Copy, PartialEq)]
enum Skipped {
    /// The values of the block before again.
    Same,
    /// Values of their own, which then are undefined on some paths.
    Own,
}

/// A chain of `blocks` blocks. Each defines two values and reads some of the last ten blocks; every
/// third may skip its successor; every seventeenth goes back fifteen blocks. One value is the same in
/// the whole function and read in each block.
fn chain(blocks: u32, skipped: Skipped) -> StoredFunction {
    let class = RegClass(0);
    let v = VReg::from_u32;
    let mut func = StoredFunction {
        blocks: vec![StoredBlock::default(); blocks as usize],
        classes: vec![class; 2 * blocks as usize + 1],
        sizes: vec![0; 2 * blocks as usize + 1],
        ..Default::default()
    };
    let always = v(2 * blocks);
    for b in 0..blocks {
        let start = func.insts.len() as u32;
        let mut push = |ops: Vec<Operand>, terminates| {
            func.insts.push(StoredInst { ops, terminates, ..Default::default() })
        };
        if b == 0 {
            push(vec![Operand::def_reg(always, class)], false);
        }
        for k in 0..2 {
            let back = |n: u32| match b.saturating_sub(n) {
                b if b % 3 == 1 && skipped == Skipped::Same => v(2 * (b - 1) + k),
                b => v(2 * b + k),
            };
            push(vec![Operand::def_reg(back(0), class)], false);
            push(vec![Operand::use_reg(back(1), class), Operand::use_any(back(2), class)], false);
            push(vec![Operand::use_reg(back(9), class), Operand::use_any(always, class)], false);
        }
        push(vec![Operand::use_any(always, class)], true);
        func.blocks[b as usize].insts = start..func.insts.len() as u32;
        let mut succs = Vec::new();
        if b + 1 < blocks {
            succs.push(b + 1);
        }
        if b % 3 == 0 && b + 2 < blocks {
            succs.push(b + 2);
        }
        if b % 17 == 0 && b > 15 {
            succs.push(b - 15);
        }
        for s in succs {
            func.blocks[b as usize].succs.push(Block::from_u32(s));
            func.blocks[b as usize].args.push(Vec::new());
            func.blocks[s as usize].preds.push(Block::from_u32(b));
        }
    }
    func
}

fn questions(checker: &mut Checker, func: &Function, output: &Output) -> usize {
    checker.check(func, &X86, output).expect("checks");
    checker.steps()
}

#[test]
fn work_and_memory_grow_with_the_function() {
    for skipped in [Skipped::Same, Skipped::Own] {
        let mut checker = Checker::new();
        let mut context = Context::new();
        let small = chain(1_000, skipped).build();
        let output = context.allocate(&small, &X86, &Options::default()).expect("allocates");
        let few = questions(&mut checker, &small, output);
        let large = chain(10_000, skipped).build();
        let output = context.allocate(&large, &X86, &Options::default()).expect("allocates");
        assert!(output.slots.len() >= 13_000, "{} slots", output.slots.len());

        let start = HELD.with(Cell::get);
        MOST.with(|most| most.set(start));
        let many = questions(&mut checker, &large, output);
        let most = MOST.with(Cell::get) - start;
        println!("{few} and {many} questions, {most} bytes for {} instructions", large.num_insts());
        assert!(many < few * 11, "{few} for a tenth of the function, {many} for all");
        assert!(many < 40 * large.num_insts(), "{many} questions");
        assert!(most < 24 << 20, "{most} bytes");

        let warm = COUNT.with(Cell::get);
        questions(&mut checker, &large, output);
        assert_eq!(COUNT.with(Cell::get), warm, "a warm checker allocates nothing");
    }
}

#[test]
fn one_fault_among_ten_thousand_blocks_is_found() {
    let func = chain(10_000, Skipped::Same);
    let mut context = Context::new();
    let output = context.allocate(&func.build(), &X86, &Options::default()).expect("allocates").clone();
    let mut checker = Checker::new();
    let spill = |block: usize| {
        let insts = &func.blocks[block].insts;
        let here = |e: &Edit| insts.contains(&e.point.inst().as_u32()) && e.kind() == EditKind::Spill;
        output.edits.iter().position(here).expect("values that cross blocks are spilled")
    };
    // A value of some blocks, and the one that is read everywhere: without the spill of either, uses
    // far away are wrong, and no others.
    for (block, last) in [(5_000, 5_050), (0, 9_999)] {
        let mut broken = output.clone();
        let vreg_slot = broken.edits.remove(spill(block)).to;
        let violations = checker.check(&func.build(), &X86, &broken).expect_err("caught");
        let last = &func.blocks[last].insts;
        for violation in &violations {
            let &Violation::WrongValue { inst, .. } = violation else { panic!("{violation}") };
            assert!(
                inst.as_u32() >= func.blocks[block].insts.start && inst.as_u32() < last.end,
                "{violation}"
            );
        }
        let reads = |e: &&Edit| e.from == vreg_slot && e.kind() == EditKind::Reload;
        assert!(!violations.is_empty() && violations.len() >= output.edits.iter().filter(reads).count());
    }
    checker.check(&func.build(), &X86, &output).expect("checks again");
}

#[test]
fn a_switch_with_parallel_edges_and_many_parameters_costs_little() {
    // A thousand cases for one block, then a block with a thousand parameters in a loop.
    let (class, n) = (RegClass(0), 1_000);
    let v = VReg::from_u32;
    let mut func = StoredFunction {
        blocks: vec![StoredBlock::default(); 4],
        classes: vec![class; 2 * n as usize],
        sizes: vec![0; 2 * n as usize],
        ..Default::default()
    };
    let mut block = |b: usize, ops: Vec<Vec<Operand>>, succs: &[u32]| {
        let start = func.insts.len() as u32;
        let insts = ops.into_iter().map(|ops| StoredInst { ops, ..Default::default() });
        func.insts.extend(insts);
        func.insts.push(StoredInst { terminates: true, ..Default::default() });
        func.blocks[b].insts = start..func.insts.len() as u32;
        for &s in succs {
            func.blocks[b].succs.push(Block::from_u32(s));
            func.blocks[b].args.push(Vec::new());
            func.blocks[s as usize].preds.push(Block::from_u32(b as u32));
        }
    };
    block(0, (0..n).map(|i| vec![Operand::def_any(v(i), class)]).collect(), &vec![1; n as usize]);
    block(1, vec![], &[2]);
    block(2, vec![(n..2 * n).map(|i| Operand::use_any(v(i), class)).collect()], &[3]);
    block(3, vec![], &[2]);
    func.blocks[2].params = (n..2 * n).map(v).collect();
    func.blocks[1].args[0] = (0..n).map(v).collect();
    func.blocks[3].args[0] = (n..2 * n).rev().map(v).collect();
    let mut context = Context::new();
    let output = context.allocate(&func.build(), &X86, &Options::default()).expect("allocates");
    let questions = questions(&mut Checker::new(), &func.build(), output);
    assert!(questions < 60 * n as usize, "{questions} questions");
}
