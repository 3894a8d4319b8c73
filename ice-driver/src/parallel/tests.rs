//! Order, bounds, errors and panics of jobs on several threads.

use super::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

/// The numbers of jobs, and the bytes that are said to come of them.
#[derive(Default)]
struct Numbers {
    jobs: Vec<usize>,
    bytes: usize,
}

impl Output for Numbers {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

const JOB: usize = 1 << 10;

fn same_size(_: usize) -> usize {
    JOB
}

fn note(jobs: Range<usize>, output: &mut Numbers) {
    output.bytes = JOB * jobs.len();
    output.jobs.clear();
    output.jobs.extend(jobs);
}

/// Runs jobs that only note their numbers, but for what `fail` says of each.
fn run<E: Send>(
    jobs: usize,
    threads: usize,
    sizes: impl Fn(usize) -> usize + Send,
    fail: impl Fn(usize) -> Option<E> + Sync,
    consume: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(usize, Vec<usize>), E> {
    let (counts, order) = run_in_order(
        Plan::new(jobs, threads, (0..jobs).map(&sizes).sum(), sizes),
        || 0,
        |count: &mut usize, jobs, output| {
            note(jobs.start..jobs.start, output);
            for job in jobs {
                if let Some(error) = fail(job) {
                    return Err(error);
                }
                output.jobs.push(job);
                output.bytes += JOB;
                *count += 1;
            }
            Ok(())
        },
        |count| count,
        || Ok(Vec::new()),
        |order: &mut Vec<usize>, output: &mut Numbers| {
            order.extend_from_slice(&output.jobs);
            output.jobs.iter().try_for_each(|&job| consume(job))
        },
    )?;
    Ok((counts.iter().sum(), order))
}

#[test]
fn every_job_is_done_once_and_consumed_in_order() {
    // Small jobs, jobs without bytes, a large job at each end, many large jobs.
    let shapes: [fn(usize) -> usize; 5] = [
        same_size,
        |job| job % 3 * 100,
        |job| if job == 0 { 1 << 20 } else { 200 },
        |job| if job == 699 { 1 << 20 } else { 200 },
        |job| if job % 3 == 0 { LARGE_JOB + 1 } else { 10 },
    ];
    for sizes in shapes {
        for threads in [0, 1, 2, 3, 4, 8, 16, 32] {
            for jobs in [0, 1, 700] {
                let (count, order) = run(jobs, threads, sizes, |_| None::<()>, |_| Ok(())).unwrap();
                assert_eq!(count, jobs);
                assert_eq!(order, (0..jobs).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn ranges_shrink_and_large_jobs_are_alone() {
    let mut plan = Plan::new(1000, 4, 300_000, |job| if job == 500 { LARGE_JOB + 1 } else { 300 });
    let mut ranges = Vec::new();
    while let Some(range) = plan.take() {
        assert_eq!(range.is_large, range.jobs == (500..501));
        assert!(range.is_large || range.bytes <= LARGEST_RANGE);
        ranges.push(range);
    }
    assert!(ranges.iter().any(|range| range.is_large));
    assert!(ranges.len() < 100, "{} ranges", ranges.len());
    assert!(ranges[0].bytes > LARGEST_RANGE - 300 && ranges[ranges.len() - 1].bytes <= SMALLEST_RANGE);
}

#[test]
fn threads_are_started_where_there_is_work() {
    for (bytes, threads, expected) in [
        (10, 32, 0),
        (2 * BYTES_PER_THREAD, 32, 2),
        (40 * BYTES_PER_THREAD, 32, 32),
        (40 * BYTES_PER_THREAD, 1, 0),
    ] {
        assert_eq!(Plan::new(100, threads, bytes, |_| bytes.div_ceil(100)).threads, expected);
    }
    assert_eq!(Plan::new(1, 8, 1 << 30, |_| 1 << 30).threads, 1);
}

/// All threads work at once, the consumer is slow, and no more is in flight than the window allows.
#[test]
fn bytes_in_flight_are_bounded_and_all_threads_work() {
    for threads in [2, 3, 8] {
        let (in_flight, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let ids = Mutex::new(HashSet::new());
        // The first ranges wait for each other: this ends only if `threads` threads work at once.
        let barrier = Barrier::new(threads);
        let started = AtomicUsize::new(0);
        run_in_order(
            Plan::new(4000, threads, 4000 * JOB, same_size),
            || (),
            |(), jobs, output: &mut Numbers| {
                let bytes = JOB * jobs.len();
                most.fetch_max(in_flight.fetch_add(bytes, SeqCst) + bytes, SeqCst);
                if started.fetch_add(1, SeqCst) < threads {
                    barrier.wait();
                }
                ids.lock().unwrap().insert(std::thread::current().id());
                note(jobs, output);
                Ok::<(), ()>(())
            },
            drop,
            || Ok(()),
            |(), output| {
                if output.jobs[0] < 1000 {
                    // Let the others run into the limit.
                    std::thread::sleep(Duration::from_millis(1));
                }
                in_flight.fetch_sub(output.bytes, SeqCst);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(ids.lock().unwrap().len(), threads);
        // The window, the first range, and what each thread takes when the window is not yet full.
        let limit = threads * WINDOW_PER_THREAD + (threads + 1) * LARGEST_RANGE;
        let most = most.load(SeqCst);
        assert!(most <= limit && most > threads * WINDOW_PER_THREAD / 2, "{most} bytes, {threads} threads");
    }
}

#[test]
fn workers_begin_anew_behind_large_jobs() {
    let sizes = |job| if job % 40 == 0 { 2 * LARGE_JOB } else { JOB };
    let (states, ()) = run_in_order(
        Plan::new(400, 3, 400 * JOB, sizes),
        || 0,
        |largest: &mut usize, jobs, output: &mut Numbers| {
            assert!(*largest <= LARGE_JOB);
            *largest = sizes(jobs.start).max(*largest);
            note(jobs, output);
            Ok::<(), ()>(())
        },
        |largest| largest,
        || Ok(()),
        |(), _| Ok(()),
    )
    .unwrap();
    assert_eq!(states.iter().filter(|&&largest| largest > LARGE_JOB).count(), 10);
    assert_eq!(states.len(), 10 + 3);
}

#[test]
fn the_first_error_in_job_order_wins() {
    for threads in [0, 1, 2, 5] {
        for _ in 0..20 {
            let last = AtomicUsize::new(0);
            let fail = |job| (job >= 77 && job % 7 == 0).then_some(job);
            let result = run(300, threads, same_size, fail, |job| {
                last.store(job, SeqCst);
                Ok(())
            });
            assert_eq!(result.unwrap_err(), 77, "{threads} threads");
            assert_eq!(last.load(SeqCst), 76);
        }
    }
}

#[test]
fn an_error_of_the_consumer_or_its_beginning_stops_the_workers() {
    for threads in [0, 3] {
        let result =
            run(1000, threads, same_size, |_| None, |job| if job == 5 { Err("full") } else { Ok(()) });
        assert_eq!(result.unwrap_err(), "full");
        let result = run_in_order(
            Plan::new(1000, threads, 1000 * JOB, same_size),
            || (),
            |(), _, _: &mut Numbers| Err("a job"),
            drop,
            || Err::<(), _>("the beginning"),
            |(), _| Ok(()),
        );
        assert_eq!(result.err(), Some("the beginning"));
    }
}

#[test]
fn a_panic_is_passed_on_instead_of_a_hang() {
    for threads in [2, 8] {
        for (in_job, message) in [(true, "a job"), (false, "the consumer")] {
            let result =
                std::panic::catch_unwind(|| {
                    let fail = |job| if in_job && job == 200 { panic!("a job") } else { None::<()> };
                    run(1000, threads, same_size, fail, |job| {
                        if job == 200 { panic!("the consumer") } else { Ok(()) }
                    })
                });
            assert_eq!(result.err().unwrap().downcast_ref::<&str>(), Some(&message));
        }
    }
}
