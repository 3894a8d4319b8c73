//! Jobs on several threads, in ranges, with their results taken in order.
//!
//! Problem: functions are finished in any order, the object wants them in the order of the module, memory must
//! not grow with the module, and most functions take less time than it takes to wake a thread. Method: all
//! threads, the calling one among them, do the same: take the next range of jobs; work it off; and whoever
//! finds that the next range in order is done, and that nobody consumes, consumes what is ready. So no
//! thread waits for another to take its result, and none is idle because another is busy consuming.
//!
//! Ranges follow the sizes of the jobs: they shrink toward the end, so that all threads end together, and a
//! job larger than a range is one by itself. Memory is bounded by bytes, not by jobs: a thread takes a range
//! only while the ranges behind the first unconsumed one hold less than the window. A range holds the
//! bytes of its jobs while it is worked on, and those of its output from then until that is consumed. The
//! first range does not count, because all wait for it: it may be the largest job of all, and the others go
//! on meanwhile. The memory of a worker grows with its largest job, so it begins anew behind a large one, which
//! is rare: not every thread keeps what the largest jobs took.
//!
//! Data: one mutex around the ranges in flight and the consumer, and one condition for threads that wait for
//! room. Outputs and the consumer move out of it while they are used, so the lock is held for a few
//! instructions. Invariant: behind the first unconsumed range, `window` bytes plus one range for each
//! thread, at most, with as much more as outputs are larger than their jobs. The first error in job order
//! wins, because results are looked at in job order only: the outcome does not depend on the threads. Cost:
//! two lock operations a range and some for consuming; threads are woken when half of the window is free.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of jobs that are worth a thread.
const BYTES_PER_THREAD: usize = 16 << 10;

/// Most bytes in a range of more than one job.
const LARGEST_RANGE: usize = 8 << 10;

/// A job of more bytes is a range by itself, and the worker does not keep the memory that it took.
const LARGE_JOB: usize = 6 << 10;

/// A job of more bytes takes so much memory that a thread alone does not keep it, either. A new worker costs a tenth of the
/// work on a job of 8 KiB, and less of that on larger ones.
pub(crate) const HUGE_JOB: usize = 32 << 10;

/// Ranges are not made smaller than this, in bytes.
const SMALLEST_RANGE: usize = 1 << 10;

/// A range takes this part of what is left for each thread.
const SHARE: usize = 4;

/// Bytes in flight for each thread.
const WINDOW_PER_THREAD: usize = 32 << 10;

/// What comes of a range of jobs.
pub trait Output: Default {
    /// The memory it takes, in bytes.
    fn bytes(&self) -> usize;
}

/// Jobs by number, cut into ranges as they are taken.
pub struct Plan<S> {
    next: usize,
    jobs: usize,
    sizes: S,
    /// Bytes of the jobs not yet taken, about.
    left: usize,
    threads: usize,
}

impl<S: Fn(usize) -> usize> Plan<S> {
    /// The jobs `0..jobs` of about `total` bytes together on at most `threads` threads, fewer where there is little
    /// to do. `sizes` gives the bytes of each job, and is asked in the order of the jobs.
    pub fn new(jobs: usize, threads: usize, total: usize, sizes: S) -> Plan<S> {
        let threads = if threads > 1 { threads.min(total / BYTES_PER_THREAD).min(jobs) } else { 0 };
        Plan { next: 0, jobs, sizes, left: total, threads }
    }

    /// Bytes behind the first unconsumed range from which on no range is taken.
    fn window(&self) -> usize {
        self.threads * WINDOW_PER_THREAD
    }

    fn has_more(&self) -> bool {
        self.next < self.jobs
    }

    /// The next range.
    fn take(&mut self) -> Option<JobRange> {
        let start = self.next;
        if !self.has_more() {
            return None;
        }
        let budget = (self.left / (SHARE * self.threads)).clamp(SMALLEST_RANGE, LARGEST_RANGE);
        let mut bytes = (self.sizes)(start);
        let is_large = bytes > LARGE_JOB;
        self.next += 1;
        while !is_large && self.has_more() {
            let size = (self.sizes)(self.next);
            if size > LARGE_JOB || bytes + size > budget {
                break;
            }
            bytes += size;
            self.next += 1;
        }
        self.left = self.left.saturating_sub(bytes);
        Some(JobRange { jobs: start..self.next, bytes, is_large })
    }
}

