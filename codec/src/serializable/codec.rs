/// Makes a codec of values that Java can serialize.
///
/// The protocol is two functions. `$write` writes a value to a buffer, given the schema and whether
/// equal strings are written apart. `$read` turns a payload into a value.
macro_rules! serializable_codec {
    (
        $(#[$attribute:meta])*
        $name:ident: $refusal:literal, $write:path, $read:path
    ) => {
        $(#[$attribute])*
        pub struct $name<T = $crate::java::JavaValue> {
            schema: Result<std::sync::Arc<$crate::java::Schema>, $crate::Error>,
            distinct_strings: bool,
            // A function pointer is Send and Sync whatever T is: the codec holds no T.
            value: std::marker::PhantomData<fn() -> T>,
        }

        impl<T: $crate::java::JavaObject> $name<T> {
            /// Makes the codec of `T`, with the classes that it describes.
            #[must_use]
            pub fn new() -> Self {
                let schema = $crate::java::Schema::of::<T>($crate::java::Schema::new()).checked();
                Self::of(schema.map_err($crate::Error::contradiction))
            }

            /// Makes the codec of `T`, for values that hold these classes too.
            ///
            /// A class of `schema` takes the place of one that `T` describes by the same name.
            ///
            /// # Errors
            ///
            /// - [`InvalidSchema`](crate::java::InvalidSchema) if the classes contradict each
            ///   other, or name one that is not described.
            pub fn with_schema(
                schema: $crate::java::Schema,
            ) -> Result<Self, $crate::java::InvalidSchema> {
                Ok(Self::of(Ok($crate::java::Schema::of::<T>(schema).checked()?)))
            }
        }

        impl<T> $name<T> {
            fn of(schema: Result<$crate::java::Schema, $crate::Error>) -> Self {
                Self {
                    schema: schema.map(std::sync::Arc::new),
                    distinct_strings: false,
                    value: std::marker::PhantomData,
                }
            }

            /// Sets whether equal strings are written one by one. `false` writes the first of them,
            /// and a reference to it for each of the others.
            ///
            /// Default: `false`, which is what Java writes of literals in its source. Java writes
            /// strings one by one that it has read or put together.
            #[must_use]
            pub fn distinct_strings(mut self, distinct: bool) -> Self {
                self.distinct_strings = distinct;
                self
            }
        }

        impl<T: $crate::java::JavaObject + 'static> $crate::Codec<T> for $name<T> {
            fn encode(&self, value: &T) -> Result<bytes::Bytes, $crate::Error> {
                let schema = self.schema.as_deref().map_err($crate::Error::clone)?;
                let mut written = Err($crate::Error::null());
                value.view(&mut |value| {
                    if !value.is_null() {
                        let write = |out: &mut Vec<u8>| {
                            $write(schema, self.distinct_strings, value, out)
                        };
                        let refused = |error| $crate::Error::with_source($refusal, error);
                        written = $crate::payload::tried(write).map_err(refused);
                    }
                });
                written
            }

            fn decode(&self, payload: bytes::Bytes) -> Result<T, $crate::Error> {
                let schema = self.schema.as_deref().map_err($crate::Error::clone)?;
                let value = $read(&payload)?;
                schema.check_serialized(&value).map_err($crate::Error::mismatch)?;
                T::from_java(value).map_err($crate::Error::mismatch)
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                Self {
                    schema: self.schema.clone(),
                    distinct_strings: self.distinct_strings,
                    value: std::marker::PhantomData,
                }
            }
        }

        impl<T: $crate::java::JavaObject> Default for $name<T> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let value = std::any::type_name::<T>();
                write!(f, "{}<{value}>", stringify!($name))
            }
        }
    };
}

pub(super) use serializable_codec;
