//! Suites of small programs: every file of C in a folder is a program of its own.
//!
//! Such programs check themselves and end with exit code 0; a file `X.c.expected` beside `X.c` has what it prints. A
//! program counts where LLVM's object of the same bitcode gives that; the object of what is tested then has to give it,
//! too. What clang does not compile, or what needs something that this system lacks, is left out and counted as such.

use super::{LIMIT, Plan};
use crate::process::{self, End, Outcome, difference};
use crate::program::{self, Invocation, Setting};
use crate::toolchain::{Model, Recipe, Target, line_of};
use crate::workspace::show;
use anyhow::{Context as _, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time of one program.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// Flags of clang for programs of any age: what their time allowed is no error.
const FLAGS: [&str; 5] = ["-w", "-c", "-emit-llvm", "-fno-vectorize", "-fno-slp-vectorize"];

/// A folder of programs, and the name under which it is reported.
pub struct Suite {
    name: String,
    folder: PathBuf,
}

/// What became of one program with one recipe.
enum Verdict {
    Agrees,
    Refused(String),
    Differs(String),
}

/// Numbers of programs with one recipe.
#[derive(Default)]
struct Count {
    agree: usize,
    refused: BTreeMap<String, usize>,
    differ: usize,
}

impl Suite {
    /// From `NAME=FOLDER`.
    ///
    /// # Errors
    /// It has another form, or there is no such folder.
    pub fn parse(text: &str) -> anyhow::Result<Suite> {
        let (name, folder) = text.split_once('=').context("a suite is given as NAME=FOLDER")?;
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
            bail!("'{name}' is no name for a suite; letters, digits, '-' and '_' are");
        }
        let folder = std::fs::canonicalize(folder).with_context(|| format!("no folder '{folder}'"))?;
        Ok(Suite { name: name.to_owned(), folder })
    }

    /// The programs, in the order of their names.
    fn programs(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut programs = Vec::new();
        for entry in std::fs::read_dir(&self.folder).with_context(|| show(&self.folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "c") {
                programs.push(path);
            }
        }
        programs.sort();
        Ok(programs)
    }
}

/// Options of the compiler that a program asks for in the comments of GCC's test runner. Those for some targets only
/// and those of a machine are not taken.
fn options(source: &str) -> Vec<&str> {
    let directives = source.split("{ dg-").skip(1);
    let strings = directives.filter_map(|text| {
        let (name, rest) = text.split_once(' ')?;
        let mut parts = rest.split('}').next()?.split('"');
        let (_, string, behind) = (parts.next()?, parts.next()?, parts.next()?);
        (matches!(name, "options" | "additional-options") && !behind.contains("target")).then_some(string)
    });
    let words = strings.flat_map(str::split_whitespace);
    words.filter(|word| ["-f", "-std=", "-D"].iter().any(|start| word.starts_with(start))).collect()
}

/// What a message of the translator says without the file, the place and the function that it names.
fn reason(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    let text = line.split_once(".bc: ").map_or(line, |(_, text)| text);
    let has_place = text.starts_with("error ") || text.starts_with("function ");
    text.split_once(": ").filter(|_| has_place).map_or(text, |(_, what)| what).to_owned()
}

/// Compiles, translates, links and runs all programs of a suite; gives the number of runs and of failures.
///
/// # Errors
/// A tool cannot be started.
pub fn check(plan: &Plan, suite: &Suite, target: Target, model: Model) -> anyhow::Result<(usize, usize)> {
    let programs = suite.programs()?;
    let folder = plan.results.join(format!("{}-{}-{}-{model:?}", suite.name, target.name(), plan.level));
    std::fs::create_dir_all(&folder).with_context(|| show(&folder))?;
    let verdicts = process::for_each(programs.len(), plan.jobs, |index| {
        let program = One { plan, source: &programs[index], folder: &folder, target, model };
        program.verdicts().with_context(|| show(program.source))
    })?;
    let left_out = verdicts.iter().filter(|verdicts| verdicts.is_none()).count();
    let mut failed = 0;
    for (at, recipe) in plan.recipes.iter().enumerate() {
        let mut count = Count::default();
        for (program, verdicts) in programs.iter().zip(&verdicts) {
            let Some(verdicts) = verdicts else { continue };
            match &verdicts[at] {
                Verdict::Agrees => count.agree += 1,
                Verdict::Refused(why) => *count.refused.entry(why.clone()).or_default() += 1,
                Verdict::Differs(how) => {
                    count.differ += 1;
                    println!("{} {} {}: {how}", show(program), target.name(), recipe.name());
                }
            }
        }
        let refused: usize = count.refused.values().sum();
        println!(
            "{} {} -{} {}: {} programs, {left_out} left out, {} run: {} agree, {refused} refused, {} differ",
            suite.name,
            target.name(),
            plan.level,
            recipe.name(),
            programs.len(),
            programs.len() - left_out,
            count.agree,
            count.differ
        );
        for (why, number) in &count.refused {
            println!("  refused {number}: {why}");
        }
        failed += count.differ;
    }
    Ok(((programs.len() - left_out) * plan.recipes.len(), failed))
}

