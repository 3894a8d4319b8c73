//! Programs in process against the reference interpreter.

use crate::common::RECIPES;
use crate::common::stack::{exit, long_jump, on_low_stack, set_jump};
use ice_driver::{InputFormat, Recipe};
use ice_interpreter::Interpreter;
use ice_ir::Program;
use ice_ir::generate::{Entry, Options, ReturnCalls, UndefinedResults, generate_program};
use ice_jit::{Jit, JitBuilder};
use std::cell::RefCell;

extern "C" fn thread_pointer() -> u32 {
    0x1000
}

fn builder(recipe: Recipe) -> JitBuilder {
    Jit::builder(recipe)
        .symbol("__ice_setjmp", set_jump as *const ())
        .symbol("__ice_longjmp", long_jump as *const ())
        .symbol("__ice_read_tp", thread_pointer as *const ())
}

fn jit_of(recipe: Recipe) -> Jit {
    builder(recipe).build().expect("the host is known")
}

fn interpreted(program: &Program) -> i64 {
    let checksum = program.module.function_by_name(b"checksum").expect("it is generated");
    let mut interpreter = Interpreter::new(program).expect("the program is valid");
    let outcome = interpreter.call(checksum, &[]).expect("the program does not trap");
    assert!(!outcome.taint.any() && outcome.tainted == 0);
    outcome.value.expect("a checksum").bits as i64
}

fn check_generated(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let options = Options {
            functions: 1 + (seed % 7) as u32,
            statements: 5 + (seed % 90) as u32,
            entry: Entry::Functions,
            undefined: UndefinedResults::Avoid,
            return_calls: ReturnCalls::Allow,
        };
        let program = generate_program(seed, &options);
        let expected = interpreted(&program);
        for recipe in RECIPES {
            let jit = builder(recipe).build().expect("the host is known");
            let module =
                jit.load(&program.module, &program.bodies).unwrap_or_else(|error| panic!("{seed}: {error}"));
            // SAFETY: the code is that of a program that does not trap.
            let checksum =
                unsafe { module.get::<extern "C" fn() -> i64>("checksum") }.expect("it is generated");
            assert_eq!(on_low_stack(|| checksum()), Some(expected), "seed {seed}, {recipe:?}");
            let lazy = jit_of(recipe).load_lazily(&program).unwrap_or_else(|error| panic!("{seed}: {error}"));
            // SAFETY: as above.
            let checksum =
                unsafe { lazy.get::<extern "C" fn() -> i64>("checksum") }.expect("it is generated");
            assert_eq!(on_low_stack(|| checksum()), Some(expected), "seed {seed}, {recipe:?}, lazily");
        }
    }
}

#[test]
fn generated_programs_compute_what_the_interpreter_computes() {
    check_generated(0..40);
}

#[test]
#[ignore = "takes minutes"]
fn many_generated_programs_compute_what_the_interpreter_computes() {
    check_generated(40..2000);
}

thread_local! {
    /// What a sample has written, and its exit code.
    static OUTPUT: RefCell<(Vec<u8>, Option<i32>)> = const { RefCell::new((Vec::new(), None)) };
}

/// The bytes at an address of a program.
///
/// # Safety
/// They are there.
unsafe fn bytes<'a>(address: u32, len: u32) -> &'a [u8] {
    // SAFETY: as promised.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), len as usize) }
}

extern "C" fn host_write(descriptor: i32, address: u32, len: u32, written: u32) -> i32 {
    assert_eq!(descriptor, 1);
    // SAFETY: the program has given its own bytes and its own word.
    unsafe {
        OUTPUT.with_borrow_mut(|output| output.0.extend_from_slice(bytes(address, len)));
        std::ptr::with_exposed_provenance_mut::<u32>(written as usize).write_unaligned(len);
    }
    0
}

extern "C" fn host_exit(status: i32) -> ! {
    OUTPUT.with_borrow_mut(|output| output.1 = Some(status));
    exit()
}

