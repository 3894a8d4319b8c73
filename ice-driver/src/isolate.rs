//! Translation in a process that has given up everything but its input and its output.
//!
//! Giving up rights cannot be undone, and behind the translation an output gets its name or a linker is
//! started. So this process opens input and output and starts this program once more, with the input as the
//! standard input and the output as the standard output. The child puts the filter on
//! ([`confine::translator`]) before it looks at a byte of the input, translates, and reports to the user itself. What it
//! needs of the outside, the number of processors, it asks before.
//!
//! The child's command line is that of its parent behind [`CHILD`] and three arguments: the bytes of the
//! input that its parent has read to tell its form, its length, and how the output can be written.

use crate::cli::Failure;
use crate::confine;
use crate::files::{Input, Output};
use signal_hook::consts::{SIGPIPE, SIGSYS};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};

/// The first argument of a process that translates for its parent.
pub const CHILD: &str = "--translate-confined";

/// This program, whatever has become of its file.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// Starts the confined process and waits for it. The output then holds the translation and has no name yet.
///
/// # Errors
/// The child has reported a failure, was stopped, or cannot be started.
pub fn translate(command_line: &[OsString], input: Input, output: &mut Output) -> Result<(), Failure> {
    let start: String = input.start().iter().map(|byte| format!("{byte:02x}")).collect();
    let length = input.length().map_or_else(|| "-".to_owned(), |length| length.to_string());
    let kind = if output.is_file() { FILE } else { STREAM };
    let stdout = output.for_child().map_err(Failure::trouble)?;
    let status = Command::new(OWN_PROGRAM)
        .arg0("ice")
        .args([CHILD, &start, &length, kind])
        .args(command_line)
        .stdin(Stdio::from(input.into_file()))
        .stdout(stdout)
        .status()
        .map_err(|error| {
            Failure::trouble(format_args!("a confined translator cannot be started: {error}"))
        })?;
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => Err(Failure::reported(u8::try_from(code).unwrap_or(u8::MAX))),
        (None, Some(SIGPIPE)) => Err(Failure::closed_pipe()),
        (None, Some(SIGSYS)) => {
            Err(Failure::trouble("the translator made a system call that is not open to it, and is stopped"))
        }
        (None, signal) => {
            Err(Failure::trouble(format_args!("the translator was ended by signal {}", signal.unwrap_or(0))))
        }
    }
}

const FILE: &str = "file";
const STREAM: &str = "stream";

/// What a child was given.
pub struct Child {
    /// The rest of its command line: that of its parent.
    pub command_line: Vec<OsString>,
    /// The input, as far as its parent has read it.
    pub input: Input,
    /// The output.
    pub output: Output,
}

impl Child {
    /// Understands the command line of a child, without the program's name; `None` if it is none.
    pub fn of(arguments: &[OsString]) -> Option<Child> {
        let [first, start, length, kind, command_line @ ..] = arguments else { return None };
        if first != CHILD {
            return None;
        }
        let digits = start.to_str()?;
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let start: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        let length = length.to_str().and_then(|length| length.parse().ok());
        let input = Input::resume(start?, length).ok()?;
        let output = Output::inherited(kind == OsStr::new(FILE)).ok()?;
        Some(Child { command_line: command_line.to_vec(), input, output })
    }
}

/// Gives up everything that translation does not need. A system that cannot do it is warned of.
pub fn confine() {
    if let Err(error) = confine::translator() {
        let _ = writeln!(io::stderr(), "ice: warning: the translator keeps the rights of its user: {error}");
    }
}