/// What a thread takes at once.
struct JobRange {
    jobs: Range<usize>,
    /// Their sizes together.
    bytes: usize,
    /// One job, larger than [`LARGE_JOB`].
    is_large: bool,
}

/// A range that is taken and not consumed.
struct InFlight<O, E> {
    bytes: usize,
    /// Once it is done and until it is consumed.
    done: Option<(O, Result<(), E>)>,
}

struct State<S, O, E, C> {
    plan: Plan<S>,
    in_flight: VecDeque<InFlight<O, E>>,
    /// Ranges consumed: the number of the first in flight.
    consumed: usize,
    /// Sum of the bytes of all ranges in flight.
    bytes: usize,
    /// Outputs that can be used again.
    free: Vec<O>,
    /// None before it exists and while a thread has it.
    consumer: Option<C>,
    /// Threads that wait for room.
    waiting: usize,
    /// The first error in job order.
    error: Option<E>,
    /// No more jobs are wanted: an error, or a panic.
    stopped: bool,
}

impl<S, O, E, C> State<S, O, E, C> {
    /// Bytes in flight behind the first range.
    fn bytes_behind_first(&self) -> usize {
        self.bytes - self.in_flight.front().map_or(0, |first| first.bytes)
    }
}

struct Monitor<S, O, E, C> {
    state: Mutex<State<S, O, E, C>>,
    /// There is room in the window, or all is over.
    room: Condvar,
    window: usize,
}

impl<S: Fn(usize) -> usize, O: Output, E, C> Monitor<S, O, E, C> {
    fn lock(&self) -> MutexGuard<'_, State<S, O, E, C>> {
        // The state is consistent at every point where its holder could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.room.notify_all();
    }

    /// Waits for room and takes a range.
    fn take(&self) -> Option<Taken<O>> {
        let mut state = self.lock();
        while !state.stopped && state.plan.has_more() && state.bytes_behind_first() >= self.window {
            state.waiting += 1;
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        if state.stopped {
            return None;
        }
        let JobRange { jobs, bytes, is_large } = state.plan.take()?;
        let number = state.consumed + state.in_flight.len();
        state.bytes += bytes;
        state.in_flight.push_back(InFlight { bytes, done: None });
        let output = state.free.pop().unwrap_or_default();
        Some(Taken { number, jobs, output, is_large })
    }

    /// Hands over the output of range `number`.
    fn put(&self, number: usize, output: O, result: Result<(), E>) -> MutexGuard<'_, State<S, O, E, C>> {
        let bytes = output.bytes();
        let mut state = self.lock();
        let index = number - state.consumed;
        let before = std::mem::replace(&mut state.in_flight[index].bytes, bytes);
        state.in_flight[index].done = Some((output, result));
        state.bytes = state.bytes - before + bytes;
        state
    }

    /// Consumes what is ready, unless another thread does or there is no consumer yet.
    fn consume_ready<'m>(
        &'m self,
        mut state: MutexGuard<'m, State<S, O, E, C>>,
        consume: &impl Fn(&mut C, &mut O) -> Result<(), E>,
    ) {
        let Some(mut consumer) = state.consumer.take() else { return };
        while !state.stopped
            && let Some((mut output, result)) =
                state.in_flight.front_mut().and_then(|first| first.done.take())
        {
            drop(state);
            // The jobs before the one that failed come first.
            let result = consume(&mut consumer, &mut output).and(result);
            state = self.lock();
            let first = state.in_flight.pop_front();
            state.bytes -= first.map_or(0, |first| first.bytes);
            state.consumed += 1;
            if output.bytes() <= self.window {
                state.free.push(output);
            }
            if let Err(error) = result {
                state.error = Some(error);
                state.stopped = true;
            }
            if state.waiting > 0 && (state.stopped || state.bytes_behind_first() <= self.window / 2) {
                self.room.notify_all();
            }
        }
        state.consumer = Some(consumer);
    }
}

