//! The memory of a program: a flat arena from address 0 with a state for every 4 KiB page, and shadow taint.
//!
//! The arena ends where the last mapping ends; the lowest 64 KiB are never mapped. The shadow has a byte for
//! every byte of memory: 0 for defined, 1 for undefined, 2 for part of a NaN with an unspecified payload. It
//! is consulted only in pages marked [`SHADOWED`], so a program that never stores an undefined value pays one
//! test an access. Accesses are checked page by page; a fast path serves those inside one page.

use alloc::vec::Vec;
use core::ops::Range;

use super::trap::{Access, TrapKind};
use super::value::{LANE, NAN, Slot, UNDEFINED};
use ice_ir::Type;

/// Bytes of a page.
pub(super) const PAGE: u64 = 4096;
/// The page may be read.
pub(super) const READ: u8 = 1;
/// The page may be written.
pub(super) const WRITE: u8 = 2;
/// The page belongs to a mapping, perhaps without access.
pub(super) const MAPPED: u8 = 4;
/// The shadow covers the page.
const SHADOWED: u8 = 8;

/// Shadow of an undefined byte.
const BYTE_UNDEFINED: u8 = 1;
/// Shadow of a byte of an unspecified NaN.
const BYTE_NAN: u8 = 2;

/// Program memory.
#[derive(Default)]
pub(super) struct Memory {
    data: Vec<u8>,
    pages: Vec<u8>,
    shadow: Vec<u8>,
    /// First page that `map` may use.
    heap: usize,
    /// Number of pages that may exist.
    limit: usize,
}

impl Memory {
    /// Memory of `size` bytes, all zero and unmapped, that can grow to `limit` bytes.
    pub fn new(size: u64, limit: u64) -> Memory {
        let pages = size.div_ceil(PAGE) as usize;
        Memory {
            data: alloc::vec![0; pages * PAGE as usize],
            pages: alloc::vec![0; pages],
            shadow: Vec::new(),
            heap: pages,
            limit: (limit / PAGE) as usize,
        }
    }

    /// Gives whole pages the state `flags`.
    pub fn set_pages(&mut self, pages: Range<u64>, flags: u8) {
        for page in &mut self.pages[pages.start as usize..pages.end as usize] {
            *page = flags | *page & SHADOWED;
        }
    }

    fn fault(address: u64, access: Access) -> TrapKind {
        TrapKind::MemoryFault { address, access }
    }

    /// The index range of `len` bytes at `address`, if every page has the flag `need`.
    pub fn check(&self, address: u64, len: u64, need: u8) -> Result<Range<usize>, TrapKind> {
        let access = if need & WRITE != 0 { Access::Write } else { Access::Read };
        if len == 0 {
            return Ok(0..0);
        }
        let last = address.checked_add(len - 1).ok_or(Self::fault(address, access))?;
        for page in address / PAGE..=last / PAGE {
            let state = usize::try_from(page).ok().and_then(|p| self.pages.get(p)).copied().unwrap_or(0);
            if state & need != need {
                return Err(Self::fault(address.max(page * PAGE), access));
            }
        }
        Ok(address as usize..last as usize + 1)
    }

    fn is_shadowed(&self, range: &Range<usize>) -> bool {
        let page = PAGE as usize;
        !range.is_empty()
            && self.pages[range.start / page..=(range.end - 1) / page].iter().any(|p| p & SHADOWED != 0)
    }

    /// Marks pages and makes the shadow long enough.
    fn cover(&mut self, range: &Range<usize>) {
        if range.is_empty() {
            return;
        }
        let page = PAGE as usize;
        let last = (range.end - 1) / page;
        if self.shadow.is_empty() {
            // Fresh zero memory from the allocator costs nothing until it is used.
            self.shadow = alloc::vec![0; self.data.len()];
        } else if self.shadow.len() < (last + 1) * page {
            self.shadow.resize((last + 1) * page, 0);
        }
        for state in &mut self.pages[range.start / page..=last] {
            if *state & SHADOWED == 0 {
                *state |= SHADOWED;
            }
        }
    }

