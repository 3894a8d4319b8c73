//! The `ice` command: what each subcommand does with files and processes.

#[cfg(not(any(feature = "pexe", feature = "llvm", feature = "text")))]
compile_error!("the command needs a form of input: one of the features `pexe`, `llvm` and `text`");

use crate::error::{Blame, Error};
use crate::files::{Input, Output, is_dash};
use crate::flags::{self, Command, Invocation, Isolation, Request, Trust};
use crate::inspect::Purpose;
#[cfg(feature = "interpreter")]
use crate::interpret;
use crate::isolate::{self, Child};
use crate::machine::sandbox::{is_emulated, target};
use crate::machine::{Arch, Features, with_switch};
use crate::options::{Emit, InputFormat, OptLevel, Options, Stats, Timing};
use crate::report::Report;
use crate::toolchain::Compiler;
use crate::{format, heaps, inspect, runtime, sandbox, translate, validate};
use ice_codegen::Confinement;
use ice_elf::{Sink, SinkError};
use ice_ir::Program;
use ice_ir::native::Environment;
use signal_hook::consts::SIGPIPE;
use signal_hook::low_level::emulate_default_handler;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Why a command did not do its work.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message)
    }
}

/// The input is refused.
const REFUSED: u8 = 1;
/// Wrong command line, or reading, writing or linking failed.
const TROUBLE: u8 = 2;
/// Nobody reads the output any more: the process ends as the signal SIGPIPE would end it.
const CLOSED_PIPE: u8 = 128 + SIGPIPE as u8;

impl Failure {
    /// A file that is refused.
    fn refused(path: &Path, error: impl Display) -> Failure {
        Failure { code: REFUSED, ..Failure::file(path, error) }
    }

    /// A failure that the user knows of.
    pub(crate) fn reported(code: u8) -> Failure {
        Failure { message: String::new(), code }
    }

    /// Nobody reads the output any more, which nobody must be told of.
    pub(crate) fn closed_pipe() -> Failure {
        Failure::reported(CLOSED_PIPE)
    }

    /// Trouble with a file.
    pub(crate) fn file(path: &Path, error: impl Display) -> Failure {
        Failure { message: format!("{}: {error}", path.display()), code: TROUBLE }
    }

    /// Trouble with an output.
    pub(crate) fn output(path: &Path, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::closed_pipe(),
            _ if is_dash(path) => Failure::trouble(format_args!("<stdout>: {error}")),
            _ => Failure::file(path, error),
        }
    }

    /// Trouble without a file.
    pub(crate) fn trouble(error: impl Display) -> Failure {
        Failure { message: error.to_string(), code: TROUBLE }
    }

    /// Whether the input is what is wrong.
    #[cfg(feature = "llvm")]
    pub(crate) fn is_refusal(&self) -> bool {
        self.code == REFUSED
    }

    /// The code that the process ends with.
    #[cfg(feature = "llvm")]
    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// An error of translation.
    pub(crate) fn input(path: &Path, error: &Error) -> Failure {
        let code = match error.blame() {
            Blame::Input => REFUSED,
            Blame::Request => TROUBLE,
        };
        let name = if is_dash(path) { "<stdin>".into() } else { path.to_string_lossy() };
        // The place in a text follows the name without a blank, as editors and terminals know it.
        let separator = if error.begins_with_place() { ":" } else { ": " };
        Failure { message: format!("{name}{separator}{error}"), code }
    }
}

/// Does what the arguments (without the program's name) ask for. Errors are reported on the error output.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let result = match Child::of(&arguments) {
        Some(child) => translate_for_parent(child).map(|()| ExitCode::SUCCESS),
        None => obey(arguments),
    };
    result.unwrap_or_else(|failure| {
        if failure.code == CLOSED_PIPE {
            let _ = emulate_default_handler(SIGPIPE);
            return ExitCode::from(failure.code);
        }
        if !failure.message.is_empty() {
            let _ = writeln!(io::stderr(), "ice: {failure}");
        }
        ExitCode::from(failure.code)
    })
}

