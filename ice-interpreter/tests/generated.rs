//! Generated programs run to their end.

use ice_interpreter::{Interpreter, Limits, Scalar};
use ice_ir::generate::{Entry, Options, ReturnCalls, UndefinedResults, generate_program};
use ice_ir::{Program, Symbol, parse_program, write_program};
use std::collections::BTreeSet;

fn print(program: &Program) -> String {
    let mut text = String::new();
    write_program(program, &mut text).unwrap();
    text
}

fn options(seed: u64) -> Options {
    Options {
        functions: (seed % 7) as u32,
        statements: 5 + (seed % 90) as u32,
        entry: if seed.is_multiple_of(3) { Entry::Functions } else { Entry::Start },
        undefined: if seed.is_multiple_of(5) { UndefinedResults::Allow } else { UndefinedResults::Avoid },
        return_calls: if seed.is_multiple_of(4) { ReturnCalls::Allow } else { ReturnCalls::Avoid },
    }
}

/// Programs end without a trap in a bounded number of steps, and with `Avoid` nothing undefined gets out.
#[test]
fn generated_programs_end_with_a_defined_result() {
    let mut results = BTreeSet::new();
    for seed in 0..100 {
        let options = options(seed);
        let program = generate_program(seed, &options);
        let limits = Limits { steps: 2_000_000, stack: 1 << 16, ..Limits::default() };
        let mut interpreter = Interpreter::with_limits(&program, limits).unwrap();
        let checksum = program.module.function_by_name(b"checksum").unwrap();
        let outcome = interpreter.call(checksum, &[]);
        let outcome = outcome.unwrap_or_else(|trap| panic!("seed {seed}: {trap}"));
        if options.undefined == UndefinedResults::Avoid {
            assert_eq!((outcome.tainted, outcome.any_nan), (0, 0), "seed {seed}");
            assert!(!outcome.taint.any(), "seed {seed}: {:?}", outcome.taint);
            results.insert(outcome.value.unwrap().bits);
        }
        // The text says the same program.
        let again = parse_program(&print(&program)).unwrap();
        let mut interpreter = Interpreter::with_limits(&again, limits).unwrap();
        assert_eq!(interpreter.call(checksum, &[]).unwrap().value, outcome.value, "seed {seed}");
        if let Some(start) = program.module.function_by_name(b"_start") {
            let mut interpreter = Interpreter::with_limits(&program, limits).unwrap();
            interpreter.call(start, &[Scalar::i32(0)]).unwrap();
            let result =
                program.module.globals.iter().find(|(_, g)| program.module.name(g.name) == b"result");
            let address = interpreter.address(Symbol::Global(result.unwrap().0));
            let stored = u64::from_le_bytes(interpreter.read_memory(address, 8).unwrap().try_into().unwrap());
            assert_eq!(Some(u128::from(stored)), outcome.value.map(|v| v.bits), "seed {seed}");
        }
    }
    assert!(results.len() > 70, "{} different checksums", results.len());
}
