//! The table of commands and flags, from which parsing, help, manual page and shell completions are made.

use crate::machine::{Arch, Switch};
use crate::recipe::Step;
use ice_codegen::diversity::Kind;

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Command {
    /// Bitcode to an object.
    Translate,
    /// Bitcode to an executable.
    Build,
    /// Build and execute.
    Run,
    /// Execute without translating.
    Interpret,
    /// Judge confined code.
    Validate,
    /// Print blocks and records.
    Dump,
    /// Check.
    Verify,
    /// Bitcode to text.
    Print,
    /// Text to bitcode.
    Freeze,
    /// Compile C as `cc` does.
    Cc,
    /// Compile C++ as `c++` does.
    Cxx,
    /// Link as `cc` does.
    Ld,
}

/// One command of the table.
pub struct CommandRow {
    /// The command.
    pub command: Command,
    /// As written.
    pub name: &'static str,
    /// Its operands.
    pub operands: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
}

/// One flag of the table.
pub struct FlagRow {
    /// The flag.
    pub flag: Flag,
    /// `-x`.
    pub short: Option<char>,
    /// `--long`.
    pub long: Option<&'static str>,
    /// The name of its value, if it takes one.
    pub value: Option<&'static str>,
    /// Commands that take it, as bits; 0 for a flag that stands alone.
    pub commands: u16,
    /// What it does, in a line.
    pub help: &'static str,
    /// Values that a shell may offer.
    pub offers: Offers,
}

/// A flag, to be matched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the table says what each does")]
pub enum Flag {
    Level,
    Target,
    Output,
    Emit,
    Verbose,
    Threads,
    Linker,
    Function,
    Relocation,
    FunctionSections,
    DataSections,
    EmulatedThreads,
    StripDebug,
    Unwind,
    Features,
    Sandbox,
    Diversify,
    DiversifyKinds,
    PrintAfter,
    DisablePass,
    Confine,
    Trust,
    Stats,
    TimePasses,
    Clang,
    Fallback,
    RealLinker,
    Help,
    Version,
    Man,
    Completions,
}

pub(super) const fn bit(command: Command) -> u16 {
    1 << command as u16
}

const T: u16 = bit(Command::Translate);
const B: u16 = bit(Command::Build);
const R: u16 = bit(Command::Run);
const I: u16 = bit(Command::Interpret);
const J: u16 = bit(Command::Validate);
const D: u16 = bit(Command::Dump);
const V: u16 = bit(Command::Verify);
const P: u16 = bit(Command::Print);
const F: u16 = bit(Command::Freeze);
const L: u16 = bit(Command::Ld);
/// Those that take the command lines of a compiler.
const C: u16 = bit(Command::Cc) | bit(Command::Cxx);

const fn command(
    command: Command,
    name: &'static str,
    operands: &'static str,
    help: &'static str,
) -> CommandRow {
    CommandRow { command, name, operands, help }
}

/// Every command, also those that this build has not.
#[rustfmt::skip]
pub const COMMANDS: &[CommandRow] = &[
    command(Command::Translate, "translate", "IN -o OUT",     "translate a program to an object file"),
    command(Command::Build,     "build",     "IN -o EXE",     "translate a program and link it: a .pexe with the runtime, a .bc as cc does"),
    command(Command::Run,       "run",       "IN [ARGS...]",  "translate a program and run it; ARGS are the program's"),
    command(Command::Interpret, "interpret", "IN [ARGS...]",  "run a PNaCl program (.pexe or .ice) in the reference interpreter"),
    command(Command::Validate,  "validate",  "FILE.nexe",     "judge whether an executable keeps the rules of the Native Client sandbox"),
    command(Command::Dump,      "dump",      "IN [-o OUT]",   "list the blocks and records of bitcode (.pexe or .bc)"),
    command(Command::Verify,    "verify",    "IN",            "check a program; print nothing if it is well-formed"),
    command(Command::Print,     "print",     "IN [-o OUT]",   "print a program in the text form (.ice)"),
    command(Command::Freeze,    "freeze",    "IN -o OUT",     "write a program as bitcode (.pexe)"),
    command(Command::Cc,        "cc",        "ARGS...",       "compile C as cc does: clang makes bitcode, Ice the code"),
    command(Command::Cxx,       "c++",       "ARGS...",       "compile C++ as c++ does: clang makes bitcode, Ice the code"),
    command(Command::Ld,        "ld",        "ARGS...",       "link as cc does: Ice makes objects of bitcode among the inputs"),
];

