//! Green threads: the threads of a program take turns in a fixed order.
//!
//! A turn ends after [`QUANTUM`] steps, at a wait, a sleep or a yield; the next runnable thread in order of
//! creation follows. With a host that answers the same, a run is the same to the step. Where no thread can
//! run, time passes until the earliest deadline; without one the program is in a deadlock.

use alloc::vec::Vec;

use super::execute::{Shared, Stop, Thread};
use super::host::{Clock, Errno, Host};
use super::irt::{self, Action, Process};
use super::trap::TrapKind;
use super::value::Slot;
use super::{FUNCTION_BASE, Interpreter};
use ice_ir::Type;

/// Steps of a turn.
const QUANTUM: u64 = 20_000;

/// More threads than this are refused with an error.
const MAX_THREADS: usize = 1024;

/// Whether a thread can run.
#[derive(Clone, Copy)]
enum State {
    Ready,
    /// For a wake at the address (0 for a sleep), or the deadline in realtime nanoseconds.
    Waiting {
        address: u64,
        deadline: Option<u64>,
    },
}

/// How a program or function ended.
pub(super) enum Finish {
    /// The first function of the first thread returned.
    Returned(Slot),
    /// Through the environment.
    Exit(i32),
}

/// An execution that cannot go on, with the operation it stopped at.
pub(super) struct Failure {
    pub kind: TrapKind,
    pub pc: Option<u32>,
}

/// Runs `main`, which was started, and the threads it creates. Returns the threads' memory for reuse.
pub(super) fn run(
    interpreter: &mut Interpreter<'_>,
    host: &mut dyn Host,
    main: Thread,
    steps: &mut u64,
) -> (Result<Finish, Failure>, Thread) {
    let mut scheduler = Scheduler { threads: Vec::new(), current: 0, created: 0 };
    scheduler.threads.push((main, State::Ready));
    let result = scheduler.run(interpreter, host, steps);
    let result = result.map_err(|kind| {
        let thread = scheduler.threads.get(scheduler.current);
        Failure { kind, pc: thread.map(|(thread, _)| thread.last_pc()) }
    });
    let main = scheduler.threads.into_iter().next().map_or_else(Thread::default, |(thread, _)| thread);
    (result, main)
}

struct Scheduler {
    threads: Vec<(Thread, State)>,
    current: usize,
    created: u32,
}

impl Scheduler {
    fn run(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        host: &mut dyn Host,
        steps: &mut u64,
    ) -> Result<Finish, TrapKind> {
        let mut break_area = None;
        loop {
            let Interpreter { code, memory, limits, taint, .. } = interpreter;
            let mut shared = Shared { code, memory, limits, taint };
            let thread = &mut self.threads[self.current].0;
            let turn = QUANTUM.min(*steps);
            let mut left = turn;
            let stop = thread.run(&mut shared, &mut left);
            *steps -= turn - left;
            match stop {
                Stop::Trap(kind) => return Err(kind),
                Stop::Returned(value) if thread.id == 0 => return Ok(Finish::Returned(value)),
                Stop::Returned(_) => return Err(TrapKind::ThreadReturned),
                Stop::Steps if *steps == 0 => return Err(TrapKind::OutOfSteps),
                Stop::Steps => self.turn(host)?,
                Stop::Request(entry, args) => {
                    let mut process = Process {
                        memory: shared.memory,
                        host,
                        break_area: &mut break_area,
                        undefined_output: &mut shared.taint.output,
                        tp: &mut thread.tp,
                    };
                    let action = irt::call(entry, args, &mut process);
                    if let Some(finish) = self.perform(action, &mut shared, host)? {
                        return Ok(finish);
                    }
                }
            }
        }
    }

