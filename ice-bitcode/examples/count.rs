//! Counts what is in a PNaCl program: `count records app.pexe` reads the container alone, `count values app.pexe`
//! builds the IR of every function. For measuring the readers.

use ice_bitcode::bitstream::{Dialect, Entry, Reader, Record};
use ice_bitcode::pexe::{FunctionReader, read_module};
use ice_ir::{Filtered, Function, FunctionBuilder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (what, path) = (args.next(), args.next().ok_or("usage: count records|values app.pexe")?);
    let bytes = std::fs::read(path)?;
    match what.as_deref() {
        Some("values") => values(&bytes),
        _ => records(&bytes),
    }
}

fn records(bytes: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
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

fn values(bytes: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let header = read_module(bytes)?;
    let (mut reader, mut func, mut filter) = (FunctionReader::new(), Function::new(), Filtered::new());
    let (mut values, mut insts) = (0, 0);
    for body in &header.bodies {
        reader.read(&header, bytes, body, &mut FunctionBuilder::new(&mut func, &mut filter))?;
        values += func.num_values();
        insts += func.num_insts();
    }
    println!("{} functions, {values} values, {insts} instructions", header.bodies.len());
    Ok(())
}
