use super::codec::codec;
use super::msgpack;
use super::rules::Rules;
use crate::java::JavaObject;

codec! {
    /// MessagePack that names the Java classes of its values; behind the feature `msgpack`.
    ///
    /// What [`JsonJacksonCodec`](crate::JsonJacksonCodec) says of classes and of reading
    /// holds here.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.MsgPackJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). The same values and tags as in JSON, with these
    /// differences:
    ///
    /// - A root of `byte[]` or NaN comes back as what it is, and so has no tag.
    /// - A `BigDecimal` is written as an integer or as the nearest `double`, so it loses the zeros
    ///   at its end. One that no `double` has is refused, and so is a `BigInteger` of more than 64
    ///   bits, as in Java.
    /// - Half a surrogate pair is refused, where Java writes `?`; and so is `java.time`, whatever
    ///   modules the peers have.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, MsgPackJacksonCodec};
    ///
    /// let codec = MsgPackJacksonCodec::<i64>::new();
    /// assert_eq!(codec.encode(&-1)?, b"\x92\xaejava.lang.Long\xff"[..]);
    /// # Ok::<(), redisson_codec::Error>(())
    /// ```
    MsgPackJacksonCodec: "MessagePack",
    Rules::msgpack(),
    msgpack::print,
    msgpack::parse
}

impl<T: JavaObject> MsgPackJacksonCodec<T> {
    /// Whether the class of a `UUID` is written where it is declared too, as Redisson 4.2.0 and
    /// later do.
    ///
    /// Default: `true`; older peers need `false`. Both forms are read here. Java reads only the one that it writes.
    #[must_use]
    pub fn tagged_uuids(mut self, tagged: bool) -> Self {
        self.typing.rules.uuid_tags = tagged;
        self
    }
}
