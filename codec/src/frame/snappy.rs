//! Snappy in chunks, each behind its length.

use snap::raw::{Decoder, Encoder};

use super::block::snappy;
use super::codec::{Bound, frame_codec};
use super::header::{push_length, split_length, wrong_length};
use crate::Error;

frame_codec! {
    /// Compresses the payload of the codec `C` with Snappy, in chunks.
    ///
    /// Behind the feature `snappy`. For new data, use [`SnappyCodecV2`](super::SnappyCodecV2).
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.SnappyCodec` around the Java codec that `C` stands for. Redisson 4.1.0
    /// removed it.
    ///
    /// The payload is any number of chunks. A chunk is the compressed length as a big-endian `int`,
    /// then a Snappy block of at most 32,767 bytes of content. Java reads whatever this codec
    /// writes (checked: 3.23.4 and 3.52.0), but compresses to other bytes: `remove` and `contains`
    /// miss values of the other language, unless they were too short to be compressed.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, SnappyCodec, StringCodec};
    ///
    /// let codec = SnappyCodec::new(StringCodec);
    /// let payload = codec.encode(&"wake up ".repeat(100))?;
    /// assert!(payload.len() < 60);
    /// assert_eq!(codec.decode(payload)?, "wake up ".repeat(100));
    /// # Ok::<(), redisson_codec::Error>(())
    /// ```
    SnappyCodec,
    compress,
    decompress
}

fn compress(content: &[u8]) -> Result<Vec<u8>, Error> {
    let mut payload = Vec::new();
    for chunk in content.chunks(CHUNK) {
        let block = compress_block(chunk)?;
        push_length(&mut payload, block.len());
        payload.extend(block);
    }
    Ok(payload)
}

fn decompress(payload: &[u8], bound: Bound) -> Result<Vec<u8>, Error> {
    let mut content = Vec::new();
    let mut rest = payload;
    while !rest.is_empty() {
        let (declared, chunks) = split_length(rest)?;
        let Some((block, behind)) = chunks.split_at_checked(declared) else {
            return Err(wrong_length(declared, chunks.len()));
        };
        content.extend(decompress_block(block, content.len(), bound)?);
        rest = behind;
    }
    Ok(content)
}

pub(super) fn compress_block(content: &[u8]) -> Result<Vec<u8>, Error> {
    Encoder::new()
        .compress_vec(content)
        .map_err(|error| Error::with_source("value cannot be compressed with Snappy", error))
}

/// Decompresses a block that comes after `before` bytes of content. Reserves memory only once the
/// block has proven its length.
pub(super) fn decompress_block(
    block: &[u8],
    before: usize,
    bound: Bound,
) -> Result<Vec<u8>, Error> {
    let length = snappy::length(block).map_err(not_a_block)?;
    bound.check(before.saturating_add(length))?;
    Decoder::new().decompress_vec(block).map_err(not_a_block)
}

fn not_a_block(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source("payload is no Snappy block", source)
}

/// The most bytes in a chunk: Java cuts the content there.
const CHUNK: usize = 32_767;
