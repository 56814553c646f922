use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;

use super::{Codec, Error};
use crate::java::{InvalidSchema, JavaObject, JavaValue, Schema, stream};

mod writer;

/// Any value that Java can serialize, in the stream of `java.io.ObjectOutputStream`.
///
/// # Compatibility
///
/// `org.redisson.codec.SerializationCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
/// (checked: `interop/vectors/payloads.jsonl`).
///
/// Any object is read, of whatever class: the stream describes its classes itself. What stands for
/// other values is resolved as Java does, so `java.util.CollSer` is a list of `List.of`. Not read
/// are objects that contain themselves or nest more than 128 deep, proxies, and what only its own
/// class could read. Left out are what a class adds to its fields in a `writeObject` of its own, the
/// fields of a class that extends a collection, a map or a date, and what a `Timestamp` has below a
/// millisecond.
///
/// Written are strings, numbers, enums, arrays, times, the usual collections and maps, some other
/// classes of the JDK, and the classes of a [`Schema`] that have a
/// [`serial_version_uid`](crate::java::Class::serial_version_uid). Other values are refused, for
/// nothing says what Java would write of them: wrappers such as `Collections.unmodifiableList`, a
/// `ZonedDateTime` of a region.
///
/// `remove` and `contains` compare bytes, and Java's bytes tell more than the values do:
///
/// - Which strings are one object. Literals of a program are, texts that came from elsewhere are
///   not; equal strings are written as one here, or each for itself with
///   [`distinct_strings`](Self::distinct_strings). The numbers that `Integer.valueOf` and the like
///   share are one object, all else is not.
/// - How large the table of a `HashMap` or a `HashSet` is, which depends on how it was made and
///   filled. Here it is that of one made by `new HashMap()` and filled one by one.
/// - In which order the entries of a `HashMap` are. They are written in the order of the value, and
///   so as Java wrote them if they were read; use a `LinkedHashMap` for those of your own.
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
pub struct SerializationCodec<T = JavaValue> {
    schema: Result<Arc<Schema>, Error>,
    distinct_strings: bool,
    // A function pointer is Send and Sync whatever T is: the codec holds no T.
    value: PhantomData<fn() -> T>,
}

impl<T: JavaObject> SerializationCodec<T> {
    /// Makes the codec of `T`, with the classes that it describes.
    #[must_use]
    pub fn new() -> Self {
        let schema = Schema::of::<T>(Schema::new()).checked();
        Self::of(schema.map_err(Error::contradiction))
    }

    /// Makes the codec of `T`, for values that hold these classes too.
    ///
    /// A class of `schema` takes the place of one that `T` describes by the same name.
    ///
    /// # Errors
    ///
    /// - [`InvalidSchema`] if the classes contradict each other, or name one that is not described.
    pub fn with_schema(schema: Schema) -> Result<Self, InvalidSchema> {
        Ok(Self::of(Ok(Schema::of::<T>(schema).checked()?)))
    }
}

impl<T> SerializationCodec<T> {
    fn of(schema: Result<Schema, Error>) -> Self {
        Self {
            schema: schema.map(Arc::new),
            distinct_strings: false,
            value: PhantomData,
        }
    }

    /// Whether equal strings are written each for itself, as Java writes those that were not in its
    /// source.
    ///
    /// Default: `false`.
    #[must_use]
    pub fn distinct_strings(mut self, distinct: bool) -> Self {
        self.distinct_strings = distinct;
        self
    }
}

impl<T: JavaObject + 'static> Codec<T> for SerializationCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let schema = self.schema.as_deref().map_err(Error::clone)?;
        let value = value.to_java();
        if value.is_null() {
            return Err(Error::null());
        }
        let mut writer = writer::Writer::new(schema, self.distinct_strings);
        match writer.value(&value) {
            Ok(()) => Ok(writer.into_bytes().into()),
            Err(error) => Err(Error::with_source("value cannot be serialized", error)),
        }
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        self.schema.as_deref().map_err(Error::clone)?;
        let (value, length) = stream::Reader::new()
            .read(0, &payload)
            .map_err(|error| Error::with_source("payload is not a serialized object", error))?;
        if length != payload.len() {
            return Err(Error::new("bytes follow the serialized object"));
        }
        T::from_java(value).map_err(Error::mismatch)
    }
}

impl<T> Clone for SerializationCodec<T> {
    fn clone(&self) -> Self {
        Self {
            schema: self.schema.clone(),
            distinct_strings: self.distinct_strings,
            value: PhantomData,
        }
    }
}

impl<T: JavaObject> Default for SerializationCodec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for SerializationCodec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SerializationCodec<{}>", type_name::<T>())
    }
}

#[cfg(test)]
mod tests;