const fn row(
    flag: Flag,
    short: Option<char>,
    long: Option<&'static str>,
    value: Option<&'static str>,
    commands: u16,
    offers: Offers,
    help: &'static str,
) -> FlagRow {
    FlagRow { flag, short, long, value, commands, help, offers }
}

/// Values that a flag takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offers {
    /// No list.
    None,
    /// These.
    These(&'static [&'static str]),
    /// The machines that are built in.
    Targets,
    /// Their features.
    Features,
    /// All steps of translation.
    Steps,
    /// The steps that can be left out.
    OptionalSteps,
    /// What may be left to chance.
    Kinds,
}

impl Offers {
    /// The values one by one.
    pub fn values(self) -> Vec<&'static str> {
        let steps = || Step::ALL.into_iter();
        match self {
            Offers::None => Vec::new(),
            Offers::These(values) => values.to_vec(),
            Offers::Targets => Arch::built_in().map(Arch::name).collect(),
            Offers::Features => switches().flat_map(|switch| switch.offers).collect(),
            Offers::Steps => steps().map(Step::name).chain(["all"]).collect(),
            Offers::Kinds => Kind::ALL.map(Kind::name).to_vec(),
            Offers::OptionalSteps => steps().filter(|step| step.is_optional()).map(Step::name).collect(),
        }
    }
}

/// The features of all machines that are built in.
pub fn switches() -> impl Iterator<Item = &'static Switch> {
    Arch::built_in().flat_map(|arch| arch.machine().switches())
}

/// Every flag, also those that this build has not.
#[rustfmt::skip]
pub const FLAGS: &[FlagRow] = &[
    row(Flag::Level,        Some('O'), None,                     Some("LEVEL"),    T|B|R,           Offers::These(&["0", "1", "2", "m1"]),          "m1 and 0: fast translation; 2 and 1: fast code; m1 if not given"),
    row(Flag::Target,       None,      Some("target"),           Some("TARGET"),   T|B|R,           Offers::Targets,                                "machine: a name, or a triple of one; the host if not given"),
    row(Flag::Emit,         None,      Some("emit"),             Some("KIND"),     T,               Offers::These(&["obj", "ir", "mir", "asm"]),    "what to write: obj, ir, mir or asm; obj if not given"),
    row(Flag::Verbose,      None,      Some("verbose"),          None,             T,               Offers::None,                                   "with --emit asm: comments say what code is for and what is live"),
    row(Flag::Unwind,       None,      Some("unwind-tables"),    Some("WHERE"),    T | B | R,       Offers::These(&["none", "sync", "async"]),      "none, sync (at calls) or async (everywhere); else as functions say"),
    row(Flag::Relocation,   None,      Some("relocation-model"), Some("MODEL"),    T,               Offers::These(&["pic", "static"]),              "how native programs reach symbols: pic or static; pic if not given"),
    row(Flag::FunctionSections, None,  Some("function-sections"), None,            T,               Offers::None,                                   "each function of a native program has a section of its own"),
    row(Flag::DataSections, None,      Some("data-sections"),    None,             T,               Offers::None,                                   "each variable of a native program has a section of its own"),
    row(Flag::EmulatedThreads, None,   Some("emulated-tls"),     None,             T|B|R,           Offers::None,                                   "a library keeps the thread-local variables: calls of __emutls_get_address"),
    row(Flag::StripDebug,   None,      Some("strip-debug"),      None,             T|B|R,           Offers::None,                                   "leave out where the code is in the source, which the input may say"),
    row(Flag::Features,     None,      Some("mattr"),            Some("FEATURES"), T|B|R,           Offers::Features,                               "features of the processor, each with + or -, separated by commas"),
    row(Flag::Sandbox,      None,      Some("sandbox"),          None,             T|B|R,           Offers::None,                                   "confine the code: a validator can tell that it keeps to its own memory"),
    row(Flag::Diversify,    None,      Some("diversify"),        Some("SEED"),     T|B|R,           Offers::None,                                   "let chance decide what may be otherwise; another number gives other code"),
    row(Flag::DiversifyKinds, None,    Some("diversify-kinds"),  Some("KINDS"),    T|B|R,           Offers::Kinds,                                  "with --diversify: what chance decides, separated by commas; all if not given"),
    row(Flag::Output,       Some('o'), Some("output"),           Some("OUT"),      T|B|D|P|F,       Offers::None,                                   "output file; - is the standard output"),
    row(Flag::Threads,      None,      Some("threads"),          Some("N"),        T|B|R,           Offers::None,                                   "threads that translate; by default the processors, fewer for little; 0, 1: one"),
    row(Flag::Linker,       None,      Some("linker"),           Some("CC"),       B|R,             Offers::None,                                   "C compiler to compile the runtime and to link with"),
    row(Flag::Function,     None,      Some("function"),         Some("NAME|N"),   T,               Offers::None,                                   "translate only the function of this name or number"),
    row(Flag::PrintAfter,   None,      Some("print-after"),      Some("STEP|all"), T|B|R,           Offers::Steps,                                  "print every function after this step to the error output"),
    row(Flag::DisablePass,  None,      Some("disable-pass"),     Some("STEP"),     T|B|R,           Offers::OptionalSteps,                          "leave this step out where the recipe has it"),
    row(Flag::Confine,      None,      Some("confine"),          None,             T,               Offers::None,                                   "translate in a process that can only read IN and write OUT; run always does"),
    row(Flag::Trust,        None,      Some("trust"),            None,             R,               Offers::None,                                   "let a PNaCl program do all that its user may do; else it is confined"),
    row(Flag::Stats,        None,      Some("stats"),            None,             T|B|R,           Offers::None,                                   "print counts to the error output"),
    row(Flag::TimePasses,   None,      Some("time-passes"),      None,             T|B|R,           Offers::None,                                   "print the time of each step to the error output"),
    row(Flag::Clang,        None,      Some("ice-clang"),        Some("PROGRAM"),  C,               Offers::None,                                   "the clang that makes bitcode (--ice-clang=PROGRAM), 14 to 22"),
    row(Flag::Fallback,     None,      Some("ice-fallback"),     None,             C,               Offers::None,                                   "what Ice refuses is compiled by clang, with a line that says so"),
    row(Flag::RealLinker,   None,      Some("ice-linker"),       Some("PROGRAM"),  L,               Offers::None,                                   "the linker, or the compiler that links (--ice-linker=PROGRAM); cc if not given"),
    row(Flag::Help,         Some('h'), Some("help"),             None,             T|B|R|I|J|D|V|P|F, Offers::None,                                   "print this help"),
    row(Flag::Version,      Some('V'), Some("version"),          None,             0,               Offers::None,                                   "print the version"),
    row(Flag::Man,          None,      Some("man"),              None,             0,               Offers::None,                                   "print the manual page"),
    row(Flag::Completions,  None,      Some("completions"),      Some("SHELL"),    0,               Offers::These(&["bash", "zsh", "fish"]),        "print completions for bash, zsh or fish"),
];

