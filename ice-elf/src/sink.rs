//! Where the bytes of an object go: a trait of two calls, so that the crate does no IO.
//!
//! The writer appends every byte once, in file order, and patches one place, the file header, at the end.
use alloc::vec::Vec;
use core::fmt;

/// A growing sequence of bytes. It must be empty when it is given to a writer.
pub trait Sink {
    /// Add `bytes` at the end.
    ///
    /// # Errors
    /// What keeps the sink from taking the bytes. The writer stops and passes the error on.
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError>;

    /// Replace the bytes at `offset` (counted from the first byte appended) by `bytes`. All of them were
    /// appended before.
    ///
    /// # Errors
    /// As for [`Sink::append`].
    fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), SinkError>;
}

/// Why a [`Sink`] refused bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SinkError {
    /// A patch of bytes that were never appended.
    OutOfBounds {
        /// First byte of the patch.
        offset: u64,
    },
    /// No memory for the bytes.
    OutOfMemory,
    /// Input or output failed.
    Io {
        /// The operating system's error number, when there is one.
        os_code: Option<i32>,
    },
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SinkError::OutOfBounds { offset } => write!(f, "patch outside the output at offset {offset}"),
            SinkError::OutOfMemory => f.write_str("out of memory"),
            SinkError::Io { os_code: Some(code) } => write!(f, "output failed with system error {code}"),
            SinkError::Io { os_code: None } => f.write_str("output failed"),
        }
    }
}

impl core::error::Error for SinkError {}

impl Sink for Vec<u8> {
    #[inline]
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.try_reserve(bytes.len()).map_err(|_| SinkError::OutOfMemory)?;
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), SinkError> {
        let start = usize::try_from(offset).map_err(|_| SinkError::OutOfBounds { offset })?;
        let end = start.checked_add(bytes.len()).ok_or(SinkError::OutOfBounds { offset })?;
        self.get_mut(start..end).ok_or(SinkError::OutOfBounds { offset })?.copy_from_slice(bytes);
        Ok(())
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    #[inline]
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        (**self).append(bytes)
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), SinkError> {
        (**self).patch(offset, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_refuses_patches_outside() {
        let mut sink = Vec::new();
        Sink::append(&mut sink, b"abcd").unwrap();
        sink.patch(1, b"XY").unwrap();
        assert_eq!(sink, b"aXYd");
        for offset in [3, 4, 5, u64::MAX] {
            assert_eq!(sink.patch(offset, b"ZZ"), Err(SinkError::OutOfBounds { offset }));
        }
        assert_eq!(sink, b"aXYd");
    }
}
