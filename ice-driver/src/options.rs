//! What a translation is asked to do.

use crate::machine::{Arch, Bundles, Features};
use crate::recipe::{Recipe, Step};
use ice_codegen::{Confinement, Diversity, NativeModel};
use ice_ir::Module;
use ice_ir::native::{Environment, UnwindTables};

/// Optimisation level as written on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptLevel {
    /// Short translation: the recipe [`Recipe::Om1`].
    Om1,
    /// Means [`OptLevel::Om1`] until it has a recipe of its own.
    O0,
    /// Means [`OptLevel::O2`] until it has a recipe of its own.
    O1,
    /// Fast code: the recipe [`Recipe::O2`].
    O2,
}

impl OptLevel {
    /// The level written after `-O`.
    pub fn parse(text: &str) -> Option<OptLevel> {
        match text {
            "m1" => Some(OptLevel::Om1),
            "0" => Some(OptLevel::O0),
            "1" => Some(OptLevel::O1),
            "2" => Some(OptLevel::O2),
            _ => None,
        }
    }

    /// The recipe that this level means.
    pub fn recipe(self) -> Recipe {
        match self {
            OptLevel::Om1 | OptLevel::O0 => Recipe::Om1,
            OptLevel::O1 | OptLevel::O2 => Recipe::O2,
        }
    }
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emit {
    /// A relocatable ELF object.
    Object,
    /// The intermediate representation that lowering sees, in the text form of `ice-ir`.
    #[cfg(feature = "text")]
    Ir,
    /// Machine instructions over virtual registers.
    #[cfg(feature = "text")]
    Mir,
    /// Text for the GNU assembler and `llvm-mc`, which make the same object from it.
    #[cfg(feature = "text")]
    Assembly,
}

/// What the input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputFormat {
    /// PNaCl bitcode (`.pexe`).
    Bitcode,
    /// LLVM bitcode (`.bc`).
    Llvm,
    /// The text form (`.ice`).
    Text,
}

impl InputFormat {
    /// What users call it.
    pub const fn name(self) -> &'static str {
        match self {
            InputFormat::Bitcode => "PNaCl bitcode",
            InputFormat::Llvm => "LLVM bitcode",
            InputFormat::Text => "the text form",
        }
    }
}

/// Where code and data of native programs may be put. PNaCl programs are always static.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RelocationModel {
    /// Anywhere: for shared libraries and all executables.
    #[default]
    PositionIndependent,
    /// Where the linker says: for executables that are linked with `-no-pie`.
    Static,
}

impl RelocationModel {
    /// That of the code of a module where this one is wanted.
    pub fn of(self, module: &Module) -> RelocationModel {
        match module.environment {
            Environment::Pnacl => RelocationModel::Static,
            Environment::Native => self,
        }
    }

    /// How the code of native programs makes addresses.
    pub const fn native(self) -> NativeModel {
        match self {
            RelocationModel::Static => NativeModel::Static,
            RelocationModel::PositionIndependent => NativeModel::PositionIndependent,
        }
    }
}

/// Who keeps thread-local variables of programs of LLVM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ThreadStorage {
    /// The system, as the ABI of the machine says.
    #[default]
    System,
    /// The compiler's library: `__emutls_get_address`.
    Emulated,
}

/// What has a section of its own in objects of native programs, so that a linker can leave it out alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sections {
    /// Each function.
    pub functions: bool,
    /// Each global variable.
    pub data: bool,
}

/// Whether objects say where their code is in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DebugInfo {
    /// If the input says it.
    #[default]
    Keep,
    /// No.
    Strip,
}

/// One function of a module, as the user names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FunctionSelector {
    /// By its number among all functions of the module, declared ones included.
    Number(u32),
    /// By its name.
    Name(String),
}

impl FunctionSelector {
    /// A decimal number or a name.
    pub fn parse(text: &str) -> FunctionSelector {
        match text.parse() {
            Ok(number) => FunctionSelector::Number(number),
            Err(_) => FunctionSelector::Name(text.to_owned()),
        }
    }
}

/// Whether the time of each step is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timing {
    /// No clock is read.
    #[default]
    Off,
    /// The clock is read around every step of every function.
    On,
}

