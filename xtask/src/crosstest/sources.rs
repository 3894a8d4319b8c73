//! Test modules: from a source to bitcode, LLVM's objects under other names, and the driver around them.
//!
//! A source of `xtask/crosstest` is a C, C++, Rust or IR file, or a folder with `callers.c` and `callees.c`: two
//! modules, so that each half in turn comes from the other translator. IR files leave out the head that names the
//! target, and a first line `; x86_64` says that a file is for that target alone. What depends on the source and on
//! LLVM only is kept until one of them changes.

use super::generate;
use super::signature::{self, Signatures};
use super::stubs::{self, REFERENCE};
use crate::process;
use crate::toolchain::{Llvm, Model, Target, is_current, llc_command, read, succeed, write};
use crate::workspace::{Workspace, show};
use anyhow::Context as _;
use std::path::{Path, PathBuf};

/// Where the modules of a source come from.
pub enum Origin {
    /// Files that are modules each.
    Files(Vec<PathBuf>),
    /// A family of functions that is written here.
    Family(&'static generate::Family),
}

/// A test source.
pub struct Source {
    pub name: String,
    pub origin: Origin,
}

/// What is the same for all sources.
pub struct Setting {
    /// The directory `xtask/crosstest`.
    pub sources: PathBuf,
    /// Where results go.
    pub results: PathBuf,
    pub model: Model,
    /// The version of clang; rustc has its own.
    pub clang: Llvm,
    /// The targets that rustc has libraries for, and where they are.
    pub rust: Vec<(Target, PathBuf)>,
    /// What C and C++ are compiled for.
    pub processor: Processor,
}

/// The processors that C and C++ are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Processor {
    /// The oldest of the target.
    Usual,
    /// On x86 those with AVX2 and FMA.
    Avx2,
}

impl Processor {
    fn clang_flags(self, target: Target) -> &'static [&'static str] {
        match (self, target) {
            (Processor::Avx2, Target::X86_64 | Target::I686) => &["-mavx2", "-mfma"],
            _ => &[],
        }
    }
}

/// What a source is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cpp,
    Rust,
    Ir,
}

/// A source made ready for one target and level.
pub struct Prepared {
    /// Where its files are.
    pub directory: PathBuf,
    pub target: Target,
    /// What reads the bitcode.
    pub llvm: Llvm,
    pub modules: Vec<Module>,
    /// The driver, the table and the stubs.
    pub common: Vec<PathBuf>,
    /// Number of functions that no stub can call.
    pub left_out: usize,
    /// Whether denormal numbers count as zero: LLVM's vectors of floats are NEON's on ARM, Ice's are IEEE's.
    pub flushes: bool,
}

/// One module of a source.
pub struct Module {
    pub bitcode: PathBuf,
    /// LLVM's object.
    pub plain: PathBuf,
    /// LLVM's object with `ref_` before each name that any module of the source defines.
    pub renamed: PathBuf,
}

/// The sources in order of their names, the families last.
pub fn all(directory: &Path) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(directory).with_context(|| show(directory))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.join("callers.c").is_file() {
            let files = vec![path.join("callers.c"), path.join("callees.c")];
            sources.push(Source { name, origin: Origin::Files(files) });
        } else if Language::of(&path).is_some() {
            sources.push(Source { name, origin: Origin::Files(vec![path]) });
        }
    }
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    let families = generate::FAMILIES.iter();
    sources.extend(
        families.map(|family| Source { name: family.name.to_owned(), origin: Origin::Family(family) }),
    );
    Ok(sources)
}

impl Language {
    /// The language that a file's name tells.
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cpp" => Some(Language::Cpp),
            "rs" => Some(Language::Rust),
            "ll" => Some(Language::Ir),
            _ => None,
        }
    }
}

impl Source {
    pub fn language(&self) -> Language {
        match &self.origin {
            Origin::Family(_) => Language::Ir,
            Origin::Files(files) => Language::of(&files[0]).unwrap_or(Language::C),
        }
    }

    /// Whether the source is one for `target` and `level`: IR is not optimised, so it is for `-O0` only; C and C++ alone are
    /// for other versions of clang than the usual one.
    pub fn is_for(&self, setting: &Setting, target: Target, level: &str) -> anyhow::Result<bool> {
        let is_usual = setting.clang == Llvm::USUAL;
        Ok(match (self.language(), &self.origin) {
            (Language::C | Language::Cpp, _) => true,
            (Language::Rust, _) => is_usual && setting.rust.iter().any(|(known, _)| *known == target),
            (Language::Ir, _) if level != "O0" || !is_usual => false,
            (Language::Ir, Origin::Family(family)) => family.is_for(target),
            (Language::Ir, Origin::Files(files)) => {
                !read(&files[0])?.starts_with("; x86_64") || target == Target::X86_64
            }
        })
    }

    /// The version of LLVM that reads the source's bitcode.
    fn llvm(&self, setting: &Setting) -> Llvm {
        if self.language() == Language::Rust { Llvm::RUST } else { setting.clang.reader() }
    }

