//! What a hostile program gives to the functions of the loader: bad addresses and lengths, stacks that are none, more
//! threads than there can be. A call fails with its number or stops the program as an access of its own would; the
//! loader goes on or says where it was.

use super::{loaded, run, signal};
use crate::common::{Scratch, TARGETS, can_run, errors, with_input};
use std::process::Output;

/// How to find the host's functions: `@find` takes the argument block, `@entry` the name of an interface and an offset
/// in its table, `@finish` ends the program.
const PRELUDE: &str = "\
constant @basic align 1 = bytes \"nacl-irt-basic-0.1\\00\"
constant @line align 1 = bytes \"a line of text\\0a\"
global @query align 4 = zero 4
global @table align 4 = zero 64
global @room align 8 = zero 64
global @text_place align 4 = bytes \"\\00\\00\\02\\00\"
global @no_place align 4 = zero 4
define internal @find(v0: i32) -> void {
  v2: i32 = 2  v3: i32 = 4  v4: i32 = 8  v5: i32 = 20  v7: i32 = 32
block0:
  v10: i32 = add v0, v3
  v11: i32 = load v10, align 1
  v12: i32 = add v0, v4
  v13: i32 = load v12, align 1
  v14: i32 = add v11, v13
  v15: i32 = shl v14, v2
  v16: i32 = add v0, v15
  v17: i32 = add v16, v5
  br block1
block1:
  v18: i32 = phi [v17, block0], [v22, block2]
  v19: i32 = load v18, align 1
  v20: i1 = icmp eq v19, v7
  br v20, block3, block2
block2:
  v22: i32 = add v18, v4
  br block1
block3:
  v23: i32 = add v18, v3
  v24: i32 = load v23, align 1
  store v24 to @query, align 1
  ret
}
define internal @entry(v0: i32, v1: i32) -> i32 {
  v2: i32 = 64
block0:
  v3: i32 = load @query, align 1
  v4: i32 = call_indirect v3(v0, @table, v2)
  v5: i32 = add @table, v1
  v6: i32 = load v5, align 1
  ret v6
}
define internal @finish(v0: i32) -> void {
  v1: i32 = 0
block0:
  v2: i32 = call @entry(@basic, v1)
  call_indirect v2(v0)
  ret
}
";

/// How a program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// With the result of the call.
    Code(i32),
    /// By a signal, and a line that says that it was in a call.
    Stopped,
}

/// A call and how it ends: the interface without `nacl-irt-`, which of its functions, and arguments: numbers, names of
/// variables, or numbers of 64 bits behind `i64:`.
struct Call {
    interface: &'static str,
    function: u32,
    arguments: Vec<String>,
    end: End,
}

fn call(interface: &'static str, function: u32, arguments: &[&str], end: End) -> Call {
    Call { interface, function, arguments: arguments.iter().map(|&text| text.to_owned()).collect(), end }
}

/// A program that makes one call and ends with its result.
fn program(call: &Call) -> String {
    let mut constants = format!("v1: i32 = {}\n", 4 * call.function);
    let mut operands = Vec::new();
    for (index, argument) in call.arguments.iter().enumerate() {
        if argument.starts_with('@') {
            operands.push(argument.clone());
        } else {
            let (ty, number) = match argument.strip_prefix("i64:") {
                Some(number) => ("i64", number),
                None => ("i32", &**argument),
            };
            constants += &format!("v{}: {ty} = {number}\n", index + 10);
            operands.push(format!("v{}", index + 10));
        }
    }
    format!(
        "{PRELUDE}constant @name align 1 = bytes \"nacl-irt-{}\\00\"\n\
         define external @_start(v0: i32) -> void {{\n{constants}block0:\n  call @find(v0)\n  \
         v2: i32 = call @entry(@name, v1)\n  v3: i32 = call_indirect v2({})\n  call @finish(v3)\n  ret\n}}\n",
        call.interface,
        operands.join(", ")
    )
}

