use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::json::{self, Spelling};
use super::rules::Rules;
use super::typing::Typing;
use crate::codec::{Codec, Error};
use crate::java::{InvalidSchema, JavaObject, JavaValue, Name, Schema};

/// JSON that names Java classes: what `JsonJackson3Codec` of Redisson writes.
pub struct JsonJackson3Codec<T = JavaValue> {
    typing: Typing,
    value: PhantomData<fn() -> T>,
}

impl<T: JavaObject> JsonJackson3Codec<T> {
    /// Makes the codec of `T`, with the classes that it describes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            typing: Typing::of::<T>(Rules::jackson3()),
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
            typing: Typing::with_schema::<T>(Rules::jackson3(), schema)?,
            value: PhantomData,
        })
    }

    /// Says which properties of a class come first: those that the parameters of its constructor
    /// set, in their order. The others follow in alphabetical order.
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

    /// Says whether roots are written as Java writes them even where Java reads back another
    /// class, or nothing. Not set at first.
    #[must_use]
    pub fn bare_roots(mut self, bare: bool) -> Self {
        self.typing.rules.bare_roots = bare;
        self
    }
}

impl<T: JavaObject + 'static> Codec<T> for JsonJackson3Codec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let tree = self.typing.write(value)?;
        Ok(json::print(&tree, Spelling::Jackson3).into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        let tree = json::parse(&payload)
            .map_err(|error| Error::with_source("payload is not JSON", error))?;
        self.typing.read(tree)
    }
}

impl<T> Clone for JsonJackson3Codec<T> {
    fn clone(&self) -> Self {
        Self {
            typing: self.typing.clone(),
            value: PhantomData,
        }
    }
}

impl<T: JavaObject> Default for JsonJackson3Codec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for JsonJackson3Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonJackson3Codec<{}>", type_name::<T>())
    }
}
