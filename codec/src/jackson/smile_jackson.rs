//! `SmileJacksonCodec`: Smile by the rules of Jackson 2.

use super::codec::jackson_codec;
use super::rules::Rules;
use super::smile;
use crate::java::JavaObject;

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
    /// - Half a surrogate pair is refused, as in Java. So is `java.time`, whatever modules the
    ///   peers have.
    /// - This codec marks an ASCII text of more than 2,666 characters as ASCII, and Java marks it
    ///   as Unicode. Both read both, but `remove` and `contains` miss it.
    /// - It reads at most 128 levels, and only the last of two properties with one name.
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
    smile::parse
}

impl<T: JavaObject> SmileJacksonCodec<T> {
    /// Sets whether a `UUID` is a text with its class everywhere, as Redisson 4.2.0 and later write
    /// it.
    ///
    /// Default: `true`. Older peers need `false`: they write its sixteen bytes, and its class only
    /// where any value may stand. This codec reads both forms, Java only the one that it writes.
    #[must_use]
    pub fn tagged_uuids(mut self, tagged: bool) -> Self {
        self.typing.rules.uuid_tags = tagged;
        self
    }
}