/// One program for one target.
struct One<'a> {
    plan: &'a Plan,
    source: &'a Path,
    folder: &'a Path,
    target: Target,
    model: Model,
}

impl One<'_> {
    fn file(&self, suffix: &str) -> PathBuf {
        let stem = self.source.file_stem().unwrap_or_default().to_string_lossy();
        self.folder.join(format!("{stem}.{suffix}"))
    }

    fn setting(&self, recipe: Recipe) -> Setting {
        Setting { target: self.target, recipe, model: self.model }
    }

    /// Bitcode of the program; nothing if clang does not compile it.
    fn compile(&self) -> anyhow::Result<Option<PathBuf>> {
        let text = std::fs::read(self.source)?;
        let text = String::from_utf8_lossy(&text);
        let bitcode = self.file("bc");
        let compile = |standard: &str| {
            let mut clang = process::command(Path::new("clang-19"), self.target.clang_flags());
            clang.args(FLAGS).arg(format!("-{}", self.plan.level)).arg(self.model.clang_flag());
            clang.arg(standard).args(options(&text));
            let outcome = process::run(clang.arg("-o").arg(&bitcode).arg(self.source), LIMIT)?;
            anyhow::Ok(outcome.end == End::Exit(0))
        };
        // Old programs are no C of today, and new ones none of 1989.
        let done = compile("-std=gnu17")? || compile("-std=gnu89")?;
        Ok(done.then_some(bitcode))
    }

    /// What LLVM's program does, if it does what the program's author means.
    fn expected(&self, bitcode: &Path, invocation: &Invocation) -> anyhow::Result<Option<Outcome>> {
        let (object, executable) = (self.file("llc.o"), self.file("llc"));
        let setting = self.setting(Recipe::O2);
        if program::llvm_object("llc-19", "-O2", bitcode, &object, setting).is_err() {
            return Ok(None);
        }
        if program::link(&[object], &executable, setting)?.is_err() {
            return Ok(None);
        }
        let outcome = program::run(&executable, invocation)?;
        let printed = PathBuf::from(format!("{}.expected", self.source.display()));
        let is_meant = !printed.is_file() || std::fs::read(&printed)? == outcome.output;
        Ok((outcome.end == End::Exit(0) && is_meant).then_some(outcome))
    }

    /// What becomes of it with each recipe; nothing if it is left out.
    fn verdicts(&self) -> anyhow::Result<Option<Vec<Verdict>>> {
        let Some(bitcode) = self.compile()? else { return Ok(None) };
        let invocation = Invocation {
            target: self.target,
            arguments: Vec::new(),
            directory: Some(self.folder.to_owned()),
            limit: RUN_LIMIT,
        };
        let Some(expected) = self.expected(&bitcode, &invocation)? else { return Ok(None) };
        let verdict = |&recipe: &Recipe| {
            let (object, executable) = (self.file(&format!("{}.o", recipe.name())), self.file(recipe.name()));
            let setting = self.setting(recipe);
            if let Err(text) = program::tested_object(&self.plan.translator, &bitcode, &object, setting)? {
                // A refusal is a message and exit code 1; anything else is a fault of the translator.
                let is_refusal = text.lines().next().is_some_and(|line| line.ends_with(": exit code 1"));
                return Ok(if is_refusal { Verdict::Refused(reason(&text)) } else { Verdict::Differs(text) });
            }
            if let Err(text) = program::link(&[object], &executable, setting)? {
                return Ok(Verdict::Differs(text));
            }
            let outcome = program::run(&executable, &invocation)?;
            Ok(match difference(&expected, &outcome) {
                None => Verdict::Agrees,
                Some(text) => {
                    let line = line_of(&self.target.execute(&executable));
                    Verdict::Differs(format!("{text}\n  {line}"))
                }
            })
        };
        self.plan.recipes.iter().map(verdict).collect::<anyhow::Result<Vec<_>>>().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_from_comments() {
        let text = "/* { dg-options \"-fwrapv -O2\" } */ int main() {}\n\
                    /* { dg-additional-options \"-DX=1 -mno-mmx\" } */\n\
                    /* { dg-additional-options \"-fpic\" { target fpic } } */\n\
                    /* { dg-require-effective-target \"-fno\" } { dg-options { \"-std=c99\" } } */";
        assert_eq!(options(text), ["-fwrapv", "-DX=1", "-std=c99"]);
    }

    #[test]
    fn reasons_have_no_names() {
        assert_eq!(reason("ice translate: exit code 1\nice: /x/a.bc: function f (func3): no X"), "no X");
        assert_eq!(reason("ice: /x/a.bc: error L12 at 2760:0 in block 8@32, record 1: no: Y"), "no: Y");
        assert_eq!(reason("ice: /x/a.bc: alias 'b' is unknown"), "alias 'b' is unknown");
    }

    #[test]
    fn a_suite_has_a_name_and_a_folder() {
        assert_eq!(Suite::parse("some-1=.").unwrap().name, "some-1");
        for wrong in [".", "=.", "a/b=.", "a=/no/such/folder"] {
            assert!(Suite::parse(wrong).is_err(), "{wrong}");
        }
    }
}
