//! `CborJacksonCodec`: CBOR by the rules of Jackson 2.

use super::cbor;
use super::codec::jackson_codec;
use super::rules::Rules;

jackson_codec! {
    /// CBOR with the names of Java classes in it.
    ///
    /// Behind the feature `cbor`. It must know the classes and reads leniently, like
    /// [`JsonJacksonCodec`](crate::JsonJacksonCodec).
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.CborJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). The same values and class names as in JSON, with these
    /// differences:
    ///
    /// - A whole `byte[]`, `float` or NaN has no class: it comes back as what it is.
    /// - Older peers write a `UUID` as bytes: see [`tagged_uuids`](Self::tagged_uuids).
    /// - Keys of maps that are integers stay integers, where `Integer`, `Long` or `Object` is
    ///   declared. Without a declared type, both sides read texts.
    /// - A negative `BigInteger` is written wrong, as in Java: as its absolute value, where CBOR
    ///   wants one less. Both sides read it back right.
    /// - Texts have the limit of [`JsonJacksonCodec`](crate::JsonJacksonCodec), names have none.
    /// - Half a surrogate pair is refused, as in Java. So is `java.time`, whatever modules the
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
    cbor::Printer,
    cbor::parse,
    tagged_uuids
}
