//! A body that is read with warm scratch memory allocates nothing.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::read;
use ice_bitcode::pexe::{FunctionReader, read_module};
use ice_ir::{Filtered, Function, FunctionBuilder};

/// Counts allocations of each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_readers_allocate_nothing() {
    let Some(bytes) = read("bench/nbody.pexe") else { return };
    let header = read_module(&bytes).expect("well-formed");
    let (mut reader, mut func, mut filter) = (FunctionReader::new(), Function::new(), Filtered::new());
    let mut counts = Vec::with_capacity(3);
    for _ in 0..3 {
        let before = COUNT.with(Cell::get);
        for body in &header.bodies {
            let mut builder = FunctionBuilder::filtered(&mut func, &mut filter);
            reader.read(&header, &bytes, body, &mut builder).expect("well-formed");
        }
        counts.push(COUNT.with(Cell::get) - before);
    }
    assert!(counts[0] > 0, "the counter works");
    assert_eq!(counts[1..], [0, 0]);
}
