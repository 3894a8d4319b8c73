//! What tests have in common.

pub mod stack;
pub mod tools;

use ice_driver::{InputFormat, Recipe};
use ice_jit::{Error, Jit, LoadedModule};

/// Whether processes of this machine are taken to be an emulator's, whose memory, mappings and debugger are its own.
pub const IS_EMULATED: bool = cfg!(any(target_arch = "arm", target_arch = "aarch64"));

pub const RECIPES: [Recipe; 2] = [Recipe::Om1, Recipe::O2];

/// The text of a native module of this process, in which `ptr` stands for the integer type of addresses.
pub fn native(text: &str) -> String {
    let pointer = if size_of::<usize>() == 8 { "i64" } else { "i32" };
    format!("target pointer {pointer} native\n{}", text.replace("ptr", pointer))
}

/// Loads a native module.
pub fn load(jit: &Jit, text: &str) -> Result<LoadedModule, Error> {
    jit.load_file(native(text).as_bytes(), InputFormat::Text)
}
