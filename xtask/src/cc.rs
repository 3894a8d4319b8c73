//! A C compiler whose code generator is Ice: clang to bitcode, Ice to an object, the system's compiler to link.
//!
//! What a build asks of `cc` is split by file: each C or C++ source becomes bitcode and then an object; objects, archives
//! and linker flags go to the linker. Everything that makes no code (`-E`, `-M`, `-fsyntax-only`, `--version`) and
//! assembly go to clang or the system's compiler as they are.

use crate::arguments::Arguments;
use crate::process;
use crate::program;
use crate::program::Setting;
use crate::toolchain::{Model, Recipe, Target, Translator, need_tools};
use crate::workspace::{Profile, Workspace, show};
use anyhow::{bail, ensure};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const HELP: &str = "\
usage: cargo xtask cc [OPTIONS] -- ARGUMENT...
       cargo xtask cc [OPTIONS] --script

A C compiler with ice as its code generator: takes the arguments of `cc` behind the dashes. With --script it is
written as one program, ice-cc in cargo's target directory, whose path is printed; a build in any folder may use
that. A project in PATH is built, from Ice's own folder, with

  make -C PATH CC=\"$(cargo xtask cc --release --script)\"

One file by hand:

  clang-19 -O1 -c -emit-llvm FILE.c -o FILE.bc && ice translate -O2 FILE.bc -o FILE.o && cc FILE.o -o FILE

  --target T       x86_64 or i686 (x86_64)
  --recipe R       Om1 or O2 (O2)
  --release        uses the release build of ice, which has no assertions
  --translator T   another translator: 'llc-19' or a program with the command line of `ice translate`
";

/// Flags of clang and linker that have a value of their own.
const WITH_VALUE: [&str; 16] = [
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-x",
    "-include",
    "-isystem",
    "-idirafter",
    "-iquote",
    "-MF",
    "-MT",
    "-MQ",
    "-T",
    "-Xlinker",
    "-framework",
];
/// Flags with which nothing is translated.
const WITHOUT_CODE: [&str; 8] = ["-E", "-M", "-MM", "-S", "-fsyntax-only", "--version", "-v", "-###"];

/// What the arguments of `cc` ask for.
#[derive(Default, Debug, PartialEq, Eq)]
struct Request {
    sources: Vec<OsString>,
    /// Objects, archives, libraries and flags of the linker, in order.
    linked: Vec<OsString>,
    /// Everything else, for clang.
    flags: Vec<OsString>,
    output: Option<OsString>,
    only_compile: bool,
    is_static: bool,
}

fn is_source(name: &str) -> bool {
    [".c", ".cc", ".cpp", ".cxx", ".C"].iter().any(|extension| name.ends_with(extension))
}

