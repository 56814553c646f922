use bytes::Bytes;

use super::{Inner, LARGEST_MAX_SIZE, lying_header, push_length, split_length};
use crate::block::lz4;
use crate::{Codec, Error};

/// LZ4: the payload of the codec `C`, compressed.
///
/// # Compatibility
///
/// `org.redisson.codec.LZ4Codec` around the Java codec that `C` stands for. Java takes
/// `Kryo5Codec` if none is given (3.19.0 and later); here it is always named.
///
/// The payload is the length as a big-endian `int`, then one LZ4 block. The block has the same bytes
/// as Java's where Java calls the reference implementation, as on x86-64 (checked: 3.23.4 to 4.7.0),
/// so `remove` and `contains` find what the other language wrote. Java reads all of it.
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
#[derive(Clone, Copy, Debug)]
pub struct Lz4Codec<C> {
    inner: Inner<C>,
}

impl<C> Lz4Codec<C> {
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

impl<T, C: Codec<T>> Codec<T> for Lz4Codec<C> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let content = self.inner.write(value)?;
        let mut payload = Vec::new();
        push_length(&mut payload, content.len());
        payload.extend(lz4::compress(&content));
        Ok(payload.into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        self.inner.read(decompress(&self.inner, &payload)?)
    }
}

/// The content of a frame, for which memory is reserved once the block has proven its length.
pub(super) fn decompress<C>(inner: &Inner<C>, payload: &[u8]) -> Result<Vec<u8>, Error> {
    let (declared, block) = split_length(payload)?;
    inner.check(declared)?;
    let length = lz4::length(block).map_err(not_a_block)?;
    if length != declared {
        return Err(lying_header(declared, length));
    }
    lz4::decompress(block, length).map_err(not_a_block)
}

fn not_a_block(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source("payload is no LZ4 block behind a length", source)
}
