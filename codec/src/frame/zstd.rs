//! Zstandard behind a length.

use std::io::{self, Write};

use zstd::bulk::Decompressor;
use zstd::stream::write::Encoder;

use super::block::zstd as block;
use super::codec::{Bound, frame_codec};
use super::header::{push_length, split_length, wrong_length};
use crate::Error;

frame_codec! {
    /// Compresses the payload of the codec `C` with Zstandard.
    ///
    /// Behind the feature `zstd`, which builds the C library.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.ZStdCodec`, 3.39.0 and later, around the Java codec that `C` stands for.
    /// A Java `new ZStdCodec()` without an inner codec has `Kryo5Codec` inside. Here the inner
    /// codec is always named.
    ///
    /// The payload is the length as a big-endian `int`, then a Zstandard frame. This codec reads
    /// any frame. It writes with the reference implementation 1.5.7 at level 3, and so does Java
    /// with zstd-jni 1.5.7: `remove` and `contains` find values of the other language. With
    /// zstd-jni 1.5.6 they miss some values of more than 700 bytes (checked: 3.52.0 and 4.7.0).
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
    ZstdCodec,
    compress,
    decompress
}

fn compress(content: &[u8]) -> Result<Vec<u8>, Error> {
    let mut payload = Vec::new();
    push_length(&mut payload, content.len());
    push_frame(&mut payload, content)
        .map_err(|error| Error::with_source("value cannot be compressed with Zstandard", error))?;
    Ok(payload)
}

/// Appends a frame with the blocks that Java makes.
///
/// Java flushes before it ends the frame, which leaves an empty block at its end. It does not for
/// empty content.
fn push_frame(out: &mut Vec<u8>, content: &[u8]) -> io::Result<()> {
    let mut encoder = Encoder::new(out, LEVEL)?;
    if !content.is_empty() {
        encoder.write_all(content)?;
        encoder.flush()?;
    }
    encoder.finish()?;
    Ok(())
}

fn decompress(payload: &[u8], bound: Bound) -> Result<Vec<u8>, Error> {
    let (declared, frame) = split_length(payload)?;
    bound.check(declared)?;
    let possible = block::length(frame).map_err(not_a_frame)?;
    if !possible.contains(&(declared as u64)) {
        let (least, most) = possible.into_inner();
        return Err(wrong_length(declared, format!("{least} to {most}")));
    }

    let mut decompressor = Decompressor::new().map_err(not_a_frame)?;
    let content = decompressor
        .decompress(frame, declared)
        .map_err(not_a_frame)?;
    if content.len() != declared {
        return Err(wrong_length(declared, content.len()));
    }
    Ok(content)
}

fn not_a_frame(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::with_source("payload is no Zstandard frame behind a length", source)
}

const LEVEL: i32 = 3;
