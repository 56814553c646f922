//! Block formats: computes the decompressed length without decompressing. Also compresses LZ4.
//!
//! Each piece of a block declares its decompressed length. Adding these lengths up takes no memory,
//! so a frame with a wrong length in its header is refused before memory is reserved for it.

pub(crate) mod lz4;
pub(crate) mod snappy;
pub(crate) mod zstd;

use crate::java::Malformed;

/// Reads a block from its first byte to its last.
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    fn is_at_end(&self) -> bool {
        self.offset == self.bytes.len()
    }

    fn skip(&mut self, count: usize) -> Result<(), Malformed> {
        self.take(count).map(drop)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let taken = self.bytes[self.offset..].get(..count);
        self.offset += taken.map_or(0, <[u8]>::len);
        taken.ok_or(self.malformed(ENDS_EARLY))
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// A little-endian number of `width` bytes, eight at most.
    fn number(&mut self, width: usize) -> Result<u64, Malformed> {
        let bytes = self.take(width)?.iter();
        Ok(bytes.rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    fn malformed(&self, reason: &'static str) -> Malformed {
        Malformed {
            reason,
            offset: self.offset,
        }
    }
}

const ENDS_EARLY: &str = "the block ends early";
