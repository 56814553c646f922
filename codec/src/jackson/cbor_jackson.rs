use super::cbor;
use super::codec::codec;
use super::rules::Rules;
use crate::java::JavaObject;

codec! {
    /// CBOR that names the Java classes of its values; behind the feature `cbor`.
    ///
    /// What [`JsonJacksonCodec`](crate::JsonJacksonCodec) says of classes and of reading
    /// holds here.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.CborJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). The same values and tags as in JSON, with these
    /// differences:
    ///
    /// - A root of `byte[]`, `float` or NaN comes back as what it is, and so has no tag.
    /// - Older peers write a `UUID` as bytes, see [`tagged_uuids`](Self::tagged_uuids).
    /// - Keys of maps that are integers stay integers.
    /// - Java writes the absolute value of a negative `BigInteger` where CBOR wants one less. So
    ///   does this codec, and reads it so.
    /// - Half a surrogate pair is refused, as in Java, and so is `java.time`, whatever modules the
    ///   peers have.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{CborJacksonCodec, Codec};
    ///
    /// let codec = CborJacksonCodec::<i64>::new();
    /// assert_eq!(codec.encode(&-1)?, b"\x9f\x6ejava.lang.Long\x20\xff"[..]);
    /// # Ok::<(), redisson_codec::Error>(())
    /// ```
    CborJacksonCodec: "CBOR",
    Rules::binary(),
    cbor::print,
    cbor::parse
}

impl<T: JavaObject> CborJacksonCodec<T> {
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
