//! Call frame information: the section `.eh_frame`, by which exceptions, debuggers and profilers find callers.
//!
//! Problem: from an address in a function, find what its caller's registers were. Method: the tables of DWARF (version 5,
//! 6.4) in the form that the System V ABI has given them (Linux Standard Base, core, 10.6.1): one *common information
//! entry*, which says what holds at the entry of every function, and behind it an entry for each function, a program
//! of changes from instruction to instruction. Input is plain numbers; registers have the numbers of DWARF.
//!
//! The only reference is that of each entry to its function: a field of 4 bytes that holds the distance from the field to
//! the function. Who places the section fills it in, or leaves it to a linker.
//!
//! Cost: linear in changes; about 20 bytes a function and 2 a change.

use alloc::vec::Vec;

// Call frame instructions (DWARF 5, table 7.29).
const ADVANCE: u8 = 0x40;
const OFFSET: u8 = 0x80;
const RESTORE: u8 = 0xc0;
const NOP: u8 = 0x00;
const ADVANCE_1: u8 = 0x02;
const ADVANCE_2: u8 = 0x03;
const ADVANCE_4: u8 = 0x04;
const OFFSET_EXTENDED: u8 = 0x05;
const RESTORE_EXTENDED: u8 = 0x06;
const REMEMBER: u8 = 0x0a;
const RECALL: u8 = 0x0b;
const DEF_CFA: u8 = 0x0c;
const DEF_CFA_REGISTER: u8 = 0x0d;
const DEF_CFA_OFFSET: u8 = 0x0e;

/// Operands below this are part of the first byte of an instruction.
const SHORT: u32 = 0x40;

/// The encoding of the reference to the function: a signed distance of 4 bytes from the field
/// (`DW_EH_PE_pcrel | DW_EH_PE_sdata4`).
const DISTANCE_4: u8 = 0x1b;

/// What holds at the entry of every function of a machine whose calls push the return address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryFrame {
    /// Bytes of a word.
    pub word: u8,
    /// The number of the stack pointer.
    pub stack_pointer: u8,
    /// The number of the return address.
    pub return_address: u8,
}

/// The section, entry by entry.
#[derive(Debug)]
pub struct EhFrame {
    word: u8,
    bytes: Vec<u8>,
    /// Where the entry that is being written begins, and the offset in its function that was advanced to.
    start: usize,
    location: u32,
}

impl EhFrame {
    /// A section for functions that begin like this.
    pub fn new(entry: EntryFrame) -> EhFrame {
        let EntryFrame { word, stack_pointer, return_address } = entry;
        let mut section = EhFrame { word, bytes: Vec::new(), start: 0, location: 0 };
        section.begin();
        section.bytes.extend_from_slice(&[0; 4]);
        section.bytes.push(1);
        section.bytes.extend_from_slice(b"zR\0");
        // Code is counted in bytes, data in words downwards; SLEB128 of a small negative number has 7 bits.
        section.bytes.extend_from_slice(&[1, word.wrapping_neg() & 0x7f, return_address]);
        section.bytes.extend_from_slice(&[1, DISTANCE_4]);
        section.address(stack_pointer.into(), word.into());
        section.saved(return_address.into(), -i32::from(word));
        section.end();
        section
    }

    /// The bytes so far. Lengths and addresses are those of a section at an address that is a multiple of a word.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there is no function.
    pub fn is_empty(&self) -> bool {
        self.start == 0
    }

    fn begin(&mut self) {
        self.start = self.bytes.len();
        self.location = 0;
        self.bytes.extend_from_slice(&[0; 4]);
    }

    /// Begins the entry of a function of `size` bytes, and gives the offset of the field that must hold the distance from
    /// itself to the function.
    pub fn begin_function(&mut self, size: u32) -> u64 {
        self.begin();
        // The distance back to the common entry, which is at the start of the section.
        let back = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&back.to_le_bytes());
        let field = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(&size.to_le_bytes());
        self.bytes.push(0);
        field as u64
    }

    /// Ends the entry.
    pub fn end(&mut self) {
        let end = self.bytes.len().next_multiple_of(self.word.into());
        self.bytes.resize(end, NOP);
        let length = (end - self.start - 4) as u32;
        self.bytes[self.start..][..4].copy_from_slice(&length.to_le_bytes());
    }

    /// What follows holds from this offset in the function on; offsets do not fall.
    pub fn advance(&mut self, offset: u32) {
        let by = offset.saturating_sub(self.location);
        self.location = offset;
        match by {
            0 => {}
            1..SHORT => self.bytes.push(ADVANCE | by as u8),
            SHORT..0x100 => self.bytes.extend_from_slice(&[ADVANCE_1, by as u8]),
            0x100..0x1_0000 => {
                self.bytes.push(ADVANCE_2);
                self.bytes.extend_from_slice(&(by as u16).to_le_bytes());
            }
            _ => {
                self.bytes.push(ADVANCE_4);
                self.bytes.extend_from_slice(&by.to_le_bytes());
            }
        }
    }

    /// The canonical frame address is `offset` bytes above what a register holds.
    pub fn address(&mut self, register: u16, offset: u32) {
        self.bytes.push(DEF_CFA);
        self.uleb(register.into());
        self.uleb(offset);
    }

    /// It is `offset` bytes above what the register holds that it is counted from.
    pub fn address_offset(&mut self, offset: u32) {
        self.bytes.push(DEF_CFA_OFFSET);
        self.uleb(offset);
    }

    /// It is counted from another register.
    pub fn address_register(&mut self, register: u16) {
        self.bytes.push(DEF_CFA_REGISTER);
        self.uleb(register.into());
    }

    /// A register of the caller is `offset` bytes, a negative multiple of a word, from the canonical frame address.
    pub fn saved(&mut self, register: u16, offset: i32) {
        let words = offset.unsigned_abs() / u32::from(self.word);
        self.register(OFFSET, OFFSET_EXTENDED, register);
        self.uleb(words);
    }

    /// A register of the caller is where it was at the entry.
    pub fn restored(&mut self, register: u16) {
        self.register(RESTORE, RESTORE_EXTENDED, register);
    }

    /// What holds now is put on a stack.
    pub fn remember(&mut self) {
        self.bytes.push(REMEMBER);
    }

    /// What was put there last holds again.
    pub fn recall(&mut self) {
        self.bytes.push(RECALL);
    }

    fn register(&mut self, short: u8, extended: u8, register: u16) {
        match u32::from(register) {
            0..SHORT => self.bytes.push(short | register as u8),
            register => {
                self.bytes.push(extended);
                self.uleb(register);
            }
        }
    }

    /// A number in the variable-length code of DWARF (7.6).
    fn uleb(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}