/// Does what a command line asks for.
fn obey(arguments: Vec<OsString>) -> Result<ExitCode, Failure> {
    match flags::parse(arguments.iter().cloned()) {
        Ok(Request::Text(text)) => write_text(&text).map(|()| ExitCode::SUCCESS),
        Ok(Request::Work(mut work)) => {
            work.command_line = arguments;
            perform(&work)
        }
        Err(error) => Err(Failure::trouble(format_args!("{error}\nTry 'ice --help'."))),
    }
}

fn write_text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    result.map_err(|error| Failure::output(Path::new("-"), &error))
}

fn perform(work: &Invocation) -> Result<ExitCode, Failure> {
    match work.command {
        Command::Translate => translate(work)?,
        Command::Build => build(work)?,
        Command::Run => return run(work),
        #[cfg(feature = "interpreter")]
        Command::Interpret => return interpret::interpret(&read_program(work, Purpose::Look)?, work),
        #[cfg(any(feature = "pexe", feature = "llvm"))]
        Command::Dump => dump(work)?,
        #[cfg(feature = "llvm")]
        Command::Cc | Command::Cxx => return crate::cc::compile(work),
        #[cfg(feature = "llvm")]
        Command::Ld => return crate::ld::link(work),
        Command::Validate => {
            let judged = validate::validate_executable(&read(work)?);
            judged.map_err(|error| Failure::refused(&work.input, error))?;
        }
        Command::Verify => {
            read_program(work, Purpose::Look)?;
        }
        #[cfg(feature = "text")]
        Command::Print => print(work)?,
        #[cfg(all(feature = "pexe", any(feature = "llvm", feature = "text")))]
        Command::Freeze => freeze(work)?,
        #[allow(unreachable_patterns, reason = "with all features every command is built in")]
        command => {
            return Err(Failure::trouble(format_args!("{} is not built in", command.row().name)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn open(work: &Invocation) -> Result<Input, Failure> {
    Input::open(&work.input).map_err(|error| Failure::file(&work.input, error))
}

fn read_all(work: &Invocation, input: Input) -> Result<Vec<u8>, Failure> {
    input.read_all().map_err(|error| Failure::file(&work.input, error))
}

fn read(work: &Invocation) -> Result<Vec<u8>, Failure> {
    read_all(work, open(work)?)
}

/// The output file, or the standard output where none was named.
fn output_path(work: &Invocation) -> &Path {
    work.output.as_deref().unwrap_or(Path::new("-"))
}

fn create(path: &Path) -> Result<Output, Failure> {
    Output::create(path).map_err(|error| Failure::output(path, &error))
}

fn commit(output: Output, path: &Path) -> Result<(), Failure> {
    output.commit().map_err(|error| Failure::output(path, &error))
}

fn input_format(work: &Invocation, bytes: &[u8]) -> Result<InputFormat, Failure> {
    format::input_format(&work.input, bytes).map_err(|error| Failure::input(&work.input, &error))
}

/// Reads a whole program as it is, and checks it.
fn read_program(work: &Invocation, purpose: Purpose) -> Result<Program, Failure> {
    let bytes = read(work)?;
    let format = input_format(work, &bytes)?;
    inspect::read_program(&bytes, format, purpose).map_err(|error| Failure::input(&work.input, &error))
}

fn options(work: &Invocation, bytes: &[u8]) -> Result<Options, Failure> {
    let format = input_format(work, bytes)?;
    let triple: Option<String> = match format {
        #[cfg(feature = "llvm")]
        InputFormat::Llvm => {
            crate::formats::llvm::triple_of(bytes).map_err(|error| Failure::input(&work.input, &error))?
        }
        _ => None,
    };
    let of_module = match &triple {
        Some(triple) if work.arch.is_none() => {
            let arch = Arch::parse(triple).map_err(Error::UnknownTriple);
            Some(arch.map_err(|error| Failure::input(&work.input, &error))?)
        }
        _ => None,
    };
    let arch = match work.arch.or(of_module).or_else(Arch::host) {
        Some(arch) => arch,
        None => return Err(Failure::trouble("this host is no known target; name one with --target")),
    };
    if !arch.machine().is_built_in() {
        return Err(Failure::trouble(Error::TargetNotBuiltIn(arch)));
    }
    let features = features(work, arch)?;
    let level = work.level.unwrap_or(OptLevel::Om1);
    Ok(Options {
        arch,
        level,
        emit: work.emit,
        format,
        threads: work.threads.unwrap_or_else(processors),
        function: work.function.clone(),
        #[cfg(feature = "text")]
        print_after: work.print_after.clone(),
        disabled: work.disabled.clone(),
        #[cfg(feature = "text")]
        print: |text| {
            let _ = io::stderr().write_all(text.as_bytes());
        },
        timing: work.timing,
        stats: work.stats,
        #[cfg(feature = "text")]
        commentary: work.commentary,
        relocation: work.relocation,
        unwind: work.unwind,
        sections: work.sections,
        thread_storage: work.thread_storage,
        debug_info: work.debug_info,
        confinement: work.confinement,
        diversity: work.diversity(),
        features: match triple {
            Some(triple) => features.or(arch.machine().features_of_triple(&triple)),
            None => features,
        },
    })
}

/// What the flags choose among the features of the machine; the last word on one counts.
fn features(work: &Invocation, arch: Arch) -> Result<Features, Failure> {
    let mut features = work.features;
    for value in &work.switches {
        let chosen = with_switch(arch.machine().switches(), features, value);
        let name = value.trim_start_matches(['+', '-']);
        features = chosen.ok_or_else(|| Failure::trouble(format_args!("{name} is no feature of {arch}")))?;
    }
    Ok(features)
}

/// Threads that the machine runs at once.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

/// Prints warnings, and what the flags ask for.
fn report(work: &Invocation, report: &Report) {
    let mut text = String::new();
    for warning in &report.warnings {
        text += &format!("ice: {}: warning: {warning}\n", work.input.display());
    }
    // Writing into a string cannot fail.
    if work.stats == Stats::On {
        let _ = report.write_stats(&mut text);
    }
    if work.timing == Timing::On {
        let _ = report.write_times(&mut text);
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Translates the input, while it is read where its form allows that.
fn compile(
    work: &Invocation,
    input: Input,
    output: &mut (dyn Sink + Send),
) -> Result<(Options, Result<Report, Error>), Failure> {
    #[cfg(feature = "pexe")]
    if format::is_pexe(input.start()) {
        let options = options(work, input.start())?;
        heaps::share(options.threads);
        let (length, mut rest) = (input.length(), input);
        let result = crate::formats::pexe::compile_stream(&mut rest, length, &options, output);
        return Ok((options, result));
    }
    let bytes = read_all(work, input)?;
    let options = options(work, &bytes)?;
    heaps::share(options.threads);
    let result = translate::compile_to(&bytes, &options, output);
    Ok((options, result))
}

/// Translates the input into a file and gives what the linker must know.
fn translate_to(work: &Invocation, path: &Path) -> Result<(Options, Environment), Failure> {
    // What cannot be written is known before anything is read.
    let output = create(path)?;
    translate_input(work, open(work)?, output, path)
}

/// The same for an input and an output that are open.
fn translate_input(
    work: &Invocation,
    input: Input,
    mut output: Output,
    path: &Path,
) -> Result<(Options, Environment), Failure> {
    #[cfg(feature = "pexe")]
    if work.command == Command::Run && format::is_pexe(input.start()) {
        let options = options(work, input.start())?;
        isolate::translate(&work.command_line, input, &mut output)?;
        commit(output, path)?;
        return Ok((options, Environment::Pnacl));
    }
    let known = translate_open(work, input, &mut output, path)?;
    commit(output, path)?;
    Ok(known)
}

/// Translates what is open, reports, and gives what the linker must know.
fn translate_open(
    work: &Invocation,
    input: Input,
    output: &mut Output,
    path: &Path,
) -> Result<(Options, Environment), Failure> {
    let (options, result) = compile(work, input, output)?;
    Ok((options, finish(work, output, path, result)?))
}

/// Reports on a translation, if it was one, and gives what the linker must know.
fn finish(
    work: &Invocation,
    output: &mut Output,
    path: &Path,
    result: Result<Report, Error>,
) -> Result<Environment, Failure> {
    let result = result.map_err(|error| match error {
        Error::Object(ice_elf::Error::Sink(SinkError::Io { .. })) => Failure::output(path, &output.error()),
        error => Failure::input(&work.input, &error),
    })?;
    report(work, &result);
    Ok(result.environment)
}

/// Translates `bytes`, the bitcode of the input, into a file.
///
/// # Errors
/// The input is refused, or the file cannot be written.
#[cfg(feature = "llvm")]
pub(crate) fn translate_bytes(work: &Invocation, bytes: &[u8], path: &Path) -> Result<(), Failure> {
    let options = options(work, bytes)?;
    let mut output = create(path)?;
    let result = translate::compile_to(bytes, &options, &mut output);
    finish(work, &mut output, path, result)?;
    commit(output, path)
}

fn translate(work: &Invocation) -> Result<(), Failure> {
    let path = output_path(work);
    if work.isolation == Isolation::None {
        return translate_to(work, path).map(|_| ());
    }
    let mut output = create(path)?;
    isolate::translate(&work.command_line, open(work)?, &mut output)?;
    commit(output, path)
}

/// The work of a process that translates for another one, with no right to anything but input and output.
fn translate_for_parent(child: Child) -> Result<(), Failure> {
    let Child { command_line, input, mut output } = child;
    let Ok(Request::Work(mut work)) = flags::parse(command_line) else {
        return Err(Failure::trouble("a confined translator was started by hand"));
    };
    work.threads.get_or_insert_with(processors);
    isolate::confine();
    let path = output_path(&work).to_owned();
    translate_open(&work, input, &mut output, &path)?;
    commit(output, &path)
}

/// Translates into an object in a directory of its own and links it to `executable`.
fn build_executable(
    work: &Invocation,
    directory: &Path,
    executable: &Path,
) -> Result<(Arch, Environment), Failure> {
    let object = directory.join("program.o");
    let (options, environment) = translate_to(work, &object)?;
    let compiler = Compiler::find(options.arch, options.features, work.linker.as_deref());
    let linked = compiler.and_then(|compiler| compiler.link(&object, environment, executable));
    linked.map_err(Failure::trouble)?;
    Ok((options.arch, environment))
}

/// Translates into an executable for the sandbox.
fn confined_executable(work: &Invocation, input: Input) -> Result<Vec<u8>, Failure> {
    let mut object = Vec::new();
    let (options, result) = compile(work, input, &mut object)?;
    let linked = result.and_then(|done| {
        report(work, &done);
        sandbox::link(options.arch, &object)
    });
    linked.map_err(|error| Failure::input(&work.input, &error))
}

fn build_confined(work: &Invocation) -> Result<(), Failure> {
    let executable = confined_executable(work, open(work)?)?;
    let path = output_path(work);
    let mut output = create(path)?;
    let written = output.append(&executable);
    written.map_err(|_| Failure::output(path, &output.error()))?;
    commit(output, path)
}

fn build(work: &Invocation) -> Result<(), Failure> {
    debug_assert_eq!(work.emit, Emit::Object);
    if work.confinement == Confinement::Sandbox {
        return build_confined(work);
    }
    let path = output_path(work);
    let directory = runtime::scratch_directory().map_err(Failure::trouble)?;
    let executable = directory.path().join("program");
    build_executable(work, directory.path(), &executable)?;
    crate::files::install_executable(&executable, path).map_err(|error| Failure::output(path, &error))
}

/// An executable for the sandbox as it was given, or made of the input with files in this directory.
fn sandbox_program(work: &Invocation, directory: &Path) -> Result<Vec<u8>, Failure> {
    let input = open(work)?;
    if sandbox::is_executable(input.start()) {
        return read_all(work, input);
    }
    let path = directory.join("program.o");
    let (options, _) = translate_input(work, input, create(&path)?, &path)?;
    let object = std::fs::read(&path).map_err(|error| Failure::file(&path, error))?;
    sandbox::link(options.arch, &object).map_err(|error| Failure::input(&work.input, &error))
}

/// Runs a program in the sandbox.
fn run_confined(work: &Invocation) -> Result<ExitCode, Failure> {
    let host = Arch::host();
    if let Some(arch) = work.arch.or(host).filter(|&arch| target(arch).is_none()) {
        return Err(Failure::input(&work.input, &Error::NotConfined(arch)));
    }
    let is_run =
        |arch: &Arch| is_emulated(*arch) || host.is_some_and(|host| arch.machine().is_native_on(host));
    let Some(arch) = work.arch.or(host).filter(is_run) else {
        let names = Arch::ALL.iter().filter(|&&arch| is_emulated(arch)).map(ToString::to_string);
        let names = names.collect::<Vec<_>>().join(" and ");
        let wanted = "confined programs run where their machine is";
        return Err(Failure::trouble(format_args!("{wanted}, and those for {names} under an emulator")));
    };
    let directory = runtime::scratch_directory().map_err(Failure::trouble)?;
    let executable = sandbox_program(work, directory.path())?;
    let judged = validate::validate_executable(&executable);
    if judged.map_err(|error| Failure::refused(&work.input, error)).map(Some)? != target(arch) {
        return Err(Failure::refused(&work.input, "it is for another machine"));
    }
    let compiler = Compiler::find(arch, Features::default(), work.linker.as_deref());
    let loader = compiler.and_then(|compiler| runtime::find(&compiler, runtime::Kind::Loader));
    let loader = loader.map_err(Failure::trouble)?;
    let [loader] = &*loader.objects else { return Err(Failure::trouble("the loader is missing")) };
    let bytes = std::fs::read(loader).map_err(|error| Failure::file(loader, error))?;
    let path = directory.path().join("program");
    let written = crate::files::write_executable(&path, &sandbox::with_loader(bytes, &executable));
    written.map_err(|error| Failure::file(&path, error))?;
    crate::execute::execute(arch, &path, directory, &work.input, &work.arguments, work.trust)
}

fn run(work: &Invocation) -> Result<ExitCode, Failure> {
    if work.confinement == Confinement::Sandbox {
        return run_confined(work);
    }
    let directory = runtime::scratch_directory().map_err(Failure::trouble)?;
    let executable = directory.path().join("program");
    let (arch, environment) = build_executable(work, directory.path(), &executable)?;
    let trust = match environment {
        Environment::Native => Trust::Own,
        _ => work.trust,
    };
    crate::execute::execute(arch, &executable, directory, &work.input, &work.arguments, trust)
}

#[cfg(any(feature = "pexe", feature = "llvm"))]
fn dump(work: &Invocation) -> Result<(), Failure> {
    let bytes = read(work)?;
    if input_format(work, &bytes)? == InputFormat::Text {
        let error = Error::NoProgram("text, which has no records; dump takes bitcode");
        return Err(Failure::input(&work.input, &error));
    }
    let path = output_path(work);
    let mut output = create(path)?;
    match inspect::dump(&bytes, &mut output) {
        Ok(Ok(())) => commit(output, path),
        Ok(Err(error)) => {
            // What comes before the error is the use of a dump; a file gets nothing.
            if is_dash(path) {
                commit(output, path)?;
            }
            Err(Failure::input(&work.input, &error))
        }
        Err(_) => Err(Failure::output(path, &output.error())),
    }
}

#[cfg(feature = "text")]
fn print(work: &Invocation) -> Result<(), Failure> {
    let program = read_program(work, Purpose::Look)?;
    let path = output_path(work);
    let mut output = create(path)?;
    let written = ice_ir::write_program(&program, &mut output);
    written.map_err(|_| Failure::output(path, &output.error()))?;
    commit(output, path)
}

#[cfg(all(feature = "pexe", any(feature = "llvm", feature = "text")))]
fn freeze(work: &Invocation) -> Result<(), Failure> {
    let program = read_program(work, Purpose::Freeze)?;
    let bytes =
        crate::formats::pexe::freeze(&program).map_err(|error| Failure::input(&work.input, &error))?;
    let path = output_path(work);
    let mut output = create(path)?;
    let written = output.append(&bytes);
    written.map_err(|_| Failure::output(path, &output.error()))?;
    commit(output, path)
}