/// Splits arguments; none if nothing is to be translated.
fn parse(arguments: &[OsString]) -> Option<Request> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if WITHOUT_CODE.contains(&&*text) {
            return None;
        }
        let value = WITH_VALUE.contains(&&*text).then(|| rest.next()).flatten();
        let is_linked =
            ["-l", "-L", "-Wl,", "-Xlinker", "-T", "-shared", "-static", "-pie", "-no-pie", "-rdynamic"];
        if text == "-c" {
            request.only_compile = true;
        } else if let Some(name) = text.strip_prefix("-o").filter(|_| !text.starts_with("-ob")) {
            request.output = if name.is_empty() { rest.next().cloned() } else { Some(name.into()) };
        } else if !text.starts_with('-') && is_source(&text) {
            request.sources.push(argument.clone());
        } else if !text.starts_with('-') || is_linked.iter().any(|prefix| text.starts_with(prefix)) {
            request.linked.push(argument.clone());
            request.linked.extend(value.cloned());
        } else {
            request.is_static |= text == "-fno-pic" || text == "-fno-pie";
            request.flags.push(argument.clone());
            request.flags.extend(value.cloned());
        }
    }
    Some(request)
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let given = arguments.behind_dashes();
    let profile = if arguments.switch("--release") { Profile::Release } else { Profile::Dev };
    let target = Target::list(Some(arguments.value("--target", "x86_64".to_owned())?))?[0];
    let recipe = Recipe::list(Some(arguments.value("--recipe", "O2".to_owned())?))?[0];
    let translator = arguments.text("--translator")?;
    let writes_script = arguments.switch("--script");
    arguments.finish()?;
    if writes_script {
        let translator = match translator.as_deref() {
            None | Some("ice") => show(&workspace.build_ice(profile)?),
            Some(llc) if llc.starts_with("llc") => llc.to_owned(),
            Some(path) => show(&std::path::absolute(path)?),
        };
        println!("{}", show(&script(workspace, target, recipe, &translator)?));
        return Ok(());
    }
    ensure!(!given.is_empty(), "nothing to compile; --help tells more");
    need_tools(&["clang-19", target.compiler()])?;
    let Some(request) = parse(&given) else {
        return pass(process::command(Path::new("clang-19"), target.clang_flags()).args(&given));
    };
    let translator = Translator::parse(translator, workspace, profile)?;
    let model = if request.is_static { Model::Static } else { Model::Pic };
    let setting = Setting { target, recipe, model };
    let mut objects = Vec::new();
    for source in &request.sources {
        let object = object_of(source, &request);
        let bitcode = object.with_extension("ice.bc");
        let mut clang = process::command(Path::new("clang-19"), target.clang_flags());
        clang.args(["-emit-llvm", "-c"]).arg(model.clang_flag()).args(&request.flags);
        pass(clang.arg("-o").arg(&bitcode).arg(source))?;
        if let Err(text) = program::tested_object(&translator, &bitcode, &object, setting)? {
            bail!(text);
        }
        std::fs::remove_file(&bitcode)?;
        objects.push(object);
    }
    if request.only_compile {
        return Ok(());
    }
    let output = request.output.clone().unwrap_or_else(|| "a.out".into());
    let mut link = Command::new(target.compiler());
    if model == Model::Static {
        link.arg("-no-pie");
    }
    pass(link.arg("-o").arg(output).args(&objects).args(&request.linked))?;
    for object in &objects {
        std::fs::remove_file(object)?;
    }
    Ok(())
}

/// Writes the program that stands for this command with these options, in whatever folder it is called.
fn script(
    workspace: &Workspace,
    target: Target,
    recipe: Recipe,
    translator: &str,
) -> anyhow::Result<PathBuf> {
    let program = show(&std::env::current_exe()?);
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let (target, recipe) = (target.name(), recipe.name());
    let text = format!(
        "#!/bin/sh\nexec {} cc --target {target} --recipe {recipe} --translator {} -- \"$@\"\n",
        quoted(&program),
        quoted(translator)
    );
    let path = std::path::absolute(workspace.results("")?.join("ice-cc"))?;
    crate::toolchain::write(&path, &text)?;
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755))?;
    Ok(path)
}

/// Where the object of a source goes.
fn object_of(source: &OsString, request: &Request) -> PathBuf {
    match &request.output {
        Some(output) if request.only_compile => PathBuf::from(output),
        _ => {
            let name = Path::new(source).with_extension("o");
            PathBuf::from(name.file_name().unwrap_or(name.as_os_str()))
        }
    }
}

/// Runs a tool that prints for itself.
fn pass(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status()?;
    ensure!(status.success(), "{}: {status}", crate::toolchain::line_of(command));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Option<Request> {
        parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_command_line_is_split() {
        let r = request("-O2 -I inc -DX=1 -c a.c -o out/a.o -MF a.d -fno-pic").unwrap();
        assert_eq!(r.flags, ["-O2", "-I", "inc", "-DX=1", "-MF", "a.d", "-fno-pic"]);
        assert!(r.only_compile && r.is_static);
        assert_eq!(object_of(&r.sources[0], &r), Path::new("out/a.o"));
        let r = request("src/a.c b.o -L lib -lm -Wl,-s -g -oprogram").unwrap();
        assert_eq!((&r.sources[0], r.output.as_ref().unwrap()), (&"src/a.c".into(), &"program".into()));
        assert_eq!(r.linked, ["b.o", "-L", "lib", "-lm", "-Wl,-s"]);
        assert_eq!(object_of(&r.sources[0], &r), Path::new("a.o"));
        assert_eq!(request("-E a.c"), None);
    }
}
