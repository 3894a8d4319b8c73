//! What clang's driver would start for a command line, and which of it Ice does.

use crate::options::{Emit, OptLevel, RelocationModel, Sections, ThreadStorage};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// One program with its arguments, as the driver prints it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The program, then what it is given.
    words: Vec<OsString>,
}

/// The code that a job makes of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The source, `-` for the standard input.
    pub source: PathBuf,
    /// Where the code goes.
    pub output: PathBuf,
    /// Whether it is an object or assembler text.
    pub emit: Emit,
    /// What `-O` means here.
    pub level: OptLevel,
    /// Where the program may be put.
    pub relocation: RelocationModel,
    /// What gets a section of its own.
    pub sections: Sections,
    /// Who keeps thread-local variables.
    pub thread_storage: ThreadStorage,
}

/// What the driver said it would do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// The programs in their order.
    pub jobs: Vec<Job>,
    /// Its errors, warnings and notes, a line each.
    pub diagnostics: Vec<u8>,
}

impl Plan {
    /// Understands what `clang -###` writes to its error output: lines about itself, diagnostics, and for each program
    /// a line that begins with a blank, all words in quotation marks, with a backslash before some of their characters.
    pub fn parse(text: &[u8]) -> Plan {
        let mut plan = Plan::default();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some((job, behind)) = Job::parse(rest) {
                plan.jobs.push(job);
                rest = behind;
                continue;
            }
            let end = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
            let (line, behind) = rest.split_at(end);
            let says = |what: &[u8]| line.windows(what.len()).any(|window| window == what);
            if says(b"error: ") || says(b"warning: ") || says(b"note: ") {
                plan.diagnostics.extend_from_slice(line);
            }
            rest = behind;
        }
        plan
    }
}

impl Job {
    /// The job at the start of `text`, and what is behind its line. A word may have line ends in it.
    fn parse(text: &[u8]) -> Option<(Job, &[u8])> {
        let mut words = Vec::new();
        let mut rest = text;
        while let Some(mut inner) = rest.strip_prefix(b" \"") {
            let mut word = Vec::new();
            loop {
                match inner {
                    [b'\\', byte, behind @ ..] => (word.push(*byte), inner = behind).1,
                    [b'"', behind @ ..] => break rest = behind,
                    [byte, behind @ ..] => (word.push(*byte), inner = behind).1,
                    [] => return None,
                }
            }
            words.push(OsString::from_vec(word));
        }
        let is_whole = !words.is_empty() && (rest.is_empty() || rest[0] == b'\n');
        is_whole.then(|| (Job { words }, rest.get(1..).unwrap_or_default()))
    }

    /// The program.
    pub fn program(&self) -> &OsStr {
        &self.words[0]
    }

    /// What it is given.
    pub fn arguments(&self) -> &[OsString] {
        &self.words[1..]
    }

    fn has(&self, flag: &str) -> bool {
        self.arguments().iter().any(|word| word == flag)
    }

    /// The word behind `flag`.
    fn value(&self, flag: &str) -> Option<&OsStr> {
        let at = self.words.iter().position(|word| word == flag)?;
        self.words.get(at + 1).map(OsString::as_os_str)
    }

    /// The file that it writes, if it says so.
    pub fn output(&self) -> Option<&OsStr> {
        self.value("-o")
    }

    /// Whether it reads one of these files.
    pub fn reads(&self, files: &[&OsStr]) -> bool {
        self.arguments()
            .iter()
            .any(|word| files.contains(&word.as_os_str()) && Some(&**word) != self.output())
    }

    /// The code that it makes of a source, if that is what it is for: clang's front end, asked for an object or for
    /// assembler text.
    pub fn code(&self) -> Option<Code> {
        let is_front_end = self.arguments().first().is_some_and(|word| word == "-cc1");
        let emit = match () {
            () if !is_front_end || self.has("-emit-llvm") => return None,
            () if self.has("-emit-obj") => Emit::Object,
            #[cfg(feature = "text")]
            () if self.has("-S") => Emit::Assembly,
            () => return None,
        };
        let is_static = self.value("-mrelocation-model").is_some_and(|model| model == "static");
        Some(Code {
            source: self.words.last()?.into(),
            output: self.output()?.into(),
            emit,
            level: self.level(),
            relocation: if is_static {
                RelocationModel::Static
            } else {
                RelocationModel::PositionIndependent
            },
            sections: Sections {
                functions: self.has("-ffunction-sections"),
                data: self.has("-fdata-sections"),
            },
            thread_storage: match self.has("-femulated-tls") {
                true => ThreadStorage::Emulated,
                false => ThreadStorage::System,
            },
        })
    }

