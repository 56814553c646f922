use bytes::Bytes;
use snap::raw::{Decoder, Encoder};

use super::{Inner, LARGEST_MAX_SIZE, lying_header, push_length, split_length};
use crate::block::snappy;
use crate::{Codec, Error};

/// Snappy in chunks: the payload of the codec `C`, compressed.
///
/// # Compatibility
///
/// `org.redisson.codec.SnappyCodec`, which is gone from 4.1.0 on, around the Java codec that `C`
/// stands for. For new data take [`SnappyCodecV2`](super::SnappyCodecV2).
///
/// The payload is any number of chunks: the compressed length as a big-endian `int`, then a Snappy
/// block of 32,767 bytes at most. Java reads all of it (checked: 3.23.4 and 3.52.0), but compresses
/// otherwise: `remove` and `contains` miss what the other language wrote unless it was too short to
/// be compressed.
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
#[derive(Clone, Copy, Debug)]
pub struct SnappyCodec<C> {
    inner: Inner<C>,
}

impl<C> SnappyCodec<C> {
    /// Compresses what `codec` writes.
    #[must_use]
    pub const fn new(codec: C) -> Self {
        Self {
            inner: Inner::new(codec),
        }
    }

    /// Sets the most bytes that a payload may decompress to, and that may be compressed.
    ///
    /// Default: 64 MiB, at most 2 GiB.
    #[must_use]
    pub fn max_size(mut self, bytes: usize) -> Self {
        self.inner.max_size = bytes.min(LARGEST_MAX_SIZE);
        self
    }
}

impl<T, C: Codec<T>> Codec<T> for SnappyCodec<C> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let content = self.inner.write(value)?;
        let mut payload = Vec::new();
        for chunk in content.chunks(CHUNK) {
            let block = Encoder::new().compress_vec(chunk).map_err(|error| {
                Error::with_source("value cannot be compressed with Snappy", error)
            })?;
            push_length(&mut payload, block.len());
            payload.extend(block);
        }
        Ok(payload.into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        let mut content = Vec::new();
        let mut rest = &payload[..];
        while !rest.is_empty() {
            let (declared, chunks) = split_length(rest)?;
            let Some((block, behind)) = chunks.split_at_checked(declared) else {
                return Err(lying_header(declared, chunks.len()));
            };
            // The block proves its length before memory is reserved for it.
            let length = snappy::length(block).map_err(not_a_block)?;
            self.inner.check(content.len().saturating_add(length))?;
            content.extend(Decoder::new().decompress_vec(block).map_err(not_a_block)?);
            rest = behind;
        }
        self.inner.read(content)
    }
}

pub(super) fn not_a_block(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source("payload is no Snappy block", source)
}

/// The most bytes in a chunk, as Java cuts them.
const CHUNK: usize = 32_767;
