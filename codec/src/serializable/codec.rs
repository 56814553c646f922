//! What the two codecs have in common.

use std::sync::Arc;

use bytes::Bytes;

use crate::java::parts::Written;
use crate::java::{InvalidSchema, JavaObject, JavaValue, Schema, View};
use crate::{Error, payload};

/// The classes, and what users set.
#[derive(Clone, Debug)]
pub(super) struct Serializable {
    schema: Arc<Schema>,
    /// Whether the schema knows more of values than payloads say.
    knows_more: bool,
    pub(super) distinct_strings: bool,
}

/// Writes a value to a buffer, given whether equal strings are written apart.
type Write = fn(&Schema, bool, &View<'_>, &mut Vec<u8>) -> Written;

impl Serializable {
    pub(super) fn new(schema: Schema) -> Result<Self, InvalidSchema> {
        let schema = schema.checked()?;
        Ok(Self {
            knows_more: schema.knows_more(),
            schema: Arc::new(schema),
            distinct_strings: false,
        })
    }

    pub(super) fn write<T: JavaObject>(
        &self,
        value: &T,
        write: Write,
        refusal: &'static str,
    ) -> Result<Bytes, Error> {
        let mut written = Err(Error::null());
        value.view(&mut |value| {
            if !value.is_null() {
                let write =
                    |out: &mut Vec<u8>| write(&self.schema, self.distinct_strings, value, out);
                let refused = |error| Error::with_source(refusal, error);
                written = payload::tried(write).map_err(refused);
            }
        });
        written
    }

    pub(super) fn read<T: JavaObject>(&self, mut value: JavaValue) -> Result<T, Error> {
        if self.knows_more {
            self.schema.complete(&mut value).map_err(Error::mismatch)?;
        }
        T::from_java(value).map_err(Error::mismatch)
    }
}

/// Makes a codec of values that Java can serialize. The protocol is two functions: `$write` is a
/// [`Write`], and `$read` turns a payload into a value.
macro_rules! serializable_codec {
    (
        $(#[$attribute:meta])*
        $name:ident: $refusal:literal, $write:path, $read:path
    ) => {
        $crate::java_codec::java_codec! {
            $(#[$attribute])*
            $name: $crate::serializable::codec::Serializable,
            make(schema) $crate::serializable::codec::Serializable::new(schema),
            write(classes, value) classes.write(value, $write, $refusal),
            read(classes, payload) classes.read($read(&payload)?),
        }

        impl<T> $name<T> {
            /// Sets whether equal strings are written one by one. `false` writes the first of them,
            /// and a reference to it for each of the others.
            ///
            /// Default: `false`, which is what Java writes of literals in its source. Java writes
            /// strings one by one that it has read or put together.
            #[must_use]
            pub fn distinct_strings(self, distinct: bool) -> Self {
                self.set(|it| it.distinct_strings = distinct)
            }
        }
    };
}

pub(super) use serializable_codec;
