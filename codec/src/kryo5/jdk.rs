use std::sync::LazyLock;

use super::form::{Container, Form};
use crate::hash::HashMap;
use crate::java::jdk::{self, Build};
use crate::java::time::numbers::KINDS;

impl Form {
    /// The form of a class of the JDK, and its name.
    pub(super) fn of_jdk(class: &str) -> Option<(&'static str, Self)> {
        static FORMS: LazyLock<HashMap<&str, Form>> = LazyLock::new(|| {
            let containers = jdk::containers().map(|it| (it.name, Form::of_container(it)));
            let others = OTHERS
                .iter()
                .flat_map(|(form, names)| names.iter().map(|it| (*it, *form)));
            let times = KINDS.iter().map(|(kind, name)| (*name, Form::Time(*kind)));
            containers.chain(others).chain(times).collect()
        });
        FORMS
            .get_key_value(class)
            .map(|(name, form)| (*name, *form))
    }

    fn of_container(class: jdk::Container) -> Self {
        match (class.build, class.is_map) {
            (Build::Empty, false) => Self::EmptyCollection,
            (Build::Empty, true) => Self::EmptyMap,
            (Build::EmptyOfKotlin, false) => Self::Collection(EMPTY),
            (Build::EmptyOfKotlin, true) => Self::Map(EMPTY),
            (Build::Enum, false) => Self::EnumSet,
            (Build::Immutable, false) => Self::Collection(IMMUTABLE),
            (Build::Immutable, true) => Self::Map(IMMUTABLE),
            (Build::KeySet, _) => Self::KeySetView,
            (Build::Plain, false) => Self::Collection(PLAIN),
            (Build::Plain, true) => Self::Map(PLAIN),
            (Build::Singleton, false) => Self::SingletonCollection,
            (Build::Singleton, true) => Self::SingletonMap,
            (Build::Sorted, false) => Self::Collection(SORTED),
            (Build::Sorted, true) => Self::Map(SORTED),
            (Build::Wrapper, false) => Self::CollectionWrapper,
            (Build::Enum | Build::Wrapper, true) => Self::MapWrapper,
        }
    }
}

const PLAIN: Container = Container::PLAIN;
const EMPTY: Container = Container {
    is_empty: true,
    ..PLAIN
};
const SORTED: Container = Container {
    sorts: true,
    ..PLAIN
};
const IMMUTABLE: Container = Container {
    has_nulls: false,
    ..PLAIN
};
const TEXT: Form = Form::Text { takes_null: false };
const TEXT_OR_NULL: Form = Form::Text { takes_null: true };

/// All other classes. Java must be able to make objects of each: an abstract class or an interface
/// must never be here.
const OTHERS: [(Form, &[&str]); 33] = [
    (Form::Boolean, &["boolean", "java.lang.Boolean"]),
    (Form::Byte, &["byte", "java.lang.Byte"]),
    (Form::Character, &["char", "java.lang.Character"]),
    (Form::Double, &["double", "java.lang.Double"]),
    (Form::Float, &["float", "java.lang.Float"]),
    (Form::Integer, &["int", "java.lang.Integer"]),
    (Form::Class, &["java.lang.Class"]),
    (Form::Long, &["java.lang.Long", "long"]),
    (Form::Short, &["java.lang.Short", "short"]),
    (Form::String, &["java.lang.String"]),
    (
        TEXT_OR_NULL,
        &[
            "java.lang.StringBuffer",
            "java.lang.StringBuilder",
            "java.util.Currency",
        ],
    ),
    (Form::BigDecimal, &["java.math.BigDecimal"]),
    (Form::BigInteger, &["java.math.BigInteger"]),
    (
        Form::Stream("java.net.InetAddress"),
        &["java.net.Inet4Address", "java.net.Inet6Address"],
    ),
    (
        Form::Stream("java.net.SocketAddress"),
        &["java.net.InetSocketAddress"],
    ),
    (
        TEXT,
        &[
            "java.net.URI",
            "java.net.URL",
            "java.util.SimpleTimeZone",
            "sun.util.calendar.ZoneInfo",
        ],
    ),
    (TEXT, jdk::CHARSETS),
    (
        Form::Date,
        &[
            "java.sql.Date",
            "java.sql.Time",
            "java.sql.Timestamp",
            "java.util.Date",
        ],
    ),
    (Form::MonthDay, &["java.time.MonthDay"]),
    (Form::OffsetTime, &["java.time.OffsetTime"]),
    (Form::BitSet, &["java.util.BitSet"]),
    (Form::Calendar, &["java.util.GregorianCalendar"]),
    (Form::Locale, &["java.util.Locale"]),
    (Form::Optional, &["java.util.Optional"]),
    (Form::OptionalDouble, &["java.util.OptionalDouble"]),
    (Form::OptionalInt, &["java.util.OptionalInt"]),
    (Form::OptionalLong, &["java.util.OptionalLong"]),
    (Form::Uuid, &["java.util.UUID"]),
    (
        Form::AtomicBoolean,
        &["java.util.concurrent.atomic.AtomicBoolean"],
    ),
    (
        Form::AtomicInteger,
        &["java.util.concurrent.atomic.AtomicInteger"],
    ),
    (
        Form::AtomicLong,
        &["java.util.concurrent.atomic.AtomicLong"],
    ),
    (
        Form::AtomicReference,
        &["java.util.concurrent.atomic.AtomicReference"],
    ),
    (Form::Pattern, &["java.util.regex.Pattern"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> impl Iterator<Item = &'static str> {
        let others = OTHERS.iter().flat_map(|it| it.1.iter().copied());
        let times = KINDS.iter().map(|it| it.1);
        others
            .chain(jdk::containers().map(|it| it.name))
            .chain(times)
    }

    #[test]
    fn no_class_has_two_forms() {
        let distinct: std::collections::BTreeSet<&str> = names().collect();
        assert_eq!(names().count(), distinct.len());
        assert_eq!(
            Form::of_jdk("java.lang.Long"),
            Some(("java.lang.Long", Form::Long))
        );
        assert_eq!(Form::of_jdk("java.util.List"), None);
    }

    /// Or any field could hold a value of a class that is not known.
    #[test]
    fn what_every_class_extends_is_known() {
        let layouts = crate::java::schema::Layouts::default();
        for class in names() {
            assert!(layouts.knows(class), "{class}");
        }
    }
}
