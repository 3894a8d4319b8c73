//! Processes with a time limit, their output collected.

use anyhow::Context as _;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a process ended and what it printed.
#[derive(PartialEq, Eq)]
pub struct Outcome {
    /// Exit code, or the signal or the time limit that ended it.
    pub end: End,
    /// Standard output.
    pub output: Vec<u8>,
    /// Error output.
    pub errors: String,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// It took too long.
    TimeLimit,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => write!(f, "signal {signal}"),
            End::TimeLimit => f.write_str("time limit"),
        }
    }
}

impl Outcome {
    /// The first lines of the error output.
    pub fn first_errors(&self) -> String {
        self.errors.lines().take(5).collect::<Vec<_>>().join("\n")
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// A command for `program` with `arguments`.
pub fn command<S: AsRef<OsStr>>(program: &Path, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Runs a command without input and waits for it, but not longer than `limit`.
///
/// # Errors
/// It cannot be started.
pub fn run(command: &mut Command, limit: Duration) -> anyhow::Result<Outcome> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
    let mut pipes = (child.stdout.take().context("piped")?, child.stderr.take().context("piped")?);
    std::thread::scope(|scope| {
        // A reader that fails has read what there was.
        let output = scope.spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipes.0.read_to_end(&mut bytes);
            bytes
        });
        let errors = scope.spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipes.1.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let (start, mut pause) = (Instant::now(), Duration::from_micros(500));
        let end = loop {
            if let Some(status) = child.try_wait().with_context(|| name.clone())? {
                break end_of(status);
            }
            if start.elapsed() > limit {
                child.kill().with_context(|| name.clone())?;
                child.wait().with_context(|| name.clone())?;
                break End::TimeLimit;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        Ok(Outcome {
            end,
            output: output.join().unwrap_or_default(),
            errors: errors.join().unwrap_or_default(),
        })
    })
}

/// Calls `work` with every number below `count` on `jobs` threads and gives the results in order. Stops early
/// at an error and gives one of them.
pub fn for_each<T: Send>(
    count: usize,
    jobs: usize,
    work: impl Fn(usize) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build().context("no threads")?;
    // Each runs a process or more, so that they are handed out one by one.
    pool.install(|| (0..count).into_par_iter().with_max_len(1).map(&work).collect())
}

/// The first difference between two outcomes.
pub fn difference(expected: &Outcome, got: &Outcome) -> Option<String> {
    if expected.end != got.end {
        return Some(format!("{} instead of {}\n{}", got.end, expected.end, got.first_errors()));
    }
    if expected.output == got.output {
        return None;
    }
    let (expected, got) = (String::from_utf8_lossy(&expected.output), String::from_utf8_lossy(&got.output));
    let (mut left, mut right) = (expected.lines(), got.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => return Some("other bytes at the end of a line".to_owned()),
            (a, b) => {
                let shorten = |line: Option<&str>| match line {
                    Some(line) => line.chars().take(60).collect(),
                    None => String::from("the end"),
                };
                return Some(format!("line {number}: {} instead of {}", shorten(b), shorten(a)));
            }
        }
    }
}

/// Threads that the machine runs at once.
pub fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Longest time that a measured command may take.
const SECONDS_LIMIT: Duration = Duration::from_secs(1200);

/// Seconds of the processor that a command takes, measured by the shell's `time`.
pub fn seconds(measured: &Command) -> anyhow::Result<f64> {
    let script = "TIMEFORMAT='%3U %3S'; { time \"$@\" >/dev/null 2>&1; } 2>&1";
    let mut shell = command(Path::new("bash"), ["-c", script, "bash"]);
    shell.arg(measured.get_program()).args(measured.get_args());
    let outcome = run(&mut shell, SECONDS_LIMIT)?;
    let text = String::from_utf8_lossy(&outcome.output).into_owned();
    anyhow::ensure!(outcome.end == End::Exit(0), "{}: {}", crate::toolchain::line_of(measured), outcome.end);
    let times: Option<Vec<f64>> = text.split_whitespace().map(|number| number.parse().ok()).collect();
    Ok(times.with_context(|| format!("no times: {text}"))?.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: u64) -> Outcome {
        run(&mut command(Path::new("sh"), ["-c", script]), Duration::from_millis(limit)).unwrap()
    }

    #[test]
    fn ends_are_told_apart() {
        let outcome = sh("echo out; echo err >&2; exit 3", 10_000);
        assert_eq!((outcome.end, &*outcome.output, &*outcome.errors), (End::Exit(3), &b"out\n"[..], "err\n"));
        assert_eq!(sh("kill -4 $$", 10_000).end, End::Signal(4));
        assert_eq!(sh("exec sleep 100", 50).end, End::TimeLimit);
        assert!(run(&mut Command::new("/no/such/program"), Duration::from_secs(1)).is_err());
    }

    #[test]
    fn jobs_give_results_in_order() {
        assert_eq!(for_each(100, 4, |n| Ok(n * n)).unwrap(), (0..100).map(|n| n * n).collect::<Vec<_>>());
        assert!(for_each(100, 4, |n| if n == 50 { anyhow::bail!("no") } else { Ok(n) }).is_err());
    }

    fn outcome(code: i32, output: &str) -> Outcome {
        Outcome { end: End::Exit(code), output: output.into(), errors: String::new() }
    }

    #[test]
    fn differences_name_the_line() {
        assert_eq!(difference(&outcome(0, "a\nb\n"), &outcome(0, "a\nb\n")), None);
        let text = difference(&outcome(0, "a\nb\n"), &outcome(0, "a\nc\n"));
        assert_eq!(text.as_deref(), Some("line 2: c instead of b"));
        let text = difference(&outcome(0, "a\nb\n"), &outcome(0, "a\n"));
        assert_eq!(text.as_deref(), Some("line 2: the end instead of b"));
        assert!(difference(&outcome(0, "a\n"), &outcome(0, "a")).is_some());
        assert!(
            difference(&outcome(0, ""), &outcome(1, "")).is_some_and(|text| text.starts_with("exit code 1"))
        );
    }
}