fn run_text(target: &str, text: &str) -> Output {
    let scratch = Scratch::new();
    let input = scratch.write("program.ice", text);
    with_input(run(target).arg(input), b"some input")
}

/// The places that no program may read: the first page, the end of the smaller windows, what is behind them, the end of
/// the larger.
const NOWHERE: [&str; 5] = ["0", "8", "1073741823", "1073741824", "4294967295"];
/// Those that it may not write besides: calls, text, constants.
const READ_ONLY: [&str; 3] = ["65536", "131072", "268566528"];

fn calls() -> Vec<Call> {
    use End::{Code, Stopped};
    const FAULT: End = Code(14);
    const INVALID: End = Code(22);
    let mut calls = Vec::new();
    for place in NOWHERE {
        calls.push(call("fdio-0.1", 4, &["1", place, "5", "@room"], FAULT));
        calls.push(call("basic-0.1", 3, &[place, "0"], Stopped));
    }
    for place in NOWHERE.into_iter().chain(READ_ONLY) {
        calls.push(call("fdio-0.1", 3, &["0", place, "5", "@room"], FAULT));
        calls.push(call("random-0.1", 0, &[place, "5", "@room"], FAULT));
        calls.push(call("fdio-0.1", 6, &["1", place], Stopped));
        calls.push(call("fdio-0.1", 4, &["1", "@line", "5", place], Stopped));
        calls.push(call("basic-0.1", 1, &[place], Stopped));
        calls.push(call("memory-0.3", 0, &[place, "4096", "3", "34", "-1", "i64:0"], Stopped));
    }
    // Lengths that pass the end of the window, in the arena and outside of it.
    calls.push(call("memory-0.3", 0, &["@no_place", "4294967295", "3", "34", "-1", "i64:0"], Code(12)));
    calls.push(call("memory-0.3", 0, &["@text_place", "4096", "3", "50", "-1", "i64:0"], INVALID));
    for place in ["0", "65536", "131072", "268566528", "4294901760"] {
        calls.push(call("memory-0.3", 1, &[place, "65536"], INVALID));
        calls.push(call("memory-0.3", 1, &[place, "4294967295"], INVALID));
        calls.push(call("memory-0.3", 2, &[place, "4096", "7"], Code(12)));
    }
    calls
}

#[test]
fn bad_addresses_and_lengths_are_refused() {
    for target in loaded() {
        for call in calls() {
            let output = run_text(target, &program(&call));
            let what = format!("{target} {}[{}]{:?}", call.interface, call.function, call.arguments);
            let said = errors(&output);
            match call.end {
                End::Code(code) => assert_eq!(output.status.code(), Some(code), "{what}: {said}"),
                End::Stopped => {
                    assert!(signal(&output).is_some(), "{what}: {}", output.status);
                    assert!(said.contains("ice: the program is stopped: "), "{what}: {said}");
                }
            }
        }
    }
    // A length alone is not bad: of the input ten bytes are there. Emulators look at all of the memory before.
    for target in TARGETS.into_iter().filter(|target| can_run(target)) {
        let long = call("fdio-0.1", 3, &["0", "@room", "4294967295", "@table"], End::Code(0));
        let output = run_text(target, &program(&long));
        assert_eq!(output.status.code(), Some(0), "{target}: {}", errors(&output));
    }
}

