//! Memory for modules: taken in blocks, given back when the last handle of a block goes.
//!
//! Problem: code reaches its constants and variables by distances of 32 bits, so all that belongs to a module must be
//! near, and there may be ten thousand modules. Method: a *chunk* is one [`Mapping`] with a [`Space`] for each part; a
//! [`Block`] is a range of each part of one chunk. A chunk stays as long as the memory does or a block of it.
//!
//! Invariant: ranges of blocks are disjoint. Cost: that of [`Space`] in the first chunk with room.

use crate::error::Error;
use crate::link::{Addresses, Room};
use crate::object::{Area, FILLED};
use crate::raw::{Mapping, PARTS, Part, Reach, Registered};
use crate::space::Space;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sizes of the parts of a chunk, if its first block needs no more. Memory that nobody writes to is not taken from the
/// system; on machines with addresses of 32 bits addresses are scarce, and calls of ARM reach 32 MiB.
const CHUNK: [usize; PARTS] = match size_of::<usize>() {
    4 => [4 << 20, 2 << 20, 2 << 20],
    _ => [32 << 20, 16 << 20, 16 << 20],
};

/// Most bytes of a chunk: distances within have 32 bits and a sign.
const MOST: usize = match size_of::<usize>() {
    4 => 512 << 20,
    _ => (2 << 30) - (1 << 20),
};

/// Locks; what a thread that panicked has left is whole, because no method stops halfway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct Chunk {
    mapping: Mapping,
    reach: Reach,
    spaces: Mutex<[Space; PARTS]>,
}

/// The chunks.
#[derive(Default)]
pub(crate) struct Memory {
    chunks: Mutex<Vec<Arc<Chunk>>>,
}

/// Memory of a module.
#[derive(Debug)]
pub(crate) struct Block {
    chunk: Arc<Chunk>,
    /// Of code, constants and data.
    ranges: [Range<usize>; PARTS],
    /// Offset of the zeros in the data.
    zeros: usize,
    /// Whether other code was where this block's is.
    is_reused: bool,
}

/// What a block needs of each part: size and alignment, and where in the data the zeros begin.
struct Need {
    parts: [(usize, usize); PARTS],
    zeros: usize,
}

impl Need {
    fn new(room: Room) -> Result<Need, Error> {
        let [code, constants, (variables, data_alignment), (zeros, zero_alignment)] = room;
        let zeros_start = variables.next_multiple_of(zero_alignment);
        let data = (zeros_start + zeros, data_alignment.max(zero_alignment));
        let total: u64 = [code, constants, data].iter().map(|(size, alignment)| size + alignment).sum();
        if total > MOST as u64 {
            return Err(Error::TooLarge { bytes: total, limit: MOST as u64 });
        }
        let narrow = |(size, alignment): (u64, u64)| (size as usize, alignment as usize);
        Ok(Need { parts: [narrow(code), narrow(constants), narrow(data)], zeros: zeros_start as usize })
    }
}

impl Chunk {
    fn new(need: &Need, reach: Reach) -> Result<Chunk, Error> {
        let page = rustix::param::page_size();
        let mut sizes = CHUNK;
        for (size, &(bytes, alignment)) in sizes.iter_mut().zip(&need.parts) {
            *size = (*size).max(bytes + alignment).next_multiple_of(page);
        }
        // A large part must not push the others out of reach.
        if sizes.iter().sum::<usize>() > MOST {
            sizes = need.parts.map(|(bytes, alignment)| (bytes + alignment).next_multiple_of(page));
        }
        let mapping = Mapping::new(sizes, reach).map_err(Error::Memory)?;
        Ok(Chunk { mapping, reach, spaces: Mutex::new(sizes.map(Space::new)) })
    }

