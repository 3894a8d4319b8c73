//! One byte code four ways, each by code that Ice makes for the process: by a switch, by direct threading, by call
//! threading and by inline threading (README.md has what each costs).
//!
//! `threading WAY PROGRAM NUMBER ROUNDS` runs a program so many times and prints what it gives. The ways need a convention
//! that only processors of the x86-64 family have here.

mod bytecode;
mod emitted;
mod interpreted;
mod modules;
mod operations;
mod programs;

use bytecode::{CALLS, MEMORY, Op, REGISTERS};
use emitted::Bodies;
use ice_driver::Recipe;
use ice_jit::{Jit, LoadedModule};
use modules::ModuleBuilder;
use programs::{SAMPLES, Sample};
use std::error::Error;

/// How the program gets from one operation to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Switch,
    Direct,
    Call,
    Inline,
}

const WAYS: [(Way, &str); 4] =
    [(Way::Switch, "switch"), (Way::Direct, "direct"), (Way::Call, "call"), (Way::Inline, "inline")];

/// A program that can be run, and what it runs on.
struct Machine {
    module: LoadedModule,
    code: Vec<i64>,
    registers: Vec<i64>,
    memory: Vec<i64>,
    calls: Vec<i64>,
}

type Run = unsafe extern "C" fn(*const i64, *mut i64, *mut i64, *mut i64) -> i64;

impl Machine {
    fn new(way: Way, sample: &Sample) -> Result<Machine, Box<dyn Error>> {
        let mut builder = ModuleBuilder::new();
        match way {
            Way::Switch => interpreted::by_switch(&mut builder),
            Way::Direct => interpreted::by_jumps(&mut builder),
            Way::Call => emitted::program(&mut builder, sample.code, Bodies::Called),
            Way::Inline => emitted::program(&mut builder, sample.code, Bodies::Inline),
        }
        let (module, bodies) = builder.finish();
        let module = Jit::new(Recipe::O2)?.load(&module, &bodies)?;
        let numbers: Vec<i64> = match way {
            Way::Direct => {
                let table = module.variable("handlers")?.cast::<i64>();
                // SAFETY: the variable holds the address of a function for each operation.
                (0..Op::ALL.len()).map(|n| unsafe { *table.add(n) }).collect()
            }
            _ => (0..).take(Op::ALL.len()).collect(),
        };
        let code = sample.code.iter().flat_map(|instruction| {
            let [first, second, third] = instruction.operands;
            [numbers[instruction.op as usize], first, second, third]
        });
        let [registers, memory, calls] = [REGISTERS, MEMORY, 2 * CALLS].map(|words| vec![0; words]);
        Ok(Machine { code: code.collect(), module, registers, memory, calls })
    }

    fn run(&mut self, argument: i64) -> Result<i64, Box<dyn Error>> {
        self.registers[0] = argument;
        // SAFETY: the code is that of the program, whose windows and calls stay within what is given to it for the numbers
        // that programs are run with, and memory is indexed below its argument.
        unsafe {
            let run = self.module.get::<Run>("run")?;
            let (registers, memory) = (self.registers.as_mut_ptr(), self.memory.as_mut_ptr());
            Ok(run(self.code.as_ptr(), registers, memory, self.calls.as_mut_ptr()))
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, program, number, rounds] = &arguments[..] else {
        return Err("usage: threading switch|direct|call|inline PROGRAM NUMBER ROUNDS".into());
    };
    let (way, _) = WAYS.into_iter().find(|(_, name)| name == way).ok_or("no such way")?;
    let sample = SAMPLES.iter().find(|sample| sample.name == program).ok_or("no such program")?;
    let number: i64 = number.parse()?;
    if !(1..=MEMORY as i64).contains(&number) {
        return Err("the number is as large as the memory at most".into());
    }
    let mut machine = Machine::new(way, sample)?;
    let mut result = 0;
    for _ in 0..rounds.parse::<u32>()? {
        result = machine.run(number)?;
    }
    if number == sample.argument && result != sample.result {
        return Err(format!("{result} is not {}", sample.result).into());
    }
    println!("{result}");
    Ok(())
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn all_ways_give_the_same() {
        for sample in &SAMPLES {
            for (way, name) in WAYS {
                let mut machine = Machine::new(way, sample).unwrap_or_else(|error| panic!("{name}: {error}"));
                for _ in 0..2 {
                    let result = machine.run(sample.argument).expect("it has the type");
                    assert_eq!(result, sample.result, "{} by {name}", sample.name);
                }
            }
        }
    }
}