/// What a thread works on.
struct Taken<O> {
    /// Number of the range.
    number: usize,
    jobs: Range<usize>,
    /// Memory for its output.
    output: O,
    is_large: bool,
}

/// Stops everything when its thread ends early, so that no other thread waits for ever.
struct StopOnPanic<'a, S: Fn(usize) -> usize, O: Output, E, C>(&'a Monitor<S, O, E, C>);

impl<S: Fn(usize) -> usize, O: Output, E, C> Drop for StopOnPanic<'_, S, O, E, C> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Does the jobs of `plan` with `work`, in ranges, and hands each output, in job order, to `consume`, on any
/// thread but on one at a time. `begin` makes the consumer on the calling thread, while others work already.
///
/// Every thread makes a worker state with `worker` and keeps it up to a large job, a thread alone up to a huge one; what
/// `finish` makes of each comes back at the end, in no meaningful order, and with it the consumer. `work` receives an output
/// that was used before or is new (`O::default()`); where a job fails, it leaves those before it in the output. A system
/// that gives fewer threads than asked for is no error.
///
/// # Errors
/// That of `begin`; otherwise the error of the lowest job that failed, from `work` or `consume`; later
/// outputs are not consumed.
pub fn run_in_order<W, R: Send, O: Output + Send, E: Send, C: Send, S: Fn(usize) -> usize + Send>(
    plan: Plan<S>,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, Range<usize>, &mut O) -> Result<(), E> + Sync,
    finish: impl Fn(W) -> R + Sync,
    begin: impl FnOnce() -> Result<C, E>,
    consume: impl Fn(&mut C, &mut O) -> Result<(), E> + Sync,
) -> Result<(Vec<R>, C), E> {
    if plan.threads <= 1 {
        let mut consumer = begin()?;
        let (mut state, mut output, mut results) = (worker(), O::default(), Vec::new());
        for job in 0..plan.jobs {
            let result = work(&mut state, job..job + 1, &mut output);
            // The output tells how large the job was: as a rule it has at most twice the bytes, and `sizes` need not be asked.
            if output.bytes() > 2 * HUGE_JOB {
                results.push(finish(state));
                state = worker();
            }
            consume(&mut consumer, &mut output).and(result)?;
        }
        results.push(finish(state));
        return Ok((results, consumer));
    }
    let (threads, window) = (plan.threads, plan.window());
    let state = State {
        plan,
        in_flight: VecDeque::new(),
        consumed: 0,
        bytes: 0,
        free: Vec::new(),
        consumer: None,
        waiting: 0,
        error: None,
        stopped: false,
    };
    let monitor = Monitor { state: Mutex::new(state), room: Condvar::new(), window };
    let work_until_done = || {
        let _guard = StopOnPanic(&monitor);
        let (mut state, mut results) = (worker(), Vec::new());
        while let Some(Taken { number, jobs, mut output, is_large }) = monitor.take() {
            let result = work(&mut state, jobs, &mut output);
            if is_large {
                results.push(finish(state));
                state = worker();
            }
            monitor.consume_ready(monitor.put(number, output, result), &consume);
        }
        results.push(finish(state));
        results
    };
    let results = std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work_until_done);
        let handles: Vec<_> = (1..threads).map_while(|number| spawn(number).ok()).collect();
        let mut results = Vec::with_capacity(threads);
        let _guard = StopOnPanic(&monitor);
        let began = begin();
        let mut state = monitor.lock();
        match began {
            Ok(consumer) => {
                state.consumer = Some(consumer);
                monitor.consume_ready(state, &consume);
                results.extend(work_until_done());
            }
            Err(error) => {
                state.error = Some(error);
                drop(state);
                monitor.stop();
            }
        }
        for handle in handles {
            match handle.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    let state = monitor.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (state.error, state.consumer) {
        (Some(error), _) => Err(error),
        (None, Some(consumer)) => Ok((results, consumer)),
        (None, None) => unreachable!("a thread that keeps the consumer has panicked"),
    }
}

#[cfg(test)]
mod tests;