    /// Takes a block.
    fn take(self: &Arc<Chunk>, need: &Need) -> Option<Block> {
        let mut spaces = lock(&self.spaces);
        let touched = [0, 1, 2].map(|part: usize| spaces[part].touched());
        let mut ranges: [Range<usize>; PARTS] = Default::default();
        for part in 0..PARTS {
            let (size, alignment) = need.parts[part];
            // Offsets are aligned as addresses are up to a page; beyond that the start of the part counts.
            let Some(range) = self.take_aligned(part, &mut spaces[part], size, alignment) else {
                ranges[..part]
                    .iter()
                    .zip(&mut *spaces)
                    .for_each(|(range, space)| space.release(range.clone()));
                return None;
            };
            ranges[part] = range;
        }
        let is_reused = ranges[Part::Code as usize].start < touched[Part::Code as usize];
        let block = Block { chunk: Arc::clone(self), ranges, zeros: need.zeros, is_reused };
        let data = &block.ranges[Part::Data as usize];
        let end = touched[Part::Data as usize].min(data.end);
        if data.start < end {
            self.mapping.clear(data.start..end);
        }
        Some(block)
    }

    fn take_aligned(
        &self,
        part: usize,
        space: &mut Space,
        size: usize,
        alignment: usize,
    ) -> Option<Range<usize>> {
        let start = self.mapping.address([Part::Code, Part::Constants, Part::Data][part]).addr();
        if start.is_multiple_of(alignment) {
            return space.take(size, alignment);
        }
        // Room for the alignment too, of which what is too much is given back.
        let wide = space.take(size + alignment, 1)?;
        let first = (start + wide.start).next_multiple_of(alignment) - start;
        space.release(wide.start..first);
        space.release(first + size..wide.end);
        Some(first..first + size)
    }
}

impl std::fmt::Debug for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Space").field("touched", &self.touched()).finish_non_exhaustive()
    }
}

impl Memory {
    /// Takes memory for areas of these sizes and alignments.
    ///
    /// # Errors
    /// The system gives none; the areas are larger than distances.
    pub(crate) fn take(&self, room: Room, reach: Reach) -> Result<Block, Error> {
        let need = Need::new(room)?;
        let mut chunks = lock(&self.chunks);
        let known = chunks.iter().filter(|chunk| chunk.reach == reach).find_map(|chunk| chunk.take(&need));
        if let Some(block) = known {
            return Ok(block);
        }
        let chunk = Arc::new(Chunk::new(&need, reach)?);
        let block = chunk.take(&need).ok_or(Error::Internal("a chunk has no room for its first block"))?;
        chunks.push(chunk);
        Ok(block)
    }
}

impl Block {
    fn part(&self, part: Part) -> u64 {
        (self.chunk.mapping.address(part).addr() + self.ranges[part as usize].start) as u64
    }

    /// Where the areas are.
    pub(crate) fn addresses(&self) -> Addresses {
        let data = self.part(Part::Data);
        [self.part(Part::Code), self.part(Part::Constants), data, data + self.zeros as u64]
    }

    /// Lets the process know of the tables for unwinding at a place that [`write`](Self::write) has written.
    ///
    /// # Errors
    /// The process has nothing that unwinds.
    pub(crate) fn register_frames(&self, area: Area, offset: u64) -> Result<Registered, Error> {
        debug_assert_eq!(area, Area::Constants);
        let constants = &self.ranges[Part::Constants as usize];
        self.chunk.mapping.register_frames(constants.start + offset as usize)
    }

    /// Changes a cell, by its offset among the variables.
    pub(crate) fn store(&self, offset: u64, address: u64) {
        let data = &self.ranges[Part::Data as usize];
        debug_assert!(offset as usize + size_of::<usize>() <= data.len());
        self.chunk.mapping.store(data.start + offset as usize, address as usize);
    }

    /// Writes the bytes of all areas and makes the code runnable.
    ///
    /// # Errors
    /// The system cannot tell processors of code.
    pub(crate) fn write(&mut self, filled: &[Vec<u8>; FILLED]) -> Result<(), Error> {
        let areas =
            [(Area::Code, Part::Code), (Area::Constants, Part::Constants), (Area::Variables, Part::Data)];
        for (area, part) in areas {
            let (range, bytes) = (&self.ranges[part as usize], &filled[area as usize]);
            if bytes.len() > range.len() {
                return Err(Error::Internal("an area is larger than its room"));
            }
            self.chunk.mapping.write(part, range.start, bytes);
        }
        let code = self.ranges[Part::Code as usize].clone();
        self.chunk.mapping.publish(code, self.is_reused).map_err(Error::Memory)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut spaces = lock(&self.chunk.spaces);
        for (space, range) in spaces.iter_mut().zip(&self.ranges) {
            space.release(range.clone());
        }
    }
}
