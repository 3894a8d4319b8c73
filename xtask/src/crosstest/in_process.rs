//! Ice's code made where it runs: what is linked in the place of an object is a stub for each of its functions, and the
//! module's bitcode, which `ice-jit` loads before the program begins (`ice-jit/tests/in_process`).
//!
//! So everything that is tested with objects is tested with code in the process, by the same programs. A stub jumps through
//! a cell and leaves all registers and the stack as they were.

use crate::process;
use crate::program::Setting;
use crate::toolchain::{Target, succeed, write};
use crate::workspace::{Workspace, show};
use anyhow::{Context as _, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use xshell::cmd;

/// The library that loads, for each target.
pub struct Loaders(Vec<(Target, PathBuf)>);

/// What a module defines and needs.
#[derive(Default, PartialEq, Eq, Debug)]
struct Symbols {
    /// Functions, and whether other definitions may take their places.
    functions: Vec<(String, bool)>,
    /// Whether each may be nowhere.
    needed: Vec<(String, bool)>,
}

/// Takes apart what `nm` says in its POSIX form: name, kind, value.
fn symbols(text: &str) -> Symbols {
    let mut symbols = Symbols::default();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(kind)) = (words.next(), words.next()) else { continue };
        // `ld` makes it.
        if name == "_GLOBAL_OFFSET_TABLE_" {
            continue;
        }
        match kind {
            "T" | "W" => symbols.functions.push((name.to_owned(), kind == "W")),
            "U" | "w" | "v" => symbols.needed.push((name.to_owned(), kind != "U")),
            _ => {}
        }
    }
    symbols
}

/// A jump through a cell, which may be anywhere in the program.
fn jump(target: Target, cell: &str) -> anyhow::Result<String> {
    Ok(match target {
        Target::X86_64 => format!("jmp *{cell}(%rip)"),
        // No register is free: the address takes a word of the stack from which it returns.
        Target::I686 => format!(
            "push %eax\\n push %eax\\n call 1f\\n 1: pop %eax\\n add ${cell}-1b, %eax\\n mov (%eax), %eax\\n \
             mov %eax, 4(%esp)\\n pop %eax\\n ret"
        ),
        Target::Armv7 => format!("ldr ip, 2f\\n 1: ldr ip, [pc, ip]\\n bx ip\\n 2: .word {cell}-(1b+8)"),
        Target::Aarch64 => format!("adrp x16, {cell}\\n ldr x16, [x16, :lo12:{cell}]\\n br x16"),
        Target::Mipsel => anyhow::bail!("no process of {} makes code", target.name()),
    })
}

/// The program in C that stands in for an object.
fn stand_in(symbols: &Symbols, bitcode: &Path, setting: Setting) -> anyhow::Result<String> {
    let mut text = "#include <stddef.h>\nstruct named { const char *name; void *address; };\n\
        void ice_in_process(const void *, size_t, _Bool, const struct named *, size_t, const struct named *, size_t);\n"
        .to_owned();
    let (mut imports, mut exports) = (String::new(), String::new());
    for (number, (name, is_weak)) in symbols.needed.iter().enumerate() {
        let weak = if *is_weak { " __attribute__((weak))" } else { "" };
        let _ = writeln!(text, "extern char needed_{number}[] __asm__(\"{name}\"){weak};");
        let _ = writeln!(imports, "    {{\"{name}\", needed_{number}}},");
    }
    let arm = if setting.target == Target::Armv7 { ".arm\\n .balign 4\\n " } else { "" };
    for (number, (name, is_weak)) in symbols.functions.iter().enumerate() {
        let cell = format!("ice_cell_{number}");
        let bind = if *is_weak { "weak" } else { "globl" };
        let jump = jump(setting.target, &cell)?;
        let _ = writeln!(text, "static void *cell_{number} __asm__(\"{cell}\") __attribute__((used));");
        let code =
            format!(".text\\n {arm}.{bind} {name}\\n .type {name}, %function\\n {name}: {jump}\\n .previous");
        let _ = writeln!(text, "__asm__(\"{code}\");");
        let _ = writeln!(exports, "    {{\"{name}\", &cell_{number}}},");
    }
    let _ = writeln!(
        text,
        "__asm__(\".section .rodata\\n bitcode: .incbin \\\"{}\\\"\\n bitcode_end:\\n .previous\");\n\
         #pragma GCC visibility push(hidden)\nextern const char bitcode[], bitcode_end[];\n#pragma GCC visibility pop\n\
         static struct named imports[] = {{\n{imports}    {{0}}}};\n\
         static struct named exports[] = {{\n{exports}    {{0}}}};\n\
         __attribute__((constructor)) static void load(void) {{\n    \
         ice_in_process(bitcode, bitcode_end - bitcode, {}, imports, {}, exports, {});\n}}",
        bitcode.display(),
        u8::from(setting.recipe == crate::toolchain::Recipe::O2),
        symbols.needed.len(),
        symbols.functions.len(),
    );
    Ok(text)
}

