//! Relocations as a client gives them, and the packed records kept until the end.
//!
//! A record is packed at once, in the layout of the file, but with the [`SymbolId`] in the place of the symbol index:
//! ELF wants local symbols before global ones, so indices are known only when all symbols are. They are put in when
//! the records go to the sink. Records are what grows with the code of a module: they stand in blocks that never move,
//! so that no memory waits for growth. Cost: linear, one allocation for some hundred relocations.
use alloc::vec::Vec;

use crate::format::{Class, Format, RecordKind};
use crate::{Error, SectionId, SymbolId};

/// A field of a section for the linker to fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Offset of the field in the bytes the relocation comes with, in bytes.
    pub offset: u64,
    /// The machine's relocation type, `object::elf::R_*`.
    pub r_type: u32,
    /// What the field refers to.
    pub target: Target,
    /// Added to the value of the target.
    pub addend: i64,
    /// Where the addend goes when the format has no place for it in the record.
    pub placement: AddendPlacement,
}

/// What a relocation refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A symbol, defined or not.
    Symbol(SymbolId),
    /// The start of a section of this object (its section symbol).
    Section(SectionId),
    /// Address zero (the null symbol), for calls of and jumps to absolute addresses.
    Absolute,
}

/// How an addend is stored in the relocated field. Only REL formats use it; RELA has the addend in its record
/// and leaves the field as the client made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddendPlacement {
    /// Four bytes, little-endian; the addend is -2^31 to 2^32 - 1.
    Width4,
    /// Eight bytes, little-endian.
    Width8,
    /// The client has encoded it in the instruction (ARM branches and movw/movt, MIPS HI16/LO16/26).
    CallerDone,
}

impl AddendPlacement {
    /// Bytes that must be there at the offset. An instruction's field has at least one.
    fn width(self) -> usize {
        match self {
            AddendPlacement::Width4 => 4,
            AddendPlacement::Width8 => 8,
            AddendPlacement::CallerDone => 1,
        }
    }
}

/// Bytes of a block of records.
const BLOCK: usize = 16 << 10;

/// The records of a section, in order.
#[derive(Default)]
pub(crate) struct Records {
    blocks: Vec<Vec<u8>>,
}

impl Records {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The bytes of all records.
    pub(crate) fn size(&self) -> u64 {
        self.blocks.iter().map(|block| block.len() as u64).sum()
    }

    /// Adds a record.
    #[inline(always)]
    fn push<const SIZE: usize>(&mut self, record: [u8; SIZE]) {
        match self.blocks.last_mut() {
            Some(block) if block.len() + SIZE <= BLOCK => block.extend_from_slice(&record),
            _ => self.begin_block(&record),
        }
    }

    #[cold]
    fn begin_block(&mut self, record: &[u8]) {
        // Most sections have few.
        let capacity = if self.blocks.is_empty() { 4 * record.len() } else { BLOCK };
        let mut block = Vec::with_capacity(capacity);
        block.extend_from_slice(record);
        self.blocks.push(block);
    }

    /// Gives the records, piece by piece, with the indices that symbols have in the file.
    pub(crate) fn write<E>(
        self,
        format: Format,
        index_of: &[u32],
        mut put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for mut block in self.blocks {
            renumber(&mut block, format, index_of);
            put(&block)?;
        }
        Ok(())
    }
}

/// Pack one relocation of `bytes`, which stand at offset `base` of `section`, and store its addend in the
/// field if the format is REL. `symbol` is the target as a number of [`SymbolId`].
pub(crate) fn pack(
    records: &mut Records,
    format: Format,
    section: SectionId,
    base: u64,
    bytes: &mut [u8],
    relocation: &Relocation,
    symbol: u32,
) -> Result<(), Error> {
    let Relocation { r_type, addend, placement, .. } = *relocation;
    let offset = base.saturating_add(relocation.offset);
    let field = usize::try_from(relocation.offset).ok().and_then(|start| bytes.get_mut(start..));
    let Some(field) = field.filter(|field| field.len() >= placement.width()) else {
        return Err(Error::RelocationOutOfBounds { section, offset });
    };
    let word = || match (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&addend) {
        true => Ok((addend as u32).to_le_bytes()),
        false => Err(Error::AddendOutOfRange { section, offset, addend }),
    };
    if format.records == RecordKind::Rel {
        match placement {
            AddendPlacement::Width4 => field[..4].copy_from_slice(&word()?),
            AddendPlacement::Width8 => field[..8].copy_from_slice(&addend.to_le_bytes()),
            AddendPlacement::CallerDone => {}
        }
    }
    match format.class {
        Class::Elf32 => {
            if r_type > 0xff {
                return Err(Error::RelocationTypeOutOfRange { section, offset, r_type });
            }
            let place = u32::try_from(offset).map_err(|_| Error::SectionTooLarge { section })?;
            let record = (u64::from(symbol << 8 | r_type) << 32 | u64::from(place)).to_le_bytes();
            match format.records {
                RecordKind::Rel => records.push(record),
                RecordKind::Rela => {
                    let mut with_addend = [0; 12];
                    with_addend[..8].copy_from_slice(&record);
                    with_addend[8..].copy_from_slice(&word()?);
                    records.push(with_addend);
                }
            }
        }
        Class::Elf64 => {
            let mut record = [0; 16];
            record[..8].copy_from_slice(&offset.to_le_bytes());
            record[8..].copy_from_slice(&(u64::from(symbol) << 32 | u64::from(r_type)).to_le_bytes());
            match format.records {
                RecordKind::Rel => records.push(record),
                RecordKind::Rela => {
                    let mut with_addend = [0; 24];
                    with_addend[..16].copy_from_slice(&record);
                    with_addend[16..].copy_from_slice(&addend.to_le_bytes());
                    records.push(with_addend);
                }
            }
        }
    }
    Ok(())
}

