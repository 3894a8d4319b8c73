//! Writes random valid programs for cross tests, one file a seed: `generate FIRST END SIZE DIRECTORY [return-calls]`.
//!
//! A file `seed-N.ice` holds the program of seed N (N from FIRST to before END) with about SIZE statements a
//! function; 0 lets the seed decide. With the last word functions also end in calls in place of returns, which programs
//! that are to be frozen must not have. The generator's own entry point keeps the result in memory, where
//! nothing outside sees it, so another one takes its place: it prints the result of every function that
//! takes no arguments or only numbers, and then the checksum, each as 16 hexadecimal digits on a line. The
//! first line that differs between two ways to run a program says which function to look at.

use ice_ir::generate::{Entry, Options, ReturnCalls, UndefinedResults, generate_program};
use ice_ir::{FunctionKind, Program, Type, write_program};
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

/// Functions and tables of the host, and `@print`: a number and the end of the line.
const HOST: &str = r#"
constant @host_fdio align 1 = bytes "nacl-irt-fdio-0.1\00"
constant @host_basic align 1 = bytes "nacl-irt-basic-0.1\00"
constant @host_digits align 1 = bytes "0123456789abcdef"
global @host_fdio_table align 4 = zero 32
global @host_basic_table align 4 = zero 24

define internal @host_connect(v0: i32) -> void {
  v1: i32 = 0
  v2: i32 = 2
  v3: i32 = 4
  v4: i32 = 8
  v5: i32 = 20
  v6: i32 = 24
  v7: i32 = 32
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
  v18: i32 = phi [v17, block0], [v22, block3]
  v19: i32 = load v18, align 1
  v20: i1 = icmp eq v19, v7
  br v20, block4, block2
block2:
  v21: i1 = icmp eq v19, v1
  br v21, block5, block3
block3:
  v22: i32 = add v18, v4
  br block1
block4:
  v23: i32 = add v18, v3
  v24: i32 = load v23, align 1
  v25: i32 = call_indirect v24(@host_fdio, @host_fdio_table, v7)
  v26: i32 = call_indirect v24(@host_basic, @host_basic_table, v6)
  ret
block5:
  call @llvm.trap()
  unreachable
}
define internal @host_print(v0: i64) -> void {
  v1: i32 = 0
  v2: i32 = 1
  v3: i32 = 16
  v4: i32 = 17
  v5: i32 = 24
  v6: i64 = 4
  v7: i64 = 15
  v8: i8 = 10
block0:
  v10: i32 = alloca v5, align 8
  v11: i32 = alloca v3, align 8
  v12: i32 = add v10, v3
  store v8 to v12, align 1
  br block1
block1:
  v13: i64 = phi [v0, block0], [v20, block1]
  v14: i32 = phi [v12, block0], [v15, block1]
  v15: i32 = sub v14, v2
  v16: i64 = and v13, v7
  v17: i32 = trunc v16
  v18: i32 = add @host_digits, v17
  v19: i8 = load v18, align 1
  store v19 to v15, align 1
  v20: i64 = lshr v13, v6
  v21: i1 = icmp eq v15, v10
  br v21, block2, block1
block2:
  v22: i32 = add @host_fdio_table, v3
  v23: i32 = load v22, align 1
  v24: i32 = call_indirect v23(v2, v10, v4, v11)
  ret
}
"#;

/// The entry point: connect, call and print, exit.
fn entry(program: &Program) -> Result<String, std::fmt::Error> {
    let mut constants = String::from("define external @_start(v0: i32) -> void {\n  v1: i32 = 0\n");
    let mut code = String::from("block0:\n  call @host_connect(v0)\n");
    let mut next = 2;
    let mut number = || {
        next += 1;
        next
    };
    let module = &program.module;
    for (id, function) in &module.functions {
        let name = String::from_utf8_lossy(module.name(function.name));
        if function.kind != FunctionKind::Defined || name == "_start" {
            continue;
        }
        let signature = module.signature(id);
        let mut arguments = Vec::new();
        for (index, &ty) in signature.params.iter().enumerate() {
            let argument = number();
            let bits = match ty {
                Type::F32 => u64::from((index as f32 + 1.5).to_bits()),
                Type::F64 => (index as f64 - 2.25).to_bits(),
                _ => 1000 + index as u64,
            };
            match ty {
                Type::F32 | Type::F64 => writeln!(constants, "  v{argument}: {ty} = {bits:#x}")?,
                _ => writeln!(constants, "  v{argument}: {ty} = {bits}")?,
            }
            arguments.push(format!("v{argument}"));
        }
        let result = number();
        let ret = signature.ret;
        writeln!(code, "  v{result}: {ret} = call @{name}({})", arguments.join(", "))?;
        // The bits of a NaN are not defined: a number stays, a NaN becomes 0.
        let shown = match ret {
            Type::I64 => result,
            Type::F32 | Type::F64 => {
                let (bits, wide, is_number, zero, selected) =
                    (number(), number(), number(), number(), number());
                let int = if ret == Type::F32 { Type::I32 } else { Type::I64 };
                writeln!(constants, "  v{zero}: {int} = 0")?;
                writeln!(code, "  v{bits}: {int} = bitcast v{result}")?;
                writeln!(code, "  v{is_number}: i1 = fcmp ord v{result}, v{result}")?;
                writeln!(code, "  v{selected}: {int} = select v{is_number}, v{bits}, v{zero}")?;
                match ret {
                    Type::F32 => writeln!(code, "  v{wide}: i64 = zext v{selected}").map(|()| wide)?,
                    _ => selected,
                }
            }
            _ => {
                let wide = number();
                writeln!(code, "  v{wide}: i64 = zext v{result}")?;
                wide
            }
        };
        writeln!(code, "  call @host_print(v{shown})")?;
    }
    let exit = number();
    writeln!(code, "  v{exit}: i32 = load @host_basic_table, align 1")?;
    writeln!(code, "  call_indirect v{exit}(v1)\n  ret\n}}")?;
    Ok(constants + &code)
}

/// The text of a program with another entry point. Tables that say the order of things are left out, as
/// there are more things now.
pub fn with_output(program: &Program) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    write_program(program, &mut text)?;
    let start = text.find("define external @_start(").ok_or("the program has no entry point")?;
    let end = text[start..].find("\n}\n").ok_or("the entry point has no end")? + start + 3;
    let mut out = String::with_capacity(text.len() + 4096);
    for line in text[..start].lines().chain(text[end..].lines()) {
        let is_table = ["types ", "symbols "].iter().any(|word| line.starts_with(word));
        if !is_table {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.push_str(HOST);
    out.push_str(&entry(program)?);
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ([first, end, size, directory], return_calls) = (match &arguments[..] {
        [numbers @ .., word] if word == "return-calls" => (numbers, ReturnCalls::Allow),
        numbers => (numbers, ReturnCalls::Avoid),
    }) else {
        return Err("usage: generate FIRST END SIZE DIRECTORY [return-calls]".into());
    };
    let (first, end, size): (u64, u64, u32) = (first.parse()?, end.parse()?, size.parse()?);
    let directory = PathBuf::from(directory);
    std::fs::create_dir_all(&directory)?;
    for seed in first..end {
        let options = Options {
            functions: 1 + (seed % 7) as u32,
            statements: if size == 0 { 5 + (seed % 90) as u32 } else { size },
            entry: Entry::Start,
            undefined: UndefinedResults::Avoid,
            return_calls,
        };
        let text = with_output(&generate_program(seed, &options))?;
        std::fs::write(directory.join(format!("seed-{seed}.ice")), text)?;
    }
    Ok(())
}
