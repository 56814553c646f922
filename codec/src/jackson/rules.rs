use std::collections::HashMap;

use crate::java::Name;

/// In which Jackson the codecs of one name differ from those of another, and what their users set.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Whether `Long` counts among the classes that others extend, so that a field of it is tagged.
    pub(super) long_tags: bool,
    /// Whether a field of `UUID` is tagged too.
    pub(super) uuid_tags: bool,
    /// Whether roots are written as Java writes them, even if it cannot read them.
    pub(super) bare_roots: bool,
    /// Whether the syntax has words for bytes and for numbers that are not finite, so that a root of
    /// them needs no tag.
    pub(super) has_bytes: bool,
    /// Whether the syntax tells a `float` from a `double`, so that a root of one needs no tag.
    pub(super) has_floats: bool,
    /// Whether a `UUID` is written as its sixteen bytes, unless it is tagged everywhere.
    pub(super) binary_uuids: bool,
    /// Whether `Date` and its like are texts rather than milliseconds.
    pub(super) iso_dates: bool,
    pub(super) time: Time,
    /// Whether `Optional` is written as what it holds rather than refused.
    pub(super) optionals: bool,
    /// For some classes the properties that come first, before the others in alphabetical order.
    pub(super) first: HashMap<Name, Vec<Name>>,
    /// Whether the components of a record come in the order of its declaration.
    pub(super) records_as_declared: bool,
    /// Whether a locale is `fr-CA` rather than `fr_CA`.
    pub(super) language_tags: bool,
}

/// How values of `java.time` are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Not at all.
    #[cfg(any(feature = "cbor", feature = "msgpack", feature = "smile"))]
    Refused,
    /// Not unless the codec is told that the peers have registered `JavaTimeModule`.
    Unregistered,
    /// As numbers and arrays of numbers.
    Numbers,
    /// As ISO 8601 has them.
    Iso,
}

impl Rules {
    /// Those of Jackson 2 as Redisson 4.2.0 and later sets it up.
    pub(super) fn jackson2() -> Self {
        Self {
            long_tags: true,
            uuid_tags: true,
            bare_roots: false,
            has_bytes: false,
            has_floats: false,
            binary_uuids: false,
            iso_dates: false,
            time: Time::Unregistered,
            optionals: false,
            first: HashMap::new(),
            records_as_declared: false,
            language_tags: false,
        }
    }

    /// Those of Jackson 2 for a syntax with words for all that JSON lacks.
    #[cfg(any(feature = "cbor", feature = "smile"))]
    pub(super) fn binary() -> Self {
        Self {
            has_bytes: true,
            has_floats: true,
            binary_uuids: true,
            time: Time::Refused,
            ..Self::jackson2()
        }
    }

    /// Those of Jackson 2 for MessagePack, which Jackson reads without telling a `float` from a
    /// `double`.
    #[cfg(feature = "msgpack")]
    pub(super) fn msgpack() -> Self {
        Self {
            has_bytes: true,
            time: Time::Refused,
            ..Self::jackson2()
        }
    }

    /// Those of Jackson 3.
    pub(super) fn jackson3() -> Self {
        Self {
            long_tags: false,
            uuid_tags: true,
            bare_roots: false,
            has_bytes: false,
            has_floats: false,
            binary_uuids: false,
            iso_dates: true,
            time: Time::Iso,
            optionals: true,
            first: HashMap::new(),
            records_as_declared: true,
            language_tags: true,
        }
    }
}
