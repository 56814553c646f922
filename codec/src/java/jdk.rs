//! What codecs must know of the classes of the JDK.

use std::sync::LazyLock;

use super::schema::Layouts;
use super::{Class, Schema};

/// Whether no class can extend it, as far as Kryo and Jackson care: primitive types count.
pub(crate) fn is_final(class: &str) -> bool {
    FINAL.binary_search(&class).is_ok()
}

/// Whether it is a collection or a map.
pub(crate) fn is_container(class: &str) -> bool {
    is_collection(class) || is_map(class)
}

pub(crate) fn is_collection(class: &str) -> bool {
    COLLECTIONS.binary_search(&class).is_ok()
}

pub(crate) fn is_map(class: &str) -> bool {
    MAPS.binary_search(&class).is_ok()
}

/// A class to make objects of in place of an interface or an abstract class of collections or maps:
/// the one that keeps the order, if there is a choice.
pub(crate) fn concrete(interface: &str) -> Option<&'static str> {
    Some(match interface {
        "java.lang.Iterable"
        | "java.util.AbstractCollection"
        | "java.util.AbstractList"
        | "java.util.Collection"
        | "java.util.List"
        | "java.util.SequencedCollection" => "java.util.ArrayList",
        "java.util.AbstractSet" | "java.util.SequencedSet" | "java.util.Set" => {
            "java.util.LinkedHashSet"
        }
        "java.util.NavigableSet" | "java.util.SortedSet" => "java.util.TreeSet",
        "java.util.AbstractQueue" | "java.util.Deque" | "java.util.Queue" => "java.util.LinkedList",
        "java.util.concurrent.BlockingDeque" => "java.util.concurrent.LinkedBlockingDeque",
        "java.util.concurrent.BlockingQueue" => "java.util.concurrent.LinkedBlockingQueue",
        "java.util.AbstractMap" | "java.util.Map" | "java.util.SequencedMap" => {
            "java.util.LinkedHashMap"
        }
        "java.util.NavigableMap" | "java.util.SortedMap" => "java.util.TreeMap",
        "java.util.concurrent.ConcurrentMap" => "java.util.concurrent.ConcurrentHashMap",
        "java.util.concurrent.ConcurrentNavigableMap" => {
            "java.util.concurrent.ConcurrentSkipListMap"
        }
        _ => return None,
    })
}

/// The full name of a class that Java source may name without its package, in any case of letters.
pub(crate) fn full_name(simple: &str) -> Option<&'static str> {
    let mut known = COMMON.iter().chain(&FINAL).chain(&COLLECTIONS).chain(&MAPS);
    known
        .find(|full| {
            let name = full.rsplit_once('.').map(|(_, name)| name);
            name.is_some_and(|name| name.eq_ignore_ascii_case(simple))
        })
        .copied()
}

/// The enums of the JDK that values are likely to hold.
pub(crate) fn enums() -> &'static Layouts {
    &ENUMS
}

static ENUMS: LazyLock<Layouts> = LazyLock::new(|| {
    let schema: Schema = [
        Class::enumeration(
            "java.time.DayOfWeek",
            [
                "MONDAY",
                "TUESDAY",
                "WEDNESDAY",
                "THURSDAY",
                "FRIDAY",
                "SATURDAY",
                "SUNDAY",
            ],
        ),
        Class::enumeration(
            "java.time.Month",
            [
                "JANUARY",
                "FEBRUARY",
                "MARCH",
                "APRIL",
                "MAY",
                "JUNE",
                "JULY",
                "AUGUST",
                "SEPTEMBER",
                "OCTOBER",
                "NOVEMBER",
                "DECEMBER",
            ],
        ),
        Class::enumeration(
            "java.util.concurrent.TimeUnit",
            [
                "NANOSECONDS",
                "MICROSECONDS",
                "MILLISECONDS",
                "SECONDS",
                "MINUTES",
                "HOURS",
                "DAYS",
            ],
        ),
    ]
    .into_iter()
    .collect();
    Layouts::new(&schema).unwrap_or_default()
});

