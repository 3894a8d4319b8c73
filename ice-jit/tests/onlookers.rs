//! What profilers and debuggers see of generated code.

use crate::common::{IS_EMULATED, load, tools};
use ice_driver::Recipe;
use ice_ir::native::UnwindTables;
use ice_jit::{Debugger, Error, Jit, LoadedModule, PerfMap};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn profilers_find_names() -> Result<(), Error> {
    let jit = Jit::builder(Recipe::O2).perf_map(PerfMap::Written).build()?;
    let module =
        load(&jit, "define external @\"of two\\0alines\"() -> i32 {\n  v1: i32 = 1\nblock0:\n  ret v1\n}\n")?;
    // SAFETY: nothing is called.
    let address = unsafe { module.get::<extern "C" fn() -> i32>("of two\nlines")? } as usize;
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let text = std::fs::read_to_string(&path).expect("it was written");
    std::fs::remove_file(&path).expect("it is ours");
    let line = text.strip_prefix(&format!("{address:x} ")).expect("the address comes first");
    let (size, name) = line.split_once(' ').expect("a size");
    assert!((1..64).contains(&u64::from_str_radix(size, 16).expect("a number")), "{line}");
    assert_eq!(name, "of two lines\n");
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The kernel's `tools/perf/Documentation/jitdump-specification.txt`.
#[test]
fn profilers_find_code_in_a_dump() -> Result<(), Error> {
    let directory = std::env::temp_dir().join(format!("ice-jit-dump-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("there is room");
    let jit = Jit::builder(Recipe::O2).perf_dump(&directory).build()?;
    let text = |number: u32| {
        format!("define external @named{number}() -> i32 {{\n  v1: i32 = {number}\nblock0:\n  ret v1\n}}\n")
    };
    let modules: Vec<LoadedModule> =
        [7, 8].iter().map(|&number| load(&jit, &text(number))).collect::<Result<_, _>>()?;
    let path = directory.join(format!("jit-{}.dump", std::process::id()));
    let bytes = std::fs::read(&path).expect("it was written");
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the system tells");
    let is_mapped =
        maps.lines().any(|line| line.contains("r-xp") && line.ends_with(&*path.to_string_lossy()));
    std::fs::remove_dir_all(&directory).expect("it is ours");
    // An emulator maps for itself.
    assert!(is_mapped || IS_EMULATED, "{maps}");
    let machine = if cfg!(target_arch = "x86_64") {
        62
    } else if cfg!(target_arch = "x86") {
        3
    } else if cfg!(target_arch = "aarch64") {
        183
    } else {
        40
    };
    let head = [0, 4, 8, 12, 20].map(|at| word(&bytes, at));
    assert_eq!(head, [0x4a69_5444, 1, 40, machine, std::process::id()]);
    let (mut at, mut earlier) = (40, long(&bytes, 24));
    for (index, number) in [7, 8].into_iter().enumerate() {
        let (name, total) = (format!("named{number}"), word(&bytes, at + 4) as usize);
        assert_eq!([word(&bytes, at), word(&bytes, at + 16)], [0, std::process::id()]);
        assert!(long(&bytes, at + 8) >= earlier);
        earlier = long(&bytes, at + 8);
        // SAFETY: nothing is called.
        let function = unsafe { modules[index].get::<extern "C" fn() -> i32>(&name)? };
        let [address, code_address, size, number] = [24, 32, 40, 48].map(|field| long(&bytes, at + field));
        assert_eq!((address, code_address, number), (function as usize as u64, address, index as u64));
        assert_eq!(&bytes[at + 56..][..name.len() + 1], format!("{name}\0").as_bytes());
        let code = &bytes[at + 56 + name.len() + 1..at + total];
        // SAFETY: the code of the function has this size.
        let there = unsafe { std::slice::from_raw_parts(function as usize as *const u8, size as usize) };
        assert_eq!(code, there);
        at += total;
    }
    assert_eq!(at, bytes.len());
    let nowhere = Jit::builder(Recipe::O2).perf_dump("/nowhere").build();
    assert!(matches!(nowhere, Err(Error::PerfDump(_))));
    Ok(())
}

const NESTED: &str = "declare external @stop(i32) -> i32\n\
define external @generated_inner(v0: i32) -> i32 {\n  v1: i32 = 3\nblock0:\n  v2: i32 = mul v0, v1\n  \
v3: i32 = call @stop(v2)\n  v4: i32 = add v3, v0\n  ret v4\n}\n\
define external @generated_outer(v0: i32) -> i32 {\n  v1: i32 = 5\nblock0:\n  v2: i32 = add v0, v1\n  \
v3: i32 = call @generated_inner(v2)\n  v4: i32 = mul v3, v0\n  ret v4\n}\n";

/// Where the debugger stops.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn ice_jit_test_stop(number: i32) -> i32 {
    std::hint::black_box(number)
}

#[inline(never)]
fn ice_jit_test_caller(function: extern "C" fn(i32) -> i32) -> i32 {
    std::hint::black_box(function(std::hint::black_box(2)))
}

/// What runs below the debugger.
#[test]
#[ignore = "for a debugger"]
fn debugged() -> Result<(), Error> {
    let builder = Jit::builder(Recipe::O2).symbol("stop", ice_jit_test_stop as *const ());
    let jit = builder.debugger(Debugger::Told).unwind_tables(UnwindTables::Sync).build()?;
    // Entries at the beginning, in the middle and at the end of the list go.
    let other = || load(&jit, "define internal @gone() -> void {\nblock0:\n  ret\n}\n");
    let (first, module, last) = (other()?, load(&jit, NESTED)?, other()?);
    let middle = other()?;
    let rest = other()?;
    drop((middle, last, rest, first));
    // SAFETY: the code is that of the text, and the module is there.
    let outer = unsafe { module.get::<extern "C" fn(i32) -> i32>("generated_outer")? };
    assert_eq!(ice_jit_test_caller(outer), 56);
    Ok(())
}

#[test]
fn debuggers_find_names_and_callers() {
    if IS_EMULATED || !tools::has("names for gdb", &["gdb"]) {
        return;
    }
    let program = std::env::current_exe().expect("it runs");
    let mut gdb = Command::new("gdb");
    gdb.args(["--batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "set breakpoint pending on"]);
    for command in ["break ice_jit_test_stop", "run", "backtrace 4", "info symbol $pc", "continue"] {
        gdb.args(["-ex", command]);
    }
    gdb.arg("--args").arg(Path::new(&program)).args([
        "--ignored",
        "--exact",
        "--nocapture",
        "onlookers::debugged",
    ]);
    let output = gdb.stdin(Stdio::null()).output().expect("gdb starts");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if !text.contains("Breakpoint 1, ") {
        return tools::skip("names for gdb", &format!("it runs no program here:\n{text}"));
    }
    let places: Vec<Option<usize>> = ["generated_inner (", "generated_outer (", "ice_jit_test_caller"]
        .iter()
        .map(|name| text.find(name))
        .collect();
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}
