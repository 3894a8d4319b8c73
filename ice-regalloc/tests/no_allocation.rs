//! A warm context allocates nothing: counted by the global allocator.

mod common;

use common::*;
use ice_regalloc::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: forwards every call unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

#[test]
fn steady_state_allocates_nothing() {
    let functions: Vec<Function> =
        (0..60).map(|seed| random_function(&mut Rng::new(seed), &X86).build()).collect();
    let mut context = Context::new();
    let mut run = || {
        for func in &functions {
            for mode in [Mode::Minimal, Mode::Linear] {
                let _ = context.allocate(func, &X86, &Options { mode, ..Options::default() });
            }
        }
    };
    let start = COUNT.with(Cell::get);
    // Two lists are exchanged between instructions: after two rounds each has been in both places.
    run();
    run();
    let warm = COUNT.with(Cell::get);
    assert!(warm > start, "the count works");
    run();
    assert_eq!(COUNT.with(Cell::get), warm);
}
