use bytes::Bytes;

use super::{Inner, LARGEST_MAX_SIZE, lz4::decompress, push_length};
use crate::block::lz4;
use crate::{Codec, Error};

/// LZ4 for consumers with a broken decoder: the payload of the codec `C`, *not* compressed.
///
/// # Compatibility
///
/// `org.redisson.codec.LZ4CodecV2` of 3.25.0 and later around the Java codec that `C` stands for.
/// The payload is laid out as that of `LZ4Codec`, and this codec reads whatever either writes.
///
/// From 3.25.0 to 4.4.0 Java's own decoder fails on every payload that is shorter than its content,
/// or silently cuts it. So this codec writes blocks of literals only, a few bytes longer than the
/// content, which all versions read (checked: 3.52.0 and 4.7.0). Three things follow:
///
/// - Nothing gets shorter. Where every consumer is 4.5.0 or later, or Rust, use
///   [`Lz4Codec`](super::Lz4Codec): what it writes is read by the Java codec of this name too.
/// - Content of more than 196,608 bytes is not written: the Java decoders in question cut what is
///   behind them off, silently (checked: 3.52.0).
/// - `remove` and `contains` find what the other language wrote only if it was too short or too
///   random to be compressed.
///
/// Version 3.24 had another layout, which this codec refuses.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, Lz4CodecV2, StringCodec};
///
/// let payload = Lz4CodecV2::new(StringCodec).encode(&"wake up".to_owned())?;
/// assert_eq!(payload, "\0\0\0\x07\x70wake up");
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lz4CodecV2<C> {
    inner: Inner<C>,
}

impl<C> Lz4CodecV2<C> {
    /// Frames what `codec` writes.
    #[must_use]
    pub const fn new(codec: C) -> Self {
        Self {
            inner: Inner::new(codec),
        }
    }

    /// Sets the most bytes that a payload may decompress to.
    ///
    /// Default: 64 MiB, at most 2 GiB.
    #[must_use]
    pub fn max_size(mut self, bytes: usize) -> Self {
        self.inner.max_size = bytes.min(LARGEST_MAX_SIZE);
        self
    }
}

impl<T, C: Codec<T>> Codec<T> for Lz4CodecV2<C> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let content = self.inner.write(value)?;
        if content.len() > LONGEST_LITERALS {
            return Err(Error::with_source(
                "value is too large for the decoder of LZ4CodecV2",
                format!("{} bytes, and {LONGEST_LITERALS} are read", content.len()),
            ));
        }

        let mut payload = Vec::new();
        push_length(&mut payload, content.len());
        lz4::push_literals(&mut payload, &content);
        Ok(payload.into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        self.inner.read(decompress(&self.inner, &payload)?)
    }
}

/// What the broken decoders of Java read of literals, which is three of their windows.
const LONGEST_LITERALS: usize = 196_608;
