//! Call frame information: the section `.eh_frame`, by which exceptions, debuggers and profilers find callers.
//!
//! Problem: from an address in a function, find what its caller's registers were. Method: the tables of DWARF (version 5,
//! 6.4) in the form that the System V ABI has given them (Linux Standard Base, core, 10.6.1): one *common information
//! entry*, which says what holds at the entry of every function, and behind it an entry for each function, a program
//! of changes from instruction to instruction. Input is plain numbers; registers have the numbers of DWARF.
//!
//! Functions with a personality have a common entry of their own, for each routine, and refer to their data for it.
//!
//! References are fields of 4 bytes that hold the distance from the field: that of each entry to its function and, with a
//! personality, to the data of the function and, indirectly, to the routine. Who places the section fills them in, or
//! leaves them to a linker.
//!
//! Cost: linear in changes; about 20 bytes a function and 2 a change.

use crate::exception_table::INDIRECT_DISTANCE_4;
use crate::leb::uleb;
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
/// DWARF for the Arm 64-bit Architecture, 2023Q3, 5.2.
const NEGATE_RETURN_STATE: u8 = 0x2d;
const DEF_CFA: u8 = 0x0c;
const DEF_CFA_REGISTER: u8 = 0x0d;
const DEF_CFA_OFFSET: u8 = 0x0e;

/// Operands below this are part of the first byte of an instruction.
const SHORT: u32 = 0x40;

/// The encoding of the reference to the function: a signed distance of 4 bytes from the field
/// (`DW_EH_PE_pcrel | DW_EH_PE_sdata4`).
const DISTANCE_4: u8 = 0x1b;

/// What holds at the entry of every function of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryFrame {
    /// Bytes of a word.
    pub word: u8,
    /// The number of the stack pointer.
    pub stack_pointer: u8,
    /// The number of the return address.
    pub return_address: u8,
    /// Bytes that a call has pushed: the return address, or nothing where that is in its register.
    pub pushed: u8,
}

/// A common entry of functions with the same personality, by its offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommonEntry(u32);

/// The section, entry by entry.
#[derive(Debug)]
pub struct EhFrame {
    entry: EntryFrame,
    word: u8,
    bytes: Vec<u8>,
    has_functions: bool,
    /// Where the entry that is being written begins, and the offset in its function that was advanced to.
    start: usize,
    location: u32,
}

impl EhFrame {
    /// A section for functions that begin like this.
    pub fn new(entry: EntryFrame) -> EhFrame {
        let (word, bytes) = (entry.word, Vec::new());
        let mut section = EhFrame { entry, word, bytes, has_functions: false, start: 0, location: 0 };
        section.common(b"zR\0", |bytes| bytes.extend_from_slice(&[1, DISTANCE_4]));
        section
    }

    /// A common entry with this augmentation, whose data `augment` appends behind its length.
    fn common(&mut self, augmentation: &[u8], augment: impl FnOnce(&mut Vec<u8>)) {
        let EntryFrame { word, stack_pointer, return_address, pushed } = self.entry;
        self.begin();
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.push(1);
        self.bytes.extend_from_slice(augmentation);
        // Code is counted in bytes, data in words downwards; SLEB128 of a small negative number has 7 bits.
        self.bytes.extend_from_slice(&[1, word.wrapping_neg() & 0x7f, return_address]);
        augment(&mut self.bytes);
        self.address(stack_pointer.into(), pushed.into());
        if pushed != 0 {
            self.saved(return_address.into(), -i32::from(pushed));
        }
        self.end();
    }

    /// A common entry of functions whose exceptions a personality routine decides about, and the offset of the field that
    /// must hold the distance from itself to a word with the address of the routine.
    pub fn personality(&mut self) -> (CommonEntry, u64) {
        let (start, mut field) = (self.bytes.len() as u32, 0);
        self.common(b"zPLR\0", |bytes| {
            bytes.extend_from_slice(&[7, INDIRECT_DISTANCE_4]);
            field = bytes.len() as u64;
            bytes.extend_from_slice(&[0; 4]);
            bytes.extend_from_slice(&[DISTANCE_4, DISTANCE_4]);
        });
        (CommonEntry(start), field)
    }

    /// The bytes so far. Lengths and addresses are those of a section at an address that is a multiple of a word.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there is no function.
    pub fn is_empty(&self) -> bool {
        !self.has_functions
    }

    fn begin(&mut self) {
        self.start = self.bytes.len();
        self.location = 0;
        self.bytes.extend_from_slice(&[0; 4]);
    }

    /// Begins the entry of a function of `size` bytes, and gives the offset of the field that must hold the distance from
    /// itself to the function.
    pub fn begin_function(&mut self, size: u32) -> u64 {
        let field = self.begin_function_of(CommonEntry(0), size);
        self.bytes.push(0);
        field
    }

    /// As [`begin_function`](Self::begin_function), of a function with a personality. Gives also the offset of the field
    /// that must hold the distance from itself to the function's [exception table](crate::write_exception_table).
    pub fn begin_function_with(&mut self, common: CommonEntry, size: u32) -> (u64, u64) {
        let function = self.begin_function_of(common, size);
        self.bytes.push(4);
        let table = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&[0; 4]);
        (function, table)
    }

    fn begin_function_of(&mut self, common: CommonEntry, size: u32) -> u64 {
        self.has_functions = true;
        self.begin();
        // The distance back to the common entry.
        let back = self.bytes.len() as u32 - common.0;
        self.bytes.extend_from_slice(&back.to_le_bytes());
        let field = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(&size.to_le_bytes());
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
        uleb(register.into(), &mut self.bytes);
        uleb(offset, &mut self.bytes);
    }

    /// It is `offset` bytes above what the register holds that it is counted from.
    pub fn address_offset(&mut self, offset: u32) {
        self.bytes.push(DEF_CFA_OFFSET);
        uleb(offset, &mut self.bytes);
    }

    /// It is counted from another register.
    pub fn address_register(&mut self, register: u16) {
        self.bytes.push(DEF_CFA_REGISTER);
        uleb(register.into(), &mut self.bytes);
    }

    /// A register of the caller is `offset` bytes, a negative multiple of a word, from the canonical frame address.
    pub fn saved(&mut self, register: u16, offset: i32) {
        let words = offset.unsigned_abs() / u32::from(self.word);
        self.register(OFFSET, OFFSET_EXTENDED, register);
        uleb(words, &mut self.bytes);
    }

    /// A register of the caller is where it was at the entry.
    pub fn restored(&mut self, register: u16) {
        self.register(RESTORE, RESTORE_EXTENDED, register);
    }

    /// What holds now is put on a stack.
    pub fn remember(&mut self) {
        self.bytes.push(REMEMBER);
    }

    /// The return address is signed from here on, or is not again (DW_CFA_AARCH64_negate_ra_state).
    pub fn signed(&mut self) {
        self.bytes.push(NEGATE_RETURN_STATE);
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
                uleb(register, &mut self.bytes);
            }
        }
    }
}
