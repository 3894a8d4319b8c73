//! Targets as clang, llc and the linker know them, and the two kinds of translators of bitcode.
//!
//! Both sides of a comparison must mean the same CPU: clang's plain i686 means the x87, so the 32-bit flags ask
//! for SSE2 arithmetic, and nowhere may a multiplication and an addition be fused.

use crate::process::{self, End};
use crate::workspace::{Profile, Workspace, has_tool, show};
use anyhow::{Context as _, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time that a tool may take.
const TOOL_LIMIT: Duration = Duration::from_secs(600);

/// What code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    X86_64,
    I686,
    Armv7,
    Mipsel,
    Aarch64,
}

impl Target {
    pub const ALL: [Target; 5] =
        [Target::X86_64, Target::I686, Target::Armv7, Target::Mipsel, Target::Aarch64];
    /// Those that are meant where none is named: their programs run here without help.
    const NATIVE: [Target; 2] = [Target::X86_64, Target::I686];

    /// The name that `ice` knows.
    pub fn name(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64",
            Target::I686 => "i686",
            Target::Armv7 => "armv7",
            Target::Mipsel => "mipsel",
            Target::Aarch64 => "aarch64",
        }
    }

    /// The machine of the back end, of which targets may be two forms.
    pub fn back_end(self) -> &'static str {
        match self {
            Target::X86_64 | Target::I686 => "x86",
            Target::Armv7 => "arm32",
            Target::Mipsel => "mips32",
            Target::Aarch64 => "aarch64",
        }
    }

    /// Whether addresses and registers have 64 bits.
    pub fn is_64(self) -> bool {
        matches!(self, Target::X86_64 | Target::Aarch64)
    }

    /// The words before the name of a program that run it.
    pub fn emulator(self) -> &'static [&'static str] {
        match self {
            Target::X86_64 | Target::I686 => &[],
            Target::Armv7 => &["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"],
            Target::Mipsel => &["qemu-mipsel", "-L", "/usr/mipsel-linux-gnu"],
            Target::Aarch64 => &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
        }
    }

    /// The command that runs a program.
    pub fn execute(self, program: &Path) -> Command {
        match self.emulator() {
            [] => process::command(program, [""; 0]),
            [emulator, flags @ ..] => {
                let mut command = process::command(Path::new(emulator), flags);
                command.arg(program);
                command
            }
        }
    }

    /// The name that rustc knows.
    pub fn rust_triple(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64-unknown-linux-gnu",
            Target::I686 => "i686-unknown-linux-gnu",
            Target::Armv7 => "armv7-unknown-linux-gnueabihf",
            Target::Mipsel => "mipsel-unknown-linux-gnu",
            Target::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Flags that make clang write bitcode for this target's CPU.
    pub fn clang_flags(self) -> &'static [&'static str] {
        match self {
            Target::X86_64 => &["--target=x86_64-linux-gnu", "-ffp-contract=off"],
            Target::I686 => {
                &["--target=i686-linux-gnu", "-march=pentium4", "-mfpmath=sse", "-ffp-contract=off"]
            }
            Target::Armv7 => {
                &["--target=armv7-linux-gnueabihf", "-mfpu=neon", "-mfloat-abi=hard", "-ffp-contract=off"]
            }
            Target::Mipsel => &["--target=mipsel-linux-gnu", "-mcpu=mips32r2", "-ffp-contract=off"],
            Target::Aarch64 => &["--target=aarch64-linux-gnu", "-ffp-contract=off"],
        }
    }

    /// Assembles and links, and compiles what is not under test.
    pub fn compiler(self) -> &'static str {
        match self {
            Target::X86_64 => "cc",
            Target::I686 => "i686-linux-gnu-gcc",
            Target::Armv7 => "arm-linux-gnueabihf-gcc",
            Target::Mipsel => "mipsel-linux-gnu-gcc",
            Target::Aarch64 => "aarch64-linux-gnu-gcc",
        }
    }

    /// The head of a module in LLVM's text form.
    pub fn module_head(self) -> &'static str {
        match self {
            Target::X86_64 => {
                "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
                 target triple = \"x86_64-unknown-linux-gnu\"\n"
            }
            Target::I686 => {
                "target datalayout = \"e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128\"\n\
                 target triple = \"i686-unknown-linux-gnu\"\n"
            }
            Target::Armv7 => {
                "target datalayout = \"e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64\"\n\
                 target triple = \"armv7-unknown-linux-gnueabihf\"\n"
            }
            Target::Mipsel => {
                "target datalayout = \"e-m:m-p:32:32-i8:8:32-i16:16:32-i64:64-n32-S64\"\n\
                 target triple = \"mipsel-unknown-linux-gnu\"\n"
            }
            Target::Aarch64 => {
                "target datalayout = \"e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32\"\n\
                 target triple = \"aarch64-unknown-linux-gnu\"\n"
            }
        }
    }

    /// The CPU, for llc and for functions of modules in text form.
    pub fn cpu(self) -> &'static str {
        match self {
            Target::X86_64 => "x86-64",
            Target::I686 => "pentium4",
            Target::Armv7 => "generic",
            Target::Mipsel => "mips32r2",
            Target::Aarch64 => "generic",
        }
    }

    /// The targets of a list `a,b`, or those whose programs run without help.
    pub fn list(list: Option<String>) -> anyhow::Result<Vec<Target>> {
        let Some(list) = list else { return Ok(Target::NATIVE.to_vec()) };
        let find = |name: &str| {
            let found = Target::ALL.into_iter().find(|target| target.name() == name);
            found.with_context(|| format!("unknown target '{name}'"))
        };
        list.split(',').map(find).collect()
    }
}