/// The commands of this build.
pub fn commands() -> impl Iterator<Item = &'static CommandRow> {
    COMMANDS.iter().filter(|row| row.command.is_built_in())
}

/// The flags of this build.
pub fn flags() -> impl Iterator<Item = &'static FlagRow> {
    FLAGS.iter().filter(|row| row.flag.is_built_in())
}

impl Flag {
    /// Whether this build has it.
    fn is_built_in(self) -> bool {
        match self {
            Flag::Emit | Flag::Verbose | Flag::PrintAfter => cfg!(feature = "text"),
            Flag::Clang | Flag::Fallback | Flag::RealLinker => cfg!(feature = "llvm"),
            Flag::Features => switches().next().is_some(),
            _ => true,
        }
    }
}

impl Command {
    /// Whether this build has it.
    const fn is_built_in(self) -> bool {
        match self {
            Command::Interpret => cfg!(feature = "interpreter"),
            Command::Dump => cfg!(any(feature = "pexe", feature = "llvm")),
            Command::Print => cfg!(feature = "text"),
            Command::Cc | Command::Cxx | Command::Ld => cfg!(feature = "llvm"),
            Command::Freeze => cfg!(all(feature = "pexe", any(feature = "llvm", feature = "text"))),
            Command::Translate | Command::Build | Command::Run | Command::Validate | Command::Verify => true,
        }
    }

    /// Its row.
    pub fn row(self) -> &'static CommandRow {
        &COMMANDS[self as usize]
    }

    /// The flags it takes.
    pub fn flags(self) -> impl Iterator<Item = &'static FlagRow> {
        flags().filter(move |row| row.commands & bit(self) != 0)
    }

    /// Whether everything after the input belongs to the program.
    pub const fn passes_arguments(self) -> bool {
        matches!(self, Command::Run | Command::Interpret)
    }

    /// Whether everything behind it is for a compiler or a linker.
    pub const fn is_compiler(self) -> bool {
        matches!(self, Command::Cc | Command::Cxx | Command::Ld)
    }

    pub(super) const fn needs_output(self) -> bool {
        matches!(self, Command::Build | Command::Freeze)
    }
}
