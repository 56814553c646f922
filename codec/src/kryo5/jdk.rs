use std::collections::HashMap;
use std::sync::LazyLock;

use super::form::{Container, Form};

impl Form {
    /// The form of a class of the JDK, and its name.
    pub(super) fn of_jdk(class: &str) -> Option<(&'static str, Self)> {
        static FORMS: LazyLock<HashMap<&str, Form>> = LazyLock::new(|| {
            let classes = JDK.iter();
            let classes = classes.flat_map(|(form, names)| names.iter().map(|it| (*it, *form)));
            classes.collect()
        });
        FORMS
            .get_key_value(class)
            .map(|(name, form)| (*name, *form))
    }
}

const PLAIN: Container = Container {
    sorts: false,
    has_nulls: true,
};
const SORTED: Container = Container {
    sorts: true,
    has_nulls: true,
};
const IMMUTABLE: Container = Container {
    sorts: false,
    has_nulls: false,
};
const TEXT: Form = Form::Text { takes_null: false };
const TEXT_OR_NULL: Form = Form::Text { takes_null: true };

/// Classes that Java can make new objects of: an abstract one or an interface must never be here.
const JDK: [(Form, &[&str]); 53] = [
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
    (
        Form::Date,
        &[
            "java.sql.Date",
            "java.sql.Time",
            "java.sql.Timestamp",
            "java.util.Date",
        ],
    ),
    (Form::Duration, &["java.time.Duration"]),
    (Form::Instant, &["java.time.Instant"]),
    (Form::LocalDate, &["java.time.LocalDate"]),
    (Form::LocalDateTime, &["java.time.LocalDateTime"]),
    (Form::LocalTime, &["java.time.LocalTime"]),
    (Form::OffsetDateTime, &["java.time.OffsetDateTime"]),
    (Form::Period, &["java.time.Period"]),
    (Form::Year, &["java.time.Year"]),
    (Form::YearMonth, &["java.time.YearMonth"]),
    (Form::ZoneOffset, &["java.time.ZoneOffset"]),
    (Form::ZoneRegion, &["java.time.ZoneRegion"]),
    (Form::ZonedDateTime, &["java.time.ZonedDateTime"]),
    (
        Form::Collection(PLAIN),
        &[
            "java.util.ArrayDeque",
            "java.util.ArrayList",
            "java.util.ArrayList$SubList",
            "java.util.Arrays$ArrayList",
            "java.util.HashSet",
            "java.util.LinkedHashSet",
            "java.util.LinkedList",
            "java.util.Stack",
            "java.util.Vector",
            "java.util.concurrent.ConcurrentLinkedDeque",
            "java.util.concurrent.ConcurrentLinkedQueue",
            "java.util.concurrent.ConcurrentSkipListSet",
            "java.util.concurrent.CopyOnWriteArrayList",
            "java.util.concurrent.CopyOnWriteArraySet",
            "java.util.concurrent.LinkedBlockingDeque",
            "java.util.concurrent.LinkedBlockingQueue",
            "java.util.concurrent.PriorityBlockingQueue",
        ],
    ),
    (Form::BitSet, &["java.util.BitSet"]),
    (
        Form::CollectionWrapper,
        &[
            "java.util.Collections$CheckedCollection",
            "java.util.Collections$CheckedList",
            "java.util.Collections$CheckedNavigableSet",
            "java.util.Collections$CheckedRandomAccessList",
            "java.util.Collections$CheckedSet",
            "java.util.Collections$CheckedSortedSet",
            "java.util.Collections$SynchronizedCollection",
            "java.util.Collections$SynchronizedList",
            "java.util.Collections$SynchronizedNavigableSet",
            "java.util.Collections$SynchronizedRandomAccessList",
            "java.util.Collections$SynchronizedSet",
            "java.util.Collections$SynchronizedSortedSet",
            "java.util.Collections$UnmodifiableCollection",
            "java.util.Collections$UnmodifiableList",
            "java.util.Collections$UnmodifiableNavigableSet",
            "java.util.Collections$UnmodifiableRandomAccessList",
            "java.util.Collections$UnmodifiableSet",
            "java.util.Collections$UnmodifiableSortedSet",
        ],
    ),
    (
        Form::MapWrapper,
        &[
            "java.util.Collections$CheckedMap",
            "java.util.Collections$CheckedNavigableMap",
            "java.util.Collections$CheckedSortedMap",
            "java.util.Collections$SynchronizedMap",
            "java.util.Collections$SynchronizedNavigableMap",
            "java.util.Collections$SynchronizedSortedMap",
            "java.util.Collections$UnmodifiableMap",
            "java.util.Collections$UnmodifiableNavigableMap",
            "java.util.Collections$UnmodifiableSortedMap",
            "java.util.EnumMap",
        ],
    ),
    (
        Form::EmptyCollection,
        &[
            "java.util.Collections$EmptyList",
            "java.util.Collections$EmptySet",
        ],
    ),
    (Form::EmptyMap, &["java.util.Collections$EmptyMap"]),
    (
        Form::SingletonCollection,
        &[
            "java.util.Collections$SingletonList",
            "java.util.Collections$SingletonSet",
        ],
    ),
    (Form::SingletonMap, &["java.util.Collections$SingletonMap"]),
    (Form::Calendar, &["java.util.GregorianCalendar"]),
    (
        Form::Map(PLAIN),
        &[
            "java.util.HashMap",
            "java.util.Hashtable",
            "java.util.IdentityHashMap",
            "java.util.LinkedHashMap",
            "java.util.Properties",
            "java.util.WeakHashMap",
            "java.util.concurrent.ConcurrentHashMap",
        ],
    ),
    (
        Form::Collection(IMMUTABLE),
        &[
            "java.util.ImmutableCollections$List12",
            "java.util.ImmutableCollections$ListN",
            "java.util.ImmutableCollections$Set12",
            "java.util.ImmutableCollections$SetN",
            "java.util.ImmutableCollections$SubList",
        ],
    ),
    (
        Form::Map(IMMUTABLE),
        &[
            "java.util.ImmutableCollections$Map1",
            "java.util.ImmutableCollections$MapN",
        ],
    ),
    (
        Form::EnumSet,
        &["java.util.JumboEnumSet", "java.util.RegularEnumSet"],
    ),
    (Form::Locale, &["java.util.Locale"]),
    (Form::Optional, &["java.util.Optional"]),
    (
        Form::Collection(SORTED),
        &["java.util.PriorityQueue", "java.util.TreeSet"],
    ),
    (
        Form::Map(SORTED),
        &[
            "java.util.TreeMap",
            "java.util.concurrent.ConcurrentSkipListMap",
        ],
    ),
    (Form::Uuid, &["java.util.UUID"]),
    (
        Form::KeySetView,
        &["java.util.concurrent.ConcurrentHashMap$KeySetView"],
    ),
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
    use crate::java::jdk;

    #[test]
    fn no_class_has_two_forms() {
        let names: Vec<&str> = JDK.iter().flat_map(|it| it.1.iter().copied()).collect();
        let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len());
        assert_eq!(
            Form::of_jdk("java.lang.Long"),
            Some(("java.lang.Long", Form::Long))
        );
        assert_eq!(Form::of_jdk("java.util.List"), None);
    }

    /// A class of the schema may extend any of them.
    #[test]
    fn collections_and_maps_are_known_to_all_codecs() {
        for (form, names) in JDK {
            for name in names {
                let is_collection = matches!(
                    form,
                    Form::Collection(_)
                        | Form::CollectionWrapper
                        | Form::EmptyCollection
                        | Form::EnumSet
                        | Form::KeySetView
                        | Form::SingletonCollection
                );
                let is_map = matches!(
                    form,
                    Form::EmptyMap | Form::Map(_) | Form::MapWrapper | Form::SingletonMap
                );
                assert_eq!(jdk::is_collection(name), is_collection, "{name}");
                assert_eq!(jdk::is_map(name), is_map, "{name}");
            }
        }
    }

    /// Or any field could hold a value of one that is not.
    #[test]
    fn what_every_class_extends_is_known() {
        let layouts = crate::java::schema::Layouts::default();
        for class in JDK.iter().flat_map(|it| it.1) {
            assert!(layouts.knows(class), "{class}");
        }
    }
}
