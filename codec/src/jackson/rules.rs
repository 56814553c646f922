//! How the versions of Jackson and the syntaxes differ.

use std::collections::HashMap;

use crate::java::Name;

/// How a codec writes values: its version of Jackson, its syntax, and what users set.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Whether a field declared as `Long` is tagged with its class.
    pub(super) long_tags: bool,
    /// Whether a field declared as `UUID` is tagged with its class.
    pub(super) uuid_tags: bool,
    /// Whether roots are written as Java writes them, even if it cannot read them.
    pub(super) bare_roots: bool,
    /// Whether the syntax has bytes and numbers that are not finite. Such a root then needs no tag.
    pub(super) has_bytes: bool,
    /// Whether the syntax tells a `float` from a `double`. A `float` as the root then needs no tag.
    pub(super) has_floats: bool,
    /// Whether a `UUID` is written as its sixteen bytes, unless it is tagged everywhere.
    pub(super) binary_uuids: bool,
    /// Whether `Date` and its sub classes are written as texts rather than as milliseconds.
    pub(super) iso_dates: bool,
    pub(super) time: Time,
    /// Whether `Optional` is written as its value rather than refused.
    pub(super) optionals: bool,
    /// The properties that come first, by class. The others follow in alphabetical order.
    pub(super) first: HashMap<Name, Vec<Name>>,
    /// Whether the components of a record come in the order of its declaration.
    pub(super) records_as_declared: bool,
    /// Whether a locale is written as `fr-CA` rather than as `fr_CA`.
    pub(super) language_tags: bool,
    /// Whether Java writes the `toString()` of a constant instead of its name, and a `Month` as a
    /// number from 1 to 12.
    pub(super) shown_constants: bool,
    /// Whether Java writes a field `isActive` as the property `active` if the class has a method
    /// `isActive()`.
    pub(super) getters: bool,
    /// Whether `?` stands for what the type parameter extends rather than for `Object`.
    pub(super) bounded_wildcards: bool,
}

/// How values of `java.time` are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// They are refused.
    #[cfg(any(feature = "cbor", feature = "msgpack", feature = "smile"))]
    Refused,
    /// They are refused, with a hint at `java_time(true)`.
    Unregistered,
    /// As numbers and arrays of numbers.
    Numbers,
    /// As texts of ISO 8601.
    Iso,
}

impl Rules {
    /// The rules of Jackson 2 as Redisson 4.2.0 and later sets it up.
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
            shown_constants: false,
            getters: false,
            bounded_wildcards: false,
        }
    }

    /// The rules of Jackson 2 in CBOR and Smile, which have bytes and tell a `float` from a
    /// `double`.
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

    /// The rules of Jackson 2 in MessagePack, where Jackson does not tell a `float` from a
    /// `double`.
    #[cfg(feature = "msgpack")]
    pub(super) fn msgpack() -> Self {
        Self {
            has_bytes: true,
            time: Time::Refused,
            ..Self::jackson2()
        }
    }

    /// The rules of Jackson 3.
    pub(super) fn jackson3() -> Self {
        Self {
            long_tags: false,
            iso_dates: true,
            time: Time::Iso,
            optionals: true,
            records_as_declared: true,
            language_tags: true,
            shown_constants: true,
            getters: true,
            bounded_wildcards: true,
            ..Self::jackson2()
        }
    }
}
