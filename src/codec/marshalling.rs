use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::{Codec, Error};
use crate::java::{InvalidSchema, JavaObject, JavaValue, Schema};

mod class;
mod known;
mod reader;
mod tag;

/// x
pub struct MarshallingCodec<T = JavaValue> {
    schema: Result<Schema, Error>,
    // A function pointer is Send and Sync whatever T is: the codec holds no T.
    value: PhantomData<fn() -> T>,
}

impl<T: JavaObject> MarshallingCodec<T> {
    /// Makes the codec of `T`, whose derive says which classes there are.
    #[must_use]
    pub fn new() -> Self {
        let schema = super::described::<T>(Schema::new())
            .map_err(|error| Error::with_source("the classes of the type make no sense", error));
        Self {
            schema,
            value: PhantomData,
        }
    }

    /// Makes the codec of `T` with more classes than it says itself.
    ///
    /// # Errors
    ///
    /// - [`InvalidSchema`] if the classes contradict each other.
    pub fn with_schema(schema: Schema) -> Result<Self, InvalidSchema> {
        Ok(Self {
            schema: Ok(super::described::<T>(schema)?),
            value: PhantomData,
        })
    }
}

/// Refuses to write `null` as a whole, which a Java consumer would get as no element.
impl<T: JavaObject + 'static> Codec<T> for MarshallingCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let schema = self.schema.as_ref().map_err(Clone::clone)?;
        let value = value.to_java();
        if value.is_null() {
            return Err(Error::new("null is not an element"));
        }
        let _ = schema;
        Err(Error::new("todo"))
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        self.schema.as_ref().map_err(Clone::clone)?;
        let value = reader::Reader::read(&payload)
            .map_err(|error| Error::with_source("payload is not a marshalled object", error))?;
        T::from_java(value)
            .map_err(|error| Error::with_source("payload is of another class", error))
    }
}

impl<T> Clone for MarshallingCodec<T> {
    fn clone(&self) -> Self {
        Self {
            schema: self.schema.clone(),
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
