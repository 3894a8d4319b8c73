//! Requests that cannot be met.

use crate::common::{load, native};
use ice_driver::{InputFormat, Recipe};
use ice_jit::{Error, Jit};

fn message(text: &str) -> String {
    let jit = Jit::new(Recipe::O2).expect("the host is known");
    load(&jit, text).err().expect("it cannot be loaded").to_string()
}

const CALLER: &str = "declare external @NAME() -> void\n\
    define external @caller_NAME() -> void {\nblock0:\n  call @NAME()\n  ret\n}\n";

#[test]
fn all_missing_names_are_said() {
    let text = CALLER.replace("NAME", "some") + &CALLER.replace("NAME", "other");
    assert_eq!(message(&text), "nothing is called some, other");
    // What nobody calls need not be anywhere.
    let jit = Jit::new(Recipe::O2).expect("the host is known");
    assert!(load(&jit, "declare external @unused() -> void\n").is_ok());
}

#[test]
fn functions_that_resolvers_give_are_refused() {
    let text = "define internal @own() -> void {\nblock0:\n  ret\n}\n\
        define external @ask() -> ptr {\n  v0: ptr = @own\nblock0:\n  ret v0\n}\n\
        indirect external @f() -> void = @ask\n";
    assert_eq!(message(text), "f is where its resolver says, which nobody asks for code in memory");
}

#[test]
fn types_are_compared() -> Result<(), Error> {
    let text = "define external @f(v0: i32, v1: f64) -> i64 {\n  v2: i64 = 0\nblock0:\n  ret v2\n}\n\
        global external @g align 4 = zero 4\n";
    let module = load(&Jit::new(Recipe::O2)?, text)?;
    // SAFETY: nothing is called.
    unsafe {
        assert!(module.get::<unsafe extern "C" fn(u32, f64) -> u64>("f").is_ok());
        let error = module.get::<extern "C" fn(i32, f32) -> i64>("f").expect_err("the type is another one");
        assert_eq!(error.to_string(), "f has the type (i32, f64) -> i64 and is called as (i32, f32) -> i64");
        let error = module.get::<extern "C" fn()>("g").expect_err("it is no function");
        assert_eq!(error.to_string(), "the module defines no function g");
    }
    assert_eq!(
        module.variable("f").expect_err("it is a function").to_string(),
        "the module defines no variable f"
    );
    assert!(module.variable("g").is_ok());
    Ok(())
}

#[test]
fn thread_local_variables_of_others_and_misused_ones_are_refused() {
    let text = "global external thread_local declared @errno\n\
        intrinsic external @llvm.threadlocal.address(ptr) -> ptr as threadlocal.address\n\
        define external @f() -> ptr {\n  v0: ptr = @errno\nblock0:\n  \
        v1: ptr = call @llvm.threadlocal.address(v0)\n  ret v1\n}\n";
    assert_eq!(message(text), "nothing is called errno (thread-local)");
    let text = "global external thread_local @t align 4 = zero 4\n\
        define external @f() -> i32 {\nblock0:\n  v1: i32 = load @t, align 4\n  ret v1\n}\n";
    assert!(
        message(text).ends_with("t is thread-local, and its address is used without threadlocal.address")
    );
}

/// What is too large for distances, and what the system has no addresses for: in a process of its own, as others need
/// them. An emulator's process has those of the emulator.
#[test]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn memory_that_cannot_be_mapped_is_an_error() -> Result<(), Error> {
    const ALONE: &str = "ICE_JIT_TAKES_ALL_ADDRESSES";
    let large = |bytes: &str| format!("global external @large align 4 = {bytes}\n");
    if std::env::var_os(ALONE).is_none() {
        let too_large = message(&large(&["zero 2000000000"; 2].join(", ")));
        assert_eq!(too_large, "an area of 4000000000 bytes is too large; there may be 1073741824");
        let program = std::env::current_exe().expect("the test is a program");
        let mut alone = std::process::Command::new(program);
        alone.env(ALONE, "1").args(["--exact", "errors::memory_that_cannot_be_mapped_is_an_error"]);
        let output = alone.output().expect("it can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return Ok(());
    }
    let jit = Jit::new(Recipe::O2)?;
    // Addresses of 32 bits, on every machine.
    let text = "target pointer i32\n".to_owned() + &large("zero 400000000").replace("external", "internal");
    let load = || jit.load_file(text.as_bytes(), InputFormat::Text);
    let mut modules = Vec::new();
    let error = loop {
        match load() {
            Ok(module) => modules.push(module),
            Err(error) => break error,
        }
        assert!(modules.len() < 20, "more than 4 GiB");
    };
    assert!(matches!(error, Error::Memory(_)), "{error}");
    assert!(error.to_string().starts_with("the system gives no memory for code: "), "{error}");
    // What others give back is enough.
    modules.truncate(1);
    load().map(drop)
}

#[test]
fn malformed_modules_are_refused() -> Result<(), Error> {
    let jit = Jit::new(Recipe::O2)?;
    for (format, bytes) in [
        (InputFormat::Text, &b"define"[..]),
        (InputFormat::Bitcode, b"PEXE"),
        (InputFormat::Llvm, b"BC\xc0\xde"),
    ] {
        assert!(matches!(jit.load_file(bytes, format), Err(Error::Compile(_))), "{format:?}");
    }
    let text = native("define external @f() -> void {\nblock0:\n  ret\n}\n");
    let program = ice_ir::parse_program(&text).expect("it is written as it should be");
    let error = jit.load(&program.module, &[]).err().expect("the body is missing");
    assert_eq!(error.to_string(), "the function f has no body");
    Ok(())
}

#[test]
fn addresses_of_another_width_are_refused() -> Result<(), Error> {
    let other = if size_of::<usize>() == 8 { "i32" } else { "i64" };
    let text =
        format!("target pointer {other} native\ndefine external @f() -> void {{\nblock0:\n  ret\n}}\n");
    let error = Jit::new(Recipe::O2)?.load_file(text.as_bytes(), InputFormat::Text).err();
    assert!(matches!(error, Some(Error::Compile(ice_driver::Error::PointerWidth { .. }))), "{error:?}");
    Ok(())
}

/// A module that is refused leaves no names and no memory behind.
#[test]
fn a_module_that_is_refused_leaves_nothing() -> Result<(), Error> {
    let jit = Jit::new(Recipe::Om1)?;
    let good = "define external @f() -> void {\nblock0:\n  ret\n}\n";
    for _ in 0..100 {
        assert!(load(&jit, &(good.to_owned() + &CALLER.replace("NAME", "missing"))).is_err());
    }
    let module = load(&jit, good)?;
    let taken = good.to_owned() + "global external @g align 4 = zero 4\n";
    assert!(matches!(load(&jit, &taken), Err(Error::Duplicate(name)) if name == "f"));
    drop(module);
    load(&jit, &taken)?;
    Ok(())
}