    /// Sets the shadow of a checked range.
    fn set_shadow(&mut self, range: Range<usize>, mark: u8) {
        if mark != 0 {
            self.cover(&range);
        } else if !self.is_shadowed(&range) {
            return;
        }
        let end = range.end.min(self.shadow.len());
        if range.start < end {
            self.shadow[range.start..end].fill(mark);
        }
    }

    /// Makes `len` writable bytes at `address` undefined.
    pub fn set_undefined(&mut self, address: u64, len: u64) -> Result<(), TrapKind> {
        let range = self.check(address, len, WRITE)?;
        self.set_shadow(range, BYTE_UNDEFINED);
        Ok(())
    }

    /// True where one of the readable bytes is undefined.
    pub fn is_undefined(&self, address: u64, len: u64) -> bool {
        self.check(address, len, READ).is_ok_and(|range| {
            let shadow = self.shadow.get(range.start..range.end.min(self.shadow.len()));
            shadow.is_some_and(|s| s.iter().any(|&b| b != 0))
        })
    }

    /// The common case of a read: inside one page without shadow.
    #[inline(always)]
    pub fn read<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let at = usize::try_from(address).ok()?;
        let state = *self.pages.get(at >> 12)?;
        if state & (READ | SHADOWED) != READ || at & 4095 > 4096 - N {
            return None;
        }
        self.data.get(at..at + N)?.try_into().ok()
    }

    /// The common case of a write: inside one page without shadow. False where it was not done.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> bool {
        let Ok(at) = usize::try_from(address) else { return false };
        let Some(state) = self.pages.get(at >> 12) else { return false };
        if state & (WRITE | SHADOWED) != WRITE || at & 4095 > 4096 - N {
            return false;
        }
        match self.data.get_mut(at..at + N) {
            Some(place) => {
                place.copy_from_slice(&bytes);
                true
            }
            None => false,
        }
    }

    /// Loads a value of type `ty` with its taint.
    pub fn load(&self, ty: Type, address: u64) -> Result<Slot, TrapKind> {
        let size = ty.bytes() as usize;
        let range = self.check(address, size as u64, READ)?;
        let mut bytes = [0; 16];
        bytes[..size].copy_from_slice(&self.data[range.clone()]);
        let mut taint = 0;
        if self.is_shadowed(&range) {
            let width = (ty.element().bits() as usize).div_ceil(8);
            let float = ty.is_float_or_float_vector();
            for (i, at) in range.enumerate() {
                taint |= match self.shadow.get(at).copied().unwrap_or(0) {
                    0 => 0,
                    BYTE_NAN if float => NAN,
                    _ => LANE,
                } << (i / width);
            }
            // A NaN with some undefined bytes is undefined.
            taint &= !((taint & UNDEFINED) << 16);
        }
        Ok(Slot::wide(u128::from_le_bytes(bytes), taint))
    }

    /// Stores a value of type `ty` with its taint.
    pub fn store(&mut self, ty: Type, address: u64, value: Slot) -> Result<(), TrapKind> {
        let size = ty.bytes() as usize;
        let range = self.check(address, size as u64, WRITE)?;
        self.data[range.clone()].copy_from_slice(&value.bits(ty).to_le_bytes()[..size]);
        if value.taint == 0 {
            self.set_shadow(range, 0);
            return Ok(());
        }
        self.cover(&range);
        let width = (ty.element().bits() as usize).div_ceil(8);
        for (i, at) in range.enumerate() {
            let taint = value.lane_taint((i / width) as u32);
            self.shadow[at] = match taint {
                0 => 0,
                NAN => BYTE_NAN,
                _ => BYTE_UNDEFINED,
            };
        }
        Ok(())
    }

    /// Copies `len` bytes as if through a buffer.
    pub fn copy(&mut self, to: u64, from: u64, len: u64) -> Result<(), TrapKind> {
        let source = self.check(from, len, READ)?;
        let target = self.check(to, len, WRITE)?;
        if self.is_shadowed(&source) {
            self.cover(&source);
            self.cover(&target);
            self.shadow.copy_within(source.clone(), target.start);
        } else {
            self.set_shadow(target.clone(), 0);
        }
        self.data.copy_within(source, target.start);
        Ok(())
    }

    /// Fills `len` bytes with the low byte of `value`.
    pub fn fill(&mut self, to: u64, value: Slot, len: u64) -> Result<(), TrapKind> {
        let target = self.check(to, len, WRITE)?;
        self.data[target.clone()].fill(value.lo as u8);
        self.set_shadow(target, u8::from(value.taint != 0) * BYTE_UNDEFINED);
        Ok(())
    }

    /// `len` readable bytes.
    pub fn bytes(&self, address: u64, len: u64) -> Result<&[u8], TrapKind> {
        self.check(address, len, READ).map(|range| &self.data[range])
    }

    /// `len` writable bytes, defined from now on.
    pub fn bytes_mut(&mut self, address: u64, len: u64) -> Result<&mut [u8], TrapKind> {
        let range = self.check(address, len, WRITE)?;
        self.set_shadow(range.clone(), 0);
        Ok(&mut self.data[range])
    }

    /// Writes initial contents, whatever the state of the pages.
    pub fn initialise(&mut self, address: u64, bytes: &[u8]) {
        let at = address as usize;
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Maps `len` zeroed bytes, first fit above the stack or, with `at`, exactly there.
    /// `None` without room.
    pub fn map(&mut self, at: Option<u64>, len: u64, flags: u8) -> Option<u64> {
        let count = usize::try_from(len.div_ceil(PAGE)).ok()?;
        let first = match at {
            Some(address) => {
                let first = usize::try_from(address / PAGE).ok()?;
                (address.is_multiple_of(PAGE) && first >= self.heap).then_some(first)?
            }
            None => self.first_fit(count),
        };
        let end = first.checked_add(count).filter(|&end| end <= self.limit)?;
        let old = self.pages.len();
        if end > old {
            self.data.resize(end * PAGE as usize, 0);
            self.pages.resize(end, 0);
        }
        let range = first * PAGE as usize..end.min(old).max(first) * PAGE as usize;
        self.set_shadow(range.clone(), 0);
        self.data[range].fill(0);
        self.set_pages(first as u64..end as u64, MAPPED | flags);
        Some(first as u64 * PAGE)
    }

    /// The first page of the lowest run of `count` free pages; the run may reach past the end.
    fn first_fit(&self, count: usize) -> usize {
        let mut start = self.heap;
        for (i, &state) in self.pages.iter().enumerate().skip(self.heap) {
            if state & MAPPED != 0 {
                start = i + 1;
            } else if i + 1 - start == count {
                break;
            }
        }
        start
    }

    /// The pages of a range that `unmap` and `protect` may touch, if it lies in the mapped area.
    fn heap_pages(&self, address: u64, len: u64) -> Option<Range<u64>> {
        let pages = address / PAGE..address.checked_add(len)?.div_ceil(PAGE);
        (address.is_multiple_of(PAGE)
            && pages.start >= self.heap as u64
            && pages.end <= self.pages.len() as u64)
            .then_some(pages)
    }

    /// Ends mappings. False for a range that is not the program's to unmap.
    #[must_use]
    pub fn unmap(&mut self, address: u64, len: u64) -> bool {
        let Some(pages) = self.heap_pages(address, len) else { return false };
        self.set_pages(pages, 0);
        true
    }

    /// Changes the rights of mapped pages. False where one is not mapped by the program.
    #[must_use]
    pub fn protect(&mut self, address: u64, len: u64, flags: u8) -> bool {
        let Some(pages) = self.heap_pages(address, len) else { return false };
        if self.pages[pages.start as usize..pages.end as usize].iter().any(|p| p & MAPPED == 0) {
            return false;
        }
        self.set_pages(pages, MAPPED | flags);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let mut m = Memory::new(4 * PAGE, 16 * PAGE);
        m.set_pages(1..2, READ);
        m.set_pages(2..4, READ | WRITE);
        m
    }

    #[test]
    fn pages_are_checked_at_every_byte() {
        let mut m = memory();
        let fault = |address, access| Err(TrapKind::MemoryFault { address, access });
        assert!(m.load(Type::I32, 2 * PAGE - 2).is_ok());
        assert_eq!(m.load(Type::I32, PAGE - 2).map(|_| ()), fault(PAGE - 2, Access::Read));
        assert_eq!(m.load(Type::I32, 4 * PAGE - 2).map(|_| ()), fault(4 * PAGE, Access::Read));
        assert_eq!(m.store(Type::I8, PAGE, Slot::default()), fault(PAGE, Access::Write));
        assert_eq!(m.load(Type::I64, u64::MAX - 3).map(|_| ()), fault(u64::MAX - 3, Access::Read));
        assert_eq!(m.read::<4>(u64::MAX - 3), None);
        assert_eq!(m.read::<4>(2 * PAGE - 2), None, "left to the slow path");
        m.set_pages(3..4, 0);
        for back in 1..4 {
            assert_eq!(m.read::<4>(3 * PAGE - back), None);
            assert!(!m.write(3 * PAGE - back, [0; 4]));
        }
        assert_eq!(m.read::<4>(3 * PAGE - 4), Some([0; 4]));
    }

    #[test]
    fn shadow_follows_copies_and_fills() {
        let mut m = memory();
        let at = 2 * PAGE + 4094;
        m.store(Type::I32, at, Slot::new(0x0403_0201, 1)).unwrap();
        assert_eq!(m.load(Type::I8, at + 3).unwrap(), Slot::new(4, 1));
        m.store(Type::I8, at + 3, Slot::new(9, 0)).unwrap();
        assert_eq!(m.load(Type::I8, at + 3).unwrap(), Slot::new(9, 0));
        assert_eq!(m.load(Type::I32, at).unwrap().taint, 1);
        m.copy(at + 2, at, 4).unwrap();
        assert_eq!(m.load(Type::I8, at + 4).unwrap().taint, 1);
        assert_eq!(m.load(Type::I8, at + 5).unwrap(), Slot::new(9, 0));
        m.fill(at, Slot::new(7, 0), 6).unwrap();
        assert_eq!(m.load(Type::I32, at).unwrap(), Slot::new(0x0707_0707, 0));
        assert!(!m.is_undefined(at, 6));
    }

    #[test]
    fn nan_payloads_are_undefined_only_as_integers() {
        let mut m = memory();
        m.store(Type::F64, 2 * PAGE, Slot::new(f64::NAN.to_bits(), NAN)).unwrap();
        assert_eq!(m.load(Type::F64, 2 * PAGE).unwrap().taint, NAN);
        assert_eq!(m.load(Type::I64, 2 * PAGE).unwrap().taint, LANE);
        m.store(Type::I8, 2 * PAGE, Slot::new(0, LANE)).unwrap();
        assert_eq!(m.load(Type::F64, 2 * PAGE).unwrap().taint, LANE);
    }

    #[test]
    fn mappings_fit_first_and_come_back_zeroed() {
        let mut m = memory();
        let a = m.map(None, 1, READ | WRITE).unwrap();
        let b = m.map(None, 2 * PAGE, READ | WRITE).unwrap();
        assert_eq!((a, b), (4 * PAGE, 5 * PAGE));
        m.store(Type::I32, a, Slot::new(5, 1)).unwrap();
        assert!(m.unmap(a, PAGE));
        assert!(m.load(Type::I32, a).is_err());
        assert_eq!(m.map(None, 2 * PAGE, READ), Some(7 * PAGE), "the hole is too small");
        assert_eq!(m.map(None, PAGE, READ), Some(a));
        assert_eq!(m.load(Type::I32, a).unwrap(), Slot::new(0, 0));
        assert!(m.protect(a, PAGE, 0) && m.load(Type::I8, a).is_err());
        assert!(!m.unmap(2 * PAGE, PAGE), "the stack stays");
        assert!(!m.protect(9 * PAGE, PAGE, READ), "never mapped");
        assert_eq!(m.map(None, 8 * PAGE, READ), None, "over the limit");
        assert_eq!(m.map(None, u64::MAX, READ), None);
    }
}
