use crate::hash::HashMap;
use std::sync::LazyLock;

/// A class of the JDK, or of the library of Kotlin, whose objects are collections or maps.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Container {
    pub(crate) name: &'static str,
    pub(crate) is_map: bool,
    pub(crate) build: Build,
}

/// How a container is built, where Java's serializers treat it accordingly.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Build {
    /// Never holds anything.
    Empty,
    /// Holds constants of one enum, or has them as keys.
    Enum,
    /// Takes neither changes nor nulls.
    Immutable,
    /// Never holds anything. Kryo does not know that.
    EmptyOfKotlin,
    /// The keys of a `ConcurrentHashMap`.
    KeySet,
    Plain,
    /// Holds one element or entry.
    Singleton,
    /// Has a comparator.
    Sorted,
    /// Passes everything on to another container.
    Wrapper,
}

/// The container class of this name.
pub(crate) fn container(class: &str) -> Option<Container> {
    CONTAINERS.get(class).copied()
}

/// All container classes.
pub(crate) fn containers() -> impl Iterator<Item = Container> {
    CONTAINERS.values().copied()
}

static CONTAINERS: LazyLock<HashMap<&str, Container>> = LazyLock::new(|| {
    let collections = COLLECTIONS.iter().map(|it| (false, it));
    let maps = MAPS.iter().map(|it| (true, it));
    let all = collections
        .chain(maps)
        .flat_map(|(is_map, (build, names))| {
            names.iter().map(move |name| Container {
                name,
                is_map,
                build: *build,
            })
        });
    all.map(|it| (it.name, it)).collect()
});

const COLLECTIONS: [(Build, &[&str]); 9] = [
    (
        Build::Empty,
        &[
            "java.util.Collections$EmptyList",
            "java.util.Collections$EmptySet",
        ],
    ),
    (
        Build::Enum,
        &["java.util.JumboEnumSet", "java.util.RegularEnumSet"],
    ),
    (
        Build::Immutable,
        &[
            "java.util.ImmutableCollections$List12",
            "java.util.ImmutableCollections$ListN",
            "java.util.ImmutableCollections$Set12",
            "java.util.ImmutableCollections$SetN",
            "java.util.ImmutableCollections$SubList",
        ],
    ),
    (
        Build::EmptyOfKotlin,
        &[
            "kotlin.collections.EmptyList",
            "kotlin.collections.EmptySet",
        ],
    ),
    (
        Build::KeySet,
        &["java.util.concurrent.ConcurrentHashMap$KeySetView"],
    ),
    (
        Build::Plain,
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
            // Sorted, but Kryo writes no comparator for it.
            "java.util.concurrent.ConcurrentSkipListSet",
            "java.util.concurrent.CopyOnWriteArrayList",
            "java.util.concurrent.CopyOnWriteArraySet",
            "java.util.concurrent.LinkedBlockingDeque",
            "java.util.concurrent.LinkedBlockingQueue",
            "java.util.concurrent.LinkedTransferQueue",
            // Likewise.
            "java.util.concurrent.PriorityBlockingQueue",
            "kotlin.collections.ArrayDeque",
            "kotlin.collections.builders.ListBuilder",
            "kotlin.collections.builders.SetBuilder",
        ],
    ),
    (
        Build::Singleton,
        &[
            "java.util.Collections$SingletonList",
            "java.util.Collections$SingletonSet",
        ],
    ),
    (
        Build::Sorted,
        &["java.util.PriorityQueue", "java.util.TreeSet"],
    ),
    (
        Build::Wrapper,
        &[
            "java.util.Collections$CheckedCollection",
            "java.util.Collections$CheckedList",
            "java.util.Collections$CheckedNavigableSet",
            "java.util.Collections$CheckedQueue",
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
            "java.util.Collections$UnmodifiableNavigableSet$EmptyNavigableSet",
            "java.util.Collections$UnmodifiableRandomAccessList",
            "java.util.Collections$UnmodifiableSet",
            "java.util.Collections$UnmodifiableSortedSet",
        ],
    ),
];

const MAPS: [(Build, &[&str]); 8] = [
    (Build::Empty, &["java.util.Collections$EmptyMap"]),
    (Build::EmptyOfKotlin, &["kotlin.collections.EmptyMap"]),
    (Build::Enum, &["java.util.EnumMap"]),
    (
        Build::Immutable,
        &[
            "java.util.ImmutableCollections$Map1",
            "java.util.ImmutableCollections$MapN",
        ],
    ),
    (
        Build::Plain,
        &[
            "java.util.HashMap",
            "java.util.Hashtable",
            "java.util.IdentityHashMap",
            "java.util.LinkedHashMap",
            "java.util.Properties",
            "java.util.WeakHashMap",
            "java.util.concurrent.ConcurrentHashMap",
            "kotlin.collections.builders.MapBuilder",
        ],
    ),
    (Build::Singleton, &["java.util.Collections$SingletonMap"]),
    (
        Build::Sorted,
        &[
            "java.util.TreeMap",
            "java.util.concurrent.ConcurrentSkipListMap",
        ],
    ),
    (
        Build::Wrapper,
        &[
            "java.util.Collections$CheckedMap",
            "java.util.Collections$CheckedNavigableMap",
            "java.util.Collections$CheckedSortedMap",
            "java.util.Collections$SynchronizedMap",
            "java.util.Collections$SynchronizedNavigableMap",
            "java.util.Collections$SynchronizedSortedMap",
            "java.util.Collections$UnmodifiableMap",
            "java.util.Collections$UnmodifiableNavigableMap",
            "java.util.Collections$UnmodifiableNavigableMap$EmptyNavigableMap",
            "java.util.Collections$UnmodifiableSortedMap",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_has_two_builds() {
        let tables = COLLECTIONS.iter().chain(&MAPS);
        let names = tables.map(|(_, names)| names.len()).sum::<usize>();
        assert_eq!(names, CONTAINERS.len());
    }
}
