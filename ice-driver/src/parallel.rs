//! Numbered jobs on several threads, with their results taken in order.
//!
//! Problem: workers finish functions in any order, the object wants them in the order of the module, and
//! memory must not grow with the module. Method: a ring of `2N + 1` slots for `N` workers (a bounded
//! buffer with one monitor). A worker takes the next job number when the slot `number mod (2N + 1)` is
//! free, fills the slot's output and puts it back; the calling thread waits for the slot of the next
//! number in order, hands its output to `consume` and frees the slot.
//!
//! Data: one mutex around the ring and two counters, one condition for workers and one for the consumer.
//! Outputs move out of the ring while they are worked on, so the lock is held for a few instructions.
//! Invariants: `consumed <= taken <= consumed + 2N + 1`, so at most `2N + 1` jobs are in flight; outputs
//! are recycled, never dropped, until all is over. The first error in job order wins, because results are
//! looked at in job order only: the outcome does not depend on the number of threads.
//! Cost: two lock operations a job on each side.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Most jobs in flight for a number of workers.
pub const fn max_in_flight(threads: usize) -> usize {
    2 * threads + 1
}

/// A slot of the ring.
enum Slot<O, E> {
    /// Waits for a worker.
    Free(O),
    /// A worker has it.
    Busy,
    /// Waits for the consumer.
    Done(O, Result<(), E>),
}

struct Ring<O, E> {
    slots: Vec<Slot<O, E>>,
    /// Jobs given to workers.
    taken: usize,
    /// Jobs whose output was consumed.
    consumed: usize,
    /// No more jobs are wanted: an error, or a worker is gone.
    stopped: bool,
}

struct Monitor<O, E> {
    ring: Mutex<Ring<O, E>>,
    /// A slot became free, or all is over.
    freed: Condvar,
    /// The slot that the consumer waits for is done, or all is over.
    done: Condvar,
}

impl<O, E> Monitor<O, E> {
    fn lock(&self) -> MutexGuard<'_, Ring<O, E>> {
        // The ring is consistent at every point where its holder could panic.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.freed.notify_all();
        self.done.notify_all();
    }
}

/// Stops everything when its thread ends early, so that no other thread waits for ever.
struct StopOnPanic<'a, O, E>(&'a Monitor<O, E>);

impl<O, E> Drop for StopOnPanic<'_, O, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Does the jobs `0..jobs` with `work` on `threads` threads and hands each output, in job order, to
/// `consume` on the calling thread. With 0 threads all happens on the calling thread.
///
/// Every thread makes one worker state with `worker` and keeps it; what `finish` makes of each comes back
/// at the end, in no meaningful order. `work` receives an output that was used before or is new
/// (`O::default()`).
///
/// # Errors
/// The error of the lowest job that failed, from `work` or `consume`; later outputs are not consumed.
pub fn run_in_order<W, R: Send, O: Default + Send, E: Send>(
    jobs: usize,
    threads: usize,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize, &mut O) -> Result<(), E> + Sync,
    finish: impl Fn(W) -> R + Sync,
    mut consume: impl FnMut(usize, &mut O, Result<(), E>) -> Result<(), E>,
) -> Result<Vec<R>, E> {
    if threads == 0 {
        let (mut state, mut output) = (worker(), O::default());
        for job in 0..jobs {
            let result = work(&mut state, job, &mut output);
            consume(job, &mut output, result)?;
        }
        return Ok(vec![finish(state)]);
    }
    let slots = max_in_flight(threads).min(jobs.max(1));
    let monitor = Monitor {
        ring: Mutex::new(Ring {
            slots: (0..slots).map(|_| Slot::Free(O::default())).collect(),
            taken: 0,
            consumed: 0,
            stopped: false,
        }),
        freed: Condvar::new(),
        done: Condvar::new(),
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.min(jobs))
            .map(|_| {
                scope.spawn(|| {
                    let _guard = StopOnPanic(&monitor);
                    let mut state = worker();
                    work_until_done(&monitor, jobs, |job, output| work(&mut state, job, output));
                    finish(state)
                })
            })
            .collect();
        let result = {
            let _guard = StopOnPanic(&monitor);
            consume_in_order(&monitor, jobs, &mut consume)
        };
        monitor.stop();
        let mut results = Vec::with_capacity(handles.len());
        for handle in handles {
            match handle.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result.map(|()| results)
    })
}

