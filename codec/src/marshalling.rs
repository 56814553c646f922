use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;

use super::{Codec, Error};
use crate::java::{InvalidSchema, JavaObject, JavaValue, Schema};

mod class;
mod container;
mod describe;
mod known;
mod reader;
mod tag;
mod writer;

/// Any value that Java can serialize, in version 4 of the River protocol of JBoss Marshalling.
///
/// # Compatibility
///
/// `org.redisson.codec.MarshallingCodec`, the default codec from 3.13.0 to 3.18.1; the same bytes in
/// all versions from 3.17.7 to 4.0.0, the last that has it (checked:
/// `interop/vectors/payloads.jsonl`).
///
/// Reads and writes what [`SerializationCodec`](super::SerializationCodec) does, with the same
/// limits: which objects are read and written, that classes of a [`Schema`] are written only with a
/// [`serial_version_uid`](crate::java::Class::serial_version_uid), and what `remove` and `contains`
/// compare beyond the values. Here, numbers have no identity, and records are refused: no version
/// reads them.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, MarshallingCodec};
///
/// let codec = MarshallingCodec::<String>::new();
/// assert_eq!(codec.encode(&"order-1".to_owned())?, &b"\x04\x3e\x07order-1"[..]);
/// # Ok::<(), redisson_codec::Error>(())
/// ```
pub struct MarshallingCodec<T = JavaValue> {
    schema: Result<Arc<Schema>, Error>,
    distinct_strings: bool,
    // A function pointer is Send and Sync whatever T is: the codec holds no T.
    value: PhantomData<fn() -> T>,
}

impl<T: JavaObject> MarshallingCodec<T> {
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

impl<T> MarshallingCodec<T> {
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

impl<T: JavaObject + 'static> Codec<T> for MarshallingCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let schema = self.schema.as_deref().map_err(Error::clone)?;
        let value = value.to_java();
        if value.is_null() {
            return Err(Error::null());
        }
        let mut writer = writer::Writer::new(schema, self.distinct_strings);
        match writer.value(&value) {
            Ok(()) => Ok(writer.into_bytes().into()),
            Err(error) => Err(Error::with_source("value cannot be marshalled", error)),
        }
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        self.schema.as_deref().map_err(Error::clone)?;
        let value = reader::Reader::read(&payload)
            .map_err(|error| Error::with_source("payload is not a marshalled object", error))?;
        T::from_java(value).map_err(Error::mismatch)
    }
}

impl<T> Clone for MarshallingCodec<T> {
    fn clone(&self) -> Self {
        Self {
            schema: self.schema.clone(),
            distinct_strings: self.distinct_strings,
            value: PhantomData,
        }
    }
}

impl<T: JavaObject> Default for MarshallingCodec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for MarshallingCodec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MarshallingCodec<{}>", type_name::<T>())
    }
}

#[cfg(test)]
mod tests;