/// A version of LLVM. Debian installs the tools of several beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Llvm(pub u32);

impl Llvm {
    /// The version that tests use when nothing else is asked for.
    pub const USUAL: Llvm = Llvm(19);
    /// The version whose bitcode rustc writes.
    pub const RUST: Llvm = Llvm(22);

    /// The name of a tool, `llc` for example.
    pub fn tool(self, name: &str) -> String {
        format!("{name}-{}", self.0)
    }

    /// A version that has all tools and reads what this one writes.
    pub fn reader(self) -> Llvm {
        if self.0 <= Llvm::USUAL.0 { Llvm::USUAL } else { Llvm::RUST }
    }
}

/// How addresses are formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Fixed addresses.
    Static,
    /// Position-independent code in a position-independent executable.
    Pic,
}

impl Model {
    pub fn name(self) -> &'static str {
        match self {
            Model::Static => "static",
            Model::Pic => "pic",
        }
    }

    /// The models of a list `a,b`.
    pub fn list(list: &str) -> anyhow::Result<Vec<Model>> {
        let find = |name: &str| {
            let found = [Model::Static, Model::Pic].into_iter().find(|model| model.name() == name);
            found.with_context(|| format!("unknown relocation model '{name}'; there are pic and static"))
        };
        list.split(',').map(find).collect()
    }

    pub fn clang_flag(self) -> &'static str {
        match self {
            Model::Static => "-fno-pic",
            Model::Pic => "-fPIC",
        }
    }

    pub fn link_flag(self) -> &'static str {
        match self {
            Model::Static => "-no-pie",
            Model::Pic => "-pie",
        }
    }

    pub fn llc_flag(self) -> &'static str {
        match self {
            Model::Static => "--relocation-model=static",
            Model::Pic => "--relocation-model=pic",
        }
    }
}

/// A recipe of `ice`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipe {
    Om1,
    O2,
}

impl Recipe {
    pub const ALL: [Recipe; 2] = [Recipe::Om1, Recipe::O2];

    pub fn name(self) -> &'static str {
        match self {
            Recipe::Om1 => "Om1",
            Recipe::O2 => "O2",
        }
    }

    /// The recipes of a list `a,b`, or all of them.
    pub fn list(list: Option<String>) -> anyhow::Result<Vec<Recipe>> {
        let Some(list) = list else { return Ok(Recipe::ALL.to_vec()) };
        let find = |name: &str| {
            let found = Recipe::ALL.into_iter().find(|recipe| recipe.name() == name);
            found.with_context(|| format!("unknown recipe '{name}'"))
        };
        list.split(',').map(find).collect()
    }
}