/// Replace the [`SymbolId`] in every record by its index in the symbol table.
fn renumber(records: &mut [u8], format: Format, index_of: &[u32]) {
    let size = format.relocation_size();
    for record in records.chunks_exact_mut(size) {
        match format.class {
            Class::Elf32 => {
                let info = u32::from_le_bytes([record[4], record[5], record[6], record[7]]);
                let info = index_of[(info >> 8) as usize] << 8 | info & 0xff;
                record[4..8].copy_from_slice(&info.to_le_bytes());
            }
            Class::Elf64 => {
                let id = u32::from_le_bytes([record[12], record[13], record[14], record[15]]);
                record[12..16].copy_from_slice(&index_of[id as usize].to_le_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::LittleEndian as LE;
    use object::elf::{Rel32, Rel64, Rela32, Rela64};
    use object::pod::from_bytes;

    fn packed(format: Format, addend: i64) -> (Vec<u8>, [u8; 8]) {
        let mut records = Records::default();
        let mut bytes = [0; 8];
        let relocation = Relocation {
            offset: 2,
            r_type: 0xa1,
            target: Target::Absolute,
            addend,
            placement: AddendPlacement::Width4,
        };
        pack(&mut records, format, SectionId::from_u32(0), 0x100, &mut bytes, &relocation, 2).unwrap();
        let mut written = Vec::new();
        records
            .write(format, &[0, 0, 0x345678], |piece| {
                written.extend_from_slice(piece);
                Ok::<_, Error>(())
            })
            .unwrap();
        (written, bytes)
    }

    #[test]
    fn records_are_those_of_the_elf_definitions() {
        let (records, bytes) = packed(Format::X86_32, -4);
        let record = from_bytes::<Rel32<LE>>(&records).unwrap().0;
        assert_eq!((record.r_offset.get(LE), record.r_sym(LE), record.r_type(LE)), (0x102, 0x345678, 0xa1));
        assert_eq!(bytes, [0, 0, 0xfc, 0xff, 0xff, 0xff, 0, 0]);

        let (records, bytes) = packed(Format::X32, -4);
        let record = from_bytes::<Rela32<LE>>(&records).unwrap().0;
        assert_eq!((record.r_offset.get(LE), record.r_sym(LE), record.r_type(LE)), (0x102, 0x345678, 0xa1));
        assert_eq!(record.r_addend.get(LE), -4);
        assert_eq!(bytes, [0; 8]);

        let (records, bytes) = packed(Format::X86_64, i64::MIN);
        let record = from_bytes::<Rela64<LE>>(&records).unwrap().0;
        assert_eq!(
            (record.r_offset.get(LE), record.r_sym(LE, false), record.r_type(LE, false)),
            (0x102, 0x345678, 0xa1)
        );
        assert_eq!(record.r_addend.get(LE), i64::MIN);
        assert_eq!(bytes, [0; 8]);

        let (records, bytes) = packed(Format { records: RecordKind::Rel, ..Format::X86_64 }, 7);
        let record = from_bytes::<Rel64<LE>>(&records).unwrap().0;
        assert_eq!((record.r_offset.get(LE), record.r_sym(LE), record.r_type(LE)), (0x102, 0x345678, 0xa1));
        assert_eq!(bytes, [0, 0, 7, 0, 0, 0, 0, 0]);
    }
    #[test]
    fn records_of_many_blocks_come_in_order() {
        const COUNT: u32 = 5000;
        let (section, mut records) = (SectionId::from_u32(0), Records::default());
        let index_of: Vec<u32> = (0..COUNT).map(|number| number ^ 1).collect();
        for number in 0..COUNT {
            let target = Target::Absolute;
            let relocation =
                Relocation { offset: 0, r_type: 1, target, addend: 0, placement: AddendPlacement::Width4 };
            let base = u64::from(number) * 4;
            pack(&mut records, Format::X86_64, section, base, &mut [0; 4], &relocation, number).unwrap();
        }
        assert_eq!(records.size(), u64::from(COUNT) * 24);
        let (mut next, mut pieces) = (0, 0);
        let mut put = |piece: &[u8]| -> Result<(), Error> {
            for record in piece.chunks_exact(24) {
                let record = from_bytes::<Rela64<LE>>(record).unwrap().0;
                assert_eq!(
                    (record.r_offset.get(LE), record.r_sym(LE, false)),
                    (u64::from(next) * 4, next ^ 1)
                );
                next += 1;
            }
            pieces += 1;
            Ok(())
        };
        records.write(Format::X86_64, &index_of, &mut put).unwrap();
        assert!(next == COUNT && pieces > 5);
    }
}