impl Loaders {
    /// Builds the library for these targets.
    ///
    /// # Errors
    /// It cannot be built: rustc has no library for the target, or no process of it makes code.
    pub fn build(workspace: &Workspace, targets: &[Target]) -> anyhow::Result<Loaders> {
        let sh = &workspace.shell;
        let mut all = Vec::new();
        for &target in targets {
            jump(target, "")?;
            let (triple, mut directory) = (target.rust_triple(), workspace.target.clone());
            let mut flags = Vec::new();
            // The rest of the workspace is built for this machine without the flag.
            if target != Target::X86_64 || cfg!(not(target_arch = "x86_64")) {
                flags = vec!["--target", triple];
                directory.push(triple);
            }
            cmd!(sh, "cargo build --quiet -p ice-jit --example in_process {flags...}")
                .quiet()
                .run()
                .with_context(|| format!("'rustup target add {triple}' gets what may be missing"))?;
            let library = directory.join("debug/examples/libin_process.so");
            ensure!(library.is_file(), "{} was not built", library.display());
            all.push((target, library));
        }
        Ok(Loaders(all))
    }

    /// What is linked: the object that was made of `bitcode`, or what stands in for it if there are loaders.
    ///
    /// # Errors
    /// A tool fails.
    pub fn inputs(
        loaders: Option<&Loaders>,
        object: PathBuf,
        bitcode: &Path,
        setting: Setting,
    ) -> anyhow::Result<Vec<PathBuf>> {
        match loaders {
            Some(loaders) => Ok(loaders.replace(&object, bitcode, setting)?.into()),
            None => Ok(vec![object]),
        }
    }

    /// What is linked in the place of `object`, which was made of `bitcode`.
    ///
    /// # Errors
    /// A tool fails.
    pub fn replace(&self, object: &Path, bitcode: &Path, setting: Setting) -> anyhow::Result<[PathBuf; 2]> {
        let library = self.0.iter().find(|(target, _)| *target == setting.target);
        let (_, library) = library.context("a library for each target was built")?;
        let mut nm = process::command(Path::new("llvm-nm-19"), ["--extern-only", "--format=posix"]);
        let symbols = symbols(&String::from_utf8_lossy(&succeed(nm.arg(object))?));
        let (source, stubs) = (object.with_extension("in-process.c"), object.with_extension("in-process.o"));
        write(&source, &stand_in(&symbols, bitcode, setting)?)?;
        let mut cc = process::command(Path::new(setting.target.compiler()), ["-c", "-w", "-O0"]);
        cc.arg(setting.model.clang_flag()).arg("-o").arg(&stubs).arg(&source);
        succeed(&mut cc).with_context(|| show(&source))?;
        Ok([stubs, library.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_what_they_need_are_told_apart() {
        let text = "add T 0 10\nshared W 20 4\ntable D 0 8\nmemcpy U \nmaybe w \n_GLOBAL_OFFSET_TABLE_ U \n";
        let found = symbols(text);
        assert_eq!(found.functions, [("add".to_owned(), false), ("shared".to_owned(), true)]);
        assert_eq!(found.needed, [("memcpy".to_owned(), false), ("maybe".to_owned(), true)]);
    }
}
