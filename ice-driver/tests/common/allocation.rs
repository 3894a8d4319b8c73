//! Register allocation of machine functions: each file in `allocation/` has functions in the text form of `--emit mir` and
//! what the allocator makes of them.
//!
//! ```text
//! ; test: i686 linear minimal rax rcx      machine, algorithms, and the only registers that may be given out, if not all
//! name:
//! v0: gpr 4
//! block0:
//!     v0 = movl [incoming]
//!     ret (use v0:gpr rax)
//! ; expect:
//! ; == linear
//! ; name:
//! ; block0:
//! ;     v0 = movl [incoming]    ; v0=rax
//! ```
//!
//! An instruction is followed by the places of its operands; a line with an arrow is an edit. The symbolic checker proves
//! each allocation. A file shows what allocation does, and next to it where it must not do it.

use ice_asm::x86::Mode as Width;
use ice_codegen::mach::MachFunction;
use ice_codegen::mach::text::ReadInst;
use ice_driver::Arch;
use ice_regalloc::{ClassInfo, Context, Mode, Options, PReg, RegisterFile, check};
use libtest_mimic::Failed;
use std::fmt::Write;

/// What the words of a `; test:` line ask for.
struct Request {
    arch: Arch,
    modes: Vec<(Mode, &'static str)>,
    registers: RegisterFile<'static>,
}

fn request(words: &str) -> Result<Request, Failed> {
    let mut words = words.split_whitespace();
    let arch = Arch::parse(words.next().ok_or("no machine")?).map_err(|error| error.to_string())?;
    let mut registers = match arch {
        Arch::X86_32 => *ice_target_x86::register_file(Width::Bits32, ice_target_x86::FramePointer::None),
        Arch::X86_64 => *ice_target_x86::register_file(Width::Bits64, ice_target_x86::FramePointer::None),
        Arch::Arm32 => *ice_target_arm32::register_file(ice_target_arm32::FramePointer::None),
        Arch::Mips32 => *ice_target_mips32::register_file(ice_codegen::mach::FramePointer::None),
        Arch::Aarch64 => *ice_target_aarch64::register_file(ice_codegen::mach::FramePointer::None),
    };
    let (mut modes, mut allowed) = (Vec::new(), Vec::new());
    for word in words {
        match (word, registers.regs.iter().position(|reg| reg.name == word)) {
            ("linear", _) => modes.push((Mode::Linear, "linear")),
            ("minimal", _) => modes.push((Mode::Minimal, "minimal")),
            (_, Some(register)) => allowed.push(PReg(u8::try_from(register)?)),
            _ => return Err(format!("'{word}' is no algorithm and no register").into()),
        }
    }
    if !allowed.is_empty() {
        registers.classes = restricted(&registers, &allowed);
    }
    Ok(Request { arch, modes, registers })
}

/// The classes without what is not allowed. Tests end soon, and so does the memory.
fn restricted(registers: &RegisterFile<'static>, allowed: &[PReg]) -> &'static [ClassInfo<'static>] {
    let class = |class: &ClassInfo<'static>| {
        let order: Vec<PReg> = class.order.iter().copied().filter(|reg| allowed.contains(reg)).collect();
        ClassInfo { order: order.leak(), ..*class }
    };
    registers.classes.iter().map(class).collect::<Vec<_>>().leak()
}

/// Allocates one function and writes what came of it.
fn allocate<I: ReadInst>(
    mach: &MachFunction<I>,
    mode: Mode,
    registers: &RegisterFile<'static>,
) -> Result<String, Failed> {
    let (mut allocator, mut text) = (Context::new(), String::new());
    let output = match allocator.allocate(mach.body(), registers, &Options { mode, ..Options::default() }) {
        Ok(output) => output,
        Err(error) => return Ok(format!("error: {error}\n")),
    };
    check(mach.body(), registers, output).map_err(|violations| format!("the checker: {violations:?}"))?;
    mach.write_allocated(&mut text, registers, output)?;
    for (number, slot) in output.slots.iter().enumerate() {
        writeln!(text, "slot{number}: {} bytes", slot.size)?;
    }
    Ok(text)
}

/// The functions of a file, each with its name, which stands alone in a line and ends in a colon.
fn functions(input: &str) -> Vec<(&str, String)> {
    let mut functions: Vec<(&str, String)> = Vec::new();
    for line in input.lines().filter(|line| !line.starts_with(';')) {
        match (line.strip_suffix(':'), functions.last_mut()) {
            (Some(name), _) if !name.starts_with([' ', 'v']) && !name.starts_with("block") => {
                functions.push((name, String::new()));
            }
            (_, Some((_, text))) => *text += &format!("{line}\n"),
            _ => {}
        }
    }
    functions
}

fn all<I: ReadInst>(request: &Request, input: &str) -> Result<String, Failed> {
    let mut out = String::new();
    for &(mode, mode_name) in &request.modes {
        writeln!(out, "== {mode_name}")?;
        for (name, text) in functions(input) {
            let mach = MachFunction::<I>::read(&text, &request.registers)
                .map_err(|error| format!("{name}, {error}"))?;
            write!(out, "{name}:\n{}", allocate(&mach, mode, &request.registers)?)?;
        }
    }
    Ok(out)
}

/// Reads and allocates the functions of a file.
pub fn run(words: &str, input: &str) -> Result<String, Failed> {
    let request = request(words)?;
    match request.arch {
        Arch::Arm32 => all::<ice_target_arm32::Inst>(&request, input),
        Arch::Mips32 => all::<ice_target_mips32::Inst>(&request, input),
        Arch::Aarch64 => all::<ice_target_aarch64::Inst>(&request, input),
        _ => all::<ice_target_x86::Inst>(&request, input),
    }
}
