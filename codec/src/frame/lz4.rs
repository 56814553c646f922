//! LZ4 behind a length.

use bytes::Bytes;

use super::block::lz4;
use super::codec::{Bound, frame_codec};
use super::header::{push_length, split_length, wrong_length};
use crate::{Error, payload};

frame_codec! {
    /// Compresses the payload of the codec `C` with LZ4.
    ///
    /// Behind the feature `lz4`.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.LZ4Codec` around the Java codec that `C` stands for. A Java
    /// `new LZ4Codec()` without an inner codec has `Kryo5Codec` inside (3.19.0 and later). Here the
    /// inner codec is always named.
    ///
    /// The payload is the length as a big-endian `int`, then one LZ4 block. Java reads whatever
    /// this codec writes. Both write the same bytes where Java calls the reference implementation,
    /// as on x86-64 (checked: 3.23.4 to 4.7.0), so `remove` and `contains` find values of the other
    /// language.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, Lz4Codec, StringCodec};
    ///
    /// let codec = Lz4Codec::new(StringCodec);
    /// let payload = codec.encode(&"wake up ".repeat(100))?;
    /// assert!(payload.len() < 40);
    /// assert_eq!(codec.decode(payload)?, "wake up ".repeat(100));
    /// # Ok::<(), redisson_codec::Error>(())
    /// ```
    Lz4Codec,
    compress,
    decompress
}

fn compress(content: &[u8]) -> Result<Bytes, Error> {
    payload::tried(|payload| {
        push_length(payload, content.len());
        lz4::compress(content, payload);
        Ok(())
    })
}

/// Reserves memory only once the block has proven its length.
pub(super) fn decompress(payload: &[u8], bound: Bound) -> Result<Vec<u8>, Error> {
    let (declared, block) = split_length(payload)?;
    bound.check(declared)?;
    let length = lz4::length(block).map_err(not_a_block)?;
    if length != declared {
        return Err(wrong_length(declared, length));
    }
    lz4::decompress(block, length).map_err(not_a_block)
}

fn not_a_block(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source("payload is no LZ4 block behind a length", source)
}
