use super::codec::codec;
use super::rules::Rules;
use super::smile;
use crate::java::JavaObject;

codec! {
    /// Smile, a binary form of JSON, that names the Java classes of its values; behind the feature
    /// `smile`.
    ///
    /// What [`JsonJacksonCodec`](crate::JsonJacksonCodec) says of classes and of reading
    /// holds here.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.SmileJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). The same values and tags as in JSON, with these
    /// differences:
    ///
    /// - A root of `byte[]`, `float` or NaN comes back as what it is, and so has no tag.
    /// - Older peers write a `UUID` as bytes, see [`tagged_uuids`](Self::tagged_uuids).
    /// - Half a surrogate pair is refused, as in Java, and so is `java.time`, whatever modules the
    ///   peers have.
    /// - A text of ASCII alone and of more than 2,666 characters is marked as ASCII, and by Java as
    ///   Unicode: both read both, but `remove` and `contains` do not find it.
    /// - At most 128 levels are read, and of two properties with one name only the last.
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
    smile::print,
    smile::parse
}

impl<T: JavaObject> SmileJacksonCodec<T> {
    /// Whether a `UUID` is a text with its class, wherever it stands, as in Redisson 4.2.0 and
    /// later.
    ///
    /// Default: `true`; older peers need `false`: they write its sixteen bytes, and its class only
    /// where anything may stand. Both forms are read here. Java reads only the one that it writes.
    #[must_use]
    pub fn tagged_uuids(mut self, tagged: bool) -> Self {
        self.typing.rules.uuid_tags = tagged;
        self
    }
}
