//! A stack below 4 GiB: objects of the frames of PNaCl programs have addresses of 32 bits.

use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

const STACK: usize = 16 << 20;

thread_local! {
    /// Where the stack of the caller of `on_low_stack` is while another one is in use.
    static SAVED: Cell<usize> = const { Cell::new(0) };
}

/// Calls `function(data)` on the stack that ends at `stack`; `saved` gets what `leave` wants.
#[unsafe(naked)]
unsafe extern "C" fn enter(
    function: extern "C" fn(*mut c_void),
    data: *mut c_void,
    stack: usize,
    saved: *mut usize,
) {
    naked_asm!(
        "push rbp", "push rbx", "push r12", "push r13", "push r14", "push r15",
        "mov [rcx], rsp",
        "mov rbx, rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsp, rdx",
        "call rax",
        "mov rdi, rbx",
        "jmp {leave}",
        leave = sym leave,
    )
}

/// Goes back to whom called `enter`.
#[unsafe(naked)]
unsafe extern "C" fn leave(saved: usize) -> ! {
    naked_asm!("mov rsp, rdi", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret")
}

/// `setjmp` of PNaCl programs: the low halves of the arguments count.
#[unsafe(naked)]
pub extern "C" fn set_jump(_buffer: u32) -> i32 {
    naked_asm!(
        "mov edi, edi",
        "mov [rdi], rbx",
        "mov [rdi + 8], rbp",
        "mov [rdi + 16], r12",
        "mov [rdi + 24], r13",
        "mov [rdi + 32], r14",
        "mov [rdi + 40], r15",
        "lea rdx, [rsp + 8]",
        "mov [rdi + 48], rdx",
        "mov rdx, [rsp]",
        "mov [rdi + 56], rdx",
        "xor eax, eax",
        "ret",
    )
}

/// `longjmp` of PNaCl programs.
#[unsafe(naked)]
pub extern "C" fn long_jump(_buffer: u32, _value: i32) -> ! {
    naked_asm!(
        "mov edi, edi",
        "mov eax, esi",
        "cmp eax, 1",
        "adc eax, 0",
        "mov rbx, [rdi]",
        "mov rbp, [rdi + 8]",
        "mov r12, [rdi + 16]",
        "mov r13, [rdi + 24]",
        "mov r14, [rdi + 32]",
        "mov r15, [rdi + 40]",
        "mov rsp, [rdi + 48]",
        "jmp [rdi + 56]",
    )
}

/// Memory of a stack.
struct Stack(*mut c_void);

impl Stack {
    fn new() -> Stack {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT | libc::MAP_NORESERVE;
        // SAFETY: a mapping at a place of the system's choice.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        assert_ne!(base, libc::MAP_FAILED);
        Stack(base)
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
