//! The public type of each codec of any Java value, made by one macro.

/// Makes a codec that knows Java classes.
///
/// `$state` is what it knows: the classes, and what users set. The rest says how to `make` it of a
/// schema, and how to `write` and `read` values of `T`.
macro_rules! java_codec {
    (
        $(#[$attribute:meta])*
        $name:ident: $state:ty,
        make($schema:ident) $make:expr,
        write($writes:ident, $value:ident) $write:expr,
        read($reads:ident, $payload:ident) $read:expr $(,)?
    ) => {
        $(#[$attribute])*
        pub struct $name<T = $crate::java::JavaValue> {
            state: Result<$state, $crate::Error>,
            // A function pointer is Send and Sync whatever T is: the codec holds no T.
            value: std::marker::PhantomData<fn() -> T>,
        }

        impl<T: $crate::java::JavaObject> $name<T> {
            /// Makes the codec of `T`, with the classes that it describes.
            #[must_use]
            pub fn new() -> Self {
                let state = Self::state($crate::java::Schema::new());
                Self {
                    state: state.map_err($crate::Error::contradiction),
                    value: std::marker::PhantomData,
                }
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
                Ok(Self {
                    state: Ok(Self::state(schema)?),
                    value: std::marker::PhantomData,
                })
            }

            fn state(
                schema: $crate::java::Schema,
            ) -> Result<$state, $crate::java::InvalidSchema> {
                let $schema = $crate::java::Schema::of::<T>(schema);
                $make
            }
        }

        impl<T> $name<T> {
            fn set(mut self, set: impl FnOnce(&mut $state)) -> Self {
                if let Ok(state) = &mut self.state {
                    set(state);
                }
                self
            }
        }

        impl<T: $crate::java::JavaObject + 'static> $crate::Codec<T> for $name<T> {
            fn encode(&self, $value: &T) -> Result<bytes::Bytes, $crate::Error> {
                let $writes = self.state.as_ref().map_err($crate::Error::clone)?;
                $write
            }

            fn decode(&self, $payload: bytes::Bytes) -> Result<T, $crate::Error> {
                let $reads = self.state.as_ref().map_err($crate::Error::clone)?;
                $read
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                Self {
                    state: self.state.clone(),
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

pub(crate) use java_codec;
