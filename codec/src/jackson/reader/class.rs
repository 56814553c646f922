//! What the name of a class says about its values.

use std::sync::LazyLock;

use crate::hash::HashMap;
use crate::java::{JavaType, Name, jdk};

/// True if a text can be the name of a class. It must have a package, because any word can be a
/// name without one.
pub(super) fn is_name(text: &str) -> bool {
    if text.starts_with('[') {
        return JavaType::new(text.to_owned()).component().is_some();
    }
    let class = text.split_once('<').map_or(text, |(class, _)| class);
    if class.is_ascii() {
        return is_ascii_name(class.as_bytes());
    }
    class.contains('.')
        && class.split('.').all(|part| {
            let mut chars = part.chars();
            chars
                .next()
                .is_some_and(|it| it.is_alphabetic() || "_$".contains(it))
                && chars.all(|it| it.is_alphanumeric() || "_$".contains(it))
        })
}

fn is_ascii_name(class: &[u8]) -> bool {
    let (mut is_start, mut has_dot) = (true, false);
    for byte in class {
        is_start = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => false,
            b'0'..=b'9' if !is_start => false,
            b'.' if !is_start => {
                has_dot = true;
                true
            }
            _ => return false,
        };
    }
    has_dot && !is_start
}

/// True if the form of a value alone tells its class.
pub(super) fn is_bare(class: &str) -> bool {
    matches!(
        class,
        "java.math.BigDecimal"
            | "java.math.BigInteger"
            | "java.sql.Date"
            | "java.sql.Timestamp"
            | "java.time.ZoneId"
            | "java.util.Calendar"
            | "java.util.Date"
            | "java.util.GregorianCalendar"
            | "java.util.TimeZone"
    ) || class.starts_with("java.util.concurrent.atomic.Atomic")
}

pub(super) fn is_collection(class: &str) -> bool {
    jdk::is_collection(class) || COLLECTIONS.iter().any(|(interface, _)| *interface == class)
}

pub(super) fn is_map(class: &str) -> bool {
    jdk::is_map(class) || class.starts_with("java.util.") && class.ends_with("Map")
}

/// The class that Jackson makes for an interface, or the class itself.
pub(super) fn concrete(class: &str) -> Name {
    // Most names are in a table: these need no copy.
    static NAMES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let classes = jdk::containers().map(|it| (it.name, it.name));
        let interfaces = COLLECTIONS.iter().chain(&MAPS).copied();
        classes.chain(interfaces).collect()
    });
    match NAMES.get(class) {
        Some(name) => Name::new(name),
        None => class.to_owned().into(),
    }
}

const COLLECTIONS: [(&str, &str); 12] = [
    ("java.lang.Iterable", "java.util.ArrayList"),
    ("java.util.AbstractCollection", "java.util.ArrayList"),
    ("java.util.AbstractList", "java.util.ArrayList"),
    ("java.util.AbstractSet", "java.util.HashSet"),
    ("java.util.Collection", "java.util.ArrayList"),
    ("java.util.Deque", "java.util.LinkedList"),
    ("java.util.EnumSet", "java.util.RegularEnumSet"),
    ("java.util.List", "java.util.ArrayList"),
    ("java.util.NavigableSet", "java.util.TreeSet"),
    ("java.util.Queue", "java.util.LinkedList"),
    ("java.util.Set", "java.util.HashSet"),
    ("java.util.SortedSet", "java.util.TreeSet"),
];

const MAPS: [(&str, &str); 6] = [
    ("java.util.AbstractMap", "java.util.LinkedHashMap"),
    ("java.util.Map", "java.util.LinkedHashMap"),
    ("java.util.NavigableMap", "java.util.TreeMap"),
    ("java.util.SortedMap", "java.util.TreeMap"),
    (
        "java.util.concurrent.ConcurrentMap",
        "java.util.concurrent.ConcurrentHashMap",
    ),
    (
        "java.util.concurrent.ConcurrentNavigableMap",
        "java.util.concurrent.ConcurrentSkipListMap",
    ),
];