/// Functions of closed interfaces have no place, so that the first layer alone keeps a program from files. Those of the
/// interfaces that are always open come first; behind the last of them there is nothing.
#[test]
fn functions_of_closed_interfaces_cannot_be_called() {
    let text = format!(
        "{PRELUDE}constant @name align 1 = bytes \"nacl-irt-dev-getpid-0.1\\00\"\n\
         constant @path align 1 = bytes \"/dev/null\\00\"\n\
         define external @_start(v0: i32) -> void {{\n  v1: i32 = 0\n  v2: i32 = 32\nblock0:\n  call @find(v0)\n  \
         v3: i32 = call @entry(@name, v1)\n  v4: i32 = add v3, v2\n  \
         v5: i32 = call_indirect v4(@path, v1, v1, @room)\n  v6: i32 = sub v1, v5\n  call @finish(v6)\n  ret\n}}\n"
    );
    let scratch = Scratch::new();
    let input = scratch.write("program.ice", text);
    for target in loaded() {
        for (files, code) in [("", 38), ("1", 0)] {
            let mut command = run(target);
            let output =
                command.arg("--trust").arg(&input).env("ICE_FILES", files).output().expect("ice starts");
            assert_eq!(output.status.code(), Some(code), "{target} {files:?}: {}", errors(&output));
        }
    }
}

/// A program whose first thread gives way again and again, so long that it ends for another reason if there is one.
fn with_patience(functions: &str, constants: &str, body: &str) -> String {
    format!(
        "{PRELUDE}constant @thread_name align 1 = bytes \"nacl-irt-thread-0.1\\00\"\n\
         constant @memory_name align 1 = bytes \"nacl-irt-memory-0.3\\00\"\n{functions}\
         define internal @wait_long() -> void {{\n  v1: i32 = 0  v2: i32 = 1  v3: i32 = 300000  v4: i32 = 16\n\
         block0:\n  v5: i32 = call @entry(@basic, v4)\n  br block1\n\
         block1:\n  v6: i32 = phi [v1, block0], [v8, block1]\n  v7: i32 = call_indirect v5()\n  \
         v8: i32 = add v6, v2\n  v9: i1 = icmp eq v8, v3\n  br v9, block2, block1\n\
         block2:\n  ret\n}}\n\
         define external @_start(v0: i32) -> void {{\n{constants}block0:\n  call @find(v0)\n{body}}}\n"
    )
}

/// A thread whose stack ends goes over memory of its program, until there is none; or it begins without one, or nowhere.
#[test]
fn threads_without_a_stack_or_a_function_stop_the_program() {
    let deep = "define internal @deep(v0: i32) -> i32 {\n  v1: i32 = 64\n  v2: i32 = 1\nblock0:\n  \
                v3: i32 = alloca v1, align 8\n  store v0 to v3, align 1\n  v4: i32 = add v0, v2\n  \
                v5: i32 = call @deep(v4)\n  v6: i32 = load v3, align 1\n  v7: i32 = add v5, v6\n  ret v7\n}\n\
                define internal @other() -> void {\n  v1: i32 = 0\nblock0:\n  v2: i32 = call @deep(v1)\n  ret\n}\n\
                global @stack align 16 = zero 8192\n";
    let create = "  v5: i32 = call @entry(@thread_name, v1)\n  v6: i32 = add @stack, v2\n  \
                  v7: i32 = call_indirect v5(FUNCTION, STACK, v1)\n  call @wait_long()\n  ret\n";
    let constants = "v1: i32 = 0\nv2: i32 = 8192\nv3: i32 = 48\nv4: i32 = 268566528\n";
    for target in loaded() {
        for (function, stack) in [
            ("@other", "v6"),
            ("@other", "@stack"),
            ("@other", "v3"),
            ("@other", "v4"),
            ("v1", "v6"),
            ("v4", "v6"),
        ] {
            let body = create.replace("FUNCTION", function).replace("STACK", stack);
            let output = run_text(target, &with_patience(deep, constants, &body));
            let (what, said) = (format!("{target} {function} {stack}"), errors(&output));
            assert!(signal(&output).is_some(), "{what}: {} {said}", output.status);
            assert!(said.contains("ice: the program is stopped: "), "{what}: {said}");
        }
    }
}