    /// Compiles, names and links all but what is under test.
    pub fn prepare(&self, setting: &Setting, target: Target, level: &str) -> anyhow::Result<Prepared> {
        let llvm = self.llvm(setting);
        let mut place =
            format!("{}-{}-{level}-clang{}", target.name(), setting.model.name(), setting.clang.0);
        if setting.processor == Processor::Avx2 {
            place += "-avx2";
        }
        let directory = setting.results.join(place).join(&self.name);
        std::fs::create_dir_all(&directory).with_context(|| show(&directory))?;
        let llc = llvm.tool("llc");
        let mut modules = Vec::new();
        for bitcode in self.bitcode(setting, target, level, &directory)? {
            let plain = bitcode.with_extension("llvm.o");
            if !is_current(&plain, &[&bitcode]) {
                succeed(&mut llc_command(&llc, "-O2", &bitcode, &plain, target, setting.model))?;
            }
            modules.push(Module { renamed: bitcode.with_extension("renamed.o"), bitcode, plain });
        }
        let (stubs, table) = (directory.join("stubs.o"), directory.join("table.o"));
        let names = directory.join("names");
        let list = directory.join("left-out");
        let bitcodes: Vec<&Path> = modules.iter().map(|module| &*module.bitcode).collect();
        if !is_current(&list, &bitcodes) {
            rename(&modules, &names)?;
            let signatures = modules.iter().map(|module| signatures(llvm, &module.bitcode));
            let signatures = signatures.collect::<anyhow::Result<Vec<_>>>()?;
            let texts = stubs::write(target.module_head(), &signatures);
            write(&stubs.with_extension("ll"), &texts.ir)?;
            write(&table.with_extension("c"), &texts.table)?;
            // Without optimisation, so that a stub keeps nothing in callee-saved registers; by the version whose conventions
            // the functions have.
            let ir = stubs.with_extension("ll");
            succeed(&mut llc_command(&llc, "-O0", &ir, &stubs, target, setting.model))?;
            compile(&table.with_extension("c"), &table, setting, target, "-O0")?;
            let left_out: Vec<String> = signatures.into_iter().flat_map(|all| all.left_out).collect();
            write(&list, &left_out.join("\n"))?;
        }
        let left_out = read(&list)?.lines().count();
        let mut common = driver(setting, target)?;
        common.extend([stubs, table]);
        if self.language() == Language::Rust {
            let libraries = setting.rust.iter().filter(|(known, _)| *known == target);
            for (_, library) in libraries {
                common.extend(archives(library)?);
            }
        }
        // llc computes the least and the greatest of two floats in vectors, too.
        let has_vectors = matches!(&*self.name, "calls" | "ir-float-calls") || self.name.contains("vectors");
        let flushes = target == Target::Armv7 && has_vectors;
        Ok(Prepared { directory, target, llvm, modules, common, left_out, flushes })
    }

    /// The bitcode of each module.
    fn bitcode(
        &self,
        setting: &Setting,
        target: Target,
        level: &str,
        directory: &Path,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        let files = match &self.origin {
            Origin::Files(files) => files.clone(),
            Origin::Family(family) => {
                let file = directory.join("family.ll");
                if !is_current(&file, &[]) {
                    write(&file, &family.write(target))?;
                }
                vec![file]
            }
        };
        let is_rust = self.language() == Language::Rust;
        let prelude = setting.sources.join(if is_rust { "rust/prelude.rs" } else { "prelude.h" });
        for file in &files {
            let stem = file.file_stem().and_then(|stem| stem.to_str()).context("a name of letters")?;
            let bitcode = directory.join(format!("{stem}.bc"));
            let shared = file.with_file_name("shared.h");
            let mut inputs = vec![&**file, &*prelude];
            if shared.is_file() {
                inputs.push(&shared);
            }
            if !is_current(&bitcode, &inputs) {
                match self.language() {
                    Language::Ir => {
                        let whole = directory.join(format!("{stem}.whole.ll"));
                        write(&whole, &format!("{}{}", target.module_head(), read(file)?))?;
                        succeed(process::command(Path::new("llvm-as-19"), ["-o"]).arg(&bitcode).arg(&whole))?;
                    }
                    Language::Rust => rust_bitcode(setting, target, level, file, &bitcode)?,
                    Language::C | Language::Cpp => {
                        let is_cpp = self.language() == Language::Cpp;
                        let clang = setting.clang.tool(if is_cpp { "clang++" } else { "clang" });
                        let mut command = process::command(Path::new(&clang), target.clang_flags());
                        command.args(setting.processor.clang_flags(target)).args(["-c", "-emit-llvm", "-w"]);
                        command.args(["-fno-exceptions", "-fno-rtti", "-fno-math-errno"]);
                        command.arg(setting.model.clang_flag()).arg(format!("-{level}"));
                        if is_cpp {
                            command.arg("-std=c++20");
                        }
                        succeed(command.arg("-include").arg(&prelude).arg("-o").arg(&bitcode).arg(file))?;
                    }
                }
            }
            all.push(bitcode);
        }
        Ok(all)
    }
}

