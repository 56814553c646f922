use super::codec::codec;
use super::json::{self, Spelling};
use super::rules::{Rules, Time};
use crate::java::JavaObject;

codec! {
    /// JSON that names the Java classes of its values.
    ///
    /// Which values have their class written down, and in which form, depends on the types that the
    /// Java classes declare: a `Long` field is `["java.lang.Long",5]`, a `long` field is `5`. So the
    /// codec must know the classes. Rust types that derive [`JavaObject`] describe their own; for
    /// [`JavaValue`], which is any value, give a [`Schema`]. Without one, values of the JDK pass both
    /// ways, and objects of other classes can be read but not written.
    ///
    /// [`JavaValue`]: crate::java::JavaValue
    /// [`Schema`]: crate::java::Schema
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.JsonJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). It writes fields rather than what getters return, those of
    /// super classes too, in alphabetical order. Fields that are null and map values that are null are
    /// left out, nulls in lists stay, and keys of maps become texts. `remove` and `contains` find a
    /// value whoever wrote it, with these exceptions and traps:
    ///
    /// - Java writes the whole value as if its class had been declared, and reads it as an `Object`.
    ///   So it cannot read back a record, an object of a final class, an array of a primitive or final
    ///   type, or what `List.of` returns, and reads an enum, `byte[]`, `UUID` or `java.time` as a text
    ///   or a number. This codec adds the class, in the form that Java reads; see
    ///   [`bare_roots`](Self::bare_roots). In a list or a field there is no difference.
    /// - A field that is left out keeps the value that the constructor of the Java class gave it.
    /// - `UUID` fields are tagged from 4.2.0 on. Each side refuses the other's, and a Java consumer
    ///   loses the value: see [`tagged_uuids`](Self::tagged_uuids).
    /// - What Java could not put where it stands is refused, since the consumer would lose the value:
    ///   a value of another class than the declared one, a constant or a field that the class does
    ///   not have, and a primitive field without a value. An interface that is not in the schema
    ///   takes anything.
    /// - `java.time` needs a module: see [`java_time`](Self::java_time).
    /// - Redisson 3.21.1 to 3.21.3 write records as `{}`, and up to 3.25 no record can be read.
    /// - `Optional` is refused: all that older versions write is whether there is a value, and newer
    ///   ones refuse it too. So are `BitSet`, of which Java writes no bits, and `java.sql.Time`.
    /// - Floating-point numbers have the digits of JDK 19 and later, see
    ///   [`TypedJsonJacksonCodec`](crate::TypedJsonJacksonCodec).
    /// - Jackson annotations and an `ObjectMapper` of your own change the text; this codec knows of
    ///   neither.
    ///
    /// Reads what Java reads: the class anywhere among the properties, or where none is needed; unknown
    /// properties and missing ones; numbers as texts; names of interfaces such as `java.util.List`.
    /// Where Java insists on a class that is not there, it takes that of the place, or
    /// `java.util.ArrayList` and `java.util.LinkedHashMap`. An array of two strings of which the first
    /// could be the name of a class counts as a value with its class, unless an array of strings is
    /// declared. Stricter than Java, it takes nothing behind the value, and at most 256 levels and
    /// 1,000 digits of a number.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, JsonJacksonCodec};
    /// use redisson_codec::java::{JavaValue, Schema};
    ///
    /// let schema = Schema::from_json(r#"{
    ///     "com.example.Order": {"fields": {
    ///         "id": "java.lang.String", "coupon": "java.lang.Long", "tags": "java.util.List<java.lang.String>"
    ///     }}
    /// }"#)?;
    /// let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema)?;
    /// let order = JavaValue::object(
    ///     "com.example.Order",
    ///     [("id", "A-1".into()), ("coupon", JavaValue::Long(7)), ("tags", JavaValue::list([]))],
    /// );
    /// assert_eq!(
    ///     codec.encode(&order)?,
    ///     r#"{"@class":"com.example.Order","coupon":["java.lang.Long",7],"id":"A-1","tags":["java.util.ArrayList",[]]}"#
    /// );
    ///
    /// let numbers = JsonJacksonCodec::<Vec<i64>>::new();
    /// let payload = r#"["java.util.ArrayList",[["java.lang.Long",1]]]"#;
    /// assert_eq!(numbers.decode(payload.into())?, [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    JsonJacksonCodec: "JSON",
    Rules::jackson2(),
    |tree| Ok(json::print(tree, Spelling::Jackson2)),
    json::parse
}

impl<T: JavaObject> JsonJacksonCodec<T> {
    /// Whether the peers have registered `JavaTimeModule`, without which Jackson refuses `java.time`.
    ///
    /// Default: `false`. The module writes numbers: `1700000000.123456789` for an `Instant`,
    /// `[2024,2,29]` for a `LocalDate`. Of an `OffsetDateTime` or a `ZonedDateTime` it writes the
    /// instant alone, so it comes back in Greenwich; the latter is refused if its zone is a region,
    /// whose offset only a time zone database knows. Of an `Instant` before 1970 that has
    /// nanoseconds, Jackson before 2.21 writes a number that is off by up to a second, and reads it
    /// so; this codec does not.
    ///
    /// All of them are read in any case, as numbers or as ISO 8601.
    #[must_use]
    pub fn java_time(mut self, registered: bool) -> Self {
        self.typing.rules.time = if registered {
            Time::Numbers
        } else {
            Time::Unregistered
        };
        self
    }

    /// Whether the class of a `UUID` is written where it is declared too, as Redisson 4.2.0 and later
    /// do.
    ///
    /// Default: `true`; older peers need `false`. Both forms are read here. Java reads only the one that it writes.
    #[must_use]
    pub fn tagged_uuids(mut self, tagged: bool) -> Self {
        self.typing.rules.uuid_tags = tagged;
        self
    }
}
