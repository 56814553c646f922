//! `JsonJacksonCodec`: JSON by the rules of Jackson 2.

use super::codec::jackson_codec;
use super::json::{self, Spelling};
use super::rules::{Rules, Time};
use crate::java::JavaObject;

jackson_codec! {
    /// JSON with the names of Java classes in it.
    ///
    /// The types that a Java class declares decide which values get a class name: a `Long` field is
    /// `["java.lang.Long",5]`, a `long` field is `5`. So this codec must know the classes. A Rust
    /// type that derives [`JavaObject`] describes its own. For [`JavaValue`], which holds any
    /// value, pass a [`Schema`]. Without one, the codec reads and writes values of the JDK, and
    /// only reads objects of other classes.
    ///
    /// [`JavaValue`]: crate::java::JavaValue
    /// [`Schema`]: crate::java::Schema
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.JsonJacksonCodec`, 3.17.7 to 4.7.0 (checked:
    /// `interop/vectors/payloads.jsonl`). It writes fields, with those of super classes, in
    /// alphabetical order, and nothing that a method returns: Java also writes `isPaid()`. Null
    /// fields and null values of maps are left out, nulls in lists stay, and keys of maps become
    /// texts. `remove` and `contains` find values of both languages, with these exceptions and
    /// traps:
    ///
    /// - **Whole values.** Java writes a whole value as if its class had been declared, and reads
    ///   it as an `Object`. So Java cannot read its own records, objects of final classes, arrays
    ///   of primitive or final types, and results of `List.of`. It reads an enum, `byte[]`, `UUID`
    ///   or `java.time` as a text or a number. This codec adds the class in the form that Java
    ///   reads, unless you choose [`bare_roots`](Self::bare_roots). In a list or a field there is
    ///   no difference.
    /// - **Missing fields.** A field that is left out keeps the value that the constructor of the
    ///   Java class gave it.
    /// - **`UUID` fields** have their class from 4.2.0 on. Each side refuses the other's form, and
    ///   a Java consumer loses the value: see [`tagged_uuids`](Self::tagged_uuids).
    /// - **Values that do not fit.** This codec refuses to write what a Java consumer would lose: a
    ///   value of another class than the declared one, a constant or a field that the class does
    ///   not have, a primitive field without a value. An interface that is not in the schema takes
    ///   any value.
    /// - **Long texts.** Java does not read a text of more than 20,000,000 UTF-16 units, nor a name or
    ///   a key of more than 50,000 bytes, so this codec writes none. Redisson 3.21.1 to 3.21.3 read
    ///   only 5,000,000 units. A `byte[]` may have any length.
    /// - **`java.time`** needs a module: see [`java_time`](Self::java_time).
    /// - **Records.** Redisson 3.21.1 to 3.21.3 write them as `{}`. Versions up to 3.25 cannot read
    ///   any.
    /// - **`Optional`** is refused. Older versions write only whether there is a value, and newer
    ///   ones refuse it too. `BitSet`, whose bits Java does not write, and `java.sql.Time` are
    ///   refused as well.
    /// - **Floating-point numbers** have the digits of JDK 19 and later: see
    ///   [`TypedJsonJacksonCodec`](crate::TypedJsonJacksonCodec).
    /// - **Annotations.** A schema says which fields and constants have other names in JSON
    ///   (`@JsonProperty`, `@JsonNaming`), and which fields are left out (`@JsonIgnore`): see
    ///   [`Class::jackson_name`](crate::java::Class::jackson_name). If other annotations decide, such
    ///   as `@JsonTypeInfo` or `@JsonFormat`, it can say that as well, and this codec refuses the
    ///   class. `rdq schema` sees them in class files. If a schema says nothing, this codec reads
    ///   a renamed field as null.
    /// - **An `ObjectMapper` of your own** changes the text. This codec does not know it.
    ///
    /// Reads what Java reads: a class name anywhere among the properties, or where none is needed;
    /// unknown and missing properties; numbers as texts; names of interfaces such as
    /// `java.util.List`. Where Java insists on a class name and there is none, this codec takes the
    /// declared class, or `java.util.ArrayList` and `java.util.LinkedHashMap`. It takes an array of
    /// two strings for a value with its class if the first string could be a class name, unless an
    /// array of strings is declared. It is stricter than Java in three points: nothing may follow
    /// the value, values nest at most 256 levels deep, and a number has at most 1,000 digits.
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
    |out| json::Printer { out, spelling: Spelling::Jackson2 },
    json::parse,
    tagged_uuids
}

impl<T: JavaObject> JsonJacksonCodec<T> {
    /// Says that the Java side has registered `JavaTimeModule`. Without it, Jackson refuses to
    /// write `java.time`, and so does this codec.
    ///
    /// Default: `false`. The module writes numbers: `1700000000.123456789` for an `Instant`,
    /// `[2024,2,29]` for a `LocalDate`. It writes only the instant of an `OffsetDateTime` or a
    /// `ZonedDateTime`, so these come back in Greenwich. A `ZonedDateTime` of a region is refused,
    /// because only a time zone database knows its offset. Jackson before 2.21 writes and reads an
    /// `Instant` before 1970 with nanoseconds wrong by up to a second; this codec does not.
    ///
    /// The codec reads all of these in any case, as numbers or as ISO 8601.
    #[must_use]
    pub fn java_time(self, registered: bool) -> Self {
        let time = match registered {
            true => Time::Numbers,
            false => Time::Unregistered,
        };
        self.set(|it| it.rules.time = time)
    }
}
