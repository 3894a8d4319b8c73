//! How many heaps the C library has for the threads of a translation.
//!
//! Problem: glibc gives each thread a heap of its own, and what a thread has freed is of no use to others. A worker begins
//! anew behind a large function, so its heap keeps room that nobody uses until this thread meets a large one again. Method:
//! one heap for each four threads. Workers allocate little between large functions, so they seldom wait for one another.
//! Other C libraries have no such choice, and keep what they do.
#![allow(unsafe_code)]

/// Threads that share a heap.
#[cfg(target_env = "gnu")]
const THREADS_PER_HEAP: usize = 4;

/// Has the threads that are started from now on share heaps, as many as are good for `threads` of them.
pub fn share(threads: usize) {
    #[cfg(target_env = "gnu")]
    {
        let heaps = libc::c_int::try_from(threads.div_ceil(THREADS_PER_HEAP)).unwrap_or(libc::c_int::MAX);
        // SAFETY: `mallopt` takes two numbers and no memory; glibc locks what it changes. A refusal changes nothing.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps.max(1)) };
    }
    #[cfg(not(target_env = "gnu"))]
    let _ = threads;
}
