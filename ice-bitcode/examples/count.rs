//! Counts the records of a PNaCl program: `count app.pexe`. For measuring the reader alone.

use ice_bitcode::bitstream::{Dialect, Entry, Reader, Record};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: count app.pexe")?;
    let bytes = std::fs::read(path)?;
    let start = ice_bitcode::header::read_header(&bytes)?;
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
