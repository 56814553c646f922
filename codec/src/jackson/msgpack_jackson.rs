//! `MsgPackJacksonCodec`: MessagePack by the rules of Jackson 2.

use super::codec::jackson_codec;
use super::msgpack;
use super::rules::Rules;

jackson_codec! {
    /// MessagePack with the names of Java classes in it.
    ///
    /// Behind the feature `msgpack`. It must know the classes and reads leniently, like
    /// [`JsonJacksonCodec`](crate::JsonJacksonCodec).
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.MsgPackJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). The same values and class names as in JSON, with these
    /// differences:
    ///
    /// - A whole `byte[]` or NaN has no class: it comes back as what it is.
    /// - A `BigDecimal` is written as an integer or as the nearest `double`, so it loses the zeros
    ///   at its end. A `BigDecimal` that no `double` equals is refused. So is a `BigInteger` of
    ///   more than 64 bits, as in Java.
    /// - Half a surrogate pair is refused, where Java writes `?`. So is `java.time`, whatever
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
    msgpack::Printer,
    msgpack::parse,
    tagged_uuids
}