/// The life of one worker.
fn work_until_done<O, E>(
    monitor: &Monitor<O, E>,
    jobs: usize,
    mut work: impl FnMut(usize, &mut O) -> Result<(), E>,
) {
    let mut ring = monitor.lock();
    loop {
        if ring.stopped || ring.taken == jobs {
            return;
        }
        let job = ring.taken;
        let index = job % ring.slots.len();
        let mut output = match std::mem::replace(&mut ring.slots[index], Slot::Busy) {
            Slot::Free(output) => output,
            other => {
                ring.slots[index] = other;
                ring = monitor.freed.wait(ring).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
        };
        ring.taken += 1;
        drop(ring);
        let result = work(job, &mut output);
        ring = monitor.lock();
        ring.slots[index] = Slot::Done(output, result);
        if job == ring.consumed {
            monitor.done.notify_one();
        }
    }
}

fn consume_in_order<O, E>(
    monitor: &Monitor<O, E>,
    jobs: usize,
    mut consume: impl FnMut(usize, &mut O, Result<(), E>) -> Result<(), E>,
) -> Result<(), E> {
    for job in 0..jobs {
        let mut ring = monitor.lock();
        let index = job % ring.slots.len();
        let (mut output, result) = loop {
            match std::mem::replace(&mut ring.slots[index], Slot::Busy) {
                Slot::Done(output, result) => break (output, result),
                other => ring.slots[index] = other,
            }
            if ring.stopped {
                // A worker panicked; its panic is passed on by the caller.
                return Ok(());
            }
            ring = monitor.done.wait(ring).unwrap_or_else(PoisonError::into_inner);
        };
        drop(ring);
        consume(job, &mut output, result)?;
        let mut ring = monitor.lock();
        ring.slots[index] = Slot::Free(output);
        ring.consumed += 1;
        drop(ring);
        monitor.freed.notify_one();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::{Barrier, Mutex};

    #[test]
    fn two_workers_are_at_work_and_few_jobs_in_flight() {
        for threads in [1, 2, 4] {
            let (in_flight, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let ids = Mutex::new(HashSet::new());
            // The first jobs wait for each other: this test ends only if `threads` workers are at work at once.
            let barrier = Barrier::new(threads);
            let mut order = Vec::new();
            let states = run_in_order(
                500,
                threads,
                || 0,
                |count: &mut usize, job, output: &mut Vec<usize>| {
                    most.fetch_max(in_flight.fetch_add(1, SeqCst) + 1, SeqCst);
                    if job < threads {
                        barrier.wait();
                    }
                    ids.lock().unwrap().insert(std::thread::current().id());
                    output.clear();
                    output.push(job);
                    *count += 1;
                    Ok::<(), ()>(())
                },
                |count| count,
                |job, output, result| {
                    assert_eq!(*output, [job]);
                    order.push(job);
                    if job % 50 == 0 {
                        // Let the workers run into the limit.
                        std::thread::sleep(std::time::Duration::from_millis(2));
                    }
                    in_flight.fetch_sub(1, SeqCst);
                    result
                },
            )
            .unwrap();
            assert_eq!(order, (0..500).collect::<Vec<_>>());
            assert_eq!(states.iter().sum::<usize>(), 500);
            assert_eq!(ids.lock().unwrap().len(), threads);
            assert!(most.load(SeqCst) >= threads);
            assert!(most.load(SeqCst) <= max_in_flight(threads), "{} in flight", most.load(SeqCst));
        }
    }

    #[test]
    fn outputs_are_recycled() {
        let made = AtomicUsize::new(0);
        struct Counted;
        static MADE: AtomicUsize = AtomicUsize::new(0);
        impl Default for Counted {
            fn default() -> Self {
                MADE.fetch_add(1, SeqCst);
                Counted
            }
        }
        run_in_order(
            1000,
            3,
            || made.fetch_add(1, SeqCst),
            |_, _, _: &mut Counted| Ok::<(), ()>(()),
            drop,
            |_, _, r| r,
        )
        .unwrap();
        assert_eq!((made.load(SeqCst), MADE.load(SeqCst)), (3, max_in_flight(3)));
    }

    #[test]
    fn the_first_error_in_job_order_wins() {
        for threads in [0, 1, 2, 5] {
            for _ in 0..20 {
                let mut consumed = 0;
                let result = run_in_order(
                    300,
                    threads,
                    || (),
                    |(), job, _: &mut ()| if job >= 77 && job % 7 == 0 { Err(job) } else { Ok(()) },
                    drop,
                    |_, _, result| {
                        consumed += usize::from(result.is_ok());
                        result
                    },
                );
                assert_eq!(result.unwrap_err(), 77, "{threads} threads");
                assert_eq!(consumed, 77);
            }
        }
    }

    #[test]
    fn an_error_of_the_consumer_stops_the_workers() {
        for threads in [0, 3] {
            let result = run_in_order(
                1000,
                threads,
                || (),
                |(), _, _: &mut ()| Ok(()),
                drop,
                |job, _, _| if job == 5 { Err("full") } else { Ok(()) },
            );
            assert_eq!(result.unwrap_err(), "full");
        }
    }

    #[test]
    fn a_panic_is_passed_on_instead_of_a_hang() {
        let result = std::panic::catch_unwind(|| {
            run_in_order(
                100,
                2,
                || (),
                |(), job, _: &mut ()| if job == 10 { panic!("job 10") } else { Ok::<(), ()>(()) },
                drop,
                |_, _, r| r,
            )
        });
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"job 10"));
    }

    #[test]
    fn no_jobs_and_more_threads_than_jobs() {
        for (jobs, threads) in [(0, 0), (0, 4), (2, 8)] {
            let mut consumed = 0;
            run_in_order(
                jobs,
                threads,
                || (),
                |(), _, _: &mut ()| Ok::<(), ()>(()),
                drop,
                |_, _, r| {
                    consumed += 1;
                    r
                },
            )
            .unwrap();
            assert_eq!(consumed, jobs);
        }
    }
}
