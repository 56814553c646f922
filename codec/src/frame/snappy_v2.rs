use bytes::Bytes;
use snap::raw::{Decoder, Encoder};

use super::{Inner, LARGEST_MAX_SIZE, snappy::not_a_block};
use crate::block::snappy;
use crate::{Codec, Error};

/// Snappy in one block: the payload of the codec `C`, compressed.
///
/// # Compatibility
///
/// `org.redisson.codec.SnappyCodecV2` around the Java codec that `C` stands for. Java takes
/// `Kryo5Codec` if none is given (3.19.0 and later); here it is always named.
///
/// The payload is one Snappy block, which starts with its length. Java reads all of it (checked:
/// 3.23.4 to 4.7.0), but its bytes depend on the version of snappy-java: they are the same up to
/// 1.1.10.1. Later versions compress otherwise, and then `remove` and `contains` miss what the other
/// language wrote unless it was too short to be compressed (checked: 1.1.10.7 and 1.1.10.8).
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, SnappyCodecV2, StringCodec};
///
/// let codec = SnappyCodecV2::new(StringCodec);
/// let payload = codec.encode(&"wake up ".repeat(100))?;
/// assert!(payload.len() < 60);
/// assert_eq!(codec.decode(payload)?, "wake up ".repeat(100));
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SnappyCodecV2<C> {
    inner: Inner<C>,
}

impl<C> SnappyCodecV2<C> {
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

impl<T, C: Codec<T>> Codec<T> for SnappyCodecV2<C> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let content = self.inner.write(value)?;
        let block = Encoder::new()
            .compress_vec(&content)
            .map_err(|error| Error::with_source("value cannot be compressed with Snappy", error))?;
        Ok(block.into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        // The block proves its length before memory is reserved for it.
        self.inner
            .check(snappy::length(&payload).map_err(not_a_block)?)?;
        let content = Decoder::new().decompress_vec(&payload);
        self.inner.read(content.map_err(not_a_block)?)
    }
}