    /// The level that the last `-O` means, as clang takes it.
    fn level(&self) -> OptLevel {
        let mut levels = self.arguments().iter().filter_map(|word| word.as_bytes().strip_prefix(b"-O"));
        match levels.next_back() {
            None | Some(b"0") => OptLevel::O0,
            Some(b"1" | b"g") => OptLevel::O1,
            Some(_) => OptLevel::O2,
        }
    }

    /// Its arguments, if it is to write bitcode to the standard output in place of code.
    pub fn arguments_for_bitcode(&self) -> impl Iterator<Item = &OsStr> {
        let action = self.arguments().iter().position(|word| word == "-emit-obj" || word == "-S");
        let output = self.arguments().iter().position(|word| word == "-o").map(|at| at + 1);
        self.arguments().iter().enumerate().map(move |(at, word)| match Some(at) {
            at if at == action => OsStr::new("-emit-llvm-bc"),
            at if at == output => OsStr::new("-"),
            _ => word,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &[u8] = br#"clang version 19.1.7
Target: x86_64-pc-linux-gnu
clang: warning: argument unused during compilation: '-pie'
 (in-process)
 "/usr/bin/clang" "-cc1" "-triple" "x86_64" "-emit-obj" "-mrelocation-model" "static" "-D" "T=\"a\\b\$
c\"" "-O0" "-Os" "-ffunction-sections" "-o" "/tmp/a-1.o" "-x" "c" "a b.c"
 "/usr/bin/clang" "-cc1as" "-S" "-o" "b.o" "b.s"
 "/usr/bin/ld" "-o" "a.out" "/tmp/a-1.o" "b.o"
"#;

    fn words(job: &Job) -> Vec<&str> {
        job.arguments().iter().map(|word| word.to_str().unwrap()).collect()
    }

    #[test]
    fn a_plan_is_understood() {
        let plan = Plan::parse(PRINTED);
        assert_eq!(plan.jobs.len(), 3);
        assert_eq!(plan.diagnostics, b"clang: warning: argument unused during compilation: '-pie'\n");
        assert_eq!(plan.jobs[0].program(), "/usr/bin/clang");
        assert_eq!(words(&plan.jobs[0])[6..8], ["-D", "T=\"a\\b$\nc\""]);
        let code = plan.jobs[0].code().unwrap();
        assert_eq!((code.source.to_str(), code.output.to_str()), (Some("a b.c"), Some("/tmp/a-1.o")));
        assert_eq!((code.level, code.emit), (OptLevel::O2, Emit::Object));
        assert_eq!(code.relocation, RelocationModel::Static);
        assert_eq!(code.sections, Sections { functions: true, data: false });
        assert!(plan.jobs[1..].iter().all(|job| job.code().is_none()));
        let bitcode: Vec<_> = plan.jobs[0].arguments_for_bitcode().collect();
        assert_eq!(bitcode[3], "-emit-llvm-bc");
        assert_eq!(bitcode[11..13], ["-o", "-"]);
    }

    #[test]
    fn jobs_know_what_they_read() {
        let plan = Plan::parse(PRINTED);
        assert!(plan.jobs[2].reads(&[OsStr::new("b.o")]));
        assert!(!plan.jobs[2].reads(&[OsStr::new("a.out")]));
    }

    #[test]
    fn what_is_cut_off_is_no_job() {
        assert_eq!(Plan::parse(b" \"ld\" \"-o"), Plan::default());
        assert_eq!(Plan::parse(b""), Plan::default());
        assert_eq!(Plan::parse(b" \"ld\"x\n"), Plan::default());
    }
}
