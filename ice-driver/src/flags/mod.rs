//! The command line: what it asks for, understood by the [table] of commands and flags.

pub mod table;

pub use table::{Command, CommandRow, Flag, FlagRow, Offers, commands, flags};

use crate::machine::{Arch, Features, with_switch};
#[cfg(feature = "text")]
use crate::options::Commentary;
use crate::options::{
    DebugInfo, Emit, FunctionSelector, OptLevel, RelocationModel, Sections, Stats, ThreadStorage, Timing,
};
use crate::recipe::Step;
use core::fmt;
use ice_codegen::Confinement;
use ice_codegen::diversity::{Diversity, Kind, Kinds};
use ice_ir::native::UnwindTables;
use lexopt::Arg;
use std::ffi::{OsStr, OsString};
#[cfg(feature = "llvm")]
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use table::bit;

/// A command line that asks for work.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What to do.
    pub command: Command,
    /// `-O`, if given.
    pub level: Option<OptLevel>,
    /// `--target`, or the host.
    pub arch: Option<Arch>,
    /// `--emit`.
    pub emit: Emit,
    /// `--verbose`.
    #[cfg(feature = "text")]
    pub commentary: Commentary,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// `--threads`, or the processors.
    pub threads: Option<usize>,
    /// `--linker`.
    pub linker: Option<String>,
    /// `--function`.
    pub function: Option<FunctionSelector>,
    /// `--relocation-model`.
    pub relocation: RelocationModel,
    /// `--function-sections` and `--data-sections`.
    pub sections: Sections,
    /// `--emulated-tls`.
    pub thread_storage: ThreadStorage,
    /// `--strip-debug`.
    pub debug_info: DebugInfo,
    /// `--unwind-tables`.
    pub unwind: Option<UnwindTables>,
    /// `--sandbox`.
    pub confinement: Confinement,
    /// `--diversify`.
    pub seed: Option<u64>,
    /// `--diversify-kinds`.
    pub kinds: Option<Kinds>,
    /// What a triple given as `--target` says of features.
    pub features: Features,
    /// `--mattr`, one value after the other.
    pub switches: Vec<String>,
    /// `--print-after`.
    pub print_after: Vec<Step>,
    /// `--disable-pass`.
    pub disabled: Vec<Step>,
    /// `--confine`.
    pub isolation: Isolation,
    /// `--trust`.
    pub trust: Trust,
    /// `--stats`.
    pub stats: Stats,
    /// `--time-passes`.
    pub timing: Timing,
    /// The input, as typed.
    pub input: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// All of it as typed, if the caller wants to know.
    pub command_line: Vec<OsString>,
}

impl Invocation {
    /// What is left to chance.
    pub fn diversity(&self) -> Diversity {
        match self.seed {
            None => Diversity::NONE,
            Some(seed) => Diversity { seed, kinds: self.kinds.unwrap_or(Kinds::ALL) },
        }
    }
}

/// Where input is translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// In this process.
    None,
    /// In a process that has given up everything but input and output.
    Process,
}

/// How far a program that is run is trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// It gets what the interfaces need that are open to it.
    None,
    /// It keeps every right of its user.
    Full,
    /// It is a native program, which nothing confines.
    Own,
}

/// What a command line asks for.
#[derive(Clone, Debug)]
pub enum Request {
    /// Work.
    Work(Box<Invocation>),
    /// Text about `ice` itself.
    Text(String),
}

/// Why a command line is not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsageError(pub String);

/// A flag of Ice's own among those of a compiler or linker, `--ice-NAME` or `--ice-NAME=VALUE`: its name and its value.
#[cfg(feature = "llvm")]
pub(crate) fn own_flag(argument: &OsStr) -> Option<(&[u8], Option<&[u8]>)> {
    let own = argument.as_bytes().strip_prefix(b"--ice-")?;
    let at = own.iter().position(|&byte| byte == b'=').unwrap_or(own.len());
    Some((&own[..at], own.get(at + 1..)))
}

