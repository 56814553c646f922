//! Which classes of the JDK extend which.

use std::sync::LazyLock;

use crate::hash::HashMap;
use crate::java::jdk;

/// All classes and interfaces above this one, as far as they matter here.
pub(super) fn supers(class: &str) -> &'static [&'static str] {
    SUPERS.get(class).map_or(&[], Vec::as_slice)
}

/// True if all that is above this class or interface is in the table.
pub(super) fn knows(class: &str) -> bool {
    SUPERS.contains_key(class) || jdk::is_final(class) || jdk::is_container(class)
}

static SUPERS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut direct: HashMap<&str, Vec<&str>> = HashMap::default();
    for (above, below) in BELOW {
        direct.entry(above).or_default();
        for class in below {
            direct.entry(class).or_default().push(above);
        }
    }
    for class in ALONE {
        direct.entry(class).or_default();
    }
    let all = direct.keys().map(|class| {
        let mut above = direct[class].clone();
        let mut next = 0;
        while next < above.len() {
            for it in &direct[above[next]] {
                if !above.contains(it) {
                    above.push(it);
                }
            }
            next += 1;
        }
        (*class, above)
    });
    all.collect()
});

/// A class or an interface, and those that name it when they say what they extend.
const BELOW: [(&str, &[&str]); 40] = [
    (
        "java.lang.CharSequence",
        &[
            "java.lang.String",
            "java.lang.StringBuffer",
            "java.lang.StringBuilder",
        ],
    ),
    ("java.lang.Iterable", &["java.util.Collection"]),
    (
        "java.lang.Number",
        &[
            "java.lang.Byte",
            "java.lang.Double",
            "java.lang.Float",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Short",
            "java.math.BigDecimal",
            "java.math.BigInteger",
            "java.util.concurrent.atomic.AtomicInteger",
            "java.util.concurrent.atomic.AtomicLong",
        ],
    ),
    (
        "java.net.InetAddress",
        &["java.net.Inet4Address", "java.net.Inet6Address"],
    ),
    ("java.net.SocketAddress", &["java.net.InetSocketAddress"]),
    ("java.nio.charset.Charset", jdk::CHARSETS),
    (
        "java.util.AbstractCollection",
        &[
            "java.util.AbstractList",
            "java.util.AbstractQueue",
            "java.util.AbstractSet",
            "java.util.ArrayDeque",
            "java.util.ImmutableCollections$List12",
            "java.util.ImmutableCollections$ListN",
            "java.util.ImmutableCollections$Set12",
            "java.util.ImmutableCollections$SetN",
            "java.util.ImmutableCollections$SubList",
            "java.util.concurrent.ConcurrentLinkedDeque",
        ],
    ),
    (
        "java.util.AbstractList",
        &[
            "java.util.ArrayList",
            "java.util.ArrayList$SubList",
            "java.util.Arrays$ArrayList",
            "java.util.Collections$CopiesList",
            "java.util.Collections$EmptyList",
            "java.util.Collections$SingletonList",
            "java.util.LinkedList",
            "java.util.Vector",
            "kotlin.collections.ArrayDeque",
            "kotlin.collections.builders.ListBuilder",
        ],
    ),
    (
        "java.util.AbstractMap",
        &[
            "java.util.Collections$EmptyMap",
            "java.util.Collections$SingletonMap",
            "java.util.EnumMap",
            "java.util.HashMap",
            "java.util.IdentityHashMap",
            "java.util.ImmutableCollections$Map1",
            "java.util.ImmutableCollections$MapN",
            "java.util.TreeMap",
            "java.util.WeakHashMap",
            "java.util.concurrent.ConcurrentHashMap",
            "java.util.concurrent.ConcurrentSkipListMap",
        ],
    ),
    (
        "java.util.AbstractQueue",
        &[
            "java.util.PriorityQueue",
            "java.util.concurrent.ArrayBlockingQueue",
            "java.util.concurrent.ConcurrentLinkedQueue",
            "java.util.concurrent.LinkedBlockingDeque",
            "java.util.concurrent.LinkedBlockingQueue",
            "java.util.concurrent.LinkedTransferQueue",
            "java.util.concurrent.PriorityBlockingQueue",
        ],
    ),
    (
        "java.util.AbstractSet",
        &[
            "java.util.Collections$EmptySet",
            "java.util.Collections$SingletonSet",
            "java.util.EnumSet",
            "java.util.HashSet",
            "java.util.TreeSet",
            "java.util.concurrent.ConcurrentSkipListSet",
            "java.util.concurrent.CopyOnWriteArraySet",
            "kotlin.collections.builders.SetBuilder",
        ],
    ),
    ("java.util.Calendar", &["java.util.GregorianCalendar"]),
    (
        "java.util.Collection",
        &[
            "java.util.AbstractCollection",
            "java.util.Collections$CheckedCollection",
            "java.util.Collections$SynchronizedCollection",
            "java.util.Collections$UnmodifiableCollection",
            "java.util.Queue",
            "java.util.SequencedCollection",
            "java.util.Set",
            "java.util.concurrent.ConcurrentHashMap$KeySetView",
        ],
    ),
    (
        "java.util.Date",
        &["java.sql.Date", "java.sql.Time", "java.sql.Timestamp"],
    ),
    (
        "java.util.Deque",
        &[
            "java.util.ArrayDeque",
            "java.util.LinkedList",
            "java.util.concurrent.BlockingDeque",
            "java.util.concurrent.ConcurrentLinkedDeque",
        ],
    ),
    (
        "java.util.EnumSet",
        &["java.util.JumboEnumSet", "java.util.RegularEnumSet"],
    ),
    ("java.util.HashMap", &["java.util.LinkedHashMap"]),
    ("java.util.HashSet", &["java.util.LinkedHashSet"]),
    ("java.util.Hashtable", &["java.util.Properties"]),
    (
        "java.util.List",
        &[
            "java.util.AbstractList",
            "java.util.Collections$CheckedList",
            "java.util.Collections$CheckedRandomAccessList",
            "java.util.Collections$SynchronizedList",
            "java.util.Collections$SynchronizedRandomAccessList",
            "java.util.Collections$UnmodifiableList",
            "java.util.Collections$UnmodifiableRandomAccessList",
            "java.util.ImmutableCollections$List12",
            "java.util.ImmutableCollections$ListN",
            "java.util.ImmutableCollections$SubList",
            "java.util.concurrent.CopyOnWriteArrayList",
            "kotlin.collections.EmptyList",
        ],
    ),
    (
        "java.util.Map",
        &[
            "java.util.AbstractMap",
            "java.util.Collections$CheckedMap",
            "java.util.Collections$SynchronizedMap",
            "java.util.Collections$UnmodifiableMap",
            "java.util.Hashtable",
            "java.util.SequencedMap",
            "java.util.concurrent.ConcurrentMap",
            "kotlin.collections.EmptyMap",
            "kotlin.collections.builders.MapBuilder",
        ],
    ),
    (
        "java.util.NavigableMap",
        &[
            "java.util.Collections$CheckedNavigableMap",
            "java.util.Collections$SynchronizedNavigableMap",
            "java.util.Collections$UnmodifiableNavigableMap",
            "java.util.Collections$UnmodifiableNavigableMap$EmptyNavigableMap",
            "java.util.TreeMap",
            "java.util.concurrent.ConcurrentNavigableMap",
        ],
    ),
    (
        "java.util.NavigableSet",
        &[
            "java.util.Collections$CheckedNavigableSet",
            "java.util.Collections$SynchronizedNavigableSet",
            "java.util.Collections$UnmodifiableNavigableSet",
            "java.util.Collections$UnmodifiableNavigableSet$EmptyNavigableSet",
            "java.util.TreeSet",
            "java.util.concurrent.ConcurrentSkipListSet",
        ],
    ),
    (
        "java.util.Queue",
        &[
            "java.util.AbstractQueue",
            "java.util.Collections$CheckedQueue",
            "java.util.Deque",
            "java.util.concurrent.BlockingQueue",
        ],
    ),
    (
        "java.util.SequencedCollection",
        &[
            "java.util.Deque",
            "java.util.List",
            "java.util.SequencedSet",
        ],
    ),
    (
        "java.util.SequencedMap",
        &["java.util.LinkedHashMap", "java.util.SortedMap"],
    ),
    (
        "java.util.SequencedSet",
        &["java.util.LinkedHashSet", "java.util.SortedSet"],
    ),
    (
        "java.util.Set",
        &[
            "java.util.AbstractSet",
            "java.util.Collections$CheckedSet",
            "java.util.Collections$SynchronizedSet",
            "java.util.Collections$UnmodifiableSet",
            "java.util.ImmutableCollections$Set12",
            "java.util.ImmutableCollections$SetN",
            "java.util.SequencedSet",
            "java.util.concurrent.ConcurrentHashMap$KeySetView",
            "kotlin.collections.EmptySet",
        ],
    ),
    (
        "java.util.SortedMap",
        &[
            "java.util.Collections$CheckedSortedMap",
            "java.util.Collections$SynchronizedSortedMap",
            "java.util.Collections$UnmodifiableSortedMap",
            "java.util.NavigableMap",
        ],
    ),
    (
        "java.util.SortedSet",
        &[
            "java.util.Collections$CheckedSortedSet",
            "java.util.Collections$SynchronizedSortedSet",
            "java.util.Collections$UnmodifiableSortedSet",
            "java.util.NavigableSet",
        ],
    ),
    (
        "java.util.TimeZone",
        &["java.util.SimpleTimeZone", "sun.util.calendar.ZoneInfo"],
    ),
    ("java.util.Vector", &["java.util.Stack"]),
    (
        "java.util.concurrent.BlockingDeque",
        &["java.util.concurrent.LinkedBlockingDeque"],
    ),
    (
        "java.util.concurrent.BlockingQueue",
        &[
            "java.util.concurrent.ArrayBlockingQueue",
            "java.util.concurrent.BlockingDeque",
            "java.util.concurrent.LinkedBlockingQueue",
            "java.util.concurrent.PriorityBlockingQueue",
            "java.util.concurrent.TransferQueue",
        ],
    ),
    (
        "java.util.concurrent.ConcurrentMap",
        &[
            "java.util.concurrent.ConcurrentHashMap",
            "java.util.concurrent.ConcurrentNavigableMap",
        ],
    ),
    (
        "java.util.concurrent.ConcurrentNavigableMap",
        &["java.util.concurrent.ConcurrentSkipListMap"],
    ),
    (
        "java.util.concurrent.TransferQueue",
        &["java.util.concurrent.LinkedTransferQueue"],
    ),
    // Wrappers of lists and sets, which extend a wrapper of collections.
    (
        "java.util.Collections$UnmodifiableCollection",
        &[
            "java.util.Collections$UnmodifiableList",
            "java.util.Collections$UnmodifiableSet",
        ],
    ),
    (
        "java.util.AbstractSequentialList",
        &["java.util.LinkedList"],
    ),
    (
        "java.time.ZoneId",
        &["java.time.ZoneOffset", "java.time.ZoneRegion"],
    ),
];

/// Classes that can be extended, but that nothing here extends.
const ALONE: [&str; 3] = [
    "java.util.BitSet",
    "java.util.concurrent.atomic.AtomicBoolean",
    "java.util.concurrent.atomic.AtomicReference",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_container_is_below_one_of_the_two_interfaces() {
        for class in SUPERS.keys() {
            let supers = supers(class);
            let is_map = supers.contains(&"java.util.Map");
            let is_collection = supers.contains(&"java.util.Collection");
            assert!(
                !jdk::is_collection(class) || is_collection && !is_map,
                "{class}"
            );
            assert!(!jdk::is_map(class) || is_map && !is_collection, "{class}");
        }
        assert_eq!(
            supers("java.util.LinkedHashSet").len(),
            supers("java.util.HashSet").len() + 3
        );
    }
}