    fn perform(
        &mut self,
        action: Action,
        shared: &mut Shared<'_>,
        host: &mut dyn Host,
    ) -> Result<Option<Finish>, TrapKind> {
        let (thread, state) = &mut self.threads[self.current];
        match action {
            Action::Answer(value) => thread.answer(value),
            Action::Exit(status) => return Ok(Some(Finish::Exit(status))),
            Action::Yield => {
                thread.answer(0);
                self.turn(host)?;
            }
            Action::Sleep { deadline } => {
                *state = State::Waiting { address: 0, deadline: Some(deadline) };
                self.turn(host)?;
            }
            Action::Wait { address, deadline } => {
                *state = State::Waiting { address, deadline };
                self.turn(host)?;
            }
            Action::Wake { address, limit, count } => {
                let mut woken = 0;
                for (thread, state) in &mut self.threads {
                    match *state {
                        State::Waiting { address: at, .. } if at == address && at != 0 && woken < limit => {
                            *state = State::Ready;
                            thread.answer(0);
                            woken += 1;
                        }
                        _ => {}
                    }
                }
                let stored = shared.memory.store(Type::I32, count, Slot::new(u64::from(woken), 0));
                let answer = if stored.is_ok() { 0 } else { Errno::FAULT.0 };
                self.threads[self.current].0.answer(answer);
            }
            Action::Spawn { function, stack, tp } => {
                let answer = self.spawn(shared, function, stack, tp)?;
                self.threads[self.current].0.answer(answer);
            }
            Action::ExitThread { flag } => {
                if flag != 0 {
                    shared.memory.store(Type::I32, flag, Slot::default())?;
                }
                self.threads.remove(self.current);
                if self.threads.is_empty() {
                    return Ok(Some(Finish::Exit(0)));
                }
                // The thread after the removed one has its place now.
                self.current = (self.current + self.threads.len() - 1) % self.threads.len();
                self.turn(host)?;
            }
        }
        Ok(None)
    }

    fn spawn(&mut self, shared: &Shared<'_>, address: u64, stack: u64, tp: u32) -> Result<u32, TrapKind> {
        if self.threads.len() >= MAX_THREADS {
            return Ok(Errno::AGAIN.0);
        }
        let index = address.wrapping_sub(FUNCTION_BASE) / 16;
        let function = usize::try_from(index).ok().and_then(|i| shared.code.functions.get(i));
        let Some(function) = function.filter(|_| address.is_multiple_of(16)) else {
            return Err(TrapKind::NotAFunction { address });
        };
        if !shared.code.signatures[function.signature as usize].params.is_empty() {
            return Err(TrapKind::SignatureMismatch { address });
        }
        self.created += 1;
        // The end of a stack from the program's own heap is not known.
        let mut thread = Thread::default();
        thread.prepare(self.created, (0, stack & !15), tp);
        thread.start(shared, index as u32, &[])?;
        self.threads.push((thread, State::Ready));
        Ok(0)
    }

    /// Gives the turn to the next thread that can run.
    fn turn(&mut self, host: &mut dyn Host) -> Result<(), TrapKind> {
        let count = self.threads.len();
        let deadline = |state: &State| match *state {
            State::Waiting { deadline, .. } => deadline,
            State::Ready => None,
        };
        if let Some(first) = self.threads.iter().filter_map(|(_, state)| deadline(state)).min() {
            let mut now = host.now(Clock::Realtime);
            let all_wait = self.threads.iter().all(|(_, state)| matches!(state, State::Waiting { .. }));
            if all_wait && first > now {
                host.sleep(first - now);
                // Whatever the host's clock says, the wait is over.
                now = first.max(host.now(Clock::Realtime));
            }
            for (thread, state) in &mut self.threads {
                if let State::Waiting { address, deadline: Some(at) } = *state
                    && at <= now
                {
                    *state = State::Ready;
                    thread.answer(if address == 0 { 0 } else { Errno::TIMEDOUT.0 });
                }
            }
        }
        let next = (1..=count)
            .map(|i| (self.current + i) % count)
            .find(|&i| matches!(self.threads[i].1, State::Ready));
        self.current = next.ok_or(TrapKind::Deadlock)?;
        Ok(())
    }
}
