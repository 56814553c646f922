//! What the codecs of this family have in common, made by one macro.

/// Makes a codec of this family. The codecs differ in three things: the `$rules` that they follow
/// by default, and how they `$print` values to a buffer and `$parse` a payload.
macro_rules! jackson_codec {
    (
        $(#[$attribute:meta])*
        $name:ident: $format:literal, $rules:expr, $print:expr, $parse:expr
        $(, $tagged_uuids:ident)?
    ) => {
        $crate::java_codec::java_codec! {
            $(#[$attribute])*
            $name: $crate::jackson::typing::Typing,
            make(schema) $crate::jackson::typing::Typing::new(&schema, T::java_type(), $rules),
            write(typing, value) {
                $crate::payload::tried(|out| typing.write(value, $print(out)))
            },
            read(typing, payload) {
                let tape = $parse(&payload).map_err(|error| {
                    $crate::Error::with_source(concat!("payload is not ", $format), error)
                })?;
                typing.read(tape.root())
            },
        }

        impl<T: $crate::java::JavaObject> $name<T> {
            /// Sets whether whole values are written without their class where Java leaves it out,
            /// although Java then reads another class or nothing at all.
            ///
            /// Default: `false`. Choose `true` if only Java writes the data, and `remove` and
            /// `contains` must find its records, enums or arrays.
            #[must_use]
            pub fn bare_roots(self, bare: bool) -> Self {
                self.set(|it| it.rules.bare_roots = bare)
            }

            $(
                /// Sets whether a `UUID` has its class everywhere, as Redisson 4.2.0 and later
                /// write it.
                ///
                /// Default: `true`. Older peers need `false`: they write its class only where any
                /// value may stand, and in CBOR and Smile its sixteen bytes in place of the text.
                /// This codec reads both forms, Java only the one that it writes.
                #[must_use]
                pub fn $tagged_uuids(self, tagged: bool) -> Self {
                    self.set(|it| it.rules.uuid_tags = tagged)
                }
            )?
        }
    };
}

pub(super) use jackson_codec;
