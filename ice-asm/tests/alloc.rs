//! In the steady state a cleared buffer allocates nothing.

use ice_asm::x86::{Alu, Cond, Encoder, Gpr, Mem, Mode, Width};
use ice_asm::{CodeBuffer, RelocKind, SymbolId};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn emit(buffer: &mut CodeBuffer) {
    buffer.clear();
    buffer.set_symbol(SymbolId(0));
    let mut e = Encoder::new(buffer, Mode::Bits32);
    for _ in 0..500 {
        let (next, table) = (e.buf.new_label(), e.buf.new_label());
        e.alu_rm_r(Alu::Cmp, Width::B32, Mem::label(table).into(), Gpr::RAX);
        e.jump_if(Cond::E, next);
        e.jump(table);
        e.bind(next);
        e.call_symbol(SymbolId(1), RelocKind::PcRel32);
        e.bind(table);
    }
    e.ret();
    buffer.finish().unwrap();
}

#[test]
fn a_cleared_buffer_allocates_nothing() {
    let mut buffer = CodeBuffer::new();
    emit(&mut buffer);
    let before = COUNT.load(Ordering::Relaxed);
    for _ in 0..10 {
        emit(&mut buffer);
    }
    assert_eq!(COUNT.load(Ordering::Relaxed), before);
}