/// Whether counts are made that take a walk over the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stats {
    /// No.
    #[default]
    Off,
    /// Yes.
    On,
}

/// Whether assembler text says what its lines are for.
#[cfg(feature = "text")]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Commentary {
    /// Nothing but the code.
    #[default]
    Off,
    /// Comments: the instruction of the IR that lines of code are for and the places that end there, and the places that
    /// are live where blocks begin and end.
    On,
}

/// Choices of one translation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Machine to translate for.
    pub arch: Arch,
    /// Optimisation level.
    pub level: OptLevel,
    /// What to write.
    pub emit: Emit,
    /// Whether assembler text has comments.
    #[cfg(feature = "text")]
    pub commentary: Commentary,
    /// What the input is.
    pub format: InputFormat,
    /// Threads that translate, the calling one among them; fewer where there is little to do. 0 and 1: the
    /// calling thread alone.
    pub threads: usize,
    /// Translate only this function.
    pub function: Option<FunctionSelector>,
    /// Steps after which the function is given to [`Options::print`].
    #[cfg(feature = "text")]
    pub print_after: Vec<Step>,
    /// Steps to leave out, of those that [are optional](Step::is_optional).
    pub disabled: Vec<Step>,
    /// Receives what [`Options::print_after`] asks for, function by function in their order.
    #[cfg(feature = "text")]
    pub print: fn(&str),
    /// Whether to take times.
    pub timing: Timing,
    /// Whether to count all that a [`Report`](crate::Report) has.
    pub stats: Stats,
    /// Where native programs may be put.
    pub relocation: RelocationModel,
    /// What has a section of its own.
    pub sections: Sections,
    /// Who keeps thread-local variables.
    pub thread_storage: ThreadStorage,
    /// From where callers are found, in all functions; `None` if each function says it.
    pub unwind: Option<UnwindTables>,
    /// Whether objects and assembler text say where code is in the source.
    pub debug_info: DebugInfo,
    /// What holds of the code whatever the program does.
    pub confinement: Confinement,
    /// What is left to chance.
    pub diversity: Diversity,
    /// Choices among the features of the machine. What is left open follows from the module, if that says it.
    pub features: Features,
}

impl Options {
    /// An object for `arch` from bitcode, at the fastest level, on the calling thread.
    pub fn new(arch: Arch) -> Options {
        Options {
            arch,
            level: OptLevel::Om1,
            emit: Emit::Object,
            #[cfg(feature = "text")]
            commentary: Commentary::Off,
            format: InputFormat::Bitcode,
            threads: 0,
            function: None,
            #[cfg(feature = "text")]
            print_after: Vec::new(),
            disabled: Vec::new(),
            #[cfg(feature = "text")]
            print: |_| {},
            timing: Timing::Off,
            stats: Stats::Off,
            relocation: RelocationModel::PositionIndependent,
            sections: Sections::default(),
            thread_storage: ThreadStorage::System,
            unwind: None,
            debug_info: DebugInfo::Keep,
            confinement: Confinement::None,
            diversity: Diversity::NONE,
            features: Features::default(),
        }
    }

    /// How code lies in bundles, if it is confined.
    pub fn bundles(&self) -> Option<Bundles> {
        self.arch.machine().bundles().filter(|_| self.confinement == Confinement::Sandbox)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_spelling_of_the_command_line() {
        assert_eq!(OptLevel::parse("m1"), Some(OptLevel::Om1));
        assert_eq!(OptLevel::parse("2").map(OptLevel::recipe), Some(Recipe::O2));
        assert_eq!(OptLevel::parse("0").map(OptLevel::recipe), Some(Recipe::Om1));
        assert_eq!(OptLevel::parse("3"), None);
        assert_eq!(OptLevel::parse(""), None);
    }

    #[test]
    fn functions_are_chosen_by_number_or_name() {
        assert_eq!(FunctionSelector::parse("17"), FunctionSelector::Number(17));
        assert_eq!(FunctionSelector::parse("_start"), FunctionSelector::Name("_start".into()));
        assert_eq!(FunctionSelector::parse("-1"), FunctionSelector::Name("-1".into()));
    }
}
