//! Links the command without tables for unwinding: in a release a panic ends the process, so nothing reads them.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=discard-unwind-tables.ld");
    let variable = |name| env::var(name).unwrap_or_default();
    if variable("PROFILE") == "release" && variable("CARGO_CFG_TARGET_OS") == "linux" {
        let directory = variable("CARGO_MANIFEST_DIR");
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{directory}/discard-unwind-tables.ld");
    }
}
