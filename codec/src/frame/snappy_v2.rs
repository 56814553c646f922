//! Snappy in one block.

use super::codec::{Bound, frame_codec};
use super::snappy::{compress_block, decompress_block};
use crate::Error;

frame_codec! {
    /// Compresses the payload of the codec `C` with Snappy, in one block.
    ///
    /// Behind the feature `snappy`.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.SnappyCodecV2` around the Java codec that `C` stands for. A Java `new
    /// SnappyCodecV2()` without an inner codec has `Kryo5Codec` inside (3.19.0 and later). Here the
    /// inner codec is always named.
    ///
    /// The payload is one Snappy block, which starts with its length. Java reads whatever this
    /// codec writes (checked: 3.23.4 to 4.7.0). Whether Java writes the same bytes depends on its
    /// snappy-java. Up to 1.1.10.1 it does. Later versions compress to other bytes, so `remove` and
    /// `contains` miss values of the other language, unless they were too short to be compressed
    /// (checked: 1.1.10.7 and 1.1.10.8).
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
    SnappyCodecV2,
    compress_block,
    decompress
}

fn decompress(payload: &[u8], bound: Bound) -> Result<Vec<u8>, Error> {
    decompress_block(payload, 0, bound)
}
