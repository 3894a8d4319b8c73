//! Shapes of the container, which no program that is written as text has: written bit by bit.
//!
//! The bitstream format is that of LLVM, the blocks and records are those of PNaCl programs.

/// A bitstream that is being written.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    window: u64,
    used: u32,
    /// For each open block, where its length goes, and the width of abbreviations around it.
    open: Vec<(usize, u32)>,
    /// Bits of the number of an abbreviation.
    width: u32,
}

/// The header of a PNaCl program.
const HEADER: &[u8; 16] = b"PEXE\x01\0\x08\0\x11\0\x04\0\x02\0\0\0";

/// Numbers of blocks.
const BLOCKINFO: u64 = 0;
const MODULE: u64 = 8;
const FUNCTION: u64 = 12;
const SYMBOLS: u64 = 14;
const TYPES: u64 = 17;
const GLOBALS: u64 = 19;

/// The record of a function block that returns, without operands.
const RETURN: u64 = 10;

impl Bits {
    fn fixed(&mut self, value: u64, width: u32) {
        self.window |= value << self.used;
        self.used += width;
        while self.used >= 8 {
            self.bytes.push(self.window as u8);
            self.window >>= 8;
            self.used -= 8;
        }
    }

    fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        while self.used > 0 || !self.bytes.len().is_multiple_of(4) {
            self.fixed(0, 8 - self.used);
        }
    }

    /// A block with abbreviations of `width` bits, which `write` fills.
    fn block(&mut self, id: u64, width: u32, write: impl FnOnce(&mut Bits)) {
        self.fixed(1, self.width);
        self.vbr(id, 8);
        self.vbr(width.into(), 4);
        self.align();
        self.open.push((self.bytes.len(), self.width));
        self.width = width;
        self.bytes.extend([0; 4]);
        write(self);
        self.fixed(0, self.width);
        self.align();
        if let Some((at, width)) = self.open.pop() {
            let words = (self.bytes.len() - at) / 4 - 1;
            self.bytes[at..at + 4].copy_from_slice(&(words as u32).to_le_bytes());
            self.width = width;
        }
    }

    fn record(&mut self, code: u64, operands: &[u64]) {
        self.fixed(3, self.width);
        [code, operands.len() as u64].iter().chain(operands).for_each(|&number| self.vbr(number, 6));
    }

    /// Defines the abbreviation of a record that has this code and no operands.
    fn define(&mut self, code: u64) {
        self.fixed(2, self.width);
        self.vbr(1, 5);
        self.fixed(1, 1);
        self.vbr(code, 8);
    }
}

/// A program with as many empty functions beside `_start` as said, whose blocks `body` fills; `info` and `types` add to
/// BLOCKINFO and to the types, of which there are `more` then.
fn program(
    functions: usize,
    more: usize,
    info: impl Fn(&mut Bits),
    types: impl Fn(&mut Bits),
    body: impl Fn(&mut Bits),
) -> Vec<u8> {
    let mut bits = Bits { bytes: HEADER.to_vec(), width: 2, ..Bits::default() };
    bits.block(MODULE, 3, |bits| {
        bits.record(1, &[1]);
        bits.block(BLOCKINFO, 2, |bits| {
            bits.record(1, &[FUNCTION]);
            info(bits);
        });
        bits.block(TYPES, 4, |bits| {
            bits.record(1, &[4 + more as u64]);
            bits.record(2, &[]);
            bits.record(7, &[32]);
            bits.record(21, &[0, 0]);
            bits.record(21, &[0, 0, 1]);
            types(bits);
        });
        bits.record(8, &[3, 0, 0, 0]);
        (0..functions).for_each(|_| bits.record(8, &[2, 0, 0, 3]));
        bits.block(GLOBALS, 4, |bits| bits.record(5, &[0]));
        bits.block(SYMBOLS, 4, |bits| {
            let entry: Vec<u64> = [0].into_iter().chain(b"_start".map(u64::from)).collect();
            bits.record(1, &entry);
        });
        bits.block(FUNCTION, 4, |bits| {
            bits.record(1, &[1]);
            bits.record(RETURN, &[]);
        });
        for _ in 0..functions {
            bits.block(FUNCTION, 20, |bits| {
                bits.record(1, &[1]);
                body(bits);
            });
        }
    });
    bits.bytes
}

/// Functions that all inherit many abbreviations and define one more, which they use.
pub fn abbreviations(count: usize) -> Vec<u8> {
    program(
        count,
        0,
        |bits| (0..count).for_each(|_| bits.define(RETURN)),
        |_| {},
        |bits| {
            bits.define(RETURN);
            bits.fixed(4 + count as u64, bits.width);
        },
    )
}

/// Types of functions that all differ.
pub fn types(count: usize) -> Vec<u8> {
    let parameters = |n: usize| (0..16).map(move |digit| 1 + (n >> digit & 1) as u64 * 3);
    program(
        1,
        count + 1,
        |_| {},
        |bits| {
            bits.record(7, &[64]);
            for n in 0..count {
                let operands: Vec<u64> = [0, 0].into_iter().chain(parameters(n)).collect();
                bits.record(21, &operands);
            }
        },
        |bits| bits.record(RETURN, &[]),
    )
}