/// Threads that end make room for others: many more have been than can be at once. Where there is no room for one more, the
/// call says so, and the program goes on.
#[test]
fn threads_come_and_go() {
    const FUNCTIONS: &str = "\
        global @stacks align 16 = zero 1048576\n\
        global @flag align 4 = zero 4\n\
        global @exit align 4 = zero 4\n\
        global @tries align 4 = zero 4\n\
        define internal @short() -> void {\nblock0:\n  v1: i32 = load @exit, align 1\n  \
        call_indirect v1(@flag)\n  ret\n}\n\
        define internal @long() -> void {\nblock0:\n  call @wait_long()\n  br block1\n\
        block1:\n  br block1\n}\n";
    // One after the other; a flag says that one has left its stack. It may keep its segment a little longer.
    const IN_TURN: &str = "  v10: i32 = call @entry(@thread_name, v1)\n  v11: i32 = call @entry(@thread_name, v3)\n  \
        store v11 to @exit, align 1\n  v12: i32 = call @entry(@basic, v4)\n  v13: i32 = add @stacks, v5\n  br block1\n\
        block1:\n  v14: i32 = phi [v1, block0], [v18, block4]\n  store v2 to @flag, align 4\n  br block2\n\
        block2:\n  v15: i32 = call_indirect v10(@short, v13, v1)\n  v16: i1 = icmp eq v15, v1\n  \
        br v16, block3, block6\n\
        block3:\n  v17: i32 = call_indirect v12()\n  v20: i32 = load @flag, align 4\n  v21: i1 = icmp eq v20, v1\n  \
        br v21, block4, block3\n\
        block4:\n  v18: i32 = add v14, v2\n  v19: i1 = icmp eq v18, v6\n  br v19, block5, block1\n\
        block5:\n  call @finish(v1)\n  ret\n\
        block6:\n  v22: i1 = icmp eq v15, v7\n  v23: i32 = load @tries, align 4\n  v24: i32 = add v23, v2\n  \
        store v24 to @tries, align 4\n  v25: i1 = icmp ult v24, v8\n  v26: i1 = and v22, v25\n  \
        br v26, block2, block7\n\
        block7:\n  call @finish(v2)\n  ret\n";
    const IN_TURN_CONSTANTS: &str = "v1: i32 = 0\nv2: i32 = 1\nv3: i32 = 4\nv4: i32 = 16\nv5: i32 = 4096\n\
        v6: i32 = 700\nv7: i32 = 11\nv8: i32 = 100000\n";
    // All at once, each with a kilobyte, until there is one too many.
    const AT_ONCE: &str = "  v10: i32 = call @entry(@thread_name, v1)\n  br block1\n\
        block1:\n  v11: i32 = phi [v1, block0], [v12, block1]\n  v12: i32 = add v11, v2\n  \
        v13: i32 = mul v12, v3\n  v14: i32 = add @stacks, v13\n  v15: i32 = call_indirect v10(@long, v14, v1)\n  \
        v16: i1 = icmp eq v15, v1\n  v17: i1 = icmp ult v12, v4\n  v18: i1 = and v16, v17\n  \
        br v18, block1, block2\n\
        block2:\n  v19: i1 = icmp ult v12, v5\n  br v19, block3, block4\n\
        block3:\n  call @finish(v2)\n  ret\n\
        block4:\n  call @finish(v15)\n  ret\n";
    // A machine whose threads have entries of a table has 509 besides the first.
    const AT_ONCE_CONSTANTS: &str =
        "v1: i32 = 0\nv2: i32 = 1\nv3: i32 = 1024\nv4: i32 = 600\nv5: i32 = 510\n";
    for target in loaded() {
        let output = run_text(target, &with_patience(FUNCTIONS, IN_TURN_CONSTANTS, IN_TURN));
        assert_eq!(output.status.code(), Some(0), "{target}: {}", errors(&output));
    }
    if can_run("i686") {
        let output = run_text("i686", &with_patience(FUNCTIONS, AT_ONCE_CONSTANTS, AT_ONCE));
        assert_eq!(output.status.code(), Some(11), "{}", errors(&output));
    }
}
