//! Whole files of other compilers, in process.

use crate::common::{RECIPES, tools};
use ice_driver::InputFormat;
use ice_jit::{Jit, ProcessSymbols};
use std::path::Path;
use std::process::Command;

const TOOL: &str = "clang-19";

/// What makes code for the machine of this process.
const MACHINE: &[&str] = if cfg!(target_arch = "x86") {
    &["--target=i686-linux-gnu", "-march=pentium4", "-mfpmath=sse", "-isystem/usr/i686-linux-gnu/include"]
} else if cfg!(target_arch = "aarch64") {
    &["--target=aarch64-linux-gnu", "-isystem/usr/aarch64-linux-gnu/include"]
} else if cfg!(target_arch = "arm") {
    &["--target=armv7-linux-gnueabihf", "-mfpu=neon", "-isystem/usr/arm-linux-gnueabihf/include"]
} else {
    &[]
};

/// Bitcode of a C file of this folder, for the machine of this process.
fn bitcode(name: &str, flags: &[&str]) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let mut command = Command::new(TOOL);
    command
        .args(["-O1", "-fno-exceptions", "-emit-llvm", "-c", "-o", "-"])
        .args(MACHINE)
        .args(flags)
        .arg(source);
    let output = command.output().expect("the compiler is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn code_of_c_calls_the_process_and_is_called() {
    if !tools::has("C in process", &[TOOL]) {
        return;
    }
    for flags in [&["-fPIC"][..], &["-fno-pic"], &["-fPIE"]] {
        let bytes = bitcode("words.c", flags);
        for recipe in RECIPES {
            let jit = Jit::builder(recipe).process_symbols(ProcessSymbols::Visible).threads(2).build();
            let module =
                jit.and_then(|jit| jit.load_file(&bytes, InputFormat::Llvm)).expect("the code is valid");
            let text = b"the quick brown fox jumps over the lazy dog and the quick cat\0";
            let mut out = [0u8; 200];
            // SAFETY: the code is that of the file, and is called with the types that it has there.
            unsafe {
                let count = module.get::<extern "C" fn(*const u8, *mut u8, usize) -> i32>("count_words");
                let count = count.expect("it is defined");
                assert_eq!(count(text.as_ptr(), out.as_mut_ptr(), out.len()), 10);
                let average = module.get::<extern "C" fn() -> f64>("average_length").expect("it is defined");
                assert_eq!(average(), 49.0 / 13.0);
                let kind = module
                    .get::<extern "C" fn(i32) -> *const std::ffi::c_char>("kind")
                    .expect("it is defined");
                let names = [0, 3, 5, 99].map(|n| std::ffi::CStr::from_ptr(kind(n)).to_str());
                assert_eq!(names, [Ok("zero"), Ok("three"), Ok("five"), Ok("many")]);
            }
            let text = std::ffi::CStr::from_bytes_until_nul(&out).expect("it ends").to_str();
            assert_eq!(text, Ok("and=1 brown=1 cat=1 dog=1 fox=1 jumps=1 lazy=1 over=1 quick=2 the=3 "));
        }
    }
}
