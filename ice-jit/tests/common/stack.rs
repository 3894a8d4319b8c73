//! A stack below 4 GiB: objects of the frames of PNaCl programs have addresses of 32 bits.

#[cfg_attr(target_arch = "x86_64", path = "stack/x86_64.rs")]
#[cfg_attr(target_arch = "x86", path = "stack/x86.rs")]
#[cfg_attr(target_arch = "aarch64", path = "stack/aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "stack/arm.rs")]
mod machine;

use machine::{enter, leave};
pub use machine::{long_jump, set_jump};
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

const STACK: usize = 16 << 20;

thread_local! {
    /// Where the stack of the caller of `on_low_stack` is while another one is in use.
    static SAVED: Cell<usize> = const { Cell::new(0) };
}

/// Memory of a stack.
struct Stack(*mut c_void);

impl Stack {
    fn new() -> Stack {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: an address is a wish: nothing that exists is touched.
        let map = |at| Stack(unsafe { libc::mmap(at, STACK, access, flags, -1, 0) });
        let stack = match size_of::<usize>() {
            4 => map(std::ptr::null_mut()),
            // What is elsewhere goes at once.
            _ => (0x1000_0000..0x7000_0000)
                .step_by(STACK)
                .map(|at| map(std::ptr::without_provenance_mut(at)))
                .find(|stack| stack.0.addr() < 1 << 31)
                .expect("there is room below 2 GiB"),
        };
        assert_ne!(stack.0, libc::MAP_FAILED);
        stack
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: nobody is on the stack any more.
        unsafe { libc::munmap(self.0, STACK) };
    }
}

/// Calls a function on a low stack. `None` if it left by [`exit`].
pub fn on_low_stack<T>(function: impl FnOnce() -> T) -> Option<T> {
    struct Call<F, T> {
        function: Option<F>,
        result: Option<std::thread::Result<T>>,
    }
    extern "C" fn run<F: FnOnce() -> T, T>(data: *mut c_void) {
        // SAFETY: the data is the call below.
        let call = unsafe { &mut *data.cast::<Call<F, T>>() };
        if let Some(function) = call.function.take() {
            call.result = Some(catch_unwind(AssertUnwindSafe(function)));
        }
    }
    fn entry<F: FnOnce() -> T, T>(_: &Call<F, T>) -> extern "C" fn(*mut c_void) {
        run::<F, T>
    }
    let stack = Stack::new();
    let mut call = Call { function: Some(function), result: None };
    let entry = entry(&call);
    let end = stack.0.addr() + STACK;
    SAVED.with(|saved| {
        // SAFETY: the stack is ours and large; `call` outlives the call.
        unsafe { enter(entry, (&raw mut call).cast(), end, saved.as_ptr()) };
    });
    call.result.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// Ends the call of [`on_low_stack`] that this thread is in. What is on the stack is forgotten.
pub fn exit() -> ! {
    // SAFETY: the thread is in `enter`, which has saved this.
    unsafe { leave(SAVED.get()) }
}
