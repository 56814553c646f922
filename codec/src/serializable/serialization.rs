use super::codec::serializable_codec;
use crate::Error;
use crate::java::{JavaValue, stream};

mod writer;

serializable_codec! {
    /// Any value that Java can serialize, in the stream of `java.io.ObjectOutputStream`.
    ///
    /// Behind the feature `serialization`.
    ///
    /// **Reads** objects of any class: the stream describes its classes itself. An object that
    /// stands for another is resolved as Java does it: `java.util.CollSer` becomes the list of
    /// `List.of`. Refuses proxies, objects that contain themselves or nest more than 128 deep, and
    /// objects that only their own class can read. Drops four things: what a class adds to its
    /// fields in a `writeObject` of its own, the fields of a class that extends a collection, a map
    /// or a date, and the part of a `Timestamp` below a millisecond. A `writeObject` that does not
    /// begin with the fields is read wrong, unless the schema says so:
    /// [`serialized_its_own_way`](crate::java::Class::serialized_its_own_way), which `rdq schema`
    /// finds out.
    ///
    /// **Writes** strings, numbers, enums, arrays, times, the usual collections and maps, some other
    /// classes of the JDK, and the classes of a [`Schema`](crate::java::Schema) that have a
    /// [`serial_version_uid`](crate::java::Class::serial_version_uid). Refuses other values, because
    /// it does not know what Java would write: wrappers such as `Collections.unmodifiableList`, a
    /// `ZonedDateTime` of a region.
    ///
    /// **Stand-ins.** If a class has `writeReplace`, the payload has the object that it returns, of
    /// another class as a rule. That object is what this codec reads and writes: only Java's
    /// `readResolve` makes the first one of it. `rdq schema` prints a note about such a class.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.SerializationCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
    /// (checked: `interop/vectors/payloads.jsonl`).
    ///
    /// `remove` and `contains` compare bytes, and Java's bytes differ for some equal values:
    ///
    /// - **Strings.** Java refers to a string that it has written before, if it is the same object.
    ///   Literals of a program are the same object; strings from elsewhere are not. This codec takes
    ///   equal strings for the same object, unless
    ///   [`distinct_strings`](Self::distinct_strings) says otherwise. Of numbers, only those that
    ///   `Integer.valueOf` and the like share are the same object.
    /// - **The table of a `HashMap` or a `HashSet`.** Its size depends on how the map was made and
    ///   filled. This codec writes the size of a `new HashMap()` that was filled one by one.
    /// - **The order of a `HashMap`.** This codec writes entries in the order of the value, which is
    ///   Java's order if Java wrote the value. Use a `LinkedHashMap` for maps of your own.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, SerializationCodec};
    /// use redisson_codec::java::{Class, JavaType, JavaValue, Schema};
    ///
    /// let order = Class::object("com.example.Order")
    ///     .serial_version_uid(1)
    ///     .field("id", JavaType::new("java.lang.String"))
    ///     .field("cents", JavaType::new("long"));
    /// let codec = SerializationCodec::<JavaValue>::with_schema(Schema::from_iter([order]))?;
    ///
    /// let order = JavaValue::object(
    ///     "com.example.Order",
    ///     [("id", "A-1".into()), ("cents", JavaValue::Long(1999))],
    /// );
    /// let payload = codec.encode(&order)?;
    /// assert!(payload.starts_with(b"\xac\xed\0\x05sr\0\x11com.example.Order"));
    /// // Java orders the fields of a class by their types and names.
    /// let read = codec.decode(payload)?;
    /// assert_eq!(read.class_name(), "com.example.Order");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    SerializationCodec: "value cannot be serialized",
    writer::write,
    read
}

fn read(payload: &[u8]) -> Result<JavaValue, Error> {
    let (value, length) = stream::Reader::new()
        .read(0, payload)
        .map_err(|error| Error::with_source("payload is not a serialized object", error))?;
    if length != payload.len() {
        return Err(Error::new("bytes follow the serialized object"));
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
