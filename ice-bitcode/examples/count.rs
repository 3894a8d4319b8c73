//! Counts what is in a program: `count records app.pexe` reads the container alone, `count values FILE [TIMES]` builds
//! the IR of every function of a PNaCl program or of LLVM bitcode, so many times. For measuring the readers.

use ice_bitcode::bitstream::{Dialect, Entry, Reader, Record};
use ice_bitcode::{llvm, pexe};
use ice_ir::{Filtered, Function, FunctionBuilder};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let (what, path) = (args.next(), args.next().ok_or("usage: count records|values FILE [TIMES]")?);
    let times: u32 = args.next().map_or(Ok(1), |times| times.parse())?;
    let bytes = std::fs::read(path)?;
    match what.as_deref() {
        Some("values") => {
            let mut counts = Counts::default();
            for _ in 0..times {
                counts = if llvm::is_llvm(&bytes) { llvm_values(&bytes)? } else { values(&bytes)? };
            }
            let Counts { functions, values, insts } = counts;
            println!("{functions} functions, {values} values, {insts} instructions, {} bytes", bytes.len());
            Ok(())
        }
        _ => records(&bytes),
    }
}

fn records(bytes: &[u8]) -> Result<()> {
    let start = ice_bitcode::header::read_header(bytes)?;
    let mut reader = Reader::new(&bytes[start..], start as u64, Dialect::Pnacl);
    let (mut record, mut records, mut operands) = (Record::default(), 0, 0);
    while !(reader.block().is_none() && reader.is_at_end()) {
        match reader.next(&mut record)? {
            Entry::Block(block) => reader.enter(&block),
            Entry::Record => {
                records += 1;
                operands += record.ops.len();
            }
            _ => {}
        }
    }
    println!("{records} records, {operands} operands, {} bytes", bytes.len());
    Ok(())
}

/// What a program has.
#[derive(Default)]
struct Counts {
    functions: usize,
    values: usize,
    insts: usize,
}

impl Counts {
    fn add(&mut self, func: &Function) {
        self.functions += 1;
        self.values += func.num_values();
        self.insts += func.num_insts();
    }
}

fn values(bytes: &[u8]) -> Result<Counts> {
    let header = pexe::read_module(bytes)?;
    let (mut reader, mut func, mut filter) = (pexe::FunctionReader::new(), Function::new(), Filtered::new());
    let mut counts = Counts::default();
    for body in &header.bodies {
        reader.read(&header, bytes, body, &mut FunctionBuilder::filtered(&mut func, &mut filter))?;
        counts.add(&func);
    }
    Ok(counts)
}

fn llvm_values(bytes: &[u8]) -> Result<Counts> {
    let machine =
        llvm::MachineDescription { has_two_lanes: true, shuffles_lanes: true, ..Default::default() };
    let program = llvm::LlvmProgram::new(llvm::read_module(bytes, &machine)?);
    let (mut reader, mut func, mut filter) = (llvm::FunctionReader::new(), Function::new(), Filtered::new());
    let mut counts = Counts::default();
    for body in &program.header().bodies {
        reader.read(&program, bytes, body, &mut FunctionBuilder::filtered(&mut func, &mut filter))?;
        counts.add(&func);
    }
    Ok(counts)
}
