//! Programs read into IR and written again.

use crate::common;

use common::programs;
use ice_bitcode::canonical::write_canonical;
use ice_bitcode::pexe::{FunctionReader, read_module, write_program};
use ice_ir::{Function, FunctionBuilder, Program};

fn read_program(bytes: &[u8]) -> ice_bitcode::Result<Program> {
    let header = read_module(bytes)?;
    let mut reader = FunctionReader::new();
    let mut bodies = Vec::new();
    for body in &header.bodies {
        let mut func = Function::new();
        reader.read(&header, bytes, body, &mut FunctionBuilder::new(&mut func))?;
        bodies.push(func);
    }
    Ok(Program { module: header.module, bodies })
}

/// The canonical text without BLOCKINFO and VERSION, which these writers place elsewhere or fill otherwise.
fn records(bytes: &[u8]) -> String {
    let mut text = String::new();
    write_canonical(bytes, &mut text).expect("well-formed");
    text.lines()
        .filter(|line| !line.starts_with("0:") && !line.starts_with("8:1:"))
        .collect::<Vec<_>>()
        .join("\n")
        .replacen("+0\n-\n", "", 1)
}

#[test]
fn programs_are_written_as_they_were() {
    // Written by a compressor, or by another version of the standard writer: same records, other bits.
    let others = ["large/h264_player", "large/laszip", "libc/hello_cpp"];
    for (name, bytes) in programs() {
        let program = read_program(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let again = write_program(&program).unwrap_or_else(|e| panic!("{name}: {e}"));
        if others.contains(&name.as_str()) {
            let (old, new) = (records(&bytes), records(&again));
            if let Some((a, b)) = old.lines().zip(new.lines()).find(|(a, b)| a != b) {
                panic!("{name}: {a} became {b}");
            }
            assert_eq!(old.len(), new.len(), "{name}");
        } else {
            let differs = bytes.iter().zip(&again).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{name}");
            assert_eq!(bytes.len(), again.len(), "{name}");
        }
    }
}
