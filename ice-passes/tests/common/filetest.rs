//! Tests that are files: each is a program with what must come of it.
//!
//! ```text
//! ; test: licm                  what is done, in the words of the runner
//! define external @f() -> void { …
//! ; expect:
//! ; what came out, each line behind a semicolon
//! ```
//!
//! With `ICE_BLESS=1` the lines after `; expect:` are rewritten to what came out; look at the difference before you
//! keep it.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};

const EXPECT: &str = "; expect:\n";

/// What is done with a file, given the words behind `; test: ` and the program.
pub type Perform = fn(&str, &str) -> Result<String, Failed>;

/// Runs every file of each directory, which is in `tests`, as a test of its name.
pub fn run_all(directories: &[(&str, Perform)]) -> ! {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for &(directory, perform) in directories {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(directory);
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        trials.extend(files.into_iter().map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Trial::test(name, move || run(&path, perform))
        }));
    }
    libtest_mimic::run(&arguments, trials).exit()
}

fn run(path: &Path, perform: Perform) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let (input, expected) = text.split_once(EXPECT).unwrap_or((&text, ""));
    let test = input.lines().find_map(|line| line.strip_prefix("; test: ")).ok_or("no '; test:' line")?;
    let output = perform(test, input)?;
    let output: String =
        output.lines().map(|line| format!("; {line}").trim_end().to_owned() + "\n").collect();
    if output == expected {
        return Ok(());
    }
    if std::env::var_os("ICE_BLESS").is_some() {
        return Ok(std::fs::write(path, format!("{input}{EXPECT}{output}"))?);
    }
    Err(format!("ICE_BLESS=1 accepts this other output:\n{output}").into())
}
