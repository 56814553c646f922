use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::json::{self, Spelling};
use super::rules::{Rules, Time};
use super::typing::Typing;
use crate::codec::{Codec, Error};
use crate::java::{InvalidSchema, JavaObject, JavaValue, Schema};

/// JSON that names Java classes: what `JsonJacksonCodec` of Redisson writes.
pub struct JsonJacksonCodec<T = JavaValue> {
    typing: Typing,
    value: PhantomData<fn() -> T>,
}

impl<T: JavaObject> JsonJacksonCodec<T> {
    /// Makes the codec of `T`, with the classes that it describes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            typing: Typing::of::<T>(Rules::jackson2()),
            value: PhantomData,
        }
    }

    /// Makes the codec of `T`, with more classes than those that it describes: sub classes, or any
    /// at all for [`JavaValue`].
    ///
    /// # Errors
    ///
    /// - [`InvalidSchema`] if the classes contradict themselves.
    pub fn with_schema(schema: Schema) -> Result<Self, InvalidSchema> {
        Ok(Self {
            typing: Typing::with_schema::<T>(Rules::jackson2(), schema)?,
            value: PhantomData,
        })
    }

    /// Says whether the peers have `JavaTimeModule` registered, without which Jackson refuses
    /// `java.time`. Not set at first.
    #[must_use]
    pub fn java_time(mut self, registered: bool) -> Self {
        self.typing.rules.time = if registered {
            Time::Numbers
        } else {
            Time::Refused
        };
        self
    }

    /// Says whether the peers tag `UUID` wherever it stands, as Redisson 4.2.0 and later do. Set
    /// at first.
    #[must_use]
    pub fn tagged_uuids(mut self, tagged: bool) -> Self {
        self.typing.rules.uuid_tags = tagged;
        self
    }

    /// Says whether roots are written as Java writes them even where Java reads back another
    /// class, or nothing. Not set at first.
    #[must_use]
    pub fn bare_roots(mut self, bare: bool) -> Self {
        self.typing.rules.bare_roots = bare;
        self
    }
}

impl<T: JavaObject + 'static> Codec<T> for JsonJacksonCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let tree = self.typing.write(value)?;
        Ok(json::print(&tree, Spelling::Jackson2).into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        let tree = json::parse(&payload)
            .map_err(|error| Error::with_source("payload is not JSON", error))?;
        self.typing.read(tree)
    }
}

impl<T> Clone for JsonJacksonCodec<T> {
    fn clone(&self) -> Self {
        Self {
            typing: self.typing.clone(),
            value: PhantomData,
        }
    }
}

impl<T: JavaObject> Default for JsonJacksonCodec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for JsonJacksonCodec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonJacksonCodec<{}>", type_name::<T>())
    }
}
