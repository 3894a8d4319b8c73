//! Verdicts on many short texts: reads records from the standard input, writes a byte a record, 1 for accepted.
//!
//! A record is a byte for the target (0 is x86-64, 1 x86-32, 2 ARM, 3 MIPS), a length of two bytes, little-endian,
//! and the text, which stands at 0x20000. `cargo xtask validators` compares with other validators by this.

use ice_validator::{Features, Target, Text, scratch_words, validate};
use std::io::{self, BufReader, BufWriter, Read, Write};

fn main() -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut scratch = vec![0; scratch_words(1 << 16)];
    let mut bytes = Vec::new();
    let mut head = [0; 3];
    while input.read_exact(&mut head).is_ok() {
        bytes.resize(usize::from(u16::from_le_bytes([head[1], head[2]])), 0);
        input.read_exact(&mut bytes)?;
        let text = Text { bytes: &bytes, address: 0x2_0000 };
        let target = Target::ALL[usize::from(head[0]) & 3];
        output.write_all(&[validate(target, Features::ALL, text, &mut scratch).is_ok().into()])?;
    }
    output.flush()
}
