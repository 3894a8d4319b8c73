//! Links the command for release without what it does not need. It ends where it panics, so nothing reads tables for
//! unwinding. It is loaded at one address, so that no address in its constant data, of which there are thousands for the
//! places of panics, needs a record for the loader, 24 bytes and some time at each start. What random addresses make
//! harder, the abuse of faults of memory, takes unsafe code, which the command and its libraries do not have.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=discard-unwind-tables.ld");
    let variable = |name| env::var(name).unwrap_or_default();
    if variable("PROFILE") == "release" && variable("CARGO_CFG_TARGET_OS") == "linux" {
        let directory = variable("CARGO_MANIFEST_DIR");
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{directory}/discard-unwind-tables.ld");
        if variable("CARGO_CFG_TARGET_ENV") == "gnu" {
            println!("cargo::rustc-link-arg-bins=-no-pie");
        }
    }
}