/// Compiles a Rust source, without checks that C does not have either.
fn rust_bitcode(
    setting: &Setting,
    target: Target,
    level: &str,
    file: &Path,
    bitcode: &Path,
) -> anyhow::Result<()> {
    let flags = ["--edition=2024", "--crate-type=lib", "--emit=llvm-bc", "--target", target.rust_triple()];
    let mut rustc = process::command(Path::new("rustc"), flags);
    rustc.args(["-Cpanic=abort", "-Ccodegen-units=1", "-Coverflow-checks=off", "-Cdebug-assertions=off"]);
    rustc.arg(format!("-Copt-level={}", level.trim_start_matches('O')));
    rustc.arg(format!("-Crelocation-model={}", setting.model.name()));
    succeed(rustc.arg("-o").arg(bitcode).arg(file))?;
    Ok(())
}

/// Where rustc has the libraries of a target; none if it has none.
pub fn rust_library(target: Target) -> Option<PathBuf> {
    let flags = ["--print", "target-libdir", "--target", target.rust_triple()];
    let path = succeed(&mut process::command(Path::new("rustc"), flags)).ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&path).trim())).filter(|path| path.is_dir())
}

/// What Rust's code calls besides itself: the core library, and the functions of its compiler.
fn archives(library: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for prefix in ["libcore-", "libcompiler_builtins-"] {
        for entry in std::fs::read_dir(library).with_context(|| show(library))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with(prefix) && name.ends_with(".rlib") {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// The signatures of a module.
fn signatures(llvm: Llvm, bitcode: &Path) -> anyhow::Result<Signatures> {
    let mut disassembler = process::command(Path::new(&llvm.tool("llvm-dis")), ["-o", "-"]);
    let text = succeed(disassembler.arg(bitcode))?;
    Ok(signature::read(&String::from_utf8_lossy(&text)))
}

/// Puts `ref_` before the names that the modules define, in a copy of LLVM's objects.
fn rename(modules: &[Module], names: &Path) -> anyhow::Result<()> {
    let mut list = String::new();
    for module in modules {
        let flags = ["--defined-only", "--extern-only", "--format=just-symbols"];
        let symbols = succeed(process::command(Path::new("llvm-nm-19"), flags).arg(&module.plain))?;
        for symbol in String::from_utf8_lossy(&symbols).lines().filter(|line| !line.is_empty()) {
            list += &format!("{symbol} {REFERENCE}{symbol}\n");
        }
    }
    write(names, &list)?;
    for module in modules {
        let flag = format!("--redefine-syms={}", names.display());
        let mut command = process::command(Path::new("llvm-objcopy-19"), [flag]);
        succeed(command.arg(&module.plain).arg(&module.renamed))?;
    }
    Ok(())
}

/// Compiles a part of the driver.
fn compile(
    input: &Path,
    object: &Path,
    setting: &Setting,
    target: Target,
    level: &str,
) -> anyhow::Result<()> {
    let mut command = process::command(Path::new(target.compiler()), ["-c", "-w", level]);
    command.arg(setting.model.clang_flag()).arg("-I").arg(setting.sources.join("driver"));
    succeed(command.arg("-o").arg(object).arg(input))?;
    Ok(())
}

/// The objects of the driver.
fn driver(setting: &Setting, target: Target) -> anyhow::Result<Vec<PathBuf>> {
    let mut objects = Vec::new();
    let call = match target {
        Target::X86_64 | Target::I686 => "checked_call_x86.S",
        Target::Armv7 => "checked_call_arm.S",
        Target::Mipsel => "checked_call_mips.S",
        Target::Aarch64 => "checked_call_aarch64.S",
    };
    for file in ["driver.c", call] {
        let source = setting.sources.join("driver").join(file);
        let object = setting.results.join(format!("{file}-{}-{:?}.o", target.name(), setting.model));
        if !is_current(&object, &[&source, &source.with_file_name("driver.h")]) {
            // Under a name of its own first: another thread may do the same.
            let scratch = object.with_extension(format!("{:?}.tmp.o", std::thread::current().id()));
            compile(&source, &scratch, setting, target, "-O1")?;
            std::fs::rename(&scratch, &object).with_context(|| show(&object))?;
        }
        objects.push(object);
    }
    Ok(objects)
}

/// Links the driver with LLVM's renamed objects and the objects under test.
pub fn link(prepared: &Prepared, model: Model, tested: &[PathBuf], executable: &Path) -> anyhow::Result<()> {
    let mut command = process::command(Path::new(prepared.target.compiler()), [model.link_flag(), "-o"]);
    command.arg(executable).args(tested).args(prepared.modules.iter().map(|module| &module.renamed));
    succeed(command.args(&prepared.common).args(["-lm", "-pthread", "-latomic"]))?;
    Ok(())
}

/// The sources that a workspace has.
pub fn directory(workspace: &Workspace) -> PathBuf {
    workspace.root.join("xtask/crosstest")
}
