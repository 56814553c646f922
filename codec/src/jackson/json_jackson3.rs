use super::codec::codec;
use super::json::{self, Spelling};
use super::rules::Rules;
use crate::java::{JavaObject, Name};

codec! {
    /// JSON that names the Java classes of its values, as Jackson 3 writes it.
    ///
    /// Like [`JsonJacksonCodec`](crate::JsonJacksonCodec), it must know the classes, and what is
    /// said there of reading holds here.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.JsonJackson3Codec`, 4.7.0 (checked: `interop/vectors/payloads.jsonl`); it
    /// exists since 4.1.0. Its payloads are not those of `JsonJacksonCodec`, though many look alike: a
    /// `Long` is tagged only where anything may stand, dates and `java.time` are ISO 8601, characters
    /// beyond U+FFFF are raw, and decimal numbers may have an exponent.
    ///
    /// - Java asks getters and setters for the properties, and fields that are public. This codec takes
    ///   the fields of the class, so leave out of the schema what has neither, and of two fields with one
    ///   name keep the one that the getter returns.
    /// - The properties that the parameters of a constructor set come first, if the class was compiled
    ///   with `-parameters`: see [`creator`](Self::creator). Those of a record always do. The others are
    ///   in alphabetical order. Only `remove` and `contains` care.
    /// - A whole value is written with its class, in the form that Java reads, where Java itself would
    ///   leave it out and read another class or nothing: see [`bare_roots`](Self::bare_roots). That
    ///   includes a `Long` of 32 bits, which Java reads back as an `Integer`.
    /// - Java reads no object in which a primitive property of a constructor is missing or null.
    /// - An `Optional` is what it holds, and `null` if it is empty.
    /// - A `ZonedDateTime` is written with its offset, without its region; one in a region is refused,
    ///   because only a time zone database knows its offset.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, JsonJackson3Codec};
    /// use redisson_codec::java::{JavaValue, Schema};
    ///
    /// // public class Address { public Address(String street, String city) { ... } ... }
    /// let schema = Schema::from_json(r#"{
    ///     "com.example.Address": {"fields": {"city": "java.lang.String", "street": "java.lang.String"}}
    /// }"#)?;
    /// let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema)?
    ///     .creator("com.example.Address", ["street", "city"]);
    /// let address = JavaValue::object(
    ///     "com.example.Address",
    ///     [("city", "Paris".into()), ("street", "1 Main St".into())],
    /// );
    /// assert_eq!(
    ///     codec.encode(&address)?,
    ///     r#"{"@class":"com.example.Address","street":"1 Main St","city":"Paris"}"#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    JsonJackson3Codec: "JSON",
    Rules::jackson3(),
    |tree| Ok(json::print(tree, Spelling::Jackson3)),
    json::parse
}

impl<T: JavaObject> JsonJackson3Codec<T> {
    /// Which properties of a class come first: those that the parameters of its constructor set, in
    /// their order.
    #[must_use]
    pub fn creator<N: Into<Name>>(
        mut self,
        class: impl Into<Name>,
        parameters: impl IntoIterator<Item = N>,
    ) -> Self {
        let parameters = parameters.into_iter().map(Into::into).collect();
        self.typing.rules.first.insert(class.into(), parameters);
        self
    }
}
