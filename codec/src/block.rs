//! Compressed blocks: how long they become, told without decompressing them; and LZ4 itself.
//!
//! A block says of itself how long it becomes, piece by piece. Adding that up costs no memory, so a
//! frame with a lying header is found before anything is reserved for it.

pub(super) mod lz4;
pub(super) mod snappy;
pub(super) mod zstd;

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
