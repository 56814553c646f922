//! LZ4 without compression, behind a length.

use super::block::lz4;
use super::codec::frame_codec;
use super::header::push_length;
use super::lz4::decompress;
use crate::Error;

frame_codec! {
    /// Frames the payload of the codec `C` as LZ4, *without* compressing it. Use it if Java
    /// consumers have a broken decoder.
    ///
    /// Behind the feature `lz4`.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.LZ4CodecV2` of 3.25.0 and later around the Java codec that `C` stands
    /// for. The payload has the layout of `LZ4Codec`. This codec reads what either of the two
    /// writes.
    ///
    /// From 3.25.0 to 4.4.0, Java's own decoder fails on every payload that is shorter than its
    /// content, or cuts the content off without an error. So this codec writes uncompressed blocks,
    /// a few bytes longer than the content. All versions read these (checked: 3.52.0 and 4.7.0).
    /// Three things follow:
    ///
    /// - Nothing gets shorter. If every consumer is Rust, or Redisson 4.5.0 or later, use
    ///   [`Lz4Codec`](super::Lz4Codec): Java's `LZ4CodecV2` reads its payloads too.
    /// - Content of more than 196,608 bytes is refused: the broken Java decoders drop the rest
    ///   without an error (checked: 3.52.0).
    /// - `remove` and `contains` miss values that the other language wrote, unless they were too
    ///   short or too random to be compressed.
    ///
    /// Version 3.24 had another layout. This codec refuses it.
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
    Lz4CodecV2,
    compress,
    decompress
}

fn compress(content: &[u8]) -> Result<Vec<u8>, Error> {
    if content.len() > LONGEST_LITERALS {
        return Err(Error::with_source(
            "value is too large for the decoder of LZ4CodecV2",
            format!("{} bytes, and {LONGEST_LITERALS} are read", content.len()),
        ));
    }

    let mut payload = Vec::new();
    push_length(&mut payload, content.len());
    lz4::push_literals(&mut payload, content);
    Ok(payload)
}

/// How many bytes of literals Java's broken decoders read: three times their window.
const LONGEST_LITERALS: usize = 196_608;