/// What turns bitcode into an object.
#[derive(Clone)]
pub enum Translator {
    /// A program with the command line of `ice`.
    Ice(PathBuf),
    /// An `llc`, with `-O0` for the recipe Om1 and `-O1` for O2.
    Llc(String),
}

impl Translator {
    /// From the value of `--translator`; builds `ice` if it is wanted.
    pub fn parse(
        text: Option<String>,
        workspace: &Workspace,
        profile: Profile,
    ) -> anyhow::Result<Translator> {
        Ok(match text.as_deref() {
            None | Some("ice") => Translator::Ice(workspace.build_ice(profile)?),
            Some(llc) if llc.starts_with("llc") => Translator::Llc(llc.to_owned()),
            Some(path) => {
                Translator::Ice(std::fs::canonicalize(path).with_context(|| format!("no program '{path}'"))?)
            }
        })
    }

    /// The command that translates `bitcode`.
    pub fn command(
        &self,
        bitcode: &Path,
        object: &Path,
        target: Target,
        recipe: Recipe,
        model: Model,
    ) -> Command {
        match self {
            Translator::Ice(ice) => {
                let recipe = format!("-{}", recipe.name());
                let flags = ["translate", "--threads", "0", &recipe, "--target", target.name(), "-o"];
                let mut command = process::command(ice, flags);
                command.arg(object).arg(bitcode).args(["--relocation-model", model.name()]);
                command
            }
            Translator::Llc(llc) => {
                let level = if recipe == Recipe::Om1 { "-O0" } else { "-O1" };
                llc_command(llc, level, bitcode, object, target, model)
            }
        }
    }
}

/// LLVM's own translation.
pub fn llc_command(
    llc: &str,
    level: &str,
    bitcode: &Path,
    object: &Path,
    target: Target,
    model: Model,
) -> Command {
    let cpu = format!("--mcpu={}", target.cpu());
    let flags = [level, "--filetype=obj", "--fp-contract=off", &cpu, model.llc_flag(), "-o"];
    let mut command = process::command(Path::new(llc), flags);
    command.arg(object).arg(bitcode);
    // Its generic processor has no vectors; stubs have no attributes of their own.
    if target == Target::Armv7 {
        command.arg("--mattr=+neon");
    }
    command
}

/// Runs a tool that has to succeed and gives its output.
///
/// # Errors
/// With the command line and the first lines of its error output.
pub fn succeed(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let outcome = process::run(command, TOOL_LIMIT)?;
    if outcome.end != End::Exit(0) {
        bail!("{}: {}\n{}", line_of(command), outcome.end, outcome.first_errors());
    }
    Ok(outcome.output)
}

/// The command line, to be typed again.
pub fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Fails if one of the tools is missing.
pub fn need_tools(tools: &[&str]) -> anyhow::Result<()> {
    for tool in tools {
        ensure!(has_tool(tool), "{tool} is not installed");
    }
    Ok(())
}

/// Fails if the compiler or the emulator of a target is missing.
pub fn need_targets(targets: &[Target]) -> anyhow::Result<()> {
    let emulators = targets.iter().filter_map(|target| target.emulator().first().copied());
    need_tools(&targets.iter().map(|target| target.compiler()).chain(emulators).collect::<Vec<_>>())
}

/// Whether `output` is there and younger than its inputs and this program.
pub fn is_current(output: &Path, inputs: &[&Path]) -> bool {
    let time = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let Some(made) = time(output) else { return false };
    let program = std::env::current_exe().ok();
    let mut sources = inputs.iter().copied().chain(program.as_deref());
    sources.all(|input| time(input).is_some_and(|changed| changed < made))
}

/// Writes a text file.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| show(path))
}

/// Reads a text file.
pub fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| show(path))
}
