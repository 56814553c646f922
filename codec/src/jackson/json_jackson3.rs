//! `JsonJackson3Codec`: JSON by the rules of Jackson 3.

use super::codec::jackson_codec;
use super::json::{self, Spelling};
use super::rules::Rules;
use crate::java::{JavaObject, Name};

jackson_codec! {
    /// JSON with the names of Java classes in it, as Jackson 3 writes it.
    ///
    /// It must know the classes and reads leniently, like
    /// [`JsonJacksonCodec`](crate::JsonJacksonCodec).
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.JsonJackson3Codec`, 4.7.0 (checked: `interop/vectors/payloads.jsonl`).
    /// It exists since 4.1.0. Its payloads are not those of `JsonJacksonCodec`, though many look
    /// alike: a `Long` has its class only where any value may stand, dates and `java.time` are ISO
    /// 8601, characters beyond U+FFFF are raw, and decimal numbers may have an exponent.
    ///
    /// - **Properties** in Java are what getters and setters say, and public fields. This codec
    ///   takes the fields of the class. So leave fields without either out of the schema, and of
    ///   two fields with one name keep the one that the getter returns.
    /// - **Order.** The parameters of a constructor come first if the class was compiled with
    ///   `-parameters`: see [`creator`](Self::creator). The components of a record always do. Other
    ///   properties are in alphabetical order. Only `remove` and `contains` care.
    /// - **Whole values** are written with their class, in the form that Java reads. Java itself
    ///   leaves the class out, and then reads another class or nothing: see
    ///   [`bare_roots`](Self::bare_roots). This includes a `Long` of 32 bits, which Java reads back
    ///   as an `Integer`.
    /// - **Primitive parameters** of a constructor must be there and not null, or Java does not
    ///   read the object.
    /// - **Long texts.** Java reads 100,000,000 UTF-16 units of a text, and 50,000 bytes of a name or
    ///   a key. This codec writes no more.
    /// - **`Optional`** is written as its value, or as `null` if it is empty.
    /// - **`ZonedDateTime`** is written with its offset and without its region. One in a region is
    ///   refused, because only a time zone database knows its offset.
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
    |out| json::Printer { out, spelling: Spelling::Jackson3 },
    json::parse
}

impl<T: JavaObject> JsonJackson3Codec<T> {
    /// Names the properties that come first: the parameters of the constructor of `class`, in their
    /// order.
    #[must_use]
    pub fn creator<N: Into<Name>>(
        self,
        class: impl Into<Name>,
        parameters: impl IntoIterator<Item = N>,
    ) -> Self {
        let parameters = parameters.into_iter().map(Into::into).collect();
        self.set(|it| _ = it.rules.first.insert(class.into(), parameters))
    }
}