/// Classes and interfaces of many fields that are in no other table.
const COMMON: [&str; 23] = [
    "java.io.Serializable",
    "java.lang.CharSequence",
    "java.lang.Comparable",
    "java.lang.Iterable",
    "java.lang.Number",
    "java.lang.Object",
    "java.math.BigDecimal",
    "java.math.BigInteger",
    "java.time.DayOfWeek",
    "java.time.Month",
    "java.util.Collection",
    "java.util.Date",
    "java.util.Deque",
    "java.util.List",
    "java.util.Map",
    "java.util.NavigableMap",
    "java.util.NavigableSet",
    "java.util.Queue",
    "java.util.Set",
    "java.util.SortedMap",
    "java.util.SortedSet",
    "java.util.concurrent.ConcurrentMap",
    "java.util.concurrent.TimeUnit",
];

const FINAL: [&str; 39] = [
    "boolean",
    "byte",
    "char",
    "double",
    "float",
    "int",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Class",
    "java.lang.Double",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
    "java.lang.String",
    "java.lang.StringBuffer",
    "java.lang.StringBuilder",
    "java.net.URI",
    "java.net.URL",
    "java.time.Duration",
    "java.time.Instant",
    "java.time.LocalDate",
    "java.time.LocalDateTime",
    "java.time.LocalTime",
    "java.time.OffsetDateTime",
    "java.time.Period",
    "java.time.Year",
    "java.time.YearMonth",
    "java.time.ZoneOffset",
    "java.time.ZoneRegion",
    "java.time.ZonedDateTime",
    "java.util.Currency",
    "java.util.Locale",
    "java.util.Optional",
    "java.util.UUID",
    "java.util.regex.Pattern",
    "long",
    "short",
];

const COLLECTIONS: [&str; 49] = [
    "java.util.ArrayDeque",
    "java.util.ArrayList",
    "java.util.ArrayList$SubList",
    "java.util.Arrays$ArrayList",
    "java.util.Collections$CheckedCollection",
    "java.util.Collections$CheckedList",
    "java.util.Collections$CheckedNavigableSet",
    "java.util.Collections$CheckedRandomAccessList",
    "java.util.Collections$CheckedSet",
    "java.util.Collections$CheckedSortedSet",
    "java.util.Collections$EmptyList",
    "java.util.Collections$EmptySet",
    "java.util.Collections$SingletonList",
    "java.util.Collections$SingletonSet",
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
    "java.util.HashSet",
    "java.util.ImmutableCollections$List12",
    "java.util.ImmutableCollections$ListN",
    "java.util.ImmutableCollections$Set12",
    "java.util.ImmutableCollections$SetN",
    "java.util.ImmutableCollections$SubList",
    "java.util.JumboEnumSet",
    "java.util.LinkedHashSet",
    "java.util.LinkedList",
    "java.util.PriorityQueue",
    "java.util.RegularEnumSet",
    "java.util.Stack",
    "java.util.TreeSet",
    "java.util.Vector",
    "java.util.concurrent.ConcurrentHashMap$KeySetView",
    "java.util.concurrent.ConcurrentLinkedDeque",
    "java.util.concurrent.ConcurrentLinkedQueue",
    "java.util.concurrent.ConcurrentSkipListSet",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.CopyOnWriteArraySet",
    "java.util.concurrent.LinkedBlockingDeque",
    "java.util.concurrent.LinkedBlockingQueue",
    "java.util.concurrent.PriorityBlockingQueue",
];

const MAPS: [&str; 23] = [
    "java.util.Collections$CheckedMap",
    "java.util.Collections$CheckedNavigableMap",
    "java.util.Collections$CheckedSortedMap",
    "java.util.Collections$EmptyMap",
    "java.util.Collections$SingletonMap",
    "java.util.Collections$SynchronizedMap",
    "java.util.Collections$SynchronizedNavigableMap",
    "java.util.Collections$SynchronizedSortedMap",
    "java.util.Collections$UnmodifiableMap",
    "java.util.Collections$UnmodifiableNavigableMap",
    "java.util.Collections$UnmodifiableSortedMap",
    "java.util.EnumMap",
    "java.util.HashMap",
    "java.util.Hashtable",
    "java.util.IdentityHashMap",
    "java.util.ImmutableCollections$Map1",
    "java.util.ImmutableCollections$MapN",
    "java.util.LinkedHashMap",
    "java.util.Properties",
    "java.util.TreeMap",
    "java.util.WeakHashMap",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentSkipListMap",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order_for_the_search() {
        assert!(FINAL.is_sorted());
        assert!(COLLECTIONS.is_sorted());
        assert!(MAPS.is_sorted());
        assert!(enums().get("java.time.Month").is_some());
    }
}
