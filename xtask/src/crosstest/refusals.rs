//! Functions that the translator refuses, and an object of all the others.
//!
//! One construct that a translator does not know would keep a whole module from being tested. So a function that it names
//! in its message is taken out with `llvm-extract` and comes from LLVM, and the rest is tried again.

use crate::process;
use crate::program::{self, Setting};
use crate::toolchain::{Llvm, Translator, succeed};
use std::path::{Path, PathBuf};

/// More refusals than this and the module is given up.
const MOST: usize = 60;

/// Whose constants the functions of LLVM read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Constants {
    /// Those of the first object.
    Shared,
    /// Copies: code that is made in the process shows functions only.
    Copied,
}

/// Constants that nothing outside of a module names, as rustc and clang call them.
const CONSTANTS: &str = r"--rglob=^(anon\.|alloc_|\.L|\.str|__const\.|switch\.table)";

/// What came of a module.
pub struct Translated {
    /// What is to be linked, that of the translator first; nothing if the module was given up.
    pub objects: Vec<PathBuf>,
    /// The bitcode of the first object.
    pub bitcode: PathBuf,
    /// Messages of the translator.
    pub refusals: Vec<String>,
}

/// The name in a message `...: function NAME (funcN): ...`.
fn refused_function(message: &str) -> Option<&str> {
    message.split_once("function ")?.1.split_once(" (func").map(|(name, _)| name)
}

/// Translates a module but for the functions that the translator refuses, which come from `llvm`.
///
/// # Errors
/// A tool of LLVM fails.
pub fn translate(
    translator: &Translator,
    bitcode: &Path,
    llvm: Llvm,
    setting: Setting,
    constants: Constants,
) -> anyhow::Result<Translated> {
    let file = |part: &str| bitcode.with_extension(format!("{}.{part}", setting.recipe.name()));
    let (object, rest, refused) = (file("o"), file("rest.bc"), file("refused.bc"));
    let mut refusals = Vec::new();
    let mut flags: Vec<String> = Vec::new();
    loop {
        let input = if flags.is_empty() { bitcode } else { &*rest };
        let Err(message) = program::tested_object(translator, input, &object, setting)? else { break };
        let name = refused_function(&message).map(str::to_owned);
        // The command line matters for the first one only.
        let line = if refusals.is_empty() { &*message } else { message.lines().last().unwrap_or_default() };
        refusals.push(line.to_owned());
        let flag = name.map(|name| format!("--func={name}"));
        match flag.filter(|flag| refusals.len() < MOST && !flags.contains(flag)) {
            None => return Ok(Translated { objects: Vec::new(), bitcode: rest, refusals }),
            Some(flag) => flags.push(flag),
        }
        let extract = |flag: &[&str], to: &Path| {
            let mut command = process::command(Path::new(&llvm.tool("llvm-extract")), flag);
            succeed(command.args(&flags).arg("-o").arg(to).arg(bitcode))
        };
        extract(&["--delete"], &rest)?;
        // A module without such constants is an error of the tool.
        if constants == Constants::Shared || extract(&[CONSTANTS], &refused).is_err() {
            extract(&[], &refused)?;
        }
    }
    let mut objects = vec![object];
    let bitcode = if flags.is_empty() { bitcode.to_owned() } else { rest };
    if !flags.is_empty() {
        let object = file("refused.o");
        program::llvm_object(&llvm.tool("llc"), "-O2", &refused, &object, setting)?;
        objects.push(object);
    }
    Ok(Translated { objects, bitcode, refusals })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_taken_from_the_message() {
        let message = "ice: a.bc: function add_u128 (func168): not supported by this target";
        assert_eq!(refused_function(message), Some("add_u128"));
        assert_eq!(refused_function("ice: a.bc: error at 3978:5 in block 8, function 25, record 8"), None);
    }
}