/// Functions of the host at addresses of 32 bits: entry 4 of one table, entry 0 of the other.
const HOST: &str = "\
declare external @host_write(i32, i32, i32, i32) -> i32
declare external @host_exit(i32) -> void
global external @block align 4 = zero 256
global external @text align 4 = zero 256
define internal @write(v0: i32, v1: i32, v2: i32, v3: i32) -> i32 {
block0:
  v4: i32 = call @host_write(v0, v1, v2, v3)
  ret v4
}
define internal @exit(v0: i32) -> void {
block0:
  call @host_exit(v0)
  ret
}
define external @query(v0: i32, v1: i32, v2: i32) -> i32 {
  v3: i32 = 32
  v4: i32 = 16
block0:
  v5: i1 = icmp eq v2, v3
  br v5, block1, block2
block1:
  v6: i32 = add v1, v4
  store @write to v6, align 1
  ret v2
block2:
  store @exit to v1, align 1
  ret v2
}
";

/// Runs a program with its arguments.
fn run(recipe: Recipe, program: &[u8], format: InputFormat, arguments: &[&str]) -> (Vec<u8>, Option<i32>) {
    let jit = builder(recipe)
        .symbol("host_write", host_write as *const ())
        .symbol("host_exit", host_exit as *const ())
        .build()
        .expect("the host is known");
    let host = jit.load_file(HOST.as_bytes(), InputFormat::Text).expect("the host's part is valid");
    let program = jit.load_file(program, format).expect("the sample is valid");
    let (block, text) =
        (host.variable("block").expect("it is there"), host.variable("text").expect("it is there"));
    let mut next = text.addr();
    let mut words = vec![0, 0, arguments.len() as u32];
    let mut strings = Vec::new();
    for argument in arguments {
        words.push(next as u32);
        strings.extend(argument.bytes().chain([0]));
        next = text.addr() + strings.len();
    }
    // SAFETY: the code is that of `HOST`.
    let query = unsafe { host.get::<extern "C" fn(u32, u32, u32) -> u32>("query") }.expect("it is there");
    words.extend([0, 0, 32, query as usize as u32, 0, 0]);
    assert!(strings.len() <= 256 && words.len() <= 64);
    // SAFETY: both variables have 256 bytes, and nothing runs.
    unsafe {
        text.cast::<u8>().copy_from_nonoverlapping(strings.as_ptr(), strings.len());
        block.cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), words.len());
    }
    // SAFETY: the sample is a program for such a host.
    let start = unsafe { program.get::<extern "C" fn(u32)>("_start") }.expect("a program begins");
    OUTPUT.take();
    assert_eq!(on_low_stack(|| start(block.addr() as u32)), None, "a sample ends by an exit");
    OUTPUT.take()
}

#[test]
fn samples_write_what_they_write_in_the_interpreter() {
    for (name, arguments) in [("hello", &[][..]), ("primes", &["50"]), ("mandelbrot", &[]), ("sort", &[])] {
        let arguments: Vec<&str> = std::iter::once(name).chain(arguments.iter().copied()).collect();
        let path = format!("{}/../samples/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path.clone() + ".ice").expect("the sample is there");
        let program = ice_ir::parse_program(&text).expect("the sample is valid");
        let mut host = ice_interpreter::CaptureHost::default();
        let words: Vec<&[u8]> = arguments.iter().map(|argument| argument.as_bytes()).collect();
        let mut interpreter = Interpreter::new(&program).expect("the sample is valid");
        let status = interpreter.run_program(&mut host, &words, &[]).expect("the sample does not trap");
        let bitcode = std::fs::read(path + ".pexe").expect("the sample is there");
        for recipe in RECIPES {
            for (bytes, format) in [(text.as_bytes(), InputFormat::Text), (&*bitcode, InputFormat::Bitcode)] {
                let (output, code) = run(recipe, bytes, format, &arguments);
                assert_eq!(
                    (output == host.output, code),
                    (true, Some(status)),
                    "{name}, {recipe:?}, {format:?}"
                );
            }
        }
    }
}