/// The error for a flag that begins like Ice's own and is none of this command, which has some.
#[cfg(feature = "llvm")]
pub(crate) fn no_own_flag(command: Command, argument: &OsStr) -> UsageError {
    let names = command.flags().filter_map(|row| row.long);
    let names: Vec<_> = names.map(|long| format!("--{long}")).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let given = argument.to_string_lossy();
    UsageError(format!("'{given}' is no flag; there {are} {}", names.join(", ")))
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

impl From<lexopt::Error> for UsageError {
    fn from(error: lexopt::Error) -> UsageError {
        UsageError(error.to_string())
    }
}

fn usage(message: impl Into<String>) -> UsageError {
    UsageError(message.into())
}

/// Most threads accepted.
const MAX_THREADS: usize = 1024;

/// Understands a command line, without the program's name.
///
/// # Errors
/// Unknown commands and flags, missing or bad values.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, UsageError> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut command = None;
    let mut work = Invocation {
        command: Command::Translate,
        level: None,
        arch: None,
        emit: Emit::Object,
        #[cfg(feature = "text")]
        commentary: Commentary::Off,
        output: None,
        threads: None,
        linker: None,
        function: None,
        relocation: RelocationModel::PositionIndependent,
        sections: Sections::default(),
        thread_storage: ThreadStorage::System,
        debug_info: DebugInfo::Keep,
        unwind: None,
        confinement: Confinement::None,
        seed: None,
        kinds: None,
        features: Features::default(),
        switches: Vec::new(),
        print_after: Vec::new(),
        disabled: Vec::new(),
        isolation: Isolation::None,
        trust: Trust::None,
        stats: Stats::Off,
        timing: Timing::Off,
        input: PathBuf::new(),
        arguments: Vec::new(),
        command_line: Vec::new(),
    };
    let mut input = None;
    while let Some(arg) = parser.next()? {
        let row = match arg {
            Arg::Value(name) if command.is_none() && name == "help" => {
                let topic = parser.next()?;
                let Some(Arg::Value(topic)) = topic else { return Ok(Request::Text(crate::help::help())) };
                return Ok(Request::Text(crate::help::command_help(find_command(&topic)?)));
            }
            Arg::Value(name) if command.is_none() => {
                work.command = find_command(&name)?;
                if work.command.is_compiler() {
                    work.arguments = parser.raw_args()?.collect();
                    return Ok(Request::Work(Box::new(work)));
                }
                command = Some(work.command);
                continue;
            }
            Arg::Value(value) if input.is_none() => {
                input = Some(value);
                if command.is_some_and(Command::passes_arguments) {
                    work.arguments = parser.raw_args()?.collect();
                    break;
                }
                continue;
            }
            Arg::Value(value) => {
                return Err(usage(format!("unexpected argument '{}'", value.to_string_lossy())));
            }
            Arg::Short(c) => flags().find(|row| row.short == Some(c)).ok_or(arg),
            Arg::Long(long) => flags().find(|row| row.long == Some(long)).ok_or(arg),
        };
        let row = row.map_err(|arg| UsageError(arg.unexpected().to_string()))?;
        match command {
            Some(command) if row.commands & bit(command) == 0 => {
                let name = command.row().name;
                return Err(usage(format!("'{}' is not a flag of '{name}'", spelling(row))));
            }
            None if row.commands != 0 && row.flag != Flag::Help => {
                return Err(usage(format!("the command comes before '{}'", spelling(row))));
            }
            _ => {}
        }
        let value = match row.value {
            Some(_) => Some(parser.value()?),
            None => None,
        };
        if let Some(text) = apply(row, value, command, &mut work)? {
            return Ok(Request::Text(text));
        }
    }
    work.command = command.ok_or_else(|| usage("a command is missing"))?;
    work.input = input.ok_or_else(|| usage("the input file is missing"))?.into();
    let writes_object = work.command == Command::Translate && work.emit == Emit::Object;
    if work.output.is_none() && (work.command.needs_output() || writes_object) {
        return Err(usage("the output file is missing (-o)"));
    }
    if work.kinds.is_some() && work.seed.is_none() {
        return Err(usage("'--diversify-kinds' is for '--diversify'"));
    }
    #[cfg(feature = "text")]
    if work.commentary == Commentary::On && work.emit != Emit::Assembly {
        return Err(usage("'--verbose' is for '--emit asm'"));
    }
    Ok(Request::Work(Box::new(work)))
}

fn find_command(name: &OsStr) -> Result<Command, UsageError> {
    let row = commands().find(|row| name == row.name);
    row.map(|row| row.command).ok_or_else(|| {
        let names: Vec<_> = commands().map(|row| row.name).collect();
        usage(format!("unknown command '{}'; there are {}", name.to_string_lossy(), names.join(", ")))
    })
}

