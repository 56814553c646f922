//! The public type of each codec of this family, made by one macro.

/// Makes a codec of this family. The codecs differ in three things: the `$rules` that they follow
/// by default, and how they `$print` values to a buffer and `$parse` a payload.
macro_rules! jackson_codec {
    (
        $(#[$attribute:meta])*
        $name:ident: $format:literal, $rules:expr, $print:expr, $parse:expr
    ) => {
        $(#[$attribute])*
        pub struct $name<T = $crate::java::JavaValue> {
            typing: $crate::jackson::typing::Typing,
            // A function pointer is Send and Sync whatever T is: the codec holds no T.
            value: std::marker::PhantomData<fn() -> T>,
        }

        impl<T: $crate::java::JavaObject> $name<T> {
            /// Makes the codec of `T`, with the classes that it describes.
            #[must_use]
            pub fn new() -> Self {
                Self {
                    typing: $crate::jackson::typing::Typing::of::<T>($rules),
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
            ///   other.
            pub fn with_schema(
                schema: $crate::java::Schema,
            ) -> Result<Self, $crate::java::InvalidSchema> {
                let typing = $crate::jackson::typing::Typing::with_schema::<T>;
                Ok(Self {
                    typing: typing($rules, schema)?,
                    value: std::marker::PhantomData,
                })
            }

            /// Sets whether whole values are written without their class where Java leaves it out,
            /// although Java then reads another class or nothing at all.
            ///
            /// Default: `false`. Choose `true` if only Java writes the data, and `remove` and
            /// `contains` must find its records, enums or arrays.
            #[must_use]
            pub fn bare_roots(mut self, bare: bool) -> Self {
                self.typing.rules.bare_roots = bare;
                self
            }
        }

        impl<T: $crate::java::JavaObject + 'static> $crate::Codec<T> for $name<T> {
            fn encode(&self, value: &T) -> Result<bytes::Bytes, $crate::Error> {
                $crate::payload::tried(|out| self.typing.write(value, $print(out)))
            }

            fn decode(&self, payload: bytes::Bytes) -> Result<T, $crate::Error> {
                let tape = $parse(&payload).map_err(|error| {
                    $crate::Error::with_source(concat!("payload is not ", $format), error)
                })?;
                self.typing.read(tape.root())
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                Self {
                    typing: self.typing.clone(),
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

pub(super) use jackson_codec;
