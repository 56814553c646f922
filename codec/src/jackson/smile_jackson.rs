//! `SmileJacksonCodec`: Smile by the rules of Jackson 2.

use super::codec::jackson_codec;
use super::rules::Rules;
use super::smile;

jackson_codec! {
    /// Smile, a binary form of JSON, with the names of Java classes in it.
    ///
    /// Behind the feature `smile`. It must know the classes and reads leniently, like
    /// [`JsonJacksonCodec`](crate::JsonJacksonCodec).
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.SmileJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). The same values and class names as in JSON, with these
    /// differences:
    ///
    /// - A whole `byte[]`, `float` or NaN has no class: it comes back as what it is.
    /// - Older peers write a `UUID` as bytes: see [`tagged_uuids`](Self::tagged_uuids).
    /// - Texts have the limit of [`JsonJacksonCodec`](crate::JsonJacksonCodec), names have none.
    /// - Half a surrogate pair is refused, as in Java. So is `java.time`, whatever modules the
    ///   peers have.
    /// - This codec marks an ASCII text of more than 2,666 characters as ASCII, and Java marks it
    ///   as Unicode. Both read both, but `remove` and `contains` miss it.
    /// - It reads and writes at most 127 levels, and reads only the last of two properties with one name.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, SmileJacksonCodec};
    ///
    /// let codec = SmileJacksonCodec::<i32>::new();
    /// assert_eq!(codec.encode(&-1)?, b":)\n\x01\xc1"[..]);
    /// # Ok::<(), redisson_codec::Error>(())
    /// ```
    SmileJacksonCodec: "Smile",
    Rules::binary(),
    smile::Printer::new,
    smile::parse,
    tagged_uuids
}