/// A flag as it is typed.
pub fn spelling(row: &FlagRow) -> String {
    match (row.short, row.long) {
        (_, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => String::new(),
    }
}

/// Enters one flag; gives the text if it asks for one.
fn apply(
    row: &FlagRow,
    value: Option<OsString>,
    command: Option<Command>,
    work: &mut Invocation,
) -> Result<Option<String>, UsageError> {
    let os_value = value.unwrap_or_default();
    let value = os_value.to_string_lossy();
    let bad = || {
        let right = match &*row.offers.values() {
            [] if row.flag == Flag::Threads => format!("; a number from 0 to {MAX_THREADS} is"),
            [] if row.flag == Flag::Diversify => format!("; a number from 0 to {} is", u64::MAX),
            [] => String::new(),
            offers => format!("; there are {}", offers.join(", ")),
        };
        usage(format!("'{value}' is no {} for '{}'{right}", row.value.unwrap_or("value"), spelling(row)))
    };
    match row.flag {
        Flag::Level => work.level = Some(OptLevel::parse(&value).ok_or_else(bad)?),
        Flag::Target => {
            let arch = Arch::parse(&value).map_err(|error| usage(error.to_string()))?;
            work.arch = Some(arch);
            work.features = arch.machine().features_of_triple(&value);
        }
        Flag::Features => {
            for feature in value.split(',') {
                let is_known =
                    |arch: Arch| with_switch(arch.machine().switches(), work.features, feature).is_some();
                if !Arch::built_in().any(is_known) {
                    return Err(bad());
                }
                work.switches.push(feature.to_owned());
            }
        }
        #[cfg(feature = "text")]
        Flag::Emit => {
            work.emit = match &*value {
                "obj" => Emit::Object,
                "ir" => Emit::Ir,
                "mir" => Emit::Mir,
                "asm" => Emit::Assembly,
                _ => return Err(bad()),
            }
        }
        #[cfg(feature = "text")]
        Flag::Verbose => work.commentary = Commentary::On,
        Flag::Output => work.output = Some(PathBuf::from(os_value)),
        Flag::Threads => {
            let threads = value.parse().ok().filter(|&threads: &usize| threads <= MAX_THREADS);
            work.threads = Some(threads.ok_or_else(bad)?);
        }
        Flag::Linker => work.linker = Some(os_value.to_str().ok_or_else(bad)?.to_owned()),
        Flag::Unwind => {
            work.unwind = Some(match &*value {
                "none" => UnwindTables::None,
                "sync" => UnwindTables::Sync,
                "async" => UnwindTables::Async,
                _ => return Err(bad()),
            });
        }
        Flag::Relocation => {
            work.relocation = match &*value {
                "pic" => RelocationModel::PositionIndependent,
                "static" => RelocationModel::Static,
                _ => return Err(bad()),
            }
        }
        Flag::FunctionSections => work.sections.functions = true,
        Flag::DataSections => work.sections.data = true,
        Flag::EmulatedThreads => work.thread_storage = ThreadStorage::Emulated,
        Flag::StripDebug => work.debug_info = DebugInfo::Strip,
        // Among the arguments of a compiler, which are not looked at here.
        Flag::Clang | Flag::Fallback | Flag::RealLinker => return Err(bad()),
        Flag::Function => work.function = Some(FunctionSelector::parse(&value)),
        #[cfg(feature = "text")]
        Flag::PrintAfter if value == "all" => work.print_after = Step::ALL.to_vec(),
        #[cfg(feature = "text")]
        Flag::PrintAfter => work.print_after.push(Step::parse(&value).ok_or_else(bad)?),
        #[cfg(not(feature = "text"))]
        Flag::Emit | Flag::Verbose | Flag::PrintAfter => return Err(bad()),
        Flag::DisablePass => {
            let step = Step::parse(&value).filter(|step| step.is_optional());
            work.disabled.push(step.ok_or_else(bad)?);
        }
        Flag::Sandbox => work.confinement = Confinement::Sandbox,
        Flag::Diversify => work.seed = Some(value.parse().map_err(|_| bad())?),
        Flag::DiversifyKinds => {
            let kinds = value.split(',').map(|name| Kind::ALL.into_iter().find(|kind| kind.name() == name));
            let kinds = kinds.collect::<Option<Vec<_>>>().ok_or_else(bad)?;
            work.kinds = Some(kinds.into_iter().fold(Kinds::NONE, Kinds::with));
        }
        Flag::Confine => work.isolation = Isolation::Process,
        Flag::Trust => work.trust = Trust::Full,
        Flag::Stats => work.stats = Stats::On,
        Flag::TimePasses => work.timing = Timing::On,
        Flag::Help => {
            return Ok(Some(match command {
                Some(command) => crate::help::command_help(command),
                None => crate::help::help(),
            }));
        }
        Flag::Version => return Ok(Some(format!("ice {}\n", env!("CARGO_PKG_VERSION")))),
        Flag::Man => return Ok(Some(crate::help::man_page())),
        Flag::Completions => return Ok(Some(crate::help::completions(&value).ok_or_else(bad)?)),
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::table::{COMMANDS, FLAGS};
    use super::*;

    fn parse_line(line: &str) -> Result<Request, UsageError> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn work(line: &str) -> Invocation {
        match parse_line(line) {
            Ok(Request::Work(work)) => *work,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn refused(line: &str) -> String {
        parse_line(line).expect_err(line).0
    }

    #[test]
    fn the_forms_of_the_manual() {
        let w = work("translate -O2 --target i686 --threads 4 --emit asm a.pexe -o a.s");
        assert_eq!(
            (w.command, w.level, w.arch),
            (Command::Translate, Some(OptLevel::O2), Some(Arch::X86_32))
        );
        assert_eq!((w.threads, w.emit), (Some(4), Emit::Assembly));
        assert_eq!((w.input.to_str(), w.output), (Some("a.pexe"), Some("a.s".into())));
        assert_eq!(work("build -Om1 a.pexe -oa").level, Some(OptLevel::Om1));
        let features = Arch::Arm32.machine().features_of_triple("arm-linux-gnueabi");
        let w = work("translate --target arm-linux-gnueabi --mattr=+hwdiv a.bc -o a.o");
        assert_eq!((w.switches, w.features), (vec!["+hwdiv".to_owned()], features));
        let w = work("translate --print-after lower --print-after emit --function=f3 --stats - -o -");
        assert_eq!(w.print_after, [Step::Lower, Step::Emit]);
        assert_eq!((w.function, w.stats), (Some(FunctionSelector::Name("f3".into())), Stats::On));
        assert_eq!(work("dump a.pexe").output, None);
        assert_eq!(work("translate --emit ir a.pexe").output, None);
        assert_eq!(work("translate --emit asm --verbose a.pexe").commentary, Commentary::On);
        assert_eq!(refused("translate --verbose a.pexe -o a.o"), "'--verbose' is for '--emit asm'");
    }

    #[test]
    fn all_after_the_input_is_the_programs() {
        for command in ["run", "interpret"] {
            let w = work(&format!("{command} a.pexe -O2 -- --help -o x b"));
            assert_eq!(w.arguments, ["-O2", "--", "--help", "-o", "x", "b"]);
            assert_eq!((w.level, w.output), (None, None));
        }
        assert_eq!(work("run -- -odd.pexe -h").input, PathBuf::from("-odd.pexe"));
        assert_eq!(work("run - 1 2").arguments, ["1", "2"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(refused(""), "a command is missing");
        assert!(
            refused("frobnicate x")
                .starts_with("unknown command 'frobnicate'; there are translate, build, run")
        );
        assert!(refused("help frobnicate").starts_with("unknown command"));
        assert_eq!(refused("translate"), "the input file is missing");
        assert_eq!(refused("translate a.pexe"), "the output file is missing (-o)");
        assert_eq!(refused("dump a b"), "unexpected argument 'b'");
        assert_eq!(refused("dump -O2 a"), "'-O' is not a flag of 'dump'");
        assert_eq!(refused("translate -O9 a -o b"), "'9' is no LEVEL for '-O'; there are 0, 1, 2, m1");
        assert_eq!(
            refused("translate --mattr=+sse9 a -o b"),
            "'+sse9' is no FEATURES for '--mattr'; there are +hwdiv, -hwdiv"
        );
        assert_eq!(
            refused("translate --threads x a -o b"),
            "'x' is no N for '--threads'; a number from 0 to 1024 is"
        );
        assert!(refused("translate --threads 99999 a -o b").starts_with("'99999' is no N for '--threads'; "));
        let refusal = refused("translate --disable-pass emit a -o b");
        assert!(
            refusal.starts_with("'emit' is no STEP for '--disable-pass'; there are repeats, return-calls")
        );
        assert_eq!(
            refused("translate --emit exe a -o b"),
            "'exe' is no KIND for '--emit'; there are obj, ir, mir, asm"
        );
        assert!(refused("translate --target vax a -o b").starts_with("unknown target 'vax'"));
        assert_eq!(refused("--threads 3 translate a"), "the command comes before '--threads'");
        assert_eq!(
            refused("--completions csh"),
            "'csh' is no SHELL for '--completions'; there are bash, zsh, fish"
        );
        for line in
            ["--frob", "translate --frob a -o b", "translate a -o", "translate --stats=3 a -o b", "-Q"]
        {
            assert!(!refused(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn the_table_is_consistent() {
        for (index, row) in COMMANDS.iter().enumerate() {
            assert_eq!(row.command as usize, index);
        }
        for (i, a) in FLAGS.iter().enumerate() {
            assert!(!spelling(a).is_empty());
            for b in &FLAGS[i + 1..] {
                assert!(a.flag != b.flag && (a.short.is_none() || a.short != b.short));
                assert!(a.long.is_none() || a.long != b.long);
            }
        }
        for target in Offers::Targets.values() {
            assert!(Arch::parse(target).is_ok_and(|arch| arch.machine().is_built_in()), "{target}");
        }
    }
}
