//! Random functions of LLVM IR without undefined behaviour and without `poison`, so that every compiler must give the same
//! results.
//!
//! A function loads some values of random types from its input, adds random steps, each of which uses values that there
//! are, and stores the last values in its output. What kinds of steps there are, and what each leaves out because it is
//! not defined or because LLVM itself is wrong there, say the files of the steps. `main.c` calls the functions.

mod body;
mod calls;
mod control;
mod floats;
mod idioms;
mod integers;
mod memory;
mod steps;
mod types;
mod vectors;

use crate::fuzz::Random;
use crate::toolchain::Target;
use body::{Body, Module};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use types::{Limits, Type, Value, number};

/// The program in C that calls the functions of a module.
pub const MAIN: &str = include_str!("main.c");
/// Steps of a module of functions of the usual size, twenty of them. There are fewer functions of more steps.
const STEPS: usize = 600;
/// Functions that others call.
const CALLEES: usize = 5;
/// Bytes of the input in which a value may begin, and bytes of the output; `main.c` has room for them.
const INPUT: usize = 160;
const OUTPUT: u32 = 512;
/// Values that a function stores.
const RESULTS: usize = 6;

/// The module of a seed, in text form. Functions have up to `size` steps.
pub fn generate(seed: u64, target: Target, size: usize) -> String {
    let mut random = Random::new(seed);
    let mut module = Module {
        limits: Limits::choose(target, &mut random),
        random,
        size: size.max(4),
        declarations: BTreeSet::new(),
        callees: Vec::new(),
    };
    let mut text = target.module_head().to_owned();
    tables(&mut module, &mut text);
    for _ in 0..CALLEES {
        text += &calls::define(&mut module);
    }
    let count = (STEPS / module.size).clamp(4, 20);
    for index in 0..count {
        text += &function(&mut module, index);
    }
    let pointers: String = (0..count).map(|index| format!("ptr @f{index}, ")).collect();
    _ = writeln!(text, "@functions = internal constant [{} x ptr] [{pointers}ptr null]", count + 1);
    // Code that is made in the process of a program has functions alone to offer.
    text += "define ptr @function_at(i32 %n) {\n  %place = getelementptr ptr, ptr @functions, i32 %n\n";
    text += "  %function = load ptr, ptr %place\n  ret ptr %function\n}\n";
    module.declarations.iter().for_each(|line| _ = writeln!(text, "{line}"));
    _ = writeln!(text, "attributes #0 = {{ \"target-features\"=\"{}\" }}", module.limits.features);
    text
}

/// The tables, and the functions by which `main.c` keeps and restores all of them.
fn tables(module: &mut Module, text: &mut String) {
    let (mut save, mut load, mut offset) = (String::new(), String::new(), 0);
    for width in memory::TABLES {
        let ty = Type::int(width);
        let elements: Vec<String> = (0..memory::TABLE)
            .map(|_| number(ty, u128::from(module.random.next() >> (64 - width))).to_string())
            .collect();
        let count = memory::TABLE;
        _ = writeln!(text, "@t{width} = internal global [{count} x {ty}] [{}]", elements.join(", "));
        let bytes = count * ty.bytes();
        let place = format!("  %p{width} = getelementptr i8, ptr %p, i32 {offset}\n");
        let copy = |to: String, from: String| {
            format!(
                "{place}  call void @llvm.memcpy.p0.p0.i32(ptr {to}, ptr {from}, i32 {bytes}, i1 false)\n"
            )
        };
        save += &copy(format!("%p{width}"), format!("@t{width}"));
        load += &copy(format!("@t{width}"), format!("%p{width}"));
        offset += bytes;
    }
    module.declarations.insert("declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)".to_owned());
    for (name, body) in [("save", save), ("load", load)] {
        _ = writeln!(text, "define void @{name}_tables(ptr %p) {{\n{body}  ret void\n}}");
    }
}

fn function(module: &mut Module, index: usize) -> String {
    let most = module.size;
    let mut body = Body::new(module);
    for _ in 0..2 + body.below(5) {
        let ty = body.any_type();
        load(&mut body, ty);
    }
    body.steps(3, most);
    let results: Vec<Value> = body.values.iter().rev().take(RESULTS).cloned().collect();
    let mut offset = 0;
    for result in results {
        let result = in_whole_bytes(&mut body, result);
        if offset + result.ty.bytes() <= OUTPUT {
            let place = body.name(format!("getelementptr i8, ptr %out, i32 {offset}"));
            body.line(format!("store {result}, ptr {place}, align 1"));
            offset += result.ty.bytes();
        }
    }
    body.line("ret void");
    format!("define void @f{index}(ptr %in, ptr %out) #0 {{\n{}\n}}\n", body.lines.join("\n"))
}

/// A value of the input. Where memory holds no such type, its bits are those of an integer.
fn load(body: &mut Body, ty: Type) {
    let offset = body.below(INPUT);
    let place = body.name(format!("getelementptr i8, ptr %in, i32 {offset}"));
    if ty.is_whole_bytes() && ty.width.is_power_of_two() {
        body.add(ty, format!("load {ty}, ptr {place}, align 1"));
        return;
    }
    let (whole, exact) = (Type::int(ty.bytes() * 8), Type::int(ty.bits()));
    let mut value = body.define(whole, format!("load {whole}, ptr {place}, align 1"));
    if exact != whole {
        value = body.define(exact, format!("trunc {value} to {exact}"));
    }
    if ty != exact {
        value = body.define(ty, format!("bitcast {value} to {ty}"));
    }
    body.values.push(value);
}

/// The same in a type that fills bytes, without NaNs.
fn in_whole_bytes(body: &mut Body, value: Value) -> Value {
    let mut value = body.without_nan(value);
    if value.ty.is_vector() && !value.ty.is_whole_bytes() && value.ty.is_castable() {
        let bits = Type::int(value.ty.bits());
        value = body.define(bits, format!("bitcast {value} to {bits}"));
    }
    if value.ty.is_whole_bytes() {
        return value;
    }
    let whole = value.ty.with_lane(Type::int(value.ty.width.next_multiple_of(8)));
    body.define(whole, format!("zext {value} to {whole}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;
    use crate::toolchain::{succeed, write};
    use crate::tools;
    use std::path::Path;

    #[test]
    fn a_seed_gives_one_module() {
        for target in Target::ALL {
            assert_eq!(generate(7, target, 30), generate(7, target, 30));
            assert_ne!(generate(7, target, 30), generate(8, target, 30));
        }
    }

    #[test]
    fn modules_assemble() {
        if !tools::has("random functions", &["llvm-as-19"]) {
            return;
        }
        let file = std::env::temp_dir().join(format!("ice-random-functions-{}.ll", std::process::id()));
        for seed in 0..20 {
            let target = Target::ALL[seed as usize % Target::ALL.len()];
            write(&file, &generate(seed, target, if seed < 16 { 30 } else { 300 })).unwrap();
            let assemble = ["-o", "/dev/null"];
            let result = succeed(process::command(Path::new("llvm-as-19"), assemble).arg(&file));
            assert!(result.is_ok(), "seed {seed} for {}: {:?}", target.name(), result.err());
        }
        let _ = std::fs::remove_file(&file);
    }
}
