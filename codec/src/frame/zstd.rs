use std::io::{self, Write};

use bytes::Bytes;
use zstd::bulk::Decompressor;
use zstd::stream::write::Encoder;

use super::{Inner, LARGEST_MAX_SIZE, lying_header, push_length, split_length};
use crate::block::zstd as block;
use crate::{Codec, Error};

/// Zstandard: the payload of the codec `C`, compressed.
///
/// # Compatibility
///
/// `org.redisson.codec.ZStdCodec`, 3.39.0 and later, around the Java codec that `C` stands for.
/// Java takes `Kryo5Codec` if none is given; here it is always named.
///
/// The payload is the length as a big-endian `int`, then a Zstandard frame. Any frame is read. The
/// one that is written is that of the reference implementation 1.5.7 at level 3, which Java calls
/// too: `remove` and `contains` find what the other language wrote if it has zstd-jni 1.5.7. With
/// 1.5.6 they miss some of what has more than 700 bytes (checked: 3.52.0 and 4.7.0).
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, StringCodec, ZstdCodec};
///
/// let codec = ZstdCodec::new(StringCodec);
/// let payload = codec.encode(&"wake up ".repeat(100))?;
/// assert!(payload.len() < 40);
/// assert_eq!(codec.decode(payload)?, "wake up ".repeat(100));
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ZstdCodec<C> {
    inner: Inner<C>,
}

impl<C> ZstdCodec<C> {
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

impl<T, C: Codec<T>> Codec<T> for ZstdCodec<C> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let content = self.inner.write(value)?;
        let mut payload = Vec::new();
        push_length(&mut payload, content.len());
        compress(&content, &mut payload).map_err(|error| {
            Error::with_source("value cannot be compressed with Zstandard", error)
        })?;
        Ok(payload.into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        let (declared, frame) = split_length(&payload)?;
        self.inner.check(declared)?;
        let possible = block::length(frame).map_err(not_a_frame)?;
        if !possible.contains(&(declared as u64)) {
            let (least, most) = possible.into_inner();
            return Err(lying_header(declared, format!("{least} to {most}")));
        }

        let mut decompressor = Decompressor::new().map_err(not_a_frame)?;
        let content = decompressor
            .decompress(frame, declared)
            .map_err(not_a_frame)?;
        if content.len() != declared {
            return Err(lying_header(declared, content.len()));
        }
        self.inner.read(content)
    }
}

/// Appends a frame with the blocks that Java makes.
///
/// Java flushes before it ends the frame, which leaves an empty block at its end. It does not for
/// empty content.
fn compress(content: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let mut encoder = Encoder::new(out, LEVEL)?;
    if !content.is_empty() {
        encoder.write_all(content)?;
        encoder.flush()?;
    }
    encoder.finish()?;
    Ok(())
}

fn not_a_frame(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source("payload is no Zstandard frame behind a length", source)
}

const LEVEL: i32 = 3;
